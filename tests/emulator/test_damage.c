/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a machine does whose state directory was damaged, or in which something else stands than
 * belongs there: it says so, and neither crashes nor waits without end.
 */
#include "emulator/emulated.h"
#include "emulator/state/state.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

static int refusal(struct emulated *e, char **error)
{
	struct isst_machine *machine;
	int result;

	*error = NULL;
	result = isst_emulator_open(&e->target, &machine, error);
	if (!result)
		machine->release(machine);
	return result;
}

static int open_in(const struct emulated *e, const char *name)
{
	char path[700];
	int file;

	snprintf(path, sizeof(path), "%s/%s", e->directory, name);
	file = open(path, O_RDWR | O_CREAT, 0600);
	assert_true(file >= 0);
	return file;
}

/* ---- A damaged state ---- */

static void put(const struct emulated *e, const char *name, const void *bytes, size_t size,
		size_t at)
{
	int file = open_in(e, name);

	assert_int_equal(pwrite(file, bytes, size, (off_t)at), size);
	close(file);
}

static void resize(const struct emulated *e, off_t size)
{
	int file = open_in(e, "state");

	assert_int_equal(ftruncate(file, size), 0);
	close(file);
}

static void get_head(const struct emulated *e, struct state_head *head)
{
	int file = open_in(e, "state");

	assert_int_equal(pread(file, head, sizeof(*head), 0), sizeof(*head));
	close(file);
}

TEST_MACHINE(a_head_that_tells_of_no_state_is_refused, "tests/tiny")
{
	struct state_head good, bad;

	close_machine(e);
	get_head(e, &good);
	for (size_t i = 0; i < 3; i++) {
		bad = good;
		if (i == 0)
			bad.capacity = UINT64_MAX / 2;
		else
			bad.sizes[good.generation % STATE_SLOTS] = i == 1 ? good.capacity + 1 : 0;
		put(e, "state", &bad, sizeof(bad), 0);
		assert_refused(e, -EIO, "damaged");
		put(e, "state", &good, sizeof(good), 0);
	}
	open_machine(e);
}

TEST_MACHINE(a_state_that_is_too_short_or_too_long_is_refused, "tests/tiny")
{
	const off_t sizes[] = { 0, 7, sizeof(struct state_head), STATE_HEAD_BYTES, 1 << 20 };

	close_machine(e);
	for (size_t i = 5; i-- > 0;) {
		resize(e, sizes[i]);
		assert_refused(e, -EIO, "too short");
	}
}

TEST_MACHINE(a_state_that_shrinks_while_it_is_open_is_no_crash, "tests/tiny")
{
	uint32_t response;

	resize(e, 100);
	assert_int_equal(mailbox_on(e, 0, 0x7f, 0, 0, 0, &response), -EIO);
}

/* ---- A FIFO in the place of a file ---- */

static void give_up_waiting(int number)
{
	(void)number;
	_exit(99);
}

/** Opens the machine in a child, which must not wait for somebody to write. */
static int open_status(struct emulated *e, const char *words)
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		char *error;

		signal(SIGALRM, give_up_waiting);
		alarm(20);
		if (refusal(e, &error) == 0)
			_exit(0);
		_exit(error && strstr(error, words) ? 1 : 2);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

TEST_MACHINE(a_fifo_is_not_waited_for, NULL)
{
	static const char *const names[] = {
		"faults", "fault-counts", "state", "lock", "log",
	};

	for (size_t i = 0; i < COUNT(names); i++) {
		char path[700], saved[700];
		int result;

		start(e, "tests/tiny");
		rules(e, "mailbox any EBUSY times 1\n");
		close_machine(e);
		snprintf(path, sizeof(path), "%s/%s", e->directory, names[i]);
		snprintf(saved, sizeof(saved), "%s/saved", e->scratch);
		rename(path, saved);
		assert_int_equal(mkfifo(path, 0600), 0);
		result = open_status(e, names[i]);
		if (strcmp(names[i], "log") != 0 && strcmp(names[i], "lock") != 0)
			assert_int_equal(result, 1);
		assert_int_not_equal(result, 99);
		assert_int_equal(unlink(path), 0);
		if (rename(saved, path))
			assert_int_equal(errno, ENOENT);
		finish(e);
	}
}

TEST_MACHINE(rules_that_become_a_fifo_fail_calls, "tests/tiny")
{
	uint32_t response;

	assert_int_equal(mkfifo(path_in(e, "faults"), 0600), 0);
	alarm(20);
	assert_int_equal(mailbox_on(e, 0, 0x7f, 0, 0, 0, &response), -EIO);
	alarm(0);
}

/* ---- A process that stops inside a call ---- */

TEST_MACHINE(a_process_that_stopped_inside_a_call_is_named, "tests/tiny")
{
	char pid[40];
	int ready[2], status;
	time_t begin;
	pid_t child;
	char byte;

	assert_int_equal(pipe(ready), 0);
	child = fork();
	if (child == 0) {
		struct server *server;

		close_machine(e);
		open_machine(e);
		server = e->machine->data;
		if (state_lock(server) || write(ready[1], "", 1) != 1)
			_exit(1);
		raise(SIGSTOP);
		_exit(0);
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	assert_int_equal(waitpid(child, &status, WUNTRACED), child);
	assert_true(WIFSTOPPED(status));
	begin = time(NULL);
	snprintf(pid, sizeof(pid), "process %d (", (int)child);
	assert_refused(e, -EIO, pid);
	assert_refused(e, -EIO, "is stopped");
	assert_int_equal(mailbox_on(e, 0, 0x7f, 0, 0, 0, &(uint32_t){ 0 }), -ETIMEDOUT);
	assert_true(time(NULL) - begin < 60);
	assert_int_equal(kill(child, SIGCONT), 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	ask(e, 0, 0);
	close(ready[0]);
	close(ready[1]);
}
