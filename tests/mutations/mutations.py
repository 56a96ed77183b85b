#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Breaks one part of the transactions at a time, and runs the test that must detect it. See README.md."""
import argparse
import concurrent.futures
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading

import points

HERE = os.path.dirname(os.path.abspath(__file__))
TIMEOUT_SECONDS = 120
FAILED = re.compile(r'not ok [0-9]')


class Mutation:
    """An entry of the table."""

    def __init__(self, name, point, effect, test):
        self.name, self.points, self.effect = name, point.split(', '), effect
        self.program, _, self.request = test.partition(' ')

    def mutants(self, found):
        """{file: mutated text}, by the list of points."""
        texts = {}
        for point in self.points:
            for path in dict.fromkeys(path for path, _, _ in found.get(point, [])):
                if path not in texts:
                    with open(path, encoding='utf-8') as file:
                        texts[path] = file.read()
                places = [place for where, *place in found[point] if where == path]
                texts[path] = points.mutate(texts[path], places, self.effect)
        return texts


def read_table(path):
    """The mutations; see README.md for the form."""
    mutations, name = [], None
    with open(path, encoding='utf-8') as file:
        for number, line in enumerate(file, 1):
            line = line.rstrip()
            if line.startswith('#') or not line:
                continue
            if not line.startswith('\t'):
                name = line
                continue
            parts = [part.strip() for part in line.split(' | ')]
            if len(parts) != 3 or not name:
                raise points.Problem('%s:%d: expected POINT | EFFECT | PROGRAM [REQUEST]' % (path, number))
            mutations.append(Mutation(name, *parts))
    return mutations


def misfits(mutations, found):
    """Where the table, the list of points and the sources do not match."""
    used = set(point for mutation in mutations for point in mutation.points)
    lines = ['there is no point %s' % point for point in sorted(used - set(found))]
    lines += ['no mutation is at the point %s' % point for point in sorted(set(found) - used)]
    for mutation in mutations:
        try:
            mutation.mutants(found)
        except (points.Problem, OSError) as problem:
            lines.append('%s: %s' % (mutation.name, problem))
    return lines


class Build:
    """Compiles objects and links programs with the commands of make."""

    def __init__(self, directory, programs):
        self.compiling, self.linking = {}, {}
        self.path = {name: os.path.join(directory, 'tests', name if '/' in name else 'transaction/' + name) for name in programs}
        make = subprocess.run([os.environ.get('MAKE', 'make'), '--no-print-directory', '-nB', 'V=1', 'WERROR=no', 'BUILD=' + directory] +
                              list(self.path.values()), stdout=subprocess.PIPE, check=True, text=True)
        for line in make.stdout.splitlines():
            output = re.search(r' -o (\S+)', line)
            if output and re.search(r' -c -o ', line):
                words = shlex.split(line)
                self.compiling[next(word for word in words if word.endswith('.c'))] = words
            elif output:
                self.linking[output.group(1)] = shlex.split(line)

    def compile(self, source, text, scratch):
        """Compiles @text in the place of @source; (object that it replaces, new object)."""
        words = list(self.compiling[source])
        mutant = os.path.join(scratch, os.path.basename(source))
        with open(mutant, 'w', encoding='utf-8') as file:
            file.write(text)
        at = words.index('-o') + 1
        original, words[at] = words[at], mutant[:-2] + '.o'
        words[words.index(source)] = mutant
        run_tool(words + ['-iquote', os.path.dirname(source)])
        return original, words[at]

    def link(self, program, replaced, scratch):
        """Links the test program with other objects in the place of some."""
        words = [replaced.get(word, word) for word in self.linking[self.path[program]]]
        at = words.index('-o') + 1
        words[at] = os.path.join(scratch, os.path.basename(program))
        if not set(replaced.values()) & set(words):
            raise points.Problem('%s is not linked with what was mutated' % program)
        run_tool(words)
        return words[at]


def run_tool(words):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        raise points.Problem('it does not compile\n' + done.stdout)


