/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes text harmless to terminals: no escape sequence from outside may reach them. */
#include "printable.h"

#include <string.h>

size_t utf8_decode(const unsigned char *c, unsigned int *code)
{
	static const struct {
		unsigned char mask, lead;
		unsigned int lowest; /* below it: an overlong sequence */
	} forms[] = {
		{ 0x80, 0x00, 0x0 },
		{ 0xe0, 0xc0, 0x80 },
		{ 0xf0, 0xe0, 0x800 },
		{ 0xf8, 0xf0, 0x10000 },
	};

	*code = 0;
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		if ((c[0] & forms[i].mask) != forms[i].lead)
			continue;
		*code = c[0] & (unsigned char)~forms[i].mask;
		for (size_t k = 1; k <= i; k++) {
			if ((c[k] & 0xc0) != 0x80)
				return 0;
			*code = *code << 6 | (c[k] & 0x3f);
		}
		if (*code < forms[i].lowest || *code > 0x10ffff ||
		    (*code >= 0xd800 && *code <= 0xdfff))
			return 0;
		return i + 1;
	}
	return 0;
}

bool is_control(unsigned int code)
{
	/* Control and format characters (Unicode: Cc, Cf), and the separators of lines. */
	static const struct {
		unsigned int first, last;
	} ranges[] = {
		{ 0x0, 0x1f },	      { 0x7f, 0x9f },	    { 0xad, 0xad },
		{ 0x600, 0x605 },     { 0x61c, 0x61c },	    { 0x6dd, 0x6dd },
		{ 0x70f, 0x70f },     { 0x180e, 0x180e },   { 0x200b, 0x200f },
		{ 0x2028, 0x202e },   { 0x2060, 0x206f },   { 0xfeff, 0xfeff },
		{ 0xfff9, 0xfffb },   { 0x1bca0, 0x1bca3 }, { 0x1d173, 0x1d17a },
		{ 0xe0000, 0xe007f },
	};

	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
		if (code >= ranges[i].first && code <= ranges[i].last)
			return true;
	return false;
}

bool is_printable(const char *text)
{
	for (const unsigned char *c = (const unsigned char *)text; *c;) {
		unsigned int code;
		size_t length = utf8_decode(c, &code);

		if (length == 0 || is_control(code))
			return false;
		c += length;
	}
	return true;
}

void write_printable(const char *text, const char *kept, FILE *stream)
{
	const unsigned char *c = (const unsigned char *)text, *start = c;

	while (*c) {
		unsigned int code;
		size_t length;

		if (*c >= ' ' && *c <= '~') {
			c++;
			continue;
		}
		length = utf8_decode(c, &code);
		if (length && (!is_control(code) || strchr(kept, *c))) {
			c += length;
			continue;
		}
		fwrite(start, 1, (size_t)(c - start), stream);
		for (size_t i = 0; i < length || i < 1; i++)
			fprintf(stream, "\\x%02x", *c++);
		start = c;
	}
	fwrite(start, 1, (size_t)(c - start), stream);
}
