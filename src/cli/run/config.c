/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "../../common/monotonic.h"
#include "../../common/numbered.h"
#include "../process/privileges.h"
#include "../process/xalloc.h"
#include "change.h"
#include "levels.h"
#include "machine.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- Waiting at boot ---- */

enum { LOOK_EVERY_MS = 500, OPTIONAL_SECONDS = 5 };

/** What more of the machine may appear, to be freed; NULL: nothing. A machine that is another one
 * stays so. @optional: the configuration can be applied without it */
static char *find_missing(const struct run *run, bool *optional)
{
	const struct isst_message *skipped;
	const char *what = NULL;
	struct isst_context *context;
	char *problem, *missing;
	int error;

	*optional = false;
	(void)machine_open(run->request, run_options(run->request), &context, &problem);
	free(problem);
	error = context ? isst_discover(context) : -EIO;
	if (!error && isst_config_match(run->config, context, 0) != 0) {
		isst_close(context);
		return NULL;
	}
	if (!error && isst_left_out_at(context, 0)) {
		what = isst_message_text(isst_left_out_at(context, 0));
	} else {
		if (!error)
			error = isst_config_check(run->config, context, 0);
		/* A preset platform has no driver that would provide more. */
		if (error == -ENODEV ||
		    (error == -EOPNOTSUPP && isst_platform_fact(context, ISST_FACT_PRESET) <= 0))
			what = isst_error(context);
		*optional = !error;
		/* An optional statement that has no driver yet. */
		for (size_t i = 0;
		     !error && !what && (skipped = isst_config_skipped_at(run->config, i)) != NULL;
		     i++)
			if (isst_message_error(skipped) == -ENODEV)
				what = isst_message_text(skipped);
	}
	missing = what ? xstrdup(what) : NULL;
	isst_close(context);
	return missing;
}

/** Waits for what is missing, a few seconds if it is optional: many machines never have it. */
static void await_missing(struct run *run, int64_t deadline_ms)
{
	const struct timespec pause = { .tv_nsec = LOOK_EVERY_MS * 1000000L };
	bool reported = false, limited = false, optional;
	char *missing;

	while ((missing = find_missing(run, &optional)) != NULL) {
		int64_t now_ms = monotonic_ms(), optional_ms = now_ms + OPTIONAL_SECONDS * 1000;

		if (optional && !limited && optional_ms < deadline_ms)
			deadline_ms = optional_ms;
		limited |= optional;
		if (now_ms >= deadline_ms)
			break;
		if (!reported)
			run_progress(run, "Waiting up to %u s: %s",
				     (unsigned int)((deadline_ms - now_ms + 999) / 1000), missing);
		reported = true;
		free(missing);
		nanosleep(&pause, NULL);
	}
	free(missing);
}

bool config_wait(struct run *run)
{
	const struct request *request = run->request;
	const unsigned int seconds = request_number(request, OPTION_WAIT);
	const int64_t deadline_ms = monotonic_ms() + (int64_t)seconds * 1000;
	int match, error;

	/* Without a change to make, there is yet a program to run. */
	if (command_wraps_program(request->command))
		return true;
	/* What else a configuration is for shows once the machine is discovered. */
	match = isst_config_match(run->config, run->context, 0);
	/* With a driver, discovery finds all that is different. */
	if (match == ISST_CONFIG_SKIPPED ||
	    (match == -EOPNOTSUPP && isst_wait_for_driver(run->context, 0, 0) == -EOPNOTSUPP))
		return config_matches(run);
	/* Who may not change it need not wait. */
	if (match != 0 || !request_has(request, OPTION_WAIT) ||
	    (run_is_change(run) && isst_check_privileges(run->context) != 0))
		return true;
	error = isst_wait_for_driver(run->context, 0, 0);
	if (error == -EOPNOTSUPP && isst_platform_fact(run->context, ISST_FACT_INTEL) > 0) {
		run_progress(run, "Waiting up to %u s: %s", seconds, isst_error(run->context));
		error = isst_wait_for_driver(run->context, seconds * 1000, 0);
	}
	if (!error)
		await_missing(run, deadline_ms);
	return true;
}

/* ---- Reading ---- */

