#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks the outputs of --format json-v2: schema.py ROOT BUILD SCRATCH. Speaks TAP.

Each command of outputs.py is run as text, json and json-v2, in the same order on machines in the same state.
- Every json-v2 document is valid (with python3-jsonschema; without it this is skipped).
- So are those of all command lines of the command cases.
- Every value of json, which has those of the text tree, is in json-v2 at its place, by the names of docs/json-v2.md.
- Every number of the text is in json-v2: screens and sentences, too, but for maps, whose letters stand for words of json.
- What --get prints is what the document has at the path.
- The table of docs/json-v2.md and the types of docs/isst.schema.json are those of the program.
"""

import difflib
import json
import os
import re
import shlex
import subprocess
import sys

import outputs
import suite

try:
    import jsonschema
except ImportError:
    jsonschema = None

ROOT, BUILD, SCRATCH = sys.argv[1:4]
# Everything, or a sample.
LARGE = os.environ.get("ISST_LARGE") == "yes"
FORMATS = ["text", "json", "json-v2"]
# What differs from run to run.
VOLATILE = {"age(s)", "time", "timestamp(s)", "files-opened", "driver-calls", "commands"}


class Tap:
    count = failed = 0

    def report(self, what, problems, skip=None):
        self.count += 1
        print(f"{'not ok' if problems else 'ok'} {self.count} - {what}" + (f" # SKIP {skip}" if skip else ""), flush=True)
        for problem in problems[:10]:
            print("# " + problem.replace("\n", "\n# "))
        self.failed += bool(problems)


# ---- Running ----

class Machine:
    """A machine of its own for each format of a scenario."""

    def __init__(self, platform, number, fmt):
        path = f"{ROOT}/tests/platforms/{platform}.platform"
        self.directory = f"{SCRATCH}/{number}-{fmt}"
        self.state = self.directory + "/state"
        os.makedirs(self.state)
        self.fmt = fmt
        self.environment = dict(os.environ, ISST_EMULATE=path if os.path.exists(path) else platform,
                                ISST_EMULATE_STATE=self.state)

    def step(self, line):
        """Carries out a step. Returns what it wrote and its status; None: it was no command."""
        if line.startswith("fault "):
            with open(self.state + "/faults", "a", encoding="utf-8") as faults:
                faults.write(line[6:] + "\n")
            return None
        if line == "no faults":
            if os.path.exists(self.state + "/faults"):
                os.unlink(self.state + "/faults")
            return None
        killed = line.startswith("kill ")
        words = shlex.split(line[5:] if killed else line)
        result = self.run(["--format", self.fmt] + [word.replace("SCRATCH", self.directory) for word in words])
        if killed:
            assert result.returncode < 0, line
            return None
        return result.stdout.replace(self.directory, "SCRATCH"), result.returncode, result.stderr

    def run(self, words):
        return subprocess.run([BUILD + "/isst"] + words, env=self.environment, cwd=self.directory, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, errors="replace", check=False, timeout=120)


def run_scenario(number, platform, steps):
    """All commands: each with what it wrote as text, json and json-v2."""
    machines = [Machine(platform, number, fmt) for fmt in FORMATS]
    for line in steps:
        results = [machine.step(line) for machine in machines]
        if results[0] is not None:
            yield line, results


# ---- json and json-v2 ----

class Keys:
    def __init__(self, rows):
        self.rows = rows
        for row in rows:
            pattern = re.escape(row["key"]).replace(r"\#", "(?P<index>[0-9]+)")
            if row["plain_variant"]:
                pattern = pattern.replace(r"\*\-", r"(?:(?P<variant>.+)\-)?")
            row["pattern"] = re.compile("^" + pattern.replace(r"\*", "(?P<variant>.+)") + "$")

    def find(self, name, step=False):
        """The rows that a key of json may be of, with index or variant."""
        for row in self.rows:
            match = row["pattern"].match(name)
            if match and row["step"] == step:
                parts = match.groupdict()
                index = int(parts["index"]) if parts.get("index") else parts.get("variant")
                yield row, row["plain_variant"] if "variant" in parts and index is None else index


def is_same(row, kind, old, new):
    """Whether a value of json-v2 is what json has as text."""
    if old == row["unknown"]:
        return new is None
    if kind == "number":
        return isinstance(new, int) and not isinstance(new, bool) and old == f"{new}{row['suffix'] or ''}"
    if kind == "result":
        return re.sub(r"\(error -[0-9]+\)$", "", old) == new
    if kind == "boolean":
        return isinstance(new, bool) and old == row["on" if new else "off"]
    if kind == "CPUs":
        if not isinstance(new, dict):
            return False
        return old in ((",".join(map(str, new["list"])), new["ranges"]) if new["list"] else ("none",))
    return old == new


def elements(parent, row, index):
    return [element for element in parent.get(row["name"], [])
            if isinstance(element, dict) and element.get(row["index"]) == index]


def find_values(row, index, new):
    """What an object of json-v2 has for a key: values, or elements of an array."""
    if row["name"] not in new:
        return []
    if row["value"] and index is None:
        index = row["element"]
    return elements(new, row, index) if row["type"] == "array" else [new[row["name"]]]


def is_none(row, old):
    """Whether text and json have words or zeros for what there is none of: json-v2 is without."""
    if isinstance(old, dict):
        return row["name"] == "buckets" and set(old.values()) == {"0"}
    return old == row["special"] or (row["name"] == "max_turbo_mhz" and old == "0")


def compare_member(keys, name, old, new, path):
    """Compares a member of json with the object of json-v2 that it should be in. Returns problems."""
    problems = [f"{path}: no key {name}"]
    for row, index in keys.find(name):
        place = f"{path}.{row['name']}"
        found = find_values(row, index, new)
        failed = re.fullmatch(r"failed\(error -([0-9]+)\)", old) if row["type"] == "result" and isinstance(old, str) else None
        if not found and is_none(row, old):
            problems = []
        elif (new.get("errno") if row["type"] == "result" and isinstance(old, str) else None) != (int(failed[1]) if failed else None):
            problems = [f"{place}: errno {new.get('errno')} for {old!r}"]
        elif len(found) != 1:
            problems = [f"{place}: {len(found)} for {name}"]
        elif isinstance(old, dict):
            problems = compare_object(keys, old, found[0], place) if isinstance(found[0], dict) else [f"{place}: no object"]
        else:
            value, kind = (found[0][row["value"]], row["value_type"]) if row["value"] else (found[0], row["type"])
            same = name in VOLATILE or is_same(row, kind, old, value)
            problems = [] if same else [f"{place}: {value!r} is not {old!r}"]
        if not problems:
            break
    return problems


def compare_object(keys, old, new, path):
    return [problem for name, value in old.items() for problem in compare_member(keys, name, value, new, path)]


def find_unit(keys, name, new):
    """The element of json-v2 for a path such as package-0:die-0:cpu-0."""
    place = {}
    for step in name.split(":"):
        row, index = next(keys.find(step, step=True))
        place[row["name"]] = index
    units = new.get("domains", []) + new.get("cpus", []) + new.get("packages", [])
    return [unit for unit in units if all(unit.get(name) == value for name, value in place.items())]


def is_unit(keys, name):
    return all(any(keys.find(step, step=True)) for step in name.split(":")) and not any(keys.find(name))


def without_places(text):
    """A message without what differs where messages of several places are joined."""
    return LISTED.sub(r"\1", re.sub(r"(; (package|die|power domain|CPU)s? [-0-9,]+|, (die|power domain)s? [-0-9,]+)+", "", text))


def compare_messages(old, new):
    """Messages of json-v2 are joined within a place alone: there may be several for one of json."""
    if [text for _, text in old] == [text for _, text in new]:
        return [] if old == new else ["messages have other severities"]
    kinds = [{(error, without_places(re.sub(r"-USR1 \d+|\d+ seconds? ago", "N", text))) for error, text in messages}
             for messages in (old, new)]
    return [f"in one document: {message}" for message in sorted(kinds[0] ^ kinds[1])] + \
        ([] if len(new) >= len(old) else ["json has more messages"])


def compare_steps(old, new):
    """json has the words that are written, json-v2 each field that changes."""
    targets = [step["target"] for step in new]
    return [f"no step of {step['target']}" for step in old.values()
            if not any(is_field(step["target"], target) for target in targets)]


def is_field(register, target):
    place, colon, thing = register.rpartition(": ")
    return any(target == name or target.startswith(name + " ")
               for name in [place + colon + word for word in FIELDS.get(thing, [thing])])


def compare_documents(keys, old, new):
    problems, messages = [], []
    if new.get("command") == "--info" and new.get("packages"):
        new = {**new, **new["packages"][0]}
    for name, value in old.items():
        if re.match(r"(Error|Information:)[0-9]+$", name):
            messages.append((name.startswith("Error"), value["message"]))
        elif name == "dry-run":
            problems += compare_steps(value, new["dry_run"]["steps"])
        elif ":" in name or (is_unit(keys, name) and isinstance(value, dict) and not
                             any(element.get("package") == int(name.split("-")[1]) for element in new.get("packages", []))):
            units = find_unit(keys, name, new)
            problems += compare_object(keys, value, units[0], name) if len(units) == 1 else [f"{name}: {len(units)} units"]
        else:
            problems += compare_member(keys, name, value, new, "")
    return problems + compare_messages(messages, [(message["severity"] == "error", message["text"]) for message in new["messages"]])


def leaves(value):
    if isinstance(value, dict):
        for member in value.values():
            yield from leaves(member)
    elif isinstance(value, list):
        for member in value:
            yield from leaves(member)
    else:
        yield value


def compare_text(text, new):
    """Numbers and CPUs of the text that json-v2 has nowhere."""
    known = set()
    for value in leaves(new):
        known.update(re.findall(r"[0-9]+", str(value)))
    lines = [line for line in text.splitlines()
             if not re.match(r"Intel\(R\) Speed Select|Executing on CPU|Emulated machine", line)]
    found = set(re.findall(r"(?<![0-9a-fx])[0-9]+(?![0-9a-fx])", re.sub(r"-USR1 \d+|age\(s\):\d+|AVX-512|bucket-\d+", "", "\n".join(lines))))
    return [f"{number} of the text is nowhere" for number in sorted(found - known)]


# ---- Single values ----

def paths(value, path=""):
    """Paths of all values that are neither objects nor arrays."""
    if isinstance(value, dict):
        for name, member in value.items():
            yield from paths(member, f"{path}.{name}" if path else name)
    elif isinstance(value, list):
        for index, member in enumerate(value):
            yield from paths(member, f"{path}[{index}]")
    else:
        yield path, value


def raw(value):
    return value if isinstance(value, str) else json.dumps(value)


def check_values(machine, line):
    """--get prints the values of a document: the first of each name, and the last of all."""
    document = json.loads(machine.step(line)[0])
    chosen = {}
    for path, value in paths(document):
        chosen.setdefault(re.sub(r"\[[0-9]+\]", "[]", path), (path, value))
    units = "domains" if document["domains"] else "cpus"
    chosen["last"] = list(paths(document[units], units))[-1]
    problems = []
    for path, value in chosen.values():
        output, status, _ = machine.step(f"--get {path} {line}")
        if (output, status) != (raw(value) + "\n", document["exit_status"]):
            problems.append(f"{path}: {output!r}, status {status}, for {value!r}")
    return problems


# ---- Table and schema ----

def type_words(row):
    """How the document's table describes a key."""
    kind = "string, `errno`" if row["type"] == "result" else row["type"]
    if row["value"]:
        return (f"array of `{row['index']}` ({'string' if '*' in row['key'] else 'number'}), `{row['value']}` "
                f"({row['value_type']})")
    if row["index"]:
        return f"array by `{row['index']}`" if row["type"] == "array" else f"object with `{row['index']}`"
    return kind


