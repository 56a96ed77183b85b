/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs that keep a context for long: what it handed out holds when CPUs come and go, and asking
 * again and again takes no more memory.
 */
#include "support/levels.h"
#include "transaction/support/heap.h"
#include "transaction/support/machines.h"

#include <unistd.h>

/* ---- Discovered anew ---- */

/** Takes all CPUs of a list on- or offline, as an administrator does. */
static void set_online(const struct machine *machine, const char *list, const char *value)
{
	struct isst_machine *opened = machine_open(machine);
	struct isst_cpuset *cpus = check_set(list);
	unsigned int cpu;

	isst_cpuset_for_each (cpu, cpus) {
		char path[64];

		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/online", cpu);
		assert_int_equal(opened->files->write(opened->data, path, value, 1), 0);
	}
	isst_cpuset_free(cpus);
	opened->release(opened);
}

static const struct isst_domain *domain_of_package(const struct isst_context *context,
						   unsigned int package)
{
	for (size_t i = 0; i < isst_domain_count(context); i++)
		if (context_domain(context, i)->package == package)
			return context_domain(context, i);
	return NULL;
}

/* CPUs of package 1 of four, of 40 cores each. */
#define PACKAGE_1 "40-79,200-239"

MACHINE_TEST(domains_keep_their_answers_when_others_come_before_them, "tests/icelake-4s40c")
{
	struct isst_level levels[4] = { 0 };

	set_online(machine, PACKAGE_1, "0");
	freed_by(isst_close) struct isst_context *context = machine_discover(machine);
	assert_int_equal(isst_domain_count(context), 3);
	levels[2].domain = domain_of_package(context, 2);
	levels[3].domain = domain_of_package(context, 3);
	set_online(machine, PACKAGE_1, "1");
	machine_faults(machine, "mailbox 0x7f/0x00 package 1 EBUSY\n");
	assert_int_equal(isst_discover(context), 0);
	assert_int_equal(isst_domain_count(context), 4);
	levels[0].domain = domain_of_package(context, 0);
	levels[1].domain = domain_of_package(context, 1);
	assert_ptr_equal(levels[2].domain, domain_of_package(context, 2));
	assert_int_equal(levels[2].domain->index, 2);
	assert_int_equal(level_read_parts(context, levels, 4, ISST_LEVELS_ALL), 0);
	for (size_t i = 0; i < 4; i++) {
		if (i == 1) {
			assert_int_equal(levels[i].failure.error, -EIO);
			continue;
		}
		assert_int_equal(levels[i].failure.error, 0);
		assert_non_null(levels[i].cpus);
	}
	for (size_t i = 0; i < 4; i++)
		level_clear(&levels[i]);
}

/** Nothing of a domain that is gone is read or planned. */
static void check_gone(struct isst_context *context, const struct isst_domain *domain,
		       const struct isst_cpu *cpu)
{
	struct isst_change_options options = { .dry_run = true };
	struct isst_perf_profile profile = { .domain = domain };
	struct isst_level level = { .domain = domain };
	struct isst_core_power state = { .domain = domain };
	struct isst_clos clos = { .domain = domain };
	struct isst_clos_association association = { .cpu = cpu };
	struct isst_turbo_ratio_limits limits = { .domain = domain };
	struct domain_request request = { .domain = domain };
	struct domain_request cpu_request = { .cpu = cpu };
	struct turbo_freq_request turbo_freq = { .enable = true };
	freed_by(isst_change_free) struct isst_change *change = NULL;

	assert_int_equal(perf_profile_read(context, &profile, 1), 0);
	assert_int_equal(profile.failure.error, -ESTALE);
	assert_non_null(strstr(profile.failure.message, "no longer exists"));
	assert_int_equal(level_read_parts(context, &level, 1, ISST_LEVELS_ALL), 0);
	assert_int_equal(level.failure.error, -ESTALE);
	assert_int_equal(core_power_read(context, &state, 1), 0);
	assert_int_equal(state.failure.error, -ESTALE);
	assert_int_equal(clos_read(context, &clos, 1), 0);
	assert_int_equal(clos.failure.error, -ESTALE);
	assert_int_equal(clos_association_read(context, &association, 1), 0);
	assert_int_equal(association.failure.error, -ESTALE);
	assert_int_equal(turbo_ratio_limits_read(context, &limits, 1), 0);
	assert_int_equal(limits.failure.error, -ESTALE);

	assert_int_equal(isst_change_new(context, &options, &change), 0);
	assert_int_equal(change_plan_level(change, &request, 1, 1, true), -ESTALE);
	assert_int_equal(change_plan_base_freq(change, &request, 1, true, true), -ESTALE);
	assert_int_equal(change_plan_turbo_freq(change, &request, 1, &turbo_freq), -ESTALE);
	assert_int_equal(change_plan_core_power(change, &request, 1, true, ISST_KEEP_PRIORITY),
			 -ESTALE);
	clos.max_mhz = ISST_CLOS_NO_LIMIT_MHZ;
	assert_int_equal(change_plan_clos(change, &request, 1, &clos, UINT32_MAX), -ESTALE);
	assert_int_equal(change_plan_association(change, &cpu_request, 1, 0), -ESTALE);
	assert_int_equal(change_plan_turbo_ratio_limits(change, &request, 1, 1), -ESTALE);
	assert_int_equal(change_plan_turbo_mode(change, &cpu_request, 1, true), -ESTALE);
}

