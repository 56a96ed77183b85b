/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes values of a report as OpenMetrics. The text is one of the older Prometheus format as well,
 * which the textfile collector of node_exporter reads: all metrics are gauges, since it has no
 * other of the types that are new. Must know nothing of Speed Select: exports.c has the names.
 */
#include "../../common/printable.h"
#include "../report/exports.h"
#include "render.h"

#include <inttypes.h>
#include <string.h>

/* ---- Labels ---- */

struct labels {
	FILE *stream;
	bool begun;
};

/** Writes one character of a label, and returns its length. Prometheus takes no file that is not
 * UTF-8; such bytes, and control characters, are shown as in text. */
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
	fprintf(labels->stream, "%c%s=\"%u\"", labels->begun ? ',' : '{', name, index);
	labels->begun = true;
}

static void end_labels(const struct labels *labels)
{
	if (labels->begun)
		fputc('}', labels->stream);
}

/** A CPU only stands for its domain. */
static void write_place(struct labels *labels, const struct report_entry *entry)
{
	for (size_t i = 0; i < entry->steps; i++) {
		const struct report_step *step = &entry->path[i];

		if (step->key == &keys[KEY_DIE_IO])
			write_label(labels, step->key->name_v2, "IO");
		else if (step->key != &keys[KEY_CPU] && step->key != &keys[KEY_NO_CPU])
			write_index_label(labels, step->key->name_v2, step->index);
	}
}

/* ---- Samples ---- */

/** A sample: what it is of, and its value. */
struct sample {
	const struct export_row *row;
	const struct report_entry *entry;
	const struct report_node *branch, *node;
	uint64_t number;
	bool unlimited;
};

/** The value of a row's label; NULL: it has none. */
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
	const struct export_branch *branch = sample->branch
						     ? export_branch_find(sample->branch->key)
						     : NULL;
	const char *label = find_label(sample);
	struct labels labels = { .stream = stream };

	fprintf(stream, "%s%s%s", row->metric, row->unit ? "_" : "", row->unit ? row->unit : "");
	write_place(&labels, sample->entry);
	if (branch && branch->index)
		write_index_label(&labels, branch->index, sample->branch->index);
	if (label)
		write_label(&labels, row->label, label);
	end_labels(&labels);
	if (sample->unlimited)
		fputs(" +Inf\n", stream);
	else
		fprintf(stream, " %" PRIu64 "\n", sample->number * (row->factor ? row->factor : 1));
}

/** Whether samples of a unit are one: those of sets of CPUs, of which each branch has some. */
static bool is_summed(const struct export_row *row)
{
	return row->kind == EXPORT_CPUS;
}

/** Writes the samples of a row among the nodes of a unit; *@sum becomes that of those that are one.
 */
static void write_nodes(struct sample *sample, const struct report_node *first, struct sample *sum,
			FILE *stream)
{
	for (const struct report_node *node = first; node; node = node->next) {
		if (node->kind == NODE_BRANCH && !sample->branch) {
			sample->branch = node;
			write_nodes(sample, node->first, sum, stream);
			sample->branch = NULL;
		}
		if (!export_row_matches(sample->row, sample->entry, sample->branch, node) ||
		    !export_number(sample->row, node, &sample->number, &sample->unlimited))
			continue;
		sample->node = node;
		if (!is_summed(sample->row)) {
			if (stream)
				write_sample(sample, stream);
			continue;
		}
		sum->node = node;
		sum->number += sample->number;
	}
}

/** Power domains of I/O dies have no metrics: their levels are those of their package, and series
 * are not for free. */
static bool is_exported(const struct report_entry *entry)
{
	return entry->kind == ENTRY_UNIT &&
	       (entry->steps == 0 || entry->path[entry->steps - 1].key != &keys[KEY_NO_CPU]);
}

/** Writes the samples of a row; without a stream only looks for any. Returns whether there are. */
static bool write_row(const struct export_row *row, const struct report *report, FILE *stream)
{
	bool any = false;

	for (const struct report_entry *entry = report_first(report); entry; entry = entry->next) {
		struct sample sample = { .row = row, .entry = entry }, sum = sample;

		if (is_exported(entry))
			write_nodes(&sample, entry->root->first, &sum, stream);
		if (sum.node && stream)
			write_sample(&sum, stream);
		any = any || sample.node || sum.node;
	}
	return any;
}

/* ---- Families ---- */

static void write_head(const char *name, const char *unit, const char *help, FILE *stream)
{
	const char *separator = unit ? "_" : "", *suffix = unit ? unit : "";

	fprintf(stream, "# TYPE %s%s%s gauge\n", name, separator, suffix);
	if (unit)
		fprintf(stream, "# UNIT %s%s%s %s\n", name, separator, suffix, unit);
	fprintf(stream, "# HELP %s%s%s %s\n", name, separator, suffix, help);
}

static bool is_of_family(const struct export_row *row, const struct export_row *first)
{
	return row->metric && strcmp(row->metric, first->metric) == 0;
}

/** Rows of the same metric are adjacent; the first one has its text. */
static void write_family(const struct export_row *first, const struct report *report, FILE *stream)
{
	bool any = false;

	for (const struct export_row *row = first; is_of_family(row, first) && !any; row++)
		any = write_row(row, report, NULL);
	if (!any)
		return;
	write_head(first->metric, first->unit, first->help, stream);
	for (const struct export_row *row = first; is_of_family(row, first); row++)
		write_row(row, report, stream);
}

static void write_families(const struct report *report, FILE *stream)
{
	for (const struct export_row *row = export_rows; !export_row_ends(row); row++)
		if (row->metric && (row == export_rows || !is_of_family(row - 1, row)))
			write_family(row, report, stream);
}

/** The text of a leaf at the top of the report. */
static const char *text_at_top(const struct report *report, enum key_id key)
{
	for (const struct report_entry *entry = report_first(report); entry; entry = entry->next) {
		if (entry->kind != ENTRY_UNIT || entry->steps > 0)
			continue;
		for (const struct report_node *node = entry->root->first; node; node = node->next)
			if (node->key == &keys[key] && node->text)
				return node->text;
	}
	return "";
}

static void write_info(const struct report *report, FILE *stream)
{
	const char *interface = text_at_top(report, KEY_STATUS_INTERFACE);
	const char *processor = text_at_top(report, KEY_STATUS_PROCESSOR);
	struct labels labels = { .stream = stream };

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
	end_labels(&labels);
	fputs(" 1\n", stream);
}

static void write_errors(const struct report *report, FILE *stream)
{
	unsigned int count = 0;

	for (const struct report_entry *entry = report_first(report); entry; entry = entry->next)
		count += entry->kind == ENTRY_ERROR;
	write_head("isst_errors", NULL, "Errors of the run that wrote this; values may be absent.",
		   stream);
	fprintf(stream, "isst_errors %u\n", count);
}

int render_openmetrics(const struct report *report, bool messages, FILE *stream)
{
	(void)messages;
	write_info(report, stream);
	write_errors(report, stream);
	write_families(report, stream);
	fputs("# EOF\n", stream);
	return 0;
}
