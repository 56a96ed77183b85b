/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A pseudo terminal with what it shows, and a shell on it with one job: the command, run in a
 * process of its own. What is written to it is understood as ECMA-48 has it, as far as the command
 * uses it; anything else fails the test.
 */
#ifndef TESTS_CLI_PSEUDO_TERMINAL_H
#define TESTS_CLI_PSEUDO_TERMINAL_H

#include "check.h"

#include "cli/execute.h"
#include "cli/render/output.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

/* Each wait ends after this time, and with it the test. */
enum { LIMIT_MS = 30000, MOST_ROWS = 64, MOST_COLUMNS = 256 };

struct pseudo_terminal {
	int manager, report;
	pid_t shell, job;
	struct termios before;
	unsigned int rows, columns, row, column;
	bool cursor_hidden, inverse_now;
	char text[MOST_ROWS][MOST_COLUMNS + 1];
	bool inverse[MOST_ROWS][MOST_COLUMNS + 1];
	char sequence[32];
	size_t sequence_length;
};

/* ---- Deadlines ---- */

static inline int64_t clock_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/** Waits for the end of a process, which is killed where it does not come. */
static inline int wait_for_process(pid_t process)
{
	const int64_t limit = clock_ms() + LIMIT_MS;
	int status;

	for (;;) {
		pid_t ended = waitpid(process, &status, WNOHANG);

		assert_true(ended >= 0);
		if (ended == process)
			return status;
		if (clock_ms() > limit) {
			kill(process, SIGKILL);
			waitpid(process, &status, 0);
			fail_msg("process %d does not end", (int)process);
		}
		usleep(1000);
	}
}

/* Of the test that runs; 0: none. What a failed test leaves is killed. */
static pid_t running_shell, running_job;

static inline int kill_leftovers(void **state)
{
	if (running_job > 0)
		kill(-running_job, SIGKILL);
	if (running_shell > 0) {
		kill(running_shell, SIGKILL);
		waitpid(running_shell, NULL, 0);
	}
	running_job = 0;
	running_shell = 0;
	return 0;
}

/* ---- The command ---- */

enum { MOST_WORDS = 16 };

/** Runs the command with words that are separated by '|'. Returns its exit status. */
static inline int run_command(const char *line)
{
	char *copy = strdup(line), *rest = copy, *words[MOST_WORDS + 1] = { NULL }, *problem;
	struct request request;
	struct output output;
	int count = 0, status = 2;

	for (char *word; (word = strsep(&rest, "|")) != NULL && count < MOST_WORDS;)
		words[count++] = word;
	output_start(&output, words[0]);
	problem = request_read(&request, output.reference, count, words);
	if (!problem) {
		output.format = request_format(&request);
		output.path = request_text(&request, OPTION_OUT);
		status = execute_command(&request, &output);
	} else {
		fprintf(stderr, "%s\n", problem);
	}
	free(problem);
	request_clear(&request);
	output_close(&output);
	free(copy);
	fflush(stdout);
	return status;
}

/** The same in a process of its own that shows nothing: another process changes the machine. */
static inline void run_elsewhere(const char *line)
{
	pid_t process;

	fflush(NULL);
	process = fork();
	assert_true(process >= 0);
	if (process == 0) {
		int nowhere = open("/dev/null", O_RDWR);

		dup2(nowhere, 0);
		dup2(nowhere, 1);
		dup2(nowhere, 2);
		_exit(run_command(line));
	}
	assert_int_equal(wait_for_process(process), 0);
}

/* ---- What is shown ---- */

static inline void erase(struct pseudo_terminal *terminal, unsigned int row, unsigned int from)
{
	for (unsigned int column = from; column < terminal->columns; column++) {
		terminal->text[row][column] = ' ';
		terminal->inverse[row][column] = false;
	}
}

