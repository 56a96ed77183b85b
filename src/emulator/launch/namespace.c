/* SPDX-License-Identifier: BSD-3-Clause */
/* What the program sees in place of the system: namespaces, and what is mounted where in them. */
#include "emulator/launch/launch.h"

#include "driver/abi.h"
#include "emulator/model/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/mount.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* What is mounted first is mounted here, the first of what the machine has, and is hidden in the
 * end by that. */
static const char scratch[] = "/sys/devices/system/cpu";

/* ---- Ids ---- */

int task_put(pid_t task, const char *name, const char *text)
{
	char path[50];
	int file, result;

	snprintf(path, sizeof(path), "/proc/%d/%s", task, name);
	file = open(path, O_WRONLY | O_CLOEXEC);
	result = file < 0 || write(file, text, strlen(text)) < 0 ? -errno : 0;
	if (file >= 0)
		close(file);
	return result;
}

/** Lets a namespace have one user and group: those of the caller, as they are to be seen. @real:
 * the namespace around has them as they are */
static int map_caller(const struct launch *launch, pid_t process, bool real)
{
	char users[40], groups[40];
	int result;

	snprintf(users, sizeof(users), "%u %u 1", launch->shown_user,
		 real ? launch->user : launch->shown_user);
	snprintf(groups, sizeof(groups), "%u %u 1", launch->shown_group,
		 real ? launch->group : launch->shown_group);
	result = task_put(process, "uid_map", users);
	return result ? result : task_put(process, "gid_map", groups);
}

/** Lets it have all that the caller's namespace has, as they are. */
static int map_all(pid_t process, const char *map)
{
	char path[50], lines[4096] = "", *own = NULL;
	unsigned long first, count;
	size_t used = 0, size;
	int result;

	snprintf(path, sizeof(path), "/proc/self/%s", map);
	result = text_read(AT_FDCWD, path, &own, &size);
	for (char *at = own; !result && *at && used < sizeof(lines); at += strspn(at, " \n")) {
		first = strtoul(at, &at, 10);
		strtoul(at, &at, 10);
		count = strtoul(at, &at, 10);
		used += (size_t)snprintf(lines + used, sizeof(lines) - used, "%lu %lu %lu\n", first,
					 first, count);
	}
	free(own);
	return result ? result : task_put(process, map, lines);
}

int namespace_enter_user(const struct launch *launch, char **error)
{
	int result;

	if (launch->privileged)
		return 0;
	if (unshare(CLONE_NEWUSER))
		return requirement_missing(NO_USER_NAMESPACE, -errno, error);
	/* Kernels without this file need no word of it. */
	task_put(getpid(), "setgroups", "deny");
	result = map_caller(launch, getpid(), true);
	return result ? requirement_missing(NO_USER_NAMESPACE, result, error) : 0;
}

int namespace_map(const struct launch *launch, pid_t program)
{
	int result;

	if (!launch->privileged || launch->shown_user != launch->user)
		return map_caller(launch, program, launch->privileged);
	result = map_all(program, "uid_map");
	return result ? result : map_all(program, "gid_map");
}

/* ---- Mounts ---- */

static int refuse_mount(char **error)
{
	return requirement_missing(NO_MOUNT, -errno, error);
}

/** Makes a mount read-only, with all below it. Returns 0 or a negative errno. */
static int mount_read_only(const char *path)
{
	struct mount_attr read_only = { .attr_set = MOUNT_ATTR_RDONLY };

	return syscall(SYS_mount_setattr, AT_FDCWD, path, AT_RECURSIVE | AT_SYMLINK_NOFOLLOW,
		       &read_only, sizeof(read_only))
		       ? -errno
		       : 0;
}

/** Whether a name is one of @words, which have a space on both sides. */
static bool is_among(const char *name, const char *words)
{
	const char *at = words;
	const size_t length = strlen(name);

	while ((at = strstr(at, name)) && (at[-1] != ' ' || at[length] != ' '))
		at++;
	return at;
}

/** Replaces the escapes of /proc/self/mountinfo: a backslash and three octal digits. */
static void unescape(char *path)
{
	char *to = path;

	for (; *path; path++)
		if (*path == '\\' && strspn(path + 1, "01234567") >= 3) {
			*to++ = (char)((path[1] & 7) << 6 | (path[2] & 7) << 3 | (path[3] & 7));
			path += 3;
		} else {
			*to++ = *path;
		}
	*to = '\0';
}

