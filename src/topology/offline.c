/* SPDX-License-Identifier: BSD-3-Clause */
/* Offline CPUs: the kernel does not report their location, so it is remembered while they are
 * online. */
#include "base/array.h"
#include "base/messages.h"
#include "base/runtime_file.h"
#include "common/memory_stream.h"
#include "common/number.h"
#include "firmware/firmware.h"
#include "isst.h"
#include "sysfs/kernel_files.h"
#include "topology/steps.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- The cache: a versioned text file that is never needed, nor trusted over the kernel. ---- */

struct topology_cache {
	char *text; /* the file's content, NULL where there is none */
	struct cached_cpu *cpus;
	size_t count;
};

#define FILE_NAME "topology"
/* Another layout gets another number. */
#define HEADER "isst topology 1 boot %s\n"
#define COLUMNS "# cpu package die domain core thread\n"

static bool parse_line(char *line, struct cached_cpu *cpu)
{
	unsigned int *const members[] = { &cpu->number, &cpu->package, &cpu->die,
					  &cpu->domain, &cpu->core,    &cpu->thread };
	char *rest = line;

	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		char *word = strsep(&rest, " ");
		uint64_t value;

		if (!word || number_parse(word, 10, UINT32_MAX - 1, &value))
			return false;
		*members[i] = (unsigned int)value;
	}
	return rest == NULL;
}

/** Parses the lines after the header. Returns 0, -EINVAL or -ENOMEM. */
static int parse_lines(struct topology_cache *cache, const char *lines)
{
	char *copy = strdup(lines), *rest = copy, *line;
	int error = copy ? 0 : -ENOMEM;

	while (!error && (line = strsep(&rest, "\n")) && (*line || rest)) {
		error = ARRAY_GROW(cache->cpus, cache->count);
		if (error)
			break;
		if (!parse_line(line, &cache->cpus[cache->count]))
			error = -EINVAL;
		else
			cache->count++;
	}
	free(copy);
	return error;
}

/** A cache of another boot or version, or a damaged one, counts as empty. Returns 0 or -ENOMEM. */
static int read_cache(struct topology_cache *cache, const struct runtime_directory *directory,
		      const char *boot_id, struct messages *messages)
{
	char *header;
	int error;

	*cache = (struct topology_cache){ 0 };
	error = runtime_file_read(directory, FILE_NAME, &cache->text);
	if (error && error != -ENOENT)
		message_trace(messages, "%s/" FILE_NAME " is not used: %s", directory->path,
			      runtime_file_strerror(error));
	if (error)
		return error == -ENOMEM ? error : 0;
	if (asprintf(&header, HEADER COLUMNS, boot_id) < 0)
		return -ENOMEM;
	error = -EINVAL;
	if (strncmp(cache->text, header, strlen(header)) == 0)
		error = parse_lines(cache, cache->text + strlen(header));
	if (error == -EINVAL) {
		message_trace(messages,
			      "%s/" FILE_NAME
			      " belongs to another boot or version, or is damaged: not used",
			      directory->path);
		cache->count = 0;
		error = 0;
	}
	free(header);
	return error;
}

/* ---- CPUs that are offline now ---- */

static struct topology_domain *find_domain(const struct topology *topology,
					   const struct cached_cpu *cached)
{
	return topology_find_domain(topology, cached->package, cached->die, cached->domain);
}

/** Adds a remembered CPU to the table, unless it is known or online. Another CPU may turn out to
 * have its location. */
static int add_candidate(const struct topology_sources *sources, struct topology *topology,
			 const struct cached_cpu *cached, struct isst_cpuset *known)
{
	struct topology_domain *domain = find_domain(topology, cached);
	struct topology_cpu *cpu;

	if (!domain || !isst_cpuset_has(topology->present, cached->number) ||
	    isst_cpuset_has(topology->online, cached->number) ||
	    (cached->core >= TOPOLOGY_CORES && !sources->operations->cores_of_kernel) ||
	    isst_cpuset_has(known, cached->number))
		return 0;
	if (isst_cpuset_add(known, cached->number, cached->number) ||
	    !(cpu = calloc(1, sizeof(*cpu))))
		return -ENOMEM;
	topology->cpus[topology->cpu_count++] = cpu;
	cpu->domain = domain;
	cpu->public = (struct isst_cpu){ .number = cached->number,
					 .domain = &domain->public,
					 .core_known = true,
					 .core = cached->core,
					 .thread = cached->thread };
	return 0;
}

/** By location, online CPUs first; those of unknown location last. */
static int compare_claims(const void *left, const void *right)
{
	const struct topology_cpu *a = *(struct topology_cpu *const *)left;
	const struct topology_cpu *b = *(struct topology_cpu *const *)right;
	int order;

	if (a->public.core_known != b->public.core_known)
		return a->public.core_known ? -1 : 1;
	order = topology_compare_places(left, right);
	if (order)
		return order;
	if (a->public.online != b->public.online)
		return a->public.online ? -1 : 1;
	return a->public.number < b->public.number ? -1 : 1;
}

