/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading by the public interface: targets, requests, results and values. */
#include "check.h"

MACHINE_TEST(versions_agree)
{
	char text[32];

	snprintf(text, sizeof(text), "%u.%u.%u", ISST_VERSION_MAJOR, ISST_VERSION_MINOR,
		 ISST_VERSION_PATCH);
	assert_string_equal(isst_version(), text);
	assert_string_equal(isst_version(), ISST_VERSION);
}

MACHINE_TEST(each_value_has_a_number_and_a_name_of_its_own)
{
	size_t count = 0;
	int id;

	for (; (id = isst_value_at(count)) != 0; count++) {
		assert_non_null(isst_value_name(id));
		for (size_t i = 0; i < count; i++)
			assert_string_not_equal(isst_value_name(isst_value_at(i)),
						isst_value_name(id));
		assert_non_null(isst_value_unit(id));
		assert_int_not_equal(isst_value_type(id), 0);
	}
	assert_true(count > 40);
	assert_string_equal(isst_value_name(ISST_VALUE_TDP_W), "tdp_w");
	assert_string_equal(isst_value_unit(ISST_VALUE_TDP_W), "W");
	assert_null(isst_value_name(-1));
	assert_null(isst_value_unit(9999));
	assert_int_equal(isst_value_type(9999), 0);
}

MACHINE_TEST(nothing_is_read_before_discovery)
{
	struct isst_results *results;
	struct isst_targets *targets;

	fixture_begin(&fixture, "guide");
	fixture.context = fixture_open(&fixture, NULL);
	assert_string_equal(isst_error(fixture.context), "");
	assert_int_equal(isst_domain_count(fixture.context), 0);
	assert_null(isst_domain_at(fixture.context, 0));
	assert_null(isst_cpu_by_number(fixture.context, 0));
	assert_null(isst_online_cpus(fixture.context));
	assert_string_equal(isst_platform_emulated_name(fixture.context), "guide");
	assert_int_equal(isst_platform_fact(fixture.context, ISST_FACT_MODEL), 0x6a);
	targets = isst_targets_new(fixture.context);
	refused(isst_targets_add_all_domains(targets, 0));
	results = read_of(ISST_READ_PERF_PROFILES, targets, -EINVAL);
	assert_null(results);
	assert_string_equal(isst_error(fixture.context), "the machine has not been discovered yet");
	isst_targets_free(targets);
}

MACHINE_TEST(a_result_is_found_by_its_CPU)
{
	const struct isst_result *result;
	struct isst_results *results;

	fixture_discover(&fixture, "guide");
	results = read_of(ISST_READ_CLOS_ASSOCIATIONS, cpus_of_list(fixture.context, "3,14"), 0);
	result = isst_results_by_cpu(results, 14);
	assert_ptr_equal(result, isst_results_at(results, 1));
	assert_int_equal(isst_cpu_number(isst_result_cpu(result)), 14);
	assert_null(isst_results_by_cpu(results, 4));
	results = read_of(ISST_READ_CORE_POWER, all_domains(fixture.context), 0);
	assert_null(isst_results_by_cpu(results, 0));
}

MACHINE_TEST(a_message_is_that_of_the_last_call)
{
	struct isst_targets *targets;

	fixture_discover(&fixture, "guide");
	refused(isst_unlock(fixture.context));
	assert_string_not_equal(isst_error(fixture.context), "");
	targets = all_domains(fixture.context);
	assert_string_equal(isst_error(fixture.context), "");
	refused(isst_unlock(fixture.context));
	read_of(ISST_READ_LEVELS, targets, 0);
	assert_string_equal(isst_error(fixture.context), "");
	refused(isst_read(fixture.context, 99, targets, NULL, 0, NULL));
	assert_false(isst_cpus_changed(fixture.context));
	assert_string_equal(isst_error(fixture.context), "");
}

