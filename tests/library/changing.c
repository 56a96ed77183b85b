/* SPDX-License-Identifier: BSD-3-Clause */
/* Changing the machine by the public interface: lock, changes, journal, log. */
#include "check.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>

static struct isst_change *begin_change(struct isst_context *context, unsigned int flags)
{
	freed_by(isst_change_options_free) struct isst_change_options *options =
		isst_change_options_new();
	struct isst_change *change;

	assert_non_null(options);
	ok(isst_change_options_set_flags(options, flags));
	ok(isst_change_options_set_command(options, "test"));
	ok(isst_change_new(context, options, &change));
	return change;
}

static int add_level(struct isst_change *change, struct isst_context *context, unsigned int level,
		     struct isst_results **results)
{
	freed_by(isst_request_free) struct isst_request *request = isst_request_new();
	struct isst_targets *targets = all_domains(context);
	int error;

	ok(isst_request_set(request, ISST_VALUE_LEVEL, level));
	error = isst_change_add(change, ISST_SET_LEVEL, targets, request, 0, results);
	return error;
}

/** What it plans depends on the machine, and not on what other requests leave. */
MACHINE_TEST(configurations_come_first)
{
	static const char TEXT[] = "level 1\n";
	struct isst_change *change;
	freed_by(isst_config_free) struct isst_config *config = NULL;
	struct isst_results *results;

	lock_and_discover("guide");
	config = isst_config_new();
	assert_non_null(config);
	ok(isst_config_add_text(config, "test", TEXT, sizeof(TEXT) - 1, 0));
	change = begin_change(fixture.context, 0);
	ok(add_level(change, fixture.context, 4, &results));
	isst_results_free(results);
	refused(isst_change_add_config(change, config, 0));
	isst_change_free(change);
	change = begin_change(fixture.context, 0);
	ok(isst_change_add_config(change, config, 0));
	isst_change_free(change);
}

/** The current level of a domain. */
static unsigned int level_of(struct isst_context *context, size_t index)
{
	struct isst_targets *targets = all_domains(context);
	struct isst_results *results;
	unsigned int level = 99;

	isst_read(context, ISST_READ_PERF_PROFILES, targets, NULL, 0, &results);
	isst_result_value(isst_results_at(results, index), ISST_VALUE_CURRENT_LEVEL, &level);
	isst_results_free(results);
	return level;
}

MACHINE_TEST(a_change_is_made)
{
	const struct isst_change_step *step;
	const char *old_text, *new_text;
	struct isst_results *results;
	struct isst_change *change;
	unsigned int index;
	uint64_t number;

	lock_and_discover("guide");
	change = begin_change(fixture.context, 0);
	ok(add_level(change, fixture.context, 3, &results));
	assert_int_equal(isst_results_count(results), 2);
	ok(isst_change_check(change));
	ok(isst_change_run(change));
	assert_false(isst_change_is_unchanged(change));
	step = isst_change_step_at(change, 0);
	assert_string_equal(isst_change_step_target(step), "package 0, die 0: level");
	assert_string_equal(isst_change_step_old_text(step), "0");
	assert_string_equal(isst_change_step_new_text(step), "3");
	assert_string_equal(isst_change_step_field_at(step, 0, &old_text, &new_text),
			    "package 0, die 0: level");
	assert_string_equal(old_text, "0");
	assert_string_equal(new_text, "3");
	assert_null(isst_change_step_field_at(step, 1, &old_text, NULL));
	assert_null(old_text);
	assert_true(isst_change_step_is_written(step));
	assert_int_equal(isst_item_kind(isst_change_step_item(step)), ISST_ITEM_LEVEL);
	assert_ptr_equal(isst_item_domain(isst_change_step_item(step)),
			 isst_domain_at(fixture.context, 0));
	assert_int_equal(isst_item_index(isst_change_step_item(step), &index), -ENODATA);
	assert_string_equal(isst_item_unit(isst_change_step_item(step)), "");
	ok(isst_change_step_old_number(step, &number));
	assert_int_equal(number, 0);
	ok(isst_change_step_new_number(step, &number));
	assert_int_equal(number, 3);
	assert_null(isst_change_step_at(change, 2));
	assert_int_equal(level_of(fixture.context, 1), 3);
	/* It was planned from what is another by now. */
	run_and_free(change, -EINVAL);
	change = begin_change(fixture.context, 0);
	ok(add_level(change, fixture.context, 3, NULL));
	ok(isst_change_run(change));
	assert_true(isst_change_is_unchanged(change));
	isst_change_free(change);
	isst_results_free(results);
}

/** Holds a change to level 3. */
static struct isst_change *hold_level(void)
{
	struct isst_change *change;

	lock_and_discover("guide");
	change = begin_change(fixture.context, ISST_CHANGE_HOLD | ISST_CHANGE_REVERSIBLE);
	ok(add_level(change, fixture.context, 3, NULL));
	assert_false(isst_change_is_held(change));
	ok(isst_change_run(change));
	assert_true(isst_change_is_held(change));
	assert_int_equal(level_of(fixture.context, 0), 3);
	refused(isst_unlock(fixture.context));
	return change;
}

MACHINE_TEST(every_warning_has_a_code_with_a_name_of_its_own)
{
	size_t count = 0;
	int code;

	for (; (code = isst_message_code_at(count)) != 0; count++) {
		assert_non_null(isst_message_code_name(code));
		for (size_t i = 0; i < count; i++) {
			assert_int_not_equal(isst_message_code_at(i), code);
			assert_string_not_equal(isst_message_code_name(isst_message_code_at(i)),
						isst_message_code_name(code));
		}
	}
	assert_true(count > 30);
}

