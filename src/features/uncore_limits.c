/* SPDX-License-Identifier: BSD-3-Clause */
/* Limits of the uncore: reading them, and planning others. */
#include "base/number.h"
#include "features/planning.h"
#include "topology/context.h"
#include "transaction/steps.h"

#include <errno.h>

/* ---- Limits of a package, which cover those of its fabrics ---- */

static bool is_of(const struct entry *entry, unsigned int package)
{
	return entry->item.package == package && !item_is_of_package(&entry->item);
}

/* ---- Once a step was made ---- */

/** Whether there is a limit of the package that holds @entry back. */
static bool has_limit(struct isst_context *context, const struct entry *entry)
{
	const struct uncore_place place = { .package = entry->item.package };
	const char *message = context->messages.error;
	uint64_t khz;
	bool there = !uncore_read_limit(&context->files, &place, item_limit(&entry->item), &khz) &&
		     khz == entry->wanted.number;

	context->messages.error = message;
	return there;
}

/** Moves the package's limit to the widest that is asked for, which sets all of its steps. */
static void move_package(struct step *step, const struct entry *held)
{
	struct isst_change *change = step->change;
	struct item item = held->item;
	struct step *package = change_step_behind(step, step->kind);
	bool max = step->kind == ITEM_UNCORE_MAX;
	uint64_t widest = max ? 0 : UINT64_MAX;

	for (size_t i = 0; i < step->count; i++) {
		const struct entry *entry = &step->entries[i];

		if (is_of(entry, item.package) &&
		    (max ? entry->bits > widest : entry->bits < widest))
			widest = entry->bits;
	}
	item.index = UNCORE_OF_PACKAGE;
	step_set(package, item, WHOLE_VALUE, widest);
	if (!package || package->count == 0)
		return;
	package->exact = step->exact;
	for (size_t i = 0; i < change->count; i++)
		for (size_t j = 0; j < change->steps[i]->count; j++) {
			const struct entry *entry = &change->steps[i]->entries[j];
			bool known = change->steps[i]->kind != step->kind ||
				     !is_of(entry, item.package);

			for (size_t k = 0; k < package->footprint_count; k++)
				known |= item_is(&package->footprint[k].item, &entry->item);
			if (!known)
				step_disturbs(package, entry->item);
		}
}

/** Behind a step whose limits were held back in some packages. */
static int widen_packages(struct step *step)
{
	struct isst_context *context = step->change->context;

	for (size_t i = 0; i < step->count; i++) {
		struct entry *entry = &step->entries[i];
		unsigned int package = entry->item.package;
		struct step *again;

		if (!entry->provisional || entry->state < ENTRY_WRITTEN || entry->refused ||
		    entry->wanted.number == entry->bits)
			continue;
		/* All limits of the package once more: what was asked for counts now. */
		again = change_step_behind(step, step->kind);
		if (again)
			again->exact = step->exact;
		for (size_t j = 0; j < step->count; j++)
			if (is_of(&step->entries[j], package))
				step_set(again, step->entries[j].item, WHOLE_VALUE,
					 step->entries[j].bits);
		if (has_limit(context, entry))
			move_package(step, entry);
		for (size_t j = i; j < step->count; j++)
			if (step->entries[j].item.package == package)
				step->entries[j].provisional = false;
	}
	return 0;
}

/* ---- Planning those of a package ---- */

/** Where the steps set a limit of all that a package has, they may move that of the package: behind
 * one that was held back by it, steps are added that move it, and set the limits again. A lower
 * limit is in one of two steps. Returns 0 or -ENOMEM. */
static int uncore_package_plan(const struct limit_steps *steps, unsigned int package)
{
	struct isst_context *context;
	size_t clusters;
	int error;

	if (!steps->max || !steps->lowered_min || !steps->raised_min)
		return 0; /* memory is short, which is noted */
	context = steps->max->change->context;
	if (!context_has_power_domains(context))
		return 0;
	error = uncore_count_of_package(&context->files, package, &clusters);
	if (error)
		return error == -ENOMEM ? error : 0;
	for (int max = 0; max < 2; max++) {
		struct step *step = max ? steps->max : steps->lowered_min;
		const struct step *const of[] = { step, max ? NULL : steps->raised_min };
		size_t count = 0;

		for (size_t i = 0; i < 2; i++)
			for (size_t j = 0; of[i] && j < of[i]->count; j++)
				count += is_of(&of[i]->entries[j], package);
		if (clusters == 0 || count != clusters)
			continue;
		for (size_t i = 0; i < step->count; i++)
			if (is_of(&step->entries[i], package))
				step->entries[i].provisional = true;
		step->after = widen_packages;
	}
	return 0;
}

