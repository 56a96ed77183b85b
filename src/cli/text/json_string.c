/* SPDX-License-Identifier: BSD-3-Clause */
/* Strings of JSON; must not know what they are about. */
#include "json_string.h"

#include "../../common/printable.h"

static void write_ascii(unsigned char c, FILE *stream)
{
	static const char escapes[] = "\"\"\\\\\bb\ff\nn\rr\tt";

	for (const char *escape = escapes; *escape; escape += 2) {
		if (*escape == (char)c) {
			fprintf(stream, "\\%c", escape[1]);
			return;
		}
	}
	if (c < 0x20 || c == 0x7f)
		fprintf(stream, "\\u%04x", c);
	else
		fputc(c, stream);
}

/** Beyond 16 bits two of them stand for a character (UTF-16). */
static void write_code(unsigned int code, FILE *stream)
{
	if (code > 0xffff)
		fprintf(stream, "\\u%04x\\u%04x", 0xd800 + ((code - 0x10000) >> 10),
			0xdc00 + (code & 0x3ff));
	else
		fprintf(stream, "\\u%04x", code);
}

void json_string_write(const char *text, FILE *stream)
{
	const unsigned char *c = (const unsigned char *)text;

	fputc('"', stream);
	while (*c) {
		unsigned int code;
		size_t length = utf8_decode(c, &code);

		if (*c < 0x80)
			write_ascii(*c, stream);
		else if (length > 0 && is_control(code))
			/* JSON permits it, but documents are shown on terminals, too. */
			write_code(code, stream);
		else if (length > 0)
			fwrite(c, 1, length, stream);
		else
			fputs("\\ufffd", stream);
		c += length > 0 ? length : 1;
	}
	fputc('"', stream);
}
