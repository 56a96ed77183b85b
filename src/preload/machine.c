/* SPDX-License-Identifier: BSD-3-Clause */
/* The machine of the process: opened when it starts, used by one thread at a time. */
#include "preload/preload.h"

#include "emulator/front/launch.h"
#include "emulator/front/launch_files.h"
#include "emulator/model/machines.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

struct isst_machine *preload_machine;

/* The program opens its machine itself. */
static bool emulates;
/* That on which a script started such a program. */
static struct isst_machine *machine_around;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static __thread bool inside;
/* A fork is under way in this thread, which has locked the machine for it. */
static __thread bool forking;
/* Of the program, while the emulator is at work. */
static __thread sigset_t signals_blocked;
static __thread int cancel_state;
static bool marked, started;

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

static void restore_signals(void)
{
	launch_signals_blocked(NULL);
	pthread_sigmask(SIG_SETMASK, &signals_blocked, NULL);
	pthread_setcancelstate(cancel_state, NULL);
}

/** Signals wait before the lock is taken, and until it is released: a handler that ran with it
 * would wait for its own thread. */
static void lock(void)
{
	hold_signals();
	pthread_mutex_lock(&mutex);
}

static void unlock(void)
{
	pthread_mutex_unlock(&mutex);
	restore_signals();
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
	if (!forking)
		lock();
	inside = true;
	errno = error;
	return true;
}

void preload_end(bool answered)
{
	int error = errno;

	launch_release(preload_machine);
	inside = false;
	if (!forking)
		unlock();
	mark(answered ? MARK_ANSWERED : MARK_PASSED);
	errno = error;
}

/**
 * A child that is forked while another thread is at work must not wait for that for ever. What
 * other libraries do between the two, in this thread, may access the machine.
 */
static void before_fork(void)
{
	if (inside)
		return;
	lock();
	forking = true;
}

static void after_fork(void)
{
	if (inside)
		return;
	forking = false;
	unlock();
}

static struct isst_machine *open_machine(void)
{
	const struct isst_emulator_target target = {
		.platform = secure_getenv(LAUNCH_PLATFORM),
		.state_directory = secure_getenv(LAUNCH_STATE),
		.unlock = secure_getenv(LAUNCH_UNLOCK),
	};
	struct isst_machine *machine;
	char *error = NULL;

	if (!target.platform || !*target.platform)
		preload_fatal(LAUNCH_PLATFORM " is not set: no machine to emulate");
	inside = true;
	/* One that gained privileges would be without this library, and have those of the real
	 * machine. */
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		preload_fatal("programs cannot be kept from gaining privileges");
	if (isst_emulator_open(&target, &machine, &error))
		preload_fatal(error ? error : "out of memory");
	inside = false;
	return machine;
}

struct isst_machine *preload_machine_around(void)
{
	if (emulates && !inside && !machine_around)
		machine_around = open_machine();
	return machine_around;
}

/** Whether the program itself has a function, and not one of its libraries. */
static bool program_has(const char *name)
{
	void *function = dlsym(RTLD_DEFAULT, name);
	struct link_map *object;
	Dl_info info;

	/* The program is the first object of the list. */
	return function && dladdr1(function, &info, (void **)&object, RTLD_DL_LINKMAP) &&
	       !object->l_prev;
}

__attribute__((constructor)) static void start(void)
{
	if (started)
		return;
	started = true;
	emulates = program_has("isst_emulator_open");
	if (emulates)
		return;
	marked = secure_getenv("ISST_PRELOAD_MARKS");
	mark(MARK_BEGIN);
	preload_machine = open_machine();
	pthread_atfork(before_fork, after_fork, after_fork);
	mark(MARK_PASSED);
}
