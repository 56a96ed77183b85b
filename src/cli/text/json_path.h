/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Paths to values of JSON documents: names of members, separated by dots, and behind that of an
 * array the number of an element, or what its members are: `domains[0].levels[level=1].base_mhz`,
 * `domains[package=1,power_domain=0]`. Must not know what documents describe.
 */
#ifndef ISST_CLI_JSON_PATH_H
#define ISST_CLI_JSON_PATH_H

#include "json_value.h"

/** Checks how a path is written. Returns NULL, or what is wrong with it. */
const char *json_path_check(const char *path);

/**
 * Finds the value at a path.
 *
 * @problem: where there is none, set to a message, to be freed (NULL without memory)
 */
const struct json *json_path_find(const struct json *root, const char *path, char **problem);

#endif
