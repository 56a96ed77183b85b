#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks the order of layers (docs/internals/architecture.md): layers.py BUILD, or layers.py --self-test.

Includes are read from the sources below src. Calls are read from the symbols of the objects below
BUILD/src, so that a declaration without an include is found, too. Within a folder that is named in
WITHOUT_CIRCLES no files may call each other in a circle, nor headers include each other in one. The
document has a table of the files of each layer in TABLES: all of them, and no others.
"""

import collections
import fnmatch
import os
import re
import subprocess
import sys
import tempfile

# Each folder, with all that it may include and call: folders, or single headers. Folders and headers
# that do not exist yet may be named.
PUBLIC_HEADERS = ["isst.h", "isst-config.h", "isst-explain.h", "isst-journal.h"]
LAYERS = {
    "common": ["isst.h"],
    "base": ["common", *PUBLIC_HEADERS],
    "driver": ["base", "common", *PUBLIC_HEADERS],
    "sysfs": ["driver", "base", "common", *PUBLIC_HEADERS],
    "firmware": ["sysfs", "driver", "base", "common", *PUBLIC_HEADERS],
    "topology": ["firmware", "sysfs", "driver", "base", "common", *PUBLIC_HEADERS],
    "transaction": ["topology", "firmware", "sysfs", "driver", "base", "common", *PUBLIC_HEADERS],
    "features": ["transaction", "topology", "firmware", "sysfs", "driver", "base", "common", *PUBLIC_HEADERS],
    "configuration": ["features/core_choice.h", "base", "common", *PUBLIC_HEADERS],
    "state": ["configuration", "features", "transaction", "topology", "firmware", "sysfs", "driver", "base", "common",
              *PUBLIC_HEADERS],
    "explain": ["state", "configuration", "transaction", "features", "topology", "firmware", "sysfs", "driver", "base", "common", *PUBLIC_HEADERS],
    "library": ["explain", "state", "configuration", "common", "features", "transaction", "topology", "firmware", "sysfs", "driver", "base", *PUBLIC_HEADERS],
    "cli": ["common", *PUBLIC_HEADERS, "isst-emulator.h"],
    "emulator": ["base", "common", "driver/abi.h", "isst.h", "isst-emulator.h"],
    "preload": ["emulator/launch/cpuid.h"],
}

# Folders within a layer: each may include and call those before it. BESIDE stands for the files beside these folders;
# without it they come before all of them. Checked once the first of the folders exists.
BESIDE = None
PARTS = {
    "emulator": [BESIDE, "model", "capture", "state", "firmware", "kernel", "front", "launch"],
    "cli": ["process", "text", "arguments", "report", "render", "run", "status", "commands", BESIDE],
}

WITHOUT_CIRCLES = ["common", "base", "driver", "sysfs", "firmware", "topology", "transaction", "features", "configuration", "state", "explain", "library",
                   "emulator/model", "emulator/capture", "emulator/state", "emulator/firmware",
                   "emulator/kernel", "emulator/front", "emulator/launch", "cli", "cli/process", "cli/text", "cli/arguments", "cli/report",
                   "cli/render", "cli/run", "cli/status", "cli/commands", "preload"]

# Layers whose files stand in a table of the document, headed `| file of `LAYER` |`, each by its name or a pattern.
TABLES = ["library", "configuration", "state", "transaction"]
DOCUMENT = "docs/internals/architecture.md"

# Layers that are not checked yet: the order of their parts, or circles in a folder.
NOT_YET = set()

# Sources of which a configuration has no objects: the emulator's, or what stands for it; with a C library
# other than glibc the preload library's.
STAND_INS = {"emulator/none.c"}
OPTIONAL = {"emulator", "preload"}

# What a layer above may call of one that it must not know: functions of the public headers.
PUBLIC = re.compile(r"isst_")

INCLUDE = re.compile(r'^\s*#\s*include\s+(["<])([^">]+)[">]', re.MULTILINE)


def sources(root):
    """The sources, as paths below src without their endings: `base/cpuset`."""
    for folder, _, names in sorted(os.walk(os.path.join(root, "src"))):
        for name in sorted(names):
            if name.endswith((".c", ".h")):
                yield os.path.relpath(os.path.join(folder, name), os.path.join(root, "src"))


def layer_of(path):
    return path.split("/")[0]


def part_of(path):
    """`model` for `emulator/model/platform.c`; BESIDE for a file that is in no part."""
    folders = path.split("/")
    return folders[1] if len(folders) > 2 else BESIDE


def has_parts(root, layer):
    return any(os.path.isdir(os.path.join(root, "src", layer, part)) for part in PARTS.get(layer, []) if part is not BESIDE)


def is_allowed(root, user, used, not_yet):
    """Whether a file may include or call what is in another one, both as paths below src."""
    layer, other = layer_of(user), layer_of(used)
    if layer == other:
        if layer in not_yet or not has_parts(root, layer):
            return True
        order = PARTS[layer]
        here, there = part_of(user), part_of(used)
        if here == there:
            return True
        return here in order and there in order and order.index(there) < order.index(here)
    return other in LAYERS.get(layer, []) or used in LAYERS.get(layer, [])


def find_header(root, user, name):
    """The path below src of an included header; its plain name where it is in include/."""
    if os.path.exists(os.path.join(root, "src", name)):
        return name
    beside = os.path.normpath(os.path.join(os.path.dirname(user), name))
    if os.path.exists(os.path.join(root, "src", beside)):
        return beside
    return name


def read_includes(root):
    includes = {}
    for path in sources(root):
        with open(os.path.join(root, "src", path), encoding="utf-8") as file:
            includes[path] = [find_header(root, path, name) for bracket, name in INCLUDE.findall(file.read())
                              # What is found among the sources is theirs, however it is written.
                              if bracket == '"' or os.path.exists(os.path.join(root, "src", name))]
    return includes


def check_includes(root, includes, not_yet):
    for path, headers in includes.items():
        if layer_of(path) not in LAYERS:
            yield f"src/{path}: its folder is in no layer: name it in tests/layers.py"
            continue
        for header in headers:
            if not is_allowed(root, path, header, not_yet):
                yield f"src/{path} includes {header}, which its layer must not know"


def object_of(build, path):
    return os.path.join(build, "src", path[:-2] + ".o")


def check_objects(root, build):
    """Without its object a file calls nothing, and has no mistake."""
    missing = collections.defaultdict(list)
    layers = collections.Counter()
    for path in sources(root):
        if path.endswith(".c") and path not in STAND_INS:
            layers[layer_of(path)] += 1
            if not os.path.exists(object_of(build, path)):
                missing[layer_of(path)].append(path)
    for layer, paths in missing.items():
        if layer not in OPTIONAL or len(paths) < layers[layer]:
            yield f"{build} lacks {len(paths)} of {layers[layer]} objects of src/{layer}, such as that of " \
                  f"src/{paths[0]}: build first"


def read_symbols(path):
    """The global symbols that an object defines, and those that it needs."""
    defined, needed = set(), set()
    text = subprocess.run(["nm", path], check=True, capture_output=True, text=True).stdout
    for line in text.splitlines():
        kind, name = line.split()[-2:]
        if kind == "U":
            needed.add(name)
        elif kind.isupper():
            defined.add(name)
    return defined, needed


def read_exported(path):
    """The global symbols of an object that are not hidden."""
    lines = subprocess.run(["readelf", "-sW", path], check=True, capture_output=True, text=True).stdout.splitlines()
    fields = [line.split() for line in lines if " GLOBAL " in line or " WEAK " in line]
    return {words[7] for words in fields if len(words) > 7 and words[5] == "DEFAULT"}


def read_owners(objects, build):
    """Which files define a name. The functions that the preload library exports are those of libc: who calls such a
    name means libc's."""
    owners = collections.defaultdict(list)
    for path, (defined, _) in objects.items():
        if layer_of(path) == "preload":
            defined = defined - read_exported(object_of(build, path))
        for name in defined:
            owners[name].append(path)
    return owners


