#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Takes one part of the transactions out of a copy of the tree after the other, and runs the tests that
# should notice: mutations.sh BUILD [PART PARTS]. A mutation that no test notices has failed, and so has
# one that does not apply any more. PART, from 1 to PARTS: each so manieth only. Speaks TAP.
set -u
export LC_ALL=C
build=${1:-build} part=${2:-1} parts=${3:-1}
# In memory where there is such a place: the emulated machines are made of thousands of files.
if [ -z "${TMPDIR:-}" ] && [ -w /dev/shm ]; then
	TMPDIR=/dev/shm
fi
scratch=$(mktemp -d "${TMPDIR:-/tmp}/isst-mutations.XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT
# What was built is copied as well, with its times: only what a mutation touches is built again.
mkdir "$scratch/tree" "$scratch/tmp" &&
	cp -a Makefile src include tests "$scratch/tree/" &&
	mkdir -p "$scratch/tree/$(dirname "$build")" &&
	cp -a "$build" "$scratch/tree/$build" || exit 1
cd "$scratch/tree" || exit 1
export ISST_PLATFORMS="$scratch/tree/tests/platforms" TMPDIR="$scratch/tmp"
number=0 failed=0 known=0

result() { # ok|not ok, name, [remark]
	number=$((number + 1))
	[ "$1" = ok ] || failed=$((failed + 1))
	echo "$1 $number - $2${3:+ # $3}"
}

# Runs a program of tests, with one of the requests where one is named.
run() { # PROGRAM [REQUEST]
	if [ -n "${2:-}" ]; then
		ISST_REQUEST=$2
		export ISST_REQUEST
	else
		unset ISST_REQUEST
	fi
	CMOCKA_MESSAGE_OUTPUT=TAP timeout 120 "$build/tests/transaction/$1" > "$scratch/log" 2>&1
	status=$?
	rm -rf "$scratch/tmp"
	mkdir -p "$scratch/tmp"
	return $status
}

compile() { # PROGRAM
	make -s -j2 BUILD="$build" "$build/tests/transaction/$1" > "$scratch/make" 2>&1
}

baselines=
# The tests are green before anything is taken out; looked at once for each program and request.
check_baseline() {
	case $baselines in
	*"[$1 $2]"*) return 0 ;;
	esac
	compile "$1" && run "$1" "$2" || return 1
	baselines="${baselines}[$1 $2]"
}

# mutate NAME FILE SED-SCRIPT PROGRAM [REQUEST]
mutate() {
	name=$1 file=$2 script=$3 program=$4 request=${5:-}
	known=$((known + 1))
	[ $((known % parts)) -eq $((part % parts)) ] || return 0
	if ! check_baseline "$program" "$request"; then
		result "not ok" "$name" "$program $request is red without it"
		return
	fi
	sed "$script" "$file" > "$scratch/mutant"
	if cmp -s "$scratch/mutant" "$file"; then
		result "not ok" "$name" "it does not apply to $file any more"
		return
	fi
	cp "$file" "$scratch/original"
	cp "$scratch/mutant" "$file"
	if ! compile "$program"; then
		result "not ok" "$name" "it does not compile"
		sed 's/^/# /' "$scratch/make"
	elif run "$program" "$request"; then
		result "not ok" "$name" "$program $request stays green"
	# The line before may be cut off where what it tells is long.
	elif ! grep -q 'not ok [0-9]' "$scratch/log"; then
		result "not ok" "$name" "$program ended without a test that failed"
	else
		result ok "$name"
	fi
	cp "$scratch/original" "$file"
}

# Undo leaves out one kind of item.
forget_kind() { # KIND PROGRAM [REQUEST]
	mutate "undo leaves out $1" src/transaction/undo.c \
		"s/^\tstruct restoration work = { .change = change, .entries = entries };/&\n\tif (kind == $1)\n\t\treturn 0;/" \
		"$2" "${3:-}"
}

