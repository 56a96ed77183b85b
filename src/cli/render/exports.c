/* SPDX-License-Identifier: BSD-3-Clause */
#include "../../common/printable.h"
#include "../process/xalloc.h"
#include "output.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum export_kind {
	EXPORT_VALUE,	/* the number; states are 0 and 1, of words disabled and enabled */
	EXPORT_WORD,	/* the word or the text */
	EXPORT_CPUS,	/* CPUs; as a metric their number, of all nodes of a unit together */
	EXPORT_PRESENT, /* that the node is there: 1 */
	EXPORT_COUNT,	/* how many such nodes there are behind one of @of */
};

/** Where values are: of the machine, of packages, of power domains. */
enum export_place { EXPORT_MACHINE, EXPORT_PACKAGE, EXPORT_DOMAIN }; /* by their steps */

struct export_branch {
	enum key_id key;
	const char *fact;  /* the member that it is */
	const char *index; /* that has its index, also as a label of metrics; NULL: none */
	bool single;	   /* an object; else it is an element of an array */
};

/** A value in a format or several. Programs rely on the names: they never change. */
struct export_row {
	enum export_place place;
	enum key_id branch; /* KEYS: the value is in none */
	enum key_id key;
	enum export_kind kind;
	const char *fact;	/* NULL: none */
	const char *metric;	/* without the unit; NULL: none */
	const char *unit;	/* of the metric; NULL: none */
	unsigned int factor;	/* that makes it of the value of the report; 0: 1 */
	const char *label;	/* of the metric, with one value; NULL: none */
	const char *label_text; /* that value; NULL: the word of the node, or of the one @of */
	const char *feature;	/* the name of the label of a node; NULL: none */
	const char *help;
	enum key_id of; /* of EXPORT_COUNT; of EXPORT_VALUE: the node beside with the label */
};

enum { MHZ = 1000000 };

#define MACHINE EXPORT_MACHINE, KEYS
#define LAST_APPLY EXPORT_MACHINE, KEY_LAST_APPLY
#define PACKAGE(branch) EXPORT_PACKAGE, branch
#define DOMAIN EXPORT_DOMAIN, KEYS
#define BRANCH(branch) EXPORT_DOMAIN, branch
#define FEATURE(word) .label = "feature", .label_text = (word)

