# SPDX-License-Identifier: BSD-3-Clause
"""What a script reads in a program's output: leaves, remarks, whether there was an error."""
import json
import re
from collections import Counter

BANNER = re.compile(r'Intel\(R\) Speed Select Technology$|Executing on CPU model:|Emulated machine: ')
# Lines that are results though they stand at the margin.
MARGIN_RESULT = re.compile(r'(Platform: |Intel\(R\) SST-|TDP level |Only performance level |Package \d+ differs:)')
# Without Error: before them in text, but errors all the same.
ERRORS = re.compile(r'Error: |[Ii]nvalid |malformed|No valid CPU|.* malformed$|.*: (invalid|unrecognized) option|'
                    r'.*: option .*(requires an argument|is ambiguous)|intel-speed-select: |Unknown option|'
                    r'Must specify|.*failed')
PREFIX = re.compile(r'(Information|Warning|Notice): ')
MAP = re.compile(r'logical_cpu:(\d+)\b.*\bpunit_core:(\d+)')
CUT = 1000


class Result:
    """Of one run: leaves in their order, remarks counted, errors, and what is wrong with the form."""

    def __init__(self):
        self.leaves = []
        self.remarks = Counter()
        self.error = False
        self.form = 'well-formed'
        self.maps = []

    def message(self, text):
        """A message; errors keep no wording, remarks keep theirs behind the prefix."""
        if ERRORS.match(text):
            self.error = True
        elif text.strip():
            self.remarks[PREFIX.sub('', text.strip())] += 1


def read_text(lines, result):
    """The tree of a text result: a level is two spaces, the first of them one."""
    path = []
    for line in lines:
        depth = len(line) - len(line.lstrip(' '))
        if MARGIN_RESULT.match(line):
            result.leaves.append((line, ''))
        elif depth == 0 or (depth != 1 and depth % 2):
            result.message(line)
        else:
            level = 1 if depth == 1 else depth // 2 + 1
            path = path[:level - 1]
            text = line.strip()
            if PREFIX.match(text) or text.startswith('Error: '):
                result.message(text)
                continue
            name, colon, value = text.partition(':')
            path += ['?'] * (level - 1 - len(path)) + [name]
            if colon:
                result.leaves.append(('/'.join(path), value))
    if not result.leaves and not result.error and not result.remarks:
        result.form = 'empty'


def read_member(name, value, path, result):
    if re.match(r'Error\d+$', name):
        result.error = True
    elif re.match(r'Information:\d+$', name):
        result.message(dict(value).get('message', ''))
    elif isinstance(value, list):
        here = path + ([part for part in name.split(':')] if name.startswith('package-') else [name])
        for below, content in value:
            read_member(below, content, here, result)
    else:
        result.leaves.append(('/'.join(path + [name]), value))


def read_json(text, result):
    """A document. Anything before it is read as text, and reported as an error of form, like anything that does not parse."""
    start = 0 if text.startswith('{') else text.find('\n{') + 1
    before = text[:start]
    if before or not text.startswith('{'):
        result.form = 'text beside the document'
        for line in (before or text).splitlines():
            result.message(line)
    if not text[start:].startswith('{'):
        result.form = 'no document'
        return
    try:
        pairs = json.loads(text[start:], object_pairs_hook=lambda pairs: pairs)
    except ValueError:
        pairs = None
    if pairs is None:
        result.form = 'invalid document'
        pairs = salvage(text[start:], result)
    for name, value in pairs:
        read_member(name, value, [], result)


def salvage(text, result):
    """The members of a document that does not parse, as far as a lenient reader gets."""
    decoder = json.JSONDecoder(object_pairs_hook=lambda pairs: pairs, strict=False)
    kept = []
    for line in text.splitlines():
        if line and line[0] not in '{} ,"':
            result.message(line)
        else:
            kept.append(line)
    for candidate in (text, '\n'.join(kept), '\n'.join(kept) + '}'):
        candidate = re.sub(r',(\s*,)+', ',', candidate)
        candidate = re.sub(r',(\s*})', r'\1', re.sub(r'{(\s*),', r'{\1', candidate))
        try:
            return decoder.raw_decode(candidate)[0]
        except ValueError:
            continue
    return []


def is_json(arguments):
    """Whether the arguments before the feature select JSON, as the reference tool understands them."""
    text = ' '.join(arguments)
    return bool(re.search(r'(-f|--?fo?r?m?a?t?)[ =]?json', text))


def read(outcome, arguments):
    """The Result of a run under the name intel-speed-select."""
    result = Result()
    for line in outcome.stdout.splitlines():
        if not BANNER.match(line):
            found = MAP.search(line)
            if found:
                result.maps.append(found.group(1) + ' ' + found.group(2))
    stream = outcome.stderr if outcome.out is None else outcome.out
    if is_json(arguments):
        read_json(stream, result)
    else:
        read_text(stream.splitlines(), result)
    if outcome.out is not None:
        result.form += ', in a file'
        read_aside(outcome.stderr, result)
    return result


def read_aside(text, result):
    """Messages on standard error while results go into a file: those that are in the file as well do not count."""
    for line in text.splitlines():
        aside = Result()
        aside.message(line)
        result.error = result.error or aside.error
        for remark in aside.remarks:
            if remark not in result.remarks:
                result.remarks[remark] += 1


def leaf_differences(reference, own):
    """Differences of leaves; a value that only the reference's buffer truncated is reported as such."""
    def collect(leaves):
        found = {}
        for path, value in leaves:
            found.setdefault(path, []).append(value)
        return found

    old, new = collect(reference.leaves), collect(own.leaves)
    for path in list(old) + [path for path in new if path not in old]:
        if old.get(path) == new.get(path):
            continue
        before, after = ','.join(old.get(path, ['(none)'])), ','.join(new.get(path, ['(none)']))
        cut = len(before) >= CUT and after.startswith(before)
        yield ('cut leaf %s' % path) if cut else 'leaf %s: %s -> %s' % (path, before, after)
    common = [path for path, _ in reference.leaves if path in new]
    if common != [path for path, _ in own.leaves if path in old] and Counter(common) == Counter(
            path for path, _ in own.leaves if path in old):
        yield 'order of leaves'


def differences(reference, own):
    """What a script would see differ, each as one line: WHAT: REFERENCE -> OWN."""
    found = list(leaf_differences(reference, own))
    for remark in reference.remarks:
        if own.remarks[remark] == 0:
            found.append('remark gone: ' + remark)
    for remark in own.remarks:
        if reference.remarks[remark] == 0:
            found.append('remark new: ' + remark)
    if reference.error != own.error:
        found.append('error reported: %s -> %s' % tuple('yes' if x.error else 'no' for x in (reference, own)))
    if reference.form != own.form:
        found.append('form: %s -> %s' % (reference.form, own.form))
    if Counter(reference.maps) != Counter(own.maps):
        found.append('map of CPUs: %d lines -> %d lines' % (len(reference.maps), len(own.maps)))
    return found
