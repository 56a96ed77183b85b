/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How the firmware of a machine is reached: one table of operations for each way. An operation
 * plans requests for one domain into a batch; firmware_run() sends all that were planned, for all
 * domains, and fills in the results. So what depends on nothing but what is known already goes out
 * in the same calls. Knows no topology beyond the domain that it is given: cores are the firmware's
 * core numbers here.
 */
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

/** Whether a level supports the features, and whether they are on. */
struct level_features {
	struct isst_failure failure;
	bool base_freq_supported, turbo_freq_supported;
	bool base_freq_on, turbo_freq_on;
	bool assumed; /* the support is that of the current level: that of others is not reported */
};

/**
 * A level that is being read: the result, and what is needed on the way to it. The planner sets
 * @level, @may_have_high_cores, @has_high_cores and @disabled.
 */
struct level_request {
	struct isst_level *level;
	bool may_have_high_cores; /* cores of number 32 and above may exist in the domain */
	bool has_high_cores;	  /* and do exist */
	bool refused;		  /* the domain has no such level: nothing is sent for it */
	bool disabled;		  /* SST-PP is not enabled: the level is the base level */
	struct level_features features;
	struct core_mask cores, high_priority;
	struct isst_value turbo_freq_cores[ISST_BUCKETS];
	struct isst_value memory_code;
};

/** What can be set, one value each (an unsigned number whose meaning is the same on every way to
 * the firmware). */
enum firmware_setting {
	SETTING_LEVEL,	    /* the current level */
	SETTING_FEATURES,   /* bit 0 turbo-freq, bit 1 base-freq on; index: the current level */
	SETTING_CORE_POWER, /* bit 0: core-power on */
	SETTING_QOS,	    /* bit 1 CLOS on, bit 2 ordered priority; other bits are kept */
	SETTING_CLOS,	    /* index: CLOS. [3:0] EPP, [7:4] weight, ratios [15:8] min, [23:16] max,
			       [31:24] desired */
	SETTING_ASSOCIATION,	    /* index: core. CLOS */
	SETTING_TURBO_RATIO_LIMITS, /* eight ratios, bucket 0 in [7:0] */
	SETTINGS,
};

struct setting_request {
	const struct isst_domain *domain;
	enum firmware_setting setting;
	unsigned int index;
	uint64_t *value; /* to be read into, or to be written */
	struct isst_failure *failure;
};

/**
 * One firmware interface. A plan function returns 0 or -ENOMEM; what it reads is there after
 * firmware_run().
 */
struct firmware_operations {
	/** Of the number of a CPU: bits that number the threads of a core. */
	unsigned int thread_bits;
	/** No firmware numbers the cores: the kernel's numbers stand for it. */
	bool cores_of_kernel;
	/**
	 * Where a package consists of several power domains: finds which of them there are, as a
	 * mask. Returns 0 or the driver's negative errno. NULL: a package x die is one domain.
	 */
	int (*valid_domains)(struct driver *driver, unsigned int package, unsigned int *valid);
	/** SETTING_QOS switches core-power as a whole: SETTING_CORE_POWER is a part of it. */
	bool one_core_power_switch;
	/** Classes hold while SST-TF is on, too; else it is not known whether they do. */
	bool turbo_freq_uses_clos;
	/** Name of a TRL type on this platform, NULL where there is none. */
	const char *(*trl_type_name)(const struct isst_platform *platform, unsigned int type);

	int (*plan_perf_profile)(struct firmware_batch *batch, struct isst_perf_profile *profile);
	int (*plan_core_power_switch)(struct firmware_batch *batch, struct isst_core_power *state);
	/** With the use of CLOS; whether they are in force only with @turbo_freq_uses_clos. */
	int (*plan_core_power)(struct firmware_batch *batch, struct isst_core_power *state);

	/** Features of a level; @features->failure takes what fails. */
	int (*plan_features)(struct firmware_batch *batch, const struct isst_domain *domain,
			     unsigned int level, struct level_features *features);
	/** Sizes of the turbo buckets where they are the domain's; NULL: they come with the
	 * properties of a level. */
	int (*plan_bucket_cores)(struct firmware_batch *batch, const struct isst_domain *domain,
				 struct isst_failure *failure,
				 struct isst_value cores[ISST_BUCKETS]);
	/**
	 * Properties of a level, in two phases: what depends on answers of the first comes in the
	 * second. That and what finishes may be NULL where the first reads everything; so may what
	 * is of a feature that plan_features() never calls supported.
	 */
	int (*plan_properties)(struct firmware_batch *batch, struct level_request *request);
	int (*plan_properties_rest)(struct firmware_batch *batch, struct level_request *request);
	void (*finish_properties)(const struct isst_platform *platform,
				  struct level_request *request);

