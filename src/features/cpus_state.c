/* SPDX-License-Identifier: BSD-3-Clause */
/* Which CPUs of domains are offline, unknown or isolated, by which groups, and whether SMT is off;
 * compared with what they may be asked to be. */
#include "base/cpuset.h"
#include "features/cpus_change.h"
#include "features/snapshot.h"
#include "sysfs/partition.h"
#include "sysfs/system.h"
#include "topology/context.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool cpus_is_unknown(const struct isst_context *context, unsigned int cpu)
{
	return !context_cpu(context, cpu) && !isst_cpuset_has(isst_online_cpus(context), cpu) &&
	       !topology_is_unreachable(context->topology, cpu);
}

int hotplug_find_smt_off(struct isst_context *context, char **smt)
{
	int error;

	*smt = NULL;
	if (isst_cpuset_count(isst_present_cpus(context)) ==
	    isst_cpuset_count(isst_online_cpus(context)))
		return 0;
	error = hotplug_smt_control(&context->files, smt);
	if (error) {
		/* Without the file, or its text, the kernel's answer to the write decides. */
		*smt = NULL;
		return error == -ENOMEM ? error : 0;
	}
	if (!hotplug_smt_is_off(*smt)) {
		free(*smt);
		*smt = NULL;
	}
	return 0;
}

bool hotplug_goes_with_smt(const struct isst_context *context, unsigned int number)
{
	const struct isst_cpu *cpu = context_cpu(context, number);

	return !cpu || cpu->thread > 0;
}

/** Whether a group is a partition of CPUs of the domain alone. Returns 0 or -ENOMEM. */
static int classify_group(const struct isst_domain *domain, const char *state, enum group *group)
{
	const char *list = partition_cpus(state);
	struct isst_cpuset *cpus;
	unsigned int cpu;
	int error;

	*group = strcmp(state, "absent") == 0 ? GROUP_ABSENT : GROUP_OTHER;
	if (!list)
		return 0;
	cpus = isst_cpuset_new();
	error = cpus ? 0 : -ENOMEM;
	if (!error && *list != '\0')
		error = isst_cpuset_add_list(cpus, list, NULL);
	*group = error ? GROUP_OTHER_PARTITION : GROUP_PARTITION;
	isst_cpuset_for_each (cpu, cpus)
		if (!isst_cpuset_has(domain->present, cpu))
			*group = GROUP_OTHER_PARTITION;
	isst_cpuset_free(cpus);
	return error == -ENOMEM ? error : 0;
}

int group_find(struct isst_context *context, const struct isst_domain *domain, enum group *group,
	       char **state)
{
	struct item item = item_of(ITEM_PARTITION, domain, 0);
	char *name = item_partition_name(&item);
	int error;

	*group = GROUP_ABSENT;
	*state = NULL;
	if (!name)
		return -ENOMEM;
	error = partition_read(&context->files, name, state);
	free(name);
	if (!error) {
		error = classify_group(domain, *state, group);
		if (!error)
			return 0;
		free(*state);
		*group = GROUP_ABSENT;
	}
	*state = NULL;
	return error;
}

/* ---- Reading ---- */

enum { SETS = 6 };

static struct isst_cpuset **set_of(struct cpus_state *state, size_t i)
{
	struct isst_cpuset **const sets[SETS] = { &state->offline,  &state->unknown,
						  &state->isolated, &state->foreign,
						  &state->disabled, &state->without_smt };

	return sets[i];
}

void cpus_state_clear(struct cpus_state *state)
{
	for (size_t i = 0; i < SETS; i++)
		isst_cpuset_free(*set_of(state, i));
	*state = (struct cpus_state){ .domain = state->domain };
}

/** Offline CPUs, and those of them that are so while SMT is off: also where it is known that those
 * that were not seen are second threads, of whichever domain. */
