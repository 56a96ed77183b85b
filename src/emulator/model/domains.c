/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes the packages, dies and power domains that a platform file describes, and gives each its
 * cores and levels. Knows nothing of driver, firmware or the kernel's files.
 */
#include "base/array.h"
#include "emulator/model/file.h"

#include <errno.h>
#include <stdlib.h>

static unsigned int kind_line(const struct platform_file *file, enum section_target target)
{
	for (size_t i = 0; i < file->section_count; i++)
		if (file->sections[i].kind->target == target)
			return file->sections[i].line;
	return 1;
}

static bool section_covers(const struct section *section, const struct platform_domain *domain)
{
	return (!section->package.line || section->package.value == domain->package) &&
	       (!section->die.line || section->die.value == domain->die_index) &&
	       (!section->power_domains.line ||
		section->power_domains.value >> domain->power_domain & 1);
}

/** The level of that number, made in its place where it is missing. */
static struct platform_level *obtain_level(struct platform_domain *domain, unsigned int number,
					   unsigned int line)
{
	size_t at = 0;
	struct platform_level *levels;

	while (at < domain->level_count && domain->levels[at].number < number)
		at++;
	if (at < domain->level_count && domain->levels[at].number == number)
		return &domain->levels[at];
	if (ARRAY_GROW(domain->levels, domain->level_count))
		return NULL;
	levels = domain->levels;
	for (size_t i = domain->level_count++; i > at; i--)
		levels[i] = levels[i - 1];
	levels[at] = (struct platform_level){
		.number = number,
		.line = line,
		.enabled.value = 1,
		.allowed.value = 1,
	};
	return &levels[at];
}

/** Applies a section to the level of that number, which it may be the first one to name. */
static int apply_to_level(struct platform_file *file, size_t index, struct platform *platform,
			  struct platform_domain *domain, unsigned int number)
{
	const struct section *section = &file->sections[index];
	size_t before = domain->level_count;
	struct platform_level *level = obtain_level(domain, number, section->line);

	if (!level)
		return -ENOMEM;
	platform->level_count += domain->level_count - before;
	if (platform->level_count > MOST_LEVELS)
		return file_error(file, section->line,
				  "found more levels, expected at most %u of all domains together",
				  MOST_LEVELS);
	return platform_file_apply(file, index, level);
}

static int apply_to_domain(struct platform_file *file, size_t index, struct platform *platform,
			   struct platform_domain *domain)
{
	const struct section *section = &file->sections[index];
	int error = 0;

	if (section->kind->target == TARGET_DOMAIN)
		return platform_file_apply(file, index, domain);
	for (unsigned int number = section->number; number <= section->last && !error; number++) {
		if (section->kind->target == TARGET_CLOS)
			error = platform_file_apply(file, index, &domain->clos[number]);
		else
			error = apply_to_level(file, index, platform, domain, number);
	}
	return error;
}

/** In the order of the file, so that a later, narrower section overrides an earlier one. */
static int apply_to_domains(struct platform_file *file, size_t index, struct platform *platform)
{
	const struct section *section = &file->sections[index];
	size_t covered = 0;
	int error = 0;

	if (section->kind->target == TARGET_PLATFORM)
		return 0;
	for (size_t i = 0; i < platform->domain_count && !error; i++) {
		if (!section_covers(section, &platform->domains[i]))
			continue;
		covered++;
		error = apply_to_domain(file, index, platform, &platform->domains[i]);
	}
	if (!error && covered == 0)
		return file_error(file, section->line,
				  "found a [%s] section for a package, die or power domain that "
				  "is not in [topology]",
				  section->kind->name);
	return error;
}

static int set_domain_defaults(const struct platform *platform, struct platform_domain *domain)
{
	domain->perf_profile.value = 1;
	domain->version.value = platform_is_tpmi(platform) ? 1 : 3;
	domain->interface_version.value = 1;
	domain->cp_version.value = 1;
	domain->dynamic_switch.value = 1;
	domain->core_power.value = 1;
	domain->second_half.value = 1;
	for (size_t i = 0; i < CLOS_COUNT; i++)
		domain->clos[i].max.value = 25500; /* no limit */
	domain->cores.line = platform->cores.line;
	domain->cores.set = isst_cpuset_new();
	if (!domain->cores.set)
		return -ENOMEM;
	return platform->cores.set ? isst_cpuset_add_set(domain->cores.set, platform->cores.set)
				   : 0;
}

