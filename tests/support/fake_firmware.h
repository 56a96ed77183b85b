/* SPDX-License-Identifier: BSD-3-Clause */
/* The mailbox way to the firmware on a fake machine, with one domain (package 1, die 2, CPU 5). */
#ifndef TESTS_SUPPORT_FAKE_FIRMWARE_H
#define TESTS_SUPPORT_FAKE_FIRMWARE_H

#include "firmware/firmware.h"
#include "support/fake_driver.h"
#include "sysfs/kernel_files.h"

struct fake_firmware {
	struct fake_device *device;
	struct messages messages;
	struct driver driver;
	struct kernel_files files;
	struct isst_platform platform;
	struct firmware firmware;
	struct firmware_batch *batch;
	const struct firmware_operations *operations;
	struct isst_domain domain;
	/* A level of the domain, to be read. */
	struct isst_level level;
	struct level_request request;
};

static inline struct fake_firmware *fake_firmware_start(struct fake_machine *machine,
							unsigned int model)
{
	struct fake_firmware *fake = calloc(1, sizeof(*fake));

	assert_non_null(fake);
	fake->device = fake_driver_open(machine, &fake->driver, &fake->messages);
	kernel_files_init(&fake->files, &machine->machine, &fake->messages);
	fake->operations = &mailbox_operations;
	fake->platform = (struct isst_platform){ .intel = true, .family = 6, .model = model };
	fake->firmware = (struct firmware){ .operations = fake->operations,
					    .driver = &fake->driver,
					    .files = &fake->files,
					    .messages = &fake->messages,
					    .platform = &fake->platform };
	fake->batch = firmware_batch_new(&fake->firmware);
	assert_non_null(fake->batch);
	fake->domain = (struct isst_domain){
		.name = "package 1, die 2", .package = 1, .die = 2, .has_cpu = true, .cpu = 5
	};
	fake->level.domain = &fake->domain;
	fake->request.level = &fake->level;
	return fake;
}

static inline void fake_firmware_finish(struct fake_firmware *fake)
{
	firmware_batch_free(fake->batch);
	kernel_files_forget(&fake->files);
	fake_driver_close(fake->device, &fake->driver, &fake->messages);
	free(fake);
}

enum { FAKE_ICE_LAKE = 0x6a };

static inline struct fake_firmware *fake_ice_lake(struct fake_machine *machine)
{
	return fake_firmware_start(machine, FAKE_ICE_LAKE);
}

/** Tests with several such ways, one after the other, or with one: their parameter. */
#define FAKE_MACHINE_TEST(name) FAKE_TEST_OF(name, struct fake_machine *machine, , (void))
#define FIRMWARE_TEST(name) \
	FAKE_TEST_OF(name, struct fake_firmware *fake, fake_ice_lake, fake_firmware_finish)

#endif