static inline void erase_from(struct pseudo_terminal *terminal, unsigned int row,
			      unsigned int column)
{
	erase(terminal, row, column);
	while (++row < terminal->rows)
		erase(terminal, row, 0);
}

static inline void set_size(struct pseudo_terminal *terminal, unsigned int rows,
			    unsigned int columns)
{
	const struct winsize size = { .ws_row = (unsigned short)rows,
				      .ws_col = (unsigned short)columns };

	assert_true(rows <= MOST_ROWS && columns <= MOST_COLUMNS);
	assert_int_equal(ioctl(terminal->manager, TIOCSWINSZ, &size), 0);
	terminal->rows = rows;
	terminal->columns = columns;
	erase_from(terminal, 0, 0);
}

static inline void next_row(struct pseudo_terminal *terminal)
{
	if (terminal->row + 1 < terminal->rows) {
		terminal->row++;
		return;
	}
	memmove(terminal->text[0], terminal->text[1],
		(terminal->rows - 1) * sizeof(terminal->text[0]));
	memmove(terminal->inverse[0], terminal->inverse[1],
		(terminal->rows - 1) * sizeof(terminal->inverse[0]));
	erase(terminal, terminal->row, 0);
}

static inline void obey(struct pseudo_terminal *terminal, char final)
{
	const char *parameter = terminal->sequence + 1;
	unsigned int number = (unsigned int)strtoul(parameter, NULL, 10);

	if (final == 'H') {
		terminal->row = number > 0 ? number - 1 : 0;
		terminal->column = 0;
	} else if (final == 'K' && number == 0) {
		erase(terminal, terminal->row, terminal->column);
	} else if (final == 'J') {
		erase_from(terminal, number == 2 ? 0 : terminal->row,
			   number == 2 ? 0 : terminal->column);
	} else if (final == 'm') {
		terminal->inverse_now = number == 7;
	} else if (strncmp(parameter, "?25", 3) == 0 && (final == 'l' || final == 'h')) {
		terminal->cursor_hidden = final == 'l';
	} else {
		fail_msg("unknown control sequence %s%c", parameter, final);
	}
}

static inline void show(struct pseudo_terminal *terminal, char byte)
{
	if (terminal->sequence_length > 0 || byte == '\033') {
		if (terminal->sequence_length > 1 && byte >= '@' && byte <= '~') {
			terminal->sequence[terminal->sequence_length] = '\0';
			memmove(terminal->sequence, terminal->sequence + 1,
				terminal->sequence_length);
			obey(terminal, byte);
			terminal->sequence_length = 0;
		} else {
			assert_true(terminal->sequence_length < sizeof(terminal->sequence) - 1);
			terminal->sequence[terminal->sequence_length++] = byte;
		}
	} else if (byte == '\r') {
		terminal->column = 0;
	} else if (byte == '\n') {
		next_row(terminal);
	} else {
		/* A line that is too long would go on in the next one. */
		assert_true(terminal->column < terminal->columns);
		terminal->text[terminal->row][terminal->column] = byte;
		terminal->inverse[terminal->row][terminal->column++] = terminal->inverse_now;
	}
}

/** Shows what comes within a time. Returns false where nothing did. */
static inline bool read_screen(struct pseudo_terminal *terminal, int timeout_ms)
{
	struct pollfd file = { .fd = terminal->manager, .events = POLLIN };
	char bytes[4096];
	ssize_t count;

	if (poll(&file, 1, timeout_ms) <= 0)
		return false;
	count = read(terminal->manager, bytes, sizeof(bytes));
	for (ssize_t i = 0; i < count; i++)
		show(terminal, bytes[i]);
	return count > 0;
}

/** The screen as lines without blanks at their ends, nor empty ones at its end; the time in the
 * first one is HH:MM:SS. */
