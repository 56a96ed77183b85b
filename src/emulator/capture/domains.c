/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The domains of a captured machine. What the capture does not have is composed
 * (docs/internals/captured-machines.md has the rules for readers).
 */
#include "base/array.h"
#include "emulator/capture/parts.h"
#include "emulator/model/text.h"
#include "emulator/model/tpmi_layout.h"

#include <errno.h>
#include <stdlib.h>

/** The die of each CPU as the kernel shows it; 0 where it shows none of any. */
static int find_dies(struct capture *capture)
{
	const struct captured_cpu *with = NULL, *without = NULL;
	int result = 0;

	for (size_t i = 0; i < capture->cpu_count && !result; i++) {
		struct captured_cpu *cpu = &capture->cpus[i];

		result = capture_number(capture,
					capture_cpu_entry(capture, cpu->number, "topology/die_id"),
					HIGHEST_ID, &cpu->die);
		if (result == -ENOENT) {
			without = cpu;
			result = 0;
		} else {
			with = cpu;
		}
	}
	if (result || !with || !without)
		return result;
	return captured_error(&capture->entry_file, captured_end(&capture->entry_file),
			      "found no topology/die_id of CPU %u, expected one as CPU %u has",
			      without->number, with->number);
}

static int add_domain(struct platform *platform, const struct platform_domain *domain)
{
	if (ARRAY_GROW(platform->domains, platform->domain_count))
		return -ENOMEM;
	platform->domains[platform->domain_count] = *domain;
	platform->domains[platform->domain_count].cores.set = isst_cpuset_new();
	platform->domains[platform->domain_count].cores.line = 1;
	return platform->domains[platform->domain_count++].cores.set ? 0 : -ENOMEM;
}

ssize_t capture_find_domain(const struct platform *platform, unsigned int package, unsigned int die,
			    unsigned int power_domain)
{
	for (size_t i = 0; i < platform->domain_count; i++)
		if (platform->domains[i].package == package &&
		    (platform_is_tpmi(platform) ? platform->domains[i].power_domain == power_domain
						: platform->domains[i].die == die))
			return (ssize_t)i;
	return -1;
}

static int compare_domains(const void *left, const void *right)
{
	const struct platform_domain *a = left, *b = right;

	if (a->package != b->package)
		return a->package < b->package ? -1 : 1;
	return (a->die > b->die) - (a->die < b->die);
}

/** Mailbox firmware: a package x die each. */
static int make_die_domains(struct capture *capture, struct platform *platform)
{
	int result = 0;

	for (size_t i = 0; i < capture->cpu_count && !result; i++) {
		const struct captured_cpu *cpu = &capture->cpus[i];
		struct platform_domain domain = {
			.package = cpu->package,
			.die = cpu->die,
			.perf_profile = { 1, 0 },
			.version = { 3, 0 },
			.core_power = { 1, 0 },
			.second_half = { 1, 0 },
		};

		if (capture_find_domain(platform, domain.package, domain.die, 0) < 0)
			result = add_domain(platform, &domain);
	}
	if (result)
		return result;
	qsort(platform->domains, platform->domain_count, sizeof(*platform->domains),
	      compare_domains);
	for (size_t i = 1; i < platform->domain_count; i++)
		if (platform->domains[i].package == platform->domains[i - 1].package)
			platform->domains[i].die_index = platform->domains[i - 1].die_index + 1;
	return 0;
}

static int add_power_domain(struct platform *platform, const struct captured_dump *dump,
			    struct captured_instance *instance, struct platform_domain *domain)
{
	const struct tpmi_registers registers = { instance->registers, instance->count };
	const char *missing = tpmi_absent(&registers) ? NULL : tpmi_incomplete(&registers);
	int result;

	if (missing)
		return captured_error(&dump->file, instance->line,
				      "found %s of instance %u outside its registers, expected "
				      "everything within",
				      missing, instance->number);
	domain->power_domain = instance->number;
	domain->type = known_number(tpmi_absent(&registers) ? DOMAIN_ABSENT : DOMAIN_IO);
	domain->registers = instance->registers;
	domain->register_count = instance->count;
	result = add_domain(platform, domain);
	/* Domains own their registers. */
	if (!result)
		instance->registers = NULL;
	return result;
}

/** Whether the driver served the package; it did where the capture does not have it. */
static int note_bound(const struct capture *capture, struct platform *platform, unsigned int socket,
		      unsigned int package)
{
	const struct captured_answer request = { .kind = CAPTURE_INSTANCES, .package = socket };
	const struct captured_answer *answer = capture_answer(capture, &request);
	struct set_value *set;

	if (!answer || (answer->value && !answer->error))
		return 0;
	set = answer->error ? &platform->unbound : &platform->partly_bound;
	set->line = answer->line;
	if (!set->set)
		set->set = isst_cpuset_new();
	return set->set ? isst_cpuset_add(set->set, package, package) : -ENOMEM;
}

/** TPMI: an instance each, of one device for each package. */
static int make_power_domains(struct capture *capture, struct platform *platform,
			      const struct isst_cpuset *packages)
{
	unsigned int package, socket = 0;
	int result = 0;

	if (isst_cpuset_count(packages) != capture->dump_count)
		return set_error(capture->error, -EINVAL,
				 "%s/" CAPTURE_DEBUGFS ": found the registers of %zu TPMI devices, "
				 "expected one for each of %zu packages",
				 capture->directory, capture->dump_count,
				 isst_cpuset_count(packages));
	isst_cpuset_for_each (package, packages) {
		struct captured_dump *dump = &capture->dumps[socket];
		struct platform_domain domain = { .package = package, .socket = socket };

		result = note_bound(capture, platform, socket++, package);
		for (size_t i = 0; i < dump->count && !result; i++)
			result = add_power_domain(platform, dump, &dump->instances[i], &domain);
		if (result)
			break;
	}
	return result;
}

int capture_make_domains(struct capture *capture, struct platform *platform)
{
	struct isst_cpuset *packages = isst_cpuset_new();
	int result = packages ? find_dies(capture) : -ENOMEM;

	for (size_t i = 0; i < capture->cpu_count && !result; i++)
		result = isst_cpuset_add(packages, capture->cpus[i].package,
					 capture->cpus[i].package);
	if (!result)
		result = platform_is_tpmi(platform)
				 ? make_power_domains(capture, platform, packages)
				 : make_die_domains(capture, platform);
	isst_cpuset_free(packages);
	return result;
}
