# SPDX-License-Identifier: BSD-3-Clause
"""Makes the manual pages of section 3 from the comments of the public headers: man3.py DIRECTORY OVERVIEW.in
HEADER... writes into DIRECTORY a page for each section of the headers (the lines `/* ---- TITLE ---- */`), named after its first
function; a symbolic link for each further function; and OVERVIEW, in which `.\\" conventions`, `.\\" errors`,
`.\\" pages` and `.\\" program FILE` are replaced.

What the pages contain is said in the headers alone. A function without a comment, an errno without a meaning, or a
function that returns errors without naming them, ends the run with an error."""

import collections
import pathlib
import re
import sys
import textwrap

WIDTH = 78


def fail(header, problem):
    """The header does not have what a page needs."""
    raise SystemExit(f"man3.py: {header.file}: {problem}")


# ---- mdoc ----

# What is marked in comments, and the macro of each.
MARKS = re.compile(r"""
    `(?P<Ql>[^`]+)` |
    (?P<Xr>\b[a-z][a-z-]*\([1-8]\)) |
    (?P<Fn>\b(?:isst_[A-Za-z0-9_]+(?:\.\.\.)?|ISST_[A-Z_]+)\(\)) |
    (?P<Er>-(?:E[A-Z]+|ISST_ERR_[A-Z]+)\b) |
    (?P<Fa>\*?@[a-z]+|(?<![\w*])\*[a-z]+\b) |
    (?P<Vt>\b(?:enum|struct)\ isst_[a-z_]+) |
    (?P<Dv>\b(?:ISST_[A-Z0-9_]+(?:\.\.\.)?|NULL|UINT_MAX|CAP_[A-Z_]+)(?!\w)) |
    (?P<Pa>/proc/[a-z]+\b|\bisst(?:-emulator)?\.h\b|\bdocs/[a-z0-9/-]+\.md\b)
    """, re.X)
SENTENCE = re.compile(r"(?<=[.?!])\s+(?=[^a-z])|(?<=[.?!]\))\s+")


def escape(text):
    """Text without a meaning for roff."""
    text = text.replace("\\", "\\e").replace("-E", "\\-E")
    return "\\&" + text if text[:1] in (".", "'") else text


def quoted(text):
    """A single argument of a macro."""
    text = text.replace("\\", "\\e").replace('"', "\\(dq")
    if text.startswith("-"):
        text = "\\" + text
    if re.fullmatch(r"[A-Z][a-z]|[.,:;()\[\]?!|]", text):
        text = "\\&" + text
    return f'"{text}"' if " " in text else text


def macro(kind, text):
    """The macro of a mark, and its arguments."""
    if kind in ("Fn", "Xr"):
        return f"{kind} {text[:-1].replace('(', ' ')}".rstrip()
    return f"{kind} {text.replace('@', '') if kind == 'Fa' else quoted(text)}"


def around(before, call, after):
    """A macro line with what stands before and behind the mark without a blank."""
    line = call
    if before in ("(", "["):
        line = line.replace(" ", f" {before} ", 1)
    elif before:
        line = f"No {quoted(before)} Ns {line}"
    closing, rest, ending = re.match(r"([.,:;)\]?!]*)(.*?)([.,:;)\]?!]*)$", after).groups()
    return " ".join(["." + line, *closing, *([f"Ns No {quoted(rest)}"] if rest else []), *ending])


def sentence_lines(sentence):
    """The lines of roff of one sentence."""
    lines, plain, position = [], "", 0
    while True:
        mark = MARKS.search(sentence, position)
        plain += sentence[position:mark.start() if mark else len(sentence)]
        before = re.search(r"\S*$", plain)[0] if mark else ""
        text = " ".join(plain[:len(plain) - len(before)].split())
        lines += [escape(line) for line in textwrap.wrap(text, WIDTH, break_on_hyphens=False)]
        if not mark:
            return lines
        after = re.match(r"[^\s`@]*", sentence[mark.end():])[0]
        # A second mark without a blank between them stays text.
        lines.append(around(before, macro(mark.lastgroup, mark[mark.lastgroup]), after))
        plain, position = "", mark.end() + len(after)


def prose(text):
    """The lines of a paragraph: each sentence begins a line."""
    return [line for sentence in SENTENCE.split(" ".join(text.split())) if sentence for line in sentence_lines(sentence)]


