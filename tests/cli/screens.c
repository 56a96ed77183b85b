/* SPDX-License-Identifier: BSD-3-Clause */
/* Screens: folding, widths and what does not fit; maps; what changed; pages. Complete outputs. */
#include "cli/render/output.h"

#include "check.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

static void assert_page(const struct report *report, const struct page *page, const char *expected)
{
	struct memory_stream memory;

	assert_int_equal(render_screen(report, page, true, open_memory(&memory)), 0);
	assert_written(&memory, expected);
}

static void assert_screen(const struct report *report, unsigned int columns, bool colour,
			  const char *expected)
{
	assert_page(report, &(struct page){ .columns = columns, .colour = colour }, expected);
}

static struct report_node *add_domain(struct report *report, unsigned int package, unsigned int die,
				      unsigned int domain)
{
	const struct report_step path[] = { { &keys[KEY_PACKAGE], package },
					    { &keys[KEY_DIE], die },
					    { &keys[KEY_POWER_DOMAIN], domain },
					    { &keys[KEY_CPU], package * 10 + domain } };

	return report_unit(report, path, 4);
}

static struct report_node *add_die(struct report *report, unsigned int package, unsigned int die)
{
	const struct report_step path[] = { { &keys[KEY_PACKAGE], package },
					    { &keys[KEY_DIE], die },
					    { &keys[KEY_CPU], die } };

	return report_unit(report, path, 3);
}

static void add_cpus(struct report_node *node, enum key_id key, const char *list)
{
	struct isst_cpuset *cpus = isst_cpuset_new();

	assert_int_equal(isst_cpuset_add_list(cpus, list, NULL), 0);
	report_cpu_ranges(node, key, 0, cpus);
	isst_cpuset_free(cpus);
}

TEST(rows_that_are_alike_are_one)
{
	autoreport struct report *report = report_new();

	for (unsigned int package = 0; package < 2; package++)
		for (unsigned int domain = 0; domain < 3; domain++) {
			struct report_node *node = add_domain(report, package, package, domain);

			report_number(node, KEY_STATUS_LEVEL, 1);
			report_number(node, KEY_STATUS_HIGHEST_LEVEL, 4);
			report_number(node, KEY_BASE_FREQUENCY, domain == 2 ? 900 : 2600);
		}
	assert_screen(report, 80, false,
		      "\n"
		      "                                 level     base MHz\n"
		      "packages 0-1, power domains 0-1  1 of 0-4      2600\n"
		      "packages 0-1, power domain 2     1 of 0-4       900\n");
}

/** No row stands for a place that is none of its own. */
TEST(places_are_joined_in_one_step_only)
{
	autoreport struct report *report = report_new();

	for (unsigned int package = 0; package < 3; package++)
		for (unsigned int domain = 0; domain < 2; domain++)
			report_state(add_domain(report, package, 0, domain), KEY_STATUS_LOCK,
				     package == 1 && domain == 0);
	assert_screen(report, 80, false,
		      "\n"
		      "                                 locked\n"
		      "packages 0,2, power domains 0-1  no\n"
		      "package 1, power domain 0        yes\n"
		      "package 1, power domain 1        no\n");
	/* Packages have no other domains, if the report has those of the whole machine. */
	report_make_screen(report, true);
	assert_screen(report, 80, false,
		      "\n"
		      "                           locked\n"
		      "packages 0,2               no\n"
		      "package 1, power domain 0  yes\n"
		      "package 1, power domain 1  no\n");
}

TEST(dies_are_named_only_where_nothing_else_differs)
{
	autoreport struct report *report = report_new();

	report_state(add_die(report, 0, 0), KEY_STATUS_LOCK, false);
	report_state(add_die(report, 1, 1), KEY_STATUS_LOCK, true);
	assert_screen(report, 80, false,
		      "\n"
		      "           locked\n"
		      "package 0  no\n"
		      "package 1  yes\n");
	report_state(add_die(report, 1, 2), KEY_STATUS_LOCK, true);
	assert_screen(report, 80, false,
		      "\n"
		      "                     locked\n"
		      "package 0            no\n"
		      "package 1, dies 1-2  yes\n");
}

