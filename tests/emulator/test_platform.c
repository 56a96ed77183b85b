/* SPDX-License-Identifier: BSD-3-Clause */
/* Platform files: what is understood, what is refused and where the error points to. */
#include "emulator/platform_text.h"

#include "emulator/model/machines.h"

#include <dirent.h>

/* Line 1 to 11; a test adds to its end. */
#define SMALL \
	"[topology]\n" \
	"packages = 0-1\n" \
	"cores = 0-3\n" \
	"threads = 2\n" \
	"[cpu]\n" \
	"model = 0x6a\n" \
	"# a comment\n" \
	"\n" \
	"[level 0]\n" \
	"cores = 0-3 # all of them\n" \
	"base = 2000\n"

TEST_MACHINE(defaults_of_a_small_platform, NULL)
{
	struct platform *platform = parse(SMALL);
	const struct platform_level *level;

	assert_int_equal(platform->domain_count, 2);
	assert_int_equal(platform->cpu_count, 16);
	assert_int_equal(platform->cpu_ids, 16);
	assert_int_equal(platform->max_commands.value, 64);
	level = platform_level(&platform->domains[1], 0);
	assert_non_null(level);
	assert_int_equal(level->tdp_ratio.value, 20);
	assert_true(level->cores.cores == 0xf);
	assert_null(platform_level(&platform->domains[1], 1));
	platform_free(platform);
}

TEST_MACHINE(mistakes_are_reported_with_their_line, NULL)
{
	static const struct mistake mistakes[] = {
		{ "", "x.platform:1: found no packages" },
		{ "cores = 0\n", "x.platform:1: found \"cores = 0\" before the first [section]" },
		{ "\n[nonsense]\n", "x.platform:2: found section \"nonsense\"" },
		{ "[topology\n", "x.platform:1: found \"[topology\"" },
		{ "[]\n", "x.platform:1: found section \"\"" },
		{ "[level]\n",
		  "x.platform:1: found \"]\" after \"level\", expected a number 0..255" },
		{ "[level 256]\n", "x.platform:1: found \"256\" after \"level\"" },
		{ "[clos 4]\n",
		  "x.platform:1: found \"4\" after \"clos\", expected a number 0..3" },
		{ "[cpu package 1]\n", "x.platform:1: found \"package\" in a section's name" },
		{ "[level 0 packag 1]\n", "x.platform:1: found \"packag\" in a section's name" },
		{ "[level 0 package x]\n", "x.platform:1: found \"x\" after \"package\"" },
		{ "[cpu]\nmodle = 3\n",
		  "x.platform:2: found key \"modle\" in [cpu], expected one of "
		  "vendor, family, model" },
		{ "[cpu]\nmodel\n", "x.platform:2: found \"model\", expected \"key = value\"" },
		{ "[cpu]\nmodel = 1\nmodel = 2\n", "x.platform:3: found \"model\" again" },
		{ "[cpu]\nmodel = 0x100\n",
		  "x.platform:2: found \"0x100\" for \"model\", expected a "
		  "number 0..255" },
		{ "[cpu]\nname =\n", "x.platform:2: found nothing for \"name\"" },
		{ "[driver]\nmmio = 0x1\n",
		  "x.platform:2: found \"0x1\" for \"mmio\", expected one of "
		  "none, 0x3451, 0x3251" },
		{ "[driver]\nkernel = 6\n", "x.platform:2: found \"6\" for \"kernel\"" },
		{ "[topology]\npackages = 1-0\n",
		  "x.platform:2: found \"0\" for \"packages\", expected "
		  "a list" },
		{ "[topology]\ncores = 256\n", "x.platform:2: found 256 for \"cores\"" },
		{ "[topology]\npackages = 0\n", "x.platform:2: found package 0 without cores" },
		{ "[topology]\npackages = 0\ncores = 0\n",
		  "x.platform:2: found package 0 die 0 without "
		  "levels" },
		{ SMALL "[domain package 7]\n",
		  "x.platform:12: found a [domain] section for a package, die or power domain "
		  "that is not in [topology]" },
		{ SMALL "[topology]\ncpus = 0-3\n",
		  "x.platform:13: found 4 CPU numbers, expected 16" },
		{ SMALL "[topology]\noffline = 16\n",
		  "x.platform:13: found CPU 16 in \"offline\"" },
		{ SMALL "[topology]\noffline = 0\n", "x.platform:13: found CPU 0 in \"offline\"" },
		{ SMALL "[topology]\npossible = 0-14\n", "x.platform:13: found no CPU 15" },
		{ SMALL "[level 1]\n", "x.platform:12: found level 1 without \"cores\"" },
		{ SMALL "[level 1]\ncores = 0\n", "x.platform:12: found level 1 without \"base\"" },
		{ SMALL "[level 1]\ncores = 0,4\nbase = 1000\n",
		  "x.platform:13: found core 4 at level "
		  "1, expected cores of package 0" },
		{ SMALL "[level 1]\ncores = 64\n",
		  "x.platform:13: found 64 for \"cores\", expected "
		  "numbers up to 63" },
		{ SMALL "base-avx2 = 1950\n", "x.platform:12: found \"1950\" for \"base-avx2\", "
					      "expected a multiple of 100 MHz" },
		{ SMALL "base-avx2 = 25600\n", "x.platform:12: found \"25600\"" },
		{ SMALL "trl-sse = 1 2 3\n", "x.platform:12: found \"1\" for \"trl-sse\"" },
		{ SMALL "trl-sse = 100 100 100 100 100 100 100 100 100\n",
		  "x.platform:12: found \"100\" as value 9" },
		{ SMALL "base-freq-high = 2000\n",
		  "x.platform:12: found base-freq values at level 0" },
		{ SMALL "base-freq-cores = 0\n",
		  "x.platform:12: found \"base-freq-cores\", expected "
		  "\"base-freq-high\"" },
		{ SMALL "base-freq-cores = 5\nbase-freq-high = 2000\nbase-freq-low = 1900\n",
		  "x.platform:12: found core 5 in \"base-freq-cores\"" },
		{ SMALL "base-freq-cores = 0\nbase-freq-high = 1800\nbase-freq-low = 1900\n",
		  "x.platform:13: found a high base frequency of 1800 MHz below" },
		{ SMALL "turbo-freq-sse = 2000\n",
		  "x.platform:12: found turbo-freq values at level 0" },
		{ SMALL "turbo-freq-cores = 2 2\n", "x.platform:12: found 2 cores after 2" },
		{ SMALL "turbo-freq-cores = 2\nturbo-freq-sse = 2000 1900\n",
		  "x.platform:13: found 2 buckets" },
		{ SMALL "memory = 3100\n", "x.platform:12: found 3100 for \"memory\"" },
		{ SMALL "memory = 3200\nmemory-code = 0\n",
		  "x.platform:13: found \"memory-code\"" },
		{ SMALL "[domain]\nturbo-cores = 4 2\n", "x.platform:13: found 2 cores after 4" },
		{ SMALL "[domain]\nlevel = 1\n", "x.platform:13: found 1 as level of package 0" },
		{ SMALL "[domain]\nbase-freq-enabled = yes\n",
		  "x.platform:13: found base-freq enabled" },
		{ SMALL "[domain]\nturbo-freq-enabled = yes\n",
		  "x.platform:13: found turbo-freq enabled" },
		{ SMALL "[domain]\nlocked = maybe\n",
		  "x.platform:13: found \"maybe\" for \"locked\", "
		  "expected one of no, yes" },
		{ SMALL "[domain]\nmissing-commands = 7f0c\n", "x.platform:13: found \"7f0c\"" },
	};

	assert_mistakes(mistakes, COUNT(mistakes));
}

