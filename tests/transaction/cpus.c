/* SPDX-License-Identifier: BSD-3-Clause */
/* Which CPUs are in use, where that is asked for itself: by the level, isolated, all, or all but
 * some. */
#include "features/cpus_change.h"
#include "features/planning.h"
#include "transaction/support/failing.h"

#define CPU "/sys/devices/system/cpu/"
#define ONLINE CPU "online"
#define GROUP "/sys/fs/cgroup/0-0-0"

/* ---- Requests ---- */

/** What the requests of this file ask for. */
static struct asked {
	enum cpus_wanted wanted;
	const char *offline; /* of CPUS_OFFLINE */
	bool level_given;    /* this level becomes the current one as well */
	unsigned int level;
	const char *associated; /* these CPUs are put into CLOS 3 as well, and limited to 1500 MHz;
				   NULL: none */
	size_t domains;		/* only so many, the first ones; 0: all */
	bool one_by_one;	/* a request for each domain */
} asked;

static struct isst_cpuset *parse(const char *list)
{
	struct isst_cpuset *set = isst_cpuset_new();

	assert_int_equal(isst_cpuset_add_list(set, list ? list : "", NULL), 0);
	return set;
}

static int plan_associated(struct isst_context *context, struct isst_change *change)
{
	struct isst_cpuset *cpus = parse(asked.associated);
	unsigned int cpu;
	int error = 0;

	isst_cpuset_for_each (cpu, cpus) {
		struct domain_request association = { .cpu = context_cpu(context, cpu) };
		struct limit_request limit = { .cpu = context_cpu(context, cpu),
					       .wanted = { LIMIT_KEPT, 1500000 } };

		if (!error)
			error = change_plan_association(change, &association, 1, 3);
		if (!error)
			error = plan_scaling_limits(change, &limit, 1);
		plan_conclude(change, &(struct domain_request){ .failure = limit.failure }, 1,
			      error);
	}
	isst_cpuset_free(cpus);
	return error;
}

static void note(struct objections *objections, const struct isst_failure *failure)
{
	char *more;

	if (!failure->error) {
		objections->planned = true;
		return;
	}
	more = formatted("%s%d: %s\n", objections->lines, failure->error, failure->message);
	free(objections->lines);
	objections->lines = more;
}

static int plan_part(struct isst_change *change, struct domain_request *requests, size_t count,
		     bool online)
{
	size_t all = isst_domain_count(change->context), step = asked.one_by_one ? 1 : count;
	struct isst_cpuset *offline = parse(asked.offline);
	struct domain_snapshot *now = calloc(all + 1, sizeof(*now));
	int error;

	for (size_t i = 0; i < all; i++) {
		now[i].domain = context_domain(change->context, i);
		now[i].parts = i < count ? SNAPSHOT_PROFILES | SNAPSHOT_LEVEL : 0;
	}
	error = snapshot_read(change->context, now, all);
	for (size_t i = 0; i < count && !error; i++)
		now[i].level.level = asked.level_given ? asked.level : now[i].profile.current_level;
	if (!error)
		error = snapshot_read_levels(change->context, now, all, ISST_LEVELS_PROPERTIES);
	for (size_t i = 0; i < count && !error; i += step) {
		struct cpus_change work = { .change = change,
					    .domains = now,
					    .wanted = asked.wanted,
					    .offline = offline,
					    .come = online,
					    .go = !online };

		for (size_t j = 0; j < count; j++)
			now[j].counts = j >= i && j < i + step;
		error = plan_cpus(&work);
		for (size_t j = i; j < i + step; j++)
			requests[j].failure = now[j].failure;
		error = plan_conclude(change, &requests[i], step, error);
	}
	snapshot_clear(now, all);
	free(now);
	isst_cpuset_free(offline);
	return error;
}

static int plan_asked(struct isst_context *context, struct isst_change *change,
		      const struct request *request, struct objections *objections)
{
	size_t count = asked.domains ? asked.domains : isst_domain_count(context);
	struct domain_request *requests = calloc(count, sizeof(*requests));
	int error = 0;

	(void)request;
	for (size_t i = 0; i < count; i++)
		requests[i].domain = context_domain(context, i);
	if (asked.level_given)
		error = change_plan_level(change, requests, count, asked.level, false);
	if (!error)
		error = plan_part(change, requests, count, true);
	if (!error)
		error = plan_associated(context, change);
	if (!error)
		error = plan_part(change, requests, count, false);
	for (size_t i = 0; i < count; i++)
		note(objections, &requests[i].failure);
	free(requests);
	return error;
}

