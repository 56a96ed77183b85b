/* SPDX-License-Identifier: BSD-3-Clause */
/* Reports as json-v2: complete outputs. */
#include "check.h"

static struct report_node *add_unit(struct report *report, unsigned int package, unsigned int cpu)
{
	const struct report_step path[] = { { &keys[KEY_PACKAGE], package },
					    { &keys[KEY_DIE], 0 },
					    { &keys[KEY_CPU], cpu } };

	return report_unit(report, path, 3);
}

#define HEADER \
	"{\"schema_version\": 1, \"program\": {\"name\": \"isst\", \"version\": \"" ISST_VERSION \
	"\"}, "

TEST(an_empty_report_is_a_document_with_its_header)
{
	autoreport struct report *report = report_new();

	report->header.exit_status = 3;
	assert_document(report, FORMAT_JSON_V2,
			HEADER
			"\"domains\": [], \"cpus\": [], \"messages\": [], \"exit_status\": 3}");
}

TEST(the_header_names_command_and_machine)
{
	autoreport struct report *report = report_new();
	struct report_header *header = &report->header;

	header->feature = "perf-profile";
	header->command = "info";
	header->has_machine = true;
	header->family = 6;
	header->model = 173;
	header->stepping = 1;
	report_set_string(report, &header->emulated, "a \"machine\"");
	assert_document(
		report, FORMAT_JSON_V2,
		HEADER
		"\"command\": \"perf-profile info\", \"machine\": {\"family\": 6, \"model\": 173, "
		"\"stepping\": 1, \"processor\": null, \"emulated\": \"a \\\"machine\\\"\"}, "
		"\"domains\": [], \"cpus\": [], \"messages\": [], \"exit_status\": 0}");
}

TEST(values_have_their_types)
{
	autoreport struct report *report = report_new();
	struct isst_cpuset *cpus = isst_cpuset_new();
	struct report_node *node;

	assert_int_equal(isst_cpuset_add(cpus, 0, 2), 0);
	assert_int_equal(isst_cpuset_add(cpus, 33, 33), 0);
	node = report_branch(report_unit(report, NULL, 0), KEY_CORE_POWER, 0);
	report_number(node, KEY_CLOS_MIN, 0);
	report_number(node, KEY_CLOS_MAX, 25500);
	report_state(node, KEY_ENABLE_STATUS, true);
	report_state(node, KEY_SUPPORT_STATUS, false);
	report_word(node, KEY_PRIORITY_TYPE, "ordered");
	report_word(node, KEY_INFO_TURBO_FREQ, "unknown");
	report_unknown(node, KEY_STATUS_LEVEL);
	report_cpu_list(node, KEY_ENABLE_CPU_LIST, cpus);
	report_cpu_mask(node, KEY_ENABLE_CPU_MASK, cpus, 64);
	report_hex(node, KEY_TRL, 0x1f1f1f1f1f1f1f20);
	assert_document(
		report, FORMAT_JSON_V2,
		HEADER
		"\"core_power\": {\"min_mhz\": 0, \"enabled\": true, "
		"\"supported\": false, \"priority_type\": \"ordered\", \"turbo_freq_support\": null, "
		"\"current_level\": null, \"enabled_cpus\": {\"ranges\": \"0-2,33\", \"list\": [0, "
		"1, 2, 33]}, \"enabled_cpu_mask\": \"00000002,00000007\", "
		"\"trl\": \"0x1f1f1f1f1f1f1f20\"}, \"domains\": [], \"cpus\": [], \"messages\": [], "
		"\"exit_status\": 0}");
	isst_cpuset_free(cpus);
}

TEST(an_empty_set_of_cpus_has_no_ranges)
{
	autoreport struct report *report = report_new();
	struct isst_cpuset *cpus = isst_cpuset_new();

	report_cpu_ranges(report_unit(report, NULL, 0), KEY_HIGH_PRIORITY_CPUS, 0, cpus);
	assert_document(
		report, FORMAT_JSON_V2,
		HEADER "\"high_priority_cpus\": {\"ranges\": \"\", \"list\": []}, \"domains\": [], "
		       "\"cpus\": [], \"messages\": [], \"exit_status\": 0}");
	isst_cpuset_free(cpus);
}

