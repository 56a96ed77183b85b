/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ISST_CLI_CONFIRMATION_H
#define ISST_CLI_CONFIRMATION_H

#include "nowait_stream.h"

#include <signal.h>
#include <stdint.h>

struct confirmation {
	int64_t end_ms; /* when it counts as refused, in the time of CLOCK_BOOTTIME */
	struct nowait_stream *messages;
};

/** Adds the signals that confirm, or would stop the wait. */
void confirmation_signals(sigset_t *set);

/** Starts the time of @seconds, and discards earlier input and signals. @messages: gets what does
 * not confirm, and is sent while waiting. */
struct confirmation confirmation_begin(unsigned int seconds, struct nowait_stream *messages);

/** Waits for Enter on a terminal, or SIGUSR1; signals_fatal() and confirmation_signals() are
 * blocked. Returns NULL if it is confirmed, otherwise the name of a signal, or words. */
const char *confirmation_wait(const struct confirmation *confirmation);

#endif
