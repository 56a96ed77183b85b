/* SPDX-License-Identifier: BSD-3-Clause */
/* What driver and firmware answer: every mailbox command and every register that reads. What
 * answers mean is not known here, except what has to be asked next. */
#include "base/array.h"
#include "base/error_name.h"
#include "base/machine.h"
#include "base/messages.h"
#include "driver/driver.h"
#include "features/capture.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int capture_driver(struct capture *capture)
{
	int error = driver_open(&capture->context->driver, &capture->info);

	if (error == -EOPNOTSUPP)
		return 0; /* there is none: a machine like others */
	if (error)
		return error;
	capture->device = true;
	capture->tpmi = capture->info.api_version >= 2;
	capture->mailbox = capture->info.api_version == 1 && capture->info.mbox_supported;
	capture->mmio = capture->info.api_version == 1 && capture->info.mmio_supported;
	/* One without transports is closed again, and knows nothing. */
	if (capture->info.api_version == 0)
		return 0;
	capture->maps = calloc(capture->cpu_count, sizeof(*capture->maps));
	capture->map_errors = calloc(capture->cpu_count, sizeof(*capture->map_errors));
	if (!capture->maps || !capture->map_errors)
		return -ENOMEM;
	for (size_t i = 0; i < capture->cpu_count; i++)
		capture->maps[i].logical_cpu = capture->cpus[i];
	driver_phy_ids(&capture->context->driver, capture->maps, capture->map_errors,
		       capture->cpu_count);
	return 0;
}

/* ---- MSRs ---- */

/** The driver's numbers are those of an MSR, which one depends on the processor. */
static int write_numbers(struct capture *capture, FILE *stream)
{
	enum { THREAD_ID = 0x53, PM_LOGICAL_ID = 0x54 };

	for (size_t i = 0; i < capture->cpu_count; i++)
		if (capture->map_errors[i])
			return message_error(&capture->context->messages, -EIO,
					     "the driver does not report the core of CPU %u "
					     "(GET_PHY_ID): %s",
					     capture->cpus[i], strerror(-capture->map_errors[i]));
	fprintf(stream, "%x:", capture->tpmi ? PM_LOGICAL_ID : THREAD_ID);
	for (size_t i = 0; i < capture->cpu_count; i++)
		fprintf(stream, "%s%u|%x", i ? " " : "", capture->cpus[i],
			capture->maps[i].physical_cpu);
	fputc('\n', stream);
	return 0;
}

/** One MSR of all CPUs; it is left out unless all have it, as a capture has to be complete. */
static int write_msr(struct capture *capture, FILE *stream, uint32_t address)
{
	struct abi_msr_cmd *entries = calloc(capture->cpu_count, sizeof(*entries));
	int *errors = calloc(capture->cpu_count, sizeof(*errors));
	size_t failed = 0;

	if (!entries || !errors) {
		free(entries);
		free(errors);
		return -ENOMEM;
	}
	for (size_t i = 0; i < capture->cpu_count; i++)
		entries[i] = (struct abi_msr_cmd){ .logical_cpu = capture->cpus[i],
						   .msr = address };
	driver_msr(&capture->context->driver, entries, errors, capture->cpu_count, BATCH_READS);
	for (size_t i = 0; i < capture->cpu_count; i++)
		failed += errors[i] != 0;
	if (failed > 0 && failed < capture->cpu_count)
		message_notice(&capture->context->messages,
			       "left out of the capture: MSR 0x%x, not readable on %zu of %zu CPUs",
			       address, failed, capture->cpu_count);
	if (failed == 0) {
		fprintf(stream, "%x:", address);
		for (size_t i = 0; i < capture->cpu_count; i++)
			fprintf(stream, "%s%u|%llx", i ? " " : "", capture->cpus[i],
				(unsigned long long)entries[i].data);
		fputc('\n', stream);
	}
	free(entries);
	free(errors);
	return 0;
}

int capture_msrs(struct capture *capture)
{
	static const uint32_t addresses[] = { 0x64b, 0x1ad, 0x1ae, 0x1af };
	bool driver = capture->device && capture->info.api_version > 0;
	struct memory_stream text;
	int error = memory_stream_open(&text);

	if (error)
		return error;
	fputs("# address:CPU|value CPU|value ..., hexadecimal but for the CPUs\n", text.stream);
	if (driver)
		error = write_numbers(capture, text.stream);
	for (size_t i = 0; driver && i < sizeof(addresses) / sizeof(addresses[0]) && !error; i++)
		error = write_msr(capture, text.stream, addresses[i]);
	return capture_keep_text(capture, &text, "msr/msr.txt", error);
}

