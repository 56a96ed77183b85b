# SPDX-License-Identifier: BSD-3-Clause
"""Emulated machines for the comparison: creating one, running a program on it, reading its state, resetting it."""
import os
import re
import shutil
import subprocess

TIMEOUT_SECONDS = 60
# Each making of a machine is another boot; registers are compared by themselves; what a CPU runs at follows from its
# limits and its CLOS, and the energy that packages have drawn from that and the time; /proc/stat has the times of this system.
IGNORED = ('boot_id', 'stat', 'mem_dump', 'scaling_cur_freq', 'energy_uj')
IGNORED_LINES = re.compile(rb'^cpu MHz\t.*\n', re.MULTILINE)
# What the kernel's files show as well.
SHOWN = ('smt', 'controllers', 'group ')


class Tools:
    """The programs that are compared, and what they need."""

    def __init__(self, build, reference):
        self.own = os.path.join(build, 'intel-speed-select')
        self.reference = os.path.join(reference, 'run')
        self.machine_state = os.path.join(build, 'tests', 'parity', 'machine-state')


class Outcome:
    """What a program run left: streams, status, and the file of --out if there is one."""

    def __init__(self, stdout, stderr, status, out):
        self.stdout, self.stderr, self.status, self.out = stdout, stderr, status, out


def run(command, environment, directory):
    """Runs a program; a status that is not a number shows how it ended instead."""
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               env=environment, cwd=directory)
    try:
        stdout, stderr = process.communicate(timeout=TIMEOUT_SECONDS)
        status = str(process.returncode) if process.returncode >= 0 else 'signal %d' % -process.returncode
    except subprocess.TimeoutExpired:
        process.kill()
        stdout, stderr = process.communicate()
        status = 'timeout'
    return stdout.decode('utf-8', 'backslashreplace'), stderr.decode('utf-8', 'backslashreplace'), status


class Machine:
    """One state directory, and the program that works on it."""

    def __init__(self, tools, platform, directory, program):
        self.tools, self.platform, self.directory, self.program = tools, platform, directory, program
        self.state = os.path.join(directory, 'state')
        self.work = os.path.join(directory, 'work')

    def environment(self):
        return {'PATH': os.environ['PATH'], 'LANG': 'C', 'LC_ALL': 'C', 'ISST_EMULATE': self.platform,
                'ISST_EMULATE_STATE': self.state, 'HOME': self.work}

    def launched(self, command):
        """The command that runs another program on the machine, as root."""
        return [self.tools.own, 'emulate', '--as-user', '0', '--'] + command

    def command(self, arguments):
        command = [self.program] + arguments
        return command if self.program == self.tools.own else self.launched(command)

    def run(self, arguments):
        """Runs the program with @arguments on the machine."""
        os.makedirs(self.work, exist_ok=True)
        stdout, stderr, status = run(self.command(arguments), self.environment(), self.work)
        out = None
        path = os.path.join(self.work, 'out')
        if os.path.exists(path):
            with open(path, encoding='utf-8', errors='backslashreplace') as file:
                out = file.read()
            os.unlink(path)
        return Outcome(stdout, stderr, status, out)


class Copy:
    """A machine that is equal to the one in @pristine, and a process of machine_state.c that watches it."""

    def __init__(self, machine, pristine):
        self.machine, self.pristine = machine, pristine
        shutil.copytree(pristine, machine.state, symlinks=True)
        self.watcher = subprocess.Popen([machine.tools.machine_state, machine.state, machine.platform],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        # It answers once it has seen what the machine holds: nothing may change before that.
        self.initial = self.state()
        self.initial_files = self.all_files()

    def _ask(self, question):
        self.watcher.stdin.write(question + b'\n')
        self.watcher.stdin.flush()
        length = self.watcher.stdout.readline()
        if not length:
            raise RuntimeError('%s: machine-state ended with %s' % (self.machine.state, self.watcher.wait()))
        return self.watcher.stdout.read(int(length))

    def state(self):
        """All that the machine remembers, as text: what its files hold follows from it."""
        return self._ask(b'memory')

    def memory(self):
        """What firmware, driver and kernel remember and no file shows, as {name: value}."""
        return dict(line.split(': ', 1) for line in self.state().decode().splitlines() if not line.startswith(SHOWN))

    def all_files(self):
        """{name: content} of the kernel's files."""
        files, answer, place = {}, self._ask(b'files'), 0
        while place < len(answer):
            name_end = answer.index(b'\0', place)
            size_end = answer.index(b'\0', name_end + 1)
            end = size_end + 1 + int(answer[name_end + 1:size_end])
            name = answer[place:name_end].decode()
            if os.path.basename(name) not in IGNORED:
                files[name] = IGNORED_LINES.sub(b'', answer[size_end + 1:end])
            place = end
        return files

    def files(self):
        """{name: content} of the kernel's files that have changed; None for those that are gone."""
        if self.state() == self.initial:
            return {}
        now = self.all_files()
        changed = {name: content for name, content in now.items() if self.initial_files.get(name) != content}
        changed.update((name, None) for name in self.initial_files if name not in now)
        return changed

    def reset(self):
        """Sets the machine back to what it was."""
        self._ask(b'reset')

    def end(self):
        self.watcher.stdin.close()
        if self.watcher.wait() != 0:
            raise RuntimeError('%s: machine-state ended with %d' % (self.machine.state, self.watcher.returncode))


def make_pair(tools, platform, scratch):
    """Two machines that are equal, one for each program: (reference's, own)."""
    first = Machine(tools, platform, os.path.join(scratch, 'pristine'), tools.own)
    first.run(['perf-profile', 'get-config-levels'])
    if not os.path.isdir(first.state):
        raise RuntimeError('%s: cannot make the emulated machine' % platform)
    os.makedirs(os.path.join(first.state, 'run'), exist_ok=True)
    reference = Machine(tools, platform, os.path.join(scratch, 'pristine'), tools.reference)
    reference.run(['perf-profile', 'get-config-levels'])
    pair = []
    for name, program in (('reference', tools.reference), ('own', tools.own)):
        machine = Machine(tools, platform, os.path.join(scratch, name), program)
        pair.append(Copy(machine, first.state))
    return pair


def read_list(content):
    """The numbers of a list such as 0-3,8."""
    numbers = []
    for part in content.decode().strip().split(','):
        if part:
            ends = part.split('-')
            numbers += range(int(ends[0]), int(ends[-1]) + 1)
    return numbers


def facts(copy):
    """The values of words in braces in command lines, on this machine."""
    cpus = '/sys/devices/system/cpu/'
    online = read_list(copy.initial_files[cpus + 'online'])
    present = read_list(copy.initial_files[cpus + 'present'])

    def package(cpu):
        return copy.initial_files[cpus + 'cpu%d/topology/physical_package_id' % cpu]

    here = [cpu for cpu in online if package(cpu) == package(online[0])]
    other = [cpu for cpu in online if package(cpu) != package(online[0])] or here
    return {'first': here[0], 'second': here[1 % len(here)], 'third': here[2 % len(here)], 'last': online[-1],
            'other': other[0], 'absent': present[-1] + 1, 'all': '%d-%d' % (online[0], online[-1]),
            'out': 'out'}