static inline const char *screen_text(const struct pseudo_terminal *terminal)
{
	static char text[MOST_ROWS * (MOST_COLUMNS + 2)];
	char *end = text;

	for (unsigned int row = 0; row < terminal->rows; row++) {
		memcpy(end, terminal->text[row], terminal->columns);
		end += terminal->columns;
		while (end > text && end[-1] == ' ')
			end--;
		if (row == 0 && end - text >= 8 && end[-3] == ':' && end[-6] == ':')
			memcpy(end - 8, "HH:MM:SS", 8);
		*end++ = '\n';
	}
	while (end - text >= 2 && end[-2] == '\n')
		end--;
	*end = '\0';
	return text;
}

/** Shows what comes until nothing has come for a time. */
static inline void read_rest(struct pseudo_terminal *terminal, int timeout_ms)
{
	const int64_t limit = clock_ms() + LIMIT_MS;

	while (read_screen(terminal, timeout_ms))
		if (clock_ms() > limit)
			fail_msg("there is no end of what is written; the screen:\n%s",
				 screen_text(terminal));
}

/** Waits until the screen has or has not a text, and nothing more comes for a moment: a screen is
 * one write. */
static inline void wait_for(struct pseudo_terminal *terminal, const char *part, bool there)
{
	const int64_t limit = clock_ms() + LIMIT_MS;

	while ((strstr(screen_text(terminal), part) != NULL) != there) {
		read_screen(terminal, 100);
		if (clock_ms() > limit)
			fail_msg("'%s' is%s on the screen:\n%s", part, there ? " not" : "",
				 screen_text(terminal));
	}
	read_rest(terminal, 100);
}

/** Compares a whole screen. */
static inline void assert_shown(const struct pseudo_terminal *terminal, const char *expected)
{
	assert_string_equal(screen_text(terminal), expected);
}

/** Whether exactly the words that begin with a mark are inverse. */
static inline void assert_marks_are_inverse(const struct pseudo_terminal *terminal)
{
	for (unsigned int row = 0; row < terminal->rows; row++)
		for (unsigned int column = 0; column < terminal->columns; column++) {
			bool begins = terminal->inverse[row][column] &&
				      (column == 0 || !terminal->inverse[row][column - 1]);

			assert_int_equal(begins, terminal->text[row][column] == '*');
		}
}

/* ---- The shell ---- */

static pid_t job_of_shell;
static int terminal_of_shell;

/** fg */
static inline void give_terminal(int number)
{
	tcsetpgrp(terminal_of_shell, job_of_shell);
}

/** As shells do: the kernel sends it to them alone. */
static inline void pass_on(int number)
{
	kill(-job_of_shell, number);
}

/** Runs the job in the foreground, and reports: its process, S when it has stopped and the terminal
 * is the shell's, and in the end its status. */
