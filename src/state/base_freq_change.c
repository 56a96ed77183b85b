/* SPDX-License-Identifier: BSD-3-Clause */
/* SST-BF on and off, with what goes with it: CLOS, associations, core-power, cpufreq limits. */
#include "features/features.h"
#include "features/planning.h"
#include "state/apply.h"
#include "sysfs/cpufreq.h"
#include "topology/context.h"
#include "transaction/steps.h"
#include "transaction/turbo.h"

#include <errno.h>
#include <stdlib.h>

static void check_enable(struct planned_command *command, struct domain_snapshot *domain,
			 bool automatic)
{
	const struct isst_base_freq *info = &domain->level.base_freq_info;
	struct isst_change *change = command->change;

	if (!domain_is_asked(domain))
		return;
	if (domain->level.base_freq == ISST_FEATURE_UNSUPPORTED)
		target_reject(change, domain->domain, &domain->failure, -EOPNOTSUPP,
			      "base-freq feature is not present at this level %u%s",
			      domain->level.level,
			      feature_levels_text(change->context, domain, 1, FEATURE_BASE_FREQ));
	else if (automatic && !domain->core_power.supported)
		target_reject(change, domain->domain, &domain->failure, -EOPNOTSUPP,
			      "core-power feature, which --auto needs, is not present");
	else if (automatic && info->failure.error &&
		 (info->high_mhz.state != ISST_KNOWN || info->low_mhz.state != ISST_KNOWN ||
		  !info->high_priority))
		/* Power and temperature of SST-BF are not needed. */
		domain->failure = info->failure;
}

/** Checks what --auto goes by: reports that make no sense are not written. */
static void check_report(struct planned_command *command, struct domain_snapshot *domain)
{
	const struct isst_base_freq *info = &domain->level.base_freq_info;
	unsigned int high_mhz = info->high_mhz.value, low_mhz = info->low_mhz.value;
	/* 0: not known */
	unsigned int highest_mhz = (domain->level_limits & 0xff) * MHZ_PER_RATIO;
	const char *contradiction = NULL;
	bool any = false;

	/* Not each power domain of a package need have a high priority core. */
	facts_for_each_domain (other, &command->facts) {
		any |= (other == domain || (context_has_power_domains(command->change->context) &&
					    other->role == ASKED_FOR &&
					    other->domain->package == domain->domain->package)) &&
		       isst_cpuset_count(other->level.base_freq_info.high_priority) > 0;
	}
	if (high_mhz == 0 || low_mhz == 0)
		contradiction = "neither can be 0";
	else if (high_mhz < low_mhz)
		contradiction = "the former is lower";
	else if (highest_mhz > 0 && high_mhz > highest_mhz)
		contradiction = "the former is above the highest turbo frequency of that level";
	if (!any)
		target_reject(
			command->change, domain->domain, &domain->failure, -EIO,
			"the firmware reports no high priority core at level %u: all of its cores would "
			"get low priority",
			domain->level.level);
	else if (contradiction)
		target_reject(
			command->change, domain->domain, &domain->failure, -EIO,
			"the firmware reports base frequencies of %u MHz (high priority) and %u MHz "
			"(low priority) at level %u: %s",
			high_mhz, low_mhz, domain->level.level, contradiction);
}

/** The base frequencies that a domain gets: its own or, of a neighbour and of one without CPUs,
 * those of a domain with CPUs of its package that was asked for. */
static const struct isst_base_freq *base_freq_of(const struct facts *facts,
						 const struct domain_snapshot *domain)
{
	const struct domain_snapshot *owner = domain;

	facts_for_each_domain (target, facts)
		if ((domain->role != ASKED_FOR || isst_domain_is_io(domain->domain)) &&
		    domain_is_asked(target) && !isst_domain_is_io(target->domain) &&
		    target->domain->package == domain->domain->package)
			owner = target;
	return &owner->level.base_freq_info;
}

/** The cores of high priority are in CLOS 0, which guarantees the high base frequency; the others,
 * in CLOS 3, have the low one. Turbo-freq stays as it is. */
