/* SPDX-License-Identifier: BSD-3-Clause */
/* Facts that changes are planned from, and steps that several features need. */
#include "features/planning.h"
#include "common/numbered.h"
#include "features/perf_profile.h"
#include "features/reading.h"
#include "firmware/platform.h"
#include "sysfs/cpufreq.h"
#include "transaction/report.h"
#include "transaction/steps.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Steps of two limits ---- */

struct limit_steps limit_steps_begin(struct isst_change *change, enum item_kind max,
				     enum item_kind min)
{
	struct limit_steps steps = { .lowered_min = change_step(change, min) };

	steps.max = change_step(change, max);
	steps.raised_min = change_step(change, min);
	return steps;
}

struct step *limit_steps_min(const struct limit_steps *steps, uint64_t present, uint64_t wanted)
{
	return wanted > present ? steps->raised_min : steps->lowered_min;
}

/* ---- Planning ---- */

void request_reject(struct isst_change *change, struct domain_request *request, int error,
		    const char *format, ...)
{
	struct messages *messages = &change->context->messages;
	va_list arguments;
	char *why;
	int length;

	va_start(arguments, format);
	length = vasprintf(&why, format, arguments);
	va_end(arguments);
	message_failure(messages, &request->failure, error, "%s: %s", request->domain->name,
			length < 0 ? "out of memory" : why);
	if (length >= 0)
		free(why);
}

/* ---- Facts ---- */

static void take_failure(struct domain_request *request, enum need need,
			 const struct isst_failure *failure)
{
	if (need == REQUIRED && request_is_active(request))
		request->failure = *failure;
}

/** The level that a domain will be at, by the requests that are planned already. */
static unsigned int projected_level(const struct isst_change *change,
				    const struct domain_snapshot *current)
{
	const struct item item = item_of(ITEM_LEVEL, current->domain, 0);
	uint64_t level = current->profile.current_level;

	change_project(change, &item, &level);
	return (unsigned int)level;
}

static void project_feature(enum isst_feature_state *state, bool on)
{
	if (*state == ISST_FEATURE_ENABLED || *state == ISST_FEATURE_DISABLED)
		*state = on ? ISST_FEATURE_ENABLED : ISST_FEATURE_DISABLED;
}

/** What the requests that are planned already leave of the level, and of its features. */
static void project_levels(const struct isst_change *change, struct domain_snapshot *current)
{
	struct isst_level *level = &current->level;
	const struct item item = item_of(ITEM_FEATURES, level->domain, 0);
	unsigned int projected = projected_level(change, current);
	uint64_t features = (feature_is_on(level, FEATURE_TURBO_FREQ) ? FEATURE_TURBO_FREQ : 0) |
			    (feature_is_on(level, FEATURE_BASE_FREQ) ? FEATURE_BASE_FREQ : 0);

	if (level->level != projected)
		return;
	/* For a level that is not current yet, firmware may report anything. */
	if (projected != current->profile.current_level)
		features = 0;
	change_project(change, &item, &features);
	project_feature(&level->turbo_freq, features & FEATURE_TURBO_FREQ);
	project_feature(&level->base_freq, features & FEATURE_BASE_FREQ);
	current->profile.current_level = projected;
}

static void project_core_power(const struct isst_change *change, struct isst_core_power *state)
{
	const struct item feature = item_of(ITEM_CORE_POWER, state->domain, 0);
	const struct item qos = item_of(ITEM_QOS, state->domain, 0);
	uint64_t on = state->enabled, word = 0;

	if (change_project(change, &feature, &on))
		state->enabled = on;
	if (!change_project(change, &qos, &word))
		return;
	state->clos_enabled = word & QOS_CLOS_ENABLE;
	/* By TPMI there is one switch for both. */
	if (change->context->firmware.operations->one_core_power_switch)
		state->enabled = state->clos_enabled;
}

void change_relies_on_level(struct isst_change *change, const struct isst_perf_profile *profile)
{
	if (!profile->failure.error && profile->enabled)
		change_relies_on(change, item_of(ITEM_LEVEL, profile->domain, 0),
				 profile->current_level);
}

