/* SPDX-License-Identifier: BSD-3-Clause */
#include "run.h"

#include "../process/confirmation.h"
#include "../process/privileges.h"
#include "../process/program.h"
#include "../process/xalloc.h"
#include "../render/output.h"
#include "../text/wrap.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* ---- The lock, signals and privileges ---- */

/* Programs wait 10 seconds for a command: the holder of the lock is reported before. */
enum { LOCK_TIMEOUT_MS = 9000, QUIET_MS = 300 };

static int take_lock(struct run *run)
{
	unsigned int timeout_ms = LOCK_TIMEOUT_MS;
	int error;

	if (request_has(run->request, OPTION_LOCK_TIMEOUT))
		timeout_ms = request_number(run->request, OPTION_LOCK_TIMEOUT) * 1000;
	if (timeout_ms <= QUIET_MS)
		return isst_lock(run->context, timeout_ms, 0);
	error = isst_lock(run->context, QUIET_MS, 0);
	if (error != -EBUSY)
		return error;
	/* A document has no place for what is over when it is printed. */
	if (run->progress)
		run_progress(run, "waiting for up to %u s: %s", timeout_ms / 1000,
			     isst_error(run->context));
	return isst_lock(run->context, timeout_ms - QUIET_MS, 0);
}

/** What a run waits for itself while it holds a change is not to end it. */
static int block_signals(struct run *run)
{
	sigset_t others;
	int error = signals_block(&run->signals);

	if (error || !(run->request->command->flags & COMMAND_HOLDS))
		return error;
	sigemptyset(&others);
	if (run->program)
		program_signals(&others);
	else
		confirmation_signals(&others);
	return signals_block_others(&run->signals, &others);
}

bool reserve_machine(struct run *run, bool lock)
{
	struct rlimit limit;
	int error;

	/* A change without descriptors left could not be rolled back. Not vital: a run reports
	 * that limit. */
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur != limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max;
		(void)setrlimit(RLIMIT_NOFILE, &limit);
	}
	error = isst_check_privileges(run->context);
	if (error) {
		/* Scripts look for the first two words. */
		run_error(run, status_of_error(error), "Insufficient privileges: %s",
			  isst_error(run->context));
		return false;
	}
	error = block_signals(run);
	if (error) {
		run_error(run, STATUS_FAILED, "cannot block signals: %s", strerror(-error));
		return false;
	}
	return !lock || run_driver_call(run, take_lock(run)) == 0;
}

void reserve_drop_privileges(struct run *run, struct output *output)
{
	bool saves = run->request->command->flags & COMMAND_HAS_TARGET && run->request->operand;
	enum privileges_use use = PRIVILEGES_READ;
	int error;

	if (run_is_change(run) || request_has(run->request, OPTION_FOLLOW) ||
	    request_has(run->request, OPTION_APPLY))
		use = PRIVILEGES_CHANGE;
	else if (run->request->command->flags & COMMAND_REGISTERS)
		use = PRIVILEGES_REGISTERS;
	/* To a file in a directory of another user root writes by its capabilities. */
	if (output->path && renderers[output->format].file)
		saves = true;
	error = saves && !privileges_borrowed() ? privileges_gain_none() : privileges_drop(use);
	if (error && request_has(run->request, OPTION_DEBUG))
		fprintf(output_trace(output), "cannot drop capabilities: %s\n", strerror(-error));
	/* Where there are no filters the run is as good without. */
	(void)privileges_deny_calls();
}

/* ---- Errors, notes and progress ---- */

bool run_is_change(const struct run *run)
{
	if (request_has(run->request, OPTION_DRY_RUN))
		return false;
	return run->request->command->flags & COMMAND_CHANGES ||
	       request_has(run->request, OPTION_ALL_ONLINE);
}

