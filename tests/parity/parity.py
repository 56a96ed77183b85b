#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the command lines of the file commands with the reference tool and with the own one, each from the same emulated
machine, and compares what they print, how they end and what has become of the machine. See README.md."""
import argparse
import concurrent.futures
import os
import re
import shlex
import shutil
import sys
import tempfile
import time

import explanations
import machine
import outputs

HERE = os.path.dirname(os.path.abspath(__file__))
# What client programs meet; the page for users names it, too.
CLIENTS = os.path.join(HERE, '../clients/differences')
SHOWN = 12


class Line:
    """A line of the file commands."""

    def __init__(self, group, flags, text):
        self.group, self.flags, self.text = group, flags, text
        self.steps = text.split(' ; ')


def read_commands(path):
    lines, group, flags = [], None, []
    with open(path, encoding='utf-8') as file:
        for text in file:
            text = text.strip()
            head = re.match(r'\[([a-z0-9-]+)((?: [a-z]+)*)\]$', text)
            if head:
                group, flags = head.group(1), head.group(2).split()
                if group == 'nothing':
                    lines.append(Line(group, flags, ''))
            elif text and not text.startswith('#'):
                lines.append(Line(group, flags, text))
    return lines


def show(value):
    """A file's content in one line."""
    return '(none)' if value is None else value.decode('utf-8', 'backslashreplace').strip().replace('\n', '|')


def state_differences(reference, own):
    """Differences of registers and of the kernel's files."""
    found = []
    before, after = reference.memory(), own.memory()
    for name in list(before) + [name for name in after if name not in before]:
        if before.get(name) != after.get(name):
            found.append('register %s: %s -> %s' % (name, before.get(name, '0'), after.get(name, '0')))
    if reference.state() == own.state():
        return found
    before, after = reference.files(), own.files()
    for name in sorted(set(before) | set(after)):
        old, new = (files[name] if name in files else own.initial_files.get(name) for files in (before, after))
        if old != new:
            found.append('file %s: %s -> %s' % (name, show(old), show(new)))
    return found


def help_differences(outcomes):
    """Where help went, without its words."""
    def streams(outcome):
        lines = [line for line in outcome.stdout.splitlines() if line and not outputs.BANNER.match(line)]
        return ' and '.join(([] if not lines else ['output']) + ([] if not outcome.stderr.strip() else ['error']))
    old, new = (streams(outcome) or 'nothing' for outcome in outcomes)
    return [] if old == new else ['streams: %s -> %s' % (old, new)]


def tamper(kind, outcome, copy):
    """For the self-test: one thing of the own program's is made wrong."""
    if kind == 'leaf':
        outcome.stderr = re.sub(r':(\S+)$', r':\g<1>7', outcome.stderr, count=1, flags=re.MULTILINE)
    elif kind == 'status':
        outcome.status = '9'
    elif kind == 'register':
        environment = copy.machine.environment()
        machine.run([copy.machine.program, '-c', '0', 'core-power', 'assoc', '-c', '2'], environment, '/')
    elif kind == 'file':
        environment = copy.machine.environment()
        machine.run([copy.machine.program, 'emulate', '--', 'sh', '-c',
                     'echo 1700000 > /sys/devices/system/cpu/cpu1/cpufreq/scaling_max_freq'], environment, '/')


def run_step(pair, line, step, facts, tampering):
    """Runs a step on both machines. Returns its differences but those of the machine."""
    words = [word.format(**facts) for word in shlex.split(step)]
    outcomes = [copy.machine.run(words) for copy in pair]
    tamper(tampering, outcomes[1], pair[1])
    found = []
    if outcomes[0].status != outcomes[1].status:
        found.append('status: %s -> %s' % (outcomes[0].status, outcomes[1].status))
    if 'help' in line.flags:
        found += help_differences(outcomes)
    else:
        found += outputs.differences(*(outputs.read(outcome, words) for outcome in outcomes))
    return found


