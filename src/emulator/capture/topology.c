/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The domains and CPUs of a recorded machine, by what kernel and driver told of their places. What
 * is not told is composed (docs/recorded-machines.md has the rules for readers).
 */
#include "emulator/capture/recording.h"
#include "emulator/model/tpmi_layout.h"
#include "emulator/text.h"

#include <errno.h>
#include <stdlib.h>

enum {
	MSR_THREAD_ID = 0x53,
	MSR_PM_LOGICAL_ID = 0x54,
	MSR_HWP_CAPABILITIES = 0x771, /* highest [7:0], guaranteed [15:8] */
};

enum { KHZ_PER_RATIO = 100000 };

#define CPU_DIRECTORY "/sys/devices/system/cpu"

static struct number_value number(unsigned int value)
{
	return (struct number_value){ value, 1 };
}

/* ---- Domains ---- */

/** The die of each CPU as the kernel shows it; 0 where it shows none of any. */
static int find_dies(struct recording *recording)
{
	const struct recorded_cpu *with = NULL, *without = NULL;
	int result = 0;

	for (size_t i = 0; i < recording->cpu_count && !result; i++) {
		struct recorded_cpu *cpu = &recording->cpus[i];

		result = recording_number(
			recording, recording_cpu_entry(recording, cpu->number, "topology/die_id"),
			HIGHEST_ID, &cpu->die);
		if (result == -ENOENT) {
			without = cpu;
			result = 0;
		} else {
			with = cpu;
		}
	}
	if (result || !with || !without)
		return result;
	return recorded_error(&recording->entry_file, recorded_end(&recording->entry_file),
			      "found no topology/die_id of CPU %u, expected one as CPU %u has",
			      without->number, with->number);
}

static int add_domain(struct platform *platform, const struct platform_domain *domain)
{
	if (!recorded_grow(&platform->domains, platform->domain_count, sizeof(*domain)))
		return -ENOMEM;
	platform->domains[platform->domain_count] = *domain;
	platform->domains[platform->domain_count].cores.set = isst_cpuset_new();
	platform->domains[platform->domain_count].cores.line = 1;
	return platform->domains[platform->domain_count++].cores.set ? 0 : -ENOMEM;
}

