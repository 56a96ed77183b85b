/* SPDX-License-Identifier: BSD-3-Clause */
/* A program that is run on the way: what it inherits, what it is sent, and its statuses. */
#include "check.h"
#include "support/signals.h"
#include "written_file.h"

#include "cli/process/program.h"
#include "cli/process/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const bool open_streams[3];
static const struct program_inheritance nothing_changed = { .closed = open_streams };

static int empty_file(void **state)
{
	return truncate(path, 0);
}

static const char *written(void)
{
	static char text[4096];
	int descriptor = open(path, O_RDONLY);
	ssize_t size = read(descriptor, text, sizeof(text) - 1);

	close(descriptor);
	assert_true(size >= 0);
	text[size] = '\0';
	return text;
}

/** As a run does once the program is forked: before, they are as the caller has them. */
static void change_signals(int how)
{
	sigset_t signals;

	sigemptyset(&signals);
	program_signals(&signals);
	signals_fatal(&signals);
	assert_int_equal(sigprocmask(how, &signals, NULL), 0);
}

static struct program *fork_program(char *const *words)
{
	struct program *program;

	change_signals(SIG_UNBLOCK);
	assert_int_equal(program_fork(words, &nothing_changed, &program), 0);
	change_signals(SIG_BLOCK);
	return program;
}

static struct program *fork_script(const char *script)
{
	static const char *words[6];

	words[0] = "sh";
	words[1] = "-c";
	words[2] = script;
	words[3] = "sh";
	words[4] = path;
	return fork_program((char *const *)(uintptr_t)words);
}

/** Runs a script in a process of this program's own, whose signals it may block. */
static unsigned int status_of_script(const char *script, const struct isst_cpuset *cpus)
{
	struct program *program = fork_script(script);
	struct program_end end = program_run(program, cpus);

	assert_int_equal(end.error, 0);
	program_free(program);
	return end.status;
}

/** The line of /proc/self/status of a signal set. */
static const char *signal_line(const char *name)
{
	static char line[128];
	FILE *file = fopen("/proc/self/status", "r");
	bool found = false;

	assert_non_null(file);
	while (!found && fgets(line, sizeof(line), file))
		found = strncmp(line, name, strlen(name)) == 0;
	fclose(file);
	assert_true(found);
	return line;
}

/* It looks at the mask, and comes before those that block. */
TEST_WITH(mask_and_dispositions_are_those_before_the_fork, empty_file, NULL)
{
	char before[256];

	signal(SIGUSR2, SIG_IGN);
	signal(SIGPIPE, SIG_DFL);
	snprintf(before, sizeof(before), "%s", signal_line("SigBlk:"));
	snprintf(before + strlen(before), sizeof(before) - strlen(before), "%s",
		 signal_line("SigIgn:"));
	/* fork_script() blocks, and a changing run ignores SIGPIPE. */
	struct program *program = fork_script(
		"grep -e SigBlk -e SigIgn /proc/self/status > \"$1\"");

	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(program_run(program, NULL).status, 0);
	program_free(program);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGUSR2, SIG_DFL);
	assert_string_equal(written(), before);
}

TEST_WITH(the_status_is_that_of_a_shell, empty_file, NULL)
{
	assert_int_equal(status_of_script("exit 0", NULL), 0);
	assert_int_equal(status_of_script("exit 200", NULL), 200);
	assert_int_equal(status_of_script("kill -9 $$", NULL), 128 + 9);
	assert_int_equal(status_of_script("kill -15 $$", NULL), 128 + 15);
}

TEST_WITH(a_program_that_cannot_be_run_has_the_statuses_of_env, empty_file, NULL)
{
	static const struct {
		const char *name;
		int error;
		unsigned int status;
	} cases[] = { { "/nonexistent/program", -ENOENT, 127 },
		      { "isst-no-such-program", -ENOENT, 127 },
		      { "/tmp", -EACCES, 126 } };

	/* With a directory in it that cannot be searched, the error is another one. */
	assert_int_equal(setenv("PATH", "/usr/bin:/bin", 1), 0);
	for (size_t i = 0; i < COUNT(cases); i++) {
		char *words[] = { (char *)(uintptr_t)cases[i].name, NULL };
		struct program *program = fork_program(words);
		struct program_end end = program_run(program, NULL);

		assert_int_equal(end.error, cases[i].error);
		assert_int_equal(end.stage, PROGRAM_EXECUTION);
		assert_int_equal(end.status, cases[i].status);
		program_free(program);
	}
}

