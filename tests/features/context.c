/* SPDX-License-Identifier: BSD-3-Clause */
/* The life of a context and the choice of the firmware interface. */
#include "features/features.h"
#include "support/fake_context.h"
#include "support/levels.h"

FAKE_TEST(a_context_has_the_identity_before_anything_is_touched)
{
	struct isst_context *context = fake_context(fake);
	const struct isst_platform *platform = &context->platform;

	assert_true(platform->intel);
	assert_int_equal(platform->family, 6);
	assert_int_equal(platform->model, 0x6a);
	assert_int_equal(platform->stepping, 6);
	assert_null(platform->emulated);
	assert_int_equal(platform->api_version, 0);
	assert_string_equal(isst_error(context), "");
	assert_null(isst_notice_at(context, 0));
	assert_int_equal(isst_domain_count(context), 0);
	assert_null(context_domain(context, 0));
	assert_null(context_cpu(context, 0));
	assert_null(isst_present_cpus(context));
	assert_null(isst_online_cpus(context));
	assert_int_equal((unsigned int)isst_platform_fact(context, ISST_FACT_MASK_BITS), 0);
	assert_null(isst_trl_type_name(context, 0));
	isst_close(context);
	assert_int_equal(fake->device.opens, 0);
	assert_int_equal(fake->files.reads, 0);
}

FAKE_TEST(closing_releases_the_machine_and_nothing_is_nothing)
{
	isst_close(fake_context(fake));

	assert_int_equal(fake->released, 1);
	isst_close(NULL);
}

static void log_error(void *data, int level, const char *message)
{
	assert_int_equal(level, ISST_LOG_ERROR);
	snprintf(data, 200, "%s", message);
}

/** Of another version of the emulator's library; all that it has in common with this one is how it
 * is closed. */
FAKE_TEST(a_machine_of_another_version_is_refused_and_closed)
{
	struct isst_options options = { .machine = &fake->machine, .log_level = ISST_LOG_ERROR };
	struct isst_context *context;
	char message[200] = "";

	options.log = log_error;
	options.log_data = message;
	fake->machine.version++;
	assert_int_equal(isst_open(&options, &context), -EPROTO);
	assert_null(context);
	assert_int_equal(fake->released, 1);
	assert_string_equal(message, "the machine was made by another version of libisst-emulator");
	fake->machine.version--;
	fake->machine.size++;
	assert_int_equal(isst_open(&options, &context), -EPROTO);
	assert_int_equal(fake->released, 2);
}

FAKE_TEST(an_emulated_machine_reports_its_name)
{
	fake->machine.name = "guide";
	freed_by(isst_close) struct isst_context *context = fake_context(fake);
	assert_string_equal(context->platform.emulated, "guide");
}

FAKE_TEST(discovery_reports_the_driver_and_opens_the_device_once)
{
	struct isst_context *context;

	fake_small_machine(fake);
	fake->device.mmio = 0;
	context = fake_discovered(fake);
	assert_int_equal(context->platform.api_version, 1);
	assert_int_equal(context->platform.driver_version, 1);
	assert_true(context->platform.mailbox);
	assert_false(context->platform.mmio);
	assert_string_equal(isst_trl_type_name(context, 1), "avx2");
	assert_int_equal(fake->device.opens, 1);
	isst_close(context);
	assert_int_equal(fake->device.opens, 1);
	assert_int_equal(fake->device.closes, 1);
}

/** Discovery fails for good: the device is closed, and nothing can be asked. */
static void check_no_discovery(struct fake_machine *fake, int error, const char *text)
{
	freed_by(isst_close) struct isst_context *context = fake_context(fake);
	struct isst_perf_profile profile = { 0 };

	for (unsigned int i = 0; i < 2; i++) {
		assert_int_equal(isst_discover(context), error);
		check_holds(isst_error(context), text);
		assert_false(fake->device.is_open);
	}
	fake_forget(&fake->device);
	assert_int_equal(perf_profile_read(context, &profile, 1), -EINVAL);
	assert_int_equal(fake->device.call_count, 0);
}

FAKE_TEST(a_driver_without_transports_is_not_supported_and_names_the_modules)
{
	fake_small_machine(fake);
	fake->device.api_version = 0;
	check_no_discovery(fake, -EOPNOTSUPP, "isst_if_mbox_pci");
}

/** Called while the driver is waited for: the device is closed then, and a transport registers. */
static int transport_registers(void *data)
{
	struct fake_machine *fake = data;

	assert_false(fake->device.is_open);
	fake->device.api_version = 1;
	return 0;
}

FAKE_TEST(a_transport_that_registers_late_is_waited_for)
{
	struct isst_options options = { .machine = &fake->machine,
					.interrupted = transport_registers,
					.interrupted_data = fake };
	freed_by(isst_close) struct isst_context *context = NULL;

	fake_small_machine(fake);
	fake->device.api_version = 0;
	assert_int_equal(isst_open(&options, &context), 0);
	assert_int_equal(isst_wait_for_driver(context, 0, 0), -EOPNOTSUPP);
	check_holds(isst_error(context), "load isst_if_mbox_pci and isst_if_mmio");
	assert_int_equal(isst_wait_for_driver(context, 60000, 0), 0);
	assert_false(fake->device.is_open);
	assert_int_equal(isst_discover(context), 0);
	assert_int_equal(isst_wait_for_driver(context, 60000, 0), -EINVAL);
	assert_int_equal(isst_wait_for_driver(context, 0, 1), -EINVAL);
}

static int always(void *data)
{
	(void)data;
	return 1;
}

