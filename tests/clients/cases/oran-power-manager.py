# SPDX-License-Identifier: BSD-3-Clause
# user: a power manager of radio access sites: check=True, and ten seconds for each call
# platforms: icelake-2s40c sapphirerapids-2s56c graniterapids-6776p
import re
import subprocess

TOOL = 'intel-speed-select'


def call(*words):
    done = subprocess.run([TOOL] + list(words), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True,
                          timeout=10)
    return done.stdout


print('version', bool(re.search(r'[Vv]ersion v?\d+\.\d+', call('--version'))))
call('core-power', 'enable')
for clos, low, high in ((0, 2500, 3500), (1, 1500, 2500), (2, 800, 1500)):
    call('core-power', 'config', '-c', str(clos), '-p', '1', '--weight', str(clos * 5), '--min', str(low), '--max', str(high))
for clos, cpus in ((0, '0-3'), (1, '4-7'), (2, '8-11')):
    call('-c', cpus, 'core-power', 'assoc', '-c', str(clos))
print(re.findall(r'clos:(\d)', call('-c', '0,4,8', 'core-power', 'get-assoc')))
for clos in range(3):
    print(sorted(set(re.findall(r'clos-(?:min|max):(\d+) MHz', call('core-power', 'get-config', '-c', str(clos))))))
