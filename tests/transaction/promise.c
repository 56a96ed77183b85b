/* SPDX-License-Identifier: BSD-3-Clause */
/* The guarantees of isst.h for a program that makes changes. */
#include "support/levels.h"
#include "transaction/change.h"
#include "transaction/support/heap.h"
#include "transaction/support/loops.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/** A program with a machine of its own, that has come as far as planning. */
struct program {
	struct machine machine;
	struct isst_context *context;
	struct isst_change *change;
	struct domain_request requests[2];
	struct seam_counts *counts;
};

static struct program program_begin(const char *platform, const char *rules,
				    const struct isst_change_options *options)
{
	struct isst_options context_options = { 0 };
	struct program program = { .machine = machine_begin(platform) };

	machine_faults(&program.machine, "%s", rules);
	program.counts = calloc(1, sizeof(*program.counts));
	context_options.machine = seam_open(machine_open(&program.machine), &seam_counting,
					    program.counts);
	assert_int_equal(isst_open(&context_options, &program.context), 0);
	assert_int_equal(isst_lock(program.context, 1000, 0), 0);
	assert_int_equal(isst_discover(program.context), 0);
	for (size_t i = 0; i < 2 && i < isst_domain_count(program.context); i++)
		program.requests[i].domain = context_domain(program.context, i);
	assert_int_equal(isst_change_new(program.context, options, &program.change), 0);
	return program;
}

static void set_level(struct program *program, unsigned int level)
{
	struct domain_request request = { .domain = context_domain(program->context, 0) };
	freed_by(isst_change_free) struct isst_change *change = NULL;

	assert_int_equal(
		isst_change_new(program->context, &(struct isst_change_options){ 0 }, &change), 0);
	assert_int_equal(change_plan_level(change, &request, 1, level, false), 0);
	assert_int_equal(change_run(change), 0);
}

static void program_end(struct program *program)
{
	isst_change_free(program->change);
	isst_close(program->context);
	seam_counts_clear(program->counts);
	free(program->counts);
	machine_end(&program->machine);
}

static void run_change(const struct program *program)
{
	if (change_run(program->change))
		fail_msg("%s", isst_error(program->context));
}

/** It ends with its block. */
#define autoprogram __attribute__((cleanup(program_end)))

/* ---- All targets or none ---- */

static const struct {
	enum target_policy targets;
	const char *rules; /* what keeps package 1 from it */
	int result;
} TARGETS[] = {
	{ ISST_ALL_TARGETS, "mailbox 0x94/0x03 package 1 EIO", -EIO },
	{ ISST_SKIP_UNSUPPORTED, "mailbox 0x94/0x03 package 1 EIO", -EIO },
	{ ISST_SKIP_FAILED, "mailbox 0x94/0x03 package 1 EIO", 0 },
	{ ISST_ALL_TARGETS, "mailbox 0x94/0x03 EIO", -EIO },
	{ ISST_SKIP_FAILED, "mailbox 0x94/0x03 EIO", -EIO },
	{ ISST_ALL_TARGETS, "", 0 },
};

TEST(C1_a_change_reaches_all_its_targets_unless_less_is_asked_for)
{
	for (size_t i = 0; i < COUNT(TARGETS); i++) {
		const struct isst_change_options options = { .targets = TARGETS[i].targets };
		int result;

		autoprogram struct program program = program_begin("guide", TARGETS[i].rules,
								   &options);
		assert_int_equal(change_plan_core_power(program.change, program.requests, 2, true,
							ISST_KEEP_PRIORITY),
				 0);
		result = change_run(program.change);
		if (result != TARGETS[i].result)
			fail_msg("%zu: %d: %s", i, result, isst_error(program.context));
		assert_true((program.counts->changes > 0) == (result == 0));
		if (result && TARGETS[i].targets != ISST_SKIP_FAILED)
			assert_string_equal(isst_error(program.context),
					    program.requests[0].failure.error
						    ? program.requests[0].failure.message
						    : program.requests[1].failure.message);
	}
}

