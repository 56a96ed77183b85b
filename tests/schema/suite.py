# SPDX-License-Identifier: BSD-3-Clause
"""The command lines of the command cases, carried out again with --format json-v2: their documents, for schema.py.

Faults and platforms are those of the case. Lines that are more than one command of isst are left out (pipes, substitutions,
programs on the machine), so later commands of a case may find another state than there: only the form counts here.
"""

import glob
import os
import re
import shlex

COMMAND = re.compile(r"\$ (?:exec )?(?:isst|intel-speed-select) (.*)")
# They are not JSON, or other JSON.
OTHER_FORMATS = ["openmetrics", "nfd", "facts"]
# What follows a command: where its output goes.
REDIRECTION = re.compile(r"( 2>| > | [|] ).*$")
# `watch` ends by a signal.
LEFT_OUT = re.compile(r"[|;&<>`$]|--get|emulate |with |help|-h\b| try|/dev/stdout|watch(?!.* --until)")


def words_of(line):
    """The words of a command with the format; None: the line is left out."""
    match = COMMAND.match(line)
    command = REDIRECTION.sub("", match[1]) if match else None
    if command is None or LEFT_OUT.search(command):
        return None
    try:
        words = shlex.split(command)
    except ValueError:
        return None
    formats = [i for i, word in enumerate(words) if re.match(r"-[a-z]*f|--f", word)]
    if len(formats) > 1 or any(words[i] not in ("-f", "--format") for i in formats):
        return None
    for i in formats:
        if words[i + 1:i + 2] in ([name] for name in OTHER_FORMATS):
            return None
        if words[i + 1:i + 2] in (["json"], ["text"]):
            words[i + 1] = "json-v2"
    return words if formats else ["--format", "json-v2"] + words


def steps(path):
    """The steps of a case as schema.py carries them out: platform, then words of commands, or lines about faults."""
    platform, found = "guide", []
    with open(path, encoding="utf-8", errors="replace") as case:
        for line in case.read().splitlines():
            if line.startswith("platform "):
                platform = line[len("platform "):].strip()
            elif line.startswith("fault ") or line == "no faults":
                found.append(line)
            elif words_of(line) is not None:
                found.append(words_of(line))
    return platform, found


def cases(root, every):
    for path in sorted(glob.glob(root + "/tests/command/cases/*.case"))[::every]:
        yield os.path.basename(path), *steps(path)
