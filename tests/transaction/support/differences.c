/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads pictures line by line, and names the items that their lines describe. */
#include "transaction/support/differences.h"
#include "emulator/model/tpmi_layout.h"
#include "isst.h"
#include "support/check.h"
#include "support/snapshot.h"

#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>

#define CPUS "/sys/devices/system/cpu/"
#define CGROUPS "/sys/fs/cgroup/"
#define RCU_EXPEDITED "/sys/kernel/rcu_expedited"

enum { MOST_DOMAINS = 64, CLOS_COUNT = 4, CORES = 64, MOST_DIES = 16 };

struct line {
	const char *key, *value;
};

/** A picture as lines sorted by their keys; a key that comes again is that of a longer file. */
struct picture {
	char *text;
	struct line *lines;
	size_t count;
	struct isst_cpuset *online;
};

/** What differs. */
struct difference {
	struct picture before, now;
	struct domain {
		unsigned int package, die;
		bool level, uncore, any;
		/* By TPMI: its number in the package, its uncore directory, and whether it is
		 * there. */
		unsigned int number, directory;
		bool present;
	} domains[MOST_DOMAINS];
	unsigned int domain_count;
	bool tpmi;
	char **lines; /* expected */
	size_t count, space;
	bool online, limits, groups, levels;
};

/* ---- Pictures ---- */

static int compare_keys(const void *left, const void *right)
{
	return strcmp(((const struct line *)left)->key, ((const struct line *)right)->key);
}

static const char *look_up(const struct picture *picture, const char *key)
{
	const struct line wanted = { key, NULL };
	const struct line *line = bsearch(&wanted, picture->lines, picture->count,
					  sizeof(*picture->lines), compare_keys);

	return line ? line->value : NULL;
}

/** Index of the first line whose key is not before @prefix: those that begin with it follow. */
static size_t first_with(const struct picture *picture, const char *prefix)
{
	size_t first = 0, end = picture->count;

	while (first < end) {
		size_t middle = first + (end - first) / 2;

		if (strcmp(picture->lines[middle].key, prefix) < 0)
			first = middle + 1;
		else
			end = middle;
	}
	return first;
}

static struct picture read_picture(const char *text)
{
	struct picture picture = { .text = strdup(text) };
	char *rest = picture.text, *line, *value;
	const char *online;
	size_t most = 1;

	for (const char *c = text; *c; c++)
		most += *c == '\n';
	picture.lines = calloc(most, sizeof(*picture.lines));
	assert_non_null(picture.lines);
	while ((line = strsep(&rest, "\n"))) {
		value = strstr(line, ": ");
		if (value) {
			*value = '\0';
			value += 2;
		}
		if (*line)
			picture.lines[picture.count++] = (struct line){ line, value ? value : "" };
	}
	qsort(picture.lines, picture.count, sizeof(*picture.lines), compare_keys);
	online = look_up(&picture, CPUS "online");
	assert_non_null(online);
	picture.online = check_set(online);
	return picture;
}

static void free_picture(struct picture *picture)
{
	isst_cpuset_free(picture->online);

	free(picture->lines);
	free(picture->text);
}

/* ---- Values ---- */

/** Both values of a key; NULL if a picture does not have it. Returns whether they differ. */
struct values {
	const char *before, *now;
};

__attribute__((format(printf, 3, 4))) static bool
differ(const struct difference *difference, struct values *values, const char *format, ...)
{
	va_list arguments;
	char *key;

	va_start(arguments, format);
	assert_true(vasprintf(&key, format, arguments) >= 0);
	va_end(arguments);
	values->before = look_up(&difference->before, key);
	values->now = look_up(&difference->now, key);
	free(key);
	if (!values->before || !values->now)
		return values->before != values->now;
	return strcmp(values->before, values->now) != 0;
}

__attribute__((format(printf, 2, 3))) static void expect(struct difference *difference,
							 const char *format, ...)
{
	va_list arguments;

	if (difference->count == difference->space) {
		difference->space = difference->space * 2 + 16;
		difference->lines = reallocarray(difference->lines, difference->space,
						 sizeof(char *));
		assert_non_null(difference->lines);
	}
	va_start(arguments, format);
	assert_true(vasprintf(&difference->lines[difference->count++], format, arguments) >= 0);
	va_end(arguments);
}

