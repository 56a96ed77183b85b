/* SPDX-License-Identifier: BSD-3-Clause */
/* As intel-speed-select results go to standard error, and the banner to standard output. */
#include "output.h"

#include "../../common/memory_stream.h"
#include "../../common/printable.h"
#include "../arguments/request.h"
#include "../process/privileges.h"
#include "../process/save_file.h"
#include "../process/xalloc.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void output_start(struct output *output, const char *argv0)
{
	struct pollfd streams[] = { { .fd = 0 }, { .fd = 1 }, { .fd = 2 } };
	/* Not where fewer than three descriptors are allowed. */
	bool asked = poll(streams, 3, 0) >= 0;
	const char *slash = strrchr(argv0, '/');
	const char *name = slash ? slash + 1 : argv0;

	/* Help names the program, and any caller may give it any name. */
	*output = (struct output){ .program = *name && is_printable(name) ? name : "isst" };
	/* Closed streams are held, so that no other file becomes one; using them still fails. */
	for (int descriptor = 0; descriptor <= 2; descriptor++) {
		output->closed[descriptor] = asked ? streams[descriptor].revents & POLLNVAL
						   : fcntl(descriptor, F_GETFD) < 0;
		if (output->closed[descriptor] &&
		    open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY) != descriptor)
			_exit(STATUS_FAILED);
	}
	/* A file that may not grow makes a result get lost; it is no reason to be killed. */
	output->file_limit_killed = signal(SIGXFSZ, SIG_IGN) == SIG_DFL;
	output->reference = strcmp(output->program, "intel-speed-select") == 0;
}

static int use_file(struct output *output, int descriptor)
{
	int flags = fcntl(descriptor, F_GETFL);
	bool ready = flags >= 0 && fcntl(descriptor, F_SETFL, flags & ~O_NONBLOCK) == 0 &&
		     /* Devices, FIFOs and the like have no length. */
		     (ftruncate(descriptor, 0) == 0 || errno == EINVAL);

	if (ready)
		output->file = fdopen(descriptor, "w");
	if (!output->file) {
		int error = -errno;

		close(descriptor);
		return error;
	}
	/* Nor is a terminal written to before the result. */
	(void)setvbuf(output->file, NULL, _IOFBF, BUFSIZ);
	return 0;
}

int output_open(struct output *output, bool wait)
{
	bool replaces = renderers[output->format].file;
	struct stat status;
	int descriptor, error;

	if (!output->path || output->file || (wait && replaces))
		return 0;
	error = privileges_as_caller();
	if (!error && replaces) {
		error = save_file_check(output->path);
	} else if (!error &&
		   (!wait || (stat(output->path, &status) == 0 && S_ISFIFO(status.st_mode)))) {
		/* Must not overwrite output of a standard stream; another process may have replaced
		 * the FIFO. */
		descriptor = open(
			output->path,
			O_WRONLY | O_APPEND | O_CLOEXEC | (wait ? 0 : O_CREAT | O_NONBLOCK), 0666);
		error = descriptor < 0 ? -errno : use_file(output, descriptor);
	}
	return privileges_again(error);
}

enum exit_status output_refuse_path(struct output *output, int error)
{
	bool denied = error == -EACCES || error == -EPERM;
	enum exit_status status;
	char *problem;

	if (!error)
		return STATUS_DONE;
	problem = xasprintf("invalid value '%s' for option --out: cannot create it: %s",
			    output->path, strerror(-error));
	status = output_problem(output, problem, STATUS_USAGE);
	free(problem);
	return status == STATUS_USAGE && denied ? STATUS_NOT_PERMITTED : status;
}

enum exit_status output_open_at_once(struct output *output)
{
	int error = output_open(output, true);

	return output_refuse_path(output, error ? error : output_open(output, false));
}

void output_must_not_wait(struct output *output)
{
	output->nowait_output = nowait_stream_open(stdout, NULL);
	/* On a terminal the banner comes first. */
	output->nowait_messages = nowait_stream_open(stderr, output->nowait_output);
}

void output_may_wait(struct output *output)
{
	if (output->nowait_output)
		nowait_stream_close(output->nowait_output);
	if (output->nowait_messages)
		nowait_stream_close(output->nowait_messages);
	output->nowait_output = output->nowait_messages = NULL;
}

/** One value of a document is none. */
static bool is_document(const struct output *output)
{
	return renderers[output->format].document && !output->get;
}

/** A document is one with or without a banner before it. */
static bool is_plain(const struct output *output)
{
	return output->get || (output->plain && !is_document(output));
}

/** Messages are with the results in documents, and in text as the reference tool has them. */
static bool messages_inside(const struct output *output)
{
	return is_document(output) || (output->reference && !is_plain(output));
}

FILE *output_result(const struct output *output)
{
	if (output->file)
		return output->file;
	return output->reference && !is_plain(output) ? stderr : stdout;
}

static FILE *now(FILE *stream, const struct nowait_stream *nowait)
{
	return nowait ? nowait_stream_file(nowait) : stream;
}

