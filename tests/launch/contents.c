/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A C program that reads and writes the kernel's files in every way that libc has; to be run on the
 * machine of tests/platforms/tiny.platform. The files answer as the
 * kernel's.
 */
#include "program.h"

#include "driver/abi.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wchar.h>

static void assert_read(int file, const char *expected)
{
	char content[20];

	assert_int_equal(read(file, content, sizeof(content)), strlen(expected));
	assert_memory_equal(content, expected, strlen(expected));
}

static void assert_online(const char *expected)
{
	int file = open(CPUS "/online", O_RDONLY | O_CLOEXEC);

	assert_read(file, expected);
	close(file);
}

/* ---- Reading again ---- */

static void files_are_generated_again_from_the_beginning(void **state)
{
	int file = open(CPUS "/online", O_RDONLY | O_CLOEXEC), other = dup(file);
	char content[20];

	(void)state;
	assert_read(file, "0-3\n");
	write_file(CPU3, "0");
	assert_read(file, "");
	assert_int_equal(lseek(file, 0, SEEK_SET), 0);
	assert_read(other, "0-2\n");
	write_file(CPU3, "1");
	assert_int_equal(pread(file, content, sizeof(content), 0), 4);
	assert_memory_equal(content, "0-3\n", 4);
	assert_int_equal(pread(file, content, 2, 1), 2);
	assert_memory_equal(content, "-3", 2);
	close(other);
	close(file);
}

static void by_rewind(FILE *stream)
{
	rewind(stream);
}

static void by_fseek(FILE *stream)
{
	assert_int_equal(fseek(stream, 0, SEEK_SET), 0);
}

static void by_fsetpos(FILE *stream)
{
	static const fpos_t beginning;

	assert_int_equal(fsetpos(stream, &beginning), 0);
}

/** Characters that were put back, which the C library keeps elsewhere, are forgotten. */
static void streams_forget_what_was_put_back(void **state)
{
	static void (*const ways[])(FILE * stream) = { by_rewind, by_fseek, by_fsetpos };
	static const int sizes[] = { BUFSIZ, 0 };
	char line[20];

	(void)state;
	for (size_t i = 0; i < 2 * sizeof(ways) / sizeof(*ways); i++) {
		FILE *stream;

		write_file(CPU3, "1");
		stream = fopen(CPUS "/online", "r");
		assert_non_null(stream);
		assert_int_equal(setvbuf(stream, NULL, sizes[i % 2] ? _IOFBF : _IONBF, BUFSIZ), 0);
		assert_non_null(fgets(line, sizeof(line), stream));
		assert_string_equal(line, "0-3\n");
		assert_int_equal(ungetc('X', stream), 'X');
		write_file(CPU3, "0");
		ways[i / 2](stream);
		assert_non_null(fgets(line, sizeof(line), stream));
		assert_string_equal(line, "0-2\n");
		assert_null(fgets(line, sizeof(line), stream));
		assert_int_equal(fclose(stream), 0);
	}
}

static void wide_streams_read_again_from_the_beginning(void **state)
{
	FILE *stream = fopen(CPUS "/online", "r");
	wchar_t line[20];

	(void)state;
	assert_non_null(fgetws(line, 20, stream));
	assert_int_equal(wcscmp(line, L"0-3\n"), 0);
	write_file(CPU3, "0");
	rewind(stream);
	assert_non_null(fgetws(line, 20, stream));
	assert_int_equal(wcscmp(line, L"0-2\n"), 0);
	assert_int_equal(fclose(stream), 0);
}

static void streams_have_modes(void **state)
{
	(void)state;
	errno = 0;
	assert_null(fopen(CPUS "/online", "q"));
	assert_int_equal(errno, EINVAL);
}

/** Whose CPU goes offline: the kernel removes it. */
static void streams_are_not_opened_again_against_permissions(void **state)
{
	FILE *stream = fopen("/dev/null", "r");

	(void)state;
	assert_non_null(stream);
	errno = 0;
	assert_null(freopen(CPUS "/present", "w", stream));
	assert_int_equal(errno, EACCES);
	stream = fopen("/dev/null", "r");
	assert_non_null(stream);
	assert_null(freopen(CPUS "/cpu77/online", "r", stream));
	assert_int_equal(errno, ENOENT);
}

