/* SPDX-License-Identifier: BSD-3-Clause */
/* Frequencies of settings, where these are words. */
#include "features/features.h"
#include "state/resolve.h"
#include "sysfs/cpufreq.h"
#include "topology/context.h"

#include <errno.h>

enum { MHZ_PER_RATIO = 100 };

/** The facts of a domain with CPUs: its own, or those of the first one of its package. */
static const struct domain_facts *with_cpus(const struct wanted *wanted,
					    const struct domain_facts *domain)
{
	if (domain->domain->has_cpu)
		return domain;
	for (size_t i = 0; i < wanted->facts.count; i++)
		if (wanted->facts.domains[i].domain->package == domain->domain->package &&
		    wanted->facts.domains[i].domain->has_cpu)
			return &wanted->facts.domains[i];
	return domain;
}

struct isst_value wanted_of_level(const struct isst_level *level, enum wanted_kind wanted)
{
	struct isst_value base = level->base_mhz;

	if (wanted == WANTED_TURBO)
		return level->limit[0].mhz[0];
	/* Firmware that specifies none has the ratio of the thermal design power, as `perf-profile
	 * info` shows it. */
	if (base.state == ISST_KNOWN && base.value == 0)
		base.state = ISST_ABSENT;
	if (base.state == ISST_ABSENT && level->tdp_ratio.state == ISST_KNOWN)
		base = (struct isst_value){ ISST_KNOWN, level->tdp_ratio.value * MHZ_PER_RATIO };
	return base;
}

/** A level of which something could not be read is not known to lack the frequency. */
static int level_frequency(struct resolution *resolution, const struct domain_facts *domain,
			   const struct wish *wish, uint64_t *khz)
{
	const struct isst_value value = wanted_of_level(&domain->specified, wish->wanted);
	const struct isst_failure *failure = &domain->specified.failure;
	int error;

	*khz = value.value * UINT64_C(1000);
	if (value.state == ISST_KNOWN && value.value > 0)
		return 0;
	if (value.state != ISST_KNOWN && failure->error && !error_is_absence(failure->error))
		error = wanted_fails(resolution->wanted, wish->setting, domain->domain, failure);
	else
		error = wanted_reject(resolution->wanted, wish->setting, domain->domain,
				      -EOPNOTSUPP, "level %u specifies no %s frequency",
				      domain->level,
				      wish->wanted == WANTED_BASE ? "base" : "turbo");
	return error ? error : -ENODATA;
}

static int lowest_frequency(struct resolution *resolution, const struct domain_facts *domain,
			    const struct wish *wish, uint64_t *khz)
{
	struct isst_context *context = resolution->context;
	int error = domain->domain->has_cpu ? cpufreq_read(&context->files, domain->domain->cpu,
							   "cpuinfo_min_freq", khz)
					    : -ENOENT;

	if (!error || error == -ENOMEM)
		return error;
	if (error == -ENOENT)
		error = wanted_reject(resolution->wanted, wish->setting, domain->domain,
				      -EOPNOTSUPP,
				      "the kernel shows no lowest frequency (cpuinfo_min_freq)");
	else
		error = wanted_reject(resolution->wanted, wish->setting, domain->domain, error,
				      "%s", isst_error(context));
	return error ? error : -ENODATA;
}

int resolve_frequency(struct resolution *resolution, const struct domain_facts *domain,
		      const struct wish *wish, uint64_t *khz)
{
	const struct domain_facts *cores = with_cpus(resolution->wanted, domain);

	switch (wish->wanted) {
	case WANTED_BASE:
	case WANTED_TURBO:
		return level_frequency(resolution, cores, wish, khz);
	case WANTED_LOWEST:
		return lowest_frequency(resolution, cores, wish, khz);
	default:
		*khz = wish->number;
		return 0;
	}
}

bool wanted_is_end_of_range(const struct wanted_item *item)
{
	return (item->item.kind == ITEM_SCALING_MIN && item->bits == LIMIT_HIGHEST) ||
	       (item->item.kind == ITEM_SCALING_MAX && item->bits == LIMIT_LOWEST);
}
