/* SPDX-License-Identifier: BSD-3-Clause */
/* The keys of a platform file (docs/internals/platform-file.md has the same tables for readers),
 * and how their values are written. */
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

static int wrong_value(struct platform_file *file, const struct setting *setting, const char *found,
		       const char *expected)
{
	return file_error(file, setting->line, "found \"%s\" for \"%s\", expected %s", found,
			  setting->key->name, expected);
}

char *platform_file_list_names(const void *names, size_t stride)
{
	struct memory_stream text;
	const char *name;

	if (memory_stream_open(&text))
		return NULL;
	for (size_t i = 0;
	     (name = *(const char *const *)(const void *)((const char *)names + i * stride)); i++)
		fprintf(text.stream, "%s%s", i > 0 ? ", " : "", name);
	return memory_stream_text(&text);
}

/* ---- Values, by kinds that many keys share ---- */

static int value_text(struct platform_file *file, const struct setting *setting, void *target)
{
	struct text_value *value = target;
	char *copy;

	if (*setting->value == '\0')
		return file_error(file, setting->line, "found nothing for \"%s\", expected a text",
				  setting->key->name);
	copy = strdup(setting->value);
	if (!copy)
		return -ENOMEM;
	free(value->text);
	value->text = copy;
	value->line = setting->line;
	return 0;
}

static int value_processes(struct platform_file *file, const struct setting *setting, void *target)
{
	const char *word = setting->value;

	while (*word) {
		size_t length = strcspn(word, " \t"), name = strcspn(word, ":");
		uint64_t number = 0;
		char digits[12] = "";

		if (name > 0 && name < length && length - name - 1 < sizeof(digits))
			memcpy(digits, word + name + 1, length - name - 1);
		if (isst_parse_number(digits, 10, INT32_MAX, &number) || number == 0)
			return file_error(file, setting->line,
					  "found \"%.*s\" for \"%s\", expected names and numbers "
					  "such as tuned:812",
					  (int)length, word, setting->key->name);
		word += length;
		word += strspn(word, " \t");
	}
	return value_text(file, setting, target);
}

static int value_number(struct platform_file *file, const struct setting *setting, void *target)
{
	const struct key *key = setting->key;
	uint64_t value;

	if (isst_parse_number(setting->value, 0, key->max, &value) || value < key->min)
		return file_error(file, setting->line,
				  "found \"%s\" for \"%s\", expected a number %u..%u",
				  setting->value, key->name, key->min, key->max);
	*(struct number_value *)target = (struct number_value){ (unsigned int)value,
								setting->line };
	return 0;
}

static int value_word(struct platform_file *file, const struct setting *setting, void *target)
{
	const char *const *words = setting->key->words;
	char *known;
	int error;

	for (unsigned int i = 0; words[i]; i++)
		if (strcmp(words[i], setting->value) == 0) {
			*(struct number_value *)target = (struct number_value){ i, setting->line };
			return 0;
		}
	known = platform_file_list_names(words, sizeof(*words));
	error = known ? file_error(file, setting->line,
				   "found \"%s\" for \"%s\", expected one of %s", setting->value,
				   setting->key->name, known)
		      : -ENOMEM;
	free(known);
	return error;
}

/** A PCI device id, or none. */
static int value_device(struct platform_file *file, const struct setting *setting, void *target)
{
	struct number_value *value = target;
	int error = value_word(file, setting, target);

	if (!error && value->value)
		value->value = (unsigned int)strtoul(setting->value, NULL, 16);
	return error;
}

/** Frequencies travel as ratios of 100 MHz in 8 bits. */
static int parse_mhz(struct platform_file *file, const struct setting *setting, const char *text,
		     unsigned int *mhz)
{
	uint64_t value;

	if (isst_parse_number(text, 10, 25500, &value) || value % 100 != 0)
		return wrong_value(file, setting, text, "a multiple of 100 MHz up to 25500");
	*mhz = (unsigned int)value;
	return 0;
}

static int value_mhz(struct platform_file *file, const struct setting *setting, void *target)
{
	struct number_value value = { .line = setting->line };
	int error = parse_mhz(file, setting, setting->value, &value.value);

	if (!error)
		*(struct number_value *)target = value;
	return error;
}