static void files_that_are_gone_are_not_read_again(void **state)
{
	int file = open(CPUS "/cpu3/topology/core_id", O_RDONLY | O_CLOEXEC);
	char content[20];

	(void)state;
	assert_read(file, "1\n");
	write_file(CPU3, "0");
	assert_fails(pread(file, content, sizeof(content), 0), ENODEV);
	close(file);
}

/** A fault rule that acts once must not be used up by a program that reads once. */
static void what_is_read_once_is_generated_once(void **state)
{
	char path[4096], content[20];
	FILE *rules;
	int file;

	(void)state;
	snprintf(path, sizeof(path), "%s/faults", getenv("ISST_EMULATE_STATE"));
	rules = fopen(path, "w");
	assert_non_null(rules);
	fputs("read " CPUS "/online EIO after 1 times 1\n", rules);
	assert_int_equal(fclose(rules), 0);
	file = open(CPUS "/online", O_RDONLY | O_CLOEXEC);
	assert_read(file, "0-3\n");
	assert_fails(pread(file, content, sizeof(content), 0), EIO);
	assert_int_equal(pread(file, content, sizeof(content), 0), 4);
	close(file);
	assert_int_equal(unlink(path), 0);
}

/* ---- For both ---- */

static void what_is_open_for_both_is_read_in_every_way(void **state)
{
	int file = open(CPU3, O_RDWR | O_CLOEXEC);
	char first = 0, rest[10];
	const struct iovec parts[] = { { &first, 1 }, { rest, sizeof(rest) } };

	(void)state;
	assert_int_equal(write(file, "0", 1), 1);
	assert_int_equal(pread(file, rest, sizeof(rest), 0), 2);
	assert_memory_equal(rest, "0\n", 2);
	assert_int_equal(preadv(file, parts, 2, 0), 2);
	assert_true(first == '0' && rest[0] == '\n');
	assert_int_equal(lseek(file, 0, SEEK_SET), 0);
	first = 0;
	assert_int_equal(readv(file, parts, 2), 2);
	assert_true(first == '0' && rest[0] == '\n');
	assert_int_equal(preadv2(file, parts, 2, 0, 0), 2);
	close(file);
}

static void streams_for_both_read_and_write(void **state)
{
	FILE *stream = fopen(CPU3, "r+");
	char line[20];

	(void)state;
	assert_non_null(stream);
	assert_non_null(fgets(line, sizeof(line), stream));
	assert_string_equal(line, "1\n");
	rewind(stream);
	assert_true(fputs("0\n", stream) >= 0);
	assert_int_equal(fflush(stream), 0);
	assert_online("0-2\n");
	rewind(stream);
	assert_non_null(fgets(line, sizeof(line), stream));
	assert_string_equal(line, "0\n");
	rewind(stream);
	assert_true(fputs("7\n", stream) >= 0);
	assert_fails(fclose(stream), EINVAL);
}

/* ---- Writing ---- */

static void every_write_takes_effect_at_once(void **state)
{
	int file = open(CPU3, O_WRONLY | O_CLOEXEC);
	char text[] = "1";
	const struct iovec part = { text, 1 };

	(void)state;
	assert_int_equal(dprintf(file, "%d\n", 0), 2);
	assert_online("0-2\n");
	assert_int_equal(pwritev(file, &part, 1, 0), 1);
	assert_online("0-3\n");
	text[0] = '0';
	assert_int_equal(pwritev2(file, &part, 1, -1, 0), 1);
	assert_online("0-2\n");
	assert_fails(dprintf(file, "x"), EINVAL);
	close(file);
}

/** A file with some bytes, at its beginning. */
static int file_with(const char *content)
{
	char path[] = "/tmp/contents-XXXXXX";
	int file = mkstemp(path);

	assert_true(file >= 0);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(pwrite(file, content, strlen(content), 0), strlen(content));
	return file;
}

