/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The kernel's files of each CPU: topology, cpufreq, online. Files
 * that say the same for a core, die or package are one file with a name for each CPU, so that a
 * change is written once. What an offline CPU does not show waits in the directory "hidden".
 */
#include "emulator/state/server.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CPU_DIRECTORY "root/sys/devices/system/cpu"

enum scope { SCOPE_CPU, SCOPE_CORE, SCOPE_DIE, SCOPE_PACKAGE, SCOPE_ALL };

static bool same_scope(const struct platform *platform, enum scope scope,
		       const struct platform_cpu *a, const struct platform_cpu *b)
{
	switch (scope) {
	case SCOPE_CPU:
		return a == b;
	case SCOPE_CORE:
		return a->core_id == b->core_id && same_scope(platform, SCOPE_DIE, a, b);
	case SCOPE_DIE:
		return platform->domains[a->domain].package ==
			       platform->domains[b->domain].package &&
		       platform->domains[a->domain].die == platform->domains[b->domain].die;
	case SCOPE_PACKAGE:
		return platform->domains[a->domain].package == platform->domains[b->domain].package;
	case SCOPE_ALL:
		break;
	}
	return true;
}

/** The CPU that a shared file is made for. */
static const struct platform_cpu *leader(const struct platform *platform, enum scope scope,
					 const struct platform_cpu *cpu)
{
	const struct platform_cpu *first = platform->cpus;

	while (!same_scope(platform, scope, first, cpu))
		first++;
	return first;
}

/** Where a directory of a CPU is, below the state directory. */
static char *cpu_path(bool hidden, const struct platform_cpu *cpu, const char *name)
{
	const char *format = hidden ? "hidden/cpu%u-%s" : CPU_DIRECTORY "/cpu%u/%s";
	char *path;

	return asprintf(&path, format, cpu->number, name) < 0 ? NULL : path;
}

/** A file of a CPU. */
struct cpu_file {
	const char *name;
	enum scope scope;
	enum content { SET_LIST, SET_MASK, NUMBER, TEXT } content;
	bool (*exists)(const struct platform *platform);
	unsigned int (*number)(const struct server *server, const struct platform_cpu *cpu);
	const char *(*text)(const struct platform *platform);
	const char *other_name_of; /* a file before it in the table */
	enum follows { FOLLOWS_NOTHING, FOLLOWS_LEVEL, FOLLOWS_LIMITS } follows;
};

static unsigned int package_id(const struct server *server, const struct platform_cpu *cpu)
{
	return server->platform->domains[cpu->domain].package;
}

static unsigned int die_id(const struct server *server, const struct platform_cpu *cpu)
{
	return server->platform->domains[cpu->domain].die;
}

static unsigned int core_id(const struct server *server, const struct platform_cpu *cpu)
{
	(void)server;
	return cpu->core_id;
}

static const char *driver_text(const struct platform *platform)
{
	return platform->cpufreq.text;
}

static const char *governor_text(const struct platform *platform)
{
	return platform->governor.text;
}

static bool has_die_files(const struct platform *platform)
{
	return platform->die_files.value;
}

/** acpi-cpufreq has no base_frequency, and intel_pstate only with HWP. */
static bool has_base_frequency(const struct platform *platform)
{
	return platform->hwp.value && strncmp(platform->cpufreq.text, "intel_", 6) == 0;
}