MACHINE_TEST(a_warning_has_a_code_and_a_place)
{
	struct isst_change *change;
	unsigned int package;

	lock_and_discover("sierraforest-2s112c");
	change = begin_change(fixture.context, ISST_CHANGE_SKIP_UNSUPPORTED);
	ok(isst_change_add(change, ISST_SET_TURBO_FREQ, all_domains(fixture.context), NULL,
			   ISST_ADD_DISABLE, NULL));
	ok(isst_change_run(change));
	assert_non_null(strstr(isst_message_text(isst_change_warning_at(change, 1)),
			       ": nothing to disable"));
	assert_int_equal(isst_message_code(isst_change_warning_at(change, 1)),
			 ISST_MESSAGE_NOTHING_TO_DISABLE);
	assert_int_equal(isst_message_level(isst_change_warning_at(change, 1)), ISST_LOG_WARNING);
	assert_ptr_equal(isst_message_domain(isst_change_warning_at(change, 1)),
			 isst_domain_by_number(fixture.context, 1, 0));
	ok(isst_message_package(isst_change_warning_at(change, 1), &package));
	assert_int_equal(package, 1);
	assert_null(isst_message_cpus(isst_change_warning_at(change, 1)));
	assert_string_equal(isst_message_code_name(ISST_MESSAGE_NOTHING_TO_DISABLE),
			    "nothing-to-disable");
	assert_null(isst_change_warning_at(change, 2));
	isst_change_free(change);
}

MACHINE_TEST(a_held_change_is_rolled_back)
{
	struct isst_change *change;

	change = hold_level();
	ok(isst_change_roll_back(change));
	assert_false(isst_change_is_held(change));
	assert_int_equal(level_of(fixture.context, 0), 0);
	assert_null(isst_change_difference_at(change, 0));
	refused(isst_change_roll_back(change));
	ok(isst_unlock(fixture.context));
	isst_change_free(change);
}

MACHINE_TEST(a_held_change_is_released)
{
	struct isst_change *change;

	change = hold_level();
	ok(isst_change_release(change));
	assert_false(isst_change_is_held(change));
	refused(isst_change_release(change));
	isst_change_free(change);
	assert_int_equal(level_of(fixture.context, 0), 3);
}

MACHINE_TEST(a_held_change_that_is_freed_is_rolled_back)
{
	struct isst_change *change;

	change = hold_level();
	isst_change_free(change);
	assert_int_equal(level_of(fixture.context, 0), 0);
	ok(isst_unlock(fixture.context));
}

MACHINE_TEST(a_dry_run_is_not_held)
{
	struct isst_change *change;

	fixture_discover(&fixture, "guide");
	change = begin_change(fixture.context,
			      ISST_CHANGE_DRY_RUN | ISST_CHANGE_HOLD | ISST_CHANGE_REVERSIBLE);
	ok(add_level(change, fixture.context, 3, NULL));
	ok(isst_change_run(change));
	assert_string_equal(isst_change_step_new_text(isst_change_step_at(change, 0)), "3");
	assert_false(isst_change_is_held(change));
	isst_change_free(change);
}

/** Turbo ratio limits that a level replaces, and that cannot be read. */
MACHINE_TEST(a_dry_run_reports_what_cannot_be_rolled_back)
{
	static const unsigned int FLAGS[] = { ISST_CHANGE_DRY_RUN,
					      ISST_CHANGE_DRY_RUN | ISST_CHANGE_REVERSIBLE };

	for (size_t i = 0; i < 2; i++) {
		struct isst_change *change;

		fixture_discover(&fixture, "guide");
		change = begin_change(fixture.context, FLAGS[i]);
		ok(add_level(change, fixture.context, 3, NULL));
		fixture_fault(&fixture, "msr 0x1ad get EIO");
		assert_int_equal(isst_change_run(change), i == 0 ? 0 : -EIO);
		if (i == 1)
			assert_non_null(strstr(isst_error(fixture.context),
					       "could not be rolled back as a whole"));
		isst_change_free(change);
	}
}

MACHINE_TEST(a_dry_run_needs_no_lock_and_writes_nothing)
{
	struct isst_change *change;

	fixture_discover(&fixture, "guide");
	refused(isst_change_new(fixture.context, NULL, &change));
	change = begin_change(fixture.context, ISST_CHANGE_DRY_RUN);
	ok(add_level(change, fixture.context, 3, NULL));
	assert_false(isst_change_is_unchanged(change));
	ok(isst_change_run(change));
	assert_string_equal(isst_change_step_new_text(isst_change_step_at(change, 0)), "3");
	assert_true(isst_change_step_is_written(isst_change_step_at(change, 0)));
	assert_int_equal(level_of(fixture.context, 0), 0);
	/* There is something to do. */
	assert_false(isst_change_is_unchanged(change));
	isst_change_free(change);
	change = begin_change(fixture.context, ISST_CHANGE_DRY_RUN);
	ok(add_level(change, fixture.context, 0, NULL));
	ok(isst_change_run(change));
	assert_true(isst_change_is_unchanged(change));
	isst_change_free(change);
}

MACHINE_TEST(wrong_flags_spoil_the_change)
{
	struct isst_targets *targets;
	struct isst_results *results;
	struct isst_change *change;

	lock_and_discover("guide");
	targets = all_domains(fixture.context);
	change = begin_change(fixture.context, 0);
	refused(isst_change_add(change, ISST_SET_CORE_POWER, targets, NULL,
				ISST_ADD_ENABLE | ISST_ADD_DISABLE, &results));
	assert_null(results);
	run_and_free(change, -EINVAL);
	change = begin_change(fixture.context, 0);
	refused(isst_change_add(change, ISST_SET_CORE_POWER, targets, NULL, 0, NULL));
	refused(isst_change_add(change, ISST_SET_CORE_POWER, targets, NULL,
				ISST_ADD_ENABLE | ISST_ADD_AUTO, NULL));
	refused(isst_change_add(change, ISST_SET_LEVEL, targets, NULL, 0, NULL));
	refused(isst_change_add(change, ISST_SET_CLOS, targets, NULL, 0, NULL));
	refused(isst_change_add(change, ISST_SET_TURBO_MODE, targets, NULL, ISST_ADD_ENABLE, NULL));
	refused(isst_change_add(change, ISST_SET_ALL_ONLINE, targets, NULL, 0, NULL));
	/* A change that lacks a request is not made with the others. */
	ok(isst_change_add(change, ISST_SET_CORE_POWER, targets, NULL, ISST_ADD_ENABLE, NULL));
	run_and_free(change, -EINVAL);
}

