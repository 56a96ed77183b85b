/* SPDX-License-Identifier: BSD-3-Clause */
/* Captures a machine for the emulator by any firmware interface. Nothing of it changes. */
#include "features/capture.h"
#include "base/array.h"
#include "base/machine.h"
#include "base/messages.h"
#include "driver/driver.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/** Reads a file; *@text: NULL: missing, empty or, with a notice, not readable. */
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

static int capture_cpus(struct capture *capture)
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

/* Lines about identity and topology; those behind the core are for people. */
static const char *const cpuinfo_keys[] = { "processor",  "vendor_id", "cpu family",  "model",
					    "model name", "stepping",  "physical id", "core id",
					    "microcode",  "siblings",  "cpu cores",   "apicid" };

static bool is_wanted(const char *line, size_t length)
{
	size_t key = 0;

	while (key < length && line[key] != ':')
		key++;
	while (key > 0 && strchr(" \t", line[key - 1]))
		key--;
	if (length == 0)
		return true; /* between two processors */
	for (unsigned int i = 0; i < sizeof(cpuinfo_keys) / sizeof(*cpuinfo_keys); i++) {
		const char *wanted = cpuinfo_keys[i];

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
	return error ? error : capture_keep_text(capture, &kept, "proc/cpuinfo", 0);
}

/* ---- sysfs ---- */

/* Files: whether the kernel lets root write one, and its name. */
#define ROWS(rows) (rows), sizeof(rows) / sizeof((rows)[0])

static const char *const machine_rows[] = { "ro" CPU_DIRECTORY "/possible",
					    "ro" CPU_DIRECTORY "/present",
					    "ro" CPU_DIRECTORY "/online",
					    "rw" CPU_DIRECTORY "/smt/control",
					    "ro" CPU_DIRECTORY "/smt/active",
					    "rw" CPU_DIRECTORY "/intel_pstate/status",
					    "rw" CPU_DIRECTORY "/intel_pstate/no_turbo",
					    "ro" CPU_DIRECTORY "/intel_pstate/turbo_pct",
					    "ro" CPU_DIRECTORY "/intel_pstate/num_pstates",
					    "rw" CPU_DIRECTORY "/intel_pstate/max_perf_pct",
					    "rw" CPU_DIRECTORY "/intel_pstate/min_perf_pct",
					    "rw" CPU_DIRECTORY "/intel_pstate/hwp_dynamic_boost",
					    "ro/sys/devices/system/node/online",
					    "ro/proc/sys/kernel/osrelease" };

static const char *const cpu_rows[] = { "rwonline",
					"rotopology/physical_package_id",
					"rotopology/core_id",
					"rotopology/die_id",
					"rotopology/die_cpus_list",
					"rocpufreq/base_frequency",
					"rocpufreq/cpuinfo_min_freq",
					"rocpufreq/cpuinfo_max_freq",
					"rwcpufreq/scaling_min_freq",
					"rwcpufreq/scaling_max_freq",
					"rocpufreq/scaling_driver",
					"rwcpufreq/scaling_governor" };

static const char *const uncore_rows[] = {
	"ropackage_id",		  "rodomain_id",       "rofabric_cluster_id",
	"roinstance_id",	  "rodie_id",	       "roagent_types",
	"rwmax_freq_khz",	  "rwmin_freq_khz",    "roinitial_max_freq_khz",
	"roinitial_min_freq_khz", "rocurrent_freq_khz"
};

static const char *const node_rows[] = { "rocpulist" };

/** One line for each file that is there. */
static int capture_rows(struct capture *capture, FILE *stream, const char *directory,
			const char *const *rows, size_t count)
{
	int error = 0;

	for (size_t i = 0; i < count && !error; i++) {
		char *path, *text = NULL;

		if (asprintf(&path, "%s%s", directory, rows[i] + 2) < 0)
			return -ENOMEM;
		error = read_text(capture, path, &text);
		if (!error && text && !strchr(text, '\n'))
			fprintf(stream, "%.2s|%s|%s\n", rows[i], path, text);
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
	const char *const *rows;
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

static int capture_kernel_files(struct capture *capture)
{
	struct memory_stream text;
	int error = capture_cpuinfo(capture);

	if (!error)
		error = memory_stream_open(&text);
	if (error)
		return error;
	fputs("# ro|path|value or rw|path|value, a line for each file\n", text.stream);
	error = capture_sysfs(capture, text.stream);
	return capture_keep_text(capture, &text, "sys/inlinefiles.txt", error);
}

/* ---- All of it ---- */

static int write_capture(struct isst_context *context, const char *directory, unsigned int flags)
{
	static int (*const PARTS[])(struct capture *) = {
		capture_cpus,	   capture_driver,  capture_kernel_files,
		capture_registers, capture_answers, capture_msrs,
	};
	struct capture capture = { .context = context, .directory = directory, .descriptor = -1 };
	int error;

	if (!directory || flags)
		return message_error(&context->messages, -EINVAL, "%s",
				     directory ? "a capture has no flags"
					       : "no directory was given");
	if (context->topology)
		return message_error(&context->messages, -EINVAL,
				     "the machine has already been discovered; capture it before "
				     "the discovery");
	error = capture_open_directory(&capture);
	for (size_t i = 0; i < sizeof(PARTS) / sizeof(PARTS[0]) && !error; i++)
		error = PARTS[i](&capture);
	driver_close(&context->driver);
	if (!error)
		error = capture_write(&capture);
	for (size_t i = 0; i < capture.file_count; i++) {
		free(capture.files[i].path);
		free(capture.files[i].content);
	}
	free(capture.files);
	isst_cpuset_free(capture.online);
	isst_cpuset_free(capture.present);
	free(capture.cpus);
	free(capture.domain_of);
	free(capture.domains);
	free(capture.maps);
	free(capture.map_errors);
	if (capture.descriptor >= 0)
		close(capture.descriptor);
	return error;
}

int isst_capture(struct isst_context *context, const char *directory, unsigned int flags)
{
	const char *before;

	if (!context)
		return -EINVAL;
	before = message_begin(&context->messages);
	return message_end(&context->messages, before, write_capture(context, directory, flags));
}
