/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs that set frequencies, too, by their processes. */
#include "explain/survey.h"
#include "support/fake_context.h"

#include <stdlib.h>

static void add_process(struct fake_machine *fake, unsigned int number, const char *name)
{
	char *path;

	assert_true(asprintf(&path, "/proc/%u/comm", number) >= 0);
	fake_file(&fake->files, path, "%s", name);
	free(path);
}

enum { TUNED = 0, KUBELET = 3 };

/** Asserts which process of a manager counts; 0: none does. There is no other manager. */
static void check_manager(struct fake_machine *fake, size_t manager, unsigned int process,
			  unsigned int plugin)
{
	freed_by(isst_close) struct isst_context *context = fake_context(fake);
	struct survey survey = { .context = context };

	fake->files.listable = true;
	fake_file(&fake->files, "/run/systemd/units/log-level-max:other.service", "%s", "");
	survey_read_managers(&survey);
	assert_int_equal(survey.error, 0);
	for (size_t i = 0; i < MANAGERS; i++) {
		assert_int_equal(survey.managers[i].process, i == manager ? process : 0);
		assert_false(survey.managers[i].active);
	}
	if (process)
		assert_int_equal(survey.managers[manager].plugin, plugin);
}

FAKE_TEST(kubelet_without_a_plugin_is_no_manager)
{
	add_process(fake, 1, "systemd");
	add_process(fake, 900, "kubelet");
	check_manager(fake, KUBELET, 0, 0);
}

FAKE_TEST(a_plugin_without_kubelet_is_no_manager)
{
	add_process(fake, 1, "systemd");
	add_process(fake, 950, "cri-resmgr");
	check_manager(fake, KUBELET, 0, 0);
}

/** The kernel keeps 15 characters of a name. */
FAKE_TEST(kubelet_with_a_plugin_is_one_manager)
{
	add_process(fake, 950, "nri-resource-po");
	add_process(fake, 900, "kubelet");
	add_process(fake, 960, "nri-resource-po");
	check_manager(fake, KUBELET, 900, 950);
}

FAKE_TEST(others_need_no_plugin)
{
	add_process(fake, 700, "tuned");
	check_manager(fake, TUNED, 700, 0);
}
