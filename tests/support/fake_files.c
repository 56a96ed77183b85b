/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of files at work. */
#include "support/fake_files.h"
#include "support/check.h"

static void add(struct fake_files *files, const char *path, const void *bytes, size_t size,
		int error)
{
	struct fake_file *file;

	if (!(files->count & (files->count - 1))) {
		files->files = reallocarray(files->files, files->count ? 2 * files->count : 1,
					    sizeof(*files->files));
		assert_non_null(files->files);
	}
	file = &files->files[files->count++];
	*file = (struct fake_file){
		.path = strdup(path), .content = malloc(size + 1), .size = size, .error = error
	};
	assert_non_null(file->path);
	assert_non_null(file->content);
	if (size)
		memcpy(file->content, bytes, size);
	file->content[size] = '\0';
}

void fake_file(struct fake_files *files, const char *path, const char *format, ...)
{
	va_list arguments;
	char *text, *line;
	int size;

	va_start(arguments, format);
	assert_true(vasprintf(&text, format, arguments) >= 0);
	va_end(arguments);
	size = asprintf(&line, "%s\n", text);
	assert_true(size >= 0);
	add(files, path, line, (size_t)size, 0);
	free(text);
	free(line);
}

void fake_file_bytes(struct fake_files *files, const char *path, const void *bytes, size_t size)
{
	add(files, path, bytes, size, 0);
}

void fake_file_error(struct fake_files *files, const char *path, int error)
{
	add(files, path, NULL, 0, error);
}

static struct fake_file *find(struct fake_files *files, const char *path)
{
	for (size_t i = files->count; i-- > 0;)
		if (strcmp(files->files[i].path, path) == 0)
			return &files->files[i];
	return NULL;
}

int fake_files_read(struct fake_files *files, const char *path, char **content, size_t *size)
{
	const struct fake_file *file = find(files, path);

	files->reads++;
	if (!file || file->error)
		return file ? file->error : -ENOENT;
	*content = malloc(file->size + 1);
	assert_non_null(*content);
	memcpy(*content, file->content, file->size + 1);
	*size = file->size;
	return 0;
}

/** The name that a path has in a directory, with the length of it; NULL for a path elsewhere. */
static const char *name_below(const char *directory, const char *path, size_t *length)
{
	size_t skipped = strlen(directory);

	if (strncmp(path, directory, skipped) != 0 || path[skipped] != '/')
		return NULL;
	*length = strcspn(path + skipped + 1, "/");
	return path + skipped + 1;
}

static bool is_listed(char *const *names, size_t count, const char *name, size_t length)
{
	for (size_t i = 0; i < count; i++)
		if (strlen(names[i]) == length && strncmp(names[i], name, length) == 0)
			return true;
	return false;
}

int fake_files_list(struct fake_files *files, const char *path, char ***names, size_t *count)
{
	char **found = calloc(files->count + 1, sizeof(*found));

	if (!files->listable)
		fail_msg("%s is listed", path);
	files->lists++;
	if (files->list_error) {
		/* As a machine that fails amid a directory. */
		*names = found;
		*count = 1;
		free(found);
		return files->list_error;
	}
	assert_non_null(found);
	*count = 0;
	for (size_t i = 0; i < files->count; i++) {
		size_t length;
		const char *name = name_below(path, files->files[i].path, &length);

		if (!name || is_listed(found, *count, name, length))
			continue;
		found[*count] = strndup(name, length);
		assert_non_null(found[(*count)++]);
	}
	if (*count == 0) {
		free(found);
		return -ENOENT;
	}
	*names = found;
	return 0;
}

void fake_file_refuses(struct fake_files *files, const char *path, int error)
{
	struct fake_file *file = find(files, path);

	assert_non_null(file);
	file->write_error = error;
	file->stubborn = true;
}

int fake_files_note(struct fake_files *files, const char *what, const char *path)
{
	char *longer;

	if (!files->writable)
		fail_msg("%s %s", what, path);
	assert_true(asprintf(&longer, "%s%s %s\n", files->written ? files->written : "", what,
			     path) > 0);
	free(files->written);
	files->written = longer;
	return 0;
}

int fake_files_write(struct fake_files *files, const char *path, const char *content, size_t size)
{
	struct fake_file *file = find(files, path);
	char *what;

	assert_int_equal(strlen(content), size);
	if (!file || file->error)
		return file ? file->error : -ENOENT;
	assert_true(asprintf(&what, "'%s' >", content) > 0);
	fake_files_note(files, what, path);
	free(what);
	if (file->stubborn)
		return file->write_error;
	fake_file(files, path, "%s", content);
	return 0;
}

void fake_files_clear(struct fake_files *files)
{
	for (size_t i = 0; i < files->count; i++) {
		free(files->files[i].path);
		free(files->files[i].content);
	}
	free(files->files);
	free(files->written);
}
