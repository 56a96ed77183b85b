/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of options: valid values are accepted, all others are refused with a message. */
#include "check.h"

#include "cli/arguments/options.h"
#include "common/numbered.h"

#include <errno.h>

static const char *const words[] = { "sse", "avx2", NULL };

static const struct option_row number = { OPTION_LEVEL, 'l', "level", "LEVEL",
					  VALUE_NUMBER, 1,   255,     .help = "" };
static const struct option_row frequency = { OPTION_MIN,      'n', "min", "MHZ",
					     VALUE_FREQUENCY, 100, 25500, .help = "" };
static const struct option_row limits = { OPTION_LIMITS, 't',	       "trl",
					  "0xHEX",	 VALUE_LIMITS, .help = "" };
static const struct option_row some_limits = { OPTION_LIMITS, 't', "trl",     "0xHEX",
					       VALUE_LIMITS,  1,   .help = "" };
static const struct option_row word = { OPTION_TRL_TYPE, 'r',	    "trl-type", "TYPE", VALUE_WORD,
					.words = words,	 .help = "" };
static const struct option_row some_words = { OPTION_ONLY, 0,		"only",
					      "LIST",	   VALUE_WORDS, .words = words,
					      .help = "" };
static const struct option_row texts = {
	OPTION_SET, 0, "set", "STATEMENT", VALUE_TEXTS, .help = ""
};
static const struct option_row text = { OPTION_OUT, 'o', "out", "FILE", VALUE_TEXT, .help = "" };
static const struct option_row list = {
	OPTION_CPU, 'c', "cpu", "LIST", VALUE_CPU_LIST, .help = ""
};
static const struct option_row within = { OPTION_WITHIN,  0,	     "within", "LIST",
					  VALUE_CPU_LIST, .help = "" };
static const struct option_row cores = {
	OPTION_HIGH_PRIORITY, 0, "high-priority", "CORES", VALUE_CORES, 0, 7, .help = ""
};

static const struct {
	const struct option_row *row;
	const char *value;
	uint64_t number;
} good[] = {
	{ &number, "1", 1 },
	{ &number, "255", 255 },
	{ &number, "007", 7 },
	{ &word, "sse", 0 },
	{ &word, "avx2", 1 },
	{ &some_words, "avx2", 2 },
	{ &some_words, "avx2,sse", 3 },
	{ &some_words, "sse,sse", 1 },
	{ &text, "file", 0 },
	{ &texts, "level 3", 0 },
	{ &frequency, "0", 0 },
	{ &frequency, "100", 100 },
	{ &frequency, "2650", 2650 },
	{ &frequency, "25500", 25500 },
	{ &limits, "0x0", 0 },
	{ &limits, "0x1f", 0x1f },
	{ &limits, "0X1F", 0x1f },
	{ &limits, "0x1e1e1e1e1e1e1e1f", 0x1e1e1e1e1e1e1e1f },
	{ &limits, "0xffffffffffffffff", UINT64_MAX },
	{ &some_limits, "0x1", 1 },
	{ &list, "3", 0 },
	{ &list, "1,3-5,8..10", 0 },
	{ &list, "3,", 0 },
	{ &list, "1,3-5,", 0 },
	{ &cores, "1", 1 },
	{ &cores, "12/package", 12 },
	{ &cores, "bucket 0", 0 },
	{ &cores, "bucket 7", 7 },
};

static const struct {
	const struct option_row *row;
	const char *expected;
	const char *values[16];
} bad[] = {
	{ &number,
	  "a number from 1 to 255",
	  { "0", "256", "", "x", "1x", " 1", "1 ", "-1", "+1", "0x1", "1.0", "1,2",
	    "18446744073709551617" } },
	{ &frequency,
	  "0 or a number from 100 to 25500 (MHz)",
	  { "1", "99", "25501", "30000", "65536", "", "x", "-100", "1000MHz", "1e3", "0x64",
	    "18446744073709551716" } },
	{ &limits,
	  "0x and 1 to 16 hexadecimal digits",
	  { "", "1f", "0x", "x1f", "0xg", "0x0x1f", "0x1f ", " 0x1f", "-0x1f", "0x-1",
	    "0x10000000000000000", "0x00000000000000001", "zz" } },
	{ &some_limits,
	  "0x and 1 to 16 hexadecimal digits, not zero",
	  { "0x0", "0X0", "0x0000000000000000", "" } },
	{ &word, "sse or avx2", { "ssex", "ss", "SSE", "", "0" } },
	{ &some_words,
	  "some of sse and avx2, separated by commas",
	  { "", ",", "sse,", ",sse", "sse,,avx2", "ss", "ssex", "sse avx2", "SSE" } },
	{ &text, "FILE", { "" } },
	{ &texts, "STATEMENT", { "" } },
	{ &cores,
	  "a number of cores from 1, N/package, or 'bucket B' (one argument) with B from 0 to 7",
	  { "", "0", "0/package", "/package", "1/", "1/packages", "1 /package", "bucket", "bucket ",
	    "bucket 8", "bucket  1", "bucket 1/package", "Bucket 1", "-1", "4294967296" } },
	{ &list,
	  "CPU numbers below 1048576 and ranges such as 1,3-5",
	  { "", "x", ",", ",,", "3-", "3-,", "-3", "5-3", "3 4", "3 ,4", "3 ", "3, ", "3, ,4",
	    "4294967295", "0x3" } },
};

