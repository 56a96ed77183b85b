/* SPDX-License-Identifier: BSD-3-Clause */
/* Suspends, from the kernel's count and, as that has no hibernation, from clocks. */
#include "sysfs/suspend.h"
#include "base/machine.h"
#include "base/messages.h"

#include <time.h>

/* Between the readings of two clocks the process may have to wait. */
enum { SHORTEST_MS = 2000 };

static int64_t clock_ms(clockid_t clock)
{
	struct timespec now;

	if (clock_gettime(clock, &now))
		return 0;
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

struct suspend_mark suspend_mark_now(struct kernel_files *files)
{
	const char *error = files->messages->error;
	struct suspend_mark mark = { 0 };

	if (kernel_files_number(files, RESUMES_FILE, UINT32_MAX, &mark.resumes))
		mark.resumes = 0;
	files->messages->error = error;
	if (!files->machine->name)
		mark.suspended_ms = clock_ms(CLOCK_BOOTTIME) - clock_ms(CLOCK_MONOTONIC);
	return mark;
}

bool suspend_marks_differ(const struct suspend_mark *before, const struct suspend_mark *now)
{
	return now->resumes > before->resumes ||
	       now->suspended_ms - before->suspended_ms >= SHORTEST_MS;
}
