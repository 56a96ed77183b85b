/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of values. Numbers are fixed: programs are compiled with them. */
#include "library/values.h"
#include "features/features.h"

#include <string.h>

/* Name and unit, then what the value is and where. */
#define ROW(value, text, of, ...) \
	{ \
		.id = ISST_VALUE_##value, .name = (text), .unit = (of), __VA_ARGS__ \
	}

/* How values are kept: a number, a flag, ... of a member of a source's struct. */
#define MEMBER(of, member) .source = SOURCE_##of, .offset = offsetof(TYPE_##of, member)
#define NUMBER(of, member) .type = ISST_TYPE_NUMBER, .store = STORE_NUMBER, MEMBER(of, member)
#define FLAG(of, member) .type = ISST_TYPE_FLAG, .store = STORE_FLAG, MEMBER(of, member)
#define STATE(of, member) .type = ISST_TYPE_FEATURE_STATE, .store = STORE_STATE, MEMBER(of, member)
#define BITS(of, member) .type = ISST_TYPE_BITS, .store = STORE_BITS, MEMBER(of, member)
#define CPUS(of, member) .type = ISST_TYPE_CPUS, .store = STORE_CPUS, MEMBER(of, member)
#define KHZ(of, member) .type = ISST_TYPE_NUMBER, .store = STORE_KHZ, MEMBER(of, member)
#define VALUE(of, member) .type = ISST_TYPE_NUMBER, .store = STORE_VALUE, MEMBER(of, member)

#define TYPE_PERF_PROFILE struct isst_perf_profile
#define TYPE_LEVEL struct isst_level
#define TYPE_PROPERTIES struct isst_level
#define TYPE_BASE_FREQ struct isst_base_freq
#define TYPE_TURBO_FREQ struct isst_turbo_freq
#define TYPE_CORE_POWER struct isst_core_power
#define TYPE_CLOS_USE struct isst_core_power
#define TYPE_CLOS struct isst_clos
#define TYPE_CLOS_CONFIG struct isst_clos
#define TYPE_ASSOCIATION struct isst_clos_association
#define TYPE_LIMITS struct isst_turbo_ratio_limits
#define TYPE_UNCORE struct uncore_values
#define TYPE_SCALING struct scaling_limits
#define TYPE_RUNNING struct cpu_running
#define TYPE_REASONS struct cpu_running
#define TYPE_POWER struct domain_power

#define OF_FABRIC(member) \
	VALUE(PROPERTIES, fabric[0].member), .rows = ISST_FABRICS, \
					     .row_size = sizeof(struct isst_fabric)
#define OF_LIMIT(member) \
	VALUE(PROPERTIES, limit[0].member[0]), .rows = ISST_TRL_TYPES, .columns = ISST_BUCKETS, \
					       .row_size = sizeof(struct isst_turbo_limit), \
					       .column_size = sizeof(struct isst_value)
#define OF_UNCORE(member) \
	KHZ(UNCORE, fabric[0].member), .rows = ISST_FABRICS, \
				       .row_size = sizeof(struct uncore_limits), \
				       .row_failure = offsetof(TYPE_UNCORE, fabric[0].failure)
/* A limit that was set is another one than that of boot, where the kernel shows this. */
#define UNLESS_OF_BOOT(member) .none_at = offsetof(TYPE_UNCORE, fabric[0].initial.member)
#define OF_REQUEST .of_requests = true
#define IN_REQUEST(of) \
	.type = ISST_TYPE_##of, .source = SOURCE_REQUEST, .store = STORE_NOWHERE, OF_REQUEST