forget_kind ITEM_LEVEL faults_small "level 1"
forget_kind ITEM_FEATURES faults_small "turbo-freq enable"
forget_kind ITEM_CORE_POWER faults_small "core-power enable ordered"
forget_kind ITEM_QOS faults_small "turbo-freq enable"
forget_kind ITEM_CLOS faults_small "base-freq enable auto"
forget_kind ITEM_ASSOCIATION faults_small "association"
forget_kind ITEM_TURBO_RATIO_LIMITS faults_small "turbo ratio limits"
forget_kind ITEM_ONLINE faults_small "level 1 online"
forget_kind ITEM_SCALING_MAX faults_small "turbo-mode disable"
forget_kind ITEM_SCALING_MIN faults_small "base-freq enable auto"
forget_kind ITEM_UNCORE_MAX hotplug
forget_kind ITEM_UNCORE_MIN hotplug
forget_kind ITEM_PARTITION faults_small "level 1 partitions"
forget_kind ITEM_CPUSETS faults_small "level 1 partitions"

undo=src/transaction/undo.c
run=src/transaction/run.c
prepare=src/transaction/prepare.c
making=src/transaction/making.c
mutate "nothing is taken back" $run \
	's/^\tif (change_undo(change))/\tif (0)/' faults_small "association"
mutate "undo ends at the first write that fails" $undo \
	's/^\t\t\tdone++;/\t\t\treturn 0;/' verification
mutate "a rollback is tried once" $undo 's/ && error; i++)/ \&\& 0; i++)/' rollback
mutate "the journal of a rollback that is not complete is thrown away" $run \
	's/^\tif (change_undo(change))/\tint undone = change_undo(change);\n\n\tjournal_end(change);\n\tif (undone)/' rollback
mutate "a change begins while an earlier one is not rolled back" src/transaction/journal.c \
	's/^\tif (status.st_size == 0)/\tif (true)/' rollback
mutate "footprints are not taken back" $undo \
	's/error = restore(change, step->footprint, step->footprint_count, attempt);/error = 0;/' verification
mutate "footprints are not recorded" $prepare \
	's/error = read_unknown(change, step->footprint, step->footprint_count, true);/error = 0;/' \
	faults_small "base-freq disable auto over core-power"
mutate "old values are read when their step is made" $run \
	's/int error = change_read_baseline(change);/int error = 0;/' baseline
mutate "limits that turbo hides are not written" $prepare 's/(entry->hidden || !entry_served/(!entry_served/' baseline
mutate "limits that turbo hides are not rolled back" $undo \
	's/((entry->written && entry->hidden) || may_appear(entry))/may_appear(entry)/' baseline
mutate "limits that come to sight are overwritten" src/transaction/revealed.c \
	's/return item->kind == ITEM_SCALING_MIN && now > old;/return false;/' baseline
mutate "limits that come to sight are not what was before" $prepare \
	's/^\t\t\tchange_reveal(change, &entry->item, .*/\t\t\t;/' baseline
mutate "what earlier steps moved is not read again" $prepare \
	's/if (!item || !item->moved || !entry->old_known/if (!item || item->moved || !entry->old_known/' \
	baseline
mutate "steps take what earlier ones moved for what it was" $making \
	's/^\t\titem->now = access->value;//' tpmi
mutate "what was read back is read again" $making 's/^\t\titem->moved = false;//' costs
mutate "bits of others are put back" $undo \
	's/^\tif (!now->failure.error)$/\tif (false)/' baseline
mutate "bits of others are compared" $undo \
	's/^\tif (entry->mask == WHOLE_VALUE)$/\tif (true)/' baseline
mutate "bits of others are verified" $prepare \
	's/return ((now.number ^ entry->bits) & entry->mask) == 0;/return now.number == entry->wanted.number;/' \
	baseline
mutate "what undo did is not compared" $undo 's/error = compare_all(change);/error = 0;/' verification
mutate "only one of several differences is listed" $undo \
	's/if (!item || item->compared)/if (!item || item->compared || change->differences.count)/' \
	rollback
mutate "limits that others move are not recorded" src/transaction/items.c \
	's/return COUNTERPARTS\[item->kind\] != 0;/return false;/' faults_small "base-freq disable auto over core-power"
