/* SPDX-License-Identifier: BSD-3-Clause */
/* An emulated machine is opened and closed. How it answers is not known here. */
#include "emulator/capture/capture.h"
#include "emulator/firmware/firmware.h"
#include "emulator/front/front.h"
#include "emulator/state/state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void emulated_close(struct emulated *emulated)
{
	struct server *server = &emulated->server;

	device_close_all(emulated);
	state_close(server);
	faults_clear(&emulated->faults);
	if (server->lock >= 0)
		close(server->lock);
	if (server->directory >= 0)
		close(server->directory);
	platform_unload(server->platform);
	free(server->path);
	free(emulated->run_path);
	free(emulated->lock_path);
	free(emulated);
}

/** isst_machine.log */
static void machine_log(void *data, const char *line)
{
	const struct emulated *emulated = data;

	directory_log(emulated->server.directory, line);
}

/** isst_machine.open_events: an emulated kernel has no uevents. */
static int machine_open_events(void *data, enum machine_events events)
{
	const struct emulated *emulated = data;

	return events == MACHINE_THERMAL_EVENTS ? kernel_listen(emulated->run_path) : -EOPNOTSUPP;
}

static void machine_release(struct isst_machine *machine)
{
	emulated_close(machine->data);
}

static void fill_machine(struct emulated *emulated)
{
	const struct platform *platform = emulated->server.platform;

	emulated->machine = (struct isst_machine){
		MACHINE_OF_THIS_VERSION,
		.device = &emulated_device,
		.files = &emulated_files,
		.data = emulated,
		.name = platform->name,
		.runtime_directory = emulated->run_path,
		.lock_path = emulated->lock_path,
		.identity = {
			.intel = strcmp(platform->vendor.text, "GenuineIntel") == 0,
			.family = platform->family.value,
			.model = platform->model.value,
			.stepping = platform->stepping.value,
		},
		.capable = machine_capable,
		.measure = files_measure,
		.log = machine_log,
		.open_events = machine_open_events,
		.close_events = kernel_stop_listening,
		.release = machine_release,
	};
}

/** The state of a machine right after power-on. */
static void make_first_state(struct server *server)
{
	firmware_first_state(server);
	kernel_first_state(server);
}

static char *join_path(const char *directory, const char *name)
{
	char *path;

	return asprintf(&path, "%s/%s", directory, name) < 0 ? NULL : path;
}

/** Opens everything; the machine stays locked. */
static int open_locked(struct emulated *emulated, const struct isst_emulator_target *target,
		       char **error)
{
	struct server *server = &emulated->server;
	int result = platform_load(target, &server->platform, error);

	if (result)
		return result;
	server->directory = directory_open(target, server->platform->name, true, &server->path,
					   error);
	if (server->directory < 0)
		return server->directory;
	emulated->run_path = join_path(server->path, "run");
	emulated->lock_path = join_path(server->path, "device");
	if (!emulated->run_path || !emulated->lock_path)
		return -ENOMEM;
	server->lock = directory_lock(server->directory, server->path, error);
	if (server->lock < 0)
		return server->lock;
	server->process = getpid();
	server->target = target;
	result = state_open(server, error);
	return result ? result : faults_load(&emulated->faults, server, error);
}

int emulated_open(const struct isst_emulator_target *target, struct emulated **opened, char **error)
{
	struct emulated *emulated = calloc(1, sizeof(*emulated));
	int result;

	*error = NULL;
	*opened = NULL;
	if (!emulated)
		return -ENOMEM;
	emulated->server = (struct server){
		.directory = -1,
		.lock = -1,
		.state_descriptor = -1,
		.first_state = make_first_state,
		.may_administer = caller_may_administer,
	};
	result = open_locked(emulated, target, error);
	if (result) {
		emulated_close(emulated);
		return result;
	}
	state_unlock(&emulated->server);
	fill_machine(emulated);
	*opened = emulated;
	return 0;
}
