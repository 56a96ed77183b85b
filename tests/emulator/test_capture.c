/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Captured machines: what a small capture becomes, what taking its lock off does, and that every
 * damage is reported with file and line. The real ones are in test_captured_machines.c.
 */
#include "emulator/emulated.h"
#include "emulator/tpmi_calls.h"

#include <sys/stat.h>

/* ---- Small captured machines, written into a scratch directory ---- */

/** A capture that is being put together: a directory, and what its files hold. */
enum { CAPTURED_FILES = 8 };
struct captured {
	struct emulated e; /* e.platform is the capture's directory */
	struct {
		const char *name;
		char *text;
	} file[CAPTURED_FILES];
	size_t count;
};

static void add_file(struct captured *r, const char *name, const char *text)
{
	assert_true(r->count < CAPTURED_FILES);
	r->file[r->count].name = name;
	r->file[r->count++].text = strdup(text);
}

static char *find_file(struct captured *r, const char *name)
{
	for (size_t i = 0; i < r->count; i++)
		if (strcmp(r->file[i].name, name) == 0)
			return r->file[i].text;
	fail_msg("no file %s", name);
	return NULL;
}

static void make_parents(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0755);
		*slash = '/';
	}
}

static void put_file(struct captured *r, const char *name, const char *text)
{
	char path[1400];

	snprintf(path, sizeof(path), "%s/%s", r->e.platform, name);
	make_parents(path);
	write_text(path, text);
}

static void put_files(struct captured *r)
{
	for (size_t i = 0; i < r->count; i++)
		put_file(r, r->file[i].name, r->file[i].text);
}

static void begin_capture(struct captured *r)
{
	*r = (struct captured){ 0 };
	prepare(&r->e, "-");
	snprintf(r->e.platform, sizeof(r->e.platform), "%s/machine", r->e.scratch);
}

/** Text in which the first @old is @new; @old NULL: @new at the end. */
static char *replaced(const char *text, const char *old, const char *new)
{
	const char *at = old ? strstr(text, old) : text + strlen(text);
	char *result;

	if (!at)
		fail_msg("\"%s\" is not in the file", old);
	assert_true(asprintf(&result, "%.*s%s%s", (int)(at - text), text, new,
			     at + (old ? strlen(old) : 0)) >= 0);
	return result;
}

static void remove_tree(const char *path)
{
	char command[1600];

	snprintf(command, sizeof(command), "rm -rf '%s'", path);
	assert_int_equal(system(command), 0);
}

/** Makes a capture, writes it as it is made and opens its machine. */
static void start_capture(struct captured *r, void (*make)(struct captured *))
{
	make(r);
	put_files(r);
	open_machine(&r->e);
}

static void end_capture(struct captured *r)
{
	close_machine(&r->e);
	remove_tree(r->e.scratch);
	for (size_t i = 0; i < r->count; i++)
		free(r->file[i].text);
}

/** A test on the machine of a capture that @make makes: `r`, whose machine is open. */
#define TEST_CAPTURE(test, make) \
	static void test##_with(struct captured *r); \
	TEST(test) \
	{ \
		struct captured r; \
\
		start_capture(&r, make); \
		test##_with(&r); \
		end_capture(&r); \
	} \
	static void test##_with(struct captured *r)

#define PROCESSOR(number, core) \
	"processor\t: " #number "\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 106\n" \
	"model name\t: Intel(R) Xeon(R) Small\nstepping\t: 6\nphysical id\t: 0\n" \
	"core id\t\t: " #core "\n\n"

