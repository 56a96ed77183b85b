/* SPDX-License-Identifier: BSD-3-Clause */
/* Names, numbers and attributes of the machine's files. */
#include "emulator/launch/launch.h"

#include "common/hash.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

const char *const tree_owned[] = {
	"/sys/devices/system/cpu",
	"/sys/devices/system/node",
	"/sys/bus/cpu",
	"/sys/fs/cgroup",
	"/sys/kernel/debug",
	"/sys/kernel/rcu_expedited",
	"/sys/kernel/rcu_normal",
	"/proc/cpuinfo",
	"/proc/version",
	"/proc/sys/kernel/osrelease",
	"/proc/sys/kernel/random/boot_id",
	"/proc/modules",
	"/proc/stat",
	"/proc/cmdline",
	"/sys/power",
	"/sys/class/powercap",
	"/sys/class/thermal",
	"/sys/devices/virtual/powercap",
	"/sys/devices/virtual/thermal",
	"/sys/kernel/security",
	"/dev/cpu",
	"/sys/module",
	"/lib/modules",
	NULL,
};
enum { OWNED = sizeof(tree_owned) / sizeof(*tree_owned) - 1 };

/* ---- Nodes ---- */

enum { NODE_BUCKETS = 1 << 12 };
static struct node *newest[NODE_BUCKETS]; /* by hash */
static struct node root = { .path = "/" };

struct node *tree_node(uint64_t number)
{
	return number == FUSE_ROOT_ID ? &root : pointer_of(number);
}

static struct node *find_node(const char *path, uint64_t hash)
{
	struct node *node = newest[hash % NODE_BUCKETS];

	while (node && (node->gone || node->hash != hash || strcmp(node->path, path) != 0))
		node = node->older;
	return node;
}

static struct node *add_node(const char *path, uint64_t hash)
{
	const size_t size = strlen(path) + 1;
	struct node *node = malloc(sizeof(*node) + size);

	if (!node)
		return NULL;
	*node = (struct node){ .hash = hash, .older = newest[hash % NODE_BUCKETS] };
	memcpy(node->path, path, size);
	newest[hash % NODE_BUCKETS] = node;
	return node;
}

/* ---- Attributes ---- */

uint64_t tree_inode(const char *path)
{
	/* Tools take it for a signed number. */
	return hash_text(path) >> 1;
}

/** What stat(2) shows: files below /sys have pages, those below /lib their size, others nothing. */
static uint64_t shown_size(const char *path, const struct kernel_status *status)
{
	enum { PAGE_BYTES = 4096 };

	if (status->type == KERNEL_LINK || strncmp(path, "/lib/", 5) == 0)
		return status->size;
	if (status->type != KERNEL_FILE || strncmp(path, "/sys/", 5) != 0 ||
	    strncmp(path, "/sys/fs/cgroup/", 15) == 0 ||
	    strncmp(path, "/sys/kernel/debug/", 18) == 0)
		return 0;
	return status->size > PAGE_BYTES ? (status->size + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES
					 : PAGE_BYTES;
}

/** Returns 0 or a negative errno. */
static int look_at(const struct launch *launch, const char *path, struct fuse_attr *attributes)
{
	/* Registers are read at a position, which no device node of a user's namespace lets
	 * through to a file system. */
	static const mode_t types[] = { S_IFREG, S_IFDIR, S_IFLNK, S_IFREG };
	static uint64_t begin;
	struct kernel_status status = { 0 };
	int result = files_look(launch->emulated, path, false, &status);

	if (result)
		return result;
	free(status.target);
	if (!begin)
		begin = (uint64_t)time(NULL);
	*attributes = (struct fuse_attr){
		.ino = tree_inode(path),
		.mode = types[status.type] | status.mode,
		.nlink = status.type == KERNEL_DIRECTORY ? 2 + (uint32_t)status.links : 1,
		.blksize = 4096,
		.uid = geteuid(),
		.gid = getegid(),
		.size = shown_size(path, &status),
		.atime = begin,
		.mtime = begin,
		.ctime = begin,
	};
	return 0;
}

int tree_look(const struct launch *launch, struct node *node)
{
	int result = look_at(launch, node->path, &node->attributes);

	node->gone |= result == -ENOENT;
	return result;
}

bool tree_join(const struct node *directory, const char *name, char *path)
{
	const size_t index = directory == &root ? strtoul(name, NULL, 10) : 0;

	if (directory == &root)
		return index < OWNED && snprintf(path, PATH_MAX, "%s", tree_owned[index]) > 0;
	return snprintf(path, PATH_MAX, "%s/%s", directory->path, name) < PATH_MAX;
}

int tree_find(const struct launch *launch, const struct node *directory, const char *name,
	      struct node **found)
{
	struct fuse_attr attributes;
	char path[PATH_MAX];
	struct node *node;
	uint64_t hash;
	int result;

	if (!tree_join(directory, name, path))
		return -ENAMETOOLONG;
	hash = hash_text(path);
	node = find_node(path, hash);
	result = look_at(launch, path, &attributes);
	if (node && result == -ENOENT)
		node->gone = true;
	if (result)
		return result;
	node = node ? node : add_node(path, hash);
	if (!node)
		return -ENOMEM;
	node->attributes = attributes;
	*found = node;
	return 0;
}

int tree_list(const struct launch *launch, const struct node *directory, char ***names,
	      size_t *count)
{
	if (directory != &root)
		return files_names(launch->emulated, directory->path, names, count);
	*names = calloc(OWNED, sizeof(**names));
	for (*count = 0; *names && *count < OWNED; ++*count)
		if (asprintf(&(*names)[*count], "d%zu", *count) < 0)
			return -ENOMEM;
	return *names ? 0 : -ENOMEM;
}
