/* SPDX-License-Identifier: BSD-3-Clause */
/* A program that is run while the machine is changed for it. Its process is forked before the run
 * opens anything, blocks signals or drops privileges: so the program gets descriptors, signal mask
 * and dispositions, limits and capabilities as the caller left them. It waits until it is released.
 */
#ifndef ISST_CLI_PROGRAM_H
#define ISST_CLI_PROGRAM_H

#include "isst.h"

#include <signal.h>
#include <stdbool.h>

struct program;

/** The statuses of env(1) for a program that was not run. */
enum { PROGRAM_RUN_FAILED = 125, PROGRAM_NOT_EXECUTABLE = 126, PROGRAM_NOT_FOUND = 127 };

/** Looks for a program as execvp(3) does, with the rights of the caller. Returns 0, or a negative
 * errno for which it cannot be executed; what else is wrong with it, its execution finds. */
int program_find(const char *name);

/** The status for one that cannot be executed. */
unsigned int program_status_of_error(int error);

/** What this process changed of what programs inherit. */
struct program_inheritance {
	const bool *closed;	/* three: the standard streams that the caller had closed */
	bool file_limit_killed; /* SIGXFSZ had its usual effect */
};

/**
 * Forks the process. From then on this process has the usual disposition of SIGCHLD, whatever the
 * caller had; the program has that of the caller.
 *
 * @words: the program, which is searched for in PATH, and its arguments, ended by NULL; they live
 * as long as the program
 * @program: set to the program, which program_free() frees
 * Returns 0 or a negative errno.
 */
int program_fork(char *const *words, const struct program_inheritance *inheritance,
		 struct program **program);

enum program_stage { PROGRAM_PREPARATION, PROGRAM_AFFINITY, PROGRAM_EXECUTION, PROGRAM_END };

/** What became of a program. */
struct program_end {
	int error;		  /* why it could not be run, or its end not be seen: a negative
				   * errno; 0: it was */
	enum program_stage stage; /* where that happened */
	unsigned int status;	  /* as a shell reports it, also where it was not run */
	int signal;		  /* that ended it; 0: none did */
};

/**
 * Runs the program and waits for its end. Signals that arrive meanwhile are passed on, unless the
 * terminal has sent them to it as well, as to all of its process group; those of program_signals()
 * and signals_fatal() have to be blocked.
 *
 * @cpus: what it may run on; NULL: what the caller may
 */
struct program_end program_run(struct program *program, const struct isst_cpuset *cpus);

/** Adds the signals that are passed on to a program though they would not end this one, and that
 * which reports its end. */
void program_signals(sigset_t *set);

/** Frees the program, and ends its process if it was not run. NULL is allowed. */
void program_free(struct program *program);

#endif
