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

static struct signals signals;

/** Signals are blocked: the parent may have had it ignored. */
static void block(size_t which, void (*disposition)(int))
{
	if (which < CASES)
		signal(cases[which].number, disposition);
	if (signals_block(&signals) != 0 || signals_arrived(&signals))
		_exit(2);
}

static void receive(size_t which)
{
	/* Shells start programs in the background with some of them ignored. */
	block(which, SIG_DFL);
	raise(cases[which].number);
	if (!signals_arrived(&signals) || strcmp(signals_arrived(&signals), cases[which].name) != 0)
		_exit(3);
}

static void seen_and_released(size_t which)
{
	receive(which);
	signals_release(&signals);
	_exit(3);
}

/** Between these the result is written. */
static void unblocked_and_released(size_t which)
{
	receive(which);
	signals_unblock(&signals);
	signals_release(&signals);
	_exit(3);
}

static void received_while_writing(size_t which)
{
	block(which, SIG_DFL);
	signals_unblock(&signals);
	raise(cases[which].number);
	_exit(3);
}

/** As its caller may have left it, which must not matter. */
static void ended_as_another_process(size_t which)
{
	const struct rlimit core = { RLIM_INFINITY, RLIM_INFINITY };
	sigset_t all;

	(void)setrlimit(RLIMIT_CORE, &core);
	sigfillset(&all);
	signal(cases[which].number, SIG_IGN);
	if (sigprocmask(SIG_BLOCK, &all, NULL) != 0)
		_exit(2);
	signals_end_process(cases[which].number);
}

static void ignored(size_t which)
{
	block(which, SIG_IGN);
	raise(cases[which].number);
	if (signals_arrived(&signals))
		_exit(3);
	signals_release(&signals);
}

static void discarded(size_t which)
{
	receive(which);
	signals_unblock(&signals);
	signals_discard(&signals);
	signals_release(&signals);
}

static void waited_for(size_t which)
{
	sigset_t others;

	block(CASES, SIG_DFL);
	sigemptyset(&others);
	sigaddset(&others, cases[which].number);
	if (signals_block_others(&signals, &others) != 0)
		_exit(2);
	raise(cases[which].number);
	if (signals_arrived(&signals))
		_exit(3);
	signals_unblock(&signals);
	signals_release(&signals);
}

static void without_a_reader(size_t which)
{
	int ends[2];

	block(CASES, SIG_DFL);
	if (pipe(ends) != 0)
		_exit(2);
	close(ends[0]);
	if (write(ends[1], "x", 1) >= 0)
		_exit(3);
}

/** What the terminal sends to stop a run takes effect when the change is over. */
static void stopped(size_t which)
{
	/* Not an orphaned process group: there nothing would stop. */
	if (setpgid(0, 0) != 0)
		_exit(2);
	block(CASES, SIG_DFL);
	raise(SIGTSTP);
	if (signals_arrived(&signals))
		_exit(3);
	raise(SIGTTOU);
	signals_unblock(&signals);
}

static const int crashes[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS };

/** A signal of a crash ends the program where it crashes. */
static void crashed(size_t which)
{
	const struct rlimit no_core = { 0, 0 };

	(void)setrlimit(RLIMIT_CORE, &no_core);
	block(CASES, SIG_DFL);
	/* A sanitizer handles some of them. */
	signal(crashes[which], SIG_DFL);
	raise(crashes[which]);
	_exit(3);
}

/** Runs a process to its end. Returns its status, and how often it stopped. */
static int run_process(void (*child)(size_t which), size_t which, unsigned int *stops)
{
	pid_t process = fork();
	int status;

	assert_true(process >= 0);
	if (process == 0) {
		child(which);
		_exit(WENT_WELL);
	}
	while (waitpid(process, &status, WUNTRACED) == process && WIFSTOPPED(status)) {
		++*stops;
		kill(process, SIGCONT);
	}
	return status;
}

/** What the process does for each signal, and whether that ends it. */
TEST(signals_take_effect_when_they_should)
{
	static const struct {
		void (*child)(size_t which);
		bool ends, stops;
	} rows[] = {
		{ seen_and_released, true, false },
		{ unblocked_and_released, true, false },
		{ received_while_writing, true, false },
		{ ended_as_another_process, true, false },
		{ ignored, false, false },
		{ discarded, false, false },
		{ waited_for, false, false },
		{ without_a_reader, false, false },
		{ stopped, false, true },
	};

	for (size_t row = 0; row < COUNT(rows); row++)
		for (size_t i = 0; i < CASES; i++) {
			unsigned int stops = 0;
			int status = run_process(rows[row].child, i, &stops);

			if (rows[row].ends)
				assert_int_equal(WIFSIGNALED(status) ? WTERMSIG(status) : -1,
						 cases[i].number);
			else
				assert_int_equal(WIFEXITED(status) ? WEXITSTATUS(status) : -1,
						 WENT_WELL);
			assert_false(WIFSIGNALED(status) && WCOREDUMP(status) &&
				     rows[row].child == ended_as_another_process);
			assert_int_equal(stops > 0, rows[row].stops);
		}
}

TEST(a_crash_is_not_held_back)
{
	unsigned int stops = 0;

	for (size_t i = 0; i < COUNT(crashes); i++) {
		int status = run_process(crashed, i, &stops);

		assert_int_equal(WIFSIGNALED(status) ? WTERMSIG(status) : -1, crashes[i]);
	}
}

TEST(nothing_is_held_back_before)
{
	struct signals none = { .held = false };

	assert_null(signals_arrived(&none));
	signals_release(&none);
}

int main(void)
{
	return test_main(find_realtime_signals, NULL);
}
