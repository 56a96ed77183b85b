/* SPDX-License-Identifier: BSD-3-Clause */
/* The keys of a platform file (docs/internals/platform-file.md has the same tables for readers),
 * and how their values are written. */
#include "common/memory_stream.h"
#include "common/number.h"
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
		if (number_parse(digits, 10, INT32_MAX, &number) || number == 0)
			return file_error(file, setting->line,
					  "found \"%.*s\" for \"%s\", expected names and numbers "
					  "such as tuned:812",
					  (int)length, word, setting->key->name);
		word += length;
		word += strspn(word, " \t");
	}
	return value_text(file, setting, target);
}

/** A number, a frequency (ratios of 100 MHz travel in 8 bits) or a word. */
static int parse_one(struct platform_file *file, const struct setting *setting, const char *text,
		     unsigned int *found)
{
	const struct key *key = setting->key;
	uint64_t value;
	char *known;
	int error;

	if (!key->words) {
		const bool number = !number_parse(text, key->step ? 10 : 0, key->max, &value);

		if (number && value >= key->min && (!key->step || value % key->step == 0)) {
			*found = (unsigned int)value;
			return 0;
		}
		if (key->step)
			return wrong_value(file, setting, text,
					   "a multiple of 100 MHz up to 25500");
		return file_error(file, setting->line,
				  "found \"%s\" for \"%s\", expected a number %u..%u", text,
				  key->name, key->min, key->max);
	}
	for (unsigned int i = 0; key->words[i]; i++)
		if (strcmp(key->words[i], text) == 0) {
			/* Of devices it is the number itself. */
			*found = text[1] == 'x' ? (unsigned int)strtoul(text, NULL, 16) : i;
			return 0;
		}
	known = platform_file_list_names(key->words, sizeof(*key->words));
	error = known ? file_error(file, setting->line,
				   "found \"%s\" for \"%s\", expected one of %s", text, key->name,
				   known)
		      : -ENOMEM;
	free(known);
	return error;
}

static int value_one(struct platform_file *file, const struct setting *setting, void *target)
{
	struct number_value value = { .line = setting->line };
	int error = parse_one(file, setting, setting->value, &value.value);

	if (!error)
		*(struct number_value *)target = value;
	return error;
}

/** Numbers or frequencies, one for each bucket. */
static int value_list(struct platform_file *file, const struct setting *setting, void *target)
{
	const unsigned int most = setting->key->most ? setting->key->most : BUCKETS;
	struct list_value value = { .line = setting->line };
	char *copy = strdup(setting->value), *rest = NULL;
	int error = copy ? 0 : -ENOMEM;
	char *word = copy ? strtok_r(copy, " \t", &rest) : NULL;

	if (copy && !word)
		error = file_error(file, setting->line,
				   "found nothing for \"%s\", expected up to %u numbers",
				   setting->key->name, most);
	for (; word && !error; word = strtok_r(NULL, " \t", &rest))
		error = value.count < most
				? parse_one(file, setting, word, &value.value[value.count++])
				: file_error(file, setting->line,
					     "found \"%s\" as value %u of \"%s\", expected at "
					     "most %u",
					     word, most + 1, setting->key->name, most);
	if (!error)
		*(struct list_value *)target = value;
	free(copy);
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

	if (!rest || number_parse(rest, 10, 999, &minor))
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

		if (value.count == COMMANDS || !slash || number_parse(slash, 16, UINT8_MAX, &sub))
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
		 number_parse(number, 0, UINT16_MAX, &offset) || offset % 8 != 0 ||
		 number_parse(value, 0, UINT64_MAX, &word))
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

#define MHZ .max = 25500, .step = 100, .unit = 100

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
	{ "title", value_text, PLATFORM(title), .text = "" },
	{ "synthetic", value_one, PLATFORM(synthetic), .words = yes_no },
	{ .name = NULL },
};

static const struct key cpu_keys[] = {
	{ "vendor", value_text, PLATFORM(vendor), .text = "GenuineIntel" },
	{ "family", value_one, PLATFORM(family), .max = 0x10e, .otherwise = 6 },
	{ "model", value_one, PLATFORM(model), .max = 0xff },
	{ "stepping", value_one, PLATFORM(stepping), .max = 0xf },
	{ "name", value_text, PLATFORM(model_name), .text = "Intel(R) Xeon(R) Processor" },
	{ "min-frequency", value_one, PLATFORM(min_mhz), MHZ, .otherwise = 800 },
	{ "max-frequency", value_one, PLATFORM(max_mhz), MHZ },
	{ .name = NULL },
};

