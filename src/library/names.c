/* SPDX-License-Identifier: BSD-3-Clause */
/* CPUs by name and by module, as programs see them. */
#include "features/cpu_names.h"
#include "library/targets.h"
#include "sysfs/cpu_lists.h"

#include <errno.h>

bool isst_cpus_is_name(const char *name)
{
	struct cpu_name parsed;

	return name && cpu_name_parse(name, &parsed) == 0;
}

int isst_cpus_by_name(struct isst_context *context, const char *name, unsigned int flags,
		      struct isst_cpuset **cpus)
{
	struct cpu_name parsed;
	const char *before;
	int error;

	if (!context || !name || !cpus)
		return context_refuse(context, name ? "there is nowhere to put the CPUs (NULL)"
						    : "no name was given");
	before = message_begin(&context->messages);
	*cpus = isst_cpuset_new();
	error = context_check_discovered(context);
	if (!error && flags)
		error = message_error(&context->messages, -EINVAL,
				      "the call does not know the flags %#x", flags);
	if (!error && cpu_name_parse(name, &parsed))
		error = message_error(&context->messages, -EINVAL, "no CPUs have the name '%s'",
				      name);
	if (!error)
		error = *cpus ? cpu_name_find(context, &parsed, *cpus) : -ENOMEM;
	return call_end_cpus(context, before, cpus, error);
}

int isst_cpus_of_module(struct isst_context *context, const struct isst_cpu *cpu,
			unsigned int flags, struct isst_cpuset **cpus)
{
	const char *before;
	int error;

	if (!context || !cpu || !cpus)
		return context_refuse(context, cpu ? "there is nowhere to put the CPUs (NULL)"
						   : "no CPU was given");
	before = message_begin(&context->messages);
	*cpus = isst_cpuset_new();
	error = context_check_cpu(context, cpu);
	if (!error && flags)
		error = message_error(&context->messages, -EINVAL,
				      "the call does not know the flags %#x", flags);
	if (!error && !cpu->online)
		error = message_error(&context->messages, -EOPNOTSUPP, "CPU %u is offline",
				      cpu->number);
	if (!error)
		error = *cpus ? cpu_lists_module(&context->files, cpu->number, *cpus) : -ENOMEM;
	if (error == -ENOENT)
		error = message_error(&context->messages, -ENODATA,
				      "the kernel reports no module of several cores for CPU %u",
				      cpu->number);
	return call_end_cpus(context, before, cpus, error);
}
