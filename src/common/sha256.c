/* SPDX-License-Identifier: BSD-3-Clause */
/* SHA-256 (FIPS 180-4). */
#include "common/sha256.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { ROUNDS = 64, WORD_BITS = 32, LENGTH_BYTES = 8, FIRST_WORDS = 16 };

/* Fractional parts of the cube roots of the first 64 primes. */
static const uint32_t CONSTANTS[ROUNDS] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
	0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
	0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
	0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
	0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
	0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
	0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
	0xc67178f2
};

static uint32_t rotate(uint32_t word, unsigned int bits)
{
	return word >> bits | word << (WORD_BITS - bits);
}

static void fill_schedule(uint32_t words[ROUNDS], const unsigned char *block)
{
	for (size_t i = 0; i < FIRST_WORDS; i++)
		words[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
			   (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
	for (size_t i = FIRST_WORDS; i < ROUNDS; i++) {
		uint32_t early = words[i - 15], late = words[i - 2];

		words[i] = words[i - 16] + words[i - 7] +
			   (rotate(early, 7) ^ rotate(early, 18) ^ early >> 3) +
			   (rotate(late, 17) ^ rotate(late, 19) ^ late >> 10);
	}
}

static void add_block(uint32_t state[SHA256_WORDS], const unsigned char *block)
{
	uint32_t words[ROUNDS], v[SHA256_WORDS];

	fill_schedule(words, block);
	memcpy(v, state, sizeof(v));
	for (size_t i = 0; i < ROUNDS; i++) {
		uint32_t choice = (v[4] & v[5]) ^ (~v[4] & v[6]);
		uint32_t majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
		uint32_t first = v[7] + (rotate(v[4], 6) ^ rotate(v[4], 11) ^ rotate(v[4], 25)) +
				 choice + CONSTANTS[i] + words[i];
		uint32_t second = (rotate(v[0], 2) ^ rotate(v[0], 13) ^ rotate(v[0], 22)) +
				  majority;

		memmove(v + 1, v, sizeof(v) - sizeof(v[0]));
		v[4] += first;
		v[0] = first + second;
	}
	for (size_t i = 0; i < SHA256_WORDS; i++)
		state[i] += v[i];
}

void sha256_begin(struct sha256 *hash)
{
	static const uint32_t FIRST[SHA256_WORDS] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372,
						      0xa54ff53a, 0x510e527f, 0x9b05688c,
						      0x1f83d9ab, 0x5be0cd19 };

	*hash = (struct sha256){ 0 };
	memcpy(hash->state, FIRST, sizeof(FIRST));
}

void sha256_add(struct sha256 *hash, const void *bytes, size_t size)
{
	const unsigned char *from = bytes;

	while (size > 0) {
		size_t filled = hash->size % SHA256_BLOCK;
		size_t count = SHA256_BLOCK - filled;

		if (count > size)
			count = size;
		memcpy(hash->block + filled, from, count);
		hash->size += count;
		if (filled + count == SHA256_BLOCK)
			add_block(hash->state, hash->block);
		from += count;
		size -= count;
	}
}

void sha256_print(const struct sha256 *hash, char text[SHA256_DIGITS + 1])
{
	static const unsigned char PADDING[SHA256_BLOCK] = { 0x80 };
	struct sha256 whole = *hash;
	size_t used = (size_t)((hash->size + LENGTH_BYTES) % SHA256_BLOCK);
	uint64_t bits = hash->size * 8;
	unsigned char length[LENGTH_BYTES];

	for (size_t i = 0; i < LENGTH_BYTES; i++)
		length[i] = (unsigned char)(bits >> (8 * (LENGTH_BYTES - 1 - i)));
	sha256_add(&whole, PADDING, SHA256_BLOCK - used);
	sha256_add(&whole, length, sizeof(length));
	for (size_t i = 0; i < SHA256_WORDS; i++)
		snprintf(text + 8 * i, 9, "%08" PRIx32, whole.state[i]);
}
