/* SPDX-License-Identifier: BSD-3-Clause */
/* Pauses between looks at what is settling, or busy for a moment. */
#ifndef ISST_TRANSACTION_POLL_H
#define ISST_TRANSACTION_POLL_H

#include <stdbool.h>

/** Pauses between looks at an item that is settling: longer and longer, up to the time that is
 * left. */
struct poll_timer {
	unsigned int left_us, next_us;
};
struct poll_timer poll_timer_for(unsigned int ms);
/** Waits a bit; false when the time is up. */
bool poll_timer_wait(struct poll_timer *timer);

/** The pause before what could not be read is read once more. */
enum { READ_AGAIN_US = 2000 };

/** Waits for less than a second, whatever signals arrive. */
void poll_sleep_us(unsigned int us);

#endif