static const struct export_row export_rows[] = {
	{ MACHINE, KEY_STATUS_PROCESSOR, EXPORT_WORD, .fact = "processor",
	  .feature = "isst.processor" },
	{ MACHINE, KEY_STATUS_INTERFACE, EXPORT_WORD, .fact = "firmware_interface",
	  .feature = "isst.firmware-interface" },
	{ MACHINE, KEY_STATUS_NO_DRIVER, EXPORT_WORD, .fact = "firmware_interface",
	  .feature = "isst.firmware-interface" },
	{ MACHINE, KEY_API_VERSION, EXPORT_VALUE, .fact = "api_version" },
	{ MACHINE, KEY_DRIVER_VERSION, EXPORT_VALUE, .fact = "driver_version" },
	{ MACHINE, KEY_STATUS_PACKAGES, EXPORT_VALUE, .fact = "package_count",
	  .metric = "isst_packages",
	  .help = "Packages; absent where CPUs that are offline may be further ones." },
	{ MACHINE, KEY_STATUS_ONLINE_PACKAGES, EXPORT_VALUE, .fact = "online_package_count",
	  .metric = "isst_online_packages", .help = "Packages with CPUs that are online." },
	{ MACHINE, KEY_STATUS_CORES, EXPORT_VALUE, .fact = "core_count", .metric = "isst_cores",
	  .help = "Cores." },
	{ MACHINE, KEY_STATUS_ONLINE_CPUS, EXPORT_VALUE, .fact = "online_cpu_count",
	  .metric = "isst_online_cpus", .help = "CPUs that are online." },
	{ MACHINE, KEY_STATUS_PRESENT_CPUS, EXPORT_VALUE, .fact = "present_cpu_count",
	  .metric = "isst_present_cpus", .help = "CPUs, with those that are offline." },
	{ MACHINE, KEY_STATUS_TURBO, EXPORT_VALUE, .metric = "isst_turbo_enabled",
	  .help = "Whether turbo is enabled; absent where the kernel does not report that." },
	{ MACHINE, KEY_STATUS_MAX_PERF, EXPORT_VALUE, .metric = "isst_max_perf_percent",
	  .help = "Upper limit of all CPUs, of the highest frequency (max_perf_pct)." },
	{ MACHINE, KEY_STATUS_NOT_READ, EXPORT_CPUS, .fact = "isolated_cpus_not_read" },
	{ EXPORT_MACHINE, KEY_CONFIGURATION, KEY_CONFIG_CHECK, EXPORT_VALUE, .fact = "equal",
	  .feature = "isst.config.equal" },
	{ EXPORT_MACHINE, KEY_CONFIGURATION, KEY_CONFIG_DIFFERENCE, EXPORT_COUNT,
	  .fact = "difference_count", .metric = "isst_config_differences",
	  .help = "Differences from the configuration, as isst config check lists them.",
	  .of = KEY_CONFIG_CHECK },
	{ LAST_APPLY, KEY_LAST_APPLY_TIMESTAMP, EXPORT_VALUE, .fact = "timestamp_seconds",
	  .metric = "isst_config_last_apply_timestamp", .unit = "seconds",
	  .help = "When config apply ended last; absent where it did not run since boot." },
	{ LAST_APPLY, KEY_LAST_APPLY_RESULT, EXPORT_VALUE, .fact = "succeeded",
	  .metric = "isst_config_last_apply_success", .feature = "isst.config.last-apply-succeeded",
	  .help = "Whether the machine was then as configured." },
	{ LAST_APPLY, KEY_LAST_APPLY_SOURCE, EXPORT_WORD, .fact = "source" },
	{ LAST_APPLY, KEY_LAST_APPLY_SHA256, EXPORT_WORD, .fact = "sha256" },

	{ PACKAGE(KEYS), KEY_STATUS_HIGHEST_LEVEL, EXPORT_VALUE, .fact = "highest_level",
	  .metric = "isst_perf_profile_highest_level", .feature = "isst.perf-profile.highest-level",
	  .help = "Highest performance level." },
	{ PACKAGE(KEYS), KEY_STATUS_LOCK, EXPORT_VALUE, .fact = "level_locked",
	  .metric = "isst_perf_profile_locked", .feature = "isst.perf-profile.locked",
	  .help = "Whether the performance level cannot be changed." },
	{ PACKAGE(KEYS), KEY_POWER, EXPORT_VALUE, .fact = "tdp_watts",
	  .metric = "isst_thermal_design_power", .unit = "watts",
	  .feature = "isst.thermal-design-power-watts",
	  .help = "Thermal design power of the performance level in force." },
	{ PACKAGE(KEY_STATUS_POWER), KEY_STATUS_POWER_LIMIT, EXPORT_VALUE,
	  .metric = "isst_power_limit", .unit = "watts", .help = "Power limit in force." },
	{ BRANCH(KEY_STATUS_POWER), KEY_STATUS_POWER_LIMIT, EXPORT_VALUE,
	  .metric = "isst_power_limit", .unit = "watts" },
	{ PACKAGE(KEYS), KEY_TJUNCTION_MAX, EXPORT_VALUE, .fact = "tjunction_max_celsius",
	  .metric = "isst_junction_temperature_max", .unit = "celsius",
	  .help = "Highest junction temperature of the performance level in force." },

	{ DOMAIN, KEY_STATUS_LEVEL, EXPORT_VALUE, .fact = "current_level",
	  .metric = "isst_perf_profile_level", .feature = "isst.perf-profile.level",
	  .help = "Performance level in force." },
	{ DOMAIN, KEY_BASE_FREQUENCY, EXPORT_VALUE, .fact = "base_mhz",
	  .metric = "isst_base_frequency", .unit = "hertz", .factor = MHZ,
	  .feature = "isst.base-frequency-mhz",
	  .help = "Base frequency of the performance level in force." },
	{ DOMAIN, KEY_SST_BASE_FREQ, EXPORT_WORD, .fact = "base_freq",
	  .feature = "isst.base-freq" },
	{ DOMAIN, KEY_SST_TURBO_FREQ, EXPORT_WORD, .fact = "turbo_freq",
	  .feature = "isst.turbo-freq" },
	{ DOMAIN, KEY_SST_CORE_POWER, EXPORT_WORD, .fact = "core_power",
	  .feature = "isst.core-power" },
	{ DOMAIN, KEY_PRIORITY_TYPE, EXPORT_WORD, .fact = "priority_type",
	  .feature = "isst.priority-type" },
	{ DOMAIN, KEY_SST_BASE_FREQ, EXPORT_VALUE, .metric = "isst_feature_enabled",
	  FEATURE("base-freq"), .help = "Whether a feature is on; absent where not supported." },
	{ DOMAIN, KEY_SST_TURBO_FREQ, EXPORT_VALUE, .metric = "isst_feature_enabled",
	  FEATURE("turbo-freq") },
	{ DOMAIN, KEY_SST_CORE_POWER, EXPORT_VALUE, .metric = "isst_feature_enabled",
	  FEATURE("core-power") },

	{ BRANCH(KEY_STATUS_CLOS), KEY_STATUS_MIN, EXPORT_VALUE, .fact = "min_mhz",
	  .metric = "isst_clos_min_frequency", .unit = "hertz", .factor = MHZ,
	  .help = "Minimum frequency of a class of service." },
	{ BRANCH(KEY_STATUS_CLOS), KEY_STATUS_MAX, EXPORT_VALUE, .fact = "max_mhz",
	  .metric = "isst_clos_max_frequency", .unit = "hertz", .factor = MHZ,
	  .help = "Maximum frequency of a class of service; +Inf: no limit." },
	{ BRANCH(KEY_STATUS_CLOS), KEY_STATUS_WEIGHT, EXPORT_VALUE, .fact = "weight",
	  .metric = "isst_clos_weight",
	  .help = "Proportional priority of a class of service, 0 is the highest." },
	{ BRANCH(KEY_STATUS_CLOS), KEY_CORE_COUNT, EXPORT_VALUE, .fact = "core_count",
	  .metric = "isst_clos_cores", .help = "Cores of a class of service that are online." },
	{ BRANCH(KEY_STATUS_CLOS), KEY_STATUS_CPUS, EXPORT_CPUS, .fact = "cpus" },
	{ BRANCH(KEY_STATUS_HIGH_PRIORITY), KEY_STATUS_CPUS, EXPORT_CPUS, .fact = "cpus" },
	{ BRANCH(KEY_STATUS_UNCORE), KEY_STATUS_MIN, EXPORT_VALUE, .fact = "min_mhz",
	  .metric = "isst_uncore_min_frequency", .unit = "hertz", .factor = MHZ,
	  .help = "Minimum frequency of a fabric of the uncore, where limits were set." },
	{ BRANCH(KEY_STATUS_UNCORE), KEY_STATUS_MAX, EXPORT_VALUE, .fact = "max_mhz",
	  .metric = "isst_uncore_max_frequency", .unit = "hertz", .factor = MHZ,
	  .help = "Maximum frequency of a fabric of the uncore, where limits were set." },
	{ BRANCH(KEY_STATUS_SCALING), KEY_STATUS_MIN, EXPORT_VALUE, .fact = "min_mhz" },
	{ BRANCH(KEY_STATUS_SCALING), KEY_STATUS_MAX, EXPORT_VALUE, .fact = "max_mhz" },
	{ BRANCH(KEY_STATUS_SCALING), KEY_STATUS_CPUS, EXPORT_CPUS, .fact = "cpus",
	  .metric = "isst_cpufreq_limited_cpus",
	  .help = "CPUs with a limit of cpufreq; absent where there are none." },

	{ PACKAGE(KEY_BUCKET), KEY_HIGH_CORES_COUNT, EXPORT_VALUE, .fact = "core_count",
	  .metric = "isst_bucket_cores",
	  .help = "High priority cores that a bucket holds, or modules of cores (core_unit).",
	  .label = "core_unit", .of = KEY_CORE_UNIT },
	{ PACKAGE(KEY_BUCKET), KEY_CORE_UNIT, EXPORT_WORD, .fact = "core_unit" },
	{ PACKAGE(KEY_BUCKET), KEY_STATUS_HIGH_MAX, EXPORT_VALUE, .fact = "max_mhz",
	  .metric = "isst_bucket_max_frequency", .unit = "hertz", .factor = MHZ,
	  .help = "What the high priority cores of a bucket reach." },
	{ PACKAGE(KEY_STATUS_HIGH_PRIORITY), KEY_STATUS_CORE_COUNT, EXPORT_VALUE,
	  .fact = "core_count", .metric = "isst_high_priority_cores",
	  .help = "High priority cores, or modules of cores (core_unit).", .label = "core_unit",
	  .of = KEY_CORE_UNIT },
	{ PACKAGE(KEY_STATUS_HIGH_PRIORITY), KEY_CORE_UNIT, EXPORT_WORD, .fact = "core_unit" },
	{ PACKAGE(KEY_STATUS_HIGH_PRIORITY), KEY_STATUS_BUCKET, EXPORT_VALUE, .fact = "used_bucket",
	  .metric = "isst_used_bucket",
	  .help = "The bucket that holds the high priority cores; absent where none does." },
	{ PACKAGE(KEY_STATUS_HIGH_PRIORITY), KEY_STATUS_HIGH_MAX, EXPORT_VALUE, .fact = "max_mhz" },
	{ PACKAGE(KEY_STATUS_HIGH_PRIORITY), KEY_STATUS_LOW_MAX, EXPORT_VALUE,
	  .fact = "max_of_others_mhz", .metric = "isst_low_priority_max_frequency", .unit = "hertz",
	  .factor = MHZ, .help = "What low priority cores reach while turbo-freq is on." },
	{ PACKAGE(KEY_FINDING), KEY_FINDING_CODE, EXPORT_WORD, .fact = "code" },
	{ PACKAGE(KEY_FINDING), KEY_FINDING_CODE, EXPORT_PRESENT, .metric = "isst_limit_reason",
	  .label = "code",
	  .help = "What held frequencies back since the reasons were last cleared; absent where "
		  "nothing did or it cannot be read." },
};