int run_is_interrupted(void *data)
{
	struct run *run = data;

	/* Not asked after the last write: one that arrives later did not end the change. */
	if (!run->interrupted_by)
		run->interrupted_by = signals_arrived(&run->signals);
	return run->interrupted_by != NULL;
}

/** Reports a message, which is freed, once: what several results need fails for each of them. */
static struct report_entry *report_once(struct run *run, enum entry_kind kind, char *message,
					const char *code)
{
	struct report_entry *entry = report_find_message(run->report, kind, message);

	if (!entry) {
		report_message(run->report, kind, "%s", message);
		report_code(run->report, code);
		entry = run->report->last;
	}
	free(message);
	return entry;
}

/** Adds the place of a message of the library, if it has one. */
static void place_entry(struct run *run, struct report_entry *entry,
			const struct isst_message *message)
{
	const struct isst_domain *domain = isst_message_domain(message);
	struct report_step path[REPORT_PATH_STEPS];
	unsigned int package;
	size_t steps = 0;

	if (domain)
		steps = domain_path(domain, run->context, path);
	else if (isst_message_package(message, &package) == 0)
		path[steps++] = (struct report_step){ &keys[KEY_PACKAGE], package };
	if (steps > 0 || isst_message_cpus(message))
		report_place_message(entry, path, steps, isst_message_cpus(message));
}

/** Adds what a failure is about: the domain and CPU of its result, or what its message has. */
static void place_failure(struct run *run, struct report_entry *entry, struct failure failure)
{
	const struct isst_domain *domain = isst_result_domain(failure.of);
	const struct isst_cpu *cpu = isst_result_cpu(failure.of);
	struct report_step path[REPORT_PATH_STEPS];
	struct isst_cpuset *cpus = NULL;

	place_entry(run, entry, failure.about);
	if (!domain && cpu)
		domain = isst_cpu_domain(cpu);
	if (!domain)
		return;
	if (cpu) {
		cpus = xcheck(isst_cpuset_new());
		xcall(isst_cpuset_add(cpus, isst_cpu_number(cpu), isst_cpu_number(cpu)));
	}
	report_place_message(entry, path, domain_path(domain, run->context, path), cpus);
	isst_cpuset_free(cpus);
}

void run_message(struct run *run, enum entry_kind kind, const struct isst_message *message,
		 const char *more)
{
	report_message(run->report, kind, "%s%s", isst_message_text(message), more);
	report_code(run->report, isst_message_code_name(isst_message_code(message)));
	place_entry(run, run->report->last, message);
}

void run_message_error(struct run *run, int error, const struct isst_message *message)
{
	run_failure(run, (struct failure){ .error = error,
					   .message = isst_message_text(message),
					   .about = message });
}

const char *run_cause(const struct run *run, int error)
{
	const char *cause = isst_error(run->context);

	return *cause ? cause : strerror(-error);
}

int run_call(struct run *run, int error)
{
	if (!error)
		return 0;
	run->status = status_worse(run->status, status_of_error(error));
	place_entry(run,
		    report_once(run, ENTRY_ERROR,
				xasprintf("%s%s%s", run->interrupted_by ? run->interrupted_by : "",
					  run->interrupted_by ? ": " : "", run_cause(run, error)),
				run->interrupted_by ? "interrupted" : error_code(error)),
		    isst_error_message(run->context));
	return error;
}

int run_driver_call(struct run *run, int error)
{
	bool unknown = error == -EOPNOTSUPP &&
		       isst_platform_fact(run->context, ISST_FACT_INTEL) > 0;

	return run_call(run, unknown ? -ENODEV : error);
}

void run_not_asked(struct run *run, int error)
{
	run_error(run, STATUS_FAILED, "%s", run_cause(run, error));
}

struct failure failure_of(const struct isst_result *result, int part)
{
	return (struct failure){ .error = isst_result_error(result, part),
				 .message = isst_result_message(result, part),
				 .more = isst_result_more_errors(result, part),
				 .of = result };
}

