/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernel's view of the system: lists of CPUs, hotplug, registers, modules, processes, suspends,
 * RCU. */
#include "sysfs/system.h"
#include "base/cpuset.h"
#include "base/machine.h"
#include "base/messages.h"
#include "common/number.h"
#include "isst.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int cpu_lists_node(struct kernel_files *files, unsigned int node, struct isst_cpuset *cpus)
{
	return kernel_files_cpulist(
		files, kernel_files_path(files, "/sys/devices/system/node/node%u/cpulist", node),
		cpus);
}

/** Older kernels lack such files. */
static int add_where_present(struct kernel_files *files, const char *path, struct isst_cpuset *cpus)
{
	int error = kernel_files_cpulist(files, path, cpus);

	return error == -ENOENT ? 0 : error;
}

#define ISOLATED_AT_BOOT CPU_DIRECTORY "/isolated"
#define ISOLATED_PARTITIONS "/sys/fs/cgroup/cpuset.cpus.isolated"

int cpu_lists_isolated(struct kernel_files *files, struct isst_cpuset *cpus)
{
	int error = add_where_present(files, ISOLATED_AT_BOOT, cpus);

	return error ? error : add_where_present(files, ISOLATED_PARTITIONS, cpus);
}

int cpu_lists_partitioned(struct kernel_files *files, struct isst_cpuset *cpus)
{
	struct isst_cpuset *partitions = isst_cpuset_new(), *boot = isst_cpuset_new();
	int error = partitions && boot ? 0 : -ENOMEM;

	if (!error)
		error = add_where_present(files, ISOLATED_PARTITIONS, partitions);
	if (!error && isst_cpuset_count(partitions) > 0)
		error = add_where_present(files, ISOLATED_AT_BOOT, boot);
	if (!error)
		error = cpuset_add_except(cpus, partitions, boot);
	isst_cpuset_free(partitions);
	isst_cpuset_free(boot);
	return error;
}

int cpu_lists_module(struct kernel_files *files, unsigned int cpu, struct isst_cpuset *cpus)
{
	static const char PATH[] = CPU_DIRECTORY "/cpu%u/topology/%s";
	struct isst_cpuset *core = isst_cpuset_new();
	int error = core ? 0 : -ENOMEM;

	if (!error)
		error = kernel_files_cpulist(
			files, kernel_files_path(files, PATH, cpu, "cluster_cpus_list"), cpus);
	if (!error)
		error = kernel_files_cpulist(
			files, kernel_files_path(files, PATH, cpu, "thread_siblings_list"), core);
	/* Cores that share no cache have clusters of their own. */
	if (!error && isst_cpuset_count(cpus) <= isst_cpuset_count(core))
		error = -ENOENT;
	isst_cpuset_free(core);
	return error;
}

static const char NOHZ_FULL[] = CPU_DIRECTORY "/nohz_full";

int undisturbed_cpus(struct kernel_files *files, struct isst_cpuset *cpus)
{
	char *text;
	int error = cpu_lists_isolated(files, cpus);

	if (!error)
		error = kernel_files_text(files, NOHZ_FULL, &text);
	if (error)
		return error == -ENOENT ? 0 : error;
	/* Kernels without nohz_full print `(null)`, padded. */
	if (!strstr(text, "(null)") && isst_cpuset_add_list(cpus, text, NULL))
		error = message_error(files->messages, -EIO,
				      "%s: " CONTENT " is not a list of CPUs", NOHZ_FULL,
				      CONTENT_OF(text));
	free(text);
	return error;
}

const struct isst_cpuset *undisturbed_known(struct kernel_files *files)
{
	const char *before;

	if (files->undisturbed)
		return files->undisturbed;
	files->undisturbed = isst_cpuset_new();
	if (!files->undisturbed)
		return NULL;
	/* A message would look like the cause of the next failure. */
	before = message_begin(files->messages);
	(void)undisturbed_cpus(files, files->undisturbed);
	message_end(files->messages, before, 0);
	return files->undisturbed;
}

void undisturbed_forget(struct kernel_files *files)
{
	isst_cpuset_free(files->undisturbed);
	files->undisturbed = NULL;
}

int cpu_register_read(struct kernel_files *files, unsigned int cpu, uint32_t number,
		      uint64_t *value)
{
	struct isst_machine *machine = files->machine;
	char path[32];
	int error;

	if (!machine->files->read_register)
		return -ENOENT;
	snprintf(path, sizeof(path), "/dev/cpu/%u/msr", cpu);
	error = machine->files->read_register(machine->data, path, number, value);
	files->opened++;
	files->answer = error;
	switch (error) {
	case 0:
	case -ENOMEM:
		return error;
	case -ENOENT:
	case -ENXIO: /* the device is there, the CPU is not */
		return -ENOENT;
	case -EIO: /* the processor refused the access */
		return -EOPNOTSUPP;
	case -EACCES:
	case -EPERM:
		return message_error(files->messages, -EPERM, "%s may not be read: %s", path,
				     strerror(-error));
	default:
		return message_error(files->messages, -EIO, "%s: register %#x cannot be read: %s",
				     path, number, strerror(-error));
	}
}

