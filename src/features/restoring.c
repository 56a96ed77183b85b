/* SPDX-License-Identifier: BSD-3-Clause */
/* What `disable --auto` restores: the values that `enable --auto` saved before it replaced
 * them. */
#include "common/numbered.h"
#include "features/planning.h"
#include "topology/context.h"
#include "transaction/report.h"
#include "transaction/steps.h"
#include "transaction/turbo.h"

#include <errno.h>
#include <stdlib.h>

/* ---- Limits at base frequencies ---- */

int preset_find_limits(struct kernel_files *files, unsigned int cpu, const char **missing,
		       struct preset_limits *limits)
{
	uint64_t base_khz = 0, highest_khz = 0, lowest_khz = 0;
	const struct {
		const char *name;
		uint64_t *khz;
	} values[] = { { "base_frequency", &base_khz },
		       { "cpuinfo_max_freq", &highest_khz },
		       { "cpuinfo_min_freq", &lowest_khz } };

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		int error = cpufreq_read(files, cpu, values[i].name, values[i].khz);

		*missing = values[i].name;
		if (error)
			return error;
	}
	limits->max_khz = base_khz < highest_khz || limits->hidden ? base_khz : CPUFREQ_NO_LIMIT;
	limits->min_khz = base_khz > lowest_khz ? base_khz : 0;
	return 0;
}

/** Whether a CPU is held at its base frequency; one without cpufreq is not in the way. */
static int is_held(struct kernel_files *files, unsigned int cpu)
{
	struct preset_limits held = { 0 }, now;
	const char *missing;
	int error = preset_find_limits(files, cpu, &missing, &held);

	if (!error)
		error = cpufreq_read_limit(files, cpu, CPUFREQ_MAX, &now.max_khz);
	if (!error)
		error = cpufreq_read_limit(files, cpu, CPUFREQ_MIN, &now.min_khz);
	if (error)
		return error == -ENOENT ? 1 : error;
	return now.max_khz == held.max_khz && now.min_khz == held.min_khz;
}

/** Whether every online CPU of a domain is held at its own base frequency. Returns 0 or 1, or a
 * negative errno with a message. */
static int preset_base_freq_is_on(struct isst_context *context, const struct isst_domain *domain)
{
	unsigned int cpu;
	int held = 1;

	isst_cpuset_for_each (cpu, domain->online)
		if (held > 0)
			held = is_held(&context->files, cpu);
	return held;
}

/* ---- Restoring ---- */

/** Restoring the saved settings of one feature in one domain. */
struct restoring {
	struct isst_change *change;
	const char *name;
	const char *user; /* the other feature, where it is on and needs core-power; NULL if not */
	const struct isst_domain *domain;
	bool limits_stay; /* the turbo ratio limits: another power domain needs them as they are */
	struct item_lines *saved;
	const struct item_access *now;
	struct isst_cpuset *offline; /* CPUs whose limits stay saved until they are online */
	struct isst_cpuset *changed; /* CPUs whose items of a kind were changed since */
};

/** Whether an item is absent only because its CPU is offline: by now, whatever discovery found. */
static bool waits_for_cpu(const struct restoring *work, size_t i)
{
	return work->now[i].absent && item_is_limit(&work->saved->items[i].item);
}

/** Keeps what is saved of CPUs that are offline. */
static int retain_offline(struct restoring *work)
{
	int error = 0;

	for (size_t i = 0; i < work->saved->count && !error; i++) {
		unsigned int cpu = work->saved->items[i].item.index;

		if (!waits_for_cpu(work, i))
			continue;
		error = settings_retain(work->change, work->name, &work->saved->items[i]);
		if (!error)
			error = isst_cpuset_add(work->offline, cpu, cpu);
	}
	return error;
}

static int warn_of_offline(const struct restoring *work)
{
	char *cpus;

	if (isst_cpuset_count(work->offline) == 0)
		return 0;
	cpus = name_numbers("CPU", work->offline);
	if (!cpus)
		return -ENOMEM;
	change_warn(work->change, ISST_WARNING_SAVED_LIMITS_KEPT,
		    "%s: offline; the frequency limits from before %s enable are kept, and "
		    "restored by %s disable --auto when online",
		    cpus, work->name, work->name);
	free(cpus);
	return 0;
}

/** Turbo ratio limits stay saved until turbo-freq is disabled in all power domains of a package.
 * The kernel may write former ones again as CPUs come online: those of a domain without one stay
 * saved, too, although another one of the package puts them back. */
