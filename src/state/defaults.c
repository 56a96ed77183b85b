/* SPDX-License-Identifier: BSD-3-Clause */
/* The statements of defaults, each for machines that have what it is about. */
#include "state/defaults.h"
#include "firmware/platform.h"
#include "topology/context.h"

#include <errno.h>
#include <string.h>

/* No two parts state the same thing, so that the statements of all of them are one text, too. */
static const struct {
	unsigned int part;
	const char *statements;
	const char *proportional; /* instead, where CLOS have this priority; NULL: the same */
} DEFAULTS[] = {
	/* Where nothing else than ordered priority works, firmware may begin with either. */
	{ ISST_CONFIG_FEATURES,
	  "? turbo-freq off\n"
	  "? base-freq off\n"
	  "? core-power off\n",
	  "? turbo-freq off\n"
	  "? base-freq off\n"
	  "? core-power off proportional\n" },
	{ ISST_CONFIG_CLOS, "? clos 0-3 min 0 max none desired 0 epp 0 weight 0\n", NULL },
	{ ISST_CONFIG_ASSOCIATIONS, "? association 0 = all\n", NULL },
	{ ISST_CONFIG_LIMITS,
	  "? turbo-ratio-limits level\n"
	  "? scaling-min none\n"
	  "? scaling-max none\n"
	  "? uncore-min none\n"
	  "? uncore-max none\n",
	  NULL },
	{ ISST_CONFIG_CPUS, "? cpus online\n", NULL },
};

int configuration_add_defaults(struct configuration *configuration,
			       const struct isst_context *context, unsigned int parts)
{
	bool proportional = platform_has(&context->platform, PLATFORM_PROPORTIONAL_PRIORITY);
	int error = 0;

	for (size_t i = 0; i < sizeof(DEFAULTS) / sizeof(DEFAULTS[0]) && !error; i++) {
		const char *statements = proportional && DEFAULTS[i].proportional
						 ? DEFAULTS[i].proportional
						 : DEFAULTS[i].statements;

		if (parts & DEFAULTS[i].part)
			error = configuration_add_text(configuration, "defaults", statements,
						       strlen(statements), false);
	}
	return error ? -ENOMEM : 0;
}
