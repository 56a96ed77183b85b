/* SPDX-License-Identifier: BSD-3-Clause */
/* The life of a start: what the process that becomes the program does, and its servers. */
#include "emulator/launch/launch.h"

#include "emulator/launch/cpuid.h"
#include "emulator/model/task.h"
#include "emulator/model/text.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef ISST_LIBRARY_DIRECTORY
#define ISST_LIBRARY_DIRECTORY "/usr/local/lib"
#endif

/* ---- The servers ---- */

/** What the program would inherit is no business of a server: it would keep it open. */
static void leave_descriptors(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	glob_t own = { 0 };

	for (int standard = STDIN_FILENO; standard <= STDERR_FILENO; standard++)
		dup2(null, standard);
	close(null);
	glob("/proc/self/fd/*", GLOB_NOSORT, NULL, &own);
	for (size_t i = 0; i < own.gl_pathc; i++) {
		int descriptor = (int)strtol(strrchr(own.gl_pathv[i], '/') + 1, NULL, 10);

		if (descriptor > STDERR_FILENO && !(fcntl(descriptor, F_GETFD) & FD_CLOEXEC))
			close(descriptor);
	}
	globfree(&own);
}

/** The caller's limits are for programs, as far as they can be raised. */
static void raise_limits(void)
{
	struct rlimit limit;

	for (int resource = 0; resource < RLIM_NLIMITS; resource++) {
		/* The type of a resource differs between C libraries. */
		if (syscall(SYS_prlimit64, 0, resource, NULL, &limit))
			continue;
		limit.rlim_cur = limit.rlim_max;
		syscall(SYS_prlimit64, 0, resource, &limit, NULL);
	}
}

/** Begins once the program has mounted the file system. */
static void serve_files(struct launch *launch, int socket)
{
	if (read(socket, &(char){ 0 }, 1) != 1)
		return;
	close(socket);
	fuse_serve(launch);
}

/** The program asks for the ids of its namespace, and to take over its listener. */
static void serve_calls(struct launch *launch, int socket, pid_t program)
{
	int listener, result;
	char mounts[30];

	close(launch->fuse);
	if (read(socket, &listener, sizeof(listener)) != sizeof(listener))
		return;
	listener = caller_duplicate(program, listener);
	result = listener < 0 ? -EPERM : namespace_map(launch, program);
	/* All is unmounted when this server ends, for which no process waits, and not when the
	 * program does. */
	snprintf(mounts, sizeof(mounts), "/proc/%d/ns/mnt", program);
	open(mounts, O_RDONLY | O_CLOEXEC);
	if (write(socket, &result, sizeof(result)) != sizeof(result) || result)
		return;
	close(socket);
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
	for (int i = 0; i < SERVERS; i++)
		close(sockets[i][0]);
	close(sockets[!which][1]);
	leave_descriptors();
	raise_limits();
	let_cpuid_fault();
	prctl(PR_SET_NAME, which == FILES ? "isst-files" : "isst-calls");
	if (which == FILES)
		serve_files(launch, sockets[which][1]);
	else
		serve_calls(launch, sockets[which][1], program);
	_exit(0);
}

/** They are children of init, so that the program has no child that it did not make. Returns the
 * process between, which is to be waited for when all else is done, or a negative errno. */
static pid_t start_servers(struct launch *launch, int sockets[SERVERS][2])
{
	const pid_t program = getpid();
	pid_t between;

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
	return between < 0 ? -EAGAIN : between;
}

/* ---- Starting ---- */

/** Signals of programs reach no process of the system, by the kernel's means since Linux 6.12:
 * root's would be orders to init, and servers would stand still. */
static void confine_signals(void)
{
	/* struct landlock_ruleset_attr, with LANDLOCK_SCOPE_SIGNAL, which headers may not have. */
	const uint64_t rules[] = { 0, 0, 1 << 1 };
	const int ruleset = (int)syscall(SYS_landlock_create_ruleset, rules, sizeof(rules), 0);

	if (ruleset < 0)
		return;
	syscall(SYS_landlock_restrict_self, ruleset, 0);
	close(ruleset);
}

