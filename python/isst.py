# SPDX-License-Identifier: BSD-3-Clause
"""Control of Intel Speed Select Technology (SST) on Linux servers, by the library libisst.

    import isst

    with isst.Context() as context:
        for result in context.read_levels(current=True):
            print(result.domain.name, result.level, result.base_mhz)

The module loads libisst.so.0 when it is first used. It has the shapes of the library, see libisst(3):

 - A Context is a machine: its power domains (Domain), CPUs (Cpu) and settings. Sets of CPUs are Python sets of numbers.
 - A function that reads takes targets: None for all domains (or all online CPUs), Domain objects, or numbers of CPUs. It
   returns Results, a sequence with one Result or more for each target.
 - A Change is made as a whole, or not at all.
 - All frequencies are MHz, except the numbers of items (Item.unit). Names end with other units: _w, _c, _ms, _s.
 - A call that fails raises Error, an OSError with errno and the message of the library. A value that the machine does not
   have is None.

One thread at a time may use a context and what belongs to it. Contexts do not affect each other. After os.fork() a child
opens a context of its own.
"""

import collections
import collections.abc
import contextlib
import ctypes
import enum
import errno as errnos
import operator
import os
import signal
import threading
import time
import weakref

__all__ = [
    "ApplyRecord", "Change", "ChangeAdd", "ChangeFlag", "Changed", "Config", "ConfigDifference", "ConfigError", "ConfigPart", "Context", "Cpu",
    "Domain", "Error", "Explanation", "Fact", "FeatureState", "Finding", "FindingKind", "Item", "ItemKind", "Journal",
    "JournalEntry", "JournalEntryFlag", "LimitReason", "LogLevel", "Part", "Priority", "ReadLevels", "Result", "Results",
    "RollbackError", "Severity", "Step", "Type", "Value", "WarningKind", "finding_codes", "format_cpus", "limit_reasons", "load", "parse_cpus",
    "value_name", "value_type", "value_unit", "values", "version", "version_number", "warning_codes",
]

CLOS_COUNT = 4
CLOS_NO_LIMIT_MHZ = 25500
_PARTIAL = 1
_SKIPPED = 2
_ERR_ROLLBACK = errnos.ENOTRECOVERABLE


# ---- Numbers of the library ----

class LogLevel(enum.IntEnum):
    """Levels of the log (enum isst_log_level), the most severe first; a level includes those before it."""
    NONE, ERROR, WARNING, NOTICE, INFO, DEBUG = range(6)


class Fact(enum.IntEnum):
    """Facts about a platform (enum isst_fact), for Context.has()."""
    INTEL = 1
    MAILBOX = 2
    MMIO = 3
    PRESET = 4
    POWER_DOMAINS = 5
    CLOS_WEIGHT = 6
    CLOS_EPP = 7
    PROPORTIONAL_PRIORITY = 8
    TRL_TYPES_ARE_LEVELS = 9
    TURBO_DISABLED = 10
    CLOS_DESIRED = 11
    COUNTS_MODULES = 12


class Value(enum.IntEnum):
    """Values of results and requests (enum isst_value_id); isst_value_at(3) describes each."""
    LEVEL = 1
    CLOS = 2
    VERSION = 10
    HIGHEST_LEVEL = 11
    LEVEL_MASK = 12
    CURRENT_LEVEL = 13
    LOCKED = 14
    ENABLED = 15
    TURBO_FREQ_STATE = 20
    BASE_FREQ_STATE = 21
    CORE_POWER_STATE = 22
    CPUS = 30
    CORES = 31
    TDP_RATIO = 32
    BASE_MHZ = 33
    BASE_AVX2_MHZ = 34
    BASE_AVX512_MHZ = 35
    BASE_AMX_MHZ = 36
    FABRIC_BASE_MHZ = 37
    FABRIC_MIN_MHZ = 38
    FABRIC_MAX_MHZ = 39
    MEMORY_MHZ = 40
    COOLING_TYPE = 41
    TDP_W = 42
    TJUNCTION_C = 43
    TURBO_LIMIT_CORES = 44
    TURBO_LIMIT_MHZ = 45
    BASE_FREQ_HIGH_CPUS = 60
    BASE_FREQ_HIGH_MHZ = 61
    BASE_FREQ_LOW_MHZ = 62
    BASE_FREQ_TJUNCTION_C = 63
    BASE_FREQ_TDP_W = 64
    TURBO_FREQ_BUCKETS = 70
    TURBO_FREQ_HIGH_CORES = 71
    TURBO_FREQ_HIGH_MHZ = 72
    TURBO_FREQ_CLIP_MHZ = 73
    CORE_POWER_SUPPORTED = 80
    CORE_POWER_ENABLED = 81
    CLOS_ENABLED = 82
    PRIORITY = 83
    CLOS_IN_FORCE = 84
    CLOS_EPP = 90
    CLOS_WEIGHT = 91
    CLOS_MIN_MHZ = 92
    CLOS_MAX_MHZ = 93
    CLOS_DESIRED_MHZ = 94
    TURBO_RATIO_LIMITS = 100
    HIGH_PRIORITY_CPUS = 110
    HIGH_PRIORITY_CORES = 111
    HIGH_PRIORITY_CORES_PER_PACKAGE = 112
    HIGH_PRIORITY_BUCKET = 113
    WITHIN_CPUS = 114
    AVOID_CPUS = 115
    UNCORE_MIN_MHZ = 120
    UNCORE_MAX_MHZ = 121
    UNCORE_INITIAL_MIN_MHZ = 122
    UNCORE_INITIAL_MAX_MHZ = 123
    SCALING_MIN_MHZ = 130
    SCALING_MAX_MHZ = 131
    PROCESSOR_MIN_MHZ = 132
    PROCESSOR_MAX_MHZ = 133
    CURRENT_MHZ = 140
    LIMIT_REASONS = 141
    POWER_MW = 142
    POWER_LIMIT_MW = 143


class LimitReason(enum.IntEnum):
    """Performance limit reasons (enum isst_limit_reason): bits of Value.LIMIT_REASONS."""
    FREQUENCY = 0
    CURRENT = 1
    POWER = 2
    THERMAL = 3
    PLATFORM = 4
    MCP = 5
    RAS = 6
    MISC = 7
    QOS = 8
    DFC = 9
    OTHER = 10


class FeatureState(enum.IntEnum):
    """States of a feature at a performance level (enum isst_feature_state)."""
    UNKNOWN, UNSUPPORTED, DISABLED, ENABLED = range(4)


class Priority(enum.IntEnum):
    """How core-power distributes frequency among CLOS (enum isst_priority)."""
    PROPORTIONAL, ORDERED = range(2)


class Type(enum.IntEnum):
    """Types of values (enum isst_type)."""
    NUMBER = 1
    FLAG = 2
    FEATURE_STATE = 3
    PRIORITY = 4
    BITS = 5
    CPUS = 6


class Part(enum.IntEnum):
    """Parts of a result that are read separately (enum isst_part), each with an error of its own."""
    RESULT, PERF_PROFILE, BASE_FREQ, TURBO_FREQ, CLOS = range(5)


class Severity(enum.IntEnum):
    """How much a finding costs (enum isst_severity)."""
    CRITICAL = 1
    WARNING = 2
    NOTE = 3
    ADVISORY = 4


class WarningKind(enum.IntEnum):
    """What a warning of a change is about (enum isst_warning_kind)."""
    LEFT_OUT = 1
    CPUS_LEFT_OUT = 2
    NOTHING_TO_DISABLE = 3
    CLIPPED = 4
    RESULT_UNKNOWN = 5
    FEATURES_DISABLED = 6
    FEATURES_CHECKED_LATER = 7
    NEEDED_BY_FEATURE = 8
    TURBO_FREQ_WITHOUT_CORE_POWER = 9
    BUCKET_OVERFULL = 10
    HIGH_PRIORITY_LOST = 11
    NO_HIGH_PRIORITY_CPUS = 12
    CLOS_MAX_ZERO = 13
    CLOS_MIN_TOO_HIGH = 14
    CLOS_SETTINGS_KEPT = 15
    TURBO_RATIO_LIMITS_KEPT = 16
    TURBO_RATIO_LIMITS_LOW = 17
    FORMER_LIMITS_MAY_RETURN = 18
    SCALING_LIMIT = 19
    SCALING_LIMIT_REPLACED = 20
    CPUFREQ_INTERFERES = 21
    GOVERNOR = 22
    HWP_OFF = 23
    UNCORE_LIMITS_KEPT = 24
    CPUS_STAY_OFFLINE = 25
    CPU_ISOLATED = 26
    PARTITION_KEPT = 27
    PARTITIONS_UNAVAILABLE = 28
    CHANGED_SINCE = 29
    NO_SAVED_SETTINGS = 30
    SAVED_FOR_OTHER_LEVEL = 31
    SAVED_LIMITS_KEPT = 32
    SETTINGS_NOT_SAVED = 33
    SAVED_SETTINGS_LOST = 34
    SAVED_SETTINGS_REMAIN = 35
    IRREVERSIBLE = 36
    OUT_OF_REACH = 37
    BOOT_STATE = 38
    JOURNAL_KEPT = 39
    REDISCOVERY_FAILED = 40
    LOST_OVER_SUSPEND = 41
    WRITTEN_BACK = 42
    CPUSETS_LOSE_CPUS = 43
    TURBO_DISABLED = 44


class FindingKind(enum.IntEnum):
    """What Context.explain() can find (enum isst_finding_kind), the most important first."""
    CLOS_MAX_ZERO = 1
    LIMITED_THERMAL = 2
    LIMITED_PLATFORM = 3
    CLOS_MAX_BELOW_BASE = 4
    TURBO_DISABLED = 5
    SCALING_LIMIT = 6
    NO_CPUFREQ = 7
    HWP_OFF = 8
    PRIORITY_WITHOUT_TURBO_FREQ = 9
    TURBO_FREQ_WITHOUT_CORE_POWER = 10
    TURBO_FREQ_WITHOUT_PRIORITIES = 11
    BUCKET_OVERFULL = 12
    CORE_POWER_OFF_WITH_ASSOCIATIONS = 13
    TURBO_RATIO_LIMITS_LOW = 14
    LEVEL_LOCKED = 15
    LEVEL_SLOWER = 16
    LEVEL_BASE_FREQUENCY = 17
    CPU_NOT_OF_LEVEL = 18
    CPU_OFFLINE_OF_LEVEL = 19
    UNCORE_LIMIT = 20
    GOVERNOR = 21
    EPP = 22
    SMT_OFF = 23
    LIMITED_POWER = 24
    LIMITED_CURRENT = 25
    LIMITED_RAS = 26
    LIMITED_MCP = 27
    LIMITED_DFC = 28
    LIMITED_QOS = 29
    LIMITED_MISC = 30
    LIMITED_FREQUENCY = 31
    LIMITED_OTHERWISE = 32
    BUCKET_NOT_FIRST = 33
    STATE_LOST_ON_RESUME = 34
    PERF_PCT_LIMIT = 35
    THERMAL_THROTTLED = 36
    MANAGER_AT_WORK = 37
    MEASURED_BELOW_BASE = 38
    MEASURED_BELOW_TURBO_FREQ = 39
    LOW_PRIORITY = 40
    CLOS_MAX = 41
    LOW_BASE_FREQUENCY = 42
    TURBO_FREQ_WITHOUT_HIGH_PRIORITY = 43
    CPU_ISOLATED_OF_LEVEL = 44
    CLOS_MAX_BELOW_TURBO_FREQ = 45
    CLOS_MAX_OF_ALL = 46
    OTHER_LEVEL_REQUESTED = 47
    PACKAGE_AT_POWER_LIMIT = 48
    BASE_FREQ_PRIORITIES = 49
    ADVISORY = 100


