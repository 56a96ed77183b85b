/* SPDX-License-Identifier: BSD-3-Clause */
/* Turbo ratio limits, limits of cpufreq and of the uncore of a configuration, as items. */
#include "base/cpuset.h"
#include "features/cpus_change.h"
#include "features/features.h"
#include "features/planning.h"
#include "state/wanted.h"
#include "sysfs/cpufreq.h"
#include "sysfs/system.h"
#include "topology/context.h"
#include "transaction/run.h"
#include "transaction/steps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- Frequencies ---- */

struct isst_value wanted_of_level(const struct isst_level *level, enum wanted_kind wanted)
{
	struct isst_value base = level->base_mhz;

	if (wanted == WANTED_TURBO)
		return level->limit[0].mhz[0];
	/* Without one it is the ratio of the thermal design power, as in `perf-profile info`. */
	if (base.state == ISST_KNOWN && base.value == 0)
		base.state = ISST_ABSENT;
	if (base.state == ISST_ABSENT && level->tdp_ratio.state == ISST_KNOWN)
		base = (struct isst_value){ ISST_KNOWN, level->tdp_ratio.value * MHZ_PER_RATIO };
	return base;
}

int resolve_frequency(struct wanted *wanted, const struct domain_snapshot *domain,
		      const struct wish *wish, uint64_t *khz)
{
	/* The facts of a domain with CPUs: its own, or those of the first one of its package. */
	const struct domain_snapshot *cores = domain->domain->has_cpu
						      ? domain
						      : facts_of_limits(&wanted->facts, domain);
	const struct isst_failure *failure = &cores->level.failure;
	struct isst_context *context = wanted->context;
	struct isst_value value;
	int error = -ENOENT;

	switch (wish->wanted) {
	case WANTED_BASE:
	case WANTED_TURBO:
		value = wanted_of_level(&cores->level, wish->wanted);
		*khz = value.value * UINT64_C(1000);
		if (value.state == ISST_KNOWN && value.value > 0)
			return 0;
		/* A level of which something could not be read is not known to lack it. */
		if (value.state != ISST_KNOWN && failure->error &&
		    !error_is_absence(failure->error))
			error = wanted_fails(wanted, wish->setting, cores->domain, failure);
		else
			error = wanted_reject(wanted, wish->setting, cores->domain, -EOPNOTSUPP,
					      "level %u specifies no %s frequency",
					      cores->level.level,
					      wish->wanted == WANTED_BASE ? "base" : "turbo");
		return error ? error : -ENODATA;
	case WANTED_LOWEST:
		if (cores->domain->has_cpu)
			error = cpufreq_read(&context->files, cores->domain->cpu,
					     "cpuinfo_min_freq", khz);
		if (!error || error == -ENOMEM)
			return error;
		if (error == -ENOENT)
			error = wanted_reject(
				wanted, wish->setting, cores->domain, -EOPNOTSUPP,
				"the kernel shows no lowest frequency (cpuinfo_min_freq)");
		else
			error = wanted_reject(wanted, wish->setting, cores->domain, error, "%s",
					      isst_error(context));
		return error ? error : -ENODATA;
	default:
		*khz = wish->number;
		return 0;
	}
}

/** Of a domain, that a setting may name. */
enum { FABRICS = 256 };

/* ---- Turbo ratio limits ---- */

/** Whether something is stated of the limits of a domain, or of one that shares their register. */
static bool limits_are_stated(const struct wanted *wanted, const struct isst_domain *domain)
{
	const struct facts *facts = &wanted->facts;
	bool shared = context_has_power_domains(wanted->context);

	facts_for_each_domain (target, facts) {
		const struct isst_domain *other = target->domain;

		if ((other == domain || (shared && other->package == domain->package)) &&
		    domain_setting(wanted->context, wanted->configuration,
				   SUBJECT_TURBO_RATIO_LIMITS, other, INDEX_ALL))
			return true;
	}
	return false;
}

/** Whether limits in force count: turbo-freq shall be on, and they are not stated. */
static bool present_limits_count(const struct wanted *wanted, const struct domain_snapshot *domain,
				 struct wish *wish)
{
	return domain->has_present_limits && !limits_are_stated(wanted, domain->domain) &&
	       resolve_wish(wanted, SUBJECT_TURBO_FREQ, domain->domain, INDEX_ALL, wish) &&
	       wish->number;
}

