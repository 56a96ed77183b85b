# SPDX-License-Identifier: BSD-3-Clause
"""Points of mutation in C sources: statements that are named by their text. See README.md."""
import re

CLOSES = {'(': ')', '[': ']', '{': '}'}


class Problem(Exception):
    """A point without a statement, or an effect that does not apply."""


def read(path):
    """{name of a point: [(file, function, statement)]} of the list of points."""
    points = {}
    with open(path, encoding='utf-8') as file:
        for number, line in enumerate(file, 1):
            if line.startswith('#') or not line.strip():
                continue
            parts = [part.strip() for part in line.split(' | ', 3)]
            if len(parts) != 4:
                raise Problem('%s:%d: expected NAME | FILE | FUNCTION | STATEMENT' % (path, number))
            points.setdefault(parts[0], []).append(tuple(parts[1:]))
    return points


def locate(text, function, statement):
    """Where the one statement of a function is that begins with the text @statement, behind the text before `>>` if there is one,
    whatever the blanks."""
    bodies = list(re.finditer(r'^[a-z_][^\n;=]*\b%s\([^;{}]*\)\n\{.*?^\}' % function, text, re.MULTILINE | re.DOTALL))
    if len(bodies) != 1:
        raise Problem('%d functions have the name %s' % (len(bodies), function))
    before, _, begin = statement.rpartition('>> ')
    words = [re.escape(word) + r'\s+' for word in before.split()] + [r'(?<=\s)()'] + [r'\s+'.join(map(re.escape, begin.split()))]
    found = list(re.finditer(''.join(words), bodies[0].group(0)))
    if len(found) != 1:
        raise Problem('%s has %d statements that begin with: %s' % (function, len(found), statement))
    return bodies[0].start() + found[0].start(1)


def blank(text):
    """The text with blanks for comments, strings and characters: all brackets and operators are code then."""
    def spaces(match):
        return re.sub(r'[^\n]', '_' if match.group(0)[0] in '"\'' else ' ', match.group(0))
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'', spaces, text, flags=re.DOTALL)


def closing(code, at):
    """Where the bracket that opens at @at is closed."""
    depth = 0
    for i in range(at, len(code)):
        if code[i] in '([{':
            depth += 1
        elif code[i] in ')]}':
            depth -= 1
            if depth == 0:
                return i
    raise Problem('a bracket is not closed')


def split(code, begin, end, separator):
    """The parts of code[begin:end] between separators outside brackets, as (begin, end)."""
    parts, at, start = [], begin, begin
    while at < end:
        if code[at] in CLOSES:
            at = closing(code, at) + 1
        elif code.startswith(separator, at):
            parts.append((start, at))
            at += len(separator)
            start = at
        else:
            at += 1
    return parts + [(start, end)]


def trim(code, begin, end):
    while begin < end and code[begin].isspace():
        begin += 1
    while begin < end and code[end - 1].isspace():
        end -= 1
    return begin, end


def operand(code, begin, end, path):
    """The operand of && or || that the numbers of @path lead to, through parentheses."""
    for number in path:
        begin, end = trim(code, begin, end)
        while code[begin] == '(' and closing(code, begin) == end - 1:
            begin, end = trim(code, begin + 1, end - 1)
        parts = split(code, begin, end, '||')
        if len(parts) == 1:
            parts = split(code, begin, end, '&&')
        if len(parts) == 1 or not 1 <= number <= len(parts):
            raise Problem('there is no operand %d' % number)
        begin, end = parts[number - 1]
    return trim(code, begin, end)


class Statement:
    """A statement: its place, and the expression that decides."""

    def __init__(self, code, at):
        self.code, self.begin = code, at
        word = re.match(r'(if|while|for|switch|return)\b\s*', code[self.begin:])
        self.keyword = word.group(1) if word else None
        inside = self.begin + (word.end() if word else 0)
        self.has_body = self.keyword in ('if', 'while', 'for', 'switch')
        if self.has_body:
            if code[inside:inside + 1] != '(':
                raise Problem('no parenthesis behind %s' % self.keyword)
            self.end = closing(code, inside) + 1
            parts = split(code, inside + 1, self.end - 1, ';')
            self.expression = trim(code, *parts[1 if self.keyword == 'for' else 0])
            return
        parts = split(code, self.begin, len(code), ';')
        self.end = parts[0][1] + 1
        if self.keyword == 'return':
            self.expression = trim(code, inside, self.end - 1)
        else:
            self.expression = self.assigned()

    def assigned(self):
        """The right-hand side of an assignment; None if there is none."""
        at = self.begin
        while at < self.end:
            if self.code[at] in CLOSES:
                at = closing(self.code, at)
            elif self.code[at] == '=' and self.code[at + 1] != '=' and self.code[at - 1] not in '=!<>':
                return trim(self.code, at + 1, self.end - 1)
            at += 1
        return None


def change(text, code, at, effect):
    """The change (begin, end, new text) that @effect means for the statement at @at."""
    statement = Statement(code, at)
    word, _, rest = effect.partition(' ')
    if word == 'skip' and not rest and not statement.has_body:
        return statement.begin, statement.end, ';'
    if word == 'is' and not statement.has_body:
        return statement.begin, statement.end, rest
    if word == 'first':
        return statement.begin, statement.begin, rest + ' '
    if not statement.expression:
        raise Problem('the statement holds no expression')
    begin, end = statement.expression
    if word == 'operand':
        path, _, rest = rest.partition(' ')
        begin, end = operand(code, begin, end, [int(number) for number in path.split('.')])
        word, _, rest = rest.partition(' ')
    if word == 'gives' and rest:
        return begin, end, '(%s)' % rest
    if word == 'negated' and not rest:
        return begin, end, '!(%s)' % text[begin:end]
    raise Problem('the effect does not apply: %s' % effect)


def mutate(text, places, effect):
    """The source @text with the effect at each of @places, (function, statement)."""
    code = blank(text)
    changes = sorted(change(text, code, locate(text, *place), effect) for place in places)
    for begin, end, new in reversed(changes):
        text = text[:begin] + new + text[end:]
    return text
