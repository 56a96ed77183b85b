# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh disable=SC2154,SC2086,SC2034 # variables come from init and lib.sh and hold no blanks
# Verdicts, and what they are made of: the machine's units, trees and registers that are expected.
# A check has a name that begins with the command, and prints one line: `ok - SERIES TRANSPORT: NAME`, or `not ok - ...`
# followed by what was wrong, each line of it behind `# `.

hardware=/sys/kernel/debug/isst_hardware
cpus_dir=/sys/devices/system/cpu
work=/tmp/checks
mkdir -p $work

pass() {	# $1: name
	echo "ok - $series $transport: $1"
}

fail() {	# $1: name; standard input: what is wrong
	echo "not ok - $series $transport: $1"
	head -n 40 | sed 's/^/# /'
}

verdict() {	# $1: name $2: file that holds what is wrong, empty if nothing is
	if [ -s "$2" ]; then
		fail "$1" < "$2"
	else
		pass "$1"
	fi
}

same() {	# $1: what is compared $2: file of expected $3: file of got
	diff -u "$2" "$3" > $work/difference || { echo "$1: expected (-), got (+)"; sed 1,2d $work/difference; }
}

status_is() {	# $1: expected $2: got
	[ "$1" = "$2" ] || echo "exit status: expected $1, got $2"
}

holds() {	# $1: file $2: words that have to be in it
	grep -q -F -e "$2" "$1" || { echo "not printed: $2; but:"; head -n 12 "$1"; grep -E '^(Error|Information)' "$1"; }
}

is_empty() {	# $1: what $2: file
	[ ! -s "$2" ] || { echo "$1: not empty:"; cat "$2"; }
}

equal() {	# $1: what $2: expected $3: got
	[ "$2" = "$3" ] || echo "$1: expected $2, got $3"
}

# ---- The hardware ----

control() {
	echo "$*" > $hardware/control
}

power_on() {
	control reset
	rm -f /run/isst/saved-settings /run/isst/journal
	reset_limits min
	reset_limits max
	echo > $hardware/changes
}

reset_limits() {	# $1: min or max
	[ "$(cat $cpus_dir/cpufreq/policy*/scaling_$1_freq | uniq)" != "$(cat $cpus_dir/cpufreq/policy0/cpuinfo_$1_freq)" ] ||
		return 0
	for policy in "$cpus_dir"/cpufreq/policy*; do
		cat "$policy/cpuinfo_$1_freq" > "$policy/scaling_$1_freq"
	done
}

drivers_of_tpmi='intel_tpmi_power_domains isst_if_common isst_tpmi_core isst_tpmi'

reload() {	# unloads the drivers, and loads them again after "$@"
	case $transport in
	tpmi) modules=$drivers_of_tpmi ;;
	msr) modules='isst_if_common isst_if_mbox_msr' ;;
	*) modules='isst_if_common isst_if_mbox_pci isst_if_mmio' ;;
	esac
	for module in $modules; do
		loaded="$module $loaded"
	done
	for module in $loaded; do
		rmmod $module || echo "$module cannot be unloaded"
	done
	loaded=
	"$@"
	for module in $modules; do
		insmod /lib/modules/$module.ko
	done
	[ "$transport" != tpmi ] || sleep 1
}

# ---- The machine: lines `cpu package die domain core`, cores counted within a domain ----

find_topology() {
	for cpu in $(seq 0 $(($(grep -c ^processor /proc/cpuinfo) - 1))); do
		from=$cpus_dir/cpu$cpu/topology
		echo "$cpu $(cat $from/physical_package_id) $(cat $from/die_id) $(cat $from/thread_siblings_list)"
	done | awk '
		{ if (!($2 in dies)) dies[$2] = 0
		  if (!(($2, $3) in domain)) { domain[$2, $3] = dies[$2]++; cores[$2, $3] = 0 }
		  if (!($4 in core)) core[$4] = cores[$2, $3]++
		  print $1, $2, $3, domain[$2, $3], core[$4] }' > $work/topology
}

