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

int isst_options_set(struct isst_options *options, int option, unsigned int value)
{
	switch (options ? option : 0) {
	case ISST_OPTION_TRIES:
		options->tries = value;
		return 0;
	case ISST_OPTION_PAUSE_MS:
		options->pause_ms = value;
		return 0;
	case ISST_OPTION_SYSTEM_LOG:
		options->system_log = value == 1;
		return value > 1 ? -EINVAL : 0;
	default:
		return -EINVAL;
	}
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
