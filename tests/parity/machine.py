# SPDX-License-Identifier: BSD-3-Clause
"""Emulated machines for the comparison: creating one, running a program on it, reading its state, resetting it."""
import os
import shutil
import subprocess

TIMEOUT_SECONDS = 60
# Each making of a machine is another boot; the others are no part of the machine.
IGNORED = ('boot_id', 'lock', 'log', 'device')


class Tools:
    """The programs that are compared, and what they need."""

    def __init__(self, build, reference):
        self.own = os.path.join(build, 'intel-speed-select')
        self.reference = os.path.join(reference, 'run')
        self.preload = os.path.join(build, 'libisst-emulator-preload.so')
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
        environment = {'PATH': os.environ['PATH'], 'LANG': 'C', 'LC_ALL': 'C', 'ISST_EMULATE': self.platform,
                       'ISST_EMULATE_STATE': self.state, 'HOME': self.work}
        if self.program == self.tools.reference:
            environment['ISST_EMULATE_USER'] = '0'
            environment['ISST_EMULATE_QUIET'] = 'yes'
            environment['LD_PRELOAD'] = self.tools.preload
        return environment

    def run(self, arguments):
        """Runs the program with @arguments on the machine."""
        os.makedirs(self.work, exist_ok=True)
        stdout, stderr, status = run([self.program] + arguments, self.environment(), self.work)
        out = None
        path = os.path.join(self.work, 'out')
        if os.path.exists(path):
            with open(path, encoding='utf-8', errors='backslashreplace') as file:
                out = file.read()
            os.unlink(path)
        return Outcome(stdout, stderr, status, out)


def content(directory, name):
    path = os.path.join(directory, name)
    try:
        with open(path, 'rb') as file:
            return file.read()
    except IsADirectoryError:
        return b'(directory)'
    except FileNotFoundError:
        return None


class Copy:
    """A machine that is equal to the one in @pristine, and a process of machine_state.c that watches it."""

    def __init__(self, machine, pristine):
        self.machine, self.pristine = machine, pristine
        shutil.copytree(pristine, machine.state, symlinks=True)
        self.watcher = subprocess.Popen([machine.tools.machine_state, machine.state], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)
        # It answers once it has seen what the machine holds: nothing may change before that.
        self.memory()

    def _ask(self, question):
        self.watcher.stdin.write(question + b'\n')
        self.watcher.stdin.flush()
        length = self.watcher.stdout.readline()
        if not length:
            raise RuntimeError('%s: machine-state ended with %s' % (self.machine.state, self.watcher.wait()))
        return self.watcher.stdout.read(int(length))

    def memory(self):
        """What firmware, driver and kernel remember, as {name: value}."""
        return dict(line.split(': ', 1) for line in self._ask(b'memory').decode().splitlines())

    def files(self):
        """{name: content} of the kernel's files that have changed; None for those that are gone."""
        files, answer = {}, self._ask(b'files')
        while answer:
            name, sizes, answer = answer.split(b'\0', 2)
            size = int(sizes.split()[1])
            name, new, answer = name.decode(), answer[:max(size, 0)], answer[max(size, 0):]
            if name.split('/')[0] in ('root', 'hidden') and os.path.basename(name) not in IGNORED:
                files[name] = None if size < 0 else new
        return files

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


def read_list(path):
    """The numbers of a list such as 0-3,8 in a file."""
    numbers = []
    with open(path, encoding='ascii') as file:
        for part in file.read().strip().split(','):
            if part:
                ends = part.split('-')
                numbers += range(int(ends[0]), int(ends[-1]) + 1)
    return numbers


def facts(state):
    """The values of words in braces in command lines, on this machine."""
    cpus = os.path.join(state, 'root/sys/devices/system/cpu')
    online = read_list(os.path.join(cpus, 'online'))
    present = read_list(os.path.join(cpus, 'present'))

    def package(cpu):
        return content(os.path.join(cpus, 'cpu%d/topology' % cpu), 'physical_package_id').strip()

    here = [cpu for cpu in online if package(cpu) == package(online[0])]
    other = [cpu for cpu in online if package(cpu) != package(online[0])] or here
    return {'first': here[0], 'second': here[1 % len(here)], 'third': here[2 % len(here)], 'last': online[-1],
            'other': other[0], 'absent': present[-1] + 1, 'all': '%d-%d' % (online[0], online[-1]),
            'out': 'out'}
