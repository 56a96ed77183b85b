/* SPDX-License-Identifier: BSD-3-Clause */
/* The text of configurations: what is read is what was written, and all that is wrong is named. */
#include "configuration/statements.h"
#include "configuration/write.h"

#define HEADER CONFIGURATION_HEADER " 1\n"

static int add_file(struct configuration *configuration, const char *text)
{
	return configuration_add_text(configuration, "test", text, strlen(text), true);
}

static char *written(const struct configuration *configuration)
{
	size_t size;
	char *text;
	FILE *stream = open_memstream(&text, &size);

	assert_non_null(stream);
	assert_int_equal(configuration_write(stream, configuration), 0);
	fclose(stream);
	return text;
}

/** Fails unless a file of these statements is written as @expected, which then stays itself. */
static void check_statements(const char *statements, const char *expected)
{
	const char *input = statements;
	char *whole, *text = NULL, *wrong;

	for (int pass = 0; pass < 2; pass++) {
		struct configuration configuration = { 0 };

		assert_true(asprintf(&whole, HEADER "%s", input) > 0);
		add_file(&configuration, whole);
		wrong = problems_text(&configuration);
		assert_string_equal(wrong, "");
		free(wrong);
		free(text);
		free(whole);
		text = written(&configuration);
		configuration_clear(&configuration);
		assert_string_equal(text + strlen(HEADER), expected);
		input = text + strlen(HEADER);
	}
	free(text);
}

/** Fails unless a text has these problems, and then no settings. */
static void check_problems(const char *text, const char *expected)
{
	struct configuration configuration = { 0 };
	char *wrong;

	assert_int_equal(add_file(&configuration, text), -EINVAL);
	wrong = problems_text(&configuration);
	assert_string_equal(wrong, expected);
	assert_int_equal(configuration.setting_count, 0);
	assert_int_equal(configuration.match_count, 0);
	free(wrong);
	configuration_clear(&configuration);
}

static void check_problem(const char *statements, const char *expected)
{
	char *text, *line;

	assert_true(asprintf(&text, HEADER "%s\n", statements) > 0);
	assert_true(asprintf(&line, "2: %s\n", expected) > 0);
	check_problems(text, line);
	free(text);
	free(line);
}

static void every_statement_is_read_and_written(void **state)
{
	static const char ALL[] = "match model 0xad packages 2 else skip\n"
				  "machine family 6 cpus 288 topology 0x1234abcd of 0-143,200\n"
				  "level 1\n"
				  "turbo-freq on\n"
				  "base-freq off\n"
				  "core-power on ordered\n"
				  "package 1: core-power ordered\n"
				  "clos-enable on\n"
				  "clos 0 min 0 max none\n"
				  "clos 3 min lowest max base desired turbo epp 15 weight 0\n"
				  "clos 2 unmanaged\n"
				  "high-priority 8/package within 0-63,128-191\n"
				  "turbo-ratio-limits level\n"
				  "scaling-min 800\n"
				  "scaling-max none\n"
				  "scaling-max 2100500kHz = 4-7\n"
				  "uncore-min 800 fabric 1\n"
				  "? uncore-max none\n"
				  "cpus by-level\n"
				  "package 1: level 0\n"
				  "package 1 powerdomain 0: turbo-ratio-limits 0x1b1b\n"
				  "? package 1: cpus offline 4-7\n";

	(void)state;
	check_statements(ALL, ALL);
	check_statements("association 0 = 0-3,128-131\nassociation 3 = all\n",
			 "association 0 = 0-3,128-131\nassociation 3 = all\n");
	check_statements("high-priority bucket 1 avoid 0,64\n",
			 "high-priority bucket 1 avoid 0,64\n");
	check_statements("high-priority 4 within 0-7 avoid 0\nassociations unmanaged\n",
			 "high-priority 4 within 0-7 avoid 0\nassociations unmanaged\n");
	check_statements("core-power unmanaged\n", "core-power unmanaged\n");
	check_statements("clos-enable off\n", "clos-enable off\n");
	check_statements("high-priority none\nturbo-ratio-limits none\ncpus isolated\n",
			 "high-priority none\nturbo-ratio-limits none\ncpus isolated\n");
}

