/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * /proc/stat as it is, but for the times of CPUs: programs count the CPUs there. Each of the
 * machine has the times of one of the system, in turn.
 */
#include "preload/preload.h"

#include "isst.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char cpu_times[] = "/proc/stat";

bool cpu_times_is(const char *path)
{
	return strcmp(path, cpu_times) == 0;
}

/* Of one CPU: the kernel has ten. */
enum { TIMES = 10 };

struct times {
	uint64_t values[TIMES];
};

struct all_times {
	struct times *cpus;
	size_t count;
};

static bool is_of_cpus(const char *line)
{
	return strncmp(line, "cpu", 3) == 0;
}

static void parse(const char *text, struct times *times)
{
	char *end;

	for (size_t i = 0; i < TIMES; i++, text = end)
		times->values[i] = strtoull(text, &end, 10);
}

/** Adds what a line has of one CPU; that of all begins with a space. */
static int add(struct all_times *all, const char *line)
{
	struct times *more;
	const char *values = strchr(line, ' ');

	if (line[3] == ' ' || !values)
		return 0;
	more = reallocarray(all->cpus, all->count + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	all->cpus = more;
	parse(values, &all->cpus[all->count++]);
	return 0;
}

static void print_times(FILE *stream, const struct times *times)
{
	for (size_t i = 0; i < TIMES; i++)
		fprintf(stream, " %" PRIu64, times->values[i]);
	fputc('\n', stream);
}

/** All CPUs together, also those that are offline now: no time gets less. */
static void print_sum(FILE *stream, const struct all_times *all, const struct isst_cpuset *possible)
{
	struct times sum = { 0 };
	unsigned int cpu;

	isst_cpuset_for_each (cpu, possible)
		for (size_t i = 0; i < TIMES; i++)
			sum.values[i] += all->cpus[cpu % all->count].values[i];
	fputs("cpu ", stream);
	print_times(stream, &sum);
}

static int print_cpus(FILE *stream, const struct all_times *all)
{
	struct isst_cpuset *possible = affinity_read("/sys/devices/system/cpu/possible");
	struct isst_cpuset *online = affinity_read("/sys/devices/system/cpu/online");
	unsigned int cpu;
	int result = possible && online ? 0 : -ENOMEM;

	if (!result && all->count) {
		print_sum(stream, all, possible);
		isst_cpuset_for_each (cpu, online) {
			fprintf(stream, "cpu%u", cpu);
			print_times(stream, &all->cpus[cpu % all->count]);
		}
	}
	isst_cpuset_free(possible);
	isst_cpuset_free(online);
	return result;
}

/** Lines of CPUs come first. */
static int print(FILE *real, FILE *stream)
{
	struct all_times all = { 0 };
	bool printed = false;
	char *line = NULL;
	size_t space = 0;
	int result = 0;

	while (!result && getline(&line, &space, real) > 0) {
		if (is_of_cpus(line)) {
			result = add(&all, line);
			continue;
		}
		if (!printed)
			result = print_cpus(stream, &all);
		printed = true;
		fputs(line, stream);
	}
	free(line);
	free(all.cpus);
	return result;
}

int cpu_times_read(char **content, size_t *size)
{
	FILE *real = REAL(fopen)(cpu_times, "re");
	FILE *stream = real ? open_memstream(content, size) : NULL;
	int result = !real ? -errno : stream ? print(real, stream) : -ENOMEM;

	if (real)
		REAL(fclose)(real);
	if (stream && REAL(fclose)(stream) && !result)
		result = -ENOMEM;
	if (stream && result) {
		free(*content);
		*content = NULL;
	}
	return result;
}