/** Of the levels of the guide's server, level 4 has no SST-BF. */
TEST(C1_targets_without_the_feature_are_skipped_only_on_request)
{
	static const struct {
		enum target_policy targets;
		size_t first, count;
		int result;
	} CASES[] = {
		{ ISST_ALL_TARGETS, 0, 2, -EOPNOTSUPP },
		{ ISST_SKIP_UNSUPPORTED, 0, 2, 0 },
		{ ISST_SKIP_FAILED, 0, 2, 0 },
		{ ISST_SKIP_UNSUPPORTED, 0, 1, -EOPNOTSUPP },
		{ ISST_SKIP_FAILED, 0, 1, -EOPNOTSUPP },
		{ ISST_ALL_TARGETS, 1, 1, 0 },
	};

	for (size_t i = 0; i < COUNT(CASES); i++) {
		const struct isst_change_options options = { .targets = CASES[i].targets };
		int result;

		autoprogram struct program program = program_begin("guide", "", &options);
		set_level(&program, 4);
		assert_int_equal(change_plan_base_freq(program.change,
						       &program.requests[CASES[i].first],
						       CASES[i].count, true, false),
				 0);
		result = change_run(program.change);
		if (result != CASES[i].result)
			fail_msg("%zu: %d: %s", i, result, isst_error(program.context));
	}
}

/** What stands against one request of a change stands against the change. */
TEST(C1_one_request_that_fails_keeps_the_others_from_being_made)
{
	autoprogram struct program program = program_begin("guide",
							   "mailbox 0x94/0x03 package 1 EIO", NULL);
	assert_int_equal(
		change_plan_turbo_ratio_limits(program.change, program.requests, 2, 0x1b1b), 0);
	assert_int_equal(change_plan_core_power(program.change, &program.requests[1], 1, true,
						ISST_KEEP_PRIORITY),
			 0);
	assert_int_equal(change_run(program.change), -EIO);
	assert_int_equal(program.counts->changes, 0);
}

/** Its limits are those of the level before. */
TEST(a_change_that_was_planned_before_another_one_is_not_made)
{
	const struct turbo_freq_request off = { .enable = false };
	size_t changes;

	autoprogram struct program program = program_begin("guide", "", NULL);
	assert_int_equal(change_plan_turbo_freq(program.change, program.requests, 1, &off), 0);
	set_level(&program, 1);
	changes = program.counts->changes;
	assert_int_equal(change_run(program.change), -EINVAL);
	assert_non_null(strstr(isst_error(program.context), "another change was made since"));
	assert_int_equal(program.counts->changes, changes);
}

/* ---- Several requests ---- */

#define CPUFREQ(cpu, name) "/sys/devices/system/cpu/cpu" #cpu "/cpufreq/" name

/** Grace periods are expedited where one request moves several CPUs. */
static size_t count_steps(const struct isst_change *change)
{
	const struct isst_change_step *step;
	size_t count = 0;

	for (size_t i = 0; (step = change_listed_step(change, i)) != NULL; i++)
		count += step->item.item.kind != ITEM_RCU_EXPEDITED;
	return count;
}

/** Each has a table of cores, which the next one must not take the place of. */
TEST(each_domain_may_have_a_level_request_of_its_own)
{
	static const struct isst_change_options DRY_RUN = { .dry_run = true };
	size_t together = 0, apart = 0;

	autoprogram struct program program = program_begin("guide", "", &DRY_RUN);
	assert_int_equal(change_plan_level(program.change, program.requests, 2, 1, true), 0);
	assert_int_equal(change_run(program.change), 0);
	together = count_steps(program.change);
	isst_change_free(program.change);
	assert_int_equal(isst_change_new(program.context, &DRY_RUN, &program.change), 0);
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(
			change_plan_level(program.change, &program.requests[i], 1, 1, true), 0);
	assert_int_equal(program.change->enabled_count, 2);
	assert_true(program.change->enabled[0].domain.package !=
		    program.change->enabled[1].domain.package);
	assert_int_equal(change_run(program.change), 0);
	apart = count_steps(program.change);
	assert_int_equal(apart, together);
}

/** The second request finds the CPUs as the first one leaves them. */
TEST(grace_periods_are_expedited_once_where_requests_move_the_same_cpus)
{
	static const struct isst_change_options DRY_RUN = { .dry_run = true };
	const struct isst_change_step *step;
	size_t count = 0;

	autoprogram struct program program = program_begin("guide", "", &DRY_RUN);
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(change_plan_level(program.change, program.requests, 2, 1, true),
				 0);
	assert_int_equal(change_run(program.change), 0);
	for (size_t i = 0; (step = change_listed_step(program.change, i)) != NULL; i++)
		count += step->item.item.kind == ITEM_RCU_EXPEDITED;
	assert_int_equal(count, 2);
}

