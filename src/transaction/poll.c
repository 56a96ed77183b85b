/* SPDX-License-Identifier: BSD-3-Clause */
#include "transaction/poll.h"

#include <errno.h>
#include <time.h>

struct poll_timer poll_timer_for(unsigned int ms)
{
	return (struct poll_timer){ ms * 1000, 500 };
}

void poll_sleep_us(unsigned int us)
{
	struct timespec rest = { 0, (long)us * 1000 };

	while (nanosleep(&rest, &rest) && errno == EINTR)
		;
}

bool poll_timer_wait(struct poll_timer *timer)
{
	unsigned int us = timer->next_us < timer->left_us ? timer->next_us : timer->left_us;

	if (us == 0)
		return false;
	poll_sleep_us(us);
	timer->left_us -= us;
	if (timer->next_us < 20000)
		timer->next_us *= 2;
	return true;
}
