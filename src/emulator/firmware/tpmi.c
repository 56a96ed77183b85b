/* SPDX-License-Identifier: BSD-3-Clause */
/* The driver's TPMI requests on the registers of power domains: what it checks, reads and writes,
 * and how long it waits for firmware (tpmi_firmware.c). */
#include "base/array.h"
#include "emulator/firmware/firmware.h"
#include "emulator/model/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LAST_CORE = 63 };
enum { POLLS = 4, POLL_MS = 5 };

struct tpmi_call {
	struct server *server;
	unsigned long code;
	size_t domain; /* index */
	struct tpmi_registers registers;
	const struct tpmi_conduct *conduct;
};

/* ---- Power domains ---- */

static bool holds_package(const struct set_value *packages, unsigned int package)
{
	return packages->set && isst_cpuset_has(packages->set, package);
}

/** Whether every PCI device of a socket is bound to the driver: else nothing of it works. */
static bool is_bound(const struct server *server, const struct platform_domain *domain)
{
	return !holds_package(&server->platform->partly_bound, domain->package) &&
	       !holds_package(&server->platform->unbound, domain->package);
}

static bool is_valid(const struct server *server, size_t index)
{
	return server->platform->domains[index].type.value != DOMAIN_ABSENT &&
	       is_bound(server, &server->platform->domains[index]);
}

/** How many numbers for power domains a socket has, holes included; 0 without such a socket. */
static unsigned int count_slots(const struct server *server, unsigned int socket)
{
	const struct platform_domain *end = server->platform->domains +
					    tpmi_find_socket(server, socket + 1);

	return end > server->platform->domains && end[-1].socket == socket
		       ? end[-1].power_domain + 1
		       : 0;
}

static int by_socket(const void *key, const void *element)
{
	const struct platform_domain *domain = element;

	return *(const unsigned int *)key > domain->socket ? 1 : -1;
}

size_t tpmi_find_socket(const struct server *server, unsigned int socket)
{
	const struct platform *platform = server->platform;

	return array_lower_bound(&socket, platform->domains, platform->domain_count,
				 sizeof(*platform->domains), by_socket);
}

bool tpmi_find_slot(const struct server *server, unsigned int socket, unsigned int power_domain,
		    size_t *index)
{
	const struct platform *platform = server->platform;

	for (*index = tpmi_find_socket(server, socket);
	     *index < platform->domain_count && platform->domains[*index].socket == socket;
	     ++*index)
		if (platform->domains[*index].power_domain == power_domain)
			return true;
	return false;
}

static int open_domain(struct tpmi_call *call, unsigned int socket, unsigned int power_domain)
{
	if (!tpmi_find_slot(call->server, socket, power_domain, &call->domain) ||
	    !is_valid(call->server, call->domain))
		return -EINVAL;
	call->registers = state_registers(call->server, call->domain);
	return 0;
}

/* ---- Requests that only read: each copies fields of the registers into a structure ---- */

static bool has_level(const struct tpmi_call *call, unsigned int level)
{
	return level <= tpmi_highest_level(&call->registers) &&
	       tpmi_get(&call->registers, PP_LEVELS, 0, 0) >> level & 1;
}

/** Opens the domain of a request for a level: the driver refuses those that there are not. */
static int open_level(struct tpmi_call *call, unsigned int socket, unsigned int power_domain,
		      unsigned int level)
{
	int result = open_domain(call, socket, power_domain);

	return result || has_level(call, level) ? result : -EINVAL;
}

static uint64_t get_field(const struct tpmi_call *call, enum tpmi_field field, unsigned int level)
{
	return tpmi_get(&call->registers, field, level, 0);
}

/** API 3 reports every level; API 2 the current one, as one flag. */
static uint8_t support_mask(const struct tpmi_call *call, enum tpmi_field field)
{
	unsigned int mask = 0;

	if (call->server->platform->api_version.value < 3)
		return (uint8_t)get_field(call, field,
					  (unsigned int)get_field(call, PP_STATUS_LEVEL, 0));
	for (unsigned int level = 0; level < TPMI_LEVELS; level++)
		if (has_level(call, level))
			mask |= (unsigned int)get_field(call, field, level) << level;
	return (uint8_t)mask;
}