ranges() {	# of CPUs, a number each line, as the kernel writes them
	awk 'function put() { if (n++) printf ","; printf first == last ? "%d" : "%d-%d", first, last }
		NR > 1 && $1 != last + 1 { put(); first = $1 }
		NR == 1 { first = $1 }
		{ last = $1 }
		END { put(); print "" }'
}

kept() {	# CPUs of the cores that level 1 has
	awk '$5 != 3 { print $1 }' $work/topology | ranges
}

find_units() {
	for kind in io -; do
		list_units '' $kind | sort -n -k 1,1 -k 3,3 > $work/units.$kind
	done
}

units() {	# as list_units
	if [ -n "$1" ]; then
		list_units "$1" - | sort -n -k 1,1 -k 3,3 -k 4,4
	else
		cat "$work/units.$2"
	fi
}

# Units `package die domain cpu` in the order of output: those of CPUs, or one for each domain.
list_units() {	# $1: list of CPUs, may be empty $2: io, if domains without CPUs are wanted
	if [ -n "$1" ]; then
		echo "$1" | tr ',' '\n' | awk 'NR == FNR { wanted[$1]; next } $1 in wanted { print $2, $3, $4, $1 }' \
			- $work/topology
		return
	fi
	awk '!(($2, $3) in seen) { seen[$2, $3]; print $2, $3, $4, $1 }' $work/topology
	[ "$transport$2" != tpmiio ] || awk '{ if (last[$2] < $4) last[$2] = $4 }
		END { for (p in last) print p, "IO", last[p] + 1, "None" }' $work/topology
}

template() {	# $1: name $2: extension
	for place in $transport common; do
		[ ! -e "/vm/expected/$place/$1.$2" ] || cat "/vm/expected/$place/$1.$2"
	done
}

# Bodies of a tree: `@name...` are templates, other words the lines themselves.
body() {	# $1: the words $2: extension of templates
	case $1 in
	@*) for name in $1; do template "${name#@}" "$2"; done ;;
	*) echo "$1" ;;
	esac
}

# The whole tree that a command has to print.
tree() {	# $1: body $2: list of CPUs, may be empty $3: io, if domains without CPUs have one
	body "$1" tree > $work/body.tree
	body "$1" io > $work/body.io
	units "$2" "$3" > $work/units
	awk -v transport="$transport" -v series="$series" -f /vm/tree.awk $work/topology $work/units $work/body.tree \
		$work/body.io
}

flat_text() {
	flat text | sort
}

flat_json() {
	flat json | sort
}

find_banner() {
	model=$(awk -F '[: \t]+' '/^model\t/ { print $2; exit }' /proc/cpuinfo)
	printf 'Intel(R) Speed Select Technology\nExecuting on CPU model:%d[0x%x]\n' "$model" "$model" > $work/banner
}

run() {	# the command; leaves $work/out, $work/err and $status
	status=0
	"$@" > $work/out 2> $work/err || status=$?
}

class_body() {	# class, EPP, weight, minimum, maximum
	printf 'core-power\n  clos:%s\n  epp:%s\n  clos-proportional-priority:%s\n' "$1" "$2" "$3"
	printf '  clos-min:%s\n  clos-max:%s\n  clos-desired:0 MHz' "$4" "$5"
}

# Text and JSON of a command against a tree.
shown_as_text() {	# $1: expected status; $work/tree
	status_is "$1" "$status"
	cat $work/banner $work/tree > $work/expected
	# The current level is marked, which no tree has.
	sed 's/ (current)$//' $work/out > $work/unmarked
	same output $work/expected $work/unmarked
}

shown_as_json() {	# $1: expected status; $work/tree
	status_is "$1" "$status"
	flat_text < $work/tree > $work/expected
	flat_json < $work/out > $work/flat 2>&1
	grep -v '^Information:' $work/flat > $work/values
	same JSON $work/expected $work/values
}