static const struct value_row TABLE[] = {
	ROW(LEVEL, "level", "", NUMBER(LEVEL, level), OF_REQUEST),
	ROW(CLOS, "clos", "", NUMBER(CLOS, clos), OF_REQUEST),
	ROW(CLOS, "clos", "", NUMBER(ASSOCIATION, clos), OF_REQUEST),

	ROW(VERSION, "version", "", NUMBER(PERF_PROFILE, version)),
	ROW(HIGHEST_LEVEL, "highest_level", "", NUMBER(PERF_PROFILE, highest_level)),
	ROW(LEVEL_MASK, "level_mask", "", NUMBER(PERF_PROFILE, level_mask), .zero_is_none = true),
	ROW(CURRENT_LEVEL, "current_level", "", NUMBER(PERF_PROFILE, current_level)),
	ROW(LOCKED, "locked", "", FLAG(PERF_PROFILE, locked)),
	ROW(ENABLED, "enabled", "", FLAG(PERF_PROFILE, enabled)),

	ROW(TURBO_FREQ_STATE, "turbo_freq_state", "", STATE(LEVEL, turbo_freq)),
	ROW(BASE_FREQ_STATE, "base_freq_state", "", STATE(LEVEL, base_freq)),
	ROW(CORE_POWER_STATE, "core_power_state", "", STATE(PROPERTIES, core_power)),
	ROW(CPUS, "cpus", "", CPUS(PROPERTIES, cpus)),
	ROW(CORES, "cores", "", BITS(PROPERTIES, cores),
	    .needs_cpus = offsetof(struct isst_level, cpus)),
	ROW(TDP_RATIO, "tdp_ratio", "", VALUE(PROPERTIES, tdp_ratio)),
	ROW(BASE_MHZ, "base_mhz", "MHz", VALUE(PROPERTIES, base_mhz)),
	ROW(BASE_AVX2_MHZ, "base_avx2_mhz", "MHz", VALUE(PROPERTIES, base_avx2_mhz)),
	ROW(BASE_AVX512_MHZ, "base_avx512_mhz", "MHz", VALUE(PROPERTIES, base_avx512_mhz)),
	ROW(BASE_AMX_MHZ, "base_amx_mhz", "MHz", VALUE(PROPERTIES, base_amx_mhz)),
	ROW(FABRIC_BASE_MHZ, "fabric_base_mhz", "MHz", OF_FABRIC(base_mhz)),
	ROW(FABRIC_MIN_MHZ, "fabric_min_mhz", "MHz", OF_FABRIC(min_mhz)),
	ROW(FABRIC_MAX_MHZ, "fabric_max_mhz", "MHz", OF_FABRIC(max_mhz)),
	ROW(MEMORY_MHZ, "memory_mhz", "MHz", VALUE(PROPERTIES, memory_mhz)),
	ROW(COOLING_TYPE, "cooling_type", "", VALUE(PROPERTIES, cooling_type)),
	ROW(TDP_W, "tdp_w", "W", VALUE(PROPERTIES, power_w)),
	ROW(TJUNCTION_C, "tjunction_c", "C", VALUE(PROPERTIES, tjunction_c)),
	ROW(TURBO_LIMIT_CORES, "turbo_limit_cores", "", OF_LIMIT(core_count)),
	ROW(TURBO_LIMIT_MHZ, "turbo_limit_mhz", "MHz", OF_LIMIT(mhz)),

	ROW(BASE_FREQ_HIGH_CPUS, "base_freq_high_cpus", "", CPUS(BASE_FREQ, high_priority)),
	ROW(BASE_FREQ_HIGH_MHZ, "base_freq_high_mhz", "MHz", VALUE(BASE_FREQ, high_mhz)),
	ROW(BASE_FREQ_LOW_MHZ, "base_freq_low_mhz", "MHz", VALUE(BASE_FREQ, low_mhz)),
	ROW(BASE_FREQ_TJUNCTION_C, "base_freq_tjunction_c", "C", VALUE(BASE_FREQ, tjunction_c)),
	ROW(BASE_FREQ_TDP_W, "base_freq_tdp_w", "W", VALUE(BASE_FREQ, power_w)),

	ROW(TURBO_FREQ_BUCKETS, "turbo_freq_buckets", "", NUMBER(TURBO_FREQ, buckets)),
	ROW(TURBO_FREQ_HIGH_CORES, "turbo_freq_high_cores", "",
	    NUMBER(TURBO_FREQ, high_priority_cores[0]), .columns = ISST_BUCKETS,
	    .column_size = sizeof(unsigned int),
	    .column_count = offsetof(struct isst_turbo_freq, buckets)),
	ROW(TURBO_FREQ_HIGH_MHZ, "turbo_freq_high_mhz", "MHz", VALUE(TURBO_FREQ, mhz[0][0]),
	    .rows = ISST_TRL_TYPES, .columns = ISST_BUCKETS,
	    .row_size = sizeof(struct isst_value[ISST_BUCKETS]),
	    .column_size = sizeof(struct isst_value)),
	ROW(TURBO_FREQ_CLIP_MHZ, "turbo_freq_clip_mhz", "MHz", VALUE(TURBO_FREQ, clip_mhz[0]),
	    .rows = ISST_TRL_TYPES, .row_size = sizeof(struct isst_value)),

	ROW(CORE_POWER_SUPPORTED, "core_power_supported", "", FLAG(CORE_POWER, supported)),
	ROW(CORE_POWER_ENABLED, "core_power_enabled", "", FLAG(CORE_POWER, enabled)),
	ROW(CLOS_ENABLED, "clos_enabled", "", FLAG(CLOS_USE, clos_enabled)),
	ROW(CLOS_IN_FORCE, "clos_in_force", "", STATE(CORE_POWER, clos_in_force)),
	ROW(PRIORITY, "priority", "", .type = ISST_TYPE_PRIORITY, .store = STORE_ENUM,
	    MEMBER(CLOS_USE, priority), OF_REQUEST),

	ROW(CLOS_EPP, "clos_epp", "", NUMBER(CLOS_CONFIG, epp), OF_REQUEST),
	ROW(CLOS_WEIGHT, "clos_weight", "", NUMBER(CLOS_CONFIG, weight), OF_REQUEST),
	ROW(CLOS_MIN_MHZ, "clos_min_mhz", "MHz", NUMBER(CLOS_CONFIG, min_mhz), OF_REQUEST),
	ROW(CLOS_MAX_MHZ, "clos_max_mhz", "MHz", NUMBER(CLOS_CONFIG, max_mhz), OF_REQUEST),
	ROW(CLOS_DESIRED_MHZ, "clos_desired_mhz", "MHz", NUMBER(CLOS_CONFIG, desired_mhz),
	    OF_REQUEST),

	ROW(TURBO_RATIO_LIMITS, "turbo_ratio_limits", "", BITS(LIMITS, value), OF_REQUEST),

	ROW(UNCORE_MIN_MHZ, "uncore_min_mhz", "MHz", OF_UNCORE(now.min_khz),
	    UNLESS_OF_BOOT(min_khz)),
	ROW(UNCORE_MAX_MHZ, "uncore_max_mhz", "MHz", OF_UNCORE(now.max_khz),
	    UNLESS_OF_BOOT(max_khz)),
	ROW(UNCORE_INITIAL_MIN_MHZ, "uncore_initial_min_mhz", "MHz", OF_UNCORE(initial.min_khz),
	    .zero_is_none = true),
	ROW(UNCORE_INITIAL_MAX_MHZ, "uncore_initial_max_mhz", "MHz", OF_UNCORE(initial.max_khz),
	    .zero_is_none = true),

	ROW(SCALING_MIN_MHZ, "scaling_min_mhz", "MHz", KHZ(SCALING, now.min_khz),
	    .zero_is_none = true),
	ROW(SCALING_MAX_MHZ, "scaling_max_mhz", "MHz", KHZ(SCALING, now.max_khz),
	    .zero_is_none = true),
	ROW(PROCESSOR_MIN_MHZ, "processor_min_mhz", "MHz", KHZ(SCALING, processor.min_khz)),
	ROW(PROCESSOR_MAX_MHZ, "processor_max_mhz", "MHz", KHZ(SCALING, processor.max_khz)),

	ROW(CURRENT_MHZ, "current_mhz", "MHz", NUMBER(RUNNING, mhz)),
	ROW(LIMIT_REASONS, "limit_reasons", "", BITS(REASONS, reasons)),
	ROW(POWER_MW, "power_mw", "mW", VALUE(POWER, power_mw)),
	ROW(POWER_LIMIT_MW, "power_limit_mw", "mW", VALUE(POWER, limit_mw)),

	ROW(HIGH_PRIORITY_CPUS, "high_priority_cpus", "", IN_REQUEST(CPUS)),
	ROW(HIGH_PRIORITY_CORES, "high_priority_cores", "", IN_REQUEST(NUMBER)),
	ROW(HIGH_PRIORITY_CORES_PER_PACKAGE, "high_priority_cores_per_package", "",
	    IN_REQUEST(NUMBER)),
	ROW(HIGH_PRIORITY_BUCKET, "high_priority_bucket", "", IN_REQUEST(NUMBER)),
	ROW(WITHIN_CPUS, "within_cpus", "", IN_REQUEST(CPUS)),
	ROW(AVOID_CPUS, "avoid_cpus", "", IN_REQUEST(CPUS)),

/* Older programs must not notice a value more (tests/library/shared.sh). */
#ifdef ISST_TEST_GROWN
	{ .id = 1000, .name = "grown", .unit = "", NUMBER(PERF_PROFILE, version) },
#endif
};