def run_test(program, request, scratch):
    """Runs a test program until a test fails; returns whether one did, and the exit status."""
    directory = os.path.join(scratch, 'tmp')
    os.makedirs(directory)
    environment = dict(os.environ, CMOCKA_MESSAGE_OUTPUT='TAP', TMPDIR=directory)
    environment.pop('ISST_REQUEST', None)
    if request:
        environment['ISST_REQUEST'] = request
    process = subprocess.Popen([program], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment,
                               start_new_session=True, text=True, errors='replace')
    timer = threading.Timer(TIMEOUT_SECONDS, end_group, [process])
    timer.start()
    failed = False
    for line in process.stdout:
        # The line before may be cut off where what it tells is long.
        if FAILED.search(line):
            failed = True
            break
    if failed:
        end_group(process)
    status = process.wait()
    timer.cancel()
    process.stdout.close()
    shutil.rmtree(directory, ignore_errors=True)
    return failed, status


def end_group(process):
    """Ends the program, which leads a group of its own, and the children that it has forked."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def try_mutation(build, mutation, found):
    """The reason of a failure: the mutation cannot be built, or no test detects it. None: it was detected."""
    scratch = tempfile.mkdtemp(prefix='isst-mutation-')
    try:
        replaced = dict(build.compile(source, text, scratch) for source, text in mutation.mutants(found).items())
        program = build.link(mutation.program, replaced, scratch)
        failed, status = run_test(program, mutation.request, scratch)
    except points.Problem as problem:
        return str(problem)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    if failed:
        return None
    test = ' '.join(filter(None, [mutation.program, mutation.request]))
    return '%s stays green' % test if status == 0 else '%s ended with %d without a test that failed' % (test, status)


def try_baseline(build, program, request):
    """The reason of a failure without a mutation."""
    scratch = tempfile.mkdtemp(prefix='isst-mutation-')
    failed, status = run_test(build.path[program], request, scratch)
    shutil.rmtree(scratch, ignore_errors=True)
    return 'red without a mutation' if failed or status else None


class Report:
    """TAP."""

    def __init__(self):
        self.number, self.failed = 0, 0

    def result(self, name, wrong):
        self.number += 1
        first, _, rest = (wrong or '').partition('\n')
        print('%s %d - %s%s' % ('not ok' if wrong else 'ok', self.number, name, ': ' + first if wrong else ''))
        for line in rest.splitlines():
            print('# ' + line)
        self.failed += 1 if wrong else 0
        sys.stdout.flush()


def run_all(options, mutations, found):
    build = Build(options.build, sorted(set(mutation.program for mutation in mutations)))
    tests = sorted(set((mutation.program, mutation.request) for mutation in mutations))
    report = Report()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        tasks = [('without a mutation: ' + ' '.join(filter(None, test)), pool.submit(try_baseline, build, *test))
                 for test in tests]
        tasks += [(mutation.name, pool.submit(try_mutation, build, mutation, found)) for mutation in mutations]
        print('1..%d' % len(tasks))
        for name, task in tasks:
            report.result(name, task.result())
    print('%d passed, %d failed' % (report.number - report.failed, report.failed))
    return report.failed


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--build', default='build')
    parser.add_argument('--table', default=os.path.join(HERE, 'table'))
    parser.add_argument('--points', default=os.path.join(HERE, 'points'))
    parser.add_argument('--jobs', type=int, default=int(os.environ.get('JOBS', os.cpu_count())))
    parser.add_argument('--check', action='store_true', help='only check that table and sources match')
    parser.add_argument('names', nargs='*', help='parts of the names of mutations, points or files: only these')
    return parser.parse_args()


def main():
    options = arguments()
    mutations = read_table(options.table)
    found = points.read(options.points)
    wrong = misfits(mutations, found)
    for line in wrong:
        print('mutations: ' + line, file=sys.stderr)
    if options.check or wrong:
        return 1 if wrong else 0
    if options.names:
        mutations = [mutation for mutation in mutations
                     if any(name in text for name in options.names
                            for text in [mutation.name] + mutation.points + list(mutation.mutants(found)))]
    # Where the tests' own directories are: in memory, if there is such a place.
    if 'TMPDIR' not in os.environ and os.access('/dev/shm', os.W_OK):
        tempfile.tempdir = '/dev/shm'
    os.environ['ISST_PLATFORMS'] = os.path.abspath('tests/platforms')
    return 1 if run_all(options, mutations, found) else 0


if __name__ == '__main__':
    sys.exit(main())