MACHINE_TEST(bringing_all_CPUs_online_takes_no_targets)
{
	struct isst_change *change;

	lock_and_discover("guide");
	change = begin_change(fixture.context, 0);
	refused(isst_change_add(change, ISST_SET_ALL_ONLINE, all_domains(fixture.context), NULL, 0,
				NULL));
	refused(isst_change_check(change));
	run_and_free(change, -EINVAL);
}

/** It would never be made, and the objection would be to a change that was made. */
MACHINE_TEST(nothing_is_added_to_a_change_that_was_run)
{
	struct isst_targets *targets;
	struct isst_results *results;
	struct isst_change *change;

	lock_and_discover("guide");
	targets = all_domains(fixture.context);
	for (unsigned int dry_run = 0; dry_run <= ISST_CHANGE_DRY_RUN; dry_run++) {
		change = begin_change(fixture.context, dry_run);
		ok(isst_change_run(change));
		refused(isst_change_add(change, ISST_SET_CORE_POWER, targets, NULL, ISST_ADD_ENABLE,
					&results));
		assert_null(results);
		assert_non_null(strstr(isst_error(fixture.context), "already made"));
		refused(isst_change_add(change, ISST_SET_TURBO_MODE, targets, NULL, ISST_ADD_ENABLE,
					NULL));
		refused(isst_change_add(change, ISST_SET_ALL_ONLINE, NULL, NULL, 0, NULL));
		assert_non_null(strstr(isst_error(fixture.context), "already made"));
		ok(isst_change_check(change));
		isst_change_free(change);
	}
}

/** The firmware has no such frequency, and no other one is set in its place. */
MACHINE_TEST(a_frequency_between_two_ratios_is_refused)
{
	static const int FREQUENCIES[] = { ISST_VALUE_CLOS_MIN_MHZ, ISST_VALUE_CLOS_MAX_MHZ,
					   ISST_VALUE_CLOS_DESIRED_MHZ };
	struct isst_change *change;

	lock_and_discover("guide");
	for (size_t i = 0; i < sizeof(FREQUENCIES) / sizeof(FREQUENCIES[0]); i++) {
		freed_by(isst_request_free) struct isst_request *request = isst_request_new();

		ok(isst_request_set(request, ISST_VALUE_CLOS, 1));
		ok(isst_request_set(request, FREQUENCIES[i], 1250));
		change = begin_change(fixture.context, 0);
		refused(isst_change_add(change, ISST_SET_CLOS, all_domains(fixture.context),
					request, 0, NULL));
		assert_non_null(strstr(isst_error(fixture.context), "1250 MHz"));
		isst_change_free(change);
	}
}

static void count_errors(void *data, int level, const char *message)
{
	assert_int_equal(level, ISST_LOG_ERROR);
	assert_true(strstr(message, "priority") || strstr(message, "damaged"));
	++*(unsigned int *)data;
}

/** The next version may know more priorities; this one takes none of them for another. */
MACHINE_TEST(a_priority_that_does_not_exist_is_refused_and_logged)
{
	static const unsigned int PRIORITIES[] = { 2, 7, INT32_MAX, UINT32_MAX };
	struct isst_options *options = isst_options_new();
	freed_by(isst_request_free) struct isst_request *request = isst_request_new();
	struct isst_change *change;
	unsigned int errors = 0;

	isst_options_set_log(options, ISST_LOG_ERROR, count_errors, &errors);
	fixture_begin(&fixture, "guide");
	fixture.context = fixture_open(&fixture, options);
	isst_options_free(options);
	ok(isst_lock(fixture.context, 0, 0));
	ok(isst_discover(fixture.context));
	for (size_t i = 0; i < sizeof(PRIORITIES) / sizeof(*PRIORITIES); i++) {
		change = begin_change(fixture.context, 0);
		ok(isst_request_set(request, ISST_VALUE_PRIORITY, PRIORITIES[i]));
		refused(isst_change_add(change, ISST_SET_CORE_POWER, all_domains(fixture.context),
					request, ISST_ADD_ENABLE, NULL));
		assert_int_equal(errors, i + 1);
		isst_change_free(change);
	}
}

/** A child that was forked has the descriptor of the lock, too. */
MACHINE_TEST(unlocking_releases_the_lock_whatever_children_there_are)
{
	int ends[2];
	pid_t child;
	char end;

	lock_and_discover("guide");
	ok(pipe(ends));
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		close(ends[1]);
		_exit(read(ends[0], &end, 1) != 0);
	}
	ok(isst_unlock(fixture.context));
	ok(isst_lock(fixture.context, 0, 0));
	close(ends[0]);
	close(ends[1]);
	assert_int_equal(waitpid(child, NULL, 0), child);
}

/** All other cores lose priority: not for CPUs that cannot gain it. */
/** What a CLOS, or core-power, does not have is refused rather than dropped; 0 is what it reads as.
 */
