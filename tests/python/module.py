# SPDX-License-Identifier: BSD-3-Clause
"""Tests of the Python package on emulated machines: module.py BUILD. Prints TAP.

The package is compared with the header: types of functions, enumerations, flags. What it reads and changes is compared with
what the command prints. The programs of docs/python.md are run, and checked with mypy."""

import copy
import enum
import gc
import hashlib
import importlib.metadata
import json
import os
import pathlib
import pickle
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import typing
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.abspath(sys.argv[1])
COMMAND = os.path.join(BUILD, "isst")
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(BUILD, "python"))
import isst  # noqa: E402

# Functions that the package has no use for.
UNUSED = {
    "isst_cpuset_add_set": "sets of CPUs are Python sets",
    "isst_cpuset_remove": "sets of CPUs are Python sets",
    "isst_cpuset_remove_set": "sets of CPUs are Python sets",
    "isst_cpuset_intersect": "sets of CPUs are Python sets",
    "isst_cpuset_is_equal": "sets of CPUs are Python sets",
    "isst_cpuset_next": "sets of CPUs are Python sets",
    "isst_domain_count": "isst_domain_at() ends them",
    "isst_results_count": "isst_results_at() ends them",
    "isst_finding_code_name": "the names of FindingKind",
    "isst_limit_reason_name": "the names of LimitReason",
    "isst_message_code_at": "MessageCode",
    "isst_message_code_name": "the names of MessageCode",
    "isst_error_message": "errors have their number and their text",
    "isst_results_by_cpu": "results are a sequence",
    "isst_cpuset_has": "sets of CPUs are Python sets",
    "isst_cpuset_count": "sets of CPUs are Python sets",
    "isst_result_value": "isst_result_bits() reads every number",
    "isst_result_value_at": "isst_result_bits() reads every number",
    "isst_claim": "of programs that watch",
    "isst_events_open": "of programs that watch",
    "isst_events_close": "of programs that watch",
    "isst_events_descriptor": "of programs that watch",
    "isst_events_take": "of programs that watch",
}


