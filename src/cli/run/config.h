/* SPDX-License-Identifier: BSD-3-Clause */
/* Configurations of a run: read, waited for, made as one change, and reported. */
#ifndef ISST_CLI_CONFIG_H
#define ISST_CLI_CONFIG_H

#include "run.h"

/**
 * Reads the configuration of a command that has one, with the rights of the caller. All that is
 * wrong with it is reported, not only the first thing.
 *
 * Sets run->config, which the caller frees. Returns false after an error.
 */
bool config_source_read(struct run *run);

/**
 * Called before the lock is taken, which keeps the device open. Reports that the configuration is
 * skipped on this processor, also where it has no driver; or waits for what the configuration needs
 * as long as --wait allows: what is missing then is met and reported by the run itself. Returns
 * false where there is nothing to do.
 */
bool config_wait(struct run *run);

/** Whether the configuration of the command line is for this machine. If not, that is reported: as
 * an error, or as a note if the configuration states `else skip`. */
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

/** How many messages of a configuration, which may have any number of lines, are written out. */
enum { CONFIG_LISTED = 100 };

/** Reports what a call with a configuration returned: the problems that it found, the
 * first CONFIG_LISTED of them and the number of the rest, or the error of the context. Returns
 * @error. */
int config_call(struct run *run, const struct isst_config *config, int error);

/** Reports what isst_config_check() found to differ, one node of that key below @top for each.
 * Returns how many there are. */
unsigned int config_report_differences(struct report_node *top, enum key_id key,
				       const struct isst_config *config);

/** Reports whether isst_config_check() found the machine to be as the run's configuration states,
 * and what differs. Returns whether nothing does. */
bool config_report_comparison(struct run *run, struct report_node *top);

#endif