TEST(a_change_that_was_run_is_not_run_again)
{
	autoprogram struct program program = program_begin("guide", "",
							   &(struct isst_change_options){ 0 });
	assert_int_equal(change_plan_turbo_ratio_limits(program.change, program.requests, 2,
							0x1515151515151515),
			 0);
	assert_int_equal(change_run(program.change), 0);
	assert_int_equal(change_run(program.change), -EINVAL);
	assert_non_null(change_listed_step(program.change, 0));
}

TEST(a_request_that_fails_as_a_whole_keeps_the_change_from_being_made)
{
	static const struct isst_change_options WITHOUT_MEANING = {
		.dry_run = true, .targets = (enum target_policy)99
	};
	const struct isst_clos none = { .clos = 9, .max_mhz = ISST_CLOS_NO_LIMIT_MHZ };
	struct isst_change *other;

	autoprogram struct program program = program_begin("guide", "",
							   &(struct isst_change_options){ 0 });
	assert_int_equal(change_plan_core_power(program.change, program.requests, 2, true,
						ISST_KEEP_PRIORITY),
			 0);
	assert_int_equal(change_plan_clos(program.change, program.requests, 2, &none, UINT32_MAX),
			 -EINVAL);
	/* The last call that failed is another one by then. */
	assert_int_equal(isst_change_new(program.context, &WITHOUT_MEANING, &other), -EINVAL);
	check_holds(isst_error(program.context), "99");
	assert_null(other);
	assert_int_equal(isst_change_check(program.change), -EINVAL);
	check_holds(isst_error(program.context), "CLOS 9 does not exist: only 0 to 3");
	assert_int_equal(change_run(program.change), -EINVAL);
	assert_int_equal(program.counts->changes, 0);
}

TEST(an_invalid_priority_is_refused)
{
	static const int PRIORITIES[] = { 99, 7, 2, -2, -5 };

	for (size_t i = 0; i < 2 * COUNT(PRIORITIES); i++) {
		enum isst_priority_request priority = (enum isst_priority_request)PRIORITIES[i / 2];

		autoprogram struct program program = program_begin(
			"guide", "", &(struct isst_change_options){ 0 });
		assert_int_equal(change_plan_core_power(program.change, program.requests, 2,
							i % 2 == 0, priority),
				 -EINVAL);
		check_holds(isst_error(program.context), "priority");
		assert_int_equal(change_run(program.change), -EINVAL);
		assert_int_equal(program.counts->changes, 0);
	}
}

/** CLOS hold multiples of 100 MHz up to 25500; the command rounds them down, with a warning. */
TEST(D21_D22_frequencies_that_a_clos_cannot_hold_are_refused)
{
	static const struct isst_clos CLOS[] = { { .clos = 1, .max_mhz = 30000 },
						 { .clos = 1, .min_mhz = 2200, .max_mhz = 1000 },
						 { .clos = 1, .max_mhz = 2650 } };

	for (size_t i = 0; i < COUNT(CLOS); i++) {
		autoprogram struct program program = program_begin("tests/tiny", "", NULL);
		assert_int_equal(
			change_plan_clos(program.change, program.requests, 1, &CLOS[i], UINT32_MAX),
			-EINVAL);
		assert_int_equal(change_run(program.change), -EINVAL);
		assert_int_equal(program.counts->changes, 0);
	}
}

static void check_picture(const struct program *program, const char *line)
{
	autofree char *picture = machine_picture(&program->machine);

	if (!strstr(picture, line))
		fail_msg("'%s' is missing in\n%s", line, picture);
}

/** Level 0 of tests/tiny has SST-BF, level 1 has not. */
TEST(C4_a_request_is_planned_from_what_those_before_it_leave)
{
	autoprogram struct program program = program_begin("tests/tiny", "", NULL);
	set_level(&program, 1);
	assert_int_equal(change_plan_level(program.change, program.requests, 1, 0, true), 0);
	assert_int_equal(change_plan_base_freq(program.change, program.requests, 1, true, true), 0);
	assert_int_equal(program.requests[0].failure.error, 0);
	run_change(&program);
	check_picture(&program, CPUFREQ(0, "base_frequency") ": 2300000\n");
	check_picture(&program, CPUFREQ(2, "base_frequency") ": 1800000\n");
	check_picture(&program, "domain 0 clos 0: 0x00ff1700\n");
	check_picture(&program, "domain 0 clos 3: 0x00ff12ff\n");
}

