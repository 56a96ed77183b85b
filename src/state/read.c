/* SPDX-License-Identifier: BSD-3-Clause */
/* The present state of a machine as settings: one for all of what most domains have in common, and
 * settings for the others. */
#include "state/read.h"
#include "base/array.h"
#include "state/compare.h"
#include "state/wanted.h"
#include "sysfs/cpufreq.h"
#include "topology/context.h"
#include "transaction/baseline.h"
#include "transaction/tracked.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

/* ---- What goes without saying ---- */

/** A value that was read. */
struct state_value {
	const struct wanted_item *item;
	struct setting setting; /* what it means; without sets */
	bool left_out;
	bool added;
};

struct state {
	struct isst_context *context;
	struct configuration *configuration; /* that is filled in */
	struct origin origin;
	struct wanted wanted;
	struct state_value *values;
	size_t count;
	bool owned[2]; /* a limit of cpufreq is another owner's: by enum cpufreq_limit */
};

/** Whether two settings have the same value, wherever they are for. */
static bool state_value_is_same(const struct setting *one, const struct setting *other)
{
	return one->wanted == other->wanted && one->number == other->number;
}

/** States limits that are those of the level, or of the hardware, as that, rather than as numbers
 * that another level would not have. */
static void name_own_limit(const struct state *state, struct state_value *value)
{
	const struct wanted_item *item = value->item;
	struct setting *setting = &value->setting;
	const struct domain_snapshot *facts;

	if (item->subject == SUBJECT_UNCORE_MIN || item->subject == SUBJECT_UNCORE_MAX) {
		if (item->setting->wanted == WANTED_NONE && setting->number == item->bits)
			*setting = (struct setting){ .subject = setting->subject,
						     .index = setting->index,
						     .wanted = WANTED_NONE };
	} else if (item->subject == SUBJECT_TURBO_RATIO_LIMITS &&
		   setting->wanted == WANTED_NUMBER) {
		facts = facts_of_limits(&state->wanted.facts,
					wanted_facts(&state->wanted, item->domain));
		if (setting->number == facts->level_limits)
			*setting = (struct setting){ .subject = setting->subject,
						     .index = setting->index,
						     .wanted = WANTED_OF_LEVEL };
	}
}

/** What a setting brings about elsewhere: what is left out beside it would not stay as it was. */
static const struct {
	enum subject cause, effect;
} EFFECTS[] = {
	{ SUBJECT_LEVEL, SUBJECT_TURBO_FREQ },
	{ SUBJECT_LEVEL, SUBJECT_BASE_FREQ },
	{ SUBJECT_LEVEL, SUBJECT_TURBO_RATIO_LIMITS },
	{ SUBJECT_TURBO_FREQ, SUBJECT_TURBO_RATIO_LIMITS },
	{ SUBJECT_LEVEL, SUBJECT_UNCORE_MIN },
	{ SUBJECT_LEVEL, SUBJECT_UNCORE_MAX },
	{ SUBJECT_CORE_POWER, SUBJECT_CLOS_ENABLE },
	/* A lower limit that stays may be above it. */
	{ SUBJECT_SCALING_MAX, SUBJECT_SCALING_MIN },
	{ SUBJECT_UNCORE_MAX, SUBJECT_UNCORE_MIN },
};

enum { EFFECT_COUNT = sizeof(EFFECTS) / sizeof(EFFECTS[0]) };

/** What of a state is not left out. */
struct kept {
	unsigned int *causes;	      /* that each domain has: a bit for each of EFFECTS */
	struct state_value **of_item; /* the value of each wanted item */
};

