/* SPDX-License-Identifier: BSD-3-Clause */
/* Where programs cannot be run on an emulated machine, and what helps. */
#include "emulator/launch/launch.h"
#include "emulator/model/text.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define IN_CONTAINER "in a container, start it with --device /dev/fuse --cap-add SYS_ADMIN"
#define UNCONFINED " --security-opt apparmor=unconfined"
#define USER_NAMESPACES "kernel.unprivileged_userns_clone"
#define RESTRICTION "kernel.apparmor_restrict_unprivileged_userns"

/** Reads a number of /proc/sys; -1 if there is none. */
static int read_setting(const char *path)
{
	char *text = NULL;
	size_t size;
	int value = text_read(AT_FDCWD, path, &text, &size) ? -1 : (int)strtol(text, NULL, 10);

	free(text);
	return value;
}

/** Whether this is a container, or a service, that takes the right to mount from root. */
static bool is_contained(void)
{
	return prctl(PR_CAPBSET_READ, CAP_SYS_ADMIN, 0, 0, 0) == 0 ||
	       prctl(PR_GET_SECCOMP, 0, 0, 0, 0) > 0;
}

/** Whether a profile of AppArmor is in effect, as Docker has one. */
static bool has_profile(void)
{
	char *profile = NULL;
	size_t size;
	bool found = text_read(AT_FDCWD, "/proc/self/attr/apparmor/current", &profile, &size) ==
			     0 &&
		     *profile && strncmp(profile, "unconfined", 10) != 0;

	free(profile);
	return found;
}

/** What forbids namespaces and mounts; NULL: not known. */
static const char *help_with_namespaces(void)
{
	if (is_contained())
		return has_profile() ? IN_CONTAINER UNCONFINED : IN_CONTAINER;
	if (read_setting("/proc/sys/user/max_user_namespaces") == 0)
		return "set sysctl user.max_user_namespaces to 1000 or so";
	if (geteuid() == 0)
		return NULL;
	if (read_setting("/proc/sys/kernel/unprivileged_userns_clone") == 0)
		return "run it as root, or set sysctl " USER_NAMESPACES "=1";
	if (read_setting("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") == 1)
		return "run it as root, install its AppArmor profile, or set sysctl " RESTRICTION
		       "=0";
	return "run it as root";
}

static const char *help_with_fuse(int result)
{
	if (result == -EPERM || is_contained())
		return help_with_namespaces() ? help_with_namespaces() : IN_CONTAINER;
	if (result == -EACCES)
		return "run it as root, or allow users to use it: chmod 666 /dev/fuse";
	return "load the kernel module fuse";
}

int requirement_missing(const char *what, int result, char **error)
{
	const char *help = help_with_namespaces();

	if (strcmp(what, NO_FUSE_DEVICE) == 0)
		help = help_with_fuse(result);
	else if (strcmp(what, NO_NOTIFICATION) == 0)
		help = result == -EBUSY ? "start it outside of what seccomp supervises already"
					: "Linux 5.14 or newer is required";
	if (result == -ENOMEM || strcmp(what, NO_SERVER) == 0)
		help = NULL;
	return set_error(error, help ? -EOPNOTSUPP : result,
			 "Cannot run programs on an emulated machine: %s: %s%s%s", what,
			 strerror(-result), help ? "; " : "", help ? help : "");
}

int requirements_check(char **error)
{
	struct stat status;

	if (stat(tree_owned[0], &status) == 0 && status.st_ino == tree_inode(tree_owned[0]))
		return set_error(error, -EOPNOTSUPP,
				 "Cannot run programs on an emulated machine: this is one already");
	if (access("/dev/fuse", R_OK | W_OK))
		return requirement_missing(NO_FUSE_DEVICE, -errno, error);
	/* Yama: no process may access the memory of another one. */
	if (read_setting("/proc/sys/kernel/yama/ptrace_scope") == 3)
		return set_error(
			error, -EOPNOTSUPP,
			"Cannot run programs on an emulated machine: the memory of "
			"programs cannot be read; set sysctl kernel.yama.ptrace_scope to 2 "
			"or less at boot");
	return 0;
}