static uint64_t number_of(const char *value)
{
	return value ? strtoull(value, NULL, 0) : 0;
}

/* ---- Items of the firmware ---- */

/** Registers of a power domain as a picture shows them; those that are 0 it leaves out. */
static struct tpmi_registers read_registers(const struct picture *picture, unsigned int d)
{
	enum { MOST_REGISTERS = 1024 };
	struct tpmi_registers registers = { calloc(MOST_REGISTERS, sizeof(uint64_t)),
					    MOST_REGISTERS };
	char prefix[48];

	assert_non_null(registers.word);
	snprintf(prefix, sizeof(prefix), "domain %u register 0x", d);
	for (size_t i = first_with(picture, prefix); i < picture->count; i++) {
		const struct line *line = &picture->lines[i];
		unsigned long offset;

		if (strncmp(line->key, prefix, strlen(prefix)) != 0)
			break;
		offset = strtoul(line->key + strlen(prefix), NULL, 16);
		assert_true(offset / sizeof(uint64_t) < MOST_REGISTERS);
		registers.word[offset / sizeof(uint64_t)] = number_of(line->value);
	}
	return registers;
}

/** Power domains stand in their packages in order. The uncore directories, one for each that is
 * there, tell where they belong. */
static void find_power_domains(struct difference *difference)
{
	unsigned int d, directory = 0;

	for (d = 0; d < MOST_DOMAINS; d++) {
		struct domain *domain = &difference->domains[d];
		struct tpmi_registers registers = read_registers(&difference->before, d);
		struct values package, number;
		bool there = registers.word[0] != 0;

		domain->present = there && !tpmi_absent(&registers);
		free(registers.word);
		if (!there)
			break;
		if (!domain->present)
			continue;
		domain->directory = directory++;
		differ(difference, &package, CPUS "intel_uncore_frequency/uncore%02u/package_id",
		       domain->directory);
		differ(difference, &number, CPUS "intel_uncore_frequency/uncore%02u/domain_id",
		       domain->directory);
		assert_true(package.before && number.before);
		domain->package = (unsigned int)number_of(package.before);
		domain->number = (unsigned int)number_of(number.before);
	}
	difference->domain_count = d;
}

/** The firmware's domains are packages and their dies, in order. */
static void find_domains(struct difference *difference)
{
	unsigned int count = 0;

	for (; count < MOST_DOMAINS; count++) {
		struct domain *domain = &difference->domains[count];
		struct values package, die;

		differ(difference, &package, "domain %u package", count);
		differ(difference, &die, "domain %u die", count);
		if (!package.before)
			break;
		domain->package = (unsigned int)number_of(package.before);
		domain->die = (unsigned int)number_of(die.before);
	}
	difference->domain_count = count;
}

#define DOMAIN "package %u, die %u: "
#define POWER_DOMAIN "package %u, power domain %u: "

static const char *on_off(uint64_t bit)
{
	return bit ? "on" : "off";
}

static void find_domain_items(struct difference *difference, unsigned int d)
{
	unsigned int package = difference->domains[d].package, die = difference->domains[d].die;
	struct values v;

	if (differ(difference, &v, "domain %u level", d)) {
		difference->domains[d].level = difference->levels = true;
		expect(difference, DOMAIN "level is %s, was %s", package, die, v.now, v.before);
	}
	if (differ(difference, &v, "domain %u features", d)) {
		uint64_t now = number_of(v.now), before = number_of(v.before);

		difference->levels = true;
		expect(difference, DOMAIN "turbo-freq and base-freq is %s, %s, was %s, %s", package,
		       die, on_off(now & 0x10000), on_off(now & 0x20000), on_off(before & 0x10000),
		       on_off(before & 0x20000));
	}
	if (differ(difference, &v, "domain %u core-power", d))
		expect(difference, DOMAIN "core-power is %s, was %s", package, die, v.now,
		       v.before);
	if (differ(difference, &v, "domain %u qos", d))
		expect(difference, DOMAIN "CLOS and priority type is 0x%" PRIx64 ", was 0x%" PRIx64,
		       package, die, number_of(v.now), number_of(v.before));
	for (unsigned int i = 0; i < CLOS_COUNT; i++)
		if (differ(difference, &v, "domain %u clos %u", d, i))
			expect(difference, DOMAIN "CLOS %u is 0x%" PRIx64 ", was 0x%" PRIx64,
			       package, die, i, number_of(v.now), number_of(v.before));
	for (unsigned int i = 0; i < CORES; i++)
		if (differ(difference, &v, "domain %u core %u", d, i))
			expect(difference, DOMAIN "CLOS of core %u is %" PRIu64 ", was %" PRIu64,
			       package, die, i, number_of(v.now) >> 16 & 3,
			       number_of(v.before) >> 16 & 3);
	if (differ(difference, &v, "domain %u msr 0x1ad", d))
		expect(difference, DOMAIN "turbo ratio limits is 0x%" PRIx64 ", was 0x%" PRIx64,
		       package, die, number_of(v.now), number_of(v.before));
}

