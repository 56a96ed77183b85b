#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# growth.sh BUILD
# What commands cost on 1024, 2048 and 4096 CPUs, in instructions that callgrind counts, those of the emulator included:
# fails where twice the CPUs cost more than 2.3 times as much. Then the processor time of
# configurations on 4096 CPUs.
set -eu
export LC_ALL=C
build=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
most=2.3
command -v valgrind > /dev/null || { echo "bench: growth skipped: it takes valgrind"; exit 0; }
scratch=$(mktemp -d "${TMPDIR:-/tmp}/isst-growth.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
unset ISST_EMULATE ISST_EMULATE_STATE
sed '/^match/d' "$here/pct.conf" > "$scratch/pct.conf"

on_machine() {
	"$build/isst" --emulate "$scratch/$platform-$cpus.platform" --emulate-state "$scratch/state" "$@"
}

# In the state of power-on, with the caches that every run but the first one finds, and the state after boot.
prepare() {
	rm -rf "$scratch/state"
	on_machine --info
	if [ "$kind" = change ]; then
		on_machine core-power config -c 3 -w 1
		on_machine core-power config -c 3
	fi
}

# Words of a line; LAST is the last CPU, PCT the configuration.
words() {
	echo "$command" | sed "s/LAST/$((cpus - 1))/; s|PCT|$scratch/pct.conf|"
}

instructions() {
	prepare > /dev/null 2>&1
	# shellcheck disable=SC2046 # words
	valgrind --tool=callgrind --callgrind-out-file=/dev/null "$build/isst" \
		--emulate "$scratch/$platform-$cpus.platform" --emulate-state "$scratch/state" $(words) \
		> "$scratch/printed" 2> "$scratch/report" || true
	sed -n 's/.*Collected : *\([0-9]*\).*/\1/p' "$scratch/report"
}

for platform in mailbox tpmi; do
	for cpus in 1024 2048 4096; do
		sed "s/^packages = .*/packages = 0-$((cpus / 128 - 1))/" "$here/platforms/$platform.platform" \
			> "$scratch/$platform-$cpus.platform"
	done
done

printf '\nGrowth: millions of instructions on 1024, 2048 and 4096 CPUs, and how many times those of half the CPUs [at most %s].\n' "$most"
for platform in mailbox tpmi; do
	while IFS='|' read -r kind command; do
		# What a machine does not have is none of its commands.
		case $platform,$command in
		mailbox,*PCT*) continue ;;
		esac
		if [ -n "${GROWTH:-}" ] && ! echo "$command" | grep -q -e "$GROWTH"; then continue; fi
		counts=
		for cpus in 1024 2048 4096; do counts="$counts $(instructions)"; done
		echo "$platform|$command|$counts"
	done < "$here/commands"
done | awk -F '|' -v most="$most" '
	{
		split($3, n, " ")
		printf "%-8s %-45s %8.1f %8.1f (%.2f) %8.1f (%.2f)\n", $1, $2, n[1] / 1e6, n[2] / 1e6, n[2] / n[1], n[3] / 1e6, n[3] / n[2]
		if (n[2] > most * n[1] || n[3] > most * n[2]) {
			print "bench: " $2 " grows faster than the machine (" $1 ")" > "/dev/stderr"
			broken = 1
		}
	}
	END { exit broken }'

# Least processor time of five runs, and what it may be at most.
${CC:-cc} -O2 -Wall -Wextra -o "$scratch/measure" "$here/measure.c"
platform=tpmi cpus=4096
while IFS='|' read -r kind seconds command; do
	for _ in 1 2 3 4 5; do
		prepare > /dev/null 2>&1
		# shellcheck disable=SC2046 # words
		"$scratch/measure" "$scratch/printed" "$build/isst" --emulate "$scratch/tpmi-4096.platform" \
			--emulate-state "$scratch/state" $(words) | cut -d ' ' -f 2
	done | sort -n | awk -v command="$command" -v most="$seconds" '
		NR == 1 {
			printf "%s on 4096 CPUs: %d ms of processor time [%d]\n", command, $1, most
			if ($1 >= most) {
				print "bench: " command " on 4096 CPUs breaks a bound" > "/dev/stderr"
				exit 1
			}
		}'
done <<END
read|300|config save
change|250|config apply PCT
END