/** Adds offline CPUs to their domains, except those whose location another CPU has now. */
static int settle_candidates(struct topology *topology)
{
	struct topology_cpu **cpus = topology->cpus;
	size_t kept = 0;
	int error = 0;

	qsort(cpus, topology->cpu_count, sizeof(*cpus), compare_claims);
	for (size_t i = 0; i < topology->cpu_count; i++) {
		if (!cpus[i]->public.online && kept > 0 &&
		    topology_compare_places(&cpus[kept - 1], &cpus[i]) == 0) {
			free(cpus[i]);
			continue;
		}
		if (!cpus[i]->public.online && !error)
			error = topology_add_to_domain(cpus[i]->domain, cpus[i]);
		cpus[kept++] = cpus[i];
	}
	topology->cpu_count = kept;
	topology_sort_cpus(topology);
	return error;
}

/** Adds remembered CPUs of domains that still have an online CPU. */
static int add_offline_cpus(const struct topology_sources *sources, struct topology *topology,
			    const struct topology_cache *cache)
{
	size_t online = topology->cpu_count;
	struct isst_cpuset *known;
	struct topology_cpu **cpus;
	int error = 0;

	/* reallocarray() to no elements would free the topology's array. */
	if (cache->count == 0)
		return 0;
	cpus = reallocarray(topology->cpus, online + cache->count, sizeof(*cpus));
	if (!cpus)
		return -ENOMEM;
	topology->cpus = cpus;
	known = isst_cpuset_new();
	if (!known)
		return -ENOMEM;
	for (size_t i = 0; i < online && !error; i++)
		error = isst_cpuset_add(known, cpus[i]->public.number, cpus[i]->public.number);
	for (size_t i = 0; i < cache->count && !error; i++)
		error = add_candidate(sources, topology, &cache->cpus[i], known);
	isst_cpuset_free(known);
	if (!error && topology->cpu_count > online)
		error = settle_candidates(topology);
	return error;
}

static int compare_numbers(const void *left, const void *right)
{
	const struct cached_cpu *a = left, *b = right;

	return (a->number > b->number) - (a->number < b->number);
}

/** Keeps remembered CPUs whose package or die has no online CPU. */
static int keep_unreachable(struct topology *topology, const struct topology_cache *cache)
{
	struct cached_cpu *cpus = calloc(cache->count + 1, sizeof(*cpus));
	size_t count = 0;

	topology->unreachable = cpus;
	if (!cpus)
		return -ENOMEM;
	for (size_t i = 0; i < cache->count; i++) {
		const struct cached_cpu *cached = &cache->cpus[i];

		if (isst_cpuset_has(topology->present, cached->number) &&
		    !isst_cpuset_has(topology->online, cached->number) &&
		    !topology_find_cpu(topology, cached->number) && !find_domain(topology, cached))
			cpus[count++] = *cached;
	}
	qsort(cpus, count, sizeof(*cpus), compare_numbers);
	for (size_t i = 0; i < count; i++)
		/* A second line for the same CPU is ignored. */
		if (i == 0 || cpus[i].number != cpus[i - 1].number)
			cpus[topology->unreachable_count++] = cpus[i];
	return 0;
}

bool topology_is_unreachable(const struct topology *topology, unsigned int number)
{
	const struct cached_cpu key = { .number = number };

	return topology->unreachable_count > 0 &&
	       bsearch(&key, topology->unreachable, topology->unreachable_count, sizeof(key),
		       compare_numbers);
}

/** Remembers what is known now, and what was known of entirely offline dies; errors are traced. */
static void remember(const struct topology_sources *sources, const struct topology *topology,
		     const struct topology_cache *cache, const char *boot_id)
{
	static const char CPU[] = "%u %u %u %u %u %u\n";
	struct memory_stream memory;
	char *text = NULL;
	int error = memory_stream_open(&memory);

	if (!error)
		fprintf(memory.stream, HEADER COLUMNS, boot_id);
	for (size_t i = 0; !error && i < topology->cpu_count; i++) {
		const struct isst_cpu *cpu = &topology->cpus[i]->public;

		if (cpu->core_known)
			fprintf(memory.stream, CPU, cpu->number, cpu->domain->package,
				cpu->domain->die, cpu->domain->number, cpu->core, cpu->thread);
	}
	for (size_t i = 0; !error && i < cache->count; i++) {
		const struct cached_cpu *cpu = &cache->cpus[i];

		if (isst_cpuset_has(topology->present, cpu->number) &&
		    !topology_find_cpu(topology, cpu->number) && !find_domain(topology, cpu))
			fprintf(memory.stream, CPU, cpu->number, cpu->package, cpu->die,
				cpu->domain, cpu->core, cpu->thread);
	}
	if (!error)
		text = memory_stream_text(&memory);
	if (!text)
		error = -ENOMEM;
	else if (!cache->text || strcmp(cache->text, text) != 0)
		error = runtime_file_replace(sources->runtime, FILE_NAME, text);
	if (error)
		message_trace(sources->messages, "%s/" FILE_NAME " is not written: %s",
			      sources->runtime->path, runtime_file_strerror(error));
	free(text);
}

