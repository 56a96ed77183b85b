/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Takes the text of a platform file apart into sections and settings and leads through the steps to
 * a platform. What the keys mean is not known here.
 */
#include "emulator/capture/recording.h"
#include "emulator/model/file.h"
#include "emulator/text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
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

/** A list of numbers as the bits of a mask. */
static bool parse_bits(const char *text, unsigned int count, unsigned int *bits)
{
	struct isst_cpuset *set = isst_cpuset_new();
	const char *bad;
	unsigned int number;
	bool good = set && isst_cpuset_add_list(set, text, &bad) == 0 &&
		    isst_cpuset_count(set) > 0 && !isst_cpuset_next(set, count, &number);

	*bits = 0;
	if (good)
		isst_cpuset_for_each (number, set)
			*bits |= 1u << number;
	isst_cpuset_free(set);
	return good;
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

		if (section->kind->target == TARGET_PLATFORM || !(package || die || domains))
			return file_error(file, section->line,
					  "found \"%s\" in a section's name, expected %s", word,
					  section->kind->target == TARGET_PLATFORM
						  ? "\"]\""
						  : "\"package\", \"die\" or \"power-domain\" and "
						    "its number");
		if (!number || (domains && !parse_bits(number, MOST_POWER_DOMAINS, &value.value)) ||
		    (!domains && isst_parse_number(number, 10, UINT32_MAX, &parsed)))
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

/** `1`, or `1-4` for all of these. */
static bool parse_section_number(char *text, unsigned int count, struct section *section)
{
	char *dash = strchr(text, '-');
	uint64_t first, last;

	if (dash)
		*dash++ = '\0';
	if (isst_parse_number(text, 10, count - 1, &first) ||
	    isst_parse_number(dash ? dash : text, 10, count - 1, &last) || last < first)
		return false;
	section->number = (unsigned int)first;
	section->last = (unsigned int)last;
	return true;
}

static const struct section_kind *find_kind(const char *name)
{
	for (const struct section_kind *kind = section_kinds; kind->name; kind++)
		if (strcmp(kind->name, name) == 0)
			return kind;
	return NULL;
}

static int add_section(struct platform_file *file, const struct section *section)
{
	struct section *sections = reallocarray(file->sections, file->section_count + 1,
						sizeof(*sections));

	if (!sections)
		return -ENOMEM;
	file->sections = sections;
	sections[file->section_count++] = *section;
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
	section.kind = word ? find_kind(word) : NULL;
	if (!section.kind)
		return file_error(file, line,
				  "found section \"%s\", expected platform, cpu, driver, topology, "
				  "files, cgroup, domain, clos or level",
				  word ? word : "");
	if (section.kind->numbers) {
		word = strtok_r(NULL, " \t", &words);
		if (!word || !parse_section_number(word, section.kind->numbers, &section))
			return file_error(
				file, line, "found \"%s\" after \"%s\", expected a number 0..%u",
				word ? word : "]", section.kind->name, section.kind->numbers - 1);
	}
	error = parse_narrowing(file, &section, &words);
	return error ? error : add_section(file, &section);
}

static int unknown_key(struct platform_file *file, const struct section_kind *kind,
		       const char *name, unsigned int line)
{
	struct text text;
	char *known;
	int error;

	if (!text_open(&text))
		return -ENOMEM;
	for (const struct key *key = kind->keys; key->name; key++)
		fprintf(text.stream, "%s%s", key == kind->keys ? "" : ", ", key->name);
	known = text_close(&text);
	if (!known)
		return -ENOMEM;
	error = file_error(file, line, "found key \"%s\" in [%s], expected one of %s", name,
			   kind->name, known);
	free(known);
	return error;
}

/** @name is the key's, and where the key is numbered the number behind it. */
static const struct key *find_key(const struct section_kind *kind, const char *name)
{
	for (const struct key *key = kind->keys; key->name; key++) {
		size_t length = strlen(key->name);

		if (key->numbered ? strncmp(key->name, name, length) == 0 &&
					    (name[length] == ' ' || name[length] == '\t')
				  : strcmp(key->name, name) == 0)
			return key;
	}
	return NULL;
}

static int check_repetition(struct platform_file *file, const struct setting *setting)
{
	for (size_t i = file->setting_count; i-- > 0;) {
		const struct setting *other = &file->settings[i];

		if (other->section != setting->section)
			break;
		if (other->key == setting->key && !setting->key->numbered)
			return file_error(file, setting->line,
					  "found \"%s\" again, it stands in line %u of the same "
					  "section already",
					  setting->key->name, other->line);
	}
	return 0;
}

static int parse_setting(struct platform_file *file, char *text, unsigned int line)
{
	struct setting setting = { .section = file->section_count - 1, .line = line };
	char *equals = strchr(text, '=');
	const struct section_kind *kind;
	struct setting *settings;
	int error;

	if (!equals)
		return file_error(file, line, "found \"%s\", expected \"key = value\" or [section]",
				  text);
	if (file->section_count == 0)
		return file_error(file, line, "found \"%s\" before the first [section]", text);
	*equals = '\0';
	kind = file->sections[setting.section].kind;
	setting.value = trim(equals + 1);
	text = trim(text);
	setting.key = find_key(kind, text);
	if (!setting.key)
		return unknown_key(file, kind, text, line);
	if (setting.key->numbered) {
		/* Number and value together: "0x90 = 0x240000" has become "0x90   0x240000". */
		memset(text + strlen(text), ' ', (size_t)(setting.value - text) - strlen(text));
		setting.value = trim(text + strlen(setting.key->name));
	}
	error = check_repetition(file, &setting);
	if (error)
		return error;
	settings = reallocarray(file->settings, file->setting_count + 1, sizeof(*settings));
	if (!settings)
		return -ENOMEM;
	file->settings = settings;
	settings[file->setting_count++] = setting;
	return 0;
}

static int parse_line(struct platform_file *file, char *text, unsigned int line)
{
	char *comment = strchr(text, '#');

	if (comment)
		*comment = '\0';
	text = trim(text);
	if (*text == '\0')
		return 0;
	return *text == '[' ? parse_section(file, text, line) : parse_setting(file, text, line);
}

static int parse_lines(struct platform_file *file)
{
	unsigned int line = 0;
	char *rest = file->text;
	int error = 0;

	while (rest && !error) {
		char *text = strsep(&rest, "\n");

		error = parse_line(file, text, ++line);
	}
	return error;
}

int apply_section(struct platform_file *file, size_t index, void *target)
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

static int apply_platform_sections(struct platform_file *file, struct platform *platform)
{
	int error = 0;

	for (size_t i = 0; i < file->section_count && !error; i++)
		if (file->sections[i].kind->target == TARGET_PLATFORM)
			error = apply_section(file, i, platform);
	return error;
}

/** Looks for keys that mean nothing with this driver. */
static int check_drivers(struct platform_file *file, const struct platform *platform)
{
	bool tpmi = platform_is_tpmi(platform);

	for (size_t i = 0; i < file->setting_count; i++) {
		const struct setting *setting = &file->settings[i];

		if (setting->key->driver == (tpmi ? FOR_MAILBOX : FOR_TPMI))
			return file_error(file, setting->line,
					  "found \"%s\", expected it with API version %s only",
					  setting->key->name, tpmi ? "0 or 1" : "2 or 3");
	}
	return 0;
}

/* FNV-1a: only has to notice that a file has changed. */
static uint64_t hash_text(const char *text)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
	return hash;
}