/* ---- Registers ---- */

static const char debug_directory[] = "/sys/kernel/debug";

static int missing_registers(struct capture *capture, const char *what)
{
	return message_error(&capture->context->messages, -EIO,
			     "%s: %s: the registers are read from debugfs, which must be mounted "
			     "there and which only root may read",
			     debug_directory, what);
}

/** Keeps a file of debugfs. Returns -ENOENT where there is none. */
static int capture_debug_file(struct capture *capture, const char *device, const char *name)
{
	char *path, *text, *whole = NULL;
	int error;

	if (asprintf(&path, "%s/%s/%s", debug_directory, device, name) < 0)
		return -ENOMEM;
	error = kernel_files_text(&capture->context->files, path, &text);
	/* Reading takes the line end of the last line off. */
	if (!error) {
		error = asprintf(&whole, "%s\n", text) < 0 ? -ENOMEM : 0;
		free(text);
	}
	if (!error)
		error = capture_keep(capture, path + 1, whole);
	free(path);
	return error;
}

static int capture_device(struct capture *capture, const char *device)
{
	int error = capture_debug_file(capture, device, "tpmi-id-05/mem_dump");

	if (error == -ENOENT)
		return missing_registers(capture, "a TPMI device has no tpmi-id-05/mem_dump");
	if (error)
		return error;
	error = capture_debug_file(capture, device, "pfs_dump");
	return error == -ENOENT ? 0 : error;
}

int capture_registers(struct capture *capture)
{
	struct isst_machine *machine = capture->context->machine;
	char **names;
	size_t count = 0, found = 0;
	int error;

	if (!capture->tpmi)
		return 0;
	error = machine->files->list(machine->data, debug_directory, &names, &count);
	if (error)
		return error == -ENOMEM ? error : missing_registers(capture, strerror(-error));
	for (size_t i = 0; i < count; i++) {
		if (!error && strncmp(names[i], "tpmi-", strlen("tpmi-")) == 0) {
			error = capture_device(capture, names[i]);
			found++;
		}
		free(names[i]);
	}
	free(names);
	if (!error && found == 0)
		error = missing_registers(capture, "it contains no directory of a TPMI device");
	return error;
}

/* ---- Mailbox and registers ---- */

/** Behind the request. */
static int write_answer(struct capture *capture, FILE *stream, uint32_t value, int error)
{
	const struct error_text name = error_name(error);

	/* Not what the machine is, only what it was at that moment. */
	if (error == -EBUSY)
		return message_error(&capture->context->messages, -EIO,
				     "the mailbox stays busy; more attempts (--retry) may help");
	/* An error without a name is E and its number: a number alone would be an answer. */
	if (error)
		fprintf(stream, "-> %s%s\n", *name.text == 'E' ? "" : "E", name.text);
	else
		fprintf(stream, "-> 0x%08x\n", value);
	return 0;
}

/** Commands for one domain, to be sent together. */
struct questions {
	struct abi_mbox_cmd *commands;
	size_t count;
	unsigned int cpu;
};

static int ask(struct questions *questions, unsigned int command, unsigned int sub,
	       uint32_t parameter, uint32_t data)
{
	if (ARRAY_GROW(questions->commands, questions->count))
		return -ENOMEM;
	questions->commands[questions->count++] =
		(struct abi_mbox_cmd){ .logical_cpu = questions->cpu,
				       .parameter = parameter,
				       .req_data = data,
				       .command = (uint16_t)command,
				       .sub_command = (uint16_t)sub };
	return 0;
}

/** Sends them, writes the answers, and forgets them; the first answer is *@first, if there is one.
 */
static int send_questions(struct capture *capture, const struct capture_domain *domain,
			  FILE *stream, struct questions *questions, uint32_t *first)
{
	int *errors = calloc(questions->count, sizeof(*errors));
	int error = errors ? 0 : -ENOMEM;

	if (!error)
		driver_mailbox(&capture->context->driver, questions->commands, errors,
			       questions->count, BATCH_READS);
	for (size_t i = 0; i < questions->count && !error; i++) {
		const struct abi_mbox_cmd *command = &questions->commands[i];

		fprintf(stream, "mailbox %u %u 0x%02x/0x%02x 0x%x 0x%x ", domain->package,
			domain->die, command->command, command->sub_command, command->parameter,
			command->req_data);
		error = write_answer(capture, stream, command->resp_data, errors[i]);
	}
	if (!error && first && !errors[0])
		*first = questions->commands[0].resp_data;
	free(errors);
	free(questions->commands);
	questions->commands = NULL;
	questions->count = 0;
	return error;
}

