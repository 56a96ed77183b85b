/* SPDX-License-Identifier: BSD-3-Clause */
/* What of a state goes without saying. */
#include "state/read_values.h"
#include "state/values.h"

#include <errno.h>
#include <stdlib.h>

bool state_value_is_same(const struct setting *one, const struct setting *other)
{
	return one->wanted == other->wanted && one->number == other->number;
}

/** The item of what goes without saying where a value is as that has it; NULL: it is not. */
static const struct wanted_item *find_as_wanted(const struct wanted *except,
						const struct state_value *value)
{
	const struct wanted_item *item = wanted_find_item(except, &value->item->item,
							  value->item->subject, 0);
	struct setting setting = { 0 };

	if (!item || item->implied)
		return NULL;
	wanted_value_to_setting(item, item->bits, &setting);
	return state_value_is_same(&setting, &value->setting) ? item : NULL;
}

/** States limits that are those of the level, or of the hardware, as that, rather than as numbers
 * that another level would not have. */
static void name_own_limit(const struct state *state, struct state_value *value)
{
	const struct wanted_item *item = value->item;
	struct setting *setting = &value->setting;
	const struct domain_facts *facts;

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

/** Leaves a value out: should it be an effect it is stated all the same. */
static void leave_out(const struct state *state, const struct wanted *except,
		      struct state_value *value)
{
	value->left_out = find_as_wanted(except, value);
	name_own_limit(state, value);
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

/** Whether a feature is disabled: that is what a change of the level leaves, too. */
static bool is_feature_off(const struct state_value *value)
{
	return (value->item->subject == SUBJECT_TURBO_FREQ ||
		value->item->subject == SUBJECT_BASE_FREQ) &&
	       value->setting.number == 0;
}

enum { EFFECT_COUNT = sizeof(EFFECTS) / sizeof(EFFECTS[0]) };

/** Which of the causes that domains have are not left out: a bit for each of EFFECTS. */
static void note_causes(const struct state *state, unsigned int *of_domain)
{
	for (size_t i = 0; i < state->count; i++)
		for (size_t j = 0; j < EFFECT_COUNT && !state->values[i].left_out; j++)
			if (EFFECTS[j].cause == state->values[i].item->subject)
				of_domain[state->values[i].item->domain->index] |= 1U << j;
}

/** Whether the limit that goes with one is not left out. */
static bool keeps_counterpart(const struct state *state, struct state_value *const *of_item,
			      const struct wanted_item *effect, enum subject cause)
{
	const struct wanted_item *item;
	struct item counterpart;

	if (!item_counterpart(&effect->item, &counterpart))
		return false;
	item = wanted_find_item(&state->wanted, &counterpart, cause, 0);
	return item && of_item[item - state->wanted.items] &&
	       !of_item[item - state->wanted.items]->left_out;
}

/** Power domains share the register of turbo ratio limits. */
static bool has_cause(const struct state *state, const unsigned int *of_domain,
		      const struct wanted_item *effect, size_t which)
{
	const struct facts *facts = &state->wanted.facts;

	if (effect->subject != SUBJECT_TURBO_RATIO_LIMITS)
		return of_domain[effect->domain->index] >> which & 1;
	for (size_t i = 0; i < facts->count; i++)
		if (facts->domains[i].domain->package == effect->domain->package &&
		    of_domain[facts->domains[i].domain->index] >> which & 1)
			return true;
	return false;
}

static bool is_effect(const struct state *state, const unsigned int *of_domain,
		      struct state_value *const *of_item, const struct state_value *value)
{
	const struct wanted_item *effect = value->item;

	for (size_t i = 0; i < EFFECT_COUNT && !is_feature_off(value); i++) {
		enum subject cause = EFFECTS[i].cause;

		if (EFFECTS[i].effect == effect->subject &&
		    (cause == SUBJECT_SCALING_MAX || cause == SUBJECT_UNCORE_MAX
			     ? keeps_counterpart(state, of_item, effect, cause)
			     : has_cause(state, of_domain, effect, i)))
			return true;
	}
	return false;
}

/** Includes again what is an effect of something that is not left out. */
static int keep_effects(struct state *state)
{
	unsigned int *of_domain = calloc(state->wanted.facts.count + 1, sizeof(*of_domain));
	struct state_value **of_item = calloc(state->wanted.count + 1, sizeof(*of_item));

	if (of_domain && of_item) {
		note_causes(state, of_domain);
		for (size_t i = 0; i < state->count; i++)
			of_item[state->values[i].item - state->wanted.items] = &state->values[i];
		for (size_t i = 0; i < state->count; i++)
			if (state->values[i].left_out)
				state->values[i].left_out = !is_effect(state, of_domain, of_item,
								       &state->values[i]);
	}
	free(of_domain);
	free(of_item);
	return of_domain && of_item ? 0 : -ENOMEM;
}

int state_leave_out(struct state *state, struct configuration *except)
{
	struct wanted wanted = { .context = state->context, .configuration = except };
	int error = wanted_find(&wanted, WANTED_TO_CHANGE);

	/* What it means there is not known. */
	for (size_t i = 0; i < wanted.left_out_count && !error; i++)
		error = configuration_problem(state->configuration, state->origin, "%s",
					      wanted.left_out[i]);
	for (size_t i = 0; i < state->count && !error; i++)
		leave_out(state, &wanted, &state->values[i]);
	wanted_clear(&wanted);
	return error ? error : keep_effects(state);
}
