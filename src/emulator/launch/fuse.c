/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The file system that programs have in place of the kernel's files: the protocol of /dev/fuse, one
 * request after the other. The kernel never keeps contents. It keeps names and attributes until the
 * state changes, by whomever, where it can be notified, since Linux 6.16; else not at all.
 */
#include "emulator/launch/launch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { LARGEST_WRITE = 1 << 16 };

/** A request that is being answered. */
struct request {
	struct launch *launch;
	const struct fuse_in_header *head;
	const void *body;
	struct node *node;
};

/* ---- What the kernel keeps ---- */

/* fuse_notify_code and minor version of that, which headers may not have yet. */
enum { NOTIFY_EPOCH = 8, EPOCH_SINCE = 44, LONG = 3600 };

static int notified = -1; /* /dev/fuse, if the kernel takes notifications */
static int watch = -1;	  /* inotify(7), of the state directory */
static uint64_t kept;	  /* seconds */

/** Has the kernel ask again for all that it keeps. */
static void forget_kept(void)
{
	const struct fuse_out_header out = { .len = sizeof(out), .error = NOTIFY_EPOCH };

	(void)!write(notified, &out, sizeof(out));
}

/** The handler of SIGIO. Events are read, since one that is like the last one in the queue, or
 * finds that full, sends no signal. */
static void state_changed(int unused)
{
	const int error = errno;
	char events[4096];

	(void)unused;
	while (read(watch, events, sizeof(events)) > 0)
		;
	forget_kept();
	errno = error;
}

/** Has a signal sent when a process outside has changed the state, which it touches last. */
static void watch_state(const char *state)
{
	const struct sigaction action = { .sa_handler = state_changed, .sa_flags = SA_RESTART };

	watch = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (watch < 0 || sigaction(SIGIO, &action, NULL) || fcntl(watch, F_SETOWN, getpid()) ||
	    fcntl(watch, F_SETFL, O_ASYNC | O_NONBLOCK) ||
	    inotify_add_watch(watch, state, IN_ATTRIB | IN_CLOSE_WRITE | IN_MOVED_TO) < 0)
		return;
	kept = LONG;
}

static void answer(const struct request *request, int result, const void *data, size_t size)
{
	const struct fuse_out_header out = { .len = (uint32_t)(sizeof(out) + (result ? 0 : size)),
					     .error = result,
					     .unique = request->head->unique };
	/* What is written is only read. */
	static uint64_t answered;
	const uint64_t generation = request->launch->emulated->server.generation;
	const struct iovec parts[] = { { (void *)&out, sizeof(out) }, { (void *)data, size } };

	files_release(request->launch->emulated);
	/* A change is seen by all who look once it is answered. */
	if (kept && generation != answered) {
		answered = generation;
		forget_kept();
	}
	/* It fails where the caller was killed meanwhile. */
	(void)!writev(request->launch->fuse, parts, result || !size ? 1 : 2);
}

static struct fuse_entry_out entry_of(const struct node *node)
{
	return (struct fuse_entry_out){ .nodeid = (uintptr_t)node,
					.attr = node->attributes,
					.entry_valid = kept,
					.attr_valid = kept };
}

/* ---- Names ---- */

static void do_lookup(const struct request *request)
{
	struct node *node = request->node;
	int result = tree_find(request->launch, request->node, request->body, &node);
	const struct fuse_entry_out out = entry_of(node);

	answer(request, result, &out, sizeof(out));
}

/** chmod(2), chown(2), truncate(2) and utimensat(2) succeed and change nothing. */
static void do_getattr(const struct request *request)
{
	struct fuse_attr_out out = { .attr_valid = kept };
	/* What is open keeps its attributes when it is gone. */
	int result = request->node->gone ? 0 : tree_look(request->launch, request->node);

	out.attr = request->node->attributes;
	answer(request, result == -ENOENT ? 0 : result, &out, sizeof(out));
}

static void do_readlink(const struct request *request)
{
	struct kernel_status status = { 0 };
	int result = files_look(request->launch->emulated, request->node->path, false, &status);

	answer(request,
	       result	       ? result
	       : status.target ? 0
			       : -EINVAL,
	       status.target, status.target ? strlen(status.target) : 0);
	free(status.target);
}

static int change_name(const struct request *request, const char *name,
		       int (*change)(void *data, const char *path))
{
	char path[PATH_MAX];

	return tree_join(request->node, name, path) ? change(request->launch->emulated, path)
						    : -ENAMETOOLONG;
}

static void do_mkdir(const struct request *request)
{
	const char *name = (const char *)request->body + sizeof(struct fuse_mkdir_in);
	struct node *node = request->node;
	int result = change_name(request, name, emulated_files.mkdir);
	struct fuse_entry_out out;

	if (!result)
		result = tree_find(request->launch, request->node, name, &node);
	out = entry_of(node);
	answer(request, result, &out, sizeof(out));
}

static void do_rmdir(const struct request *request)
{
	struct node *node;
	int result = change_name(request, request->body, emulated_files.rmdir);

	/* A directory that is made anew is another one. */
	if (!result)
		tree_find(request->launch, request->node, request->body, &node);
	answer(request, result, NULL, 0);
}

