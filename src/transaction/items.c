/* SPDX-License-Identifier: BSD-3-Clause */
/* The kinds of items: how each is named, compared and put in words, its values, and its place. */
#include "transaction/items.h"
#include "base/machine.h"
#include "firmware/platform.h"
#include "sysfs/cpufreq.h"
#include "sysfs/cpuset_groups.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct item_row item_kinds[ITEM_KINDS] = {
	/* The driver of TPMI gives up after 20 ms, which is not enough for all firmware. */
	[ITEM_LEVEL] = { "level", "level", NULL, false, AS_NUMBER, 3000, false, 31, 0 },
	[ITEM_FEATURES] = { "features", "turbo-freq and base-freq", NULL, false, AS_FEATURES, 100,
			    false, 3, 32 },
	[ITEM_CORE_POWER] = { "core-power", "core-power", NULL, false, AS_SWITCH, 100, false, 1,
			      0 },
	/* Registers hold what others have written: whatever fits. */
	[ITEM_QOS] = { "qos", "CLOS and priority type", NULL, false, AS_WORD, 100, false,
		       UINT32_MAX, 0 },
	[ITEM_CLOS] = { "clos", "CLOS", "CLOS", false, AS_WORD, 0, true, UINT32_MAX,
			ISST_CLOS_COUNT },
	[ITEM_ASSOCIATION] = { "association", "CLOS of core", "core", false, AS_NUMBER, 0, false,
			       ISST_CLOS_COUNT - 1, 256 },
	[ITEM_TURBO_RATIO_LIMITS] = { "turbo-ratio-limits", "turbo ratio limits", NULL, false,
				      AS_WORD, 0, true, UINT64_MAX, 0 },
	[ITEM_ONLINE] = { "online", "online", "CPU", true, AS_SWITCH, 0, false, 1, 0 },
	/* The kernel applies these limits a little later, in a work queue. */
	[ITEM_SCALING_MAX] = { "scaling-max", "scaling_max_freq", "CPU", true, AS_KHZ, 200, true, 0,
			       0 },
	[ITEM_SCALING_MIN] = { "scaling-min", "scaling_min_freq", "CPU", true, AS_KHZ, 200, true, 0,
			       0 },
	[ITEM_UNCORE_MAX] = { "uncore-max", "uncore max", NULL, false, AS_KHZ, 0, true, 0, 256 },
	[ITEM_UNCORE_MIN] = { "uncore-min", "uncore min", NULL, false, AS_KHZ, 0, true, 0, 256 },
	[ITEM_PARTITION] = { "partition", "cpuset partition", NULL, false, AS_TEXT, 0, false, 0,
			     0 },
	[ITEM_CPUSETS] = { "cpusets", "cpuset controller of /sys/fs/cgroup", NULL, false, AS_SWITCH,
			   0, false, 1, 0 },
	[ITEM_RCU_EXPEDITED] = { "rcu-expedited", "/sys/kernel/rcu_expedited", NULL, false,
				 AS_SWITCH, 0, false, 1, 0 },
	[ITEM_CPUSET_GROUPS] = { "cpuset-groups", "cpuset.cpus of cgroup v1", NULL, false, AS_TEXT,
				 0, false, 0, 0 },
};

struct item item_of(enum item_kind kind, const struct isst_domain *domain, unsigned int index)
{
	bool split = topology_domain(domain)->split;

