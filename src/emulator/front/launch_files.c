/* SPDX-License-Identifier: BSD-3-Clause */
/* The names, kinds and permissions of the kernel's files, for programs that run on the machine. */
#include "emulator/front/launch_files.h"
#include "emulator/front/front.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>

char *launch_names(const struct isst_machine *machine)
{
	const struct emulated *emulated = machine->data;
	char *names;

	return asprintf(&names, "%s/names", emulated->server.path) < 0 ? NULL : names;
}

int launch_look(const struct isst_machine *machine, const char *path, bool follow,
		struct kernel_status *status)
{
	struct emulated *emulated = machine->data;
	int result = state_lock(&emulated->server);

	if (result)
		return result;
	result = kernel_look(&emulated->server, path, follow, status);
	state_unlock(&emulated->server);
	return result;
}

int launch_resolve(const struct isst_machine *machine, const char *path, bool follow,
		   char **resolved)
{
	struct emulated *emulated = machine->data;
	int result = state_lock(&emulated->server);

	if (result)
		return result;
	result = kernel_resolve(&emulated->server, path, follow, resolved);
	state_unlock(&emulated->server);
	return result;
}

int launch_list(const struct isst_machine *machine, const char *path, char ***names, size_t *count)
{
	struct emulated *emulated = machine->data;
	int result = state_lock(&emulated->server);

	if (result)
		return result;
	result = kernel_list(&emulated->server, path, names, count);
	state_unlock(&emulated->server);
	return result;
}

int launch_access(const struct isst_machine *machine, const char *path, bool write,
		  uint64_t position, uint64_t *value)
{
	struct emulated *emulated = machine->data;
	int result = machine->capable(machine->data, CAP_SYS_RAWIO), stored;

	if (result != 1)
		return result ? result : -EPERM;
	result = state_lock(&emulated->server);
	if (result)
		return result;
	/* The device itself lets everyone do what its permissions let them open it for. */
	emulated->server.replaying = true;
	result = kernel_access(&emulated->server, path, write, position, value);
	emulated->server.replaying = false;
	stored = state_store(&emulated->server);
	state_unlock(&emulated->server);
	return result ? result : stored;
}

void launch_free_list(char **names, size_t count)
{
	kernel_free_list(names, count);
}
