/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds contradictions in a platform file, and completes values of levels. */
#include "emulator/model/file.h"

static const struct {
	unsigned int mhz, code;
} ice_lake_memory[] = {
	{ 3200, 0 }, { 2933, 1 }, { 2667, 2 }, { 2400, 3 }, { 2133, 4 }, { 1867, 5 }, { 1600, 6 },
};

/** The code that firmware of this model has for a memory frequency. */
static bool find_memory_code(unsigned int model, unsigned int mhz, unsigned int *code)
{
	switch (model) {
	case 0x8f:
	case 0xcf:
		*code = mhz / 200;
		return mhz % 200 == 0 && *code <= UINT8_MAX;
	case 0x6a:
	case 0x6c:
		for (size_t i = 0; i < sizeof(ice_lake_memory) / sizeof(*ice_lake_memory); i++) {
			*code = ice_lake_memory[i].code;
			if (ice_lake_memory[i].mhz == mhz)
				return true;
		}
		return false;
	}
	return false;
}

enum { HIGHEST_TPMI_MEMORY_MHZ = 12700 }; /* a ratio of 7 bits */

static int complete_memory(struct platform_file *file, const struct platform *platform,
			   struct platform_level *level)
{
	if (!level->memory.line)
		return 0;
	if (platform_is_tpmi(platform)) {
		if (level->memory.value % 100 == 0 &&
		    level->memory.value <= HIGHEST_TPMI_MEMORY_MHZ)
			return 0;
		return file_error(
			file, level->memory.line,
			"found %u for \"memory\", expected a multiple of 100 MHz up to %u",
			level->memory.value, HIGHEST_TPMI_MEMORY_MHZ);
	}
	if (level->memory_code.line)
		return file_error(file, level->memory_code.line,
				  "found \"memory-code\", but \"memory\" is in line %u",
				  level->memory.line);
	if (!find_memory_code(platform->model.value, level->memory.value,
			      &level->memory_code.value))
		return file_error(file, level->memory.line,
				  "found %u for \"memory\", expected a frequency that model 0x%x "
				  "has a code for",
				  level->memory.value, platform->model.value);
	level->memory_code.line = level->memory.line;
	return 0;
}

static void complete_number(struct number_value *value, const struct number_value *from,
			    unsigned int divisor)
{
	if (!value->line)
		*value = (struct number_value){ from->value / divisor, from->line };
}

/** Buckets of turbo limits may repeat a count, as those of small parts do. */
static int check_ascending(struct platform_file *file, const struct list_value *list,
			   const char *name, bool repetition)
{
	for (unsigned int i = 1; i < list->count; i++) {
		unsigned int value = list->value[i], before = list->value[i - 1];

		if (value > before || value == 0 || (repetition && value == before))
			continue;
		return file_error(file, list->line,
				  "found %u cores after %u in \"%s\", expected ascending numbers",
				  value, before, name);
	}
	return 0;
}

static int check_base_freq(struct platform_file *file, const struct platform_level *level)
{
	const struct number_value *high = &level->bf_high, *low = &level->bf_low;
	unsigned int lines[] = { high->line, low->line, level->bf_tjunction_c.line,
				 level->bf_power_w.line };
	uint64_t outside = level->bf_cores.cores & ~level->cores.cores;

	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		if (!level->bf_cores.line && !level->bf_support.line && lines[i])
			return file_error(file, lines[i],
					  "found base-freq values at level %u, expected "
					  "\"base-freq-cores\" too",
					  level->number);
	if (!level->bf_cores.line)
		return 0;
	if (outside)
		return file_error(file, level->bf_cores.line,
				  "found core %u in \"base-freq-cores\", expected cores that level "
				  "%u enables",
				  (unsigned int)__builtin_ctzll(outside), level->number);
	if (!high->line || !low->line)
		return file_error(file, level->bf_cores.line,
				  "found \"base-freq-cores\", expected \"base-freq-high\" and "
				  "\"base-freq-low\" too");
	if (high->value < low->value)
		return file_error(file, high->line,
				  "found a high base frequency of %u MHz below the low one of %u",
				  high->value, low->value);
	return 0;
}

