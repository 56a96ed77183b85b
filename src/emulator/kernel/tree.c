/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The kernel's files of the machine as a whole: lists of CPUs, intel_pstate, /proc/cpuinfo. Those
 * of single CPUs are made in cpu_files.c; how files answer writes is not known here.
 */
#include "emulator/capture/recording.h"
#include "emulator/state/server.h"
#include "emulator/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define CPU_DIRECTORY "root/sys/devices/system/cpu"
#define SMT_DIRECTORY "root/sys/devices/system/cpu/smt"

/** Replaces the content without ever showing an empty file. */
static int replace(int file, const char *content, size_t size)
{
	struct stat status;

	for (size_t done = 0; done < size;) {
		ssize_t length = pwrite(file, content + done, size - done, (off_t)done);

		if (length < 0 && errno == EINTR)
			continue;
		if (length < 0)
			return -errno;
		done += (size_t)length;
	}
	if (fstat(file, &status))
		return -errno;
	return status.st_size > (off_t)size && ftruncate(file, (off_t)size) ? -errno : 0;
}

int tree_write(int directory, const char *path, const char *format, ...)
{
	int file = openat(directory, path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC,
			  0644);
	char *content;
	va_list arguments;
	int length, result;

	if (file < 0)
		return -errno;
	va_start(arguments, format);
	length = vasprintf(&content, format, arguments);
	va_end(arguments);
	if (length < 0) {
		close(file);
		return -ENOMEM;
	}
	result = replace(file, content, (size_t)length);
	close(file);
	free(content);
	return result;
}

int tree_make_parents(int directory, char *path)
{
	int result = 0;

	for (char *slash = strchr(path, '/'); slash && !result; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdirat(directory, path, 0755) && errno != EEXIST)
			result = -errno;
		*slash = '/';
	}
	return result;
}

int tree_write_set(int directory, const char *path, const struct isst_cpuset *set)
{
	char *list = isst_cpuset_ranges(set);
	int result;

	if (!list)
		return -ENOMEM;
	result = tree_write(directory, path, "%s\n", list);
	free(list);
	return result;
}

/** Adds those CPUs among all that fulfil the condition. */
static int collect(const struct server *server, bool online, struct isst_cpuset *set)
{
	const struct platform *platform = server->platform;
	unsigned int cpu;
	int result = 0;

	isst_cpuset_for_each (cpu, platform->possible.set) {
		const struct platform_cpu *present = platform_cpu(platform, cpu);

		if ((present && cpu_online(server, present)) == online && !result)
			result = isst_cpuset_add(set, cpu, cpu);
	}
	return result;
}

static int write_online_list(struct server *server, int directory, bool online)
{
	struct isst_cpuset *set = isst_cpuset_new();
	int result = set ? collect(server, online, set) : -ENOMEM;

	if (!result)
		result = tree_write_set(directory,
					online ? CPU_DIRECTORY "/online" : CPU_DIRECTORY "/offline",
					set);
	isst_cpuset_free(set);
	return result;
}

static int write_present(struct server *server, int directory)
{
	struct isst_cpuset *set = isst_cpuset_new();
	int result = set ? 0 : -ENOMEM;

	for (size_t i = 0; i < server->platform->cpu_count && !result; i++) {
		unsigned int cpu = server->platform->cpus[i].number;

		result = isst_cpuset_add(set, cpu, cpu);
	}
	if (!result)
		result = tree_write_set(directory, CPU_DIRECTORY "/present", set);
	isst_cpuset_free(set);
	return result;
}

/** Threads of the CPU's package that are online, and cores among them. */
static void count_package(const struct server *server, unsigned int package, unsigned int *threads,
			  unsigned int *cores)
{
	const struct platform *platform = server->platform;

	*threads = *cores = 0;
	for (size_t i = 0; i < platform->cpu_count; i++) {
		const struct platform_cpu *cpu = &platform->cpus[i];

		if (platform->domains[cpu->domain].package != package)
			continue;
		*threads += cpu_online(server, cpu);
		*cores += cpu->first_of_core;
	}
}

static int write_cpuinfo(struct server *server, int directory)
{
	const struct platform *platform = server->platform;
	unsigned int package = UINT32_MAX, threads = 0, cores = 0;
	struct text text;
	char *content;
	int result;

	if (!text_open(&text))
		return -ENOMEM;
	for (size_t i = 0; i < platform->cpu_count; i++) {
		const struct platform_cpu *cpu = &platform->cpus[i];

		if (!cpu_online(server, cpu))
			continue;
		if (platform->domains[cpu->domain].package != package) {
			package = platform->domains[cpu->domain].package;
			count_package(server, package, &threads, &cores);
		}
		fprintf(text.stream,
			"processor\t: %u\nvendor_id\t: %s\ncpu family\t: %u\nmodel\t\t: %u\n"
			"model name\t: %s\nstepping\t: %u\nphysical id\t: %u\nsiblings\t: %u\n"
			"core id\t\t: %u\ncpu cores\t: %u\n\n",
			cpu->number, platform->vendor.text, platform->family.value,
			platform->model.value, platform->model_name.text, platform->stepping.value,
			package, threads, cpu->core_id, cores);
	}
	content = text_close(&text);
	if (!content)
		return -ENOMEM;
	result = tree_write(directory, "root/proc/cpuinfo", "%s", content);
	free(content);
	return result;
}

/** Whether two threads of a core are online. */
static bool smt_is_active(const struct server *server)
{
	const struct platform *platform = server->platform;

	for (size_t i = 0; i < platform->cpu_count; i++)
		if (!platform->cpus[i].first_of_core && cpu_online(server, &platform->cpus[i]))
			return true;
	return false;
}

