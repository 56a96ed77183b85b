#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the client programs below cases/ on emulated machines, with the own tool as intel-speed-select and, where it can be
had, with the reference tool on an equal machine, and compares the client's output, its exit status and the state of
the machine. See README.md."""
import argparse
import concurrent.futures
import glob
import os
import re
import shutil
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(HERE, '../parity'))
import explanations  # noqa: E402  (found by the line above)
import machine  # noqa: E402
import parity  # noqa: E402

SHOWN = 12
machine.TIMEOUT_SECONDS = 240


class Case:
    """A client program; its head names the machines that it would run on."""

    def __init__(self, path):
        self.path = path
        self.name = os.path.splitext(os.path.basename(path))[0]
        self.platforms, self.user = [], None
        with open(path, encoding='utf-8') as file:
            for text in file:
                key, _, value = text.lstrip('# ').strip().partition(': ')
                if key == 'user':
                    self.user = value
                elif key == 'platforms':
                    self.platforms = value.split()
                elif not text.startswith('#'):
                    break
        if not self.user or not self.platforms:
            raise explanations.Problem('%s: the head names no user, or no platforms' % path)

    def command(self):
        """The interpreter is that of the first line, or Python."""
        with open(self.path, encoding='utf-8') as file:
            first = file.readline().strip()
        if first.startswith('#!'):
            return [first[2:], self.path]
        return ['python3', self.path]


class Host(machine.Machine):
    """An emulated machine on which intel-speed-select is one of the two tools, and everybody is root."""

    def __init__(self, tools, platform, directory, program):
        super().__init__(tools, platform, directory, program)
        # A client may keep things in its home and in /tmp; the tool itself is found by its name.
        self.bin = os.path.join(directory, 'bin')
        os.makedirs(self.bin, exist_ok=True)
        link = os.path.join(self.bin, 'intel-speed-select')
        if not os.path.lexists(link):
            os.symlink(program, link)

    def environment(self):
        return {'PATH': '%s:/usr/sbin:/usr/bin:/sbin:/bin' % self.bin, 'LANG': 'C.UTF-8', 'LC_ALL': 'C.UTF-8',
                'ISST_EMULATE': self.platform, 'ISST_EMULATE_STATE': self.state, 'HOME': self.work,
                'TMPDIR': self.work}

    def run_case(self, case):
        os.makedirs(self.work, exist_ok=True)
        return machine.run(self.launched(case.command()), self.environment(), self.work)


def platform_path(name):
    """A built-in platform, or NAME=PATH of a file in the tree."""
    path = name.partition('=')[2]
    return os.path.join(TOP, path) if path else name


def make_hosts(tools, platform, directory, with_reference):
    """(reference's or None, own), equal before anything is run."""
    first = machine.Machine(tools, platform_path(platform), os.path.join(directory, 'pristine'), tools.own)
    first.run(['perf-profile', 'get-config-levels'])
    if not os.path.isdir(first.state):
        raise RuntimeError('%s: cannot make the emulated machine' % platform)
    os.makedirs(os.path.join(first.state, 'run'), exist_ok=True)
    if with_reference:
        # Its first run on a machine prints that it creates a cache, in the middle of its results.
        machine.Machine(tools, platform_path(platform), os.path.join(directory, 'pristine'), tools.reference).run(
            ['perf-profile', 'get-config-levels'])
    programs = ([('reference', tools.reference)] if with_reference else []) + [('own', tools.own)]
    hosts = [machine.Copy(Host(tools, platform_path(platform), os.path.join(directory, name), program), first.state)
             for name, program in programs]
    return hosts if with_reference else [None] + hosts


def line_differences(reference, own):
    """The output of a client, line by line; a line that only one of them prints is a difference."""
    old, new = reference.splitlines(), own.splitlines()
    if len(old) == len(new):
        return ['output: %s -> %s' % pair for pair in zip(old, new) if pair[0] != pair[1]]
    return ['output: %s -> (nothing)' % line for line in old if line not in new] + \
        ['output: (nothing) -> %s' % line for line in new if line not in old] or ['output: other lines, or in another order']


def run_case(tools, case, platform, with_reference, scratch):
    """Returns (case, platform, differences, the own run's end and words)."""
    directory = tempfile.mkdtemp(prefix='%s-' % case.name, dir=scratch)
    reference, own = make_hosts(tools, platform, directory, with_reference)
    found = []
    own_words, own_errors, own_status = own.machine.run_case(case)
    if reference:
        words, errors, status = reference.machine.run_case(case)
        if status != own_status:
            found.append('status: %s -> %s' % (status, own_status))
            found += ['    ' + line for line in (own_errors or errors).splitlines()[-3:]]
        found += line_differences(words, own_words)
        found += parity.state_differences(reference, own)
        reference.end()
    elif own_status != '0':
        found.append('status: %s' % own_status)
        found += ['    ' + line for line in own_errors.splitlines()[-3:]]
    own.end()
    shutil.rmtree(directory)
    return case.name, platform.partition('=')[0], found, own_words


def unexplained(entries, name, platform, found):
    return [difference for difference in found
            if not difference.startswith('    ') and not explanations.explain(entries, 'clients', name, platform, difference)]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--build', default='build')
    parser.add_argument('--reference', help='the directory that fetch.sh has made; without it the own tool runs alone')
    parser.add_argument('--case', action='append', help='only this one; explanations may then be unused')
    parser.add_argument('--verbose', action='store_true', help='print the output of the clients with the own tool')
    parser.add_argument('--jobs', type=int, default=os.cpu_count())
    return parser.parse_args()


def main():
    options = arguments()
    cases = [Case(path) for path in sorted(glob.glob(os.path.join(HERE, 'cases', '*.*')))]
    chosen = [case for case in cases if not options.case or case.name in options.case]
    entries = explanations.read(os.path.join(HERE, 'differences'))
    reference = os.path.abspath(options.reference) if options.reference else '/nonexistent'
    tools = machine.Tools(os.path.abspath(options.build), reference)
    passed = failed = 0
    scratch = tempfile.mkdtemp(prefix='isst-clients-')
    try:
        with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
            tasks = [pool.submit(run_case, tools, case, platform, bool(options.reference), scratch)
                     for case in chosen for platform in case.platforms]
            for task in tasks:
                name, platform, found, words = task.result()
                left = unexplained(entries, name, platform, found)
                passed, failed = passed + (not left), failed + bool(left)
                print('%s %s: %s' % (name, platform, 'FAILED' if left else 'ok'), flush=True)
                notes = [line for line in found if line.startswith('    ')]
                for difference in (left[:SHOWN] + notes if left else []):
                    print('    ' + difference)
                if options.verbose:
                    print(re.sub('^', '    | ', words, flags=re.MULTILINE))
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    if options.reference and not options.case:
        failed += parity.report_unused(entries)
    print('%d passed, %d failed' % (passed, failed))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