static int query_perf_levels(struct tpmi_call *call, void *argument)
{
	struct abi_perf_level_info *info = argument;
	int result = open_domain(call, info->socket_id, info->power_domain_id);

	if (result)
		return result;
	info->max_level = (uint8_t)tpmi_highest_level(&call->registers);
	info->feature_rev = (uint8_t)get_field(call, PP_REVISION, 0);
	info->level_mask = (uint8_t)get_field(call, PP_LEVELS, 0);
	info->current_level = (uint8_t)get_field(call, PP_STATUS_LEVEL, 0);
	info->feature_state = (uint8_t)get_field(call, PP_STATUS_FEATURES, 0);
	info->locked = (uint8_t)get_field(call, PP_STATUS_LOCK, 0);
	info->enabled = (get_field(call, SST_CAPABILITIES, 0) & TPMI_HAS_PERF_PROFILE) != 0;
	info->sst_bf_support = support_mask(call, BF_SUPPORTED);
	info->sst_tf_support = support_mask(call, TF_SUPPORTED);
	return 0;
}

static void report_ratios(const struct tpmi_call *call, enum tpmi_field field, unsigned int level,
			  uint16_t limits[ABI_MAX_TRL_LEVELS][ABI_MAX_BUCKETS])
{
	for (unsigned int type = 0; type < ABI_MAX_TRL_LEVELS; type++) {
		uint64_t word = tpmi_get(&call->registers, field, level, type);

		for (unsigned int bucket = 0; bucket < ABI_MAX_BUCKETS; bucket++)
			limits[type][bucket] = ratio_mhz(tpmi_byte(word, bucket));
	}
}

static void report_counts(uint64_t word, uint16_t counts[ABI_MAX_BUCKETS])
{
	for (unsigned int bucket = 0; bucket < ABI_MAX_BUCKETS; bucket++)
		counts[bucket] = (uint16_t)tpmi_byte(word, bucket);
}

static int query_level(struct tpmi_call *call, void *argument)
{
	struct abi_perf_level_data_info *info = argument;
	unsigned int level = info->level;
	int result = open_level(call, info->socket_id, info->power_domain_id, level);

	if (result)
		return result;
	info->tdp_ratio = (uint16_t)get_field(call, LEVEL_BASE_SSE, level);
	info->base_freq_mhz = ratio_mhz(get_field(call, LEVEL_BASE_SSE, level));
	info->base_freq_avx2_mhz = ratio_mhz(get_field(call, LEVEL_BASE_AVX2, level));
	info->base_freq_avx512_mhz = ratio_mhz(get_field(call, LEVEL_BASE_AVX512, level));
	info->base_freq_amx_mhz = ratio_mhz(get_field(call, LEVEL_BASE_AMX, level));
	info->thermal_design_power_w = (uint16_t)(get_field(call, LEVEL_POWER, level) / 8);
	info->tjunction_max_c = (uint16_t)get_field(call, LEVEL_TJUNCTION, level);
	info->max_memory_freq_mhz = ratio_mhz(get_field(call, LEVEL_MEMORY, level));
	info->cooling_type = (uint16_t)get_field(call, LEVEL_COOLING, level);
	info->p0_freq_mhz = ratio_mhz(get_field(call, LEVEL_P0, level));
	info->p1_freq_mhz = ratio_mhz(get_field(call, LEVEL_P1, level));
	info->pn_freq_mhz = ratio_mhz(get_field(call, LEVEL_PN, level));
	info->pm_freq_mhz = ratio_mhz(get_field(call, LEVEL_PM, level));
	info->p0_fabric_freq_mhz = ratio_mhz(get_field(call, LEVEL_FABRIC_P0, level));
	info->p1_fabric_freq_mhz = ratio_mhz(get_field(call, LEVEL_FABRIC_P1, level));
	info->pm_fabric_freq_mhz = ratio_mhz(get_field(call, LEVEL_FABRIC_PM, level));
	info->max_buckets = ABI_MAX_BUCKETS;
	info->max_trl_levels = ABI_MAX_TRL_LEVELS;
	report_counts(get_field(call, LEVEL_TRL_CORES, level), info->bucket_core_counts);
	report_ratios(call, LEVEL_TRL, level, info->trl_freq_mhz);
	return 0;
}

