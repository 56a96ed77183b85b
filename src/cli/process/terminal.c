/* SPDX-License-Identifier: BSD-3-Clause */
#include "terminal.h"

#include "nowait_stream.h"
#include "signals.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

/* The cursor would jump about. */
#define HIDE_CURSOR "\033[?25l"
#define SHOW_CURSOR "\033[?25h"
#define ERASE_SCREEN "\033[H\033[2J"

/* The kernel sends SIGHUP a moment after the terminal is gone. */
enum { HANGUP_MS = 200 };

/* ---- Modes ---- */

/** Whether the terminal is this program's: that of its shell is left alone. */
static bool is_in_foreground(const struct terminal *terminal)
{
	pid_t group = tcgetpgrp(terminal->input);

	return group < 0 || group == getpgrp();
}

static bool termination_is_pending(void)
{
	sigset_t ends, pending;

	sigemptyset(&ends);
	signals_fatal(&ends);
	sigaddset(&ends, SIGPIPE);
	sigpending(&pending);
	for (int number = 1; number <= SIGRTMAX; number++)
		if (sigismember(&ends, number) == 1 && sigismember(&pending, number) == 1)
			return true;
	return false;
}

/** Keys arrive at once, and are not shown; those that send signals do. */
static void set_modes(const struct terminal *terminal)
{
	const struct timespec at_once = { 0 };
	struct termios modes = terminal->modes;
	sigset_t continued;

	if (terminal->input < 0)
		return;
	/*
	 * In the background the program stops, as any does that sets modes, until the shell gives
	 * it the terminal. The kernel would stop it again and again even where a signal is to end
	 * it, as shells send it to a job that has stopped. Where nothing stops it (no shell, or
	 * ignored) it is not waited for.
	 */
	sigemptyset(&continued);
	sigaddset(&continued, SIGCONT);
	while (!is_in_foreground(terminal) && !termination_is_pending()) {
		(void)raise(SIGTTOU);
		if (sigtimedwait(&continued, NULL, &at_once) < 0)
			break;
	}
	modes.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	modes.c_cc[VMIN] = 1;
	modes.c_cc[VTIME] = 0;
	if (is_in_foreground(terminal))
		(void)tcsetattr(terminal->input, TCSANOW, &modes);
}

static bool is_ready(const struct terminal *terminal)
{
	struct pollfd files[] = { { .fd = terminal->screen, .events = POLLOUT },
				  { .fd = terminal->signals, .events = POLLIN } };

	while (poll(files, 2, -1) < 0)
		if (errno != EINTR)
			return false;
	return !(files[1].revents & POLLIN) && !(files[0].revents & (POLLERR | POLLHUP | POLLNVAL));
}

/** Returns false where the terminal is gone, or a signal has to be handled first. */
static bool write_all(const struct terminal *terminal, const char *text, size_t size)
{
	while (size > 0) {
		ssize_t written = write(terminal->screen, text, size);

		if (written > 0) {
			text += written;
			size -= (size_t)written;
		} else if (written < 0 && errno != EAGAIN && errno != EINTR) {
			return false;
		}
		if (size > 0 && !is_ready(terminal))
			return false;
	}
	return true;
}

static void begin(const struct terminal *terminal)
{
	set_modes(terminal);
	if (termination_is_pending())
		return;
	(void)write_all(terminal, HIDE_CURSOR ERASE_SCREEN, sizeof(HIDE_CURSOR ERASE_SCREEN) - 1);
}

/** What is shown stays; the cursor is below it. A terminal that takes nothing is not waited for. */
static void end(const struct terminal *terminal)
{
	char text[64];
	int length = snprintf(text, sizeof(text), "\033[0m\033[%uH\r\n" SHOW_CURSOR,
			      terminal->lines > 0 ? terminal->lines : 1);

	if (terminal->input >= 0 && !is_in_foreground(terminal))
		return;
	(void)!write(terminal->screen, text, (size_t)length);
	if (terminal->input >= 0)
		(void)tcsetattr(terminal->input, TCSANOW, &terminal->modes);
}

/* ---- Opening and closing ---- */

/* That of a program that exit() ends without terminal_close(). */
static const struct terminal *left_open;

static void restore_at_exit(void)
{
	if (left_open)
		end(left_open);
}