enum { ROWS = sizeof(export_rows) / sizeof(export_rows[0]) };

static const struct export_branch export_branches[] = {
	{ KEY_CONFIGURATION, "config", NULL, .single = true },
	{ KEY_LAST_APPLY, "last_config_apply", NULL, .single = true },
	{ KEY_STATUS_CLOS, "clos", "clos", .single = false },
	{ KEY_STATUS_HIGH_PRIORITY, "high_priority", NULL, .single = true },
	{ KEY_STATUS_UNCORE, "uncore_limits", "fabric", .single = false },
	{ KEY_STATUS_SCALING, "cpufreq_limits", NULL, .single = false },
	{ KEY_BUCKET, "buckets", "bucket", .single = false },
	{ KEY_FINDING, "limit_reasons", NULL, .single = false },
};

/** What a row is found in: a node of a unit, below @branch or, where that is NULL, the unit. */
struct sample {
	const struct export_row *row;
	const struct report_entry *entry;
	const struct report_node *branch, *node;
	uint64_t number;
	bool unlimited; /* the value is a limit that there is none */
};

/** Whether a row is about a node. */
static bool is_about(const struct sample *sample, const struct report_node *node)
{
	const struct export_row *row = sample->row;
	const struct key *in = sample->branch ? sample->branch->key : NULL;
	size_t steps = sample->entry->steps;

	return row->place == (steps > EXPORT_DOMAIN ? EXPORT_DOMAIN : (enum export_place)steps) &&
	       in == (row->branch == KEYS ? NULL : &keys[row->branch]) &&
	       node->key == &keys[row->kind == EXPORT_COUNT ? row->of : row->key] &&
	       node->kind != NODE_UNKNOWN;
}

