# SPDX-License-Identifier: BSD-3-Clause
"""The file of explanations: which differences are intentional, and why. See README.md."""
import re

KEYS = ('where', 'why', 'command', 'platform', 'differs')
LISTS = ('command', 'platform', 'differs')
# Behind a name: the reference does so by chance, and at times not at all.
NOT_ALWAYS = ', not always'


class Problem(Exception):
    """The file cannot be understood."""


def pattern(text):
    """A pattern in which * stands for anything and (a|b) for alternatives; all else is as it is written."""
    parts = re.split(r'(\*|\([^()*]*\|[^()*]*\))', text)
    expression = ''
    for part in parts:
        if part == '*':
            expression += '.*'
        elif part.startswith('(') and '|' in part:
            expression += '(?:%s)' % '|'.join(re.escape(choice) for choice in part[1:-1].split('|'))
        else:
            expression += re.escape(part)
    return re.compile(expression + r'\Z', re.DOTALL)


class Explanation:
    """One entry. Every pattern of it has to be of use."""

    def __init__(self, name, until, line):
        self.optional = name.endswith(NOT_ALWAYS)
        self.name = name[:-len(NOT_ALWAYS)] if self.optional else name
        self.open = name.startswith('open: ')
        self.until, self.line = until, line
        self.fields = {key: [] for key in KEYS}
        self.used = set()
        self.count = 0
        self.compiled = {}

    def finish(self):
        if not self.fields['platform']:
            self.fields['platform'] = ['*']
        for key in KEYS:
            if not self.fields[key]:
                raise Problem('line %d: %s has no "%s"' % (self.line, self.name, key))
        for key in LISTS:
            self.compiled[key] = [(text, text if text.startswith('@') else pattern(text)) for text in self.fields[key]]

    def _match(self, key, value, group=None):
        return [text for text, compiled in self.compiled[key]
                if (text[1:] == group if text.startswith('@') else compiled.match(value))]

    def explains(self, group, command, platform, difference):
        """Whether this is such a difference; what matched counts as used."""
        matches = {'differs': self._match('differs', difference)}
        if not matches['differs']:
            return False
        matches['platform'] = self._match('platform', platform)
        matches['command'] = self._match('command', command, group)
        if not matches['platform'] or not matches['command']:
            return False
        for key, texts in matches.items():
            self.used.update((key, text) for text in texts)
        self.count += 1
        return True

    def unused(self):
        if self.optional:
            return []
        return [(key, text) for key in LISTS for text in self.fields[key] if (key, text) not in self.used]


def number(version):
    return tuple(int(part) for part in version.lstrip('v').split('.'))


def read(path):
    """The entries of the file."""
    entries = []
    with open(path, encoding='utf-8') as file:
        for line, text in enumerate(file, 1):
            text = text.rstrip('\n')
            head = re.match(r'\[([^]]*?)(?:, until (v[\d.]+))?\]$', text)
            if not text.strip() or text.startswith('#'):
                continue
            if head:
                entries.append(Explanation(head.group(1), head.group(2), line))
                continue
            key, separator, value = text.partition(' ')
            if not entries or key not in KEYS or not separator:
                raise Problem('%s:%d: expected one of %s' % (path, line, ', '.join(KEYS)))
            entries[-1].fields[key].append(value.strip())
    for entry in entries:
        entry.finish()
    return entries


def for_version(entries, version):
    """Those that count with the reference's version: what was until v1.26 is no difference with v1.26."""
    return [entry for entry in entries if not entry.until or number(version) < number(entry.until)]


def explain(entries, group, command, platform, difference):
    """Every entry that explains the difference is in use; whether there is one."""
    return any([entry.explains(group, command, platform, difference) for entry in entries])


