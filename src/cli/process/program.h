/* SPDX-License-Identifier: BSD-3-Clause */
/* A program that runs while the machine is changed. It is forked before the run opens files,
 * blocks signals or drops privileges, and so inherits what the caller left; it waits for its
 * release. */
#ifndef ISST_CLI_PROGRAM_H
#define ISST_CLI_PROGRAM_H

#include "isst.h"

#include <signal.h>
#include <stdbool.h>

struct program;

/** The statuses of env(1) for a program that was not run. */
enum { PROGRAM_RUN_FAILED = 125, PROGRAM_NOT_EXECUTABLE = 126, PROGRAM_NOT_FOUND = 127 };

/** Finds a program as execvp(3), with the caller's rights. Returns 0 or a negative errno. */
int program_find(const char *name);
unsigned int program_status_of_error(int error);

/** What this process changed of what programs inherit. */
struct program_inheritance {
	const bool *closed;	/* three: the standard streams that the caller had closed */
	bool file_limit_killed; /* SIGXFSZ had its usual effect */
};

/** Forks; this process then has the usual disposition of SIGCHLD. @words: the program and its
 * arguments, which must outlive it. Returns 0 or a negative errno. */
int program_fork(char *const *words, const struct program_inheritance *inheritance,
		 struct program **program);

enum program_stage { PROGRAM_PREPARATION, PROGRAM_AFFINITY, PROGRAM_EXECUTION, PROGRAM_END };

struct program_end {
	int error;		  /* why it could not be run, or its end not be seen: a negative
				   * errno; 0: it was */
	enum program_stage stage; /* where that happened */
	unsigned int status;	  /* as a shell reports it, also where it was not run */
	int signal;		  /* that ended it; 0: none did */
};

/** Runs the program and waits for its end. Passes signals on that the terminal does not send it
 * anyway; program_signals() and signals_fatal() are blocked. @cpus: its affinity; NULL:
 * unchanged. */
struct program_end program_run(struct program *program, const struct isst_cpuset *cpus);

/** Adds the signals that are passed on though they are not fatal, and SIGCHLD. */
void program_signals(sigset_t *set);

/** Frees the program, and ends its process if it was not run. */
void program_free(struct program *program);

#endif