static int add_priorities(struct planned_command *command)
{
	struct isst_context *context = command->change->context;
	int error = command_add(command, SUBJECT_HIGH_PRIORITY, INDEX_ALL, WANTED_CORES, 0);

	if (!error)
		error = command_add(command, SUBJECT_TURBO_FREQ, INDEX_ALL, WANTED_UNMANAGED, 0);
	facts_for_each_domain (domain, &command->facts) {
		const struct isst_base_freq *info = base_freq_of(&command->facts, domain);
		struct setting min = { .subject = SUBJECT_CLOS_MIN,
				       .index = INDEX_ALL,
				       .wanted = WANTED_KHZ,
				       .number = info->low_mhz.value * UINT64_C(1000) };

		if (error || !domain->shares)
			continue;
		error = settings_add(&command->settings, context, domain->domain, min);
		min.index = 0;
		min.number = info->high_mhz.value * UINT64_C(1000);
		if (!error)
			error = settings_add(&command->settings, context, domain->domain, min);
		if (!error && domain_is_asked(domain))
			error = isst_cpuset_add_set(command->high_priority,
						    domain->level.base_freq_info.high_priority);
	}
	return error;
}

/** One line for each limit that was removed, whatever the number of CPUs. */
static int name_removed_limits(struct step *step)
{
	return name_replaced_limits(step->change, step, NULL,
				    "was below the base frequency of base-freq, and is removed");
}

/** The limits that cpufreq gets once the base frequencies have changed. */
struct limits_plan {
	struct isst_change *change;
	struct step *max, *min;
	enum turbo_state turbo;
};

/** Removes a limit below the base frequency, which would keep turbo out, and asks the CPU to run at
 * its best as far as its limit allows, as the steps planned before leave them. */
static int plan_cpu_limits(const struct limits_plan *plan, const struct isst_domain *domain,
			   unsigned int cpu, uint64_t base_khz)
{
	struct kernel_files *files = &plan->change->context->files;
	const struct item max = item_of(ITEM_SCALING_MAX, domain, cpu);
	const struct item level = item_of(ITEM_LEVEL, domain, 0);
	bool online = isst_cpuset_has(domain->online, cpu);
	/* A CPU that comes online shows nothing yet: another one stands for it. */
	unsigned int shown = online ? cpu : domain->cpu;
	uint64_t highest_khz, former_base_khz, limit_khz = CPUFREQ_NO_LIMIT, ignored = 0;
	/* Another level, planned before, moves the highest frequency. */
	bool moves = change_project(plan->change, &level, &ignored);
	int error = cpufreq_read(files, shown, "cpuinfo_max_freq", &highest_khz);

	if (!error && plan->turbo == TURBO_OFF) {
		error = cpufreq_read(files, shown, "base_frequency", &former_base_khz);
		if (!error && highest_khz <= former_base_khz)
			highest_khz = base_khz;
		error = error == -ENOENT ? 0 : error;
	}
	if (!error && online) {
		error = cpufreq_read(files, cpu, "scaling_max_freq", &limit_khz);
		/* A limit at the highest frequency is none. */
		if (!error && moves && limit_khz >= highest_khz)
			limit_khz = CPUFREQ_NO_LIMIT;
		if (!error)
			change_project(plan->change, &max, &limit_khz);
	}
	/* A CPU without cpufreq has no limits. */
	if (error)
		return error == -ENOENT ? 0 : error;
	if (limit_khz < base_khz) {
		/* A limit at the processor's highest frequency is none. */
		uint64_t least_khz = base_khz < highest_khz ? base_khz : CPUFREQ_NO_LIMIT;

		limit_khz = CPUFREQ_NO_LIMIT;
		step_raise(plan->max, max, least_khz, CPUFREQ_NO_LIMIT);
	}
	if (moves && plan->min)
		plan->min->before = scaling_limits_fit;
	if (limit_khz > highest_khz)
		limit_khz = moves ? LIMIT_HIGHEST : highest_khz;
	step_set(plan->min, item_of(ITEM_SCALING_MIN, domain, cpu), WHOLE_VALUE, limit_khz);
	return 0;
}

