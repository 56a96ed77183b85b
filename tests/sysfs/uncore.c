/* SPDX-License-Identifier: BSD-3-Clause */
/* Uncore limits: of dies, and of the fabric clusters of power domains. */
#include "sysfs/uncore.h"
#include "support/fake_bench.h"

#define UNCORE "/sys/devices/system/cpu/intel_uncore_frequency/"

static void finish(struct bench *bench)
{
	uncore_forget(&bench->files);
	bench_end(bench);
}

BENCH_TESTS(bench_begin, finish)

__attribute__((format(printf, 4, 5))) static void uncore_file(struct fake_machine *fake,
							      const char *directory,
							      const char *name, const char *format,
							      ...)
{
	char path[256], text[32];

	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	snprintf(path, sizeof(path), UNCORE "%s/%s", directory, name);
	fake_file(&fake->files, path, "%s", text);
}

static void limits(struct fake_machine *fake, const char *directory, unsigned int min_mhz,
		   unsigned int max_mhz)
{
	uncore_file(fake, directory, "min_freq_khz", "%u000", min_mhz);
	uncore_file(fake, directory, "max_freq_khz", "%u000", max_mhz);
}

static void cluster(struct fake_machine *fake, const char *directory, unsigned int package,
		    unsigned int domain, unsigned int number, unsigned int max_mhz)
{
	uncore_file(fake, directory, "package_id", "%u", package);
	uncore_file(fake, directory, "domain_id", "%u", domain);
	uncore_file(fake, directory, "fabric_cluster_id", "%u", number);
	limits(fake, directory, 800, max_mhz);
	fake->files.listable = true;
}

static struct uncore_place cluster_at(unsigned int package, unsigned int domain,
				      unsigned int number)
{
	/* The die has no part in it. */
	return (struct uncore_place){ package, 77, true, domain, number };
}

static void check_limit(struct bench *bench, struct uncore_place place, enum cpufreq_limit limit,
			unsigned int mhz)
{
	uint64_t khz = 0;

	assert_int_equal(uncore_read_limit(&bench->files, &place, limit, &khz), 0);
	assert_int_equal(khz, mhz * 1000);
}

static void check_unsupported(struct bench *bench, struct uncore_place place)
{
	uint64_t khz;
	char *path;

	assert_int_equal(uncore_read_limit(&bench->files, &place, CPUFREQ_MAX, &khz), -ENOENT);
	assert_int_equal(uncore_write_limit(&bench->files, &place, CPUFREQ_MAX, 800000), -ENOENT);
	if (place.of_domain) {
		assert_int_equal(uncore_directory(&bench->files, &place, &path), -ENOENT);
		assert_null(path);
	}
	assert_null(bench->messages.error);
}

BENCH_TEST(limits_of_a_die_are_read)
{
	limits(fake, "package_01_die_12", 800, 2200);
	check_limit(&own, (struct uncore_place){ .package = 1, .die = 12 }, CPUFREQ_MIN, 800);
	check_limit(&own, (struct uncore_place){ .package = 1, .die = 12 }, CPUFREQ_MAX, 2200);
	check_unsupported(&own, (struct uncore_place){ .package = 1, .die = 1 });
	check_unsupported(&own, (struct uncore_place){ .package = 12, .die = 1 });
}

static void check_clusters(struct bench *bench, struct uncore_place place, unsigned int expected)
{
	unsigned int count = 77;

	assert_int_equal(uncore_count_clusters(&bench->files, &place, &count), 0);
	assert_int_equal(count, expected);
}

BENCH_TEST(clusters_are_counted_up_to_the_highest)
{
	limits(fake, "package_01_die_12", 800, 2200);
	cluster(fake, "uncore00", 0, 0, 0, 2200);
	cluster(fake, "uncore01", 0, 0, 2, 2200);
	cluster(fake, "uncore02", 0, 1, 0, 2200);
	check_clusters(&own, cluster_at(0, 0, 0), 3);
	check_clusters(&own, cluster_at(0, 1, 0), 1);
	check_clusters(&own, cluster_at(0, 2, 0), 0);
	check_clusters(&own, cluster_at(1, 0, 0), 0);
	check_clusters(&own, (struct uncore_place){ .package = 1, .die = 12 }, 1);
	check_clusters(&own, (struct uncore_place){ .package = 1, .die = 1 }, 0);
}

