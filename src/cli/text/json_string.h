/* SPDX-License-Identifier: BSD-3-Clause */
/* Strings of JSON, for all formats that are JSON. Must not know what they are about. */
#ifndef ISST_CLI_JSON_STRING_H
#define ISST_CLI_JSON_STRING_H

#include <stdio.h>

/** Writes text as a JSON string, quotes included; what is no UTF-8 becomes U+FFFD. */
void json_string_write(const char *text, FILE *stream);

#endif
