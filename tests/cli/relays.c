/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines for streams that stall. */
#include "check.h"

#include "cli/relay.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

/* A relay that waits for the reader ends the test. */
enum { LIMIT_S = 10, LINES = 20000 };

/** A pipe that takes nothing more. Returns how much it has. */
static size_t fill(int descriptor)
{
	static const char nothing[4096];
	size_t size = 0;
	ssize_t count;

	assert_int_equal(fcntl(descriptor, F_SETFL, O_NONBLOCK), 0);
	while ((count = write(descriptor, nothing, sizeof(nothing))) > 0)
		size += (size_t)count;
	assert_int_equal(fcntl(descriptor, F_SETFL, 0), 0);
	return size;
}

static void read_exactly(int descriptor, char *text, size_t size)
{
	while (size > 0) {
		ssize_t count = read(descriptor, text, size);

		assert_true(count > 0);
		text += count;
		size -= (size_t)count;
	}
}

/** Reads from the pipe in a process of its own: ends with 0 if all lines come in order. */
static pid_t read_lines(int descriptor, size_t skipped)
{
	pid_t reader = fork();
	char text[32], expected[32], byte;

	assert_true(reader >= 0);
	if (reader > 0)
		return reader;
	while (skipped-- > 0)
		read_exactly(descriptor, &byte, 1);
	for (int i = 0; i < LINES; i++) {
		snprintf(expected, sizeof(expected), "line %05d\n", i);
		read_exactly(descriptor, text, strlen(expected));
		if (memcmp(text, expected, strlen(expected)) != 0)
			_exit(1);
	}
	_exit(0);
}

static void a_stalled_stream_is_not_waited_for(void **state)
{
	struct relay *relay;
	int ends[2], status;
	size_t skipped;
	pid_t reader;

	(void)state;
	assert_int_equal(pipe(ends), 0);
	skipped = fill(ends[1]);
	alarm(LIMIT_S);
	assert_int_equal(relay_open(ends[1], &relay), 0);
	/* More than the pipe to it takes as well. */
	for (int i = 0; i < LINES; i++)
		assert_true(fprintf(relay_stream(relay), "line %05d\n", i) > 0);
	reader = read_lines(ends[0], skipped);
	relay_close(relay);
	assert_int_equal(waitpid(reader, &status, 0), reader);
	alarm(0);
	assert_int_equal(status, 0);
	close(ends[0]);
	close(ends[1]);
}

static void lines_arrive_at_once(void **state)
{
	struct relay *relay;
	char text[6] = "";
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	alarm(LIMIT_S);
	assert_int_equal(relay_open(ends[1], &relay), 0);
	fprintf(relay_stream(relay), "line\n");
	read_exactly(ends[0], text, 5);
	assert_string_equal(text, "line\n");
	relay_close(relay);
	alarm(0);
	close(ends[0]);
	close(ends[1]);
}

/** The terminal sends its signals to all of a process group. */
static void a_signal_to_the_group_loses_no_line(void **state)
{
	struct relay *relay;
	char text[6] = "";
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	alarm(LIMIT_S);
	assert_int_equal(relay_open(ends[1], &relay), 0);
	/* It is certainly there. */
	fprintf(relay_stream(relay), "first\n");
	read_exactly(ends[0], text, 5);
	read_exactly(ends[0], text, 1);
	signal(SIGINT, SIG_IGN);
	assert_int_equal(kill(0, SIGINT), 0);
	fprintf(relay_stream(relay), "next\n");
	read_exactly(ends[0], text, 5);
	assert_string_equal(text, "next\n");
	signal(SIGINT, SIG_DFL);
	relay_close(relay);
	alarm(0);
	close(ends[0]);
	close(ends[1]);
}

static void a_reader_that_is_gone_is_no_obstacle(void **state)
{
	struct relay *relay;
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	alarm(LIMIT_S);
	/* The relay would keep it open. */
	close(ends[0]);
	assert_int_equal(relay_open(ends[1], &relay), 0);
	for (int i = 0; i < LINES; i++)
		assert_true(fprintf(relay_stream(relay), "line %05d\n", i) > 0);
	relay_close(relay);
	alarm(0);
	close(ends[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stalled_stream_is_not_waited_for),
		cmocka_unit_test(lines_arrive_at_once),
		cmocka_unit_test(a_signal_to_the_group_loses_no_line),
		cmocka_unit_test(a_reader_that_is_gone_is_no_obstacle),
	};

	/* The group of the test alone. */
	setpgid(0, 0);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
