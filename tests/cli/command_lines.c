/* SPDX-License-Identifier: BSD-3-Clause */
/* Command lines: parsing, and the message for each mistake. */
#include "check.h"

#include <errno.h>

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

static const struct {
	const char *line;
	const char *problem;
} mistakes[] = {
	/* words */
	{ "bogus info", "unknown feature 'bogus'; --help lists the features" },
	{ "'' info", "unknown feature ''; --help lists the features" },
	{ "perf-profle info", "unknown feature 'perf-profle'; did you mean 'perf-profile'?" },
	{ "undo",
	  "unknown feature 'undo'; 'config reset --boot' undoes what isst changed since boot; "
	  "'config apply FILE' undoes one change, where 'config save --all FILE' was run before it" },
	{ "SST-tf", "unknown feature 'SST-tf'; did you mean 'turbo-freq'?" },
	{ "version", "unknown feature 'version'; did you mean '--version'?" },
	{ "info", "unknown feature 'info'; did you mean '--info'?" },
	{ "base-freq help", "unknown command 'help' of base-freq; did you mean '--help'?" },
	{ "--help perf-profle", "unknown feature 'perf-profle'; did you mean 'perf-profile'?" },
	{ "--help base-freq enabel",
	  "unknown command 'enabel' of base-freq; did you mean 'enable'?" },
	{ "pref-profile info", "unknown feature 'pref-profile'; did you mean 'perf-profile'?" },
	{ "base-freq bogus",
	  "unknown command 'bogus' of base-freq; base-freq --help lists its commands" },
	{ "perf-profile get-lock-staus",
	  "unknown command 'get-lock-staus' of perf-profile; did you mean 'get-lock-status'?" },
	{ "perf-profile",
	  "perf-profile requires a command; perf-profile --help lists its commands" },
	{ "perf-profile get-lock-status extra word",
	  "unexpected word 'extra' after perf-profile get-lock-status" },
	{ "platform show one two", "unexpected word 'two' after platform show" },
	{ "-f json", "no feature given; --help lists the features" },
	/* An option took the word that was to be the feature, or another option. */
	{ "--emulate --info", "no feature given; option --emulate took '--info' for its value" },
	{ "--emulate-state perf-profile",
	  "no feature given; option --emulate-state took 'perf-profile' for its value" },
	{ "-o core-power info",
	  "unknown feature 'info'; option --out took 'core-power' for its value" },
	{ "--out emulate -- true",
	  "unknown feature 'true'; option --out took 'emulate' for its value" },
	{ "-o file info", "unknown feature 'info'; did you mean '--info'?" },
	{ "-o - info", "unknown feature 'info'; did you mean '--info'?" },
	{ "--info perf-profile info", "unexpected word 'perf-profile': --info takes no feature" },
	/* options */
	{ "--bogus perf-profile info", "unknown option '--bogus'" },
	{ "-Z perf-profile info", "unknown option '-Z'" },
	{ "-dZ perf-profile info", "unknown option '-Z' in '-dZ'" },
	{ "--fromat json perf-profile info",
	  "unknown option '--fromat'; did you mean '--format'?" },
	{ "--em x perf-profile info",
	  "option '--em' is ambiguous: --emulate or --emulate-state or --emulate-unlock" },
	{ "perf-profile info --levle 3", "unknown option '--levle'; did you mean '--level'?" },
	{ "perf-profile get-lock-status -l 3",
	  "option '-l' is not an option of perf-profile get-lock-status" },
	{ "perf-profile get-lock-status --level=3",
	  "option '--level=3' is not an option of perf-profile get-lock-status" },
	/* A2: one letter is a short option of its place, or a mistake */
	{ "-l 2 base-freq info", "option '-l' belongs after the command" },
	{ "--l 2 base-freq info", "unknown option '--l'" },
	{ "--c 2 base-freq info", "unknown option '--c'; did you mean '-c'?" },
	{ "--d base-freq info", "unknown option '--d'; did you mean '-d'?" },
	{ "-e guide base-freq info", "option '-e' belongs after the command" },
	{ "base-freq info --l 2", "unknown option '--l'; did you mean '-l'?" },
	{ "--level 2 base-freq info", "option '--level' belongs after the command" },
	{ "-dl 2 base-freq info", "option '-l' belongs after the command" },
	{ "core-power -p 1 enable", "option '-p' belongs before the feature or after the command" },
	/* --oob */
	{ "-n core-power info", "option --no-daemon requires --oob" },
	{ "-w 5", "option --poll-interval requires --oob" },
	{ "--oob -w 0",
	  "invalid value '0' for option --poll-interval: expected a number from 1 to 3600" },
	{ "--oob -w -1",
	  "invalid value '-1' for option --poll-interval: expected a number from 1 to 3600" },
	{ "--oob core-power info", "unexpected word 'core-power': --oob takes no feature" },
	{ "--oob --info", "option --oob cannot be combined with --info" },
	{ "-f json-v2 --oob", "--oob has no format 'json-v2'; it has text" },
	{ "-a --oob", "option --all-cpus-online cannot be combined with --oob" },
	{ "core-power info --oob", "option '--oob' belongs before the feature" },
	/* A3: the last of several values is not silently the one that holds */
	{ "core-power config -c 0 -c 1 -m 2000",
	  "option --clos is repeated: '0', then '1'; specify CPUs before the feature, "
	  "with --cpu" },
	{ "-c 3 core-power assoc --clos 1 --clos=1",
	  "option --clos is repeated: '1', then '1'; specify CPUs before the feature, "
	  "with --cpu" },
	{ "perf-profile info -l 0 -l 1", "option --level is repeated: '0', then '1'" },
	{ "-f json -f text perf-profile info", "option --format is repeated: 'json', then 'text'" },
	/* a dash that no keyboard has */
	{ "turbo-freq disable \u2013auto",
	  "'\u2013auto' begins with U+2013, not '-': did you mean --auto?" },
	{ "turbo-freq disable \u2014auto",
	  "'\u2014auto' begins with U+2014, not '-': did you mean --auto?" },
	{ "turbo-freq disable \u2212\u2212auto",
	  "'\u2212\u2212auto' begins with U+2212, not '-': did you mean --auto?" },
	{ "turbo-freq disable \u2013a", "'\u2013a' begins with U+2013, not '-': did you mean -a?" },
	{ "turbo-freq disable \u2013bogus", "'\u2013bogus' begins with U+2013, not '-'" },
	{ "\u2013info", "'\u2013info' begins with U+2013, not '-': did you mean --info?" },
	{ "perf-profile \u2010\u2010help",
	  "'\u2010\u2010help' begins with U+2010, not '-': did you mean --help?" },
	{ "perf-profile info -f json",
	  "option '-f' belongs before the feature: --format FORMAT perf-profile info" },
	{ "perf-profile info --format json",
	  "option '--format' belongs before the feature: --format FORMAT perf-profile info" },
	{ "emulate --emulate guide -- true",
	  "option '--emulate' belongs before the feature: --emulate NAME|PATH emulate" },
	{ "emulate --platform guide -- true",
	  "option '--platform' belongs before the feature: --emulate NAME|PATH emulate" },
	{ "--platform guide status", "unknown option '--platform'; did you mean '--emulate'?" },
	{ "perf-profile info -c 3",
	  "option '-c' is not an option of perf-profile info; before the feature it is --cpu" },
	{ "platform list -a",
	  "option '-a' is not an option of platform list; before the feature it is "
	  "--all-cpus-online" },
	{ "perf-profile -l 0 info", "option '-l' belongs after the command" },
	{ "perf-profile -f json info", "option '-f' belongs before the feature" },
	{ "-c", "option --cpu requires a value: LIST" },
	{ "perf-profile info --level", "option --level requires a value: LEVEL" },
	/* D57: a typo must not change the machine */
	{ "turbo-freq enable --Auto", "unknown option '--Auto'; did you mean '--auto'?" },
	{ "turbo-freq enable --clot 1", "unknown option '--clot'" },
	{ "base-freq enable -t 0x1f", "option '-t' is not an option of base-freq enable" },
	{ "core-power enable -a",
	  "option '-a' is not an option of core-power enable; before the feature it is "
	  "--all-cpus-online" },
	{ "core-power enable extra", "unexpected word 'extra' after core-power enable" },
	{ "core-power disable -p 0",
	  "option '-p' is not an option of core-power disable; before the feature it is "
	  "--pause" },
	{ "perf-profile set-config-level -l 4 --online x",
	  "unexpected word 'x' after perf-profile set-config-level" },
	{ "core-power assoc -c 3 --cpu 1",
	  "option '--cpu' belongs before the feature: --cpu LIST core-power assoc" },
	{ "--cp 3 perf-profile info", "option '--cp' is ambiguous: --cpu or --cpu0-workaround" },
	{ "--debug=3 perf-profile info", "option --debug takes no value: '--debug=3'" },
	/* the commonest slips: a feature or an option left out */
	{ "set-config-level -l 1",
	  "unknown feature 'set-config-level'; it is a command of perf-profile" },
	{ "get-config-levels",
	  "unknown feature 'get-config-levels'; it is a command of perf-profile" },
	{ "assoc -c 1", "unknown feature 'assoc'; it is a command of core-power" },
	{ "enable -a",
	  "unknown feature 'enable'; it is a command of base-freq, turbo-freq, core-power, "
	  "turbo-mode" },
	{ "perf-profile set-config-level 1",
	  "unexpected word '1' after perf-profile set-config-level; did you mean '--level 1'?" },
	{ "-c 3 core-power assoc 1",
	  "unexpected word '1' after core-power assoc; did you mean '--clos 1'?" },
	{ "turbo-freq info 1",
	  "unexpected word '1' after turbo-freq info; did you mean '--level 1'?" },
	{ "turbo-mode set-trl 0x1f",
	  "unexpected word '0x1f' after turbo-mode set-trl; did you mean '--trl 0x1f'?" },
	{ "turbo-freq enable -a 0x1f",
	  "unexpected word '0x1f' after turbo-freq enable; did you mean '--trl 0x1f'?" },
	{ "-c 3 core-power assoc 4", "unexpected word '4' after core-power assoc" },
	{ "-c 3 core-power assoc -c 1 2", "unexpected word '2' after core-power assoc" },
	/* values */
	{ "-f xml perf-profile info",
	  "invalid value 'xml' for option --format: expected text, json, json-v2, openmetrics, "
	  "nfd or facts" },
	{ "-f jsonx perf-profile info",
	  "invalid value 'jsonx' for option --format: expected text, json, json-v2, openmetrics, "
	  "nfd or facts" },
	{ "--get domains[ status", "option --get: 'domains[': a ']' is missing" },
	{ "--get domains..cpu status", "option --get: 'domains..cpu': a name is missing" },
	{ "--get domains[cpu] status",
	  "option --get: 'domains[cpu]': what is between '[' and ']' is neither a number nor "
	  "NAME=VALUE" },
	{ "-f json --get domains status", "option --get cannot be combined with --format json" },
	{ "-f nfd --get domains status", "option --get cannot be combined with --format nfd" },
	{ "--get status", "no feature given; option --get took 'status' for its value" },
	{ "--get domains emulate -- true", "option --get cannot be combined with 'emulate'" },
	{ "-f openmetrics core-power info",
	  "core-power info has no format 'openmetrics'; it has text, json and json-v2" },
	{ "-f nfd perf-profile info",
	  "perf-profile info has no format 'nfd'; it has text, json and json-v2" },
	{ "-f facts --info", "--info has no format 'facts'; it has text, json and json-v2" },
	{ "-f facts --version", "--version has no format 'facts'; it has text, json and json-v2" },
	{ "-f nfd with --set x -- true", "option --format cannot be combined with 'with'" },
	{ "-f facts status --map",
	  "status --map has no format 'facts'; it has text, json and json-v2" },
	{ "-f facts status --watch", "status --watch has no format 'facts'; it has text" },

	{ "-r 0 perf-profile info",
	  "invalid value '0' for option --retry: expected a number from 1 to 1000" },
	{ "--pause x perf-profile info",
	  "invalid value 'x' for option --pause: expected a number from 0 to 60000" },
	{ "core-power get-config -c 4",
	  "invalid value '4' for option --clos: expected a number from 0 to 3" },
	{ "perf-profile set-config-level -l 4294967296",
	  "invalid value '4294967296' for option --level: expected a number from 0 to "
	  "4294967295" },
	{ "perf-profile set-config-level -l ''",
	  "invalid value '' for option --level: expected a number from 0 to 4294967295" },
	{ "core-power enable -p 2",
	  "invalid value '2' for option --priority: expected 0 (proportional) or 1 (ordered)" },
	{ "core-power enable -p ordered",
	  "invalid value 'ordered' for option --priority: expected 0 (proportional) or 1 "
	  "(ordered)" },
	{ "core-power config -c 1 -e 16",
	  "invalid value '16' for option --epp: expected a number from 0 to 15" },
	{ "core-power config -c 1 -w 16",
	  "invalid value '16' for option --weight: expected a number from 0 to 15" },
	{ "core-power config -c 1 -m 50",
	  "invalid value '50' for option --max: expected 0, a number from 100 to 25500 (MHz), "
	  "or none" },
	{ "core-power config -c 1 -n 30000",
	  "invalid value '30000' for option --min: expected 0 or a number from 100 to 25500 "
	  "(MHz)" },
	{ "turbo-freq enable -t 1f",
	  "invalid value '1f' for option --trl: expected 0x and 1 to 16 hexadecimal digits" },
	{ "turbo-mode set-trl -t 0x0",
	  "invalid value '0x0' for option --trl: expected 0x and 1 to 16 hexadecimal digits, "
	  "not zero" },
	{ "--lock-timeout -1 core-power enable",
	  "invalid value '-1' for option --lock-timeout: expected a number from 0 to 3600" },
	{ "turbo-freq info -b 8",
	  "invalid value '8' for option --bucket: expected a number from 0 to 7" },
	{ "perf-profile info -l -1",
	  "invalid value '-1' for option --level: expected a number from 0 to 4294967295" },
	/* what is missing, or does not fit together */
	{ "core-power get-config", "core-power get-config requires option --clos CLOS" },
	{ "core-power get-assoc",
	  "Invalid target cpu. Specify with [-c|--cpu] before the feature; after the command -c "
	  "is --clos" },
	{ "core-power config -n 1000", "core-power config requires option --clos CLOS" },
	{ "-c 3 core-power assoc", "core-power assoc requires option --clos CLOS" },
	{ "core-power assoc -c 3",
	  "Invalid target cpu. Specify with [-c|--cpu] before the feature; after the command -c "
	  "is --clos" },
	{ "perf-profile set-config-level -o",
	  "perf-profile set-config-level requires option --level LEVEL" },
	{ "turbo-mode set-trl", "turbo-mode set-trl requires option --trl 0xHEX" },
	{ "core-power config -c 1 -n 2650 -m 2600", "option --min 2650 is above --max 2600" },
	{ "core-power config -c 1 -n 100 -m 0", "option --min 100 is above --max 0" },
	{ "-a", "no feature given; --help lists the features" },
	{ "-a platform list", "option --all-cpus-online cannot be combined with platform list" },
	{ "--dry-run journal apply",
	  "option --dry-run cannot be combined with journal apply; `journal show` prints what `journal apply` would do" },
	{ "--dry-run journal discard",
	  "option --dry-run cannot be combined with journal discard; `journal show` prints what `journal apply` would do" },
	{ "-a journal apply", "option --all-cpus-online cannot be combined with journal apply" },
	{ "-a journal show", "option --all-cpus-online cannot be combined with journal show" },
	{ "-a journal discard",
	  "option --all-cpus-online cannot be combined with journal discard" },
	{ "-c 14 journal apply", "option --cpu cannot be combined with journal apply" },
	{ "--dry-run platform reset guide",
	  "option --dry-run cannot be combined with platform reset" },
	{ "--dry-run platform statistics --clear",
	  "option --dry-run cannot be combined with platform statistics --clear" },
	{ "--dry-run platform capture new",
	  "option --dry-run cannot be combined with platform capture" },
	{ "--dry-run emulate -- true", "option --dry-run cannot be combined with 'emulate'" },
	{ "-c 1 with --set x -- true",
	  "option --cpu cannot be combined with 'with'; `package N:` in front of a statement makes it one for a part of the machine" },
	{ "-a with --set x -- true", "option --all-cpus-online cannot be combined with 'with'" },
	{ "--dry-run with --set x -- true",
	  "option --dry-run cannot be combined with 'with'; `config apply` with it lists what would be "
	  "written" },
	{ "with -- true", "with requires option --config FILE, or option --set STATEMENT" },
	{ "with --set x", "with requires a program to run" },
	{ "wiht --set x -- true", "unknown feature 'wiht'; did you mean 'with'?" },
	{ "config check", "config check requires a file, or option --set STATEMENT" },
	{ "config apply a b",
	  "unexpected word 'b' after config apply: it takes one file; quote the statement of --set as one argument" },
	{ "config check --set ''", "invalid value '' for option --set: expected STATEMENT" },
	{ "-c 1 config apply a",
	  "option --cpu cannot be combined with config apply; `package N:` in front of a statement "
	  "makes it one for a part of the machine" },
	{ "-a config try a", "option --all-cpus-online cannot be combined with config try" },
	{ "--dry-run config try a",
	  "option --dry-run cannot be combined with config try; `config apply` with it lists what "
	  "would be written" },
	{ "--dry-run config save a", "option --dry-run cannot be combined with config save FILE" },
	{ "config reset a", "unexpected word 'a' after config reset" },
	{ "config reset --boot --only level", "option --boot cannot be combined with --only" },
	{ "config reset --only level,cpu",
	  "invalid value 'level,cpu' for option --only: expected some of clos, associations, "
	  "features, limits, level and cpus, separated by commas" },
	{ "config try --timeout 0 a",
	  "invalid value '0' for option --timeout: expected a number from 1 to 86400" },
	{ "--real --emulate x --info", "option --real cannot be combined with --emulate" },
	/* The first of two is named. */
	{ "--bogus -f xml perf-profile info", "unknown option '--bogus'" },
	{ "core-power config -c 1 -d 3x",
	  "invalid value '3x' for option --desired: expected a number from 0 to 4294967295" },
	{ "--re 5 perf-profile info", "option '--re' is ambiguous: --retry or --real" },
};

