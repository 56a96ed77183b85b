/* SPDX-License-Identifier: BSD-3-Clause */
/* The statements of defaults, each for machines that have what it is about. */
#include "state/defaults.h"
#include "firmware/platform.h"
#include "topology/context.h"

#include <errno.h>
#include <string.h>

static const struct {
	unsigned int part;
	const char *statements;
} DEFAULTS[] = {
	{ ISST_CONFIG_FEATURES, "? turbo-freq off\n"
				"? base-freq off\n"
				"? core-power off\n" },
	{ ISST_CONFIG_CLOS, "? clos 0-3 min 0 max none desired 0 epp 0 weight 0\n" },
	{ ISST_CONFIG_ASSOCIATIONS, "? association 0 = all\n" },
	{ ISST_CONFIG_LIMITS, "? turbo-ratio-limits level\n"
			      "? scaling-min none\n"
			      "? scaling-max none\n"
			      "? uncore-min none\n"
			      "? uncore-max none\n" },
	{ ISST_CONFIG_CPUS, "? cpus online\n" },
};

static int add(struct configuration *configuration, const char *statements)
{
	int error = configuration_add_text(configuration, "defaults", statements,
					   strlen(statements), false);

	return error == -EINVAL ? -ENOMEM : error;
}

int configuration_add_defaults(struct configuration *configuration,
			       const struct isst_context *context, unsigned int parts)
{
	int error = 0;

	for (size_t i = 0; i < sizeof(DEFAULTS) / sizeof(DEFAULTS[0]) && !error; i++)
		if (parts & DEFAULTS[i].part)
			error = add(configuration, DEFAULTS[i].statements);
	/* Where nothing else than ordered priority works, firmware may begin with either. */
	if (!error && parts & ISST_CONFIG_FEATURES &&
	    platform_has(&context->platform, PLATFORM_PROPORTIONAL_PRIORITY))
		error = add(configuration, "? core-power off proportional\n");
	return error;
}
