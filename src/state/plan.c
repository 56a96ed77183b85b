/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The requests of commands: each is planned, and leaves with the change whether it may be made in
 * spite of what stands against single targets.
 */
#include "state/plan.h"
#include "features/plan.h"

#include <errno.h>

/** What planning found against the targets of one request. */
struct verdict {
	size_t targets, unsupported, failed;
	const struct isst_failure *first_unsupported, *first_failed;
};

static void note_target(struct verdict *verdict, const struct isst_failure *failure)
{
	verdict->targets++;
	if (failure->error == -EOPNOTSUPP) {
		if (verdict->unsupported++ == 0)
			verdict->first_unsupported = failure;
	} else if (failure->error) {
		if (verdict->failed++ == 0)
			verdict->first_failed = failure;
	}
}

/** Why the change cannot be made with these targets; NULL where it can. */
static const struct isst_failure *find_objection(const struct verdict *verdict,
						 enum target_policy targets)
{
	bool none_left = verdict->targets > 0 &&
			 verdict->unsupported + verdict->failed == verdict->targets;

	if (verdict->first_failed && (targets != ISST_SKIP_FAILED || none_left))
		return verdict->first_failed;
	if (verdict->first_unsupported && (targets == ISST_ALL_TARGETS || none_left))
		return verdict->first_unsupported;
	return NULL;
}

/** The first objection is kept: isst_change_run() refuses with it. */
static void conclude_plan(struct isst_change *change, const struct verdict *verdict)
{
	const struct isst_failure *objection = find_objection(verdict, change->options.targets);

	if (objection && !change->objection.error)
		change->objection = *objection;
	if (!objection && verdict->unsupported + verdict->failed > 0)
		change->left_out = true;
}

/** What failed as a whole may have left half of its steps: the change is not to be made. */
static int conclude_failure(struct isst_change *change, int error)
{
	/* Nothing else fails without a message, and the last one is not about this. */
	if (error == -ENOMEM)
		message_error(&change->context->messages, error, "out of memory");
	if (!change->objection.error)
		change->objection = (struct isst_failure){
			.error = error,
			.message = isst_error(change->context),
		};
	return error;
}

int plan_conclude(struct isst_change *change, const struct domain_request *requests, size_t count,
		  int error)
{
	struct verdict verdict = { 0 };
	bool only_io = true;

	if (error)
		return conclude_failure(change, error);
	for (size_t i = 0; i < count; i++)
		only_io &= isst_domain_is_io(requests[i].domain);
	for (size_t i = 0; i < count; i++)
		if (only_io || !isst_domain_is_io(requests[i].domain))
			note_target(&verdict, &requests[i].failure);
	conclude_plan(change, &verdict);
	return 0;
}

int change_plan_level(struct isst_change *change, struct domain_request *requests, size_t count,
		      unsigned int level, bool online)
{
	return plan_conclude(change, requests, count,
			     plan_level(change, requests, count, level, online));
}

int change_plan_turbo_ratio_limits(struct isst_change *change, struct domain_request *requests,
				   size_t count, uint64_t limits)
{
	return plan_conclude(change, requests, count,
			     plan_turbo_ratio_limits(change, requests, count, limits));
}

int plan_conclude_cpus(struct isst_change *change, const struct cpu_request *requests, size_t count,
		       int error)
{
	struct verdict verdict = { 0 };

	if (error)
		return conclude_failure(change, error);
	for (size_t i = 0; i < count; i++)
		note_target(&verdict, &requests[i].failure);
	conclude_plan(change, &verdict);
	return 0;
}

int change_plan_turbo_mode(struct isst_change *change, struct cpu_request *requests, size_t count,
			   bool enable)
{
	return plan_conclude_cpus(change, requests, count,
				  plan_turbo_mode(change, requests, count, enable));
}

void change_plan_without(struct isst_change *change, const struct isst_failure *failure,
			 bool others)
{
	struct verdict verdict = { .targets = others ? 1 : 0 };
	const struct isst_failure kept = {
		.error = failure->error,
		.message = message_make(&change->context->messages, "%s", failure->message),
	};

	note_target(&verdict, &kept);
	conclude_plan(change, &verdict);
}

int change_plan_all_online(struct isst_change *change)
{
	int error = plan_all_online(change);

	return error ? conclude_failure(change, error) : 0;
}
