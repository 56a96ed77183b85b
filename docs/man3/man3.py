# SPDX-License-Identifier: BSD-3-Clause
"""Makes the manual pages of section 3 from the comments of the public headers: man3.py DIRECTORY HEADER OVERVIEW.in
writes into DIRECTORY a page for each section of HEADER (the lines `/* ---- TITLE ---- */`), named after its first
function; a symbolic link for each further function; and OVERVIEW, in which `.\\" conventions`, `.\\" errors`,
`.\\" pages` and `.\\" program FILE` are replaced.

What the pages contain is said in the headers alone. A function without a comment, an errno without a meaning, or a
function that returns errors without naming them, ends the run with an error."""

import os
import re
import sys
import textwrap

WIDTH = 78


class Problem(Exception):
    """The header does not have what a page needs."""


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
OPENING, CLOSING = "([", ".,:;)]?!"
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
    if kind == "Fn":
        return f"Fn {text[:-2]}"
    if kind == "Xr":
        return "Xr {} {}".format(*text[:-1].split("("))
    if kind == "Fa":
        return f"Fa {text.replace('@', '')}"
    return f"{kind} {quoted(text)}"


def around(before, call, after):
    """A macro line with what stands before and behind the mark without a blank."""
    line = call
    while before and before[-1] in OPENING and not before[:-1]:
        name, arguments = line.split(" ", 1)
        line, before = f"{name} {before[-1]} {arguments}", ""
    if before:
        line = f"No {quoted(before)} Ns {line}"
    closing = re.match("[" + re.escape(CLOSING) + "]*", after)[0]
    line += "".join(" " + char for char in closing)
    rest = after[len(closing):]
    ending = rest[len(rest.rstrip(CLOSING)):]
    rest = rest.rstrip(CLOSING)
    return "." + line + (f" Ns No {quoted(rest)}" if rest else "") + "".join(" " + char for char in ending)


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


def listed(macros):
    """Macro lines as a list in a sentence: a, b and c."""
    macros = list(macros)
    if len(macros) < 2:
        return ["." + line for line in macros]
    head = [f".{line} ," for line in macros[:-2]]
    return head + [f".{macros[-2]}", "and", f".{macros[-1]}"]


def functions_listed(functions):
    return listed(f"Fn {function.name}" for function in functions)


def ended(lines, mark="."):
    """Lines with a mark of punctuation behind the last."""
    return lines[:-1] + [lines[-1] + (" " if lines[-1].startswith(".") else "") + mark]


# ---- Comments ----

class Comment:
    """A comment of the header as blocks: ("text", words), ("item", words), ("row", name, words), ("code", lines)."""

    def __init__(self, text):
        self.parameters = []
        self.blocks = []
        for line in self.lines_of(text):
            self.add(line)
        self.split_inline()

    @staticmethod
    def lines_of(text):
        body = re.sub(r"^/\*+|\*/$", "", text)
        return [re.sub(r"^\s*\* ?", "", line).rstrip() if number else line.strip()
                for number, line in enumerate(body.split("\n"))]

    def last(self, kind):
        return bool(self.blocks) and self.blocks[-1][0] == kind

    def add(self, line):
        parameter = re.match(r"@([a-z]+): (.*)", line)
        row = re.match(r" (-?\S+)  +(\S.*)", line)
        if not line:
            self.blocks.append(("end",))
        elif parameter:
            self.blocks.append(("parameter", *parameter.groups()))
        elif line.startswith("\t"):
            self.extend("code", line[1:] + "\n", line.startswith("\t"))
        elif line.startswith(" - "):
            self.blocks.append(("item", line[3:]))
        elif row and not line.startswith("   "):
            self.blocks.append(("row", *row.groups()))
        elif line.startswith("  ") and self.last("item") or line.startswith("   ") and self.last("row"):
            self.extend(self.blocks[-1][0], " " + line.strip(), True)
        elif self.last("parameter") and not re.match("Returns |They return ", line):
            self.extend("parameter", " " + line, True)
        else:
            self.extend("text", " " + line.strip(), not line.startswith("Returns "))

    def extend(self, kind, text, join):
        if join and self.last(kind):
            *head, tail = self.blocks[-1]
            self.blocks[-1] = (*head, tail + text)
        else:
            self.blocks.append((kind, text.lstrip(" ") if kind != "code" else text))

    def split_inline(self):
        """Parameters out of the text; those within a paragraph are a sentence, or as long as the next one begins."""
        blocks = []
        for block in self.blocks:
            if block[0] == "parameter":
                self.parameters.append(block[1:])
            elif block[0] == "text":
                blocks.append(("text", self.without_inline(block[1])))
            elif block[0] != "end":
                blocks.append(block)
        self.blocks = [block for block in blocks if block != ("text", "")]

    def without_inline(self, text):
        def keep(match):
            self.parameters.append((match[1], match[2]))
            return ""
        return re.sub(r"(?:^|(?<=\s))@([a-z]+): ((?:[^.]|\.(?!\s|$)|\.\.\.)+\.)(?:\s+|$)", keep, text).strip()

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
            lines += [".It"] if block[0] == "item" else prose_tag(block[1])
            lines += prose(block[-1])
        kind = block[0]
    return lines + ([".El"] if kind in ("item", "row") else [])


