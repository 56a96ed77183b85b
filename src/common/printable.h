/* SPDX-License-Identifier: BSD-3-Clause */
/* Text from outside (names, paths, arguments) for terminals. */
#ifndef ISST_COMMON_PRINTABLE_H
#define ISST_COMMON_PRINTABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/** Length of the UTF-8 character at @c, and its code; 0: it is invalid. */
size_t utf8_decode(const unsigned char *c, unsigned int *code);

/** Whether a character is a control (ASCII or C1), or invisible and changes how others are shown,
 * such as U+202E. */
bool is_control(unsigned int code);

/** Writes control characters (other than @kept) and invalid bytes as \x1b. */
void write_printable(const char *text, const char *kept, FILE *stream);

/** Whether a text has neither control characters nor invalid bytes. */
bool is_printable(const char *text);

#endif
