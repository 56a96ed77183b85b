/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Groups directly below /sys/fs/cgroup, or with cpuset in cgroup v1 below /sys/fs/cgroup/cpuset.
 * The state has them as lines of text; what the kernel grants them follows from that. Functions
 * that return a number return 0 or -ENOMEM.
 */
#ifndef EMULATOR_CGROUP_H
#define EMULATOR_CGROUP_H

#include "emulator/state/state.h"

#include <stdio.h>

enum partition { PARTITION_MEMBER, PARTITION_ROOT, PARTITION_ISOLATED, PARTITIONS };
extern const char *const partition_words[PARTITIONS];

/** Why a group is no valid partition. */
enum partition_flaw {
	FLAW_NONE,
	FLAW_EMPTY,
	FLAW_NOT_EXCLUSIVE,
	FLAW_OFFLINE,
	FLAW_HOUSEKEEPING,
	FLAW_NOTHING_LEFT,
	FLAWS
};
extern const char *const partition_flaws[FLAWS];

struct group {
	char *name;
	struct isst_cpuset *cpus; /* cpuset.cpus */
	enum partition wanted;
	/* Found by partitions_evaluate(). Who had none before keeps its CPUs against a newcomer */
	enum partition_flaw flaw;
	struct isst_cpuset *effective; /* cpuset.cpus.effective, by partitions_grant() */
};

/** All groups, and what is left to the root. */
struct group_tree {
	struct group *groups; /* ascending by name */
	size_t count;
	struct isst_cpuset *online;
	const struct isst_cpuset *isolcpus; /* of the kernel's command line; NULL: none */
	bool members_overlap; /* groups that are no partitions, too, keep CPUs from partitions */
	struct isst_cpuset *effective;
	struct isst_cpuset *isolated;
};

/** Finds which CPUs each group gets, and the root. Returns 0 or -ENOMEM. */
int partitions_grant(struct group_tree *tree);

bool cgroup_has_cpuset(const struct server *server);
/** Whether cgroup v1 has cpuset, and v2 the rest, at /sys/fs/cgroup/unified. */
bool cgroup_is_hybrid(const struct server *server);
/**
 * The name of a group by its place among them, within the state, of *@length bytes; NULL past the
 * last one. Takes no memory, for want of which a group would seem to be missing.
 */
const char *groups_name(const struct server *server, size_t index, size_t *length);
/** All groups of the state; to be freed also after an error. */
int groups_read(const struct server *server, struct group_tree *tree);
void groups_free(struct group_tree *tree);
struct group *groups_find(const struct group_tree *tree, const char *name);
int groups_add(struct group_tree *tree, const char *name);
/** Works out anew which partitions are valid; CPUs or groups have changed. */
int groups_update(struct server *server);
/** The same, and stores it. */
int groups_commit(struct server *server, struct group_tree *tree);

enum { CPUSET, CONTROLLERS = 6 }; /* bits of struct state's controllers */

#endif