TEST(every_mistake_is_named)
{
	for (size_t i = 0; i < COUNT(mistakes); i++) {
		print_message("# %s\n", mistakes[i].line);
		assert_refused(mistakes[i].line, mistakes[i].problem);
	}
}

/* Seen in programs that call the reference tool (A1), and their long, joined and shortened forms.
 */
static const struct {
	const char *line;
	const char *notes[3];
} without_effect[] = {
	{ "core-power enable -a", { "option -a has no effect on core-power enable" } },
	{ "core-power disable --auto", { "option --auto has no effect on core-power disable" } },
	{ "core-power disable -p 0", { "option -p has no effect on core-power disable" } },
	{ "core-power disable -p0", { "option -p has no effect on core-power disable" } },
	{ "core-power disable --prio=x", { "option --prio has no effect on core-power disable" } },
	{ "core-power disable -priority 1",
	  { "option -priority has no effect on core-power disable" } },
	{ "core-power enable --clos", { "option --clos has no effect on core-power enable" } },
	{ "core-power disable --clos", { "option --clos has no effect on core-power disable" } },
	{ "-f json turbo-freq enable -l 0", { "option -l has no effect on turbo-freq enable" } },
	{ "-f json turbo-freq disable -l 0", { "option -l has no effect on turbo-freq disable" } },
	{ "core-power config -c 0 -p 1 --min 2600 --max 3500",
	  { "option -p has no effect on core-power config" } },
	{ "core-power config -c 0 -p P --weight 1",
	  { "option -p has no effect on core-power config" } },
	{ "-c 0-39 turbo-freq enable --priority 1",
	  { "option --priority has no effect on turbo-freq enable" } },
	{ "base-freq enable -l 0", { "option -l has no effect on base-freq enable" } },
	{ "-c 3 core-power get-assoc -c 0", { "option -c has no effect on core-power get-assoc" } },
	{ "turbo-freq enable -a -c 12,13",
	  { "option -c has no effect on turbo-freq enable: here it means --clos; it selects CPUs "
	    "(--cpu) only before the feature" } },
	{ "perf-profile info -a", { "option -a has no effect on perf-profile info" } },
	{ "perf-profile info -ol 0", { "option -o has no effect on perf-profile info" } },
	{ "turbo-mode get-trl -e 1 -w 2 -n 100",
	  { "option -e has no effect on turbo-mode get-trl",
	    "option -w has no effect on turbo-mode get-trl",
	    "option -n has no effect on turbo-mode get-trl" } },
	{ "base-freq info -m 1 -d 2 --bucket 9",
	  { "option -m has no effect on base-freq info",
	    "option -d has no effect on base-freq info",
	    "option --bucket has no effect on base-freq info" } },
	{ "base-freq info -trl-type sse -t 0x0 --online",
	  { "option -trl-type has no effect on base-freq info",
	    "option -t has no effect on base-freq info",
	    "option --online has no effect on base-freq info" } },
	/* A3 */
	{ "core-power config -c 0 -c 1 -m 2000", { "option --clos is repeated: 1 replaces 0" } },
	{ "-f text -f json perf-profile info",
	  { "option --format is repeated: json replaces text" } },
	{ "--info -d core-power info", { "'core-power' has no effect: --info takes no feature" } },
	/* nothing to note */
	{ "-c 1 -c 2 -d -d turbo-freq enable -a -a --trl 0x1f", { NULL } },
};