class ItemKind(enum.IntEnum):
    """Kinds of items that a change writes (enum isst_kind); isst_item_kind(3) has the meaning of their numbers."""
    LEVEL = 1
    FEATURES = 2
    CORE_POWER = 3
    CLOS_AND_PRIORITY = 4
    CLOS = 5
    CLOS_ASSOCIATION = 6
    TURBO_RATIO_LIMITS = 7
    CPU_ONLINE = 8
    SCALING_MAX = 9
    SCALING_MIN = 10
    UNCORE_MAX = 11
    UNCORE_MIN = 12
    PARTITION = 13
    CPUSET_CONTROLLER = 14
    RCU_EXPEDITED = 15
    CPUSET_GROUPS = 16


class ReadLevels(enum.IntFlag):
    """What Context.read_levels() reads besides the states of SST-TF and SST-BF (ISST_READ_LEVELS_...)."""
    PROPERTIES = 1
    BASE_FREQ = 2
    TURBO_FREQ = 4
    ALL = 7
    CURRENT = 256


class ChangeFlag(enum.IntFlag):
    """Options of a change (ISST_CHANGE_...); isst_change_options_set_flags(3) describes each."""
    DRY_RUN = 1
    SKIP_UNSUPPORTED = 2
    SKIP_FAILED = 4
    PARTITIONS = 8
    PARTITION_CPU0 = 16
    LEAVE_UNKNOWN_CPUS = 32
    HOLD = 64
    REVERSIBLE = 128
    PARTITIONS_IF_SUPPORTED = 256


class ChangeAdd(enum.IntFlag):
    """Flags of requests of a change (ISST_CHANGE_ADD_...)."""
    ENABLE = 1
    DISABLE = 2
    AUTO = 4
    ONLINE = 8


class ConfigPart(enum.IntFlag):
    """Parts of the default configuration (ISST_CONFIG_...)."""
    CLOS = 1
    ASSOCIATIONS = 2
    FEATURES = 4
    LIMITS = 8
    LEVEL = 16
    CPUS = 32


class JournalEntryFlag(enum.IntFlag):
    """What Journal.apply() does with an entry (ISST_JOURNAL_ENTRY_...)."""
    RESTORED = 1
    MOVED = 2
    KEPT = 4


# The errors of a domain and a CPU that went offline.
_ABSENT = (errnos.ESTALE, errnos.EOPNOTSUPP)

_TARGETS_WITH_CPUS = 1
_CHOOSE_ALLOW_LOWER_TURBO = 1
_OPTION_SYSTEM_LOG = 1
_EXPLAIN_MEASURE = 1
_EXPLAIN_LIMITS = 2
_CONFIG_ADD_FILE = 1
_CONFIG_READ_ALL = 1
_CONFIG_CHECK_SEPARATELY = 1
_CONFIG_CHECK_UNDISTURBED = 2
_CONFIG_READ_UNDISTURBED = 2
_LOCK_CHECK = 1


def _named(kind, number):
    """A number as a member of an enumeration; the number itself if it is newer than this module."""
    try:
        return kind(number)
    except ValueError:
        return number


# ---- Errors ----

class Error(OSError):
    """A call failed: errno is positive, strerror the message of the library. results: what the call returned all the same,
    if it failed for all of its targets; else None."""

    def __init__(self, number, message, results=None):
        super().__init__(number, message)
        self.results = results

    def __reduce__(self):
        """Copies, and pickled errors, are without results."""
        return type(self), (self.errno, self.strerror)


class RollbackError(Error):
    """A change failed, and its rollback is incomplete (ISST_ERR_ROLLBACK): Change.differences lists what differs."""


class ConfigError(Error):
    """A configuration has problems, or does not fit the machine: problems is a list of all, each with file and line."""

    def __init__(self, number, message, problems):
        super().__init__(number, message)
        self.problems = problems

    def __reduce__(self):
        return type(self), (self.errno, self.strerror, self.problems)


def _error(number, message, results=None):
    number = -number
    kind = RollbackError if number == _ERR_ROLLBACK else Error
    return kind(number, message or os.strerror(number), results)


# ---- The library's functions ----

_LOG = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p)
_INTERRUPTED = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)
_PROGRESS = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint, ctypes.c_int, ctypes.c_uint, ctypes.c_uint)

# The types of results and arguments, a letter each. Objects are pointers of which only the library knows the contents; a
# text that belongs to the caller (S) is a pointer, so that it can be freed.
_TYPES = {
    "v": None, "i": ctypes.c_int, "u": ctypes.c_uint, "b": ctypes.c_bool, "z": ctypes.c_size_t, "q": ctypes.c_uint64,
    "l": ctypes.c_int64, "s": ctypes.c_char_p, "S": ctypes.c_void_p, "p": ctypes.c_void_p,
    "P": ctypes.POINTER(ctypes.c_void_p), "T": ctypes.POINTER(ctypes.c_char_p), "U": ctypes.POINTER(ctypes.c_uint),
    "Q": ctypes.POINTER(ctypes.c_uint64), "L": _LOG, "I": _INTERRUPTED, "R": _PROGRESS,
}

# The lowest and the highest number of an argument, of which ctypes would pass the lowest bits only.
_RANGES = {letter: (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
           for letter, signed, bits in (("i", True, 32), ("u", False, 32), ("l", True, 64), ("q", False, 64),
                                        ("z", False, 8 * ctypes.sizeof(ctypes.c_size_t)))}

# {function: type of its result, types of its arguments}
_SIGNATURES = dict(line.split() for line in """
isst_version s
isst_version_number u
isst_cpuset_new p
isst_cpuset_free vp
isst_cpuset_add ipuu
isst_cpuset_add_list ipsT
isst_cpuset_next bpuU
isst_cpuset_to_list Sp
isst_options_new p
isst_options_free vp
isst_options_set_tries vpu
isst_options_set_pause_ms vpu
isst_options_set_log vpiLp
isst_options_set_interrupted vpIp
isst_options_set_flags ipu
isst_machine_free vp
isst_open ipP
isst_open_machine ippP
isst_close vp
isst_error sp
isst_set_log_level vpi
isst_notice_at spz
isst_left_out_at spz
isst_offline_part_at spz
isst_discover ip
isst_wait_for_driver ipuu
isst_rediscover ip
isst_cpus_changed ip
isst_close_device ip
isst_platform_family up
isst_platform_model up
isst_platform_stepping up
isst_platform_emulated_name sp
isst_platform_name sp
isst_platform_runtime_directory sp
isst_platform_api_version up
isst_platform_driver_version up
isst_platform_fact ipi
isst_trl_type_count up
isst_trl_type_name spu
isst_domain_count zp
isst_domain_at ppz
isst_domain_name sp
isst_domain_index zp
isst_domain_package up
isst_domain_die ipU
isst_domain_number up
isst_domain_present_cpus pp
isst_domain_online_cpus pp
isst_domain_is_complete bp
isst_domain_first_cpu ipU
isst_domain_is_io bp
isst_cpu_by_number ppu
isst_cpu_number up
isst_cpu_domain pp
isst_cpu_is_online bp
isst_cpu_core ipU
isst_cpu_thread up
isst_cpus_of_module ippuP
isst_present_cpus pp
isst_online_cpus pp
isst_mask_bits up
isst_cpus_is_name bs
isst_cpus_by_name ipsuP
isst_targets_new pp
isst_targets_free vp
isst_targets_add_domain ipp
isst_targets_add_all_domains ipu
isst_targets_add_cpus ipp
isst_limit_reason_name si
isst_value_at iz
isst_value_by_name is
isst_value_name si
isst_value_unit si
isst_value_type ii
isst_results_free vp
isst_results_count zp
isst_results_at ppz
isst_result_target zp
isst_result_domain pp
isst_result_cpu pp
isst_result_error ipi
isst_result_message spi
isst_result_more_errors upi
isst_result_extent ipiUU
isst_result_value64_at ipiuuQ
isst_result_cpus ipiP
isst_request_new p
isst_request_free vp
isst_request_set64 ipiq
isst_request_set_cpus ipip
isst_read_perf_profiles ipppuP
isst_read_levels ipppuP
isst_read_core_power ipppuP
isst_read_clos ipppuP
isst_read_clos_associations ipppuP
isst_read_turbo_ratio_limits ipppuP
isst_read_uncore_limits ipppuP
isst_read_scaling_limits ipppuP
isst_read_frequencies ipppuP
isst_read_limit_reasons ipppuP
isst_read_power ipppuP
isst_undisturbed_cpus ipP
isst_choose_high_priority_cpus ipppuP
isst_capture ipsu
isst_finding_code_at iz
isst_finding_code_name si
isst_explain ipppuP
isst_explanation_free vp
isst_explanation_finding_at ppz
isst_explanation_unread_at spz
isst_explanation_note_at spz
isst_explanation_measured_mhz upu
isst_finding_code ip
isst_finding_name sp
isst_finding_severity ip
isst_finding_place sp
isst_finding_cpus pp
isst_finding_packages pp
isst_finding_evidence sp
isst_finding_meaning sp
isst_finding_remedy sp
isst_lock ipuu
isst_unlock ip
isst_check_privileges ip
isst_item_kind ip
isst_item_domain pp
isst_item_index ipU
isst_item_unit sp
isst_change_options_new p
isst_change_options_free vp
isst_change_options_set_flags ipu
isst_change_options_set_command ips
isst_change_options_set_progress vpRp
isst_change_new ippP
isst_change_free vp
isst_change_add_level ipppuP
isst_change_add_base_freq ipppuP
isst_change_add_turbo_freq ipppuP
isst_change_add_core_power ipppuP
isst_change_add_clos ipppuP
isst_change_add_clos_association ipppuP
isst_change_add_turbo_ratio_limits ipppuP
isst_change_add_turbo_mode ipppuP
isst_change_add_all_online ipppuP
isst_change_add_config ippu
isst_change_check ip
isst_change_run ip
isst_change_release ip
isst_change_roll_back ip
isst_change_abandon ip
isst_change_is_held bp
isst_change_step_at ppz
isst_change_step_field_at spzTT
isst_change_step_target sp
isst_change_step_item pp
isst_change_step_old_text sp
isst_change_step_new_text sp
isst_change_step_old_number ipQ
isst_change_step_new_number ipQ
isst_change_step_is_written bp
isst_change_is_unchanged bp
isst_change_has_left_out bpp
isst_change_warning_at spz
isst_change_warning_code_at ipz
isst_warning_code_at iz
isst_warning_code_name si
isst_change_difference_at spz
isst_config_new p
isst_config_free vp
isst_config_add_text ipsszu
isst_config_problem_at spz
isst_config_skipped_at spz
isst_config_skipped_error_at ipz
isst_config_to_text ipuP
isst_config_read ipuP
isst_config_read_targets ippuP
isst_config_defaults ipuP
isst_config_boot ipuP
isst_config_match ippu
isst_config_check ippu
isst_config_difference_at ppz
isst_config_difference_target sp
isst_config_difference_wanted sp
isst_config_difference_present sp
isst_config_difference_origin sp
isst_config_difference_domain pp
isst_config_difference_cpus pp
isst_config_difference_subject sp
isst_config_set_targets vpp
isst_config_high_priority_cpus pp
isst_config_record_apply ippiu
isst_read_apply_record ipuP
isst_apply_record_free vp
isst_apply_record_time_s lp
isst_apply_record_succeeded bp
isst_apply_record_source sp
isst_apply_record_sha256 sp
isst_journal_keep ip
isst_journal_open ipuP
isst_journal_free vp
isst_journal_command sp
isst_journal_is_held bp
isst_journal_age_s lp
isst_journal_is_moved bp
isst_journal_entry_at ppz
isst_journal_entry_target sp
isst_journal_entry_item pp
isst_journal_entry_old_text sp
isst_journal_entry_written_text sp
isst_journal_entry_present_text sp
isst_journal_entry_old_number ipQ
isst_journal_entry_written_number ipQ
isst_journal_entry_present_number ipQ
isst_journal_entry_finding sp
isst_journal_entry_flags up
isst_journal_apply ipu
isst_journal_discard ipu
""".strip().split("\n"))

_EMULATOR_SIGNATURES = dict(line.split() for line in """
isst_emulator_target_new ps
isst_emulator_target_free vp
isst_emulator_target_set_state ips
isst_emulator_open ipPP
""".strip().split("\n"))


class _Library:
    """The functions of shared libraries, with the types of their arguments."""

    def __init__(self, path, signatures):
        self.handle = ctypes.CDLL(os.fspath(path))
        for name, types in signatures.items():
            function = getattr(self.handle, name)
            function.restype = _TYPES[types[0]]
            function.argtypes = [_TYPES[letter] for letter in types[1:]]
            setattr(self, name[len("isst_"):], _with_ranges(function, types[1:]))


def _with_ranges(function, types):
    """The function, which is not called with numbers that its arguments cannot have. Error: EINVAL."""
    ranges = [(position, _RANGES[letter]) for position, letter in enumerate(types) if letter in _RANGES]

    def checked(*arguments):
        for position, (lowest, highest) in ranges:
            number = operator.index(arguments[position])
            if not lowest <= number <= highest:
                raise _error(-errnos.EINVAL, "{} is out of range: {} to {}".format(number, lowest, highest))
        return function(*arguments)
    return checked if ranges else function


_LIBC = ctypes.CDLL(None)
_LIBC.free.argtypes = [ctypes.c_void_p]
_LIBC.free.restype = None
_LIBC.sigaction.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p]