/* ---- The same of power domains ---- */

/** The bits of a CLOS as the library has them: weight, minimum and maximum. */
static uint64_t clos_of(const struct tpmi_registers *registers, unsigned int clos)
{
	return tpmi_get(registers, CP_CLOS_WEIGHT, 0, clos) << 4 |
	       tpmi_get(registers, CP_CLOS_MIN, 0, clos) << 8 |
	       tpmi_get(registers, CP_CLOS_MAX, 0, clos) << 16;
}

static uint64_t core_power_of(const struct tpmi_registers *registers)
{
	return tpmi_get(registers, CP_STATUS_ENABLE, 0, 0) << 1 |
	       tpmi_get(registers, CP_STATUS_PRIORITY, 0, 0) << 2;
}

static unsigned int association_of(const struct tpmi_registers *registers, unsigned int core)
{
	return (unsigned int)(tpmi_get(registers, CP_ASSOCIATION, 0, core / 16) >>
			      (core % 16 * 4)) &
	       0xf;
}

static void compare_core_power(struct difference *difference, const struct domain *domain,
			       const struct tpmi_registers *before,
			       const struct tpmi_registers *now)
{
	unsigned int package = domain->package, number = domain->number;

	if (core_power_of(before) != core_power_of(now))
		expect(difference,
		       POWER_DOMAIN "CLOS and priority type is 0x%" PRIx64 ", was 0x%" PRIx64,
		       package, number, core_power_of(now), core_power_of(before));
	for (unsigned int i = 0; i < CLOS_COUNT; i++)
		if (clos_of(before, i) != clos_of(now, i))
			expect(difference, POWER_DOMAIN "CLOS %u is 0x%" PRIx64 ", was 0x%" PRIx64,
			       package, number, i, clos_of(now, i), clos_of(before, i));
	for (unsigned int i = 0; i < CORES; i++)
		if (association_of(before, i) != association_of(now, i))
			expect(difference, POWER_DOMAIN "CLOS of core %u is %u, was %u", package,
			       number, i, association_of(now, i), association_of(before, i));
}

static void compare_perf_profile(struct difference *difference, struct domain *domain,
				 const struct tpmi_registers *before,
				 const struct tpmi_registers *now)
{
	uint64_t old_level = tpmi_get(before, PP_STATUS_LEVEL, 0, 0);
	uint64_t new_level = tpmi_get(now, PP_STATUS_LEVEL, 0, 0);
	uint64_t old_features = tpmi_get(before, PP_STATUS_FEATURES, 0, 0);
	uint64_t new_features = tpmi_get(now, PP_STATUS_FEATURES, 0, 0);

	if (old_level != new_level) {
		domain->level = difference->levels = true;
		expect(difference, POWER_DOMAIN "level is %" PRIu64 ", was %" PRIu64,
		       domain->package, domain->number, new_level, old_level);
	}
	if (old_features != new_features) {
		difference->levels = true;
		expect(difference, POWER_DOMAIN "turbo-freq and base-freq is %s, %s, was %s, %s",
		       domain->package, domain->number, on_off(new_features & 2),
		       on_off(new_features & 1), on_off(old_features & 2),
		       on_off(old_features & 1));
	}
}