static void make(const char *name, mode_t mode)
{
	int descriptor = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, mode);

	assert_true(descriptor >= 0);
	assert_int_equal(write(descriptor, "#!/bin/sh\n", 10), 10);
	assert_int_equal(close(descriptor), 0);
}

/** What is looked for beforehand is what execvp(3) finds. */
TEST_WITH(a_program_is_found_as_it_is_executed, empty_file, NULL)
{
	static const char *const names[] = {
		"true",
		"/bin/true",
		"/bin/true/more",
		"/nonexistent/program",
		"isst-no-such-program",
		"/tmp",
		".",
		"tmp",
		"",
		"plain",
		"./plain",
		"isst-script",
		"loop",
	};
	char scratch[] = "/tmp/isst-programs.XXXXXX", several[100];
	const char *const paths[] = {
		NULL, "", ":/bin", "/nonexistent:/bin:", "/etc/passwd:/bin", scratch, several
	};
	char *before = strdup(getenv("PATH") ? getenv("PATH") : "");

	assert_non_null(mkdtemp(scratch));
	assert_int_equal(chdir(scratch), 0);
	snprintf(several, sizeof(several), "/sbin:%s:/bin", scratch);
	make("plain", 0644);
	make("true", 0644);
	make("isst-script", 0755);
	assert_int_equal(symlink("loop", "loop"), 0);
	for (size_t i = 0; i < COUNT(paths); i++) {
		if (paths[i])
			setenv("PATH", paths[i], 1);
		else
			unsetenv("PATH");
		for (size_t j = 0; j < COUNT(names); j++) {
			char *words[] = { (char *)(uintptr_t)names[j], NULL };
			struct program *program = fork_program(words);
			struct program_end end = program_run(program, NULL);

			assert_int_equal(program_find(names[j]), end.error);
			program_free(program);
		}
	}
	setenv("PATH", before, 1);
	free(before);
	assert_int_equal(unlink("plain") | unlink("true") | unlink("isst-script") | unlink("loop"),
			 0);
	assert_int_equal(chdir("/"), 0);
	assert_int_equal(rmdir(scratch), 0);
}