def listed(names):
    """Functions as a list in a sentence: a, b and c."""
    lines = [f".Fn {name}" for name in names]
    if len(lines) < 2:
        return lines
    return [line + " ," for line in lines[:-2]] + [lines[-2], "and", lines[-1]]


def sentence(functions, one, several, *rest):
    """Functions, with the words for one or for several, and what they do; nothing without functions."""
    return [*listed(function.name for function in functions), one if len(functions) == 1 else several, *rest] if functions else []


def ended(lines, mark="."):
    """Lines with a mark of punctuation behind the last."""
    return lines[:-1] + [lines[-1] + (" " if lines[-1].startswith(".") else "") + mark]


def error(errno, meaning, mark):
    return [f".It Bq Er {errno}", *ended(prose(meaning[0].upper() + meaning[1:]), mark)]


# ---- Comments ----

class Comment:
    """A comment of the header as blocks: ("text", words), ("item", words), ("row", name, words), ("code", lines)."""

    def __init__(self, text):
        self.parameters = []
        self.blocks = [("end",)]
        first, *lines = re.sub(r"^/\*+|\*/$", "", text).split("\n")
        for line in [first.strip(), *(re.sub(r"^\s*\* ?", "", line).rstrip() for line in lines)]:
            self.add(line)
        self.split_inline()

    def add(self, line):
        last = self.blocks[-1][0]
        parameter = re.match(r"@([a-z]+): (.*)", line)
        row = re.match(r" (-?\S+)  +(\S.*)", line)
        if not line:
            self.blocks.append(("end",))
        elif parameter:
            self.blocks.append(("parameter", *parameter.groups()))
        elif line.startswith("\t"):
            self.extend("code", line[1:] + "\n")
        elif line.startswith(" - "):
            self.blocks.append(("item", line[3:]))
        elif row and not line.startswith("   "):
            self.blocks.append(("row", *row.groups()))
        elif line.startswith("  ") and last == "item" or line.startswith("   ") and last == "row":
            self.extend(last, " " + line.strip())
        elif last == "parameter" and not re.match("Returns |They return ", line):
            self.extend(last, " " + line)
        elif line.startswith("Returns "):
            self.blocks.append(("text", line.strip()))
        else:
            self.extend("text", " " + line.strip())

    def extend(self, kind, text):
        """Adds to the last block if that is of the same kind."""
        *head, tail = self.blocks[-1]
        if self.blocks[-1][0] == kind:
            self.blocks[-1] = (*head, tail + text)
        else:
            self.blocks.append((kind, text.lstrip(" ")))

    def split_inline(self):
        """Parameters out of the text; those within a paragraph are a sentence, or as long as the next one begins."""
        def keep(match):
            self.parameters.append((match[1], match[2]))
            return ""

        blocks, self.blocks = self.blocks, []
        for kind, *words in blocks:
            if kind == "parameter":
                self.parameters.append(words)
            elif kind == "text":
                words = [re.sub(r"(?:^|(?<=\s))@([a-z]+): ((?:[^.]|\.(?!\s|$)|\.\.\.)+\.)(?:\s+|$)", keep, words[0]).strip()]
            if kind not in ("parameter", "end") and words != [""]:
                self.blocks.append((kind, *words))

    @property
    def text(self):
        """All words."""
        return " ".join(" ".join(block[1:]) for block in self.blocks)

    @property
    def returned(self):
        """What the function returns: the words from "Returns" or "They return" on."""
        match = re.search(r"\b(?:Returns|They return)\b.*", self.text, re.S)
        return match[0] if match else ""


def block_lines(blocks):
    """The roff of a comment without its parameters."""
    lines, kind = [], None
    for block in blocks:
        if kind in ("item", "row") and block[0] != kind:
            lines.append(".El")
        if block[0] == "text":
            lines += [".Pp", *prose(block[1])]
        elif block[0] == "code":
            lines += [".Bd -literal -offset indent", *(escape(line) for line in block[1].rstrip().split("\n")), ".Ed"]
        else:
            if block[0] != kind:
                lines.append(".Bl -bullet" if block[0] == "item" else ".Bl -tag -width Ds -compact")
            mark = "Er" if block[1].startswith("-") else "Ql"
            lines += [".It" if block[0] == "item" else f".It {mark} {quoted(block[1])}", *prose(block[-1])]
        kind = block[0]
    return lines + ([".El"] if kind in ("item", "row") else [])


