/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings of CPUs in use: read and compared, domain by domain. */
#include "base/cpuset.h"
#include "common/memory_stream.h"
#include "configuration/write.h"
#include "features/cpus_change.h"
#include "state/compare.h"
#include "topology/context.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum cpus_wanted cpus_wanted_of(const struct setting *setting)
{
	switch (setting->wanted) {
	case WANTED_OF_LEVEL:
		return CPUS_BY_LEVEL;
	case WANTED_ISOLATED:
		return CPUS_ISOLATED;
	case WANTED_ALL_ONLINE:
		return CPUS_ONLINE;
	default:
		return CPUS_OFFLINE;
	}
}

const struct setting *cpus_find_everywhere(const struct wanted *wanted)
{
	const struct place anywhere = { UINT_MAX, UINT_MAX, UINT_MAX, INDEX_ALL };
	const struct setting *setting = configuration_find(wanted->configuration, SUBJECT_CPUS,
							   &anywhere);

	return setting && !wanted->targets.limited && setting->wanted != WANTED_UNMANAGED ? setting
											  : NULL;
}

int cpus_find_unreachable(const struct isst_context *context, const struct setting *setting,
			  struct isst_cpuset **cpus)
{
	unsigned int cpu;
	int error;

	*cpus = isst_cpuset_new();
	error = *cpus ? 0 : -ENOMEM;
	isst_cpuset_for_each (cpu, isst_present_cpus(context))
		if (!error && topology_is_unreachable(context->topology, cpu) &&
		    !(setting->wanted == WANTED_OFFLINE && isst_cpuset_has(setting->cpus, cpu)))
			error = isst_cpuset_add(*cpus, cpu, cpu);
	return error;
}

bool cpus_want_package(const struct wanted *wanted, unsigned int package)
{
	const struct setting *setting = wanted->cpus_everywhere;
	const struct topology *topology = wanted->context->topology;

	for (size_t i = 0; i < topology->unreachable_count && setting; i++)
		if (topology->unreachable[i].package == package &&
		    !(setting->wanted == WANTED_OFFLINE &&
		      isst_cpuset_has(setting->cpus, topology->unreachable[i].number)))
			return true;
	return false;
}

/* ---- What a machine has ---- */

/** `online`, or `offline 4-7, isolated 8`. To be freed. Returns 0 or -ENOMEM. */
static int cpus_describe(const struct cpus_state *state, char **text)
{
	bool offline = isst_cpuset_count(state->offline) > 0;
	bool unknown = isst_cpuset_count(state->unknown) > 0;
	bool isolated = isst_cpuset_count(state->isolated) > 0;
	bool foreign = isst_cpuset_count(state->foreign) > 0;
	struct memory_stream memory;
	int error = memory_stream_open(&memory);

	if (error)
		return error;
	if (offline)
		error = cpuset_write(memory.stream, "offline ", state->offline);
	if (!error && isolated)
		error = cpuset_write(memory.stream, offline ? ", isolated " : "isolated ",
				     state->isolated);
	if (!error && state->has_partition && !isolated)
		fputs(offline ? ", a partition without isolation" : "a partition without isolation",
		      memory.stream);
	else if (!offline && !isolated)
		fputs("online", memory.stream);
	if (!error && foreign)
		error = cpuset_write(memory.stream, ", isolated by another program ",
				     state->foreign);
	if (!error && unknown)
		error = cpuset_write(memory.stream, ", not seen since boot ", state->unknown);
	*text = memory_stream_text(&memory);
	return error || !*text ? -ENOMEM : 0;
}

/** Domains whose CPUs one setting may describe. */
struct cpus_group {
	struct isst_context *context;
	const struct cpus_state *states;
	size_t count;
	bool whole; /* of the machine */
};

/** Whether a setting holds for all CPUs of a group. What is stated of isolation does not include
 * which CPUs are offline: it needs a partition. */
static bool all_are(const struct cpus_group *group, const struct setting *setting)
{
	bool isolated = setting->wanted != WANTED_ISOLATED;

	for (size_t i = 0; i < group->count; i++) {
		isolated |= group->states[i].has_partition;
		if (!cpus_state_is(&group->states[i], cpus_wanted_of(setting), setting->cpus))
			return false;
	}
	return isolated;
}