static const struct key driver_keys[] = {
	{ "device", value_one, PLATFORM(node), .words = yes_no, .otherwise = 1 },
	{ "api-version", value_one, PLATFORM(api_version), .max = UINT16_MAX, .otherwise = 1 },
	{ "driver-version", value_one, PLATFORM(driver_version), .max = UINT16_MAX,
	  .otherwise = 1 },
	{ "max-commands", value_one, PLATFORM(max_commands), .min = 1, .max = 64, .otherwise = 64 },
	{ "kernel", value_kernel, PLATFORM(kernel), .otherwise = KERNEL(6, 12) },
	{ "mailbox", value_one, PLATFORM(mailbox), .words = mailboxes, .only = MAILBOX,
	  .otherwise = MAILBOX_PCI },
	{ "mmio", value_one, PLATFORM(mmio), .words = mmio_devices, .only = MAILBOX },
	{ "partly-bound", value_set, PLATFORM(partly_bound), .max = INT16_MAX, .only = TPMI },
	{ "unbound", value_set, PLATFORM(unbound), .max = INT16_MAX, .only = TPMI },
	{ "masked-errors", value_one, PLATFORM(masked_errors), .words = yes_no, .only = TPMI,
	  .otherwise = 1 },
	{ "level-compare", value_one, PLATFORM(level_compare), .words = compared_levels,
	  .only = TPMI },
	{ .name = NULL },
};

static const struct key topology_keys[] = {
	{ "packages", value_set, PLATFORM(packages), .max = INT16_MAX },
	{ "dies", value_one, PLATFORM(dies), .min = 1, .max = 255, .only = MAILBOX,
	  .otherwise = 1 },
	{ "die-ids", value_one, PLATFORM(die_ids), .words = die_numberings },
	{ "power-domains", value_set, PLATFORM(power_domains), .max = MOST_POWER_DOMAINS - 1,
	  .only = TPMI },
	{ "cores", value_set, PLATFORM(cores), .max = CORE_IDS - 1 },
	{ "core-ids", value_one, PLATFORM(core_ids), .words = core_numberings },
	{ "threads", value_one, PLATFORM(threads), .min = 1, .max = 8, .otherwise = 1 },
	{ "modules", value_one, PLATFORM(modules), .words = yes_no, .only = TPMI },
	{ "numbering", value_one, PLATFORM(numbering), .words = numberings },
	{ "first-cpu", value_one, PLATFORM(first_cpu), .max = MOST_CPUS - 1 },
	{ "cpus", value_set, PLATFORM(cpu_numbers), .max = MOST_CPUS - 1 },
	{ "offline", value_set, PLATFORM(offline), .max = MOST_CPUS - 1 },
	{ "possible", value_set, PLATFORM(possible), .max = MOST_CPUS - 1 },
	{ .name = NULL },
};

static const char *const uncore_ids[] = { "unique", "repeated", NULL };

static const char *const offline_cpufreq[] = { "busy", "readable", "gone", NULL };

static const struct key files_keys[] = {
	{ "die-files", value_one, PLATFORM(die_files), .words = yes_no, .otherwise = 1 },
	{ "cpu0-hotplug", value_one, PLATFORM(cpu0_hotplug), .words = yes_no },
	{ "cpufreq", value_text, PLATFORM(cpufreq), .text = "intel_pstate" },
	{ "governor", value_text, PLATFORM(governor), .text = "powersave" },
	{ "offline-cpufreq", value_one, PLATFORM(offline_cpufreq), .words = offline_cpufreq },
	{ "intel-pstate", value_text, PLATFORM(pstate), .text = "active" },
	{ "no-turbo", value_one, PLATFORM(no_turbo), .words = yes_no },
	{ "hwp", value_one, PLATFORM(hwp), .words = yes_no, .otherwise = 1 },
	{ "bios-turbo", value_one, PLATFORM(bios_turbo), .words = yes_no, .otherwise = 1 },
	{ "bios-limit", value_one, PLATFORM(bios_limit_mhz), MHZ },
	{ "cpuinfo-follows-turbo", value_one, PLATFORM(cpuinfo_follows_turbo), .words = yes_no,
	  .otherwise = 1 },
	{ "smt", value_one, PLATFORM(smt), .words = smt_controls },
	{ "refuse-offline", value_set, PLATFORM(refuse_offline), .max = MOST_CPUS - 1 },
	{ "powercap", value_one, PLATFORM(powercap), .words = yes_no, .otherwise = 1 },
	{ "uncore", value_one, PLATFORM(uncore), .words = yes_no, .otherwise = 1 },
	{ "uncore-writable", value_one, PLATFORM(uncore_writable), .words = yes_no,
	  .otherwise = 1 },
	{ "uncore-ids", value_one, PLATFORM(uncore_ids), .words = uncore_ids, .only = TPMI },
	{ "uncore-elc", value_one, PLATFORM(uncore_elc), .words = yes_no, .only = TPMI,
	  .otherwise = 1 },
	{ "uncore-follows-level", value_one, PLATFORM(uncore_follows_level), .words = yes_no },
	{ .name = NULL },
};