MACHINE_TEST(domains_and_cpus_tell_what_they_are)
{
	const struct isst_domain *domain;
	const struct isst_cpu *cpu;
	unsigned int number;
	char *cpus;

	fixture_discover(&fixture, "guide");
	assert_int_equal(isst_domain_count(fixture.context), 2);
	domain = isst_domain_at(fixture.context, 1);
	assert_string_equal(isst_domain_name(domain), "package 1, die 0");
	assert_int_equal(isst_domain_index(domain), 1);
	assert_int_equal(isst_domain_package(domain), 1);
	ok(isst_domain_die(domain, &number));
	assert_int_equal(number, 0);
	assert_int_equal(isst_domain_number(domain), 0);
	assert_true(isst_cpuset_next(isst_domain_online_cpus(domain), 0, &number));
	assert_int_equal(number, 14);
	assert_true(isst_domain_is_complete(domain));
	assert_false(isst_domain_is_io(domain));
	cpus = isst_cpuset_to_list(isst_domain_present_cpus(domain));
	assert_string_equal(cpus, "14-27,42-55");
	free(cpus);
	assert_ptr_equal(isst_domain_by_number(fixture.context, 1, 0), domain);
	assert_null(isst_domain_by_number(fixture.context, 1, 1));
	assert_null(isst_domain_by_number(fixture.context, 2, 0));
	assert_int_equal(isst_platform_fact(fixture.context, ISST_FACT_CLOS_COUNT), 4);
	assert_null(isst_domain_at(fixture.context, 2));
	cpu = isst_cpu_by_number(fixture.context, 43);
	assert_int_equal(isst_cpu_number(cpu), 43);
	assert_ptr_equal(isst_cpu_domain(cpu), domain);
	ok(isst_cpu_core(cpu, &number));
	assert_int_equal(number, 1);
	assert_null(isst_cpu_by_number(fixture.context, 56));
}

MACHINE_TEST(a_set_of_targets_is_of_domains_or_of_cpus)
{
	struct isst_targets *domains, *cpus;
	struct isst_results *results;
	freed_by(isst_cpuset_free) struct isst_cpuset *set = isst_cpuset_new();
	struct fixture other = { 0 };

	fixture_discover(&fixture, "guide");
	fixture_discover(&other, "guide");
	domains = all_domains(fixture.context);
	ok(isst_targets_add_domain(domains, isst_domain_at(fixture.context, 0)));
	assert_int_equal(isst_results_count(read_of(ISST_READ_PERF_PROFILES, domains, 0)), 2);
	ok(isst_cpuset_add(set, 1, 1));
	refused(isst_targets_add_cpus(domains, set));
	refused(isst_targets_add_domain(domains, isst_domain_at(other.context, 0)));
	refused(isst_targets_add_domain(domains, NULL));
	cpus = cpus_of_list(fixture.context, "14-15,0,14");
	assert_int_equal(isst_results_count(read_of(ISST_READ_CLOS_ASSOCIATIONS, cpus, 0)), 3);
	refused(isst_targets_add_domain(cpus, isst_domain_at(fixture.context, 0)));
	ok(isst_cpuset_add(set, 999, 999));
	assert_int_equal(isst_targets_add_cpus(cpus, set), -EOPNOTSUPP);
	assert_int_equal(isst_results_count(read_of(ISST_READ_CLOS_ASSOCIATIONS, cpus, 0)), 3);
	refused(isst_read(fixture.context, ISST_READ_CLOS_ASSOCIATIONS, domains, NULL, 0,
			  &results));
	refused(isst_read(other.context, ISST_READ_PERF_PROFILES, domains, NULL, 0, &results));
	refused(isst_read(other.context, ISST_READ_PERF_PROFILES, NULL, NULL, 0, &results));
	/* The domains of CPUs are theirs once each. */
	ok(isst_read(fixture.context, ISST_READ_PERF_PROFILES, cpus, NULL, 0, &results));
	assert_int_equal(isst_results_count(results), 2);
	assert_null(isst_result_cpu(isst_results_at(results, 0)));
	isst_results_free(results);
	fixture_end(&fixture);
	fixture_end(&other);
}