static void assert_notes(const struct option_values *values, const char *const *notes)
{
	size_t count = 0;

	while (count < 3 && notes[count])
		count++;
	assert_int_equal(values->note_count, count);
	for (size_t i = 0; i < count; i++)
		assert_string_equal(values->notes[i], notes[i]);
}

TEST(options_without_effect_are_accepted_and_noted_as_intel_speed_select)
{
	for (size_t i = 0; i < COUNT(without_effect); i++) {
		autorequest struct request request;

		print_message("# %s\n", without_effect[i].line);
		assert_accepted_as(true, &request, without_effect[i].line);
		assert_notes(&request.options, without_effect[i].notes);
	}
}

TEST(options_without_effect_are_refused_as_isst)
{
	for (size_t i = 0; i < COUNT(without_effect); i++) {
		autorequest struct request request;
		char *problem;

		if (!without_effect[i].notes[0])
			continue;
		print_message("# %s\n", without_effect[i].line);
		assert_int_not_equal(read_line(&request, without_effect[i].line, &problem), 0);
		free(problem);
	}
}

/* In any order of options that can be read in some way. */
TEST(the_format_of_a_message_is_found_before_and_after_the_mistake)
{
	static const struct {
		const char *line;
		enum output_format format;
	} lines[] = {
		{ "-f json -l 2 base-freq info", FORMAT_JSON },
		{ "-l 2 -f json base-freq info", FORMAT_JSON },
		{ "--bogus -f json perf-profile info", FORMAT_JSON },
		{ "-l 2 --format=json base-freq info", FORMAT_JSON },
		{ "--bogus x -fjson core-power info", FORMAT_JSON },
		{ "-c -f json core-power info", FORMAT_JSON },
		{ "-l 2 -f xml base-freq info", FORMAT_TEXT },
		{ "-l 2 -f text base-freq info", FORMAT_TEXT },
		{ "-l 2 base-freq info -f json", FORMAT_TEXT },
		{ "-l 2", FORMAT_TEXT },
	};

	for (size_t i = 0; i < COUNT(lines); i++) {
		autorequest struct request request;
		char *problem;

		print_message("# %s\n", lines[i].line);
		assert_int_equal(read_line(&request, lines[i].line, &problem), -EINVAL);
		assert_int_equal(request_format(&request), lines[i].format);
		free(problem);
	}
}

