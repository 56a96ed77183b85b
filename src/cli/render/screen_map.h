/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The map of a screen: a line or several for each unit, in which each branch that has a mark in the
 * key table is one character, in groups by the branch around it. Must not know what is mapped.
 */
#ifndef ISST_CLI_SCREEN_MAP_H
#define ISST_CLI_SCREEN_MAP_H

#include "render.h"

/** Writes the map and a line with the meaning of its marks; nothing for a report without marks.
 * Returns 0 or -ENOMEM. */
int screen_map_write(const struct report *report, const struct page *page, FILE *stream);

#endif