/** Finds the number of a node: false if it has none, such as an unsupported feature. */
static bool find_number(struct sample *sample)
{
	const struct report_node *node = sample->node;
	const struct export_row *row = sample->row;

	sample->unlimited = false;
	sample->number = 1;
	if (row->kind == EXPORT_PRESENT)
		return true;
	if (row->kind == EXPORT_COUNT) {
		sample->number = 0;
		for (node = node->next; node; node = node->next)
			sample->number += node->key == &keys[row->key];
		/* What could be compared only in part has a word, and may differ elsewhere. */
		return sample->node->kind != NODE_WORD;
	}
	if (node->kind == NODE_WORD) {
		sample->number = strcmp(node->text, "enabled") == 0;
		return sample->number || strcmp(node->text, "disabled") == 0;
	}
	if (row->kind == EXPORT_CPUS) {
		sample->number = isst_cpuset_count(node->cpus);
		return true;
	}
	sample->number = node->number;
	if (node->kind != NODE_NUMBER || !node->key->special_text ||
	    node->number != node->key->special)
		return true;
	/* The word for no limit, and that for no bucket. */
	sample->unlimited = node->key == &keys[KEY_STATUS_MAX];
	return sample->unlimited;
}

/** Calls @visit for the nodes of a unit, and of its branches, that a row is about. */
static void visit_nodes(struct sample *sample, const struct report_node *first,
			void (*visit)(const struct sample *sample, void *data), void *data)
{
	for (const struct report_node *node = first; node; node = node->next) {
		if (node->kind == NODE_BRANCH && !sample->branch) {
			sample->branch = node;
			visit_nodes(sample, node->first, visit, data);
			sample->branch = NULL;
		}
		sample->node = node;
		if (is_about(sample, node))
			visit(sample, data);
	}
}

