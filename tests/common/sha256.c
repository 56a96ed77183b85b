/* SPDX-License-Identifier: BSD-3-Clause */
/* Digests of the examples of FIPS 180-2 and of texts around the size of a block. */
#include "support/check.h"

#include "common/sha256.h"

#include <string.h>

static void expect(const char *text, const char *digest)
{
	char found[SHA256_DIGITS + 1];
	struct sha256 hash;

	sha256_begin(&hash);
	sha256_add(&hash, text, strlen(text));
	sha256_print(&hash, found);
	assert_string_equal(found, digest);
}

static void the_examples_of_the_standard(void **state)
{
	(void)state;
	expect("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	expect("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	expect("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
	       "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

static void a_million_letters_in_pieces(void **state)
{
	enum { PIECE = 1000, PIECES = 1000 };
	char piece[PIECE], found[SHA256_DIGITS + 1];
	struct sha256 hash;

	(void)state;
	memset(piece, 'a', sizeof(piece));
	sha256_begin(&hash);
	for (int i = 0; i < PIECES; i++)
		sha256_add(&hash, piece, sizeof(piece));
	sha256_print(&hash, found);
	assert_string_equal(found,
			    "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

/** Each way of cutting a text has the digest of the whole; printing does not end it. */
static void pieces_do_not_matter(void **state)
{
	enum { SIZE = 130 };
	char text[SIZE], whole[SHA256_DIGITS + 1], found[SHA256_DIGITS + 1];
	struct sha256 hash;

	(void)state;
	for (size_t i = 0; i < SIZE; i++)
		text[i] = (char)('0' + i % 70);
	sha256_begin(&hash);
	sha256_add(&hash, text, SIZE);
	sha256_print(&hash, whole);
	for (size_t cut = 0; cut <= SIZE; cut++) {
		sha256_begin(&hash);
		sha256_add(&hash, text, cut);
		sha256_print(&hash, found);
		sha256_add(&hash, text + cut, SIZE - cut);
		sha256_print(&hash, found);
		assert_string_equal(found, whole);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_examples_of_the_standard),
		cmocka_unit_test(a_million_letters_in_pieces),
		cmocka_unit_test(pieces_do_not_matter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
