/* SPDX-License-Identifier: BSD-3-Clause */
/* How the text of a platform file becomes TPMI registers. */
#include "emulator/platform_text.h"

#include <inttypes.h>

#define DRIVER "[driver]\napi-version = 3\n"
#define SMALL DRIVER "[topology]\npackages = 0\ncores = 0-3\n[level 0]\ncores = 0-3\nbase = 2000\n"

static void assert_register(const struct platform *platform, size_t domain, size_t offset,
			    uint64_t expected)
{
	uint64_t found = platform->domains[domain].registers[offset / 8];

	if (found != expected)
		fail_msg("register 0x%zx: 0x%" PRIx64 ", not 0x%" PRIx64, offset, found, expected);
}

TEST_MACHINE(defaults_of_a_small_platform, NULL)
{
	struct platform *platform = parse(SMALL);

	assert_int_equal(platform->domain_count, 1);
	assert_int_equal(platform->domains[0].register_count, 127);
	assert_register(platform, 0, 0, 0x0c010301);
	assert_register(platform, 0, 8, 0x10);
	assert_register(platform, 0, 0x18, 0);
	assert_register(platform, 0, 0x20, 0xff0000); /* no limit */
	assert_register(platform, 0, 0x60, UINT64_C(0x45800101011));
	assert_register(platform, 0, 0x68, 0xe0c00);
	assert_register(platform, 0, 0x70, UINT64_C(0x5d47311b05));
	assert_register(platform, 0, 0x78, 0);
	assert_register(platform, 0, 0x88, 20);
	assert_register(platform, 0, 0x90, 0x0404); /* fused, resolved */
	assert_register(platform, 0, 0x98, 0xf);
	assert_register(platform, 0, 0xe0, 0x08081414); /* P0 and P1: base; Pn and Pm: lowest */
	assert_register(platform, 0, 0xe8, 0x12);	/* SST-BF: not supported */
	assert_register(platform, 0, 0xf8, 0x13);
	platform_free(platform);
}

