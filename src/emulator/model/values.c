/* SPDX-License-Identifier: BSD-3-Clause */
/* How the values of a platform file are written, by kinds that many keys share. */
#include "common/memory_stream.h"
#include "emulator/model/file.h"
#include "emulator/model/text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

int file_error(struct platform_file *file, unsigned int line, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	set_line_error(file->error, file->name, line, format, arguments);
	va_end(arguments);
	return -EINVAL;
}

int platform_file_apply(struct platform_file *file, size_t index, void *target)
{
	int error = 0;

	for (size_t i = file->sections[index].first_setting; i < file->setting_count && !error;
	     i++) {
		const struct setting *setting = &file->settings[i];

		if (setting->section != index)
			break;
		error = setting->key->parse(file, setting->key, setting->value, setting->line,
					    (char *)target + setting->key->offset);
	}
	return error;
}

int value_text(struct platform_file *file, const struct key *key, const char *text,
	       unsigned int line, void *target)
{
	struct text_value *value = target;
	char *copy;

	if (*text == '\0')
		return file_error(file, line, "found nothing for \"%s\", expected a text",
				  key->name);
	copy = strdup(text);
	if (!copy)
		return -ENOMEM;
	free(value->text);
	value->text = copy;
	value->line = line;
	return 0;
}

int value_processes(struct platform_file *file, const struct key *key, const char *text,
		    unsigned int line, void *target)
{
	const char *word = text;

	while (*word) {
		size_t length = strcspn(word, " \t"), name = strcspn(word, ":");
		uint64_t number = 0;
		char digits[12] = "";

		if (name > 0 && name < length && length - name - 1 < sizeof(digits))
			memcpy(digits, word + name + 1, length - name - 1);
		if (isst_parse_number(digits, 10, INT32_MAX, &number) || number == 0)
			return file_error(file, line,
					  "found \"%.*s\" for \"%s\", expected names and numbers "
					  "such as tuned:812",
					  (int)length, word, key->name);
		word += length;
		word += strspn(word, " \t");
	}
	return value_text(file, key, text, line, target);
}

int value_number(struct platform_file *file, const struct key *key, const char *text,
		 unsigned int line, void *target)
{
	uint64_t value;

	if (isst_parse_number(text, 0, key->max, &value) || value < key->min)
		return file_error(file, line, "found \"%s\" for \"%s\", expected a number %u..%u",
				  text, key->name, key->min, key->max);
	*(struct number_value *)target = (struct number_value){ (unsigned int)value, line };
	return 0;
}

static int unknown_word(struct platform_file *file, const struct key *key, const char *found,
			unsigned int line)
{
	struct memory_stream text;
	char *known;
	int error;

	if (memory_stream_open(&text))
		return -ENOMEM;
	for (const char *const *word = key->words; *word; word++)
		fprintf(text.stream, "%s%s", word == key->words ? "" : ", ", *word);
	known = memory_stream_text(&text);
	if (!known)
		return -ENOMEM;
	error = file_error(file, line, "found \"%s\" for \"%s\", expected one of %s", found,
			   key->name, known);
	free(known);
	return error;
}

int value_word(struct platform_file *file, const struct key *key, const char *text,
	       unsigned int line, void *target)
{
	for (unsigned int i = 0; key->words[i]; i++) {
		if (strcmp(key->words[i], text) == 0) {
			*(struct number_value *)target = (struct number_value){ i, line };
			return 0;
		}
	}
	return unknown_word(file, key, text, line);
}

/** A PCI device id, or none. */
int value_device(struct platform_file *file, const struct key *key, const char *text,
		 unsigned int line, void *target)
{
	struct number_value *value = target;
	unsigned int i = 0;

	while (key->words[i] && strcmp(key->words[i], text) != 0)
		i++;
	if (!key->words[i])
		return unknown_word(file, key, text, line);
	*value = (struct number_value){ 0, line };
	if (strcmp(text, "none") != 0)
		value->value = (unsigned int)strtoul(text, NULL, 16);
	return 0;
}

enum { HIGHEST_MHZ = 25500 };

