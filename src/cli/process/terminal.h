/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ISST_CLI_TERMINAL_H
#define ISST_CLI_TERMINAL_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <termios.h>

enum terminal_event {
	TERMINAL_TIMEOUT, /* nothing happened */
	TERMINAL_REDRAW,  /* its size may be another one, or something else was on it */
	TERMINAL_QUIT,	  /* the key q */
	TERMINAL_SIGNAL,  /* one that ends the program: terminal->ended_by */
	TERMINAL_CLOSED,  /* it is gone */
};

struct terminal {
	int input;  /* that keys come from; -1: from nowhere */
	int output; /* as it was given */
	int screen; /* that is written to */
	int signals;
	struct termios modes; /* of the input, as they were */
	sigset_t watched, before;
	unsigned int lines; /* that are shown */
	int ended_by;	    /* a signal; 0: none */
};

/** Whether a descriptor is a terminal that screens can be shown on: not a dumb one. */
bool terminal_can_show(int output);

/** Begins screens: signals arrive in terminal_wait() from now on. Returns 0 or a negative errno. */
int terminal_open(struct terminal *terminal, int output);
void terminal_close(struct terminal *terminal);

/** Shows a screen of so many lines. Returns TERMINAL_TIMEOUT, or what came in between. */
enum terminal_event terminal_show(struct terminal *terminal, const char *screen, size_t size,
				  unsigned int lines);

/** Waits for an event. While the program is stopped (Ctrl-Z) the terminal is restored. */
enum terminal_event terminal_wait(struct terminal *terminal, int timeout_ms);

#endif
