/* SPDX-License-Identifier: BSD-3-Clause */
#include "run.h"

#include "../../common/suggest.h"
#include "../process/confirmation.h"
#include "../process/privileges.h"
#include "../process/program.h"
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

/** Reports a message once: what several results need fails for each of them. */
static struct report_entry *report_once(struct run *run, enum entry_kind kind, char *message,
					const char *code)
{
	const char *text = message ? message : "out of memory";
	struct report_entry *entry = report_find_message(run->report, kind, text);

	if (!entry) {
		report_message(run->report, kind, "%s", text);
		report_code(run->report, code);
		entry = run->report->last;
	}
	free(message);
	return entry;
}

/** Adds the domain and CPU of the result that a message is about. */
static void place_failure(struct run *run, struct report_entry *entry, struct failure failure)
{
	const struct isst_domain *domain = isst_result_domain(failure.of);
	const struct isst_cpu *cpu = isst_result_cpu(failure.of);
	struct report_step path[REPORT_PATH_STEPS];
	unsigned int number;

	if (!domain && cpu)
		domain = isst_cpu_domain(cpu);
	if (!domain)
		return;
	number = cpu ? isst_cpu_number(cpu) : 0;
	report_place_message(run->report, entry, path, domain_path(domain, run->context, path),
			     cpu ? &number : NULL);
}

int run_call(struct run *run, int error)
{
	const char *cause;
	char *message;

	if (!error)
		return 0;
	cause = isst_error(run->context);
	run->status = status_worse(run->status, status_of_error(error));
	if (asprintf(&message, "%s%s%s", run->interrupted_by ? run->interrupted_by : "",
		     run->interrupted_by ? ": " : "", *cause ? cause : strerror(-error)) < 0)
		message = NULL;
	report_once(run, ENTRY_ERROR, message,
		    run->interrupted_by ? "interrupted" : error_code(error));
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
	if (error == -ENOMEM)
		run_no_memory(run);
	else
		run_error(run, STATUS_FAILED, "%s", isst_error(run->context));
}

struct isst_targets *targets_or_error(struct run *run, struct isst_targets *targets, int error)
{
	if (!error)
		return targets;
	isst_targets_free(targets);
	run_not_asked(run, error);
	return NULL;
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
	char *message;
	int length = failure.more > 0
			     ? asprintf(&message, "%s (and %u more)", failure.message, failure.more)
			     : asprintf(&message, "%s", failure.message);

	place_failure(
		run, report_once(run, kind, length < 0 ? NULL : message, error_code(failure.error)),
		failure);
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
	if (vasprintf(&message, format, arguments) < 0)
		message = NULL;
	va_end(arguments);
	report_once(run, ENTRY_ERROR, message, status_code(status));
	run->status = status_worse(run->status, status);
}

void run_no_memory(struct run *run)
{
	run_error(run, STATUS_FAILED, "%sout of memory",
		  run->changed ? "the change was made, but its result could not be written: " : "");
}

const char *run_processor_name(struct run *run)
{
	const char *name = isst_platform_name(run->context);
	char *message;

	if (!name && errno == ENOMEM)
		run_no_memory(run);
	else if (!name && errno)
		report_once(run, ENTRY_NOTE,
			    asprintf(&message, "cannot read the name of the processor: %s",
				     isst_error(run->context)) < 0
				    ? NULL
				    : message,
			    status_code(STATUS_FAILED));
	return name;
}

/** Messages of changes and configurations name the domain in their text. */
static void place_message(struct run *run, struct report_entry *entry)
{
	const struct isst_domain *domain;
	struct report_step path[REPORT_PATH_STEPS];

	for (size_t i = 0; entry->steps == 0 && (domain = isst_domain_at(run->context, i)); i++) {
		const char *name = isst_domain_name(domain), *at = strstr(entry->message, name);

		if (at && at[strlen(name)] == ':' && (at == entry->message || at[-1] == ' '))
			report_place_message(run->report, entry, path,
					     domain_path(domain, run->context, path), NULL);
	}
}