static int query_mask(struct tpmi_call *call, void *argument)
{
	struct abi_perf_level_cpu_mask *mask = argument;
	int result = open_level(call, mask->socket_id, mask->power_domain_id, mask->level);

	if (result)
		return result;
	if (!mask->punit_cpu_map)
		return -EOPNOTSUPP;
	mask->mask = get_field(
		call, call->code == ABI_GET_BASE_FREQ_CPU_MASK ? BF_CORE_MASK : LEVEL_CORE_MASK,
		mask->level);
	return 0;
}

static int query_base_freq(struct tpmi_call *call, void *argument)
{
	struct abi_base_freq_info *info = argument;
	int result = open_level(call, info->socket_id, info->power_domain_id, info->level);

	if (result)
		return result;
	info->high_base_freq_mhz = ratio_mhz(get_field(call, BF_HIGH, info->level));
	info->low_base_freq_mhz = ratio_mhz(get_field(call, BF_LOW, info->level));
	info->tjunction_max_c = (uint16_t)get_field(call, BF_TJUNCTION, info->level);
	info->thermal_design_power_w = (uint16_t)(get_field(call, BF_POWER, info->level) / 8);
	return 0;
}

static int query_turbo_freq(struct tpmi_call *call, void *argument)
{
	struct abi_turbo_freq_info *info = argument;
	int result = open_level(call, info->socket_id, info->power_domain_id, info->level);
	uint64_t clip, modules = 0;

	if (result)
		return result;
	info->max_clip_freqs = ABI_MAX_TRL_LEVELS;
	info->max_buckets = ABI_MAX_BUCKETS;
	info->max_trl_levels = ABI_MAX_TRL_LEVELS;
	clip = get_field(call, TF_CLIP, info->level);
	for (unsigned int type = 0; type < ABI_MAX_TRL_LEVELS; type++)
		info->lp_clip_freq_mhz[type] = ratio_mhz(tpmi_byte(clip, type));
	report_counts(get_field(call, TF_CORES, info->level), info->bucket_core_counts);
	/* From revision 2 on, and with a driver that knows them, modules where there are some. */
	if (call->server->platform->kernel.value >= KERNEL(7, 2) &&
	    get_field(call, TF_REVISION, info->level) >= 2)
		modules = get_field(call, TF_MODULES, info->level);
	for (unsigned int bucket = 0; bucket < 3; bucket++)
		if (modules >> (16 * bucket) & UINT16_MAX)
			info->bucket_core_counts[bucket] = (uint16_t)(modules >> (16 * bucket));
	report_ratios(call, TF_TRL, info->level, info->trl_freq_mhz);
	return 0;
}

enum { FABRICS = 2 };

static int query_fabric(struct tpmi_call *call, void *argument)
{
	struct abi_perf_level_fabric_info *info = argument;
	unsigned int level = info->level;
	int result = open_level(call, info->socket_id, info->power_domain_id, level);

	if (result || get_field(call, PP_REVISION, 0) < 2)
		return -EINVAL;
	info->max_fabrics = FABRICS;
	info->p0_fabric_freq_mhz[0] = ratio_mhz(get_field(call, LEVEL_FABRIC_P0, level));
	info->p1_fabric_freq_mhz[0] = ratio_mhz(get_field(call, LEVEL_FABRIC_P1, level));
	info->pm_fabric_freq_mhz[0] = ratio_mhz(get_field(call, LEVEL_FABRIC_PM, level));
	info->p0_fabric_freq_mhz[1] = ratio_mhz(get_field(call, LEVEL_FABRIC2_P0, level));
	info->p1_fabric_freq_mhz[1] = ratio_mhz(get_field(call, LEVEL_FABRIC2_P1, level));
	info->pm_fabric_freq_mhz[1] = ratio_mhz(get_field(call, LEVEL_FABRIC2_PM, level));
	return 0;
}

static int check_privilege(struct tpmi_call *call)
{
	return call->server->may_administer(call->server) ? 0 : -EPERM;
}

/** Opens the domain for a level or features, which take HWP. */
static int open_for_set(struct tpmi_call *call, unsigned int socket, unsigned int power_domain)
{
	int result = call->server->platform->hwp.value ? open_domain(call, socket, power_domain)
						       : -EFAULT;

	return result ? result : check_privilege(call);
}

/* ---- Waiting for firmware ---- */

static void wait_ms(uint64_t ms)
{
	struct timespec time = { .tv_sec = (time_t)(ms / 1000),
				 .tv_nsec = (long)(ms % 1000) * 1000000 };

	while (nanosleep(&time, &time) && errno == EINTR)
		;
}

