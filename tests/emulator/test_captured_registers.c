/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The built-in platforms that are said to be real machines have the registers that were captured of
 * them, bit for bit. The captures are not part of the project: ISST_CAPTURES names their
 * directory; where there is none the tests are skipped.
 */
#include "emulator/emulated.h"

#include "emulator/model/machines.h"
#include "emulator/model/platform.h"

#include <inttypes.h>
#include <sys/stat.h>

static const char *captured(void)
{
	const char *directory = getenv("ISST_CAPTURES");
	struct stat status;

	if (!directory)
		directory = "../shared/recorded";
	return stat(directory, &status) == 0 ? directory : NULL;
}

static struct platform *read_builtin(const char *name)
{
	struct platform *platform;
	char *error;

	for (size_t i = 0; builtin_platforms[i].name; i++)
		if (strcmp(builtin_platforms[i].name, name) == 0) {
			if (platform_read(name, name, builtin_texts[i], &platform, &error))
				fail_msg("%s", error);
			return platform;
		}
	fail_msg("no platform %s", name);
	return NULL;
}

static const struct platform_domain *find_domain(const struct platform *platform,
						 unsigned int package, unsigned int power_domain)
{
	for (size_t i = 0; i < platform->domain_count; i++)
		if (platform->domains[i].package == package &&
		    platform->domains[i].power_domain == power_domain)
			return &platform->domains[i];
	fail_msg("no package %u power domain %u", package, power_domain);
	return NULL;
}

/** ` 00000020: eight words of 32 bits`, the less significant of two first. The last line is
 * shorter. Returns how many registers were compared. */
static size_t compare_line(const struct platform_domain *domain, const char *line)
{
	unsigned int offset, word[8] = { 0 };
	int count = sscanf(line, " %x: %x %x %x %x %x %x %x %x", &offset, &word[0], &word[1],
			   &word[2], &word[3], &word[4], &word[5], &word[6], &word[7]);

	for (int i = 0; 2 * i + 2 < count; i++) {
		uint64_t value = (uint64_t)word[2 * i + 1] << 32 | word[2 * i];
		size_t at = offset / 8 + (size_t)i;

		assert_true(at < domain->register_count);
		if (domain->registers[at] != value)
			fail_msg("package %u power domain %u register 0x%zx: 0x%" PRIx64
				 ", captured 0x%" PRIx64,
				 domain->package, domain->power_domain, 8 * at,
				 domain->registers[at], value);
	}
	return count > 1 ? (size_t)(count - 1) / 2 : 0;
}

static void compare_package(const struct platform *platform, unsigned int package, FILE *dump)
{
	const struct platform_domain *domain = NULL;
	size_t compared = 0, domains = 0;
	unsigned int number;
	char line[256];

	while (fgets(line, sizeof(line), dump)) {
		if (sscanf(line, "TPMI Instance:%u", &number) == 1) {
			assert_true(!domain || compared == domain->register_count);
			domain = find_domain(platform, package, number);
			compared = 0;
			domains++;
		} else if (domain) {
			compared += compare_line(domain, line);
		}
	}
	assert_true(domain && compared == domain->register_count);
	assert_int_equal(domains, platform->domain_count / 2);
}

static void compare_machine(const char *name, const char *capture)
{
	static const char *const buses[] = { "00", "80" };
	struct platform *platform;

	if (!captured()) {
		print_message("no captured machines: ISST_CAPTURES names no directory\n");
		skip();
	}
	platform = read_builtin(name);
	for (unsigned int package = 0; package < 2; package++) {
		char path[600];
		FILE *dump;

		snprintf(path, sizeof(path),
			 "%s/%s/sys/kernel/debug/tpmi-0000:%s:03.1/tpmi-id-05/mem_dump", captured(),
			 capture, buses[package]);
		dump = fopen(path, "r");
		if (!dump)
			fail_msg("%s: %s", path, strerror(errno));
		compare_package(platform, package, dump);
		fclose(dump);
	}
	platform_free(platform);
}

TEST_MACHINE(granite_rapids_128, NULL)
{
	compare_machine("graniterapids-2s128c", "gnr0");
}

TEST_MACHINE(granite_rapids_64, NULL)
{
	compare_machine("graniterapids-2s64c", "gnr3");
}

TEST_MACHINE(sierra_forest_112, NULL)
{
	compare_machine("sierraforest-2s112c", "srf2");
}

/** Without any capture: what all of them have in common. */
TEST_MACHINE(real_machines_are_locked_and_have_127_registers, NULL)
{
	static const char *const names[] = { "graniterapids-2s128c", "graniterapids-2s64c",
					     "sierraforest-2s112c" };

	for (size_t i = 0; i < COUNT(names); i++) {
		struct platform *platform = read_builtin(names[i]);

		assert_int_equal(platform->domain_count, 10);
		for (size_t j = 0; j < platform->domain_count; j++) {
			const struct platform_domain *domain = &platform->domains[j];

			assert_int_equal(domain->register_count, 127);
			if (domain->type.value != DOMAIN_ABSENT) {
				assert_int_equal(domain->registers[15], 8); /* PP control */
				assert_int_equal(domain->registers[16], 8);
			}
		}
		platform_free(platform);
	}
}
