/* SPDX-License-Identifier: BSD-3-Clause */
/* From the text of a platform file to sections, settings and a platform. */
#include "base/array.h"
#include "common/hash.h"
#include "common/number.h"
#include "emulator/model/file.h"
#include "emulator/model/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- Sections and settings ---- */

/** A list of numbers as the bits of a mask. */
static int parse_bits(const char *text, unsigned int count, unsigned int *bits)
{
	struct isst_cpuset *set = isst_cpuset_new();
	const char *bad;
	unsigned int number;
	int error = set ? isst_cpuset_add_list(set, text, &bad) : -ENOMEM;

	if (!error && (isst_cpuset_count(set) == 0 || isst_cpuset_next(set, count, &number)))
		error = -EINVAL;
	*bits = 0;
	if (!error)
		isst_cpuset_for_each (number, set)
			*bits |= 1u << number;
	isst_cpuset_free(set);
	return error;
}

/** `package 1`, `die 0` or `power-domain 3-4` at the end of a section's name. */
static int parse_narrowing(struct platform_file *file, struct section *section, char **words)
{
	char *word = strtok_r(NULL, " \t", words);

	for (; word; word = strtok_r(NULL, " \t", words)) {
		bool package = strcmp(word, "package") == 0, die = strcmp(word, "die") == 0;
		bool domains = strcmp(word, "power-domain") == 0;
		const char *number = strtok_r(NULL, " \t", words);
		struct number_value value = { .line = section->line };
		uint64_t parsed = 0;
		int error = -EINVAL;

		if (section->kind->target == TARGET_PLATFORM || !(package || die || domains))
			return file_error(file, section->line,
					  "found \"%s\" in a section's name, expected %s", word,
					  section->kind->target == TARGET_PLATFORM
						  ? "\"]\""
						  : "\"package\", \"die\" or \"power-domain\" and "
						    "its number");
		if (number)
			error = domains ? parse_bits(number, MOST_POWER_DOMAINS, &value.value)
					: number_parse(number, 10, UINT32_MAX, &parsed);
		if (error == -ENOMEM)
			return error;
		if (error)
			return file_error(file, section->line,
					  "found \"%s\" after \"%s\", expected %s",
					  number ? number : "]", word,
					  domains ? "a list of numbers up to 15" : "a number");
		if (!domains)
			value.value = (unsigned int)parsed;
		*(package ? &section->package
		  : die	  ? &section->die
			  : &section->power_domains) = value;
	}
	return 0;
}

static int parse_section(struct platform_file *file, char *text, unsigned int line)
{
	struct section section = { .first_setting = file->setting_count, .line = line };
	size_t length = strlen(text);
	char *words, *word;
	int error;

	if (text[length - 1] != ']')
		return file_error(file, line, "found \"%s\", expected a section's name and \"]\"",
				  text);
	text[length - 1] = '\0';
	word = strtok_r(text + 1, " \t", &words);
	for (const struct section_kind *kind = platform_sections; kind->name && word; kind++)
		if (strcmp(kind->name, word) == 0)
			section.kind = kind;
	if (!section.kind)
		return file_error(file, line,
				  "found section \"%s\", expected platform, cpu, driver, topology, "
				  "files, cgroup, system, domain, clos or level",
				  word ? word : "");
	if (section.kind->numbers) {
		const unsigned int most = section.kind->numbers - 1;
		uint64_t first = 0, last = 0;
		const char *dash;

		/* `1`, or `1-4` for all of these. */
		word = strtok_r(NULL, " \t", &words);
		dash = word ? number_before(word, '-', 10, most, &first) : NULL;
		if (!word || number_parse(dash ? dash : word, 10, most, &last) ||
		    (dash && last < first))
			return file_error(file, line,
					  "found \"%.*s\" after \"%s\", expected a number 0..%u",
					  word ? (int)strcspn(word, "-") : 1, word ? word : "]",
					  section.kind->name, most);
		section.number = (unsigned int)(dash ? first : last);
		section.last = (unsigned int)last;
	}
	error = parse_narrowing(file, &section, &words);
	if (error)
		return error;
	if (ARRAY_GROW(file->sections, file->section_count))
		return -ENOMEM;
	file->sections[file->section_count++] = section;
	return 0;
}

