/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A limit to the size of files is none to the kernel's, but for the memory files and the state that
 * they are made of. The limit is that of all threads of the program, and stands: what the emulator
 * writes is written by a child that shares memory and descriptors, and has a limit of its own.
 */
#include "preload/preload.h"

#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

struct work {
	long number; /* of a system call */
	long words[4];
	struct rlimit limit;
	long result;
	int error;
};

static int carry_out(void *data)
{
	struct work *work = data;

	work->limit.rlim_cur = work->limit.rlim_max;
	setrlimit(RLIMIT_FSIZE, &work->limit);
	work->result = syscall(work->number, work->words[0], work->words[1], work->words[2],
			       work->words[3]);
	work->error = errno;
	return 0;
}

/** By the holder of the machine. Signals wait, also that of a limit that cannot be lifted. */
static long by_child(struct work *work)
{
	static char stack[1 << 14] __attribute__((aligned(16)));
	int error = errno, child;

	*work = (struct work){ work->number,
			       { work->words[0], work->words[1], work->words[2], work->words[3] },
			       work->limit,
			       -1,
			       EFBIG };
	/* Its end sends no signal, and answers no wait() of the program. */
	child = clone(carry_out, stack + sizeof(stack), CLONE_VM | CLONE_VFORK | CLONE_FILES, work);
	if (child >= 0)
		waitpid(child, NULL, (int)__WCLONE);
	errno = work->result < 0 ? work->error : error;
	return work->result;
}

long unlimited_call(long number, long first, long second, long third, long fourth)
{
	struct work work = { .number = number, .words = { first, second, third, fourth } };

	if (getrlimit(RLIMIT_FSIZE, &work.limit) || work.limit.rlim_cur == RLIM_INFINITY)
		return syscall(number, first, second, third, fourth);
	return by_child(&work);
}
