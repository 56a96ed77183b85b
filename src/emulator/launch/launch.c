/* SPDX-License-Identifier: BSD-3-Clause */
/* The life of a start: what the process that becomes the program does, and its servers. */
#include "emulator/launch/launch.h"

#include "emulator/front/launch_files.h"
#include "emulator/launch/namespace.h"
#include "emulator/model/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- The servers ---- */

/** What the program would inherit is no business of a server: it would keep it open. */
static void leave_descriptors(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	DIR *own = opendir("/proc/self/fd");
	struct dirent *entry;

	for (int standard = STDIN_FILENO; standard <= STDERR_FILENO; standard++)
		dup2(null, standard);
	while (own && (entry = readdir(own))) {
		int descriptor = (int)strtol(entry->d_name, NULL, 10);

		if (descriptor > STDERR_FILENO && !(fcntl(descriptor, F_GETFD) & FD_CLOEXEC))
			close(descriptor);
	}
	if (own)
		closedir(own);
	close(null);
}

static void serve_files(struct launch *launch, int socket)
{
	int fuse = descriptor_receive(socket);

	close(socket);
	if (fuse >= 0)
		fuse_serve(launch, fuse);
}

/** First it gives the program's namespace its ids, which is asked for by a byte. */
static void serve_calls(struct launch *launch, int socket, pid_t program)
{
	int listener, result;
	char byte, mounts[30];

	if (read(socket, &byte, 1) != 1)
		return;
	result = namespace_map(launch, program);
	/* All is unmounted when this server ends, for which no process waits, and not when the
	 * program does. */
	snprintf(mounts, sizeof(mounts), "/proc/%d/ns/mnt", program);
	open(mounts, O_RDONLY | O_CLOEXEC);
	if (write(socket, &result, sizeof(result)) != sizeof(result))
		return;
	listener = descriptor_receive(socket);
	close(socket);
	if (listener >= 0)
		notify_serve(launch, listener);
}

enum { FILES, CALLS, SERVERS };

/** As CPUID faults in programs, where it can: to switch between processes that differ in that takes
 * longer than all the rest. Servers do not ask for it. */
static void let_cpuid_fault(void)
{
#ifdef __x86_64__
	enum { SET_CPUID = 0x1012 };

	syscall(SYS_arch_prctl, SET_CPUID, 0);
#endif
}

static void become_server(struct launch *launch, int which, int sockets[SERVERS][2], pid_t program)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_IGN);
	setsid();
	prctl(PR_SET_NAME, which == FILES ? "isst-files" : "isst-calls");
	for (int i = 0; i < SERVERS; i++)
		close(sockets[i][0]);
	close(sockets[!which][1]);
	leave_descriptors();
	let_cpuid_fault();
	if (which == FILES)
		serve_files(launch, sockets[which][1]);
	else
		serve_calls(launch, sockets[which][1], program);
	_exit(0);
}

/** They are children of init, so that the program has no child that it did not make. */
static int start_servers(struct launch *launch, int sockets[SERVERS][2])
{
	const pid_t program = getpid();
	pid_t between;
	int status = 0; /* if the caller ignores its children */

	for (int i = 0; i < SERVERS; i++)
		if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets[i]))
			return -errno;
	between = fork();
	if (between == 0) {
		for (int which = 0; which < SERVERS; which++) {
			pid_t server = fork();

			if (server == 0)
				become_server(launch, which, sockets, program);
			if (server < 0)
				_exit(1);
		}
		_exit(0);
	}
	for (int i = 0; i < SERVERS; i++)
		close(sockets[i][1]);
	if (between < 0)
		return -errno;
	while (waitpid(between, &status, 0) < 0 && errno == EINTR)
		;
	return status ? -EAGAIN : 0;
}

/* ---- The environment of the program ---- */

