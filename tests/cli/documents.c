/* SPDX-License-Identifier: BSD-3-Clause */
/* JSON: strings, sorted documents, and units with the same path. The cases have whole reports. */
#include "check.h"

#include "cli/render/output.h"
#include "cli/run/change.h"
#include "cli/text/json.h"
#include "transaction/change.h"

static const struct {
	const char *text, *json;
} strings[] = {
	{ "", "\"\"" },
	{ "plain", "\"plain\"" },
	{ "\"\\", "\"\\\"\\\\\"" },
	{ "a\nb\tc\rd\be\f", "\"a\\nb\\tc\\rd\\be\\f\"" },
	{ "\001\037\177", "\"\\u0001\\u001f\\u007f\"" },
	{ "\303\244\342\202\254\360\237\230\200", "\"\303\244\342\202\254\360\237\230\200\"" },
	{ "\377a", "\"\\ufffda\"" },				    /* no UTF-8 */
	{ "\303", "\"\\ufffd\"" },				    /* ends in the middle */
	{ "\300\257", "\"\\ufffd\\ufffd\"" },			    /* longer than need be */
	{ "\355\240\200", "\"\\ufffd\\ufffd\\ufffd\"" },	    /* a surrogate */
	{ "\364\220\200\200", "\"\\ufffd\\ufffd\\ufffd\\ufffd\"" }, /* above U+10FFFF */
};

TEST(any_text_is_a_valid_json_string)
{
	for (size_t i = 0; i < COUNT(strings); i++) {
		char *json = NULL;
		size_t size;
		FILE *stream = open_memstream(&json, &size);

		json_string_write(strings[i].text, stream);
		assert_int_equal(fclose(stream), 0);
		assert_string_equal(json, strings[i].json);
		free(json);
	}
}

/** The expected text is what `jq -S .` prints for the same document. */
TEST(a_sorted_document_is_written_in_lines)
{
	struct json *document = json_new(true), *list, *object;
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	assert_non_null(stream);
	json_add_number(document, "beta", 2);
	list = json_add(document, "list", JSON_ARRAY);
	json_add_number(list, NULL, 9);
	json_add_number(list, NULL, 4);
	json_add(document, "none", JSON_ARRAY);
	object = json_add(document, "alpha", JSON_OBJECT);
	json_add_string(object, "z", "last");
	json_add_boolean(object, "a", true);
	json_write(document, stream);
	assert_int_equal(fclose(stream), 0);
	assert_string_equal(text, "{\n"
				  "  \"alpha\": {\n"
				  "    \"a\": true,\n"
				  "    \"z\": \"last\"\n"
				  "  },\n"
				  "  \"beta\": 2,\n"
				  "  \"list\": [\n"
				  "    9,\n"
				  "    4\n"
				  "  ],\n"
				  "  \"none\": []\n"
				  "}");
	free(text);
	json_free(document);
}

static struct report_node *add_unit(struct report *report, unsigned int package, unsigned int cpu)
{
	const struct report_step path[] = { { &keys[KEY_PACKAGE], package },
					    { &keys[KEY_DIE], 0 },
					    { &keys[KEY_CPU], cpu } };

	return report_unit(report, path, 3);
}

TEST(units_at_one_path_are_one_object)
{
	autoreport struct report *report = report_new();
	struct report_node *node;

	node = report_branch(add_unit(report, 0, 0), KEY_CORE_POWER, 0);
	report_number(node, KEY_EPP, 1);
	report_number(add_unit(report, 1, 14), KEY_EPP, 2);
	report_message(report, ENTRY_NOTE, "between");
	node = report_branch(add_unit(report, 0, 0), KEY_CORE_POWER, 0);
	report_number(node, KEY_CLOS, 3);
	report_branch(add_unit(report, 0, 0), KEY_GET_ASSOC, 0);
	assert_document(
		report, FORMAT_JSON,
		"{\"package-0:die-0:cpu-0\": {\"core-power\": {\"epp\": \"1\", \"clos\": \"3\"}, "
		"\"get-assoc\": {}}, \"package-1:die-0:cpu-14\": {\"epp\": \"2\"}, "
		"\"Information:0\": {\"message\": \"between\"}}");
}

#define HEADER \
	"{\"schema_version\": 1, \"program\": {\"name\": \"isst\", \"version\": \"" ISST_VERSION \
	"\"}, "

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

/** Steps without a number are no members: such domains have none. */
TEST(messages_have_a_place)
{
	const struct report_step path[] = { { &keys[KEY_PACKAGE], 1 },
					    { &keys[KEY_DIE_IO], 0 },
					    { &keys[KEY_POWER_DOMAIN], 2 } };
	struct isst_cpuset *cpus = isst_cpuset_new();
	autoreport struct report *report = report_new();

	report_message(report, ENTRY_ERROR, "refused");
	for (unsigned int cpu = 4; cpu <= 5; cpu++) {
		assert_int_equal(isst_cpuset_add(cpus, cpu, cpu), 0);
		report_place_message(report_find_message(report, ENTRY_ERROR, "refused"), path, 3,
				     cpus);
		assert_int_equal(isst_cpuset_remove(cpus, cpu, cpu), 0);
	}
	isst_cpuset_free(cpus);
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

		struct isst_cpuset *cpus = isst_cpuset_new();

		assert_int_equal(isst_cpuset_add(cpus, cpu, cpu), 0);
		report_message(report, ENTRY_NOTE, "CPU %u: none", cpu);
		report_place_message(report->last, path, 2, cpus);
		isst_cpuset_free(cpus);
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

TEST(remarks_are_bare_lines_and_progress_is_in_documents_alone)
{
	autoreport struct report *report = report_new();
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	report_message(report, ENTRY_REMARK, "clos min is not specified, default: 0");
	report_message(report, ENTRY_PROGRESS, "online cpu 3");
	report_message(report, ENTRY_NOTE, "unchanged");
	assert_rendered(report, FORMAT_TEXT,
			"clos min is not specified, default: 0\nInformation: unchanged\n");
	assert_document(
		report, FORMAT_JSON,
		"{\"Information:0\": {\"message\": \"clos min is not specified, default: 0\"}, "
		"\"Information:1\": {\"message\": \"online cpu 3\"}, "
		"\"Information:2\": {\"message\": \"unchanged\"}}");
	render_messages(report, &(struct page){ .width = 0 }, stream);
	assert_int_equal(fclose(stream), 0);
	assert_string_equal(text,
			    "clos min is not specified, default: 0\nInformation: unchanged\n");
	free(text);
}

TEST(every_key_has_both_names)
{
	for (size_t i = 0; i < KEYS; i++) {
		assert_non_null(keys[i].name);
		assert_non_null(keys[i].name_v2);
		assert_int_equal(strspn(keys[i].name_v2, "abcdefghijklmnopqrstuvwxyz0123456789_"),
				 strlen(keys[i].name_v2));
	}
}

TEST(a_value_that_is_written_again_is_named_so)
{
	static const struct isst_change_step step = { .target = "CLOS 3",
						      .written = true,
						      .fields = { { "CLOS 3 weight", "4", "4" } },
						      .field_count = 1 };
	struct folds folds = { NULL };
	autofree char *text = NULL;

	change_fold_step(NULL, &folds, &step);
	text = fold_text(&folds.all[0]);
	assert_string_equal(text, "CLOS 3 weight\n4\nwritten again");
	folds_clear(&folds);
}
