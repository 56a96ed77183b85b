/* SPDX-License-Identifier: BSD-3-Clause */
/* Firmware by TPMI: API versions 2 and 3. Each request is a structure and a call of its own, except
 * CLOS associations. Frequencies are in MHz. The socket is the kernel's package number. */
#include "common/monotonic.h"
#include "driver/driver.h"
#include "firmware/batch.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>

enum { API_LEVEL_MASKS = 3 }; /* from this version on support is reported for each level */
enum { REVISION_SECOND_FABRIC = 2 };

/** A value of an answer, which a failed request does not have. */
static struct isst_value known(int error, unsigned int value)
{
	return error ? (struct isst_value){ ISST_UNREADABLE, 0 }
		     : (struct isst_value){ ISST_KNOWN, value };
}

/** The same where 0 means that there is no such value. */
static struct isst_value nonzero(int error, unsigned int value)
{
	struct isst_value found = known(error, value);

	if (!error && !value)
		found.state = ISST_ABSENT;
	return found;
}

static int valid_domains(struct driver *driver, unsigned int package, unsigned int *valid)
{
	struct abi_tpmi_instance_count instances = { .socket_id = (uint8_t)package };
	int error = package > UINT8_MAX ? -EINVAL
					: driver_request(driver, "COUNT_TPMI_INSTANCES",
							 ABI_COUNT_TPMI_INSTANCES, &instances);

	*valid = error ? 0 : instances.valid_mask;
	return error;
}

/* ---- Levels ---- */

/* Some kernels report more bits, which are the error of the last change of the level. */
enum { LOCKED = 1 };

static int ask_perf_profile(struct tpmi_run *run, const struct tpmi_request *request)
{
	struct isst_perf_profile *profile = request->result;
	struct abi_perf_level_info info;
	int error = tpmi_summary(run, request->domain, &info);

	if (error)
		return error;
	profile->version = info.feature_rev;
	profile->highest_level = info.max_level;
	profile->current_level = info.current_level;
	profile->level_mask = info.level_mask;
	profile->locked = info.locked & LOCKED;
	profile->enabled = info.enabled;
	return 0;
}

/** Support is reported for each level, or for all of them (API version 2: the request has a value).
 */
static int ask_features(struct tpmi_run *run, const struct tpmi_request *request)
{
	struct level_features *features = request->result;
	bool for_all = request->value;
	unsigned int bit = for_all ? 0xff : 1U << (request->index & 31);
	struct abi_perf_level_info info;
	int error = tpmi_summary(run, request->domain, &info);

	if (error)
		return error;
	features->base_freq_supported = info.sst_bf_support & bit;
	features->turbo_freq_supported = info.sst_tf_support & bit;
	features->base_freq_on = info.feature_state & 1;
	features->turbo_freq_on = info.feature_state & 2;
	features->assumed = for_all && request->index != info.current_level;
	return 0;
}

static int ask_level_info(struct tpmi_run *run, const struct tpmi_request *request,
			  struct abi_perf_level_data_info *info)
{
	*info = (struct abi_perf_level_data_info){
		OF_DOMAIN(request->domain),
		.level = (uint16_t)request->index,
	};
	return driver_request(run->driver, "GET_PERF_LEVEL_INFO", ABI_GET_PERF_LEVEL_INFO, info);
}

static int ask_level(struct tpmi_run *run, const struct tpmi_request *request)
{
	struct level_request *result = request->result;
	struct isst_level *level = result->level;
	struct abi_perf_level_data_info info;
	const int error = ask_level_info(run, request, &info);

	level->tdp_ratio = known(error, info.tdp_ratio);
	level->base_mhz = nonzero(error, info.base_freq_mhz);
	level->base_avx2_mhz = nonzero(error, info.base_freq_avx2_mhz);
	level->base_avx512_mhz = nonzero(error, info.base_freq_avx512_mhz);
	level->base_amx_mhz = nonzero(error, info.base_freq_amx_mhz);
	level->fabric[0] =
		(struct isst_fabric){ .base_mhz = nonzero(error, info.p1_fabric_freq_mhz),
				      .min_mhz = nonzero(error, info.pm_fabric_freq_mhz),
				      .max_mhz = nonzero(error, info.p0_fabric_freq_mhz) };
	level->memory_mhz = nonzero(error, info.max_memory_freq_mhz);
	level->cooling_type = known(error, info.cooling_type);
	level->power_w = nonzero(error, info.thermal_design_power_w);
	level->tjunction_c = nonzero(error, info.tjunction_max_c);
	for (unsigned int type = 0; type < ISST_TRL_TYPES; type++)
		for (unsigned int i = 0; i < ISST_BUCKETS; i++) {
			level->limit[type].core_count[i] = known(error, info.bucket_core_counts[i]);
			level->limit[type].mhz[i] = known(error, info.trl_freq_mhz[type][i]);
		}
	return error;
}