static bool is_effect(const struct state *state, const struct kept *kept,
		      const struct state_value *value)
{
	const struct wanted_item *effect = value->item, *item;
	const struct facts *facts = &state->wanted.facts;
	struct item counterpart;

	/* That a feature is disabled is what a change of the level leaves, too. */
	if ((effect->subject == SUBJECT_TURBO_FREQ || effect->subject == SUBJECT_BASE_FREQ) &&
	    value->setting.number == 0)
		return false;
	for (size_t i = 0; i < EFFECT_COUNT; i++) {
		enum subject cause = EFFECTS[i].cause;

		if (EFFECTS[i].effect != effect->subject)
			continue;
		/* The limit that goes with one. */
		if (cause == SUBJECT_SCALING_MAX || cause == SUBJECT_UNCORE_MAX) {
			item = item_counterpart(&effect->item, &counterpart)
				       ? wanted_find_item(&state->wanted, &counterpart, cause, 0)
				       : NULL;
			value = item ? kept->of_item[item - state->wanted.items] : NULL;
			if (value && !value->left_out)
				return true;
			continue;
		}
		/* Power domains share the register of turbo ratio limits. */
		facts_for_each_domain (target, facts) {
			const struct isst_domain *domain = target->domain;

			if ((domain == effect->domain ||
			     (effect->subject == SUBJECT_TURBO_RATIO_LIMITS &&
			      domain->package == effect->domain->package)) &&
			    kept->causes[domain->index] >> i & 1)
				return true;
		}
	}
	return false;
}

/** Includes again what is an effect of something that is not left out. */
static int keep_effects(struct state *state)
{
	struct kept kept = {
		.causes = calloc(state->wanted.facts.count + 1, sizeof(*kept.causes)),
		.of_item = calloc(state->wanted.count + 1, sizeof(struct state_value *)),
	};
	int error = kept.causes && kept.of_item ? 0 : -ENOMEM;

	for (size_t i = 0; i < state->count && !error; i++) {
		struct state_value *value = &state->values[i];

		kept.of_item[value->item - state->wanted.items] = value;
		for (size_t j = 0; j < EFFECT_COUNT && !value->left_out; j++)
			if (EFFECTS[j].cause == value->item->subject)
				kept.causes[value->item->domain->index] |= 1U << j;
	}
	for (size_t i = 0; i < state->count && !error; i++)
		if (state->values[i].left_out)
			state->values[i].left_out = !is_effect(state, &kept, &state->values[i]);
	free(kept.causes);
	free(kept.of_item);
	return error;
}

/** Leaves out what a configuration states, unless what stays would change it. */
static int state_leave_out(struct state *state, struct configuration *except)
{
	struct wanted wanted = { .context = state->context, .configuration = except };
	int error = wanted_find(&wanted, true);

	/* What it means there is not known. */
	for (size_t i = 0; i < wanted.left_out_count && !error; i++)
		error = configuration_problem(state->configuration, state->origin, "%s",
					      wanted.left_out[i]);
	/* Should it be an effect it is stated all the same. */
	for (size_t i = 0; i < state->count && !error; i++) {
		struct state_value *value = &state->values[i];
		const struct wanted_item *item = wanted_find_item(&wanted, &value->item->item,
								  value->item->subject, 0);
		struct setting setting = { 0 };

		if (item && !item->implied) {
			wanted_value_to_setting(item, item->bits, &setting);
			value->left_out = state_value_is_same(&setting, &value->setting);
		}
		name_own_limit(state, value);
	}
	wanted_clear(&wanted);
	return error ? error : keep_effects(state);
}

/* ---- Reading everything ---- */

/** What is asked of all subjects that items have, for machines that have such a thing. Levels are
 * read as they are. */
