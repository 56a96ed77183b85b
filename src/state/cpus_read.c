/* SPDX-License-Identifier: BSD-3-Clause */
/* CPUs in use as the fewest settings that describe them: for the machine, packages or domains. */
#include "base/cpuset.h"
#include "state/cpus.h"
#include "topology/context.h"

#include <errno.h>
#include <stdlib.h>

/** Domains whose CPUs one setting may describe. */
struct group {
	struct isst_context *context;
	const struct cpus_state *states;
	size_t count;
	bool whole; /* of the machine */
};

static bool all_are(const struct group *group, const struct setting *setting)
{
	for (size_t i = 0; i < group->count; i++)
		if (!cpus_state_is(&group->states[i], cpus_wanted_of(setting), setting->cpus))
			return false;
	return true;
}

/** All CPUs of the group that are offline; of the whole machine, wherever they are. */
static int add_offline(const struct group *group, struct setting *setting)
{
	int error = 0;

	setting->cpus = isst_cpuset_new();
	if (!setting->cpus)
		return -ENOMEM;
	for (size_t i = 0; i < group->count && !error; i++)
		error = isst_cpuset_add_set(setting->cpus, group->states[i].offline);
	if (group->whole && !error)
		error = cpuset_add_except(setting->cpus, isst_present_cpus(group->context),
					  isst_online_cpus(group->context));
	return error;
}

/** Whether a setting holds for CPUs that are no domain's as well. */
static bool holds_everywhere(const struct group *group, const struct setting *setting)
{
	const struct isst_context *context = group->context;
	unsigned int cpu;

	if (!group->whole || setting->wanted == WANTED_OFFLINE)
		return true;
	if (setting->wanted == WANTED_ALL_ONLINE)
		return cpuset_is_equal(isst_present_cpus(context), isst_online_cpus(context));
	isst_cpuset_for_each (cpu, isst_present_cpus(context))
		if (topology_is_unreachable(context->topology, cpu))
			return false;
	return true;
}

static bool has_partition(const struct group *group)
{
	for (size_t i = 0; i < group->count; i++)
		if (group->states[i].has_partition)
			return true;
	return false;
}

/** The setting that describes a group exactly, and by the level where that fits; unmanaged: there
 * is none. */
static int describe_group(const struct group *group, struct setting *setting)
{
	static const enum wanted_kind WANTED[] = { WANTED_ALL_ONLINE, WANTED_OF_LEVEL,
						   WANTED_ISOLATED, WANTED_OFFLINE };

	for (size_t i = 0; i < sizeof(WANTED) / sizeof(WANTED[0]); i++) {
		int error;

		/* What is stated of isolation does not include which CPUs are offline. */
		if (WANTED[i] == WANTED_ISOLATED && !has_partition(group))
			continue;
		setting->wanted = WANTED[i];
		error = setting->wanted == WANTED_OFFLINE ? add_offline(group, setting) : 0;
		if (error)
			return error;
		if (all_are(group, setting) && holds_everywhere(group, setting))
			return 0;
	}
	isst_cpuset_free(setting->cpus);
	setting->cpus = NULL;
	setting->wanted = WANTED_UNMANAGED;
	return 0;
}

/** Whether the CPUs of a setting depend on the level, and that is another one than elsewhere: it is
 * stated then. */
static bool is_of_other_level(const struct configuration *configuration, const struct group *group,
			      const struct setting *setting)
{
	bool other = false;

	if (setting->wanted != WANTED_OF_LEVEL && setting->wanted != WANTED_ISOLATED)
		return false;
	for (size_t i = 0; i < group->count; i++)
		other |= domain_setting(group->context, configuration, SUBJECT_LEVEL,
					group->states[i].domain, INDEX_ALL) != NULL;
	return other;
}

