/* SPDX-License-Identifier: BSD-3-Clause */
/* Captures a machine for the emulator by any firmware interface. Nothing of it changes. */
#include "features/capture.h"
#include "base/array.h"
#include "base/machine.h"
#include "base/messages.h"
#include "driver/driver.h"
#include "isst-explain.h"

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
		message_notice(messages, of_machine(), "left out of the capture: %s",
			       messages->error);
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

static bool is_wanted(const char *line)
{
	size_t length = strcspn(line, "\t:\n");

	for (size_t i = 0; i < sizeof(cpuinfo_keys) / sizeof(*cpuinfo_keys); i++)
		if (strlen(cpuinfo_keys[i]) == length &&
		    strncmp(cpuinfo_keys[i], line, length) == 0)
			return true;
	return length == 0; /* between two processors */
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

		if (is_wanted(line))
			fprintf(kept.stream, "%.*s\n", (int)length, line);
		line += length;
	}
	free(text);
	return error ? error : capture_keep_text(capture, &kept, "proc/cpuinfo", 0);
}

/* ---- sysfs ---- */

/* Files in each directory whose name begins so, below a directory (NULL: of the machine): whether
 * the kernel lets root write one, and its name. */
static const struct rows {
	const char *parent, *begin, *files[16];
} rows[] = {
	{ NULL,
	  "",
	  { "ro" CPU_DIRECTORY "/possible", "ro" CPU_DIRECTORY "/present",
	    "ro" CPU_DIRECTORY "/online", "rw" CPU_DIRECTORY "/smt/control",
	    "ro" CPU_DIRECTORY "/smt/active", "rw" CPU_DIRECTORY "/intel_pstate/status",
	    "rw" CPU_DIRECTORY "/intel_pstate/no_turbo",
	    "ro" CPU_DIRECTORY "/intel_pstate/turbo_pct",
	    "ro" CPU_DIRECTORY "/intel_pstate/num_pstates",
	    "rw" CPU_DIRECTORY "/intel_pstate/max_perf_pct",
	    "rw" CPU_DIRECTORY "/intel_pstate/min_perf_pct",
	    "rw" CPU_DIRECTORY "/intel_pstate/hwp_dynamic_boost",
	    "ro/sys/devices/system/node/online", "ro/proc/sys/kernel/osrelease" } },
	{ CPU_DIRECTORY,
	  "cpu",
	  { "rwonline", "rotopology/physical_package_id", "rotopology/core_id", "rotopology/die_id",
	    "rotopology/die_cpus_list", "rocpufreq/base_frequency", "rocpufreq/cpuinfo_min_freq",
	    "rocpufreq/cpuinfo_max_freq", "rwcpufreq/scaling_min_freq",
	    "rwcpufreq/scaling_max_freq", "rocpufreq/scaling_driver",
	    "rwcpufreq/scaling_governor" } },
	{ CPU_DIRECTORY "/intel_uncore_frequency",
	  "",
	  { "ropackage_id", "rodomain_id", "rofabric_cluster_id", "roinstance_id", "rodie_id",
	    "roagent_types", "rwmax_freq_khz", "rwmin_freq_khz", "roinitial_max_freq_khz",
	    "roinitial_min_freq_khz", "rocurrent_freq_khz" } },
	{ "/sys/devices/system/node", "node", { "rocpulist" } },
};

/** Rows that are written. */
struct writing {
	struct capture *capture;
	FILE *stream;
	const struct rows *rows;
};

/** One line for each file that is there, in a directory of that name. */
static int capture_directory(void *data, const char *name)
{
	const struct writing *writing = data;
	const struct rows *set = writing->rows;
	const char *number = name + strlen(set->begin);
	int error = 0;

	/* cpu0, and not cpufreq */
	if (*set->begin && !(*number >= '0' && *number <= '9'))
		return 0;
	for (size_t i = 0;
	     i < sizeof(set->files) / sizeof(set->files[0]) && set->files[i] && !error; i++) {
		char *path, *text = NULL;

		if (asprintf(&path, "%s%s%s%s%s", set->parent ? set->parent : "",
			     set->parent ? "/" : "", name, set->parent ? "/" : "",
			     set->files[i] + 2) < 0)
			return -ENOMEM;
		error = read_text(writing->capture, path, &text);
		if (!error && text && !strchr(text, '\n'))
			fprintf(writing->stream, "%.2s|%s|%s\n", set->files[i], path, text);
		free(text);
		free(path);
	}
	return error;
}

static int capture_sysfs(struct capture *capture, FILE *stream)
{
	struct messages *messages = &capture->context->messages;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct writing writing = { capture, stream, &rows[i] };
		int error = rows[i].parent
				    ? kernel_files_each(&capture->context->files, rows[i].parent,
							rows[i].begin, capture_directory, &writing)
				    : capture_directory(&writing, "");

		if (error == -ENOMEM)
			return error;
		/* There may be no such driver, or no nodes. */
		if (error && error != -ENOENT)
			message_notice(messages, of_machine(), "left out of the capture: %s",
				       messages->error);
	}
	return 0;
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
