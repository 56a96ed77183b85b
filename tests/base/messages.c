/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages, notices, failures and the trace. */
#include "base/messages.h"
#include "support/check.h"

#include <search.h>

struct lines {
	enum isst_log_level level;
	unsigned int count;
	char last[64];
};

static void take_line(void *data, int level, const char *line)
{
	struct lines *lines = data;

	lines->level = level;
	lines->count++;
	snprintf(lines->last, sizeof(lines->last), "%s", line);
}

TEST(an_error_is_kept_and_returned)
{
	struct messages messages = { 0 };

	assert_null(messages.error);
	assert_int_equal(
		message_error_at(&messages, of_cpu(NULL, 5u), -EIO, "CPU %u: %s", 5u, "no"), -EIO);
	assert_string_equal(messages.error, "CPU 5: no");
	messages_free(&messages);
}

TEST(a_later_error_takes_the_place_of_an_earlier_one)
{
	struct messages messages = { 0 };

	message_error(&messages, -EIO, "first");
	message_error(&messages, -EPERM, "second");
	assert_string_equal(messages.error, "second");
	messages_free(&messages);
}

TEST(messages_stay_valid_however_many_follow)
{
	struct messages messages = { 0 };
	const char *first = message_make(&messages, "%s", "first");

	for (unsigned int i = 0; i < 1000; i++)
		message_make(&messages, "%u", i);
	assert_string_equal(first, "first");
	messages_free(&messages);
}

static unsigned int counted;

static void count_text(const void *text, VISIT visit, int depth)
{
	counted += visit == preorder || visit == leaf;
}

static unsigned int count_texts(const struct messages *messages)
{
	counted = 0;
	twalk(messages->all, count_text);
	return counted;
}

TEST(C3_a_text_is_kept_once_however_often_it_is_made)
{
	struct messages messages = { 0 };
	const char *first = message_make(&messages, "CPU %u", 3u);
	struct message_list former;

	for (unsigned int i = 0; i < 1000; i++) {
		assert_ptr_equal(message_make(&messages, "CPU %s", "3"), first);
		message_error_at(&messages, of_cpu(NULL, 3u), -EIO, "CPU %u: %s", 3u, "no");
		message_notice(&messages, of_machine(), "notice %u", i % 2);
	}
	assert_int_equal(count_texts(&messages), 4);
	assert_int_equal(messages.notices.count, 2);
	former = messages_take_notices(&messages);
	assert_int_equal(messages.notices.count, 0);
	message_notice(&messages, of_machine(), "notice 1");
	assert_int_equal(messages.notices.count, 1);
	messages_put_notices(&messages, former);
	assert_int_equal(messages.notices.count, 2);
	assert_int_equal(count_texts(&messages), 4);
	messages_free(&messages);
}

TEST(a_message_keeps_its_place_wherever_its_text_goes)
{
	const struct isst_domain domain = { .name = "package 1, die 0", .package = 1 };
	struct isst_cpuset *cpus = isst_cpuset_new();
	struct messages messages = { 0 };
	struct isst_failure failure = { 0 };
	const struct isst_message *message;

	assert_int_equal(isst_cpuset_add(cpus, 4, 5), 0);
	message_failure(&messages, &failure, of_cpus(&domain, cpus), -EIO, "CPUs 4-5: no");
	isst_cpuset_free(cpus);
	assert_int_equal(message_error(&messages, -EIO, "%s", failure.message), -EIO);
	message = message_find(&messages, messages.error);
	assert_ptr_equal(message->place.domain, &domain);
	assert_true(isst_cpuset_has(message->place.cpus, 5));
	assert_int_equal(isst_cpuset_count(message->place.cpus), 2);
	assert_int_equal(message->error, -EIO);
	assert_int_equal(message->level, ISST_LOG_ERROR);
	/* One that is made of it is about the same. */
	message_error_at(&messages, of_text(&messages, failure.message), -EIO, "%s; undone",
			 failure.message);
	message = message_find(&messages, "CPUs 4-5: no; undone");
	assert_true(isst_cpuset_has(message->place.cpus, 4));
	assert_null(message_find(&messages, "CPUs 4-5"));
	assert_null(of_text(&messages, "CPUs 4-5").domain);
	messages_free(&messages);
}

TEST(notices_are_kept_in_order)
{
	struct messages messages = { 0 };
	char expected[16];

	message_make(&messages, "no notice");
	for (unsigned int i = 0; i < 100; i++)
		message_notice(&messages, of_machine(), "notice %u", i);
	assert_int_equal(messages.notices.count, 100);
	for (unsigned int i = 0; i < 100; i++) {
		snprintf(expected, sizeof(expected), "notice %u", i);
		assert_string_equal(messages.notices.items[i]->text, expected);
	}
	assert_null(messages.error);
	messages_free(&messages);
}

TEST(the_first_failure_keeps_its_message_and_later_ones_are_counted)
{
	struct messages messages = { 0 };
	struct isst_failure failure = { 0 };

	message_failure(&messages, &failure, of_cpu(NULL, 1u), -EIO, "CPU %u", 1u);
	assert_int_equal(failure.error, -EIO);
	assert_string_equal(failure.message, "CPU 1");
	assert_int_equal(failure.more, 0);
	message_failure(&messages, &failure, of_cpu(NULL, 2u), -EPERM, "CPU %u", 2u);
	message_failure(&messages, &failure, of_cpu(NULL, 3u), -EPERM, "CPU %u", 3u);
	assert_int_equal(failure.error, -EIO);
	assert_string_equal(failure.message, "CPU 1");
	assert_int_equal(failure.more, 2);
	messages_free(&messages);
}

TEST(a_failure_is_no_error_of_the_call)
{
	struct messages messages = { 0 };
	struct isst_failure failure = { 0 };

	message_failure(&messages, &failure, of_machine(), -EIO, "x");
	assert_null(messages.error);
	messages_free(&messages);
}

TEST(the_trace_goes_to_the_listener)
{
	struct lines lines = { 0 };
	struct messages messages = { .log = take_line,
				     .log_data = &lines,
				     .log_level = ISST_LOG_DEBUG };

	message_trace(&messages, "cpu:%u", 3u);
	assert_int_equal(lines.count, 1);
	assert_string_equal(lines.last, "cpu:3");
	assert_null(messages.all);
	messages_free(&messages);
}

TEST(without_a_listener_the_trace_does_nothing)
{
	struct messages messages = { 0 };

	message_trace(&messages, "cpu:%u", 3u);
	assert_null(messages.all);
	messages_free(&messages);
}