/** Makes mounts of the kernel's files elsewhere read-only, as for roots of other systems. */
static int protect_mounts(void)
{
	static const char types[] = " sysfs proc cgroup cgroup2 debugfs tracefs securityfs resctrl"
				    " configfs ";
	FILE *mounts = fopen("/proc/self/mountinfo", "re");
	char *line = NULL, path[PATH_MAX], type[40];
	size_t space = 0;
	int result = mounts ? 0 : -errno;

	while (!result && getline(&line, &space, mounts) > 0) {
		const char *end = strstr(line, " - ");

		if (!end || sscanf(line, "%*s %*s %*s %*s %4095s", path) != 1 ||
		    sscanf(end, " - %39s", type) != 1 || !is_among(type, types) ||
		    strcmp(path, "/proc") == 0)
			continue;
		unescape(path);
		result = mount_read_only(path);
		/* Another mount hides it. */
		if (result == -EINVAL || result == -ENOENT || result == -EACCES)
			result = 0;
	}
	free(line);
	if (mounts)
		fclose(mounts);
	return result;
}

/** What real root may change only by being root: files of the kernel that ask for no capability. */
static int protect(char **error)
{
	static const char *const kept[] = { "/proc/sys",  "/proc/sysrq-trigger",
					    "/proc/irq",  "/proc/bus",
					    "/proc/fs",	  "/proc/acpi",
					    "/proc/scsi", "/proc/driver",
					    "/proc/mtrr", "/proc/dynamic_debug" };
	int result = mount_read_only("/sys");

	if (!result)
		result = protect_mounts();
	for (size_t i = 0; i < sizeof(kept) / sizeof(*kept) && !result; i++)
		if (mount(kept[i], kept[i], NULL, MS_BIND | MS_REC, NULL) == 0)
			result = mount_read_only(kept[i]);
		else if (errno != ENOENT)
			result = -errno;
	return result ? requirement_missing(NO_MOUNT, result, error) : 0;
}

/** Devices but those that belong to no hardware: by others root reaches the machine past the
 * kernel, or holds its CPUs awake; and sockets of services that do for others what these may not:
 * reboot, place on CPUs, start containers. */
static bool is_withheld(const char *directory, const struct dirent *entry)
{
	static const char devices[] = " console full fuse hugepages kmsg log mqueue net null ptmx"
				      " pts random shm tty urandom zero ";
	static const char services[] = " buildkit containerd crio dbus docker docker.sock incus"
				       " initctl libvirt lxd podman power-profiles-daemon"
				       " snapd.socket snapd-snap.socket thermald tuned ";
	/* What libraries ask for names, and logs. */
	static const char of_systemd[] = " journal netif notify resolve seats sessions userdb"
					 " users ";

	if (strcmp(directory, "/run") == 0)
		return is_among(entry->d_name, services);
	if (strcmp(directory, "/run/systemd") == 0)
		return !is_among(entry->d_name, of_systemd);
	return strcmp(directory, "/dev") == 0 && entry->d_type != DT_LNK &&
	       !is_among(entry->d_name, devices);
}

/** A file or directory to mount on. */
static int make_place(const char *path, bool directory)
{
	int file;

	if (directory)
		return mkdir(path, 0755) && errno != EEXIST ? -1 : 0;
	file = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	return file < 0 ? -1 : close(file);
}

static int keep_entry(const char *directory, const struct dirent *entry)
{
	char from[PATH_MAX], to[PATH_MAX], target[PATH_MAX];
	ssize_t length;

	snprintf(from, sizeof(from), "%s/%s", directory, entry->d_name);
	snprintf(to, sizeof(to), "%s/%s", scratch, entry->d_name);
	if (entry->d_type == DT_LNK) {
		length = readlink(from, target, sizeof(target) - 1);
		if (length < 0)
			return -1;
		target[length] = '\0';
		return symlink(target, to);
	}
	return make_place(to, entry->d_type == DT_DIR) ||
	       mount(from, to, NULL, MS_BIND | MS_REC, NULL);
}

