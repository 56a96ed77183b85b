/* SPDX-License-Identifier: BSD-3-Clause */
/* What a capture is going to write, kept until all of it was read. */
#include "base/array.h"
#include "features/capture.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int capture_keep_text(struct capture *capture, struct memory_stream *text, const char *path)
{
	int error = memory_stream_close(text);

	return error ? error : capture_keep(capture, path, text->text);
}

int capture_keep(struct capture *capture, const char *path, char *content)
{
	char *copy = strdup(path);

	if (!copy || ARRAY_GROW(capture->files, capture->file_count)) {
		free(copy);
		free(content);
		return -ENOMEM;
	}
	capture->files[capture->file_count].path = copy;
	capture->files[capture->file_count++].content = content;
	return 0;
}
