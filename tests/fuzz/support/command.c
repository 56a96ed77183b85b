/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The whole command in this process, on an emulated machine whose device and files answer as the
 * input specifies: one byte for each call, and more if it disturbs the call. It replaces
 * isst_emulator_open() by the linker's --wrap.
 */
#include "base/machine.h"
#include "cli/execute.h"
#include "cli/render/output.h"
#include "cli/request_read.h"
#include "driver/abi.h"
#include "fuzz/support/fuzz.h"
#include "isst-emulator.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int __real_isst_emulator_open(const struct isst_emulator_target *target,
			      struct isst_machine **machine, char **error);
int __wrap_isst_emulator_open(const struct isst_emulator_target *target,
			      struct isst_machine **machine, char **error);

/* ---- What leads the answers ---- */

static const uint8_t *lead;
static size_t lead_size;

void command_disturb(const uint8_t *data, size_t size)
{
	lead = data;
	lead_size = size;
}

static uint8_t next(void)
{
	if (lead_size == 0)
		return 0;
	lead_size--;
	return *lead++;
}

/* Most calls are let through, so that runs get far. */
enum { PASS_BELOW = 0xb0, ERROR_BELOW = 0xc8 };

static int next_error(void)
{
	return -(1 + next() % 133);
}

static void scribble(unsigned char *bytes, size_t size)
{
	size_t at = next() | (size_t)next() << 8;

	if (size == 0)
		return;
	for (unsigned int count = 1 + next() % 8; count > 0; count--, at++)
		bytes[at % size] = next();
}

/* ---- The seams ---- */

static const struct device_operations *device;
static const struct files_operations *files;

static const struct {
	unsigned long request;
	size_t header, entry, answer, answer_size; /* of batches; else header is all of it */
} shapes[] = {
	{ ABI_MAILBOX_COMMAND, 4, sizeof(struct abi_mbox_cmd),
	  offsetof(struct abi_mbox_cmd, resp_data), 4 },
	{ ABI_IO_COMMAND, 4, sizeof(struct abi_io_reg), offsetof(struct abi_io_reg, value), 4 },
	{ ABI_MSR_COMMAND, 8, sizeof(struct abi_msr_cmd), offsetof(struct abi_msr_cmd, data), 8 },
	{ ABI_PERF_LEVELS, sizeof(struct abi_perf_level_info), 0, 0, 0 },
	{ ABI_GET_PERF_LEVEL_INFO, sizeof(struct abi_perf_level_data_info), 0, 0, 0 },
	{ ABI_GET_PERF_LEVEL_CPU_MASK, sizeof(struct abi_perf_level_cpu_mask), 0, 0, 0 },
	{ ABI_GET_BASE_FREQ_INFO, sizeof(struct abi_base_freq_info), 0, 0, 0 },
	{ ABI_GET_BASE_FREQ_CPU_MASK, sizeof(struct abi_perf_level_cpu_mask), 0, 0, 0 },
	{ ABI_GET_TURBO_FREQ_INFO, sizeof(struct abi_turbo_freq_info), 0, 0, 0 },
	{ ABI_CLOS_PARAM, sizeof(struct abi_clos_param), 0, 0, 0 },
	{ ABI_GET_PLATFORM_INFO, sizeof(struct abi_platform_info), 0, 0, 0 },
	{ ABI_COUNT_TPMI_INSTANCES, sizeof(struct abi_tpmi_instance_count), 0, 0, 0 },
	{ ABI_CORE_POWER_STATE, sizeof(struct abi_core_power), 0, 0, 0 },
};

/** Changes answers of a call, never how many entries there are. */
static void change_answer(unsigned long request, unsigned char *argument)
{
	for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++) {
		uint32_t count;

		if (shapes[i].request != request)
			continue;
		if (shapes[i].entry == 0) {
			scribble(argument, shapes[i].header);
			return;
		}
		memcpy(&count, argument, sizeof(count));
		if (count > 0)
			scribble(argument + shapes[i].header + next() % count * shapes[i].entry +
					 shapes[i].answer,
				 shapes[i].answer_size);
		return;
	}
}

static int random_ioctl(void *data, int descriptor, unsigned long request, void *argument)
{
	uint8_t what = next();
	int result;

	if (what >= PASS_BELOW && what < ERROR_BELOW)
		return next_error();
	result = device->ioctl(data, descriptor, request, argument);
	if (what < ERROR_BELOW || !argument)
		return result;
	change_answer(request, argument);
	/* A batch that ends early. */
	return result > 1 && what & 1 ? 1 + next() % result : result;
}

static int random_open(void *data)
{
	return next() >= 0xf8 ? next_error() : device->open(data);
}

static int random_close(void *data, int descriptor)
{
	return device->close(data, descriptor);
}

/** Another content: of the input alone, or what was there with some bytes changed. */
static void change_content(char **content, size_t *size)
{
	unsigned int length = next();

	if (length & 1) {
		scribble((unsigned char *)*content, *size);
		return;
	}
	free(*content);
	length = length / 2 % 64;
	*content = calloc(1, length + 1);
	if (!*content)
		abort();
	for (unsigned int i = 0; i < length; i++)
		(*content)[i] = (char)next();
	*size = length;
}

