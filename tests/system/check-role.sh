#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# check-role.sh BUILD
# What the Ansible role makes of the result of `config check`, by the conditions of its task, on emulated machines. Needs
# python3 with the modules yaml and jinja2, neither Ansible nor root. Speaks TAP.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
# shellcheck source=tests/support/tap.sh
. "$here/../support/tap.sh"
python3 -c 'import jinja2, yaml' 2> /dev/null || skip_all 'python3 has no yaml or no jinja2'
scratch=$(mktemp -d "${TMPDIR:-/tmp}/isst-role.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
export ISST_EMULATE=guide ISST_EMULATE_STATE=$scratch/machine
mkdir "$ISST_EMULATE_STATE"

cat > "$scratch/judge.py" <<'END'
import subprocess, sys, types
import jinja2, yaml

tasks, program, statement = sys.argv[1:]
with open(tasks) as file:
    task = next(task for task in yaml.safe_load(file) if task.get("register") == "isst_comparison")
done = subprocess.run([program, "config", "check", "-"], input="# isst configuration 1\n" + statement + "\n",
                      stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
names = {"isst_comparison": types.SimpleNamespace(rc=done.returncode, stdout=done.stdout, stderr=done.stderr,
                                                  stdout_lines=done.stdout.splitlines(), stderr_lines=done.stderr.splitlines()),
         "ansible_check_mode": True}
condition = lambda name: jinja2.Environment().compile_expression(task[name])(**names)
print("failed" if condition("failed_when") else "changed" if condition("changed_when") else "ok")
END

# judges PROGRAM STATEMENT RESULT
judges() {
	result=$(python3 "$scratch/judge.py" "$here/../../packaging/system/ansible/roles/isst/tasks/main.yml" "$build/$1" "$2")
	[ "$result" = "$3" ] || { echo "$result, not $3"; return 1; }
}

for program in isst intel-speed-select; do
	check "$program: a machine that is as configured is unchanged" judges $program 'level 0' ok
	check "$program: one that differs would be changed" judges $program 'level 1' changed
	check "$program: a mistake fails" judges $program 'levle 1' failed
	check "$program: a configuration for another machine fails" judges $program 'match model 0xad' failed
done
echo 'mailbox 0x7f/0x00 EIO' > "$ISST_EMULATE_STATE/faults"
check 'a machine that cannot be compared fails' judges isst 'level 1' failed
check 'also by the name of the tool of the kernel' judges intel-speed-select 'level 1' failed
ISST_EMULATE=$here/../platforms/tpmi-partly-bound.platform
ISST_EMULATE_STATE=$scratch/other
mkdir "$ISST_EMULATE_STATE"
check 'as does one of which parts cannot be compared' judges isst 'level 0' failed
check 'unless the others differ' judges isst 'level 1' changed
finish
