/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The emulator's public operations: open a machine, show its platform, reset it, its statistics.
 * How the machine answers is not known here.
 */
#include "emulator/capture/load.h"
#include "emulator/front/front.h"
#include "emulator/front/launch.h"
#include "emulator/model/builtin.h"
#include "emulator/model/text.h"
#include "emulator/state/directory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int emulator_open(const struct isst_emulator_target *target, struct isst_machine **machine,
			 char **error)
{
	struct emulated *emulated;
	int result = emulated_open(target, &emulated, error);

	*machine = result ? NULL : &emulated->machine;
	return result;
}

/** The state goes first: without it nothing else counts. The files that are locked stay, for those
 * who wait. */
static int remove_state(int directory, const char *path, char **error)
{
	static const char *const made[] = {
		"state",
		"state.new",
		"names",
		"fault-counts",
		"faults",
		"run",
		"log",
		/* Of emulators before this format of the state. */
		"new",
		"root",
		"hidden",
		"deferred",
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
	struct emulated *emulated;
	struct server *server;
	int result = emulated_open(target, &emulated, error);

	if (result)
		return result;
	server = &emulated->server;
	result = state_lock(server);
	if (!result) {
		*statistics = server->head->statistics;
		if (clear)
			server->head->statistics = (struct isst_emulator_statistics){ 0 };
		state_unlock(server);
	} else {
		set_error(error, result, "Cannot lock %s", server->path);
	}
	emulated_close(emulated);
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
