# SPDX-License-Identifier: BSD-3-Clause
# user: a network performance test suite whose mixin gives the CPUs under test a higher turbo frequency
# platforms: icelake-2s40c sapphirerapids-2s56c graniterapids-6776p emeraldrapids-2s64c
import re
import subprocess
import sys

TOOL = 'intel-speed-select'
CPUS = '2,3,4'


def call(words):
    return subprocess.run([TOOL] + words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


info = call(['--info'])
for feature, name in (('SST-TF', 'turbo-freq'), ('SST-CP', 'core-power')):
    supported = re.search(r'Intel\(R\) %s \(feature %s\) is supported' % (feature, name), info.stderr)
    print(name, bool(supported))
    if not supported:
        sys.exit(1)

with open('/sys/devices/system/cpu/online', encoding='ascii') as file:
    every = file.read().strip()
# The dash is the one of the document that it was copied from: U+2013.
for words in (['-c', every, 'turbo-freq', 'disable', '–auto'], ['-c', CPUS, 'turbo-freq', 'enable', '–auto'],
              ['turbo-freq', 'disable'], ['-c', CPUS, 'turbo-freq', 'enable', '--auto'],
              ['-c', every, 'turbo-freq', 'disable', '--auto'], ['turbo-freq', 'disable']):
    print(' '.join(words), 'status', call(words).returncode)