class _Libraries:
    """libisst, and libisst-emulator once an emulated machine is opened; both are loaded on first use."""
    main = emulator = None


def load(path="libisst.so.0", emulator="libisst-emulator.so.0"):
    """Loads the library from a path; only necessary if it is not where the dynamic linker looks for it. The library for
    emulated machines is loaded when the first one is opened; it can be the same file."""
    _Libraries.main = _Library(path, _SIGNATURES)
    _Libraries.emulator = emulator


def _isst():
    if not _Libraries.main:
        load()
    return _Libraries.main


def _emulator():
    if not isinstance(_Libraries.emulator, _Library):
        _isst()
        _Libraries.emulator = _Library(_Libraries.emulator, _EMULATOR_SIGNATURES)
    return _Libraries.emulator


def _text(value):
    """A text of the library; None for NULL."""
    return None if value is None else value.decode("utf-8", "surrogateescape")


def _encoded(text):
    """A text for the library. Error (EINVAL): it contains a NUL character, where C would end it."""
    if not isinstance(text, str):
        raise TypeError("{!r} is not a text".format(text))
    return _without_nul(text.encode("utf-8", "surrogateescape"))


def _path(path):
    """A path for the library: a str, bytes or os.PathLike. Errors as of _encoded()."""
    return _without_nul(os.fsencode(path))


def _without_nul(data):
    if b"\0" in data:
        raise _error(-errnos.EINVAL, "{!r} contains a NUL character".format(os.fsdecode(data)))
    return data


def _texts(function, *pointers):
    """All texts that a function returns for positions from 0."""
    found = []
    while True:
        text = function(*pointers, len(found))
        if text is None:
            return found
        found.append(_text(text))


def _pointers(function, pointer):
    """All pointers that a function returns for positions from 0."""
    found = []
    while True:
        entry = function(pointer, len(found))
        if entry is None:
            return found
        found.append(entry)


def _fields(step):
    """The parts of the value that a step writes."""
    fields, old_text, new_text = [], ctypes.c_char_p(), ctypes.c_char_p()
    while True:
        target = _isst().change_step_field_at(step, len(fields), ctypes.byref(old_text), ctypes.byref(new_text))
        if target is None:
            return fields
        fields.append((_text(target), _text(old_text.value), _text(new_text.value)))


def _take_text(pointer):
    """A text that belongs to the caller."""
    if not pointer:
        return None
    try:
        return _text(ctypes.string_at(pointer))
    finally:
        _LIBC.free(pointer)


def _number(function, *arguments, kind=ctypes.c_uint):
    """A number that a function stores; None if there is none (-ENODATA), or it cannot be read (-EIO)."""
    number = kind()
    error = function(*arguments, ctypes.byref(number))
    return number.value if error == 0 else None


# ---- What belongs to the library ----

class _Uncopyable:
    """An object of the library has one owner."""

    def __reduce_ex__(self, protocol):
        raise TypeError("a {} can neither be copied nor pickled".format(type(self).__name__))


class _Made(_Uncopyable):
    """An object that only this module makes, of a pointer of the library."""

    def __init__(self, *arguments, **named):
        raise TypeError("a {} is made by the library only".format(type(self).__name__))

    @classmethod
    def _make(cls, *arguments):
        made = cls.__new__(cls)
        made._take(*arguments)
        return made


class _Owned:
    """A pointer that a function of the library stores; what it points to is freed, unless it is taken."""

    def __init__(self, free):
        self.pointer, self._free = ctypes.c_void_p(), free

    def __del__(self):
        if self.pointer:
            self._free(self.pointer)

    @property
    def reference(self):
        """The address for the function that stores the pointer."""
        return ctypes.byref(self.pointer)

    def take(self):
        """The pointer, which belongs to the caller then; None for NULL."""
        taken, self.pointer = self.pointer.value, ctypes.c_void_p()
        return taken


# ---- Signals ----

class _SignalHandler:
    """Stands in for a handler that the program installed, during a call of the library. CPython runs handlers when it enters a
    function, also one that the library calls: outside of each try statement, so that ctypes would lose the exception."""

    def __init__(self, handler):
        self.handler = handler

    def __call__(self, number, frame):
        calls = _Signals.calls
        if not calls or _in_function_of_program(frame):
            self.handler(number, frame)
            return
        try:
            self.handler(number, frame)
            _Signals.install()
        except BaseException as exception:
            calls[-1].append(exception)


def _in_main_thread():
    return threading.get_ident() == threading.main_thread().ident


class _Signals:
    """The signal handlers of the program, which only its main thread runs. While `calls` is not empty, what handlers raise is
    added to its last list, unless it interrupts a function of the program that the library calls."""
    calls = []
    installed = {}

    @classmethod
    def enter(cls, exceptions):
        """Collects exceptions from now on. Returns what leave() needs."""
        depth = len(cls.calls)
        if _in_main_thread():
            cls.install()
            cls.calls.append(exceptions)
        return depth

    @classmethod
    def leave(cls, depth):
        """Collects no longer; the handlers are those of the program again, except for those that it changed meanwhile."""
        if not _in_main_thread():
            return
        del cls.calls[depth:]
        if depth == 0:
            cls.restore()

    @classmethod
    def install(cls):
        """Stands in for all handlers that are Python functions."""
        for number in range(1, signal.NSIG if _in_main_thread() else 1):
            handler = signal.getsignal(number)
            if callable(handler) and not isinstance(handler, _SignalHandler):
                cls.installed[number] = _SignalHandler(handler)
                cls.replace(number, cls.installed[number])

    @classmethod
    def restore(cls):
        """Restores the handlers; those that an exception leaves in place are without effect, and restored after the next call."""
        for number, installed in list(cls.installed.items()):
            if signal.getsignal(number) is installed:
                cls.replace(number, installed.handler)
            cls.installed.pop(number, None)

    @staticmethod
    def replace(number, handler):
        """Changes what Python calls, and not what the kernel does: its flags, and handlers in C, such as faulthandler's."""
        action = ctypes.create_string_buffer(1024)
        known = _LIBC.sigaction(number, None, action) == 0
        signal.signal(number, handler)
        if known:
            _LIBC.sigaction(number, action, None)


def _in_function_of_program(frame):
    """Whether a frame is that of a function that _called_back() called, or of one that this function called."""
    if frame is None or frame.f_globals is _GLOBALS:
        return False
    while frame and frame.f_globals is not _GLOBALS:
        frame = frame.f_back
    return frame is not None and frame.f_code is _called_back.__code__


def _called_back(exceptions, arguments, function):
    """Calls a function of the program for the library, with what another function returns as its arguments. Returns what it
    returned; None if there are exceptions: after the first one functions are not called again."""
    if exceptions:
        return None
    try:
        result = function(*arguments())
        _Signals.install()
        return bool(result)
    except BaseException as exception:
        exceptions.append(exception)
        return None


def _chained(exceptions, cause):
    """The last of some exceptions, with the others as its context."""
    for earlier, later in zip(exceptions, exceptions[1:]):
        if later is not earlier and later.__context__ is None:
            later.__context__ = earlier
    last = exceptions[-1]
    if cause and last.__cause__ is None:
        last.__cause__ = cause
    return last


_GLOBALS = globals()


# ---- Sets of CPUs ----

def _listed(argument, cpus):
    """The elements of an argument. A list of the kernel, which is a text, is a mistake that is easy to make."""
    listed = [cpus] if isinstance(cpus, str) else list(cpus)
    for cpu in listed:
        if isinstance(cpu, str):
            raise TypeError("{}: {!r} is a text; parse_cpus() returns the CPUs of a list".format(argument, cpu))
    return listed


class _CpuSet:
    """A set of CPUs of the library, for the time of a with statement. argument: the name of the caller's, for messages."""

    def __init__(self, cpus, argument):
        self.cpus = _listed(argument, cpus)

    def __enter__(self):
        self.pointer = _isst().cpuset_new()
        if not self.pointer:
            raise MemoryError
        try:
            for cpu in self.cpus:
                error = _isst().cpuset_add(self.pointer, cpu, cpu)
                if error:
                    raise _error(error, "{} is not the number of a CPU".format(cpu))
        except BaseException:
            _isst().cpuset_free(self.pointer)
            raise
        return self.pointer

    def __exit__(self, *exception):
        _isst().cpuset_free(self.pointer)


def _cpus(pointer):
    """The numbers of a set, as a frozenset."""
    found, cpu, start = set(), ctypes.c_uint(), 0
    while _isst().cpuset_next(pointer, start, ctypes.byref(cpu)):
        found.add(cpu.value)
        start = cpu.value + 1
    return frozenset(found)


def parse_cpus(text):
    """The CPUs of a list such as `0-2,5`, as a frozenset. Error (EINVAL, ERANGE): it is not a list."""
    pointer, bad = _isst().cpuset_new(), ctypes.c_char_p()
    if not pointer:
        raise MemoryError
    try:
        error = _isst().cpuset_add_list(pointer, _encoded(text), ctypes.byref(bad))
        cpus = _cpus(pointer)
    finally:
        _isst().cpuset_free(pointer)
    if error:
        raise _error(error, "{!r} is not a list of CPUs".format(text))
    return cpus


