/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Batches of CLOS associations: answered with 0 or an error and never with a count, so that what
 * failed has to be found out. The fake device refuses a punit_cpu_map other than 1 and more than 64
 * entries.
 */
#include "support/fake_driver.h"

enum { MOST = 200, UNTOUCHED = 99 };

/** A driver on the fake machine, and a batch: entry i is core i % 64 of socket 3, domain i / 64,
 * which is in CLOS i % 4. */
struct bench {
	struct fake_device *device;
	struct messages messages;
	struct driver driver;
	struct abi_clos_assoc entries[MOST];
	int errors[MOST];
};

static struct fake_entry entry_of(uint32_t i, bool write, unsigned int clos)
{
	return (struct fake_entry){ FAKE_ASSOCIATION, i % 64, FAKE_DOMAIN(3, i / 64), write, clos };
}

static struct bench *start(struct fake_machine *fake)
{
	struct bench *bench = calloc(1, sizeof(*bench));

	assert_non_null(bench);
	fake->device.api_version = 3;
	bench->device = fake_driver_open(fake, &bench->driver, &bench->messages);
	for (uint32_t i = 0; i < MOST; i++) {
		bench->entries[i] = (struct abi_clos_assoc){ .socket_id = 3,
							     .power_domain_id = (uint8_t)(i / 64),
							     .logical_cpu = (uint16_t)(i % 64) };
		fake_association(bench->device, FAKE_DOMAIN(3, i / 64), i % 64, i % 4);
	}
	return bench;
}

/** As above, to be written: entry i into CLOS i % 4. */
static struct bench *start_writing(struct fake_machine *fake)
{
	struct bench *bench = start(fake);

	for (uint32_t i = 0; i < MOST; i++) {
		bench->entries[i].clos = i % 4;
		fake_rule(bench->device, &(struct fake_rule){ .entry = entry_of(i, true, i % 4) });
	}
	return bench;
}

static void finish(struct bench *bench)
{
	fake_driver_close(bench->device, &bench->driver, &bench->messages);
	free(bench);
}

#define BENCH_TEST(name) FAKE_TEST_OF(name, struct bench *bench, start, finish)

static void read_entries(struct bench *bench, size_t count)
{
	driver_associations(&bench->driver, bench->entries, bench->errors, count, BATCH_READS);
}

static void write_entries(struct bench *bench, size_t count)
{
	driver_associations(&bench->driver, bench->entries, bench->errors, count, BATCH_WRITES);
}

/** Entry i fails, the first @times it is sent (0: always). */
static void fail_entry(struct bench *bench, uint32_t i, bool write, int error, unsigned int times)
{
	fake_rule(bench->device,
		  &(struct fake_rule){ .entry = entry_of(i, write, write ? i % 4 : 0),
				       .error = error,
				       .times = times });
}

static size_t times_sent(const struct bench *bench, uint32_t i, bool write)
{
	struct fake_entry entry = entry_of(i, write, write ? i % 4 : 0);

	return fake_sent(bench->device, entry.request, entry.cpu, entry.address, entry.parameter,
			 entry.data);
}

static void check_read(const struct bench *bench, size_t i)
{
	assert_int_equal(bench->errors[i], 0);
	assert_int_equal(bench->entries[i].clos, i % 4);
}

FAKE_TEST(any_number_of_associations_takes_the_fewest_calls)
{
	static const size_t COUNTS[] = { 1, 2, 63, 64, 65, 127, 128, 129, 192, MOST };

	for (size_t c = 0; c < COUNT(COUNTS); c++) {
		struct bench *bench = start(fake);

		read_entries(bench, COUNTS[c]);
		for (size_t i = 0; i < COUNTS[c]; i++)
			check_read(bench, i);
		assert_int_equal(bench->device->call_count, (COUNTS[c] + 63) / 64);
		assert_int_equal(bench->device->entry_count, COUNTS[c]);
		assert_int_equal(bench->driver.calls, 1 + (COUNTS[c] + 63) / 64);
		assert_int_equal(bench->driver.commands, 1 + COUNTS[c]);
		finish(bench);
	}
}

BENCH_TEST(no_association_is_no_call)
{
	read_entries(bench, 0);
	write_entries(bench, 0);
	assert_int_equal(bench->device->call_count, 0);
}

