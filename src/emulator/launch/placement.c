/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The CPUs and memory nodes that tasks have chosen, which are those of the machine: tasks run, and
 * their memory is, where the real kernel puts them. What is chosen is inherited with the timer
 * slack (prctl(2)): the kernel hands it on to threads, children and programs, a server can read and
 * set it, and a few nanoseconds more delay nothing.
 */
#include "emulator/launch/launch.h"

#include "common/numbered.h"
#include "emulator/model/task.h"
#include "emulator/model/text.h"
#include "isst.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/mempolicy.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BITS = 8 * sizeof(unsigned long), MODES = 7 }; /* to MPOL_WEIGHTED_INTERLEAVE */
/* Limits of the kernel: nodes; the longest mask of nodes; CPUs. */
enum { NODES = 1024, LONGEST_MASK = 4096 * 8, CPUS = 8192 };

#define ONLINE_CPUS "/sys/devices/system/cpu/online"
#define POSSIBLE_CPUS "/sys/devices/system/cpu/possible"
#define ONLINE_NODES "/sys/devices/system/node/online"

/* CPUs or nodes, as the kernel's masks are. */
struct set {
	unsigned long bits[CPUS / BITS];
};

struct placement {
	struct set cpus; /* empty: all */
	struct set nodes;
	long mode; /* of the memory policy, with its flags */
};

/* What a task has chosen, which counts while it has no timer slack: a realtime task. */
struct choice {
	pid_t task;
	size_t placement;
};
enum { CHOICES = 1 << 12 };

static struct {
	struct emulated *emulated;
	long slack; /* of a task with the first placement; each further one adds a nanosecond */
	struct placement *all; /* no two are equal; none is removed */
	size_t count;
	struct choice choices[CHOICES]; /* by the number of the task; a later one replaces it */
} placements;

/* ---- Sets of CPUs or nodes ---- */

static bool set_has(const struct set *set, size_t number)
{
	return set->bits[number / BITS] >> number % BITS & 1;
}

/** A list of the machine's. */
static struct set read_set(const char *path)
{
	char *list = files_content(placements.emulated, path), *at = list;
	struct set set = { { 0 } };

	while (at && *at >= '0' && *at <= '9') {
		unsigned long number = strtoul(at, &at, 10);
		unsigned long last = *at == '-' ? strtoul(at + 1, &at, 10) : number;

		for (; number <= last && number < CPUS; number++)
			set.bits[number / BITS] |= 1UL << number % BITS;
		at += *at == ',';
	}
	free(list);
	return set;
}

static struct set intersect(const struct set *one, const struct set *other)
{
	struct set both;

	for (size_t i = 0; i < CPUS / BITS; i++)
		both.bits[i] = one->bits[i] & other->bits[i];
	return both;
}

/** The numbers of a set are below this one. */
static size_t end_of(const struct set *set)
{
	size_t end = CPUS;

	while (end > 0 && !set_has(set, end - 1))
		end--;
	return end;
}

static size_t mask_bytes(size_t bits)
{
	return (bits + BITS - 1) / BITS * sizeof(unsigned long);
}

/* ---- Placements of tasks ---- */

/** Reads the timer slack of a task; those of the system that may not be asked have none of ours.
 * Returns 0 or -ESRCH. */
static int read_slack(pid_t task, long *slack)
{
	char path[40], *text = NULL;
	size_t size;
	int result;

	snprintf(path, sizeof(path), "/proc/%d/timerslack_ns", task);
	result = text_read(AT_FDCWD, path, &text, &size);
	*slack = result ? -1 : strtol(text, NULL, 10);
	free(text);
	return result == -ENOENT || result == -ESRCH ? -ESRCH : 0;
}

/** Finds the placement of a task. Returns 0 or -ESRCH. */
static int find_placement(pid_t task, struct placement *placement)
{
	struct choice choice;
	size_t number;
	long slack;

	if (read_slack(task, &slack))
		return -ESRCH;
	number = (size_t)(slack - placements.slack);
	choice = placements.choices[task % CHOICES];
	if (number >= placements.count)
		number = choice.task == task ? choice.placement : 0;
	*placement = placements.all[number];
	return 0;
}

/** The number of a placement, which is added if it is new. Returns -ENOMEM, or the number. */
static long add_placement(const struct placement *wanted)
{
	struct placement *all;

	for (size_t i = 0; i < placements.count; i++)
		if (memcmp(&placements.all[i], wanted, sizeof(*wanted)) == 0)
			return (long)i;
	all = reallocarray(placements.all, placements.count + 1, sizeof(*all));
	if (!all)
		return -ENOMEM;
	placements.all = all;
	all[placements.count] = *wanted;
	return (long)placements.count++;
}

