/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of all results: failures, and numbers that may be absent. */
#ifndef ISST_BASE_RESULT_H
#define ISST_BASE_RESULT_H

#include <errno.h>
#include <stdbool.h>

/** A ratio is a multiple of 100 MHz; as an upper limit 255 is none. */
enum { KHZ_PER_MHZ = 1000, MHZ_PER_RATIO = 100, KHZ_PER_RATIO = 100000, NO_LIMIT_RATIO = 255 };

/** Why a result is incomplete: @message is about the first failure, @more others followed. Values
 * that could be read are there. */
struct isst_failure {
	int error; /* 0 or a negative errno */
	const char *message;
	unsigned int more;
};

/** Whether the machine is without what was asked for: the processor, or the driver (-ENODEV). */
static inline bool error_is_absence(int error)
{
	return error == -EOPNOTSUPP || error == -ENODEV;
}

/** A number that the hardware may not have, or not report. */
enum isst_state {
	ISST_ABSENT,	 /* this machine has no such value */
	ISST_KNOWN,	 /* @value holds it */
	ISST_UNREADABLE, /* the result's isst_failure has the cause */
};

struct isst_value {
	enum isst_state state;
	unsigned int value;
};

#endif
