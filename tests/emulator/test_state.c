/* SPDX-License-Identifier: BSD-3-Clause */
/* The state directory: what persists, who may use it, several processes at once, reset. */
#include "emulator/emulated.h"
#include "emulator/state/state.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

TEST_MACHINE(changes_persist_across_opens, "guide")
{
	uint32_t value = 2 << 16;

	rules(e, "capability granted\n");
	assert_int_equal(mailbox_result(e, 0x7f, 0x08, 0, 3), 1);
	assert_int_equal(mmio(e, 0, 0x24, true, &value), 1);
	assert_int_equal(write_file(e, CPUS "/cpu7/online", "0"), 0);
	close_machine(e);
	open_machine(e);
	assert_int_equal(ask(e, 0x00, 0), 0x80030403);
	value = 0;
	assert_mmio(e, 0, 0x24, 2 << 16);
	assert_file(e, CPUS "/online", "0-6,8-55\n");
}

TEST_MACHINE(a_killed_user_leaves_what_it_did, NULL)
{
	int status;
	pid_t child;

	prepare(e, "guide");
	child = fork();
	if (child == 0) {
		open_machine(e);
		rules(e, "capability granted\n");
		mailbox_result(e, 0x7f, 0x08, 0, 2);
		raise(SIGKILL);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	open_machine(e);
	assert_int_equal(ask(e, 0x00, 0), 0x80020403);
}

TEST_MACHINE(first_users_at_once_meet_one_machine, NULL)
{
	enum { USERS = 8, CALLS = 50 };
	struct isst_emulator_statistics statistics;

	prepare(e, "guide");
	for (int i = 0; i < USERS; i++) {
		if (fork() != 0)
			continue;
		open_machine(e);
		for (int j = 0; j < CALLS; j++)
			ask(e, 0x03, 0);
		assert_file(e, CPUS "/online", "0-55\n");
		_exit(0);
	}
	for (int i = 0; i < USERS; i++) {
		int status;

		assert_true(wait(&status) > 0);
		assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	}
	statistics = take_statistics(e, false);
	assert_true(statistics.device_opens == USERS);
	assert_true(statistics.driver_calls == USERS * CALLS);
	assert_true(statistics.files_opened == USERS);
}

TEST_MACHINE(a_forked_child_has_a_lock_of_its_own, "tests/tiny")
{
	enum { CALLS = 200 };
	struct isst_emulator_statistics statistics;
	int status;
	pid_t child;

	rules(e, "mailbox any EBUSY times 1000 after 1000000\n");
	child = fork();
	for (int i = 0; i < CALLS; i++)
		ask(e, 0x00, 0);
	if (child == 0)
		_exit(0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	statistics = take_statistics(e, false);
	assert_true(statistics.commands == 2 * CALLS);
}

TEST_MACHINE(reset_makes_the_first_state, "guide")
{
	struct isst_emulator_statistics statistics;
	char *error;

	rules(e, "capability granted\n");
	assert_int_equal(mailbox_result(e, 0x7f, 0x08, 0, 3), 1);
	assert_int_equal(mkdir(e->machine->runtime_directory, 0700), 0);
	assert_int_equal(isst_emulator_reset(&e->target, &error), 0);
	/* Whoever has it open goes on with the new machine. */
	assert_int_equal(ask(e, 0x00, 0), 0x80000403);
	assert_file(e, CPUS "/cpu0/cpufreq/base_frequency", "2600000\n");
	assert_int_equal(access(path_in(e, "faults"), F_OK), -1);
	assert_int_equal(access(e->machine->runtime_directory, F_OK), -1);
	statistics = take_statistics(e, false);
	assert_true(statistics.commands == 1);
}

TEST_MACHINE(another_platform_text_is_refused_until_reset, "tests/tiny")
{
	static const char text[] = "[topology]\npackages = 0\ncores = 0-1\n[level 0]\ncores = 0-1\n"
				   "base = 2000\n";
	char *error, path[700];

	close_machine(e);
	snprintf(path, sizeof(path), "%s/tiny.platform", e->scratch);
	write_text(path, text);
	e->target.platform = path;
	assert_refused(e, -EIO, "platform reset");
	assert_int_equal(isst_emulator_reset(&e->target, &error), 0);
	open_machine(e);
	assert_file(e, CPUS "/online", "0-1\n");
	close_machine(e);
	unlink(path);
	e->target.platform = e->platform;
}

TEST_MACHINE(a_state_of_an_older_format_is_made_anew, "tests/tiny")
{
	const uint32_t older = STATE_FORMAT - 1;
	FILE *file;

	rules(e, "capability granted\n");
	assert_int_equal(mailbox_result(e, 0x7f, 0x08, 0, 1), 1);
	close_machine(e);
	file = fopen(path_in(e, "state"), "r+");
	assert_non_null(file);
	assert_int_equal(fseek(file, 16, SEEK_SET), 0);
	assert_int_equal(fwrite(&older, sizeof(older), 1, file), 1);
	assert_int_equal(fclose(file), 0);
	open_machine(e);
	assert_int_equal(ask(e, 0x00, 0), 0x80000103);
	assert_log(e,
		   "emulator: the state was of an earlier version of the emulator and was reset\n");
}

/** The CPUs that are online, by a process that opens the machine now. */
static void assert_online(struct emulated *e, const char *online)
{
	struct isst_machine *another = open_another(e);
	char *content = NULL;
	size_t size;

	assert_int_equal(another->files->read(another->data, CPUS "/online", &content, &size), 0);
	assert_string_equal(content, online);
	free(content);
	another->release(another);
}

static void set_online(struct isst_machine *machine, const char *value)
{
	assert_int_equal(machine->files->write(machine->data, CPUS "/cpu1/online", value, 1), 0);
}

TEST_MACHINE(processes_that_take_turns_store_whole_states, "guide")
{
	static const char turns[] = "aabbabababbaaab";
	struct isst_machine *another;

	another = open_another(e);
	for (size_t i = 0; turns[i]; i++) {
		set_online(turns[i] == 'a' ? e->machine : another, i % 2 ? "1" : "0");
		assert_online(e, i % 2 ? "0-55\n" : "0,2-55\n");
	}
	another->release(another);
}

/** A full disk, as it were: what was begun is removed. */
TEST_MACHINE(a_state_that_cannot_be_written_leaves_nothing, NULL)
{
	struct rlimit before, small;
	struct isst_machine *machine;
	char *error = NULL;
	int result;

	prepare(e, "tests/tiny");
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	small = (struct rlimit){ 1000, before.rlim_max };
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	result = isst_emulator_open(&e->target, &machine, &error);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_int_equal(result, -EIO);
	assert_non_null(error);
	free(error);
	assert_int_equal(access(path_in(e, "state.new"), F_OK), -1);
	open_machine(e);
}

TEST_MACHINE(a_state_of_a_newer_format_is_refused_until_reset, "tests/tiny")
{
	const uint32_t format = STATE_FORMAT + 1;
	char *error;
	int file;

	close_machine(e);
	file = open(path_in(e, "state"), O_RDWR);
	assert_int_equal(pwrite(file, &format, sizeof(format), offsetof(struct state_head, format)),
			 4);
	close(file);
	assert_refused(e, -EIO, "another version of the emulator");
	assert_int_equal(isst_emulator_reset(&e->target, &error), 0);
	open_machine(e);
}

/** What a process leaves that is killed before it has made its slot the one that counts. */
TEST_MACHINE(what_a_killed_process_did_not_complete_is_not_there, "tests/tiny")
{
	static const char garbage[100] = "half of a state";
	struct state_head head;
	int file;

	assert_int_equal(mailbox_result(e, 0x7f, 0x08, 0, 1), 1);
	file = open(path_in(e, "state"), O_RDWR);
	assert_int_equal(pread(file, &head, sizeof(head), 0), sizeof(head));
	assert_int_equal(pwrite(file, garbage, sizeof(garbage),
				(off_t)(STATE_HEAD_BYTES +
					head.capacity * ((head.generation + 1) % STATE_SLOTS))),
			 sizeof(garbage));
	head.sizes[(head.generation + 1) % STATE_SLOTS] = 5;
	assert_int_equal(pwrite(file, &head, sizeof(head), 0), sizeof(head));
	close(file);
	close_machine(e);
	open_machine(e);
	assert_int_equal(ask(e, 0x00, 0), 0x80010103);
	assert_int_equal(mailbox_result(e, 0x7f, 0x08, 0, 0), 1);
	assert_int_equal(ask(e, 0x00, 0), 0x80000103);
}

/** More groups than the file had room for: others go on with the new one. */
TEST_MACHINE(a_state_that_grows_is_the_same_for_all, "tests/tiny")
{
	struct isst_emulator_statistics statistics;
	struct isst_machine *other;
	char path[300], *content;
	size_t size;

	other = open_another(e);
	for (int i = 0; i < 100; i++) {
		snprintf(path, sizeof(path), "/sys/fs/cgroup/%0200d", i);
		assert_int_equal(make_directory(e, path), 0);
	}
	assert_int_equal(other->files->mkdir(other->data, path), -EEXIST);
	assert_int_equal(write_file(e, "/sys/fs/cgroup/cgroup.subtree_control", "+cpuset"), 0);
	strcat(path, "/cpuset.cpus");
	assert_int_equal(other->files->write(other->data, path, "1-2", 3), 0);
	assert_file(e, path, "1-2\n");
	assert_int_equal(other->files->read(other->data, path, &content, &size), 0);
	assert_string_equal(content, "1-2\n");
	free(content);
	statistics = take_statistics(e, false);
	assert_true(statistics.files_opened == 100 + 1 + 1 + 1 + 1 + 1);
	other->release(other);
}

/** Each operation is stored as a whole, though it may change much: a process that is killed while
 * it switches SMT leaves all second threads online, or none. */
TEST_MACHINE(a_killed_process_has_changed_all_or_nothing, "guide")
{
	for (unsigned int i = 0; i < 60; i++) {
		pid_t child = fork();
		char *online;

		if (child == 0)
			for (;;) {
				write_file(e, CPUS "/smt/control", "off");
				write_file(e, CPUS "/smt/control", "on");
			}
		usleep(200 + 97 * i);
		kill(child, SIGKILL);
		assert_int_equal(waitpid(child, NULL, 0), child);
		online = file_text(e, CPUS "/online");
		if (strcmp(online, "0-55\n") != 0)
			assert_string_equal(online, "0-27\n");
		free(online);
	}
}

/** Long enough for the times of files to tell every later change; then a call that sees them. */
static void let_times_settle(struct emulated *e)
{
	usleep(50000);
	mailbox_result(e, 0x7f, 0, 0, 0);
}

/** A machine that is open goes by the files that are there at each call, however long it has found
 * the same ones. */
TEST_MACHINE(files_that_come_and_go_are_noticed, "tests/tiny")
{
	char path[700], elsewhere[700];

	snprintf(path, sizeof(path), "%s/faults", e->directory);
	let_times_settle(e);
	rules(e, "mailbox any EBUSY\n");
	assert_int_equal(mailbox_result(e, 0x7f, 0, 0, 0), -EBUSY);
	let_times_settle(e);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mailbox_result(e, 0x7f, 0, 0, 0), 1);
	/* A link to rules that do not exist yet. */
	snprintf(elsewhere, sizeof(elsewhere), "%s/rules", e->scratch);
	assert_int_equal(symlink(elsewhere, path), 0);
	let_times_settle(e);
	write_text(elsewhere, "mailbox any EBUSY\n");
	assert_int_equal(mailbox_result(e, 0x7f, 0, 0, 0), -EBUSY);
	assert_int_equal(unlink(elsewhere), 0);
}

/** @by_rename: the state before is moved away; else it is removed. */
static void check_another_state(bool by_rename)
{
	char path[700], away[700];
	struct emulated e;

	start(&e, "tests/tiny");
	snprintf(path, sizeof(path), "%s/state", e.directory);
	snprintf(away, sizeof(away), "%s/state.away", e.scratch);
	assert_int_equal(mailbox_result(&e, 0x7f, 0x08, 0, 1), 1);
	let_times_settle(&e);
	assert_int_equal(ask(&e, 0x00, 0), 0x80010103);
	assert_int_equal(by_rename ? rename(path, away) : unlink(path), 0);
	assert_int_equal(ask(&e, 0x00, 0), 0x80000103);
	if (by_rename) {
		let_times_settle(&e);
		assert_int_equal(rename(away, path), 0);
		assert_int_equal(ask(&e, 0x00, 0), 0x80010103);
	}
	finish(&e);
}

TEST_MACHINE(a_state_in_the_place_of_another_is_noticed, NULL)
{
	check_another_state(false);
	check_another_state(true);
}

TEST_MACHINE(foreign_directories_are_refused, NULL)
{
	char *error, path[700];

	/* A link. */
	prepare(e, "tests/tiny");
	assert_int_equal(symlink("/tmp", e->directory), 0);
	assert_refused(e, -EINVAL, "");
	unlink(e->directory);
	/* One that others can write to. */
	assert_int_equal(mkdir(e->directory, 0700), 0);
	assert_int_equal(chmod(e->directory, 0777), 0);
	assert_refused(e, -EPERM, "");
	assert_int_equal(chmod(e->directory, 0755), 0);
	/* One with other things in it; reset leaves those alone. */
	snprintf(path, sizeof(path), "%s/names", e->directory);
	write_text(path, "mine");
	assert_refused(e, -EINVAL, "");
	assert_int_equal(isst_emulator_reset(&e->target, &error), -EINVAL);
	free(error);
	assert_int_equal(access(path, F_OK), 0);
	unlink(path);
	/* Rules may be there first. */
	rules(e, "capability granted\n");
	open_machine(e);
}

/** @lock: what the file of that name holds, which another program made. */
static void check_foreign_lock(const char *lock)
{
	static const char *const theirs[] = { "lock", "log", "names/data" };
	enum { THEIRS = COUNT(theirs) };
	struct emulated e;
	char *error, path[700];

	prepare(&e, "tests/tiny");
	assert_int_equal(mkdir(e.directory, 0700), 0);
	assert_int_equal(mkdir(path_in(&e, "names"), 0700), 0);
	for (size_t i = 0; i < THEIRS; i++) {
		snprintf(path, sizeof(path), "%s/%s", e.directory, theirs[i]);
		write_text(path, i == 0 ? lock : "theirs");
	}
	assert_refused(&e, -EINVAL, "contains files that do not belong to the emulator");
	assert_int_equal(isst_emulator_reset(&e.target, &error), -EINVAL);
	free(error);
	for (size_t i = THEIRS; i-- > 0;) {
		snprintf(path, sizeof(path), "%s/%s", e.directory, theirs[i]);
		assert_int_equal(unlink(path), 0);
	}
	assert_int_equal(rmdir(path_in(&e, "names")), 0);
	assert_int_equal(rmdir(e.directory), 0);
	assert_int_equal(rmdir(e.scratch), 0);
}

TEST_MACHINE(a_file_called_lock_makes_no_state_directory, NULL)
{
	check_foreign_lock("");
	check_foreign_lock("4711\n");
	check_foreign_lock("isst emulator state\nand more\n");
}

TEST_MACHINE(a_first_user_who_was_killed_is_no_hindrance, NULL)
{
	prepare(e, "tests/tiny");
	assert_int_equal(mkdir(e->directory, 0700), 0);
	write_text(path_in(e, "lock"), "");
	open_machine(e);
	close_machine(e);
	/* The mark stays, also over a reset. */
	assert_int_equal(isst_emulator_reset(&e->target, &(char *){ NULL }), 0);
	open_machine(e);
}

TEST_MACHINE(a_directory_of_another_user_is_refused, NULL)
{
	prepare(e, "tests/tiny");
	if (geteuid() == 0) {
		assert_int_equal(mkdir(e->directory, 0700), 0);
		assert_int_equal(chown(e->directory, 12345, 12345), 0);
	} else {
		e->target.state_directory = "/";
	}
	assert_refused(e, -EPERM, "");
	rmdir(e->directory);
	rmdir(e->scratch);
}

TEST_MACHINE(the_default_directory_is_private, NULL)
{
	struct stat status;
	char path[700];

	prepare(e, "guide");
	assert_int_equal(setenv("XDG_RUNTIME_DIR", e->scratch, 1), 0);
	e->target.state_directory = NULL;
	open_machine(e);
	snprintf(path, sizeof(path), "%s/isst-emulator/guide/run", e->scratch);
	assert_string_equal(e->machine->runtime_directory, path);
	snprintf(path, sizeof(path), "%s/isst-emulator/guide", e->scratch);
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_mode & 07777, 0700);
	snprintf(e->directory, sizeof(e->directory), "%.500s/isst-emulator/guide", e->scratch);
	close_machine(e);
	assert_int_equal(isst_emulator_reset(&e->target, &(char *){ NULL }), 0);
	remove_locks(e->directory);
	snprintf(path, sizeof(path), "%s/isst-emulator", e->scratch);
	rmdir(path);
	assert_int_equal(rmdir(e->scratch), 0);
}