/** What is implied where turbo-freq is switched: with it on they would hold high priority cores
 * back, with it off those of the level come back. */
static bool imply_limits(const struct wanted *wanted, const struct domain_snapshot *domain,
			 struct wish *wish)
{
	bool on;

	if (!wanted->facts.whole || limits_are_stated(wanted, domain->domain) ||
	    !resolve_wish(wanted, SUBJECT_TURBO_FREQ, domain->domain, INDEX_ALL, wish) ||
	    (domain->level.turbo_freq < ISST_FEATURE_DISABLED && !domain->level.features_assumed))
		return false;
	on = wish->number;
	/* Another level begins with turbo-freq off, and with its own limits. */
	if (domain->level.level != domain->profile.current_level)
		wish->wanted = WANTED_NONE;
	else if (on == feature_is_on(&domain->level, FEATURE_TURBO_FREQ))
		return false;
	else
		wish->wanted = on ? WANTED_NONE : WANTED_OF_LEVEL;
	/* Power domains share the register of their package: one with turbo-freq on keeps it. */
	return on || (wish->wanted == WANTED_OF_LEVEL &&
		      !(context_has_power_domains(wanted->context) &&
			wanted_turbo_freq_on(wanted, domain->domain->package)));
}

/** The limits of the level. Returns -ENODATA where there are none, or are not known. */
static int level_limits(struct wanted *wanted, const struct domain_snapshot *domain,
			const struct wish *wish, bool implied, uint64_t *limits)
{
	const struct domain_snapshot *owner = facts_of_limits(&wanted->facts, domain);
	int error = 0;

	*limits = owner->level_limits;
	/* A command leaves what is not known as it is. */
	if (wanted->is_command && (owner->limits_failure.error || *limits == 0)) {
		if (owner->limits_failure.error)
			change_warn(wanted->change, ISST_MESSAGE_TURBO_RATIO_LIMITS_KEPT,
				    of_cause(wanted->change, owner->limits_failure.message),
				    "%s; the turbo ratio limits are left unchanged",
				    owner->limits_failure.message);
		else
			change_warn(wanted->change, ISST_MESSAGE_TURBO_RATIO_LIMITS_KEPT,
				    of_domain(domain->domain),
				    "%s: level %u has no turbo ratio limits; the current ones are "
				    "left unchanged",
				    domain->domain->name, owner->level.level);
		return -ENODATA;
	}
	/* Firmware without SST-PP refuses to report them: its one level has none. */
	if (owner->limits_failure.error == -EOPNOTSUPP && !owner->profile.failure.error &&
	    wish->setting->optional)
		error = wanted_note_unsupported(wanted, owner->limits_failure.message);
	else if (owner->limits_failure.error)
		error = wanted_fails(wanted, wish->setting, domain->domain, &owner->limits_failure);
	else if (*limits > 0)
		return 0;
	else if (!implied)
		error = wanted_reject(wanted, wish->setting, domain->domain, -EOPNOTSUPP,
				      "level %u has no turbo ratio limits that can be read",
				      owner->level.level);
	return error ? error : -ENODATA;
}

/** Limits that were found for another power domain of the package, where they are others: which of
 * them the register would hold is chance. A state holds what some machine had. */
static int check_shared_limits(struct wanted *wanted, const struct wanted_item *item)
{
	if (!context_has_power_domains(wanted->context) ||
	    configuration_is_state(wanted->configuration, item->setting->origin.source))
		return 0;
	for (size_t i = 0; i < wanted->count; i++) {
		const struct wanted_item *other = &wanted->items[i];

		if (other->subject == SUBJECT_TURBO_RATIO_LIMITS &&
		    other->domain->package == item->domain->package && other->bits != item->bits)
			return wanted_reject(
				wanted, item->setting, item->domain, -EINVAL,
				"the turbo ratio limits are those of the package, and others are "
				"stated for %s",
				other->domain->name);
	}
	return 0;
}