/** cpuinfo_max_freq is 3100 MHz at level 1, and 3000 at level 0. */
TEST(C4_limits_are_those_of_the_level_that_is_planned)
{
	struct isst_change *first;

	autoprogram struct program program = program_begin("tests/tiny", "", NULL);
	assert_int_equal(isst_change_new(program.context, NULL, &first), 0);
	assert_int_equal(change_plan_level(first, program.requests, 1, 1, true), 0);
	assert_int_equal(change_run(first), 0);
	isst_change_free(first);
	check_picture(&program, "cpu at 2: online 0 limits 0 2147483647\n");
	assert_int_equal(change_plan_level(program.change, program.requests, 1, 0, true), 0);
	assert_int_equal(change_plan_base_freq(program.change, program.requests, 1, true, true), 0);
	run_change(&program);
	for (size_t i = 0; isst_change_warning_at(program.change, i); i++)
		assert_null(strstr(isst_message_text(isst_change_warning_at(program.change, i)),
				   "clipped"));
	check_picture(&program, "cpu at 0: online 1 limits 3000000 2147483647\n");
	/* Those that came online with the level have them, too. */
	check_picture(&program, "cpu at 2: online 1 limits 3000000 2147483647\n");
	check_picture(&program, "cpu at 3: online 1 limits 3000000 2147483647\n");
}

/** The processor has up to 3100 MHz at level 1, and 3200 at level 0. What another program has
 * limited to 3100 MHz does not read as a limit before. */
TEST(C4_base_freq_asks_for_as_much_as_a_limit_allows_at_another_level)
{
	const struct isst_message *warning;
	bool clipped = false;

	autoprogram struct program program = program_begin("tests/uncore-levels", "", NULL);
	set_level(&program, 1);
	machine_set_file(&program.machine, CPUFREQ(0, "scaling_max_freq"), "3100000");
	assert_int_equal(change_plan_level(program.change, program.requests, 1, 0, false), 0);
	assert_int_equal(change_plan_base_freq(program.change, program.requests, 1, true, true), 0);
	run_change(&program);
	for (size_t i = 0; (warning = isst_change_warning_at(program.change, i)); i++)
		clipped |= strstr(isst_message_text(warning),
				  "CPU 0: scaling_min_freq: wrote 3200000 kHz, read back "
				  "3100000 kHz: clipped") != NULL;
	assert_true(clipped);
	machine_check_file(&program.machine, CPUFREQ(0, "scaling_min_freq"), "3100000");
	machine_check_file(&program.machine, CPUFREQ(1, "scaling_min_freq"), "3200000");
}

TEST(C4_a_change_of_several_requests_is_rolled_back_as_one)
{
	autoprogram struct program program = program_begin(
		"tests/tiny", "write " CPUFREQ(2, "scaling_min_freq") " EIO", NULL);
	set_level(&program, 1);
	autofree char *before = machine_picture(&program.machine);
	assert_int_equal(change_plan_level(program.change, program.requests, 1, 0, false), 0);
	assert_int_equal(change_plan_base_freq(program.change, program.requests, 1, true, true), 0);
	assert_int_equal(change_run(program.change), -EIO);
	assert_null(isst_change_difference_at(program.change, 0));
	machine_check(&program.machine, before, "two requests");
}

/** Enabled features are disabled by a level change, and are enabled again. */
TEST(C4_a_feature_that_goes_off_with_the_level_is_switched_on_again)
{
	autoprogram struct program program = program_begin("tests/tiny", "", NULL);
	assert_int_equal(change_plan_base_freq(program.change, program.requests, 1, true, false),
			 0);
	assert_int_equal(change_plan_level(program.change, program.requests, 1, 1, false), 0);
	assert_int_equal(change_plan_level(program.change, program.requests, 1, 0, false), 0);
	assert_int_equal(change_plan_base_freq(program.change, program.requests, 1, true, false),
			 0);
	run_change(&program);
	check_picture(&program, CPUFREQ(0, "base_frequency") ": 2300000\n");
}

