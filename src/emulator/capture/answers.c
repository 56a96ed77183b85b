/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * isst/answers.txt of a recording: what the driver said of itself, and what firmware answered to
 * mailbox commands and reads of registers. What answers mean is not known here.
 */
#include "base/error_name.h"
#include "emulator/capture/recording.h"
#include "emulator/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/** A line on its way: the words before and behind the arrow. */
enum { MOST_WORDS = 8 };
struct answer_line {
	const struct recorded_file *file;
	unsigned int number;
	char *word[MOST_WORDS];
	unsigned int count, arrow; /* words; index of the first one behind the arrow */
};

static int read_number(const struct answer_line *line, unsigned int index, uint64_t max,
		       unsigned int *number)
{
	uint64_t value;

	if (isst_parse_number(line->word[index], 0, max, &value))
		return recorded_error(line->file, line->number,
				      "found \"%s\", expected a number 0..%llu", line->word[index],
				      (unsigned long long)max);
	*number = (unsigned int)value;
	return 0;
}

/** A number, or `E` and what is left of an error's name, or its number: ENXIO, E524. */
static int read_answer(const struct answer_line *line, struct recorded_answer *answer)
{
	const char *word = line->word[line->arrow];

	if (*word == 'E') {
		bool number = word[1] >= '0' && word[1] <= '9';

		answer->error = -error_number(number ? word + 1 : word);
		return answer->error
			       ? 0
			       : recorded_error(line->file, line->number,
						"found \"%s\", expected an answer or an error "
						"such as ENXIO or E524",
						word);
	}
	return read_number(line, line->arrow, UINT32_MAX, &answer->value);
}

/** `0x7f/0x01` */
static int read_command(const struct answer_line *line, unsigned int index, uint32_t *command)
{
	char *word = line->word[index], *slash = strchr(word, '/');
	uint64_t number, sub;

	if (slash)
		*slash = '\0';
	if (!slash || isst_parse_number(word, 16, UINT8_MAX, &number) ||
	    isst_parse_number(slash + 1, 16, UINT8_MAX, &sub)) {
		if (slash)
			*slash = '/';
		return recorded_error(line->file, line->number,
				      "found \"%s\", expected a command such as 0x7f/0x01", word);
	}
	*command = (uint32_t)(number << 8 | sub);
	return 0;
}

static int add_answer(struct recording *recording, const struct recorded_answer *answer)
{
	if (!recorded_grow(&recording->answers, recording->answer_count,
			   sizeof(*recording->answers)))
		return -ENOMEM;
	recording->answers[recording->answer_count++] = *answer;
	return 0;
}

/** `mailbox PACKAGE DIE COMMAND/SUB PARAMETER DATA -> ANSWER` */
static int read_mailbox(struct recording *recording, const struct answer_line *line)
{
	struct recorded_answer answer = { .kind = ANSWER_MAILBOX, .line = line->number };
	int result = read_number(line, 1, INT16_MAX, &answer.package);

	if (!result)
		result = read_number(line, 2, INT16_MAX, &answer.die);
	if (!result)
		result = read_command(line, 3, &answer.command);
	if (!result)
		result = read_number(line, 4, 0x3fff, &answer.parameter);
	if (!result)
		result = read_number(line, 5, UINT32_MAX, &answer.data);
	if (!result)
		result = read_answer(line, &answer);
	return result ? result : add_answer(recording, &answer);
}

/** `mmio PACKAGE DIE OFFSET -> ANSWER` */
static int read_mmio(struct recording *recording, const struct answer_line *line)
{
	struct recorded_answer answer = { .kind = ANSWER_MMIO, .line = line->number };
	int result = read_number(line, 1, INT16_MAX, &answer.package);

	if (!result)
		result = read_number(line, 2, INT16_MAX, &answer.die);
	if (!result)
		result = read_number(line, 3, UINT16_MAX, &answer.command);
	if (!result && answer.command % 4 != 0)
		result = recorded_error(line->file, line->number,
					"found the offset 0x%x, expected a multiple of 4",
					answer.command);
	if (!result)
		result = read_answer(line, &answer);
	return result ? result : add_answer(recording, &answer);
}

/** `instances SOCKET -> MASK`: the power domains that the driver serves */
static int read_instances(struct recording *recording, const struct answer_line *line)
{
	struct recorded_answer answer = { .kind = ANSWER_INSTANCES, .line = line->number };
	int result = read_number(line, 1, UINT8_MAX, &answer.package);

	if (!result)
		result = read_answer(line, &answer);
	return result ? result : add_answer(recording, &answer);
}

/** `driver -> API-VERSION DRIVER-VERSION MAX-COMMANDS MAILBOX MMIO` */
static int read_driver(struct recording *recording, const struct answer_line *line)
{
	struct recorded_driver *driver = &recording->driver;
	unsigned int mailbox = 0, mmio = 0;
	int result;

	if (driver->line)
		return recorded_error(line->file, line->number,
				      "found \"driver\" again, it stands in line %u already",
				      driver->line);
	driver->line = line->number;
	driver->present = true;
	result = read_number(line, line->arrow, UINT16_MAX, &driver->api_version);
	if (!result)
		result = read_number(line, line->arrow + 1, UINT16_MAX, &driver->driver_version);
	if (!result)
		result = read_number(line, line->arrow + 2, UINT16_MAX, &driver->max_commands);
	if (!result)
		result = read_number(line, line->arrow + 3, 1, &mailbox);
	if (!result)
		result = read_number(line, line->arrow + 4, 1, &mmio);
	if (result)
		return result;
	if (driver->max_commands < 1 || driver->max_commands > 64)
		return recorded_error(line->file, line->number,
				      "found batches of %u commands, expected 1..64",
				      driver->max_commands);
	driver->mailbox = mailbox;
	driver->mmio = mmio;
	return 0;
}