# ---- The header ----

class Function:
    """A declaration: what it returns, its name, and its arguments."""

    def __init__(self, text):
        text = " ".join(text.split())
        match = re.match(r"(?:ISST_API |typedef )?(.*?[ *])(\(\*\w+\)|\w+)\((.*)\);?$", text)
        self.type = match[1].strip()
        self.name = match[2]
        # Commas within parentheses separate no arguments.
        self.arguments = [argument.strip() for argument in re.split(r",(?![^()]*\))", match[3])]
        self.is_macro, self.is_typedef = text.startswith("macro "), text.startswith("typedef ")

    @property
    def owned(self):
        """Whether what it returns belongs to the caller."""
        return "*" in self.type and not self.type.startswith("const ")

    @property
    def handed_out(self):
        """Arguments by which it returns something that belongs to the caller: [(type, name)]"""
        return [match.groups() for match in self.matching(r"(struct \w+|char) \*\*(\w+)$")]

    @property
    def objects(self):
        """The types of the library's objects that it is given."""
        return [match[1] for match in self.matching(r"(?:const )?struct (isst_\w+) \*\w+$")]

    def matching(self, pattern):
        return [match for match in (re.match(pattern, argument) for argument in self.arguments) if match]


class Constants:
    """Numbers with names: of #define, or of an enum, which has a name."""

    def __init__(self, name, entries):
        self.name, self.entries = name, entries


class Section:
    """The parts of a header below a heading: comments, functions and constants, in their order."""

    def __init__(self, title, file):
        self.title, self.file = title, file
        self.parts = []

    @property
    def functions(self):
        return [part for group in self.parts if isinstance(group, list) for part in group if isinstance(part, Function)]

    @property
    def comments(self):
        return [part for part in self.parts if isinstance(part, Comment)]

    @property
    def page(self):
        return next(function.name for function in self.functions if not function.is_macro and not function.is_typedef)


TOKENS = re.compile(r"""
    /\*\ ----\ (?P<heading>.*?)\ ----\ \*/ |
    (?P<comment>/\*.*?\*/) |
    \#define\ (?P<macro>\w+\([^)]*\))(?:[^\n]*\\\n)*[^\n]* |
    \#define\ (?P<define>\w+)[^\n/]*(?P<remark>/\*.*?\*/)? |
    (?P<skipped>\#[^\n]*|struct\ \w+;|extern\ "C"\ \{|^\}) |
    enum\ (?P<enum>\w+)\ \{(?P<entries>.*?)\n?\s*\}; |
    (?P<typedef>typedef\ [^;]*\);) |
    (?P<function>ISST_API\ [^;]*;) |
    (?P<blank>\n[ \t]*\n)
    """, re.X | re.S | re.M)


ENUMERATOR = re.compile(r"""
    (?P<gap>^|\n[ \t]*\n)?\s*/\*\*?(?P<comment>(?:(?!\*/).)*)\*/ |
    (?P<name>ISST_\w+)\s*=\s*\d+,?[ \t]*(?:/\*(?!\*)(?P<remark>(?:(?!\*/).)*)\*/)?
    """, re.X | re.S)


def enumerators(body):
    """[(name, remark)]: a remark stands behind its enumerator, or before it. Where a blank line precedes it, it is for
    all that follow: (None, remark)."""
    found, before = [], ""
    for match in ENUMERATOR.finditer(body):
        if match["name"]:
            found.append((match["name"], words_of(match["remark"] or before)))
            before = ""
        elif match["gap"] is not None:
            found.append((None, words_of(match["comment"])))
        else:
            before = match["comment"]
    return found


def words_of(comment):
    """The words of a comment without its marks; "" for none."""
    return Comment(f"/*{comment}*/").text if comment.strip() else ""


