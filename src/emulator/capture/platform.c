/* SPDX-License-Identifier: BSD-3-Clause */
/* The platform of a capture. What the capture does not have is composed here alone
 * (docs/internals/captured-machines.md has the rules). */
#include "base/array.h"
#include "emulator/capture/capture.h"
#include "emulator/model/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	MSR_PLATFORM_INFO = 0xce, /* [47:40] lowest ratio */
	MSR_TURBO_RATIO_LIMIT = 0x1ad,
	MSR_TURBO_RATIO_LIMIT_CORES = 0x1ae,
	MSR_HWP_ENABLE = 0x770,
};

static void replace_text(struct text_value *target, const char *text, int *result)
{
	free(target->text);
	*target = (struct text_value){ strdup(text), 1 };
	if (!target->text)
		*result = -ENOMEM;
}

/* ---- Processor, kernel, and the driver that it had or that such a processor has ---- */

static int fill_identity(const struct capture *capture, struct platform *platform)
{
	const struct captured_entry *release = capture_entry(capture, "/proc/sys/kernel/osrelease");
	const char *minor;
	int result = 0;
	uint64_t major;

	replace_text(&platform->vendor, capture->vendor, &result);
	replace_text(&platform->model_name, capture->model_name, &result);
	replace_text(&platform->title, capture->model_name, &result);
	platform->family = known_number(capture->cpus[0].family);
	platform->model = known_number(capture->cpus[0].model);
	platform->stepping = known_number(capture->cpus[0].stepping);
	if (result || !release)
		return result;
	/* 6.12.0-1-amd64 */
	minor = number_before(release->value, '.', 10, 999, &major);
	if (!minor || *minor < '0' || *minor > '9')
		return capture_error(&capture->entry_file, release->line,
				     "found \"%s\", expected a kernel release such as 6.12.0",
				     release->value);
	platform->kernel = known_number(
		KERNEL((unsigned int)major, (unsigned int)strtoul(minor, NULL, 10) % 1000));
	return 0;
}

static const struct {
	unsigned int model, lowest_stepping;
	enum mailbox_transport mailbox;
	unsigned int mmio;
} mailbox_models[] = {
	/* Skylake (steppings up to 4) without Speed Select has no device. */
	{ 0x55, 5, MAILBOX_MSR, 0 },	  { 0x6a, 0, MAILBOX_PCI, 0x3451 },
	{ 0x6c, 0, MAILBOX_PCI, 0x3451 }, { 0x8f, 0, MAILBOX_PCI, 0x3251 },
	{ 0xcf, 0, MAILBOX_PCI, 0x3251 }, { 0, 0, MAILBOX_NONE, 0 },
};

static int fill_driver(const struct capture *capture, struct platform *platform)
{
	const struct captured_driver *driver = &capture->driver;
	const struct captured_cpu *cpu = &capture->cpus[0];
	bool tpmi = driver->line ? driver->api_version >= 2 : capture->dump_count > 0;
	size_t row = 0;

	if (!driver->line) {
		/* None was captured: the one that such a processor has. */
		while (mailbox_models[row].model &&
		       (tpmi || cpu->family != 6 || mailbox_models[row].model != cpu->model ||
			mailbox_models[row].lowest_stepping > cpu->stepping))
			row++;
		platform->mailbox = known_number(mailbox_models[row].mailbox);
		platform->mmio = known_number(mailbox_models[row].mmio);
		platform->node = known_number(tpmi || platform->mailbox.value);
		platform->api_version = known_number(tpmi ? 3 : platform->node.value);
		return 0;
	}
	if (driver->present && tpmi != (capture->dump_count > 0))
		return capture_error(&capture->answer_file, driver->line,
				     "found API version %u, expected %s because %s TPMI "
				     "registers were captured",
				     driver->api_version, tpmi ? "0 or 1" : "2 or more",
				     tpmi ? "no" : "");
	platform->node = known_number(driver->present);
	platform->api_version = known_number(driver->api_version);
	platform->driver_version = known_number(driver->driver_version);
	platform->max_commands = known_number(driver->max_commands ? driver->max_commands : 64);
	platform->mailbox = known_number(!driver->mailbox     ? MAILBOX_NONE
					 : cpu->model == 0x55 ? MAILBOX_MSR
							      : MAILBOX_PCI);
	/* The device that has the registers which answered. */
	platform->mmio = known_number(driver->mmio ? 0x3451 : 0);
	for (size_t i = 0; i < capture->answer_count && driver->mmio; i++)
		if (capture->answers[i].kind == ANSWER_MMIO &&
		    capture->answers[i].request[2] > 0xd0 && !capture->answers[i].error)
			platform->mmio = known_number(0x3251);
	return 0;
}