static int read_levels(struct isst_change *change, struct domain_request *requests,
		       const struct state_needs *needs, struct current_state *current)
{
	int error;

	for (size_t i = 0; i < current->count; i++)
		current->domains[i].level.level = needs->choice == LEVEL_CURRENT
							  ? projected_level(change,
									    &current->domains[i])
							  : needs->level;
	error = snapshot_read_levels(change->context, current->domains, current->count,
				     needs->parts);
	for (size_t i = 0; i < current->count && !error; i++) {
		struct isst_level *level = &current->domains[i].level;

		project_levels(change, &current->domains[i]);
		if (!needs->suffices || !needs->suffices(level))
			take_failure(&requests[i], needs->levels, &level->failure);
	}
	return error;
}

static void take_core_power(struct isst_change *change, struct domain_request *requests,
			    const struct state_needs *needs, struct current_state *current)
{
	for (size_t i = 0; i < current->count; i++) {
		struct isst_core_power *state = &current->domains[i].core_power;

		project_core_power(change, state);
		take_failure(&requests[i], needs->core_power, &state->failure);
	}
}

int current_state_read(struct isst_change *change, struct domain_request *requests, size_t count,
		       const struct state_needs *needs, struct current_state *current)
{
	int error = 0;

	*current = (struct current_state){ 0 };
	for (size_t i = 0; i < count && !error; i++)
		error = context_check_domain(change->context, requests[i].domain);
	if (error)
		return error;
	*current = (struct current_state){ .domains = calloc(count ? count : 1,
							     sizeof(*current->domains)) };
	if (!current->domains)
		return -ENOMEM;
	current->count = count;
	for (size_t i = 0; i < count; i++) {
		requests[i].failure = (struct isst_failure){ 0 };
		current->domains[i].domain = requests[i].domain;
		current->domains[i].parts = (needs->levels ? SNAPSHOT_PROFILES | SNAPSHOT_LEVEL
							   : 0) |
					    (needs->core_power ? SNAPSHOT_CORE_POWER_SWITCH : 0);
	}
	error = snapshot_read(change->context, current->domains, count);
	for (size_t i = 0; i < count && !error && needs->levels; i++) {
		change_relies_on_level(change, &current->domains[i].profile);
		take_failure(&requests[i], needs->levels, &current->domains[i].profile.failure);
	}
	if (!error && needs->levels)
		error = read_levels(change, requests, needs, current);
	if (!error && needs->core_power)
		take_core_power(change, requests, needs, current);
	if (error)
		current_state_free(current);
	return error;
}

void current_state_free(struct current_state *current)
{
	snapshot_clear(current->domains, current->count);
	free(current->domains);
	*current = (struct current_state){ 0 };
}

static int plan_level_limits(struct isst_context *context, struct firmware_batch *batch,
			     void *result)
{
	const struct firmware_operations *operations = context->firmware.operations;
	struct level_limits *limits = result;

	if (!limits->wanted || !operations->plan_level_limits)
		return 0;
	return operations->plan_level_limits(batch, limits->domain, limits->level, &limits->failure,
					     limits->mhz);
}

int level_limits_read(struct isst_context *context, struct level_limits *limits, size_t count)
{
	return context_read(context, limits, count, sizeof(*limits), plan_level_limits);
}

const char *feature_name(unsigned int feature)
{
	return feature == FEATURE_BASE_FREQ ? "base-freq" : "turbo-freq";
}

static enum isst_feature_state state_at(const struct isst_level *level, unsigned int feature)
{
	if (level->features_assumed)
		return ISST_FEATURE_UNKNOWN;
	return feature == FEATURE_BASE_FREQ ? level->base_freq : level->turbo_freq;
}

/** Adds the levels of a domain that have a feature. Returns false unless it is known of each. */
static bool add_levels_with(struct isst_context *context, const struct domain_snapshot *domain,
			    unsigned int feature, struct isst_cpuset *levels)
{
	const struct isst_perf_profile *profile = &domain->profile;
	struct isst_level *all = calloc((size_t)profile->highest_level + 1, sizeof(*all));
	size_t count = 0;
	bool known = all && !profile->failure.error;

	for (unsigned int i = 0; known && i <= profile->highest_level; i++)
		if (perf_profile_has_level(profile, i))
			all[count++] = (struct isst_level){ .domain = domain->domain,
							    .level = i,
							    .profile = profile };
	known = known && !levels_read(context, all, count, sizeof(*all), ISST_LEVEL_FEATURES);
	for (size_t i = 0; i < count; i++) {
		known = known && state_at(&all[i], feature) != ISST_FEATURE_UNKNOWN;
		if (known && state_at(&all[i], feature) != ISST_FEATURE_UNSUPPORTED)
			known = !isst_cpuset_add(levels, all[i].level, all[i].level);
		level_clear(&all[i]);
	}
	free(all);
	return known;
}