/** What firmware is to do later of a domain, by the request that it is about. */
static int put_off(struct tpmi_call *call, unsigned long request)
{
	const uint32_t domain = (uint32_t)call->domain;
	int result = deferred_add(call->server, request, &domain, sizeof(domain),
				  call->conduct->value);

	/* The state has grown, and may be elsewhere. */
	call->registers = state_registers(call->server, call->domain);
	return result;
}

/** Lets firmware look at the perf-profile control register, now or at the time of a rule. The
 * driver itself waits for @timeout_ms. */
static int perf_profile_written(struct tpmi_call *call, unsigned long request, uint64_t timeout_ms)
{
	if (call->conduct->what == TPMI_REFUSES) {
		firmware_refuse(call->server, call->domain, request != ABI_PERF_SET_LEVEL,
				(unsigned int)call->conduct->value);
		return 0;
	}
	if (call->conduct->what == TPMI_DEFERS) {
		if (call->conduct->value > timeout_ms)
			return put_off(call, request);
		wait_ms(call->conduct->value);
	}
	firmware_perf_profile(call->server, call->domain);
	return 0;
}

/* ---- Levels and features ---- */

static int request_level(struct tpmi_call *call, void *argument)
{
	const struct abi_perf_level_control *control = argument;
	const bool by_control = call->server->platform->level_compare.value ==
				LEVEL_COMPARE_CONTROL;
	int result = open_for_set(call, control->socket_id, control->power_domain_id);

	if (result)
		return result;
	if (control->level > tpmi_highest_level(&call->registers) ||
	    !(tpmi_get(&call->registers, PP_ALLOWED_LEVELS, 0, 0) >> control->level & 1) ||
	    control->level == tpmi_get(&call->registers,
				       by_control ? PP_CONTROL_LEVEL : PP_STATUS_LEVEL, 0, 0))
		return -EINVAL;
	/* A locked register does not take another level; firmware answers all the same. */
	if (tpmi_get(&call->registers, PP_STATUS_LOCK, 0, 0))
		firmware_refuse(call->server, call->domain, false, 1);
	else
		tpmi_set(&call->registers, PP_CONTROL_LEVEL, 0, 0, control->level);
	if (tpmi_get(&call->registers, PP_CONTROL_LEVEL, 0, 0) == control->level)
		result = perf_profile_written(call, ABI_PERF_SET_LEVEL, POLLS * POLL_MS);
	if (!result && tpmi_get(&call->registers, PP_STATUS_LEVEL, 0, 0) != control->level) {
		wait_ms(POLLS * POLL_MS);
		result = -EFAULT;
	}
	if (result)
		return result;
	tpmi_set(&call->registers, PP_CONTROL_FEATURES, 0, 0, 0);
	firmware_perf_profile(call->server, call->domain);
	return 0;
}

static int set_features(struct tpmi_call *call, void *argument)
{
	const struct abi_perf_feature_control *control = argument;
	int result = open_for_set(call, control->socket_id, control->power_domain_id);

	if (result != -EFAULT && control->feature & ~(TPMI_FEATURE_BF | TPMI_FEATURE_TF))
		result = -EINVAL;
	if (result)
		return result;
	tpmi_set(&call->registers, PP_CONTROL_FEATURES, 0, 0, control->feature);
	return perf_profile_written(call, ABI_PERF_SET_FEATURE, 0);
}

/* ---- Core-power and classes of service ---- */

static int core_power_state(struct tpmi_call *call, void *argument)
{
	struct abi_core_power *power = argument;
	int result = open_domain(call, power->socket_id, power->power_domain_id);

	if (result)
		return result;
	if (!power->get_set) {
		power->enable = (uint8_t)tpmi_get(&call->registers, CP_STATUS_ENABLE, 0, 0);
		power->priority_type = (uint8_t)tpmi_get(&call->registers, CP_STATUS_PRIORITY, 0,
							 0);
		power->supported = tpmi_get(&call->registers, SST_CAPABILITIES, 0, 0) &
				   TPMI_HAS_CORE_POWER;
		return 0;
	}
	result = call->server->platform->hwp.value ? check_privilege(call) : -EFAULT;
	if (!result && (power->enable > 1 || power->priority_type > 1))
		result = -EINVAL;
	if (result)
		return result;
	/* Firmware looks after each of the two writes, unless a rule refuses or defers. */
	tpmi_set(&call->registers, CP_CONTROL_ENABLE, 0, 0, power->enable);
	if (call->conduct->what == TPMI_ACTS)
		firmware_core_power(call->server, call->domain);
	tpmi_set(&call->registers, CP_CONTROL_PRIORITY, 0, 0, power->priority_type);
	if (call->conduct->what == TPMI_ACTS)
		firmware_core_power(call->server, call->domain);
	return call->conduct->what == TPMI_DEFERS ? put_off(call, ABI_CORE_POWER_STATE) : 0;
}

