/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The CPUs and memory nodes that tasks have chosen, which are those of the machine: tasks run, and
 * their memory is, where the real kernel puts them. What is chosen is inherited with the timer
 * slack (prctl(2)): the kernel hands it on to threads, children and programs, a server can read and
 * set it, and a few nanoseconds more delay nothing.
 */
#include "emulator/launch/placement.h"

#include "emulator/front/launch_files.h"
#include "emulator/launch/launch.h"
#include "isst.h"

#include <errno.h>
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

struct placement {
	char *cpus; /* a list; empty: all */
	int mode;   /* of the memory policy, with its flags */
	char *nodes;
};

/* What a task has chosen, which counts while it has no timer slack: a realtime task. */
struct choice {
	pid_t task;
	size_t placement;
};

struct placements {
	const struct isst_machine *machine;
	long slack; /* of a task with the first placement; each further one adds a nanosecond */
	struct placement *all; /* no two are equal; none is removed */
	size_t count;
	struct choice *choices;
	size_t choice_count;
};

int read_task_field(pid_t task, const char *name, char value[TASK_FIELD])
{
	char path[40], *line = NULL;
	size_t length = strlen(name), space = 0;
	int result = -ENOENT;
	FILE *stream;

	snprintf(path, sizeof(path), "/proc/%d/status", task);
	stream = fopen(path, "re");
	if (!stream)
		return -errno;
	while (result && getline(&line, &space, stream) > 0) {
		if (strncmp(line, name, length) != 0)
			continue;
		snprintf(value, TASK_FIELD, "%s", line + length);
		result = 0;
	}
	free(line);
	fclose(stream);
	return result;
}

/* ---- Sets of CPUs or nodes ---- */

static struct isst_cpuset *parse_set(const char *list)
{
	struct isst_cpuset *set = isst_cpuset_new();

	if (set && list && *list)
		isst_cpuset_add_list(set, list, NULL);
	return set;
}

/** A list of the machine's; NULL without memory. */
static struct isst_cpuset *read_set(const struct placements *placements, const char *path)
{
	char *list = launch_read(placements->machine, path);
	struct isst_cpuset *set;

	if (list)
		list[strcspn(list, "\n")] = '\0';
	set = parse_set(list);
	free(list);
	return set;
}

/** Keeps what is in both. Returns 0 or -ENOMEM. */
static int intersect(const struct isst_cpuset *one, const struct isst_cpuset *other,
		     struct isst_cpuset *both)
{
	unsigned int number;

	isst_cpuset_for_each (number, one)
		if (isst_cpuset_has(other, number) && isst_cpuset_add(both, number, number))
			return -ENOMEM;
	return 0;
}

/** The numbers that a machine has are below this one. */
static unsigned int end_of(const struct isst_cpuset *set)
{
	unsigned int number, end = 0;

	isst_cpuset_for_each (number, set)
		end = number + 1;
	return end;
}

static size_t mask_bytes(unsigned int bits)
{
	return (bits + BITS - 1) / BITS * sizeof(unsigned long);
}

static void fill_mask(const struct isst_cpuset *set, unsigned long *mask, size_t bytes)
{
	unsigned int number;

	memset(mask, 0, bytes);
	isst_cpuset_for_each (number, set)
		if (number / 8 < bytes)
			mask[number / BITS] |= 1UL << number % BITS;
}

/** Adds the bits of a mask. Returns 0 or -ENOMEM. */
static int add_mask(struct isst_cpuset *set, const unsigned long *mask, size_t bits)
{
	for (unsigned int i = 0; i < bits; i++)
		if (mask[i / BITS] >> i % BITS & 1 && isst_cpuset_add(set, i, i))
			return -ENOMEM;
	return 0;
}

/* ---- Placements of tasks ---- */

static FILE *open_slack(pid_t task, const char *mode)
{
	char path[40];

	snprintf(path, sizeof(path), "/proc/%d/timerslack_ns", task);
	return fopen(path, mode);
}

