/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernel's limits of a CPU's frequency, and its switch. */
#include "sysfs/cpufreq.h"
#include "base/cpuset.h"
#include "isst.h"
#include "sysfs/system.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BUSY_TRIES = 20, BUSY_PAUSE_MS = 10 }; /* while another CPU goes on- or offline */
enum { RANGE_TRIES = 5 };

static const char *const SCALING_FILES[] = { "scaling_min_freq", "scaling_max_freq" };
static const char *const PROCESSOR_FILES[] = { "cpuinfo_min_freq", "cpuinfo_max_freq" };

/** Kernels keep the cpufreq directory of an offline CPU: since 5.19 its files are busy, before
 * writes are invalid. Both mean absent. */
static int absent_while_offline(struct kernel_files *files, unsigned int cpu, int error)
{
	int answer = files->answer;
	bool refused = answer == -EBUSY || answer == -EINVAL;

	if (error == -EIO && refused && hotplug_is_offline(files, cpu))
		return -ENOENT;
	files->answer = answer;
	return error;
}

static const char *cpufreq_path(struct kernel_files *files, unsigned int cpu, const char *name)
{
	return kernel_files_path(files, CPU_DIRECTORY "/cpu%u/cpufreq/%s", cpu, name);
}

int cpufreq_read(struct kernel_files *files, unsigned int cpu, const char *name, uint64_t *khz)
{
	/* Kernels before 5.19 show limits of an offline CPU as if it were online. */
	if (files->online && !isst_cpuset_has(files->online, cpu) && hotplug_is_offline(files, cpu))
		return -ENOENT;
	return absent_while_offline(
		files, cpu,
		kernel_files_number(files, cpufreq_path(files, cpu, name), UINT32_MAX, khz));
}

int cpufreq_read_word(struct kernel_files *files, unsigned int cpu, const char *name, char **word)
{
	enum { MOST = 64 };
	int error;

	*word = NULL;
	error = kernel_files_text(files, cpufreq_path(files, cpu, name), word);
	if (!error && strlen(*word) > MOST)
		(*word)[MOST] = '\0';
	return error;
}

/** A limit without effect equals the processor's. After a level change the kernel moves both, maybe
 * between two reads: so an apparent limit is read again. */
int cpufreq_read_limit_of(struct kernel_files *files, unsigned int cpu, enum cpufreq_limit limit,
			  uint64_t *khz, uint64_t *processor)
{
	uint64_t before = UINT64_MAX;
	int error = cpufreq_read(files, cpu, SCALING_FILES[limit], khz);

	*processor = 0;
	for (unsigned int i = 0; i < RANGE_TRIES && !error && *khz != before; i++) {
		before = *khz;
		error = cpufreq_read(files, cpu, PROCESSOR_FILES[limit], processor);
		if (!error && cpufreq_is_tighter(limit, *khz, *processor))
			error = cpufreq_read(files, cpu, SCALING_FILES[limit], khz);
	}
	if (!error && !cpufreq_is_tighter(limit, *khz, *processor))
		*khz = cpufreq_no_limit(limit);
	return error;
}

int cpufreq_read_limit(struct kernel_files *files, unsigned int cpu, enum cpufreq_limit limit,
		       uint64_t *khz)
{
	uint64_t processor;

	return cpufreq_read_limit_of(files, cpu, limit, khz, &processor);
}

int cpufreq_clamp(struct kernel_files *files, unsigned int cpu, enum cpufreq_limit limit,
		  uint64_t written, uint64_t *khz)
{
	uint64_t lowest, highest;
	int error = cpufreq_read(files, cpu, PROCESSOR_FILES[CPUFREQ_MIN], &lowest);

	if (!error)
		error = cpufreq_read(files, cpu, PROCESSOR_FILES[CPUFREQ_MAX], &highest);
	if (error)
		return error;
	*khz = written < lowest ? lowest : written > highest ? highest : written;
	if (limit == CPUFREQ_MAX && *khz == highest)
		*khz = CPUFREQ_NO_LIMIT;
	if (limit == CPUFREQ_MIN && *khz == lowest)
		*khz = 0;
	return 0;
}

