/* SPDX-License-Identifier: BSD-3-Clause */
/* A capture: what is read of a machine, in memory (docs/internals/captured-machines.md). */
#ifndef ISST_FEATURES_CAPTURE_H
#define ISST_FEATURES_CAPTURE_H

#include "common/memory_stream.h"
#include "topology/context.h"

#include <stdio.h>

/** A package x die, and the CPU that is asked about it. */
struct capture_domain {
	unsigned int package, die, cpu;
};

struct capture {
	struct isst_context *context;
	const char *directory;
	int descriptor; /* of the directory; negative: it is to be made */
	/* What is to be written: paths below @directory, and what the files hold */
	struct capture_file {
		char *path, *content;
	} * files;
	size_t file_count;

	struct isst_cpuset *online;
	unsigned int *cpus; /* those that are online, ascending */
	size_t cpu_count;
	size_t *domain_of; /* index of the domain, of each of those CPUs */
	struct capture_domain *domains;
	size_t domain_count;

	bool found_registers;	  /* a TPMI device has some */
	bool device;		  /* there is one; @info is what it reports of itself */
	bool tpmi, mailbox, mmio; /* what it serves */
	struct abi_platform_info info;
	struct abi_cpu_map *maps; /* of the CPUs that are online; @map_errors: what went wrong */
	int *map_errors;

	FILE *answers; /* isst/answers.txt */
	int error;     /* that ended it */
};

/* capture_answers.c: parts of a capture, in this order; 0 or a negative errno with a message. */

int capture_driver(struct capture *capture);
int capture_registers(struct capture *capture);
int capture_answers(struct capture *capture);
int capture_msrs(struct capture *capture);

/* capture_write.c: the files that are to be written, and where */

/** Ends a text, and keeps it as the file @path, unless there was an @error, which is returned. */
int capture_keep_text(struct capture *capture, struct memory_stream *text, const char *path,
		      int error);

/** Keeps a file. Takes @content over, also on failure. */
int capture_keep(struct capture *capture, const char *path, char *content);

/** Opens the directory, which must be empty; one that is missing is made later. */
int capture_open_directory(struct capture *capture);
/** Writes all that was kept, or nothing. */
int capture_write(struct capture *capture);

#endif
