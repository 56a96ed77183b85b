/* SPDX-License-Identifier: BSD-3-Clause */
/* What TPMI requests set, and how driver and firmware refuse. */
#include "emulator/tpmi_calls.h"

#include <signal.h>
#include <sys/wait.h>

enum { BF = 1, TF = 2 };

TEST_MACHINE(a_level_change_changes_one_power_domain, "tests/tpmi-tiny")
{
	assert_int_equal(set_level(e, 0, 1, 1), 0);
	assert_int_equal(levels(e, 0, 1).current_level, 1);
	assert_int_equal(levels(e, 0, 0).current_level, 0);
	assert_int_equal(levels(e, 0, 2).current_level, 0);
	assert_int_equal(set_level(e, 0, 2, 1), 0); /* IO domains have levels too */
	assert_int_equal(levels(e, 0, 2).current_level, 1);
}

TEST_MACHINE(a_level_change_switches_the_features_off, "tests/tpmi-tiny")
{
	assert_int_equal(set_features(e, 0, 0, BF | TF), 0);
	assert_int_equal(levels(e, 0, 0).feature_state, BF | TF);
	assert_int_equal(levels(e, 0, 1).feature_state, 0);
	assert_int_equal(set_level(e, 0, 0, 1), 0);
	assert_int_equal(levels(e, 0, 0).feature_state, 0);
}

/* PERF_SET_FEATURE is a read-modify-write of the register that also holds the level requested last:
 * isst_tpmi_core.c, _write_pp_info. */
TEST_MACHINE(a_feature_write_requests_the_last_requested_level, "tests/tpmi-tiny")
{
	rules(e, "tpmi perf-levels power-domain 0 times 1 then level 1 power-domain 0\n");
	assert_int_equal(set_features(e, 0, 0, TF), 0);
	assert_int_equal(levels(e, 0, 0).current_level, 0);
	assert_int_equal(levels(e, 0, 0).current_level, 1);
	assert_int_equal(levels(e, 0, 0).feature_state, TF);
	assert_int_equal(levels(e, 0, 1).current_level, 0);
	assert_int_equal(set_features(e, 0, 0, 0), 0);
	assert_int_equal(levels(e, 0, 0).current_level, 0);
	/* A level that the driver has set is the one that is requested. */
	assert_int_equal(set_level(e, 0, 0, 1), 0);
	assert_int_equal(set_features(e, 0, 0, TF), 0);
	assert_int_equal(levels(e, 0, 0).current_level, 1);
}

TEST_MACHINE(levels_that_the_driver_refuses, "tests/tpmi-tiny")
{
	assert_int_equal(set_level(e, 0, 0, 0), -ENOTTY); /* the current one */
	assert_int_equal(set_level(e, 0, 0, 2), -ENOTTY); /* a hole */
	assert_int_equal(set_level(e, 0, 0, 3), -ENOTTY); /* not allowed */
	assert_int_equal(set_level(e, 0, 0, 4), -ENOTTY); /* above the highest */
	assert_int_equal(set_level(e, 0, 0, 255), -ENOTTY);
	assert_int_equal(set_level(e, 0, 3, 1), -ENOTTY); /* no such power domain */
	assert_int_equal(set_level(e, 1, 0, 1), -ENOTTY); /* no such socket */
	assert_int_equal(levels(e, 0, 0).current_level, 0);
}

TEST_MACHINE(a_locked_level_stays, "tests/tpmi-locked")
{
	assert_int_equal(levels(e, 0, 0).locked, 1);
	assert_int_equal(set_level(e, 0, 0, 1), -ENOTTY);
	assert_int_equal(levels(e, 0, 0).current_level, 0);
	assert_msr(e, 0, 0x64b, UINT64_C(1) << 31);
	/* Features are not locked. */
	assert_int_equal(set_features(e, 0, 0, BF), 0);
	assert_int_equal(levels(e, 0, 0).feature_state, BF);
}

TEST_MACHINE(without_its_lock_the_level_changes, NULL)
{
	prepare(e, "tests/tpmi-locked");
	e->target.unlock = true;
	open_machine(e);
	assert_int_equal(levels(e, 0, 0).locked, 0);
	assert_int_equal(set_level(e, 0, 0, 1), 0);
}

TEST_MACHINE(without_hwp_only_classes_can_be_set, "tests/tpmi-hwp-off")
{
	struct abi_core_power power = { .enable = 1 };
	struct abi_clos_param param = { .clos = 1, .min_freq_mhz = 1000, .max_freq_mhz = 2000 };
	uint16_t class = 1;

	assert_int_equal(set_level(e, 0, 0, 1), -ENOTTY);
	assert_int_equal(set_features(e, 0, 0, BF), -ENOTTY);
	assert_int_equal(core_power(e, 0, 0, true, &power), -ENOTTY);
	assert_int_equal(core_power(e, 0, 0, false, &power), 0);
	assert_int_equal(clos(e, 0, 0, true, &param), 0);
	assert_int_equal(associate_one(e, 0, 0, true, &class), 0);
}

