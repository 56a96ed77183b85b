/* SPDX-License-Identifier: BSD-3-Clause */
/* The kinds of items: a table of how each is named, read and written. */
#include "transaction/items.h"
#include "base/machine.h"
#include "sysfs/partition.h"
#include "sysfs/uncore.h"
#include "transaction/poll.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** A kind of item that the kernel holds. Errors as in kernel_files.h. @read is NULL where one file
 * tells all items. */
struct file_access {
	int (*read)(struct isst_context *context, const struct item *item,
		    struct item_value *value);
	int (*write)(struct isst_context *context, const struct item *item,
		     struct item_value value);
};

static int read_limit(struct isst_context *context, const struct item *item,
		      struct item_value *value)
{
	return cpufreq_read_limit(&context->files, item->index,
				  item->kind == ITEM_SCALING_MAX ? CPUFREQ_MAX : CPUFREQ_MIN,
				  &value->number);
}

static int write_limit(struct isst_context *context, const struct item *item,
		       struct item_value value)
{
	return cpufreq_write_limit(&context->files, item->index,
				   item->kind == ITEM_SCALING_MAX ? CPUFREQ_MAX : CPUFREQ_MIN,
				   value.number);
}

static struct uncore_place uncore_place(const struct isst_context *context, const struct item *item)
{
	return (struct uncore_place){ .package = item->package,
				      .die = item->die,
				      .of_domain = context_has_power_domains(context),
				      .domain = item->domain,
				      .cluster = item->index };
}

static int read_uncore(struct isst_context *context, const struct item *item,
		       struct item_value *value)
{
	const struct uncore_place place = uncore_place(context, item);

	return uncore_read_limit(&context->files, &place,
				 item->kind == ITEM_UNCORE_MAX ? CPUFREQ_MAX : CPUFREQ_MIN,
				 &value->number);
}

static int write_uncore(struct isst_context *context, const struct item *item,
			struct item_value value)
{
	const struct uncore_place place = uncore_place(context, item);

	return uncore_write_limit(&context->files, &place,
				  item->kind == ITEM_UNCORE_MAX ? CPUFREQ_MAX : CPUFREQ_MIN,
				  value.number);
}

static int write_online(struct isst_context *context, const struct item *item,
			struct item_value value)
{
	int error = hotplug_write(&context->files, item->index, value.number);

	if (error == -ENOENT)
		error = message_error(&context->messages, -EIO,
				      CPU_DIRECTORY
				      "/cpu%u has no file 'online': the kernel does not let "
				      "this CPU go offline",
				      item->index);
	return error;
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

static int read_partition(struct isst_context *context, const struct item *item,
			  struct item_value *value)
{
	char *name = item_partition_name(item), *state = NULL;
	int error = name ? partition_read(&context->files, name, &state) : -ENOMEM;

	if (!error)
		error = item_value_set_text(context, value, state);
	free(name);
	free(state);
	return error;
}

static int write_partition(struct isst_context *context, const struct item *item,
			   struct item_value value)
{
	char *name = item_partition_name(item);
	int error = name ? partition_write(&context->files, name, value.text) : -ENOMEM;

	free(name);
	return error;
}

static int read_cpusets(struct isst_context *context, const struct item *item,
			struct item_value *value)
{
	bool enabled = false;
	int error = cpusets_read(&context->files, &enabled);

