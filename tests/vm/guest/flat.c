/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * flat text|json: rewrites the tree on standard input as lines `path/of/nodes/key:value`, so that
 * the two forms of one result can be compared. In JSON the path of a unit is one key; its parts
 * become nodes. Strict: anything that is not one valid document of objects and strings is reported.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH 16
#define LINE 65536

static char *at;

static void bad(const char *what)
{
	printf("not valid: %s: %.40s\n", what, at);
	exit(1);
}

static void skip_space(void)
{
	at += strspn(at, " \t\r\n");
}

static void take(char character)
{
	skip_space();
	if (*at != character)
		bad("another character expected");
	at++;
}

static char *take_string(void)
{
	char *start;

	take('"');
	for (start = at; *at && *at != '"'; at++) {
		if (*at == '\n')
			bad("line break in a string");
		if (*at == '\\' && at[1])
			at++;
	}
	if (!*at)
		bad("string without end");
	*at++ = '\0';
	return start;
}

/* The key of a unit: package-0:die-0:cpu-0 */
static void split_unit(char *key)
{
	if (strncmp(key, "package-", 8))
		return;
	for (; *key; key++)
		if (*key == ':')
			*key = '/';
}

static void take_object(const char *path, int depth)
{
	char inner[LINE];

	if (depth == DEPTH)
		bad("too deep");
	take('{');
	do {
		char *key = take_string();

		if (!depth)
			split_unit(key);
		take(':');
		skip_space();
		if (*at == '{') {
			snprintf(inner, sizeof(inner), "%s%s/", path, key);
			take_object(inner, depth + 1);
		} else {
			printf("%s%s:%s\n", path, key, take_string());
		}
		skip_space();
	} while (*at == ',' && at++);
	take('}');
}

/* The first level is indented by one space, level n by 2 * (n - 1). Other lines are not of the
 * tree. */
static void take_lines(void)
{
	char *nodes[DEPTH] = { NULL };

	for (char *line = strtok(at, "\n"); line; line = strtok(NULL, "\n")) {
		size_t space = strspn(line, " "), level = space == 1 ? 0 : space / 2;

		if (!space || level >= DEPTH)
			continue;
		if (!strchr(line, ':')) {
			nodes[level] = line + space;
			continue;
		}
		for (size_t i = 0; i < level; i++)
			printf("%s/", nodes[i] ? nodes[i] : "");
		printf("%s\n", line + space);
	}
}

int main(int argc, char **argv)
{
	static char text[1 << 20];
	size_t size = fread(text, 1, sizeof(text) - 1, stdin);

	text[size] = '\0';
	at = text;
	if (argc > 1 && !strcmp(argv[1], "text")) {
		take_lines();
		return 0;
	}
	take_object("", 0);
	skip_space();
	if (*at)
		bad("more than one document");
	return 0;
}
