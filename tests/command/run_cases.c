/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs the built command on emulated machines and compares complete outputs. A case is a readable
 * file: the machine, then commands with what they print on either stream and their exit status. See
 * cases/README. With ISST_UPDATE_CASES=1 a case is rewritten with what came out, for the diff to be
 * read.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/signals.h"

struct case_file {
	const char *directory; /* of the cases */
	char *name;
};

/** A case that is being run: what was read of it, and the same with what came out in place of what
 * was expected. */
struct runner {
	char *scratch;
	FILE *result;
};

static void require(bool condition, const char *what, const char *detail)
{
	if (!condition)
		fail_msg("%s %s: %s", what, detail, strerror(errno));
}

__attribute__((format(printf, 1, 2))) static char *format(const char *text, ...)
{
	va_list arguments;
	char *result;

	va_start(arguments, text);
	require(vasprintf(&result, text, arguments) >= 0, "format", text);
	va_end(arguments);
	return result;
}

static char *read_text(const char *path)
{
	FILE *file = fopen(path, "re");
	char *text = NULL;
	size_t size = 0;
	FILE *copy = open_memstream(&text, &size);
	int c;

	require(file && copy, "read", path);
	while ((c = getc(file)) != EOF)
		putc(c, copy);
	fclose(file);
	fclose(copy);
	return text;
}

static void write_text(const char *path, const char *text)
{
	FILE *file = fopen(path, "we");

	require(file && fputs(text, file) >= 0 && fclose(file) == 0, "write", path);
}

/** Copies a stream's lines, each behind `| `. */
static void print_stream(FILE *result, const char *name, const char *text)
{
	size_t length = strlen(text);

	if (length == 0)
		return;
	fprintf(result, "%s\n", name);
	while (*text) {
		size_t line = strcspn(text, "\n");

		fprintf(result, line ? "| %.*s\n" : "|\n", (int)line, text);
		text += line;
		if (*text == '\n')
			text++;
		else
			fprintf(result, "(no newline)\n");
	}
}

/* Much longer than any command line takes: one that waits for what never comes ends. */
enum { LONGEST_S = 300 };

/** As system(3), for LONGEST_S at most. */
static int run_shell(const char *line)
{
	pid_t child = fork();
	int status;

	if (child < 0)
		return -1;
	if (child == 0) {
		alarm(LONGEST_S);
		execl("/bin/sh", "sh", "-c", line, (char *)NULL);
		_exit(127);
	}
	while (waitpid(child, &status, 0) != child)
		if (errno != EINTR)
			return -1;
	return status;
}

/** Runs one command line in the scratch directory and writes down what came out. */
static void run_command(struct runner *runner, const char *command)
{
	char *line = format("cd '%s/cwd' && { %s\n} >'%s/stdout' 2>'%s/stderr' </dev/null",
			    runner->scratch, command, runner->scratch, runner->scratch);
	char *path_out = format("%s/stdout", runner->scratch);
	char *path_err = format("%s/stderr", runner->scratch);
	int status = run_shell(line);
	char *out = read_text(path_out), *err = read_text(path_err);

	print_stream(runner->result, "stdout", out);
	print_stream(runner->result, "stderr", err);
	if (WIFEXITED(status))
		fprintf(runner->result, "status %d\n", WEXITSTATUS(status));
	else
		fprintf(runner->result, "signal %d\n", WTERMSIG(status));
	free(line);
	free(path_out);
	free(path_err);
	free(out);
	free(err);
}

/** `platform NAME`: a built-in one, or a file of the test platforms. */
static void choose_platform(const char *name)
{
	char *path = format("%s/%s.platform", getenv("ISST_PLATFORMS"), name);

	setenv("ISST_EMULATE", access(path, R_OK) == 0 ? path : name, 1);
	free(path);
}

static void add_fault(const struct runner *runner, const char *rule)
{
	char *path = format("%s/state/faults", runner->scratch);
	FILE *file = fopen(path, "ae");

	require(file && fprintf(file, "%s\n", rule) > 0 && fclose(file) == 0, "add a fault to",
		path);
	free(path);
}

static void remove_faults(const struct runner *runner)
{
	char *path = format("%s/state/faults", runner->scratch);

	require(unlink(path) == 0, "remove", path);
	free(path);
}

/** Takes one line of a case: either it is carried over, or it is an expectation that is replaced by
 * what comes out. */
static void take_line(struct runner *runner, const char *line)
{
	static const char *const EXPECTATIONS[] = { "stdout",	    "stderr",  "|",
						    "(no newline)", "status ", "signal " };

	for (size_t i = 0; i < sizeof(EXPECTATIONS) / sizeof(EXPECTATIONS[0]); i++)
		if (strncmp(line, EXPECTATIONS[i], strlen(EXPECTATIONS[i])) == 0)
			return;
	fprintf(runner->result, "%s\n", line);
	if (strncmp(line, "platform ", 9) == 0)
		choose_platform(line + 9);
	else if (strncmp(line, "fault ", 6) == 0)
		add_fault(runner, line + 6);
	else if (strcmp(line, "no faults") == 0)
		remove_faults(runner);
	else if (strncmp(line, "$ ", 2) == 0)
		run_command(runner, line + 2);
	else if (*line && *line != '#')
		fail_msg("a line of the case makes no sense: %s", line);
}