MACHINE_TEST(no_targets_have_no_results)
{
	struct isst_targets *targets;
	struct isst_results *results;

	fixture_discover(&fixture, "guide");
	targets = isst_targets_new(fixture.context);
	results = read_of(ISST_READ_LEVELS, targets, 0);
	assert_non_null(results);
	assert_int_equal(isst_results_count(results), 0);
	assert_null(isst_results_at(results, 0));
	isst_targets_free(targets);
}

/** What the guide prints of level 0 of its second package. */
static void check_level_0(const struct isst_result *level)
{
	const struct isst_cpuset *cpus;
	unsigned int rows, columns;
	uint64_t cores;
	char *list;

	check_value(level, ISST_VALUE_LEVEL, 0);
	check_value(level, ISST_VALUE_HIGHEST_LEVEL, 4);
	check_value(level, ISST_VALUE_LOCKED, 0);
	check_value(level, ISST_VALUE_BASE_FREQ_STATE, ISST_FEATURE_DISABLED);
	check_value(level, ISST_VALUE_TDP_RATIO, 26);
	check_value(level, ISST_VALUE_TDP_W, 205);
	check_value(level, ISST_VALUE_TJUNCTION_C, 105);
	check_value(level, ISST_VALUE_MEMORY_MHZ, 3200);
	check_no_value(level, ISST_VALUE_BASE_AMX_MHZ, ENODATA);
	check_value_at(level, ISST_VALUE_FABRIC_MAX_MHZ, 0, 0, 2400);
	ok(isst_result_extent(level, ISST_VALUE_TURBO_LIMIT_MHZ, &rows, &columns));
	assert_true(rows >= 6 && columns >= 8);
	check_value_at(level, ISST_VALUE_TURBO_LIMIT_CORES, 0, 7, 16);
	check_value_at(level, ISST_VALUE_TURBO_LIMIT_MHZ, 2, 3, 2600);
	assert_int_equal(isst_result_value_at(level, ISST_VALUE_TURBO_LIMIT_MHZ, rows, 0, &rows),
			 -ENODATA);
	check_value(level, ISST_VALUE_BASE_FREQ_HIGH_MHZ, 3000);
	check_value(level, ISST_VALUE_TURBO_FREQ_BUCKETS, 3);
	check_value_at(level, ISST_VALUE_TURBO_FREQ_HIGH_CORES, 0, 2, 6);
	assert_int_equal(isst_result_value_at(level, ISST_VALUE_TURBO_FREQ_HIGH_CORES, 0, 3, &rows),
			 -ENODATA);
	check_value_at(level, ISST_VALUE_TURBO_FREQ_HIGH_MHZ, 1, 0, 3200);
	check_value_at(level, ISST_VALUE_TURBO_FREQ_CLIP_MHZ, 2, 0, 2100);
	ok(isst_result_cpus(level, ISST_VALUE_CPUS, &cpus));
	assert_int_equal(isst_cpuset_count(cpus), 28);
	ok(isst_result_bits(level, ISST_VALUE_CORES, 0, 0, &cores));
	assert_int_equal(cores, 0x3fff);
	ok(isst_result_extent(level, ISST_VALUE_CORES, &rows, &columns));
	assert_int_equal(rows, 1);
	ok(isst_result_bits(level, ISST_VALUE_CORES, 0, 0, &cores));
	assert_int_equal(cores, 0x3fff);
	assert_int_equal(isst_result_bits(level, ISST_VALUE_CORES, 0, columns, &cores), -ENODATA);
	assert_int_equal(cores, 0);
	ok(isst_result_cpus(level, ISST_VALUE_BASE_FREQ_HIGH_CPUS, &cpus));
	list = isst_cpuset_to_list(cpus);
	assert_string_equal(list, "19-20,22,27,47-48,50,55");
	free(list);
}