BENCH_TEST(without_directories_there_are_no_clusters)
{
	fake->files.listable = true;
	check_clusters(&own, cluster_at(0, 0, 0), 0);
}

BENCH_TEST(clusters_of_the_same_numbers_are_not_counted)
{
	cluster(fake, "uncore00", 0, 0, 0, 2200);
	cluster(fake, "uncore01", 0, 0, 0, 2200);
	check_clusters(&own, cluster_at(0, 0, 0), 0);
}

BENCH_TEST(limits_of_boot_are_read)
{
	static const struct uncore_place DIE = { .package = 1, .die = 12 };
	uint64_t khz = 0;

	limits(fake, "package_01_die_12", 900, 2000);
	assert_int_equal(uncore_read_initial(&own.files, &DIE, CPUFREQ_MAX, &khz), -ENOENT);
	uncore_file(fake, "package_01_die_12", "initial_min_freq_khz", "800000");
	uncore_file(fake, "package_01_die_12", "initial_max_freq_khz", "2200000");
	assert_int_equal(uncore_read_initial(&own.files, &DIE, CPUFREQ_MAX, &khz), 0);
	assert_int_equal(khz, 2200000);
	assert_int_equal(uncore_read_initial(&own.files, &DIE, CPUFREQ_MIN, &khz), 0);
	assert_int_equal(khz, 800000);
}

BENCH_TEST(die_directories_have_two_digits_and_more_where_needed)
{
	static const struct {
		unsigned int package, die;
		const char *directory;
	} CASES[] = { { 0, 0, UNCORE "package_00_die_00" },
		      { 9, 10, UNCORE "package_09_die_10" },
		      { 123, 7, UNCORE "package_123_die_07" } };

	for (size_t i = 0; i < COUNT(CASES); i++) {
		/* Domain and cluster have no part in it; nothing is listed. */
		struct uncore_place place = { CASES[i].package, CASES[i].die, false, 3, 1 };
		char *path;

		assert_int_equal(uncore_directory(&own.files, &place, &path), 0);
		assert_string_equal(path, CASES[i].directory);
		free(path);
	}
}

BENCH_TEST(D28_limits_of_a_die_are_written_as_numbers_and_nothing_else)
{
	static const struct uncore_place PLACE = { .package = 1, .die = 12 };

	limits(fake, "package_01_die_12", 800, 2200);
	assert_int_equal(uncore_write_limit(&own.files, &PLACE, CPUFREQ_MAX, 2400000), 0);
	assert_int_equal(uncore_write_limit(&own.files, &PLACE, CPUFREQ_MIN, 900000), 0);
	assert_string_equal(fake->files.written,
			    "'2400000' > " UNCORE "package_01_die_12/max_freq_khz\n"
			    "'900000' > " UNCORE "package_01_die_12/min_freq_khz\n");
}

BENCH_TEST(clusters_are_identified_by_their_files)
{
	/* Numbered in the order of discovery: the numbers have no meaning. */
	cluster(fake, "uncore00", 1, 0, 0, 2100);
	cluster(fake, "uncore01", 0, 4, 0, 2200);
	cluster(fake, "uncore02", 0, 4, 1, 2300);
	cluster(fake, "uncore07", 0, 1, 0, 2400);
	cluster(fake, "uncore103", 4, 0, 0, 2500);
	check_limit(&own, cluster_at(1, 0, 0), CPUFREQ_MAX, 2100);
	check_limit(&own, cluster_at(0, 4, 0), CPUFREQ_MAX, 2200);
	check_limit(&own, cluster_at(0, 4, 1), CPUFREQ_MAX, 2300);
	check_limit(&own, cluster_at(0, 1, 0), CPUFREQ_MAX, 2400);
	check_limit(&own, cluster_at(4, 0, 0), CPUFREQ_MAX, 2500);
	check_limit(&own, cluster_at(4, 0, 0), CPUFREQ_MIN, 800);
	check_unsupported(&own, cluster_at(0, 0, 0));
	check_unsupported(&own, cluster_at(1, 0, 1));
	check_unsupported(&own, cluster_at(0, 4, 2));
}