/** Up to eight values, one for each bucket; @expected NULL: frequencies. */
static int parse_buckets(struct platform_file *file, const struct setting *setting,
			 struct list_value *target, unsigned int max, const char *expected)
{
	struct list_value value = { .line = setting->line };
	char *copy = strdup(setting->value), *rest = NULL;
	int error = copy ? 0 : -ENOMEM;
	char *word = copy ? strtok_r(copy, " \t", &rest) : NULL;
	uint64_t number;

	for (; word && !error; word = strtok_r(NULL, " \t", &rest)) {
		if (value.count == BUCKETS)
			error = file_error(file, setting->line,
					   "found \"%s\" as a ninth value, expected at most eight "
					   "buckets",
					   word);
		else if (!expected)
			error = parse_mhz(file, setting, word, &value.value[value.count++]);
		else if (isst_parse_number(word, 10, max, &number))
			error = wrong_value(file, setting, word, expected);
		else
			value.value[value.count++] = (unsigned int)number;
	}
	if (!error && value.count == 0)
		error = file_error(file, setting->line,
				   "found nothing for \"%s\", expected up to eight numbers",
				   setting->key->name);
	if (!error)
		*target = value;
	free(copy);
	return error;
}

static int value_limits(struct platform_file *file, const struct setting *setting, void *target)
{
	return parse_buckets(file, setting, target, 0, NULL);
}

static int value_counts(struct platform_file *file, const struct setting *setting, void *target)
{
	return parse_buckets(file, setting, target, UINT8_MAX, "numbers of cores 0..255");
}

/** The register holds three buckets. */
static int value_modules(struct platform_file *file, const struct setting *setting, void *target)
{
	struct list_value *value = target;
	int error = parse_buckets(file, setting, value, UINT16_MAX, "numbers of modules 0..65535");

	if (!error && value->count > 3)
		error = file_error(file, setting->line,
				   "found %u values for \"%s\", expected up to three", value->count,
				   setting->key->name);
	return error;
}

static int parse_list(struct platform_file *file, const struct setting *setting,
		      struct isst_cpuset **set)
{
	const char *bad = setting->value;
	unsigned int number;
	int error;

	*set = isst_cpuset_new();
	error = *set ? isst_cpuset_add_list(*set, setting->value, &bad) : -ENOMEM;
	if (error && error != -ENOMEM)
		error = wrong_value(file, setting, bad, "a list such as 0-3,8");
	else if (!error && isst_cpuset_next(*set, setting->key->max + 1, &number))
		error = file_error(file, setting->line,
				   "found %u for \"%s\", expected numbers up to %u", number,
				   setting->key->name, setting->key->max);
	if (error)
		isst_cpuset_free(*set);
	return error;
}

static int value_set(struct platform_file *file, const struct setting *setting, void *target)
{
	struct set_value *value = target;
	struct isst_cpuset *set;
	int error = parse_list(file, setting, &set);

	if (error)
		return error;
	isst_cpuset_free(value->set);
	*value = (struct set_value){ set, setting->line };
	return 0;
}

static int value_mask(struct platform_file *file, const struct setting *setting, void *target)
{
	struct mask_value value = { .line = setting->line };
	struct isst_cpuset *set;
	unsigned int core;
	int error = parse_list(file, setting, &set);

	if (error)
		return error;
	isst_cpuset_for_each (core, set)
		value.cores |= UINT64_C(1) << core;
	*(struct mask_value *)target = value;
	isst_cpuset_free(set);
	return 0;
}

/** `6.12` */
static int value_kernel(struct platform_file *file, const struct setting *setting, void *target)
{
	uint64_t major, minor;
	const char *rest = number_before(setting->value, '.', 10, 999, &major);

	if (!rest || isst_parse_number(rest, 10, 999, &minor))
		return wrong_value(file, setting, setting->value, "a release such as 6.12");
	*(struct number_value *)target = (struct number_value){
		KERNEL((unsigned int)major, (unsigned int)minor), setting->line
	};
	return 0;
}