/** Reads the timer slack of a task; those of the system that may not be asked have none of ours.
 * Returns 0 or -ESRCH. */
static int read_slack(pid_t task, long *slack)
{
	FILE *file = task > 0 ? open_slack(task, "re") : NULL;
	char line[30];

	*slack = -1;
	if (!file)
		return -ESRCH;
	if (fgets(line, sizeof(line), file))
		*slack = strtol(line, NULL, 10);
	fclose(file);
	return 0;
}

static struct choice *find_choice(struct placements *placements, pid_t task)
{
	for (size_t i = 0; i < placements->choice_count; i++)
		if (placements->choices[i].task == task)
			return &placements->choices[i];
	return NULL;
}

/** Finds the placement of a task. Returns 0 or -ESRCH. */
static int find_placement(struct placements *placements, pid_t task, struct placement *placement)
{
	const struct choice *choice;
	size_t number;
	long slack;

	if (read_slack(task, &slack))
		return -ESRCH;
	number = (size_t)(slack - placements->slack);
	if (number >= placements->count) {
		choice = find_choice(placements, task);
		number = choice ? choice->placement : 0;
	}
	*placement = placements->all[number];
	return 0;
}

/** The number of a placement, which is added if it is new. Returns -ENOMEM, or the number. */
static long add_placement(struct placements *placements, const struct placement *wanted)
{
	struct placement *all, copy = { .mode = wanted->mode };

	for (size_t i = 0; i < placements->count; i++)
		if (placements->all[i].mode == wanted->mode &&
		    strcmp(placements->all[i].cpus, wanted->cpus) == 0 &&
		    strcmp(placements->all[i].nodes, wanted->nodes) == 0)
			return (long)i;

	all = reallocarray(placements->all, placements->count + 1, sizeof(*all));
	copy.cpus = strdup(wanted->cpus);
	copy.nodes = strdup(wanted->nodes);
	if (all)
		placements->all = all;
	if (!all || !copy.cpus || !copy.nodes) {
		free(copy.cpus);
		free(copy.nodes);
		return -ENOMEM;
	}
	all[placements->count] = copy;
	return (long)placements->count++;
}

static int keep_choice(struct placements *placements, pid_t task, size_t number)
{
	struct choice *choice = find_choice(placements, task);

	if (!choice) {
		choice = reallocarray(placements->choices, placements->choice_count + 1,
				      sizeof(*choice));
		if (!choice)
			return -ENOMEM;
		placements->choices = choice;
		choice += placements->choice_count++;
	}
	*choice = (struct choice){ task, number };
	return 0;
}

static int set_placement(struct placements *placements, pid_t task, const struct placement *wanted)
{
	long number = add_placement(placements, wanted);
	FILE *file;

	if (number < 0)
		return (int)number;
	file = open_slack(task, "we");
	if (!file)
		return errno == ENOENT ? -ESRCH : -EPERM;
	fprintf(file, "%ld", placements->slack + number);
	return fclose(file) ? -EPERM : keep_choice(placements, task, (size_t)number);
}

struct placements *placements_new(const struct isst_machine *machine)
{
	const struct placement first = { (char[]){ "" }, MPOL_DEFAULT, (char[]){ "" } };
	struct placements *placements = calloc(1, sizeof(*placements));

	if (!placements)
		return NULL;
	placements->machine = machine;
	if (read_slack(getpid(), &placements->slack) || add_placement(placements, &first) < 0) {
		placements_free(placements);
		return NULL;
	}
	return placements;
}

void placements_free(struct placements *placements)
{
	if (!placements)
		return;
	for (size_t i = 0; i < placements->count; i++) {
		free(placements->all[i].cpus);
		free(placements->all[i].nodes);
	}
	free(placements->all);
	free(placements->choices);
	free(placements);
}

/* ---- CPUs ---- */

/** The online CPUs that a task may run on, to be freed. As the kernel: a task whose CPUs are all
 * offline may run on any. Returns 0 or -errno. */
