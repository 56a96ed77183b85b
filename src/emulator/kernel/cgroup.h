/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Groups directly below /sys/fs/cgroup, or with cpuset in cgroup v1 below /sys/fs/cgroup/cpuset.
 * The state has them as lines of text (groups.c); what the kernel grants them follows from that
 * (partitions.c).
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

/* ---- partitions.c ---- */

/** Finds which partitions are valid. Returns 0 or -ENOMEM. */
int partitions_evaluate(struct group_tree *tree);
/** Finds which CPUs each group gets, and the root. Returns 0 or -ENOMEM. */
int partitions_grant(struct group_tree *tree);

/* ---- groups.c: each that returns a number returns 0 or -ENOMEM ---- */

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
int groups_store(struct server *server, const struct group_tree *tree);
void groups_free(struct group_tree *tree);
struct group *groups_find(const struct group_tree *tree, const char *name);
int groups_add(struct group_tree *tree, const char *name);
/** Works out anew which partitions are valid; CPUs or groups have changed. */
int groups_update(struct server *server);
/** The same, and stores it. */
int groups_commit(struct server *server, struct group_tree *tree);

/* ---- cgroup_controllers.c ---- */

enum { CPUSET, CONTROLLERS = 6 };

/** A bit for each controller that the root has. */
uint32_t controllers_available(const struct server *server);
/** Takes words such as `+cpuset`: all of them, or none. */
int controllers_parse(const struct server *server, const char *text, uint32_t *enabled);
void controllers_print(uint32_t which, FILE *stream);

#endif
