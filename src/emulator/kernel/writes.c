/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a write to each of the kernel's files does, and how it is refused. The
 * rules of cgroups are in cgroup.c; locking and faults are not known here.
 */
#include "emulator/front/driver.h"
#include "emulator/state/server.h"
#include "emulator/text.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CPUS "/sys/devices/system/cpu"
#define UNCORE "/intel_uncore_frequency/"
#define CGROUPS "/sys/fs/cgroup"

/** A number as the kernel's strict parser reads it: base 0 takes 0x.. and 0.. for octal. */
static int parse_number(const char *text, unsigned int base, uint64_t max, uint64_t *value)
{
	bool prefixed;

	if (*text == '+')
		text++;
	prefixed = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	if (base == 0)
		base = prefixed ? 16 : text[0] == '0' && text[1] ? 8 : 10;
	return isst_parse_number(text, base, max, value) ? -EINVAL : 0;
}

/* ---- CPUs ---- */

static const struct platform_cpu *cpu_of_path(const struct server *server, const char *path)
{
	const char *at = strstr(path, "/cpu/cpu") + strlen("/cpu/cpu");

	return platform_cpu(server->platform, (unsigned int)strtoul(at, NULL, 10));
}

static struct cpu_state *state_of(const struct server *server, const struct platform_cpu *cpu)
{
	return state_cpu(server, (size_t)(cpu - server->platform->cpus));
}

static size_t count_online(const struct server *server)
{
	size_t count = 0;

	for (size_t i = 0; i < server->platform->cpu_count; i++)
		count += state_cpu(server, i)->online;
	return count;
}

static bool may_go_offline(const struct server *server, const struct platform_cpu *cpu)
{
	const struct isst_cpuset *refuse = server->platform->refuse_offline.set;

	return count_online(server) > 1 && !(refuse && isst_cpuset_has(refuse, cpu->number));
}

static int set_online(struct server *server, const struct platform_cpu *cpu, bool online)
{
	struct cpu_state *state = state_of(server, cpu);
	int result;

	if (state->online == online)
		return 0;
	if (!online && !may_go_offline(server, cpu))
		return -EBUSY;
	if (online && !smt_allows(server, cpu))
		return -EPERM;
	server->state->unfinished_cpu = (uint32_t)(cpu - server->platform->cpus) + 1;
	state->online = online;
	if (online) {
		state->seen = 1;
		msr_cpu_online(server, cpu);
	}
	result = tree_move_cpu(server, cpu);
	if (!result)
		result = groups_update(server);
	if (!result)
		server->state->unfinished_cpu = 0;
	return result;
}

static int write_online(struct server *server, const char *path, const char *text)
{
	bool online = strcmp(text, "1") == 0;

	if (!online && strcmp(text, "0") != 0)
		return -EINVAL;
	return set_online(server, cpu_of_path(server, path), online);
}

/** The second threads of cores: off takes them offline, on brings them back. */
static int set_siblings(struct server *server, bool online)
{
	const struct platform *platform = server->platform;
	int result = 0;

	for (size_t i = 0; i < platform->cpu_count && !result; i++)
		if (!platform->cpus[i].first_of_core)
			result = set_online(server, &platform->cpus[i], online);
	return result;
}

/** Once forced off it stays off until the next boot. */
static int write_smt(struct server *server, const char *path, const char *text)
{
	uint32_t wanted = SMT_ON, before = server->state->smt;
	int result;

	(void)path;
	while (wanted <= SMT_FORCE_OFF && strcmp(text, smt_controls[wanted]) != 0)
		wanted++;
	if (wanted > SMT_FORCE_OFF)
		return -EINVAL;
	if (before == SMT_FORCE_OFF)
		return -EPERM;
	if (before > SMT_FORCE_OFF)
		return -ENODEV;
	if (wanted == SMT_ON)
		server->state->smt = wanted;
	result = set_siblings(server, wanted == SMT_ON);
	if (!result)
		server->state->smt = wanted;
	return result ? result : tree_write_smt(server, server->directory);
}

/** How files of cpufreq answer while their CPU is offline: kernels since 5.19 to all with EBUSY;
 * those before let them be read, and take nothing. */
static int cpufreq_refusal(const struct server *server, const struct platform_cpu *cpu, bool write)
{
	if (!cpu || cpu_online(server, cpu))
		return 0;
	switch (server->platform->offline_cpufreq.value) {
	case OFFLINE_CPUFREQ_BUSY:
		return -EBUSY;
	case OFFLINE_CPUFREQ_READABLE:
		return write ? -EINVAL : 0;
	default:
		return 0;
	}
}