static void blanks_comments_and_line_ends_do_not_matter(void **state)
{
	(void)state;
	check_statements("", "");
	check_statements("\n   \n# a comment\n\tlevel   1\t# of this rack\r\n?uncore-max none",
			 "level 1\n? uncore-max none\n");
	check_statements("association 0=0-3\npackage 1 : level 0\n",
			 "association 0 = 0-3\npackage 1: level 0\n");
	check_statements("level 1 # \xe2\x80\x93 that is a dash\n", "level 1\n");
	check_statements("scaling-max 3000MHz\nscaling-min 800000kHz\n",
			 "scaling-max 3000\nscaling-min 800\n");
}

static void lists_of_places_are_kept(void **state)
{
	(void)state;
	check_statements("clos 0-1 min 0\n", "clos 0 min 0\nclos 1 min 0\n");
	check_statements("package 0,2: level 1\n", "package 0,2: level 1\n");
	check_statements("package 0 powerdomain 1-2: level 1\n",
			 "package 0 powerdomain 1-2: level 1\n");
}

static void the_first_line_is_the_header(void **state)
{
	(void)state;
	check_problems("", "1: the first line is not '# isst configuration 1'\n");
	check_problems(
		"\xef\xbb\xbf# isst configuration 1\nlevel 1\n",
		"1: the file begins with a byte order mark (EF BB BF): save it without one\n");
	check_problems("level 1\n", "1: the first line is not '# isst configuration 1'\n");
	check_problems("# isst configuration\n",
		       "1: the first line is not '# isst configuration 1'\n");
	check_problems("# isst configuration 2\n",
		       "1: version '2' of the format is not known: this is version 1\n");
	check_problems("# isst configuration 1x\n",
		       "1: version '1x' of the format is not known: this is version 1\n");
	check_problems("# isst configuration 1\001x\n",
		       "1: column 23: byte 0x01 is not a character of any statement\n");
}

static void words_that_are_wrong_are_named(void **state)
{
	(void)state;
	check_problem("turbo-frq on", "unknown word 'turbo-frq', did you mean 'turbo-freq'?");
	check_problem("xyzzy", "unknown word 'xyzzy'");
	check_problem("level one", "level: 'one' is not a performance level (level N|unmanaged)");
	check_problem("level", "level: a performance level is missing (level N|unmanaged)");
	check_problem("level 1 2", "level: unexpected '2' (level N|unmanaged)");
	check_problem("level 256", "level: '256' is not a performance level (level N|unmanaged)");
	check_problem("turbo-freq yes",
		      "turbo-freq: 'yes' is not on or off (turbo-freq on|off|unmanaged)");
	check_problem("cpus offline 4-", "cpus: '4-' is not a list of CPUs such as 0-3,8 (cpus "
					 "by-level|isolated|online|offline CPUS|unmanaged)");
	check_problem("package 1:", "a statement is missing");
	check_problem("associations", "associations: expected unmanaged (associations "
				      "unmanaged)");
	check_problem("associations all",
		      "associations: expected unmanaged, found 'all' (associations unmanaged)");
	check_problem(
		"association 3 = 0-1048576",
		"association: '0-1048576' is not a list of numbers below 1048576 (association "
		"CLOS = CPUS|all)");
	/* Uncore ratios have 7 bits, of 100 MHz each. */
	check_problem("uncore-max 12800", "uncore-max: '12800' is not a frequency of 100 to 12700 "
					  "MHz (uncore-max MHZ|none|unmanaged [fabric N])");
	check_problem("?", "a statement is missing");
	check_statements("package 1 die 2: level 0\n", "package 1 powerdomain 2: level 0\n");
	check_problem("package 0: ? level 9", "only one '?' is allowed, at the start of the line");
	check_problem("? ? level 9", "only one '?' is allowed, at the start of the line");
	check_problem("package 0: package 1: level 0",
		      "only one 'package' prefix is allowed (package N [powerdomain N|die N]: "
		      "STATEMENT)");
	check_problem("powerdomain 1: level 0", "powerdomain: the package is missing (package N "
						"powerdomain N: STATEMENT)");
	check_problem(
		"package 1: match model 0xad",
		"match is for the whole machine and never optional: neither 'package' nor '?' "
		"is allowed in front of it");
	check_problem("package 0 level 1", "package: expected ':' and a statement after the list, "
					   "found 'level' (package N [powerdomain N|die N]: "
					   "STATEMENT)");
	check_problem("match model 0xad else",
		      "match: expected 'skip' after 'else' (match model M|family F|packages "
		      "N|cpus N|topology T [of CPUS]... [else skip])");
	check_problem(
		"match model 0xad else stop",
		"match: expected 'skip' after 'else', found 'stop' (match model M|family F|packages "
		"N|cpus N|topology T [of CPUS]... [else skip])");
	check_problem("association 0 0-3", "association: expected '=' with a list of CPUs or all, "
					   "found '0-3' (association CLOS = CPUS|all)");
	check_problem("level 1#\x1b", "column 9: byte 0x1b is not a character of any statement");
	check_problem("level \x01", "column 7: byte 0x01 is not a character of any statement");
	check_problem("level \xe2\x80\x93", "column 7: byte 0xe2 is not a character of any "
					    "statement (a dash or blank that is not ASCII?)");
}