static int find_offline(struct isst_context *context, bool smt_off, struct cpus_state *state)
{
	const struct isst_domain *domain = state->domain;
	unsigned int cpu;
	int error = 0;

	/* Mostly all are online, and each domain asks. */
	if (isst_cpuset_is_equal(isst_present_cpus(context), isst_online_cpus(context)))
		return 0;
	isst_cpuset_for_each (cpu, isst_present_cpus(context)) {
		bool own;

		if (error || isst_cpuset_has(isst_online_cpus(context), cpu))
			continue;
		own = isst_cpuset_has(domain->present, cpu);
		if (!own && !cpus_is_unknown(context, cpu))
			continue;
		if (own || !domain->cpus_known)
			error = isst_cpuset_add(own ? state->offline : state->unknown, cpu, cpu);
		if (!error && smt_off && hotplug_goes_with_smt(context, cpu))
			error = isst_cpuset_add(state->without_smt, cpu, cpu);
	}
	return error;
}

/** The domain's partition; on a system without cpusets there is none. */
static int find_isolated(struct isst_context *context, struct cpus_state *state)
{
	enum group group;
	char *text;
	int error = group_find(context, state->domain, &group, &text);

	state->has_partition = group == GROUP_PARTITION;
	if (state->has_partition && !strstr(text, " invalid"))
		error = isst_cpuset_add_list(state->isolated, partition_cpus(text), NULL);
	free(text);
	if (!error || error == -EOPNOTSUPP || error == -ENOMEM)
		return error == -ENOMEM ? error : 0;
	message_failure(&context->messages, &state->failure, of_domain(state->domain), error,
			"%s: %s", state->domain->name, isst_error(context));
	return 0;
}

/** What the level of a domain does not enable. */
static int find_disabled(struct cpus_state *state)
{
	static const struct isst_failure NOT_READ = { .error = -ENODATA,
						      .message = "the level was not read" };
	const struct isst_level *level = state->level;

	state->level_failure = level ? level->failure : NOT_READ;
	if (!level || state->failure.error || !level->cpus)
		return 0;
	/* One of which something else could not be read may have CPUs. */
	state->level_failure = (struct isst_failure){ 0 };
	return cpuset_add_except(state->disabled, state->domain->present, level->cpus);
}

static int read_state(struct isst_context *context, bool smt_off,
		      const struct isst_cpuset *partitioned, struct cpus_state *state)
{
	struct isst_cpuset *own = isst_cpuset_new();
	int error = own ? 0 : -ENOMEM, can;

	for (size_t i = 0; i < SETS; i++) {
		*set_of(state, i) = isst_cpuset_new();
		error = *set_of(state, i) ? error : -ENOMEM;
	}
	if (!error)
		error = find_offline(context, smt_off, state);
	if (!error)
		error = find_isolated(context, state);
	/* What is isolated, and not in the domain's partition. */
	if (!error)
		error = cpuset_add_common(own, state->domain->present, partitioned);
	if (!error)
		error = cpuset_add_except(state->foreign, own, state->isolated);
	isst_cpuset_free(own);
	if (error || !isst_cpuset_has(state->domain->present, 0))
		return error;
	can = hotplug_can_go_offline(&context->files, 0);
	state->cpu0_stays = can == 0;
	return can < 0 ? can : 0;
}

int cpus_state_read(struct isst_context *context, struct cpus_state *states, size_t count)
{
	const char *before = message_begin(&context->messages);
	struct isst_cpuset *partitioned = isst_cpuset_new();
	char *smt = NULL;
	int error = context_check_discovered(context), unread = 0;

	if (!error)
		error = hotplug_find_smt_off(context, &smt);
	if (!error)
		error = partitioned ? 0 : -ENOMEM;
	if (!error)
		unread = cpu_lists_partitioned(&context->files, partitioned);
	if (unread == -ENOMEM)
		error = unread;
	for (size_t i = 0; i < count && !error; i++) {
		if (!context_accepts_domain(context, states[i].domain, &states[i].failure))
			continue;
		error = read_state(context, smt, partitioned, &states[i]);
		if (unread && !error && !states[i].failure.error)
			message_failure(&context->messages, &states[i].failure, of_machine(),
					unread, "%s", isst_error(context));
	}
	isst_cpuset_free(partitioned);
	free(smt);
	for (size_t i = 0; i < count && !error; i++)
		error = find_disabled(&states[i]);
	return message_end(&context->messages, before, error);
}

