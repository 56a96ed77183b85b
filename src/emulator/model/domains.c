/* SPDX-License-Identifier: BSD-3-Clause */
/* Packages, dies and power domains of a platform file, and CPUs by number. */
#include "base/array.h"
#include "emulator/model/file.h"

#include <errno.h>
#include <stdlib.h>

/* ---- Domains with their levels ---- */

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
	if (ARRAY_GROW(domain->levels, domain->level_count))
		return NULL;
	levels = domain->levels;
	for (size_t i = domain->level_count++; i > at; i--)
		levels[i] = levels[i - 1];
	levels[at] = (struct platform_level){ .number = number, .line = line };
	(void)platform_file_set_defaults(TARGET_LEVEL, &levels[at]);
	return &levels[at];
}

/** Applies a section to its classes or levels, which it may be the first to name. */
static int apply_to_numbers(struct platform_file *file, size_t index, struct platform *platform,
			    struct platform_domain *domain)
{
	const struct section *section = &file->sections[index];
	int error = 0;

	for (unsigned int number = section->number; number <= section->last && !error; number++) {
		size_t before = domain->level_count;
		void *target;

		if (section->kind->target == TARGET_CLOS)
			target = &domain->clos[number];
		else
			target = obtain_level(domain, number, section->line);
		if (!target)
			return -ENOMEM;
		platform->level_count += domain->level_count - before;
		if (platform->level_count > MOST_LEVELS)
			return file_error(
				file, section->line,
				"found more levels, expected at most %u of all domains together",
				MOST_LEVELS);
		error = platform_file_apply(file, index, target);
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
		struct platform_domain *domain = &platform->domains[i];

		if ((section->package.line && section->package.value != domain->package) ||
		    (section->die.line && section->die.value != domain->die_index) ||
		    (section->power_domains.line &&
		     !(section->power_domains.value >> domain->power_domain & 1)))
			continue;
		covered++;
		if (section->kind->target == TARGET_DOMAIN)
			error = platform_file_apply(file, index, domain);
		else
			error = apply_to_numbers(file, index, platform, domain);
	}
	if (!error && covered == 0)
		return file_error(file, section->line,
				  "found a [%s] section for a package, die or power domain that "
				  "is not in [topology]",
				  section->kind->name);
	return error;
}

static int add_domains(struct platform_file *file, struct platform *platform,
		       const struct isst_cpuset *parts)
{
	size_t count = isst_cpuset_count(platform->packages.set) * isst_cpuset_count(parts);
	const bool tpmi = platform_is_tpmi(platform);
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

			*domain = (struct platform_domain){
				.package = package,
				.power_domain = tpmi ? part : 0,
				.die_index = tpmi ? 0 : part,
				.die = tpmi ? 0 : part,
				.cores = { isst_cpuset_new(), platform->cores.line },
			};
			(void)platform_file_set_defaults(TARGET_DOMAIN, domain);
			if (tpmi)
				domain->version.value = 1;
			for (size_t i = 0; i < CLOS_COUNT; i++)
				(void)platform_file_set_defaults(TARGET_CLOS, &domain->clos[i]);
			if (platform->die_ids.value == DIE_IDS_ACROSS)
				domain->die += package_index * platform->dies.value;
			else if (platform->die_ids.value == DIE_IDS_POWER_DOMAIN)
				domain->die = domain->power_domain;
			error = domain->cores.set ? 0 : -ENOMEM;
			if (!error && platform->cores.set)
				error = isst_cpuset_add_set(domain->cores.set, platform->cores.set);
		}
		package_index++;
	}
	return error;
}

