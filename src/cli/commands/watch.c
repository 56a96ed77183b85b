/* SPDX-License-Identifier: BSD-3-Clause */
#include "isst-explain.h"
#include "watcher.h"

#include "../../common/memory_stream.h"
#include "../../common/monotonic.h"
#include "../process/service.h"
#include "../process/xalloc.h"
#include "../run/config.h"
#include "../run/machine.h"
#include "../run/reading.h"
#include "../text/utc.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

enum {
	MS_PER_S = 1000,
	INTERVAL_S = 2,
	INTERVAL_WITH_EVENTS_S = 10,
	WHOLE_S = 30,
	WHOLE_SHARE = 20000, /* of the time, for looks at everything: one of so many */
	MOST_WHOLES = 10,
	/* Modules and CPUs come one after the other, and an open device blocks the next module. */
	SETTLE_MS = 1000,
	/* The clock that goes on during a suspend is ahead of the other one by so much more. */
	RESUME_MS = 500,
	SIGNALS = 0,
	TIMER,
	RESULT,
	EVENTS,
	DESCRIPTORS,
};

struct watch {
	struct run *run;
	struct output *output;
	struct watcher watcher;
	struct pollfd polled[DESCRIPTORS];
	struct isst_events *events;
	struct daemon daemon;
	bool has_events;      /* of levels */
	int64_t suspended_ms; /* since boot */
	bool ready, ended;
	int result;
	bool logs; /* its lines go to the system log as well */
};

/* ---- Reports ---- */

/** What people read, behind the time. */
static char *line_of(const struct watch_report *report)
{
	struct memory_stream line;

	xcall(memory_stream_open(&line));
	fprintf(line.stream, "%s: ", report->target);
	if (report->wanted)
		fprintf(line.stream, "%s is wanted, %s it is %s", report->wanted,
			strcmp(report->wanted, report->present) == 0 ? "and" : "but",
			report->present);
	else if (report->old && report->present)
		fprintf(line.stream, "%s -> %s", report->old, report->present);
	else
		fputs(report->event, line.stream);
	if (report->cause)
		fprintf(line.stream, " (%s)", report->cause);
	return xcheck(memory_stream_text(&line));
}

static void print_report(void *data, const struct watch_report *what)
{
	struct watch *watch = data;
	struct run *run = watch->run;
	struct report_node *node = report_section(run->report, KEY_WATCH);
	char *line = line_of(what), text[UTC_TEXT];

	if (utc_text(time(NULL), text))
		report_text(node, KEY_WATCH_TIME, text);
	report_word(node, KEY_WATCH_EVENT, what->event);
	report_text(node, KEY_WATCH_TARGET, what->target);
	if (what->wanted)
		report_text(node, KEY_WATCH_WANTED, what->wanted);
	if (what->old)
		report_text(node, KEY_WATCH_OLD, what->old);
	if (what->present)
		report_text(node, KEY_WATCH_NEW, what->present);
	if (what->cause)
		report_text(node, KEY_WATCH_CAUSE, what->cause);
	report_text(node, KEY_WATCH_LINE, line);
	if (watch->logs)
		syslog(LOG_NOTICE, "isst: watch: %s", line);
	if (watch->ready)
		(void)notify_manager("STATUS=%s", line);
	free(line);
	run->status = output_event(watch->output, run->report, run->status);
}

/* ---- Waiting ---- */

static int open_descriptors(struct watch *watch)
{
	sigset_t set;

	sigemptyset(&set);
	signals_fatal(&set);
	watch->polled[SIGNALS].fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	watch->polled[TIMER].fd = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
	if (watch->polled[SIGNALS].fd < 0 || watch->polled[TIMER].fd < 0)
		return -errno;
	/* Of the result errors alone: no process reads it any more. */
	watch->polled[RESULT].fd = watch->result;
	watch->polled[EVENTS].fd = isst_events_descriptor(watch->events);
	for (size_t i = 0; i < DESCRIPTORS; i++)
		watch->polled[i].events = i == RESULT ? 0 : POLLIN;
	return 0;
}

/** A signal that ends the run, or SIGHUP: an administrator wants all to be looked at. */
static void take_signals(struct watch *watch)
{
	struct signalfd_siginfo signal;

	while (read(watch->polled[SIGNALS].fd, &signal, sizeof(signal)) == sizeof(signal)) {
		int number = (int)signal.ssi_signo;

		if (signals_ignored(number))
			continue;
		if (number == SIGHUP) {
			if (watch->ready)
				(void)notify_reloading();
			watcher_forgive(&watch->watcher);
			watcher_suspect(&watch->watcher, clock_ms(CLOCK_BOOTTIME), 0);
			if (watch->ready)
				(void)notify_manager("READY=1");
			continue;
		}
		watch->ended = true;
		/* These two are how it is ended, and no failure. */
		if (number != SIGTERM && number != SIGINT)
			watch->run->signals.arrived = number;
	}
}