	/* MSR 0x1ad is a register of the package, also where that is split into power domains. */
	if (kind == ITEM_TURBO_RATIO_LIMITS && split)
		return (struct item){ kind, domain->package, 0, ALL_POWER_DOMAINS, index };
	/* The numbers of power domains identify them; which die one is on is not known while none
	 * of its CPUs is online. The name of a group has the die in it. */
	return (struct item){ kind, domain->package,
			      split && kind != ITEM_PARTITION ? 0 : domain->die, domain->number,
			      index };
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

bool item_reaches_domain(const struct item *item, const struct item *domain)
{
	if (item_is_shared(item) || item_is_shared(domain))
		return item->package == domain->package;
	return item_same_domain(item, domain);
}

int item_compare(const struct item *a, const struct item *b)
{
	const unsigned int left[] = { a->kind, a->package, a->die, a->domain, a->index };
	const unsigned int right[] = { b->kind, b->package, b->die, b->domain, b->index };

	/* As in item_is(). */
	for (size_t i = 0; i < (a->kind == ITEM_FEATURES ? 4 : 5); i++)
		if (left[i] != right[i])
			return left[i] < right[i] ? -1 : 1;
	return 0;
}

bool item_value_equal(const struct item *item, struct item_value a, struct item_value b)
{
	if (item->kind == ITEM_CPUSET_GROUPS)
		return cpuset_groups_equal(a.text ? a.text : "", b.text ? b.text : "");
	if (item_kinds[item->kind].format == AS_TEXT)
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

/** The kernel keeps a lower limit below the upper one. */
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
	return counterpart->kind != 0 && !item_is_of_package(item);
}

enum item_kind item_kind_of(const char *name)
{
	int kind = 0;

