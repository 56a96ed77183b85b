/* SPDX-License-Identifier: BSD-3-Clause */
/* Signals during a change: blocked, detected, and unblocked with their usual effect. */
#include "check.h"

#include "cli/process/signals.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static struct {
	int number;
	const char *name;
} cases[] = {
	{ SIGINT, "SIGINT" },	    { SIGTERM, "SIGTERM" }, { SIGHUP, "SIGHUP" },
	{ SIGQUIT, "SIGQUIT" },	    { SIGUSR1, "SIGUSR1" }, { SIGUSR2, "SIGUSR2" },
	{ SIGALRM, "SIGALRM" },	    { SIGXCPU, "SIGXCPU" }, { SIGPROF, "SIGPROF" },
	{ SIGVTALRM, "SIGVTALRM" }, { SIGIO, "SIGIO" },	    { SIGPWR, "SIGPWR" },
	{ SIGSTKFLT, "SIGSTKFLT" }, { 0, "SIGRTMIN" },	    { 0, "SIGRTMIN+1" },
	{ 0, "SIGRTMIN+30" },
};

enum { CASES = COUNT(cases), WENT_WELL = 42 };

/** Their numbers are not constants. */
static int find_realtime_signals(void **state)
{
	cases[CASES - 3].number = SIGRTMIN;
	cases[CASES - 2].number = SIGRTMIN + 1;
	cases[CASES - 1].number = SIGRTMAX;
	return SIGRTMAX == SIGRTMIN + 30 ? 0 : -1;
}

/** Runs @child, which ends the process; returns how it ended. */
static int status_of(void (*child)(size_t which), size_t which)
{
	pid_t process = fork();
	int status;

	assert_true(process >= 0);
	if (process == 0) {
		child(which);
		_exit(1);
	}
	assert_int_equal(waitpid(process, &status, 0), process);
	return status;
}

static bool is_name(const char *name, const char *expected)
{
	return name && strcmp(name, expected) == 0;
}

static void receive(size_t which)
{
	struct signals signals;

	/* Shells start programs in the background with some of them ignored. */
	signal(cases[which].number, SIG_DFL);
	if (signals_block(&signals) != 0 || signals_arrived(&signals))
		_exit(2);
	raise(cases[which].number);
	if (!is_name(signals_arrived(&signals), cases[which].name))
		_exit(3);
	signals_release(&signals);
}

TEST(a_signal_is_seen_and_ends_the_program_in_the_end)
{
	for (size_t i = 0; i < CASES; i++) {
		int status = status_of(receive, i);

		assert_true(WIFSIGNALED(status));
		assert_int_equal(WTERMSIG(status), cases[i].number);
	}
}

static void receive_ignored(size_t which)
{
	struct signals signals;

	signal(cases[which].number, SIG_IGN);
	if (signals_block(&signals) != 0)
		_exit(2);
	raise(cases[which].number);
	if (signals_arrived(&signals))
		_exit(3);
	signals_release(&signals);
	_exit(WENT_WELL);
}

TEST(a_signal_that_the_parent_had_ignored_interrupts_nothing)
{
	for (size_t i = 0; i < CASES; i++) {
		int status = status_of(receive_ignored, i);

		assert_true(WIFEXITED(status));
		assert_int_equal(WEXITSTATUS(status), WENT_WELL);
	}
}

/** Runs @child for each signal, which has to end it. */
static void check_ended_by_its_signal(void (*child)(size_t which))
{
	for (size_t i = 0; i < CASES; i++) {
		int status = status_of(child, i);

		assert_true(WIFSIGNALED(status));
		assert_int_equal(WTERMSIG(status), cases[i].number);
	}
}

static void receive_and_write_the_result(size_t which)
{
	struct signals signals;

	signal(cases[which].number, SIG_DFL);
	if (signals_block(&signals) != 0)
		_exit(2);
	raise(cases[which].number);
	signals_unblock(&signals);
	/* Still here, so that the result can be written. */
	signals_release(&signals);
	_exit(3);
}

TEST(the_signal_that_arrived_waits_for_the_result)
{
	check_ended_by_its_signal(receive_and_write_the_result);
}

static void receive_while_writing(size_t which)
{
	struct signals signals;

	signal(cases[which].number, SIG_DFL);
	if (signals_block(&signals) != 0)
		_exit(2);
	signals_unblock(&signals);
	raise(cases[which].number);
	_exit(3);
}

TEST(a_signal_ends_the_program_that_writes_its_result)
{
	check_ended_by_its_signal(receive_while_writing);
}

