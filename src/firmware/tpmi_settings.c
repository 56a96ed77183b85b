/* SPDX-License-Identifier: BSD-3-Clause */
/* What can be set by TPMI: how each setting is read and written. */
#include "common/monotonic.h"
#include "driver/driver.h"
#include "firmware/batch.h"

#include <errno.h>
#include <stdint.h>
#include <sys/resource.h>
#include <time.h>

enum { MHZ_PER_RATIO = 100 };

/* A refusal takes microseconds; the driver sleeps at least 4 x 5 ms before it gives up a level. */
enum { WAITED_US = 10000 };

/* Bits of the values (enum firmware_setting), and those of the interface. */
enum {
	VALUE_TURBO_FREQ = 1,
	VALUE_BASE_FREQ = 2,
	TPMI_BASE_FREQ = 1,
	TPMI_TURBO_FREQ = 2,
	VALUE_CLOS_ENABLE = 2,
	VALUE_ORDERED = 4,
};

#define HWP_CAUSE \
	"hardware-controlled performance states (HWP) are disabled (check the BIOS, and intel_pstate on " \
	"the kernel command line)"

static int get_of_levels(struct tpmi_run *run, const struct tpmi_request *request)
{
	struct abi_perf_level_info info;
	int error = tpmi_summary(run, request->domain, &info);

	if (error)
		return error;
	if (request->command->sub_code == SETTING_LEVEL)
		*(uint64_t *)request->result = info.current_level;
	else
		*(uint64_t *)request->result =
			(info.feature_state & TPMI_TURBO_FREQ ? VALUE_TURBO_FREQ : 0) |
			(info.feature_state & TPMI_BASE_FREQ ? VALUE_BASE_FREQ : 0);
	return 0;
}

static int get_of_core_power(struct tpmi_run *run, const struct tpmi_request *request)
{
	struct abi_core_power state;
	int error = tpmi_core_power(run, request->domain, &state);

	if (error)
		return error;
	if (request->command->sub_code == SETTING_CORE_POWER)
		*(uint64_t *)request->result = state.enable != 0;
	else
		*(uint64_t *)request->result = (state.enable ? VALUE_CLOS_ENABLE : 0) |
					       (state.priority_type ? VALUE_ORDERED : 0);
	return 0;
}

/** -EOPNOTSUPP: there is no core-power. The kernel does not check that: it would read and write
 * whatever is in the place of the missing registers. */
static int check_core_power(struct tpmi_run *run, const struct isst_domain *domain,
			    struct abi_core_power *state)
{
	int error = tpmi_core_power(run, domain, state);

	return !error && !state->supported ? -EOPNOTSUPP : error;
}

int tpmi_clos(struct tpmi_run *run, const struct tpmi_request *request,
	      struct abi_clos_param *config)
{
	struct abi_core_power state;
	int error = check_core_power(run, request->domain, &state);

	*config = (struct abi_clos_param){ OF_DOMAIN(request->domain),
					   .clos = (uint8_t)request->index };
	return error ? error : driver_request(run->driver, "CLOS_PARAM", ABI_CLOS_PARAM, config);
}

static int get_clos(struct tpmi_run *run, const struct tpmi_request *request)
{
	struct abi_clos_param config;
	int error = tpmi_clos(run, request, &config);

	if (!error)
		*(uint64_t *)request->result = (config.prop_prio & 0xfU) << 4 |
					       (config.min_freq_mhz / MHZ_PER_RATIO & 0xffU) << 8 |
					       (config.max_freq_mhz / MHZ_PER_RATIO & 0xffU) << 16;
	return error;
}

/** How often this thread went to sleep: preemption is not waiting. */
static long count_rests(void)
{
	struct rusage usage = { 0 };

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nvcsw;
}

/** A refusal and a timeout have the same answer; only the time differs. -ETIMEDOUT: the firmware
 * may still change the level. */
static int set_level(struct tpmi_run *run, const struct tpmi_request *request)
{
	struct abi_perf_level_control control = { OF_DOMAIN(request->domain),
						  .level = (uint8_t)request->value };
	int64_t begin_us = monotonic_us();
	long begin_rests = count_rests();
	int error = driver_request(run->driver, "PERF_SET_LEVEL", ABI_PERF_SET_LEVEL, &control);

	if ((error == -ENOTTY || error == -EFAULT) && monotonic_us() - begin_us >= WAITED_US &&
	    count_rests() > begin_rests)
		return -ETIMEDOUT;
	return error;
}

static int set_features(struct tpmi_run *run, const struct tpmi_request *request)
{
	struct abi_perf_feature_control control = {
		OF_DOMAIN(request->domain),
		.feature = (request->value & VALUE_TURBO_FREQ ? TPMI_TURBO_FREQ : 0) |
			   (request->value & VALUE_BASE_FREQ ? TPMI_BASE_FREQ : 0),
	};

	return driver_request(run->driver, "PERF_SET_FEATURE", ABI_PERF_SET_FEATURE, &control);
}

