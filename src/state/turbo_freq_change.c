/* SPDX-License-Identifier: BSD-3-Clause */
/* SST-TF on and off, with what goes with it: core-power, CLOS, associations, turbo ratio limits. */
#include "firmware/platform.h"
#include "state/apply.h"
#include "state/facts.h"
#include "sysfs/cpufreq.h"
#include "topology/context.h"
#include "transaction/steps.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- Turbo ratio limits ---- */

/** Reports why the turbo ratio limits of a package stay: turbo-freq is on in another power domain,
 * or that cannot be read. */
static void warn_of_use(struct isst_change *change, const struct domain_snapshot *user)
{
	if (!feature_is_on(&user->level, FEATURE_TURBO_FREQ))
		change_warn(change, ISST_MESSAGE_TURBO_RATIO_LIMITS_KEPT, of_domain(user->domain),
			    "%s; turbo-freq may be enabled there: the turbo ratio limits of the "
			    "package are left unchanged",
			    feature_unknown_why(user));
	else
		change_warn(
			change, ISST_MESSAGE_TURBO_RATIO_LIMITS_KEPT,
			of_package(user->domain->package),
			"package %u: turbo-freq stays enabled in another power domain: the turbo "
			"ratio limits of the package are left unchanged",
			user->domain->package);
}

/** Limits of the level, of which nothing is in force while turbo-freq is on, where they are not
 * restored. Nothing but these is asked for, and they are no reason to leave turbo-freq on. */
static int plan_level_limits(struct planned_command *command)
{
	struct facts *facts = &command->facts;
	bool any = false;
	int error;

	for (size_t i = 0; i < facts->count; i++) {
		struct domain_snapshot *domain = &facts->domains[i];
		/* The register is that of a CPU. The highest turbo frequencies of other power
		 * domains depend on them. */
		bool own = domain_is_asked(domain) && domain->domain->has_cpu;
		const struct domain_snapshot *user =
			own ? limits_user(command->change->context, facts->domains, i) : NULL;

		if (user)
			warn_of_use(command->change, user);
		domain->counts = own && !user && !domain->limits_settled;
		any |= domain->counts;
	}
	if (!any)
		return 0;
	error = command_add(command, SUBJECT_TURBO_RATIO_LIMITS, INDEX_ALL, WANTED_OF_LEVEL, 0);
	return error ? error : command_plan(command, 0);
}

/* ---- What enabling needs ---- */

/** Each core must be known, or its old priority would stay. Firmware that reports no bucket would
 * have cores take second place to none; what cannot be read is not known to be none. */
static void check_cores(struct planned_command *command, struct domain_snapshot *domain)
{
	const struct facts *facts = &command->facts;
	const char *unknown = topology_domain(domain->domain)->unknown_core;

	if (domain_is_asked(domain) && unknown)
		target_reject(command->change, domain->domain, &domain->failure, -EIO, "%s",
			      unknown);
	if (!domain_is_asked(domain) || isst_cpuset_count(domain->domain->present) == 0)
		return;
	/* Power domains share the buckets of their package. */
	facts_for_each_domain (other, facts) {
		const struct isst_turbo_freq *info = &other->level.turbo_freq_info;

		if (other != domain && !(context_has_power_domains(command->change->context) &&
					 other->role == ASKED_FOR &&
					 other->domain->package == domain->domain->package))
			continue;
		if (info->failure.error)
			return;
		for (unsigned int type = 0; type < ISST_TRL_TYPES && info->buckets > 0; type++)
			if (info->mhz[type][0].state == ISST_KNOWN && info->mhz[type][0].value > 0)
				return;
	}
	target_reject(
		command->change, domain->domain, &domain->failure, -EIO,
		"the firmware reports no bucket of turbo-freq at level %u: none of its cores would get a "
		"higher turbo frequency",
		domain->level.level);
}

/** Whether every query that enabling depends on was answered with yes. */
static void check_enable(struct planned_command *command, struct domain_snapshot *domain)
{
	struct isst_change *change = command->change;

	if (!domain_is_asked(domain))
		return;
	if (domain->level.turbo_freq == ISST_FEATURE_UNSUPPORTED)
		target_reject(change, domain->domain, &domain->failure, -EOPNOTSUPP,
			      "turbo-freq feature is not present at this level %u%s",
			      domain->level.level,
			      feature_levels_text(change->context, domain, 1, FEATURE_TURBO_FREQ));
	else if (!domain->core_power.supported)
		target_reject(change, domain->domain, &domain->failure, -EOPNOTSUPP,
			      "core-power feature, which turbo-freq needs, is not present");
}