def check_table(rows):
    """The table of names in docs/json-v2.md is that of the rows; make docs-json-v2 writes it."""
    path = ROOT + "/docs/json-v2.md"
    table = "".join(dict.fromkeys(f"| `{row['key']}` | `{row['name']}` | {type_words(row)} |\n" for row in rows))
    with open(path, encoding="utf-8") as document:
        text = document.read()
    made = re.sub(r"(\n## Names\n.*?\n\|---\|---\|---\|\n)(\|[^\n]*\n)*", lambda found: found[1] + table, text, flags=re.S)
    if os.environ.get("ISST_UPDATE_DOCS"):
        with open(path, "w", encoding="utf-8") as document:
            document.write(made)
        sys.exit()
    return [line for line in difflib.unified_diff(text.splitlines(), made.splitlines(), "docs/json-v2.md", "keys.def", "", "", 0)]


def check_types(rows):
    """One name has one type."""
    types, problems = {}, []
    for row in rows:
        pairs = [(row["name"], "string" if row["type"] == "result" else row["type"])]
        if row["value"]:
            pairs.append((row["value"], row["value_type"]))
        if row["index"]:
            pairs.append((row["index"], "string" if "*" in row["key"] else "number"))
        for name, kind in pairs:
            if types.setdefault(name, kind) != kind:
                problems.append(f"{name} is {types[name]} and {kind}")
            if not re.match(r"[a-z][a-z0-9]*(_[a-z0-9]+)*$", name):
                problems.append(f"{name} is no lower_snake_case")
    return problems