#define STANDARD_INPUT "standard input"

/* A state of the largest machine takes less: what is larger is another file. */
enum { LARGEST = 4 << 20, CHUNK = 64 << 10 };

struct text {
	char *bytes;
	size_t size;
};

static int read_all(int descriptor, struct text *text)
{
	for (;;) {
		ssize_t count;

		text->bytes = xreallocarray(text->bytes, text->size + CHUNK, 1);
		do
			count = read(descriptor, text->bytes + text->size, CHUNK);
		while (count < 0 && errno == EINTR);
		if (count <= 0)
			return count < 0 ? -errno : 0;
		text->size += (size_t)count;
		if (text->size > LARGEST)
			return -EFBIG;
	}
}

/** The file is the caller's choice: it is opened with the caller's rights. */
static int read_as_caller(const char *path, struct text *text)
{
	int error = privileges_as_caller(), descriptor;

	if (!error) {
		descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
		error = descriptor < 0 ? -errno : read_all(descriptor, text);
		if (descriptor >= 0)
			close(descriptor);
	}
	return privileges_again(error);
}

static void report_unreadable(struct run *run, const char *file, int error)
{
	bool permission = error == -EACCES || error == -EPERM;
	/* Statements are several words, which few files have in their names. */
	bool statement = error == -ENOENT && strchr(file, ' ');
	/* Its second word is taken for a file. */
	bool unquoted = error == -ENOENT && !statement && request_has(run->request, OPTION_SET);

	if (strcmp(file, "-") == 0 && error == -EBADF) {
		run_error(run, STATUS_USAGE,
			  "cannot read the configuration: standard input is closed");
		return;
	}
	if (strcmp(file, "-") == 0)
		file = "from " STANDARD_INPUT;
	run_error(
		run, permission ? STATUS_NOT_PERMITTED : STATUS_USAGE,
		"cannot read the configuration %s: %s%s%s%s%s", *file ? file : "''",
		strerror(-error), statement ? "; did you mean --set '" : "", statement ? file : "",
		statement ? "'?" : "",
		unquoted ? "; quote the statement of --set as one argument, such as 'turbo-freq on'"
			 : "");
}

static bool add_file(struct run *run, const char *file)
{
	const char *name = strcmp(file, "-") == 0 ? STANDARD_INPUT : file;
	struct text text = { 0 };
	int error = strcmp(file, "-") == 0 ? read_all(STDIN_FILENO, &text)
					   : read_as_caller(file, &text);

	if (error)
		report_unreadable(run, file, error);
	else
		error = config_call(run, run->config,
				    isst_config_add_text(run->config, name, text.bytes, text.size,
							 ISST_CONFIG_ADD_FILE));
	free(text.bytes);
	return error == 0;
}

static bool add_statement(struct run *run, const char *statement)
{
	char *name = xasprintf("--set '%s'", statement);
	int error = config_call(
		run, run->config,
		isst_config_add_text(run->config, name, statement, strlen(statement), 0));

	free(name);
	return error == 0;
}

bool config_source_read(struct run *run)
{
	const struct request *request = run->request;
	const char *file = request_config_file(request);
	bool right = true;

	if (!(request->command->flags & COMMAND_CONFIG) && !file)
		return true;
	run->config = xcheck(isst_config_new());
	if (file)
		right = add_file(run, file);
	for (size_t i = 0; i < request->options.text_count; i++)
		right = add_statement(run, request->options.texts[i]) && right;
	return right;
}

/* ---- Reports ---- */

int config_call(struct run *run, const struct isst_config *config, int error)
{
	const struct isst_message *problem = isst_config_problem_at(config, 0);
	size_t count = 0;

	if (error >= 0)
		return error;
	if (!problem && run->context)
		return run_call(run, error);
	if (!problem)
		run_error(run, status_of_error(error), "%s", strerror(-error));
	for (; (problem = isst_config_problem_at(config, count)) != NULL; count++)
		if (count < CONFIG_LISTED)
			run_message_error(run, error, problem);
	if (count > CONFIG_LISTED)
		run_error(run, status_of_error(error), "and %zu more problem%s",
			  count - CONFIG_LISTED, count - CONFIG_LISTED > 1 ? "s" : "");
	return error;
}

