/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every function of the public interface is given NULL for each of its pointers: it refuses it, or
 * takes it where its header says so. shared.sh fails if a function is missing here.
 */
#include "check.h"

/** What a call may not touch where it is refused. */
static unsigned int number;
static uint64_t wide;

MACHINE_TEST(numbers_and_sets)
{
	struct isst_cpuset *set = isst_cpuset_new();
	const char *bad = NULL;
	char *text;

	assert_non_null(isst_version());
	refused(isst_cpuset_add(NULL, 1, 1));
	refused(isst_cpuset_add_set(NULL, set));
	ok(isst_cpuset_add_set(set, NULL));
	refused(isst_cpuset_remove(NULL, 1, 1));
	refused(isst_cpuset_remove_set(NULL, set));
	ok(isst_cpuset_remove_set(set, NULL));
	refused(isst_cpuset_intersect(NULL, set));
	ok(isst_cpuset_intersect(set, NULL));
	assert_true(isst_cpuset_is_equal(NULL, set));
	refused(isst_cpuset_add_list(NULL, "1", &bad));
	refused(isst_cpuset_add_list(set, NULL, &bad));
	refused(isst_cpuset_add_list(set, "x", NULL));
	assert_false(isst_cpuset_has(NULL, 0));
	assert_int_equal(isst_cpuset_count(NULL), 0);
	assert_false(isst_cpuset_next(NULL, 0, &number));
	ok(isst_cpuset_add(set, 3, 3));
	assert_false(isst_cpuset_next(set, 0, NULL));
	free(text = isst_cpuset_to_list(NULL));
	assert_non_null(text);
	isst_cpuset_free(set);
	isst_cpuset_free(NULL);
}

MACHINE_TEST(contexts)
{
	struct isst_context *context;
	struct isst_machine *machine;

	isst_options_free(isst_options_new());
	isst_options_free(NULL);
	refused(isst_options_set(NULL, ISST_OPTION_TRIES, 1));
	isst_options_set_log(NULL, ISST_LOG_ERROR, NULL, NULL);
	isst_options_set_interrupted(NULL, NULL, NULL);
	refused(isst_open(NULL, NULL));
	ok(isst_open(NULL, &context));
	isst_close(context);
	/* The machine that could not be opened is not the one that the program runs on. */
	refused(isst_open_machine(NULL, NULL, &context));
	assert_null(context);
	fixture_begin(&fixture, "guide");
	ok(isst_emulator_open(fixture.target, &machine, NULL));
	/* It is closed all the same. */
	refused(isst_open_machine(machine, NULL, NULL));
	fixture_end(&fixture);
	isst_machine_free(NULL);
	isst_close(NULL);
	assert_string_equal(isst_error(NULL), "");
	assert_null(isst_error_message(NULL));
	assert_null(isst_notice_at(NULL, 0));
	assert_null(isst_message_text(NULL));
	assert_int_equal(isst_message_code(NULL), 0);
	assert_int_equal(isst_message_level(NULL), 0);
	assert_int_equal(isst_message_error(NULL), 0);
	assert_null(isst_message_domain(NULL));
	refused(isst_message_package(NULL, NULL));
	assert_null(isst_message_cpus(NULL));
	assert_null(isst_left_out_at(NULL, 0));
	assert_null(isst_offline_part_at(NULL, 0));
	refused(isst_discover(NULL));
	refused(isst_lock(NULL, 0, 0));
	refused(isst_unlock(NULL));
	refused(isst_check_privileges(NULL));
	refused(isst_wait_for_driver(NULL, 0, 0));
	refused(isst_capture(NULL, "directory", 0));
}