/** `0x7f/0x0c 0x7f/0x0a` */
static int value_commands(struct platform_file *file, const struct setting *setting, void *target)
{
	struct commands_value value = { .line = setting->line };
	char *copy = strdup(setting->value), *rest = NULL;
	int error = copy ? 0 : -ENOMEM;
	char *word = copy ? strtok_r(copy, " \t", &rest) : NULL;

	for (; word && !error; word = strtok_r(NULL, " \t", &rest)) {
		uint64_t number, sub;
		const char *slash = number_before(word, '/', 16, UINT8_MAX, &number);

		if (value.count == COMMANDS || !slash ||
		    isst_parse_number(slash, 16, UINT8_MAX, &sub))
			error = wrong_value(file, setting, setting->value,
					    "commands such as 0x7f/0x0c");
		else
			value.command[value.count++] = (uint16_t)(number << 8 | sub);
	}
	if (!error)
		*(struct commands_value *)target = value;
	free(copy);
	return error;
}

/** `0x90 0x240000`: a register and its value. */
static int value_register(struct platform_file *file, const struct setting *setting, void *target)
{
	struct raw_value *raw = target;
	const char *name = setting->key->name;
	char *copy = strdup(setting->value), *rest = NULL;
	char *number = copy ? strtok_r(copy, " \t", &rest) : NULL;
	char *value = number ? strtok_r(NULL, " \t", &rest) : NULL;
	uint64_t offset, word;
	int error = 0;

	if (!copy)
		return -ENOMEM;
	if (raw->count == RAW_REGISTERS)
		error = file_error(file, setting->line, "found \"%s\", expected at most %d of them",
				   name, RAW_REGISTERS);
	else if (!value || strtok_r(NULL, " \t", &rest) ||
		 isst_parse_number(number, 0, UINT16_MAX, &offset) || offset % 8 != 0 ||
		 isst_parse_number(value, 0, UINT64_MAX, &word))
		error = file_error(file, setting->line,
				   "found \"%s\" for \"%s\", expected an offset that is a multiple "
				   "of 8 and a value of 64 bits, such as \"%s 0x90 = 0x240000\"",
				   setting->value, name, name);
	else
		raw->registers[raw->count++] = (struct raw_register){ (unsigned int)offset,
								      setting->key->max, word,
								      setting->line };
	free(copy);
	return error;
}

/* ---- Keys ---- */

const char *const smt_controls[] = {
	"on", "off", "forceoff", "notsupported", "notimplemented", NULL
};
static const char *const yes_no[] = { "no", "yes", NULL };
static const char *const mailboxes[] = { "none", "pci", "msr", NULL };
static const char *const mmio_devices[] = { "none", "0x3451", "0x3251", NULL };
static const char *const numberings[] = { "blocks", "adjacent", "alternating", NULL };
static const char *const die_numberings[] = { "per-package", "across", "power-domain", NULL };
static const char *const core_numberings[] = { "same", "dense", "spread", NULL };
static const char *const domain_types[] = { "compute", "io", "absent", NULL };
static const char *const compared_levels[] = { "status", "control", NULL };
static const char *const lockdowns[] = { "none", "integrity", "confidentiality", NULL };
static const char *const cgroup_trees[] = { "none", "no-cpuset", "hybrid", "v2", NULL };
static const char *const priorities[] = { "proportional", "ordered", NULL };

#define PLATFORM(field) .offset = offsetof(struct platform, field)
#define DOMAIN(field) .offset = offsetof(struct platform_domain, field)
#define CLOS(field) .offset = offsetof(struct platform_clos, field)
#define LEVEL(field) .offset = offsetof(struct platform_level, field)

static const struct key platform_keys[] = {
	{ "title", value_text, PLATFORM(title) },
	{ "synthetic", value_word, PLATFORM(synthetic), .words = yes_no },
	{ .name = NULL },
};

static const struct key cpu_keys[] = {
	{ "vendor", value_text, PLATFORM(vendor) },
	{ "family", value_number, PLATFORM(family), .max = 0x10e },
	{ "model", value_number, PLATFORM(model), .max = 0xff },
	{ "stepping", value_number, PLATFORM(stepping), .max = 0xf },
	{ "name", value_text, PLATFORM(model_name) },
	{ "min-frequency", value_mhz, PLATFORM(min_mhz) },
	{ "max-frequency", value_mhz, PLATFORM(max_mhz) },
	{ .name = NULL },
};

