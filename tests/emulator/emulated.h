/* SPDX-License-Identifier: BSD-3-Clause */
/* What the emulator's tests share: a scratch directory, an open machine, single commands. */
#ifndef TESTS_EMULATOR_EMULATED_H
#define TESTS_EMULATOR_EMULATED_H

#include "base/machine.h"
#include "driver/abi.h"
#include "emulator/model/machines.h"
#include "support/check.h"

#include <unistd.h>

/** A scratch directory with a state directory in it, and a machine that is open there. */
struct emulated {
	char scratch[512], directory[600], platform[600];
	struct isst_emulator_target target;
	struct isst_machine *machine;
	int device;
};

static inline void write_text(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

/** @name: a built-in platform, or one of tests/platforms written as `tests/NAME`. */
static inline void prepare(struct emulated *e, const char *name)
{
	const char *temporary = getenv("TMPDIR"), *platforms = getenv("ISST_PLATFORMS");

	snprintf(e->scratch, sizeof(e->scratch), "%s/emulator-test-XXXXXX",
		 temporary ? temporary : "/tmp");
	assert_non_null(mkdtemp(e->scratch));
	snprintf(e->directory, sizeof(e->directory), "%s/state", e->scratch);
	if (strncmp(name, "tests/", 6) == 0)
		snprintf(e->platform, sizeof(e->platform), "%s/%s.platform",
			 platforms ? platforms : "tests/platforms", name + 6);
	else
		snprintf(e->platform, sizeof(e->platform), "%s", name);
	e->target = (struct isst_emulator_target){ .platform = e->platform,
						   .state_directory = e->directory };
	e->machine = NULL;
	e->device = -1;
}

static inline struct isst_machine *open_another(struct emulated *e)
{
	struct isst_machine *machine;
	char *error = NULL;
	int result = isst_emulator_open(&e->target, &machine, &error);

	if (result)
		fail_msg("open: %d %s", result, error ? error : "");
	return machine;
}

/** Opening has to fail, with these words in the message. */
static inline void assert_refused(struct emulated *e, int expected, const char *words)
{
	struct isst_machine *machine;
	char *error = NULL;
	int result = isst_emulator_open(&e->target, &machine, &error);

	if (result != expected || !error || !strstr(error, words))
		fail_msg("%d \"%s\", not \"%s\"", result, error ? error : "", words);
	free(error);
}

static inline struct isst_emulator_statistics take_statistics(struct emulated *e, bool clear)
{
	struct isst_emulator_statistics *statistics, counted;

	assert_int_equal(isst_emulator_read_statistics(&e->target, clear, &statistics, NULL), 0);
	counted = *statistics;
	isst_emulator_statistics_free(statistics);
	return counted;
}

static inline void open_machine(struct emulated *e)
{
	e->machine = open_another(e);
	e->device = e->machine->device->open(e->machine->data);
}

static inline void close_machine(struct emulated *e)
{
	if (e->device >= 0)
		assert_int_equal(e->machine->device->close(e->machine->data, e->device), 0);
	if (e->machine)
		e->machine->release(e->machine);
	e->machine = NULL;
	e->device = -1;
}

static inline void start(struct emulated *e, const char *name)
{
	prepare(e, name);
	open_machine(e);
}

/** What a reset leaves. */
static inline void remove_locks(const char *directory)
{
	static const char *const names[] = { "lock", "device" };

	for (size_t i = 0; i < 2; i++) {
		char path[700];

		snprintf(path, sizeof(path), "%s/%s", directory, names[i]);
		unlink(path);
	}
	rmdir(directory);
}

static inline void finish(struct emulated *e)
{
	char *error = NULL;

	close_machine(e);
	assert_int_equal(isst_emulator_reset(&e->target, &error), 0);
	remove_locks(e->directory);
	if (strncmp(e->platform, e->scratch, strlen(e->scratch)) == 0)
		assert_int_equal(unlink(e->platform), 0);
	assert_int_equal(rmdir(e->scratch), 0);
}

/** The path of a file of the state directory, until the next call. */
static inline const char *path_in(const struct emulated *e, const char *name)
{
	static char path[700];

	snprintf(path, sizeof(path), "%s/%s", e->directory, name);
	return path;
}

/** Puts fault rules into the state directory. */
static inline void rules(struct emulated *e, const char *text)
{
	write_text(path_in(e, "faults"), text);
}

static inline int call(struct emulated *e, unsigned long request, void *argument)
{
	return e->machine->device->ioctl(e->machine->data, e->device, request, argument);
}

/** A request that succeeds, and the whole structure then. */
#define check_request(e, request, structure, ...) \
	do { \
		const __typeof__(structure) expected_of_request = __VA_ARGS__; \
		assert_int_equal(call(e, request, &(structure)), 0); \
		assert_memory_equal(&(structure), &expected_of_request, sizeof(structure)); \
	} while (0)

struct one_mailbox {
	uint32_t count;
	struct abi_mbox_cmd command;
};

static inline int mailbox_on(struct emulated *e, unsigned int cpu, unsigned int command,
			     unsigned int sub, uint32_t parameter, uint32_t data,
			     uint32_t *response)
{
	struct one_mailbox one = { 1,
				   { .logical_cpu = cpu,
				     .parameter = parameter,
				     .req_data = data,
				     .resp_data = 0xdeadbeef,
				     .command = (uint16_t)command,
				     .sub_command = (uint16_t)sub } };
	int result = call(e, ABI_MAILBOX_COMMAND, &one);

	*response = one.command.resp_data;
	return result;
}

/** The answer to a 0x7f command on CPU 0, which has to succeed. */
static inline uint32_t ask(struct emulated *e, unsigned int sub, uint32_t data)
{
	uint32_t response;

	assert_int_equal(mailbox_on(e, 0, 0x7f, sub, 0, data, &response), 1);
	return response;
}

static inline int mailbox_result(struct emulated *e, unsigned int command, unsigned int sub,
				 uint32_t parameter, uint32_t data)
{
	uint32_t response;

	return mailbox_on(e, 0, command, sub, parameter, data, &response);
}

static inline int mmio(struct emulated *e, unsigned int cpu, uint32_t offset, bool write,
		       uint32_t *value)
{
	struct {
		uint32_t count;
		struct abi_io_reg access;
	} one = { 1, { write, cpu, offset, *value } };
	int result = call(e, ABI_IO_COMMAND, &one);

	*value = one.access.value;
	return result;
}

static inline int msr(struct emulated *e, unsigned int cpu, uint64_t number, bool write,
		      uint64_t *value)
{
	struct {
		uint32_t count, padding;
		struct abi_msr_cmd access;
	} one = { 1, 0, { write, cpu, number, *value } };
	int result = call(e, ABI_MSR_COMMAND, &one);

	*value = one.access.data;
	return result;
}

static inline int phy_id(struct emulated *e, unsigned int cpu, uint32_t *id)
{
	struct {
		uint32_t count;
		struct abi_cpu_map map;
	} one = { 1, { cpu, 0xdeadbeef } };
	int result = call(e, ABI_GET_PHY_ID, &one);

	*id = one.map.physical_cpu;
	return result;
}

static inline void assert_answer(struct emulated *e, unsigned int cpu, unsigned int command,
				 unsigned int sub, uint32_t parameter, uint32_t data,
				 uint32_t expected)
{
	uint32_t response;

	assert_int_equal(mailbox_on(e, cpu, command, sub, parameter, data, &response), 1);
	assert_int_equal(response, expected);
}

static inline void assert_mmio(struct emulated *e, unsigned int cpu, uint32_t offset,
			       uint32_t expected)
{
	uint32_t value = 0;

	assert_int_equal(mmio(e, cpu, offset, false, &value), 1);
	assert_int_equal(value, expected);
}

static inline void assert_msr(struct emulated *e, unsigned int cpu, uint64_t number,
			      uint64_t expected)
{
	uint64_t value = 0;

	assert_int_equal(msr(e, cpu, number, false, &value), 1);
	assert_int_equal(value, expected);
}

static inline void assert_phy_id(struct emulated *e, unsigned int cpu, uint32_t expected)
{
	uint32_t id;

	assert_int_equal(phy_id(e, cpu, &id), 1);
	assert_int_equal(id, expected);
}

#define CPUS "/sys/devices/system/cpu"

static inline int read_result(struct emulated *e, const char *path)
{
	char *content;
	size_t size;
	int result = e->machine->files->read(e->machine->data, path, &content, &size);

	if (!result)
		free(content);
	return result;
}

/** The content of a file, which has to be there and to be text; to be freed. */
static inline char *file_text(struct emulated *e, const char *path)
{
	char *content = NULL;
	size_t size = 0;
	int result = e->machine->files->read(e->machine->data, path, &content, &size);

	if (result)
		fail_msg("%s: %s", path, strerror(-result));
	assert_int_equal(size, strlen(content));
	return content;
}

static inline void assert_file(struct emulated *e, const char *path, const char *expected)
{
	char *content = file_text(e, path);

	assert_string_equal(content, expected);
	free(content);
}

/** @name: of the file below the CPU's directory. */
static inline void assert_cpu_file(struct emulated *e, unsigned int cpu, const char *name,
				   const char *expected)
{
	char path[128];

	snprintf(path, sizeof(path), CPUS "/cpu%u/%s", cpu, name);
	assert_file(e, path, expected);
}

static inline int write_file(struct emulated *e, const char *path, const char *content)
{
	return e->machine->files->write(e->machine->data, path, content, strlen(content));
}

static inline int make_directory(struct emulated *e, const char *path)
{
	return e->machine->files->mkdir(e->machine->data, path);
}

static inline int remove_directory(struct emulated *e, const char *path)
{
	return e->machine->files->rmdir(e->machine->data, path);
}

/** How many names a directory has, or a negative errno; all of them begin with @begin. */
static inline int count_names(struct emulated *e, const char *path, const char *begin)
{
	char **names;
	size_t count;
	int result = e->machine->files->list(e->machine->data, path, &names, &count);

	if (result)
		return result;
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(strncmp(names[i], begin, strlen(begin)), 0);
		free(names[i]);
	}
	free(names);
	return (int)count;
}