def schema_kind(schema, definition):
    """The word of the key table for a type of the schema."""
    while "$ref" in definition:
        name = definition["$ref"].rsplit("/", 1)[1]
        if name in ("number", "boolean", "string"):
            return name
        if name == "cpus":
            return "CPUs"
        definition = schema["$defs"][name]
    if "enum" in definition or "const" in definition:
        values = definition.get("enum", [definition.get("const")])
        return "string" if all(isinstance(value, (str, type(None))) for value in values) else "number"
    kind = definition.get("type")
    kind = [word for word in kind if word != "null"][0] if isinstance(kind, list) else kind
    return {"integer": "number"}.get(kind, kind)


def check_schema(rows, schema):
    """The schema has the types of the key table, and all its names."""
    types = {row["name"]: "string" if row["type"] == "result" else row["type"] for row in rows}
    problems, seen = [], set()
    for where, definition in [("document", schema)] + list(schema["$defs"].items()):
        for name, member in definition.get("properties", {}).items():
            kind = schema_kind(schema, member)
            seen.add(name)
            # The array of CPUs at the top, beside domains.
            if name in types and kind != types[name] and (where, name) != ("document", "cpus"):
                problems.append(f"{where}: {name} is {kind}, not {types[name]}")
    return problems + [f"{name} is missing" for name in sorted(set(types) - seen)]


