/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Running other programs on an emulated machine, by the kernel's own means. The process that calls
 * isst_emulator_run() becomes the program. Before that it enters namespaces of its own, in which a
 * FUSE file system is mounted over the kernel's files, and leaves two servers behind, which are not
 * its children, and have the machine open, each on its own:
 *
 *   files   answers the FUSE file system. Ends when that is gone: no process is left.
 *   calls   answers system calls of which seccomp(2) notifies it: requests to the device, a node of
 *           FUSE, and what a machine has beyond files. Ends when no process has the filter.
 *
 * They stay outside of the program's mount namespace, so that nothing keeps that alive.
 */
#ifndef EMULATOR_LAUNCH_LAUNCH_H
#define EMULATOR_LAUNCH_LAUNCH_H

#include "emulator/front/front.h"
#include "emulator/model/machines.h"

#include <linux/fuse.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>

/* The machine, in the environment of the program: for isst, which needs no launcher's help. */
#define LAUNCH_PLATFORM "ISST_EMULATE"
#define LAUNCH_STATE "ISST_EMULATE_STATE"
#define LAUNCH_UNLOCK "ISST_EMULATE_UNLOCK"

/** A start. */
struct launch {
	struct emulated *emulated;
	const struct isst_emulator_target *target;
	char *const *words; /* the program, searched for in PATH, and its arguments */
	bool read_only;
	const char *const *writable; /* further paths, ended by NULL; or NULL */
	const char *state;	     /* the state directory, absolute */
	int fuse;		     /* /dev/fuse */
	uid_t user;		     /* the caller's, outside of the namespaces */
	gid_t group;
	uid_t shown_user; /* the program's, inside */
	gid_t shown_group;
	/* The caller administers its user namespace, so that it needs none for the mounts; the
	 * program then has all ids of the system, without its privileges. */
	bool privileged;
};

/* ---- requirements.c: where it cannot work ---- */

/** What a system, a container or a security module may forbid. */
#define NO_USER_NAMESPACE "a user namespace cannot be made"
#define NO_MOUNT_NAMESPACE "a mount namespace cannot be made"
#define NO_FUSE_DEVICE "/dev/fuse cannot be opened"
#define NO_FUSE_MOUNT "a FUSE file system cannot be mounted"
#define NO_MOUNT "files cannot be mounted"
#define NO_NOTIFICATION "seccomp cannot notify of system calls"
#define NO_SERVER "its servers cannot be started"

/** Sets *@error to what failed with a negative errno, one of the texts above, and what helps.
 * Returns -EOPNOTSUPP, or that errno if it is none of the system's restrictions. */
int requirement_missing(const char *what, int result, char **error);
/** Finds, before anything is changed, what can be found. Returns as above, or 0. */
int requirements_check(char **error);

/* ---- namespace.c: the namespaces of a start, in the order in which they are entered; all but
 * namespace_map() in the process that becomes the program. Each returns 0, or a negative errno with
 * *@error set. ---- */

/** Unless the caller is privileged: a user namespace in which it may mount. */
int namespace_enter_user(const struct launch *launch, char **error);
/** The mounts. @files: the socket to the server of files, which begins then */
int namespace_mount(const struct launch *launch, int files, char **error);
/** With the option: makes everything read-only but what the program may write. */
int namespace_protect(const struct launch *launch, char **error);
/** In the server of calls: gives the namespace of the program its ids. Returns 0 or a negative
 * errno. */
int namespace_map(const struct launch *launch, pid_t program);
/** Writes a file of /proc/TASK. Returns 0 or a negative errno. */
int task_put(pid_t task, const char *name, const char *text);

/* ---- notify.c ---- */

/** Installs the filter in this process, which becomes the program; it can administer its user
 * namespace, so that set-user-ID programs need not be given up. Returns the listener, or a negative
 * errno with *@error set. */
int notify_install(char **error);
/** Answers notifications until no process with the filter is left. In a process of its own. */
void notify_serve(struct launch *launch, int listener);

/** What a number of the kernel's interfaces means here, or in the process that it is of. */
static inline void *pointer_of(uint64_t number)
{
	const uintptr_t address = (uintptr_t)number;
	void *pointer;

	memcpy(&pointer, &address, sizeof(pointer));
	return pointer;
}

/* ---- device.c: what notify.c hands over of the device ---- */

/** Memory of a process; false where its addresses are wrong. */
bool caller_read(pid_t caller, uint64_t address, void *to, size_t size);
bool caller_write(pid_t caller, uint64_t address, const void *from, size_t size);
/** A duplicate of a descriptor of a process; -1 where it is gone. */
int caller_duplicate(pid_t caller, int descriptor);
/** Whether a descriptor of a process is the device. */
bool device_is(pid_t caller, int descriptor);
/** What open(2) returns, or 0. */
int device_open(const struct launch *launch);
/** ioctl(2): what it returns, or a negative errno. The machine's memory is copied as the driver
 * copies it, part by part. */
int device_request(const struct launch *launch, pid_t caller, unsigned int request,
		   uint64_t argument);
/** flock(2) of the device: also takes the lock that programs outside take. Returns 0 or a negative
 * errno. Without LOCK_NB -EAGAIN is no answer: it is to be called again after DEVICE_LOCK_PAUSE_MS,
 * while the caller waits. */
int device_lock(const struct launch *launch, pid_t caller, int descriptor, int operation);
enum { DEVICE_LOCK_PAUSE_MS = 2 };
/** Releases what no process holds any more. To be called each DEVICE_LOCK_CHECK_MS while it returns
 * true: something is held. */
bool device_check_lock(void);
enum { DEVICE_LOCK_CHECK_MS = 10 };

/* ---- system_files.c: paths are as a task gives them to openat(2) ---- */

/** Whether a path is /proc/PID/status or mounts, or that of a thread; then *descriptor is a file
 * with its content, which the caller closes, or -errno. */
bool task_file_open(pid_t caller, int directory, const char *path, int *descriptor);
/** statfs(2), or fstatfs(2) by an empty path. Returns false if it is on no file system of the
 * machine; else *@result is what the call returns. */
bool file_system_get(pid_t caller, int directory, const char *path, uint64_t address, long *result);

/* ---- placement.c: the CPUs and memory nodes of tasks ---- */

/** Returns false without memory. */
bool placements_begin(struct emulated *emulated);

/* The system calls of these names, made by a task. Return as those, errors as -errno. */
long get_affinity(pid_t caller, const __u64 *arguments);
long set_affinity(pid_t caller, const __u64 *arguments);
long get_memory_policy(pid_t caller, const __u64 *arguments);
long set_memory_policy(pid_t caller, const __u64 *arguments);
long bind_memory(pid_t caller, const __u64 *arguments);

/** Prints the lines of /proc/PID/status on CPUs and memory nodes. */
void print_placement(pid_t task, FILE *stream);

/* ---- tree.c: the files that the file system of programs has ---- */

/** What the machine has instead of the system, with all that is below, ended by NULL. It is called
 * by its index in the root of the file system, where only namespace.c looks. */
extern const char *const tree_owned[];

/** A path that programs have met. It is one node while the machine has the file. */
struct node {
	uint64_t hash;
	struct node *older; /* of the same bucket of hashes */
	bool gone;	    /* the file no longer exists; one of the same path is another node */
	struct fuse_attr attributes; /* as they were seen last */
	char path[];
};

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

/* ---- fuse.c ---- */

/** Answers the file system until it is gone. In a process of its own. */
void fuse_serve(struct launch *launch);

#endif
