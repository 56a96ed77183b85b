/* SPDX-License-Identifier: BSD-3-Clause */
/* The machine of the process: opened when it starts, used by one thread at a time. */
#include "preload/preload.h"

#include "emulator/front/launch.h"
#include "emulator/front/launch_files.h"
#include "emulator/model/machines.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

struct isst_machine *preload_machine;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static __thread bool inside;
/* Of the program, while the emulator is at work. */
static __thread sigset_t signals_blocked;
static __thread int cancel_state;
static bool marked, started;
/* As the program has it; by whoever has the mutex. */
static struct rlimit size_limit;
static bool limited;

/*
 * System calls that fail, by which a trace can be read as if there were no emulator: what stands
 * between the first and one of the others is the emulator's own. tests/bench reads them.
 */
enum { MARK_BEGIN = -1000, MARK_PASSED = -1001, MARK_ANSWERED = -1002 };

static void mark(int which)
{
	if (marked)
		syscall(SYS_close, which);
}

bool preload_probe(bool (*probe)(int descriptor, char *emulated), int descriptor, char *emulated)
{
	int error = errno;
	bool result;

	mark(MARK_BEGIN);
	result = probe(descriptor, emulated);
	mark(MARK_PASSED);
	errno = error;
	return result;
}

void *preload_next(const char *name)
{
	void *function = dlsym(RTLD_NEXT, name);

	if (!function) {
		preload_warn("%s() is missing in this C library", name);
		abort();
	}
	return function;
}

bool preload_inside(void)
{
	return inside;
}

static void start(void);

/**
 * A handler that ran now would meet the real machine, or, by siglongjmp(3), leave the machine
 * locked; and so would a thread that is cancelled. What an instruction raises cannot wait.
 */
static void hold_signals(void)
{
	static const int raised[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS };
	sigset_t all;

	sigfillset(&all);
	for (size_t i = 0; i < sizeof(raised) / sizeof(*raised); i++)
		sigdelset(&all, raised[i]);
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
	pthread_sigmask(SIG_BLOCK, &all, &signals_blocked);
	launch_signals_blocked(&signals_blocked);
}

static void let_signals_come(void)
{
	launch_signals_blocked(NULL);
	pthread_sigmask(SIG_SETMASK, &signals_blocked, NULL);
	pthread_setcancelstate(cancel_state, NULL);
}

/**
 * A limit to the size of files is none to the kernel's, but for the memory files and the state that
 * they are made of. Where the program may not lift it, it stands.
 */
static void lift_size_limit(void)
{
	struct rlimit lifted;

	limited = getrlimit(RLIMIT_FSIZE, &size_limit) == 0 &&
		  size_limit.rlim_cur != size_limit.rlim_max;
	if (!limited)
		return;
	lifted = size_limit;
	lifted.rlim_cur = lifted.rlim_max;
	limited = setrlimit(RLIMIT_FSIZE, &lifted) == 0;
}

static void restore_size_limit(void)
{
	if (limited)
		setrlimit(RLIMIT_FSIZE, &size_limit);
}

bool preload_begin(void)
{
	int error = errno;

	/* Libraries that a program is linked with begin before this one (libnuma looks for nodes).
	 */
	if (!started && environ)
		start();
	if (!preload_machine || inside)
		return false;
	mark(MARK_BEGIN);
	hold_signals();
	inside = true;
	pthread_mutex_lock(&mutex);
	lift_size_limit();
	errno = error;
	return true;
}

void preload_end(bool answered)
{
	int error = errno;

	launch_release(preload_machine);
	restore_size_limit();
	pthread_mutex_unlock(&mutex);
	inside = false;
	let_signals_come();
	mark(answered ? MARK_ANSWERED : MARK_PASSED);
	errno = error;
}

void preload_warn(const char *format, ...)
{
	static const char prefix[] = "isst emulate: ";
	char line[PATH_MAX + 200];
	size_t length = sizeof(prefix) - 1;
	va_list arguments;

	memcpy(line, prefix, length);
	va_start(arguments, format);
	vsnprintf(line + length, sizeof(line) - length - 1, format, arguments);
	va_end(arguments);
	length = strlen(line);
	line[length++] = '\n';
	/* Not by way of stderr: the program may have it in use, or closed. */
	syscall(SYS_write, STDERR_FILENO, line, length);
}

/** A child that is forked while another thread is at work must not wait for that for ever. */
static void before_fork(void)
{
	if (!inside)
		pthread_mutex_lock(&mutex);
}

static void after_fork(void)
{
	if (!inside)
		pthread_mutex_unlock(&mutex);
}

/** To go on would be to work on the real machine. */
__attribute__((noreturn)) static void give_up(const char *why)
{
	preload_warn("%s", why);
	_exit(LAUNCH_FAILED);
}

static void open_machine(const char *platform)
{
	const struct isst_emulator_target target = {
		.platform = platform,
		.state_directory = secure_getenv(LAUNCH_STATE),
		.unlock = secure_getenv(LAUNCH_UNLOCK),
	};
	struct isst_machine *machine;
	char *error = NULL, *names;

	inside = true;
	/* One that gained privileges would be without this library, and have those of the real
	 * machine. */
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		give_up("programs cannot be kept from gaining privileges");
	if (isst_emulator()->open(&target, &machine, &error))
		give_up(error ? error : "out of memory");
	names = launch_names(machine);
	if (!names || path_start(names))
		give_up("the emulated machine's files cannot be found");
	free(names);
	preload_machine = machine;
	inside = false;
}

__attribute__((constructor)) static void start(void)
{
	const char *platform = secure_getenv(LAUNCH_PLATFORM);

	if (started)
		return;
	started = true;
	/* The command itself, and whatever else holds the emulator, needs no help. */
	if (dlsym(RTLD_DEFAULT, "isst_emulator_open"))
		return;
	if (!platform || !*platform)
		give_up(LAUNCH_PLATFORM " is not set: no machine to emulate");
	marked = secure_getenv("ISST_PRELOAD_MARKS");
	mark(MARK_BEGIN);
	open_machine(platform);
	pthread_atfork(before_fork, after_fork, after_fork);
	cpuid_start(&preload_machine->identity);
	mark(MARK_PASSED);
}

__attribute__((destructor)) static void end(void)
{
	if (preload_machine)
		file_deliver_all();
}
