/* SPDX-License-Identifier: BSD-3-Clause */
/* What the kernel moves from one file to another: where one of them is emulated, as what is read
 * from the one and written to the other. */
#include "preload/preload.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/sendfile.h>
#include <unistd.h>

/* Callers go on where less was moved. */
enum { LONGEST = 1 << 16 };

struct side {
	int descriptor;
	off64_t *offset; /* of the program; NULL: the position of the descriptor */
	off64_t at;
};

static bool is_emulated(int descriptor)
{
	char emulated[PATH_MAX];

	return preload_machine && !preload_inside() &&
	       preload_probe(path_of_descriptor, descriptor, emulated);
}

static int begin(struct side *side)
{
	return side->offset ? user_read(side->offset, &side->at, sizeof(side->at)) : 0;
}

static int advance(struct side *side, ssize_t size)
{
	side->at += size;
	return side->offset ? user_write(side->offset, &side->at, sizeof(side->at)) : 0;
}

static ssize_t read_from(const struct side *from, void *content, size_t size)
{
	return from->offset ? pread64(from->descriptor, content, size, from->at)
			    : read(from->descriptor, content, size);
}

static ssize_t write_to(const struct side *to, const void *content, size_t size)
{
	return to->offset ? pwrite64(to->descriptor, content, size, to->at)
			  : write(to->descriptor, content, size);
}

/** What was read and not written is read once more; of a pipe it is lost, as in the kernel. */
static void step_back(const struct side *from, ssize_t size)
{
	int error = errno;

	if (!from->offset)
		lseek(from->descriptor, -size, SEEK_CUR);
	errno = error;
}

static ssize_t move(struct side *from, struct side *to, size_t size)
{
	void *content = malloc(LONGEST);
	ssize_t taken, given;

	if (!content || begin(from) || begin(to)) {
		free(content);
		return -1;
	}
	taken = read_from(from, content, size < LONGEST ? size : LONGEST);
	given = taken > 0 ? write_to(to, content, (size_t)taken) : taken;
	free(content);
	if (taken > 0 && given < taken)
		step_back(from, given < 0 ? taken : taken - given);
	if (given > 0 && (advance(from, given) || advance(to, given)))
		return -1;
	return given;
}

INTERPOSED ssize_t sendfile64(int to, int from, off64_t *offset, size_t size)
{
	struct side source = { .descriptor = from, .offset = offset };
	struct side target = { .descriptor = to };

	return is_emulated(from) || is_emulated(to) ? move(&source, &target, size)
						    : REAL(sendfile64)(to, from, offset, size);
}

INTERPOSED ssize_t copy_file_range(int from, off64_t *from_offset, int to, off64_t *to_offset,
				   size_t size, unsigned int flags)
{
	struct side source = { .descriptor = from, .offset = from_offset };
	struct side target = { .descriptor = to, .offset = to_offset };

	/* Flags are the kernel's to refuse. */
	return !flags && (is_emulated(from) || is_emulated(to))
		       ? move(&source, &target, size)
		       : REAL(copy_file_range)(from, from_offset, to, to_offset, size, flags);
}

INTERPOSED ssize_t splice(int from, off64_t *from_offset, int to, off64_t *to_offset, size_t size,
			  unsigned int flags)
{
	struct side source = { .descriptor = from, .offset = from_offset };
	struct side target = { .descriptor = to, .offset = to_offset };

	return is_emulated(from) || is_emulated(to)
		       ? move(&source, &target, size)
		       : REAL(splice)(from, from_offset, to, to_offset, size, flags);
}

/* On this architecture the two are the same. */
INTERPOSED ssize_t sendfile(int to, int from, off_t *offset, size_t size)
	__attribute__((alias("sendfile64")));
