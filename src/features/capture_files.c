/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernel's files in a capture: /proc/cpuinfo and single values of sysfs. */
#include "base/array.h"
#include "base/capture_format.h"
#include "common/memory_stream.h"
#include "features/capture.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/** Reads a file; *@text is NULL for one that is missing or empty, and for one that cannot be read,
 * which leaves a notice. */
static int read_text(struct capture *capture, const char *path, char **text)
{
	struct messages *messages = &capture->context->messages;
	int error = kernel_files_text(&capture->context->files, path, text);

	if (error)
		*text = NULL;
	if (error == -ENOMEM)
		return error;
	if (error && error != -ENOENT)
		message_notice(messages, "left out of the capture: %s", messages->error);
	if (*text && **text == '\0') {
		free(*text);
		*text = NULL;
	}
	return 0;
}

/* ---- Which CPUs there are ---- */

static int read_cpu_number(struct capture *capture, unsigned int cpu, const char *name,
			   unsigned int *number)
{
	char path[128];
	uint64_t value = 0;
	int error;

	snprintf(path, sizeof(path), CPU_DIRECTORY "/cpu%u/topology/%s", cpu, name);
	error = kernel_files_number(&capture->context->files, path, UINT32_MAX - 1, &value);
	*number = (unsigned int)value;
	return error == -ENOENT ? 0 : error;
}

/** The domain of a CPU, which is asked about it where it is the first one there. */
static int add_domain(struct capture *capture, unsigned int package, unsigned int die,
		      unsigned int cpu, size_t *index)
{
	for (size_t i = 0; i < capture->domain_count; i++) {
		if (capture->domains[i].package != package || capture->domains[i].die != die)
			continue;
		*index = i;
		return 0;
	}
	*index = capture->domain_count;
	if (ARRAY_GROW(capture->domains, capture->domain_count))
		return -ENOMEM;
	capture->domains[capture->domain_count++] = (struct capture_domain){ package, die, cpu };
	return 0;
}

int capture_cpus(struct capture *capture)
{
	struct kernel_files *files = &capture->context->files;
	unsigned int cpu, package, die;
	int error = kernel_files_new_cpulist(files, CPU_DIRECTORY "/online", &capture->online);

	if (!error)
		error = kernel_files_new_cpulist(files, CPU_DIRECTORY "/present",
						 &capture->present);
	if (!error && isst_cpuset_count(capture->online) == 0)
		error = message_error(&capture->context->messages, -EIO,
				      "%s/online contains no CPU", CPU_DIRECTORY);
	if (error)
		return error;
	capture->cpus = calloc(isst_cpuset_count(capture->online), sizeof(*capture->cpus));
	capture->domain_of = calloc(isst_cpuset_count(capture->online),
				    sizeof(*capture->domain_of));
	if (!capture->cpus || !capture->domain_of)
		return -ENOMEM;
	isst_cpuset_for_each (cpu, capture->online) {
		if (!error)
			error = read_cpu_number(capture, cpu, "physical_package_id", &package);
		if (!error)
			error = read_cpu_number(capture, cpu, "die_id", &die);
		if (!error)
			error = add_domain(capture, package, die, cpu,
					   &capture->domain_of[capture->cpu_count]);
		capture->cpus[capture->cpu_count++] = cpu;
	}
	return error;
}

/* ---- /proc/cpuinfo ---- */

/** Lines about identity and topology. */
static bool is_wanted(const char *line, size_t length)
{
	size_t key = 0;

	while (key < length && line[key] != ':')
		key++;
	while (key > 0 && strchr(" \t", line[key - 1]))
		key--;
	if (length == 0)
		return true; /* between two processors */
	for (unsigned int i = 0; i < CAPTURE_CPUINFO_KEYS; i++) {
		const char *wanted = capture_cpuinfo_keys[i];

		if (strlen(wanted) == key && memcmp(wanted, line, key) == 0)
			return true;
	}
	return false;
}

static int capture_cpuinfo(struct capture *capture)
{
	struct memory_stream kept;
	char *text;
	int error = kernel_files_text(&capture->context->files, "/proc/cpuinfo", &text);

	if (error == -ENOENT)
		error = message_error(&capture->context->messages, -EIO,
				      "/proc/cpuinfo is missing, but the kernel should provide it");
	if (error)
		return error;
	error = memory_stream_open(&kept);
	for (const char *line = text; !error && *line; line += *line == '\n') {
		size_t length = strcspn(line, "\n");

		if (is_wanted(line, length))
			fprintf(kept.stream, "%.*s\n", (int)length, line);
		line += length;
	}
	free(text);
	return error ? error : capture_keep_text(capture, &kept, CAPTURE_CPUINFO);
}

/* ---- sysfs ---- */

/** A file, and whether the kernel lets root write it. */
struct file_row {
	const char *name;
	bool writable;
};

#define ROWS(rows) (rows), sizeof(rows) / sizeof((rows)[0])