/** A mailbox machine of two cores with two threads; its firmware was asked. */
static void mailbox_capture(struct captured *r)
{
	begin_capture(r);
	add_file(r, "proc/cpuinfo",
		 PROCESSOR(0, 0) PROCESSOR(1, 2) PROCESSOR(2, 0) PROCESSOR(3, 2));
	add_file(r, "msr/msr.txt",
		 "# some MSRs\n"
		 "53:0|0 1|4 2|1 3|5\n"
		 "64b:0|80000000 1|80000000 2|80000000 3|80000000\n"
		 "1ad:0|2325 1|2325 2|2325 3|2325\n"
		 "1ae:0|201 1|201 2|201 3|201\n"
		 "771:0|8081b23 1|8081523 2|8081b23 3|8081523\n");
	add_file(r, "sys/inlinefiles.txt",
		 "# some files\n"
		 "ro|/sys/devices/system/cpu/online|0-3\n"
		 "ro|/sys/devices/system/cpu/present|0-3\n"
		 "ro|/sys/devices/system/cpu/possible|0-7\n"
		 "ro|/sys/devices/system/cpu/cpu0/topology/die_id|0\n"
		 "ro|/sys/devices/system/cpu/cpu1/topology/die_id|0\n"
		 "ro|/sys/devices/system/cpu/cpu2/topology/die_id|0\n"
		 "ro|/sys/devices/system/cpu/cpu3/topology/die_id|0\n"
		 "rw|/sys/devices/system/cpu/intel_pstate/status|active\n"
		 "rw|/sys/devices/system/cpu/intel_pstate/no_turbo|0\n"
		 "rw|/sys/devices/system/cpu/intel_uncore_frequency/package_00_die_00/"
		 "max_freq_khz|2200000\n"
		 "rw|/sys/devices/system/cpu/intel_uncore_frequency/package_00_die_00/"
		 "min_freq_khz|900000\n"
		 "ro|/sys/devices/system/node/node0/cpulist|0-3\n");
	add_file(r, "isst/answers.txt",
		 "# what it answered\n"
		 "driver -> 1 1 32 1 1\n"
		 "mailbox 0 0 0x7f/0x00 0x0 0x0 -> 0x81000103\n"
		 "mailbox 0 0 0x7f/0x01 0x0 0x0 -> 0x00020002\n"
		 "mailbox 0 0 0x7f/0x01 0x0 0x1 -> 0x00000000\n"
		 "mailbox 0 0 0x7f/0x06 0x0 0x0 -> 0x00000005\n"
		 "mailbox 0 0 0x7f/0x06 0x0 0x100 -> 0x00000000\n"
		 "mailbox 0 0 0x7f/0x06 0x0 0x1 -> 0x00000001\n"
		 "mailbox 0 0 0x7f/0x0a 0x0 0x0 -> 0x00141818\n"
		 "mailbox 0 0 0x7f/0x0a 0x0 0x1 -> 0x0014181a\n"
		 "mailbox 0 0 0x7f/0x0c 0x0 0x10000 -> ENXIO\n"
		 "mailbox 0 0 0x7f/0x20 0x0 0x0 -> 0x00000001\n"
		 "mailbox 0 0 0x7f/0x21 0x0 0x0 -> 0x00001b15\n"
		 "mailbox 0 0 0x94/0x03 0x0 0x0 -> 0x00010001\n"
		 "mailbox 0 0 0xd0/0x02 0x0 0x0 -> 0x00000046\n"
		 "mmio 0 0 0x08 -> 0xabff1234\n"
		 "mmio 0 0 0x0c -> 0x00ff0000\n"
		 "mmio 0 0 0x20 -> 0x00020000\n"
		 "mmio 0 0 0x28 -> 0x00030000\n"
		 "mmio 0 0 0x11c -> EINVAL\n");
}

#define TPMI_DEVICE "sys/kernel/debug/tpmi-0000:00:03.1/"
#define TPMI_DUMP TPMI_DEVICE "tpmi-id-05/mem_dump"

/** A TPMI machine with the registers of tests/platforms/tpmi-tiny, read from the emulator's own
 * debugfs; level 0, locked. */
static void tpmi_capture(struct captured *r)
{
	struct emulated tiny;
	char *dump = NULL, *locked;
	size_t size;

	start(&tiny, "tests/tpmi-tiny");
	assert_int_equal(tiny.machine->files->read(tiny.machine->data, "/" TPMI_DUMP, &dump, &size),
			 0);
	finish(&tiny);
	begin_capture(r);
	add_file(r, "proc/cpuinfo", PROCESSOR(0, 0) PROCESSOR(1, 1));
	add_file(r, "msr/msr.txt", "54:0|0 1|808\n");
	add_file(r, "sys/inlinefiles.txt",
		 "ro|/sys/devices/system/cpu/online|0-1\n"
		 "rw|/sys/devices/system/cpu/intel_pstate/status|active\n"
		 "ro|/sys/devices/system/cpu/cpu0/cpufreq/base_frequency|2000000\n");
	/* PP control and status of the first instance: registers 15 and 16 */
	locked = replaced(dump, "0000005d 00000000 00000000\n 00000080: 00000000",
			  "0000005d 00000008 00000000\n 00000080: 00000008");
	add_file(r, TPMI_DUMP, locked);
	free(locked);
	free(dump);
}

/* ---- What becomes of a capture ---- */

