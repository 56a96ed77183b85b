/* SPDX-License-Identifier: BSD-3-Clause */
/* FNV-1a, to detect changed content; no defence against an attacker. */
#ifndef ISST_COMMON_HASH_H
#define ISST_COMMON_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define HASH_START UINT64_C(0xcbf29ce484222325) /* the hash of nothing */
#define HASH_PRIME UINT64_C(0x100000001b3)

/** Adds bytes to a hash. */
static inline uint64_t hash_bytes(uint64_t hash, const void *data, size_t size)
{
	const unsigned char *byte = data;

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ byte[i]) * HASH_PRIME;
	return hash;
}

/** Adds a number of @size bytes, independent of byte order. */
static inline uint64_t hash_number(uint64_t hash, uint64_t number, size_t size)
{
	for (size_t i = 0; i < size; i++)
		hash = (hash ^ (unsigned char)(number >> (8 * i))) * HASH_PRIME;
	return hash;
}

/** Adds a text with its NUL: "a", "bc" is not "ab", "c". */
static inline uint64_t hash_string(uint64_t hash, const char *text)
{
	return hash_bytes(hash, text, strlen(text) + 1);
}

static inline uint64_t hash_text(const char *text)
{
	return hash_bytes(HASH_START, text, strlen(text));
}

/** Another hash, for large contents: by whole words. */
static inline uint64_t hash_words(const void *data, size_t size)
{
	const unsigned char *byte = data;
	uint64_t hash = HASH_START, word;

	for (; size >= sizeof(word); size -= sizeof(word), byte += sizeof(word)) {
		memcpy(&word, byte, sizeof(word));
		hash = (hash ^ word) * HASH_PRIME;
		hash ^= hash >> 32;
	}
	return hash_bytes(hash, byte, size);
}

#endif