MACHINE_TEST(platforms_domains_and_cpus)
{
	assert_null(isst_platform_emulated_name(NULL));
	assert_null(isst_platform_name(NULL));
	refused(isst_platform_fact(NULL, ISST_FACT_INTEL));
	assert_null(isst_trl_type_name(NULL, 0));
	assert_int_equal(isst_domain_count(NULL), 0);
	assert_null(isst_domain_at(NULL, 0));
	assert_null(isst_domain_by_number(NULL, 0, 0));
	assert_null(isst_domain_name(NULL));
	assert_int_equal(isst_domain_index(NULL), 0);
	assert_int_equal(isst_domain_package(NULL), 0);
	refused(isst_domain_die(NULL, &number));
	assert_int_equal(isst_domain_number(NULL), 0);
	assert_null(isst_domain_present_cpus(NULL));
	assert_null(isst_domain_online_cpus(NULL));
	assert_false(isst_domain_is_complete(NULL));
	assert_false(isst_domain_is_io(NULL));
	assert_null(isst_cpu_by_number(NULL, 0));
	assert_int_equal(isst_cpu_number(NULL), 0);
	assert_null(isst_cpu_domain(NULL));
	refused(isst_cpu_core(NULL, &number));
	assert_null(isst_present_cpus(NULL));
	assert_null(isst_online_cpus(NULL));
	fixture_discover(&fixture, "guide");
	refused(isst_domain_die(isst_domain_at(fixture.context, 0), NULL));
	refused(isst_cpu_core(isst_cpu_by_number(fixture.context, 0), NULL));
	refused(isst_capture(fixture.context, NULL, 0));
	assert_string_not_equal(isst_error(fixture.context), "");
	refused(isst_platform_fact(fixture.context, 99));
	assert_non_null(strstr(isst_error(fixture.context), "fact"));
}

MACHINE_TEST(targets_and_requests)
{
	struct isst_request *request = isst_request_new();
	struct isst_targets *targets;

	assert_null(isst_targets_new(NULL));
	isst_targets_free(NULL);
	fixture_discover(&fixture, "guide");
	targets = isst_targets_new(fixture.context);
	refused(isst_targets_add_domain(NULL, isst_domain_at(fixture.context, 0)));
	refused(isst_targets_add_domain(targets, NULL));
	refused(isst_targets_add_all_domains(NULL, 0));
	refused(isst_targets_add_cpus(NULL, NULL));
	ok(isst_targets_add_cpus(targets, NULL));
	isst_targets_free(targets);
	fixture_end(&fixture);
	isst_request_free(NULL);
	refused(isst_request_set(NULL, ISST_VALUE_LEVEL, 1));
	refused(isst_request_set(NULL, ISST_VALUE_LEVEL, 1));
	refused(isst_request_set_cpus(NULL, ISST_VALUE_HIGH_PRIORITY_CPUS, NULL));
	ok(isst_request_set_cpus(request, ISST_VALUE_HIGH_PRIORITY_CPUS, NULL));
	isst_request_free(request);
}

MACHINE_TEST(reading)
{
	static const int READ[] = {
		ISST_READ_PERF_PROFILES,
		ISST_READ_LEVELS,
		ISST_READ_CORE_POWER,
		ISST_READ_CLOS,
		ISST_READ_CLOS_ASSOCIATIONS,
		ISST_READ_TURBO_RATIO_LIMITS,
		ISST_READ_UNCORE_LIMITS,
		ISST_READ_SCALING_LIMITS,
		ISST_READ_FREQUENCIES,
		ISST_READ_LIMIT_REASONS,
		ISST_READ_POWER,
	};
	struct isst_cpuset *undisturbed;
	struct isst_results *results;
	struct isst_targets *cpus;

	/* The only small one that has all of it. */
	fixture_discover(&fixture, "graniterapids-2s64c");
	refused(isst_cpus_changed(NULL));
	refused(isst_close_device(NULL));
	refused(isst_undisturbed_cpus(NULL, &undisturbed));
	refused(isst_undisturbed_cpus(fixture.context, NULL));
	/* Takes nothing that could be NULL. */
	assert_null(isst_limit_reason_name(-1));
	cpus = cpus_of_list(fixture.context, "0");
	for (size_t i = 0; i < sizeof(READ) / sizeof(READ[0]); i++) {
		refused(isst_read(NULL, READ[i], cpus, NULL, 0, &results));
		refused(isst_read(fixture.context, READ[i], NULL, NULL, 0, &results));
		refused(isst_read(fixture.context, READ[i], cpus, NULL, 0, NULL));
		assert_non_null(strstr(isst_error(fixture.context), "results"));
		ok(isst_read(fixture.context, READ[i], cpus, NULL, 0, &results));
		isst_results_free(results);
	}
}

