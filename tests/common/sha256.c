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

/** The length of a text is in its last block, if it fits in there. As sha256sum(1) of as many
 * letters. */
static void texts_around_the_size_of_a_block(void **state)
{
	static const struct {
		int length;
		const char *digest;
	} texts[] = {
		{ 55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318" },
		{ 56, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a" },
		{ 63, "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34" },
		{ 64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb" },
		{ 65, "635361c48bb9eab14198e76ea8ab7f1a41685d6ad62aa9146d301d4f17eb0ae0" },
		{ 119, "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb" },
		{ 120, "2f3d335432c70b580af0e8e1b3674a7c020d683aa5f73aaaedfdc55af904c21c" },
		{ 127, "c57e9278af78fa3cab38667bef4ce29d783787a2f731d4e12200270f0c32320a" },
		{ 128, "6836cf13bac400e9105071cd6af47084dfacad4e5e302c94bfed24e013afb73e" },
	};
	char text[129];

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		memset(text, 'a', sizeof(text));
		text[texts[i].length] = '\0';
		expect(text, texts[i].digest);
	}
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
		cmocka_unit_test(texts_around_the_size_of_a_block),
		cmocka_unit_test(a_million_letters_in_pieces),
		cmocka_unit_test(pieces_do_not_matter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
