/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * as UID CAPABILITIES COMMAND...: runs a command as another user who has some of root's
 * capabilities: names joined by commas, or - for none.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct {
	const char *name;
	int number;
} names[] = {
	{ "sys_admin", CAP_SYS_ADMIN },
	{ "dac_override", CAP_DAC_OVERRIDE },
};

static void fail(const char *what)
{
	fprintf(stderr, "as: %s: %s\n", what, strerror(errno));
	exit(127);
}

static unsigned int parse(char *list)
{
	unsigned int set = 0;

	for (char *word = strtok(list, ","); word; word = strtok(NULL, ","))
		for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
			if (!strcmp(word, names[i].name))
				set |= 1U << names[i].number;
	return set;
}

static void take(unsigned int set)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = {
		{ .effective = set, .permitted = set, .inheritable = set },
	};

	if (syscall(SYS_capset, &header, data))
		fail("capset");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (set & 1U << names[i].number &&
		    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, names[i].number, 0, 0))
			fail("ambient capabilities");
}

int main(int argc, char **argv)
{
	if (argc < 4)
		return 127;
	uid_t user = (uid_t)atoi(argv[1]);

	/* Otherwise root would have them all again once the command starts. */
	if (prctl(PR_SET_SECUREBITS, SECBIT_NOROOT | SECBIT_KEEP_CAPS) || setgroups(0, NULL) ||
	    setresgid(user, user, user) || setresuid(user, user, user))
		fail("user");
	take(parse(argv[2]));
	execvp(argv[3], argv + 3);
	fail(argv[3]);
}