static const struct setting EVERYTHING[] = {
	{ .subject = SUBJECT_TURBO_FREQ, .wanted = WANTED_NUMBER },
	{ .subject = SUBJECT_BASE_FREQ, .wanted = WANTED_NUMBER },
	{ .subject = SUBJECT_CORE_POWER, .wanted = WANTED_NUMBER },
	{ .subject = SUBJECT_PRIORITY, .wanted = WANTED_NUMBER, .number = ISST_PRIORITY_ORDERED },
	{ .subject = SUBJECT_CLOS_ENABLE, .wanted = WANTED_NUMBER },
	{ .subject = SUBJECT_CLOS_MIN, .wanted = WANTED_KHZ },
	{ .subject = SUBJECT_CLOS_MAX, .wanted = WANTED_NONE },
	{ .subject = SUBJECT_CLOS_DESIRED, .wanted = WANTED_KHZ },
	{ .subject = SUBJECT_CLOS_EPP, .wanted = WANTED_NUMBER },
	{ .subject = SUBJECT_CLOS_WEIGHT, .wanted = WANTED_NUMBER },
	{ .subject = SUBJECT_ASSOCIATION, .wanted = WANTED_NUMBER },
	{ .subject = SUBJECT_TURBO_RATIO_LIMITS, .wanted = WANTED_NONE },
	{ .subject = SUBJECT_SCALING_MIN, .wanted = WANTED_NONE },
	{ .subject = SUBJECT_SCALING_MAX, .wanted = WANTED_NONE },
	{ .subject = SUBJECT_UNCORE_MIN, .wanted = WANTED_NONE },
	{ .subject = SUBJECT_UNCORE_MAX, .wanted = WANTED_NONE },
};

/* ---- Reading ---- */

/** Without a module of the driver the state is incomplete. */
static int add_levels(struct state *state)
{
	struct wanted *wanted = &state->wanted;
	int error = 0;

	for (size_t i = 0; i < wanted->facts.count && error != -ENOMEM; i++) {
		const struct domain_snapshot *facts = &wanted->facts.domains[i];

		if (!facts->is_target)
			continue;
		if (!facts->profile.failure.error)
			error = wanted_add(wanted,
					   &(struct wanted_item){
						   .item = item_of(ITEM_LEVEL, facts->domain, 0),
						   .mask = UINT64_MAX,
						   .bits = facts->profile.current_level,
						   .subject = SUBJECT_LEVEL,
						   .domain = facts->domain });
		else if (facts->profile.failure.error == -ENODEV)
			error = configuration_problem(state->configuration, state->origin, "%s",
						      facts->profile.failure.message);
	}
	return error == -ENOMEM ? error : 0;
}

/** Whether the machine has an item that cannot be read. */
static bool is_unread(const struct baseline_item *read)
{
	return !read->value_known && read->failure.error && read->failure.error != -EOPNOTSUPP;
}

/** Makes a problem of an item that cannot be read: the first one of its kind in the domain. */
static int note_unread(struct state *state, const struct wanted_item *item,
		       const struct baseline *baseline)
{
	const struct baseline_item *read = baseline_find(baseline, &item->item);
	int error;

	if (!is_unread(read))
		return 0;
	for (const struct wanted_item *other = state->wanted.items; other < item; other++)
		if (other->domain == item->domain && other->item.kind == item->item.kind &&
		    is_unread(baseline_find(baseline, &other->item)))
			return 0;
	error = configuration_problem(state->configuration, state->origin, "%s",
				      read->failure.message);
	return error == -ENOMEM ? error : 0;
}

static int add_value(struct state *state, const struct wanted_item *item, uint64_t value)
{
	struct state_value *added;

	if (ARRAY_GROW(state->values, state->count))
		return -ENOMEM;
	added = &state->values[state->count++];
	*added = (struct state_value){ .item = item };
	added->setting.subject = item->subject;
	added->setting.index = item->subject >= SUBJECT_CLOS_MIN &&
					       item->subject <= SUBJECT_CLOS_WEIGHT
				       ? item->item.index
				       : INDEX_ALL;
	if (item->subject == SUBJECT_UNCORE_MIN || item->subject == SUBJECT_UNCORE_MAX)
		added->setting.index = item->item.index;
	wanted_value_to_setting(item, value, &added->setting);
	return 0;
}

