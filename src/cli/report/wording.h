/* SPDX-License-Identifier: BSD-3-Clause */
/* How names and values of a report are written, in the formats that scripts know today. */
#ifndef ISST_CLI_WORDING_H
#define ISST_CLI_WORDING_H

#include "report.h"

/* Each returns a text to be freed, NULL without memory. */
/* Of steps that lead to a unit, with colons between them: package-0:die-0:cpu-0. */
char *wording_of_path(const struct report_step *steps, size_t count);
char *wording_of_key(const struct report_node *node);
char *wording_of_value(const struct report_node *leaf);

/** The lines that stand for a node, by its row of the table. *@text is to be freed: NULL where its
 * key and value stand for themselves, "" for no line. Returns 0 or -ENOMEM. */
int wording_of_sentence(const struct report_node *node, char **text);

/** What stands in a table for a leaf. To be freed, NULL without memory. */
char *wording_of_cell(const struct report_node *leaf);

/** How a leaf stands out where there are colours: STYLE_..., 0: it does not. */
unsigned int wording_style(const struct report_node *leaf);

/** "Error" or "Information". */
const char *wording_of_message(const struct report_entry *entry);

#endif