mutate "a pending value is not overwritten" $undo \
	's/ || may_appear(entry));$/);/' verification
mutate "nothing is read back" $making \
	's/error = verify_step(making);/error = 0;/' verification
mutate "what was not taken counts as clipped" $making \
	's/if (item_value_clipped(.*/if (true) {/' verification
mutate "what was clipped counts as not taken" $making \
	's/if (item_value_clipped(.*/if (false) {/' verification
mutate "late firmware is not waited for" $making \
	's/poll_timer_wait(\&timer)) {/false) {/' verification
mutate "a write that failed is passed over" $making \
	's/if (failure->error \&\& !entry->timed_out/if (0/' verification
mutate "an old value that cannot be read is passed over" $prepare \
	's/^\t\tif (item->failure.error)$/\t\tif (0)/' verification
mutate "what is there already is written again" $prepare \
	's/entry->needed = entry->old_known &&/entry->needed = entry->old_known || /' unchanged "association"
mutate "nobody asks whether to go on" $making \
	's/if (!change->options.interrupted ||/if (1 ||/' interruptions "level 1 online"
mutate "nobody asks between two CPUs whether to go on" $making \
	's/if (one_by_one && at > 0)/if (0)/' interruptions "level 1 online"
mutate "batches go on behind a write that failed" src/driver/driver.c \
	's/while (purpose == BATCH_WRITES && at < count)/while (0)/' verification

mutate "nobody waits for the lock" src/transaction/lock.c \
	's/while (flock(descriptor, LOCK_EX | LOCK_NB)) {/while (0) {/' concurrency
mutate "a change needs no lock" src/transaction/change.c \
	's/error = options->dry_run ? 0 : lock_check(context, context->unlocks);/error = 0;/' concurrency

journal=src/transaction/journal.c
mutate "no journal is written" $journal \
	's/error = text->size > 0 ? append(change, text->text) : 0;/error = 0;/' \
	interruptions "association"
mutate "a journal is not removed" $journal \
	's/error = runtime_file_remove(directory_of(change), FILE_NAME);/error = 0;/' \
	faults_small "association"
mutate "a journal is not read" src/features/context.c \
	's/error = journal_recover(context);/error = 0;/' interruptions "association"
mutate "a journal lacks the footprints" $journal \
	's/i < step->footprint_count; i++) {/i < 0; i++) {/' interruptions "level 1 with features on"
apply=src/transaction/recovery_apply.c
recovery=src/transaction/recovery.c
mutate "recovery is not told of" src/transaction/recovery.c 's/^\tmessage_notice(/\tmessage_trace(/' \
	interruptions "association"
mutate "a package that is offline is none of this machine" src/transaction/place.c \
	's/place = place_of_remembered(.*/place = PLACE_NONE;/' recovery
mutate "power domains without CPUs do not wait for their package" src/transaction/place.c \
	's/place = place_of_remembered(context, item, is_of_offline_package.*/;/' recovery
mutate "what the driver does not offer is none of this machine" src/transaction/place.c \
	's/? PLACE_UNSERVED/? PLACE_NONE/' recovery
mutate "a value that was clipped is another process's" src/transaction/findings.c \
	's/item_value_may_be_clipped(item, tracked->last, tracked->now)/false/' recovery
mutate "a bit without a known meaning makes an item another's" src/transaction/tracked.c \
	's/return tracked->written ? item_known_bits.*/return WHOLE_VALUE;/' recovery
mutate "a journal is not read again behind the lock" src/transaction/recovery.c \
	's/left = journal_text_read(context, &again) == 0 .*/left = true \&\&/; s/again.whole == text->whole .*/true;/' recovery
mutate "limits go unnoticed with the CPUs that a recovery takes offline" $apply \
	's/entry->appeared = tracked->appeared;/;/' recovery
mutate "the journal goes although items are out of reach" $apply \
	's/error = keep_rest(journal);/error = 0;/' recovery