MACHINE_TEST(levels_have_all_that_the_guide_prints)
{
	struct isst_results *results;
	const struct isst_result *level;

	fixture_discover(&fixture, "guide");
	ok(isst_read(fixture.context, ISST_READ_LEVELS, all_domains(fixture.context), NULL,
		     ISST_LEVELS_ALL, &results));
	assert_int_equal(isst_results_count(results), 10);
	level = isst_results_at(results, 5);
	assert_int_equal(isst_result_target(level), 1);
	assert_string_equal(isst_domain_name(isst_result_domain(level)), "package 1, die 0");
	check_level_0(level);
	/* Level 2 has neither SST-BF nor SST-TF. */
	level = isst_results_at(results, 7);
	check_value(level, ISST_VALUE_LEVEL, 2);
	check_value(level, ISST_VALUE_TURBO_FREQ_STATE, ISST_FEATURE_UNSUPPORTED);
	check_no_value(level, ISST_VALUE_TURBO_FREQ_BUCKETS, ENODATA);
	check_no_value(level, ISST_VALUE_BASE_FREQ_HIGH_MHZ, ENODATA);
	fixture_end(&fixture);
	/* Results are copies. */
	check_level_0(isst_results_at(results, 5));
	isst_results_free(results);
}

MACHINE_TEST(a_value_of_another_kind_is_refused)
{
	const struct isst_cpuset *cpus;
	struct isst_results *results;
	const struct isst_result *level;
	unsigned int rows;
	uint64_t wide;

	fixture_discover(&fixture, "guide");
	ok(isst_read(fixture.context, ISST_READ_LEVELS, all_domains(fixture.context), NULL,
		     ISST_LEVELS_PROPERTIES | ISST_LEVELS_CURRENT, &results));
	assert_int_equal(isst_results_count(results), 2);
	level = isst_results_at(results, 0);
	check_no_value(level, ISST_VALUE_CLOS_EPP, EINVAL);
	check_no_value(level, ISST_VALUE_CPUS, EINVAL);
	check_no_value(level, ISST_VALUE_CORES, EINVAL);
	check_no_value(level, 9999, EINVAL);
	refused(isst_result_error(level, 9999));
	refused(isst_result_error(level, -1));
	assert_null(isst_result_message(level, 9999));
	/* It was not asked for. */
	check_no_value(level, ISST_VALUE_TURBO_FREQ_BUCKETS, EINVAL);
	refused(isst_result_cpus(level, ISST_VALUE_TDP_W, &cpus));
	assert_null(cpus);
	ok(isst_result_bits(level, ISST_VALUE_TDP_W, 0, 0, &wide));
	assert_int_equal(wide, 205);
	refused(isst_result_extent(level, 9999, &rows, NULL));
	assert_int_equal(rows, 0);
	isst_results_free(results);
}

MACHINE_TEST(levels_that_do_not_exist_are_left_out_unless_asked_for)
{
	static const unsigned int levels[] = { 0, 3, 4 };
	freed_by(isst_request_free) struct isst_request *request = isst_request_new();
	struct isst_targets *targets;
	struct isst_results *results;

	fixture_discover(&fixture, of_tests("level-gaps"));
	targets = all_domains(fixture.context);
	ok(isst_read(fixture.context, ISST_READ_LEVELS, targets, NULL, 0, &results));
	assert_int_equal(isst_results_count(results), 3);
	for (size_t i = 0; i < 3; i++)
		check_value(isst_results_at(results, i), ISST_VALUE_LEVEL, levels[i]);
	isst_results_free(results);
	for (unsigned int level = 1; level <= 5; level += 4) {
		ok(isst_request_set(request, ISST_VALUE_LEVEL, level));
		assert_int_equal(
			isst_read(fixture.context, ISST_READ_LEVELS, targets, request, 0, &results),
			-EOPNOTSUPP);
		assert_int_equal(isst_results_count(results), 1);
		assert_int_equal(isst_result_error(isst_results_at(results, 0), ISST_PART_RESULT),
				 -EOPNOTSUPP);
		assert_string_equal(
			isst_result_message(isst_results_at(results, 0), ISST_PART_RESULT),
			isst_error(fixture.context));
		check_value(isst_results_at(results, 0), ISST_VALUE_HIGHEST_LEVEL, 4);
		isst_results_free(results);
	}
}