/** Early kernels count domain_id from 0 in each of a package's devices. What is unique there may be
 * another power domain all the same. */
BENCH_TEST(ambiguous_numbers_do_not_identify_their_package)
{
	const struct uncore_place place = cluster_at(0, 2, 0), other = cluster_at(1, 0, 0);

	cluster(fake, "uncore00", 0, 0, 0, 2200);
	cluster(fake, "uncore01", 0, 0, 1, 2200);
	cluster(fake, "uncore02", 0, 2, 0, 2200);
	cluster(fake, "uncore03", 0, 0, 0, 2300);
	cluster(fake, "uncore04", 1, 0, 0, 2400);
	cluster(fake, "uncore05", 1, 0, 1, 2400);
	check_unsupported(&own, cluster_at(0, 0, 0));
	check_unsupported(&own, cluster_at(0, 0, 1));
	check_unsupported(&own, place);
	assert_true(uncore_is_ambiguous(&own.files, &place));
	assert_false(uncore_is_ambiguous(&own.files, &other));
	check_limit(&own, other, CPUFREQ_MAX, 2400);
}

static void agents(struct fake_machine *fake, const char *directory, const char *types)
{
	uncore_file(fake, directory, "agent_types", "%s", types);
}

static void instance(struct fake_machine *fake, const char *directory, unsigned int number)
{
	uncore_file(fake, directory, "instance_id", "%u", number);
}

/* Three compute dies, for which the kernel makes room for four. */
BENCH_TEST(io_dies_have_the_number_of_their_instance)
{
	const struct uncore_place other = cluster_at(0, 5, 0);

	cluster(fake, "uncore02", 0, 2, 0, 2200);
	agents(fake, "uncore02", "core cache memory");
	instance(fake, "uncore02", 2);
	cluster(fake, "uncore03", 0, 4, 0, 1800);
	agents(fake, "uncore03", "io");
	instance(fake, "uncore03", 3);
	cluster(fake, "uncore04", 0, 5, 0, 1600);
	agents(fake, "uncore04", "io");
	instance(fake, "uncore04", 4);
	check_limit(&own, cluster_at(0, 2, 0), CPUFREQ_MAX, 2200);
	check_limit(&own, cluster_at(0, 3, 0), CPUFREQ_MAX, 1800);
	check_limit(&own, cluster_at(0, 4, 0), CPUFREQ_MAX, 1600);
	check_unsupported(&own, other);
	assert_false(uncore_is_ambiguous(&own.files, &other));
}

/** Kernels that know the agents and not the instance. */
BENCH_TEST(io_dies_without_instance_are_known_where_no_dies_are_enumerated)
{
	const struct uncore_place place = cluster_at(0, 4, 0);

	cluster(fake, "uncore02", 0, 2, 0, 2200);
	agents(fake, "uncore02", "core cache memory");
	cluster(fake, "uncore03", 0, 4, 0, 1800);
	agents(fake, "uncore03", "io");
	check_limit(&own, cluster_at(0, 2, 0), CPUFREQ_MAX, 2200);
	check_unsupported(&own, place);
	assert_true(uncore_is_ambiguous(&own.files, &place));
	uncore_forget(&own.files);
	/* The directory of a package. */
	limits(fake, "package_00_die_00", 800, 2200);
	check_limit(&own, place, CPUFREQ_MAX, 1800);
}