static int find_cpus(struct placements *placements, pid_t task, struct isst_cpuset **cpus)
{
	struct isst_cpuset *online = read_set(placements, ONLINE_CPUS), *chosen = NULL;
	struct placement placement;
	int result = find_placement(placements, task, &placement);

	*cpus = isst_cpuset_new();
	if (!result) {
		chosen = parse_set(placement.cpus);
		result = online && chosen && *cpus ? intersect(chosen, online, *cpus) : -ENOMEM;
	}
	if (!result && isst_cpuset_count(*cpus) == 0)
		result = isst_cpuset_add_set(*cpus, online) ? -ENOMEM : 0;
	isst_cpuset_free(online);
	isst_cpuset_free(chosen);
	return result;
}

static pid_t task_of(pid_t caller, __u64 argument)
{
	return (pid_t)argument ? (pid_t)argument : caller;
}

long get_affinity(struct placements *placements, pid_t caller, const __u64 *arguments)
{
	struct isst_cpuset *possible = read_set(placements, POSSIBLE_CPUS), *cpus = NULL;
	unsigned int end = possible ? end_of(possible) : 0;
	size_t size = (unsigned int)arguments[1], bytes = mask_bytes(end);
	unsigned long mask[CPUS / BITS];
	long result = -EINVAL;

	isst_cpuset_free(possible);
	if (size * 8 < end || size % sizeof(*mask) || end == 0 || end > CPUS)
		return end == 0 ? -ENOMEM : -EINVAL;
	result = find_cpus(placements, task_of(caller, arguments[0]), &cpus);
	if (bytes > size)
		bytes = size;
	if (!result) {
		fill_mask(cpus, mask, bytes);
		result = caller_write(caller, arguments[2], mask, bytes) ? 0 : -EFAULT;
	}
	isst_cpuset_free(cpus);
	return result ? result : (long)bytes;
}

/** Whether a task may place another one: of the same user, or with CAP_SYS_NICE, and none of the
 * system's. Returns 0, -EPERM or -ESRCH. */
static int check_permission(pid_t caller, pid_t task)
{
	enum { SYS_NICE = 23 };
	char path[40], mine[TASK_FIELD], its[TASK_FIELD], capabilities[TASK_FIELD];
	struct stat my_namespace, its_namespace;
	unsigned long ours, real, effective;
	char *end;

	if (read_task_field(task, "Uid:", its))
		return -ESRCH;
	snprintf(path, sizeof(path), "/proc/%d/ns/user", caller);
	if (stat(path, &my_namespace))
		return -EPERM;
	snprintf(path, sizeof(path), "/proc/%d/ns/user", task);
	if (stat(path, &its_namespace) || my_namespace.st_ino != its_namespace.st_ino ||
	    read_task_field(caller, "Uid:", mine) ||
	    read_task_field(caller, "CapEff:", capabilities))
		return -EPERM;
	/* The real id, then the effective one. */
	strtoul(mine, &end, 10);
	ours = strtoul(end, NULL, 10);
	real = strtoul(its, &end, 10);
	effective = strtoul(end, NULL, 10);
	return ours == real || ours == effective || strtoull(capabilities, NULL, 16) >> SYS_NICE & 1
		       ? 0
		       : -EPERM;
}

long set_affinity(struct placements *placements, pid_t caller, const __u64 *arguments)
{
	pid_t task = task_of(caller, arguments[0]);
	size_t size = (unsigned int)arguments[1];
	unsigned long mask[CPUS / BITS] = { 0 };
	struct isst_cpuset *asked = isst_cpuset_new(), *kept = isst_cpuset_new();
	struct isst_cpuset *online = read_set(placements, ONLINE_CPUS);
	struct placement placement;
	char *list = NULL;
	int result;

	if (size > sizeof(mask))
		size = sizeof(mask);
	result = caller_read(caller, arguments[2], mask, size) ? 0 : -EFAULT;
	if (!result)
		result = find_placement(placements, task, &placement);
	if (!result && task != caller)
		result = check_permission(caller, task);
	if (!result)
		result = asked && kept && online ? add_mask(asked, mask, size * 8) : -ENOMEM;
	if (!result)
		result = intersect(asked, online, kept);
	if (!result && isst_cpuset_count(kept) == 0)
		result = -EINVAL;
	if (!result) {
		placement.cpus = list = isst_cpuset_to_list(kept);
		result = list ? set_placement(placements, task, &placement) : -ENOMEM;
	}
	free(list);
	isst_cpuset_free(asked);
	isst_cpuset_free(kept);
	isst_cpuset_free(online);
	return result;
}

