/* SPDX-License-Identifier: BSD-3-Clause */
/* Limits of cpufreq: reading them, and planning others. */
#include "base/number.h"
#include "features/planning.h"
#include "sysfs/cpufreq.h"
#include "topology/context.h"
#include "transaction/steps.h"
#include "transaction/turbo.h"

#include <errno.h>
#include <stdlib.h>

/* ---- Reading ---- */

/** The value of an item. */
static uint64_t max_value(uint64_t khz)
{
	return khz == LIMIT_NONE ? CPUFREQ_NO_LIMIT : khz;
}

/** The range of the processor, and whether turbo is off and conceals its end. */
static int read_range(struct isst_context *context, enum turbo_state turbo,
		      struct scaling_limits *limits)
{
	struct kernel_files *files = &context->files;
	unsigned int cpu = limits->cpu->number;
	int error = cpufreq_read(files, cpu, "cpuinfo_min_freq", &limits->processor.min_khz);

	if (!error)
		error = cpufreq_read(files, cpu, "cpuinfo_max_freq", &limits->processor.max_khz);
	return error ? error : cpufreq_hides_limit(files, cpu, turbo, &limits->hidden);
}

static int read_limits(struct isst_context *context, enum turbo_state turbo,
		       struct scaling_limits *limits)
{
	struct kernel_files *files = &context->files;
	unsigned int cpu = limits->cpu->number;
	struct frequency_limits *now = &limits->now, *processor = &limits->processor;
	int error = cpufreq_read_limit_of(files, cpu, CPUFREQ_MIN, &now->min_khz,
					  &processor->min_khz);

	if (!error)
		error = cpufreq_read_limit_of(files, cpu, CPUFREQ_MAX, &now->max_khz,
					      &processor->max_khz);
	if (now->max_khz == CPUFREQ_NO_LIMIT)
		now->max_khz = LIMIT_NONE;
	return error ? error : cpufreq_hides_limit(files, cpu, turbo, &limits->hidden);
}

/** Notes why the limits of a CPU cannot be read. Returns -ENOMEM, which ends the call, or 0. */
static int note_failure(struct isst_context *context, const struct isst_cpu *cpu, int error,
			struct isst_failure *failure)
{
	struct messages *messages = &context->messages;

	if (error == -ENOMEM)
		return error;
	if (error == -ENOENT)
		message_failure(messages, failure, of_cpu(cpu->domain, cpu->number), -EOPNOTSUPP,
				"CPU %u: %s", cpu->number,
				cpu->online ? "cpufreq has no limits for it"
					    : "it is offline, and has no limits of cpufreq");
	else if (error)
		message_failure(messages, failure, of_cpu(cpu->domain, cpu->number), error,
				"CPU %u: %s", cpu->number, isst_error(context));
	return 0;
}

/** What is read with turbo on and off does not go together: it is read again if another process
 * switches that meanwhile, unless it does so all the time. */
enum { TURBO_TRIES = 5 };

int scaling_limits_read(struct isst_context *context, struct scaling_limits *limits, size_t count)
{
	const char *former = message_begin(&context->messages);
	enum turbo_state turbo = TURBO_UNKNOWN, before;
	unsigned int tries = 0;
	int error = context_check_discovered(context);

	if (!error)
		error = cpufreq_turbo_state(&context->files, &turbo);
	do {
		before = turbo;
		for (size_t i = 0; i < count && !error; i++) {
			limits[i] = (struct scaling_limits){ .cpu = limits[i].cpu };
			if (context_accepts_cpu(context, limits[i].cpu, &limits[i].failure))
				error = note_failure(context, limits[i].cpu,
						     read_limits(context, turbo, &limits[i]),
						     &limits[i].failure);
		}
		if (!error)
			error = cpufreq_turbo_state(&context->files, &turbo);
	} while (!error && turbo != before && ++tries < TURBO_TRIES);
	return message_end(&context->messages, former, error);
}

/* ---- What the kernel makes of a limit ---- */