/* Both devices of a package begin with instance 0. */
BENCH_TEST(io_dies_of_two_devices_are_unknown)
{
	const struct uncore_place first = cluster_at(0, 4, 0), second = cluster_at(0, 5, 0);

	for (unsigned int device = 0; device < 2; device++)
		for (unsigned int i = 0; i < 3; i++) {
			char name[16];

			snprintf(name, sizeof(name), "uncore%02u", device * 3 + i);
			cluster(fake, name, 0, i < 2 ? device * 2 + i : 4 + device, 0,
				2000 + 100 * device + 10 * i);
			agents(fake, name, i < 2 ? "core" : "io");
			instance(fake, name, i);
		}
	check_limit(&own, cluster_at(0, 1, 0), CPUFREQ_MAX, 2010);
	check_limit(&own, cluster_at(0, 3, 0), CPUFREQ_MAX, 2110);
	check_unsupported(&own, first);
	check_unsupported(&own, second);
	assert_true(uncore_is_ambiguous(&own.files, &first));
}

BENCH_TEST(numbers_that_contradict_each_other_are_unknown)
{
	cluster(fake, "uncore00", 0, 1, 0, 2200);
	agents(fake, "uncore00", "core");
	instance(fake, "uncore00", 0);
	cluster(fake, "uncore01", 0, 3, 0, 1800);
	agents(fake, "uncore01", "io");
	instance(fake, "uncore01", 4);
	cluster(fake, "uncore02", 0, 6, 0, 1600); /* no agents */
	instance(fake, "uncore02", 5);
	for (unsigned int domain = 0; domain < 7; domain++) {
		const struct uncore_place place = cluster_at(0, domain, 0);

		check_unsupported(&own, place);
		assert_true(uncore_is_ambiguous(&own.files, &place));
		check_clusters(&own, place, 0);
	}
}

/* ---- The limit that counts is the one last written for the package, which cannot be read ---- */

/** A power domain whose files take no more than @max_khz, and no less than @min_khz. */
static struct {
	const struct files_operations *inner;
	uint64_t min_khz, max_khz;
	unsigned int writes;
} package;

static int write_within(void *data, const char *path, const char *content, size_t size)
{
	char text[32];
	uint64_t khz;

	snprintf(text, sizeof(text), "%.*s", (int)size, content);
	khz = strtoull(text, NULL, 10);
	package.writes++;
	if (khz < 100000 || khz / 100000 > 127 || khz < package.min_khz || khz > package.max_khz)
		return -EINVAL;
	return package.inner->write(data, path, content, size);
}

/** Writes a limit of a power domain that is @present_khz. Returns what it is then. */
static uint64_t write_to(struct fake_machine *fake, enum cpufreq_limit limit, uint64_t present_khz,
			 uint64_t khz)
{
	const char *name = limit == CPUFREQ_MAX ? "max_freq_khz" : "min_freq_khz";
	const struct uncore_place place = cluster_at(0, 4, 0);
	struct files_operations files = *fake->machine.files;
	const struct files_operations *before = fake->machine.files;
	struct bench bench;
	uint64_t now;

	package.inner = before;
	package.writes = 0;
	files.write = write_within;
	fake->machine.files = &files;
	bench_begin(fake, &bench);
	cluster(fake, "uncore00", 0, 4, 0, 1800);
	uncore_file(fake, "uncore00", name, "%llu", (unsigned long long)present_khz);
	assert_int_equal(uncore_write_limit(&bench.files, &place, limit, khz), 0);
	assert_int_equal(uncore_read_limit(&bench.files, &place, limit, &now), 0);
	finish(&bench);
	fake->machine.files = before;
	return now;
}

/** The kernel takes 127 values: those between what is there and what it refuses are halved. */
enum { MOST_WRITES = 9 };

