/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes text harmless to terminals: an escape sequence in the name of a file, a kernel's file or a
 * word of the command line must not reach them. Must not know where the text comes from.
 */
#include "printable.h"

#include <string.h>

size_t utf8_length(const unsigned char *c)
{
	static const struct {
		unsigned char mask, lead;
		unsigned int lowest; /* below it: an overlong sequence */
	} forms[] = {
		{ 0xe0, 0xc0, 0x80 },
		{ 0xf0, 0xe0, 0x800 },
		{ 0xf8, 0xf0, 0x10000 },
	};
	unsigned int code = 0;

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		if ((c[0] & forms[i].mask) != forms[i].lead)
			continue;
		code = c[0] & (unsigned char)~forms[i].mask;
		for (size_t k = 1; k <= i + 1; k++) {
			if ((c[k] & 0xc0) != 0x80)
				return 0;
			code = code << 6 | (c[k] & 0x3f);
		}
		if (code < forms[i].lowest || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
			return 0;
		return i + 2;
	}
	return 0;
}

bool is_control(const unsigned char *c)
{
	return *c < 0x20 || *c == 0x7f || (c[0] == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0);
}

bool is_printable(const char *text)
{
	for (const unsigned char *c = (const unsigned char *)text; *c;) {
		size_t length = *c < 0x80 ? 1 : utf8_length(c);

		if (length == 0 || is_control(c))
			return false;
		c += length;
	}
	return true;
}

void write_printable(const char *text, const char *kept, FILE *stream)
{
	for (const unsigned char *c = (const unsigned char *)text; *c;) {
		size_t length = *c < 0x80 ? 1 : utf8_length(c);

		if (length == 0 || (is_control(c) && !strchr(kept, *c))) {
			fprintf(stream, "\\x%02x", *c++);
			/* The rest of a control of two bytes. */
			if (length == 2)
				fprintf(stream, "\\x%02x", *c++);
			continue;
		}
		fwrite(c, 1, length, stream);
		c += length;
	}
}
