/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernel's files as programs meet them, with the faults that rules ask for. */
#include "emulator/front/front.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>

/** Takes the lock, counts, and looks for a fault rule. The lock is held where it returns 0. */
static int begin_operation(struct emulated *emulated, const struct fault_event *event,
			   struct fault_effect *effect)
{
	const char *path = event->path;
	int result;

	/* Paths that the kernel's layer takes: absolute, and without "..". */
	if (*path != '/')
		return -EINVAL;
	for (const char *part = path; (part = strstr(part, "..")); part += 2)
		if (part[-1] == '/' && (part[2] == '/' || part[2] == '\0'))
			return -EINVAL;
	result = call_begin(emulated);
	if (result)
		return result;
	state_count(&emulated->server.head->statistics.files_opened, 1);
	*effect = faults_find(&emulated->faults, event);
	if (effect->action != ACTION_ERROR)
		return 0;
	call_end(emulated);
	return -(int)effect->value;
}

static int end_operation(struct emulated *emulated, const struct fault_effect *effect, int result)
{
	call_end(emulated);
	faults_finish(effect);
	return result;
}

static int files_read(void *data, const char *path, char **content, size_t *size)
{
	struct emulated *emulated = data;
	const struct fault_event event = { .place = FAULT_READ, .path = path };
	struct fault_effect effect = { 0 };
	int result = begin_operation(emulated, &event, &effect);

	if (result)
		return result;
	if (effect.action == ACTION_CONTENT) {
		*size = strlen(effect.content);
		*content = strdup(effect.content);
		result = *content ? 0 : -ENOMEM;
	} else {
		result = kernel_read(&emulated->server, path, content, size);
	}
	return end_operation(emulated, &effect, result);
}

static int files_list(void *data, const char *path, char ***names, size_t *count)
{
	struct emulated *emulated = data;
	const struct fault_event event = { .place = FAULT_LIST, .path = path };
	struct fault_effect effect = { 0 };
	int result = begin_operation(emulated, &event, &effect);

	if (result)
		return result;
	result = kernel_list(&emulated->server, path, names, count);
	/* Without the letters of their kinds. */
	for (size_t i = 0; !result && i < *count; i++)
		memmove((*names)[i], (*names)[i] + 1, strlen((*names)[i]));
	return end_operation(emulated, &effect, result);
}

/** What a change did is stored even where it failed in the end. */
static int change_files(struct emulated *emulated, enum fault_place place, const char *path,
			const char *content, size_t size)
{
	struct server *server = &emulated->server;
	const struct fault_event event = { .place = place, .path = path, .change = true };
	struct fault_effect effect = { 0 };
	int result = begin_operation(emulated, &event, &effect), stored;

	if (result)
		return result;
	if (effect.action == ACTION_IGNORED)
		return end_operation(emulated, &effect, 0);
	result = place == FAULT_WRITE	? kernel_write(server, path, content, size)
		 : place == FAULT_MKDIR ? kernel_mkdir(server, path)
					: kernel_rmdir(server, path);
	stored = state_store(server);
	return end_operation(emulated, &effect, stored ? stored : result);
}

static int files_write(void *data, const char *path, const char *content, size_t size)
{
	return change_files(data, FAULT_WRITE, path, content, size);
}

static int files_mkdir(void *data, const char *path)
{
	return change_files(data, FAULT_MKDIR, path, NULL, 0);
}

static int files_rmdir(void *data, const char *path)
{
	return change_files(data, FAULT_RMDIR, path, NULL, 0);
}

/* ---- What the file system of programs is made of ---- */

/** Takes the lock, unless what the same request asked for before has it still. */
static int keep_lock(struct emulated *emulated)
{
	int result = emulated->kept ? 0 : state_lock(&emulated->server);

	emulated->kept = !result;
	return result;
}

void files_release(struct emulated *emulated)
{
	if (emulated->kept)
		state_unlock(&emulated->server);
	emulated->kept = false;
}

int files_look(struct emulated *emulated, const char *path, bool follow,
	       struct kernel_status *status)
{
	int result = keep_lock(emulated);

	return result ? result : kernel_look(&emulated->server, path, follow, status);
}

int files_names(struct emulated *emulated, const char *path, char ***names, size_t *count)
{
	int result = keep_lock(emulated);

	return result ? result : kernel_list(&emulated->server, path, names, count);
}

char *files_content(struct emulated *emulated, const char *path)
{
	char *content = NULL;
	size_t size;

	return keep_lock(emulated) || kernel_read(&emulated->server, path, &content, &size)
		       ? NULL
		       : content;
}

/* ---- Registers of CPUs ---- */

int files_access(struct emulated *emulated, const char *path, bool write, uint64_t position,
		 uint64_t *value)
{
	static const char cpus[] = "/dev/cpu/";
	struct fault_event event = { FAULT_MSR, .path = path, .command = true, .change = write };
	struct fault_effect effect = { 0 };
	int result = machine_capable(emulated, CAP_SYS_RAWIO), stored;

	if (result != 1)
		return result ? result : -EPERM;
	if (strncmp(path, cpus, strlen(cpus)) == 0)
		fault_event_set(&event, NUMBER_CPU, strtoul(path + strlen(cpus), NULL, 10));
	fault_event_set(&event, NUMBER_WHICH, position);
	if (write)
		fault_event_set(&event, NUMBER_DATA, *value);
	fault_event_set(&event, NUMBER_SET, write);
	result = begin_operation(emulated, &event, &effect);
	if (result)
		return result;
	if (effect.action == ACTION_VALUE)
		*value = effect.value;
	else if (effect.action != ACTION_IGNORED)
		result = kernel_access(&emulated->server, path, write, position, value);
	stored = write ? state_store(&emulated->server) : 0;
	return end_operation(emulated, &effect, result ? result : stored);
}

int files_measure(void *data, unsigned int cpu, unsigned int milliseconds, uint64_t *khz)
{
	struct emulated *emulated = data;
	int result = call_begin(emulated);

	(void)milliseconds;
	if (result)
		return result;
	result = kernel_busy_khz(&emulated->server, cpu, khz);
	call_end(emulated);
	return result;
}

static int files_read_register(void *data, const char *path, uint64_t position, uint64_t *value)
{
	*value = 0;
	return files_access(data, path, false, position, value);
}

const struct files_operations emulated_files = {
	.read = files_read,
	.write = files_write,
	.list = files_list,
	.mkdir = files_mkdir,
	.rmdir = files_rmdir,
	.read_register = files_read_register,
};