static const char *const variables[] = { LAUNCH_PLATFORM, LAUNCH_STATE, LAUNCH_UNLOCK,
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

/** Where no program was started. */
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

/** The programs that it starts may stand in other directories, and have other users. */
static int set_environment(const struct launch *launch)
{
	const struct isst_emulator_target *target = launch->target;
	char *path = strchr(target->platform, '/') ? realpath(target->platform, NULL) : NULL;
	int result = setenv(LAUNCH_PLATFORM, path ? path : target->platform, 1) ||
				     setenv(LAUNCH_STATE, launch->state, 1) ||
				     (target->unlock ? setenv(LAUNCH_UNLOCK, "yes", 1)
						     : unsetenv(LAUNCH_UNLOCK))
			     ? -ENOMEM
			     : 0;

	free(path);
	return result ? result : cpuid_preload(launch);
}

/* ---- Starting ---- */

/** The file that a program's name means, by PATH where it has no slash. */
static bool find_program(const char *name)
{
	const char *path = getenv("PATH");
	char found[PATH_MAX];
	struct stat status;

	if (strchr(name, '/'))
		return access(name, X_OK) == 0;
	errno = ENOENT;
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

/** Whether this process may mount, and give a namespace all ids that there are. */
static bool is_privileged(void)
{
	static const int needed[] = { CAP_SYS_ADMIN, CAP_SETUID, CAP_SETGID };
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { 0 };

	if (syscall(SYS_capget, &header, data))
		return false;
	for (size_t i = 0; i < sizeof(needed) / sizeof(*needed); i++)
		if (!(data[CAP_TO_INDEX(needed[i])].effective & CAP_TO_MASK(needed[i])))
			return false;
	return true;
}

/** The namespace of the program, with ids, and what it is served there. */
static int enter_program(int calls, char **error)
{
	int result = namespace_enter_last(error), listener, answer = -EPIPE;

	if (result)
		return result;
	if (write(calls, "", 1) != 1 || read(calls, &answer, sizeof(answer)) != sizeof(answer) ||
	    answer)
		return requirement_missing(LAUNCH_USER_NAMESPACE, answer ? answer : -EPIPE, error);
	listener = notify_install(error);
	if (listener < 0)
		return listener;
	result = descriptor_send(calls, listener);
	close(listener);
	return result ? requirement_missing(LAUNCH_SERVER, result, error) : 0;
}

static int enter(struct launch *launch, char **error)
{
	int sockets[SERVERS][2] = { { -1, -1 }, { -1, -1 } };
	int result = namespace_enter_user(launch, error);

	if (result)
		return result;
	result = start_servers(launch, sockets);
	if (result)
		result = requirement_missing(LAUNCH_SERVER, result, error);
	if (!result)
		result = namespace_mount(launch, sockets[FILES][0], error);
	if (!result)
		result = readonly_apply(launch, error);
	if (!result)
		result = enter_program(sockets[CALLS][0], error);
	for (int i = 0; i < SERVERS; i++)
		close(sockets[i][0]);
	return result;
}

static int start(struct launch *launch, char **error)
{
	const char *name = launch->program->words[0];
	char *values[VARIABLES];
	int result = keep_environment(values);

	if (!result)
		result = enter(launch, error);
	if (!result)
		result = set_environment(launch);
	if (!result) {
		execvp(name, launch->program->words);
		result = set_error(error, -ENOEXEC, "Cannot run %s: %s", name, strerror(errno));
	}
	restore_environment(values);
	return result;
}

static int check(const struct isst_emulator_target *target,
		 const struct isst_emulator_program *program, bool known_flags, char **error)
{
	if (error)
		*error = NULL;
	if (!program->words || !program->words[0])
		return set_error(error, -EINVAL, "no program was given");
	if (!target)
		return set_error(error, -EINVAL, "no target was given");
	if (!known_flags)
		return set_error(error, -EINVAL, "unknown flags were given");
	if (getuid() != geteuid() || getgid() != getegid() || getauxval(AT_SECURE))
		return set_error(error, -EPERM,
				 "Cannot run %s with privileges that the caller does not have",
				 program->words[0]);
	return find_program(program->words[0]) ? 0
					       : set_error(error, -ENOEXEC, "Cannot run %s: %s",
							   program->words[0], strerror(errno));
}

int isst_emulator_run(const struct isst_emulator_target *target, char *const *words,
		      unsigned int flags, unsigned int user, const char *const *writable,
		      char **error)
{
	const unsigned int known = ISST_EMULATOR_RUN_AS_USER | ISST_EMULATOR_RUN_READ_ONLY;
	const struct isst_emulator_program program = { .words = words,
						       .as_user = flags & ISST_EMULATOR_RUN_AS_USER,
						       .user = user,
						       .read_only = flags &
								    ISST_EMULATOR_RUN_READ_ONLY,
						       .writable = writable };
	struct launch launch = { .program = &program,
				 .target = target,
				 .user = geteuid(),
				 .group = getegid(),
				 .privileged = is_privileged() };
	struct isst_machine *machine = NULL;
	char *state = NULL;
	int result = check(target, &program, !(flags & ~known), error);

	launch.shown_user = program.as_user ? user : launch.user;
	launch.shown_group = program.as_user && user == 0 ? 0 : launch.group;
	if (!result)
		result = requirements_check(error);
	if (!result)
		result = isst_emulator_open(target, &machine, error);
	if (result)
		return result;
	launch.machine = machine;
	state = launch_state(machine);
	launch.state = state;
	result = state ? start(&launch, error) : -ENOMEM;
	free(state);
	machine->release(machine);
	return result;
}