/** The limits of cpufreq of every CPU that is online, after the base frequencies have changed. */
static int plan_limits(const struct planned_command *command)
{
	struct isst_change *change = command->change;
	struct limits_plan plan = { .change = change };
	int error = change_turbo_state(change, &plan.turbo);

	plan.max = change_step(change, ITEM_SCALING_MAX);
	plan.min = change_step(change, ITEM_SCALING_MIN);
	if (plan.max)
		plan.max->after = name_removed_limits;
	facts_for_each_domain (target, &command->facts) {
		const struct isst_base_freq *info = &target->level.base_freq_info;
		const struct isst_domain *domain = target->domain;
		unsigned int cpu;

		if (error || !domain_is_asked(target))
			continue;
		isst_cpuset_for_each (cpu, domain->present) {
			uint64_t base_mhz = isst_cpuset_has(info->high_priority, cpu)
						    ? info->high_mhz.value
						    : info->low_mhz.value;

			if (!error && domain->has_cpu && cpu_will_be_online(change, domain, cpu))
				error = plan_cpu_limits(&plan, domain, cpu, base_mhz * 1000);
		}
	}
	return error ? error : change_turbo_state(change, &plan.turbo);
}

static int plan_enable(struct planned_command *command, bool automatic)
{
	struct isst_change *change = command->change;
	int error = command_add(command, SUBJECT_BASE_FREQ, INDEX_ALL, WANTED_NUMBER, 1);

	command->high_priority = isst_cpuset_new();
	if (!command->high_priority)
		error = -ENOMEM;
	if (automatic || context_has_power_domains(change->context))
		warn_of_cpufreq(change, command->facts.domains, domain_is_asked, automatic);
	if (!error && automatic)
		error = add_priorities(command);
	facts_for_each_domain (domain, &command->facts)
		domain->counts = domain->shares;
	if (!error)
		error = command_plan(command, automatic ? SUBJECTS_OF_CORE_POWER : 0);
	if (!error && automatic)
		error = plan_limits(command);
	if (!error && automatic)
		error = command_save(command, FEATURE_BASE_FREQ);
	return error;
}

static int plan_disable(struct planned_command *command, bool automatic)
{
	struct step *min;
	int error = command_disable(command, FEATURE_BASE_FREQ, automatic);

	if (error || !automatic)
		return error;
	/* Where nothing is restored limits of cpufreq become those of the processor. */
	min = change_step(command->change, ITEM_SCALING_MIN);
	facts_for_each_domain (target, &command->facts) {
		const struct isst_domain *domain = target->domain;
		unsigned int cpu;

		if (!domain_is_asked(target) || target->restored)
			continue;
		isst_cpuset_for_each (cpu, domain->online)
			step_set(min, item_of(ITEM_SCALING_MIN, domain, cpu), WHOLE_VALUE, 0);
	}
	return command_core_power_off(command, FEATURE_BASE_FREQ);
}

/* ---- Set up by the BIOS: limits of cpufreq hold every CPU at its own base frequency ---- */

/** All of a domain or nothing. Returns 0, also where @target was refused, or -ENOMEM. */
static int plan_preset_domain(const struct limits_plan *plan, struct domain_snapshot *target,
			      bool enable)
{
	const struct isst_domain *domain = target->domain;
	struct isst_change *change = plan->change;
	struct preset_limits *limits = calloc(isst_cpuset_count(domain->online) + 1,
					      sizeof(*limits));
	const char *missing = NULL;
	struct item max;
	unsigned int cpu;
	size_t count = 0;
	int error = limits ? 0 : -ENOMEM;

	isst_cpuset_for_each (cpu, domain->online) {
		if (error)
			break;
		limits[count].max_khz = CPUFREQ_NO_LIMIT;
		error = cpufreq_hides_limit(&change->context->files, cpu, plan->turbo,
					    &limits[count].hidden);
		if (!error && enable)
			error = preset_find_limits(&change->context->files, cpu, &missing,
						   &limits[count]);
		if (error == -ENOENT)
			target_reject(change, domain, &target->failure, -EOPNOTSUPP,
				      "CPU %u has no %s in cpufreq, which needs intel_pstate with "
				      "hardware-controlled performance states (HWP)",
				      cpu, missing);
		else if (error && error != -ENOMEM)
			target_reject(change, domain, &target->failure, error, "%s",
				      isst_error(change->context));
		count++;
	}
	count = 0;
	isst_cpuset_for_each (cpu, domain->online) {
		if (error)
			break;
		max = item_of(ITEM_SCALING_MAX, domain, cpu);
		if (limits[count].hidden)
			step_set_hidden(plan->max, max, limits[count].max_khz, CPUFREQ_NO_LIMIT);
		else
			step_set(plan->max, max, WHOLE_VALUE, limits[count].max_khz);
		step_set(plan->min, item_of(ITEM_SCALING_MIN, domain, cpu), WHOLE_VALUE,
			 limits[count++].min_khz);
	}
	free(limits);
	return error == -ENOMEM ? error : 0;
}

