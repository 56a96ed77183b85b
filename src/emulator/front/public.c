/* SPDX-License-Identifier: BSD-3-Clause */
/* The emulator's functions as programs see them. */
#include "emulator/model/machines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

/** Gives a message to a caller who wants it. Returns @result. */
static int conclude(int result, char *message, char **error)
{
	if (error)
		*error = message;
	else
		free(message);
	return result;
}

/** Refuses arguments that are wrong on any machine. */
static int refuse(const char *why, char **error)
{
	return conclude(-EINVAL, strdup(why), error);
}

static const char NO_TARGET[] = "no target was given", UNKNOWN_FLAGS[] = "unknown flags were given",
		  NO_RESULT[] = "no place for the result was given";

int isst_emulator_open(const struct isst_emulator_target *target, struct isst_machine **machine,
		       char **error)
{
	char *message = NULL;
	int result;

	if (!machine)
		return refuse(NO_RESULT, error);
	*machine = NULL;
	if (!target)
		return refuse(NO_TARGET, error);
	result = isst_emulator()->open(target, machine, &message);
	return conclude(result, message, error);
}

int isst_emulator_show(const struct isst_emulator_target *target, char **text, char **error)
{
	char *message = NULL;
	int result;

	if (!text)
		return refuse(NO_RESULT, error);
	*text = NULL;
	if (!target)
		return refuse(NO_TARGET, error);
	result = isst_emulator()->show(target, text, &message);
	return conclude(result, message, error);
}

int isst_emulator_reset(const struct isst_emulator_target *target, char **error)
{
	char *message = NULL;
	int result;

	if (!target)
		return refuse(NO_TARGET, error);
	result = isst_emulator()->reset(target, &message);
	return conclude(result, message, error);
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
		return refuse(NO_TARGET, error);
	if (!words || !words[0])
		return refuse("no program was given", error);
	if (flags & ~ISST_EMULATOR_RUN_AS_USER)
		return refuse(UNKNOWN_FLAGS, error);
	result = isst_emulator()->run(target, &program, &message);
	return conclude(result, message, error);
}

/* ---- Statistics ---- */

int isst_emulator_read_statistics(const struct isst_emulator_target *target, unsigned int flags,
				  struct isst_emulator_statistics **statistics, char **error)
{
	char *message = NULL;
	int result;

	if (!statistics)
		return refuse(NO_RESULT, error);
	*statistics = NULL;
	if (!target)
		return refuse(NO_TARGET, error);
	if (flags & ~ISST_EMULATOR_STATISTICS_CLEAR)
		return refuse(UNKNOWN_FLAGS, error);
	*statistics = calloc(1, sizeof(**statistics));
	if (!*statistics)
		return conclude(-ENOMEM, NULL, error);
	result = isst_emulator()->statistics(target, flags & ISST_EMULATOR_STATISTICS_CLEAR,
					     *statistics, &message);
	if (result) {
		free(*statistics);
		*statistics = NULL;
	}
	return conclude(result, message, error);
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