/** The whole system log of the machine. */
static inline void assert_log(struct emulated *e, const char *expected)
{
	char text[4096] = "";
	FILE *file = fopen(path_in(e, "log"), "r");

	assert_non_null(file);
	(void)!fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	assert_string_equal(text, expected);
}

/** A write that is accepted, and what the file holds then. */
static inline void set_file(struct emulated *e, const char *path, const char *text,
			    const char *expected)
{
	assert_int_equal(write_file(e, path, text), 0);
	assert_file(e, path, expected);
}

/** A machine of a platform file that is written for one test. */
static inline void start_written(struct emulated *e, const char *text)
{
	prepare(e, "");
	snprintf(e->platform, sizeof(e->platform), "%s/written.platform", e->scratch);
	write_text(e->platform, text);
	open_machine(e);
}

/* ---- A test: TEST_MACHINE(name, "platform") { ... }, whose machine `e` is open until it ends.
 * With NULL instead of a platform it opens one itself, or none ---- */

static inline void run_on_machine(const char *platform, void (*run)(struct emulated *e))
{
	struct emulated e = { .device = -1 };

	if (platform)
		start(&e, platform);
	run(&e);
	/* Unless the test has done that itself. */
	if (*e.scratch && access(e.scratch, F_OK) == 0)
		finish(&e);
}

#define TEST_MACHINE(test, machine) \
	static void test##_with(struct emulated *e); \
	DEFINE_TEST(test, NULL, NULL, machine) \
	{ \
		run_on_machine(machine, test##_with); \
	} \
	static void test##_with(__attribute__((unused)) struct emulated *e)

#endif