/** CPUs that lose the high priority of an earlier run are named. */
static int warn_of_former(struct isst_change *change, const struct isst_domain *domain,
			  const struct isst_cpuset *high_priority)
{
	size_t count = isst_cpuset_count(domain->present), filled = 0;
	struct isst_clos_association *now = calloc(count ? count : 1, sizeof(*now));
	struct isst_cpuset *former = isst_cpuset_new();
	unsigned int number;
	int error = now && former ? 0 : -ENOMEM;

	if (error)
		goto out;
	isst_cpuset_for_each (number, domain->present)
		now[filled++].cpu = context_cpu(change->context, number);
	error = clos_association_read(change->context, now, filled);
	for (size_t i = 0; i < filled && !error; i++) {
		unsigned int cpu = now[i].cpu->number;

		if (now[i].failure.error && now[i].cpu->core_known)
			error = message_error(&change->context->messages, now[i].failure.error,
					      "%s", now[i].failure.message);
		else if (!now[i].failure.error && now[i].clos == 0 &&
			 !isst_cpuset_has(high_priority, cpu))
			error = isst_cpuset_add(former, cpu, cpu);
	}
	if (error || isst_cpuset_count(former) == 0)
		goto out;
	change_warn(change, ISST_MESSAGE_HIGH_PRIORITY_LOST, of_cpus(NULL, former),
		    "%s had high priority before, and low priority now",
		    message_numbers(&change->texts, "CPU", former));
out:
	free(now);
	isst_cpuset_free(former);
	return error;
}

/** Adds the siblings of CPUs: what is given priority is a core. */
static struct isst_cpuset *with_siblings(const struct isst_context *context,
					 const struct isst_cpuset *cpus)
{
	struct isst_cpuset *all = isst_cpuset_new();
	unsigned int number;
	int error = all ? 0 : -ENOMEM;

	isst_cpuset_for_each (number, cpus) {
		const struct isst_cpu *cpu = context_cpu(context, number);
		struct isst_cpuset *core;

		if (error || !cpu || !cpu->core_known || cpu->core >= 64)
			continue;
		core = topology_cpus_of_cores(context->topology, cpu->domain,
					      UINT64_C(1) << cpu->core);
		error = core ? isst_cpuset_add_set(all, core) : -ENOMEM;
		isst_cpuset_free(core);
	}
	if (!error)
		return all;
	isst_cpuset_free(all);
	return NULL;
}

/** What is reported of the cores that get high priority; @named: whether there are some. */
static int warn_of_priorities(struct planned_command *command, bool named)
{
	struct isst_change *change = command->change;
	const struct facts *facts = &command->facts;
	bool any = false, failed = false;
	int error = 0;

	facts_for_each_domain (domain, facts)
		if (!error && domain_is_active(domain) &&
		    domain->level.turbo_freq == ISST_FEATURE_ENABLED)
			error = warn_of_former(change, domain->domain, command->high_priority);
	/* Lack of the feature is left to the others. */
	facts_for_each_domain (target, facts) {
		int failure = target->failure.error;

		if (target->role != ASKED_FOR)
			continue;
		failed |= failure && failure != -EOPNOTSUPP && failure != -ECANCELED;
		any |= !failure;
	}
	if (!named && any && !failed)
		change_warn(change, ISST_MESSAGE_NO_HIGH_PRIORITY_CPUS, of_machine(),
			    "no CPUs are named: every %s becomes low priority, and none gets a "
			    "higher turbo frequency; choose high priority CPUs with "
			    "--high-priority CORES/package, or specify them with -c before the "
			    "feature",
			    platform_cores_word(&change->context->platform, 1));
	return error;
}

/* ---- On and off ---- */

/** Whether turbo-freq is on already in all that a domain shares core-power with, as far as it is
 * asked for; I/O dies, which follow the others, need core-power for nothing. */
static bool was_on(const struct planned_command *command, const struct domain_snapshot *domain)
{
	bool shared = context_has_power_domains(command->change->context), on = true, any = false;

	facts_for_each_domain (other, &command->facts) {
		if (!domain_is_asked(other) || isst_domain_is_io(other->domain) ||
		    !(other == domain ||
		      (shared && other->domain->package == domain->domain->package)))
			continue;
		on &= feature_is_on(&other->level, FEATURE_TURBO_FREQ);
		any = true;
	}
	return on && any;
}

/** Turbo-freq, and core-power for its priorities. Where turbo-freq is on already another process
 * may have disabled core-power since: that is left as it is. */
