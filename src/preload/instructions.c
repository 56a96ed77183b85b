/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How long an instruction of x86-64 is, and where it leads (Intel's manual, volume 2, chapter 2 and
 * appendix A). In doubt it is unknown: invalid or privileged ones, and those whose length depends
 * on the manufacturer.
 */
#include "preload/instructions.h"

#ifdef __x86_64__

#include <string.h>

/*
 * What follows an opcode:
 *
 * .  nothing                        m  operands (ModRM)
 * b  a byte                         i  operands, a byte
 * w  2 bytes                        z  4 bytes, 2 with an operand size of 16
 * e  3 bytes                        n  operands, z
 * v  as z, 8 with REX.W             o  an address
 * s  a distance of 1 byte           d  a distance of 4 bytes
 * -  unknown, or a prefix
 */
static const char opcodes[] = "mmmmbz--mmmmbz--" /* 00 */
			      "mmmmbz--mmmmbz--"
			      "mmmmbz--mmmmbz--"
			      "mmmmbz--mmmmbz--"
			      "----------------" /* 40 */
			      "................"
			      "---m----znbi...."
			      "ssssssssssssssss"
			      "in-immmmmmmmmmmm" /* 80 */
			      "..........-....."
			      "oooo....bz......"
			      "bbbbbbbbvvvvvvvv"
			      "iiw.--ine.w..b-." /* c0 */
			      "mmmm---.mmmmmmmm"
			      "ssssbbbbdd-s...."
			      "----..mm......mm";

/* After 0f. */
static const char opcodes_0f[] = "mmmm-..-..-.-m.-" /* 00 */
				 "mmmmmmmmmmmmmmmm"
				 "--------mmmmmmmm"
				 "....------------"
				 "mmmmmmmmmmmmmmmm" /* 40 */
				 "mmmmmmmmmmmmmmmm"
				 "mmmmmmmmmmmmmmmm"
				 "iiiimmm.----mmmm"
				 "dddddddddddddddd" /* 80 */
				 "mmmmmmmmmmmmmmmm"
				 "...mim--...mimmm"
				 "mmmmmmmmm-immmmm"
				 "mmimiiim........" /* c0 */
				 "mmmmmmmmmmmmmmmm"
				 "mmmmmmmmmmmmmmmm"
				 "mmmmmmmmmmmmmmm-";

/* Groups of opcodes, as the instructions VEX and EVEX number them. */
enum { MAP_NONE, MAP_0F, MAP_0F38, MAP_0F3A, MAP_5 = 5, MAP_6 };

/** What is known of an instruction so far. */
struct decoding {
	const unsigned char *next, *end;
	bool operand_16, address_32, other_prefix, wide;
	int map;
	unsigned char opcode, modrm;
	char format;
};

/** Past the end there are zeros; the size is checked at last. */
static unsigned char take(struct decoding *decoding)
{
	unsigned char byte = decoding->next < decoding->end ? *decoding->next : 0;

	decoding->next++;
	return byte;
}

static void take_prefixes(struct decoding *decoding)
{
	static const unsigned char segments[] = { 0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65 };

	for (; decoding->next < decoding->end; decoding->next++) {
		if (*decoding->next == 0x66)
			decoding->operand_16 = true;
		else if (*decoding->next == 0x67)
			decoding->address_32 = true;
		else if (*decoding->next == 0xf0 || *decoding->next == 0xf2 ||
			 *decoding->next == 0xf3)
			decoding->other_prefix = true;
		else if (!memchr(segments, *decoding->next, sizeof(segments)))
			break;
	}
}

/** Returns what follows the opcode, which is next. */
static char take_opcode(struct decoding *decoding)
{
	decoding->opcode = take(decoding);
	if (decoding->opcode != 0x0f)
		return opcodes[decoding->opcode];
	decoding->map = MAP_0F;
	decoding->opcode = take(decoding);
	if (decoding->opcode == 0x38 || decoding->opcode == 0x3a) {
		decoding->map = decoding->opcode == 0x38 ? MAP_0F38 : MAP_0F3A;
		decoding->opcode = take(decoding);
		return decoding->map == MAP_0F38 ? 'm' : 'i';
	}
	return opcodes_0f[decoding->opcode];
}

/** Of VEX (c4, c5) and EVEX (62), without the extensions of APX. */
static char take_vector_opcode(struct decoding *decoding, unsigned char prefix)
{
	int map = MAP_0F;
	char format;

	if (decoding->operand_16 || decoding->other_prefix)
		return '-';
	if (prefix == 0x62) {
		map = take(decoding) & 0xf;
		if (!(take(decoding) & 0x4))
			return '-';
	} else if (prefix == 0xc4) {
		map = take(decoding) & 0x1f;
	}
	take(decoding);
	decoding->opcode = take(decoding);
	decoding->map = map;
	switch (map) {
	case MAP_0F:
		format = opcodes_0f[decoding->opcode];
		if (prefix == 0x62 && decoding->opcode >= 0x78 && decoding->opcode <= 0x7b)
			return 'm';
		if (prefix != 0x62 && decoding->opcode == 0x77)
			return '.';
		return format == 'm' || format == 'i' ? format : '-';
	case MAP_0F38:
		return 'm';
	case MAP_0F3A:
		return 'i';
	case MAP_5:
	case MAP_6:
		return prefix == 0x62 ? 'm' : '-';
	default:
		return '-';
	}
}

