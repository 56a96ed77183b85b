/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The CPUs that a program may run on, as sched_getaffinity(2) reports them: those of the emulated
 * machine. Threads run on the real CPUs; what is set is remembered for the process and inherited by
 * the programs that it starts.
 */
#include "preload/preload.h"

#include "emulator/front/launch.h"
#include "isst.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* As the variable of the environment, which the program may clear. */
static char *own_variable;

const char *affinity_variable(void)
{
	const char *list = own_variable ? NULL : getenv(LAUNCH_AFFINITY);

	if (list && asprintf(&own_variable, LAUNCH_AFFINITY "=%s", list) < 0)
		own_variable = NULL;
	return own_variable;
}

static const char *own_list(void)
{
	const char *whole = affinity_variable();

	return whole ? whole + sizeof(LAUNCH_AFFINITY "=") - 1 : NULL;
}

/** What was set last; a child of vfork(2) may still use what was before. */
static int set_own_list(const char *list)
{
	char *whole;

	if (asprintf(&whole, LAUNCH_AFFINITY "=%s", list) < 0)
		return ENOMEM;
	own_variable = whole;
	return setenv(LAUNCH_AFFINITY, list, 1) ? ENOMEM : 0;
}

/** Whether it is this process or one of its threads. Changes errno. */
static bool is_own(pid_t process)
{
	char thread[40];

	if (process == 0 || process == getpid() || process == (pid_t)syscall(SYS_gettid))
		return true;
	/* One for all threads of the process, as with pthread_setaffinity_np(3) here. */
	snprintf(thread, sizeof(thread), "/proc/self/task/%d", process);
	return syscall(SYS_faccessat, AT_FDCWD, thread, F_OK) == 0;
}

/** Whether there is such a process or thread; errno. */
static bool exists(pid_t process)
{
	if (process > 0 && (kill(process, 0) == 0 || errno == EPERM))
		return true;
	errno = ESRCH;
	return false;
}

static struct isst_cpuset *read_list(const char *list)
{
	struct isst_cpuset *cpus = isst_cpuset_new();

	if (!cpus || !list || isst_cpuset_add_list(cpus, list, NULL) == 0)
		return cpus;
	isst_cpuset_free(cpus);
	return isst_cpuset_new();
}

/** The variable in the environment that another process was started with. */
static struct isst_cpuset *read_environment(FILE *environment)
{
	static const char name[] = LAUNCH_AFFINITY "=";
	struct isst_cpuset *cpus = NULL;
	char *variable = NULL;
	size_t space = 0;

	while (!cpus && getdelim(&variable, &space, '\0', environment) > 0)
		if (strncmp(variable, name, sizeof(name) - 1) == 0)
			cpus = read_list(variable + sizeof(name) - 1);
	free(variable);
	return cpus ? cpus : read_list(NULL);
}

/** What was set for a process, or inherited; empty: nothing. NULL and errno. */
static struct isst_cpuset *chosen_cpus(pid_t process)
{
	struct isst_cpuset *cpus;
	FILE *environment;
	char path[40];

	if (is_own(process))
		return read_list(own_list());
	if (!exists(process))
		return NULL;
	snprintf(path, sizeof(path), "/proc/%d/environ", process);
	environment = fopen(path, "re");
	if (!environment)
		return read_list(NULL);
	cpus = read_environment(environment);
	fclose(environment);
	return cpus;
}

struct isst_cpuset *affinity_read(const char *path)
{
	struct isst_cpuset *cpus = isst_cpuset_new();
	char *list;
	size_t size;

	if (preload_machine->files->read(preload_machine->data, path, &list, &size))
		return cpus;
	list[strcspn(list, "\n")] = '\0';
	if (cpus && isst_cpuset_add_list(cpus, list, NULL)) {
		isst_cpuset_free(cpus);
		cpus = NULL;
	}
	free(list);
	return cpus;
}

static void put_mask(const struct isst_cpuset *online, const struct isst_cpuset *chosen,
		     unsigned char *mask)
{
	bool all = isst_cpuset_count(chosen) == 0, any = false;
	unsigned int cpu;

	isst_cpuset_for_each (cpu, chosen)
		any |= isst_cpuset_has(online, cpu);
	isst_cpuset_for_each (cpu, online)
		/* As the kernel: a process whose CPUs are all gone may run on any. */
		if (all || !any || isst_cpuset_has(chosen, cpu))
			mask[cpu / 8] |= (unsigned char)(1U << cpu % 8);
}

/** As the system call, but that it returns 0. */
int affinity_get(pid_t process, size_t size, cpu_set_t *mask)
{
	struct isst_cpuset *online = affinity_read("/sys/devices/system/cpu/online");
	struct isst_cpuset *possible = affinity_read("/sys/devices/system/cpu/possible");
	struct isst_cpuset *chosen = chosen_cpus(process);
	unsigned int beyond;
	int result = !online || !possible ? ENOMEM : chosen ? 0 : errno;

	/* All possible CPUs have to fit. */
	if (!result && (size % sizeof(unsigned long) != 0 ||
			isst_cpuset_next(possible, (unsigned int)size * 8, &beyond)))
		result = EINVAL;
	if (!result) {
		memset(mask, 0, size);
		put_mask(online, chosen, (unsigned char *)mask);
	}
	isst_cpuset_free(online);
	isst_cpuset_free(possible);
	isst_cpuset_free(chosen);
	return result;
}