static const struct request ASKED = { .name = "cpus", .plan = plan_asked };

static void check_warned(const struct machine *machine, struct asked what, const char *expected)
{
	const struct outcome *outcome;

	asked = what;
	outcome = machine_make(machine, &ASKED, NULL);
	if (outcome_error(outcome))
		fail_msg("%s: %s", machine->name, outcome->message);
	assert_string_equal(outcome->refusals, "");
	assert_string_equal(outcome->warnings, expected);
}

/** Whether the CPUs of all domains that have some are as asked. */
static bool is_now(const struct machine *machine, enum cpus_wanted wanted, const char *list)
{
	struct isst_context *context = machine_discover(machine);
	size_t count = isst_domain_count(context);
	struct cpus_state *states = calloc(count, sizeof(*states));
	struct domain_snapshot *now = calloc(count, sizeof(*now));
	struct isst_cpuset *offline = parse(list);
	bool all = true;

	for (size_t i = 0; i < count; i++) {
		now[i].domain = states[i].domain = context_domain(context, i);
		states[i].level = &now[i].level;
	}
	assert_int_equal(snapshot_read_at(context, now, count, NULL, ISST_LEVELS_PROPERTIES), 0);
	assert_int_equal(cpus_state_read(context, states, count), 0);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(states[i].failure.error, 0);
		if (!isst_domain_is_io(states[i].domain))
			all &= cpus_state_is(&states[i], wanted, offline);
		cpus_state_clear(&states[i]);
	}
	free(states);
	snapshot_clear(now, count);
	free(now);
	isst_cpuset_free(offline);
	isst_close(context);
	return all;
}

/** Makes what is asked for, without a warning: the machine is so then, and to ask for it again
 * writes nothing. */
static void check_made(const struct machine *machine, struct asked what, const char *online)
{
	const struct outcome *outcome;

	check_warned(machine, what, "");
	machine_check_file(machine, ONLINE, online);
	assert_true(is_now(machine, what.wanted, what.offline));
	outcome = machine_make(machine, &ASKED, NULL);
	assert_int_equal(outcome_error(outcome), 0);
	assert_string_equal(outcome->steps, "");
	assert_true(outcome->unchanged);
}

static void check_refused(const struct machine *machine, struct asked what, int error,
			  const char *expected)
{
	asked = what;
	machine_refuses(machine, &ASKED, error, expected);
}

/* ---- From each to each ---- */

/** tests/tiny: CPUs 0 and 1 are of core 0, which level 1 enables; 2 and 3 are of core 1. */
static const struct way {
	struct asked asked;
	const char *online, *partition;
} WAYS[] = {
	{ { .wanted = CPUS_BY_LEVEL }, "0-1", NULL },
	{ { .wanted = CPUS_ISOLATED }, "0-3", "2-3" },
	{ { .wanted = CPUS_ONLINE }, "0-3", NULL },
	{ { .wanted = CPUS_OFFLINE, .offline = "1,3" }, "0,2", NULL },
};

static void check_way(const struct machine *machine, const struct way *way)
{
	check_made(machine, way->asked, way->online);
	machine_check_file(machine, GROUP "/cpuset.cpus", way->partition);
	if (way->partition)
		machine_check_file(machine, GROUP "/cpuset.cpus.partition", "isolated");
	for (size_t i = 0; i < COUNT(WAYS); i++)
		assert_int_equal(is_now(machine, WAYS[i].asked.wanted, WAYS[i].asked.offline),
				 way == &WAYS[i]);
}

MACHINE_TEST(each_state_is_reached_from_each_other_one, "tests/tiny")
{
	machine_prepare(machine, "level 1");
	for (size_t i = 0; i < COUNT(WAYS); i++)
		for (size_t j = 0; j < COUNT(WAYS); j++) {
			check_way(machine, &WAYS[i]);
			check_way(machine, &WAYS[j]);
		}
}

