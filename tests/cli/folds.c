/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages and steps that are alike become one, which names all that they named. */
#include "check.h"

#include "cli/report/folds.h"
#include "cli/run/change.h"
#include "common/numbered.h"
#include "transaction/change.h"

struct message {
	enum entry_kind kind;
	const char *text;
};

static void assert_folded(const struct message *messages, size_t count, const char *expected)
{
	autoreport struct report *report = report_new();
	char lines[1000] = "";

	assert_non_null(report);
	for (size_t i = 0; i < count; i++)
		report_message(report, messages[i].kind, "%s", messages[i].text);
	/* Once more changes nothing. */
	message_folds_apply(report, NULL);
	message_folds_apply(report, NULL);
	for (const struct report_entry *entry = report->first; entry; entry = entry->next) {
		size_t length = strlen(lines);

		snprintf(lines + length, sizeof(lines) - length, "%s%s\n",
			 entry->kind == ENTRY_ERROR ? "E " : "", entry->message);
	}
	assert_string_equal(lines, expected);
}

#define ASSERT_FOLDED(messages, expected) assert_folded(messages, COUNT(messages), expected)

TEST(domains_stand_together)
{
	static const struct message messages[] = {
		{ ENTRY_ERROR, "no level 7 (package 0, power domain 0): 0 to 4 exist" },
		{ ENTRY_ERROR, "no level 7 (package 0, power domain 1): 0 to 4 exist" },
		{ ENTRY_ERROR, "no level 7 (package 1, power domain 0): 0 to 2 exist" },
		{ ENTRY_NOTE, "something else" },
		{ ENTRY_ERROR, "no level 7 (package 2, power domain 0): 0 to 4 exist" },
	};

	ASSERT_FOLDED(messages, "E no level 7 (package 0, power domains 0-1; package 2, power "
				"domain 0): 0 to 4 exist\n"
				"E no level 7 (package 1, power domain 0): 0 to 2 exist\n"
				"something else\n");
}

TEST(cores_and_cpus_stand_together)
{
	static const struct message messages[] = {
		{ ENTRY_ERROR, "package 0, die 0: cannot read core 0: broken (CPU 7)" },
		{ ENTRY_ERROR, "package 0, die 0: cannot read core 1: broken (CPUs 1,3-4)" },
		{ ENTRY_ERROR, "package 1, die 0: cannot read core 1: broken (CPU 5)" },
		{ ENTRY_ERROR, "package 1, die 0: cannot read core 2: absent (CPU 6)" },
		{ ENTRY_ERROR, "package 2, die 0: cannot read core 1: broken (CPU 9)" },
		{ ENTRY_ERROR, "package 2, die 0: cannot read core 0: broken (CPU 8)" },
	};

	ASSERT_FOLDED(messages, "E packages 0,2, die 0: cannot read cores 0-1: broken (CPUs "
				"1,3-4,7-9)\n"
				"E package 1, die 0: cannot read core 1: broken (CPU 5)\n"
				"E package 1, die 0: cannot read core 2: absent (CPU 6)\n");
}

/** Core 3 of a package is not that of another one. */
TEST(cores_of_domains_are_not_mixed)
{
	static const struct message messages[] = {
		{ ENTRY_ERROR, "package 0, die 0: cannot read core 3" },
		{ ENTRY_ERROR, "package 1, die 0: cannot read core 5" },
		{ ENTRY_ERROR, "package 2, die 0: cannot read core 3" },
	};

	ASSERT_FOLDED(messages, "E packages 0,2, die 0: cannot read core 3\n"
				"E package 1, die 0: cannot read core 5\n");
}

TEST(files_of_cpus_go_with_their_names)
{
	static const struct message messages[] = {
		{ ENTRY_ERROR, "CPU 0: /sys/cpu0/cpufreq/x cannot be read" },
		{ ENTRY_ERROR, "CPU 1: /sys/cpu1/cpufreq/x cannot be read" },
		{ ENTRY_ERROR, "CPU 1: /sys/cpu1/cpufreq/y cannot be read" },
		{ ENTRY_ERROR, "CPU 12: /sys/cpu1/cpufreq/x cannot be read" },
		{ ENTRY_ERROR, "CPU 13: /sys/cpu13/cpufreq/x cannot be read" },
		{ ENTRY_ERROR, "left out: /sys/cpu4/z" },
		{ ENTRY_NOTE, "/sys/cpu7/cpufreq/y: EIO (package 0, die 0)" },
		{ ENTRY_ERROR, "left out: /sys/cpu5/z" },
		{ ENTRY_NOTE, "/sys/cpu9/cpufreq/y: EIO (package 1, die 0)" },
	};

	ASSERT_FOLDED(messages, "E CPUs 0-1,13: /sys/cpu*/cpufreq/x cannot be read\n"
				"E CPU 1: /sys/cpu1/cpufreq/y cannot be read\n"
				"E CPU 12: /sys/cpu1/cpufreq/x cannot be read\n"
				"E CPUs 4-5: left out: /sys/cpu*/z\n"
				"CPUs 7,9: /sys/cpu*/cpufreq/y: EIO (packages 0-1, die 0)\n");
}