MACHINE_TEST(what_the_machine_does_not_have_is_refused)
{
	static const struct {
		const char *platform;
		int id, fact;
		bool has;
	} CASES[] = {
		{ "guide", ISST_VALUE_CLOS_EPP, ISST_FACT_CLOS_EPP, true },
		{ "guide", ISST_VALUE_CLOS_WEIGHT, ISST_FACT_CLOS_WEIGHT, true },
		{ "cooperlake", ISST_VALUE_CLOS_EPP, ISST_FACT_CLOS_EPP, false },
		{ "cooperlake", ISST_VALUE_CLOS_WEIGHT, ISST_FACT_CLOS_WEIGHT, false },
		{ "graniterapids-unlocked", ISST_VALUE_CLOS_EPP, ISST_FACT_CLOS_EPP, false },
		{ "graniterapids-unlocked", ISST_VALUE_CLOS_WEIGHT, ISST_FACT_CLOS_WEIGHT, true },
		{ "graniterapids-unlocked", ISST_VALUE_CLOS_DESIRED_MHZ, ISST_FACT_CLOS_DESIRED,
		  false },
	};

	for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
		lock_and_discover(CASES[i].platform);
		assert_int_equal(isst_platform_fact(fixture.context, CASES[i].fact), CASES[i].has);
		for (unsigned int value = 0; value <= 500; value += 500) {
			struct isst_targets *targets = all_domains(fixture.context);
			freed_by(isst_request_free) struct isst_request *request =
				isst_request_new();
			struct isst_change *change = begin_change(fixture.context, 0);
			unsigned int given = CASES[i].id == ISST_VALUE_CLOS_DESIRED_MHZ
						     ? value
						     : value / 100;

			ok(isst_request_set(request, ISST_VALUE_CLOS, 1));
			ok(isst_request_set(request, CASES[i].id, given));
			assert_int_equal(
				isst_change_add(change, ISST_SET_CLOS, targets, request, 0, NULL),
				CASES[i].has || value == 0 ? 0 : -EOPNOTSUPP);
			isst_change_free(change);
		}
	}
}

MACHINE_TEST(proportional_priority_is_refused_where_there_is_none)
{
	static const char *const PLATFORMS[] = { "guide", "cooperlake" };

	for (size_t i = 0; i < 2; i++) {
		freed_by(isst_request_free) struct isst_request *request = isst_request_new();
		struct isst_targets *targets;
		struct isst_change *change;

		lock_and_discover(PLATFORMS[i]);
		targets = all_domains(fixture.context);
		change = begin_change(fixture.context, 0);
		ok(isst_request_set(request, ISST_VALUE_PRIORITY, ISST_PRIORITY_PROPORTIONAL));
		assert_int_equal(isst_change_add(change, ISST_SET_CORE_POWER, targets, request,
						 ISST_ADD_ENABLE, NULL),
				 i == 0 ? 0 : -EOPNOTSUPP);
		isst_change_free(change);
	}
}

/** A program that has closed its standard error writes its messages into no file of the library. */
MACHINE_TEST(no_file_takes_the_place_of_a_stream)
{
	const int kept = dup(STDERR_FILENO);
	struct isst_change *change;

	assert_true(kept > STDERR_FILENO);
	close(STDERR_FILENO);
	lock_and_discover("guide");
	change = begin_change(fixture.context, ISST_CHANGE_HOLD);
	ok(add_level(change, fixture.context, 3, NULL));
	ok(isst_change_run(change));
	assert_int_equal(fcntl(STDERR_FILENO, F_GETFD), -1);
	assert_int_equal(write(STDERR_FILENO, "a message\n", 10), -1);
	ok(isst_change_roll_back(change));
	isst_change_free(change);
	fixture_end(&fixture);
	assert_int_equal(dup2(kept, STDERR_FILENO), STDERR_FILENO);
	close(kept);
}

MACHINE_TEST(high_priority_is_for_cpus_of_the_targets)
{
	freed_by(isst_request_free) struct isst_request *request = isst_request_new();
	struct isst_targets *targets;
	struct isst_cpuset *cpus = isst_cpuset_new();
	struct isst_change *change;
	unsigned int other;

	lock_and_discover("guide");
	targets = isst_targets_new(fixture.context);
	ok(isst_targets_add_domain(targets, isst_domain_at(fixture.context, 0)));
	assert_true(isst_cpuset_next(isst_domain_online_cpus(isst_domain_at(fixture.context, 1)), 0,
				     &other));
	ok(isst_cpuset_add(cpus, other, other));
	ok(isst_request_set_cpus(request, ISST_VALUE_HIGH_PRIORITY_CPUS, cpus));
	change = begin_change(fixture.context, 0);
	refused(isst_change_add(change, ISST_SET_TURBO_FREQ, targets, request,
				ISST_ADD_ENABLE | ISST_ADD_AUTO, NULL));
	refused(isst_change_run(change));
	assert_false(isst_change_is_unchanged(change));
	isst_change_free(change);
	isst_cpuset_free(cpus);
	cpus = isst_cpuset_new();
	assert_true(isst_cpuset_next(isst_domain_online_cpus(isst_domain_at(fixture.context, 0)), 0,
				     &other));
	ok(isst_cpuset_add(cpus, other, other));
	ok(isst_request_set_cpus(request, ISST_VALUE_HIGH_PRIORITY_CPUS, cpus));
	/* Otherwise all CPUs would have it. */
	change = begin_change(fixture.context, 0);
	refused(isst_change_add(change, ISST_SET_TURBO_FREQ, targets, request, ISST_ADD_ENABLE,
				NULL));
	assert_non_null(strstr(isst_error(fixture.context), "ISST_ADD_AUTO"));
	isst_change_free(change);
	isst_cpuset_free(cpus);
	cpus = isst_cpuset_new();
	ok(isst_cpuset_add(cpus, 1000, 1005));
	ok(isst_request_set_cpus(request, ISST_VALUE_HIGH_PRIORITY_CPUS, cpus));
	change = begin_change(fixture.context, 0);
	assert_int_equal(isst_change_add(change, ISST_SET_TURBO_FREQ, targets, request,
					 ISST_ADD_ENABLE | ISST_ADD_AUTO, NULL),
			 -EOPNOTSUPP);
	assert_true(strstr(isst_error(fixture.context), "CPU 1000"));
	run_and_free(change, -EOPNOTSUPP);
	isst_cpuset_free(cpus);
	isst_targets_free(targets);
}

