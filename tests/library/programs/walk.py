# SPDX-License-Identifier: BSD-3-Clause
"""Reads all levels of a machine from a language without C headers: by the library's table of values, and without the
layout of any struct. Compares them with what the command prints: walk.py LIBRARY COMMAND PLATFORM STATE-DIRECTORY"""

import ctypes
import json
import subprocess
import sys

READ_LEVELS, TRL_TYPES, MASK_BITS = 2, 20, 21
PROPERTIES, BASE_FREQ, TURBO_FREQ = 1, 2, 4
NUMBER, FLAG, FEATURE, PRIORITY, BITS, CPUS = 1, 2, 3, 4, 5, 6
STATES = {1: "unsupported", 2: "disabled", 3: "enabled"}


class Pointer(ctypes.c_void_p):
    """Of whatever type: ctypes makes no number of it."""


class Library:
    """The library's functions, with the results that are no int."""

    TEXTS = "isst_error isst_value_name isst_value_unit isst_trl_type_name isst_result_message"
    POINTERS = ("isst_emulator_target_new isst_targets_new isst_results_at isst_result_domain "
                "isst_domain_present_cpus")
    SIZES = "isst_results_count isst_cpuset_count"

    def __init__(self, path):
        self.library = ctypes.CDLL(path)
        for names, kind in ((self.TEXTS, ctypes.c_char_p), (self.POINTERS, Pointer), (self.SIZES, ctypes.c_size_t)):
            for name in names.split():
                getattr(self.library, name).restype = kind

    def __getattr__(self, name):
        return getattr(self.library, name)

    def check(self, error, context):
        """Ends the program where a call failed."""
        if error:
            raise SystemExit(f"{error}: {self.isst_error(context).decode()}")

    @staticmethod
    def text(pointer):
        """A text that is the caller's."""
        value = ctypes.string_at(pointer).decode()
        ctypes.CDLL(None).free(pointer)
        return value


def open_machine(isst, platform, directory):
    target = isst.isst_emulator_target_new(platform.encode())
    machine, context, error = Pointer(), Pointer(), ctypes.c_char_p()
    isst.isst_emulator_target_set_state(target, directory.encode())
    if isst.isst_emulator_open(target, ctypes.byref(machine), ctypes.byref(error)):
        raise SystemExit(error.value)
    if isst.isst_open_machine(machine, None, ctypes.byref(context)):
        raise SystemExit("out of memory")
    isst.check(isst.isst_discover(context), context)
    return context


def numbers_of(isst, cpus):
    """The numbers of a set of CPUs."""
    numbers, cpu = [], ctypes.c_uint()
    while isst.isst_cpuset_next(cpus, cpu, ctypes.byref(cpu)):
        numbers.append(cpu.value)
        cpu.value += 1
    return numbers


def mask_of(numbers, bits):
    """The numbers as a mask of the kernel."""
    mask = sum(1 << number for number in numbers)
    return ",".join(f"{mask >> word & 0xffffffff:08x}" for word in range(bits - 32, -1, -32))


def values_of(isst, context, result):
    """All that a result says: {name: {(row, column): number, list of CPUs, or mask}}"""
    found, index = {}, 0
    while identity := isst.isst_value_at(ctypes.c_size_t(index)):
        index += 1
        name = isst.isst_value_name(identity).decode()
        kind = isst.isst_value_type(identity)
        places = found.setdefault(name, {})
        rows, columns = ctypes.c_uint(), ctypes.c_uint()
        isst.isst_result_extent(result, identity, ctypes.byref(rows), ctypes.byref(columns))
        if kind == CPUS:
            cpus = Pointer()
            if isst.isst_result_cpus(result, identity, ctypes.byref(cpus)) == 0:
                numbers = numbers_of(isst, cpus)
                places[0, 0] = (isst.isst_cpuset_count(cpus), ",".join(map(str, numbers)),
                                mask_of(numbers, isst.isst_platform_fact(context, MASK_BITS)))
        elif kind != BITS:
            for row in range(rows.value):
                for column in range(columns.value):
                    value = ctypes.c_uint()
                    if isst.isst_result_value_at(result, identity, row, column, ctypes.byref(value)) == 0:
                        places[row, column] = value.value
    return found


def put(level, key, value):
    if value is not None:
        level[key] = str(value)


def put_cpus(level, cpus, prefix, counted):
    if cpus is None:
        return
    count, listed, mask = cpus
    if counted and count:
        level["enable-cpu-count"] = str(count)
    level[prefix + "-mask"] = mask
    level[prefix + "-list"] = listed or "none"


def base_freq_of(first):
    found = {}
    put(found, "high-priority-base-frequency(MHz)", first("base_freq_high_mhz"))
    put_cpus(found, first("base_freq_high_cpus"), "high-priority-cpu", False)
    put(found, "low-priority-base-frequency(MHz)", first("base_freq_low_mhz"))
    put(found, "tjunction-temperature(C)", first("base_freq_tjunction_c"))
    put(found, "thermal-design-power(W)", first("base_freq_tdp_w"))
    return found


def frequency_key(side, kind):
    return f"{side}-priority-max-{'' if kind == 'sse' else kind + '-'}frequency(MHz)"