TEST(what_is_numbered_is_an_array)
{
	const struct report_step io_path[] = { { &keys[KEY_PACKAGE], 1 },
					       { &keys[KEY_DIE_IO], 0 },
					       { &keys[KEY_POWER_DOMAIN], 3 },
					       { &keys[KEY_NO_CPU], 0 } };
	autoreport struct report *report = report_new();
	struct report_node *level, *bucket;

	level = report_branch(add_unit(report, 0, 14), KEY_LEVEL, 2);
	report_standing(level, true);
	bucket = report_branch(report_variant(level, KEY_TURBO_LIMITS, "sse"), KEY_BUCKET, 0);
	report_number(bucket, KEY_CORE_COUNT, 8);
	bucket = report_branch(level, KEY_NEXT_BUCKET, 1);
	report_variant_number(bucket, KEY_HIGH_MAX_FREQUENCY, "sse", 3200);
	report_variant_number(bucket, KEY_HIGH_MAX_FREQUENCY, "level-4", 3000);
	report_state(report_unit(report, io_path, 4), KEY_GET_LOCK_STATUS, true);
	assert_document(
		report, FORMAT_JSON_V2,
		HEADER "\"domains\": [{\"package\": 0, \"die\": 0, \"cpu\": 14, "
		       "\"levels\": [{\"level\": 2, \"current\": true, "
		       "\"turbo_ratio_limits\": [{\"type\": \"sse\", \"buckets\": [{\"bucket\": 0, "
		       "\"core_count\": 8}]}], \"next_bucket\": {\"bucket\": 1, "
		       "\"high_priority_max\": [{\"type\": \"sse\", \"max_mhz\": 3200}, "
		       "{\"type\": \"level-4\", \"max_mhz\": 3000}]}}]}, {\"package\": 1, "
		       "\"power_domain\": 3, \"locked\": true}], \"cpus\": [], \"messages\": [], "
		       "\"exit_status\": 0}");
}

TEST(units_at_one_path_are_one_element)
{
	const struct report_step package[] = { { &keys[KEY_PACKAGE], 1 } };
	autoreport struct report *report = report_new();
	struct report_node *node;

	node = report_branch(add_unit(report, 0, 0), KEY_CORE_POWER, 0);
	report_number(node, KEY_EPP, 1);
	report_branch(add_unit(report, 1, 0), KEY_GET_ASSOC, 0);
	node = report_branch(add_unit(report, 0, 0), KEY_CORE_POWER, 0);
	report_number(node, KEY_CLOS, 3);
	report_branch(report_unit(report, package, 1), KEY_LEVEL, 0);
	assert_document(
		report, FORMAT_JSON_V2,
		HEADER
		"\"domains\": [{\"package\": 0, \"die\": 0, \"cpu\": 0, "
		"\"core_power\": {\"epp\": 1, \"clos\": 3}}, {\"package\": 1, \"die\": 0, "
		"\"cpu\": 0, \"association\": {}}], \"packages\": [{\"package\": 1, "
		"\"levels\": [{\"level\": 0}]}], \"cpus\": [], \"messages\": [], \"exit_status\": 0}");
}

/** As where a value of a package is reported of each of its dies. */
TEST(of_equal_paths_the_first_value_counts)
{
	autoreport struct report *report = report_new();

	for (unsigned int value = 1; value <= 2; value++) {
		struct report_node *unit = add_unit(report, 0, 0), *bucket;

		report_number(report_branch(unit, KEY_CORE_POWER, 0), KEY_EPP, value);
		bucket = report_branch(report_branch(unit, KEY_LEVEL, 0), KEY_NEXT_BUCKET, 0);
		report_variant_number(bucket, KEY_HIGH_MAX_FREQUENCY, "sse", 1000 * value);
	}
	assert_document(
		report, FORMAT_JSON_V2,
		HEADER
		"\"domains\": [{\"package\": 0, \"die\": 0, \"cpu\": 0, "
		"\"core_power\": {\"epp\": 1}, \"levels\": [{\"level\": 0, "
		"\"next_bucket\": {\"bucket\": 0, \"high_priority_max\": [{\"type\": \"sse\", "
		"\"max_mhz\": 1000}]}}]}], \"cpus\": [], \"messages\": [], \"exit_status\": 0}");
}

TEST(messages_have_severity_and_code)
{
	autoreport struct report *report = report_new();

	report_message(report, ENTRY_ERROR, "CPU \377 %d", 3);
	report_message(report, ENTRY_ERROR, "busy");
	report_code(report, "busy");
	report_message(report, ENTRY_NOTE, "as it was");
	report_code(report, "unchanged");
	report_message(report, ENTRY_PROGRESS, "online cpu 3");
	assert_document(
		report, FORMAT_JSON_V2,
		HEADER
		"\"domains\": [], \"cpus\": [], \"messages\": [{\"severity\": \"error\", \"code\": \"failed\", "
		"\"text\": \"CPU \\ufffd 3\"}, {\"severity\": \"error\", \"code\": \"busy\", "
		"\"text\": \"busy\"}, {\"severity\": \"note\", \"code\": \"unchanged\", "
		"\"text\": \"as it was\"}, {\"severity\": \"progress\", \"code\": \"progress\", "
		"\"text\": \"online cpu 3\"}], \"exit_status\": 0}");
}

