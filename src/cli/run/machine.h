/* SPDX-License-Identifier: BSD-3-Clause */
/* Which machine a command is for, and how that is opened. */
#ifndef ISST_CLI_MACHINE_H
#define ISST_CLI_MACHINE_H

#include "../arguments/request.h"
#include "../process/exit_status.h"
#include "isst-emulator.h"

/** An emulated machine, and where it lives; the texts are the request's, or the environment's. */
struct emulation {
	const char *platform, *state_directory; /* NULL: none, or the default */
	bool unlock;
};

struct isst_emulator_target *emulation_target(const struct emulation *emulation);

/** Finds the emulated machine that is meant: operand, --emulate or environment; @emulation:
 * platform NULL: the real one. @problem: on failure, to be freed. */
enum exit_status machine_choose(const struct request *request, struct emulation *emulation,
				char **problem);

/** Opens the machine that is meant, and frees the options. As above. */
enum exit_status machine_open(const struct request *request, struct isst_options *options,
			      struct isst_context **context, char **problem);

/** The status for an error of the emulator; @message is freed and replaced, with the nearest name.
 */
enum exit_status machine_problem(int error, const struct emulation *emulation, char **message);

/** The machine that help and version describe; NULL: it cannot be opened. */
struct isst_context *machine_look(const struct request *request);

#endif
