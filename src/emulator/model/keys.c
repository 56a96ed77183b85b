/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The keys of a platform file (docs/platform-file.md has the same tables for readers) and how their
 * values are written. What the values do is not known here.
 */
#include "emulator/model/file.h"
#include "emulator/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int parse_text(struct platform_file *file, const struct key *key, const char *text,
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

static int parse_number(struct platform_file *file, const struct key *key, const char *text,
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
	struct text text;
	char *known;
	int error;

	if (!text_open(&text))
		return -ENOMEM;
	for (const char *const *word = key->words; *word; word++)
		fprintf(text.stream, "%s%s", word == key->words ? "" : ", ", *word);
	known = text_close(&text);
	if (!known)
		return -ENOMEM;
	error = file_error(file, line, "found \"%s\" for \"%s\", expected one of %s", found,
			   key->name, known);
	free(known);
	return error;
}

static int parse_word(struct platform_file *file, const struct key *key, const char *text,
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
static int parse_device(struct platform_file *file, const struct key *key, const char *text,
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

static int parse_mhz(struct platform_file *file, const struct key *key, const char *text,
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

static int parse_limits(struct platform_file *file, const struct key *key, const char *text,
			unsigned int line, void *target)
{
	return parse_buckets(file, key, text, line, target, check_mhz);
}

static int parse_counts(struct platform_file *file, const struct key *key, const char *text,
			unsigned int line, void *target)
{
	return parse_buckets(file, key, text, line, target, check_count);
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

/** The register has room for three buckets. */
static int parse_modules(struct platform_file *file, const struct key *key, const char *text,
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

static int parse_set(struct platform_file *file, const struct key *key, const char *text,
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

static int parse_mask(struct platform_file *file, const struct key *key, const char *text,
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
static int parse_kernel(struct platform_file *file, const struct key *key, const char *text,
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
static int parse_commands(struct platform_file *file, const struct key *key, const char *text,
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
static int parse_register(struct platform_file *file, const struct key *key, const char *text,
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

static const char *const yes_no[] = { "no", "yes", NULL };
static const char *const mailboxes[] = { "none", "pci", "msr", NULL };
static const char *const mmio_devices[] = { "none", "0x3451", "0x3251", NULL };
static const char *const numberings[] = { "blocks", "adjacent", "alternating", NULL };
static const char *const die_numberings[] = { "per-package", "across", "power-domain", NULL };
static const char *const core_numberings[] = { "same", "dense", "spread", NULL };
static const char *const domain_types[] = { "compute", "io", "absent", NULL };
static const char *const compared_levels[] = { "status", "control", NULL };
static const char *const cgroup_trees[] = { "none", "no-cpuset", "v2", NULL };
static const char *const priorities[] = { "proportional", "ordered", NULL };

#define OF_PLATFORM(field) .offset = offsetof(struct platform, field)
#define OF_DOMAIN(field) .offset = offsetof(struct platform_domain, field)
#define OF_CLOS(field) .offset = offsetof(struct platform_clos, field)
#define OF_LEVEL(field) .offset = offsetof(struct platform_level, field)

static const struct key platform_keys[] = {
	{ "title", parse_text, OF_PLATFORM(title) },
	{ "synthetic", parse_word, OF_PLATFORM(synthetic), .words = yes_no },
	{ .name = NULL },
};

static const struct key cpu_keys[] = {
	{ "vendor", parse_text, OF_PLATFORM(vendor) },
	{ "family", parse_number, OF_PLATFORM(family), .max = 0x10e },
	{ "model", parse_number, OF_PLATFORM(model), .max = 0xff },
	{ "stepping", parse_number, OF_PLATFORM(stepping), .max = 0xf },
	{ "name", parse_text, OF_PLATFORM(model_name) },
	{ "min-frequency", parse_mhz, OF_PLATFORM(min_mhz) },
	{ "max-frequency", parse_mhz, OF_PLATFORM(max_mhz) },
	{ .name = NULL },
};

static const struct key driver_keys[] = {
	{ "device", parse_word, OF_PLATFORM(node), .words = yes_no },
	{ "api-version", parse_number, OF_PLATFORM(api_version), .max = UINT16_MAX },
	{ "driver-version", parse_number, OF_PLATFORM(driver_version), .max = UINT16_MAX },
	{ "max-commands", parse_number, OF_PLATFORM(max_commands), .min = 1, .max = 64 },
	{ "kernel", parse_kernel, OF_PLATFORM(kernel) },
	{ "mailbox", parse_word, OF_PLATFORM(mailbox), .words = mailboxes, .driver = FOR_MAILBOX },
	{ "mmio", parse_device, OF_PLATFORM(mmio), .words = mmio_devices, .driver = FOR_MAILBOX },
	{ "partly-bound", parse_set, OF_PLATFORM(partly_bound), .max = INT16_MAX,
	  .driver = FOR_TPMI },
	{ "unbound", parse_set, OF_PLATFORM(unbound), .max = INT16_MAX, .driver = FOR_TPMI },
	{ "masked-errors", parse_word, OF_PLATFORM(masked_errors), .words = yes_no,
	  .driver = FOR_TPMI },
	{ "level-compare", parse_word, OF_PLATFORM(level_compare), .words = compared_levels,
	  .driver = FOR_TPMI },
	{ .name = NULL },
};

static const struct key topology_keys[] = {
	{ "packages", parse_set, OF_PLATFORM(packages), .max = INT16_MAX },
	{ "dies", parse_number, OF_PLATFORM(dies), .min = 1, .max = 255, .driver = FOR_MAILBOX },
	{ "die-ids", parse_word, OF_PLATFORM(die_ids), .words = die_numberings },
	{ "power-domains", parse_set, OF_PLATFORM(power_domains), .max = MOST_POWER_DOMAINS - 1,
	  .driver = FOR_TPMI },
	{ "cores", parse_set, OF_PLATFORM(cores), .max = CORE_IDS - 1 },
	{ "core-ids", parse_word, OF_PLATFORM(core_ids), .words = core_numberings },
	{ "threads", parse_number, OF_PLATFORM(threads), .min = 1, .max = 8 },
	{ "modules", parse_word, OF_PLATFORM(modules), .words = yes_no, .driver = FOR_TPMI },
	{ "numbering", parse_word, OF_PLATFORM(numbering), .words = numberings },
	{ "first-cpu", parse_number, OF_PLATFORM(first_cpu), .max = MOST_CPUS - 1 },
	{ "cpus", parse_set, OF_PLATFORM(cpu_numbers), .max = MOST_CPUS - 1 },
	{ "offline", parse_set, OF_PLATFORM(offline), .max = MOST_CPUS - 1 },
	{ "possible", parse_set, OF_PLATFORM(possible), .max = MOST_CPUS - 1 },
	{ .name = NULL },
};

static const char *const uncore_ids[] = { "unique", "repeated", NULL };

static const char *const offline_cpufreq[] = { "busy", "readable", "gone", NULL };

static const struct key files_keys[] = {
	{ "die-files", parse_word, OF_PLATFORM(die_files), .words = yes_no },
	{ "cpu0-hotplug", parse_word, OF_PLATFORM(cpu0_hotplug), .words = yes_no },
	{ "cpufreq", parse_text, OF_PLATFORM(cpufreq) },
	{ "governor", parse_text, OF_PLATFORM(governor) },
	{ "offline-cpufreq", parse_word, OF_PLATFORM(offline_cpufreq), .words = offline_cpufreq },
	{ "intel-pstate", parse_text, OF_PLATFORM(pstate) },
	{ "no-turbo", parse_word, OF_PLATFORM(no_turbo), .words = yes_no },
	{ "hwp", parse_word, OF_PLATFORM(hwp), .words = yes_no },
	{ "bios-turbo", parse_word, OF_PLATFORM(bios_turbo), .words = yes_no },
	{ "cpuinfo-follows-turbo", parse_word, OF_PLATFORM(cpuinfo_follows_turbo),
	  .words = yes_no },
	{ "smt", parse_word, OF_PLATFORM(smt), .words = smt_controls },
	{ "refuse-offline", parse_set, OF_PLATFORM(refuse_offline), .max = MOST_CPUS - 1 },
	{ "uncore", parse_word, OF_PLATFORM(uncore), .words = yes_no },
	{ "uncore-writable", parse_word, OF_PLATFORM(uncore_writable), .words = yes_no },
	{ "uncore-ids", parse_word, OF_PLATFORM(uncore_ids), .words = uncore_ids,
	  .driver = FOR_TPMI },
	{ "uncore-follows-level", parse_word, OF_PLATFORM(uncore_follows_level), .words = yes_no },
	{ .name = NULL },
};

static const struct key cgroup_keys[] = {
	{ "tree", parse_word, OF_PLATFORM(cgroup_tree), .words = cgroup_trees },
	{ "cpuset-enabled", parse_word, OF_PLATFORM(cpuset_enabled), .words = yes_no },
	{ "isolated", parse_word, OF_PLATFORM(cgroup_isolated), .words = yes_no },
	{ "isolcpus", parse_set, OF_PLATFORM(isolcpus), .max = MOST_CPUS - 1 },
	{ .name = NULL },
};

static const struct key domain_keys[] = {
	{ "cores", parse_set, OF_DOMAIN(cores), .max = CORE_IDS - 1 },
	{ "perf-profile", parse_word, OF_DOMAIN(perf_profile), .words = yes_no },
	{ "version", parse_number, OF_DOMAIN(version), .max = UINT8_MAX },
	{ "locked", parse_word, OF_DOMAIN(locked), .words = yes_no },
	{ "level", parse_number, OF_DOMAIN(level), .max = UINT8_MAX },
	{ "base-freq-enabled", parse_word, OF_DOMAIN(base_freq_enabled), .words = yes_no },
	{ "turbo-freq-enabled", parse_word, OF_DOMAIN(turbo_freq_enabled), .words = yes_no },
	{ "core-power", parse_word, OF_DOMAIN(core_power), .words = yes_no },
	{ "core-power-enabled", parse_word, OF_DOMAIN(core_power_enabled), .words = yes_no },
	{ "clos-enabled", parse_word, OF_DOMAIN(clos_enabled), .words = yes_no,
	  .driver = FOR_MAILBOX },
	{ "core-power-resets-clos", parse_mask, OF_DOMAIN(clos_resets), .max = CLOS_COUNT - 1 },
	{ "priority", parse_word, OF_DOMAIN(priority), .words = priorities },
	{ "turbo-cores", parse_counts, OF_DOMAIN(turbo_cores) },
	{ "missing-commands", parse_commands, OF_DOMAIN(missing), .driver = FOR_MAILBOX },
	{ "second-half", parse_word, OF_DOMAIN(second_half), .words = yes_no,
	  .driver = FOR_MAILBOX },
	{ "type", parse_word, OF_DOMAIN(type), .words = domain_types, .driver = FOR_TPMI },
	{ "interface-version", parse_number, OF_DOMAIN(interface_version), .max = UINT8_MAX - 1,
	  .driver = FOR_TPMI },
	{ "core-power-version", parse_number, OF_DOMAIN(cp_version), .max = UINT8_MAX,
	  .driver = FOR_TPMI },
	{ "dynamic-switch", parse_word, OF_DOMAIN(dynamic_switch), .words = yes_no,
	  .driver = FOR_TPMI },
	{ "uncore-min", parse_mhz, OF_DOMAIN(uncore_min), .driver = FOR_TPMI },
	{ "uncore-max", parse_mhz, OF_DOMAIN(uncore_max), .driver = FOR_TPMI },
	{ "register", parse_register, OF_DOMAIN(raw), .max = true, .numbered = true,
	  .driver = FOR_TPMI },
	{ "register-bits", parse_register, OF_DOMAIN(raw), .numbered = true, .driver = FOR_TPMI },
	{ .name = NULL },
};

static const struct key clos_keys[] = {
	{ "epp", parse_number, OF_CLOS(epp), .max = 15, .driver = FOR_MAILBOX },
	{ "weight", parse_number, OF_CLOS(weight), .max = 15 },
	{ "min", parse_mhz, OF_CLOS(min) },
	{ "max", parse_mhz, OF_CLOS(max) },
	{ "desired", parse_mhz, OF_CLOS(desired), .driver = FOR_MAILBOX },
	{ "cores", parse_set, OF_CLOS(cores), .max = MASK_CORES - 1, .driver = FOR_TPMI },
	{ .name = NULL },
};

#define PER_TRL_TYPE(name, type) \
	{ "trl-" name, parse_limits, OF_LEVEL(limits[type]) }, \
		{ "turbo-freq-" name, parse_limits, OF_LEVEL(tf_limits[type]) }, \
	{ \
		"turbo-freq-clip-" name, parse_mhz, OF_LEVEL(tf_clip[type]) \
	}

static const struct key level_keys[] = {
	{ "cores", parse_mask, OF_LEVEL(cores), .max = MASK_CORES - 1 },
	{ "power", parse_number, OF_LEVEL(power_w), .max = 0x7fff },
	{ "power-max", parse_number, OF_LEVEL(power_max_w), .max = 0x7fff, .driver = FOR_MAILBOX },
	{ "power-min", parse_number, OF_LEVEL(power_min_w), .max = 0x7fff, .driver = FOR_MAILBOX },
	{ "tdp-ratio", parse_number, OF_LEVEL(tdp_ratio), .max = UINT8_MAX, .driver = FOR_MAILBOX },
	{ "tjunction", parse_number, OF_LEVEL(tjunction_c), .max = UINT8_MAX },
	{ "base", parse_mhz, OF_LEVEL(base[BASE_SSE]) },
	{ "base-avx2", parse_mhz, OF_LEVEL(base[BASE_AVX2]) },
	{ "base-avx512", parse_mhz, OF_LEVEL(base[BASE_AVX512]) },
	{ "base-amx", parse_mhz, OF_LEVEL(base[BASE_AMX]) },
	{ "uncore-max", parse_mhz, OF_LEVEL(uncore_max) },
	{ "uncore-base", parse_mhz, OF_LEVEL(uncore_base) },
	{ "uncore-min", parse_mhz, OF_LEVEL(uncore_min) },
	{ "memory", parse_number, OF_LEVEL(memory), .max = 51000 },
	{ "memory-code", parse_number, OF_LEVEL(memory_code), .max = UINT8_MAX,
	  .driver = FOR_MAILBOX },
	PER_TRL_TYPE("sse", 0),
	PER_TRL_TYPE("avx2", 1),
	PER_TRL_TYPE("avx512", 2),
	PER_TRL_TYPE("level-0", 0),
	PER_TRL_TYPE("level-1", 1),
	PER_TRL_TYPE("level-2", 2),
	PER_TRL_TYPE("level-3", 3),
	PER_TRL_TYPE("level-4", 4),
	PER_TRL_TYPE("level-5", 5),
	{ "base-freq-cores", parse_mask, OF_LEVEL(bf_cores), .max = MASK_CORES - 1 },
	{ "base-freq-high", parse_mhz, OF_LEVEL(bf_high) },
	{ "base-freq-low", parse_mhz, OF_LEVEL(bf_low) },
	{ "base-freq-tjunction", parse_number, OF_LEVEL(bf_tjunction_c), .max = UINT8_MAX },
	{ "base-freq-tcontrol", parse_number, OF_LEVEL(bf_tcontrol_c), .max = UINT8_MAX,
	  .driver = FOR_MAILBOX },
	{ "base-freq-power", parse_number, OF_LEVEL(bf_power_w), .max = UINT16_MAX },
	{ "turbo-freq-cores", parse_counts, OF_LEVEL(tf_cores) },
	{ "enabled", parse_word, OF_LEVEL(enabled), .words = yes_no, .driver = FOR_TPMI },
	{ "allowed", parse_word, OF_LEVEL(allowed), .words = yes_no, .driver = FOR_TPMI },
	{ "power-eighths", parse_number, OF_LEVEL(power_eighths), .max = 7, .driver = FOR_TPMI },
	{ "fused-cores", parse_number, OF_LEVEL(fused_cores), .max = UINT8_MAX,
	  .driver = FOR_TPMI },
	{ "resolved-cores", parse_number, OF_LEVEL(resolved_cores), .max = UINT8_MAX,
	  .driver = FOR_TPMI },
	{ "cooling", parse_number, OF_LEVEL(cooling), .max = 3, .driver = FOR_TPMI },
	{ "p0", parse_mhz, OF_LEVEL(p0), .driver = FOR_TPMI },
	{ "p1", parse_mhz, OF_LEVEL(p1), .driver = FOR_TPMI },
	{ "pn", parse_mhz, OF_LEVEL(pn), .driver = FOR_TPMI },
	{ "pm", parse_mhz, OF_LEVEL(pm), .driver = FOR_TPMI },
	{ "uncore-2-max", parse_mhz, OF_LEVEL(uncore2_max), .driver = FOR_TPMI },
	{ "uncore-2-base", parse_mhz, OF_LEVEL(uncore2_base), .driver = FOR_TPMI },
	{ "uncore-2-min", parse_mhz, OF_LEVEL(uncore2_min), .driver = FOR_TPMI },
	{ "trl-cores", parse_counts, OF_LEVEL(trl_cores), .driver = FOR_TPMI },
	{ "base-freq", parse_word, OF_LEVEL(bf_support), .words = yes_no, .driver = FOR_TPMI },
	{ "base-freq-version", parse_number, OF_LEVEL(bf_version), .max = UINT8_MAX,
	  .driver = FOR_TPMI },
	{ "base-freq-power-eighths", parse_number, OF_LEVEL(bf_power_eighths), .max = 7,
	  .driver = FOR_TPMI },
	{ "turbo-freq", parse_word, OF_LEVEL(tf_support), .words = yes_no, .driver = FOR_TPMI },
	{ "turbo-freq-version", parse_number, OF_LEVEL(tf_version), .max = UINT8_MAX,
	  .driver = FOR_TPMI },
	{ "turbo-freq-modules", parse_modules, OF_LEVEL(tf_modules), .driver = FOR_TPMI },
	{ "register", parse_register, OF_LEVEL(raw), .max = true, .numbered = true,
	  .driver = FOR_TPMI },
	{ "register-bits", parse_register, OF_LEVEL(raw), .numbered = true, .driver = FOR_TPMI },
	{ .name = NULL },
};

const struct section_kind section_kinds[] = {
	{ "platform", TARGET_PLATFORM, platform_keys, 0 },
	{ "cpu", TARGET_PLATFORM, cpu_keys, 0 },
	{ "driver", TARGET_PLATFORM, driver_keys, 0 },
	{ "topology", TARGET_PLATFORM, topology_keys, 0 },
	{ "files", TARGET_PLATFORM, files_keys, 0 },
	{ "cgroup", TARGET_PLATFORM, cgroup_keys, 0 },
	{ "domain", TARGET_DOMAIN, domain_keys, 0 },
	{ "clos", TARGET_CLOS, clos_keys, CLOS_COUNT },
	{ "level", TARGET_LEVEL, level_keys, UINT8_MAX + 1 },
	{ .name = NULL },
};
