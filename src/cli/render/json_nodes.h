/* SPDX-License-Identifier: BSD-3-Clause */
/* The nodes of reports as values of json-v2. Must know nothing of Speed Select. */
#ifndef ISST_CLI_JSON_NODES_H
#define ISST_CLI_JSON_NODES_H

#include "../report/report.h"
#include "../text/json_value.h"

/** Adds a node and those behind it to an object. */
void json_add_nodes(struct json *parent, const struct report_node *node);

#endif
