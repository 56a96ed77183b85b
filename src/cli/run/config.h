/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ISST_CLI_CONFIG_H
#define ISST_CLI_CONFIG_H

#include "isst-config.h"
#include "run.h"

/** Reads run->config, with the caller's rights, if the command has one, and reports all mistakes.
 * Returns false after an error. */
bool config_source_read(struct run *run);

/** Before the lock is taken: reports a configuration for another processor, or waits with --wait
 * for what it needs. Returns false where there is nothing to do. */
bool config_wait(struct run *run);

/** Whether the configuration is for this machine; if not, reports that, as a note with `else
 * skip`. */
bool config_matches(struct run *run);

/** Plans and makes a configuration, or lists it. @flags: added to those of the command line;
 * @change: to be freed, NULL if refused. Returns 0, or a negative errno after reporting it. */
int config_change(struct run *run, struct isst_config *config, unsigned int flags,
		  struct isst_change **change);

/** Reports statements of the command line's configuration that are optional, and were skipped. */
void config_report_skipped(struct run *run, const struct isst_config *config);

/** Rolls a held change back, frees it, and reports failures: one that cannot begin is an
 * incomplete rollback. Returns 0 or a negative errno. */
int config_roll_back(struct run *run, struct isst_change *change);

/** Notes for `status` that the configuration was applied, or failed to; NULL: a reset. */
void config_record(struct run *run, const struct isst_config *config, int error);
void config_report_high_priority(struct run *run, const struct isst_config *config);

/** How many messages of a configuration, which may have any number of lines, are written out. */
enum { CONFIG_LISTED = 100 };

/** Reports the first CONFIG_LISTED problems of a configuration, or the error of the context.
 * Returns @error. */
int config_call(struct run *run, const struct isst_config *config, int error);

/** Reports differences as nodes of a key below @top; text joins what is alike, as steps. */
void config_report_differences(struct run *run, struct report_node *top, enum key_id key,
			       const struct isst_config *config);

/** Reports what isst_config_check() found. Returns whether nothing differs. */
bool config_report_comparison(struct run *run, struct report_node *top);

#endif