int cpufreq_hides_limit(struct kernel_files *files, unsigned int cpu, enum turbo_state turbo,
			bool *hidden)
{
	uint64_t base_khz = 0, highest_khz = 0;
	int error;

	*hidden = false;
	if (turbo != TURBO_OFF)
		return 0;
	error = cpufreq_read(files, cpu, "base_frequency", &base_khz);
	if (!error)
		error = cpufreq_read(files, cpu, PROCESSOR_FILES[CPUFREQ_MAX], &highest_khz);
	*hidden = !error && highest_khz <= base_khz;
	return error == -ENOENT ? 0 : error;
}

static int write_limit(struct kernel_files *files, unsigned int cpu, enum cpufreq_limit limit,
		       uint64_t khz)
{
	const char *path = cpufreq_path(files, cpu, SCALING_FILES[limit]);

	return absent_while_offline(files, cpu, kernel_files_write_number(files, path, khz));
}

/** Before 6.0 the files of all CPUs are busy while any CPU goes on- or offline. */
int cpufreq_write_limit(struct kernel_files *files, unsigned int cpu, enum cpufreq_limit limit,
			uint64_t khz)
{
	struct timespec pause = { .tv_nsec = BUSY_PAUSE_MS * 1000000L };
	int error = write_limit(files, cpu, limit, khz);

	for (unsigned int tries = 1; tries < BUSY_TRIES && error == -EIO && files->answer == -EBUSY;
	     tries++) {
		nanosleep(&pause, NULL);
		error = write_limit(files, cpu, limit, khz);
	}
	return error;
}

bool cpufreq_is_tighter(enum cpufreq_limit limit, uint64_t khz, uint64_t than)
{
	return limit == CPUFREQ_MAX ? khz < than : khz > than;
}

/* ---- Other owners of limits ---- */

/** The owners, and the tightest of their limits. */
struct limit_owners {
	enum cpufreq_limit limit;
	char *text;
	uint64_t khz;
};

static int note_owner(struct limit_owners *owners, const char *file, uint64_t number, uint64_t khz)
{
	char *text;

	if (asprintf(&text, "%s%s%s %" PRIu64, owners->text ? owners->text : "",
		     owners->text ? ", " : "", file, number) < 0)
		return -ENOMEM;
	if (!owners->text || cpufreq_is_tighter(owners->limit, khz, owners->khz))
		owners->khz = khz;
	free(owners->text);
	owners->text = text;
	return 0;
}

/** Each state of the cooling device lowers the frequency by a fifth
 * (drivers/acpi/processor_thermal.c). */
static int find_cooling(struct kernel_files *files, unsigned int cpu, struct limit_owners *owners)
{
	enum { STATES = 5 };
	static const char FILE_NAME[] = "firmware_node/thermal_cooling/cur_state";
	uint64_t state = 0, highest = 0;
	int error = kernel_files_number(
		files, kernel_files_path(files, CPU_DIRECTORY "/cpu%u/%s", cpu, FILE_NAME),
		UINT32_MAX, &state);

	if (!error && state > 0)
		error = cpufreq_read(files, cpu, PROCESSOR_FILES[CPUFREQ_MAX], &highest);
	if (!error && state > 0)
		error = note_owner(owners, FILE_NAME, state,
				   state < STATES ? highest * (STATES - state) / STATES : 0);
	return error == -ENOENT ? 0 : error;
}

/** Passive intel_pstate requests its percentages from cpufreq. The lower one is never 0: that of
 * the lowest frequency limits nothing. */
static int find_percentage(struct kernel_files *files, unsigned int cpu,
			   struct limit_owners *owners)
{
	static const char *const PATHS[] = { CPU_DIRECTORY "/intel_pstate/min_perf_pct",
					     CPU_DIRECTORY "/intel_pstate/max_perf_pct" };
	enum { ALL = 100 };
	const enum cpufreq_limit limit = owners->limit;
	const char *name = PATHS[limit] + strlen(CPU_DIRECTORY "/");
	uint64_t percent = 0, lowest = 0, highest = 0;
	char *status = NULL;
	int error = kernel_files_text(files, CPU_DIRECTORY "/intel_pstate/status", &status);