/** A value that is absent, one that could not be read, and one of words. */
TEST(cells_are_told_apart)
{
	autoreport struct report *report = report_new();
	struct report_node *node = add_die(report, 0, 0);

	report_word(node, KEY_SST_BASE_FREQ, "unsupported");
	report_word(node, KEY_SST_TURBO_FREQ, "disabled");
	report_word(node, KEY_SST_CORE_POWER, "enabled");
	report_word(node, KEY_PRIORITY_TYPE, "ordered");
	node = add_die(report, 1, 0);
	report_unknown(node, KEY_SST_BASE_FREQ);
	report_word(node, KEY_SST_CORE_POWER, "disabled");
	report_message(report, ENTRY_ERROR, "package 1: no answer");
	report_make_screen(report, true);
	assert_screen(report, 80, false,
		      "\n"
		      "           SST-BF  SST-TF  SST-CP\n"
		      "package 0  -       off     on ordered\n"
		      "package 1  ?       -       off\n"
		      "\n"
		      "-: none, or not supported\n"
		      "Error: package 1: no answer\n");
	assert_document(
		report, FORMAT_JSON,
		"{\"package-0:die-0:cpu-0\": {\"speed-select-base-freq\": \"unsupported\", "
		"\"speed-select-turbo-freq\": \"disabled\", "
		"\"speed-select-core-power\": \"enabled\", \"priority-type\": \"ordered\"}, "
		"\"package-1:die-0:cpu-0\": {\"speed-select-core-power\": \"disabled\"}, "
		"\"Error0\": {\"message\": \"package 1: no answer\"}}");
}

static void add_class(struct report_node *unit, unsigned int clos, unsigned int max,
		      const char *list)
{
	struct report_node *node = report_branch(unit, KEY_STATUS_CLOS, clos);

	report_number(node, KEY_STATUS_MIN, 0);
	report_number(node, KEY_STATUS_MAX, max);
	add_cpus(node, KEY_STATUS_CPUS, list);
}

TEST(cpus_of_rows_that_are_one_are_united)
{
	autoreport struct report *report = report_new();
	struct report_node *node = add_die(report, 0, 0);

	add_class(node, 0, 25500, "0-3");
	add_class(node, 1, 2000, "");
	node = add_die(report, 1, 0);
	add_class(node, 0, 25500, "4-7");
	add_class(node, 2, 25500, "8");
	assert_screen(report, 80, false,
		      "\n"
		      "classes of service  CLOS  min MHz  max MHz  CPUs\n"
		      "packages 0-1           0        0     none  0-7\n"
		      "package 0              1        0     2000  -\n"
		      "package 1              2        0     none  8\n"
		      "\n"
		      "-: none, or not supported\n");
}

static struct report *report_with_long_list(void)
{
	struct report *report = report_new();

	add_class(add_die(report, 0, 0), 3, 25500,
		  "0,2,4,6,8,10,12,14,16,18,20,22,24,26,28,30,32,34,36,38,40,42,44,46");
	return report;
}

TEST(a_long_list_has_lines_of_its_own)
{
	autoreport struct report *report = report_with_long_list();

	assert_screen(
		report, 110, false,
		"\n"
		"classes of service  CLOS  min MHz  max MHz  CPUs\n"
		"package 0              3        0     none  0,2,4,6,8,10,12,14,16,18,20,22,24,26,28,"
		"30,32,34,36,38,40,42,44,46\n");
	assert_screen(report, 109, false,
		      "\n"
		      "classes of service  CLOS  min MHz  max MHz  CPUs\n"
		      "package 0              3        0     none\n"
		      "    0,2,4,6,8,10,12,14,16,18,20,22,24,26,28,30,32,34,36,38,40,42,44,46\n");
	assert_screen(report, 60, false,
		      "\n"
		      "classes of service  CLOS  min_MHz  max_MHz  CPUs\n"
		      "package 0              3        0     none\n"
		      "    0,2,4,6,8,10,12,14,16,18,20,22,24,26,28,30,32,34,36,38,\n"
		      "    40,42,44,46\n");
}