/** Replaces a directory by one of the same entries in which others can be made. What programs make
 * in it is gone with them. */
static int open_up(const char *path, char **error)
{
	struct dirent *entry;
	struct stat status;
	char options[20];
	DIR *stream = opendir(path);

	if (!stream || fstat(dirfd(stream), &status))
		return refuse_mount(error);
	snprintf(options, sizeof(options), "mode=%o", status.st_mode & 07777U);
	if (mount("tmpfs", scratch, "tmpfs", MS_NOSUID, options)) {
		closedir(stream);
		return refuse_mount(error);
	}
	while ((entry = readdir(stream)))
		/* What cannot be kept has gone meanwhile, or is nothing for this user. */
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
		    !is_withheld(path, entry))
			(void)keep_entry(path, entry);
	closedir(stream);
	if (mount(scratch, path, NULL, MS_MOVE, NULL))
		return refuse_mount(error);
	return 0;
}

/** Has a place to mount on, by opening up the directory that it is in where it is missing. Returns
 * -ENOENT where it cannot have one: processes come and go below /proc, and what has no modules
 * needs none. */
static int make_room(const char *path, bool directory, char **error)
{
	char parent[PATH_MAX];
	int result;

	if (access(path, F_OK) == 0)
		return 0;
	snprintf(parent, sizeof(parent), "%.*s", (int)(strrchr(path, '/') - path), path);
	if (!*parent || strncmp(parent, "/proc", 5) == 0 || strcmp(parent, "/lib") == 0)
		return -ENOENT;
	result = make_room(parent, true, error);
	if (result || make_place(path, directory) == 0)
		return result;
	result = open_up(parent, error);
	return !result && make_place(path, directory) ? refuse_mount(error) : result;
}

/** Something that is mounted elsewhere, or the user's. */
static int bind_over(const char *from, const char *path, bool directory, char **error)
{
	int result = make_room(path, directory, error);

	return !result && mount(from, path, NULL, MS_BIND, NULL) ? refuse_mount(error) : result;
}

/** The directory of Speed Select tools, and the file that one of them keeps beside it. */
static int mount_run(const struct launch *launch, char **error)
{
	static const char directory[] = "/run/isst", kept[] = "/run/isst_cpu_topology.dat";
	const char *from = launch->emulated->run_path;
	int result = open_up("/run", error);

	if (!result && access("/run/systemd", F_OK) == 0)
		result = open_up("/run/systemd", error);
	if (!result && mkdir(from, 0755) && errno != EEXIST)
		result = refuse_mount(error);
	if (!result)
		result = bind_over(from, directory, true, error);
	if (!result && symlink("isst/cpu_topology.dat", kept) && errno != EEXIST)
		result = refuse_mount(error);
	return result;
}

/** The file system itself, which the server answers from now on. */
static int mount_files(const struct launch *launch, int files, char **error)
{
	char options[100];

	snprintf(options, sizeof(options),
		 "fd=%d,rootmode=40000,user_id=%u,group_id=%u,default_permissions,allow_other",
		 launch->fuse, geteuid(), getegid());
	if (mount("isst", scratch, "fuse", MS_NOSUID | MS_NODEV | MS_NOEXEC, options))
		return requirement_missing(NO_FUSE_MOUNT, -errno, error);
	return send(files, "", 1, MSG_NOSIGNAL) == 1
		       ? 0
		       : requirement_missing(NO_SERVER, -EPIPE, error);
}

enum { MOST_OWNED = 32 };

/** Finds places for all that the machine has, before the file system is mounted where that is made.
 */
static int find_places(const struct launch *launch, bool wanted[MOST_OWNED], char **error)
{
	int result = 0;

	for (size_t i = 0; tree_owned[i] && !result; i++) {
		struct kernel_status status;

		wanted[i] = files_look(launch->emulated, tree_owned[i], true, &status) == 0;
		if (!wanted[i])
			continue;
		result = make_room(tree_owned[i], status.type == KERNEL_DIRECTORY, error);
		if (result == -ENOENT) {
			wanted[i] = false;
			result = 0;
		}
	}
	files_release(launch->emulated);
	return result;
}

