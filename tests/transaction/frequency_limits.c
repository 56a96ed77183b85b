/* SPDX-License-Identifier: BSD-3-Clause */
/* Limits of cpufreq and of the uncore that are asked for by value: in an order in which the kernel
 * clips none, equal ones not at all, and all of them rolled back where one fails. */
#include "features/planning.h"
#include "transaction/support/failing.h"

#define CPU "/sys/devices/system/cpu/"
#define CPUFREQ(cpu, name) CPU "cpu" #cpu "/cpufreq/scaling_" name "_freq"

static uint64_t khz_of(int mhz)
{
	return mhz < 0 ? LIMIT_KEPT : (uint64_t)mhz * 1000;
}

/** Adds what stands against a target. */
static void note(struct isst_change *change, int error, struct objections *objections,
		 const struct isst_failure *failure)
{
	char *more;

	plan_conclude(change, &(struct domain_request){ .failure = *failure }, 1, error);
	if (!failure->error) {
		objections->planned = true;
		return;
	}
	more = formatted("%s%d: %s\n", objections->lines, failure->error, failure->message);
	free(objections->lines);
	objections->lines = more;
}

/** What the requests of this file ask for. MHz; 0: none, negative: kept. */
static struct asked {
	const char *cpus;     /* of cpufreq; NULL: no limits of it are asked for */
	int min_mhz, max_mhz; /* of these */
	bool all_online;      /* all CPUs come online before that */
	int level;	      /* this level becomes the current one before that */
	bool uncore;	      /* limits of the uncore are asked for */
	unsigned int fabric;  /* of this fabric */
} asked;

static int plan_scaling(struct isst_context *context, struct isst_change *change,
			struct objections *objections)
{
	struct isst_cpuset *cpus = isst_cpuset_new();
	struct limit_request *requests;
	size_t count = 0;
	unsigned int cpu;
	int error;

	assert_int_equal(isst_cpuset_add_list(cpus, asked.cpus, NULL), 0);
	requests = calloc(isst_cpuset_count(cpus), sizeof(*requests));
	isst_cpuset_for_each (cpu, cpus)
		requests[count++] = (struct limit_request){
			.cpu = context_cpu(context, cpu),
			.wanted = { khz_of(asked.min_mhz), khz_of(asked.max_mhz) },
		};
	error = plan_scaling_limits(change, requests, count);
	for (size_t i = 0; i < count; i++)
		note(change, error, objections, &requests[i].failure);
	free(requests);
	isst_cpuset_free(cpus);
	return error;
}

static int plan_uncore(struct isst_context *context, struct isst_change *change,
		       struct objections *objections)
{
	size_t count = isst_domain_count(context);
	struct limit_request *requests = calloc(count, sizeof(*requests));
	int error;

	for (size_t i = 0; i < count; i++)
		requests[i] = (struct limit_request){
			.domain = context_domain(context, i),
			.fabric = asked.fabric,
			.wanted = { khz_of(asked.min_mhz), khz_of(asked.max_mhz) },
		};
	error = plan_uncore_limits(change, requests, count);
	for (size_t i = 0; i < count; i++)
		note(change, error, objections, &requests[i].failure);
	free(requests);
	return error;
}

static int plan_given_level(struct isst_context *context, struct isst_change *change)
{
	struct domain_request requests[8] = { 0 };
	size_t count = isst_domain_count(context);

	assert_true(count <= COUNT(requests));
	for (size_t i = 0; i < count; i++)
		requests[i].domain = context_domain(context, i);
	return change_plan_level(change, requests, count, (unsigned int)asked.level, false);
}

static int plan_asked(struct isst_context *context, struct isst_change *change,
		      const struct request *request, struct objections *objections)
{
	int error = 0;

	(void)request;
	if (asked.level)
		error = plan_given_level(context, change);
	if (asked.all_online && !error)
		error = change_plan_all_online(change);
	if (asked.cpus && !error)
		error = plan_scaling(context, change, objections);
	if (asked.uncore && !error)
		error = plan_uncore(context, change, objections);
	return error;
}

static const struct request ASKED = { .name = "limits", .plan = plan_asked };

