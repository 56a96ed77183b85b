/* SPDX-License-Identifier: BSD-3-Clause */
/* Sends planned requests, decodes the answers, and explains failures. */
#include "firmware/batch.h"
#include "base/array.h"
#include "base/error_name.h"
#include "base/messages.h"
#include "base/place.h"
#include "driver/driver.h"
#include "firmware/platform.h"
#include "sysfs/system.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LEVELS = 32 }; /* a larger number is no level, but a broken answer */

/* ---- TPMI requests that several answers come of ---- */

static void tpmi_run_forget(struct tpmi_run *run)
{
	run->summary_count = run->core_power_count = 0;
}

int tpmi_summary(struct tpmi_run *run, const struct isst_domain *domain,
		 struct abi_perf_level_info *info)
{
	int error;

	for (size_t i = 0; i < run->summary_count; i++)
		if (run->summaries[i].domain == domain) {
			*info = run->summaries[i].info;
			return 0;
		}
	*info = (struct abi_perf_level_info){ OF_DOMAIN(domain) };
	error = driver_request(run->driver, "PERF_LEVELS", ABI_PERF_LEVELS, info);
	if (error)
		return error;
	/* The hardware numbers levels with three bits. */
	if (info->max_level >= MOST_LEVELS || info->current_level >= MOST_LEVELS)
		return -EBADMSG;
	/* Without memory it is asked for again. */
	if (!ARRAY_GROW(run->summaries, run->summary_count))
		run->summaries[run->summary_count++] = (struct tpmi_summary){ domain, *info };
	return 0;
}

/** Fills in the state of the domain that @state names. */
static int ask_core_power(struct tpmi_run *run, struct abi_core_power *state)
{
	int error;

	for (size_t i = 0; i < run->core_power_count; i++)
		if (run->core_powers[i].socket_id == state->socket_id &&
		    run->core_powers[i].power_domain_id == state->power_domain_id) {
			*state = run->core_powers[i];
			return 0;
		}
	error = driver_request(run->driver, "CORE_POWER_STATE", ABI_CORE_POWER_STATE, state);
	if (!error && !ARRAY_GROW(run->core_powers, run->core_power_count))
		run->core_powers[run->core_power_count++] = *state;
	return error;
}

int tpmi_core_power(struct tpmi_run *run, const struct isst_domain *domain,
		    struct abi_core_power *state)
{
	*state = (struct abi_core_power){ OF_DOMAIN(domain) };
	return ask_core_power(run, state);
}

/** Refuses associations in domains without core-power: such a request would crash the kernel, which
 * does not check that. */
static void check_associations(struct tpmi_run *run, const struct abi_clos_assoc *entries,
			       int *errors, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct abi_core_power state = { .socket_id = entries[i].socket_id,
						.power_domain_id = entries[i].power_domain_id };

		if (i > 0 && entries[i].socket_id == entries[i - 1].socket_id &&
		    entries[i].power_domain_id == entries[i - 1].power_domain_id) {
			errors[i] = errors[i - 1];
			continue;
		}
		errors[i] = ask_core_power(run, &state);
		if (!errors[i] && !state.supported)
			errors[i] = -EOPNOTSUPP;
	}
}

/* ---- Batches ---- */

enum { MOST_TRIES = 3 }; /* of a question that is answered differently */

struct firmware_batch *firmware_batch_new(struct firmware *firmware)
{
	struct firmware_batch *batch = calloc(1, sizeof(*batch));

	if (batch) {
		batch->firmware = firmware;
		batch->tpmi.driver = firmware->driver;
	}
	return batch;
}

void firmware_batch_free(struct firmware_batch *batch)
{
	if (!batch)
		return;
	free(batch->requests);
	free(batch->tpmi.summaries);
	free(batch->tpmi.core_powers);
	free(batch);
}

/** The CPU that carries a request, and that the kernel interrupts where it takes MSRs: any CPU of a
 * package or die can read them. The mailbox consists of MSRs where CLOS is set through it. */