/** Signals that the parent had it ignore (nohup) stay ignored. */
static int watch_signals(struct terminal *terminal)
{
	sigemptyset(&terminal->watched);
	signals_fatal(&terminal->watched);
	/* Other output may cause it. */
	sigaddset(&terminal->watched, SIGPIPE);
	sigaddset(&terminal->watched, SIGTSTP);
	sigaddset(&terminal->watched, SIGCONT);
	sigaddset(&terminal->watched, SIGWINCH);
	for (int number = 1; number <= SIGRTMAX; number++)
		if (signals_ignored(number))
			sigdelset(&terminal->watched, number);
	terminal->signals = signalfd(-1, &terminal->watched, SFD_CLOEXEC | SFD_NONBLOCK);
	if (terminal->signals < 0)
		return -errno;
	if (sigprocmask(SIG_BLOCK, &terminal->watched, &terminal->before) == 0)
		return 0;
	close(terminal->signals);
	return -errno;
}

int terminal_open(struct terminal *terminal, int output)
{
	int error;

	*terminal = (struct terminal){ .input = -1, .output = output };
	error = watch_signals(terminal);
	if (error)
		return error;
	/* Ctrl-S must not hold the program up. Another user's terminal (su) cannot be opened
	 * again. */
	terminal->screen = nowait_open_again(output);
	if (terminal->screen < 0)
		terminal->screen = output;
	if (tcgetattr(STDIN_FILENO, &terminal->modes) == 0)
		terminal->input = STDIN_FILENO;
	left_open = terminal;
	(void)atexit(restore_at_exit);
	begin(terminal);
	return 0;
}

void terminal_close(struct terminal *terminal)
{
	left_open = NULL;
	end(terminal);
	if (terminal->screen != terminal->output)
		close(terminal->screen);
	close(terminal->signals);
	(void)sigprocmask(SIG_SETMASK, &terminal->before, NULL);
}

bool terminal_can_show(int output)
{
	const char *kind = getenv("TERM");

	return isatty(output) && kind && strcmp(kind, "dumb") != 0;
}

/* ---- Events ---- */

static enum terminal_event take_signal(struct terminal *terminal)
{
	struct signalfd_siginfo signal;

	if (read(terminal->signals, &signal, sizeof(signal)) != sizeof(signal))
		return TERMINAL_TIMEOUT;
	switch (signal.ssi_signo) {
	case SIGTSTP:
		/* As the program would have stopped without all this. */
		end(terminal);
		signals_stop();
		begin(terminal);
		return TERMINAL_REDRAW;
	case SIGCONT:
		/* Also after SIGSTOP, which nothing can be done before. */
		begin(terminal);
		return TERMINAL_REDRAW;
	case SIGWINCH:
		return TERMINAL_REDRAW;
	default:
		terminal->ended_by = (int)signal.ssi_signo;
		return TERMINAL_SIGNAL;
	}
}

static enum terminal_event take_keys(const struct terminal *terminal)
{
	char keys[64];
	ssize_t count = read(terminal->input, keys, sizeof(keys));

	if (count < 0 && (errno == EINTR || errno == EAGAIN))
		return TERMINAL_TIMEOUT;
	if (count <= 0)
		return TERMINAL_CLOSED;
	return memchr(keys, 'q', (size_t)count) || memchr(keys, 'Q', (size_t)count)
		       ? TERMINAL_QUIT
		       : TERMINAL_TIMEOUT;
}

/** A terminal that is gone sends SIGHUP, now or soon. */
static enum terminal_event take_hangup(struct terminal *terminal)
{
	struct pollfd file = { .fd = terminal->signals, .events = POLLIN };
	enum terminal_event event = TERMINAL_CLOSED;

	if (poll(&file, 1, HANGUP_MS) > 0)
		event = take_signal(terminal);
	return event == TERMINAL_SIGNAL ? event : TERMINAL_CLOSED;
}

enum terminal_event terminal_wait(struct terminal *terminal, int timeout_ms)
{
	const short gone = POLLERR | POLLHUP | POLLNVAL;
	struct pollfd files[] = { { .fd = terminal->signals, .events = POLLIN },
				  { .fd = terminal->input, .events = POLLIN },
				  { .fd = terminal->screen } };
	enum terminal_event event = TERMINAL_TIMEOUT;

	if (poll(files, 3, timeout_ms) < 0)
		return errno == EINTR ? TERMINAL_TIMEOUT : TERMINAL_CLOSED;
	if (files[0].revents)
		return take_signal(terminal);
	if (files[1].revents & POLLIN)
		event = take_keys(terminal);
	else if ((files[1].revents | files[2].revents) & gone)
		event = TERMINAL_CLOSED;
	return event == TERMINAL_CLOSED ? take_hangup(terminal) : event;
}

enum terminal_event terminal_show(struct terminal *terminal, const char *screen, size_t size,
				  unsigned int lines)
{
	enum terminal_event event;

	terminal->lines = lines;
	if (write_all(terminal, screen, size))
		return TERMINAL_TIMEOUT;
	event = terminal_wait(terminal, 0);
	return event == TERMINAL_TIMEOUT ? take_hangup(terminal) : event;
}
