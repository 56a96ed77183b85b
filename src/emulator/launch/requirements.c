/* SPDX-License-Identifier: BSD-3-Clause */
/* Where programs cannot be run on an emulated machine, and what helps. */
#include "emulator/launch/launch.h"
#include "emulator/model/text.h"

#include <errno.h>
#include <string.h>

int requirement_missing(enum launch_step step, int result, char **error)
{
	return set_error(error, -EOPNOTSUPP, "step %d: %s", (int)step, strerror(-result));
}

int requirements_check(const struct launch *launch, char **error)
{
	(void)launch;
	(void)error;
	return 0;
}
