/* SPDX-License-Identifier: BSD-3-Clause */
/* Conditions of a configuration, and what a machine is. */
#include "base/array.h"
#include "base/cpuset.h"
#include "common/hash.h"
#include "isst-config.h"
#include "isst.h"
#include "state/facts.h"
#include "state/read.h"
#include "topology/context.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

/* ---- Places of CPUs ---- */

/** Where a CPU is, as checksums have it. */
struct cpu_place {
	unsigned int package, power_domain, core;
};

/** @place is that of a CPU which is a domain's, or which is remembered while all of its package or
 * die are offline. Returns whether it is known. */
static bool find_place(const struct isst_context *context, unsigned int number,
		       struct cpu_place *place)
{
	const struct isst_cpu *cpu = context_cpu(context, number);
	const struct topology *topology = context->topology;

	for (size_t i = 0; i < topology->unreachable_count && !cpu; i++) {
		const struct cached_cpu *cached = &topology->unreachable[i];

		if (cached->number != number)
			continue;
		*place = (struct cpu_place){ cached->package,
					     context_has_power_domains(context) ? cached->domain
										: cached->die,
					     cached->core };
		return true;
	}
	if (!cpu)
		return false;
	*place = (struct cpu_place){ cpu->domain->package, domain_number(context, cpu->domain),
				     cpu->core };
	return cpu->core_known;
}