def format_cpus(cpus):
    """A set of CPUs as a list of the kernel: `0-2,5`; "" if empty."""
    with _CpuSet(cpus, "cpus") as pointer:
        text = _take_text(_isst().cpuset_to_list(pointer))
    if text is None:
        raise MemoryError
    return text


# ---- Tables of the library ----

def version():
    """The version of the library, such as `0.1.0`."""
    return _text(_isst().version())


def version_number():
    """The version of the library as a number: major << 16 | minor << 8 | patch."""
    return _isst().version_number()


def values():
    """All values that the library knows, also those that are newer than this module: numbers or Value."""
    found = []
    while True:
        number = _isst().value_at(len(found))
        if number == 0:
            return found
        found.append(_named(Value, number))


def value_name(value):
    """The name of a value, such as `base_mhz`; None if the library has no such value."""
    return _text(_isst().value_name(value))


def value_unit(value):
    """The unit of a value: `MHz`, `W`, `C`, or "" for none; None if the library has no such value."""
    return _text(_isst().value_unit(value))


def value_type(value):
    """The Type of a value; None if the library has no such value."""
    number = _isst().value_type(value)
    return _named(Type, number) if number else None


def limit_reasons(bits):
    """The reasons in a number (Value.LIMIT_REASONS), as a list of words such as `POWER`."""
    if not 0 <= bits < 1 << 64:
        raise _error(-errnos.EINVAL, "{} has no limit reasons".format(bits))
    names = [_isst().limit_reason_name(bit) for bit in range(64) if bits >> bit & 1]
    return [_text(name) for name in names if name is not None]


def finding_codes():
    """All that Context.explain() can find, in order of importance: {FindingKind or number: name}"""
    found = collections.OrderedDict()
    while True:
        code = _isst().finding_code_at(len(found))
        if code == 0:
            return found
        found[_named(FindingKind, code)] = _text(_isst().finding_code_name(code))


def warning_codes():
    """All kinds of warnings of changes: {WarningKind or number: name}, such as `clipped`"""
    found = collections.OrderedDict()
    while True:
        code = _isst().warning_code_at(len(found))
        if code == 0:
            return found
        found[_named(WarningKind, code)] = _text(_isst().warning_code_name(code))


# ---- Domains and CPUs ----

class _Part(_Made):
    """An object that belongs to a context."""

    def _take(self, context, pointer):
        self._context, self._address = context, pointer

    @property
    def _pointer(self):
        self._context._open()
        return self._address

    def __eq__(self, other):
        return type(other) is type(self) and other._context is self._context and other._address == self._address

    def __hash__(self):
        return hash(self._address)


class Domain(_Part):
    """A power domain: what the firmware controls as a unit. It contains the state of the last discovery."""

    def __repr__(self):
        return "<Domain {}>".format(self.name)

    @property
    def name(self):
        """The name in messages: `package 0, die 0`, `package 0, power domain 1`."""
        return _text(_isst().domain_name(self._pointer))

    @property
    def index(self):
        """The position in Context.domains."""
        return _isst().domain_index(self._pointer)

    @property
    def package(self):
        """The physical package id of the kernel."""
        return _isst().domain_package(self._pointer)

    @property
    def die(self):
        """The die id of the kernel; None if it is unknown."""
        return _number(_isst().domain_die, self._pointer)

    @property
    def number(self):
        """The number of the domain in its package, as the firmware counts; 0 on mailbox platforms."""
        return _isst().domain_number(self._pointer)

    @property
    def present_cpus(self):
        """The CPUs of the domain as a frozenset of numbers: with offline ones, as far as known."""
        return _cpus(_isst().domain_present_cpus(self._pointer))

    @property
    def online_cpus(self):
        """The online CPUs of the domain, as a frozenset of numbers."""
        return _cpus(_isst().domain_online_cpus(self._pointer))

    @property
    def is_complete(self):
        """Whether all CPUs of the domain are known."""
        return _isst().domain_is_complete(self._pointer)

    @property
    def first_cpu(self):
        """The lowest-numbered online CPU; None if there is none."""
        return _number(_isst().domain_first_cpu, self._pointer)

    @property
    def is_io(self):
        """Whether the domain is known to have no CPUs: an I/O die."""
        return _isst().domain_is_io(self._pointer)


class Cpu(_Part):
    """A CPU. It contains the state of the last discovery."""

    def __repr__(self):
        return "<Cpu {}>".format(self.number)

    @property
    def number(self):
        """The number that the kernel gives it."""
        return _isst().cpu_number(self._pointer)

    @property
    def domain(self):
        """Its Domain."""
        return self._context._domain(_isst().cpu_domain(self._pointer))

    @property
    def is_online(self):
        """Whether it is online."""
        return _isst().cpu_is_online(self._pointer)

    @property
    def core(self):
        """The number of its core in the domain, as the firmware counts; None if it is unknown."""
        return _number(_isst().cpu_core, self._pointer)

    @property
    def thread(self):
        """The number of the hardware thread in its core."""
        return _isst().cpu_thread(self._pointer)


# ---- Results ----

class Results(_Made, collections.abc.Sequence):
    """The results of a call, in the order of its targets. partial: whether some targets failed, see Result.error()."""

    def _take(self, context, pointer, partial):
        self.partial = partial
        self._context, self._pointer = context, pointer
        self._finalizer = weakref.finalize(self, _isst().results_free, pointer)

    def __len__(self):
        return _isst().results_count(self._pointer)

    def __getitem__(self, index):
        if isinstance(index, slice):
            return [self[position] for position in range(*index.indices(len(self)))]
        position = index + len(self) if index < 0 else index
        pointer = _isst().results_at(self._pointer, position) if position >= 0 else None
        if pointer is None:
            raise IndexError(index)
        return Result._make(self, pointer)


class Result(_Made):
    """What was read of one target. Values are attributes with their names in lower case, such as `base_mhz` (see Value): what
    value() returns, or table() for values with rows and columns. Results are copies: they do not change with the machine."""

    def _take(self, results, pointer):
        self._results, self._pointer = results, pointer

    def __repr__(self):
        return "<Result of {}>".format("CPU {}".format(self.cpu.number) if self.cpu else self.domain.name)

    def __getattr__(self, name):
        number = 0 if name.startswith("_") or "\0" in name else _isst().value_by_name(_encoded(name))
        if number == 0:
            raise AttributeError(name)
        try:
            return self._whole(number)
        except KeyError:
            raise AttributeError("the results of this call do not contain {}".format(name)) from None

    @property
    def domain(self):
        """The Domain of the target."""
        return self._results._context._domain(_isst().result_domain(self._pointer))

    @property
    def cpu(self):
        """The Cpu of the target; None if it is a domain."""
        self._results._context._open()
        pointer = _isst().result_cpu(self._pointer)
        return Cpu._make(self._results._context, pointer) if pointer else None

    @property
    def target(self):
        """The position of the target among those of the call."""
        return _isst().result_target(self._pointer)

    def error(self, part=Part.RESULT):
        """The Error of a Part; None if there is none."""
        number = _isst().result_error(self._pointer, part)
        if number == 0:
            return None
        message = _text(_isst().result_message(self._pointer, part))
        more = _isst().result_more_errors(self._pointer, part)
        return _error(number, message + (" ({} more)".format(more) if more else "") if message else None)

    @property
    def errors(self):
        """The errors of all parts: {Part: Error}"""
        found = ((part, self.error(part)) for part in Part)
        return {part: error for part, error in found if error}

    def value(self, value, row=0, column=0):
        """A value (Value), in a row and column: an int, a bool for flags, FeatureState, Priority, or a frozenset of CPUs.
        None: the machine has no such value. KeyError: the results of this call do not contain it. Error (EIO): it could not
        be read."""
        kind = _isst().value_type(value)
        if kind == Type.CPUS:
            return self._cpus(value)
        number = ctypes.c_uint64()
        error = _isst().result_value64_at(self._pointer, value, row, column, ctypes.byref(number))
        if not self._known(value, error):
            return None
        if kind == Type.FLAG:
            return bool(number.value)
        kinds = {Type.FEATURE_STATE: FeatureState, Type.PRIORITY: Priority}
        return _named(kinds[kind], number.value) if kind in kinds else number.value

    def table(self, value):
        """A value with rows and columns as a list of rows, which are lists: rows are TRL types (Context.trl_types) or
        fabrics, columns buckets. None stands for what the machine does not have; there are no rows and columns at the end
        that consist of it. Errors as of value()."""
        rows, columns = self._extent(value)
        table = [[self.value(value, row, column) for column in range(columns)] for row in range(rows)]
        while table and all(one is None for one in table[-1]):
            table.pop()
        while table and all(row[-1] is None for row in table):
            for row in table:
                row.pop()
        return table

    def values(self):
        """All values that the machine has, and that could be read: {name: the attribute of this name}"""
        found = collections.OrderedDict()
        for number in values():
            try:
                value = self._whole(number)
            except (KeyError, Error):
                continue
            if value is not None and value != []:
                found[value_name(number)] = value
        return found

    def _extent(self, value):
        rows, columns = ctypes.c_uint(), ctypes.c_uint()
        self._known(value, _isst().result_extent(self._pointer, value, ctypes.byref(rows), ctypes.byref(columns)))
        return rows.value, columns.value

    def _whole(self, value):
        simple = value_type(value) == Type.CPUS or self._extent(value) == (1, 1)
        return self.value(value) if simple else self.table(value)

    def _known(self, value, error):
        """Whether there is a value."""
        if error == -errnos.EINVAL:
            raise KeyError(value)
        if error and error != -errnos.ENODATA:
            first = next(iter(self.errors.values()), None)
            raise _error(error, first.strerror if first else "{} could not be read".format(value_name(value)))
        return error == 0

    def _cpus(self, value):
        pointer = ctypes.c_void_p()
        error = _isst().result_cpus(self._pointer, value, ctypes.byref(pointer))
        return _cpus(pointer) if self._known(value, error) else None


# ---- What other objects are copied into ----

Changed = collections.namedtuple("Changed", "domain value row column old new")
Changed.__doc__ = """A value of a domain (its name) that changed, as Context.watch() found it: value is its name, row and column
its place, old and new are as of Result.value()."""

Item = collections.namedtuple("Item", "kind domain index unit")
Item.__doc__ = """What a change writes: its ItemKind; the name of its domain, None for an item of the whole machine; its index, None
if the kind has none; and the unit of its numbers, `kHz` or ""."""

Step = collections.namedtuple("Step", "target item old_text new_text old_number new_number is_written fields")
Step.__doc__ = """A write of a change: the target as text, its Item, the old and new value as text and as number (None if it is text or
unknown), whether it was written, or in a dry run would be, and the parts of the value that change: target, old and new text of
each, in the terms of configurations."""

JournalEntry = collections.namedtuple(
    "JournalEntry", "target item old_text written_text present_text old_number written_number present_number finding flags")
JournalEntry.__doc__ = """An item that an interrupted change wrote or affected: values as text, and as numbers or None; finding: which
process set the present value; flags: JournalEntryFlag."""

Finding = collections.namedtuple("Finding", "kind name severity place cpus evidence meaning remedy packages")
Finding.__doc__ = """Something that Context.explain() found: its FindingKind, its name, its Severity, where, for which CPUs (a frozenset),
what was read, what it means, the command or advice that helps, and the numbers of the packages (empty: the whole machine)."""

Explanation = collections.namedtuple("Explanation", "findings unread notes measured_mhz")
Explanation.__doc__ = """What Context.explain() returns: a list of Finding, the most important first; lists of texts: what could not be read,
and what was not looked at; and {CPU: MHz} of CPUs that were measured."""