static int retain_limits(struct restoring *work)
{
	bool may_return = !work->domain->has_cpu && !isst_domain_is_io(work->domain);
	size_t kept = 0;
	int error = 0;

	for (size_t i = 0; i < work->saved->count && !error; i++) {
		const struct item_line *line = &work->saved->items[i];

		if (line->item.kind != ITEM_TURBO_RATIO_LIMITS ||
		    (!may_return && !work->limits_stay)) {
			work->saved->items[kept++] = *line;
			continue;
		}
		error = settings_retain(work->change, work->name, line);
	}
	work->saved->count = kept;
	return error;
}

/**
 * What a limit reads as when it is @khz. The kernel shows limits within the range of the processor,
 * which ends at the base frequency while turbo is off, and the lower one no higher than the upper
 * one. Returns 0 or a negative errno with a message.
 */
static int shown_limit(const struct restoring *work, const struct item *item, uint64_t khz,
		       uint64_t *shown_khz)
{
	struct kernel_files *files = &work->change->context->files;
	enum cpufreq_limit limit = item_limit(item);
	uint64_t upper_khz;
	int error = cpufreq_clamp(files, item->index, limit, khz, shown_khz);

	if (!error && limit == CPUFREQ_MIN) {
		error = cpufreq_read(files, item->index, "scaling_max_freq", &upper_khz);
		/* At the lowest frequency it reads as none. */
		if (!error && *shown_khz > upper_khz)
			error = cpufreq_clamp(files, item->index, limit, upper_khz, shown_khz);
	}
	if (error == -ENOENT)
		return message_error(&work->change->context->messages, -EIO,
				     "CPU %u went offline while its limits were checked",
				     item->index);
	return error;
}

/** Whether a limit that reads tighter than what `enable` wrote is another owner's. Returns 0 or 1,
 * or a negative errno with a message. */
static int is_below_another(const struct restoring *work, const struct item_line *item,
			    uint64_t now_khz)
{
	enum cpufreq_limit limit = item_limit(&item->item);
	char *owners = NULL;
	bool has;
	int error;

	if (!cpufreq_is_tighter(limit, now_khz, item->written.number))
		return 0;
	error = cpufreq_limit_owners(&work->change->context->files, item->item.index, limit,
				     &owners);
	has = owners;
	free(owners);
	return error ? error : has;
}

/** Whether an item holds what `enable` wrote. @hidden: but reads as something else. Returns 0 or 1,
 * or a negative errno with a message. */
static int is_as_written(const struct restoring *work, size_t i, bool *hidden)
{
	const struct item_line *item = &work->saved->items[i];
	struct item_value now = work->now[i].value;
	uint64_t shown_khz;
	int error;

	*hidden = false;
	if (item_value_equal(&item->item, now, item->written))
		return 1;
	if (!item_is_limit(&item->item))
		return 0;
	if (item->held && now.number == item->shown)
		return 1;
	error = shown_limit(work, &item->item, item->written.number, &shown_khz);
	*hidden = !error && now.number == shown_khz;
	if (error || *hidden)
		return error ? error : 1;
	return is_below_another(work, item, now.number);
}

/** Warns that an item was changed since it was written; what is of CPUs is collected instead. */
static int note_changed(const struct restoring *work, const struct item *item)
{
	struct isst_context *context = work->change->context;
	struct isst_cpuset *cpus = NULL;
	unsigned int cpu;
	int error = 0;

	if (item_is_limit(item))
		return isst_cpuset_add(work->changed, item->index, item->index);
	if (item->kind != ITEM_ASSOCIATION || item->index >= 64) {
		change_warn(work->change, ISST_WARNING_CHANGED_SINCE,
			    "%s: left unchanged, because it was changed after %s "
			    "enable",
			    item_describe(context, item), work->name);
		return 0;
	}
	cpus = topology_cpus_of_cores(context->topology, work->domain, UINT64_C(1) << item->index);
	if (!cpus)
		return -ENOMEM;
	isst_cpuset_for_each (cpu, cpus)
		if (!error)
			error = isst_cpuset_add(work->changed, cpu, cpu);
	isst_cpuset_free(cpus);
	return error;
}

