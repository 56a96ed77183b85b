/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Looks at a machine: a small one, of a few driver calls, shows whether a whole one is worth it,
 * which finds what differs from a configuration: that of a file, or what the machine was before.
 */
#ifndef ISST_CLI_WATCH_LOOK_H
#define ISST_CLI_WATCH_LOOK_H

#include "../run/run.h"

/** How keys of each domain end, behind its name. */
#define LEVEL_KEY ": level"
#define LOCK_KEY ": lock"

/** A value as a look found it. */
struct found {
	char *key;    /* what is watched: `package 0, die 0: level`; of CPUs `CPU: CLOS` */
	char *target; /* the same, with the numbers of CPUs */
	char *stated; /* in the configuration; NULL: it is compared with none */
	char *present;
};

struct look {
	struct found *found;
	size_t count, space;
	uint64_t digest; /* of all that the small look reads */
	char *failure;	 /* why the machine could not be looked at; NULL: it could */
};

/** What looks need, and remember. */
struct looker {
	/** Opens a context; NULL: it cannot. */
	struct isst_context *(*open)(void *data);
	void *data;
	struct isst_config *file;	/* NULL: there is none */
	const struct isst_cpuset *cpus; /* only what is of these; NULL: everything */
	/* Of the looks: */
	struct isst_context *context; /* NULL: to be opened */
	struct isst_config *before;   /* what the machine was; NULL: unknown, or there is a file */
	struct isst_cpuset *undisturbed; /* CPUs that are isolated or nohz_full */
};

/** The small look, at the machine as it is now: also with other CPUs online. */
void look_small(struct looker *looker, struct look *look);

/** Adds to a small look all that differs. */
void look_whole(struct looker *looker, struct look *look);

/** What the machine is becomes what it was, unless it changes meanwhile. Returns whether it did. */
bool looker_accept(struct looker *looker);

/** The next look opens and discovers the machine anew. */
void looker_close(struct looker *looker);

/** A domain as the part of the machine that a statement is for. */
void look_write_place(const struct isst_domain *domain, FILE *stream);

void found_clear(struct found *found);
void look_clear(struct look *look);

#endif