FAKE_TEST(a_smaller_limit_of_the_driver_is_kept)
{
	struct bench *bench;

	fake->device.max_commands = 10;
	bench = start(fake);
	read_entries(bench, 25);
	assert_int_equal(bench->device->call_count, 3);
	assert_int_equal(bench->device->calls[2].count, 5);
	for (size_t i = 0; i < 25; i++)
		check_read(bench, i);
	finish(bench);
}

FAKE_TEST(writes_are_marked_and_do_not_modify_the_request)
{
	struct bench *bench = start_writing(fake);

	write_entries(bench, MOST);
	assert_int_equal(bench->device->call_count, 4);
	for (uint32_t i = 0; i < MOST; i++) {
		assert_int_equal(bench->errors[i], 0);
		assert_int_equal(bench->entries[i].clos, i % 4);
		assert_int_equal(times_sent(bench, i, true), 1);
	}
	finish(bench);
}

FAKE_TEST(a_read_that_fails_is_found_and_the_others_are_read)
{
	static const uint32_t FAILING[] = { 0, 1, 30, 63, 64, 100, 129 };

	for (size_t f = 0; f < COUNT(FAILING); f++) {
		struct bench *bench = start(fake);

		fail_entry(bench, FAILING[f], false, -EINVAL, 0);
		read_entries(bench, 130);
		for (uint32_t i = 0; i < 130; i++)
			if (i == FAILING[f])
				assert_int_equal(bench->errors[i], -EINVAL);
			else
				check_read(bench, i);
		finish(bench);
	}
}

BENCH_TEST(only_the_call_that_failed_is_repeated_one_by_one)
{
	fail_entry(bench, 70, false, -ENOTTY, 0);
	read_entries(bench, 192);
	/* 64; 64 that fail; those again, each alone; 64. */
	assert_int_equal(bench->device->call_count, 1 + 1 + 64 + 1);
	assert_int_equal(bench->device->calls[0].count, 64);
	for (size_t i = 2; i < 66; i++)
		assert_int_equal(bench->device->calls[i].count, 1);
	assert_int_equal(bench->device->calls[66].count, 64);
	assert_int_equal(times_sent(bench, 0, false), 1);
	assert_int_equal(times_sent(bench, 64, false), 2);
	assert_int_equal(times_sent(bench, 127, false), 2);
	assert_int_equal(times_sent(bench, 191, false), 1);
}

BENCH_TEST(an_answer_of_a_call_that_failed_is_not_taken)
{
	/* The driver answers core 0 in the call that fails for core 1; alone, core 0 fails, too. */
	fail_entry(bench, 0, false, -EPERM, 0);
	fail_entry(bench, 1, false, -EPERM, 0);
	fake_rule(bench->device,
		  &(struct fake_rule){ .entry = entry_of(0, false, 0), .answer = 3, .times = 1 });
	read_entries(bench, 3);
	assert_int_equal(bench->errors[0], -EPERM);
	assert_int_equal(bench->entries[0].clos, 0);
	assert_int_equal(bench->errors[1], -EPERM);
	check_read(bench, 2);
}

BENCH_TEST(a_transient_failure_is_retried)
{
	fail_entry(bench, 5, false, -ENOTTY, 1);
	read_entries(bench, 64);
	for (size_t i = 0; i < 64; i++)
		check_read(bench, i);
}

FAKE_TEST(D9_writes_stop_at_the_one_that_fails_and_the_rest_is_cancelled)
{
	struct bench *bench = start_writing(fake);

	fail_entry(bench, 66, true, -EPERM, 0);
	write_entries(bench, MOST);
	for (uint32_t i = 0; i < MOST; i++)
		assert_int_equal(bench->errors[i], i < 66 ? 0 : i == 66 ? -EPERM : -ECANCELED);
	/* The call that failed, then its entries up to the one that fails. */
	assert_int_equal(bench->device->call_count, 1 + 1 + 3);
	assert_int_equal(times_sent(bench, 66, true), 2);
	assert_int_equal(times_sent(bench, 67, true), 1);
	assert_int_equal(times_sent(bench, 128, true), 0);
	finish(bench);
}

