/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The kernel's files, read with types: content that is not what the kernel documents is an error
 * which names the file and the content. Knows no Speed Select.
 */
#ifndef ISST_SYSFS_KERNEL_FILES_H
#define ISST_SYSFS_KERNEL_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct isst_cpuset;
struct isst_machine;
struct messages;

#define CPU_DIRECTORY "/sys/devices/system/cpu"
/* How a message quotes the content of a file: as far as it can be a value. */
#define CONTENT "'%.64s%s'"
#define CONTENT_OF(text) (text), strlen(text) > 64 ? "..." : ""
#define BOOT_ID_FILE "/proc/sys/kernel/random/boot_id"

struct kernel_files {
	struct isst_machine *machine;
	struct messages *messages;
	char *path;	      /* of the last kernel_files_path() */
	unsigned long opened; /* files read so far */
	int answer; /* of the kernel to the last read or write: 0 or -errno, which the errors below
		       do not distinguish */
	char *boot_id;			 /* NULL until it was read */
	struct isst_cpuset *online;	 /* when that was last looked for (cpufreq.h); or NULL */
	struct isst_cpuset *undisturbed; /* NULL until it was looked for (system.h) */
	struct uncore_clusters *uncore;	 /* NULL until they were looked for (uncore.h) */
};

void kernel_files_init(struct kernel_files *files, struct isst_machine *machine,
		       struct messages *messages);

/** A path for the functions below, until the next one is made. NULL without memory, which they
 * accept: it is their error. */
__attribute__((format(printf, 2, 3))) const char *kernel_files_path(struct kernel_files *files,
								    const char *format, ...);

/**
 * Reads a file's text without the white space at its end; *@text is to be freed. Returns 0, -ENOENT
 * (no such file; no message is set, the caller knows what that means), -EPERM, -EIO or -ENOMEM (of
 * the kernel's or our own: the message names the file).
 */
int kernel_files_text(struct kernel_files *files, const char *path, char **text);

/**
 * What the kernel calls this boot; it is read once, and *@boot_id is not to be freed. Errors as
 * above; an empty one: -ENOENT.
 */
int kernel_files_boot_id(struct kernel_files *files, const char **boot_id);

/** Frees what is kept. */
void kernel_files_forget(struct kernel_files *files);

/** Reads a decimal number of at most @max. Errors as above; other content: -EIO. */
int kernel_files_number(struct kernel_files *files, const char *path, uint64_t max,
			uint64_t *number);

/** Adds the CPUs of a list file to @set; an empty file adds none. Errors as above; other content:
 * -EIO. */
int kernel_files_cpulist(struct kernel_files *files, const char *path, struct isst_cpuset *set);

/** Reads the CPUs of a list file that all kernels have into a new set. Errors as above; -EIO where
 * it is missing. */
int kernel_files_new_cpulist(struct kernel_files *files, const char *path,
			     struct isst_cpuset **set);

/** Lists the names in a directory, to be freed one by one and as a whole. Errors as above; then
 * there are none. */
int kernel_files_list(struct kernel_files *files, const char *path, char ***names, size_t *count);

/** Visits the names in a directory that begin with a word, in their order, until one returns an
 * error, which is returned. Errors as above. */
int kernel_files_each(struct kernel_files *files, const char *path, const char *begin,
		      int (*visit)(void *data, const char *name), void *data);

/**
 * Writes @text to a file that exists. Returns 0, -ENOENT (no message is set), -EPERM or -EIO with a
 * message that holds what the kernel answered.
 */
int kernel_files_write(struct kernel_files *files, const char *path, const char *text);

int kernel_files_write_number(struct kernel_files *files, const char *path, uint64_t number);

/** Makes and removes a directory. Errors as above; one that exists already, or no more, is no
 * error. */
int kernel_files_mkdir(struct kernel_files *files, const char *path);
int kernel_files_rmdir(struct kernel_files *files, const char *path);

#endif
