# SPDX-License-Identifier: BSD-3-Clause
# Builds libisst, intel-speed-select (isst) and the emulator. `make help` lists the targets.
# CC, CFLAGS, CPPFLAGS, LDFLAGS, PREFIX, DESTDIR and the directories below are the caller's; what the
# project itself needs is kept in variables of its own (ISST_*).

# As many jobs as processors, unless -j is given.
ALL_PROCESSORS = $(if $(filter -j%,$(MAKEFLAGS)),,-j $$(nproc))

# A line says what is made, and V=1 shows the commands.
ifneq ($(V),1)
.SILENT:
say = $(if $(findstring s,$(firstword -$(MAKEFLAGS))),,printf '  %-4s %s\n' '$1' '$2';)
endif

# This file asks the compiler for its options while it is read. `make deps check` may have to install it first:
# one make installs, and another one that starts afterwards does the rest.
DEPS_GOALS := $(filter deps%,$(MAKECMDGOALS))
OTHER_GOALS := $(filter-out deps%,$(MAKECMDGOALS))
ifneq ($(and $(DEPS_GOALS),$(OTHER_GOALS)),)

.PHONY: $(MAKECMDGOALS) one-after-another
$(MAKECMDGOALS): one-after-another
	@:

one-after-another:
	$(MAKE) --no-print-directory $(DEPS_GOALS)
	$(MAKE) --no-print-directory $(ALL_PROCESSORS) $(OTHER_GOALS)

else

# The lower-case names are those of GNU's makefiles.
PREFIX ?= $(or $(prefix),/usr/local)
BINDIR ?= $(or $(bindir),$(PREFIX)/bin)
LIBDIR ?= $(or $(libdir),$(PREFIX)/lib)
# What only the command itself loads.
PRIVATEDIR ?= $(LIBDIR)/isst
INCLUDEDIR ?= $(or $(includedir),$(PREFIX)/include)
MANDIR ?= $(or $(mandir),$(PREFIX)/share/man)
DOCDIR ?= $(or $(docdir),$(PREFIX)/share/doc/isst)

INSTALL ?= install
# Those of the compiler, which may be one for another architecture.
OBJCOPY ?= $(shell $(CC) -print-prog-name=objcopy)
AR := $(if $(filter default,$(origin AR)),$(shell $(CC) -print-prog-name=ar 2> /dev/null),$(AR))

# Where everything that is built goes; another directory for another configuration.
BUILD ?= build
# Names with spaces are no targets for make: such a directory is reached by a link.
BUILD_DIRECTORY := $(BUILD)
ifneq ($(word 2,$(BUILD)),)
override BUILD := build-link-$(firstword $(shell printf '%s' '$(BUILD)' | cksum))
$(shell mkdir -p '$(BUILD_DIRECTORY)' && ln -sfn "$$(cd '$(BUILD_DIRECTORY)' && pwd)" $(BUILD))
endif
# Where the emulator is: yes, in the command; plugin, in libisst-emulator.so, which the installed command loads for an
# emulated machine, and which need not be installed; no, nowhere.
EMULATOR ?= yes
ifeq ($(filter yes plugin no,$(EMULATOR)),)
$(error EMULATOR is yes, plugin or no)
endif
HAS_EMULATOR := $(filter-out no,$(EMULATOR))
# SHARED=no builds no shared libraries. SHARED_COMMAND=yes links the installed command with libisst.so.
SHARED ?= yes
SHARED_COMMAND ?= no
ifeq ($(SHARED),no)
ifneq ($(filter yes,$(SHARED_COMMAND))$(filter plugin,$(EMULATOR)),)
$(error SHARED_COMMAND=yes and EMULATOR=plugin need SHARED=yes)
endif
endif
# WERROR=yes turns warnings into errors, as CI does.
WERROR ?= no

CFLAGS ?= -O2 -g
# Hardening that distributions switch on as well; theirs, in CFLAGS and CPPFLAGS, comes later and wins.
HARDENING ?= yes

ISST_CPPFLAGS := -D_GNU_SOURCE -Iinclude
ISST_CFLAGS := -std=gnu11 -fvisibility=hidden -fPIC -Wall -Wextra -Wshadow -Wconversion \
	-Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wundef -Wvla -Wformat-security
ifeq ($(WERROR),yes)
ISST_CFLAGS += -Werror
endif
ISST_LDFLAGS :=
ISST_LDLIBS := -lcap
ifeq ($(HARDENING),yes)
# What this compiler, for its architecture, knows of it.
ISST_CFLAGS += $(shell for option in -fstack-protector-strong -fstack-clash-protection -fcf-protection \
	-mbranch-protection=standard -ftrivial-auto-var-init=zero; do \
	$(CC) $(CFLAGS) -Werror $$option -x c -S -o - /dev/null > /dev/null 2>&1 && echo "$$option"; done)
ifeq ($(findstring FORTIFY_SOURCE,$(CPPFLAGS) $(CFLAGS))$(findstring -O0,$(CFLAGS))$(findstring -fsanitize,$(CFLAGS)),)
# Level 3 needs compiler and C library; where one of them lacks it, a warning says so.
ISST_CPPFLAGS += -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=$(shell \
	$(CC) $(CPPFLAGS) $(CFLAGS) -O2 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3 -Werror -include stdio.h -x c -S -o - /dev/null \
	> /dev/null 2>&1 && echo 3 || echo 2)
endif
ISST_LDFLAGS += -pie -Wl,-z,relro,-z,now
endif

# The one place of the version is the header.
VERSION := $(shell sed -n 's/^\#define ISST_VERSION "\(.*\)"/\1/p' include/isst.h)