static void make_scratch(struct runner *runner)
{
	static const char *const DIRECTORIES[] = { "state", "cwd" };
	const char *temporary = getenv("TMPDIR");
	char *state;

	runner->scratch = format("%s/isst-case.XXXXXX", temporary ? temporary : "/tmp");
	require(mkdtemp(runner->scratch) != NULL, "make", runner->scratch);
	for (size_t i = 0; i < 2; i++) {
		char *path = format("%s/%s", runner->scratch, DIRECTORIES[i]);

		require(mkdir(path, 0700) == 0, "make", path);
		free(path);
	}
	state = format("%s/state", runner->scratch);
	setenv("ISST_EMULATE_STATE", state, 1);
	setenv("ISST_EMULATE", "guide", 1);
	free(state);
}

static void remove_scratch(struct runner *runner)
{
	char *command = format("rm -rf '%s'", runner->scratch);

	if (system(command) != 0)
		print_message("%s is left behind\n", runner->scratch);
	free(command);
	free(runner->scratch);
}

/** Scratch paths differ from run to run. */
static char *without_scratch(const char *text, const char *scratch)
{
	char *result = NULL;
	size_t size;
	FILE *stream = open_memstream(&result, &size);
	const char *found;

	while ((found = strstr(text, scratch))) {
		fprintf(stream, "%.*sSCRATCH", (int)(found - text), text);
		text = found + strlen(scratch);
	}
	fputs(text, stream);
	fclose(stream);
	return result;
}

/** Messages of cmocka end after so many characters: what came out is shown beside them. */
static void show_difference(const char *path, const char *text)
{
	char *command = format("diff '%s' - >&2", path);
	FILE *difference = popen(command, "w");

	assert_non_null(difference);
	fputs(text, difference);
	pclose(difference);
	free(command);
}

static void run_case(void **state)
{
	const struct case_file *file = *state;
	char *path = format("%s/%s", file->directory, file->name);
	char *expected = read_text(path), *copy = strdup(expected), *rest = copy, *line;
	char *result = NULL, *stable;
	size_t size;
	struct runner runner = { .result = open_memstream(&result, &size) };

	make_scratch(&runner);
	while ((line = strsep(&rest, "\n")) && (*line || rest))
		take_line(&runner, line);
	fclose(runner.result);
	stable = without_scratch(result, runner.scratch);
	remove_scratch(&runner);
	if (getenv("ISST_UPDATE_CASES")) {
		write_text(path, stable);
	} else if (strcmp(expected, stable) != 0) {
		show_difference(path, stable);
		fail_msg("%s differs", file->name);
	}
	free(path);
	free(copy);
	free(expected);
	free(result);
	free(stable);
}

static int is_case(const struct dirent *entry)
{
	const char *dot = strrchr(entry->d_name, '.');

	return dot && strcmp(dot, ".case") == 0;
}

/** Where this program is, and those beside it that cases use. */
static char *own_directory(void)
{
	char *path = realpath("/proc/self/exe", NULL);

	require(path != NULL, "find", "/proc/self/exe");
	*strrchr(path, '/') = '\0';
	return path;
}

/** run_cases BUILD CASES PLATFORMS */
int main(int argc, char **argv)
{
	struct dirent **entries;
	struct CMUnitTest *tests;
	struct case_file *files;
	char *build, *path, *own;
	int count, failed;

	if (argc != 4) {
		fprintf(stderr, "usage: run_cases BUILD CASES PLATFORMS\n");
		return 1;
	}
	heed_signals();
	count = scandir(argv[2], &entries, is_case, alphasort);
	build = realpath(argv[1], NULL);
	if (count <= 0 || !build) {
		fprintf(stderr, "run_cases: no cases in %s, or no %s\n", argv[2], argv[1]);
		return 1;
	}
	path = realpath(argv[3], NULL);
	setenv("ISST_PLATFORMS", path ? path : argv[3], 1);
	free(path);
	own = own_directory();
	path = format("%s:%s:%s", build, own, getenv("PATH"));
	free(own);
	setenv("PATH", path, 1);
	setenv("LC_ALL", "C", 1);
	tests = calloc((size_t)count, sizeof(*tests));
	files = calloc((size_t)count, sizeof(*files));
	for (int i = 0; i < count; i++) {
		files[i] = (struct case_file){ argv[2], entries[i]->d_name };
		tests[i] = (struct CMUnitTest){ .name = entries[i]->d_name,
						.test_func = run_case,
						.initial_state = &files[i] };
	}
	cmocka_set_test_filter(getenv("ISST_TEST"));
	failed = _cmocka_run_group_tests("commands", tests, (size_t)count, NULL, NULL);
	for (int i = 0; i < count; i++)
		free(entries[i]);
	free(entries);
	free(tests);
	free(files);
	free(build);
	free(path);
	return failed;
}
