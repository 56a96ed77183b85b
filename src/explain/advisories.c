/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Known defects of kernels that matter to Speed Select, by version, and by what can be seen.
 * Distributions fix kernels without changing the first two numbers: none of this is certain.
 */
#include "explain/findings.h"

#include <string.h>

/** A version as a number that compares. */
#define VERSION KERNEL_VERSION
#define SERIES(version) ((version) / 1000)

enum concern { MAILBOX, TPMI, EITHER };

enum { BRANCHES = 2 };

struct advisory {
	const char *name;
	enum concern concern;
	unsigned long fixed;		  /* in this version, and later ones */
	unsigned long branches[BRANCHES]; /* and in these, of series of their own */
	const char *by;			  /* and how it is known */
	/* Whether it concerns the machine as it is, by a domain; NULL: it does. */
	bool (*concerns)(const struct survey_domain *domain);
	const char *effect, *advice; /* the latter NULL: there is nothing to do */
};

/* ---- What can be seen ---- */

/** Power domains without CPUs have nothing of it to lose. */
static bool has_several_domains(const struct survey_domain *domain)
{
	survey_for_each_domain (other, domain->survey)
		if (other != domain && other->domain->has_cpu && domain->domain->has_cpu &&
		    other->domain->package == domain->domain->package)
			return true;
	return false;
}

static bool has_several_levels(const struct survey_domain *domain)
{
	return survey_has_level(domain) && domain->now->profile.enabled &&
	       !domain->now->profile.locked && domain->now->profile.highest_level > 0;
}

/** Whether a CPU has cpufreq, but not what that has with HWP. */
static bool is_without_hwp(const struct survey_domain *domain)
{
	survey_for_each_cpu (cpu, domain)
		if (cpu->has_cpufreq && !cpu->base_khz)
			return true;
	return false;
}

/** Whether a bucket of SST-TF holds more cores than its package has CPUs, offline ones included. */
static bool has_impossible_bucket(const struct survey_domain *domain)
{
	const struct isst_turbo_freq *info = &domain->now->level.turbo_freq_info;
	size_t cpus = 0;

	if (!survey_has_level(domain) || !domain->domain->cpus_known)
		return false;
	survey_for_each_domain (other, domain->survey)
		if (other->domain->package == domain->domain->package)
			cpus += isst_cpuset_count(other->domain->present);
	for (unsigned int bucket = 0; bucket < info->buckets; bucket++)
		if (info->high_priority_cores[bucket] > cpus)
			return true;
	return false;
}

/** The first servers have revision 1. */
static bool is_later_revision(const struct survey_domain *domain)
{
	return !domain->now->profile.failure.error && domain->now->profile.version > 1;
}

static bool has_many_packages(const struct survey_domain *domain)
{
	enum { KNOWN_PACKAGES = 8 };
	const struct isst_domain *before = NULL, *next;
	size_t packages = 0;

	for (size_t i = 0; (next = context_domain(domain->survey->context, i)); before = next, i++)
		packages += !before || next->package != before->package;
	return packages > KNOWN_PACKAGES;
}

/** Whether package ids have gaps, as in virtual machines with packages of their host. */
static bool has_sparse_packages(const struct survey_domain *domain)
{
	const struct isst_domain *other;
	unsigned int next = 0;

	for (size_t i = 0; (other = context_domain(domain->survey->context, i)); i++) {
		if (other->package > next)
			return true;
		next = other->package + 1;
	}
	return false;
}

static bool has_offline_cpus(const struct survey_domain *domain)
{
	return isst_cpuset_count(domain->cpus_state.offline) > 0;
}

static bool has_efficiency_control(const struct survey_domain *domain)
{
	return domain->survey->has_efficiency_control;
}

static bool has_other_base_frequency(const struct survey_domain *domain)
{
	survey_for_each_cpu (cpu, domain) {
		unsigned int mhz = level_base_mhz(domain, cpu->cpu->number);

		if (cpu->base_khz && mhz && cpu->base_khz / KHZ_PER_MHZ != mhz)
			return true;
	}
	return false;
}

/* ---- The table ---- */

