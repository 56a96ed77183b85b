/* SPDX-License-Identifier: BSD-3-Clause */
/* The format of a captured machine: as docs/internals/captured-machines.md shows it, both ways. */
#include "base/capture_format.h"
#include "support/check.h"

struct line {
	char *content;
	size_t size;
	FILE *stream;
};

static void open_line(struct line *line)
{
	line->stream = open_memstream(&line->content, &line->size);
	assert_non_null(line->stream);
}

static void assert_line(struct line *line, const char *expected)
{
	assert_int_equal(fclose(line->stream), 0);
	assert_string_equal(line->content, expected);
	free(line->content);
}

static void assert_answer(enum capture_keyword keyword, const uint32_t *values, int error,
			  const char *expected)
{
	struct line line;

	open_line(&line);
	capture_put_answer(line.stream, &capture_syntaxes[keyword], values, error);
	assert_line(&line, expected);
}

static void answers_are_written_as_documented(void **state)
{
	(void)state;
	assert_answer(CAPTURE_DRIVER, (const uint32_t[]){ 1, 1, 64, 1, 1 }, 0,
		      "driver -> 1 1 64 1 1\n");
	assert_answer(CAPTURE_NO_DRIVER, NULL, 0, "no-driver\n");
	assert_answer(CAPTURE_MAILBOX, (const uint32_t[]){ 0, 0, 0x7f00, 0, 0, 0x81000403 }, 0,
		      "mailbox 0 0 0x7f/0x00 0x0 0x0 -> 0x81000403\n");
	assert_answer(CAPTURE_MAILBOX, (const uint32_t[]){ 0, 0, 0x7f0c, 0, 0x10000, 7 }, -ENXIO,
		      "mailbox 0 0 0x7f/0x0c 0x0 0x10000 -> ENXIO\n");
	assert_answer(CAPTURE_MMIO, (const uint32_t[]){ 0, 0, 8, 0x00ff0000 }, 0,
		      "mmio 0 0 0x08 -> 0x00ff0000\n");
	/* No name is known for this one. */
	assert_answer(CAPTURE_INSTANCES, (const uint32_t[]){ 1, 0 }, -530, "instances 1 -> E530\n");
}

static void syntaxes_name_all_fields(void **state)
{
	struct line line;

	(void)state;
	open_line(&line);
	for (unsigned int i = 0; i < CAPTURE_KEYWORDS; i++) {
		capture_put_syntax(line.stream, &capture_syntaxes[i]);
		fputc('\n', line.stream);
	}
	assert_line(&line, "driver -> API-VERSION DRIVER-VERSION MAX-COMMANDS MAILBOX MMIO\n"
			   "no-driver\n"
			   "mailbox PACKAGE DIE COMMAND/SUB-COMMAND PARAMETER DATA -> ANSWER or "
			   "error\n"
			   "mmio PACKAGE DIE OFFSET -> VALUE or error\n"
			   "instances SOCKET -> MASK or error\n");
}

static void fields_are_read(void **state)
{
	static const struct {
		enum capture_number number;
		uint32_t max;
		const char *text;
		bool good;
		uint32_t value;
		int error;
	} fields[] = {
		{ CAPTURE_DECIMAL, 64, "64", true, 64, 0 },
		{ CAPTURE_DECIMAL, 64, "0x40", true, 64, 0 },
		{ CAPTURE_DECIMAL, 64, "65", false, 0, 0 },
		{ CAPTURE_DECIMAL, 64, "", false, 0, 0 },
		{ CAPTURE_HEXADECIMAL, UINT32_MAX, "0x10000", true, 0x10000, 0 },
		{ CAPTURE_OFFSET, UINT16_MAX, "0x11c", true, 0x11c, 0 },
		{ CAPTURE_OFFSET, UINT16_MAX, "0x11d", false, 0, 0 },
		{ CAPTURE_COMMAND, UINT16_MAX, "0x7f/0x0c", true, 0x7f0c, 0 },
		{ CAPTURE_COMMAND, UINT16_MAX, "0x7f/0x100", false, 0, 0 },
		{ CAPTURE_COMMAND, UINT16_MAX, "0x7f", false, 0, 0 },
		{ CAPTURE_COMMAND, UINT16_MAX, "/", false, 0, 0 },
		{ CAPTURE_ANSWER, UINT32_MAX, "0x81000403", true, 0x81000403, 0 },
		{ CAPTURE_ANSWER, UINT32_MAX, "EIO", true, 0, -EIO },
		{ CAPTURE_ANSWER, UINT32_MAX, "E524", true, 0, -524 },
		{ CAPTURE_ANSWER, UINT32_MAX, "ENOSUCHNAME", false, 0, 0 },
		{ CAPTURE_ANSWER, UINT32_MAX, "E0", false, 0, 0 },
		{ CAPTURE_ANSWER, UINT32_MAX, "E", false, 0, 0 },
		/* Only an answer can be an error. */
		{ CAPTURE_DECIMAL, UINT32_MAX, "EIO", false, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(fields); i++) {
		const struct capture_field field = { "X", fields[i].number, fields[i].max };
		uint32_t value = 1;
		int error = 1;
		bool good = capture_parse_field(&field, fields[i].text, &value, &error);

		if (good != fields[i].good)
			fail_msg("\"%s\" is%s taken", fields[i].text, good ? "" : " not");
		if (!good)
			continue;
		assert_int_equal(value, fields[i].value);
		assert_int_equal(error, fields[i].error);
	}
}

static void msrs_are_written_and_read(void **state)
{
	struct line line;
	unsigned int cpu = 0;
	uint32_t address = 0;
	uint64_t value = 0;

	(void)state;
	open_line(&line);
	capture_put_msr(line.stream, 0x1ad);
	capture_put_msr_value(line.stream, true, 0, UINT64_C(0x2020212223242627));
	capture_put_msr_value(line.stream, false, 12, 0);
	assert_line(&line, "1ad:0|2020212223242627 12|0");
	assert_true(capture_parse_msr("1ad", &address));
	assert_int_equal(address, 0x1ad);
	assert_false(capture_parse_msr("100000000", &address));
	assert_true(capture_parse_msr_value("12|2020212223242627", &cpu, &value));
	assert_int_equal(cpu, 12);
	assert_int_equal(value, UINT64_C(0x2020212223242627));
	assert_false(capture_parse_msr_value("0x12|1", &cpu, &value));
	assert_false(capture_parse_msr_value("12|", &cpu, &value));
	assert_false(capture_parse_msr_value("|1", &cpu, &value));
	assert_false(capture_parse_msr_value("12", &cpu, &value));
}

static void files_are_written(void **state)
{
	struct line line;

	(void)state;
	open_line(&line);
	capture_put_file(line.stream, true, "/sys/devices/system/cpu/intel_pstate/no_turbo", "0");
	capture_put_file(line.stream, false, "/proc/sys/kernel/osrelease", "6.12.0");
	assert_line(&line, "rw|/sys/devices/system/cpu/intel_pstate/no_turbo|0\n"
			   "ro|/proc/sys/kernel/osrelease|6.12.0\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers_are_written_as_documented),
		cmocka_unit_test(syntaxes_name_all_fields),
		cmocka_unit_test(fields_are_read),
		cmocka_unit_test(msrs_are_written_and_read),
		cmocka_unit_test(files_are_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