/** The user's limit is remembered as it is, whatever comes of it now. */
static int write_limit(struct server *server, const char *path, const char *text, bool max)
{
	const struct platform_cpu *cpu = cpu_of_path(server, path);
	struct cpu_state *state = state_of(server, cpu);
	uint64_t khz;
	int result = cpufreq_refusal(server, cpu, true);

	if (!result)
		result = parse_number(text, 0, NO_LIMIT_KHZ, &khz);
	if (result)
		return result;
	server->state->unfinished_domain = cpu->domain + 1;
	*(max ? &state->requested_max_khz : &state->requested_min_khz) = (uint32_t)khz;
	result = tree_write_limits(server, cpu);
	if (!result)
		server->state->unfinished_domain = 0;
	return result;
}

static int write_scaling_min(struct server *server, const char *path, const char *text)
{
	return write_limit(server, path, text, false);
}

static int write_scaling_max(struct server *server, const char *path, const char *text)
{
	return write_limit(server, path, text, true);
}

/** What cpufreq drivers offer: intel_pstate two policies of its own, others the kernel's governors.
 * The first word of @text counts. NULL: there is no such governor. */
static const char *find_governor(const struct platform *platform, const char *text)
{
	static const char *const governors[] = { "performance",	 "powersave", "ondemand",
						 "conservative", "userspace", "schedutil" };
	enum { OF_PSTATE = 2, OF_ALL = sizeof(governors) / sizeof(*governors) };
	bool pstate = strcmp(platform->cpufreq.text, "intel_pstate") == 0;
	const char *word = text + strspn(text, " \t\n");
	size_t length = strcspn(word, " \t\n");

	for (size_t i = 0; i < (pstate ? OF_PSTATE : OF_ALL); i++)
		if (strlen(governors[i]) == length && memcmp(word, governors[i], length) == 0)
			return governors[i];
	return NULL;
}

/** No frequency follows it: what the cores run at is not emulated. */
static int write_governor(struct server *server, const char *path, const char *text)
{
	const struct platform_cpu *cpu = cpu_of_path(server, path);
	const char *governor = find_governor(server->platform, text);
	int refusal = cpufreq_refusal(server, cpu, true);

	if (refusal)
		return refusal;
	return governor ? tree_write_governor(server, cpu, governor) : -EINVAL;
}

static bool pstate_is_off(const struct server *server)
{
	return strcmp(server->platform->pstate.text, "off") == 0;
}

static int write_no_turbo(struct server *server, const char *path, const char *text)
{
	uint32_t no_turbo = strcmp(text, "1") == 0;
	int result;

	(void)path;
	if (pstate_is_off(server))
		return -EAGAIN;
	if (!no_turbo && strcmp(text, "0") != 0)
		return -EINVAL;
	if (!no_turbo && !server->platform->bios_turbo.value)
		return -EPERM;
	if (no_turbo == server->state->no_turbo)
		return 0;
	server->state->unfinished_turbo = 1;
	server->state->no_turbo = no_turbo;
	result = tree_write_turbo(server);
	if (!result)
		server->state->unfinished_turbo = 0;
	return result;
}

/* ---- Uncore ---- */

enum { UNCORE_STEP_KHZ = 100000, UNCORE_MOST_STEPS = 127 };

/** The domain that a file is for, or the first of the package that it is for. */
static bool domain_of_path(const struct server *server, const char *path, size_t *domain,
			   bool *package)
{
	const char *name = strstr(path, UNCORE) + strlen(UNCORE);
	const char *end = strchr(name, '/');
	char *copy = strndup(name, (size_t)(end - name));
	bool found = copy && uncore_find(server, copy, domain, package);

	free(copy);
	return found;
}

static void set_uncore(struct server *server, size_t index, uint32_t khz, bool max)
{
	struct domain_state *state = state_domain(server, index);

	*(max ? &state->uncore_max_khz : &state->uncore_min_khz) = khz;
}

/** A power domain stays within what was last set for its package. */
static bool within_package(const struct server *server, size_t index, uint32_t khz, bool max)
{
	const struct domain_state *package = state_msrs(server, index);

	return max ? !package->package_max_khz || khz <= package->package_max_khz
		   : !package->package_min_khz || khz >= package->package_min_khz;
}

/** All power domains of a package, which begins with domain @index. */
static void set_package_uncore(struct server *server, size_t index, uint32_t khz, bool max)
{
	const struct platform *platform = server->platform;
	struct domain_state *package = state_domain(server, index);

	*(max ? &package->package_max_khz : &package->package_min_khz) = khz;
	for (size_t i = index; i < platform->domain_count &&
			       platform->domains[i].package == platform->domains[index].package;
	     i++)
		set_uncore(server, i, khz, max);
}

