/* SPDX-License-Identifier: BSD-3-Clause */
/* The text of configurations: what is read is what was written, and all that is wrong is named. */
#include "configuration/statements.h"
#include "configuration/write.h"

#define HEADER CONFIGURATION_HEADER " 1\n"

static int add_file(struct configuration *configuration, const char *text)
{
	return configuration_add_text(configuration, "test", text, strlen(text), TEXT_FILE);
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
				  "match family 6 cpus 288 topology 0x1234abcd of 0-143,200\n"
				  "level 1\n"
				  "turbo-freq on\n"
				  "base-freq off\n"
				  "core-power on ordered\n"
				  "package 1: core-power ordered\n"
				  "clos-enable on\n"
				  "clos 0: min 0 max none\n"
				  "clos 3: min lowest max base desired turbo epp 15 weight 0\n"
				  "? package 1 clos 2: unmanaged\n"
				  "high-priority 8/package within 0-63,128-191\n"
				  "turbo-ratio-limits level\n"
				  "scaling-min 800\n"
				  "scaling-max none\n"
				  "package 0 cpu 4-7: scaling-max 2100500kHz\n"
				  "package 1 domain 2 fabric 1: uncore-min 800\n"
				  "? uncore-max none\n"
				  "cpus by-level\n"
				  "package 1: level 0\n"
				  "package 1 domain 0: turbo-ratio-limits 0x1b1b\n"
				  "domain 2: base-freq on\n"
				  "? package 1: cpus offline 4-7\n";

	(void)state;
	check_statements(ALL, ALL);
	check_statements("cpu 0-3,128-131: association 0\nassociation 3\n",
			 "cpu 0-3,128-131: association 0\nassociation 3\n");
	check_statements("high-priority bucket 1 avoid 0,64\n",
			 "high-priority bucket 1 avoid 0,64\n");
	check_statements("high-priority 4 within 0-7 avoid 0\nassociation unmanaged\n",
			 "high-priority 4 within 0-7 avoid 0\nassociation unmanaged\n");
	check_statements("core-power unmanaged\n", "core-power unmanaged\n");
	check_statements("clos-enable off\n", "clos-enable off\n");
	check_statements("turbo-ratio-limits none\ncpus isolated\n",
			 "turbo-ratio-limits none\ncpus isolated\n");
}

#define PLACES " (package LIST, domain LIST, cpu CPUS, fabric LIST and clos LIST, then ':')"
/** Only a machine knows them. What may depend on the configuration is refused. */
static void names_of_cpus_are_kept(void **state)
{
	static const char NAMES[] =
		"cpu @node:0: association 0\n"
		"package 1 cpu 4-7,@isolated: scaling-max base\n"
		"high-priority 4 within @package:0,@domain:1.2 avoid @isolated,0\n"
		"cpu @package:1,4: scaling-min none\n";
	static const char OTHERS[] =
		"is not a list of CPUs that stays the same: @package:N, @domain:P.D, @node:N and "
		"@isolated do";
	char *expected;

	(void)state;
	check_statements(NAMES, NAMES);
	check_statements("cpu @node:0:association 0\ncpu @isolated : association 1\n",
			 "cpu @node:0: association 0\ncpu @isolated: association 1\n");
	assert_true(asprintf(&expected, "cpu: '@clos:0' %s" PLACES, OTHERS) > 0);
	check_problem("cpu @clos:0: association 1", expected);
	free(expected);
	check_problem("cpu @nod:0: association 1",
		      "cpu: '@nod:0' is not a list of CPUs such as 0-3,8 or @node:1" PLACES);
	check_problem("cpu @isolated,: association 1",
		      "cpu: '@isolated,' is not a list of CPUs such as 0-3,8 or @node:1" PLACES);
	check_problem("cpus offline @node:1",
		      "cpus: '@node:1' is not a list of CPUs such as 0-3,8 (cpus "
		      "by-level|isolated|online|offline CPUS|unmanaged)");
}