def turbo_freq_of(values, kinds, buckets):
    found = {}
    for bucket in range(buckets):
        entry = found[f"bucket-{bucket}"] = {}
        put(entry, "high-priority-cores-count", values["turbo_freq_high_cores"].get((0, bucket)))
        for row, kind in enumerate(kinds):
            put(entry, frequency_key("high", kind), values["turbo_freq_high_mhz"].get((row, bucket)))
    clips = found["speed-select-turbo-freq-clip-frequencies"] = {}
    for row, kind in enumerate(kinds):
        put(clips, frequency_key("low", kind), values["turbo_freq_clip_mhz"].get((row, 0)))
    return found


def limits_of(values, row):
    places = values["turbo_limit_mhz"]
    found = {}
    for column in range(1 + max(column for _, column in places)):
        entry = found[f"bucket-{column}"] = {}
        put(entry, "core-count", values["turbo_limit_cores"].get((row, column)))
        put(entry, "max-turbo-frequency(MHz)", places.get((row, column)))
    return found


PLAIN = {
    "tdp_ratio": "thermal-design-power-ratio", "base_avx2_mhz": "base-frequency-avx2(MHz)",
    "base_avx512_mhz": "base-frequency-avx512(MHz)", "base_amx_mhz": "base-frequency-amx(MHz)",
    "memory_mhz": "max-mem-frequency(MHz)", "cooling_type": "cooling_type",
    "tdp_w": "thermal-design-power(W)", "tjunction_c": "tjunction-max(C)",
}
FEATURES = {"turbo_freq_state": "speed-select-turbo-freq", "base_freq_state": "speed-select-base-freq",
            "core_power_state": "speed-select-core-power"}


def level_of(values, kinds, present):
    """A level as the command prints it."""
    def first(name):
        return values[name].get((0, 0))

    level = {}
    if present:
        level["cpu-count"] = str(present)
    put_cpus(level, first("cpus"), "enable-cpu", True)
    for name, key in PLAIN.items():
        put(level, key, first(name))
    base = first("base_mhz")
    put(level, "base-frequency(MHz)", base if base is not None else first("tdp_ratio") * 100)
    for row, key in ((0, "uncore"), (1, "uncore-1")):
        for what in ("min", "max", "base"):
            put(level, f"{key}-frequency-{what}(MHz)", values[f"fabric_{what}_mhz"].get((row, 0)))
    for name, key in FEATURES.items():
        if first(name) is not None:
            level[key] = STATES[first(name)]
    for row, kind in enumerate(kinds):
        if values["turbo_limit_mhz"].get((row, 0)) is not None:
            level[f"turbo-ratio-limits-{kind}"] = limits_of(values, row)
    if first("base_freq_state") in (2, 3):
        level["speed-select-base-freq-properties"] = base_freq_of(first)
    if first("turbo_freq_state") in (2, 3):
        level["speed-select-turbo-freq-properties"] = turbo_freq_of(values, kinds, first("turbo_freq_buckets"))
    return level


def read_levels(isst, context):
    """{index of the domain: {level: what it says}}"""
    targets, results = isst.isst_targets_new(context), Pointer()
    isst.check(isst.isst_targets_add_all_domains(targets, 0), context)
    isst.check(isst.isst_read(context, READ_LEVELS, targets, None, PROPERTIES | BASE_FREQ | TURBO_FREQ,
                                     ctypes.byref(results)), context)
    kinds = [isst.isst_trl_type_name(context, kind).decode() for kind in range(isst.isst_platform_fact(context, TRL_TYPES))]
    found = {}
    for index in range(isst.isst_results_count(results)):
        result = isst.isst_results_at(results, ctypes.c_size_t(index))
        domain = isst.isst_result_domain(result)
        cpus = isst.isst_domain_present_cpus(domain)
        values = values_of(isst, context, result)
        levels = found.setdefault(isst.isst_domain_index(domain), {})
        levels[f"perf-profile-level-{values['level'][0, 0]}"] = level_of(values, kinds, isst.isst_cpuset_count(cpus))
    isst.isst_results_free(results)
    isst.isst_targets_free(targets)
    return found


def levels_of_command(command, platform, directory):
    """The same of the command's output: domains in their order."""
    printed = subprocess.run([command, "--emulate", platform, "--emulate-state", directory, "--format", "json",
                              "perf-profile", "info"], check=True, stdout=subprocess.PIPE).stdout
    found = []

    def descend(tree):
        if any(key.startswith("perf-profile-level-") for key in tree):
            found.append(tree)
            return
        for value in tree.values():
            if isinstance(value, dict):
                descend(value)

    descend(json.loads(printed))
    return dict(enumerate(found))


def main():
    path, command, platform, directory = sys.argv[1:]
    isst = Library(path)
    context = open_machine(isst, platform, directory)
    ours, printed = read_levels(isst, context), levels_of_command(command, platform, directory)
    isst.isst_close(context)
    if ours != printed or not ours:
        print(json.dumps(ours, indent=1, sort_keys=True))
        print(json.dumps(printed, indent=1, sort_keys=True))
        raise SystemExit("what was read and what the command prints differ")
    print(f"{sum(len(levels) for levels in ours.values())} levels of {len(ours)} domains")


main()
