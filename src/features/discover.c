/* SPDX-License-Identifier: BSD-3-Clause */
/* The life of a context, and discovery: which machine, which driver, which firmware interface. */
#include "base/machine.h"
#include "common/monotonic.h"
#include "features/snapshot.h"
#include "firmware/firmware.h"
#include "firmware/platform.h"
#include "sysfs/linux_machine.h"
#include "sysfs/system.h"
#include "sysfs/uncore.h"
#include "topology/context.h"
#include "transaction/lock.h"
#include "transaction/run.h"
#include "transaction/tracked.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* ---- What another level brings along ---- */

/** As level_effects of struct isst_context. */
static int level_effects_read(struct isst_context *context, const struct isst_domain *domain,
			      unsigned int number, struct level_effects *effects)
{
	struct domain_snapshot snapshot = { .domain = domain,
					    .parts = SNAPSHOT_PROFILES | SNAPSHOT_LEVEL,
					    .level.level = number };
	const struct isst_level *level = &snapshot.level;
	int error = snapshot_read(context, &snapshot, 1);

	if (!error)
		error = snapshot_read_levels(context, &snapshot, 1, ISST_LEVELS_PROPERTIES);
	*effects = (struct level_effects){ 0 };
	if (!error && !level->failure.error) {
		effects->turbo_ratio_limits = level->limit[0].present
						      ? ratios_word(level->limit[0].mhz)
						      : 0;
		for (unsigned int i = 0; i < ISST_FABRICS; i++) {
			effects->uncore_max_khz[i] = value_khz(&level->fabric[i].max_mhz);
			effects->uncore_min_khz[i] = value_khz(&level->fabric[i].min_mhz);
		}
	}
	snapshot_clear(&snapshot, 1);
	return error;
}

/* ---- The context ---- */

int isst_open(const struct isst_options *options, struct isst_context **result)
{
	static const struct isst_options DEFAULTS;
	struct isst_context *context;
	struct isst_machine *machine;
	int error = -ENOMEM;

	if (!options)
		options = &DEFAULTS;
	if (!result) {
		if (options->machine)
			options->machine->release(options->machine);
		return -EINVAL;
	}
	machine = options->machine ? options->machine : linux_machine();
	*result = calloc(1, sizeof(**result));
	if (*result && machine)
		error = 0;
	/* Libraries of different versions may differ in what a machine consists of. */
	if (!error && (machine->version != MACHINE_VERSION || machine->size != sizeof(*machine))) {
		error = -EPROTO;
		if (options->log && options->log_level >= ISST_LOG_ERROR)
			options->log(options->log_data, ISST_LOG_ERROR,
				     "the machine was made by another version of libisst-emulator");
	}
	if (error) {
		if (machine)
			machine->release(machine);
		free(*result);
		*result = NULL;
		return error;
	}
	context = *result;
	*context = (struct isst_context){
		.machine = machine,
		.messages = { .log = options->log,
			      .log_data = options->log_data,
			      .log_level = options->log_level },
		.system_log = options->system_log,
		.interrupted = options->interrupted,
		.interrupted_data = options->interrupted_data,
		.platform = { .intel = machine->identity.intel,
			      .family = machine->identity.family,
			      .model = machine->identity.model,
			      .stepping = machine->identity.stepping,
			      .emulated = machine->name },
		.firmware = { .driver = &context->driver,
			      .files = &context->files,
			      .messages = &context->messages,
			      .platform = &context->platform },
		.runtime.path = machine->runtime_directory,
		.lock = -1,
		.level_effects = level_effects_read,
	};
	driver_init(&context->driver, machine, &context->messages);
	context->driver.modules = platform_modules(&context->platform);
	if (options->tries)
		context->driver.tries = options->tries;
	context->driver.pause_ms = options->pause_ms;
	kernel_files_init(&context->files, machine, &context->messages);
	return 0;
}

void isst_close(struct isst_context *context)
{
	if (!context)
		return;
	if (context->held)
		change_abandon(context->held);
	driver_close(&context->driver);
	message_trace(&context->messages,
		      "driver: %lu opens, %lu calls, %lu commands; files: %lu opened",
		      context->driver.opens, context->driver.calls, context->driver.commands,
		      context->files.opened);
	topology_free(context->topology);
	if (context->power.zones)
		powercap_clear(&context->power);
	lock_release(context);
	if (context->claims)
		lock_release_claims(context);
	context->machine->release(context->machine);
	if (context->files.uncore)
		uncore_forget(&context->files);
	kernel_files_forget(&context->files);
	messages_free(&context->messages);
	free(context);
}

