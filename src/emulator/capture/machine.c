/* SPDX-License-Identifier: BSD-3-Clause */
/* A recorded machine as a whole: its files are read, then a platform is made of them. */
#include "base/hash.h"
#include "base/memory_stream.h"
#include "emulator/capture/parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void free_dump(struct recorded_dump *dump)
{
	for (size_t i = 0; i < dump->count; i++)
		free(dump->instances[i].registers);
	free(dump->instances);
	free(dump->address);
	recorded_file_free(&dump->file);
}

void recording_free(struct recording *recording)
{
	if (!recording)
		return;
	for (size_t i = 0; i < recording->msr_count; i++) {
		free(recording->msrs[i].values);
		free(recording->msrs[i].known);
	}
	for (size_t i = 0; i < recording->dump_count; i++)
		free_dump(&recording->dumps[i]);
	free(recording->msrs);
	free(recording->dumps);
	free(recording->cpus);
	free(recording->entries);
	free(recording->answers);
	recorded_file_free(&recording->cpuinfo);
	recorded_file_free(&recording->msr_file);
	recorded_file_free(&recording->entry_file);
	recorded_file_free(&recording->answer_file);
	free(recording->late_error);
	free(recording->directory);
	free(recording);
}

/** The caller's message is not to be touched when the recording outlives the call. */
static void detach_error(struct recording *recording)
{
	char **error = &recording->late_error;

	recording->error = error;
	recording->cpuinfo.error = recording->msr_file.error = error;
	recording->entry_file.error = recording->answer_file.error = error;
	for (size_t i = 0; i < recording->dump_count; i++)
		recording->dumps[i].file.error = error;
}

static int read_files(struct recording *recording)
{
	static int (*const readers[])(struct recording *) = {
		recording_read_cpuinfo, recording_read_msrs,	recording_read_entries,
		recording_read_dumps,	recording_read_answers,
	};
	int result = 0;

	for (size_t i = 0; i < sizeof(readers) / sizeof(*readers) && !result; i++)
		result = readers[i](recording);
	return result;
}

/** Byte for byte from the lowest on, on any machine. */
static uint64_t mix(uint64_t hash, uint64_t value)
{
	unsigned char bytes[sizeof(value)] = { 0 };

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)(value >> (8 * i));
	return hash_bytes(hash, bytes, sizeof(bytes));
}

/** Of everything that was read: another content is another machine. */
static uint64_t hash_all(const struct recording *recording)
{
	uint64_t hash = HASH_START;

	hash = mix(hash, recording->cpuinfo.hash);
	hash = mix(hash, recording->msr_file.hash);
	hash = mix(hash, recording->entry_file.hash);
	hash = mix(hash, recording->answer_file.hash);
	for (size_t i = 0; i < recording->dump_count; i++) {
		for (const char *c = recording->dumps[i].address; *c; c++)
			hash = mix(hash, (unsigned char)*c);
		hash = mix(hash, recording->dumps[i].file.hash);
	}
	return hash;
}

int recording_read(const char *name, const char *directory, struct platform **platform,
		   char **error)
{
	struct recording *recording = calloc(1, sizeof(*recording));
	struct platform *made = recording ? platform_new(name) : NULL;
	int result = -ENOMEM;

	*error = NULL;
	*platform = NULL;
	if (!made)
		goto failed;
	recording->error = error;
	recording->directory = strdup(directory);
	if (!recording->directory)
		goto failed;
	for (size_t end = strlen(directory); end > 1 && directory[end - 1] == '/'; end--)
		recording->directory[end - 1] = '\0';
	result = read_files(recording);
	if (!result)
		result = recording_fill(recording, made);
	if (result)
		goto failed;
	made->hash = hash_all(recording);
	made->recording = recording;
	detach_error(recording);
	*platform = made;
	return 0;
failed:
	platform_free(made);
	recording_free(recording);
	return result;
}

/* ---- Its description ---- */

static void describe_domain(const struct platform *platform, const struct platform_domain *domain,
			    FILE *stream)
{
	static const char *const types[] = {
		[DOMAIN_COMPUTE] = "compute",
		[DOMAIN_IO] = "IO",
		[DOMAIN_ABSENT] = "absent",
	};
	char *cores = isst_cpuset_ranges(domain->cores.set);

	if (platform_is_tpmi(platform))
		fprintf(stream, "package %u, power domain %u: %s, cores %s\n", domain->package,
			domain->power_domain, types[domain->type.value],
			cores && *cores ? cores : "none");
	else
		fprintf(stream, "package %u, die %u: cores %s, %zu levels\n", domain->package,
			domain->die, cores && *cores ? cores : "none", domain->level_count);
	free(cores);
}

char *recording_describe(const struct platform *platform)
{
	const struct recording *recording = platform->recording;
	struct memory_stream text;

	if (memory_stream_open(&text))
		return NULL;
	fprintf(text.stream, "Captured machine: %s\n", recording->directory);
	fprintf(text.stream, "processor: %s, family %u, model %u (0x%x), stepping %u\n",
		platform->model_name.text, platform->family.value, platform->model.value,
		platform->model.value, platform->stepping.value);
	fprintf(text.stream, "driver: %s, API version %u\n",
		platform->node.value ? "present" : "none", platform->api_version.value);
	fprintf(text.stream,
		"captured: %zu CPUs, %zu MSRs, %zu files, %zu TPMI devices, %zu answers\n",
		recording->cpu_count, recording->msr_count, recording->entry_count,
		recording->dump_count, recording->answer_count);
	for (size_t i = 0; i < platform->domain_count; i++)
		describe_domain(platform, &platform->domains[i], text.stream);
	return memory_stream_text(&text);
}
