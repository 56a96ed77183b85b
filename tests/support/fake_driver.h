/* SPDX-License-Identifier: BSD-3-Clause */
/* A driver that is open on a fake machine, its own calls forgotten. */
#ifndef TESTS_SUPPORT_FAKE_DRIVER_H
#define TESTS_SUPPORT_FAKE_DRIVER_H

#include "base/messages.h"
#include "driver/driver.h"
#include "support/check.h"
#include "support/fake_machine.h"

/** Returns the device that the driver talks to. */
static inline struct fake_device *fake_driver_open(struct fake_machine *fake, struct driver *driver,
						   struct messages *messages)
{
	struct abi_platform_info info;

	driver_init(driver, &fake->machine, messages);
	assert_int_equal(driver_open(driver, &info), 0);
	fake_forget(&fake->device);
	return &fake->device;
}

/** Without the device's rules, so that a test can begin anew. */
static inline void fake_driver_close(struct fake_device *device, struct driver *driver,
				     struct messages *messages)
{
	driver_close(driver);
	messages_free(messages);
	device->rule_count = 0;
}

#endif
