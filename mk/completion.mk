# SPDX-License-Identifier: BSD-3-Clause
# Completion for bash, zsh and fish: static files, made from the tables of the command.

BASHCOMPDIR ?= $(PREFIX)/share/bash-completion/completions
ZSHCOMPDIR ?= $(PREFIX)/share/zsh/site-functions
FISHCOMPDIR ?= $(PREFIX)/share/fish/vendor_completions.d

# For the program that prints the tables, which runs here: CC may be a compiler for another architecture.
CC_FOR_BUILD ?= $(if $(filter $(shell $(CC) -dumpmachine),$(shell cc -dumpmachine 2> /dev/null || $(CC) -dumpmachine)),$(CC),cc)

COMPLETION := $(BUILD)/completion
COMPLETIONS := $(addprefix $(COMPLETION)/,isst.bash _isst isst.fish)
TABLE_SOURCES := completion/table.c $(addprefix src/cli/,command_table.c config_commands.c single_commands.c arguments/options.c)

# The tables point to the handlers, which are not needed, and options.c holds functions that nothing calls here.
$(COMPLETION)/handlers.c: src/cli/run/handlers.h
	@mkdir -p $(@D)
	sed -n 's/^void \([a-z_]*\)(struct run \*run);/void \1(void);\nvoid \1(void) {}/p' $< > $@

$(COMPLETION)/table: $(TABLE_SOURCES) $(COMPLETION)/handlers.c $(wildcard src/cli/*.h src/cli/*/*.h) include/isst.h $(BUILD)/flags
	$(CC_FOR_BUILD) -D_GNU_SOURCE -Iinclude -Isrc -std=gnu11 -ffunction-sections -Wl,--gc-sections -o $@ $(filter %.c,$^)

$(COMPLETION)/table.txt: $(COMPLETION)/table completion/platforms.awk completion/statements.awk src/configuration/keywords.c \
		$(PLATFORMS) $(BUILD)/platforms
	{ $< && awk -f completion/statements.awk src/configuration/keywords.c && \
		$(if $(filter no,$(EMULATOR)),:,awk -f completion/platforms.awk $(PLATFORMS)); } > $@.new && mv $@.new $@

$(COMPLETION)/isst.bash: completion/isst.bash.in completion/bash.awk
$(COMPLETION)/_isst: completion/isst.zsh.in completion/zsh.awk
$(COMPLETION)/isst.fish: completion/isst.fish.in completion/fish.awk
$(COMPLETIONS): completion/common.awk $(COMPLETION)/table.txt
	awk -f completion/common.awk -f $(filter-out %common.awk,$(filter %.awk,$^)) $(COMPLETION)/table.txt $(filter %.in,$^) > $@.new && \
		mv $@.new $@

#: completion      build/completion: completion for bash, zsh and fish
.PHONY: completion
completion: $(COMPLETIONS)
all: completion

INSTALL_PARTS += install-completion
UNINSTALL_PARTS += uninstall-completion

.PHONY: install-completion
install-completion: $(COMPLETIONS)
	$(INSTALL) -d '$(DESTDIR)$(BASHCOMPDIR)' '$(DESTDIR)$(ZSHCOMPDIR)' '$(DESTDIR)$(FISHCOMPDIR)'
	$(INSTALL) -m 644 $(COMPLETION)/isst.bash '$(DESTDIR)$(BASHCOMPDIR)/isst'
	ln -sf isst '$(DESTDIR)$(BASHCOMPDIR)/intel-speed-select'
	$(INSTALL) -m 644 $(COMPLETION)/_isst '$(DESTDIR)$(ZSHCOMPDIR)/_isst'
	$(INSTALL) -m 644 $(COMPLETION)/isst.fish '$(DESTDIR)$(FISHCOMPDIR)/isst.fish'
	$(INSTALL) -m 644 completion/intel-speed-select.fish '$(DESTDIR)$(FISHCOMPDIR)/intel-speed-select.fish'

.PHONY: uninstall-completion
uninstall-completion:
	rm -f '$(DESTDIR)$(BASHCOMPDIR)/isst' '$(DESTDIR)$(BASHCOMPDIR)/intel-speed-select' '$(DESTDIR)$(ZSHCOMPDIR)/_isst' \
		'$(DESTDIR)$(FISHCOMPDIR)/isst.fish' '$(DESTDIR)$(FISHCOMPDIR)/intel-speed-select.fish'

$(BUILD)/tests/completed: tests/completion/completion.sh $(wildcard tests/completion/*) $(COMPLETIONS) $(COMMAND) $(BUILD)/isst $(BUILD)/flags
	@mkdir -p $(@D)
	printf '#!/bin/sh\nexec sh tests/completion/completion.sh %s\n' $(BUILD) > $@
	chmod +x $@

TESTS += $(BUILD)/tests/completed
tests: $(BUILD)/tests/completed
