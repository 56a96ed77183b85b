/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which CPUs are chosen for high priority on emulated machines. The expected lists were worked out
 * by hand from the platform files: numbering `blocks` gives the first threads of the cores of
 * package 0, power domain by power domain, then those of package 1, then the second threads.
 */
#include "features/high_priority.h"
#include "base/machine.h"
#include "features/snapshot.h"
#include "transaction/support/machines.h"

enum { DOMAINS = 32 };

/** A machine, discovered. */
struct opened {
	struct machine machine;
	struct isst_context *context;
	const struct isst_domain *domains[DOMAINS];
	size_t count;
};

static void open_with(struct opened *opened, struct isst_machine *machine)
{
	assert_int_equal(isst_open_machine(machine, NULL, &opened->context), 0);
	assert_int_equal(isst_discover(opened->context), 0);
	opened->count = isst_domain_count(opened->context);
	assert_in_range(opened->count, 1, DOMAINS);
	for (size_t i = 0; i < opened->count; i++)
		opened->domains[i] = context_domain(opened->context, i);
}

static void open_platform(struct opened *opened, const char *platform)
{
	opened->machine = machine_begin(platform);
	open_with(opened, machine_open(&opened->machine));
}

static void close_platform(struct opened *opened)
{
	isst_close(opened->context);

	machine_end(&opened->machine);
}

/** What is asked for, and the CPUs that this gives, or the message. */
struct row {
	const char *platform;
	enum choice_kind kind;
	unsigned int number;
	const char *expected;
	const char *within, *avoid;
	bool allow_lower_turbo;
	int level; /* of all domains, plus 1; 0: the current ones */
	int error; /* with @expected as the message */
};

/* What a row expects, and further members. */
#define ROW(on, of, how_many, ...) \
	{ \
		.platform = (on), .kind = CHOICE_##of, .number = (how_many), \
		.expected = __VA_ARGS__ \
	}

/** Chooses in all domains, at levels (NULL: the current ones) and of CPUs that will be online. */
static int choose_at(const struct opened *opened, const unsigned int *levels,
		     const struct isst_cpuset *online, const struct core_choice *choice,
		     struct isst_cpuset *chosen)
{
	struct domain_snapshot domains[DOMAINS] = { 0 };
	int error;

	for (size_t i = 0; i < opened->count; i++)
		domains[i] = (struct domain_snapshot){ .domain = opened->domains[i],
						       .parts = SNAPSHOT_PROFILES | SNAPSHOT_LEVEL,
						       .counts = true };
	error = snapshot_read(opened->context, domains, opened->count);
	for (size_t i = 0; i < opened->count; i++)
		domains[i].level.level = levels ? levels[i] : domains[i].profile.current_level;
	if (!error)
		error = snapshot_read_levels(opened->context, domains, opened->count,
					     LEVELS_TO_CHOOSE_BY);
	if (!error)
		error = high_priority_choose(opened->context, domains, opened->count, online,
					     choice, chosen);
	snapshot_clear(domains, opened->count);
	return error;
}

/** Chooses in all domains. */
static int choose(const struct opened *opened, const struct row *row, struct isst_cpuset *chosen)
{
	struct core_choice choice = { .kind = row->kind,
				      .number = row->number,
				      .within = row->within ? check_set(row->within) : NULL,
				      .avoid = row->avoid ? check_set(row->avoid) : NULL,
				      .allow_lower_turbo = row->allow_lower_turbo };
	unsigned int levels[DOMAINS];
	int error;

	for (size_t i = 0; i < opened->count; i++)
		levels[i] = (unsigned int)row->level - 1;
	error = choose_at(opened, row->level ? levels : NULL, NULL, &choice, chosen);
	isst_cpuset_free(choice.within);
	isst_cpuset_free(choice.avoid);
	return error;
}

static void check_choice(const struct opened *opened, const struct row *row)
{
	freed_by(isst_cpuset_free) struct isst_cpuset *chosen = isst_cpuset_new();
	int error = choose(opened, row, chosen);

	if (error && !row->error)
		fail_msg("%s: %s", row->platform, isst_error(opened->context));
	assert_int_equal(error, row->error);
	if (error)
		assert_string_equal(isst_error(opened->context), row->expected);
	check_cpus(chosen, error ? "" : row->expected);
}

static void check_row(const struct row *row)
{
	struct opened opened;

	open_platform(&opened, row->platform);
	check_choice(&opened, row);
	close_platform(&opened);
}

