/* SPDX-License-Identifier: BSD-3-Clause */
/* Stands in for the emulator in a build without it (EMULATOR=no). */
#include "isst-emulator.h"

#include <errno.h>
#include <string.h>

#pragma GCC diagnostic ignored "-Wunused-parameter"
/* NOLINTBEGIN(misc-unused-parameters) */

static int refuse_call(char **error)
{
	if (error)
		*error = strdup(isst_emulator_unavailable_text());
	return -EOPNOTSUPP;
}

bool isst_emulator_is_available(void)
{
	return false;
}

const char *isst_emulator_unavailable_text(void)
{
	return "this build has no emulator";
}

const char *isst_emulator_platform_name(size_t index)
{
	return NULL;
}

const char *isst_emulator_platform_title(size_t index)
{
	return NULL;
}

bool isst_emulator_platform_is_synthetic(size_t index)
{
	return false;
}

struct isst_emulator_target *isst_emulator_target_new(const char *platform)
{
	return NULL;
}

void isst_emulator_target_free(struct isst_emulator_target *target)
{
}

int isst_emulator_target_set_state(struct isst_emulator_target *target, const char *directory)
{
	return -EOPNOTSUPP;
}

int isst_emulator_target_set_flags(struct isst_emulator_target *target, unsigned int flags)
{
	return -EOPNOTSUPP;
}

int isst_emulator_open(const struct isst_emulator_target *target, struct isst_machine **machine,
		       char **error)
{
	if (machine)
		*machine = NULL;
	return refuse_call(error);
}

int isst_emulator_show(const struct isst_emulator_target *target, char **text, char **error)
{
	if (text)
		*text = NULL;
	return refuse_call(error);
}

int isst_emulator_reset(const struct isst_emulator_target *target, char **error)
{
	return refuse_call(error);
}

int isst_emulator_read_statistics(const struct isst_emulator_target *target, unsigned int flags,
				  struct isst_emulator_statistics **statistics, char **error)
{
	if (statistics)
		*statistics = NULL;
	return refuse_call(error);
}

void isst_emulator_statistics_free(struct isst_emulator_statistics *statistics)
{
}

uint64_t isst_emulator_statistics_count(const struct isst_emulator_statistics *statistics,
					int counter)
{
	return 0;
}

int isst_emulator_run(const struct isst_emulator_target *target, char *const *words,
		      unsigned int flags, unsigned int user, const char *const *writable,
		      char **error)
{
	return refuse_call(error);
}
/* NOLINTEND(misc-unused-parameters) */
