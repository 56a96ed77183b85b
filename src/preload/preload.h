/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The preload library: functions of libc that lead a program onto the emulated machine. This header
 * is what its parts share; each function is made in the file that its group is named after.
 *
 * What a program has opened is recognised by the file itself and not by a table in memory, since
 * descriptors are duplicated, inherited and passed on: an emulated file is a memory file named
 * after its path, a directory is one below the state directory that stands for it, and the device
 * is the file there that programs beside these lock.
 */
#ifndef PRELOAD_PRELOAD_H
#define PRELOAD_PRELOAD_H

#include "base/machine.h"
#include "driver/abi.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <wordexp.h>

/* In place of libc's own. */
#define INTERPOSED __attribute__((visibility("default")))

/* real.c: what is behind our functions */

/** The function of this name behind ours. */
#define REAL(name) \
	({ \
		static __typeof__(&name) next_function; \
		if (!next_function) \
			next_function = (__typeof__(&name))preload_next(#name); \
		next_function; \
	})
void *preload_next(const char *name);

/** The same of one that is newer than glibc 2.28; NULL where the C library has none. */
void *preload_newer(const char *name);

/** Writes a message to standard error. */
void preload_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
/** The same, and ends the program: to go on would be to work on the real machine. */
void preload_fatal(const char *why) __attribute__((noreturn));

/** stat(2) in all its forms, past the machine: glibc before 2.33 exports none of them. */
int status_real(int directory, const char *path, struct stat *status, int flags);

/** What a call returns that fails; an error number, or a negative one. */
static inline int fail(int error)
{
	errno = error < 0 ? -error : error;
	return -1;
}

/* machine.c */

/** The machine of this process; NULL while there is none, as in programs that emulate by
 * themselves. */
extern struct isst_machine *preload_machine;

/** In a program with an emulator of its own, the machine of the script that started it, opened
 * now; NULL in others, and while it is opened. */
struct isst_machine *preload_machine_around(void);

/**
 * Begins a function that may have to do with the machine. Returns false where it has not, for the
 * emulator itself is at work, or there is no machine; then nothing is to be ended. What the
 * emulator opens until the end is kept away from the program's descriptors.
 */
bool preload_begin(void);
/** Ends it. @answered: the real function is not called. Keeps errno. */
void preload_end(bool answered);
/** Asks what needs no preload_begin(), and where the answer is true fills in @emulated, PATH_MAX
 * bytes. Keeps errno. */
bool preload_probe(bool (*probe)(int descriptor, char *emulated), int descriptor, char *emulated);
/** Whether the emulator is at work in this thread. */
bool preload_inside(void);

/* paths.c */

/* Of the names of memory files; and their size, which is the kernel's. */
#define MEMORY_FILE_PREFIX "isst:"
enum { MEMORY_FILE_NAME = 250 };

/** Whether the emulated machine has this file, or its own instead of it, by an absolute path
 * without dots. */
bool path_is_owned(const char *path);
/** What directories of the system show of the machine, one after the other up to NULL. */
const char *path_listed(size_t index);
/** Whether such a file is below a path. */
bool path_leads_to_owned(const char *path);
/**
 * Where a file is really kept: what Speed Select tools keep of a machine below /run is kept with
 * the emulated machine, for it is wrong on any other. @moved has PATH_MAX bytes. Returns that, or
 * @path.
 */
const char *path_moved(const char *path, char *moved);
/** Whether that is another one. */
bool path_is_moved(const char *path);
/** The path of a directory as the program sees it, PATH_MAX bytes. @changed: whether it is another
 * than the kernel's. Returns false where it has none. */
bool path_of_directory(int directory, char *seen, bool *changed);
/** Whether a link in /proc shows that its file has been removed. */
bool path_is_of_removed(const char *link);
/** What the link in /proc/self/fd contains. Returns its length or -1. */
ssize_t path_read_link(int descriptor, char *path);
/** The name below the state directory that stands for an emulated one, PATH_MAX bytes; whether it
 * has been made is not known here. Returns how long that is which stands for /, or 0 where the
 * whole is too long. */
size_t path_backing(const char *emulated, char *backing);
/** The emulated path of a path below the state directory; NULL: it is not there. */
const char *path_from_backing(const char *backing);
/** The number of an emulated file, st_ino, by its path alone. */
ino_t path_number(const char *emulated);
/** The name of the memory file that is to be an emulated file: its path, or a number by which a
 * longer one is kept in the state directory. Returns 0, or -1 and errno. */
int path_name_memory_file(const char *emulated, char name[MEMORY_FILE_NAME]);
/** Whether a link in /proc shows a memory file of ours, or what stands for the device, and which
 * file that is. */
bool path_of_link(const char *link, char *emulated);
/** The same, and whether it shows a directory that stands for another: what the program is to see
 * of it, PATH_MAX bytes. */
bool path_as_seen(const char *link, char *seen);
/** A path that the kernel refuses since it follows too many links, PATH_MAX bytes. */
bool path_of_circle(char *path);
/** Of a directory of the system, whether it is the one that has what path_moved() moves. */
bool path_is_run(const struct stat *status);
/** Before the device is opened: from here on what stands for it now is recognised. */
void path_find_device(void);
/** Whether a descriptor is an emulated file or device, and which. */
bool path_of_descriptor(int descriptor, char *emulated);
/** The same of a descriptor that is what stands for an emulated file, opened with O_PATH, or for a
 * directory. */
bool path_of_opened(int descriptor, char *emulated);
/** Whether a descriptor may be one: whether it looks like a memory file, or like what stands for
 * the device. Needs no preload_begin(). */
bool path_may_be_emulated(int descriptor);
/** /dev/isst_interface, and a device of MSRs, which is read and written by eight bytes. */
bool path_is_device(const char *emulated);
/** The device, or a path that goes on behind it, as if that were a directory. */
bool path_begins_with_device(const char *emulated);
bool path_is_msr(const char *emulated);
/** The status of the directory that stands for /. */
const struct stat *path_root_status(void);

/* unlimited.c */

/** What the emulator writes, by a system call, whatever limit the program has to the size of files.
 */
long unlimited_call(long number, long first, long second, long third, long fourth);

/* walk.c */

/**
 * Begins a function that is given a path, as preload_begin() does. Returns true where that leads to
 * the emulated machine; otherwise nothing is to be ended, and *@path is the one to be handed on.
 *
 * @follow: whether a link at the end is followed
 * @found: PATH_MAX bytes. The emulated path: absolute, without dots, without links but for the last
 * part; with a slash at the end if it would have to be a directory and is none. Otherwise the path
 * in the system, or empty; what cannot be followed becomes a path that the kernel refuses, with
 * ENAMETOOLONG or ELOOP
 */
bool path_begin(int directory, const char **path, bool follow, char *found);
/** Where preload_begin() returns false: in a program with an emulator of its own that a script
 * started, a path below /run becomes that of the script's machine: path_moved(). */
void path_move_around(int directory, const char **path, char *found);
/** The same as path_begin() between preload_begin() and preload_end(). */
bool path_find(int directory, const char **path, bool follow, char *found);

/* names.c */

/**
 * Makes the name that stands for an emulated file, PATH_MAX bytes. @list: of a directory also all
 * names that are in it now. Returns 0, or -1 and errno: ENOENT where the machine has none.
 */
int names_make(const char *emulated, bool list, char *backing);

/* files.c: opening and closing. changes.c shows nothing to the others */

/**
 * Opens an emulated file. Returns false where the path leads to none; then *@path is the one to be
 * handed on, for which @found has PATH_MAX bytes.
 *
 * @descriptor: set to -1, and errno, after an error
 */
bool file_open_emulated(int directory, const char **path, int flags, char *found, int *descriptor);
/** Whether that would open one, of the path that @found is filled in with. Opens nothing. */
bool file_is_emulated(int directory, const char **path, int flags, char *found);
/** Before a descriptor is closed without a call that could return an error: what was written behind
 * our back. */
void file_deliver_last(int descriptor);
/** The same of all that were opened here, at the end of the program. */
void file_deliver_all(void);

/* spawn_actions.c */

/** The directory that the child is in by the actions so far; AT_FDCWD: that of this process. */
int spawn_actions_directory(const posix_spawn_file_actions_t *actions);

/**
 * Before a child is made with such a list, which may be NULL: opens the emulated files that it is
 * to have. Returns 0, or an error number: then no child is to be made. Until spawn_actions_end() no
 * other thread makes one with emulated files.
 */
int spawn_actions_begin(const posix_spawn_file_actions_t *actions);
/** Afterwards, also after an error: closes them here. */
void spawn_actions_end(const posix_spawn_file_actions_t *actions);

/* programs.c */

/** As wordexp(3) of the C library, whose commands meet the machine. */
int preload_expand(const char *words, wordexp_t *expanded, int flags);

/* device.c */

/** Opens the machine's device, as for each descriptor that the program gets of it. Returns 0, or -1
 * and errno. */
int device_open(void);

/* contents.c: reading and writing */

/** Writes what an emulated file contains now to the memory file that stands for it. Returns 0, or
 * -1 and errno. */
int file_generate(int descriptor, const char *emulated);
/** The same, if it is a file that is read only, before it is read from the beginning again. Returns
 * whether it is. */
bool file_begin_again(int descriptor);
/**
 * Hands what was written behind our back (by stdio's own calls, or in the kernel) to the machine.
 * Returns 0, or -1 and errno.
 */
int file_deliver(int descriptor, const char *emulated);

/* user.c: memory of the program, whose addresses may be wrong. Each returns 0, or -1 and errno */

struct iovec;

int user_read(const void *from, void *to, size_t size);
int user_write(void *to, const void *from, size_t size);
/** All parts together; @parts itself can be read. */
int user_gather(const struct iovec *parts, int count, void *to, size_t size);
int user_scatter(const struct iovec *parts, int count, const void *from, size_t size);

/* status.c */

/** Which of the kernel's file systems an emulated path would be of, as statfs(2) names it. */
int status_file_system(const char *emulated);

/** Whether permissions let the owner, or root, do what is asked for (R_OK, W_OK, X_OK). */
bool status_permits(const struct stat *status, int wanted);

/** Whether a path without links is that of a file of the system that has lines of the machine. */
bool status_is_mixed(const char *path);
/** As lstat(2), of an emulated path; the device included. */
int status_get(const char *emulated, struct stat *status);

/* identity.c */

/** Whether the program is root, or is to be: --as-user 0. */
bool identity_is_root(void);
/** Who owns a file, as a program sees it: what is its user's is that of the one who it is to be. */
void identity_show_owner(uid_t *user, gid_t *group);
/** Whom it means by that. */
void identity_real_owner(uid_t *user, gid_t *group);

/* affinity.c */

struct isst_cpuset;

/** As sched_getaffinity(2), but that it returns 0 or an error number. */
int affinity_get(pid_t process, size_t size, cpu_set_t *mask);
/** Whether a mask has a CPU that a thread could run on. Returns 0, EINVAL or ENOMEM. */
int affinity_check(size_t size, const cpu_set_t *mask);
/** The variable of the environment by which programs inherit what was set; NULL: nothing was. */
const char *affinity_variable(void);
/** A list of the machine's; NULL where it cannot be had. */
struct isst_cpuset *affinity_read(const char *path);

/** How many bytes of a mask the system call fills in. */
size_t affinity_bytes(void);

/* memory_policy.c: system calls without a function in libc. Each returns false where the machine
 * has nothing to do with it; otherwise *@result is what syscall(2) returns. */

bool memory_policy_get(int *mode, unsigned long *mask, unsigned long bits, const void *address,
		       unsigned long flags, long *result);
bool memory_policy_set(int mode, const unsigned long *mask, unsigned long bits, long *result);
bool memory_policy_bind(const void *address, int mode, const unsigned long *mask,
			unsigned long bits, unsigned long flags, long *result);

/* process_status.c */

/** Whether a path without links is /proc/PID/status, or that of a thread below /proc/PID/task: some
 * of their lines are the machine's. */
bool process_status_is(const char *path);
/** Its content, to be freed. Returns 0 or a negative errno. */
int process_status_read(const char *path, char **content, size_t *size);

/* cpu_times.c */

/** Whether that is /proc/stat. */
bool cpu_times_is(const char *path);
/** Its content, to be freed. Returns 0 or a negative errno. */
int cpu_times_read(char **content, size_t *size);

#endif
