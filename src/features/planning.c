/* SPDX-License-Identifier: BSD-3-Clause */
/* Facts that changes are planned from, and steps that several features need. */
#include "features/planning.h"
#include "features/snapshot.h"
#include "firmware/platform.h"
#include "sysfs/cpufreq.h"
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

void target_reject(struct isst_change *change, const struct isst_domain *domain,
		   struct isst_failure *failure, int error, const char *format, ...)
{
	va_list arguments;
	char *why;
	int length;

	va_start(arguments, format);
	length = vasprintf(&why, format, arguments);
	va_end(arguments);
	message_failure(&change->context->messages, failure, of_domain(domain), error, "%s: %s",
			domain->name, length < 0 ? "out of memory" : why);
	if (length >= 0)
		free(why);
}

/* ---- What stands against a request ---- */

/** Why the change cannot be made with these targets, if so: the first objection is kept, and
 * isst_change_run() refuses with it. @others: there are further ones, which are fine. */
static void conclude_targets(struct isst_change *change, const struct domain_request *requests,
			     size_t count, bool others)
{
	const struct isst_failure *unsupported = NULL, *failed = NULL, *objection = NULL;
	enum target_policy policy = change->options.targets;
	bool only_io = true, any_left = others;

	for (size_t i = 0; i < count; i++)
		only_io &= isst_domain_is_io(requests[i].domain);
	for (size_t i = 0; i < count; i++) {
		const struct isst_failure *failure = &requests[i].failure;

		if (!only_io && isst_domain_is_io(requests[i].domain))
			continue;
		any_left |= !failure->error;
		if (failure->error == -EOPNOTSUPP)
			unsupported = unsupported ? unsupported : failure;
		else if (failure->error)
			failed = failed ? failed : failure;
	}
	if (failed && (policy != ISST_SKIP_FAILED || !any_left))
		objection = failed;
	else if (unsupported && (policy == ISST_ALL_TARGETS || !any_left))
		objection = unsupported;
	if (objection && !change->objection.error)
		change->objection = *objection;
	change->left_out |= !objection && (unsupported || failed);
}

int plan_conclude(struct isst_change *change, const struct domain_request *requests, size_t count,
		  int error)
{
	if (!error) {
		conclude_targets(change, requests, count, false);
		return 0;
	}
	/* What failed as a whole may have left half of its steps. Nothing else fails without a
	 * message, and the last one is not about this. */
	if (error == -ENOMEM)
		message_error(&change->context->messages, error, "out of memory");
	if (!change->objection.error)
		change->objection = (struct isst_failure){ .error = error,
							   .message = isst_error(change->context) };
	return error;
}

void change_plan_without(struct isst_change *change, const struct isst_failure *failure,
			 bool others)
{
	const char *why = message_make(&change->context->messages, "%s", failure->message);
	const struct domain_request request = { .failure = { .error = failure->error,
							     .message = why } };

	conclude_targets(change, &request, 1, others);
}

/* ---- Facts ---- */