static const struct export_branch *find_branch(const struct report_node *node)
{
	for (size_t i = 0; node && i < sizeof(export_branches) / sizeof(export_branches[0]); i++)
		if (node->key == &keys[export_branches[i].key])
			return &export_branches[i];
	return NULL;
}

/** Whether a step stands for a place: a CPU only stands for its domain. */
static bool is_place(const struct report_step *step)
{
	return step->key != &keys[KEY_CPU] && step->key != &keys[KEY_NO_CPU];
}

/* ---- Facts: those of the machine at the top, those of its parts as lists ---- */

static void add_fact(struct json *parent, struct sample *sample)
{
	const struct report_node *node = sample->node;
	const struct export_row *row = sample->row;
	char *list;

	if (row->kind == EXPORT_CPUS) {
		list = xcheck(isst_cpuset_to_list(node->cpus));
		json_add_string(parent, row->fact, list);
		free(list);
	} else if (row->kind == EXPORT_WORD) {
		json_add_string(parent, row->fact, node->text);
	} else if (find_number(sample)) {
		if (sample->unlimited)
			json_add(parent, row->fact, JSON_NULL);
		else if (node->kind == NODE_STATE && row->kind == EXPORT_VALUE)
			json_add_boolean(parent, row->fact, sample->number);
		else
			json_add_number(parent, row->fact, sample->number);
	}
}

