/* SPDX-License-Identifier: BSD-3-Clause */
/* Firmware interfaces, one table of operations each. An operation plans requests for one domain
 * into a batch; firmware_run() sends them all in as few calls as possible. Cores have the
 * firmware's numbers. */
#ifndef ISST_FIRMWARE_FIRMWARE_H
#define ISST_FIRMWARE_FIRMWARE_H

#include "firmware/results.h"

struct driver;
struct firmware_batch;
struct kernel_files;
struct messages;

struct firmware {
	const struct firmware_operations *operations;
	struct driver *driver;
	struct kernel_files *files; /* for what is read from cpufreq instead of the firmware */
	struct messages *messages;
	const struct isst_platform *platform;
};

/** The firmware's number of a CPU. */
struct punit_number {
	unsigned int domain, core, thread;
};

/** A set of cores as the firmware reports it: bit i of half h is core 32 * h + i. */
struct core_mask {
	struct isst_value half[2];
};

struct level_features {
	struct isst_failure failure;
	bool base_freq_supported, turbo_freq_supported;
	bool base_freq_on, turbo_freq_on;
	bool assumed; /* support is reported for the current level only, which is another */
};

/** A level that is being read: the result, and intermediate values. */
struct level_request {
	struct isst_level *level; /* in, as the next two and @disabled */
	bool may_have_high_cores; /* cores from 32 on may exist in the domain */
	bool has_high_cores;	  /* and do exist */
	bool refused;		  /* the domain has no such level: nothing is sent for it */
	bool disabled;		  /* SST-PP is off: this is the base level */
	struct level_features features;
	struct core_mask cores, high_priority;
	struct isst_value turbo_freq_cores[ISST_BUCKETS];
	struct isst_value memory_code;
};

/** Settings, one value each with the same meaning for all firmware interfaces. */
enum firmware_setting {
	SETTING_LEVEL,		    /* the current level */
	SETTING_FEATURES,	    /* FEATURE_... that are on; index: the current level */
	SETTING_CORE_POWER,	    /* bit 0: core-power on */
	SETTING_QOS,		    /* QOS_...; other bits are kept */
	SETTING_CLOS,		    /* index: CLOS. CLOS_...; those from CLOS_MIN on are ratios */
	SETTING_ASSOCIATION,	    /* index: core. CLOS */
	SETTING_TURBO_RATIO_LIMITS, /* eight ratios, bucket 0 in [7:0] */
	SETTING_LEVEL_LOCK,	    /* only to be read: the level is locked */
	SETTINGS,
};

/** Bits of the values of settings. */
enum {
	FEATURE_TURBO_FREQ = 1,
	FEATURE_BASE_FREQ = 2,
	QOS_CLOS_ENABLE = 2,
	QOS_ORDERED = 4,
	CLOS_EPP = 0xf,
	CLOS_WEIGHT = 0xf0,
	CLOS_MIN = 0xff00,
	CLOS_MAX = 0xff0000,
};
#define CLOS_DESIRED UINT32_C(0xff000000)

struct setting_request {
	const struct isst_domain *domain;
	enum firmware_setting setting;
	unsigned int index;
	uint64_t *value; /* to be read into, or to be written */
	struct isst_failure *failure;
};

/** One firmware interface. Plan functions return 0 or -ENOMEM; firmware_run() fills in the results.
 */
struct firmware_operations {
	unsigned int thread_bits;   /* of a CPU's number */
	bool cores_of_kernel;	    /* the kernel's numbers of cores stand for the firmware's */
	bool one_core_power_switch; /* SETTING_QOS includes SETTING_CORE_POWER */
	bool turbo_freq_uses_clos;  /* classes hold while SST-TF is on; else that is unknown */
	/** The mask of a package's power domains. Returns 0 or the driver's negative errno. NULL: a
	 * package x die is one domain. */
	int (*valid_domains)(struct driver *driver, unsigned int package, unsigned int *valid);
	/** Name of a TRL type on this platform, or NULL. */
	const char *(*trl_type_name)(const struct isst_platform *platform, unsigned int type);

