/* SPDX-License-Identifier: BSD-3-Clause */
/* Choosing high priority cores, in the shape of the other calls on a set of targets. */
#include "features/high_priority.h"
#include "library/targets.h"

#include <errno.h>
#include <stdlib.h>

static const struct {
	int id;
	enum choice_kind kind;
} KINDS[] = {
	{ ISST_VALUE_HIGH_PRIORITY_CORES, CHOICE_COUNT },
	{ ISST_VALUE_HIGH_PRIORITY_CORES_PER_PACKAGE, CHOICE_PER_PACKAGE },
	{ ISST_VALUE_HIGH_PRIORITY_BUCKET, CHOICE_BUCKET },
};

enum { KIND_COUNT = sizeof(KINDS) / sizeof(KINDS[0]) };

/** Finds the number of cores or of a bucket. Returns false where there is none, or several. */
static bool find_number(const struct isst_request *request, struct core_choice *choice)
{
	unsigned int given = 0;
	uint64_t number;

	for (size_t i = 0; i < KIND_COUNT; i++) {
		if (!request_get(request, KINDS[i].id, &number))
			continue;
		choice->kind = KINDS[i].kind;
		choice->number = (unsigned int)number;
		given++;
	}
	return given == 1;
}

static int copy_set(const struct isst_request *request, int id, struct isst_cpuset **copy)
{
	const struct isst_cpuset *set = request_get_cpus(request, id);

	if (!set)
		return 0;
	*copy = isst_cpuset_new();
	return *copy ? isst_cpuset_add_set(*copy, set) : -ENOMEM;
}

/** Makes the choice of a call. Its sets are to be freed, also on error. */
static int make_choice(const struct call *call, struct core_choice *choice)
{
	int error;

	*choice = (struct core_choice){ .allow_lower_turbo = call->flags &
							     ISST_CHOOSE_ALLOW_LOWER_TURBO };
	if (!find_number(call->request, choice))
		return message_error(&call->context->messages, -EINVAL,
				     "either a number of high priority cores, one for each "
				     "package, or a bucket has to be given");
	error = copy_set(call->request, ISST_VALUE_WITHIN_CPUS, &choice->within);
	if (!error)
		error = copy_set(call->request, ISST_VALUE_AVOID_CPUS, &choice->avoid);
	return error;
}

/** The level that the request names, for each domain; *levels is NULL where it names none. */
static int make_levels(const struct call *call, size_t count, unsigned int **levels)
{
	uint64_t level;

	*levels = NULL;
	if (!request_get(call->request, ISST_VALUE_LEVEL, &level))
		return 0;
	*levels = calloc(count + 1, sizeof(**levels));
	for (size_t i = 0; i < count && *levels; i++)
		(*levels)[i] = (unsigned int)level;
	return *levels ? 0 : -ENOMEM;
}

static int choose_cpus(const struct call *call, const struct target_list *list,
		       struct isst_cpuset *cpus)
{
	struct core_choice choice;
	unsigned int *levels = NULL;
	int error = make_choice(call, &choice);

	if (!error)
		error = make_levels(call, list->domain_count, &levels);
	if (!error)
		error = high_priority_choose(call->context,
					     &(struct choice_scope){ .domains = list->domains,
								     .count = list->domain_count,
								     .levels = levels },
					     &choice, cpus);
	isst_cpuset_free(choice.within);
	isst_cpuset_free(choice.avoid);
	free(levels);
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
	error = *cpus ? choose_cpus(&call, &list, *cpus) : -ENOMEM;
	if (error) {
		isst_cpuset_free(*cpus);
		*cpus = NULL;
	}
	return message_end(&context->messages, before, error);
}
