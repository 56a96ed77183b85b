/* SPDX-License-Identifier: BSD-3-Clause */
/* What the launcher asks for: names, kinds and permissions of files, layouts of requests. */
#include "emulator/front/launch_files.h"
#include "emulator/front/front.h"

#include <stdio.h>
#include <stdlib.h>

/** Takes the lock, unless what the same request asked for before has it still. */
static int keep_lock(struct emulated *emulated)
{
	int result = emulated->kept ? 0 : state_lock(&emulated->server);

	emulated->kept = !result;
	return result;
}

void launch_release(const struct isst_machine *machine)
{
	struct emulated *emulated = machine->data;

	if (emulated->kept)
		state_unlock(&emulated->server);
	emulated->kept = false;
}

char *launch_state(const struct isst_machine *machine)
{
	const struct emulated *emulated = machine->data;

	return realpath(emulated->server.path, NULL);
}

bool launch_has_changed(const struct isst_machine *machine)
{
	struct emulated *emulated = machine->data;
	const struct state_head *head = emulated->server.head;
	/* A state that is damaged is not mapped. */
	const uint64_t generation = head ? head->generation : 0;
	const bool changed = generation != emulated->seen_generation;

	emulated->seen_generation = generation;
	return changed;
}

bool launch_has_device(const struct isst_machine *machine)
{
	const struct emulated *emulated = machine->data;

	return emulated->server.platform->node.value;
}

bool launch_has_hwp(const struct isst_machine *machine)
{
	const struct emulated *emulated = machine->data;

	return emulated->server.platform->hwp.value;
}

int launch_look(const struct isst_machine *machine, const char *path, bool follow,
		struct kernel_status *status)
{
	struct emulated *emulated = machine->data;
	int result = keep_lock(emulated);

	return result ? result : kernel_look(&emulated->server, path, follow, status);
}

int launch_list(const struct isst_machine *machine, const char *path, char ***names, size_t *count)
{
	struct emulated *emulated = machine->data;
	int result = keep_lock(emulated);

	return result ? result : kernel_list(&emulated->server, path, names, count);
}

char *launch_read(const struct isst_machine *machine, const char *path)
{
	struct emulated *emulated = machine->data;
	char *content = NULL;
	size_t size;

	if (keep_lock(emulated) || kernel_read(&emulated->server, path, &content, &size))
		return NULL;
	return content;
}

int launch_access(const struct isst_machine *machine, const char *path, bool write,
		  uint64_t position, uint64_t *value)
{
	return files_access(machine->data, path, write, position, value);
}

void launch_on_crash(const struct isst_machine *machine, void (*crash)(const char *text))
{
	struct emulated *emulated = machine->data;

	emulated->server.crash = crash;
}

bool launch_layout(const struct isst_machine *machine, unsigned long request,
		   struct request_layout *layout)
{
	const struct emulated *emulated = machine->data;

	return driver_layout(&emulated->server, request, layout);
}
