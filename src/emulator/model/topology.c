/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes the packages, dies, cores and CPUs that a platform file describes, and gives each domain
 * its levels. Knows nothing of driver, firmware or the kernel's files.
 */
#include "emulator/model/file.h"

#include <errno.h>
#include <stdlib.h>

const struct platform_cpu *platform_cpu(const struct platform *platform, unsigned int number)
{
	size_t low = 0, high = platform->cpu_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (platform->cpus[middle].number < number)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == platform->cpu_count || platform->cpus[low].number != number)
		return NULL;
	return &platform->cpus[low];
}

const struct platform_level *platform_level(const struct platform_domain *domain,
					    unsigned int number)
{
	for (size_t i = 0; i < domain->level_count; i++)
		if (domain->levels[i].number == number)
			return &domain->levels[i];
	return NULL;
}

static unsigned int kind_line(const struct platform_file *file, enum section_target target)
{
	for (size_t i = 0; i < file->section_count; i++)
		if (file->sections[i].kind->target == target)
			return file->sections[i].line;
	return 1;
}

static bool section_covers(const struct section *section, const struct platform_domain *domain)
{
	return (!section->package.line || section->package.value == domain->package) &&
	       (!section->die.line || section->die.value == domain->die_index) &&
	       (!section->power_domains.line ||
		section->power_domains.value >> domain->power_domain & 1);
}

/** The level of that number, made in its place where it is missing. */
static struct platform_level *obtain_level(struct platform_domain *domain, unsigned int number,
					   unsigned int line)
{
	size_t at = 0;
	struct platform_level *levels;

	while (at < domain->level_count && domain->levels[at].number < number)
		at++;
	if (at < domain->level_count && domain->levels[at].number == number)
		return &domain->levels[at];
	levels = reallocarray(domain->levels, domain->level_count + 1, sizeof(*levels));
	if (!levels)
		return NULL;
	domain->levels = levels;
	for (size_t i = domain->level_count++; i > at; i--)
		levels[i] = levels[i - 1];
	levels[at] = (struct platform_level){
		.number = number,
		.line = line,
		.enabled.value = 1,
		.allowed.value = 1,
	};
	return &levels[at];
}

/** Applies a section to the level of that number, which it may be the first one to name. */
static int apply_to_level(struct platform_file *file, size_t index, struct platform *platform,
			  struct platform_domain *domain, unsigned int number)
{
	const struct section *section = &file->sections[index];
	size_t before = domain->level_count;
	struct platform_level *level = obtain_level(domain, number, section->line);

	if (!level)
		return -ENOMEM;
	platform->level_count += domain->level_count - before;
	if (platform->level_count > MOST_LEVELS)
		return file_error(file, section->line,
				  "found more levels, expected at most %u of all domains together",
				  MOST_LEVELS);
	return apply_section(file, index, level);
}

static int apply_to_domain(struct platform_file *file, size_t index, struct platform *platform,
			   struct platform_domain *domain)
{
	const struct section *section = &file->sections[index];
	int error = 0;

	if (section->kind->target == TARGET_DOMAIN)
		return apply_section(file, index, domain);
	for (unsigned int number = section->number; number <= section->last && !error; number++) {
		if (section->kind->target == TARGET_CLOS)
			error = apply_section(file, index, &domain->clos[number]);
		else
			error = apply_to_level(file, index, platform, domain, number);
	}
	return error;
}

/** In the order of the file, so that a later, narrower section overrides an earlier one. */
static int apply_to_domains(struct platform_file *file, size_t index, struct platform *platform)
{
	const struct section *section = &file->sections[index];
	size_t covered = 0;
	int error = 0;

	if (section->kind->target == TARGET_PLATFORM)
		return 0;
	for (size_t i = 0; i < platform->domain_count && !error; i++) {
		if (!section_covers(section, &platform->domains[i]))
			continue;
		covered++;
		error = apply_to_domain(file, index, platform, &platform->domains[i]);
	}
	if (!error && covered == 0)
		return file_error(file, section->line,
				  "found a [%s] section for a package, die or power domain that "
				  "[topology] lacks",
				  section->kind->name);
	return error;
}

static int set_domain_defaults(const struct platform *platform, struct platform_domain *domain)
{
	domain->perf_profile.value = 1;
	domain->version.value = platform_is_tpmi(platform) ? 1 : 3;
	domain->interface_version.value = 1;
	domain->cp_version.value = 1;
	domain->dynamic_switch.value = 1;
	domain->core_power.value = 1;
	domain->second_half.value = 1;
	for (size_t i = 0; i < CLOS_COUNT; i++)
		domain->clos[i].max.value = 25500; /* no limit */
	domain->cores.line = platform->cores.line;
	domain->cores.set = isst_cpuset_new();
	if (!domain->cores.set)
		return -ENOMEM;
	return platform->cores.set ? isst_cpuset_add_set(domain->cores.set, platform->cores.set)
				   : 0;
}