def run_line(pair, line, facts, tampering=None):
    """Runs a line; [(step, difference)]. What an earlier step has left different does not count again."""
    found, left = [], set()
    for step in line.steps:
        found += [(step, difference) for difference in run_step(pair, line, step, facts, tampering)]
        if 'changes' in line.flags or tampering:
            now = state_differences(*pair)
            found += [(step, difference) for difference in now if difference not in left]
            left = set(now)
    if 'changes' in line.flags or tampering:
        for copy in pair:
            copy.reset()
    return found


def run_platform(tools, name, path, lines, scratch):
    """Returns (name, differences, seconds)."""
    start = time.monotonic()
    directory = tempfile.mkdtemp(prefix=name + '-', dir=scratch)
    pair = machine.make_pair(tools, path, directory)
    facts = machine.facts(pair[0])
    found, initial = [], [copy.memory() for copy in pair]
    for line in lines:
        found += [(line, step, difference) for step, difference in run_line(pair, line, facts)]
        if 'changes' not in line.flags:
            for copy, before in zip(pair, initial):
                if copy.memory() != before:
                    found.append((line, line.text, 'a command that changes nothing has: %s' % copy.machine.program))
                    copy.reset()
    for copy in pair:
        for changed in copy.files():
            found.append((Line('', [], ''), '', 'changed by a command that changes nothing: file ' + changed))
        copy.end()
    shutil.rmtree(directory)
    return name, found, time.monotonic() - start


def unexplained(entries, platform, found):
    """{(line, step): [differences]} that nothing explains; all others are counted by their entries."""
    left = {}
    for line, step, difference in found:
        if not explanations.explain(entries, line.group, step, platform, difference):
            left.setdefault((line.text, step), []).append(difference)
    return left


def report(platform, left):
    for (text, step), differences in left.items():
        print('FAILED %s: intel-speed-select %s%s' % (platform, step, '' if step == text else '   (in: %s)' % text))
        for difference in differences[:SHOWN]:
            print('    ' + difference)
        if len(differences) > SHOWN:
            print('    and %d more' % (len(differences) - SHOWN))


def report_unused(entries):
    """Explanations that explain nothing any more; their number."""
    count = 0
    for entry in entries:
        for key, text in entry.unused():
            print('FAILED %s (line %d of differences) explains nothing: %s %s' % (entry.name, entry.line, key, text))
            count += 1
    return count


def report_open(entries):
    """Differences that are listed without a decision; their number."""
    count = 0
    for entry in entries:
        if entry.open and entry.count:
            print('FAILED %s: %d differences. %s' % (entry.name, entry.count, ' '.join(entry.fields['why'])))
            count += 1
    return count


def self_test(tools, scratch):
    """Shows that what is made wrong is found. Returns the number of things that were not."""
    missed = 0
    pair = machine.make_pair(tools, 'guide', tempfile.mkdtemp(dir=scratch))
    facts = machine.facts(pair[0])
    line = Line('self-test', [], 'perf-profile get-config-levels')
    for kind, sign in ((None, None), ('leaf', 'leaf '), ('status', 'status: '), ('register', 'register '),
                       ('file', 'file '), (None, None)):
        found = [difference for _, difference in run_line(pair, line, facts, kind)]
        if found if kind is None else not any(difference.startswith(sign) for difference in found):
            print('FAILED self-test: a changed %s gives %s' % (kind, found))
            missed += 1
    for copy in pair:
        copy.end()
    stale = explanations.Explanation('self-test', None, 0)
    for key in explanations.KEYS:
        stale.fields[key] = ['*']
    stale.finish()
    if not stale.unused():
        print('FAILED self-test: an explanation that explains nothing is not found')
        missed += 1
    if not document_differs(os.devnull, 'text'):
        print('FAILED self-test: a page that is not up to date is not found')
        missed += 1
    print('self-test: %s' % ('all that was made wrong was found' if not missed else '%d missed' % missed))
    return missed