/** Switch and priority type are written together; the other one is kept. */
static int set_of_core_power(struct tpmi_run *run, const struct tpmi_request *request)
{
	bool qos = request->command->sub_code == SETTING_QOS;
	struct abi_core_power state;
	int error = check_core_power(run, request->domain, &state);

	if (error)
		return error;
	state.get_set = 1;
	state.enable = (request->value & (qos ? VALUE_CLOS_ENABLE : 1)) != 0;
	if (qos)
		state.priority_type = (request->value & VALUE_ORDERED) != 0;
	run->core_power_count = 0;
	return driver_request(run->driver, "CORE_POWER_STATE", ABI_CORE_POWER_STATE, &state);
}

static int set_clos(struct tpmi_run *run, const struct tpmi_request *request)
{
	struct abi_core_power state;
	int error = check_core_power(run, request->domain, &state);
	struct abi_clos_param config = {
		.get_set = 1,
		OF_DOMAIN(request->domain),
		.clos = (uint8_t)request->index,
		.min_freq_mhz = (uint16_t)((request->value >> 8 & 0xff) * MHZ_PER_RATIO),
		.max_freq_mhz = (uint16_t)((request->value >> 16 & 0xff) * MHZ_PER_RATIO),
		.prop_prio = request->value >> 4 & 0xf,
	};

	return error ? error : driver_request(run->driver, "CLOS_PARAM", ABI_CLOS_PARAM, &config);
}

static const struct field WHOLE_FIELD[] = { { 63, 0, FIELD_LONG, 1, 0 } };

static const struct setting_access {
	struct firmware_command get, set;
} ACCESS[SETTINGS] = {
	[SETTING_LEVEL] = {
		{ "the current level", REQUEST_TPMI, 9, SETTING_LEVEL, .ask = get_of_levels },
		{ "the current level", REQUEST_TPMI, 10, .writes = true, .ask = set_level,
		  .causes = HWP_CAUSE ", the firmware does not allow the level, an earlier change "
				      "is still pending, or it did not take effect in time" },
	},
	[SETTING_FEATURES] = {
		{ "the state of turbo-freq and base-freq", REQUEST_TPMI, 9, SETTING_FEATURES, .ask = get_of_levels },
		{ "the state of turbo-freq and base-freq", REQUEST_TPMI, 11, .writes = true,
		  .ask = set_features, .causes = HWP_CAUSE ", or the firmware does not allow it" },
	},
	[SETTING_CORE_POWER] = {
		{ "the state of core-power", REQUEST_TPMI, 6, SETTING_CORE_POWER, .ask = get_of_core_power },
		{ "the state of core-power", REQUEST_TPMI, 6, SETTING_CORE_POWER, .writes = true, .ask = set_of_core_power,
		  .causes = HWP_CAUSE ", or the firmware does not allow it" },
	},
	[SETTING_QOS] = {
		{ "the state of core-power", REQUEST_TPMI, 6, SETTING_QOS, .ask = get_of_core_power },
		{ "the state of core-power", REQUEST_TPMI, 6, SETTING_QOS, .writes = true, .ask = set_of_core_power,
		  .causes = HWP_CAUSE ", or the firmware does not allow it" },
	},
	[SETTING_CLOS] = {
		{ "the configuration of a CLOS", REQUEST_TPMI, 7, .ask = get_clos },
		{ "the configuration of a CLOS", REQUEST_TPMI, 7, .writes = true, .ask = set_clos,
		  .causes = "the firmware does not allow it" },
	},
	[SETTING_ASSOCIATION] = {
		/* The field has 4 bits: a CLOS above 3, which the driver never sets, can be replaced. */
		{ "the CLOS of a core", REQUEST_ASSOCIATION, 8, FIELDS(WHOLE_FIELD),
		  .any_clos = true },
		{ "the CLOS of a core", REQUEST_ASSOCIATION, 8, .writes = true,
		  .causes = "the firmware does not allow it" },
	},
	[SETTING_TURBO_RATIO_LIMITS] = {
		{ "the turbo ratio limits", REQUEST_MSR, 0x1ad, FIELDS(WHOLE_FIELD) },
		{ .name = "the turbo ratio limits", .kind = REQUEST_MSR, .code = 0x1ad, .writes = true },
	},
};

int tpmi_plan_get(struct firmware_batch *batch, const struct setting_request *request)
{
	const struct firmware_command *get = &ACCESS[request->setting].get;
	struct query_scope scope = { batch, request->domain, -1, request->failure };

	switch (get->kind) {
	case REQUEST_TPMI:
		return firmware_plan_tpmi(&scope, get, request->index, 0, request->value);
	case REQUEST_ASSOCIATION:
		return firmware_plan_association(&scope, get, request->index, 0, request->value);
	default:
		return firmware_plan_msr(&scope, get, request->value);
	}
}

int tpmi_plan_set(struct firmware_batch *batch, const struct setting_request *request)
{
	const struct firmware_command *set = &ACCESS[request->setting].set;
	struct query_scope scope = { batch, request->domain, -1, request->failure };

	switch (set->kind) {
	case REQUEST_TPMI:
		return firmware_plan_tpmi(&scope, set, request->index, *request->value, NULL);
	case REQUEST_ASSOCIATION:
		return firmware_plan_association(&scope, set, request->index,
						 (unsigned int)*request->value, NULL);
	default:
		return firmware_plan_write(&scope, set, request->domain->cpu, 0, *request->value);
	}
}
