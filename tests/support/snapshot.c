/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads a state directory; knows the layout of the emulator's state, and nothing of machines. */
#include "support/snapshot.h"

#include "emulator/state/state.h"

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
static void print_deferred(FILE *out, uint32_t count, const struct deferred *deferred)
{
	for (uint32_t i = 0; i < count; i++) {
		fprintf(out, "deferred %u: 0x%" PRIx64, i, deferred[i].request);
		for (size_t byte = 0; byte < sizeof(deferred[i].entry); byte++)
			fprintf(out, " %02x", deferred[i].entry[byte]);
		fprintf(out, "\n");
	}
}

static void print_group(FILE *out, const struct group *group)
{
	fprintf(out, "group %s: %u %u", group->name, group->wanted, group->flaw);
	for (size_t i = 0; i < sizeof(group->cpus.word) / sizeof(*group->cpus.word); i++)
		if (group->cpus.word[i])
			fprintf(out, " %zu:%" PRIx64, i, group->cpus.word[i]);
	fputc('\n', out);
}

static void print_cpu(FILE *out, uint32_t index, const struct cpu_state *cpu)
{
	fprintf(out, "cpu at %u: online %u limits %u %u\n", index, cpu->online,
		cpu->requested_min_khz, cpu->requested_max_khz);
	if (cpu->governor)
		fprintf(out, "cpu at %u governor: %u\n", index, cpu->governor);
	if (cpu->preference || cpu->idle_disabled)
		fprintf(out, "cpu at %u preference: %u, idle states: 0x%x\n", index,
			cpu->preference, cpu->idle_disabled);
}

static void print_state(FILE *out, const struct state *state)
{
	const struct domain_state *domains = (const void *)(state + 1);
	const uint64_t *registers = (const void *)(domains + state->domain_count);
	const struct cpu_state *cpus = (const void *)(registers + state->register_count);
	const struct kept_set *kept = (const void *)(cpus + state->cpu_count);
	const struct deferred *deferred = (const void *)(kept + state->kept_count);
	const struct group *groups;

	fprintf(out, "no-turbo: %u\nsmt: %u\ncontrollers: 0x%x\n", state->no_turbo, state->smt,
		state->controllers);
	fprintf(out, "rcu: %d %d\n", state->rcu_expedited, state->rcu_normal);
	for (uint32_t i = 0; i < state->domain_count; i++)
		print_domain(out, i, &domains[i]);
	for (uint32_t i = 0; i < state->domain_count; i++)
		print_registers(out, i, &domains[i], registers);
	for (uint32_t i = 0; i < state->cpu_count; i++)
		print_cpu(out, i, &cpus[i]);
	print_deferred(out, state->deferred_count, deferred);
	groups = (const void *)(deferred + state->deferred_count);
	for (uint32_t i = 0; i < state->group_count; i++)
		print_group(out, &groups[i]);
}

/** What the slot that counts holds; NULL where the file is not of this format. */
static const struct state *find_state(const char *content, size_t size)
{
	const struct state_head *head = (const void *)content;
	size_t at;

	if (!content || size < STATE_HEAD_BYTES || head->format != STATE_FORMAT)
		return NULL;
	at = STATE_HEAD_BYTES + head->capacity * (head->generation % STATE_SLOTS);
	return at + head->sizes[head->generation % STATE_SLOTS] <= size
		       ? (const void *)(content + at)
		       : NULL;
}

char *machine_snapshot(const char *state_directory)
{
	int directory = open(state_directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	size_t size = 0;
	char *content = directory < 0 ? NULL : read_file(directory, "state", &size), *text = NULL;
	const struct state *state = find_state(content, size);
	FILE *out = state ? open_memstream(&text, &size) : NULL;

	if (out)
		print_state(out, state);
	if (out && fclose(out)) {
		free(text);
		text = NULL;
	}
	free(content);
	if (directory >= 0)
		close(directory);
	if (!state)
		errno = EINVAL;
	return text;
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
