/* SPDX-License-Identifier: BSD-3-Clause */
/* Results: what the firmware answers. Programs see only values (src/library/values.c). */
#ifndef ISST_FIRMWARE_RESULTS_H
#define ISST_FIRMWARE_RESULTS_H

#include "base/place.h"
#include "base/result.h"

struct isst_perf_profile {
	const struct isst_domain *domain; /* in */
	struct isst_failure failure;
	unsigned int version;
	unsigned int highest_level;
	unsigned int level_mask; /* bit n: level n exists; 0: not reported, nearly always all do */
	unsigned int current_level;
	bool locked;
	bool enabled;
};

enum { ISST_TRL_TYPES = 6, ISST_BUCKETS = 8 };

/** SST-BF at one level of one domain. */
struct isst_base_freq {
	struct isst_failure failure;
	struct isst_cpuset *high_priority; /* CPUs of the high priority cores; NULL if unreadable */
	struct isst_value high_mhz, low_mhz;
	struct isst_value tjunction_c;
	struct isst_value power_w;
};

/** SST-TF at one level of one domain. */
struct isst_turbo_freq {
	struct isst_failure failure;
	unsigned int buckets; /* that are valid */
	unsigned int high_priority_cores[ISST_BUCKETS];
	struct isst_value mhz[ISST_TRL_TYPES][ISST_BUCKETS]; /* of high priority cores */
	struct isst_value clip_mhz[ISST_TRL_TYPES];	     /* of low priority cores */
};

/** Turbo limits of one TRL type: up to @core_count active cores reach @mhz. */
struct isst_turbo_limit {
	bool present; /* the first bucket has a ratio */
	struct isst_value core_count[ISST_BUCKETS];
	struct isst_value mhz[ISST_BUCKETS];
};

/** Of a power domain: the most that the driver's answers and the kernel's directories can have. */
enum { ISST_FABRICS = 8 };

/** Frequencies of a level's uncore fabric. */
struct isst_fabric {
	struct isst_value base_mhz, min_mhz, max_mhz;
};

/** Everything that a performance level of a domain specifies. Cleared by level_clear(). */
struct isst_level {
	const struct isst_domain *domain;	 /* in */
	unsigned int level;			 /* in */
	const struct isst_perf_profile *profile; /* in: the domain's */
	struct isst_failure failure;
	enum isst_feature_state turbo_freq,
		base_freq;     /* at this level; by TPMI at the current one */
	bool features_assumed; /* support is reported for the current level only, which is another
				*/
	enum isst_feature_state core_power;
	struct isst_cpuset *cpus; /* CPUs that may be online; NULL if unreadable or not reported */
	uint64_t cores;		  /* the firmware's numbers of their cores, unless @cpus is NULL */
	struct isst_value tdp_ratio;
	struct isst_value base_mhz, base_avx2_mhz, base_avx512_mhz, base_amx_mhz;
	struct isst_fabric fabric[ISST_FABRICS];
	struct isst_value memory_mhz;
	struct isst_value cooling_type;
	struct isst_value power_w, tjunction_c;
	struct isst_turbo_limit limit[ISST_TRL_TYPES];
	struct isst_base_freq base_freq_info;	/* where base_freq is supported */
	struct isst_turbo_freq turbo_freq_info; /* where turbo_freq is supported */
};

struct isst_core_power {
	const struct isst_domain *domain; /* in */
	struct isst_failure failure;
	bool supported;
	bool enabled;			  /* the feature */
	struct isst_failure clos_failure; /* of what follows, where core-power is not supported */
	bool clos_enabled;		  /* the use of classes of service */
	enum isst_priority priority;
	enum isst_feature_state clos_in_force; /* by core_power_read(): limits of classes hold */
};

enum { ISST_CLOS_COUNT = 4 };

struct isst_clos {
	const struct isst_domain *domain; /* in */
	unsigned int clos;		  /* in: 0..3 */
	struct isst_failure failure;
	unsigned int epp, weight;
	unsigned int min_mhz, max_mhz, desired_mhz;
	uint64_t word; /* all of them, as SETTING_CLOS */
};

struct isst_clos_association {
	const struct isst_cpu *cpu; /* in */
	struct isst_failure failure;
	unsigned int clos;
	uint64_t word; /* the same, as SETTING_ASSOCIATION */
};

struct isst_turbo_ratio_limits {
	const struct isst_domain *domain; /* in */
	struct isst_failure failure;
	uint64_t value; /* MSR 0x1ad: eight ratios (100 MHz), bucket 0 in the lowest byte */
};

#endif
