/* SPDX-License-Identifier: BSD-3-Clause */
/* The platform of a capture. What the capture does not have is composed here alone
 * (docs/internals/captured-machines.md has the rules). */
#include "base/array.h"
#include "emulator/capture/capture.h"
#include "emulator/model/text.h"
#include "emulator/model/tpmi_layout.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The highest frequency that a ratio of 8 bits can hold. */
enum { KHZ_PER_RATIO = 100000, HIGHEST_KHZ = 25500000 };

enum {
	MSR_THREAD_ID = 0x53, /* mailbox: thread [0], core [8:1] */
	MSR_PM_LOGICAL_ID = 0x54,
	MSR_PLATFORM_INFO = 0xce, /* [47:40] lowest ratio, [15:8] base */
	MSR_TURBO_RATIO_LIMIT = 0x1ad,
	MSR_TURBO_RATIO_LIMIT_CORES = 0x1ae,
	MSR_HWP_ENABLE = 0x770,
	MSR_HWP_CAPABILITIES = 0x771, /* highest [7:0], guaranteed [15:8], lowest [31:24] */
};

/** A value as if it came from a platform file. */
static struct number_value known_number(unsigned int value)
{
	return (struct number_value){ value, 1 };
}

static int replace_text(struct text_value *target, const char *text)
{
	char *copy = strdup(text);

	if (!copy)
		return -ENOMEM;
	free(target->text);
	*target = (struct text_value){ copy, 1 };
	return 0;
}

/* ---- Processor, kernel, and the driver that it had or that such a processor has ---- */

