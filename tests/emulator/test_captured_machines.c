/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Replays captures of real servers, and compares what the emulated driver and kernel tell with
 * what is known of those servers. The captures are not part of the project: ISST_CAPTURES names
 * their directory; where there is none the tests are skipped.
 */
#include "emulator/tpmi_calls.h"

#include "isst.h"

#include <sys/stat.h>

static bool replay(struct emulated *e, const char *name)
{
	const char *directory = getenv("ISST_CAPTURES");
	struct stat status;

	if (!directory)
		directory = "../shared/recorded";
	prepare(e, "-");
	snprintf(e->platform, sizeof(e->platform), "%s/%s", directory, name);
	if (stat(e->platform, &status) == 0) {
		open_machine(e);
		return true;
	}
	print_message("skipped: there is no captured machine %s\n", e->platform);
	assert_int_equal(rmdir(e->scratch), 0);
	return false;
}

/* ---- TPMI ---- */

enum { MOST_DOMAINS = 5, MOST_PACKAGES = 2 };

/** Values of a level that are the same in every compute domain; frequencies in MHz, ratios / 100.
 */
struct level_values {
	/* base, AVX2, AVX-512, AMX; power, tjunction, memory; P0, P1, Pn, Pm; fabric P0, P1, Pm of
	 * compute domains */
	unsigned int facts[14];
	unsigned int io_fabric[3];
	unsigned int trl[5][8];
	unsigned int bf[4]; /* high, low, power, tjunction; 0: not supported */
	unsigned int tf_cores[3], tf[5][3], tf_clip[5];
};

struct domain_values {
	uint64_t cores;
	unsigned int buckets[8];
	uint64_t bf_cores[MOST_PACKAGES];
	const char *cpus[MOST_PACKAGES];    /* of the domain */
	const char *bf_cpus[MOST_PACKAGES]; /* of its high priority cores */
};

struct machine_values {
	const char *name;
	unsigned int valid_mask, count, compute;
	bool core_power;
	struct level_values level;
	struct domain_values domain[3];
};

