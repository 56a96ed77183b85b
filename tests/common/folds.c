/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts that differ in numbers of places alone become one, which names all of them. */
#include "support/check.h"
#include "support/test.h"

#include "common/numbered.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct row {
	const char *machine; /* its domains, one in each line, or none */
	const char *texts, *expected;
};

/** Adds each line; what follows a `|` is its second line. */
static void add_lines(struct folds *folds, const char *lines)
{
	char *copy = strdup(lines), *rest = copy, *line;

	while ((line = strsep(&rest, "\n")) && *line) {
		if (strchr(line, '|'))
			*strchr(line, '|') = '\n';
		assert_int_equal(folds_add(folds, NULL, "%s", line), 0);
	}
	free(copy);
}

static void assert_rows(const struct row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct folds folds = { NULL }, machine = { NULL };
		char lines[1000] = "";

		add_lines(&machine, rows[i].machine);
		add_lines(&folds, rows[i].texts);
		assert_int_equal(folds_join(&folds, &machine), 0);
		for (size_t k = 0; k < folds.count; k++) {
			char *text = fold_text(&folds.all[k]);
			size_t length = strlen(lines);

			assert_non_null(text);
			if (strchr(text, '\n'))
				*strchr(text, '\n') = '|';
			snprintf(lines + length, sizeof(lines) - length, "%u %s\n",
				 folds.all[k].texts, text);
			free(text);
		}
		assert_string_equal(lines, rows[i].expected);
		folds_clear(&folds);
		folds_clear(&machine);
	}
}

#define ASSERT_ROWS(rows) assert_rows(rows, sizeof(rows) / sizeof((rows)[0]))

TEST(cores_and_cpus_stand_together)
{
	static const struct row rows[] = {
		{ "",
		  "package 0, die 0: cannot read core 0: broken (CPU 7)\n"
		  "package 0, die 0: cannot read core 1: broken (CPUs 1,3-4)\n"
		  "package 1, die 0: cannot read core 1: broken (CPU 5)\n"
		  "package 1, die 0: cannot read core 2: absent (CPU 6)\n"
		  "package 2, die 0: cannot read core 1: broken (CPU 9)\n"
		  "package 2, die 0: cannot read core 0: broken (CPU 8)\n",
		  "4 packages 0,2, die 0: cannot read cores 0-1: broken (CPUs 1,3-4,7-9)\n"
		  "1 package 1, die 0: cannot read core 1: broken (CPU 5)\n"
		  "1 package 1, die 0: cannot read core 2: absent (CPU 6)\n" },
		/* Core 3 of a package is not that of another one. */
		{ "",
		  "package 0, die 0: cannot read core 3\n"
		  "package 1, die 0: cannot read core 5\n"
		  "package 2, die 0: cannot read core 3\n",
		  "2 packages 0,2, die 0: cannot read core 3\n"
		  "1 package 1, die 0: cannot read core 5\n" },
		{ "",
		  "package 0, die 0: CLOS 1 weight|0\n"
		  "package 0, die 0: CLOS 2 weight|0\n"
		  "package 0, die 0: CLOS 2 epp|0\n"
		  "package 1, die 0: CLOS 1 weight|0\n"
		  "package 1, die 0: CLOS 2 weight|0\n",
		  "4 packages 0-1, die 0: CLOS 1-2 weight|0\n"
		  "1 package 0, die 0: CLOS 2 epp|0\n" },
		/* In the order of the first; what is behind the first line is the same. */
		{ "",
		  "CPU 7: online|1\nCPU 0: max|2\nCPU 1: max|2\nCPU 5: online|1\nCPU 2: max|CPU 3\n"
		  "CPU 4: max|CPU 5\n",
		  "2 CPUs 5,7: online|1\n2 CPUs 0-1: max|2\n1 CPU 2: max|CPU 3\n"
		  "1 CPU 4: max|CPU 5\n" },
		{ "", "CPU 3: online|1\nCPU 3: online|1\nCPU 3: online|0\n",
		  "1 CPU 3: online|1\n1 CPU 3: online|0\n" },
	};

	ASSERT_ROWS(rows);
}

TEST(domains_stand_together)
{
	static const struct row rows[] = {
		{ "",
		  "level (package 0, power domain 0)\nlevel (package 0, power domain 1)\n"
		  "level (package 1, power domain 3)\nlevel (package 2, power domain 0)\n"
		  "level (package 2, power domain 1)\nlevel (package 2, die 0)\n",
		  "4 level (packages 0,2, power domains 0-1)\n"
		  "1 level (package 1, power domain 3)\n1 level (package 2, die 0)\n" },
		{ "", "package 0: x\npackage 1: x\n", "2 packages 0-1: x\n" },
		{ "package 0, die 0\npackage 1, die 0\n", "package 0, die 0\npackage 1, die 0\n",
		  "2 packages 0-1, die 0\n" },
		/* Dies are counted over the machine. */
		{ "package 0, die 0\npackage 1, die 1\npackage 2, die 2\n",
		  "package 0, die 0: x\npackage 1, die 1: x\npackage 2, die 2: x\n",
		  "3 packages 0-2: x\n" },
		{ "package 0, die 0\npackage 1, die 1\npackage 2, die 2\n",
		  "package 2, die 2: x\npackage 0, die 0: x\npackage 1, die 1: y\n",
		  "2 packages 0,2: x\n1 package 1, die 1: y\n" },
		/* Those that are not whole are named by their dies. */
		{ "package 0, die 0\npackage 0, die 1\npackage 1, die 2\npackage 1, die 3\n"
		  "package 2, die 4\n",
		  "package 0, die 0\npackage 0, die 1\npackage 1, die 2\npackage 2, die 4\n",
		  "3 packages 0,2\n1 package 1, die 2\n" },
		{ "package 0, die 0\npackage 0, die 1\npackage 1, die 0\npackage 1, die 1\n",
		  "package 0, die 0\npackage 1, die 1\n",
		  "1 package 0, die 0\n1 package 1, die 1\n" },
		/* It is not known what there is. */
		{ "", "package 0, die 0\npackage 1, die 1\n",
		  "1 package 0, die 0\n1 package 1, die 1\n" },
	};

	ASSERT_ROWS(rows);
}

