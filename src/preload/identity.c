/* SPDX-License-Identifier: BSD-3-Clause */
/* Who the program believes to be, on what kernel, and how many CPUs it believes to have. */
#include "preload/preload.h"

#include "emulator/front/launch.h"
#include "emulator/front/launch_files.h"
#include "isst.h"

#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

static void copy_part(char *part, size_t size, const char *text)
{
	snprintf(part, size, "%.*s", (int)strcspn(text, "\n"), text);
}

/** The kernel of the machine: what is also in two of its files. */
INTERPOSED int uname(struct utsname *name)
{
	int result = REAL(uname)(name);
	char *text, *build;

	if (result || !preload_begin())
		return result;
	text = launch_read(preload_machine, "/proc/sys/kernel/osrelease");
	if (text)
		copy_part(name->release, sizeof(name->release), text);
	free(text);
	text = launch_read(preload_machine, "/proc/version");
	build = text ? strchr(text, '#') : NULL;
	if (build)
		copy_part(name->version, sizeof(name->version), build);
	free(text);
	preload_end(true);
	return result;
}

/** Whether programs are to see another user, and which. The environment may be cleared later. */
static bool asked_for(uid_t *user)
{
	static enum { UNREAD, UNSET, SET } variable;
	static uint64_t number;

	/* Without a machine the environment need not be there yet. */
	if (!preload_machine)
		return false;
	if (variable == UNREAD) {
		const char *text = secure_getenv(LAUNCH_USER);

		variable = text && !isst_parse_number(text, 10, UINT32_MAX - 1, &number) ? SET
											 : UNSET;
	}
	*user = (uid_t)number;
	return variable == SET;
}

/** Whether an ordinary user is to be seen as another one. */
static bool asked_by_user(uid_t *user)
{
	return asked_for(user) && REAL(geteuid)() != 0;
}

/** As root, who has a group of the same number. */
static bool is_made_root(void)
{
	uid_t user;

	return asked_by_user(&user) && user == 0;
}

bool identity_is_root(void)
{
	return REAL(geteuid)() == 0 || is_made_root();
}

void identity_show_owner(uid_t *user, gid_t *group)
{
	uid_t seen;

	if (preload_inside() || !asked_by_user(&seen))
		return;
	if (*user == REAL(geteuid)())
		*user = seen;
	if (seen == 0 && *group == REAL(getegid)())
		*group = 0;
}

void identity_real_owner(uid_t *user, gid_t *group)
{
	uid_t seen;

	if (preload_inside() || !asked_by_user(&seen))
		return;
	if (*user == seen)
		*user = REAL(geteuid)();
	if (seen == 0 && *group == 0)
		*group = REAL(getegid)();
}

/* A program that is root by its effective user id alone, as one with set-user-ID, is distrusted by
 * shells: they go back to the other one. */

static uid_t user_seen(uid_t real)
{
	uid_t user;

	return !preload_inside() && asked_for(&user) ? user : real;
}

static gid_t group_seen(gid_t real)
{
	return !preload_inside() && is_made_root() ? 0 : real;
}

INTERPOSED uid_t geteuid(void)
{
	return user_seen(REAL(geteuid)());
}

INTERPOSED uid_t getuid(void)
{
	return user_seen(REAL(getuid)());
}

INTERPOSED gid_t getegid(void)
{
	return group_seen(REAL(getegid)());
}

INTERPOSED gid_t getgid(void)
{
	return group_seen(REAL(getgid)());
}

INTERPOSED int getresuid(uid_t *real, uid_t *effective, uid_t *saved)
{
	int result = REAL(getresuid)(real, effective, saved);

	if (!result) {
		*real = user_seen(*real);
		*effective = user_seen(*effective);
		*saved = user_seen(*saved);
	}
	return result;
}

INTERPOSED int getresgid(gid_t *real, gid_t *effective, gid_t *saved)
{
	int result = REAL(getresgid)(real, effective, saved);

	if (!result) {
		*real = group_seen(*real);
		*effective = group_seen(*effective);
		*saved = group_seen(*saved);
	}
	return result;
}

/** CPUs in a list of the kernel, or -1. */
static int count_cpus(const char *path)
{
	struct isst_cpuset *cpus;
	char *list;
	size_t size;
	int count = -1;

	if (!preload_begin())
		return -1;
	cpus = isst_cpuset_new();
	if (preload_machine->files->read(preload_machine->data, path, &list, &size) == 0) {
		list[strcspn(list, "\n")] = '\0';
		if (cpus && isst_cpuset_add_list(cpus, list, NULL) == 0)
			count = (int)isst_cpuset_count(cpus);
		free(list);
	}
	isst_cpuset_free(cpus);
	preload_end(true);
	return count;
}

INTERPOSED int get_nprocs(void)
{
	int count = count_cpus("/sys/devices/system/cpu/online");

	return count > 0 ? count : REAL(get_nprocs)();
}

INTERPOSED int get_nprocs_conf(void)
{
	int count = count_cpus("/sys/devices/system/cpu/present");

	return count > 0 ? count : REAL(get_nprocs_conf)();
}

INTERPOSED long sysconf(int name)
{
	if (name == _SC_NPROCESSORS_ONLN)
		return get_nprocs();
	if (name == _SC_NPROCESSORS_CONF)
		return get_nprocs_conf();
	return REAL(sysconf)(name);
}