/* What stays wrong whatever the program is called. */
TEST(typos_and_invalid_values_are_refused_as_intel_speed_select)
{
	static const char *const lines[] = {
		"core-power enable --clot",
		"core-power enable -Z",
		"core-power enable -f json",
		"core-power enable 0",
		"core-power enable -p 2",
		"core-power enable -p",
		"core-power config -c 4 -c 1",
		"core-power assoc --clos",
		"turbo-freq disable \u2013auto",
		"-l 2 base-freq info",
		"base-freq -l 2 info",
		"platform list -a",
		"platform show -l 0",
		"core-power enable --tr 1",
	};

	for (size_t i = 0; i < COUNT(lines); i++) {
		autorequest struct request request;
		char *problem;

		print_message("# %s\n", lines[i]);
		assert_int_not_equal(read_line_as(&request, true, lines[i], &problem), 0);
		assert_non_null(problem);
		free(problem);
	}
}

static const struct {
	const char *line;
	const char *feature, *command; /* NULL: help of all, or of the feature */
} helps[] = {
	{ "-h", NULL, NULL },
	{ "--help", NULL, NULL },
	{ "-help", NULL, NULL },
	{ "-f json --help", NULL, NULL },
	{ "--help --bogus", NULL, NULL },
	{ "--help perf-profile", "perf-profile", NULL },
	{ "-f json --help perf-profile info", "perf-profile", "info" },
	{ "-h perf-profile --bogus", "perf-profile", NULL },
	{ "perf-profile --help info", "perf-profile", "info" },
	{ "--help emulate", NULL, "emulate" },
	{ "perf-profile -h", "perf-profile", NULL },
	{ "perf-profile --help", "perf-profile", NULL },
	{ "perf-profile info -h", "perf-profile", "info" },
	{ "perf-profile info -l 0 --help", "perf-profile", "info" },
	{ "core-power get-config --help", "core-power", "get-config" },
	{ "core-power get-assoc --help", "core-power", "get-assoc" },
};

