/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hints that the machine may have changed, from the kernel: events of its thermal family (generic
 * netlink; linux/thermal.h) and uevents. A hint is a reason to look, and no more: an event of the
 * thermal family carries no level, the kernel merges and delays them, and the first one is the
 * present table. Nothing of its content is used.
 */
#ifndef ISST_CLI_WATCH_EVENTS_H
#define ISST_CLI_WATCH_EVENTS_H

#include "isst.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum watch_hint {
	WATCH_NO_HINT,
	WATCH_LOOK, /* something may have changed */
	WATCH_ANEW, /* CPUs or the driver may be others: everything is suspect */
};

/** Where hints come from. */
struct watch_source {
	int descriptor;
	/** Whether a datagram is a reason to look. */
	enum watch_hint (*judge)(const struct watch_source *source, const void *datagram,
				 size_t size);
	enum watch_hint lost; /* what follows from datagrams that were lost */
	uint16_t family;      /* of the thermal events: its number on this system */
	char *path;	      /* of the socket, to be removed; NULL: it has none */
};

enum { WATCH_SOURCES = 2 };

/**
 * Opens the sources that this machine has. From Linux 6.12 on, the first listener of a system
 * switches the processor's hardware feedback interface on.
 *
 * @thermal: whether changes of the level have events
 * Returns the number of sources.
 */
size_t watch_events_open(const struct isst_context *context, struct watch_source *sources,
			 bool *thermal);
void watch_events_close(struct watch_source *sources, size_t count);

/** Takes everything that has arrived, without waiting. Datagrams that are malformed or too large,
 * or were lost, are hints. */
enum watch_hint watch_events_take(const struct watch_source *source);

/* The parts that know messages, for tests. */

/** Finds the number of the thermal family and of its group of events in the kernel's description.
 * Returns 0, -ENOENT or -EBADMSG, or the error that the kernel answered. */
int thermal_find_group(const void *message, size_t size, uint16_t *family, uint32_t *group);
enum watch_hint thermal_judge(const struct watch_source *source, const void *datagram, size_t size);
/** Joins the group of events of this system's thermal family. Returns 0 or a negative errno. */
int thermal_open(struct watch_source *source);

/** Whether a uevent is about a CPU or a module. */
enum watch_hint uevent_judge(const struct watch_source *source, const void *datagram, size_t size);
int uevent_open(struct watch_source *source);

#endif