size_t affinity_bytes(void)
{
	enum { BITS = 8 * sizeof(unsigned long) };
	struct isst_cpuset *possible = NULL;
	unsigned int cpu, count = 0;
	int error = errno;

	if (!preload_begin())
		return 0;
	possible = affinity_read("/sys/devices/system/cpu/possible");
	preload_end(true);
	errno = error;
	if (possible)
		isst_cpuset_for_each (cpu, possible)
			count = cpu + 1;
	isst_cpuset_free(possible);
	return (count + BITS - 1) / BITS * sizeof(unsigned long);
}

/** Adds the CPUs of a mask that are online. Returns 0, ENOMEM, or EINVAL where there is none. */
static int take_mask(const struct isst_cpuset *online, size_t size, const cpu_set_t *mask,
		     struct isst_cpuset *chosen)
{
	const unsigned char *bytes = (const unsigned char *)mask;
	unsigned int cpu;

	isst_cpuset_for_each (cpu, online)
		if (cpu / 8 < size && bytes[cpu / 8] >> cpu % 8 & 1 &&
		    isst_cpuset_add(chosen, cpu, cpu))
			return ENOMEM;
	return isst_cpuset_count(chosen) > 0 ? 0 : EINVAL;
}

/** Those CPUs of a mask as a set, to be freed. Returns as take_mask(). */
static int read_mask(size_t size, const cpu_set_t *mask, struct isst_cpuset **chosen)
{
	struct isst_cpuset *online = affinity_read("/sys/devices/system/cpu/online");
	int result = ENOMEM;

	*chosen = isst_cpuset_new();
	if (online && *chosen)
		result = take_mask(online, size, mask, *chosen);
	isst_cpuset_free(online);
	return result;
}

int affinity_check(size_t size, const cpu_set_t *mask)
{
	struct isst_cpuset *chosen;
	int result = read_mask(size, mask, &chosen);

	isst_cpuset_free(chosen);
	return result;
}

static int set_affinity(size_t size, const cpu_set_t *mask)
{
	struct isst_cpuset *chosen;
	int result = read_mask(size, mask, &chosen);
	char *list = result ? NULL : isst_cpuset_to_list(chosen);

	if (!result)
		result = list ? set_own_list(list) : ENOMEM;
	free(list);
	isst_cpuset_free(chosen);
	return result;
}

/** Returns an error number, or -1 where the machine has nothing to do with it. */
static int try_get(pid_t process, size_t size, cpu_set_t *mask)
{
	cpu_set_t *copy;
	int result;

	if (!preload_begin())
		return -1;
	copy = calloc(1, size + 1);
	result = copy ? affinity_get(process, size, copy) : ENOMEM;
	if (!result && user_write(mask, copy, size))
		result = errno;
	free(copy);
	preload_end(true);
	return result;
}

static int try_set(size_t size, const cpu_set_t *mask)
{
	cpu_set_t copy[8] = { 0 }; /* 8192 CPUs, as kernel_max has it */
	int result;

	if (!preload_begin())
		return -1;
	size = size < sizeof(copy) ? size : sizeof(copy);
	result = user_read(mask, copy, size) ? errno : set_affinity(size, copy);
	preload_end(true);
	return result;
}

/* numactl looks at errno alone: what succeeds keeps it. */

INTERPOSED int sched_getaffinity(pid_t process, size_t size, cpu_set_t *mask)
{
	int error = errno;
	int result = try_get(process, size, mask);

	if (result < 0)
		return REAL(sched_getaffinity)(process, size, mask);
	errno = result ? result : error;
	return result ? -1 : 0;
}

/** Other processes cannot be reached. */
static int refuse_other(pid_t process)
{
	return exists(process) ? EPERM : errno;
}

INTERPOSED int sched_setaffinity(pid_t process, size_t size, const cpu_set_t *mask)
{
	int error = errno;
	bool other = preload_machine && !preload_inside() && !is_own(process);
	int result = other ? refuse_other(process) : try_set(size, mask);

	if (result < 0)
		return REAL(sched_setaffinity)(process, size, mask);
	errno = result ? result : error;
	return result ? -1 : 0;
}

INTERPOSED int pthread_getaffinity_np(pthread_t thread, size_t size, cpu_set_t *mask)
{
	int result = try_get(0, size, mask);

	return result < 0 ? REAL(pthread_getaffinity_np)(thread, size, mask) : result;
}

INTERPOSED int pthread_setaffinity_np(pthread_t thread, size_t size, const cpu_set_t *mask)
{
	int result = try_set(size, mask);

	return result < 0 ? REAL(pthread_setaffinity_np)(thread, size, mask) : result;
}