static unsigned int find_carrier(const struct query_scope *scope,
				 const struct firmware_command *command)
{
	const struct firmware *firmware = scope->batch->firmware;
	const struct isst_domain *domain = scope->domain;
	const struct isst_cpuset *left_alone = NULL;
	unsigned int cpu;

	if (command->writes)
		return command->kind == REQUEST_MAILBOX ? scope->setter : domain->cpu;
	if (scope->batch->leaves_alone &&
	    (command->kind == REQUEST_MSR ||
	     (command->kind == REQUEST_MAILBOX &&
	      platform_has(firmware->platform, PLATFORM_CLOS_BY_MAILBOX))))
		left_alone = undisturbed_known(firmware->files);
	if (!left_alone || !isst_cpuset_has(left_alone, domain->cpu))
		return domain->cpu;
	isst_cpuset_for_each (cpu, domain->online)
		if (!isst_cpuset_has(left_alone, cpu))
			return cpu;
	return domain->cpu;
}

int firmware_plan(const struct query_scope *scope, const struct firmware_command *command,
		  uint32_t parameter, uint64_t value, void *result)
{
	const struct isst_domain *domain = scope->domain;
	const unsigned int cpu = find_carrier(scope, command);
	struct firmware_batch *batch = scope->batch;
	struct request *request;

	/* An MSR is reached through a CPU. Without one that is the failure. */
	if (command->kind == REQUEST_MSR && !domain->has_cpu) {
		message_failure(batch->firmware->messages, scope->failure, of_domain(domain),
				-EOPNOTSUPP, "%s has no online CPU through which to access %s",
				domain->name, command->name);
		return 0;
	}
	if (ARRAY_GROW(batch->requests, batch->count))
		return -ENOMEM;
	request = &batch->requests[batch->count++];
	*request = (struct request){ .command = command,
				     .result = result,
				     .domain = domain,
				     .level = scope->level,
				     .failure = scope->failure };
	switch (command->kind) {
	case REQUEST_MAILBOX:
		request->mailbox =
			(struct abi_mbox_cmd){ .logical_cpu = cpu,
					       .parameter = parameter,
					       .req_data = (uint32_t)value,
					       .command = (uint16_t)command->code,
					       .sub_command = (uint16_t)command->sub_code };
		break;
	case REQUEST_IO:
		request->io = (struct abi_io_reg){ command->writes, cpu, command->code + parameter,
						   (uint32_t)value };
		break;
	case REQUEST_MSR:
		request->msr = (struct abi_msr_cmd){ command->writes, cpu, command->code, value };
		break;
	case REQUEST_ASSOCIATION:
		request->association = (struct abi_clos_assoc){ OF_DOMAIN(domain),
								.logical_cpu = (uint16_t)parameter,
								.clos = (uint16_t)value };
		break;
	default:
		request->tpmi = (struct tpmi_request){ .command = command,
						       .domain = domain,
						       .index = parameter,
						       .result = result,
						       .value = value };
	}
	return 0;
}

unsigned int firmware_valid_buckets(const struct isst_value cores[ISST_BUCKETS])
{
	unsigned int count = 0;

	while (count < ISST_BUCKETS && cores[count].state == ISST_KNOWN && cores[count].value > 0)
		count++;
	return count;
}

static void store_field(const struct field *field, void *result, uint64_t word)
{
	unsigned int width = field->high - field->low + 1;
	uint64_t bits = word >> field->low & (width < 64 ? (UINT64_C(1) << width) - 1 : UINT64_MAX);
	void *member = (char *)result + field->offset;
	unsigned int number = (unsigned int)bits * (field->scale ? field->scale : 1);

	switch (field->kind) {
	case FIELD_NUMBER:
		*(unsigned int *)member = number;
		break;
	case FIELD_LONG:
		*(uint64_t *)member = bits;
		break;
	case FIELD_FLAG:
		*(bool *)member = bits != 0;
		break;
	case FIELD_VALUE:
		*(struct isst_value *)member = (struct isst_value){ ISST_KNOWN, number };
		break;
	case FIELD_NONZERO_VALUE:
		*(struct isst_value *)member =
			(struct isst_value){ number ? ISST_KNOWN : ISST_ABSENT, number };
		break;
	}
}

/** Gives all values of a result the same state; numbers and flags keep theirs. */
static void store_state(const struct firmware_command *command, void *result, enum isst_state state)
{
	for (size_t i = 0; i < command->field_count; i++) {
		const struct field *field = &command->fields[i];

		if (field->kind == FIELD_VALUE || field->kind == FIELD_NONZERO_VALUE)
			*(struct isst_value *)((char *)result +
					       field->offset) = (struct isst_value){ state, 0 };
	}
}

