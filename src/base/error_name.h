/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of errors (EIO), for messages and for files. Only newer C libraries know names, and none
 * those of the kernel's own errors. */
#ifndef ISST_BASE_ERROR_NAME_H
#define ISST_BASE_ERROR_NAME_H

enum { ERROR_NUMBER_MAX = 4095 }; /* that the kernel can answer with */

/** Valid to the end of the expression: error_name(error).text. */
struct error_text {
	char text[sizeof("ENOTRECOVERABLE")];
};

/** The name of an errno, positive or negative, or else its decimal number. */
struct error_text error_name(int error);

/** The positive errno of a name, also of a synonym (EWOULDBLOCK), or of a decimal number; 0: none.
 */
int error_number(const char *name);

#endif