/** Limits of 0 for buckets that the level has. A state holds what some machine had. */
static int check_no_ratio_zero(struct wanted *wanted, const struct domain_snapshot *domain,
			       const struct wish *wish)
{
	const struct domain_snapshot *owner = facts_of_limits(&wanted->facts, domain);
	const struct isst_failure *failure = &owner->limits_failure;
	uint64_t of_level = owner->level_limits;

	if (configuration_is_state(wanted->configuration, wish->setting->origin.source))
		return 0;
	if (failure->error && !error_is_absence(failure->error))
		return wanted_fails(wanted, wish->setting, domain->domain, failure);
	for (unsigned int i = 0; i < ISST_BUCKETS; i++)
		if ((of_level >> 8 * i & 0xff) > 0 && (wish->number >> 8 * i & 0xff) == 0)
			return wanted_reject(wanted, wish->setting, domain->domain, -EINVAL,
					     "bucket %u would have ratio 0: state a ratio for "
					     "each bucket of the level",
					     i);
	return 0;
}

int resolve_turbo_ratio_limits(struct wanted *wanted, const struct domain_snapshot *domain)
{
	struct wanted_item item = {
		.item = item_of(ITEM_TURBO_RATIO_LIMITS, domain->domain, 0),
		.mask = UINT64_MAX,
		.bits = UINT64_MAX,
		.subject = SUBJECT_TURBO_RATIO_LIMITS,
		.domain = domain->domain,
	};
	struct wish wish;
	bool counts;
	int error = 0;

	/* The register is that of a CPU; only those that are to be left alone may be left. */
	if (!domain->domain->has_cpu ||
	    (wanted->targets.undisturbed &&
	     cpuset_contains(undisturbed_known(&wanted->context->files), domain->domain->online)))
		return 0;
	if (!resolve_wish(wanted, SUBJECT_TURBO_RATIO_LIMITS, domain->domain, INDEX_ALL, &wish)) {
		/* A command states what becomes of them. */
		if (wanted->is_command)
			return 0;
		counts = present_limits_count(wanted, domain, &wish);
		/* What could not be read may be too low: no comparison without it. A change leaves
		 * it as it is, and reports that. */
		if (counts && domain->present_failure.error)
			error = wanted->facts.whole
					? wanted_note_unsupported(wanted,
								  domain->present_failure.message)
					: wanted_fails(wanted, wish.setting, domain->domain,
						       &domain->present_failure);
		if (error)
			return error;
		/* After a suspend those in force are those of the level: that is a difference. */
		if (counts && facts_hold_back(domain, domain->present_limits)) {
			wish.wanted = WANTED_NONE;
		} else if (imply_limits(wanted, domain, &wish)) {
			item.implied = true;
		} else {
			return 0;
		}
		item.optional = true;
	}
	item.setting = wish.setting;
	/* Where the processor does not let them be written turbo-freq does without. */
	item.optional |= wanted->is_command && wish.wanted != WANTED_NUMBER;
	if (wanted->context->platform.preset)
		return item.implied
			       ? 0
			       : wanted_reject(wanted, wish.setting, domain->domain, -EOPNOTSUPP,
					       "turbo ratio limits are configured by the BIOS");
	if (wish.wanted == WANTED_NUMBER)
		item.bits = wish.number;
	else if (wish.wanted == WANTED_OF_LEVEL)
		error = level_limits(wanted, domain, &wish, item.implied, &item.bits);
	if (error)
		return error == -ENODATA ? 0 : error;
	if (wish.wanted == WANTED_NUMBER && !wanted->is_command)
		error = check_no_ratio_zero(wanted, domain, &wish);
	if (!error)
		error = check_shared_limits(wanted, &item);
	return error ? error : wanted_add(wanted, &item);
}

/* ---- Limits of cpufreq ---- */

/** The limit as cpufreq_read_limit() is going to return it, or an end of the processor's range:
 * level and features move that, and a CPU that is offline does not show it. */
static int scaling_limit(struct wanted *wanted, enum cpufreq_limit limit,
			 const struct domain_snapshot *domain, const struct wish *wish,
			 uint64_t *khz)
{
	bool max = limit == CPUFREQ_MAX;

	switch (wish->wanted) {
	case WANTED_NONE:
		*khz = max ? CPUFREQ_NO_LIMIT : 0;
		return 0;
	case WANTED_TURBO:
		*khz = max ? CPUFREQ_NO_LIMIT : LIMIT_HIGHEST;
		return 0;
	case WANTED_LOWEST:
		*khz = max ? LIMIT_LOWEST : 0;
		return 0;
	default:
		return resolve_frequency(wanted, domain, wish, khz);
	}
}

