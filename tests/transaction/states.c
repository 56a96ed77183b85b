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
#include "transaction/support/rests.h"

struct plan {
	const char *platform;
	unsigned int states;
};

static void states_are_configurations(void **state)
{
	const struct plan *plan = *state;

	states_of_platform(plan->platform, plan->states);
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
static void a_reset_ends_at_the_defaults(void **state)
{
	static const char *const PLATFORMS[] = { "tests/tpmi-booted", "tests/features-on" };

	(void)state;
	for (size_t i = 0; i < COUNT(PLATFORMS); i++) {
		struct isst_clos_association association = { 0 };
		struct isst_context *context;
		struct machine machine;

		machine_begin(&machine, PLATFORMS[i]);
		assert_true(states_apply(&machine, 0, STATES_DEFAULTS, NULL));
		context = machine_lock(&machine);
		assert_int_equal(isst_discover(context), 0);
		for (size_t j = 0; j < isst_domain_count(context); j++)
			check_defaults(context, context_domain(context, j));
		association.cpu = context_cpu(context, 0);
		assert_int_equal(clos_association_read(context, &association, 1), 0);
		assert_int_equal(association.clos, 0);
		isst_close(context);
		machine_end(&machine);
	}
}

/* ---- Comparing disturbs nobody ---- */

static void check_text(const struct machine *machine, const char *text, int expected)
{
	struct isst_options options = { .machine = machine_open(machine) };
	struct isst_config *config = isst_config_new();
	struct isst_context *context;
	int error;

	assert_int_equal(isst_open(&options, &context), 0);
	assert_int_equal(isst_discover(context), 0);
	assert_int_equal(isst_config_add_text(config, "text", text, strlen(text), 0), 0);
	error = isst_config_check(config, context, 0);
	if (error != expected)
		fail_msg("%s: %d: %s, of %s", machine->name, error, isst_error(context), text);
	isst_config_free(config);
	isst_close(context);
}

/** By TPMI an MSR or a file of cpufreq is read on the CPU that it is of, which wakes that. */
static void a_check_asks_no_cpu_for_what_is_not_mentioned(void **state)
{
	static const char TPMI[] = "level 0\nturbo-freq off\nbase-freq off\n"
				   "core-power off\nclos 0-3 min 0 max 2000 weight 3\n"
				   "association 0 = all\nuncore-max none\ncpus online\n";
	struct machine machine;

	(void)state;
	machine_begin(&machine, "graniterapids-2s128c");
	machine_look(&machine);
	machine_faults(&machine, "msr any EIO\n"
				 "read /sys/devices/system/cpu/cpu*/cpufreq/* EIO\n"
				 "list /sys/devices/system/cpu/cpu*/cpufreq EIO\n");
	check_text(&machine, TPMI, 0);
	/* What would be seen if they were asked. */
	check_text(&machine, "turbo-ratio-limits none", -EIO);
	check_text(&machine, "scaling-max none", -EIO);
	machine_faults(&machine, "%s", "");
	machine_end(&machine);
}

int main(int count, char **words)
{
	static struct plan plans[] = {
		{ "tests/tiny", 4 },
		{ "tests/tpmi-tiny", 4 },
		{ "tests/features-on", 2 },
		{ "tests/tpmi-booted", 2 },
		{ "tests/multi-die", 1 },
		{ "guide", 1 },
		{ "graniterapids-unlocked", 1 },
		{ "icelake-2s36c", 1 },
		{ "cooperlake", 1 },
		{ "cascadelake-6230n", 1 },
	};
	struct CMUnitTest tests[COUNT(plans) + 2];
	size_t chosen = 0;

	for (size_t i = 0; i < COUNT(plans); i++)
		if (count < 2 || strcmp(words[1], plans[i].platform) == 0)
			tests[chosen++] = (struct CMUnitTest){ plans[i].platform,
							       states_are_configurations, NULL,
							       NULL, &plans[i] };
	/* Any other one. */
	if (count > 1 && chosen == 0) {
		plans[0].platform = words[1];
		tests[chosen++] = (struct CMUnitTest){ words[1], states_are_configurations, NULL,
						       NULL, &plans[0] };
	}
	if (count < 2) {
		tests[chosen++] = (struct CMUnitTest)cmocka_unit_test(a_reset_ends_at_the_defaults);
		tests[chosen++] = (struct CMUnitTest)cmocka_unit_test(
			a_check_asks_no_cpu_for_what_is_not_mentioned);
	}
	rests_end_at_once();
	return _cmocka_run_group_tests("states as configurations", tests, chosen, NULL, NULL);
}
