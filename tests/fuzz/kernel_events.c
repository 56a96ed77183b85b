/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages of the kernel that the watcher hears: the description of a family, events of it, and
 * uevents, by the first byte. */
#include "sysfs/kernel_events.h"
#include "fuzz/support/fuzz.h"
#include "isst-explain.h"
#include "isst.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void find_group(const void *message, size_t size)
{
	uint32_t group = 0;
	int error = thermal_find_group(message, size, &group);

	/* The kernel's errors are those of errno(3). */
	if (error > 0 || error < -4095)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int event;
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
		event = thermal_judge(copy, size - 1);
		if (event & ~ISST_EVENT_CHANGE)
			abort();
		break;
	default:
		event = uevent_judge(copy, size - 1);
		if (event == ISST_EVENT_DEVICES && !memmem(copy, size - 1, "SUBSYSTEM=", 10))
			abort();
		break;
	}
	free(copy);
	return 0;
}