MACHINE_TEST(a_level_that_enables_all_needs_no_partition, "tests/tiny")
{
	assert_true(is_now(machine, CPUS_BY_LEVEL, NULL));
	assert_true(is_now(machine, CPUS_ISOLATED, NULL));
	assert_true(is_now(machine, CPUS_ONLINE, NULL));
	assert_true(is_now(machine, CPUS_OFFLINE, NULL));
	assert_false(is_now(machine, CPUS_OFFLINE, "3"));
	check_made(machine,
		   (struct asked){ .wanted = CPUS_ISOLATED, .level_given = true, .level = 1 },
		   "0-3");
	machine_check_file(machine, GROUP "/cpuset.cpus", "2-3");
	check_made(machine, (struct asked){ .wanted = CPUS_ISOLATED, .level_given = true }, "0-3");
	machine_check_file(machine, GROUP "/cpuset.cpus", NULL);
}

/* ---- With other requests ---- */

/** CPUs come online for what is asked of them, and go offline when it is done. */
MACHINE_TEST(cpus_come_first_and_go_last, "tests/tiny")
{
	static const struct asked LEVEL_1 = {
		.wanted = CPUS_BY_LEVEL, .level_given = true, .level = 1, .associated = "2"
	};
	static const struct asked LEVEL_0 = { .wanted = CPUS_BY_LEVEL,
					      .level_given = true,
					      .associated = "2" };
	const struct outcome *outcome;

	asked = LEVEL_1;
	outcome = machine_make(machine, &ASKED, NULL);
	assert_int_equal(outcome_error(outcome), 0);
	assert_string_equal(outcome->steps, "package 0, die 0: performance level: 0 -> 1\n"
					    "package 0, die 0: CLOS of core 1: 0 -> 3\n"
					    "CPU 2: scaling_max_freq: no limit -> 1500000 kHz\n"
					    "CPU 2: online: 1 -> 0\n"
					    "CPU 3: online: 1 -> 0\n");
	machine_restart(machine, "level 1 online");
	asked = LEVEL_0;
	outcome = machine_make(machine, &ASKED, NULL);
	assert_int_equal(outcome_error(outcome), 0);
	assert_string_equal(outcome->steps, "package 0, die 0: performance level: 1 -> 0\n"
					    "CPU 2: online: 0 -> 1\n"
					    "CPU 3: online: 0 -> 1\n"
					    "package 0, die 0: CLOS of core 1: 0 -> 3\n"
					    "CPU 2: scaling_max_freq: no limit -> 1500000 kHz\n");
}

/* ---- CPUs of which nothing is known ---- */

/** tests/offline: CPUs 3 and 11 are of core 3, 12 of core 0 of the other package; level 1 enables
 * cores 0 and 1. */
MACHINE_TEST(unknown_cpus_come_online_unless_they_are_to_be_offline, "tests/offline")
{
	assert_false(is_now(machine, CPUS_ONLINE, NULL));
	assert_false(is_now(machine, CPUS_BY_LEVEL, NULL));
	assert_false(is_now(machine, CPUS_OFFLINE, "3"));
	assert_true(is_now(machine, CPUS_OFFLINE, "3,11-12"));
	check_made(machine, (struct asked){ .wanted = CPUS_OFFLINE, .offline = "2,12" },
		   "0-1,3-11,13-15");
	check_made(machine, (struct asked){ .wanted = CPUS_ONLINE }, "0-15");
	machine_restart(machine, NULL);
	check_made(machine,
		   (struct asked){ .wanted = CPUS_BY_LEVEL, .level_given = true, .level = 1 },
		   "0-1,4-5,8-9,12-13");
	machine_restart(machine, NULL);
	check_made(machine, (struct asked){ .wanted = CPUS_ONLINE, .one_by_one = true }, "0-15");
}

/** Those of a package that is offline as a whole, which has no domain, go offline again. */
MACHINE_TEST(a_package_that_is_offline_stays_so, "tests/package-offline")
{
	check_made(machine, (struct asked){ .wanted = CPUS_ONLINE }, "0-3,8-11");
}

/* ---- CPUs that the kernel keeps ---- */

