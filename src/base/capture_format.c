/* SPDX-License-Identifier: BSD-3-Clause */
/* The format of a captured machine: tables, and for each kind of text its writing and reading. */
#include "base/capture_format.h"

#include "base/error_name.h"
#include "isst.h"

#include <string.h>

const char *const capture_cpuinfo_keys[CAPTURE_CPUINFO_KEYS] = {
	[CAPTURE_PROCESSOR] = "processor", [CAPTURE_VENDOR] = "vendor_id",
	[CAPTURE_FAMILY] = "cpu family",   [CAPTURE_MODEL] = "model",
	[CAPTURE_NAME] = "model name",	   [CAPTURE_STEPPING] = "stepping",
	[CAPTURE_PACKAGE] = "physical id", [CAPTURE_CORE] = "core id",
	[CAPTURE_MICROCODE] = "microcode", [CAPTURE_SIBLINGS] = "siblings",
	[CAPTURE_CPU_CORES] = "cpu cores", [CAPTURE_APICID] = "apicid",
};

const char *const capture_file_modes[2] = { "ro", "rw" };

/* clang-format off */
const struct capture_syntax capture_syntaxes[CAPTURE_KEYWORDS] = {
	[CAPTURE_DRIVER] = { "driver", 0, 5, {
		{ "API-VERSION", CAPTURE_DECIMAL, UINT16_MAX },
		{ "DRIVER-VERSION", CAPTURE_DECIMAL, UINT16_MAX },
		{ "MAX-COMMANDS", CAPTURE_DECIMAL, UINT16_MAX },
		{ "MAILBOX", CAPTURE_DECIMAL, 1 },
		{ "MMIO", CAPTURE_DECIMAL, 1 },
	} },
	[CAPTURE_NO_DRIVER] = { .keyword = "no-driver" },
	[CAPTURE_MAILBOX] = { "mailbox", 5, 1, {
		{ "PACKAGE", CAPTURE_DECIMAL, INT16_MAX },
		{ "DIE", CAPTURE_DECIMAL, INT16_MAX },
		{ "COMMAND/SUB-COMMAND", CAPTURE_COMMAND, UINT16_MAX },
		{ "PARAMETER", CAPTURE_HEXADECIMAL, 0x3fff },
		{ "DATA", CAPTURE_HEXADECIMAL, UINT32_MAX },
		{ "ANSWER", CAPTURE_ANSWER, UINT32_MAX },
	} },
	[CAPTURE_MMIO] = { "mmio", 3, 1, {
		{ "PACKAGE", CAPTURE_DECIMAL, INT16_MAX },
		{ "DIE", CAPTURE_DECIMAL, INT16_MAX },
		{ "OFFSET", CAPTURE_OFFSET, UINT16_MAX },
		{ "VALUE", CAPTURE_ANSWER, UINT32_MAX },
	} },
	[CAPTURE_INSTANCES] = { "instances", 1, 1, {
		{ "SOCKET", CAPTURE_DECIMAL, UINT8_MAX },
		{ "MASK", CAPTURE_ANSWER, UINT32_MAX },
	} },
};
/* clang-format on */

/* ---- Pairs of numbers: `12|1f1f`, `0x7f/0x01` ---- */

/** The number that ends at @separator; *@rest is behind that. */
static bool parse_first(const char *text, char separator, unsigned int base, uint64_t max,
			uint64_t *number, const char **rest)
{
	const char *end = strchr(text, separator);
	char digits[16];

	if (!end || (size_t)(end - text) >= sizeof(digits))
		return false;
	memcpy(digits, text, (size_t)(end - text));
	digits[end - text] = '\0';
	*rest = end + 1;
	return isst_parse_number(digits, base, max, number) == 0;
}

/* ---- MSRs ---- */

void capture_put_msr(FILE *stream, uint32_t address)
{
	fprintf(stream, "%x%c", address, CAPTURE_MSR_COLON);
}

bool capture_parse_msr(const char *text, uint32_t *address)
{
	uint64_t number;

	if (isst_parse_number(text, 16, UINT32_MAX, &number))
		return false;
	*address = (uint32_t)number;
	return true;
}