/** Whether a domain has such limits at all, by one of its CPUs. Comparing finds that anyway.
 * Returns 0, -ENODATA where it has none, which was noted, or -ENOMEM. */
static int check_cpufreq(struct wanted *wanted, enum subject subject,
			 const struct domain_snapshot *domain)
{
	const struct isst_cpu *cpu = context_cpu(wanted->context, domain->domain->cpu);
	struct wish wish;
	uint64_t khz;
	int error;

	if (!wanted->facts.whole || !domain->domain->has_cpu || !cpu ||
	    !resolve_cpu_wish(wanted, subject, cpu, &wish))
		return 0;
	error = cpufreq_read(&wanted->context->files, cpu->number, "cpuinfo_max_freq", &khz);
	if (error != -ENOENT)
		return error == -ENOMEM ? error : 0;
	error = wanted_reject(wanted, wish.setting, NULL, -EOPNOTSUPP,
			      "there are no cpufreq limits of CPU %u (no cpufreq driver, or it "
			      "is going offline)",
			      cpu->number);
	return error ? error : -ENODATA;
}

int resolve_scaling_limits(struct wanted *wanted, enum subject subject,
			   const struct domain_snapshot *domain)
{
	enum cpufreq_limit limit = subject == SUBJECT_SCALING_MAX ? CPUFREQ_MAX : CPUFREQ_MIN;
	bool to_change = wanted->facts.whole;
	unsigned int number;
	char *smt = NULL;
	int error = check_cpufreq(wanted, subject, domain);

	if (!error && to_change)
		error = hotplug_find_smt_off(wanted->context, &smt);
	if (error)
		return error == -ENODATA ? 0 : error;

	isst_cpuset_for_each (number, domain->domain->present) {
		const struct isst_cpu *cpu = context_cpu(wanted->context, number);
		struct wanted_item item = { .mask = UINT64_MAX,
					    .subject = subject,
					    .domain = domain->domain };
		struct wish wish;

		if (error || !cpu || !resolve_cpu_wish(wanted, subject, cpu, &wish))
			continue;
		/* Only CPUs that are, or come, online have limits. */
		if (!cpu->online &&
		    (!to_change || (smt && hotplug_goes_with_smt(wanted->context, number)) ||
		     !wanted_online(wanted, domain, number)))
			continue;
		item.item = item_of(limit == CPUFREQ_MAX ? ITEM_SCALING_MAX : ITEM_SCALING_MIN,
				    domain->domain, number);
		item.setting = wish.setting;
		error = scaling_limit(wanted, limit, domain, &wish, &item.bits);
		if (!error)
			error = wanted_add(wanted, &item);
		else if (error == -ENODATA)
			error = 0; /* noted */
	}
	free(smt);
	return error;
}

/* ---- Limits of the uncore ---- */

/** Makes a limit that the kernel has for that of boot what the state after boot has, as far as
 * there is one that can be used: the kernel takes what it finds when the first CPU of a die comes
 * online, again after all of them had been offline (uncore_freq_add_entry()). By TPMI it does not.
 * Returns 0 or -ENOMEM. */
static int find_limit_of_boot(struct wanted *wanted, enum subject subject,
			      const struct isst_domain *domain, unsigned int fabric, uint64_t *khz)
{
	struct isst_context *context = wanted->context;
	const char *before = context->messages.error;
	const struct setting *boot;
	char *text = NULL;
	int error = 0;

	if (context_has_power_domains(context))
		return 0;
	if (!wanted->has_read_boot) {
		error = boot_state_read(context, &text);
		if (!error)
			error = configuration_add_text(&wanted->boot, "state after boot", text,
						       strlen(text), TEXT_FILE);
		free(text);
		context->messages.error = before;
		wanted->has_read_boot = true;
	}
	boot = domain_setting(context, &wanted->boot, subject, domain, fabric);
	if (boot && boot->wanted == WANTED_KHZ &&
	    (subject == SUBJECT_UNCORE_MAX ? boot->number > *khz : boot->number < *khz))
		*khz = boot->number;
	return error == -ENOMEM ? error : 0;
}

