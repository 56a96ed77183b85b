/* SPDX-License-Identifier: BSD-3-Clause */
/* Platform files: what is understood. The cases platform-mistakes* have what is refused. */
#include "emulator/platform_text.h"

#include "emulator/model/machines.h"

#include <dirent.h>

/* A test adds to its end. */
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