int topology_recall_offline(const struct topology_sources *sources, struct topology *topology)
{
	struct topology_cache cache = { 0 };
	const char *boot_id;
	int error = kernel_files_boot_id(sources->files, &boot_id);

	/* A machine without boot numbers (an emulated one) begins each boot with an empty
	 * directory. */
	if (error == -ENOENT) {
		boot_id = "-";
		error = 0;
	}
	/* The cache may be of another boot. */
	if (error)
		return error == -ENOMEM ? error : 0;
	error = read_cache(&cache, sources->runtime, boot_id, sources->messages);
	if (!error)
		error = add_offline_cpus(sources, topology, &cache);
	if (!error)
		error = keep_unreachable(topology, &cache);
	if (!error)
		remember(sources, topology, &cache, boot_id);
	free(cache.text);
	free(cache.cpus);
	return error;
}

/* ---- What calls for all domains do not reach ---- */

/** Describes the part of CPU @first, and adds its CPUs to @described. */
static int describe_part(const struct topology_sources *sources, struct topology *topology,
			 size_t first, struct isst_cpuset *described)
{
	const struct cached_cpu *cpus = topology->unreachable;
	struct isst_cpuset *set = isst_cpuset_new();
	struct message_place place;
	bool whole = true;
	char *list = NULL;
	int error = 0;

	for (size_t i = 0; i < topology->domain_count; i++)
		whole &= topology->domains[i]->public.package != cpus[first].package;
	for (size_t i = first; i < topology->unreachable_count && set && !error; i++)
		if (cpus[i].package == cpus[first].package &&
		    (whole || cpus[i].die == cpus[first].die))
			error = isst_cpuset_add(set, cpus[i].number, cpus[i].number);
	if (set && !error)
		error = isst_cpuset_add_set(described, set);
	list = set && !error ? isst_cpuset_to_list(set) : NULL;
	place = of_package(cpus[first].package);
	place.cpus = set;
	if (!list)
		error = -ENOMEM;
	else if (whole)
		error = topology_note(sources, &topology->offline_parts, ISST_MESSAGE_PART_OFFLINE,
				      place, "package %u: all its CPUs (%s) are offline",
				      cpus[first].package, list);
	else
		error = topology_note(sources, &topology->offline_parts, ISST_MESSAGE_PART_OFFLINE,
				      place, "package %u, die %u: all its CPUs (%s) are offline",
				      cpus[first].package, cpus[first].die, list);
	isst_cpuset_free(set);
	free(list);
	return error;
}

/** Whether so many CPUs may be a whole package: at least as many as the smallest has online. */
static bool may_be_package(const struct topology *topology, size_t count)
{
	for (size_t i = 0; i < topology->domain_count; i++) {
		size_t online = 0;

		for (size_t j = 0; j < topology->domain_count; j++)
			if (topology->domains[j]->public.package ==
			    topology->domains[i]->public.package)
				online += isst_cpuset_count(topology->domains[j]->public.online);
		if (online > 0 && count >= online)
			return true;
	}
	return topology->domain_count == 0;
}

int topology_describe_offline(const struct topology_sources *sources, struct topology *topology,
			      const struct isst_cpuset *unseen)
{
	struct isst_cpuset *described = isst_cpuset_new();
	size_t count = isst_cpuset_count(unseen);
	const char *part = "";
	int error = described ? 0 : -ENOMEM;

	for (size_t i = 0; i < topology->unreachable_count && !error; i++)
		if (!isst_cpuset_has(described, topology->unreachable[i].number))
			error = describe_part(sources, topology, i, described);
	isst_cpuset_free(described);
	if (error || count == 0)
		return error;
	topology->may_have_packages = may_be_package(topology, count);
	if (topology->may_have_packages)
		part = count == 1 ? ", and any package that consists of it alone,"
				  : ", and any package that consists of them alone,";
	return topology_note(sources, &topology->offline_parts, ISST_MESSAGE_PART_OFFLINE,
			     of_cpus(NULL, unseen),
			     "%s%s %s been offline since before isst first looked",
			     message_numbers(sources->messages, "CPU", unseen), part,
			     count == 1 ? "has" : "have");
}