TEST_MACHINE(a_short_text_makes_no_machine_beyond_what_kernels_can_have, NULL)
{
	static const struct mistake mistakes[] = {
		{ "[topology]\npackages = 0-32767\ndies = 255\n",
		  "x.platform:2: found 8355840 dies or power domains, expected at most 1024" },
		{ "[topology]\npackages = 0-127\ncores = 0-255\n[level 0]\ncores = 0-63\nbase = 2000\n",
		  "x.platform:2: found 32768 CPUs, expected at most 8192" },
		{ "[topology]\npackages = 0-127\ncores = 0\n[level 0-200]\ncores = 0\nbase = 2000\n",
		  "x.platform:4: found more levels, expected at most 16384" },
		{ "[topology]\npackages = 0\ncores = 0-1\nfirst-cpu = 8192\n",
		  "x.platform:4: found \"8192\"" },
		{ "[topology]\npackages = 0\ncores = 0-1\nfirst-cpu = 8191\n[level 0]\ncores = 0-1\n"
		  "base = 2000\n",
		  "x.platform:1: found CPU 8192, expected 0 to 8191" },
		{ "[topology]\npackages = 0\ncores = 0-1\npossible = 0-8192\n",
		  "x.platform:4: found 8192 for \"possible\"" },
	};

	assert_mistakes(mistakes, COUNT(mistakes));
}

TEST_MACHINE(a_later_narrower_section_overrides, NULL)
{
	struct platform *platform = parse(SMALL "power = 100\n[level 0 package 1]\npower = 120\n"
						"[domain package 1]\nlocked = yes\n"
						"[clos 2 package 0]\nmin = 800\n");

	assert_int_equal(platform->domains[0].levels[0].power_w.value, 100);
	assert_int_equal(platform->domains[1].levels[0].power_w.value, 120);
	assert_int_equal(platform->domains[1].levels[0].base[BASE_SSE].value, 2000);
	assert_int_equal(platform->domains[0].locked.value, 0);
	assert_int_equal(platform->domains[1].locked.value, 1);
	assert_int_equal(platform->domains[0].clos[2].min.value, 800);
	assert_int_equal(platform->domains[1].clos[2].min.value, 0);
	platform_free(platform);
}