MACHINE_TEST(cpu_0_that_cannot_go_offline_is_isolated, "tests/tiny")
{
	static const char WARNING[] = "CPU 0 cannot go offline: it is isolated in the cpuset "
				      "partition 0-0-0\n";
	static const struct asked BY_LEVEL = { .wanted = CPUS_BY_LEVEL };
	static const struct asked OFFLINE = { .wanted = CPUS_OFFLINE, .offline = "0" };

	machine_change(machine, "[level 1]\ncores = 0", "[level 1]\ncores = 1");
	machine_prepare(machine, "level 1");
	check_warned(machine, BY_LEVEL, WARNING);
	machine_check_file(machine, ONLINE, "0,2-3");
	machine_check_file(machine, GROUP "/cpuset.cpus", "0");
	assert_true(is_now(machine, CPUS_BY_LEVEL, NULL));
	assert_false(is_now(machine, CPUS_ISOLATED, NULL));
	assert_true(is_now(machine, CPUS_OFFLINE, "0-1"));
	assert_false(is_now(machine, CPUS_OFFLINE, "1"));
	check_warned(machine, OFFLINE, WARNING);
	machine_check_file(machine, ONLINE, "0-3");
	assert_true(is_now(machine, CPUS_OFFLINE, "0"));
	assert_false(is_now(machine, CPUS_ONLINE, NULL));
	check_made(machine, (struct asked){ .wanted = CPUS_ONLINE }, "0-3");
	machine_check_file(machine, GROUP "/cpuset.cpus", NULL);
}

MACHINE_TEST(second_threads_stay_offline_while_smt_is_off, "tests/tiny")
{
	static const char WARNING[] = "CPUs 1,3 stay offline because SMT is off (" CPU
				      "smt/control: off)\n";
	static const struct asked ALL = { .wanted = CPUS_ONLINE };

	machine_look(machine);
	machine_set_file(machine, CPU "smt/control", "off");
	machine_check_file(machine, ONLINE, "0,2");
	assert_true(is_now(machine, CPUS_ONLINE, NULL));
	assert_true(is_now(machine, CPUS_BY_LEVEL, NULL));
	assert_true(is_now(machine, CPUS_OFFLINE, "1"));
	assert_false(is_now(machine, CPUS_OFFLINE, "2"));
	machine_set_file(machine, CPU "cpu2/online", "0");
	assert_false(is_now(machine, CPUS_ONLINE, NULL));
	check_warned(machine, ALL, WARNING);
	machine_check_file(machine, ONLINE, "0,2");
}

/* ---- What cannot be done ---- */

TEST(a_package_keeps_a_cpu)
{
	struct machine machine;

	machine_begin(&machine, "tests/offline");
	check_refused(&machine, (struct asked){ .wanted = CPUS_OFFLINE, .offline = "4-7,12-15" },
		      -EIO, "-5: package 1, die 0: all CPUs of package 1 would go offline\n");
	machine_end(&machine);
	/* A power domain need not. */
	machine_begin(&machine, "tests/tpmi-tiny");
	check_made(&machine, (struct asked){ .wanted = CPUS_OFFLINE, .offline = "4-7,12-15" },
		   "0-3,8-11");
	check_refused(&machine, (struct asked){ .wanted = CPUS_OFFLINE, .offline = "0-15" }, -EIO,
		      "-5: package 0, power domain 0: all CPUs of package 0 would go offline\n"
		      "-5: package 0, power domain 1: all CPUs of package 0 would go offline\n");
	machine_end(&machine);
	/* Nor may the last of several requests take it: CPUs 6 to 8 and 9 to 11 are of two dies. */
	machine_begin(&machine, "tests/multi-die-across");
	check_refused(
		&machine,
		(struct asked){ .wanted = CPUS_OFFLINE, .offline = "6-11", .one_by_one = true },
		-EIO, "-5: package 1, die 3: all CPUs of package 1 would go offline\n");
	machine_end(&machine);
}

MACHINE_TEST(without_partitions_none_can_be_isolated, "tests/no-cgroup")
{
	check_made(machine, (struct asked){ .wanted = CPUS_ISOLATED }, "0-3");
	machine_prepare(machine, "level 1");
	assert_false(is_now(machine, CPUS_ISOLATED, NULL));
	check_refused(machine, (struct asked){ .wanted = CPUS_ISOLATED }, -EOPNOTSUPP,
		      "-95: package 0, die 0: /sys/fs/cgroup has no cpuset controller: isolating "
		      "CPUs requires cgroup v2 with this controller\n");
	check_made(machine, (struct asked){ .wanted = CPUS_BY_LEVEL }, "0-1");
}

