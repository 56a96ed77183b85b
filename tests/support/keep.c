/* SPDX-License-Identifier: BSD-3-Clause */
/* Compares a directory with what it held, and puts it back. */
#include "support/keep.h"
#include "support/check.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/** Times of files advance in ticks of the kernel; none is longer. */
enum { TICK_NS = 20000000 };

struct node {
	char *name;
	bool directory;
	bool mapped; /* programs may have it in memory, and change it without another time */
	mode_t mode;
	struct node *children; /* sorted by name */
	size_t count;
	char *content;
	size_t size;
	bool borrowed; /* content and link are those of another directory that was kept */
	/* The file when it last was seen to hold @content, or the directory when it was seen to
	 * have these names, and when that was. */
	ino_t inode;
	struct timespec changed, seen;
	char *link; /* another link to a file that has more than one name; NULL: it has not */
};

struct kept {
	char *path, *links;
	struct node root;
};

/* ---- Files ---- */

static char *read_file(int directory, const char *name, size_t *size)
{
	int file = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
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

static void write_file(int directory, const struct node *node)
{
	int file = openat(directory, node->name,
			  O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);

	assert_true(file >= 0);
	assert_int_equal(fchmod(file, node->mode), 0);
	assert_int_equal(write(file, node->content, node->size), node->size);
	close(file);
}

static struct timespec time_now(void)
{
	struct timespec now;

	assert_int_equal(clock_gettime(CLOCK_REALTIME_COARSE, &now), 0);
	return now;
}

/** To be called before the content is read or written: what happens later is noticed. */
static void note_seen(struct node *node, const struct stat *status, struct timespec now)
{
	node->inode = status->st_ino;
	node->changed = status->st_mtim;
	node->seen = now;
}

static bool same_time(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

/** A file that was changed shortly before it was seen may have been changed since without another
 * time: it has to be read. */
static bool looks_untouched(const struct node *node, const struct stat *status)
{
	long long age = (node->seen.tv_sec - node->changed.tv_sec) * 1000000000LL +
			node->seen.tv_nsec - node->changed.tv_nsec;

	return !node->mapped && age > TICK_NS && status->st_ino == node->inode &&
	       (size_t)status->st_size == node->size && same_time(&status->st_mtim, &node->changed);
}

static bool file_equal(int directory, struct node *node, const struct stat *status)
{
	struct timespec now = time_now();
	size_t size;
	char *content;
	bool equal;

	if (looks_untouched(node, status))
		return true;
	if ((size_t)status->st_size != node->size)
		return false;
	content = read_file(directory, node->name, &size);
	equal = size == node->size && memcmp(content, node->content, size) == 0;
	free(content);
	if (equal)
		note_seen(node, status, now);
	return equal;
}

/* ---- Directories ---- */

static int open_directory(int parent, const char *name)
{
	int directory = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	assert_true(directory >= 0);
	return directory;
}

/** The names that programs under `isst emulate` have come to are none of what a machine is. */
static int visible(const struct dirent *entry)
{
	return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
	       strcmp(entry->d_name, "names") != 0;
}

/** Files of several names stay such: one more link to each keeps it, whatever becomes of the
 * others.
 */
static void keep_link(const struct kept *kept, struct node *node, int parent,
		      const struct stat *status)
{
	assert_true(asprintf(&node->link, "%s/%llu", kept->links,
			     (unsigned long long)status->st_ino) >= 0);
	if (linkat(parent, node->name, AT_FDCWD, node->link, 0))
		assert_int_equal(errno, EEXIST);
}

static int compare_name(const void *name, const void *node)
{
	return strcoll(name, ((const struct node *)node)->name);
}

static struct node *find_child(const struct node *node, const char *name)
{
	return bsearch(name, node->children, node->count, sizeof(*node->children), compare_name);
}

/** What looks like a file that was kept before need not be read. */
static bool borrow(struct node *node, const struct node *like, const struct stat *status)
{
	if (!like || like->directory || !looks_untouched(like, status))
		return false;
	node->content = like->content;
	node->size = like->size;
	node->borrowed = true;
	node->inode = like->inode;
	node->changed = like->changed;
	node->seen = like->seen;
	node->link = like->link;
	return true;
}

static void take_file(const struct kept *kept, struct node *node, const struct node *like,
		      int parent, const struct stat *status)
{
	assert_true(S_ISREG(status->st_mode));
	if (!borrow(node, like, status)) {
		note_seen(node, status, time_now());
		node->content = read_file(parent, node->name, &node->size);
	}
	if (status->st_nlink > 1 && kept->links && !node->link)
		keep_link(kept, node, parent, status);
}

/** @like: what was kept before of the same place, or NULL. */
static void take(const struct kept *kept, struct node *node, const struct node *like, int parent)
{
	struct dirent **entries;
	struct stat status;
	int directory, count;

	assert_int_equal(fstatat(parent, node->name, &status, AT_SYMLINK_NOFOLLOW), 0);
	node->directory = S_ISDIR(status.st_mode);
	node->mode = status.st_mode & 07777;
	if (!node->directory) {
		take_file(kept, node, like, parent, &status);
		return;
	}
	directory = open_directory(parent, node->name);
	count = scandirat(parent, node->name, &entries, visible, alphasort);
	assert_true(count >= 0);
	node->count = (size_t)count;
	node->children = calloc(node->count + 1, sizeof(*node->children));
	assert_non_null(node->children);
	for (size_t i = 0; i < node->count; i++) {
		node->children[i].name = strdup(entries[i]->d_name);
		node->children[i].mapped = node == &kept->root;
		take(kept, &node->children[i],
		     like && like->directory ? find_child(like, entries[i]->d_name) : NULL,
		     directory);
		free(entries[i]);
	}
	free(entries);
	close(directory);
}

static void remove_entry(int parent, const char *name)
{
	struct dirent **entries;
	int directory, count;

	if (unlinkat(parent, name, 0) == 0)
		return;
	assert_int_equal(errno, EISDIR);
	directory = open_directory(parent, name);
	count = scandirat(parent, name, &entries, visible, alphasort);
	for (int i = 0; i < count; i++) {
		remove_entry(directory, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	close(directory);
	assert_int_equal(unlinkat(parent, name, AT_REMOVEDIR), 0);
}

static bool compare(struct node *node, int parent, bool mend);

/** Whether a directory has the names that it had; what is too much is removed. */
static bool compare_names(const struct node *node, int directory, bool mend)
{
	DIR *stream = fdopendir(dup(directory));
	const struct dirent *entry;
	size_t found = 0;
	bool equal = true;

	assert_non_null(stream);
	while ((equal || mend) && (entry = readdir(stream))) {
		if (!visible(entry))
			continue;
		if (find_child(node, entry->d_name)) {
			found++;
			continue;
		}
		equal = false;
		if (mend)
			remove_entry(directory, entry->d_name);
	}
	closedir(stream);
	return equal && found == node->count;
}

/** A directory may have changed since it was seen without another time, as files may. */
static bool names_look_untouched(const struct node *node, const struct stat *status)
{
	long long age = (node->seen.tv_sec - node->changed.tv_sec) * 1000000000LL +
			node->seen.tv_nsec - node->changed.tv_nsec;

	return age > TICK_NS && status->st_ino == node->inode &&
	       same_time(&status->st_mtim, &node->changed);
}

/** A directory that is not like it was: what is too much, and what is another, or lacking. */
static bool compare_directory(struct node *node, int directory, const struct stat *status,
			      bool mend)
{
	struct timespec now = time_now();
	bool equal = true;

	if (!names_look_untouched(node, status)) {
		equal = compare_names(node, directory, mend);
		if (equal)
			note_seen(node, status, now);
	}
	for (size_t i = 0; i < node->count && (equal || mend); i++)
		equal = compare(&node->children[i], directory, mend) && equal;
	return equal;
}

/** Makes a name one of its file again. */
static void mend_link(const struct node *node, int parent, struct stat *status, bool *there)
{
	struct stat linked;

	assert_int_equal(stat(node->link, &linked), 0);
	if (*there && linked.st_ino == status->st_ino)
		return;
	if (*there)
		assert_int_equal(unlinkat(parent, node->name, 0), 0);
	assert_int_equal(linkat(AT_FDCWD, node->link, parent, node->name, 0), 0);
	*status = linked;
	*there = true;
}

static bool compare_file(struct node *node, int parent, struct stat *status, bool there, bool mend)
{
	struct timespec now = time_now();

	if (mend && node->link)
		mend_link(node, parent, status, &there);
	if (there && file_equal(parent, node, status))
		return true;
	if (mend) {
		write_file(parent, node);
		assert_int_equal(fstatat(parent, node->name, status, AT_SYMLINK_NOFOLLOW), 0);
		note_seen(node, status, now);
	}
	return false;
}

static bool compare(struct node *node, int parent, bool mend)
{
	struct stat status;
	bool there = fstatat(parent, node->name, &status, AT_SYMLINK_NOFOLLOW) == 0, equal;
	int directory;

	if (there && S_ISDIR(status.st_mode) != node->directory) {
		if (!mend)
			return false;
		remove_entry(parent, node->name);
		there = false;
	}
	if (!node->directory)
		return compare_file(node, parent, &status, there, mend);
	if (!there && !mend)
		return false;
	if (!there)
		assert_int_equal(mkdirat(parent, node->name, node->mode), 0);
	directory = open_directory(parent, node->name);
	assert_int_equal(fstat(directory, &status), 0);
	equal = compare_directory(node, directory, &status, mend) && there;
	close(directory);
	return equal;
}

/* ---- The whole ---- */

static struct kept *begin(const char *directory)
{
	struct kept *kept = calloc(1, sizeof(*kept));

	assert_non_null(kept);
	kept->path = strdup(directory);
	kept->root.name = strdup(directory);
	return kept;
}

struct kept *kept_take(const char *directory, const struct kept *like)
{
	struct kept *kept = begin(directory);

	assert_true(asprintf(&kept->links, "%s.links-XXXXXX", directory) >= 0);
	assert_non_null(mkdtemp(kept->links));
	take(kept, &kept->root, like ? &like->root : NULL, AT_FDCWD);
	return kept;
}

void kept_restore(struct kept *kept)
{
	compare(&kept->root, AT_FDCWD, true);
}

static void free_node(struct node *node)
{
	for (size_t i = 0; i < node->count; i++)
		free_node(&node->children[i]);
	free(node->children);
	if (!node->borrowed) {
		free(node->link);
		free(node->content);
	}
	free(node->name);
}

void kept_free(struct kept *kept)
{
	if (!kept)
		return;
	free_node(&kept->root);
	if (kept->links)
		remove_entry(AT_FDCWD, kept->links);
	free(kept->links);
	free(kept->path);
	free(kept);
}