static void print_set(FILE *stream, const char *name, const struct isst_cpuset *set,
		      unsigned int bits)
{
	char *mask = set ? isst_cpuset_to_mask(set, bits) : NULL;
	char *list = set ? isst_cpuset_to_list(set) : NULL;

	if (mask && list)
		fprintf(stream, "%s:\t%s\n%s_list:\t%s\n", name, mask, name, list);
	free(mask);
	free(list);
}

void print_placement(struct placements *placements, pid_t task, FILE *stream)
{
	struct isst_cpuset *possible = read_set(placements, POSSIBLE_CPUS);
	struct isst_cpuset *nodes = read_set(placements, ONLINE_NODES), *cpus = NULL;

	if (possible && find_cpus(placements, task, &cpus) == 0)
		print_set(stream, "Cpus_allowed", cpus, end_of(possible));
	print_set(stream, "Mems_allowed", nodes, NODES);
	isst_cpuset_free(possible);
	isst_cpuset_free(nodes);
	isst_cpuset_free(cpus);
}

/* ---- Memory nodes ---- */

/** The nodes of a mask. The kernel takes one bit less than it is given. Returns 0 or -errno. */
static int take_nodes(pid_t caller, __u64 address, __u64 bits, struct isst_cpuset *nodes)
{
	unsigned long mask[LONGEST_MASK / BITS] = { 0 };
	unsigned long count = address && bits > 0 ? bits - 1 : 0;
	int result = count > LONGEST_MASK ? -EINVAL : 0;

	if (!result && count > 0)
		result = caller_read(caller, address, mask, mask_bytes((unsigned int)count))
				 ? 0
				 : -EFAULT;
	if (!result)
		result = add_mask(nodes, mask, count);
	return !result && end_of(nodes) > NODES ? -EINVAL : result;
}

/** Whether a mode can be had with these nodes, as they were asked for and as the machine has them.
 */
static bool policy_is_valid(int mode, const struct isst_cpuset *asked,
			    const struct isst_cpuset *kept)
{
	int plain = mode & ~MPOL_MODE_FLAGS;

	if (plain < 0 || plain >= MODES ||
	    (mode & MPOL_F_STATIC_NODES && mode & MPOL_F_RELATIVE_NODES))
		return false;
	if (plain == MPOL_DEFAULT || plain == MPOL_LOCAL)
		return isst_cpuset_count(asked) == 0;
	/* Without nodes MPOL_PREFERRED is MPOL_LOCAL. */
	if (plain == MPOL_PREFERRED && isst_cpuset_count(asked) == 0)
		return mode == plain;
	return isst_cpuset_count(kept) > 0;
}

/** Checks what a task asks for; @wanted gets the policy, whose nodes are to be freed. */
static int take_policy(struct placements *placements, pid_t caller, const __u64 *arguments,
		       struct placement *wanted)
{
	struct isst_cpuset *asked = isst_cpuset_new(), *kept = isst_cpuset_new();
	struct isst_cpuset *online = read_set(placements, ONLINE_NODES);
	int result = asked && kept && online ? 0 : -ENOMEM;