/* ---- The kernel's files ---- */

/** The file of the first CPU that has it, or NULL. */
static const struct captured_entry *find_cpu_entry(const struct capture *capture, const char *name)
{
	const struct captured_entry *entry = NULL;

	for (size_t i = 0; i < capture->cpu_count && !entry; i++)
		entry = capture_entry(capture, CPU_DIRECTORY "/cpu%u/%s", capture->cpus[i].number,
				      name);
	return entry;
}

static int fill_cpufreq(const struct capture *capture, struct platform *platform)
{
	const struct captured_entry *driver = find_cpu_entry(capture, "cpufreq/scaling_driver");
	const struct captured_entry *governor = find_cpu_entry(capture, "cpufreq/scaling_governor");
	const struct captured_entry *status = capture_entry(capture,
							    CPU_DIRECTORY "/intel_pstate/status");
	const char *name = "none";
	int result = 0;

	if (driver)
		name = driver->value;
	else if (status && strcmp(status->value, "active") == 0)
		name = "intel_pstate";
	else if (status && strcmp(status->value, "passive") == 0)
		name = "intel_cpufreq";
	replace_text(&platform->cpufreq, name, &result);
	if (governor)
		replace_text(&platform->governor, governor->value, &result);
	replace_text(&platform->pstate, status ? status->value : "none", &result);
	return result;
}

#define UNCORE_DIRECTORY CPU_DIRECTORY "/intel_uncore_frequency/"

unsigned int capture_uncore_khz(const struct platform *platform,
				const struct platform_domain *domain, const char *name,
				unsigned int otherwise, int *result)
{
	enum { MOST_CLUSTERS = 256 };
	const struct capture *capture = platform->capture;
	const struct captured_entry *package, *number, *entry = NULL;

	/* By its die, or, with TPMI, by what is in the directory. */
	if (!platform_is_tpmi(platform))
		entry = capture_entry(capture, UNCORE_DIRECTORY "package_%02u_die_%02u/%s",
				      domain->package, domain->die, name);
	for (unsigned int i = 0; i < MOST_CLUSTERS && platform_is_tpmi(platform) && !entry; i++) {
		package = capture_entry(capture, UNCORE_DIRECTORY "uncore%02u/package_id", i);
		number = capture_entry(capture, UNCORE_DIRECTORY "uncore%02u/instance_id", i);
		/* Where dies are enumerated domain_id of I/O dies is another number. */
		if (!number || domain->type.value != DOMAIN_IO)
			number = capture_entry(capture, UNCORE_DIRECTORY "uncore%02u/domain_id", i);
		if (!package || !number)
			break;
		if (capture_number(capture, package, HIGHEST_ID, 0, result) == domain->package &&
		    capture_number(capture, number, HIGHEST_ID, 0, result) == domain->power_domain)
			entry = capture_entry(capture, UNCORE_DIRECTORY "uncore%02u/%s", i, name);
	}
	return capture_number(capture, entry, HIGHEST_KHZ, otherwise, result);
}

static int fill_files(const struct capture *capture, struct platform *platform)
{
	const struct captured_entry *control = capture_entry(capture, CPU_DIRECTORY "/smt/control");
	const unsigned int cpu = capture->cpus[0].number;
	const struct captured_answer *hwp = capture_msr(capture, MSR_HWP_ENABLE, cpu);
	const struct captured_answer *info = capture_msr(capture, MSR_PLATFORM_INFO, cpu);
	const struct captured_answer *capabilities = capture_msr(capture, MSR_HWP_CAPABILITIES,
								 cpu);
	unsigned int khz = 0;
	int result = fill_cpufreq(capture, platform);

	for (unsigned int i = 0; control && smt_controls[i]; i++)
		if (strcmp(control->value, smt_controls[i]) == 0)
			platform->smt = known_number(i);
	platform->die_files = known_number(find_cpu_entry(capture, "topology/die_id") != NULL);
	platform->cpu0_hotplug = known_number(
		capture_entry(capture, CPU_DIRECTORY "/cpu0/online") ||
		isst_cpuset_has(platform->offline.set, 0));
	if (info)
		khz = (unsigned int)(info->value >> 40 & 0xff) * KHZ_PER_RATIO;
	else if (capabilities)
		khz = (unsigned int)(capabilities->value >> 24 & 0xff) * KHZ_PER_RATIO;
	khz = capture_cpu_number(capture, cpu, "cpufreq/cpuinfo_min_freq", HIGHEST_KHZ, khz,
				 &result);
	if (khz)
		platform->min_mhz = known_number(khz / 1000);
	platform->hwp = known_number(
		hwp ? (unsigned int)(hwp->value & 1)
		    : capabilities || find_cpu_entry(capture, "cpufreq/base_frequency"));
	platform->no_turbo = known_number(capture_number(
		capture, capture_entry(capture, CPU_DIRECTORY "/intel_pstate/no_turbo"), 1, 0,
		&result));
	platform->uncore = known_number(0);
	for (size_t i = 0; i < capture->entry_count; i++)
		if (strncmp(capture->entries[i].path, UNCORE_DIRECTORY, strlen(UNCORE_DIRECTORY)) ==
		    0)
			platform->uncore = known_number(1);
	/* Part of the first state (firmware/power_on.c); here they only have to be numbers. */
	for (size_t i = 0; i < platform->domain_count; i++) {
		capture_uncore_khz(platform, &platform->domains[i], "min_freq_khz", 0, &result);
		capture_uncore_khz(platform, &platform->domains[i], "max_freq_khz", 0, &result);
	}
	return result;
}

