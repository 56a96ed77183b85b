/* SPDX-License-Identifier: BSD-3-Clause */
/* Waits until a change is confirmed, by the terminal or by a signal. */
#ifndef ISST_CLI_CONFIRMATION_H
#define ISST_CLI_CONFIRMATION_H

#include "nowait_stream.h"

#include <signal.h>
#include <stdint.h>

struct confirmation {
	uint64_t end_ms; /* when it counts as refused, in the time of CLOCK_BOOTTIME */
	struct nowait_stream *messages;
};

/** Adds the signals that confirm, or would stop the wait: those of signals_fatal() that are not
 * among them refuse. */
void confirmation_signals(sigset_t *set);

/**
 * What there is to confirm is done: the time begins. What was typed and sent before does not
 * confirm it: that is discarded.
 *
 * @seconds: after which it counts as refused
 * @messages: where it is printed what does not confirm; what was printed there before is sent while
 * it waits
 */
struct confirmation confirmation_begin(unsigned int seconds, struct nowait_stream *messages);

/**
 * Waits for Enter on standard input, if that is a terminal, or for SIGUSR1. The signals of
 * confirmation_signals() and signals_fatal() have to be blocked; those that arrive are consumed.
 *
 * Returns NULL if it is confirmed, otherwise why it is not: the name of a signal, or words.
 */
const char *confirmation_wait(const struct confirmation *confirmation);

#endif