/* ---- What is open: names or contents of when they were read from the beginning ---- */

struct open_file {
	char **names; /* each behind the letter of its kind */
	size_t count;
	char *text;
	size_t size;
	bool was_read;
};

static void do_open(const struct request *request)
{
	const struct fuse_open_in *in = request->body;
	struct open_file *file = calloc(1, sizeof(*file));
	const struct fuse_open_out out = { .fh = (uintptr_t)file, .open_flags = FOPEN_DIRECT_IO };
	int result = file ? 0 : -ENOMEM;

	/* Not even root may open what has no permission for it: in sysfs and below /proc/sys. */
	if (!result && (in->flags & O_ACCMODE) != O_RDONLY &&
	    !(request->node->attributes.mode & 0222) &&
	    (strncmp(request->node->path, "/proc/", 6) != 0 ||
	     strncmp(request->node->path, "/proc/sys/", 10) == 0))
		result = -EACCES;
	if (result)
		free(file);
	answer(request, result, &out, sizeof(out));
}

/** Forgets what was read. */
static void clear(struct open_file *file)
{
	if (file->names)
		kernel_free_list(file->names, file->count);
	free(file->text);
	*file = (struct open_file){ 0 };
}

static void do_release(const struct request *request)
{
	const struct fuse_release_in *in = request->body;
	struct open_file *file = pointer_of(in->fh);

	clear(file);
	free(file);
	answer(request, 0, NULL, 0);
}

/** Adds an entry where there is space for it. Returns its size, or 0. */
static size_t add_entry(const struct request *request, char *buffer, size_t space, size_t index,
			const char *listed)
{
	const char kind = *listed, *name = listed + 1;
	const size_t length = strlen(name);
	const bool plus = request->head->opcode == FUSE_READDIRPLUS;
	const size_t begin = plus ? sizeof(struct fuse_entry_out) : 0;
	const size_t size = begin + FUSE_DIRENT_ALIGN(FUSE_NAME_OFFSET + length);
	struct fuse_dirent *entry = (struct fuse_dirent *)(void *)(buffer + begin);
	struct node *node;
	char path[PATH_MAX];

	if (size > space)
		return 0;
	/* The buffer is clear, which is an entry to be looked up when it is needed. */
	if (plus && *name != '.' && tree_find(request->launch, request->node, name, &node) == 0)
		*(struct fuse_entry_out *)(void *)buffer = entry_of(node);
	*entry = (struct fuse_dirent){
		.ino = tree_join(request->node, name, path) ? tree_inode(path) : 1,
		.off = index + 1,
		.namelen = (uint32_t)length,
		.type = kind == 'd'   ? DT_DIR
			: kind == 'l' ? DT_LNK
				      : DT_REG,
	};
	memcpy(entry->name, name, length);
	return size;
}

static void do_readdir(const struct request *request)
{
	static const char *const dots[] = { "d.", "d.." };
	const struct fuse_read_in *in = request->body;
	struct open_file *file = pointer_of(in->fh);
	char *buffer = calloc(1, in->size);
	size_t used = 0, added = 1;
	int result = buffer ? 0 : -ENOMEM;

	if (!result && in->offset == 0) {
		clear(file);
		result = tree_list(request->launch, request->node, &file->names, &file->count);
		/* A directory that was removed is empty. */
		if (result) {
			*file = (struct open_file){ 0 };
			result = result == -ENOENT ? 0 : result;
		}
	}
	for (size_t i = in->offset; !result && added && i < file->count + 2; i++) {
		added = add_entry(request, buffer + used, in->size - used, i,
				  i < 2 ? dots[i] : file->names[i - 2]);
		used += added;
	}
	answer(request, result, buffer, used);
	free(buffer);
}

/** An open file that no longer exists. */
static int of_open(int result)
{
	return result == -ENOENT ? -ENODEV : result;
}

static bool is_register(const char *path)
{
	return strncmp(path, "/dev/cpu/", 9) == 0 && strcmp(strrchr(path, '/'), "/msr") == 0;
}

/** The same register over and over, as the driver does it. Returns the bytes that were read or
 * written, or an error. */
static ssize_t access_register(const struct request *request, bool write, uint64_t position,
			       uint64_t *values, size_t size)
{
	size_t done = 0;
	int result = size % sizeof(*values) ? -EINVAL : 0;

	while (!result && done < size) {
		result = files_access(request->launch->emulated, request->node->path, write,
				      position, &values[done / sizeof(*values)]);
		done += result ? 0 : sizeof(*values);
	}
	return done ? (ssize_t)done : result;
}

static void do_read(const struct request *request)
{
	const struct fuse_read_in *in = request->body;
	struct open_file *file = pointer_of(in->fh);
	uint64_t values[512];
	size_t at, size = in->size;
	ssize_t result = 0;

	if (is_register(request->node->path)) {
		result = access_register(request, false, in->offset, values,
					 size < sizeof(values) ? size : sizeof(values));
		answer(request, result < 0 ? (int)result : 0, values, (size_t)result);
		return;
	}
	if (in->offset == 0 || !file->was_read) {
		clear(file);
		result = of_open(emulated_files.read(request->launch->emulated, request->node->path,
						     &file->text, &file->size));
		if (result)
			*file = (struct open_file){ 0 };
		file->was_read = !result;
	}
	at = in->offset < file->size ? in->offset : file->size;
	if (size > file->size - at)
		size = file->size - at;
	answer(request, (int)result, size ? file->text + at : NULL, size);
}

