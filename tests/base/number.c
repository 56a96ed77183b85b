/* SPDX-License-Identifier: BSD-3-Clause */
/* The strict parser of numbers. */
#include "common/number.h"
#include "support/check.h"

static const uint64_t UNTOUCHED = 0x5a5a;

static void check_parsed(const char *text, unsigned int base, uint64_t max, uint64_t expected)
{
	uint64_t value = UNTOUCHED;

	if (number_parse(text, base, max, &value) != 0)
		fail_msg("'%s' is refused", text);
	assert_int_equal(value, expected);
}

static void check_refused(const char *text, unsigned int base, uint64_t max, int error)
{
	uint64_t value = UNTOUCHED;
	int result = number_parse(text, base, max, &value);

	if (result != error)
		fail_msg("'%s' gives %d instead of %d", text, result, error);
	assert_int_equal(value, UNTOUCHED);
}

TEST(digits_are_a_decimal_number)
{
	check_parsed("0", 10, 10, 0);
	check_parsed("7", 10, 10, 7);
	check_parsed("10", 10, 10, 10);
	check_parsed("4294967295", 10, UINT32_MAX, UINT32_MAX);
}

TEST(leading_zeros_are_decimal_not_octal)
{
	check_parsed("010", 10, 100, 10);
	check_parsed("010", 0, 100, 10);
	check_parsed("00000000000000000000000000000007", 10, 100, 7);
	check_parsed("09", 0, 100, 9);
}

TEST(the_largest_number_of_64_bits_is_parsed)
{
	check_parsed("18446744073709551615", 10, UINT64_MAX, UINT64_MAX);
	check_parsed("0xffffffffffffffff", 16, UINT64_MAX, UINT64_MAX);
	check_parsed("0xFFFFFFFFFFFFFFFF", 0, UINT64_MAX, UINT64_MAX);
}

TEST(D18_an_overflowing_number_is_out_of_range)
{
	check_refused("18446744073709551616", 10, UINT64_MAX, -ERANGE);
	check_refused("18446744073709551625", 10, UINT64_MAX, -ERANGE);
	check_refused("99999999999999999999999999999999", 10, UINT64_MAX, -ERANGE);
	check_refused("0x10000000000000000", 16, UINT64_MAX, -ERANGE);
	check_refused("340282366920938463463374607431768211456", 10, UINT64_MAX, -ERANGE);
}

TEST(a_number_above_the_maximum_is_out_of_range)
{
	check_refused("4", 10, 3, -ERANGE);
	check_refused("256", 10, 255, -ERANGE);
	check_refused("65537", 10, 65535, -ERANGE);
	check_refused("0x100", 0, 255, -ERANGE);
	check_refused("1", 10, 0, -ERANGE);
}

TEST(D18_an_empty_text_is_no_number)
{
	check_refused("", 10, 100, -EINVAL);
	check_refused("", 0, 100, -EINVAL);
	check_refused("", 16, 100, -EINVAL);
}

TEST(text_with_other_characters_than_digits_is_not_a_number)
{
	static const char *const TEXTS[] = { "-1",  "+1",  " 1",  "1 ",	 "1\n",	 "\t1",
					     "1.0", "1e3", "abc", "1a",	 "a1",	 "-",
					     "1,2", "1-2", "x",	  "0b1", "/",	 ":",
					     "1/",  "1:",  "@",	  "G",	 "g",	 "\x80",
					     "1_0", "0 0", "--1", "0x1", "1\xff" };

	for (size_t i = 0; i < COUNT(TEXTS); i++)
		check_refused(TEXTS[i], 10, UINT64_MAX, -EINVAL);
}

TEST(junk_after_an_overflow_is_still_not_a_number)
{
	check_refused("99999999999999999999999999x", 10, UINT64_MAX, -EINVAL);
	check_refused("256k", 10, 255, -EINVAL);
}

TEST(D23_both_prefixes_and_both_cases_are_hexadecimal)
{
	check_parsed("0x1f", 16, 255, 0x1f);
	check_parsed("0X1F", 16, 255, 0x1f);
	check_parsed("0X1f", 0, 255, 0x1f);
	check_parsed("0xaA", 0, 255, 0xaa);
	check_parsed("0x00", 0, 255, 0);
	check_parsed("0x000000000000000000000000ff", 0, 255, 0xff);
}

TEST(the_prefix_may_be_left_out_only_in_base_16)
{
	check_parsed("1f", 16, 255, 0x1f);
	check_parsed("10", 16, 255, 16);
	check_parsed("10", 0, 255, 10);
	check_refused("1f", 0, 255, -EINVAL);
}

TEST(D23_a_prefix_alone_or_with_bad_digits_is_not_a_number)
{
	static const char *const TEXTS[] = {
		"0x",	 "0X", "0xg",  "0x1g",	"0x 1", "0x-1", "0xx1",
		"0x0x1", "x1", "0x1 ", "0x+1f", "-0x1", "0x@",	"0x`"
	};

	for (size_t i = 0; i < COUNT(TEXTS); i++) {
		check_refused(TEXTS[i], 0, UINT64_MAX, -EINVAL);
		check_refused(TEXTS[i], 16, UINT64_MAX, -EINVAL);
	}
}
