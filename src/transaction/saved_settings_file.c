/* SPDX-License-Identifier: BSD-3-Clause */
/* The files of saved settings: which lines they can have, and how they are read and written. */
#include "transaction/saved_settings_file.h"
#include "base/runtime_file.h"
#include "common/memory_stream.h"
#include "transaction/tracked.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PREFIX "record-"

struct item_line settings_mark(const struct item *domain, unsigned int level)
{
	return (struct item_line){ .item = *domain, .level = level };
}

bool settings_is_mark(const struct item_line *line)
{
	/* No feature writes a level. */
	return line->item.kind == ITEM_LEVEL;
}

/** The name within the runtime directory; NULL without memory. To be freed. */
static char *file_name(const char *name, bool staged)
{
	char *file;

	return asprintf(&file, PREFIX "%s%s", name, staged ? ".staged" : "") < 0 ? NULL : file;
}

/** Whether `enable --auto` of a feature writes items of a kind, or takes them over from the other
 * feature; or the kind is a mark's. */
static bool is_saved_kind(enum item_kind kind)
{
	static const bool RECORDED[ITEM_KINDS] = {
		[ITEM_LEVEL] = true,	   [ITEM_FEATURES] = true,
		[ITEM_CORE_POWER] = true,  [ITEM_QOS] = true,
		[ITEM_CLOS] = true,	   [ITEM_ASSOCIATION] = true,
		[ITEM_SCALING_MAX] = true, [ITEM_TURBO_RATIO_LIMITS] = true,
		[ITEM_SCALING_MIN] = true, [ITEM_CPUSET_GROUPS] = true,
	};

	return RECORDED[kind];
}

/** Whether a line is one that `enable --auto` can have saved on this machine. Returns 0 or 1, or
 * -ENOMEM. */
static int is_possible(struct isst_context *context, const struct item_line *line)
{
	int place;

	if (!is_saved_kind(line->item.kind) || !item_value_is_plausible(&line->item, line->old) ||
	    !item_value_is_plausible(&line->item, line->written))
		return 0;
	place = item_place(context, &line->item, NULL);
	if (place < 0)
		return place;
	return place != PLACE_NONE && !item_is_of_no_core(context, &line->item);
}

static int check_lines(struct isst_context *context, const char *file,
		       const struct item_lines *saved)
{
	int possible = 1;

	for (size_t i = 0; i < saved->count && possible > 0; i++) {
		possible = is_possible(context, &saved->items[i]);
		if (possible == 0)
			/* The first line is the header. */
			return item_lines_refuse(context, file, i + 2,
						 "not possible on this machine");
	}
	return possible < 0 ? possible : 0;
}

int settings_file_read(struct isst_context *context, const char *name, bool staged,
		       struct item_lines *saved)
{
	char *file = file_name(name, staged);
	int error;

	*saved = (struct item_lines){ 0 };
	error = file ? item_lines_read(context, file, saved) : -ENOMEM;
	if (!error)
		error = check_lines(context, file, saved);
	if (error)
		item_lines_clear(saved);
	free(file);
	return error;
}

/** The text of a file that holds lines, to be freed. */
static int make_text(struct isst_context *context, const char *file, const struct item_lines *saved,
		     char **text)
{
	char *header = NULL;
	int error = item_lines_header(context, file, ITEM_LINES_VERSION, &header);
	struct memory_stream memory = { 0 };

	*text = NULL;
	if (!error)
		error = memory_stream_open(&memory);
	if (!error) {
		fputs(header, memory.stream);
		for (size_t i = 0; i < saved->count; i++)
			item_line_print(memory.stream, &saved->items[i]);
		fputs(ITEM_LINES_END "\n", memory.stream);
		error = memory_stream_close(&memory);
		*text = memory.text;
	}
	free(header);
	return error;
}

int settings_file_write(struct isst_context *context, const char *name, bool staged,
			const struct item_lines *saved, bool over)
{
	const struct runtime_directory *directory = &context->runtime;
	char *file = file_name(name, staged), *text = NULL;
	int error = file ? 0 : -ENOMEM;

	if (!error && saved->count == 0) {
		error = runtime_file_remove(directory, file);
	} else if (!error) {
		error = make_text(context, file, saved, &text);
		if (!error)
			error = runtime_file_replace(directory, file, text);
		if (error && text && over && !staged &&
		    runtime_file_overwrite(directory, file, text) == 0)
			error = 0;
	}
	free(file);
	free(text);
	return error;
}

int settings_file_adopt(struct isst_context *context, const char *name)
{
	char *staged = file_name(name, true), *file = file_name(name, false);
	int error = staged && file ? runtime_file_rename(&context->runtime, staged, file) : -ENOMEM;

	free(staged);
	free(file);
	return error;
}

int settings_file_check_staged(struct isst_context *context, const char *name)
{
	char *file = file_name(name, true);
	struct item_lines saved = { 0 };
	int error = file ? item_lines_read(context, file, &saved) : -ENOMEM;

	item_lines_clear(&saved);
	free(file);
	return error;
}

int settings_file_discard(struct isst_context *context, const char *name, bool staged)
{
	char *file = file_name(name, staged);
	int error = file ? runtime_file_discard(&context->runtime, file) : -ENOMEM;

	free(file);
	return error;
}

/** Whether a file is written under the lock alone. */
static bool is_of_changes(const char *file)
{
	return strncmp(file, PREFIX, sizeof(PREFIX) - 1) == 0 || strcmp(file, BOOT_STATE_FILE) == 0;
}

void settings_file_clean(struct isst_context *context)
{
	runtime_directory_clean(&context->runtime, is_of_changes);
}