static void do_write(const struct request *request)
{
	const struct fuse_write_in *in = request->body;
	struct fuse_write_out out = { .size = in->size };
	ssize_t result;

	if (is_register(request->node->path)) {
		/* The buffer of requests is the server's own. */
		result = access_register(request, true, in->offset, (uint64_t *)(in + 1), in->size);
		out.size = (uint32_t)result;
	} else {
		result = of_open(emulated_files.write(request->launch->emulated,
						      request->node->path, (const char *)(in + 1),
						      in->size));
	}
	answer(request, result < 0 ? (int)result : 0, &out, sizeof(out));
}

/* ---- The file system ---- */

static void do_init(const struct request *request)
{
	const struct fuse_init_in *in = request->body;
	struct fuse_init_out out = {
		.major = FUSE_KERNEL_VERSION,
		.minor = in->minor < FUSE_KERNEL_MINOR_VERSION ? in->minor
							       : FUSE_KERNEL_MINOR_VERSION,
		.max_write = LARGEST_WRITE,
		.flags = in->flags & (FUSE_ATOMIC_O_TRUNC | FUSE_BIG_WRITES | FUSE_PARALLEL_DIROPS),
		.max_background = 16,
	};

	if (in->minor >= EPOCH_SINCE) {
		notified = request->launch->fuse;
		watch_state(request->launch->state);
	}
	/* Attributes are what the lister of a directory asks for next. */
	if (kept)
		out.flags |= in->flags & (FUSE_DO_READDIRPLUS | FUSE_READDIRPLUS_AUTO);
	answer(request, 0, &out, sizeof(out));
}

static void do_statfs(const struct request *request)
{
	const struct fuse_statfs_out out = { .st = { .bsize = 4096, .namelen = NAME_MAX } };

	answer(request, 0, &out, sizeof(out));
}

/** The kernel's file systems make and remove no files. */
static void do_refuse(const struct request *request)
{
	answer(request, request->head->opcode == FUSE_CREATE ? -EACCES : -EPERM, NULL, 0);
}

/** What needs no answer. */
static void do_nothing(const struct request *request)
{
	(void)request;
}

static void (*const operations[])(const struct request *request) = {
	[FUSE_LOOKUP] = do_lookup,
	[FUSE_FORGET] = do_nothing,
	[FUSE_GETATTR] = do_getattr,
	[FUSE_SETATTR] = do_getattr,
	[FUSE_READLINK] = do_readlink,
	[FUSE_SYMLINK] = do_refuse,
	[FUSE_MKNOD] = do_refuse,
	[FUSE_MKDIR] = do_mkdir,
	[FUSE_UNLINK] = do_refuse,
	[FUSE_RMDIR] = do_rmdir,
	[FUSE_RENAME] = do_refuse,
	[FUSE_LINK] = do_refuse,
	[FUSE_OPEN] = do_open,
	[FUSE_READ] = do_read,
	[FUSE_WRITE] = do_write,
	[FUSE_STATFS] = do_statfs,
	[FUSE_RELEASE] = do_release,
	[FUSE_INIT] = do_init,
	[FUSE_OPENDIR] = do_open,
	[FUSE_READDIR] = do_readdir,
	[FUSE_READDIRPLUS] = do_readdir,
	[FUSE_RELEASEDIR] = do_release,
	[FUSE_CREATE] = do_refuse,
	[FUSE_INTERRUPT] = do_nothing,
	[FUSE_BATCH_FORGET] = do_nothing,
	[FUSE_RENAME2] = do_refuse,
};

/** The kernel itself does the rest after an answer of ENOSYS. */
static void dispatch(struct request *request)
{
	const struct fuse_in_header *head = request->head;

	request->node = tree_node(head->nodeid);
	faults_set_caller((pid_t)head->pid);
	if (head->opcode >= sizeof(operations) / sizeof(*operations) || !operations[head->opcode])
		answer(request, -ENOSYS, NULL, 0);
	else
		operations[head->opcode](request);
}

void fuse_serve(struct launch *launch)
{
	static char buffer[LARGEST_WRITE + 8192] __attribute__((aligned(8)));
	struct request request = { .launch = launch,
				   .head = (const struct fuse_in_header *)(const void *)buffer,
				   .body = buffer + sizeof(struct fuse_in_header) };

	for (;;) {
		ssize_t size = read(launch->fuse, buffer, sizeof(buffer) - 1);

		/* A request may have been given up; and there is none left when it is unmounted. */
		if (size < 0 && (errno == EINTR || errno == ENOENT || errno == EAGAIN))
			continue;
		if (size < (ssize_t)sizeof(struct fuse_in_header))
			return;
		dispatch(&request);
	}
}
