/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine_status.h"

#include "../../common/memory_stream.h"
#include "../../common/monotonic.h"
#include "../../common/printable.h"
#include "../process/terminal.h"
#include "../process/xalloc.h"
#include "../render/output.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MS_PER_S = 1000 };

struct watching {
	struct run *run;
	struct output *output;
	void (*ask)(struct run *run);
	FILE *stream;
	unsigned int interval_s;
	bool in_place; /* else screens follow each other */
	struct terminal terminal;
	char clock[16]; /* when the last round began */
	int64_t due_ms; /* when the next one begins */
};

/* ---- A round ---- */

static void take_time(struct watching *watching)
{
	const time_t now = time(NULL);
	struct tm local;

	watching->due_ms = monotonic_ms() + (int64_t)watching->interval_s * MS_PER_S;
	watching->clock[0] = '\0';
	if (localtime_r(&now, &local))
		(void)strftime(watching->clock, sizeof(watching->clock), "%H:%M:%S", &local);
}

/** Makes the next report, with marks. */
static void begin_again(struct watching *watching)
{
	struct run *run = watching->run;
	struct report *before = run->report;
	int changed;

	take_time(watching);
	run->report = report_new();
	run->status = STATUS_DONE;
	run->again = true;
	/* They are found anew: CPUs can be named by what they are now. */
	targets_clear(&run->targets);
	isst_cpuset_free(run->cpus);
	run->cpus = NULL;
	/* Follows CPUs. Each report has the notices of the last discovery. */
	changed = isst_cpus_changed(run->context);
	if (changed > 0)
		changed = isst_discover(run->context);
	run->reported_notices = 0;
	run_report_notices(run);
	run_call(run, changed);
	watching->ask(run);
	run_finish(run);
	/* Modules can come and go while the device is closed. */
	isst_close_device(run->context);
	report_mark_changes(run->report, before);
	report_free(before);
}

/* ---- On a terminal ---- */

/** The first line: what this is, which machine, when, and how it ends. */
static void write_title(const struct watching *watching, unsigned int columns, FILE *stream)
{
	const char *emulated = isst_platform_emulated_name(watching->run->context);
	struct memory_stream memory;
	int blanks;

	xcall(memory_stream_open(&memory));
	fprintf(memory.stream, "%s, every %u s%s", watching->run->request->command->name,
		watching->interval_s, watching->in_place ? "; q quits" : "");
	if (emulated) {
		fputs("; emulated machine: ", memory.stream);
		write_printable(emulated, "", memory.stream);
	}
	xcall(memory_stream_close(&memory));
	blanks = (int)columns - (int)strlen(memory.text) - (int)strlen(watching->clock);
	fprintf(stream, "%s%*s%s\n", memory.text, blanks > 1 ? blanks : 1, "", watching->clock);
	free(memory.text);
}

/** Shows the last report in the present size of the terminal. */
static enum terminal_event draw(struct watching *watching)
{
	const struct page page = page_of(watching->stream, watching->output->colour);
	struct memory_stream text, screen;
	enum terminal_event event;
	unsigned int lines;

	xcall(memory_stream_open(&text));
	write_title(watching, page.columns, text.stream);
	render_screen(watching->run->report, &page, true, text.stream);
	xcall(memory_stream_close(&text));
	xcall(memory_stream_open(&screen));
	lines = frame_write(text.text, &page, screen.stream);
	xcall(memory_stream_close(&screen));
	free(text.text);
	event = terminal_show(&watching->terminal, screen.text, screen.size, lines);
	free(screen.text);
	return event;
}

/** Waits until the next round is due, or something else has to be done. */
static enum terminal_event wait_for_event(struct watching *watching)
{
	enum terminal_event event = TERMINAL_TIMEOUT;
	int64_t rest_ms = watching->due_ms - monotonic_ms();

	while (event == TERMINAL_TIMEOUT && rest_ms > 0) {
		event = terminal_wait(&watching->terminal, (int)rest_ms);
		rest_ms = watching->due_ms - monotonic_ms();
	}
	/* A machine that takes longer than the interval must not keep keys from being seen. */
	return event == TERMINAL_TIMEOUT ? terminal_wait(&watching->terminal, 0) : event;
}

static enum exit_status watch_terminal(struct watching *watching)
{
	enum terminal_event event = TERMINAL_REDRAW; /* the first report is there */
	int error = terminal_open(&watching->terminal, fileno(watching->stream));

	if (error) {
		fprintf(stderr, "Error: cannot watch: %s\n", strerror(-error));
		return STATUS_FAILED;
	}
	watching->in_place = true;
	do {
		if (event == TERMINAL_TIMEOUT)
			begin_again(watching);
		event = draw(watching);
		if (event == TERMINAL_TIMEOUT)
			event = wait_for_event(watching);
	} while (event == TERMINAL_TIMEOUT || event == TERMINAL_REDRAW);
	terminal_close(&watching->terminal);
	if (event == TERMINAL_CLOSED)
		fputs("Error: cannot write the result: the terminal is gone\n", stderr);
	watching->run->signals.arrived = watching->terminal.ended_by;
	return event != TERMINAL_CLOSED ? watching->run->status : STATUS_FAILED;
}

/* ---- Elsewhere ---- */

/** Writes screens until that fails; signals have their usual effect. */
static enum exit_status watch_stream(struct watching *watching)
{
	struct run *run = watching->run;
	enum exit_status status;

	for (;;) {
		struct timespec rest;
		int64_t rest_ms;

		write_title(watching, 0, watching->stream);
		status = output_report(watching->output, run->report, run->status);
		if (watching->output->write_error)
			return status;
		rest_ms = watching->due_ms - monotonic_ms();
		rest.tv_sec = rest_ms / MS_PER_S;
		rest.tv_nsec = rest_ms % MS_PER_S * NS_PER_MS;
		if (rest_ms > 0)
			(void)nanosleep(&rest, NULL);
		fputc('\n', watching->stream);
		begin_again(watching);
	}
}

enum exit_status rounds_run(struct run *run, struct output *output, void (*ask)(struct run *run))
{
	struct watching watching = {
		.run = run,
		.output = output,
		.ask = ask,
		.stream = output_result(output),
		.interval_s = (unsigned int)request_number(run->request, OPTION_WATCH),
	};
	struct level_memory memory = { 0 };
	enum exit_status status;

	run->level_memory = &memory;
	take_time(&watching);
	ask(run);
	run_finish(run);
	isst_close_device(run->context);
	status = terminal_can_show(fileno(watching.stream)) ? watch_terminal(&watching)
							    : watch_stream(&watching);
	isst_results_free(memory.properties);
	isst_results_free(memory.buckets);
	isst_results_free(memory.base_freq);
	run->level_memory = NULL;
	return status;
}
