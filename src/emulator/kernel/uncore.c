/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The uncore limits of each die or power domain and their files. What a
 * write to them does is in writes.c.
 */
#include "emulator/state/server.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define UNCORE_DIRECTORY "root/sys/devices/system/cpu/intel_uncore_frequency"

/* Where firmware does not tell the limits of a level the hardware has some all the same. */
enum { USUAL_MIN_MHZ = 800, USUAL_MAX_MHZ = 2400 };

static unsigned int told(unsigned int mhz, unsigned int otherwise)
{
	return (mhz ? mhz : otherwise) * 1000;
}

/** The limits of the current level, or what the platform says instead. */
static void set_limits(const struct server *server, size_t index)
{
	const struct platform_domain *domain = &server->platform->domains[index];
	const struct level_facts facts = level_facts(server, index);
	struct domain_state *state = state_domain(server, index);

	state->uncore_min_khz = told(facts.uncore_min_mhz, USUAL_MIN_MHZ);
	state->uncore_max_khz = told(facts.uncore_max_mhz, USUAL_MAX_MHZ);
	if (domain->uncore_min.line)
		state->uncore_min_khz = domain->uncore_min.value * 1000;
	if (domain->uncore_max.line)
		state->uncore_max_khz = domain->uncore_max.value * 1000;
}

void uncore_init(const struct server *server, size_t domain)
{
	set_limits(server, domain);
}

void uncore_follow_level(const struct server *server, size_t domain)
{
	if (server->platform->uncore_follows_level.value)
		set_limits(server, domain);
}

/** The level's base frequency, as far as the limits let it. */
static unsigned int current_khz(const struct server *server, size_t index)
{
	const struct domain_state *state = state_domain(server, index);
	unsigned int khz = told(level_facts(server, index).uncore_base_mhz, USUAL_MIN_MHZ);

	if (khz < state->uncore_min_khz)
		khz = state->uncore_min_khz;
	return khz > state->uncore_max_khz ? state->uncore_max_khz : khz;
}

/* ---- Their directories ---- */

/* With TPMI each power domain has one, uncoreNN, and each package, package_PP_die_00, which stands
 * for all of its domains. Else each die has one, package_PP_die_DD. */

static bool has_uncore(const struct platform_domain *domain)
{
	return domain->type.value != DOMAIN_ABSENT;
}

static bool first_of_package(const struct platform *platform, size_t index)
{
	return index == 0 ||
	       platform->domains[index - 1].package != platform->domains[index].package;
}

static void name_domain(const struct platform *platform, size_t index, char name[32])
{
	const struct platform_domain *domain = &platform->domains[index];
	unsigned int number = 0;

	if (!platform_is_tpmi(platform)) {
		snprintf(name, 32, "package_%02u_die_%02u", domain->package, domain->die);
		return;
	}
	for (size_t i = 0; i < index; i++)
		number += has_uncore(&platform->domains[i]);
	snprintf(name, 32, "uncore%02u", number);
}

static void name_package(const struct platform *platform, size_t index, char name[32])
{
	snprintf(name, 32, "package_%02u_die_00", platform->domains[index].package);
}

bool uncore_find(const struct server *server, const char *name, size_t *domain, bool *package)
{
	const struct platform *platform = server->platform;

	for (size_t i = 0; i < platform->domain_count; i++) {
		char known[32];

		*domain = i;
		*package = false;
		name_domain(platform, i, known);
		if (has_uncore(&platform->domains[i]) && strcmp(known, name) == 0)
			return true;
		*package = platform_is_tpmi(platform) && first_of_package(platform, i);
		name_package(platform, i, known);
		if (*package && strcmp(known, name) == 0)
			return true;
	}
	return false;
}

