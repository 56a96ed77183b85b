/* SPDX-License-Identifier: BSD-3-Clause */
#include "confirmation.h"

#include "../../common/monotonic.h"
#include "signals.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

/** How long it takes at most to notice that the terminal is this program's again, or a signal. */
enum { SLICE_MS = 100 };

/* The others would stop a program, which then would not see the end of the time. */
static const int waited_for[] = { SIGUSR1, SIGTSTP, SIGTTOU, SIGTTIN };

void confirmation_signals(sigset_t *set)
{
	for (size_t i = 0; i < sizeof(waited_for) / sizeof(waited_for[0]); i++)
		sigaddset(set, waited_for[i]);
}

/** Whether it is the terminal of this program: to read from another's would stop it. */
static bool is_own_terminal(void)
{
	return isatty(STDIN_FILENO) && tcgetpgrp(STDIN_FILENO) == getpgrp();
}

/** Reads a line. Returns whether it is empty: others may not be meant for us. @ended: no more
 * input. */
static bool read_enter(const struct nowait_stream *messages, bool *ended)
{
	char line[256];
	ssize_t size = read(STDIN_FILENO, line, sizeof(line));

	/* EIO may also mean that the terminal has become another program's. */
	*ended = size == 0 || (size < 0 && errno != EINTR && errno != EAGAIN && is_own_terminal());
	if (*ended || (size > 0 && (size > 1 || line[0] != '\n')))
		fprintf(nowait_stream_file(messages), "%s\n",
			*ended ? "No more input: still waiting for SIGUSR1"
			       : "Not confirmed: still waiting for Enter alone, or SIGUSR1");
	return size == 1 && line[0] == '\n';
}

struct confirmation confirmation_begin(unsigned int seconds, struct nowait_stream *messages)
{
	const struct timespec at_once = { 0 };
	sigset_t confirming;

	sigemptyset(&confirming);
	sigaddset(&confirming, SIGUSR1);
	while (sigtimedwait(&confirming, NULL, &at_once) > 0)
		continue;
	if (is_own_terminal())
		(void)tcflush(STDIN_FILENO, TCIFLUSH);
	return (struct confirmation){ clock_ms(CLOCK_BOOTTIME) + (int64_t)seconds * 1000,
				      messages };
}

const char *confirmation_wait(const struct confirmation *confirmation)
{
	const struct timespec at_once = { 0 };
	sigset_t fatal, signals;
	bool ended = false;

	sigemptyset(&fatal);
	signals_fatal(&fatal);
	signals = fatal;
	confirmation_signals(&signals);
	/* A suspended machine is not confirmed. */
	while (clock_ms(CLOCK_BOOTTIME) < confirmation->end_ms) {
		struct pollfd terminal = { .fd = STDIN_FILENO, .events = POLLIN };
		int number = sigtimedwait(&signals, NULL, &at_once);
		bool own;

		/* This is how it is confirmed: who ignores it cannot mean that. */
		if (number == SIGUSR1)
			return NULL;
		if (number > 0 && sigismember(&fatal, number) == 1 && !signals_ignored(number))
			return signals_name(number);
		nowait_stream_send(confirmation->messages);
		if (number > 0)
			continue;
		/* Waits a little for Enter. */
		own = !ended && is_own_terminal();
		if (poll(&terminal, own ? 1 : 0, SLICE_MS) > 0 && own &&
		    read_enter(confirmation->messages, &ended))
			return NULL;
	}
	return "not confirmed in time";
}