# A command that reads.
reads() {	# $1: body $2: io or - $3: list of CPUs or -; the other words: the command
	kind=$2 cpus=$3
	[ "$cpus" != - ] || cpus=
	tree "$1" "$cpus" "$kind" > $work/tree
	shift 3
	run isst ${cpus:+-c "$cpus"} "$@"
	{ shown_as_text 0; is_empty messages $work/err; } > $work/wrong
	verdict "${cpus:+-c $cpus }$*" $work/wrong
	run isst -f json ${cpus:+-c "$cpus"} "$@"
	{ shown_as_json 0; is_empty messages $work/err; } > $work/wrong
	verdict "-f json ${cpus:+-c $cpus }$*" $work/wrong
}

# ---- Registers ----

# The registers that the hardware has to hold: lines `PACKAGE DOMAIN ITEM VALUE...` on standard input describe how they
# differ from those at power on; see registers.awk.
registers() {
	awk -v transport="$transport" -f /vm/registers.awk $work/units.io -
}

holds_registers() {	# standard input: as for registers
	registers > $work/registers
	same registers $work/registers $hardware/registers
}

nothing_changed() {
	cat $hardware/changes > $work/changes
	is_empty 'changes of the hardware' $work/changes
}

# The power domains of a package have one register of turbo limits: domains_of_limits DOMAIN
domains_of_limits() {
	case $transport in
	tpmi) echo '*' ;;
	*) echo "$1" ;;
	esac
}

base_freq_auto() {	# the state after base-freq enable -a: $1: packages $2: their level
	case $2 in
	0) high=25 low=20 fast=1 ;;
	1) high=29 low=24 fast=2 ;;
	esac
	echo "$1 + base-freq 1"
	echo "$1 + core-power 1"
	echo "$1 + ordered 1"
	echo "$1 + class 0 0 0 $high 255"
	for class in 1 2 3; do
		echo "$1 + class $class 15 15 $low 255"
	done
	for core in 0 1 2 3; do
		echo "$1 * association $core 3"
	done
	echo "$1 * association $fast 0"
}

# Classes and associations are of the package; SST-TF is of the die, as is core-power, except on TPMI.
turbo_freq_auto_state() {
	# shellcheck disable=SC2046 # two words
	set -- $(awk '$1 == 5 { print $4, $5 }' $work/topology)
	on=$1
	[ "$transport" != tpmi ] || on=+
	echo "0 $on core-power 1"
	echo "0 $on ordered 1"
	echo '0 + class 0 0 0 0 255'
	for other in 1 2 3; do
		echo "0 + class $other 15 15 0 255"
	done
	for other in 0 1 2 3; do
		echo "0 * association $other 3"
	done
	echo "0 $1 association $2 0"
	echo "0 $1 turbo-freq 1"
	echo "0 $(domains_of_limits "$1") turbo-limits 0xffffffffffffffff"
}

# A command that changes: $work/state holds the lines for registers.
changes() {	# $1: body $2: io or - $3: list of CPUs or - $4: commands before, may be empty; the others: the command
	kind=$2 cpus=$3 before=$4
	[ "$cpus" != - ] || cpus=
	cat > $work/state
	tree "$1" "$cpus" "$kind" > $work/tree
	shift 4
	for format in text json; do
		power_on
		eval "$before" > $work/before 2>&1
		run isst -f $format ${cpus:+-c "$cpus"} "$@"
		{
			shown_as_$format 0
			holds_registers < $work/state
			[ ! -e /run/isst/journal ] || echo 'the journal is left behind'
		} > $work/wrong
		name="${cpus:+-c $cpus }$*${before:+ (after $before)}"
		[ $format = text ] || name="-f json $name"
		verdict "$name" $work/wrong
	done
}

# A command that has to fail, with the machine as it was before: $1: status $2: words of its message; the command.
# $fault enables faults before the command, after $before.
fails() {
	expected=$1 words=$2
	shift 2
	power_on
	eval "${before:-:}" > $work/before 2>&1
	cat $hardware/registers > $work/registers
	eval "${fault:-:}"
	run isst "$@"
	cat $work/out $work/err > $work/said
	{
		status_is "$expected" "$status"
		holds $work/said "$words"
		same registers $work/registers $hardware/registers
		[ ! -e /run/isst/journal ] || echo 'the journal is left behind'
	} > $work/wrong
	verdict "$* (${fault:+$fault: }exit status $expected)" $work/wrong
}