/** The limit of a fabric, with that of boot for none. Returns -ENODATA where there is none, or it
 * is not known, which was noted. */
static int uncore_limit(struct wanted *wanted, enum subject subject,
			const struct isst_domain *domain, unsigned int fabric,
			const struct wish *wish, uint64_t *khz)
{
	struct uncore_limits limits = { .domain = domain, .fabric = fabric };
	int error;

	*khz = wish->number;
	if (wish->wanted != WANTED_NONE)
		return 0;
	error = uncore_limits_read(wanted->context, &limits, 1);
	if (error)
		return error;
	*khz = subject == SUBJECT_UNCORE_MAX ? limits.initial.max_khz : limits.initial.min_khz;
	if (limits.failure.error)
		error = wanted_fails(wanted, wish->setting, domain, &limits.failure);
	else if (*khz == 0)
		error = wanted_reject(wanted, wish->setting, domain, -EOPNOTSUPP,
				      "the kernel does not show the uncore limits of boot");
	else
		return find_limit_of_boot(wanted, subject, domain, fabric, khz);
	return error ? error : -ENODATA;
}

/** The fabric that a setting names, and the domain does not have. */
static int check_fabric(struct wanted *wanted, enum subject subject,
			const struct isst_domain *domain, unsigned int count)
{
	const struct configuration *configuration = wanted->configuration;
	int error = 0;

	for (size_t i = 0; i < configuration->setting_count && !error; i++) {
		const struct setting *setting = &configuration->settings[i];

		if (setting->subject != subject || setting->wanted == WANTED_UNMANAGED ||
		    setting->index == INDEX_ALL || setting->index < count ||
		    domain_setting(wanted->context, configuration, subject, domain,
				   setting->index) != setting)
			continue;
		error = wanted_reject(wanted, setting, domain, -EOPNOTSUPP,
				      "the kernel has no uncore limits of fabric %u",
				      setting->index);
	}
	return error;
}

int resolve_uncore_limits(struct wanted *wanted, enum subject subject,
			  const struct domain_snapshot *domain)
{
	struct wish wish;
	unsigned int count = 0;
	bool any = false;
	int error;

	if (!(wanted->stated >> subject & 1))
		return 0;
	for (unsigned int fabric = FABRICS; fabric-- > 0 && !any;)
		any = resolve_wish(wanted, subject, domain->domain, fabric, &wish);
	if (!any)
		return 0;
	error = uncore_fabric_count(wanted->context, domain->domain, &count);
	if (error == -ENOMEM)
		return error;
	if (error)
		return wanted_reject(wanted, wish.setting, NULL, error, "%s",
				     isst_error(wanted->context));
	if (count == 0 && wish.wanted != WANTED_NONE) {
		const struct uncore_place place = uncore_place_of(wanted->context, domain->domain,
								  0);
		bool ambiguous = uncore_is_ambiguous(&wanted->context->files, &place);

		/* A driver may be loaded later. */
		return wanted_reject(wanted, wish.setting, domain->domain,
				     ambiguous ? -EOPNOTSUPP : -ENODEV, "uncore limits: %s",
				     uncore_why_none(wanted->context, &place));
	}
	for (unsigned int fabric = 0; fabric < count && !error; fabric++) {
		enum item_kind kind = subject == SUBJECT_UNCORE_MAX ? ITEM_UNCORE_MAX
								    : ITEM_UNCORE_MIN;
		struct wanted_item item = { .item = item_of(kind, domain->domain, fabric),
					    .mask = UINT64_MAX,
					    .subject = subject,
					    .domain = domain->domain };

		if (!resolve_wish(wanted, subject, domain->domain, fabric, &wish))
			continue;
		item.setting = wish.setting;
		error = uncore_limit(wanted, subject, domain->domain, fabric, &wish, &item.bits);
		if (!error)
			error = wanted_add(wanted, &item);
		else if (error == -ENODATA)
			error = 0; /* noted */
	}
	return error ? error : check_fabric(wanted, subject, domain->domain, count);
}
