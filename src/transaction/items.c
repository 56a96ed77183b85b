/* SPDX-License-Identifier: BSD-3-Clause */
/* The kinds of items: a table of how each is named and compared. */
#include "transaction/items.h"
#include "sysfs/cpuset_groups.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct item_row KINDS[ITEM_KINDS] = {
	/* The driver of TPMI gives up after 20 ms, which is not enough for all firmware. */
	[ITEM_LEVEL] = { "level", "performance level", NULL, false, AS_NUMBER, 3000, false },
	[ITEM_FEATURES] = { "features", "turbo-freq and base-freq", NULL, false, AS_FEATURES, 100,
			    false },
	[ITEM_CORE_POWER] = { "core-power", "core-power", NULL, false, AS_SWITCH, 100, false },
	[ITEM_QOS] = { "qos", "CLOS and priority type", NULL, false, AS_WORD, 100, false },
	[ITEM_CLOS] = { "clos", "CLOS", "CLOS", false, AS_WORD, 0, true },
	[ITEM_ASSOCIATION] = { "association", "CLOS of core", "core", false, AS_NUMBER, 0, false },
	[ITEM_TURBO_RATIO_LIMITS] = { "turbo-ratio-limits", "turbo ratio limits", NULL, false,
				      AS_WORD, 0, true },
	[ITEM_ONLINE] = { "online", "online", "CPU", true, AS_SWITCH, 0, false },
	/* The kernel applies these limits a little later, in a work queue. */
	[ITEM_SCALING_MAX] = { "scaling-max", "scaling_max_freq", "CPU", true, AS_KHZ, 200, true },
	[ITEM_SCALING_MIN] = { "scaling-min", "scaling_min_freq", "CPU", true, AS_KHZ, 200, true },
	[ITEM_UNCORE_MAX] = { "uncore-max", "uncore max_freq_khz", NULL, false, AS_KHZ, 0, true },
	[ITEM_UNCORE_MIN] = { "uncore-min", "uncore min_freq_khz", NULL, false, AS_KHZ, 0, true },
	[ITEM_PARTITION] = { "partition", "cpuset partition", NULL, false, AS_TEXT, 0, false },
	[ITEM_CPUSETS] = { "cpusets", "cpuset controller of /sys/fs/cgroup", NULL, false, AS_SWITCH,
			   0, false },
	[ITEM_RCU_EXPEDITED] = { "rcu-expedited", "/sys/kernel/rcu_expedited", NULL, false,
				 AS_SWITCH, 0, false },
	[ITEM_CPUSET_GROUPS] = { "cpuset-groups", "cpuset.cpus of cgroup v1", NULL, false, AS_TEXT,
				 0, false },
};

/**
 * Where a package is split into power domains their numbers identify them; which die one is on is
 * not known while none of its CPUs is online. The name of a group has the die in it.
 */
static unsigned int die_of(enum item_kind kind, const struct isst_domain *domain)
{
	return topology_domain(domain)->split && kind != ITEM_PARTITION ? 0 : domain->die;
}

/** MSR 0x1ad is a register of the package, also where that is split into power domains. */
static bool is_shared_kind(enum item_kind kind, const struct isst_domain *domain)
{
	return kind == ITEM_TURBO_RATIO_LIMITS && topology_domain(domain)->split;
}

struct item item_of(enum item_kind kind, const struct isst_domain *domain, unsigned int index)
{
	if (is_shared_kind(kind, domain))
		return (struct item){ kind, domain->package, 0, ALL_POWER_DOMAINS, index };
	return (struct item){ kind, domain->package, die_of(kind, domain), domain->number, index };
}

bool item_is_shared(const struct item *item)
{
	return item->domain == ALL_POWER_DOMAINS;
}

