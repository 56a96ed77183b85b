/* SPDX-License-Identifier: BSD-3-Clause */
/* Waits for Enter, for signals and for the end of the time. */
#include "confirmation.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

/** How long it takes at most to notice that the terminal is this program's again, or a signal. */
enum { SLICE_MS = 100 };

static const struct {
	int number;
	const char *refusal; /* NULL: it confirms */
	bool ignored;	     /* a stopped program would not see the end of the time */
} answers[] = {
	{ .number = SIGUSR1 },
	{ .number = SIGTSTP, .ignored = true },
	{ .number = SIGTTOU, .ignored = true },
	{ .number = SIGTTIN, .ignored = true },
	{ .number = SIGINT, .refusal = "SIGINT" },
	{ .number = SIGTERM, .refusal = "SIGTERM" },
	{ .number = SIGHUP, .refusal = "SIGHUP" },
	{ .number = SIGQUIT, .refusal = "SIGQUIT" },
};

enum { ANSWERS = sizeof(answers) / sizeof(answers[0]) };

void confirmation_signals(sigset_t *set)
{
	for (size_t i = 0; i < ANSWERS; i++) {
		struct sigaction action;

		/* SIGUSR1 is how it is confirmed: who ignores it cannot mean that. */
		if (answers[i].number == SIGUSR1 ||
		    (sigaction(answers[i].number, NULL, &action) == 0 &&
		     action.sa_handler != SIG_IGN))
			sigaddset(set, answers[i].number);
	}
}

static uint64_t now_ms(void)
{
	struct timespec now;

	/* A suspended machine is not confirmed. */
	clock_gettime(CLOCK_BOOTTIME, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/** Whether it is the terminal of this program: to read from another's would stop it. */
static bool is_own_terminal(void)
{
	return isatty(STDIN_FILENO) && tcgetpgrp(STDIN_FILENO) == getpgrp();
}

/** Reads a line that is there. Returns whether it is an empty one: anything else may be meant for
 * another program. @ended: set when there will be no more. */
static bool read_enter(FILE *messages, bool *ended)
{
	char line[256];
	ssize_t size = read(STDIN_FILENO, line, sizeof(line));

	/* EIO may also mean that the terminal has become another program's. */
	*ended = size == 0 || (size < 0 && errno != EINTR && errno != EAGAIN && is_own_terminal());
	if (*ended || (size > 0 && (size > 1 || line[0] != '\n')))
		fprintf(messages, "%s\n",
			*ended ? "No more input: still waiting for SIGUSR1"
			       : "Not confirmed: still waiting for Enter alone, or SIGUSR1");
	return size == 1 && line[0] == '\n';
}

/** Waits a little for Enter. */
static bool poll_terminal(FILE *messages, bool *ended)
{
	struct pollfd terminal = { .fd = STDIN_FILENO, .events = POLLIN };
	bool own = !*ended && is_own_terminal();

	if (poll(&terminal, own ? 1 : 0, SLICE_MS) <= 0 || !own)
		return false;
	return read_enter(messages, ended);
}

/** The answer of a signal that arrived; ANSWERS: there is none. */
static size_t next_answer(const sigset_t *signals)
{
	const struct timespec at_once = { 0 };
	int number = sigtimedwait(signals, NULL, &at_once);
	size_t i = 0;

	while (i < ANSWERS && answers[i].number != number)
		i++;
	return i;
}

struct confirmation confirmation_begin(unsigned int seconds, FILE *messages)
{
	const struct timespec at_once = { 0 };
	sigset_t confirming;

	sigemptyset(&confirming);
	sigaddset(&confirming, SIGUSR1);
	while (sigtimedwait(&confirming, NULL, &at_once) > 0)
		continue;
	if (is_own_terminal())
		(void)tcflush(STDIN_FILENO, TCIFLUSH);
	return (struct confirmation){ now_ms() + (uint64_t)seconds * 1000, messages };
}

const char *confirmation_wait(const struct confirmation *confirmation)
{
	sigset_t signals;
	bool ended = false;

	sigemptyset(&signals);
	confirmation_signals(&signals);
	while (now_ms() < confirmation->end_ms) {
		size_t answer = next_answer(&signals);

		if (answer < ANSWERS && !answers[answer].ignored)
			return answers[answer].refusal;
		if (answer == ANSWERS && poll_terminal(confirmation->messages, &ended))
			return NULL;
	}
	return "not confirmed in time";
}