static unsigned int kernel_die_id(const struct platform *platform,
				  const struct platform_domain *domain, unsigned int package_index)
{
	switch (platform->die_ids.value) {
	case DIE_IDS_ACROSS:
		return package_index * platform->dies.value + domain->die_index;
	case DIE_IDS_POWER_DOMAIN:
		return domain->power_domain;
	default:
		return domain->die_index;
	}
}

/** The parts of a package that firmware controls: dies, or power domains. */
static int collect_parts(const struct platform *platform, struct isst_cpuset *parts)
{
	if (!platform_is_tpmi(platform))
		return isst_cpuset_add(parts, 0, platform->dies.value - 1);
	return platform->power_domains.set ? isst_cpuset_add_set(parts, platform->power_domains.set)
					   : isst_cpuset_add(parts, 0, 0);
}

static int add_domains(struct platform_file *file, struct platform *platform,
		       const struct isst_cpuset *parts)
{
	size_t count = isst_cpuset_count(platform->packages.set) * isst_cpuset_count(parts);
	unsigned int package, package_index = 0, part;
	size_t index = 0;
	int error = 0;

	if (count > MOST_DOMAINS)
		return file_error(file, platform->packages.line,
				  "found %zu dies or power domains, expected at most %u", count,
				  MOST_DOMAINS);
	platform->domains = calloc(count, sizeof(*platform->domains));
	if (!platform->domains)
		return -ENOMEM;
	platform->domain_count = count;
	isst_cpuset_for_each (package, platform->packages.set) {
		for (part = 0; isst_cpuset_next(parts, part, &part) && !error; part++) {
			struct platform_domain *domain = &platform->domains[index++];

			domain->package = package;
			*(platform_is_tpmi(platform) ? &domain->power_domain
						     : &domain->die_index) = part;
			domain->die = kernel_die_id(platform, domain, package_index);
			error = set_domain_defaults(platform, domain);
		}
		package_index++;
	}
	return error;
}

/** What the driver's kind decides where nothing is said, and what it rules out. */
static int apply_driver(struct platform_file *file, struct platform *platform)
{
	bool tpmi = platform_is_tpmi(platform);

	if (tpmi && !platform->die_ids.line)
		platform->die_ids.value = DIE_IDS_ACROSS;
	if (tpmi && !platform->core_ids.line)
		platform->core_ids.value = CORE_IDS_SPREAD;
	if (!platform->modules.value && platform->threads.value > 2)
		return file_error(
			file, platform->threads.line,
			"found %u threads of a core, expected 1 or 2, or \"modules = yes\"",
			platform->threads.value);
	return 0;
}

/** IO domains have no cores; absent ones only those that are said to be theirs, which are lost. */
static int remove_cores(const struct platform *platform, struct platform_domain *domain)
{
	if (domain->type.value == DOMAIN_COMPUTE ||
	    (domain->type.value == DOMAIN_ABSENT && domain->cores.line != platform->cores.line))
		return 0;
	isst_cpuset_free(domain->cores.set);
	domain->cores.set = isst_cpuset_new();
	return domain->cores.set ? 0 : -ENOMEM;
}

int make_domains(struct platform_file *file, struct platform *platform)
{
	struct isst_cpuset *parts;
	int error;

	if (!platform->packages.set || isst_cpuset_count(platform->packages.set) == 0)
		return file_error(file, kind_line(file, TARGET_PLATFORM),
				  "found no packages, expected \"packages\" in [topology]");
	error = apply_driver(file, platform);
	if (error)
		return error;
	parts = isst_cpuset_new();
	error = parts ? collect_parts(platform, parts) : -ENOMEM;
	if (!error)
		error = add_domains(file, platform, parts);
	isst_cpuset_free(parts);
	for (size_t i = 0; i < file->section_count && !error; i++)
		error = apply_to_domains(file, i, platform);
	for (size_t i = 0; i < platform->domain_count && !error; i++) {
		struct platform_domain *domain = &platform->domains[i];

		error = remove_cores(platform, domain);
		if (!error && domain->type.value == DOMAIN_COMPUTE &&
		    isst_cpuset_count(domain->cores.set) == 0)
			error = file_error(file, platform->packages.line,
					   "found package %u without cores, expected \"cores\" in "
					   "[topology] or [domain]",
					   domain->package);
	}
	return error;
}

/** A thread on its way to a number. */
struct thread {
	struct platform_cpu cpu;
	unsigned int core_index; /* among the cores of its domain */
};

static int compare(unsigned int a, unsigned int b)
{
	return (a > b) - (a < b);
}