void item_normalize(const struct isst_context *context, struct item *item)
{
	const struct topology_domain *domain = NULL;

	/* A journal can be discarded before the machine is discovered. */
	if (context->topology)
		domain = topology_find_domain(context->topology, item->package, item->die,
					      item->domain);
	if (domain && item->kind != ITEM_ONLINE && !item_is_of_machine(item))
		*item = item_of(item->kind, &domain->public, item->index);
}

bool item_is_of_package(const struct item *item)
{
	return (item->kind == ITEM_UNCORE_MAX || item->kind == ITEM_UNCORE_MIN) &&
	       item->index == UNCORE_OF_PACKAGE;
}

struct item item_of_cpu(unsigned int cpu)
{
	return (struct item){ .kind = ITEM_ONLINE, .index = cpu };
}

struct item item_of_cpusets(void)
{
	return (struct item){ .kind = ITEM_CPUSETS };
}

struct item item_of_rcu(void)
{
	return (struct item){ .kind = ITEM_RCU_EXPEDITED };
}

struct item item_of_cpuset_groups(void)
{
	return (struct item){ .kind = ITEM_CPUSET_GROUPS };
}

bool item_is_of_machine(const struct item *item)
{
	return item->kind == ITEM_CPUSETS || item->kind == ITEM_RCU_EXPEDITED ||
	       item->kind == ITEM_CPUSET_GROUPS;
}

/** The names of groups as administrators know them. */
char *item_partition_name(const struct item *item)
{
	char *name;

	return asprintf(&name, "%u-%u-%u", item->package, item->die, item->domain) < 0 ? NULL
										       : name;
}

int item_value_set_text(struct isst_context *context, struct item_value *value, const char *text)
{
	struct messages *messages = &context->messages;
	bool before = messages->lost, lost;

	messages->lost = false;
	value->text = message_make(messages, "%s", text);
	lost = messages->lost;
	messages->lost |= before;
	return lost ? -ENOMEM : 0;
}

bool item_same_domain(const struct item *a, const struct item *b)
{
	return a->package == b->package && a->die == b->die && a->domain == b->domain;
}

bool item_reaches_domain(const struct item *item, const struct item *domain)
{
	if (item_is_shared(item) || item_is_shared(domain))
		return item->package == domain->package;
	return item_same_domain(item, domain);
}

bool item_is(const struct item *a, const struct item *b)
{
	/* The index of ITEM_FEATURES is part of the request, not of the name. */
	return a->kind == b->kind && a->package == b->package && a->die == b->die &&
	       a->domain == b->domain && (a->index == b->index || a->kind == ITEM_FEATURES);
}

int item_compare(const struct item *a, const struct item *b)
{
	const unsigned int left[] = { a->kind, a->package, a->die, a->domain,
				      a->kind == ITEM_FEATURES ? 0 : a->index };
	const unsigned int right[] = { b->kind, b->package, b->die, b->domain,
				       b->kind == ITEM_FEATURES ? 0 : b->index };

	for (size_t i = 0; i < sizeof(left) / sizeof(left[0]); i++)
		if (left[i] != right[i])
			return left[i] < right[i] ? -1 : 1;
	return 0;
}

bool item_value_equal(const struct item *item, struct item_value a, struct item_value b)
{
	if (item->kind == ITEM_CPUSET_GROUPS)
		return cpuset_groups_equal(a.text ? a.text : "", b.text ? b.text : "");
	if (KINDS[item->kind].format == AS_TEXT)
		return strcmp(a.text ? a.text : "", b.text ? b.text : "") == 0;
	return a.number == b.number;
}

bool item_value_serves(const struct item *item, struct item_value now, struct item_value wanted)
{
	static const char ROOT[] = "root ", ISOLATED[] = "isolated ";

	if (item_value_equal(item, now, wanted))
		return true;
	return item->kind == ITEM_PARTITION && now.text && wanted.text &&
	       strncmp(now.text, ROOT, sizeof(ROOT) - 1) == 0 &&
	       strncmp(wanted.text, ISOLATED, sizeof(ISOLATED) - 1) == 0 &&
	       strcmp(now.text + sizeof(ROOT) - 1, wanted.text + sizeof(ISOLATED) - 1) == 0;
}