TEST_CAPTURE(a_mailbox_machine_answers_as_captured, mailbox_capture)
{
	uint32_t answer, register_value = 0;
	uint64_t value = 0;

	assert_int_equal(ask(&r->e, 0x00, 0), 0x81000103);
	assert_int_equal(ask(&r->e, 0x0a, 0), 0x00141818);
	assert_int_equal(ask(&r->e, 0x20, 0), 1);
	assert_int_equal(mailbox_on(&r->e, 0, 0x7f, 0x0c, 0, 0x10000, &answer), -ENXIO);
	/* Nobody asked for that one. */
	assert_int_equal(mailbox_on(&r->e, 0, 0x7f, 0x03, 0, 0, &answer), -ENXIO);
	assert_mmio(&r->e, 1, 0x08, 0xabff1234);
	assert_mmio(&r->e, 3, 0x28, 0x30000);
	assert_int_equal(mmio(&r->e, 0, 0x24, false, &register_value), -ENXIO);
	assert_int_equal(mmio(&r->e, 0, 0x11c, false, &register_value), -EINVAL);
	assert_msr(&r->e, 3, 0x1ad, 0x2325);
	assert_int_equal(msr(&r->e, 3, 0x1af, false, &value), -EIO);
	assert_phy_id(&r->e, 3, 5);
}

TEST_CAPTURE(files_come_from_the_capture_or_are_composed, mailbox_capture)
{
	assert_file(&r->e, CPUS "/possible", "0-7\n");
	assert_file(&r->e, CPUS "/online", "0-3\n");
	assert_file(&r->e, CPUS "/cpu1/topology/core_id", "2\n");
	assert_file(&r->e, CPUS "/cpu1/topology/thread_siblings_list", "1,3\n");
	assert_file(&r->e, CPUS "/cpu0/cpufreq/base_frequency", "2700000\n");
	assert_file(&r->e, CPUS "/cpu1/cpufreq/base_frequency", "2100000\n");
	assert_file(&r->e, CPUS "/cpu1/cpufreq/cpuinfo_max_freq", "3500000\n");
	assert_file(&r->e, CPUS "/cpu1/cpufreq/cpuinfo_min_freq", "800000\n");
	assert_file(&r->e, CPUS "/intel_uncore_frequency/package_00_die_00/min_freq_khz",
		    "900000\n");
	assert_file(&r->e, "/sys/devices/system/node/node0/cpulist", "0-3\n");
}

/** What is written moves answers as on a platform that was described. */
TEST_MACHINE(a_captured_machine_can_be_changed, NULL)
{
	struct captured r;
	uint32_t value = 0x12345678;

	mailbox_capture(&r);
	free(r.file[3].text);
	r.file[3].text = strdup("driver -> 1 1 64 1 1\n"
				"mailbox 0 0 0x7f/0x00 0x0 0x0 -> 0x80000103\n"
				"mailbox 0 0 0x7f/0x01 0x0 0x0 -> 0x00020002\n"
				"mailbox 0 0 0x7f/0x01 0x0 0x1 -> 0x00000002\n"
				"mailbox 0 0 0x7f/0x0a 0x0 0x0 -> 0x18\n"
				"mailbox 0 0 0x7f/0x0a 0x0 0x1 -> 0x1a\n"
				"mailbox 0 0 0x94/0x03 0x0 0x0 -> 0x1\n"
				"mmio 0 0 0x08 -> 0\n");
	put_files(&r);
	open_machine(&r.e);
	assert_int_equal(ask(&r.e, 0x01, 0), 0x20002);
	assert_int_equal(mailbox_result(&r.e, 0x7f, 0x08, 0, 1), 1);
	assert_int_equal(ask(&r.e, 0x00, 0), 0x80010103);
	assert_int_equal(ask(&r.e, 0x01, 0), 0x00002);
	assert_file(&r.e, CPUS "/cpu0/cpufreq/base_frequency", "2600000\n");
	assert_int_equal(mailbox_result(&r.e, 0x7f, 0x02, 0, 0x20000), 1);
	assert_int_equal(ask(&r.e, 0x01, 1), 0x20002);
	assert_int_equal(mmio(&r.e, 0, 0x08, true, &value), 1);
	value = 0;
	assert_mmio(&r.e, 0, 0x08, 0x12345678);
	end_capture(&r);
}

TEST_CAPTURE(a_tpmi_machine_has_the_captured_registers, tpmi_capture)
{
	assert_int_equal(instances(&r->e, 0).valid_mask, 7);
	assert_int_equal(levels(&r->e, 0, 0).level_mask, 0xb);
	assert_true(levels(&r->e, 0, 0).locked);
	assert_false(levels(&r->e, 0, 1).locked);
}