comma := ,
sources = $(sort $(wildcard $(addsuffix /*.c,$(addprefix src/,$(1)))))
objects = $(patsubst %.c,$(BUILD)/%.o,$(1))

LIBRARY_LAYERS := common base driver sysfs firmware topology transaction features configuration state explain library
BASE_OBJECTS := $(call objects,$(call sources,common base))
LIBRARY_OBJECTS := $(call objects,$(call sources,$(LIBRARY_LAYERS)))
PLATFORMS := $(sort $(wildcard src/emulator/platforms/*.platform))
ifneq ($(HAS_EMULATOR),)
EMULATOR_OBJECTS := $(call objects,$(filter-out src/emulator/none.c src/emulator/plugin.c,$(call sources,emulator emulator/*))) \
	$(BUILD)/emulator-platforms.o
else
EMULATOR_OBJECTS := $(call objects,src/emulator/none.c)
endif
# What library and command both contain.
CLI_OBJECTS := $(call objects,$(call sources,cli cli/* common))
CLI_LIBRARY_OBJECTS := $(filter-out %/main.o,$(CLI_OBJECTS))

LIBRARY := $(BUILD)/libisst.a
EMULATOR_LIBRARY := $(BUILD)/libisst-emulator.a
# It holds library and emulator, so that it runs where it was built.
COMMAND := $(BUILD)/intel-speed-select
# The preload library holds the emulator, and shows nothing but the functions that it replaces.
PRELOAD_OBJECTS := $(call objects,$(call sources,preload))
# They are glibc's: with another C library there is none, and isst emulate says so.
GLIBC := $(shell $(CC) $(CPPFLAGS) -include features.h -E -dM -x c /dev/null 2> /dev/null | sed -n 's/^.define __GLIBC__ .*/yes/p')
PRELOAD := $(if $(and $(HAS_EMULATOR),$(GLIBC)),$(BUILD)/libisst-emulator-preload.so)

# The number of the binary interface, which programs ask for. It does not follow the version: only an incompatible interface gets
# the next one.
SONAME := 0
ifeq ($(SHARED),yes)
SHARED_LIBRARY := $(BUILD)/libisst.so.$(VERSION)
SHARED_EMULATOR_LIBRARY := $(if $(HAS_EMULATOR),$(BUILD)/libisst-emulator.so.$(VERSION))
endif
SHARED_LIBRARIES := $(strip $(SHARED_LIBRARY) $(SHARED_EMULATOR_LIBRARY))
# The names that programs are linked and started with.
shared_links = $(patsubst %.so.$(VERSION),%.so.$(SONAME),$(1)) $(patsubst %.so.$(VERSION),%.so,$(1))
SHARED_LINKS := $(strip $(call shared_links,$(SHARED_LIBRARIES)))
# What is installed is linked a second time where it is to load libraries, which are at their places only then.
INSTALLED_COMMAND := $(if $(filter plugin,$(EMULATOR))$(filter yes,$(SHARED_COMMAND)),$(BUILD)/installed/intel-speed-select,$(COMMAND))

# What a recipe wrote before it failed is not up to date.
.DELETE_ON_ERROR:

.PHONY: all
all: $(LIBRARY) $(SHARED_LIBRARIES) $(SHARED_LINKS) $(COMMAND) $(BUILD)/isst $(INSTALLED_COMMAND) $(PRELOAD)

.PHONY: help
help:
	@sed -n 's/^#: //p' $(MAKEFILE_LIST)

#: all             build/libisst.a, build/libisst.so, build/intel-speed-select and its other name build/isst

# A file that records a setting is made anew when the setting has changed; so make -n and -q know what would be built.
# changed FILE,TEXT: .force if the file holds another text
changed = $(if $(subst x$(strip $(shell cat '$1' 2> /dev/null))x,,x$(strip $2)x),.force)
.PHONY: .force
.force:

# Objects are rebuilt when the way to build them changes: the compiler, and a line with its options.
FLAGS := $(ISST_CPPFLAGS) $(CPPFLAGS) $(ISST_CFLAGS) $(CFLAGS) $(ISST_LDFLAGS) $(LDFLAGS) $(if $(HAS_EMULATOR),yes,no)
$(BUILD)/flags: $(call changed,$(BUILD)/flags,$(CC) $(FLAGS))
	@mkdir -p $(@D)
	@printf '%s\n' '$(CC)' '$(FLAGS)' > $@

# Where the installed command finds the preload library and the emulator's; one object each knows it.
$(BUILD)/library-directories: $(call changed,$(BUILD)/library-directories,$(PRIVATEDIR) $(LIBDIR))
	@mkdir -p $(@D)
	@printf '%s\n' '$(PRIVATEDIR)' '$(LIBDIR)' > $@
$(BUILD)/src/emulator/front/launch.o $(BUILD)/src/emulator/plugin.o: $(BUILD)/library-directories

COMPILE = $(call say,CC,$<)$(CC) $(ISST_CPPFLAGS) $(CPPFLAGS) $(ISST_CFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

# The layers of the library see each other's headers as "layer/header.h"; the command sees isst.h and
# isst-emulator.h alone, besides its own.
$(BUILD)/src/emulator/front/launch.o: ISST_CPPFLAGS += -DISST_LIBRARY_DIRECTORY='"$(PRIVATEDIR)"'
$(BUILD)/src/emulator/plugin.o: ISST_CPPFLAGS += -DISST_EMULATOR_LIBRARY='"$(LIBDIR)/libisst-emulator.so.$(SONAME)"'

$(BUILD)/src/%.o: src/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(COMPILE) $(if $(filter src/cli/%,$<),,-Isrc)

# A platform that went away leaves no file that is newer: the list of them is one.
$(BUILD)/platforms: $(call changed,$(BUILD)/platforms,$(PLATFORMS))
	@mkdir -p $(@D)
	@echo '$(PLATFORMS)' > $@

$(BUILD)/emulator-platforms.c: src/emulator/embed-platforms.sh $(PLATFORMS) $(BUILD)/platforms
	@mkdir -p $(@D)
	$(call say,GEN,$@)sh src/emulator/embed-platforms.sh $(PLATFORMS) > $@.new && mv $@.new $@

$(BUILD)/emulator-platforms.o: $(BUILD)/emulator-platforms.c $(BUILD)/flags
	$(COMPILE) -Isrc

# One object a library, in which everything but the public interface has become local: what a layer
# calls its functions is no concern of the programs that link it. With link-time optimisation this is
# the link: gcc needs an option for it, clang's linkers do nothing else.
ifneq ($(findstring -flto,$(CFLAGS)),)
LTO_FLAGS := $(shell $(CC) -flinker-output=nolto-rel -x c -S -o - /dev/null > /dev/null 2>&1 && \
	echo -flinker-output=nolto-rel)
endif
RELOCATABLE = $(call say,LD,$@)$(CC) -r -nostdlib $(LTO_FLAGS) $(filter -flto% -fuse-ld=% -B% -m% -O% --target=% --sysroot=%, \
	$(CFLAGS) $(LDFLAGS)) -o $@

$(BUILD)/libisst.o: $(LIBRARY_OBJECTS)
	$(RELOCATABLE) $^
	$(OBJCOPY) --localize-hidden $@

$(BUILD)/libisst-emulator.o: $(EMULATOR_OBJECTS) $(BASE_OBJECTS)
	$(RELOCATABLE) $^
	$(OBJCOPY) --wildcard --keep-global-symbol='isst_emulator_*' $@

$(BUILD)/%.a: $(BUILD)/%.o
	rm -f $@
	$(call say,AR,$@)$(AR) rcs $@ $<

# The maps name what is exported, all of which must exist.
LINK_SHARED = $(call say,LD,$@)$(CC) $(CFLAGS) $(filter-out -pie,$(ISST_LDFLAGS)) $(LDFLAGS) -shared -Wl,-soname,$(notdir $(@:.$(VERSION)=.$(SONAME))) \
	-Wl,--version-script=$(filter %.map,$^) -Wl,--no-undefined-version -o $@ $(filter %.o,$^)

$(BUILD)/libisst.so.$(VERSION): $(LIBRARY_OBJECTS) src/library/libisst.map
	$(LINK_SHARED) $(ISST_LDLIBS) $(LDLIBS)

$(BUILD)/libisst-emulator.so.$(VERSION): $(EMULATOR_OBJECTS) $(BASE_OBJECTS) src/emulator/libisst-emulator.map
	$(LINK_SHARED) $(LDLIBS)

$(call shared_links,$(SHARED_LIBRARY)): $(SHARED_LIBRARY)
	ln -sf $(<F) $@

$(call shared_links,$(SHARED_EMULATOR_LIBRARY)): $(SHARED_EMULATOR_LIBRARY)
	ln -sf $(<F) $@

# By the function that it shows the preload library knows that the command needs no help.
EXPORTED := $(if $(HAS_EMULATOR),-Wl$(comma)--export-dynamic-symbol=isst_emulator_open)
$(COMMAND): $(CLI_OBJECTS) $(LIBRARY) $(EMULATOR_LIBRARY)
	$(call say,LD,$@)$(CC) $(CFLAGS) $(ISST_LDFLAGS) $(LDFLAGS) $(EXPORTED) -o $@ $^ $(ISST_LDLIBS) $(LDLIBS)

$(BUILD)/installed/intel-speed-select: $(CLI_OBJECTS) $(if $(filter yes,$(SHARED_COMMAND)),$(SHARED_LIBRARY),$(LIBRARY)) \
		$(if $(filter plugin,$(EMULATOR)),$(BUILD)/src/emulator/plugin.o,$(EMULATOR_LIBRARY)) $(BUILD)/installed-parts
	@mkdir -p $(@D)
	$(call say,LD,$@)$(CC) $(CFLAGS) $(ISST_LDFLAGS) $(LDFLAGS) $(EXPORTED) -o $@ $(filter-out %-parts,$^) $(ISST_LDLIBS) -ldl $(LDLIBS)

$(BUILD)/installed-parts: $(call changed,$(BUILD)/installed-parts,$(EMULATOR) $(SHARED_COMMAND))
	@mkdir -p $(@D)
	@echo '$(EMULATOR) $(SHARED_COMMAND)' > $@

# ---- One file ----

#: static          build/isst-static: the command as one stripped file that needs no libraries, without the emulator; with
#:                 EMULATOR=yes it holds it. By musl-gcc where there is one and CC is not set, else with this C library
STATIC := $(BUILD)-static
STATIC_CC := $(if $(filter default,$(origin CC)),$(shell command -v musl-gcc > /dev/null && echo musl-gcc || echo $(CC)),$(CC))
STATIC_EMULATOR := $(if $(filter file,$(origin EMULATOR)),no,$(EMULATOR))
ifneq ($(findstring musl-gcc,$(STATIC_CC)),)
STATIC_CPPFLAGS := -isystem $(STATIC)/musl/include
STATIC_LDFLAGS := -static -L$(STATIC)/musl/lib
else
STATIC_LDFLAGS := $(if $(filter yes,$(HARDENING)),-static-pie,-static)
endif

.PHONY: static
static:
	$(if $(filter plugin,$(STATIC_EMULATOR)),$(error a static program loads no libraries: EMULATOR is yes or no))
	$(if $(STATIC_CPPFLAGS),sh mk/musl-parts.sh $(STATIC)/musl)
	$(MAKE) BUILD=$(STATIC) CC='$(STATIC_CC)' EMULATOR=$(STATIC_EMULATOR) SHARED=no SHARED_COMMAND=no \
		CPPFLAGS='$(STATIC_CPPFLAGS) $(CPPFLAGS)' LDFLAGS='$(STATIC_LDFLAGS) $(LDFLAGS)' $(STATIC)/intel-speed-select
	@mkdir -p $(BUILD)
	$(shell $(CC) -print-prog-name=strip) -o $(BUILD)/isst-static $(STATIC)/intel-speed-select

# Functions that are replaced must not be inlined from headers, as _FORTIFY_SOURCE does. The library is linked and installed under
# another name and renamed: a program that starts on an emulated machine meanwhile gets the old or the new one, whole.
$(PRELOAD_OBJECTS): ISST_CPPFLAGS += -U_FORTIFY_SOURCE
$(PRELOAD_OBJECTS): ISST_CFLAGS += -ftls-model=initial-exec

$(BUILD)/libisst-emulator-preload.o: $(PRELOAD_OBJECTS) $(EMULATOR_OBJECTS) $(BASE_OBJECTS)
	$(RELOCATABLE) $^
	$(OBJCOPY) --localize-hidden --wildcard --localize-symbol='isst_*' $@

$(BUILD)/libisst-emulator-preload.so: $(BUILD)/libisst-emulator-preload.o
	$(call say,LD,$@)$(CC) $(CFLAGS) $(filter-out -pie,$(ISST_LDFLAGS)) $(LDFLAGS) -shared -o $@.new $^ -ldl -pthread $(LDLIBS)
	mv -f $@.new $@

$(BUILD)/isst: $(COMMAND)
	ln -sf intel-speed-select $@

# Not of what was fetched: systems have files of such names, too.
-include $(shell find $(BUILD)/ \( -path $(BUILD)/vm -o -path $(BUILD)/reference -o -path $(BUILD)/packages \) -prune -o -name '*.d' -type f -print 2>/dev/null)

# ---- Tests ----

#: check           the test suite, but for the loops on large machines
#: check-all       the test suite with them
#: check-sanitize  the suite under AddressSanitizer and UndefinedBehaviorSanitizer; check-sanitize-sample
#:                 the programs that matter most, and some of the command cases
#: check-mutations breaks one part of the transactions at a time, which a test has to detect
#: check-valgrind  the unit tests under valgrind
#: update-abi      writes the binary interface of the shared libraries to tests/abi; read the diff
#: update-cases    rewrites the expected outputs of the command tests; read the diff

# One program for each file of tests of a layer, linked with the layers' own objects.
LAYER_TESTS := $(filter-out tests/features/power_domains% tests/features/capture_% tests/features/high_priority%, \
	$(sort $(wildcard $(addprefix tests/,$(addsuffix /*.c,$(filter-out transaction library,$(LIBRARY_LAYERS)))))))
# Changes are tested on the emulator, by programs that hold all layers.
TRANSACTION_TESTS := $(sort $(wildcard tests/transaction/*.c tests/features/power_domains*.c tests/features/capture_*.c tests/features/high_priority*.c))
# Those on large machines go the same ways as those on small ones, many times: LARGE=yes takes them in.
LARGE ?= no
ifneq ($(LARGE),yes)
TRANSACTION_TESTS := $(filter-out %_large.c,$(TRANSACTION_TESTS))
endif
# Runs of the built command in which one allocation, or one descriptor, after the other fails.
FAILING_TESTS := $(wildcard tests/failing/[!f]*.c)
FAILING_SUPPORT := $(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/failing/support/*.c))
TRANSACTION_SUPPORT := $(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/transaction/support/*.c))
EMULATOR_TESTS := $(wildcard tests/emulator/*.c)
CLI_TESTS := $(wildcard tests/cli/*.c)
# Programs that know the public headers alone; without the emulator they have no machine.
LIBRARY_TESTS := $(if $(HAS_EMULATOR),$(wildcard tests/library/*.c))
SUPPORT_OBJECTS := $(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/support/*.c))
test_programs = $(patsubst %.c,$(BUILD)/%,$(1))
UNIT_TESTS := $(call test_programs,$(LAYER_TESTS) $(EMULATOR_TESTS) $(CLI_TESTS) $(LIBRARY_TESTS))
TRANSACTION_PROGRAMS := $(call test_programs,$(TRANSACTION_TESTS))
FAILING_PROGRAMS := $(call test_programs,$(FAILING_TESTS))
# Some tests have functions in the place of the C library's, and look for those.
TEST_LDLIBS := -lcmocka -ldl

# Tests, and the library that is compiled for a test, run for a moment: optimising them takes longer.
UNOPTIMISED := -O0 -U_FORTIFY_SOURCE

$(BUILD)/tests/%.o: tests/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(COMPILE) -Isrc -Itests $(UNOPTIMISED)

LINK_TEST = $(call say,LD,$@)$(CC) $(CFLAGS) $(ISST_LDFLAGS) $(LDFLAGS) -o $@ $^ $(ISST_LDLIBS) $(LDLIBS) $(TEST_LDLIBS)

$(call test_programs,$(LAYER_TESTS)): %: %.o $(LIBRARY_OBJECTS) $(SUPPORT_OBJECTS)
	$(LINK_TEST)

$(call test_programs,$(EMULATOR_TESTS)): %: %.o $(EMULATOR_OBJECTS) $(BASE_OBJECTS) $(SUPPORT_OBJECTS)
	$(LINK_TEST)

$(call test_programs,$(LIBRARY_TESTS)): %: %.o $(LIBRARY) $(EMULATOR_LIBRARY)
	$(LINK_TEST)

# Shared libraries for tests, which hold the emulator, too; in the second one every struct of the library has grown.
GROWN_OBJECTS := $(patsubst $(BUILD)/%,$(BUILD)/grown/%,$(LIBRARY_OBJECTS))
$(BUILD)/grown/src/%.o: src/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(COMPILE) -Isrc -DISST_TEST_GROWN -Wno-missing-field-initializers $(UNOPTIMISED)

LINK_SHARED_TEST = @mkdir -p $(@D); $(call say,LD,$@)$(CC) $(CFLAGS) $(filter-out -pie,$(ISST_LDFLAGS)) $(LDFLAGS) -shared \
	-Wl,-soname,libisst.so -o $@ $^ $(ISST_LDLIBS) $(LDLIBS)
$(BUILD)/tests/library/now/libisst.so: $(LIBRARY_OBJECTS) $(EMULATOR_OBJECTS)
	$(LINK_SHARED_TEST)

$(BUILD)/tests/library/grown/libisst.so: $(GROWN_OBJECTS) $(EMULATOR_OBJECTS)
	$(LINK_SHARED_TEST)

$(BUILD)/tests/library/grows: $(BUILD)/tests/library/programs/grows.o $(BUILD)/tests/library/now/libisst.so
	$(CC) $(CFLAGS) $(ISST_LDFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(BUILD)/tests/abi: tests/abi/abi.sh $(LIBRARY) $(SHARED_LIBRARIES) $(SHARED_LINKS) $(BUILD)/flags
	@mkdir -p $(@D)
	printf '#!/bin/sh\nCC="%s" exec sh tests/abi/abi.sh check %s\n' '$(CC)' $(BUILD) > $@
	chmod +x $@

$(BUILD)/tests/headers: tests/library/headers.sh $(BUILD)/flags
	@mkdir -p $(@D)
	printf '#!/bin/sh\nCC="%s" exec sh tests/library/headers.sh\n' '$(CC)' > $@
	chmod +x $@

$(call test_programs,$(CLI_TESTS)): %: %.o $(CLI_LIBRARY_OBJECTS) $(LIBRARY) $(EMULATOR_LIBRARY)
	$(LINK_TEST)

$(FAILING_PROGRAMS): %: %.o $(FAILING_SUPPORT) $(LIBRARY_OBJECTS) $(EMULATOR_OBJECTS) $(SUPPORT_OBJECTS) $(TRANSACTION_SUPPORT) \
		| $(BUILD)/tests/failing/fail.so $(BUILD)/isst
	$(LINK_TEST)

# Goes into the command only, which knows nothing of it.
$(BUILD)/tests/failing/fail.so: tests/failing/fail.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(CC) -D_GNU_SOURCE $(CPPFLAGS) -std=gnu11 -Wall -Wextra -O1 -g -fPIC -shared -o $@ $<

$(TRANSACTION_PROGRAMS): %: %.o $(LIBRARY_OBJECTS) $(EMULATOR_OBJECTS) $(SUPPORT_OBJECTS) $(TRANSACTION_SUPPORT)
	$(LINK_TEST)

$(BUILD)/tests/command/run_cases $(BUILD)/tests/command/on-terminal: %: %.o
	$(LINK_TEST)

# What cases look at the emulated kernel's files by.
$(BUILD)/tests/command/kernel-files: %: %.o $(EMULATOR_OBJECTS) $(BASE_OBJECTS)
	$(CC) $(CFLAGS) $(ISST_LDFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

# Programs of their own, which know nothing of the emulator; they are run on an emulated machine.
PRELOAD_TESTS := $(patsubst tests/%.c,$(BUILD)/tests/%,$(wildcard tests/preload/*.c))
$(PRELOAD_TESTS): %: %.o
	$(LINK_TEST) -pthread

# Scripts that get the build directory, as programs like the others; each is the first that its program depends on.
SCRIPTS := $(addprefix $(BUILD)/tests/,shared commands documents captures equal kills oob explained recipes json-v2 exported privileged preloaded replays)
$(SCRIPTS):
	@mkdir -p $(@D)
	printf '#!/bin/sh\nexec sh $< %s\n' $(BUILD) > $@
	chmod +x $@

$(BUILD)/tests/shared: tests/library/shared.sh $(BUILD)/tests/library/grows $(BUILD)/tests/library/grown/libisst.so $(SHARED_LIBRARIES) $(SHARED_LINKS)
$(BUILD)/tests/commands: tests/command/cases.sh $(BUILD)/tests/command/run_cases $(BUILD)/tests/command/kernel-files $(BUILD)/tests/command/on-terminal
$(BUILD)/tests/documents: tests/docs/check-man.sh $(BUILD)/tests/command/on-terminal
$(BUILD)/tests/captures: tests/command/captures.sh
$(BUILD)/tests/equal: tests/command/equal.sh
$(BUILD)/tests/kills: tests/command/kills.sh
$(BUILD)/tests/oob: tests/command/oob.sh $(BUILD)/tests/command/kernel-files
$(BUILD)/tests/explained: tests/explain/faults.sh tests/explain/faults.table
$(BUILD)/tests/recipes: tests/explain/recipes.sh docs/configuration.md
$(BUILD)/tests/json-v2: tests/schema/schema.sh tests/schema/schema.py tests/schema/outputs.py tests/schema/suite.py $(BUILD)/tests/schema/keys
$(BUILD)/tests/exported: tests/command/exports.sh tests/command/exports.awk tests/command/exports.py docs/redfish.md docs/examples/redfish.py
$(BUILD)/tests/privileged: tests/command/privileged.sh
$(BUILD)/tests/preloaded: tests/preload/preloaded.sh $(PRELOAD_TESTS)
$(BUILD)/tests/replays: tests/command/replays.sh $(BUILD)/tests/command/kernel-files
$(SCRIPTS): $(COMMAND) $(PRELOAD) $(BUILD)/isst $(BUILD)/flags

# The key table, for what is compared with it.
$(BUILD)/tests/schema/keys: %: %.o $(CLI_LIBRARY_OBJECTS) $(LIBRARY) $(EMULATOR_LIBRARY)
	$(CC) $(CFLAGS) $(ISST_LDFLAGS) $(LDFLAGS) -o $@ $^ $(ISST_LDLIBS) $(LDLIBS)

$(BUILD)/tests/runner: tests/runner/counts.sh $(BUILD)/flags
	@mkdir -p $(@D)
	printf '#!/bin/sh\nexec sh tests/runner/counts.sh\n' > $@
	chmod +x $@

$(BUILD)/tests/release: tests/packaging/release.sh packaging/release.sh $(BUILD)/flags
	@mkdir -p $(@D)
	printf '#!/bin/sh\nexec sh tests/packaging/release.sh\n' > $@
	chmod +x $@

# Those that take long first, so that all processors have work until the end.
TESTS := $(BUILD)/tests/commands $(FAILING_PROGRAMS) $(TRANSACTION_PROGRAMS) $(BUILD)/tests/captures $(BUILD)/tests/replays \
	$(BUILD)/tests/kills $(BUILD)/tests/equal $(BUILD)/tests/oob $(BUILD)/tests/explained $(BUILD)/tests/recipes $(BUILD)/tests/json-v2 $(BUILD)/tests/exported $(BUILD)/tests/privileged \
	$(BUILD)/tests/preloaded $(BUILD)/tests/documents \
	$(if $(LIBRARY_TESTS),$(BUILD)/tests/shared) $(if $(SHARED_LIBRARY),$(BUILD)/tests/abi) $(BUILD)/tests/headers $(BUILD)/tests/runner $(BUILD)/tests/release $(UNIT_TESTS)

.PHONY: tests
tests: all $(TESTS)

# Seconds that a test program has, and one that is large, slowed down by what checks it, or builds all anew.
TEST_DEADLINE ?= $(if $(filter yes,$(LARGE)),$(SLOW_TEST_DEADLINE),1200)
SLOW_TEST_DEADLINE ?= 7200

.PHONY: check
check: tests
	ISST_PLATFORMS='$(CURDIR)/tests/platforms' ISST_LARGE='$(LARGE)' TEST_DEADLINE='$(TEST_DEADLINE)' sh tests/run-tests.sh $(TESTS)

.PHONY: check-all
check-all:
	$(MAKE) LARGE=yes check

# A change of the interface is made on purpose.
.PHONY: update-abi
update-abi: $(SHARED_LIBRARIES) $(SHARED_LINKS)
	CC='$(CC)' sh tests/abi/abi.sh update $(BUILD)

.PHONY: update-cases
update-cases: $(BUILD)/tests/commands
	ISST_UPDATE_CASES=1 $<

SANITIZED = ASAN_OPTIONS=detect_leaks=1:abort_on_error=0:exitcode=99 UBSAN_OPTIONS=print_stacktrace=1 \
	ISST_COARSE=1 $(MAKE) BUILD=$(BUILD)-sanitize TEST_DEADLINE='$(SLOW_TEST_DEADLINE)' LARGE=$(LARGE) HARDENING=no \
	CFLAGS='-O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all'

.PHONY: check-sanitize
check-sanitize:
	+$(SANITIZED) check

.PHONY: check-sanitize-sample
check-sanitize-sample:
	+ISST_CASES=10 $(SANITIZED) check-sample

# All layers by themselves, what reads files and changes machines, and with ISST_CASES=10 each tenth command case.
SAMPLE := $(BUILD)/tests/commands $(addprefix $(BUILD)/tests/transaction/,baseline hotplug promise queries records recovery rollback \
	tpmi verification) $(filter $(BUILD)/tests/features/%,$(TRANSACTION_PROGRAMS)) $(UNIT_TESTS)

.PHONY: check-sample
check-sample: all $(SAMPLE)
	ISST_PLATFORMS='$(CURDIR)/tests/platforms' TEST_DEADLINE='$(TEST_DEADLINE)' sh tests/run-tests.sh $(SAMPLE)

.PHONY: check-mutations
check-mutations: $(TRANSACTION_PROGRAMS) $(BUILD)/tests/cli/reports_v2 $(BUILD)/tests/explain/managers
	python3 tests/mutations/mutations.py --build $(BUILD)

# Without hardening, by which nothing would be uninitialised.
.PHONY: check-valgrind
check-valgrind:
	$(MAKE) BUILD=$(BUILD)-valgrind HARDENING=no check-units-valgrind

# A machine is a member of what the emulator keeps of it: valgrind calls what only it leads to possibly lost, and a forked child
# ends without closing it. Those that are left out test signals, stops and exit statuses of processes, which valgrind does not
# give as the kernel does; sanitizers see their code.
VALGRIND_TESTS := $(filter-out $(addprefix $(BUILD)/tests/cli/,programs programs_on_terminals save_files signals watches),$(UNIT_TESTS))
.PHONY: check-units-valgrind
check-units-valgrind: $(VALGRIND_TESTS)
	ISST_PLATFORMS='$(CURDIR)/tests/platforms' TEST_DEADLINE='$(SLOW_TEST_DEADLINE)' \
		RUNNER='valgrind --quiet --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite,indirect --child-silent-after-fork=yes' \
		sh tests/run-tests.sh $(VALGRIND_TESTS)

# ---- Other places, compilers, architectures and C libraries ----

#: check-portability  directories with spaces, installing, what needs another compiler, architecture or C library

# Each is a program that speaks TAP; those that lack what they need say so and are skipped.
PORTABILITY := $(addprefix $(BUILD)/tests/portability-,cross-arm64 cross-s390x deps lto musl places static symbols)
$(PORTABILITY): $(BUILD)/tests/portability-%: $(BUILD)/flags
	@mkdir -p $(@D)
	printf '#!/bin/sh\nCC="%s" exec sh tests/portability/%s.sh %s %s\n' '$(CC)' $(firstword $(subst -, ,$*)) \
		$(or $(word 2,$(subst -, ,$*)),-) $(BUILD) > $@
	chmod +x $@

.PHONY: check-portability
check-portability: tests $(PORTABILITY)
	TEST_DEADLINE='$(SLOW_TEST_DEADLINE)' sh tests/run-tests.sh $(PORTABILITY)

# ---- Cross-checks: the reference tool, the real drivers ----

#: check-parity    each command beside the packaged tool, on the same emulated machines; check-parity-sample:
#:                 on a few of them
#: check-clients   client programs as users have them, with the packaged tool and with ours
#: check-vm        the command on the kernel's own drivers, in virtual machines; BOOTS names some of them
#: docs-differences  docs/differences.md, from what check-parity knows to differ

.PHONY: check-parity
check-parity: all
	sh tests/parity/check-parity.sh $(BUILD)

.PHONY: check-parity-sample
check-parity-sample: all
	sh tests/parity/check-parity.sh $(BUILD) --sample

.PHONY: check-clients
check-clients: all
	sh tests/clients/check-clients.sh $(BUILD)

#: docs-picture    docs/status.svg, docs/status-map.svg and docs/levels.svg, the pictures of the documents
.PHONY: docs-picture
docs-picture: all $(BUILD)/tests/command/on-terminal
	for name in status status-map levels; do sh tests/docs/picture.sh $(BUILD) $$name > docs/$$name.new && mv docs/$$name.new docs/$$name.svg || exit; done

.PHONY: docs-differences
docs-differences:
	python3 tests/parity/parity.py --write-doc

.PHONY: check-vm
check-vm: all
	bash tests/vm/check-vm.sh $(BUILD) $(BUILD)/vm $(BOOTS)

# ---- Fuzzers ----

#: fuzz            fuzzers on all that is read, or FUZZERS, each for SECONDS (60); needs clang

FUZZERS := $(basename $(notdir $(wildcard tests/fuzz/*.c)))
FUZZ_PROGRAMS := $(addprefix $(BUILD)/tests/fuzz/,$(FUZZERS))
FUZZ_CC ?= clang
SECONDS ?= 60
LINK_FUZZER = $(CC) $(CFLAGS) -fsanitize=fuzzer $(LDFLAGS) -o $@ $^ $(ISST_LDLIBS) $(LDLIBS)

$(addprefix $(BUILD)/tests/fuzz/,cpu_lists kernel_files configurations kernel_events): %: %.o $(BUILD)/tests/fuzz/support/common.o $(LIBRARY_OBJECTS)
	$(LINK_FUZZER)

$(addprefix $(BUILD)/tests/fuzz/,platform_files fault_rules captures): %: %.o \
		$(BUILD)/tests/fuzz/support/common.o $(EMULATOR_OBJECTS) $(BASE_OBJECTS)
	$(LINK_FUZZER)

$(addprefix $(BUILD)/tests/fuzz/,command_lines json_paths): %: %.o $(BUILD)/tests/fuzz/support/common.o $(CLI_LIBRARY_OBJECTS) $(LIBRARY) \
		$(EMULATOR_LIBRARY)
	$(LINK_FUZZER)

$(addprefix $(BUILD)/tests/fuzz/,commands remembered): %: %.o $(BUILD)/tests/fuzz/support/common.o \
		$(BUILD)/tests/fuzz/support/command.o $(CLI_LIBRARY_OBJECTS) $(LIBRARY) $(EMULATOR_LIBRARY)
	$(LINK_FUZZER) -Wl,--wrap=isst_emulator_open

.PHONY: fuzzers
fuzzers: $(FUZZ_PROGRAMS)

.PHONY: fuzz
fuzz: all
	sh tests/fuzz/fuzz.sh check "$(FUZZ_CC)"
	$(MAKE) BUILD='$(BUILD)-fuzz' CC='$(FUZZ_CC)' HARDENING=no \
		CFLAGS='-O1 -g -fno-omit-frame-pointer -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all' \
		fuzzers
	sh tests/fuzz/seeds.sh '$(BUILD)' '$(BUILD)-fuzz/seeds'
	sh tests/fuzz/fuzz.sh run '$(BUILD)-fuzz' $(SECONDS) $(FUZZERS)

# ---- Checks of the code ----

#: lint            clang-format, cppcheck, clang-tidy, and the order of layers; ANALYSIS=shallow or deep
#: coverage        lines of src/ that the tests reach; fails under 85 %

C_FILES = $(shell git ls-files '*.c' '*.h')
TIDY_FILES := $(sort $(wildcard src/*/*.c src/*/*/*.c))

LINT := $(BUILD)/lint
LINT_FLAGS := $(ISST_CPPFLAGS) -std=gnu11 -Isrc
# The static analyzer takes nearly all of the time of clang-tidy. Shallow, it follows fewer paths through fewer calls, in a
# twentieth of it; deep is what each change has to pass at last (.ci/full).
ANALYSIS ?= deep
TIDY_FLAGS := $(LINT_FLAGS) -Xclang -analyzer-config -Xclang mode=$(ANALYSIS)
TIDIED := $(patsubst %.c,$(LINT)/%.tidy,$(TIDY_FILES))

$(LINT)/flags: $(call changed,$(LINT)/flags,$(TIDY_FLAGS))
	@mkdir -p $(@D)
	@printf '%s\n' '$(TIDY_FLAGS)' > $@

# Each file again only when it, or a header that it includes, is another than when it was found to be clean.
$(TIDIED): $(LINT)/%.tidy: %.c .clang-tidy $(LINT)/flags
	@mkdir -p $(@D)
	clang-tidy --quiet --warnings-as-errors='*' $< -- $(TIDY_FLAGS) > $@.log 2>&1 || { cat $@.log; exit 1; }
	@$(CC) $(LINT_FLAGS) -MM -MP -MT $@ -MF $(@:.tidy=.d) $<
	@touch $@

.PHONY: tidy
tidy: $(TIDIED)

.PHONY: lint
lint:
	clang-format --dry-run -Werror $(C_FILES)
	shellcheck -x $(shell git ls-files '*.sh' .ci)
	python3 tests/mutations/mutations.py --check
	@mkdir -p $(LINT)/cppcheck
	cppcheck --quiet --error-exitcode=1 --std=c11 --enable=warning,portability,performance -j $$(nproc) \
		--cppcheck-build-dir=$(LINT)/cppcheck --inline-suppr --suppress=missingIncludeSystem \
		-D_GNU_SOURCE -D__x86_64__ -Iinclude -Isrc src
	$(MAKE) $(ALL_PROCESSORS) tidy
	$(MAKE) $(ALL_PROCESSORS) BUILD=$(BUILD)-clang CC=clang WERROR=yes all
	python3 tests/layers.py --self-test
	python3 tests/layers.py $(BUILD)-clang
	$(MAKE) $(ALL_PROCESSORS) BUILD=$(BUILD)-no-emulator EMULATOR=no WERROR=yes all

.PHONY: coverage
coverage:
	ISST_COARSE=1 $(MAKE) BUILD=$(BUILD)-coverage HARDENING=no CFLAGS='-O0 -g --coverage' check
	gcovr --root . --object-directory $(BUILD)-coverage --filter src/ --exclude src/cli/main.c \
		--exclude-unreachable-branches --fail-under-line 85 --sort-percentage

#: bench           driver calls, commands and files opened by server size, and all that beside the packaged tool
.PHONY: bench
bench: all
	sh tests/bench.sh $(BUILD)

#: demo            a tour of the emulated machine of the kernel's guide
.PHONY: demo
demo: all
	sh docs/demo.sh $(BUILD)

# ---- Installing ----

# Parts with makefiles of their own add their targets to INSTALL_PARTS and UNINSTALL_PARTS; each makes its own directories.
INSTALL_PARTS :=
UNINSTALL_PARTS :=
-include $(sort $(wildcard mk/*.mk))

#: install         into DESTDIR and PREFIX; uninstall takes it out again
#: deps            installs what build and tests need; deps-dev what lint, valgrind and coverage need
#:                 besides, deps-cross-check what check-parity, check-vm and bench need, deps-portability
#:                 what check-portability needs
#: clean           removes what was built

.PHONY: deps
deps:
	@sh tests/deps.sh build

.PHONY: deps-dev
deps-dev:
	@sh tests/deps.sh build dev

.PHONY: deps-portability
deps-portability:
	@sh tests/deps.sh build portability
	@sh tests/portability/fetch.sh $(BUILD) arm64 s390x

.PHONY: deps-cross-check
deps-cross-check:
	@sh tests/deps.sh build cross-check

# Directories below PREFIX are relative to it: pkg-config --define-prefix and --define-variable=prefix= move them.
PC_DIRECTORIES = 'prefix=$(PREFIX)' 'libdir=$(patsubst $(PREFIX)/%,$${prefix}/%,$(LIBDIR))' \
	'includedir=$(patsubst $(PREFIX)/%,$${prefix}/%,$(INCLUDEDIR))' ''

# What only a static library needs of whom it is linked into.
PC_PRIVATE = $(if $(SHARED_LIBRARY),'Libs.private: $(ISST_LDLIBS)')

$(BUILD)/isst.pc: .force
	@mkdir -p $(@D)
	printf '%s\n' $(PC_DIRECTORIES) 'Name: isst' 'Description: Intel Speed Select Technology control' \
		'Version: $(VERSION)' 'Cflags: -I$${includedir}' 'Libs: -L$${libdir} -lisst$(if $(SHARED_LIBRARY),, $(ISST_LDLIBS))' \
		$(PC_PRIVATE) > $@

$(BUILD)/isst-emulator.pc: .force
	@mkdir -p $(@D)
	printf '%s\n' $(PC_DIRECTORIES) 'Name: isst-emulator' \
		'Description: Servers with Intel Speed Select Technology, in software' \
		'Version: $(VERSION)' 'Requires: isst = $(VERSION)' 'Cflags: -I$${includedir}' \
		'Libs: -L$${libdir} -lisst-emulator' > $@

# What is of the emulator alone is left out with it.
DOCUMENTS := README.md CHANGELOG.md SECURITY.md docs/index.md docs/install.md docs/support.md docs/internals/hardware-reports.md \
	docs/configuration.md docs/explain.md docs/status.md docs/watch.md docs/json-v2.md docs/fleets.md docs/redfish.md \
	docs/library.md docs/python.md docs/internals/transactions.md docs/security.md docs/services.md \
	docs/differences.md docs/internals/performance.md docs/internals/real-drivers.md \
	$(if $(HAS_EMULATOR),docs/internals/emulator.md docs/internals/platform-file.md docs/internals/captured-machines.md docs/internals/platforms.md \
	docs/first-steps.md docs/testing-your-scripts.md)
PICTURES := docs/status.svg docs/status-map.svg docs/levels.svg docs/examples/redfish.py
INSTALLED_DOCUMENTS := $(addprefix $(BUILD)/documents/,$(notdir $(DOCUMENTS)))

SCHEMA := docs/isst.schema.json

$(INSTALLED_DOCUMENTS): mk/parts.awk mk/installed.awk $(DOCUMENTS) $(BUILD)/flags
	@mkdir -p $(@D)
	awk -v emulator='$(EMULATOR)' -f mk/parts.awk $(filter %$(@F),$(DOCUMENTS)) > $@.parts
	awk -v installed='$(notdir $(DOCUMENTS) $(PICTURES) $(SCHEMA)) LICENSE' -f mk/installed.awk $@.parts > $@

.PHONY: install
install: all $(BUILD)/isst.pc $(BUILD)/isst-emulator.pc $(EMULATOR_LIBRARY) $(INSTALLED_DOCUMENTS) $(INSTALL_PARTS)
	$(INSTALL) -d '$(DESTDIR)$(DOCDIR)' '$(DESTDIR)$(BINDIR)' '$(DESTDIR)$(LIBDIR)/pkgconfig' \
		'$(DESTDIR)$(INCLUDEDIR)'
	$(INSTALL) -m 755 $(INSTALLED_COMMAND) '$(DESTDIR)$(BINDIR)/intel-speed-select'
	ln -sf intel-speed-select '$(DESTDIR)$(BINDIR)/isst'
	$(INSTALL) -m 644 $(LIBRARY) '$(DESTDIR)$(LIBDIR)/libisst.a'
	$(if $(SHARED_LIBRARIES),$(INSTALL) -m 755 $(SHARED_LIBRARIES) '$(DESTDIR)$(LIBDIR)')
	$(if $(SHARED_LINKS),cp -Pf $(SHARED_LINKS) '$(DESTDIR)$(LIBDIR)')
	$(if $(PRELOAD),$(INSTALL) -d '$(DESTDIR)$(PRIVATEDIR)')
	$(if $(PRELOAD),$(INSTALL) -m 755 $(PRELOAD) '$(DESTDIR)$(PRIVATEDIR)/$(notdir $(PRELOAD)).new' && \
		mv -f '$(DESTDIR)$(PRIVATEDIR)/$(notdir $(PRELOAD)).new' '$(DESTDIR)$(PRIVATEDIR)/$(notdir $(PRELOAD))')
	$(INSTALL) -m 644 include/isst.h '$(DESTDIR)$(INCLUDEDIR)/isst.h'
	$(INSTALL) -m 644 $(BUILD)/isst.pc '$(DESTDIR)$(LIBDIR)/pkgconfig/isst.pc'
ifneq ($(HAS_EMULATOR),)
	$(INSTALL) -m 644 $(EMULATOR_LIBRARY) '$(DESTDIR)$(LIBDIR)/libisst-emulator.a'
	$(INSTALL) -m 644 include/isst-emulator.h '$(DESTDIR)$(INCLUDEDIR)/isst-emulator.h'
	$(INSTALL) -m 644 $(BUILD)/isst-emulator.pc '$(DESTDIR)$(LIBDIR)/pkgconfig/isst-emulator.pc'
endif
	$(INSTALL) -m 644 LICENSE $(SCHEMA) $(INSTALLED_DOCUMENTS) $(PICTURES) '$(DESTDIR)$(DOCDIR)'

.PHONY: uninstall
uninstall: $(UNINSTALL_PARTS)
	rm -f '$(DESTDIR)$(BINDIR)/intel-speed-select' '$(DESTDIR)$(BINDIR)/isst' '$(DESTDIR)$(LIBDIR)/libisst.a' \
		'$(DESTDIR)$(PRIVATEDIR)/libisst-emulator-preload.so' \
		'$(DESTDIR)$(INCLUDEDIR)/isst.h' '$(DESTDIR)$(LIBDIR)/pkgconfig/isst.pc' \
		'$(DESTDIR)$(LIBDIR)/libisst-emulator.a' '$(DESTDIR)$(INCLUDEDIR)/isst-emulator.h' \
		'$(DESTDIR)$(LIBDIR)/pkgconfig/isst-emulator.pc'
	rm -f $(foreach document,LICENSE $(notdir $(DOCUMENTS) $(PICTURES) $(SCHEMA)),'$(DESTDIR)$(DOCDIR)/$(document)')
	rm -f $(foreach library,libisst libisst-emulator,$(foreach suffix,.$(VERSION) .$(SONAME),'$(DESTDIR)$(LIBDIR)/$(library).so$(suffix)') \
		'$(DESTDIR)$(LIBDIR)/$(library).so')
	-rmdir '$(DESTDIR)$(DOCDIR)' '$(DESTDIR)$(PRIVATEDIR)'

# Its own directory, and those that the checks above build in beside it.
CHECKS_BUILD_IN := static sanitize valgrind clang no-emulator coverage arm64 s390x fuzz

.PHONY: clean
clean:
	rm -rf '$(BUILD_DIRECTORY)' $(BUILD) $(addprefix $(BUILD)-,$(CHECKS_BUILD_IN))

endif # one-after-another