/** Names a module that is loaded: that of TPMI has no devices before others are loaded. */
static int refuse_without_transport(struct isst_context *context)
{
	static const char *const MODULES[] = { "isst_if_mbox_pci", "isst_if_mmio",
					       "isst_if_mbox_msr" };

	for (size_t i = 0; i < sizeof(MODULES) / sizeof(MODULES[0]); i++)
		if (module_is_loaded(&context->files, MODULES[i]))
			return message_error(&context->messages, -EOPNOTSUPP,
					     "the Speed Select driver is loaded, but none of its "
					     "transports: the module %s is " MODULE_UNBOUND,
					     MODULES[i]);
	return message_error(
		&context->messages, -EOPNOTSUPP,
		"the Speed Select driver is loaded, but none of its transports: load %s",
		context->driver.modules);
}

/** Chooses the firmware interface by what the driver offers, never by the CPU model. */
static int choose_firmware(struct isst_context *context)
{
	const struct isst_platform *platform = &context->platform;

	switch (platform->api_version) {
	case 0:
		return refuse_without_transport(context);
	case 1:
		context->firmware.operations = &mailbox_operations;
		return 0;
	case 2:
	case 3:
		context->firmware.operations = &tpmi_operations;
		return 0;
	default:
		return message_error(
			&context->messages, -EOPNOTSUPP,
			"the driver's API version is %u, which this version of the library does "
			"not support (it supports 1 to 3); a newer one is required. Found: driver "
			"version %u, mailbox %s, MMIO %s, processor family %u, model 0x%x, "
			"stepping %u",
			platform->api_version, platform->driver_version,
			platform->mailbox ? "yes" : "no", platform->mmio ? "yes" : "no",
			platform->family, platform->model, platform->stepping);
	}
}

/** Finds the firmware interface, or that the BIOS has left nothing of it to be reached. */
static int find_firmware(struct isst_context *context)
{
	struct isst_platform *platform = &context->platform;
	bool possible = platform_has(platform, PLATFORM_MAY_BE_PRESET);
	struct abi_platform_info info;
	int error = 0;

	if (possible)
		error = preset_find_by_name(&context->firmware, &platform->preset);
	if (!error && !platform->preset) {
		error = driver_open(&context->driver, &info);
		if (!error) {
			platform->api_version = info.api_version;
			platform->driver_version = info.driver_version;
			platform->mailbox = info.mbox_supported;
			platform->mmio = info.mmio_supported;
			error = choose_firmware(context);
		}
		if (possible)
			error = preset_find_by_frequencies(&context->firmware, error,
							   &platform->preset);
	}
	if (!platform->preset)
		return error;
	driver_close(&context->driver);
	platform->api_version = platform->driver_version = 0;
	platform->mailbox = platform->mmio = false;
	context->firmware.operations = &preset_operations;
	return 0;
}

bool context_is_preset(struct isst_context *context)
{
	if (!context->topology && platform_has(&context->platform, PLATFORM_MAY_BE_PRESET)) {
		find_firmware(context);
		driver_close(&context->driver);
	}
	return context->platform.preset;
}

/** The driver may offer one of two transports before the other. */
static int look_for_transports(struct isst_context *context)
{
	const struct isst_platform *platform = &context->platform;
	int error = find_firmware(context);
	const char *module = platform->mmio ? "isst_if_mbox_pci" : "isst_if_mmio";

	driver_close(&context->driver);
	if (error || platform->preset || !platform_misses_transport(platform))
		return error;
	return message_error(&context->messages, -EOPNOTSUPP,
			     "the Speed Select driver provides %s only: the module %s is %s",
			     platform->mmio ? "MMIO" : "the mailbox", module,
			     module_is_loaded(&context->files, module) ? MODULE_UNBOUND
								       : "missing");
}

/* Each look opens the device, and a module that registers just then fails to. */
enum { LOOK_EVERY_MS = 500, CALL_INTERRUPTED_EVERY_MS = 20 };