static int warn_of_changed(const struct restoring *work, enum item_kind kind)
{
	const char *name = kind == ITEM_SCALING_MIN   ? "scaling_min_freq"
			   : kind == ITEM_SCALING_MAX ? "scaling_max_freq"
						      : "CLOS";
	char *cpus;

	if (isst_cpuset_count(work->changed) == 0)
		return 0;
	cpus = name_numbers("CPU", work->changed);
	if (!cpus)
		return -ENOMEM;
	change_warn(work->change, ISST_WARNING_CHANGED_SINCE,
		    "%s: %s: left unchanged, because it was changed after %s "
		    "enable",
		    cpus, name, work->name);
	free(cpus);
	return 0;
}

/** Whether an item is to be restored; reports where it is not. Returns as is_as_written() does. */
static int may_restore(const struct restoring *work, size_t i, bool *hidden)
{
	const struct item_line *item = &work->saved->items[i];
	const struct item_access *now = &work->now[i];
	int as_written = now->absent ? 0 : is_as_written(work, i, hidden);
	const char *user = work->user;

	if (as_written < 0)
		return as_written;
	/* It is back already. */
	if (!now->absent && !(as_written && *hidden) &&
	    item_value_equal(&item->item, now->value, item->old))
		return 0;
	if (!as_written)
		return note_changed(work, &item->item);
	if (user && (item->item.kind == ITEM_CORE_POWER || item->item.kind == ITEM_QOS)) {
		change_warn(work->change, ISST_WARNING_NEEDED_BY_FEATURE,
			    "%s: left unchanged, because %s is enabled and needs it",
			    item_describe(work->change->context, &item->item), user);
		return 0;
	}
	return 1;
}

/** Adds what puts an item back to @step, which is made where it is NULL. */
static int restore_item(const struct restoring *work, size_t i, struct step **step)
{
	const struct item_line *item = &work->saved->items[i];
	uint64_t shown_khz = 0;
	bool hidden = false;
	int may = may_restore(work, i, &hidden), error = 0;

	if (may <= 0)
		return may;
	if (hidden)
		error = shown_limit(work, &item->item, item->old.number, &shown_khz);
	if (error)
		return error;
	if (!*step)
		*step = change_step(work->change, item->item.kind);
	if (hidden)
		step_set_hidden(*step, item->item, item->old.number, shown_khz);
	else
		step_set(*step, item->item, WHOLE_VALUE, item->old.number);
	step_restores(*step);
	return 0;
}

static int restore_kind(struct restoring *work, enum item_kind kind)
{
	struct step *step = NULL;
	int error = 0;

	work->changed = isst_cpuset_new();
	if (!work->changed)
		return -ENOMEM;
	for (size_t i = 0; i < work->saved->count && !error; i++)
		if (work->saved->items[i].item.kind == kind && !waits_for_cpu(work, i))
			error = restore_item(work, i, &step);
	if (!error)
		error = warn_of_changed(work, kind);
	isst_cpuset_free(work->changed);
	work->changed = NULL;
	return error;
}

static int restore_domain(struct restoring *work)
{
	struct item_access *now = calloc(work->saved->count + 1, sizeof(*now));
	int error = now ? retain_limits(work) : -ENOMEM;

	for (size_t i = 0; i < work->saved->count && !error; i++)
		now[i].item = work->saved->items[i].item;
	if (!error)
		error = items_read(work->change->context, now, work->saved->count);
	for (size_t i = 0; i < work->saved->count && !error; i++)
		if (now[i].failure.error)
			error = message_error(&work->change->context->messages,
					      now[i].failure.error, "%s", now[i].failure.message);
	work->now = now;
	work->offline = error ? NULL : isst_cpuset_new();
	if (!error)
		error = work->offline ? retain_offline(work) : -ENOMEM;
	if (!error)
		error = warn_of_offline(work);
	/* The feature itself is the caller's business. */
	for (int kind = ITEM_CORE_POWER; kind < ITEM_KINDS && !error; kind++)
		error = restore_kind(work, (enum item_kind)kind);
	isst_cpuset_free(work->offline);
	free(now);
	return error;
}

/**
 * Whether the feature is on in a domain of the same package that was asked for, and was not
 * enabled with saved settings: these would have been kept of all domains that it reached.
 */
static int find_unsaved(struct isst_context *context, unsigned int feature,
			const struct domain_request *requests, const struct current_state *current,
			size_t i, bool *found)
{
	*found = false;
	for (size_t j = 0; j < current->count && !*found; j++) {
		int on, saved_any;

		if (!request_is_active(&requests[j]) ||
		    requests[j].domain->package != requests[i].domain->package)
			continue;
		on = context->platform.preset ? preset_base_freq_is_on(context, requests[j].domain)
					      : feature_is_on(&current->domains[j].level, feature);
		if (on < 0)
			return on;
		if (!on)
			continue;
		saved_any = settings_exist(context, feature_name(feature), requests[j].domain);
		if (saved_any < 0)
			return saved_any;
		*found = saved_any == 0;
	}
	return 0;
}

