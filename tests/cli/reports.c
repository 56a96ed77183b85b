/* SPDX-License-Identifier: BSD-3-Clause */
/* Reports as text and as JSON: complete outputs. */
#include "check.h"

#include "cli/run/change.h"
#include "transaction/change.h"

#include "cli/text/json.h"

static struct report_node *add_unit(struct report *report, unsigned int package, unsigned int cpu)
{
	const struct report_step path[] = { { &keys[KEY_PACKAGE], package },
					    { &keys[KEY_DIE], 0 },
					    { &keys[KEY_CPU], cpu } };

	return report_unit(report, path, 3);
}

/** A report with every kind of value. */
static struct report *make_report(void)
{
	const struct report_step io_path[] = { { &keys[KEY_PACKAGE], 1 },
					       { &keys[KEY_DIE_IO], 0 },
					       { &keys[KEY_POWER_DOMAIN], 3 },
					       { &keys[KEY_NO_CPU], 0 } };
	struct report *report = report_new();
	struct isst_cpuset *cpus = isst_cpuset_new();
	struct report_node *node, *bucket;

	assert_int_equal(isst_cpuset_add(cpus, 0, 2), 0);
	assert_int_equal(isst_cpuset_add(cpus, 33, 33), 0);
	node = report_branch(add_unit(report, 0, 0), KEY_LEVEL, 2);
	report_number(node, KEY_CPU_COUNT, 4);
	report_cpu_mask(node, KEY_ENABLE_CPU_MASK, cpus, 64);
	report_cpu_list(node, KEY_ENABLE_CPU_LIST, cpus);
	report_number(node, KEY_POWER, 205);
	report_word(node, KEY_SST_CORE_POWER, "disabled");
	bucket = report_branch(report_variant(node, KEY_TURBO_LIMITS, "sse"), KEY_BUCKET, 0);
	report_number(bucket, KEY_CORE_COUNT, 0);
	report_variant_number(bucket, KEY_HIGH_MAX_FREQUENCY, "sse", 3200);
	report_variant_number(bucket, KEY_HIGH_MAX_FREQUENCY, "avx2", 3100);
	report_variant_number(bucket, KEY_HIGH_MAX_FREQUENCY, "level-4", 3000);
	report_message(report, ENTRY_NOTE, "a note");
	node = report_unit(report, io_path, 4);
	report_state(node, KEY_GET_LOCK_STATUS, false);
	report_state(node, KEY_GET_CONFIG_ENABLED, true);
	report_number(node, KEY_CLOS_MIN, 0);
	report_number(node, KEY_CLOS_MAX, 25500);
	report_number(node, KEY_CLOS_MAX, 2500);
	report_hex(node, KEY_TRL, 0x1f1f1f1f1f1f1f20);
	report_message(report, ENTRY_ERROR, "CPU %d: \"%s\"", 3, "no");
	isst_cpuset_free(cpus);
	assert_false(report->failed);
	return report;
}

TEST(text_is_the_tree_that_scripts_know)
{
	autoreport struct report *report = make_report();

	assert_rendered(report, FORMAT_TEXT,
			" package-0\n"
			"  die-0\n"
			"    cpu-0\n"
			"      perf-profile-level-2\n"
			"        cpu-count:4\n"
			"        enable-cpu-mask:00000002,00000007\n"
			"        enable-cpu-list:0,1,2,33\n"
			"        thermal-design-power(W):205\n"
			"        speed-select-core-power:disabled\n"
			"        turbo-ratio-limits-sse\n"
			"          bucket-0\n"
			"            core-count:0\n"
			"            high-priority-max-frequency(MHz):3200\n"
			"            high-priority-max-avx2-frequency(MHz):3100\n"
			"            high-priority-max-level-4-frequency(MHz):3000\n"
			"Information: a note\n"
			" package-1\n"
			"  die-IO\n"
			"    powerdomain-3\n"
			"      cpu-None\n"
			"        get-lock-status:unlocked\n"
			"        get-config-enabled:enabled\n"
			"        clos-min:0 MHz\n"
			"        clos-max:Max Turbo frequency\n"
			"        clos-max:2500 MHz\n"
			"        trl:0x1f1f1f1f1f1f1f20\n"
			"Error: CPU 3: \"no\"\n");
}

