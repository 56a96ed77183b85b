/* SPDX-License-Identifier: BSD-3-Clause */
/* What driver and firmware answer: every mailbox command and every register that reads. What
 * answers mean is not known here, except what has to be asked next. */
#include "base/error_name.h"
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

/** One MSR of all CPUs; it is left out unless all have it, as a capture has to be complete. */
static int write_msr(struct capture *capture, FILE *stream, uint32_t address)
{
	struct abi_msr_cmd entry = { .msr = address };
	struct memory_stream line;
	size_t failed = 0;
	int error = memory_stream_open(&line);

	for (size_t i = 0; i < capture->cpu_count && !error; i++) {
		int missing = 0;

		entry.logical_cpu = capture->cpus[i];
		driver_msr(&capture->context->driver, &entry, &missing, 1, BATCH_READS);
		failed += missing != 0;
		fprintf(line.stream, "%s%u|%llx", i ? " " : "", capture->cpus[i],
			(unsigned long long)entry.data);
	}
	if (!error)
		error = memory_stream_close(&line);
	if (error)
		return error;
	if (failed > 0 && failed < capture->cpu_count)
		message_notice(&capture->context->messages, of_machine(),
			       "left out of the capture: MSR 0x%x, not readable on %zu of %zu CPUs",
			       address, failed, capture->cpu_count);
	if (failed == 0)
		fprintf(stream, "%x:%s\n", address, line.text);
	free(line.text);
	return 0;
}