static const struct cpu_file topology_files[] = {
	{ "physical_package_id", SCOPE_PACKAGE, NUMBER, .number = package_id },
	{ "die_id", SCOPE_DIE, NUMBER, has_die_files, .number = die_id },
	{ "core_id", SCOPE_CORE, NUMBER, .number = core_id },
	{ "thread_siblings", SCOPE_CORE, .content = SET_MASK },
	{ "thread_siblings_list", SCOPE_CORE, .content = SET_LIST },
	{ "core_cpus", SCOPE_CORE, SET_MASK, has_die_files, .other_name_of = "thread_siblings" },
	{ "core_cpus_list", SCOPE_CORE, SET_LIST, has_die_files,
	  .other_name_of = "thread_siblings_list" },
	{ "die_cpus", SCOPE_DIE, SET_MASK, .exists = has_die_files },
	{ "die_cpus_list", SCOPE_DIE, SET_LIST, .exists = has_die_files },
	{ "core_siblings", SCOPE_PACKAGE, .content = SET_MASK },
	{ "core_siblings_list", SCOPE_PACKAGE, .content = SET_LIST },
	{ "package_cpus", SCOPE_PACKAGE, SET_MASK, has_die_files,
	  .other_name_of = "core_siblings" },
	{ "package_cpus_list", SCOPE_PACKAGE, SET_LIST, has_die_files,
	  .other_name_of = "core_siblings_list" },
	{ .name = NULL },
};

static const struct cpu_file cpufreq_files[] = {
	{ "base_frequency", SCOPE_CPU, NUMBER, has_base_frequency, .number = base_khz,
	  .follows = FOLLOWS_LEVEL },
	{ "cpuinfo_min_freq", SCOPE_ALL, NUMBER, .number = lowest_khz },
	{ "cpuinfo_max_freq", SCOPE_CPU, NUMBER, .number = highest_khz, .follows = FOLLOWS_LEVEL },
	{ "scaling_min_freq", SCOPE_CPU, NUMBER, .number = scaling_min_khz,
	  .follows = FOLLOWS_LIMITS },
	{ "scaling_max_freq", SCOPE_CPU, NUMBER, .number = scaling_max_khz,
	  .follows = FOLLOWS_LIMITS },
	/* One for all: it is of the CPU by which it is read, see tree_refresh_current(). */
	{ "scaling_cur_freq", SCOPE_ALL, NUMBER, .number = busy_khz },
	{ "scaling_driver", SCOPE_ALL, TEXT, .text = driver_text },
	/* One for all until it is written to: see tree_write_governor(). */
	{ "scaling_governor", SCOPE_ALL, TEXT, .text = governor_text },
	{ .name = NULL },
};

static const struct {
	const char *name;
	const struct cpu_file *files;
} cpu_directories[] = {
	{ "topology", topology_files },
	{ "cpufreq", cpufreq_files },
};

static bool has_directory(const struct platform *platform, size_t index)
{
	return cpu_directories[index].files != cpufreq_files ||
	       strcmp(platform->cpufreq.text, "none") != 0;
}

static int write_online_set(const struct server *server, int directory, const struct cpu_file *file,
			    const struct platform_cpu *cpu)
{
	const struct platform *platform = server->platform;
	struct isst_cpuset *set = isst_cpuset_new();
	char *content = NULL;
	int result = set ? 0 : -ENOMEM;

	for (size_t i = 0; i < platform->cpu_count && !result; i++) {
		const struct platform_cpu *other = &platform->cpus[i];

		if (same_scope(platform, file->scope, cpu, other) && cpu_online(server, other))
			result = isst_cpuset_add(set, other->number, other->number);
	}
	if (!result) {
		content = file->content == SET_LIST ? isst_cpuset_ranges(set)
						    : isst_cpuset_mask(set, platform->cpu_ids);
		result = content ? tree_write(directory, file->name, "%s\n", content) : -ENOMEM;
	}
	free(content);
	isst_cpuset_free(set);
	return result;
}

static int write_file(const struct server *server, int directory, const struct cpu_file *file,
		      const struct platform_cpu *cpu)
{
	switch (file->content) {
	case NUMBER:
		return tree_write(directory, file->name, "%u\n", file->number(server, cpu));
	case TEXT:
		return tree_write(directory, file->name, "%s\n", file->text(server->platform));
	case SET_LIST:
	case SET_MASK:
		break;
	}
	return write_online_set(server, directory, file, cpu);
}

/** Whether a directory goes when its CPU does; that of cpufreq stays: kernels since 5.19 answer
 * EBUSY to whoever reads it, and those before show what they showed. */
