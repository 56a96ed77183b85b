/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The platform of a capture: calls the steps in their order, and takes what follows from the
 * kernel's files. What a capture does not have is composed in this folder, and nowhere else
 * (docs/internals/captured-machines.md has the rules for readers).
 */
#include "emulator/capture/parts.h"
#include "emulator/model/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool has_any(const struct capture *capture, const char *name)
{
	for (size_t i = 0; i < capture->cpu_count; i++)
		if (capture_cpu_entry(capture, capture->cpus[i].number, name))
			return true;
	return false;
}

static int fill_cpufreq(const struct capture *capture, struct platform *platform)
{
	const struct captured_entry *driver = NULL, *governor = NULL;
	const struct captured_entry *status = capture_entry(capture,
							    CPU_DIRECTORY "/intel_pstate/status");
	const char *name = "none";
	int result;

	for (size_t i = 0; i < capture->cpu_count && !driver; i++) {
		unsigned int cpu = capture->cpus[i].number;

		driver = capture_cpu_entry(capture, cpu, "cpufreq/scaling_driver");
		governor = capture_cpu_entry(capture, cpu, "cpufreq/scaling_governor");
	}
	if (driver)
		name = driver->value;
	else if (status && strcmp(status->value, "active") == 0)
		name = "intel_pstate";
	else if (status && strcmp(status->value, "passive") == 0)
		name = "intel_cpufreq";
	result = capture_replace_text(&platform->cpufreq, name);
	if (!result && governor)
		result = capture_replace_text(&platform->governor, governor->value);
	return result ? result
		      : capture_replace_text(&platform->pstate, status ? status->value : "none");
}

static void fill_smt(const struct capture *capture, struct platform *platform)
{
	const struct captured_entry *control = capture_entry(capture, CPU_DIRECTORY "/smt/control");

	for (unsigned int i = 0; control && smt_controls[i]; i++)
		if (strcmp(control->value, smt_controls[i]) == 0)
			platform->smt = known_number(i);
}

static int fill_frequencies(const struct capture *capture, struct platform *platform)
{
	const struct captured_msr *hwp = capture_msr(capture, MSR_HWP_ENABLE);
	const struct captured_msr *capabilities = capture_msr(capture, MSR_HWP_CAPABILITIES);
	const struct captured_msr *info = capture_msr(capture, MSR_PLATFORM_INFO);
	unsigned int khz = 0, ratio = 0;
	int result = capture_number(
		capture,
		capture_cpu_entry(capture, capture->cpus[0].number, "cpufreq/cpuinfo_min_freq"),
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
	platform->hwp = known_number(capabilities || has_any(capture, "cpufreq/base_frequency"));
	if (hwp)
		platform->hwp = known_number(hwp->values[0] & 1);
	return 0;
}

static int fill_files(const struct capture *capture, struct platform *platform)
{
	unsigned int no_turbo = 0;
	int result = fill_cpufreq(capture, platform);

	fill_smt(capture, platform);

	platform->die_files = known_number(has_any(capture, "topology/die_id"));
	platform->cpu0_hotplug = known_number(
		capture_entry(capture, CPU_DIRECTORY "/cpu0/online") ||
		isst_cpuset_has(platform->offline.set, 0));
	if (!result)
		result = fill_frequencies(capture, platform);
	if (!result)
		result = capture_number(
			capture, capture_entry(capture, CPU_DIRECTORY "/intel_pstate/no_turbo"), 1,
			&no_turbo);
	if (result && result != -ENOENT)
		return result;
	platform->no_turbo = known_number(no_turbo);
	return capture_fill_uncore(capture, platform);
}

/** Possible CPUs: without that list, those up to the highest one that is present. */
static int fill_possible(const struct capture *capture, struct platform *platform)
{
	const struct captured_entry *entry = capture_entry(capture, CPU_DIRECTORY "/possible");
	int result;

	if (!entry)
		return 0;
	platform->possible.line = 1;
	result = capture_set(capture, entry->path, &platform->possible.set);
	for (size_t i = 0; i < platform->cpu_count && !result; i++)
		if (!isst_cpuset_has(platform->possible.set, platform->cpus[i].number))
			return captured_error(
				&capture->entry_file, entry->line,
				"found no CPU %u in %s, expected all that are present",
				platform->cpus[i].number, entry->path);
	return result;
}

static int complete(const struct capture *capture, struct platform *platform)
{
	char *what = NULL;
	int result = platform_complete(platform, &what);

	if (result == -EINVAL)
		set_error(capture->error, result, "%s: %s", capture->directory,
			  what ? what : "is not a possible machine");
	free(what);
	return result;
}

int capture_fill(struct capture *capture, struct platform *platform)
{
	int result = capture_fill_identity(capture, platform);

	if (!result)
		result = capture_fill_kernel(capture, platform);
	if (!result)
		result = capture_fill_driver(capture, platform);
	if (!result)
		result = capture_make_domains(capture, platform);
	if (!result)
		result = capture_make_cpus(capture, platform);
	if (result)
		return result;
	result = fill_files(capture, platform);
	if (!result)
		result = fill_possible(capture, platform);
	if (!result && !platform_is_tpmi(platform))
		result = capture_fill_levels(capture, platform);
	if (!result)
		result = complete(capture, platform);
	return result ? result : capture_number_nodes(capture, platform);
}