static const struct row TABLE[] = {
	/* 2 x 24 cores, 2 threads; buckets of 4 and 8 cores */
	ROW("cooperlake", PER_PACKAGE, 3, "0-2,24-26,48-50,72-74"),
	ROW("cooperlake", BUCKET, 0, "0-3,24-27,48-51,72-75"),
	ROW("cooperlake", BUCKET, 1, "0-7,24-31,48-55,72-79"),
	/* 2 packages of 2 x 16 cores, 1 thread; buckets of 6, 12 (modules) and 24 cores */
	ROW("diamondrapids-2s32c", PER_PACKAGE, 5, "0-2,16-17,32-34,48-49"),
	ROW("diamondrapids-2s32c", BUCKET, 0, "0-2,16-18,32-34,48-50"),
	ROW("diamondrapids-2s32c", BUCKET, 1, "0-5,16-21,32-37,48-53"),
	ROW("diamondrapids-2s32c", BUCKET, 2, "0-11,16-27,32-43,48-59"),
	/* 2 x 64 cores, 2 threads; buckets of 8, 16 and 24 */
	ROW("emeraldrapids-2s64c", PER_PACKAGE, 1, "0,64,128,192"),
	ROW("emeraldrapids-2s64c", BUCKET, 0, "0-7,64-71,128-135,192-199"),
	ROW("emeraldrapids-2s64c", BUCKET, 2, "0-23,64-87,128-151,192-215"),
	/* 2 packages of 43, 43 and 42 cores, 2 threads; buckets of 30, 60 and 96 */
	ROW("graniterapids-2s128c", PER_PACKAGE, 8,
	    "0-2,43-45,86-87,128-130,171-173,214-215,"
	    "256-258,299-301,342-343,384-386,427-429,470-471"),
	ROW("graniterapids-2s128c", BUCKET, 0,
	    "0-9,43-52,86-95,128-137,171-180,214-223,"
	    "256-265,299-308,342-351,384-393,427-436,470-479"),
	ROW("graniterapids-2s128c", BUCKET, 2,
	    "0-31,43-74,86-117,128-159,171-202,214-245,"
	    "256-287,299-330,342-373,384-415,427-458,470-501"),
	/* 2 packages of 2 x 32 cores, 2 threads; buckets of 16, 32 and 48 */
	ROW("graniterapids-2s64c", PER_PACKAGE, 3, "0-1,32,64-65,96,128-129,160,192-193,224"),
	ROW("graniterapids-2s64c", BUCKET, 0,
	    "0-7,32-39,64-71,96-103,128-135,160-167,192-199,224-231"),
	/* The same with buckets of 8, 16 and 32. The first list is the one that Intel publishes. */
	ROW("graniterapids-6776p", PER_PACKAGE, 8,
	    "0-3,32-35,64-67,96-99,128-131,160-163,192-195,224-227"),
	ROW("graniterapids-6776p", BUCKET, 0,
	    "0-3,32-35,64-67,96-99,128-131,160-163,192-195,224-227"),
	ROW("graniterapids-6776p", COUNT, 16,
	    "0-3,32-35,64-67,96-99,128-131,160-163,192-195,224-227"),
	ROW("graniterapids-6776p", COUNT, 5, "0-1,32,64,96,128-129,160,192,224"),
	ROW("graniterapids-6776p", BUCKET, 2,
	    "0-15,32-47,64-79,96-111,128-143,160-175,192-207,224-239"),
	ROW("graniterapids-unlocked", BUCKET, 1,
	    "0-7,32-39,64-71,96-103,128-135,160-167,192-199,224-231"),
	/* 2 x 14 cores, 2 threads; buckets of 2, 4 and 6 */
	ROW("guide", PER_PACKAGE, 3, "0-2,14-16,28-30,42-44"),
	ROW("guide", BUCKET, 0, "0-1,14-15,28-29,42-43"),
	ROW("guide", BUCKET, 2, "0-5,14-19,28-33,42-47"),
	/* 2 x 40 cores, 2 threads; buckets of 8, 12 and 16 */
	ROW("icelake-2s40c", PER_PACKAGE, 2, "0-1,40-41,80-81,120-121"),
	ROW("icelake-2s40c", BUCKET, 1, "0-11,40-51,80-91,120-131"),
	/* 8 x 40 cores, the same */
	ROW("icelake-8s40c", BUCKET, 0,
	    "0-7,40-47,80-87,120-127,160-167,200-207,240-247,280-287,"
	    "320-327,360-367,400-407,440-447,480-487,520-527,560-567,600-607"),
	/* 2 x 56 cores, 2 threads; buckets of 8, 16 and 24. Core ids have gaps, CPU numbers none.
	 */
	ROW("sapphirerapids-2s56c", PER_PACKAGE, 20, "0-19,56-75,112-131,168-187"),
	ROW("sapphirerapids-2s56c", BUCKET, 0, "0-7,56-63,112-119,168-175"),
	/* 4 x 40 cores, 2 threads; buckets of 8 and 16 */
	ROW("sapphirerapids-4s40c", BUCKET, 1,
	    "0-15,40-55,80-95,120-135,160-175,200-215,240-255,280-295"),
	ROW("sapphirerapids-4s40c", COUNT, 6, "0-1,40-41,80,120,160-161,200-201,240,280"),
	/* 2 x 4 cores, 2 threads, even CPUs in package 0: buckets of 1 */
	ROW("tests/alternating", BUCKET, 0, "0-1,8-9"),
	/* CPUs 0-3, 10-13, then the siblings 4094-4097, 5000-5003: buckets of 1 */
	ROW("tests/sparse", BUCKET, 0, "0,10,4094,5000"),
	/* Modules of four CPUs: buckets of 1 and 2 */
	ROW("tests/tpmi-modules", BUCKET, 1, "0-7"),
	/* The bucket of 1 is the package's, not that of each die. */
	ROW("tests/multi-die", BUCKET, 0, "0,8"),
	/* Package 1 is at a level without SST-TF. */
	ROW("tests/packages-differ", BUCKET, 0, "0"),
	/* No performance levels: level 0 alone */
	ROW("tests/tf-only", BUCKET, 0, "0-1"),
	/* CPU 12, the sibling of 4, is offline. */
	ROW("tests/offline", BUCKET, 0, "0,4,8"),
};