TEST(other_messages_stay)
{
	static const struct message messages[] = {
		{ ENTRY_ERROR, "score 1 of package 0" },
		{ ENTRY_ERROR, "score 2 of package 0" },
		{ ENTRY_NOTE, "core 1" },
		{ ENTRY_ERROR, "core 2" },
		{ ENTRY_NOTE, "the CPU is offline" },
		{ ENTRY_NOTE, "CPUs 3, and others" },
		{ ENTRY_NOTE, "core 1" },
	};

	ASSERT_FOLDED(messages, "E score 1 of package 0\n"
				"E score 2 of package 0\n"
				"core 1\n"
				"E core 2\n"
				"the CPU is offline\n"
				"CPUs 3, and others\n");
}

TEST(names_of_domains_are_exact)
{
	assert_int_equal(domain_list_name_length("package 0, die 12: level"),
			 strlen("package 0, die 12"));
	assert_int_equal(domain_list_name_length("package 4294967295, power domain 3"),
			 strlen("package 4294967295, power domain 3"));
	assert_int_equal(domain_list_name_length("package 4294967296, die 0"), 0);
	assert_int_equal(domain_list_name_length("package -1, die 0"), 0);
	assert_int_equal(domain_list_name_length("package  1, die 0"), 0);
	assert_int_equal(domain_list_name_length("package 1, die"), 0);
	assert_int_equal(domain_list_name_length("package 1, CPU 0"), 0);
	assert_int_equal(domain_list_name_length(""), 0);
}

/** Adds `0/0 1/1`, packages and their dies. */
static void add_dies(struct domain_list *list, const char *dies)
{
	char name[40];

	*list = (struct domain_list){ .entries = NULL };
	for (; *dies; dies += strcspn(dies, " "), dies += *dies == ' ') {
		snprintf(name, sizeof(name), "package %c, die %c", dies[0], dies[2]);
		assert_int_equal(domain_list_add_name(list, name), 0);
	}
}

TEST(whole_packages_stand_together)
{
	static const struct {
		const char *machine, *dies, *text;
	} lists[] = {
		{ "0/0 1/0", "0/0 1/0", "packages 0-1, die 0" },
		{ "0/0 1/1 2/2", "0/0 1/1 2/2", "packages 0-2" },
		{ "0/0 1/1 2/2", "2/2 0/0", "packages 0,2" },
		{ "0/0 1/1 2/2", "1/1", "package 1, die 1" },
		{ "0/0 0/1 1/2 1/3", "0/0 0/1 1/2 1/3", "packages 0-1" },
		/* Those that are not whole are named by their dies. */
		{ "0/0 0/1 1/2 1/3 2/4", "0/0 0/1 1/2 2/4", "packages 0,2; package 1, die 2" },
		{ "0/0 0/1 1/0 1/1", "0/0 1/1", "package 0, die 0; package 1, die 1" },
		/* It is not known what there is. */
		{ "", "0/0 1/1", "package 0, die 0; package 1, die 1" },
	};

	for (size_t i = 0; i < COUNT(lists); i++) {
		struct domain_list machine, list;
		char *text;

		add_dies(&machine, lists[i].machine);
		add_dies(&list, lists[i].dies);
		text = domain_list_to_text(&list, &machine);
		assert_string_equal(text, lists[i].text);
		free(text);
		domain_list_clear(&list);
		domain_list_clear(&machine);
	}
}

/* ---- Steps ---- */

static char step_lines[1000];

static void add_line(void *data, const struct step_group *group)
{
	size_t length = strlen(step_lines);

	snprintf(step_lines + length, sizeof(step_lines) - length, "%u %s: %s -> %s\n",
		 group->count, group->target, group->texts.text[0], group->texts.text[1]);
}

struct listed_step {
	const char *target, *old_value, *new_value;
};

static void assert_steps_folded(const struct listed_step *steps, size_t count, const char *expected)
{
	struct step_folds folds = { NULL, 0 };

	for (size_t i = 0; i < count; i++) {
		struct step_texts texts = { { steps[i].old_value, steps[i].new_value } };

		assert_int_equal(step_folds_add(&folds, steps[i].target, &texts), 0);
	}
	step_lines[0] = '\0';
	assert_int_equal(step_folds_visit(&folds, NULL, add_line, NULL), 0);
	assert_string_equal(step_lines, expected);
	step_folds_clear(&folds);
}

#define ASSERT_STEPS_FOLDED(steps, expected) assert_steps_folded(steps, COUNT(steps), expected)

TEST(cpus_stand_together_in_the_order_of_the_first)
{
	static const struct listed_step steps[] = {
		{ "CPU 7: online", "0", "1" },
		{ "CPU 0: scaling_max_freq", "no limit", "2000000 kHz" },
		{ "CPU 1: scaling_max_freq", "no limit", "2000000 kHz" },
		{ "CPU 5: online", "0", "1" },
		{ "CPU 6: online", "0", "1" },
		{ "CPU 2: scaling_max_freq", "1000000 kHz", "2000000 kHz" },
	};

	ASSERT_STEPS_FOLDED(steps, "3 CPUs 5-7: online: 0 -> 1\n"
				   "2 CPUs 0-1: scaling_max_freq: no limit -> 2000000 kHz\n"
				   "1 CPU 2: scaling_max_freq: 1000000 kHz -> 2000000 kHz\n");
}

