# SPDX-License-Identifier: BSD-3-Clause
# The manual pages of the command and of its files. Two of them have one source; that of platforms is made from the documents,
# and there is none without the emulator.

MANUAL := $(BUILD)/manual
COMMAND_PAGES := $(addprefix $(MANUAL)/,intel-speed-select.8 isst.8)
FORMAT_PAGES := $(MANUAL)/isst-config.5 $(if $(filter no,$(EMULATOR)),,$(MANUAL)/isst-platform.5)

$(COMMAND_PAGES): $(MANUAL)/%.8: docs/intel-speed-select.8 mk/parts.awk mk/pages.awk $(BUILD)/flags
	@mkdir -p $(@D)
	awk -v emulator='$(if $(filter no,$(EMULATOR)),no,yes)' -f mk/parts.awk $< | awk -v page=$* -f mk/pages.awk > $@

$(MANUAL)/isst-config.5: docs/isst-config.5
	@mkdir -p $(@D)
	cp $< $@

$(MANUAL)/isst-platform.5: mk/platform-page.awk docs/internals/platform-file.md docs/internals/captured-machines.md docs/intel-speed-select.8 \
		include/isst.h
	@mkdir -p $(@D)
	awk -v version=$(VERSION) -v date="$$(sed -n 's/^\.Dd //p' docs/intel-speed-select.8)" -f mk/platform-page.awk \
		docs/internals/platform-file.md docs/internals/captured-machines.md > $@

#: manual          build/manual: the manual pages
.PHONY: manual
manual: $(COMMAND_PAGES) $(FORMAT_PAGES)

INSTALL_PARTS += install-manual
UNINSTALL_PARTS += uninstall-manual

.PHONY: install-manual
install-manual: manual
	$(INSTALL) -d '$(DESTDIR)$(MANDIR)/man5' '$(DESTDIR)$(MANDIR)/man8'
	$(INSTALL) -m 644 $(COMMAND_PAGES) '$(DESTDIR)$(MANDIR)/man8'
	$(INSTALL) -m 644 $(FORMAT_PAGES) '$(DESTDIR)$(MANDIR)/man5'

.PHONY: uninstall-manual
uninstall-manual:
	rm -f '$(DESTDIR)$(MANDIR)/man8/intel-speed-select.8' '$(DESTDIR)$(MANDIR)/man8/isst.8' \
		'$(DESTDIR)$(MANDIR)/man5/isst-config.5' '$(DESTDIR)$(MANDIR)/man5/isst-platform.5'