static int set_placement(pid_t task, const struct placement *wanted)
{
	const long number = add_placement(wanted);
	char slack[30];
	int result;

	if (number < 0)
		return (int)number;
	snprintf(slack, sizeof(slack), "%ld", placements.slack + number);
	result = task_put(task, "timerslack_ns", slack);
	if (result)
		return result == -ENOENT ? -ESRCH : -EPERM;
	placements.choices[task % CHOICES] = (struct choice){ task, (size_t)number };
	return 0;
}

bool placements_begin(struct emulated *emulated)
{
	const struct placement first = { .mode = MPOL_DEFAULT };

	placements.emulated = emulated;
	return read_slack(getpid(), &placements.slack) == 0 && add_placement(&first) == 0;
}

/* ---- CPUs ---- */

/** The online CPUs that a task may run on. As the kernel: a task whose CPUs are all offline may run
 * on any. Returns 0 or -ESRCH. */
static int find_cpus(pid_t task, struct set *cpus)
{
	const struct set online = read_set(ONLINE_CPUS);
	struct placement placement;
	int result = find_placement(task, &placement);

	if (result)
		return result;
	*cpus = intersect(&placement.cpus, &online);
	if (end_of(cpus) == 0)
		*cpus = online;
	return 0;
}

long get_affinity(pid_t caller, const __u64 *arguments)
{
	const struct set possible = read_set(POSSIBLE_CPUS);
	const size_t end = end_of(&possible), size = (unsigned int)arguments[1];
	struct set cpus;
	int result;

	if (end == 0)
		return -ENOMEM;
	if (size * 8 < end || size % sizeof(unsigned long))
		return -EINVAL;
	result = find_cpus((pid_t)arguments[0] ? (pid_t)arguments[0] : caller, &cpus);
	if (!result && !caller_write(caller, arguments[2], cpus.bits, mask_bytes(end)))
		result = -EFAULT;
	return result ? result : (long)mask_bytes(end);
}

static ino_t user_namespace_of(pid_t task)
{
	char path[40];
	struct stat status;

	snprintf(path, sizeof(path), "/proc/%d/ns/user", task);
	return stat(path, &status) ? 0 : status.st_ino;
}

/** Whether a task may place another one: of the same user, or with CAP_SYS_NICE, and none of the
 * system's. Returns 0, -EPERM or -ESRCH. */
static int check_permission(pid_t caller, pid_t task)
{
	unsigned long ours, real, effective;
	char mine[TASK_FIELD] = "", its[TASK_FIELD], *end;

	if (read_task_field(task, "Uid:", its))
		return -ESRCH;
	if (user_namespace_of(caller) != user_namespace_of(task))
		return -EPERM;
	read_task_field(caller, "Uid:", mine);
	/* The real id, then the effective one. */
	strtoul(mine, &end, 10);
	ours = strtoul(end, NULL, 10);
	real = strtoul(its, &end, 10);
	effective = strtoul(end, NULL, 10);
	return ours == real || ours == effective || task_mask(caller, "CapEff:") >> CAP_SYS_NICE & 1
		       ? 0
		       : -EPERM;
}

long set_affinity(pid_t caller, const __u64 *arguments)
{
	const struct set online = read_set(ONLINE_CPUS);
	pid_t task = (pid_t)arguments[0] ? (pid_t)arguments[0] : caller;
	size_t size = (unsigned int)arguments[1];
	struct placement placement;
	struct set asked = { { 0 } };
	int result;

	if (size > sizeof(asked))
		size = sizeof(asked);
	if (!caller_read(caller, arguments[2], asked.bits, size))
		return -EFAULT;
	result = find_placement(task, &placement);
	if (!result && task != caller)
		result = check_permission(caller, task);
	if (result)
		return result;
	placement.cpus = intersect(&asked, &online);
	return end_of(&placement.cpus) == 0 ? -EINVAL : set_placement(task, &placement);
}

static void print_set(FILE *stream, const char *name, const struct set *set, size_t bits)
{
	struct isst_cpuset *numbers = isst_cpuset_new();
	char *mask, *list;

	for (unsigned int i = 0; numbers && i < CPUS; i++)
		if (set_has(set, i) && isst_cpuset_add(numbers, i, i))
			break;
	mask = numbers ? numbers_mask(numbers, (unsigned int)bits) : NULL;
	list = numbers ? isst_cpuset_to_list(numbers) : NULL;
	if (mask && list)
		fprintf(stream, "%s:\t%s\n%s_list:\t%s\n", name, mask, name, list);
	free(mask);
	free(list);
	isst_cpuset_free(numbers);
}

void print_placement(pid_t task, FILE *stream)
{
	const struct set possible = read_set(POSSIBLE_CPUS), nodes = read_set(ONLINE_NODES);
	struct set cpus;

	if (find_cpus(task, &cpus) == 0)
		print_set(stream, "Cpus_allowed", &cpus, end_of(&possible));
	print_set(stream, "Mems_allowed", &nodes, NODES);
}

/* ---- Memory nodes ---- */

