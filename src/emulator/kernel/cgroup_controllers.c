/* SPDX-License-Identifier: BSD-3-Clause */
/* Which controllers groups get from the root: cgroup.subtree_control and the words that change it.
 */
#include "emulator/kernel/cgroup.h"
#include "emulator/text.h"

#include <errno.h>
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
/* That the kernel knows and this one lacks. */
static const char *const absent_controllers[] = { "rdma", "misc", "dmem" };

int controllers_read(int root, bool *enabled)
{
	char *words, *rest = NULL;
	int result = cgroup_read(root, "cgroup.subtree_control", &words);

	if (result)
		return result;
	memset(enabled, 0, CONTROLLERS * sizeof(*enabled));
	for (char *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		for (size_t i = 0; i < CONTROLLERS; i++)
			enabled[i] |= strcmp(controllers[i].name, word) == 0;
	free(words);
	return 0;
}

char *controllers_list(const bool *enabled)
{
	struct text text;
	const char *space = "";

	if (!text_open(&text))
		return NULL;
	for (size_t i = 0; i < CONTROLLERS; i++) {
		if (!enabled[i])
			continue;
		fprintf(text.stream, "%s%s", space, controllers[i].name);
		space = " ";
	}
	return text_close(&text);
}

/** One word such as `+cpuset`. */
static int parse_control(const struct server *server, const char *word, bool *enabled)
{
	for (size_t i = 0; i < CONTROLLERS; i++) {
		if (strcmp(controllers[i].name, word + 1) != 0)
			continue;
		if (i == CPUSET && !cgroup_has_cpuset(server) && *word == '+')
			return -ENOENT;
		enabled[i] = *word == '+';
		return 0;
	}
	for (size_t i = 0; i < sizeof(absent_controllers) / sizeof(*absent_controllers); i++)
		if (strcmp(absent_controllers[i], word + 1) == 0)
			return *word == '+' ? -ENOENT : 0;
	return -EINVAL;
}

int controllers_parse(const struct server *server, const char *text, bool *enabled)
{
	char *copy = strdup(text), *rest = NULL;
	int result = copy ? 0 : -ENOMEM;
	char *word = copy ? strtok_r(copy, " \t\n", &rest) : NULL;

	for (; word && !result; word = strtok_r(NULL, " \t\n", &rest))
		result = *word == '+' || *word == '-' ? parse_control(server, word, enabled)
						      : -EINVAL;
	free(copy);
	return result;
}

void controllers_first(const struct server *server, bool *available, bool *enabled)
{
	for (size_t i = 0; i < CONTROLLERS; i++) {
		available[i] = i != CPUSET || cgroup_has_cpuset(server);
		enabled[i] = controllers[i].enabled;
	}
	enabled[CPUSET] = cgroup_has_cpuset(server) && server->platform->cpuset_enabled.value;
}