void run_finish(struct run *run)
{
	bool error = run->targets.named || !report_has_units(run->report);
	size_t count = report_resolve_unsupported(run->report, error ? ENTRY_ERROR : ENTRY_NOTE);

	if (error && count > 0)
		run->status = status_worse(run->status, STATUS_UNSUPPORTED);
	for (struct report_entry *entry = NULL;
	     run->report->v2 && (entry = report_next_message(run->report, entry)) != NULL;)
		place_message(run, entry);
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
	const char *line = "out of memory";
	char *made = NULL;
	va_list arguments;

	va_start(arguments, format);
	if (vasprintf(&made, format, arguments) < 0)
		made = NULL;
	va_end(arguments);
	if (made)
		line = made;
	if (!run->progress)
		report_message(run->report, ENTRY_PROGRESS, "%s", line);
	else if (run->columns > 0 && wrap_line(line, run->columns, 0, run->progress) == 0)
		fputc('\n', run->progress);
	else
		fprintf(run->progress, "%s\n", line);
	free(made);
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
	struct isst_options *options = isst_options_new();

	if (options) {
		isst_options_set(options, ISST_OPTION_TRIES, request_number(request, OPTION_RETRY));
		isst_options_set(options, ISST_OPTION_PAUSE_MS,
				 request_number(request, OPTION_PAUSE));
	}
	return options;
}

void run_report_notices(struct run *run)
{
	const char *notice;

	while ((notice = isst_notice_at(run->context, run->reported_notices)) != NULL) {
		report_message(run->report, ENTRY_NOTE, "%s", notice);
		run->reported_notices++;
	}
}

/* ---- Reading for all targets ---- */

struct isst_targets *domain_targets(struct run *run)
{
	struct isst_targets *targets = isst_targets_new(run->context);
	int error = targets ? 0 : -ENOMEM;

	for (size_t slot = 0; slot < run->targets.domain_count && !error; slot++)
		error = isst_targets_add_domain(targets, run->targets.domains[slot]);
	return targets_or_error(run, targets, error);
}

struct isst_targets *cpu_targets(struct run *run)
{
	struct isst_targets *targets = isst_targets_new(run->context);
	struct isst_cpuset *cpus = isst_cpuset_new();
	int error = targets && cpus ? 0 : -ENOMEM;

	for (size_t i = 0; i < run->targets.unit_count && !error; i++)
		error = isst_cpuset_add(cpus, run->targets.units[i].cpu, run->targets.units[i].cpu);
	if (!error)
		error = isst_targets_add_cpus(targets, cpus);
	isst_cpuset_free(cpus);
	return targets_or_error(run, targets, error);
}

struct isst_results *read_targets(struct run *run, struct isst_targets *targets,
				  const struct question *question)
{
	struct isst_results *results = NULL;
	struct isst_request *request = NULL;
	int error = 0;

	if (!targets)
		return NULL;
	if (question->value && request_has(run->request, question->option)) {
		request = isst_request_new();
		error = request ? isst_request_set(request, question->value,
						   request_number(run->request, question->option))
				: -ENOMEM;
	}
	if (!error)
		error = isst_read(run->context, question->read, targets, request, question->flags,
				  &results);
	/* Where there are results, each has the cause of its failure. */
	if (error == -ENOMEM)
		run_no_memory(run);
	else if (!results)
		run_call(run, error);
	isst_request_free(request);
	isst_targets_free(targets);
	return results;
}

void report_unread(struct run *run, const struct unit *unit, struct failure failure,
		   enum key_id key, const struct shown_value *shown)
{
	struct report_node *node;

	if (!run->report->v2 || !failure.error || failure.error == -EOPNOTSUPP)
		return;
	node = unit_report(unit, run->context, run->report);
	report_hide(node);
	if (key != KEYS)
		report_unknown(node, key);
	for (; key == KEYS && shown->key != KEYS; shown++)
		report_unknown(node, shown->key);
}

void show_domains(struct run *run, const struct question *question)
{
	struct isst_results *results = read_targets(run, domain_targets(run), question);

	for (size_t i = 0; results && i < run->targets.unit_count; i++) {
		const struct unit *unit = &run->targets.units[i];
		const struct isst_result *result = isst_results_at(results, unit->slot);
		struct failure failure = failure_of(result, ISST_PART_RESULT);
		struct report_node *node;

		if (!run_result(run, failure, unit->first)) {
			report_unread(run, unit, failure, question->branch, question->shown);
			continue;
		}
		node = unit_report(unit, run->context, run->report);
		if (question->branch != KEYS)
			node = report_branch(node, question->branch, 0);
		report_values(node, result, question->shown);
	}
	isst_results_free(results);
}

