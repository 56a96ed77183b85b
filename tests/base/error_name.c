/* SPDX-License-Identifier: BSD-3-Clause */
/* Conversion of errors between names and numbers. */
#include "base/error_name.h"
#include "support/check.h"

TEST(an_error_has_the_name_of_the_headers)
{
	assert_string_equal(error_name(EPERM).text, "EPERM");
	assert_string_equal(error_name(EIO).text, "EIO");
	assert_string_equal(error_name(EHWPOISON).text, "EHWPOISON");
	assert_string_equal(error_name(ENOTRECOVERABLE).text, "ENOTRECOVERABLE");
}

TEST(a_number_with_two_names_has_the_usual_one)
{
	assert_string_equal(error_name(EWOULDBLOCK).text, "EAGAIN");
	assert_string_equal(error_name(ENOTSUP).text, "EOPNOTSUPP");
	assert_string_equal(error_name(EDEADLOCK).text, "EDEADLK");
}

TEST(the_sign_of_an_error_does_not_matter)
{
	assert_string_equal(error_name(-EBUSY).text, "EBUSY");
	assert_string_equal(error_name(-524).text, "ENOTSUPP");
	assert_string_equal(error_name(INT32_MIN).text, "2147483648");
}

TEST(E7_an_error_without_a_name_is_its_number)
{
	assert_string_equal(error_name(41).text, "41");
	assert_string_equal(error_name(4095).text, "4095");
	assert_string_equal(error_name(0).text, "0");
}

TEST(E5_every_error_is_found_by_what_it_is_called)
{
	for (int error = 1; error <= ERROR_NUMBER_MAX; error++)
		if (error_number(error_name(error).text) != error)
			fail_msg("%d is \"%s\"", error, error_name(error).text);
}

TEST(an_error_is_found_by_its_number_and_by_other_names)
{
	assert_int_equal(error_number("5"), EIO);
	assert_int_equal(error_number("524"), 524);
	assert_int_equal(error_number("ENOTSUPP"), 524);
	assert_int_equal(error_number("ENOTSUP"), EOPNOTSUPP);
	assert_int_equal(error_number("EWOULDBLOCK"), EAGAIN);
}

TEST(what_is_no_error_is_refused)
{
	static const char *const NONE[] = { "",	    "E",  "eio", "EIO ", " EIO", "EIOX", "0",
					    "4096", "-5", "+5",	 "0x5",	 "5x",	 "EXYZ" };

	for (size_t i = 0; i < COUNT(NONE); i++)
		if (error_number(NONE[i]) != 0)
			fail_msg("\"%s\" is taken for %d", NONE[i], error_number(NONE[i]));
}
