/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/descriptor.h"
#include "isst.h"
#include "number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

unsigned int descriptor_lock_holder(int descriptor)
{
	static const char FLOCK[] = "FLOCK  ADVISORY  ";
	FILE *locks = fopen("/proc/locks", "re");
	bool exists, exclusive = false;
	char *line = NULL, wanted[64];
	struct stat file = { 0 };
	unsigned int holder = 0;
	size_t space = 0;

	if (!locks)
		return 0;
	exists = fstat(descriptor, &file) == 0;
	snprintf(wanted, sizeof(wanted), " %02x:%02x:%llu ", major(file.st_dev), minor(file.st_dev),
		 (unsigned long long)file.st_ino);
	while (exists && !exclusive && getline(&line, &space, locks) > 0) {
		char *type = strstr(line, wanted) ? strstr(line, FLOCK) : NULL, *number;
		uint64_t process;

		/* Those that wait have an arrow. */
		if (!type || strstr(line, "->"))
			continue;
		type += sizeof(FLOCK) - 1;
		/* `READ` is shorter than `WRITE`, and not filled up with blanks. */
		number = type + strcspn(type, " ");
		number += strspn(number, " ");
		number[strspn(number, "0123456789")] = '\0';
		if (number_parse(number, 10, UINT32_MAX, &process))
			continue;
		exclusive = strncmp(type, "WRITE ", 6) == 0;
		holder = (unsigned int)process;
	}
	free(line);
	fclose(locks);
	return holder;
}