MACHINE_TEST(a_domain_that_disappeared_is_refused_until_it_returns, "tests/icelake-4s40c")
{
	struct isst_perf_profile profile = { 0 };
	const struct isst_domain *gone, *last;
	const struct isst_cpu *cpu;

	freed_by(isst_close) struct isst_context *context = machine_discover(machine);
	gone = domain_of_package(context, 1);
	last = domain_of_package(context, 3);
	cpu = context_cpu(context, 40);
	set_online(machine, PACKAGE_1, "0");
	assert_int_equal(isst_discover(context), 0);
	assert_int_equal(isst_domain_count(context), 3);
	assert_false(gone->has_cpu);
	check_cpus(gone->online, "");
	assert_false(cpu->online);
	check_gone(context, gone, cpu);
	/* The table of an earlier call had a place for index 3. */
	assert_int_equal(last->index, 2);
	profile.domain = last;
	assert_int_equal(perf_profile_read(context, &profile, 1), 0);
	assert_int_equal(profile.failure.error, 0);
	/* Gone for two discoveries, and back. */
	assert_int_equal(isst_discover(context), 0);
	check_gone(context, gone, cpu);
	set_online(machine, PACKAGE_1, "1");
	assert_int_equal(isst_discover(context), 0);
	assert_ptr_equal(domain_of_package(context, 1), gone);
	assert_ptr_equal(context_cpu(context, 40), cpu);
	assert_ptr_equal(cpu->domain, gone);
	assert_true(cpu->online);
	profile.domain = gone;
	assert_int_equal(perf_profile_read(context, &profile, 1), 0);
	assert_int_equal(profile.failure.error, 0);
}

/** Plans a change for packages 1 and 3, made before the first of them disappeared: of CPUs or
 * domains. */
static struct isst_change *plan_with_gone(struct isst_context *context,
					  const struct isst_targets *targets, bool for_cpus,
					  enum target_policy policy)
{
	struct isst_change_options options = { .dry_run = true, .targets = policy };
	struct isst_request *request = isst_request_new();
	struct isst_results *results;
	struct isst_change *change;

	assert_int_equal(isst_change_new(context, &options, &change), 0);
	assert_int_equal(
		isst_request_set(request, for_cpus ? ISST_VALUE_CLOS : ISST_VALUE_LEVEL, 1), 0);
	assert_int_equal(
		for_cpus ? isst_change_add(change, ISST_SET_CLOS_ASSOCIATIONS, targets, request, 0,
					   &results)
			 : isst_change_add(change, ISST_SET_LEVEL, targets, request, 0, &results),
		ISST_PARTIAL);
	assert_int_equal(isst_result_error(isst_results_at(results, 0), ISST_PART_RESULT), -ESTALE);
	check_holds(isst_result_message(isst_results_at(results, 0), ISST_PART_RESULT),
		    "no longer exists");
	assert_int_equal(isst_result_error(isst_results_at(results, 1), ISST_PART_RESULT), 0);
	isst_results_free(results);
	isst_request_free(request);
	return change;
}

static void check_plans_with_gone(struct isst_context *context, const struct isst_targets *targets,
				  bool for_cpus)
{
	struct isst_change *change;

	change = plan_with_gone(context, targets, for_cpus, ISST_SKIP_UNSUPPORTED);
	assert_int_equal(isst_change_check(change), -ESTALE);
	assert_int_equal(isst_change_run(change), -ESTALE);
	isst_change_free(change);
	change = plan_with_gone(context, targets, for_cpus, ISST_SKIP_FAILED);
	assert_int_equal(isst_change_check(change), 0);
	assert_int_equal(isst_change_run(change), ISST_PARTIAL);
	assert_non_null(isst_change_step_at(change, 0));
	isst_change_free(change);
}