TEST(choices_are_as_worked_out)
{
	for (size_t i = 0; i < COUNT(TABLE); i++)
		check_row(&TABLE[i]);
}

TEST(a_core_counts_only_with_all_its_cpus)
{
	static const struct row ROWS[] = {
		ROW("guide", PER_PACKAGE, 2, "14-15,42-43", .within = "14-27,42-55"),
		ROW("guide", COUNT, 2, "0,5,28,33", .within = "0,5-6,14,28,33"),
		ROW("guide", PER_PACKAGE, 2, "2-3,14-15,30-31,42-43", .avoid = "0,29"),
		ROW("guide", COUNT, 1, "3,31", .within = "2-3,30-31", .avoid = "2"),
		/* A CPU that is offline does not count: 12 is. */
		ROW("tests/offline", COUNT, 1, "4", .within = "4"),
	};

	for (size_t i = 0; i < COUNT(ROWS); i++)
		check_row(&ROWS[i]);
}

TEST(cores_that_the_level_disables_are_not_chosen)
{
	static const struct row ROWS[] = {
		/* Level 4 enables cores 0-3, 5, 7-11. */
		ROW("guide", PER_PACKAGE, 6, "0-3,5,7,14-17,19,21,28-31,33,35,42-45,47,49",
		    .level = 4 + 1, .allow_lower_turbo = true),
		ROW("guide", BUCKET, 1, "0-3,14-17,28-31,42-45", .level = 4 + 1),
		ROW("guide", BUCKET, 2,
		    "Invalid bucket 2 at level 4 (package 0, die 0): buckets 0 to 1 exist",
		    .level = 4 + 1, .error = -EOPNOTSUPP),
	};

	for (size_t i = 0; i < COUNT(ROWS); i++)
		check_row(&ROWS[i]);
}

/** The caller knows which CPUs will be online; level 4 enables cores 0-3, 5, 7-11 of them. */
TEST(cpus_that_will_be_online_can_be_chosen)
{
	const struct core_choice choice = { .kind = CHOICE_PER_PACKAGE, .number = 2 };
	struct isst_cpuset *chosen = isst_cpuset_new(), *online = check_set("6-13,20-27");
	const unsigned int levels[DOMAINS] = { 4, 4 };
	struct opened opened;

	open_platform(&opened, "guide");
	assert_int_equal(choose_at(&opened, levels, online, &choice, chosen), 0);
	check_cpus(chosen, "7-8,21-22");
	close_platform(&opened);
	isst_cpuset_free(chosen);
	isst_cpuset_free(online);
}

/** Power domains of a package may be at different levels: what both hold counts. Domain 0 has
 * buckets of 2 and 4 cores, domain 1 at level 1 one of 2. */