static const struct machine_values machines[] = {
	{ .name = "gnr0",
	  .valid_mask = 0x1f,
	  .count = 5,
	  .compute = 3,
	  .core_power = true,
	  .level = { { 2000, 1900, 1500, 1400, 500, 100, 8800, 3900, 2000, 800, 500, 2200, 1400,
		       800 },
		     { 2500, 800, 400 },
		     { { 39, 38, 36, 35, 34, 33, 32, 32 },
		       { 39, 36, 34, 33, 30, 30, 29, 29 },
		       { 36, 33, 31, 30, 28, 28, 27, 27 },
		       { 35, 32, 30, 29, 25, 25, 24, 24 },
		       { 30, 27, 26, 25, 21, 20, 20, 20 } },
		     { 2200, 1800, 500, 100 },
		     { 30, 60, 96 },
		     { { 39, 38, 34 },
		       { 39, 34, 30 },
		       { 36, 31, 28 },
		       { 33, 28, 25 },
		       { 27, 23, 21 } },
		     { 20, 20, 19, 15, 14 } },
	  .domain = { { UINT64_C(0x7ffffffffff),
			{ 21, 26, 30, 32, 36, 38, 40, 43 },
			{ UINT64_C(0x7fb86640000), UINT64_C(0xab5a48c013) },
			{ "0-42,256-298", "128-170,384-426" },
			{ "18,21-22,25-26,31-33,35-42,274,277-278,281-282,287-289,291-298",
			  "128-129,132,142-143,147,150,153,155-156,158,160-161,163,165,167,384-385,388,"
			  "398-399,403,406,409,411-412,414,416-417,419,421,423" } },
		      { UINT64_C(0x7ffffffffff),
			{ 21, 26, 30, 32, 36, 38, 40, 43 },
			{ UINT64_C(0x601430a72a5), UINT64_C(0x1290c7c1622) },
			{ "43-85,299-341", "171-213,427-469" },
			{ "43,45,48,50,52,55-57,60,62,67-68,73,75,84-85,299,301,304,306,308,311-313,316,"
			  "318,323-324,329,331,340-341",
			  "172,176,180-181,183,189-193,197-198,203,206,208,211,428,432,436-437,439,"
			  "445-449,453-454,459,462,464,467" } },
		      { UINT64_C(0x3ffffffffff),
			{ 22, 26, 30, 32, 36, 38, 40, 42 },
			{ UINT64_C(0x32221a448e3), UINT64_C(0xee3e02298) },
			{ "86-127,342-383", "214-255,470-511" },
			{ "86-87,91-93,97,100,104,107,109-110,115,119,123,126-127,342-343,347-349,353,"
			  "356,360,363,365-366,371,375,379,382-383",
			  "217-218,221,223,227,235-239,243-245,247-249,473-474,477,479,483,491-495,"
			  "499-501,503-505" } } } },
	{ .name = "gnr3",
	  .valid_mask = 0x1b,
	  .count = 5,
	  .compute = 2,
	  .core_power = true,
	  .level = { { 2100, 1800, 1500, 1300, 300, 100, 6400, 3900, 2100, 800, 500, 2200, 1400,
		       800 },
		     { 2500, 800, 400 },
		     { { 39, 38, 36, 35, 34, 33, 32, 32 },
		       { 38, 35, 34, 33, 32, 31, 30, 30 },
		       { 37, 33, 32, 31, 29, 28, 27, 27 },
		       { 36, 33, 31, 30, 28, 27, 26, 26 },
		       { 30, 27, 26, 25, 20, 20, 19, 19 } },
		     { 2300, 1900, 300, 100 },
		     { 16, 32, 48 },
		     { { 39, 37, 34 },
		       { 38, 34, 31 },
		       { 37, 31, 28 },
		       { 36, 30, 27 },
		       { 25, 22, 20 } },
		     { 21, 21, 18, 15, 13 } },
	  .domain = { { UINT64_C(0xffffffff),
			{ 16, 20, 22, 24, 26, 28, 30, 32 },
			{ UINT64_C(0xa28b80), UINT64_C(0x44e01003) },
			{ "0-31,128-159", "64-95,192-223" },
			{ "7-9,11,15,17,21,23,135-137,139,143,145,149,151",
			  "64-65,76,85-87,90,94,192-193,204,213-215,218,222" } },
		      { UINT64_C(0xffffffff),
			{ 16, 20, 22, 24, 26, 28, 30, 32 },
			{ UINT64_C(0x60042292), UINT64_C(0x2208d3) },
			{ "32-63,160-191", "96-127,224-255" },
			{ "33,36,39,41,45,50,61-62,161,164,167,169,173,178,189-190",
			  "96-97,100,102-103,107,113,117,224-225,228,230-231,235,241,245" } } } },
	{ .name = "srf2",
	  .valid_mask = 0x19,
	  .count = 5,
	  .compute = 1,
	  .core_power = false,
	  .level = { { 2000, 1500, 0, 0, 250, 106, 5600, 2700, 2000, 800, 800, 2200, 1200, 800 },
		     { 2200, 800, 400 },
		     { { 27, 27, 27, 27, 27, 27, 27, 27 } },
		     { 0, 0, 0, 0 },
		     { 0 },
		     { { 0 } },
		     { 0 } },
	  .domain = { { UINT64_C(0xfffffff),
			{ 28, 28, 28, 28, 28, 28, 28, 28 },
			{ 0, 0 },
			{ "0-111", "112-223" },
			{ NULL, NULL } } } },
};