/* ---- Limits of fabrics ---- */

/* The kernel counts in these steps, and takes 1 to 127 of them. */
enum { STEP_KHZ = 100000, MOST_STEPS = 127 };

struct uncore_place uncore_place_of(const struct isst_context *context,
				    const struct isst_domain *domain, unsigned int fabric)
{
	return (struct uncore_place){ domain->package, domain->die,
				      context_has_power_domains(context), domain->number, fabric };
}

const char *uncore_why_none(struct isst_context *context, const struct uncore_place *place)
{
	if (!place->of_domain)
		return place->cluster > 0 ? "the kernel provides no such fabric"
					  : "the kernel provides none (module "
					    "intel_uncore_frequency)";
	if (uncore_is_ambiguous(&context->files, place))
		return "the kernel's numbers (domain_id, instance_id) do not show which of its "
		       "directories is this power domain's";
	if (place->cluster > 0)
		return "the kernel provides no such fabric";
	return "the kernel provides none (module intel_uncore_frequency_tpmi)";
}

/* ---- Reading ---- */

static int read_now(struct isst_context *context, const struct uncore_place *place,
		    struct frequency_limits *limits)
{
	int error;

	/* A die has one set of limits. */
	if (!place->of_domain && place->cluster > 0)
		return -ENOENT;
	error = uncore_read_limit(&context->files, place, CPUFREQ_MAX, &limits->max_khz);
	return error ? error
		     : uncore_read_limit(&context->files, place, CPUFREQ_MIN, &limits->min_khz);
}

static void reject(struct isst_context *context, const struct isst_domain *domain,
		   unsigned int fabric, struct isst_failure *failure, int error, const char *why)
{
	if (context_has_power_domains(context) || fabric > 0)
		message_failure(&context->messages, failure, of_domain(domain), error,
				"%s: uncore limits of fabric %u: %s", domain->name, fabric, why);
	else
		message_failure(&context->messages, failure, of_domain(domain), error,
				"%s: uncore limits: %s", domain->name, why);
}

/** Notes why limits cannot be read. Returns -ENOMEM, which ends the call, or 0. */
static int note_failure(struct isst_context *context, const struct isst_domain *domain,
			unsigned int fabric, int error, struct isst_failure *failure)
{
	const struct uncore_place place = uncore_place_of(context, domain, fabric);

	if (error == -ENOMEM)
		return error;
	if (error == -ENOENT)
		reject(context, domain, fabric, failure, -EOPNOTSUPP,
		       uncore_why_none(context, &place));
	else if (error)
		reject(context, domain, fabric, failure, error, isst_error(context));
	return 0;
}

int uncore_limits_read(struct isst_context *context, struct uncore_limits *limits, size_t count)
{
	const char *before = message_begin(&context->messages);
	struct kernel_files *files = &context->files;
	int error = context_check_discovered(context);

	for (size_t i = 0; i < count && !error; i++) {
		struct frequency_limits *initial = &limits[i].initial;
		struct uncore_place place;
		int shown;

		limits[i] = (struct uncore_limits){ .domain = limits[i].domain,
						    .fabric = limits[i].fabric };
		if (!context_accepts_domain(context, limits[i].domain, &limits[i].failure))
			continue;
		place = uncore_place_of(context, limits[i].domain, limits[i].fabric);
		error = read_now(context, &place, &limits[i].now);
		if (!error) {
			/* Those that the kernel does not show are 0. */
			shown = uncore_read_initial(files, &place, CPUFREQ_MAX, &initial->max_khz);
			if (!shown)
				shown = uncore_read_initial(files, &place, CPUFREQ_MIN,
							    &initial->min_khz);
			if (shown)
				*initial = (struct frequency_limits){ 0 };
			error = shown == -ENOENT ? 0 : shown;
		}
		error = note_failure(context, limits[i].domain, limits[i].fabric, error,
				     &limits[i].failure);
	}
	return message_end(&context->messages, before, error);
}

int uncore_fabric_count(struct isst_context *context, const struct isst_domain *domain,
			unsigned int *count)
{
	const char *before = message_begin(&context->messages);
	int error = context_check_domain(context, domain);

	*count = 0;
	if (!error) {
		const struct uncore_place place = uncore_place_of(context, domain, 0);

		error = uncore_count_clusters(&context->files, &place, count);
	}
	return message_end(&context->messages, before, error);
}