class Header:
    """The headers of a library: the first comment of the first of them, and their sections."""

    def __init__(self, paths):
        self.sections = []
        self.introduction = None
        self.comment = self.group = None
        for path in paths:
            text = path.read_text("utf-8")
            self.file = path.name
            for token in TOKENS.finditer(text[text.index("*/") + 2:]):
                self.take(token)
            self.flush()
        self.functions = {function.name: function for section in self.sections for function in section.functions}
        self.pages = [section for section in self.sections if section.functions]

    def take(self, token):
        kind = token.lastgroup
        if kind in ("heading", "comment", "blank"):
            self.flush()
        if kind == "heading":
            self.sections.append(Section(token[kind], self.file))
        elif kind == "comment":
            self.comment = Comment(token[kind])
        elif kind not in ("blank", "skipped") and self.sections:
            self.add(kind, token)

    def add(self, kind, token):
        """A declaration joins those before it, unless a comment or a blank line is between them."""
        if kind in ("function", "typedef"):
            part = Function(token[kind])
        elif kind == "macro":
            part = Function("macro " + token["macro"])
        elif kind == "entries":
            part = Constants("enum " + token["enum"], enumerators(token["entries"]))
        else:
            part = Constants(None, [(token["define"], words_of((token["remark"] or "")[2:-2]))])
        if not self.group:
            self.group = []
            self.sections[-1].parts.append(self.group)
        part.comment = self.comment
        self.group.append(part)

    def flush(self):
        if self.comment and not self.group:
            if self.sections:
                self.sections[-1].parts.append(self.comment)
            elif not self.introduction:
                self.introduction = self.comment
        self.comment = self.group = None

    def errors(self):
        """{errno: its meaning}, from the section on errors; none in a header that uses another's."""
        return {block[1][1:]: block[2] for section in self.sections for comment in section.comments
                for block in comment.blocks if block[0] == "row" and block[1].startswith(("-E", "-ISST_ERR_"))}


# ---- Facts about functions ----

# Objects that belong to another one, and the latter.
PARTS_OF = {
    "isst_domain": "isst_context", "isst_cpu": "isst_context", "isst_result": "isst_results",
    "isst_finding": "isst_explanation", "isst_change_step": "isst_change", "isst_journal_entry": "isst_journal",
    "isst_config_difference": "isst_config",
}
FREE_FUNCTIONS = {"isst_context": "isst_close"}


def owner_of(type_name, header):
    """To whom belongs what is returned as const of an object, and what frees it: (words, function)"""
    if type_name == "isst_item":
        return "the change or journal of the item", None
    if type_name == "isst_message":
        return "the object of the message", None
    name = PARTS_OF.get(type_name, type_name)
    free = FREE_FUNCTIONS.get(name, name + "_free")
    if free not in header.functions:
        fail(header, f"there is no {free}() for what belongs to {type_name}")
    return "the " + name[len("isst_"):].replace("config", "configuration").replace("_", " "), free


def free_function(type_name):
    """By what the caller frees something."""
    if type_name == "char":
        return "Xr free 3"
    name = type_name.replace("struct ", "")
    return "Fn " + FREE_FUNCTIONS.get(name, name + "_free")


def errnos_of(function, section, header, seen=()):
    """The errnos that a function returns, without sign; also those of the function that its comment refers to."""
    text = returned_text(function, section, header)
    found = set(re.findall(r"-(E[A-Z]+|ISST_ERR_[A-Z]+)\b", text))
    for name in re.findall(r"(?:Returns as|and as) (isst_\w+)\(\)", text):
        if name not in seen:
            other = header.functions[name]
            owner = next(page for page in header.pages if other in page.functions)
            found |= errnos_of(other, owner, header, (*seen, name))
    return found


def returned_text(function, section, header):
    """What is said of the values that a function returns: by its comment, its section or its header."""
    if function.type != "int" or function.is_typedef:
        return ""
    if "char **error" in function.arguments:
        return function.comment.text + " " + header.introduction.returned
    if function.comment.returned:
        return function.comment.text
    if any(argument.startswith("struct isst_results **") for argument in function.arguments):
        return " ".join([function.comment.text, *(comment.returned for comment in section.comments)])
    if re.search(r"-E[A-Z]+\b", function.comment.text):
        return function.comment.text
    return ""


def is_free(function):
    """Whether the function frees its argument; NULL is permitted then."""
    return function.type == "void" and (function.name.endswith("_free") or function.name == "isst_close")


# ---- A page ----