static int check_turbo_freq(struct platform_file *file, const struct platform_level *level)
{
	for (unsigned int type = 0; type < TRL_TYPES; type++) {
		unsigned int line = level->tf_limits[type].line ? level->tf_limits[type].line
								: level->tf_clip[type].line;

		if (line && !level->tf_cores.line && !level->tf_support.line)
			return file_error(file, line,
					  "found turbo-freq values at level %u, expected "
					  "\"turbo-freq-cores\" too",
					  level->number);
		if (level->tf_cores.line && level->tf_limits[type].count > level->tf_cores.count)
			return file_error(
				file, level->tf_limits[type].line,
				"found %u buckets, \"turbo-freq-cores\" in line %u has %u",
				level->tf_limits[type].count, level->tf_cores.line,
				level->tf_cores.count);
	}
	return check_ascending(file, &level->tf_cores, "turbo-freq-cores", false);
}

/** What a package consists of. */
static const char *part_name(const struct platform *platform)
{
	return platform_is_tpmi(platform) ? "power domain" : "die";
}

static unsigned int part_number(const struct platform *platform,
				const struct platform_domain *domain)
{
	return platform_is_tpmi(platform) ? domain->power_domain : domain->die_index;
}

static int check_file_level(struct platform_file *file, const struct platform *platform,
			    const struct platform_domain *domain, struct platform_level *level)
{
	bool io = domain->type.value !=
		  DOMAIN_COMPUTE; /* has no cores, whatever the file has for it */
	uint64_t outside = io ? 0 : level->cores.cores;
	unsigned int core;
	int error;

	isst_cpuset_for_each (core, domain->cores.set)
		if (core < MASK_CORES)
			outside &= ~(UINT64_C(1) << core);

	if (platform_is_tpmi(platform) && level->number >= TPMI_LEVELS)
		return file_error(file, level->line, "found level %u, expected levels 0..%u",
				  level->number, TPMI_LEVELS - 1);
	if (platform_is_tpmi(platform) && !level->enabled.value)
		return complete_memory(file, platform, level);
	if (!io && (!level->cores.line || !level->cores.cores))
		return file_error(file, level->line, "found level %u without \"cores\"",
				  level->number);
	if (!level->base[BASE_SSE].line)
		return file_error(file, level->line, "found level %u without \"base\"",
				  level->number);
	if (outside)
		return file_error(file, level->cores.line,
				  "found core %u at level %u, expected cores of package %u %s %u",
				  (unsigned int)__builtin_ctzll(outside), level->number,
				  domain->package, part_name(platform),
				  part_number(platform, domain));
	complete_number(&level->tdp_ratio, &level->base[BASE_SSE], 100);
	complete_number(&level->power_max_w, &level->power_w, 1);
	complete_number(&level->power_min_w, &level->power_w, 1);
	if (level->bf_cores.line || level->bf_support.value) {
		complete_number(&level->bf_power_w, &level->power_w, 1);
		complete_number(&level->bf_tjunction_c, &level->tjunction_c, 1);
	}
	error = complete_memory(file, platform, level);
	if (!error)
		error = check_base_freq(file, level);
	return error ? error : check_turbo_freq(file, level);
}

static int check_domain(struct platform_file *file, const struct platform *platform,
			struct platform_domain *domain)
{
	const struct platform_level *level;
	int error = 0;