static int random_read(void *data, const char *path, char **content, size_t *size)
{
	uint8_t what = next();
	int result;

	if (what >= PASS_BELOW && what < ERROR_BELOW)
		return next_error();
	result = files->read(data, path, content, size);
	if (result == 0 && what >= ERROR_BELOW)
		change_content(content, size);
	return result;
}

static int random_write(void *data, const char *path, const char *content, size_t size)
{
	uint8_t what = next();

	if (what >= PASS_BELOW && what < ERROR_BELOW)
		return next_error();
	/* Above that it is lost. */
	return what < ERROR_BELOW ? files->write(data, path, content, size) : 0;
}

static int random_list(void *data, const char *path, char ***names, size_t *count)
{
	uint8_t what = next();
	int result;

	if (what >= PASS_BELOW && what < ERROR_BELOW)
		return next_error();
	result = files->list(data, path, names, count);
	if (result == 0 && what >= ERROR_BELOW && *count > 0) {
		char *name = (*names)[next() % *count];

		scribble((unsigned char *)name, strlen(name));
	}
	return result;
}

static int random_mkdir(void *data, const char *path)
{
	return next() >= PASS_BELOW ? next_error() : files->mkdir(data, path);
}

static int random_rmdir(void *data, const char *path)
{
	return next() >= PASS_BELOW ? next_error() : files->rmdir(data, path);
}

int __wrap_isst_emulator_open(const struct isst_emulator_target *target,
			      struct isst_machine **machine, char **error)
{
	static const struct device_operations random_device = { random_open, random_ioctl,
								random_close };
	static const struct files_operations random_files = { .read = random_read,
							      .write = random_write,
							      .list = random_list,
							      .mkdir = random_mkdir,
							      .rmdir = random_rmdir };
	int result = __real_isst_emulator_open(target, machine, error);

	if (result)
		return result;
	device = (*machine)->device;
	files = (*machine)->files;
	(*machine)->device = &random_device;
	(*machine)->files = &random_files;
	return 0;
}

/* ---- The command ---- */

static const char *const platforms[] = { "tiny.platform", "tpmi-tiny.platform" };
static char platform[300], state[100];

void command_platform(unsigned int which)
{
	const char *directory = getenv("ISST_PLATFORMS");

	which %= sizeof(platforms) / sizeof(*platforms);
	snprintf(platform, sizeof(platform), "%s/%s", directory ? directory : "tests/platforms",
		 platforms[which]);
	snprintf(state, sizeof(state), "%s/%u", fuzz_scratch(), which);
	setenv("ISST_EMULATE", platform, 1);
	setenv("ISST_EMULATE_STATE", state, 1);
}

void command_run(const char *line)
{
	char *copy = strdup(line), *rest = copy, *words[32] = { (char *)"isst" };
	struct output output;
	struct request request;
	int count = 1;

	while (rest && count < 31)
		words[count++] = strsep(&rest, " ");
	output_start(&output, "isst");
	if (request_read(&request, output.reference, count, words))
		abort(); /* lines are those of a table */
	output.format = request_format(&request);
	output.path = request_text(&request, OPTION_OUT);
	execute_command(&request, &output);
	request_clear(&request);
	output_close(&output);
	free(copy);
}

/** The machine of the command lines; to be freed. */
static struct isst_emulator_target *machine_target(void)
{
	struct isst_emulator_target *target = isst_emulator_target_new(platform);

	if (!target || isst_emulator_target_set_state(target, state))
		abort();
	return target;
}

void command_reset(void)
{
	struct isst_emulator_target *target = machine_target();
	char *error = NULL;

	if (isst_emulator_reset(target, &error))
		abort();
	isst_emulator_target_free(target);
}

/** This boot's id, of a machine that is made where it is missing. */
static char *boot_id(void)
{
	struct isst_emulator_target *target = machine_target();
	struct isst_machine *machine;
	char *error = NULL, *text;
	size_t size;

	if (__real_isst_emulator_open(target, &machine, &error) ||
	    machine->files->read(machine->data, "/proc/sys/kernel/random/boot_id", &text, &size))
		abort();
	machine->release(machine);
	isst_emulator_target_free(target);
	text[strcspn(text, "\n")] = '\0';
	return text;
}

void command_put(const char *name, const char *text)
{
	static const char mark[] = "@BOOT@";
	char *id = boot_id(), path[200];
	const char *at = strstr(text, mark);
	FILE *file;

	snprintf(path, sizeof(path), "%s/run", state);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/run/%s", state, name);
	file = fopen(path, "w");
	if (!file)
		abort();
	fwrite(text, 1, at ? (size_t)(at - text) : strlen(text), file);
	if (at)
		fprintf(file, "%s%s", id, at + sizeof(mark) - 1);
	fclose(file);
	free(id);
}
