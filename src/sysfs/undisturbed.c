/* SPDX-License-Identifier: BSD-3-Clause */
/* CPUs that the administrator keeps free of everything but their own work. Knows no Speed Select.
 */
#include "sysfs/undisturbed.h"
#include "base/messages.h"
#include "sysfs/cpu_lists.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char NOHZ_FULL[] = CPU_DIRECTORY "/nohz_full";

/** Without nohz_full the kernel shows a set that it does not have: `(null)`, padded. */
static int add_nohz_full(struct kernel_files *files, struct isst_cpuset *cpus)
{
	char *text;
	int error = kernel_files_text(files, NOHZ_FULL, &text);

	if (error)
		return error == -ENOENT ? 0 : error;
	if (!strstr(text, "(null)") && isst_cpuset_add_list(cpus, text, NULL))
		error = message_error(files->messages, -EIO,
				      "%s: " CONTENT " is not a list of CPUs", NOHZ_FULL,
				      CONTENT_OF(text));
	free(text);
	return error;
}

int undisturbed_cpus(struct kernel_files *files, struct isst_cpuset *cpus)
{
	int error = cpu_lists_isolated(files, cpus);

	return error ? error : add_nohz_full(files, cpus);
}

const struct isst_cpuset *undisturbed_known(struct kernel_files *files)
{
	const char *before;

	if (files->undisturbed)
		return files->undisturbed;
	files->undisturbed = isst_cpuset_new();
	if (!files->undisturbed)
		return NULL;
	/* A message would be taken for the cause of the next failure. */
	before = message_begin(files->messages);
	(void)undisturbed_cpus(files, files->undisturbed);
	files->messages->error = before;
	return files->undisturbed;
}

void undisturbed_forget(struct kernel_files *files)
{
	isst_cpuset_free(files->undisturbed);
	files->undisturbed = NULL;
}
