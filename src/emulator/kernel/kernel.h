/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernel's files, each function one operation on a path (absolute, without ".."): returns 0 or
 * a negative errno. Locking, storing, counting and faults are the caller's. */
#ifndef EMULATOR_KERNEL_H
#define EMULATOR_KERNEL_H

#include "emulator/state/state.h"

enum kernel_type { KERNEL_FILE, KERNEL_DIRECTORY, KERNEL_LINK, KERNEL_DEVICE };

struct kernel_status {
	enum kernel_type type;
	mode_t mode;  /* permissions */
	size_t size;  /* of what a file below /sys holds */
	size_t links; /* directories in a directory */
	char *target; /* of a link; to be freed */
};

/** The kernel's part of the state of a machine right after power-on. */
void kernel_first_state(struct server *server);

/** What is there. A link at the end is followed if @follow is set; others always are. */
int kernel_look(struct server *server, const char *path, bool follow, struct kernel_status *status);
/** Only the kind of it. */
int kernel_type(struct server *server, const char *path, enum kernel_type *type);
int kernel_read(struct server *server, const char *path, char **content, size_t *size);
int kernel_write(struct server *server, const char *path, const char *content, size_t size);
/** Eight bytes of a device that is open; -EINVAL for what is none, -ENXIO where it is gone, as that
 * of a CPU that went offline. */
int kernel_access(struct server *server, const char *path, bool write, uint64_t position,
		  uint64_t *value);
/** The names in a directory, each behind the letter of its kind: d, f, l or c (a device). */
int kernel_list(struct server *server, const char *path, char ***names, size_t *count);
/** What a CPU runs at while it is busy. Returns 0, or -EINVAL for one that is not online. */
int kernel_busy_khz(struct server *server, unsigned int cpu, uint64_t *khz);
void kernel_free_list(char **names, size_t count);
int kernel_mkdir(struct server *server, const char *path);
int kernel_rmdir(struct server *server, const char *path);
/** Begins to listen to thermal events, by a socket below @directory, which is made if it is
 * missing. Returns a descriptor or a negative errno. */
int kernel_listen(const char *directory);
void kernel_stop_listening(int descriptor);

/** Sends the thermal event to all listeners if a level has changed. */
void kernel_send_events(struct server *server);

#endif
