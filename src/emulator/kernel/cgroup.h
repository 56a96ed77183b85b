/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups below /sys/fs/cgroup as cgroup.c keeps them on disk and partitions.c judges them. */
#ifndef EMULATOR_CGROUP_H
#define EMULATOR_CGROUP_H

#include "emulator/state/server.h"

enum partition { PARTITION_MEMBER, PARTITION_ROOT, PARTITION_ISOLATED, PARTITIONS };
extern const char *const partition_words[PARTITIONS];

/** A group directly below the root. */
struct group {
	char *name;
	struct isst_cpuset *cpus; /* cpuset.cpus */
	enum partition wanted;
	bool was_valid; /* before: it keeps its CPUs against a newcomer */
	/* What partitions_evaluate() finds: */
	const char *reason;	       /* why it is no valid partition; NULL: it is, or a member */
	struct isst_cpuset *effective; /* cpuset.cpus.effective */
};

/** All groups, and what is left to the root. */
struct group_tree {
	struct group *groups; /* ascending by name */
	size_t count;
	struct isst_cpuset *online;
	const struct isst_cpuset *isolcpus; /* of the kernel's command line; NULL: none */
	struct isst_cpuset *effective;
	struct isst_cpuset *isolated;
};

/** Finds which partitions are valid and which CPUs each group gets. Returns 0 or -ENOMEM. */
int partitions_evaluate(struct group_tree *tree);

/* cgroup.c */

bool cgroup_exists(const struct server *server);
bool cgroup_has_cpuset(const struct server *server);
/** Opens the root group's directory below the state directory or one that is to become it. */
int cgroup_open(int directory);
/** Writes what cannot be worked out again, so that it is never seen half written. */
int cgroup_write(const struct server *server, int directory, const char *name, const char *text);
/** The words of a file without the newline, to be freed. */
int cgroup_read(int directory, const char *name, char **words);
bool cgroup_has_group(int root, const char *name);
/** What was written to a group's files; a group that has just been made has none. */
int cgroup_read_group(int directory, struct group *group);

/* cgroup_controllers.c */

enum { CPUSET, CONTROLLERS = 6 };

/** Which there are, and which of them groups get at boot. */
void controllers_first(const struct server *server, bool *available, bool *enabled);
/** Which groups get now. */
int controllers_read(int root, bool *enabled);
/** Takes words such as `+cpuset`: all of them, or none. */
int controllers_parse(const struct server *server, const char *text, bool *enabled);
/** The names of those that @which is true for, to be freed. */
char *controllers_list(const bool *which);

#endif
