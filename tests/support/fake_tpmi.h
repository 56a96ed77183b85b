/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The TPMI way to the firmware on a fake machine: one domain (package 1, power domain 2, CPU 5),
 * and structures of answers, filled by offset and not by member.
 */
#ifndef TESTS_SUPPORT_FAKE_TPMI_H
#define TESTS_SUPPORT_FAKE_TPMI_H

#include "support/fake_firmware.h"

enum { FAKE_GRANITE_RAPIDS = 0xad };

/** The domain as requests name it. */
#define FAKE_OWN FAKE_DOMAIN(1, 2)

static inline struct fake_firmware *fake_tpmi_start(struct fake_machine *machine,
						    unsigned int api_version)
{
	struct fake_firmware *fake;

	machine->device.api_version = (uint16_t)api_version;
	fake = fake_firmware_start(machine, FAKE_GRANITE_RAPIDS);
	fake->operations = fake->firmware.operations = &tpmi_operations;
	fake->platform.api_version = api_version;
	fake->domain = (struct isst_domain){ .name = "package 1, power domain 2",
					     .package = 1,
					     .number = 2,
					     .present = check_set("5-6"),
					     .has_cpu = true,
					     .cpu = 5 };
	return fake;
}

static inline void fake_tpmi_finish(struct fake_firmware *fake)
{
	isst_cpuset_free((struct isst_cpuset *)fake->domain.present);
	fake_firmware_finish(fake);
}

static inline struct fake_firmware *fake_tpmi_3(struct fake_machine *machine)
{
	return fake_tpmi_start(machine, 3);
}

#define TPMI_TEST(name) \
	FAKE_TEST_OF(name, struct fake_firmware *fake, fake_tpmi_3, fake_tpmi_finish)

/** Another domain of the package; with CPUs, or without. */
static inline struct isst_domain fake_tpmi_domain(const struct fake_firmware *fake,
						  unsigned int number, bool with_cpus)
{
	static struct isst_domain none;
	struct isst_domain domain = with_cpus ? fake->domain : none;

	domain.name = "package 1, another power domain";
	domain.package = 1;
	domain.number = number;
	return domain;
}

static inline void fake_run(struct fake_firmware *fake)
{
	assert_int_equal(firmware_run(fake->batch), 0);
}

static inline void put_half(unsigned char *bytes, size_t offset, unsigned int value)
{
	bytes[offset] = (unsigned char)value;
	bytes[offset + 1] = (unsigned char)(value >> 8);
}

/** PERF_LEVELS. */
static inline void fake_summary(struct fake_firmware *fake, uint32_t domain,
				const unsigned char bytes[11])
{
	fake_tpmi(fake->device, FAKE_LEVELS, domain, 0, bytes, 11);
}

/** CORE_POWER_STATE. */
static inline void fake_core_power(struct fake_firmware *fake, uint32_t domain, bool supported,
				   bool enabled, bool ordered)
{
	const unsigned char bytes[6] = { [3] = enabled, [4] = supported, [5] = ordered };

	fake_tpmi(fake->device, FAKE_CORE_POWER, domain, 0, bytes, sizeof(bytes));
}

/** How often a TPMI request was sent. */
static inline size_t fake_tpmi_sent(const struct fake_firmware *fake, unsigned long request,
				    uint32_t domain, bool write, uint64_t data)
{
	return fake_sent(fake->device, request, 0, domain, write, data);
}

#endif
