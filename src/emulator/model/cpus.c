/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes the CPUs that a platform file describes: threads of the cores of every domain, numbered as
 * the kernel does. Knows nothing of driver, firmware or the kernel's files.
 */
#include "emulator/model/file.h"

#include <errno.h>
#include <stdlib.h>

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

int platform_make_cpus(struct platform_file *file, struct platform *platform)
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
