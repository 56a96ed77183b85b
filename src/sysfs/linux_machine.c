/* SPDX-License-Identifier: BSD-3-Clause */
/* The machine that the program runs on: its files by system calls, its CPU by CPUID. */
#include "sysfs/linux_machine.h"
#include "base/array.h"
#include "base/machine.h"
#include "common/monotonic.h"
#include "driver/abi.h"
#include "driver/linux_device.h"
#include "sysfs/kernel_events.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/capability.h>
#include <sys/stat.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>
#ifdef __x86_64__
#include <cpuid.h>
#endif

/* ---- Busy frequency ---- */

#if defined(__x86_64__)

/* A 32-bit multiplication takes three cycles on all cores of these servers. Each needs the result
 * of the last, so that neither other units nor a second thread shorten it. */
enum { CYCLES_EACH = 3, EACH_ROUND = 8, ROUNDS = 10000 };

/** The highest of many short measurements: interrupts and the ramp-up only lower them. */
static uint64_t spin(unsigned int milliseconds)
{
	const int64_t end = monotonic_ns() + (int64_t)milliseconds * NS_PER_MS;
	const uint64_t cycles = (uint64_t)CYCLES_EACH * EACH_ROUND * ROUNDS;
	int64_t before = monotonic_ns();
	uint64_t highest = 0;

	while (before < end) {
		uint32_t rounds = ROUNDS, value = 1;
		uint64_t khz;
		int64_t after;

		__asm__ volatile("1:\n\t"
				 "imull %1, %1\n\timull %1, %1\n\timull %1, %1\n\timull %1, %1\n\t"
				 "imull %1, %1\n\timull %1, %1\n\timull %1, %1\n\timull %1, %1\n\t"
				 "decl %0\n\t"
				 "jnz 1b"
				 : "+r"(rounds), "+r"(value)
				 :
				 : "cc");
		after = monotonic_ns();
		khz = after > before ? cycles * NS_PER_MS / (uint64_t)(after - before) : 0;
		if (khz > highest)
			highest = khz;
		before = after;
	}
	return highest;
}

enum { MOST_CPUS = 8192 }; /* of any kernel */

int busy_frequency_measure(void *data, unsigned int cpu, unsigned int milliseconds, uint64_t *khz)
{
	const size_t size = CPU_ALLOC_SIZE(MOST_CPUS);
	cpu_set_t *before = CPU_ALLOC(MOST_CPUS), *one = CPU_ALLOC(MOST_CPUS);
	int error = before && one ? 0 : -ENOMEM;

	(void)data;
	if (!error && cpu >= MOST_CPUS)
		error = -EINVAL;
	if (!error && sched_getaffinity(0, size, before))
		error = -errno;
	if (!error) {
		CPU_ZERO_S(size, one);
		CPU_SET_S(cpu, size, one);
		error = sched_setaffinity(0, size, one) ? -errno : 0;
	}
	if (!error) {
		*khz = spin(milliseconds);
		/* CPUs may have gone offline meanwhile. */
		(void)sched_setaffinity(0, size, before);
	}
	CPU_FREE(before);
	CPU_FREE(one);
	return error;
}

#else

int busy_frequency_measure(void *data, unsigned int cpu, unsigned int milliseconds, uint64_t *khz)
{
	(void)data;
	(void)cpu;
	(void)milliseconds;
	*khz = 0;
	return -EOPNOTSUPP;
}

#endif

#define RUNTIME_DIRECTORY "/run/isst"

/** One read of a sysfs attribute or a sysctl returns all of it, or at least that many bytes. */
enum { ATTRIBUTE_PIECE = 4096 };

/** Reads to the end: lists of CPUs may exceed a page, and st_size is not true. @early: a short read
 * is the end. */
static int read_all(int descriptor, bool early, char **content, size_t *size)
{
	size_t space = 4096, filled = 0;
	char *buffer = malloc(space);
	ssize_t got;

	while (buffer) {
		got = read(descriptor, buffer + filled, space - filled - 1);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		filled += (size_t)got;
		if (early && (size_t)got < ATTRIBUTE_PIECE && filled + 1 < space)
			break;
		if (filled + 1 == space) {
			char *larger = realloc(buffer, space *= 2);

			if (!larger)
				free(buffer);
			buffer = larger;
		}
	}
	if (!buffer)
		return -ENOMEM;
	if (got < 0) {
		int error = -errno;

		free(buffer);
		return error;
	}
	buffer[filled] = '\0';
	*content = buffer;
	*size = filled;
	return 0;
}

static int files_read(void *data, const char *path, char **content, size_t *size)
{
	static const char SYSFS[] = "/sys/devices/", SYSCTL[] = "/proc/sys/";
	int descriptor = open(path, O_RDONLY | O_CLOEXEC);
	int error;

	(void)data;
	if (descriptor < 0)
		return -errno;
	error = read_all(descriptor,
			 strncmp(path, SYSFS, strlen(SYSFS)) == 0 ||
				 strncmp(path, SYSCTL, strlen(SYSCTL)) == 0,
			 content, size);
	close(descriptor);
	return error;
}

static int files_write(void *data, const char *path, const char *content, size_t size)
{
	int descriptor = open(path, O_WRONLY | O_CLOEXEC);
	int error = 0;
	ssize_t put;

	(void)data;
	if (descriptor < 0)
		return -errno;
	put = write(descriptor, content, size);
	if (put < 0)
		error = -errno;
	else if ((size_t)put != size)
		error = -EIO;
	if (close(descriptor) && !error)
		error = -errno;
	return error;
}