class Page:
    """The lines of the page of a section."""

    def __init__(self, section, header, library, setting):
        self.section, self.header, self.library, self.setting = section, header, library, setting
        self.functions = [function for function in section.functions if not function.is_typedef]
        self.called = [function for function in self.functions if not function.is_macro]
        self.lines = []

    def make(self):
        for write in (self.head, self.synopsis, self.description, self.return_values, self.errors, self.memory,
                      self.threads, self.see_also, self.history):
            write()
        return "\n".join(self.lines) + "\n"

    def head(self):
        self.lines += ['.\\" Made from {} by docs/man3/man3.py.'.format(self.section.file), f".Dd {self.setting['date']}",
                       f".Dt {self.section.page.upper()} 3", f".Os isst {self.setting['version']}", ".Sh NAME"]
        names = [self.section.page] + [function.name for function in self.functions if function.name != self.section.page]
        self.lines += [f".Nm {name} ," for name in names[:-1]] + [f".Nm {names[-1]}"]
        self.lines += [f".Nd {self.brief()}", ".Sh LIBRARY", f"{self.library}", f".Pq Fl l{self.library[3:]}"]

    def brief(self):
        title = self.section.title
        return title if re.match("[A-Z]{2}", title) else title[0].lower() + title[1:]

    def synopsis(self):
        # A parameter that is a function is one word, too long for lines of equal length.
        self.lines += [".Sh SYNOPSIS", ".na", f".In {self.section.file}"]
        for function in self.section.functions:
            if not function.is_macro:
                self.lines.append(".Ft {}".format(quoted(("typedef " if function.is_typedef else "") + function.type)))
            self.lines += [f".Fo {quoted(function.name)}", *(f".Fa {quoted(argument)}" for argument in function.arguments), ".Fc"]
        self.lines.append(".ad")

    def description(self):
        self.lines.append(".Sh DESCRIPTION")
        is_list = False
        for part in self.section.parts:
            if isinstance(part, list) != is_list:
                is_list = not is_list
                self.lines.append(".Bl -tag -width Ds" if is_list else ".El")
            self.lines += self.group(part) if is_list else self.block(part)
        if is_list:
            self.lines.append(".El")
        if any("char **error" in function.arguments for function in self.called):
            self.lines += block_lines(self.header.introduction.blocks[-1:])
        self.lines = [line for number, line in enumerate(self.lines)
                      if line != ".Pp" or not re.match(r"\.(Sh|Pp|It|Bl)\b", self.lines[number - 1])]

    def block(self, comment, returns="They return"):
        """A comment; its parameters stand before what is returned."""
        split = next((i for i, block in enumerate(comment.blocks) if block[1].startswith(returns)), len(comment.blocks))
        lines = [line for name, text in comment.parameters for line in (f".It Fa {name}", *prose(text))]
        return [*block_lines(comment.blocks[:split]), *([".Bl -tag -width Ds", *lines, ".El"] if lines else []),
                *block_lines(comment.blocks[split:])]

    def group(self, parts):
        comment = parts[0].comment
        if not comment and not all(isinstance(part, Constants) for part in parts):
            fail(self.header, f"{parts[0].name} has no comment")
        same = [part for part in parts if part.comment is comment and not self.is_aside(part)]
        others = [part for part in parts if part.comment is not comment]
        lines = [line for part in same for line in self.tags(part)] + self.body(comment, same)
        for part in parts:
            if part.comment is comment and self.is_aside(part):
                name = part.objects[0].replace("isst_", "").replace("_", " ")
                lines += [*self.tags(part), f"Frees the {name};", ".Dv NULL", "is permitted."]
        return lines + (self.group(others) if others else [])

    @staticmethod
    def is_aside(part):
        """A free function below the comment of the function that makes what it frees."""
        return isinstance(part, Function) and is_free(part) and not re.search("[Ff]rees|[Cc]loses|rolled back", part.comment.text)

    def tags(self, part):
        if isinstance(part, Function):
            names = [argument.split("(*")[-1].split(")")[0] if "(*" in argument else re.sub(r".*[ *]", "", argument)
                     for argument in part.arguments if argument != "void"]
            if part.is_typedef:
                return [f".It Vt {part.name[2:-1]}"]
            return [".It Fn {}".format(" ".join([part.name, *(quoted(name) for name in names)]))]
        if part.name:
            return [f".It Vt {quoted(part.name)}"]
        return [f".It Dv {name}" for name, _ in part.entries]

    def body(self, comment, parts):
        lines = self.block(comment, "Returns ") if comment else []
        constants = [part for part in parts if isinstance(part, Constants)]
        for part in constants:
            if part.name:
                lines += self.enumeration(part.entries)
        remarks = [entry for part in constants if not part.name for entry in part.entries if entry[1]]
        if remarks and len(parts) == 1:
            lines += [".Pp", *prose(remarks[0][1])]
        elif remarks:
            lines += self.enumeration(remarks)
        return lines[1:] if lines[:1] == [".Pp"] else lines

    @staticmethod
    def enumeration(entries):
        lines = [".Bl -tag -width Ds -compact"]
        for name, remark in entries:
            if name:
                lines += [f".It Dv {name}", *prose(remark)]
            else:
                lines = lines[:-1] if lines[-1].startswith(".Bl") else lines + [".El"]
                lines += [".Pp", *ended([line.rstrip(".") for line in prose(remark)], ":"), ".Pp", ".Bl -tag -width Ds -compact"]
        return lines + [".El"]

    def failing(self):
        """{function: its errnos} of those that return errors."""
        found = ((function, errnos_of(function, self.section, self.header)) for function in self.called)
        return {function: errnos for function, errnos in found if errnos}

    def return_values(self):
        failing = list(self.failing())
        pointers = [function for function in self.called if "*" in function.type]
        certain = [function for function in pointers if not function.objects and "NULL" not in function.comment.text]
        others = [function for function in self.called if function not in failing + pointers]
        self.lines.append(".Sh RETURN VALUES")
        for functions, what in (
                (failing, prose("0 on success and a negative errno on error, unless described otherwise above.")),
                ([function for function in pointers if function not in certain],
                 ["a pointer, or", ".Dv NULL", "where described above."]),
                ([function for function in certain + others if function.type != "void"], ["the value described above."]),
                ([function for function in others if function.type == "void"], ["nothing."])):
            self.lines += sentence(functions, "returns", "return", *what)

    def errors(self):
        failing = self.failing()
        self.lines.append(".Sh ERRORS")
        if not failing:
            self.lines.append("None of these functions reports an error number.")
            return
        self.lines += prose("An error number is returned as a negative value. What each function means by "
                            "it is described above.")
        if any({"isst_context", "isst_targets", "isst_change", "isst_journal"} & set(function.objects) for function in failing):
            self.lines += prose("isst_error() of the context returns a message for users.")
        self.lines.append(".Bl -tag -width Er")
        meanings = self.setting["errors"]
        for errno in sorted(set().union(*failing.values()) - {"ENOMEM"}):
            users = [function for function, errnos in failing.items() if errno in errnos]
            if errno not in meanings:
                fail(self.header, f"{errno} has no meaning in the section on errors")
            who = listed(user.name for user in users) if len(users) < len(failing) or len(users) < 3 else ["any of them"]
            self.lines += [*error(errno, meanings[errno], ":"), *ended(who)]
        self.lines += [".It Bq Er ENOMEM", "Out of memory: any of them.", ".El"]

    def memory(self):
        """To whom belongs what is returned, and what frees it. Functions with the same owner share a sentence."""
        owned, borrowed, lines = collections.defaultdict(list), collections.defaultdict(list), []
        for function in self.called:
            if function.owned:
                what = "The object that" if "struct" in function.type else "The text that"
                owned[what, "", free_function(function.type.rstrip(" *"))].append(function)
            for type_name, name in function.handed_out:
                owned["What", name, free_function(type_name)].append(function)
            if "*" in function.type and not function.owned or function.matching(r"const struct \w+ \*\*"):
                owner = owner_of(function.objects[0], self.header) if function.objects else ("the library", None)
                borrowed[owner].append(function)
        for (what, name, free), functions in owned.items():
            verbs = ["stores in", "store in", f".Fa *{name}"] if name else ["returns", "return"]
            lines += [what, *sentence(functions, *verbs), "belongs to the caller, who frees it with", f".{free} ."]
        for (owner, end), functions in borrowed.items():
            lines += ["What", *sentence(functions, "returns", "return"), f"belongs to {owner}, and must not be freed"]
            lines += ["by the caller; it is valid until", f".Fn {end} ,", "unless described otherwise above."] if end else []
            lines[-1] += "" if end else "."
        lines += sentence([function for function in self.called if is_free(function)], "frees", "free",
                          "what the functions above returned;", ".Dv NULL", "is permitted.")
        self.lines += [".Sh MEMORY", *lines] if lines else []

    def threads(self):
        unsafe = [function for function in self.called if "Not thread-safe" in function.comment.text]
        bound = [function for function in self.called if (function.objects or is_free(function)) and function not in unsafe]
        free = [function for function in self.called if function not in bound + unsafe]
        self.lines += [".Sh THREAD SAFETY", *sentence(free, *["may be called by any thread at any time (MT-Safe)."] * 2)]
        self.lines += sentence(bound, *["may be called by several threads for different objects (MT-Safe race);"] * 2, *prose(
            "one thread at a time may use an object, and a context with everything that was made with it."))
        self.lines += sentence(unsafe, *["must not be called while other threads run (MT-Unsafe)."] * 2)

    def history(self):
        self.lines.append(".Sh HISTORY")
        groups = collections.defaultdict(list)
        for function in self.functions:
            since = re.search(r"\bSince (\d+\.\d+\.\d+)\.", function.comment.text)
            groups[since[1] if since else self.setting["since"]].append(function)
        for version in sorted(groups, key=lambda text: [int(number) for number in text.split(".")]):
            if len(groups) == 1:
                self.lines.append(f"Since version {version} of {self.library}.")
            else:
                self.lines += sentence(groups[version], *[f"since version {version} of {self.library}."] * 2)

    def see_also(self):
        own = {function.name for function in self.functions}
        text = "\n".join(self.lines)
        names = {name for name in re.findall(r"\bFn (?:\( )?(isst_\w+)", text) if name in self.setting["names"]} - own
        found = {(section, name) for name, section in re.findall(r"\bXr (?:\( )?(\S+) (\d)", text)}
        found |= {("3", name) for name in {*names, "libisst", self.library}}
        lines = [f".Xr {name} {section}" for section, name in sorted(found)]
        self.lines += [".Sh SEE ALSO", *(line + " ," for line in lines[:-1]), lines[-1]]