static const struct advisory ADVISORIES[] = {
	{ .name = "turbo-freq-bucket-counts",
	  .concern = TPMI,
	  .fixed = VERSION(7, 0, 0),
	  .by = "7.0 (e1415b9418eb)",
	  .concerns = has_impossible_bucket,
	  .effect = "the driver returns wrong numbers of cores of the buckets of SST-TF",
	  .advice = "do not rely on the buckets; the fix is in some kernels 6.18 and 6.19, too" },
	{ .name = "hwp-not-checked",
	  .concern = TPMI,
	  .by = "March 2026 (9f11d9b15efb)",
	  .concerns = is_without_hwp,
	  .effect =
		  "HWP is off: a TPMI write logs a general protection fault (MSR 0x770) on kernels without "
		  "the fix",
	  .advice = "enable HWP in the BIOS before anything is changed" },
	{ .name = "resume-loses-levels",
	  .concern = TPMI,
	  .fixed = VERSION(7, 1, 5),
	  .branches = { VERSION(6, 18, 40) },
	  .by = "6.18.40 and 7.1.5 (CVE-2026-72143)",
	  .concerns = has_several_domains,
	  .effect =
		  "after suspend and resume, level and features of power domains 1 and up are lost",
	  .advice = "apply the configuration again after resume (isst config apply)" },
	{ .name = "resume-loses-domains",
	  .concern = TPMI,
	  .fixed = VERSION(7, 0, 0),
	  .by = "7.0 (dc7901b5a156)",
	  .concerns = has_several_domains,
	  .effect = "after suspend and resume, the state of power domains 1 and up is lost",
	  .advice = "apply the configuration again after resume (isst config apply)" },
	{ .name = "resume-replays-levels",
	  .concern = MAILBOX,
	  .by = "no kernel so far",
	  .concerns = has_several_levels,
	  .effect =
		  "after suspend and resume SST-BF and SST-TF are lost at another level than that of "
		  "power-on, and a level that another tool had set through another CPU can come "
		  "back: nothing shows what the driver keeps",
	  .advice = "apply the configuration again after resume (isst config apply); the mailbox "
		    "module drops what it keeps when it is removed" },
	{ .name = "tpmi-write-permission",
	  .concern = TPMI,
	  .fixed = VERSION(7, 0, 0),
	  .branches = { VERSION(6, 12, 117) },
	  .by = "7.0 (69cd1ca440a9)",
	  .effect =
		  "any process that can open /dev/isst_interface can change everything: the driver does not ask for "
		  "CAP_SYS_ADMIN",
	  .advice = "leave the device to root; do not open it to a group" },
	{ .name = "core-power-write-block",
	  .concern = TPMI,
	  .fixed = VERSION(7, 0, 0),
	  .branches = { VERSION(6, 12, 117) },
	  .by = "7.0 (0e5aef279500)",
	  .effect =
		  "where firmware blocks writes, core-power seems to be enabled or disabled and is not; "
		  "isst reads back what it wrote, other tools may not" },
	{ .name = "lock-status-width",
	  .concern = TPMI,
	  .fixed = VERSION(7, 0, 0),
	  .branches = { VERSION(6, 12, 117) },
	  .by = "7.0 (fbddf68d7b4e), and some kernels 6.18 and 6.19",
	  .effect =
		  "the driver returns more bits than that of the lock: after a refused change other tools "
		  "take the level for locked; isst looks at the bit of the lock only" },
	{ .name = "minor-version-warning",
	  .concern = TPMI,
	  .fixed = VERSION(7, 0, 0),
	  .by = "7.0 (ba7d46e0a384)",
	  .concerns = is_later_revision,
	  .effect = "the log can have \"Unsupported minor version\", although all works",
	  .advice = "ignore the line: it is harmless" },
	{ .name = "uncore-efficiency-control",
	  .concern = TPMI,
	  .fixed = VERSION(7, 0, 0),
	  .by = "7.0 (4ab604b3f3aa)",
	  .concerns = has_efficiency_control,
	  .effect = "intel_uncore_frequency has elc_ files even if the hardware does not scale the "
		    "uncore, and they have no effect then",
	  .advice = "limit the uncore by max_freq_khz; isst does not use elc_ files" },
	{ .name = "many-packages",
	  .concern = EITHER,
	  .fixed = VERSION(6, 7, 0),
	  .by = "kernels of 2023",
	  .concerns = has_many_packages,
	  .effect = "the driver ignores packages beyond the eighth, which isst reports",
	  .advice = "use a newer kernel" },
	{ .name = "sparse-packages",
	  .concern = EITHER,
	  .fixed = VERSION(6, 18, 0),
	  .by = "kernels since August 2025",
	  .concerns = has_sparse_packages,
	  .effect = "package ids are not consecutive, as in virtual machines: the driver can "
		    "overwrite memory of the kernel",
	  .advice = "do not load isst_if modules in such a machine, or use a newer kernel" },
	{ .name = "uncore-frequency-after-hotplug",
	  .concern = EITHER,
	  .by = "2026 (6b63520ed14b)",
	  .concerns = has_offline_cpus,
	  .effect =
		  "after CPU hotplug current_freq_khz of the uncore can be wrong, which isst does not use",
	  .advice = "check the uncore by its limits" },
	{ .name = "base-frequency-not-updated",
	  .concern = EITHER,
	  .by = "kernels with interrupts of HWP",
	  .concerns = has_other_base_frequency,
	  .effect = "without interrupts of HWP the kernel does not notice a new base frequency; "
		    "since 5.5 limits at the old one hold the CPU there",
	  .advice = "take the CPU offline and online; isst removes limits by writing no limit" },
	{ .name = "stale-turbo-ratio-limits",
	  .concern = MAILBOX,
	  .fixed = VERSION(6, 16, 0),
	  .by = "6.16 (c935ddfe65da)",
	  .effect = "when a CPU comes online, the kernel rewrites stale turbo ratio limits",
	  .advice = "after CPU hotplug run isst explain: turbo-ratio-limits-low has the "
		    "remedy" },
	{ .name = "sub-numa-mapping",
	  .concern = MAILBOX,
	  .fixed = VERSION(5, 16, 0),
	  .by = "5.15 stable kernels",
	  .effect =
		  "with sub-NUMA clusters, requests of a CPU can reach the device of another package",
	  .advice = "disable sub-NUMA clusters, or use a newer kernel" },
};