/** Only the turbo limits of the level's first TRL type. */
static int ask_level_limits(struct tpmi_run *run, const struct tpmi_request *request)
{
	struct isst_value *mhz = request->result;
	struct abi_perf_level_data_info info;
	const int error = ask_level_info(run, request, &info);

	for (unsigned int i = 0; i < ISST_BUCKETS; i++)
		mhz[i] = nonzero(error, info.trl_freq_mhz[0][i]);
	return error;
}

static_assert((int)ISST_FABRICS == (int)ABI_MAX_FABRICS, "fabrics of a level");

/** Further fabrics. Older kernels (ENOTTY), older revisions and an answer of 0 have none; any other
 * error is a failure. */
static int ask_fabric(struct tpmi_run *run, const struct tpmi_request *request)
{
	struct level_request *result = request->result;
	struct isst_fabric *fabrics = result->level->fabric;
	struct abi_perf_level_fabric_info info = {
		OF_DOMAIN(request->domain),
		.level = (uint16_t)request->index,
	};
	struct abi_perf_level_info summary;
	int error = tpmi_summary(run, request->domain, &summary);

	if (!error && summary.feature_rev < REVISION_SECOND_FABRIC)
		return 0;
	if (!error)
		error = driver_request(run->driver, "GET_PERF_LEVEL_FABRIC_INFO",
				       ABI_GET_PERF_LEVEL_FABRIC_INFO, &info);
	if (error == -ENOTTY)
		return 0;
	/* With an error the number of fabrics is unknown. */
	for (unsigned int i = 1; i < ISST_FABRICS && i < (error ? 2 : info.max_fabrics); i++)
		fabrics[i] = (struct isst_fabric){
			.base_mhz = nonzero(error, info.p1_fabric_freq_mhz[i]),
			.min_mhz = nonzero(error, info.pm_fabric_freq_mhz[i]),
			.max_mhz = nonzero(error, info.p0_fabric_freq_mhz[i]),
		};
	return error;
}

static int ask_mask(struct tpmi_run *run, const struct tpmi_request *request)
{
	bool base_freq = request->command->code == 15;
	struct core_mask *cores = request->result;
	struct abi_perf_level_cpu_mask mask = {
		OF_DOMAIN(request->domain),
		.level = (uint8_t)request->index,
		.punit_cpu_map = 1,
	};
	int error = driver_request(
		run->driver, base_freq ? "GET_BASE_FREQ_CPU_MASK" : "GET_PERF_LEVEL_CPU_MASK",
		base_freq ? ABI_GET_BASE_FREQ_CPU_MASK : ABI_GET_PERF_LEVEL_CPU_MASK, &mask);

	cores->half[0] = known(error, (uint32_t)mask.mask);
	cores->half[1] = known(error, (uint32_t)(mask.mask >> 32));
	return error;
}

static int ask_base_freq(struct tpmi_run *run, const struct tpmi_request *request)
{
	struct isst_base_freq *result = request->result;
	struct abi_base_freq_info info = { OF_DOMAIN(request->domain),
					   .level = (uint16_t)request->index };
	int error = driver_request(run->driver, "GET_BASE_FREQ_INFO", ABI_GET_BASE_FREQ_INFO,
				   &info);

	result->high_mhz = known(error, info.high_base_freq_mhz);
	result->low_mhz = known(error, info.low_base_freq_mhz);
	result->tjunction_c = known(error, info.tjunction_max_c);
	result->power_w = known(error, info.thermal_design_power_w);
	return error;
}

