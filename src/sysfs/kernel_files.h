/* SPDX-License-Identifier: BSD-3-Clause */
/* Typed access to the kernel's files; unexpected content is an error that quotes it. Knows no Speed
 * Select. */
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
/* How messages quote the content of a file. */
#define CONTENT "'%.64s%s'"
#define CONTENT_OF(text) (text), strlen(text) > 64 ? "..." : ""
#define BOOT_ID_FILE "/proc/sys/kernel/random/boot_id"

struct kernel_files {
	struct isst_machine *machine;
	struct messages *messages;
	char *path;	      /* of the last kernel_files_path() */
	unsigned long opened; /* files read so far */
	int answer;	      /* of the kernel to the last read or write: 0 or -errno */
	/* NULL until read: */
	char *boot_id;
	struct isst_cpuset *online;	 /* see hotplug_set_online() */
	struct isst_cpuset *undisturbed; /* see undisturbed_known() */
	struct uncore_clusters *uncore;
};

static inline void kernel_files_init(struct kernel_files *files, struct isst_machine *machine,
				     struct messages *messages)
{
	*files = (struct kernel_files){ .machine = machine, .messages = messages };
}

/** A path, valid until the next call. NULL without memory, which is an error of the functions
 * below. */
__attribute__((format(printf, 2, 3))) const char *kernel_files_path(struct kernel_files *files,
								    const char *format, ...);

/**
 * Reads a file's text without trailing white space; to be freed. Returns 0, -ENOENT (no such file;
 * no message is set), -EPERM, -EIO or -ENOMEM (the kernel's or our own).
 */
int kernel_files_text(struct kernel_files *files, const char *path, char **text);

/** The kernel's id of this boot, which is not to be freed. Errors as above; -ENOENT if it is empty.
 */
int kernel_files_boot_id(struct kernel_files *files, const char **boot_id);

void kernel_files_forget(struct kernel_files *files);

/** Reads a decimal number of at most @max. Errors as above; other content: -EIO. */
int kernel_files_number(struct kernel_files *files, const char *path, uint64_t max,
			uint64_t *number);

/** Adds the CPUs of a list file to @set. Errors as above; other content: -EIO. */
int kernel_files_cpulist(struct kernel_files *files, const char *path, struct isst_cpuset *set);

/** Reads a list file that all kernels have into a new set. Errors as above; -EIO if it is missing.
 */
int kernel_files_new_cpulist(struct kernel_files *files, const char *path,
			     struct isst_cpuset **set);

/** Lists the names in a directory; names and array are to be freed. Errors as above, without names.
 */
int kernel_files_list(struct kernel_files *files, const char *path, char ***names, size_t *count);

/** Visits the names in a directory that start with @begin, sorted, until @visit returns an error,
 * which is returned. Errors as above. */
int kernel_files_each(struct kernel_files *files, const char *path, const char *begin,
		      int (*visit)(void *data, const char *name), void *data);

/** Writes to an existing file. Returns 0, -ENOENT (no message), or -EPERM or -EIO with a message.
 */
int kernel_files_write(struct kernel_files *files, const char *path, const char *text);
int kernel_files_write_number(struct kernel_files *files, const char *path, uint64_t number);

/** Makes or removes a directory, unless that is done already. Errors as above. */
int kernel_files_mkdir(struct kernel_files *files, const char *path);
int kernel_files_rmdir(struct kernel_files *files, const char *path);

#endif
