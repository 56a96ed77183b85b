/* SPDX-License-Identifier: BSD-3-Clause */
/* Random configurations as text. Statements are optional: what a machine is without is skipped. */
#include "common/memory_stream.h"
#include "transaction/support/chance.h"
#include "transaction/support/states.h"

enum { LEVELS = 5 };

struct text {
	FILE *stream;
	const struct isst_context *context;
};

/** The rest of a line, behind its places. */
typedef void (*write_rest)(const struct text *text);

/** A statement for all, and mostly another one for a package or a power domain, which wins. @own: a
 * place of its own, or "" */
static void write_statements(const struct text *text, write_rest rest, const char *own)
{
	const struct isst_domain *domain = context_domain(text->context,
							  any_of(isst_domain_count(text->context)));

	if (any_of(4) > 0) {
		fprintf(text->stream, "? %s%s", own, *own ? ": " : "");
		rest(text);
	}
	if (any_of(3) == 0)
		return;
	fprintf(text->stream, "? package %u", domain->package);
	if (coin())
		fprintf(text->stream, " domain %u", domain->number);
	fprintf(text->stream, "%s%s: ", *own ? " " : "", own);
	rest(text);
}

static void write_level(const struct text *text)
{
	fprintf(text->stream, "level %u\n", any_of(LEVELS));
}

static void write_turbo_freq(const struct text *text)
{
	fprintf(text->stream, "turbo-freq %s\n", coin() ? "on" : "off");
}

static void write_base_freq(const struct text *text)
{
	fprintf(text->stream, "base-freq %s\n", coin() ? "on" : "off");
}

static void write_core_power(const struct text *text)
{
	fprintf(text->stream, "core-power %s %s\n", coin() ? "on" : "off",
		coin() ? "ordered" : "proportional");
}

static void write_clos_enable(const struct text *text)
{
	fprintf(text->stream, "clos-enable %s\n", coin() ? "on" : "off");
}

static void write_features(const struct text *text)
{
	if (coin())
		write_statements(text, write_level, "");
	write_statements(text, write_turbo_freq, "");
	write_statements(text, write_base_freq, "");
	write_statements(text, write_core_power, "");
	if (any_of(3) == 0)
		write_statements(text, write_clos_enable, "");
}

static void write_clos_limits(const struct text *text)
{
	unsigned int min = 8 + any_of(12), max = min + any_of(20);

	fprintf(text->stream, "min %u max ", coin() ? 0 : min * 100);
	switch (any_of(4)) {
	case 0:
		fputs("none\n", text->stream);
		break;
	case 1:
		fputs("base\n", text->stream);
		break;
	default:
		fprintf(text->stream, "%u\n", max * 100);
	}
}

static void write_clos_rest(const struct text *text)
{
	fprintf(text->stream, "desired %u epp %u weight %u\n", any_of(20) * 100, any_of(16),
		any_of(16));
}

static void write_clos(const struct text *text)
{
	for (unsigned int clos = 0; clos < 4; clos++) {
		char own[16];

		if (any_of(4) == 0)
			continue;
		snprintf(own, sizeof(own), "clos %u", clos);
		write_statements(text, write_clos_limits, own);
		write_statements(text, write_clos_rest, own);
	}
}

/** Of one CPU; the more precise statement counts for its core. */
static void write_associations(const struct text *text)
{
	unsigned int count = (unsigned int)isst_cpuset_count(isst_present_cpus(text->context));

	fprintf(text->stream, "? association %u\n", any_of(4));
	if (coin())
		fprintf(text->stream, "? cpu %u: association %u\n", any_of(count), any_of(4));
}

static void write_turbo_ratio_limits(const struct text *text)
{
	static const char *const LIMITS[] = { "none", "level", "0x1a1b1c1d1e1f2021",
					      "0x2100000000000001" };

	fprintf(text->stream, "turbo-ratio-limits %s\n", LIMITS[any_of(COUNT(LIMITS))]);
}

/** None, or a frequency in MHz. */
static void write_limit(const struct text *text, const char *name, unsigned int mhz)
{
	if (coin())
		fprintf(text->stream, "%s none\n", name);
	else
		fprintf(text->stream, "%s %u\n", name, mhz);
}

static void write_scaling_max(const struct text *text)
{
	write_limit(text, "scaling-max", 1800 + any_of(6) * 100);
}

static void write_scaling_min(const struct text *text)
{
	write_limit(text, "scaling-min", 1000 + any_of(8) * 100);
}

static void write_uncore_max(const struct text *text)
{
	write_limit(text, "uncore-max", 1900);
}

static void write_uncore_min(const struct text *text)
{
	write_limit(text, "uncore-min", 1000);
}

static void write_limits(const struct text *text)
{
	unsigned int cpus = (unsigned int)isst_cpuset_count(isst_present_cpus(text->context));

	write_statements(text, write_turbo_ratio_limits, "");
	write_statements(text, write_scaling_max, "");
	write_statements(text, write_scaling_min, "");
	write_statements(text, write_uncore_max, "");
	write_statements(text, write_uncore_min, "");
	fprintf(text->stream, "? cpu %u: scaling-max 2500\n", any_of(cpus));
}

static void write_cpus(const struct text *text)
{
	unsigned int count = (unsigned int)isst_cpuset_count(isst_present_cpus(text->context));

	switch (any_of(5)) {
	case 0:
		fputs("? cpus by-level\n", text->stream);
		break;
	case 1:
		fputs("? cpus online\n", text->stream);
		break;
	case 2:
		fputs("? cpus isolated\n", text->stream);
		break;
	case 3:
		fprintf(text->stream, "? cpus offline %u,%u\n", 1 + any_of(count - 1),
			1 + any_of(count - 1));
		break;
	default:
		break;
	}
}

char *states_random_text(const struct machine *machine)
{
	struct isst_context *context = machine_lock(machine);
	struct memory_stream memory;
	struct text text;

	assert_int_equal(isst_discover(context), 0);
	assert_int_equal(memory_stream_open(&memory), 0);
	text = (struct text){ memory.stream, context };
	fprintf(text.stream, "# isst configuration 1\n");
	write_features(&text);
	write_clos(&text);
	write_associations(&text);
	write_limits(&text);
	write_cpus(&text);
	isst_close(context);
	return memory_stream_text(&memory);
}