/* ---- Planning those of fabrics ---- */

int uncore_limits_project(struct isst_change *change, const struct isst_domain *domain,
			  unsigned int fabric, struct frequency_limits *limits)
{
	const struct uncore_place place = uncore_place_of(change->context, domain, fabric);
	const struct item max = item_of(ITEM_UNCORE_MAX, domain, fabric);
	const struct item min = item_of(ITEM_UNCORE_MIN, domain, fabric);
	int error = read_now(change->context, &place, limits);

	if (error)
		return error;
	change_project(change, &max, &limits->max_khz);
	change_project(change, &min, &limits->min_khz);
	return 0;
}

/** What is there, and what the limits that are asked for are. */
static int find_values(struct isst_change *change, struct limit_request *request,
		       struct frequency_limits *present, struct frequency_limits *values)
{
	const struct frequency_limits *wanted = &request->wanted;
	int error = uncore_limits_project(change, request->domain, request->fabric, present);

	*values = *present;
	if (wanted->max_khz != LIMIT_KEPT)
		values->max_khz = wanted->max_khz / STEP_KHZ * STEP_KHZ;
	if (wanted->min_khz != LIMIT_KEPT)
		values->min_khz = wanted->min_khz / STEP_KHZ * STEP_KHZ;
	else if (values->min_khz > values->max_khz)
		values->min_khz = values->max_khz;
	return note_failure(change->context, request->domain, request->fabric, error,
			    &request->failure);
}

static void check_values(struct isst_change *change, struct limit_request *request,
			 const struct frequency_limits *values)
{
	const struct frequency_limits *wanted = &request->wanted;
	struct messages *messages = &change->context->messages;
	char text[2][KHZ_TEXT];
	const char *why = NULL;

	for (int max = 1; max >= 0 && !why; max--) {
		uint64_t asked = max ? wanted->max_khz : wanted->min_khz;
		uint64_t khz = max ? values->max_khz : values->min_khz;

		if (asked != LIMIT_KEPT && (khz < STEP_KHZ || khz / STEP_KHZ > MOST_STEPS))
			why = message_make(messages, "the %s is %s, and may be 100 to %d MHz",
					   max ? "maximum" : "minimum", khz_text(asked, text[0]),
					   MOST_STEPS * (STEP_KHZ / 1000));
		request->of_max = max && why;
	}
	if (!why && values->min_khz > values->max_khz && !request->may_cross)
		why = message_make(messages, "the minimum, %s, is above the maximum, %s",
				   khz_text(values->min_khz, text[0]),
				   khz_text(values->max_khz, text[1]));
	if (why)
		reject(change->context, request->domain, request->fabric, &request->failure, -EIO,
		       why);
}

static int plan_request(struct isst_change *change, const struct limit_steps *steps,
			struct limit_request *request)
{
	const struct item max = item_of(ITEM_UNCORE_MAX, request->domain, request->fabric);
	const struct item min = item_of(ITEM_UNCORE_MIN, request->domain, request->fabric);
	struct frequency_limits present = { 0 }, values;
	int error;

	request->failure = (struct isst_failure){ 0 };
	error = find_values(change, request, &present, &values);
	if (error || request->failure.error)
		return error;
	check_values(change, request, &values);
	if (request->failure.error)
		return 0;
	if (request->wanted.max_khz != LIMIT_KEPT)
		step_set(steps->max, max, WHOLE_VALUE, values.max_khz);
	if (request->wanted.min_khz != LIMIT_KEPT || values.min_khz != present.min_khz)
		step_set(limit_steps_min(steps, present.min_khz, values.min_khz), min, WHOLE_VALUE,
			 values.min_khz);
	return 0;
}

int plan_uncore_limits(struct isst_change *change, struct limit_request *requests, size_t count)
{
	const struct limit_steps steps = limit_steps_begin(change, ITEM_UNCORE_MAX,
							   ITEM_UNCORE_MIN);
	int error = 0;

	for (size_t i = 0; i < count && !error; i++)
		error = context_check_domain(change->context, requests[i].domain);
	for (size_t i = 0; i < count && !error; i++)
		error = plan_request(change, &steps, &requests[i]);
	for (size_t i = 0; i < count && !error; i++)
		if (requests[i].with_package)
			error = uncore_package_plan(&steps, requests[i].domain->package);
	return error;
}