/** Makes what was asked for: it succeeds without a warning. Returns what was written, to be freed.
 */
static char *make_asked(const struct machine *machine)
{
	const struct outcome *outcome;
	char *steps;

	outcome = machine_make(machine, &ASKED, NULL);
	if (outcome_error(outcome))
		fail_msg("%s: %s", machine->name, outcome->message);
	assert_string_equal(outcome->refusals, "");
	assert_string_equal(outcome->warnings, "");
	steps = strdup(outcome->steps);
	return steps;
}

static void check_made(const struct machine *machine, struct asked what, const char *expected)
{
	asked = what;
	autofree char *steps = make_asked(machine);
	assert_string_equal(steps, expected);
}

/** It is refused for each target, and nothing is written. */
static void check_refused(const struct machine *machine, struct asked what, int error,
			  const char *expected)
{
	asked = what;
	machine_refuses(machine, &ASKED, error, expected);
}

/* ---- Limits of cpufreq ---- */

/* The processor of tests/tiny has 800 to 3000 MHz at level 0, to 3100 at level 1; base 2000. */

MACHINE_TEST(limits_move_in_an_order_that_clips_none, "tests/tiny")
{
	check_made(machine, (struct asked){ .cpus = "0,2", .min_mhz = 1500, .max_mhz = 2500 },
		   "CPU 0: scaling_max_freq: no limit -> 2500000 kHz\n"
		   "CPU 2: scaling_max_freq: no limit -> 2500000 kHz\n"
		   "CPU 0: scaling_min_freq: no limit -> 1500000 kHz\n"
		   "CPU 2: scaling_min_freq: no limit -> 1500000 kHz\n");
	check_made(machine, (struct asked){ .cpus = "0", .min_mhz = 1000, .max_mhz = 1200 },
		   "CPU 0: scaling_min_freq: 1500000 kHz -> 1000000 kHz\n"
		   "CPU 0: scaling_max_freq: 2500000 kHz -> 1200000 kHz\n");
	check_made(machine, (struct asked){ .cpus = "0,2", .min_mhz = 2600, .max_mhz = 2800 },
		   "CPU 0: scaling_max_freq: 1200000 kHz -> 2800000 kHz\n"
		   "CPU 2: scaling_max_freq: 2500000 kHz -> 2800000 kHz\n"
		   "CPU 0: scaling_min_freq: 1000000 kHz -> 2600000 kHz\n"
		   "CPU 2: scaling_min_freq: 1500000 kHz -> 2600000 kHz\n");
	machine_check_file(machine, CPUFREQ(2, "min"), "2600000");
	machine_check_file(machine, CPUFREQ(2, "max"), "2800000");
}

MACHINE_TEST(a_limit_that_is_kept_stays_and_none_is_the_processors, "tests/tiny")
{
	check_made(machine, (struct asked){ .cpus = "1", .min_mhz = -1, .max_mhz = 2500 },
		   "CPU 1: scaling_max_freq: no limit -> 2500000 kHz\n");
	check_made(machine, (struct asked){ .cpus = "1", .min_mhz = 1500, .max_mhz = -1 },
		   "CPU 1: scaling_min_freq: no limit -> 1500000 kHz\n");
	check_made(machine, (struct asked){ .cpus = "1", .min_mhz = -1, .max_mhz = 0 },
		   "CPU 1: scaling_max_freq: 2500000 kHz -> no limit\n");
	check_made(machine, (struct asked){ .cpus = "1", .min_mhz = 0, .max_mhz = -1 },
		   "CPU 1: scaling_min_freq: 1500000 kHz -> no limit\n");
	machine_check_file(machine, CPUFREQ(1, "min"), "800000");
	machine_check_file(machine, CPUFREQ(1, "max"), "3000000");
}

MACHINE_TEST(equal_limits_are_not_written, "tests/tiny")
{
	static const struct asked EQUAL[] = {
		{ .cpus = "0-3", .min_mhz = 0, .max_mhz = 0 },
		{ .cpus = "0-3", .min_mhz = 800, .max_mhz = 3000 },
		/* No limit is lower than the processor's, or higher. */
		{ .cpus = "0-3", .min_mhz = 500, .max_mhz = 4000 },
		{ .cpus = "0-3", .min_mhz = -1, .max_mhz = -1 },
	};

	for (size_t i = 0; i < COUNT(EQUAL); i++)
		check_made(machine, EQUAL[i], "");
}