void report_value_at(struct report_node *parent, enum key_id key, const struct isst_result *result,
		     int id, unsigned int row, unsigned int column)
{
	unsigned int value;
	int error = isst_result_value_at(result, id, row, column, &value);

	if (!error)
		report_number(parent, key, value);
	else if (error == -EIO)
		report_unknown(parent, key);
}

const char *feature_state_word(unsigned int state)
{
	static const char *const WORDS[] = {
		[ISST_FEATURE_UNKNOWN] = NULL,
		[ISST_FEATURE_UNSUPPORTED] = "unsupported",
		[ISST_FEATURE_DISABLED] = "disabled",
		[ISST_FEATURE_ENABLED] = "enabled",
	};

	return state < sizeof(WORDS) / sizeof(WORDS[0]) ? WORDS[state] : NULL;
}

static int read_base_mhz(const struct isst_result *level, unsigned int *mhz)
{
	int error = isst_result_value(level, ISST_VALUE_BASE_MHZ, mhz);

	/* Power domains without cores report 0, which is none. */
	if (error != -ENODATA || value_of(level, ISST_VALUE_TDP_RATIO) == 0)
		return error;
	*mhz = value_of(level, ISST_VALUE_TDP_RATIO) * 100;
	return 0;
}

void report_values(struct report_node *parent, const struct isst_result *result,
		   const struct shown_value *row)
{
	static const char *const PRIORITIES[] = {
		[ISST_PRIORITY_PROPORTIONAL] = "proportional", [ISST_PRIORITY_ORDERED] = "ordered"
	};

	for (; row->key != KEYS; row++) {
		unsigned int mhz = 0;
		uint64_t value = 0;
		int error = row->form == SHOW_BASE
				    ? read_base_mhz(result, &mhz)
				    : isst_result_bits(result, row->id, 0, 0, &value);

		if (row->form == SHOW_NUMBER)
			report_value_at(parent, row->key, result, row->id, row->row, 0);
		else if (error == -EIO)
			report_unknown(parent, row->key);
		else if (!error && row->form == SHOW_BASE)
			report_number(parent, row->key, mhz);
		else if (!error && row->form == SHOW_HEX)
			report_hex(parent, row->key, value);
		else if (!error && row->form == SHOW_STATE)
			report_state(parent, row->key, value);
		else if (!error && row->form == SHOW_FEATURE &&
			 feature_state_word((unsigned int)value))
			report_word(parent, row->key, feature_state_word((unsigned int)value));
		else if (!error && row->form == SHOW_PRIORITY)
			report_word(parent, row->key, PRIORITIES[value == ISST_PRIORITY_ORDERED]);
	}
}

bool named_cpus_find(struct run *run, const struct cpu_list *list, struct isst_cpuset **cpus)
{
	bool done;

	*cpus = isst_cpuset_new();
	done = *cpus && isst_cpuset_add_set(*cpus, list->numbers) == 0;
	if (!done)
		run_no_memory(run);
	for (size_t i = 0; i < list->name_count && done; i++) {
		struct isst_cpuset *found = NULL;
		int error = isst_cpus_by_name(run->context, list->names[i], 0, &found);

		done = !error && isst_cpuset_add_set(*cpus, found) == 0;
		if (done && isst_cpuset_count(found) == 0) {
			run_error(run, STATUS_UNSUPPORTED, "@%s: no CPU has this name at present",
				  list->names[i]);
			done = false;
		} else if (error)
			run_error(run, status_of_error(error), "@%s: %s", list->names[i],
				  isst_error(run->context));
		else if (!done)
			run_no_memory(run);
		isst_cpuset_free(found);
	}
	if (done)
		return true;
	isst_cpuset_free(*cpus);
	*cpus = NULL;
	return false;
}

/* ---- The machine ---- */

#define refuse(status, problem, ...) \
	(usage_problem(problem, __VA_ARGS__) == -ENOMEM ? STATUS_FAILED : (status))

/** A variable of the environment; NULL: unset or empty. Borrowed privileges do not follow it, but
 * must not change the real machine instead. */
