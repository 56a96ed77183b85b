/* SPDX-License-Identifier: BSD-3-Clause */
/* Batches: how entries are distributed over calls, and the result of each. */
#include "support/fake_driver.h"

#include <time.h>

enum { MOST = 200 };

/** A driver on the fake machine, and a batch of mailbox commands: entry i reads sub-command i of
 * CPU 1000 + i. */
struct bench {
	struct fake_device *device;
	struct messages messages;
	struct driver driver;
	struct abi_mbox_cmd commands[MOST];
	int errors[MOST];
};

static uint32_t answer_of(size_t i)
{
	return 0x01010000u + (uint32_t)i;
}

static struct bench *start(struct fake_machine *fake)
{
	struct bench *bench = calloc(1, sizeof(*bench));

	assert_non_null(bench);
	bench->device = fake_driver_open(fake, &bench->driver, &bench->messages);
	for (uint32_t i = 0; i < MOST; i++) {
		bench->commands[i] = (struct abi_mbox_cmd){ .logical_cpu = 1000 + i,
							    .command = 0x7f,
							    .sub_command = (uint16_t)i };
		bench->errors[i] = 12345;
		fake_mailbox(bench->device, 0x7f00 | i, 0, 0, answer_of(i));
	}
	return bench;
}

static void finish(struct bench *bench)
{
	fake_driver_close(bench->device, &bench->driver, &bench->messages);
	free(bench);
}

#define BENCH_TEST(name) FAKE_TEST_OF(name, struct bench *bench, start, finish)

static void send_entries(struct bench *bench, size_t count)
{
	driver_mailbox(&bench->driver, bench->commands, bench->errors, count, BATCH_READS);
}

/** Entry i is answered with an error, the first @times it is sent (0: always). */
static void fail_entry(struct bench *bench, uint32_t i, int error, unsigned int times)
{
	fake_rule(bench->device,
		  &(struct fake_rule){ .entry = { FAKE_MAILBOX, 1000 + i, 0x7f00 | i, 0, 0 },
				       .error = error,
				       .times = times });
}

static void script(struct bench *bench, const int *answers, size_t count)
{
	bench->device->script = answers;
	bench->device->script_count = count;
	bench->device->script_at = 0;
}

static void check_done(const struct bench *bench, size_t i)
{
	assert_int_equal(bench->errors[i], 0);
	assert_int_equal(bench->commands[i].resp_data, answer_of(i));
}

static void check_all_done_but(const struct bench *bench, size_t count, size_t failed, int error)
{
	for (size_t i = 0; i < count; i++)
		if (i == failed)
			assert_int_equal(bench->errors[i], error);
		else
			check_done(bench, i);
}

FAKE_TEST(any_number_of_entries_takes_the_fewest_calls)
{
	for (size_t count = 1; count <= MOST; count++) {
		struct bench *bench = start(fake);

		send_entries(bench, count);
		for (size_t i = 0; i < count; i++)
			check_done(bench, i);
		assert_int_equal(bench->errors[count < MOST ? count : 0], count < MOST ? 12345 : 0);
		assert_int_equal(bench->device->call_count, (count + 63) / 64);
		assert_int_equal(bench->device->entry_count, count);
		for (size_t i = 0; i < bench->device->call_count; i++)
			assert_in_range(bench->device->calls[i].count, 1, 64);
		finish(bench);
	}
}

BENCH_TEST(entries_keep_their_order)
{
	send_entries(bench, MOST);
	for (uint32_t i = 0; i < MOST; i++)
		assert_int_equal(bench->device->entries[i].cpu, 1000 + i);
}

FAKE_TEST(a_smaller_limit_of_the_driver_is_kept)
{
	struct bench *bench;

	fake->device.max_commands = 7;
	bench = start(fake);
	send_entries(bench, MOST);
	check_all_done_but(bench, MOST, MOST, 0);
	assert_int_equal(bench->device->call_count, (MOST + 6) / 7);
	finish(bench);
}

BENCH_TEST(no_entries_are_no_call)
{
	send_entries(bench, 0);
	assert_int_equal(bench->device->call_count, 0);
}

