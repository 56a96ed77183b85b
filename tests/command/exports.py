# SPDX-License-Identifier: BSD-3-Clause
"""Checks what isst writes for other programs: exports.py CHECK FILE [DOCUMENT]. Silent where all is well.

  openmetrics  by the parsers of python3-prometheus-client, for OpenMetrics and for the older format of node_exporter
  facts        JSON with sorted members
  redfish      properties and their types, by the tables of DOCUMENT
"""
import json
import re
import sys


def openmetrics(text):
    from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse_new
    from prometheus_client.parser import text_string_to_metric_families as parse_old

    def samples(families):
        return sorted((sample.name, sorted(sample.labels.items()), sample.value)
                      for family in families for sample in family.samples)

    new = samples(parse_new(text))
    if not new:
        print('no samples')
    if new != samples(parse_old(text)):
        print('the two formats differ')


def unique(pairs):
    names = [name for name, _ in pairs]
    if len(set(names)) != len(names):
        print('names stand twice:', *names)
    if names != sorted(names):
        print('not sorted:', *names)
    return dict(pairs)


def load(text):
    document = json.loads(text, object_pairs_hook=unique)
    if json.dumps(document, indent=2, sort_keys=True, ensure_ascii=False) + '\n' != text:
        print('not laid out as jq -S does')
    return document


def facts(text):
    if not isinstance(load(text), dict):
        print('not an object')


def read_properties(path):
    """The tables of the document: of each resource its properties, as paths, with their types."""
    resources, resource = {}, None
    for line in open(path, encoding='utf-8'):
        heading = re.match(r'#+ (.*)', line)
        if heading:
            resource = heading[1]
        row = re.match(r'\| `([^`]*)` \| ([^|]*) \|', line)
        if row and resource and resource.isalpha():
            resources.setdefault(resource, {})[row[1]] = row[2]
    return resources


def has_type(value, kind):
    types = {'string': str, 'integer': int, 'boolean': bool, 'object': dict}
    if kind in types:
        return type(value) is types[kind]
    return value in re.findall('`([^`]*)`', kind)


def leaves(value, path, kinds):
    """Paths of the values in a resource; what the document has as an object is one."""
    if path in kinds and kinds[path] == 'object':
        yield path, value
    elif isinstance(value, dict):
        for name, member in value.items():
            yield from leaves(member, f'{path}.{name}' if path else name, kinds)
    elif isinstance(value, list):
        for element in value:
            yield from leaves(element, path + '[]', kinds)
    else:
        yield path, value


REQUIRED = {
    'Processor': ('@odata.id', '@odata.type', 'Id', 'Name', 'Socket', 'ProcessorId'),
    'OperatingConfig': ('@odata.id', '@odata.type', 'Id', 'Name'),
    'OperatingConfigCollection': ('@odata.id', '@odata.type', 'Name', 'Members', 'Members@odata.count'),
}


def check_config(uri, config):
    settings = config.get('BaseSpeedPrioritySettings')
    if settings and sum(s['CoreCount'] for s in settings) != config.get('TotalAvailableCoreCount'):
        print(uri, 'core counts do not add up')
    counts = [point['ActiveCoreCount'] for point in config.get('TurboProfile', ())]
    if counts != sorted(set(counts)):
        print(uri, 'turbo profile is not in order')


def check_links(uri, resource, document):
    links = [resource[name] for name in ('AppliedOperatingConfig', 'OperatingConfigs') if name in resource]
    links += resource.get('Members', [])
    for link in links:
        if link['@odata.id'] not in document:
            print(uri, 'refers to nothing:', link['@odata.id'])
    if len(resource.get('Members', [])) != resource.get('Members@odata.count', 0):
        print(uri, 'counts its members wrongly')


def redfish(text, path):
    properties, document = read_properties(path), load(text)
    if set(properties) != set(REQUIRED):
        print('the document has tables of', *properties)
    for uri, resource in document.items():
        name = resource['@odata.type'].rsplit('.', 1)[1]
        kinds = properties.get(name, {})
        if resource['@odata.id'] != uri or kinds.get('@odata.type') is None:
            print(uri, 'is no resource of its type', name)
        for place, value in leaves(resource, '', kinds):
            if place not in kinds or not has_type(value, kinds[place]):
                print(uri, place, value, 'is not', kinds.get(place, 'in the list'))
        for member in REQUIRED.get(name, ()):
            if member not in resource:
                print(uri, 'lacks', member)
        check_links(uri, resource, document)
        if name == 'OperatingConfig':
            check_config(uri, resource)
    if not any('Processors/cpu' in uri for uri in document):
        print('no processors')


CHECKS = {'openmetrics': openmetrics, 'facts': facts, 'redfish': redfish}
with open(sys.argv[2], encoding='utf-8') as file:
    CHECKS[sys.argv[1]](file.read(), *sys.argv[3:])