/** A limit of another owner counts as none. The first one of its kind is reported. */
static int leave_to_owner(struct state *state, const struct item *item, uint64_t *value)
{
	struct isst_context *context = state->context;
	enum cpufreq_limit limit;
	char *owners = NULL;
	int error;

	if (!item_is_limit(item) || *value == cpufreq_no_limit(item_limit(item)))
		return 0;
	limit = item_limit(item);
	error = cpufreq_limit_owners_of(&context->files, item->index, limit, *value, &owners);
	if (error == -ENOENT)
		error = 0;
	if (error && error != -ENOMEM)
		error = configuration_problem(state->configuration, state->origin, "%s",
					      message_why(&context->messages, error));
	if (error == -ENOMEM || !owners)
		return error == -ENOMEM ? error : 0;
	if (!state->owned[limit])
		message_notice(&context->messages, of_cpu(NULL, item->index),
			       "CPU %u: %s %" PRIu64 " kHz is the limit of another owner (%s): "
			       "it is stated as none, here and where others are alike",
			       item->index,
			       limit == CPUFREQ_MAX ? "scaling_max_freq" : "scaling_min_freq",
			       *value, owners);
	state->owned[limit] = true;
	free(owners);
	*value = cpufreq_no_limit(limit);
	return 0;
}

static int read_values(struct state *state)
{
	struct wanted *wanted = &state->wanted;
	struct baseline baseline = { 0 };
	int error = 0;

	for (size_t i = 0; i < wanted->count && !error; i++)
		if (wanted->items[i].subject != SUBJECT_LEVEL)
			error = baseline_add(&baseline, &wanted->items[i].item, true);
	if (!error)
		error = baseline_read(&baseline, state->context, false);
	for (size_t i = 0; i < wanted->count && !error; i++) {
		const struct wanted_item *item = &wanted->items[i];
		const struct baseline_item *read;
		uint64_t value;

		if (item->subject == SUBJECT_LEVEL) {
			error = add_value(state, item, item->bits);
			continue;
		}
		read = baseline_find(&baseline, &item->item);
		/* Registers and files of 0 stand for nothing that could be set. */
		if (read->value_known && read->value.number == 0 &&
		    (item->subject == SUBJECT_TURBO_RATIO_LIMITS ||
		     item->subject == SUBJECT_UNCORE_MIN || item->subject == SUBJECT_UNCORE_MAX))
			continue;
		value = read->value.number;
		if (!read->value_known) {
			error = note_unread(state, item, &baseline);
		} else if (item_value_is_plausible(&item->item, read->value)) {
			error = leave_to_owner(state, &item->item, &value);
			if (!error)
				error = add_value(state, item, value);
		} else if (configuration_problem(state->configuration, state->origin,
						 "%s: CLOS %u does not exist",
						 item_describe(state->context, &item->item),
						 (unsigned int)value) == -ENOMEM) {
			/* The register of a core may hold it: no file can state that. */
			error = -ENOMEM;
		}
	}
	baseline_clear(&baseline);
	return error;
}

/** Problems of what was asked for, and of domains that a change would leave out, are problems of
 * the state; what can be read is read nevertheless. */
static int read_everything(struct state *state, const struct domain_set *targets,
			   struct configuration *everything)
{
	struct wanted *wanted = &state->wanted;
	int error = 0;

	for (size_t i = 0; i < sizeof(EVERYTHING) / sizeof(EVERYTHING[0]) && !error; i++) {
		struct setting setting = EVERYTHING[i];

		setting.index = INDEX_ALL;
		setting.optional = true;
		error = configuration_add(everything, &setting);
	}
	*wanted = (struct wanted){ .context = state->context,
				   .configuration = everything,
				   .targets = *targets };
	if (!error)
		error = wanted_find(wanted, true);
	if (error && error != -EIO)
		return error;
	error = 0;
	for (size_t i = 0; i < everything->problem_count && error != -ENOMEM; i++)
		error = configuration_problem(state->configuration, state->origin, "%s",
					      everything->problems[i].text);
	for (size_t i = 0; i < wanted->left_out_count && error != -ENOMEM; i++)
		error = configuration_problem(state->configuration, state->origin, "%s",
					      wanted->left_out[i]);
	if (error != -ENOMEM)
		error = add_levels(state);
	return error ? error : read_values(state);
}