static void assert_name(const char *name, const char *expected)
{
	if (expected)
		assert_string_equal(name, expected);
	else
		assert_null(name);
}

TEST(help_works_anywhere)
{
	for (size_t i = 0; i < COUNT(helps); i++) {
		autorequest struct request request;

		print_message("# %s\n", helps[i].line);
		assert_accepted(&request, helps[i].line);
		assert_int_equal(request.action, ACTION_HELP);
		assert_name(request.feature ? request.feature->name : NULL, helps[i].feature);
		assert_name(request.command ? request.command->name : NULL, helps[i].command);
	}
}

TEST(version_works_anywhere)
{
	static const char *const lines[] = { "-v",
					     "--version",
					     "-v -f json",
					     "perf-profile -v",
					     "core-power get-config --version",
					     "--version perf-profile info" };

	for (size_t i = 0; i < COUNT(lines); i++) {
		autorequest struct request request;

		print_message("# %s\n", lines[i]);
		assert_accepted(&request, lines[i]);
		assert_int_equal(request.action, ACTION_VERSION);
	}
}

TEST(no_arguments_at_all_ask_for_help)
{
	char *argv[] = { (char *)"isst", NULL }, *problem;
	autorequest struct request request;

	assert_int_equal(request_read(&request, false, 1, argv, &problem), 0);
	assert_int_equal(request.action, ACTION_HELP);
}

/** The status shows whether isst failed, or the program. */
TEST(a_program_to_run_is_known_despite_mistakes)
{
	static const char *const lines[] = { "with --nonsense -- true", "--nonsense with -- true",
					     "with" };

	for (size_t i = 0; i < COUNT(lines); i++) {
		autorequest struct request request;
		char *problem;

		assert_int_not_equal(read_line(&request, lines[i], &problem), 0);
		assert_non_null(request.command);
		assert_true(command_wraps_program(request.command));
		free(problem);
	}
}