	int (*plan_perf_profile)(struct firmware_batch *batch, struct isst_perf_profile *profile);
	int (*plan_core_power_switch)(struct firmware_batch *batch, struct isst_core_power *state);
	/** With CLOS; whether they are in force only with @turbo_freq_uses_clos. */
	int (*plan_core_power)(struct firmware_batch *batch, struct isst_core_power *state);

	int (*plan_features)(struct firmware_batch *batch, const struct isst_domain *domain,
			     unsigned int level, struct level_features *features);
	/** Sizes of the domain's turbo buckets; NULL: levels have their own. */
	int (*plan_bucket_cores)(struct firmware_batch *batch, const struct isst_domain *domain,
				 struct isst_failure *failure,
				 struct isst_value cores[ISST_BUCKETS]);
	/** Properties of a level; what depends on answers comes in the second phase. NULL where
	 * nothing is left to do, or plan_features() never reports the feature as supported. */
	int (*plan_properties)(struct firmware_batch *batch, struct level_request *request);
	int (*plan_properties_rest)(struct firmware_batch *batch, struct level_request *request);
	void (*finish_properties)(const struct isst_platform *platform,
				  struct level_request *request);

	/** Only a level's turbo limits of the first TRL type; NULL: levels specify none. */
	int (*plan_level_limits)(struct firmware_batch *batch, const struct isst_domain *domain,
				 unsigned int level, struct isst_failure *failure,
				 struct isst_value mhz[ISST_BUCKETS]);

	int (*plan_base_freq)(struct firmware_batch *batch, struct level_request *request);
	int (*plan_turbo_freq)(struct firmware_batch *batch, struct level_request *request);
	int (*plan_turbo_freq_rest)(struct firmware_batch *batch, struct level_request *request);

	int (*plan_get)(struct firmware_batch *batch, const struct setting_request *request);
	int (*plan_set)(struct firmware_batch *batch, const struct setting_request *request);
};

/* Thread, core (8 bits) and domain (5 bits) follow each other. */
static inline struct punit_number
firmware_decode_punit(const struct firmware_operations *operations, uint32_t physical_cpu)
{
	unsigned int bits = operations->thread_bits;

	return (struct punit_number){ .domain = physical_cpu >> (bits + 8) & 0x1f,
				      .core = physical_cpu >> bits & 0xff,
				      .thread = physical_cpu & ((1U << bits) - 1) };
}

extern const struct firmware_operations mailbox_operations; /* API version 1 */
extern const struct firmware_operations tpmi_operations;    /* API versions 2 and 3 */

/** An empty batch, or NULL without memory. */
struct firmware_batch *firmware_batch_new(struct firmware *firmware);
void firmware_batch_free(struct firmware_batch *batch);

/** Sends what was planned since the last run, and fills in results and failures. Returns 0 or
 * -ENOMEM. */
int firmware_run(struct firmware_batch *batch);

/** Sends planned writes, all of one setting, up to the first that fails; later ones fail as not
 * sent. A failure -ETIMEDOUT may still take effect. Returns 0 or -ENOMEM. */
int firmware_run_writes(struct firmware_batch *batch);

/** Number of turbo-freq buckets before the first without cores. */
unsigned int firmware_valid_buckets(const struct isst_value cores[ISST_BUCKETS]);

/** The most words that debugfs shows of an instance of SST. */
enum { TPMI_DUMP_WORDS = 2 * (0xff + 5) };

/** The levels requested last and present, from the first @count words of an instance's registers.
 * Returns false if these are missing. */
bool tpmi_dump_levels(const uint32_t *words, size_t count, unsigned int *requested,
		      unsigned int *present);

/* ---- preset.c: processors whose BIOS has set SST-BF for good (PLATFORM_MAY_BE_PRESET) ---- */

/** Whether the model name identifies such a processor; no driver is opened then. */
int preset_find_by_name(struct firmware *firmware, bool *preset);

/**
 * Whether no mailbox answers, and CPUs have two base frequencies.
 *
 * @connected: 0 if the driver provides the mailbox, else the error, whose message is set
 * Returns 0; @connected if the driver may not be opened; or another negative errno with a message,
 * -EOPNOTSUPP for a processor without Speed Select.
 */
int preset_find_by_frequencies(struct firmware *firmware, int connected, bool *preset);

/** Level 0 with SST-BF always on. */
extern const struct firmware_operations preset_operations;

#endif
