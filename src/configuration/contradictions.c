/* SPDX-License-Identifier: BSD-3-Clause */
/* Statements that cannot all hold, whatever the machine. */
#include "configuration/contradictions.h"

#include <limits.h>
#include <string.h>

enum { KHZ_IN_MHZ = 1000 };

static bool is_same_scope(struct scope one, struct scope other)
{
	return one.package == other.package && one.power_domain == other.power_domain;
}

static bool is_same_set(const struct isst_cpuset *one, const struct isst_cpuset *other)
{
	unsigned int cpu;

	if (!one || !other)
		return one == other;
	if (isst_cpuset_count(one) != isst_cpuset_count(other))
		return false;
	isst_cpuset_for_each (cpu, one)
		if (!isst_cpuset_has(other, cpu))
			return false;
	return true;
}

static bool overlap(const struct isst_cpuset *one, const struct isst_cpuset *other)
{
	unsigned int cpu;

	if (!one || !other)
		return one == other;
	isst_cpuset_for_each (cpu, one)
		if (isst_cpuset_has(other, cpu))
			return true;
	return false;
}

static bool is_same_value(const struct setting *one, const struct setting *other)
{
	if (one->wanted != other->wanted || one->number != other->number)
		return false;
	if (one->wanted == WANTED_OFFLINE)
		return is_same_set(one->cpus, other->cpus);
	return one->wanted != WANTED_CORES ||
	       (one->choice.kind == other->choice.kind &&
		one->choice.number == other->choice.number &&
		is_same_set(one->choice.within, other->choice.within) &&
		is_same_set(one->choice.avoid, other->choice.avoid));
}

/** Whether two settings are of the same thing, so that both count the same there. */
static bool is_same_place(const struct setting *one, const struct setting *other)
{
	if (one->subject != other->subject || one->index != other->index ||
	    !is_same_scope(one->scope, other->scope))
		return false;
	return !subject_is_of_cpus(one->subject) || overlap(one->cpus, other->cpus);
}

static int find_double(struct configuration *configuration, size_t later)
{
	const struct setting *setting = &configuration->settings[later];

	for (size_t i = 0; i < later; i++) {
		const struct setting *earlier = &configuration->settings[i];

		if (earlier->origin.source != setting->origin.source ||
		    !is_same_place(earlier, setting) || is_same_value(earlier, setting))
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

/** The place of a setting; @cpu: one of its CPUs. */
static struct place place_of(const struct setting *setting, unsigned int cpu)
{
	return (struct place){ .package = setting->scope.package,
			       .power_domain = setting->scope.power_domain,
			       .cpu = cpu,
			       .index = setting->index };
}

/** Compares a limit with the one that counts at a place. */
static int compare_limits(struct configuration *configuration, const struct setting *setting,
			  struct place place)
{
	bool is_max = false;
	const char *name = NULL;
	enum subject subject = counterpart(setting->subject, &is_max, &name);
	const struct setting *other = configuration_find(configuration, subject, &place);
	uint64_t min, max;

	if (!other || other->wanted != WANTED_KHZ)
		return 0;
	min = is_max ? other->number : setting->number;
	max = is_max ? setting->number : other->number;
	/* Of two that both find each other the later one is reported. */
	if (min <= max || (other > setting && other->origin.source == setting->origin.source &&
			   setting_precision(other) == setting_precision(setting)))
		return 0;
	return configuration_problem(configuration, setting->origin,
				     "the %s minimum of %llu MHz is above the maximum of %llu MHz",
				     name, (unsigned long long)min / KHZ_IN_MHZ,
				     (unsigned long long)max / KHZ_IN_MHZ);
}

static int check_limits(struct configuration *configuration, const struct setting *setting)
{
	unsigned int cpu;
	int error = 0;

	if (setting->wanted != WANTED_KHZ)
		return 0;
	if (!setting->cpus)
		return compare_limits(configuration, setting, place_of(setting, UINT_MAX));
	isst_cpuset_for_each (cpu, setting->cpus) {
		if (!error)
			error = compare_limits(configuration, setting, place_of(setting, cpu));
	}
	return error;
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
		struct place place = place_of(other, UINT_MAX);
		const char *why;

		if (other->cpus)
			isst_cpuset_next(other->cpus, 0, &place.cpu);
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
