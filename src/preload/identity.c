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

INTERPOSED uid_t geteuid(void)
{
	const char *asked = secure_getenv(LAUNCH_USER);
	uint64_t user;

	if (!preload_machine || preload_inside() || !asked ||
	    isst_parse_number(asked, 10, UINT32_MAX - 1, &user))
		return REAL(geteuid)();
	return (uid_t)user;
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
