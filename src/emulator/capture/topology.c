/* SPDX-License-Identifier: BSD-3-Clause */
/* Domains and CPUs of a capture: of proc/cpuinfo, the kernel's files, registers and MSRs. */
#include "base/array.h"
#include "emulator/capture/capture.h"
#include "emulator/model/text.h"
#include "emulator/model/tpmi_layout.h"

#include <errno.h>
#include <stdlib.h>

enum { MSR_THREAD_ID = 0x53 /* mailbox: thread [0], core [8:1] */, MSR_PM_LOGICAL_ID = 0x54 };

/* ---- Domains ---- */

/** The die of each CPU as the kernel shows it; 0 where it shows none of any. */
static int find_dies(struct capture *capture)
{
	unsigned int without = 0;
	size_t missing = 0;
	int result = 0;

	for (size_t i = 0; i < capture->cpu_count && !result; i++) {
		struct captured_cpu *cpu = &capture->cpus[i];

		cpu->die = capture_cpu_number(capture, cpu->number, "topology/die_id", HIGHEST_ID,
					      UINT32_MAX, &result);
		if (cpu->die != UINT32_MAX)
			continue;
		cpu->die = 0;
		without = cpu->number;
		missing++;
	}
	if (result || missing == 0 || missing == capture->cpu_count)
		return result;
	return capture_error(&capture->entry_file, 0,
			     "found no topology/die_id of CPU %u, expected one as others have",
			     without);
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

/** Mailbox firmware: a package x die each. */
static int add_dies(struct platform *platform, unsigned int package)
{
	const struct capture *capture = platform->capture;
	struct isst_cpuset *dies = isst_cpuset_new();
	struct platform_domain domain = { .package = package,
					  .perf_profile = { 1, 0 },
					  .version = { 3, 0 },
					  .core_power = { 1, 0 },
					  .second_half = { 1, 0 } };
	int result = dies ? 0 : -ENOMEM;

	for (size_t i = 0; i < capture->cpu_count && !result; i++)
		if (capture->cpus[i].package == package)
			result = isst_cpuset_add(dies, capture->cpus[i].die, capture->cpus[i].die);
	isst_cpuset_for_each (domain.die, dies) {
		if (!result)
			result = add_captured_domain(platform, &domain);
		domain.die_index++;
	}
	isst_cpuset_free(dies);
	return result;
}

static int add_power_domain(struct platform *platform, struct captured_dump *dump, size_t number,
			    struct platform_domain *domain)
{
	struct captured_instance *instance = &dump->instances[number];
	const struct tpmi_registers registers = { instance->registers, instance->count };
	const char *missing = tpmi_absent(&registers) ? NULL : tpmi_incomplete(&registers);
	int result;

	if (missing)
		return capture_error(&dump->file, instance->line,
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
static int add_power_domains(struct platform *platform, unsigned int package, unsigned int socket)
{
	struct capture *capture = platform->capture;
	struct captured_dump *dump = &capture->dumps[socket];
	struct platform_domain domain = { .package = package, .socket = socket };
	const struct captured_answer request = { .kind = ANSWER_INSTANCES, .request = { socket } };
	const struct captured_answer *answer = capture_answer(capture, &request);
	int result = 0;

	/* Whether the driver served the package; it did if the capture does not state it. */
	if (answer && (answer->error || !answer->value)) {
		struct set_value *set = answer->error ? &platform->unbound
						      : &platform->partly_bound;

		set->line = answer->line;
		if (!set->set)
			set->set = isst_cpuset_new();
		result = set->set ? isst_cpuset_add(set->set, package, package) : -ENOMEM;
	}
	for (size_t i = 0; i < dump->count && !result; i++)
		result = add_power_domain(platform, dump, i, &domain);
	return result;
}

int capture_make_domains(struct platform *platform)
{
	struct capture *capture = platform->capture;
	struct isst_cpuset *packages = isst_cpuset_new();
	unsigned int package, socket = 0;
	int result = packages ? find_dies(capture) : -ENOMEM;

	for (size_t i = 0; i < capture->cpu_count && !result; i++)
		result = isst_cpuset_add(packages, capture->cpus[i].package,
					 capture->cpus[i].package);
	if (!result && platform_is_tpmi(platform) &&
	    isst_cpuset_count(packages) != capture->dump_count)
		result = set_error(capture->error, -EINVAL,
				   "%s/" CAPTURE_DEBUGFS ": found the registers of %zu TPMI "
				   "devices, expected one for each of %zu packages",
				   capture->directory, capture->dump_count,
				   isst_cpuset_count(packages));
	isst_cpuset_for_each (package, packages)
		if (!result)
			result = platform_is_tpmi(platform)
					 ? add_power_domains(platform, package, socket++)
					 : add_dies(platform, package);
	isst_cpuset_free(packages);
	return result;
}

/* ---- CPUs ---- */

/** Numbers of a CPU on a machine with a mailbox: MSR 0x53, or composed of the kernel's. */
static int number_core(const struct capture *capture, size_t index, struct platform_cpu *cpu)
{
	const struct captured_cpu *captured = &capture->cpus[index], *other;
	const struct captured_answer *msr = capture_msr(capture, MSR_THREAD_ID, captured->number);
	struct isst_cpuset *before;
	int result = 0;

	/* All ones: the driver did not know it either. */
	if (msr && msr->value != UINT32_MAX) {
		cpu->punit = (uint32_t)msr->value;
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
	const struct captured_answer *msr = capture_msr(capture, MSR_PM_LOGICAL_ID,
							captured->number);
	unsigned int power_domain = 0;
	struct platform_domain *domain;
	size_t found = 0;
	int result = 0;

	if (!platform_is_tpmi(platform)) {
		result = number_core(capture, index, cpu);
	} else if (msr) {
		cpu->punit = (uint32_t)msr->value;
		cpu->thread = cpu->punit & 7;
		cpu->core = cpu->punit >> 3 & 0xff;
		power_domain = cpu->punit >> 11 & 0x1f;
	} else {
		result = capture_error(&capture->msr_file, 0,
				       "found no MSR 0x54, expected the power domain of every CPU");
	}
	if (result)
		return result;
	while (found < platform->domain_count &&
	       (platform->domains[found].package != captured->package ||
		(platform_is_tpmi(platform) ? platform->domains[found].power_domain != power_domain
					    : platform->domains[found].die != captured->die)))
		found++;
	if (found == platform->domain_count)
		return capture_error(&capture->msr_file, msr ? msr->line : 0,
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

static int make_online_cpu(struct platform *platform, size_t index)
{
	const struct capture *capture = platform->capture;
	struct captured_cpu *captured = &capture->cpus[index];
	const struct captured_answer *msr = capture_msr(capture, MSR_HWP_CAPABILITIES,
							captured->number);
	const unsigned int ratios = msr ? (unsigned int)msr->value : 0;
	struct platform_cpu *cpu = &platform->cpus[platform->cpu_count++];
	const unsigned int number = captured->number;
	int result;

	*cpu = (struct platform_cpu){ .number = number, .core_id = captured->core_id };
	result = place_cpu(capture, platform, index, cpu);
	if (result)
		return result;
	cpu->base_khz = capture_cpu_number(capture, number, "cpufreq/base_frequency", HIGHEST_KHZ,
					   (ratios >> 8 & 0xff) * KHZ_PER_RATIO, &result);
	cpu->highest_khz = capture_cpu_number(capture, number, "cpufreq/cpuinfo_max_freq",
					      HIGHEST_KHZ, (ratios & 0xff) * KHZ_PER_RATIO,
					      &result);
	/* Limits of the user. */
	captured->min_khz = capture_cpu_number(capture, number, "cpufreq/scaling_min_freq",
					       INT32_MAX, 0, &result);
	captured->max_khz = capture_cpu_number(capture, number, "cpufreq/scaling_max_freq",
					       INT32_MAX, 0, &result);
	return result;
}

/** Where an offline CPU is is not shown: a core of its own beside the CPU before it. */
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
static int check_online(const struct capture *capture, const char *path)
{
	const struct captured_entry *entry = capture_entry(capture, "%s", path);
	struct isst_cpuset *online;
	int result = capture_set(capture, path, &online);
	bool differs = entry && isst_cpuset_count(online) != capture->cpu_count;

	for (size_t i = 0; i < capture->cpu_count && entry && !result; i++)
		differs |= !isst_cpuset_has(online, capture->cpus[i].number);
	isst_cpuset_free(online);
	return result || !differs ? result
				  : capture_error(&capture->entry_file, entry->line,
						  "found \"%s\" in %s, expected the CPUs of "
						  "proc/cpuinfo",
						  entry->value, path);
}

int capture_make_cpus(struct platform *platform)
{
	const struct capture *capture = platform->capture;
	struct isst_cpuset *present = NULL, *offline = isst_cpuset_new();
	unsigned int cpu;
	int result = offline ? check_online(capture, CPU_DIRECTORY "/online") : -ENOMEM;

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
		result = make_online_cpu(platform, i);
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