def prose_tag(text):
    kind = "Er" if text.startswith("-") else "Ql"
    return [f".It {kind} {quoted(text)}"]


# ---- The header ----

class Function:
    """A declaration: what it returns, its name, and its arguments."""

    def __init__(self, text):
        text = " ".join(text.split())
        match = re.match(r"(?:ISST_API |typedef )?(.*?[ *])(\(\*\w+\)|\w+)\((.*)\);?$", text)
        self.type = match[1].strip()
        self.name = match[2]
        self.arguments = self.split(match[3])
        self.comment = None
        self.is_macro = self.is_typedef = False

    @staticmethod
    def split(text):
        """Arguments; commas within parentheses separate none."""
        found, depth = [""], 0
        for char in text:
            depth += (char == "(") - (char == ")")
            if char == "," and depth == 0:
                found.append("")
            else:
                found[-1] += char
        return [argument.strip() for argument in found]

    @property
    def owned(self):
        """Whether what it returns belongs to the caller."""
        return "*" in self.type and not self.type.startswith("const ")

    @property
    def handed_out(self):
        """Arguments by which it returns something that belongs to the caller: [(type, name)]"""
        found = []
        for argument in self.arguments:
            match = re.match(r"(struct \w+|char) \*\*(\w+)$", argument)
            if match:
                found.append(match.groups())
        return found

    @property
    def objects(self):
        """The types of the library's objects that it is given."""
        return [match[1] for match in (re.match(r"(?:const )?struct (isst_\w+) \*\w+$", argument)
                                       for argument in self.arguments) if match]


class Constants:
    """Numbers with names: of #define, or of an enum."""

    def __init__(self, name, entries):
        self.name = name
        self.entries = entries
        self.comment = None


