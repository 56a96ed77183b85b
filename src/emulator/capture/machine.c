/* SPDX-License-Identifier: BSD-3-Clause */
/* A captured machine as a whole: its files are read, then a platform is made of them. */
#include "common/hash.h"
#include "common/memory_stream.h"
#include "emulator/capture/parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void free_dump(struct captured_dump *dump)
{
	for (size_t i = 0; i < dump->count; i++)
		free(dump->instances[i].registers);
	free(dump->instances);
	free(dump->address);
	captured_file_free(&dump->file);
}

void capture_free(struct capture *capture)
{
	if (!capture)
		return;
	for (size_t i = 0; i < capture->msr_count; i++) {
		free(capture->msrs[i].values);
		free(capture->msrs[i].known);
	}
	for (size_t i = 0; i < capture->dump_count; i++)
		free_dump(&capture->dumps[i]);
	free(capture->msrs);
	free(capture->dumps);
	free(capture->cpus);
	free(capture->entries);
	free(capture->answers);
	captured_file_free(&capture->cpuinfo);
	captured_file_free(&capture->msr_file);
	captured_file_free(&capture->entry_file);
	captured_file_free(&capture->answer_file);
	free(capture->late_error);
	free(capture->directory);
	free(capture);
}

/** The caller's message is not to be touched when the capture outlives the call. */
static void detach_error(struct capture *capture)
{
	char **error = &capture->late_error;

	capture->error = error;
	capture->cpuinfo.error = capture->msr_file.error = error;
	capture->entry_file.error = capture->answer_file.error = error;
	for (size_t i = 0; i < capture->dump_count; i++)
		capture->dumps[i].file.error = error;
}

static int read_files(struct capture *capture)
{
	static int (*const readers[])(struct capture *) = {
		capture_read_cpuinfo, capture_read_msrs,    capture_read_entries,
		capture_read_dumps,   capture_read_answers,
	};
	int result = 0;

	for (size_t i = 0; i < sizeof(readers) / sizeof(*readers) && !result; i++)
		result = readers[i](capture);
	return result;
}

/** Of everything that was read: another content is another machine. */
static uint64_t hash_all(const struct capture *capture)
{
	uint64_t hash = HASH_START;

	hash = hash_number(hash, capture->cpuinfo.hash, sizeof(uint64_t));
	hash = hash_number(hash, capture->msr_file.hash, sizeof(uint64_t));
	hash = hash_number(hash, capture->entry_file.hash, sizeof(uint64_t));
	hash = hash_number(hash, capture->answer_file.hash, sizeof(uint64_t));
	for (size_t i = 0; i < capture->dump_count; i++) {
		for (const char *c = capture->dumps[i].address; *c; c++)
			hash = hash_number(hash, (unsigned char)*c, sizeof(uint64_t));
		hash = hash_number(hash, capture->dumps[i].file.hash, sizeof(uint64_t));
	}
	return hash;
}

int capture_read(const char *name, const char *directory, struct platform **platform, char **error)
{
	struct capture *capture = calloc(1, sizeof(*capture));
	struct platform *made = capture ? platform_new(name) : NULL;
	int result = -ENOMEM;

	*error = NULL;
	*platform = NULL;
	if (!made)
		goto failed;
	capture->error = error;
	capture->directory = strdup(directory);
	if (!capture->directory)
		goto failed;
	for (size_t end = strlen(directory); end > 1 && directory[end - 1] == '/'; end--)
		capture->directory[end - 1] = '\0';
	result = read_files(capture);
	if (!result)
		result = capture_fill(capture, made);
	if (result)
		goto failed;
	made->hash = hash_all(capture);
	made->capture = capture;
	detach_error(capture);
	*platform = made;
	return 0;
failed:
	platform_free(made);
	capture_free(capture);
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
	char *cores = isst_cpuset_to_list(domain->cores.set);

	if (platform_is_tpmi(platform))
		fprintf(stream, "package %u, power domain %u: %s, cores %s\n", domain->package,
			domain->power_domain, types[domain->type.value],
			cores && *cores ? cores : "none");
	else
		fprintf(stream, "package %u, die %u: cores %s, %zu levels\n", domain->package,
			domain->die, cores && *cores ? cores : "none", domain->level_count);
	free(cores);
}

char *capture_describe(const struct platform *platform)
{
	const struct capture *capture = platform->capture;
	struct memory_stream text;

	if (memory_stream_open(&text))
		return NULL;
	fprintf(text.stream, "Captured machine: %s\n", capture->directory);
	fprintf(text.stream, "processor: %s, family %u, model %u (0x%x), stepping %u\n",
		platform->model_name.text, platform->family.value, platform->model.value,
		platform->model.value, platform->stepping.value);
	fprintf(text.stream, "driver: %s, API version %u\n",
		platform->node.value ? "present" : "none", platform->api_version.value);
	fprintf(text.stream,
		"captured: %zu CPUs, %zu MSRs, %zu files, %zu TPMI devices, %zu answers\n",
		capture->cpu_count, capture->msr_count, capture->entry_count, capture->dump_count,
		capture->answer_count);
	for (size_t i = 0; i < platform->domain_count; i++)
		describe_domain(platform, &platform->domains[i], text.stream);
	return memory_stream_text(&text);
}
