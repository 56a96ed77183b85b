/* SPDX-License-Identifier: BSD-3-Clause */
/* Signals that would end the program in the middle of a change: held back, looked at between its
 * steps, and delivered when no change is incomplete. */
#ifndef ISST_CLI_SIGNALS_H
#define ISST_CLI_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

struct signals {
	bool held;
	sigset_t before; /* the mask as it was */
	sigset_t ours;	 /* those that are held back */
	sigset_t others; /* those that the run waits for, see signals_block_others() */
	int arrived;	 /* one that came while they were held back; 0: none */
};

/** Adds all signals that end a program, except those of a crash and those that it ignores itself
 * (SIGPIPE, SIGXFSZ). */
void signals_fatal(sigset_t *set);

/** The name of one of these. */
const char *signals_name(int number);

/** Whether the program's parent had it ignore a signal (nohup): then it must have no effect. */
bool signals_ignored(int number);

/** Holds these signals back, and what would stop the program: the terminal, and output while it is
 * in the background. SIGPIPE is ignored from then on. Returns 0 or a negative errno. */
int signals_block(struct signals *signals);

/** Blocks signals that the run itself waits for: they do not end it, and those that have arrived
 * when the change is over are dropped. Returns 0 or a negative errno. */
int signals_block_others(struct signals *signals, const sigset_t *others);

/** The change is over: one that arrived is kept for signals_release(), further ones have their
 * usual effect at once. */
void signals_unblock(struct signals *signals);

/** Nothing is to come of the one that arrived: the program's status is more important. */
void signals_discard(struct signals *signals);

/** One that arrived since, by its name; NULL: none. */
const char *signals_arrived(const struct signals *signals);

/** Lets them go; one that arrived now has its usual effect, so that the parent sees what ended the
 * program. */
void signals_release(struct signals *signals);

/** Ends this process by a signal that has ended another one, whatever its disposition here, and
 * without a core of its own. Returns only where that does not end it: process 1 of a container. */
void signals_end_process(int number);

/** Stops as the kernel would for SIGTSTP, which is blocked: not in an orphaned process group, which
 * no process could continue. Returns once it is continued. */
void signals_stop(void);

#endif