TEST_CAPTURE(debugfs_shows_the_registers_as_they_are, tpmi_capture)
{
	char *content;

	assert_file(&r->e, "/" TPMI_DUMP, find_file(r, TPMI_DUMP));
	assert_int_equal(set_features(&r->e, 0, 0, 1), 0);
	content = file_text(&r->e, "/" TPMI_DUMP);
	assert_non_null(strstr(content, "0000005d 00000108 00000000\n"));
	free(content);
}

/* ---- The lock ---- */

TEST_MACHINE(unlocked_the_level_of_a_tpmi_machine_can_be_changed, NULL)
{
	struct captured r;

	tpmi_capture(&r);
	put_files(&r);
	r.e.target.unlock = true;
	open_machine(&r.e);
	assert_false(levels(&r.e, 0, 0).locked);
	assert_int_equal(set_level(&r.e, 0, 0, 1), 0);
	assert_int_equal(levels(&r.e, 0, 0).current_level, 1);
	end_capture(&r);
}

TEST_CAPTURE(unlocked_the_level_of_a_mailbox_machine_can_be_changed, mailbox_capture)
{
	assert_msr(&r->e, 0, 0x64b, 0x80000000);
	assert_int_equal(mailbox_result(&r->e, 0x7f, 0x08, 0, 1), -ENXIO);
	close_machine(&r->e);
	remove_tree(r->e.directory);
	r->e.target.unlock = true;
	open_machine(&r->e);
	assert_int_equal(ask(&r->e, 0x00, 0), 0x80000103);
	assert_msr(&r->e, 0, 0x64b, 0);
	assert_int_equal(mailbox_result(&r->e, 0x7f, 0x08, 0, 1), 1);
	assert_int_equal(ask(&r->e, 0x00, 0), 0x80010103);
}

TEST_MACHINE(a_built_in_platform_can_be_unlocked, NULL)
{
	prepare(e, "tests/locked");
	e->target.unlock = true;
	open_machine(e);
	assert_int_equal(ask(e, 0x00, 0) & 1 << 24, 0);
	assert_int_equal(mailbox_result(e, 0x7f, 0x08, 0, 1), 1);
}

/* ---- State ---- */

static const char OTHER[] = "contains the state of another platform";

TEST_CAPTURE(the_state_belongs_to_the_content_and_to_the_lock, mailbox_capture)
{
	static const char *const changed[][3] = {
		{ "proc/cpuinfo", "Small", "Other" },
		{ "msr/msr.txt", "0|2325", "0|2425" },
		{ "sys/inlinefiles.txt", "|900000", "|1000000" },
		{ "isst/answers.txt", "0xabff1234", "0xabff1235" },
	};

	close_machine(&r->e);
	for (size_t i = 0; i < COUNT(changed); i++) {
		char *text = replaced(find_file(r, changed[i][0]), changed[i][1], changed[i][2]);

		put_file(r, changed[i][0], text);
		assert_refused(&r->e, -EIO, OTHER);
		put_files(r);
		free(text);
	}
	r->e.target.unlock = true;
	assert_refused(&r->e, -EIO, OTHER);
	r->e.target.unlock = false;
	open_machine(&r->e);
}

TEST_CAPTURE(registers_belong_to_the_content_too, tpmi_capture)
{
	char *text;

	close_machine(&r->e);
	text = replaced(find_file(r, TPMI_DUMP), "20320640", "20320648");
	put_file(r, TPMI_DUMP, text);
	free(text);
	assert_refused(&r->e, -EIO, OTHER);
}

/** CPUs that are present and not in cpuinfo are offline: their places are composed. */
TEST_MACHINE(offline_cpus_are_there, NULL)
{
	struct captured r;
	char *text;

	mailbox_capture(&r);
	text = replaced(find_file(&r, "sys/inlinefiles.txt"), "present|0-3", "present|0-5");
	put_files(&r);
	put_file(&r, "sys/inlinefiles.txt", text);
	free(text);
	open_machine(&r.e);
	assert_file(&r.e, CPUS "/present", "0-5\n");
	assert_file(&r.e, CPUS "/online", "0-3\n");
	assert_file(&r.e, CPUS "/cpu5/online", "0\n");
	assert_phy_id(&r.e, 5, 0);
	assert_int_equal(write_file(&r.e, CPUS "/cpu5/online", "1"), 0);
	assert_file(&r.e, CPUS "/cpu5/topology/physical_package_id", "0\n");
	end_capture(&r);
}

