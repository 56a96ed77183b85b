/* SPDX-License-Identifier: BSD-3-Clause */
#include "signals.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

/* Signals that end a program without being a crash; SIGPIPE and SIGXFSZ are ignored. */
static const struct {
	int number;
	const char *name;
} fatal[] = {
	{ SIGINT, "SIGINT" },	    { SIGTERM, "SIGTERM" }, { SIGHUP, "SIGHUP" },
	{ SIGQUIT, "SIGQUIT" },	    { SIGUSR1, "SIGUSR1" }, { SIGUSR2, "SIGUSR2" },
	{ SIGALRM, "SIGALRM" },	    { SIGXCPU, "SIGXCPU" }, { SIGPROF, "SIGPROF" },
	{ SIGVTALRM, "SIGVTALRM" }, { SIGIO, "SIGIO" },	    { SIGPWR, "SIGPWR" },
#ifdef SIGSTKFLT
	{ SIGSTKFLT, "SIGSTKFLT" },
#endif
};

enum { FATAL = sizeof(fatal) / sizeof(fatal[0]) };

void signals_fatal(sigset_t *set)
{
	for (size_t i = 0; i < FATAL; i++)
		sigaddset(set, fatal[i].number);
	for (int number = SIGRTMIN; number <= SIGRTMAX; number++)
		sigaddset(set, number);
}

const char *signals_name(int number)
{
	static char names[NSIG][sizeof("SIGRTMIN+99")];

	for (size_t i = 0; i < FATAL; i++) {
		if (fatal[i].number == number)
			return fatal[i].name;
	}
	if (number < SIGRTMIN || number > SIGRTMAX || number >= NSIG)
		return "a signal";
	if (number == SIGRTMIN)
		return "SIGRTMIN";
	snprintf(names[number], sizeof(names[number]), "SIGRTMIN+%u",
		 (unsigned int)(number - SIGRTMIN) % 100);
	return names[number];
}

bool signals_ignored(int number)
{
	struct sigaction action;

	return sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

int signals_block(struct signals *signals)
{
	sigset_t blocked;

	*signals = (struct signals){ .held = false };
	sigemptyset(&signals->ours);
	sigemptyset(&signals->others);
	/* Also one that is ignored: which these are is asked when one arrives, which is rare. */
	signals_fatal(&signals->ours);
	/* The terminal must not stop a change halfway. */
	blocked = signals->ours;
	sigaddset(&blocked, SIGTSTP);
	sigaddset(&blocked, SIGTTOU);
	if (sigprocmask(SIG_BLOCK, &blocked, &signals->before) != 0)
		return -errno;
	signals->held = true;
	/* Writing to a reader that is gone fails instead, as to a file that may not grow
	 * (output.c). */
	return signal(SIGPIPE, SIG_IGN) == SIG_ERR ? -errno : 0;
}

int signals_block_others(struct signals *signals, const sigset_t *others)
{
	if (sigprocmask(SIG_BLOCK, others, NULL) != 0)
		return -errno;
	signals->others = *others;
	for (int number = 1; number < NSIG; number++) {
		if (sigismember(others, number) == 1)
			sigdelset(&signals->ours, number);
	}
	return 0;
}

const char *signals_arrived(const struct signals *signals)
{
	sigset_t pending;

	if (!signals->held || sigpending(&pending) != 0)
		return NULL;
	for (int number = 1; number <= SIGRTMAX; number++)
		if (sigismember(&signals->ours, number) == 1 &&
		    sigismember(&pending, number) == 1 && !signals_ignored(number))
			return signals_name(number);
	return NULL;
}

void signals_unblock(struct signals *signals)
{
	const struct timespec at_once = { 0 };
	int number;

	if (!signals->held)
		return;
	while (sigtimedwait(&signals->others, NULL, &at_once) > 0)
		continue;
	while ((number = sigtimedwait(&signals->ours, NULL, &at_once)) > 0) {
		if (!signals->arrived && !signals_ignored(number))
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
	/* If one of these fails the caller ends all the same. */
	(void)setrlimit(RLIMIT_CORE, &no_core);
	(void)signal(number, SIG_DFL);
	(void)sigprocmask(SIG_UNBLOCK, &only, NULL);
	(void)raise(number);
}

void signals_stop(void)
{
	sigset_t only;

	sigemptyset(&only);
	sigaddset(&only, SIGTSTP);
	(void)raise(SIGTSTP);
	(void)sigprocmask(SIG_UNBLOCK, &only, NULL);
	(void)sigprocmask(SIG_BLOCK, &only, NULL);
}