static void add_facts(struct json *parent, const struct report_entry *entry,
		      const struct report_node *branch, const struct report_node *node)
{
	for (; node; node = node->next) {
		const struct export_branch *row = branch ? NULL : find_branch(node);

		if (row) {
			struct json *object = row->single
						      ? json_add(parent, row->fact, JSON_OBJECT)
						      : json_add(json_array_of(parent, row->fact),
								 NULL, JSON_OBJECT);

			if (row->index)
				json_add_number(object, row->index, node->index);
			add_facts(object, entry, node, node->first);
		}
		for (size_t i = 0; i < ROWS && node->kind != NODE_BRANCH; i++) {
			struct sample sample = { &export_rows[i], entry, branch, node, 0, false };

			if (sample.row->fact && is_about(&sample, node))
				add_fact(parent, &sample);
		}
	}
}

static void add_unit(struct json *document, const struct report_entry *entry)
{
	struct json *parent = document;

	if (entry->steps > 0)
		parent = json_add(
			json_array_of(document, entry->steps == 1 ? "packages" : "domains"), NULL,
			JSON_OBJECT);
	for (size_t i = 0; i < entry->steps; i++) {
		const struct report_step *step = &entry->path[i];

		if (step->key == &keys[KEY_DIE_IO])
			json_add(parent, step->key->name_v2, JSON_NULL);
		else if (is_place(step))
			json_add_number(parent, step->key->name_v2, step->index);
	}
	add_facts(parent, entry, NULL, entry->root->first);
}

/** Whether a unit may have facts: all that some have are metrics. */
static bool has_facts(const struct report_entry *entry)
{
	const struct report_node *node = entry->root->first;

	while (node && node->kind == NODE_BRANCH && !find_branch(node))
		node = node->next;
	return node || !entry->root->first;
}

struct json *make_facts(const struct report *report, bool messages)
{
	struct json *document = json_new(true);

	(void)messages;
	json_add_string(document, "version", ISST_VERSION);
	/* Playbooks go through them on every server, also on one without Speed Select. */
	json_array_of(document, "packages");
	json_array_of(document, "domains");
	for (const struct report_entry *entry = report->first; entry; entry = entry->next)
		if (entry->kind == ENTRY_UNIT && has_facts(entry))
			add_unit(document, entry);
	return document;
}

/* ---- Labels of a node: values that differ between parts of the machine are `mixed` ---- */

/* What a label of Kubernetes can be. */
enum { LONGEST_LABEL = 63 };

struct label_value {
	char text[LONGEST_LABEL + 1];
	bool given, mixed;
};

/** Makes text the value of a label: letters, digits, and dashes between them. */
static void make_label(char label[LONGEST_LABEL + 1], const char *text)
{
	size_t length = 0;

	for (; *text && length < LONGEST_LABEL; text++) {
		bool usual = isalnum((unsigned char)*text) || *text == '.' || *text == '_';

		if (usual)
			label[length++] = *text;
		else if (length > 0 && label[length - 1] != '-')
			label[length++] = '-';
	}
	while (length > 0 && !isalnum((unsigned char)label[length - 1]))
		length--;
	label[length] = '\0';
}

static void take_label(const struct sample *found, void *data)
{
	struct sample sample = *found;
	struct label_value *value = data;
	const char *text = sample.node->text;
	char label[LONGEST_LABEL + 1], number[24];

	if (sample.row->kind == EXPORT_WORD) {
		/* A part of the machine without it is no reason to leave out the others. */
		if (strcmp(text, "unsupported") == 0)
			return;
	} else {
		if (!find_number(&sample) || sample.unlimited)
			return;
		snprintf(number, sizeof(number), "%" PRIu64, sample.number);
		text = sample.node->kind != NODE_STATE ? number : sample.number ? "true" : "false";
	}
	make_label(label, text);
	if (!*label)
		return;
	value->mixed = value->mixed || (value->given && strcmp(value->text, label) != 0);
	if (!value->given)
		memcpy(value->text, label, sizeof(label));
	value->given = true;
}

