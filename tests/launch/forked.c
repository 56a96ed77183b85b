/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A C program that forks while signals arrive whose handlers access the machine; to be run on the
 * machine of tests/platforms/tiny.platform. No handler may wait for a fork
 * that it interrupts, in the parent or in the child.
 */
#include "program.h"
#include "signalled.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>

/* How often, in microseconds, and how long a hanging program is waited for, in seconds. */
enum { INTERVAL = 500, FORKS = 2000, PATIENCE = 120 };

/** As shells do: by each child that ends the handler is run, most often during the next fork. */
static void collect(int number)
{
	int error = errno;

	look(number);
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
	errno = error;
}

static void handle(int number, void (*handler)(int number))
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART };

	assert_int_equal(sigaction(number, &action, NULL), 0);
}

/** Ends the program if it hangs: a signal that it handles would not. */
static pid_t start_watch(void)
{
	pid_t program = getpid(), watch = fork();

	if (watch == 0) {
		/* A runner that gives up ends it, too, and the program may not notice. */
		signal(SIGTERM, SIG_IGN);
		sleep(PATIENCE);
		kill(program, SIGKILL);
		_exit(0);
	}
	return watch;
}

static void end_watch(pid_t watch)
{
	kill(watch, SIGKILL);
	waitpid(watch, NULL, 0);
}

static void handlers_run_while_children_are_made(void **state)
{
	const struct itimerval often = { { 0, INTERVAL }, { 0, INTERVAL } }, never = { 0 };
	pid_t watch = start_watch();

	(void)state;
	handled = 0;
	handle(SIGALRM, look);
	assert_int_equal(setitimer(ITIMER_REAL, &often, NULL), 0);
	for (unsigned int i = 0; i < FORKS; i++) {
		pid_t child = fork();
		int status;

		if (child == 0)
			_exit(is_machine() ? 0 : 1);
		assert_true(child > 0);
		while (waitpid(child, &status, 0) < 0)
			;
		assert_int_equal(status, 0);
	}
	assert_int_equal(setitimer(ITIMER_REAL, &never, NULL), 0);
	signal(SIGALRM, SIG_DFL);
	end_watch(watch);
	assert_true(handled > 0);
	assert_int_equal(wrong, 0);
}

static void handlers_run_when_children_end(void **state)
{
	pid_t watch = start_watch();

	(void)state;
	handled = 0;
	handle(SIGCHLD, collect);
	for (unsigned int i = 0; i < FORKS; i++) {
		pid_t child = fork();

		if (child == 0)
			_exit(0);
		assert_true(child > 0);
	}
	signal(SIGCHLD, SIG_DFL);
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
	end_watch(watch);
	assert_true(handled > 0);
	assert_int_equal(wrong, 0);
}

/** In the child a signal may be waiting for as long as it takes to start. */
static void children_are_terminated_at_once(void **state)
{
	pid_t watch = start_watch();

	(void)state;
	handle(SIGUSR1, look);
	for (unsigned int i = 0; i < FORKS / 3; i++) {
		pid_t child = fork();
		int status;

		if (child == 0) {
			is_machine();
			for (;;)
				pause();
		}
		kill(child, SIGUSR1);
		kill(child, SIGTERM);
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_true(WIFSIGNALED(status));
		assert_int_equal(WTERMSIG(status), SIGTERM);
	}
	end_watch(watch);
}

static atomic_bool prepared;

static void look_before_fork(void)
{
	prepared = is_machine();
}

/** What other libraries do before a fork may access the machine. */
static void preparations_meet_the_machine(void **state)
{
	pid_t watch = start_watch(), child;
	int status;

	(void)state;
	assert_int_equal(pthread_atfork(look_before_fork, NULL, NULL), 0);
	child = fork();
	if (child == 0)
		_exit(is_machine() ? 0 : 1);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_true(prepared);
	end_watch(watch);
}

static void the_mask_of_signals_is_kept(void **state)
{
	sigset_t before, after, one;
	pid_t child;
	int status;

	(void)state;
	sigemptyset(&one);
	sigaddset(&one, SIGUSR2);
	assert_int_equal(pthread_sigmask(SIG_BLOCK, &one, &before), 0);
	child = fork();
	assert_int_equal(pthread_sigmask(SIG_SETMASK, NULL, &after), 0);
	if (child == 0)
		_exit(sigismember(&after, SIGUSR2) && !sigismember(&after, SIGTERM) ? 0 : 1);
	assert_true(sigismember(&after, SIGUSR2));
	assert_false(sigismember(&after, SIGTERM));
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(pthread_sigmask(SIG_SETMASK, &before, NULL), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(handlers_run_while_children_are_made),
		cmocka_unit_test(handlers_run_when_children_end),
		cmocka_unit_test(children_are_terminated_at_once),
		cmocka_unit_test(the_mask_of_signals_is_kept),
		cmocka_unit_test(preparations_meet_the_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
