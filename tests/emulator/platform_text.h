/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts of platform files that tests write: read, or refused with a message. */
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

/** A text that is refused, and how the message begins. */
struct mistake {
	const char *text, *message;
};

static inline void assert_mistakes(const struct mistake *mistakes, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct platform *platform = NULL;
		char *error = NULL;
		int result = platform_read("x", "x.platform", mistakes[i].text, &platform, &error);

		if (result != -EINVAL || !error ||
		    strncmp(error, mistakes[i].message, strlen(mistakes[i].message)) != 0)
			fail_msg("%d \"%s\", not \"%s\"", result, error ? error : "",
				 mistakes[i].message);
		assert_null(platform);
		free(error);
	}
}

#endif