ApplyRecord = collections.namedtuple("ApplyRecord", "time_s succeeded source sha256")
ApplyRecord.__doc__ = """A run of a configuration: when it ended, in seconds since 1970 (UTC); whether the machine was then as configured; the
name of its first file; and the SHA-256 of its texts."""

ConfigDifference = collections.namedtuple("ConfigDifference", "target wanted present origin domain cpus subject")
ConfigDifference.__doc__ = """Something in which a machine differs from a configuration, as texts: what, the value that is stated, the
present one, and where it is stated; and apart the name of its domain (None: several, or none), the CPUs that differ (a
frozenset; None: it is not of CPUs), and the end of the text (`CLOS 2 max`)."""


def _config_difference(entry):
    isst = _isst()
    domain, cpus = isst.config_difference_domain(entry), isst.config_difference_cpus(entry)
    return ConfigDifference(_text(isst.config_difference_target(entry)), _text(isst.config_difference_wanted(entry)),
                            _text(isst.config_difference_present(entry)), _text(isst.config_difference_origin(entry)),
                            _text(isst.domain_name(domain)) if domain else None, _cpus(cpus) if cpus else None,
                            _text(isst.config_difference_subject(entry)))


# ---- Context ----

class Context(_Uncopyable):
    """A machine. To be used in a with statement, or closed by close().

    discover: discovers the machine at once; False for calls that are made before discovery.
    lock_ms: takes the lock before discovery, as changes require, and waits for it so long, in milliseconds.
    tries: how often a mailbox command is sent while the firmware is busy; 0: the default.
    pause_ms: a pause before each mailbox command.
    log, log_level: a function that receives each line of the log up to a LogLevel, as log(level, message).
    interrupted: a function that is called while the lock is waited for and while a change is made. If it returns a true
        value or raises an exception, as the handler of a signal does (KeyboardInterrupt), the call is interrupted, and the
        change is rolled back. The exception is then raised again; without one, Error (EINTR).
    system_log: records each value that a change writes in the system log.
    emulate: opens an emulated machine: the name of a platform or the path of a platform file. libisst-emulator is loaded.
    state: the directory with its state (a path), only with emulate; None: a private one for each user and platform.

    Errors: those of isst_open_machine(3), isst_lock(3) and isst_discover(3)."""

    def __init__(self, discover=True, lock_ms=None, tries=0, pause_ms=0, log=None, log_level=LogLevel.NOTICE, interrupted=None,
                 system_log=False, emulate=None, state=None):
        self._pointer = self._caller = None
        self._exceptions, self._children, self._lost = [], {}, []
        self._has_log = bool(log)
        self._turn = threading.RLock()
        self._callbacks = (_LOG(lambda data, level, message: self._log(log, level, message)),
                           _INTERRUPTED(lambda data: self._is_interrupted(interrupted)))
        machine = _Owned(_isst().machine_free)
        if emulate is not None:
            _open_emulated(machine, emulate, state)
        elif state is not None:
            # A directory is named for another machine than the one that the program runs on.
            raise _error(-errnos.EINVAL, "state is that of an emulated machine: emulate has to name one")
        try:
            self._begin(machine, tries, pause_ms, log, log_level, system_log)
            if lock_ms is not None:
                self._do(_isst().lock, self._pointer, lock_ms, 0, guarded=True)
            if discover:
                self.discover()
        except BaseException:
            self.close()
            raise

    def _begin(self, machine, tries, pause_ms, log, log_level, system_log):
        options = _isst().options_new()
        if not options:
            raise MemoryError
        pointer = ctypes.c_void_p()
        try:
            _isst().options_set_tries(options, tries)
            _isst().options_set_pause_ms(options, pause_ms)
            if log:
                _isst().options_set_log(options, log_level, self._callbacks[0], None)
            _isst().options_set_interrupted(options, self._callbacks[1], None)
            _isst().options_set_flags(options, _OPTION_SYSTEM_LOG if system_log else 0)
            open_machine = _isst().open_machine
            error = (self._call(lambda: open_machine(machine.take(), options, ctypes.byref(pointer)), guarded=True)
                     if machine.pointer else self._call(_isst().open, options, ctypes.byref(pointer), guarded=True))
        finally:
            self._pointer = pointer.value
            _isst().options_free(options)
        if error:
            raise _error(error, None)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    def __del__(self):
        if getattr(self, "_pointer", None) and self._turn.acquire(blocking=False):
            self.close()

    def close(self):
        """Closes the context, and the changes and journals that belong to it; a change that is held is rolled back. Domains
        and CPUs cannot be used then; values of results can."""
        self._refuse_in_callback()
        if self._pointer:
            self._end(self._children, self._close)

    def _close(self):
        pointer, self._pointer = self._pointer, None
        if pointer:
            _isst().close(pointer)

    def _end(self, children, then=None):
        """Ends changes and journals, calls a function, and raises the first error."""
        errors = []

        def end():
            for child in list(children):
                pointer, abandon, free = self._children.pop(child, _ENDED)
                status = abandon(pointer)
                if status:
                    errors.append(self._failure(status))
                free(pointer)
            if then:
                then()
        try:
            self._call(end, guarded=True)
        except BaseException as exception:
            if errors and exception.__cause__ is None:
                exception.__cause__ = errors[0]
            raise
        if errors:
            raise errors[0]

    def _lose(self, child):
        """Ends a change or journal that the program has lost: at once, or at the end of a call that is being made."""
        self._lost.append(child)
        if self._turn.acquire(blocking=False):
            try:
                self._end_lost()
            finally:
                self._turn.release()

    def _end_lost(self):
        if self._lost and not self._caller:
            lost, self._lost = self._lost, []
            self._call(self._free, lost, guarded=True)

    def _free(self, children):
        for child in children:
            pointer, _, free = self._children.pop(child, _ENDED)
            free(pointer)

    def _refuse_in_callback(self):
        if self._caller == threading.get_ident():
            raise RuntimeError("the context is used by a function that it calls")

    def _open(self):
        self._refuse_in_callback()
        if not self._pointer:
            raise ValueError("the context is closed")
        return self._pointer

    # What the library calls. Signals can raise exceptions only in functions of the program.

    def _log(self, log, level, message):
        _called_back(self._exceptions, lambda: (_named(LogLevel, level), _text(message)), log)

    def _report(self, progress, cpu, online, done, count):
        _called_back(self._exceptions, lambda: (cpu, bool(online), done, count), progress)

    def _is_interrupted(self, interrupted):
        if interrupted is None:
            return 1 if self._exceptions else 0
        return 1 if _called_back(self._exceptions, tuple, interrupted) or self._exceptions else 0

    def _call(self, function, *arguments, guarded=False):
        """Calls a function, and returns what it returns. guarded: it asks whether it is interrupted, calls other functions of
        the program, or does several things in Python; with a log each one calls one. An exception of such a function, and of
        the handler of a signal, interrupts the library then, and is raised when the call has ended. Its cause is another error
        of the call. For other calls Python raises what a handler raises when the library has returned."""
        result = None
        with self._turn:
            self._refuse_in_callback()
            if guarded or self._has_log or _Signals.calls:
                result = self._call_guarded(function, *arguments)
            else:
                result = function(*arguments)
        if self._lost:
            self._end_lost()
        return result

    def _call_guarded(self, function, *arguments):
        """Calls a function with handlers of signals whose exceptions are not lost while the library calls the program."""
        result = None
        with self._turn:
            depth = len(_Signals.calls)
            try:
                try:
                    depth = _Signals.enter(self._exceptions)
                    self._caller = threading.get_ident()
                    result = function(*arguments)
                finally:
                    self._caller = None
                    _Signals.leave(depth)
            except BaseException as exception:
                self._exceptions.append(exception)
            exceptions = list(self._exceptions)
            del self._exceptions[:]
            if exceptions:
                raise _chained(exceptions, self._unexpected(result))
        return result

    def _unexpected(self, result):
        """The error of a call that an exception interrupted, if there is another."""
        failed = isinstance(result, int) and result < 0 and result != -errnos.EINTR and self._pointer
        return self._failure(result) if failed else None

    def _failure(self, status, results=None):
        return _error(status, _text(_isst().error(self._pointer)), results)

    def _check(self, status, results=None, kind=None):
        """Raises the error of a call; returns what it returned otherwise."""
        if status < 0:
            raise kind(status, _text(_isst().error(self._pointer))) if kind else self._failure(status, results)
        return status

    def _do(self, function, *arguments, kind=None, guarded=False):
        return self._check(self._call(function, *arguments, guarded=guarded), kind=kind)

    def _domain(self, pointer):
        self._open()
        return Domain._make(self, pointer) if pointer else None

    # -- Discovery --

    def discover(self):
        """Discovers the machine; done when the context is opened. Errors: isst_discover(3)."""
        self._do(_isst().discover, self._open(), guarded=True)

    def wait_for_driver(self, timeout_ms):
        """Waits until the driver has its transports, as at boot. Called on a context that was opened with discover=False, and
        without the lock. timeout_ms: how long. Errors: isst_wait_for_driver(3)."""
        self._do(_isst().wait_for_driver, self._open(), timeout_ms, 0, guarded=True)

    def rediscover(self):
        """Discovers the machine again, after CPUs went on- or offline. Domain and Cpu objects have the new state then.
        Errors: isst_discover(3)."""
        self._do(_isst().rediscover, self._open(), guarded=True)

    def cpus_changed(self):
        """Whether other CPUs are online or present than at the last discovery. Reads two files."""
        return bool(self._do(_isst().cpus_changed, self._open()))

    def close_device(self):
        """Closes the driver's device until a call needs it: while it is open, modules of the driver can be neither unloaded
        nor bound. For programs that wait. Errors: isst_close_device(3)."""
        self._do(_isst().close_device, self._open())

    @property
    def notices(self):
        """Notices of the last discovery, a list of texts."""
        return _texts(_isst().notice_at, self._open())

    @property
    def left_out(self):
        """Parts of the machine that discovery left out, a list of texts."""
        return _texts(_isst().left_out_at, self._open())

    @property
    def offline_parts(self):
        """Packages and dies without an online CPU, a list of texts."""
        return _texts(_isst().offline_part_at, self._open())

    def set_log_level(self, level):
        """Changes the level of the log (LogLevel)."""
        _isst().set_log_level(self._open(), level)

    # -- Platform --

    @property
    def family(self):
        """The family of the processor; known before discovery."""
        return _isst().platform_family(self._open())

    @property
    def model(self):
        """The model of the processor; known before discovery."""
        return _isst().platform_model(self._open())

    @property
    def stepping(self):
        """The stepping of the processor; known before discovery."""
        return _isst().platform_stepping(self._open())

    @property
    def emulated(self):
        """The name of an emulated machine; None on a real one."""
        return _text(_isst().platform_emulated_name(self._open()))

    @property
    def processor_name(self):
        """The name of the processor, such as `Intel(R) Xeon(R) 6980P`; None if the kernel reports none."""
        return _text(_isst().platform_name(self._open()))

    @property
    def runtime_directory(self):
        """The directory with what concerns this machine until it is shut down, such as `/run/isst`. It may not exist yet."""
        return _text(_isst().platform_runtime_directory(self._open()))

    @property
    def api_version(self):
        """The version of the driver's interface; 0 without a driver."""
        return _isst().platform_api_version(self._open())

    @property
    def driver_version(self):
        """The version of the driver; 0 without a driver."""
        return _isst().platform_driver_version(self._open())

    def has(self, fact):
        """Whether a Fact is true."""
        return bool(self._do(_isst().platform_fact, self._open(), fact))

    @property
    def trl_types(self):
        """The names of the rows of turbo limits (TRL types): [`sse`, `avx2`, `avx512`], [`level-0`, ...]; None for a type
        that the machine does not have."""
        return [_text(_isst().trl_type_name(self._open(), number)) for number in range(_isst().trl_type_count(self._open()))]

    # -- Domains and CPUs --

    @property
    def domains(self):
        """All power domains, a list of Domain, ordered by package, die and number."""
        return [Domain._make(self, _isst().domain_at(self._open(), index)) for index in range(_isst().domain_count(self._open()))]

    def cpu(self, number):
        """The Cpu with a number; None if it does not exist, or its location is unknown."""
        pointer = _isst().cpu_by_number(self._open(), number)
        return Cpu._make(self, pointer) if pointer else None

    @property
    def present_cpus(self):
        """The numbers of all present CPUs, a frozenset."""
        return _cpus(_isst().present_cpus(self._open()))

    @property
    def online_cpus(self):
        """The numbers of all online CPUs, a frozenset."""
        return _cpus(_isst().online_cpus(self._open()))

    @property
    def mask_bits(self):
        """The width of CPU masks: the highest possible CPU number plus 1, rounded up to a multiple of 32."""
        return _isst().mask_bits(self._open())

    def cpus_by_name(self, name):
        """The online CPUs that have a name, as a frozenset: `clos:N`, `high-priority`, `package:N`, `domain:P.D`, `node:N`,
        `isolated`. Errors: isst_cpus_by_name(3)."""
        if not _isst().cpus_is_name(_encoded(name)):
            raise _error(-errnos.EINVAL, "{!r} is not a name of CPUs".format(name))
        cpus = _Owned(_isst().cpuset_free)
        self._do(_isst().cpus_by_name, self._open(), _encoded(name), 0, cpus.reference)
        return _cpus(cpus.pointer)

    def cpus_of_module(self, number):
        """The online CPUs of the module that a CPU is in, as a frozenset; None if its core is in no module. Errors:
        isst_cpus_of_module(3)."""
        cpus = _Owned(_isst().cpuset_free)
        status = self._call(_isst().cpus_of_module, self._open(), self._cpu_pointer(number), 0, cpus.reference)
        if status == -errnos.ENODATA:
            return None
        self._check(status)
        return _cpus(cpus.pointer)

    def _cpu_pointer(self, number):
        pointer = _isst().cpu_by_number(self._open(), number)
        if not pointer:
            raise _error(-errnos.EOPNOTSUPP, "there is no CPU {}".format(number))
        return pointer

    def undisturbed_cpus(self):
        """The CPUs that are isolated or nohz_full, as a frozenset. Error: EPERM, EIO."""
        cpus = _Owned(_isst().cpuset_free)
        self._do(_isst().undisturbed_cpus, self._open(), cpus.reference)
        return _cpus(cpus.pointer)

    # -- Reading --

    def _read(self, function, targets, request=None, flags=0, of_cpus=False):
        """Calls a function that reads, for targets."""
        self._open()
        if targets is None and of_cpus:
            targets = self.online_cpus
        with _Targets(self, targets) as target_set, _Request(self, request) as values_asked:
            return self._results(function, self._open(), target_set, values_asked, flags)

    def _results(self, function, *arguments):
        """Calls a function that returns results in its last argument."""
        owned = _Owned(_isst().results_free)
        status = self._call(function, *arguments, owned.reference)
        results = Results._make(self, owned.take(), status == _PARTIAL) if owned.pointer else None
        self._check(status, results)
        return results

    def read_perf_profiles(self, targets=None):
        """The summary of the levels of each domain (SST-PP): version, highest_level, level_mask, current_level, locked,
        enabled. Errors: isst_read_perf_profiles(3), as of all read_ functions."""
        return self._read(_isst().read_perf_profiles, targets)

    def read_levels(self, targets=None, level=None, current=False, flags=ReadLevels.ALL):
        """Performance levels: one result for each level of each domain, with the summary of the domain; a single level, or
        the current ones only. flags: ReadLevels, what is read besides the states of SST-TF and SST-BF."""
        request = {} if level is None else {Value.LEVEL: level}
        return self._read(_isst().read_levels, targets, request, flags | (ReadLevels.CURRENT if current else 0))

    def read_core_power(self, targets=None):
        """Core-power (SST-CP) of each domain: core_power_supported, core_power_enabled, clos_enabled, priority."""
        return self._read(_isst().read_core_power, targets)

    def read_clos(self, targets=None, clos=None):
        """CLOS configurations of each domain, all or a single one: clos, clos_epp, clos_weight, clos_min_mhz, clos_max_mhz
        (CLOS_NO_LIMIT_MHZ: no limit), clos_desired_mhz."""
        return self._read(_isst().read_clos, targets, {} if clos is None else {Value.CLOS: clos})

    def read_clos_associations(self, targets=None):
        """The CLOS of each CPU's core: clos. targets: numbers of CPUs; None: all online ones."""
        return self._read(_isst().read_clos_associations, targets, of_cpus=True)

    def read_turbo_ratio_limits(self, targets=None):
        """The turbo ratio limits in force of each domain (MSR 0x1ad): turbo_ratio_limits, eight ratios of 100 MHz, bucket 0
        in the lowest byte."""
        return self._read(_isst().read_turbo_ratio_limits, targets)

    def read_uncore_limits(self, targets=None):
        """Limits of the uncore of each domain, a row for each fabric: uncore_min_mhz, uncore_max_mhz, uncore_initial_min_mhz,
        uncore_initial_max_mhz."""
        return self._read(_isst().read_uncore_limits, targets)

    def read_scaling_limits(self, targets=None):
        """Limits of cpufreq of each CPU: scaling_min_mhz, scaling_max_mhz (None: none but the processor's),
        processor_min_mhz, processor_max_mhz. targets: numbers of CPUs; None: all online ones."""
        return self._read(_isst().read_scaling_limits, targets, of_cpus=True)

    def read_frequencies(self, targets=None):
        """The frequency that each CPU last ran at: current_mhz. targets: numbers of CPUs; None: all online ones. Older
        kernels interrupt the CPUs for it, see undisturbed_cpus()."""
        return self._read(_isst().read_frequencies, targets, of_cpus=True)

    def read_limit_reasons(self, targets=None):
        """Why the hardware has limited the frequency of each CPU: limit_reasons, see the function limit_reasons(). targets:
        numbers of CPUs; None: all online ones."""
        return self._read(_isst().read_limit_reasons, targets, of_cpus=True)

    def read_power(self, targets=None):
        """What the package of each domain draws on average since the last call, and its long-term limit: power_mw (None: not
        measured, as by the first call), power_limit_mw."""
        return self._read(_isst().read_power, targets)

    def watch(self, interval_s, looks=None, targets=None):
        """Reads the current level of each domain again and again, and yields after each look a list of Changed, which may be
        empty. looks: how many times; None: without end. Finds CPUs that come and go: the values of a domain without online CPUs
        change to None, and come back with its CPUs. Errors: isst_read_levels(3), for targets that do not exist at first."""
        targets = None if targets is None else list(targets)
        before = self._values_of(self.read_levels(targets, current=True))
        while looks is None or looks > 0:
            looks = looks - 1 if looks is not None else None
            self.close_device()
            time.sleep(interval_s)
            if self.cpus_changed():
                self.rediscover()
            now = self._look(targets)
            yield [Changed(*place, before.get(place), now.get(place)) for place in sorted(before.keys() | now.keys())
                   if before.get(place) != now.get(place)]
            before = now

    def _look(self, targets):
        """The values of those targets that are there."""
        try:
            return self._values_of(self.read_levels(targets, current=True))
        except Error as error:
            if targets is None or error.errno not in _ABSENT:
                raise
        found = {}
        for target in targets:
            try:
                found.update(self._values_of(self.read_levels([target], current=True)))
            except Error as error:
                if error.errno not in _ABSENT:
                    raise
        return found

    @staticmethod
    def _values_of(results):
        """{(name of the domain, name of the value, row, column): value}"""
        found = {}
        for result in results:
            for name, value in result.values().items():
                table = value if isinstance(value, list) else [[value]]
                for row, columns in enumerate(table):
                    for column, one in enumerate(columns):
                        found[result.domain.name, name, row, column] = one
        return found

    # -- Other questions --

    def choose_high_priority_cpus(self, targets=None, cores=None, cores_per_package=None, bucket=None, level=None, within=None,
                                  avoid=None, allow_lower_turbo=False):
        """Chooses CPUs to get high priority in SST-TF, as a frozenset, and changes nothing: a number of cores in all, of each
        package, or as many as a bucket holds (one of the three is required); of these CPUs only (within), and without those
        (avoid). Errors: isst_choose_high_priority_cpus(3)."""
        request = {Value.HIGH_PRIORITY_CORES: cores, Value.HIGH_PRIORITY_CORES_PER_PACKAGE: cores_per_package,
                   Value.HIGH_PRIORITY_BUCKET: bucket, Value.LEVEL: level, Value.WITHIN_CPUS: within, Value.AVOID_CPUS: avoid}
        cpus = _Owned(_isst().cpuset_free)
        with _Targets(self, targets) as target_set, _Request(self, request) as values_asked:
            self._do(_isst().choose_high_priority_cpus, self._open(), target_set, values_asked,
                     _CHOOSE_ALLOW_LOWER_TURBO if allow_lower_turbo else 0, cpus.reference)
        return _cpus(cpus.pointer)

    def explain(self, targets=None, measure=False, limits_only=False):
        """Finds out why CPUs run as they do, and returns an Explanation; changes nothing. measure: keeps each CPU busy for
        0.3 seconds. limits_only: only what the hardware limits them for. Errors: isst_explain(3)."""
        owned = _Owned(_isst().explanation_free)
        with _Targets(self, targets) as target_set:
            self._do(_isst().explain, self._open(), target_set, None,
                     (_EXPLAIN_MEASURE if measure else 0) | (_EXPLAIN_LIMITS if limits_only else 0), owned.reference,
                     guarded=measure)
        pointer = owned.pointer
        findings = [_finding(entry) for entry in _pointers(_isst().explanation_finding_at, pointer)]
        measured = ((cpu, _isst().explanation_measured_mhz(pointer, cpu)) for cpu in sorted(self.online_cpus))
        return Explanation(findings, _texts(_isst().explanation_unread_at, pointer),
                           _texts(_isst().explanation_note_at, pointer), {cpu: mhz for cpu, mhz in measured if mhz})

    def capture(self, directory):
        """Captures the machine into a directory, from which the emulator can reproduce it. Called on a context that was opened
        with discover=False. Errors: isst_capture(3)."""
        self._do(_isst().capture, self._open(), _path(directory), 0)

    # -- Changes --

    def lock(self, timeout_ms=0):
        """Takes the lock of processes that change the machine, and discovers it again. Returns an object for a with statement,
        which releases the lock at its end. timeout_ms: how long to wait for another process. Errors: isst_lock(3): EBUSY
        (another process holds it), EINTR, EPERM, EOPNOTSUPP."""
        lock, pointer, taken = _isst().lock, self._open(), []

        def take():
            status = lock(pointer, timeout_ms, 0)
            taken.extend([True] if status == 0 else [])
            return status
        try:
            self._do(take, guarded=True)
            status = self._call(_isst().rediscover, self._open(), guarded=True)
            if status == -errnos.EINVAL and not _isst().domain_count(self._open()):
                status = self._call(_isst().discover, self._open(), guarded=True)
            self._check(status)
        except BaseException:
            if taken:
                _isst().unlock(pointer)
            raise
        return _Lock(self)

    def check_lock(self):
        """Raises Error (EBUSY) if another process holds the lock; does not take it."""
        self._do(_isst().lock, self._open(), 0, _LOCK_CHECK)

    def unlock(self):
        """Releases the lock. Error (EINVAL): it is not held, or a change is held."""
        self._do(_isst().unlock, self._open())

    def check_privileges(self):
        """Raises Error (EPERM) if the process may not change the machine."""
        self._do(_isst().check_privileges, self._open())

    def change(self, flags=0, command=None, progress=None):
        """A new Change. The lock must be held (lock(), lock_ms), unless it is a dry run. flags: ChangeFlag; command: its name
        in the system log and the journal; progress: a function that is called when a CPU is taken on- or offline, with
        its number, whether online, and that it is the n-th of so many. Errors: isst_change_new(3)."""
        return Change(self, flags, command, progress)

    def read_config(self, everything=False, undisturbed=False, targets=None):
        """The present state of the machine as a Config for this machine: what differs from the state after boot, or
        everything; with undisturbed no isolated CPU is interrupted; of the domains of targets, with which alone it can be checked then. Errors: isst_config_read(3)."""
        flags = (_CONFIG_READ_ALL if everything else 0) | (_CONFIG_READ_UNDISTURBED if undisturbed else 0)
        if targets is None:
            return self._config(_isst().config_read, flags)
        with _Targets(self, targets) as target_set:
            return self._config(_isst().config_read_targets, target_set, flags)

    def default_config(self, parts=0):
        """The defaults as a Config; parts: ConfigPart, 0 for all. Error: EPERM."""
        return self._config(_isst().config_defaults, parts)

    def boot_config(self):
        """The state that the first change since boot found, as a Config. Error: ENOENT (no change was made since), EPERM,
        EIO."""
        return self._config(_isst().config_boot, 0)

    def read_apply_record(self):
        """The last run of a configuration since boot, of this program or another, as an ApplyRecord; None if there was none.
        Errors: isst_read_apply_record(3)."""
        owned = _Owned(_isst().apply_record_free)
        status = self._call(_isst().read_apply_record, self._open(), 0, owned.reference)
        if status == -errnos.ENOENT:
            return None
        self._check(status)
        pointer = owned.pointer
        return ApplyRecord(_isst().apply_record_time_s(pointer), _isst().apply_record_succeeded(pointer),
                           _text(_isst().apply_record_source(pointer)), _text(_isst().apply_record_sha256(pointer)))

    def _config(self, function, *arguments):
        owned = _Owned(_isst().config_free)
        self._do(function, self._open(), *arguments, owned.reference)
        return Config._make(owned.take())

    # -- The journal of an interrupted change --

    def keep_journal(self):
        """Keeps discovery under the lock from rolling back the change of an interrupted process. Called on a context that was
        opened with discover=False."""
        self._do(_isst().journal_keep, self._open())

    def journal(self):
        """The Journal of an interrupted change; None if there is none. Errors: isst_journal_open(3)."""
        journal = Journal(self)
        return journal if journal._key in self._children else None

    def discard_journal(self):
        """Removes the journal without changing the machine. Errors: isst_journal_discard(3)."""
        self._do(_isst().journal_discard, self._open(), 0)