MACHINE_TEST(limits_that_the_kernel_would_move_are_refused, "tests/tiny")
{
	check_refused(machine, (struct asked){ .cpus = "0", .min_mhz = 2500, .max_mhz = 2400 },
		      -EIO,
		      "-5: CPU 0: the lower frequency limit, 2500 MHz, is above the upper one, "
		      "2400 MHz\n");
	check_refused(machine, (struct asked){ .cpus = "1", .min_mhz = 3100, .max_mhz = 0 }, -EIO,
		      "-5: CPU 1: the lower frequency limit, 3100 MHz, is above the highest "
		      "frequency of the processor, 3000 MHz\n");
	check_refused(machine, (struct asked){ .cpus = "1", .min_mhz = -1, .max_mhz = 700 }, -EIO,
		      "-5: CPU 1: the upper frequency limit, 700 MHz, is below the lowest "
		      "frequency of the processor, 800 MHz\n");
	machine_set_file(machine, CPUFREQ(3, "max"), "2000000");
	check_refused(machine, (struct asked){ .cpus = "3", .min_mhz = 2100, .max_mhz = -1 }, -EIO,
		      "-5: CPU 3: the lower frequency limit, 2100 MHz, is above the upper one, "
		      "2000 MHz\n");
}

MACHINE_TEST(limits_are_those_of_the_level_that_the_change_brings, "tests/tiny")
{
	check_made(machine,
		   (struct asked){ .cpus = "0", .level = 1, .min_mhz = 3050, .max_mhz = 3080 },
		   "package 0, die 0: performance level: 0 -> 1\n"
		   "CPU 0: scaling_max_freq: no limit -> 3080000 kHz\n"
		   "CPU 0: scaling_min_freq: no limit -> 3050000 kHz\n");
	machine_restart(machine, NULL);
	/* At level 1 that is the processor's own. */
	check_made(machine,
		   (struct asked){ .cpus = "0", .level = 1, .min_mhz = -1, .max_mhz = 3100 },
		   "package 0, die 0: performance level: 0 -> 1\n");
}

static int plan_level_with_base_freq(struct isst_context *context, struct isst_change *change,
				     const struct request *request, struct objections *objections)
{
	struct domain_request target = { .domain = context_domain(context, 0) };
	int error = change_plan_level(change, &target, 1, 0, false);

	(void)request;
	if (!error)
		error = change_plan_base_freq(change, &target, 1, true, true);
	note(change, error, objections, &target.failure);
	return error;
}

/** The processor has up to 3100 MHz at level 1, and 3200 at level 0. What another program has
 * limited to 3100 MHz does not read as a limit before. */
MACHINE_TEST(base_freq_asks_for_as_much_as_a_limit_allows_at_another_level, "tests/uncore-levels")
{
	static const struct request LEVEL = { .name = "level", .plan = plan_level_with_base_freq };
	const struct outcome *outcome;

	check_made(machine,
		   (struct asked){ .cpus = "0", .level = 1, .min_mhz = -1, .max_mhz = 3100 },
		   "package 0, die 0: performance level: 0 -> 1\n");
	machine_set_file(machine, CPUFREQ(0, "max"), "3100000");
	outcome = machine_make(machine, &LEVEL, NULL);
	assert_string_equal(outcome->message, "");
	check_holds(outcome->warnings, "CPU 0: scaling_min_freq: wrote 3200000 kHz, read back "
				       "3100000 kHz: clipped");
	machine_check_file(machine, CPUFREQ(0, "min"), "3100000");
	machine_check_file(machine, CPUFREQ(1, "min"), "3200000");
}

