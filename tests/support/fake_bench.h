/* SPDX-License-Identifier: BSD-3-Clause */
/* Readers and writers of the kernel's files on a fake machine. */
#ifndef TESTS_SUPPORT_FAKE_BENCH_H
#define TESTS_SUPPORT_FAKE_BENCH_H

#include "base/messages.h"
#include "support/check.h"
#include "support/fake_machine.h"
#include "sysfs/kernel_files.h"

struct bench {
	struct messages messages;
	struct kernel_files files;
};

static inline void bench_begin(struct fake_machine *fake, struct bench *bench)
{
	*bench = (struct bench){ 0 };
	kernel_files_init(&bench->files, &fake->machine, &bench->messages);
	fake->files.writable = true;
}

static inline void bench_end(struct bench *bench)
{
	kernel_files_forget(&bench->files);
	messages_free(&bench->messages);
}

/** Tests with a bench of their own, which these functions begin and end. */
#define BENCH_TESTS(begin, end) \
	static struct bench own; \
	static struct fake_machine *begin_own(struct fake_machine *fake) \
	{ \
		begin(fake, &own); \
		return fake; \
	} \
	static void end_own(__attribute__((unused)) struct fake_machine *fake) \
	{ \
		end(&own); \
	}
#define BENCH_TEST(name) FAKE_TEST_OF(name, struct fake_machine *fake, begin_own, end_own)

#endif