void render_nfd(const struct report *report, const struct page *page, bool messages, FILE *stream)
{
	(void)page;
	(void)messages;
	fprintf(stream, "isst.version=%s\n", ISST_VERSION);
	for (size_t i = 0; i < ROWS; i++) {
		struct label_value value = { .given = false };
		const struct report_entry *entry = export_rows[i].feature ? report->first : NULL;

		for (; entry; entry = entry->next) {
			struct sample sample = { .row = &export_rows[i], .entry = entry };

			if (entry->kind == ENTRY_UNIT)
				visit_nodes(&sample, entry->root->first, take_label, &value);
		}
		if (value.given)
			fprintf(stream, "%s=%s\n", export_rows[i].feature,
				value.mixed ? "mixed" : value.text);
	}
}

/*
 * ---- Metrics ----
 *
 * The text is one of the older Prometheus format as well, which the textfile collector of
 * node_exporter reads: all metrics are gauges, since it has no other of the types that are new.
 */

struct labels {
	FILE *stream;
	bool begun;
};

/** Writes a character of a label, and returns its length. Prometheus wants UTF-8. */
static size_t write_character(const unsigned char *c, FILE *stream)
{
	unsigned int code;
	size_t length = utf8_decode(c, &code);

	if (*c == '\n')
		fputs("\\n", stream);
	else if (*c == '"' || *c == '\\')
		fprintf(stream, "\\%c", *c);
	else if (length > 0 && !is_control(code))
		fwrite(c, 1, length, stream);
	else
		for (size_t i = 0; i < length || i < 1; i++)
			fprintf(stream, "\\\\x%02x", c[i]);
	return length > 0 ? length : 1;
}

static void write_label(struct labels *labels, const char *name, const char *text)
{
	const unsigned char *c = (const unsigned char *)text;

	fprintf(labels->stream, "%c%s=\"", labels->begun ? ',' : '{', name);
	while (*c)
		c += write_character(c, labels->stream);
	fputc('"', labels->stream);
	labels->begun = true;
}

static void write_index_label(struct labels *labels, const char *name, unsigned int index)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", index);
	write_label(labels, name, text);
}

static const char *find_label(const struct sample *sample)
{
	const struct export_row *row = sample->row;
	const struct report_node *node = sample->node;

	if (!row->label || row->label_text)
		return row->label_text;
	if (row->kind != EXPORT_VALUE)
		return node->text;
	node = sample->branch ? sample->branch->first : NULL;
	while (node && node->key != &keys[row->of])
		node = node->next;
	return node ? node->text : NULL;
}

static void write_sample(const struct sample *sample, FILE *stream)
{
	const struct export_row *row = sample->row;
	const struct export_branch *branch = find_branch(sample->branch);
	const char *label = find_label(sample);
	struct labels labels = { .stream = stream };

	fprintf(stream, "%s%s%s", row->metric, row->unit ? "_" : "", row->unit ? row->unit : "");
	for (size_t i = 0; i < sample->entry->steps; i++) {
		const struct report_step *step = &sample->entry->path[i];

		if (step->key == &keys[KEY_DIE_IO])
			write_label(&labels, step->key->name_v2, "IO");
		else if (is_place(step))
			write_index_label(&labels, step->key->name_v2, step->index);
	}
	if (branch && branch->index)
		write_index_label(&labels, branch->index, sample->branch->index);
	if (label)
		write_label(&labels, row->label, label);
	if (labels.begun)
		fputc('}', stream);
	if (sample->unlimited)
		fputs(" +Inf\n", stream);
	else
		fprintf(stream, " %" PRIu64 "\n", sample->number * (row->factor ? row->factor : 1));
}

/** The samples of a unit. Those of CPUs, of which each branch has some, are one. */
struct samples {
	FILE *stream; /* NULL: only whether there are any */
	struct sample sum;
	bool any;
};