static void report_difference(struct isst_context *context, struct report_node *top,
			      enum key_id key, unsigned int index, const char *target,
			      const struct isst_config_difference *difference)
{
	struct report_node *node = report_branch(top, key, index);
	const char *origin = isst_config_difference_origin(difference);

	report_domain_place(node, isst_config_difference_domain(difference), context);
	if (isst_config_difference_cpus(difference))
		report_cpu_ranges(report_v2(node), KEY_FINDING_CPUS, 0,
				  isst_config_difference_cpus(difference));
	report_text(node, KEY_CONFIG_TARGET, target);
	report_text(node, KEY_CONFIG_WANTED, isst_config_difference_wanted(difference));
	report_text(node, KEY_CONFIG_PRESENT, isst_config_difference_present(difference));
	/* Defaults are stated nowhere. */
	if (origin && *origin)
		report_text(node, KEY_CONFIG_ORIGIN, origin);
}

void config_report_differences(struct run *run, struct report_node *top, enum key_id key,
			       const struct isst_config *config)
{
	bool fold = request_format(run->request) == FORMAT_TEXT;
	const struct isst_config_difference *difference;
	struct folds folds = { .all = NULL };
	unsigned int count = 0;

	for (; (difference = isst_config_difference_at(config, count)) != NULL; count++) {
		const char *target = isst_config_difference_target(difference);
		/* That of a reset is not shown. */
		const char *origin = key == KEY_CONFIG_DIFFERENCE
					     ? isst_config_difference_origin(difference)
					     : NULL;

		if (fold)
			xcall(folds_add(&folds, (void *)difference, "%s\n%s\n%s\n%s", target,
					isst_config_difference_wanted(difference),
					isst_config_difference_present(difference),
					origin ? origin : ""));
		else
			report_difference(run->context, top, key, count, target, difference);
	}
	report_join(&folds, run->context);
	for (size_t i = 0; i < folds.count; i++) {
		char *target = xcheck(fold_text(&folds.all[i]));

		target[strcspn(target, "\n")] = '\0';
		report_difference(run->context, top, key, (unsigned int)i, target,
				  folds.all[i].data);
		free(target);
	}
	folds_clear(&folds);
}

bool config_report_comparison(struct run *run, struct report_node *top)
{
	bool equal = !isst_config_difference_at(run->config, 0);

	/* What discovery left out was not compared, which its messages are errors of. */
	if (equal && isst_left_out_at(run->context, 0))
		report_word(top, KEY_CONFIG_CHECK, "incomplete");
	else
		report_state(top, KEY_CONFIG_CHECK, equal);
	config_report_differences(run, top, KEY_CONFIG_DIFFERENCE, run->config);
	return equal;
}

/* ---- One change ---- */

bool config_matches(struct run *run)
{
	/* Being for another machine is a result as well, which programs look for. */
	static const struct {
		const char *command;
		enum key_id key;
	} RESULTS[] = { { "check", KEY_CONFIG_CHECK },
			{ "apply", KEY_CONFIG_APPLY },
			{ "try", KEY_CONFIG_TRY } };
	const struct command *command = run->request->command;
	int result = isst_config_match(run->config, run->context, 0);
	const struct isst_message *problem;

	run_report_notices(run);
	if (result != ISST_CONFIG_SKIPPED)
		return config_call(run, run->config, result) == 0;
	problem = isst_config_problem_at(run->config, 0);
	report_message(run->report, ENTRY_NOTE, "skipped: %s",
		       problem ? isst_message_text(problem)
			       : "the configuration is for another machine");
	report_code(run->report, "skipped");
	/* A plan has no result. */
	if (!(command->flags & COMMAND_CONFIG) || request_has(run->request, OPTION_DRY_RUN))
		return false;
	for (size_t i = 0; i < sizeof(RESULTS) / sizeof(RESULTS[0]); i++)
		if (strcmp(RESULTS[i].command, command->name) == 0)
			report_word(report_section(run->report, KEY_CONFIGURATION), RESULTS[i].key,
				    "skipped");
	return false;
}