MACHINE_TEST(choosing)
{
	struct isst_cpuset *chosen;
	struct isst_targets *cpus;

	fixture_discover(&fixture, "guide");
	cpus = cpus_of_list(fixture.context, "0");
	assert_false(isst_cpus_is_name(NULL));
	refused(isst_cpus_by_name(NULL, "package:0", 0, &chosen));
	refused(isst_cpus_by_name(fixture.context, NULL, 0, &chosen));
	refused(isst_cpus_by_name(fixture.context, "package:0", 0, NULL));
	refused(isst_cpus_of_module(NULL, isst_cpu_by_number(fixture.context, 0), 0, &chosen));
	refused(isst_cpus_of_module(fixture.context, NULL, 0, &chosen));
	refused(isst_cpus_of_module(fixture.context, isst_cpu_by_number(fixture.context, 0), 0,
				    NULL));
	refused(isst_choose_high_priority_cpus(NULL, cpus, NULL, 0, &chosen));
	refused(isst_choose_high_priority_cpus(fixture.context, NULL, NULL, 0, &chosen));
	refused(isst_choose_high_priority_cpus(fixture.context, cpus, NULL, 0, NULL));
	assert_non_null(strstr(isst_error(fixture.context), "CPUs"));
	refused(isst_choose_high_priority_cpus(fixture.context, cpus, NULL, 0, &chosen));
	assert_null(chosen);
}

MACHINE_TEST(values_and_results)
{
	const struct isst_result *result;
	const struct isst_cpuset *set;
	struct isst_results *results;

	assert_int_not_equal(isst_value_at(0), 0);
	assert_non_null(isst_value_name(ISST_VALUE_LEVEL));
	assert_non_null(isst_value_unit(ISST_VALUE_LEVEL));
	assert_int_not_equal(isst_value_type(ISST_VALUE_LEVEL), 0);
	isst_results_free(NULL);
	assert_int_equal(isst_results_count(NULL), 0);
	assert_null(isst_results_at(NULL, 0));
	assert_null(isst_results_by_cpu(NULL, 0));
	assert_int_equal(isst_result_target(NULL), 0);
	assert_null(isst_result_domain(NULL));
	assert_null(isst_result_cpu(NULL));
	refused(isst_result_error(NULL, ISST_PART_RESULT));
	assert_null(isst_result_message(NULL, ISST_PART_RESULT));
	assert_int_equal(isst_result_more_errors(NULL, ISST_PART_RESULT), 0);
	refused(isst_result_value(NULL, ISST_VALUE_LEVEL, &number));
	refused(isst_result_bits(NULL, ISST_VALUE_LEVEL, 0, 0, &wide));
	refused(isst_result_value_at(NULL, ISST_VALUE_LEVEL, 0, 0, &number));
	refused(isst_result_bits(NULL, ISST_VALUE_LEVEL, 0, 0, &wide));
	refused(isst_result_extent(NULL, ISST_VALUE_LEVEL, &number, &number));
	refused(isst_result_cpus(NULL, ISST_VALUE_CPUS, &set));
	fixture_discover(&fixture, "guide");
	ok(isst_read(fixture.context, ISST_READ_LEVELS, all_domains(fixture.context), NULL,
		     ISST_LEVELS_ALL, &results));
	result = isst_results_at(results, 0);
	refused(isst_result_value(result, ISST_VALUE_LEVEL, NULL));
	refused(isst_result_bits(result, ISST_VALUE_LEVEL, 0, 0, NULL));
	refused(isst_result_value_at(result, ISST_VALUE_LEVEL, 0, 0, NULL));
	refused(isst_result_bits(result, ISST_VALUE_LEVEL, 0, 0, NULL));
	ok(isst_result_extent(result, ISST_VALUE_LEVEL, NULL, NULL));
	refused(isst_result_cpus(result, ISST_VALUE_CPUS, NULL));
	isst_results_free(results);
}

MACHINE_TEST(options_of_changes)
{
	struct isst_change_options *options = isst_change_options_new();

	isst_change_options_free(NULL);
	refused(isst_change_options_set_flags(NULL, 0));
	refused(isst_change_options_set_command(NULL, "command"));
	ok(isst_change_options_set_command(options, NULL));
	isst_change_options_set_progress(NULL, NULL, NULL);
	isst_change_options_set_progress(options, NULL, NULL);
	isst_change_options_free(options);
}

