/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What differs between processors beside what their firmware answers: one table of the models, and
 * the facts that follow from it. The only place where a model number decides something; which
 * firmware interface is used follows from the driver (docs/internals/architecture.md).
 */
#ifndef ISST_FIRMWARE_PLATFORM_H
#define ISST_FIRMWARE_PLATFORM_H

#include "base/place.h"

enum platform_fact {
	/* A package consists of power domains, which are named by number. */
	PLATFORM_POWER_DOMAINS,
	/* A configuration of a CLOS has a weight (proportional priority), an energy preference, a
	 * desired frequency. */
	PLATFORM_CLOS_WEIGHT,
	PLATFORM_CLOS_EPP,
	PLATFORM_CLOS_DESIRED,
	/* Priority may be proportional; otherwise it is always ordered. */
	PLATFORM_PROPORTIONAL_PRIORITY,
	/* CLOS configurations and associations are mailbox commands, not MMIO registers. */
	PLATFORM_CLOS_BY_MAILBOX,
	/* TRL types are levels of turbo frequencies, not instruction sets. */
	PLATFORM_TRL_TYPES_ARE_LEVELS,
	PLATFORM_TRL_TYPE_AMX,
	/* What the firmware counts as a core is a module of several cores. */
	PLATFORM_COUNTS_MODULES,
	/* The BIOS may have set up SST-BF for good, and left nothing else of Speed Select. */
	PLATFORM_MAY_BE_PRESET,
};

/** A processor that is not in the table has the facts of those before it with the same interface.
 */
bool platform_has(const struct isst_platform *platform, enum platform_fact fact);

/** What the firmware counts as cores is called: core, cores, module or modules. */
const char *platform_cores_word(const struct isst_platform *platform, size_t count);

/** Whether one of two transports of the processor is missing: a module may yet register it. */
bool platform_misses_transport(const struct isst_platform *platform);

/** Whether a processor is in the table. */
bool platform_is_known(const struct isst_platform *platform);

/** The modules that offer a processor's transports; of one that is not in the table, all. */
const char *platform_modules(const struct isst_platform *platform);

/** The memory frequency for the code of a level (mailbox command 0x0b); 0: not known for the model.
 */
unsigned int platform_memory_mhz(const struct isst_platform *platform, unsigned int code);

#endif