MACHINE_TEST(targets_that_disappeared_are_left_out_as_others_that_fail, "tests/icelake-4s40c")
{
	struct isst_targets *domains, *cpus, *none_left;
	struct isst_change_options options = { .dry_run = true, .targets = ISST_SKIP_FAILED };
	freed_by(isst_cpuset_free) struct isst_cpuset *set = check_set("40,120");
	const struct isst_domain *gone;
	struct isst_change *change;

	freed_by(isst_close) struct isst_context *context = machine_discover(machine);
	gone = domain_of_package(context, 1);
	domains = isst_targets_new(context);
	assert_int_equal(isst_targets_add_domain(domains, gone), 0);
	none_left = isst_targets_new(context);
	assert_int_equal(isst_targets_add_domain(none_left, gone), 0);
	assert_int_equal(isst_targets_add_domain(domains, domain_of_package(context, 3)), 0);
	cpus = isst_targets_new(context);
	assert_int_equal(isst_targets_add_cpus(cpus, set), 0);
	set_online(machine, PACKAGE_1, "0");
	assert_int_equal(isst_discover(context), 0);
	assert_false(isst_domain_is_io(gone));
	check_plans_with_gone(context, domains, false);
	check_plans_with_gone(context, cpus, true);
	assert_int_equal(isst_change_new(context, &options, &change), 0);
	assert_int_equal(
		isst_change_add(change, ISST_SET_BASE_FREQ, none_left, NULL, ISST_ADD_ENABLE, NULL),
		-ESTALE);
	assert_int_equal(isst_change_run(change), -ESTALE);
	isst_change_free(change);
	isst_targets_free(none_left);
	isst_targets_free(domains);
	isst_targets_free(cpus);
}

MACHINE_TEST(a_discovery_that_fails_leaves_the_notices, "tests/tiny")
{
	machine_change(machine, "model = 0x6a", "model = 0x6b");
	freed_by(isst_close) struct isst_context *context = machine_discover(machine);
	check_holds(isst_message_text(isst_notice_at(context, 0)), "model 0x6b");
	machine_faults(machine, "read /sys/devices/system/cpu/online EIO\n");
	assert_int_equal(isst_discover(context), -EIO);
	check_holds(isst_message_text(isst_notice_at(context, 0)), "model 0x6b");
	assert_null(isst_notice_at(context, 1));
	assert_int_equal(isst_domain_count(context), 1);
	/* That was one of isst_discover(). */
	machine_faults(machine, "%s", "");
	assert_int_equal(isst_discover(context), 0);
	assert_null(isst_notice_at(context, 0));
}

/** Whether a level change would set limits of the uncore in the first domain. */
static bool sets_uncore(struct isst_context *context)
{
	struct isst_change_options options = { .dry_run = true };
	struct domain_request request = { .domain = context_domain(context, 0) };
	const struct isst_change_step *step;
	struct isst_change *change;
	bool found = false;

	assert_int_equal(isst_change_new(context, &options, &change), 0);
	assert_int_equal(change_plan_level(change, &request, 1, 1, true), 0);
	assert_int_equal(change_run(change), 0);
	for (size_t i = 0; (step = change_listed_step(change, i)) != NULL; i++)
		found |= strstr(step->target, "uncore") != NULL;
	isst_change_free(change);
	return found;
}

/** Its directories come and go with a module of the kernel. */
MACHINE_TEST(the_uncore_is_discovered_again, "tests/tpmi-tiny")
{
	machine_faults(machine, "read /sys/devices/system/cpu/intel_uncore_frequency/*/package_id "
				"ENOENT\n");
	freed_by(isst_close) struct isst_context *context = machine_discover(machine);
	assert_false(sets_uncore(context));
	machine_faults(machine, "%s", "");
	assert_int_equal(isst_discover(context), 0);
	assert_true(sets_uncore(context));
}

MACHINE_TEST(objects_of_another_context_and_null_are_refused, "guide")
{
	struct isst_perf_profile profiles[2] = { 0 };
	struct isst_clos_association associations[2] = { 0 };

	freed_by(isst_close) struct isst_context *context = machine_discover(machine);
	freed_by(isst_close) struct isst_context *other = machine_discover(machine);
	profiles[1].domain = context_domain(other, 0);
	associations[1].cpu = context_cpu(other, 0);
	assert_int_equal(perf_profile_read(context, profiles, 2), 0);
	assert_int_equal(profiles[0].failure.error, -EINVAL);
	assert_int_equal(profiles[1].failure.error, -EINVAL);
	assert_int_equal(clos_association_read(context, associations, 2), 0);
	assert_int_equal(associations[0].failure.error, -EINVAL);
	assert_int_equal(associations[1].failure.error, -EINVAL);
}

/* ---- Memory ---- */

enum { WARM_UP = 3, MOST_DOMAINS = 64, LEVELS = 3 };