/** What an errno of the driver means for each kind of request. */
static const struct meaning {
	int error;
	int kind; /* enum request_kind, or -1 for all */
	int result;
	const char *text;
} MEANINGS[] = {
	{ -ENXIO, REQUEST_MAILBOX, -EIO, "the firmware refused the command" },
	{ -ENXIO, -1, -EIO, "the CPU is offline" },
	{ -EBUSY, REQUEST_MAILBOX, -EIO,
	  "the mailbox stayed busy; --retry sets the number of attempts" },
	{ -EBUSY, -1, -EIO, "the hardware stayed busy" },
	{ -EINVAL, REQUEST_MAILBOX, -EIO,
	  "the kernel's driver does not support the command, or has no device for this CPU" },
	{ -EINVAL, REQUEST_IO, -EIO,
	  "the kernel's driver does not support the register, or has no device for this CPU" },
	{ -EINVAL, -1, -EIO, "the kernel's driver does not allow it" },
	{ -ENOTTY, REQUEST_MAILBOX, -ENODEV,
	  "the kernel's driver has no mailbox; is the module isst_if_mbox_pci (isst_if_mbox_msr before "
	  "Ice Lake) loaded?" },
	{ -ENOTTY, REQUEST_IO, -ENODEV,
	  "the kernel's driver has no MMIO registers; is the module isst_if_mmio loaded?" },
	{ -ENOTTY, REQUEST_MSR, -ENODEV, "the kernel's driver has no access to MSRs" },
	{ -ENOTTY, REQUEST_TPMI, -EIO,
	  "the kernel's driver refused it without reporting the cause" },
	{ -ENOTTY, REQUEST_ASSOCIATION, -EIO,
	  "the kernel's driver refused it without reporting the cause" },
	{ -EOPNOTSUPP, REQUEST_TPMI, -EOPNOTSUPP, "core-power is not supported there" },
	{ -EOPNOTSUPP, REQUEST_ASSOCIATION, -EOPNOTSUPP, "core-power is not supported there" },
	{ -EFAULT, REQUEST_TPMI, -EIO,
	  "hardware-controlled performance states (HWP) are disabled, or it did not take effect "
	  "in time" },
	{ -ETIMEDOUT, REQUEST_TPMI, -ETIMEDOUT,
	  "it did not take effect in time, and may still do "
	  "so" },
	{ -ENODEV, -1, -ENODEV, "the kernel's driver is no longer loaded" },
	{ -ECANCELED, -1, -ECANCELED, "not sent, because an earlier one failed" },
	{ -EPERM, -1, -EPERM, "not permitted; it needs CAP_SYS_ADMIN" },
	{ -EIO, REQUEST_MSR, -EIO, "the processor refused the access" },
	{ -EBADMSG, -1, -EIO, "the driver's answer is invalid" },
	{ -EILSEQ, -1, -EIO,
	  "it answers the same question differently; does a management controller use it?" },
};

static const char *describe_place(struct messages *messages, const struct request *request)
{
	switch (request->command->kind) {
	case REQUEST_MAILBOX:
		return message_make(messages, "mailbox command 0x%02x/0x%02x, CPU %u",
				    request->mailbox.command, request->mailbox.sub_command,
				    request->mailbox.logical_cpu);
	case REQUEST_IO:
		return message_make(messages, "MMIO register 0x%02x, CPU %u", request->io.reg,
				    request->io.logical_cpu);
	case REQUEST_TPMI:
		return message_make(messages, "TPMI request %u", request->command->code);
	case REQUEST_ASSOCIATION:
		return message_make(messages, "TPMI request %u, core %u", request->command->code,
				    request->association.logical_cpu);
	default:
		return message_make(messages, "MSR 0x%llx, CPU %u",
				    (unsigned long long)request->msr.msr, request->msr.logical_cpu);
	}
}

/** Meaning and remedy of a failure: a transport may be missing although its module is loaded. */
static const char *explain(const struct firmware *firmware, const struct meaning *meaning,
			   enum request_kind kind, int error)
{
	static const struct {
		enum request_kind kind;
		const char *module;
	} MODULES[] = { { REQUEST_MAILBOX, "isst_if_mbox_pci" },
			{ REQUEST_MAILBOX, "isst_if_mbox_msr" },
			{ REQUEST_IO, "isst_if_mmio" } };