TEST_WITH(a_program_that_is_not_released_does_not_run, empty_file, NULL)
{
	struct program *program = fork_script("echo ran > \"$1\"");

	program_free(program);
	assert_string_equal(written(), "");
	/* Its process is gone, too. */
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

/** Runs a program whose process the terminal has stopped, which is to end with 3. Returns whether
 * it does. */
static bool run_stopped(bool released)
{
	struct program *program;
	bool right = true;

	/* As the terminal does it: to all of the process group, which is one of its own here. */
	if (setpgid(0, 0) != 0)
		return false;
	program = fork_script("exit 3");
	kill(0, SIGTSTP);
	right = waitpid(-1, NULL, WUNTRACED) > 0;
	sigset_t stop;
	sigemptyset(&stop);
	sigaddset(&stop, SIGTSTP);
	/* Else the run would stop, too, as it should. */
	right = right && sigwaitinfo(&stop, NULL) == SIGTSTP;
	if (right && released)
		right = program_run(program, NULL).status == 3;
	program_free(program);
	return right;
}

TEST_WITH(a_stopped_process_is_released_and_ended_all_the_same, empty_file, NULL)
{
	for (int released = 0; released <= 1; released++) {
		pid_t process = fork();
		int status;

		assert_true(process >= 0);
		if (process == 0) {
			_exit(run_stopped(released) ? 0 : 1);
		}
		assert_int_equal(waitpid(process, &status, 0), process);
		assert_int_equal(status, 0);
	}
}

TEST_WITH(the_affinity_is_set, empty_file, NULL)
{
	struct isst_cpuset *cpus = isst_cpuset_new();
	cpu_set_t own;
	unsigned int cpu = 0;
	char expected[64];

	assert_int_equal(sched_getaffinity(0, sizeof(own), &own), 0);
	while (!CPU_ISSET(cpu, &own))
		cpu++;
	assert_int_equal(isst_cpuset_add(cpus, cpu, cpu), 0);
	assert_int_equal(
		status_of_script("grep Cpus_allowed_list /proc/self/status > \"$1\"", cpus), 0);
	isst_cpuset_free(cpus);
	snprintf(expected, sizeof(expected), "Cpus_allowed_list:\t%u\n", cpu);
	assert_string_equal(written(), expected);
}

TEST_WITH(an_affinity_that_cannot_be_set_is_an_error, empty_file, NULL)
{
	struct program *program = fork_script("echo ran > \"$1\"");
	struct isst_cpuset *cpus = isst_cpuset_new();
	struct program_end end;

	/* No kernel has so many. */
	assert_int_equal(isst_cpuset_add(cpus, 99999, 99999), 0);
	end = program_run(program, cpus);
	isst_cpuset_free(cpus);
	program_free(program);
	assert_int_equal(end.error, -EINVAL);
	assert_int_equal(end.stage, PROGRAM_AFFINITY);
	assert_int_equal(end.status, 125);
	assert_string_equal(written(), "");
}

TEST_WITH(what_the_output_changed_is_changed_back, empty_file, NULL)
{
	static const bool closed[3] = { true, false, false };
	const struct program_inheritance inheritance = { .closed = closed,
							 .file_limit_killed = true };
	char *words[] = { (char *)"sh",
			  (char *)"-c",
			  (char *)"exec 9> \"$1\"; [ -e /proc/$$/fd/0 ] || echo closed >&9;"
				  "grep -c 'SigIgn:.*1.....$' /proc/self/status >&9",
			  (char *)"sh",
			  path,
			  NULL };
	struct program *program;

	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(program_fork(words, &inheritance, &program), 0);
	change_signals(SIG_BLOCK);
	program_run(program, NULL);
	program_free(program);
	signal(SIGXFSZ, SIG_DFL);
	assert_string_equal(written(), "closed\n0\n");
}

TEST_WITH(no_descriptor_is_left_open, empty_file, NULL)
{
	char plain[4096], script[256];

	snprintf(script, sizeof(script), "for i in /proc/$$/fd/*; do echo ${i##*/}; done > %s",
		 path);
	/* As the same shell has them if it is run at once. */
	assert_int_equal(system(script), 0);
	snprintf(plain, sizeof(plain), "%s", written());
	assert_int_equal(status_of_script(script, NULL), 0);
	assert_string_equal(written(), plain);
	assert_string_not_equal(plain, "");
}

/** Sends a signal to the run as soon as the program is ready for it. */
static pid_t send_when_ready(int number)
{
	pid_t run = getpid(), sender = fork();

	assert_true(sender >= 0);
	if (sender == 0) {
		struct stat file;

		while (stat(path, &file) == 0 && file.st_size == 0)
			usleep(1000);
		kill(run, number);
		_exit(0);
	}
	return sender;
}

TEST_WITH(signals_are_passed_on, empty_file, NULL)
{
	const int numbers[] = { SIGINT,	   SIGTERM,  SIGHUP,	SIGQUIT, SIGUSR1, SIGUSR2,
				SIGALRM,   SIGXCPU,  SIGVTALRM, SIGPROF, SIGIO,	  SIGPWR,
				SIGSTKFLT, SIGWINCH, SIGRTMIN,	SIGRTMAX };

	for (size_t i = 0; i < COUNT(numbers); i++) {
		char script[256];
		struct program *program;
		pid_t sender;

		assert_int_equal(truncate(path, 0), 0);
		snprintf(script, sizeof(script),
			 "trap 'exit 42' %d; echo ready > \"$1\";"
			 " while :; do sleep 0.01; done",
			 numbers[i]);
		program = fork_script(script);
		sender = send_when_ready(numbers[i]);
		assert_int_equal(program_run(program, NULL).status, 42);
		program_free(program);
		waitpid(sender, NULL, 0);
	}
}

static void end_by_signal(int number)
{
	_exit(42);
}

/** A program that handles what it was started to ignore, which no shell does. */
__attribute__((noreturn)) static void handle_hangup(const char *ready)
{
	int descriptor = open(ready, O_WRONLY);

	signal(SIGHUP, end_by_signal);
	if (write(descriptor, "ready", 5) == 5)
		sleep(1);
	_exit(0);
}

TEST_WITH(an_ignored_signal_is_not_passed_on, empty_file, NULL)
{
	char *words[] = { (char *)"/proc/self/exe", (char *)"--handle-hangup", path, NULL };
	struct program *program;
	pid_t sender;

	signal(SIGHUP, SIG_IGN);
	program = fork_program(words);
	sender = send_when_ready(SIGHUP);
	assert_int_equal(program_run(program, NULL).status, 0);
	program_free(program);
	waitpid(sender, NULL, 0);
	signal(SIGHUP, SIG_DFL);
}

/** It would not see the signal otherwise, and the run would wait for it. */
TEST_WITH(a_stopped_program_is_continued_to_end, empty_file, NULL)
{
	static const int numbers[] = { SIGTERM, SIGHUP, SIGINT, SIGQUIT };

	for (size_t i = 0; i < COUNT(numbers); i++) {
		struct program *program;
		pid_t sender;

		assert_int_equal(truncate(path, 0), 0);
		program = fork_script("ulimit -c 0; echo ready > \"$1\"; kill -STOP $$; exit 1");
		sender = send_when_ready(numbers[i]);
		assert_int_equal(program_run(program, NULL).status, 128 + numbers[i]);
		program_free(program);
		waitpid(sender, NULL, 0);
	}
}

/** Kills the process of a program that waits to be released. The run has blocked the signal. */
static void kill_waiting_program(void)
{
	sigset_t only;

	/* As in a run that changes the machine. */
	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&only);
	sigaddset(&only, SIGTERM);
	kill(0, SIGTERM);
	sigwaitinfo(&only, NULL);
}