/** On the mailbox core-power cannot be taken from turbo-freq. */
TEST(C4_what_a_request_forbids_an_earlier_one_may_have_settled)
{
	const struct turbo_freq_request off = { 0 }, on = { .enable = true };
	struct isst_change *first;

	autoprogram struct program program = program_begin("tests/tiny", "", NULL);
	assert_int_equal(isst_change_new(program.context, NULL, &first), 0);
	assert_int_equal(change_plan_turbo_freq(first, program.requests, 1, &on), 0);
	assert_int_equal(change_run(first), 0);
	isst_change_free(first);
	assert_int_equal(change_plan_turbo_freq(program.change, program.requests, 1, &off), 0);
	assert_int_equal(change_plan_core_power(program.change, program.requests, 1, false,
						ISST_KEEP_PRIORITY),
			 0);
	run_change(&program);
}

/* ---- What is missing, and what is used again ---- */

TEST(C5_a_change_without_options_has_the_defaults)
{
	autoprogram struct program program = program_begin("tests/tiny", "", NULL);
	assert_int_equal(change_plan_core_power(program.change, program.requests, 1, true,
						ISST_KEEP_PRIORITY),
			 0);
	assert_int_equal(change_run(program.change), 0);
	assert_false(isst_change_is_unchanged(program.change));
}

/** The machine's system log is a file of the emulator, which has none before the first line. */
static bool is_logged(const struct machine *machine)
{
	bool there;

	autofree char *path = formatted("%s/log", machine->state);
	there = access(path, F_OK) == 0;
	return there;
}

TEST(C8_the_system_log_is_written_to_only_if_asked_for)
{
	for (int asked = 0; asked < 2; asked++) {
		struct isst_options options = { .system_log = asked };
		struct isst_context *context;
		struct isst_change *change;
		struct domain_request request = { 0 };

		automachine struct machine machine = machine_begin("tests/tiny");
		options.machine = machine_open(&machine);
		assert_int_equal(isst_open(&options, &context), 0);
		assert_int_equal(isst_lock(context, 1000, 0), 0);
		assert_int_equal(isst_discover(context), 0);
		request.domain = context_domain(context, 0);
		assert_int_equal(isst_change_new(context, NULL, &change), 0);
		assert_int_equal(change_plan_level(change, &request, 1, 1, false), 0);
		assert_int_equal(change_run(change), 0);
		assert_int_equal(is_logged(&machine), asked);
		isst_change_free(change);
		isst_close(context);
	}
}

MACHINE_TEST(C5_before_discovery_there_is_no_cpu_to_walk, "tests/tiny")
{
	freed_by(isst_close) struct isst_context *context = NULL;
	unsigned int cpu, count = 0;
	struct isst_options options = { 0 };

	options.machine = machine_open(machine);
	assert_int_equal(isst_open(&options, &context), 0);
	isst_cpuset_for_each (cpu, isst_online_cpus(context))
		count++;
	isst_cpuset_for_each (cpu, isst_present_cpus(context))
		count++;
	assert_int_equal(count, 0);
}

/* ---- The limit of file sizes ---- */

/** In a process of its own, which a signal would end. Returns 0 or the number of what went wrong.
 */
static int change_within_limit(const struct machine *machine)
{
	static const struct rlimit NONE = { 0, 0 };
	struct isst_options options = { .machine = machine_open(machine) };
	struct domain_request request = { 0 };
	struct isst_context *context;
	struct isst_change *change;

	if (setrlimit(RLIMIT_FSIZE, &NONE) || isst_open(&options, &context) ||
	    isst_lock(context, 1000, 0) || isst_discover(context))
		return 1;
	request.domain = context_domain(context, 0);
	if (isst_change_new(context, NULL, &change) ||
	    change_plan_core_power(change, &request, 1, true, ISST_KEEP_PRIORITY))
		return 2;
	if (change_run(change) != -EFBIG)
		return 3;
	if (!strstr(isst_error(context), "ulimit -f"))
		return 4;
	isst_change_free(change);
	isst_close(context);
	return 0;
}

/** The first program that sees the machine writes where its CPUs are, too. */
MACHINE_TEST(a_small_limit_of_file_sizes_is_an_error_and_no_signal, "tests/tiny")
{
	pid_t child;
	int status;

	autofree char *before = machine_picture(machine);
	child = fork();
	assert_true(child >= 0);
	if (child == 0)
		_exit(change_within_limit(machine));
	assert_int_equal(waitpid(child, &status, 0), child);
	if (status)
		fail_msg("status 0x%x", (unsigned int)status);
	machine_check(machine, before, "a limit of file sizes");
	assert_null(machine_text(machine, "run/topology"));
	autofree char *text = machine_text(machine, "run/journal");
	assert_string_equal(text ? text : "", "");
}

/* ---- Programs that live long ---- */

