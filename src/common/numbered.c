/* SPDX-License-Identifier: BSD-3-Clause */
/* A plural ends with an s, but CLOS stays as it is. */
#include "numbered.h"
#include "memory_stream.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *name_numbers(const char *word, const struct isst_cpuset *numbers)
{
	const char *last = word + strlen(word);
	const char *plural = isst_cpuset_count(numbers) == 1 || (last > word && last[-1] == 'S')
				     ? ""
				     : "s";
	char *list = isst_cpuset_to_list(numbers), *name = NULL;

	if (list && asprintf(&name, "%s%s %s", word, plural, list) < 0)
		name = NULL;
	free(list);
	return name;
}

char *numbers_enumeration(const struct isst_cpuset *numbers)
{
	struct memory_stream text;
	const char *separator = "";
	unsigned int cpu;

	if (memory_stream_open(&text))
		return NULL;
	isst_cpuset_for_each (cpu, numbers) {
		fprintf(text.stream, "%s%u", separator, cpu);
		separator = ",";
	}
	return memory_stream_text(&text);
}

char *numbers_mask(const struct isst_cpuset *numbers, unsigned int bits)
{
	enum { DIGITS = 8, WIDTH = DIGITS + 1 };
	const size_t words = bits / 32 + (bits % 32 > 0);
	char *text = malloc(words * WIDTH + 1);
	unsigned int cpu = 0;

	if (!text)
		return NULL;
	/* A mask is as wide as the machine, and mostly empty. */
	for (size_t i = 0; i < words; i++)
		memcpy(text + i * WIDTH, "00000000,", WIDTH);
	while (isst_cpuset_next(numbers, cpu, &cpu) && cpu / 32 < words) {
		const unsigned int number = cpu / 32;
		uint32_t word = 0;
		char digits[WIDTH];

		for (; isst_cpuset_next(numbers, cpu, &cpu) && cpu / 32 == number; cpu++)
			word |= UINT32_C(1) << cpu % 32;
		snprintf(digits, sizeof(digits), "%08" PRIx32, word);
		memcpy(text + (words - 1 - number) * WIDTH, digits, DIGITS);
		cpu = 32 * (number + 1);
	}
	text[words ? words * WIDTH - 1 : 0] = '\0';
	return text;
}

/* ---- Taking a text apart ---- */

/** What stands in the rest of a text for a name. */
#define MARK '\1'

enum { LEVEL_CPU, LEVEL_CORE, LEVEL_POWER_DOMAIN, LEVEL_DIE, LEVEL_PACKAGE };

static const struct {
	const char *word;
	unsigned int level;
} WORDS[] = { { "/cpu", LEVEL_CPU },
	      { "CPU", LEVEL_CPU },
	      { "core", LEVEL_CORE },
	      { "CLOS", LEVEL_CORE },
	      { "power domain", LEVEL_POWER_DOMAIN },
	      { "die", LEVEL_DIE },
	      { "package", LEVEL_PACKAGE } };

/** Whether a verb follows that is another one behind several, as in `package 0, die 1 has`. */
static bool is_subject(const char *behind)
{
	for (size_t i = 0; i < sizeof(WORDS) / sizeof(WORDS[0]); i++) {
		size_t length = strlen(WORDS[i].word);

		if (strncmp(behind, ", ", 2) == 0 &&
		    strncmp(behind + 2, WORDS[i].word, length) == 0 && behind[2 + length] == ' ')
			behind += 3 + length + strspn(behind + 3 + length, "0123456789");
	}
	return *behind == ' ' && behind[strcspn(behind + 1, " \n")] == 's';
}

/** The name as it stands in texts; NULL without memory. */
static char *name_text(const struct fold_name *name)
{
	char *text, *list;

	if (*name->word != '/')
		return name_numbers(name->word, name->numbers);
	list = isst_cpuset_to_list(name->numbers);
	if (!list || asprintf(&text, "%s%s", name->word, list) < 0)
		text = NULL;
	free(list);
	return text;
}

