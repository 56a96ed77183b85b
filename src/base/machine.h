/* SPDX-License-Identifier: BSD-3-Clause */
/* A machine, real or emulated: the driver's device, the kernel's files and a runtime directory.
 * These tables of functions are the only seams: all code above them is the same for both. */
#ifndef ISST_BASE_MACHINE_H
#define ISST_BASE_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The system calls on /dev/isst_interface, with @data of the machine. Errors are negative errno.
 */
struct device_operations {
	int (*open)(void *data); /* returns a descriptor */
	int (*ioctl)(void *data, int descriptor, unsigned long request, void *argument);
	int (*close)(void *data, int descriptor);
};

/** The kernel's files by absolute path (/sys/..., /proc/...). Return 0 or a negative errno. */
struct files_operations {
	/** The whole content, and a NUL that does not count; to be freed. */
	int (*read)(void *data, const char *path, char **content, size_t *size);
	/** One write(2) to an existing file. */
	int (*write)(void *data, const char *path, const char *content, size_t size);
	/** The names in a directory, without . and .., unsorted; array and names are to be freed.
	 */
	int (*list)(void *data, const char *path, char ***names, size_t *count);
	int (*mkdir)(void *data, const char *path);
	int (*rmdir)(void *data, const char *path);
	/** Eight bytes at a position of /dev/cpu/N/msr: a register. May be NULL. */
	int (*read_register)(void *data, const char *path, uint64_t position, uint64_t *value);
};

/** CPUID leaf 1, decoded. @model with the extended model bits. */
struct cpu_identity {
	bool intel;
	unsigned int family, model, stepping;
};

/** Events of the kernel, as netlink datagrams. */
enum machine_events {
	MACHINE_THERMAL_EVENTS, /* family thermal, group event: capabilities of CPUs have changed */
	MACHINE_UEVENTS,
	MACHINE_EVENT_KINDS
};

/** Library and emulator of a program may differ in version: increase it with any change of these
 * structs or of the meaning of a member. */
enum { MACHINE_VERSION = 3 };

struct isst_machine {
	/* These three never change: a machine of another version is refused, and released. */
	unsigned int version;			       /* MACHINE_VERSION */
	unsigned int size;			       /* of this struct */
	void (*release)(struct isst_machine *machine); /* closes and frees it */
	const struct device_operations *device;
	const struct files_operations *files;
	void *data;		       /* passed to both tables */
	const char *name;	       /* of an emulated machine; NULL on a real one */
	const char *runtime_directory; /* lock, journal, caches; may not exist yet */
	struct cpu_identity identity;
	/** Whether the caller has a capability (CAP_...). Returns 1, 0 or -errno. */
	int (*capable)(void *data, int capability);
	/** Whether the caller may write a kernel file; NULL: always. Returns 0 or -errno. */
	int (*writable)(void *data, const char *path);
	/** Keeps a CPU busy, and measures its frequency; may be NULL. Returns 0 or -errno. */
	int (*measure)(void *data, unsigned int cpu, unsigned int milliseconds, uint64_t *khz);
	/** Adds a line to the machine's system log. */
	void (*log)(void *data, const char *line);
	/** Opens a socket for events. Returns a descriptor or -errno. */
	int (*open_events)(void *data, enum machine_events events);
	void (*close_events)(int descriptor);
};

/** The first initializers of every machine. */
#define MACHINE_OF_THIS_VERSION .version = MACHINE_VERSION, .size = sizeof(struct isst_machine)

#endif
