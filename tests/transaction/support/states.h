/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random states of emulated machines, and what configurations make of them: each function is a run
 * of its own, as by a program.
 */
#ifndef TESTS_TRANSACTION_STATES_H
#define TESTS_TRANSACTION_STATES_H

#include "transaction/support/machines.h"

/** The text of a random configuration for the machine; to be freed. */
char *states_random_text(const struct machine *machine);

/** Brings the machine into some state: by a configuration, by a request, or by another process.
 * What it does not take is left. */
void states_wander(const struct machine *machine, unsigned int steps);

/** Makes changes until one was written: the state after boot is kept from then on. */
void states_first_change(const struct machine *machine);

/** Which configuration is meant. */
enum states_source {
	STATES_TEXT,
	STATES_DEFAULTS, /* isst_config_defaults() */
	STATES_BOOT,	 /* isst_config_boot() */
};

struct applied {
	int error;
	bool unchanged;
	unsigned int written; /* steps */
	char *message;
};

/** Applies a configuration. @text: of STATES_TEXT. The message is to be freed. */
struct applied states_try(const struct machine *machine, enum states_source source,
			  const char *text);

/** As states_try(); fails where that fails, with the seed. Returns whether something was written.
 */
bool states_apply(const struct machine *machine, unsigned long seed, enum states_source source,
		  const char *text);

/** The state as text, by isst_config_read(); to be freed. */
char *states_read(const struct machine *machine, unsigned int flags);

/** Fails unless the machine is as a text states. */
void states_check(const struct machine *machine, unsigned long seed, const char *text);

/** The machine, but for limits of CPUs that the kernel keeps and shows to nobody: those of CPUs
 * that are offline, and those above what a CPU without turbo has; and but for the controller of
 * cpusets. To be freed. */
char *states_picture(const struct machine *machine);

/** Fails unless the machine is as in a picture. @what: what was done; @text: by which statements,
 * may be "". */
void states_check_same(const struct machine *machine, unsigned long seed, const char *before,
		       const char *what, const char *text);

/* ---- Properties, each for the state that the seed leads to ---- */

/** The state comes back register for register, whatever was changed; then nothing is written. */
void states_come_back(const struct machine *machine, unsigned long seed);
/** What differs from after boot, applied to a machine that was just started, gives the same. */
void states_are_rebuilt(const struct machine *machine, unsigned long seed);
/** The defaults are reached from everywhere, and are the same. */
void states_reset(const struct machine *machine, unsigned long seed);
/** So is the state after boot. */
void states_reset_to_boot(const struct machine *machine, unsigned long seed);

/** All of them for ISST_STATES seeds from ISST_SEED on, @otherwise: where there is no such. */
void states_of_platform(const char *platform, unsigned long otherwise);

#endif
