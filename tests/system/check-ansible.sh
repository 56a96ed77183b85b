#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# check-ansible.sh BUILD
# The Ansible role, run by this system's Ansible on this host, whose command has an emulated machine: what each run changes,
# check mode, drift, mistakes. Needs root, as files of root are installed (below a scratch directory). Speaks TAP.
# shellcheck disable=SC2016  # check expands its commands
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
# shellcheck source=tests/support/tap.sh
. "$here/../support/tap.sh"
command -v ansible-playbook > /dev/null || skip_all 'ansible-playbook is not installed'
[ "$(id -u)" -eq 0 ] || skip_all 'not root'

scratch=$(mktemp -d "${TMPDIR:-/tmp}/isst-ansible.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
export ISST_EMULATE=guide ISST_EMULATE_STATE=$scratch/machine
mkdir "$ISST_EMULATE_STATE"
export ANSIBLE_ROLES_PATH=$here/../../packaging/system/ansible/roles ANSIBLE_NOCOLOR=1 ANSIBLE_LOCAL_TEMP=$scratch/local \
	ANSIBLE_REMOTE_TEMP=$scratch/remote ANSIBLE_HOME=$scratch/home ANSIBLE_LOCALHOST_WARNING=no ANSIBLE_RETRY_FILES_ENABLED=no \
	ANSIBLE_INVENTORY_UNPARSED_WARNING=no LC_ALL=C.UTF-8
cd "$scratch"
configuration=$scratch/etc/isst.conf

cat > variables.yml <<END
isst_command: $build/isst
isst_configuration_file: $configuration
isst_facts_directory: $scratch/facts.d
isst_at_boot: false
isst_after_suspend: false
isst_statements:
  - core-power on ordered
  - clos 1: max 2000
END

# play NAME [OPTION...]: runs the playbook; its output is in $scratch/NAME
play() {
	local name=$1
	shift
	ansible-playbook -i localhost, -e @variables.yml "$@" "$here/playbook.yml" > "$name" 2>&1
}

recap() { grep -q "changed=$2 .*failed=$3 " "$1" || { cat "$1"; return 1; }; }
as_configured() { "$build/isst" config check "$configuration"; }
core_power() { "$build/isst" -f facts status | grep -c "\"core_power\": \"$1\""; }

check 'check mode reports what would change' eval 'play first --check --diff && recap first 5 0'
check 'lists what differs' eval "grep 'core-power: on is wanted, but it is off' first"
check 'and the difference of the file' eval "grep -x '+core-power on ordered' first"
check 'but changes neither files' eval "test ! -e $scratch/etc && test ! -e $scratch/facts.d"
check 'nor the machine' eval '[ "$(core_power disabled)" -eq 2 ]'
check 'the first run installs and applies the configuration' eval 'play second && recap second 5 0 && as_configured'
check 'and returns the facts of the new state' eval "grep 'core-power is enabled' second"
check 'the file is that of the template' eval \
	"printf '%s\n' '# isst configuration 1' 'core-power on ordered' 'clos 1: max 2000' | cmp - $configuration"
check 'the local fact is JSON' eval "$scratch/facts.d/isst.fact | python3 -m json.tool"
check 'the second run changes nothing' eval 'play third && recap third 0 0'
"$build/isst" core-power disable > /dev/null 2>&1
check 'check mode reports drift' eval 'play fourth --check && recap fourth 1 0 && [ "$(core_power enabled)" -eq 0 ]'
check 'a run repairs it' eval 'play fifth && recap fifth 1 0 && as_configured'
cp "$configuration" before.conf
check 'a mistake fails with its line' eval \
	"! play sixth -e '{isst_statements: [levle 1]}' && recap sixth 0 1 && grep 'standard input:2: ' sixth"
check 'as does what the machine does not have' eval "! play seventh -e '{isst_statements: [level 9]}' && recap seventh 0 1"
check 'the installed configuration stays' eval "cmp before.conf $configuration && as_configured"
check 'another configuration is applied' eval \
	"play eighth -e '{isst_statements: [core-power off]}' && recap eighth 2 0 && [ \"\$(core_power disabled)\" -eq 2 ]"

# A server without Speed Select: its state is read all the same.
other() { ISST_EMULATE=$here/../platforms/$1.platform ISST_EMULATE_STATE=$scratch/machine-$1 "${@:2}"; }
local_fact() { ansible localhost -i localhost, -c local -m setup -a "fact_path=$scratch/facts.d filter=ansible_local"; }
mkdir "$scratch/machine-no-device"
check 'status ends with 3 without Speed Select' eval \
	'other no-device "$build/isst" -f facts status
	[ $? -eq 3 ]'
check 'the role skips a server without Speed Select' eval \
	"other no-device play ninth -e '{isst_statements: [match model 1 else skip, core-power on]}' && recap ninth '[0-9]*' 0"
check 'but fails if the configuration is for it' eval "! other no-device play tenth -e '{isst_statements: [core-power on]}'"
check 'the local fact exists there' eval "other no-device local_fact | grep '\"domains\": \\[\\]'"

# A server of which a value cannot be read.
echo 'mailbox 0x7f/0x03 package 1 EIO' > "$ISST_EMULATE_STATE/faults"
check 'status ends with 1 if a value cannot be read' eval '"$build/isst" -f facts status
	[ $? -eq 1 ]'
check 'the role configures such a server' eval 'play eleventh && recap eleventh 2 0 && as_configured'
check 'and returns the other facts' eval "grep 'core-power is enabled' eleventh"
check 'the local fact has them, too' eval "local_fact | grep '\"core_power\": \"enabled\"'"

# One that cannot be compared with the configuration: the status of the comparison is that of a difference.
echo 'mailbox 0x7f/0x00 EIO' > "$ISST_EMULATE_STATE/faults"
check 'check mode fails if the machine cannot be compared' eval \
	"! play twelfth --check -e '{isst_statements: [level 1]}' && recap twelfth '[0-9]*' 1 && grep 'cannot read the performance levels' twelfth"
check 'as does a run' eval "! play thirteenth -e '{isst_statements: [level 1]}' && recap thirteenth 0 1"
rm "$ISST_EMULATE_STATE/faults"
mkdir "$scratch/machine-tpmi-partly-bound"
check 'as it does if parts of the machine cannot be compared' eval \
	"! other tpmi-partly-bound play fourteenth --check -e '{isst_statements: [level 0]}' && recap fourteenth '[0-9]*' 1 &&
	grep 'package 1 is left out' fourteenth"
check 'the name of the kernel tool has the same results' eval \
	"play fifteenth --check -e isst_command=$build/intel-speed-select -e '{isst_statements: [level 1]}' && recap fifteenth '[1-9]' 0"
finish