static const struct key driver_keys[] = {
	{ "device", value_word, PLATFORM(node), .words = yes_no },
	{ "api-version", value_number, PLATFORM(api_version), .max = UINT16_MAX },
	{ "driver-version", value_number, PLATFORM(driver_version), .max = UINT16_MAX },
	{ "max-commands", value_number, PLATFORM(max_commands), .min = 1, .max = 64 },
	{ "kernel", value_kernel, PLATFORM(kernel) },
	{ "mailbox", value_word, PLATFORM(mailbox), .words = mailboxes, .only = MAILBOX },
	{ "mmio", value_device, PLATFORM(mmio), .words = mmio_devices, .only = MAILBOX },
	{ "partly-bound", value_set, PLATFORM(partly_bound), .max = INT16_MAX, .only = TPMI },
	{ "unbound", value_set, PLATFORM(unbound), .max = INT16_MAX, .only = TPMI },
	{ "masked-errors", value_word, PLATFORM(masked_errors), .words = yes_no, .only = TPMI },
	{ "level-compare", value_word, PLATFORM(level_compare), .words = compared_levels,
	  .only = TPMI },
	{ .name = NULL },
};

static const struct key topology_keys[] = {
	{ "packages", value_set, PLATFORM(packages), .max = INT16_MAX },
	{ "dies", value_number, PLATFORM(dies), .min = 1, .max = 255, .only = MAILBOX },
	{ "die-ids", value_word, PLATFORM(die_ids), .words = die_numberings },
	{ "power-domains", value_set, PLATFORM(power_domains), .max = MOST_POWER_DOMAINS - 1,
	  .only = TPMI },
	{ "cores", value_set, PLATFORM(cores), .max = CORE_IDS - 1 },
	{ "core-ids", value_word, PLATFORM(core_ids), .words = core_numberings },
	{ "threads", value_number, PLATFORM(threads), .min = 1, .max = 8 },
	{ "modules", value_word, PLATFORM(modules), .words = yes_no, .only = TPMI },
	{ "numbering", value_word, PLATFORM(numbering), .words = numberings },
	{ "first-cpu", value_number, PLATFORM(first_cpu), .max = MOST_CPUS - 1 },
	{ "cpus", value_set, PLATFORM(cpu_numbers), .max = MOST_CPUS - 1 },
	{ "offline", value_set, PLATFORM(offline), .max = MOST_CPUS - 1 },
	{ "possible", value_set, PLATFORM(possible), .max = MOST_CPUS - 1 },
	{ .name = NULL },
};

static const char *const uncore_ids[] = { "unique", "repeated", NULL };

static const char *const offline_cpufreq[] = { "busy", "readable", "gone", NULL };

static const struct key files_keys[] = {
	{ "die-files", value_word, PLATFORM(die_files), .words = yes_no },
	{ "cpu0-hotplug", value_word, PLATFORM(cpu0_hotplug), .words = yes_no },
	{ "cpufreq", value_text, PLATFORM(cpufreq) },
	{ "governor", value_text, PLATFORM(governor) },
	{ "offline-cpufreq", value_word, PLATFORM(offline_cpufreq), .words = offline_cpufreq },
	{ "intel-pstate", value_text, PLATFORM(pstate) },
	{ "no-turbo", value_word, PLATFORM(no_turbo), .words = yes_no },
	{ "hwp", value_word, PLATFORM(hwp), .words = yes_no },
	{ "bios-turbo", value_word, PLATFORM(bios_turbo), .words = yes_no },
	{ "bios-limit", value_mhz, PLATFORM(bios_limit_mhz) },
	{ "cpuinfo-follows-turbo", value_word, PLATFORM(cpuinfo_follows_turbo), .words = yes_no },
	{ "smt", value_word, PLATFORM(smt), .words = smt_controls },
	{ "refuse-offline", value_set, PLATFORM(refuse_offline), .max = MOST_CPUS - 1 },
	{ "powercap", value_word, PLATFORM(powercap), .words = yes_no },
	{ "uncore", value_word, PLATFORM(uncore), .words = yes_no },
	{ "uncore-writable", value_word, PLATFORM(uncore_writable), .words = yes_no },
	{ "uncore-ids", value_word, PLATFORM(uncore_ids), .words = uncore_ids, .only = TPMI },
	{ "uncore-elc", value_word, PLATFORM(uncore_elc), .words = yes_no, .only = TPMI },
	{ "uncore-follows-level", value_word, PLATFORM(uncore_follows_level), .words = yes_no },
	{ .name = NULL },
};

