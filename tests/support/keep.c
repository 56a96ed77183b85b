/* SPDX-License-Identifier: BSD-3-Clause */
/* Compares a directory with what it held, and puts it back. */
#include "support/keep.h"
#include "support/check.h"

#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

/** A file, or a directory. */
struct node {
	char *path;
	mode_t mode;
	char *content;
	size_t size;
};

struct kept {
	char *path;
	struct node *nodes; /* directories before what is in them */
	size_t count;
};

/** What nftw() is at work for. */
static struct kept *walked;

/** The names that programs under `isst emulate` have come to are none of what a machine is. */
static bool is_visible(const char *path)
{
	return !strstr(path, "/names/") && strcmp(strrchr(path, '/'), "/names") != 0;
}

static char *read_file(const char *path, size_t *size)
{
	int file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	struct stat status;
	char *content;

	assert_true(file >= 0);
	assert_int_equal(fstat(file, &status), 0);
	*size = (size_t)status.st_size;
	content = malloc(*size + 1);
	assert_non_null(content);
	assert_int_equal(pread(file, content, *size, 0), *size);
	close(file);
	return content;
}

static int take_node(const char *path, const struct stat *status, int type, struct FTW *where)
{
	struct node *node;

	(void)type;
	(void)where;
	if (!is_visible(path))
		return 0;
	assert_true(S_ISREG(status->st_mode) || S_ISDIR(status->st_mode));
	walked->nodes = realloc(walked->nodes, (walked->count + 1) * sizeof(*walked->nodes));
	assert_non_null(walked->nodes);
	node = &walked->nodes[walked->count++];
	*node = (struct node){ .path = strdup(path), .mode = status->st_mode };
	if (S_ISREG(status->st_mode))
		node->content = read_file(path, &node->size);
	return 0;
}

struct kept *kept_take(const char *directory)
{
	walked = calloc(1, sizeof(*walked));
	assert_non_null(walked);
	walked->path = strdup(directory);
	assert_int_equal(nftw(directory, take_node, 16, FTW_PHYS), 0);
	return walked;
}

/** Removes what was not there, or was no directory and is one, or the reverse. */
static int remove_other(const char *path, const struct stat *status, int type, struct FTW *where)
{
	(void)type;
	(void)where;
	for (size_t i = 0; i < walked->count; i++)
		if (strcmp(walked->nodes[i].path, path) == 0 &&
		    (walked->nodes[i].mode & S_IFMT) == (status->st_mode & S_IFMT))
			return 0;
	return is_visible(path) ? remove(path) : 0;
}

/** A file stays the same one: programs may have it in memory. */
static void restore_file(const struct node *node)
{
	int file = open(node->path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	char *content;
	size_t size;

	assert_true(file >= 0);
	content = read_file(node->path, &size);
	if (size != node->size || memcmp(content, node->content, size) != 0) {
		assert_int_equal(ftruncate(file, 0), 0);
		assert_int_equal(write(file, node->content, node->size), node->size);
	}
	assert_int_equal(fchmod(file, node->mode & 07777), 0);
	free(content);
	close(file);
}

void kept_restore(struct kept *kept)
{
	walked = kept;
	assert_int_equal(nftw(kept->path, remove_other, 16, FTW_DEPTH | FTW_PHYS), 0);
	for (size_t i = 0; i < kept->count; i++)
		if (kept->nodes[i].content)
			restore_file(&kept->nodes[i]);
		else
			assert_true(mkdir(kept->nodes[i].path, kept->nodes[i].mode & 07777) == 0 ||
				    errno == EEXIST);
}

void kept_free(struct kept *kept)
{
	if (!kept)
		return;
	for (size_t i = 0; i < kept->count; i++) {
		free(kept->nodes[i].path);
		free(kept->nodes[i].content);
	}
	free(kept->nodes);
	free(kept->path);
	free(kept);
}