MACHINE_TEST(partial_success_has_a_value)
{
	const struct isst_result *failed;
	struct isst_targets *targets;
	struct isst_results *results;
	char *message;

	fixture_discover(&fixture, "guide");
	targets = all_domains(fixture.context);
	fixture_fault(&fixture, "mailbox 0x7f/0x00 package 1 ENXIO");
	results = read_of(ISST_READ_PERF_PROFILES, targets, ISST_PARTIAL);
	assert_int_equal(isst_result_error(isst_results_at(results, 0), ISST_PART_RESULT), 0);
	assert_null(isst_result_message(isst_results_at(results, 0), ISST_PART_RESULT));
	check_value(isst_results_at(results, 0), ISST_VALUE_HIGHEST_LEVEL, 4);
	failed = isst_results_at(results, 1);
	assert_int_equal(isst_result_error(failed, ISST_PART_RESULT), -EIO);
	check_no_value(failed, ISST_VALUE_HIGHEST_LEVEL, EIO);
	message = strdup(isst_result_message(failed, ISST_PART_RESULT));
	assert_non_null(strstr(message, "package 1, die 0"));
	/* So do levels, by their domain. */
	results = read_of(ISST_READ_LEVELS, targets, ISST_PARTIAL);
	assert_int_equal(isst_results_count(results), 6);
	failed = isst_results_at(results, 5);
	assert_int_equal(isst_result_error(failed, ISST_PART_PERF_PROFILE), -EIO);
	assert_string_equal(isst_result_message(failed, ISST_PART_PERF_PROFILE), message);
	check_no_value(failed, ISST_VALUE_LEVEL, EIO);
	free(message);
}

MACHINE_TEST(where_all_targets_fail_the_results_are_still_handed_out)
{
	struct isst_results *results;

	fixture_discover(&fixture, "guide");
	fixture_fault(&fixture, "mailbox 0x7f/0x00 ENXIO");
	results = read_of(ISST_READ_PERF_PROFILES, all_domains(fixture.context), -EOPNOTSUPP);
	assert_int_equal(isst_results_count(results), 2);
	assert_string_equal(isst_error(fixture.context),
			    isst_result_message(isst_results_at(results, 0), ISST_PART_RESULT));
}

MACHINE_TEST(a_part_that_fails_keeps_the_rest)
{
	struct isst_results *results;
	const struct isst_result *level;

	fixture_discover(&fixture, "guide");
	fixture_fault(&fixture, "mailbox 0x7f/0x11 EIO");
	assert_int_equal(isst_read(fixture.context, ISST_READ_LEVELS, all_domains(fixture.context),
				   NULL, ISST_LEVELS_ALL | ISST_LEVELS_CURRENT, &results),
			 ISST_PARTIAL);
	level = isst_results_at(results, 0);
	assert_int_equal(isst_result_error(level, ISST_PART_RESULT), 0);
	assert_int_equal(isst_result_error(level, ISST_PART_TURBO_FREQ), -EIO);
	assert_true(isst_result_more_errors(level, ISST_PART_TURBO_FREQ) > 0);
	check_value(level, ISST_VALUE_TDP_W, 205);
	check_value(level, ISST_VALUE_BASE_FREQ_HIGH_MHZ, 3000);
	check_value(level, ISST_VALUE_TURBO_FREQ_BUCKETS, 3);
	check_no_value(level, ISST_VALUE_TURBO_FREQ_HIGH_MHZ, EIO);
	isst_results_free(results);
}