bool item_is_of_cpu(const struct item *item)
{
	return KINDS[item->kind].of_cpu;
}

enum cpufreq_limit item_limit(const struct item *item)
{
	return item->kind == ITEM_SCALING_MAX || item->kind == ITEM_UNCORE_MAX ? CPUFREQ_MAX
									       : CPUFREQ_MIN;
}

bool item_is_limit(const struct item *item)
{
	return item->kind == ITEM_SCALING_MAX || item->kind == ITEM_SCALING_MIN;
}

bool item_is_disturbed(const struct item *item)
{
	return !KINDS[item->kind].of_cpu;
}

/** The kernel keeps a lower limit below the upper one: a write to one of them may move the other.
 */
static const enum item_kind COUNTERPARTS[ITEM_KINDS] = {
	[ITEM_SCALING_MAX] = ITEM_SCALING_MIN,
	[ITEM_SCALING_MIN] = ITEM_SCALING_MAX,
	[ITEM_UNCORE_MAX] = ITEM_UNCORE_MIN,
	[ITEM_UNCORE_MIN] = ITEM_UNCORE_MAX,
};

bool item_counterpart(const struct item *item, struct item *counterpart)
{
	*counterpart = *item;
	counterpart->kind = COUNTERPARTS[item->kind];
	if (item_is_of_package(item))
		return false;
	return COUNTERPARTS[item->kind] != 0;
}

const struct item_row *item_row(enum item_kind kind)
{
	return &KINDS[kind];
}

const char *item_kind_name(enum item_kind kind)
{
	return KINDS[kind].name;
}

const char *item_kind_text(enum item_kind kind)
{
	return KINDS[kind].what;
}

enum item_kind item_kind_of(const char *name)
{
	int kind = 0;

	while (kind < ITEM_KINDS && strcmp(KINDS[kind].name, name) != 0)
		kind++;
	return (enum item_kind)kind;
}

unsigned int item_settling_time(enum item_kind kind)
{
	return KINDS[kind].settling_ms;
}

/** Whether each ratio of a row is at most the limit of its place. */
static bool is_below(uint64_t ratios, uint64_t limits)
{
	for (unsigned int shift = 0; shift < 64; shift += 8)
		if ((ratios >> shift & 0xff) > (limits >> shift & 0xff))
			return false;
	return true;
}

/**
 * The priority of a CLOS is never clipped, its maximum only downwards, its minimum both ways; to 0
 * neither, which no processor's range ends at.
 */
static bool is_clos_clipped(uint64_t wanted, uint64_t now)
{
	enum { PRIORITY = 0xff, MINIMUM = 0xff00, MAXIMUM = 0xff0000 };
	uint64_t differ = wanted ^ now;

	if (differ & PRIORITY || !is_below(now & MAXIMUM, wanted & MAXIMUM))
		return false;
	return (!(differ & MINIMUM) || now & MINIMUM) && (!(differ & MAXIMUM) || now & MAXIMUM);
}

bool item_value_clipped(const struct item *item, struct item_value wanted, struct item_value now,
			bool moved)
{
	if (!KINDS[item->kind].clipped)
		return false;
	if (moved && item->kind != ITEM_TURBO_RATIO_LIMITS)
		return true;
	switch (item->kind) {
	case ITEM_CLOS:
		return is_clos_clipped(wanted.number, now.number);
	case ITEM_TURBO_RATIO_LIMITS:
		return is_below(now.number, wanted.number);
	case ITEM_UNCORE_MIN:
		/* The package's limit keeps it up. */
		return now.number > wanted.number;
	case ITEM_SCALING_MIN:
		/* The upper limit keeps it down, and another lower limit up. */
		return now.number != wanted.number;
	default:
		return now.number < wanted.number;
	}
}

