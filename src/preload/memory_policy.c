/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * On which nodes memory is to be, as get_mempolicy(2) reports it: nodes of the emulated machine.
 * Memory is where the real kernel has it; what is set is remembered for the process and inherited
 * by the programs that it starts. libnuma makes these calls by number.
 */
#include "preload/preload.h"

#include "emulator/front/launch.h"
#include "isst.h"

#include <errno.h>
#include <linux/mempolicy.h>
#include <stdlib.h>
#include <string.h>

enum { BITS = 8 * sizeof(unsigned long), MODES = 7 }; /* to MPOL_WEIGHTED_INTERLEAVE */
/* Of a mask, beyond which there are no nodes; the longest that the kernel takes. */
enum { NODES = 1024, LONGEST_MASK = 4096 * 8 };

#define NODES_PATH "/sys/devices/system/node/online"

struct policy {
	int mode; /* with its flags */
	struct isst_cpuset *nodes;
};

/** The nodes of a mask of the program. Returns 0 or an error number. */
static int take_nodes(const unsigned long *mask, unsigned long bits, struct isst_cpuset *nodes)
{
	/* The kernel takes one bit less than it is given. */
	unsigned long count = mask && bits > 0 ? bits - 1 : 0;

	if (count > LONGEST_MASK)
		return EINVAL;
	for (unsigned int first = 0; first < count; first += BITS) {
		unsigned long word;

		if (user_read(mask + first / BITS, &word, sizeof(word)))
			return errno;
		for (unsigned int i = 0; i < BITS && first + i < count; i++) {
			if (!(word >> i & 1))
				continue;
			if (first + i >= NODES)
				return EINVAL;
			if (isst_cpuset_add(nodes, first + i, first + i))
				return ENOMEM;
		}
	}
	return 0;
}

/** Which of the nodes the machine has. */
static int keep_present(const struct isst_cpuset *asked, struct isst_cpuset *kept)
{
	struct isst_cpuset *present = affinity_read(NODES_PATH);
	unsigned int node;
	int result = present ? 0 : ENOMEM;

	isst_cpuset_for_each (node, asked)
		if (!result && isst_cpuset_has(present, node) && isst_cpuset_add(kept, node, node))
			result = ENOMEM;
	isst_cpuset_free(present);
	return result;
}

/** Whether a mode can be had with these nodes, as the program asked for them and as they are. */
static int check(int mode, const struct isst_cpuset *asked, const struct isst_cpuset *kept)
{
	int plain = mode & ~MPOL_MODE_FLAGS;

	if (plain < 0 || plain >= MODES ||
	    (mode & MPOL_F_STATIC_NODES && mode & MPOL_F_RELATIVE_NODES))
		return EINVAL;
	if (plain == MPOL_DEFAULT || plain == MPOL_LOCAL)
		return isst_cpuset_count(asked) > 0 ? EINVAL : 0;
	/* Without nodes MPOL_PREFERRED is MPOL_LOCAL. */
	if (plain == MPOL_PREFERRED && isst_cpuset_count(asked) == 0)
		return mode == plain ? 0 : EINVAL;
	return isst_cpuset_count(kept) > 0 ? 0 : EINVAL;
}

/** What a program asks for: of @policy, whose nodes are empty. Returns 0 or an error number. */
static int take(int mode, const unsigned long *mask, unsigned long bits, struct policy *policy)
{
	struct isst_cpuset *asked = isst_cpuset_new();
	int result = asked && policy->nodes ? take_nodes(mask, bits, asked) : ENOMEM;

	if (!result)
		result = keep_present(asked, policy->nodes);
	if (!result)
		result = check(mode, asked, policy->nodes);
	policy->mode = mode == MPOL_PREFERRED && !result && isst_cpuset_count(asked) == 0
			       ? MPOL_LOCAL
			       : mode;
	isst_cpuset_free(asked);
	return result;
}

static int keep(const struct policy *policy)
{
	char *list = isst_cpuset_to_list(policy->nodes), *text = NULL;
	int result = ENOMEM;

	if (list && asprintf(&text, "%d:%s", policy->mode, list) >= 0 &&
	    setenv(LAUNCH_MEMORY, text, 1) == 0)
		result = 0;
	free(text);
	free(list);
	return result;
}

/** What was kept or inherited. */
static int recall(struct policy *policy)
{
	const char *text = getenv(LAUNCH_MEMORY), *list = text ? strchr(text, ':') : NULL;

	if (!policy->nodes)
		return ENOMEM;
	policy->mode = list ? (int)strtol(text, NULL, 10) : MPOL_DEFAULT;
	if (list && list[1] && isst_cpuset_add_list(policy->nodes, list + 1, NULL))
		policy->mode = MPOL_DEFAULT;
	return 0;
}

