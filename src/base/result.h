/* SPDX-License-Identifier: BSD-3-Clause */
/* What every result of the library carries: why it could not be obtained, and numbers that may be
 * absent. */
#ifndef ISST_BASE_RESULT_H
#define ISST_BASE_RESULT_H

#include <errno.h>
#include <stdbool.h>

/* What a struct of the library gains in the build that tests/library/shared.sh makes: programs that
 * were compiled before must not notice. No other build defines ISST_TEST_GROWN. */
#ifdef ISST_TEST_GROWN
#define ISST_MAY_GROW unsigned int grown[3]
#define ISST_GROWN 1 /* elements that an array has more */
#else
#define ISST_MAY_GROW _Static_assert(1, "nothing")
#define ISST_GROWN 0
#endif

/**
 * Why a result could not be obtained. A result with @error 0 is complete; otherwise what could be
 * read is still there and @message is about the first thing that failed, @more how many failed
 * besides.
 */
struct isst_failure {
	int error; /* 0 or a negative errno */
	const char *message;
	unsigned int more;
	ISST_MAY_GROW;
};

/** Whether an error means that the machine does not have what was asked for: the processor has no
 * such thing (-EOPNOTSUPP), or there is no driver for it (-ENODEV), whatever the processor has. */
static inline bool error_is_absence(int error)
{
	return error == -EOPNOTSUPP || error == -ENODEV;
}

/** A number that the hardware may not have, or not report. */
enum isst_state {
	ISST_ABSENT,	 /* this machine has no such value */
	ISST_KNOWN,	 /* @value holds it */
	ISST_UNREADABLE, /* it could not be read; the result's isst_failure has the cause */
};

struct isst_value {
	enum isst_state state;
	unsigned int value;
	ISST_MAY_GROW;
};

#endif
