# SPDX-License-Identifier: BSD-3-Clause
# Builds libisst, intel-speed-select (isst) and the emulator; tests/Makefile tests, packaging/Makefile
# installs them. `make help` lists the targets. ISST_* variables are the project's own; CC, CFLAGS,
# CPPFLAGS, LDFLAGS, DESTDIR and the directories are the caller's.

# As many jobs as processors, unless -j is given.
ALL_PROCESSORS = $(if $(filter -j%,$(MAKEFLAGS)),,-j $$(nproc))

# One line for each file that is made; V=1 shows the commands.
ifneq ($(V),1)
.SILENT:
say = $(if $(findstring s,$(firstword -$(MAKEFLAGS))),,printf '  %-4s %s\n' '$1' '$2';)
endif

# The compiler is asked for its options while this file is read, and `make deps check` may have to
# install it first: one make installs, the next one builds.
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

# ---- Settings ----

# The lower-case names are those of GNU's makefiles. PRIVATEDIR is for what only the command loads.
PREFIX ?= $(or $(prefix),/usr/local)
BINDIR ?= $(or $(bindir),$(PREFIX)/bin)
LIBDIR ?= $(or $(libdir),$(PREFIX)/lib)
PRIVATEDIR ?= $(LIBDIR)/isst
INCLUDEDIR ?= $(or $(includedir),$(PREFIX)/include)
MANDIR ?= $(or $(mandir),$(PREFIX)/share/man)
DOCDIR ?= $(or $(docdir),$(PREFIX)/share/doc/isst)

# The compiler may be one for another architecture, and has its own tools.
OBJCOPY ?= $(shell $(CC) -print-prog-name=objcopy)
AR := $(if $(filter default,$(origin AR)),$(shell $(CC) -print-prog-name=ar 2> /dev/null),$(AR))
CFLAGS ?= -O2 -g

# Everything that is built goes there; each configuration needs a directory of its own. Make knows no
# targets with spaces: such a directory is reached by a link.
BUILD ?= build
BUILD_DIRECTORY := $(BUILD)
ifneq ($(word 2,$(BUILD)),)
override BUILD := build-link-$(firstword $(shell printf '%s' '$(BUILD)' | cksum))
$(shell mkdir -p '$(BUILD_DIRECTORY)' && ln -sfn "$$(cd '$(BUILD_DIRECTORY)' && pwd)" $(BUILD))
endif

# Whether there is an emulator, which the command contains.
EMULATOR ?= yes
# SHARED=no builds no shared libraries; SHARED_COMMAND=yes links the installed command with libisst.so.
SHARED ?= yes
SHARED_COMMAND ?= no
# WERROR=yes turns warnings into errors, as CI does.
WERROR ?= no
# What distributions switch on as well. Their CFLAGS and CPPFLAGS come later and win.
HARDENING ?= yes

ifeq ($(filter yes no,$(EMULATOR)),)
$(error EMULATOR is yes or no)
endif
ifneq ($(and $(filter no,$(SHARED)),$(filter yes,$(SHARED_COMMAND))),)
$(error SHARED_COMMAND=yes needs SHARED=yes)
endif
HAS_EMULATOR := $(filter yes,$(EMULATOR))

ISST_CPPFLAGS := -D_GNU_SOURCE -Iinclude
ISST_CFLAGS := -std=gnu11 -fvisibility=hidden -fPIC -Wall -Wextra -Wshadow -Wconversion \
	-Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wundef -Wvla -Wformat-security \
	$(if $(filter yes,$(WERROR)),-Werror)
ISST_LDFLAGS :=
ISST_LDLIBS := -lcap

# compiles OPTIONS: the shell command that tells whether the compiler knows them
compiles = $(CC) $1 -x c -S -o - /dev/null > /dev/null 2>&1
ifeq ($(HARDENING),yes)
ISST_CFLAGS += $(shell for option in -fstack-protector-strong -fstack-clash-protection -fcf-protection \
	-mbranch-protection=standard -ftrivial-auto-var-init=zero; do \
	$(call compiles,$(CFLAGS) -Werror $$option) && echo "$$option"; done)
ifeq ($(findstring FORTIFY_SOURCE,$(CPPFLAGS) $(CFLAGS))$(findstring -O0,$(CFLAGS))$(findstring -fsanitize,$(CFLAGS)),)
# Compiler and C library must both know level 3; a warning tells if one does not.
FORTIFY := -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=
ISST_CPPFLAGS += $(FORTIFY)$(shell \
	$(call compiles,$(CPPFLAGS) $(CFLAGS) -O2 $(FORTIFY)3 -Werror -include stdio.h) && echo 3 || echo 2)