static unsigned int kernel_die_id(const struct platform *platform,
				  const struct platform_domain *domain, unsigned int package_index)
{
	switch (platform->die_ids.value) {
	case DIE_IDS_ACROSS:
		return package_index * platform->dies.value + domain->die_index;
	case DIE_IDS_POWER_DOMAIN:
		return domain->power_domain;
	default:
		return domain->die_index;
	}
}

/** The parts of a package that firmware controls: dies, or power domains. */
static int collect_parts(const struct platform *platform, struct isst_cpuset *parts)
{
	if (!platform_is_tpmi(platform))
		return isst_cpuset_add(parts, 0, platform->dies.value - 1);
	return platform->power_domains.set ? isst_cpuset_add_set(parts, platform->power_domains.set)
					   : isst_cpuset_add(parts, 0, 0);
}

static int add_domains(struct platform_file *file, struct platform *platform,
		       const struct isst_cpuset *parts)
{
	size_t count = isst_cpuset_count(platform->packages.set) * isst_cpuset_count(parts);
	unsigned int package, package_index = 0, part;
	size_t index = 0;
	int error = 0;

	if (count > MOST_DOMAINS)
		return file_error(file, platform->packages.line,
				  "found %zu dies or power domains, expected at most %u", count,
				  MOST_DOMAINS);
	platform->domains = calloc(count, sizeof(*platform->domains));
	if (!platform->domains)
		return -ENOMEM;
	platform->domain_count = count;
	isst_cpuset_for_each (package, platform->packages.set) {
		for (part = 0; isst_cpuset_next(parts, part, &part) && !error; part++) {
			struct platform_domain *domain = &platform->domains[index++];

			domain->package = package;
			*(platform_is_tpmi(platform) ? &domain->power_domain
						     : &domain->die_index) = part;
			domain->die = kernel_die_id(platform, domain, package_index);
			error = set_domain_defaults(platform, domain);
		}
		package_index++;
	}
	return error;
}

/** Defaults that depend on the driver, and what it does not support. */
static int apply_driver(struct platform_file *file, struct platform *platform)
{
	bool tpmi = platform_is_tpmi(platform);

	if (tpmi && !platform->die_ids.line)
		platform->die_ids.value = DIE_IDS_ACROSS;
	if (tpmi && !platform->core_ids.line)
		platform->core_ids.value = CORE_IDS_SPREAD;
	if (!platform->modules.value && platform->threads.value > 2)
		return file_error(
			file, platform->threads.line,
			"found %u threads of a core, expected 1 or 2, or \"modules = yes\"",
			platform->threads.value);
	return 0;
}

/** IO domains have no cores; absent ones only those of a section of their own, which are lost. */
static int remove_cores(const struct platform *platform, struct platform_domain *domain)
{
	if (domain->type.value == DOMAIN_COMPUTE ||
	    (domain->type.value == DOMAIN_ABSENT && domain->cores.line != platform->cores.line))
		return 0;
	isst_cpuset_free(domain->cores.set);
	domain->cores.set = isst_cpuset_new();
	return domain->cores.set ? 0 : -ENOMEM;
}

int platform_make_domains(struct platform_file *file, struct platform *platform)
{
	struct isst_cpuset *parts;
	int error;

	if (!platform->packages.set || isst_cpuset_count(platform->packages.set) == 0)
		return file_error(file, kind_line(file, TARGET_PLATFORM),
				  "found no packages, expected \"packages\" in [topology]");
	error = apply_driver(file, platform);
	if (error)
		return error;
	parts = isst_cpuset_new();
	error = parts ? collect_parts(platform, parts) : -ENOMEM;
	if (!error)
		error = add_domains(file, platform, parts);
	isst_cpuset_free(parts);
	for (size_t i = 0; i < file->section_count && !error; i++)
		error = apply_to_domains(file, i, platform);
	for (size_t i = 0; i < platform->domain_count && !error; i++) {
		struct platform_domain *domain = &platform->domains[i];

		error = remove_cores(platform, domain);
		if (!error && domain->type.value == DOMAIN_COMPUTE &&
		    isst_cpuset_count(domain->cores.set) == 0)
			error = file_error(file, platform->packages.line,
					   "found package %u without cores, expected \"cores\" in "
					   "[topology] or [domain]",
					   domain->package);
	}
	return error;
}