/** Only where it would fill a terminal: pipes and files have it as a whole. */
TEST(a_list_is_cut_on_a_terminal_alone)
{
	autoreport struct report *report = report_with_long_list();
	const struct page terminal = { .columns = 20, .width = 20 };

	assert_page(report, &terminal,
		    "\n"
		    "classes of service\n"
		    "  CLOS min_MHz max_MHz CPUs\n"
		    "package 0\n"
		    "     3       0    none\n"
		    "    0,2,4,6,8,10,12,\n"
		    "    14,16,18,20,22,\n"
		    "    24,26,28,30,32,\n"
		    "    34,36,38,40,42,\n"
		    "    ... (24 CPUs)\n");
	assert_screen(report, 20, false,
		      "\n"
		      "classes of service\n"
		      "  CLOS min_MHz max_MHz CPUs\n"
		      "package 0\n"
		      "     3       0    none\n"
		      "    0,2,4,6,8,10,12,\n"
		      "    14,16,18,20,22,\n"
		      "    24,26,28,30,32,\n"
		      "    34,36,38,40,42,\n"
		      "    44,46\n");
}

/** Columns move together, then places get lines of their own; no word is cut. */
TEST(a_narrow_table_has_places_apart)
{
	struct report *report = report_with_long_list();
	static const char *const BELOW = "    0,2,4,6,8,10,12,14,16,18,20,22,24,26,28,\n"
					 "    30,32,34,36,38,40,42,44,46\n";
	char expected[512];

	snprintf(expected, sizeof(expected),
		 "\n"
		 "classes of service CLOS min_MHz max_MHz CPUs\n"
		 "package 0             3       0    none\n%s",
		 BELOW);
	assert_screen(report, 44, false, expected);
	snprintf(expected, sizeof(expected),
		 "\n"
		 "classes of service\n"
		 "  CLOS  min_MHz  max_MHz  CPUs\n"
		 "package 0\n"
		 "     3        0     none\n%s",
		 "    0,2,4,6,8,10,12,14,16,18,20,22,24,26,\n"
		 "    28,30,32,34,36,38,40,42,44,46\n");
	assert_screen(report, 43, false, expected);
	report_free(report);
	report = report_new();
	report_word(add_die(report, 0, 0), KEY_SST_CORE_POWER, "a text that is far too long");
	assert_screen(report, 30, false,
		      "\n"
		      "  SST-CP\n"
		      "package 0\n"
		      "  a text that is far too long\n");
	report_free(report);
}

/** Bold are headings; what is off or locked, and what could not be read, has a colour as well. */
TEST(what_is_off_locked_or_unknown_stands_out)
{
	autoreport struct report *report = report_new();
	struct report_node *node = add_die(report, 0, 0);

	report_state(report_unit(report, NULL, 0), KEY_STATUS_TURBO, false);
	report_state(node, KEY_STATUS_LOCK, true);
	report_word(node, KEY_SST_BASE_FREQ, "disabled");
	report_word(node, KEY_SST_TURBO_FREQ, "enabled");
	report_unknown(node, KEY_SST_CORE_POWER);
	node = report_branch(node, KEY_STATUS_REASONS, 0);
	report_text(node, KEY_STATUS_REASON, "POWER");
	assert_screen(
		report, 80, true,
		"\033[35mTurbo: disabled (no_turbo)\033[0m\n"
		"\n"
		"           \033[1mlocked\033[0m  \033[1mSST-BF\033[0m  \033[1mSST-TF\033[0m  "
		"\033[1mSST-CP\033[0m\n"
		"package 0  \033[35myes\033[0m     \033[35moff\033[0m     on      "
		"\033[31m?\033[0m\n"
		"\n"
		"\033[1m\033[31mlimited by hardware\033[0m  \033[1mreasons\033[0m\n"
		"package 0            POWER\n");
}

