/* SPDX-License-Identifier: BSD-3-Clause */
/* Starts other programs on an emulated machine, and finds those that cannot run there. */
#include "emulator/front/launch.h"

#include "emulator/model/text.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#ifndef ISST_LIBRARY_DIRECTORY
#define ISST_LIBRARY_DIRECTORY "/usr/local/lib"
#endif

/* ---- Programs that cannot be reached ---- */

/** Finds a segment of a kind. */
static bool find_segment(int file, const Elf64_Ehdr *header, Elf64_Word kind, Elf64_Phdr *segment)
{
	for (unsigned int i = 0; i < header->e_phnum; i++) {
		off_t offset = (off_t)(header->e_phoff + (Elf64_Off)i * header->e_phentsize);

		if (pread(file, segment, sizeof(*segment), offset) == (ssize_t)sizeof(*segment) &&
		    segment->p_type == kind)
			return true;
	}
	return false;
}

/** Whether one of its dynamic entries marks it as a program: a library has none of them. */
static bool is_marked_executable(int file, const Elf64_Phdr *dynamic)
{
	Elf64_Dyn entry = { .d_tag = DT_NULL };

	for (Elf64_Xword at = 0; at + sizeof(entry) <= dynamic->p_filesz; at += sizeof(entry)) {
		if (pread(file, &entry, sizeof(entry), (off_t)(dynamic->p_offset + at)) !=
			    (ssize_t)sizeof(entry) ||
		    entry.d_tag == DT_NULL)
			break;
		if (entry.d_tag == DT_DEBUG ||
		    (entry.d_tag == DT_FLAGS_1 && entry.d_un.d_val & DF_1_PIE))
			return true;
	}
	return false;
}

/** A library that is called as a program itself is the dynamic linker. */
static bool is_linker(int file, const Elf64_Ehdr *header)
{
	Elf64_Phdr dynamic;

	return header->e_type == ET_DYN && find_segment(file, header, PT_DYNAMIC, &dynamic) &&
	       !is_marked_executable(file, &dynamic);
}

/** The beginning of this program itself, which the linker names. */
extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

/** Whether size of addresses, order of bytes and processor are those of this program. */
static bool is_of_this_architecture(const Elf64_Ehdr *header)
{
	return header->e_ident[EI_CLASS] == __ehdr_start.e_ident[EI_CLASS] &&
	       header->e_ident[EI_DATA] == __ehdr_start.e_ident[EI_DATA] &&
	       header->e_machine == __ehdr_start.e_machine;
}

/** Programs that gain privileges are started without preload libraries. */
static bool gains_privileges(int file)
{
	struct stat status;

	if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1)
		return false;
	/* The ids of a file count for root as well, its capabilities do not. */
	return fstat(file, &status) || (status.st_mode & S_ISUID && status.st_uid != getuid()) ||
	       (status.st_mode & S_ISGID && status.st_mode & S_IXGRP &&
		status.st_gid != getgid()) ||
	       (geteuid() != 0 && fgetxattr(file, "security.capability", NULL, 0) > 0);
}

#define GAINS_PRIVILEGES "it gains privileges, so the dynamic linker ignores the preload library"

/** Of a program that its user may start but not read, as some that gain privileges are. */
static const char *obstacle_of_unreadable(const char *path)
{
	int file = open(path, O_PATH | O_CLOEXEC);
	bool gains = file >= 0 && gains_privileges(file);

	if (file >= 0)
		close(file);
	if (access(path, X_OK))
		return NULL;
	return gains ? GAINS_PRIVILEGES : "it cannot be read, and may be statically linked";
}