static int fill_identity(const struct capture *capture, struct platform *platform)
{
	const struct captured_entry *release = capture_entry(capture, "/proc/sys/kernel/osrelease");
	int result = replace_text(&platform->vendor, capture->vendor);
	const char *minor;
	uint64_t major;

	if (!result)
		result = replace_text(&platform->model_name, capture->model_name);
	if (!result)
		result = replace_text(&platform->title, capture->model_name);
	platform->family = known_number(capture->family);
	platform->model = known_number(capture->model);
	platform->stepping = known_number(capture->stepping);
	if (result || !release)
		return result;
	/* 6.12.0-1-amd64 */
	minor = number_before(release->value, '.', 10, 999, &major);
	if (!minor || *minor < '0' || *minor > '9')
		return capture_error(capture, &capture->entry_file, release->line,
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
	{ 0xcf, 0, MAILBOX_PCI, 0x3251 },
};

static int fill_driver(const struct capture *capture, struct platform *platform)
{
	const struct captured_driver *driver = &capture->driver;
	bool tpmi = driver->line ? driver->api_version >= 2 : capture->dump_count > 0;

	if (!driver->line) {
		/* None was captured: the one that such a processor has. */
		platform->node = known_number(tpmi);
		platform->mailbox = known_number(MAILBOX_NONE);
		platform->mmio = known_number(0);
		platform->api_version = known_number(tpmi ? 3 : 0);
		for (size_t i = 0; i < sizeof(mailbox_models) / sizeof(*mailbox_models); i++) {
			if (tpmi || capture->family != 6 ||
			    mailbox_models[i].model != capture->model ||
			    mailbox_models[i].lowest_stepping > capture->stepping)
				continue;
			platform->node = platform->api_version = known_number(1);
			platform->mailbox = known_number(mailbox_models[i].mailbox);
			platform->mmio = known_number(mailbox_models[i].mmio);
		}
		return 0;
	}
	if (driver->present && tpmi != (capture->dump_count > 0))
		return capture_error(capture, &capture->answer_file, driver->line,
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
	/* The device that has the registers which answered. */
	platform->mmio = known_number(driver->mmio ? 0x3451 : 0);
	for (size_t i = 0; i < capture->answer_count && driver->mmio; i++)
		if (capture->answers[i].kind == ANSWER_MMIO && capture->answers[i].command > 0xd0 &&
		    !capture->answers[i].error)
			platform->mmio = known_number(0x3251);
	return 0;
}

/* ---- Domains ---- */

/** The die of each CPU as the kernel shows it; 0 where it shows none of any. */
static int find_dies(struct capture *capture)
{
	const struct captured_cpu *with = NULL, *without = NULL;

	for (size_t i = 0; i < capture->cpu_count; i++) {
		struct captured_cpu *cpu = &capture->cpus[i];
		int result = capture_number(
			capture, capture_cpu_entry(capture, cpu->number, "topology/die_id"),
			HIGHEST_ID, &cpu->die);

		if (result && result != -ENOENT)
			return result;
		*(result ? &without : &with) = cpu;
	}
	if (!with || !without)
		return 0;
	return capture_error(capture, &capture->entry_file, captured_end(&capture->entry_file),
			     "found no topology/die_id of CPU %u, expected one as CPU %u has",
			     without->number, with->number);
}

static int add_captured_domain(struct platform *platform, const struct platform_domain *domain)
{
	if (ARRAY_GROW(platform->domains, platform->domain_count))
		return -ENOMEM;
	platform->domains[platform->domain_count] = *domain;
	platform->domains[platform->domain_count].cores = (struct set_value){ isst_cpuset_new(),
									      1 };
	return platform->domains[platform->domain_count++].cores.set ? 0 : -ENOMEM;
}

/** Index of a domain, or -1. @die is for mailbox platforms, @power_domain for others. */
static ssize_t find_captured_domain(const struct platform *platform, unsigned int package,
				    unsigned int die, unsigned int power_domain)
{
	for (size_t i = 0; i < platform->domain_count; i++)
		if (platform->domains[i].package == package &&
		    (platform_is_tpmi(platform) ? platform->domains[i].power_domain == power_domain
						: platform->domains[i].die == die))
			return (ssize_t)i;
	return -1;
}

static int compare_domains(const void *left, const void *right)
{
	const struct platform_domain *a = left, *b = right;

	if (a->package != b->package)
		return a->package < b->package ? -1 : 1;
	return (a->die > b->die) - (a->die < b->die);
}

/** Mailbox firmware: a package x die each. */
static int make_die_domains(const struct capture *capture, struct platform *platform)
{
	int result = 0;

	for (size_t i = 0; i < capture->cpu_count && !result; i++) {
		const struct captured_cpu *cpu = &capture->cpus[i];
		const struct platform_domain domain = {
			.package = cpu->package,
			.die = cpu->die,
			.perf_profile = { 1, 0 },
			.version = { 3, 0 },
			.core_power = { 1, 0 },
			.second_half = { 1, 0 },
		};

		if (find_captured_domain(platform, domain.package, domain.die, 0) < 0)
			result = add_captured_domain(platform, &domain);
	}
	if (result)
		return result;
	qsort(platform->domains, platform->domain_count, sizeof(*platform->domains),
	      compare_domains);
	for (size_t i = 1; i < platform->domain_count; i++)
		if (platform->domains[i].package == platform->domains[i - 1].package)
			platform->domains[i].die_index = platform->domains[i - 1].die_index + 1;
	return 0;
}

static int add_power_domain(const struct capture *capture, struct platform *platform,
			    struct captured_dump *dump, size_t number,
			    struct platform_domain *domain)
{
	struct captured_instance *instance = &dump->instances[number];
	const struct tpmi_registers registers = { instance->registers, instance->count };
	const char *missing = tpmi_absent(&registers) ? NULL : tpmi_incomplete(&registers);
	int result;

	if (missing)
		return capture_error(capture, &dump->file, instance->line,
				     "found %s of instance %zu outside its registers, expected "
				     "everything within",
				     missing, number);
	domain->power_domain = (unsigned int)number;
	domain->type = known_number(tpmi_absent(&registers) ? DOMAIN_ABSENT : DOMAIN_IO);
	domain->registers = instance->registers;
	domain->register_count = instance->count;
	result = add_captured_domain(platform, domain);
	/* Domains own their registers. */
	if (!result)
		instance->registers = NULL;
	return result;
}

/** TPMI: an instance each, of one device for each package. */
static int make_power_domains(struct capture *capture, struct platform *platform,
			      const struct isst_cpuset *packages)
{
	unsigned int package, socket = 0;
	int result = 0;

	if (isst_cpuset_count(packages) != capture->dump_count)
		return set_error(capture->error, -EINVAL,
				 "%s/" CAPTURE_DEBUGFS ": found the registers of %zu TPMI devices, "
				 "expected one for each of %zu packages",
				 capture->directory, capture->dump_count,
				 isst_cpuset_count(packages));
	isst_cpuset_for_each (package, packages) {
		struct captured_dump *dump = &capture->dumps[socket];
		struct platform_domain domain = { .package = package, .socket = socket };
		const struct captured_answer request = { .kind = ANSWER_INSTANCES,
							 .package = socket++ };
		const struct captured_answer *answer = capture_answer(capture, &request);

		/* Whether the driver served the package; it did where the capture does not have it.
		 */
		if (answer && (answer->error || !answer->value)) {
			struct set_value *set = answer->error ? &platform->unbound
							      : &platform->partly_bound;

			set->line = answer->line;
			if (!set->set)
				set->set = isst_cpuset_new();
			result = set->set ? isst_cpuset_add(set->set, package, package) : -ENOMEM;
		}
		for (size_t i = 0; i < dump->count && !result; i++)
			result = add_power_domain(capture, platform, dump, i, &domain);
		if (result)
			break;
	}
	return result;
}

static int make_domains(struct capture *capture, struct platform *platform)
{
	struct isst_cpuset *packages = isst_cpuset_new();
	int result = packages ? find_dies(capture) : -ENOMEM;

	for (size_t i = 0; i < capture->cpu_count && !result; i++)
		result = isst_cpuset_add(packages, capture->cpus[i].package,
					 capture->cpus[i].package);
	if (!result)
		result = platform_is_tpmi(platform)
				 ? make_power_domains(capture, platform, packages)
				 : make_die_domains(capture, platform);
	isst_cpuset_free(packages);
	return result;
}

/* ---- CPUs ---- */

/** Numbers of a CPU on a machine with a mailbox: MSR 0x53, or composed of the kernel's. */
static int number_core(const struct capture *capture, size_t index, struct platform_cpu *cpu)
{
	const struct captured_msr *msr = capture_msr(capture, MSR_THREAD_ID);
	const struct captured_cpu *captured = &capture->cpus[index], *other = captured;
	struct isst_cpuset *before;
	int result = 0;

	/* All ones: the driver did not know it either. */
	if (msr && msr->values[index] != UINT32_MAX) {
		cpu->punit = (uint32_t)msr->values[index];
		cpu->thread = cpu->punit & 1;
		cpu->core = cpu->punit >> 1 & 0xff;
		return 0;
	}
	/* Threads in the order of CPU numbers; core ids that do not fit are numbered anew. */
	before = isst_cpuset_new();
	cpu->thread = 0;
	for (other = capture->cpus; other < capture->cpus + capture->cpu_count && !result;
	     other++) {
		if (other->package != captured->package || other->die != captured->die)
			continue;
		cpu->thread += other->core_id == captured->core_id && other < captured;
		if (other->core_id < captured->core_id && captured->core_id >= CORE_IDS)
			result = isst_cpuset_add(before, other->core_id, other->core_id);
	}
	cpu->core = captured->core_id < CORE_IDS
			    ? captured->core_id
			    : (unsigned int)isst_cpuset_count(before) % CORE_IDS;
	cpu->punit = msr ? UINT32_MAX : cpu->core << 1 | cpu->thread;
	isst_cpuset_free(before);
	return result;
}

/** The domain of a CPU, which makes it one of compute cores. */
static int place_cpu(const struct capture *capture, struct platform *platform, size_t index,
		     struct platform_cpu *cpu)
{
	const struct captured_cpu *captured = &capture->cpus[index];
	const struct captured_msr *msr = capture_msr(capture, MSR_PM_LOGICAL_ID);
	unsigned int power_domain = 0;
	struct platform_domain *domain;
	ssize_t found;
	int result = 0;

	if (!platform_is_tpmi(platform)) {
		result = number_core(capture, index, cpu);
	} else if (msr) {
		cpu->punit = (uint32_t)msr->values[index];
		cpu->thread = cpu->punit & 7;
		cpu->core = cpu->punit >> 3 & 0xff;
		power_domain = cpu->punit >> 11 & 0x1f;
	} else {
		result = capture_error(capture, &capture->msr_file,
				       captured_end(&capture->msr_file),
				       "found no MSR 0x54, expected the power domain of every CPU");
	}
	if (result)
		return result;
	found = find_captured_domain(platform, captured->package, captured->die, power_domain);
	if (found < 0)
		return capture_error(capture, &capture->msr_file, msr->line,
				     "found CPU %u in power domain %u, expected one of the "
				     "captured instances of package %u",
				     captured->number, power_domain, captured->package);
	domain = &platform->domains[found];
	cpu->domain = (unsigned int)found;
	domain->die = captured->die;
	if (domain->type.value == DOMAIN_IO)
		domain->type = known_number(DOMAIN_COMPUTE);
	return isst_cpuset_add(domain->cores.set, cpu->core, cpu->core);
}

static int make_online_cpu(const struct capture *capture, struct platform *platform, size_t index)
{
	const struct captured_msr *msr = capture_msr(capture, MSR_HWP_CAPABILITIES);
	const unsigned int ratios = msr ? (unsigned int)msr->values[index] : 0;
	struct platform_cpu *cpu = &platform->cpus[platform->cpu_count++];
	struct captured_cpu *captured = &capture->cpus[index];
	const struct {
		const char *name;
		unsigned int most, otherwise, *khz;
	} files[] = {
		{ "cpufreq/base_frequency", HIGHEST_KHZ, (ratios >> 8 & 0xff) * KHZ_PER_RATIO,
		  &cpu->base_khz },
		{ "cpufreq/cpuinfo_max_freq", HIGHEST_KHZ, (ratios & 0xff) * KHZ_PER_RATIO,
		  &cpu->highest_khz },
		/* Limits of the user. */
		{ "cpufreq/scaling_min_freq", INT32_MAX, 0, &captured->min_khz },
		{ "cpufreq/scaling_max_freq", INT32_MAX, 0, &captured->max_khz },
	};
	int result;

	*cpu = (struct platform_cpu){ .number = captured->number, .core_id = captured->core_id };
	result = place_cpu(capture, platform, index, cpu);
	for (size_t i = 0; i < sizeof(files) / sizeof(*files) && !result; i++) {
		*files[i].khz = files[i].otherwise;
		result = capture_number(capture,
					capture_cpu_entry(capture, captured->number, files[i].name),
					files[i].most, files[i].khz);
		if (result == -ENOENT)
			result = 0;
	}
	return result;
}

/** The kernel does not show where an offline CPU is. It becomes a core of its own, in the domain of
 * the CPU before it. */
static int make_offline_cpu(struct platform *platform, unsigned int offline, size_t online)
{
	struct platform_cpu *cpu = &platform->cpus[platform->cpu_count++];
	const struct platform_cpu *neighbour = &platform->cpus[0];
	struct platform_domain *domain;

	for (size_t i = 0; i < online && platform->cpus[i].number < offline; i++)
		neighbour = &platform->cpus[i];
	*cpu = (struct platform_cpu){ .number = offline, .domain = neighbour->domain };
	domain = &platform->domains[cpu->domain];
	while (cpu->core < CORE_IDS - 1 && isst_cpuset_has(domain->cores.set, cpu->core))
		cpu->core++;
	for (size_t i = 0; i < platform->cpu_count; i++)
		if (platform->cpus[i].core_id >= cpu->core_id)
			cpu->core_id = platform->cpus[i].core_id + 1;
	cpu->punit = platform_is_tpmi(platform) ? cpu->core << 3 | domain->power_domain << 11
						: cpu->core << 1;
	return isst_cpuset_add(domain->cores.set, cpu->core, cpu->core);
}

/** The CPUs that are online have to be those of proc/cpuinfo, for that lists no others. */
static int check_online(const struct capture *capture)
{
	const struct captured_entry *entry = capture_entry(capture, CPU_DIRECTORY "/online");
	struct isst_cpuset *online;
	unsigned int cpu;
	int result;

	if (!entry)
		return 0;
	result = capture_set(capture, entry->path, &online);
	if (!result)
		isst_cpuset_for_each (cpu, online)
			if (!result && capture_cpu(capture, cpu) < 0)
				result = capture_error(
					capture, &capture->entry_file, entry->line,
					"found CPU %u in %s, expected only CPUs of proc/cpuinfo",
					cpu, entry->path);
	for (size_t i = 0; i < capture->cpu_count && !result; i++)
		if (!isst_cpuset_has(online, capture->cpus[i].number))
			result = capture_error(
				capture, &capture->entry_file, entry->line,
				"found no CPU %u in %s, expected all of proc/cpuinfo",
				capture->cpus[i].number, entry->path);
	isst_cpuset_free(online);
	return result;
}

static int make_cpus(struct capture *capture, struct platform *platform)
{
	struct isst_cpuset *present = NULL, *offline = isst_cpuset_new();
	unsigned int cpu;
	int result = offline ? check_online(capture) : -ENOMEM;

	platform->offline.set = offline;
	if (!result)
		result = capture_set(capture, CPU_DIRECTORY "/present", &present);
	for (size_t i = 0; i < capture->cpu_count && !result; i++)
		result = isst_cpuset_add(present, capture->cpus[i].number, capture->cpus[i].number);
	if (!result)
		isst_cpuset_for_each (cpu, present)
			if (capture_cpu(capture, cpu) < 0 && !result)
				result = isst_cpuset_add(offline, cpu, cpu);
	if (!result) {
		platform->cpus = calloc(isst_cpuset_count(present), sizeof(*platform->cpus));
		result = platform->cpus ? 0 : -ENOMEM;
	}
	isst_cpuset_free(present);
	for (size_t i = 0; i < capture->cpu_count && !result; i++)
		result = make_online_cpu(capture, platform, i);
	if (!result)
		isst_cpuset_for_each (cpu, offline)
			if (!result)
				result = make_offline_cpu(platform, cpu, capture->cpu_count);
	if (result)
		return result;
	qsort(platform->cpus, platform->cpu_count, sizeof(*platform->cpus), compare_numbers);
	/* A domain without CPUs shows the die of its package. */
	for (size_t i = 1; i < platform->domain_count; i++)
		if (platform->domains[i].type.value != DOMAIN_COMPUTE &&
		    platform->domains[i].package == platform->domains[i - 1].package)
			platform->domains[i].die = platform->domains[i - 1].die;
	return 0;
}

/* ---- The kernel's files ---- */

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

#define UNCORE_DIRECTORY CPU_DIRECTORY "/intel_uncore_frequency/"

int capture_uncore_khz(const struct capture *capture, const struct platform *platform,
		       const struct platform_domain *domain, const char *name, unsigned int *khz)
{
	enum { MOST_CLUSTERS = 256 };
	unsigned int package, power_domain, i;
	char path[192];
	int result;

	snprintf(path, sizeof(path), UNCORE_DIRECTORY "package_%02u_die_%02u/%s", domain->package,
		 domain->die, name);
	/* By its die, or, with TPMI, by what is in the directory. */
	for (i = 0; i < MOST_CLUSTERS && platform_is_tpmi(platform); i++) {
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
		snprintf(path, sizeof(path), UNCORE_DIRECTORY "uncore%02u/%s", i, name);
		if (package == domain->package && power_domain == domain->power_domain)
			break;
	}
	if (i == MOST_CLUSTERS)
		return -ENOENT;
	return capture_number(capture, capture_entry(capture, path), HIGHEST_KHZ, khz);
}

static int fill_files(const struct capture *capture, struct platform *platform)
{
	static const char *const uncore[] = { "min_freq_khz", "max_freq_khz" };
	const struct captured_entry *control = capture_entry(capture, CPU_DIRECTORY "/smt/control");
	const struct captured_msr *hwp = capture_msr(capture, MSR_HWP_ENABLE);
	const struct captured_msr *capabilities = capture_msr(capture, MSR_HWP_CAPABILITIES);
	const struct captured_msr *info = capture_msr(capture, MSR_PLATFORM_INFO);
	unsigned int no_turbo = 0, khz = 0;
	int result = fill_cpufreq(capture, platform);

	for (unsigned int i = 0; control && smt_controls[i]; i++)
		if (strcmp(control->value, smt_controls[i]) == 0)
			platform->smt = known_number(i);
	platform->die_files = known_number(has_cpu_entry(capture, "topology/die_id"));
	platform->cpu0_hotplug = known_number(
		capture_entry(capture, CPU_DIRECTORY "/cpu0/online") ||
		isst_cpuset_has(platform->offline.set, 0));
	if (!result)
		result = capture_number(capture,
					capture_cpu_entry(capture, capture->cpus[0].number,
							  "cpufreq/cpuinfo_min_freq"),
					HIGHEST_KHZ, &khz);
	if (result && result != -ENOENT)
		return result;
	if (result && info)
		khz = (unsigned int)(info->values[0] >> 40 & 0xff) * KHZ_PER_RATIO;
	else if (result && capabilities)
		khz = (unsigned int)(capabilities->values[0] >> 24 & 0xff) * KHZ_PER_RATIO;
	if (khz)
		platform->min_mhz = known_number(khz / 1000);
	platform->hwp = known_number(
		hwp ? (unsigned int)(hwp->values[0] & 1)
		    : capabilities || has_cpu_entry(capture, "cpufreq/base_frequency"));
	result = capture_number(capture,
				capture_entry(capture, CPU_DIRECTORY "/intel_pstate/no_turbo"), 1,
				&no_turbo);
	if (result && result != -ENOENT)
		return result;
	platform->no_turbo = known_number(no_turbo);
	platform->uncore = known_number(0);
	for (size_t i = 0; i < capture->entry_count; i++)
		if (strncmp(capture->entries[i].path, UNCORE_DIRECTORY, strlen(UNCORE_DIRECTORY)) ==
		    0)
			platform->uncore = known_number(1);
	/* They are part of the first state (firmware/power_on.c); here they only have to be
	 * numbers. */
	for (size_t i = 0; i < 2 * platform->domain_count; i++)
		if (capture_uncore_khz(capture, platform, &platform->domains[i / 2], uncore[i % 2],
				       &khz) == -EINVAL)
			return -EINVAL;
	return 0;
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
	const struct capture *capture;
	const struct platform_domain *domain;
};

/** False where firmware refused, or was not asked. */
static bool get_answer(const struct source *source, unsigned int command, uint32_t data,
		       uint32_t *value)
{
	const struct captured_answer *answer = capture_mailbox(source->capture, source->domain,
							       command, 0, data);

	if (!answer || answer->error)
		return false;
	*value = answer->value;
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

/** Eight bytes of an MSR, of any CPU of the domain that was online. */
static void take_msr_bytes(const struct source *source, uint32_t address, unsigned int unit,
			   struct list_value *list)
{
	const struct captured_msr *msr = capture_msr(source->capture, address);
	size_t cpu = 0;

	while (cpu < source->capture->cpu_count &&
	       (source->capture->cpus[cpu].package != source->domain->package ||
		source->capture->cpus[cpu].die != source->domain->die))
		cpu++;
	if (!msr || cpu == source->capture->cpu_count)
		return;
	list->line = msr->line;
	list->count = BUCKETS;
	for (unsigned int i = 0; i < BUCKETS; i++)
		list->value[i] = (msr->values[cpu] >> 8 * i & 0xff) * unit;
}

/** The current level has to be complete, whether or not firmware answered. */
static int complete_level(const struct source *source, const struct platform *platform,
			  struct platform_domain *domain)
{
	struct platform_level *level = NULL;
	struct list_value info = { .count = 0 };
	unsigned int core, lowest = 0;

	for (size_t i = 0; i < domain->level_count; i++)
		if (domain->levels[i].number == domain->level.value)
			level = &domain->levels[i];
	if (!level && domain->level_count > 0) {
		level = &domain->levels[0];
		domain->level = known_number(level->number);
	}
	if (!level)
		level = add_level(domain, domain->level.value);
	if (!level)
		return -ENOMEM;
	/* The lowest base frequency of the domain's CPUs. */
	for (size_t i = 0; i < platform->cpu_count; i++) {
		const struct platform_cpu *cpu = &platform->cpus[i];

		if (&platform->domains[cpu->domain] == domain && cpu->base_khz &&
		    (!lowest || cpu->base_khz / 1000 < lowest))
			lowest = cpu->base_khz / 1000;
	}
	take_msr_bytes(source, MSR_PLATFORM_INFO, 100, &info);
	if (!level->base[BASE_SSE].value)
		level->base[BASE_SSE] = known_number(lowest	     ? lowest
						     : info.value[1] ? info.value[1]
								     : platform->min_mhz.value);
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

static int fill_levels(const struct capture *capture, const struct platform *platform,
		       struct platform_domain *domain)
{
	const struct source source = { capture, domain };
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
	return result ? result : complete_level(&source, platform, domain);
}

int capture_fill(struct capture *capture, struct platform *platform)
{
	const struct captured_entry *possible = capture_entry(capture, CPU_DIRECTORY "/possible");
	char *what = NULL;
	int result = fill_identity(capture, platform);

	if (!result)
		result = fill_driver(capture, platform);
	if (!result)
		result = make_domains(capture, platform);
	if (!result)
		result = make_cpus(capture, platform);
	if (!result)
		result = fill_files(capture, platform);
	/* Without a list, possible CPUs are those up to the highest one that is present. */
	if (!result && possible) {
		platform->possible.line = 1;
		result = capture_set(capture, possible->path, &platform->possible.set);
		for (size_t i = 0; i < platform->cpu_count && !result; i++)
			if (!isst_cpuset_has(platform->possible.set, platform->cpus[i].number))
				result = capture_error(
					capture, &capture->entry_file, possible->line,
					"found no CPU %u in %s, expected all that are present",
					platform->cpus[i].number, possible->path);
	}
	for (size_t i = 0; i < platform->domain_count && !platform_is_tpmi(platform) && !result;
	     i++)
		result = fill_levels(capture, platform, &platform->domains[i]);
	if (result)
		return result;
	result = platform_complete(platform, &what);
	if (result == -EINVAL)
		set_error(capture->error, result, "%s: %s", capture->directory,
			  what ? what : "is not a possible machine");
	free(what);
	return result ? result : number_nodes(capture, platform);
}