/** Frequencies travel as ratios of 100 MHz in 8 bits. */
static int check_mhz(struct platform_file *file, const struct key *key, const char *text,
		     unsigned int line, unsigned int *mhz)
{
	uint64_t value;

	if (isst_parse_number(text, 10, HIGHEST_MHZ, &value) || value % 100 != 0)
		return file_error(file, line,
				  "found \"%s\" for \"%s\", expected a multiple of 100 MHz up to "
				  "25500",
				  text, key->name);
	*mhz = (unsigned int)value;
	return 0;
}

int value_mhz(struct platform_file *file, const struct key *key, const char *text,
	      unsigned int line, void *target)
{
	struct number_value value = { .line = line };
	int error = check_mhz(file, key, text, line, &value.value);

	if (!error)
		*(struct number_value *)target = value;
	return error;
}

static int check_count(struct platform_file *file, const struct key *key, const char *text,
		       unsigned int line, unsigned int *count)
{
	uint64_t value;

	if (isst_parse_number(text, 10, UINT8_MAX, &value))
		return file_error(file, line,
				  "found \"%s\" for \"%s\", expected numbers of cores 0..255", text,
				  key->name);
	*count = (unsigned int)value;
	return 0;
}

static int check_modules(struct platform_file *file, const struct key *key, const char *text,
			 unsigned int line, unsigned int *count)
{
	uint64_t value;

	if (isst_parse_number(text, 10, UINT16_MAX, &value))
		return file_error(file, line,
				  "found \"%s\" for \"%s\", expected numbers of modules 0..65535",
				  text, key->name);
	*count = (unsigned int)value;
	return 0;
}

typedef int item_parser(struct platform_file *file, const struct key *key, const char *text,
			unsigned int line, unsigned int *value);

/** Up to eight values, one for each bucket, with white space between them. */
static int parse_buckets(struct platform_file *file, const struct key *key, const char *text,
			 unsigned int line, struct list_value *target, item_parser *parse_item)
{
	struct list_value value = { .line = line };
	char *copy = strdup(text), *rest = NULL;
	int error = copy ? 0 : -ENOMEM;
	char *word = copy ? strtok_r(copy, " \t", &rest) : NULL;

	for (; word && !error; word = strtok_r(NULL, " \t", &rest)) {
		if (value.count == BUCKETS)
			error = file_error(file, line,
					   "found \"%s\" as a ninth value, expected at "
					   "most eight buckets",
					   word);
		else
			error = parse_item(file, key, word, line, &value.value[value.count++]);
	}
	if (!error && value.count == 0)
		error = file_error(file, line,
				   "found nothing for \"%s\", expected up to eight "
				   "numbers",
				   key->name);
	if (!error)
		*target = value;
	free(copy);
	return error;
}

int value_limits(struct platform_file *file, const struct key *key, const char *text,
		 unsigned int line, void *target)
{
	return parse_buckets(file, key, text, line, target, check_mhz);
}

int value_counts(struct platform_file *file, const struct key *key, const char *text,
		 unsigned int line, void *target)
{
	return parse_buckets(file, key, text, line, target, check_count);
}

/** The register holds three buckets. */
int value_modules(struct platform_file *file, const struct key *key, const char *text,
		  unsigned int line, void *target)
{
	struct list_value *value = target;
	int error = parse_buckets(file, key, text, line, value, check_modules);

	if (!error && value->count > 3)
		error = file_error(file, line, "found %u values for \"%s\", expected up to three",
				   value->count, key->name);
	return error;
}

static int parse_list(struct platform_file *file, const struct key *key, const char *text,
		      unsigned int line, struct isst_cpuset **set)
{
	const char *bad = text;
	unsigned int number;
	int error;

	*set = isst_cpuset_new();
	if (!*set)
		return -ENOMEM;
	error = isst_cpuset_add_list(*set, text, &bad);
	if (error == -ENOMEM)
		goto failed;
	if (error) {
		error = file_error(file, line,
				   "found \"%s\" for \"%s\", expected a list such as 0-3,8", bad,
				   key->name);
		goto failed;
	}
	if (isst_cpuset_next(*set, key->max + 1, &number)) {
		error = file_error(file, line, "found %u for \"%s\", expected numbers up to %u",
				   number, key->name, key->max);
		goto failed;
	}
	return 0;
failed:
	isst_cpuset_free(*set);
	return error;
}