TEST_MACHINE(every_key_has_its_place, NULL)
{
	struct platform *platform = parse(
		DRIVER "[topology]\npackages = 0\ncores = 0-63\n"
		       "[domain]\ncore-power = no\ncore-power-version = 3\ninterface-version = 2\n"
		       "core-power-enabled = yes\npriority = ordered\nlocked = yes\nlevel = 2\n"
		       "turbo-freq-enabled = yes\ndynamic-switch = no\nversion = 2\n"
		       "[clos 1]\nweight = 10\nmin = 800\nmax = 3000\ncores = 0,17,63\n"
		       "[level 2]\ncores = 60-63\nbase = 2000\nbase-avx2 = 1800\n"
		       "base-avx512 = 1600\nbase-amx = 1400\npower = 100\npower-eighths = 5\n"
		       "fused-cores = 64\nresolved-cores = 60\ntjunction = 105\nmemory = 6400\n"
		       "cooling = 2\np0 = 4000\np1 = 2100\npn = 900\npm = 400\n"
		       "uncore-max = 2500\nuncore-base = 1500\nuncore-min = 700\n"
		       "uncore-2-max = 2400\nuncore-2-base = 1300\nuncore-2-min = 600\n"
		       "trl-cores = 1 2 3 4 5 6 7 8\n"
		       "trl-level-5 = 800 700 600 500 400 300 200 100\n"
		       "base-freq-cores = 63\nbase-freq-high = 2200\nbase-freq-low = 1900\n"
		       "base-freq-power = 99\nbase-freq-power-eighths = 1\n"
		       "base-freq-tjunction = 101\nbase-freq-version = 4\n"
		       "turbo-freq-version = 2\nturbo-freq-cores = 1 2 255\n"
		       "turbo-freq-modules = 258 1 65535\nturbo-freq-level-3 = 3000 2900 2800\n"
		       "turbo-freq-clip-level-5 = 1000\nturbo-freq-clip-level-0 = 1100\n"
		       "[level 3]\nenabled = no\n"
		       "[level 7]\nallowed = no\ncores = 0\nbase = 1000\n"
		       "register 0x18 = 0x1122334455667788\nregister-bits 0x8 = 0xff0000\n"
		       "[domain]\nregister 0x10 = 7\n");
	/* Blocks of 24 words: 13 of the level, 2 of SST-BF, 9 of SST-TF; eight of them. */
	const size_t level = 0x60 + (5 + 2 * 24) * 8, bf = level + 13 * 8, tf = bf + 2 * 8;
	const size_t last = 0x60 + (5 + 7 * 24) * 8;

	assert_int_equal(platform->domains[0].register_count, 12 + 5 + 8 * 24);
	assert_register(platform, 0, 0x00, 0x0c010202);
	assert_register(platform, 0, 0x08, 0x30);
	assert_register(platform, 0, 0x10, 7); /* as it was said, not enabled and ordered */
	assert_register(platform, 0, 0x18, 3);
	assert_register(platform, 0, 0x28, 0x1e08a0);
	assert_register(platform, 0, 0x40, 0x1);
	assert_register(platform, 0, 0x48, 0x10);
	assert_register(platform, 0, 0x50, 0);
	assert_register(platform, 0, 0x58, UINT64_C(1) << 60);
	assert_register(platform, 0, 0x60, UINT64_C(24) << 34 | 0x04 << 20 | 0x84 << 12 | 0x21);
	assert_register(platform, 0, 0x68, 0x0f0d00);
	assert_register(platform, 0, 0x70, UINT64_C(0xad957d654d351d05));
	assert_register(platform, 0, 0x78, 0x20a);
	assert_register(platform, 0, 0x80, 0x20a);
	assert_register(platform, 0, level, 0x0e101214);
	assert_register(platform, 0, level + 8,
			UINT64_C(2) << 62 | UINT64_C(64) << 55 | UINT64_C(105) << 47 |
				UINT64_C(805) << 32 | 0x3c40);
	assert_register(platform, 0, level + 16, UINT64_C(0xf000000000000000));
	assert_register(platform, 0, level + 72, UINT64_C(0x0102030405060708));
	assert_register(platform, 0, level + 80, UINT64_C(0x0807060504030201));
	assert_register(platform, 0, level + 88, UINT64_C(0x00070f1904091528));
	assert_register(platform, 0, level + 96, 0x060d18);
	assert_register(platform, 0, bf,
			UINT64_C(793) << 46 | UINT64_C(101) << 38 | 19 << 21 | 22 << 13 | 1 << 12 |
				0x42);
	assert_register(platform, 0, bf + 8, UINT64_C(1) << 63);
	assert_register(platform, 0, tf, UINT64_C(10) << 56 | UINT64_C(11) << 16 | 1 << 12 | 0x23);
	assert_register(platform, 0, tf + 8, 0xff0201);
	assert_register(platform, 0, tf + 40, 0x1c1d1e);
	assert_register(platform, 0, tf + 64, UINT64_C(0xffff00010102));
	assert_register(platform, 0, level + 24 * 8 + 88, 0); /* level 3 does not exist */
	assert_register(platform, 0, last + 8, 0xff0101);
	assert_register(platform, 0, last + 24, UINT64_C(0x1122334455667788));
	platform_free(platform);
}