static void find_power_domain_items(struct difference *difference, unsigned int d)
{
	struct domain *domain = &difference->domains[d];
	struct tpmi_registers before = read_registers(&difference->before, d);
	struct tpmi_registers now = read_registers(&difference->now, d);
	size_t listed = difference->count;

	if (domain->present) {
		compare_perf_profile(difference, domain, &before, &now);
		if (tpmi_get(&before, SST_CAPABILITIES, 0, 0) & 1)
			compare_core_power(difference, domain, &before, &now);
	}
	domain->any = difference->count > listed;
	free(before.word);
	free(now.word);
}

/** A register of the package. */
static void find_limits_of_package(struct difference *difference, unsigned int d)
{
	struct values v;

	if (differ(difference, &v, "domain %u msr 0x1ad", d))
		expect(difference,
		       "package %u: turbo ratio limits is 0x%" PRIx64 ", was 0x%" PRIx64,
		       difference->domains[d].package, number_of(v.now), number_of(v.before));
}

/* ---- Items of the kernel ---- */

static void find_uncore(struct difference *difference, unsigned int d)
{
	static const char *const LIMITS[] = { "max_freq_khz", "min_freq_khz" };
	static const char *const NAMES[] = { "max", "min" };
	unsigned int package = difference->domains[d].package, die = difference->domains[d].die;
	struct domain *domain = &difference->domains[d];
	struct values v;

	for (size_t i = 0; i < 2 && difference->tpmi; i++)
		if (domain->present &&
		    differ(difference, &v, CPUS "intel_uncore_frequency/uncore%02u/%s",
			   domain->directory, LIMITS[i])) {
			domain->uncore = true;
			expect(difference, POWER_DOMAIN "uncore %s is %s kHz, was %s kHz", package,
			       domain->number, NAMES[i], v.now, v.before);
		}
	for (size_t i = 0; i < 2 && !difference->tpmi; i++)
		if (differ(difference, &v, CPUS "intel_uncore_frequency/package_%02u_die_%02u/%s",
			   package, die, LIMITS[i])) {
			difference->domains[d].uncore = true;
			expect(difference, DOMAIN "uncore %s is %s kHz, was %s kHz", package, die,
			       NAMES[i], v.now, v.before);
		}
}

/** A limit that is the processor's own is none. */
static char *limit_text(const struct picture *picture, unsigned int cpu, const char *which,
			const char *value)
{
	char *text;
	const char *own;

	autofree char *key = formatted(CPUS "cpu%u/cpufreq/cpuinfo_%s_freq", cpu, which);
	own = look_up(picture, key);
	if (own && strcmp(own, value) == 0)
		return strdup("no limit");
	text = formatted("%s kHz", value);
	return text;
}

static void find_limits(struct difference *difference, unsigned int cpu)
{
	static const char *const WHICH[] = { "max", "min" };
	struct values v;

	for (size_t i = 0; i < 2; i++) {
		/* A CPU that is offline has none. */
		if (!differ(difference, &v, CPUS "cpu%u/cpufreq/scaling_%s_freq", cpu, WHICH[i]) ||
		    !v.before || !v.now)
			continue;
		autofree char *before = limit_text(&difference->before, cpu, WHICH[i], v.before);
		autofree char *now = limit_text(&difference->now, cpu, WHICH[i], v.now);
		if (strcmp(before, now) != 0) {
			difference->limits = true;
			expect(difference, "CPU %u: scaling_%s_freq is %s, was %s", cpu, WHICH[i],
			       now, before);
		}
	}
}

static void find_cpus(struct difference *difference)
{
	freed_by(isst_cpuset_free) struct isst_cpuset *present = check_set(
		look_up(&difference->before, CPUS "present"));
	unsigned int cpu;

	isst_cpuset_for_each (cpu, present) {
		bool before = isst_cpuset_has(difference->before.online, cpu);
		bool now = isst_cpuset_has(difference->now.online, cpu);

		if (before != now) {
			difference->online = true;
			expect(difference, "CPU %u: online is %d, was %d", cpu, now, before);
		}
		find_limits(difference, cpu);
	}
}

