# SPDX-License-Identifier: BSD-3-Clause
# user: a management controller's script that compares its own view of the levels with the host's
# platforms: guide icelake-2s36c sapphirerapids-2s56c
import json
import re
import subprocess

TOOL = 'intel-speed-select'


def call(*words):
    done = subprocess.run([TOOL] + list(words), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    return done.stdout, json.loads(done.stderr)


trace, profiles = call('--debug', '--format=json', 'perf-profile', 'info')
cores = {}
for line in trace.splitlines():
    match = re.search(r'logical_cpu:(\d+).*punit_core:(\d+)', line)
    if match:
        cores.setdefault(int(match.group(1)), int(match.group(2)))
print('cores', sorted(cores.items()))
for unit, content in sorted(profiles.items()):
    for name, level in sorted(content.items()):
        match = re.match(r'perf-profile-level-(\d+)', name)
        if not match:
            continue
        enabled = sorted(set(cores[int(cpu)] for cpu in level['enable-cpu-list'].split(',')))
        print(unit, match.group(1), level['thermal-design-power(W)'], level['base-frequency(MHz)'],
              level['tjunction-max(C)'], len(enabled))
        for kind in ('sse', 'avx2', 'avx512'):
            limits = level.get('turbo-ratio-limits-' + kind, {})
            print('  ', kind, [(bucket['core-count'], bucket['max-turbo-frequency(MHz)'])
                               for _, bucket in sorted(limits.items())])
        bf = level.get('speed-select-base-freq-properties')
        if bf:
            print('   bf', bf['high-priority-base-frequency(MHz)'], bf['high-priority-cpu-list'],
                  bf['low-priority-base-frequency(MHz)'])
_, current = call('--format=json', 'perf-profile', 'get-config-current-level')
for unit, content in sorted(current.items()):
    print(unit, content['get-config-current_level'])
