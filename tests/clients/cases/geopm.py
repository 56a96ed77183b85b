# SPDX-License-Identifier: BSD-3-Clause
# user: the integration test of an energy management runtime: SST-TF and SST-CP through JSON on standard error
# platforms: guide icelake-2s40c sapphirerapids-2s56c graniterapids-6776p
import json
import re
import subprocess
import sys

TOOL = 'intel-speed-select'


def run(*words):
    """The program's status has to be 0."""
    done = subprocess.run([TOOL, '-f', 'json'] + list(words), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 0, '%s: status %d: %s' % (' '.join(words), done.returncode, done.stderr)
    return done.stderr


def call(*words):
    """What is read has to be one document and nothing else."""
    return json.loads(run(*words))


def units(document):
    """{(package, cpu): content} of the keys that name a package."""
    found = {}
    for key, content in document.items():
        match = re.match(r'package-(\d+):die-\d+:(?:powerdomain-\d+:)?cpu-(\d+)$', key)
        if match:
            found[int(match.group(1)), int(match.group(2))] = content
    return found


info = subprocess.run([TOOL, '--info'], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
assert info.returncode == 0
for line in info.stdout.splitlines():
    if 'is supported' in line:
        print(line)

levels = units(call('perf-profile', 'get-config-levels'))
print('levels', sorted((unit, content['get-config-levels']) for unit, content in levels.items()))
buckets = {}
for unit, content in units(call('turbo-freq', 'info', '-l', '0')).items():
    properties = content['speed-select-turbo-freq-properties']
    buckets[unit] = [int(properties['bucket-%d' % i]['high-priority-cores-count']) for i in range(3)
                     if 'bucket-%d' % i in properties]
print('buckets', sorted(buckets.items()))

for unit, content in sorted(units(call('core-power', 'info')).items()):
    print('core-power', unit, content['core-power']['support-status'], content['core-power']['enable-status'])

for clos, weight, low, high in ((0, 0, 3000, 25500), (1, 5, 2000, 3000), (2, 10, 1000, 2500), (3, 15, 800, 2000)):
    run('core-power', 'config', '-c', str(clos), '-w', str(weight), '-n', str(low), '-m', str(high))
    for unit, content in sorted(units(call('core-power', 'get-config', '-c', str(clos))).items()):
        config = content['core-power']
        assert config['clos'] == str(clos)
        print('config', unit, clos, config['clos-proportional-priority'], config['clos-min'], config['clos-max'])

run('-c', '0,1', 'core-power', 'assoc', '-c', '0')
run('-c', '2-5', 'core-power', 'assoc', '-c', '3')
for unit, content in sorted(units(call('-c', '0-5', 'core-power', 'get-assoc')).items()):
    print('assoc', unit, content['get-assoc']['clos'])

for verb in ('enable', 'disable'):
    print('turbo-freq', verb, len(re.findall('success', run('turbo-freq', verb, '-l', '0'))))
    states = units(call('perf-profile', 'info', '-l', '0'))
    print(sorted((unit, content['perf-profile-level-0']['speed-select-turbo-freq']) for unit, content in states.items()))
sys.exit(0)