TEST(a_step_that_is_listed_twice_stands_once)
{
	static const struct listed_step steps[] = {
		{ "CPU 3: online", "0", "1" }, { "package 0, die 0: core-power", "0", "1" },
		{ "CPU 3: online", "0", "1" }, { "package 0, die 0: core-power", "0", "1" },
		{ "CPU 3: online", "1", "0" },
	};

	ASSERT_STEPS_FOLDED(steps, "1 CPU 3: online: 0 -> 1\n"
				   "1 package 0, die 0: core-power: 0 -> 1\n"
				   "1 CPU 3: online: 1 -> 0\n");
}

/** Only where the cores are the same. */
TEST(domains_of_steps_stand_together)
{
	static const struct listed_step steps[] = {
		{ "package 0, die 0: CLOS of core 0", "0", "3" },
		{ "package 0, die 0: CLOS of core 1", "0", "3" },
		{ "package 0, die 1: CLOS of core 1", "0", "3" },
		{ "package 1, die 0: CLOS of core 0", "0", "3" },
		{ "package 1, die 0: CLOS of core 1", "0", "3" },
		{ "package 0, die 0: CLOS 1", "0xff0000", "0x140000" },
		{ "package 0, die 0: CLOS 2", "0xff0000", "0x140000" },
	};

	ASSERT_STEPS_FOLDED(steps, "4 packages 0-1, die 0: CLOS of cores 0-1: 0 -> 3\n"
				   "1 package 0, die 1: CLOS of core 1: 0 -> 3\n"
				   "2 package 0, die 0: CLOS 1-2: 0xff0000 -> 0x140000\n");
}

TEST(packages_with_the_same_numbers_stand_together)
{
	static const struct listed_step steps[] = {
		{ "package 0, power domain 0: performance level", "0", "1" },
		{ "package 0, power domain 1: performance level", "0", "1" },
		{ "package 1, power domain 3: performance level", "0", "1" },
		{ "package 2, power domain 0: performance level", "0", "1" },
		{ "package 2, power domain 1: performance level", "0", "1" },
		{ "package 2, die 0: cpuset partition", "absent", "isolated" },
	};

	ASSERT_STEPS_FOLDED(
		steps, "5 packages 0,2, power domains 0-1; package 1, power domain 3: performance "
		       "level: 0 -> 1\n"
		       "1 package 2, die 0: cpuset partition: absent -> isolated\n");
}

/** Those of the same field. */
TEST(classes_and_whole_packages_stand_together)
{
	static const struct listed_step steps[] = {
		{ "package 0, die 0: CLOS 1 weight", "0", "15" },
		{ "package 0, die 0: CLOS 2 weight", "0", "15" },
		{ "package 0, die 0: CLOS 2 epp", "0", "15" },
		{ "package 1, die 0: CLOS 1 weight", "0", "15" },
		{ "package 1, die 0: CLOS 2 weight", "0", "15" },
		{ "package 0: turbo ratio limits", "3200 MHz", "x" },
		{ "package 1: turbo ratio limits", "3200 MHz", "x" },
	};

	ASSERT_STEPS_FOLDED(steps, "4 packages 0-1, die 0: CLOS 1-2 weight: 0 -> 15\n"
				   "1 package 0, die 0: CLOS 2 epp: 0 -> 15\n"
				   "2 packages 0-1: turbo ratio limits: 3200 MHz -> x\n");
}

TEST(what_is_no_part_of_the_machine_stays)
{
	static const struct listed_step steps[] = {
		{ "cpuset controller of /sys/fs/cgroup", "0", "1" },
		{ "package 0: something", "0", "1" },
	};

	ASSERT_STEPS_FOLDED(steps, "1 cpuset controller of /sys/fs/cgroup: 0 -> 1\n"
				   "1 package 0: something: 0 -> 1\n");
}

static void write_group(void *data, const struct step_group *group)
{
	snprintf(data, 100, "%s: %s -> %s", group->target, group->texts.text[STEP_OLD],
		 group->texts.text[STEP_NEW]);
}

TEST(a_value_that_is_written_again_is_named_so)
{
	static const struct isst_change_step step = { .target = "CLOS 3",
						      .written = true,
						      .fields = { { "CLOS 3 weight", "4", "4" } },
						      .field_count = 1 };
	struct step_folds folds = { NULL, 0 };
	char line[100] = "";

	assert_int_equal(change_fold_step(NULL, &folds, &step), 0);
	assert_int_equal(step_folds_visit(&folds, NULL, write_group, line), 0);
	assert_string_equal(line, "CLOS 3 weight: 4 -> written again");
	step_folds_clear(&folds);
}