	while (kind < ITEM_KINDS && strcmp(item_kinds[kind].name, name) != 0)
		kind++;
	return (enum item_kind)kind;
}

/** Whether each ratio of a row is at most the limit of its place. */
static bool is_below(uint64_t ratios, uint64_t limits)
{
	for (unsigned int shift = 0; shift < 64; shift += 8)
		if ((ratios >> shift & 0xff) > (limits >> shift & 0xff))
			return false;
	return true;
}

/** Of a write that changed nothing. The priority of a CLOS is never clipped, its limits only
 * downwards, and not to 0, which no processor's range ends at. */
static bool is_clos_clipped(uint64_t wanted, uint64_t now)
{
	uint64_t differ = wanted ^ now;

	if (differ & (CLOS_EPP | CLOS_WEIGHT) || !is_below(now, wanted))
		return false;
	return (!(differ & CLOS_MIN) || now & CLOS_MIN) && (!(differ & CLOS_MAX) || now & CLOS_MAX);
}

bool item_value_clipped(const struct item *item, struct item_value wanted, struct item_value now,
			bool moved)
{
	if (!item_kinds[item->kind].clipped)
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
 * Of what a package shares the last domain that has a CPU, as far as there is one. On resume the
 * kernel writes MSRs again by the CPUs that wrote them last, as these come online: the first CPU of
 * the machine never does, and of several the last one counts.
 */
const struct isst_domain *item_domain(const struct isst_context *context, const struct item *item)
{
	const struct topology_domain *domain;
	const struct isst_domain *found = NULL;

	if (!item_is_shared(item)) {
		domain = topology_find_domain(context->topology, item->package, item->die,
					      item->domain);
		return domain ? &domain->public : NULL;
	}
	for (size_t i = 0; i < isst_domain_count(context); i++) {
		const struct isst_domain *one = context_domain(context, i);

		if (one->package == item->package && (!found || one->has_cpu))
			found = one;
	}
	return found;
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

struct message_place of_item(const struct isst_context *context, const struct item *item)
{
	const struct isst_domain *domain = item_public(context, item).domain;

	if (item_is_of_machine(item))
		return of_machine();
	if (item_kinds[item->kind].of_cpu)
		return of_cpu(domain, item->index);
	if (item_is_of_package(item) || item_is_shared(item) || !domain)
		return of_package(item->package);
	return of_domain(domain);
}

/** Whether a limit is planned for a range of frequencies that is not known yet. */
static bool is_end_of_range(const struct item *item, struct item_value value)
{
	enum { LOWEST_KHZ = 1 };

	return (item->kind == ITEM_SCALING_MIN && value.number == CPUFREQ_NO_LIMIT) ||
	       (item->kind == ITEM_SCALING_MAX && value.number == LOWEST_KHZ);
}

struct item_number item_number_of(const struct item *item, struct item_value value, bool known)
{
	if (!known || item_kinds[item->kind].format == AS_TEXT || is_end_of_range(item, value))
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
	return item_kinds[item->kind].index_is ||
	       ((item->kind == ITEM_UNCORE_MAX || item->kind == ITEM_UNCORE_MIN) &&
		!item_is_of_package(item));
}

bool item_is_optional(const struct isst_context *context, const struct item *item)
{
	const struct isst_domain *domain = item_domain(context, item);

	return !item_is_file(item->kind) && domain && isst_domain_is_io(domain);
}

/* ---- In words: whole, or field by field as configurations name them ---- */

/** The name of an item, or of a field of it: one without an index is named by the field alone. */
static const char *field_name(struct messages *messages, const struct item *item, const char *field)
{
	const struct item_row *kind = &item_kinds[item->kind];
	bool uncore = item->kind == ITEM_UNCORE_MAX || item->kind == ITEM_UNCORE_MIN;

	if (uncore && item->index > 0 && !item_is_of_package(item))
		return message_make(messages, "%s of fabric %u", kind->what, item->index);
	if (kind->index_is && !kind->of_cpu)
		return message_make(messages, "%s %u%s%s", kind->what, item->index,
				    field ? " " : "", field ? field : "");
	return field ? field : kind->what;
}

/** The same behind its place. */
static const char *field_target(struct messages *messages, const struct isst_context *context,
				const struct item *item, const char *field)
{
	const char *name = field_name(messages, item, field), *place;

	if (item_is_of_machine(item))
		return name;
	if (item_kinds[item->kind].of_cpu)
		return message_make(messages, "CPU %u: %s", item->index, name);
	if (item_is_of_package(item) || item_is_shared(item))
		return message_make(messages, "package %u: %s", item->package, name);
	place = topology_domain_name(messages, context_has_power_domains(context),
				     &(struct isst_domain){ .package = item->package,
							    .die = item->die,
							    .number = item->domain });
	return message_make(messages, "%s: %s", place, name);
}

const char *item_text(struct messages *messages, const struct isst_context *context,
		      const struct item *item)
{
	return field_target(messages, context, item, NULL);
}

/** The ratios of turbo ratio limits as frequencies, those behind the last bucket left out. */
const char *ratios_text(struct messages *messages, uint64_t ratios)
{
	char text[64];
	int length = 0;

	if (ratios == UINT64_MAX)
		return "no limit";
	do {
		length += snprintf(text + length, sizeof(text) - (size_t)length, "%s%u",
				   length > 0 ? "," : "",
				   (unsigned int)(ratios & 0xff) * MHZ_PER_RATIO);
		ratios >>= 8;
	} while (ratios);
	return message_make(messages, "%s MHz", text);
}

static const char *format_value(struct messages *messages, const struct item *item,
				enum value_format format, struct item_value value)
{
	switch (format) {
	case AS_FEATURES:
		return message_make(messages, "%s, %s", value.number & 1 ? "on" : "off",
				    value.number & 2 ? "on" : "off");
	case AS_SWITCH:
		return value.number ? "1" : "0";
	case AS_WORD:
		return message_make(messages, "0x%" PRIx64, value.number);
	case AS_KHZ:
	case AS_MHZ:
		if (is_end_of_range(item, value))
			return item->kind == ITEM_SCALING_MIN ? "the highest frequency"
							      : "the lowest frequency";
		if (value.number == CPUFREQ_NO_LIMIT ||
		    (value.number == 0 && item->kind == ITEM_SCALING_MIN))
			return "no limit";
		if (format == AS_MHZ && value.number % KHZ_PER_MHZ == 0)
			return message_make(messages, "%" PRIu64 " MHz",
					    value.number / KHZ_PER_MHZ);
		return message_make(messages, "%" PRIu64 " kHz", value.number);
	case AS_TEXT:
		return value.text ? value.text : "absent";
	case AS_ON_OFF:
		return value.number ? "on" : "off";
	case AS_PRIORITY:
		return value.number ? "ordered" : "proportional";
	case AS_RATIO_LIMIT:
		if (value.number == NO_LIMIT_RATIO)
			return "no limit";
		return ratios_text(messages, value.number);
	case AS_RATIO:
	case AS_RATIOS:
		return ratios_text(messages, value.number);
	default:
		return message_make(messages, "%" PRIu64, value.number);
	}
}

const char *item_value_text(struct messages *messages, const struct item *item,
			    struct item_value value)
{
	return format_value(messages, item, item_kinds[item->kind].format, value);
}

/* The fields of values, as configurations name them; a value without a row is a number or text. */
static const struct value_field FIELDS[] = {
	{ ITEM_CLOS, "min", CLOS_MIN, AS_RATIO, "minimum frequency", -1 },
	{ ITEM_CLOS, "max", CLOS_MAX, AS_RATIO_LIMIT, "maximum frequency", -1 },
	{ ITEM_CLOS, "desired", CLOS_DESIRED, AS_RATIO, "desired frequency",
	  PLATFORM_CLOS_DESIRED },
	{ ITEM_CLOS, "epp", CLOS_EPP, AS_NUMBER, "energy performance preference (epp)",
	  PLATFORM_CLOS_EPP },
	{ ITEM_CLOS, "weight", CLOS_WEIGHT, AS_NUMBER, "proportional priority (weight)",
	  PLATFORM_CLOS_WEIGHT },
	{ ITEM_FEATURES, "turbo-freq", FEATURE_TURBO_FREQ, AS_ON_OFF, NULL, -1 },
	{ ITEM_FEATURES, "base-freq", FEATURE_BASE_FREQ, AS_ON_OFF, NULL, -1 },
	{ ITEM_CORE_POWER, NULL, UINT64_MAX, AS_ON_OFF, NULL, -1 },
	{ ITEM_QOS, "use of CLOS", QOS_CLOS_ENABLE, AS_ON_OFF, NULL, -1 },
	{ ITEM_QOS, "priority", QOS_ORDERED, AS_PRIORITY, NULL, -1 },
	{ ITEM_TURBO_RATIO_LIMITS, NULL, UINT64_MAX, AS_RATIOS, NULL, -1 },
	{ ITEM_ONLINE, NULL, UINT64_MAX, AS_ON_OFF, NULL, -1 },
	{ ITEM_SCALING_MAX, NULL, UINT64_MAX, AS_MHZ, NULL, -1 },
	{ ITEM_SCALING_MIN, NULL, UINT64_MAX, AS_MHZ, NULL, -1 },
	{ ITEM_UNCORE_MAX, NULL, UINT64_MAX, AS_MHZ, NULL, -1 },
	{ ITEM_UNCORE_MIN, NULL, UINT64_MAX, AS_MHZ, NULL, -1 },
	{ ITEM_CPUSETS, NULL, UINT64_MAX, AS_ON_OFF, NULL, -1 },
};

const struct value_field *const clos_fields = FIELDS;

/** The name of a field. */
static const char *name_of_field(const struct isst_context *context,
				 const struct value_field *field)
{
	/* With one switch it is all of core-power. */
	if (field->kind == ITEM_QOS && field->format == AS_ON_OFF && context->firmware.operations &&
	    context->firmware.operations->one_core_power_switch)
		return "core-power";
	return field->name;
}

/** The field that a mask is of; NULL: the whole value, in the form of its kind. */
static const struct value_field *find_field(enum item_kind kind, uint64_t mask)
{
	for (size_t i = 0; i < sizeof(FIELDS) / sizeof(FIELDS[0]); i++)
		if (FIELDS[i].kind == kind && FIELDS[i].mask == mask)
			return &FIELDS[i];
	return NULL;
}

const char *item_field_name(struct messages *messages, const struct isst_context *context,
			    const struct item *item, uint64_t mask)
{
	const struct value_field *field = find_field(item->kind, mask);

	return field_name(messages, item, field ? name_of_field(context, field) : NULL);
}

const char *item_field_text(struct messages *messages, const struct item *item, uint64_t mask,
			    uint64_t bits)
{
	const struct value_field *field = find_field(item->kind, mask);
	struct item_value value = { .number = (bits & mask) >> __builtin_ctzll(mask) };

	return format_value(messages, item, field ? field->format : item_kinds[item->kind].format,
			    value);
}

size_t item_fields(struct messages *messages, const struct isst_context *context,
		   const struct item *item, const struct item_value *from, struct item_value to,
		   struct item_field *fields)
{
	const struct value_field whole = { .mask = UINT64_MAX,
					   .format = item_kinds[item->kind].format };
	size_t count = 0;

	for (size_t i = 0; i <= sizeof(FIELDS) / sizeof(FIELDS[0]); i++) {
		bool last = i == sizeof(FIELDS) / sizeof(FIELDS[0]);
		const struct value_field *field = last ? &whole : &FIELDS[i];
		unsigned int shift = (unsigned int)__builtin_ctzll(field->mask);
		struct item_value old = from ? *from : to, new = to;
		const char *name = last ? NULL : name_of_field(context, field);

		if (last ? count > 0 : field->kind != item->kind)
			continue;
		if (name && from && !((from->number ^ to.number) & field->mask))
			continue;
		old.number = (old.number & field->mask) >> shift;
		new.number = (new.number & field->mask) >> shift;
		fields[count++] = (struct item_field){
			.target = field_target(messages, context, item, name),
			.old_text = from ? format_value(messages, item, field->format, old)
					 : "unknown",
			.new_text = format_value(messages, item, field->format, new),
		};
	}
	return count;
}

const char *item_describe(struct isst_context *context, const struct item *item)
{
	return item_text(&context->messages, context, item);
}

/* ---- Values that a machine can have, and places ---- */

bool item_value_is_plausible(const struct item *item, struct item_value value)
{
	static const char *const PARTITIONS[] = { "absent", "member", "root", "isolated" };
	enum { HIGHEST_KHZ = 25599999 }; /* of a ratio that fits into a register */
	const struct item_row *row = &item_kinds[item->kind];

	if (row->indexes > 0 && item->index >= row->indexes && !item_is_of_package(item))
		return false;
	if (row->format == AS_KHZ)
		return value.number == CPUFREQ_NO_LIMIT || value.number <= HIGHEST_KHZ;
	if (item->kind != ITEM_PARTITION)
		return row->format == AS_TEXT ? value.text != NULL : value.number <= row->highest;
	/* Perhaps `invalid (...)`, with CPUs. */
	for (size_t i = 0; value.text && i < sizeof(PARTITIONS) / sizeof(*PARTITIONS); i++)
		if (strncmp(value.text, PARTITIONS[i], strlen(PARTITIONS[i])) == 0)
			return true;
	return false;
}

/* ---- Places ---- */

/** Adds a CPU by which an offline place is reached, where the caller wants them. */
static int offline_cpu(struct isst_cpuset *cpus, unsigned int number)
{
	int error = cpus ? isst_cpuset_add(cpus, number, number) : 0;

	return error ? error : PLACE_OFFLINE;
}

/** A domain that the driver does not offer now is none that the machine does not have. */
static int place_in_topology(const struct isst_context *context, const struct item *item)
{
	if (item_domain(context, item))
		return PLACE_REACHED;
	return topology_is_unserved(context->topology, item->package, item->domain) ? PLACE_UNSERVED
										    : PLACE_NONE;
}

static int place_of_cpu(struct isst_context *context, const struct item *item,
			struct isst_cpuset *cpus)
{
	const struct topology *topology = context->topology;
	const char *message = context->messages.error;
	struct isst_cpuset *possible;
	int error, place = PLACE_NONE;

	if (isst_cpuset_has(topology->present, item->index)) {
		/* That a CPU is offline can be read, and written. */
		if (item->kind == ITEM_ONLINE)
			return PLACE_REACHED;
		if (!isst_cpuset_has(topology->online, item->index))
			return offline_cpu(cpus, item->index);
		return place_in_topology(context, item);
	}
	/* A CPU that was taken out may come back: the kernel keeps its number free. */
	possible = isst_cpuset_new();
	error = possible
			? kernel_files_cpulist(&context->files, CPU_DIRECTORY "/possible", possible)
			: -ENOMEM;
	if (error == -ENOMEM)
		place = error;
	else if (!error && isst_cpuset_has(possible, item->index))
		place = offline_cpu(cpus, item->index);
	context->messages.error = message;
	isst_cpuset_free(possible);
	return place;
}

/** Turbo ratio limits are reached through a CPU; a power domain is there without. */
static int place_of_limits(const struct isst_context *context, const struct item *item,
			   struct isst_cpuset *cpus)
{
	int place = PLACE_REACHED;
	unsigned int cpu;

	if (item_domain(context, item)->has_cpu)
		return place;
	for (size_t i = 0; i < isst_domain_count(context); i++) {
		const struct isst_domain *domain = context_domain(context, i);
		const struct item own = item_of(item->kind, domain, item->index);

		if (!item_is(&own, item))
			continue;
		isst_cpuset_for_each (cpu, domain->present)
			if (place >= 0)
				place = offline_cpu(cpus, cpu);
	}
	return place;
}

/** CPUs that were online in this boot, and are offline now together with their package or die:
 * those of the item's domain; or @package: of its package, which can be reached by none, since the
 * power domains of I/O have no CPUs of their own. */
static int place_of_remembered(const struct isst_context *context, const struct item *item,
			       bool package, struct isst_cpuset *cpus)
{
	const struct topology *topology = context->topology;
	bool power_domains = context_has_power_domains(context);
	int place = PLACE_NONE;

	if (package && (!power_domains || item->domain >= TOPOLOGY_DOMAINS))
		return place;
	for (size_t i = 0; i < topology->domain_count && package; i++)
		if (topology->domains[i]->public.package == item->package)
			return place;
	for (size_t i = 0; i < topology->unreachable_count && place >= 0; i++) {
		const struct cached_cpu *cpu = &topology->unreachable[i];

		/* The numbers of power domains identify them: see item_of(). */
		if (cpu->package == item->package &&
		    (package || item_is_shared(item) ||
		     (cpu->domain == item->domain && (cpu->die == item->die || power_domains))))
			place = offline_cpu(cpus, cpu->number);
	}
	return place;
}

int item_place(struct isst_context *context, const struct item *item, struct isst_cpuset *cpus)
{
	const struct topology *topology = context->topology;
	bool unseen = false;
	unsigned int cpu;
	int place;

	if (item_is_of_machine(item))
		return item->index == 0 ? PLACE_REACHED : PLACE_NONE;
	if (item_kinds[item->kind].of_cpu)
		return place_of_cpu(context, item, cpus);
	place = place_in_topology(context, item);
	if (place == PLACE_REACHED && item->kind == ITEM_TURBO_RATIO_LIMITS)
		return place_of_limits(context, item, cpus);
	if (place == PLACE_NONE)
		place = place_of_remembered(context, item, false, cpus);
	if (place == PLACE_NONE)
		place = place_of_remembered(context, item, true, cpus);
	if (place != PLACE_NONE)
		return place;
	/* Where CPUs were never seen online there may be unknown packages. */
	for (size_t i = 0; i < topology->domain_count; i++)
		unseen |= topology->domains[i]->unknown_cpus != NULL;
	isst_cpuset_for_each (cpu, topology->present)
		if (unseen && place >= 0 && !isst_cpuset_has(topology->online, cpu) &&
		    !topology_find_cpu(topology, cpu) && !topology_is_unreachable(topology, cpu))
			place = offline_cpu(cpus, cpu);
	return place;
}

bool item_is_of_no_core(const struct isst_context *context, const struct item *item)
{
	const struct topology *topology = context->topology;
	const struct topology_domain *domain = topology_find_domain(topology, item->package,
								    item->die, item->domain);

	if (item->kind != ITEM_ASSOCIATION || !domain || domain->unknown_core ||
	    domain->unknown_cpus)
		return false;
	for (size_t i = 0; i < topology->cpu_count; i++)
		if (topology->cpus[i]->domain == domain &&
		    topology->cpus[i]->public.core == item->index)
			return false;
	return true;
}
