# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# Sourced by what chooses command cases: the extended regular expression of those that run a program on the emulated machine.
# Options of the machine may come before emulate; with others it is refused.
# shellcheck disable=SC2034  # for who sources this
runs_program='isst( --(emulate|emulate-state) [^ ]+| --emulate-unlock| --dry-run)* emulate '