TEST_MACHINE(a_capture_is_described, NULL)
{
	struct captured r;
	char *text, *error;

	tpmi_capture(&r);
	put_files(&r);
	assert_int_equal(isst_emulator_show(&r.e.target, &text, &error), 0);
	assert_non_null(
		strstr(text, "captured: 2 CPUs, 1 MSRs, 3 files, 1 TPMI devices, 0 answers"));
	assert_non_null(strstr(text, "package 0, power domain 2: IO, cores none\n"));
	free(text);
	end_capture(&r);
}

/* ---- Damage ---- */

/** The message of a capture that cannot be read; to be freed. NULL where it can be. */
static char *mistake_of(struct captured *r)
{
	char *text = NULL, *error = NULL;
	int result = isst_emulator_show(&r->e.target, &text, &error);

	free(text);
	if (!result)
		return NULL;
	assert_int_equal(result, -EINVAL);
	assert_non_null(error);
	return error;
}

struct damage {
	const char *file, *old, *new, *message; /* behind the directory */
};

static void check_damages(struct captured *r, const struct damage *damages, size_t count)
{
	char *error;

	put_files(r);
	error = mistake_of(r);
	if (error)
		fail_msg("sound, but: %s", error);
	for (size_t i = 0; i < count; i++) {
		char *text = replaced(find_file(r, damages[i].file), damages[i].old,
				      damages[i].new);
		size_t directory = strlen(r->e.platform);

		put_file(r, damages[i].file, text);
		error = mistake_of(r);
		if (!error)
			fail_msg("no error: %s", damages[i].message);
		if (strncmp(error, r->e.platform, directory) != 0 ||
		    strncmp(error + directory, damages[i].message, strlen(damages[i].message)) != 0)
			fail_msg("%s\ninstead of %s", error, damages[i].message);
		put_file(r, damages[i].file, find_file(r, damages[i].file));
		free(error);
		free(text);
	}
}

/** The same of a capture that is made for it. */
static void check_damages_of(void (*make)(struct captured *), const struct damage *damages,
			     size_t count)
{
	struct captured r;

	make(&r);
	check_damages(&r, damages, count);
	end_capture(&r);
}

TEST_MACHINE(damaged_cpuinfo, NULL)
{
	static const struct damage damages[] = {
		{ "proc/cpuinfo", "core id\t\t: 2\n", "",
		  "/proc/cpuinfo:10: found a processor without \"core id\"" },
		{ "proc/cpuinfo", "model\t\t: 106", "model\t\t: x6",
		  "/proc/cpuinfo:4: found \"x6\" for \"model\", expected a number 0..255" },
		{ "proc/cpuinfo", "processor\t: 1", "processor\t: 2",
		  "/proc/cpuinfo:19: found a processor again, first in line 10" },
		{ "proc/cpuinfo", "physical id\t: 0", "physical id",
		  "/proc/cpuinfo:7: found \"physical id\", expected \"key : value\"" },
		{ "proc/cpuinfo", "model\t\t: 106", "core id : 7",
		  "/proc/cpuinfo:8: found \"core id\" again, expected \"processor\" first" },
		{ "proc/cpuinfo", "processor\t: 0\n", "",
		  "/proc/cpuinfo:1: found \"vendor_id\", expected \"processor\" first" },
		{ "proc/cpuinfo", "Small", "Sm\001all",
		  "/proc/cpuinfo:5: found the byte 0x01, expected a text file" },
		{ "proc/cpuinfo", "GenuineIntel", "",
		  "/proc/cpuinfo:2: found \"\" for \"vendor_id\", expected a text" },
	};
	struct captured r;
	char *error, *text;

	mailbox_capture(&r);
	check_damages(&r, damages, COUNT(damages));
	put_file(&r, "proc/cpuinfo", "");
	error = mistake_of(&r);
	assert_non_null(strstr(error, "/proc/cpuinfo:1: found no processor"));
	free(error);
	text = replaced(find_file(&r, "proc/cpuinfo"), "model\t\t: 106", "model\t\t: 107");
	put_file(&r, "proc/cpuinfo", text);
	free(text);
	error = mistake_of(&r);
	assert_non_null(strstr(error, "/proc/cpuinfo:10: found a processor of family 6, model 106, "
				      "expected 6 and 107"));
	free(error);
	end_capture(&r);
}

