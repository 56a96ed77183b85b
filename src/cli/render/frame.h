/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A text as one screen of a terminal, by control functions of ECMA-48. Must not know what the text
 * is, nor the terminal.
 */
#ifndef ISST_CLI_FRAME_H
#define ISST_CLI_FRAME_H

#include "render.h"

/**
 * Writes the lines of a text over what the terminal shows, from its upper left corner: lines that
 * are too long are cut, and those that are too many are counted in the last one.
 *
 * @page: its width and height; 0: anything fits
 * Returns the number of the lines written.
 */
unsigned int frame_write(const char *text, const struct page *page, FILE *stream);

#endif