BENCH_TEST(entries_with_an_error_are_not_sent_and_keep_it)
{
	static const uint32_t BAD[] = { 0, 10, 11, 63, 64, 99 };

	for (size_t i = 0; i < COUNT(BAD); i++) {
		bench->errors[BAD[i]] = -EOPNOTSUPP;
		bench->entries[BAD[i]].clos = UNTOUCHED;
	}
	read_entries(bench, 100);
	for (uint32_t i = 0; i < 100; i++) {
		bool bad = false;

		for (size_t j = 0; j < COUNT(BAD); j++)
			bad |= BAD[j] == i;
		if (!bad) {
			check_read(bench, i);
			assert_int_equal(times_sent(bench, i, false), 1);
			continue;
		}
		assert_int_equal(bench->errors[i], -EOPNOTSUPP);
		assert_int_equal(bench->entries[i].clos, UNTOUCHED);
		assert_int_equal(times_sent(bench, i, false), 0);
	}
}

FAKE_TEST(nothing_is_written_after_an_entry_with_an_error)
{
	struct bench *bench = start_writing(fake);

	bench->errors[2] = -EOPNOTSUPP;
	write_entries(bench, 5);
	assert_int_equal(bench->errors[0], 0);
	assert_int_equal(bench->errors[1], 0);
	assert_int_equal(bench->errors[2], -EOPNOTSUPP);
	assert_int_equal(bench->errors[3], -ECANCELED);
	assert_int_equal(bench->errors[4], -ECANCELED);
	assert_int_equal(bench->device->entry_count, 2);
	finish(bench);
}

BENCH_TEST(a_call_that_is_interrupted_is_repeated_as_a_whole)
{
	static const int ANSWERS[] = { -EINTR, -EINTR };

	bench->device->script = ANSWERS;
	bench->device->script_count = COUNT(ANSWERS);
	bench->device->script_at = 0;
	read_entries(bench, 70);
	for (size_t i = 0; i < 70; i++)
		check_read(bench, i);
	assert_int_equal(bench->device->call_count, 4);
	assert_int_equal(bench->device->calls[0].count, 64);
	assert_int_equal(bench->device->calls[2].count, 64);
	assert_int_equal(bench->device->calls[3].count, 6);
}

BENCH_TEST(D13_a_positive_answer_is_no_success)
{
	static const int ANSWERS[] = { 1, 1 };

	bench->device->script = ANSWERS;
	bench->device->script_count = COUNT(ANSWERS);
	bench->device->script_at = 0;
	bench->entries[0].clos = 0;
	read_entries(bench, 2);
	assert_int_equal(bench->errors[0], -EBADMSG);
	check_read(bench, 1);
}

/* ---- Requests that are one structure ---- */

BENCH_TEST(a_request_is_repeated_while_it_is_interrupted)
{
	static const int ANSWERS[] = { -EINTR, -EINTR, FAKE_SERVE };
	static const unsigned char INFO[11] = { [2] = 4 };
	struct abi_perf_level_info info = { .socket_id = 1, .power_domain_id = 2 };

	fake_tpmi(bench->device, FAKE_LEVELS, FAKE_DOMAIN(1, 2), 0, INFO, sizeof(INFO));
	bench->device->script = ANSWERS;
	bench->device->script_count = COUNT(ANSWERS);
	bench->device->script_at = 0;
	assert_int_equal(driver_request(&bench->driver, "PERF_LEVELS", ABI_PERF_LEVELS, &info), 0);
	assert_int_equal(info.max_level, 4);
	assert_int_equal(bench->device->call_count, 3);
}

FAKE_TEST(a_request_answers_0_or_an_error_and_nothing_else)
{
	static const int ANSWERS[] = { -ENOTTY, -EPERM, 1, 0x86 };
	static const int EXPECTED[] = { -ENOTTY, -EPERM, -EBADMSG, -EBADMSG };

	for (size_t i = 0; i < COUNT(ANSWERS); i++) {
		struct bench *bench = start(fake);
		struct abi_perf_level_info info = { .socket_id = 1, .power_domain_id = 2 };

		bench->device->script = &ANSWERS[i];
		bench->device->script_count = 1;
		bench->device->script_at = 0;
		assert_int_equal(
			driver_request(&bench->driver, "PERF_LEVELS", ABI_PERF_LEVELS, &info),
			EXPECTED[i]);
		finish(bench);
	}
}