TEST_MACHINE(damaged_msrs, NULL)
{
	static const struct damage damages[] = {
		{ "msr/msr.txt", "1ad:0|2325 1|2325 2|2325", "1ad:0|2325 1|2325",
		  "/msr/msr.txt:4: found values of 3 CPUs for MSR 0x1ad, expected one of every CPU" },
		{ "msr/msr.txt", "1ad:0|2325", "1ad:9|2325",
		  "/msr/msr.txt:4: found a value of CPU 9 for MSR 0x1ad" },
		{ "msr/msr.txt", "1ad:0|2325 1|2325", "1ad:0|2325 0|2325",
		  "/msr/msr.txt:4: found the same MSR of a CPU again, first in line 4" },
		{ "msr/msr.txt", "1ad:0|2325", "1ad:0|2x25",
		  "/msr/msr.txt:4: found \"1ad:0|2x25 1|2325 2|2325 3|2325\", expected "
		  "ADDRESS:CPU|VALUE" },
		{ "msr/msr.txt", "1ad:0|2325", "1ad:02325", "/msr/msr.txt:4: found \"1ad:02325 " },
		{ "msr/msr.txt", "1ad:", "1gd:", "/msr/msr.txt:4: found \"1gd:" },
		{ "msr/msr.txt", "1ad:", "1ad ", "/msr/msr.txt:4: found \"1ad 0|2325" },
		{ "msr/msr.txt", "1ae:", "1ad:",
		  "/msr/msr.txt:5: found the same MSR of a CPU again, first in line 4" },
		{ "msr/msr.txt", "771:0|8081b23", "771:0|10000000000000000",
		  "/msr/msr.txt:6: found \"771:0|10000000000000000 " },
	};

	check_damages_of(mailbox_capture, damages, COUNT(damages));
}

TEST_MACHINE(damaged_file_lines, NULL)
{
#define FILES "sys/inlinefiles.txt"
	static const struct damage damages[] = {
		{ FILES, "no_turbo|0", "no_turbo|",
		  "/" FILES ":10: found \"rw|/sys/devices/system/cpu/intel_pstate/no_turbo|\", "
		  "expected ro|PATH|VALUE or rw|PATH|VALUE" },
		{ FILES, "no_turbo|0", "no_turbo",
		  "/" FILES ":10: found \"rw|/sys/devices/system/cpu/intel_pstate/no_turbo\", " },
		{ FILES, "rw|", "wo|", "/" FILES ":9: found \"wo|" },
		{ FILES, "ro|/sys", "ro|/sys/../../home",
		  "/" FILES ":2: found \"ro|/sys/../../home" },
		{ FILES, "ro|/sys", "ro|/etc", "/" FILES ":2: found \"ro|/etc/" },
		{ FILES, "ro|/sys", "ro|sys", "/" FILES ":2: found \"ro|sys/" },
		{ FILES, "online|0-3", "online|0-4", "/" FILES ":2: found \"0-4\" in " CPUS },
		{ FILES, "online|0-3", "online|0-2", "/" FILES ":2: found \"0-2\" in " CPUS },
		{ FILES, "online|0-3", "online|3-0", "/" FILES ":2: found \"3-0\" in " CPUS },
		{ FILES, "possible|0-7", "possible|0-2", "/" FILES ":4: found no CPU 3 in " CPUS },
		{ FILES, "cpu1/topology/die_id|0", "cpu1/topology/die_id|x",
		  "/" FILES ":6: found \"x\" in " CPUS "/cpu1/topology/die_id, expected a number" },
		{ FILES, "cpu1/topology/die_id|0", "cpu9/topology/die_id|0",
		  "/" FILES ":13: found no topology/die_id of CPU 1, expected one as others have" },
		{ FILES, "no_turbo|0", "no_turbo|2", "/" FILES ":10: found \"2\" in " CPUS },
		{ FILES, "min_freq_khz|900000", "min_freq_khz|9e5",
		  "/" FILES ":12: found \"9e5\"" },
		{ FILES, "cpu1/topology", "cpu0/topology",
		  "/" FILES ":6: found " CPUS "/cpu0/topology/die_id again, first in line 5" },
		{ FILES, NULL, "rw|" CPUS "/cpu1/cpufreq/scaling_max_freq|fast\n",
		  "/" FILES ":14: found \"fast\" in " CPUS "/cpu1/cpufreq/scaling_max_freq" },
		{ FILES, NULL, "ro|" CPUS "/cpu1/cpufreq/base_frequency|25500001\n",
		  "/" FILES ":14: found \"25500001\" in " CPUS "/cpu1/cpufreq/base_frequency" },
		{ FILES, NULL, "ro|/proc/sys/kernel/osrelease|new\n",
		  "/" FILES ":14: found \"new\", expected a kernel release" },
	};

	check_damages_of(mailbox_capture, damages, COUNT(damages));
}

