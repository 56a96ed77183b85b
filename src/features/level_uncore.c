/* SPDX-License-Identifier: BSD-3-Clause */
/* The uncore limits of a level. */
#include "features/level_change.h"
#include "features/uncore_limits.h"
#include "topology/context.h"
#include "transaction/report.h"
#include "transaction/steps.h"

#include <errno.h>

enum { FAMILY_DIAMOND_RAPIDS = 19 };

static void plan_uncore_limit(struct level_change *work, const struct isst_domain *domain,
			      enum item_kind kind, unsigned int cluster, uint64_t khz)
{
	step_set(change_step(work->change, kind), item_of(kind, domain, cluster), WHOLE_VALUE, khz);
}

static uint64_t khz_of(const struct isst_value *mhz)
{
	return mhz->state == ISST_KNOWN ? mhz->value * UINT64_C(1000) : 0;
}

static void warn_of_uncore(struct isst_change *change, const struct isst_domain *domain,
			   const struct uncore_place *place, const char *why)
{
	if (place->of_domain)
		change_warn(change, ISST_WARNING_UNCORE_LIMITS_KEPT,
			    "%s: uncore limits of fabric %u are left unchanged: %s", domain->name,
			    place->cluster, why);
	else
		change_warn(change, ISST_WARNING_UNCORE_LIMITS_KEPT,
			    "%s: uncore limits are left unchanged: %s", domain->name, why);
}

/**
 * What the limits become, where a level may specify only one of them: the kernel does not compare
 * the two. Returns false where they would cross.
 */
static bool complete_uncore(struct frequency_limits *wanted, const struct frequency_limits *present)
{
	if (!wanted->max_khz)
		wanted->max_khz = present->max_khz;
	if (!wanted->min_khz)
		wanted->min_khz = present->min_khz < wanted->max_khz ? present->min_khz
								     : wanted->max_khz;
	return wanted->min_khz <= wanted->max_khz;
}

/**
 * Raising begins with the maximum, lowering with the minimum, so that the two never cross. A limit
 * that the level does not specify, and that need not follow the other one, is the firmware's.
 */
static void plan_uncore_limits(struct level_change *work, const struct isst_domain *domain,
			       unsigned int cluster, const struct frequency_limits *reported,
			       const struct frequency_limits *wanted,
			       const struct frequency_limits *present)
{
	bool raise = wanted->max_khz >= present->max_khz;

	if (raise && reported->max_khz)
		plan_uncore_limit(work, domain, ITEM_UNCORE_MAX, cluster, wanted->max_khz);
	if (reported->min_khz || wanted->min_khz != present->min_khz)
		plan_uncore_limit(work, domain, ITEM_UNCORE_MIN, cluster, wanted->min_khz);
	if (!raise && reported->max_khz)
		plan_uncore_limit(work, domain, ITEM_UNCORE_MAX, cluster, wanted->max_khz);
}

/**
 * Limits that are not there, or that would cross, are left out with a warning; those that cannot be
 * read fail the change.
 */
static int plan_fabric(struct level_change *work, const struct isst_domain *domain,
		       const struct isst_fabric *fabric, unsigned int cluster)
{
	const struct uncore_place place = uncore_place_of(work->change->context, domain, cluster);
	const struct frequency_limits reported = { khz_of(&fabric->min_mhz),
						   khz_of(&fabric->max_mhz) };
	struct frequency_limits wanted = reported, present;
	int error;

	if (!reported.min_khz && !reported.max_khz)
		return 0;
	error = uncore_limits_project(work->change, domain, cluster, &present);
	if (error == -ENOENT) {
		warn_of_uncore(work->change, domain, &place,
			       uncore_why_none(work->change->context, &place));
		return 0;
	}
	if (error)
		return error;
	if (complete_uncore(&wanted, &present))
		plan_uncore_limits(work, domain, cluster, &reported, &wanted, &present);
	else
		warn_of_uncore(work->change, domain, &place,
			       message_make(&work->change->texts,
					    "the minimum of level %u, %llu MHz, is above the "
					    "maximum of %llu MHz",
					    work->level, (unsigned long long)wanted.min_khz / 1000,
					    (unsigned long long)wanted.max_khz / 1000));
	return 0;
}

int level_plan_uncore(struct level_change *work, size_t i)
{
	const struct isst_level *level = &work->current.domains[i].level;
	int error = 0;

	if (work->change->context->platform.family == FAMILY_DIAMOND_RAPIDS)
		return 0;
	for (unsigned int fabric = 0; fabric < ISST_FABRICS && !error; fabric++)
		error = plan_fabric(work, work->requests[i].domain, &level->fabric[fabric], fabric);
	return error;
}