#define ABOVE_UPPER "CPU %u: the lower frequency limit, %s, is above the upper one, %s"
#define ABOVE_HIGHEST \
	"CPU %u: the lower frequency limit, %s, is above the highest frequency of the processor, %s"
#define BELOW_LOWEST \
	"CPU %u: the upper frequency limit, %s, is below the lowest frequency of the processor, %s"
#define BELOW_LOWER \
	"CPU %u: the upper frequency limit, %s, is below the lower one, %s, which is not stated " \
	"and stays"

/** What a limit reads as in the range of the processor, as the value of its item. */
static uint64_t shown_limit(const struct frequency_limits *processor, bool max, uint64_t value)
{
	uint64_t least = processor->min_khz, most = processor->max_khz;

	if (max)
		return value >= most ? CPUFREQ_NO_LIMIT : value < least ? least : value;
	return value <= least ? 0 : value > most ? most : value;
}

/** Fits a limit to the range; one that is not shown is written whatever it reads as. */
static void fit_entry(const struct scaling_limits *limits, struct entry *entry)
{
	bool max = entry->item.kind == ITEM_SCALING_MAX;
	uint64_t shown = shown_limit(&limits->processor, max, entry->bits);

	entry->hidden = limits->hidden && entry->bits >= limits->processor.max_khz &&
			(max || (entry->bits != shown && entry->bits != LIMIT_HIGHEST));
	entry->shown = shown;
	if (!entry->hidden)
		entry->bits = shown;
}

/** The ranges of the CPUs of a step; those without cpufreq are left out. */
static int read_ranges_at_rest(const struct step *step, struct scaling_limits *limits)
{
	struct isst_context *context = step->change->context;
	enum turbo_state turbo, before;
	unsigned int tries = 0;
	int error = cpufreq_turbo_state(&context->files, &turbo);

	do {
		before = turbo;
		for (size_t i = 0; i < step->count && !error; i++) {
			limits[i] = (struct scaling_limits){
				.cpu = context_cpu(context, step->entries[i].item.index)
			};
			if (limits[i].cpu)
				error = read_range(context, turbo, &limits[i]);
			if (error == -ENOENT) {
				limits[i].cpu = NULL;
				error = 0;
			}
		}
		if (!error)
			error = cpufreq_turbo_state(&context->files, &turbo);
	} while (!error && turbo != before && ++tries < TURBO_TRIES);
	if (!error && turbo != before)
		error = message_error(&context->messages, -EIO,
				      "another process keeps switching turbo "
				      "(intel_pstate/no_turbo)");
	return error;
}

/** What planning could not see: a limit that is stated for a range which was not known before is
 * not fitted to that; an upper limit of a CPU that came online must not be below a lower one of
 * which nothing is asked; and a lower one that is stated as the highest frequency would be clipped
 * to the upper one. */
static int check_entry(const struct step *step, const struct scaling_limits *limits,
		       const struct entry *entry)
{
	struct isst_context *context = step->change->context;
	const struct frequency_limits *processor = &limits->processor;
	bool max = entry->item.kind == ITEM_SCALING_MAX;
	uint64_t wanted = max ? shown_limit(processor, true, entry->bits) : processor->max_khz;
	uint64_t other, ignored = 0;
	struct item lower;
	char text[2][KHZ_TEXT];
	int error;

	if (step->exact && entry->bits != LIMIT_HIGHEST && entry->bits != LIMIT_LOWEST &&
	    (max ? entry->bits < processor->min_khz
		 : entry->bits > processor->max_khz && !limits->hidden))
		return message_error(
			&context->messages, -EIO, max ? BELOW_LOWEST : ABOVE_HIGHEST,
			entry->item.index, khz_text(entry->bits, text[0]),
			khz_text(max ? processor->min_khz : processor->max_khz, text[1]));
	if (max ? wanted == CPUFREQ_NO_LIMIT || !item_counterpart(&entry->item, &lower) ||
			    change_project(step->change, &lower, &ignored)
		: entry->bits != LIMIT_HIGHEST || !step->exact)
		return 0;
	error = cpufreq_read(&context->files, entry->item.index,
			     max ? "scaling_min_freq" : "scaling_max_freq", &other);
	if (error || (max ? other <= wanted : other >= wanted))
		return error == -ENOENT ? 0 : error;
	return message_error(&context->messages, -EIO, max ? BELOW_LOWER : ABOVE_UPPER,
			     entry->item.index, khz_text(wanted, text[0]),
			     khz_text(other, text[1]));
}