TEST_MACHINE(damaged_answers, NULL)
{
#define ANSWERS "isst/answers.txt"
	static const struct damage damages[] = {
		{ ANSWERS, "driver ->", "diver ->", "/" ANSWERS ":2: found \"diver ->" },
		{ ANSWERS, "-> 1 1 32", "-> 1 32", "/" ANSWERS ":2: found \"driver -> 1 32" },
		{ ANSWERS, "-> 1 1 32", "-> 1 1 65", "/" ANSWERS ":2: found \"driver -> 1 1 65" },
		{ ANSWERS, "mmio 0 0 0x0c ->", "mmio 0 0 ->",
		  "/" ANSWERS ":17: found \"mmio 0 0 ->" },
		{ ANSWERS, "mmio 0 0 0x0c", "mmio 0 0 0x10000",
		  "/" ANSWERS ":17: found \"mmio 0 0 0x10000 ->" },
		{ ANSWERS, "mmio 0 0 0x0c", "mmio 0 0 0x0d",
		  "/" ANSWERS ":17: found \"mmio 0 0 0x0d ->" },
		{ ANSWERS, "0x7f/0x20", "0x7f20", "/" ANSWERS ":12: found \"mailbox 0 0 0x7f20" },
		{ ANSWERS, "0x7f/0x20", "0x7f/0x100",
		  "/" ANSWERS ":12: found \"mailbox 0 0 0x7f/0x100" },
		{ ANSWERS, "mailbox 0 0 0x7f/0x20", "mailbox EIO 0 0x7f/0x20",
		  "/" ANSWERS ":12: found \"mailbox EIO" },
		{ ANSWERS, "0x10000 -> ENXIO", "0x10000 -> E0",
		  "/" ANSWERS
		  ":11: found \"mailbox 0 0 0x7f/0x0c 0x0 0x10000 -> E0\", expected driver, no-driver, "
		  "mailbox, mmio or instances" },
		{ ANSWERS, "0x10000 -> ENXIO", "0x10000 -> ENIX",
		  "/" ANSWERS ":11: found \"mailbox" },
		{ ANSWERS, "0x10000 -> ENXIO", "0x10000 -> 0x1ffffffff",
		  "/" ANSWERS ":11: found \"mailbox" },
		{ ANSWERS, "0x10000 -> ENXIO", "0x10000 ->", "/" ANSWERS ":11: found \"mailbox" },
		{ ANSWERS, "0x10000 -> ENXIO", "1 2 3 4 5 6 7",
		  "/" ANSWERS ":11: found \"mailbox" },
		{ ANSWERS, "# what it answered", "->", "/" ANSWERS ":1: found \"->" },
		{ ANSWERS, "-> 1 1 32", "-> 3 1 32", "/" ANSWERS ":2: found API version 3" },
		{ ANSWERS, "mmio 0 0 0x0c", "mmio 0 0 0x08",
		  "/" ANSWERS ":17: found the same request again, first in line 16" },
		{ ANSWERS, NULL, "driver -> 1 1 64 1 1\n",
		  "/" ANSWERS ":21: found the driver again, first in line 2" },
		{ ANSWERS, NULL, "no-driver\n",
		  "/" ANSWERS ":21: found the driver again, first in line 2" },
	};

	check_damages_of(mailbox_capture, damages, COUNT(damages));
}

TEST_MACHINE(damaged_dumps, NULL)
{
	static const struct damage damages[] = {
		{ TPMI_DUMP, "TPMI Instance:1 offset:", "TPMI Instance:1 ",
		  "/" TPMI_DUMP ":34: found \"TPMI Instance:1 0x900073f8\", expected \"TPMI" },
		{ TPMI_DUMP, "TPMI Instance:1", "TPMI Instance:2",
		  "/" TPMI_DUMP ":34: found \"TPMI Instance:2 offset:0x900073f8\", expected \"TPMI "
		  "Instance:1 " },
		{ TPMI_DUMP, "TPMI Instance:0", "TPMI Distance:0",
		  "/" TPMI_DUMP ":1: found \"TPMI Distance:0 " },
		{ TPMI_DUMP, " 00000020: ", " 00000040: ",
		  "/" TPMI_DUMP ":3: found offset 0x40, expected 0x20: lines of instance 0 are" },
		{ TPMI_DUMP, " 00000020: 00ff0000", " 00000020: 00ff000",
		  "/" TPMI_DUMP ":3: found \"00000020: 00ff000 " },
		{ TPMI_DUMP, " 00000020: 00ff0000", " 00000020: 00ff000g",
		  "/" TPMI_DUMP ":3: found \"00000020: 00ff000g " },
		{ TPMI_DUMP, " 00000020: 00ff0000", " 00000020: 00ff0000 00ff0000",
		  "/" TPMI_DUMP ":3: found \"00000020: 00ff0000 00ff0000 " },
		{ TPMI_DUMP, " 00000020: 00ff0000",
		  " 00000020:", "/" TPMI_DUMP ":3: found \"00000020: 00000000 " },
		{ TPMI_DUMP, " 00000020: 00ff0000 00000000", " 00000020:",
		  "/" TPMI_DUMP ":4: found offset 0x40, expected 0x38: lines of instance 0 are" },
		{ TPMI_DUMP, " 00000020: ", "junk", "/" TPMI_DUMP ":3: found \"junk00ff0000" },
		/* Offsets that lead out of the registers: the bank, a level, what is in a level */
		{ TPMI_DUMP, "00000000: 0c010301", "00000000: ff010301",
		  "/" TPMI_DUMP ":1: found " },
		{ TPMI_DUMP, "47311b05", "ff311b05", "/" TPMI_DUMP ":1: found " },
		{ TPMI_DUMP, "000e0c00", "00ff0c00", "/" TPMI_DUMP ":1: found " },
		{ "msr/msr.txt", "808", "2008",
		  "/msr/msr.txt:1: found CPU 1 in power domain 4, expected one of the captured instances of package 0" },
		{ "msr/msr.txt", "54:", "53:", "/msr/msr.txt:1: found no MSR 0x54" },
	};

	check_damages_of(tpmi_capture, damages, COUNT(damages));
}

