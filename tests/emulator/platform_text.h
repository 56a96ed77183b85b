/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts of platform files that tests write. */
#ifndef TESTS_EMULATOR_PLATFORM_TEXT_H
#define TESTS_EMULATOR_PLATFORM_TEXT_H

#include "emulator/emulated.h"

#include "emulator/model/platform.h"

static inline struct platform *parse(const char *text)
{
	struct platform *platform;
	char *error;
	int result = platform_read("x", "x.platform", text, &platform, &error);

	if (result)
		fail_msg("%d %s", result, error ? error : "");
	return platform;
}

#endif