/** Programs that are started later meet the machine that they would have met before. */
MACHINE_TEST(a_program_that_cannot_be_started_leaves_the_environment)
{
	static char NAME[] = "/nonexistent";
	char *words[] = { NAME, NULL }, *error = NULL;

	pid_t child;
	int status;

	lock_and_discover("guide");
	/* What has failed may be in namespaces of its own. */
	child = fork();
	if (child == 0) {
		setenv("LD_PRELOAD", "", 1);
		if (isst_emulator_run(fixture.target, words, 0, 0, NULL, &error) < 0 && error &&
		    getenv("LD_PRELOAD") && !*getenv("LD_PRELOAD") && !getenv("ISST_EMULATE") &&
		    !getenv("ISST_EMULATE_STATE"))
			_exit(0);
		_exit(1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

MACHINE_TEST(targets_that_are_left_out_make_a_change_partial)
{
	struct isst_results *results;
	struct isst_change *change;

	lock_and_discover(of_tests("packages-differ"));
	change = begin_change(fixture.context, 0);
	/* The second package is locked. */
	assert_int_equal(add_level(change, fixture.context, 1, &results), ISST_PARTIAL);
	assert_int_equal(isst_result_error(isst_results_at(results, 0), ISST_PART_RESULT), 0);
	assert_int_equal(isst_result_error(isst_results_at(results, 1), ISST_PART_RESULT), -EROFS);
	assert_int_equal(isst_change_check(change), -EROFS);
	assert_int_equal(isst_change_run(change), -EROFS);
	assert_int_equal(level_of(fixture.context, 0), 0);
	isst_change_free(change);
	isst_results_free(results);
	change = begin_change(fixture.context, ISST_CHANGE_SKIP_FAILED);
	assert_int_equal(add_level(change, fixture.context, 1, NULL), ISST_PARTIAL);
	ok(isst_change_check(change));
	assert_int_equal(isst_change_run(change), ISST_PARTIAL);
	assert_int_equal(level_of(fixture.context, 0), 1);
	isst_change_free(change);
}

MACHINE_TEST(CLOS_and_associations_are_set)
{
	struct isst_request *request = isst_request_new();
	struct isst_targets *domains, *cpus;
	struct isst_results *results;
	struct isst_change *change;

	lock_and_discover("guide");
	domains = all_domains(fixture.context);
	cpus = cpus_of_list(fixture.context, "3,31");
	change = begin_change(fixture.context, 0);
	ok(isst_request_set(request, ISST_VALUE_CLOS, 2));
	ok(isst_change_add(change, ISST_SET_CLOS_ASSOCIATIONS, cpus, request, 0, NULL));
	ok(isst_request_set(request, ISST_VALUE_CLOS_MIN_MHZ, 1000));
	ok(isst_request_set(request, ISST_VALUE_CLOS_WEIGHT, 5));
	ok(isst_change_add(change, ISST_SET_CLOS, domains, request, 0, NULL));
	run_and_free(change, 0);
	ok(isst_read(fixture.context, ISST_READ_CLOS_ASSOCIATIONS, cpus, NULL, 0, &results));
	check_value(isst_results_at(results, 0), ISST_VALUE_CLOS, 2);
	isst_results_free(results);
	isst_request_free(request);
	request = isst_request_new();
	ok(isst_request_set(request, ISST_VALUE_CLOS, 2));
	ok(isst_read(fixture.context, ISST_READ_CLOS, domains, request, 0, &results));
	check_value(isst_results_at(results, 1), ISST_VALUE_CLOS_MIN_MHZ, 1000);
	check_value(isst_results_at(results, 1), ISST_VALUE_CLOS_WEIGHT, 5);
	check_value(isst_results_at(results, 1), ISST_VALUE_CLOS_MAX_MHZ, ISST_CLOS_NO_LIMIT_MHZ);
	isst_results_free(results);
	isst_request_free(request);
}

/** Adds a request for CLOS 2 with one value to a change. Returns as isst_change_add(). */
static int add_clos(struct isst_change *change, int id, unsigned int value)
{
	freed_by(isst_request_free) struct isst_request *request = isst_request_new();

	ok(isst_request_set(request, ISST_VALUE_CLOS, 2));
	if (id)
		ok(isst_request_set(request, id, value));
	return isst_change_add(change, ISST_SET_CLOS, all_domains(fixture.context), request, 0,
			       NULL);
}

static void check_clos(unsigned int min_mhz, unsigned int max_mhz, unsigned int weight)
{
	struct isst_results *results = read_of(ISST_READ_CLOS, all_domains(fixture.context), 0);

	for (size_t i = 2; i < isst_results_count(results); i += 4) {
		check_value(isst_results_at(results, i), ISST_VALUE_CLOS_MIN_MHZ, min_mhz);
		check_value(isst_results_at(results, i), ISST_VALUE_CLOS_MAX_MHZ, max_mhz);
		check_value(isst_results_at(results, i), ISST_VALUE_CLOS_WEIGHT, weight);
	}
}

MACHINE_TEST(what_a_request_does_not_name_of_a_CLOS_stays)
{
	struct isst_change *change;

	lock_and_discover("guide");
	change = begin_change(fixture.context, 0);
	refused(add_clos(change, 0, 0));
	isst_change_free(change);
	change = begin_change(fixture.context, 0);
	ok(add_clos(change, ISST_VALUE_CLOS_MIN_MHZ, 1200));
	ok(add_clos(change, ISST_VALUE_CLOS_WEIGHT, 7));
	ok(add_clos(change, ISST_VALUE_CLOS_MAX_MHZ, 1500));
	run_and_free(change, 0);
	check_clos(1200, 1500, 7);
	change = begin_change(fixture.context, 0);
	ok(add_clos(change, ISST_VALUE_CLOS_MAX_MHZ, 2000));
	run_and_free(change, 0);
	check_clos(1200, 2000, 7);
	/* A minimum above the maximum that stays; and one that an earlier request raised. */
	change = begin_change(fixture.context, 0);
	assert_int_equal(add_clos(change, ISST_VALUE_CLOS_MIN_MHZ, 2100), -EIO);
	assert_non_null(strstr(isst_error(fixture.context), "max of 2000 MHz"));
	isst_change_free(change);
	change = begin_change(fixture.context, 0);
	ok(add_clos(change, ISST_VALUE_CLOS_MAX_MHZ, 2400));
	ok(add_clos(change, ISST_VALUE_CLOS_MIN_MHZ, 2100));
	run_and_free(change, 0);
	check_clos(2100, 2400, 7);
}

MACHINE_TEST(what_was_planned_under_an_earlier_lock_is_refused)
{
	struct isst_context *other;
	struct isst_change *change;

	lock_and_discover("guide");
	refused(isst_lock(fixture.context, 0, 0));
	other = fixture_open(&fixture, NULL);
	assert_int_equal(isst_lock(other, 0, 0), -EBUSY);
	change = begin_change(fixture.context, 0);
	ok(add_level(change, fixture.context, 3, NULL));
	ok(isst_unlock(fixture.context));
	refused(isst_unlock(fixture.context));
	refused(isst_change_run(change));
	ok(isst_lock(other, 0, 0));
	assert_int_equal(isst_lock(fixture.context, 0, 0), -EBUSY);
	ok(isst_unlock(other));
	ok(isst_lock(fixture.context, 0, 0));
	ok(isst_discover(fixture.context));
	/* Nor does another lock bring it back. */
	refused(isst_change_run(change));
	assert_int_equal(level_of(fixture.context, 0), 0);
	isst_change_free(change);
	isst_close(other);
}

MACHINE_TEST(under_a_late_lock_the_machine_is_discovered_anew_first)
{
	const struct isst_domain *domain;
	struct isst_change *change;

	fixture_discover(&fixture, "guide");
	domain = isst_domain_at(fixture.context, 1);
	ok(isst_lock(fixture.context, 0, 0));
	refused(isst_change_new(fixture.context, NULL, &change));
	ok(isst_discover(fixture.context));
	/* What was handed out stays. */
	assert_ptr_equal(isst_domain_at(fixture.context, 1), domain);
	change = begin_change(fixture.context, 0);
	ok(add_level(change, fixture.context, 3, NULL));
	run_and_free(change, 0);
}

static int interrupt(void *data)
{
	return ++*(int *)data > 1;
}

static int die(void *data)
{
	if (++*(int *)data > 1)
		_exit(0);
	return 0;
}

/** Another context on the machine, with a function that is asked whether to interrupt. */
static struct isst_context *open_interruptible(int (*interrupted)(void *data), int *asked)
{
	freed_by(isst_options_free) struct isst_options *options = isst_options_new();
	struct isst_context *context;

	assert_non_null(options);
	isst_options_set_interrupted(options, interrupted, asked);
	context = fixture_open(&fixture, options);
	return context;
}

/** Runs a change of two steps on a context that is interrupted before the second one. */
static int run_interrupted(void)
{
	freed_by(isst_change_options_free) struct isst_change_options *options =
		isst_change_options_new();
	freed_by(isst_request_free) struct isst_request *request = isst_request_new();
	struct isst_targets *targets = all_domains(fixture.context);
	struct isst_change *change;
	int error;

	ok(isst_change_options_set_command(options, "two steps"));
	ok(isst_change_new(fixture.context, options, &change));
	ok(isst_request_set(request, ISST_VALUE_CLOS, 1));
	ok(isst_request_set(request, ISST_VALUE_CLOS_MIN_MHZ, 1200));
	ok(isst_change_add(change, ISST_SET_CLOS, targets, request, 0, NULL));
	ok(add_level(change, fixture.context, 3, NULL));
	error = isst_change_run(change);
	isst_change_free(change);
	return error;
}

static unsigned int clos_minimum(struct isst_context *context)
{
	struct isst_targets *targets = all_domains(context);
	struct isst_results *results;
	unsigned int minimum = 0;

	ok(isst_read(context, ISST_READ_CLOS, targets, NULL, 0, &results));
	isst_result_value(isst_results_at(results, 1), ISST_VALUE_CLOS_MIN_MHZ, &minimum);
	isst_results_free(results);
	return minimum;
}

MACHINE_TEST(an_interrupted_change_is_rolled_back)
{
	int asked = 0;

	fixture_begin(&fixture, "guide");
	fixture.context = open_interruptible(interrupt, &asked);
	ok(isst_lock(fixture.context, 0, 0));
	ok(isst_discover(fixture.context));
	assert_int_equal(run_interrupted(), -EINTR);
	assert_int_equal(clos_minimum(fixture.context), 0);
	assert_int_equal(level_of(fixture.context, 0), 0);
}

static int count(void *data)
{
	++*(int *)data;
	return 0;
}

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void do_nothing(int number)
{
	(void)number;
}

/** A handler of a timer ends each sleep early. */
MACHINE_TEST(signals_do_not_shorten_the_wait_for_the_lock)
{
	const struct itimerval often = { { 0, 1000 }, { 0, 1000 } }, never = { 0 };
	struct isst_context *other;
	int64_t begun;

	lock_and_discover("guide");
	other = fixture_open(&fixture, NULL);
	signal(SIGALRM, do_nothing);
	ok(setitimer(ITIMER_REAL, &often, NULL));
	begun = now_ms();
	assert_int_equal(isst_lock(other, 300, 0), -EBUSY);
	assert_true(now_ms() - begun >= 300);
	ok(setitimer(ITIMER_REAL, &never, NULL));
	/* One can still be on its way. */
	signal(SIGALRM, SIG_IGN);
	isst_close(other);
}

MACHINE_TEST(the_wait_for_the_lock_can_be_interrupted)
{
	struct isst_context *other;
	int asked = 0;

	lock_and_discover("guide");
	other = open_interruptible(interrupt, &asked);
	assert_int_equal(isst_lock(other, UINT32_MAX, 0), -EINTR);
	assert_non_null(strstr(isst_error(other), "interrupted"));
	refused(isst_lock(other, 0, ISST_LOCK_CHECK << 1));
	isst_close(other);
}

MACHINE_TEST(without_a_timeout_the_lock_is_not_waited_for)
{
	struct isst_context *other;
	int asked = 0;

	lock_and_discover("guide");
	other = open_interruptible(count, &asked);
	assert_int_equal(isst_lock(other, 0, 0), -EBUSY);
	/* The try is followed by the question whether to go on, and by no sleep. */
	assert_in_range(asked, 0, 1);
	isst_close(other);
}

/** What a child does with the context of its parent. Returns its exit status. */
static int use_in_child(struct isst_context *context, struct isst_change *change,
			int (*use)(struct isst_context *context, struct isst_change *change))
{
	pid_t child = fork();
	int status;

	assert_true(child >= 0);
	if (child == 0)
		_exit(use(context, change));
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static int close_in_child(struct isst_context *context, struct isst_change *change)
{
	isst_change_free(change);
	isst_close(context);
	return 0;
}

static int unlock_in_child(struct isst_context *context, struct isst_change *change)
{
	(void)change;
	return -isst_unlock(context);
}

static int run_in_child(struct isst_context *context, struct isst_change *change)
{
	(void)context;
	return -isst_change_run(change);
}

static int discard_in_child(struct isst_context *context, struct isst_change *change)
{
	(void)change;
	return -isst_journal_discard(context, 0);
}

MACHINE_TEST(the_lock_stays_with_the_parent)
{
	struct isst_change *change;
	struct isst_context *other;

	lock_and_discover("guide");
	other = fixture_open(&fixture, NULL);
	change = begin_change(fixture.context, 0);
	ok(add_level(change, fixture.context, 3, NULL));
	assert_int_equal(use_in_child(fixture.context, change, close_in_child), 0);
	assert_int_equal(isst_lock(other, 0, 0), -EBUSY);
	assert_int_equal(use_in_child(fixture.context, change, unlock_in_child), EINVAL);
	assert_int_equal(isst_lock(other, 0, 0), -EBUSY);
	assert_int_equal(use_in_child(fixture.context, change, run_in_child), EINVAL);
	assert_int_equal(use_in_child(fixture.context, change, discard_in_child), EINVAL);
	ok(isst_change_run(change));
	assert_int_equal(level_of(fixture.context, 0), 3);
	isst_change_free(change);
	isst_close(other);
}

/** A process that dies in the middle of a change. */
static void leave_journal(const char *platform)
{
	int status, asked = 0;
	pid_t child;

	fixture_begin(&fixture, platform);
	child = fork();
	if (child == 0) {
		fixture.context = open_interruptible(die, &asked);
		if (isst_lock(fixture.context, 0, 0) || isst_discover(fixture.context))
			_exit(1);
		run_interrupted();
		_exit(2);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	fixture.context = fixture_open(&fixture, NULL);
}

MACHINE_TEST(a_damaged_journal_is_logged_once)
{
	struct isst_options *options = isst_options_new();
	unsigned int errors = 0;
	char *command;

	isst_options_set_log(options, ISST_LOG_ERROR, count_errors, &errors);
	leave_journal("guide");
	isst_close(fixture.context);
	assert_true(asprintf(&command, "echo damage >> '%s/run/journal'", fixture.directory) > 0);
	ok(system(command));
	free(command);
	fixture.context = fixture_open(&fixture, options);
	isst_options_free(options);
	ok(isst_lock(fixture.context, 0, 0));
	assert_int_equal(isst_discover(fixture.context), -EIO);
	assert_int_equal(errors, 1);
}

MACHINE_TEST(discovery_under_a_late_lock_rolls_back_what_a_dead_process_left)
{
	leave_journal("guide");
	ok(isst_discover(fixture.context));
	assert_int_equal(clos_minimum(fixture.context), 1200);
	ok(isst_lock(fixture.context, 0, 0));
	ok(isst_discover(fixture.context));
	assert_int_equal(clos_minimum(fixture.context), 0);
	assert_non_null(isst_notice_at(fixture.context, 0));
}

/** CLOS 1 with a minimum of 1200 MHz, and no other limits than before. */
static void check_numbers(const struct isst_journal_entry *entry, const struct isst_domain *domain)
{
	const struct isst_item *item = isst_journal_entry_item(entry);
	uint64_t old_number, written, present;
	unsigned int index;

	assert_int_equal(isst_item_kind(item), ISST_ITEM_CLOS);
	assert_ptr_equal(isst_item_domain(item), domain);
	ok(isst_item_index(item, &index));
	assert_int_equal(index, 1);
	ok(isst_journal_entry_old_number(entry, &old_number));
	ok(isst_journal_entry_written_number(entry, &written));
	ok(isst_journal_entry_present_number(entry, &present));
	assert_int_equal(old_number >> 8 & 0xff, 0);
	assert_int_equal(written >> 8 & 0xff, 12);
	assert_int_equal(written, present);
}

MACHINE_TEST(a_journal_is_of_the_lock_that_it_was_opened_under)
{
	const struct isst_journal_entry *item;
	struct isst_journal *journal;

	leave_journal("guide");
	ok(isst_journal_keep(fixture.context));
	ok(isst_lock(fixture.context, 0, 0));
	ok(isst_discover(fixture.context));
	refused(isst_journal_keep(fixture.context));
	ok(isst_journal_open(fixture.context, 0, &journal));
	assert_string_equal(isst_journal_command(journal), "two steps");
	item = isst_journal_entry_at(journal, 0);
	assert_string_equal(isst_journal_entry_target(item), "package 0, die 0: CLOS 1");
	assert_non_null(isst_journal_entry_old_text(item));
	assert_string_equal(isst_journal_entry_written_text(item),
			    isst_journal_entry_present_text(item));
	check_numbers(item, isst_domain_at(fixture.context, 0));
	refused(isst_journal_apply(journal, 1));
	refused(isst_journal_discard(fixture.context, 1));
	assert_string_equal(isst_journal_entry_finding(item), "as the interrupted run left it");
	assert_int_equal(isst_journal_entry_flags(item), ISST_JOURNAL_ENTRY_RESTORED);
	ok(isst_unlock(fixture.context));
	refused(isst_journal_apply(journal, 0));
	ok(isst_lock(fixture.context, 0, 0));
	ok(isst_discover(fixture.context));
	refused(isst_journal_apply(journal, 0));
	isst_journal_free(journal);
	assert_int_equal(clos_minimum(fixture.context), 1200);
	ok(isst_journal_open(fixture.context, 0, &journal));
	ok(isst_journal_apply(journal, 0));
	isst_journal_free(journal);
	assert_int_equal(clos_minimum(fixture.context), 0);
}

/** Lines of a log by level. */
struct lines {
	unsigned int count[ISST_LOG_DEBUG + 1];
	char last[ISST_LOG_DEBUG + 1][200];
};

static void take_line(void *data, int level, const char *message)
{
	struct lines *lines = data;

	lines->count[level]++;
	snprintf(lines->last[level], sizeof(lines->last[level]), "%s", message);
}

MACHINE_TEST(the_log_has_levels)
{
	struct isst_options *options = isst_options_new();
	struct lines lines = { 0 };

	refused(isst_options_set(options, 99, 1));
	refused(isst_options_set(options, ISST_OPTION_SYSTEM_LOG, 2));
	isst_options_set_log(options, ISST_LOG_DEBUG, take_line, &lines);
	fixture_begin(&fixture, "guide");
	fixture.context = fixture_open(&fixture, options);
	ok(isst_discover(fixture.context));
	assert_true(lines.count[ISST_LOG_DEBUG] > 0);
	fixture_end(&fixture);
	lines = (struct lines){ 0 };
	isst_options_set_log(options, ISST_LOG_ERROR, take_line, &lines);
	fixture_begin(&fixture, "guide");
	fixture.context = fixture_open(&fixture, options);
	isst_options_free(options);
	ok(isst_discover(fixture.context));
	assert_int_equal(lines.count[ISST_LOG_DEBUG], 0);
	assert_int_equal(lines.count[ISST_LOG_ERROR], 0);
	refused(isst_unlock(fixture.context));
	assert_int_equal(lines.count[ISST_LOG_ERROR], 1);
	assert_string_equal(lines.last[ISST_LOG_ERROR], isst_error(fixture.context));
}

struct progress {
	unsigned int calls, offline;
};

/** CPUs that are online already are no part of what is counted. */
static void count_call(void *data, unsigned int cpu, int online, unsigned int done,
		       unsigned int count)
{
	struct progress *progress = data;

	progress->calls++;
	progress->offline += !online;
	assert_int_equal(done, online ? 0 : progress->offline);
	assert_int_equal(count, online ? 0 : 12);
	assert_true(cpu < 56);
}

/** That a CPU is taken offline is a step of its own, with the domain of the CPU. */
static void check_offline_step(const struct isst_change *change, const struct isst_domain *domain,
			       unsigned int cpu)
{
	const struct isst_change_step *step;
	unsigned int index, found = 0;
	uint64_t number;

	for (size_t i = 0; (step = isst_change_step_at(change, i)) != NULL; i++) {
		const struct isst_item *item = isst_change_step_item(step);

		if (isst_item_kind(item) != ISST_ITEM_CPU_ONLINE || isst_item_index(item, &index) ||
		    index != cpu)
			continue;
		assert_ptr_equal(isst_item_domain(item), domain);
		ok(isst_change_step_new_number(step, &number));
		assert_int_equal(number, 0);
		found++;
	}
	assert_int_equal(found, 1);
}

MACHINE_TEST(hotplug_is_progress)
{
	freed_by(isst_change_options_free) struct isst_change_options *change_options =
		isst_change_options_new();
	freed_by(isst_options_free) struct isst_options *options = isst_options_new();
	freed_by(isst_request_free) struct isst_request *request = isst_request_new();
	struct progress progress = { 0 };
	unsigned int cpu = 6;
	const struct isst_cpu *sixth;
	struct lines lines = { 0 };
	struct isst_change *change;

	isst_options_set_log(options, ISST_LOG_INFO, take_line, &lines);
	fixture_begin(&fixture, "guide");
	fixture.context = fixture_open(&fixture, options);
	ok(isst_lock(fixture.context, 0, 0));
	ok(isst_discover(fixture.context));
	sixth = isst_cpu_by_number(fixture.context, cpu);
	isst_change_options_set_progress(change_options, count_call, &progress);
	ok(isst_change_new(fixture.context, change_options, &change));
	ok(isst_request_set(request, ISST_VALUE_LEVEL, 3));
	ok(isst_change_add(change, ISST_SET_LEVEL, all_domains(fixture.context), request,
			   ISST_ADD_ONLINE, NULL));
	ok(isst_change_run(change));
	check_offline_step(change, isst_cpu_domain(sixth), cpu);
	isst_change_free(change);
	assert_int_equal(progress.offline, 12);
	assert_int_equal(lines.count[ISST_LOG_INFO], progress.calls);
	assert_non_null(strstr(lines.last[ISST_LOG_INFO], "line cpu "));
	/* The level does without core 6: that CPU is the same object, and offline. */
	assert_ptr_equal(isst_cpu_by_number(fixture.context, cpu), sixth);
	assert_false(isst_cpuset_has(isst_online_cpus(fixture.context), cpu));
	change = begin_change(fixture.context, 0);
	ok(isst_change_add(change, ISST_SET_ALL_ONLINE, NULL, NULL, 0, NULL));
	ok(isst_change_run(change));
	assert_true(isst_cpuset_has(isst_online_cpus(fixture.context), cpu));
	isst_change_free(change);
}

/** The lock keeps the device open, so that no module could register. */
MACHINE_TEST(the_driver_is_waited_for_before_the_lock)
{
	fixture_begin(&fixture, "guide");
	fixture.context = fixture_open(&fixture, NULL);
	ok(isst_wait_for_driver(fixture.context, 0, 0));
	ok(isst_lock(fixture.context, 0, 0));
	refused(isst_wait_for_driver(fixture.context, 0, 0));
	isst_unlock(fixture.context);
	ok(isst_wait_for_driver(fixture.context, 0, 0));
}
