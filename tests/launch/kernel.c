/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A C program that tries to change the kernel: mounts and modules; to be run on the machine of
 * tests/platforms/tiny.platform by the preload library. No call here would succeed on a real
 * machine: there is no such file system and no such module.
 */
#include "program.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_move_mount
#define SYS_move_mount 429
#endif
#ifndef SYS_mount_setattr
#define SYS_mount_setattr 442
#endif

#define NO_TYPE "isst-nonesuch"
#define NO_FLAG 0x40000000
#define OF_MOUNTS ": mounts are not changed there: they would be those of the real machine\n"
#define OF_MODULES \
	"isst emulate: modules are not loaded or removed: they would be those of the real kernel\n"

/** What a call answers, and what is printed to standard error meanwhile. */
struct answer {
	long result;
	int error;
	char text[300];
};

static int kept, ends[2];

static void begin_messages(void)
{
	kept = dup(STDERR_FILENO);
	assert_int_equal(pipe(ends), 0);
	dup2(ends[1], STDERR_FILENO);
	close(ends[1]);
	errno = 0;
}

static void end_messages(struct answer *answer, long result)
{
	ssize_t size;

	answer->result = result;
	answer->error = errno;
	dup2(kept, STDERR_FILENO);
	close(kept);
	size = read(ends[0], answer->text, sizeof(answer->text) - 1);
	close(ends[0]);
	assert_true(size >= 0);
	answer->text[size] = '\0';
}

#define assert_refused(call, message) \
	do { \
		struct answer answer; \
		begin_messages(); \
		end_messages(&answer, (call)); \
		assert_string_equal(answer.text, (message)); \
		assert_int_equal(answer.result, -1); \
		assert_int_equal(answer.error, EPERM); \
	} while (0)

/* Not refused by the library: what the kernel answers depends on the user. */
#define assert_passed_on(call) \
	do { \
		struct answer answer; \
		begin_messages(); \
		end_messages(&answer, (call)); \
		assert_string_equal(answer.text, ""); \
		assert_int_equal(answer.result, -1); \
	} while (0)

static void mounts_of_the_machine_are_not_changed(void **state)
{
	static const char *const paths[] = {
		GROUPS,	  CPUS,	  CPUS "/cpu0", CPUS "/online",		 "/proc/cpuinfo",
		"/sys//", "/sys", "/sys/power", "/proc/self/root/sys/.", "/sys/kernel/security",
	};
	char message[200];

	(void)state;
	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		snprintf(message, sizeof(message), "isst emulate: %s" OF_MOUNTS, paths[i]);
		assert_refused(mount("none", paths[i], NO_TYPE, 0, NULL), message);
		assert_refused(umount2(paths[i], NO_FLAG), message);
		assert_refused(syscall(SYS_mount, "none", paths[i], NO_TYPE, 0UL, NULL), message);
		assert_refused(syscall(SYS_umount2, paths[i], NO_FLAG), message);
		assert_refused(
			syscall(SYS_move_mount, AT_FDCWD, "/nonesuch", AT_FDCWD, paths[i], 0),
			message);
		assert_refused(
			syscall(SYS_mount_setattr, AT_FDCWD, paths[i], NO_FLAG, NULL, (size_t)0),
			message);
	}
	/* It has no flags: of what is no mount. */
	assert_refused(umount(CPUS "/cpu0"), "isst emulate: " CPUS "/cpu0" OF_MOUNTS);
}

static void mounts_elsewhere_are_the_system_s(void **state)
{
	char directory[] = "/tmp/mount-XXXXXX";

	(void)state;
	assert_non_null(mkdtemp(directory));
	assert_passed_on(mount("none", directory, NO_TYPE, 0, NULL));
	assert_passed_on(umount(directory));
	assert_passed_on(umount2(directory, NO_FLAG));
	assert_passed_on(syscall(SYS_mount, "none", directory, NO_TYPE, 0UL, NULL));
	assert_passed_on(mount("none", "/system", NO_TYPE, 0, NULL));
	assert_int_equal(rmdir(directory), 0);
}

static void modules_are_not_loaded_or_removed(void **state)
{
	(void)state;
	assert_refused(syscall(SYS_delete_module, NO_TYPE, 0U), OF_MODULES);
	assert_refused(syscall(SYS_init_module, NULL, 0UL, ""), OF_MODULES);
	assert_refused(syscall(SYS_finit_module, -1, "", 0), OF_MODULES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mounts_of_the_machine_are_not_changed),
		cmocka_unit_test(mounts_elsewhere_are_the_system_s),
		cmocka_unit_test(modules_are_not_loaded_or_removed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