	(void)item;
	value->number = enabled;
	return error;
}

static int write_cpusets(struct isst_context *context, const struct item *item,
			 struct item_value value)
{
	(void)item;
	return cpusets_write(&context->files, value.number);
}

static const struct file_access LIMIT = { read_limit, write_limit };
static const struct file_access UNCORE = { read_uncore, write_uncore };
static const struct file_access ONLINE = { NULL, write_online };
static const struct file_access PARTITION = { read_partition, write_partition };
static const struct file_access CPUSETS = { read_cpusets, write_cpusets };

enum value_format { AS_NUMBER, AS_WORD, AS_FEATURES, AS_SWITCH, AS_KHZ, AS_TEXT };

static const struct kind {
	const char *name;     /* in journals and records */
	const char *what;     /* in messages */
	const char *index_is; /* what the index counts, where it is part of the name */
	bool of_cpu;	      /* the index is a CPU, and the domain not part of the name */
	enum value_format format;
	unsigned int settling_ms;
	bool clipped;
	const struct file_access *file; /* NULL: the firmware's */
} KINDS[ITEM_KINDS] = {
	/* The driver of TPMI gives up after 20 ms, which is not enough for all firmware. */
	[ITEM_LEVEL] = { "level", "performance level", NULL, false, AS_NUMBER, 3000, false, NULL },
	[ITEM_FEATURES] = { "features", "turbo-freq and base-freq", NULL, false, AS_FEATURES, 100,
			    false, NULL },
	[ITEM_CORE_POWER] = { "core-power", "core-power", NULL, false, AS_SWITCH, 100, false,
			      NULL },
	[ITEM_QOS] = { "qos", "CLOS and priority type", NULL, false, AS_WORD, 100, false, NULL },
	[ITEM_CLOS] = { "clos", "CLOS", "CLOS", false, AS_WORD, 0, true, NULL },
	[ITEM_ASSOCIATION] = { "association", "CLOS of core", "core", false, AS_NUMBER, 0, false,
			       NULL },
	[ITEM_TURBO_RATIO_LIMITS] = { "turbo-ratio-limits", "turbo ratio limits", NULL, false,
				      AS_WORD, 0, true, NULL },
	[ITEM_ONLINE] = { "online", "online", "CPU", true, AS_SWITCH, 0, false, &ONLINE },
	/* The kernel applies these limits a little later, in a work queue. */
	[ITEM_SCALING_MAX] = { "scaling-max", "scaling_max_freq", "CPU", true, AS_KHZ, 200, true,
			       &LIMIT },
	[ITEM_SCALING_MIN] = { "scaling-min", "scaling_min_freq", "CPU", true, AS_KHZ, 200, true,
			       &LIMIT },
	[ITEM_UNCORE_MAX] = { "uncore-max", "uncore max_freq_khz", NULL, false, AS_KHZ, 0, true,
			      &UNCORE },
	[ITEM_UNCORE_MIN] = { "uncore-min", "uncore min_freq_khz", NULL, false, AS_KHZ, 0, true,
			      &UNCORE },
	[ITEM_PARTITION] = { "partition", "cpuset partition", NULL, false, AS_TEXT, 0, false,
			     &PARTITION },
	[ITEM_CPUSETS] = { "cpusets", "cpuset controller of /sys/fs/cgroup", NULL, false, AS_SWITCH,
			   0, false, &CPUSETS },
};

/**
 * Where a package is split into power domains their numbers say all; which die one is on is not
 * known while none of its CPUs is online. The name of a group has the die in it.
 */
static unsigned int die_of(enum item_kind kind, const struct isst_domain *domain)
{
	return topology_domain(domain)->split && kind != ITEM_PARTITION ? 0 : domain->die;
}

struct item item_of(enum item_kind kind, const struct isst_domain *domain, unsigned int index)
{
	return (struct item){ kind, domain->package, die_of(kind, domain), domain->number, index };
}

void item_normalize(const struct isst_context *context, struct item *item)
{
	const struct topology_domain *domain = NULL;

	/* A journal can be discarded before the machine is discovered. */
	if (context->topology)
		domain = topology_find_domain(context->topology, item->package, item->die,
					      item->domain);
	if (domain && item->kind != ITEM_ONLINE && item->kind != ITEM_CPUSETS)
		item->die = die_of(item->kind, &domain->public);
}

struct item item_of_cpu(unsigned int cpu)
{
	return (struct item){ .kind = ITEM_ONLINE, .index = cpu };
}

struct item item_of_cpusets(void)
{
	return (struct item){ .kind = ITEM_CPUSETS };
}

bool item_same_domain(const struct item *a, const struct item *b)
{
	return a->package == b->package && a->die == b->die && a->domain == b->domain;
}

bool item_is(const struct item *a, const struct item *b)
{
	/* The index of ITEM_FEATURES tells how to ask, not what. */
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
	return COUNTERPARTS[item->kind] != 0;
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

/** Whether each ratio of a row is at most what the limit of its place says. */
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
	if (!KINDS[item->kind].clipped || moved)
		return KINDS[item->kind].clipped;
	switch (item->kind) {
	case ITEM_CLOS:
		return is_clos_clipped(wanted.number, now.number);
	case ITEM_TURBO_RATIO_LIMITS:
		return is_below(now.number, wanted.number);
	case ITEM_UNCORE_MIN:
		/* The package's limit keeps it up. */
		return now.number > wanted.number;
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
	return KINDS[kind].file != NULL;
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

const char *item_text(struct messages *messages, const struct isst_context *context,
		      const struct item *item)
{
	const struct kind *kind = &KINDS[item->kind];
	const char *place;

	if (item->kind == ITEM_CPUSETS)
		return kind->what;
	if (kind->of_cpu)
		return message_make(messages, "CPU %u: %s", item->index, kind->what);
	place = topology_domain_name(messages, context_has_power_domains(context),
				     &(struct isst_domain){ .package = item->package,
							    .die = item->die,
							    .number = item->domain });
	if (kind->file == &UNCORE && item->index > 0)
		return message_make(messages, "%s: %s of fabric %u", place, kind->what,
				    item->index);
	if (kind->index_is)
		return message_make(messages, "%s: %s %u", place, kind->what, item->index);
	return message_make(messages, "%s: %s", place, kind->what);
}

const char *item_value_text(struct messages *messages, const struct item *item,
			    struct item_value value)
{
	switch (KINDS[item->kind].format) {
	case AS_FEATURES:
		return message_make(messages, "%s, %s", value.number & 1 ? "on" : "off",
				    value.number & 2 ? "on" : "off");
	case AS_SWITCH:
		return value.number ? "1" : "0";
	case AS_WORD:
		return message_make(messages, "0x%" PRIx64, value.number);
	case AS_KHZ:
		if (value.number == CPUFREQ_NO_LIMIT ||
		    (value.number == 0 && item->kind == ITEM_SCALING_MIN))
			return "no limit";
		return message_make(messages, "%" PRIu64 " kHz", value.number);
	case AS_TEXT:
		return value.text ? value.text : "absent";
	default:
		return message_make(messages, "%" PRIu64, value.number);
	}
}

const char *item_describe(struct isst_context *context, const struct item *item)
{
	return item_text(&context->messages, context, item);
}

const char *item_describe_value(struct isst_context *context, const struct item *item,
				struct item_value value)
{
	return item_value_text(&context->messages, item, value);
}

/** The domain of an item in the present topology. */
static const struct isst_domain *find_domain(const struct isst_context *context,
					     const struct item *item)
{
	const struct topology_domain *domain = topology_find_domain(
		context->topology, item->package, item->die, item->domain);

	return domain ? &domain->public : NULL;
}

bool item_is_dispensable(const struct isst_context *context, const struct item *item)
{
	const struct isst_domain *domain = find_domain(context, item);

	return !KINDS[item->kind].file && domain && isst_domain_is_io(domain);
}

/** Plans the access to an item of the firmware. */
static int plan_firmware(struct isst_context *context, struct firmware_batch *batch,
			 struct item_access *access,
			 int (*plan)(struct firmware_batch *, const struct setting_request *))
{
	const struct item *item = &access->item;
	const struct isst_domain *domain = find_domain(context, item);

	if (!domain) {
		message_failure(&context->messages, &access->failure, -EIO,
				"%s cannot be reached: no CPU of the domain is online",
				item_describe(context, item));
		return 0;
	}
	return plan(batch, &(struct setting_request){ .domain = domain,
						      .setting = (enum firmware_setting)item->kind,
						      .index = item->index,
						      .value = &access->value.number,
						      .failure = &access->failure });
}

/** Takes the error of a file over, with the message that the reader left: since message_begin(),
 * which returned @before. */
static void note_file_error(struct isst_context *context, struct item_access *access,
			    const char *before, int error)
{
	message_end(&context->messages, before, error == -ENOENT ? 0 : error);
	if (error == -ENOENT)
		message_failure(&context->messages, &access->failure, -EIO,
				"%s: there is no such file", item_describe(context, &access->item));
	else if (error)
		message_failure(&context->messages, &access->failure, error, "%s",
				isst_error(context));
}

static void read_file(struct isst_context *context, struct item_access *access)
{
	const char *before = message_begin(&context->messages);
	int error = KINDS[access->item.kind].file->read(context, &access->item, &access->value);

	access->absent = error == -ENOENT;
	if (access->absent)
		context->messages.error = before;
	else
		note_file_error(context, access, before, error);
}

/** The kernel's list tells it of all CPUs, those that have no file of their own included. */
static int read_online(struct isst_context *context, struct item_access *accesses, size_t count)
{
	const char *before = message_begin(&context->messages);
	struct isst_cpuset *online = NULL;
	int error = 0;

	for (size_t i = 0; i < count && error != -ENOMEM; i++) {
		struct item_access *access = &accesses[i];

		if (access->item.kind != ITEM_ONLINE)
			continue;
		access->failure = (struct isst_failure){ 0 };
		if (!online) {
			online = isst_cpuset_new();
			error = online ? kernel_files_cpulist(&context->files,
							      CPU_DIRECTORY "/online", online)
				       : -ENOMEM;
		}
		note_file_error(context, access, before, error);
		access->value.number = !error && isst_cpuset_has(online, access->item.index);
	}
	isst_cpuset_free(online);
	message_end(&context->messages, before, error);
	return error == -ENOMEM ? error : 0;
}

static const char *uncore_file(struct isst_context *context, const struct item *item)
{
	const struct uncore_place place = uncore_place(context, item);
	const char *file = NULL;
	char *directory;

	if (uncore_directory(&context->files, &place, &directory) == 0)
		file = message_make(&context->messages, "%s/max_freq_khz", directory);
	free(directory);
	return file;
}

/** The file, or directory, that a write of an item of the kernel goes to. NULL for those of the
 * firmware. */
static const char *path_of(struct isst_context *context, const struct item *item)
{
	struct messages *messages = &context->messages;

	switch (item->kind) {
	case ITEM_ONLINE:
		return message_make(messages, CPU_DIRECTORY "/cpu%u/online", item->index);
	case ITEM_SCALING_MAX:
	case ITEM_SCALING_MIN:
		return message_make(messages, CPU_DIRECTORY "/cpu%u/cpufreq/%s", item->index,
				    KINDS[item->kind].what);
	case ITEM_UNCORE_MAX:
	case ITEM_UNCORE_MIN:
		return uncore_file(context, item);
	case ITEM_PARTITION:
		return "/sys/fs/cgroup";
	default:
		return NULL;
	}
}

int item_check_writable(struct isst_context *context, const struct item *item)
{
	const struct isst_machine *machine = context->machine;
	const char *path = path_of(context, item);
	int error = path && machine->writable ? machine->writable(machine->data, path) : 0;

	if (error == -EROFS)
		return message_error(&context->messages, -EIO,
				     "%s cannot be written: it is on a file system that is mounted "
				     "read-only (%s)",
				     path, strerror(-error));
	if (error != -EACCES && error != -EPERM)
		return 0;
	return message_error(
		&context->messages, -EPERM,
		"not permitted: %s may not be written (%s); it needs root, or CAP_DAC_OVERRIDE",
		path, strerror(-error));
}

/** Whether a request failed whose CPU is not in a set. */
static bool lost_carrier(const struct isst_context *context, const struct isst_cpuset *online,
			 const struct item_access *access)
{
	const struct isst_domain *domain = find_domain(context, &access->item);

	return !KINDS[access->item.kind].file && access->failure.error &&
	       access->failure.error != -ECANCELED && domain && domain->has_cpu &&
	       !isst_cpuset_has(online, domain->cpu);
}

/**
 * Looks for other CPUs where requests failed since the one that carries them went offline. Returns
 * whether there is a point in another try.
 */
static bool look_for_carriers(struct isst_context *context, const struct item_access *accesses,
			      size_t count)
{
	const char *message = context->messages.error;
	struct isst_cpuset *online = NULL;
	bool lost = false;

	for (size_t i = 0; i < count && !lost; i++) {
		if (!accesses[i].failure.error || KINDS[accesses[i].item.kind].file)
			continue;
		if (!online) {
			online = isst_cpuset_new();
			if (!online ||
			    kernel_files_cpulist(&context->files, CPU_DIRECTORY "/online", online))
				break;
		}
		lost = lost_carrier(context, online, &accesses[i]);
	}
	isst_cpuset_free(online);
	lost = lost && context_discover_topology(context) == 0;
	context->messages.error = message;
	return lost;
}

static int read_all(struct isst_context *context, struct item_access *accesses, size_t count)
{
	struct firmware_batch *batch = firmware_batch_new(&context->firmware);
	int error = batch ? read_online(context, accesses, count) : -ENOMEM;

	for (size_t i = 0; i < count && !error; i++) {
		struct item_access *access = &accesses[i];

		if (access->item.kind == ITEM_ONLINE)
			continue;
		access->failure = (struct isst_failure){ 0 };
		if (KINDS[access->item.kind].file)
			read_file(context, access);
		else
			error = plan_firmware(context, batch, access,
					      context->firmware.operations->plan_get);
	}
	if (!error)
		error = firmware_run(batch);
	firmware_batch_free(batch);
	return error;
}

int items_read(struct isst_context *context, struct item_access *accesses, size_t count)
{
	int error = read_all(context, accesses, count);

	if (!error && look_for_carriers(context, accesses, count))
		error = read_all(context, accesses, count);
	return error;
}

int items_read_twice(struct isst_context *context, struct item_access *accesses, size_t count)
{
	struct item_access *again = calloc(count + 1, sizeof(*again));
	int error = again ? items_read(context, accesses, count) : -ENOMEM;
	size_t failed = 0, at = 0;

	for (size_t i = 0; i < count && !error; i++)
		if (accesses[i].failure.error)
			again[failed++].item = accesses[i].item;
	if (!error && failed > 0) {
		rest_us(READ_AGAIN_US);
		error = items_read(context, again, failed);
	}
	for (size_t i = 0; i < count && !error && failed > 0; i++)
		if (accesses[i].failure.error)
			accesses[i] = again[at++];
	free(again);
	return error;
}

static void write_files(struct isst_context *context, struct item_access *accesses, size_t count)
{
	bool stopped = false;

	for (size_t i = 0; i < count; i++) {
		struct item_access *access = &accesses[i];
		const char *before;

		access->failure = (struct isst_failure){ 0 };
		if (stopped) {
			access->failure.error = -ECANCELED;
			continue;
		}
		before = message_begin(&context->messages);
		note_file_error(context, access, before,
				KINDS[access->item.kind].file->write(context, &access->item,
								     access->value));
		stopped = access->failure.error != 0;
	}
}

static int write_firmware(struct isst_context *context, struct item_access *accesses, size_t count)
{
	struct firmware_batch *batch = firmware_batch_new(&context->firmware);
	int error = batch ? 0 : -ENOMEM;

	for (size_t i = 0; i < count && !error; i++) {
		accesses[i].failure = (struct isst_failure){ 0 };
		error = plan_firmware(context, batch, &accesses[i],
				      context->firmware.operations->plan_set);
	}
	if (!error)
		error = firmware_run_writes(batch);
	firmware_batch_free(batch);
	return error;
}

int items_write(struct isst_context *context, struct item_access *accesses, size_t count)
{
	size_t done = 0;
	int error;

	if (count == 0)
		return 0;
	if (KINDS[accesses[0].item.kind].file) {
		write_files(context, accesses, count);
		return 0;
	}
	error = write_firmware(context, accesses, count);
	while (!error && done < count && !accesses[done].failure.error)
		done++;
	if (!error && done < count && look_for_carriers(context, &accesses[done], count - done))
		error = write_firmware(context, &accesses[done], count - done);
	return error;
}