static int clos_param(struct tpmi_call *call, void *argument)
{
	struct abi_clos_param *clos = argument;
	const struct tpmi_registers *registers = &call->registers;
	int result = clos->clos < CLOS_COUNT
			     ? open_domain(call, clos->socket_id, clos->power_domain_id)
			     : -EINVAL;

	if (result)
		return result;
	if (!clos->get_set) {
		clos->prop_prio = (uint8_t)tpmi_get(registers, CP_CLOS_WEIGHT, 0, clos->clos);
		clos->min_freq_mhz = (uint16_t)(tpmi_get(registers, CP_CLOS_MIN, 0, clos->clos) *
						100);
		clos->max_freq_mhz = (uint16_t)(tpmi_get(registers, CP_CLOS_MAX, 0, clos->clos) *
						100);
		return 0;
	}
	result = check_privilege(call);
	if (!result && (clos->min_freq_mhz / 100 > UINT8_MAX ||
			clos->max_freq_mhz / 100 > UINT8_MAX || clos->prop_prio > 15))
		result = -EINVAL;
	if (result || call->conduct->what == TPMI_REFUSES)
		return result;
	if (call->conduct->what == TPMI_DEFERS)
		return deferred_add(call->server, ABI_CLOS_PARAM, clos, sizeof(*clos),
				    call->conduct->value);
	/* Three changes of one register, one after the other. */
	tpmi_set(registers, CP_CLOS_MIN, 0, clos->clos, clos->min_freq_mhz / 100);
	tpmi_set(registers, CP_CLOS_MAX, 0, clos->clos, clos->max_freq_mhz / 100);
	tpmi_set(registers, CP_CLOS_WEIGHT, 0, clos->clos, clos->prop_prio);
	return 0;
}

/** The driver does not look whether the power domain is there and has core-power: where it is not,
 * a real kernel crashes. Who sends that is to be found, not to be answered. */
static int crash_kernel(struct server *server, const struct abi_clos_assoc *one, const char *why)
{
	char text[160];

	snprintf(text, sizeof(text),
		 "Emulated kernel: CLOS_ASSOC for socket %u power domain %u, %s: a real kernel "
		 "crashes here\n",
		 one->socket_id, one->power_domain_id, why);
	server->crash(text);
	return -EIO;
}

int tpmi_associate(struct server *server, struct abi_clos_assoc *one, bool set,
		   const struct tpmi_conduct *conduct)
{
	struct tpmi_call call = { .server = server, .conduct = conduct };

	if (one->clos >= CLOS_COUNT || one->logical_cpu > LAST_CORE ||
	    one->power_domain_id >= count_slots(server, one->socket_id))
		return -EINVAL;
	if (tpmi_find_slot(server, one->socket_id, 0, &call.domain) &&
	    !is_bound(server, &server->platform->domains[call.domain]))
		return -EINVAL;
	if (open_domain(&call, one->socket_id, one->power_domain_id))
		return crash_kernel(server, one, "which is not in the valid mask");
	if (!(tpmi_get(&call.registers, SST_CAPABILITIES, 0, 0) & TPMI_HAS_CORE_POWER))
		return crash_kernel(server, one, "without core-power");
	if (!set) {
		one->clos = (uint16_t)tpmi_class(&call.registers, one->logical_cpu);
		return 0;
	}
	if (conduct->what == TPMI_REFUSES)
		return 0;
	if (conduct->what == TPMI_DEFERS)
		return deferred_add(server, ABI_CLOS_ASSOC, one, sizeof(*one), conduct->value);
	tpmi_set_class(&call.registers, one->logical_cpu, one->clos);
	return 0;
}