enum { WARM_UP = 20, SLACK = 1024 };

static unsigned int rounds(void)
{
	const char *text = getenv("ISST_POLLING_ROUNDS");

	return text ? (unsigned int)strtoul(text, NULL, 10) : 100;
}

/** Freed blocks that the C library keeps count as used, unless it is configured to keep none. */
static void count_exactly(char **arguments)
{
	if (getenv("GLIBC_TUNABLES"))
		return;
	setenv("GLIBC_TUNABLES", "glibc.malloc.tcache_count=0:glibc.malloc.mxfast=0", 1);
	execv("/proc/self/exe", arguments);
}

/** Plans and lists one change, another one each time. */
static void list_change(struct program *program, unsigned int round)
{
	const struct isst_change_options options = { .dry_run = true, .targets = ISST_SKIP_FAILED };
	const struct isst_clos clos = { .clos = round % 4, .max_mhz = 100 + round * 100 % 25000 };
	struct turbo_freq_request turbo_freq = { .enable = true, .automatic = true };
	size_t count = isst_domain_count(program->context) < 2 ? 1 : 2;
	freed_by(isst_change_free) struct isst_change *change = NULL;

	assert_int_equal(isst_change_new(program->context, &options, &change), 0);
	change_plan_level(change, program->requests, count, round % 2, true);
	change_plan_base_freq(change, program->requests, count, true, true);
	change_plan_turbo_freq(change, program->requests, count, &turbo_freq);
	change_plan_clos(change, program->requests, count, &clos, UINT32_MAX);
	change_run(change);
	for (size_t i = 0; change_listed_step(change, i); i++)
		assert_non_null(change_listed_step(change, i)->target);
}

static void list_changes(const char *platform, const char *rules)
{
	size_t before = 0;

	autoprogram struct program program = program_begin(platform, rules, NULL);
	for (unsigned int i = 0; i < WARM_UP + rounds(); i++) {
		if (i == WARM_UP)
			before = heap_in_use();
		list_change(&program, i);
	}
	if (heap_in_use() > before + SLACK)
		fail_msg("%s, '%s': %zu bytes more after %u changes", platform, rules,
			 heap_in_use() - before, rounds());
}

TEST(C3_a_change_owns_its_texts)
{
	list_changes("tests/tiny", "");
	list_changes("tests/tiny", "mailbox 0x7f/0x05 EBUSY\nmailbox 0x7f/0x20 EIO\n");
	list_changes("tests/tpmi-tiny", "");
	list_changes("tests/tpmi-tiny", "tpmi clos-param get power-domain 1 ENOTTY\n");
}

TEST(C5_reading_a_level_again_releases_what_was_read_before)
{
	struct isst_level level = { 0 };
	size_t before = 0;

	autoprogram struct program program = program_begin("tests/tiny", "", NULL);
	level.domain = program.requests[0].domain;
	for (unsigned int i = 0; i < WARM_UP + rounds(); i++) {
		if (i == WARM_UP)
			before = heap_in_use();
		assert_int_equal(level_read_parts(program.context, &level, 1, ISST_LEVELS_ALL), 0);
	}
	assert_in_range(heap_in_use(), 0, before + SLACK);
	level_clear(&level);
}

/* ---- CPUs of one core ---- */

/** CPUs 0 and 1 of `tiny` are one core, 2 and 3 the other. */
TEST(a_core_is_named_by_any_of_its_cpus)
{
	static const unsigned int PAIRS[][2] = { { 0, 0 }, { 0, 1 }, { 1, 0 }, { 0, 2 } };

	for (size_t i = 0; i < COUNT(PAIRS); i++) {
		struct isst_clos_association found[2] = { 0 };
		struct domain_request pair[2] = { 0 };

		autoprogram struct program program = program_begin(
			"tests/tiny", "", &(struct isst_change_options){ 0 });
		for (size_t k = 0; k < 2; k++)
			found[k].cpu = pair[k].cpu = context_cpu(program.context, PAIRS[i][k]);
		assert_int_equal(change_plan_association(program.change, pair, 2, 2), 0);
		assert_int_equal(change_run(program.change), 0);
		assert_int_equal(clos_association_read(program.context, found, 2), 0);
		for (size_t k = 0; k < 2; k++)
			assert_int_equal(found[k].clos, 2);
	}
}

int main(int count, char **arguments)
{
	(void)count;
	count_exactly(arguments);
	return test_main(NULL, NULL);
}
