/* SPDX-License-Identifier: BSD-3-Clause */
/* The files that the file system of programs has: nodes, each a path of the machine. */
#ifndef EMULATOR_LAUNCH_TREE_H
#define EMULATOR_LAUNCH_TREE_H

#include "emulator/launch/launch.h"

#include <linux/fuse.h>

/** What the machine has instead of the system, with all that is below; NULL past the last one. It
 * is called by its index in the root of the file system, where only namespace.c looks. */
const char *tree_owned(size_t index);

/** A path that programs have met. It is one node while the machine has the file. */
struct node {
	uint64_t hash;
	struct node *older; /* of the same bucket of hashes */
	bool gone;	    /* the file no longer exists; one of the same path is another node */
	struct fuse_attr attributes; /* as they were seen last */
	char path[];
};

/** Makes the root; false without memory. */
bool tree_begin(void);
/** The node of a number that the kernel was given: its address, or FUSE_ROOT_ID. */
struct node *tree_node(uint64_t number);
/** Looks at a node, and fills in its attributes. Returns 0 or a negative errno. */
int tree_look(const struct launch *launch, struct node *node);
/** Finds or makes the node of a name in a directory. */
int tree_find(const struct launch *launch, const struct node *directory, const char *name,
	      struct node **found);
/** The names in a directory, as files_names() returns them. */
int tree_list(const struct launch *launch, const struct node *directory, char ***names,
	      size_t *count);
/** The path of a name in a directory; false where it is too long. */
bool tree_join(const struct node *directory, const char *name, char *path);
/** The number that a path has as st_ino. */
uint64_t tree_inode(const char *path);

#endif