static int fill_platform(struct platform_file *file, struct platform *platform)
{
	char *what = NULL;
	int error = parse_lines(file);

	if (!error)
		error = apply_platform_sections(file, platform);
	if (!error)
		error = check_drivers(file, platform);
	if (!error)
		error = make_domains(file, platform);
	if (!error)
		error = make_cpus(file, platform);
	if (!error)
		error = check_platform(file, platform);
	if (!error && platform_is_tpmi(platform))
		error = make_registers(file, platform);
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

	*error = NULL;
	file.text = strdup(text);
	if (!made || !file.text)
		goto out;
	made->text = strdup(text);
	made->hash = hash_text(text);
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

static void free_domain(struct platform_domain *domain)
{
	isst_cpuset_free(domain->cores.set);
	for (size_t i = 0; i < CLOS_COUNT; i++)
		isst_cpuset_free(domain->clos[i].cores.set);
	free(domain->levels);
	free(domain->registers);
}

void platform_free(struct platform *platform)
{
	if (!platform)
		return;
	for (size_t i = 0; i < platform->domain_count; i++)
		free_domain(&platform->domains[i]);
	free(platform->domains);
	free(platform->cpus);
	isst_cpuset_free(platform->packages.set);
	isst_cpuset_free(platform->cores.set);
	isst_cpuset_free(platform->power_domains.set);
	isst_cpuset_free(platform->partly_bound.set);
	isst_cpuset_free(platform->unbound.set);
	isst_cpuset_free(platform->cpu_numbers.set);
	isst_cpuset_free(platform->offline.set);
	isst_cpuset_free(platform->possible.set);
	isst_cpuset_free(platform->refuse_offline.set);
	isst_cpuset_free(platform->isolcpus.set);
	free(platform->title.text);
	free(platform->vendor.text);
	free(platform->model_name.text);
	free(platform->cpufreq.text);
	free(platform->governor.text);
	free(platform->pstate.text);
	free(platform->name);
	free(platform->text);
	recording_free(platform->recording);
	free(platform);
}