/** The namespace of the program, with ids, and what it is served there. */
static int enter_program(int calls, char **error)
{
	int listener, result = -EPIPE;

	/* It locks all mounts. */
	if (unshare(CLONE_NEWUSER | CLONE_NEWNS))
		return requirement_missing(NO_USER_NAMESPACE, -errno, error);
	confine_signals();
	listener = notify_install(error);
	if (listener < 0)
		return listener;
	if (send(calls, &listener, sizeof(listener), MSG_NOSIGNAL) < 0 ||
	    read(calls, &result, sizeof(result)) != sizeof(result) || result)
		result = requirement_missing(result == -EPIPE ? NO_SERVER : NO_USER_NAMESPACE,
					     result, error);
	close(listener);
	return result;
}

static int enter(struct launch *launch, char **error)
{
	int sockets[SERVERS][2] = { { -1, -1 }, { -1, -1 } };
	int result = namespace_enter_user(launch, error);
	pid_t between;

	if (result)
		return result;
	/* Of the namespace in which it is mounted. */
	launch->fuse = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	if (launch->fuse < 0)
		return requirement_missing(NO_FUSE_DEVICE, -errno, error);
	between = start_servers(launch, sockets);
	if (between < 0)
		result = requirement_missing(NO_SERVER, between, error);
	if (!result)
		result = namespace_mount(launch, sockets[FILES][0], error);
	close(launch->fuse);
	if (!result)
		result = namespace_protect(launch, error);
	if (!result)
		result = enter_program(sockets[CALLS][0], error);
	for (int i = 0; i < SERVERS; i++)
		close(sockets[i][0]);
	while (between > 0 && waitpid(between, NULL, 0) < 0 && errno == EINTR)
		;
	return result;
}

/** Sets a variable, for which there is space. Returns 0 or -ENOMEM. */
static int environment_put(char **environment, const char *name, const char *value)
{
	const size_t length = strlen(name);
	char *text;

	if (asprintf(&text, "%s=%s", name, value) < 0)
		return -ENOMEM;
	while (*environment &&
	       (strncmp(*environment, name, length) != 0 || (*environment)[length] != '='))
		environment++;
	*environment = text;
	return 0;
}

/** Frees an environment, except for what it has of the caller's. */
static void free_environment(char **environment)
{
	char **callers = environ;

	for (char **own = environment; own && *own; own++) {
		if (!callers || *own != *callers)
			free(*own);
		if (callers && *callers)
			callers++;
	}
	free(environment);
}

/** It stands beside the program in a build tree, else where it was installed. */
static bool find_library(char path[PATH_MAX])
{
	ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - sizeof(CPUID_LIBRARY));

	while (length > 0 && path[length - 1] != '/')
		length--;
	if (length > 0) {
		memcpy(path + length, CPUID_LIBRARY, sizeof(CPUID_LIBRARY));
		if (access(path, R_OK) == 0)
			return true;
	}
	return snprintf(path, PATH_MAX, "%s/%s", ISST_LIBRARY_DIRECTORY, CPUID_LIBRARY) <
		       PATH_MAX &&
	       access(path, R_OK) == 0;
}

/** Adds the preload object that emulates CPUID, in programs that are linked dynamically, to
 * LD_PRELOAD where it can be found. Returns 0 or -ENOMEM. */
static int preload_cpuid(const struct launch *launch, char **environment)
{
	const struct cpu_identity *identity = &launch->emulated->machine.identity;
	const char *others = getenv("LD_PRELOAD");
	char library[PATH_MAX], processor[64], *all;
	int result;

	/* Spaces and colons separate the names of libraries. */
	if (!find_library(library) || strpbrk(library, " :"))
		return 0;
	snprintf(processor, sizeof(processor), "%d:%u:%u:%u:%u", identity->intel, identity->family,
		 identity->model, identity->stepping, launch->emulated->server.platform->hwp.value);
	if (asprintf(&all, "%s%s%s", others ? others : "", others && *others ? ":" : "", library) <
	    0)
		return -ENOMEM;
	result = environment_put(environment, "LD_PRELOAD", all);
	if (!result)
		result = environment_put(environment, CPUID_VARIABLE, processor);
	free(all);
	return result;
}