/** Nothing compares the two limits. */
static int write_uncore(struct server *server, const char *path, const char *text, bool max)
{
	size_t index;
	bool package;
	uint64_t khz;

	if (!domain_of_path(server, path, &index, &package))
		return -ENOENT;
	if (parse_number(text, 10, UINT32_MAX, &khz) || khz / UNCORE_STEP_KHZ < 1 ||
	    khz / UNCORE_STEP_KHZ > UNCORE_MOST_STEPS)
		return -EINVAL;
	if (!server->platform->uncore_writable.value)
		return -EPERM;
	khz = khz / UNCORE_STEP_KHZ * UNCORE_STEP_KHZ;
	if (!package && !within_package(server, index, (uint32_t)khz, max))
		return -EINVAL;
	server->state->unfinished_domain = (uint32_t)index + 1;
	if (package)
		set_package_uncore(server, index, (uint32_t)khz, max);
	else
		set_uncore(server, index, (uint32_t)khz, max);
	if (uncore_write(server, index))
		return -EIO;
	server->state->unfinished_domain = 0;
	return 0;
}

static int write_uncore_min(struct server *server, const char *path, const char *text)
{
	return write_uncore(server, path, text, false);
}

static int write_uncore_max(struct server *server, const char *path, const char *text)
{
	return write_uncore(server, path, text, true);
}

/* ---- All files ---- */

/* 100 + 6 * NR_CPUS bytes, and the CPUs that kernel_max promises. */
enum { PAGE_BYTES = 4096, CPUS_BYTES = 100 + 6 * 8192 };

/** Files that can be written to. All others refuse. */
static const struct {
	const char *pattern;
	int (*react)(struct server *server, const char *path, const char *text);
	size_t longest;
	bool stripped; /* of white space at both ends; else of one newline at the end */
} reactions[] = {
	{ CPUS "/cpu[0-9]*/online", write_online, PAGE_BYTES, false },
	{ CPUS "/cpu[0-9]*/cpufreq/scaling_min_freq", write_scaling_min, PAGE_BYTES, false },
	{ CPUS "/cpu[0-9]*/cpufreq/scaling_max_freq", write_scaling_max, PAGE_BYTES, false },
	{ CPUS "/cpu[0-9]*/cpufreq/scaling_governor", write_governor, PAGE_BYTES, false },
	{ CPUS "/smt/control", write_smt, PAGE_BYTES, false },
	{ CPUS "/intel_pstate/no_turbo", write_no_turbo, PAGE_BYTES, false },
	{ CPUS "/intel_uncore_frequency/package_*/min_freq_khz", write_uncore_min, PAGE_BYTES,
	  false },
	{ CPUS "/intel_uncore_frequency/package_*/max_freq_khz", write_uncore_max, PAGE_BYTES,
	  false },
	{ CPUS "/intel_uncore_frequency/uncore*/min_freq_khz", write_uncore_min, PAGE_BYTES,
	  false },
	{ CPUS "/intel_uncore_frequency/uncore*/max_freq_khz", write_uncore_max, PAGE_BYTES,
	  false },
	{ CGROUPS "/cgroup.subtree_control", groups_write_control, PAGE_BYTES, true },
	{ CGROUPS "/*/cpuset.cpus", groups_write_cpus, CPUS_BYTES, true },
	{ CGROUPS "/*/cpuset.cpus.partition", groups_write_partition, PAGE_BYTES, true },
};

static int react(struct server *server, size_t index, const char *path, const char *content,
		 size_t size)
{
	char *text, *start;
	int result;

	if (size > reactions[index].longest)
		return -E2BIG;
	text = strndup(content, size);
	if (!text)
		return -ENOMEM;
	start = text;
	if (reactions[index].stripped)
		start = trim(text);
	else if (*text && text[strlen(text) - 1] == '\n')
		text[strlen(text) - 1] = '\0';
	result = reactions[index].react(server, path, start);
	free(text);
	return result;
}

int write_react(struct server *server, const char *path, const char *content, size_t size)
{
	const char *below = path + strspn(path, "/");
	struct stat status;

	if (fstatat(server->root, *below ? below : ".", &status, AT_SYMLINK_NOFOLLOW))
		return -errno;
	if (S_ISDIR(status.st_mode))
		return -EISDIR;
	for (size_t i = 0; i < sizeof(reactions) / sizeof(*reactions); i++)
		if (fnmatch(reactions[i].pattern, path, FNM_PATHNAME) == 0)
			return react(server, i, path, content, size);
	return -EACCES;
}

int read_refusal(const struct server *server, const char *path)
{
	if (pstate_is_off(server) && strcmp(path, CPUS "/intel_pstate/no_turbo") == 0)
		return -EAGAIN;
	if (fnmatch(CPUS "/cpu[0-9]*/cpufreq/*", path, FNM_PATHNAME) == 0 &&
	    faccessat(server->root, path + 1, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
		return cpufreq_refusal(server, cpu_of_path(server, path), false);
	return 0;
}