/* ---- Settings ---- */

/** All values of one statement: of a subject and an index. They stand together. */
struct group {
	struct state_value *first, *end;
};

static struct group group_of(const struct state *state, const struct state_value *value)
{
	struct state_value *last = state->values + state->count;
	struct group group = { state->values + (value - state->values), NULL };

	while (group.first > state->values &&
	       group.first[-1].setting.subject == value->setting.subject &&
	       group.first[-1].setting.index == value->setting.index)
		group.first--;
	group.end = group.first;
	while (group.end < last && group.end->setting.subject == value->setting.subject &&
	       group.end->setting.index == value->setting.index)
		group.end++;
	return group;
}

static int by_item(const void *key, const void *element)
{
	return item_compare(key, &((const struct state_value *)element)->item->item);
}

enum { ALL_PACKAGES = UINT_MAX };

/** Whether every domain with CPUs of a package has values of a group, which is in the order of
 * items: what is stated for all is asked of those that are without it, too. */
static bool is_everywhere(const struct state *state, const struct group *group,
			  unsigned int package)
{
	const struct facts *facts = &state->wanted.facts;
	size_t count = (size_t)(group->end - group->first), at;

	facts_for_each_domain (target, facts) {
		const struct isst_domain *domain = target->domain;
		const struct item item = item_of(group->first->item->item.kind, domain, 0);

		if (isst_domain_is_io(domain) ||
		    (package != ALL_PACKAGES && domain->package != package))
			continue;
		at = array_lower_bound(&item, group->first, count, sizeof(*group->first), by_item);
		/* One that is shared is that of several domains. */
		while (at + 1 < count && item_is_shared(&item) &&
		       group->first[at].item->domain != domain)
			at++;
		if (at >= count || group->first[at].item->domain != domain)
			return false;
	}
	return true;
}

/** The value that most of a group have; NULL where some of it are left out, or without. */
static const struct state_value *find_common(const struct state *state, const struct group *group)
{
	const struct state_value *common = NULL;
	size_t most = 0;

	if (!is_everywhere(state, group, ALL_PACKAGES))
		return NULL;
	for (const struct state_value *value = group->first; value < group->end; value++) {
		size_t same = 0;

		if (value->left_out)
			return NULL;
		if (common && state_value_is_same(&common->setting, &value->setting))
			continue;
		for (const struct state_value *other = group->first; other < group->end; other++)
			same += state_value_is_same(&value->setting, &other->setting);
		if (same > most) {
			most = same;
			common = value;
		}
	}
	return common;
}

/** Adds a setting with that value, for a scope and CPUs, which it takes. */
static int add_setting(struct state *state, const struct state_value *value,
		       const struct setting *places)
{
	struct setting setting = value->setting;

	setting.scope = places->scope;
	setting.cpus = places->cpus;
	setting.origin = state->origin;
	return configuration_add(state->configuration, &setting);
}

/** Marks all that have the value as added, and states it for their CPUs. */
static int add_of_cpus(struct state *state, const struct state_value *value)
{
	const struct group group = group_of(state, value);
	struct setting places = { .cpus = isst_cpuset_new() };
	int error = places.cpus ? 0 : -ENOMEM;

	for (struct state_value *other = group.first; other < group.end && !error; other++) {
		if (other->left_out || !state_value_is_same(&value->setting, &other->setting))
			continue;
		other->added = true;
		error = wanted_item_cpus(state->context, other->item, places.cpus);
	}
	if (!error)
		return add_setting(state, value, &places);
	setting_clear(&places);
	return error;
}

/** Adds the power domains that have the value, and marks them; *@whole: of the package all. */
static int take_domains(struct state *state, const struct state_value *value, unsigned int package,
			struct isst_cpuset *domains, bool *whole)
{
	const struct group group = group_of(state, value);
	unsigned int number;
	int error = 0;

