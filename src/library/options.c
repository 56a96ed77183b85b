/* SPDX-License-Identifier: BSD-3-Clause */
/* Options of contexts and changes, and opening a context with them. */
#include "base/machine.h"
#include "isst.h"
#include "topology/context.h"
#include "transaction/change.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- Contexts ---- */

struct isst_options *isst_options_new(void)
{
	return calloc(1, sizeof(struct isst_options));
}

void isst_options_free(struct isst_options *options)
{
	free(options);
}

void isst_options_set_tries(struct isst_options *options, unsigned int tries)
{
	if (options)
		options->tries = tries;
}

void isst_options_set_pause_ms(struct isst_options *options, unsigned int pause_ms)
{
	if (options)
		options->pause_ms = pause_ms;
}

void isst_options_set_log(struct isst_options *options, int level, isst_log_function log,
			  void *data)
{
	if (!options)
		return;
	options->log_level = level;
	options->log = log;
	options->log_data = data;
}

void isst_options_set_interrupted(struct isst_options *options, int (*interrupted)(void *data),
				  void *data)
{
	if (!options)
		return;
	options->interrupted = interrupted;
	options->interrupted_data = data;
}

int isst_options_set_flags(struct isst_options *options, unsigned int flags)
{
	if (!options || flags & ~ISST_OPTION_SYSTEM_LOG)
		return -EINVAL;
	options->system_log = flags & ISST_OPTION_SYSTEM_LOG;
	return 0;
}

int isst_open_machine(struct isst_machine *machine, const struct isst_options *options,
		      struct isst_context **context)
{
	struct isst_options of_machine = options ? *options : (struct isst_options){ 0 };

	/* A program that means another machine does not get the one that it runs on. */
	if (!machine) {
		if (context)
			*context = NULL;
		return -EINVAL;
	}
	of_machine.machine = machine;
	return isst_open(&of_machine, context);
}

void isst_machine_free(struct isst_machine *machine)
{
	if (machine)
		machine->release(machine);
}

void isst_set_log_level(struct isst_context *context, int level)
{
	if (context)
		context->messages.log_level = level;
}

/* ---- Changes ---- */

struct isst_change_options *isst_change_options_new(void)
{
	return calloc(1, sizeof(struct isst_change_options));
}

void isst_change_options_free(struct isst_change_options *options)
{
	if (!options)
		return;
	/* The options' own copy: that of a change is const, as others keep it. */
	free((char *)options->command);
	free(options);
}

int isst_change_options_set_flags(struct isst_change_options *options, unsigned int flags)
{
	const unsigned int known = ISST_CHANGE_DRY_RUN | ISST_CHANGE_SKIP_UNSUPPORTED |
				   ISST_CHANGE_SKIP_FAILED | ISST_CHANGE_PARTITIONS |
				   ISST_CHANGE_PARTITION_CPU0 | ISST_CHANGE_LEAVE_UNKNOWN_CPUS |
				   ISST_CHANGE_HOLD | ISST_CHANGE_REVERSIBLE |
				   ISST_CHANGE_PARTITIONS_IF_SUPPORTED;

	if (!options || flags & ~known)
		return -EINVAL;
	options->dry_run = flags & ISST_CHANGE_DRY_RUN;
	options->targets = ISST_ALL_TARGETS;
	if (flags & ISST_CHANGE_SKIP_UNSUPPORTED)
		options->targets = ISST_SKIP_UNSUPPORTED;
	if (flags & ISST_CHANGE_SKIP_FAILED)
		options->targets = ISST_SKIP_FAILED;
	options->partitions = flags & ISST_CHANGE_PARTITIONS;
	options->partition_for_cpu0 = flags & ISST_CHANGE_PARTITION_CPU0;
	options->leave_unknown_cpus = flags & ISST_CHANGE_LEAVE_UNKNOWN_CPUS;
	options->hold = flags & ISST_CHANGE_HOLD;
	options->reversible = flags & ISST_CHANGE_REVERSIBLE;
	options->partitions_optional = flags & ISST_CHANGE_PARTITIONS_IF_SUPPORTED;
	return 0;
}

int isst_change_options_set_command(struct isst_change_options *options, const char *command)
{
	char *copy;

	if (!options)
		return -EINVAL;
	copy = command ? strdup(command) : NULL;
	if (command && !copy)
		return -ENOMEM;
	free((char *)options->command);
	options->command = copy;
	return 0;
}

void isst_change_options_set_progress(struct isst_change_options *options,
				      void (*progress)(void *data, unsigned int cpu, int online,
						       unsigned int done, unsigned int count),
				      void *data)
{
	if (!options)
		return;
	options->progress = progress;
	options->progress_data = data;
}

/* ---- Version ---- */

const char *isst_version(void)
{
	return ISST_VERSION;
}

unsigned int isst_version_number(void)
{
	return ISST_VERSION_NUMBER(ISST_VERSION_MAJOR, ISST_VERSION_MINOR, ISST_VERSION_PATCH);
}
