/* SPDX-License-Identifier: BSD-3-Clause */
/* Holds signals back while the machine is being changed; must not know what the change is. */
#include "signals.h"

#include <errno.h>
#include <stddef.h>
#include <sys/resource.h>
#include <time.h>

static const struct {
	int number;
	const char *name;
} fatal[] = {
	{ SIGINT, "SIGINT" },
	{ SIGTERM, "SIGTERM" },
	{ SIGHUP, "SIGHUP" },
	{ SIGQUIT, "SIGQUIT" },
};

enum { FATAL = sizeof(fatal) / sizeof(fatal[0]) };

static bool is_ignored(int number)
{
	struct sigaction action;

	return sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

int signals_block(struct signals *signals)
{
	*signals = (struct signals){ .held = false };
	sigemptyset(&signals->ours);
	sigemptyset(&signals->others);
	/* A signal that is ignored would be kept if it were blocked: it must not be. */
	for (size_t i = 0; i < FATAL; i++) {
		if (!is_ignored(fatal[i].number))
			sigaddset(&signals->ours, fatal[i].number);
	}
	if (sigprocmask(SIG_BLOCK, &signals->ours, &signals->before) != 0)
		return -errno;
	signals->held = true;
	/* A reader who goes away must not end the program between two steps: writing fails instead.
	 * So does a file that may not grow (output.c). */
	return signal(SIGPIPE, SIG_IGN) == SIG_ERR ? -errno : 0;
}

int signals_block_others(struct signals *signals, const sigset_t *others)
{
	if (sigprocmask(SIG_BLOCK, others, NULL) != 0)
		return -errno;
	signals->others = *others;
	return 0;
}

const char *signals_arrived(const struct signals *signals)
{
	sigset_t pending;

	if (!signals->held || sigpending(&pending) != 0)
		return NULL;
	for (size_t i = 0; i < FATAL; i++) {
		if (sigismember(&signals->ours, fatal[i].number) == 1 &&
		    sigismember(&pending, fatal[i].number) == 1)
			return fatal[i].name;
	}
	return NULL;
}

void signals_unblock(struct signals *signals)
{
	const struct timespec at_once = { 0 };
	int number;

	if (!signals->held)
		return;
	/* Those that are both count as held back. */
	for (int other = 1; other < NSIG; other++) {
		if (sigismember(&signals->ours, other) == 1)
			sigdelset(&signals->others, other);
	}
	while (sigtimedwait(&signals->others, NULL, &at_once) > 0)
		continue;
	while ((number = sigtimedwait(&signals->ours, NULL, &at_once)) > 0) {
		if (!signals->arrived)
			signals->arrived = number;
	}
	sigprocmask(SIG_SETMASK, &signals->before, NULL);
	signals->held = false;
}

void signals_discard(struct signals *signals)
{
	signals_unblock(signals);
	signals->arrived = 0;
}

void signals_release(struct signals *signals)
{
	int arrived;

	signals_unblock(signals);
	arrived = signals->arrived;
	signals->arrived = 0;
	if (arrived)
		raise(arrived);
}

void signals_end_process(int number)
{
	const struct rlimit no_core = { 0, 0 };
	sigset_t only;

	sigemptyset(&only);
	sigaddset(&only, number);
	/* Where one of these fails, the signal has less effect, and the caller ends all the same.
	 */
	(void)setrlimit(RLIMIT_CORE, &no_core);
	(void)signal(number, SIG_DFL);
	(void)sigprocmask(SIG_UNBLOCK, &only, NULL);
	(void)raise(number);
}