static ssize_t find_domain(const struct platform *platform, unsigned int package, unsigned int die,
			   unsigned int power_domain)
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
static int make_die_domains(struct recording *recording, struct platform *platform)
{
	int result = 0;

	for (size_t i = 0; i < recording->cpu_count && !result; i++) {
		const struct recorded_cpu *cpu = &recording->cpus[i];
		struct platform_domain domain = {
			.package = cpu->package,
			.die = cpu->die,
			.perf_profile = { 1, 0 },
			.version = { 3, 0 },
			.core_power = { 1, 0 },
			.second_half = { 1, 0 },
		};

		if (find_domain(platform, domain.package, domain.die, 0) < 0)
			result = add_domain(platform, &domain);
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

static int add_power_domain(struct platform *platform, const struct recorded_dump *dump,
			    struct recorded_instance *instance, struct platform_domain *domain)
{
	const struct tpmi_registers registers = { instance->registers, instance->count };
	const char *missing = tpmi_absent(&registers) ? NULL : tpmi_incomplete(&registers);
	int result;

	if (missing)
		return recorded_error(&dump->file, instance->line,
				      "found %s of instance %u outside of its registers, expected "
				      "all that their offsets name",
				      missing, instance->number);
	domain->power_domain = instance->number;
	domain->type = number(tpmi_absent(&registers) ? DOMAIN_ABSENT : DOMAIN_IO);
	domain->registers = instance->registers;
	domain->register_count = instance->count;
	result = add_domain(platform, domain);
	/* Domains own their registers. */
	if (!result)
		instance->registers = NULL;
	return result;
}

/** Whether the driver served the package; it does where nobody asked. */
static int note_bound(const struct recording *recording, struct platform *platform,
		      unsigned int socket, unsigned int package)
{
	const struct recorded_answer request = { .kind = CAPTURE_INSTANCES, .package = socket };
	const struct recorded_answer *answer = recording_answer(recording, &request);
	struct set_value *set;

	if (!answer || (answer->value && !answer->error))
		return 0;
	set = answer->error ? &platform->unbound : &platform->partly_bound;
	set->line = answer->line;
	if (!set->set)
		set->set = isst_cpuset_new();
	return set->set ? isst_cpuset_add(set->set, package, package) : -ENOMEM;
}

/** TPMI: an instance each, of one device for each package. */
static int make_power_domains(struct recording *recording, struct platform *platform,
			      const struct isst_cpuset *packages)
{
	unsigned int package, socket = 0;
	int result = 0;

	if (isst_cpuset_count(packages) != recording->dump_count)
		return set_error(recording->error, -EINVAL,
				 "%s/" CAPTURE_DEBUGFS ": found the registers of %zu TPMI devices, "
				 "expected one for each of %zu packages",
				 recording->directory, recording->dump_count,
				 isst_cpuset_count(packages));
	isst_cpuset_for_each (package, packages) {
		struct recorded_dump *dump = &recording->dumps[socket];
		struct platform_domain domain = { .package = package, .socket = socket };

		result = note_bound(recording, platform, socket++, package);
		for (size_t i = 0; i < dump->count && !result; i++)
			result = add_power_domain(platform, dump, &dump->instances[i], &domain);
		if (result)
			break;
	}
	return result;
}

int recording_make_domains(struct recording *recording, struct platform *platform)
{
	struct isst_cpuset *packages = isst_cpuset_new();
	int result = packages ? find_dies(recording) : -ENOMEM;

	for (size_t i = 0; i < recording->cpu_count && !result; i++)
		result = isst_cpuset_add(packages, recording->cpus[i].package,
					 recording->cpus[i].package);
	if (!result)
		result = platform_is_tpmi(platform)
				 ? make_power_domains(recording, platform, packages)
				 : make_die_domains(recording, platform);
	isst_cpuset_free(packages);
	return result;
}

/* ---- CPUs ---- */

static int compare(unsigned int a, unsigned int b)
{
	return (a > b) - (a < b);
}

/** By core, then by number. */
static int compare_threads(const void *left, const void *right)
{
	const struct recorded_cpu *a = *(struct recorded_cpu *const *)left;
	const struct recorded_cpu *b = *(struct recorded_cpu *const *)right;
	int order = compare(a->package, b->package);

	if (!order)
		order = compare(a->die, b->die);
	if (!order)
		order = compare(a->core_id, b->core_id);
	return order ? order : compare(a->number, b->number);
}

/** Counts the threads of each core, and the cores of each die by their ids. */
static int count_threads(struct recording *recording)
{
	struct recorded_cpu **cpus = calloc(recording->cpu_count, sizeof(*cpus));

	if (!cpus)
		return -ENOMEM;
	for (size_t i = 0; i < recording->cpu_count; i++)
		cpus[i] = &recording->cpus[i];
	qsort(cpus, recording->cpu_count, sizeof(*cpus), compare_threads);
	for (size_t i = 1; i < recording->cpu_count; i++) {
		const struct recorded_cpu *before = cpus[i - 1];
		bool same_die = cpus[i]->package == before->package && cpus[i]->die == before->die;
		bool same_core = same_die && cpus[i]->core_id == before->core_id;

		cpus[i]->thread = same_core ? before->thread + 1 : 0;
		cpus[i]->core_index = same_die ? before->core_index + !same_core : 0;
	}
	free(cpus);
	return 0;
}

/** Numbers of a CPU on a machine with a mailbox: MSR 0x53, or composed of the kernel's. */
static void number_core(const struct recording *recording, size_t index, struct platform_cpu *cpu)
{
	const struct recorded_msr *msr = recording_msr(recording, MSR_THREAD_ID);
	const struct recorded_cpu *recorded = &recording->cpus[index];

	/* All ones: the driver did not know it either. */
	if (msr && msr->values[index] != UINT32_MAX) {
		cpu->punit = (uint32_t)msr->values[index];
		cpu->thread = cpu->punit & 1;
		cpu->core = cpu->punit >> 1 & 0xff;
		return;
	}
	cpu->thread = recorded->thread;
	cpu->core = recorded->core_id < CORE_IDS ? recorded->core_id
						 : recorded->core_index % CORE_IDS;
	cpu->punit = msr ? UINT32_MAX : cpu->core << 1 | cpu->thread;
}

static int number_power_domain(const struct recording *recording, size_t index,
			       struct platform_cpu *cpu, unsigned int *power_domain)
{
	const struct recorded_msr *msr = recording_msr(recording, MSR_PM_LOGICAL_ID);

	if (!msr)
		return recorded_error(&recording->msr_file, recorded_end(&recording->msr_file),
				      "found no MSR 0x54, expected the power domain of every CPU");
	cpu->punit = (uint32_t)msr->values[index];
	cpu->thread = cpu->punit & 7;
	cpu->core = cpu->punit >> 3 & 0xff;
	*power_domain = cpu->punit >> 11 & 0x1f;
	return 0;
}

/** The domain of a CPU, which thereby is one of compute cores. */
static int place_cpu(const struct recording *recording, struct platform *platform, size_t index,
		     struct platform_cpu *cpu)
{
	const struct recorded_cpu *recorded = &recording->cpus[index];
	unsigned int power_domain = 0;
	struct platform_domain *domain;
	ssize_t found;
	int result = 0;

	if (platform_is_tpmi(platform))
		result = number_power_domain(recording, index, cpu, &power_domain);
	else
		number_core(recording, index, cpu);
	if (result)
		return result;
	found = find_domain(platform, recorded->package, recorded->die, power_domain);
	if (found < 0)
		return recorded_error(&recording->msr_file,
				      recording_msr(recording, MSR_PM_LOGICAL_ID)->line,
				      "found CPU %u in power domain %u, expected one of the "
				      "instances that are recorded of package %u",
				      recorded->number, power_domain, recorded->package);
	domain = &platform->domains[found];
	cpu->domain = (unsigned int)found;
	domain->die = recorded->die;
	if (domain->type.value == DOMAIN_IO)
		domain->type = number(DOMAIN_COMPUTE);
	return isst_cpuset_add(domain->cores.set, cpu->core, cpu->core);
}

/** In kHz, or 0 where nothing tells. */
static int recorded_khz(const struct recording *recording, size_t index, const char *name,
			unsigned int shift, unsigned int *khz)
{
	const struct recorded_msr *msr = recording_msr(recording, MSR_HWP_CAPABILITIES);
	int result = recording_number(
		recording, recording_cpu_entry(recording, recording->cpus[index].number, name),
		HIGHEST_KHZ, khz);

	if (result != -ENOENT)
		return result;
	*khz = msr ? (unsigned int)(msr->values[index] >> shift & 0xff) * KHZ_PER_RATIO : 0;
	return 0;
}

/** A limit of the user; 0 where none is recorded. */
static int find_limit(const struct recording *recording, size_t index, const char *name,
		      unsigned int *khz)
{
	int result = recording_number(
		recording, recording_cpu_entry(recording, recording->cpus[index].number, name),
		INT32_MAX, khz);

	if (result == -ENOENT)
		*khz = 0;
	return result == -ENOENT ? 0 : result;
}

static int make_online_cpu(const struct recording *recording, struct platform *platform,
			   size_t index)
{
	struct platform_cpu *cpu = &platform->cpus[platform->cpu_count++];
	int result;

	*cpu = (struct platform_cpu){
		.number = recording->cpus[index].number,
		.core_id = recording->cpus[index].core_id,
	};
	result = place_cpu(recording, platform, index, cpu);
	if (!result)
		result = recorded_khz(recording, index, "cpufreq/base_frequency", 8,
				      &cpu->base_khz);
	if (!result)
		result = recorded_khz(recording, index, "cpufreq/cpuinfo_max_freq", 0,
				      &cpu->highest_khz);
	if (!result)
		result = find_limit(recording, index, "cpufreq/scaling_min_freq",
				    &recording->cpus[index].min_khz);
	return result ? result
		      : find_limit(recording, index, "cpufreq/scaling_max_freq",
				   &recording->cpus[index].max_khz);
}

/**
 * Where an offline CPU is, the kernel does not tell. It becomes a core of its own, in the domain of
 * the CPU before it.
 */
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

static int compare_cpus(const void *left, const void *right)
{
	const struct platform_cpu *a = left, *b = right;

	return (a->number > b->number) - (a->number < b->number);
}

int recording_set(const struct recording *recording, const char *path, struct isst_cpuset **set)
{
	int result;

	*set = isst_cpuset_new();
	result = *set ? recording_list(recording, recording_entry(recording, path), *set) : -ENOMEM;
	return result == -ENOENT ? 0 : result;
}

/** The CPUs that are online have to be those of proc/cpuinfo, for that lists no others. */
static int check_online(const struct recording *recording, const struct isst_cpuset *online)
{
	const struct recorded_entry *entry = recording_entry(recording, CPU_DIRECTORY "/online");
	unsigned int cpu;

	if (!entry)
		return 0;
	isst_cpuset_for_each (cpu, online)
		if (recording_cpu(recording, cpu) < 0)
			return recorded_error(&recording->entry_file, entry->line,
					      "found CPU %u in %s, expected only CPUs of "
					      "proc/cpuinfo",
					      cpu, entry->path);
	for (size_t i = 0; i < recording->cpu_count; i++)
		if (!isst_cpuset_has(online, recording->cpus[i].number))
			return recorded_error(&recording->entry_file, entry->line,
					      "found no CPU %u in %s, expected all of proc/cpuinfo",
					      recording->cpus[i].number, entry->path);
	return 0;
}

/** The CPUs that are present, and in @platform those of them that are offline. */
static int list_cpus(const struct recording *recording, struct platform *platform,
		     struct isst_cpuset **present)
{
	struct isst_cpuset *online = NULL;
	unsigned int cpu;
	int result = recording_set(recording, CPU_DIRECTORY "/online", &online);

	*present = NULL;
	if (!result)
		result = check_online(recording, online);
	if (!result)
		result = recording_set(recording, CPU_DIRECTORY "/present", present);
	for (size_t i = 0; i < recording->cpu_count && !result; i++)
		result = isst_cpuset_add(*present, recording->cpus[i].number,
					 recording->cpus[i].number);
	if (!result && !platform->offline.set)
		platform->offline.set = isst_cpuset_new();
	if (!result && !platform->offline.set)
		result = -ENOMEM;
	if (!result)
		isst_cpuset_for_each (cpu, *present)
			if (recording_cpu(recording, cpu) < 0 && !result)
				result = isst_cpuset_add(platform->offline.set, cpu, cpu);
	isst_cpuset_free(online);
	return result;
}

/** A domain without CPUs shows the die of its package. */
static void complete_dies(struct platform *platform)
{
	for (size_t i = 1; i < platform->domain_count; i++)
		if (platform->domains[i].type.value != DOMAIN_COMPUTE &&
		    platform->domains[i].package == platform->domains[i - 1].package)
			platform->domains[i].die = platform->domains[i - 1].die;
}

int recording_make_cpus(struct recording *recording, struct platform *platform)
{
	struct isst_cpuset *present;
	unsigned int cpu;
	int result = list_cpus(recording, platform, &present);

	if (!result)
		result = count_threads(recording);
	if (!result) {
		platform->cpus = calloc(isst_cpuset_count(present), sizeof(*platform->cpus));
		result = platform->cpus ? 0 : -ENOMEM;
	}
	for (size_t i = 0; i < recording->cpu_count && !result; i++)
		result = make_online_cpu(recording, platform, i);
	if (!result)
		isst_cpuset_for_each (cpu, platform->offline.set)
			if (!result)
				result = make_offline_cpu(platform, cpu, recording->cpu_count);
	isst_cpuset_free(present);
	if (result)
		return result;
	qsort(platform->cpus, platform->cpu_count, sizeof(*platform->cpus), compare_cpus);
	complete_dies(platform);
	return 0;
}
