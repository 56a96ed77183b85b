/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * State files whose content no emulator has written: they are refused, or what is wrong in them has
 * no effect. Each case reads every file of the machine.
 */
#include "emulator/emulated.h"
#include "emulator/front/launch_files.h"
#include "emulator/state/state.h"

#include <fcntl.h>
#include <sys/stat.h>

/** A state file in memory, to be changed and put back. */
struct file {
	unsigned char *bytes;
	size_t size;
};

static void state_path(const struct emulated *e, char path[700])
{
	snprintf(path, 700, "%s/state", e->directory);
}

static struct file take(const struct emulated *e)
{
	struct file file;
	struct stat status;
	char path[700];
	FILE *stream;

	state_path(e, path);
	stream = fopen(path, "r");
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
	char path[700];
	FILE *stream;

	state_path(e, path);
	stream = fopen(path, "r+");
	assert_non_null(stream);
	assert_int_equal(fwrite(file->bytes, 1, file->size, stream), file->size);
	assert_int_equal(fclose(stream), 0);
}

/** Reads all files below a directory. Returns how many names it has seen. */
static size_t read_all(struct isst_machine *machine, const char *directory)
{
	size_t count = 0, seen = 0;
	char **names;

	if (launch_list(machine, directory, &names, &count))
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
	launch_free_list(names, count);
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
	struct file file;
	size_t size;

	rules(e, "tpmi core-power deferred 1000000\n");
	assert_int_equal(call(e, ABI_CORE_POWER_STATE, &power), 0);
	close_machine(e);
	file = take(e);
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