TEST(json_is_one_document_of_strings)
{
	autoreport struct report *report = make_report();

	assert_document(
		report, FORMAT_JSON,
		"{\"package-0:die-0:cpu-0\": {\"perf-profile-level-2\": {\"cpu-count\": \"4\", "
		"\"enable-cpu-mask\": \"00000002,00000007\", \"enable-cpu-list\": \"0,1,2,33\", "
		"\"thermal-design-power(W)\": \"205\", \"speed-select-core-power\": \"disabled\", "
		"\"turbo-ratio-limits-sse\": {\"bucket-0\": {\"core-count\": \"0\", "
		"\"high-priority-max-frequency(MHz)\": \"3200\", "
		"\"high-priority-max-avx2-frequency(MHz)\": \"3100\", "
		"\"high-priority-max-level-4-frequency(MHz)\": \"3000\"}}}}, "
		"\"Information:0\": {\"message\": \"a note\"}, "
		"\"package-1:die-IO:powerdomain-3:cpu-None\": {\"get-lock-status\": \"unlocked\", "
		"\"get-config-enabled\": \"enabled\", \"clos-min\": \"0 MHz\", "
		"\"clos-max\": \"Max Turbo frequency\", \"trl\": \"0x1f1f1f1f1f1f1f20\"}, "
		"\"Error1\": {\"message\": \"CPU 3: \\\"no\\\"\"}}");
}

TEST(text_without_messages_is_results_alone)
{
	autoreport struct report *report = report_new();
	char *text;

	report_message(report, ENTRY_ERROR, "broken");
	report_number(add_unit(report, 0, 0), KEY_CLOS, 3);
	report_message(report, ENTRY_NOTE, "whole");
	text = rendered(report, FORMAT_TEXT, false);
	assert_string_equal(text, " package-0\n  die-0\n    cpu-0\n      clos:3\n");
	free(text);
}

TEST(an_empty_report_is_no_text_and_an_empty_document)
{
	autoreport struct report *report = report_new();

	assert_rendered(report, FORMAT_TEXT, "");
	assert_document(report, FORMAT_JSON, "{}");
}

TEST(an_empty_set_of_cpus_is_printed_as_none)
{
	autoreport struct report *report = report_new();
	struct report_node *node = report_unit(report, NULL, 0);
	struct isst_cpuset *cpus = isst_cpuset_new();

	report_cpu_mask(node, KEY_HIGH_CPU_MASK, cpus, 64);
	report_cpu_list(node, KEY_HIGH_CPU_LIST, cpus);
	assert_rendered(report, FORMAT_TEXT,
			" high-priority-cpu-mask:00000000,00000000\n"
			" high-priority-cpu-list:none\n");
	isst_cpuset_free(cpus);
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

TEST(a_sentence_stands_for_a_node_in_text_alone)
{
	autoreport struct report *report = report_new();
	struct report_node *node = report_unit(report, NULL, 0), *package, *platform;

	report_number(node, KEY_API_VERSION, 1);
	package = report_branch(node, KEY_INFO_PACKAGE, 1);
	report_word(package, KEY_INFO_TURBO_FREQ, "supported");
	report_state(package, KEY_INFO_LOCK, false);
	report_number(package, KEY_INFO_MAX_LEVEL, 4);
	platform = report_variant(node, KEY_PLATFORM_NAME, "tiny");
	report_text(platform, KEY_TITLE, "A {title}");
	report_state(platform, KEY_SYNTHETIC, true);
	assert_rendered(report, FORMAT_TEXT,
			"Platform: API version : 1\nPackage 1 differs:\n"
			"Intel(R) SST-TF (feature turbo-freq) is supported\n"
			"TDP level change control is unlocked, max level: 4\n"
			"tiny                     A {title} (synthetic)\n");
	assert_document(report, FORMAT_JSON,
			"{\"api-version\": \"1\", \"package-1\": {\"turbo-freq\": \"supported\", "
			"\"level-change-control\": \"unlocked\", \"max-level\": \"4\"}, "
			"\"tiny\": {\"title\": \"A {title}\", \"synthetic\": \"yes\"}}");
}

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

	assert_int_equal(change_fold_step(NULL, &folds, &step), 0);
	text = fold_text(&folds.all[0]);
	assert_string_equal(text, "CLOS 3 weight\n4\nwritten again");
	folds_clear(&folds);
}