static int add_settings(struct planned_command *command)
{
	static const struct {
		enum subject subject;
		uint64_t number;
	} SWITCHES[] = { { SUBJECT_CORE_POWER, 1 }, { SUBJECT_PRIORITY, ISST_PRIORITY_ORDERED } };
	int error = command_add(command, SUBJECT_TURBO_FREQ, INDEX_ALL, WANTED_NUMBER, 1);

	for (size_t i = 0; i < 2 && !error; i++) {
		const struct setting kept = { .subject = SWITCHES[i].subject,
					      .index = INDEX_ALL,
					      .wanted = WANTED_UNMANAGED };

		error = command_add(command, kept.subject, INDEX_ALL, WANTED_NUMBER,
				    SWITCHES[i].number);
		facts_for_each_domain (domain, &command->facts)
			if (!error && was_on(command, domain))
				error = settings_add(&command->settings, command->change->context,
						     domain->domain, kept);
	}
	return error;
}

/** All bits set, where none are given. */
static int add_limits(struct planned_command *command, const struct turbo_freq_request *request)
{
	return command_add(command, SUBJECT_TURBO_RATIO_LIMITS, INDEX_ALL,
			   request->limits_given ? WANTED_NUMBER : WANTED_NONE, request->limits);
}

static int plan_enable(struct planned_command *command, const struct turbo_freq_request *request)
{
	struct isst_change *change = command->change;
	int error;

	command->high_priority = request->high_priority
					 ? with_siblings(change->context, request->high_priority)
					 : isst_cpuset_new();
	if (!command->high_priority)
		return -ENOMEM;
	warn_of_cpufreq(change, command->facts.domains, domain_is_asked, true);
	error = request->automatic ? warn_of_priorities(command, request->high_priority) : 0;
	if (!error)
		error = request->automatic ? command_add(command, SUBJECT_HIGH_PRIORITY, INDEX_ALL,
							 WANTED_CORES, 0)
					   : add_settings(command);
	if (!error)
		error = add_limits(command, request);
	facts_for_each_domain (domain, &command->facts)
		domain->counts = domain->shares;
	if (!error)
		error = command_plan(command, request->automatic ? SUBJECTS_OF_CORE_POWER |
									   1U << SUBJECT_ASSOCIATION
								 : SUBJECTS_OF_CORE_POWER);
	if (!error && request->automatic)
		error = command_save(command, FEATURE_TURBO_FREQ);
	return error;
}

static int plan_disable(struct planned_command *command, const struct turbo_freq_request *request)
{
	int error = command_disable(command, FEATURE_TURBO_FREQ, request->automatic);

	if (!error && request->limits_given) {
		error = add_limits(command, request);
		facts_for_each_domain (domain, &command->facts)
			domain->counts = domain_is_active(domain);
		if (!error)
			error = command_plan(command, 0);
	} else if (!error) {
		error = plan_level_limits(command);
	}
	if (!error && request->automatic)
		error = command_core_power_off(command, FEATURE_TURBO_FREQ);
	return error;
}

int change_plan_turbo_freq(struct isst_change *change, struct domain_request *requests,
			   size_t count, const struct turbo_freq_request *request)
{
	/* What it need not know cannot keep the change from being made. */
	struct command_needs needs = { .reach = request->automatic ? REACH_PACKAGES
								   : REACH_POWER_DOMAINS,
				       .asked = { .levels = REQUIRED } };
	struct planned_command command = { .change = change };
	struct facts *facts = &command.facts;
	int error;

	if (request->enable || request->automatic)
		needs.asked.core_power = REQUIRED;
	needs.neighbours = needs.asked;
	/* For their saved settings, and as their turbo-freq may need the limits. */
	if (!request->automatic)
		needs.neighbours.levels = request->enable ? NOT_NEEDED : OPTIONAL;
	/* To warn of frequencies that cannot be reached. */
	if (request->enable && request->automatic)
		needs.asked.parts = ISST_LEVELS_TURBO_FREQ;
	error = command_begin(&command, requests, count, &needs);
	for (size_t i = 0; i < facts->count && request->enable && !error; i++)
		check_enable(&command, &facts->domains[i]);
	for (size_t i = 0; i < facts->count && request->enable && request->automatic && !error; i++)
		check_cores(&command, &facts->domains[i]);
	if (!error && request->enable)
		error = turbo_freq_check_turbo(change, facts->domains, domain_is_asked);
	command_settle(&command);
	if (!error)
		error = request->enable ? plan_enable(&command, request)
					: plan_disable(&command, request);
	return command_end(&command, requests, count, error);
}