/** A checksum of where CPUs are. Returns whether that is known of all of them. */
static bool cpu_places_checksum(const struct isst_context *context, const struct isst_cpuset *cpus,
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

/** The present CPUs of a set of which it is @known where they are. NULL without memory. */
static struct isst_cpuset *find_places(const struct isst_context *context,
				       const struct isst_cpuset *cpus, bool known)
{
	struct isst_cpuset *found = isst_cpuset_new();
	struct cpu_place place;
	unsigned int number;
	int error = found ? 0 : -ENOMEM;

	isst_cpuset_for_each (number, cpus)
		if (!error && isst_cpuset_has(isst_present_cpus(context), number) &&
		    find_place(context, number, &place) == known)
			error = isst_cpuset_add(found, number, number);
	if (!error)
		return found;
	isst_cpuset_free(found);
	return NULL;
}

/* ---- Matching ---- */

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

/** Of all kinds but MATCH_TOPOLOGY. */
static uint64_t machine_number(const struct isst_context *context, enum match_kind kind)
{
	switch (kind) {
	case MATCH_FAMILY:
		return context->platform.family;
	case MATCH_MODEL:
		return context->platform.model;
	case MATCH_PACKAGES:
		return count_packages(context);
	default:
		return isst_cpuset_count(isst_present_cpus(context));
	}
}

/** Whether CPUs are where a condition has them, or may be: CPUs that were not seen may be where
 * they were, and that they are accepted is reported. Returns 0 or 1, or -ENOMEM. */
static int is_same_topology(struct isst_context *context, const struct match *match)
{
	const struct isst_cpuset *cpus = match->cpus ? match->cpus : isst_present_cpus(context);
	struct isst_cpuset *unknown;
	uint64_t checksum;

	if (cpu_places_checksum(context, cpus, &checksum))
		return checksum == match->number;
	if (!cpuset_contains(isst_present_cpus(context), cpus))
		return 0;
	unknown = find_places(context, cpus, false);
	if (!unknown)
		return -ENOMEM;
	message_notice(&context->messages, of_cpus(NULL, unknown),
		       "it cannot be verified that the configuration is for this machine: the core "
		       "of %s is not known",
		       message_numbers(&context->messages, "CPU", unknown));
	isst_cpuset_free(unknown);
	return 1;
}

/** Whether the machine is as a condition states, or may be: what is not known makes no other
 * machine of it, nor does what cannot be compared, as nothing but the processor is discovered.
 * Returns 0 or 1, or -ENOMEM. */
static int is_met(struct isst_context *context, const struct match *match, uint64_t *number)
{
	const struct topology *topology = context->topology;

	if (match->kind == MATCH_STATE ||
	    (!topology && match->kind != MATCH_FAMILY && match->kind != MATCH_MODEL))
		return 1;
	if (match->kind == MATCH_TOPOLOGY)
		return is_same_topology(context, match);
	*number = machine_number(context, match->kind);
	/* No run has seen where CPUs are that were offline ever since boot. */
	return *number == match->number ||
	       (match->kind == MATCH_PACKAGES && *number < match->number &&
		isst_cpuset_count(topology->present) >
			topology->cpu_count + topology->unreachable_count);
}

int configuration_match(struct configuration *configuration, struct isst_context *context)
{
	static const char *const NAMES[MATCH_KINDS] = {
		[MATCH_FAMILY] = "CPU family",
		[MATCH_MODEL] = "CPU model",
		[MATCH_PACKAGES] = "number of packages",
		[MATCH_CPUS] = "number of CPUs",
	};
	bool skipped = false, refused = false;
	int error = 0;

	for (size_t i = 0; i < configuration->match_count && error != -ENOMEM; i++) {
		const struct match *match = &configuration->matches[i];
		uint64_t number = 0;
		int met = is_met(context, match, &number);

		if (met < 0)
			return met;
		skipped |= !met && match->otherwise_skip;
		refused |= !met && !match->otherwise_skip;
		if (met || match->otherwise_skip)
			continue;
		if (match->kind == MATCH_TOPOLOGY)
			error = configuration_problem(
				configuration, match->origin,
				"this is another machine: its CPUs are on other packages, power "
				"domains or cores; without this line it is for other machines, too");
		else
			error = configuration_problem(
				configuration, match->origin,
				match->kind == MATCH_MODEL
					? "this is another machine: its %s is 0x%" PRIx64
					: "this is another machine: its %s is %" PRIu64,
				NAMES[match->kind], number);
	}
	if (error == -ENOMEM)
		return error;
	/* Who states `else skip` expects other machines, also those that other lines refuse. */
	return skipped ? ISST_CONFIG_SKIPPED : refused ? -EOPNOTSUPP : 0;
}

static int add_match(struct configuration *configuration, const struct match *match)
{
	if (ARRAY_GROW(configuration->matches, configuration->match_count))
		return -ENOMEM;
	configuration->matches[configuration->match_count++] = *match;
	return 0;
}

/** Makes a condition that of these CPUs, which it takes. */
static void set_topology(struct match *match, const struct isst_context *context,
			 struct isst_cpuset *known)
{
	cpu_places_checksum(context, known, &match->number);
	isst_cpuset_free(match->cpus);
	match->cpus = known;
	if (!isst_cpuset_is_equal(known, isst_present_cpus(context)))
		return;
	match->cpus = NULL;
	isst_cpuset_free(known);
}

/** Adds where CPUs are, as far as it is known. Returns 0, -EINVAL with a problem or -ENOMEM. */
static int add_topology(struct configuration *configuration, const struct isst_context *context,
			struct match *match)
{
	struct isst_cpuset *known = find_places(context, isst_present_cpus(context), true);
	int error;

	if (!known)
		return -ENOMEM;
	if (isst_cpuset_count(known) == 0) {
		isst_cpuset_free(known);
		return configuration_problem(
			configuration, match->origin,
			"the core of no CPU is known: a saved state could not be recognized as one "
			"of this machine");
	}
	set_topology(match, context, known);
	error = add_match(configuration, match);
	if (error)
		isst_cpuset_free(match->cpus);
	return error;
}

int configuration_add_machine(struct configuration *configuration,
			      const struct isst_context *context, struct origin origin)
{
	static const enum match_kind KINDS[] = { MATCH_FAMILY, MATCH_MODEL, MATCH_CPUS };
	struct match match = { .statement = configuration->match_count, .origin = origin };
	int error = 0;

	/* Not the packages: those that were never online are not counted. */
	for (size_t i = 0; i < sizeof(KINDS) / sizeof(KINDS[0]) && !error; i++) {
		match.kind = KINDS[i];
		match.number = machine_number(context, KINDS[i]);
		error = add_match(configuration, &match);
	}
	match.kind = MATCH_TOPOLOGY;
	if (!error)
		error = add_topology(configuration, context, &match);
	if (error == -EINVAL)
		error = 0;
	match = (struct match){ .kind = MATCH_STATE,
				.statement = match.statement,
				.origin = origin,
				.unedited = true };
	return error ? error : add_match(configuration, &match);
}

/** The condition of some CPUs, not all; NULL: there is none. */
static struct match *find_partial(const struct configuration *configuration)
{
	for (size_t i = 0; i < configuration->match_count; i++)
		if (configuration->matches[i].kind == MATCH_TOPOLOGY &&
		    configuration->matches[i].cpus)
			return &configuration->matches[i];
	return NULL;
}

int configuration_find_seen(const struct configuration *configuration,
			    const struct isst_context *context, const struct isst_cpuset **before,
			    struct isst_cpuset **seen)
{
	const struct match *match = find_partial(configuration);
	struct isst_cpuset *known;
	int error;

	*before = match ? match->cpus : NULL;
	*seen = NULL;
	if (!match)
		return 0;
	known = find_places(context, isst_present_cpus(context), true);
	*seen = isst_cpuset_new();
	error = known ? cpuset_add_except(*seen, known, match->cpus) : -ENOMEM;
	isst_cpuset_free(known);
	return error;
}

int configuration_note_seen(struct configuration *configuration, const struct isst_context *context)
{
	struct match *match = find_partial(configuration);
	struct isst_cpuset *known = match ? find_places(context, isst_present_cpus(context), true)
					  : NULL;

	if (!match)
		return 0;
	if (!known)
		return -ENOMEM;
	set_topology(match, context, known);
	return 0;
}
