/* SPDX-License-Identifier: BSD-3-Clause */
/* Who the program believes to be, and how many CPUs it believes to have. */
#include "preload/preload.h"

#include "emulator/launch.h"

#include <stdlib.h>
#include <sys/sysinfo.h>
#include <unistd.h>

INTERPOSED uid_t geteuid(void)
{
	const char *asked = secure_getenv(LAUNCH_USER);

	if (!preload_machine || preload_inside() || !asked)
		return REAL(geteuid)();
	return (uid_t)strtoul(asked, NULL, 10);
}

/** CPUs in a list of the kernel, or -1. */
static int count_cpus(const char *path)
{
	FILE *list = fopen(path, "re");
	int count = 0, first, last;

	if (!list)
		return -1;
	while (fscanf(list, "%d", &first) == 1) {
		count++;
		if (fscanf(list, "-%d", &last) == 1)
			count += last - first;
		if (fgetc(list) != ',')
			break;
	}
	fclose(list);
	return count;
}

INTERPOSED int get_nprocs(void)
{
	int count = preload_machine ? count_cpus("/sys/devices/system/cpu/online") : -1;

	return count > 0 ? count : REAL(get_nprocs)();
}

INTERPOSED int get_nprocs_conf(void)
{
	int count = preload_machine ? count_cpus("/sys/devices/system/cpu/present") : -1;

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
