/* SPDX-License-Identifier: BSD-3-Clause */
/* The current level, the CPUs that it enables, and the limits of the uncore. */
#include "explain/findings.h"
#include "sysfs/system.h"

#include <inttypes.h>

/* ---- The level ---- */

static bool is_lower(const struct isst_value *one, const struct isst_value *other)
{
	return one->state == ISST_KNOWN && other->state == ISST_KNOWN && one->value < other->value;
}

static bool is_left_offline(const struct survey_domain *domain, const struct isst_level *level,
			    unsigned int cpu)
{
	return isst_cpuset_has(level->cpus, cpu) &&
	       isst_cpuset_has(domain->cpus_state.offline, cpu) &&
	       !isst_cpuset_has(domain->cpus_state.without_smt, cpu);
}

static bool has_offline(const struct survey_domain *domain, const struct isst_level *level)
{
	unsigned int cpu;

	isst_cpuset_for_each (cpu, level->cpus)
		if (is_left_offline(domain, level, cpu))
			return !domain->cpus_state.failure.error;
	return false;
}

static void check_level(struct findings *findings, const struct survey_domain *domain)
{
	const struct isst_level *level = &domain->now->level, *first = &domain->first;
	const struct isst_value *turbo = &level->limit[0].mhz[0];
	const struct isst_value *first_turbo = &first->limit[0].mhz[0];
	bool turbo_lower = domain->has_first && is_lower(turbo, first_turbo);
	bool locked = domain->now->profile.locked;
	struct found found = { locked ? ISST_FINDING_LEVEL_LOCKED : ISST_FINDING_LEVEL_SLOWER,
			       .applied = survey_applies(domain, NULL, SUBJECT_LEVEL, INDEX_ALL,
							 level->level),
			       .domain = domain };

	if (!domain->has_first || (!turbo_lower && !is_lower(&level->base_mhz, &first->base_mhz)))
		return;
	if (!locked)
		found.remedy = FINDING_TEXT(findings, "level %u%s", first->level,
					    has_offline(domain, first) ? ";cpus by-level" : "");
	findings_add(findings, &found,
		     "level %u%s: base frequency %u MHz, turbo up to %u MHz; level %u: %u and %u "
		     "MHz (perf-profile info)",
		     level->level, locked ? ", locked" : "", level->base_mhz.value, turbo->value,
		     first->level, first->base_mhz.value, first_turbo->value);
}

/* ---- CPUs of the level ---- */

/** Whether each core has one CPU online and others offline: SMT is off, CPU by CPU. */
static bool has_one_thread_each(const struct survey_domain *domain)
{
	size_t offline = 0;
	unsigned int number;

	isst_cpuset_for_each (number, domain->now->level.cpus) {
		const struct isst_cpu *cpu = context_cpu(domain->survey->context, number);
		size_t online = 0;

		for (size_t i = 0; i < domain->cpu_count && cpu; i++)
			online += domain->cpus[i].cpu->core_known &&
				  domain->cpus[i].cpu->core == cpu->core;
		if (!cpu || !cpu->core_known || online != 1)
			return false;
		offline += is_left_offline(domain, &domain->now->level, number);
	}
	return offline > 0;
}

/** What a CPU is, as the current level wants it otherwise; NULL: it is as the level has it. */
static struct isst_finding *find_cpu_fault(struct findings *findings,
					   const struct survey_domain *domain, unsigned int cpu)
{
	const struct cpus_state *state = &domain->cpus_state;
	unsigned int level = domain->now->level.level;
	bool of_level = isst_cpuset_has(domain->now->level.cpus, cpu);
	bool isolated = isst_cpuset_has(state->isolated, cpu);
	struct found found = { ISST_FINDING_CPU_OFFLINE_OF_LEVEL, .domain = domain,
			       .without_cpus = true };

	if (is_left_offline(domain, &domain->now->level, cpu)) {
		found.applied = survey_applies(domain, NULL, SUBJECT_CPUS, INDEX_ALL, 0);
		return findings_add(findings, &found,
				    "level %u enables CPUs (perf-profile info) that are offline "
				    "(/sys/devices/system/cpu/offline)",
				    level);
	}
	if (of_level != isolated || isst_cpuset_has(state->offline, cpu))
		return NULL;
	found.code = of_level ? ISST_FINDING_CPU_ISOLATED_OF_LEVEL : ISST_FINDING_CPU_NOT_OF_LEVEL;
	return findings_add(findings, &found,
			    of_level ? "level %u enables CPUs (perf-profile info) that are in a "
				       "partition of --cgroupv2 (/sys/fs/cgroup)"
				     : "level %u does not enable CPUs (perf-profile info) that are "
				       "online (/sys/devices/system/cpu/online)",
			    level);
}

