/* SPDX-License-Identifier: BSD-3-Clause */
/* CPUs that go on- and offline, and SMT. */
#include "sysfs/hotplug.h"
#include "base/cpuset.h"
#include "isst.h"

#include <errno.h>
#include <string.h>

int hotplug_set_online(struct kernel_files *files, const struct isst_cpuset *online)
{
	struct isst_cpuset *copy = isst_cpuset_new();

	if (!copy || isst_cpuset_add_set(copy, online)) {
		isst_cpuset_free(copy);
		return -ENOMEM;
	}
	isst_cpuset_free(files->online);
	files->online = copy;
	return 0;
}

/** Without memory nothing is known any more, and each CPU's own file decides. */
static void note_online(struct kernel_files *files, unsigned int cpu, bool online)
{
	if (!files->online || online == isst_cpuset_has(files->online, cpu))
		return;
	if (online ? isst_cpuset_add(files->online, cpu, cpu) : cpuset_remove(files->online, cpu)) {
		isst_cpuset_free(files->online);
		files->online = NULL;
	}
}

bool hotplug_is_offline(struct kernel_files *files, unsigned int cpu)
{
	uint64_t online = 1;

	if (kernel_files_number(files, kernel_files_path(files, CPU_DIRECTORY "/cpu%u/online", cpu),
				1, &online))
		online = 1;
	note_online(files, cpu, online);
	return !online;
}

int hotplug_can_go_offline(struct kernel_files *files, unsigned int cpu)
{
	uint64_t online;
	int error = cpu == 0 ? kernel_files_number(files, CPU_DIRECTORY "/cpu0/online", 1, &online)
			     : 0;

	return error == -ENOMEM ? error : error != -ENOENT;
}

bool hotplug_smt_is_off(const char *control)
{
	return strcmp(control, "off") == 0 || strcmp(control, "forceoff") == 0;
}

int hotplug_smt_control(struct kernel_files *files, char **control)
{
	return kernel_files_text(files, SMT_CONTROL, control);
}

int hotplug_write(struct kernel_files *files, unsigned int cpu, bool online)
{
	const char *path = kernel_files_path(files, CPU_DIRECTORY "/cpu%u/online", cpu);
	int error = kernel_files_write_number(files, path, online);

	if (!error)
		note_online(files, cpu, online);
	return error;
}