/** One that is no partition, as the kernel tree's tool leaves behind. */
MACHINE_TEST(a_group_of_others_is_left_alone, "tests/tiny")
{
	struct isst_machine *opened;

	opened = machine_open(machine);
	assert_int_equal(opened->files->mkdir(opened->data, "/sys/fs/cgroup/0-0-0"), 0);
	opened->release(opened);
	assert_true(is_now(machine, CPUS_ONLINE, NULL));
	check_made(machine, (struct asked){ .wanted = CPUS_ONLINE }, "0-3");
}

static void make_group(const struct machine *machine, const char *path, const char *cpus,
		       const char *type)
{
	struct isst_machine *opened = machine_open(machine);
	char file[100];

	assert_int_equal(opened->files->mkdir(opened->data, path), 0);
	opened->release(opened);
	snprintf(file, sizeof(file), "%s/cpuset.cpus", path);
	machine_set_file(machine, file, cpus);
	snprintf(file, sizeof(file), "%s/cpuset.cpus.partition", path);
	machine_set_file(machine, file, type);
}

/** It isolates nothing, and is there: all CPUs are online only without it. */
MACHINE_TEST(an_invalid_partition_is_removed, "tests/tiny")
{
	machine_set_file(machine, "/sys/fs/cgroup/cgroup.subtree_control", "+cpuset");
	make_group(machine, "/sys/fs/cgroup/other", "2", "root");
	make_group(machine, GROUP, "2-3", "isolated");
	machine_check_file(machine, GROUP "/cpuset.cpus.partition",
			   "isolated invalid (Cpu list in cpuset.cpus not exclusive)");
	assert_false(is_now(machine, CPUS_ONLINE, NULL));
	check_made(machine, (struct asked){ .wanted = CPUS_ONLINE }, "0-3");
	machine_check_file(machine, GROUP "/cpuset.cpus", NULL);
	machine_check_file(machine, "/sys/fs/cgroup/other/cpuset.cpus", "2");
}

/** There is one level, which enables all. */
MACHINE_TEST(a_preset_platform_takes_cpus_offline_too, "cascadelake-6230n")
{
	check_made(machine, (struct asked){ .wanted = CPUS_OFFLINE, .offline = "6,39" },
		   "0-5,7-38");
	check_made(machine, (struct asked){ .wanted = CPUS_BY_LEVEL }, "0-39");
}

/* ---- Reading ---- */

MACHINE_TEST(without_levels_the_driver_is_not_called, "tests/offline")
{
	struct cpus_state now = { 0 };
	unsigned long long calls;

	freed_by(isst_close) struct isst_context *context = machine_discover(machine);
	now.domain = context_domain(context, 0);
	calls = machine_statistics(machine).driver_calls;
	assert_int_equal(cpus_state_read(context, &now, 1), 0);
	assert_int_equal(machine_statistics(machine).driver_calls, calls);
	assert_int_equal(now.level_failure.error, -ENODATA);
	assert_false(cpus_state_is(&now, CPUS_BY_LEVEL, NULL));
	/* Which of the two packages they are of is not known. */
	autofree char *list = isst_cpuset_to_list(now.unknown);
	assert_string_equal(list, "3,11-12");
	assert_int_equal(isst_cpuset_count(now.offline), 0);
	cpus_state_clear(&now);
	now.domain = NULL;
	assert_int_equal(cpus_state_read(context, &now, 1), 0);
	assert_int_equal(now.failure.error, -EINVAL);
	assert_false(cpus_state_is(&now, CPUS_ONLINE, NULL));
	cpus_state_clear(&now);
}

/* ---- Failures ---- */

static const struct asked CASES[] = {
	{ .wanted = CPUS_BY_LEVEL, .level_given = true, .level = 1, .associated = "2" },
	{ .wanted = CPUS_ISOLATED, .level_given = true, .level = 1 },
	{ .wanted = CPUS_OFFLINE, .offline = "1,3" },
};

/** Each write fails in turn, then each read. */
MACHINE_TEST(what_fails_leaves_all_as_it_was, "tests/tiny", "tests/tpmi-tiny")
{
	for (size_t i = 0; i < COUNT(CASES); i++) {
		asked = CASES[i];
		/* A change goes on without a power domain of I/O. */
		asked.domains = strcmp(machine->name, "tests/tpmi-tiny") == 0 ? 2 : 0;
		assert_true(fail_each_write(machine, &ASKED) >= 2);
		assert_true(fail_each_read(machine, &ASKED) >= 10);
	}
}