int model_name_read(struct kernel_files *files, char **name)
{
	static const char KEY[] = "model name";
	char *text = NULL, *rest, *line;
	int error = kernel_files_text(files, "/proc/cpuinfo", &text);

	*name = NULL;
	if (error)
		return error == -ENOENT ? 0 : error;
	rest = text;
	do
		line = strsep(&rest, "\n");
	while (line && strncmp(line, KEY, sizeof(KEY) - 1) != 0);
	line = line ? strchr(line, ':') : NULL;
	if (line) {
		*name = strdup(line + 1 + strspn(line + 1, " \t"));
		error = *name ? 0 : -ENOMEM;
	}
	free(text);
	return error;
}

bool module_is_loaded(struct kernel_files *files, const char *name)
{
	const char *error = files->messages->error;
	char *state = NULL;
	/* While its devices are being bound it is "coming". */
	bool loaded = kernel_files_text(files,
					kernel_files_path(files, "/sys/module/%s/initstate", name),
					&state) == 0 &&
		      strcmp(state, "live") == 0;

	files->messages->error = error;
	free(state);
	return loaded;
}

/* ---- Processes ---- */

struct visit {
	struct kernel_files *files;
	int (*found)(void *data, unsigned int number, const char *name);
	void *data;
};

static int visit_process(void *data, const char *entry)
{
	const struct visit *visit = data;
	char *name = NULL;
	uint64_t number;
	int error;

	if (number_parse(entry, 10, INT_MAX, &number))
		return 0;
	error = kernel_files_text(visit->files,
				  kernel_files_path(visit->files, "/proc/%s/comm", entry), &name);
	if (error)
		/* It is gone, or may not be seen. */
		return error == -ENOMEM ? error : 0;
	error = visit->found(visit->data, (unsigned int)number, name);
	free(name);
	return error;
}

int processes_each(struct kernel_files *files,
		   int (*found)(void *data, unsigned int number, const char *name), void *data)
{
	struct visit visit = { files, found, data };

	return kernel_files_each(files, "/proc", "", visit_process, &visit);
}

/* ---- Suspends ---- */

enum { SHORTEST_MS = 2000 }; /* the process may sleep between readings of two clocks */

static int64_t clock_ms(clockid_t clock)
{
	struct timespec now;

	if (clock_gettime(clock, &now))
		return 0;
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

struct suspend_mark suspend_mark_now(struct kernel_files *files)
{
	const char *error = files->messages->error;
	struct suspend_mark mark = { 0 };

	if (kernel_files_number(files, RESUMES_FILE, UINT32_MAX, &mark.resumes))
		mark.resumes = 0;
	files->messages->error = error;
	if (!files->machine->name)
		mark.suspended_ms = clock_ms(CLOCK_BOOTTIME) - clock_ms(CLOCK_MONOTONIC);
	return mark;
}

bool suspend_marks_differ(const struct suspend_mark *before, const struct suspend_mark *now)
{
	return now->resumes > before->resumes ||
	       now->suspended_ms - before->suspended_ms >= SHORTEST_MS;
}

/* ---- RCU ---- */

static const char EXPEDITED[] = "/sys/kernel/rcu_expedited";
static const char NORMAL[] = "/sys/kernel/rcu_normal";

/** Any number but 0 means on. */
static int read_switch(struct kernel_files *files, const char *path, bool *on)
{
	char *text;
	int error = kernel_files_text(files, path, &text);

	if (error)
		return error;
	*on = strcmp(text, "0") != 0;
	free(text);
	return 0;
}

int rcu_read_expedited(struct kernel_files *files, bool *expedited)
{
	return read_switch(files, EXPEDITED, expedited);
}

int rcu_write_expedited(struct kernel_files *files, bool expedited)
{
	return kernel_files_write(files, EXPEDITED, expedited ? "1" : "0");
}

int rcu_may_expedite(struct kernel_files *files, bool *may)
{
	const char *before = message_begin(files->messages);
	struct isst_cpuset *undisturbed = isst_cpuset_new();
	bool expedited = true, normal = true;
	int error = undisturbed ? read_switch(files, EXPEDITED, &expedited) : -ENOMEM;

	if (!error)
		error = read_switch(files, NORMAL, &normal);
	if (!error && !expedited && !normal)
		error = undisturbed_cpus(files, undisturbed);
	*may = !error && !expedited && !normal && isst_cpuset_count(undisturbed) == 0;
	isst_cpuset_free(undisturbed);
	message_end(files->messages, before, 0);
	return error == -ENOMEM ? error : 0;
}

/* ---- CPUs that go on- and offline, and SMT ---- */

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
	if (online ? isst_cpuset_add(files->online, cpu, cpu)
		   : isst_cpuset_remove(files->online, cpu, cpu)) {
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
