/* SPDX-License-Identifier: BSD-3-Clause */
/* Differences between processors that firmware does not report: the only place where a model number
 * decides. The driver decides which interface is used (docs/internals/architecture.md). */
#ifndef ISST_FIRMWARE_PLATFORM_H
#define ISST_FIRMWARE_PLATFORM_H

#include "base/place.h"

enum platform_fact {
	PLATFORM_POWER_DOMAINS, /* a package consists of numbered power domains */
	PLATFORM_CLOS_WEIGHT,	/* of a CLOS: proportional priority */
	PLATFORM_CLOS_EPP,
	PLATFORM_CLOS_DESIRED,
	PLATFORM_PROPORTIONAL_PRIORITY, /* or always ordered */
	PLATFORM_CLOS_BY_MAILBOX,	/* or by MMIO registers */
	PLATFORM_TRL_TYPES_ARE_LEVELS,	/* of turbo frequencies, or instruction sets */
	PLATFORM_TRL_TYPE_AMX,
	PLATFORM_COUNTS_MODULES, /* the firmware's cores are modules of several cores */
	PLATFORM_MAY_BE_PRESET,	 /* the BIOS may have set SST-BF for good, and nothing else */
};

/** Unknown processors have the facts of known ones with the same interface. */
bool platform_has(const struct isst_platform *platform, enum platform_fact fact);

/** How the firmware's cores are called: core, cores, module or modules. */
const char *platform_cores_word(const struct isst_platform *platform, size_t count);

/** Whether one of two transports is missing: a module may still register it. */
bool platform_misses_transport(const struct isst_platform *platform);

bool platform_is_known(const struct isst_platform *platform);

/** The modules that provide a processor's transports; all of them for an unknown processor. */
const char *platform_modules(const struct isst_platform *platform);

/** Memory frequency for the code of a level (mailbox command 0x0b); 0: unknown for the model. */
unsigned int platform_memory_mhz(const struct isst_platform *platform, unsigned int code);

#endif