static void check_adding(struct isst_context *context)
{
	static const struct {
		int what;
		unsigned int flags;
	} ADD[] = {
		{ ISST_SET_LEVEL, 0 },
		{ ISST_SET_BASE_FREQ, ISST_ADD_ENABLE },
		{ ISST_SET_TURBO_FREQ, ISST_ADD_ENABLE },
		{ ISST_SET_CORE_POWER, ISST_ADD_ENABLE },
		{ ISST_SET_CLOS, 0 },
		{ ISST_SET_CLOS_ASSOCIATIONS, 0 },
		{ ISST_SET_TURBO_RATIO_LIMITS, 0 },
		{ ISST_SET_TURBO_MODE, ISST_ADD_ENABLE },
	};
	struct isst_targets *cpus = cpus_of_list(context, "0");
	struct isst_results *results;
	struct isst_change *change;

	for (size_t i = 0; i < sizeof(ADD) / sizeof(ADD[0]); i++) {
		refused(isst_change_add(NULL, ADD[i].what, cpus, NULL, ADD[i].flags, &results));
		assert_null(results);
		ok(isst_change_new(context, NULL, &change));
		refused(isst_change_add(change, ADD[i].what, NULL, NULL, ADD[i].flags, NULL));
		run_and_free(change, -EINVAL);
	}
	refused(isst_change_add(NULL, ISST_SET_ALL_ONLINE, NULL, NULL, 0, &results));
	assert_null(results);
}

static void check_steps(struct isst_context *context)
{
	struct isst_targets *domains = all_domains(context);
	const struct isst_change_step *step;
	struct isst_change *change;

	ok(isst_change_new(context, NULL, &change));
	ok(isst_change_add(change, ISST_SET_BASE_FREQ, domains, NULL, ISST_ADD_ENABLE, NULL));
	ok(isst_change_run(change));
	step = isst_change_step_at(change, 0);
	assert_non_null(step);
	refused(isst_change_step_old_number(step, NULL));
	refused(isst_change_step_new_number(step, NULL));
	refused(isst_item_index(isst_change_step_item(step), NULL));
	assert_false(isst_change_has_left_out(change, NULL));
	isst_change_free(change);
}

MACHINE_TEST(changes)
{
	struct isst_change *change;

	lock_and_discover("guide");
	refused(isst_change_new(NULL, NULL, &change));
	refused(isst_change_new(fixture.context, NULL, NULL));
	assert_non_null(strstr(isst_error(fixture.context), "the change"));
	check_adding(fixture.context);
	check_steps(fixture.context);
	fixture_end(&fixture);
	isst_change_free(NULL);
	refused(isst_change_check(NULL));
	refused(isst_change_run(NULL));
	refused(isst_change_release(NULL));
	refused(isst_change_roll_back(NULL));
	refused(isst_change_abandon(NULL));
	assert_false(isst_change_is_held(NULL));
	assert_null(isst_change_holder(NULL));
	assert_null(isst_change_step_at(NULL, 0));
	assert_null(isst_change_step_target(NULL));
	assert_null(isst_change_step_item(NULL));
	assert_null(isst_change_step_field_at(NULL, 0, NULL, NULL));
	assert_null(isst_change_step_old_text(NULL));
	assert_null(isst_change_step_new_text(NULL));
	refused(isst_change_step_old_number(NULL, &wide));
	refused(isst_change_step_new_number(NULL, &wide));
	assert_false(isst_change_step_is_written(NULL));
	assert_false(isst_change_is_unchanged(NULL));
	assert_false(isst_change_has_left_out(NULL, NULL));
	assert_null(isst_change_warning_at(NULL, 0));
	assert_int_equal(isst_message_code_at(9999), 0);
	assert_null(isst_message_code_name(0));
	assert_null(isst_message_code_name(9999));
	assert_null(isst_change_difference_at(NULL, 0));
	assert_int_equal(isst_item_kind(NULL), 0);
	assert_null(isst_item_domain(NULL));
	refused(isst_item_index(NULL, &number));
	assert_null(isst_item_unit(NULL));
}