static const struct key cgroup_keys[] = {
	{ "tree", value_word, PLATFORM(cgroup_tree), .words = cgroup_trees },
	{ "cpuset-enabled", value_word, PLATFORM(cpuset_enabled), .words = yes_no },
	{ "isolated", value_word, PLATFORM(cgroup_isolated), .words = yes_no },
	{ "isolcpus", value_set, PLATFORM(isolcpus), .max = MOST_CPUS - 1 },
	{ "nohz-full", value_set, PLATFORM(nohz_full), .max = MOST_CPUS - 1 },
	{ .name = NULL },
};

static const struct key system_keys[] = {
	{ "processes", value_processes, PLATFORM(processes) },
	{ "services", value_text, PLATFORM(services) },
	{ "container", value_text, PLATFORM(container) },
	{ "command-line", value_text, PLATFORM(command_line) },
	{ "lockdown", value_word, PLATFORM(lockdown), .words = lockdowns },
	{ .name = NULL },
};

static const struct key domain_keys[] = {
	{ "cores", value_set, DOMAIN(cores), .max = CORE_IDS - 1 },
	{ "perf-profile", value_word, DOMAIN(perf_profile), .words = yes_no },
	{ "version", value_number, DOMAIN(version), .max = UINT8_MAX },
	{ "locked", value_word, DOMAIN(locked), .words = yes_no },
	{ "level", value_number, DOMAIN(level), .max = UINT8_MAX },
	{ "base-freq-enabled", value_word, DOMAIN(base_freq_enabled), .words = yes_no },
	{ "turbo-freq-enabled", value_word, DOMAIN(turbo_freq_enabled), .words = yes_no },
	{ "core-power", value_word, DOMAIN(core_power), .words = yes_no },
	{ "core-power-enabled", value_word, DOMAIN(core_power_enabled), .words = yes_no },
	{ "clos-enabled", value_word, DOMAIN(clos_enabled), .words = yes_no, .only = MAILBOX },
	{ "core-power-resets-clos", value_mask, DOMAIN(clos_resets), .max = CLOS_COUNT - 1 },
	{ "undefined-clos-cores", value_mask, DOMAIN(undefined_clos), .max = MASK_CORES - 1,
	  .only = TPMI },
	{ "turbo-freq-uses-clos", value_word, DOMAIN(turbo_freq_uses_clos), .words = yes_no },
	{ "priority", value_word, DOMAIN(priority), .words = priorities },
	{ "turbo-cores", value_counts, DOMAIN(turbo_cores) },
	{ "missing-commands", value_commands, DOMAIN(missing), .only = MAILBOX },
	{ "limit-reasons", value_text, DOMAIN(limit_reasons), .only = TPMI },
	{ "limited-cores", value_mask, DOMAIN(limited_cores), .max = MASK_CORES - 1, .only = TPMI },
	{ "limit-register", value_number, DOMAIN(limit_register), .max = UINT32_MAX,
	  .only = MAILBOX },
	{ "throttle-count", value_number, DOMAIN(throttle_count), .max = UINT32_MAX },
	{ "power-limit", value_number, DOMAIN(power_limit_w), .min = 1, .max = 3500 },
	{ "power-draw", value_number, DOMAIN(power_draw_w), .max = 0x7fff },
	{ "power-limit-frequency", value_mhz, DOMAIN(power_limited_mhz) },
	{ "second-half", value_word, DOMAIN(second_half), .words = yes_no, .only = MAILBOX },
	{ "type", value_word, DOMAIN(type), .words = domain_types, .only = TPMI },
	{ "interface-version", value_number, DOMAIN(interface_version), .max = UINT8_MAX - 1,
	  .only = TPMI },
	{ "core-power-version", value_number, DOMAIN(cp_version), .max = UINT8_MAX, .only = TPMI },
	{ "dynamic-switch", value_word, DOMAIN(dynamic_switch), .words = yes_no, .only = TPMI },
	{ "uncore-min", value_mhz, DOMAIN(uncore_min), .only = TPMI },
	{ "uncore-max", value_mhz, DOMAIN(uncore_max), .only = TPMI },
	{ "register", value_register, DOMAIN(raw), .max = true, .numbered = true, .only = TPMI },
	{ "register-bits", value_register, DOMAIN(raw), .numbered = true, .only = TPMI },
	{ .name = NULL },
};