/* ---- Maps ---- */

static void add_core(struct report_node *parent, unsigned int core, const char *cpus,
		     const char *mark)
{
	struct report_node *node = report_branch(parent, KEY_MAP_CORE, core);

	add_cpus(node, KEY_MAP_CPUS, cpus);
	if (mark)
		report_word(node, KEY_MAP_MARK, mark);
	else
		report_unknown(node, KEY_MAP_MARK);
}

TEST(cores_stand_in_groups_of_eight)
{
	autoreport struct report *report = report_new();
	struct report_node *node = add_die(report, 0, 0);
	char cpu[16];

	report_text(report_unit(report, NULL, 0), KEY_STATUS_PROCESSOR, "a processor");
	for (unsigned int core = 0; core < 20; core++) {
		snprintf(cpu, sizeof(cpu), "%u,%u", core, core + 100);
		add_core(node, core, cpu,
			 core == 3   ? "offline"
			 : core == 4 ? NULL
			 : core < 2  ? "high"
				     : "low");
	}
	add_core(add_die(report, 1, 0), 0, "120", "clos-2");
	assert_screen(report, 80, false,
		      "Processor: a processor\n"
		      "\n"
		      "           CPU  cores, a letter for each\n"
		      "package 0    0  HHL.?LLL LLLLLLLL LLLL\n"
		      "package 1  120  2\n"
		      "\n"
		      "H high priority, L low priority, 2 CLOS 2, . offline, ? unknown\n");
	/* What does not fit is on another line, which begins with its own first CPU. */
	assert_screen(report, 44, false,
		      "Processor: a processor\n"
		      "\n"
		      "           CPU  cores, a letter for each\n"
		      "package 0    0  HHL.?LLL LLLLLLLL LLLL\n"
		      "package 1  120  2\n"
		      "\n"
		      "H high priority, L low priority, 2 CLOS 2\n"
		      ". offline, ? unknown\n");
	assert_screen(report, 34, false,
		      "Processor: a processor\n"
		      "\n"
		      "           CPU  cores,\n"
		      "                a letter for each\n"
		      "package 0    0  HHL.?LLL LLLLLLLL\n"
		      "            16  LLLL\n"
		      "package 1  120  2\n"
		      "\n"
		      "H high priority, L low priority\n"
		      "2 CLOS 2, . offline, ? unknown\n");
}

TEST(modules_stand_together)
{
	autoreport struct report *report = report_new();
	struct report_node *node = add_domain(report, 0, 0, 1), *module;

	for (unsigned int i = 0; i < 3; i++) {
		module = report_branch(node, KEY_MAP_MODULE, i);
		add_core(module, 0, i == 0 ? "4" : i == 1 ? "7" : "9", "clos-1");
		add_core(module, 1, "5", "clos-0");
	}
	assert_screen(report, 80, false,
		      "\n"
		      "                           CPU  modules of cores, a letter for each core\n"
		      "package 0, power domain 1    4  10 10 10\n"
		      "\n"
		      "0 CLOS 0, 1 CLOS 1\n");
	assert_screen(report, 38, false,
		      "\n"
		      "                           CPU  modules of cores,\n"
		      "                                a letter for each core\n"
		      "package 0, power domain 1    4  10 10\n"
		      "                             9  10\n"
		      "\n"
		      "0 CLOS 0, 1 CLOS 1\n");
}