/** The CPUs of the cores of a mask in a power domain, by what the driver says of every CPU. */
static void assert_cpus(struct emulated *e, unsigned int package, unsigned int power_domain,
			uint64_t cores, const char *expected)
{
	struct isst_cpuset *set = isst_cpuset_new(), *online = isst_cpuset_new();
	unsigned int cpu;
	char *content = file_text(e, CPUS "/online"), *list;

	content[strlen(content) - 1] = '\0';
	assert_int_equal(isst_cpuset_add_list(online, content, NULL), 0);
	free(content);
	isst_cpuset_for_each (cpu, online) {
		char path[128], number[16];
		uint32_t id;

		assert_int_equal(phy_id(e, cpu, &id), 1);
		snprintf(path, sizeof(path), CPUS "/cpu%u/topology/physical_package_id", cpu);
		content = file_text(e, path);
		snprintf(number, sizeof(number), "%u\n", package);
		if (strcmp(content, number) == 0 && id >> 11 == power_domain &&
		    cores >> (id >> 3 & 0xff) & 1)
			assert_int_equal(isst_cpuset_add(set, cpu, cpu), 0);
		free(content);
	}
	list = isst_cpuset_to_list(set);
	assert_string_equal(list, expected);
	free(list);
	isst_cpuset_free(set);
	isst_cpuset_free(online);
}

static uint64_t mask_of(struct emulated *e, unsigned long request, unsigned int socket,
			unsigned int power_domain)
{
	struct abi_perf_level_cpu_mask mask = { .socket_id = (uint8_t)socket,
						.power_domain_id = (uint8_t)power_domain,
						.punit_cpu_map = 1 };

	assert_int_equal(call(e, request, &mask), 0);
	return mask.mask;
}

static void check_summary(struct emulated *e, const struct machine_values *machine,
			  unsigned int socket, unsigned int power_domain)
{
	bool bf = machine->level.bf[0] != 0;
	struct abi_perf_level_info info = levels(e, socket, power_domain);
	struct abi_core_power power = { 0 };

	assert_int_equal(info.level_mask, 1);
	assert_int_equal(info.max_level, 0);
	assert_int_equal(info.current_level, 0);
	assert_int_equal(info.feature_state, 0);
	assert_int_equal(info.feature_rev, 1);
	assert_true(info.locked);
	assert_true(info.enabled);
	assert_int_equal(info.sst_bf_support, bf);
	assert_int_equal(info.sst_tf_support, bf);
	assert_int_equal(core_power(e, socket, power_domain, false, &power), 0);
	assert_int_equal(power.supported, machine->core_power);
	assert_false(power.enable);
}

static struct abi_perf_level_data_info level_of(struct emulated *e, unsigned int socket,
						unsigned int power_domain)
{
	struct abi_perf_level_data_info info = { .socket_id = (uint8_t)socket,
						 .power_domain_id = (uint8_t)power_domain };

	assert_int_equal(call(e, ABI_GET_PERF_LEVEL_INFO, &info), 0);
	return info;
}

static void check_level(struct emulated *e, const struct machine_values *machine,
			unsigned int socket, unsigned int power_domain)
{
	const struct level_values *level = &machine->level;
	const struct abi_perf_level_data_info info = level_of(e, socket, power_domain);
	const unsigned int found[] = {
		info.base_freq_mhz,
		info.base_freq_avx2_mhz,
		info.base_freq_avx512_mhz,
		info.base_freq_amx_mhz,
		info.thermal_design_power_w,
		info.tjunction_max_c,
		info.max_memory_freq_mhz,
		info.p0_freq_mhz,
		info.p1_freq_mhz,
		info.pn_freq_mhz,
		info.pm_freq_mhz,
		info.p0_fabric_freq_mhz,
		info.p1_fabric_freq_mhz,
		info.pm_fabric_freq_mhz,
	};

	assert_int_equal(info.tdp_ratio, level->facts[0] / 100);
	for (size_t i = 0; i < COUNT(found); i++)
		if (found[i] != level->facts[i])
			fail_msg("%s package %u domain %u value %zu: %u instead of %u",
				 machine->name, socket, power_domain, i, found[i], level->facts[i]);
	for (unsigned int bucket = 0; bucket < 8; bucket++) {
		assert_int_equal(info.bucket_core_counts[bucket],
				 machine->domain[power_domain].buckets[bucket]);
		for (unsigned int type = 0; type < 5; type++)
			assert_int_equal(info.trl_freq_mhz[type][bucket],
					 level->trl[type][bucket] * 100);
	}
}