/** A group of instructions: which one is a field of ModRM. */
static unsigned int member(const struct decoding *decoding)
{
	return decoding->modrm >> 3 & 7;
}

static void take_operands(struct decoding *decoding)
{
	unsigned int mode, base;

	decoding->modrm = take(decoding);
	mode = decoding->modrm >> 6;
	base = decoding->modrm & 7;
	if (mode == 3)
		return;
	if (base == 4)
		base = take(decoding) & 7;
	if (mode == 2 || (mode == 0 && base == 5))
		decoding->next += 4;
	else if (mode == 1)
		decoding->next++;
}

static bool operands_are_known(const struct decoding *decoding)
{
	if (decoding->map != MAP_NONE)
		return true;
	switch (decoding->opcode) {
	case 0x8d:
		return decoding->modrm >> 6 != 3;
	case 0x8f:
	case 0xc6:
	case 0xc7:
		return member(decoding) == 0;
	case 0xfe:
		return member(decoding) <= 1;
	case 0xff:
		return member(decoding) <= 6;
	default:
		return true;
	}
}

static size_t immediate_size(const struct decoding *decoding)
{
	size_t by_operand = decoding->operand_16 && !decoding->wide ? 2 : 4;

	switch (decoding->format) {
	case 'b':
	case 'i':
	case 's':
		return 1;
	case 'w':
		return 2;
	case 'e':
		return 3;
	case 'd':
		return 4;
	case 'z':
	case 'n':
		return by_operand;
	case 'v':
		return decoding->wide ? 8 : by_operand;
	case 'o':
		return decoding->address_32 ? 4 : 8;
	case 'm': /* test, beside others without */
		if (decoding->map == MAP_NONE && (decoding->opcode & 0xfe) == 0xf6 &&
		    member(decoding) <= 1)
			return decoding->opcode == 0xf6 ? 1 : by_operand;
		return 0;
	default:
		return 0;
	}
}

static enum instruction_flow flow_of(const struct decoding *decoding)
{
	static const unsigned char ends[] = { 0xc2, 0xc3, 0xca, 0xcb, 0xcc, 0xcf, 0xf4 };

	if (decoding->map == MAP_0F && decoding->opcode == 0x0b)
		return FLOW_END;
	if (decoding->map == MAP_NONE) {
		if (memchr(ends, decoding->opcode, sizeof(ends)))
			return FLOW_END;
		if (decoding->opcode == 0xff && (member(decoding) == 4 || member(decoding) == 5))
			return FLOW_END;
		if (decoding->opcode == 0xe8)
			return FLOW_CALL;
		if (decoding->opcode == 0xe9 || decoding->opcode == 0xeb)
			return FLOW_JUMP;
	}
	return decoding->format == 's' || decoding->format == 'd' ? FLOW_BRANCH : FLOW_ON;
}

bool instruction_decode(const unsigned char *at, size_t size, struct instruction *instruction)
{
	enum { LONGEST = 15 };
	struct decoding decoding = { .next = at, .end = at + size };
	unsigned char byte;

	take_prefixes(&decoding);
	byte = decoding.next < decoding.end ? *decoding.next : 0;
	if (byte == 0xc4 || byte == 0xc5 || byte == 0x62) {
		decoding.next++;
		decoding.format = take_vector_opcode(&decoding, byte);
	} else {
		if ((byte & 0xf0) == 0x40)
			decoding.wide = take(&decoding) & 8;
		decoding.format = take_opcode(&decoding);
	}
	if (decoding.format == '-')
		return false;
	if (strchr("min", decoding.format)) {
		take_operands(&decoding);
		if (!operands_are_known(&decoding))
			return false;
	}
	decoding.next += immediate_size(&decoding);
	instruction->size = (size_t)(decoding.next - at);
	if (instruction->size > size || instruction->size > LONGEST)
		return false;

	instruction->flow = flow_of(&decoding);
	instruction->distance = 0;
	if (decoding.format == 's') /* sign-extended */
		instruction->distance = (decoding.next[-1] ^ 0x80) - 0x80;
	else if (decoding.format == 'd')
		memcpy(&instruction->distance, decoding.next - 4, 4);
	/* With such a prefix distances have 2 bytes on processors of AMD. */
	return !strchr("sd", decoding.format) || !decoding.operand_16 || decoding.wide;
}

#endif