TEST(colours_are_added_to_letters)
{
	autoreport struct report *report = report_new();
	struct report_node *node = add_die(report, 0, 0);

	add_core(node, 0, "0", "high");
	add_core(node, 1, "1", "none");
	assert_screen(report, 80, true,
		      "\n"
		      "           \033[1mCPU  cores, a letter for each\033[0m\n"
		      "package 0    0  \033[1mH\033[0m-\n"
		      "\n"
		      "\033[1mH\033[0m high priority, - no class of service (CLOS)\n");
}

/* ---- What changed ---- */

static struct report *report_of_levels(unsigned int first, unsigned int second)
{
	struct report *report = report_new();

	report_number(report_unit(report, NULL, 0), KEY_STATUS_PACKAGES, first + second);
	report_number(add_die(report, 0, 0), KEY_BASE_FREQUENCY, first);
	report_number(add_die(report, 1, 0), KEY_BASE_FREQUENCY, second);
	return report;
}

/** Rows that are alike by now are two as long as only one of them is marked. */
TEST(values_that_changed_are_marked_where_they_are)
{
	struct report *before = report_of_levels(1, 2), *report = report_of_levels(2, 2);

	report_mark_changes(report, before);
	assert_screen(report, 80, false,
		      "*Packages: 4, cores: , CPUs online:  of\n"
		      "\n"
		      "           base MHz\n"
		      "package 0        *2\n"
		      "package 1         2\n");
	assert_screen(report, 80, true,
		      "\033[7m*Packages: 4, cores: , CPUs online:  of\033[0m\n"
		      "\n"
		      "           \033[1mbase MHz\033[0m\n"
		      "package 0        \033[7m*2\033[0m\n"
		      "package 1         2\n");
	/* Other formats have no marks. */
	assert_document(
		report, FORMAT_JSON,
		"{\"packages\": \"4\", \"package-0:die-0:cpu-0\": {\"base-frequency(MHz)\": \"2\"}, "
		"\"package-1:die-0:cpu-0\": {\"base-frequency(MHz)\": \"2\"}}");
	report_free(before);
	before = report_of_levels(2, 2);
	report_free(report);
	report = report_of_levels(2, 2);
	report_mark_changes(report, before);
	assert_screen(report, 80, true,
		      "Packages: 4, cores: , CPUs online:  of\n"
		      "\n"
		      "              \033[1mbase MHz\033[0m\n"
		      "packages 0-1         2\n");
	report_free(before);
	report_free(report);
}

static void add_limit(struct report_node *unit, unsigned int index, unsigned int max,
		      const char *list)
{
	struct report_node *node = report_branch(unit, KEY_STATUS_SCALING, index);

	report_number(node, KEY_STATUS_MAX, max);
	add_cpus(node, KEY_STATUS_CPUS, list);
}

/** A row before it changes nothing in a row whose number is not shown; one of a class does. */
TEST(rows_that_are_new_are_marked_as_a_whole)
{
	struct report *before = report_new(), *report = report_new();
	struct report_node *node = add_die(before, 0, 0);

	add_limit(node, 0, 2000, "4");
	add_class(node, 1, 1500, "4");
	node = add_die(report, 0, 0);
	add_limit(node, 0, 1800, "2");
	add_limit(node, 1, 2000, "4");
	add_class(node, 0, 1500, "4");
	report_mark_changes(report, before);
	assert_screen(report, 80, false,
		      "\n"
		      "classes of service  CLOS  min MHz  max MHz  CPUs\n"
		      "package 0              0       *0    *1500  *4\n"
		      "\n"
		      "cpufreq limits  max MHz  CPUs\n"
		      "package 0         *1800  *2\n"
		      "package 0          2000  4\n");
	report_free(before);
	report_free(report);
}

