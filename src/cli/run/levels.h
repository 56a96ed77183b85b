/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ISST_CLI_LEVELS_H
#define ISST_CLI_LEVELS_H

#include "cores.h"
#include "isst-config.h"
#include "reading.h"

struct levels {
	struct isst_results *results;
	/* Of each slot: its first result, or that of its summary, and the number of its levels. */
	size_t *first, *count;
};

/** Which levels are meant where --level is not given. */
enum level_choice { LEVELS_ALL, LEVELS_CURRENT };

/** Reads levels of each domain. @parts: ISST_LEVELS_... Returns 0, or a negative errno after
 * reporting it; always to be cleared. */
int run_read_levels(struct run *run, enum level_choice choice, unsigned int parts,
		    struct levels *levels);
void levels_clear(struct levels *levels);

/** One of the levels of a unit; NULL past the last one. */
const struct isst_result *levels_get(const struct levels *levels, const struct unit *unit,
				     size_t index);

const struct isst_result *levels_summary(const struct levels *levels, const struct unit *unit);

/** Reports that no unit has a second level, where that is known. */
void level_choice_report(struct run *run, const struct levels *levels);

/** Whether a unit with CPUs may have a feature, which those without claim alone. */
bool levels_may_have(const struct run *run, const struct levels *levels, int feature_state);

#define CPUS_BY_LEVEL "cpus by-level"

/** Compares CPUs of targets with their levels; @compared is to be freed. @statements:
 * CPUS_BY_LEVEL, behind a level that is to come, if any; @flags: of isst_config_check(). Returns
 * 0 or a negative errno. */
int levels_compare_cpus(struct isst_context *context, const struct isst_targets *targets,
			const char *statements, unsigned int flags, struct isst_config **compared);

/** Notes which CPUs of the run's domains their levels have otherwise, and what helps. */
void levels_note_cpus(struct run *run, const char *statements, unsigned int flags,
		      const char *remedy);

/** Notes which packages are not on a screen of the whole machine: offline ones. */
void levels_note_offline_parts(struct run *run);
bool level_is_known(const struct isst_result *level);

/** True if the domain has no such level, though it has a higher one. */
bool level_is_missing(const struct isst_result *level);

/** Reports the failures of a level, SST-BF and SST-TF once. Missing levels are skipped unless
 * named. */
void level_failures(struct run *run, const struct isst_result *level);

/** Whether the level has the feature, and anything of it could be read. */
bool base_freq_is_known(const struct isst_result *level);
bool turbo_freq_is_known(const struct isst_result *level);

/** The name of a TRL type; NULL: none, or unknown to scripts of the reference tool. */
const char *trl_type_to_report(const struct run *run, unsigned int type);

/** What numbers of high priority cores count: cores, or modules of these. */
const char *run_cores_word(const struct run *run);
/** Reports it, if it is not cores. */
void report_core_unit(const struct run *run, struct report_node *node);

/** Reports a frequency of each TRL type (-1), or of one, in a bucket. */
void level_report_types(const struct run *run, struct report_node *parent, enum key_id key,
			const struct isst_result *level, int id, unsigned int bucket,
			int only_type);
void base_freq_report(struct report_node *parent, const struct isst_result *level,
		      struct isst_context *context);

/** Counts the cores that a level enables; @units: modules as one. Returns false if CPUs are
 * unknown. */
bool level_count_cores(const struct cores *cores, const struct isst_result *level,
		       unsigned int *count, unsigned int *units);

/** The highest turbo frequency without SST-TF, and that of all cores at once. */
void level_turbo_report(const struct cores *cores, struct report_node *node,
			const struct isst_result *level);
unsigned int bucket_cores(const struct isst_result *level, unsigned int bucket);

/** The first bucket that holds so many cores; the number of buckets: none does. */
unsigned int bucket_of(const struct isst_result *level, unsigned int cores);

/** The buckets of SST-TF below a level, if it has any; one of them. */
void buckets_report(const struct run *run, struct report_node *node,
		    const struct isst_result *level);
void bucket_report(const struct run *run, struct report_node *node, const struct isst_result *level,
		   unsigned int bucket);

struct turbo_freq_filter {
	int bucket;   /* -1: all */
	int trl_type; /* -1: all */
};

void turbo_freq_report(const struct run *run, struct report_node *parent,
		       const struct isst_result *level, struct turbo_freq_filter filter);

/* ---- High priority cores that the command chooses, instead of the user: --high-priority ---- */

/** Chooses CPUs as the options ask. Returns false after an error. */
bool run_choose_cores(struct run *run);
unsigned int core_choice_count(const struct run *run, unsigned int package);

/** Drops packages without a chosen core, and reports them. */
void core_choice_keep_packages(struct run *run);

/** Reports the CPUs as a list with ranges, such as taskset and cpusets take. */
void core_choice_report(struct run *run);

/** Notes once that a program on these CPUs is spread over domains of a package. @by_statement: of a
 * configuration, which restricts the choice in another way than options. */
void core_choice_note_spread(struct run *run, const struct isst_cpuset *chosen, bool by_statement);

#endif