def read_calls(root, build, not_yet):
    """Which file needs which symbols of which other file: calls[user][used] is a set of names."""
    objects = {path: read_symbols(object_of(build, path)) for path in sources(root)
               if path.endswith(".c") and os.path.exists(object_of(build, path))}
    owners = read_owners(objects, build)
    calls = {path: collections.defaultdict(set) for path in objects}
    for path, (_, needed) in objects.items():
        for name in needed.intersection(owners):
            # Layers that are not linked with each other may use the same name.
            allowed = [owner for owner in owners[name] if is_allowed(root, path, owner, not_yet)]
            calls[path][(allowed or owners[name])[0]].add(name)
    return calls


def may_call(root, user, used, name, not_yet):
    if is_allowed(root, user, used, not_yet):
        return True
    layer = LAYERS.get(layer_of(user), [])
    if PUBLIC.match(name) and ("isst.h" in layer or "isst-emulator.h" in layer):
        # Of the layers below, or of the public face of those that it must not know.
        return layer_of(user) in ("cli", "preload", "common")
    # A function of a header that is allowed, in a file of its name.
    return used[:-2] + ".h" in layer


def check_calls(root, calls, not_yet):
    for user, others in calls.items():
        for used, names in sorted(others.items()):
            for name in sorted(names):
                if not may_call(root, user, used, name, not_yet):
                    yield f"src/{user} calls {name}() of src/{used}, which its layer must not know"


