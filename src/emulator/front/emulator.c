/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The emulator's public operations: open a machine, show its platform, reset it, its statistics.
 * How the machine answers is not known here.
 */
#include "emulator/capture/load.h"
#include "emulator/front/driver.h"
#include "emulator/front/faults.h"
#include "emulator/front/launch.h"
#include "emulator/model/builtin.h"
#include "emulator/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- The machine ---- */

static void server_close(struct server *server)
{
	device_close_all(server);
	state_close(server);
	faults_clear(&server->faults);
	if (server->lock >= 0)
		close(server->lock);
	if (server->directory >= 0)
		close(server->directory);
	platform_unload(server->platform);
	free(server->path);
	free(server->run_path);
	free(server->lock_path);
	free(server);
}

static void release(struct isst_machine *machine)
{
	server_close(machine->data);
}

static void fill_machine(struct server *server)
{
	const struct platform *platform = server->platform;

	server->machine = (struct isst_machine){
		.device = &emulated_device,
		.files = &emulated_files,
		.data = server,
		.name = platform->name,
		.runtime_directory = server->run_path,
		.lock_path = server->lock_path,
		.identity = {
			.intel = strcmp(platform->vendor.text, "GenuineIntel") == 0,
			.family = platform->family.value,
			.model = platform->model.value,
			.stepping = platform->stepping.value,
		},
		.capable = machine_capable,
		.log = machine_log,
		.release = release,
	};
}

static int name_paths(struct server *server)
{
	if (asprintf(&server->run_path, "%s/run", server->path) < 0)
		server->run_path = NULL;
	if (asprintf(&server->lock_path, "%s/device", server->path) < 0)
		server->lock_path = NULL;
	return server->run_path && server->lock_path ? 0 : -ENOMEM;
}

/** Opens everything; the machine stays locked. */
static int open_locked(struct server *server, const struct isst_emulator_target *target,
		       char **error)
{
	int result = platform_load(target, &server->platform, error);

	if (result)
		return result;
	server->directory = directory_open(target, server->platform->name, true, &server->path,
					   error);
	if (server->directory < 0)
		return server->directory;
	result = name_paths(server);
	if (result)
		return result;
	server->lock = directory_lock(server->directory, server->path, error);
	if (server->lock < 0)
		return server->lock;
	server->process = getpid();
	result = state_open(server, error);
	return result ? result : faults_load(server, error);
}

static int server_open(const struct isst_emulator_target *target, struct server **opened,
		       char **error)
{
	struct server *server = calloc(1, sizeof(*server));
	int result;

	*error = NULL;
	*opened = NULL;
	if (!server)
		return -ENOMEM;
	server->directory = server->root = server->lock = server->state_descriptor = -1;
	result = open_locked(server, target, error);
	if (result) {
		server_close(server);
		return result;
	}
	state_unlock(server);
	fill_machine(server);
	*opened = server;
	return 0;
}

static int emulator_open(const struct isst_emulator_target *target, struct isst_machine **machine,
			 char **error)
{
	struct server *server;
	int result = server_open(target, &server, error);

	*machine = result ? NULL : &server->machine;
	return result;
}

/** The state goes first: without it nothing else counts. The files that are locked stay, for those
 * who wait. */
static int remove_state(int directory, const char *path, char **error)
{
	static const char *const made[] = {
		"state",	"state.new", "new", "root", "hidden",
		"fault-counts", "faults",    "run", "log",  "deferred"
	};

	for (size_t i = 0; i < sizeof(made) / sizeof(*made); i++) {
		int result = directory_remove(directory, made[i]);

		if (result)
			return set_error(error, -EIO, "Cannot remove %s/%s: %s", path, made[i],
					 strerror(-result));
	}
	return 0;
}

/** The platform is read though only its name is needed: what is none has no machine to be reset,
 * and that of another one may live in the same directory. */
static int emulator_reset(const struct isst_emulator_target *target, char **error)
{
	struct platform *platform;
	char *path = NULL;
	int directory, lock, result;

	*error = NULL;
	result = platform_load(target, &platform, error);
	if (result)
		return result;
	directory = directory_open(target, platform->name, false, &path, error);
	if (directory == -ENOENT) {
		result = 0; /* nothing was ever changed */
	} else if (directory < 0) {
		result = directory;
	} else {
		lock = directory_lock(directory, path, error);
		result = lock < 0 ? lock : remove_state(directory, path, error);
		if (lock >= 0)
			close(lock);
		close(directory);
	}
	free(path);
	platform_unload(platform);
	return result;
}

static int emulator_statistics(const struct isst_emulator_target *target, bool clear,
			       struct isst_emulator_statistics *statistics, char **error)
{
	struct server *server;
	int result = server_open(target, &server, error);

	if (result)
		return result;
	result = state_lock(server);
	if (!result) {
		*statistics = server->state->statistics;
		if (clear)
			server->state->statistics = (struct isst_emulator_statistics){ 0 };
		state_unlock(server);
	} else {
		set_error(error, result, "Cannot lock %s", server->path);
	}
	server_close(server);
	return result;
}

static const struct isst_emulator emulator = {
	.platforms = builtin_platforms,
	.open = emulator_open,
	.show = platform_show,
	.reset = emulator_reset,
	.statistics = emulator_statistics,
	.run = launch_run,
};

const struct isst_emulator *isst_emulator(void)
{
	return &emulator;
}