class _Lock(_Uncopyable):
    """Releases the lock at the end of a with statement."""

    def __init__(self, context):
        self._context = context

    def __enter__(self):
        return self._context

    def __exit__(self, *exception):
        context = self._context
        try:
            context._refuse_in_callback()
            context._end(context._children)
        finally:
            context.unlock()


def _open_emulated(machine, platform, state):
    """Opens an emulated machine, which is passed to isst_open_machine()."""
    emulator = _emulator()
    target = emulator.emulator_target_new(_path(platform))
    if not target:
        raise MemoryError
    message = _Owned(_LIBC.free)
    try:
        error = emulator.emulator_target_set_state(target, None if state is None else _path(state))
        error = error or emulator.emulator_open(target, machine.reference, message.reference)
    finally:
        emulator.emulator_target_free(target)
    if error:
        raise _error(error, _take_text(message.take()))


class _Targets:
    """Targets of a call, for the time of a with statement: None for all domains; Domain objects; Cpu objects or numbers."""

    def __init__(self, context, targets):
        self.context = context
        self.targets = None if targets is None else _listed("targets", targets)

    def __enter__(self):
        self.pointer = _isst().targets_new(self.context._open())
        if not self.pointer:
            raise MemoryError
        try:
            self.fill()
        except BaseException:
            _isst().targets_free(self.pointer)
            raise
        return self.pointer

    def fill(self):
        do = self.context._do
        if self.targets is None:
            do(_isst().targets_add_all_domains, self.pointer, 0)
            return
        domains = [target for target in self.targets if isinstance(target, Domain)]
        cpus = [target.number if isinstance(target, Cpu) else target for target in self.targets
                if not isinstance(target, Domain)]
        for domain in domains:
            do(_isst().targets_add_domain, self.pointer, domain._pointer)
        if cpus:
            with _CpuSet(cpus, "targets") as pointer:
                do(_isst().targets_add_cpus, self.pointer, pointer)

    def __exit__(self, *exception):
        _isst().targets_free(self.pointer)