/** Its number stays its own until the run has waited for it. Returns whether it does. */
static bool run_killed(void)
{
	struct program *program;
	struct program_end end;
	siginfo_t process;

	if (setpgid(0, 0) != 0)
		return false;
	signal(SIGCHLD, SIG_IGN);
	program = fork_script("exit 3");
	kill_waiting_program();
	if (waitid(P_ALL, 0, &process, WEXITED | WNOWAIT) != 0)
		return false;
	end = program_run(program, NULL);
	program_free(program);
	return end.error == 0 && end.status == 128 + SIGTERM;
}

static bool run_reaped(void)
{
	struct program *program;
	struct program_end end;

	if (setpgid(0, 0) != 0)
		return false;
	program = fork_script("exit 3");
	kill_waiting_program();
	waitpid(-1, NULL, 0);
	end = program_run(program, NULL);
	program_free(program);
	return end.error == -ECHILD && end.stage == PROGRAM_END && end.status == 125;
}

/** Runs what needs a process group of its own. */
static void assert_in_group(bool (*run)(void))
{
	pid_t process = fork();
	int status;

	assert_true(process >= 0);
	if (process == 0)
		_exit(run() ? 0 : 1);
	assert_int_equal(waitpid(process, &status, 0), process);
	assert_int_equal(status, 0);
}

TEST_WITH(a_process_that_is_killed_early_keeps_its_number, empty_file, NULL)
{
	assert_in_group(run_killed);
}

TEST_WITH(an_end_that_is_not_seen_is_an_error, empty_file, NULL)
{
	assert_in_group(run_reaped);
}

TEST_WITH(the_program_ignores_its_children_as_the_caller_does, empty_file, NULL)
{
	char *words[] = { (char *)"/proc/self/exe", (char *)"--ignores-children", path, NULL };

	for (int ignored = 0; ignored <= 1; ignored++) {
		struct program *program;

		signal(SIGCHLD, ignored ? SIG_IGN : SIG_DFL);
		program = fork_program(words);
		assert_int_equal(program_run(program, NULL).status, ignored);
		program_free(program);
	}
	signal(SIGCHLD, SIG_DFL);
}

int main(int count, char **words)
{
	if (count == 3 && strcmp(words[1], "--handle-hangup") == 0)
		handle_hangup(words[2]);
	if (count == 3 && strcmp(words[1], "--ignores-children") == 0)
		return signals_ignored(SIGCHLD);
	heed_signals();
	return test_main(make_file, remove_file);
}
