/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The platform of a recording: calls the steps in their order, and takes what follows from the
 * kernel's files. What a recording does not have is composed in this folder, and nowhere else
 * (docs/recorded-machines.md has the rules for readers).
 */
#include "emulator/capture/parts.h"
#include "emulator/model/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool has_any(const struct recording *recording, const char *name)
{
	for (size_t i = 0; i < recording->cpu_count; i++)
		if (recording_cpu_entry(recording, recording->cpus[i].number, name))
			return true;
	return false;
}

static int fill_cpufreq(const struct recording *recording, struct platform *platform)
{
	const struct recorded_entry *driver = NULL, *governor = NULL;
	const struct recorded_entry *status = recording_entry(recording,
							      CPU_DIRECTORY "/intel_pstate/status");
	const char *name = "none";
	int result;

	for (size_t i = 0; i < recording->cpu_count && !driver; i++) {
		unsigned int cpu = recording->cpus[i].number;

		driver = recording_cpu_entry(recording, cpu, "cpufreq/scaling_driver");
		governor = recording_cpu_entry(recording, cpu, "cpufreq/scaling_governor");
	}
	if (driver)
		name = driver->value;
	else if (status && strcmp(status->value, "active") == 0)
		name = "intel_pstate";
	else if (status && strcmp(status->value, "passive") == 0)
		name = "intel_cpufreq";
	result = recording_replace_text(&platform->cpufreq, name);
	if (!result && governor)
		result = recording_replace_text(&platform->governor, governor->value);
	return result ? result
		      : recording_replace_text(&platform->pstate, status ? status->value : "none");
}

static void fill_smt(const struct recording *recording, struct platform *platform)
{
	const struct recorded_entry *control = recording_entry(recording,
							       CPU_DIRECTORY "/smt/control");

	for (unsigned int i = 0; control && smt_controls[i]; i++)
		if (strcmp(control->value, smt_controls[i]) == 0)
			platform->smt = known_number(i);
}

static int fill_frequencies(const struct recording *recording, struct platform *platform)
{
	const struct recorded_msr *hwp = recording_msr(recording, MSR_HWP_ENABLE);
	const struct recorded_msr *capabilities = recording_msr(recording, MSR_HWP_CAPABILITIES);
	const struct recorded_msr *info = recording_msr(recording, MSR_PLATFORM_INFO);
	unsigned int khz = 0, ratio = 0;
	int result = recording_number(recording,
				      recording_cpu_entry(recording, recording->cpus[0].number,
							  "cpufreq/cpuinfo_min_freq"),
				      HIGHEST_KHZ, &khz);

	if (result && result != -ENOENT)
		return result;
	if (result && info)
		ratio = (unsigned int)(info->values[0] >> 40 & 0xff);
	else if (result && capabilities)
		ratio = (unsigned int)(capabilities->values[0] >> 24 & 0xff);
	if (result)
		khz = ratio * KHZ_PER_RATIO;
	if (khz)
		platform->min_mhz = known_number(khz / 1000);
	platform->hwp = known_number(capabilities || has_any(recording, "cpufreq/base_frequency"));
	if (hwp)
		platform->hwp = known_number(hwp->values[0] & 1);
	return 0;
}

static int fill_files(const struct recording *recording, struct platform *platform)
{
	unsigned int no_turbo = 0;
	int result = fill_cpufreq(recording, platform);

	fill_smt(recording, platform);

	platform->die_files = known_number(has_any(recording, "topology/die_id"));
	platform->cpu0_hotplug = known_number(
		recording_entry(recording, CPU_DIRECTORY "/cpu0/online") ||
		isst_cpuset_has(platform->offline.set, 0));
	if (!result)
		result = fill_frequencies(recording, platform);
	if (!result)
		result = recording_number(
			recording,
			recording_entry(recording, CPU_DIRECTORY "/intel_pstate/no_turbo"), 1,
			&no_turbo);
	if (result && result != -ENOENT)
		return result;
	platform->no_turbo = known_number(no_turbo);
	return recording_fill_uncore(recording, platform);
}

/** Possible CPUs: without that list, those up to the highest one that is present. */
static int fill_possible(const struct recording *recording, struct platform *platform)
{
	const struct recorded_entry *entry = recording_entry(recording, CPU_DIRECTORY "/possible");
	int result;

	if (!entry)
		return 0;
	platform->possible.line = 1;
	result = recording_set(recording, entry->path, &platform->possible.set);
	for (size_t i = 0; i < platform->cpu_count && !result; i++)
		if (!isst_cpuset_has(platform->possible.set, platform->cpus[i].number))
			return recorded_error(
				&recording->entry_file, entry->line,
				"found no CPU %u in %s, expected all that are present",
				platform->cpus[i].number, entry->path);
	return result;
}

static int complete(const struct recording *recording, struct platform *platform)
{
	char *what = NULL;
	int result = platform_complete(platform, &what);

	if (result == -EINVAL)
		set_error(recording->error, result, "%s: %s", recording->directory,
			  what ? what : "is not a possible machine");
	free(what);
	return result;
}

int recording_fill(struct recording *recording, struct platform *platform)
{
	int result = recording_fill_identity(recording, platform);

	if (!result)
		result = recording_fill_kernel(recording, platform);
	if (!result)
		result = recording_fill_driver(recording, platform);
	if (!result)
		result = recording_make_domains(recording, platform);
	if (!result)
		result = recording_make_cpus(recording, platform);
	if (result)
		return result;
	result = fill_files(recording, platform);
	if (!result)
		result = fill_possible(recording, platform);
	if (!result && !platform_is_tpmi(platform))
		result = recording_fill_levels(recording, platform);
	if (!result)
		result = complete(recording, platform);
	return result ? result : recording_number_nodes(recording, platform);
}
