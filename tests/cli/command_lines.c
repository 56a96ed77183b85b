/* SPDX-License-Identifier: BSD-3-Clause */
/* Command lines: what they mean. The cases have the mistakes. */
#include "check.h"

/** Adds the options of a table that are given, with their values. */
static void write_options(const struct option_row *row, const struct option_values *values,
			  FILE *stream)
{
	for (; row && row->name; row++) {
		const struct option_value *value = &values->value[row->id];
		char *cpus;

		if (!value->given)
			continue;
		fprintf(stream, " %s", row->name);
		if (row->kind == VALUE_CPU_LIST) {
			cpus = isst_cpuset_to_list(values->cpus.numbers);
			fprintf(stream, "=%s", cpus);
			free(cpus);
		} else if (row->kind == VALUE_WORD || row->kind == VALUE_TEXT) {
			fprintf(stream, "=%s", value->text);
		} else if (row->kind == VALUE_TEXTS) {
			for (size_t i = 0; i < values->text_count; i++)
				fprintf(stream, "%c%s", i ? ',' : '=', values->texts[i]);
		} else if (row->kind != VALUE_NONE) {
			fprintf(stream, "=%llu", (unsigned long long)value->number);
		}
	}
}

/** Asserts what a line means: the command, a star if it changes the machine, its word, options
 * in the order of their tables, and a program. */
static void assert_meaning(bool reference, const char *line, const char *meaning)
{
	autorequest struct request request;
	size_t size;
	char *text;
	FILE *stream = open_memstream(&text, &size);

	print_message("# %s\n", line);
	assert_accepted_as(reference, &request, line);
	assert_non_null(stream);
	fprintf(stream, "%s%s%s%s", request.feature ? request.feature->name : "",
		request.feature ? " " : "", request.command->name,
		request.command->flags & COMMAND_CHANGES ? "*" : "");
	if (request.operand)
		fprintf(stream, " '%s'", request.operand);
	write_options(global_options, &request.options, stream);
	write_options(request.command->options, &request.options, stream);
	for (char *const *word = request.program; word && *word; word++)
		fprintf(stream, "%s%s", word == request.program ? " -- " : " ", *word);
	assert_int_equal(fclose(stream), 0);
	assert_string_equal(text, meaning);
	free(text);
}

#define LEVEL_1 "perf-profile info cpu=3 debug format=json level=1"
#define CONFIG "core-power config* cpu=10 clos=1 epp=2 weight=3 min=1000 max=2000 desired=1500"
#define SET_LEVEL \
	"perf-profile set-config-level* all-cpus-online cgroupv2 cpu0-workaround out=file level=4 " \
	"online"