__attribute__((noreturn)) static inline void be_shell(const char *path, int report,
						      const char *line, bool ignore_hangup)
{
	int terminal, status;
	pid_t job;

	signal(SIGHUP, pass_on);
	if (setsid() < 0 || (terminal = open(path, O_RDWR)) < 0 ||
	    ioctl(terminal, TIOCSCTTY, 0) != 0)
		_exit(101);
	signal(SIGTTOU, SIG_IGN);
	job = fork();
	if (job == 0) {
		setpgid(0, 0);
		tcsetpgrp(terminal, getpid());
		signal(SIGTTOU, SIG_DFL);
		signal(SIGHUP, ignore_hangup ? SIG_IGN : SIG_DFL);
		for (int stream = 0; stream < 3; stream++)
			dup2(terminal, stream);
		close(terminal);
		_exit(run_command(line));
	}
	job_of_shell = job;
	terminal_of_shell = terminal;
	signal(SIGUSR1, give_terminal);
	dprintf(report, "%d\n", (int)job);
	while (waitpid(job, &status, WUNTRACED) == job && WIFSTOPPED(status)) {
		tcsetpgrp(terminal, getpid());
		dprintf(report, "S\n");
	}
	dprintf(report, "%d\n", WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
	_exit(0);
}

/** What the shell reports next; -1: that the job has stopped. */
static inline int next_report(struct pseudo_terminal *terminal)
{
	const int64_t limit = clock_ms() + LIMIT_MS;
	char line[32];
	size_t length = 0;

	while (length == 0 || line[length - 1] != '\n') {
		struct pollfd file = { .fd = terminal->report, .events = POLLIN };

		/* What the job still shows must not hold it up. */
		if (terminal->manager >= 0)
			read_screen(terminal, 0);
		if (clock_ms() > limit)
			fail_msg("the job neither ends nor stops");
		if (poll(&file, 1, 100) <= 0)
			continue;
		assert_int_equal(read(terminal->report, line + length, 1), 1);
		length++;
	}
	line[length] = '\0';
	return *line == 'S' ? -1 : (int)strtol(line, NULL, 10);
}

static inline void open_terminal(struct pseudo_terminal *terminal, unsigned int rows,
				 unsigned int columns)
{
	*terminal = (struct pseudo_terminal){ .manager = posix_openpt(O_RDWR | O_NOCTTY |
								      O_CLOEXEC) };
	assert_true(terminal->manager >= 0);
	assert_int_equal(grantpt(terminal->manager), 0);
	assert_int_equal(unlockpt(terminal->manager), 0);
	set_size(terminal, rows, columns);
	assert_int_equal(tcgetattr(terminal->manager, &terminal->before), 0);
}

static inline void start(struct pseudo_terminal *terminal, const char *line, bool ignore_hangup)
{
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	terminal->report = ends[0];
	fflush(NULL);
	terminal->shell = fork();
	assert_true(terminal->shell >= 0);
	if (terminal->shell == 0) {
		char path[64];

		snprintf(path, sizeof(path), "%s", ptsname(terminal->manager));
		close(terminal->manager);
		close(ends[0]);
		be_shell(path, ends[1], line, ignore_hangup);
	}
	close(ends[1]);
	running_shell = terminal->shell;
	terminal->job = next_report(terminal);
	running_job = terminal->job;
}

static inline void type(const struct pseudo_terminal *terminal, char key)
{
	assert_int_equal(write(terminal->manager, &key, 1), 1);
}

/** The job goes on, in the foreground. */
static inline void go_on(const struct pseudo_terminal *terminal)
{
	const int64_t limit = clock_ms() + LIMIT_MS;

	assert_int_equal(kill(terminal->shell, SIGUSR1), 0);
	while (tcgetpgrp(terminal->manager) != terminal->job) {
		if (clock_ms() > limit)
			fail_msg("the job is not in the foreground");
		usleep(1000);
	}
	assert_int_equal(kill(terminal->job, SIGCONT), 0);
}

static inline void hang_up(struct pseudo_terminal *terminal)
{
	close(terminal->manager);
	terminal->manager = -1;
}

/** The terminal is as it was before the job. */
static inline void assert_restored(struct pseudo_terminal *terminal)
{
	struct termios now;

	read_rest(terminal, 50);
	assert_int_equal(tcgetattr(terminal->manager, &now), 0);
	assert_int_equal(now.c_lflag, terminal->before.c_lflag);
	assert_int_equal(now.c_iflag, terminal->before.c_iflag);
	assert_int_equal(now.c_oflag, terminal->before.c_oflag);
	assert_memory_equal(now.c_cc, terminal->before.c_cc, sizeof(now.c_cc));
	assert_false(terminal->cursor_hidden);
	assert_false(terminal->inverse_now);
}

/** Waits for the end of the job. Returns its status as a shell has it. */
static inline int end_of_job(struct pseudo_terminal *terminal)
{
	int status = next_report(terminal);

	running_job = 0;
	wait_for_process(terminal->shell);
	running_shell = 0;
	if (terminal->manager >= 0) {
		assert_restored(terminal);
		close(terminal->manager);
	}
	close(terminal->report);
	return status;
}

#endif