static const struct key clos_keys[] = {
	{ "epp", value_number, CLOS(epp), .max = 15, .only = MAILBOX },
	{ "weight", value_number, CLOS(weight), .max = 15 },
	{ "min", value_mhz, CLOS(min) },
	{ "max", value_mhz, CLOS(max) },
	{ "desired", value_mhz, CLOS(desired), .only = MAILBOX },
	{ "cores", value_set, CLOS(cores), .max = MASK_CORES - 1, .only = TPMI },
	{ .name = NULL },
};

#define PER_TRL_TYPE(name, type) \
	{ "trl-" name, value_limits, LEVEL(limits[type]) }, \
		{ "turbo-freq-" name, value_limits, LEVEL(tf_limits[type]) }, \
	{ \
		"turbo-freq-clip-" name, value_mhz, LEVEL(tf_clip[type]) \
	}

static const struct key level_keys[] = {
	{ "cores", value_mask, LEVEL(cores), .max = MASK_CORES - 1 },
	{ "power", value_number, LEVEL(power_w), .max = 0x7fff },
	{ "power-max", value_number, LEVEL(power_max_w), .max = 0x7fff, .only = MAILBOX },
	{ "power-min", value_number, LEVEL(power_min_w), .max = 0x7fff, .only = MAILBOX },
	{ "tdp-ratio", value_number, LEVEL(tdp_ratio), .max = UINT8_MAX, .only = MAILBOX },
	{ "tjunction", value_number, LEVEL(tjunction_c), .max = UINT8_MAX },
	{ "base", value_mhz, LEVEL(base[BASE_SSE]) },
	{ "base-avx2", value_mhz, LEVEL(base[BASE_AVX2]) },
	{ "base-avx512", value_mhz, LEVEL(base[BASE_AVX512]) },
	{ "base-amx", value_mhz, LEVEL(base[BASE_AMX]) },
	{ "uncore-max", value_mhz, LEVEL(uncore_max) },
	{ "uncore-base", value_mhz, LEVEL(uncore_base) },
	{ "uncore-min", value_mhz, LEVEL(uncore_min) },
	{ "memory", value_number, LEVEL(memory), .max = 51000 },
	{ "memory-code", value_number, LEVEL(memory_code), .max = UINT8_MAX, .only = MAILBOX },
	PER_TRL_TYPE("sse", 0),
	PER_TRL_TYPE("avx2", 1),
	PER_TRL_TYPE("avx512", 2),
	PER_TRL_TYPE("amx", 3),
	PER_TRL_TYPE("level-0", 0),
	PER_TRL_TYPE("level-1", 1),
	PER_TRL_TYPE("level-2", 2),
	PER_TRL_TYPE("level-3", 3),
	PER_TRL_TYPE("level-4", 4),
	PER_TRL_TYPE("level-5", 5),
	{ "base-freq-cores", value_mask, LEVEL(bf_cores), .max = MASK_CORES - 1 },
	{ "base-freq-high", value_mhz, LEVEL(bf_high) },
	{ "base-freq-low", value_mhz, LEVEL(bf_low) },
	{ "base-freq-tjunction", value_number, LEVEL(bf_tjunction_c), .max = UINT8_MAX },
	{ "base-freq-tcontrol", value_number, LEVEL(bf_tcontrol_c), .max = UINT8_MAX,
	  .only = MAILBOX },
	{ "base-freq-power", value_number, LEVEL(bf_power_w), .max = UINT16_MAX },
	{ "turbo-freq-cores", value_counts, LEVEL(tf_cores) },
	{ "enabled", value_word, LEVEL(enabled), .words = yes_no, .only = TPMI },
	{ "allowed", value_word, LEVEL(allowed), .words = yes_no, .only = TPMI },
	{ "power-eighths", value_number, LEVEL(power_eighths), .max = 7, .only = TPMI },
	{ "fused-cores", value_number, LEVEL(fused_cores), .max = UINT8_MAX, .only = TPMI },
	{ "resolved-cores", value_number, LEVEL(resolved_cores), .max = UINT8_MAX, .only = TPMI },
	{ "cooling", value_number, LEVEL(cooling), .max = 3, .only = TPMI },
	{ "p0", value_mhz, LEVEL(p0), .only = TPMI },
	{ "p1", value_mhz, LEVEL(p1), .only = TPMI },
	{ "pn", value_mhz, LEVEL(pn), .only = TPMI },
	{ "pm", value_mhz, LEVEL(pm), .only = TPMI },
	{ "uncore-2-max", value_mhz, LEVEL(uncore2_max), .only = TPMI },
	{ "uncore-2-base", value_mhz, LEVEL(uncore2_base), .only = TPMI },
	{ "uncore-2-min", value_mhz, LEVEL(uncore2_min), .only = TPMI },
	{ "trl-cores", value_counts, LEVEL(trl_cores), .only = TPMI },
	{ "base-freq", value_word, LEVEL(bf_support), .words = yes_no, .only = TPMI },
	{ "base-freq-version", value_number, LEVEL(bf_version), .max = UINT8_MAX, .only = TPMI },
	{ "base-freq-power-eighths", value_number, LEVEL(bf_power_eighths), .max = 7,
	  .only = TPMI },
	{ "turbo-freq", value_word, LEVEL(tf_support), .words = yes_no, .only = TPMI },
	{ "turbo-freq-version", value_number, LEVEL(tf_version), .max = UINT8_MAX, .only = TPMI },
	{ "turbo-freq-modules", value_modules, LEVEL(tf_modules), .only = TPMI },
	{ "register", value_register, LEVEL(raw), .max = true, .numbered = true, .only = TPMI },
	{ "register-bits", value_register, LEVEL(raw), .numbered = true, .only = TPMI },
	{ .name = NULL },
};