class _Request:
    """Values of a call, for the time of a with statement: {Value: number or CPUs}; those that are None are left out."""

    def __init__(self, context, values_asked):
        self.context = context
        self.values = {key: value for key, value in (values_asked or {}).items() if value is not None}

    def __enter__(self):
        self.pointer = _isst().request_new()
        if not self.pointer:
            raise MemoryError
        try:
            for key, value in self.values.items():
                self.set(key, value)
        except BaseException:
            _isst().request_free(self.pointer)
            raise
        return self.pointer

    def set(self, key, value):
        if value_type(key) == Type.CPUS:
            with _CpuSet(value, value_name(key).replace("_cpus", "")) as cpus:
                error = _isst().request_set_cpus(self.pointer, key, cpus)
        elif not 0 <= value < 1 << 64:
            error = -errnos.EINVAL
        else:
            error = _isst().request_set64(self.pointer, key, value)
        if error:
            raise _error(error, "{!r} is not a value for {}".format(value, value_name(key)))

    def __exit__(self, *exception):
        _isst().request_free(self.pointer)


def _finding(entry):
    isst = _isst()
    return Finding(_named(FindingKind, isst.finding_code(entry)), _text(isst.finding_name(entry)),
                   _named(Severity, isst.finding_severity(entry)), _text(isst.finding_place(entry)),
                   _cpus(isst.finding_cpus(entry)), _text(isst.finding_evidence(entry)), _text(isst.finding_meaning(entry)),
                   _text(isst.finding_remedy(entry)), _cpus(isst.finding_packages(entry)))


def _item(entry):
    if not entry:
        return None
    domain = _isst().item_domain(entry)
    return Item(_named(ItemKind, _isst().item_kind(entry)), _text(_isst().domain_name(domain)) if domain else None,
                _number(_isst().item_index, entry), _text(_isst().item_unit(entry)))


# ---- Changes ----

# What remains of what was ended: a pointer, and functions that end and free nothing.
_ENDED = (None, lambda pointer: 0, lambda pointer: None)


class _Child(_Uncopyable):
    """What belongs to a context, and ends before it."""

    def __init__(self, context):
        if not isinstance(context, Context):
            raise TypeError("a {} belongs to a Context, not a {}".format(type(self).__name__, type(context).__name__))
        self._context, self._key = context, object()

    def _begin(self, abandon, free, function, argument):
        """Calls a function that stores the pointer. abandon: what ends it, and returns an error; free: what frees it."""
        context, pointer = self._context, ctypes.c_void_p()
        context_pointer = context._open()

        def begin():
            status = function(context_pointer, argument, ctypes.byref(pointer))
            if pointer:
                context._children[self._key] = (pointer.value, abandon, free)
            return status
        context._do(begin, guarded=True)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    def __del__(self):
        if hasattr(self, "_key") and self._key in self._context._children:
            self._context._lose(self._key)

    def close(self):
        """Ends it."""
        self._context._refuse_in_callback()
        if self._key in self._context._children:
            self._context._end([self._key])

    def _open(self):
        self._context._open()
        if self._key not in self._context._children:
            raise ValueError("the {} is closed".format(type(self).__name__.lower()))
        return self._context._children[self._key][0]