TEST_MACHINE(sets_take_the_capability, "tests/tpmi-tiny")
{
	struct abi_core_power power = { .enable = 1 };
	struct abi_clos_param param = { .max_freq_mhz = 2000 };
	uint16_t class = 1;

	rules(e, "capability denied\n");
	assert_int_equal(set_level(e, 0, 0, 1), -ENOTTY);
	assert_int_equal(set_features(e, 0, 0, BF), -ENOTTY);
	assert_int_equal(core_power(e, 0, 0, true, &power), -ENOTTY);
	assert_int_equal(clos(e, 0, 0, true, &param), -ENOTTY);
	assert_int_equal(associate_one(e, 0, 0, true, &class), -ENOTTY);
	assert_int_equal(core_power(e, 0, 0, false, &power), 0);
	assert_int_equal(clos(e, 0, 0, false, &param), 0);
	assert_class(e, 0, 0, 0);
}

/** The driver accepts it, for it does not look; firmware keeps what it has. */
TEST_MACHINE(a_feature_that_the_level_lacks_does_not_come, "tests/tpmi-tiny")
{
	assert_int_equal(set_level(e, 0, 0, 1), 0);
	assert_int_equal(set_features(e, 0, 0, BF | TF), 0);
	assert_int_equal(levels(e, 0, 0).feature_state, TF);
	assert_int_equal(set_features(e, 0, 0, 4), -ENOTTY);
	assert_int_equal(set_features(e, 0, 0, 0), 0);
	assert_int_equal(levels(e, 0, 0).feature_state, 0);
}

TEST_MACHINE(core_power_state, "tests/tpmi-tiny")
{
	struct abi_core_power power = { .enable = 1, .priority_type = 1 };

	assert_int_equal(core_power(e, 0, 0, true, &power), 0);
	power = (struct abi_core_power){ 0 };
	check_request(e, ABI_CORE_POWER_STATE, power,
		      { .enable = 1, .supported = 1, .priority_type = 1 });
	assert_int_equal(core_power(e, 0, 1, false, &power), 0);
	assert_int_equal(power.enable, 0);
	power.enable = 2;
	assert_int_equal(core_power(e, 0, 0, true, &power), -ENOTTY);
	power = (struct abi_core_power){ .priority_type = 2 };
	assert_int_equal(core_power(e, 0, 0, true, &power), -ENOTTY);
}

TEST_MACHINE(core_power_does_not_come_where_it_is_not_supported, "tests/tpmi-odd")
{
	struct abi_core_power power = { .enable = 1 };

	assert_int_equal(core_power(e, 0, 2, true, &power), 0);
	assert_int_equal(core_power(e, 0, 2, false, &power), 0);
	assert_int_equal(power.enable, 0);
	assert_int_equal(power.supported, 0);
}

static void assert_clos(struct emulated *e, uint8_t domain, uint8_t number, uint8_t weight,
			uint16_t min_mhz, uint16_t max_mhz)
{
	struct abi_clos_param param = { .power_domain_id = domain, .clos = number };

	check_request(e, ABI_CLOS_PARAM, param,
		      { 0, 0, domain, number, min_mhz, max_mhz, weight, 0 });
}

TEST_MACHINE(classes_of_service, "tests/tpmi-tiny")
{
	struct abi_clos_param param = {
		.clos = 2, .prop_prio = 9, .min_freq_mhz = 1250, .max_freq_mhz = 25599
	};

	assert_int_equal(clos(e, 0, 0, true, &param), 0);
	assert_clos(e, 0, 2, 9, 1200, 25500);
	assert_clos(e, 0, 1, 0, 0, 25500);
	param = (struct abi_clos_param){ .clos = 3, .prop_prio = 15, .min_freq_mhz = 25500 };
	assert_int_equal(clos(e, 0, 1, true, &param), 0);
	assert_clos(e, 1, 3, 15, 25500, 0);
	param.clos = 4;
	assert_int_equal(clos(e, 0, 0, false, &param), -ENOTTY);
	param = (struct abi_clos_param){ .prop_prio = 16 };
	assert_int_equal(clos(e, 0, 0, true, &param), -ENOTTY);
	param = (struct abi_clos_param){ .max_freq_mhz = 25600 };
	assert_int_equal(clos(e, 0, 0, true, &param), -ENOTTY);
}

TEST_MACHINE(associations_of_cores, "tests/tpmi-tiny")
{
	struct associations batch = { .entry = {
					      { 0, 0, 0, 1 }, { 0, 0, 3, 2 }, { 0, 1, 63, 3 } } };

	assert_int_equal(associate(e, true, 3, &batch), 0);
	for (size_t i = 0; i < 3; i++)
		batch.entry[i].clos = 0;
	assert_int_equal(associate(e, false, 3, &batch), 0);
	assert_int_equal(batch.entry[0].clos, 1);
	assert_int_equal(batch.entry[1].clos, 2);
	assert_int_equal(batch.entry[2].clos, 3);
	assert_class(e, 0, 1, 0);
}