static void former_spellings_are_refused_with_the_new_ones(void **state)
{
	static const char *const FORMER[][2] = {
		{ "machine model 0x6a cpus 4",
		  "former spelling 'machine': write 'match CONDITION ...'" },
		{ "package 1 powerdomain 0: level 1",
		  "former spelling 'powerdomain': write 'domain LIST: STATEMENT'" },
		{ "package 1 die 0: level 1",
		  "former spelling 'die': write 'domain LIST: STATEMENT'" },
		{ "die 0: level 1", "former spelling 'die': write 'domain LIST: STATEMENT'" },
		{ "? package 0: associations unmanaged",
		  "former spelling 'associations': write 'association unmanaged'" },
		{ "association 3=all", "former spelling 'association ... =': write 'cpu CPUS: "
				       "association CLOS', of all CPUs 'association CLOS'" },
		{ "scaling-min 800 = 0-3",
		  "former spelling 'scaling-min ... =': write 'cpu CPUS: scaling-min MHZ'" },
		{ "scaling-max none = 0-3",
		  "former spelling 'scaling-max ... =': write 'cpu CPUS: scaling-max MHZ'" },
		{ "uncore-min 800 fabric 1", "former spelling 'uncore-min ... fabric': write "
					     "'fabric LIST: uncore-min MHZ'" },
		{ "package 0: uncore-max none fabric 1",
		  "former spelling 'uncore-max ... fabric': write 'fabric LIST: uncore-max MHZ'" },
		{ "high-priority none", "former spelling 'high-priority ... none': write "
					"'high-priority unmanaged', or 'turbo-freq off'" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(FORMER); i++)
		check_problem(FORMER[i][0], FORMER[i][1]);
}

static void blanks_comments_and_line_ends_do_not_matter(void **state)
{
	(void)state;
	check_statements("", "");
	check_statements("\n   \n# a comment\n\tlevel   1\t# of this rack\r\n?uncore-max none",
			 "level 1\n? uncore-max none\n");
	check_statements("cpu 0-3: association 0\npackage 1 : level 0\n",
			 "cpu 0-3: association 0\npackage 1: level 0\n");
	check_statements("level 1 # \xe2\x80\x93 that is a dash\n", "level 1\n");
	check_statements("scaling-max 3000MHz\nscaling-min 800000kHz\n",
			 "scaling-max 3000\nscaling-min 800\n");
	check_statements("clos 1: max 2.6GHz min none desired none\nuncore-max 1.8GHz\n"
			 "scaling-max 2600.5MHz\nscaling-min 2.600001GHz\n",
			 "clos 1: max 2600\nclos 1: min 0 desired 0\nuncore-max 1800\n"
			 "scaling-max 2600500kHz\nscaling-min 2600001kHz\n");
}

static void lists_of_places_are_kept(void **state)
{
	(void)state;
	check_statements("clos 0-1: min 0\n", "clos 0: min 0\nclos 1: min 0\n");
	check_statements("fabric 0,2 package 1: uncore-max none\n",
			 "package 1 fabric 0: uncore-max none\n"
			 "package 1 fabric 2: uncore-max none\n");
	check_statements("package 0,2: level 1\n", "package 0,2: level 1\n");
	check_statements("package 0 domain 1-2: level 1\n", "package 0 domain 1-2: level 1\n");
}

static void the_header_is_before_the_first_statement(void **state)
{
#define NO_HEADER "the line '# isst configuration 1' is missing"
	struct configuration configuration = { 0 };

	(void)state;
	check_problems("", "1: " NO_HEADER "\n");
	check_problems("\n# isst configuration of rack 3\n", "1: " NO_HEADER "\n");
	check_problems(
		"\xef\xbb\xbf# isst configuration 1\nlevel 1\n",
		"1: the file begins with a byte order mark (EF BB BF): save it without one\n");
	check_problems("level 1\n", "1: " NO_HEADER " before the first statement\n");
	check_problems("# by Ansible\nlevel 1\n# isst configuration 1\nlevl 1\n",
		       "2: " NO_HEADER " before the first statement\n"
		       "4: unknown word 'levl', did you mean 'level'?\n");
	check_problems("# isst configuration\n", "1: " NO_HEADER "\n");
	check_problems("# isst configuration 2\n",
		       "1: version '2' of the format is not known: this is version 1\n");
	check_problems("# isst configuration 1x\n",
		       "1: version '1x' of the format is not known: this is version 1\n");
	check_problems("# isst configuration 1\001x\n",
		       "1: column 23: byte 0x01 is not a character of any statement\n");
	assert_int_equal(add_file(&configuration, "\t# Ansible managed \xe2\x80\x93 do not edit\r\n"
						  "\n#\n" HEADER "level 1\n"),
			 0);
	assert_int_equal(configuration.setting_count, 1);
	assert_int_equal(configuration.settings[0].origin.line, 5);
	configuration_clear(&configuration);
}

static void lines_of_texts_that_are_no_files_are_counted(void **state)
{
	static const char TEXT[] = "level 1\nlevel 2\nlevl 3";
	struct configuration configuration = { 0 };
	char *wrong;

	(void)state;
	assert_int_equal(
		configuration_add_text(&configuration, "test", TEXT, strlen(TEXT), TEXT_LINES),
		-EINVAL);
	wrong = problems_text(&configuration);
	assert_string_equal(wrong, "2: contradicts line 1\n"
				   "3: unknown word 'levl', did you mean 'level'?\n");
	free(wrong);
	configuration_clear(&configuration);
}

#define CLOS_USAGE \
	" (clos LIST: [min MHZ] [max MHZ] [desired MHZ] [epp N] [weight N]|unmanaged; each MHZ " \
	"also none, base, turbo or lowest)"
#define MATCH_USAGE \
	" (match model M|family F|packages N|cpus N|topology T [of CPUS]|state S... [else skip])"

static void words_that_are_wrong_are_named(void **state)
{
	(void)state;
	check_problem("turbo-frq on", "unknown word 'turbo-frq', did you mean 'turbo-freq'?");
	check_problem("xyzzy", "unknown word 'xyzzy': no setting has this name, see "
			       "isst-config(5)");
	check_problem("level one", "level: 'one' is not a performance level (level N|unmanaged)");
	check_problem("level", "level: a performance level is missing (level N|unmanaged)");
	check_problem("level 1 2", "level: unexpected '2' (level N|unmanaged)");
	check_problem("level 256", "level: '256' is not a performance level (level N|unmanaged)");
	check_problem("turbo-freq yes",
		      "turbo-freq: 'yes' is not on or off (turbo-freq on|off|unmanaged)");
	check_problem("cpus offline 4-", "cpus: '4-' is not a list of CPUs such as 0-3,8 (cpus "
					 "by-level|isolated|online|offline CPUS|unmanaged)");
	check_problem("package 1:", "a statement is missing");
	check_problem("association = 0",
		      "former spelling 'association ... =': write 'cpu CPUS: association CLOS', of "
		      "all CPUs 'association CLOS'");
	check_problem("cpu 0-1048576: association 3",
		      "cpu: '0-1048576' is not a list of numbers below 1048576" PLACES);
	check_problem("cpu all: association 3",
		      "cpu: 'all' is not a list of CPUs such as 0-3,8 or @node:1" PLACES);
	/* Uncore ratios have 7 bits, of 100 MHz each. */
	check_problem("uncore-max 12800", "uncore-max: '12800' is not a frequency of 100 to 12700 "
					  "MHz ([fabric LIST:] uncore-max MHZ|none|unmanaged)");
	check_problem("?", "a statement is missing");
	check_problem("package 0: ? level 9", "only one '?' is allowed, at the start of the line");
	check_problem("? ? level 9", "only one '?' is allowed, at the start of the line");
	check_problem("package 0: package 1: level 0",
		      "all places of a statement stand in front of one ':'" PLACES);
	check_problem("package 0: clos 1: max 2000",
		      "all places of a statement stand in front of one ':'" PLACES);
	check_problem("package 1: match model 0xad",
		      "match: 'package' is not allowed in front of it" MATCH_USAGE);
	check_problem("? match model 0xad", "match is never optional: no '?' is allowed");
	check_problem("cpu 3: level 1",
		      "level: 'cpu' is not allowed in front of it (level N|unmanaged)");
	check_problem("clos 1 fabric 3: max 2000",
		      "clos: 'fabric' is not allowed in front of it" CLOS_USAGE);
	check_problem("package 0 level 1",
		      "package: expected ':' and a statement after the list, found 'level'" PLACES);
	check_problem("clos 0 min 800",
		      "clos: expected ':' and a statement after the list, found 'min'" CLOS_USAGE);
	check_problem("clos: min 800", "clos: ':' is not a CLOS from 0 to 3" CLOS_USAGE);
	check_problem("min 800", "unknown word 'min', did you mean 'clos LIST: "
				 "min|max|desired|epp|weight'?");
	check_problem("cpus 0-3: association 1",
		      "cpus: '0-3' is not by-level, isolated, online, offline CPUS or unmanaged; "
		      "'cpu CPUS:' names those of a statement (cpus "
		      "by-level|isolated|online|offline CPUS|unmanaged)");
	check_problem("match model 0xad else", "match: expected 'skip' after 'else'" MATCH_USAGE);
	check_problem("match model 0xad else stop",
		      "match: expected 'skip' after 'else', found 'stop'" MATCH_USAGE);
	check_problem("level 1#\x1b", "column 9: byte 0x1b is not a character of any statement");
	check_problem("level \x01", "column 7: byte 0x01 is not a character of any statement");
	check_problem("level \xe2\x80\x93", "column 7: byte 0xe2 is not a character of any "
					    "statement (a dash or blank that is not ASCII?)");
}

static void frequencies_are_checked(void **state)
{
	(void)state;
	check_problem("clos 0: max 2650", "clos: '2650' is not a multiple of 100 MHz, as the "
					  "hardware stores it" CLOS_USAGE);
	check_problem("clos 0: max 25600",
		      "clos: '25600' is not a frequency of 0 to 25500 MHz" CLOS_USAGE);
	check_problem("clos 0: max 2600GHz",
		      "clos: '2600GHz' is not a frequency of 0 to 25500 MHz" CLOS_USAGE);
	check_problem("scaling-max 0",
		      "scaling-max: '0' is not a frequency above 0, or none for no limit "
		      "([cpu CPUS:] scaling-max MHZ|none|base|turbo|lowest|unmanaged)");
	check_problem("fabric 0: uncore-min 0kHz",
		      "uncore-min: '0kHz' is not a frequency above 0, or none for no limit "
		      "([fabric LIST:] uncore-min MHZ|none|unmanaged)");
	check_problem(
		"turbo-ratio-limits 0x0",
		"turbo-ratio-limits: '0x0' is not level, none, or a ratio of two digits for each "
		"bucket such as 0x1b1b1d1d20202323 "
		"(turbo-ratio-limits level|none|0xHEX|unmanaged)");
	check_problem("turbo-ratio-limits 3200",
		      "turbo-ratio-limits: '3200' is not level, none, or a ratio of two digits for "
		      "each bucket such as 0x1b1b1d1d20202323 "
		      "(turbo-ratio-limits level|none|0xHEX|unmanaged)");
	check_problem("level: 1", "level: ':' is only for a part of the machine, in front of the "
				  "statement (level N|unmanaged)");
	check_problem("core-power",
		      "core-power: on, off, ordered or proportional is missing (core-power "
		      "[on|off] [ordered|proportional]|unmanaged)");
	check_problem("clos 4: min 0", "clos: '4' is not a CLOS from 0 to 3" CLOS_USAGE);
	check_problem("clos 0: weight 16", "clos: '16' is not a number from 0 to 15" CLOS_USAGE);
	check_problem("clos 0:",
		      "clos: min, max, desired, epp, weight or unmanaged is missing" CLOS_USAGE);
	check_problem("uncore-max base", "uncore-max: 'base' is not a frequency in MHz, or none "
					 "([fabric LIST:] uncore-max MHZ|none|unmanaged)");
	check_problem("high-priority 0", "high-priority: '0' is not a number of cores, N/package, "
					 "bucket B or unmanaged (high-priority "
					 "CORES|CORES/package|bucket B [within CPUS] [avoid "
					 "CPUS]|unmanaged)");
}

static void all_problems_are_named_at_once(void **state)
{
	(void)state;
	check_problems("# isst configuration 3\nlevl 1\nlevel 1\nclos 9: min 0\n",
		       "1: version '3' of the format is not known: this is version 1\n"
		       "2: unknown word 'levl', did you mean 'level'?\n"
		       "4: clos: '9' is not a CLOS from 0 to 3" CLOS_USAGE "\n");
	check_problems(HEADER
		       "turbo-freq of\nlevel 0\nlevel 1\nclos 0: min 2000 max 1000\nclos 9\n",
		       "2: turbo-freq: 'of' is not on or off (turbo-freq on|off|unmanaged)\n"
		       "4: contradicts line 3\n"
		       "5: the CLOS minimum of 2000 MHz is above the maximum of 1000 MHz\n"
		       "6: clos: '9' is not a CLOS from 0 to 3" CLOS_USAGE "\n");
	/* What is wrong states nothing, not even the part before the mistake. */
	check_problems(
		HEADER "level 1 2\nlevel 2\nmatch cpus 8 cpu\n",
		"2: level: unexpected '2' (level N|unmanaged)\n"
		"4: match: 'cpu' is not family, model, packages, cpus, topology or state (match "
		"model M|family F|packages N|cpus N|topology T [of CPUS]|state S... [else skip])\n");
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
	check_contradiction("clos 0: min 800 min 900", 2, "contradicts itself");
	check_contradiction("cpu 0-3: association 0\ncpu 3,9: association 1", 3,
			    "contradicts line 2");
	check_contradiction("cpus offline 4-7\ncpus offline 4-6", 3, "contradicts line 2");
	check_contradiction("high-priority 4 within 0-7\nhigh-priority 4 within 0-8", 3,
			    "contradicts line 2");
	check_contradiction("high-priority 4 avoid 0-3\nhigh-priority 4 avoid 8-9", 3,
			    "contradicts line 2");
	check_contradiction("high-priority 4\nhigh-priority 4 avoid 8-9", 3, "contradicts line 2");
	check_contradiction("high-priority 4\nhigh-priority 5", 3, "contradicts line 2");
	check_contradiction("high-priority 4/package\nhigh-priority 4", 3, "contradicts line 2");
	check_contradiction("clos 0: min 900 max 800", 2,
			    "the CLOS minimum of 900 MHz is above the maximum of 800 MHz");
	check_contradiction("clos 0: max 800\npackage 1 clos 0: min 900", 3,
			    "the CLOS minimum of 900 MHz is above the maximum of 800 MHz (line 2)");
	check_contradiction(
		"cpu 0-7: scaling-max 800\ncpu 7: scaling-min 900", 3,
		"the scaling minimum of 900 MHz is above the maximum of 800 MHz (line 2)");
	check_contradiction("turbo-freq off\nhigh-priority 4", 3,
			    "high-priority contradicts turbo-freq off (line 2)");
	check_contradiction("high-priority 4\ncore-power on proportional", 3,
			    "core-power proportional contradicts high-priority (line 2)");
	check_contradiction("turbo-freq on\npackage 1: turbo-freq off\nhigh-priority 4", 4,
			    "high-priority contradicts turbo-freq off (line 3)");
	check_contradiction("high-priority 4\ncpu 5: association 0", 3,
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
	check_limits("cpu 4-5: scaling-max 2000", "cpu 0-7: scaling-min 3000", "scaling");
	check_limits("cpu 4-9: scaling-max 2000", "cpu 0-5: scaling-min 3000", "scaling");
	check_limits("cpu 4-5: scaling-min 3000", "cpu 0-7: scaling-max 2000", "scaling");
	check_limits("package 1: scaling-min 3000", "package 1 cpu 4: scaling-max 2000", "scaling");
	check_limits("package 1-2 clos 0: min 3000", "package 0-1 clos 0: max 2000", "CLOS");
	check_limits("package 1 domain 0-3 clos 0: min 3000",
		     "package 0-1 domain 3-4 clos 0: max 2000", "CLOS");
	check_limits("package 0-1: uncore-min 3000", "fabric 1: uncore-max 2000", "uncore");
	check_pair("package 1 domain 0-3: high-priority 4",
		   "package 0-1 domain 3-4: turbo-freq off",
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
		HEADER "package 0-1 clos 0: max 2000\n"
		       "package 0,2,4,6 clos 0: min 3000\n"
		       "package 1,3 clos 0: min 3100\n"
		       "package 6,8 clos 0: max 2500\n",
		"3: the CLOS minimum of 3000 MHz is above the maximum of 2000 MHz (line 2)\n"
		"4: the CLOS minimum of 3100 MHz is above the maximum of 2000 MHz (line 2)\n"
		"5: the CLOS minimum of 3000 MHz is above the maximum of 2500 MHz (line 3)\n");
	check_problems(HEADER "clos 0-3: min 3000\npackage 1 clos 0-3: min 3100\n"
			      "clos 0-1: max 2000\n",
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
			     HEADER "package %s domain %s cpu %s: scaling-min 3000\n"
				    "package %s domain %s cpu %s: scaling-max 2000\n",
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
		"package 1 clos 0: min 800\nclos 0: min 3000\npackage 1 clos 0: max 2000\n",
		"scaling-min 3000\ncpu 4-7: scaling-min 800\ncpu 5-6: scaling-max 2000\n",
		"package 0-1: high-priority unmanaged\nhigh-priority 4\npackage 1: turbo-freq off\n",
		/* Each half by another line. */
		"package 0-1 clos 0: max 2000\npackage 0 clos 0: min 800\n"
		"package 1 clos 0: min 900\nclos 0: min 3000\n",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(TEXTS); i++)
		check_statements(TEXTS[i], TEXTS[i]);
}

/** Whether they meet is known only on a machine: the CPUs may be elsewhere. */
static void cpus_need_not_be_of_a_package(void **state)
{
	static const char *const TEXTS[] = {
		"package 0: scaling-min 3000\ncpu 64-127: scaling-max 2000\n",
		"package 0: high-priority 4\ncpu 64-127: association 0\n",
		"package 0: high-priority 4\npackage 1 cpu 64-127: association 0\n",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(TEXTS); i++)
		check_statements(TEXTS[i], TEXTS[i]);
}

/** Where a later text does not replace what it contradicts. */
static void a_later_text_is_held_against_earlier_ones(void **state)
{
	struct configuration configuration = { 0 };
	static const char OFF[] = "turbo-freq off", NONE[] = "high-priority unmanaged";
	char *wrong;

	(void)state;
	assert_int_equal(add_file(&configuration, HEADER "high-priority 4\n"), 0);
	assert_int_equal(
		configuration_add_text(&configuration, "--set", OFF, strlen(OFF), TEXT_STATEMENT),
		-EINVAL);
	wrong = problems_text(&configuration);
	assert_string_equal(wrong, "0: turbo-freq off contradicts high-priority (test:2)\n");
	free(wrong);
	assert_int_equal(configuration.setting_count, 1);
	assert_int_equal(
		configuration_add_text(&configuration, "--set", NONE, strlen(NONE), TEXT_STATEMENT),
		0);
	assert_int_equal(
		configuration_add_text(&configuration, "--set", OFF, strlen(OFF), TEXT_STATEMENT),
		0);
	configuration_clear(&configuration);
}

static void what_is_stated_twice_is_no_contradiction(void **state)
{
	(void)state;
	check_statements("level 1\nlevel 1\n", "level 1\nlevel 1\n");
	check_statements(
		"package 1: high-priority unmanaged\nhigh-priority 4\npackage 1: turbo-freq "
		"off\n",
		"package 1: high-priority unmanaged\nhigh-priority 4\npackage 1: turbo-freq "
		"off\n");
	check_statements("high-priority 4\nassociation unmanaged\n",
			 "high-priority 4\nassociation unmanaged\n");
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
				  HEADER "package 1: level 0\nlevel 1\ncpu 4: association 0\n"
					 "association 3\n"),
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
	assert_int_equal(
		configuration_add_text(&configuration, "--set", ALL, strlen(ALL), TEXT_STATEMENT),
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
	check_precedence("fabric 1: uncore-max 1800", "uncore-max 2000", SUBJECT_UNCORE_MAX);
	check_precedence("package 1 fabric 1: uncore-max 1800", "package 1: uncore-max 2000",
			 SUBJECT_UNCORE_MAX);
	check_precedence("package 1: uncore-max 1800", "fabric 1: uncore-max 2000",
			 SUBJECT_UNCORE_MAX);
	check_precedence("package 1 domain 2: uncore-max 1800",
			 "package 1 fabric 1: uncore-max 2000", SUBJECT_UNCORE_MAX);
	check_precedence("cpu 4: association 3", "association 1", SUBJECT_ASSOCIATION);
	check_precedence("cpu 4: association 1", "package 1: association 3", SUBJECT_ASSOCIATION);
	check_precedence("cpu 4: association 1", "package 1 domain 2: association 3",
			 SUBJECT_ASSOCIATION);
	check_precedence("package 1 cpu 4: association 1", "cpu 4: association 3",
			 SUBJECT_ASSOCIATION);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_statement_is_read_and_written),
		cmocka_unit_test(blanks_comments_and_line_ends_do_not_matter),
		cmocka_unit_test(lists_of_places_are_kept),
		cmocka_unit_test(the_header_is_before_the_first_statement),
		cmocka_unit_test(lines_of_texts_that_are_no_files_are_counted),
		cmocka_unit_test(names_of_cpus_are_kept),
		cmocka_unit_test(former_spellings_are_refused_with_the_new_ones),
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
