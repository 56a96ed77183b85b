/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The emulator's public operations: open a machine, show its platform, reset it, its statistics.
 * How the machine answers is not known here.
 */
#include "emulator/capture/recording.h"
#include "emulator/front/driver.h"
#include "emulator/front/faults.h"
#include "emulator/front/launch.h"
#include "emulator/model/builtin.h"
#include "emulator/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Finding the platform ---- */

static const char suffix[] = ".platform";

/** A directory is a recorded machine. */
static bool is_recording(const struct isst_emulator_target *target)
{
	struct stat status;

	return strchr(target->platform, '/') && stat(target->platform, &status) == 0 &&
	       S_ISDIR(status.st_mode);
}

/** The last part of the path; of a directory that of its real path, for it may end in a slash. */
static char *platform_name(const struct isst_emulator_target *target)
{
	char *real = is_recording(target) ? realpath(target->platform, NULL) : NULL;
	const char *path = real ? real : target->platform, *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;
	size_t length = strlen(base);
	char *name;

	if (length > strlen(suffix) && strcmp(base + length - strlen(suffix), suffix) == 0)
		length -= strlen(suffix);
	name = length > 0 ? strndup(base, length) : strdup("machine");
	free(real);
	return name;
}

static int read_platform_file(const char *path, char **text, char **error)
{
	int file = open(path, O_RDONLY | O_CLOEXEC), result;
	size_t size;

	*text = NULL;
	if (file < 0)
		return set_error(error, errno == ENOENT ? -ENOENT : -EIO, "Cannot open %s: %s",
				 path, strerror(errno));
	result = text_read_pipe(file, text, &size);
	close(file);
	if (!result)
		return 0;
	*text = NULL;
	return set_error(error, result == -ENOMEM ? -ENOMEM : -EIO, "Cannot read %s: %s", path,
			 strerror(-result));
}

static int builtin_text(const char *name, char **text, char **error)
{
	for (size_t i = 0; builtin_platforms[i].name; i++) {
		if (strcmp(builtin_platforms[i].name, name) != 0)
			continue;
		*text = strdup(builtin_texts[i]);
		return *text ? 0 : -ENOMEM;
	}
	return set_error(error, -ENOENT,
			 "No platform \"%s\" is built in; the path of a file has to hold a slash, "
			 "as in ./%s",
			 name, name);
}

static int load_text(const struct isst_emulator_target *target, char **name, char **text,
		     char **error)
{
	const char *platform = target->platform;
	int result = 0;

	*name = *text = NULL;
	if (is_recording(target))
		*text = NULL;
	else if (strchr(platform, '/'))
		result = read_platform_file(platform, text, error);
	else
		result = builtin_text(platform, text, error);
	if (result)
		return result;
	*name = platform_name(target);
	if (*name)
		return 0;
	free(*text);
	*text = NULL;
	return -ENOMEM;
}

/** Another machine than the locked one: neither is to be opened as the other. */
static void unlock(struct platform *platform)
{
	platform_unlock(platform);
	platform->hash ^= UINT64_C(0x756e6c6f636b6564);
	if (platform->recording)
		platform->recording->unlocked = true;
}

static int load_platform(const struct isst_emulator_target *target, struct platform **platform,
			 char **error)
{
	char *name, *text;
	int result = load_text(target, &name, &text, error);

	if (result)
		return result;
	if (text)
		result = platform_read(name, target->platform, text, platform, error);
	else
		result = recording_read(name, target->platform, platform, error);
	free(name);
	free(text);
	if (!result && target->unlock)
		unlock(*platform);
	return result;
}

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
	platform_free(server->platform);
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
	int result = load_platform(target, &server->platform, error);

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

static int emulator_show(const struct isst_emulator_target *target, char **text, char **error)
{
	struct platform *platform;
	char *name;
	int result;

	*error = NULL;
	result = load_text(target, &name, text, error);
	if (result)
		return result;
	free(name);
	if (*text)
		return 0;
	result = load_platform(target, &platform, error);
	if (result)
		return result;
	*text = recording_describe(platform);
	platform_free(platform);
	return *text ? 0 : -ENOMEM;
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
	result = load_platform(target, &platform, error);
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
	platform_free(platform);
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
	.show = emulator_show,
	.reset = emulator_reset,
	.statistics = emulator_statistics,
	.run = launch_run,
};

const struct isst_emulator *isst_emulator(void)
{
	return &emulator;
}