int platform_make_domains(struct platform_file *file, struct platform *platform)
{
	const bool tpmi = platform_is_tpmi(platform);
	struct isst_cpuset *parts;
	int error;

	if (!platform->packages.set || isst_cpuset_count(platform->packages.set) == 0) {
		size_t i = 0;

		while (i < file->section_count && file->sections[i].kind->target != TARGET_PLATFORM)
			i++;
		return file_error(file, i < file->section_count ? file->sections[i].line : 1,
				  "found no packages, expected \"packages\" in [topology]");
	}
	if (tpmi && !platform->die_ids.line)
		platform->die_ids.value = DIE_IDS_ACROSS;
	if (tpmi && !platform->core_ids.line)
		platform->core_ids.value = CORE_IDS_SPREAD;
	if (!platform->modules.value && platform->threads.value > 2)
		return file_error(
			file, platform->threads.line,
			"found %u threads of a core, expected 1 or 2, or \"modules = yes\"",
			platform->threads.value);
	/* The parts of a package that firmware controls: dies, or power domains. */
	parts = isst_cpuset_new();
	error = parts ? 0 : -ENOMEM;
	if (!error && tpmi && platform->power_domains.set)
		error = isst_cpuset_add_set(parts, platform->power_domains.set);
	else if (!error)
		error = isst_cpuset_add(parts, 0, tpmi ? 0 : platform->dies.value - 1);
	if (!error)
		error = add_domains(file, platform, parts);
	isst_cpuset_free(parts);
	for (size_t i = 0; i < file->section_count && !error; i++)
		error = apply_to_domains(file, i, platform);
	for (size_t i = 0; i < platform->domain_count && !error; i++) {
		struct platform_domain *domain = &platform->domains[i];
		const unsigned int type = domain->type.value;

		/* IO domains have no cores; absent ones lose those of their own section. */
		if (type == DOMAIN_IO ||
		    (type == DOMAIN_ABSENT && domain->cores.line == platform->cores.line)) {
			isst_cpuset_free(domain->cores.set);
			domain->cores.set = isst_cpuset_new();
			error = domain->cores.set ? 0 : -ENOMEM;
		}
		if (type == DOMAIN_COMPUTE && isst_cpuset_count(domain->cores.set) == 0)
			error = file_error(file, platform->packages.line,
					   "found package %u without cores, expected \"cores\" in "
					   "[topology] or [domain]",
					   domain->package);
	}
	return error;
}

/* ---- CPUs: threads of the cores of every domain ---- */

/** A thread on its way to a number. */
struct thread {
	struct platform_cpu cpu;
	unsigned int core_index; /* among the cores of its domain */
	uint64_t order;
};

static int compare_threads(const void *left, const void *right)
{
	const struct thread *a = left, *b = right;

	return (a->order > b->order) - (a->order < b->order);
}

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

int platform_make_cpus(struct platform_file *file, struct platform *platform)
{
	const struct isst_cpuset *numbers = platform->cpu_numbers.set;
	const unsigned int numbering = platform->numbering.value;
	unsigned int next = platform->first_cpu.value, core;
	struct thread *threads, *thread;
	size_t count = 0;

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
	if (numbers && isst_cpuset_count(numbers) != count)
		return file_error(file, platform->cpu_numbers.line,
				  "found %zu CPU numbers, expected %zu, one for each thread",
				  isst_cpuset_count(numbers), count);
	thread = threads = calloc(count, sizeof(*threads));
	platform->cpus = calloc(count, sizeof(*platform->cpus));
	platform->cpu_count = count;
	if (!threads || !platform->cpus) {
		free(threads);
		return -ENOMEM;
	}
	for (size_t i = 0; i < platform->domain_count; i++) {
		const struct platform_domain *domain = &platform->domains[i];
		unsigned int index = 0;

		isst_cpuset_for_each (core, domain->cores.set) {
			for (unsigned int t = 0; t < platform->threads.value; t++, thread++) {
				struct platform_cpu *cpu = &thread->cpu;

				cpu->domain = (unsigned int)i;
				cpu->core = core;
				cpu->thread = t;
				thread->core_index = index;
				/* Each numbering is an order of all threads; the numbers are then
				 * dealt out in that order. */
				thread->order = numbering == NUMBERING_ADJACENT
							? (uint64_t)i << 32 | index << 16 | t
						: numbering == NUMBERING_ALTERNATING
							? (uint64_t)t << 32 | index << 16 | i
							: (uint64_t)t << 32 | i << 16 | index;
				cpu->core_id = kernel_core_id(platform, domain, thread);
				if (platform_is_tpmi(platform)) /* MSR 0x54 */
					cpu->punit = domain->power_domain << 11 | core << 3 | t;
			}
			index++;
		}
	}
	qsort(threads, count, sizeof(*threads), compare_threads);
	for (size_t i = 0; i < count; i++) {
		if (numbers && !isst_cpuset_next(numbers, next, &next))
			break;
		platform->cpus[i] = threads[i].cpu;
		platform->cpus[i].number = next++;
	}
	free(threads);
	return 0;
}