/**
 * Without saved settings for its level a domain gets the reference tool's values, unless they were
 * restored before: then what `disable` finds was restored, or is the user's. Where packages
 * share core-power, one of their domains stands for all.
 */
static int find_put_back(struct isst_context *context, unsigned int feature,
			 const struct domain_request *requests, const struct current_state *current,
			 size_t i, bool *settled)
{
	const struct isst_domain *domain = requests[i].domain;
	const char *name = feature_name(feature);
	int followed = settings_were_restored(context, name, domain,
					      current->domains[i].profile.current_level,
					      context_has_power_domains(context));
	bool unrecorded = false;
	int error = followed > 0 ? find_unsaved(context, feature, requests, current, i, &unrecorded)
				 : followed;

	*settled = followed > 0 && !unrecorded;
	return error;
}

/** Limits are compared with what they were written as: only base-freq has saved some. */
static int check_turbo(struct isst_change *change, unsigned int feature)
{
	enum turbo_state turbo;

	return feature == FEATURE_BASE_FREQ ? change_turbo_state(change, &turbo) : 0;
}

int plan_restoring(struct isst_change *change, unsigned int feature,
		   const struct domain_request *requests, const struct current_state *current,
		   bool *restored)
{
	const char *name = feature_name(feature), *other = feature_name(other_feature(feature));
	int error = check_turbo(change, feature);

	for (size_t i = 0; i < current->count && !error; i++) {
		bool used = feature_in_use(change, requests, current, i, other_feature(feature));
		struct item_lines saved;

		restored[i] = false;
		if (!request_is_active(&requests[i]))
			continue;
		error = settings_read(change->context, name, requests[i].domain,
				      current->domains[i].profile.current_level, &saved);
		if (error == -ENOENT) {
			error = find_put_back(change->context, feature, requests, current, i,
					      &restored[i]);
			continue;
		}
		if (!error) {
			struct restoring work = { .change = change,
						  .name = name,
						  .user = used ? other : NULL,
						  .domain = requests[i].domain,
						  .limits_stay = limits_stay_in_use(
							  change, requests, current, i),
						  .saved = &saved };

			restored[i] = true;
			error = restore_domain(&work);
			item_lines_clear(&saved);
		}
		if (!error)
			error = settings_forget(change, name, other, used, requests[i].domain,
						current->domains[i].profile.current_level);
	}
	return error ? error : check_turbo(change, feature);
}

/** Whether saved settings contain turbo ratio limits, or show that there were none to replace:
 * where each domain has its own, turbo-freq was off before, and they were as it wants them. */
static bool has_limits(const struct isst_context *context, const struct item_lines *saved)
{
	for (size_t i = 0; i < saved->count; i++) {
		const struct item_line *line = &saved->items[i];

		if (line->item.kind == ITEM_TURBO_RATIO_LIMITS ||
		    (line->item.kind == ITEM_FEATURES && !context_has_power_domains(context) &&
		     !(line->old.number & FEATURE_TURBO_FREQ)))
			return true;
	}
	return false;
}

/** Whether two domains have the same turbo ratio limits. */
static bool share_limits(const struct isst_context *context, const struct isst_domain *one,
			 const struct isst_domain *other)
{
	return one == other ||
	       (context_has_power_domains(context) && one->package == other->package);
}

int find_restored_limits(struct isst_change *change, const struct domain_request *requests,
			 const struct current_state *current, const bool *restored, bool *limits)
{
	struct isst_context *context = change->context;

	for (size_t i = 0; i < current->count; i++) {
		struct item_lines saved;
		int error;

		if (!request_is_active(&requests[i]) || !restored[i])
			continue;
		error = settings_read(context, feature_name(FEATURE_TURBO_FREQ), requests[i].domain,
				      current->domains[i].profile.current_level, &saved);
		limits[i] |= error == -ENOENT;
		if (error == -ENOENT)
			continue;
		if (error)
			return error;
		for (size_t j = 0; j < current->count && has_limits(context, &saved); j++)
			limits[j] |= share_limits(context, requests[i].domain, requests[j].domain);
		item_lines_clear(&saved);
	}
	return 0;
}
