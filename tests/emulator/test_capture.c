/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Captured machines: what a small capture becomes, what taking its lock off does, and that no
 * damage is a crash; the cases captures-*damaged have the messages. The real ones are in
 * test_captured_machines.c.
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