static void frequencies_are_checked(void **state)
{
#define CLOS_USAGE \
	" (clos LIST [min MHZ] [max MHZ|none] [desired MHZ] [epp N] [weight N]|unmanaged)"
	(void)state;
	check_problem("clos 0 max 2650", "clos: '2650' is not a multiple of 100 MHz, as the "
					 "hardware stores it" CLOS_USAGE);
	check_problem("clos 0 max 25600",
		      "clos: '25600' is not a frequency of 0 to 25500 MHz" CLOS_USAGE);
	check_problem("clos 0 max 2600GHz", "clos: '2600GHz' is not a frequency in MHz, none, "
					    "base, turbo or lowest" CLOS_USAGE);
	check_problem("clos 0 min none",
		      "clos: 'none' is not a frequency in MHz, base, turbo or lowest" CLOS_USAGE);
	check_problem("scaling-max 0",
		      "scaling-max: '0' is not a frequency above 0, or none for no limit "
		      "(scaling-max MHZ|none|base|turbo|lowest|unmanaged [= CPUS])");
	check_problem("uncore-min 0kHz fabric 0",
		      "uncore-min: '0kHz' is not a frequency above 0, or none for no limit "
		      "(uncore-min MHZ|none|unmanaged [fabric N])");
	check_problem(
		"turbo-ratio-limits 0x0",
		"turbo-ratio-limits: '0x0' is not level, none, or a ratio of two digits for each "
		"bucket such as 0x1b1b1d1d20202323 "
		"(turbo-ratio-limits level|none|0xHEX|unmanaged)");
	check_problem("turbo-ratio-limits 3200",
		      "turbo-ratio-limits: '3200' is not level, none, or a ratio of two digits for "
		      "each bucket such as 0x1b1b1d1d20202323 "
		      "(turbo-ratio-limits level|none|0xHEX|unmanaged)");
	check_problem(
		"association 1 = @package:1",
		"association: '@package:1' is not a list of CPUs such as 0-3,8: names are not "
		"allowed here (association CLOS = CPUS|all)");
	check_problem("level: 1", "level: ':' is only for a part of the machine, in front of the "
				  "statement (level N|unmanaged)");
	check_problem("core-power",
		      "core-power: on, off, ordered or proportional is missing (core-power "
		      "[on|off] [ordered|proportional]|unmanaged)");
	check_problem("clos 4 min 0", "clos: '4' is not a CLOS from 0 to 3" CLOS_USAGE);
	check_problem("clos 0 weight 16", "clos: '16' is not a number from 0 to 15" CLOS_USAGE);
	check_problem("clos 0",
		      "clos: min, max, desired, epp, weight or unmanaged is missing" CLOS_USAGE);
	check_problem("uncore-max base", "uncore-max: 'base' is not a frequency in MHz, or none "
					 "(uncore-max MHZ|none|unmanaged [fabric N])");
	check_problem("high-priority 0", "high-priority: '0' is not a number of cores, N/package, "
					 "bucket B, none or unmanaged (high-priority "
					 "CORES|CORES/package|bucket B [within CPUS] [avoid "
					 "CPUS]|none|unmanaged)");
}