static int ask_turbo_freq(struct tpmi_run *run, const struct tpmi_request *request)
{
	struct level_request *result = request->result;
	struct isst_turbo_freq *turbo_freq = &result->level->turbo_freq_info;
	struct abi_turbo_freq_info info = { OF_DOMAIN(request->domain),
					    .level = (uint16_t)request->index };
	int error = driver_request(run->driver, "GET_TURBO_FREQ_INFO", ABI_GET_TURBO_FREQ_INFO,
				   &info);

	for (unsigned int i = 0; i < ISST_BUCKETS; i++)
		result->turbo_freq_cores[i] = known(error, info.bucket_core_counts[i]);
	for (unsigned int type = 0; type < ISST_TRL_TYPES; type++) {
		turbo_freq->clip_mhz[type] = nonzero(error, info.lp_clip_freq_mhz[type]);
		for (unsigned int i = 0; i < ISST_BUCKETS; i++)
			turbo_freq->mhz[type][i] = nonzero(error, info.trl_freq_mhz[type][i]);
	}
	return error;
}

/* clang-format off */
#define COMMAND(command, number, function, text) \
	static const struct firmware_command command = { \
		.name = text, .kind = REQUEST_TPMI, .code = number, .ask = function }

COMMAND(PERF_PROFILE,      9,  ask_perf_profile,       "the performance levels");
COMMAND(FEATURES,          9,  ask_features,           "the features");
COMMAND(LEVEL,             12, ask_level,              "the properties");
COMMAND(LEVEL_LIMITS,      12, ask_level_limits,       "the turbo limits");
COMMAND(FABRIC,            17, ask_fabric,             "the further fabrics");
COMMAND(CORES,             13, ask_mask,               "the enabled cores");
COMMAND(BASE_FREQ,         14, ask_base_freq,          "the base-freq properties");
COMMAND(BASE_FREQ_CORES,   15, ask_mask,               "the high priority cores");
COMMAND(TURBO_FREQ,        16, ask_turbo_freq,         "the turbo-freq properties");
/* clang-format on */

static const char *trl_type_name(const struct isst_platform *platform, unsigned int type)
{
	static const char *const NAMES[ISST_TRL_TYPES] = { "level-0", "level-1", "level-2",
							   "level-3", "level-4", "level-5" };

	(void)platform;
	return type < ISST_TRL_TYPES ? NAMES[type] : NULL;
}

static int plan_perf_profile(struct firmware_batch *batch, struct isst_perf_profile *profile)
{
	return firmware_plan(RESULT_SCOPE(batch, profile), &PERF_PROFILE, 0, 0, profile);
}

static int plan_features(struct firmware_batch *batch, const struct isst_domain *domain,
			 unsigned int level, struct level_features *features)
{
	return firmware_plan(LEVEL_SCOPE(batch, domain, level, &features->failure), &FEATURES,
			     level, batch->firmware->platform->api_version < API_LEVEL_MASKS,
			     features);
}

static int plan_properties(struct firmware_batch *batch, struct level_request *request)
{
	struct query_scope scope = level_scope(batch, request);
	unsigned int level = request->level->level;
	int error = firmware_plan(&scope, &LEVEL, level, 0, request);

	if (!error)
		error = firmware_plan(&scope, &FABRIC, level, 0, request);
	if (!error && !isst_domain_is_io(scope.domain))
		error = firmware_plan(&scope, &CORES, level, 0, &request->cores);
	return error;
}

static int plan_level_limits(struct firmware_batch *batch, const struct isst_domain *domain,
			     unsigned int level, struct isst_failure *failure,
			     struct isst_value mhz[ISST_BUCKETS])
{
	return firmware_plan(LEVEL_SCOPE(batch, domain, level, failure), &LEVEL_LIMITS, level, 0,
			     mhz);
}

static int plan_base_freq(struct firmware_batch *batch, struct level_request *request)
{
	struct isst_base_freq *result = &request->level->base_freq_info;
	struct query_scope scope = level_scope(batch, request);
	unsigned int level = request->level->level;
	int error;

	scope.failure = &result->failure;
	error = firmware_plan(&scope, &BASE_FREQ, level, 0, result);
	if (!error)
		error = firmware_plan(&scope, &BASE_FREQ_CORES, level, 0, &request->high_priority);
	return error;
}

static int plan_turbo_freq(struct firmware_batch *batch, struct level_request *request)
{
	struct query_scope scope = level_scope(batch, request);

	scope.failure = &request->level->turbo_freq_info.failure;
	return firmware_plan(&scope, &TURBO_FREQ, request->level->level, 0, request);
}

/* ---- Core-power ---- */

