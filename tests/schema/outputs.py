# SPDX-License-Identifier: BSD-3-Clause
"""The command lines whose outputs schema.py looks at: each scenario is run in every format, on a machine of its own.

A scenario: its name, the platform, then steps. A step is a command line of isst; "fault RULE" adds a fault rule, "no faults"
removes all; "kill LINE" runs a line that is expected to be ended by a signal.
"""

READING = [
    "--info",
    "--version",
    "status",
    "status --map",
    "levels",
    "levels -l 0",
    "explain",
    "perf-profile info",
    "perf-profile info -l 0",
    "perf-profile get-lock-status",
    "perf-profile get-config-levels",
    "perf-profile get-config-version",
    "perf-profile get-config-enabled",
    "perf-profile get-config-current-level",
    "base-freq info",
    "base-freq info -l 0",
    "turbo-freq info",
    "turbo-freq info -b 0",
    "turbo-freq plan",
    "turbo-freq plan --high-priority 2",
    "core-power info",
    "core-power get-config -c 0",
    "core-power get-config -c 3",
    "-c 0,1 core-power get-assoc",
    "core-power get-assoc --by-clos",
    "turbo-mode get-trl",
    "-c 0 status",
    "-c 0,1 perf-profile info",
    "config save",
    "config save --all",
    "config check --set 'clos 1: min 1000'",
    "journal show",
]

CHANGING = [
    "--dry-run turbo-freq enable --auto --high-priority 2",
    "turbo-freq enable --auto --high-priority 2",
    "turbo-freq enable --auto --high-priority 2",
    "status",
    "status --map",
    "explain",
    "core-power get-assoc --by-clos",
    "turbo-freq disable --auto",
    "core-power enable",
    "core-power config -c 1 -n 1000 -m 2000",
    "core-power get-config -c 1",
    "-c 1 core-power assoc -c 1",
    "core-power assoc -c 1",
    "status",
    "status --map",
    "explain",
    "-c 1 explain",
    "config save",
    "--dry-run config reset",
    "--dry-run core-power disable",
    "core-power disable",
    "--dry-run base-freq enable --auto",
    "base-freq enable --auto",
    "base-freq disable --auto",
    "--dry-run turbo-mode set-trl -t 0x1c1c1c1c1c1c1c1c",
    "turbo-mode set-trl -t 0x1c1c1c1c1c1c1c1c",
    "status",
    "--dry-run turbo-mode disable",
    "turbo-mode disable",
    "status",
    "turbo-mode enable",
    "--dry-run perf-profile set-config-level -l 1 -o",
    "--dry-run config apply --set 'core-power on' --set 'clos 2: max 1500' --set 'cpu 0-9: association 2'",
    "perf-profile set-config-level -l 1 -o",
    "perf-profile set-config-level -l 0 -o",
    "-a --dry-run core-power enable",
    "config reset",
    "config reset --boot",
    "config apply --set 'core-power on' --set 'clos 2: max 1500'",
    "config apply --set 'turbo-freq on' --set 'high-priority 2'",
    "config check --set 'core-power off' --set 'clos 2: max none'",
    "config save SCRATCH/saved.conf",
    "config check SCRATCH/saved.conf",
    "status --config SCRATCH/saved.conf",
    "config try --timeout 1 --set 'clos 2: max 1600'",
    "core-power config -c 2 -m 1700",
    "status --config SCRATCH/saved.conf",
    "journal discard",
]

# None of them needs a certain machine.
MISTAKES = [
    "statu",
    "perf-profile",
    "perf-profile inf",
    "--frmat json status",
    "-c 99999 status",
    "-c 99999 core-power get-assoc",
    "perf-profile info -l 99",
    "perf-profile set-config-level -l 99",
    "core-power get-assoc",
    "core-power config -c 9",
    "turbo-freq info -b 7",
    "config check SCRATCH/absent.conf",
    "config check --set 'no such statement'",
    "platform show absent",
    "--emulate absent status",
]

EMULATOR = [
    "platform statistics",
    "platform list",
    "platform show",
    "platform reset",
    "platform capture SCRATCH/captured",
    "--emulate SCRATCH/captured status",
]

SCENARIOS = [
    ("reading, two packages", "guide", READING),
    ("reading, TPMI", "graniterapids-2s64c", READING),
    ("reading, modules", "tpmi-modules", READING),
    ("reading, configured by the BIOS", "cascadelake-6230n", READING),
    ("reading, domains without CPUs", "tpmi-odd", READING),
    ("reading, isolated CPUs", "isolcpus", ["status", "explain", "explain --measure", "-c 3 explain --measure"]),
    ("reading, turbo disabled", "bios-no-turbo", ["status", "status --map", "explain"]),
    ("reading, offline CPUs", "offline", ["status", "status --map", "perf-profile info"]),
    ("reading, packages that differ", "packages-differ", ["--info", "status", "turbo-freq info"]),
    ("reading, no driver", "no-device", READING),
    ("reading, a mailbox that refuses", "tiny", ["fault mailbox 0x7f/0x0c ENXIO", "fault mailbox 0x7f/0x08 ENXIO"] + READING),
    ("reading, levels that cannot be read", "guide", ["fault mailbox 0x7f/0x00 package 1 EBUSY"] + READING),
    ("reading, features that cannot be read", "guide", ["fault mailbox 0x7f/0x01 ENXIO"] + READING),
    ("reading, TPMI that refuses", "tpmi-two-packages", ["fault tpmi perf-levels power-domain 1 ENOTTY"] + READING),
    ("changing, mailbox", "tiny", CHANGING),
    ("changing, TPMI", "tpmi-two-packages", CHANGING),
    ("changing, not permitted", "tiny", ["fault capability denied", "core-power enable"]),
    ("changing, refused", "tiny", ["fault change any EIO", "core-power enable", "-c 0 core-power config -c 1 -n 1000"]),
    ("a run that was killed", "tiny", ["fault change any signal KILL after 10 times 1", "kill base-freq enable -a", "no faults",
                                       "status", "journal show", "journal apply", "journal show"]),
    ("mistakes", "tiny", MISTAKES),
    ("the emulator", "tiny", EMULATOR),
]

# On every platform, built-in or for tests.
EVERYWHERE = ["--info", "status", "status --map", "perf-profile info", "core-power info", "core-power get-assoc --by-clos", "explain"]

# --get is asked for values of these.
SINGLE_VALUES = [
    ("guide", "perf-profile info -l 0"),
    ("graniterapids-2s64c", "status"),
    ("tpmi-odd", "core-power get-assoc --by-clos"),
]

# They run programs, and have no result of their own, or have many.
WITHOUT_RESULT = {"with", "emulate", "watch", "help"}
