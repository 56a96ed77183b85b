/* SPDX-License-Identifier: BSD-3-Clause */
/* Streams into memory: their contents, and their behaviour when memory runs out. */
#include "common/memory_stream.h"
#include "support/check.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void all_that_was_written_is_held(void **state)
{
	struct memory_stream memory;

	(void)state;
	assert_int_equal(memory_stream_open(&memory), 0);
	for (unsigned int i = 0; i < 10000; i++)
		fprintf(memory.stream, "%*s%05u", (int)(i % 7), "", i);
	assert_int_equal(memory_stream_close(&memory), 0);
	assert_int_equal(memory.size, 10000 * 5 + 10000 / 7 * 21 + 0 + 1 + 2 + 3);
	assert_int_equal(strlen(memory.text), memory.size);
	assert_memory_equal(memory.text, "00000 00001  00002", 18);
	free(memory.text);
}

static void an_empty_one_is_an_empty_text(void **state)
{
	struct memory_stream memory;

	(void)state;
	assert_int_equal(memory_stream_open(&memory), 0);
	assert_int_equal(memory_stream_close(&memory), 0);
	assert_int_equal(memory.size, 0);
	assert_string_equal(memory.text, "");
	free(memory.text);
}

/** Writes a megabyte where there is less. Returns 0 if the error was reported. */
static int write_without_memory(void)
{
	struct rlimit limit = { 0, RLIM_INFINITY };
	struct memory_stream memory;

	if (memory_stream_open(&memory) || setrlimit(RLIMIT_AS, &limit))
		return 1;
	for (unsigned int i = 0; i < 1 << 20; i++)
		fprintf(memory.stream, "%*s", 1, "");
	/* That there is enough again does not make it whole. */
	limit.rlim_cur = RLIM_INFINITY;
	if (setrlimit(RLIMIT_AS, &limit))
		return 2;
	fputs("the end", memory.stream);
	return memory_stream_close(&memory) && !memory.text ? 0 : 3;
}

/** Sanitizers and what runs the program (tests/run-tests.sh: RUNNER) have memory of their own. */
static bool memory_can_be_limited(void)
{
#ifdef __SANITIZE_ADDRESS__
	return false;
#else
	return !getenv("RUNNER");
#endif
}

static void what_does_not_fit_is_missed(void **state)
{
	pid_t process;
	int status;

	(void)state;
	if (!memory_can_be_limited())
		skip();
	process = fork();
	assert_true(process >= 0);
	if (process == 0)
		_exit(write_without_memory());
	assert_int_equal(waitpid(process, &status, 0), process);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_that_was_written_is_held),
		cmocka_unit_test(an_empty_one_is_an_empty_text),
		cmocka_unit_test(what_does_not_fit_is_missed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