	*whole = is_everywhere(state, &group, package);
	for (struct state_value *other = group.first; other < group.end && !error; other++) {
		if (other->item->domain->package != package)
			continue;
		if (!state_value_is_same(&value->setting, &other->setting)) {
			*whole = false;
			continue;
		}
		other->added = true;
		number = domain_number(state->context, other->item->domain);
		error = isst_cpuset_add(domains, number, number);
	}
	return error;
}

static int add_of_package(struct state *state, const struct state_value *value)
{
	unsigned int package = value->item->domain->package;
	struct setting places = { .scope = { isst_cpuset_new(), isst_cpuset_new() } };
	bool whole = false;
	int error = places.scope.packages && places.scope.power_domains
			    ? isst_cpuset_add(places.scope.packages, package, package)
			    : -ENOMEM;

	if (!error)
		error = take_domains(state, value, package, places.scope.power_domains, &whole);
	if (error) {
		setting_clear(&places);
		return error;
	}
	if (whole) {
		isst_cpuset_free(places.scope.power_domains);
		places.scope.power_domains = NULL;
	}
	return add_setting(state, value, &places);
}

static int add_settings(struct state *state)
{
	static const struct setting EVERYWHERE;
	int error = 0;

	for (size_t i = 0; i < state->count && !error; i++) {
		const struct state_value *value = &state->values[i], *common;
		struct group group;

		if (value->added || value->left_out)
			continue;
		group = group_of(state, value);
		common = find_common(state, &group);
		if (common && !common->added) {
			for (struct state_value *one = group.first; one < group.end; one++)
				one->added |= state_value_is_same(&common->setting, &one->setting);
			error = add_setting(state, common, &EVERYWHERE);
		}
		if (error || value->added)
			continue;
		error = subject_is_of_cpus(value->item->subject) ? add_of_cpus(state, value)
								 : add_of_package(state, value);
	}
	return error;
}

/** In the order of subjects and indices, as statements are read. */
static int compare_values(const void *left, const void *right)
{
	const struct state_value *one = left, *other = right;
	int order;

	if (one->setting.subject != other->setting.subject) {
		/* The fields of one CLOS stand together. */
		if (one->setting.subject >= SUBJECT_CLOS_MIN &&
		    one->setting.subject <= SUBJECT_CLOS_WEIGHT &&
		    other->setting.subject >= SUBJECT_CLOS_MIN &&
		    other->setting.subject <= SUBJECT_CLOS_WEIGHT &&
		    one->setting.index != other->setting.index)
			return one->setting.index < other->setting.index ? -1 : 1;
		return one->setting.subject < other->setting.subject ? -1 : 1;
	}
	if (one->setting.index != other->setting.index)
		return one->setting.index < other->setting.index ? -1 : 1;
	order = item_compare(&one->item->item, &other->item->item);
	if (order)
		return order;
	/* Of an item that is shared. */
	return one->item->domain->index < other->item->domain->index ? -1 : 1;
}

int configuration_read_state(struct configuration *configuration, struct isst_context *context,
			     const struct domain_set *targets, struct configuration *except)
{
	struct state state = { .context = context,
			       .configuration = configuration,
			       .origin = { .source = configuration->source_count } };
	struct configuration everything = { 0 };
	int error = configuration_add_source(configuration, "state");

	if (!error)
		error = configuration_add_machine(configuration, context, state.origin);
	if (!error)
		error = read_everything(&state, targets, &everything);
	if (!error && except)
		error = state_leave_out(&state, except);
	if (error && except && except->problem_count > 0 && error != -ENOMEM)
		error = configuration_problem(configuration, state.origin, "%s",
					      except->problems[0].text) == -ENOMEM
				? -ENOMEM
				: error;
	if (!error && state.count > 0)
		qsort(state.values, state.count, sizeof(*state.values), compare_values);
	if (!error)
		error = add_settings(&state);
	if (!error)
		error = cpus_add_state(&state.wanted, configuration, state.origin, except);
	if (!error && configuration->problem_count > 0)
		error = -EIO;
	wanted_clear(&state.wanted);
	configuration_clear(&everything);
	free(state.values);
	return error;
}