endif
ISST_LDFLAGS += -pie -Wl,-z,relro,-z,now
endif
# gcc needs an option to optimise at the link of the one object of a library.
ifneq ($(findstring -flto,$(CFLAGS)),)
LTO_FLAGS := $(shell $(call compiles,-flinker-output=nolto-rel) && echo -flinker-output=nolto-rel)
endif
GLIBC := $(shell $(CC) $(CPPFLAGS) -include features.h -E -dM -x c /dev/null 2> /dev/null | \
	sed -n 's/^.define __GLIBC__ .*/yes/p')

# The header has the version. The number in the soname, which programs ask for, is independent of it:
# only an incompatible interface gets the next one.
VERSION := $(shell sed -n 's/^\#define ISST_VERSION "\(.*\)"/\1/p' include/isst.h)
SONAME := 0
# The commit that --version names: that of the checkout, or the one that git archive writes into the file.
COMMIT := $(or $(shell [ ! -e .git ] || git -c safe.directory='*' describe --always --dirty --abbrev=12 \
	--exclude='*' 2> /dev/null),$(shell sed -n 's/^\([0-9a-f]\{12\}\).*/\1/p' packaging/commit),unknown)

# ---- What is built ----

comma := ,
sources = $(sort $(wildcard $(addsuffix /*.c,$(addprefix src/,$1))))
objects = $(patsubst %.c,$(BUILD)/%.o,$1)

LIBRARY_LAYERS := common base driver sysfs firmware topology transaction features configuration state \
	explain library
BASE_OBJECTS := $(call objects,$(call sources,common base))
LIBRARY_OBJECTS := $(call objects,$(call sources,$(LIBRARY_LAYERS)))
PRELOAD_OBJECTS := $(call objects,$(call sources,preload))
CLI_OBJECTS := $(call objects,$(call sources,cli cli/* common))
CLI_LIBRARY_OBJECTS := $(filter-out %/main.o,$(CLI_OBJECTS))
PLATFORMS := $(sort $(wildcard src/emulator/platforms/*.platform))
NONE_OBJECT := $(BUILD)/src/emulator/none.o
EMULATOR_OBJECTS := $(if $(HAS_EMULATOR),$(filter-out $(NONE_OBJECT), \
	$(call objects,$(call sources,emulator emulator/*))) $(BUILD)/emulator-platforms.o,$(NONE_OBJECT))

LIBRARY := $(BUILD)/libisst.a
EMULATOR_LIBRARY := $(BUILD)/libisst-emulator.a
# The built command holds the library, so that it runs where it was built. The installed one is linked a
# second time if it is to load the library, which is at its place only then.
COMMAND := $(BUILD)/intel-speed-select
INSTALLED_COMMAND := $(if $(filter yes,$(SHARED_COMMAND)),$(BUILD)/installed/intel-speed-select,$(COMMAND))
# What dynamically linked programs on the emulated machine need for CPUID. Without glibc there is none.
PRELOAD := $(if $(and $(HAS_EMULATOR),$(GLIBC)),$(BUILD)/libisst-emulator-preload.so)
ifeq ($(SHARED),yes)
SHARED_LIBRARY := $(BUILD)/libisst.so.$(VERSION)
SHARED_LIBRARIES := $(SHARED_LIBRARY) $(if $(HAS_EMULATOR),$(BUILD)/libisst-emulator.so.$(VERSION))
endif
# The names that programs are started and linked with.
SHARED_LINKS := $(strip $(SHARED_LIBRARIES:.$(VERSION)=.$(SONAME)) $(SHARED_LIBRARIES:.$(VERSION)=))

# What a recipe wrote before it failed is not up to date.
.DELETE_ON_ERROR:

#: all             build/libisst.a, build/libisst.so, build/intel-speed-select and its other name build/isst
.PHONY: all help
all: $(LIBRARY) $(SHARED_LIBRARIES) $(SHARED_LINKS) $(COMMAND) $(BUILD)/isst $(INSTALLED_COMMAND) $(PRELOAD)

help:
	@sed -n 's/^#: //p' $(MAKEFILE_LIST)

# ---- Objects ----

# Files that record a setting; one is made anew when its setting is another one.
RECORDS := flags library-directory platforms commit
# Objects are rebuilt when the compiler or an option changes.
FLAGS := $(strip $(ISST_CPPFLAGS) $(CPPFLAGS) $(ISST_CFLAGS) $(CFLAGS) $(ISST_LDFLAGS) $(LDFLAGS) \
	$(EMULATOR))
RECORD.flags = $(CC)' '$(FLAGS)
RECORD.library-directory = $(PRIVATEDIR)
RECORD.platforms = $(PLATFORMS)
RECORD.commit = $(COMMIT)

COMPILE = $(call say,CC,$<)$(CC) $(ISST_CPPFLAGS) $(CPPFLAGS) $(ISST_CFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

# The layers of the library see each other's headers as "layer/header.h"; the command sees isst.h and
# isst-emulator.h alone, besides its own.
$(BUILD)/src/%.o: src/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(COMPILE) $(if $(filter src/cli/%,$<),,-Isrc)

$(BUILD)/emulator-platforms.c: src/emulator/embed-platforms.sh $(PLATFORMS) $(BUILD)/platforms
	$(call say,GEN,$@)sh $< $(PLATFORMS) > $@.new && mv $@.new $@

$(BUILD)/emulator-platforms.o: $(BUILD)/emulator-platforms.c $(BUILD)/flags
	$(COMPILE) -Isrc

# One object each knows the directory of the preload library, and the commit.
$(BUILD)/src/emulator/launch/cpuid.o: $(BUILD)/library-directory
$(BUILD)/src/emulator/launch/cpuid.o: ISST_CPPFLAGS += -DISST_LIBRARY_DIRECTORY='"$(PRIVATEDIR)"'
$(BUILD)/src/cli/main.o: $(BUILD)/commit
$(BUILD)/src/cli/main.o: ISST_CPPFLAGS += -DISST_COMMIT='"$(COMMIT)"'

# It goes into programs without sanitizers, and of another C library.
$(PRELOAD_OBJECTS): ISST_CPPFLAGS += -U_FORTIFY_SOURCE
$(PRELOAD_OBJECTS): ISST_CFLAGS += -ftls-model=initial-exec
$(PRELOAD_OBJECTS) $(PRELOAD): override CFLAGS := $(filter-out -fsanitize% -fprofile% --coverage -fno-sanitize%,$(CFLAGS))
$(PRELOAD): override LDFLAGS := $(filter-out -fsanitize% -fprofile% --coverage,$(LDFLAGS))

# Not of what was fetched: systems have files of such names, too.
-include $(shell find $(BUILD)/ \( -path $(BUILD)/vm -o -path $(BUILD)/reference -o -path $(BUILD)/packages \) \
	-prune -o -name '*.d' -type f -print 2> /dev/null)

# ---- Libraries and command ----

# A library is one object in which only the public interface is global, so that names of layers cannot
# clash with those of programs.
LOCALIZE.libisst := --localize-hidden
LOCALIZE.libisst-emulator := --wildcard --keep-global-symbol='isst_emulator_*'
LIBRARY_PARTS := $(addprefix $(BUILD)/,libisst.o libisst-emulator.o)
$(LIBRARY_PARTS): $(BUILD)/%.o:
	$(call say,LD,$@)$(CC) -r -nostdlib $(LTO_FLAGS) $(filter -flto% -fuse-ld=% -B% -m% -O% --target=% --sysroot=%, \
		$(CFLAGS) $(LDFLAGS)) -o $@ $^
	$(OBJCOPY) $(LOCALIZE.$*) $@

$(BUILD)/libisst.o: $(LIBRARY_OBJECTS)
$(BUILD)/libisst-emulator.o: $(EMULATOR_OBJECTS) $(BASE_OBJECTS)

$(BUILD)/%.a: $(BUILD)/%.o
	rm -f $@
	$(call say,AR,$@)$(AR) rcs $@ $<

LINK = $(call say,LD,$@)$(CC) $(CFLAGS) $(ISST_LDFLAGS) $(LDFLAGS) -o $@ $(filter %.o %.a %.so %.so.$(VERSION),$^)
LINK_SHARED = $(call say,LD,$@)$(CC) $(CFLAGS) $(filter-out -pie,$(ISST_LDFLAGS)) $(LDFLAGS) -shared

# The maps name what is exported, all of which must exist.
$(SHARED_LIBRARIES): $(BUILD)/%.so.$(VERSION):
	$(LINK_SHARED) -Wl,-soname,$*.so.$(SONAME) -Wl,--version-script=$(filter %.map,$^) \
		-Wl,--no-undefined-version -o $@ $(filter %.o,$^) $(LINK_WITH) $(LDLIBS)

$(BUILD)/libisst.so.$(VERSION): $(LIBRARY_OBJECTS) src/library/libisst.map
$(BUILD)/libisst.so.$(VERSION): LINK_WITH = $(ISST_LDLIBS)
$(BUILD)/libisst-emulator.so.$(VERSION): $(EMULATOR_OBJECTS) $(BASE_OBJECTS) src/emulator/libisst-emulator.map

$(SHARED_LIBRARIES:.$(VERSION)=): %: %.$(VERSION)
	ln -sf $(<F) $@

$(SHARED_LIBRARIES:.$(VERSION)=.$(SONAME)): %.$(SONAME): %.$(VERSION)
	ln -sf $(<F) $@

$(COMMAND): $(CLI_OBJECTS) $(LIBRARY) $(EMULATOR_LIBRARY)
	$(LINK) $(ISST_LDLIBS) $(LDLIBS)

$(BUILD)/installed/intel-speed-select: $(CLI_OBJECTS) $(SHARED_LIBRARY) $(EMULATOR_LIBRARY)
	@mkdir -p $(@D)
	$(LINK) $(ISST_LDLIBS) $(LDLIBS)

$(BUILD)/isst: $(COMMAND)
	ln -sf intel-speed-select $@

# It is renamed: a program that starts on an emulated machine meanwhile gets the old or the new one, whole.
$(BUILD)/libisst-emulator-preload.so: $(PRELOAD_OBJECTS)
	$(LINK_SHARED) -o $@.new $^ -ldl
	mv -f $@.new $@

#: static          build/isst-static: the command as one stripped file that needs no libraries, without the emulator; with
#:                 EMULATOR=yes it holds it. By musl-gcc where there is one and CC is not set, else with this C library
STATIC := $(BUILD)-static
STATIC_CC := $(strip $(if $(filter default,$(origin CC)), \
	$(shell command -v musl-gcc > /dev/null && echo musl-gcc || echo $(CC)),$(CC)))
STATIC_EMULATOR := $(if $(filter file,$(origin EMULATOR)),no,$(EMULATOR))
ifneq ($(findstring musl-gcc,$(STATIC_CC)),)
STATIC_CPPFLAGS := -isystem $(STATIC)/musl/include
STATIC_LDFLAGS := -static -L$(STATIC)/musl/lib
else
STATIC_LDFLAGS := $(if $(filter yes,$(HARDENING)),-static-pie,-static)
endif

.PHONY: static
static:
	$(if $(STATIC_CPPFLAGS),sh packaging/musl-parts.sh $(STATIC)/musl)
	$(MAKE) BUILD=$(STATIC) CC='$(STATIC_CC)' EMULATOR=$(STATIC_EMULATOR) SHARED=no SHARED_COMMAND=no \
		CPPFLAGS='$(STATIC_CPPFLAGS) $(CPPFLAGS)' LDFLAGS='$(STATIC_LDFLAGS) $(LDFLAGS)' $(STATIC)/intel-speed-select
	@mkdir -p $(BUILD)
	$(shell $(CC) -print-prog-name=strip) -o $(BUILD)/isst-static $(STATIC)/intel-speed-select

include packaging/Makefile tests/Makefile

# ---- Records ----

STALE := $(foreach record,$(RECORDS),$(if $(subst x$(strip $(shell cat '$(BUILD)/$(record)' 2> /dev/null))x,,x$(strip \
	$(subst ' ', ,$(RECORD.$(record))))x),$(BUILD)/$(record)))
$(STALE): .force
.PHONY: .force
.force:

$(addprefix $(BUILD)/,$(RECORDS)): $(BUILD)/%:
	@mkdir -p $(@D)
	@printf '%s\n' '$(RECORD.$*)' > $@

#: clean           removes what was built: the directory, and those that checks build in beside it
BUILT_BESIDE := static sanitize valgrind clang no-emulator coverage arm64 s390x fuzz
.PHONY: clean
clean:
	rm -rf '$(BUILD_DIRECTORY)' $(BUILD) $(addprefix $(BUILD)-,$(BUILT_BESIDE))

endif # one-after-another
