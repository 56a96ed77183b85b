/* SPDX-License-Identifier: BSD-3-Clause */
/* SHA-256 (FIPS 180-4), as sha256sum(1) prints it. */
#ifndef ISST_COMMON_SHA256_H
#define ISST_COMMON_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { SHA256_WORDS = 8, SHA256_BLOCK = 64, SHA256_DIGITS = 64 };

struct sha256 {
	uint32_t state[SHA256_WORDS];
	uint64_t size; /* of all bytes so far */
	unsigned char block[SHA256_BLOCK];
};

void sha256_begin(struct sha256 *hash);
void sha256_add(struct sha256 *hash, const void *bytes, size_t size);

/** The digest so far, in lower case hexadecimal digits. */
void sha256_print(const struct sha256 *hash, char text[SHA256_DIGITS + 1]);

#endif
