/* SPDX-License-Identifier: BSD-3-Clause */
/* A program that is run on the way, and what the terminal sends to it and to the run. */
#include "check.h"
#include "written_file.h"

#include "cli/process/program.h"
#include "cli/process/signals.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

/* A signal that does not arrive ends the test. */
enum { LIMIT_S = 10 };

static bool is_empty(void)
{
	struct stat file;

	return stat(path, &file) == 0 && file.st_size == 0;
}

/** The job: runs the script. Ends with its status. */
__attribute__((noreturn)) static void run_script(const char *script)
{
	static const bool open_streams[3];
	const struct program_inheritance inheritance = { .closed = open_streams };
	char *words[] = { (char *)"sh", (char *)"-c", (char *)(uintptr_t)script,
			  (char *)"sh", path,	      NULL };
	struct program *program;
	sigset_t signals;

	if (program_fork(words, &inheritance, &program) != 0)
		_exit(100);
	sigemptyset(&signals);
	program_signals(&signals);
	signals_fatal(&signals);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	_exit((int)program_run(program, NULL).status);
}

/** The shell: runs the job in the foreground, and continues it when it has stopped. Ends with the
 * status of the job, and 50 more if that had stopped. */
__attribute__((noreturn)) static void be_shell(const char *terminal, const char *script)
{
	int descriptor, status;
	bool stopped = false;
	pid_t job;

	alarm(LIMIT_S);
	if (setsid() < 0)
		_exit(101);
	descriptor = open(terminal, O_RDWR);
	if (descriptor < 0 || ioctl(descriptor, TIOCSCTTY, 0) != 0)
		_exit(102);
	signal(SIGTTOU, SIG_IGN);
	job = fork();
	if (job == 0) {
		setpgid(0, 0);
		tcsetpgrp(descriptor, getpid());
		signal(SIGTTOU, SIG_DFL);
		run_script(script);
	}
	while (waitpid(job, &status, WUNTRACED) == job && WIFSTOPPED(status)) {
		stopped = true;
		/* All of the job has stopped, not only the run. */
		usleep(200000);
		if (!is_empty())
			_exit(103);
		kill(-job, SIGCONT);
	}
	_exit(WIFEXITED(status) ? WEXITSTATUS(status) + (stopped ? 50 : 0) : 104);
}

/** Types a character when the script is ready, which truncates the file for it. */
static int status_of_typing(const char *script, char typed)
{
	int manager = posix_openpt(O_RDWR | O_NOCTTY), status;
	pid_t shell;

	assert_true(manager >= 0);
	assert_int_equal(grantpt(manager), 0);
	assert_int_equal(unlockpt(manager), 0);
	assert_int_equal(truncate(path, 0), 0);
	alarm(LIMIT_S);
	shell = fork();
	assert_true(shell >= 0);
	if (shell == 0)
		be_shell(ptsname(manager), script);
	while (is_empty())
		usleep(1000);
	assert_int_equal(truncate(path, 0), 0);
	assert_int_equal(write(manager, &typed, 1), 1);
	assert_int_equal(waitpid(shell, &status, 0), shell);
	alarm(0);
	close(manager);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

TEST(what_the_terminal_sends_arrives_once)
{
	/* The number of signals that arrived within half a second. */
	assert_int_equal(
		status_of_typing("n=0; trap 'n=$((n + 1))' INT; echo ready > \"$1\";"
				 "i=0; while [ $i -lt 50 ]; do sleep 0.01; i=$((i + 1)); done;"
				 "exit $n",
				 '\003'),
		1);
}

TEST(what_the_terminal_stops_stops_as_a_whole_and_goes_on)
{
	/* Writes within 0.1 s after the character, unless it was stopped. */
	assert_int_equal(status_of_typing("echo ready > \"$1\"; while [ -s \"$1\" ]; do :; done;"
					  "sleep 0.1; echo on > \"$1\"; exit 7",
					  '\032'),
			 57);
}

/** The terminal sends to the process group of the run, which the program has left. */
TEST(a_program_in_another_process_group_is_sent_the_same)
{
	static const struct {
		char typed;
		int number;
	} signals[] = { { '\003', SIGINT }, { '\034', SIGQUIT } };
	static const char *const scripts[] = {
		"exec timeout 5 sh -c 'ulimit -c 0; echo ready > \"$1\"; exec sleep 4' sh \"$1\"",
		"exec setsid sh -c 'ulimit -c 0; echo ready > \"$1\"; exec sleep 4' sh \"$1\"",
	};

	for (size_t i = 0; i < COUNT(signals); i++) {
		for (size_t j = 0; j < COUNT(scripts); j++)
			assert_int_equal(status_of_typing(scripts[j], signals[i].typed),
					 128 + signals[i].number);
	}
}

TEST(a_program_in_another_process_group_may_ignore_it)
{
	assert_int_equal(status_of_typing("exec setsid sh -c 'trap \"\" INT; echo ready > \"$1\";"
					  "sleep 0.5; exit 7' sh \"$1\"",
					  '\003'),
			 7);
}

/** As under setsid(1), ssh -t and docker -it: no shell could continue the run, so nothing is to
 * stop, and the run has to see the end of the program. */
TEST(an_orphaned_process_group_does_not_stop)
{
	pid_t run;
	int status;

	assert_int_equal(truncate(path, 0), 0);
	alarm(LIMIT_S);
	run = fork();
	assert_true(run >= 0);
	if (run == 0) {
		if (setsid() < 0)
			_exit(101);
		run_script("echo ready > \"$1\"; sleep 0.5; exit 7");
	}
	while (is_empty())
		usleep(1000);
	assert_int_equal(kill(run, SIGTSTP), 0);
	assert_int_equal(waitpid(run, &status, WUNTRACED), run);
	alarm(0);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 7);
}

/** The kernel sends a hangup to the leader of the session alone, which a run is under ssh -t. */
TEST(a_hangup_of_the_session_leader_reaches_the_program)
{
	int manager = posix_openpt(O_RDWR | O_NOCTTY), status;
	pid_t run;

	assert_true(manager >= 0);
	assert_int_equal(grantpt(manager), 0);
	assert_int_equal(unlockpt(manager), 0);
	assert_int_equal(truncate(path, 0), 0);
	alarm(LIMIT_S);
	run = fork();
	assert_true(run >= 0);
	if (run == 0) {
		int terminal;

		if (setsid() < 0)
			_exit(101);
		terminal = open(ptsname(manager), O_RDWR);
		close(manager);
		if (terminal < 0 || ioctl(terminal, TIOCSCTTY, 0) != 0)
			_exit(102);
		run_script("trap 'exit 7' HUP; echo ready > \"$1\"; i=0;"
			   "while [ $i -lt 100 ]; do sleep 0.02; i=$((i + 1)); done; exit 8");
	}
	while (is_empty())
		usleep(1000);
	close(manager);
	assert_int_equal(waitpid(run, &status, 0), run);
	alarm(0);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 7);
}

/** alarm(2) survives execve(2): env(1) would be ended by it, and so is the program. */
TEST(a_timer_of_the_caller_reaches_the_program)
{
	pid_t run;
	int status;

	alarm(LIMIT_S);
	run = fork();
	assert_true(run >= 0);
	if (run == 0) {
		const struct itimerval timer = { .it_value.tv_usec = 100000 };

		if (setitimer(ITIMER_REAL, &timer, NULL))
			_exit(101);
		run_script("exec sleep 5");
	}
	assert_int_equal(waitpid(run, &status, 0), run);
	alarm(0);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 128 + SIGALRM);
}

int main(void)
{
	return test_main(make_file, remove_file);
}
