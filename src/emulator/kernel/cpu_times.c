/* SPDX-License-Identifier: BSD-3-Clause */
/* /proc/stat of the system, but for its lines of CPUs, by which programs count them: each CPU of
 * the machine has the times of one of the system, in turn. */
#include "emulator/kernel/views.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Of one CPU: the kernel has ten. */
enum { TIMES = 10 };

struct all_times {
	uint64_t (*cpus)[TIMES];
	size_t count;
};

/** Adds what a line has of one CPU; that of all begins with a space. */
static int add_times(struct all_times *all, const char *line)
{
	uint64_t(*more)[TIMES];
	char *values = strchr(line, ' ');

	if (line[3] == ' ' || !values)
		return 0;
	more = reallocarray(all->cpus, all->count + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	all->cpus = more;
	for (size_t i = 0; i < TIMES; i++)
		more[all->count][i] = strtoull(values, &values, 10);
	all->count++;
	return 0;
}

static void print_line(FILE *stream, const uint64_t times[TIMES])
{
	for (size_t i = 0; i < TIMES; i++)
		fprintf(stream, " %" PRIu64, times[i]);
	fputc('\n', stream);
}

/** First all CPUs together, also those that are offline now: no time gets less. */
static void print_lines(const struct place *place, const struct all_times *all, FILE *stream)
{
	const struct platform *platform = place->platform;
	uint64_t sum[TIMES] = { 0 };

	for (size_t i = 0; i < platform->cpu_count; i++)
		for (size_t time = 0; time < TIMES; time++)
			sum[time] += all->cpus[platform->cpus[i].number % all->count][time];
	fputs("cpu ", stream);
	print_line(stream, sum);
	for (size_t i = 0; i < platform->cpu_count; i++) {
		if (!cpu_online(place->server, &platform->cpus[i]))
			continue;
		fprintf(stream, "cpu%u", platform->cpus[i].number);
		print_line(stream, all->cpus[platform->cpus[i].number % all->count]);
	}
}

int print_cpu_times(const struct place *place, FILE *stream)
{
	FILE *system = fopen("/proc/stat", "re");
	struct all_times all = { 0 };
	bool printed = false;
	char *line = NULL;
	size_t space = 0;
	int result = system ? 0 : -errno;

	while (!result && getline(&line, &space, system) > 0) {
		if (strncmp(line, "cpu", 3) == 0) {
			result = add_times(&all, line);
			continue;
		}
		/* Lines of CPUs come first. */
		if (!printed && all.count)
			print_lines(place, &all, stream);
		printed = true;
		fputs(line, stream);
	}
	if (system)
		fclose(system);
	free(line);
	free(all.cpus);
	return result;
}