const char *feature_levels_text(struct isst_context *context, const struct domain_snapshot *domains,
				size_t count, unsigned int feature)
{
	struct isst_cpuset *levels = isst_cpuset_new();
	const char *text = NULL;
	char *list = NULL;
	bool known = levels;

	for (size_t i = 0; i < count && known; i++)
		known = add_levels_with(context, &domains[i], feature, levels);
	if (known && isst_cpuset_count(levels) == 0)
		text = "; no level has it";
	else if (known && (list = name_numbers("level", levels)) != NULL)
		text = message_make(&context->messages, "; %s %s it", list,
				    isst_cpuset_count(levels) == 1 ? "has" : "have");
	free(list);
	isst_cpuset_free(levels);
	return text ? text : "";
}

unsigned int other_feature(unsigned int feature)
{
	return feature == FEATURE_BASE_FREQ ? FEATURE_TURBO_FREQ : FEATURE_BASE_FREQ;
}

bool feature_is_on(const struct isst_level *level, unsigned int feature)
{
	return (feature == FEATURE_BASE_FREQ ? level->base_freq : level->turbo_freq) ==
	       ISST_FEATURE_ENABLED;
}

/** Why the features of a domain could not be read. */
static const struct isst_failure *features_failure(const struct domain_snapshot *current)
{
	return current->profile.failure.error ? &current->profile.failure : &current->level.failure;
}

const char *feature_unknown_why(const struct domain_snapshot *current)
{
	return features_failure(current)->message;
}

bool feature_may_be_on(const struct domain_snapshot *current, unsigned int feature)
{
	const struct isst_level *level = &current->level;
	int error = features_failure(current)->error;
	bool unknown = (feature == FEATURE_BASE_FREQ ? level->base_freq : level->turbo_freq) ==
		       ISST_FEATURE_UNKNOWN;

	return feature_is_on(level, feature) || (unknown && error && error != -EOPNOTSUPP);
}

bool feature_in_use(const struct isst_change *change, const struct domain_request *requests,
		    const struct current_state *current, size_t i, unsigned int feature)
{
	if (!context_has_power_domains(change->context))
		return feature_may_be_on(&current->domains[i], feature);
	for (size_t j = 0; j < current->count; j++)
		if (requests[j].domain->package == requests[i].domain->package &&
		    !isst_domain_is_io(requests[j].domain) &&
		    feature_may_be_on(&current->domains[j], feature))
			return true;
	return false;
}

bool limits_stay_in_use(const struct isst_change *change, const struct domain_request *requests,
			const struct current_state *current, size_t i)
{
	if (!context_has_power_domains(change->context))
		return false;
	/* Those without CPUs have no use for the limits. */
	for (size_t j = 0; j < current->count; j++)
		if (!request_is_active(&requests[j]) && !isst_domain_is_io(requests[j].domain) &&
		    requests[j].domain->package == requests[i].domain->package &&
		    feature_may_be_on(&current->domains[j], FEATURE_TURBO_FREQ))
			return true;
	return false;
}

bool cpu_will_be_online(const struct isst_change *change, const struct isst_domain *domain,
			unsigned int cpu)
{
	const struct item item = item_of_cpu(cpu);
	uint64_t online = isst_cpuset_has(domain->online, cpu);

	change_project(change, &item, &online);
	return online;
}

/* ---- Steps ---- */

uint64_t clos_mask(const struct isst_context *context)
{
	uint64_t mask = 0;

	for (size_t i = 0; i < ITEM_FIELDS; i++)
		if (clos_fields[i].fact < 0 ||
		    platform_has(&context->platform, (enum platform_fact)clos_fields[i].fact))
			mask |= clos_fields[i].mask;
	return mask;
}

/** A governor that picks frequencies itself holds them down; intel_pstate's own ones leave that to
 * the hardware. */