TEST(directories_of_cpus_are_names)
{
	static const struct row rows[] = {
		{ "",
		  "CPU 0: /sys/cpu0/x\nCPU 1: /sys/cpu1/x\nCPU 1: /sys/cpu1/y\n"
		  "left out: /sys/cpu/cpu4/z\n/sys/cpu7/y (package 0, die 0)\n"
		  "left out: /sys/cpu/cpu5/z\n/sys/cpu9/y (package 1, die 0)\n",
		  "2 CPUs 0-1: /sys/cpu0-1/x\n1 CPU 1: /sys/cpu1/y\n2 left out: /sys/cpu/cpu4-5/z\n"
		  "2 /sys/cpu7,9/y (packages 0-1, die 0)\n" },
		{ "", "/sys/cpu 1/x\n/sys/cpus2/x\n/sys/cpu3x\n/sys/cpu4x\n",
		  "1 /sys/cpu 1/x\n1 /sys/cpus2/x\n1 /sys/cpu3x\n1 /sys/cpu4x\n" },
	};

	ASSERT_ROWS(rows);
}

TEST(other_texts_stay)
{
	static const struct row rows[] = {
		{ "",
		  "package 0 is\npackage 1 is\nscore 1 of it\nscore 2 of it\ncore 1|note\ncore 2\nthe CPU is offline\n"
		  "CPUs 3, and others\ncores 0 to 63\npackage -1, die 0\npackage  1, die 0\n"
		  "package 99999999999, die 0\npackage 1, die\n",
		  "1 package 0 is\n1 package 1 is\n1 score 1 of it\n1 score 2 of it\n1 core 1|note\n1 core 2\n1 the CPU is offline\n"
		  "1 CPUs 3, and others\n1 cores 0 to 63\n1 package -1, die 0\n1 package  1, die 0\n"
		  "1 package 99999999999, die 0\n1 package 1, die\n" },
		/* Verbs, which are others for several. */
		{ "",
		  "package 0: CPU 4 is offline\npackage 1: CPU 9 is offline\n"
		  "package 0, die 0 has\npackage 1, die 0 has\npackage 2, power domain 1 has\n"
		  "x (package 0, die 0) is\nx (package 1, die 0) is\n"
		  "die 0 does not\ndie 1 does not\ncore 1 has no\ncore 2 has no\n"
		  "CPU 4 cannot\nCPU 5 cannot\n",
		  "1 package 0: CPU 4 is offline\n1 package 1: CPU 9 is offline\n"
		  "1 package 0, die 0 has\n1 package 1, die 0 has\n1 package 2, power domain 1 has\n"
		  "2 x (packages 0-1, die 0) is\n"
		  "1 die 0 does not\n1 die 1 does not\n1 core 1 has no\n1 core 2 has no\n"
		  "2 CPUs 4-5 cannot\n" },
		/* The mark of a name may be in a text as well. */
		{ "",
		  "/\1/, \1\1: package 0: x\n/\1/, \1\1: package 1: x\npackage 0|, \1\npackage 1|, \1\n",
		  "1 /\1/, \1\1: package 0: x\n1 /\1/, \1\1: package 1: x\n"
		  "2 packages 0-1|, \1\n" },
		/* Names of files are not written in another way. */
		{ "",
		  "/CPU 01/CPUs 2/CPU 3,2/core 1-1: package 0: x\n"
		  "/CPU 01/CPUs 2/CPU 3,2/core 1-1: package 1: x\n",
		  "2 /CPU 01/CPUs 2/CPU 3,2/core 1-1: packages 0-1: x\n" },
		{ "", "/cpu01/x: package 0: y\n/cpu01/x: package 1: y\n",
		  "2 /cpu01/x: packages 0-1: y\n" },
	};

	ASSERT_ROWS(rows);
}

/** As a list of names. */
TEST(texts_stand_in_one_line)
{
	struct folds folds = { NULL };
	char *text;

	add_lines(&folds, "package 0, die 0\npackage 1, die 1\n");
	text = folds_text(&folds);
	assert_string_equal(text, "package 0, die 0; package 1, die 1");
	free(text);
	folds_clear(&folds);
}