MACHINE_TEST(core_power_and_clos_are_read)
{
	freed_by(isst_request_free) struct isst_request *request = isst_request_new();
	struct isst_targets *targets, *cpus;
	struct isst_results *results;
	uint64_t limits;

	fixture_discover(&fixture, "guide");
	targets = all_domains(fixture.context);
	ok(isst_read(fixture.context, ISST_READ_CORE_POWER, targets, NULL, 0, &results));
	check_value(isst_results_at(results, 0), ISST_VALUE_CORE_POWER_SUPPORTED, 1);
	check_value(isst_results_at(results, 0), ISST_VALUE_CORE_POWER_ENABLED, 0);
	check_value(isst_results_at(results, 0), ISST_VALUE_PRIORITY, ISST_PRIORITY_PROPORTIONAL);
	isst_results_free(results);
	ok(isst_read(fixture.context, ISST_READ_CLOS, targets, NULL, 0, &results));
	assert_int_equal(isst_results_count(results), 8);
	check_value(isst_results_at(results, 6), ISST_VALUE_CLOS, 2);
	check_value(isst_results_at(results, 6), ISST_VALUE_CLOS_MAX_MHZ, ISST_CLOS_NO_LIMIT_MHZ);
	assert_int_equal(isst_result_target(isst_results_at(results, 6)), 1);
	isst_results_free(results);
	ok(isst_request_set(request, ISST_VALUE_CLOS, 3));
	ok(isst_read(fixture.context, ISST_READ_CLOS, targets, request, 0, &results));
	assert_int_equal(isst_results_count(results), 2);
	check_value(isst_results_at(results, 1), ISST_VALUE_CLOS, 3);
	isst_results_free(results);
	cpus = cpus_of_list(fixture.context, "3,30");
	ok(isst_read(fixture.context, ISST_READ_CLOS_ASSOCIATIONS, cpus, NULL, 0, &results));
	assert_int_equal(isst_results_count(results), 2);
	assert_int_equal(isst_cpu_number(isst_result_cpu(isst_results_at(results, 1))), 30);
	check_value(isst_results_at(results, 1), ISST_VALUE_CLOS, 0);
	isst_results_free(results);
	ok(isst_read(fixture.context, ISST_READ_TURBO_RATIO_LIMITS, targets, NULL, 0, &results));
	ok(isst_result_bits(isst_results_at(results, 0), ISST_VALUE_TURBO_RATIO_LIMITS, 0, 0,
			    &limits));
	assert_int_equal(limits, 0x1f1f1f1f1f1f1f20);
	isst_results_free(results);
}

MACHINE_TEST(wrong_requests_and_flags_are_refused)
{
	freed_by(isst_request_free) struct isst_request *request = isst_request_new();
	struct isst_targets *targets;
	struct isst_results *results;

	refused(isst_request_set(request, ISST_VALUE_TDP_W, 1));
	refused(isst_request_set(request, ISST_VALUE_HIGH_PRIORITY_CPUS, 1));
	refused(isst_request_set(request, 9999, 1));
	refused(isst_request_set(request, ISST_VALUE_LEVEL, UINT64_MAX));
	refused(isst_request_set_cpus(request, ISST_VALUE_LEVEL, NULL));
	fixture_discover(&fixture, "guide");
	targets = all_domains(fixture.context);
	ok(isst_request_set(request, ISST_VALUE_CLOS, 4));
	refused(isst_read(fixture.context, ISST_READ_CLOS, targets, request, 0, &results));
	assert_null(results);
	ok(isst_request_set(request, ISST_VALUE_CLOS, UINT32_MAX));
	refused(isst_read(fixture.context, ISST_READ_CLOS, targets, request, 0, &results));
	refused(isst_read(fixture.context, ISST_READ_LEVELS, targets, request, 0, &results));
	assert_string_equal(isst_error(fixture.context),
			    "the call has no use for the value clos of its request");
	refused(isst_read(fixture.context, ISST_READ_LEVELS, targets, NULL, 1U << 20, &results));
	refused(isst_read(fixture.context, ISST_READ_CORE_POWER, targets, NULL, 1, &results));
}