static int count_instances(struct tpmi_call *call, void *argument)
{
	struct abi_tpmi_instance_count *instances = argument;
	const struct platform *platform = call->server->platform;
	unsigned int slots = count_slots(call->server, instances->socket_id);
	const size_t first = tpmi_find_socket(call->server, instances->socket_id);

	if (slots == 0)
		return -EINVAL;
	if (holds_package(&platform->unbound, platform->domains[first].package))
		return -EINVAL;
	instances->valid_mask = 0;
	for (size_t i = first;
	     i < platform->domain_count && platform->domains[i].socket == instances->socket_id; i++)
		if (is_valid(call->server, i))
			instances->valid_mask |= (uint16_t)(1u
							    << platform->domains[i].power_domain);
	instances->count = instances->valid_mask ? (uint8_t)slots : 0;
	return 0;
}

/* ---- All requests ---- */

static const struct tpmi_request {
	unsigned long code;
	int (*run)(struct tpmi_call *call, void *argument);
	unsigned int kernel; /* since; 0: all that have TPMI */
} requests[] = {
	{ ABI_COUNT_TPMI_INSTANCES, count_instances, 0 },
	{ ABI_PERF_LEVELS, query_perf_levels, 0 },
	{ ABI_CORE_POWER_STATE, core_power_state, 0 },
	{ ABI_CLOS_PARAM, clos_param, 0 },
	{ ABI_PERF_SET_LEVEL, request_level, 0 },
	{ ABI_PERF_SET_FEATURE, set_features, 0 },
	{ ABI_GET_PERF_LEVEL_INFO, query_level, 0 },
	{ ABI_GET_PERF_LEVEL_CPU_MASK, query_mask, 0 },
	{ ABI_GET_BASE_FREQ_INFO, query_base_freq, 0 },
	{ ABI_GET_BASE_FREQ_CPU_MASK, query_mask, 0 },
	{ ABI_GET_TURBO_FREQ_INFO, query_turbo_freq, 0 },
	{ ABI_GET_PERF_LEVEL_FABRIC_INFO, query_fabric, KERNEL(7, 2) },
};

static const struct tpmi_request *find_request(const struct server *server, unsigned long code)
{
	for (size_t i = 0; i < sizeof(requests) / sizeof(*requests); i++)
		if (requests[i].code == code &&
		    requests[i].kernel <= server->platform->kernel.value)
			return &requests[i];
	return NULL;
}

bool tpmi_knows(const struct server *server, unsigned long code)
{
	return platform_is_tpmi(server->platform) &&
	       (code == ABI_CLOS_ASSOC || find_request(server, code));
}

int tpmi_masked(const struct server *server, int result)
{
	return result < 0 && server->platform->masked_errors.value ? -ENOTTY : result;
}

int tpmi_run(struct server *server, unsigned long code, void *argument,
	     const struct tpmi_conduct *conduct)
{
	struct tpmi_call call = { .server = server, .code = code, .conduct = conduct };

	return find_request(server, code)->run(&call, argument);
}

int tpmi_associations_mistake(struct server *server, const struct abi_clos_assoc_cmds *batch)
{
	struct tpmi_call call = { .server = server };
	int result = batch->get_set ? check_privilege(&call) : 0;

	if (batch->cmd_count == 0 || batch->cmd_count > TPMI_MOST_ASSOCIATIONS)
		return -EINVAL;
	return batch->punit_cpu_map ? result : -EOPNOTSUPP;
}

/* ---- Later ---- */

void tpmi_run_deferred(struct server *server, unsigned long code, const void *entry)
{
	const struct tpmi_conduct acts = { TPMI_ACTS, 0 };
	struct tpmi_call call = { .server = server, .conduct = &acts };
	struct abi_clos_assoc association;
	struct abi_clos_param clos;
	uint32_t domain;

	memcpy(&domain, entry, sizeof(domain));
	memcpy(&clos, entry, sizeof(clos));
	memcpy(&association, entry, sizeof(association));
	/* It comes from a file. */
	if (code != ABI_CLOS_PARAM && code != ABI_CLOS_ASSOC &&
	    domain >= server->platform->domain_count)
		return;
	switch (code) {
	case ABI_CLOS_PARAM:
		clos_param(&call, &clos);
		break;
	case ABI_CLOS_ASSOC:
		tpmi_associate(server, &association, true, &acts);
		break;
	case ABI_CORE_POWER_STATE:
		firmware_core_power(server, domain);
		break;
	default:
		firmware_perf_profile(server, domain);
	}
}