def find_circles(graph):
    """The sets of nodes that reach each other (Tarjan's algorithm)."""
    index, low, stack, circles = {}, {}, [], []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in sorted(graph.get(node, ())):
            if other not in index:
                visit(other)
            if other in stack:
                low[node] = min(low[node], low[other])
        if low[node] == index[node]:
            circle = stack[stack.index(node):]
            del stack[stack.index(node):]
            if len(circle) > 1:
                circles.append(sorted(circle))

    for node in sorted(graph):
        if node not in index:
            visit(node)
    return circles


def check_circles(graph, what, not_yet):
    for folder in WITHOUT_CIRCLES:
        if folder in not_yet:
            continue
        within = {path: {other for other in others if os.path.dirname(other) == folder}
                  for path, others in graph.items() if os.path.dirname(path) == folder}
        for circle in find_circles(within):
            yield f"{what} each other in a circle: " + ", ".join("src/" + path for path in circle)


def read_tables(root):
    """The names in the first column of each table of files, by its layer."""
    tables, layer = {}, None
    with open(os.path.join(root, DOCUMENT), encoding="utf-8") as file:
        for line in file:
            heading = re.match(r"\| file of `(\w+)` \|", line)
            if heading:
                layer = heading.group(1)
                tables[layer] = []
            elif not line.startswith("|"):
                layer = None
            elif layer:
                tables[layer] += re.findall(r"`([^`]+\.c)`", line.split("|")[1])
    return tables


def check_tables(root):
    tables = read_tables(root)
    for layer in TABLES:
        files = [os.path.basename(path) for path in sources(root) if path.endswith(".c") and layer_of(path) == layer]
        if files and layer not in tables:
            yield f"{DOCUMENT} has no table of the files of {layer}"
            continue
        for name in files:
            if not any(fnmatch.fnmatch(name, pattern) for pattern in tables[layer]):
                yield f"src/{layer}/{name} is in no table of {DOCUMENT}"
        for pattern in tables.get(layer, []):
            if not fnmatch.filter(files, pattern):
                yield f"{DOCUMENT} has {pattern} in the table of {layer}, which has no such file"


def check(root, build, not_yet):
    includes = read_includes(root)
    calls = read_calls(root, build, not_yet)
    headers = {path: others for path, others in includes.items() if path.endswith(".h")}
    yield from check_objects(root, build)
    yield from check_includes(root, includes, not_yet)
    yield from check_calls(root, calls, not_yet)
    yield from check_circles(calls, "these call", not_yet)
    yield from check_circles(headers, "these include", not_yet)
    yield from check_tables(root)


# ---- Self-test: a tree in which each mistake is made, and one without ----

GOOD = {
    "base/low.h": "int low(void);\n",
    "base/low.c": '#include "base/low.h"\nint low(void) { return 1; }\n',
    "firmware/middle.c": '#include "base/low.h"\nint middle(void);\nint middle(void) { return low(); }\n',
    "emulator/model/part.h": "int part(void);\n",
    "emulator/model/part.c": '#include "emulator/model/part.h"\nint part(void) { return 1; }\n',
    "emulator/text.h": "int text(void);\n",
    "emulator/text.c": '#include "emulator/text.h"\nint text(void) { return 1; }\n',
    "emulator/model/reader.c": '#include "emulator/text.h"\nint reader(void);\nint reader(void) { return text(); }\n',
    "cli/report/report.h": "int report(void);\n",
    "cli/report/report.c": '#include "report.h"\nint report(void) { return 1; }\n',
    "cli/execute.c": '#include "report/report.h"\nint execute(void);\nint execute(void) { return report(); }\n',
    "emulator/front/door.c": '#include "emulator/model/part.h"\nint door(void);\nint door(void) { return part(); }\n',
    # Who calls a name of libc does not call the function that replaces it.
    "preload/replaced.c": '__attribute__((visibility("default"))) int getpid(void);\nint user(void);\n'
                          'int getpid(void) { return user(); }\n',
    "preload/user.c": 'int getpid(void), user(void);\nint user(void) { return getpid(); }\n',
}

GOOD_DOCUMENT = """
| file of `state` | content |
|---|---|
| `read.c`, `resolve_*.c` | `wrong.c`: not in the first column |

| `wrong.c` | in another table |
"""

# The same with the document, of the files of state.
DOCUMENTED = {"state/read.c": "\n", "state/resolve_all.c": "\n"}
TABLE_MISTAKES = [
    ({"state/wrong.c": "\n"}, GOOD_DOCUMENT, "src/state/wrong.c is in no table"),
    ({}, GOOD_DOCUMENT.replace("`read.c`", "`read.c`, `gone.c`"), "has gone.c in the table of state"),
    ({"library/values.c": "\n"}, GOOD_DOCUMENT, "no table of the files of library"),
]