int scaling_limits_fit(struct step *step)
{
	struct scaling_limits *limits = calloc(step->count + 1, sizeof(*limits));
	int error = limits ? read_ranges_at_rest(step, limits) : -ENOMEM;

	for (size_t i = 0; i < step->count && !error; i++) {
		if (!limits[i].cpu)
			continue;
		error = check_entry(step, &limits[i], &step->entries[i]);
		fit_entry(&limits[i], &step->entries[i]);
	}
	free(limits);
	return error;
}

/* ---- Planning ---- */

struct scaling_plan {
	struct isst_change *change;
	enum turbo_state turbo;
	struct limit_steps steps;
};

/** What is known of a CPU before the step. */
struct present_limits {
	struct scaling_limits limits;
	bool known;	  /* false: it comes online first */
	bool fixed_range; /* the steps planned so far leave the processor's range as it is */
	/* As these steps leave them; values of items. */
	uint64_t min, max;
	/* The lower limit may be higher than it reads as: none above the upper one is shown. */
	bool covered;
};

static int find_present(const struct scaling_plan *plan, struct limit_request *request,
			struct present_limits *present)
{
	struct isst_change *change = plan->change;
	const struct isst_cpu *cpu = request->cpu;
	const struct item level = item_of(ITEM_LEVEL, cpu->domain, 0);
	const struct item features = item_of(ITEM_FEATURES, cpu->domain, 0);
	const struct item max = item_of(ITEM_SCALING_MAX, cpu->domain, cpu->number);
	const struct item min = item_of(ITEM_SCALING_MIN, cpu->domain, cpu->number);
	const struct frequency_limits *processor = &present->limits.processor;
	/* A limit that goes away only has to be there. */
	const bool lifted = plan->turbo != TURBO_OFF && request->wanted.min_khz == LIMIT_KEPT &&
			    request->wanted.max_khz == LIMIT_NONE;
	uint64_t ignored = 0;
	int error;

	*present = (struct present_limits){ .limits.cpu = cpu,
					    .max = CPUFREQ_NO_LIMIT,
					    .covered = true };
	if (!cpu->online && cpu_will_be_online(change, cpu->domain, cpu->number))
		return 0;
	error = lifted ? cpufreq_read(&change->context->files, cpu->number, "scaling_max_freq",
				      &ignored)
		       : read_limits(change->context, plan->turbo, &present->limits);
	error = note_failure(change->context, cpu, error, &request->failure);
	if (error || request->failure.error)
		return error;
	present->known = true;
	present->fixed_range = lifted || (!change_project(change, &level, &ignored) &&
					  !change_project(change, &features, &ignored));
	present->max = max_value(present->limits.now.max_khz);
	present->min = present->limits.now.min_khz;
	change_project(change, &max, &present->max);
	change_project(change, &min, &present->min);
	present->covered = (present->min > processor->min_khz ? present->min
							      : processor->min_khz) >=
			   (present->max < processor->max_khz ? present->max : processor->max_khz);
	return 0;
}

/** A lower limit, where that can be known: in a range that moves the highest frequency can not. */
static uint64_t known_min(const struct present_limits *present, uint64_t khz)
{
	if (khz != LIMIT_HIGHEST)
		return khz == LIMIT_KEPT ? 0 : khz;
	return present->fixed_range ? present->limits.processor.max_khz : 0;
}

/** An upper limit, as the value of its item. */
static uint64_t known_max(const struct present_limits *present, uint64_t khz)
{
	if (khz == LIMIT_KEPT)
		return present->max;
	if (khz != LIMIT_LOWEST)
		return max_value(khz);
	return present->known ? present->limits.processor.min_khz : CPUFREQ_NO_LIMIT;
}