/** Opens a directory of that name below the state directory or one that is to become it. */
static int open_named(int directory, const char *name, bool make)
{
	char path[128];
	int opened;

	snprintf(path, sizeof(path), UNCORE_DIRECTORY "/%s", name);
	if (make && mkdirat(directory, path, 0755))
		return -errno;
	opened = openat(directory, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return opened < 0 ? -errno : opened;
}

static int write_limits(int directory, unsigned int min_khz, unsigned int max_khz)
{
	int result = tree_write(directory, "max_freq_khz", "%u\n", max_khz);

	return result ? result : tree_write(directory, "min_freq_khz", "%u\n", min_khz);
}

static int write_domain(const struct server *server, size_t index, int directory)
{
	const struct domain_state *state = state_domain(server, index);
	int result = write_limits(directory, state->uncore_min_khz, state->uncore_max_khz);

	return result ? result
		      : tree_write(directory, "current_freq_khz", "%u\n",
				   current_khz(server, index));
}

/** The widest limits among the domains of a package, which begins with domain @index. */
static void package_limits(const struct server *server, size_t index, unsigned int *min_khz,
			   unsigned int *max_khz)
{
	const struct platform *platform = server->platform;

	*min_khz = UINT32_MAX;
	*max_khz = 0;
	for (size_t i = index; i < platform->domain_count &&
			       platform->domains[i].package == platform->domains[index].package;
	     i++) {
		const struct domain_state *state = state_domain(server, i);

		if (!has_uncore(&platform->domains[i]))
			continue;
		if (state->uncore_min_khz < *min_khz)
			*min_khz = state->uncore_min_khz;
		if (state->uncore_max_khz > *max_khz)
			*max_khz = state->uncore_max_khz;
	}
}

static int write_package(const struct server *server, size_t index, int parent)
{
	unsigned int min_khz, max_khz;
	char name[32];
	int directory, result;

	while (!first_of_package(server->platform, index))
		index--;
	name_package(server->platform, index, name);
	directory = open_named(parent, name, false);
	if (directory < 0)
		return directory;
	package_limits(server, index, &min_khz, &max_khz);
	result = write_limits(directory, min_khz, max_khz);
	close(directory);
	return result;
}

static int write_named_domain(const struct server *server, size_t index)
{
	char name[32];
	int directory, result;

	if (!has_uncore(&server->platform->domains[index]))
		return 0;
	name_domain(server->platform, index, name);
	directory = open_named(server->directory, name, false);
	if (directory < 0)
		return directory;
	result = write_domain(server, index, directory);
	close(directory);
	return result;
}

/** What is written to the package's directory changes all of them. */
int uncore_write(const struct server *server, size_t index)
{
	const struct platform *platform = server->platform;
	int result = 0;

	if (!platform->uncore.value)
		return 0;
	if (!platform_is_tpmi(platform))
		return write_named_domain(server, index);
	for (size_t i = 0; i < platform->domain_count && !result; i++)
		if (platform->domains[i].package == platform->domains[index].package)
			result = write_named_domain(server, i);
	return result ? result : write_package(server, index, server->directory);
}

/* ---- Making them ---- */

static int write_initial(int directory, unsigned int min_khz, unsigned int max_khz)
{
	int result = tree_write(directory, "initial_max_freq_khz", "%u\n", max_khz);

	return result ? result : tree_write(directory, "initial_min_freq_khz", "%u\n", min_khz);
}

/** The number of a power domain. Early kernels count in each of the two PCI devices that a
 * package's power domains are shared out to. */
static unsigned int domain_id(const struct platform *platform, size_t index)
{
	const struct platform_domain *domain = &platform->domains[index];
	unsigned int before = 0, all = 0;

	if (platform->uncore_ids.value == UNCORE_IDS_UNIQUE)
		return domain->power_domain;
	for (size_t i = 0; i < platform->domain_count; i++) {
		if (platform->domains[i].package != domain->package ||
		    !has_uncore(&platform->domains[i]))
			continue;
		all++;
		before += i < index;
	}
	return before < (all + 1) / 2 ? before : before - (all + 1) / 2;
}

/** Which domain a directory is for; root alone may read that. */
static int write_identity(const struct server *server, size_t index, int directory)
{
	const struct platform *platform = server->platform;
	const struct platform_domain *domain = &platform->domains[index];
	const struct {
		const char *name;
		unsigned int value, kernel;
	} numbers[] = {
		{ "package_id", domain->package, 0 },
		{ "domain_id", domain_id(platform, index), 0 },
		{ "fabric_cluster_id", 0, 0 },
		{ "instance_id", domain->power_domain, KERNEL(7, 2) },
		{ "die_id", domain->die, KERNEL(7, 2) },
	};
	int result = 0;

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers) && !result; i++) {
		if (platform->kernel.value < numbers[i].kernel)
			continue;
		result = tree_write(directory, numbers[i].name, "%u\n", numbers[i].value);
		if (!result && fchmodat(directory, numbers[i].name, 0400, 0))
			result = -errno;
	}
	if (result || platform->kernel.value < KERNEL(7, 0))
		return result;
	return tree_write(directory, "agent_types", "%s\n",
			  domain->type.value == DOMAIN_IO ? "io" : "core cache memory");
}

static int make_domain(const struct server *server, size_t index, int parent)
{
	const struct domain_state *state = state_domain(server, index);
	char name[32];
	int directory, result;

	if (!has_uncore(&server->platform->domains[index]))
		return 0;
	name_domain(server->platform, index, name);
	directory = open_named(parent, name, true);
	result = directory < 0 ? directory : write_domain(server, index, directory);
	if (!result)
		result = write_initial(directory, state->uncore_min_khz, state->uncore_max_khz);
	if (!result && platform_is_tpmi(server->platform))
		result = write_identity(server, index, directory);
	if (directory >= 0)
		close(directory);
	return result;
}

static int make_package(const struct server *server, size_t index, int parent)
{
	unsigned int min_khz, max_khz;
	char name[32];
	int directory, result;

	if (!platform_is_tpmi(server->platform) || !first_of_package(server->platform, index))
		return 0;
	name_package(server->platform, index, name);
	directory = open_named(parent, name, true);
	if (directory < 0)
		return directory;
	package_limits(server, index, &min_khz, &max_khz);
	result = write_limits(directory, min_khz, max_khz);
	if (!result)
		result = write_initial(directory, min_khz, max_khz);
	close(directory);
	return result;
}

int uncore_make(const struct server *server, int directory)
{
	const struct platform *platform = server->platform;
	int result = 0;

	if (!platform->uncore.value)
		return 0;
	if (mkdirat(directory, UNCORE_DIRECTORY, 0755))
		return -errno;
	for (size_t i = 0; i < platform->domain_count && !result; i++) {
		result = make_package(server, i, directory);
		if (!result)
			result = make_domain(server, i, directory);
	}
	return result;
}
