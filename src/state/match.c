/* SPDX-License-Identifier: BSD-3-Clause */
/* Conditions of a configuration, and what a machine is. */
#include "state/match.h"
#include "base/array.h"
#include "base/hash.h"
#include "state/facts.h"
#include "topology/cache.h"
#include "topology/context.h"

#include <errno.h>
#include <inttypes.h>

/** Where a CPU is, as checksums have it. */
struct cpu_place {
	unsigned int package, power_domain, core;
};

/** CPUs of which no run has seen where they are: they were offline ever since boot. */
static bool has_unknown_cpus(const struct isst_context *context)
{
	const struct topology *topology = context->topology;

	return isst_cpuset_count(topology->present) >
	       topology->cpu_count + topology->unreachable_count;
}

/** Packages of which CPUs are online, or are remembered while all of them are offline. */
static uint64_t count_packages(const struct isst_context *context)
{
	const struct topology *topology = context->topology;
	uint64_t count = 0;

	for (size_t i = 0; i < isst_domain_count(context); i++)
		if (i == 0 ||
		    context_domain(context, i)->package != context_domain(context, i - 1)->package)
			count++;
	for (size_t i = 0; i < topology->unreachable_count; i++) {
		unsigned int package = topology->unreachable[i].package;
		bool counted = false;

		for (size_t j = 0; j < isst_domain_count(context); j++)
			counted |= context_domain(context, j)->package == package;
		for (size_t j = 0; j < i; j++)
			counted |= topology->unreachable[j].package == package;
		count += !counted;
	}
	return count;
}

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

/** A checksum of where each CPU is: package, power domain and core. 0 where that is not known of
 * all of them: one that was never online may be anywhere. */
static uint64_t topology_checksum(const struct isst_context *context)
{
	uint64_t hash = HASH_START;
	unsigned int number;

	isst_cpuset_for_each (number, isst_present_cpus(context)) {
		struct cpu_place place;
		uint32_t words[4] = { number };

		if (!find_place(context, number, &place))
			return 0;
		words[1] = place.package;
		words[2] = place.power_domain;
		words[3] = place.core;
		hash = hash_bytes(hash, words, sizeof(words));
	}
	return hash;
}

static uint64_t machine_number(const struct isst_context *context, enum match_kind kind)
{
	switch (kind) {
	case MATCH_FAMILY:
		return context->platform.family;
	case MATCH_MODEL:
		return context->platform.model;
	case MATCH_PACKAGES:
		return count_packages(context);
	case MATCH_CPUS:
		return isst_cpuset_count(isst_present_cpus(context));
	default:
		return topology_checksum(context);
	}
}

static int note_mismatch(struct configuration *configuration, const struct match *match,
			 uint64_t number)
{
	static const char *const NAMES[MATCH_KINDS] = {
		[MATCH_FAMILY] = "CPU family",
		[MATCH_MODEL] = "CPU model",
		[MATCH_PACKAGES] = "number of packages",
		[MATCH_CPUS] = "number of CPUs",
	};
	int error;

	if (match->kind == MATCH_TOPOLOGY)
		error = configuration_problem(
			configuration, match->origin,
			"this is another machine: its CPUs are on other packages, power domains or "
			"cores");
	else
		error = configuration_problem(
			configuration, match->origin,
			match->kind == MATCH_MODEL ? "this is another machine: its %s is 0x%" PRIx64
						   : "this is another machine: its %s is %" PRIu64,
			NAMES[match->kind], number);
	return error == -ENOMEM ? error : 0;
}

/** Whether the machine may have a number that a condition states: what is not known makes no other
 * machine of it. */
static bool may_be(const struct isst_context *context, const struct match *match, uint64_t number)
{
	if (number == match->number)
		return true;
	if (match->kind == MATCH_TOPOLOGY)
		return number == 0 || match->number == 0;
	return match->kind == MATCH_PACKAGES && number < match->number && has_unknown_cpus(context);
}

int configuration_match(struct configuration *configuration, const struct isst_context *context)
{
	bool skipped = false, refused = false;
	int error = 0;

	for (size_t i = 0; i < configuration->match_count && !error; i++) {
		const struct match *match = &configuration->matches[i];
		uint64_t number = machine_number(context, match->kind);

		if (may_be(context, match, number))
			continue;
		skipped |= match->otherwise_skip;
		refused |= !match->otherwise_skip;
		if (!match->otherwise_skip)
			error = note_mismatch(configuration, match, number);
	}
	if (error)
		return error;
	/* Who states `else skip` expects other machines, also those that other lines refuse. */
	return skipped ? ISST_CONFIG_SKIPPED : refused ? -EOPNOTSUPP : 0;
}

int configuration_add_machine(struct configuration *configuration,
			      const struct isst_context *context, struct origin origin)
{
	static const enum match_kind KINDS[] = { MATCH_FAMILY, MATCH_MODEL, MATCH_CPUS,
						 MATCH_TOPOLOGY };

	size_t first = configuration->match_count;

	/* Not the packages: those that were never online are not counted. */
	for (size_t i = 0; i < sizeof(KINDS) / sizeof(KINDS[0]); i++) {
		if (ARRAY_GROW(configuration->matches, configuration->match_count))
			return -ENOMEM;
		configuration->matches[configuration->match_count++] =
			(struct match){ .kind = KINDS[i],
					.number = machine_number(context, KINDS[i]),
					.origin = origin,
					.statement = first };
	}
	return 0;
}