# ---- The overview ----

def pages_listed(header):
    """The pages by subject, in the order of the header."""
    lines = [".Bl -tag -width Ds"]
    for section in header.pages:
        names = [function.name for function in section.functions if not function.is_typedef]
        lines += [f".It {section.title}", f".Xr {section.page} 3" + (" :" if len(names) > 1 else "")]
        if len(names) > 1:
            lines += listed(name for name in names if name != section.page)
    return lines + [".El"]


def overview(template, header, directory):
    """The template with its marks replaced."""
    lines = []
    for line in template:
        mark = line[4:] if line.startswith('.\\" ') else ""
        if mark == "conventions":
            lines += block_lines([block for block in header.introduction.blocks if block[0] == "item"])
        elif mark == "errors":
            lines += [".Bl -tag -width Er"]
            lines += [line for entry in sorted(header.errors().items()) for line in error(*entry, ".")]
            lines += [".El"]
        elif mark == "pages":
            lines += pages_listed(header)
        elif mark.startswith("program "):
            # Its first line is a comment.
            text = re.sub(r"^/\*.*?\*/\n", "", (directory / mark.split()[1]).read_text("utf-8"), flags=re.S)
            lines += [".Bd -literal", *(escape(line) for line in text.rstrip("\n").split("\n")), ".Ed"]
        else:
            lines.append(line)
    return "\n".join(lines) + "\n"


