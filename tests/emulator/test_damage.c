/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a machine does whose state directory was damaged, or in which something else stands than
 * belongs there: it says so, and neither crashes nor waits without end.
 */
#include "emulator/emulated.h"
#include "emulator/front/files.h"
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

/* ---- A damaged state ---- */

/** A state file in memory, to be changed and put back. */
struct file {
	unsigned char *bytes;
	size_t size;
};

static struct file take(const struct emulated *e)
{
	struct file file;
	FILE *stream = fopen(path_in(e, "state"), "r");
	struct stat status;

	assert_non_null(stream);
	assert_int_equal(fstat(fileno(stream), &status), 0);
	file.size = (size_t)status.st_size;
	file.bytes = malloc(file.size);
	assert_non_null(file.bytes);
	assert_int_equal(fread(file.bytes, 1, file.size, stream), file.size);
	fclose(stream);
	return file;
}

static struct state_head *head_of(const struct file *file)
{
	void *bytes = file->bytes;

	return bytes;
}

/** Where the state begins, and how long it is. */
static unsigned char *content_of(const struct file *file, size_t *size)
{
	const struct state_head *head = head_of(file);

	*size = head->sizes[head->generation % STATE_SLOTS];
	return file->bytes + STATE_HEAD_BYTES + head->capacity * (head->generation % STATE_SLOTS);
}

static struct state *state_of(const struct file *file)
{
	size_t size;
	void *content = content_of(file, &size);

	return content;
}

/** Into the place of the machine's. */
static void put(const struct emulated *e, const struct file *file)
{
	FILE *stream = fopen(path_in(e, "state"), "r+");

	assert_non_null(stream);
	assert_int_equal(fwrite(file->bytes, 1, file->size, stream), file->size);
	assert_int_equal(fclose(stream), 0);
}

TEST_MACHINE(a_head_that_tells_of_no_state_is_refused, "tests/tiny")
{
	struct state_head good, *head;
	struct file file;

	close_machine(e);
	file = take(e);
	head = head_of(&file);
	good = *head;
	for (size_t i = 0; i < 3; i++) {
		*head = good;
		if (i == 0)
			head->capacity = UINT64_MAX / 2;
		else
			head->sizes[good.generation % STATE_SLOTS] = i == 1 ? good.capacity + 1 : 0;
		put(e, &file);
		assert_refused(e, -EIO, "damaged");
	}
	*head = good;
	put(e, &file);
	open_machine(e);
	free(file.bytes);
}

TEST_MACHINE(a_state_that_is_too_short_or_too_long_is_refused, "tests/tiny")
{
	const off_t sizes[] = { 0, 7, sizeof(struct state_head), STATE_HEAD_BYTES, 1 << 20 };

	close_machine(e);
	for (size_t i = 5; i-- > 0;) {
		assert_int_equal(truncate(path_in(e, "state"), sizes[i]), 0);
		assert_refused(e, -EIO, "too short");
	}
}

TEST_MACHINE(a_state_that_shrinks_while_it_is_open_is_no_crash, "tests/tiny")
{
	uint32_t response;

	assert_int_equal(truncate(path_in(e, "state"), 100), 0);
	assert_int_equal(mailbox_on(e, 0, 0x7f, 0, 0, 0, &response), -EIO);
}

/* ---- States that no emulator has written: refused, or without effect ---- */

/** Reads all files below a directory. Returns how many names it has seen. */
static size_t read_all(struct isst_machine *machine, const char *directory)
{
	size_t count = 0, seen = 0;
	char **names;

	if (files_names(machine->data, directory, &names, &count))
		return 0;
	for (size_t i = 0; i < count; i++) {
		char path[1024], *content = NULL;
		size_t size;

		if (strchr(names[i] + 1, '/') || strcmp(names[i] + 1, "..") == 0)
			fail_msg("%s contains \"%s\"", directory, names[i] + 1);
		snprintf(path, sizeof(path), "%s/%s", directory, names[i] + 1);
		if (names[i][0] == 'd')
			seen += read_all(machine, path);
		else if (names[i][0] == 'f' &&
			 machine->files->read(machine->data, path, &content, &size) == 0)
			free(content);
	}
	kernel_free_list(names, count);
	return seen + count;
}

/** Opens the machine and uses it, or finds that it is refused with a message. */
static bool is_refused(struct emulated *e)
{
	struct isst_machine *machine;
	char *error = NULL;

	if (isst_emulator_open(&e->target, &machine, &error)) {
		assert_non_null(error);
		free(error);
		return true;
	}
	assert_true(read_all(machine, "") > 100);
	machine->files->write(machine->data, CPUS "/cpu1/online", "0", 1);
	machine->files->write(machine->data, CPUS "/cpu1/online", "1", 1);
	machine->files->mkdir(machine->data, "/sys/fs/cgroup/another");
	machine->files->rmdir(machine->data, "/sys/fs/cgroup/another");
	machine->release(machine);
	return false;
}