static const struct key cgroup_keys[] = {
	{ "tree", value_one, PLATFORM(cgroup_tree), .words = cgroup_trees, .otherwise = CGROUP_V2 },
	{ "cpuset-enabled", value_one, PLATFORM(cpuset_enabled), .words = yes_no },
	{ "isolated", value_one, PLATFORM(cgroup_isolated), .words = yes_no },
	{ "isolcpus", value_set, PLATFORM(isolcpus), .max = MOST_CPUS - 1 },
	{ "nohz-full", value_set, PLATFORM(nohz_full), .max = MOST_CPUS - 1 },
	{ .name = NULL },
};

static const struct key system_keys[] = {
	{ "processes", value_processes, PLATFORM(processes) },
	{ "services", value_text, PLATFORM(services) },
	{ "container", value_text, PLATFORM(container) },
	{ "command-line", value_text, PLATFORM(command_line), .text = "ro" },
	{ "lockdown", value_one, PLATFORM(lockdown), .words = lockdowns },
	{ .name = NULL },
};

static const struct key domain_keys[] = {
	{ "cores", value_set, DOMAIN(cores), .max = CORE_IDS - 1 },
	{ "perf-profile", value_one, DOMAIN(perf_profile), .words = yes_no, .otherwise = 1 },
	{ "version", value_one, DOMAIN(version), .max = UINT8_MAX, .otherwise = 3,
	  .field = PP_REVISION },
	{ "locked", value_one, DOMAIN(locked), .words = yes_no },
	{ "level", value_one, DOMAIN(level), .max = UINT8_MAX },
	{ "base-freq-enabled", value_one, DOMAIN(base_freq_enabled), .words = yes_no },
	{ "turbo-freq-enabled", value_one, DOMAIN(turbo_freq_enabled), .words = yes_no },
	{ "core-power", value_one, DOMAIN(core_power), .words = yes_no, .otherwise = 1 },
	{ "core-power-enabled", value_one, DOMAIN(core_power_enabled), .words = yes_no },
	{ "clos-enabled", value_one, DOMAIN(clos_enabled), .words = yes_no, .only = MAILBOX },
	{ "core-power-resets-clos", value_mask, DOMAIN(clos_resets), .max = CLOS_COUNT - 1 },
	{ "undefined-clos-cores", value_mask, DOMAIN(undefined_clos), .max = MASK_CORES - 1,
	  .only = TPMI },
	{ "turbo-freq-uses-clos", value_one, DOMAIN(turbo_freq_uses_clos), .words = yes_no },
	{ "priority", value_one, DOMAIN(priority), .words = priorities },
	{ "turbo-cores", value_list, DOMAIN(turbo_cores), .max = UINT8_MAX },
	{ "missing-commands", value_commands, DOMAIN(missing), .only = MAILBOX },
	{ "limit-reasons", value_text, DOMAIN(limit_reasons), .only = TPMI },
	{ "limited-cores", value_mask, DOMAIN(limited_cores), .max = MASK_CORES - 1, .only = TPMI },
	{ "limit-register", value_one, DOMAIN(limit_register), .max = UINT32_MAX, .only = MAILBOX },
	{ "throttle-count", value_one, DOMAIN(throttle_count), .max = UINT32_MAX },
	{ "power-limit", value_one, DOMAIN(power_limit_w), .min = 1, .max = 3500 },
	{ "power-draw", value_one, DOMAIN(power_draw_w), .max = 0x7fff },
	{ "power-limit-frequency", value_one, DOMAIN(power_limited_mhz), MHZ },
	{ "second-half", value_one, DOMAIN(second_half), .words = yes_no, .only = MAILBOX,
	  .otherwise = 1 },
	{ "type", value_one, DOMAIN(type), .words = domain_types, .only = TPMI },
	{ "interface-version", value_one, DOMAIN(interface_version), .max = UINT8_MAX - 1,
	  .only = TPMI, .otherwise = 1, .field = SST_VERSION },
	{ "core-power-version", value_one, DOMAIN(cp_version), .max = UINT8_MAX, .only = TPMI,
	  .otherwise = 1, .field = CP_REVISION },
	{ "dynamic-switch", value_one, DOMAIN(dynamic_switch), .words = yes_no, .only = TPMI,
	  .otherwise = 1, .field = PP_DYNAMIC_SWITCH },
	{ "uncore-min", value_one, DOMAIN(uncore_min), MHZ, .only = TPMI },
	{ "uncore-max", value_one, DOMAIN(uncore_max), MHZ, .only = TPMI },
	{ "register", value_register, DOMAIN(raw), .max = true, .numbered = true, .only = TPMI },
	{ "register-bits", value_register, DOMAIN(raw), .numbered = true, .only = TPMI },
	{ .name = NULL },
};