/** NUMA nodes, sub-NUMA clusters included: `/sys/devices/system/node/node3/cpulist`. */
static int number_nodes(const struct capture *capture, struct platform *platform)
{
	static const char begin[] = "/sys/devices/system/node/node";
	enum { MOST_NODES = 1024 }; /* more than any x86 kernel is built for */
	int result = 0;

	for (size_t i = 0; i < capture->entry_count && !result; i++) {
		const char *path = capture->entries[i].path, *rest;
		struct isst_cpuset *cpus;
		uint64_t node;

		if (strncmp(path, begin, strlen(begin)) != 0)
			continue;
		rest = number_before(path + strlen(begin), '/', 10, MOST_NODES - 1, &node);
		if (!rest || strcmp(rest, "cpulist") != 0)
			continue;
		result = capture_set(capture, path, &cpus);
		for (size_t j = 0; j < platform->cpu_count && !result; j++)
			if (isst_cpuset_has(cpus, platform->cpus[j].number))
				platform->cpus[j].node = (unsigned int)node;
		isst_cpuset_free(cpus);
	}
	return result;
}

/* ---- The levels of mailbox firmware by its answers, so that a captured machine can be changed
 * too; reads are answered as they were captured ---- */

/** Answers for one domain. */
struct source {
	const struct platform *platform;
	const struct platform_domain *domain;
};

/** False where firmware refused, or was not asked. */
static bool get_answer(const struct source *source, unsigned int command, uint32_t data,
		       uint32_t *value)
{
	const struct captured_answer *answer = capture_domain_answer(
		source->platform->capture, ANSWER_MAILBOX, source->domain, command, 0, data);

	if (!answer || answer->error)
		return false;
	*value = (uint32_t)answer->value;
	return true;
}

static bool get_level_answer(const void *source, uint32_t sub, uint32_t data, uint32_t *value)
{
	return get_answer(source, 0x7f00 | sub, data, value);
}

static struct platform_level *add_level(struct platform_domain *domain, unsigned int number)
{
	if (ARRAY_GROW(domain->levels, domain->level_count))
		return NULL;
	domain->levels[domain->level_count] = (struct platform_level){ .number = number,
								       .line = 1 };
	return &domain->levels[domain->level_count++];
}

/** A level about which firmware answers nothing does not exist. */
static int take_level(const struct source *source, struct platform_domain *domain,
		      unsigned int number)
{
	struct platform_level *level = add_level(domain, number);
	uint32_t features = 0;
	bool exists = get_answer(source, 0x7f01, number, &features);

	if (!level)
		return -ENOMEM;
	/* They are supported, whether or not anything else is answered of them. */
	level->tf_cores.line = features & 1;
	level->bf_cores.line = features >> 1 & 1;
	mailbox_level_describe(level, get_level_answer, source);
	if (!level->base[BASE_SSE].value && level->tdp_ratio.line)
		level->base[BASE_SSE] = known_number(level->tdp_ratio.value * 100);
	if (!exists && !level->cores.line)
		domain->level_count--;
	if (number != domain->level.value)
		return 0;
	domain->turbo_freq_enabled = known_number(features >> 16 & 1);
	domain->base_freq_enabled = known_number(features >> 17 & 1);
	return 0;
}