	for (size_t i = 0; error == -ENOTTY && i < sizeof(MODULES) / sizeof(MODULES[0]); i++)
		if (MODULES[i].kind == kind && module_is_loaded(firmware->files, MODULES[i].module))
			return message_make(
				firmware->messages,
				"the kernel's driver has no %s: the module %s is " MODULE_UNBOUND,
				kind == REQUEST_IO ? "MMIO registers" : "mailbox",
				MODULES[i].module);
	return meaning->text;
}

static void note_failure(const struct firmware *firmware, const struct request *request, int error)
{
	struct messages *messages = firmware->messages;
	static const struct meaning UNKNOWN = { 0, -1, -EIO, "the driver failed" };
	const enum request_kind kind = request->command->kind;
	const struct meaning *meaning = &UNKNOWN;
	const char *causes = request->command->causes, *level = "";
	int result;

	if (request->failure->error) {
		request->failure->more++;
		return;
	}
	for (size_t i = sizeof(MEANINGS) / sizeof(MEANINGS[0]); i > 0; i--)
		if (MEANINGS[i - 1].error == error &&
		    (MEANINGS[i - 1].kind == -1 || MEANINGS[i - 1].kind == (int)kind))
			meaning = &MEANINGS[i - 1];
	result = meaning->result;
	if (request->level >= 0)
		level = message_make(messages, " of level %d", request->level);
	if (request->command->refused_if_unsupported && error == -ENXIO)
		result = -EOPNOTSUPP;
	message_failure(messages, request->failure, of_domain(request->domain), result,
			"%s: cannot %s %s%s (%s): %s (%s)%s%s", request->domain->name,
			request->command->writes ? "write" : "read", request->command->name, level,
			describe_place(messages, request), explain(firmware, meaning, kind, error),
			error_name(error).text, causes && error == -ENOTTY ? ": " : "",
			causes && error == -ENOTTY ? causes : "");
}

static void take_answer(const struct firmware *firmware, const struct request *request,
			uint64_t answer, int error)
{
	if (!error) {
		for (size_t i = 0; i < request->command->field_count; i++)
			store_field(&request->command->fields[i], request->result, answer);
		return;
	}
	if ((request->command->optional && error == -ENXIO) ||
	    (request->command->newer && error == -EINVAL)) {
		store_state(request->command, request->result, ISST_ABSENT);
		return;
	}
	store_state(request->command, request->result, ISST_UNREADABLE);
	note_failure(firmware, request, error);
}

static bool is_confirmed(const struct abi_mbox_cmd *entries, const int *errors, size_t one,
			 size_t other)
{
	return errors[one] == errors[other] &&
	       (errors[one] || entries[one].resp_data == entries[other].resp_data);
}

/** Asks again, twice each time, while the answers at @one and @other differ. */
static void ask_again(struct firmware_batch *batch, struct abi_mbox_cmd *entries, int *errors,
		      size_t one, size_t other)
{
	for (int tries = 1; tries < MOST_TRIES && !is_confirmed(entries, errors, one, other);
	     tries++) {
		struct abi_mbox_cmd pair[2] = { entries[one], entries[one] };
		int pair_errors[2] = { 0 };

		driver_mailbox(batch->firmware->driver, pair, pair_errors, 2, BATCH_READS);
		entries[one] = pair[0];
		entries[other] = pair[1];
		errors[one] = pair_errors[0];
		errors[other] = pair_errors[1];
	}
	if (!is_confirmed(entries, errors, one, other))
		errors[one] = -EILSEQ;
}

/** Management controllers use the same mailbox, and the driver reads status and data separately: an
 * answer can be theirs. So decisive commands are sent twice, the second ones after all others. */
static void send_mailbox(struct firmware_batch *batch, struct abi_mbox_cmd *commands, int *errors,
			 size_t count, enum batch_purpose purpose)
{
	size_t total = count, again = count, at = 0;

	for (size_t i = 0; i < batch->count && batch->confirms && purpose == BATCH_READS; i++) {
		if (batch->requests[i].command->kind != REQUEST_MAILBOX)
			continue;
		if (batch->requests[i].command->decisive)
			commands[total++] = commands[at];
		at++;
	}
	driver_mailbox(batch->firmware->driver, commands, errors, total, purpose);
	at = 0;
	for (size_t i = 0; i < batch->count && again < total; i++) {
		if (batch->requests[i].command->kind != REQUEST_MAILBOX)
			continue;
		if (batch->requests[i].command->decisive)
			ask_again(batch, commands, errors, at, again++);
		at++;
	}
}