/** The state of a group as the kernel reports it: its kind and its CPUs. */
static char *group_text(const struct picture *picture, const char *name)
{
	char *text;
	const char *kind, *cpus;

	autofree char *directory = formatted(CGROUPS "%s/", name);
	autofree char *kind_key = formatted(CGROUPS "%s/cpuset.cpus.partition", name);
	autofree char *cpus_key = formatted(CGROUPS "%s/cpuset.cpus", name);
	kind = look_up(picture, kind_key);
	cpus = look_up(picture, cpus_key);
	if (!look_up(picture, directory))
		text = strdup("absent");
	else if (!kind)
		text = strdup("member ");
	else
		text = formatted("%s%s%s", kind, cpus && *cpus ? " " : "", cpus ? cpus : "");
	return text;
}

static void find_group(struct difference *difference, unsigned int package, unsigned int die,
		       unsigned int number)
{
	autofree char *name = formatted("%u-%u-%u", package, die, number);
	autofree char *before = group_text(&difference->before, name);
	autofree char *now = group_text(&difference->now, name);

	if (strcmp(before, now) != 0) {
		difference->groups = true;
		if (difference->tpmi)
			expect(difference, POWER_DOMAIN "cpuset partition is %s, was %s", package,
			       number, now, before);
		else
			expect(difference, DOMAIN "cpuset partition is %s, was %s", package, die,
			       now, before);
	}
}

static bool has_cpusets(const char *controllers)
{
	return controllers && strstr(controllers, "cpuset");
}

static void find_cpusets(struct difference *difference)
{
	struct values v;

	if (differ(difference, &v, CGROUPS "cgroup.subtree_control") &&
	    has_cpusets(v.before) != has_cpusets(v.now)) {
		difference->groups = true;
		expect(difference, "cpuset controller of /sys/fs/cgroup is %d, was %d",
		       has_cpusets(v.now), has_cpusets(v.before));
	}
}

static void find_rcu(struct difference *difference)
{
	struct values v;

	if (differ(difference, &v, RCU_EXPEDITED))
		expect(difference, RCU_EXPEDITED " is %s, was %s", v.now, v.before);
}

/* ---- What follows ---- */

static bool begins(const char *line, const char *start)
{
	return strncmp(line, start, strlen(start)) == 0;
}

static bool ends(const char *line, const char *end)
{
	size_t length = strcspn(line, ":");

	return length >= strlen(end) && strncmp(line + length - strlen(end), end, strlen(end)) == 0;
}

static bool any_uncore(const struct difference *difference)
{
	bool any = false;

	for (unsigned int i = 0; i < difference->domain_count; i++)
		any |= difference->domains[i].uncore;
	return any;
}

/** Whether a line is the driver's place of a CPU that is offline: it remembers that of one which
 * was online once, whatever is rolled back. */
static bool is_place_of_offline_cpu(const struct difference *difference, const char *line)
{
	const char *where = strstr(line, "/plr/");
	unsigned int cpu;

	where = where ? strchr(where, ':') : NULL;
	return where && sscanf(where, ": cpu%u none", &cpu) == 1 &&
	       !isst_cpuset_has(difference->now.online, cpu);
}

/** Whether a line that differs belongs to an item, which was compared, or follows from one that
 * differs. */
static bool is_explained(const struct difference *difference, const char *line)
{
	unsigned int domain;
	int length = 0;

	if (sscanf(line, "domain %u %n", &domain, &length) == 1) {
		if (begins(line + length, "msr 0x1af"))
			return difference->domains[domain].level;
		if (begins(line + length, "uncore"))
			return difference->tpmi ? any_uncore(difference)
						: difference->domains[domain].uncore;
		if (begins(line + length, "register"))
			return difference->domains[domain].any;
		return true;
	}
	if (begins(line, "cpu at "))
		return difference->online || difference->limits;
	if (begins(line, CPUS "intel_uncore_frequency/"))
		return ends(line, "/max_freq_khz") || ends(line, "/min_freq_khz") ||
		       difference->levels || any_uncore(difference);
	if (begins(line, CPUS "cpu"))
		return difference->online || difference->levels || difference->limits;
	if (is_place_of_offline_cpu(difference, line))
		return true;
	/* The limit reasons are of the CPUs that are online. */
	if (begins(line, CPUS) || begins(line, "/proc/cpuinfo") || begins(line, "/dev/cpu/") ||
	    begins(line, "/sys/devices/system/node/") || begins(line, "/sys/kernel/debug/tpmi-"))
		return difference->online;
	if (begins(line, CGROUPS) || begins(line, "group ") || begins(line, "controllers"))
		return difference->groups || difference->online;
	return begins(line, RCU_EXPEDITED) || begins(line, "rcu: ");
}