static void receive_and_forget(size_t which)
{
	struct signals signals;

	signal(cases[which].number, SIG_DFL);
	if (signals_block(&signals) != 0)
		_exit(2);
	raise(cases[which].number);
	signals_unblock(&signals);
	signals_discard(&signals);
	signals_release(&signals);
	_exit(WENT_WELL);
}

TEST(a_graver_status_is_not_hidden_by_a_signal)
{
	for (size_t i = 0; i < CASES; i++) {
		int status = status_of(receive_and_forget, i);

		assert_true(WIFEXITED(status));
		assert_int_equal(WEXITSTATUS(status), WENT_WELL);
	}
}

/** As its caller may have left it, which must not matter. */
static void end_process(size_t which)
{
	sigset_t all;

	sigfillset(&all);
	signal(cases[which].number, SIG_IGN);
	if (sigprocmask(SIG_BLOCK, &all, NULL) != 0)
		_exit(2);
	signals_end_process(cases[which].number);
	_exit(WENT_WELL);
}

TEST(a_process_ends_by_the_signal_of_another_one)
{
	const struct rlimit core = { RLIM_INFINITY, RLIM_INFINITY };

	(void)setrlimit(RLIMIT_CORE, &core);
	for (size_t i = 0; i < CASES; i++) {
		int status = status_of(end_process, i);

		assert_true(WIFSIGNALED(status));
		assert_int_equal(WTERMSIG(status), cases[i].number);
		assert_false(WCOREDUMP(status));
	}
}

static void lose_the_reader(size_t which)
{
	struct signals signals;
	int ends[2];

	if (pipe(ends) != 0 || signals_block(&signals) != 0)
		_exit(2);
	close(ends[0]);
	_exit(write(ends[1], "x", 1) < 0 ? WENT_WELL : 3);
}

/** A signal of a crash ends the program where it crashes. */
static void crash(size_t which)
{
	static const int crashes[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS };
	const struct rlimit no_core = { 0, 0 };
	struct signals signals;

	if (which >= COUNT(crashes))
		_exit(WENT_WELL);
	(void)setrlimit(RLIMIT_CORE, &no_core);
	if (signals_block(&signals) != 0)
		_exit(2);
	/* A sanitizer handles some of them. */
	signal(crashes[which], SIG_DFL);
	raise(crashes[which]);
	_exit(3);
}

TEST(a_crash_is_not_held_back)
{
	size_t which = 0;
	int status;

	while (status = status_of(crash, which), WIFSIGNALED(status))
		which++;
	assert_int_equal(which, 7);
	assert_int_equal(WEXITSTATUS(status), WENT_WELL);
}

/** What the terminal sends to stop a run takes effect when the change is over. */
static void stop_within(size_t which)
{
	struct signals signals;

	/* Not an orphaned process group: there nothing would stop. */
	if (setpgid(0, 0) != 0 || signals_block(&signals) != 0)
		_exit(2);
	raise(SIGTSTP);
	if (signals_arrived(&signals))
		_exit(3);
	raise(SIGTTOU);
	signals_unblock(&signals);
	_exit(WENT_WELL);
}

TEST(a_stop_waits_for_the_end_of_the_change)
{
	pid_t process = fork();
	int status, stops = 0;

	assert_true(process >= 0);
	if (process == 0)
		stop_within(0);
	while (waitpid(process, &status, WUNTRACED) == process && WIFSTOPPED(status)) {
		stops++;
		kill(process, SIGCONT);
	}
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), WENT_WELL);
	assert_true(stops > 0);
}

static void wait_for_others(size_t which)
{
	struct signals signals;
	sigset_t others;

	sigemptyset(&others);
	sigaddset(&others, SIGUSR1);
	if (signals_block(&signals) != 0 || signals_block_others(&signals, &others) != 0)
		_exit(2);
	raise(SIGUSR1);
	if (signals_arrived(&signals))
		_exit(3);
	signals_unblock(&signals);
	signals_release(&signals);
	_exit(WENT_WELL);
}

TEST(a_signal_that_the_run_waits_for_does_not_end_it)
{
	int status = status_of(wait_for_others, 0);

	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), WENT_WELL);
}

TEST(a_reader_who_goes_away_does_not_end_the_program)
{
	int status = status_of(lose_the_reader, 0);

	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), WENT_WELL);
}

TEST(nothing_is_held_back_before)
{
	struct signals signals = { .held = false };

	assert_null(signals_arrived(&signals));
	signals_release(&signals);
}

int main(void)
{
	return test_main(find_realtime_signals, NULL);
}