static int files_list(void *data, const char *path, char ***names, size_t *count)
{
	DIR *directory = opendir(path);
	int error = 0;

	(void)data;
	if (!directory)
		return -errno;
	*names = NULL;
	*count = 0;
	for (;;) {
		struct dirent *entry;

		errno = 0;
		entry = readdir(directory);
		if (!entry) {
			error = -errno;
			break;
		}
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		error = ARRAY_GROW(*names, *count);
		if (error)
			break;
		(*names)[*count] = strdup(entry->d_name);
		if (!(*names)[*count]) {
			error = -ENOMEM;
			break;
		}
		(*count)++;
	}
	closedir(directory);
	if (error) {
		while (*count > 0)
			free((*names)[--*count]);
		free(*names);
	}
	return error;
}

static int files_mkdir(void *data, const char *path)
{
	(void)data;
	return mkdir(path, 0755) ? -errno : 0;
}

static int files_rmdir(void *data, const char *path)
{
	(void)data;
	return rmdir(path) ? -errno : 0;
}

static int files_read_register(void *data, const char *path, uint64_t position, uint64_t *value)
{
	int descriptor = open(path, O_RDONLY | O_CLOEXEC);
	int error = 0;
	ssize_t got;

	(void)data;
	if (descriptor < 0)
		return -errno;
	got = pread(descriptor, value, sizeof(*value), (off_t)position);
	if (got < 0)
		error = -errno;
	else if (got != sizeof(*value))
		error = -EIO;
	close(descriptor);
	return error;
}

static const struct files_operations linux_files = {
	.read = files_read,
	.write = files_write,
	.list = files_list,
	.mkdir = files_mkdir,
	.rmdir = files_rmdir,
	.read_register = files_read_register,
};

/** Decodes CPUID leaf 1: families 6 and from 15 on have the upper model bits in the extended field.
 */
static struct cpu_identity identify_cpu(void)
{
	struct cpu_identity identity = { 0 };

#ifdef __x86_64__
	unsigned int eax, ebx, ecx, edx;

	if (!__get_cpuid(0, &eax, &ebx, &ecx, &edx))
		return identity;
	identity.intel = ebx == signature_INTEL_ebx && ecx == signature_INTEL_ecx &&
			 edx == signature_INTEL_edx;
	if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx))
		return identity;
	identity.stepping = eax & 0xf;
	identity.model = eax >> 4 & 0xf;
	identity.family = eax >> 8 & 0xf;
	if (identity.family == 6 || identity.family == 0xf)
		identity.model |= eax >> 12 & 0xf0;
	if (identity.family == 0xf)
		identity.family += eax >> 20 & 0xff;
#endif
	return identity;
}

/** Inode of the initial user namespace in /proc/self/ns (PROC_USER_INIT_INO). */
#define INITIAL_USER_NAMESPACE UINT32_C(0xEFFFFFFD)

static int capable(void *data, int capability)
{
	cap_t capabilities = cap_get_proc();
	cap_flag_value_t value = CAP_CLEAR;
	struct stat status;
	int error = 0;

	(void)data;
	if (!capabilities)
		return -errno;
	if (cap_get_flag(capabilities, capability, CAP_EFFECTIVE, &value))
		error = -errno;
	cap_free(capabilities);
	if (error || value != CAP_SET)
		return error;
	/* The driver checks the initial user namespace. Kernels without namespaces have no file. */
	if (stat("/proc/self/ns/user", &status))
		return errno == ENOENT;
	return status.st_ino == INITIAL_USER_NAMESPACE;
}

static int writable(void *data, const char *path)
{
	(void)data;
	return faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) ? -errno : 0;
}

static void log_line(void *data, const char *line)
{
	(void)data;
	syslog(LOG_NOTICE, "isst: %s", line);
}

static int open_events(void *data, enum machine_events events)
{
	bool feedback = false;
#ifdef __x86_64__
	unsigned int eax, ebx, ecx, edx;

	feedback = __get_cpuid(6, &eax, &ebx, &ecx, &edx) && eax >> 19 & 1;
#endif
	(void)data;
	/* Without the hardware feedback interface a level change causes no events. */
	return events == MACHINE_THERMAL_EVENTS && !feedback ? -EOPNOTSUPP
							     : kernel_events_open(events);
}

static void close_events(int descriptor)
{
	close(descriptor);
}

static void release(struct isst_machine *machine)
{
	free(machine);
}

struct isst_machine *linux_machine(void)
{
	struct isst_machine *machine = malloc(sizeof(*machine));

	if (!machine)
		return NULL;
	*machine = (struct isst_machine){
		MACHINE_OF_THIS_VERSION,
		.device = &linux_device,
		.files = &linux_files,
		.runtime_directory = RUNTIME_DIRECTORY,
		.identity = identify_cpu(),
		.capable = capable,
		.writable = writable,
		.measure = busy_frequency_measure,
		/* Without a listener every line would try to connect in vain. */
		.log = access(_PATH_LOG, F_OK) == 0 ? log_line : NULL,
		.open_events = open_events,
		.close_events = close_events,
		.release = release,
	};
	return machine;
}