static void all_problems_are_named_at_once(void **state)
{
	(void)state;
	check_problems("# isst configuration 3\nlevl 1\nlevel 1\nclos 9 min 0\n",
		       "1: version '3' of the format is not known: this is version 1\n"
		       "2: unknown word 'levl', did you mean 'level'?\n"
		       "4: clos: '9' is not a CLOS from 0 to 3" CLOS_USAGE "\n");
	check_problems(HEADER "turbo-freq of\nlevel 0\nlevel 1\nclos 0 min 2000 max 1000\nclos 9\n",
		       "2: turbo-freq: 'of' is not on or off (turbo-freq on|off|unmanaged)\n"
		       "4: contradicts line 3\n"
		       "5: the CLOS minimum of 2000 MHz is above the maximum of 1000 MHz\n"
		       "6: clos: '9' is not a CLOS from 0 to 3" CLOS_USAGE "\n");
	/* What is wrong states nothing, not even the part before the mistake. */
	check_problems(
		HEADER "level 1 2\nlevel 2\nmatch cpus 8 cpu\n",
		"2: level: unexpected '2' (level N|unmanaged)\n"
		"4: match: 'cpu' is not family, model, packages, cpus, topology or state (match "
		"model M|family F|packages N|cpus N|topology T [of CPUS]... [else skip])\n");
}

/** The same as check_problem(), for the last of several lines. */
static void check_contradiction(const char *statements, unsigned int line, const char *expected)
{
	char *text, *problem;

	assert_true(asprintf(&text, HEADER "%s\n", statements) > 0);
	assert_true(asprintf(&problem, "%u: %s\n", line, expected) > 0);
	check_problems(text, problem);
	free(text);
	free(problem);
}

static void contradictions_are_refused(void **state)
{
	(void)state;
	check_contradiction("level 1\nlevel 2", 3, "contradicts line 2");
	check_contradiction("level 1\nlevel unmanaged", 3, "contradicts line 2");
	check_contradiction("package 0-1: level 1\npackage 1-2: level 2", 3, "contradicts line 2");
	check_contradiction("clos 0 min 800 min 900", 2, "contradicts itself");
	check_contradiction("association 0 = 0-3\nassociation 1 = 3,9", 3, "contradicts line 2");
	check_contradiction("cpus offline 4-7\ncpus offline 4-6", 3, "contradicts line 2");
	check_contradiction("high-priority 4 within 0-7\nhigh-priority 4 within 0-8", 3,
			    "contradicts line 2");
	check_contradiction("high-priority 4 avoid 0-3\nhigh-priority 4 avoid 8-9", 3,
			    "contradicts line 2");
	check_contradiction("high-priority 4\nhigh-priority 4 avoid 8-9", 3, "contradicts line 2");
	check_contradiction("high-priority 4\nhigh-priority 5", 3, "contradicts line 2");
	check_contradiction("high-priority 4/package\nhigh-priority 4", 3, "contradicts line 2");
	check_contradiction("clos 0 min 900 max 800", 2,
			    "the CLOS minimum of 900 MHz is above the maximum of 800 MHz");
	check_contradiction("clos 0 max 800\npackage 1: clos 0 min 900", 3,
			    "the CLOS minimum of 900 MHz is above the maximum of 800 MHz (line 2)");
	check_contradiction(
		"scaling-max 800 = 0-7\nscaling-min 900 = 7", 3,
		"the scaling minimum of 900 MHz is above the maximum of 800 MHz (line 2)");
	check_contradiction("turbo-freq off\nhigh-priority 4", 3,
			    "high-priority contradicts turbo-freq off (line 2)");
	check_contradiction("high-priority 4\ncore-power on proportional", 3,
			    "core-power proportional contradicts high-priority (line 2)");
	check_contradiction("turbo-freq on\npackage 1: turbo-freq off\nhigh-priority 4", 4,
			    "high-priority contradicts turbo-freq off (line 3)");
	check_contradiction("high-priority 4\nassociation 0 = 5", 3,
			    "an association of CPUs contradicts high-priority (line 2)");
}