static void check_features(struct emulated *e, const struct machine_values *machine,
			   unsigned int socket, unsigned int power_domain)
{
	const struct level_values *level = &machine->level;
	struct abi_base_freq_info bf = { .socket_id = (uint8_t)socket,
					 .power_domain_id = (uint8_t)power_domain };
	struct abi_turbo_freq_info tf = { .socket_id = (uint8_t)socket,
					  .power_domain_id = (uint8_t)power_domain };

	assert_int_equal(call(e, ABI_GET_BASE_FREQ_INFO, &bf), 0);
	assert_int_equal(bf.high_base_freq_mhz, level->bf[0]);
	assert_int_equal(bf.low_base_freq_mhz, level->bf[1]);
	assert_int_equal(bf.tjunction_max_c, level->bf[3]);
	assert_int_equal(bf.thermal_design_power_w, level->bf[2]);
	assert_int_equal(call(e, ABI_GET_TURBO_FREQ_INFO, &tf), 0);
	for (unsigned int type = 0; type < 5; type++) {
		assert_int_equal(tf.lp_clip_freq_mhz[type], level->tf_clip[type] * 100);
		for (unsigned int bucket = 0; bucket < 3; bucket++)
			assert_int_equal(tf.trl_freq_mhz[type][bucket],
					 level->tf[type][bucket] * 100);
	}
	for (unsigned int bucket = 0; bucket < 8; bucket++)
		assert_int_equal(tf.bucket_core_counts[bucket],
				 bucket < 3 ? level->tf_cores[bucket] : 0);
}

static void check_compute_domain(struct emulated *e, const struct machine_values *machine,
				 unsigned int socket, unsigned int power_domain)
{
	const struct domain_values *domain = &machine->domain[power_domain];

	check_summary(e, machine, socket, power_domain);
	check_level(e, machine, socket, power_domain);
	assert_int_equal(mask_of(e, ABI_GET_PERF_LEVEL_CPU_MASK, socket, power_domain),
			 domain->cores);
	assert_cpus(e, socket, power_domain, domain->cores, domain->cpus[socket]);
	if (!machine->level.bf[0])
		return;
	check_features(e, machine, socket, power_domain);
	assert_int_equal(mask_of(e, ABI_GET_BASE_FREQ_CPU_MASK, socket, power_domain),
			 domain->bf_cores[socket]);
	assert_cpus(e, socket, power_domain, domain->bf_cores[socket], domain->bf_cpus[socket]);
}

static void check_io_domain(struct emulated *e, const struct machine_values *machine,
			    unsigned int socket, unsigned int power_domain)
{
	const struct level_values *level = &machine->level;
	const struct abi_perf_level_data_info info = level_of(e, socket, power_domain);

	assert_int_equal(info.p0_fabric_freq_mhz, level->io_fabric[0]);
	assert_int_equal(info.p1_fabric_freq_mhz, level->io_fabric[1]);
	assert_int_equal(info.pm_fabric_freq_mhz, level->io_fabric[2]);
	assert_int_equal(info.thermal_design_power_w, level->facts[4]);
	assert_int_equal(info.trl_freq_mhz[0][0], 0);
	assert_int_equal(mask_of(e, ABI_GET_PERF_LEVEL_CPU_MASK, socket, power_domain), 0);
	assert_cpus(e, socket, power_domain, UINT64_MAX, "");
}

