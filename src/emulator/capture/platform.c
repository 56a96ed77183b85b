/* SPDX-License-Identifier: BSD-3-Clause */
/* The platform of a capture: what follows from its files, and the steps in their order. What it
 * does not have is composed in this folder alone (docs/internals/captured-machines.md has the
 * rules). */
#include "emulator/capture/parts.h"
#include "emulator/model/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Processor, kernel, and the driver that it had or that such a processor has ---- */

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

static int fill_identity(const struct capture *capture, struct platform *platform)
{
	int result = replace_text(&platform->vendor, capture->vendor);

	if (!result)
		result = replace_text(&platform->model_name, capture->model_name);
	if (!result)
		result = replace_text(&platform->title, capture->model_name);
	platform->family = known_number(capture->family);
	platform->model = known_number(capture->model);
	platform->stepping = known_number(capture->stepping);
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
static int fill_kernel(const struct capture *capture, struct platform *platform)
{
	const struct captured_entry *entry = capture_entry(capture, "/proc/sys/kernel/osrelease");
	const char *text = entry ? entry->value : "";
	unsigned int major, minor;

	if (!entry)
		return 0;
	if (!leading_number(&text, &major) || *text++ != '.' || !leading_number(&text, &minor))
		return captured_error(&capture->entry_file, entry->line,
				      "found \"%s\", expected a kernel release such as 6.12.0",
				      entry->value);
	platform->kernel = known_number(KERNEL(major, minor));
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

/** No driver was captured: the one that such a processor has. */
static void compose_driver(const struct capture *capture, struct platform *platform)
{
	platform->node = known_number(capture->dump_count > 0);
	platform->mailbox = known_number(MAILBOX_NONE);
	platform->mmio = known_number(0);
	platform->api_version = known_number(capture->dump_count > 0 ? 3 : 0);
	for (size_t i = 0; i < sizeof(mailbox_models) / sizeof(*mailbox_models); i++) {
		if (capture->dump_count > 0 || capture->family != 6 ||
		    mailbox_models[i].model != capture->model ||
		    mailbox_models[i].lowest_stepping > capture->stepping)
			continue;
		platform->node = platform->api_version = known_number(1);
		platform->mailbox = known_number(mailbox_models[i].mailbox);
		platform->mmio = known_number(mailbox_models[i].mmio);
	}
}

/** The device that has the registers which answered. */
static unsigned int mmio_device(const struct capture *capture)
{
	for (size_t i = 0; i < capture->answer_count; i++)
		if (capture->answers[i].kind == CAPTURE_MMIO &&
		    capture->answers[i].command > 0xd0 && !capture->answers[i].error)
			return 0x3251;
	return 0x3451;
}

static int fill_driver(const struct capture *capture, struct platform *platform)
{
	const struct captured_driver *driver = &capture->driver;
	bool tpmi = driver->api_version >= 2;

	if (!driver->line) {
		compose_driver(capture, platform);
		return 0;
	}
	if (driver->present && tpmi != (capture->dump_count > 0))
		return captured_error(&capture->answer_file, driver->line,
				      "found API version %u, expected %s because %s TPMI "
				      "registers were captured",
				      driver->api_version, tpmi ? "0 or 1" : "2 or more",
				      tpmi ? "no" : "");
	platform->node = known_number(driver->present);
	platform->api_version = known_number(driver->api_version);
	platform->driver_version = known_number(driver->driver_version);
	platform->max_commands = known_number(driver->max_commands ? driver->max_commands : 64);
	platform->mailbox = known_number(!driver->mailbox	  ? MAILBOX_NONE
					 : capture->model == 0x55 ? MAILBOX_MSR
								  : MAILBOX_PCI);
	platform->mmio = known_number(driver->mmio ? mmio_device(capture) : 0);
	return 0;
}

/* ---- NUMA nodes, sub-NUMA clusters included ---- */

/* More than any x86 kernel is built for. */
enum { MOST_NODES = 1024 };

/** `/sys/devices/system/node/node3/cpulist`: 3. */
static bool node_of_path(const char *path, unsigned int *node)
{
	static const char BEGIN[] = "/sys/devices/system/node/node", END[] = "/cpulist";
	size_t length = strlen(path), rest = sizeof(BEGIN) - 1 + sizeof(END) - 1;
	uint64_t number;
	char digits[8];

	if (length <= rest || length - rest >= sizeof(digits) ||
	    strncmp(path, BEGIN, sizeof(BEGIN) - 1) != 0 ||
	    strcmp(path + length - (sizeof(END) - 1), END) != 0)
		return false;
	memcpy(digits, path + sizeof(BEGIN) - 1, length - rest);
	digits[length - rest] = '\0';
	if (isst_parse_number(digits, 10, MOST_NODES - 1, &number))
		return false;
	*node = (unsigned int)number;
	return true;
}

static int number_nodes(const struct capture *capture, struct platform *platform)
{
	int result = 0;

	for (size_t i = 0; i < capture->entry_count && !result; i++) {
		struct isst_cpuset *cpus;
		unsigned int node;

		if (!node_of_path(capture->entries[i].path, &node))
			continue;
		cpus = isst_cpuset_new();
		result = cpus ? capture_list(capture, &capture->entries[i], cpus) : -ENOMEM;
		for (size_t j = 0; j < platform->cpu_count && !result; j++)
			if (isst_cpuset_has(cpus, platform->cpus[j].number))
				platform->cpus[j].node = node;
		isst_cpuset_free(cpus);
	}
	return result;
}

/* ---- Uncore limits ---- */

#define UNCORE_DIRECTORY CPU_DIRECTORY "/intel_uncore_frequency/"

/** The directory of a domain's uncore limits: by its die, or, with TPMI, by what is in it. */
static int find_uncore(const struct capture *capture, const struct platform *platform,
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
		result = capture_number(capture, capture_entry(capture, path), HIGHEST_ID,
					&package);
		if (result)
			return result;
		/* Where dies are enumerated domain_id of I/O dies is another number. */
		snprintf(path, sizeof(path), UNCORE_DIRECTORY "uncore%02u/instance_id", i);
		if (domain->type.value != DOMAIN_IO || !capture_entry(capture, path))
			snprintf(path, sizeof(path), UNCORE_DIRECTORY "uncore%02u/domain_id", i);
		result = capture_number(capture, capture_entry(capture, path), HIGHEST_ID,
					&power_domain);
		if (result)
			return result;
		snprintf(directory, size, UNCORE_DIRECTORY "uncore%02u", i);
		if (package == domain->package && power_domain == domain->power_domain)
			return 0;
	}
	return -ENOENT;
}

int capture_uncore_khz(const struct capture *capture, const struct platform *platform,
		       const struct platform_domain *domain, const char *name, unsigned int *khz)
{
	char directory[128], path[192];
	int result = find_uncore(capture, platform, domain, directory, sizeof(directory));

	if (result)
		return result;
	snprintf(path, sizeof(path), "%s/%s", directory, name);
	return capture_number(capture, capture_entry(capture, path), HIGHEST_KHZ, khz);
}

/** The limits are those of the first state (firmware/captured.c); here they only have to be
 * numbers. */
static int fill_uncore(const struct capture *capture, struct platform *platform)
{
	static const char *const names[] = { "min_freq_khz", "max_freq_khz" };
	unsigned int khz;

	platform->uncore = known_number(0);
	for (size_t i = 0; i < capture->entry_count; i++)
		if (strncmp(capture->entries[i].path, UNCORE_DIRECTORY, strlen(UNCORE_DIRECTORY)) ==
		    0)
			platform->uncore = known_number(1);
	for (size_t i = 0; i < 2 * platform->domain_count; i++)
		if (capture_uncore_khz(capture, platform, &platform->domains[i / 2], names[i % 2],
				       &khz) == -EINVAL)
			return -EINVAL;
	return 0;
}

/* ---- The steps ---- */

static bool has_cpu_entry(const struct capture *capture, const char *name)
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
	result = replace_text(&platform->cpufreq, name);
	if (!result && governor)
		result = replace_text(&platform->governor, governor->value);
	return result ? result : replace_text(&platform->pstate, status ? status->value : "none");
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
	platform->hwp = known_number(capabilities ||
				     has_cpu_entry(capture, "cpufreq/base_frequency"));
	if (hwp)
		platform->hwp = known_number(hwp->values[0] & 1);
	return 0;
}

static int fill_files(const struct capture *capture, struct platform *platform)
{
	const struct captured_entry *control = capture_entry(capture, CPU_DIRECTORY "/smt/control");
	unsigned int no_turbo = 0;
	int result = fill_cpufreq(capture, platform);

	for (unsigned int i = 0; control && smt_controls[i]; i++)
		if (strcmp(control->value, smt_controls[i]) == 0)
			platform->smt = known_number(i);

	platform->die_files = known_number(has_cpu_entry(capture, "topology/die_id"));
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
	return fill_uncore(capture, platform);
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

int capture_fill(struct capture *capture, struct platform *platform)
{
	char *what = NULL;
	int result = fill_identity(capture, platform);

	if (!result)
		result = fill_kernel(capture, platform);
	if (!result)
		result = fill_driver(capture, platform);
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
	if (result)
		return result;
	result = platform_complete(platform, &what);
	if (result == -EINVAL)
		set_error(capture->error, result, "%s: %s", capture->directory,
			  what ? what : "is not a possible machine");
	free(what);
	return result ? result : number_nodes(capture, platform);
}