/** Fails unless two lines contradict each other in both orders. */
static void check_pair(const char *one, const char *other, const char *expected,
		       const char *swapped)
{
	char *text;

	assert_true(asprintf(&text, "%s\n%s", one, other) > 0);
	check_contradiction(text, 3, expected);
	free(text);
	assert_true(asprintf(&text, "%s\n%s", other, one) > 0);
	check_contradiction(text, 3, swapped);
	free(text);
}

static void check_limits(const char *one, const char *other, const char *name)
{
	char *expected;

	assert_true(asprintf(&expected,
			     "the %s minimum of 3000 MHz is above the maximum of 2000 MHz (line 2)",
			     name) > 0);
	check_pair(one, other, expected, expected);
	free(expected);
}

/** Whatever the order of the lines, and where neither names all places of the other. */
static void contradictions_are_found_wherever_two_lines_meet(void **state)
{
	(void)state;
	check_limits("scaling-max 2000 = 4-5", "scaling-min 3000 = 0-7", "scaling");
	check_limits("scaling-max 2000 = 4-9", "scaling-min 3000 = 0-5", "scaling");
	check_limits("scaling-min 3000 = 4-5", "scaling-max 2000 = 0-7", "scaling");
	check_limits("package 1: scaling-min 3000", "package 1: scaling-max 2000 = 4", "scaling");
	check_limits("package 1-2: clos 0 min 3000", "package 0-1: clos 0 max 2000", "CLOS");
	check_limits("package 1 powerdomain 0-3: clos 0 min 3000",
		     "package 0-1 powerdomain 3-4: clos 0 max 2000", "CLOS");
	check_limits("package 0-1: uncore-min 3000", "uncore-max 2000 fabric 1", "uncore");
	check_pair("package 1 powerdomain 0-3: high-priority 4",
		   "package 0-1 powerdomain 3-4: turbo-freq off",
		   "turbo-freq off contradicts high-priority (line 2)",
		   "high-priority contradicts turbo-freq off (line 2)");
	check_pair("high-priority 4", "package 1-2: core-power off",
		   "core-power off contradicts high-priority (line 2)",
		   "high-priority contradicts core-power off (line 2)");
}

static void every_pair_of_lines_is_reported_once(void **state)
{
	(void)state;
	check_problems(
		HEADER "package 0-1: clos 0 max 2000\n"
		       "package 0,2,4,6: clos 0 min 3000\n"
		       "package 1,3: clos 0 min 3100\n"
		       "package 6,8: clos 0 max 2500\n",
		"3: the CLOS minimum of 3000 MHz is above the maximum of 2000 MHz (line 2)\n"
		"4: the CLOS minimum of 3100 MHz is above the maximum of 2000 MHz (line 2)\n"
		"5: the CLOS minimum of 3000 MHz is above the maximum of 2500 MHz (line 3)\n");
	check_problems(HEADER "clos 0-3 min 3000\npackage 1: clos 0-3 min 3100\n"
			      "clos 0-1 max 2000\n",
		       "4: the CLOS minimum of 3000 MHz is above the maximum of 2000 MHz (line 2)\n"
		       "4: the CLOS minimum of 3100 MHz is above the maximum of 2000 MHz (line "
		       "3)\n");
	check_problems(HEADER "high-priority 4\nturbo-freq off\ncore-power off\n",
		       "3: turbo-freq off contradicts high-priority (line 2)\n"
		       "4: core-power off contradicts high-priority (line 2)\n");
}