TEST_MACHINE(values_beyond_their_words_are_refused, "tests/tiny")
{
	struct domain_state *first;
	struct file file;

	close_machine(e);
	file = take(e);
	state_of(&file)->smt = SMT_NOT_IMPLEMENTED + 1;
	put(e, &file);
	assert_true(is_refused(e));
	state_of(&file)->smt = UINT32_MAX;
	put(e, &file);
	assert_true(is_refused(e));
	state_of(&file)->smt = SMT_ON;
	first = (void *)(state_of(&file) + 1);
	first->level = 200;
	put(e, &file);
	assert_true(is_refused(e));
	first->level = 0;
	put(e, &file);
	assert_false(is_refused(e));
	free(file.bytes);
}

TEST_MACHINE(groups_that_there_cannot_be_are_refused, "tests/tiny")
{
	static const struct group FORGED[] = {
		{ .name = "../outside" },
		{ .name = "a/b" },
		{ .name = "." },
		{ .name = ".." },
		{ .name = "" },
		{ .name = "a", .wanted = PARTITIONS },
		{ .name = "a", .flaw = FLAWS },
	};
	struct group *group;
	struct file file;
	size_t size;

	assert_int_equal(make_directory(e, "/sys/fs/cgroup/a"), 0);
	close_machine(e);
	file = take(e);
	group = (void *)(content_of(&file, &size) + size - sizeof(*group));
	assert_int_equal(state_of(&file)->group_count, 1);
	for (size_t i = 0; i < COUNT(FORGED); i++) {
		*group = FORGED[i];
		put(e, &file);
		assert_true(is_refused(e));
	}
	memset(group->name, 'a', sizeof(group->name));
	put(e, &file);
	assert_true(is_refused(e));
	memset(group, 0, sizeof(*group));
	group->name[0] = 'a';
	put(e, &file);
	assert_false(is_refused(e));
	free(file.bytes);
}

TEST_MACHINE(deferred_commands_of_other_domains_have_no_effect, "tests/tpmi-tiny")
{
	struct abi_core_power power = { .get_set = 1, .enable = 1 };
	const uint32_t domain = UINT32_MAX / 2;
	struct deferred *deferred;
	struct file file, before;
	size_t size;

	rules(e, "tpmi core-power deferred 1000000\n");
	assert_int_equal(call(e, ABI_CORE_POWER_STATE, &power), 0);
	before = take(e);
	assert_true(read_all(e->machine, "/proc") > 0);
	close_machine(e);
	file = take(e);
	/* While it is not due nothing is stored again. */
	assert_int_equal(head_of(&file)->generation, head_of(&before)->generation);
	free(before.bytes);
	assert_int_equal(state_of(&file)->deferred_count, 1);
	deferred = (void *)(content_of(&file, &size) + size - sizeof(*deferred));
	deferred->due_ms = 0;
	memcpy(deferred->entry, &domain, sizeof(domain));
	put(e, &file);
	assert_false(is_refused(e));
	free(file.bytes);
}

static void forge_byte(struct emulated *e, const struct file *good, size_t at)
{
	struct file bad = take(e);

	bad.bytes[at] ^= (unsigned char)(at % 3 ? 1U << at % 8 : 0xffU);
	put(e, &bad);
	is_refused(e);
	put(e, good);
	free(bad.bytes);
}

/** Bytes in turn. */
static void forge_each(const char *platform)
{
	struct emulated e;
	struct file good;
	size_t size, at;

	start(&e, platform);
	assert_int_equal(write_file(&e, "/sys/fs/cgroup/cgroup.subtree_control", "+cpuset"), 0);
	assert_int_equal(e.machine->files->mkdir(e.machine->data, "/sys/fs/cgroup/group"), 0);
	assert_int_equal(write_file(&e, "/sys/fs/cgroup/group/cpuset.cpus", "1"), 0);
	close_machine(&e);
	good = take(&e);
	for (size_t i = 0; i < sizeof(struct state_head); i++)
		forge_byte(&e, &good, i);
	at = (size_t)(content_of(&good, &size) - good.bytes);
	for (size_t i = 0; i < size;
	     i += i < sizeof(struct state) || size - i < sizeof(struct group) ? 1 : 101)
		forge_byte(&e, &good, at + i);
	free(good.bytes);
	finish(&e);
}

TEST_MACHINE(a_state_with_any_byte_forged_is_no_crash, NULL)
{
	forge_each("tests/tiny");
	forge_each("tests/tpmi-tiny");
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
