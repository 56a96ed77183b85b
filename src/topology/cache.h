/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is remembered of CPUs that may go offline and lose their topology files: one file of the
 * runtime directory. It is never needed and never trusted over what the kernel reports.
 */
#ifndef ISST_TOPOLOGY_CACHE_H
#define ISST_TOPOLOGY_CACHE_H

#include <stddef.h>

struct messages;
struct runtime_directory;

/** Where a CPU is. */
struct cached_cpu {
	unsigned int number, package, die, domain, core, thread;
};

struct topology_cache {
	char *text; /* the file's content, NULL where there is none */
	struct cached_cpu *cpus;
	size_t count;
};

/**
 * Reads the cache of @directory. One that is of another boot or version, malformed or unreadable
 * counts as empty. Returns 0 or -ENOMEM.
 */
int topology_cache_read(struct topology_cache *cache, const struct runtime_directory *directory,
			const char *boot_id, struct messages *messages);

/** Writes the cache at once, where it differs from what was read; who may not, leaves it. */
void topology_cache_update(const struct topology_cache *old,
			   const struct runtime_directory *directory, const char *boot_id,
			   const struct cached_cpu *cpus, size_t count, struct messages *messages);

void topology_cache_clear(struct topology_cache *cache);

#endif