MACHINE_TEST(limits_of_a_cpu_that_comes_online_follow_it, "tests/tiny")
{
	machine_look(machine);
	/* The kernel keeps them. */
	machine_set_file(machine, CPUFREQ(3, "min"), "2000000");
	machine_set_file(machine, CPUFREQ(3, "max"), "2500000");
	machine_set_file(machine, CPU "cpu3/online", "0");
	check_made(
		machine,
		(struct asked){ .cpus = "3", .all_online = true, .min_mhz = 2600, .max_mhz = 2800 },
		"CPU 3: online: 0 -> 1\n"
		"CPU 3: scaling_min_freq: 2000000 kHz -> no limit\n"
		"CPU 3: scaling_max_freq: 2500000 kHz -> 2800000 kHz\n"
		"CPU 3: scaling_min_freq: no limit -> 2600000 kHz\n");
	machine_set_file(machine, CPU "cpu3/online", "0");
	check_refused(machine, (struct asked){ .cpus = "3", .min_mhz = 2600, .max_mhz = 2800 },
		      -EOPNOTSUPP, "-95: CPU 3: it is offline, and has no limits of cpufreq\n");
}

MACHINE_TEST(limits_that_are_not_shown_while_turbo_is_off_are_written, "tests/tiny")
{
	machine_set_file(machine, CPU "intel_pstate/no_turbo", "1");
	/* The processor's highest frequency is 2000 MHz until turbo is on again. */
	asked = (struct asked){ .cpus = "0", .min_mhz = 2400, .max_mhz = 2700 };
	free(make_asked(machine));
	machine_check_file(machine, CPUFREQ(0, "max"), "2000000");
	asked = (struct asked){ .cpus = "1", .min_mhz = 1200, .max_mhz = 1800 };
	free(make_asked(machine));
	machine_check_file(machine, CPUFREQ(1, "max"), "1800000");
	machine_set_file(machine, CPU "intel_pstate/no_turbo", "0");
	machine_check_file(machine, CPUFREQ(0, "min"), "2400000");
	machine_check_file(machine, CPUFREQ(0, "max"), "2700000");
}

MACHINE_TEST(a_preset_platform_has_limits_of_cpufreq_too, "cascadelake-6230n")
{
	/* 800 to 3900 MHz. */
	check_made(machine, (struct asked){ .cpus = "6,39", .min_mhz = 2700, .max_mhz = 3900 },
		   "CPU 6: scaling_min_freq: no limit -> 2700000 kHz\n"
		   "CPU 39: scaling_min_freq: no limit -> 2700000 kHz\n");
}

MACHINE_TEST(a_machine_without_cpufreq_is_named, "tests/no-cpufreq")
{
	check_refused(machine, (struct asked){ .cpus = "0-1", .max_mhz = 2000 }, -EOPNOTSUPP,
		      "-95: CPU 0: cpufreq has no limits for it\n"
		      "-95: CPU 1: cpufreq has no limits for it\n");
	check_refused(machine, (struct asked){ .uncore = true, .max_mhz = 2000 }, -EOPNOTSUPP,
		      "-95: package 0, die 0: uncore limits: the kernel provides none (module "
		      "intel_uncore_frequency)\n");
}

/* ---- Limits of the uncore ---- */

/* tests/tiny: 800 to 2200 MHz. */

MACHINE_TEST(uncore_limits_of_a_die_never_cross, "tests/tiny")
{
	check_made(machine, (struct asked){ .uncore = true, .min_mhz = 1800, .max_mhz = 2000 },
		   "package 0, die 0: uncore max_freq_khz: 2200000 kHz -> 2000000 kHz\n"
		   "package 0, die 0: uncore min_freq_khz: 800000 kHz -> 1800000 kHz\n");
	check_made(machine, (struct asked){ .uncore = true, .min_mhz = 1000, .max_mhz = 1200 },
		   "package 0, die 0: uncore min_freq_khz: 1800000 kHz -> 1000000 kHz\n"
		   "package 0, die 0: uncore max_freq_khz: 2000000 kHz -> 1200000 kHz\n");
	check_made(machine, (struct asked){ .uncore = true, .min_mhz = 1400, .max_mhz = 2400 },
		   "package 0, die 0: uncore max_freq_khz: 1200000 kHz -> 2400000 kHz\n"
		   "package 0, die 0: uncore min_freq_khz: 1000000 kHz -> 1400000 kHz\n");
	/* The lower one goes with the upper one. */
	check_made(machine, (struct asked){ .uncore = true, .min_mhz = -1, .max_mhz = 1300 },
		   "package 0, die 0: uncore min_freq_khz: 1400000 kHz -> 1300000 kHz\n"
		   "package 0, die 0: uncore max_freq_khz: 2400000 kHz -> 1300000 kHz\n");
	check_made(machine, (struct asked){ .uncore = true, .min_mhz = 800, .max_mhz = 2200 },
		   "package 0, die 0: uncore min_freq_khz: 1300000 kHz -> 800000 kHz\n"
		   "package 0, die 0: uncore max_freq_khz: 1300000 kHz -> 2200000 kHz\n");
	check_made(machine, (struct asked){ .uncore = true, .min_mhz = 850, .max_mhz = 2250 }, "");
}

