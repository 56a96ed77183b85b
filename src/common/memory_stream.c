/* SPDX-License-Identifier: BSD-3-Clause */
/* Streams into memory. */
#include "memory_stream.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

enum { FIRST_SPACE = 4096 };

/** Makes space for @size more bytes and a NUL. */
static int grow(struct memory_stream *memory, size_t size)
{
	size_t space = memory->space ? memory->space : FIRST_SPACE;
	char *larger;

	while (space - memory->size <= size)
		space *= 2;
	if (space == memory->space)
		return 0;
	larger = realloc(memory->text, space);
	if (!larger)
		return -ENOMEM;
	memory->text = larger;
	memory->space = space;
	return 0;
}

/** fopencookie(3): less than @size sets the stream's error indicator. */
static ssize_t put(void *cookie, const char *data, size_t size)
{
	struct memory_stream *memory = cookie;

	if (grow(memory, size))
		return 0;
	memcpy(memory->text + memory->size, data, size);
	memory->size += size;
	return (ssize_t)size;
}

int memory_stream_open(struct memory_stream *memory)
{
	static const cookie_io_functions_t functions = { .write = put };

	*memory = (struct memory_stream){ 0 };
	memory->stream = fopencookie(memory, "w", functions);
	return memory->stream ? 0 : -ENOMEM;
}

int memory_stream_close(struct memory_stream *memory)
{
	bool lost = fflush(memory->stream) != 0 || ferror(memory->stream);

	lost |= fclose(memory->stream) != 0;
	if (!lost && grow(memory, 0) == 0) {
		memory->text[memory->size] = '\0';
		return 0;
	}
	free(memory->text);
	*memory = (struct memory_stream){ 0 };
	return -ENOMEM;
}

void memory_stream_drop(struct memory_stream *memory)
{
	if (memory->stream)
		fclose(memory->stream);
	free(memory->text);
	*memory = (struct memory_stream){ 0 };
}