/** Places of the same lines are looked at once: there are a thousand million here. */
static void lines_may_name_many_parts_of_the_machine(void **state)
{
	char *list = NULL, *text;
	size_t size;
	FILE *stream = open_memstream(&list, &size);

	(void)state;
	assert_non_null(stream);
	for (unsigned int i = 0; i < 1000; i++)
		fprintf(stream, "%s%u", i ? "," : "", 2 * i);
	fclose(stream);
	assert_true(asprintf(&text,
			     HEADER "package %s powerdomain %s: scaling-min 3000 = %s\n"
				    "package %s powerdomain %s: scaling-max 2000 = %s\n",
			     list, list, list, list, list, list) > 0);
	check_problems(
		text,
		"3: the scaling minimum of 3000 MHz is above the maximum of 2000 MHz (line 2)\n");
	free(text);
	free(list);
}

/** The first line counts at no place where the second one does. */
static void lines_that_another_one_overrides_do_not_contradict(void **state)
{
	static const char *const TEXTS[] = {
		"package 1: clos 0 min 800\nclos 0 min 3000\npackage 1: clos 0 max 2000\n",
		"scaling-min 3000\nscaling-min 800 = 4-7\nscaling-max 2000 = 5-6\n",
		"package 0-1: high-priority none\nhigh-priority 4\npackage 1: turbo-freq off\n",
		/* Each half by another line. */
		"package 0-1: clos 0 max 2000\npackage 0: clos 0 min 800\n"
		"package 1: clos 0 min 900\nclos 0 min 3000\n",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(TEXTS); i++)
		check_statements(TEXTS[i], TEXTS[i]);
}

/** Whether they meet is known only on a machine: the CPUs may be elsewhere. */
static void cpus_need_not_be_of_a_package(void **state)
{
	static const char *const TEXTS[] = {
		"package 0: scaling-min 3000\nscaling-max 2000 = 64-127\n",
		"package 0: high-priority 4\nassociation 0 = 64-127\n",
		"package 0: high-priority 4\npackage 1: association 0 = 64-127\n",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(TEXTS); i++)
		check_statements(TEXTS[i], TEXTS[i]);
}

/** Where a later text does not replace what it contradicts. */
static void a_later_text_is_held_against_earlier_ones(void **state)
{
	struct configuration configuration = { 0 };
	static const char OFF[] = "turbo-freq off", NONE[] = "high-priority none";
	char *wrong;

	(void)state;
	assert_int_equal(add_file(&configuration, HEADER "high-priority 4\n"), 0);
	assert_int_equal(configuration_add_text(&configuration, "--set", OFF, strlen(OFF), false),
			 -EINVAL);
	wrong = problems_text(&configuration);
	assert_string_equal(wrong, "0: turbo-freq off contradicts high-priority (test:2)\n");
	free(wrong);
	assert_int_equal(configuration.setting_count, 1);
	assert_int_equal(configuration_add_text(&configuration, "--set", NONE, strlen(NONE), false),
			 0);
	assert_int_equal(configuration_add_text(&configuration, "--set", OFF, strlen(OFF), false),
			 0);
	configuration_clear(&configuration);
}

static void what_is_stated_twice_is_no_contradiction(void **state)
{
	(void)state;
	check_statements("level 1\nlevel 1\n", "level 1\nlevel 1\n");
	check_statements("package 1: high-priority none\nhigh-priority 4\npackage 1: turbo-freq "
			 "off\n",
			 "package 1: high-priority none\nhigh-priority 4\npackage 1: turbo-freq "
			 "off\n");
	check_statements("high-priority 4\nassociations unmanaged\n",
			 "high-priority 4\nassociations unmanaged\n");
}

static unsigned int level_at(const struct configuration *configuration, unsigned int package)
{
	struct place place = { .package = package, .index = INDEX_ALL };
	const struct setting *setting = configuration_find(configuration, SUBJECT_LEVEL, &place);

	assert_non_null(setting);
	return (unsigned int)setting->number;
}

