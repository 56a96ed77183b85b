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
	struct isst_emulator_target *target = calloc(1, sizeof(*target));
	char *copy = strdup(platform);

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
	char *copy = directory ? strdup(directory) : NULL;

	if (directory && !copy)
		return -ENOMEM;
	free((char *)target->state_directory);
	target->state_directory = copy;
	return 0;
}

int isst_emulator_target_set_flags(struct isst_emulator_target *target, unsigned int flags)
{
	if (flags & ~ISST_EMULATOR_TARGET_UNLOCK)
		return -EINVAL;
	target->unlock = flags & ISST_EMULATOR_TARGET_UNLOCK;
	return 0;
}

/* ---- Machines ---- */

int isst_emulator_open(const struct isst_emulator_target *target, struct isst_machine **machine,
		       char **error)
{
	return isst_emulator()->open(target, machine, error);
}

int isst_emulator_show(const struct isst_emulator_target *target, char **text, char **error)
{
	return isst_emulator()->show(target, text, error);
}

int isst_emulator_reset(const struct isst_emulator_target *target, char **error)
{
	return isst_emulator()->reset(target, error);
}

int isst_emulator_run(const struct isst_emulator_target *target, char *const *words,
		      unsigned int flags, unsigned int user, char **error)
{
	const struct isst_emulator_program program = { .words = words,
						       .as_user = flags & ISST_EMULATOR_RUN_AS_USER,
						       .user = user };

	*error = NULL;
	if (flags & ~ISST_EMULATOR_RUN_AS_USER)
		return -EINVAL;
	return isst_emulator()->run(target, &program, error);
}

/* ---- Statistics ---- */

int isst_emulator_read_statistics(const struct isst_emulator_target *target, unsigned int flags,
				  struct isst_emulator_statistics **statistics, char **error)
{
	int result = -EINVAL;

	*error = NULL;
	*statistics = NULL;
	if (flags & ~ISST_EMULATOR_STATISTICS_CLEAR)
		return result;
	*statistics = calloc(1, sizeof(**statistics));
	if (!*statistics)
		return -ENOMEM;
	result = isst_emulator()->statistics(target, flags & ISST_EMULATOR_STATISTICS_CLEAR,
					     *statistics, error);
	if (result) {
		free(*statistics);
		*statistics = NULL;
	}
	return result;
}

void isst_emulator_statistics_free(struct isst_emulator_statistics *statistics)
{
	free(statistics);
}

uint64_t isst_emulator_statistics_count(const struct isst_emulator_statistics *statistics,
					int counter)
{
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
