/* SPDX-License-Identifier: BSD-3-Clause */
/* What the library's functions on configurations find, as reports. Must not know output formats. */
#ifndef ISST_CLI_CONFIG_REPORT_H
#define ISST_CLI_CONFIG_REPORT_H

#include "../run/run.h"

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
