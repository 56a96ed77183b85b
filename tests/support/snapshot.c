/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads a state directory; knows the layout of the emulator's state, and nothing of machines. */
#include "support/snapshot.h"

#include "emulator/state/server.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/** A file below a directory with a NUL behind it; NULL where it cannot be read. */
static char *read_file(int directory, const char *name, size_t *size)
{
	int file = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	struct stat status;
	char *content = NULL;
	ssize_t length = -1;

	if (file < 0)
		return NULL;
	if (fstat(file, &status) == 0)
		content = malloc((size_t)status.st_size + 1);
	if (content)
		length = pread(file, content, (size_t)status.st_size, 0);
	close(file);
	if (length < 0) {
		free(content);
		return NULL;
	}
	content[length] = '\0';
	*size = (size_t)length;
	return content;
}

/* ---- Firmware and the kernel's memory ---- */

static void print_domain(FILE *out, uint32_t index, const struct domain_state *domain)
{
	fprintf(out, "domain %u level: %u\n", index, domain->level);
	fprintf(out, "domain %u features: 0x%08x\n", index, domain->features);
	fprintf(out, "domain %u core-power: %u\n", index, domain->core_power_enabled);
	fprintf(out, "domain %u qos: 0x%08x\n", index, domain->qos_config);
	for (int i = 0; i < CLOS_COUNT; i++)
		fprintf(out, "domain %u clos %d: 0x%08x\n", index, i, domain->clos[i]);
	for (int i = 0; i < CORE_IDS; i++)
		if (domain->association[i])
			fprintf(out, "domain %u core %d: 0x%08x\n", index, i,
				domain->association[i]);
	fprintf(out, "domain %u msr 0x1ad: 0x%016" PRIx64 "\n", index, domain->turbo_ratio_limits);
	fprintf(out, "domain %u msr 0x1af: 0x%016" PRIx64 "\n", index,
		domain->turbo_ratio_limits_2);
	fprintf(out, "domain %u uncore: %u %u\n", index, domain->uncore_min_khz,
		domain->uncore_max_khz);
	fprintf(out, "domain %u uncore of package: %u %u\n", index, domain->package_min_khz,
		domain->package_max_khz);
}

/** Those that are not 0. */
static void print_registers(FILE *out, uint32_t index, const struct domain_state *domain,
			    const uint64_t *registers)
{
	for (uint32_t i = 0; i < domain->register_count; i++)
		if (registers[domain->first_register + i])
			fprintf(out, "domain %u register 0x%03x: 0x%016" PRIx64 "\n", index, 8 * i,
				registers[domain->first_register + i]);
}

/** Without the moments that they are due. */
static void print_deferred(FILE *out, int directory, uint32_t count)
{
	size_t size = 0;
	char *content = read_file(directory, "deferred", &size);
	const struct deferred *deferred = (const void *)content;

	for (uint32_t i = 0; i < count && i < size / sizeof(*deferred); i++) {
		fprintf(out, "deferred %u: 0x%" PRIx64, i, deferred[i].request);
		for (size_t byte = 0; byte < sizeof(deferred[i].entry); byte++)
			fprintf(out, " %02x", deferred[i].entry[byte]);
		fprintf(out, "\n");
	}
	free(content);
}

static bool print_state(FILE *out, int directory)
{
	size_t size;
	char *content = read_file(directory, "state", &size);
	const struct state *state = (const void *)content;
	const struct domain_state *domains = (const void *)(state + 1);
	const uint64_t *registers;
	const struct cpu_state *cpus;
	bool known = content && size >= sizeof(*state) && state->format == STATE_FORMAT;

	if (!known) {
		free(content);
		errno = EINVAL;
		return false;
	}
	registers = (const void *)(domains + state->domain_count);
	cpus = (const void *)(registers + state->register_count);
	fprintf(out, "no-turbo: %u\n", state->no_turbo);
	for (uint32_t i = 0; i < state->domain_count; i++)
		print_domain(out, i, &domains[i]);
	for (uint32_t i = 0; i < state->domain_count; i++)
		print_registers(out, i, &domains[i], registers);
	for (uint32_t i = 0; i < state->cpu_count; i++)
		fprintf(out, "cpu at %u: online %u limits %u %u\n", i, cpus[i].online,
			cpus[i].requested_min_khz, cpus[i].requested_max_khz);
	print_deferred(out, directory, state->deferred_count);
	free(content);
	return true;
}