MACHINE_TEST(configurations)
{
	struct isst_config *config = isst_config_new(), *made = config;
	struct isst_apply_record *record = NULL;
	const char *message;
	char *text = NULL;

	fixture_discover(&fixture, "guide");
	isst_config_free(NULL);
	refused(isst_config_add_text(NULL, "name", "", 0, 0));
	refused(isst_config_add_text(config, NULL, "", 0, 0));
	refused(isst_config_add_text(config, "name", NULL, 0, 0));
	refused(isst_config_add_text(config, "name", "", 0, 4));
	assert_null(isst_config_problem_at(NULL, 0));
	assert_null(isst_config_skipped_at(NULL, 0));
	assert_null(isst_config_skipped_at(config, 0));
	refused(isst_config_to_text(NULL, 0, &text));
	refused(isst_config_to_text(config, 0, NULL));
	refused(isst_config_to_text(config, 1, &text));
	assert_null(text);
	refused(isst_config_read(NULL, NULL, 0, &made));
	refused(isst_config_read(fixture.context, NULL, 0, NULL));
	refused(isst_config_read(fixture.context, NULL, 4, &made));
	refused(isst_config_defaults(NULL, 0, &made));
	refused(isst_config_defaults(fixture.context, 0, NULL));
	refused(isst_config_boot(NULL, 0, &made));
	refused(isst_config_boot(fixture.context, 0, NULL));
	refused(isst_config_boot(fixture.context, 1, &made));
	refused(isst_config_match(NULL, fixture.context, 0));
	refused(isst_config_match(config, NULL, 0));
	refused(isst_config_match(config, fixture.context, 1));
	refused(isst_config_check(NULL, fixture.context, 0));
	refused(isst_config_check(config, NULL, 0));
	message = isst_error(fixture.context);
	assert_non_null(strstr(message, "configuration"));
	assert_null(isst_config_difference_at(NULL, 0));
	assert_null(isst_config_difference_target(NULL));
	assert_null(isst_config_difference_wanted(NULL));
	assert_null(isst_config_difference_present(NULL));
	assert_null(isst_config_difference_origin(NULL));
	assert_null(isst_config_difference_domain(NULL));
	assert_null(isst_config_difference_cpus(NULL));
	assert_null(isst_config_difference_subject(NULL));
	isst_config_set_targets(NULL, NULL);
	refused(isst_claim(NULL, "x"));
	refused(isst_events_open(NULL, 0, NULL));
	assert_int_equal(isst_events_descriptor(NULL), -1);
	assert_int_equal(isst_events_take(NULL), 0);
	isst_events_close(NULL);
	assert_null(isst_config_high_priority_cpus(NULL));
	refused(isst_change_add_config(NULL, config, 0));
	refused(isst_config_record_apply(NULL, fixture.context, -EIO, 0));
	refused(isst_config_record_apply(config, NULL, 0, 0));
	refused(isst_config_record_apply(config, fixture.context, 0, 1));
	refused(isst_read_apply_record(NULL, 0, &record));
	refused(isst_read_apply_record(fixture.context, 0, NULL));
	refused(isst_read_apply_record(fixture.context, 1, &record));
	isst_apply_record_free(NULL);
	assert_true(isst_apply_record_time_s(NULL) == -1);
	assert_false(isst_apply_record_succeeded(NULL));
	assert_null(isst_apply_record_source(NULL));
	assert_null(isst_apply_record_sha256(NULL));
	isst_config_free(config);
}

MACHINE_TEST(journals)
{
	struct isst_journal *journal;

	fixture_discover(&fixture, "guide");
	refused(isst_journal_open(fixture.context, 0, NULL));
	assert_non_null(strstr(isst_error(fixture.context), "the journal"));
	fixture_end(&fixture);
	refused(isst_journal_keep(NULL));
	refused(isst_journal_open(NULL, 0, &journal));
	isst_journal_free(NULL);
	assert_string_equal(isst_journal_command(NULL), "");
	assert_false(isst_journal_is_held(NULL));
	assert_int_equal(isst_journal_age_s(NULL), -1);
	assert_null(isst_journal_entry_at(NULL, 0));
	assert_null(isst_journal_entry_target(NULL));
	assert_null(isst_journal_entry_item(NULL));
	assert_null(isst_journal_entry_old_text(NULL));
	assert_null(isst_journal_entry_written_text(NULL));
	assert_null(isst_journal_entry_present_text(NULL));
	refused(isst_journal_entry_old_number(NULL, &wide));
	refused(isst_journal_entry_written_number(NULL, &wide));
	refused(isst_journal_entry_present_number(NULL, &wide));
	assert_null(isst_journal_entry_finding(NULL));
	assert_int_equal(isst_journal_entry_flags(NULL), 0);
	refused(isst_journal_apply(NULL, 0));
	refused(isst_journal_discard(NULL, 0));
}

