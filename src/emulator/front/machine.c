/* SPDX-License-Identifier: BSD-3-Clause */
/* An emulated machine is opened and closed; and the functions of isst-emulator.h. */
#include "emulator/capture/capture.h"
#include "emulator/firmware/firmware.h"
#include "emulator/front/front.h"
#include "emulator/model/text.h"

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
static void crash_here(const char *text)
{
	fputs(text, stderr);
	abort();
}

static void make_first_state(struct server *server)
{
	firmware_first_state(server);
	kernel_first_state(server);
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
	if (asprintf(&emulated->run_path, "%s/run", server->path) < 0)
		emulated->run_path = NULL;
	if (!emulated->run_path)
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

	if (error)
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
		.crash = crash_here,
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

/* ---- The functions of isst-emulator.h ---- */

bool isst_emulator_is_available(void)
{
	return true;
}

const char *isst_emulator_unavailable_text(void)
{
	return NULL;
}

/** Past the last one its row without a name. */
static const struct isst_emulator_platform *find_platform(size_t index)
{
	const struct isst_emulator_platform *platforms = builtin_platforms;

	while (platforms->name && index-- > 0)
		platforms++;
	return platforms;
}

const char *isst_emulator_platform_name(size_t index)
{
	return find_platform(index)->name;
}

const char *isst_emulator_platform_title(size_t index)
{
	return find_platform(index)->title;
}

bool isst_emulator_platform_is_synthetic(size_t index)
{
	return find_platform(index)->synthetic;
}

struct isst_emulator_target *isst_emulator_target_new(const char *platform)
{
	struct isst_emulator_target *target;
	char *copy;

	if (!platform)
		return NULL;
	target = calloc(1, sizeof(*target));
	copy = strdup(platform);
	if (!target || !copy) {
		free(target);
		free(copy);
		return NULL;
	}
	target->platform = copy;
	return target;
}

void isst_emulator_target_free(struct isst_emulator_target *target)
{
	if (!target)
		return;
	/* The target's own copies; others keep theirs as const. */
	free((char *)target->platform);
	free((char *)target->state_directory);
	free(target);
}

int isst_emulator_target_set_state(struct isst_emulator_target *target, const char *directory)
{
	char *copy;

	if (!target)
		return -EINVAL;
	copy = directory ? strdup(directory) : NULL;
	if (directory && !copy)
		return -ENOMEM;
	free((char *)target->state_directory);
	target->state_directory = copy;
	return 0;
}

int isst_emulator_target_set_flags(struct isst_emulator_target *target, unsigned int flags)
{
	if (!target || flags & ~ISST_EMULATOR_TARGET_UNLOCK)
		return -EINVAL;
	target->unlock = flags & ISST_EMULATOR_TARGET_UNLOCK;
	return 0;
}

/** What is wrong with the arguments on any machine; NULL: nothing. */
static int check_arguments(const struct isst_emulator_target *target, unsigned int unknown_flags,
			   bool complete, const char *missing, char **error)
{
	const char *why = !complete ? missing
			  : !target ? "no target was given"
				    : "unknown flags were given";

	if (error)
		*error = NULL;
	if (complete && target && !unknown_flags)
		return 0;
	set_error(error, -EINVAL, "%s", why);
	return -EINVAL;
}

static const char NO_RESULT[] = "no place for the result was given";

int isst_emulator_open(const struct isst_emulator_target *target, struct isst_machine **machine,
		       char **error)
{
	struct emulated *emulated;
	int result = check_arguments(target, 0, machine, NO_RESULT, error);

	if (machine)
		*machine = NULL;
	if (!result)
		result = emulated_open(target, &emulated, error);
	if (!result && machine)
		*machine = &emulated->machine;
	return result;
}

int isst_emulator_show(const struct isst_emulator_target *target, char **text, char **error)
{
	int result = check_arguments(target, 0, text, NO_RESULT, error);

	if (text)
		*text = NULL;
	return result ? result : platform_show(target, text, error);
}

/** The platform is read though only its name is needed: what is none has no machine to be reset,
 * and that of another one may live in the same directory. */
int isst_emulator_reset(const struct isst_emulator_target *target, char **error)
{
	/* The state first: nothing counts without it. Locked files stay for those who wait. */
	static const char *const made[] = { "state",  "state.new", "fault-counts",
					    "faults", "run",	   "log" };
	struct platform *platform;
	char *path = NULL;
	int directory, lock, result = check_arguments(target, 0, true, NULL, error);

	if (!result)
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
		result = lock < 0 ? lock : 0;
		for (size_t i = 0; i < sizeof(made) / sizeof(*made) && !result; i++) {
			result = directory_remove(directory, made[i]);
			if (result)
				result = set_error(error, -EIO, "Cannot remove %s/%s: %s", path,
						   made[i], strerror(-result));
		}
		if (lock >= 0)
			close(lock);
		close(directory);
	}
	free(path);
	platform_unload(platform);
	return result;
}

int isst_emulator_read_statistics(const struct isst_emulator_target *target, unsigned int flags,
				  struct isst_emulator_statistics **statistics, char **error)
{
	int result = check_arguments(target, flags & ~ISST_EMULATOR_STATISTICS_CLEAR, statistics,
				     NO_RESULT, error);
	struct emulated *emulated;

	if (statistics)
		*statistics = NULL;
	if (!result)
		result = emulated_open(target, &emulated, error);
	if (result || !statistics)
		return result;
	result = state_lock(&emulated->server);
	if (result) {
		set_error(error, result, "Cannot lock %s", emulated->server.path);
	} else {
		struct isst_emulator_statistics *counted = &emulated->server.head->statistics;

		*statistics = calloc(1, sizeof(**statistics));
		if (*statistics)
			**statistics = *counted;
		else
			result = -ENOMEM;
		if (!result && flags & ISST_EMULATOR_STATISTICS_CLEAR)
			*counted = (struct isst_emulator_statistics){ 0 };
		state_unlock(&emulated->server);
	}
	emulated_close(emulated);
	return result;
}

void isst_emulator_statistics_free(struct isst_emulator_statistics *statistics)
{
	free(statistics);
}

uint64_t isst_emulator_statistics_count(const struct isst_emulator_statistics *statistics,
					int counter)
{
	if (!statistics)
		return 0;
	switch (counter) {
	case ISST_EMULATOR_COUNTER_DEVICE_OPENS:
		return statistics->device_opens;
	case ISST_EMULATOR_COUNTER_DRIVER_CALLS:
		return statistics->driver_calls;
	case ISST_EMULATOR_COUNTER_COMMANDS:
		return statistics->commands;
	case ISST_EMULATOR_COUNTER_WRITES:
		return statistics->writes;
	case ISST_EMULATOR_COUNTER_FILES_OPENED:
		return statistics->files_opened;
	}
	return 0;
}