static void check_cpus(struct findings *findings, const struct survey_domain *domain)
{
	const struct isst_cpuset *named = findings->survey->named;
	struct isst_finding *smt_off = NULL;
	unsigned int cpu;

	if (!domain->now->level.cpus || domain->cpus_state.failure.error)
		return;
	if (has_one_thread_each(domain))
		smt_off = findings_add(findings,
				       &(struct found){ ISST_FINDING_SMT_OFF,
							.kind = REMEDY_STATEMENT,
							.remedy = "cpus by-level" },
				       "one CPU of each core is online, the others of level %u are "
				       "offline (/sys/devices/system/cpu/offline)",
				       domain->now->level.level);
	isst_cpuset_for_each (cpu, smt_off ? domain->now->level.cpus : domain->domain->present) {
		struct isst_finding *finding = smt_off;

		if (named && !isst_cpuset_has(named, cpu))
			continue;
		if (!smt_off)
			finding = find_cpu_fault(findings, domain, cpu);
		else if (!is_left_offline(domain, &domain->now->level, cpu))
			continue;
		if (finding)
			finding_add_cpu(finding, domain, cpu);
	}
}

/** CPUs that are offline and in no domain. While SMT is off those of which nothing is known may be
 * second threads. */
static void check_offline(struct findings *findings)
{
	const struct survey *survey = findings->survey;
	const struct isst_context *context = survey->context;
	bool smt_off = survey->smt && hotplug_smt_is_off(survey->smt);
	unsigned int cpu;

	isst_cpuset_for_each (cpu, isst_present_cpus(context)) {
		bool remembered = topology_is_unreachable(context->topology, cpu);
		const struct found found = {
			.code = ISST_FINDING_CPU_OFFLINE,
			.applied = survey_applies_offline(survey, cpu),
			.meaning = remembered ? "nothing runs on these CPUs, and whether the level "
						"enables them is not known before one is online"
					      : NULL,
		};

		if (isst_cpuset_has(isst_online_cpus(context), cpu) || context_cpu(context, cpu) ||
		    (survey->named && !isst_cpuset_has(survey->named, cpu)) ||
		    (smt_off && !remembered))
			continue;
		finding_add_cpu(
			findings_add(
				findings, &found,
				remembered ? "CPUs are offline (/sys/devices/system/cpu/offline), "
					     "with all others of their package or die"
					   : "CPUs are offline (/sys/devices/system/cpu/offline), "
					     "since before isst first looked"),
			NULL, cpu);
	}
}

/* ---- The base frequency ---- */

unsigned int level_base_mhz(const struct survey_domain *domain, unsigned int cpu)
{
	const struct isst_level *level = &domain->now->level;
	const struct isst_base_freq *info = &level->base_freq_info;
	const struct isst_value *base = &level->base_mhz;

	if (level->base_freq == ISST_FEATURE_ENABLED) {
		if (!info->high_priority)
			return 0;
		base = isst_cpuset_has(info->high_priority, cpu) ? &info->high_mhz : &info->low_mhz;
	}
	return base->state == ISST_KNOWN ? base->value : 0;
}

static void check_base(struct findings *findings, const struct survey_domain *domain)
{
	/* There the values of the firmware are those of cpufreq. */
	if (findings->survey->context->platform.preset)
		return;
	survey_for_each_cpu (cpu, domain) {
		unsigned int mhz = level_base_mhz(domain, cpu->cpu->number);

		if (!cpu->read || !cpu->base_khz || !mhz || cpu->base_khz / KHZ_PER_MHZ == mhz)
			continue;
		findings_add(findings,
			     &(struct found){ ISST_FINDING_LEVEL_BASE_FREQUENCY, .domain = domain,
					      .cpu = cpu },
			     "base_frequency %" PRIu64 " MHz (cpufreq); the firmware has %u MHz at "
			     "level %u (%s info)",
			     cpu->base_khz / KHZ_PER_MHZ, mhz, domain->now->level.level,
			     domain->now->level.base_freq == ISST_FEATURE_ENABLED ? "base-freq"
										  : "perf-profile");
	}
}

/* ---- The uncore ---- */

/** The maximum of a fabric; 0: it is unknown. */
static uint64_t uncore_max_khz(const struct uncore_limits *limits)
{
	if (limits->failure.error)
		return 0;
	return limits->now.max_khz == LIMIT_NONE ? limits->initial.max_khz : limits->now.max_khz;
}