def make_document(entries, lines):
    """The page for users, in which the first line of a group stands for it."""
    examples = {}
    for line in lines:
        examples.setdefault(line.group, line.text)
    return explanations.document(entries, examples)


def document_differs(path, text):
    try:
        with open(path, encoding='utf-8') as file:
            return file.read() != text
    except FileNotFoundError:
        return True


def summary(entries):
    counts = {}
    for entry in entries:
        counts[entry.name] = counts.get(entry.name, 0) + entry.count
    for name in sorted(counts):
        print('explained by %s: %d' % (name, counts[name]))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--build', default='build')
    parser.add_argument('--reference', help='the directory that fetch.sh has made')
    parser.add_argument('--platform', action='append', help='only this one; explanations may then be unused')
    parser.add_argument('--group', action='append', help='only this group of lines; may be repeated')
    parser.add_argument('--commands', default=os.path.join(HERE, 'commands'))
    parser.add_argument('--explanations', default=os.path.join(HERE, 'differences'))
    parser.add_argument('--document', default=os.path.join(HERE, '../../docs/differences.md'))
    parser.add_argument('--write-doc', action='store_true', help='make the document and end')
    parser.add_argument('--jobs', type=int, default=os.cpu_count())
    parser.add_argument('--dump', help='a file for all differences, explained or not')
    parser.add_argument('platforms', nargs='*', help='NAME=PATH or NAME')
    return parser.parse_args()


def compare(options, entries, lines, scratch):
    """Compares on all platforms; (passed, failed)."""
    tools = machine.Tools(os.path.abspath(options.build), os.path.abspath(options.reference))
    failed = self_test(tools, scratch)
    passed, dump = 0, []
    steps = sum(len(line.steps) for line in lines)
    platforms = [tuple((name.split('=', 1) * 2)[:2]) for name in options.platforms]
    if options.platform:
        platforms = [(name, path) for name, path in platforms if name in options.platform]
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        tasks = [pool.submit(run_platform, tools, name, path, lines, scratch) for name, path in platforms]
        for task in concurrent.futures.as_completed(tasks):
            name, found, seconds = task.result()
            left = unexplained(entries, name, found)
            bad = len(set(text for text, _ in left))
            passed, failed = passed + len(lines) - bad, failed + bad
            dump += ['%s\t%s\t%s\t%s' % (name, line.group, step, difference) for line, step, difference in found]
            print('%s: %d lines, %d commands, %d differences explained, %d lines failed (%.0f s)' % (
                name, len(lines), steps, len(found) - sum(map(len, left.values())), bad, seconds))
            report(name, left)
            sys.stdout.flush()
    if options.dump:
        with open(options.dump, 'w', encoding='utf-8') as file:
            file.write('\n'.join(dump) + '\n')
    if not options.platform and not options.group:
        failed += report_unused(entries)
    failed += report_open(entries)
    print('%d commands were run with each program' % (steps * len(platforms)))
    return passed, failed


def main():
    options = arguments()
    try:
        entries = explanations.read(options.explanations)
    except explanations.Problem as problem:
        print(problem, file=sys.stderr)
        return 2
    lines = read_commands(options.commands)
    text = make_document(entries + explanations.read(CLIENTS), lines)
    if options.write_doc:
        with open(options.document, 'w', encoding='utf-8') as file:
            file.write(text)
        return 0
    with open(os.path.join(options.reference, 'version'), encoding='utf-8') as file:
        version = file.readline().strip()
        print('reference: %s, %s' % (version, file.readline().strip()))
    if options.group:
        lines = [line for line in lines if line.group in options.group]
    counted = explanations.for_version(entries, version)
    scratch = tempfile.mkdtemp(prefix='isst-parity-')
    try:
        passed, failed = compare(options, counted, lines, scratch)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    if document_differs(options.document, text):
        print('FAILED docs/differences.md is not what tests/parity/differences makes: make docs-differences')
        failed += 1
    summary(counted)
    print('%d passed, %d failed' % (passed, failed))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