/** Commands about a level, by its number, a half of a list, and the TRL type. */
static const struct {
	unsigned char sub, halves, types;
	uint32_t data; /* besides level, half << 8, type << 16 */
} level_commands[] = {
	{ 0x01, 1, 1, 0 },	 { 0x03, 1, 1, 0 }, { 0x04, 1, 1, 0 },
	{ 0x05, 1, 1, 0 },	 { 0x06, 2, 1, 0 }, { 0x07, 2, ISST_TRL_TYPES, 0 },
	{ 0x09, 1, 1, 0 },	 { 0x0a, 1, 1, 0 }, { 0x0b, 1, 1, 0 },
	{ 0x0c, 1, 1, 1 << 16 }, { 0x10, 2, 1, 0 }, { 0x11, 2, ISST_TRL_TYPES, 0 },
	{ 0x12, 1, 1, 0 },	 { 0x20, 2, 1, 0 }, { 0x21, 1, 1, 0 },
	{ 0x22, 1, 1, 0 },	 { 0x23, 1, 1, 0 },
};

static int ask_level(struct questions *questions, unsigned int level)
{
	int error = 0;

	for (size_t i = 0; i < sizeof(level_commands) / sizeof(level_commands[0]); i++)
		for (unsigned int type = 0; type < level_commands[i].types; type++)
			for (unsigned int half = 0; half < level_commands[i].halves && !error;
			     half++)
				error = ask(questions, 0x7f, level_commands[i].sub, 0,
					    level | half << 8 | type << 16 |
						    level_commands[i].data);
	return error;
}

/** The cores of a domain that have a CPU online. */
static int list_cores(const struct capture *capture, const struct capture_domain *domain,
		      struct isst_cpuset **cores)
{
	int error = 0;

	*cores = isst_cpuset_new();
	if (!*cores)
		return -ENOMEM;
	for (size_t i = 0; i < capture->cpu_count && !error; i++) {
		const unsigned int core = capture->maps[i].physical_cpu >> 1 & 0xff;

		if (&capture->domains[capture->domain_of[i]] == domain && !capture->map_errors[i] &&
		    capture->maps[i].physical_cpu != UINT32_MAX)
			error = isst_cpuset_add(*cores, core, core);
	}
	return error;
}

static int ask_core_power(struct questions *questions, const struct isst_cpuset *cores)
{
	unsigned int core;
	int error = ask(questions, 0x94, 0x03, 0, 0);

	if (!error)
		error = ask(questions, 0xd0, 0x02, 0, 0);
	for (unsigned int clos = 0; clos < ISST_CLOS_COUNT && !error; clos++)
		error = ask(questions, 0xd0, 0x01, clos, 0);
	isst_cpuset_for_each (core, cores)
		if (!error)
			error = ask(questions, 0xd0, 0x00, core, 0);
	return error;
}

static int capture_mailbox(struct capture *capture, const struct capture_domain *domain,
			   const struct isst_cpuset *cores, FILE *stream)
{
	struct questions questions = { .cpu = domain->cpu };
	uint32_t summary = 0;
	int error = ask(&questions, 0x7f, 0x00, 0, 0);

	if (!error)
		error = send_questions(capture, domain, stream, &questions, &summary);
	/* [15:8]: the highest level */
	for (unsigned int level = 0; level <= (summary >> 8 & 0xff) && !error; level++)
		error = ask_level(&questions, level);
	if (!error)
		error = ask_core_power(&questions, cores);
	if (!error)
		error = send_questions(capture, domain, stream, &questions, NULL);
	free(questions.commands);
	return error;
}