/* ---- The kernel's files ---- */

static void print_content(FILE *out, int directory, const char *name, const char *path)
{
	size_t size;
	char *content = read_file(directory, name, &size), *rest = content, *line;

	if (!content) {
		fprintf(out, "%s/%s: (%s)\n", path, name, strerror(errno));
		return;
	}
	while ((line = strsep(&rest, "\n")) && (*line || rest || line == content))
		fprintf(out, "%s/%s: %s\n", path, name, line);
	free(content);
}

static bool print_directory(FILE *out, int parent, const char *name, const char *path);

static bool print_entry(FILE *out, int directory, const char *name, const char *path)
{
	struct stat status;
	char *below;
	bool done;

	if (fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW))
		return false;
	if (!S_ISDIR(status.st_mode)) {
		print_content(out, directory, name, path);
		return true;
	}
	if (asprintf(&below, "%s/%s", path, name) < 0)
		return false;
	done = print_directory(out, directory, name, below);
	free(below);
	return done;
}

/** Each making of a machine is another boot: its id would tell equal machines apart. */
static int visible(const struct dirent *entry)
{
	return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
	       strcmp(entry->d_name, "boot_id") != 0;
}

static bool print_directory(FILE *out, int parent, const char *name, const char *path)
{
	int directory = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct dirent **entries = NULL;
	int count = directory < 0 ? -1 : scandirat(parent, name, &entries, visible, alphasort);
	bool done = count >= 0;

	fprintf(out, "%s/\n", path);
	for (int i = 0; i < count; i++) {
		done = done && print_entry(out, directory, entries[i]->d_name, path);
		free(entries[i]);
	}
	free(entries);
	if (directory >= 0)
		close(directory);
	return done;
}

static char *print_machine(const char *state_directory, bool files)
{
	int directory = open(state_directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char *text = NULL;
	size_t size;
	FILE *out = directory < 0 ? NULL : open_memstream(&text, &size);
	bool done = out && print_state(out, directory) &&
		    (!files || (print_directory(out, directory, "root", "") &&
				print_directory(out, directory, "hidden", "hidden")));

	if (out && fclose(out))
		done = false;
	if (directory >= 0)
		close(directory);
	if (done)
		return text;
	free(text);
	return NULL;
}

char *machine_snapshot(const char *state_directory)
{
	return print_machine(state_directory, true);
}

char *machine_snapshot_memory(const char *state_directory)
{
	return print_machine(state_directory, false);
}

/* ---- Differences ---- */

struct lines {
	char *text;
	char **line;
	size_t count;
};

static int compare_lines(const void *left, const void *right)
{
	return strcmp(*(char *const *)left, *(char *const *)right);
}

static bool split(struct lines *lines, const char *text)
{
	size_t most = 1;
	char *rest, *line;

	for (const char *c = text; *c; c++)
		most += *c == '\n';
	lines->text = strdup(text);
	lines->line = calloc(most, sizeof(*lines->line));
	rest = lines->text;
	while (rest && lines->line && (line = strsep(&rest, "\n")))
		if (*line)
			lines->line[lines->count++] = line;
	if (!lines->text || !lines->line)
		return false;
	qsort(lines->line, lines->count, sizeof(*lines->line), compare_lines);
	return true;
}

static void print_difference(FILE *out, const struct lines *a, const struct lines *b)
{
	size_t i = 0, j = 0;

	while (i < a->count || j < b->count) {
		int order = i == a->count ? 1 : j == b->count ? -1 : strcmp(a->line[i], b->line[j]);

		if (order < 0)
			fprintf(out, "- %s\n", a->line[i]);
		if (order > 0)
			fprintf(out, "+ %s\n", b->line[j]);
		i += order <= 0;
		j += order >= 0;
	}
}

char *snapshot_difference(const char *before, const char *after)
{
	struct lines a = { 0 }, b = { 0 };
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	bool done = out && split(&a, before) && split(&b, after);

	if (done)
		print_difference(out, &a, &b);
	if (out && fclose(out))
		done = false;
	free(a.text);
	free(a.line);
	free(b.text);
	free(b.line);
	if (done)
		return text;
	free(text);
	return NULL;
}