/** Binds all, and that over scratch as the last one, which hides what is mounted there. */
static int bind_places(const bool wanted[MOST_OWNED], char **error)
{
	char from[PATH_MAX];
	DIR *all = opendir(scratch);

	/* All of it in one call of the kernel. */
	if (all) {
		(void)readdir(all);
		closedir(all);
	}
	for (size_t i = 1; tree_owned[i]; i++) {
		snprintf(from, sizeof(from), "%s/%zu", scratch, i);
		if (wanted[i] && mount(from, tree_owned[i], NULL, MS_BIND, NULL))
			return refuse_mount(error);
	}
	snprintf(from, sizeof(from), "%s/0", scratch);
	return mount(from, scratch, NULL, MS_BIND, NULL) ? refuse_mount(error) : 0;
}

int namespace_mount(const struct launch *launch, int files, char **error)
{
	bool wanted[MOST_OWNED] = { false };
	char *directory = getcwd(NULL, 0);
	int result;

	if (unshare(CLONE_NEWNS))
		return requirement_missing(NO_MOUNT_NAMESPACE, -errno, error);
	if (mount(NULL, "/", "", MS_REC | MS_PRIVATE, NULL))
		return refuse_mount(error);
	result = launch->privileged ? protect(error) : 0;
	if (!result)
		result = mount_run(launch, error);
	if (!result)
		result = open_up("/dev", error);
	/* Opened it cannot be read, written or mounted, and costs nothing. */
	if (!result && launch->emulated->server.platform->node.value)
		result = bind_over("/dev/fuse", ABI_DEVICE_PATH, false, error);
	if (!result)
		result = find_places(launch, wanted, error);
	if (!result)
		result = mount_files(launch, files, error);
	if (!result)
		result = bind_places(wanted, error);
	/* It may be one that something is mounted over now. */
	if (directory)
		(void)!chdir(directory);
	free(directory);
	return result;
}

/* ---- Programs that may write only what they are allowed to ---- */

static int refuse_path(const char *path, int code, char **error)
{
	return set_error(error, -EINVAL, "Cannot keep %s writable: %s", path,
			 code == EXDEV ? "all other files are below it" : strerror(code));
}

/** Makes all read-only but what is below @own, of which not all need exist, and @further. Each tree
 * is cloned while it can be written to, and attached where it was when the rest is done. */
static int protect_others(const char *const *own, const char *const *further, char **error)
{
	const char *path = *own ? *own : further ? *further : NULL;
	char *real;
	int tree, result;

	if (!path) {
		result = mount_read_only("/");
		return result ? requirement_missing(NO_MOUNT, result, error) : 0;
	}
	real = realpath(path, NULL);
	if (real && strcmp(real, "/") == 0) {
		free(real);
		return refuse_path(path, EXDEV, error);
	}
	tree = real ? (int)syscall(SYS_open_tree, AT_FDCWD, real,
				   OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE)
		    : -1;
	if (tree < 0 && !*own)
		result = refuse_path(path, errno, error);
	else
		result = protect_others(*own ? own + 1 : own, *own ? further : further + 1, error);
	if (!result && tree >= 0 &&
	    syscall(SYS_move_mount, tree, "", AT_FDCWD, real, MOVE_MOUNT_F_EMPTY_PATH))
		result = requirement_missing(NO_MOUNT, -errno, error);
	if (tree >= 0)
		close(tree);
	free(real);
	return result;
}

int namespace_protect(const struct launch *launch, char **error)
{
	char *directory = launch->read_only ? getcwd(NULL, 0) : NULL;
	const char *temporary = getenv("TMPDIR");
	/* The kernel's files are guarded by its permissions. */
	const char *const own[] = { "/proc",	   "/sys",
				    "/dev/cpu",	   temporary && *temporary ? temporary : "/tmp",
				    launch->state, directory,
				    NULL };
	int result;

	if (!launch->read_only)
		return 0;
	if (!directory)
		return set_error(error, -EIO, "Cannot find the working directory: %s",
				 strerror(errno));
	result = protect_others(own, launch->writable, error);
	/* Through the mount that can be written to. */
	if (!result && chdir(directory))
		result = requirement_missing(NO_MOUNT, -errno, error);
	free(directory);
	return result;
}