def settings_of(main, template, header):
    """What is the same on all pages: main is the path of the library's header."""
    version = re.search(r'^#define ISST_VERSION "(.*)"', main.read_text("utf-8"), re.M)[1]
    main = Header([main])
    since = re.search(r"Functions and constants are as old as (\d+\.\d+\.\d+),", main.introduction.text)
    if not since:
        fail(main, "the conventions do not state since when functions exist")
    return {"version": version, "since": since[1], "errors": main.errors(), "names": {*main.functions, *header.functions},
            "date": next(line[4:] for line in template if line.startswith(".Dd "))}


def main():
    directory, template_path, *paths = map(pathlib.Path, sys.argv[1:])
    template = template_path.read_text("utf-8").split("\n")[:-1]
    header = Header(paths)
    setting = settings_of(paths[0].parent / "isst.h", template, header)
    library = template_path.name[:-len(".3.in")]
    directory.mkdir(parents=True, exist_ok=True)
    for section in header.pages:
        (directory / f"{section.page}.3").write_text(Page(section, header, library, setting).make(), "utf-8")
        for function in section.functions:
            if function.name != section.page and not function.is_typedef:
                link = directory / f"{function.name}.3"
                if link.is_symlink():
                    link.unlink()
                link.symlink_to(section.page + ".3")
    text = overview(template, header, template_path.parent)
    (directory / f"{library}.3").write_text(text.replace("@VERSION@", setting["version"]), "utf-8")


main()