def read(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as file:
        return file.read()


HEADER = re.sub(r"/\*.*?\*/", "", "".join(read("include", name) for name in (
    "isst.h", "isst-config.h", "isst-explain.h", "isst-journal.h")), flags=re.S)
EMULATOR_HEADER = re.sub(r"/\*.*?\*/", "", read("include", "isst-emulator.h"), flags=re.S)

# ---- What the header declares ----

LETTERS = {
    "void": "v", "int": "i", "unsigned int": "u", "bool": "b", "size_t": "z", "uint64_t": "q", "int64_t": "l",
    "const char *": "s", "char *": "S", "void *": "p", "unsigned int *": "U", "int *": "E", "uint64_t *": "Q", "const char **": "T",
    "char **": "P", "char *const *": "W", "const char *const *": "W", "isst_log_function": "L", "int (*)(void *data)": "I",
    "void (*)(void *data, unsigned int cpu, int online, unsigned int done, unsigned int count)": "R",
}


def letter_of(declaration):
    """The letter of the module for a type of C."""
    kind = declaration.strip() if "(" in declaration else re.sub(r"\s*\*", " *", declaration.strip()).replace("* *", "**")
    if re.match(r"(const )?struct isst_\w+ \*\*$", kind):
        return "P"
    if re.match(r"(const )?struct isst_\w+ \*$", kind):
        return "p"
    return LETTERS[kind]


def declared(header):
    """{function: letters of its result and its arguments}"""
    found = {}
    for result, name, arguments in re.findall(r"ISST_API ([^;(]*[ *\n])(isst_\w+)\(([^;]*)\);", header):
        letters = letter_of(" ".join(result.split()))
        for argument in re.split(r",\s*(?![^()]*\))", " ".join(arguments.split())):
            argument = re.sub(r"\(\*\w+\)", "(*)", argument) if "(*" in argument else re.sub(r"\w+$", "", argument)
            letters += letter_of(argument) if argument and argument != "void" else ""
        found[name] = letters
    return found


def signatures(library):
    """{function that the package calls: letters of its result and its arguments}"""
    return {"isst_" + name: types for name, types in vars(library).items() if isinstance(types, isst._Signature)}


def enumerations():
    """{enum of the header: {name: number}}"""
    return {name: {key: int(number) for key, number in re.findall(r"(ISST_\w+)\s*=\s*(\d+)", body)}
            for name, body in re.findall(r"enum (isst_\w+) \{(.*?)\};", HEADER, re.S)}


def flags():
    """{#define of a flag: number}"""
    return {name: int(number) for name, number in re.findall(r"#define (ISST_\w+) (\d+)U\b", HEADER)}


ENUMERATIONS = {
    "isst_reading": (isst._Reading, "ISST_READ_"), "isst_setting": (isst._Setting, "ISST_SET_"),
    "isst_option": (isst._Option, "ISST_OPTION_"),
    "isst_log_level": (isst.LogLevel, "ISST_LOG_"), "isst_fact": (isst.Fact, "ISST_FACT_"),
    "isst_value_id": (isst.Value, "ISST_VALUE_"), "isst_limit_reason": (isst.LimitReason, "ISST_LIMIT_"),
    "isst_feature_state": (isst.FeatureState, "ISST_FEATURE_"), "isst_priority": (isst.Priority, "ISST_PRIORITY_"),
    "isst_type": (isst.Type, "ISST_TYPE_"), "isst_part": (isst.Part, "ISST_PART_"),
    "isst_severity": (isst.Severity, "ISST_SEVERITY_"), "isst_finding_kind": (isst.FindingKind, "ISST_FINDING_"),
    "isst_message_code": (isst.MessageCode, "ISST_MESSAGE_"),
    "isst_kind": (isst.ItemKind, "ISST_ITEM_"),
}
# The longest prefix counts.
FLAGS = {
    "ISST_LEVELS_": isst.ReadLevels, "ISST_ADD_": isst.ChangeAdd, "ISST_CHANGE_": isst.ChangeFlag,
    "ISST_CONFIG_": isst.ConfigPart, "ISST_JOURNAL_ENTRY_": isst.JournalEntryFlag,
}
# Flags that are arguments of Python functions.
ARGUMENTS = {
    "ISST_TARGETS_WITH_CPUS": isst._TARGETS_WITH_CPUS, "ISST_CHOOSE_ALLOW_LOWER_TURBO": isst._CHOOSE_ALLOW_LOWER_TURBO,
    "ISST_EXPLAIN_MEASURE": isst._EXPLAIN_MEASURE,
    "ISST_EXPLAIN_LIMITS": isst._EXPLAIN_LIMITS,
    "ISST_CONFIG_ADD_FILE": isst._CONFIG_ADD_FILE, "ISST_CONFIG_READ_ALL": isst._CONFIG_READ_ALL,
    "ISST_LOCK_CHECK": isst._LOCK_CHECK,
    "ISST_CONFIG_CHECK_SEPARATELY": isst._CONFIG_CHECK_SEPARATELY,
    "ISST_CONFIG_READ_UNDISTURBED": isst._CONFIG_READ_UNDISTURBED,
    "ISST_CONFIG_CHECK_UNDISTURBED": isst._CONFIG_CHECK_UNDISTURBED,
}


class Interface(unittest.TestCase):
    """The module and the header."""

    def test_functions_have_the_types_of_the_header(self):
        functions = declared(HEADER)
        self.assertGreater(len(functions), 150)
        for name, letters in signatures(isst._Isst).items():
            self.assertEqual(letters, functions[name], name)
        functions = declared(EMULATOR_HEADER)
        for name, letters in signatures(isst._Emulator).items():
            self.assertEqual(letters, functions[name], name)

    def test_every_function_is_used_or_listed(self):
        functions = set(declared(HEADER))
        self.assertEqual(functions, set(signatures(isst._Isst)) | set(UNUSED))
        self.assertFalse(set(signatures(isst._Isst)) & set(UNUSED))

    def test_enumerations_are_those_of_the_header(self):
        found = enumerations()
        self.assertEqual(set(found), set(ENUMERATIONS))
        for name, (kind, prefix) in ENUMERATIONS.items():
            self.assertEqual({prefix + member.name: member.value for member in kind}, found[name])

    def test_flags_are_those_of_the_header(self):
        for name, number in flags().items():
            if name in ARGUMENTS:
                self.assertEqual(ARGUMENTS[name], number, name)
                continue
            prefix = max((prefix for prefix in FLAGS if name.startswith(prefix)), key=len)
            self.assertEqual(FLAGS[prefix].__members__[name[len(prefix):]].value, number, name)
        members = {prefix + name for prefix, kind in FLAGS.items() for name in kind.__members__}
        self.assertEqual(members | set(ARGUMENTS), set(flags()))
        # A flag of another call, which the class took for its own, would be a second name of a number.
        for kind in FLAGS.values():
            numbers = [member.value for member in kind.__members__.values()]
            self.assertEqual(len(numbers), len(set(numbers)), kind)

    def test_other_constants_are_those_of_the_header(self):
        for name, number in (("ISST_CLOS_NO_LIMIT_MHZ", isst.CLOS_NO_LIMIT_MHZ), ("ISST_PARTIAL", isst._PARTIAL),
                             ("ISST_CONFIG_SKIPPED", isst._SKIPPED)):
            self.assertRegex(HEADER, r"#define {} {}\n".format(name, number))
        self.assertRegex(HEADER, r"#define ISST_ERR_ROLLBACK ENOTRECOVERABLE")

    def test_everything_public_has_a_docstring(self):
        for name in set(isst.__all__) - {"Targets"}:
            thing = getattr(isst, name)
            self.assertTrue(thing.__doc__, name)
            for key, member in vars(thing).items() if isinstance(thing, type) else ():
                public = not key.startswith("_") and not isinstance(member, enum.Enum)
                if public and (callable(member) or isinstance(member, property)) and not issubclass(thing, tuple):
                    self.assertTrue(member.__doc__, "{}.{}".format(name, key))
        defined = {name for name, thing in vars(isst).items()
                   if getattr(thing, "__module__", None) == "isst" and not name.startswith("_")}
        self.assertEqual(defined | {"Targets"}, set(isst.__all__))


class Texts(unittest.TestCase):
    """What needs no machine."""

    def test_version_is_that_of_the_header(self):
        self.assertEqual(isst.version(), re.search(r'ISST_VERSION "(.*)"', HEADER)[1])
        self.assertEqual(isst.__version__, isst.version())
        sys.path_importer_cache.clear()
        self.assertEqual(importlib.metadata.version("isst"), isst.version())

    def test_lists_of_cpus(self):
        self.assertEqual(isst.CpuSet("0-2,5"), {0, 1, 2, 5})
        self.assertEqual(isst.CpuSet(""), frozenset())
        self.assertEqual(str(isst.CpuSet([5, 2, 1, 0])), "0-2,5")
        self.assertEqual(str(isst.CpuSet()), "")
        self.assertEqual(repr(isst.CpuSet({3})), "CpuSet('3')")
        self.assertEqual(isst.CpuSet("0-3") - {1}, {0, 2, 3})
        with self.assertRaises(isst.Error) as caught:
            isst.CpuSet("2-1")
        self.assertEqual(caught.exception.errno, 22)
        self.assertIsInstance(caught.exception, OSError)
        with self.assertRaisesRegex(TypeError, r"^cpus: '0-3' is a text; CpuSet\(\) "):
            isst.CpuSet(["0-3"])

    def test_values_of_the_library(self):
        self.assertEqual(isst._values(), {value.name.lower(): value for value in isst.Value})
        self.assertEqual((isst.Value.TDP_W.unit, isst.Value.CPUS.type), ("W", isst.Type.CPUS))
        self.assertEqual(isst.limit_reasons(1 << 2 | 1 << 3), [isst.LimitReason.POWER, isst.LimitReason.THERMAL])
        types = {isst.Type.NUMBER: int, isst.Type.FLAG: bool, isst.Type.FEATURE_STATE: isst.FeatureState,
                 isst.Type.PRIORITY: isst.Priority, isst.Type.BITS: int, isst.Type.CPUS: isst.CpuSet}
        for name, declared_type in typing.get_type_hints(isst.Values).items():
            kind = types[isst._values()[name].type]
            self.assertIn(declared_type, (typing.Optional[kind], typing.Optional[list[list[typing.Optional[kind]]]]), name)

    def test_a_newer_number_is_a_member(self):
        kind = isst.ItemKind(9999)
        self.assertEqual((kind, kind.name, isst.ItemKind(9999)), (9999, "NUMBER_9999", kind))

    def test_numbers_are_not_cut(self):
        for cpu in (1 << 32 | 5, -1, 1 << 64):
            with self.assertRaises(isst.Error) as caught:
                isst.CpuSet([cpu])
            self.assertEqual(caught.exception.errno, EINVAL)
        for number in (1 << 64 | 10, -1 << 40):
            with self.assertRaises(isst.Error):
                isst.limit_reasons(number)
        with self.assertRaises(TypeError):
            isst.CpuSet([1.5])

    def test_every_integer_argument_has_a_range(self):
        for types in [*signatures(isst._Isst).values(), *signatures(isst._Emulator).values()]:
            for letter in types[1:]:
                self.assertTrue(letter in isst._RANGES or letter in "psPTUQELIR", types)

    def test_texts_are_not_cut(self):
        for function, text in ((isst.CpuSet, "0-3\0,99"), (isst.Config, "level 3\0\n"),
                               (lambda name: isst.Config("level 3\n", name), "a\0b")):
            with self.assertRaises(isst.Error) as caught:
                function(text)
            self.assertEqual(caught.exception.errno, EINVAL)

    def test_errors_are_those_of_python(self):
        for number in range(1, 134):
            with self.assertRaises(type(OSError(number, ""))) as caught:
                raise isst.Error(number, "failed")
            self.assertIsInstance(caught.exception, isst.Error)
            self.assertEqual((caught.exception.errno, str(caught.exception)), (number, "[Errno {}] failed".format(number)))
        self.assertIsInstance(isst.ConfigError(EPERM, "", []), PermissionError)

    def test_errors_are_pickled_without_results(self):
        for error in (isst.Error(EIO, "failed", [1]), isst.RollbackError(131, "failed"), isst.ConfigError(EINVAL, "wrong", ["a:1"]),
                      isst.Error(EPERM, "denied"), isst.ConfigError(EPERM, "denied", [])):
            for again in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
                self.assertIs(type(again), type(error))
                self.assertEqual((again.errno, again.strerror), (error.errno, error.strerror))
                self.assertIsNone(getattr(again, "results", None))
                self.assertEqual(getattr(again, "problems", None), getattr(error, "problems", None))


class MachineTest(unittest.TestCase):
    """A test on an emulated machine with a state of its own."""

    platform = "guide"

    def setUp(self):
        self.state = tempfile.mkdtemp(prefix="isst-python-")
        self.addCleanup(shutil.rmtree, self.state)
        self.open_contexts = []

    def open(self, platform=None, **options):
        context = isst.Context(emulate=platform or self.platform, state=os.path.join(self.state, "machine"), **options)
        self.addCleanup(context.close)
        return context

    def faults(self, *rules):
        with open(os.path.join(self.state, "machine", "faults"), "w") as file:
            file.write("".join(rule + "\n" for rule in rules))

    def command(self, *words, status=0):
        """What the command prints on the same machine."""
        environment = dict(os.environ, LC_ALL="C")
        done = subprocess.run([COMMAND, "--emulate", self.platform, "--emulate-state", os.path.join(self.state, "machine"), *words],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment)
        self.assertEqual(done.returncode, status, done.stdout)
        return done.stdout.decode()

    def launch(self, *words, **options):
        """Status and output of another program on that machine; a test ends where none can be launched."""
        done = subprocess.run([COMMAND, "--emulate", self.platform, "--emulate-state", os.path.join(self.state, "machine"),
                               "emulate", "--", *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)
        if done.returncode == 3:
            self.skipTest(done.stdout.decode().splitlines()[0])
        return done.returncode, done.stdout.decode()

    def levels(self, context):
        return [result.values.level for result in context.read_levels(current=True)]

    def failure(self, number, function, *arguments, **options):
        """The error that a call raises."""
        with self.assertRaises(isst.Error) as caught:
            function(*arguments, **options)
        self.assertEqual(caught.exception.errno, number, caught.exception)
        self.assertTrue(caught.exception.strerror)
        return caught.exception


EBUSY, EINTR, EINVAL, EIO, ENOENT, EOPNOTSUPP, EPERM, ESTALE = 16, 4, 22, 5, 2, 95, 1, 116


class Machines(MachineTest):
    """Domains and CPUs."""

    def test_the_machine_of_the_guide(self):
        with self.open() as context:
            self.assertEqual((context.fact(isst.Fact.FAMILY), context.fact(isst.Fact.MODEL), context.emulated), (6, 0x6A, "guide"))
            self.assertGreater(context.fact(isst.Fact.API_VERSION), 0)
            self.assertIn("Xeon", context.processor_name)
            self.assertEqual(context.trl_types, ["sse", "avx2", "avx512"])
            self.assertEqual([domain.name for domain in context.domains], ["package 0, die 0", "package 1, die 0"])
            self.assertEqual((context.notices, context.left_out, context.offline_parts), ([], [], []))
            self.assertTrue(context.has(isst.Fact.MAILBOX))
            self.assertFalse(context.has(isst.Fact.POWER_DOMAINS))
            self.assertEqual(context.online_cpus, set(range(56)))
            self.assertEqual(context.present_cpus, context.online_cpus)
            self.assertFalse(context.cpus_changed())
            context.check_privileges()

    def test_domains_and_cpus(self):
        context = self.open()
        first, second = context.domains
        self.assertEqual((second.index, second.package, second.die, second.power_domain, second.first_cpu), (1, 1, 0, None, 14))
        self.assertEqual(str(second.online_cpus), "14-27,42-55")
        self.assertEqual(second.present_cpus, second.online_cpus)
        self.assertTrue(second.is_complete)
        self.assertFalse(second.is_io)
        cpu = context.cpu(14)
        self.assertEqual((cpu.number, cpu.domain, cpu.is_online), (14, second, True))
        self.assertEqual(cpu.core, 0)
        self.assertNotEqual(first, second)
        self.assertEqual(len({first, second, cpu.domain}), 2)
        self.assertIsNone(context.cpu(56))
        self.assertEqual(context.cpus_by_name("package:1"), second.online_cpus)
        self.assertEqual(context.undisturbed_cpus(), frozenset())
        self.assertIsNone(context.cpus_of_module(0))
        self.failure(EINVAL, context.cpus_by_name, "socket:1")
        self.failure(EOPNOTSUPP, context.cpus_of_module, 56)

    def test_cpus_of_a_module(self):
        context = self.open("sierraforest-2s112c")
        self.assertEqual(context.cpus_of_module(0), {0, 1, 2, 3})

    def test_power_domains_without_cpus(self):
        context = self.open("graniterapids-unlocked")
        inputs = [domain for domain in context.domains if domain.is_io]
        self.assertEqual([domain.power_domain for domain in inputs], [3, 4, 3, 4])
        self.assertEqual(inputs[0].online_cpus, frozenset())
        self.assertIsNone(inputs[0].first_cpu)

    def test_a_closed_context_is_refused(self):
        context = self.open()
        domain, results = context.domains[0], context.read_perf_profiles()
        context.close()
        context.close()
        self.assertEqual(results[0].values.highest_level, 4)
        self.assertEqual((domain.name, results[0].domain), ("package 0, die 0", domain))
        for use in (context.read_core_power, lambda: context.domains):
            with self.assertRaises(ValueError):
                use()

    def test_before_discovery(self):
        context = self.open(discover=False)
        self.assertEqual(context.domains, [])
        self.assertEqual(context.fact(isst.Fact.MODEL), 0x6A)
        self.failure(EINVAL, context.read_perf_profiles)
        context.discover()
        self.assertEqual(len(context.domains), 2)
        context.discover()
        self.assertEqual(len(context.domains), 2)

    def test_a_machine_without_driver(self):
        self.open(discover=False)
        self.faults("open ENOENT")
        self.failure(EOPNOTSUPP, self.open)

    def test_waiting_for_the_driver(self):
        context = self.open(discover=False)
        context.wait_for_driver(0)
        context.discover()
        self.failure(EINVAL, context.wait_for_driver, 0)

    def test_cpus_that_go_offline(self):
        context = self.open()
        with self.open(lock_ms=1000) as other, other.change() as change:
            change.add_level(3, online=True)
            change.run()
        self.assertTrue(context.cpus_changed())
        context.discover()
        self.assertEqual(len(context.online_cpus), 44)
        self.assertFalse(context.cpu(12).is_online)
        self.assertEqual(len(context.domains[0].present_cpus), 28)

    def test_an_unknown_platform(self):
        error = self.failure(ENOENT, self.open, "no-such-platform")
        self.assertIn("no-such-platform", error.strerror)

    def test_log_lines(self):
        lines = []
        context = self.open(log=lambda level, message: lines.append((level, message)), log_level=isst.LogLevel.DEBUG)
        context.read_core_power()
        self.assertTrue(all(level is isst.LogLevel.DEBUG for level, _ in lines), lines)
        self.assertGreater(len(lines), 3)

    def test_an_exception_of_a_callback_is_raised_by_the_call(self):
        def refuse(level, message):
            raise KeyError("refused")
        with self.assertRaisesRegex(KeyError, "refused"):
            self.open(log=refuse, log_level=isst.LogLevel.DEBUG)

    def test_a_captured_machine_is_the_same(self):
        directory = os.path.join(self.state, "captured")
        self.open(discover=False).capture(directory)
        with isst.Context(emulate=directory + "/", state=os.path.join(self.state, "replayed")) as replayed:
            self.assertEqual(replayed.read_levels(), self.open().read_levels())


class Reading(MachineTest):
    """Results."""

    def test_levels(self):
        context = self.open()
        results = context.read_levels()
        self.assertEqual(len(results), 10)
        self.assertEqual([(result.domain.package, result.values.level) for result in results],
                         [(package, level) for package in (0, 1) for level in range(5)])
        printed = re.findall(r"\n *base-frequency\(MHz\):(\d+)", self.command("perf-profile", "info"))
        self.assertEqual([str(result.values.base_mhz) for result in results], printed)
        self.assertEqual(results[8].values.base_mhz, 2700)
        self.assertEqual([result.target for result in results], [0] * 5 + [1] * 5)
        self.assertFalse(results.partial)

    def test_values_have_their_types(self):
        result = self.open().read_levels(current=True)[0]
        self.assertIs(result.values.locked, False)
        self.assertIs(result.values.turbo_freq_state, isst.FeatureState.DISABLED)
        self.assertEqual(str(result.values.cpus), "0-13,28-41")
        self.assertIsNone(result.values.base_amx_mhz)
        self.assertEqual(result.values.turbo_limit_mhz[0], [3200, 3100, 3100, 3100, 3100, 3100, 3100, 3100])
        self.assertEqual(len(result.values.turbo_limit_mhz), 3)
        self.assertEqual(result.values.turbo_limit_mhz[1][7], 2800)
        self.assertEqual(result.values.fabric_max_mhz, [[2400]])
        self.assertIs(self.open().read_core_power()[0].values.priority, isst.Priority.PROPORTIONAL)
        self.assertEqual(result.errors, {})
        self.assertIsNone(result.cpu)

    def test_all_values_of_a_result(self):
        result = self.open().read_levels(current=True)[0]
        found = result.to_dict()
        self.assertEqual((found["package"], found["die"], found["tdp_w"]), (0, 0, 205))
        self.assertEqual(found["turbo_limit_cores"][2], [2, 4, 6, 8, 10, 12, 14, 16])
        self.assertEqual((found["turbo_freq_state"], found["cores"]), ("disabled", "0x3fff"))
        self.assertEqual(found["cpus"]["ranges"], "0-13,28-41")
        self.assertEqual(json.loads(json.dumps(found)), found)
        for name in ("base_amx_mhz", "clos_epp", "errors", "power_domain", "cpu"):
            self.assertNotIn(name, found)

    def test_every_value_is_declared(self):
        """The values that results can have are those of isst.Values, and tables are declared as such."""
        context = self.open("graniterapids-unlocked")
        results = [context.read_perf_profiles(), context.read_levels(), context.read_core_power(), context.read_clos(),
                   context.read_clos_associations([0]), context.read_turbo_ratio_limits(), context.read_uncore_limits(),
                   context.read_scaling_limits([0]), context.read_frequencies([0]), context.read_limit_reasons([0]), context.read_power()]
        hints = typing.get_type_hints(isst.Values)
        self.assertEqual({name for each in results for name in vars(each[0].values)}, set(hints))
        for each in results:
            for result in each:
                for name, value in vars(result.values).items():
                    if value is not None:
                        self.assertEqual(isinstance(value, list), "list" in str(hints[name]).lower(), name)

    def test_what_a_result_does_not_contain(self):
        values = self.open().read_core_power()[0].values
        self.assertTrue(hasattr(values, "priority"))
        for name in ("base_mhz", "no_such_value"):
            self.assertFalse(hasattr(values, name))

    def test_results_are_plain_data(self):
        with self.open() as context:
            results = context.read_levels()
            domains = context.domains
        self.assertEqual(pickle.loads(pickle.dumps(results)), results)
        self.assertEqual(copy.deepcopy(domains), domains)
        self.assertEqual(repr(results[:1])[:80], "(Result(domain=Domain(name='package 0, die 0'), cpu=None, values=Values(level=0,")
        self.assertEqual(json.loads(json.dumps(domains[1].to_dict()))["online_cpus"]["ranges"], "14-27,42-55")
        self.assertEqual(results.to_dict()["results"][8]["base_mhz"], 2700)

    def test_a_level_that_does_not_exist(self):
        context = self.open()
        error = self.failure(EOPNOTSUPP, context.read_levels, level=9)
        self.assertEqual(len(error.results), 2)
        self.assertIn("levels 0 to 4", error.results[1].errors[isst.Part.RESULT].strerror)

    def test_some_targets_fail(self):
        context = self.open()
        self.faults("mailbox 0x94/0x03 package 1 EIO")
        results = context.read_core_power()
        self.assertTrue(results.partial)
        self.assertEqual(results[0].errors, {})
        self.assertEqual(results[1].errors[isst.Part.RESULT].errno, EIO)
        self.assertEqual(list(results[1].errors), [isst.Part.RESULT])
        self.assertIsNone(results[1].values.core_power_enabled)
        self.assertIn("core_power_enabled", results[1].unread)
        found = results[1].to_dict()
        self.assertIsNone(found["core_power_enabled"])
        self.assertEqual(found["errors"]["result"]["errno"], EIO)
        self.failure(EIO, results.check)
        again = pickle.loads(pickle.dumps(results))
        self.assertEqual((again.partial, again[0], again[1].unread), (True, results[0], results[1].unread))
        self.assertEqual(again[1].errors[isst.Part.RESULT].errno, EIO)
        self.assertIs(context.read_perf_profiles([0]).check().partial, False)

    def test_a_sequence(self):
        results = self.open().read_perf_profiles()
        self.assertEqual([result.domain.package for result in results[::-1]], [1, 0])
        self.assertEqual(results[-1].domain.package, 1)
        for position in (2, -3):
            with self.assertRaises(IndexError):
                results[position]

    def test_targets(self):
        context = self.open()
        by_domain = context.read_perf_profiles([context.domains[1]])
        by_number = context.read_perf_profiles([14, 15])
        by_cpu = context.read_perf_profiles([context.cpu(14)])
        for results in (by_domain, by_number, by_cpu):
            self.assertEqual([result.domain.package for result in results], [1])
        self.assertEqual(len(context.read_perf_profiles([])), 0)
        self.failure(EOPNOTSUPP, context.read_perf_profiles, [56])
        self.failure(EINVAL, context.read_clos_associations, context.domains)
        with isst.Context(emulate="graniterapids-unlocked", state=os.path.join(self.state, "other")) as other:
            self.failure(ESTALE, context.read_perf_profiles, other.domains)
        with self.assertRaisesRegex(TypeError, r"^targets: '0-3' is a text; CpuSet\(\) "):
            context.read_levels(targets="0-3")
        with self.assertRaisesRegex(TypeError, r"^within: '0-3' is a text; CpuSet\(\) "):
            context.choose_high_priority_cpus(cores=1, within="0-3")

    def test_results_of_cpus(self):
        context = self.open()
        self.assertEqual([result.cpu.number for result in context.read_frequencies([3, 1])], [1, 3])
        self.assertEqual(context.read_frequencies([1])[0].values.current_mhz, 3100)
        limits = context.read_scaling_limits()
        self.assertEqual(len(limits), 56)
        self.assertEqual((limits[0].values.scaling_max_mhz, limits[0].values.processor_max_mhz), (None, 3200))
        self.assertEqual([result.values.clos for result in context.read_clos_associations()], [0] * 56)
        self.failure(EOPNOTSUPP, context.read_limit_reasons, [0])

    def test_results_of_domains(self):
        context = self.open()
        self.assertEqual(context.read_turbo_ratio_limits()[0].values.turbo_ratio_limits, 0x1F1F1F1F1F1F1F20)
        self.assertEqual(context.read_uncore_limits()[0].values.uncore_initial_max_mhz, [[2400]])
        self.assertEqual([result.values.clos for result in context.read_clos([context.domains[0]])], [0, 1, 2, 3])
        self.assertEqual([result.values.clos for result in context.read_clos(clos=2)], [2, 2])
        self.failure(EINVAL, context.read_clos, clos=4)
        self.failure(EINVAL, context.read_clos, clos=-1)

    def test_limit_reasons(self):
        context = self.open("graniterapids-unlocked")
        self.assertEqual(isst.limit_reasons(context.read_limit_reasons([0])[0].values.limit_reasons), [])

    def test_high_priority_cores(self):
        context = self.open()
        chosen = context.choose_high_priority_cpus(bucket=0)
        self.assertEqual(len(chosen), 8)
        self.assertEqual({context.cpu(cpu).domain.package for cpu in chosen}, {0, 1})
        self.assertEqual(context.choose_high_priority_cpus(cores=1, within=[3, 31]), {3, 31})
        self.failure(EINVAL, context.choose_high_priority_cpus, cores_per_package=99)
        self.failure(EINVAL, context.choose_high_priority_cpus)

    def test_watching(self):
        context = self.open()
        looks = context.watch(0, looks=2)
        self.assertEqual(next(looks), [])
        self.command("perf-profile", "set-config-level", "-l", "3")
        changes = {(change.domain, change.value): (change.old, change.new) for change in next(looks)}
        self.assertEqual(changes["package 1, die 0", "current_level"], (0, 3))
        self.assertEqual(changes["package 0, die 0", "base_mhz"], (2600, 2700))
        with self.assertRaises(StopIteration):
            next(looks)

    def test_watching_a_package_that_goes_offline(self):
        context = self.open()
        for targets in ([context.domains[1]], iter([14, 0]), [0, 14, context.cpu(15)], None):
            looks = context.watch(0, targets=targets)
            self.assertEqual(next(looks), [])
            for online in (0, 1):
                status, printed = self.launch("sh", "-c", "for n in $(seq 14 27) $(seq 42 55); do "
                                              "echo {} > /sys/devices/system/cpu/cpu$n/online; done".format(online))
                self.assertEqual(status, 0, printed)
                changes = {(change.domain, change.value): (change.old, change.new) for change in next(looks)}
                self.assertEqual({domain for domain, _ in changes}, {"package 1, die 0"})
                self.assertEqual(changes["package 1, die 0", "tdp_w"], (None, 205) if online else (205, None))
            self.assertEqual(next(looks), [])
        self.failure(EOPNOTSUPP, next, context.watch(0, targets=[999]))

    def test_explanations(self):
        with self.open(lock_ms=1000) as context:
            with context.change() as change:
                change.add_clos(1, max_mhz=0)
                change.add_clos_association(1, [2])
                change.add_core_power(True)
                change.run()
            explanation = context.explain()
            finding = explanation.findings[0]
            self.assertEqual((finding.kind, finding.name, finding.severity),
                             (isst.FindingKind.CLOS_MAX_ZERO, "clos-max-zero", isst.Severity.CRITICAL))
            self.assertEqual(finding.cpus, {2, 30})
            self.assertEqual(explanation.unread, [])
            found = json.loads(json.dumps(explanation.to_dict()))["findings"][0]
            self.assertEqual((found["kind"], found["severity"], found["cpus"]["ranges"], found["packages"]),
                             ("clos-max-zero", "critical", "2,30", [0]))
            self.assertEqual(explanation.measured_mhz, {})
            self.assertEqual(set(context.explain([2], measure=True).measured_mhz), {2})


class Changes(MachineTest):
    """Changes, and how they end."""

    def test_every_request(self):
        context = self.open(lock_ms=1000)
        with context.change(command="test of requests") as change:
            self.assertEqual([result.errors for result in change.add_level(3)], [{}, {}])
            change.add_clos(1, min_mhz=800, max_mhz=2000, weight=3)
            change.add_clos_association(1, [2])
            change.add_core_power(True, priority=isst.Priority.ORDERED)
            change.add_turbo_ratio_limits(0x1E1E1E1E1E1E1E1E, [context.domains[1]])
            change.check()
            self.assertTrue(change.run())
            self.assertFalse(change.is_unchanged)
            self.assertFalse(change.has_left_out(context.domains[0]))
            self.assertEqual(change.differences, [])
            first = change.steps[0]
            self.assertEqual((first.target, first.item.kind, first.item.domain, first.old_number, first.new_number, first.is_written),
                             ("package 0, die 0: level", isst.ItemKind.LEVEL, "package 0, die 0", 0, 3, True))
            self.assertEqual(json.loads(json.dumps(first.to_dict()))["item"], {"kind": "level", "domain": "package 0, die 0", "unit": ""})
        self.assertEqual(self.levels(context), [3, 3])
        printed = self.command("-c", "2", "core-power", "get-assoc")
        self.assertIn("clos:1", printed)
        printed = self.command("-c", "0", "core-power", "get-config", "-c", "1")
        self.assertIn("clos-max:2000 MHz", printed)
        self.assertIs(context.read_core_power()[0].values.priority, isst.Priority.ORDERED)
        self.assertEqual([result.values.turbo_ratio_limits for result in context.read_turbo_ratio_limits()][1], 0x1E1E1E1E1E1E1E1E)

    def test_turbo_mode(self):
        context = self.open(lock_ms=1000)
        for enable, limit in ((False, 2600), (True, None)):
            with context.change() as change:
                change.add_turbo_mode(enable, [5])
                change.run()
            self.assertEqual(context.read_scaling_limits([5])[0].values.scaling_max_mhz, limit)

    def test_features(self):
        context = self.open(lock_ms=1000)
        with context.change() as change:
            change.add_turbo_freq(True, auto=True, high_priority_cpus=context.choose_high_priority_cpus(bucket=0))
            change.run()
        self.assertEqual(len(context.cpus_by_name("high-priority")), 8)
        with context.change() as change:
            change.add_turbo_freq(False, auto=True)
            change.add_base_freq(True)
            change.run()
        level = context.read_levels(current=True)[1]
        self.assertEqual((level.values.turbo_freq_state, level.values.base_freq_state),
                         (isst.FeatureState.DISABLED, isst.FeatureState.ENABLED))

    def test_online_cpus_and_progress(self):
        context, calls = self.open(lock_ms=1000), []
        with context.change(progress=lambda *call: calls.append(call)) as change:
            change.add_level(3, online=True)
            change.run()
        self.assertEqual(len(context.online_cpus), 44)
        offline = [(done, count) for cpu, online, done, count in calls if online is False]
        self.assertEqual(offline, [(done, 12) for done in range(1, 13)], calls)
        with context.change() as change:
            change.add_all_online()
            change.run()
        self.assertEqual(len(context.online_cpus), 56)

    def test_nothing_to_do(self):
        with self.open(lock_ms=1000) as context, context.change() as change:
            change.add_level(0)
            change.run()
            self.assertTrue(change.is_unchanged)
            self.assertEqual([step.is_written for step in change.steps], [False, False])
            self.assertEqual([field for step in change.steps for field in step.fields],
                             [(step.target, step.old_text, step.new_text) for step in change.steps])
            self.assertEqual(change.warnings, [])

    def test_what_belongs_to_a_context(self):
        self.assertRaises(TypeError, isst.Config, "level 0", "n", False, 255)
        unraisable, hook = [], sys.unraisablehook
        sys.unraisablehook = unraisable.append
        try:
            for kind in (isst.Change, isst.Journal):
                self.assertRaises(TypeError, kind, set())
            gc.collect()
        finally:
            sys.unraisablehook = hook
        self.assertEqual(unraisable, [])

    def test_the_system_log_has_no_control_characters(self):
        context = self.open(lock_ms=1000, system_log=True)
        with context.change(command="a\x1b[1mb") as change:
            change.add_level(4)
            change.run()
        with open(os.path.join(self.state, "machine", "log")) as log:
            self.assertIn("a\\x1b[1mb: ", log.read())

    def test_warnings_have_codes_and_places(self):
        with self.open("sierraforest-2s112c", lock_ms=1000) as context, context.change() as change:
            change.add_turbo_freq(False)
            change.run()
            self.assertIn("package 1, power domain 0: turbo-freq feature is not present at this level 0: nothing to disable",
                          map(str, change.warnings))
            self.assertEqual({warning.code for warning in change.warnings}, {isst.MessageCode.NOTHING_TO_DISABLE})
            self.assertEqual([(warning.domain, warning.package) for warning in change.warnings],
                             [("package 0, power domain 0", 0), ("package 1, power domain 0", 1)])
            copied = pickle.loads(pickle.dumps(change.warnings[0]))
            self.assertEqual((copied, copied.to_dict()), (change.warnings[0], {
                "text": "package 0, power domain 0: turbo-freq feature is not present at this level 0: nothing to disable",
                "code": "nothing-to-disable", "level": "warning", "domain": "package 0, power domain 0", "package": 0}))

    def test_a_dry_run_needs_no_lock_and_writes_nothing(self):
        with self.open() as context:
            with context.change(isst.ChangeFlag.DRY_RUN) as change:
                change.add_level(3)
                change.run()
                self.assertEqual([(step.old_text, step.new_text, step.is_written) for step in change.steps],
                                 [("0", "3", True)] * 2)
            self.assertEqual(self.levels(context), [0, 0])
            self.failure(EINVAL, context.change)

    def test_a_change_that_is_not_run_does_nothing(self):
        with self.open(lock_ms=1000) as context:
            with context.change() as change:
                change.add_level(3)
            with self.assertRaises(ValueError):
                change.run()
            self.assertEqual(self.levels(context), [0, 0])

    def test_a_change_that_fails_is_rolled_back(self):
        context = self.open(lock_ms=1000)
        with context.change() as change:
            change.add_level(3)
            change.add_clos(1, max_mhz=2000)
            # The first of the two writes to CLOS 1.
            self.faults("change any EIO after 2 times 1")
            error = self.failure(EIO, change.run)
            self.assertNotIsInstance(error, isst.RollbackError)
        self.assertEqual(self.levels(context), [0, 0])
        self.assertEqual(context.read_clos(clos=1)[0].values.clos_max_mhz, isst.CLOS_NO_LIMIT_MHZ)

    def test_a_rollback_that_fails(self):
        context = self.open(lock_ms=1000)
        with context.change() as change:
            change.add_level(3)
            self.faults("change any EIO after 1")
            with self.assertRaises(isst.RollbackError):
                change.run()
            self.assertEqual(change.differences[0].text, "package 0, die 0: level is 3, was 0")
            self.assertFalse([message for message in change.differences if "package 1" in message.text])

    def test_a_target_that_fails(self):
        context = self.open(lock_ms=1000)
        self.faults("mailbox 0x7f/0x00 package 1 EIO")
        with context.change() as change:
            self.assertTrue(change.add_level(3).partial)
            refused = self.failure(EIO, change.check)
            self.assertEqual(self.failure(EIO, change.run).strerror, refused.strerror)
        with context.change(isst.ChangeFlag.SKIP_FAILED) as change:
            change.add_level(3)
            self.assertFalse(change.run())
        self.faults()
        self.assertEqual(self.levels(context), [3, 0])

    def test_a_held_change_is_rolled_back_at_the_end(self):
        context = self.open(lock_ms=1000)
        with self.assertRaisesRegex(RuntimeError, "in between"):
            with context.change(isst.ChangeFlag.HOLD | isst.ChangeFlag.REVERSIBLE) as change:
                change.add_level(3)
                change.run()
                self.assertTrue(change.is_held)
                self.assertEqual(self.levels(context), [3, 3])
                self.failure(EINVAL, context.unlock)
                raise RuntimeError("in between")
        self.assertEqual(self.levels(context), [0, 0])

    def test_a_held_change_is_released_or_rolled_back(self):
        context = self.open(lock_ms=1000)
        for end, levels in (("roll_back", [0, 0]), ("release", [3, 3])):
            with context.change(isst.ChangeFlag.HOLD) as change:
                change.add_level(3)
                change.run()
                getattr(change, end)()
                self.assertFalse(change.is_held)
            self.assertEqual(self.levels(context), levels)
        with context.change() as change:
            self.failure(EINVAL, change.release)

    def test_a_context_that_is_closed_rolls_back(self):
        context = self.open(lock_ms=1000)
        change = context.change(isst.ChangeFlag.HOLD)
        change.add_level(3)
        change.run()
        context.close()
        self.assertEqual(self.levels(self.open()), [0, 0])

    def test_an_interrupted_change_is_rolled_back(self):
        calls = []

        def interrupt():
            calls.append(1)
            if len(calls) == 2:
                raise KeyboardInterrupt
        context = self.open(lock_ms=1000, interrupted=interrupt)
        with context.change() as change:
            change.add_level(3)
            change.add_clos(1, max_mhz=2000)
            del calls[:]
            with self.assertRaises(KeyboardInterrupt):
                change.run()
        self.assertEqual(self.levels(context), [0, 0])
        self.assertEqual(context.read_clos(clos=1)[0].values.clos_max_mhz, isst.CLOS_NO_LIMIT_MHZ)

    def test_interrupted_without_an_exception(self):
        context = self.open(lock_ms=1000, interrupted=lambda: True)
        with context.change() as change:
            change.add_level(3)
            self.failure(EINTR, change.run)
        self.assertEqual(self.levels(context), [0, 0])

    def test_the_lock(self):
        context, other = self.open(), self.open()
        with context.lock(1000) as locked:
            self.assertIs(locked, context)
            self.failure(EBUSY, other.lock)
            self.failure(EINVAL, context.lock)
            with context.change() as change:
                change.add_level(3)
                change.run()
        with other.lock():
            self.assertEqual(self.levels(other), [3, 3])
        self.failure(EINVAL, context.unlock)

    def test_the_lock_before_discovery(self):
        context = self.open(discover=False)
        with context.lock():
            self.assertEqual(len(context.domains), 2)

    def test_wrong_arguments(self):
        context = self.open(lock_ms=1000)
        self.failure(EINVAL, context.change, 1 << 30)
        change = context.change()
        self.failure(EINVAL, change.add_clos, 4)
        self.failure(EINVAL, change.add_clos, 1, min_mhz=1234)
        self.failure(EINVAL, change.add_clos_association, 1, context.domains)
        error = self.failure(EOPNOTSUPP, change.add_level, 9)
        self.assertEqual(len(error.results), 2)

    def test_no_privileges(self):
        context = self.open()
        self.faults("capability number 21 denied")
        with self.assertRaises(PermissionError) as caught:
            context.check_privileges()
        self.assertIsInstance(caught.exception, isst.Error)


class Configurations(MachineTest):
    """Configurations."""

    def test_check_and_apply(self):
        config = isst.Config("# isst configuration 1\nlevel 3\nclos 1: max 2000\n", "wanted.conf", file=True)
        with self.open(lock_ms=1000) as context:
            self.assertTrue(config.match(context))
            self.assertEqual(config.check(context)[0], isst.ConfigDifference("packages 0-1, die 0: level", "3", "0", "wanted.conf:2", None, None, "level"))
            self.assertEqual([(entry.domain, entry.subject) for entry in config.check(context, targets=[context.domains[1]])],
                             [("package 1, die 0", "level"), ("package 1, die 0", "CLOS 1 max")])
            before = context.read_config(everything=True)
            one = context.read_config(everything=True, targets=[context.domains[0]])
            self.assertEqual(one.check(context, targets=[context.domains[0]]), [])
            with context.change() as change:
                self.assertTrue(change.add_config(config))
                change.run()
            self.assertEqual(config.check(context), [])
            self.assertIn("level 3", context.read_config().to_text())
            self.assertIn("level 0", context.boot_config().to_text())
            with context.change() as change:
                change.add_config(before)
                change.run()
            self.assertEqual(before.check(context), [])
            self.assertEqual(self.levels(context), [0, 0])

    def test_the_last_run(self):
        config = isst.Config("# isst configuration 1\nlevel 3\n", "wanted.conf", file=True)
        with self.open(lock_ms=1000) as context:
            self.assertIsNone(context.read_apply_record())
            config.record_apply(context)
            run = context.read_apply_record()
            text = config.to_text().encode()
            self.assertEqual((run.succeeded, run.source, run.sha256), (True, "wanted.conf", hashlib.sha256(text).hexdigest()))
            self.assertLess(abs(run.time_s - time.time()), 600)
            config.record_apply(context, isst.Error(EIO, "failed"))
            self.assertFalse(context.read_apply_record().succeeded)

    def test_problems(self):
        with self.assertRaises(isst.ConfigError) as caught:
            isst.Config("# isst configuration 1\nlevel x\nclos 9: min 0\n", "wrong.conf", file=True)
        self.assertEqual([problem.text.split(" ")[0] for problem in caught.exception.problems], ["wrong.conf:2:", "wrong.conf:3:"])
        self.assertEqual(caught.exception.errno, EINVAL)

    def test_problems_of_the_last_call(self):
        config = isst.Config("level 9\n", "wanted")
        with self.open(lock_ms=1000) as context, context.change() as change:
            change.run()
            with self.assertRaises(isst.ConfigError):
                config.check(context)
            with self.assertRaises(isst.ConfigError) as caught:
                change.add_config(config)
            self.assertIn("already made", caught.exception.strerror)
            self.assertEqual(caught.exception.problems, [])

    def test_skipped_statements(self):
        config = isst.Config("? level 9\n", "wanted")
        with self.open() as context:
            self.assertEqual(config.check(context), [])
            self.assertEqual([message.text.split(" ")[:3] for message in config.skipped], [["wanted:", "packages", "0-1,"]])
        self.assertEqual([message.errno for message in config.skipped], [EOPNOTSUPP])

    def test_later_texts_win(self):
        config = isst.Config("level 1\n")
        config.add_text("level 3\n", "second")
        self.assertEqual(config.check(self.open())[0].wanted, "3")
        with self.assertRaises(ValueError):
            config.to_text()

    def test_another_machine(self):
        with self.open(lock_ms=1000) as context:
            with self.assertRaises(isst.ConfigError) as caught:
                isst.Config("match model 0x55\nlevel 3\n").match(context)
            self.assertEqual(caught.exception.errno, EOPNOTSUPP)
            self.assertTrue(caught.exception.problems)
            skipped = isst.Config("match model 0x55 else skip\nlevel 3\n")
            self.assertFalse(skipped.match(context))
            self.assertIsNone(skipped.check(context))

    def test_high_priority_cores(self):
        config = isst.Config("turbo-freq on\nhigh-priority bucket 0\n")
        self.assertIsNone(config.high_priority_cpus)
        config.check(self.open())
        self.assertEqual(len(config.high_priority_cpus), 8)

    def test_defaults(self):
        context = self.open()
        self.assertIn("clos", context.default_config(isst.ConfigPart.CLOS).to_text())
        config = isst.Config(context.default_config().to_text(), "defaults", file=True)
        self.assertEqual(config.check(context), [])
        self.failure(ENOENT, context.boot_config)


class Alarm(Exception):
    """What the handler of a signal raises."""


class Signals(MachineTest):
    """Exceptions of handlers of signals."""

    def setUp(self):
        super().setUp()
        self.addCleanup(signal.signal, signal.SIGALRM, signal.signal(signal.SIGALRM, self.handler))
        self.addCleanup(signal.setitimer, signal.ITIMER_REAL, 0)

    @staticmethod
    def handler(number, frame):
        raise Alarm

    def run_with_alarm(self, context, delay, **options):
        """Runs a change while a signal comes. Returns whether it raised, the change, and how long it took."""
        level = 3 if self.levels(context) == [0, 0] else 0
        with context.change(**options) as change:
            change.add_level(level)
            change.add_clos(1, max_mhz=2000 + 100 * level)
            raised, start = False, time.monotonic()
            try:
                signal.setitimer(signal.ITIMER_REAL, delay)
                change.run()
                duration = time.monotonic() - start
                signal.setitimer(signal.ITIMER_REAL, 0)
            except Alarm:
                raised, duration = True, time.monotonic() - start
        signal.setitimer(signal.ITIMER_REAL, 0)
        self.assertEqual(self.levels(context) == [level, level], change.is_made)
        self.assertTrue(raised or change.is_made)
        self.assertIs(signal.getsignal(signal.SIGALRM), self.handler)
        return raised, change, duration

    def sweep(self, context, **options):
        """How often the exception was raised and the change rolled back, over delays of all lengths; on a busy machine, where
        a change takes now longer, now shorter, over more of them."""
        count = 0
        for _ in range(20):
            whole = min(self.run_with_alarm(context, 10, **options)[2] for _ in range(3))
            outcomes = [self.run_with_alarm(context, whole * step / 40 + 1e-6, **options) for step in range(40)]
            count += sum(raised and not change.is_made for raised, change, _ in outcomes)
            if count > 5:
                break
        return count

    def test_an_exception_is_raised_and_the_change_rolled_back(self):
        self.assertGreater(self.sweep(self.open(lock_ms=1000)), 5)

    def test_an_exception_in_a_function_of_the_program(self):
        def work(*arguments):
            for _ in range(50):
                str(arguments)
        context = self.open(lock_ms=1000, log=work, log_level=isst.LogLevel.DEBUG, interrupted=work)
        self.assertGreater(self.sweep(context, progress=work), 5)

    def test_a_function_of_the_program_is_interrupted_at_once(self):
        context = self.open(lock_ms=1000, interrupted=lambda: time.sleep(60))
        start = time.monotonic()
        raised, change, _ = self.run_with_alarm(context, 0.05)
        self.assertTrue(raised and not change.is_made)
        self.assertLess(time.monotonic() - start, 30)

    def test_the_wait_for_the_lock_ends(self):
        context = self.open()
        with self.open(lock_ms=0):
            for delay in (0.005, 0.03):
                signal.setitimer(signal.ITIMER_REAL, delay)
                with self.assertRaises(Alarm):
                    context.lock(60000)

    def test_calls_that_do_not_wait_leave_handlers_alone(self):
        context = self.open()
        replaced = []
        original = isst._Signals.replace
        self.addCleanup(setattr, isst._Signals, "replace", original)
        isst._Signals.replace = lambda number, handler: (replaced.append(number), original(number, handler))
        context.cpus_changed()
        context.read_perf_profiles()
        isst.Config("level 1\n").check(context)
        context.explain()
        self.assertEqual(replaced, [])
        context.explain(measure=True)
        self.assertIn(signal.SIGALRM, replaced)

    def test_an_exception_during_a_call_that_does_not_wait(self):
        context = self.open()
        for step in range(50):
            with self.assertRaises(Alarm):
                signal.setitimer(signal.ITIMER_REAL, 0.001 + step * 1e-5)
                while True:
                    context.cpus_changed()
        self.assertEqual(self.levels(context), [0, 0])

    def test_a_handler_that_does_not_raise_interrupts_nothing(self):
        caught = []
        signal.signal(signal.SIGALRM, lambda number, frame: caught.append(number))
        context = self.open()
        with self.open(lock_ms=0):
            signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
            self.failure(EBUSY, context.lock, 200)
        self.assertGreater(len(caught), 3)

    def test_a_handler_that_is_replaced_stays_replaced(self):
        def second(number, frame):
            raise Alarm

        def first(number, frame):
            signal.signal(signal.SIGALRM, second)
        signal.signal(signal.SIGALRM, first)
        context = self.open()
        with self.open(lock_ms=0):
            signal.setitimer(signal.ITIMER_REAL, 0.01, 0.03)
            with self.assertRaises(Alarm):
                context.lock(60000)
            signal.setitimer(signal.ITIMER_REAL, 0)
        self.assertIs(signal.getsignal(signal.SIGALRM), second)

    @unittest.skipUnless(os.uname().machine in ("x86_64", "aarch64"), "struct sigaction has another layout")
    def test_the_flags_of_the_kernel_stay(self):
        def flags():
            action = isst.ctypes.create_string_buffer(1024)
            isst._LIBC.sigaction(signal.SIGALRM, None, action)
            return action.raw[:16] + action.raw[136:140]
        for interrupt in (False, True):
            signal.siginterrupt(signal.SIGALRM, interrupt)
            before, seen = flags(), []
            self.open(log=lambda level, message: seen.append(flags()), log_level=isst.LogLevel.DEBUG)
            self.assertEqual(set(seen), {before})
            self.assertEqual(flags(), before)

    def test_a_rollback_that_fails_is_the_cause(self):
        def interrupt():
            if self.levels(other) != [0, 0]:
                self.faults("change any EIO")
                raise Alarm
        other = self.open()
        context = self.open(lock_ms=1000, interrupted=interrupt)
        with context.change() as change:
            change.add_level(3)
            change.add_clos(1, max_mhz=2000)
            with self.assertRaises(Alarm) as caught:
                change.run()
            self.assertIsInstance(caught.exception.__cause__, isst.RollbackError)
            self.assertTrue(change.differences)
            self.assertFalse(change.is_made)

    def test_another_thread(self):
        context, done = self.open(lock_ms=1000), []

        def make():
            with context.change() as change:
                change.add_level(3)
                done.append(change.run())
        thread = threading.Thread(target=make)
        thread.start()
        thread.join()
        self.assertEqual((done, self.levels(context)), ([True], [3, 3]))


class Ownership(MachineTest):
    """What is used, lost and copied at the wrong time."""

    def test_a_function_of_the_program_cannot_use_what_calls_it(self):
        uses = ("context.close()", "change.close()", "change.run()", "context.unlock()", "context.online_cpus", "change.steps",
                "context.read_core_power()", "context.discard_journal()")
        for use in uses:
            for name in ("log", "interrupted", "progress"):
                places = {}

                def misuse(*arguments):
                    if places:
                        eval(use, places)
                options = {name: misuse}
                progress = options.pop("progress", None)
                with self.open(lock_ms=1000, log_level=isst.LogLevel.DEBUG, **options) as context:
                    with context.change(progress=progress) as change:
                        change.add_level(3, online=True)
                        places.update(context=context, change=change)
                        with self.assertRaisesRegex(RuntimeError, "is used by"):
                            change.run()
                        places.clear()
                    self.assertEqual((self.levels(context), len(context.online_cpus)), ([0, 0], 56), use)

    def test_a_configuration_in_use_does_not_change(self):
        config = isst.Config("level 3\n")
        used = []
        context = self.open(log=lambda level, message: used and config.add_text("level 1\n"), log_level=isst.LogLevel.DEBUG)
        used.append(True)
        with self.assertRaisesRegex(RuntimeError, "is used by"):
            config.check(context)

    def test_no_object_is_copied(self):
        context = self.open(lock_ms=1000)
        with context.change() as change:
            for thing in (context, change, isst.Config()):
                for function in (copy.copy, copy.deepcopy, pickle.dumps):
                    with self.assertRaisesRegex(TypeError, "neither be copied nor pickled"):
                        function(thing)

    def test_a_lost_change_is_rolled_back(self):
        context = self.open(lock_ms=1000)
        change = context.change(isst.ChangeFlag.HOLD, progress=print)
        change.add_level(3)
        change.run()
        self.assertEqual(self.levels(context), [3, 3])
        del change
        gc.collect()
        self.assertEqual(self.levels(context), [0, 0])
        context.unlock()

    def test_a_change_and_its_context_are_lost_together(self):
        for _ in range(20):
            context = isst.Context(emulate="guide", state=os.path.join(self.state, "machine"), lock_ms=1000)
            change = context.change(isst.ChangeFlag.HOLD)
            change.add_level(3)
            change.run()
            change.itself, context.itself = change, context
            del change, context
            gc.collect()
        self.assertEqual(self.levels(self.open(lock_ms=0)), [0, 0])

    def test_a_change_that_is_lost_during_a_call(self):
        lost, ready = [], []
        context = self.open(lock_ms=1000, log=lambda level, message: ready and lost.clear(), log_level=isst.LogLevel.DEBUG)
        lost.append(context.change(isst.ChangeFlag.HOLD))
        lost[0].add_level(3)
        lost[0].run()
        ready.append(True)
        context.read_core_power()
        self.assertEqual((lost, self.levels(context)), ([], [0, 0]))

    def test_a_closed_change_is_not_the_next_one(self):
        context = self.open(lock_ms=1000)
        for _ in range(20):
            with context.change() as first:
                pass
            with context.change() as second:
                with self.assertRaises(ValueError):
                    first.steps
                first.close()
                second.add_level(0)

    def test_all_changes_are_ended_when_one_fails(self):
        context = self.open(discover=False)
        with self.assertRaises(isst.RollbackError):
            with context.lock(1000):
                held = context.change(isst.ChangeFlag.HOLD)
                held.add_level(3)
                held.run()
                self.faults("change any EIO")
        self.faults()
        for use in (lambda: held.steps, held.run):
            with self.assertRaises(ValueError):
                use()
        self.open(lock_ms=0, discover=False)

    def test_a_constructor_that_fails_leaves_no_descriptor(self):
        gc.collect()
        before = os.listdir("/proc/self/fd")
        for options in ({"tries": -1}, {"pause_ms": 1 << 32}, {"tries": "x"}, {"lock_ms": -1}, {"log": print, "log_level": 1 << 31}):
            with self.assertRaises((isst.Error, TypeError)):
                self.open(**options)
        self.assertEqual(os.listdir("/proc/self/fd"), before)

    def test_numbers_and_texts_of_a_machine(self):
        context = self.open(lock_ms=1000)
        wide = 1 << 32
        change = context.change()
        for function, arguments in ((context.cpu, (wide | 5,)), (context.read_frequencies, ([wide | 5],)),
                                    (context.cpus_of_module, (wide,)), (context.has, (wide | 1,)),
                                    (context.change, (wide | 1,)),
                                    (change.add_clos_association, (1, [wide | 5])), (change.add_level, (1 << 64 | 3,)),
                                    (context.default_config, (wide | 1,)), (context.cpus_by_name, ("clos:0\0",)),
                                    (context.capture, ("/tmp\0",)), (context.change, (0, "a\0b")),
                                    (self.open, ("guide\0x",))):
            self.failure(EINVAL, function, *arguments)
        context.unlock()
        for timeout in (-1, wide):
            self.failure(EINVAL, context.lock, timeout)

    def test_paths(self):
        state, directory = pathlib.Path(self.state, "machine"), pathlib.Path(self.state, "captured")
        with isst.Context(emulate="guide", state=state, discover=False) as context:
            context.capture(directory)
        with isst.Context(emulate=directory, state=os.fsencode(str(state) + "-2")) as context:
            self.assertEqual(len(context.domains), 2)
        self.assertTrue(os.path.isdir(str(state) + "-2"))

    def test_a_state_without_a_platform_is_not_the_real_machine(self):
        self.failure(EINVAL, isst.Context, state=os.path.join(self.state, "machine"))

    def test_other_types(self):
        with self.open(lock_ms=1000) as context, context.change() as change:
            with self.assertRaises(AttributeError):
                change.add_config(change)
            with self.assertRaises(TypeError):
                change.has_left_out(context.cpu(0))


class Journals(MachineTest):
    """Changes of processes that died."""

    def interrupt(self):
        """A process that dies while it holds a change."""
        child = os.fork()
        if child == 0:
            context = self.open(lock_ms=1000)
            change = context.change(isst.ChangeFlag.HOLD, command="held by a test")
            change.add_level(3)
            change.run()
            os._exit(0)
        self.assertEqual(os.waitpid(child, 0)[1], 0)

    def test_a_journal_is_examined_and_applied(self):
        self.interrupt()
        context = self.open(discover=False)
        context.keep_journal()
        with context.lock(), context.journal() as journal:
            self.assertEqual((journal.command, journal.is_held), ("held by a test", True))
            self.assertGreaterEqual(journal.age_s, 0)
            entry = journal.entries[0]
            self.assertEqual((entry.target, entry.old_number, entry.written_number, entry.present_number, entry.flags),
                             ("package 0, die 0: level", 0, 3, 3, isst.JournalEntryFlag.RESTORED))
            self.assertEqual((entry.old_text, entry.written_text, entry.present_text), ("0", "3", "3"))
            self.assertIs(entry.item.kind, isst.ItemKind.LEVEL)
            self.assertEqual(json.loads(json.dumps(entry.to_dict()))["flags"], ["restored"])
            self.assertTrue(entry.finding)
            journal.apply()
            self.assertEqual(self.levels(context), [0, 0])
        self.assertIsNone(context.journal())

    def test_a_journal_is_discarded(self):
        self.interrupt()
        context = self.open(discover=False)
        context.keep_journal()
        with context.lock():
            context.discard_journal()
        self.assertEqual(self.levels(context), [3, 3])

    def test_discovery_under_the_lock_rolls_back(self):
        self.interrupt()
        context = self.open(lock_ms=1000)
        self.assertEqual(self.levels(context), [0, 0])
        self.assertTrue(any("rolled back" in notice.text for notice in context.notices), context.notices)


PROGRAMS = re.findall(r"^```python\n(import .*?)^```$", read("docs", "python.md"), re.S | re.M)
ENVIRONMENT = dict(os.environ, PYTHONPATH=os.path.join(BUILD, "python"), LC_ALL="C", PYTHONDONTWRITEBYTECODE="1")


# What fails for 0.2 seconds while the agent of docs/python.md has something to do: no driver, no descriptor, firmware and files.
AGENT_RULES = """
open ENOENT;open EMFILE;open EACCES;mailbox any EIO;mailbox any EBUSY;mailbox any ENODEV;mailbox any ignored;mailbox 0x7f/0x00 EIO
mailbox 0x94/0x03 set EIO;mailbox any short;mmio any EIO;mmio any set EINVAL;mmio any ignored;msr any EIO;command any EAGAIN
command any EINTR;command any EIO after 20;change any EIO;change any EIO after 3;change any EIO after 5 times 1
change any ENOSPC;query any EIO;query any EMFILE after 40;capability number 21 denied;read /sys/devices/system/cpu/online EIO
""".strip().replace("\n", ";").split(";")


class Guide(MachineTest):
    """The programs of docs/python.md, on the emulated machine."""

    def program(self, number):
        self.assertEqual(len(PROGRAMS), 4)
        path = os.path.join(self.state, "program{}.py".format(number))
        with open(path, "w") as file:
            file.write(PROGRAMS[number])
        return path

    def run_program(self, number, *arguments):
        return self.launch(sys.executable, self.program(number), *arguments, env=ENVIRONMENT)

    def test_the_first_program_prints_levels(self):
        status, printed = self.run_program(0)
        self.assertEqual(status, 0, printed)
        self.assertIn("package 1, die 0: level 3, base frequency 2700 MHz, 22 CPUs", printed)

    def test_the_second_program_raises_cores_while_a_command_runs(self):
        status, printed = self.run_program(1, "2-3", COMMAND, "-c", "2", "core-power", "get-assoc")
        self.assertEqual(status, 0, printed)
        self.assertIn("clos:0", printed)
        self.assertIn("raised CPUs 2-3,30-31", printed)
        self.assertIn("clos-enable-status:disabled", self.command("-c", "0", "core-power", "info"))
        self.assertEqual({result.values.turbo_freq_state for result in self.open().read_levels(current=True)},
                         {isst.FeatureState.DISABLED})

    def wait_for(self, condition):
        end = time.monotonic() + 60
        while not condition():
            self.assertLess(time.monotonic(), end, "waited in vain")
            time.sleep(0.05)

    def test_the_agent_keeps_high_priority(self):
        said = self.keep_high_priority(sys.executable, self.program(2))
        self.assertIn("high priority: 0-1,14-15,28-29,42-43\n", said)

    @unittest.skipUnless(shutil.which("cc"), "there is no cc")
    def test_the_agent_in_c_keeps_high_priority(self):
        source, program = os.path.join(self.state, "agent.c"), os.path.join(self.state, "agent")
        with open(source, "w") as file:
            file.write(re.findall("^```c\n(.*?)^```$", read("docs", "library.md"), re.S | re.M)[4])
        subprocess.run(["cc", "-I", os.path.join(ROOT, "include"), "-o", program, source, "-L", BUILD, "-lisst", "-Wl,-rpath," + BUILD],
                       check=True)
        self.keep_high_priority(program)

    def keep_high_priority(self, *words):
        """An agent for two cores of each package, while each of the rules holds: what it printed."""
        self.launch("true")
        context, printed = self.open(), os.path.join(self.state, "printed")
        with open(printed, "w") as file:
            agent = subprocess.Popen([COMMAND, "--emulate", self.platform, "--emulate-state", os.path.join(self.state, "machine"),
                                      "emulate", "--", *words, "2"], stdout=file, stderr=file, env=ENVIRONMENT)
        self.addCleanup(agent.wait)
        self.addCleanup(agent.kill)

        def has_priority(count=8):
            try:
                context.discover()
                return len(context.cpus_by_name("high-priority")) == count
            except isst.Error:
                return False
        self.wait_for(has_priority)
        for rule in AGENT_RULES:
            self.command("turbo-freq", "disable", "--auto")
            self.faults(rule)
            time.sleep(0.2)
            self.faults()
            self.wait_for(has_priority)
            self.assertIsNone(agent.poll(), rule)
        for online in ("0", "1"):
            self.launch("sh", "-c", "for n in $(seq 14 27) $(seq 42 55); do "
                        "echo {} > /sys/devices/system/cpu/cpu$n/online; done".format(online))
            self.wait_for(lambda: has_priority(8 if online == "1" else 4))
        agent.terminate()
        self.assertEqual(agent.wait(), 0)
        with open(printed) as file:
            said = file.read()
        self.assertGreater(len(set(said.splitlines())), 10, said)
        return said

    def test_the_program_with_asyncio(self):
        status, printed = self.run_program(3)
        self.assertEqual((status, printed), (0, "package 0, die 0 False 0\npackage 1, die 0 False 0\n"))


class Types(unittest.TestCase):
    """The package and the programs of docs/python.md for type checkers, and the import of a package that does not fit."""

    def mypy(self, *texts):
        if not shutil.which("mypy"):
            self.skipTest("there is no mypy")
        directory = tempfile.mkdtemp(prefix="isst-python-")
        self.addCleanup(shutil.rmtree, directory)
        for number, text in enumerate(texts):
            with open(os.path.join(directory, "program{}.py".format(number)), "w") as file:
                file.write(text)
        # Python 3.9 is the oldest that the package runs with.
        done = subprocess.run(["mypy", "--strict", "--python-version=3.9", "--cache-dir=" + os.path.join(BUILD, "python", "mypy"),
                               os.path.join(BUILD, "python", "isst"), *sorted(os.listdir(directory))],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=directory,
                              env=dict(os.environ, MYPYPATH=os.path.join(BUILD, "python")))
        return done.stdout.decode()

    def test_the_package_and_programs_have_types(self):
        self.assertRegex(self.mypy(*PROGRAMS), "^Success: no issues found in 5 source files")

    def test_mistakes_are_found(self):
        found = self.mypy("""import isst
with isst.Context() as context:
    for result in context.read_levels():
        print(result.base_mhz)
        print(result.values.base_ghz)
        print(result.values.base_mhz + 1)
        context.cpus_by_name(1)
""")
        self.assertEqual(re.findall(r"^program0.py:(\d+): error: .*\[(.*)\]$", found, re.M),
                         [("4", "attr-defined"), ("5", "attr-defined"), ("6", "operator"), ("7", "arg-type")], found)

    def imported(self, *change):
        """What the import of a changed package prints."""
        directory = tempfile.mkdtemp(prefix="isst-python-")
        self.addCleanup(shutil.rmtree, directory)
        with open(isst.__file__) as file, open(os.path.join(directory, "isst.py"), "w") as changed:
            text = file.read()
            self.assertIn(change[0], text)
            changed.write(text.replace(*change))
        done = subprocess.run([sys.executable, "-c", "import isst"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=directory)
        return done.stdout.decode().splitlines()[-1]

    def test_a_library_that_is_older_or_missing(self):
        said = "ImportError: the package isst {} needs libisst {} or later: "
        own = said.format(isst.version(), isst.version())
        self.assertEqual(self.imported('__version__ = "0.', '__version__ = "99.'),
                         said.format(*["99." + isst.version()[2:]] * 2) + "libisst.so.0 has version " + isst.version())
        self.assertRegex(self.imported("    platform_fact:", "    no_such_function:"),
                         "^" + re.escape(own) + ".*undefined symbol: isst_no_such")
        self.assertRegex(self.imported('"libisst.so.0"', '"libisst.so.99"'), "^" + re.escape(own) + "libisst.so.99: cannot open")


# ---- TAP ----

class TapResult(unittest.TestResult):
    """Prints a line for each test."""

    count = 0

    def line(self, word, test, remark=""):
        self.count += 1
        name = test.id().split(".", 1)[1].replace("_", " ").replace(".test ", ": ")
        print("{} {} - {}{}".format(word, self.count, name, remark), flush=True)

    def addSuccess(self, test):
        super().addSuccess(test)
        self.line("ok", test)

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.line("ok", test, " # SKIP " + reason)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.line("not ok", test)
        print(re.sub("^", "# ", self.failures[-1][1], flags=re.M))

    def addError(self, test, err):
        super().addError(test, err)
        self.line("not ok", test)
        print(re.sub("^", "# ", self.errors[-1][1], flags=re.M))


def main():
    chosen = unittest.defaultTestLoader
    suite = chosen.loadTestsFromNames(sys.argv[2:], sys.modules["__main__"]) if sys.argv[2:] else \
        chosen.loadTestsFromModule(sys.modules["__main__"])
    result = TapResult()
    suite.run(result)
    print("1..{}".format(result.count))
    return 0 if result.wasSuccessful() and result.count else 1


sys.exit(main())
