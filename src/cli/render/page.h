/* SPDX-License-Identifier: BSD-3-Clause */
/* What a stream is as a page: how large, and whether it has colours. */
#ifndef ISST_CLI_PAGE_H
#define ISST_CLI_PAGE_H

#include "render.h"

/** As the words of --color. */
enum colour_choice { COLOUR_AUTO, COLOUR_ALWAYS, COLOUR_NEVER };

/** The page of a stream: a terminal is as wide as it is, all else has 80 columns. COLOUR_AUTO: on
 * terminals, unless the environment has NO_COLOR. */
struct page page_of(FILE *stream, enum colour_choice colour);

/** What is written in between stands out on a page with colours. @style: STYLE_..., 0: it does not
 */
void style_begin(const struct page *page, unsigned int style, FILE *stream);
void style_end(const struct page *page, unsigned int style, FILE *stream);

#endif