bool item_value_may_be_clipped(const struct item *item, struct item_value wanted,
			       struct item_value now)
{
	switch (item->kind) {
	case ITEM_CLOS:
		return is_clos_clipped(wanted.number, now.number);
	case ITEM_TURBO_RATIO_LIMITS:
		return is_below(now.number, wanted.number);
	case ITEM_UNCORE_MAX:
	case ITEM_UNCORE_MIN:
		/* Kept up by a lowest frequency, and down by the limits of the package. */
		return true;
	default:
		return false;
	}
}

bool item_is_file(enum item_kind kind)
{
	return kind > ITEM_TURBO_RATIO_LIMITS;
}

uint64_t item_known_bits(enum item_kind kind)
{
	switch (kind) {
	case ITEM_FEATURES:
		return 0x3; /* turbo-freq, base-freq */
	case ITEM_QOS:
		return 0x6; /* use of CLOS, priority type */
	default:
		return UINT64_MAX;
	}
}

/**
 * A domain of a package: the last one that has a CPU, as far as there is one. On resume the kernel
 * writes MSRs again by the CPUs that wrote them last, as these come online: the first CPU of the
 * machine never does, and of several the last one counts.
 */
static const struct isst_domain *find_carrier(const struct isst_context *context,
					      unsigned int package)
{
	const struct isst_domain *found = NULL;

	for (size_t i = 0; i < isst_domain_count(context); i++) {
		const struct isst_domain *domain = context_domain(context, i);

		if (domain->package == package && (!found || domain->has_cpu))
			found = domain;
	}
	return found;
}

const struct isst_domain *item_domain(const struct isst_context *context, const struct item *item)
{
	const struct topology_domain *domain;

	if (item_is_shared(item))
		return find_carrier(context, item->package);
	domain = topology_find_domain(context->topology, item->package, item->die, item->domain);
	return domain ? &domain->public : NULL;
}

struct isst_item item_public(const struct isst_context *context, const struct item *item)
{
	struct isst_item public = { .item = *item };
	const struct isst_cpu *cpu = NULL;

	if (item_is_of_machine(item))
		return public;
	if (item->kind == ITEM_ONLINE)
		cpu = context_cpu(context, item->index);
	public.domain = item->kind != ITEM_ONLINE ? item_domain(context, item)
			: cpu			  ? cpu->domain
						  : NULL;
	return public;
}

bool item_is_end_of_range(const struct item *item, struct item_value value)
{
	enum { LOWEST_KHZ = 1 };

	return (item->kind == ITEM_SCALING_MIN && value.number == CPUFREQ_NO_LIMIT) ||
	       (item->kind == ITEM_SCALING_MAX && value.number == LOWEST_KHZ);
}

struct item_number item_number_of(const struct item *item, struct item_value value, bool known)
{
	if (!known || KINDS[item->kind].format == AS_TEXT || item_is_end_of_range(item, value))
		return (struct item_number){ .error = -ENODATA };
	return (struct item_number){ .number = value.number };
}

int item_number_get(const struct item_number *value, uint64_t *number)
{
	if (!number)
		return -EINVAL;
	*number = value->error ? 0 : value->number;
	return value->error;
}

bool item_has_index(const struct item *item)
{
	return KINDS[item->kind].index_is ||
	       ((item->kind == ITEM_UNCORE_MAX || item->kind == ITEM_UNCORE_MIN) &&
		!item_is_of_package(item));
}

bool item_is_text(const struct item *item)
{
	return KINDS[item->kind].format == AS_TEXT;
}

bool item_is_khz(const struct item *item)
{
	return KINDS[item->kind].format == AS_KHZ;
}

bool item_is_optional(const struct isst_context *context, const struct item *item)
{
	const struct isst_domain *domain = item_domain(context, item);

	return !item_is_file(item->kind) && domain && isst_domain_is_io(domain);
}