static const struct key clos_keys[] = {
	{ "epp", value_one, CLOS(epp), .max = 15, .only = MAILBOX },
	{ "weight", value_one, CLOS(weight), .max = 15, .field = CP_CLOS_WEIGHT },
	{ "min", value_one, CLOS(min), MHZ, .field = CP_CLOS_MIN },
	{ "max", value_one, CLOS(max), MHZ, .otherwise = 25500, .field = CP_CLOS_MAX },
	{ "desired", value_one, CLOS(desired), MHZ, .only = MAILBOX },
	{ "cores", value_set, CLOS(cores), .max = MASK_CORES - 1, .only = TPMI },
	{ .name = NULL },
};

#define PER_TRL_TYPE(name, type) \
	{ "trl-" name, value_list, LEVEL(limits[type]), MHZ, .field = LEVEL_TRL, .index = type }, \
		{ "turbo-freq-" name, value_list,   LEVEL(tf_limits[type]), MHZ, \
		  .field = TF_TRL,    .index = type }, \
	{ \
		"turbo-freq-clip-" name, value_one, LEVEL(tf_clip[type]), MHZ \
	}

static const struct key level_keys[] = {
	{ "cores", value_mask, LEVEL(cores), .max = MASK_CORES - 1, .field = LEVEL_CORE_MASK },
	{ "power", value_one, LEVEL(power_w), .max = 0x7fff },
	{ "power-max", value_one, LEVEL(power_max_w), .max = 0x7fff, .only = MAILBOX },
	{ "power-min", value_one, LEVEL(power_min_w), .max = 0x7fff, .only = MAILBOX },
	{ "tdp-ratio", value_one, LEVEL(tdp_ratio), .max = UINT8_MAX, .only = MAILBOX },
	{ "tjunction", value_one, LEVEL(tjunction_c), .max = UINT8_MAX, .field = LEVEL_TJUNCTION },
	{ "base", value_one, LEVEL(base[BASE_SSE]), MHZ, .field = LEVEL_BASE_SSE },
	{ "base-avx2", value_one, LEVEL(base[BASE_AVX2]), MHZ, .field = LEVEL_BASE_AVX2 },
	{ "base-avx512", value_one, LEVEL(base[BASE_AVX512]), MHZ, .field = LEVEL_BASE_AVX512 },
	{ "base-amx", value_one, LEVEL(base[BASE_AMX]), MHZ, .field = LEVEL_BASE_AMX },
	{ "uncore-max", value_one, LEVEL(uncore_max), MHZ, .field = LEVEL_FABRIC_P0 },
	{ "uncore-base", value_one, LEVEL(uncore_base), MHZ, .field = LEVEL_FABRIC_P1 },
	{ "uncore-min", value_one, LEVEL(uncore_min), MHZ, .field = LEVEL_FABRIC_PM },
	{ "memory", value_one, LEVEL(memory), .max = 51000, .field = LEVEL_MEMORY, .unit = 100 },
	{ "memory-code", value_one, LEVEL(memory_code), .max = UINT8_MAX, .only = MAILBOX },
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
	{ "base-freq-cores", value_mask, LEVEL(bf_cores), .max = MASK_CORES - 1,
	  .field = BF_CORE_MASK },
	{ "base-freq-high", value_one, LEVEL(bf_high), MHZ, .field = BF_HIGH },
	{ "base-freq-low", value_one, LEVEL(bf_low), MHZ, .field = BF_LOW },
	{ "base-freq-tjunction", value_one, LEVEL(bf_tjunction_c), .max = UINT8_MAX,
	  .field = BF_TJUNCTION },
	{ "base-freq-tcontrol", value_one, LEVEL(bf_tcontrol_c), .max = UINT8_MAX,
	  .only = MAILBOX },
	{ "base-freq-power", value_one, LEVEL(bf_power_w), .max = UINT16_MAX },
	{ "turbo-freq-cores", value_list, LEVEL(tf_cores), .max = UINT8_MAX, .field = TF_CORES },
	{ "enabled", value_one, LEVEL(enabled), .words = yes_no, .only = TPMI, .otherwise = 1 },
	{ "allowed", value_one, LEVEL(allowed), .words = yes_no, .only = TPMI, .otherwise = 1 },
	{ "power-eighths", value_one, LEVEL(power_eighths), .max = 7, .only = TPMI },
	{ "fused-cores", value_one, LEVEL(fused_cores), .max = UINT8_MAX, .only = TPMI,
	  .field = LEVEL_FUSED_CORES },
	{ "resolved-cores", value_one, LEVEL(resolved_cores), .max = UINT8_MAX, .only = TPMI,
	  .field = LEVEL_RESOLVED_CORES },
	{ "cooling", value_one, LEVEL(cooling), .max = 3, .only = TPMI, .field = LEVEL_COOLING },
	{ "p0", value_one, LEVEL(p0), MHZ, .only = TPMI, .field = LEVEL_P0 },
	{ "p1", value_one, LEVEL(p1), MHZ, .only = TPMI, .field = LEVEL_P1 },
	{ "pn", value_one, LEVEL(pn), MHZ, .only = TPMI, .field = LEVEL_PN },
	{ "pm", value_one, LEVEL(pm), MHZ, .only = TPMI, .field = LEVEL_PM },
	{ "uncore-2-max", value_one, LEVEL(uncore2_max), MHZ, .only = TPMI,
	  .field = LEVEL_FABRIC2_P0, .revision = 2 },
	{ "uncore-2-base", value_one, LEVEL(uncore2_base), MHZ, .only = TPMI,
	  .field = LEVEL_FABRIC2_P1, .revision = 2 },
	{ "uncore-2-min", value_one, LEVEL(uncore2_min), MHZ, .only = TPMI,
	  .field = LEVEL_FABRIC2_PM, .revision = 2 },
	{ "trl-cores", value_list, LEVEL(trl_cores), .max = UINT8_MAX, .only = TPMI,
	  .field = LEVEL_TRL_CORES },
	{ "base-freq", value_one, LEVEL(bf_support), .words = yes_no, .only = TPMI,
	  .field = BF_SUPPORTED },
	{ "base-freq-version", value_one, LEVEL(bf_version), .max = UINT8_MAX, .only = TPMI },
	{ "base-freq-power-eighths", value_one, LEVEL(bf_power_eighths), .max = 7, .only = TPMI },
	{ "turbo-freq", value_one, LEVEL(tf_support), .words = yes_no, .only = TPMI,
	  .field = TF_SUPPORTED },
	{ "turbo-freq-version", value_one, LEVEL(tf_version), .max = UINT8_MAX, .only = TPMI },
	{ "turbo-freq-modules", value_list, LEVEL(tf_modules), .max = UINT16_MAX, .most = 3,
	  .only = TPMI },
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

int platform_file_set_defaults(enum section_target target, void *of)
{
	for (const struct section_kind *kind = platform_sections; kind->name; kind++) {
		for (const struct key *key = kind->keys; key->name && kind->target == target;
		     key++) {
			void *value = (char *)of + key->offset;
			char *text = key->text ? strdup(key->text) : NULL;

			if (key->text && !text)
				return -ENOMEM;
			if (key->text)
				((struct text_value *)value)->text = text;
			else if (key->otherwise)
				((struct number_value *)value)->value = key->otherwise;
		}
	}
	return 0;
}

void platform_file_set_registers(enum section_target target, const void *of,
				 const struct tpmi_registers *to, unsigned int level,
				 unsigned int index)
{
	for (const struct section_kind *kind = platform_sections; kind->name; kind++) {
		for (const struct key *key = kind->keys; key->name && kind->target == target;
		     key++) {
			const void *value = (const char *)of + key->offset;
			const unsigned int unit = key->unit ? key->unit : 1;
			const struct list_value *list = value;
			uint64_t word = 0;

			if (!key->field || tpmi_get(to, PP_REVISION, 0, 0) < key->revision)
				continue;
			if (key->parse == value_mask)
				word = ((const struct mask_value *)value)->cores;
			else if (key->parse == value_one)
				word = ((const struct number_value *)value)->value / unit;
			for (unsigned int i = 0; key->parse == value_list && i < list->count; i++)
				word |= (uint64_t)(list->value[i] / unit) << (8 * i);
			tpmi_set(to, key->field, level, index + key->index, word);
		}
	}
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
