/* SPDX-License-Identifier: BSD-3-Clause */
/* Statements that cannot all hold, whatever the machine. */
#include "configuration/contradictions.h"
#include "base/cpuset.h"

#include <limits.h>
#include <string.h>

enum { KHZ_IN_MHZ = 1000 };

static bool is_same_value(const struct setting *one, const struct setting *other)
{
	if (one->wanted != other->wanted || one->number != other->number)
		return false;
	if (one->wanted == WANTED_OFFLINE)
		return cpuset_is_equal(one->cpus, other->cpus);
	return one->wanted != WANTED_CORES ||
	       (one->choice.kind == other->choice.kind &&
		one->choice.number == other->choice.number &&
		cpuset_is_equal(one->choice.within, other->choice.within) &&
		cpuset_is_equal(one->choice.avoid, other->choice.avoid));
}

/** Whether there is a place where two settings are for the same thing, and both count the same. */
static bool collide(const struct setting *one, const struct setting *other)
{
	if (one->subject != other->subject || one->index != other->index ||
	    setting_precision(one) != setting_precision(other) ||
	    !scopes_overlap(&one->scope, &other->scope))
		return false;
	return !subject_is_of_cpus(one->subject) || !one->cpus ||
	       cpuset_overlaps(one->cpus, other->cpus);
}

static int find_double(struct configuration *configuration, size_t later)
{
	const struct setting *setting = &configuration->settings[later];

	for (size_t i = 0; i < later; i++) {
		const struct setting *earlier = &configuration->settings[i];

		if (earlier->origin.source != setting->origin.source ||
		    !collide(earlier, setting) || is_same_value(earlier, setting))
			continue;
		if (setting->origin.line == 0 || setting->origin.line == earlier->origin.line)
			return configuration_problem(configuration, setting->origin,
						     "contradicts itself");
		return configuration_problem(configuration, setting->origin, "contradicts line %u",
					     earlier->origin.line);
	}
	return 0;
}

/** Pairs of limits, and how they are named. */
static const struct {
	enum subject min, max;
	const char *name;
} LIMITS[] = {
	{ SUBJECT_CLOS_MIN, SUBJECT_CLOS_MAX, "CLOS" },
	{ SUBJECT_SCALING_MIN, SUBJECT_SCALING_MAX, "scaling" },
	{ SUBJECT_UNCORE_MIN, SUBJECT_UNCORE_MAX, "uncore" },
};
enum { LIMIT_COUNT = sizeof(LIMITS) / sizeof(LIMITS[0]) };

/** The limit that another one goes with. Returns its subject; *@is_max: whether the one given is a
 * maximum. SUBJECTS: it is no limit. */
static enum subject counterpart(enum subject subject, bool *is_max, const char **name)
{
	for (size_t i = 0; i < LIMIT_COUNT; i++) {
		*is_max = subject == LIMITS[i].max;
		*name = LIMITS[i].name;
		if (*is_max)
			return LIMITS[i].min;
		if (subject == LIMITS[i].min)
			return LIMITS[i].max;
	}
	return SUBJECTS;
}

/** The lowest number of a set; without one, a number that no set has. */
static unsigned int lowest(const struct isst_cpuset *set)
{
	unsigned int number = UINT_MAX;

	if (set)
		isst_cpuset_next(set, 0, &number);
	return number;
}

/** One of the places that a setting is for: where no other one names more than it does. */
static struct place place_of(const struct setting *setting)
{
	return (struct place){ .package = lowest(setting->scope.packages),
			       .power_domain = lowest(setting->scope.power_domains),
			       .cpu = lowest(setting->cpus),
			       .index = setting->index };
}

static int check_limits(struct configuration *configuration, const struct setting *setting)
{
	bool is_max = false;
	const char *name = NULL;
	enum subject subject = counterpart(setting->subject, &is_max, &name);
	struct place place = place_of(setting);
	const struct setting *other = configuration_find(configuration, subject, &place);
	uint64_t min, max;

	if (setting->wanted != WANTED_KHZ || !other || other->wanted != WANTED_KHZ)
		return 0;
	min = is_max ? other->number : setting->number;
	max = is_max ? setting->number : other->number;
	/* Of two that find each other the later one is reported. */
	if (min <= max || (other > setting && other->origin.source == setting->origin.source &&
			   setting_precision(other) == setting_precision(setting)))
		return 0;
	return configuration_problem(configuration, setting->origin,
				     "the %s minimum of %llu MHz is above the maximum of %llu MHz",
				     name, (unsigned long long)min / KHZ_IN_MHZ,
				     (unsigned long long)max / KHZ_IN_MHZ);
}

/** What high priority cores are made of: turbo-freq, and classes that are chosen for them. */
static const struct {
	enum subject subject;
	uint64_t number; /* what rules them out; UINT64_MAX: anything */
	const char *why;
} RULED_OUT[] = {
	{ SUBJECT_TURBO_FREQ, 0, "turbo-freq off" },
	{ SUBJECT_CORE_POWER, 0, "core-power off" },
	{ SUBJECT_PRIORITY, ISST_PRIORITY_PROPORTIONAL, "core-power proportional" },
	{ SUBJECT_ASSOCIATION, UINT64_MAX, "associations of CPUs" },
};
enum { RULED_OUT_COUNT = sizeof(RULED_OUT) / sizeof(RULED_OUT[0]) };

/** What rules out high priority cores at a place, in words; NULL: nothing. */
static const char *rules_out(const struct configuration *configuration, const struct place *place)
{
	for (size_t i = 0; i < RULED_OUT_COUNT; i++) {
		const struct setting *other = configuration_find(configuration,
								 RULED_OUT[i].subject, place);

		if (other && other->wanted != WANTED_UNMANAGED &&
		    (RULED_OUT[i].number == UINT64_MAX || other->number == RULED_OUT[i].number))
			return RULED_OUT[i].why;
	}
	return NULL;
}

/** Looks at each place that any setting names, and where this one counts. */
static int check_high_priority(struct configuration *configuration, const struct setting *setting)
{
	if (setting->subject != SUBJECT_HIGH_PRIORITY || setting->wanted != WANTED_CORES)
		return 0;
	for (size_t i = 0; i < configuration->setting_count; i++) {
		const struct setting *other = &configuration->settings[i];
		struct place place = place_of(other);
		const char *why;

		if (configuration_find(configuration, SUBJECT_HIGH_PRIORITY, &place) != setting)
			continue;
		why = rules_out(configuration, &place);
		if (why)
			return configuration_problem(configuration, setting->origin,
						     "high-priority contradicts %s", why);
	}
	return 0;
}

int configuration_find_contradictions(struct configuration *configuration, size_t source)
{
	bool found = false;

	for (size_t i = 0; i < configuration->setting_count; i++) {
		const struct setting *setting = &configuration->settings[i];
		int error;

		if (setting->origin.source != source)
			continue;
		error = find_double(configuration, i);
		if (!error)
			error = check_limits(configuration, setting);
		if (!error)
			error = check_high_priority(configuration, setting);
		if (error && error != -EINVAL)
			return error;
		found = found || error;
	}
	return found ? -EINVAL : 0;
}
