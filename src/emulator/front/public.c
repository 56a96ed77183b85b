/* SPDX-License-Identifier: BSD-3-Clause */
/* The emulator's public operations: as a table of functions, and as programs see them. */
#include "emulator/capture/capture.h"
#include "emulator/front/front.h"
#include "emulator/front/launch.h"
#include "emulator/model/machines.h"
#include "emulator/model/text.h"
#include "emulator/state/state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- The operations ---- */

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

/* ---- The functions of isst-emulator.h ---- */

bool isst_emulator_is_available(void)
{
	return true;
}

const char *isst_emulator_unavailable_text(void)
{
	return NULL;
}

/* ---- Platforms ---- */

/** Past the last one its row without a name. */
static const struct isst_emulator_platform *find_platform(size_t index)
{
	const struct isst_emulator_platform *platforms = isst_emulator()->platforms;

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

/* ---- Targets ---- */

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

/* ---- Machines ---- */

/** Refuses arguments that are wrong on any machine. */
static int refuse_arguments(const char *why, char **error)
{
	if (error)
		*error = strdup(why);
	return -EINVAL;
}

/** Gives a message to a caller who wants it. Returns @result. */
static int conclude_call(int result, char *message, char **error)
{
	if (error)
		*error = message;
	else
		free(message);
	return result;
}

static const char NO_TARGET[] = "no target was given", UNKNOWN_FLAGS[] = "unknown flags were given",
		  NO_RESULT[] = "no place for the result was given";

int isst_emulator_open(const struct isst_emulator_target *target, struct isst_machine **machine,
		       char **error)
{
	char *message = NULL;
	int result;

	if (!machine)
		return refuse_arguments(NO_RESULT, error);
	*machine = NULL;
	if (!target)
		return refuse_arguments(NO_TARGET, error);
	result = isst_emulator()->open(target, machine, &message);
	return conclude_call(result, message, error);
}

int isst_emulator_show(const struct isst_emulator_target *target, char **text, char **error)
{
	char *message = NULL;
	int result;

	if (!text)
		return refuse_arguments(NO_RESULT, error);
	*text = NULL;
	if (!target)
		return refuse_arguments(NO_TARGET, error);
	result = isst_emulator()->show(target, text, &message);
	return conclude_call(result, message, error);
}

int isst_emulator_reset(const struct isst_emulator_target *target, char **error)
{
	char *message = NULL;
	int result;

	if (!target)
		return refuse_arguments(NO_TARGET, error);
	result = isst_emulator()->reset(target, &message);
	return conclude_call(result, message, error);
}

int isst_emulator_run(const struct isst_emulator_target *target, char *const *words,
		      unsigned int flags, unsigned int user, char **error)
{
	const struct isst_emulator_program program = { .words = words,
						       .as_user = flags & ISST_EMULATOR_RUN_AS_USER,
						       .user = user };
	char *message = NULL;
	int result;

	if (!target)
		return refuse_arguments(NO_TARGET, error);
	if (!words || !words[0])
		return refuse_arguments("no program was given", error);
	if (flags & ~ISST_EMULATOR_RUN_AS_USER)
		return refuse_arguments(UNKNOWN_FLAGS, error);
	result = isst_emulator()->run(target, &program, &message);
	return conclude_call(result, message, error);
}

/* ---- Statistics ---- */

int isst_emulator_read_statistics(const struct isst_emulator_target *target, unsigned int flags,
				  struct isst_emulator_statistics **statistics, char **error)
{
	char *message = NULL;
	int result;

	if (!statistics)
		return refuse_arguments(NO_RESULT, error);
	*statistics = NULL;
	if (!target)
		return refuse_arguments(NO_TARGET, error);
	if (flags & ~ISST_EMULATOR_STATISTICS_CLEAR)
		return refuse_arguments(UNKNOWN_FLAGS, error);
	*statistics = calloc(1, sizeof(**statistics));
	if (!*statistics)
		return conclude_call(-ENOMEM, NULL, error);
	result = isst_emulator()->statistics(target, flags & ISST_EMULATOR_STATISTICS_CLEAR,
					     *statistics, &message);
	if (result) {
		free(*statistics);
		*statistics = NULL;
	}
	return conclude_call(result, message, error);
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