FAKE_TEST(a_failing_entry_keeps_its_own_error_and_the_others_are_read)
{
	static const uint32_t PLACES[] = { 0, 1, 37, 63, 64, 127, 128, 199 };

	for (size_t i = 0; i < COUNT(PLACES); i++) {
		struct bench *bench = start(fake);

		fail_entry(bench, PLACES[i], -ENXIO, 0);
		send_entries(bench, MOST);
		check_all_done_but(bench, MOST, PLACES[i], -ENXIO);
		finish(bench);
	}
}

BENCH_TEST(every_entry_can_fail_in_its_own_way)
{
	static const int ERRORS[] = { -ENXIO, -EINVAL, 0, -EPERM, -EIO, 0, -ENXIO };

	for (uint32_t i = 0; i < COUNT(ERRORS); i++)
		if (ERRORS[i])
			fail_entry(bench, i, ERRORS[i], 0);
	send_entries(bench, COUNT(ERRORS));
	for (size_t i = 0; i < COUNT(ERRORS); i++)
		assert_int_equal(bench->errors[i], ERRORS[i]);
	check_done(bench, 2);
	check_done(bench, 5);
}

BENCH_TEST(a_short_count_without_a_reason_is_resumed)
{
	static const int SHORT[] = { 10, 1, 30 };

	script(bench, SHORT, COUNT(SHORT));
	send_entries(bench, 50);
	check_all_done_but(bench, 50, MOST, 0);
	assert_int_equal(bench->device->call_count, 4);
	assert_int_equal(bench->device->calls[1].count, 40);
	assert_int_equal(bench->device->calls[2].count, 39);
	assert_int_equal(bench->device->calls[3].count, 9);
	assert_int_equal(bench->device->entries[50].cpu, 1010);
}

BENCH_TEST(an_interrupted_call_is_sent_again)
{
	static const int INTERRUPTED[] = { -EINTR, -EINTR, 5, -EINTR };

	script(bench, INTERRUPTED, COUNT(INTERRUPTED));
	send_entries(bench, 20);
	check_all_done_but(bench, 20, MOST, 0);
	assert_int_equal(bench->device->call_count, 5);
}

BENCH_TEST(an_endless_storm_of_signals_ends_as_interrupted)
{
	fail_entry(bench, 0, -EINTR, 0);
	send_entries(bench, 2);
	assert_int_equal(bench->errors[0], -EINTR);
	check_done(bench, 1);
}

FAKE_TEST(a_busy_mailbox_is_asked_again_as_often_as_allowed)
{
	for (unsigned int tries = 1; tries <= 5; tries++) {
		struct bench *bench = start(fake);

		bench->driver.tries = tries;
		if (tries > 1)
			fail_entry(bench, 0, -EBUSY, tries - 1);
		send_entries(bench, 3);
		check_all_done_but(bench, 3, MOST, 0);
		assert_int_equal(bench->device->call_count, tries);
		finish(bench);
	}
}

FAKE_TEST(a_mailbox_that_stays_busy_is_reported_after_the_last_try)
{
	for (unsigned int tries = 1; tries <= 4; tries++) {
		struct bench *bench = start(fake);

		bench->driver.tries = tries;
		fail_entry(bench, 0, -EBUSY, 0);
		send_entries(bench, 1);
		assert_int_equal(bench->errors[0], -EBUSY);
		assert_int_equal(bench->device->call_count, tries);
		finish(bench);
	}
}

BENCH_TEST(a_mailbox_busy_in_the_middle_gets_all_its_tries)
{
	/* Once as the end of a short count, then twice as the first of a call. */
	fail_entry(bench, 5, -EBUSY, 3);
	send_entries(bench, 10);
	check_all_done_but(bench, 10, MOST, 0);
}

BENCH_TEST(one_busy_entry_does_not_use_up_the_tries_of_another)
{
	fail_entry(bench, 0, -EBUSY, 2);
	fail_entry(bench, 1, -EBUSY, 2);
	fail_entry(bench, 2, -EBUSY, 2);
	send_entries(bench, 3);
	check_all_done_but(bench, 3, MOST, 0);
}

