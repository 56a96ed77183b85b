/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The CPUs that threads are to be made with, as OpenMP does: they are the emulated machine's, and
 * the kernel would make no thread for one that the real machine does not have. So attributes keep
 * them here, and the C library does not know of them.
 */
#include "preload/preload.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* What was set, for each object of attributes. */
struct kept {
	const pthread_attr_t *attributes;
	size_t size;
	struct kept *next;
	unsigned char mask[];
};
static struct kept *all;

/* All of the following between preload_begin() and preload_end(). */

static struct kept *find(const pthread_attr_t *attributes)
{
	struct kept *kept = all;

	while (kept && kept->attributes != attributes)
		kept = kept->next;
	return kept;
}

static void forget(const pthread_attr_t *attributes)
{
	for (struct kept **link = &all, *kept; (kept = *link); link = &kept->next)
		if (kept->attributes == attributes) {
			*link = kept->next;
			free(kept);
			return;
		}
}

/** Returns 0 or an error number. */
static int keep(const pthread_attr_t *attributes, size_t size, const cpu_set_t *mask)
{
	struct kept *kept = malloc(sizeof(*kept) + size);

	if (!kept)
		return ENOMEM;
	forget(attributes);
	*kept = (struct kept){ attributes, size, all };
	memcpy(kept->mask, mask, size);
	all = kept;
	return 0;
}

/** As the C library: where nothing was set all CPUs are. */
static int copy_out(const struct kept *kept, size_t size, cpu_set_t *mask)
{
	if (!kept) {
		memset(mask, 0xff, size);
		return 0;
	}
	for (size_t i = size; i < kept->size; i++)
		if (kept->mask[i])
			return EINVAL;
	memset(mask, 0, size);
	memcpy(mask, kept->mask, kept->size < size ? kept->size : size);
	return 0;
}

static void begin_anew(const pthread_attr_t *attributes)
{
	if (all && preload_begin()) {
		forget(attributes);
		preload_end(false);
	}
}

/* ---- Attributes ---- */

/** A program that never destroys its attributes has others at the same address later. */
INTERPOSED int pthread_attr_init(pthread_attr_t *attributes)
{
	begin_anew(attributes);
	return REAL(pthread_attr_init)(attributes);
}

INTERPOSED int pthread_attr_destroy(pthread_attr_t *attributes)
{
	begin_anew(attributes);
	return REAL(pthread_attr_destroy)(attributes);
}

INTERPOSED int pthread_attr_setaffinity_np(pthread_attr_t *attributes, size_t size,
					   const cpu_set_t *mask)
{
	int result = 0;

	if (!preload_begin())
		return REAL(pthread_attr_setaffinity_np)(attributes, size, mask);
	if (size > 0)
		result = keep(attributes, size, mask);
	else
		forget(attributes);
	preload_end(true);
	return result;
}

INTERPOSED int pthread_attr_getaffinity_np(const pthread_attr_t *attributes, size_t size,
					   cpu_set_t *mask)
{
	int result;

	if (!preload_begin())
		return REAL(pthread_attr_getaffinity_np)(attributes, size, mask);
	result = copy_out(find(attributes), size, mask);
	preload_end(true);
	return result;
}

/** Those that a thread has: of the process here, and not those of the real machine. */
INTERPOSED int pthread_getattr_np(pthread_t thread, pthread_attr_t *attributes)
{
	int result = REAL(pthread_getattr_np)(thread, attributes);
	cpu_set_t mask[8] = { 0 }; /* 8192 CPUs, as kernel_max has it */

	if (result || !preload_begin())
		return result;
	REAL(pthread_attr_setaffinity_np)(attributes, 0, mask);
	result = affinity_get(0, sizeof(mask), mask);
	if (!result)
		result = keep(attributes, sizeof(mask), mask);
	preload_end(true);
	return result;
}

/* ---- Threads ---- */

/** As the kernel, which makes no thread for CPUs that are all missing or offline. */
static int check(const pthread_attr_t *attributes)
{
	const struct kept *kept;
	int result = 0;

	if (!attributes || !all || !preload_begin())
		return 0;
	kept = find(attributes);
	if (kept)
		result = affinity_check(kept->size, (const cpu_set_t *)kept->mask);
	preload_end(true);
	return result;
}

INTERPOSED int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
			      void *(*run)(void *data), void *data)
{
	int error = check(attributes);

	return error ? error : REAL(pthread_create)(thread, attributes, run, data);
}