const char *feature_levels_text(struct isst_context *context, const struct domain_snapshot *domains,
				size_t count, unsigned int feature)
{
	struct isst_cpuset *levels = isst_cpuset_new();
	const char *text = NULL;
	bool known = levels;

	for (size_t i = 0; i < count && known; i++) {
		const struct isst_perf_profile *profile = &domains[i].profile;
		struct isst_level *all = calloc((size_t)profile->highest_level + 1, sizeof(*all));
		size_t filled = 0;

		known = all && !profile->failure.error;
		for (unsigned int number = 0; known && number <= profile->highest_level; number++)
			if (perf_profile_has_level(profile, number))
				all[filled++] = (struct isst_level){ .domain = domains[i].domain,
								     .level = number,
								     .profile = profile };
		known = known &&
			!levels_read(context, all, filled, sizeof(*all), ISST_LEVEL_FEATURES);
		for (size_t j = 0; j < filled; j++) {
			enum isst_feature_state state = feature == FEATURE_BASE_FREQ
								? all[j].base_freq
								: all[j].turbo_freq;

			known = known && !all[j].features_assumed && state != ISST_FEATURE_UNKNOWN;
			if (known && state != ISST_FEATURE_UNSUPPORTED)
				known = !isst_cpuset_add(levels, all[j].level, all[j].level);
			level_clear(&all[j]);
		}
		free(all);
	}
	if (known && isst_cpuset_count(levels) == 0)
		text = "; no level has it";
	else if (known)
		text = message_make(&context->messages, "; %s %s it",
				    message_numbers(&context->messages, "level", levels),
				    isst_cpuset_count(levels) == 1 ? "has" : "have");
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

const char *feature_unknown_why(const struct domain_snapshot *current)
{
	return current->profile.failure.error ? current->profile.failure.message
					      : current->level.failure.message;
}

bool feature_may_be_on(const struct domain_snapshot *current, unsigned int feature)
{
	const struct isst_level *level = &current->level;
	int error = current->profile.failure.error ? current->profile.failure.error
						   : level->failure.error;
	bool unknown = (feature == FEATURE_BASE_FREQ ? level->base_freq : level->turbo_freq) ==
		       ISST_FEATURE_UNKNOWN;

	return feature_is_on(level, feature) || (unknown && error && error != -EOPNOTSUPP);
}

bool feature_in_use(const struct isst_context *context, const struct domain_snapshot *domains,
		    size_t i, unsigned int feature)
{
	if (!context_has_power_domains(context))
		return feature_may_be_on(&domains[i], feature);
	for (size_t j = 0; j < isst_domain_count(context); j++)
		if (domains[j].role != NOT_REACHED &&
		    domains[j].domain->package == domains[i].domain->package &&
		    !isst_domain_is_io(domains[j].domain) &&
		    feature_may_be_on(&domains[j], feature))
			return true;
	return false;
}

const struct domain_snapshot *limits_user(const struct isst_context *context,
					  const struct domain_snapshot *domains, size_t i)
{
	const struct domain_snapshot *user = NULL;

	/* Those without CPUs have no use for the limits. */
	for (size_t j = 0; j < isst_domain_count(context) && context_has_power_domains(context);
	     j++)
		if (domains[j].role != NOT_REACHED && !domain_is_active(&domains[j]) &&
		    !isst_domain_is_io(domains[j].domain) &&
		    domains[j].domain->package == domains[i].domain->package &&
		    feature_may_be_on(&domains[j], FEATURE_TURBO_FREQ) &&
		    (!user || !feature_is_on(&user->level, FEATURE_TURBO_FREQ)))
			user = &domains[j];
	return user;
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

/** A governor that picks frequencies itself holds them down: intel_pstate's own ones leave that to
 * the hardware. One CPU stands for all: drivers and governors are chosen for the whole system. */
void warn_of_cpufreq(struct isst_change *change, const struct domain_snapshot *domains,
		     bool (*is_meant)(const struct domain_snapshot *domain), bool with_governor)
{
	const size_t count = isst_domain_count(change->context);
	struct kernel_files *files = &change->context->files;
	char *driver = NULL, *governor = NULL;
	unsigned int cpu;
	uint64_t khz;
	size_t i = 0;

	while (i < count && !(is_meant(&domains[i]) && domains[i].domain->has_cpu))
		i++;
	if (i == count)
		return;
	cpu = domains[i].domain->cpu;
	if (cpufreq_read(files, cpu, "scaling_max_freq", &khz))
		return;
	if (cpufreq_read(files, cpu, "base_frequency", &khz) == -ENOENT)
		change_warn(change, ISST_MESSAGE_HWP_OFF, of_cpu(NULL, cpu),
			    "CPU %u has no base_frequency: hardware-controlled performance states "
			    "(HWP) seem to be off, and without them this change has little effect; "
			    "check the BIOS and intel_pstate on the kernel command line",
			    cpu);
	if (with_governor && cpufreq_read_word(files, cpu, "scaling_driver", &driver) == 0 &&
	    cpufreq_read_word(files, cpu, "scaling_governor", &governor) == 0 &&
	    strcmp(driver, "intel_pstate") != 0 &&
	    (strcmp(governor, "powersave") == 0 || strcmp(governor, "userspace") == 0))
		change_warn(change, ISST_MESSAGE_GOVERNOR, of_cpu(NULL, cpu),
			    "CPU %u: the cpufreq governor is %s (driver %s), which fixes the "
			    "frequency regardless of this change",
			    cpu, governor, driver);
	free(driver);
	free(governor);
}

/* ---- Limits that were replaced ---- */

/** One line for each limit; one that turned out to be another owner's is not replaced. */
int name_replaced_limits(struct isst_change *change, const struct step *step,
			 bool (*is_named)(struct isst_change *change, const struct entry *entry),
			 const char *how)
{
	bool *named = calloc(step->count + 1, sizeof(*named));
	int error = named ? 0 : -ENOMEM;

	for (size_t i = 0; i < step->count && !error; i++) {
		const struct entry *entry = &step->entries[i];

		named[i] = entry->state >= ENTRY_WRITTEN && entry->old.number != CPUFREQ_NO_LIMIT &&
			   (!is_named || is_named(change, entry));
	}
	for (size_t i = 0; i < step->count && !error; i++) {
		uint64_t khz = step->entries[i].old.number;
		struct isst_cpuset *cpus;

		if (!named[i])
			continue;
		cpus = isst_cpuset_new();
		error = cpus ? 0 : -ENOMEM;
		for (size_t j = i; j < step->count && !error; j++)
			if (named[j] && step->entries[j].old.number == khz) {
				unsigned int cpu = step->entries[j].item.index;

				named[j] = false;
				error = isst_cpuset_add(cpus, cpu, cpu);
			}
		if (!error)
			change_warn(change, ISST_MESSAGE_SCALING_LIMIT_REPLACED,
				    of_cpus(NULL, cpus),
				    "%s: the frequency limit of %llu MHz (scaling_max_freq) %s",
				    message_numbers(&change->texts, "CPU", cpus),
				    (unsigned long long)khz / 1000, how);
		isst_cpuset_free(cpus);
	}
	free(named);
	return error;
}