/** As the kernel, which clears the words of @mask beyond those that it has nodes for. */
static int give_nodes(const struct isst_cpuset *nodes, unsigned long *mask, unsigned long bits)
{
	unsigned long words[LONGEST_MASK / BITS] = { 0 };
	unsigned long count = (bits - 1 + BITS - 1) / BITS;
	unsigned int node;

	if (count > sizeof(words) / sizeof(*words))
		return EINVAL;
	isst_cpuset_for_each (node, nodes)
		if (node / BITS < count)
			words[node / BITS] |= 1UL << node % BITS;
	return user_write(mask, words, count * sizeof(*words)) ? errno : 0;
}

/** What get_mempolicy(2) is asked for: fills in @policy, whose nodes are empty. */
static int look(unsigned long flags, struct policy *policy)
{
	struct isst_cpuset *present;
	int result;

	if (flags & MPOL_F_MEMS_ALLOWED) {
		policy->mode = 0;
		if (flags & (MPOL_F_NODE | MPOL_F_ADDR))
			return EINVAL;
		present = affinity_read(NODES_PATH);
		result = present ? keep_present(present, policy->nodes) : ENOMEM;
		isst_cpuset_free(present);
		return result;
	}
	/* All memory is on the first node. */
	if (flags & MPOL_F_NODE && flags & MPOL_F_ADDR) {
		policy->mode = 0;
		return policy->nodes ? 0 : ENOMEM;
	}
	result = recall(policy);
	if (!result && flags & MPOL_F_NODE) {
		unsigned int next = 0;

		if ((policy->mode & ~MPOL_MODE_FLAGS) != MPOL_INTERLEAVE)
			return EINVAL;
		isst_cpuset_next(policy->nodes, 0, &next);
		policy->mode = (int)next;
	}
	return result;
}

/** Whether a mask of the program has space for all nodes. */
static bool has_space(unsigned long bits)
{
	struct isst_cpuset *present = affinity_read(NODES_PATH);
	unsigned int beyond;
	bool result = present && bits > 0 && bits <= LONGEST_MASK + 1 &&
		      !isst_cpuset_next(present, (unsigned int)bits, &beyond);

	isst_cpuset_free(present);
	return result;
}

static int get_policy(int *mode, unsigned long *mask, unsigned long bits, const void *address,
		      unsigned long flags)
{
	struct policy policy = { .nodes = isst_cpuset_new() };
	int result = EINVAL;

	if (flags & ~(unsigned long)(MPOL_F_NODE | MPOL_F_ADDR | MPOL_F_MEMS_ALLOWED) ||
	    (address && !(flags & MPOL_F_ADDR)) || (mask && !has_space(bits)))
		goto out;
	result = look(flags, &policy);
	if (!result && mode && user_write(mode, &policy.mode, sizeof(*mode)))
		result = errno;
	if (!result && mask)
		result = give_nodes(policy.nodes, mask, bits);
out:
	isst_cpuset_free(policy.nodes);
	return result;
}

/** @kept: whether it is remembered, as that of the process is and that of some memory is not */
static int set_policy(int mode, const unsigned long *mask, unsigned long bits, bool kept)
{
	struct policy policy = { .nodes = isst_cpuset_new() };
	int result = take(mode, mask, bits, &policy);

	if (!result && kept)
		result = keep(&policy);
	isst_cpuset_free(policy.nodes);
	return result;
}

/** Ends what preload_begin() began. @error: 0 or an error number. @before: errno, which a program
 * may look at alone. */
static bool finish(int error, int before, long *result)
{
	errno = error ? error : before;
	*result = error ? -1 : 0;
	preload_end(true);
	return true;
}

bool memory_policy_get(int *mode, unsigned long *mask, unsigned long bits, const void *address,
		       unsigned long flags, long *result)
{
	int before = errno;

	return preload_begin() &&
	       finish(get_policy(mode, mask, bits, address, flags), before, result);
}

bool memory_policy_set(int mode, const unsigned long *mask, unsigned long bits, long *result)
{
	int before = errno;

	return preload_begin() && finish(set_policy(mode, mask, bits, true), before, result);
}

bool memory_policy_bind(const void *address, int mode, const unsigned long *mask,
			unsigned long bits, unsigned long flags, long *result)
{
	enum { PAGE = 4096, FLAGS = MPOL_MF_STRICT | MPOL_MF_MOVE | MPOL_MF_MOVE_ALL };
	int before = errno;
	bool wrong = (uintptr_t)address % PAGE != 0 || flags & ~(unsigned long)FLAGS;

	return preload_begin() &&
	       finish(wrong ? EINVAL : set_policy(mode, mask, bits, false), before, result);
}
