/* SPDX-License-Identifier: BSD-3-Clause */
/* Power of packages by zones of powercap. */
#include "sysfs/powercap.h"
#include "base/messages.h"
#include "support/check.h"
#include "support/fake_machine.h"

#include <errno.h>
#include <stdio.h>

#define POWERCAP "/sys/class/powercap"

struct reader {
	struct messages messages;
	struct kernel_files files;
	struct power_zones zones;
};

static void start(struct fake_machine *fake, struct reader *reader)
{
	*reader = (struct reader){ 0 };
	fake->files.listable = true;
	kernel_files_init(&reader->files, &fake->machine, &reader->messages);
}

static void finish(struct reader *reader)
{
	powercap_clear(&reader->zones);
	kernel_files_forget(&reader->files);
	messages_free(&reader->messages);
}

static void add(struct fake_machine *fake, const char *zone, const char *file, const char *content)
{
	char path[100];

	snprintf(path, sizeof(path), POWERCAP "/%s/%s", zone, file);
	fake_file(&fake->files, path, "%s", content);
}

static void add_zone(struct fake_machine *fake, const char *zone, const char *name)
{
	add(fake, zone, "name", name);
	add(fake, zone, "max_energy_range_uj", "262143328850");
	add(fake, zone, "energy_uj", "1000");
	add(fake, zone, "constraint_0_name", "long_term");
	add(fake, zone, "constraint_0_power_limit_uw", "500000000");
	add(fake, zone, "constraint_1_name", "short_term");
	add(fake, zone, "constraint_1_power_limit_uw", "600000000");
}

FAKE_TEST(zones_are_packages_or_dies)
{
	struct reader reader;

	add_zone(fake, "intel-rapl:0", "package-0");
	add_zone(fake, "intel-rapl:0:0", "dram");
	add_zone(fake, "intel-rapl:1", "package-1-die-0");
	add_zone(fake, "intel-rapl:2", "package-1-die-1");
	add_zone(fake, "intel-rapl:3", "psys");
	add_zone(fake, "intel-rapl-mmio:0", "package-0");
	start(fake, &reader);
	assert_int_equal(powercap_find(&reader.files, NULL, &reader.zones), 0);
	assert_int_equal(reader.zones.count, 3);
	assert_string_equal(powercap_zone(&reader.zones, 0, 3)->directory,
			    POWERCAP "/intel-rapl:0");
	assert_string_equal(powercap_zone(&reader.zones, 1, 1)->directory,
			    POWERCAP "/intel-rapl:2");
	assert_null(powercap_zone(&reader.zones, 1, 2));
	assert_null(powercap_zone(&reader.zones, 2, 0));
	assert_int_equal(reader.zones.zones[0].limit_uw, 500000000);
	finish(&reader);
}

FAKE_TEST(the_counter_wraps_around)
{
	struct reader reader;
	struct power_zone *zone;

	add_zone(fake, "intel-rapl:0", "package-0");
	add(fake, "intel-rapl:0", "energy_uj", "262143328800");
	start(fake, &reader);
	assert_int_equal(powercap_find(&reader.files, NULL, &reader.zones), 0);
	zone = reader.zones.zones;
	assert_int_equal(powercap_begin(&reader.files, zone), 0);
	assert_int_equal(powercap_mw(zone), 0);
	add(fake, "intel-rapl:0", "energy_uj", "949");
	assert_int_equal(powercap_add(&reader.files, zone), 0);
	assert_int_equal(zone->energy_uj, 1000);
	add(fake, "intel-rapl:0", "energy_uj", "1949");
	assert_int_equal(powercap_add(&reader.files, zone), 0);
	assert_int_equal(zone->energy_uj, 2000);
	zone->time_ns = 4000000;
	assert_int_equal(powercap_mw(zone), 500);
	finish(&reader);
}

/** A later reading goes on from an earlier one of the same zone, unless that is too old. */
FAKE_TEST(a_reading_continues_an_earlier_one)
{
	struct power_zones again;
	struct reader reader;
	struct power_zone *zone;

	add_zone(fake, "intel-rapl:0", "package-0");
	start(fake, &reader);
	assert_int_equal(powercap_find(&reader.files, NULL, &reader.zones), 0);
	assert_int_equal(powercap_continue(&reader.files, reader.zones.zones, &reader.zones), 0);
	assert_int_equal(reader.zones.zones[0].time_ns, 0);
	add(fake, "intel-rapl:0", "energy_uj", "3000");
	assert_int_equal(powercap_find(&reader.files, NULL, &again), 0);
	zone = again.zones;
	assert_int_equal(powercap_continue(&reader.files, zone, &reader.zones), 0);
	assert_int_equal(zone->energy_uj, 2000);
	assert_true(zone->time_ns > 0);
	/* With twice its limit of 500 W the counter wraps around in 262 seconds. */
	reader.zones.zones[0].at_ns -= INT64_C(263000000000);
	assert_int_equal(powercap_continue(&reader.files, zone, &reader.zones), 0);
	assert_int_equal(zone->time_ns, 0);
	assert_int_equal(zone->counter_uj, 3000);
	/* After a suspend the counter begins anew. */
	reader.zones.zones[0].at_ns = zone->at_ns;
	reader.zones.zones[0].counter_uj = 100000;
	assert_int_equal(powercap_continue(&reader.files, zone, &reader.zones), 0);
	assert_int_equal(zone->time_ns, 0);
	powercap_clear(&again);
	finish(&reader);
}

FAKE_TEST(without_powercap_or_a_limit_there_are_none)
{
	struct reader reader;

	start(fake, &reader);
	assert_int_equal(powercap_find(&reader.files, NULL, &reader.zones), -ENOENT);
	assert_int_equal(reader.zones.count, 0);
	add(fake, "intel-rapl:0", "name", "package-0");
	add(fake, "intel-rapl:0", "max_energy_range_uj", "262143328850");
	assert_int_equal(powercap_find(&reader.files, NULL, &reader.zones), 0);
	assert_int_equal(reader.zones.count, 0);
	finish(&reader);
}

/** Only root may read the counter. */
FAKE_TEST(a_counter_that_may_not_be_read)
{
	struct reader reader;

	add_zone(fake, "intel-rapl:0", "package-0");
	start(fake, &reader);
	assert_int_equal(powercap_find(&reader.files, NULL, &reader.zones), 0);
	fake_file_error(&fake->files, POWERCAP "/intel-rapl:0/energy_uj", -EACCES);
	assert_int_equal(powercap_begin(&reader.files, reader.zones.zones), -EPERM);
	finish(&reader);
}