static int ask_core_power(struct tpmi_run *run, const struct tpmi_request *request)
{
	struct isst_core_power *result = request->result;
	struct abi_core_power state;
	int error = tpmi_core_power(run, request->domain, &state);

	if (error)
		return error;
	result->supported = state.supported;
	/* The other values are whatever is in the place of the missing registers. */
	if (!state.supported)
		return 0;
	result->enabled = result->clos_enabled = state.enable;
	result->priority = state.priority_type ? ISST_PRIORITY_ORDERED : ISST_PRIORITY_PROPORTIONAL;
	return 0;
}

/** Classes hold while core-power or SST-TF is on (docs/internals/hardware-reports.md). */
static int ask_clos_in_force(struct tpmi_run *run, const struct tpmi_request *request)
{
	struct isst_core_power *result = request->result;
	struct abi_perf_level_info info = { 0 };
	struct abi_core_power state;
	int error = 0;

	/* The failure is reported with the state. */
	if (tpmi_core_power(run, request->domain, &state))
		return 0;
	if (state.supported && !state.enable)
		error = tpmi_summary(run, request->domain, &info);
	if (error)
		return error;
	if (!state.supported)
		result->clos_in_force = ISST_FEATURE_UNSUPPORTED;
	else
		result->clos_in_force = state.enable || info.feature_state & 2
						? ISST_FEATURE_ENABLED
						: ISST_FEATURE_DISABLED;
	return 0;
}

COMMAND(CORE_POWER, 6, ask_core_power, "the state of core-power");
COMMAND(CLOS_IN_FORCE, 9, ask_clos_in_force, "the features");

static int plan_core_power_switch(struct firmware_batch *batch, struct isst_core_power *state)
{
	return firmware_plan(RESULT_SCOPE(batch, state), &CORE_POWER, 0, 0, state);
}

static int plan_core_power(struct firmware_batch *batch, struct isst_core_power *state)
{
	int error = plan_core_power_switch(batch, state);

	return error ? error
		     : firmware_plan(DOMAIN_SCOPE(batch, state->domain, &state->clos_failure),
				     &CLOS_IN_FORCE, 0, 0, state);
}

/* ---- What can be set ---- */

/* A refusal takes microseconds; the driver sleeps at least 4 x 5 ms before it gives up a level. */
enum { WAITED_US = 10000 };

/* Bits of the interface, unlike those of SETTING_FEATURES. */
enum { TPMI_BASE_FREQ = 1, TPMI_TURBO_FREQ = 2 };

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
	else if (request->command->sub_code == SETTING_LEVEL_LOCK)
		*(uint64_t *)request->result = info.locked & LOCKED;
	else
		*(uint64_t *)request->result =
			(info.feature_state & TPMI_TURBO_FREQ ? FEATURE_TURBO_FREQ : 0) |
			(info.feature_state & TPMI_BASE_FREQ ? FEATURE_BASE_FREQ : 0);
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
		*(uint64_t *)request->result = (state.enable ? QOS_CLOS_ENABLE : 0) |
					       (state.priority_type ? QOS_ORDERED : 0);
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