/* Each numbering is an order of all threads; the numbers are then dealt out in that order. */
static int compare_blocks(const void *left, const void *right)
{
	const struct thread *a = left, *b = right;
	int order = compare(a->cpu.thread, b->cpu.thread);

	if (!order)
		order = compare(a->cpu.domain, b->cpu.domain);
	return order ? order : compare(a->core_index, b->core_index);
}

static int compare_adjacent(const void *left, const void *right)
{
	const struct thread *a = left, *b = right;
	int order = compare(a->cpu.domain, b->cpu.domain);

	if (!order)
		order = compare(a->core_index, b->core_index);
	return order ? order : compare(a->cpu.thread, b->cpu.thread);
}

static int compare_alternating(const void *left, const void *right)
{
	const struct thread *a = left, *b = right;
	int order = compare(a->cpu.thread, b->cpu.thread);

	if (!order)
		order = compare(a->core_index, b->core_index);
	return order ? order : compare(a->cpu.domain, b->cpu.domain);
}

static int (*const compare_threads[])(const void *, const void *) = {
	[NUMBERING_BLOCKS] = compare_blocks,
	[NUMBERING_ADJACENT] = compare_adjacent,
	[NUMBERING_ALTERNATING] = compare_alternating,
};

/** The kernel numbers cores within a package, the firmware within a die. */
static unsigned int kernel_core_id(const struct platform *platform,
				   const struct platform_domain *domain,
				   const struct thread *thread)
{
	unsigned int before = 0, cores = platform->modules.value ? platform->threads.value : 1;
	unsigned int inside = platform->modules.value ? thread->cpu.thread : 0;

	if (platform->core_ids.value == CORE_IDS_SAME)
		return thread->cpu.core * cores + inside;
	if (platform->core_ids.value == CORE_IDS_SPREAD)
		return (domain->power_domain * MASK_CORES + thread->cpu.core) * cores + inside;
	for (const struct platform_domain *other = domain;
	     other > platform->domains && other[-1].package == domain->package; other--)
		before += (unsigned int)isst_cpuset_count(other[-1].cores.set);
	return (before + thread->core_index) * cores + inside;
}

/** MSR 0x54. */
static uint32_t punit_number(const struct platform_domain *domain, const struct platform_cpu *cpu)
{
	return domain->power_domain << 11 | cpu->core << 3 | cpu->thread;
}

static void list_threads(const struct platform *platform, struct thread *threads)
{
	for (size_t i = 0; i < platform->domain_count; i++) {
		const struct platform_domain *domain = &platform->domains[i];
		unsigned int core, index = 0;

		isst_cpuset_for_each (core, domain->cores.set) {
			for (unsigned int t = 0; t < platform->threads.value; t++) {
				*threads = (struct thread){
					.cpu = { .domain = (unsigned int)i,
						 .core = core,
						 .thread = t },
					.core_index = index,
				};
				threads->cpu.core_id = kernel_core_id(platform, domain, threads);
				if (platform_is_tpmi(platform))
					threads->cpu.punit = punit_number(domain, &threads->cpu);
				threads++;
			}
			index++;
		}
	}
}

static int number_threads(struct platform_file *file, struct platform *platform,
			  const struct thread *threads)
{
	struct isst_cpuset *numbers = platform->cpu_numbers.set;
	unsigned int next = platform->first_cpu.value;

	if (numbers && isst_cpuset_count(numbers) != platform->cpu_count)
		return file_error(file, platform->cpu_numbers.line,
				  "found %zu CPU numbers, expected %zu, one for each thread",
				  isst_cpuset_count(numbers), platform->cpu_count);
	for (size_t i = 0; i < platform->cpu_count; i++) {
		if (numbers && !isst_cpuset_next(numbers, next, &next))
			break;
		platform->cpus[i] = threads[i].cpu;
		platform->cpus[i].number = next++;
	}
	return 0;
}

int make_cpus(struct platform_file *file, struct platform *platform)
{
	struct thread *threads;
	size_t count = 0;
	int error;

	for (size_t i = 0; i < platform->domain_count; i++)
		count += isst_cpuset_count(platform->domains[i].cores.set) *
			 platform->threads.value;
	if (count == 0)
		return file_error(file, platform->packages.line,
				  "found no CPUs, expected a domain with cores");
	if (count > MOST_CPUS)
		return file_error(
			file, platform->packages.line,
			"found %zu CPUs, expected at most %u, as many as a kernel can have", count,
			MOST_CPUS);
	threads = calloc(count, sizeof(*threads));
	platform->cpus = calloc(count, sizeof(*platform->cpus));
	platform->cpu_count = count;
	if (!threads || !platform->cpus) {
		free(threads);
		return -ENOMEM;
	}
	list_threads(platform, threads);
	qsort(threads, count, sizeof(*threads), compare_threads[platform->numbering.value]);
	error = number_threads(file, platform, threads);
	free(threads);
	return error;
}