/** Takes the name that a text begins with. Returns its length; 0: there is none, or no memory. */
static size_t take_name(struct fold *fold, const char *text, bool *lost)
{
	for (size_t i = 0; i < sizeof(WORDS) / sizeof(WORDS[0]); i++) {
		struct fold_name *name = &fold->names[fold->name_count];
		bool in_path = *WORDS[i].word == '/', begins = in_path;
		size_t length = strlen(WORDS[i].word), digits;
		char *list;
		int error;

		if (strncmp(text, WORDS[i].word, length) != 0)
			continue;
		if (!in_path) {
			length += text[length] == 's';
			begins = text[length++] == ' ';
		}
		if (!begins || !isdigit((unsigned char)text[length]))
			continue;
		digits = strspn(text + length, in_path ? "0123456789" : "0123456789,-");
		while (!isdigit((unsigned char)text[length + digits - 1]))
			digits--;
		if (in_path && text[length + digits] != '/')
			continue;
		if (is_subject(text + length + digits))
			continue;
		*name = (struct fold_name){ WORDS[i].word, WORDS[i].level, isst_cpuset_new() };
		list = strndup(text + length, digits);
		error = list && name->numbers ? isst_cpuset_add_list(name->numbers, list, NULL)
					      : -ENOMEM;
		free(list);
		/* Another spelling is no name of ours: `CPU 01` of a file. */
		if (!error) {
			list = name_text(name);
			error = !list ? -ENOMEM
				: strncmp(list, text, length + digits) != 0 ||
						strlen(list) != length + digits
					? -EINVAL
					: 0;
			free(list);
		}
		if (!error) {
			fold->name_count++;
			return length + digits;
		}
		isst_cpuset_free(name->numbers);
		*lost |= error == -ENOMEM;
	}
	return 0;
}

static void clear_fold(struct fold *fold)
{
	for (size_t i = 0; i < fold->name_count; i++)
		isst_cpuset_free(fold->names[i].numbers);
	free(fold->text);
	free(fold->rest);
}

/** Returns 0 or -ENOMEM. */
static int take_apart(struct fold *fold)
{
	bool in_word = false, lost = false;
	const char *text = fold->text;
	/* A text of the user may have the mark. */
	bool has_mark = text[strcspn(text, "\n\1")] == MARK;
	struct memory_stream memory;

	if (memory_stream_open(&memory) != 0)
		return -ENOMEM;
	while (*text && *text != '\n') {
		bool is_letter = isalnum((unsigned char)*text);
		size_t length = 0;

		if (fold->name_count < FOLD_NAMES && !has_mark && !(in_word && is_letter))
			length = take_name(fold, text, &lost);
		fputc(length > 0 ? MARK : *text, memory.stream);
		in_word = length > 0 || is_letter;
		text += length > 0 ? length : 1;
	}
	fputs(text, memory.stream);
	fold->rest = memory_stream_text(&memory);
	return fold->rest && !lost ? 0 : -ENOMEM;
}

/* ---- Joining ---- */

static bool numbers_are_same(const struct isst_cpuset *one, const struct isst_cpuset *other)
{
	unsigned int number;

	isst_cpuset_for_each (number, one)
		if (!isst_cpuset_has(other, number))
			return false;
	return isst_cpuset_count(one) == isst_cpuset_count(other);
}

static bool is_alike(const struct fold *one, const struct fold *other, unsigned int level)
{
	bool alike = one->name_count == other->name_count && strcmp(one->rest, other->rest) == 0;

	for (size_t i = 0; i < one->name_count && alike; i++) {
		const struct fold_name *a = &one->names[i], *b = &other->names[i];

		alike = a->word == b->word &&
			(a->level == level || a->level == LEVEL_CPU ||
			 (a->level >= LEVEL_POWER_DOMAIN && one->whole && other->whole) ||
			 numbers_are_same(a->numbers, b->numbers));
	}
	return alike;
}

/** Joins the fold behind the first @count with one of these. Returns 1, 0: it stays, or -ENOMEM. */
static int join_fold(struct folds *folds, size_t count, unsigned int level)
{
	struct fold *like = folds->all, *fold = like + count;
	bool same = true;
	int error = 0;

	while (like < fold && !is_alike(like, fold, level))
		like++;
	if (like == fold)
		return 0;
	for (size_t i = 0; i < like->name_count && !error; i++) {
		struct fold_name *name = &like->names[i];
		size_t before = isst_cpuset_count(name->numbers);

		like->mixed |= name->level >= LEVEL_POWER_DOMAIN && name->level != level &&
			       !numbers_are_same(name->numbers, fold->names[i].numbers);
		error = isst_cpuset_add_set(name->numbers, fold->names[i].numbers);
		same = same && isst_cpuset_count(name->numbers) == before;
	}
	like->texts += same ? 0 : fold->texts;
	if (!error && folds->join)
		folds->join(like->data, fold->data);
	clear_fold(fold);
	return error ? error : 1;
}