def table_column(text, heading):
    """The words in the first column of the table below a heading of docs/json-v2.md."""
    rows = re.findall(r"^\| (`[^|]*) \|", text.partition(f"# {heading}\n")[2].partition("\n#")[0], re.M)
    return [word for row in rows for word in re.findall(r"`([a-z-]+)`", row)]


def check_codes(library, schema):
    """docs/json-v2.md and the schema have the same codes of messages, and those of the library."""
    with open(ROOT + "/docs/json-v2.md", encoding="utf-8") as file:
        text = file.read()
    documented, notes = table_column(text, "Warnings of changes"), table_column(text, "Codes of messages")
    warnings = [code for code in library if code not in notes]
    codes = schema["$defs"]["message"]["properties"]["code"]["enum"]
    problems = [] if documented == warnings else [f"documented warnings: {documented}", f"those of the library: {warnings}"]
    documented = set(notes + documented)
    problems += [f"{code}: documented, or in the schema, alone" for code in sorted(documented ^ set(codes))]
    return problems + [f"{code} is twice in the schema" for code in set(codes) if codes.count(code) > 1]


# ---- Commands ----

def section(text, heading):
    return re.findall(r"^  ([a-z][a-z-]*) ", text.partition(heading + ":\n")[2].partition("\n\n")[0], re.M)


def check_commands(tried):
    """Every command that help lists is tried."""
    def run_help(*words):
        return subprocess.run([BUILD + "/isst", *words, "--help"], capture_output=True, text=True, check=True).stdout

    top = run_help()
    commands = set(re.findall(r"^ *(?:Usage: )?isst \[OPTIONS\] ([a-z]+)\b", top, re.M))
    commands |= {f"{feature} {command}" for feature in section(top, "Features")
                 for command in section(run_help(feature), "Commands")}
    missing = [command for command in commands - outputs.WITHOUT_RESULT
               if not any(re.search(rf"(^| ){command}( |$)", line) for line in tried)]
    return [f"not tried: {command}" for command in sorted(missing)] + ([] if len(commands) > 30 else ["too few commands"])


# ---- All of it ----

def numbers_of(text):
    """The numbers of a list such as 0-2,5."""
    return {number for part in text.split(",") for number in range(int(part.split("-")[0]), int(part.split("-")[-1]) + 1)}


LISTED = re.compile(r"(CPU|package|die|power domain|core|CLOS)s? (\d+(?:[-,]\d+)*)")
# A register is named by its fields.
FIELDS = {"CLOS and priority type": ["use of CLOS", "core-power", "priority"], "turbo-freq and base-freq": ["turbo-freq", "base-freq"]}


def split_target(target):
    """What a target is without its numbers, and these, one dictionary for each place that it names."""
    places, _, thing = target.partition(": ")
    kinds = [{kind: numbers_of(numbers) for kind, numbers in LISTED.findall(place + ": " + thing)} for place in places.split("; ")]
    return LISTED.sub(r"\1", thing), kinds


def is_in_line(step, line):
    thing, (numbers,) = split_target(step)
    line_thing, places = split_target(line)
    words = FIELDS.get(thing, [thing])
    return (line_thing in words or line_thing.startswith(thing + " ")) and \
        any(place.keys() == numbers.keys() and all(numbers[kind] <= place[kind] for kind in numbers) for place in places)