/* ---- The kernel ---- */

static bool is_fixed(const struct advisory *advisory, unsigned long version)
{
	if (advisory->fixed && version >= advisory->fixed)
		return true;
	for (size_t i = 0; i < BRANCHES; i++) {
		unsigned long branch = advisory->branches[i];

		if (branch && SERIES(version) == SERIES(branch) && version >= branch)
			return true;
	}
	return false;
}

bool kernel_is_fixed(const struct survey *survey, const char *advisory)
{
	for (size_t i = 0; i < sizeof(ADVISORIES) / sizeof(ADVISORIES[0]); i++)
		if (strcmp(ADVISORIES[i].name, advisory) == 0)
			return is_fixed(&ADVISORIES[i], survey->kernel_version);
	return false;
}

void check_advisories(struct findings *findings)
{
	const struct survey *survey = findings->survey;
	enum concern concern = context_has_power_domains(survey->context) ? TPMI : MAILBOX;
	unsigned long version = survey->kernel_version;

	/* Without a driver nothing of it matters. */
	if (!version || survey->context->platform.preset)
		return;
	for (size_t i = 0; i < sizeof(ADVISORIES) / sizeof(ADVISORIES[0]); i++) {
		const struct advisory *advisory = &ADVISORIES[i];
		bool concerns = !advisory->concerns;

		if ((advisory->concern != EITHER && advisory->concern != concern) ||
		    is_fixed(advisory, version))
			continue;
		for (size_t j = 0; j < survey->count && !concerns; j++)
			concerns = advisory->concerns(&survey->domains[j]);
		if (concerns)
			findings_add(findings,
				     &(struct found){ ISST_FINDING_ADVISORY,
						      .meaning = advisory->effect,
						      .remedy = advisory->advice },
				     "kernel %s (/proc/sys/kernel/osrelease); fixed in %s",
				     survey->release, advisory->by)
				->name = advisory->name;
	}
}