static int wait_for_look(struct watch *watch)
{
	int64_t due_ms = watch->watcher.due_ms;
	const struct itimerspec at = { .it_value = { .tv_sec = due_ms / MS_PER_S,
						     .tv_nsec = due_ms % MS_PER_S * NS_PER_MS } };
	int64_t suspended_ms;
	uint64_t count;
	int events;

	if (timerfd_settime(watch->polled[TIMER].fd, TFD_TIMER_ABSTIME, &at, NULL) != 0 ||
	    (poll(watch->polled, DESCRIPTORS, -1) < 0 && errno != EINTR))
		return -errno;
	if (watch->polled[TIMER].revents)
		(void)!read(watch->polled[TIMER].fd, &count, sizeof(count));
	if (watch->polled[RESULT].revents & (POLLERR | POLLHUP)) {
		run_error(watch->run, STATUS_FAILED, "cannot write the result: %s",
			  strerror(EPIPE));
		return 0;
	}
	/* After a resume everything may be other than before. */
	suspended_ms = clock_ms(CLOCK_BOOTTIME) - clock_ms(CLOCK_MONOTONIC);
	if (suspended_ms - watch->suspended_ms > RESUME_MS)
		watcher_suspect(&watch->watcher, clock_ms(CLOCK_BOOTTIME), 0);
	watch->suspended_ms = suspended_ms;
	take_signals(watch);
	events = watch->polled[EVENTS].revents ? isst_events_take(watch->events) : 0;
	if (events & ISST_EVENT_DEVICES)
		watcher_suspect(&watch->watcher, clock_ms(CLOCK_BOOTTIME), SETTLE_MS);
	if (events & ISST_EVENT_CHANGE)
		watcher_hint(&watch->watcher, clock_ms(CLOCK_BOOTTIME));
	return 0;
}

/* ---- --oob of the kernel tree's tool: lines that scripts know, and a daemon ---- */

/** Prints how --oob runs, and becomes a daemon. Returns false after an error. */
static bool begin_oob(struct watch *watch)
{
	struct run *run = watch->run;
	const struct request *request = run->request;
	int error;

	if (!request_has(request, OPTION_OOB))
		return true;
	/* `online cpu N`: written with the report that follows. */
	run->progress = output_result(watch->output);
	if (request_has(request, OPTION_DEBUG))
		fputs("OOB mode is enabled in debug mode\n", stderr);
	/* As the reference tool decides it. */
	if (request_has(request, OPTION_DEBUG) || request_has(request, OPTION_NO_DAEMON) ||
	    request_has(request, OPTION_POLL_INTERVAL))
		return true;
	fputs("OOB mode is enabled and will run as daemon\n", stderr);
	error = daemon_start(&watch->daemon);
	if (error)
		run_error(run, STATUS_FAILED, "cannot start a daemon: %s", strerror(-error));
	return error == 0;
}

/** Prints that events are used, and lets the parent of a daemon end. Returns false after an error.
 */
static bool make_oob_ready(struct watch *watch)
{
	struct run *run = watch->run;
	FILE *stream = output_result(watch->output);
	int error;

	if (!request_has(run->request, OPTION_OOB))
		return true;
	/* Scripts change the level as soon as they see it. */
	if (watch->has_events &&
	    (fputs("hfi is initialized\n", stream) < 0 || fflush(stream) != 0)) {
		run_error(run, STATUS_FAILED, "cannot write the result: %s", strerror(errno));
		return false;
	}
	/* The files of an emulated machine may be named as seen from the working directory. */
	error = daemon_ready(&watch->daemon,
			     isst_platform_emulated_name(run->context) ? NULL : "/");
	if (error)
		run_error(run, STATUS_FAILED, "cannot go on as a daemon: %s", strerror(-error));
	return error == 0;
}

/* ---- All of it ---- */

static bool is_over(const struct watch *watch)
{
	return watch->ended || watch->run->status != STATUS_DONE ||
	       (request_has(watch->run->request, OPTION_UNTIL_DIFFERENT) &&
		watch->watcher.differences > 0);
}

/** Looks, and keeps looks at everything, which read thousands of files, below 0.005 % of a CPU. */
static void look_at_machine(struct watch *watch)
{
	struct watcher *watcher = &watch->watcher;
	int64_t begin_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID), whole_due_ms = watcher->whole_due_ms;
	int64_t now = clock_ms(CLOCK_BOOTTIME), pause_ms;

	watcher_look(watcher, now);
	pause_ms = (clock_ns(CLOCK_PROCESS_CPUTIME_ID) - begin_ns) * WHOLE_SHARE / NS_PER_MS;
	if (pause_ms > MOST_WHOLES * watcher->whole_ms)
		pause_ms = MOST_WHOLES * watcher->whole_ms;
	if (watcher->whole_due_ms != whole_due_ms && watcher->whole_due_ms < now + pause_ms)
		watcher->whole_due_ms = now + pause_ms;
}

