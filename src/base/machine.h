/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A machine: the driver's device, the kernel's files and a runtime directory, always together, real
 * or emulated. The two tables of functions here are the only seams of the project: below them a
 * real server or the emulator, above them the same code for both.
 */
#ifndef ISST_BASE_MACHINE_H
#define ISST_BASE_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The system calls on /dev/isst_interface. Errors are returned as negative errno. @data is the
 * machine's. */
struct device_operations {
	/** Returns a descriptor (0 or more), or a negative errno. */
	int (*open)(void *data);
	/** As ioctl(2): the driver's return value, or a negative errno. */
	int (*ioctl)(void *data, int descriptor, unsigned long request, void *argument);
	int (*close)(void *data, int descriptor);
};

/**
 * The kernel's files, named by their absolute paths (/sys/..., /proc/...). Return 0 or a negative
 * errno.
 */
struct files_operations {
	/** The whole content, with a NUL behind it that does not count. *@content is to be freed.
	 */
	int (*read)(void *data, const char *path, char **content, size_t *size);
	/** One write(2) of all of @content to an existing file. */
	int (*write)(void *data, const char *path, const char *content, size_t size);
	/** The names in a directory without . and .., in no order. *@names and each name are to be
	 * freed. */
	int (*list)(void *data, const char *path, char ***names, size_t *count);
	int (*mkdir)(void *data, const char *path);
	int (*rmdir)(void *data, const char *path);
	/** Eight bytes of a device at a position: of /dev/cpu/N/msr the register of that number.
	 * NULL: no device has any. */
	int (*read_register)(void *data, const char *path, uint64_t position, uint64_t *value);
};

/** CPUID leaf 1, decoded. @model with the extended model bits. */
struct cpu_identity {
	bool intel;
	unsigned int family, model, stepping;
};

/** What the kernel reports by datagrams, whose bytes are those of netlink sockets. */
enum machine_events {
	MACHINE_THERMAL_EVENTS, /* of the family thermal, group event: what CPUs can do changes */
	MACHINE_UEVENTS,
	MACHINE_EVENT_KINDS
};

/**
 * What library and emulator have to agree on, as a program may link versions that differ: to be
 * increased with any change of the structs above or of the meaning of a member.
 */
enum { MACHINE_VERSION = 3 };

struct isst_machine {
	/* These three are the same in all versions, so that one that is refused can be closed. */
	unsigned int version; /* MACHINE_VERSION */
	unsigned int size;    /* of this struct */
	/** Closes the machine and frees it. */
	void (*release)(struct isst_machine *machine);
	const struct device_operations *device;
	const struct files_operations *files;
	void *data;		       /* passed to both tables */
	const char *name;	       /* of an emulated machine; NULL on a real one */
	const char *runtime_directory; /* lock, journal, caches; may not exist yet */
	const char *lock_path;	       /* what runs that change the machine lock: the device node */
	struct cpu_identity identity;
	/** Whether the caller has a capability (CAP_...) over this machine. Returns 1, 0 or -errno.
	 */
	int (*capable)(void *data, int capability);
	/** Whether the caller may write a file of the kernel; NULL: always. Returns 0 or -errno. */
	int (*writable)(void *data, const char *path);
	/** Keeps a CPU busy for some time, and finds its frequency; NULL: this cannot be done.
	 * Returns 0 or -errno. */
	int (*measure)(void *data, unsigned int cpu, unsigned int milliseconds, uint64_t *khz);
	/** Leaves one line in the machine's system log. */
	void (*log)(void *data, const char *line);
	/** Opens a socket where these events arrive. Returns a descriptor or -errno. */
	int (*open_events)(void *data, enum machine_events events);
	void (*close_events)(int descriptor);
};

/** How those who make a machine begin it. */
#define MACHINE_OF_THIS_VERSION .version = MACHINE_VERSION, .size = sizeof(struct isst_machine)

#endif
