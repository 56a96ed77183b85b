/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages of the kernel that the watcher hears: the description of a family, events of it, and
 * uevents, by the first byte. */
#include "cli/watch/events.h"
#include "fuzz/support/fuzz.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void find_group(const void *message, size_t size)
{
	uint16_t family = 0;
	uint32_t group = 0;
	int error = thermal_find_group(message, size, &family, &group);

	/* The kernel's errors are those of errno(3). */
	if (error > 0 || error < -4095)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct watch_source source = { .family = 28 };
	enum watch_hint hint;
	uint8_t *copy;

	if (size < 1)
		return 0;
	/* Aligned as a datagram is, and of its own size. */
	copy = malloc(size - 1 + (size == 1));
	memcpy(copy, data + 1, size - 1);
	switch (data[0] % 3) {
	case 0:
		find_group(copy, size - 1);
		break;
	case 1:
		hint = thermal_judge(&source, copy, size - 1);
		if (hint != WATCH_LOOK && hint != WATCH_NO_HINT)
			abort();
		break;
	default:
		hint = uevent_judge(&source, copy, size - 1);
		if (hint == WATCH_ANEW && !memmem(copy, size - 1, "SUBSYSTEM=", 10))
			abort();
		break;
	}
	free(copy);
	return 0;
}
