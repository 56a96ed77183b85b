# SPDX-License-Identifier: BSD-3-Clause
# The manual pages of section 3, which are made from the comments of the public headers. They need python3; without it,
# or with MAN3=no, they are left out.

#: man3            the manual pages of libisst, in build/man3

MAN3 ?= $(if $(shell command -v python3),yes,no)
MAN3_SOURCES := docs/man3/man3.py docs/man3/libisst.3.in docs/man3/levels.c include/isst.h
ifneq ($(EMULATOR),no)
MAN3_SOURCES += docs/man3/libisst-emulator.3.in docs/man3/emulated.c include/isst-emulator.h
endif

# Only the directory as a whole is known to be complete.
$(BUILD)/man3/complete: $(MAN3_SOURCES) mk/parts.awk mk/man3.mk $(BUILD)/flags
	rm -rf $(@D)
	python3 docs/man3/man3.py $(@D) include/isst.h docs/man3/libisst.3.in
	$(if $(filter no,$(EMULATOR)),,python3 docs/man3/man3.py $(@D) include/isst-emulator.h docs/man3/libisst-emulator.3.in)
	awk -v emulator='$(EMULATOR)' -f mk/parts.awk $(@D)/libisst.3 > $(@D)/libisst.3.new
	mv $(@D)/libisst.3.new $(@D)/libisst.3
	touch $@

.PHONY: man3
man3: $(BUILD)/man3/complete

ifeq ($(MAN3),yes)
INSTALL_PARTS += install-man3
UNINSTALL_PARTS += uninstall-man3
else
INSTALL_PARTS += skip-man3
endif

# A page has a link for each further function. Unlike `;`, `+` makes find fail with the program.
.PHONY: install-man3
install-man3: $(BUILD)/man3/complete
	$(INSTALL) -d '$(DESTDIR)$(MANDIR)/man3'
	find $(BUILD)/man3/ -name '*.3' -type f -exec $(INSTALL) -m 644 -t '$(DESTDIR)$(MANDIR)/man3' {} +
	find $(BUILD)/man3/ -name '*.3' -type l -exec cp -Pf -t '$(DESTDIR)$(MANDIR)/man3' {} +

.PHONY: skip-man3
skip-man3:
	@echo 'The manual pages of section 3 are not installed: they need python3, and MAN3=yes.'

.PHONY: uninstall-man3
uninstall-man3: $(BUILD)/man3/complete
	find $(BUILD)/man3/ -name '*.3' -exec sh -c 'rm -f "$$0/$${1##*/}"' '$(DESTDIR)$(MANDIR)/man3' {} ';'

# The tests of the pages.
ifeq ($(MAN3),yes)
TESTS += $(BUILD)/tests/man3
tests: $(BUILD)/tests/man3
endif

$(BUILD)/tests/man3: tests/docs/check-man3.sh $(BUILD)/man3/complete $(LIBRARY) $(EMULATOR_LIBRARY) $(PRELOAD) $(BUILD)/isst $(BUILD)/flags
	@mkdir -p $(@D)
	printf '#!/bin/sh\nexec sh tests/docs/check-man3.sh %s\n' $(BUILD) > $@
	chmod +x $@
