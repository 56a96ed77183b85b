/* SPDX-License-Identifier: BSD-3-Clause */
/* The NUMA nodes of a captured machine: those that it had, sub-NUMA clusters included. */
#include "emulator/capture/parts.h"

#include <errno.h>
#include <string.h>

/* More than any x86 kernel is built for. */
enum { MOST_NODES = 1024 };

/** `/sys/devices/system/node/node3/cpulist`: 3. */
static bool node_of_path(const char *path, unsigned int *node)
{
	static const char BEGIN[] = "/sys/devices/system/node/node", END[] = "/cpulist";
	size_t length = strlen(path), rest = sizeof(BEGIN) - 1 + sizeof(END) - 1;
	uint64_t number;
	char digits[8];

	if (length <= rest || length - rest >= sizeof(digits) ||
	    strncmp(path, BEGIN, sizeof(BEGIN) - 1) != 0 ||
	    strcmp(path + length - (sizeof(END) - 1), END) != 0)
		return false;
	memcpy(digits, path + sizeof(BEGIN) - 1, length - rest);
	digits[length - rest] = '\0';
	if (isst_parse_number(digits, 10, MOST_NODES - 1, &number))
		return false;
	*node = (unsigned int)number;
	return true;
}

int capture_number_nodes(const struct capture *capture, struct platform *platform)
{
	int result = 0;

	for (size_t i = 0; i < capture->entry_count && !result; i++) {
		struct isst_cpuset *cpus;
		unsigned int node;

		if (!node_of_path(capture->entries[i].path, &node))
			continue;
		cpus = isst_cpuset_new();
		result = cpus ? capture_list(capture, &capture->entries[i], cpus) : -ENOMEM;
		for (size_t j = 0; j < platform->cpu_count && !result; j++)
			if (isst_cpuset_has(cpus, platform->cpus[j].number))
				platform->cpus[j].node = node;
		isst_cpuset_free(cpus);
	}
	return result;
}
