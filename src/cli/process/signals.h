/* SPDX-License-Identifier: BSD-3-Clause */
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

/** Adds the signals that end a program, but for crashes, SIGPIPE and SIGXFSZ. */
void signals_fatal(sigset_t *set);
const char *signals_name(int number);

/** Whether the program's parent had it ignore a signal (nohup): then it must have no effect. */
bool signals_ignored(int number);

/** Blocks them, and what would stop the program; ignores SIGPIPE. Returns 0 or a negative errno. */
int signals_block(struct signals *signals);

/** Blocks signals that the run itself waits for, and drops late ones. Returns 0 or a negative
 * errno. */
int signals_block_others(struct signals *signals, const sigset_t *others);

/** The change is over: keeps one that arrived for signals_release(). */
void signals_unblock(struct signals *signals);

/** Nothing is to come of the one that arrived: the program's status is more important. */
void signals_discard(struct signals *signals);

/** One that arrived since, by its name; NULL: none. */
const char *signals_arrived(const struct signals *signals);

/** Unblocks them; one that arrived takes effect now. */
void signals_release(struct signals *signals);

/** Ends this process by a signal, without a core. Returns only in process 1 of a container. */
void signals_end_process(int number);

/** Stops as for SIGTSTP, unless the process group is orphaned. Returns once continued. */
void signals_stop(void);

#endif