static const char *obstacle_of(const char *path, unsigned int depth)
{
	enum { DEEPEST = 5 };
	union {
		Elf64_Ehdr header;
		char line[256];
	} start = { .line = "" };
	int file = open(path, O_RDONLY | O_CLOEXEC);
	char *interpreter = start.line + 2;
	const char *obstacle = NULL;
	Elf64_Phdr segment;
	ssize_t size;

	if (file < 0)
		return errno == EACCES ? obstacle_of_unreadable(path) : NULL;
	size = pread(file, &start, sizeof(start) - 1, 0);
	if (strncmp(start.line, "#!", 2) == 0 && depth < DEEPEST) {
		interpreter += strspn(interpreter, " \t");
		interpreter[strcspn(interpreter, " \t\r\n")] = '\0';
		obstacle = obstacle_of(interpreter, depth + 1);
	} else if (gains_privileges(file)) {
		obstacle = GAINS_PRIVILEGES;
	} else if (size >= (ssize_t)sizeof(start.header) &&
		   memcmp(start.header.e_ident, ELFMAG, SELFMAG) == 0) {
		if (!is_of_this_architecture(&start.header))
			obstacle = "its architecture differs from that of the preload library";
		else if (!find_segment(file, &start.header, PT_INTERP, &segment) &&
			 !is_linker(file, &start.header))
			obstacle = "it is statically linked";
	}
	close(file);
	return obstacle;
}

const char *launch_obstacle(const char *path)
{
	return obstacle_of(path, 0);
}

bool launch_is_linker(const char *path)
{
	int file = open(path, O_RDONLY | O_CLOEXEC);
	Elf64_Ehdr header;
	Elf64_Phdr interpreter;
	bool is_it = file >= 0 && pread(file, &header, sizeof(header), 0) == sizeof(header) &&
		     memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
		     is_of_this_architecture(&header) &&
		     !find_segment(file, &header, PT_INTERP, &interpreter) &&
		     is_linker(file, &header);

	if (file >= 0)
		close(file);
	return is_it;
}

bool launch_find(const char *name, char *found)
{
	const char *path = getenv("PATH");
	struct stat status;

	if (strchr(name, '/'))
		return snprintf(found, PATH_MAX, "%s", name) < PATH_MAX;
	path = path ? path : "/bin:/usr/bin";
	for (size_t length; path; path = path[length] ? path + length + 1 : NULL) {
		length = strcspn(path, ":");
		/* An empty one is the working directory; execvp(3) looks on past what it cannot
		 * run. */
		if (snprintf(found, PATH_MAX, "%.*s/%s", length ? (int)length : 1,
			     length ? path : ".", name) < PATH_MAX &&
		    stat(found, &status) == 0 && S_ISREG(status.st_mode) &&
		    access(found, X_OK) == 0)
			return true;
	}
	return false;
}

/* ---- Starting ---- */

/** The environment variables of the program that is started. */
static const char *const variables[] = { LAUNCH_PLATFORM, LAUNCH_STATE, LAUNCH_UNLOCK, LAUNCH_USER,
					 "LD_PRELOAD" };
enum { VARIABLES = sizeof(variables) / sizeof(*variables) };

/** Keeps the values that the caller's environment has, NULL where it has none. Returns 0 or
 * -ENOMEM. */
static int keep_environment(char *values[VARIABLES])
{
	int result = 0;

	for (size_t i = 0; i < VARIABLES; i++) {
		const char *value = getenv(variables[i]);

		values[i] = value ? strdup(value) : NULL;
		if (value && !values[i])
			result = -ENOMEM;
	}
	return result;
}

/** Where no program was started the caller stays on its own machine, and so do its programs. */
static void restore_environment(char *values[VARIABLES])
{
	for (size_t i = 0; i < VARIABLES; i++) {
		if (values[i])
			setenv(variables[i], values[i], 1);
		else
			unsetenv(variables[i]);
		free(values[i]);
	}
}

static int set_path(const char *name, const char *path)
{
	char *real = realpath(path, NULL);
	int result = real ? setenv(name, real, 1) : -1;

	free(real);
	return result;
}