class Section:
    """The parts of a header below a heading: comments, functions and constants, in their order."""

    def __init__(self, title):
        self.title = title
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
    """A header: its first comment, and its sections."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        self.file = os.path.basename(path)
        self.sections = []
        self.introduction = None
        self.comment = self.group = None
        for token in TOKENS.finditer(text[text.index("*/") + 2:]):
            self.take(token)
        self.functions = {function.name: function for section in self.sections for function in section.functions}
        self.pages = [section for section in self.sections if section.functions]

    def take(self, token):
        kind = {"remark": "define", "entries": "enum"}.get(token.lastgroup, token.lastgroup)
        if kind == "heading":
            self.flush()
            self.sections.append(Section(token["heading"]))
        elif kind == "comment":
            self.flush()
            self.comment = Comment(token["comment"])
        elif kind == "blank":
            self.flush()
        elif kind != "skipped" and self.sections:
            self.add(kind, token)

    def add(self, kind, token):
        """A declaration joins those before it, unless a comment or a blank line is between them."""
        if kind == "function":
            part = Function(token["function"])
        elif kind == "typedef":
            part = Function(token["typedef"])
            part.is_typedef = True
        elif kind == "macro":
            part = Function("macro " + token["macro"])
            part.is_macro = True
        elif kind == "enum":
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
                for block in comment.blocks if block[0] == "row" and block[1].startswith("-E")}


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
    name = PARTS_OF.get(type_name, type_name)
    free = FREE_FUNCTIONS.get(name, name + "_free")
    if free not in header.functions:
        raise Problem(f"{header.file}: there is no {free}() for what belongs to {type_name}")
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
    found = set(re.findall(r"-(E[A-Z]+|ISST_ERR_ROLLBACK)\b", text))
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
        self.lines += ['.\\" Made from {} by docs/man3/man3.py.'.format(self.header.file), f".Dd {self.setting['date']}",
                       f".Dt {self.section.page.upper()} 3", f".Os isst {self.setting['version']}", ".Sh NAME"]
        names = [self.section.page] + [function.name for function in self.functions if function.name != self.section.page]
        self.lines += [f".Nm {name} ," for name in names[:-1]] + [f".Nm {names[-1]}"]
        self.lines += [f".Nd {self.brief()}", ".Sh LIBRARY", f"{self.library}", f".Pq Fl l{self.library[3:]}"]

    def brief(self):
        title = self.section.title
        return title if re.match("[A-Z]{2}", title) else title[0].lower() + title[1:]

    def synopsis(self):
        # A parameter that is a function is one word, too long for lines of equal length.
        self.lines += [".Sh SYNOPSIS", ".na", f".In {self.header.file}"]
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

    def block(self, comment):
        """A comment that is for several functions."""
        split = next((i for i, block in enumerate(comment.blocks) if block[1].startswith("They return")), len(comment.blocks))
        return block_lines(comment.blocks[:split]) + self.parameters(comment) + block_lines(comment.blocks[split:])

    def parameters(self, comment):
        if not comment.parameters:
            return []
        lines = [".Bl -tag -width Ds"]
        for name, text in comment.parameters:
            lines += [f".It Fa {name}", *prose(text)]
        return lines + [".El"]

    def group(self, parts):
        comment = parts[0].comment
        if not comment and not all(isinstance(part, Constants) for part in parts):
            raise Problem(f"{self.header.file}: {parts[0].name} has no comment")
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
        lines = []
        if comment:
            parameters = self.parameters(comment)
            blocks = comment.blocks
            split = next((i for i, block in enumerate(blocks) if re.match("Returns ", block[1])), len(blocks))
            lines += block_lines(blocks[:split]) + parameters + block_lines(blocks[split:])
        for part in parts:
            if isinstance(part, Constants) and part.name:
                lines += self.enumeration(part.entries)
        remarks = [entry for part in parts if isinstance(part, Constants) and not part.name for entry in part.entries if entry[1]]
        if remarks and len(parts) == 1:
            lines += [".Pp", *prose(remarks[0][1])]
        elif remarks:
            lines += self.enumeration(remarks)
        if lines and lines[0] == ".Pp":
            lines = lines[1:]
        return lines

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
        """[(function, its errnos)] of those that return errors."""
        found = [(function, errnos_of(function, self.section, self.header)) for function in self.called]
        return [(function, errnos) for function, errnos in found if errnos]

    def return_values(self):
        self.lines.append(".Sh RETURN VALUES")
        failing = [function for function, _ in self.failing()]
        pointers = [function for function in self.called if "*" in function.type]
        certain = [function for function in pointers if not function.objects and "NULL" not in function.comment.text]
        others = [function for function in self.called if function not in failing + pointers]
        pointers = [function for function in pointers if function not in certain]
        if failing:
            self.lines += [*functions_listed(failing), "return" if len(failing) > 1 else "returns"]
            self.lines += prose("0 on success and a negative errno on error, unless described otherwise above.")
        if pointers:
            self.lines += [*functions_listed(pointers), "return" if len(pointers) > 1 else "returns", "a pointer, or",
                           ".Dv NULL", "where described above."]
        values = [function for function in certain + others if function.type != "void"]
        if values:
            self.lines += [*functions_listed(values), "return" if len(values) > 1 else "returns", "the value described above."]
        silent = [function for function in others if function.type == "void"]
        if silent:
            self.lines += [*functions_listed(silent), "return" if len(silent) > 1 else "returns", "nothing."]

    def errors(self):
        failing = self.failing()
        self.lines.append(".Sh ERRORS")
        if not failing:
            self.lines.append("None of these functions reports an error number.")
            return
        self.lines += prose("An error number is returned as a negative value. What each function means by "
                            "it is described above.")
        if any(self.sets_message(function) for function, _ in failing):
            self.lines += prose("isst_error() of the context returns a message for users.")
        self.lines.append(".Bl -tag -width Er")
        meanings = self.setting["errors"]
        for errno in sorted({errno for _, errnos in failing for errno in errnos} - {"ENOMEM"}):
            users = [function for function, errnos in failing if errno in errnos]
            if errno.startswith("E") and errno not in meanings:
                raise Problem(f"{self.header.file}: {errno} has no meaning in the section on errors")
            meaning = meanings.get(errno, "the change failed, and its rollback is incomplete")
            who = functions_listed(users) if len(users) < len(failing) or len(users) < 3 else ["any of them"]
            self.lines += [f".It Bq Er {errno}", *ended(prose(meaning[0].upper() + meaning[1:]), ":"), *ended(who)]
        self.lines += [".It Bq Er ENOMEM", "Out of memory: any of them.", ".El"]

    @staticmethod
    def sets_message(function):
        return bool({"isst_context", "isst_targets", "isst_change", "isst_journal"} & set(function.objects))

    def memory(self):
        """To whom belongs what is returned, and what frees it."""
        lines = []
        lines += self.owned()
        lines += self.borrowed()
        frees = [function for function in self.called if is_free(function)]
        if frees:
            lines += [*functions_listed(frees), "free" if len(frees) > 1 else "frees", "what the functions above returned;",
                      ".Dv NULL", "is permitted."]
        if lines:
            self.lines += [".Sh MEMORY", *lines]

    def owned(self):
        """Functions whose results are freed by the same function share a sentence."""
        groups = {}
        for function in self.called:
            if function.owned:
                kind = ("the object that" if "struct" in function.type else "the text that", "return",
                        free_function(function.type.rstrip(" *")))
                groups.setdefault(kind, []).append(function)
            for type_name, name in function.handed_out:
                kind = ("what", f"stores in .Fa *{name}", free_function(type_name))
                groups.setdefault(kind, []).append(function)
        lines = []
        for (what, verb, free), functions in groups.items():
            verb, _, place = verb.partition(" .")
            if len(functions) > 1:
                verb = verb.replace("stores", "store")
            elif verb == "return":
                verb = "returns"
            lines += [what[0].upper() + what[1:], *functions_listed(functions), verb, *(["." + place] if place else []),
                      "belongs to the caller, who frees it with", f".{free} ."]
        return lines

    def borrowed(self):
        """Functions with the same owner share a sentence."""
        groups = {}
        for function in self.called:
            arguments = [argument for argument in function.arguments if re.match(r"const struct \w+ \*\*", argument)]
            if "*" in function.type and not function.owned or arguments:
                owner = owner_of(function.objects[0], self.header) if function.objects else ("the library", None)
                groups.setdefault(owner, []).append(function)
        lines = []
        for (owner, end), functions in groups.items():
            lines += ["What", *functions_listed(functions), "return" if len(functions) > 1 else "returns",
                      f"belongs to {owner}, and must not be freed" + ("" if end else ".")]
            if end:
                lines += ["by the caller; it is valid until", f".Fn {end} ,", "unless described otherwise above."]
        return lines

    def threads(self):
        self.lines.append(".Sh THREAD SAFETY")
        unsafe = [function for function in self.called if "Not thread-safe" in function.comment.text]
        bound = [function for function in self.called if (function.objects or is_free(function)) and function not in unsafe]
        free = [function for function in self.called if function not in bound and function not in unsafe]
        if free:
            self.lines += [*functions_listed(free), "may be called by any thread at any time (MT-Safe)."]
        if bound:
            self.lines += [*functions_listed(bound), "may be called by several threads for different objects (MT-Safe race);"]
            self.lines += prose("one thread at a time may use an object, and a context with everything that was made with it.")
        if unsafe:
            self.lines += [*functions_listed(unsafe), "must not be called while other threads run (MT-Unsafe)."]

    def history(self):
        self.lines.append(".Sh HISTORY")
        groups = {}
        for function in self.functions:
            since = re.search(r"\bSince (\d+\.\d+\.\d+)\.", function.comment.text)
            groups.setdefault(since[1] if since else self.setting["since"], []).append(function)
        for version in sorted(groups, key=lambda text: [int(number) for number in text.split(".")]):
            if len(groups) == 1:
                self.lines.append(f"Since version {version} of {self.library}.")
            else:
                self.lines += [*functions_listed(groups[version]), f"since version {version} of {self.library}."]

    def see_also(self):
        own = {function.name for function in self.functions}
        text = "\n".join(self.lines)
        names = {name for name in re.findall(r"\bFn (?:\( )?(isst_\w+)", text) if name in self.setting["names"]} - own
        found = {(section, name) for name, section in re.findall(r"\bXr (?:\( )?(\S+) (\d)", text)}
        found |= {("3", name) for name in names} | {("3", "libisst")}
        if self.library != "libisst":
            found.add(("3", self.library))
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
            lines += listed(f"Fn {name}" for name in names if name != section.page)
    return lines + [".El"]


def program_lines(path):
    """A program without the comment that is its first line."""
    with open(path, encoding="utf-8") as file:
        text = re.sub(r"^/\*.*?\*/\n", "", file.read(), flags=re.S)
    return [".Bd -literal", *(escape(line) for line in text.rstrip("\n").split("\n")), ".Ed"]


def overview(template, header, directory):
    """The template with its marks replaced."""
    lines = []
    for line in template:
        mark = line[4:] if line.startswith('.\\" ') else ""
        if mark == "conventions":
            lines += block_lines([block for block in header.introduction.blocks if block[0] == "item"])
        elif mark == "errors":
            lines += [".Bl -tag -width Er"]
            for errno, meaning in sorted(header.errors().items()):
                lines += [f".It Bq Er {errno}", *ended(prose(meaning[0].upper() + meaning[1:]))]
            lines.append(".El")
        elif mark == "pages":
            lines += pages_listed(header)
        elif mark.startswith("program "):
            lines += program_lines(os.path.join(directory, mark.split()[1]))
        else:
            lines.append(line)
    return "\n".join(lines) + "\n"


def write(directory, name, text):
    with open(os.path.join(directory, name + ".3"), "w", encoding="utf-8") as file:
        file.write(text)


def link(directory, name, page):
    path = os.path.join(directory, name + ".3")
    if os.path.lexists(path):
        os.remove(path)
    os.symlink(page + ".3", path)


def settings_of(library_header, template, headers):
    """What is the same on all pages."""
    with open(library_header, encoding="utf-8") as file:
        version = re.search(r'^#define ISST_VERSION "(.*)"', file.read(), re.M)[1]
    main = Header(library_header)
    since = re.search(r"Functions and constants are as old as (\d+\.\d+\.\d+),", main.introduction.text)
    if not since:
        raise Problem(f"{main.file}: the conventions do not state since when functions exist")
    return {"version": version, "since": since[1], "errors": main.errors(),
            "date": next(line[4:] for line in template if line.startswith(".Dd ")),
            "names": {name for header in (main, *headers) for name in header.functions}}


def main():
    directory, path, template_path = sys.argv[1:]
    with open(template_path, encoding="utf-8") as file:
        template = file.read().split("\n")[:-1]
    header = Header(path)
    setting = settings_of(os.path.join(os.path.dirname(path), "isst.h"), template, [header])
    library = os.path.basename(template_path)[:-len(".3.in")]
    os.makedirs(directory, exist_ok=True)
    for section in header.pages:
        write(directory, section.page, Page(section, header, library, setting).make())
        for function in section.functions:
            if function.name != section.page and not function.is_typedef:
                link(directory, function.name, section.page)
    text = overview(template, header, os.path.dirname(template_path))
    write(directory, library, text.replace("@VERSION@", setting["version"]))


try:
    main()
except Problem as problem:
    raise SystemExit(f"man3.py: {problem}") from None
