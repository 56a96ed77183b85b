/* SPDX-License-Identifier: BSD-3-Clause */
/* What the driver reports of itself and of CPUs, and the MSRs that it lets through, in a capture.
 */
#include "base/capture_format.h"
#include "base/machine.h"
#include "common/memory_stream.h"
#include "features/capture.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- The driver ---- */

static int read_numbers(struct capture *capture)
{
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

int capture_driver(struct capture *capture)
{
	int error = driver_open(&capture->context->driver, &capture->info);

	if (error == -EOPNOTSUPP)
		return 0; /* there is none: a machine like others */
	if (error)
		return error;
	capture->device = true;
	/* One without transports is closed again, and knows nothing. */
	return capture->info.api_version == 0 ? 0 : read_numbers(capture);
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
	capture_put_msr(stream, capture_is_tpmi(capture) ? PM_LOGICAL_ID : THREAD_ID);
	for (size_t i = 0; i < capture->cpu_count; i++)
		capture_put_msr_value(stream, i == 0, capture->cpus[i],
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
		capture_put_msr(stream, address);
		for (size_t i = 0; i < capture->cpu_count; i++)
			capture_put_msr_value(stream, i == 0, capture->cpus[i], entries[i].data);
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
	fprintf(text.stream, "%c address:CPU|value CPU|value ..., hexadecimal but for the CPUs\n",
		CAPTURE_COMMENT);
	if (driver)
		error = write_numbers(capture, text.stream);
	for (size_t i = 0; driver && i < sizeof(addresses) / sizeof(addresses[0]) && !error; i++)
		error = write_msr(capture, text.stream, addresses[i]);
	if (!error)
		return capture_keep_text(capture, &text, CAPTURE_MSRS);
	memory_stream_drop(&text);
	return error;
}