static void what_the_kernel_moves_takes_effect_at_once(void **state)
{
	int switches = file_with("01x"), file = open(CPU3, O_WRONLY | O_CLOEXEC), ends[2];
	off_t at = 2;

	(void)state;
	assert_int_equal(sendfile(file, switches, NULL, 1), 1);
	assert_online("0-2\n");
	assert_fails(copy_file_range(switches, NULL, file, NULL, 1, 0), EXDEV);
	assert_int_equal(sendfile(file, switches, NULL, 1), 1);
	assert_online("0-3\n");
	assert_fails(sendfile(file, switches, &at, 1), EINVAL);
	assert_int_equal(at, 2);
	assert_fails(sendfile(file, switches, NULL, 1), EINVAL);
	assert_int_equal(lseek(switches, 0, SEEK_CUR), 2);
	at = 0;
	assert_int_equal(sendfile(file, switches, &at, 1), 1);
	assert_int_equal(at, 1);
	assert_online("0-2\n");
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], "1", 1), 1);
	assert_int_equal(splice(ends[0], NULL, file, NULL, 1, 0), 1);
	assert_online("0-3\n");
	close(ends[0]);
	close(ends[1]);
	close(file);
	close(switches);
}

static void what_the_kernel_moves_is_generated_again(void **state)
{
	int file = open(CPU3, O_RDWR | O_CLOEXEC), copy = file_with("");
	char content[10];

	(void)state;
	assert_int_equal(sendfile(copy, file, NULL, sizeof(content)), 2);
	assert_int_equal(sendfile(copy, file, NULL, sizeof(content)), 0);
	assert_int_equal(pread(copy, content, sizeof(content), 0), 2);
	assert_memory_equal(content, "1\n", 2);
	close(copy);
	close(file);
}

/** By eight bytes, of which each are the same register. */
static void registers_are_accessed_as_a_whole(void **state)
{
	int file = open("/dev/cpu/1/msr", O_RDWR | O_CLOEXEC);
	char *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *end = pages + 4096; /* of what there is */
	static const size_t sizes[] = { 1, 4, 7, 9, 12, 4095 };
	uint64_t values[3] = { 0 };

	(void)state;
	assert_int_equal(munmap(end, 4096), 0);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		assert_fails(pread(file, pages, sizes[i], 0x1ad), EINVAL);
		assert_fails(pwrite(file, pages, sizes[i], 0x1ad), EINVAL);
	}
	assert_int_equal(pread(file, values, 0, 0x1ad), 0);
	assert_int_equal(pread(file, values, 16, 0x1ad), 16);
	assert_true(values[0] == values[1] && values[0] != 0 && values[2] == 0);
	assert_fails(pread(file, end, 8, 0x1ad), EFAULT);
	assert_true(pread(file, end - 4, 8, 0x1ad) < 0);
	assert_true(pwrite(file, end - 4, 8, 0x1ad) < 0);
	assert_int_equal(pread(file, end - 8, 8, 0x1ad), 8);
	assert_memory_equal(end - 8, values, 8);
	close(file);
	assert_int_equal(munmap(pages, 4096), 0);
}

static void registers_are_accessed_in_every_way(void **state)
{
	int file = open("/dev/cpu/1/msr", O_RDWR | O_CLOEXEC);
	uint64_t value = 0, before, again = 0;
	const struct iovec parts[] = { { &value, 8 }, { &again, 8 } };

	(void)state;
	assert_int_equal(pread(file, &before, 8, 0x1ad), 8);
	assert_int_equal(preadv(file, parts, 2, 0x1ad), 16);
	assert_true(value == before && again == before);
	value = again = 0x1b1c;
	assert_int_equal(pwritev(file, parts, 1, 0x1ad), 8);
	value = 0;
	assert_int_equal(lseek(file, 0x1ad, SEEK_SET), 0x1ad);
	assert_int_equal(readv(file, parts, 1), 8);
	assert_int_equal(value, 0x1b1c);
	assert_int_equal(pwrite(file, &before, 8, 0x1ad), 8);
	close(file);
}

/* ---- At the edges ---- */

static void what_makes_no_sense_is_refused(void **state)
{
	int file = open(CPUS "/online", O_RDONLY | O_CLOEXEC);

	(void)state;
	assert_fails(lseek(file, LONG_MAX, SEEK_END), EINVAL);
	assert_fails(open(CPUS, O_RDONLY | O_CREAT | O_CLOEXEC, 0600), EISDIR);
	close(file);
}