TEST_MACHINE(a_failing_batch_has_done_what_comes_before, "tests/tpmi-tiny")
{
	struct associations batch = { .entry = {
					      { 0, 0, 0, 1 }, { 0, 0, 64, 1 }, { 0, 0, 1, 1 } } };

	assert_int_equal(associate(e, true, 3, &batch), -ENOTTY);
	assert_class(e, 0, 0, 1);
	assert_class(e, 0, 1, 0);
}

TEST_MACHINE(associations_that_the_driver_refuses, "tests/tpmi-tiny")
{
	struct associations batch = { 0 };
	uint16_t class = 4;

	assert_int_equal(associate(e, false, 0, &batch), -ENOTTY);
	assert_int_equal(associate(e, false, 65, &batch), -ENOTTY);
	assert_int_equal(associate(e, false, 64, &batch), 0);
	assert_int_equal(associate_one(e, 0, 0, false, &class), -ENOTTY); /* a get, too */
	class = 0;
	assert_int_equal(associate_one(e, 3, 0, false, &class), -ENOTTY); /* out of range */
	batch.entry[0] = (struct abi_clos_assoc){ 1, 0, 0, 0 };
	assert_int_equal(associate(e, false, 1, &batch), -ENOTTY); /* no such socket */
	batch.entry[0].socket_id = 0;
	batch.punit_cpu_map = 0;
	batch.count = 1;
	assert_int_equal(call(e, ABI_CLOS_ASSOC, &batch), -ENOTTY);
}

/** Whether a program that asks for that association dies, as a kernel would. */
static bool crashes(struct emulated *e, unsigned int domain, bool set)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		uint16_t class = 0;

		fclose(stderr);
		signal(SIGABRT, SIG_DFL);
		associate_one(e, domain, 0, set, &class);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

TEST_MACHINE(associations_that_crash_a_real_kernel, "tests/tpmi-odd")
{
	assert_true(crashes(e, 1, false)); /* not in the valid mask */
	assert_true(crashes(e, 1, true));
	assert_true(crashes(e, 2, false)); /* no core-power */
	assert_false(crashes(e, 0, true));
	assert_int_equal(levels(e, 0, 0).current_level, 0); /* the machine is whole */
}

#define SMALL \
	"[topology]\npackages = 0,2\ncores = 0-3\n" \
	"[level 0-1]\ncores = 0-3\nbase = 2000\n"

TEST_MACHINE(true_errors_of_a_kernel_that_tells_them, NULL)
{
	struct abi_perf_level_info info = { .socket_id = 2 };
	struct associations batch = { .entry[0] = { 0, 0, 64, 0 } };

	start_written(e, "[driver]\napi-version = 3\nmasked-errors = no\n" SMALL);
	assert_int_equal(call(e, ABI_PERF_LEVELS, &info), -EINVAL);
	assert_int_equal(call(e, ABI_PERF_LEVELS, NULL), -EFAULT);
	assert_int_equal(set_level(e, 0, 0, 0), -EINVAL);
	assert_int_equal(associate(e, false, 1, &batch), -EINVAL);
	batch.punit_cpu_map = 0;
	assert_int_equal(call(e, ABI_CLOS_ASSOC, &batch), -EOPNOTSUPP);
	rules(e, "capability denied\n");
	assert_int_equal(set_level(e, 0, 0, 1), -EPERM);
	rules(e, "tpmi perf-set-level deferred 100000\n");
	assert_int_equal(set_level(e, 0, 0, 1), -EFAULT);
}

/** After a timeout status and control differ: which of them the driver looks at shows. */
TEST_MACHINE(the_current_level_by_either_register, NULL)
{
	start_written(e, "[driver]\napi-version = 3\nlevel-compare = control\n" SMALL);
	rules(e, "tpmi perf-set-level data 1 refused 1\n");
	assert_int_equal(set_level(e, 0, 0, 1), -ENOTTY);
	assert_int_equal(set_level(e, 0, 0, 0), 0);
	assert_int_equal(set_level(e, 0, 0, 0), -ENOTTY);
	finish(e);
	start_written(e, "[driver]\napi-version = 3\nlevel-compare = status\n" SMALL);
	rules(e, "tpmi perf-set-level data 1 refused 1 times 1\n");
	assert_int_equal(set_level(e, 0, 0, 1), -ENOTTY);
	assert_int_equal(set_level(e, 0, 0, 0), -ENOTTY);
	assert_int_equal(set_level(e, 0, 0, 1), 0);
}

TEST_MACHINE(a_socket_without_any_device, NULL)
{
	struct abi_tpmi_instance_count count = { .socket_id = 1 };

	start_written(e, "[driver]\napi-version = 3\nunbound = 2\n" SMALL);
	assert_int_equal(call(e, ABI_COUNT_TPMI_INSTANCES, &count), -ENOTTY);
	assert_int_equal(set_level(e, 1, 0, 1), -ENOTTY);
	assert_int_equal(set_level(e, 0, 0, 1), 0);
}

TEST_MACHINE(firmware_that_cannot_switch, NULL)
{
	start_written(e, "[driver]\napi-version = 3\n" SMALL "[domain]\ndynamic-switch = no\n");
	assert_int_equal(set_level(e, 0, 0, 1), -ENOTTY);
	assert_int_equal(levels(e, 0, 0).current_level, 0);
}