int tree_write_smt(struct server *server, int directory)
{
	int result = tree_write(directory, SMT_DIRECTORY "/control", "%s\n",
				smt_controls[server->state->smt]);

	return result ? result
		      : tree_write(directory, SMT_DIRECTORY "/active", "%d\n",
				   smt_is_active(server));
}

int tree_write_online(struct server *server, int directory)
{
	int result = write_online_list(server, directory, true);

	if (!result)
		result = write_online_list(server, directory, false);
	if (!result)
		result = nodes_write(server, directory);
	if (!result)
		result = tree_write_smt(server, directory);
	return result ? result : write_cpuinfo(server, directory);
}

static int make_directories(int directory)
{
	static const char *const names[] = {
		"hidden",
		"root",
		"root/proc",
		"root/proc/sys",
		"root/proc/sys/kernel",
		"root/proc/sys/kernel/random",
		"root/sys",
		"root/sys/devices",
		"root/sys/devices/system",
		CPU_DIRECTORY,
		SMT_DIRECTORY,
		"root/sys/fs",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (mkdirat(directory, names[i], 0755))
			return -errno;
	return 0;
}

static bool has_pstate(const struct platform *platform)
{
	return strcmp(platform->pstate.text, "none") != 0;
}

static int write_no_turbo(const struct server *server, int directory)
{
	return tree_write(directory, CPU_DIRECTORY "/intel_pstate/no_turbo", "%u\n",
			  server->state->no_turbo);
}

/** What intel_pstate works out of the frequencies of the first CPU, as it was recorded. */
static int make_pstate_facts(const struct server *server, int directory)
{
	const struct platform_cpu *cpu = server->platform->cpus;
	const struct level_facts facts = level_facts(server, cpu->domain);
	unsigned int least = lowest_khz(server, cpu) / 100000, most = facts.highest_mhz / 100;
	unsigned int base = facts.base_mhz / 100, states = most >= least ? most - least + 1 : 1;
	const struct {
		const char *name;
		unsigned int value;
	} files[] = {
		{ "hwp_dynamic_boost", 1 },
		{ "max_perf_pct", 100 },
		{ "min_perf_pct", most ? least * 100 / most : 0 },
		{ "num_pstates", states },
		/* The kernel's fixed-point division keeps 8 bits. */
		{ "turbo_pct",
		  base >= least ? 100 - (base - least + 1) * 256 / states * 100 / 256 : 0 },
	};
	char path[128];
	int result = 0;

	for (size_t i = 0; i < sizeof(files) / sizeof(*files) && !result; i++) {
		snprintf(path, sizeof(path), CPU_DIRECTORY "/intel_pstate/%s", files[i].name);
		result = tree_write(directory, path, "%u\n", files[i].value);
	}
	return result;
}

static int make_pstate(const struct server *server, int directory)
{
	int result;

	if (!has_pstate(server->platform))
		return 0;
	if (mkdirat(directory, CPU_DIRECTORY "/intel_pstate", 0755))
		return -errno;
	result = tree_write(directory, CPU_DIRECTORY "/intel_pstate/status", "%s\n",
			    server->platform->pstate.text);
	if (!result)
		result = write_no_turbo(server, directory);
	return result || !platform_is_tpmi(server->platform) ? result
							     : make_pstate_facts(server, directory);
}

int tree_write_turbo(struct server *server)
{
	int result = has_pstate(server->platform) ? write_no_turbo(server, server->directory) : 0;

	for (size_t i = 0; i < server->platform->domain_count && !result; i++)
		result = tree_write_frequencies(server, i);
	return result;
}

int tree_write_domain(struct server *server, size_t domain)
{
	int result = tree_write_frequencies(server, domain);

	return result ? result : uncore_write(server, domain);
}

/** A new number for each boot; making the machine, or resetting it, is one. */
static int make_boot_id(int directory)
{
	unsigned char id[16];

	if (getrandom(id, sizeof(id), 0) != (ssize_t)sizeof(id))
		return -EIO;
	return tree_write(directory, "root/proc/sys/kernel/random/boot_id",
			  "%02x%02x%02x%02x-%02x%02x-4%x%02x-a%x%02x-%02x%02x%02x%02x%02x%02x\n",
			  id[0], id[1], id[2], id[3], id[4], id[5], id[6] & 0xf, id[7], id[8] & 0xf,
			  id[9], id[10], id[11], id[12], id[13], id[14], id[15]);
}

int tree_make(struct server *server, int directory)
{
	int result = make_directories(directory);

	if (!result)
		result = nodes_make(server, directory);
	if (!result)
		result = tree_write_set(directory, CPU_DIRECTORY "/possible",
					server->platform->possible.set);
	if (!result)
		result = write_present(server, directory);
	if (!result)
		result = tree_write(directory, CPU_DIRECTORY "/kernel_max", "%u\n", MOST_CPUS - 1);
	if (!result)
		result = tree_write_online(server, directory);
	if (!result)
		result = make_boot_id(directory);
	if (!result)
		result = tree_write(directory, "root/proc/sys/kernel/osrelease", "%u.%u.0\n",
				    server->platform->kernel.value / 1000,
				    server->platform->kernel.value % 1000);
	if (!result)
		result = make_pstate(server, directory);
	if (!result)
		result = uncore_make(server, directory);
	if (!result)
		result = groups_make(server, directory);
	if (!result)
		result = tree_make_cpus(server, directory);
	if (!result)
		result = nodes_make_links(server, directory);
	if (!result)
		result = debugfs_make(server, directory);
	return result ? result : recorded_make_files(server, directory);
}