class Change(_Child):
    """A change of the machine, made by Context.change(). Requests are added, and run() makes all of them, or none. To be used
    in a with statement: at its end a change that is held (ChangeFlag.HOLD) and was not released is rolled back, and nothing
    happens to a change that was not run.

    Functions that add a request take targets as those of Context that read do. They return Results without values, with the
    error of each target: a target that fails makes run() fail, unless the flags permit leaving it out. Errors: EOPNOTSUPP (no
    target supports the request), EIO (the state does not permit it), EINVAL; see isst_change_add_level(3)."""

    def __init__(self, context, flags=0, command=None, progress=None):
        super().__init__(context)
        self._is_made = False
        self._progress = _PROGRESS(lambda data, *numbers: context._report(progress, *numbers))
        options = _isst().change_options_new()
        if not options:
            raise MemoryError
        try:
            if _isst().change_options_set_flags(options, flags):
                raise _error(-errnos.EINVAL, "unknown flags of a change: {:#x}".format(int(flags)))
            if command is not None and _isst().change_options_set_command(options, _encoded(command)):
                raise MemoryError
            if progress:
                _isst().change_options_set_progress(options, self._progress, None)
            self._begin(_isst().change_abandon, _isst().change_free, _isst().change_new, options)
        finally:
            _isst().change_options_free(options)

    def close(self):
        """Ends the change: one that is held is rolled back. RollbackError and other errors: the rollback failed, see
        isst_change_abandon(3)."""
        super().close()

    def _add(self, function, targets, request=None, flags=0):
        with _Targets(self._context, targets) as target_set, _Request(self._context, request) as values_asked:
            return self._context._results(function, self._open(), target_set, values_asked, flags)

    @staticmethod
    def _onoff(enable, auto=False):
        return (ChangeAdd.ENABLE if enable else ChangeAdd.DISABLE) | (ChangeAdd.AUTO if auto else 0)

    def add_level(self, level, targets=None, online=False):
        """Selects a performance level. online: takes CPUs that it does not enable offline, and brings the others online."""
        return self._add(_isst().change_add_level, targets, {Value.LEVEL: level}, ChangeAdd.ONLINE if online else 0)

    def add_base_freq(self, enable, targets=None, auto=False):
        """Turns SST-BF on or off. auto: also configures what it needs, CLOS, associations, core-power, cpufreq limits."""
        return self._add(_isst().change_add_base_freq, targets, {}, self._onoff(enable, auto))

    def add_turbo_freq(self, enable, targets=None, auto=False, high_priority_cpus=None, turbo_ratio_limits=None):
        """Turns SST-TF on or off. auto: also configures what it needs; high_priority_cpus: the CPUs that get high priority (only with auto),
        which auto requires to be CPUs of the targets. turbo_ratio_limits: eight ratios of 100 MHz in a number."""
        request = {Value.HIGH_PRIORITY_CPUS: high_priority_cpus, Value.TURBO_RATIO_LIMITS: turbo_ratio_limits}
        return self._add(_isst().change_add_turbo_freq, targets, request, self._onoff(enable, auto))

    def add_core_power(self, enable, targets=None, priority=None):
        """Turns core-power (SST-CP) on or off. priority: Priority; None: unchanged."""
        return self._add(_isst().change_add_core_power, targets, {Value.PRIORITY: priority}, self._onoff(enable))

    def add_clos(self, clos, targets=None, epp=0, weight=0, min_mhz=0, max_mhz=CLOS_NO_LIMIT_MHZ, desired_mhz=0):
        """Configures a CLOS, 0 to 3. Frequencies are multiples of 100 MHz, others are EINVAL."""
        request = {Value.CLOS: clos, Value.CLOS_EPP: epp, Value.CLOS_WEIGHT: weight, Value.CLOS_MIN_MHZ: min_mhz,
                   Value.CLOS_MAX_MHZ: max_mhz, Value.CLOS_DESIRED_MHZ: desired_mhz}
        return self._add(_isst().change_add_clos, targets, request)

    def add_clos_association(self, clos, cpus):
        """Associates the cores of CPUs with a CLOS."""
        return self._add(_isst().change_add_clos_association, cpus, {Value.CLOS: clos})

    def add_turbo_ratio_limits(self, turbo_ratio_limits, targets=None):
        """Sets the turbo ratio limits: eight ratios of 100 MHz in a number, bucket 0 in the lowest byte."""
        return self._add(_isst().change_add_turbo_ratio_limits, targets, {Value.TURBO_RATIO_LIMITS: turbo_ratio_limits})

    def add_turbo_mode(self, enable, cpus):
        """Turns turbo of CPUs on or off by their cpufreq limits."""
        return self._add(_isst().change_add_turbo_mode, cpus, {}, self._onoff(enable))

    def add_all_online(self):
        """Brings all present CPUs online."""
        self._context._do(_isst().change_add_all_online, self._open(), None, None, 0, None)

    def add_config(self, config):
        """Adds all that a Config states; before other requests. Returns whether it is for this machine. ConfigError: it does
        not fit the machine, or the machine forbids it."""
        return config._use(self._context, lambda pointer: (_isst().change_add_config, self._open(), pointer, 0)) != _SKIPPED

    def check(self):
        """Raises the Error of run() if that will refuse the change: a target failed that may not be left out, or a request was
        refused. Errors: isst_change_check(3)."""
        self._context._do(_isst().change_check, self._open())

    def run(self):
        """Makes the change; in a dry run only determines the steps. Returns True, or False if it left out targets, as the
        flags permit. Error: it failed, and nothing is left changed; EINTR: it was interrupted. RollbackError: it failed, and
        differences lists what could not be rolled back. An exception of a function of the program or of the handler of a signal
        is raised when the change was rolled back; also if it came too late for that, see is_made."""
        change_run, pointer = _isst().change_run, self._open()

        def run():
            status = change_run(pointer)
            self._is_made = status >= 0
            return status
        return self._context._do(run, guarded=True) != _PARTIAL

    def release(self):
        """Makes a change that is held stand. Error (EINVAL): it is not held."""
        self._context._do(_isst().change_release, self._open(), guarded=True)

    def roll_back(self):
        """Rolls a change back that is held. Errors: isst_change_roll_back(3)."""
        self._context._do(_isst().change_roll_back, self._open(), guarded=True)

    @property
    def is_made(self):
        """Whether run() made the change, even if it raised an exception of a signal's handler afterwards."""
        return self._is_made

    @property
    def is_held(self):
        """Whether the change was made and is held."""
        return _isst().change_is_held(self._open())

    @property
    def is_unchanged(self):
        """Whether the change found everything in the requested state, and wrote nothing."""
        return _isst().change_is_unchanged(self._open())

    def has_left_out(self, domain):
        """Whether the change left out a Domain without CPUs, because its firmware refused a write."""
        if not isinstance(domain, Domain):
            raise TypeError("{!r} is not a Domain".format(domain))
        return _isst().change_has_left_out(self._open(), domain._pointer)

    @property
    def steps(self):
        """What the change wrote, or would write (dry run): a list of Step, in order."""
        return [self._step(entry) for entry in _pointers(_isst().change_step_at, self._open())]

    @staticmethod
    def _step(entry):
        isst = _isst()
        return Step(_text(isst.change_step_target(entry)), _item(isst.change_step_item(entry)),
                    _text(isst.change_step_old_text(entry)), _text(isst.change_step_new_text(entry)),
                    _number(isst.change_step_old_number, entry, kind=ctypes.c_uint64),
                    _number(isst.change_step_new_number, entry, kind=ctypes.c_uint64), isst.change_step_is_written(entry),
                    _fields(entry))

    @property
    def warnings(self):
        """Warnings, such as values that the kernel clipped: a list of texts."""
        return _texts(_isst().change_warning_at, self._open())

    @property
    def warning_kinds(self):
        """What these warnings are about: a list of WarningKind (or numbers that this module does not know), in the same order."""
        code_at, change = _isst().change_warning_code_at, self._open()
        return [_named(WarningKind, code_at(change, index)) for index in range(len(self.warnings))]

    @property
    def differences(self):
        """What differs from before after an incomplete rollback: a list of texts."""
        return _texts(_isst().change_difference_at, self._open())


# ---- Configurations ----

class Config(_Made):
    """A configuration: statements of isst-config(5). text: its statements; None: empty. file: the text is that of a file,
    which begins with `# isst configuration 1`. It belongs to no machine. ConfigError (EINVAL): the text is wrong."""

    def __init__(self, text=None, name="text", file=False):
        self._take(_isst().config_new())
        if text is not None:
            self.add_text(text, name, file)

    def _take(self, pointer):
        if not pointer:
            raise MemoryError
        self._used, self._pointer = False, pointer
        self._finalizer = weakref.finalize(self, _isst().config_free, pointer)

    def _error(self, status, message):
        return ConfigError(-status, message or os.strerror(-status), _texts(_isst().config_problem_at, self._pointer))

    def _use(self, context, call):
        """Calls a function of a context for the configuration, which cannot be changed meanwhile."""
        if self._used:
            raise RuntimeError("the configuration is used by a call")
        try:
            self._used = True
            return context._do(*call(self._pointer), kind=self._error)
        finally:
            self._used = False

    def add_text(self, text, name="text", file=False):
        """Adds the statements of a text; they win over those that were added before. name: that of the text in messages.
        ConfigError (EINVAL): nothing was added, and problems lists everything that is wrong."""
        if self._used:
            raise RuntimeError("the configuration is used by a call")
        data = text.encode("utf-8", "surrogateescape")
        status = _isst().config_add_text(self._pointer, _path(name), data, len(data), _CONFIG_ADD_FILE if file else 0)
        if status:
            error = self._error(status, None)
            raise ConfigError(error.errno, "; ".join(error.problems) or error.strerror, error.problems)

    def to_text(self):
        """The configuration as the text of a file. ValueError: it is of several texts."""
        owned = _Owned(_LIBC.free)
        status = _isst().config_to_text(self._pointer, 0, owned.reference)
        if status == -errnos.ENODATA:
            raise ValueError("a configuration of several texts has no text")
        if status:
            raise _error(status, None)
        return _take_text(owned.take())

    def match(self, context):
        """Whether it is for the machine; False if it is for another, and states `else skip`. ConfigError (EOPNOTSUPP): it is
        for another machine."""
        return self._use(context, lambda pointer: (_isst().config_match, pointer, context._open(), 0)) != _SKIPPED

    def check(self, context, separately=False, undisturbed=False, targets=None):
        """What differs from the machine: a list of ConfigDifference, with separately one for each domain; with undisturbed
        no isolated CPU is interrupted; with targets of their domains alone. None if it is not for this machine, see match().
        ConfigError: EOPNOTSUPP (the machine does not have what it states), EIO, EINVAL (it
        contradicts itself there)."""
        flags = (_CONFIG_CHECK_SEPARATELY if separately else 0) | (_CONFIG_CHECK_UNDISTURBED if undisturbed else 0)
        isst = _isst()
        with contextlib.ExitStack() as stack:
            if targets is not None:
                isst.config_set_targets(self._pointer, stack.enter_context(_Targets(context, targets)))
                stack.callback(isst.config_set_targets, self._pointer, None)
            if self._use(context, lambda pointer: (isst.config_check, pointer, context._open(), flags)) == _SKIPPED:
                return None
        return [_config_difference(entry) for entry in _pointers(isst.config_difference_at, self._pointer)]

    def record_apply(self, context, error=None):
        """Records that the configuration was applied to a machine just now, or that this failed with an Error: for
        Context.read_apply_record(), and the status of other programs. Only one of texts can be recorded. Errors:
        isst_config_record_apply(3)."""
        context._do(_isst().config_record_apply, self._pointer, context._open(), -error.errno if error else 0, 0)

    @property
    def skipped(self):
        """The optional statements that the last check() or Change.add_config() skipped, with the reason: a list of texts."""
        return _texts(_isst().config_skipped_at, self._pointer)

    @property
    def skipped_errors(self):
        """Why the same statements were skipped, in the same order: ENODEV (the driver of the kernel is not there; it may be
        loaded later) or EOPNOTSUPP (the machine does not have such a thing)."""
        return [-_isst().config_skipped_error_at(self._pointer, index) for index in range(len(self.skipped))]

    @property
    def high_priority_cpus(self):
        """The CPUs that check() or Change.add_config() chose for `high-priority`, as a frozenset; None if none were asked
        for."""
        pointer = _isst().config_high_priority_cpus(self._pointer)
        return _cpus(pointer) if pointer else None


# ---- The journal ----

class Journal(_Child):
    """The journal of an interrupted change, made by Context.journal(). To be used in a with statement, or closed."""

    def __init__(self, context):
        super().__init__(context)
        self._begin(_ENDED[1], _isst().journal_free, _isst().journal_open, 0)

    def close(self):
        """Frees the journal; it remains on the machine."""
        super().close()

    @property
    def command(self):
        """The name of the interrupted change; "" if unknown."""
        return _text(_isst().journal_command(self._open()))

    @property
    def is_held(self):
        """Whether the change was complete, and was held by its process."""
        return _isst().journal_is_held(self._open())

    @property
    def age_s(self):
        """Seconds since the change began; None if unknown."""
        age = _isst().journal_age_s(self._open())
        return None if age < 0 else age

    @property
    def is_moved(self):
        """Whether an item was or may have been changed by another process since."""
        return _isst().journal_is_moved(self._open())

    @property
    def entries(self):
        """What the interrupted process wrote or affected: a list of JournalEntry."""
        return [self._entry(entry) for entry in _pointers(_isst().journal_entry_at, self._open())]

    @staticmethod
    def _entry(entry):
        isst = _isst()
        texts = (isst.journal_entry_old_text, isst.journal_entry_written_text, isst.journal_entry_present_text)
        numbers = (isst.journal_entry_old_number, isst.journal_entry_written_number, isst.journal_entry_present_number)
        return JournalEntry(_text(isst.journal_entry_target(entry)), _item(isst.journal_entry_item(entry)),
                            *(_text(function(entry)) for function in texts),
                            *(_number(function, entry, kind=ctypes.c_uint64) for function in numbers),
                            _text(isst.journal_entry_finding(entry)), JournalEntryFlag(isst.journal_entry_flags(entry)))

    def apply(self):
        """Restores the old values of all items that no other process changed since, and removes the journal. Errors:
        isst_journal_apply(3)."""
        self._context._do(_isst().journal_apply, self._open(), 0, guarded=True)