static int parse_setting(struct platform_file *file, char *text, unsigned int line)
{
	struct setting setting = { .section = file->section_count - 1, .line = line };
	char *equals = strchr(text, '=');
	const struct section_kind *kind;

	if (!equals)
		return file_error(file, line, "found \"%s\", expected \"key = value\" or [section]",
				  text);
	if (file->section_count == 0)
		return file_error(file, line, "found \"%s\" before the first [section]", text);
	*equals = '\0';
	kind = file->sections[setting.section].kind;
	setting.value = trim(equals + 1);
	text = trim(text);
	/* Behind the name of a numbered key there is its number. */
	for (const struct key *key = kind->keys; key->name && !setting.key; key++) {
		size_t length = strlen(key->name);

		if (key->numbered ? strncmp(key->name, text, length) == 0 &&
					    (text[length] == ' ' || text[length] == '\t')
				  : strcmp(key->name, text) == 0)
			setting.key = key;
	}
	if (!setting.key) {
		char *known = platform_file_list_names(kind->keys, sizeof(*kind->keys));
		int error = known ? file_error(file, line,
					       "found key \"%s\" in [%s], expected one of %s", text,
					       kind->name, known)
				  : -ENOMEM;

		free(known);
		return error;
	}
	if (setting.key->numbered) {
		/* Number and value together: "0x90 = 0x240000" has become "0x90   0x240000". */
		memset(text + strlen(text), ' ', (size_t)(setting.value - text) - strlen(text));
		setting.value = trim(text + strlen(setting.key->name));
	}
	for (size_t i = file->setting_count; i-- > 0;) {
		const struct setting *other = &file->settings[i];

		if (other->section != setting.section)
			break;
		if (other->key == setting.key && !setting.key->numbered)
			return file_error(file, setting.line,
					  "found \"%s\" again, first in line %u of the same "
					  "section",
					  setting.key->name, other->line);
	}
	if (ARRAY_GROW(file->settings, file->setting_count))
		return -ENOMEM;
	file->settings[file->setting_count++] = setting;
	return 0;
}

/* ---- The steps ---- */

static int fill_platform(struct platform_file *file, struct platform *platform)
{
	char *what = NULL;
	char *rest = file->text;
	int error = 0;
	bool tpmi;

	for (unsigned int line = 1; rest && !error; line++) {
		char *text = strsep(&rest, "\n");

		text[strcspn(text, "#")] = '\0';
		text = trim(text);
		if (*text)
			error = *text == '[' ? parse_section(file, text, line)
					     : parse_setting(file, text, line);
	}
	for (size_t i = 0; i < file->section_count && !error; i++)
		if (file->sections[i].kind->target == TARGET_PLATFORM)
			error = platform_file_apply(file, i, platform);
	tpmi = platform_is_tpmi(platform);
	/* Keys that mean nothing with this driver. */
	for (size_t i = 0; i < file->setting_count && !error; i++)
		if (file->settings[i].key->only == (tpmi ? MAILBOX : TPMI))
			error = file_error(file, file->settings[i].line,
					   "found \"%s\", expected it with API version %s only",
					   file->settings[i].key->name, tpmi ? "0 or 1" : "2 or 3");
	if (!error)
		error = platform_make_domains(file, platform);
	if (!error)
		error = platform_make_cpus(file, platform);
	if (!error)
		error = platform_check(file, platform);
	if (!error && tpmi)
		error = platform_make_registers(file, platform);
	if (error)
		return error;
	error = platform_complete(platform, &what);
	if (error == -EINVAL && what)
		error = file_error(file, 1, "%s", what);
	free(what);
	return error;
}

int platform_read(const char *name, const char *file_name, const char *text,
		  struct platform **platform, char **error)
{
	struct platform_file file = { .name = file_name, .error = error };
	struct platform *made = platform_new(name);
	int result = -ENOMEM;

	if (error)
		*error = NULL;
	file.text = strdup(text);
	if (!made || !file.text)
		goto out;
	made->text = strdup(text);
	made->hash = hash_bytes(HASH_START, text, strlen(text));
	if (!made->text)
		goto out;
	result = fill_platform(&file, made);
out:
	free(file.text);
	free(file.sections);
	free(file.settings);
	if (result) {
		platform_free(made);
		made = NULL;
	}
	*platform = made;
	return result;
}