/* ---- Comparing ---- */

/** Whether a CPU of the domain is not to be in use. */
static bool is_left_out(const struct cpus_state *state, enum cpus_wanted wanted,
			const struct isst_cpuset *offline, unsigned int cpu)
{
	switch (wanted) {
	case CPUS_BY_LEVEL:
	case CPUS_ISOLATED:
		return isst_cpuset_has(state->disabled, cpu);
	case CPUS_OFFLINE:
		return isst_cpuset_has(offline, cpu);
	case CPUS_ONLINE:
		break;
	}
	return false;
}

/** Whether a CPU is isolated rather than offline, as it is left out. */
static bool is_isolated(const struct cpus_state *state, enum cpus_wanted wanted,
			const struct isst_cpuset *offline, unsigned int cpu)
{
	return is_left_out(state, wanted, offline, cpu) &&
	       (wanted == CPUS_ISOLATED || (cpu == 0 && state->cpu0_stays));
}

/** Whether a CPU of the domain is as it is to be. */
static bool cpu_is(const struct cpus_state *state, enum cpus_wanted wanted,
		   const struct isst_cpuset *offline, unsigned int cpu)
{
	bool isolated = is_isolated(state, wanted, offline, cpu);
	bool online = isolated || !is_left_out(state, wanted, offline, cpu);
	/* The kernel keeps these offline. */
	bool free = isst_cpuset_has(state->without_smt, cpu);

	if (online && !isolated && isst_cpuset_has(state->foreign, cpu))
		return false;
	return isst_cpuset_has(state->isolated, cpu) == isolated &&
	       (free || isst_cpuset_has(state->offline, cpu) != online);
}

/** CPUs of which nothing is known are brought online to see where they are. */
static bool unknown_differs(const struct cpus_state *state, enum cpus_wanted wanted,
			    const struct isst_cpuset *offline, unsigned int cpu)
{
	return wanted != CPUS_ISOLATED && !isst_cpuset_has(state->without_smt, cpu) &&
	       !(wanted == CPUS_OFFLINE && isst_cpuset_has(offline, cpu));
}

bool cpus_state_is(const struct cpus_state *state, enum cpus_wanted wanted,
		   const struct isst_cpuset *offline)
{
	bool of_level = wanted == CPUS_BY_LEVEL || wanted == CPUS_ISOLATED;
	bool any_isolated = false;
	unsigned int cpu;

	if (state->failure.error || (of_level && state->level_failure.error))
		return false;
	isst_cpuset_for_each (cpu, state->domain->present) {
		if (!cpu_is(state, wanted, offline, cpu))
			return false;
		any_isolated |= is_isolated(state, wanted, offline, cpu);
	}
	isst_cpuset_for_each (cpu, state->unknown)
		if (unknown_differs(state, wanted, offline, cpu))
			return false;
	return state->has_partition == any_isolated;
}

int cpus_state_add(const struct cpus_state *state, enum cpus_part part, enum cpus_wanted wanted,
		   const struct isst_cpuset *offline, struct isst_cpuset *cpus)
{
	const struct isst_cpuset *const of[] = { state->domain->present, state->unknown,
						 state->without_smt };
	unsigned int cpu;
	int error = 0;

	isst_cpuset_for_each (cpu, of[part])
		if (!error && (part == CPUS_DIFFERENT ? !cpu_is(state, wanted, offline, cpu)
			       : part == CPUS_UNKNOWN ? unknown_differs(state, wanted, offline, cpu)
						      : !is_left_out(state, wanted, offline, cpu)))
			error = isst_cpuset_add(cpus, cpu, cpu);
	return error;
}