int folds_add(struct folds *folds, void *data, const char *format, ...)
{
	struct fold *all = reallocarray(folds->all, folds->count + 1, sizeof(*all));
	struct fold fold = { .texts = 1, .data = data };
	va_list arguments;
	int joined;

	if (!all)
		return -ENOMEM;
	folds->all = all;
	va_start(arguments, format);
	if (vasprintf(&fold.text, format, arguments) < 0)
		fold.text = NULL;
	va_end(arguments);
	if (!fold.text || take_apart(&fold) != 0) {
		clear_fold(&fold);
		return -ENOMEM;
	}
	all[folds->count] = fold;
	joined = join_fold(folds, folds->count, LEVEL_CORE);
	folds->count += joined == 0;
	return joined < 0 ? joined : 0;
}

static int join_level(struct folds *folds, unsigned int level)
{
	size_t count = folds->count;
	int error = 0;

	folds->count = 0;
	for (size_t i = 0; i < count; i++) {
		int joined;

		folds->all[folds->count] = folds->all[i];
		joined = error ? 0 : join_fold(folds, folds->count, level);
		folds->count += joined == 0;
		error = joined < 0 ? joined : error;
	}
	return error;
}

static bool has_same_numbers(const struct fold *one, const struct fold *other, unsigned int level)
{
	const struct isst_cpuset *sets[2] = { NULL };

	for (size_t i = 0; i < 2; i++) {
		const struct fold *fold = i > 0 ? other : one;

		for (size_t k = 0; k < fold->name_count && !sets[i]; k++)
			if (fold->names[k].level == level)
				sets[i] = fold->names[k].numbers;
	}
	return numbers_are_same(sets[0], sets[1]);
}

int folds_join(struct folds *folds, struct folds *machine)
{
	int error = 0;

	for (unsigned int level = LEVEL_POWER_DOMAIN; level <= LEVEL_DIE && !error; level++) {
		error = join_level(machine, level);
		if (!error)
			error = join_level(folds, level);
	}
	for (size_t i = 0; i < folds->count; i++)
		for (size_t k = 0; k < machine->count && !folds->all[i].whole; k++) {
			bool same = true;

			for (unsigned int level = LEVEL_POWER_DOMAIN; level <= LEVEL_PACKAGE;
			     level++)
				same = same &&
				       has_same_numbers(&folds->all[i], &machine->all[k], level);
			folds->all[i].whole = same;
		}
	return error ? error : join_level(folds, LEVEL_PACKAGE);
}

/* ---- Texts ---- */

/* Of a name that belongs to the one before. */
#define BEHIND ", \1"

static void write_fold(const struct fold *fold, bool *lost, FILE *stream)
{
	size_t names = 0;

	if (fold->texts == 1)
		fputs(fold->text, stream);
	for (const char *rest = fold->texts > 1 ? fold->rest : ""; *rest; rest++) {
		const struct fold_name *name;
		char *text;

		if (names == fold->name_count) {
			fputs(rest, stream);
			break;
		}
		name = &fold->names[names];
		if (fold->mixed && strncmp(rest, BEHIND, strlen(BEHIND)) == 0 &&
		    (name->level == LEVEL_DIE || name->level == LEVEL_POWER_DOMAIN)) {
			rest += strlen(BEHIND) - 1;
			names++;
		} else if (*rest == MARK) {
			text = name_text(name);
			fputs(text ? text : "", stream);
			*lost |= !text;
			free(text);
			names++;
		} else {
			fputc(*rest, stream);
		}
	}
}

char *folds_text(const struct folds *folds)
{
	struct memory_stream memory;
	bool lost = false;

	if (memory_stream_open(&memory) != 0)
		return NULL;
	for (size_t i = 0; i < folds->count; i++) {
		fputs(i > 0 ? "; " : "", memory.stream);
		write_fold(&folds->all[i], &lost, memory.stream);
	}
	if (!lost)
		return memory_stream_text(&memory);
	memory_stream_drop(&memory);
	return NULL;
}

char *fold_text(const struct fold *fold)
{
	const struct folds one = { (struct fold *)fold, 1, NULL };

	return folds_text(&one);
}

void folds_clear(struct folds *folds)
{
	for (size_t i = 0; i < folds->count; i++)
		clear_fold(&folds->all[i]);
	free(folds->all);
	*folds = (struct folds){ .all = NULL };
}