/** Eight bytes of an MSR. */
static void take_msr_bytes(const struct source *source, uint32_t address, unsigned int unit,
			   struct list_value *list)
{
	const struct captured_answer *msr = capture_domain_msr(source->platform, source->domain,
							       address);

	if (!msr)
		return;
	list->line = msr->line;
	list->count = BUCKETS;
	for (unsigned int i = 0; i < BUCKETS; i++)
		list->value[i] = (msr->value >> 8 * i & 0xff) * unit;
}

/** The current level has to be complete, whether or not firmware answered. */
static int complete_level(const struct source *source, struct platform_domain *domain)
{
	const struct platform *platform = source->platform;
	struct platform_level *level = NULL;
	unsigned int core, lowest = 0;

	for (size_t i = 0; i < domain->level_count; i++)
		if (i == 0 || domain->levels[i].number == domain->level.value)
			level = &domain->levels[i];
	if (!level)
		level = add_level(domain, domain->level.value);
	if (!level)
		return -ENOMEM;
	domain->level = known_number(level->number);
	/* The lowest base frequency of the domain's CPUs. */
	for (size_t i = 0; i < platform->cpu_count; i++) {
		const struct platform_cpu *cpu = &platform->cpus[i];

		if (&platform->domains[cpu->domain] == domain && cpu->base_khz &&
		    (!lowest || cpu->base_khz / 1000 < lowest))
			lowest = cpu->base_khz / 1000;
	}
	if (!level->base[BASE_SSE].value)
		level->base[BASE_SSE] = known_number(lowest ? lowest : platform->min_mhz.value);
	if (!level->limits[0].count)
		take_msr_bytes(source, MSR_TURBO_RATIO_LIMIT, 100, &level->limits[0]);
	if (level->cores.line)
		return 0;
	level->cores = (struct mask_value){ 0, 1 };
	isst_cpuset_for_each (core, domain->cores.set)
		if (core < MASK_CORES)
			level->cores.cores |= UINT64_C(1) << core;
	return 0;
}

static int fill_levels(const struct platform *platform, struct platform_domain *domain)
{
	const struct source source = { platform, domain };
	unsigned int highest = 0;
	uint32_t word;
	int result = 0;

	domain->core_power = known_number(0);
	if (get_answer(&source, 0x9403, 0, &word)) {
		domain->core_power = known_number(get_bits(word, 0, 0));
		domain->core_power_enabled = known_number(get_bits(word, 16, 16));
	}
	take_msr_bytes(&source, MSR_TURBO_RATIO_LIMIT_CORES, 1, &domain->turbo_cores);
	domain->perf_profile = known_number(0);
	if (get_answer(&source, 0x7f00, 0, &word)) {
		domain->version = known_number(get_bits(word, 7, 0));
		highest = get_bits(word, 15, 8);
		domain->level = known_number(get_bits(word, 23, 16));
		domain->locked = known_number(get_bits(word, 24, 24));
		domain->perf_profile = known_number(get_bits(word, 31, 31));
	}
	for (unsigned int number = 0; number <= highest && !result; number++)
		result = take_level(&source, domain, number);
	return result ? result : complete_level(&source, domain);
}

int capture_fill(struct platform *platform)
{
	struct capture *capture = platform->capture;
	const struct captured_entry *possible = capture_entry(capture, CPU_DIRECTORY "/possible");
	char *what = NULL;
	int result = fill_identity(capture, platform);

	if (!result)
		result = fill_driver(capture, platform);
	if (!result)
		result = capture_make_domains(platform);
	if (!result)
		result = capture_make_cpus(platform);
	if (!result)
		result = fill_files(capture, platform);
	/* Without a list, possible CPUs are those up to the highest one that is present. */
	if (!result && possible) {
		platform->possible.line = 1;
		result = capture_set(capture, possible->path, &platform->possible.set);
		for (size_t i = 0; i < platform->cpu_count && !result; i++)
			if (!isst_cpuset_has(platform->possible.set, platform->cpus[i].number))
				result = capture_error(
					&capture->entry_file, possible->line,
					"found no CPU %u in %s, expected all that are present",
					platform->cpus[i].number, possible->path);
	}
	for (size_t i = 0; i < platform->domain_count && !platform_is_tpmi(platform) && !result;
	     i++)
		result = fill_levels(platform, &platform->domains[i]);
	if (result)
		return result;
	result = platform_complete(platform, &what);
	if (result == -EINVAL)
		set_error(capture->error, result, "%s: %s", capture->directory,
			  what ? what : "is not a possible machine");
	free(what);
	return result ? result : number_nodes(capture, platform);
}
