/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which capabilities the caller has over the emulated machine: the owner of its state is its root,
 * unless a fault rule changes that. Knows nothing of what takes a capability.
 */
#include "emulator/front/front.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/** Returns 1, 0 or a negative errno. */
static int has_effective(int capability)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { 0 };

	if (capability < 0 || capability > CAP_LAST_CAP)
		return -EINVAL;
	if (syscall(SYS_capget, &header, data))
		return -errno;
	return (data[CAP_TO_INDEX(capability)].effective & CAP_TO_MASK(capability)) != 0;
}

/** Only the initial namespace maps every id onto itself. */
static bool in_initial_namespace(void)
{
	static const char *const identity[] = { "0", "0", "4294967295" };
	FILE *map = fopen("/proc/self/uid_map", "re");
	char line[100], *rest = line;
	bool initial;

	if (!map)
		return true; /* a kernel without user namespaces */
	initial = fgets(line, sizeof(line), map);
	for (size_t i = 0; i < sizeof(identity) / sizeof(*identity) && initial; i++) {
		const char *word = strtok_r(i ? NULL : line, " \n", &rest);

		initial = word && strcmp(word, identity[i]) == 0;
	}
	fclose(map);
	return initial;
}

static int real_capability(int capability)
{
	int has = has_effective(capability);

	return has == 1 ? in_initial_namespace() : has;
}

/** Returns 1, 0 or a negative errno. The lock must be held. */
static int caller_capable(const struct emulated *emulated, int capability)
{
	switch (faults_capability(&emulated->faults, capability)) {
	case ACTION_DENIED:
		return 0;
	case ACTION_REAL:
		return real_capability(capability);
	default:
		return 1;
	}
}

bool caller_may_administer(struct server *server)
{
	return server->replaying ||
	       caller_capable((const struct emulated *)server, CAP_SYS_ADMIN) == 1;
}

int machine_capable(void *data, int capability)
{
	struct emulated *emulated = data;
	int result = call_begin(emulated);

	if (result)
		return result;
	result = caller_capable(emulated, capability);
	call_end(emulated);
	return result;
}