int value_set(struct platform_file *file, const struct key *key, const char *text,
	      unsigned int line, void *target)
{
	struct set_value *value = target;
	struct isst_cpuset *set;
	int error = parse_list(file, key, text, line, &set);

	if (error)
		return error;
	isst_cpuset_free(value->set);
	*value = (struct set_value){ set, line };
	return 0;
}

int value_mask(struct platform_file *file, const struct key *key, const char *text,
	       unsigned int line, void *target)
{
	struct mask_value value = { .line = line };
	struct isst_cpuset *set;
	unsigned int core;
	int error = parse_list(file, key, text, line, &set);

	if (error)
		return error;
	isst_cpuset_for_each (core, set)
		value.cores |= UINT64_C(1) << core;
	*(struct mask_value *)target = value;
	isst_cpuset_free(set);
	return 0;
}

/** `6.12` */
int value_kernel(struct platform_file *file, const struct key *key, const char *text,
		 unsigned int line, void *target)
{
	char *copy = strdup(text), *dot = copy ? strchr(copy, '.') : NULL;
	uint64_t major, minor;
	int error = 0;

	if (!copy)
		return -ENOMEM;
	if (dot)
		*dot++ = '\0';
	if (!dot || isst_parse_number(copy, 10, 999, &major) ||
	    isst_parse_number(dot, 10, 999, &minor))
		error = file_error(file, line,
				   "found \"%s\" for \"%s\", expected a release such as "
				   "6.12",
				   text, key->name);
	else
		*(struct number_value *)target = (struct number_value){
			KERNEL((unsigned int)major, (unsigned int)minor), line
		};
	free(copy);
	return error;
}

static bool parse_command(char *text, uint16_t *command)
{
	char *slash = strchr(text, '/');
	uint64_t number, sub;

	if (!slash)
		return false;
	*slash++ = '\0';
	if (isst_parse_number(text, 16, UINT8_MAX, &number) ||
	    isst_parse_number(slash, 16, UINT8_MAX, &sub))
		return false;
	*command = (uint16_t)(number << 8 | sub);
	return true;
}

/** `0x7f/0x0c 0x7f/0x0a` */
int value_commands(struct platform_file *file, const struct key *key, const char *text,
		   unsigned int line, void *target)
{
	struct commands_value value = { .line = line };
	char *copy = strdup(text), *rest = NULL;
	int error = copy ? 0 : -ENOMEM;
	char *word = copy ? strtok_r(copy, " \t", &rest) : NULL;

	for (; word && !error; word = strtok_r(NULL, " \t", &rest))
		if (value.count == COMMANDS || !parse_command(word, &value.command[value.count++]))
			error = file_error(file, line,
					   "found \"%s\" for \"%s\", expected commands "
					   "such as 0x7f/0x0c",
					   text, key->name);
	if (!error)
		*(struct commands_value *)target = value;
	free(copy);
	return error;
}

/** `0x90 0x240000`: a register and its value. */
int value_register(struct platform_file *file, const struct key *key, const char *text,
		   unsigned int line, void *target)
{
	struct raw_value *raw = target;
	struct raw_register *one = &raw->registers[raw->count];
	char *copy = strdup(text), *rest = NULL;
	char *number = copy ? strtok_r(copy, " \t", &rest) : NULL;
	char *value = number ? strtok_r(NULL, " \t", &rest) : NULL;
	uint64_t offset, word;
	int error = 0;

	if (!copy)
		return -ENOMEM;
	if (raw->count == RAW_REGISTERS)
		error = file_error(file, line, "found \"%s\", expected at most %d of them",
				   key->name, RAW_REGISTERS);
	else if (!value || strtok_r(NULL, " \t", &rest) ||
		 isst_parse_number(number, 0, UINT16_MAX, &offset) || offset % 8 != 0 ||
		 isst_parse_number(value, 0, UINT64_MAX, &word))
		error = file_error(file, line,
				   "found \"%s\" for \"%s\", expected an offset that is a multiple "
				   "of 8 and a value of 64 bits, such as \"%s 0x90 = 0x240000\"",
				   text, key->name, key->name);
	else
		*one = (struct raw_register){ (unsigned int)offset, key->max, word, line };
	raw->count += !error;
	free(copy);
	return error;
}
