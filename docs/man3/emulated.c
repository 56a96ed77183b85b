/* SPDX-License-Identifier: BSD-3-Clause */
#include <isst-emulator.h>
#include <isst-journal.h>
#include <stdio.h>
#include <stdlib.h>

/* Opens a context on the emulated machine, whose state is kept in a directory. */
static struct isst_context *open_emulated(const char *platform, const char *directory)
{
	struct isst_emulator_target *target = isst_emulator_target_new(platform);
	struct isst_context *context = NULL;
	struct isst_machine *machine = NULL;
	char *message = NULL;

	if (target && isst_emulator_target_set_state(target, directory) == 0 &&
	    isst_emulator_open(target, &machine, &message) == 0)
		isst_open_machine(machine, NULL, &context);
	if (!context)
		fprintf(stderr, "%s\n", message ? message : "the machine cannot be opened");
	free(message);
	isst_emulator_target_free(target);
	return context;
}

static int enable_core_power(struct isst_context *context)
{
	struct isst_targets *targets = isst_targets_new(context);
	struct isst_change *change = NULL;
	const struct isst_change_step *step;
	int error = targets ? isst_targets_add_all_domains(targets, 0) : -1;

	if (!error)
		error = isst_change_new(context, NULL, &change);
	if (!error)
		error = isst_change_add(change, ISST_SET_CORE_POWER, targets, NULL, ISST_ADD_ENABLE,
					NULL);
	if (!error)
		error = isst_change_run(change);
	for (size_t i = 0; !error && (step = isst_change_step_at(change, i)) != NULL; i++)
		printf("%s: %s -> %s\n", isst_change_step_target(step),
		       isst_change_step_old_text(step), isst_change_step_new_text(step));
	isst_change_free(change);
	isst_targets_free(targets);
	return error;
}

int main(int argc, char **argv)
{
	struct isst_context *context = argc == 2 ? open_emulated("guide", argv[1]) : NULL;
	int error;

	if (!context)
		return 1;
	error = isst_lock(context, 1000, 0);
	if (!error)
		error = isst_discover(context);
	if (!error)
		error = enable_core_power(context);
	if (error)
		fprintf(stderr, "%s\n", isst_error(context));
	isst_close(context);
	return error ? 1 : 0;
}
