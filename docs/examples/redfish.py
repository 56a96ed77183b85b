#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Prints the performance levels of this server as DMTF Redfish resources, to be compared with those of its management controller.

redfish.py [--cpu LIST]: one JSON object with a member for each resource, by its URI, sorted as `jq -S` does. The schemas are
Processor v1_22_0, OperatingConfig v1_0_4 and OperatingConfigCollection; a property whose value is not known is absent. The exit status
is that of the worst command. $ISST names the command, `isst` unless it is set.
"""
import json
import os
import subprocess
import sys

PROCESSORS = '/redfish/v1/Systems/system/Processors'
# Codes of `explain`; what Redfish has no word for is OEM.
CAUSES = {'limited-power': 'PowerLimit', 'limited-current': 'PowerLimit', 'limited-thermal': 'ThermalLimit',
          'limited-frequency': 'ClockLimit', 'limited-otherwise': 'Unknown'}
ORDER = ['PowerLimit', 'ThermalLimit', 'ClockLimit', 'Unknown', 'OEM']
worst = 0


def isst(*words):
    """The document of a command."""
    global worst
    done = subprocess.run([os.environ.get('ISST', 'isst'), '--format', 'json-v2', *words], stdout=subprocess.PIPE, check=False)
    # `explain` has status 1 where it has found something.
    worst = max(worst, done.returncode if words[-1] != 'explain' or done.returncode > 1 else 0)
    try:
        return json.loads(done.stdout)
    except ValueError:
        sys.exit(worst or 1)


def link(uri):
    return {'@odata.id': uri}


def known(**properties):
    """The properties that have a value."""
    return {name: value for name, value in properties.items() if value not in (None, [], 0)}


def extreme(choose, numbers):
    """The least or the greatest of the numbers that are known."""
    return choose([number for number in numbers if isinstance(number, int) and number > 0], default=None)


def limits(level):
    """The turbo limits without vector instructions: (cores of the power domain, MHz)."""
    types = level.get('turbo_ratio_limits') or [{'buckets': []}]
    return [(bucket.get('core_count'), bucket.get('max_turbo_mhz')) for bucket in types[0]['buckets']]


def turbo_profile(levels):
    """As many cores are active in each power domain: their counts are added up, as MSR 0x1ae has them."""
    points, before = [], 0
    for bucket in zip(*map(limits, levels)):
        if any(not cores or not mhz for cores, mhz in bucket):
            continue
        cores = sum(cores for cores, _ in bucket)
        if cores != before:
            points.append({'ActiveCoreCount': cores, 'MaxSpeedMHz': min(mhz for _, mhz in bucket)})
        before = cores
    return points


def priority_settings(levels, threads, total):
    """SST-BF: base frequencies and numbers of high and low priority cores."""
    settings = [level.get('base_freq_properties') or {} for level in levels]
    high = [len(setting.get('high_priority_cpus', {}).get('list', [])) for setting in settings]
    mhz = [extreme(min, [setting.get(name) for setting in settings])
           for name in ('high_priority_base_mhz', 'low_priority_base_mhz')]
    if not total or not all(settings) or None in mhz or sum(high) % threads:
        return []
    cores = sum(high) // threads
    return [{'BaseSpeedMHz': mhz[0], 'CoreCount': cores}, {'BaseSpeedMHz': mhz[1], 'CoreCount': total - cores}]


def speeds(levels):
    return {'BaseSpeedMHz': extreme(min, [level.get('base_mhz') for level in levels]),
            'MaxSpeedMHz': extreme(max, [mhz for level in levels for _, mhz in limits(level)])}


def operating_config(uri, number, levels, threads):
    cpus = [level.get('enabled_cpu_count') or 0 for level in levels]
    total = sum(cpus) // threads if threads and all(cpus) and sum(cpus) % threads == 0 else None
    return {'@odata.id': uri, '@odata.type': '#OperatingConfig.v1_0_4.OperatingConfig', 'Id': f'config{number}',
            'Name': f'Performance level {number}',
            **known(**speeds(levels), TotalAvailableCoreCount=total, TDPWatts=extreme(max, [level.get('tdp_watts') for level in levels]),
                    MaxJunctionTemperatureCelsius=extreme(max, [level.get('tjunction_max_celsius') for level in levels]),
                    TurboProfile=turbo_profile(levels), BaseSpeedPrioritySettings=priority_settings(levels, threads, total))}


def throttle_causes(cpu):
    """Performance limit reasons since they were last cleared. None may mean that they cannot be read."""
    found = isst('--cpu', str(cpu), 'explain').get('explain', {}).get('findings', [])
    causes = {CAUSES.get(finding['code'], 'OEM') for finding in found if finding['code'].startswith('limited-')}
    return sorted(causes, key=ORDER.index)


def processor(uri, package, units, status, configs):
    machine = status['machine']
    states = {unit.get('base_freq_state') for unit in units}
    state = {'enabled': 'Enabled', 'disabled': 'Disabled'}.get(states.pop()) if len(states) == 1 else None
    current = {unit.get('current_level') for unit in units}
    levels = configs.get(current.pop(), []) if len(current) == 1 else []
    causes = throttle_causes(units[0]['cpu'])
    resource = {'@odata.id': uri, '@odata.type': '#Processor.v1_22_0.Processor', 'Id': f'cpu{package}', 'Name': 'Processor',
                'ProcessorType': 'CPU', 'Socket': str(package),
                'ProcessorId': {'EffectiveFamily': f'0x{machine["family"]:X}', 'EffectiveModel': f'0x{machine["model"]:X}',
                                'Step': f'0x{machine["stepping"]:X}'},
                **known(**speeds(levels), Model=status.get('processor'), BaseSpeedPriorityState=state, ThrottleCauses=causes,
                        Throttled=bool(causes) or None)}
    if 'turbo_enabled' in status:
        resource['TurboState'] = 'Enabled' if status['turbo_enabled'] else 'Disabled'
    if configs:
        resource['OperatingConfigs'] = link(uri + '/OperatingConfigs')
    if levels:
        resource['AppliedOperatingConfig'] = link(f'{uri}/OperatingConfigs/config{levels[0]["level"]}')
    return resource


def main(words):
    status, profile, document = isst(*words, 'status'), isst(*words, 'perf-profile', 'info'), {}
    cores, cpus = status.get('core_count', 0), status.get('present_cpu_count', 0)
    threads = cpus // cores if cores and cpus % cores == 0 else 0
    # Those without CPUs follow the others.
    units = [unit for unit in status['domains'] if unit.get('cpu') is not None]
    for package in sorted({unit['package'] for unit in units}):
        uri, configs = f'{PROCESSORS}/cpu{package}', {}
        for unit in profile['domains']:
            for level in unit.get('levels', []) if unit['package'] == package and unit.get('cpu') is not None else []:
                configs.setdefault(level['level'], []).append(level)
        uris = [f'{uri}/OperatingConfigs/config{number}' for number in sorted(configs)]
        document[uri] = processor(uri, package, [unit for unit in units if unit['package'] == package], status, configs)
        for number, config in zip(sorted(configs), uris):
            document[config] = operating_config(config, number, configs[number], threads)
        if uris:
            document[uri + '/OperatingConfigs'] = {
                '@odata.id': uri + '/OperatingConfigs', '@odata.type': '#OperatingConfigCollection.OperatingConfigCollection',
                'Name': 'Operating Config Collection', 'Members': [link(config) for config in uris], 'Members@odata.count': len(uris)}
    print(json.dumps(document, indent=2, sort_keys=True, ensure_ascii=False))
    return worst


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