MACHINE_TEST(platforms_differ_by_facts)
{
	static const struct {
		const char *platform;
		int power_domains, weight, epp, proportional, levels, preset;
	} cases[] = {
		{ "guide", 0, 1, 1, 1, 0, 0 },
		{ "tests/skylake-mailbox", 0, 0, 0, 0, 0, 0 },
		{ "tests/tpmi-tiny", 1, 1, 0, 1, 1, 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *name = cases[i].platform;

		fixture_discover(&fixture, strncmp(name, "tests/", 6) ? name : of_tests(name + 6));
		assert_int_equal(isst_platform_fact(fixture.context, ISST_FACT_INTEL), 1);
		assert_int_equal(isst_platform_fact(fixture.context, ISST_FACT_POWER_DOMAINS),
				 cases[i].power_domains);
		assert_int_equal(isst_platform_fact(fixture.context, ISST_FACT_CLOS_WEIGHT),
				 cases[i].weight);
		assert_int_equal(isst_platform_fact(fixture.context, ISST_FACT_CLOS_EPP),
				 cases[i].epp);
		assert_int_equal(
			isst_platform_fact(fixture.context, ISST_FACT_PROPORTIONAL_PRIORITY),
			cases[i].proportional);
		assert_int_equal(
			isst_platform_fact(fixture.context, ISST_FACT_TRL_TYPES_ARE_LEVELS),
			cases[i].levels);
		assert_int_equal(isst_platform_fact(fixture.context, ISST_FACT_PRESET),
				 cases[i].preset);
		refused(isst_platform_fact(fixture.context, 999));
	}
}

MACHINE_TEST(a_preset_platform_is_known_before_discovery)
{
	fixture_begin(&fixture, of_tests("preset-not-set-up"));
	fixture.context = fixture_open(&fixture, NULL);
	assert_int_equal(isst_platform_fact(fixture.context, ISST_FACT_PRESET), 1);
}

MACHINE_TEST(turbo_that_is_disabled_is_a_fact)
{
	fixture_discover(&fixture, "guide");
	assert_int_equal(isst_platform_fact(fixture.context, ISST_FACT_TURBO_DISABLED), 0);
	fixture_end(&fixture);
	fixture_discover(&fixture, of_tests("bios-no-turbo"));
	assert_int_equal(isst_platform_fact(fixture.context, ISST_FACT_TURBO_DISABLED), 1);
	fixture_end(&fixture);
	fixture_discover(&fixture, of_tests("acpi-cpufreq"));
	assert_int_equal(isst_platform_fact(fixture.context, ISST_FACT_TURBO_DISABLED), -ENODATA);
}

MACHINE_TEST(the_limit_of_all_cpus_is_a_fact)
{
	fixture_discover(&fixture, "icelake-2s40c");
	assert_int_equal(isst_platform_fact(fixture.context, ISST_FACT_MAX_PERF_PCT), 100);
	fixture_end(&fixture);
	fixture_discover(&fixture, of_tests("acpi-cpufreq"));
	assert_int_equal(isst_platform_fact(fixture.context, ISST_FACT_MAX_PERF_PCT), -ENODATA);
}

MACHINE_TEST(packages_are_counted)
{
	fixture_discover(&fixture, "guide");
	assert_int_equal(isst_platform_fact(fixture.context, ISST_FACT_PACKAGES), 2);
	assert_int_equal(isst_platform_fact(fixture.context, ISST_FACT_ONLINE_PACKAGES), 2);
}

/* CPUs 4-7, which were not seen since boot, are as many as another package has. */
MACHINE_TEST(packages_that_may_be_offline_are_not_counted)
{
	fixture_discover(&fixture, of_tests("package-offline"));
	assert_int_equal(isst_platform_fact(fixture.context, ISST_FACT_PACKAGES), -ENODATA);
	assert_int_equal(isst_platform_fact(fixture.context, ISST_FACT_ONLINE_PACKAGES), 2);
}

MACHINE_TEST(trl_types_are_named)
{
	fixture_discover(&fixture, "guide");
	assert_int_equal(isst_platform_fact(fixture.context, ISST_FACT_TRL_TYPES), 3);
	assert_string_equal(isst_trl_type_name(fixture.context, 2), "avx512");
	assert_null(isst_trl_type_name(fixture.context, 3));
}