/** Xeon 6980P, a Granite Rapids of 64 cores, 6746E. */
DEFINE_TEST(tpmi_machines, NULL, NULL, "gnr0", "gnr3", "srf2")
{
	const char *name = *state;
	const struct machine_values *machine = machines;
	struct emulated e;

	if (!replay(&e, name))
		skip();
	while (strcmp(machine->name, name) != 0)
		machine++;
	for (unsigned int socket = 0; socket < MOST_PACKAGES; socket++) {
		assert_int_equal(instances(&e, socket).valid_mask, machine->valid_mask);
		assert_int_equal(instances(&e, socket).count, machine->count);
		for (unsigned int domain = 0; domain < MOST_DOMAINS; domain++)
			if (domain < machine->compute)
				check_compute_domain(&e, machine, socket, domain);
			else if (machine->valid_mask >> domain & 1)
				check_io_domain(&e, machine, socket, domain);
	}
	finish(&e);
}

TEST_MACHINE(an_unlocked_6980p, NULL)
{
	if (!replay(e, "gnr0"))
		skip();
	assert_msr(e, 300, 0x1ad, 0x2020212223242627);
	assert_msr(e, 300, 0x1ae, 0x8078726c605a4e40);
	assert_file(e, CPUS "/cpu300/cpufreq/base_frequency", "2000000\n");
	assert_file(e, CPUS "/cpu300/cpufreq/cpuinfo_max_freq", "3900000\n");
	finish(e);
	assert_int_equal(mkdir(e->scratch, 0700), 0);
	e->target.unlock = true;
	open_machine(e);
	assert_false(levels(e, 1, 2).locked);
}

/* ---- Mailbox ---- */

/** What the kernel shows of packages, cores and frequencies, and the MSRs of turbo limits. */
static const struct mailbox_values {
	const char *name;
	bool device;
	unsigned int model, packages, cpus;
	uint64_t limits, cores; /* MSRs 0x1ad, 0x1ae */
	unsigned int base_khz, max_khz;
	const char *siblings; /* of CPU 1 */
	const char *high_khz; /* of the CPUs in @high, all others @base_khz; NULL: all are alike */
	const char *high;
} mailbox_machines[] = {
	{ "icx2s0", true, 106, 2, 144, 0x1f1f212222232323, 0x24221e1c1812100c, 2100000, 3500000,
	  "1,73\n", "2700000\n",
	  "8-9,11-12,14-15,21-22,25,28-30,41-42,44,48,50-51,54-55,59,61,65,68,80-81,83-84,86-87,"
	  "93-94,97,100-102,113-114,116,120,122-123,126-127,131,133,137,140" },
	{ "spr1", true, 143, 4, 320, 0x1f1f202021232526, 0x28262422201c1814, 2200000, 3800000,
	  "1,161\n", NULL, NULL },
	{ "emr0", true, 207, 2, 256, 0x1d1d1e1e1f212327, 0x403e3a36322e2820, 1900000, 3900000,
	  "1,129\n", NULL, NULL },
	{ "clx2s0", true, 85, 2, 96, 0x1f1f212424242527, 0x1c1814100c080402, 2400000, 3900000,
	  "1,49\n", NULL, NULL },
	{ "sklep0", false, 85, 2, 104, 0x1c1c1e2122222325, 0x1a1814100c000402, 2100000, 3700000,
	  "1,53\n", NULL, NULL },
};

static void check_base_frequencies(struct emulated *e, const struct mailbox_values *machine)
{
	struct isst_cpuset *high = isst_cpuset_new();
	char low[32];

	snprintf(low, sizeof(low), "%u\n", machine->base_khz);
	assert_int_equal(isst_cpuset_add_list(high, machine->high ? machine->high : "", NULL), 0);
	for (unsigned int cpu = 0; cpu < machine->cpus; cpu++)
		assert_cpu_file(e, cpu, "cpufreq/base_frequency",
				isst_cpuset_has(high, cpu) ? machine->high_khz : low);
	isst_cpuset_free(high);
}

