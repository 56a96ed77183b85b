/* SPDX-License-Identifier: BSD-3-Clause */
/* CPUs by name, by the public interface. */
#include "check.h"

static void check_named(struct isst_context *context, const char *name, const char *expected)
{
	freed_by(isst_cpuset_free) struct isst_cpuset *cpus = NULL;
	char *list;

	if (isst_cpus_by_name(context, name, 0, &cpus))
		fail_msg("%s: %s", name, isst_error(context));
	list = isst_cpuset_to_list(cpus);
	assert_string_equal(list, expected);
	free(list);
}

static void check_refused(struct isst_context *context, const char *name, int error,
			  const char *message)
{
	struct isst_cpuset *cpus = NULL;

	assert_int_equal(isst_cpus_by_name(context, name, 0, &cpus), error);
	assert_null(cpus);
	assert_string_equal(isst_error(context), message);
}

MACHINE_TEST(names_are_exact)
{
	static const char *const NAMES[] = { "clos:0",	  "clos:3",	"high-priority",
					     "package:0", "package:12", "domain:1.4",
					     "node:3",	  "isolated" };
	static const char *const OTHERS[] = {
		"",	      "clos",	   "clos:",	  "clos:4",	    "clos:-1",
		"clos: 1",    "Clos:1",	   "high",	  "high-priority:", "high-priority:1",
		"package",    "package:",  "package:0x1", "package:1.2",    "package:99999999999",
		"domain:1",   "domain:1.", "domain:.1",	  "domain:1.2.3",   "node:",
		"isolated:0", "packag:1",  "@package:1",  "packages:1",
	};

	for (size_t i = 0; i < sizeof(NAMES) / sizeof(NAMES[0]); i++)
		if (!isst_cpus_is_name(NAMES[i]))
			fail_msg("'%s' is a name", NAMES[i]);
	for (size_t i = 0; i < sizeof(OTHERS) / sizeof(OTHERS[0]); i++)
		if (isst_cpus_is_name(OTHERS[i]))
			fail_msg("'%s' is no name", OTHERS[i]);
}

MACHINE_TEST(places_have_names)
{
	struct isst_cpuset *cpus;

	fixture_begin(&fixture, "graniterapids-unlocked");
	fixture.context = fixture_open(&fixture, NULL);
	refused(isst_cpus_by_name(fixture.context, "package:0", 0, &cpus));
	ok(isst_discover(fixture.context));
	check_named(fixture.context, "package:1", "64-127,192-255");
	check_named(fixture.context, "domain:0.1", "32-63,160-191");
	check_named(fixture.context, "node:0", "0-63,128-191");
	check_refused(fixture.context, "package:2", -EOPNOTSUPP,
		      "package 2 does not exist, or all its CPUs are offline");
	check_refused(fixture.context, "domain:0.2", -EOPNOTSUPP,
		      "package 0 has no power domain 2, or all its CPUs are offline; it has "
		      "power domains 0-1,3-4");
	check_named(fixture.context, "domain:1.3", "");
	check_refused(fixture.context, "node:2", -EOPNOTSUPP, "NUMA node 2 does not exist");
	check_named(fixture.context, "isolated", "");
	check_refused(fixture.context, "package", -EINVAL, "no CPUs have the name 'package'");
	refused(isst_cpus_by_name(fixture.context, "package:1", 1, &cpus));
}

/** On mailbox platforms a domain is a die. CPU 3 of package 0, and 11 and 12, are offline. */
MACHINE_TEST(dies_and_offline_cpus)
{
	fixture_discover(&fixture, of_tests("multi-die"));
	check_named(fixture.context, "domain:0.1", "4-7,12-15");
	check_refused(fixture.context, "domain:0.2", -EOPNOTSUPP,
		      "package 0 has no die 2, or all its CPUs are offline; it has dies 0-1");
	fixture_end(&fixture);
	fixture_discover(&fixture, of_tests("offline"));
	check_named(fixture.context, "package:0", "0-2,8-10");
	check_named(fixture.context, "node:1", "4-7,13-15");
	fixture_end(&fixture);
	fixture_discover(&fixture, of_tests("isolcpus"));
	check_named(fixture.context, "isolated", "3");
}

/** Puts the cores of CPUs into a CLOS. */
static void associate(struct isst_context *context, const char *list, unsigned int clos)
{
	struct isst_targets *targets = cpus_of_list(context, list);
	freed_by(isst_request_free) struct isst_request *request = isst_request_new();
	struct isst_change *change;

	ok(isst_request_set(request, ISST_VALUE_CLOS, clos));
	ok(isst_change_new(context, NULL, &change));
	ok(isst_change_add(change, ISST_SET_CLOS_ASSOCIATIONS, targets, request, 0, NULL));
	run_and_free(change, 0);
}

/** Switches turbo-freq, or core-power, in the domains of some CPUs. */
static void switch_on(struct isst_context *context, const char *list, bool turbo_freq,
		      unsigned int flags)
{
	struct isst_targets *targets = cpus_of_list(context, list);
	struct isst_change *change;

	ok(isst_change_new(context, NULL, &change));
	assert_int_equal(isst_change_add(change,
					 turbo_freq ? ISST_SET_TURBO_FREQ : ISST_SET_CORE_POWER,
					 targets, NULL, flags, NULL),
			 0);
	run_and_free(change, 0);
}

MACHINE_TEST(priorities_have_names)
{
	lock_and_discover("graniterapids-unlocked");
	associate(fixture.context, "2-31,33-63", 3);
	associate(fixture.context, "1", 1);
	associate(fixture.context, "64-127", 2);
	check_named(fixture.context, "clos:0", "0,32,128,160");
	check_named(fixture.context, "clos:1", "1,129");
	check_named(fixture.context, "clos:2", "64-127,192-255");
	check_named(fixture.context, "clos:3", "2-31,33-63,130-159,161-191");
	check_named(fixture.context, "high-priority", "");
	switch_on(fixture.context, "0", true, ISST_ADD_ENABLE);
	check_named(fixture.context, "high-priority", "0-1,128-129");
	switch_on(fixture.context, "32", true, ISST_ADD_ENABLE);
	check_named(fixture.context, "high-priority", "0-1,32,128-129,160");
	/* Classes hold with turbo-freq alone. */
	switch_on(fixture.context, "0", false, ISST_ADD_DISABLE);
	check_named(fixture.context, "high-priority", "0-1,32,128-129,160");
	switch_on(fixture.context, "0,32", true, ISST_ADD_DISABLE);
	check_named(fixture.context, "high-priority", "");
	associate(fixture.context, "64-127", 3);
	check_named(fixture.context, "clos:2", "");
}

MACHINE_TEST(what_cannot_be_read_is_an_error)
{
	struct isst_cpuset *cpus = NULL;

	fixture_discover(&fixture, "guide");
	fixture_fault(&fixture, "mailbox 0x7f/0x01 EIO");
	assert_int_equal(isst_cpus_by_name(fixture.context, "high-priority", 0, &cpus), -EIO);
	fixture_fault(&fixture, "mmio 0x20 EIO");
	assert_int_equal(isst_cpus_by_name(fixture.context, "clos:0", 0, &cpus), -EIO);
	fixture_fault(&fixture, "read /sys/devices/system/cpu/isolated EIO");
	assert_int_equal(isst_cpus_by_name(fixture.context, "isolated", 0, &cpus), -EIO);
	assert_null(cpus);
}
