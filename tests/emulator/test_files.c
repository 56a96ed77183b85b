/* SPDX-License-Identifier: BSD-3-Clause */
/* Links, modules and paths of the emulated kernel. The cases emulated-* have its other files. */
#include "emulator/emulated.h"
#include "emulator/front/files.h"
#include "support/check.h"

TEST_MACHINE(paths_stay_inside, "tests/tiny")
{
	assert_int_equal(read_result(e, "/sys/../../state"), -EINVAL);
	assert_int_equal(read_result(e, "/.."), -EINVAL);
	assert_int_equal(read_result(e, "sys"), -EINVAL);
	assert_int_equal(read_result(e, "/sys"), -EISDIR);
	assert_int_equal(make_directory(e, "/sys/x"), -EPERM);
	assert_int_equal(remove_directory(e, "/sys"), -EBUSY);
}

/** A policy of cpufreq is another name of what its CPU has. */
TEST_MACHINE(policies_are_links, "tests/tiny")
{
	struct kernel_status status;

	assert_int_equal(files_look(e->machine->data, CPUS "/cpufreq/policy1", false, &status), 0);
	assert_int_equal(status.type, KERNEL_LINK);
	assert_string_equal(status.target, "../cpu1/cpufreq");
	free(status.target);
}

/** A big-endian number of an index. */
static uint32_t index_word(const char *at)
{
	const unsigned char *byte = (const unsigned char *)at;

	return (uint32_t)byte[0] << 24 | (uint32_t)byte[1] << 16 | (uint32_t)byte[2] << 8 | byte[3];
}

/** Looks a name up in an index of depmod(8), as libkmod does. Returns NULL where it has none. */
static const char *find_in_index(const char *index, const char *name)
{
	uint32_t node = index_word(index + 8);

	while (node) {
		const char *at = index + (node & 0xfffffff);

		if (node & 0x80000000) {
			if (strncmp(at, name, strlen(at)) != 0)
				return NULL;
			name += strlen(at);
			at += strlen(at) + 1;
		}
		if (!*name) {
			if (node & 0x20000000)
				at += 2 + 4 * (at[1] - at[0] + 1);
			return node & 0x40000000 ? at + 8 : NULL;
		}
		if (!(node & 0x20000000) || *name < at[0] || *name > at[1])
			return NULL;
		node = index_word(at + 2 + 4 * (*name++ - at[0]));
	}
	return NULL;
}

TEST_MACHINE(modprobe_finds_the_modules, "tests/tpmi-tiny")
{
	static const char MODULE[] =
		"kernel/drivers/platform/x86/intel/speed_select_if/isst_tpmi.ko:";
	char *index;
	size_t size;

	assert_int_equal(e->machine->files->read(e->machine->data,
						 "/lib/modules/6.12.0/modules.dep.bin", &index,
						 &size),
			 0);
	assert_int_equal(index_word(index), 0xb007f457);
	assert_int_equal(index_word(index + 4), 0x00020001);
	assert_string_equal(find_in_index(index, "isst_tpmi"), MODULE);
	assert_non_null(find_in_index(index, "isst_tpmi_core"));
	assert_non_null(find_in_index(index, "isst_if_common"));
	assert_string_equal(find_in_index(index, "msr"), "kernel/arch/x86/kernel/msr.ko:");
	assert_null(find_in_index(index, "isst_if_mmio"));
	assert_null(find_in_index(index, "isst"));
	assert_null(find_in_index(index, "isst_tpmi_cores"));
	assert_null(find_in_index(index, "nonesuch"));
	free(index);
}