static bool goes_offline(const struct server *server, const char *name)
{
	return strcmp(name, "cpufreq") != 0 ||
	       server->platform->offline_cpufreq.value == OFFLINE_CPUFREQ_GONE;
}

static bool is_hidden(const struct server *server, const struct platform_cpu *cpu, const char *name)
{
	return !cpu_online(server, cpu) && goes_offline(server, name);
}

static int open_directory(const struct server *server, int directory,
			  const struct platform_cpu *cpu, const char *name)
{
	char *path = cpu_path(is_hidden(server, cpu, name), cpu, name);
	int opened;

	if (!path)
		return -ENOMEM;
	opened = openat(directory, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	free(path);
	return opened < 0 ? -errno : opened;
}

/* ---- Making them ---- */

/** Gives a file of @from's a name among the files of another CPU. */
static int link_file(const struct server *server, int directory, int to, const char *directory_name,
		     const char *name, const struct platform_cpu *from_cpu)
{
	int from = open_directory(server, directory, from_cpu, directory_name);
	int result = from < 0 ? from : 0;

	if (!result && linkat(from, name, to, name, 0))
		result = -errno;
	if (from >= 0)
		close(from);
	return result;
}

static int make_file(const struct server *server, int directory, int to, const char *directory_name,
		     const struct cpu_file *file, const struct platform_cpu *cpu)
{
	const struct platform_cpu *first = leader(server->platform, file->scope, cpu);

	if (file->other_name_of)
		return linkat(to, file->other_name_of, to, file->name, 0) ? -errno : 0;
	if (first == cpu)
		return write_file(server, to, file, cpu);
	return link_file(server, directory, to, directory_name, file->name, first);
}

static int make_files_of(struct server *server, int directory, const struct platform_cpu *cpu,
			 size_t index)
{
	const char *name = cpu_directories[index].name;
	int to = open_directory(server, directory, cpu, name);
	int result = to < 0 ? to : 0;

	for (const struct cpu_file *file = cpu_directories[index].files; file->name && !result;
	     file++)
		if (!file->exists || file->exists(server->platform))
			result = make_file(server, directory, to, name, file, cpu);
	if (to >= 0)
		close(to);
	return result;
}

static int make_directory(int directory, bool hidden, const struct platform_cpu *cpu,
			  const char *name)
{
	char *path = cpu_path(hidden, cpu, name);
	int result = 0;

	if (!path)
		return -ENOMEM;
	if (mkdirat(directory, path, 0755))
		result = -errno;
	free(path);
	return result;
}

static bool has_online_file(const struct server *server, const struct platform_cpu *cpu)
{
	return cpu->number != 0 || server->platform->cpu0_hotplug.value;
}

static int write_online_file(struct server *server, int directory, const struct platform_cpu *cpu)
{
	char *path;
	int result;

	if (!has_online_file(server, cpu))
		return 0;
	path = cpu_path(false, cpu, "online");
	if (!path)
		return -ENOMEM;
	result = tree_write(directory, path, "%d\n", cpu_online(server, cpu));
	free(path);
	return result;
}

static int make_cpu(struct server *server, int directory, const struct platform_cpu *cpu)
{
	int result = make_directory(directory, false, cpu, "");

	if (!result)
		result = write_online_file(server, directory, cpu);
	for (size_t i = 0; i < sizeof(cpu_directories) / sizeof(*cpu_directories) && !result; i++) {
		const char *name = cpu_directories[i].name;

		if (!has_directory(server->platform, i))
			continue;
		result = make_directory(directory, is_hidden(server, cpu, name), cpu, name);
		if (!result)
			result = make_files_of(server, directory, cpu, i);
	}
	return result;
}

int tree_make_cpus(struct server *server, int directory)
{
	int result = 0;

	for (size_t i = 0; i < server->platform->cpu_count && !result; i++)
		result = make_cpu(server, directory, &server->platform->cpus[i]);
	return result;
}

/* ---- Changing them ---- */

/** Does nothing where the directory has been moved already. */
static int move_directory(struct server *server, const struct platform_cpu *cpu, const char *name)
{
	bool online = cpu_online(server, cpu);
	char *from = cpu_path(online, cpu, name), *to = cpu_path(!online, cpu, name);
	int result = from && to ? 0 : -ENOMEM;

	if (!result && renameat(server->directory, from, server->directory, to) && errno != ENOENT)
		result = -errno;
	free(from);
	free(to);
	return result;
}

/** The sets that this CPU enters or leaves. */
static int write_sets(struct server *server, const struct platform_cpu *cpu)
{
	int to = open_directory(server, server->directory, cpu, "topology");
	int result = to < 0 ? to : 0;

	for (const struct cpu_file *file = topology_files; file->name && !result; file++)
		if ((file->content == SET_LIST || file->content == SET_MASK) &&
		    !file->other_name_of && (!file->exists || file->exists(server->platform)))
			result = write_online_set(server, to, file, cpu);
	if (to >= 0)
		close(to);
	return result;
}

int tree_move_cpu(struct server *server, const struct platform_cpu *cpu)
{
	int result = 0;

	for (size_t i = 0; i < sizeof(cpu_directories) / sizeof(*cpu_directories) && !result; i++)
		if (has_directory(server->platform, i) &&
		    goes_offline(server, cpu_directories[i].name))
			result = move_directory(server, cpu, cpu_directories[i].name);
	if (!result)
		result = write_sets(server, cpu);
	if (!result)
		result = write_online_file(server, server->directory, cpu);
	return result ? result : tree_write_online(server, server->directory);
}

/** Writes the files of a CPU that follow this and what depends on it. */
static int write_cpu_frequencies(struct server *server, const struct platform_cpu *cpu,
				 enum follows what)
{
	const struct platform *platform = server->platform;
	int to = open_directory(server, server->directory, cpu, "cpufreq");
	int result = to < 0 ? to : 0;

	for (const struct cpu_file *file = cpufreq_files; file->name && !result; file++)
		if (file->follows >= what && (!file->exists || file->exists(platform)))
			result = write_file(server, to, file, cpu);
	if (to >= 0)
		close(to);
	return result;
}

static bool has_cpufreq(const struct platform *platform)
{
	return strcmp(platform->cpufreq.text, "none") != 0;
}

int tree_write_frequencies(struct server *server, size_t domain)
{
	const struct platform *platform = server->platform;
	int result = 0;

	for (size_t i = 0; i < platform->cpu_count && has_cpufreq(platform) && !result; i++)
		if (platform->cpus[i].domain == domain)
			result = write_cpu_frequencies(server, &platform->cpus[i], FOLLOWS_LEVEL);
	return result;
}

int tree_write_limits(struct server *server, const struct platform_cpu *cpu)
{
	return write_cpu_frequencies(server, cpu, FOLLOWS_LIMITS);
}

int tree_refresh_current(const struct server *server, const char *path)
{
	static const char before[] = "/sys/devices/system/cpu/cpu";
	const struct platform_cpu *cpu;
	unsigned long number;
	char *end;

	if (strncmp(path, before, strlen(before)) != 0)
		return 0;
	number = strtoul(path + strlen(before), &end, 10);
	if (strcmp(end, "/cpufreq/scaling_cur_freq") != 0)
		return 0;
	cpu = platform_cpu(server->platform, (unsigned int)number);
	if (!cpu || !has_cpufreq(server->platform))
		return 0;
	return tree_write(server->root, path + 1, "%u\n", busy_khz(server, cpu));
}

/** Others go on sharing the file that this CPU had: its own takes the place of the name. */
int tree_write_governor(struct server *server, const struct platform_cpu *cpu, const char *governor)
{
	static const char made[] = "hidden/governor";
	char *path = cpu_path(is_hidden(server, cpu, "cpufreq"), cpu, "cpufreq/scaling_governor");
	int result = path ? 0 : -ENOMEM;

	if (!result)
		result = tree_write(server->directory, made, "%s\n", governor);
	if (!result && renameat(server->directory, made, server->directory, path))
		result = -errno;
	free(path);
	return result;
}