FAKE_TEST(waiting_for_the_driver_can_be_interrupted)
{
	struct isst_options options = { .machine = &fake->machine, .interrupted = always };
	freed_by(isst_close) struct isst_context *context = NULL;

	fake_small_machine(fake);
	fake->device.mmio = 0;
	assert_int_equal(isst_open(&options, &context), 0);
	assert_int_equal(isst_wait_for_driver(context, 60000, 0), -EINTR);
	assert_int_equal(isst_wait_for_driver(context, 0, 0), -EOPNOTSUPP);
	check_holds(isst_error(context), "isst_if_mmio");
}

FAKE_TEST(D10_the_modules_named_are_those_of_the_processor)
{
	static const struct {
		unsigned int family, model;
		const char *modules;
	} CASES[] = {
		{ 6, 0x55, "load isst_if_mbox_msr" },
		{ 6, 0x6c, "load isst_if_mbox_pci and isst_if_mmio" },
		{ 6, 0xcf, "load isst_if_mbox_pci and isst_if_mmio" },
		{ 6, 0xad, "load isst_tpmi" },
		{ 6, 0xdd, "load isst_tpmi" },
		{ 19, 0x01, "load isst_tpmi" },
		{ 6, 0xfe, "load isst_if_mbox_pci and isst_if_mmio (Ice Lake to Emerald Rapids)" },
		{ 19, 0x55, "load isst_if_mbox_pci and isst_if_mmio (Ice Lake to Emerald Rapids)" },
	};

	for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
		fake_small_machine(fake);
		fake->device.api_version = 0;
		fake->machine.identity.family = CASES[i].family;
		fake->machine.identity.model = CASES[i].model;
		check_no_discovery(fake, -EOPNOTSUPP, CASES[i].modules);
	}
}

FAKE_TEST(an_unknown_processor_is_reported_and_works)
{
	static const struct {
		bool intel;
		unsigned int family, model;
		bool known;
	} CASES[] = {
		{ true, 6, 0x55, true },  { true, 6, 0x6a, true },   { true, 6, 0x6c, true },
		{ true, 6, 0x8f, true },  { true, 6, 0xcf, true },   { true, 6, 0xfe, false },
		{ true, 7, 0x6a, false }, { false, 6, 0x6a, false },
	};

	for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
		fake_small_machine(fake);
		fake->machine.identity.intel = CASES[i].intel;
		fake->machine.identity.family = CASES[i].family;
		fake->machine.identity.model = CASES[i].model;
		fake->machine.identity.stepping = 4;
		freed_by(isst_close) struct isst_context *context = fake_discovered(fake);
		assert_int_equal(isst_domain_count(context), 1);
		if (CASES[i].known)
			assert_null(isst_notice_at(context, 0));
		else
			check_holds(isst_message_text(isst_notice_at(context, 0)),
				    "unknown processor");
	}
}

FAKE_TEST(D10_an_unknown_api_version_is_not_supported_and_is_reported)
{
	fake_small_machine(fake);
	fake->device.api_version = 4;
	check_no_discovery(fake, -EOPNOTSUPP, "version is 4");
	fake->device.api_version = 65535;
	check_no_discovery(fake, -EOPNOTSUPP, "version is 65535");
}

FAKE_TEST(the_device_is_closed_when_the_topology_makes_no_sense)
{
	check_no_discovery(fake, -EIO, "possible");
}

FAKE_TEST(D10_a_machine_without_driver_is_not_supported)
{
	fake_small_machine(fake);
	fake->device.open_error = -ENOENT;
	check_no_discovery(fake, -EOPNOTSUPP, "/dev/isst_interface");
	assert_int_equal(fake->files.reads, 0);
}

FAKE_TEST(the_way_is_the_drivers_choice_and_not_the_models)
{
	fake_small_machine(fake);
	fake->machine.identity.family = 19;
	fake->machine.identity.model = 1;
	freed_by(isst_close) struct isst_context *context = fake_discovered(fake);
	assert_string_equal(isst_trl_type_name(context, 0), "sse");
}

FAKE_TEST(asking_too_early_is_a_bad_request)
{
	freed_by(isst_close) struct isst_context *context = fake_context(fake);
	struct isst_clos_association association = { 0 };
	struct isst_level level = { 0 };

	fake_small_machine(fake);
	assert_int_equal(level_read_parts(context, &level, 1, ISST_LEVELS_ALL), -EINVAL);
	check_holds(isst_error(context), "not been discovered");
	assert_int_equal(clos_association_read(context, &association, 1), -EINVAL);
	assert_int_equal(isst_discover(context), 0);
	assert_int_equal(isst_discover(context), 0);
	assert_int_equal(isst_domain_count(context), 1);
}

FAKE_TEST(options_reach_the_driver)
{
	struct isst_options options = { .machine = &fake->machine, .tries = 5, .pause_ms = 1 };
	struct isst_perf_profile profiles[2] = { 0 };
	freed_by(isst_close) struct isst_context *context = NULL;

	fake_small_machine(fake);
	assert_int_equal(isst_open(&options, &context), 0);
	assert_int_equal(isst_discover(context), 0);
	fake_forget(&fake->device);
	fake_mailbox(&fake->device, 0x7f00, 0, 0, 0x80000003);
	fake_rule(&fake->device, &(struct fake_rule){ .entry = { FAKE_MAILBOX, 0, 0x7f00, 0, 0 },
						      .error = -EBUSY,
						      .times = 4 });
	profiles[0].domain = profiles[1].domain = context_domain(context, 0);
	assert_int_equal(perf_profile_read(context, profiles, 2), 0);
	assert_int_equal(profiles[0].failure.error, 0);
	assert_int_equal(profiles[1].failure.error, 0);
	assert_int_equal(fake->device.call_count, 6);
}