static const struct file_row machine_rows[] = {
	{ CPU_DIRECTORY "/possible", false },
	{ CPU_DIRECTORY "/present", false },
	{ CPU_DIRECTORY "/online", false },
	{ CPU_DIRECTORY "/smt/control", true },
	{ CPU_DIRECTORY "/smt/active", false },
	{ CPU_DIRECTORY "/intel_pstate/status", true },
	{ CPU_DIRECTORY "/intel_pstate/no_turbo", true },
	{ CPU_DIRECTORY "/intel_pstate/turbo_pct", false },
	{ CPU_DIRECTORY "/intel_pstate/num_pstates", false },
	{ CPU_DIRECTORY "/intel_pstate/max_perf_pct", true },
	{ CPU_DIRECTORY "/intel_pstate/min_perf_pct", true },
	{ CPU_DIRECTORY "/intel_pstate/hwp_dynamic_boost", true },
	{ "/sys/devices/system/node/online", false },
	{ "/proc/sys/kernel/osrelease", false },
};

static const struct file_row cpu_rows[] = {
	{ "online", true },
	{ "topology/physical_package_id", false },
	{ "topology/core_id", false },
	{ "topology/die_id", false },
	{ "topology/die_cpus_list", false },
	{ "cpufreq/base_frequency", false },
	{ "cpufreq/cpuinfo_min_freq", false },
	{ "cpufreq/cpuinfo_max_freq", false },
	{ "cpufreq/scaling_min_freq", true },
	{ "cpufreq/scaling_max_freq", true },
	{ "cpufreq/scaling_driver", false },
	{ "cpufreq/scaling_governor", true },
};

static const struct file_row uncore_rows[] = {
	{ "package_id", false },
	{ "domain_id", false },
	{ "fabric_cluster_id", false },
	{ "instance_id", false },
	{ "die_id", false },
	{ "agent_types", false },
	{ "max_freq_khz", true },
	{ "min_freq_khz", true },
	{ "initial_max_freq_khz", false },
	{ "initial_min_freq_khz", false },
	{ "current_freq_khz", false },
};

static const struct file_row node_rows[] = { { "cpulist", false } };

/** One line for each file that is there. */
static int capture_rows(struct capture *capture, FILE *stream, const char *directory,
			const struct file_row *rows, size_t count)
{
	int error = 0;

	for (size_t i = 0; i < count && !error; i++) {
		char *path, *text = NULL;

		if (asprintf(&path, "%s%s", directory, rows[i].name) < 0)
			return -ENOMEM;
		error = read_text(capture, path, &text);
		if (!error && text && !strchr(text, '\n'))
			capture_put_file(stream, rows[i].writable, path, text);
		free(text);
		free(path);
	}
	return error;
}

/** Directories below @parent that have the same files. */
struct directories {
	struct capture *capture;
	FILE *stream;
	const char *parent;
	const struct file_row *rows;
	size_t count;
};

static int capture_directory(void *data, const char *name)
{
	const struct directories *all = data;
	char *directory;
	int error;

	if (asprintf(&directory, "%s/%s/", all->parent, name) < 0)
		return -ENOMEM;
	error = capture_rows(all->capture, all->stream, directory, all->rows, all->count);
	free(directory);
	return error;
}

static int capture_sysfs(struct capture *capture, FILE *stream)
{
	struct directories uncore = { capture, stream, CPU_DIRECTORY "/intel_uncore_frequency",
				      ROWS(uncore_rows) };
	struct directories nodes = { capture, stream, "/sys/devices/system/node", ROWS(node_rows) };
	struct kernel_files *files = &capture->context->files;
	unsigned int cpu;
	int error = capture_rows(capture, stream, "", ROWS(machine_rows));

	isst_cpuset_for_each (cpu, capture->present) {
		char directory[64];

		snprintf(directory, sizeof(directory), CPU_DIRECTORY "/cpu%u/", cpu);
		if (!error)
			error = capture_rows(capture, stream, directory, ROWS(cpu_rows));
	}
	/* There may be no such driver, or no nodes. */
	if (!error)
		error = kernel_files_each(files, uncore.parent, "", capture_directory, &uncore);
	if (error != -ENOMEM)
		error = kernel_files_each(files, nodes.parent, "node", capture_directory, &nodes);
	return error == -ENOMEM ? error : 0;
}

int capture_kernel_files(struct capture *capture)
{
	struct memory_stream text;
	int error = capture_cpuinfo(capture);

	if (!error)
		error = memory_stream_open(&text);
	if (error)
		return error;
	fprintf(text.stream, "%c %s|path|value or %s|path|value, a line for each file\n",
		CAPTURE_COMMENT, capture_file_modes[false], capture_file_modes[true]);
	error = capture_sysfs(capture, text.stream);
	if (!error)
		return capture_keep_text(capture, &text, CAPTURE_FILES);
	memory_stream_drop(&text);
	return error;
}