FILE *output_trace(const struct output *output)
{
	return output->reference ? now(stdout, output->nowait_output)
				 : now(stderr, output->nowait_messages);
}

FILE *output_progress(const struct output *output)
{
	return is_document(output) ? NULL : now(stderr, output->nowait_messages);
}

struct nowait_stream *output_nowait(const struct output *output)
{
	return is_document(output) && output->reference ? output->nowait_output
							: output->nowait_messages;
}

void output_banner(struct output *output, unsigned int model, const char *emulated, bool note)
{
	bool banner = !is_plain(output) && (output->reference || !is_document(output));
	FILE *stream = output->reference ? stdout : output_result(output);

	if (stream == stdout)
		stream = now(stream, output->nowait_output);
	if (banner) {
		fputs("Intel(R) Speed Select Technology\n", stream);
		fprintf(stream, "Executing on CPU model:%u[0x%x]\n", model, model);
	}
	if (!banner && note)
		stream = now(stderr, output->nowait_messages);
	if (emulated && (banner || note)) {
		/* Piece by piece: an emulated machine is never passed over for lack of memory. */
		fputs("Emulated machine: ", stream);
		write_printable(emulated, "", stream);
		fputc('\n', stream);
	}
	/* It comes first also where --out names the file behind the standard stream. */
	if (banner && output->file && stream != output->file)
		fflush(stream);
}

/** Reports that the result is lost. @path: where it was to go; NULL: a standard stream. */
static enum exit_status report_lost_output(const struct output *output, const char *path,
					   const char *why, enum exit_status status)
{
	if (output->changed) {
		fputs("Error: the change was made, but its result could not be written: ", stderr);
		write_printable(path ? path : "", "", stderr);
		fprintf(stderr, "%s%s\n", path ? ": " : "", why);
	} else {
		fputs("Error: cannot write ", stderr);
		write_printable(path ? path : "the result", "", stderr);
		fprintf(stderr, ": %s\n", why);
	}
	return status_worse(status, STATUS_FAILED);
}

/** The first error counts: what fails later is mostly its consequence, or has no errno at all. */
static void write_all(struct output *output, const char *text, size_t size, FILE *stream)
{
	errno = 0;
	if (fwrite(text, 1, size, stream) != size && !output->write_error)
		output->write_error = errno ? errno : EIO;
}

/** @asked_for: it is the result; anything else is not missed if standard error was closed. */
static enum exit_status flush_stream(struct output *output, FILE *stream, bool asked_for,
				     enum exit_status status)
{
	if (!asked_for && stream == stderr && output->closed[STDERR_FILENO])
		return status;
	errno = 0;
	if ((fflush(stream) != 0 || ferror(stream)) && !output->write_error)
		output->write_error = errno ? errno : EIO;
	if (!output->write_error)
		return status;
	return report_lost_output(output, stream == output->file ? output->path : NULL,
				  fileno(stream) == STDOUT_FILENO && output->closed[STDOUT_FILENO]
					  ? "standard output is closed"
					  : strerror(output->write_error),
				  status);
}

enum exit_status output_text(struct output *output, const char *text, size_t size)
{
	write_all(output, text, size, stdout);
	return flush_stream(output, stdout, true, STATUS_DONE);
}

static struct page page_for(const struct output *output, const struct report *report, FILE *stream)
{
	struct page page = page_of(stream, output->colour);

	if (output->reference && !report->screen)
		page.width = 0;
	return page;
}

/** Writes messages to standard error where they would not be seen otherwise, or @always. */
static void write_messages(const struct output *output, const struct report *report, bool always,
			   FILE *stream)
{
	const struct page page = page_for(output, report, stream);

	if (always || !output->reference || output->path || is_plain(output))
		render_messages(report, &page, stream);
}

/** Renders a report, or the value asked for, into memory (its text is to be freed): standard error
 * is unbuffered. @problem: why there is no such value, to be freed. */
static void render(const struct output *output, const struct report *report, bool messages,
		   const struct page *page, struct memory_stream *memory, char **problem)
{
	xcall(memory_stream_open(memory));
	if (output->get)
		render_value(report, output->get, memory->stream, problem);
	else
		render_report(report, output->format, page, messages, memory->stream);
	xcall(memory_stream_close(memory));
}

/** Puts a document into one line: line ends, and the blanks behind them, are in no string. */
static size_t join_lines(char *text)
{
	char *end = text;

	for (const char *from = text; *from; from++) {
		if (*from != '\n') {
			*end++ = *from;
			continue;
		}
		from += strspn(from + 1, " ");
		if (end > text && end[-1] == ',')
			*end++ = ' ';
	}
	*end++ = '\n';
	return (size_t)(end - text);
}

/** Renders to a stream, @event: without a terminal's width, and a document in one line. What fails
 * is remembered. */
static void write_report(struct output *output, const struct report *report, bool messages,
			 bool event, FILE *stream, char **problem)
{
	struct page page = { 0 };
	struct memory_stream memory;

	if (!event)
		page = page_for(output, report, stream);
	render(output, report, messages, &page, &memory, problem);
	write_all(output, memory.text,
		  event && is_document(output) ? join_lines(memory.text) : memory.size, stream);
	free(memory.text);
}

