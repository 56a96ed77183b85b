/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints what firmware, driver and kernel of the emulated machines in the directories given
 * remember. */
#include "support/snapshot.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		char *text = machine_snapshot_memory(argv[i]);

		if (!text) {
			perror(argv[i]);
			return 1;
		}
		fputs(text, stdout);
		free(text);
	}
	return 0;
}