	if (domain->type.value == DOMAIN_ABSENT)
		return 0;
	if (domain->level_count == 0)
		return file_error(file, platform->packages.line,
				  "found package %u %s %u without levels, expected a [level N] "
				  "section for it",
				  domain->package, part_name(platform),
				  part_number(platform, domain));
	for (size_t i = 0; i < domain->level_count && !error; i++)
		error = check_file_level(file, platform, domain, &domain->levels[i]);
	if (!error)
		error = check_ascending(file, &domain->turbo_cores, "turbo-cores", true);
	if (error)
		return error;
	/* The first state. */
	level = platform_level(domain, domain->level.value);
	if (!level || !level->enabled.value)
		return file_error(file, domain->level.line,
				  "found %u as level of package %u %s %u, expected one that a "
				  "[level] section describes",
				  domain->level.value, domain->package, part_name(platform),
				  part_number(platform, domain));
	if (domain->base_freq_enabled.value && !level->bf_cores.line && !level->bf_support.value)
		return file_error(file, domain->base_freq_enabled.line,
				  "found base-freq enabled at level %u, which does not support it",
				  level->number);
	if (domain->turbo_freq_enabled.value && !level->tf_cores.line && !level->tf_support.value)
		return file_error(file, domain->turbo_freq_enabled.line,
				  "found turbo-freq enabled at level %u, which does not support it",
				  level->number);
	return 0;
}

static int check_offline(struct platform_file *file, const struct platform *platform)
{
	const struct set_value *offline = &platform->offline;
	size_t count = 0;
	unsigned int cpu;

	if (!offline->set)
		return 0;
	isst_cpuset_for_each (cpu, offline->set) {
		if (!platform_cpu(platform, cpu))
			return file_error(file, offline->line,
					  "found CPU %u in \"offline\", expected CPUs that are "
					  "present",
					  cpu);
		if (cpu == 0 && !platform->cpu0_hotplug.value)
			return file_error(file, offline->line,
					  "found CPU 0 in \"offline\", expected \"cpu0-hotplug = "
					  "yes\" in [files] too");
		count++;
	}
	if (count == platform->cpu_count)
		return file_error(file, offline->line,
				  "found every CPU in \"offline\", expected "
				  "one to stay online");
	return 0;
}

/** Refuses packages that do not exist. */
static int check_packages(struct platform_file *file, const struct platform *platform,
			  const struct set_value *packages, const char *name)
{
	unsigned int package;

	if (!packages->set)
		return 0;
	isst_cpuset_for_each (package, packages->set)
		if (!isst_cpuset_has(platform->packages.set, package))
			return file_error(file, packages->line,
					  "found package %u in \"%s\", expected packages of "
					  "[topology]",
					  package, name);
	return 0;
}

int platform_check(struct platform_file *file, struct platform *platform)
{
	bool transport = platform->mailbox.value != MAILBOX_NONE || platform->mmio.value != 0;
	int error = 0;

	if (!platform->bios_turbo.value && platform->no_turbo.line && !platform->no_turbo.value)
		error = file_error(
			file, platform->no_turbo.line,
			"found \"no-turbo = no\", but line %u disables turbo in the BIOS",
			platform->bios_turbo.line);
	/* Up to 6.1 a transport makes the node; from 6.12 on the common module does. */
	if (!platform_is_tpmi(platform) && !transport) {
		if (!platform->api_version.line)
			platform->api_version.value = 0;
		if (!platform->node.line && platform->kernel.value < KERNEL(6, 12))
			platform->node.value = 0;
	}
	if (!error)
		error = check_packages(file, platform, &platform->partly_bound, "partly-bound");
	if (!error)
		error = check_packages(file, platform, &platform->unbound, "unbound");
	for (size_t i = 0; i < platform->domain_count && !error; i++)
		error = check_domain(file, platform, &platform->domains[i]);
	if (!error)
		error = check_offline(file, platform);
	for (size_t i = 0; i < platform->cpu_count && platform->possible.set && !error; i++)
		if (!isst_cpuset_has(platform->possible.set, platform->cpus[i].number))
			error = file_error(file, platform->possible.line,
					   "found no CPU %u in \"possible\", expected all that are "
					   "present",
					   platform->cpus[i].number);
	return error;
}