/** Replaces --out as a whole: its readers never see a part. */
static enum exit_status replace_file(struct output *output, const struct report *report,
				     enum exit_status status)
{
	const struct page page = { .columns = 0 };
	struct memory_stream memory;
	int error;

	render(output, report, false, &page, &memory, NULL);
	error = save_file(output->path, memory.text, memory.size);
	free(memory.text);
	if (!error)
		return status;
	return report_lost_output(output, output->path,
				  error == -ESTALE ? "another process replaced it meanwhile"
						   : strerror(-error),
				  status);
}

/** Whether an earlier file is better than this one: nothing was discovered, or named CPUs are
 * gone. */
static bool keeps_file(const struct output *output, const struct report *report,
		       enum exit_status status)
{
	return output->format != FORMAT_OPENMETRICS && status != STATUS_DONE &&
	       (status != STATUS_UNSUPPORTED || output->untargeted) && !report_has_units(report);
}

enum exit_status output_report(struct output *output, struct report *report,
			       enum exit_status status)
{
	bool replaces = output->path && renderers[output->format].file,
	     keeps = replaces && keeps_file(output, report, status);
	FILE *stream = output_result(output);
	char *problem = NULL;

	report->header.exit_status = (int)status;
	if (keeps)
		report_message(report, ENTRY_NOTE, "%s is not written: %s", output->path,
			       output->untargeted ? "the CPUs named are not there"
						  : "nothing could be read");
	if (!replaces) {
		write_report(output, report, messages_inside(output), false, stream, &problem);
		status = flush_stream(output, stream, !output->changing, status);
	} else if (!keeps) {
		status = replace_file(output, report, status);
	}
	/* A file system may report only now that it did not take what was written. */
	if (output->file && fclose(output->file) != 0)
		status = report_lost_output(output, output->path, strerror(errno), status);
	output->file = NULL;
	write_messages(output, report, false, stderr);
	/* A run that failed, or that changed the machine, keeps its status. */
	if (problem) {
		fputs(output->changing ? "Information: " : "Error: ", stderr);
		write_printable(problem, "", stderr);
		fputc('\n', stderr);
		if (status == STATUS_DONE && !output->changing)
			status = STATUS_FAILED;
	}
	free(problem);
	return status;
}

enum exit_status output_event(struct output *output, struct report *report, enum exit_status status)
{
	FILE *stream = output_result(output);

	report->header.exit_status = (int)status;
	write_report(output, report, messages_inside(output), true, stream, NULL);
	write_messages(output, report, false, stderr);
	report_empty(report);
	return flush_stream(output, stream, true, status);
}

enum exit_status output_refusal(struct output *output, struct report *report,
				enum exit_status status)
{
	FILE *stream = is_document(output) && !output->reference ? stdout : stderr;
	int other = output->header.exit_status;

	report->header.exit_status = other ? other : (int)status;
	/* The file that a run did not even begin to write has no place for why. */
	if (!output->get && !renderers[output->format].file)
		write_report(output, report, true, false, stream, NULL);
	else
		write_messages(output, report, true, stream);
	return flush_stream(output, stream, false, status);
}

enum exit_status output_problem(struct output *output, const char *problem, enum exit_status status)
{
	struct report *report = report_new();

	report->header.feature = output->header.feature;
	report->header.command = output->header.command;
	report_message(report, ENTRY_ERROR, "%s", problem);
	report_code(report, status_code(status));
	status = output_refusal(output, report, status);
	report_free(report);
	return status;
}

void output_close(struct output *output)
{
	output_may_wait(output);
	if (output->file)
		fclose(output->file);
	output->file = NULL;
}

/* ---- Formats ---- */

static void print_text(const struct report *report, const struct page *page, bool messages,
		       FILE *stream)
{
	(report->screen ? render_screen : render_text)(report, page, messages, stream);
}

const struct renderer renderers[FORMATS] = {
	[FORMAT_TEXT] = { "text", .print = print_text },
	[FORMAT_JSON] = { "json", make_json, .document = true },
	[FORMAT_JSON_V2] = { "json-v2", make_json_v2, .document = true },
	[FORMAT_OPENMETRICS] = { "openmetrics", .print = render_openmetrics, .file = true,
				 .commands = COMMAND_EXPORTS },
	[FORMAT_NFD] = { "nfd", .print = render_nfd, .file = true, .commands = COMMAND_EXPORTS },
	[FORMAT_FACTS] = { "facts", make_facts, .file = true, .commands = COMMAND_EXPORTS },
};

void render_report(const struct report *report, enum output_format format, const struct page *page,
		   bool messages, FILE *stream)
{
	const struct renderer *renderer = &renderers[format];
	struct json *document;

	if (renderer->print) {
		renderer->print(report, page, messages, stream);
		return;
	}
	document = renderer->make(report, messages);
	json_write(document, stream);
	fputc('\n', stream);
	json_free(document);
}
