/* SPDX-License-Identifier: BSD-3-Clause */
/* CPUs by name and by module, and choosing high priority cores. */
#include "base/cpu_name.h"
#include "features/features.h"
#include "features/high_priority.h"
#include "features/snapshot.h"
#include "isst-config.h"
#include "library/targets.h"
#include "sysfs/system.h"

#include <errno.h>
#include <stdlib.h>

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
		error = message_error_at(&context->messages, of_cpu(cpu->domain, cpu->number),
					 -EOPNOTSUPP, "CPU %u is offline", cpu->number);
	if (!error)
		error = *cpus ? cpu_lists_module(&context->files, cpu->number, *cpus) : -ENOMEM;
	if (error == -ENOENT)
		error = message_error(&context->messages, -ENODATA,
				      "the kernel reports no module of several cores for CPU %u",
				      cpu->number);
	return call_end_cpus(context, before, cpus, error);
}

/* ---- High priority cores ---- */

static const struct {
	int id;
	enum choice_kind kind;
} KINDS[] = {
	{ ISST_VALUE_HIGH_PRIORITY_CORES, CHOICE_COUNT },
	{ ISST_VALUE_HIGH_PRIORITY_CORES_PER_PACKAGE, CHOICE_PER_PACKAGE },
	{ ISST_VALUE_HIGH_PRIORITY_BUCKET, CHOICE_BUCKET },
};

static int copy_set(const struct isst_request *request, int id, struct isst_cpuset **copy)
{
	const struct isst_cpuset *set = request_get_cpus(request, id);

	if (!set)
		return 0;
	*copy = isst_cpuset_new();
	return *copy ? isst_cpuset_add_set(*copy, set) : -ENOMEM;
}

static int choose_cpus(const struct call *call, const struct target_list *list,
		       struct isst_cpuset *cpus)
{
	struct core_choice choice = { .allow_lower_turbo = call->flags &
							   ISST_CHOOSE_ALLOW_LOWER_TURBO };
	struct domain_snapshot *domains = calloc(list->domain_count + 1, sizeof(*domains));
	unsigned int given = 0, level;
	uint64_t number = 0;
	bool at_level;
	int error = domains ? 0 : -ENOMEM;

	for (size_t i = 0; i < sizeof(KINDS) / sizeof(KINDS[0]); i++) {
		if (!request_get(call->request, KINDS[i].id, &number))
			continue;
		choice.kind = KINDS[i].kind;
		choice.number = (unsigned int)number;
		given++;
	}
	if (!error && given != 1)
		error = message_error(&call->context->messages, -EINVAL,
				      "either a number of high priority cores, one for each "
				      "package, or a bucket has to be given");
	if (!error)
		error = copy_set(call->request, ISST_VALUE_WITHIN_CPUS, &choice.within);
	if (!error)
		error = copy_set(call->request, ISST_VALUE_AVOID_CPUS, &choice.avoid);
	for (size_t i = 0; i < list->domain_count && !error; i++) {
		error = context_check_domain(call->context, list->domains[i]);
		domains[i].domain = list->domains[i];
		domains[i].counts = true;
	}
	at_level = request_get(call->request, ISST_VALUE_LEVEL, &number);
	level = (unsigned int)number;
	if (!error)
		error = snapshot_read_at(call->context, domains, list->domain_count,
					 at_level ? &level : NULL, LEVELS_TO_CHOOSE_BY);
	if (!error)
		error = high_priority_choose(call->context, domains, list->domain_count, NULL,
					     &choice, cpus);
	snapshot_clear(domains, list->domain_count);
	free(domains);
	isst_cpuset_free(choice.within);
	isst_cpuset_free(choice.avoid);
	return error;
}

int isst_choose_high_priority_cpus(struct isst_context *context, const struct isst_targets *targets,
				   const struct isst_request *request, unsigned int flags,
				   struct isst_cpuset **cpus)
{
	static const int VALUES[] = { ISST_VALUE_HIGH_PRIORITY_CORES,
				      ISST_VALUE_HIGH_PRIORITY_CORES_PER_PACKAGE,
				      ISST_VALUE_HIGH_PRIORITY_BUCKET,
				      ISST_VALUE_WITHIN_CPUS,
				      ISST_VALUE_AVOID_CPUS,
				      ISST_VALUE_LEVEL,
				      0 };
	const struct call call = { .context = context,
				   .targets = targets,
				   .request = request,
				   .values = VALUES,
				   .flags = flags,
				   .known_flags = ISST_CHOOSE_ALLOW_LOWER_TURBO };
	struct target_list list;
	const char *before;
	int error;

	if (!context || !cpus)
		return context_refuse(context, "there is nowhere to put the CPUs (NULL)");
	*cpus = NULL;
	error = call_check(&call, &list);
	if (error)
		return error;
	before = message_begin(&context->messages);
	*cpus = isst_cpuset_new();
	return call_end_cpus(context, before, cpus,
			     *cpus ? choose_cpus(&call, &list, *cpus) : -ENOMEM);
}
