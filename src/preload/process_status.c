/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * /proc/self/status as it is, but for the CPUs and memory nodes that a process may use: libnuma
 * takes them for those of the machine.
 */
#include "preload/preload.h"

#include "isst.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

bool process_status_is(const char *path)
{
	char own[40];

	snprintf(own, sizeof(own), "/proc/%d/status", getpid());
	return strcmp(path, own) == 0;
}

static void print_set(FILE *stream, const char *name, const struct isst_cpuset *set,
		      unsigned int bits)
{
	char *mask = isst_cpuset_to_mask(set, bits), *list = isst_cpuset_to_list(set);

	if (mask && list)
		fprintf(stream, "%s:\t%s\n%s_list:\t%s\n", name, mask, name, list);
	free(mask);
	free(list);
}

static void print_cpus(FILE *stream)
{
	struct isst_cpuset *cpus = isst_cpuset_new();
	cpu_set_t mask[8]; /* 8192 CPUs, as kernel_max has it */

	if (cpus && affinity_get(0, sizeof(mask), mask) == 0)
		for (unsigned int cpu = 0; cpu < 8 * sizeof(mask); cpu++)
			if (CPU_ISSET_S(cpu, sizeof(mask), mask))
				isst_cpuset_add(cpus, cpu, cpu);
	if (cpus)
		print_set(stream, "Cpus_allowed", cpus, 8192);
	isst_cpuset_free(cpus);
}

static void print_nodes(FILE *stream)
{
	struct isst_cpuset *nodes = affinity_read("/sys/devices/system/node/online");

	if (nodes)
		print_set(stream, "Mems_allowed", nodes, 1024);
	isst_cpuset_free(nodes);
}

/** A line of the real file, or what stands in its place. */
static void print_line(FILE *stream, const char *line)
{
	if (strncmp(line, "Cpus_allowed:", 13) == 0)
		print_cpus(stream);
	else if (strncmp(line, "Mems_allowed:", 13) == 0)
		print_nodes(stream);
	else if (strncmp(line, "Cpus_allowed_list:", 18) != 0 &&
		 strncmp(line, "Mems_allowed_list:", 18) != 0)
		fputs(line, stream);
}

int process_status_read(char **content, size_t *size)
{
	FILE *real = REAL(fopen)("/proc/self/status", "re");
	FILE *stream = real ? open_memstream(content, size) : NULL;
	char *line = NULL;
	size_t space = 0;

	while (stream && getline(&line, &space, real) > 0)
		print_line(stream, line);
	free(line);
	if (real)
		REAL(fclose)(real);
	return stream && REAL(fclose)(stream) == 0 ? 0 : -ENOMEM;
}