/**
 * Whether a maximum may be that of the package, which holds all of its power domains, and cannot be
 * read: none of them has a higher one, and others have the same. Then the statement is for all.
 */
static bool may_be_of_package(const struct survey_domain *domain, uint64_t khz)
{
	bool shared = false;

	if (!context_has_power_domains(domain->survey->context))
		return false;
	survey_for_each_domain (other, domain->survey) {
		if (other->domain->package != domain->domain->package)
			continue;
		for (unsigned int j = 0; j < other->fabrics; j++) {
			if (uncore_max_khz(&other->uncore[j]) > khz)
				return false;
			shared |= other != domain && uncore_max_khz(&other->uncore[j]) == khz;
		}
	}
	return shared;
}

/** A maximum that the kernel has for that of boot, and that is below the one of the level of boot:
 * which of two things it is, is not known. By TPMI the kernel reads it once. */
static void check_uncore_of_boot(struct findings *findings, const struct survey_domain *domain,
				 unsigned int fabric)
{
	const struct isst_value *level = &domain->now->level.fabric[fabric].max_mhz;
	uint64_t mhz = domain->uncore[fabric].initial.max_khz / KHZ_PER_MHZ;

	if (context_has_power_domains(findings->survey->context) || !survey_has_level(domain) ||
	    domain->has_first || level->state != ISST_KNOWN || mhz == 0 || mhz >= level->value)
		return;
	findings_add(findings,
		     &(struct found){
			     ISST_FINDING_UNCORE_LIMIT, .severity = ISST_SEVERITY_NOTE,
			     .kind = REMEDY_TEXT,
			     .meaning = "the BIOS limits the uncore; or a limit was set, and then "
					"all CPUs of the die were offline: the kernel takes it for "
					"that of boot",
			     .remedy = "look at the uncore limits of the BIOS; if it has none, a "
				       "reboot or uncore-max with the frequency of the level lifts "
				       "the limit",
			     .domain = domain },
		     "the uncore maximum of boot is %" PRIu64
		     " MHz (initial_max_freq_khz of intel_uncore_frequency), that of level %u %u "
		     "MHz (perf-profile info)",
		     mhz, domain->now->level.level, level->value);
}

static void check_uncore(struct findings *findings, const struct survey_domain *domain)
{
	for (unsigned int i = 0; i < domain->fabrics; i++) {
		const struct uncore_limits *limits = &domain->uncore[i];
		const struct isst_value *level = &domain->now->level.fabric[i].max_mhz;
		uint64_t highest = limits->initial.max_khz, now = limits->now.max_khz;
		struct found found = { ISST_FINDING_UNCORE_LIMIT, .domain = domain };

		if (limits->failure.error)
			continue;
		check_uncore_of_boot(findings, domain, i);
		/* What it had at boot, or the level has less. */
		if (survey_has_level(domain) && level->state == ISST_KNOWN && level->value > 0 &&
		    (uint64_t)level->value * KHZ_PER_MHZ < highest)
			highest = (uint64_t)level->value * KHZ_PER_MHZ;
		/* LIMIT_NONE: that of boot. */
		if (now == LIMIT_NONE || now >= highest)
			continue;
		found.applied = survey_applies(domain, NULL, SUBJECT_UNCORE_MAX, i, now);
		found.remedy = "uncore-max none";
		if (may_be_of_package(domain, now))
			found.kind = REMEDY_WHOLE_PACKAGE_STATEMENT;
		else if (domain->fabrics > 1)
			found.remedy = FINDING_TEXT(findings, "fabric %u: uncore-max none", i);
		findings_add(findings, &found,
			     "uncore maximum %" PRIu64 " MHz of fabric %u (max_freq_khz of "
			     "intel_uncore_frequency), up to %" PRIu64 " MHz is possible",
			     now / KHZ_PER_MHZ, i, highest / KHZ_PER_MHZ);
	}
}

void check_levels(struct findings *findings)
{
	const struct survey *survey = findings->survey;

	check_offline(findings);
	survey_for_each_domain (domain, survey) {
		unsigned int present = domain->now->profile.current_level;

		if (!domain->asked)
			continue;
		check_uncore(findings, domain);
		if (domain->has_requested && domain->requested != present)
			findings_add(findings,
				     &(struct found){ ISST_FINDING_OTHER_LEVEL_REQUESTED,
						      .domain = domain, .without_cpus = true },
				     "level %u was requested last (mem_dump in debugfs), and the "
				     "present level is %u",
				     domain->requested, present);
		if (!survey_has_level(domain))
			continue;
		check_level(findings, domain);
		check_cpus(findings, domain);
		check_base(findings, domain);
	}
}
