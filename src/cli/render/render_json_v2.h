/* SPDX-License-Identifier: BSD-3-Clause */
/* Reports as json-v2, as a whole and by value. Must know nothing of Speed Select. */
#ifndef ISST_CLI_RENDER_JSON_V2_H
#define ISST_CLI_RENDER_JSON_V2_H

#include "../report/report.h"

#include <stdio.h>

/** The version of the schema: another one where a name goes away, or gets another meaning. */
enum { JSON_V2_SCHEMA_VERSION = 1 };

int render_json_v2(const struct report *report, bool messages, FILE *stream);

/**
 * Writes one value of the document, see json_path.h, and a line end.
 *
 * @problem: set to why there is no such value, to be freed; NULL: there is one
 * Returns 0 or -ENOMEM.
 */
int render_json_v2_value(const struct report *report, const char *path, FILE *stream,
			 char **problem);

#endif
