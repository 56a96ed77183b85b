/* SPDX-License-Identifier: BSD-3-Clause */
/* Paths in JSON documents: `domains[0].levels[level=1].base_mhz`,
 * `domains[package=1,power_domain=0]`. */
#ifndef ISST_CLI_JSON_PATH_H
#define ISST_CLI_JSON_PATH_H

#include "json_value.h"

/** Checks how a path is written. Returns NULL, or what is wrong with it. */
const char *json_path_check(const char *path);

const struct json *json_path_find(const struct json *root, const char *path, char **problem);

#endif