/** There is no EPP and no desired frequency: they stay 0. */
static int get_clos(struct tpmi_run *run, const struct tpmi_request *request)
{
	struct abi_clos_param config = { OF_DOMAIN(request->domain),
					 .clos = (uint8_t)request->index };
	struct abi_core_power state;
	int error = check_core_power(run, request->domain, &state);

	if (!error)
		error = driver_request(run->driver, "CLOS_PARAM", ABI_CLOS_PARAM, &config);
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
		.feature = (request->value & FEATURE_TURBO_FREQ ? TPMI_TURBO_FREQ : 0) |
			   (request->value & FEATURE_BASE_FREQ ? TPMI_BASE_FREQ : 0),
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
	state.enable = (request->value & (qos ? QOS_CLOS_ENABLE : 1)) != 0;
	if (qos)
		state.priority_type = (request->value & QOS_ORDERED) != 0;
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

#define MAY_REFUSE "the firmware does not allow it"

/* clang-format off */
#define ACCESS(setting, text, get_number, get_function, set_number, set_function, set_causes) \
	[SETTING_##setting] = { \
		{ text, REQUEST_TPMI, get_number, SETTING_##setting, .ask = get_function }, \
		{ text, REQUEST_TPMI, set_number, SETTING_##setting, .ask = set_function, .writes = true, \
		  .causes = set_causes } }

static const struct setting_access {
	struct firmware_command get, set;
} ACCESSES[SETTINGS] = {
	ACCESS(LEVEL,      "the current level", 9, get_of_levels, 10, set_level,
	       HWP_CAUSE ", the firmware does not allow the level, an earlier change "
	       "is still pending, or it did not take effect in time"),
	ACCESS(FEATURES,   "the state of turbo-freq and base-freq", 9, get_of_levels, 11, set_features,
	       HWP_CAUSE ", or " MAY_REFUSE),
	ACCESS(CORE_POWER, "the state of core-power", 6, get_of_core_power, 6, set_of_core_power,
	       HWP_CAUSE ", or " MAY_REFUSE),
	ACCESS(QOS,        "the state of core-power", 6, get_of_core_power, 6, set_of_core_power,
	       HWP_CAUSE ", or " MAY_REFUSE),
	ACCESS(CLOS,       "the configuration of a CLOS", 7, get_clos, 7, set_clos, MAY_REFUSE),
	ACCESS(LEVEL_LOCK, "the lock of the level", 9, get_of_levels, 0, NULL, NULL),
	/* The field has 4 bits: a CLOS above 3, which the driver never sets, can be replaced. */
	[SETTING_ASSOCIATION] = {
		{ "the CLOS of a core", REQUEST_ASSOCIATION, 8, FIELDS(WHOLE_FIELD) },
		{ "the CLOS of a core", REQUEST_ASSOCIATION, 8, .writes = true, .causes = MAY_REFUSE } },
	[SETTING_TURBO_RATIO_LIMITS] = {
		{ "the turbo ratio limits", REQUEST_MSR, 0x1ad, FIELDS(WHOLE_FIELD) },
		{ "the turbo ratio limits", REQUEST_MSR, 0x1ad, .writes = true } },
};
/* clang-format on */

static int plan_get(struct firmware_batch *batch, const struct setting_request *request)
{
	return firmware_plan(DOMAIN_SCOPE(batch, request->domain, request->failure),
			     &ACCESSES[request->setting].get, request->index, 0, request->value);
}

static int plan_set(struct firmware_batch *batch, const struct setting_request *request)
{
	return firmware_plan(DOMAIN_SCOPE(batch, request->domain, request->failure),
			     &ACCESSES[request->setting].set, request->index, *request->value,
			     NULL);
}

const struct firmware_operations tpmi_operations = {
	.thread_bits = 3,
	.valid_domains = valid_domains,
	.one_core_power_switch = true,
	.turbo_freq_uses_clos = true,
	.trl_type_name = trl_type_name,
	.plan_perf_profile = plan_perf_profile,
	.plan_core_power_switch = plan_core_power_switch,
	.plan_core_power = plan_core_power,
	.plan_features = plan_features,
	.plan_properties = plan_properties,
	.plan_level_limits = plan_level_limits,
	.plan_base_freq = plan_base_freq,
	.plan_turbo_freq = plan_turbo_freq,
	.plan_get = plan_get,
	.plan_set = plan_set,
};

/* ---- Registers, which the driver does not show ---- */

/* 64-bit registers: the header of an instance, which locates the bank of levels, and in that bank.
 */
enum { SST_HEADER = 0, PP_CONTROL = 3, PP_STATUS = 4 };
enum { HEADER_ABSENT = 0xff, HEADER_HAS_LEVELS = 1 << 9, LEVEL_BITS = 7 };

static uint64_t register_of(const uint32_t *words, size_t count, size_t index)
{
	if (2 * index + 1 >= count)
		return UINT64_MAX;
	return words[2 * index] | (uint64_t)words[2 * index + 1] << 32;
}

bool tpmi_dump_levels(const uint32_t *words, size_t count, unsigned int *requested,
		      unsigned int *present)
{
	uint64_t header = register_of(words, count, SST_HEADER);
	size_t bank = header >> 24 & 0xff;
	uint64_t control = register_of(words, count, bank + PP_CONTROL);
	uint64_t status = register_of(words, count, bank + PP_STATUS);

	*requested = control & LEVEL_BITS;
	*present = status & LEVEL_BITS;
	return (header & HEADER_ABSENT) != HEADER_ABSENT && (header & HEADER_HAS_LEVELS) &&
	       control != UINT64_MAX && status != UINT64_MAX;
}