static void warn_of_governor(struct isst_change *change, unsigned int cpu)
{
	struct kernel_files *files = &change->context->files;
	char *driver, *governor = NULL;

	if (cpufreq_read_word(files, cpu, "scaling_driver", &driver) == 0 &&
	    cpufreq_read_word(files, cpu, "scaling_governor", &governor) == 0 &&
	    strcmp(driver, "intel_pstate") != 0 &&
	    (strcmp(governor, "powersave") == 0 || strcmp(governor, "userspace") == 0))
		change_warn(change, ISST_WARNING_GOVERNOR,
			    "CPU %u: the cpufreq governor is %s (driver %s), which fixes the "
			    "frequency regardless of this change",
			    cpu, governor, driver);
	free(driver);
	free(governor);
}

static void warn_of_missing_hwp(struct isst_change *change, unsigned int cpu)
{
	uint64_t khz;

	if (cpufreq_read(&change->context->files, cpu, "base_frequency", &khz) == -ENOENT)
		change_warn(change, ISST_WARNING_HWP_OFF,
			    "CPU %u has no base_frequency: hardware-controlled performance states "
			    "(HWP) seem to be off, and without them this change has little effect; "
			    "check the BIOS and intel_pstate on the kernel command line",
			    cpu);
}

/** One CPU stands for all: drivers and governors are chosen for the whole system. Returns false
 * where there is none, or no cpufreq. */
static bool find_representative_cpu(struct isst_change *change,
				    const struct domain_request *requests, size_t count,
				    unsigned int *cpu)
{
	uint64_t khz;

	for (size_t i = 0; i < count; i++) {
		if (!request_is_active(&requests[i]) || !requests[i].domain->has_cpu)
			continue;
		*cpu = requests[i].domain->cpu;
		return cpufreq_read(&change->context->files, *cpu, "scaling_max_freq", &khz) == 0;
	}
	return false;
}

void warn_of_hwp(struct isst_change *change, const struct domain_request *requests, size_t count)
{
	unsigned int cpu;

	if (find_representative_cpu(change, requests, count, &cpu))
		warn_of_missing_hwp(change, cpu);
}

void warn_of_cpufreq(struct isst_change *change, const struct domain_request *requests,
		     size_t count)
{
	unsigned int cpu;

	if (!find_representative_cpu(change, requests, count, &cpu))
		return;
	warn_of_missing_hwp(change, cpu);
	warn_of_governor(change, cpu);
}

/* ---- Limits that were replaced ---- */

typedef bool (*limit_test)(struct isst_change *change, const struct entry *entry);

/** One that turned out to be another owner's is not replaced. */
static bool is_replaced(struct isst_change *change, const struct entry *entry, limit_test is_named)
{
	return entry->written && entry->old.number != CPUFREQ_NO_LIMIT &&
	       (!is_named || is_named(change, entry));
}

/** Names the CPUs whose limit was the same as that of entry @first. */
static int name_limit(struct isst_change *change, const struct step *step, size_t first,
		      limit_test is_named, const char *how)
{
	const struct entry *replaced = &step->entries[first];
	struct isst_cpuset *cpus = isst_cpuset_new();
	int error = cpus ? 0 : -ENOMEM;
	char *ranges = NULL;

	for (size_t i = first; i < step->count && !error; i++) {
		const struct entry *entry = &step->entries[i];

		if (is_replaced(change, entry, is_named) &&
		    entry->old.number == replaced->old.number)
			error = isst_cpuset_add(cpus, entry->item.index, entry->item.index);
	}
	if (!error)
		ranges = name_numbers("CPU", cpus);
	if (ranges)
		change_warn(change, ISST_WARNING_SCALING_LIMIT_REPLACED,
			    "%s: the frequency limit of %llu MHz (scaling_max_freq) %s", ranges,
			    (unsigned long long)replaced->old.number / 1000, how);
	free(ranges);
	isst_cpuset_free(cpus);
	return ranges ? 0 : -ENOMEM;
}

static bool named_before(struct isst_change *change, const struct step *step, size_t index,
			 limit_test is_named)
{
	for (size_t i = 0; i < index; i++)
		if (is_replaced(change, &step->entries[i], is_named) &&
		    step->entries[i].old.number == step->entries[index].old.number)
			return true;
	return false;
}

/** One line for each limit, whatever the number of CPUs. */
int name_replaced_limits(struct isst_change *change, const struct step *step, limit_test is_named,
			 const char *how)
{
	int error = 0;

	for (size_t i = 0; i < step->count && !error; i++)
		if (is_replaced(change, &step->entries[i], is_named) &&
		    !named_before(change, step, i, is_named))
			error = name_limit(change, step, i, is_named, how);
	return error;
}