TEST(the_smaller_bucket_of_a_package_counts)
{
	static const struct {
		struct core_choice choice;
		const char *expected;
		int error;
	} CASES[] = {
		{ { .kind = CHOICE_BUCKET, .number = 0 }, "0,4,8,12", 0 },
		{ { .kind = CHOICE_BUCKET, .number = 1 },
		  "Invalid bucket 1 at level 1 (package 0, power domain 1): only bucket 0 exists",
		  -EOPNOTSUPP },
		{ { .kind = CHOICE_COUNT, .number = 3 },
		  "package 0: 3 high priority cores are 1 more than the last bucket of level 1 "
		  "holds (up to 2 cores at 4300 MHz, and all others at 3000 MHz; without "
		  "turbo-freq all at 3800 MHz). isst levels shows the buckets of each level",
		  -EINVAL },
	};
	const unsigned int levels[DOMAINS] = { 0, 1 };
	struct opened opened;

	open_platform(&opened, "tests/tpmi-tiny");
	for (size_t i = 0; i < COUNT(CASES); i++) {
		freed_by(isst_cpuset_free) struct isst_cpuset *chosen = isst_cpuset_new();
		int error = choose_at(&opened, levels, NULL, &CASES[i].choice, chosen);

		assert_int_equal(error, CASES[i].error);
		if (error)
			assert_string_equal(isst_error(opened.context), CASES[i].expected);
		check_cpus(chosen, error ? "" : CASES[i].expected);
	}
	close_platform(&opened);
}

TEST(more_cores_than_the_last_bucket_are_refused)
{
	static const struct row ROWS[] = {
		ROW("guide", PER_PACKAGE, 8,
		    "package 0: 8 high priority cores are 2 more than the last bucket of level 0 "
		    "holds (up to 2 cores at 3200 MHz, up to 4 cores at 3100 MHz, up to 6 cores "
		    "at 3100 MHz, and all others at 2600 MHz; without turbo-freq all at "
		    "3100 MHz, so 2/package is the most that gains). isst levels shows the buckets "
		    "of each level",
		    .error = -EINVAL),
		/* 7 in package 0, 6 in package 1 */
		ROW("guide", COUNT, 13,
		    "package 0: 7 high priority cores are 1 more than the last bucket of level 0 "
		    "holds (up to 2 cores at 3200 MHz, up to 4 cores at 3100 MHz, up to 6 cores "
		    "at 3100 MHz, and all others at 2600 MHz; without turbo-freq all at "
		    "3100 MHz, so 2/package is the most that gains). isst levels shows the buckets "
		    "of each level",
		    .error = -EINVAL),
		ROW("guide", COUNT, 13, "0-6,14-19,28-34,42-47", .allow_lower_turbo = true),
		ROW("guide", COUNT, 12, "0-5,14-19,28-33,42-47"),
	};

	for (size_t i = 0; i < COUNT(ROWS); i++)
		check_row(&ROWS[i]);
}

TEST(what_is_missing_is_reported)
{
	static const struct row ROWS[] = {
		ROW("guide", PER_PACKAGE, 3,
		    "package 0: only 1 of 3 cores can get high priority within CPUs 0-2,28: 2 are "
		    "missing; sibling threads count as one core, and CPUs 29-30 are excluded",
		    .within = "0-2,28", .error = -EINVAL),
		ROW("guide", COUNT, 2,
		    "only 1 of 2 cores can get high priority within CPUs 0,28 without CPU 5: 1 is "
		    "missing; sibling threads count as one core",
		    .within = "0,28", .avoid = "5", .error = -EINVAL),
		ROW("guide", COUNT, 2,
		    "only 1 of 2 cores can get high priority within CPUs 0-1,28-29 without CPU "
		    "29: 1 is missing; sibling threads count as one core, and CPU 29 is excluded",
		    .within = "0-1,28-29", .avoid = "29", .error = -EINVAL),
		ROW("guide", BUCKET, 1,
		    "no core can get high priority within CPUs 0-13; sibling threads count as one "
		    "core, and CPUs 28-41 are excluded",
		    .within = "0-13", .error = -EOPNOTSUPP),
		ROW("guide", PER_PACKAGE, 15,
		    "package 0: only 14 of 15 cores can get high priority: 1 is missing; sibling "
		    "threads count as one core",
		    .allow_lower_turbo = true, .error = -EINVAL),
		ROW("tests/offline", PER_PACKAGE, 4,
		    "package 0: only 3 of 4 cores can get high priority: 1 is missing; sibling "
		    "threads count as one core",
		    .allow_lower_turbo = true, .error = -EINVAL),
	};

	for (size_t i = 0; i < COUNT(ROWS); i++)
		check_row(&ROWS[i]);
}