/* ---- Comparing ---- */

/** A CPU that went offline has no limits any more. */
static bool is_limit_of_offline_cpu(const struct difference *difference, const char *line)
{
	unsigned int cpu;
	char which[4];
	int length = 0;

	return sscanf(line, "CPU %u: scaling_%3[a-z]_freq is unknown: %n", &cpu, which, &length) ==
		       2 &&
	       length > 0 && strcmp(line + length, "the CPU went offline") == 0 &&
	       isst_cpuset_has(difference->before.online, cpu) &&
	       !isst_cpuset_has(difference->now.online, cpu);
}

static void compare_lists(struct difference *difference, const char *listed, FILE *out)
{
	char *copy = strdup(listed), *rest = copy, *line;

	while ((line = strsep(&rest, "\n"))) {
		size_t i = 0;

		if (!*line || is_limit_of_offline_cpu(difference, line))
			continue;
		while (i < difference->count &&
		       (!difference->lines[i] || strcmp(difference->lines[i], line) != 0))
			i++;
		if (i == difference->count) {
			fprintf(out, "listed, and not so: %s\n", line);
			continue;
		}
		free(difference->lines[i]);
		difference->lines[i] = NULL;
	}
	for (size_t i = 0; i < difference->count; i++)
		if (difference->lines[i])
			fprintf(out, "not listed: %s\n", difference->lines[i]);
	free(copy);
}

static void compare_rest(const struct difference *difference, const char *before, const char *now,
			 FILE *out)
{
	char *lines = snapshot_difference(before, now), *rest = lines, *line;

	assert_non_null(lines);
	while ((line = strsep(&rest, "\n")))
		if (*line && !is_explained(difference, line + 2))
			fprintf(out, "differs, and no listed item explains it: %s\n", line);
	free(lines);
}

static void find_all_of_dies(struct difference *difference)
{
	find_domains(difference);
	for (unsigned int d = 0; d < difference->domain_count; d++) {
		find_domain_items(difference, d);
		find_uncore(difference, d);
		for (unsigned int number = 0; number < difference->domain_count; number++)
			find_group(difference, difference->domains[d].package,
				   difference->domains[d].die, number);
	}
}

static void find_all_of_power_domains(struct difference *difference)
{
	find_power_domains(difference);
	for (unsigned int d = 0; d < difference->domain_count; d++) {
		const struct domain *domain = &difference->domains[d];

		find_power_domain_items(difference, d);
		find_limits_of_package(difference, d);
		find_uncore(difference, d);
		for (unsigned int die = 0; die < MOST_DIES && domain->present; die++)
			find_group(difference, domain->package, die, domain->number);
	}
}

char *differences_check(const char *before, const char *now, const char *listed)
{
	struct difference difference = { .before = read_picture(before), .now = read_picture(now) };
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	difference.tpmi = look_up(&difference.before, "domain 0 register 0x000") != NULL;
	if (difference.tpmi)
		find_all_of_power_domains(&difference);
	else
		find_all_of_dies(&difference);
	find_cpus(&difference);
	find_cpusets(&difference);
	find_rcu(&difference);
	compare_lists(&difference, listed, out);
	compare_rest(&difference, before, now, out);
	assert_int_equal(fclose(out), 0);
	for (size_t i = 0; i < difference.count; i++)
		free(difference.lines[i]);
	free(difference.lines);
	free_picture(&difference.before);
	free_picture(&difference.now);
	if (*text)
		return text;
	free(text);
	return NULL;
}