mutate "a refused recovery leaves the machine discovered" src/features/context.c \
	's/^\t\ttopology_free(context->topology);/\t\t;/; s/^\t\tcontext->topology = NULL;/\t\t;/' recovery
mutate "a journal of another boot is followed" src/transaction/item_lines.c \
	's/strncmp(text, header, strlen(header)) != 0/0/' interruptions "association"

record=src/transaction/saved_settings.c
record_file=src/transaction/saved_settings_file.c
settings_apply=src/transaction/saved_settings_apply.c
mutate "records are ignored" $record \
	's/int error = settings_file_read(context, name, false, saved);/int error = -ENOENT;/' records
mutate "what was taken back already is taken back again" src/features/restoring.c \
	's/\*settled = followed > 0 .*/*settled = false;/' unchanged "turbo-freq disable auto over core-power"
mutate "records that are cut off are followed" src/transaction/item_lines.c \
	's/^\treturn item_lines_refuse(context, name, number, "truncated");/\treturn 0;/' records
mutate "records that no enable can have written are followed" $record_file \
	's/error = check_lines(context, file, saved);/error = 0;/' records
mutate "enable finds out afterwards that its record cannot be read" $record \
	's/int error = check_readable(change->context, name);/int error = 0;/' records
mutate "what was put back stays recorded without room for a new file" $record_file \
	's/if (error \&\& text \&\& over/if (error \&\& !text \&\& over/' records
mutate "records of another level are used" $record \
	's/saved->items\[i\].level == level \&\& !settings_is_mark/!settings_is_mark/' records
mutate "a second enable overwrites the record" $settings_apply \
	's/^\t\tline->written = entry->wanted;/&\n\t\tline->old = entry->old;/' records
mutate "the other feature's record keeps what this one had written" $settings_apply \
	's/^\t\thand_down(keeping, line, old);/\t\t(void)hand_down;/' records
mutate "a signal during the last write rolls the change back" $run \
	's/^\tif (!needed) {/\tif (!change_check_interrupted(change) \&\& !needed) {/' interruptions "level 1 online"
mutate "records hold values from before the whole change" $settings_apply \
	's/entry->replaced_known ? entry->replaced : entry->old/entry->old/' records
mutate "records hold what other requests of the change wrote" $settings_apply \
	's/change->steps\[i\]->settings == plan \&\& entry->written/entry->written/' records
mutate "a kill behind the change loses its saved settings" $settings_apply \
	's/^\tstaged = apply_plans(change, true) == 0;/\tstaged = false;/' records
mutate "a change that was rolled back leaves saved settings behind" $apply \
	's/^\t\tsettings_unstage(context);/\t\t(void)context;/' records
mutate "records are not written" src/transaction/run.c 's/^\tsettings_apply(change, staged);//' records
mutate "what the user changed is put back" src/features/restoring.c \
	's/^\tif (!as_written)$/\tif (now->absent)/' records

partition=src/sysfs/partition.c
mutate "a partition does not fall back to root" $partition \
	's/if (refused && strcmp(expected, "isolated") == 0 &&/if (0 \&\&/' hotplug
mutate "invalid partitions are not brought back" $partition \
	's/const char \*cpus = find_cpus(state);/const char *cpus = strchr(state, 32);/' hotplug
mutate "groups are not removed" $partition \
	's/error = kernel_files_rmdir(files, path);/error = 0;/' faults_small "level 1 partitions"

mutate "partitions of others are taken over" src/features/level_partitions.c \
	's/if (group == GROUP_OTHER_PARTITION)$/if (0)/' hotplug

# ---- CPUs that come online ----
mutate "CPUs of unknown place come online for one package" src/features/level_unknown_cpus.c \
	's/^\tif (!is_whole_machine(change))$/\tif (!is_whole_machine(change) \&\& !change)/' hotplug
mutate "limits that the kernel writes again are left" src/features/hotplug.c \
	's/entry->mask = WHOLE_VALUE;/(void)0;/' hotplug

# ---- TPMI ----