BENCH_TEST(only_the_mailbox_is_worth_another_try)
{
	struct abi_msr_cmd msr = { .logical_cpu = 1, .msr = 0x1ad };
	int error;

	fake_msr_error(bench->device, 0x1ad, -EBUSY);
	driver_msr(&bench->driver, &msr, &error, 1, BATCH_READS);
	assert_int_equal(error, -EBUSY);
	assert_int_equal(bench->device->call_count, 1);
}

FAKE_TEST(a_refusal_is_not_repeated)
{
	static const int ERRORS[] = { -ENXIO, -EINVAL, -EPERM, -EIO, -ENOMEM, -EFAULT };

	for (size_t i = 0; i < COUNT(ERRORS); i++) {
		struct bench *bench = start(fake);

		fail_entry(bench, 0, ERRORS[i], 0);
		send_entries(bench, 1);
		assert_int_equal(bench->errors[0], ERRORS[i]);
		assert_int_equal(bench->device->call_count, 1);
		finish(bench);
	}
}

BENCH_TEST(a_missing_transport_ends_the_batch_for_all_entries)
{
	static const int MISSING[] = { -ENOTTY };

	script(bench, MISSING, 1);
	send_entries(bench, MOST);
	for (size_t i = 0; i < MOST; i++)
		assert_int_equal(bench->errors[i], -ENOTTY);
	assert_int_equal(bench->device->call_count, 1);
}

BENCH_TEST(a_transport_that_goes_away_leaves_what_was_read)
{
	static const int GOES[] = { FAKE_SERVE, -ENOTTY };

	script(bench, GOES, 2);
	send_entries(bench, MOST);
	for (size_t i = 0; i < 64; i++)
		check_done(bench, i);
	for (size_t i = 64; i < MOST; i++)
		assert_int_equal(bench->errors[i], -ENOTTY);
	assert_int_equal(bench->device->call_count, 2);
}

FAKE_TEST(D13_positive_answers_that_are_no_count_are_errors)
{
	static const int ANSWERS[] = { 0x81, 0x83, 0x86, 0x87, 0x88, 0x89, 3, 0x7fffffff };

	for (size_t i = 0; i < COUNT(ANSWERS); i++) {
		struct bench *bench = start(fake);

		script(bench, &ANSWERS[i], 1);
		send_entries(bench, 2);
		assert_int_equal(bench->errors[0], -EBADMSG);
		check_done(bench, 1);
		finish(bench);
	}
}

BENCH_TEST(D13_an_answer_of_zero_is_an_error_and_no_endless_loop)
{
	static const int ZERO[] = { 0 };

	script(bench, ZERO, 1);
	send_entries(bench, 3);
	check_all_done_but(bench, 3, 0, -EBADMSG);
}

BENCH_TEST(D13_a_pcibios_code_is_an_error_of_the_first_entry_of_a_full_batch)
{
	static const int CODE[] = { 0x87 };

	script(bench, CODE, 1);
	send_entries(bench, MOST);
	check_all_done_but(bench, MOST, 0, -EBADMSG);
}

static void write_entries(struct bench *bench, size_t count)
{
	driver_mailbox(&bench->driver, bench->commands, bench->errors, count, BATCH_WRITES);
}

FAKE_TEST(D9_writes_stop_at_the_entry_that_fails)
{
	static const uint32_t PLACES[] = { 0, 1, 37, 63, 64, 199 };

	for (size_t i = 0; i < COUNT(PLACES); i++) {
		struct bench *bench = start(fake);

		fail_entry(bench, PLACES[i], -ENXIO, 0);
		write_entries(bench, MOST);
		for (size_t at = 0; at < PLACES[i]; at++)
			check_done(bench, at);
		assert_int_equal(bench->errors[PLACES[i]], -ENXIO);
		for (size_t at = PLACES[i] + 1; at < MOST; at++)
			assert_int_equal(bench->errors[at], -ECANCELED);
		finish(bench);
	}
}

BENCH_TEST(writes_that_are_interrupted_or_busy_or_cut_short_go_on)
{
	static const int ANSWERS[] = { -EINTR, 5, -EBUSY, -EBUSY, 1, -EINTR };

	script(bench, ANSWERS, COUNT(ANSWERS));
	write_entries(bench, 20);
	check_all_done_but(bench, 20, MOST, 0);
}

