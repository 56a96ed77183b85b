/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What would change the real kernel where the program means the machine's: what is mounted on the
 * machine's files and elsewhere below /sys, and kernel modules. These calls are refused, with a
 * warning.
 */
#include "preload/kernel_changes.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/** Whether nothing may be mounted there. What a path of the system leads to is @found. */
static bool is_of_machine(int directory, const char *path)
{
	char found[PATH_MAX];

	if (path_begin(directory, &path, true, found)) {
		preload_end(true);
		return true;
	}
	return strncmp(found, "/sys", 4) == 0 && (found[4] == '\0' || found[4] == '/');
}

/** Returns whether the call is refused, with @result set and errno. */
static bool refuse_mount(int directory, const char *path, int *result)
{
	if (!is_of_machine(directory, path))
		return false;
	preload_warn("%s: mounts are not changed there: they would be those of the real machine",
		     path);
	*result = fail(EPERM);
	return true;
}

static bool refuse_module(int *result)
{
	if (!preload_machine || preload_inside())
		return false;
	preload_warn("modules are not loaded or removed: they would be those of the real kernel");
	*result = fail(EPERM);
	return true;
}

/* ---- Mounts ---- */

INTERPOSED int mount(const char *source, const char *target, const char *type, unsigned long flags,
		     const void *data)
{
	int result;

	return refuse_mount(AT_FDCWD, target, &result)
		       ? result
		       : REAL(mount)(source, target, type, flags, data);
}

INTERPOSED int umount(const char *target)
{
	int result;

	return refuse_mount(AT_FDCWD, target, &result) ? result : REAL(umount)(target);
}

INTERPOSED int umount2(const char *target, int flags)
{
	int result;

	return refuse_mount(AT_FDCWD, target, &result) ? result : REAL(umount2)(target, flags);
}

INTERPOSED int move_mount(int from, const char *from_path, int to, const char *to_path,
			  unsigned int flags)
{
	int result;

	return refuse_mount(to, to_path, &result)
		       ? result
		       : (int)REAL(syscall)(SYS_move_mount, from, from_path, to, to_path, flags);
}

INTERPOSED int mount_setattr(int directory, const char *path, unsigned int flags,
			     struct mount_attr *attributes, size_t size)
{
	int result;

	return refuse_mount(directory, path, &result)
		       ? result
		       : (int)REAL(syscall)(SYS_mount_setattr, directory, path, flags, attributes,
					    size);
}

/* ---- Modules ---- */

INTERPOSED int init_module(void *image, unsigned long size, const char *parameters)
{
	int result;

	return refuse_module(&result)
		       ? result
		       : (int)REAL(syscall)(SYS_init_module, image, size, parameters);
}

INTERPOSED int finit_module(int descriptor, const char *parameters, int flags)
{
	int result;

	return refuse_module(&result)
		       ? result
		       : (int)REAL(syscall)(SYS_finit_module, descriptor, parameters, flags);
}

INTERPOSED int delete_module(const char *name, unsigned int flags)
{
	int result;

	return refuse_module(&result) ? result : (int)REAL(syscall)(SYS_delete_module, name, flags);
}