static void take_sample(const struct sample *found, void *data)
{
	struct samples *samples = data;
	struct sample sample = *found;

	if (!find_number(&sample))
		return;
	samples->any = true;
	if (sample.row->kind == EXPORT_CPUS) {
		sample.number += samples->sum.number;
		sample.branch = NULL;
		samples->sum = sample;
	} else if (samples->stream) {
		write_sample(&sample, samples->stream);
	}
}

/** Writes the samples of a row; without a stream only looks for any. Returns whether there are. */
static bool write_samples(const struct export_row *row, const struct report *report, FILE *stream)
{
	struct samples samples = { .stream = stream };

	for (const struct report_entry *entry = report->first; entry; entry = entry->next) {
		struct sample sample = { .row = row, .entry = entry };

		/* I/O dies have no metrics: their levels are those of the package. */
		if (entry->kind != ENTRY_UNIT ||
		    (entry->steps > 0 && entry->path[entry->steps - 1].key == &keys[KEY_NO_CPU]))
			continue;
		samples.sum = (struct sample){ .number = 0 };
		visit_nodes(&sample, entry->root->first, take_sample, &samples);
		if (samples.sum.node && stream)
			write_sample(&samples.sum, stream);
	}
	return samples.any;
}

static void write_head(const char *name, const char *unit, const char *help, FILE *stream)
{
	const char *separator = unit ? "_" : "", *suffix = unit ? unit : "";

	fprintf(stream, "# TYPE %s%s%s gauge\n", name, separator, suffix);
	if (unit)
		fprintf(stream, "# UNIT %s%s%s %s\n", name, separator, suffix, unit);
	fprintf(stream, "# HELP %s%s%s %s\n", name, separator, suffix, help);
}

/** Rows of the same metric are adjacent; the first one has its text. Returns the row behind. */
static size_t write_family(size_t first, const struct report *report, FILE *stream)
{
	const char *metric = export_rows[first].metric;
	size_t end = first + 1;
	bool any = false;

	while (metric && end < ROWS && export_rows[end].metric &&
	       strcmp(export_rows[end].metric, metric) == 0)
		end++;
	for (size_t i = first; i < end && metric && !any; i++)
		any = write_samples(&export_rows[i], report, NULL);
	if (!any)
		return end;
	write_head(metric, export_rows[first].unit, export_rows[first].help, stream);
	for (size_t i = first; i < end; i++)
		write_samples(&export_rows[i], report, stream);
	return end;
}

static const char *text_at_top(const struct report *report, enum key_id key)
{
	for (const struct report_entry *entry = report->first; entry; entry = entry->next) {
		if (entry->kind != ENTRY_UNIT || entry->steps > 0)
			continue;
		for (const struct report_node *node = entry->root->first; node; node = node->next)
			if (node->key == &keys[key] && node->text)
				return node->text;
	}
	return "";
}

void render_openmetrics(const struct report *report, const struct page *page, bool messages,
			FILE *stream)
{
	const char *interface = text_at_top(report, KEY_STATUS_INTERFACE);
	const char *processor = text_at_top(report, KEY_STATUS_PROCESSOR);
	struct labels labels = { .stream = stream };
	unsigned int errors = 0;

	(void)page;
	(void)messages;
	if (!*interface)
		interface = text_at_top(report, KEY_STATUS_NO_DRIVER);
	write_head("isst_info", NULL,
		   "The program, the processor, and how the firmware is reached.", stream);
	fputs("isst_info", stream);
	write_label(&labels, "version", ISST_VERSION);
	if (*processor)
		write_label(&labels, "processor", processor);
	if (*interface)
		write_label(&labels, "firmware_interface", interface);
	fputs("} 1\n", stream);
	for (const struct report_entry *entry = report->first; entry; entry = entry->next)
		errors += entry->kind == ENTRY_ERROR;
	write_head("isst_errors", NULL, "Errors of the run that wrote this; values may be absent.",
		   stream);
	fprintf(stream, "isst_errors %u\n", errors);
	for (size_t i = 0; i < ROWS;)
		i = write_family(i, report, stream);
	fputs("# EOF\n", stream);
}
