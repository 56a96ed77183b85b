/* SPDX-License-Identifier: BSD-3-Clause */
/* A daemon and its parent, as processes of their own. */
#include "check.h"

#include "cli/process/service.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/** Orphans are this process's. */
static int adopt_orphans(void **state)
{
	return prctl(PR_SET_CHILD_SUBREAPER, 1);
}

/** What a daemon is, as it reports it. */
struct seen {
	pid_t process;
	int error;
	bool own_session;
	char directory[16];
	struct stat streams[3];
};

/** Runs a program that becomes a daemon, which reports by the other end of *@report. Returns the
 * program. */
static pid_t start_program(void (*run)(struct daemon *daemon, int report), int *report)
{
	pid_t program;
	int ends[2];

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	program = fork();
	assert_true(program >= 0);
	if (program == 0) {
		struct daemon daemon;

		signal(SIGPIPE, SIG_IGN);
		if (daemon_start(&daemon) != 0)
			_exit(99);
		run(&daemon, ends[1]);
	}
	close(ends[1]);
	*report = ends[0];
	return program;
}

static int status_of(pid_t process)
{
	int status = 0;

	assert_int_equal(waitpid(process, &status, 0), process);
	return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

__attribute__((noreturn)) static void become_ready(struct daemon *daemon, int report)
{
	struct seen seen = { .process = getpid(), .error = daemon_ready(daemon, "/") };

	seen.own_session = getsid(0) == getpid();
	if (!getcwd(seen.directory, sizeof(seen.directory)))
		seen.error = -errno;
	for (int i = 0; i < 3; i++)
		fstat(i, &seen.streams[i]);
	_exit(write(report, &seen, sizeof(seen)) == sizeof(seen) ? 7 : 8);
}

TEST(the_parent_ends_when_the_daemon_is_ready)
{
	struct stat nothing;
	struct seen seen;
	int report;

	assert_int_equal(status_of(start_program(become_ready, &report)), 0);
	assert_int_equal(read(report, &seen, sizeof(seen)), (ssize_t)sizeof(seen));
	close(report);
	assert_int_equal(seen.error, 0);
	assert_true(seen.own_session);
	assert_string_equal(seen.directory, "/");
	assert_int_equal(stat("/dev/null", &nothing), 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(seen.streams[i].st_rdev, nothing.st_rdev);
	assert_int_equal(status_of(seen.process), 7);
}

__attribute__((noreturn)) static void fail_before(struct daemon *daemon, int report)
{
	_exit(3);
}

__attribute__((noreturn)) static void be_killed_before(struct daemon *daemon, int report)
{
	raise(SIGTERM);
	_exit(0);
}

TEST(a_daemon_that_ends_before_gives_its_status)
{
	int report;

	assert_int_equal(status_of(start_program(fail_before, &report)), 3);
	close(report);
	assert_int_equal(status_of(start_program(be_killed_before, &report)), -SIGTERM);
	close(report);
}

/** Is ready only when it is the orphan of a program that was killed. */
__attribute__((noreturn)) static void outlive_parent(struct daemon *daemon, int report)
{
	struct seen seen = { .process = getpid() };
	pid_t parent = getppid();

	if (write(report, &seen, sizeof(seen)) != sizeof(seen))
		_exit(8);
	while (getppid() == parent)
		usleep(1000);
	seen.error = daemon_ready(daemon, NULL);
	_exit(write(report, &seen, sizeof(seen)) == sizeof(seen) ? 0 : 8);
}

TEST(a_daemon_does_not_go_on_for_a_parent_that_was_ended)
{
	struct seen seen;
	pid_t program;
	int report;

	program = start_program(outlive_parent, &report);
	assert_int_equal(read(report, &seen, sizeof(seen)), (ssize_t)sizeof(seen));
	assert_int_equal(kill(program, SIGTERM), 0);
	assert_int_equal(status_of(program), -SIGTERM);
	assert_int_equal(read(report, &seen, sizeof(seen)), (ssize_t)sizeof(seen));
	assert_int_equal(seen.error, -EPIPE);
	assert_int_equal(status_of(seen.process), 0);
	close(report);
}

int main(void)
{
	return test_main(adopt_orphans, NULL);
}