/** Nothing was stated by who returns to a former state. */
void config_report_skipped(struct run *run, const struct isst_config *config)
{
	const struct isst_message *skipped;
	size_t count = 0;

	if (config != run->config)
		return;
	for (; (skipped = isst_config_skipped_at(config, count)) != NULL; count++) {
		if (count < CONFIG_LISTED)
			run_message(run, ENTRY_NOTE, skipped, "; skipped");
	}
	if (count <= CONFIG_LISTED)
		return;
	report_message(run->report, ENTRY_NOTE, "and %zu more; skipped", count - CONFIG_LISTED);
	report_code(run->report, isst_message_code_name(ISST_MESSAGE_STATEMENT_SKIPPED));
}

int config_change(struct run *run, struct isst_config *config, unsigned int flags,
		  struct isst_change **change)
{
	const struct isst_change_step *step;
	bool moves_level = false;
	int error = change_begin(run, flags, change);

	if (!error)
		error = config_call(run, config, isst_change_add_config(*change, config, 0));
	run_report_notices(run);
	if (!error)
		error = run_call(run, isst_change_check(*change));
	if (error) {
		isst_change_free(*change);
		*change = NULL;
		return error;
	}
	config_report_skipped(run, config);
	error = change_make(run, *change);
	for (size_t i = 0; (step = isst_change_step_at(*change, i)) != NULL; i++)
		moves_level |= isst_change_step_is_written(step) &&
			       isst_item_kind(isst_change_step_item(step)) == ISST_ITEM_LEVEL;
	/* CPUs stay as they are where a level is stated and they are not. In a dry run the level
	 * is not there yet. */
	if (!error && run_is_change(run) && moves_level)
		levels_note_cpus(run, CPUS_BY_LEVEL, 0,
				 "'cpus by-level', stated with the level, changes that");
	return error;
}

/* A file or firmware that is busy for a moment must not leave a change in place. */
enum { ATTEMPTS = 4, PAUSE_MS = 100 };

/** The change is no longer held afterwards. Returns as isst_change_roll_back() does. */
static int attempt_roll_back(struct isst_change *change)
{
	const struct timespec pause = { .tv_nsec = PAUSE_MS * 1000000L };
	int error = isst_change_roll_back(change);

	/* It was not even begun: what it has to know could not be read. */
	for (int i = 1; i < ATTEMPTS && error && error != -ISST_ERR_ROLLBACK; i++) {
		nanosleep(&pause, NULL);
		error = i < ATTEMPTS - 1 ? isst_change_roll_back(change)
					 : isst_change_abandon(change);
	}
	return error;
}

int config_roll_back(struct run *run, struct isst_change *change)
{
	size_t reported = 0;
	int error;

	/* Those of the change are reported already. */
	while (isst_change_warning_at(change, reported))
		reported++;
	error = attempt_roll_back(change);
	change_report_warnings(run, change, reported);
	if (error == -ISST_ERR_ROLLBACK)
		change_report_failure(run, change, error);
	else if (error) {
		struct isst_journal *journal = NULL;
		char *cause = xstrdup(isst_error(run->context));
		bool kept = isst_journal_open(run->context, 0, &journal) == 0 && journal;

		isst_journal_free(journal);
		run_error(run, STATUS_ROLLBACK_INCOMPLETE,
			  "the rollback could not be begun: %s; the change is still in place%s",
			  cause,
			  kept ? ", and the next run that changes the machine rolls it back" : "");
		free(cause);
	}
	isst_change_free(change);
	return error;
}

void config_record(struct run *run, const struct isst_config *config, int error)
{
	if (request_has(run->request, OPTION_DRY_RUN) ||
	    isst_config_record_apply(config, run->context, error, 0) == 0 || error)
		return;
	report_message(run->report, ENTRY_NOTE, "the time of this run is not recorded: %s",
		       isst_error(run->context));
	report_code(run->report, "not-recorded");
}

void config_report_high_priority(struct run *run, const struct isst_config *config)
{
	const struct isst_cpuset *cpus = isst_config_high_priority_cpus(config);

	if (!cpus)
		return;
	core_choice_note_spread(run, cpus, true);
	report_cpu_ranges(report_at_top(run->report), KEY_HIGH_PRIORITY_CPUS, 0, cpus);
}