static int plan_preset(struct planned_command *command, bool enable, bool automatic)
{
	struct isst_change *change = command->change;
	struct facts *facts = &command->facts;
	struct limits_plan plan = { .change = change };
	int error = 0;

	if (enable) {
		warn_of_cpufreq(change, facts->domains, domain_is_asked, true);
	} else if (automatic) {
		error = settings_read(change->context, &command->saved);
		if (!error)
			error = plan_restoring(command, FEATURE_BASE_FREQ);
	}
	/* The upper limit first, since it wins where the lower one is above it. */
	plan.max = change_step(change, ITEM_SCALING_MAX);
	plan.min = change_step(change, ITEM_SCALING_MIN);
	if (!error)
		error = change_turbo_state(change, &plan.turbo);
	facts_for_each_domain (domain, facts)
		if (!error && domain_is_asked(domain) && !domain->restored)
			error = plan_preset_domain(&plan, domain, enable);
	if (!error)
		error = change_turbo_state(change, &plan.turbo);
	facts_for_each_domain (domain, facts)
		if (!error && !enable && domain_is_asked(domain))
			change_warn(change, ISST_MESSAGE_NOTHING_TO_DISABLE,
				    of_domain(domain->domain),
				    "%s: base-freq is configured by the BIOS and stays enabled: "
				    "only limits of cpufreq are removed",
				    domain->domain->name);
	if (!error && enable && automatic)
		error = command_save(command, FEATURE_BASE_FREQ);
	return error;
}

/* ---- On and off ---- */

int change_plan_base_freq(struct isst_change *change, struct domain_request *requests, size_t count,
			  bool enable, bool automatic)
{
	/* What it need not know cannot keep the change from being made. */
	struct command_needs needs = { .asked = { .levels = REQUIRED } };
	struct planned_command command = { .change = change };
	bool preset = change->context->platform.preset;
	struct facts *facts = &command.facts;
	int error;

	if (automatic && !preset) {
		needs.asked.core_power = REQUIRED;
		needs.asked.parts = enable ? ISST_LEVELS_BASE_FREQ : ISST_LEVEL_FEATURES;
	}
	if ((!enable || automatic) && !preset) {
		needs.reach = REACH_POWER_DOMAINS;
		needs.neighbours = needs.asked;
		needs.neighbours.parts = ISST_LEVEL_FEATURES;
	}
	/* I/O dies go off with the last of the others. */
	if (!enable && !automatic)
		needs.neighbours.levels = OPTIONAL;
	error = command_begin(&command, requests, count, &needs);
	for (size_t i = 0; i < facts->count && enable && !preset && !error; i++)
		check_enable(&command, &facts->domains[i], automatic);
	if (!error && enable && automatic && !preset) {
		facts_for_each_domain (domain, facts)
			domain->subjects = domain_is_asked(domain);
		error = facts_read_limits(facts);
		facts_for_each_domain (target, facts)
			if (!error && domain_is_asked(target) &&
			    isst_cpuset_count(target->domain->present) > 0)
				check_report(&command, target);
	}
	command_settle(&command);
	if (!error && preset)
		error = plan_preset(&command, enable, automatic);
	else if (!error)
		error = enable ? plan_enable(&command, automatic)
			       : plan_disable(&command, automatic);
	return command_end(&command, requests, count, error);
}
