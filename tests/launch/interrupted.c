/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A C program whose accesses to the kernel's files are interrupted: by signals, by cancelling
 * threads and by bad pointers; to be run on the machine of tests/platforms/tiny.platform by the
 * launcher. No access may reach the real machine, or leave the emulated one locked.
 */
#include "program.h"
#include "signalled.h"

#include "driver/abi.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/time.h>
#include <unistd.h>

/* How often, in microseconds. */
enum { INTERVAL = 300, ACCESSES = 3000 };

static volatile sig_atomic_t jumps;
static sigjmp_buf before;

static void jump(int number)
{
	(void)number;
	jumps++;
	siglongjmp(before, 1);
}

static void send_often(void (*handler)(int number))
{
	const struct itimerval often = { { 0, INTERVAL }, { 0, INTERVAL } };
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART };

	assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
	assert_int_equal(setitimer(ITIMER_REAL, &often, NULL), 0);
}

static int stop_sending(void **state)
{
	const struct itimerval never = { { 0, 0 }, { 0, 0 } };

	(void)state;
	if (setitimer(ITIMER_REAL, &never, NULL))
		return -1;
	signal(SIGALRM, SIG_DFL);
	return 0;
}

static void handlers_meet_the_machine(void **state)
{
	(void)state;
	send_often(look);
	for (unsigned int i = 0; i < ACCESSES; i++)
		assert_true(is_machine());
	stop_sending(NULL);
	assert_true(handled > 0);
	assert_int_equal(wrong, 0);
}

static void handlers_may_jump_out_of_accesses(void **state)
{
	static volatile unsigned int done;

	(void)state;
	send_often(jump);
	sigsetjmp(before, 1);
	while (done++ < ACCESSES)
		is_machine();
	stop_sending(NULL);
	assert_true(jumps > 0);
	/* What was open at a jump stays open. */
	closefrom(3);
	alarm(10);
	assert_true(is_machine());
	alarm(0);
}

/** As in the driver, though signals wait while the machine is at work. */
static void signals_of_rules_end_batches(void **state)
{
	uint32_t maps[] = { 2, 0, 0, 1, 0 }; /* struct abi_cpu_maps with two entries */
	int device = open("/dev/isst_interface", O_RDWR | O_CLOEXEC);
	char path[4096];
	FILE *rules;

	(void)state;
	snprintf(path, sizeof(path), "%s/faults", getenv("ISST_EMULATE_STATE"));
	rules = fopen(path, "w");
	assert_non_null(rules);
	fputs("phy-id cpu 0 signal USR1\n", rules);
	assert_int_equal(fclose(rules), 0);
	handled = 0;
	signal(SIGUSR1, look);
	assert_int_equal(ioctl(device, ABI_GET_PHY_ID, maps), 1);
	assert_int_equal(handled, 1);
	signal(SIGUSR1, SIG_IGN);
	assert_int_equal(ioctl(device, ABI_GET_PHY_ID, maps), 2);
	assert_int_equal(unlink(path), 0);
	close(device);
}

static void *read_for_ever(void *data)
{
	int type;

	pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &type);
	for (;;)
		is_machine();
	return data;
}

static void cancelled_threads_leave_nothing_locked(void **state)
{
	(void)state;
	alarm(60);
	for (unsigned int i = 0; i < 200; i++) {
		pthread_t thread;

		assert_int_equal(pthread_create(&thread, NULL, read_for_ever, NULL), 0);
		usleep(i * 10);
		assert_int_equal(pthread_cancel(thread), 0);
		assert_int_equal(pthread_join(thread, NULL), 0);
	}
	assert_true(is_machine());
	closefrom(3);
	alarm(0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(handlers_meet_the_machine, stop_sending),
		cmocka_unit_test_teardown(handlers_may_jump_out_of_accesses, stop_sending),
		cmocka_unit_test(signals_of_rules_end_batches),
		cmocka_unit_test(cancelled_threads_leave_nothing_locked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