/** That something is not supported has a code of its own also in a note. */
static void report_failure(struct run *run, enum entry_kind kind, struct failure failure)
{
	char *message = failure.more > 0
				? xasprintf("%s (and %u more)", failure.message, failure.more)
				: xstrdup(failure.message);

	place_failure(run, report_once(run, kind, message, error_code(failure.error)), failure);
}

void run_failure(struct run *run, struct failure failure)
{
	if (!failure.error)
		return;
	run->status = status_worse(run->status, status_of_error(failure.error));
	report_failure(run, ENTRY_ERROR, failure);
}

void run_note(struct run *run, struct failure failure)
{
	report_failure(run, ENTRY_NOTE, failure);
}

bool run_result(struct run *run, struct failure failure, bool first)
{
	if (!failure.error)
		return true;
	if (first && failure.error == -EOPNOTSUPP) {
		run_unsupported(run, "%s", failure.message);
		place_failure(run, run->report->last, failure);
	} else if (first)
		run_failure(run, failure);
	return false;
}

void run_error(struct run *run, enum exit_status status, const char *format, ...)
{
	va_list arguments;
	char *message;

	va_start(arguments, format);
	message = xvasprintf(format, arguments);
	va_end(arguments);
	report_once(run, ENTRY_ERROR, message, status_code(status));
	run->status = status_worse(run->status, status);
}

const char *run_processor_name(struct run *run)
{
	const char *name = isst_platform_name(run->context);

	if (!name && errno)
		report_once(run, ENTRY_NOTE,
			    xasprintf("cannot read the name of the processor: %s",
				      isst_error(run->context)),
			    status_code(STATUS_FAILED));
	return name;
}

void run_finish(struct run *run)
{
	bool error = run->targets.named || !report_has_units(run->report);
	size_t count = report_resolve_unsupported(run->report, error ? ENTRY_ERROR : ENTRY_NOTE);

	if (error && count > 0)
		run->status = status_worse(run->status, STATUS_UNSUPPORTED);
	report_fold_messages(run->report, run->context);
}

void run_note_unchanged(struct run *run, const char *why)
{
	bool recovered = isst_platform_fact(run->context, ISST_FACT_RECOVERED) > 0;

	/* The rollback was a change, and is reported already. */
	report_message(run->report, ENTRY_NOTE, "%s: %s",
		       recovered ? "nothing else was changed" : "unchanged", why);
	report_code(run->report, recovered ? "recovered" : "unchanged");
}

void run_progress(struct run *run, const char *format, ...)
{
	va_list arguments;
	char *line;

	va_start(arguments, format);
	line = xvasprintf(format, arguments);
	va_end(arguments);
	if (!run->progress) {
		report_message(run->report, ENTRY_PROGRESS, "%s", line);
	} else if (run->columns > 0) {
		wrap_line(line, run->columns, 0, run->progress);
		fputc('\n', run->progress);
	} else {
		fprintf(run->progress, "%s\n", line);
	}
	free(line);
}

void run_count(struct run *run, const char *state, unsigned int done, unsigned int count)
{
	if (count == 0 && !run->counting)
		return;
	run->counting = state;
	fputs("\r\033[K", run->progress);
	if (state)
		fprintf(run->progress, "Taking CPUs %s: %u of %u", state, done, count);
	fflush(run->progress);
}

struct isst_options *run_options(const struct request *request)
{
	struct isst_options *options = xcheck(isst_options_new());

	isst_options_set(options, ISST_OPTION_TRIES, request_number(request, OPTION_RETRY));
	isst_options_set(options, ISST_OPTION_PAUSE_MS, request_number(request, OPTION_PAUSE));
	return options;
}

void run_report_notices(struct run *run)
{
	const struct isst_message *notice;

	while ((notice = isst_notice_at(run->context, run->reported_notices)) != NULL) {
		run_message(run, ENTRY_NOTE, notice, "");
		run->reported_notices++;
	}
}