static const struct {
	const char *line, *meaning;
} accepted[] = {
	/* long, short, joined and abbreviated */
	{ "-c 3 -f json -d perf-profile info -l 1", LEVEL_1 },
	{ "--cpu 3 --format json --debug perf-profile info --level 1", LEVEL_1 },
	{ "-cpu 3 -format json -debug perf-profile info -level 1", LEVEL_1 },
	{ "--cpu=3 --format=json --debug perf-profile info --level=1", LEVEL_1 },
	{ "--cpu 3 --fo json --de perf-profile info --lev 1", LEVEL_1 },
	{ "-c3 -fjson -d perf-profile info -l1", LEVEL_1 },
	{ "-dc3 -fjson -- perf-profile info -l1", LEVEL_1 },
	{ "-d -c=3 -f=json perf-profile info -l=1", LEVEL_1 },
	/* the same letter before and after the feature is two options */
	{ "-c 10 -r 5 core-power get-config -c 3", "core-power get-config cpu=10 retry=5 clos=3" },
	{ "-p 20 perf-profile info", "perf-profile info pause=20" },
	/* every setting has a letter and a name */
	{ "-c 10 core-power config -c 1 -e 2 -w 3 -n 1000 -m 2000 -d 1500", CONFIG },
	{ "--cpu 10 core-power config --clos 1 --epp 2 --weight 3 --min 1000 --max 2000 --desired "
	  "1500",
	  CONFIG },
	{ "-cpu 10 core-power config -clos 1 -epp 2 -weight 3 -min 1000 -max 2000 -desired 1500",
	  CONFIG },
	/* a desired frequency is ignored whatever number it is */
	{ "core-power config -c 1 --desired 3", "core-power config* clos=1 desired=3" },
	{ "core-power config -c 1 -d 99", "core-power config* clos=1 desired=99" },
	{ "core-power config -c 1 -d 4000000000", "core-power config* clos=1 desired=4000000000" },
	/* D55: long forms take no argument */
	{ "-a -g -u -o file perf-profile set-config-level -o -l 4", SET_LEVEL },
	{ "--all-cpus-online --cgroupv2 --cpu0-workaround --out file perf-profile set-config-level "
	  "--online --level 4",
	  SET_LEVEL },
	{ "-all-cpus-online -cgroupv2 -cpu0-workaround -out file perf-profile set-config-level "
	  "-level 4 -online",
	  SET_LEVEL },
	/* changes are marked as such */
	{ "base-freq enable", "base-freq enable*" },
	{ "base-freq disable -a", "base-freq disable* auto" },
	{ "turbo-freq enable --auto -t 0x1f", "turbo-freq enable* auto trl=31" },
	{ "turbo-freq disable", "turbo-freq disable*" },
	{ "core-power enable -p 1", "core-power enable* priority=1" },
	{ "core-power disable", "core-power disable*" },
	{ "-c 1 core-power assoc -c 0", "core-power assoc* cpu=1 clos=0" },
	{ "turbo-mode enable", "turbo-mode enable*" },
	{ "turbo-mode disable", "turbo-mode disable*" },
	{ "turbo-mode set-trl -t 0x1f", "turbo-mode set-trl* trl=31" },
	{ "--dry-run --lock-timeout 0 perf-profile info",
	  "perf-profile info dry-run lock-timeout=0" },
	/* --info honours options in any order */
	{ "--info -f json -c 3 -o f", "info cpu=3 format=json info out=f" },
	{ "-f json -i -c 3 -o f", "info cpu=3 format=json info out=f" },
	{ "-c 3 -o f -f json --info", "info cpu=3 format=json info out=f" },
	/* words and programs */
	{ "platform statistics guide --clear", "platform statistics 'guide' clear" },
	{ "platform statistics --clear guide", "platform statistics 'guide' clear" },
	{ "config apply --set one - --set two", "config apply* '-' set=one,two" },
	{ "config check --set one", "config check set=one" },
	{ "config save file", "config save 'file'" },
	/* values */
	{ "-r 007 core-power info", "core-power info retry=7" },
	{ "-r 1 core-power info", "core-power info retry=1" },
	{ "-r 1000 core-power info", "core-power info retry=1000" },
	{ "core-power config -c 0 -n 0 -m 100", "core-power config* clos=0 min=0 max=100" },
	{ "core-power config -c 0 -m 25500", "core-power config* clos=0 max=25500" },
	{ "turbo-freq enable -t 0x0", "turbo-freq enable* trl=0" },
	{ "turbo-mode set-trl -t 0X1F", "turbo-mode set-trl* trl=31" },
	{ "turbo-mode set-trl -t 0xffffffffffffffff",
	  "turbo-mode set-trl* trl=18446744073709551615" },
	{ "turbo-freq info -r avx2", "turbo-freq info trl-type=avx2" },
	{ "config reset --only features", "config reset* only=4" },
	{ "config reset --only features,clos", "config reset* only=5" },
	{ "config reset --only clos,clos", "config reset* only=1" },
	{ "-c 1,3-5,8..10 -c 20,3, core-power info", "core-power info cpu=1,3-5,8-10,20" },
	{ "turbo-freq plan --high-priority 1", "turbo-freq plan high-priority=1" },
	{ "turbo-freq plan --high-priority 12/package", "turbo-freq plan high-priority=12" },
	{ "with --config file --set one true --set two",
	  "with* config=file set=one -- true --set two" },
};

TEST(lines_mean_what_they_say)
{
	for (size_t i = 0; i < COUNT(accepted); i++)
		assert_meaning(false, accepted[i].line, accepted[i].meaning);
}

TEST(lines_mean_the_same_to_intel_speed_select)
{
	for (size_t i = 0; i < COUNT(accepted); i++)
		assert_meaning(true, accepted[i].line, accepted[i].meaning);
	/* Own options make none of the reference tool ambiguous. */
	assert_meaning(true, "--re 5 perf-profile info", "perf-profile info retry=5");
	assert_meaning(true, "--re=5 perf-profile info", "perf-profile info retry=5");
	assert_meaning(true, "-re 5 perf-profile info", "perf-profile info retry=5");
	assert_refused_as(true, "--cp 3 perf-profile info",
			  "option '--cp' is ambiguous: --cpu or --cpu0-workaround");
	assert_refused_as(true, "--emu guide perf-profile info",
			  "option '--emu' is ambiguous: --emulate or --emulate-state or "
			  "--emulate-unlock");
	/* An option without effect changes no value. */
	assert_meaning(true, "core-power config -c 1 -p 1 --min 2600 -a -t 0x5",
		       "core-power config* clos=1 min=2600");
	assert_meaning(true, "turbo-freq enable --priority --auto", "turbo-freq enable* auto");
	assert_meaning(true, "core-power config -c 0 -c 1 -m 2000",
		       "core-power config* clos=1 max=2000");
	assert_refused_as(true, "perf-profile info -o file",
			  "unexpected word 'file' after perf-profile info; -o is --out only before "
			  "the feature");
}