static void descriptors_are_as_they_were_opened(void **state)
{
	static const int ways[] = { O_RDONLY, O_WRONLY, O_RDWR, O_WRONLY | O_APPEND };
	char content[10];

	(void)state;
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		int lowest = dup(STDIN_FILENO), file;

		close(lowest);
		file = open(CPU3, ways[i]);
		assert_int_equal(file, lowest);
		assert_int_equal(fcntl(file, F_GETFL) & (O_ACCMODE | O_APPEND), ways[i]);
		assert_int_equal(fcntl(file, F_GETFD), 0);
		if (ways[i] & O_WRONLY)
			assert_fails(read(file, content, sizeof(content)), EBADF);
		assert_int_equal(close(file), 0);
	}
}

/** Whatever is written to one of the kernel's files has effect at once, so none has a size. */
static void sizes_of_files_cannot_be_set(void **state)
{
	int file = open(CPU3, O_RDWR | O_CLOEXEC);

	(void)state;
	assert_int_equal(ftruncate(file, 1), 0);
	assert_fails(ftruncate(file, -1), EINVAL);
	assert_int_equal(close(file), 0);
	assert_online("0-3\n");
}

/** The kernel's files have no space of their own: nothing comes to be written when they are closed.
 */
static void space_is_not_allocated(void **state)
{
	int file = open(CPU3, O_RDWR | O_CLOEXEC);
	int reader = open(CPU3, O_RDONLY | O_CLOEXEC);
	int device = open("/dev/isst_interface", O_RDWR | O_CLOEXEC);
	int other = memfd_create("other", MFD_CLOEXEC);

	(void)state;
	assert_fails(fallocate(file, 0, 0, 10), EOPNOTSUPP);
	assert_fails(fallocate(file, FALLOC_FL_KEEP_SIZE, 0, 10), EOPNOTSUPP);
	assert_fails(fallocate(file, 0, -1, 10), EINVAL);
	assert_fails(fallocate(reader, 0, 0, 10), EBADF);
	assert_fails(fallocate(device, 0, 0, 10), ENODEV);
	assert_int_equal(posix_fallocate(file, 0, 0), EINVAL);
	assert_int_equal(close(file), 0);
	assert_int_equal(close(reader), 0);
	assert_int_equal(close(device), 0);
	assert_online("0-3\n");
	assert_int_equal(fallocate(other, 0, 0, 10), 0);
	assert_int_equal(lseek(other, 0, SEEK_END), 10);
	assert_int_equal(close(other), 0);
}

/* ---- Streams that nobody flushes ---- */

static FILE *open_writer(void)
{
	FILE *stream = fopen(CPU3, "w");

	fputs("0", stream);
	return stream;
}

static void leave_open(void)
{
	open_writer();
}

static void leave_open_another(void)
{
	FILE *stream = fdopen(open(CPU3, O_WRONLY | O_CLOEXEC), "w");

	fputs("0", stream);
}

static void leave_open_beyond_others(void)
{
	enum { HIGH = 200 };

	dup2(open(CPU3, O_WRONLY | O_CLOEXEC), HIGH);
	fputs("0", fdopen(HIGH, "w"));
}

static void what_is_not_flushed_is_written_at_the_end(void **state)
{
	static void (*const ways[])(void) = { leave_open, leave_open_another,
					      leave_open_beyond_others };

	(void)state;
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		write_file(CPU3, "1");
		assert_int_equal(child_status(ways[i], 0), 0);
		assert_online("0-2\n");
	}
}

static void all_streams_are_flushed_at_once(void **state)
{
	FILE *stream = open_writer();

	(void)state;
	assert_online("0-3\n");
	assert_int_equal(fflush(NULL), 0);
	assert_online("0-2\n");
	assert_true(fputs("7", stream) >= 0);
	assert_fails(fflush(NULL), EINVAL);
	assert_true(ferror(stream));
	assert_int_equal(fclose(stream), 0);
}

static void *hold(void *stream)
{
	flockfile(stream);
	for (;;)
		pause();
	return NULL;
}

/** At the end another thread is at work on a stream, and one has not been flushed. Of the two the
 * former was opened last: it is looked at first. */
static void leave_locked(void)
{
	FILE *stream;
	pthread_t thread;

	leave_open();
	stream = fopen(CPU2, "w");
	alarm(20);
	pthread_create(&thread, NULL, hold, stream);
	while (ftrylockfile(stream) == 0)
		funlockfile(stream);
	exit(0);
}