/** Whether a setting is the one that another configuration has there. */
static bool is_in(const struct configuration *except, const struct group *group,
		  const struct setting *setting)
{
	for (size_t i = 0; i < group->count; i++) {
		const struct setting *other = except ? domain_setting(
							       group->context, except, SUBJECT_CPUS,
							       group->states[i].domain, INDEX_ALL)
						     : NULL;

		if (!other || other->wanted != setting->wanted ||
		    !cpuset_is_equal(other->cpus, setting->cpus))
			return false;
	}
	return true;
}

static int add_number(struct isst_cpuset **set, unsigned int number)
{
	*set = isst_cpuset_new();
	return *set ? isst_cpuset_add(*set, number, number) : -ENOMEM;
}

/** How far a setting reaches. */
enum reach { OF_MACHINE, OF_PACKAGE, OF_DOMAIN };

static size_t group_size(const struct cpus_state *states, size_t count, enum reach reach)
{
	size_t size = 0;

	while (size < count &&
	       (size == 0 || reach == OF_MACHINE ||
		(reach == OF_PACKAGE && states[size].domain->package == states->domain->package)))
		size++;
	return size;
}

/** No statement describes a domain: who reads the state has to know that it is incomplete. */
static int note_unmanaged(struct isst_context *context, const struct cpus_state *state)
{
	char *text;
	int error = cpus_describe(state, &text);

	if (error)
		return error;
	message_notice(&context->messages,
		       "%s: no statement describes its CPUs (%s): the state leaves them unmanaged",
		       state->domain->name, text);
	free(text);
	return 0;
}

/** Adds the setting of a group; where there is none for all of it, those of its parts. */
static int add_group(struct configuration *configuration, const struct group *group,
		     enum reach reach, struct origin origin, const struct configuration *except)
{
	struct setting setting = { .subject = SUBJECT_CPUS, .index = INDEX_ALL, .origin = origin };
	int error = describe_group(group, &setting);

	if (!error && setting.wanted == WANTED_UNMANAGED && reach < OF_DOMAIN) {
		struct group part = { .context = group->context };

		for (size_t i = 0; i < group->count && !error; i += part.count) {
			part.states = &group->states[i];
			part.count = group_size(part.states, group->count - i, reach + 1);
			error = add_group(configuration, &part, reach + 1, origin, except);
		}
		return error;
	}
	if (!error && setting.wanted == WANTED_UNMANAGED)
		error = note_unmanaged(group->context, group->states);
	if (!error && reach > OF_MACHINE)
		error = add_number(&setting.scope.packages, group->states->domain->package);
	if (!error && reach == OF_DOMAIN)
		error = add_number(&setting.scope.power_domains,
				   domain_number(group->context, group->states->domain));
	if (!error &&
	    (!is_in(except, group, &setting) || is_of_other_level(configuration, group, &setting)))
		error = configuration_add(configuration, &setting);
	else
		setting_clear(&setting);
	return error;
}

static int note_failures(struct configuration *configuration, const struct cpus_state *states,
			 size_t count, struct origin origin)
{
	int error = 0;

	for (size_t i = 0; i < count && !error; i++)
		if (states[i].failure.error)
			error = configuration_problem(configuration, origin, "%s",
						      states[i].failure.message) == -ENOMEM
					? -ENOMEM
					: -EIO;
	return error;
}

int cpus_add_state(struct configuration *configuration, struct isst_context *context,
		   struct origin origin, const struct configuration *except)
{
	size_t domains = isst_domain_count(context);
	struct cpus_state *states = calloc(domains + 1, sizeof(*states));
	struct group all = { .context = context, .states = states, .whole = true };
	int error = states ? 0 : -ENOMEM;

	for (size_t i = 0; i < domains && !error; i++)
		if (!isst_domain_is_io(context_domain(context, i)))
			states[all.count++].domain = context_domain(context, i);
	if (!error && all.count > 0)
		error = cpus_state_read(context, states, all.count, true);
	if (!error)
		error = note_failures(configuration, states, all.count, origin);
	if (!error)
		error = add_group(configuration, &all, OF_MACHINE, origin, except);
	for (size_t i = 0; i < all.count && states; i++)
		cpus_state_clear(&states[i]);
	free(states);
	return error;
}