/** Sections for some packages and power domains, and for several levels. */
TEST_MACHINE(sections_for_some_power_domains, NULL)
{
	struct platform *platform = parse(
		DRIVER "[topology]\npackages = 1,4\npower-domains = 0,2-4\ncores = 0-3\n"
		       "[domain power-domain 3-4]\ntype = io\n"
		       "[domain package 4 power-domain 2]\ntype = absent\n"
		       "[level 0-2]\ncores = 0-3\nbase = 2000\n"
		       "[level 1-2 power-domain 0,2]\nbase = 2200\n"
		       "[level 2 package 4]\nallowed = no\n");

	assert_int_equal(platform->domain_count, 8);
	assert_int_equal(platform->cpu_count, 12);
	for (size_t i = 0; i < 8; i++) {
		static const unsigned int numbers[] = { 0, 2, 3, 4 };

		assert_int_equal(platform->domains[i].package, i < 4 ? 1 : 4);
		assert_int_equal(platform->domains[i].socket, i / 4);
		assert_int_equal(platform->domains[i].die, i / 4);
		assert_int_equal(platform->domains[i].power_domain, numbers[i % 4]);
	}
	assert_register(platform, 0, 0x88 + 22 * 8, 22);
	assert_register(platform, 2, 0x88 + 22 * 8, 20);
	assert_register(platform, 0, 0x60, UINT64_C(0x45800000000) | 0x707 << 12 | 0x11);
	assert_register(platform, 4, 0x60, UINT64_C(0x45800000000) | 0x307 << 12 | 0x11);
	assert_register(platform, 2, 0x98, 0);
	for (size_t offset = 0; offset < 127 * 8; offset += 8)
		assert_register(platform, 5, offset, UINT64_MAX);
	assert_int_equal(platform->cpus[8].domain, 4);
	assert_int_equal(platform->cpus[4].punit, 2 << 11);
	platform_free(platform);
}

TEST_MACHINE(unlocking, NULL)
{
	struct platform *platform = parse(
		SMALL "[topology]\npower-domains = 0-1\n[domain]\nlocked = yes\nlevel = 0\n"
		      "[domain power-domain 1]\ntype = absent\n");

	assert_register(platform, 0, 0x78, 0x8);
	platform_unlock(platform);
	assert_register(platform, 0, 0x78, 0);
	assert_register(platform, 0, 0x80, 0);
	assert_register(platform, 1, 0x78, UINT64_MAX);
	platform_free(platform);
}

/* ---- Platforms that are made from something else than text ---- */

static struct platform *make_platform(size_t registers)
{
	static const uint64_t header[] = { 0x0c010301, 0x10 };
	struct platform *platform = platform_new("made");
	struct platform_domain *domains = calloc(2, sizeof(*domains));
	struct platform_cpu *cpus = calloc(2, sizeof(*cpus));

	assert_true(platform && domains && cpus);
	platform->api_version.value = 3;
	platform->domains = domains;
	platform->domain_count = 2;
	for (unsigned int i = 0; i < 2; i++) {
		domains[i].power_domain = i;
		domains[i].registers = calloc(registers, sizeof(uint64_t));
		domains[i].register_count = registers;
		memcpy(domains[i].registers, header, sizeof(header));
		cpus[i].number = i;
	}
	platform->cpus = cpus;
	platform->cpu_count = 2;
	return platform;
}

/** Completing has to fail; with this message. */
static void assert_contradiction(struct platform *platform, const char *message)
{
	char *what = NULL;

	assert_int_equal(platform_complete(platform, &what), -EINVAL);
	assert_string_equal(what, message);
	free(what);
}

TEST_MACHINE(what_contradicts_itself, NULL)
{
	struct platform *platform;

	platform = make_platform(14);
	assert_contradiction(platform, "package 0 power domain 0 has 14 registers, too few to hold "
				       "the perf-profile registers");
	platform_free(platform);
	platform = make_platform(127);
	platform->domains[1].registers[12] = 0xff << 12; /* eight levels without room */
	platform->domains[1].registers[14] = UINT64_MAX;
	assert_contradiction(platform,
			     "package 0 power domain 1 has 127 registers, too few to hold "
			     "registers of a level");
	platform_free(platform);
	platform = make_platform(127);
	platform->domains[1].power_domain = 16;
	assert_contradiction(platform, "package 0 has a power domain 16; only 0 to 15 exist");
	platform_free(platform);
}