/** The same place with another first CPU is the same; what always changes is not marked. */
TEST(neither_names_nor_frequencies_are_changes)
{
	struct report *before = report_new(), *report = report_new();
	struct report_node *node = add_die(before, 0, 0);
	const struct report_step path[] = { { &keys[KEY_PACKAGE], 0 },
					    { &keys[KEY_DIE], 0 },
					    { &keys[KEY_CPU], 7 } };

	report_number(node, KEY_BASE_FREQUENCY, 2000);
	report_number(report_branch(node, KEY_STATUS_RUNNING, 0), KEY_STATUS_CURRENT, 3000);
	node = report_unit(report, path, 3);
	report_number(node, KEY_BASE_FREQUENCY, 2000);
	node = report_branch(node, KEY_STATUS_RUNNING, 0);
	report_number(node, KEY_STATUS_CURRENT, 3100);
	report_mark_changes(report, before);
	assert_screen(report, 80, false,
		      "\n"
		      "           base MHz\n"
		      "package 0      2000\n"
		      "\n"
		      "running at   MHz\n"
		      "package 0   3100\n");
	report_free(before);
	report_free(report);
}

static struct report *report_of_map(const char *second)
{
	struct report *report = report_new();
	struct report_node *node = add_die(report, 0, 0);
	char cpu[16];

	for (unsigned int core = 0; core < 20; core++) {
		snprintf(cpu, sizeof(cpu), "%u", core);
		add_core(node, core, cpu, core == 1 || core == 17 ? second : "clos-0");
	}
	return report;
}

/** Below its cell, in each line of the map that has one. */
TEST(cores_that_changed_have_a_mark_below)
{
	struct report *before = report_of_map("clos-0"), *report = report_of_map("offline");

	report_mark_changes(report, before);
	assert_screen(report, 34, false,
		      "\n"
		      "           CPU  cores,\n"
		      "                a letter for each\n"
		      "package 0    0  0.000000 00000000\n"
		      "                 ^\n"
		      "            16  0.00\n"
		      "                 ^\n"
		      "\n"
		      "0 CLOS 0, . offline\n");
	assert_screen(report, 80, false,
		      "\n"
		      "           CPU  cores, a letter for each\n"
		      "package 0    0  0.000000 00000000 0.00\n"
		      "                 ^                 ^\n"
		      "\n"
		      "0 CLOS 0, . offline\n");
	report_free(before);
	report_free(report);
}

/* ---- Frames ---- */

static void assert_frame(const char *text, unsigned int width, unsigned int height,
			 unsigned int lines, const char *expected)
{
	const struct page page = { .width = width, .height = height };
	char *frame = NULL;
	size_t size;
	FILE *stream = open_memstream(&frame, &size);

	assert_non_null(stream);
	assert_int_equal(frame_write(text, &page, stream), lines);
	assert_int_equal(fclose(stream), 0);
	assert_string_equal(frame, expected);
	free(frame);
}

TEST(a_frame_fits_its_page)
{
	assert_frame("one\ntwo\n", 80, 24, 2, "\033[H\033[Kone\r\n\033[Ktwo\r\n\033[J");
	/* The last line is full: what is behind it would scroll. */
	assert_frame("one\ntwo\n", 3, 2, 2, "\033[H\033[Kone\r\n\033[Ktwo");
	assert_frame("one\ntwo", 2, 2, 2, "\033[H\033[Kon\r\n\033[Ktw");
	assert_frame("one\ntwo\nthree\n", 80, 2, 2, "\033[H\033[Kone\r\n\033[K... 2 more lines");
	assert_frame("one\ntwo\n", 80, 1, 1, "\033[H\033[K... 2 more lines");
	assert_frame("", 80, 24, 0, "\033[H\033[J");
	/* Of unknown size. */
	assert_frame("one\n", 0, 0, 1, "\033[H\033[Kone\r\n\033[J");
}