	if (!error && strcmp(status, "passive") != 0)
		error = -ENOENT;
	free(status);
	if (!error)
		error = kernel_files_number(files, PATHS[limit], ALL, &percent);
	if (!error)
		error = cpufreq_read(files, cpu, PROCESSOR_FILES[CPUFREQ_MIN], &lowest);
	if (!error)
		error = cpufreq_read(files, cpu, PROCESSOR_FILES[CPUFREQ_MAX], &highest);
	if (!error && (limit == CPUFREQ_MAX ? percent < ALL : percent * highest > lowest * ALL))
		error = note_owner(owners, name, percent, (highest * percent + ALL - 1) / ALL);
	return error == -ENOENT ? 0 : error;
}

static int find_owners(struct kernel_files *files, unsigned int cpu, struct limit_owners *owners)
{
	uint64_t limit = 0, highest = 0;
	int error = 0;

	if (owners->limit == CPUFREQ_MAX) {
		error = find_cooling(files, cpu, owners);
		if (!error)
			error = cpufreq_read(files, cpu, "bios_limit", &limit);
		if (!error)
			error = cpufreq_read(files, cpu, PROCESSOR_FILES[CPUFREQ_MAX], &highest);
		if (!error && limit < highest)
			error = note_owner(owners, "cpufreq/bios_limit", limit, limit);
		if (error == -ENOENT)
			error = 0;
	}
	if (!error)
		error = find_percentage(files, cpu, owners);
	if (error) {
		free(owners->text);
		owners->text = NULL;
	}
	return error;
}

int cpufreq_limit_owners(struct kernel_files *files, unsigned int cpu, enum cpufreq_limit limit,
			 char **owners)
{
	struct limit_owners found = { .limit = limit };
	int error = find_owners(files, cpu, &found);

	*owners = found.text;
	return error;
}

int cpufreq_limit_owners_of(struct kernel_files *files, unsigned int cpu, enum cpufreq_limit limit,
			    uint64_t khz, char **owners)
{
	struct limit_owners found = { .limit = limit };
	uint64_t shown = 0;
	int error = find_owners(files, cpu, &found);

	if (found.text)
		error = cpufreq_clamp(files, cpu, limit, found.khz, &shown);
	if (error || !found.text || shown != khz) {
		free(found.text);
		found.text = NULL;
	}
	*owners = found.text;
	return error;
}

int cpufreq_turbo_state(struct kernel_files *files, enum turbo_state *state)
{
	static const char *const PATH = CPU_DIRECTORY "/intel_pstate/no_turbo";
	uint64_t no_turbo;
	int error = kernel_files_number(files, PATH, 1, &no_turbo);

	*state = TURBO_UNKNOWN;
	/* EAGAIN: intel_pstate is loaded, and off. */
	if (error == -ENOENT || (error == -EIO && files->answer == -EAGAIN))
		return 0;
	if (!error)
		*state = no_turbo ? TURBO_OFF : TURBO_ON;
	return error;
}

int cpufreq_percentage(struct kernel_files *files, enum cpufreq_limit limit,
		       unsigned int *percentage)
{
	static const char *const PATHS[] = {
		[CPUFREQ_MIN] = CPU_DIRECTORY "/intel_pstate/min_perf_pct",
		[CPUFREQ_MAX] = CPU_DIRECTORY "/intel_pstate/max_perf_pct",
	};
	uint64_t value = 0;
	int error = kernel_files_number(files, PATHS[limit], 100, &value);

	*percentage = error ? 0 : (unsigned int)value;
	/* EAGAIN: intel_pstate is loaded, and off. */
	return error == -ENOENT || (error == -EIO && files->answer == -EAGAIN) ? 0 : error;
}
