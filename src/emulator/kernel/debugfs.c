/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The TPMI registers as debugfs shows them, a device for each package: what a capture of such a
 * machine is made from. Written when they are read, since requests change them past the files.
 */
#include "emulator/capture/recording.h"
#include "emulator/state/server.h"
#include "emulator/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define DEBUG_DIRECTORY "sys/kernel/debug"
#define SST_DIRECTORY "tpmi-id-05"

enum { WORDS_PER_LINE = 8, FIRST_ADDRESS = 0x7000 };

static size_t count_packages(const struct platform *platform)
{
	return platform->domains[platform->domain_count - 1].socket + 1;
}

/** The PCI address of a package's device: buses are dealt out evenly, as on real servers. */
static char *device_address(const struct platform *platform, unsigned int socket)
{
	char *address;

	if (platform->recording && socket < platform->recording->dump_count)
		return strdup(platform->recording->dumps[socket].address);
	if (asprintf(&address, "0000:%02zx:03.1", socket * 256 / count_packages(platform)) < 0)
		return NULL;
	return address;
}

/** Where the registers of a domain are in the memory of the device. */
static uint64_t instance_offset(const struct platform *platform,
				const struct platform_domain *domain)
{
	const struct recorded_dump *dump = NULL;

	if (platform->recording && domain->socket < platform->recording->dump_count)
		dump = &platform->recording->dumps[domain->socket];
	if (dump && domain->power_domain < dump->count)
		return dump->instances[domain->power_domain].offset;
	return UINT64_C(0x90000000) + ((uint64_t)domain->socket << 28) + FIRST_ADDRESS +
	       domain->power_domain * domain->register_count * sizeof(uint64_t);
}

static void write_instance(const struct server *server, size_t index, FILE *stream)
{
	const struct platform_domain *domain = &server->platform->domains[index];
	const struct tpmi_registers registers = state_registers(server, index);

	fprintf(stream, "TPMI Instance:%u offset:0x%llx\n", domain->power_domain,
		(unsigned long long)instance_offset(server->platform, domain));
	for (size_t i = 0; i < registers.count; i++) {
		if (i % (WORDS_PER_LINE / 2) == 0)
			fprintf(stream, "%s %08zx:", i > 0 ? "\n" : "", i * sizeof(uint64_t));
		fprintf(stream, " %08x %08x", (uint32_t)registers.word[i],
			(uint32_t)(registers.word[i] >> 32));
	}
	fputc('\n', stream);
}

/** Instances between those that the platform has are there as well, and read all ones. */
static void write_hole(unsigned int power_domain, size_t count, FILE *stream)
{
	fprintf(stream, "TPMI Instance:%u offset:0x0\n", power_domain);
	for (size_t i = 0; i < count; i++) {
		if (i % (WORDS_PER_LINE / 2) == 0)
			fprintf(stream, "%s %08zx:", i > 0 ? "\n" : "", i * sizeof(uint64_t));
		fputs(" ffffffff ffffffff", stream);
	}
	fputc('\n', stream);
}

static int write_dump(const struct server *server, int directory, unsigned int socket,
		      const char *path)
{
	const struct platform *platform = server->platform;
	unsigned int next = 0;
	struct text text;
	char *content;
	int result;

	if (!text_open(&text))
		return -ENOMEM;
	for (size_t i = 0; i < platform->domain_count; i++) {
		const struct platform_domain *domain = &platform->domains[i];

		if (domain->socket != socket)
			continue;
		while (next < domain->power_domain)
			write_hole(next++, domain->register_count, text.stream);
		write_instance(server, i, text.stream);
		next++;
	}
	content = text_close(&text);
	if (!content)
		return -ENOMEM;
	result = tree_write(directory, path, "%s", content);
	free(content);
	return result;
}

/** The file of a package, below the state directory. */
static char *dump_path(const struct platform *platform, unsigned int socket)
{
	char *address = device_address(platform, socket), *path = NULL;

	if (address &&
	    asprintf(&path, "root/" DEBUG_DIRECTORY "/tpmi-%s/" SST_DIRECTORY "/mem_dump",
		     address) < 0)
		path = NULL;
	free(address);
	return path;
}

int debugfs_make(const struct server *server, int directory)
{
	const struct platform *platform = server->platform;
	int result = 0;

	if (!platform_is_tpmi(platform))
		return 0;
	for (unsigned int socket = 0; socket < count_packages(platform) && !result; socket++) {
		char *path = dump_path(platform, socket);

		result = path ? tree_make_parents(directory, path) : -ENOMEM;
		if (!result)
			result = write_dump(server, directory, socket, path);
		free(path);
	}
	return result;
}

int debugfs_refresh(const struct server *server, const char *path)
{
	static const char below[] = "/" DEBUG_DIRECTORY "/";
	const struct platform *platform = server->platform;
	int result = 0;

	if (!platform_is_tpmi(platform) || strncmp(path, below, strlen(below)) != 0)
		return 0;
	for (unsigned int socket = 0; socket < count_packages(platform) && !result; socket++) {
		char *dump = dump_path(platform, socket);

		result = dump ? 0 : -ENOMEM;
		if (!result && strcmp(dump + strlen("root"), path) == 0)
			result = write_dump(server, server->directory, socket, dump);
		free(dump);
	}
	return result;
}
