/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The platform that comes of a recording: what it lacks is composed here, and nowhere else
 * (docs/recorded-machines.md has the rules for readers). Domains and CPUs are in
 * topology.c, levels in levels.c.
 */
#include "emulator/capture/recording.h"
#include "emulator/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	MSR_PLATFORM_INFO = 0xce, /* [47:40] lowest ratio */
	MSR_HWP_ENABLE = 0x770,
	MSR_HWP_CAPABILITIES = 0x771, /* highest [7:0], guaranteed [15:8], lowest [31:24] */
};

enum { KHZ_PER_RATIO = 100000 };

#define CPU_DIRECTORY "/sys/devices/system/cpu"

static struct number_value number(unsigned int value)
{
	return (struct number_value){ value, 1 };
}

static int replace_text(struct text_value *target, const char *text)
{
	char *copy = strdup(text);

	if (!copy)
		return -ENOMEM;
	free(target->text);
	target->text = copy;
	target->line = 1;
	return 0;
}

/* ---- The processor and its driver ---- */

static int fill_identity(const struct recording *recording, struct platform *platform)
{
	int result = replace_text(&platform->vendor, recording->vendor);

	if (!result)
		result = replace_text(&platform->model_name, recording->model_name);
	if (!result)
		result = replace_text(&platform->title, recording->model_name);
	platform->family = number(recording->family);
	platform->model = number(recording->model);
	platform->stepping = number(recording->stepping);
	return result;
}

/** The number that a text begins with; *@text is then behind it. */
static bool leading_number(const char **text, unsigned int *value)
{
	char digits[4] = "";
	size_t length = strspn(*text, "0123456789");
	uint64_t parsed;

	if (length >= sizeof(digits))
		return false;
	memcpy(digits, *text, length);
	if (isst_parse_number(digits, 10, UINT16_MAX, &parsed))
		return false;
	*value = (unsigned int)parsed;
	*text += length;
	return true;
}

/** `6.12.0-1-amd64` */
static int fill_kernel(const struct recording *recording, struct platform *platform)
{
	const struct recorded_entry *entry = recording_entry(recording,
							     "/proc/sys/kernel/osrelease");
	const char *text = entry ? entry->value : "";
	unsigned int major, minor;

	if (!entry)
		return 0;
	if (!leading_number(&text, &major) || *text++ != '.' || !leading_number(&text, &minor))
		return recorded_error(&recording->entry_file, entry->line,
				      "found \"%s\", expected a kernel release such as 6.12.0",
				      entry->value);
	platform->kernel = number(KERNEL(major, minor));
	return 0;
}

static const struct {
	unsigned int model, lowest_stepping;
	enum mailbox_transport mailbox;
	unsigned int mmio;
} mailbox_models[] = {
	/* Skylake (steppings up to 4) without Speed Select has no device
	 */
	{ 0x55, 5, MAILBOX_MSR, 0 },	  { 0x6a, 0, MAILBOX_PCI, 0x3451 },
	{ 0x6c, 0, MAILBOX_PCI, 0x3451 }, { 0x8f, 0, MAILBOX_PCI, 0x3251 },
	{ 0xcf, 0, MAILBOX_PCI, 0x3251 },
};

/** No driver was recorded: the one that such a processor has. */
static void compose_driver(const struct recording *recording, struct platform *platform)
{
	platform->node = number(recording->dump_count > 0);
	platform->mailbox = number(MAILBOX_NONE);
	platform->mmio = number(0);
	platform->api_version = number(recording->dump_count > 0 ? 3 : 0);
	for (size_t i = 0; i < sizeof(mailbox_models) / sizeof(*mailbox_models); i++) {
		if (recording->dump_count > 0 || recording->family != 6 ||
		    mailbox_models[i].model != recording->model ||
		    mailbox_models[i].lowest_stepping > recording->stepping)
			continue;
		platform->node = platform->api_version = number(1);
		platform->mailbox = number(mailbox_models[i].mailbox);
		platform->mmio = number(mailbox_models[i].mmio);
	}
}

/** The device that has the registers which answered. */
static unsigned int mmio_device(const struct recording *recording)
{
	for (size_t i = 0; i < recording->answer_count; i++)
		if (recording->answers[i].kind == CAPTURE_MMIO &&
		    recording->answers[i].command > 0xd0 && !recording->answers[i].error)
			return 0x3251;
	return 0x3451;
}

static int fill_driver(const struct recording *recording, struct platform *platform)
{
	const struct recorded_driver *driver = &recording->driver;
	bool tpmi = driver->api_version >= 2;

	if (!driver->line) {
		compose_driver(recording, platform);
		return 0;
	}
	if (driver->present && tpmi != (recording->dump_count > 0))
		return recorded_error(&recording->answer_file, driver->line,
				      "found API version %u, expected %s as %s TPMI registers are "
				      "recorded",
				      driver->api_version, tpmi ? "0 or 1" : "2 or more",
				      tpmi ? "no" : "");
	platform->node = number(driver->present);
	platform->api_version = number(driver->api_version);
	platform->driver_version = number(driver->driver_version);
	platform->max_commands = number(driver->max_commands ? driver->max_commands : 64);
	platform->mailbox = number(!driver->mailbox	      ? MAILBOX_NONE
				   : recording->model == 0x55 ? MAILBOX_MSR
							      : MAILBOX_PCI);
	platform->mmio = number(driver->mmio ? mmio_device(recording) : 0);
	return 0;
}