FAKE_TEST(a_limit_that_the_package_forbids_becomes_the_nearest_one)
{
	for (unsigned int step = 1; step <= 127; step++) {
		uint64_t khz = step * UINT64_C(100000);

		package.min_khz = 0;
		package.max_khz = khz;
		/* From below; and where the firmware has set more than the kernel takes. */
		assert_int_equal(write_to(fake, CPUFREQ_MAX, 100000, 12700000), khz);
		assert_true(package.writes <= MOST_WRITES);
		assert_int_equal(write_to(fake, CPUFREQ_MAX, 12700000, 12700000), khz);
		assert_true(package.writes <= MOST_WRITES);
		package.min_khz = khz;
		package.max_khz = UINT64_MAX;
		assert_int_equal(write_to(fake, CPUFREQ_MIN, 12700000, 100000), khz);
		assert_true(package.writes <= MOST_WRITES);
		assert_int_equal(write_to(fake, CPUFREQ_MIN, 200000, 100000), khz);
		assert_true(package.writes <= MOST_WRITES);
	}
}

static void check_present(struct bench *bench, unsigned int max_khz, int error, bool refused)
{
	const struct uncore_place place = cluster_at(0, 4, 0);
	bool is_refused;

	package.min_khz = 0;
	package.max_khz = max_khz;
	assert_int_equal(uncore_check_present(&bench->files, &place, CPUFREQ_MAX, &is_refused),
			 error);
	assert_int_equal(is_refused, refused);
}

/** Firmware does not look at the limit of the package; the kernel would not take it back. */
FAKE_TEST(a_limit_that_firmware_set_beyond_the_package_is_found)
{
	struct files_operations files = *fake->machine.files;
	const struct files_operations *before = fake->machine.files;
	struct bench bench;

	package.inner = before;
	files.write = write_within;
	fake->machine.files = &files;
	bench_begin(fake, &bench);
	cluster(fake, "uncore00", 0, 4, 0, 2100);
	/* The kernel has a limit of the package where it has a directory for that. */
	package.writes = 0;
	check_present(&bench, 1600000, -ENOENT, false);
	assert_int_equal(package.writes, 0);
	limits(fake, "package_00_die_00", 800, 2100);
	check_present(&bench, 1600000, 0, true);
	check_present(&bench, 2100000, 0, false);
	assert_string_equal(fake->files.written, "'2100000' > " UNCORE "uncore00/max_freq_khz\n");
	finish(&bench);
	fake->machine.files = before;
}

FAKE_TEST(a_limit_that_is_held_already_stays)
{
	package.min_khz = 0;
	package.max_khz = 1300000;
	assert_int_equal(write_to(fake, CPUFREQ_MAX, 1300000, 1400000), 1300000);
	assert_int_equal(package.writes, 2);
}

BENCH_TEST(a_limit_that_the_kernel_does_not_take_at_all_is_an_error)
{
	const struct uncore_place place = cluster_at(0, 4, 0);

	cluster(fake, "uncore00", 0, 4, 0, 1800);
	fake_file_refuses(&fake->files, UNCORE "uncore00/max_freq_khz", -EINVAL);
	assert_int_equal(uncore_write_limit(&own.files, &place, CPUFREQ_MAX, 400000), -EIO);
	assert_string_equal(fake->files.written, "'400000' > " UNCORE "uncore00/max_freq_khz\n"
						 "'200000' > " UNCORE "uncore00/max_freq_khz\n"
						 "'100000' > " UNCORE "uncore00/max_freq_khz\n");
	check_holds(own.messages.error, strerror(EINVAL));
}

BENCH_TEST(a_directory_that_cannot_be_listed_is_named)
{
	const struct uncore_place place = cluster_at(0, 0, 0);
	uint64_t khz;

	fake->files.listable = true;
	fake->files.list_error = -EACCES;
	assert_int_equal(uncore_read_limit(&own.files, &place, CPUFREQ_MAX, &khz), -EPERM);
	check_holds(own.messages.error, "intel_uncore_frequency may not be listed");
	fake->files.list_error = -EIO;
	assert_int_equal(uncore_read_limit(&own.files, &place, CPUFREQ_MAX, &khz), -EIO);
	check_holds(own.messages.error, "intel_uncore_frequency cannot be listed");
}