static const char *environment(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

enum exit_status machine_choose(const struct request *request, struct emulation *emulation,
				char **problem)
{
	const char *from_environment = environment("ISST_EMULATE");
	const char *option = request_text(request, OPTION_EMULATE);

	*problem = NULL;
	emulation->platform = option;
	if (request->operand && request->command->flags & COMMAND_HAS_OPERAND)
		emulation->platform = request->operand;
	if (request_has(request, OPTION_REAL)) {
		if (!from_environment)
			return STATUS_DONE;
		return refuse(STATUS_USAGE, problem,
			      "option --real refuses the emulated machine '%s' selected by "
			      "ISST_EMULATE",
			      from_environment);
	}
	if (!emulation->platform)
		emulation->platform = from_environment;
	emulation->state_directory = request_text(request, OPTION_EMULATE_STATE);
	if (emulation->state_directory && !emulation->platform)
		return refuse(STATUS_USAGE, problem, "option --emulate-state requires --emulate");
	emulation->unlock = request_has(request, OPTION_EMULATE_UNLOCK);
	if (emulation->unlock && !emulation->platform)
		return refuse(STATUS_USAGE, problem, "option --emulate-unlock requires --emulate");
	emulation->unlock |= environment("ISST_EMULATE_UNLOCK") != NULL;
	if (!emulation->state_directory)
		emulation->state_directory = environment("ISST_EMULATE_STATE");
	if (emulation->platform && privileges_borrowed())
		return refuse(STATUS_NOT_PERMITTED, problem,
			      "cannot emulate '%s'%s: the program has privileges that its caller "
			      "does not have (set-uid, set-gid or file capabilities)",
			      emulation->platform,
			      emulation->platform == from_environment ? ", selected by ISST_EMULATE"
								      : "");
	if (emulation->platform && !isst_emulator_is_available())
		return refuse(STATUS_UNSUPPORTED, problem, "cannot emulate '%s': %s",
			      emulation->platform, isst_emulator_unavailable_text());
	return STATUS_DONE;
}

enum exit_status machine_problem(int error, const struct emulation *emulation, char **message)
{
	struct suggestion nearest = { .word = emulation->platform };
	enum exit_status status = STATUS_FAILED;
	char *given = *message;
	const char *platform;

	if (error == -ENOENT || error == -EINVAL || error == -ENOEXEC)
		status = STATUS_USAGE;
	else if (error == -EPERM || error == -EACCES)
		status = STATUS_NOT_PERMITTED;
	else if (error == -EOPNOTSUPP)
		status = STATUS_UNSUPPORTED;
	for (size_t i = 0; error == -ENOENT && (platform = isst_emulator_platform_name(i)) != NULL;
	     i++)
		suggestion_consider(&nearest, platform);
	if (!given)
		return refuse(status, message, "cannot emulate '%s': %s", emulation->platform,
			      strerror(-error));
	if (!nearest.best)
		return status;
	status = refuse(status, message, "%s; did you mean '%s'?", given, nearest.best);
	free(given);
	return status;
}

struct isst_emulator_target *emulation_target(const struct emulation *emulation)
{
	struct isst_emulator_target *target = isst_emulator_target_new(emulation->platform);

	if (target && isst_emulator_target_set_state(target, emulation->state_directory) == 0) {
		isst_emulator_target_set_flags(target,
					       emulation->unlock ? ISST_EMULATOR_TARGET_UNLOCK : 0);
		return target;
	}
	isst_emulator_target_free(target);
	return NULL;
}

enum exit_status machine_open(const struct request *request, struct isst_options *options,
			      struct isst_context **context, char **problem)
{
	struct emulation emulation = { 0 };
	enum exit_status status = machine_choose(request, &emulation, problem);
	struct isst_emulator_target *target;
	struct isst_machine *machine = NULL;
	int error;

	*context = NULL;
	if (status == STATUS_DONE && emulation.platform) {
		target = emulation_target(&emulation);
		error = target ? isst_emulator_open(target, &machine, problem) : -ENOMEM;
		isst_emulator_target_free(target);
		if (error)
			status = machine_problem(error, &emulation, problem);
	}
	if (status == STATUS_DONE && !options) {
		isst_machine_free(machine);
		status = refuse(STATUS_FAILED, problem, "out of memory");
	} else if (status == STATUS_DONE) {
		error = machine ? isst_open_machine(machine, options, context)
				: isst_open(options, context);
		if (error)
			status = refuse(STATUS_FAILED, problem, "out of memory");
	}
	isst_options_free(options);
	return status;
}

struct isst_context *machine_look(const struct request *request)
{
	struct isst_context *context;
	char *problem;

	(void)machine_open(request, isst_options_new(), &context, &problem);
	free(problem);
	return context;
}
