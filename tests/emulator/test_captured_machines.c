/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Replays captures of real servers, and compares what the emulated driver and kernel tell with
 * what is known of those servers. The captures are not part of the project: ISST_CAPTURES names
 * their directory; where there is none the tests are skipped.
 */
#include "emulator/tpmi_calls.h"

#include "emulator/model/platform.h"
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

/* ---- TPMI: what tests/command/replays.sh, which compares the levels, does not see ---- */

enum { TPMI_PACKAGES = 2, TPMI_INSTANCES = 5 };

static const struct tpmi_values {
	const char *name;
	unsigned int valid_mask, compute; /* power domains with CPUs come first */
	unsigned int p0, p1, pn, pm;	  /* MHz */
} tpmi_values[] = {
	{ "gnr0", 0x1f, 3, 3900, 2000, 800, 500 },
	{ "gnr3", 0x1b, 2, 3900, 2100, 800, 500 },
	{ "srf2", 0x19, 1, 2700, 2000, 800, 800 },
};

/** Xeon 6980P, a Granite Rapids of 64 cores, 6746E. */
DEFINE_TEST(tpmi_machines, NULL, NULL, "gnr0", "gnr3", "srf2")
{
	const struct tpmi_values *machine = tpmi_values;
	struct emulated e;

	if (!replay(&e, *state))
		skip();
	while (strcmp(machine->name, *state) != 0)
		machine++;
	for (unsigned int socket = 0; socket < TPMI_PACKAGES; socket++) {
		assert_int_equal(instances(&e, socket).valid_mask, machine->valid_mask);
		assert_int_equal(instances(&e, socket).count, TPMI_INSTANCES);
		for (unsigned int domain = 0; domain < machine->compute; domain++) {
			struct abi_perf_level_data_info info = {
				.socket_id = (uint8_t)socket, .power_domain_id = (uint8_t)domain
			};

			assert_int_equal(call(&e, ABI_GET_PERF_LEVEL_INFO, &info), 0);
			assert_int_equal(info.p0_freq_mhz, machine->p0);
			assert_int_equal(info.p1_freq_mhz, machine->p1);
			assert_int_equal(info.pn_freq_mhz, machine->pn);
			assert_int_equal(info.pm_freq_mhz, machine->pm);
		}
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

static const struct mailbox_values {
	const char *name;
	bool device;
	unsigned int model, cpus;
	uint64_t limits, cores; /* MSRs 0x1ad, 0x1ae */
	const char *siblings;	/* of CPU 1 */
} mailbox_machines[] = {
	{ "icx2s0", true, 106, 144, 0x1f1f212222232323, 0x24221e1c1812100c, "1,73\n" },
	{ "spr1", true, 143, 320, 0x1f1f202021232526, 0x28262422201c1814, "1,161\n" },
	{ "emr0", true, 207, 256, 0x1d1d1e1e1f212327, 0x403e3a36322e2820, "1,129\n" },
	{ "clx2s0", true, 85, 96, 0x1f1f212424242527, 0x1c1814100c080402, "1,49\n" },
	{ "sklep0", false, 85, 104, 0x1c1c1e2122222325, 0x1a1814100c000402, "1,53\n" },
};

/** An 8360Y with SST-BF on, 8460H, 8592, 8260L, and an 8170M without Speed Select. */
DEFINE_TEST(mailbox_machines_of_users, NULL, NULL, "icx2s0", "spr1", "emr0", "clx2s0", "sklep0")
{
	const struct mailbox_values *machine = mailbox_machines;
	struct abi_platform_info info;
	uint32_t answer;
	struct emulated e;

	if (!replay(&e, *state))
		skip();
	while (strcmp(machine->name, *state) != 0)
		machine++;
	assert_int_equal(e.machine->identity.model, machine->model);
	assert_file(&e, CPUS "/cpu1/topology/thread_siblings_list", machine->siblings);
	if (machine->device) {
		assert_int_equal(call(&e, ABI_GET_PLATFORM_INFO, &info), 0);
		assert_int_equal(info.api_version, 1);
		assert_true(info.mbox_supported);
		assert_int_equal(info.mmio_supported, machine->model != 85);
		assert_msr(&e, machine->cpus - 1, 0x1ad, machine->limits);
		assert_msr(&e, machine->cpus - 1, 0x1ae, machine->cores);
		/* What firmware would say was not captured. */
		assert_int_equal(mailbox_on(&e, 0, 0x7f, 0x00, 0, 0, &answer), -ENXIO);
		assert_int_equal(mailbox_on(&e, 0, 0x94, 0x03, 0, 0, &answer), -ENXIO);
	} else {
		assert_int_equal(e.device, -ENOENT);
	}
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

/* ---- Built-in machines that are said to be these ---- */

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