static int watch_until_over(struct watch *watch)
{
	struct run *run = watch->run;
	int error = 0;

	while (!error && !is_over(watch)) {
		look_at_machine(watch);
		if (!watch->ready && watcher_is_settled(&watch->watcher)) {
			/* What is known by now is not kept for the first change. */
			if (watch->output->format == FORMAT_TEXT ||
			    report_next_message(run->report, NULL))
				run->status = output_event(watch->output, run->report, run->status);
			watch->ready = true;
			if (make_oob_ready(watch))
				(void)notify_manager("READY=1\nSTATUS=watching");
		}
		if (!is_over(watch))
			error = wait_for_look(watch);
	}
	return error;
}

static struct isst_context *open_again(void *data, char **problem)
{
	struct run *run = data;
	struct isst_options *options = run_options(run->request);
	struct isst_context *context;

	isst_options_set_interrupted(options, run_is_interrupted, run);
	isst_options_set(options, ISST_OPTION_SYSTEM_LOG, 1);
	(void)machine_open(run->request, options, &context, problem);
	return context;
}

static enum exit_status end(struct watch *watch, int error)
{
	struct run *run = watch->run;

	(void)notify_manager("STOPPING=1");
	if (error)
		run_error(run, STATUS_FAILED, "cannot watch: %s", strerror(-error));
	if (watch->watcher.differences > 0 && request_has(run->request, OPTION_UNTIL_DIFFERENT))
		run->status = status_worse(run->status, STATUS_FAILED);
	watcher_clear(&watch->watcher);
	for (size_t i = 0; i < RESULT; i++)
		if (watch->polled[i].fd >= 0)
			close(watch->polled[i].fd);
	isst_events_close(watch->events);
	return report_next_message(run->report, NULL)
		       ? output_event(watch->output, run->report, run->status)
		       : run->status;
}

static int begin(struct watch *watch)
{
	const struct request *request = watch->run->request;
	unsigned int interval_s = request_number(request, OPTION_INTERVAL);
	bool acts = request_has(request, OPTION_FOLLOW) || request_has(request, OPTION_APPLY);
	sigset_t hangup;
	int error = 0;

	/* It is no reason to end an action. */
	sigemptyset(&hangup);
	sigaddset(&hangup, SIGHUP);
	if (acts ? !reserve_machine(watch->run, false)
		 : (error = signals_block(&watch->run->signals)) != 0)
		return error;
	error = signals_block_others(&watch->run->signals, &hangup);
	if (!error && !request_has(request, OPTION_NO_EVENTS)) {
		/* Without them it looks more often. */
		watch->has_events = isst_events_open(watch->run->context, 0, &watch->events) ==
				    ISST_EVENT_CHANGE;
		isst_close_device(watch->run->context);
	}
	if (!interval_s)
		interval_s = watch->has_events ? INTERVAL_WITH_EVENTS_S : INTERVAL_S;
	watch->watcher.interval_ms = (int64_t)interval_s * MS_PER_S;
	watch->watcher.whole_ms = (int64_t)(interval_s > WHOLE_S ? interval_s : WHOLE_S) * MS_PER_S;
	return error ? error : open_descriptors(watch);
}

static enum exit_status refuse(const struct watch *watch)
{
	struct run *run = watch->watcher.run;

	run_finish(run);
	return output_report(watch->output, run->report, run->status);
}

enum exit_status watch_machine(struct run *run, struct output *output)
{
	struct watch watch = {
		.run = run,
		.output = output,
		.watcher = { .run = run,
			     .open = open_again,
			     .open_data = run,
			     .file = run->config,
			     .report = print_report,
			     .report_data = &watch },
		.daemon = { .ready = -1 },
		.polled = { [SIGNALS].fd = -1, [TIMER].fd = -1 },
		.result = output->file	      ? fileno(output->file)
			  : output->reference ? STDERR_FILENO
					      : STDOUT_FILENO,
		.suspended_ms = clock_ms(CLOCK_BOOTTIME) - clock_ms(CLOCK_MONOTONIC),
	};
	int error;

	if ((run->config && !config_matches(run)) ||
	    (request_has(run->request, OPTION_CPU) &&
	     !(run->cpus = named_cpus_find(run, &run->request->options.cpus))))
		return refuse(&watch);
	watch.watcher.cpus = run->cpus;
	if (!begin_oob(&watch) ||
	    !((!request_has(run->request, OPTION_FOLLOW) ||
	       run_call(run, isst_claim(run->context, "watch-follow.pid")) == 0) &&
	      (!request_has(run->request, OPTION_APPLY) ||
	       run_call(run, isst_claim(run->context, "watch-apply.pid")) == 0)))
		return refuse(&watch);
	/* The system log is about the system's machine. What goes to the journal is in it already;
	 * the output of a daemon may be nowhere. */
	watch.logs = !isst_platform_emulated_name(run->context) &&
		     (!notify_is_journal(watch.result) || watch.daemon.ready >= 0);
	watcher_begin(&watch.watcher);
	error = begin(&watch);
	reserve_drop_privileges(run, output);
	if (!error && run->status == STATUS_DONE)
		error = watch_until_over(&watch);
	return end(&watch, error);
}
