/* SPDX-License-Identifier: BSD-3-Clause */
/* Screens: long lists, what changed, and frames. The cases have screens at each width. */
#include "cli/render/output.h"

#include "check.h"

static void assert_page(const struct report *report, const struct page *page, const char *expected)
{
	struct memory_stream memory;

	render_screen(report, page, true, open_memory(&memory));
	assert_written(&memory, expected);
}

static void assert_screen(const struct report *report, unsigned int columns, bool colour,
			  const char *expected)
{
	assert_page(report, &(struct page){ .columns = columns, .colour = colour }, expected);
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

static void add_class(struct report_node *unit, unsigned int clos, unsigned int max,
		      const char *list)
{
	struct report_node *node = report_branch(unit, KEY_STATUS_CLOS, clos);

	report_number(node, KEY_STATUS_MIN, 0);
	report_number(node, KEY_STATUS_MAX, max);
	add_cpus(node, KEY_STATUS_CPUS, list);
}

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

/* ---- Long lists ---- */

static struct report *report_with_long_list(void)
{
	struct report *report = report_new();

	add_class(add_die(report, 0, 0), 3, 25500,
		  "0,2,4,6,8,10,12,14,16,18,20,22,24,26,28,30,32,34,36,38,40,42,44,46");
	return report;
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