/** The programs that it starts may stand in other directories. */
static int set_machine(const struct isst_emulator_target *target,
		       const struct isst_emulator_program *program)
{
	char user[12];

	if (strchr(target->platform, '/') ? set_path(LAUNCH_PLATFORM, target->platform)
					  : setenv(LAUNCH_PLATFORM, target->platform, 1))
		return -errno;
	if (target->state_directory ? set_path(LAUNCH_STATE, target->state_directory)
				    : unsetenv(LAUNCH_STATE))
		return -errno;
	if (target->unlock ? setenv(LAUNCH_UNLOCK, "yes", 1) : unsetenv(LAUNCH_UNLOCK))
		return -errno;
	snprintf(user, sizeof(user), "%u", program->user);
	if (program->as_user ? setenv(LAUNCH_USER, user, 1) : unsetenv(LAUNCH_USER))
		return -errno;
	return 0;
}

/** The library stands beside the program in a build tree, else where it was installed. */
static int find_library(char *path, char **error)
{
	ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - sizeof(LAUNCH_LIBRARY));

	while (length > 0 && path[length - 1] != '/')
		length--;
	if (length > 0) {
		memcpy(path + length, LAUNCH_LIBRARY, sizeof(LAUNCH_LIBRARY));
		if (access(path, R_OK) == 0)
			return 0;
	}
	snprintf(path, PATH_MAX, "%s/%s", ISST_LIBRARY_DIRECTORY, LAUNCH_LIBRARY);
	if (access(path, R_OK) == 0)
		return 0;
	return set_error(error, -EIO, "Cannot find %s: neither beside this program nor in %s",
			 LAUNCH_LIBRARY, ISST_LIBRARY_DIRECTORY);
}

/** Behind what is preloaded already. */
static int set_library(char **error)
{
	const char *others = getenv("LD_PRELOAD");
	char library[PATH_MAX], *all;
	const char *found;
	int result = find_library(library, error);

	if (result)
		return result;
	/* What separates the names of libraries cannot be part of one. */
	if (strpbrk(library, " :"))
		return set_error(error, -EIO,
				 "Cannot preload %s: its path contains a space or a colon",
				 library);
	found = others ? strstr(others, library) : NULL;
	if (found && (found == others || found[-1] == ':' || found[-1] == ' ') &&
	    strchr(": ", found[strlen(library)]))
		return 0; /* strchr() finds the end of the text as well */
	if (asprintf(&all, "%s%s%s", others ? others : "", others && *others ? ":" : "", library) <
	    0)
		return -ENOMEM;
	result = setenv("LD_PRELOAD", all, 1) ? -errno : 0;
	free(all);
	return result;
}

/** A program on an emulated machine can still reach the real one by what the preload library does
 * not replace. It gets no capability that it does not have as the caller's program: nothing is
 * handed on by the ambient or the inheritable set. */
static int drop_inheritable_capabilities(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { 0 };

	if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) && errno != EINVAL)
		return -errno;
	if (syscall(SYS_capget, &header, data))
		return -errno;
	for (size_t i = 0; i < _LINUX_CAPABILITY_U32S_3; i++)
		data[i].inheritable = 0;
	return syscall(SYS_capset, &header, data) ? -errno : 0;
}

int launch_start(const struct isst_emulator_target *target,
		 const struct isst_emulator_program *program, char **error)
{
	const char *name = program->words[0];
	char *values[VARIABLES];
	int result = keep_environment(values);

	if (!result)
		result = set_machine(target, program);
	if (!result)
		result = set_library(error);
	if (!result)
		result = drop_inheritable_capabilities();
	if (!result) {
		execvp(name, program->words);
		result = set_error(error, -ENOEXEC, "Cannot run %s: %s", name, strerror(errno));
	}
	restore_environment(values);
	return result;
}

int launch_check(const char *name, char **error)
{
	const char *obstacle = NULL;
	char path[PATH_MAX];

	if (getuid() != geteuid() || getgid() != getegid() || getauxval(AT_SECURE))
		return set_error(error, -EPERM,
				 "Cannot run %s with privileges that the caller does not have",
				 name);
	if (launch_find(name, path))
		obstacle = launch_obstacle(path);
	if (obstacle)
		return set_error(
			error, -ENOEXEC,
			"Cannot run %s on an emulated machine: %s, so it would see the real "
			"one",
			name, obstacle);
	return 0;
}