def check_joined(text, steps):
    """Lines of a dry run that are joined hide no step of the document. They name the CPUs of cores."""
    lines = re.findall(r"^Would change (.*): [^:]* -> [^:]*$", text, re.M)
    cores = [step for step in steps if ": CLOS of core " in step["target"]]
    cpus = [numbers_of(numbers) for line in lines for numbers in re.findall(r"^CLOS of CPUs? (\S+)$", line)]
    hidden = [f"in no line: {step['target']}" for step in steps
              if step not in cores and not any(is_in_line(step["target"], line) for line in lines)]
    return hidden + (["fewer CPUs than cores have another CLOS"] if len(set().union(*cpus)) < len(cores) else [])


def check_run(line, results, keys, validator):
    """Problems of a command in all formats."""
    (text, text_status, _), (old, _, _), (new, status, errors) = results
    try:
        old, new = json.loads(old), json.loads(new)
    except ValueError as error:
        return [str(error), old if isinstance(old, str) else new, errors]
    problems = compare_documents(keys, old, new)
    if "dry_run" in new:
        problems += check_joined(text, new["dry_run"]["steps"])
    elif "--map" not in line:
        problems += compare_text(text, new)
    if not status == text_status == new["exit_status"]:
        problems.append(f"statuses {text_status}, {status}, {new['exit_status']}")
    if validator:
        problems += [f"{error.json_path}: {error.message}" for error in validator.iter_errors(new)]
    return problems


def platforms():
    listed = subprocess.run([BUILD + "/isst", "platform", "list"], capture_output=True, text=True, check=True).stdout
    files = sorted(os.listdir(ROOT + "/tests/platforms"))
    return [line.split()[0] for line in listed.splitlines()] + \
           [name[:-len(".platform")] for name in files if name.endswith(".platform")]


def check_everywhere(tap, keys, validator):
    for platform in platforms()[::1 if LARGE else 12]:
        problems = []
        for line, results in run_scenario("on-" + platform, platform, outputs.EVERYWHERE):
            problems += [f"{line}: {problem}" for problem in check_run(line, results, keys, validator)]
        tap.report(f"on {platform}", problems)


def check_document(result, validator):
    """Problems of a document by itself."""
    try:
        document = json.loads(result.stdout)
    except ValueError as error:
        return [str(error), result.stdout, result.stderr]
    if document.get("exit_status") != result.returncode:
        return [f"status {result.returncode}, not {document.get('exit_status')}"]
    return [f"{error.json_path}: {error.message}" for error in validator.iter_errors(document)] if validator else []


def check_suite(tap, validator):
    """The command lines of the cases: of all with the large machines, otherwise of each fortieth; those that write elsewhere, or are
    ended by a signal, have no document."""
    count = 0
    every = 1 if LARGE else 40
    problems = []
    for name, platform, steps in suite.cases(ROOT, every):
        machine = Machine(platform, "case-" + name, "json-v2")
        for step in steps:
            if isinstance(step, str):
                machine.step(step)
                continue
            result = machine.run(step)
            if result.returncode < 0 or not result.stdout:
                continue
            count += 1
            problems += [f"{name}: {shlex.join(step)}: {problem}" for problem in check_document(result, validator)]
    tap.report("documents of the command cases", problems if count > 2000 // every else problems + [f"only {count} documents"])


def main():
    tap = Tap()
    tables = json.loads(subprocess.run([BUILD + "/tests/schema/keys"], capture_output=True, check=True).stdout)
    rows = tables["keys"]
    with open(ROOT + "/docs/isst.schema.json", encoding="utf-8") as file:
        schema = json.load(file)
    tap.report("a name has one type", check_types(rows))
    tap.report("docs/json-v2.md has the table of the program", check_table(rows))
    tap.report("docs/isst.schema.json has the types of the program", check_schema(rows, schema))
    tap.report("codes of messages are documented, and in the schema", check_codes(tables["codes"], schema))
    validator = None
    if jsonschema:
        jsonschema.Draft202012Validator.check_schema(schema)
        validator = jsonschema.Draft202012Validator(schema)
    else:
        tap.report("documents are valid", [], "python3-jsonschema is not installed")
    keys = Keys(rows)
    tried = []
    for number, (name, platform, steps) in enumerate(outputs.SCENARIOS):
        for line, results in run_scenario(number, platform, steps):
            tried.append(line)
            tap.report(f"{name}: {line}", check_run(line, results, keys, validator))
    check_everywhere(tap, keys, validator)
    check_suite(tap, validator)
    tap.report("every command is tried", check_commands(tried))
    for number, (platform, line) in enumerate(outputs.SINGLE_VALUES):
        tap.report(f"single values, {platform}: {line}", check_values(Machine(platform, f"value{number}", "json-v2"), line))
    print(f"1..{tap.count}")
    return tap.failed > 0


if __name__ == "__main__":
    sys.exit(main())