/** The block of registers is cut at its end, in every way. */
TEST_MACHINE(truncated_register_blocks, NULL)
{
	struct captured r;
	char *dump, *error;
	size_t length;

	tpmi_capture(&r);
	put_files(&r);
	dump = find_file(&r, TPMI_DUMP);
	length = strlen(dump);
	for (size_t cut = 1; cut < 400; cut++) {
		char *text = strndup(dump, length - cut);

		put_file(&r, TPMI_DUMP, text);
		error = mistake_of(&r);
		/* The last line's end is not missed. */
		if (cut > 1 && (!error || !strstr(error, "/" TPMI_DUMP ":")))
			fail_msg("%zu bytes cut: %s", cut, error ? error : "no error");
		free(error);
		free(text);
	}
	end_capture(&r);
}

TEST_MACHINE(missing_files, NULL)
{
	static const char *const names[] = { "proc/cpuinfo", "msr/msr.txt", "sys/inlinefiles.txt",
					     TPMI_DUMP };
	struct captured r;

	tpmi_capture(&r);
	for (size_t i = 0; i < COUNT(names); i++) {
		char path[1400], *error;

		put_files(&r);
		snprintf(path, sizeof(path), "%s/%s", r.e.platform, names[i]);
		assert_int_equal(unlink(path), 0);
		error = mistake_of(&r);
		if (!error || strncmp(error, path, strlen(path)) != 0 ||
		    !strstr(error, "found no such file, expected"))
			fail_msg("%s: %s", path, error ? error : "no error");
		free(error);
	}
	end_capture(&r);
}

TEST_MACHINE(a_device_for_each_package, NULL)
{
	struct captured r;
	char *error;

	tpmi_capture(&r);
	put_files(&r);
	put_file(&r, "sys/kernel/debug/tpmi-0000:80:03.1/tpmi-id-05/mem_dump",
		 find_file(&r, TPMI_DUMP));
	error = mistake_of(&r);
	assert_non_null(strstr(error,
			       "found the registers of 2 TPMI devices, expected one for each "
			       "of 1 packages"));
	free(error);
	end_capture(&r);
}

/** Whatever is damaged: an error or none, but never a crash (for the sanitizers to see). */
TEST_MACHINE(no_damage_crashes, NULL)
{
	static void (*const make[])(struct captured *) = { mailbox_capture, tpmi_capture };
	static const char junk[] = "0:|-> \n\xff/9";
	struct captured r;

	for (size_t m = 0; m < 2; m++) {
		make[m](&r);
		put_files(&r);
		for (size_t i = 0; i < r.count; i++) {
			size_t length = strlen(r.file[i].text), step = length / 150 + 1;
			char *text = strdup(r.file[i].text);

			for (size_t at = 0; at < length; at += step) {
				char saved = text[at];

				text[at] = junk[at / step % (sizeof(junk) - 1)];
				put_file(&r, r.file[i].name, text);
				free(mistake_of(&r));
				text[at] = '\0';
				put_file(&r, r.file[i].name, text);
				free(mistake_of(&r));
				text[at] = saved;
			}
			put_file(&r, r.file[i].name, text);
			free(text);
		}
		end_capture(&r);
	}
}