static void check_mailbox_driver(struct emulated *e, const struct mailbox_values *machine)
{
	struct abi_platform_info info = { 0 };
	uint32_t answer;

	if (!machine->device) {
		assert_int_equal(e->device, -ENOENT);
		return;
	}
	assert_int_equal(call(e, ABI_GET_PLATFORM_INFO, &info), 0);
	assert_int_equal(info.api_version, 1);
	assert_true(info.mbox_supported);
	assert_int_equal(info.mmio_supported, machine->model != 85);
	for (unsigned int cpu = 0; cpu < machine->cpus; cpu++) {
		assert_msr(e, cpu, 0x1ad, machine->limits);
		assert_msr(e, cpu, 0x1ae, machine->cores);
	}
	/* What firmware would say was not captured. */
	assert_int_equal(mailbox_on(e, 0, 0x7f, 0x00, 0, 0, &answer), -ENXIO);
	assert_int_equal(mailbox_on(e, 0, 0x94, 0x03, 0, 0, &answer), -ENXIO);
}

/** An 8360Y with SST-BF on, 8460H, 8592, 8260L, and an 8170M without Speed Select. */
DEFINE_TEST(mailbox_machines_of_users, NULL, NULL, "icx2s0", "spr1", "emr0", "clx2s0", "sklep0")
{
	const char *name = *state;
	const struct mailbox_values *machine = mailbox_machines;
	char list[64];
	struct emulated e;

	if (!replay(&e, name))
		skip();
	while (strcmp(machine->name, name) != 0)
		machine++;
	assert_int_equal(e.machine->identity.model, machine->model);
	snprintf(list, sizeof(list), "0-%u\n", machine->cpus - 1);
	assert_file(&e, CPUS "/online", list);
	assert_file(&e, CPUS "/present", list);
	assert_file(&e, CPUS "/cpu1/topology/thread_siblings_list", machine->siblings);
	snprintf(list, sizeof(list), "%u\n", machine->packages - 1);
	assert_cpu_file(&e, machine->cpus - 1, "topology/physical_package_id", list);
	snprintf(list, sizeof(list), "%u\n", machine->max_khz);
	assert_file(&e, CPUS "/cpu1/cpufreq/cpuinfo_max_freq", list);
	check_base_frequencies(&e, machine);
	check_mailbox_driver(&e, machine);
	finish(&e);
}

/* ---- The kernel's files ---- */

/** Compares what a line of the capture says of a file. */
static size_t check_line(struct emulated *e, char *line)
{
	char *path = strchr(line, '|'), *value = path ? strchr(path + 1, '|') : NULL;

	if (*line == '#' || !value)
		return 0;
	*value = '\0';
	/* That one is measured, and never the same. */
	if (strstr(path + 1, "/current_freq_khz"))
		return 0;
	assert_file(e, path + 1, value + 1);
	return 1;
}

/** Most files are composed, so that they follow changes: they have to be those that were there. */
TEST_MACHINE(files_are_as_captured, NULL)
{
	static const char *const names[] = { "gnr0", "gnr3", "srf2",   "icx2s0",
					     "spr1", "emr0", "clx2s0", "sklep0" };

	for (size_t i = 0; i < COUNT(names); i++) {
		char path[700], *line = NULL;
		size_t space = 0, compared = 0;
		FILE *file;

		if (!replay(e, names[i]))
			skip();
		snprintf(path, sizeof(path), "%s/sys/inlinefiles.txt", e->platform);
		file = fopen(path, "r");
		assert_non_null(file);
		while (getline(&line, &space, file) > 0)
			compared += check_line(e, line);
		assert_true(compared > 300);
		free(line);
		fclose(file);
		finish(e);
	}
}

/** Also where there are no captures: a directory has to be one. */
TEST_MACHINE(a_directory_that_is_none, NULL)
{
	prepare(e, "-");
	snprintf(e->platform, sizeof(e->platform), "%s/", e->scratch);
	assert_refused(e, -EINVAL, "/proc/cpuinfo: found no such file, expected one in every");
	assert_int_equal(rmdir(e->scratch), 0);
}
