/* SPDX-License-Identifier: BSD-3-Clause */
/* Streams that never wait: lines for readers that stall. */
#include "check.h"

#include "cli/process/nowait_stream.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

/* A stream that waits for the reader ends the test. */
enum { LIMIT_S = 60, LINES = 20000 };

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

/** The stream that a run writes to without waiting, on a descriptor of its own. */
static struct nowait_stream *open_on(int descriptor, FILE **to)
{
	*to = fdopen(dup(descriptor), "w");
	assert_non_null(*to);
	/* As standard error is. */
	assert_int_equal(setvbuf(*to, NULL, _IONBF, 0), 0);
	return nowait_stream_open(*to, NULL);
}

/** Prints all lines, and sends those that are buffered. */
static void print_lines(struct nowait_stream *stream)
{
	for (int i = 0; i < LINES; i++)
		assert_true(fprintf(nowait_stream_file(stream), "line %05d\n", i) > 0);
	nowait_stream_send(stream);
}

/** Prints more than a stalled reader takes, and has it read then. Returns whether all arrives. */
static bool stall_and_read(const int ends[2])
{
	size_t skipped = fill(ends[1]);
	struct nowait_stream *stream;
	pid_t reader;
	int status;
	FILE *to;

	alarm(LIMIT_S);
	stream = open_on(ends[1], &to);
	print_lines(stream);
	/* The description that other processes share waits as before. */
	assert_false(fcntl(ends[1], F_GETFL) & O_NONBLOCK);
	reader = read_lines(ends[0], skipped);
	nowait_stream_close(stream);
	assert_int_equal(waitpid(reader, &status, 0), reader);
	alarm(0);
	fclose(to);
	close(ends[0]);
	close(ends[1]);
	return status == 0;
}

TEST(a_stalled_pipe_is_not_waited_for)
{
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	assert_true(stall_and_read(ends));
}

/** As that of another user: only poll(2) shows whether it is ready. */
TEST(a_stalled_pipe_that_cannot_be_opened_again_is_not_waited_for)
{
	bool root = geteuid() == 0, arrived;
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	assert_int_equal(fchmod(ends[1], 0), 0);
	if (root)
		assert_int_equal(seteuid(65534), 0);
	arrived = stall_and_read(ends);
	if (root)
		assert_int_equal(seteuid(0), 0);
	assert_true(arrived);
}

TEST(a_stalled_socket_is_not_waited_for)
{
	int ends[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	assert_true(stall_and_read(ends));
}

/** A terminal whose output is as it is printed. */
static void open_terminal(int *manager, int *terminal)
{
	struct termios settings;

	*manager = posix_openpt(O_RDWR | O_NOCTTY);
	assert_true(*manager >= 0);
	assert_int_equal(grantpt(*manager), 0);
	assert_int_equal(unlockpt(*manager), 0);
	*terminal = open(ptsname(*manager), O_RDWR | O_NOCTTY);
	assert_true(*terminal >= 0);
	assert_int_equal(tcgetattr(*terminal, &settings), 0);
	settings.c_oflag &= ~(tcflag_t)OPOST;
	assert_int_equal(tcsetattr(*terminal, TCSANOW, &settings), 0);
}

TEST(a_stopped_terminal_is_not_waited_for)
{
	int manager, terminal, status;
	struct nowait_stream *stream;
	pid_t reader;
	FILE *to;

	open_terminal(&manager, &terminal);
	alarm(LIMIT_S);
	stream = open_on(terminal, &to);
	/* Ctrl-S. */
	assert_int_equal(tcflow(terminal, TCOOFF), 0);
	print_lines(stream);
	reader = read_lines(manager, 0);
	assert_int_equal(tcflow(terminal, TCOON), 0);
	nowait_stream_close(stream);
	assert_int_equal(waitpid(reader, &status, 0), reader);
	alarm(0);
	assert_int_equal(status, 0);
	fclose(to);
	close(terminal);
	close(manager);
}

TEST(lines_arrive_at_once)
{
	struct nowait_stream *stream;
	char text[6] = "";
	int manager, terminal;
	FILE *to;

	open_terminal(&manager, &terminal);
	alarm(LIMIT_S);
	stream = open_on(terminal, &to);
	fprintf(nowait_stream_file(stream), "line\n");
	read_exactly(manager, text, 5);
	assert_string_equal(text, "line\n");
	nowait_stream_close(stream);
	alarm(0);
	fclose(to);
	close(terminal);
	close(manager);
}

TEST(what_was_kept_is_sent_when_the_reader_goes_on)
{
	struct nowait_stream *stream;
	char text[6] = "", skipped[4096];
	size_t full;
	int ends[2];
	FILE *to;

	assert_int_equal(pipe(ends), 0);
	full = fill(ends[1]);
	alarm(LIMIT_S);
	stream = open_on(ends[1], &to);
	fprintf(nowait_stream_file(stream), "line\n");
	nowait_stream_send(stream);
	for (; full > 0; full -= sizeof(skipped))
		read_exactly(ends[0], skipped, sizeof(skipped));
	nowait_stream_send(stream);
	read_exactly(ends[0], text, 5);
	assert_string_equal(text, "line\n");
	nowait_stream_close(stream);
	alarm(0);
	fclose(to);
	close(ends[0]);
	close(ends[1]);
}

TEST(lines_of_the_first_stream_come_first)
{
	struct nowait_stream *first, *second;
	char text[32] = "";
	int manager, terminal;
	FILE *to[2];

	open_terminal(&manager, &terminal);
	alarm(LIMIT_S);
	first = open_on(terminal, &to[0]);
	to[1] = fdopen(dup(terminal), "w");
	assert_non_null(to[1]);
	second = nowait_stream_open(to[1], first);
	assert_int_equal(tcflow(terminal, TCOOFF), 0);
	fprintf(nowait_stream_file(first), "banner\n");
	fprintf(nowait_stream_file(second), "one\n");
	assert_int_equal(tcflow(terminal, TCOON), 0);
	/* What the second one sends now must not overtake what the first one kept. */
	fprintf(nowait_stream_file(second), "two\n");
	read_exactly(manager, text, strlen("banner\none\ntwo\n"));
	assert_string_equal(text, "banner\none\ntwo\n");
	nowait_stream_close(first);
	nowait_stream_close(second);
	alarm(0);
	fclose(to[0]);
	fclose(to[1]);
	close(terminal);
	close(manager);
}

/** A file takes all at once: what is printed is there before it is closed. */
TEST(a_file_is_written_to_directly)
{
	int file = memfd_create("file", MFD_CLOEXEC);
	struct nowait_stream *stream;
	char text[6] = "";
	FILE *to;

	assert_true(file >= 0);
	stream = open_on(file, &to);
	fprintf(nowait_stream_file(stream), "line\n");
	nowait_stream_send(stream);
	assert_int_equal(pread(file, text, sizeof(text), 0), 5);
	assert_string_equal(text, "line\n");
	nowait_stream_close(stream);
	fclose(to);
	close(file);
}

TEST(a_reader_that_is_gone_is_no_obstacle)
{
	struct nowait_stream *stream;
	int ends[2];
	FILE *to;

	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(pipe(ends), 0);
	alarm(LIMIT_S);
	close(ends[0]);
	stream = open_on(ends[1], &to);
	print_lines(stream);
	assert_false(ferror(to));
	nowait_stream_close(stream);
	/* The run learns it from the stream that it would have printed to. */
	assert_true(ferror(to));
	alarm(0);
	fclose(to);
	close(ends[1]);
}