/** The environment of the program: what it starts may stand in other directories, and have other
 * users. */
static int make_environment(const struct launch *launch, char ***environment)
{
	enum { VARIABLES = 5 }; /* that are added, at most */
	const struct isst_emulator_target *target = launch->target;
	char *path = strchr(target->platform, '/') ? realpath(target->platform, NULL) : NULL;
	size_t count = 0;
	char **all;
	int result;

	while (environ && environ[count])
		count++;
	all = *environment = calloc(count + VARIABLES + 1, sizeof(*all));
	if (all && count)
		memcpy(all, environ, count * sizeof(*all));
	result = !all || environment_put(all, LAUNCH_PLATFORM, path ? path : target->platform) ||
				 environment_put(all, LAUNCH_STATE, launch->state) ||
				 environment_put(all, LAUNCH_UNLOCK, target->unlock ? "yes" : "")
			 ? -ENOMEM
			 : preload_cpuid(launch, all);
	free(path);
	return result;
}

static int start(struct launch *launch, char **error)
{
	char **environment;
	int result = make_environment(launch, &environment);

	if (!result)
		result = enter(launch, error);
	if (!result) {
		execvpe(launch->words[0], launch->words, environment);
		result = set_error(error, -ENOEXEC, "Cannot run %s: %s", launch->words[0],
				   strerror(errno));
	}
	free_environment(environment);
	return result;
}

static int check(const struct launch *launch, bool known_flags, char **error)
{
	if (error)
		*error = NULL;
	if (!launch->words || !launch->words[0])
		return set_error(error, -EINVAL, "no program was given");
	if (!launch->target)
		return set_error(error, -EINVAL, "no target was given");
	if (!known_flags)
		return set_error(error, -EINVAL, "unknown flags were given");
	if (getuid() != geteuid() || getgid() != getegid() || getauxval(AT_SECURE))
		return set_error(error, -EPERM,
				 "Cannot run %s with privileges that the caller does not have",
				 launch->words[0]);
	return requirements_check(error);
}

int isst_emulator_run(const struct isst_emulator_target *target, char *const *words,
		      unsigned int flags, unsigned int user, const char *const *writable,
		      char **error)
{
	const unsigned int known = ISST_EMULATOR_RUN_AS_USER | ISST_EMULATOR_RUN_READ_ONLY;
	const uint64_t needed = 1ULL << CAP_SYS_ADMIN | 1ULL << CAP_SETUID | 1ULL << CAP_SETGID;
	const bool as_user = flags & ISST_EMULATOR_RUN_AS_USER;
	struct launch launch = {
		.target = target,
		.words = words,
		.read_only = flags & ISST_EMULATOR_RUN_READ_ONLY,
		.writable = writable,
		.user = geteuid(),
		.group = getegid(),
		.shown_user = as_user ? user : geteuid(),
		.shown_group = as_user && user == 0 ? 0 : getegid(),
		/* It may mount, and give a namespace all ids. */
		.privileged = (task_mask(getpid(), "CapEff:") & needed) == needed,
	};
	struct isst_machine *machine = NULL;
	char *state = NULL;
	int result = check(&launch, !(flags & ~known), error);

	if (!result)
		result = isst_emulator_open(target, &machine, error);
	if (result)
		return result;
	launch.emulated = machine->data;
	state = realpath(launch.emulated->server.path, NULL);
	launch.state = state;
	result = state ? start(&launch, error) : -errno;
	free(state);
	machine->release(machine);
	return result;
}
