/* SPDX-License-Identifier: BSD-3-Clause */
/* Which controllers groups get from the root: cgroup.subtree_control and the words that change it.
 */
#include "emulator/kernel/cgroup.h"
#include "emulator/kernel/kernel.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The controllers of the root, and which of them are passed on at boot. */
static const struct {
	const char *name;
	bool enabled;
} controllers[] = {
	{ "cpuset", false }, { "cpu", true },	   { "io", false },
	{ "memory", true },  { "hugetlb", false }, { "pids", true },
};
_Static_assert(sizeof(controllers) / sizeof(*controllers) == CONTROLLERS, "one name each");
/* Known to the kernel, missing in this one. */
static const char *const absent_controllers[] = { "rdma", "misc", "dmem" };

uint32_t controllers_available(const struct server *server)
{
	uint32_t all = (UINT32_C(1) << CONTROLLERS) - 1;

	return cgroup_has_cpuset(server) ? all : all & ~(UINT32_C(1) << CPUSET);
}

static uint32_t controllers_at_boot(const struct server *server)
{
	uint32_t enabled = 0;

	for (size_t i = 0; i < CONTROLLERS; i++)
		enabled |= (uint32_t)controllers[i].enabled << i;
	if (cgroup_has_cpuset(server) && server->platform->cpuset_enabled.value)
		enabled |= UINT32_C(1) << CPUSET;
	return enabled;
}

void kernel_first_state(struct server *server)
{
	server->state->controllers = controllers_at_boot(server);
}

void controllers_print(uint32_t which, FILE *stream)
{
	const char *space = "";

	for (size_t i = 0; i < CONTROLLERS; i++) {
		if (!(which >> i & 1))
			continue;
		fprintf(stream, "%s%s", space, controllers[i].name);
		space = " ";
	}
	fputc('\n', stream);
}

/** One word such as `+cpuset`. */
static int parse_control(const struct server *server, const char *word, uint32_t *enabled)
{
	for (size_t i = 0; i < CONTROLLERS; i++) {
		if (strcmp(controllers[i].name, word + 1) != 0)
			continue;
		if (i == CPUSET && !cgroup_has_cpuset(server) && *word == '+')
			return -ENOENT;
		*enabled &= ~(UINT32_C(1) << i);
		*enabled |= (uint32_t)(*word == '+') << i;
		return 0;
	}
	for (size_t i = 0; i < sizeof(absent_controllers) / sizeof(*absent_controllers); i++)
		if (strcmp(absent_controllers[i], word + 1) == 0)
			return *word == '+' ? -ENOENT : 0;
	return -EINVAL;
}

int controllers_parse(const struct server *server, const char *text, uint32_t *enabled)
{
	char *copy = strdup(text), *rest = NULL;
	int result = copy ? 0 : -ENOMEM;
	char *word = copy ? strtok_r(copy, " ", &rest) : NULL;

	for (; word && !result; word = strtok_r(NULL, " ", &rest))
		result = *word == '+' || *word == '-' ? parse_control(server, word, enabled)
						      : -EINVAL;
	free(copy);
	return result;
}
