/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Errors by the names that they have in documents and headers (EIO), and back: in messages, and in
 * files that are written on one machine and read on another. Of the C libraries only newer ones
 * know names, and none knows those of the kernel's own.
 */
#ifndef ISST_BASE_ERROR_NAME_H
#define ISST_BASE_ERROR_NAME_H

/** The largest errno that the kernel can answer with. */
enum { ERROR_NUMBER_MAX = 4095 };

/** Text with memory of its own, valid to the end of the expression: error_name(error).text. */
struct error_text {
	char text[sizeof("ENOTRECOVERABLE")];
};

/**
 * The name of an error; its number in decimal where it has no name.
 *
 * @error: an errno, positive or negative
 */
struct error_text error_name(int error);

/**
 * The error of a name, or of a number 1..4095 in decimal: everything that error_name() gives for
 * an error, and other names for the same number (EWOULDBLOCK). Returns the positive errno, or 0
 * where there is no such error.
 */
int error_number(const char *name);

#endif
