/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of RCU below /sys/kernel. */
#include "sysfs/rcu.h"
#include "base/messages.h"
#include "sysfs/cpu_lists.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char EXPEDITED[] = "/sys/kernel/rcu_expedited";
static const char NORMAL[] = "/sys/kernel/rcu_normal";

/** Any number but 0 switches it on. */
static int read_switch(struct kernel_files *files, const char *path, bool *on)
{
	char *text;
	int error = kernel_files_text(files, path, &text);

	if (error)
		return error;
	*on = strcmp(text, "0") != 0;
	free(text);
	return 0;
}

int rcu_read_expedited(struct kernel_files *files, bool *expedited)
{
	return read_switch(files, EXPEDITED, expedited);
}

int rcu_write_expedited(struct kernel_files *files, bool expedited)
{
	return kernel_files_write(files, EXPEDITED, expedited ? "1" : "0");
}

int rcu_may_expedite(struct kernel_files *files, bool *may)
{
	const char *before = message_begin(files->messages);
	struct isst_cpuset *undisturbed = isst_cpuset_new();
	bool expedited = true, normal = true;
	int error = undisturbed ? read_switch(files, EXPEDITED, &expedited) : -ENOMEM;

	if (!error)
		error = read_switch(files, NORMAL, &normal);
	if (!error && !expedited && !normal)
		error = undisturbed_cpus(files, undisturbed);
	*may = !error && !expedited && !normal && isst_cpuset_count(undisturbed) == 0;
	isst_cpuset_free(undisturbed);
	files->messages->error = before;
	return error == -ENOMEM ? error : 0;
}