void capture_put_msr_value(FILE *stream, bool first, unsigned int cpu, uint64_t value)
{
	fprintf(stream, "%s%u%c%llx", first ? "" : " ", cpu, CAPTURE_MSR_BAR,
		(unsigned long long)value);
}

bool capture_parse_msr_value(const char *text, unsigned int *cpu, uint64_t *value)
{
	const char *rest;
	uint64_t number;

	if (!parse_first(text, CAPTURE_MSR_BAR, 10, UINT32_MAX, &number, &rest) ||
	    isst_parse_number(rest, 16, UINT64_MAX, value))
		return false;
	*cpu = (unsigned int)number;
	return true;
}

/* ---- Files of the kernel ---- */

void capture_put_file(FILE *stream, bool writable, const char *path, const char *value)
{
	fprintf(stream, "%s%c%s%c%s\n", capture_file_modes[writable], CAPTURE_FILE_BAR, path,
		CAPTURE_FILE_BAR, value);
}

/* ---- Answers ---- */

void capture_put_syntax(FILE *stream, const struct capture_syntax *syntax)
{
	unsigned int count = syntax->before + syntax->behind;

	fputs(syntax->keyword, stream);
	for (unsigned int i = 0; i < count; i++)
		fprintf(stream, "%s %s", i == syntax->before ? " " CAPTURE_ARROW : "",
			syntax->fields[i].name);
	if (count > 0 && syntax->fields[count - 1].number == CAPTURE_ANSWER)
		fputs(" or error", stream);
}

/** The name, or E and the number of an error that has none: a number alone would be an answer. */
static void put_error(FILE *stream, int error)
{
	const struct error_text name = error_name(error);

	fprintf(stream, "%s%s", *name.text == 'E' ? "" : "E", name.text);
}

static int parse_error(const char *text)
{
	bool number = text[1] >= '0' && text[1] <= '9';

	return -error_number(number ? text + 1 : text);
}

static void put_field(FILE *stream, const struct capture_field *field, uint32_t value)
{
	switch (field->number) {
	case CAPTURE_DECIMAL:
		fprintf(stream, "%u", value);
		break;
	case CAPTURE_HEXADECIMAL:
		fprintf(stream, "0x%x", value);
		break;
	case CAPTURE_OFFSET:
		fprintf(stream, "0x%02x", value);
		break;
	case CAPTURE_COMMAND:
		fprintf(stream, "0x%02x/0x%02x", value >> 8, value & 0xff);
		break;
	case CAPTURE_ANSWER:
		fprintf(stream, "0x%08x", value);
		break;
	}
}

void capture_put_answer(FILE *stream, const struct capture_syntax *syntax, const uint32_t *values,
			int error)
{
	fputs(syntax->keyword, stream);
	for (unsigned int i = 0; i < syntax->before + syntax->behind; i++) {
		fputs(i == syntax->before ? " " CAPTURE_ARROW " " : " ", stream);
		if (error && syntax->fields[i].number == CAPTURE_ANSWER)
			put_error(stream, error);
		else
			put_field(stream, &syntax->fields[i], values[i]);
	}
	fputc('\n', stream);
}

/** `0x7f/0x01` */
static bool parse_command(const char *text, uint32_t *value)
{
	const char *rest;
	uint64_t number, sub;

	if (!parse_first(text, '/', 16, UINT8_MAX, &number, &rest) ||
	    isst_parse_number(rest, 16, UINT8_MAX, &sub))
		return false;
	*value = (uint32_t)(number << 8 | sub);
	return true;
}

bool capture_parse_field(const struct capture_field *field, const char *text, uint32_t *value,
			 int *error)
{
	uint64_t number;

	*error = 0;
	*value = 0;
	if (field->number == CAPTURE_COMMAND)
		return parse_command(text, value);
	if (field->number == CAPTURE_ANSWER && *text == 'E') {
		*error = parse_error(text);
		return *error != 0;
	}
	if (isst_parse_number(text, 0, field->max, &number))
		return false;
	*value = (uint32_t)number;
	return field->number != CAPTURE_OFFSET || number % 4 == 0;
}