/** Steps without a number are no members: such domains have none. */
TEST(messages_have_a_place)
{
	const struct report_step path[] = { { &keys[KEY_PACKAGE], 1 },
					    { &keys[KEY_DIE_IO], 0 },
					    { &keys[KEY_POWER_DOMAIN], 2 } };
	const unsigned int cpus[] = { 4, 5 };
	autoreport struct report *report = report_new();

	report_message(report, ENTRY_ERROR, "refused");
	for (size_t i = 0; i < 2; i++)
		report_place_message(report, report_find_message(report, ENTRY_ERROR, "refused"),
				     path, 3, &cpus[i]);
	assert_document(report, FORMAT_JSON_V2,
			HEADER "\"domains\": [], \"cpus\": [], \"messages\": [{\"severity\": "
			       "\"error\", \"code\": \"failed\", \"package\": 1, "
			       "\"power_domain\": 2, \"cpus\": {\"ranges\": \"4-5\", \"list\": "
			       "[4, 5]}, \"text\": \"refused\"}], \"exit_status\": 0}");
}

TEST(messages_are_joined_within_a_place)
{
	autoreport struct report *report = report_new();

	report->v2 = true;
	for (unsigned int cpu = 0; cpu < 4; cpu++) {
		const struct report_step path[] = { { &keys[KEY_PACKAGE], cpu / 2 },
						    { &keys[KEY_DIE], 0 } };

		report_message(report, ENTRY_NOTE, "CPU %u: none", cpu);
		report_place_message(report, report->last, path, 2, &cpu);
	}
	report_fold_messages(report, NULL);
	assert_document(report, FORMAT_JSON_V2,
			HEADER "\"domains\": [], \"cpus\": [], \"messages\": [{\"severity\": "
			       "\"note\", \"code\": \"note\", \"package\": 0, \"die\": 0, "
			       "\"cpus\": {\"ranges\": \"0-1\", \"list\": [0, 1]}, \"text\": "
			       "\"CPUs 0-1: none\"}, {\"severity\": \"note\", \"code\": "
			       "\"note\", \"package\": 1, \"die\": 0, \"cpus\": {\"ranges\": "
			       "\"2-3\", \"list\": [2, 3]}, \"text\": \"CPUs 2-3: none\"}], "
			       "\"exit_status\": 0}");
}

TEST(cpus_that_were_named_are_beside_domains)
{
	autoreport struct report *report = report_new();
	struct report_node *node = report_branch(add_unit(report, 0, 3), KEY_BASE_FREQ, 0);

	report->last->of_cpu = true;
	report_add(node, NODE_WORD, KEY_ENABLE, 5, "failed(error -5)", NULL);
	node = report_branch(add_unit(report, 0, 0), KEY_BASE_FREQ, 0);
	report_add(node, NODE_WORD, KEY_ENABLE, 0, "success", NULL);
	assert_document(report, FORMAT_JSON_V2,
			HEADER "\"cpus\": [{\"package\": 0, \"die\": 0, \"cpu\": 3, "
			       "\"base_freq\": {\"result\": \"failed\", \"errno\": 5}}], "
			       "\"domains\": [{\"package\": 0, \"die\": 0, \"cpu\": 0, "
			       "\"base_freq\": {\"result\": \"success\"}}], \"messages\": [], "
			       "\"exit_status\": 0}");
}

/** Values of fabrics are elements of an array; an array may be empty, or not known. */
TEST(arrays_have_what_there_is)
{
	autoreport struct report *report = report_new();
	struct report_node *level;

	report->v2 = true;
	level = report_branch(add_unit(report, 0, 0), KEY_LEVEL, 1);
	report_number(level, KEY_UNCORE_MIN, 800);
	report_unknown(level, KEY_UNCORE_1_MAX);
	report_number(level, KEY_UNCORE_MAX, 2400);
	report_list(level, KEY_STATUS_SCALING);
	report_unknown(level, KEY_STATUS_TURBO_LIMITS);
	assert_document(report, FORMAT_JSON_V2,
			HEADER "\"domains\": [{\"package\": 0, \"die\": 0, \"cpu\": 0, "
			       "\"levels\": [{\"level\": 1, \"fabrics\": [{\"fabric\": 0, "
			       "\"min_mhz\": 800, \"max_mhz\": 2400}, {\"fabric\": 1, "
			       "\"max_mhz\": null}], \"scaling_limits\": [], "
			       "\"lowered_turbo_ratio_limits\": null}]}], \"cpus\": [], "
			       "\"messages\": [], \"exit_status\": 0}");
}
