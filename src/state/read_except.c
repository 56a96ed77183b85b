/* SPDX-License-Identifier: BSD-3-Clause */
/* What of a state goes without saying. */
#include "state/read_values.h"
#include "state/values.h"

bool state_value_is_same(const struct setting *one, const struct setting *other)
{
	return one->wanted == other->wanted && one->number == other->number;
}

/** The item of what goes without saying where a value is as that has it; NULL: it is not. */
static const struct wanted_item *find_as_wanted(const struct wanted *except,
						const struct state_value *value)
{
	for (size_t i = 0; i < except->count; i++) {
		const struct wanted_item *item = &except->items[i];
		struct setting setting = { 0 };

		if (item->implied || item->subject != value->item->subject ||
		    !item_is(&item->item, &value->item->item))
			continue;
		wanted_value_to_setting(item, item->bits, &setting);
		return state_value_is_same(&setting, &value->setting) ? item : NULL;
	}
	return NULL;
}

/** Leaves a value out. If it is an effect it is stated as that has it: the limits of the level, or
 * those of the hardware, rather than numbers that another level would not have. */
static void leave_out(const struct wanted *except, struct state_value *value)
{
	const struct wanted_item *item = find_as_wanted(except, value);

	value->left_out = item;
	if (item &&
	    (item->setting->wanted == WANTED_OF_LEVEL || item->setting->wanted == WANTED_NONE)) {
		value->setting.wanted = item->setting->wanted;
		value->setting.number = 0;
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

/** Whether a feature is disabled: that is what a change of the level leaves, too. */
static bool is_feature_off(const struct state_value *value)
{
	return (value->item->subject == SUBJECT_TURBO_FREQ ||
		value->item->subject == SUBJECT_BASE_FREQ) &&
	       value->setting.number == 0;
}

/** Whether both are of one thing, of those that a domain has several of. */
static bool is_counterpart(const struct wanted_item *one, const struct wanted_item *other)
{
	struct item counterpart;

	return !item_counterpart(&one->item, &counterpart) || item_is(&counterpart, &other->item);
}

/** Power domains share the register of turbo ratio limits. */
static bool is_effect(const struct state_value *cause, const struct state_value *value)
{
	const struct isst_domain *one = cause->item->domain, *other = value->item->domain;

	if (is_feature_off(value))
		return false;
	for (size_t i = 0; i < sizeof(EFFECTS) / sizeof(EFFECTS[0]); i++)
		if (EFFECTS[i].cause == cause->item->subject &&
		    EFFECTS[i].effect == value->item->subject &&
		    is_counterpart(cause->item, value->item) &&
		    (one == other || (value->item->subject == SUBJECT_TURBO_RATIO_LIMITS &&
				      one->package == other->package)))
			return true;
	return false;
}

/** Includes again what is an effect of something that is not left out. */
static void keep_effects(struct state *state)
{
	for (size_t i = 0; i < state->count; i++)
		for (size_t j = 0; j < state->count && !state->values[i].left_out; j++)
			if (is_effect(&state->values[i], &state->values[j]))
				state->values[j].left_out = false;
}

int state_leave_out(struct state *state, struct configuration *except)
{
	struct wanted wanted;
	int error = wanted_find(&wanted, except, state->context, WANTED_TO_CHANGE);

	/* What it means there is not known. */
	for (size_t i = 0; i < wanted.left_out_count && !error; i++)
		error = configuration_problem(state->configuration, state->origin, "%s",
					      wanted.left_out[i]);
	for (size_t i = 0; i < state->count && !error; i++)
		leave_out(&wanted, &state->values[i]);
	keep_effects(state);
	wanted_clear(&wanted);
	return error;
}