const struct section_kind platform_sections[] = {
	{ "platform", TARGET_PLATFORM, platform_keys, 0 },
	{ "cpu", TARGET_PLATFORM, cpu_keys, 0 },
	{ "driver", TARGET_PLATFORM, driver_keys, 0 },
	{ "topology", TARGET_PLATFORM, topology_keys, 0 },
	{ "files", TARGET_PLATFORM, files_keys, 0 },
	{ "cgroup", TARGET_PLATFORM, cgroup_keys, 0 },
	{ "system", TARGET_PLATFORM, system_keys, 0 },
	{ "domain", TARGET_DOMAIN, domain_keys, 0 },
	{ "clos", TARGET_CLOS, clos_keys, CLOS_COUNT },
	{ "level", TARGET_LEVEL, level_keys, UINT8_MAX + 1 },
	{ .name = NULL },
};

int platform_file_apply(struct platform_file *file, size_t index, void *target)
{
	int error = 0;

	for (size_t i = file->sections[index].first_setting; i < file->setting_count && !error;
	     i++) {
		const struct setting *setting = &file->settings[i];

		if (setting->section != index)
			break;
		error = setting->key->parse(file, setting, (char *)target + setting->key->offset);
	}
	return error;
}

void platform_file_free_values(enum section_target target, void *of)
{
	for (const struct section_kind *kind = platform_sections; kind->name; kind++) {
		for (const struct key *key = kind->keys; key->name && kind->target == target;
		     key++) {
			void *value = (char *)of + key->offset;

			if (key->parse == value_set)
				isst_cpuset_free(((struct set_value *)value)->set);
			else if (key->parse == value_text || key->parse == value_processes)
				free(((struct text_value *)value)->text);
		}
	}
}
