/* SPDX-License-Identifier: BSD-3-Clause */
/* What confirms a change, and what does not. */
#include "check.h"
#include "support/signals.h"

#include "cli/process/confirmation.h"
#include "cli/process/signals.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CONFIRMED = 42, NEVER_S = 30 };

static void block_signals(void)
{
	sigset_t signals;

	sigemptyset(&signals);
	confirmation_signals(&signals);
	signals_fatal(&signals);
	sigprocmask(SIG_BLOCK, &signals, NULL);
}

/* Where is printed what does not confirm. */
static struct nowait_stream *messages;

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/** A signal that arrives before the wait counts as well, once the time has begun. */
static void assert_answer(int number, const char *expected)
{
	struct confirmation confirmation = confirmation_begin(NEVER_S, messages);
	uint64_t begin = now_ms();
	const char *answer;

	raise(number);
	answer = confirmation_wait(&confirmation);
	if (expected)
		assert_string_equal(answer, expected);
	else
		assert_null(answer);
	assert_true(now_ms() - begin < NEVER_S * 1000);
}

static int use_no_terminal(void **state)
{
	int descriptor = open("/dev/null", O_RDONLY);

	block_signals();
	messages = nowait_stream_open(stderr, NULL);
	return dup2(descriptor, STDIN_FILENO) == STDIN_FILENO ? close(descriptor) : -1;
}

TEST(signals_confirm_or_refuse)
{
	assert_answer(SIGUSR1, NULL);
	assert_answer(SIGINT, "SIGINT");
	assert_answer(SIGTERM, "SIGTERM");
	assert_answer(SIGHUP, "SIGHUP");
	assert_answer(SIGQUIT, "SIGQUIT");
	/* One typo away from SIGUSR1. */
	assert_answer(SIGUSR2, "SIGUSR2");
	assert_answer(SIGALRM, "SIGALRM");
	assert_answer(SIGXCPU, "SIGXCPU");
	assert_answer(SIGRTMIN, "SIGRTMIN");
}

TEST(the_end_of_the_time_refuses)
{
	struct confirmation confirmation = confirmation_begin(1, messages);
	uint64_t begin = now_ms();

	/* Standard input is at its end: that confirms nothing, and refuses nothing. */
	assert_string_equal(confirmation_wait(&confirmation), "not confirmed in time");
	assert_true(now_ms() - begin >= 1000);
}

TEST(the_time_begins_before_the_wait)
{
	struct confirmation confirmation = confirmation_begin(1, messages);
	uint64_t begin;

	sleep(1);
	begin = now_ms();
	assert_string_equal(confirmation_wait(&confirmation), "not confirmed in time");
	assert_true(now_ms() - begin < 500);
}

TEST(what_was_sent_before_does_not_confirm)
{
	struct confirmation confirmation;

	raise(SIGUSR1);
	confirmation = confirmation_begin(1, messages);
	assert_string_equal(confirmation_wait(&confirmation), "not confirmed in time");
	/* But it refuses. */
	raise(SIGTERM);
	confirmation = confirmation_begin(NEVER_S, messages);
	assert_string_equal(confirmation_wait(&confirmation), "SIGTERM");
}

TEST(a_stop_by_the_terminal_does_not_hold_the_time)
{
	static const int stops[] = { SIGTSTP, SIGTTOU, SIGTTIN };
	struct confirmation confirmation = confirmation_begin(1, messages);

	for (size_t i = 0; i < COUNT(stops); i++)
		raise(stops[i]);
	assert_string_equal(confirmation_wait(&confirmation), "not confirmed in time");
}

/* ---- With a terminal ---- */

/** Waits on a terminal of its own, as @early typed there before, for 2 s. Ends with CONFIRMED, or
 * with 0 if it was refused; else something is wrong. */
__attribute__((noreturn)) static void wait_on_terminal(const char *terminal, int ready)
{
	struct confirmation confirmation;
	const char *answer;
	int descriptor;

	if (setsid() < 0)
		_exit(2);
	descriptor = open(terminal, O_RDWR);
	if (descriptor < 0 || ioctl(descriptor, TIOCSCTTY, 0) != 0 ||
	    dup2(descriptor, STDIN_FILENO) < 0 || dup2(ready, STDERR_FILENO) < 0)
		_exit(3);
	block_signals();
	/* A stream of its own: that of the parent may have opened a pipe of the parent again. */
	messages = nowait_stream_open(stderr, NULL);
	if (write(ready, "x", 1) != 1)
		_exit(4);
	confirmation = confirmation_begin(2, messages);
	answer = confirmation_wait(&confirmation);
	_exit(answer ? 0 : CONFIRMED);
}

/* What the last process that waited on a terminal said. */
static char said[256];

/** Types on the terminal of a process that waits. Returns what that ends with. */
static int status_of_typing(const char *early, const char *text, bool hang_up)
{
	int manager = posix_openpt(O_RDWR | O_NOCTTY), ready[2], status;
	char byte;
	pid_t process;

	assert_true(manager >= 0);
	assert_int_equal(grantpt(manager), 0);
	assert_int_equal(unlockpt(manager), 0);
	assert_int_equal(pipe(ready), 0);
	assert_int_equal(write(manager, early, strlen(early)), strlen(early));
	process = fork();
	assert_true(process >= 0);
	if (process == 0) {
		char *terminal = ptsname(manager);

		wait_on_terminal(terminal, ready[1]);
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	/* It is certainly waiting then, and has thrown away what came too early. */
	usleep(300000);
	assert_int_equal(write(manager, text, strlen(text)), strlen(text));
	if (hang_up)
		close(manager);
	assert_int_equal(waitpid(process, &status, 0), process);
	if (!hang_up)
		close(manager);
	close(ready[1]);
	memset(said, 0, sizeof(said));
	assert_true(read(ready[0], said, sizeof(said) - 1) >= 0);
	close(ready[0]);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

TEST(enter_confirms)
{
	assert_int_equal(status_of_typing("", "\n", false), CONFIRMED);
}

TEST(what_was_typed_before_does_not_confirm)
{
	assert_int_equal(status_of_typing("\n", "", false), 0);
}

TEST(other_words_and_the_end_of_input_do_not_confirm)
{
	assert_int_equal(status_of_typing("", "no\n", false), 0);
	assert_string_equal(said, "Not confirmed: still waiting for Enter alone, or SIGUSR1\n");
	assert_int_equal(status_of_typing("", "\004", false), 0);
	assert_string_equal(said, "No more input: still waiting for SIGUSR1\n");
}

TEST(a_hang_up_refuses)
{
	assert_int_equal(status_of_typing("", "", true), 0);
}

int main(void)
{
	heed_signals();
	return test_main(use_no_terminal, NULL);
}
