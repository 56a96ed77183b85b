/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Text from outside (names, paths, words of a command line) as a terminal may be given it. Must not
 * know where the text comes from.
 */
#ifndef ISST_COMMON_PRINTABLE_H
#define ISST_COMMON_PRINTABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/** Length of the character at @c in UTF-8, and its code; 0: it is none. */
size_t utf8_decode(const unsigned char *c, unsigned int *code);

/** Whether a character is a control, of ASCII or of the second block of Unicode (C1), on which
 * terminals act as well; or has no shape of its own, and changes how others are shown, such as
 * U+202E, which reverses them. */
bool is_control(unsigned int code);

/**
 * Writes @text with control characters, and bytes that are no UTF-8, as \x1b and the like.
 *
 * @kept: control characters that stay as they are
 */
void write_printable(const char *text, const char *kept, FILE *stream);

/** Whether a text has neither control characters nor bytes that are no UTF-8. */
bool is_printable(const char *text);

#endif