static void what_says_more_of_its_place_counts(void **state)
{
	struct configuration configuration = { 0 };
	static const char ALL[] = "level 2";

	(void)state;
	assert_int_equal(add_file(&configuration,
				  HEADER "package 1: level 0\nlevel 1\nassociation 0 = 4\n"
					 "association 3 = all\n"),
			 0);
	assert_int_equal(level_at(&configuration, 0), 1);
	assert_int_equal(level_at(&configuration, 1), 0);
	for (unsigned int cpu = 3; cpu < 6; cpu++) {
		struct place place = { .cpu = cpu, .index = INDEX_ALL };

		assert_int_equal(
			configuration_find(&configuration, SUBJECT_ASSOCIATION, &place)->number,
			cpu == 4 ? 0 : 3);
	}
	/* A later text wins, also where it says less. */
	assert_int_equal(configuration_add_text(&configuration, "--set", ALL, strlen(ALL), false),
			 0);
	assert_int_equal(level_at(&configuration, 1), 2);
	configuration_clear(&configuration);
}

/** Fails unless the first of two lines counts in both orders, at a place of both. */
static void check_precedence(const char *line, const char *other, enum subject subject)
{
	const struct place place = { .package = 1, .power_domain = 2, .index = 1, .cpu = 4 };
	const char *const orders[][2] = { { line, other }, { other, line } };

	for (unsigned int i = 0; i < 2; i++) {
		struct configuration configuration = { 0 };
		const struct setting *setting;
		char *text;

		assert_true(asprintf(&text, HEADER "%s\n%s\n", orders[i][0], orders[i][1]) > 0);
		assert_int_equal(add_file(&configuration, text), 0);
		setting = configuration_find(&configuration, subject, &place);
		assert_non_null(setting);
		if (setting->origin.line != 2 + i)
			fail_msg("does not count: %s", line);
		configuration_clear(&configuration);
		free(text);
	}
}

/* CPUs before all; power domains before a package, which is before none; a fabric in the same place
 * before none. */
static void each_kind_of_place_has_its_rank(void **state)
{
	(void)state;
	check_precedence("uncore-max 1800 fabric 1", "uncore-max 2000", SUBJECT_UNCORE_MAX);
	check_precedence("package 1: uncore-max 1800 fabric 1", "package 1: uncore-max 2000",
			 SUBJECT_UNCORE_MAX);
	check_precedence("package 1: uncore-max 1800", "uncore-max 2000 fabric 1",
			 SUBJECT_UNCORE_MAX);
	check_precedence("package 1 powerdomain 2: uncore-max 1800",
			 "package 1: uncore-max 2000 fabric 1", SUBJECT_UNCORE_MAX);
	check_precedence("association 3 = 4", "association 1 = all", SUBJECT_ASSOCIATION);
	check_precedence("association 1 = 4", "package 1: association 3 = all",
			 SUBJECT_ASSOCIATION);
	check_precedence("association 1 = 4", "package 1 powerdomain 2: association 3 = all",
			 SUBJECT_ASSOCIATION);
	check_precedence("package 1: association 1 = 4", "association 3 = 4", SUBJECT_ASSOCIATION);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_statement_is_read_and_written),
		cmocka_unit_test(blanks_comments_and_line_ends_do_not_matter),
		cmocka_unit_test(lists_of_places_are_kept),
		cmocka_unit_test(the_first_line_is_the_header),
		cmocka_unit_test(words_that_are_wrong_are_named),
		cmocka_unit_test(frequencies_are_checked),
		cmocka_unit_test(all_problems_are_named_at_once),
		cmocka_unit_test(contradictions_are_refused),
		cmocka_unit_test(contradictions_are_found_wherever_two_lines_meet),
		cmocka_unit_test(every_pair_of_lines_is_reported_once),
		cmocka_unit_test(lines_may_name_many_parts_of_the_machine),
		cmocka_unit_test(lines_that_another_one_overrides_do_not_contradict),
		cmocka_unit_test(cpus_need_not_be_of_a_package),
		cmocka_unit_test(a_later_text_is_held_against_earlier_ones),
		cmocka_unit_test(what_is_stated_twice_is_no_contradiction),
		cmocka_unit_test(what_says_more_of_its_place_counts),
		cmocka_unit_test(each_kind_of_place_has_its_rank),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