TEST(what_the_machine_does_not_have_is_refused)
{
	static const struct row ROWS[] = {
		ROW("guide", BUCKET, 3,
		    "Invalid bucket 3 at level 0 (package 0, die 0): buckets 0 to 2 exist",
		    .error = -EOPNOTSUPP),
		ROW("tests/sparse", BUCKET, 1,
		    "Invalid bucket 1 at level 0 (package 0, die 0): only bucket 0 exists",
		    .error = -EOPNOTSUPP),
		ROW("guide", COUNT, 1,
		    "within: CPUs 56-57 do not exist on this machine; CPUs that are online: 0-55",
		    .within = "0-57", .error = -EOPNOTSUPP),
		ROW("guide", COUNT, 1,
		    "avoid: CPU 99 does not exist on this machine; CPUs that are online: 0-55",
		    .avoid = "99", .error = -EOPNOTSUPP),
		ROW("guide", COUNT, 1,
		    "turbo-freq feature is not present at level 2; levels 0-1,3-4 have it",
		    .level = 2 + 1, .error = -EOPNOTSUPP),
		ROW("guide", COUNT, 1, "package 0, die 0: no level 7, only levels 0 to 4",
		    .level = 7 + 1, .error = -EOPNOTSUPP),
		ROW("icelake-2s36c", BUCKET, 0,
		    "turbo-freq feature is not present at level 0; no level has it",
		    .error = -EOPNOTSUPP),
		ROW("sierraforest-2s112c", BUCKET, 0,
		    "turbo-freq feature is not present at level 0; no level has it",
		    .error = -EOPNOTSUPP),
		ROW("cascadelake-6230n", BUCKET, 0,
		    "turbo-freq feature is not present at level 0; no level has it",
		    .error = -EOPNOTSUPP),
		ROW("guide", PER_PACKAGE, 0, "the number of high priority cores is 0",
		    .error = -EINVAL),
	};

	for (size_t i = 0; i < COUNT(ROWS); i++)
		check_row(&ROWS[i]);
}

/** Nothing is chosen by halves where a domain does not answer. */
TEST(a_domain_that_cannot_be_read_is_a_failure)
{
	static const struct row ASKED = { .platform = "guide", .number = 1 };
	struct isst_cpuset *chosen = isst_cpuset_new();
	struct opened opened;

	open_platform(&opened, "guide");
	machine_faults(&opened.machine, "mailbox 0x7f/0x10 EIO");
	assert_int_equal(choose(&opened, &ASKED, chosen), -EIO);
	check_holds(isst_error(opened.context), "package 0, die 0");
	check_cpus(chosen, "");
	isst_cpuset_free(chosen);
	close_platform(&opened);
}

/* ---- Cores that differ ---- */

static const struct files_operations *plain_files;

/** CPU 18, which is core 4 of package 1, and 9 and 11 are faster than all others. */
static int read_fast(void *data, const char *path, char **content, size_t *size)
{
	static const char *const FAST[] = {
		"/sys/devices/system/cpu/cpu9/cpufreq/cpuinfo_max_freq",
		"/sys/devices/system/cpu/cpu11/cpufreq/cpuinfo_max_freq",
		"/sys/devices/system/cpu/cpu18/cpufreq/cpuinfo_max_freq",
	};

	for (size_t i = 0; i < COUNT(FAST); i++) {
		if (strcmp(path, FAST[i]) != 0)
			continue;
		*content = strdup("3500000\n");
		assert_non_null(*content);
		*size = strlen(*content);
		return 0;
	}
	return plain_files->read(data, path, content, size);
}

TEST(the_fastest_cores_come_first)
{
	static const struct row ASKED = ROW("guide", PER_PACKAGE, 3,
					    "0,9,11,14-15,18,28,37,39,42-43,46");
	static struct files_operations files;
	struct isst_machine *machine;
	struct opened opened;

	opened.machine = machine_begin(ASKED.platform);
	machine = machine_open(&opened.machine);
	plain_files = machine->files;
	files = *machine->files;
	files.read = read_fast;
	machine->files = &files;
	open_with(&opened, machine);
	check_choice(&opened, &ASKED);
	close_platform(&opened);
}