TEST(what_takes_no_place_is_not_cut)
{
	assert_frame("\033[7m*off\033[0m on\n", 5, 24, 1,
		     "\033[H\033[K\033[7m*off\033[0m \r\n\033[J");
	/* Inverse ends also where the line is cut within it. */
	assert_frame("\033[7m*off\033[0m on\n", 2, 24, 1, "\033[H\033[K\033[7m*o\033[0m\r\n\033[J");
	assert_frame("\xc3\xa4\xc3\xb6\xc3\xbc\n", 2, 24, 1,
		     "\033[H\033[K\xc3\xa4\xc3\xb6\r\n\033[J");
}

/* ---- Other formats, and pages ---- */

TEST(a_mark_is_in_text_alone)
{
	autoreport struct report *report = report_new();
	struct report_node *node = report_branch(add_die(report, 0, 0), KEY_LEVEL, 2);

	report_mark(node);
	report_number(node, KEY_CPU_COUNT, 4);
	assert_rendered(report, FORMAT_TEXT,
			" package-0\n"
			"  die-0\n"
			"    cpu-0\n"
			"      perf-profile-level-2 (current)\n"
			"        cpu-count:4\n");
	assert_document(
		report, FORMAT_JSON,
		"{\"package-0:die-0:cpu-0\": {\"perf-profile-level-2\": {\"cpu-count\": \"4\"}}}");
}

TEST(what_is_no_terminal_has_80_columns)
{
	FILE *file = tmpfile();
	struct page page;

	assert_non_null(file);
	page = page_of(file, COLOUR_AUTO);
	assert_int_equal(page.columns, 80);
	assert_false(page.colour);
	assert_true(page_of(file, COLOUR_ALWAYS).colour);
	assert_false(page_of(file, COLOUR_NEVER).colour);
	fclose(file);
}

TEST(a_terminal_is_as_wide_as_it_is)
{
	int manager = posix_openpt(O_RDWR | O_NOCTTY);
	struct winsize size = { .ws_row = 60, .ws_col = 200 };
	FILE *terminal;

	assert_true(manager >= 0);
	assert_int_equal(grantpt(manager), 0);
	assert_int_equal(unlockpt(manager), 0);
	terminal = fdopen(open(ptsname(manager), O_RDWR | O_NOCTTY), "w");
	assert_non_null(terminal);
	assert_int_equal(ioctl(fileno(terminal), TIOCSWINSZ, &size), 0);
	assert_int_equal(unsetenv("NO_COLOR"), 0);
	assert_int_equal(setenv("TERM", "xterm", 1), 0);
	assert_int_equal(page_of(terminal, COLOUR_AUTO).columns, 200);
	assert_int_equal(page_of(terminal, COLOUR_AUTO).height, 60);
	assert_true(page_of(terminal, COLOUR_AUTO).colour);
	assert_false(page_of(terminal, COLOUR_NEVER).colour);
	assert_int_equal(setenv("NO_COLOR", "1", 1), 0);
	assert_false(page_of(terminal, COLOUR_AUTO).colour);
	assert_true(page_of(terminal, COLOUR_ALWAYS).colour);
	assert_int_equal(setenv("NO_COLOR", "", 1), 0);
	assert_true(page_of(terminal, COLOUR_AUTO).colour);
	assert_int_equal(setenv("TERM", "dumb", 1), 0);
	assert_false(page_of(terminal, COLOUR_AUTO).colour);
	/* One that does not know its size. */
	size.ws_col = 0;
	assert_int_equal(ioctl(fileno(terminal), TIOCSWINSZ, &size), 0);
	assert_int_equal(page_of(terminal, COLOUR_AUTO).columns, 80);
	/* What is laid out for more is cut by who shows it in place. */
	size.ws_col = 20;
	assert_int_equal(ioctl(fileno(terminal), TIOCSWINSZ, &size), 0);
	assert_int_equal(page_of(terminal, COLOUR_AUTO).columns, 40);
	assert_int_equal(page_of(terminal, COLOUR_AUTO).width, 20);
	fclose(terminal);
	close(manager);
}
