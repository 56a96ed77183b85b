/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which stream carries what, by the program's name, the format and --out: each row is one of the
 * manual page's table, under OUTPUT.
 */
#include "check.h"

#include "cli/render/output.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

enum { STREAMS = 3 }; /* standard output and standard error have their own numbers, 0 is --out */

struct captured {
	char text[STREAMS][400];
	enum exit_status status;
};

/** Puts a file in the place of a standard stream. Returns the stream that was there. */
static int replace(int descriptor, int *file)
{
	int kept = dup(descriptor);

	*file = memfd_create("captured", MFD_CLOEXEC);
	assert_true(kept >= 0 && *file >= 0);
	assert_int_equal(dup2(*file, descriptor), descriptor);
	return kept;
}

static void restore(int descriptor, int kept, int file, char *text, size_t size)
{
	ssize_t length;

	assert_int_equal(dup2(kept, descriptor), descriptor);
	length = pread(file, text, size - 1, 0);
	assert_true(length >= 0);
	text[length] = '\0';
	close(kept);
	close(file);
}

static void read_file(const char *path, char *text, size_t size)
{
	FILE *file = fopen(path, "re");

	assert_non_null(file);
	text[fread(text, 1, size - 1, file)] = '\0';
	fclose(file);
}

static void report_something(struct output *output, const char *path, struct captured *captured)
{
	autoreport struct report *report = report_new();

	output->path = path;
	assert_int_equal(output_open(output, false), 0);
	output_banner(output, 85, NULL, false);
	fputs("trace\n", output_trace(output));
	report_number(report_unit(report, NULL, 0), KEY_CLOS, 3);
	report_message(report, ENTRY_ERROR, "message");
	captured->status = output_report(output, report, STATUS_UNSUPPORTED);
	output_close(output);
}

/** What a run writes where. @wrong: it is a usage error. */
static void capture(const char *name, enum output_format format, const char *path, bool wrong,
		    struct captured *captured)
{
	struct output output;
	int files[STREAMS], kept[STREAMS];

	memset(captured, 0, sizeof(*captured));
	fflush(NULL);
	for (int i = 1; i < STREAMS; i++)
		kept[i] = replace(i, &files[i]);
	output_start(&output, name);
	output.format = format;
	if (wrong)
		captured->status = output_problem(&output, "message", STATUS_USAGE);
	else
		report_something(&output, path, captured);
	fflush(NULL);
	for (int i = 1; i < STREAMS; i++)
		restore(i, kept[i], files[i], captured->text[i], sizeof(captured->text[i]));
	if (path)
		read_file(path, captured->text[0], sizeof(captured->text[0]));
}

#define BANNER "Intel(R) Speed Select Technology\nExecuting on CPU model:85[0x55]\n"
#define DOCUMENT "{\n  \"clos\": \"3\",\n  \"Error0\": {\n    \"message\": \"message\"\n  }\n}\n"
#define WRONG "{\n  \"Error0\": {\n    \"message\": \"message\"\n  }\n}\n"

static const struct {
	const char *name;
	enum output_format format;
	bool out, wrong;
	const char *file, *standard_output, *standard_error;
} cases[] = {
	{ "/usr/sbin/intel-speed-select", FORMAT_TEXT, false, false, "", BANNER "trace\n",
	  " clos:3\nError: message\n" },
	{ "intel-speed-select", FORMAT_TEXT, true, false, " clos:3\nError: message\n",
	  BANNER "trace\n", "Error: message\n" },
	{ "intel-speed-select", FORMAT_JSON, false, false, "", BANNER "trace\n", DOCUMENT },
	{ "intel-speed-select", FORMAT_JSON, true, false, DOCUMENT, BANNER "trace\n",
	  "Error: message\n" },
	{ "intel-speed-select", FORMAT_TEXT, false, true, "", "", "Error: message\n" },
	{ "intel-speed-select", FORMAT_JSON, false, true, "", "", WRONG },
	{ "./isst", FORMAT_TEXT, false, false, "", BANNER " clos:3\n", "trace\nError: message\n" },
	{ "isst", FORMAT_TEXT, true, false, BANNER " clos:3\n", "", "trace\nError: message\n" },
	{ "isst", FORMAT_JSON, false, false, "", DOCUMENT, "trace\nError: message\n" },
	{ "isst", FORMAT_JSON, true, false, DOCUMENT, "", "trace\nError: message\n" },
	{ "isst", FORMAT_TEXT, false, true, "", "", "Error: message\n" },
	{ "isst", FORMAT_JSON, false, true, "", WRONG, "" },
};

TEST(everything_goes_to_the_stream_in_the_table)
{
	const char *directory = getenv("TMPDIR");
	char *path;
	int file;

	assert_true(asprintf(&path, "%s/streams.XXXXXX", directory ? directory : "/tmp") > 0);
	file = mkstemp(path);
	assert_true(file >= 0);
	close(file);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct captured captured;

		print_message("# %s, %s%s%s\n", cases[i].name, renderers[cases[i].format].name,
			      cases[i].out ? ", --out" : "", cases[i].wrong ? ", wrong" : "");
		capture(cases[i].name, cases[i].format, cases[i].out ? path : NULL, cases[i].wrong,
			&captured);
		assert_string_equal(captured.text[0], cases[i].file);
		assert_string_equal(captured.text[1], cases[i].standard_output);
		assert_string_equal(captured.text[2], cases[i].standard_error);
		assert_int_equal(captured.status,
				 cases[i].wrong ? STATUS_USAGE : STATUS_UNSUPPORTED);
	}
	unlink(path);
	free(path);
}

TEST(a_result_that_cannot_be_written_is_a_failure)
{
	struct captured captured;

	if (access("/dev/full", W_OK) != 0)
		skip();
	capture("isst", FORMAT_JSON, "/dev/full", false, &captured);
	assert_int_equal(captured.status, STATUS_FAILED);
	assert_string_equal(captured.text[2],
			    "trace\nError: cannot write /dev/full: No space left on device\n"
			    "Error: message\n");
}

TEST(progress_is_printed_at_once_except_in_documents)
{
	static const char *const names[] = { "isst", "intel-speed-select" };
	struct output output;

	for (size_t i = 0; i < 2; i++) {
		output_start(&output, names[i]);
		assert_ptr_equal(output_progress(&output), stderr);
		output.format = FORMAT_JSON;
		assert_null(output_progress(&output));
	}
}

/** Help prints the name that the program was started by. */
TEST(a_name_that_cannot_be_printed_is_replaced)
{
	static const struct {
		const char *argv0, *program;
	} names[] = {
		{ "/usr/bin/isst", "isst" },
		{ "./ist-\u00e9", "ist-\u00e9" },
		{ "", "isst" },
		{ "/tmp/", "isst" },
		{ "a\033[31mb", "isst" },
		{ "two\nlines", "isst" },
		{ "\xc2\x9b", "isst" },
		{ "\xff", "isst" },
	};

	for (size_t i = 0; i < COUNT(names); i++) {
		struct output output;

		output_start(&output, names[i].argv0);
		assert_string_equal(output.program, names[i].program);
		assert_false(output.reference);
	}
}

TEST(a_file_that_cannot_be_created_is_reported)
{
	struct output output;

	output_start(&output, "isst");
	output.path = "/dev/null/file";
	assert_true(output_open(&output, false) < 0);
}