BENCH_TEST(a_cluster_is_written_in_its_own_directory)
{
	const struct uncore_place place = cluster_at(0, 4, 1);

	cluster(fake, "uncore00", 0, 4, 0, 2200);
	cluster(fake, "uncore05", 0, 4, 1, 2300);
	assert_int_equal(uncore_write_limit(&own.files, &place, CPUFREQ_MIN, 1000000), 0);
	assert_int_equal(uncore_write_limit(&own.files, &place, CPUFREQ_MAX, 1900000), 0);
	assert_string_equal(fake->files.written, "'1000000' > " UNCORE "uncore05/min_freq_khz\n"
						 "'1900000' > " UNCORE "uncore05/max_freq_khz\n");
}

BENCH_TEST(entries_that_are_no_clusters_do_not_end_the_scan)
{
	limits(fake, "package_00_die_00", 800, 2500);
	/* Identity files that would do, in a directory that is none of a cluster. */
	cluster(fake, "other", 3, 3, 3, 900);
	limits(fake, "uncore00", 800, 1000);
	uncore_file(fake, "uncore01", "package_id", "0");
	uncore_file(fake, "uncore02", "package_id", "0");
	uncore_file(fake, "uncore02", "domain_id", "2");
	cluster(fake, "uncore03", 0, 2, 0, 2300);
	check_limit(&own, cluster_at(0, 2, 0), CPUFREQ_MAX, 2300);
	check_unsupported(&own, cluster_at(0, 0, 0));
	check_unsupported(&own, cluster_at(3, 3, 3));
}

BENCH_TEST(the_directory_of_a_package_is_not_a_power_domain)
{
	limits(fake, "package_00_die_00", 400, 2500);
	cluster(fake, "uncore00", 0, 0, 0, 2200);
	check_limit(&own, (struct uncore_place){ .package = 0 }, CPUFREQ_MAX, 2500);
	check_limit(&own, (struct uncore_place){ .package = 0 }, CPUFREQ_MIN, 400);
	check_limit(&own, cluster_at(0, 0, 0), CPUFREQ_MAX, 2200);
}

BENCH_TEST(the_directory_is_scanned_once)
{
	size_t reads;

	cluster(fake, "uncore00", 0, 0, 0, 2200);
	cluster(fake, "uncore01", 0, 1, 0, 2200);
	assert_int_equal(fake->files.lists, 0);
	check_limit(&own, cluster_at(0, 0, 0), CPUFREQ_MAX, 2200);
	reads = fake->files.reads;
	for (unsigned int i = 0; i < 5; i++)
		check_limit(&own, cluster_at(0, 1, 0), CPUFREQ_MIN, 800);
	check_unsupported(&own, cluster_at(0, 9, 0));
	assert_int_equal(fake->files.lists, 1);
	assert_int_equal(fake->files.reads, reads + 5);
	uncore_forget(&own.files);
	check_limit(&own, cluster_at(0, 1, 0), CPUFREQ_MIN, 800);
	assert_int_equal(fake->files.lists, 2);
}

BENCH_TEST(without_the_kernels_module_there_is_no_cluster)
{
	fake->files.listable = true;
	check_unsupported(&own, cluster_at(0, 0, 0));
}

FAKE_TEST(unreadable_identity_files_are_reported_and_not_treated_as_absent)
{
	static const struct {
		int error, expected;
	} CASES[] = { { -EACCES, -EPERM }, { -EIO, -EIO } };

	for (size_t i = 0; i < COUNT(CASES); i++) {
		const struct uncore_place place = cluster_at(0, 0, 0);
		struct bench bench;
		uint64_t khz;

		bench_begin(fake, &bench);
		cluster(fake, "uncore00", 0, 0, 0, 2200);
		fake_file_error(&fake->files, UNCORE "uncore00/package_id", CASES[i].error);
		assert_int_equal(uncore_read_limit(&bench.files, &place, CPUFREQ_MAX, &khz),
				 CASES[i].expected);
		check_holds(bench.messages.error, UNCORE "uncore00/package_id");
		finish(&bench);
	}
}