static bool is_cpu3_online(void)
{
	return access(CPUS "/cpu3/topology", F_OK) == 0;
}

/** Afterwards the C library may wait for the stream: exit() of glibc 2.41 does, of 2.36 does not.
 */
static void the_end_waits_for_no_stream(void **state)
{
	pid_t child = fork(), ended = 0;

	(void)state;
	if (child == 0)
		leave_locked();
	while (is_cpu3_online() && ended == 0)
		ended = waitpid(child, NULL, WNOHANG);
	if (ended == 0) {
		assert_int_equal(kill(child, SIGKILL), 0);
		assert_int_equal(waitpid(child, NULL, 0), child);
	}
	assert_online("0-2\n");
}

/* ---- Limits and addresses ---- */

static void wrong_addresses_are_refused(void **state)
{
	char *nowhere = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int reader = open(CPU3, O_RDONLY | O_CLOEXEC), both = open(CPU3, O_RDWR | O_CLOEXEC);
	int registers = open("/dev/cpu/1/msr", O_RDWR | O_CLOEXEC);
	int device = open("/dev/isst_interface", O_RDWR | O_CLOEXEC);

	(void)state;
	assert_fails(read(reader, nowhere, 1), EFAULT);
	assert_fails(read(both, nowhere, 1), EFAULT);
	assert_fails(write(both, nowhere, 1), EFAULT);
	assert_fails(pread(registers, nowhere, 8, 0x1ad), EFAULT);
	assert_fails(pwrite(registers, nowhere, 8, 0x1ad), EFAULT);
	assert_fails(readv(reader, (struct iovec *)nowhere, 1), EFAULT);
	assert_fails(sched_getaffinity(0, sizeof(cpu_set_t), (cpu_set_t *)nowhere), EFAULT);
	assert_fails(sched_setaffinity(0, sizeof(cpu_set_t), (cpu_set_t *)nowhere), EFAULT);
	assert_fails(ioctl(device, ABI_GET_PLATFORM_INFO, nowhere), EFAULT);
	assert_fails(ioctl(device, ABI_GET_PHY_ID, nowhere), EFAULT);
	assert_fails(readlink("/sys/bus/cpu/devices/cpu2", nowhere, 10), EFAULT);
	assert_read(both, "1\n");
	close(reader);
	close(both);
	close(registers);
	close(device);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(files_are_generated_again_from_the_beginning, reset_cpu),
		cmocka_unit_test_teardown(streams_forget_what_was_put_back, reset_cpu),
		cmocka_unit_test_teardown(wide_streams_read_again_from_the_beginning, reset_cpu),
		cmocka_unit_test(streams_have_modes),
		cmocka_unit_test(streams_are_not_opened_again_against_permissions),
		cmocka_unit_test_teardown(files_that_are_gone_are_not_read_again, reset_cpu),
		cmocka_unit_test(what_is_read_once_is_generated_once),
		cmocka_unit_test_teardown(what_is_open_for_both_is_read_in_every_way, reset_cpu),
		cmocka_unit_test_teardown(streams_for_both_read_and_write, reset_cpu),
		cmocka_unit_test_teardown(every_write_takes_effect_at_once, reset_cpu),
		cmocka_unit_test_teardown(what_the_kernel_moves_takes_effect_at_once, reset_cpu),
		cmocka_unit_test(what_the_kernel_moves_is_generated_again),
		cmocka_unit_test(registers_are_accessed_as_a_whole),
		cmocka_unit_test(registers_are_accessed_in_every_way),
		cmocka_unit_test(what_makes_no_sense_is_refused),
		cmocka_unit_test(descriptors_are_as_they_were_opened),
		cmocka_unit_test(sizes_of_files_cannot_be_set),
		cmocka_unit_test(space_is_not_allocated),
		cmocka_unit_test_teardown(what_is_not_flushed_is_written_at_the_end, reset_cpu),
		cmocka_unit_test_teardown(all_streams_are_flushed_at_once, reset_cpu),
		cmocka_unit_test_teardown(the_end_waits_for_no_stream, reset_cpu),
		cmocka_unit_test(wrong_addresses_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
