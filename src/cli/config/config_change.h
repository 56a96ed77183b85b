/* SPDX-License-Identifier: BSD-3-Clause */
/* A configuration as one change. Must not know what becomes of the change afterwards. */
#ifndef ISST_CLI_CONFIG_CHANGE_H
#define ISST_CLI_CONFIG_CHANGE_H

#include "../run/run.h"

/**
 * Whether the configuration of the command line is for this machine. If not, that is reported: as
 * an error, or as a note if the configuration states `else skip`.
 */
bool config_matches(struct run *run);

/**
 * Plans what a configuration states, and makes it, or with --dry-run lists it.
 *
 * @flags: ISST_CHANGE_... that are added to those of the command line
 * @change: set to the change, which the caller frees; NULL if it was refused before it was made
 * Returns 0, or a negative errno after reporting it.
 */
int config_change(struct run *run, struct isst_config *config, unsigned int flags,
		  struct isst_change **change);

/** Reports statements of the command line's configuration that are optional, and were skipped. */
void config_report_skipped(struct run *run, const struct isst_config *config);

/**
 * Rolls a held change back, and reports what could not be. That it could not even be begun, so that
 * the change is still in place, is a rollback that is incomplete.
 *
 * @change: freed
 * Returns 0 or a negative errno.
 */
int config_roll_back(struct run *run, struct isst_change *change);

/**
 * Stores for `status` that the configuration of the command line was applied, or that this failed;
 * NULL: that the machine was reset.
 *
 * @error: 0 or a negative errno
 */
void config_record(struct run *run, const struct isst_config *config, int error);

/** Reports the CPUs that were chosen for high priority, if there are any. */
void config_report_high_priority(struct report *report, const struct isst_config *config);

#endif
