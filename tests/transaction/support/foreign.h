/* SPDX-License-Identifier: BSD-3-Clause */
/* What another process writes to files of the kernel. */
#ifndef TESTS_TRANSACTION_FOREIGN_H
#define TESTS_TRANSACTION_FOREIGN_H

#include "transaction/support/machines.h"

/** A write to a file of the kernel; @path is to be freed. */
struct foreign {
	char *path;
	const char *value;
};

/** Some limit of a CPU or of the uncore, to a value that no request of the table writes. Returns
 * false where there is no such file. */
bool foreign_choose_limit(const struct machine *machine, struct foreign *foreign);

/** Some CPU, on- or offline. Returns false where there is no such file. */
bool foreign_choose_cpu(const struct machine *machine, struct foreign *foreign);

/** Returns whether the kernel took it. */
bool foreign_write(const struct machine *machine, const struct foreign *foreign);

#endif