/** `no-driver`: there is no device. */
static int read_no_driver(struct recording *recording, const struct answer_line *line)
{
	if (recording->driver.line)
		return recorded_error(line->file, line->number,
				      "found \"no-driver\", but \"driver\" stands in line %u",
				      recording->driver.line);
	recording->driver.line = line->number;
	return 0;
}

static const struct line_kind {
	const char *word;
	unsigned int before, behind; /* words on either side of the arrow */
	int (*read)(struct recording *recording, const struct answer_line *line);
	const char *expected;
} kinds[] = {
	{ "driver", 1, 5, read_driver,
	  "driver -> API-VERSION DRIVER-VERSION MAX-COMMANDS MAILBOX MMIO" },
	{ "no-driver", 1, 0, read_no_driver, "no-driver" },
	{ "mailbox", 6, 1, read_mailbox,
	  "mailbox PACKAGE DIE COMMAND/SUB PARAMETER DATA -> ANSWER" },
	{ "mmio", 4, 1, read_mmio, "mmio PACKAGE DIE OFFSET -> ANSWER" },
	{ "instances", 2, 1, read_instances, "instances SOCKET -> MASK" },
};

static void cut_words(char *text, struct answer_line *line)
{
	char *rest = NULL, *word = strtok_r(text, " \t", &rest);

	for (; word; word = strtok_r(NULL, " \t", &rest)) {
		if (strcmp(word, "->") == 0 && line->arrow == 0) {
			line->arrow = line->count;
		} else if (line->count == MOST_WORDS) {
			line->arrow = 0;
			break;
		} else {
			line->word[line->count++] = word;
		}
	}
	if (line->arrow == 0)
		line->arrow = line->count;
}

static int parse_line(struct recording *recording, const struct recorded_text *text)
{
	struct answer_line line = { .file = &recording->answer_file, .number = text->number };
	char *start = trim(text->text);

	if (*start == '\0' || *start == '#')
		return 0;
	cut_words(start, &line);
	if (line.count == 0)
		return recorded_error(line.file, line.number,
				      "found \"->\" alone, expected a request before it");
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (strcmp(kinds[i].word, line.word[0]) != 0)
			continue;
		if (line.arrow != kinds[i].before ||
		    line.count != kinds[i].before + kinds[i].behind)
			return recorded_error(line.file, line.number,
					      "found %u words, expected \"%s\"", line.count,
					      kinds[i].expected);
		return kinds[i].read(recording, &line);
	}
	return recorded_error(line.file, line.number,
			      "found \"%s\", expected driver, no-driver, mailbox, mmio or "
			      "instances",
			      line.word[0]);
}

static int compare_numbers(uint32_t a, uint32_t b)
{
	return (a > b) - (a < b);
}

static int compare_answers(const void *left, const void *right)
{
	const struct recorded_answer *a = left, *b = right;
	int order = compare_numbers(a->kind, b->kind);

	if (!order)
		order = compare_numbers(a->package, b->package);
	if (!order)
		order = compare_numbers(a->die, b->die);
	if (!order)
		order = compare_numbers(a->command, b->command);
	if (!order)
		order = compare_numbers(a->parameter, b->parameter);
	return order ? order : compare_numbers(a->data, b->data);
}

static int check_repetition(const struct recording *recording)
{
	for (size_t i = 1; i < recording->answer_count; i++) {
		const struct recorded_answer *a = &recording->answers[i - 1], *b = a + 1;

		if (compare_answers(a, b) == 0)
			return recorded_error(&recording->answer_file,
					      a->line > b->line ? a->line : b->line,
					      "found the same request again, it stands in line %u "
					      "already",
					      a->line > b->line ? b->line : a->line);
	}
	return 0;
}

const struct recorded_answer *recording_answer(const struct recording *recording,
					       const struct recorded_answer *request)
{
	if (recording->answer_count == 0)
		return NULL;
	return bsearch(request, recording->answers, recording->answer_count, sizeof(*request),
		       compare_answers);
}

const struct recorded_answer *recording_mailbox(const struct recording *recording,
						const struct platform_domain *domain,
						uint32_t command, uint32_t parameter, uint32_t data)
{
	const struct recorded_answer request = {
		.kind = ANSWER_MAILBOX,
		.package = domain->package,
		.die = domain->die,
		.command = command,
		.parameter = parameter,
		.data = data,
	};

	return recording_answer(recording, &request);
}

int recording_read_answers(struct recording *recording)
{
	struct recorded_file *file = &recording->answer_file;
	int result = recorded_file_read(recording, "isst/answers.txt", file);

	if (result == -ENOENT)
		return 0; /* only captures have it */
	if (!result)
		result = recorded_each_line(recording, file, parse_line);
	if (result)
		return result;
	if (recording->answer_count > 0)
		qsort(recording->answers, recording->answer_count, sizeof(*recording->answers),
		      compare_answers);
	return check_repetition(recording);
}