int capture_msrs(struct capture *capture)
{
	/* The driver's numbers of CPUs are those of an MSR, which one depends on the processor. */
	enum { THREAD_ID = 0x53, PM_LOGICAL_ID = 0x54 };
	static const uint32_t addresses[] = { 0x64b, 0x1ad, 0x1ae, 0x1af };
	bool driver = capture->device && capture->info.api_version > 0;
	struct memory_stream text;
	int error = memory_stream_open(&text);

	if (error)
		return error;
	fputs("# address:CPU|value CPU|value ..., hexadecimal but for the CPUs\n", text.stream);
	if (driver)
		fprintf(text.stream, "%x:", capture->tpmi ? PM_LOGICAL_ID : THREAD_ID);
	for (size_t i = 0; driver && i < capture->cpu_count && !error; i++) {
		if (capture->map_errors[i])
			error = message_error(&capture->context->messages, -EIO,
					      "the driver does not report the core of CPU %u "
					      "(GET_PHY_ID): %s",
					      capture->cpus[i], strerror(-capture->map_errors[i]));
		fprintf(text.stream, "%s%u|%x%s", i ? " " : "", capture->cpus[i],
			capture->maps[i].physical_cpu, i + 1 < capture->cpu_count ? "" : "\n");
	}
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

static int capture_device(void *data, const char *device)
{
	static const char *const names[] = { "tpmi-id-05/mem_dump", "pfs_dump" };
	struct capture *capture = data;
	int error = 0;

	capture->found_registers = true;
	for (size_t i = 0; i < 2 && !error; i++) {
		char *path, *text, *whole = NULL;

		if (asprintf(&path, "%s/%s/%s", debug_directory, device, names[i]) < 0)
			return -ENOMEM;
		error = kernel_files_text(&capture->context->files, path, &text);
		if (error == -ENOENT)
			error = i ? 0
				  : missing_registers(capture,
						      "a TPMI device has no tpmi-id-05/mem_dump");
		else if (!error) {
			/* Reading takes the line end of the last line off. */
			error = asprintf(&whole, "%s\n", text) < 0 ? -ENOMEM : 0;
			free(text);
			if (!error)
				error = capture_keep(capture, path + 1, whole);
		}
		free(path);
	}
	return error;
}

int capture_registers(struct capture *capture)
{
	struct kernel_files *files = &capture->context->files;
	int error = capture->tpmi ? kernel_files_each(files, debug_directory, "tpmi-",
						      capture_device, capture)
				  : 0;

	if (!capture->tpmi || capture->found_registers || error == -ENOMEM)
		return error;
	return missing_registers(capture, error ? strerror(-files->answer)
						: "it contains no directory of a TPMI device");
}

/* ---- Mailbox and registers ---- */

/** Behind the request. */
static void write_answer(struct capture *capture, uint32_t value, int error)
{
	const struct error_text name = error_name(error);

	/* Not what the machine is, only what it was at that moment. */
	if (error == -EBUSY)
		capture->error = message_error(
			&capture->context->messages, -EIO,
			"the mailbox stays busy; more attempts (--retry) may help");
	/* An error without a name is E and its number: a number alone would be an answer. */
	if (error)
		fprintf(capture->answers, "-> %s%s\n", *name.text == 'E' ? "" : "E", name.text);
	else
		fprintf(capture->answers, "-> 0x%08x\n", value);
}

/** Writes a command and its answer, which is 0 where there is none. */
static uint32_t ask(struct capture *capture, const struct capture_domain *domain,
		    unsigned int command, unsigned int sub, uint32_t parameter, uint32_t data)
{
	struct abi_mbox_cmd entry = { .logical_cpu = domain->cpu,
				      .parameter = parameter,
				      .req_data = data,
				      .command = (uint16_t)command,
				      .sub_command = (uint16_t)sub };
	int error = 0;

	if (capture->error)
		return 0;
	driver_mailbox(&capture->context->driver, &entry, &error, 1, BATCH_READS);
	fprintf(capture->answers, "mailbox %u %u 0x%02x/0x%02x 0x%x 0x%x ", domain->package,
		domain->die, command, sub, parameter, data);
	write_answer(capture, entry.resp_data, error);
	return error ? 0 : entry.resp_data;
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

static void capture_level(struct capture *capture, const struct capture_domain *domain,
			  unsigned int level)
{
	for (size_t i = 0; i < sizeof(level_commands) / sizeof(level_commands[0]); i++)
		for (unsigned int type = 0; type < level_commands[i].types; type++)
			for (unsigned int half = 0; half < level_commands[i].halves; half++)
				ask(capture, domain, 0x7f, level_commands[i].sub, 0,
				    level | half << 8 | type << 16 | level_commands[i].data);
}

static void capture_mailbox(struct capture *capture, const struct capture_domain *domain,
			    const struct isst_cpuset *cores)
{
	/* [15:8]: the highest level */
	unsigned int core, highest = ask(capture, domain, 0x7f, 0x00, 0, 0) >> 8 & 0xff;

	for (unsigned int level = 0; level <= highest; level++)
		capture_level(capture, domain, level);
	ask(capture, domain, 0x94, 0x03, 0, 0);
	ask(capture, domain, 0xd0, 0x02, 0, 0);
	for (unsigned int clos = 0; clos < ISST_CLOS_COUNT; clos++)
		ask(capture, domain, 0xd0, 0x01, clos, 0);
	isst_cpuset_for_each (core, cores)
		ask(capture, domain, 0xd0, 0x00, core, 0);
}

static void read_mmio(struct capture *capture, const struct capture_domain *domain, uint32_t offset)
{
	struct abi_io_reg entry = { .logical_cpu = domain->cpu, .reg = offset };
	int error = 0;

	if (capture->error)
		return;
	driver_io(&capture->context->driver, &entry, &error, 1, BATCH_READS);
	fprintf(capture->answers, "mmio %u %u 0x%02x ", domain->package, domain->die, offset);
	write_answer(capture, entry.value, error);
}

/** Classes, associations, and the last register that the larger of two devices has. */
static void capture_mmio(struct capture *capture, const struct capture_domain *domain,
			 const struct isst_cpuset *cores)
{
	enum { CLOS = 0x08, ASSOCIATION = 0x20, LAST = 0x11c };
	unsigned int core;

	for (unsigned int clos = 0; clos < ISST_CLOS_COUNT; clos++)
		read_mmio(capture, domain, CLOS + 4 * clos);
	isst_cpuset_for_each (core, cores)
		read_mmio(capture, domain, ASSOCIATION + 4 * core);
	if (!isst_cpuset_has(cores, (LAST - ASSOCIATION) / 4))
		read_mmio(capture, domain, LAST);
}

static void capture_domain(struct capture *capture, const struct capture_domain *domain)
{
	struct isst_cpuset *cores = isst_cpuset_new();

	if (!cores)
		capture->error = -ENOMEM;
	/* The cores that have a CPU online. */
	for (size_t i = 0; i < capture->cpu_count && !capture->error; i++) {
		const unsigned int core = capture->maps[i].physical_cpu >> 1 & 0xff;

		if (&capture->domains[capture->domain_of[i]] == domain && !capture->map_errors[i] &&
		    capture->maps[i].physical_cpu != UINT32_MAX)
			capture->error = isst_cpuset_add(cores, core, core);
	}
	if (capture->mailbox)
		capture_mailbox(capture, domain, cores);
	if (capture->mmio)
		capture_mmio(capture, domain, cores);
	isst_cpuset_free(cores);
}

/** A capture without answers of Speed Select is of little use elsewhere. */
static void report_missing_driver(const struct capture *capture)
{
	if (capture->device && capture->info.api_version > 0)
		return;
	/* Where the BIOS has set up Speed Select there is nothing to miss. */
	if (!context_is_preset(capture->context))
		message_notice(&capture->context->messages, of_machine(),
			       "%s: the capture contains no answers of the firmware",
			       capture->device ? "the driver has none of its transports"
					       : "no Speed Select driver on this machine");
}

/** Which power domains of each package the driver serves; the registers do not show it. */
static void capture_instances(struct capture *capture)
{
	unsigned int socket = 0;

	for (size_t i = 0, first = 0; i < capture->domain_count && !capture->error; i++) {
		struct abi_tpmi_instance_count instances = { .socket_id = (uint8_t)socket };
		int failed;

		for (first = 0; capture->domains[first].package != capture->domains[i].package;)
			first++;
		if (first < i)
			continue;
		failed = driver_request(&capture->context->driver, "COUNT_TPMI_INSTANCES",
					ABI_COUNT_TPMI_INSTANCES, &instances);
		fprintf(capture->answers, "instances %u ", socket++);
		write_answer(capture, instances.valid_mask, failed);
	}
}

int capture_answers(struct capture *capture)
{
	const struct abi_platform_info *info = &capture->info;
	struct memory_stream text;
	int error = memory_stream_open(&text);

	if (error)
		return error;
	capture->answers = text.stream;
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
		capture_instances(capture);
	for (size_t i = 0; i < capture->domain_count && !capture->error; i++)
		if (capture->mailbox || capture->mmio)
			capture_domain(capture, &capture->domains[i]);
	return capture_keep_text(capture, &text, "isst/answers.txt", capture->error);
}