static void send_entries(struct firmware_batch *batch, enum request_kind kind, void *entries,
			 int *errors, size_t count, enum batch_purpose purpose)
{
	struct driver *driver = batch->firmware->driver;
	const struct tpmi_request *requests = entries;
	bool stopped = false;

	switch (kind) {
	case REQUEST_MAILBOX:
		send_mailbox(batch, entries, errors, count, purpose);
		break;
	case REQUEST_IO:
		driver_io(driver, entries, errors, count, purpose);
		break;
	case REQUEST_MSR:
		driver_msr(driver, entries, errors, count, purpose);
		break;
	case REQUEST_ASSOCIATION:
		check_associations(&batch->tpmi, entries, errors, count);
		driver_associations(driver, entries, errors, count, purpose);
		break;
	default:
		for (size_t i = 0; i < count; i++) {
			errors[i] = stopped ? -ECANCELED
					    : requests[i].command->ask(&batch->tpmi, &requests[i]);
			stopped = purpose == BATCH_WRITES && errors[i];
		}
	}
}

/** The word that an entry came back with; a TPMI request has filled in its result already. */
static uint64_t find_answer(enum request_kind kind, const void *entry)
{
	switch (kind) {
	case REQUEST_MAILBOX:
		return ((const struct abi_mbox_cmd *)entry)->resp_data;
	case REQUEST_IO:
		return ((const struct abi_io_reg *)entry)->value;
	case REQUEST_MSR:
		return ((const struct abi_msr_cmd *)entry)->data;
	case REQUEST_ASSOCIATION:
		return ((const struct abi_clos_assoc *)entry)->clos;
	default:
		return 0;
	}
}

/** Sends the planned requests of one kind, unless an earlier write has failed (@stopped). */
static int run_kind(struct firmware_batch *batch, enum request_kind kind,
		    enum batch_purpose purpose, bool *stopped)
{
	static const size_t SIZES[REQUEST_KINDS] = {
		[REQUEST_MAILBOX] = sizeof(struct abi_mbox_cmd),
		[REQUEST_IO] = sizeof(struct abi_io_reg),
		[REQUEST_MSR] = sizeof(struct abi_msr_cmd),
		[REQUEST_TPMI] = sizeof(struct tpmi_request),
		[REQUEST_ASSOCIATION] = sizeof(struct abi_clos_assoc),
	};
	size_t size = SIZES[kind], count = 0;
	int *errors = NULL, error = -ENOMEM;
	char *entries;

	for (size_t i = 0; i < batch->count; i++)
		count += batch->requests[i].command->kind == kind;
	if (count == 0)
		return 0;
	/* Behind them is space for second questions. */
	entries = calloc(2 * count, size);
	errors = calloc(2 * count, sizeof(*errors));
	if (!entries || !errors)
		goto out;
	count = 0;
	for (size_t i = 0; i < batch->count; i++)
		if (batch->requests[i].command->kind == kind)
			memcpy(entries + size * count++, &batch->requests[i].mailbox, size);
	for (size_t i = 0; i < count && *stopped; i++)
		errors[i] = -ECANCELED;
	if (!*stopped)
		send_entries(batch, kind, entries, errors, count, purpose);
	count = 0;
	for (size_t i = 0; i < batch->count; i++) {
		const struct request *request = &batch->requests[i];

		if (request->command->kind != kind)
			continue;
		take_answer(batch->firmware, request, find_answer(kind, entries + size * count),
			    errors[count]);
		if (errors[count] && purpose == BATCH_WRITES)
			*stopped = true;
		count++;
	}
	error = 0;
out:
	free(entries);
	free(errors);
	return error;
}

static int run_batch(struct firmware_batch *batch, enum batch_purpose purpose)
{
	bool stopped = false;
	int error = 0;

	if (purpose == BATCH_WRITES)
		tpmi_run_forget(&batch->tpmi);
	for (int kind = 0; kind < REQUEST_KINDS && batch->count > 0 && !error; kind++)
		error = run_kind(batch, (enum request_kind)kind, purpose, &stopped);
	if (purpose == BATCH_WRITES)
		tpmi_run_forget(&batch->tpmi);
	batch->count = 0;
	return error;
}

int firmware_run(struct firmware_batch *batch)
{
	return run_batch(batch, BATCH_READS);
}

int firmware_run_writes(struct firmware_batch *batch)
{
	return run_batch(batch, BATCH_WRITES);
}