# The files that make each mistake, and a part of what is to be said of it.
MISTAKES = [
    ({"base/wrong.c": '#include "features/high.h"\n', "features/high.h": "\n"}, "includes features/high.h"),
    ({"base/wrong.c": "#include <features/high.h>\n", "features/high.h": "\n"}, "includes features/high.h"),
    ({"cli/wrong.c": '#include "base/low.h"\n'}, "includes base/low.h"),
    ({"cli/wrong.c": "int low(void);\nint wrong(void);\nint wrong(void) { return low(); }\n"}, "calls low()"),
    ({"base/wrong.c": "int middle(void);\nint wrong(void);\nint wrong(void) { return middle(); }\n"},
     "calls middle()"),
    ({"base/wrong.c": "int isst_high(void);\nint wrong(void);\nint wrong(void) { return isst_high(); }\n",
      "features/high.c": "int isst_high(void);\nint isst_high(void) { return 1; }\n"}, "calls isst_high()"),
    ({"base/one.c": "int one(void), two(void);\nint one(void) { return two(); }\n",
      "base/two.c": "int one(void), two(void);\nint two(void) { return one(); }\n"}, "call each other in a circle"),
    ({"base/one.h": '#include "base/two.h"\n', "base/two.h": '#include "base/one.h"\n'},
     "include each other in a circle"),
    ({"cli/run.c": "int run(void), change(void);\nint run(void) { return change(); }\n",
      "cli/change.c": "int run(void), change(void);\nint change(void) { return run(); }\n"},
     "call each other in a circle"),
    ({"preload/one.c": "int one(void), two(void);\nint one(void) { return two(); }\n",
      "preload/two.c": "int one(void), two(void);\nint two(void) { return one(); }\n"},
     "call each other in a circle"),
    ({"emulator/model/wrong.c": "int door(void);\nint wrong(void);\nint wrong(void) { return door(); }\n"},
     "calls door()"),
    ({"emulator/wrong.c": "int part(void);\nint wrong(void);\nint wrong(void) { return part(); }\n"}, "calls part()"),
    ({"cli/report/wrong.c": "int execute(void);\nint wrong(void);\nint wrong(void) { return execute(); }\n"},
     "calls execute()"),
    ({"cli/process/wrong.c": '#include "../report/report.h"\n'}, "includes cli/report/report.h"),
    ({"unheard/wrong.c": "\n"}, "in no layer"),
]


def check_tree(files, without=(), document=""):
    """@without: the files that are not compiled"""
    with tempfile.TemporaryDirectory() as root:
        build = os.path.join(root, "build")
        os.makedirs(os.path.dirname(os.path.join(root, DOCUMENT)))
        with open(os.path.join(root, DOCUMENT), "w", encoding="utf-8") as file:
            file.write(document)
        for path, text in files.items():
            for folder in (os.path.join(root, "src"), os.path.join(build, "src")):
                os.makedirs(os.path.dirname(os.path.join(folder, path)), exist_ok=True)
            with open(os.path.join(root, "src", path), "w", encoding="utf-8") as file:
                file.write(text)
        for path in files:
            if path.endswith(".c") and path not in without:
                subprocess.run([os.environ.get("CC", "cc"), "-I" + os.path.join(root, "src"), "-c",
                                "-fvisibility=hidden", os.path.join(root, "src", path), "-o",
                                os.path.join(build, "src", path[:-2] + ".o")], check=True)
        return list(check(root, build, set()))


def self_test():
    found = check_tree(GOOD)
    if found:
        yield "a tree without a mistake: " + "; ".join(found)
    for files, message in MISTAKES:
        yield from expect(check_tree({**GOOD, **files}), message)
    found = check_tree({**GOOD, **DOCUMENTED}, document=GOOD_DOCUMENT)
    if found:
        yield "a document without a mistake: " + "; ".join(found)
    for files, document, message in TABLE_MISTAKES:
        yield from expect(check_tree({**GOOD, **DOCUMENTED, **files}, document=document), message)
    yield from expect(check_tree(GOOD, ["firmware/middle.c"]), "lacks 1 of 1 objects of src/firmware")
    yield from expect(check_tree(GOOD, ["emulator/text.c"]), "lacks 1 of 4 objects of src/emulator")
    emulator = [path for path in GOOD if layer_of(path) in OPTIONAL]
    found = check_tree(GOOD, emulator)
    if found:
        yield "a build without the emulator: " + "; ".join(found)
    found = check_tree(GOOD, GOOD)
    if not found:
        yield "a build directory without objects is not reported"


def expect(found, message):
    if len(found) != 1 or message not in found[0]:
        yield f"'{message}' is to be found, alone; found: {found}"


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: layers.py BUILD | --self-test")
    problems = list(self_test() if sys.argv[1] == "--self-test" else check(".", sys.argv[1], NOT_YET))
    for problem in problems:
        print("layers: " + problem, file=sys.stderr)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
