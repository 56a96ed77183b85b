/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts in lines of a page. */
#include "check.h"

#include "cli/text/wrap.h"

#include <stdlib.h>
#include <string.h>

static void assert_wrapped(struct wrap wrap, const char *text, const char *expected)
{
	struct memory_stream memory;

	wrap.stream = open_memory(&memory);
	wrap_text(&wrap, text);
	assert_written(&memory, expected);
}

TEST(lines_are_as_long_as_the_page)
{
	assert_wrapped((struct wrap){ .columns = 10 }, "one two three", "one two\nthree");
	assert_wrapped((struct wrap){ .columns = 13 }, "one two three", "one two three");
	assert_wrapped((struct wrap){ .columns = 10 }, "one\ntwo three", "one\ntwo three");
	assert_wrapped((struct wrap){ .columns = 10, .indent = 4 }, "one two three",
		       "    one\n    two\n    three");
	/* Behind what stands in the first line already. */
	assert_wrapped((struct wrap){ .columns = 10, .indent = 4, .column = 2 }, "one two",
		       "  one\n    two");
	assert_wrapped((struct wrap){ .columns = 10, .indent = 2, .column = 6, .begun = true },
		       "one two", " one\n  two");
}

TEST(lists_that_are_too_wide_are_broken_behind_commas)
{
	assert_wrapped((struct wrap){ .columns = 10, .indent = 2 }, "CPUs: 0-3,8-11,20-23",
		       "  CPUs:\n  0-3,\n  8-11,\n  20-23");
	assert_wrapped((struct wrap){ .columns = 14, .indent = 2 }, "on 0-3,8-11,20-23",
		       "  on 0-3,8-11,\n  20-23");
	/* One that fits a line stays whole; so does a word without a comma. */
	assert_wrapped((struct wrap){ .columns = 10 }, "CPUs 0-3,8-11", "CPUs\n0-3,8-11");
	assert_wrapped((struct wrap){ .columns = 6 }, "a scaling_max_freq b",
		       "a\nscaling_max_freq\nb");
}

TEST(lists_break_at_commas)
{
	assert_int_equal(wrap_list_break("0-3,8", 5, 5), 5);
	assert_int_equal(wrap_list_break("0-3,8,9", 7, 6), 6);
	assert_int_equal(wrap_list_break("0-3,8,9", 7, 5), 4);
	assert_int_equal(wrap_list_break("0-3,8,9", 7, 4), 4);
	assert_int_equal(wrap_list_break("1000-2000,9", 11, 4), 0);
	assert_int_equal(wrap_list_break("", 0, 4), 0);
}

TEST(commands_stay_in_one_line)
{
	assert_wrapped((struct wrap){ .columns = 22, .indent = 2 },
		       "then run `isst journal show`; or",
		       "  then run\n  `isst journal show`;\n  or");
	assert_wrapped((struct wrap){ .columns = 20 }, "x: no '# isst 1' there",
		       "x: no '# isst 1'\nthere");
	assert_wrapped((struct wrap){ .columns = 16 }, "x: no '# isst 1' there",
		       "x: no '# isst 1'\nthere");
	assert_wrapped((struct wrap){ .columns = 12 }, "x: no '# isst 1' there",
		       "x: no\n'# isst 1'\nthere");
	assert_wrapped((struct wrap){ .columns = 20 }, "min: 3000 MHz -> 0 MHz",
		       "min:\n3000 MHz -> 0 MHz");
	assert_wrapped((struct wrap){ .columns = 16 }, "max: no limit -> 3", "max:\nno limit -> 3");
	assert_wrapped((struct wrap){ .columns = 16 }, "clos LIST [min MHZ]|unmanaged",
		       "clos LIST [min\nMHZ]|unmanaged");
	assert_wrapped((struct wrap){ .columns = 16 }, "clos LIST [min MHZ] [epp N]",
		       "clos LIST\n[min MHZ]\n[epp N]");
	assert_wrapped((struct wrap){ .columns = 16 }, "priority: 1,2 -> 3", "priority:\n1,2 -> 3");
	/* Not what is wider than a line, or has no end. */
	assert_wrapped((struct wrap){ .columns = 16, .indent = 2 }, "run `isst journal show`",
		       "  run `isst\n  journal show`");
	assert_wrapped((struct wrap){ .columns = 12 }, "see `isst journal", "see `isst\njournal");
}

static void assert_line(const char *text, size_t columns, size_t column, const char *expected)
{
	struct memory_stream memory;

	wrap_line(text, columns, column, open_memory(&memory));
	assert_written(&memory, expected);
}

TEST(further_lines_of_a_message_are_indented)
{
	assert_line("a short one", 30, 7, "a short one");
	assert_line("no such file", 16, 7, "no such\n  file");
	assert_line("  CPUs: 0-3,8-11", 10, 0, "  CPUs:\n    0-3,\n    8-11");
	assert_line("cpus:0-3,8-11", 10, 0, "cpus:0-3,\n  8-11");
	/* What would move the cursor is shown instead. */
	assert_line("a \033[K b", 9, 0, "a \\x1b[K\n  b");
}

TEST(words_stay_together)
{
	static const char WORDS[] = "[--set STATEMENT]";
	struct memory_stream memory;
	struct wrap wrap = { open_memory(&memory), 20, .column = 5, .begun = true };

	wrap_words(&wrap, WORDS, strlen(WORDS));
	assert_written(&memory, "\n[--set STATEMENT]");
}
