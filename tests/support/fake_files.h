/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernel's files as a table of paths and contents; what is read is recorded. */
#ifndef TESTS_SUPPORT_FAKE_FILES_H
#define TESTS_SUPPORT_FAKE_FILES_H

#include <stdbool.h>
#include <stddef.h>

struct fake_file {
	char *path;
	char *content;
	size_t size;
	int error;	 /* negative errno instead of the content */
	int write_error; /* negative errno when it is written */
	bool stubborn;	 /* keeps its content when it is written */
};

struct fake_files {
	struct fake_file *files; /* the newest of a path counts */
	size_t count;
	size_t reads; /* made so far, of files that exist or not */
	/* Directories may be listed, those that hold a file; otherwise that fails the test. */
	bool listable;
	size_t lists;	/* made so far */
	int list_error; /* negative errno in place of any listing */
	/* Writes fail the test unless they are expected. Then they are listed here, a line each,
	 * and change the file, unless it answers them with a text of its own. */
	bool writable;
	char *written;
};

/** A file with this text and a newline, as the kernel writes. */
__attribute__((format(printf, 3, 4))) void fake_file(struct fake_files *files, const char *path,
						     const char *format, ...);
/** A file of exactly these bytes. */
void fake_file_bytes(struct fake_files *files, const char *path, const void *bytes, size_t size);
/** A file that cannot be read, or with -ENOENT is not there. */
void fake_file_error(struct fake_files *files, const char *path, int error);

/** Makes a file that exists already refuse writes, or take them without effect (error 0). */
void fake_file_refuses(struct fake_files *files, const char *path, int error);

int fake_files_write(struct fake_files *files, const char *path, const char *content, size_t size);
/** Notes that something was done to a path. */
int fake_files_note(struct fake_files *files, const char *what, const char *path);
int fake_files_read(struct fake_files *files, const char *path, char **content, size_t *size);
int fake_files_list(struct fake_files *files, const char *path, char ***names, size_t *count);
void fake_files_clear(struct fake_files *files);

#endif