/** Refuses limits that the kernel would make others of. */
static void check_limits(struct messages *messages, struct limit_request *request,
			 const struct present_limits *present)
{
	const struct frequency_limits *wanted = &request->wanted,
				      *processor = &present->limits.processor;
	uint64_t min = known_min(present, wanted->min_khz);
	uint64_t max = known_max(present, wanted->max_khz);
	struct isst_failure *failure = &request->failure;
	unsigned int cpu = request->cpu->number;
	char text[2][KHZ_TEXT];

	if (min > max)
		message_failure(messages, failure, of_cpu(request->cpu->domain, cpu), -EIO,
				ABOVE_UPPER, cpu, khz_text(min, text[0]), khz_text(max, text[1]));
	else if ((request->of_max = wanted->min_khz == LIMIT_KEPT && present->min > max))
		message_failure(messages, failure, of_cpu(request->cpu->domain, cpu), -EIO,
				BELOW_LOWER, cpu, khz_text(max, text[0]),
				khz_text(present->min, text[1]));
	else if (!present->fixed_range)
		return;
	else if (min > processor->max_khz && !present->limits.hidden)
		message_failure(messages, failure, of_cpu(request->cpu->domain, cpu), -EIO,
				ABOVE_HIGHEST, cpu, khz_text(min, text[0]),
				khz_text(processor->max_khz, text[1]));
	else if ((request->of_max = wanted->max_khz != LIMIT_KEPT && max < processor->min_khz))
		message_failure(messages, failure, of_cpu(request->cpu->domain, cpu), -EIO,
				BELOW_LOWEST, cpu, khz_text(max, text[0]),
				khz_text(processor->min_khz, text[1]));
}

static void plan_limit(struct step *step, const struct isst_cpu *cpu, uint64_t value,
		       const struct present_limits *present)
{
	if (!step)
		return;
	step_set(step, item_of(step->kind, cpu->domain, cpu->number), WHOLE_VALUE, value);
	if (!present->fixed_range)
		step->before = scaling_limits_fit;
	else if (!step->change->broken)
		fit_entry(&present->limits, &step->entries[step->count - 1]);
}

static int plan_request(const struct scaling_plan *plan, struct limit_request *request)
{
	const struct frequency_limits *wanted = &request->wanted;
	const struct limit_steps *steps = &plan->steps;
	struct present_limits present;
	struct step *min;
	int error;

	request->failure = (struct isst_failure){ 0 };
	error = find_present(plan, request, &present);
	if (error || request->failure.error)
		return error;
	check_limits(&plan->change->context->messages, request, &present);
	if (request->failure.error)
		return 0;
	if (wanted->max_khz != LIMIT_KEPT)
		plan_limit(steps->max, request->cpu, max_value(wanted->max_khz), &present);
	if (wanted->min_khz == LIMIT_KEPT)
		return 0;
	/* What a CPU comes online with is not in the way of its upper limit then. */
	if (!present.known && wanted->max_khz != LIMIT_KEPT)
		plan_limit(steps->lowered_min, request->cpu, 0, &present);
	min = limit_steps_min(steps, present.min, wanted->min_khz);
	/* An upper limit that goes up may uncover a lower one, which goes down behind it. */
	if (present.covered && wanted->max_khz != LIMIT_KEPT &&
	    known_max(&present, wanted->max_khz) >= present.min)
		min = steps->raised_min;
	plan_limit(min, request->cpu, wanted->min_khz, &present);
	return 0;
}

int plan_scaling_limits(struct isst_change *change, struct limit_request *requests, size_t count)
{
	struct scaling_plan plan = { .change = change };
	int error = 0;

	for (size_t i = 0; i < count && !error; i++)
		error = context_check_cpu(change->context, requests[i].cpu);
	if (!error)
		error = change_turbo_state(change, &plan.turbo);
	plan.steps = limit_steps_begin(change, ITEM_SCALING_MAX, ITEM_SCALING_MIN);
	for (size_t i = 0; i < count && !error; i++)
		error = plan_request(&plan, &requests[i]);
	return error ? error : change_turbo_state(change, &plan.turbo);
}
