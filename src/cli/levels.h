/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Performance levels of a run's units: which ones a command is about, read in one go, and how their
 * parts are reported. Must not know output formats.
 */
#ifndef ISST_CLI_LEVELS_H
#define ISST_CLI_LEVELS_H

#include "run.h"

/** The levels that were read, by the slots of the run's domains. */
struct levels {
	struct isst_perf_profile *profiles; /* of each slot */
	struct isst_level *levels;
	size_t count;
	size_t *first; /* of each slot: index of its first level; its last is before the next slot's
			  first */
};

/** Which levels are meant where --level is not given. */
enum level_choice { LEVELS_ALL, LEVELS_CURRENT };

/** Reads the level summary of each domain; to be freed. NULL: an error is reported. */
struct isst_perf_profile *profiles_read(struct run *run);

/**
 * Reads levels of each domain; a domain that lacks the level has none, which is reported.
 *
 * @parts: a sum of enum isst_level_parts
 * Returns 0, or a negative errno after reporting it. To be emptied in both cases.
 */
int levels_read(struct run *run, enum level_choice choice, unsigned int parts,
		struct levels *levels);
void levels_clear(struct levels *levels);

/** The levels of a unit: *@count of them. */
struct isst_level *levels_of(const struct levels *levels, const struct unit *unit, size_t *count);

/** True if so much could be read of the level that it is worth showing. */
bool level_is_known(const struct isst_level *level);

/** True if the domain has no such level, though it has a higher one. */
bool level_is_missing(const struct isst_level *level);

/**
 * Reports a level's failure with those of its SST-BF and SST-TF, each once. A level that is missing
 * is passed over unless it was asked for.
 */
void level_failures(struct run *run, const struct isst_level *level);

/** The words for a feature's state: enabled, disabled, unsupported; NULL if it is unknown. */
const char *feature_state_word(enum isst_feature_state state);

/** True if anything could be read, so that there is something to report. */
bool base_freq_is_known(const struct isst_base_freq *info);
bool turbo_freq_is_known(const struct isst_turbo_freq *info);

void base_freq_report(struct report_node *parent, const struct isst_base_freq *info,
		      const struct isst_context *context);

/** What to show of SST-TF. */
struct turbo_freq_filter {
	int bucket;   /* -1: all */
	int trl_type; /* -1: all */
};

void turbo_freq_report(struct report_node *parent, const struct isst_turbo_freq *info,
		       const struct isst_context *context, struct turbo_freq_filter filter);

#endif
