/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * States of machines as configurations: what was read, applied after anything else was changed,
 * gives the machine back register for register.
 *
 * ISST_STATES: how many random states of each platform, in place of a few; ISST_SEED: the first
 * one; ISST_STORY: with what was done on standard error. A platform may be named, to look at it
 * alone.
 */
#include "transaction/support/states.h"
#include "support/levels.h"
#include "transaction/support/rests.h"

TEST_ON(states_are_configurations, "tests/multi-die", "guide", "graniterapids-unlocked",
	"icelake-2s36c", "cooperlake", "cascadelake-6230n")
{
	states_of_platform(*state, 1);
}

TEST_ON(several_states_are_configurations, "tests/tiny", "tests/tpmi-tiny", "tests/features-on",
	"tests/tpmi-booted")
{
	states_of_platform(*state, 3);
}

/* ---- What the defaults are ---- */

enum { NO_LIMIT_MHZ = 25500 };

/** Features off; classes without limits and weight, and all cores in the first one. */
static void check_defaults(struct isst_context *context, const struct isst_domain *domain)
{
	struct isst_level level = { .domain = domain };
	struct isst_core_power core_power = { .domain = domain };

	assert_int_equal(level_read_parts(context, &level, 1, ISST_LEVEL_FEATURES), 0);
	assert_int_not_equal(level.turbo_freq, ISST_FEATURE_ENABLED);
	assert_int_not_equal(level.base_freq, ISST_FEATURE_ENABLED);
	level_clear(&level);
	assert_int_equal(core_power_read(context, &core_power, 1), 0);
	assert_false(core_power.enabled);
	for (unsigned int i = 0; i < 4; i++) {
		struct isst_clos clos = { .domain = domain, .clos = i };

		assert_int_equal(clos_read(context, &clos, 1), 0);
		assert_int_equal(clos.min_mhz, 0);
		assert_int_equal(clos.max_mhz, NO_LIMIT_MHZ);
		assert_int_equal(clos.weight, 0);
	}
}

/** On servers that boot with features on, and a class whose maximum is 0. */
TEST(a_reset_ends_at_the_defaults)
{
	static const char *const PLATFORMS[] = { "tests/tpmi-booted", "tests/features-on" };

	for (size_t i = 0; i < COUNT(PLATFORMS); i++) {
		struct isst_clos_association association = { 0 };
		struct isst_context *context;

		automachine struct machine machine = machine_begin(PLATFORMS[i]);
		assert_true(states_apply(&machine, 0, STATES_DEFAULTS, NULL));
		context = machine_lock(&machine);
		assert_int_equal(isst_discover(context), 0);
		for (size_t j = 0; j < isst_domain_count(context); j++)
			check_defaults(context, context_domain(context, j));
		association.cpu = context_cpu(context, 0);
		assert_int_equal(clos_association_read(context, &association, 1), 0);
		assert_int_equal(association.clos, 0);
		isst_close(context);
	}
}

/* ---- Comparing disturbs nobody ---- */

static void check_text(const struct machine *machine, const char *text, int expected)
{
	freed_by(isst_config_free) struct isst_config *config = isst_config_new();
	freed_by(isst_close) struct isst_context *context = machine_discover(machine);
	int error;

	assert_int_equal(isst_config_add_text(config, "text", text, strlen(text), 0), 0);
	error = isst_config_check(config, context, 0);
	if (error != expected)
		fail_msg("%s: %d: %s, of %s", machine->name, error, isst_error(context), text);
}

/** By TPMI an MSR or a file of cpufreq is read on the CPU that it is of, which wakes that. */
MACHINE_TEST(a_check_asks_no_cpu_for_what_is_not_mentioned, "graniterapids-2s128c")
{
	static const char TPMI[] = "level 0\nturbo-freq off\nbase-freq off\n"
				   "core-power off\nclos 0-3: min 0 max 2000 weight 3\n"
				   "association 0\nuncore-max none\ncpus online\n";

	machine_look(machine);
	machine_faults(machine, "msr any EIO\n"
				"read /sys/devices/system/cpu/cpu*/cpufreq/* EIO\n"
				"list /sys/devices/system/cpu/cpu*/cpufreq EIO\n");
	check_text(machine, TPMI, 0);
	/* What would be seen if they were asked. */
	check_text(machine, "turbo-ratio-limits none", -EIO);
	check_text(machine, "scaling-max none", -EIO);
	machine_faults(machine, "%s", "");
}

int main(void)
{
	rests_end_at_once();
	return test_main(NULL, NULL);
}