#define refused_with_message(call) \
	do { \
		char *error = NULL; \
		refused(call); \
		assert_non_null(error); \
		free(error); \
	} while (0)

MACHINE_TEST(explanations)
{
	struct isst_explanation *explanation;
	struct isst_targets *targets;

	fixture_discover(&fixture, "guide");
	targets = all_domains(fixture.context);
	refused(isst_explain(NULL, targets, NULL, 0, &explanation));
	refused(isst_explain(fixture.context, NULL, NULL, 0, &explanation));
	refused(isst_explain(fixture.context, targets, NULL, 1U << 20, &explanation));
	refused(isst_explain(fixture.context, targets, NULL, 0, NULL));
	isst_explanation_free(NULL);
	assert_null(isst_explanation_finding_at(NULL, 0));
	assert_null(isst_explanation_unread_at(NULL, 0));
	assert_null(isst_explanation_note_at(NULL, 0));
	assert_int_equal(isst_explanation_measured_mhz(NULL, 0), 0);
	assert_null(isst_finding_code_name(9999));
	assert_int_equal(isst_finding_code(NULL), 0);
	assert_null(isst_finding_name(NULL));
	assert_int_equal(isst_finding_severity(NULL), 0);
	assert_null(isst_finding_place(NULL));
	assert_null(isst_finding_cpus(NULL));
	assert_null(isst_finding_packages(NULL));
	assert_null(isst_finding_evidence(NULL));
	assert_null(isst_finding_meaning(NULL));
	assert_null(isst_finding_remedy(NULL));
}

MACHINE_TEST(emulators)
{
	static char NAME[] = "true";
	char *words[] = { NAME, NULL }, *none[] = { NULL }, *text;
	struct isst_emulator_statistics *statistics;
	struct isst_machine *machine;

	assert_true(isst_emulator_is_available());
	assert_null(isst_emulator_unavailable_text());
	assert_non_null(isst_emulator_platform_name(0));
	assert_non_null(isst_emulator_platform_title(0));
	assert_false(isst_emulator_platform_is_synthetic(9999));
	assert_null(isst_emulator_target_new(NULL));
	isst_emulator_target_free(NULL);
	refused(isst_emulator_target_set_state(NULL, "/tmp"));
	refused(isst_emulator_target_set_flags(NULL, 0));
	fixture_begin(&fixture, "guide");
	refused_with_message(isst_emulator_open(NULL, &machine, &error));
	refused_with_message(isst_emulator_open(fixture.target, NULL, &error));
	refused(isst_emulator_open(NULL, NULL, NULL));
	refused_with_message(isst_emulator_show(NULL, &text, &error));
	refused_with_message(isst_emulator_show(fixture.target, NULL, &error));
	ok(isst_emulator_show(fixture.target, &text, NULL));
	free(text);
	refused_with_message(isst_emulator_reset(NULL, &error));
	ok(isst_emulator_reset(fixture.target, NULL));
	refused_with_message(isst_emulator_read_statistics(NULL, 0, &statistics, &error));
	refused_with_message(isst_emulator_read_statistics(fixture.target, 0, NULL, &error));
	refused_with_message(
		isst_emulator_read_statistics(fixture.target, 1U << 20, &statistics, &error));
	assert_null(statistics);
	ok(isst_emulator_read_statistics(fixture.target, 0, &statistics, NULL));
	assert_int_equal(isst_emulator_statistics_count(statistics, 9999), 0);
	isst_emulator_statistics_free(statistics);
	isst_emulator_statistics_free(NULL);
	assert_int_equal(isst_emulator_statistics_count(NULL, ISST_EMULATOR_COUNTER_DRIVER_CALLS),
			 0);
	refused_with_message(isst_emulator_run(NULL, words, 0, 0, NULL, &error));
	refused_with_message(isst_emulator_run(fixture.target, NULL, 0, 0, NULL, &error));
	refused_with_message(isst_emulator_run(fixture.target, none, 0, 0, NULL, &error));
	refused_with_message(isst_emulator_run(fixture.target, words, 1U << 20, 0, NULL, &error));
	refused(isst_emulator_run(NULL, words, 0, 0, NULL, NULL));
}