forget_kind ITEM_LEVEL tpmi
forget_kind ITEM_FEATURES tpmi
forget_kind ITEM_QOS tpmi_small "first domain: core-power enable ordered"
forget_kind ITEM_CLOS tpmi_small "first domain: clos"
forget_kind ITEM_ASSOCIATION tpmi_small "association"
forget_kind ITEM_TURBO_RATIO_LIMITS tpmi_small "level 1 with features on"
forget_kind ITEM_UNCORE_MAX tpmi
forget_kind ITEM_SCALING_MAX tpmi_small "base-freq enable"

settings=src/firmware/tpmi_settings.c
mutate "a level that timed out counts as refused" $settings \
	's/^\t\treturn -ETIMEDOUT;/\t\treturn error;/' tpmi
mutate "a level that was refused counts as timed out" $settings \
	's/now_us() - begin_us >= WAITED_US/begin_us > 0/; s/count_rests() > begin_rests/begin_rests >= 0/' tpmi
mutate "a level that timed out is not waited for" $undo \
	's/pending |= may_appear(entry) &&/pending |= false \&\&/' tpmi
mutate "a level that comes late is a failure" $making \
	's/if (failure->error && !entry->timed_out && !result)/if (failure->error \&\& !result)/' tpmi
mutate "features stay on behind a level that came late" src/features/perf_profile_change.c \
	's/^\t\tfinish_late_levels(.*/\t\t;/' tpmi
mutate "recovery waits only for what is known to have been written" src/transaction/tracked.c \
	's/tracked->pending = !verified &&/tracked->pending = !verified \&\& line->step <= journal->text.written \&\&/' tpmi
mutate "recovery waits for nothing" src/transaction/tracked.c \
	's/tracked->pending = !verified &&/tracked->pending = false \&\&/' tpmi
mutate "associations are not read back" $making \
	's/error = verify_step(making);/error = step->kind == ITEM_ASSOCIATION ? 0 : verify_step(making);/' \
	tpmi
mutate "features are not waited for" src/transaction/items.c \
	's/AS_FEATURES, 100,/AS_FEATURES, 0,/' tpmi
mutate "core-power is not waited for" src/transaction/items.c \
	's/NULL, false, AS_WORD, 100, false/NULL, false, AS_WORD, 0, false/' tpmi
mutate "the neighbours in a package are forgotten" src/features/package_scope.c \
	's/if (is_neighbour(domain, requests, scope->own))/if (0)/' tpmi
mutate "a domain without CPUs keeps the others from a change" src/transaction/items.c \
	's/^\treturn !item_is_file(item->kind) && domain .*/\treturn false;/' tpmi_small "core-power enable"
mutate "any domain may refuse" src/transaction/items.c \
	's/^\treturn !item_is_file(item->kind) && domain .*/\treturn true;/' tpmi_small "core-power enable"
mutate "nobody says that a domain was left out" src/transaction/report.c \
	's/^\tchange_warn(change, "%s; left unchanged, .*/\t(void)change;\n\t(void)why;/' tpmi_small "core-power enable"
mutate "a domain that refuses ends the writing of the others" $making \
	's/^\t\t\t\*next = i;/\t\t\t*next = count;/' tpmi
mutate "a level change does not record the features" src/features/perf_profile_change.c \
	's/step_resets(step, item_of(ITEM_FEATURES, domain, current), 0);/(void)current;/' tpmi
mutate "CPUs of unknown power domains are passed over" src/topology/power_domains.c \
	's/note_unknown(topology, die->package, cpu->unknown_core);/note_unknown(topology, die->package + 1, NULL);/' tpmi
mutate "associations behind one that failed are lost" src/driver/driver.c \
	's/alone = some;/at += some;/' tpmi_small "association"
mutate "a preset platform's lower limit is not restored" $undo \
	's/^\tstruct restoration work = { .change = change, .entries = entries };/&\n\tif (kind == ITEM_SCALING_MIN)\n\t\treturn 0;/' \
	tpmi_small "base-freq enable"

echo "1..$number"
[ "$failed" -eq 0 ]