static void assert_cpu(const struct platform *platform, unsigned int number, unsigned int package,
		       unsigned int core, unsigned int thread)
{
	const struct platform_cpu *cpu = platform_cpu(platform, number);

	assert_non_null(cpu);
	assert_int_equal(platform->domains[cpu->domain].package, package);
	assert_int_equal(cpu->core, core);
	assert_int_equal(cpu->thread, thread);
}

TEST_MACHINE(numbering, NULL)
{
	struct platform *platform;

	platform = parse(SMALL "[topology]\nnumbering = blocks\n");
	assert_cpu(platform, 3, 0, 3, 0);
	assert_cpu(platform, 4, 1, 0, 0);
	assert_cpu(platform, 8, 0, 0, 1);
	assert_cpu(platform, 15, 1, 3, 1);
	platform_free(platform);
	platform = parse(SMALL "[topology]\nnumbering = adjacent\n");
	assert_cpu(platform, 1, 0, 0, 1);
	assert_cpu(platform, 2, 0, 1, 0);
	assert_cpu(platform, 8, 1, 0, 0);
	platform_free(platform);
	platform = parse(SMALL "[topology]\nnumbering = alternating\n");
	assert_cpu(platform, 1, 1, 0, 0);
	assert_cpu(platform, 2, 0, 1, 0);
	assert_cpu(platform, 8, 0, 0, 1);
	assert_cpu(platform, 9, 1, 0, 1);
	platform_free(platform);
	platform = parse(SMALL "[topology]\nfirst-cpu = 100\n");
	assert_null(platform_cpu(platform, 99));
	assert_cpu(platform, 104, 1, 0, 0);
	platform_free(platform);
	platform = parse(SMALL "[topology]\ncpus = 0-7,4096-4103\n");
	assert_cpu(platform, 4096, 0, 0, 1);
	assert_null(platform_cpu(platform, 8));
	assert_int_equal(platform->cpu_ids, 4104);
	platform_free(platform);
}

TEST_MACHINE(dies_and_core_ids, NULL)
{
	struct platform *platform = parse(
		SMALL "[topology]\ndies = 2\ndie-ids = across\ncore-ids = dense\n"
		      "[domain package 1 die 1]\ncores = 0-3,9\n");

	assert_int_equal(platform->domain_count, 4);
	assert_int_equal(platform->cpu_count, 34);
	assert_int_equal(platform->domains[3].package, 1);
	assert_int_equal(platform->domains[3].die, 3);
	assert_int_equal(platform->domains[3].die_index, 1);
	assert_cpu(platform, 16, 1, 9, 0);
	assert_int_equal(platform_cpu(platform, 16)->core_id, 8);
	platform_free(platform);
}

TEST_MACHINE(every_built_in_platform_is_understood, NULL)
{
	bool guide = false;

	for (size_t i = 0; builtin_platforms[i].name; i++) {
		struct platform *platform = parse(builtin_texts[i]);

		assert_string_equal(builtin_platforms[i].title, platform->title.text);
		assert_int_equal(builtin_platforms[i].synthetic, platform->synthetic.value);
		guide |= strcmp(builtin_platforms[i].name, "guide") == 0;
		platform_free(platform);
	}
	assert_true(guide);
}

TEST_MACHINE(every_test_platform_is_understood, NULL)
{
	const char *path = getenv("ISST_PLATFORMS");
	DIR *directory = opendir(path ? path : "tests/platforms");
	struct dirent *entry;
	char name[300];

	assert_non_null(directory);
	while ((entry = readdir(directory))) {
		char *end = strstr(entry->d_name, ".platform");

		if (!end)
			continue;
		*end = '\0';
		snprintf(name, sizeof(name), "tests/%s", entry->d_name);
		start(e, name);
		assert_string_equal(e->machine->name, entry->d_name);
		finish(e);
	}
	closedir(directory);
}

TEST_MACHINE(showing_and_not_finding, NULL)
{
	struct isst_emulator_target target = { .platform = "guide" };
	char *text, *error;

	assert_int_equal(isst_emulator_show(&target, &text, &error), 0);
	assert_non_null(strstr(text, "[level 4]"));
	free(text);
	target.platform = "gide";
	assert_int_equal(isst_emulator_show(&target, &text, &error), -ENOENT);
	assert_non_null(strstr(error, "gide"));
	free(error);
	target.platform = "./no-such-file.platform";
	assert_int_equal(isst_emulator_show(&target, &text, &error), -ENOENT);
	free(error);
}