/** More than this many bytes is growth; less is a buffer of the C library. */
enum { SLACK = 512 };

/** The C library counts freed memory that it keeps at hand as used: it shall keep none. */
static void count_exactly(char **arguments)
{
	if (getenv("GLIBC_TUNABLES"))
		return;
	setenv("GLIBC_TUNABLES", "glibc.malloc.tcache_count=0:glibc.malloc.mxfast=0", 1);
	execv("/proc/self/exe", arguments);
}

/** Rounds of polling: as many as an environment variable specifies, for longer manual runs. */
static unsigned int rounds(void)
{
	const char *text = getenv("ISST_POLLING_ROUNDS");

	return text ? (unsigned int)strtoul(text, NULL, 10) : 60;
}

/** Reads all that can be read, without a look at what comes out. */
static void read_everything(struct isst_context *context)
{
	static struct isst_level levels[MOST_DOMAINS * LEVELS];
	size_t count = isst_domain_count(context);
	struct isst_perf_profile profiles[MOST_DOMAINS] = { 0 };
	struct isst_core_power states[MOST_DOMAINS] = { 0 };
	struct isst_clos clos[MOST_DOMAINS] = { 0 };
	struct isst_turbo_ratio_limits limits[MOST_DOMAINS] = { 0 };
	struct isst_clos_association associations[MOST_DOMAINS] = { 0 };
	size_t cpus = 0;
	unsigned int cpu;

	assert_in_range(count, 1, MOST_DOMAINS);
	for (size_t i = 0; i < count; i++) {
		profiles[i].domain = states[i].domain = context_domain(context, i);
		clos[i].domain = limits[i].domain = context_domain(context, i);
		for (unsigned int k = 0; k < LEVELS; k++)
			levels[i * LEVELS + k] = (struct isst_level){
				.domain = context_domain(context, i), .level = k
			};
	}
	isst_cpuset_for_each (cpu, isst_online_cpus(context))
		if (cpus < MOST_DOMAINS && context_cpu(context, cpu))
			associations[cpus++].cpu = context_cpu(context, cpu);
	perf_profile_read(context, profiles, count);
	level_read_parts(context, levels, count * LEVELS, ISST_LEVELS_ALL);
	core_power_read(context, states, count);
	clos_read(context, clos, count);
	turbo_ratio_limits_read(context, limits, count);
	clos_association_read(context, associations, cpus);
	for (size_t i = 0; i < count * LEVELS; i++)
		level_clear(&levels[i]);
}

/** Polls a machine on which @faults are at work. */
static void poll_machine(const char *platform, const char *faults, bool rediscover)
{
	struct isst_context *context;
	size_t before = 0;

	automachine struct machine machine = machine_begin(platform);
	context = machine_discover(&machine);
	machine_faults(&machine, "%s", faults);
	for (unsigned int i = 0; i < WARM_UP + rounds(); i++) {
		if (i == WARM_UP)
			before = heap_in_use();
		if (rediscover)
			isst_discover(context);
		read_everything(context);
	}
	if (heap_in_use() > before + SLACK)
		fail_msg("%s, '%s': %zu bytes more after %u rounds", platform, faults,
			 heap_in_use() - before, rounds());
	isst_close(context);
}

/* Each reading of each domain fails in its own way, or does not. */
#define MAILBOX_FAULTS \
	"mailbox 0x7f/0x05 EBUSY\nmailbox 0x94/0x03 ENXIO\nmsr 0x1ad EIO\nmmio any EINVAL\n"
#define TPMI_FAULTS \
	"tpmi perf-level-info ENOTTY\ntpmi core-power ENOTTY\nmsr 0x1ad EIO\ntpmi clos-assoc ENOTTY\n"

TEST(C3_polling_takes_no_memory_on_a_healthy_machine)
{
	poll_machine("guide", "", false);
	poll_machine("tests/tpmi-tiny", "", false);
}

TEST(C3_polling_takes_no_memory_on_a_failing_machine)
{
	poll_machine("guide", MAILBOX_FAULTS, false);
	poll_machine("tests/tpmi-tiny", TPMI_FAULTS, false);
}

TEST(C3_repeated_discovery_takes_no_memory)
{
	poll_machine("guide", "", true);
	poll_machine("guide", "phy-id cpu 3 EINVAL\n", true);
	poll_machine("tests/tpmi-tiny", "", true);
	poll_machine("tests/tpmi-tiny", "phy-id EIO\n", true);
	poll_machine("tests/tpmi-partly-bound", "", true);
}

int main(int count, char **arguments)
{
	(void)count;
	count_exactly(arguments);
	return test_main(NULL, NULL);
}