	wanted->mode = (int)arguments[0];
	wanted->nodes = NULL;
	if (!result)
		result = take_nodes(caller, arguments[1], arguments[2], asked);
	if (!result)
		result = intersect(asked, online, kept);
	if (!result && !policy_is_valid(wanted->mode, asked, kept))
		result = -EINVAL;
	if (!result) {
		if (wanted->mode == MPOL_PREFERRED && isst_cpuset_count(asked) == 0)
			wanted->mode = MPOL_LOCAL;
		wanted->nodes = isst_cpuset_to_list(kept);
		result = wanted->nodes ? 0 : -ENOMEM;
	}
	isst_cpuset_free(asked);
	isst_cpuset_free(kept);
	isst_cpuset_free(online);
	return result;
}

long set_memory_policy(struct placements *placements, pid_t caller, const __u64 *arguments)
{
	struct placement placement, policy;
	int result = find_placement(placements, caller, &placement);

	if (!result)
		result = take_policy(placements, caller, arguments, &policy);
	if (result)
		return result;
	policy.cpus = placement.cpus;
	result = set_placement(placements, caller, &policy);
	free(policy.nodes);
	return result;
}

long bind_memory(struct placements *placements, pid_t caller, const __u64 *arguments)
{
	enum { PAGE = 4096, FLAGS = MPOL_MF_STRICT | MPOL_MF_MOVE | MPOL_MF_MOVE_ALL };
	struct placement policy = { 0 };
	int result = -EINVAL;

	if (arguments[0] % PAGE == 0 && !(arguments[5] & ~(__u64)FLAGS))
		result = take_policy(placements, caller, arguments + 2, &policy);
	free(policy.nodes);
	return result;
}

/** What get_mempolicy(2) returns by these flags: a mode, or a node in its place, and nodes. */
static int look_up(struct placements *placements, pid_t caller, unsigned long flags, int *mode,
		   struct isst_cpuset **nodes)
{
	struct placement placement;
	unsigned int next = 0;
	int result = find_placement(placements, caller, &placement);

	*mode = 0;
	*nodes = NULL;
	if (result)
		return result;
	if (flags & MPOL_F_MEMS_ALLOWED) {
		if (flags & (MPOL_F_NODE | MPOL_F_ADDR))
			return -EINVAL;
		*nodes = read_set(placements, ONLINE_NODES);
		return *nodes ? 0 : -ENOMEM;
	}
	*nodes = parse_set(placement.nodes);
	if (!*nodes)
		return -ENOMEM;
	/* All memory is on the first node. */
	if (flags & MPOL_F_NODE && flags & MPOL_F_ADDR)
		return 0;
	*mode = placement.mode;
	if (flags & MPOL_F_NODE) {
		if ((*mode & ~MPOL_MODE_FLAGS) != MPOL_INTERLEAVE)
			return -EINVAL;
		isst_cpuset_next(*nodes, 0, &next);
		*mode = (int)next;
	}
	return 0;
}

long get_memory_policy(struct placements *placements, pid_t caller, const __u64 *arguments)
{
	__u64 mode_address = arguments[0], mask_address = arguments[1], bits = arguments[2];
	unsigned long mask[LONGEST_MASK / BITS], flags = arguments[4];
	struct isst_cpuset *online = read_set(placements, ONLINE_NODES), *nodes = NULL;
	int mode, result = -EINVAL;

	if (!online || flags & ~(unsigned long)(MPOL_F_NODE | MPOL_F_ADDR | MPOL_F_MEMS_ALLOWED) ||
	    (arguments[3] && !(flags & MPOL_F_ADDR)) ||
	    (mask_address && (bits > LONGEST_MASK + 1 || bits < end_of(online))))
		goto out;
	result = look_up(placements, caller, flags, &mode, &nodes);
	if (!result && mode_address)
		result = caller_write(caller, mode_address, &mode, sizeof(mode)) ? 0 : -EFAULT;
	if (!result && mask_address) {
		size_t bytes = mask_bytes((unsigned int)bits - 1);

		fill_mask(nodes, mask, bytes);
		result = caller_write(caller, mask_address, mask, bytes) ? 0 : -EFAULT;
	}
out:
	isst_cpuset_free(online);
	isst_cpuset_free(nodes);
	return result;
}