/* ---- The kernel's files ---- */

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
	result = replace_text(&platform->cpufreq, name);
	if (!result && governor)
		result = replace_text(&platform->governor, governor->value);
	return result ? result : replace_text(&platform->pstate, status ? status->value : "none");
}

static void fill_smt(const struct recording *recording, struct platform *platform)
{
	const struct recorded_entry *control = recording_entry(recording,
							       CPU_DIRECTORY "/smt/control");

	for (unsigned int i = 0; control && smt_controls[i]; i++)
		if (strcmp(control->value, smt_controls[i]) == 0)
			platform->smt = number(i);
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
		platform->min_mhz = number(khz / 1000);
	platform->hwp = number(capabilities || has_any(recording, "cpufreq/base_frequency"));
	if (hwp)
		platform->hwp = number(hwp->values[0] & 1);
	return 0;
}

static bool has_entry_below(const struct recording *recording, const char *directory)
{
	for (size_t i = 0; i < recording->entry_count; i++)
		if (strncmp(recording->entries[i].path, directory, strlen(directory)) == 0)
			return true;
	return false;
}

#define UNCORE_DIRECTORY CPU_DIRECTORY "/intel_uncore_frequency/"

/** The directory of a domain's uncore limits: by its die, or, with TPMI, by what is in it. */
static int find_uncore(const struct recording *recording, const struct platform *platform,
		       const struct platform_domain *domain, char *directory, size_t size)
{
	enum { MOST_CLUSTERS = 256 };

	snprintf(directory, size, UNCORE_DIRECTORY "package_%02u_die_%02u", domain->package,
		 domain->die);
	if (!platform_is_tpmi(platform))
		return 0;
	for (unsigned int i = 0; i < MOST_CLUSTERS; i++) {
		unsigned int package, power_domain;
		char path[128];
		int result;

		snprintf(path, sizeof(path), UNCORE_DIRECTORY "uncore%02u/package_id", i);
		result = recording_number(recording, recording_entry(recording, path), HIGHEST_ID,
					  &package);
		if (result)
			return result;
		snprintf(path, sizeof(path), UNCORE_DIRECTORY "uncore%02u/domain_id", i);
		result = recording_number(recording, recording_entry(recording, path), HIGHEST_ID,
					  &power_domain);
		if (result)
			return result;
		snprintf(directory, size, UNCORE_DIRECTORY "uncore%02u", i);
		if (package == domain->package && power_domain == domain->power_domain)
			return 0;
	}
	return -ENOENT;
}

int recording_uncore_khz(const struct recording *recording, const struct platform *platform,
			 const struct platform_domain *domain, const char *name, unsigned int *khz)
{
	char directory[128], path[192];
	int result = find_uncore(recording, platform, domain, directory, sizeof(directory));

	if (result)
		return result;
	snprintf(path, sizeof(path), "%s/%s", directory, name);
	return recording_number(recording, recording_entry(recording, path), HIGHEST_KHZ, khz);
}

/** The limits are those of the first state (firmware/recorded.c); here they only have to be
 * numbers. */
static int fill_uncore(const struct recording *recording, struct platform *platform)
{
	static const char *const names[] = { "min_freq_khz", "max_freq_khz" };
	unsigned int khz;

	platform->uncore = number(has_entry_below(recording, UNCORE_DIRECTORY));
	for (size_t i = 0; i < 2 * platform->domain_count; i++)
		if (recording_uncore_khz(recording, platform, &platform->domains[i / 2],
					 names[i % 2], &khz) == -EINVAL)
			return -EINVAL;
	return 0;
}

static int fill_files(const struct recording *recording, struct platform *platform)
{
	unsigned int no_turbo = 0;
	int result = fill_cpufreq(recording, platform);

	fill_smt(recording, platform);

	platform->die_files = number(has_any(recording, "topology/die_id"));
	platform->cpu0_hotplug = number(recording_entry(recording, CPU_DIRECTORY "/cpu0/online") ||
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
	platform->no_turbo = number(no_turbo);
	return fill_uncore(recording, platform);
}

/** CPUs that may come: where no list tells, those up to the highest one that is there. */
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
			  what ? what : "cannot be a machine");
	free(what);
	return result;
}

int recording_fill(struct recording *recording, struct platform *platform)
{
	static int (*const steps[])(const struct recording *, struct platform *) = { fill_identity,
										     fill_kernel,
										     fill_driver };
	int result = 0;

	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps) && !result; i++)
		result = steps[i](recording, platform);
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
	return result ? result : complete(recording, platform);
}
