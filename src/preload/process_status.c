/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * /proc/PID/status as it is, but for the CPUs and memory nodes that a process may use, which agree
 * with sched_getaffinity(2): libnuma takes them for those of the machine.
 */
#include "preload/preload.h"

#include "isst.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/** Skips a word and a number behind it. Returns NULL where they are not there. */
static const char *skip(const char *text, const char *word, pid_t *number)
{
	size_t length = strlen(word);
	char *end;

	if (strncmp(text, word, length) != 0 || text[length] < '1' || text[length] > '9')
		return NULL;
	*number = (pid_t)strtol(text + length, &end, 10);
	return end;
}

/** Whether it is the status of a process or a thread, and which. */
static bool parse(const char *path, pid_t *process)
{
	const char *rest = skip(path, "/proc/", process);
	const char *thread = rest ? skip(rest, "/task/", process) : NULL;

	return rest && strcmp(thread ? thread : rest, "/status") == 0;
}

bool process_status_is(const char *path)
{
	pid_t process;

	return parse(path, &process);
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

static void print_cpus(FILE *stream, pid_t process)
{
	struct isst_cpuset *cpus = isst_cpuset_new();
	cpu_set_t mask[8]; /* 8192 CPUs, as kernel_max has it */

	if (cpus && affinity_get(process, sizeof(mask), mask) == 0)
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
static void print_line(FILE *stream, pid_t process, const char *line)
{
	if (strncmp(line, "Cpus_allowed:", 13) == 0)
		print_cpus(stream, process);
	else if (strncmp(line, "Mems_allowed:", 13) == 0)
		print_nodes(stream);
	else if (strncmp(line, "Cpus_allowed_list:", 18) != 0 &&
		 strncmp(line, "Mems_allowed_list:", 18) != 0)
		fputs(line, stream);
}

int process_status_read(const char *path, char **content, size_t *size)
{
	FILE *real = REAL(fopen)(path, "re");
	FILE *stream = real ? open_memstream(content, size) : NULL;
	int result = real ? -ENOMEM : -errno;
	char *line = NULL;
	size_t space = 0;
	pid_t process;

	if (!parse(path, &process))
		process = 0;
	while (stream && getline(&line, &space, real) > 0)
		print_line(stream, process, line);
	free(line);
	if (real)
		REAL(fclose)(real);
	return stream && REAL(fclose)(stream) == 0 ? 0 : result;
}