/** Classes, associations, and the last register that the larger of two devices has. */
static int capture_mmio(struct capture *capture, const struct capture_domain *domain,
			const struct isst_cpuset *cores, FILE *stream)
{
	enum { CLOS = 0x08, ASSOCIATION = 0x20, LAST = 0x11c };
	size_t count = 0, space = ISST_CLOS_COUNT + isst_cpuset_count(cores) + 1;
	struct abi_io_reg *entries = calloc(space, sizeof(*entries));
	int *errors = calloc(space, sizeof(*errors)), error = entries && errors ? 0 : -ENOMEM;
	unsigned int core;

	for (unsigned int clos = 0; clos < ISST_CLOS_COUNT && !error; clos++)
		entries[count++].reg = CLOS + 4 * clos;
	if (!error) {
		isst_cpuset_for_each (core, cores)
			entries[count++].reg = ASSOCIATION + 4 * core;
		if (!isst_cpuset_has(cores, (LAST - ASSOCIATION) / 4))
			entries[count++].reg = LAST;
		for (size_t i = 0; i < count; i++)
			entries[i].logical_cpu = domain->cpu;
		driver_io(&capture->context->driver, entries, errors, count, BATCH_READS);
	}
	for (size_t i = 0; i < count && !error; i++) {
		fprintf(stream, "mmio %u %u 0x%02x ", domain->package, domain->die, entries[i].reg);
		error = write_answer(capture, stream, entries[i].value, errors[i]);
	}
	free(entries);
	free(errors);
	return error;
}

static int capture_domain(struct capture *capture, const struct capture_domain *domain,
			  FILE *stream)
{
	struct isst_cpuset *cores;
	int error = list_cores(capture, domain, &cores);

	if (!error && capture->mailbox)
		error = capture_mailbox(capture, domain, cores, stream);
	if (!error && capture->mmio)
		error = capture_mmio(capture, domain, cores, stream);
	isst_cpuset_free(cores);
	return error;
}

/** A capture without answers of Speed Select is of little use elsewhere. */
static void report_missing_driver(const struct capture *capture)
{
	if (capture->device && capture->info.api_version > 0)
		return;
	/* Where the BIOS has set up Speed Select there is nothing to miss. */
	if (!context_is_preset(capture->context))
		message_notice(&capture->context->messages,
			       "%s: the capture contains no answers of the firmware",
			       capture->device ? "the driver has none of its transports"
					       : "no Speed Select driver on this machine");
}

/** Which power domains of each package the driver serves; the registers do not show it. */
static int capture_instances(struct capture *capture, FILE *stream)
{
	struct isst_cpuset *packages = isst_cpuset_new();
	size_t count;
	int error = packages ? 0 : -ENOMEM;

	for (size_t i = 0; i < capture->domain_count && !error; i++)
		error = isst_cpuset_add(packages, capture->domains[i].package,
					capture->domains[i].package);
	count = error ? 0 : isst_cpuset_count(packages);
	for (unsigned int socket = 0; socket < count; socket++) {
		struct abi_tpmi_instance_count instances = { .socket_id = (uint8_t)socket };
		int failed = driver_request(&capture->context->driver, "COUNT_TPMI_INSTANCES",
					    ABI_COUNT_TPMI_INSTANCES, &instances);

		fprintf(stream, "instances %u ", socket);
		error = write_answer(capture, stream, instances.valid_mask, failed);
	}
	isst_cpuset_free(packages);
	return error;
}

int capture_answers(struct capture *capture)
{
	const struct abi_platform_info *info = &capture->info;
	struct memory_stream text;
	int error = memory_stream_open(&text);

	if (error)
		return error;
	fputs("# driver -> API-VERSION DRIVER-VERSION MAX-COMMANDS MAILBOX MMIO\n"
	      "# mailbox PACKAGE DIE COMMAND/SUB-COMMAND PARAMETER DATA -> ANSWER or error\n"
	      "# mmio PACKAGE DIE OFFSET -> VALUE or error\n"
	      "# instances SOCKET -> MASK or error\n",
	      text.stream);
	if (capture->device)
		fprintf(text.stream, "driver -> %u %u %u %u %u\n", info->api_version,
			info->driver_version, info->max_cmds_per_ioctl, info->mbox_supported,
			info->mmio_supported);
	else
		fputs("no-driver\n", text.stream);
	report_missing_driver(capture);
	if (capture->tpmi)
		error = capture_instances(capture, text.stream);
	for (size_t i = 0; i < capture->domain_count && !error; i++)
		if (capture->mailbox || capture->mmio)
			error = capture_domain(capture, &capture->domains[i], text.stream);
	return capture_keep_text(capture, &text, "isst/answers.txt", error);
}