/** Whether a setting holds for CPUs that are no domain's as well. */
static bool holds_everywhere(const struct cpus_group *group, const struct setting *setting)
{
	const struct isst_context *context = group->context;
	unsigned int cpu;

	if (!group->whole || setting->wanted == WANTED_OFFLINE)
		return true;
	if (setting->wanted == WANTED_ALL_ONLINE)
		return isst_cpuset_is_equal(isst_present_cpus(context), isst_online_cpus(context));
	isst_cpuset_for_each (cpu, isst_present_cpus(context))
		if (topology_is_unreachable(context->topology, cpu))
			return false;
	return true;
}

/** The setting that describes a group exactly, by the level if possible, or unmanaged. */
static int describe_group(const struct cpus_group *group, struct setting *setting)
{
	static const enum wanted_kind WANTED[] = { WANTED_ALL_ONLINE, WANTED_OF_LEVEL,
						   WANTED_ISOLATED, WANTED_OFFLINE };

	for (size_t i = 0; i < sizeof(WANTED) / sizeof(WANTED[0]); i++) {
		int error = 0;

		setting->wanted = WANTED[i];
		if (WANTED[i] == WANTED_OFFLINE) {
			setting->cpus = isst_cpuset_new();
			error = setting->cpus ? 0 : -ENOMEM;
			for (size_t j = 0; j < group->count && !error; j++)
				error = isst_cpuset_add_set(setting->cpus,
							    group->states[j].offline);
			/* Of the whole machine, wherever they are. */
			if (group->whole && !error)
				error = cpuset_add_except(setting->cpus,
							  isst_present_cpus(group->context),
							  isst_online_cpus(group->context));
		}
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

/** Whether the CPUs of a setting depend on a level that is stated for the group. */
static bool is_of_other_level(const struct configuration *configuration,
			      const struct cpus_group *group, const struct setting *setting)
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
static bool is_in(const struct configuration *except, const struct cpus_group *group,
		  const struct setting *setting)
{
	for (size_t i = 0; i < group->count; i++) {
		const struct setting *other = except ? domain_setting(
							       group->context, except, SUBJECT_CPUS,
							       group->states[i].domain, INDEX_ALL)
						     : NULL;

		if (!other || other->wanted != setting->wanted ||
		    !isst_cpuset_is_equal(other->cpus, setting->cpus))
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

/** No statement describes a domain: who reads the state has to know that it is incomplete. */
static int note_unmanaged(struct isst_context *context, const struct cpus_state *state)
{
	char *text;
	int error = cpus_describe(state, &text);

	if (error)
		return error;
	message_notice(&context->messages, of_domain(state->domain),
		       "%s: no statement describes its CPUs (%s): the state leaves them unmanaged",
		       state->domain->name, text);
	free(text);
	return 0;
}

/** Adds the setting of a group; where there is none for all of it, those of its parts. */
static int add_group(struct configuration *configuration, const struct cpus_group *group,
		     enum reach reach, struct origin origin, const struct configuration *except)
{
	struct setting setting = { .subject = SUBJECT_CPUS, .index = INDEX_ALL, .origin = origin };
	int error = describe_group(group, &setting);

	if (!error && setting.wanted == WANTED_UNMANAGED && reach < OF_DOMAIN) {
		struct cpus_group part = { .context = group->context };

		for (size_t i = 0; i < group->count && !error; i += part.count) {
			part.states = &group->states[i];
			part.count = 1;
			while (reach == OF_MACHINE && i + part.count < group->count &&
			       part.states[part.count].domain->package ==
				       part.states->domain->package)
				part.count++;
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

int cpus_add_state(struct wanted *wanted, struct configuration *configuration, struct origin origin,
		   const struct configuration *except)
{
	struct isst_context *context = wanted->context;
	struct facts *facts = &wanted->facts;
	struct cpus_state *states = calloc(facts->count + 1, sizeof(*states));
	struct cpus_group all = { .context = context, .states = states, .whole = true };
	int error = states ? 0 : -ENOMEM;

	facts_for_each_domain (domain, facts) {
		domain->counts = !isst_domain_is_io(domain->domain) && domain->is_target;
		if (!error && domain->counts)
			states[all.count++] = (struct cpus_state){ .domain = domain->domain,
								   .level = &domain->level };
	}
	if (!error)
		error = facts_complete(facts, ISST_LEVELS_PROPERTIES);
	if (!error && all.count > 0)
		error = cpus_state_read(context, states, all.count);
	for (size_t i = 0; i < all.count && !error; i++)
		if (states[i].failure.error)
			error = configuration_problem(configuration, origin, "%s",
						      states[i].failure.message) == -ENOMEM
					? -ENOMEM
					: -EIO;
	if (!error)
		error = add_group(configuration, &all, OF_MACHINE, origin, except);
	for (size_t i = 0; i < all.count && states; i++)
		cpus_state_clear(&states[i]);
	free(states);
	return error;
}

/** What a setting states of the CPUs of a domain, by its level those that are offline; NULL: of
 * those that are no domain's. To be freed. */
static int wanted_text(const struct setting *setting, const struct cpus_state *state, char **text)
{
	bool by_level = setting->wanted == WANTED_OF_LEVEL && state &&
			isst_cpuset_count(state->disabled) > 0;
	struct setting own = *setting;
	char *stated, *list;
	int error;

	if (by_level) {
		error = setting_value_text(setting, &stated);
		list = error ? NULL : isst_cpuset_to_list(state->disabled);
		if (!list || asprintf(text, "%s (offline %s)", stated, list) < 0)
			*text = NULL;
		if (!error)
			free(stated);
		free(list);
		return error ? error : *text ? 0 : -ENOMEM;
	}
	if (setting->wanted != WANTED_OFFLINE)
		return setting_value_text(setting, text);
	own.cpus = isst_cpuset_new();
	own.named[LIST_CPUS] = NULL;
	error = cpuset_add_common(own.cpus, state ? state->domain->present : NULL, setting->cpus);
	if (isst_cpuset_count(own.cpus) == 0)
		own.wanted = WANTED_ALL_ONLINE;
	if (!error)
		error = setting_value_text(&own, text);
	isst_cpuset_free(own.cpus);
	return error;
}

static int add_difference(const struct setting *setting, const struct cpus_state *state,
			  struct differences *differences)
{
	struct isst_config_difference difference = { .origin = setting->origin,
						     .subject = strlen(state->domain->name) +
								strlen(": "),
						     .domain = state->domain,
						     .cpus = isst_cpuset_new() };
	int error = difference.cpus ? cpus_describe(state, &difference.present) : -ENOMEM;

	if (!error)
		error = wanted_text(setting, state, &difference.wanted);
	if (!error)
		error = cpus_state_add(state, CPUS_DIFFERENT, cpus_wanted_of(setting),
				       setting->cpus, difference.cpus);
	if (!error && asprintf(&difference.target, "%s: CPUs", state->domain->name) < 0) {
		difference.target = NULL;
		error = -ENOMEM;
	}
	if (error) {
		difference_clear(&difference);
		return error;
	}
	return differences_add(differences, &difference);
}

/** CPUs that are no domain's. */
static int add_of_none(const struct setting *setting, const struct isst_cpuset *cpus,
		       const char *present, struct differences *differences)
{
	struct isst_config_difference difference = { .origin = setting->origin,
						     .target = name_numbers("CPU", cpus),
						     .present = strdup(present),
						     .cpus = isst_cpuset_new() };
	int error = difference.cpus ? wanted_text(setting, NULL, &difference.wanted) : -ENOMEM;

	if (!error)
		error = isst_cpuset_add_set(difference.cpus, cpus);
	if (!error)
		return differences_add(differences, &difference);
	difference_clear(&difference);
	return error;
}

/** CPUs of unknown domains: one difference, by the first setting that wants them online. */
static int compare_unknown(const struct wanted *wanted, const struct cpus_state *states,
			   size_t count, struct differences *differences)
{
	const struct setting *setting = NULL;
	struct isst_cpuset *cpus = isst_cpuset_new();
	int error = cpus ? 0 : -ENOMEM;

	for (size_t i = 0; i < count && !error && !setting; i++) {
		const struct setting *own = wanted_cpus(wanted, states[i].domain);

		error = cpus_state_add(&states[i], CPUS_UNKNOWN, cpus_wanted_of(own), own->cpus,
				       cpus);
		if (isst_cpuset_count(cpus) > 0)
			setting = own;
	}
	if (!error && setting)
		error = add_of_none(setting, cpus,
				    isst_cpuset_count(cpus) == 1 ? "offline, of an unknown package"
								 : "offline, of unknown packages",
				    differences);
	isst_cpuset_free(cpus);
	return error;
}

static int compare_state(struct wanted *wanted, const struct cpus_state *state,
			 struct differences *differences)
{
	struct cpus_state known = *state;
	const struct setting *setting = wanted_cpus(wanted, state->domain);
	const struct isst_failure *failure = &state->failure;
	enum cpus_wanted cpus = cpus_wanted_of(setting);

	if (!failure->error && (cpus == CPUS_BY_LEVEL || cpus == CPUS_ISOLATED))
		failure = &state->level_failure;
	if (failure->error)
		return wanted_fails(wanted, setting, NULL, failure);
	known.unknown = NULL;
	if (cpus_state_is(&known, cpus, setting->cpus))
		return 0;
	/* As planning has it: without partitions none can be isolated. */
	if (cpus == CPUS_ISOLATED && isst_cpuset_count(state->disabled) > 0) {
		int error = cpus_probe_partitions(wanted->context);

		if (error == -EOPNOTSUPP)
			return wanted_reject(wanted, setting, NULL, error, "%s",
					     isst_error(wanted->context));
		if (error == -ENOMEM)
			return error;
	}
	return add_difference(setting, &known, differences);
}

/** CPUs that count as stated, though they are offline, are named. */
static int note_without_smt(struct wanted *wanted, const struct cpus_state *states, size_t count)
{
	struct isst_cpuset *cpus = isst_cpuset_new();
	int error = cpus ? 0 : -ENOMEM;

	for (size_t i = 0; i < count && !error; i++) {
		const struct setting *setting = wanted_cpus(wanted, states[i].domain);

		error = cpus_state_add(&states[i], CPUS_WITHOUT_SMT, cpus_wanted_of(setting),
				       setting->cpus, cpus);
	}
	if (!error && isst_cpuset_count(cpus) > 0)
		message_notice(&wanted->context->messages, of_cpus(NULL, cpus),
			       "%s %s offline because SMT is off (" SMT_CONTROL
			       "), and not counted as a difference",
			       message_numbers(&wanted->context->messages, "CPU", cpus),
			       isst_cpuset_count(cpus) == 1 ? "is" : "are");
	isst_cpuset_free(cpus);
	return error;
}

int cpus_compare(struct wanted *wanted, struct differences *differences)
{
	const struct setting *everywhere = wanted->cpus_everywhere;
	struct cpus_state *states = calloc(wanted->facts.count + 1, sizeof(*states));
	struct isst_cpuset *unreachable = NULL;
	size_t count = 0;
	bool levels = false;
	int error = states ? 0 : -ENOMEM;

	facts_for_each_domain (domain, &wanted->facts) {
		const struct setting *setting = wanted_cpus(wanted, domain->domain);

		domain->counts = setting;
		if (error || !setting)
			continue;
		states[count++] = (struct cpus_state){ .domain = domain->domain,
						       .level = &domain->level };
		levels |= setting->wanted == WANTED_OF_LEVEL || setting->wanted == WANTED_ISOLATED;
	}
	if (!error && levels)
		error = facts_complete(&wanted->facts, ISST_LEVELS_PROPERTIES);
	if (!error && count > 0)
		error = cpus_state_read(wanted->context, states, count);
	for (size_t i = 0; i < count && !error; i++)
		error = compare_state(wanted, &states[i], differences);
	if (!error)
		error = compare_unknown(wanted, states, count, differences);
	if (!error)
		error = note_without_smt(wanted, states, count);
	if (!error && everywhere)
		error = cpus_find_unreachable(wanted->context, everywhere, &unreachable);
	if (!error && everywhere && isst_cpuset_count(unreachable) > 0)
		error = add_of_none(everywhere, unreachable, "offline", differences);
	isst_cpuset_free(unreachable);
	for (size_t i = 0; i < count && states; i++)
		cpus_state_clear(&states[i]);
	free(states);
	return error;
}