	/**
	 * The turbo limits of the first TRL type that a level specifies, in MHz, and nothing else
	 * of it. NULL: levels specify none.
	 */
	int (*plan_level_limits)(struct firmware_batch *batch, const struct isst_domain *domain,
				 unsigned int level, struct isst_failure *failure,
				 struct isst_value mhz[ISST_BUCKETS]);

	int (*plan_base_freq)(struct firmware_batch *batch, struct level_request *request);
	int (*plan_turbo_freq)(struct firmware_batch *batch, struct level_request *request);
	int (*plan_turbo_freq_rest)(struct firmware_batch *batch, struct level_request *request);

	int (*plan_clos)(struct firmware_batch *batch, struct isst_clos *clos);
	int (*plan_association)(struct firmware_batch *batch,
				struct isst_clos_association *association);
	int (*plan_turbo_ratio_limits)(struct firmware_batch *batch,
				       struct isst_turbo_ratio_limits *limits);

	/** Whether the level may be changed, according to the control register itself. */
	int (*plan_level_lock)(struct firmware_batch *batch, const struct isst_domain *domain,
			       struct isst_failure *failure, bool *locked);
	int (*plan_get)(struct firmware_batch *batch, const struct setting_request *request);
	int (*plan_set)(struct firmware_batch *batch, const struct setting_request *request);
};

struct punit_number firmware_decode_punit(const struct firmware_operations *operations,
					  uint32_t physical_cpu);
uint32_t firmware_encode_punit(const struct firmware_operations *operations,
			       struct punit_number punit);

/** The mailbox, with MMIO registers (or the mailbox again, on model 0x55) for CLOS: API version 1.
 */
extern const struct firmware_operations mailbox_operations;

/** TPMI: API versions 2 and 3. */
extern const struct firmware_operations tpmi_operations;

/** An empty batch, or NULL without memory. */
struct firmware_batch *firmware_batch_new(struct firmware *firmware);

/** What is planned to be read from then on is not carried by CPUs that are isolated or nohz_full
 * where it would interrupt them, and the domain has others. */
void firmware_leave_alone(struct firmware_batch *batch);

/** What is planned to be read from then on decides a change: where it comes by a mailbox, which
 * others use as well, it is asked for twice, and read again where the answers differ. */
void firmware_confirm(struct firmware_batch *batch);

/** Sends what was planned since the last run and fills in the results and their failures. Returns 0
 * or -ENOMEM. */
int firmware_run(struct firmware_batch *batch);

/**
 * Sends what was planned as writes, all of one setting: the first that fails ends the run, and the
 * failures of those behind it state that they were not sent. The failure -ETIMEDOUT: it was
 * accepted, and may take effect later. Returns 0 or -ENOMEM.
 */
int firmware_run_writes(struct firmware_batch *batch);

void firmware_batch_free(struct firmware_batch *batch);

/**
 * The planned requests that read turbo-freq buckets: how many of them are valid, which ends at the
 * first without cores.
 */
unsigned int firmware_valid_buckets(const struct isst_value cores[ISST_BUCKETS]);

/* ---- tpmi.c: registers that the driver does not show ---- */

/** As many words as debugfs shows of an instance of SST at most. */
enum { TPMI_DUMP_WORDS = 2 * (0xff + 5) };

/** The level that was requested last, and the present one, by the registers of an instance, which
 * stand in the first @count words. Returns false where they are not there. */
bool tpmi_dump_levels(const uint32_t *words, size_t count, unsigned int *requested,
		      unsigned int *present);

/* ---- preset.c: processors whose BIOS has set SST-BF for good (PLATFORM_MAY_BE_PRESET) ---- */

/** Looks whether the model name of such a processor shows that it is one: no driver is opened then.
 */
int preset_find_by_name(struct firmware *firmware, bool *preset);

/**
 * Looks whether the CPUs of such a processor have two base frequencies, where no mailbox answers.
 *
 * @connected: 0 where the driver was opened and offers the mailbox, else the error of that, whose
 * message is set
 * Returns 0; @connected where the driver might report more but may not be opened; or another
 * negative errno with a message, -EOPNOTSUPP for a processor that has nothing of Speed Select.
 */
int preset_find_by_frequencies(struct firmware *firmware, int connected, bool *preset);

/** What is left of Speed Select on such a machine: level 0, and SST-BF that is always on. */
extern const struct firmware_operations preset_operations;

#endif