/** The nodes of a mask. The kernel takes one bit less than it is given. Returns 0 or -errno. */
static int take_nodes(pid_t caller, __u64 address, __u64 bits, struct set *nodes)
{
	unsigned long mask[LONGEST_MASK / BITS] = { 0 };
	const size_t count = address && bits > 0 ? bits - 1 : 0;

	if (count > LONGEST_MASK)
		return -EINVAL;
	if (count > 0 && !caller_read(caller, address, mask, mask_bytes(count)))
		return -EFAULT;
	if (count % BITS)
		mask[count / BITS] &= (1UL << count % BITS) - 1;
	for (size_t i = NODES / BITS; i < LONGEST_MASK / BITS; i++)
		if (mask[i])
			return -EINVAL;
	memcpy(nodes->bits, mask, NODES / 8);
	return 0;
}

/** Whether a mode can be had with these nodes, as they were asked for and as the machine has them.
 */
static bool policy_is_valid(int mode, const struct set *asked, const struct set *kept)
{
	int plain = mode & ~MPOL_MODE_FLAGS;

	if (plain < 0 || plain >= MODES ||
	    (mode & MPOL_F_STATIC_NODES && mode & MPOL_F_RELATIVE_NODES))
		return false;
	if (plain == MPOL_DEFAULT || plain == MPOL_LOCAL)
		return end_of(asked) == 0;
	/* Without nodes MPOL_PREFERRED is MPOL_LOCAL. */
	if (plain == MPOL_PREFERRED && end_of(asked) == 0)
		return mode == plain;
	return end_of(kept) > 0;
}

/** Takes the policy that a task asks for. Returns 0 or -errno. */
static int take_policy(pid_t caller, const __u64 *arguments, struct placement *wanted)
{
	const struct set online = read_set(ONLINE_NODES);
	const int mode = (int)arguments[0];
	struct set asked = { { 0 } };
	int result = take_nodes(caller, arguments[1], arguments[2], &asked);

	if (result)
		return result;
	wanted->nodes = intersect(&asked, &online);
	wanted->mode = mode == MPOL_PREFERRED && end_of(&asked) == 0 ? MPOL_LOCAL : mode;
	return policy_is_valid(mode, &asked, &wanted->nodes) ? 0 : -EINVAL;
}

long set_memory_policy(pid_t caller, const __u64 *arguments)
{
	struct placement placement;
	int result = find_placement(caller, &placement);

	if (!result)
		result = take_policy(caller, arguments, &placement);
	return result ? result : set_placement(caller, &placement);
}

long bind_memory(pid_t caller, const __u64 *arguments)
{
	enum { PAGE = 4096, FLAGS = MPOL_MF_STRICT | MPOL_MF_MOVE | MPOL_MF_MOVE_ALL };
	struct placement policy;

	return arguments[0] % PAGE == 0 && !(arguments[5] & ~(__u64)FLAGS)
		       ? take_policy(caller, arguments + 2, &policy)
		       : -EINVAL;
}

/** What get_mempolicy(2) returns by these flags: a node in place of the mode, other nodes. Returns
 * 0 or -EINVAL. */
static int look_up(unsigned long flags, struct placement *placement)
{
	const int mode = (int)placement->mode & ~MPOL_MODE_FLAGS;

	if (flags == 0 || flags == MPOL_F_ADDR)
		return 0;
	/* All memory is on the first node. */
	placement->mode = 0;
	if (flags == MPOL_F_MEMS_ALLOWED) {
		placement->nodes = read_set(ONLINE_NODES);
		return 0;
	}
	if (flags == MPOL_F_NODE && mode == MPOL_INTERLEAVE)
		while (!set_has(&placement->nodes, (size_t)placement->mode))
			placement->mode++;
	else if (flags != (MPOL_F_NODE | MPOL_F_ADDR))
		return -EINVAL;
	return 0;
}

long get_memory_policy(pid_t caller, const __u64 *arguments)
{
	const struct set online = read_set(ONLINE_NODES);
	const __u64 mode_address = arguments[0], mask_address = arguments[1], bits = arguments[2];
	unsigned long mask[LONGEST_MASK / BITS] = { 0 };
	struct placement placement;
	int mode, result;

	if ((arguments[3] && !(arguments[4] & MPOL_F_ADDR)) ||
	    (mask_address && (bits == 0 || bits > LONGEST_MASK + 1 || bits < end_of(&online))))
		return -EINVAL;
	result = find_placement(caller, &placement);
	if (!result)
		result = look_up(arguments[4], &placement);
	if (result)
		return result;
	mode = (int)placement.mode;
	memcpy(mask, &placement.nodes, sizeof(placement.nodes));
	if ((mode_address && !caller_write(caller, mode_address, &mode, sizeof(mode))) ||
	    (mask_address && !caller_write(caller, mask_address, mask, mask_bytes(bits - 1))))
		return -EFAULT;
	return 0;
}