TEST(a_value_is_taken_exactly)
{
	for (size_t i = 0; i < COUNT(good); i++) {
		struct option_values values = { 0 };
		char *problem = NULL;

		print_message("# %s '%s'\n", good[i].row->name, good[i].value);
		assert_int_equal(option_read_value(good[i].row, good[i].value, &values, &problem),
				 0);
		assert_true(values.value[good[i].row->id].given);
		assert_int_equal(values.value[good[i].row->id].number, good[i].number);
		assert_string_equal(values.value[good[i].row->id].text, good[i].value);
		option_values_clear(&values);
	}
}

static void assert_value_refused(const struct option_row *row, const char *value,
				 const char *expected)
{
	struct option_values values = { 0 };
	char *problem = NULL, message[200];

	snprintf(message, sizeof(message), "invalid value '%s' for option --%s: expected %s", value,
		 row->name, expected);
	assert_int_equal(option_read_value(row, value, &values, &problem), -EINVAL);
	assert_string_equal(problem, message);
	assert_false(values.value[row->id].given);
	free(problem);
	option_values_clear(&values);
}

TEST(any_other_value_is_named_and_refused)
{
	for (size_t i = 0; i < COUNT(bad); i++) {
		for (size_t k = 0; bad[i].values[k]; k++)
			assert_value_refused(bad[i].row, bad[i].values[k], bad[i].expected);
	}
}

TEST(cpu_lists_accumulate)
{
	struct option_values values = { 0 };
	char *problem = NULL, *cpus;

	assert_int_equal(option_read_value(&list, "20,3", &values, &problem), 0);
	assert_int_equal(option_read_value(&list, "1,3-5", &values, &problem), 0);
	cpus = numbers_enumeration(values.cpus.numbers);
	assert_string_equal(cpus, "1,3,4,5,20");
	free(cpus);
	option_values_clear(&values);
}

TEST(names_stand_beside_numbers)
{
	struct option_values values = { 0 };
	char *problem = NULL, *cpus;

	assert_int_equal(option_read_value(&list, "3,@package:1, @isolated,,5", &values, &problem),
			 0);
	assert_int_equal(option_read_value(&list, "@clos:2", &values, &problem), 0);
	assert_int_equal(option_read_value(&within, " @node:0,7", &values, &problem), 0);
	cpus = isst_cpuset_to_list(values.cpus.numbers);
	assert_string_equal(cpus, "3,5");
	free(cpus);
	assert_int_equal(values.cpus.name_count, 3);
	assert_string_equal(values.cpus.names[0], "package:1");
	assert_string_equal(values.cpus.names[1], "isolated");
	assert_string_equal(values.cpus.names[2], "clos:2");
	cpus = isst_cpuset_to_list(values.within.numbers);
	assert_string_equal(cpus, "7");
	free(cpus);
	assert_int_equal(values.within.name_count, 1);
	option_values_clear(&values);
}

TEST(a_wrong_name_is_named_alone)
{
	static const struct {
		const char *list, *named;
	} WRONG[] = {
		{ "3,@packages:1,5", "@packages:1" },
		{ "@package:1,@clos:4", "@clos:4" },
		{ "@", "@" },
		{ " @isolated ", "@isolated " },
		{ "0, @node:x", "@node:x" },
	};

	for (size_t i = 0; i < COUNT(WRONG); i++) {
		struct option_values values = { 0 };
		char *problem = NULL, message[200];

		snprintf(message, sizeof(message),
			 "invalid value '%s' for option --cpu: expected @clos:N (0 to 3), "
			 "@high-priority, @package:N, @domain:P.D, @node:N or @isolated",
			 WRONG[i].named);
		assert_int_equal(option_read_value(&list, WRONG[i].list, &values, &problem),
				 -EINVAL);
		assert_string_equal(problem, message);
		free(problem);
		option_values_clear(&values);
	}
}

/** As scripts put them together, and the reference tool takes them. */
static const struct {
	const char *list, *cpus;
} loose_lists[] = {
	{ ",0,1", "0,1" },     { "0,,1", "0,1" },      { ",,0,,,1,,", "0,1" },
	{ "0, 14", "0,14" },   { " 0,\t14", "0,14" },  { "0,\n14", "0,14" },
	{ "0- 3", "0,1,2,3" }, { "0.. 3", "0,1,2,3" }, { ",2,,3", "2,3" },
};

TEST(commas_and_blanks_between_cpus_mean_nothing)
{
	for (size_t i = 0; i < COUNT(loose_lists); i++) {
		struct option_values values = { 0 };
		char *problem = NULL, *cpus;

		print_message("# '%s'\n", loose_lists[i].list);
		assert_int_equal(option_read_value(&list, loose_lists[i].list, &values, &problem),
				 0);
		cpus = numbers_enumeration(values.cpus.numbers);
		assert_string_equal(cpus, loose_lists[i].cpus);
		free(cpus);
		option_values_clear(&values);
	}
}

TEST(texts_accumulate)
{
	struct option_values values = { 0 };
	char *problem = NULL;

	assert_int_equal(option_read_value(&texts, "level 3", &values, &problem), 0);
	assert_int_equal(option_read_value(&texts, "level 4", &values, &problem), 0);
	assert_int_equal(values.text_count, 2);
	assert_string_equal(values.texts[0], "level 3");
	assert_string_equal(values.texts[1], "level 4");
	option_values_clear(&values);
}