BENCH_TEST(D13_writes_stop_at_an_answer_that_is_no_count)
{
	static const int CODE[] = { 0x87 };

	script(bench, CODE, 1);
	write_entries(bench, 3);
	assert_int_equal(bench->errors[0], -EBADMSG);
	assert_int_equal(bench->errors[1], -ECANCELED);
	assert_int_equal(bench->errors[2], -ECANCELED);
	assert_int_equal(bench->device->call_count, 1);
}

static double seconds_since(const struct timespec *start)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - start->tv_sec) + (double)(now.tv_nsec - start->tv_nsec) / 1e9;
}

BENCH_TEST(a_pause_sends_mailbox_commands_alone_and_waits_before_each)
{
	struct timespec begin;

	bench->driver.pause_ms = 5;
	clock_gettime(CLOCK_MONOTONIC, &begin);
	send_entries(bench, 4);
	assert_true(seconds_since(&begin) >= 0.020);
	check_all_done_but(bench, 4, MOST, 0);
	assert_int_equal(bench->device->call_count, 4);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(bench->device->calls[i].count, 1);
}

BENCH_TEST(a_pause_does_not_concern_other_requests)
{
	struct abi_cpu_map cpus[3] = { { .logical_cpu = 0 },
				       { .logical_cpu = 1 },
				       { .logical_cpu = 2 } };
	int errors[3];

	bench->driver.pause_ms = 60000;
	for (uint32_t i = 0; i < 3; i++)
		fake_phy_id(bench->device, i, 2 * i);
	driver_phy_ids(&bench->driver, cpus, errors, 3);
	assert_int_equal(errors[2], 0);
	assert_int_equal(bench->device->call_count, 1);
}

BENCH_TEST(each_kind_of_entry_arrives_and_returns_in_its_layout)
{
	struct abi_cpu_map cpu = { .logical_cpu = 4097 };
	struct abi_io_reg io = { .logical_cpu = 4098, .reg = 0x24 };
	struct abi_msr_cmd msr = { .logical_cpu = 4099, .msr = 0x1ae };
	struct abi_mbox_cmd mailbox = { .logical_cpu = 4100,
					.command = 0xd0,
					.sub_command = 1,
					.parameter = 3,
					.req_data = 0x80000001 };
	int errors[4];

	fake_phy_id(bench->device, 4097, 0x1ff);
	fake_io(bench->device, 0x24, 0xfedcba98);
	fake_msr(bench->device, 0x1ae, UINT64_C(0xfedcba9876543210));
	fake_mailbox(bench->device, 0xd001, 3, 0x80000001, 0x89abcdef);
	driver_phy_ids(&bench->driver, &cpu, &errors[0], 1);
	driver_io(&bench->driver, &io, &errors[1], 1, BATCH_READS);
	driver_msr(&bench->driver, &msr, &errors[2], 1, BATCH_READS);
	driver_mailbox(&bench->driver, &mailbox, &errors[3], 1, BATCH_READS);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(errors[i], 0);
		assert_int_equal(bench->device->entries[i].cpu, 4097 + i);
	}
	assert_int_equal(cpu.physical_cpu, 0x1ff);
	assert_int_equal(io.value, 0xfedcba98);
	assert_int_equal(msr.data, UINT64_C(0xfedcba9876543210));
	assert_int_equal(mailbox.resp_data, 0x89abcdef);
}

BENCH_TEST(calls_and_commands_are_counted)
{
	/* One of each for GET_PLATFORM_INFO. */
	send_entries(bench, 65);
	assert_int_equal(bench->driver.opens, 1);
	assert_int_equal(bench->driver.calls, 1 + 2);
	assert_int_equal(bench->driver.commands, 1 + 65);
}

struct trace {
	unsigned int commands;
};

static void count_commands(void *data, int level, const char *line)
{
	struct trace *trace = data;

	trace->commands += level == ISST_LOG_DEBUG && !strncmp(line, "mbox_send: cpu:", 15);
}

BENCH_TEST(D66_each_command_is_a_line_of_the_trace)
{
	struct trace trace = { 0 };

	bench->messages.log = count_commands;
	bench->messages.log_data = &trace;
	bench->messages.log_level = ISST_LOG_DEBUG;
	send_entries(bench, 100);
	assert_int_equal(trace.commands, 100);
}
