/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ISST_CLI_UTC_H
#define ISST_CLI_UTC_H

#include <stdbool.h>
#include <time.h>

enum { UTC_TEXT = 40 };

/** A time as 2026-11-26T10:14:07Z. Returns false for years far away, which have no such form. */
static inline bool utc_text(time_t time, char text[UTC_TEXT])
{
	struct tm parts;

	return gmtime_r(&time, &parts) && strftime(text, UTC_TEXT, "%FT%TZ", &parts) > 0;
}

#endif