MACHINE_TEST(uncore_limits_that_no_kernel_takes_are_refused, "tests/tiny")
{
	check_refused(machine, (struct asked){ .uncore = true, .min_mhz = 2300, .max_mhz = -1 },
		      -EIO,
		      "-5: package 0, die 0: uncore limits: the minimum, 2300 MHz, is above the "
		      "maximum, 2200 MHz\n");
	check_refused(machine, (struct asked){ .uncore = true, .min_mhz = 50, .max_mhz = -1 }, -EIO,
		      "-5: package 0, die 0: uncore limits: the minimum is 50 MHz, and may be 100 "
		      "to 12700 MHz\n");
	check_refused(machine, (struct asked){ .uncore = true, .min_mhz = -1, .max_mhz = 12800 },
		      -EIO,
		      "-5: package 0, die 0: uncore limits: the maximum is 12800 MHz, and may be "
		      "100 to 12700 MHz\n");
	check_refused(machine, (struct asked){ .uncore = true, .fabric = 1, .max_mhz = 2000 },
		      -EOPNOTSUPP,
		      "-95: package 0, die 0: uncore limits of fabric 1: the kernel provides no "
		      "such fabric\n");
}

/** tests/tpmi-tiny: 800 to 2200 MHz in the two power domains with CPUs, to 2500 in that of I/O. */
MACHINE_TEST(uncore_limits_belong_to_power_domains, "tests/tpmi-tiny")
{
	check_made(machine, (struct asked){ .uncore = true, .min_mhz = -1, .max_mhz = 2200 },
		   "package 0, power domain 2: uncore max_freq_khz: 2500000 kHz -> 2200000 kHz\n");
	check_made(machine, (struct asked){ .uncore = true, .min_mhz = 1000, .max_mhz = -1 },
		   "package 0, power domain 0: uncore min_freq_khz: 800000 kHz -> 1000000 kHz\n"
		   "package 0, power domain 1: uncore min_freq_khz: 800000 kHz -> 1000000 kHz\n"
		   "package 0, power domain 2: uncore min_freq_khz: 800000 kHz -> 1000000 kHz\n");
	check_refused(machine, (struct asked){ .uncore = true, .fabric = 1, .max_mhz = 2000 },
		      -EOPNOTSUPP,
		      "-95: package 0, power domain 0: uncore limits of fabric 1: the kernel "
		      "provides no such fabric\n"
		      "-95: package 0, power domain 1: uncore limits of fabric 1: the kernel "
		      "provides no such fabric\n"
		      "-95: package 0, power domain 2: uncore limits of fabric 1: the kernel "
		      "provides no such fabric\n");
}

/* ---- Failures ---- */

/** Each write fails in turn, then each read. */
MACHINE_TEST(what_fails_leaves_all_as_it_was, "tests/tiny", "tests/tpmi-tiny")
{
	asked = (struct asked){ .cpus = "0-3", .uncore = true, .min_mhz = 900, .max_mhz = 2100 };
	/* Two limits of each CPU, and of each domain. */
	assert_true(fail_each_write(machine, &ASKED) >= 10);
	assert_true(fail_each_read(machine, &ASKED) >= 50);
}

/* ---- Reading ---- */

static void check_limits(struct frequency_limits limits, unsigned int min_mhz, unsigned int max_mhz)
{
	assert_int_equal(limits.min_khz, min_mhz * 1000);
	assert_int_equal(limits.max_khz, max_mhz * 1000);
}