/** Sleeps until the next look, or for @left_ms if that is less. Returns 0 or -EINTR. */
static int sleep_until_look(struct isst_context *context, int64_t left_ms)
{
	const struct timespec pause = { .tv_nsec = CALL_INTERRUPTED_EVERY_MS * 1000000L };
	const int64_t ms = left_ms < LOOK_EVERY_MS ? left_ms : LOOK_EVERY_MS;

	for (int64_t slept = 0; slept < ms; slept += CALL_INTERRUPTED_EVERY_MS) {
		if (context_is_interrupted(context))
			return message_error(&context->messages, -EINTR,
					     "interrupted while waiting for the driver");
		nanosleep(&pause, NULL);
	}
	return 0;
}

static int wait_for_driver(struct isst_context *context, unsigned int timeout_ms,
			   unsigned int flags)
{
	int64_t begin_ms = monotonic_ms(), passed_ms;
	int error;

	if (flags)
		return context_refuse(context, "isst_wait_for_driver() has no flags");
	if (context->topology || context->lock >= 0)
		return message_error(&context->messages, -EINVAL,
				     "the driver can be waited for only before the machine is "
				     "discovered or locked");
	for (;;) {
		error = look_for_transports(context);
		passed_ms = monotonic_ms() - begin_ms;
		/* No driver comes for a processor that is not from Intel. */
		if (error != -EOPNOTSUPP || passed_ms >= timeout_ms || !context->platform.intel)
			return error;
		if (sleep_until_look(context, timeout_ms - passed_ms) != 0)
			return -EINTR;
	}
}

int isst_wait_for_driver(struct isst_context *context, unsigned int timeout_ms, unsigned int flags)
{
	const char *before;

	if (!context)
		return -EINVAL;
	before = message_begin(&context->messages);
	return message_end(&context->messages, before, wait_for_driver(context, timeout_ms, flags));
}

/** Rolls back what an interrupted run left, or reports it without the lock. */
static int look_at_journal(struct isst_context *context)
{
	if (context->keep_journal || journal_is_missing(context))
		return 0;
	if (context_has_lock(context))
		return journal_recover(context);
	journal_report(context);
	return 0;
}

static int discover(struct isst_context *context)
{
	const struct isst_platform *platform = &context->platform;
	int error = find_firmware(context);

	/* A processor that is newer than this library is handled by what its driver offers. */
	if (!error && !platform->preset && !platform_is_known(platform))
		message_notice(
			&context->messages, of_machine(),
			"unknown processor (family %u, model 0x%x, stepping %u); it is handled "
			"according to the driver's API version %u%s",
			platform->family, platform->model, platform->stepping,
			platform->api_version,
			platform->api_version == 1
				? ", as Sapphire Rapids, without its memory frequency"
				: "");
	if (!error)
		error = context_discover_topology(context);
	if (!error)
		error = look_at_journal(context);
	/* An open device keeps modules from registering; and a machine whose interrupted change was
	 * not rolled back is not to be changed. */
	if (error) {
		driver_close(&context->driver);
		topology_free(context->topology);
		context->topology = NULL;
	}
	return error;
}

static int rediscover(struct isst_context *context)
{
	struct message_list former = messages_take_notices(&context->messages);
	int error = context_discover_topology(context);

	if (error) {
		messages_put_notices(&context->messages, former);
		return error;
	}
	message_list_free(&former);
	/* Directories of fabric clusters come and go with the module of the kernel. */
	uncore_forget(&context->files);
	undisturbed_forget(&context->files);
	/* Where the lock was taken after the first discovery, this one is the first under it. */
	if (!context->stale || !context_has_lock(context))
		return 0;
	context->stale = false;
	error = look_at_journal(context);
	context->stale = error != 0;
	return error;
}

int isst_close_device(struct isst_context *context)
{
	if (!context)
		return -EINVAL;
	driver_suspend(&context->driver);
	return 0;
}

int isst_discover(struct isst_context *context)
{
	const char *before;

	if (!context)
		return -EINVAL;
	before = message_begin(&context->messages);
	return message_end(&context->messages, before,
			   context->topology ? rediscover(context) : discover(context));
}
