/* SPDX-License-Identifier: BSD-3-Clause */
/* Small captured machines for the emulator's tests, written into a scratch directory. */
#ifndef TESTS_EMULATOR_CAPTURED_H
#define TESTS_EMULATOR_CAPTURED_H

#include "emulator/emulated.h"

#include <sys/stat.h>

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

/** The text of a file; to be freed. */
static inline char *read_file(const char *path)
{
	FILE *file = fopen(path, "r");
	struct stat status;
	char *text;
	size_t size;

	assert_non_null(file);
	assert_int_equal(fstat(fileno(file), &status), 0);
	text = calloc((size_t)status.st_size + 1, 1);
	assert_non_null(text);
	size = fread(text, 1, (size_t)status.st_size, file);
	assert_int_equal(size, status.st_size);
	fclose(file);
	return text;
}

static inline void add_file(struct captured *r, const char *name, const char *text)
{
	assert_true(r->count < CAPTURED_FILES);
	r->file[r->count].name = name;
	r->file[r->count++].text = strdup(text);
}

static inline char *find_file(struct captured *r, const char *name)
{
	for (size_t i = 0; i < r->count; i++)
		if (strcmp(r->file[i].name, name) == 0)
			return r->file[i].text;
	fail_msg("no file %s", name);
	return NULL;
}

static inline void make_parents(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0755);
		*slash = '/';
	}
}

static inline void put_file(struct captured *r, const char *name, const char *text)
{
	char path[1400];

	snprintf(path, sizeof(path), "%s/%s", r->e.platform, name);
	make_parents(path);
	write_text(path, text);
}

static inline void put_files(struct captured *r)
{
	for (size_t i = 0; i < r->count; i++)
		put_file(r, r->file[i].name, r->file[i].text);
}

static inline void begin_capture(struct captured *r)
{
	*r = (struct captured){ 0 };
	prepare(&r->e, "-");
	snprintf(r->e.platform, sizeof(r->e.platform), "%s/machine", r->e.scratch);
}

/** Text in which the first @old is @new; @old NULL: @new at the end. */
static inline char *replaced(const char *text, const char *old, const char *new)
{
	const char *at = old ? strstr(text, old) : text + strlen(text);
	char *result;

	if (!at)
		fail_msg("\"%s\" is not in the file", old);
	assert_true(asprintf(&result, "%.*s%s%s", (int)(at - text), text, new,
			     at + (old ? strlen(old) : 0)) >= 0);
	return result;
}

static inline void remove_tree(const char *path)
{
	char command[1600];

	snprintf(command, sizeof(command), "rm -rf '%s'", path);
	assert_int_equal(system(command), 0);
}

/** Makes a capture, writes it as it is made and opens its machine. */
static inline void start_capture(struct captured *r, void (*make)(struct captured *))
{
	make(r);
	put_files(r);
	open_machine(&r->e);
}

static inline void end_capture(struct captured *r)
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
static inline void mailbox_capture(struct captured *r)
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
static inline void tpmi_capture(struct captured *r)
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

#endif
