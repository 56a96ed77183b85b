# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh disable=SC2154,SC2086,SC2034 # variables come from init and lib.sh and hold no blanks
# Who may do what: users and capabilities as the kernel knows them.

changing_commands='perf-profile set-config-level -l 1
base-freq enable
turbo-freq enable -a
core-power enable -p 1
core-power config -c 1 -n 900
turbo-mode set-trl -t 0x1010101010101010'

privileges() {
	power_on
	run as 1000 - isst perf-profile get-config-levels
	cat $work/out $work/err > $work/said
	{ [ "$status" = 3 ] || status_is 4 "$status"; holds $work/said 'Permission denied'; } > $work/wrong
	verdict 'perf-profile get-config-levels (user, device closed to users)' $work/wrong
	chmod 666 /dev/isst_interface
	tree 'get-config-levels:1' '' io > $work/tree
	run as 1000 - isst perf-profile get-config-levels
	shown_as_text 0 > $work/wrong
	verdict 'perf-profile get-config-levels (user, device open to users)' $work/wrong
	without_capability
	as_user_with_capability
	chmod 600 /dev/isst_interface
}

without_capability() {
	echo "$changing_commands" | while read -r words; do
		for user in 0 1000; do
			power_on
			run as $user - isst $words < /dev/null
			cat $work/out $work/err > $work/said
			{ status_is 4 $status; holds $work/said CAP_SYS_ADMIN; nothing_changed; } > $work/wrong
			verdict "$words (user $user without capabilities)" $work/wrong
		done
	done
}

# What is written below /run/isst makes root write: it is root's alone, and who is not root needs more than CAP_SYS_ADMIN.
as_user_with_capability() {
	mkdir -p /run/isst
	chown -R 1000 /run/isst
	power_on
	run as 1000 sys_admin isst core-power enable -p 1
	cat $work/out $work/err > $work/said
	{ status_is 4 $status; holds $work/said /run/isst; nothing_changed; } > $work/wrong
	verdict 'core-power enable -p 1 (user 1000 with CAP_SYS_ADMIN, /run/isst is his)' $work/wrong
	run isst core-power enable -p 1
	cat $work/out $work/err > $work/said
	{ status_is 4 $status; holds $work/said /run/isst; nothing_changed; } > $work/wrong
	verdict 'core-power enable -p 1 (root, /run/isst belongs to user 1000)' $work/wrong
	power_on
	run as 1000 sys_admin isst perf-profile set-config-level -l 1 -o
	{ status_is 4 $status; nothing_changed; } > $work/wrong
	verdict 'perf-profile set-config-level -l 1 -o (user 1000 with CAP_SYS_ADMIN alone)' $work/wrong
	chown -R 0 /run/isst
}
