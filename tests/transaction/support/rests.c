/* SPDX-License-Identifier: BSD-3-Clause */
/* Sleeps that end at once, in place of the C library's, and their total time. */
#include "transaction/support/rests.h"
#include "support/check.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/** What has been rested so far. */
struct rested {
	atomic_llong count, ns;
};

/** Shared by all processes of a test. NULL: rests take their time. */
static struct rested *rested;

enum { NS_PER_S = 1000000000 };

void rests_end_at_once(void)
{
	if (rested)
		return;
	rested = mmap(NULL, sizeof(*rested), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	assert_ptr_not_equal(rested, MAP_FAILED);
}

void rests_take_their_time(void)
{
	if (rested)
		munmap(rested, sizeof(*rested));
	rested = NULL;
}

void rest_ms(unsigned int ms)
{
	struct timespec time = { ms / 1000, (long)(ms % 1000) * 1000000 };

	while (nanosleep(&time, &time) && errno == EINTR)
		;
}

int nanosleep(const struct timespec *time, struct timespec *left)
{
	int error = 0;

	if (rested) {
		atomic_fetch_add(&rested->count, 1);
		atomic_fetch_add(&rested->ns, time->tv_sec * NS_PER_S + time->tv_nsec);
	} else {
		error = clock_nanosleep(CLOCK_MONOTONIC, 0, time, left);
	}
	errno = error ? error : errno;
	return error ? -1 : 0;
}

/** Times of files are the kernel's: the coarse clock, which tells them, is left alone. */
int clock_gettime(clockid_t clock, struct timespec *time)
{
	static int (*real)(clockid_t, struct timespec *);
	long long ns;
	int result;

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "clock_gettime");
	result = real(clock, time);
	if (result || !rested ||
	    (clock != CLOCK_MONOTONIC && clock != CLOCK_REALTIME && clock != CLOCK_BOOTTIME))
		return result;
	ns = time->tv_nsec + atomic_load(&rested->ns);
	time->tv_sec += ns / NS_PER_S;
	time->tv_nsec = ns % NS_PER_S;
	return 0;
}

/** The library tells by it whether a driver has slept. */
int getrusage(__rusage_who_t who, struct rusage *usage)
{
	int result = (int)syscall(SYS_getrusage, who, usage);

	if (!result && rested)
		usage->ru_nvcsw += (long)atomic_load(&rested->count);
	return result;
}
