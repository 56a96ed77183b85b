/* SPDX-License-Identifier: BSD-3-Clause */
/* Where each CPU is, as far as it was seen, and a checksum of that. */
#include "state/cpu_places.h"
#include "common/hash.h"
#include "state/facts.h"
#include "topology/cache.h"
#include "topology/context.h"

#include <errno.h>

/** Where a CPU is, as checksums have it. */
struct cpu_place {
	unsigned int package, power_domain, core;
};

static bool find_remembered(const struct isst_context *context, unsigned int number,
			    struct cpu_place *place)
{
	const struct topology *topology = context->topology;

	for (size_t i = 0; i < topology->unreachable_count; i++) {
		const struct cached_cpu *cpu = &topology->unreachable[i];

		if (cpu->number != number)
			continue;
		*place = (struct cpu_place){ cpu->package,
					     context_has_power_domains(context) ? cpu->domain
										: cpu->die,
					     cpu->core };
		return true;
	}
	return false;
}

static bool find_place(const struct isst_context *context, unsigned int number,
		       struct cpu_place *place)
{
	const struct isst_cpu *cpu = context_cpu(context, number);

	if (!cpu)
		return find_remembered(context, number, place);
	*place = (struct cpu_place){ cpu->domain->package, domain_number(context, cpu->domain),
				     cpu->core };
	return cpu->core_known;
}

bool cpu_places_checksum(const struct isst_context *context, const struct isst_cpuset *cpus,
			 uint64_t *checksum)
{
	uint64_t hash = HASH_START;
	unsigned int number;

	isst_cpuset_for_each (number, cpus) {
		struct cpu_place place;

		if (!find_place(context, number, &place))
			return false;
		hash = hash_number(hash, number, sizeof(uint32_t));
		hash = hash_number(hash, place.package, sizeof(uint32_t));
		hash = hash_number(hash, place.power_domain, sizeof(uint32_t));
		hash = hash_number(hash, place.core, sizeof(uint32_t));
	}
	*checksum = hash;
	return true;
}

struct isst_cpuset *cpu_places_known(const struct isst_context *context)
{
	struct isst_cpuset *known = isst_cpuset_new();
	struct cpu_place place;
	unsigned int number;
	int error = known ? 0 : -ENOMEM;

	isst_cpuset_for_each (number, isst_present_cpus(context))
		if (!error && find_place(context, number, &place))
			error = isst_cpuset_add(known, number, number);
	if (!error)
		return known;
	isst_cpuset_free(known);
	return NULL;
}

struct isst_cpuset *cpu_places_unknown(const struct isst_context *context,
				       const struct isst_cpuset *cpus)
{
	struct isst_cpuset *unknown = isst_cpuset_new();
	struct cpu_place place;
	unsigned int number;
	int error = unknown ? 0 : -ENOMEM;

	isst_cpuset_for_each (number, cpus)
		if (!error && isst_cpuset_has(isst_present_cpus(context), number) &&
		    !find_place(context, number, &place))
			error = isst_cpuset_add(unknown, number, number);
	if (!error)
		return unknown;
	isst_cpuset_free(unknown);
	return NULL;
}