DOCUMENT_HEAD = '''# Differences from the reference tool

*For administrators and authors of scripts who know the kernel tree's tool.*

<!-- Generated from tests/parity/differences by `make docs-differences`: edit that file, not this one. -->

The ten differences that a script meets, with the numbers (D1) of the defects that they fix:

1. **Exit status.** A failure ends with 1 (failed), 2 (wrong usage), 3 (not supported on this machine), 4 (permission denied), 5
   (rollback incomplete) or 6 (another run holds the lock); the reference tool mostly ends with 0 (D1).
2. **Wrong arguments** are refused before anything is changed; the reference tool often ignores them and changes the machine (D14,
   D57).
3. **A change is made completely or not at all**; the reference tool keeps the first part of a change that fails (D48, D52).
4. **A value that cannot be read** is an error, never a number; other packages are still printed (D2, D3, D6, D26).
5. **`disable --auto`** restores the settings that `enable --auto` replaced, and does not disable core-power while another feature
   needs it (D38).
6. **The priority type** stays as it is when core-power is enabled or disabled, unless `--priority` is given (D42).
7. **With `-c`**, `turbo-freq enable --auto` changes only the packages of the CPUs named (D36).
8. **`disable` of an unsupported feature** succeeds without a change (D1).
9. **JSON output** is always one valid document, and contains all messages (D64, D65).
10. **Large and unusual machines**: long lists and masks are complete (D15), as are machines with more than 511 CPUs, CPU 0, core 32
    and gaps in CPU numbers (D24, D41, D44, D60); uncore limits of a level are also set on TPMI machines (D40).

D-numbers such as D42 identify defects of the reference tool, the kernel tree's intel-speed-select, which this program
fixes; tests are named after them. Apart from the differences on this page, this program accepts the same command lines as the
reference tool and prints the same output. `make check-parity` runs both on the emulated machines and compares results, exit
statuses, registers and files; it fails if a difference is not listed here, or if one that is listed no longer exists.

Not compared, and not guaranteed to be the same: the wording of help, errors and debug traces; white space of JSON; the stream
of messages; the daemon of `--oob`, whose lines `hfi is initialized`, `online cpu N` and `offline cpu N` are the same.

In the lists of differences, `*` matches anything, and the reference tool's value precedes that of this program: REFERENCE ->
OWN. In command lines, words such as FIRST, LAST, ABSENT and ALL stand for CPU numbers.

## The daemon of `--oob`

- It changes no CPU before a level changes (D77), follows the last of several changes (D74), CPUs that appear later (D78), and
  also machines without the hardware feedback interface, by looking; lost or malformed events do not end it (D75), and the
  memory that it uses does not grow (D80). A level that changes while it looks is looked at again. CPUs change by a transaction, with
  the lock, and a CPU that another program has changed since is left alone.
- Its pid file is in the runtime directory, `/run/isst/watch-follow.pid`, not in `/tmp` (D71); its working directory is `/`; its
  messages are in the system log (D72). The program ends when the daemon is ready, or with its status (D73).
- SIGTERM and SIGINT end it with status 0 after a change is complete or rolled back, SIGHUP makes it look at everything, and service
  managers are notified (D76). The cache of offline CPUs is a text file that is validated (D79).
'''


def document(entries, examples):
    """The page for users."""
    text = DOCUMENT_HEAD
    for title, chosen, head in (
            ('Intentional differences', [entry for entry in entries if not entry.until and not entry.open], ''),
            ('Differences from older versions of the reference tool', [entry for entry in entries if entry.until],
             '\nThe reference tool itself changed these up to v1.26.\n')):
        if not chosen:
            continue
        text += '\n## %s\n%s' % (title, head)
        for where in sorted(set(entry.fields['where'][0] for entry in chosen), key=lambda x: (x != 'all commands', x)):
            text += '\n### %s\n' % where
            for entry in chosen:
                if entry.fields['where'][0] == where:
                    text += paragraph(entry, examples)
    return text


def in_words(command):
    """A command line of the list, with capitals in place of braces: FIRST for {first}."""
    return re.sub(r'\{(\w+)\}', lambda match: match.group(1).upper(), command)


def paragraph(entry, examples):
    """An entry for users, who do not know the groups of command lines: each by its first line."""
    name = entry.name + (', until %s' % entry.until if entry.until else '')
    text = '\n**%s.** %s\n\n' % (name, ' '.join(entry.fields['why']))
    if entry.fields['platform'] != ['*']:
        text += '- machines: %s\n' % ', '.join('`%s`' % p for p in entry.fields['platform'])
    commands = [examples.get(c[1:], c) if c.startswith('@') else c for c in entry.fields['command']]
    text += '- command lines such as %s\n' % ', '.join('`%s`' % in_words(c) for c in commands if c)
    return text + ''.join('- `%s`\n' % line for line in entry.fields['differs'])