static struct scaling_limits read_cpu(struct isst_context *context, unsigned int cpu)
{
	struct scaling_limits limits = { .cpu = context_cpu(context, cpu) };

	assert_int_equal(scaling_limits_read(context, &limits, 1), 0);
	return limits;
}

MACHINE_TEST(limits_of_cpufreq_are_read_with_what_none_is, "tests/tiny")
{
	struct scaling_limits limits;

	machine_look(machine);
	machine_set_file(machine, CPUFREQ(1, "min"), "1500000");
	machine_set_file(machine, CPUFREQ(1, "max"), "2500000");
	machine_set_file(machine, CPU "cpu3/online", "0");
	freed_by(isst_close) struct isst_context *context = machine_discover(machine);
	limits = read_cpu(context, 0);
	assert_int_equal(limits.failure.error, 0);
	check_limits(limits.now, 0, 0);
	check_limits(limits.processor, 800, 3000);
	limits = read_cpu(context, 1);
	check_limits(limits.now, 1500, 2500);
	limits = read_cpu(context, 3);
	assert_int_equal(limits.failure.error, -EOPNOTSUPP);
	assert_string_equal(limits.failure.message,
			    "CPU 3: it is offline, and has no limits of cpufreq");
}

MACHINE_TEST(a_limit_may_be_hidden_while_turbo_is_off, "tests/tiny")
{
	struct scaling_limits limits;

	machine_set_file(machine, CPU "intel_pstate/no_turbo", "1");
	freed_by(isst_close) struct isst_context *context = machine_discover(machine);
	limits = read_cpu(context, 0);
	assert_true(limits.hidden);
	check_limits(limits.processor, 800, 2000);
}

MACHINE_TEST(limits_of_the_uncore_are_read_with_those_of_boot, "tests/tpmi-tiny")
{
	struct uncore_limits limits[3] = { 0 };
	unsigned int count;

	check_made(machine, (struct asked){ .uncore = true, .min_mhz = 1000, .max_mhz = 2100 },
		   "package 0, power domain 0: uncore max_freq_khz: 2200000 kHz -> 2100000 kHz\n"
		   "package 0, power domain 1: uncore max_freq_khz: 2200000 kHz -> 2100000 kHz\n"
		   "package 0, power domain 2: uncore max_freq_khz: 2500000 kHz -> 2100000 kHz\n"
		   "package 0, power domain 0: uncore min_freq_khz: 800000 kHz -> 1000000 kHz\n"
		   "package 0, power domain 1: uncore min_freq_khz: 800000 kHz -> 1000000 kHz\n"
		   "package 0, power domain 2: uncore min_freq_khz: 800000 kHz -> 1000000 kHz\n");
	freed_by(isst_close) struct isst_context *context = machine_discover(machine);
	for (size_t i = 0; i < COUNT(limits); i++)
		limits[i].domain = context_domain(context, i);
	limits[1].fabric = 1;
	assert_int_equal(uncore_limits_read(context, limits, COUNT(limits)), 0);
	check_limits(limits[0].now, 1000, 2100);
	check_limits(limits[0].initial, 800, 2200);
	assert_int_equal(limits[1].failure.error, -EOPNOTSUPP);
	check_limits(limits[2].now, 1000, 2100);
	check_limits(limits[2].initial, 800, 2500);
	assert_int_equal(uncore_fabric_count(context, context_domain(context, 2), &count), 0);
	assert_int_equal(count, 1);
}

MACHINE_TEST(a_machine_without_limits_has_no_fabrics, "tests/no-cpufreq")
{
	struct uncore_limits limits = { 0 };
	unsigned int count = 7;

	freed_by(isst_close) struct isst_context *context = machine_discover(machine);
	limits.domain = context_domain(context, 0);
	assert_int_equal(uncore_fabric_count(context, limits.domain, &count), 0);
	assert_int_equal(count, 0);
	assert_int_equal(uncore_limits_read(context, &limits, 1), 0);
	assert_int_equal(limits.failure.error, -EOPNOTSUPP);
	assert_int_equal(read_cpu(context, 0).failure.error, -EOPNOTSUPP);
}