enum { ROWS = sizeof(TABLE) / sizeof(TABLE[0]) };

_Static_assert(sizeof(enum isst_priority) == sizeof(unsigned int), "enums are as numbers");
_Static_assert(sizeof(enum isst_feature_state) == sizeof(unsigned int), "enums are as numbers");

const struct value_row *value_row_of(int id, unsigned int sources)
{
	for (size_t i = 0; i < ROWS; i++)
		if (TABLE[i].id == id && sources & 1U << TABLE[i].source)
			return &TABLE[i];
	return NULL;
}

const struct value_row *value_row(int id)
{
	return value_row_of(id, ~0U);
}

int isst_value_at(size_t index)
{
	int before = 0;

	for (size_t i = 0; i < ROWS; i++) {
		/* One of several kinds of results is one value. */
		if (TABLE[i].id == before)
			continue;
		before = TABLE[i].id;
		if (index-- == 0)
			return before;
	}
	return 0;
}

const char *isst_value_name(int id)
{
	const struct value_row *row = value_row(id);

	return row ? row->name : NULL;
}

const char *isst_value_unit(int id)
{
	const struct value_row *row = value_row(id);

	return row ? row->unit : NULL;
}

int isst_value_type(int id)
{
	const struct value_row *row = value_row(id);

	return row ? (int)row->type : 0;
}
