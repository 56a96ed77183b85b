# SPDX-License-Identifier: BSD-3-Clause
# Services at boot and after suspend, the TuneD profile and the Ansible role: see docs/services.md.

UNITDIR ?= $(PREFIX)/lib/systemd/system
TMPFILESDIR ?= $(PREFIX)/lib/tmpfiles.d
# TuneD looks for profiles in /usr/lib/tuned and /etc/tuned only, from version 2.23 in the directories `profiles` below these.
TUNEDDIR ?= $(PREFIX)/lib/tuned
ANSIBLEDIR ?= $(PREFIX)/share/ansible/roles

# Tests install with other directories at the same time.
SYSTEM_BUILD ?= $(BUILD)/system

UNITS := $(addprefix $(SYSTEM_BUILD)/,isst-config.service isst-resume.service isst-watch.service)
# Examples, which are installed beside the documents.
DROP_INS := $(SYSTEM_BUILD)/isst-watch-apply.conf
TUNED_SCRIPT := $(SYSTEM_BUILD)/tuned/isst.sh
ROLE := $(patsubst system/ansible/roles/%,%,$(wildcard system/ansible/roles/isst/*/*))

INSTALL_PARTS += install-system
UNINSTALL_PARTS += uninstall-system

# Where the installed command is.
$(SYSTEM_BUILD)/directory: $(call changed,$(SYSTEM_BUILD)/directory,$(BINDIR))
	@mkdir -p $(@D)
	@printf '%s\n' '$(BINDIR)' > $@

$(SYSTEM_BUILD)/%.service: system/%.service.in system/sandbox.conf $(SYSTEM_BUILD)/directory
	sed -e '/^@SANDBOX@$$/{' -e 'r system/sandbox.conf' -e 'd' -e '}' -e 's|@BINDIR@|$(BINDIR)|' $< > $@

$(SYSTEM_BUILD)/%.conf: system/%.conf $(SYSTEM_BUILD)/directory
	sed 's|@BINDIR@|$(BINDIR)|' $< > $@

$(SYSTEM_BUILD)/tuned/isst.sh: system/tuned/isst/isst.sh.in $(SYSTEM_BUILD)/directory
	@mkdir -p $(@D)
	sed 's|@BINDIR@|$(BINDIR)|' $< > $@

.PHONY: install-system
install-system: $(UNITS) $(DROP_INS) $(TUNED_SCRIPT)
	$(INSTALL) -d '$(DESTDIR)$(UNITDIR)' '$(DESTDIR)$(DOCDIR)' '$(DESTDIR)$(TMPFILESDIR)' '$(DESTDIR)$(TUNEDDIR)/isst' '$(DESTDIR)$(TUNEDDIR)/profiles' \
		$(foreach file,$(ROLE),'$(DESTDIR)$(ANSIBLEDIR)/$(dir $(file))')
	$(INSTALL) -m 644 $(UNITS) '$(DESTDIR)$(UNITDIR)'
	$(INSTALL) -m 644 $(DROP_INS) '$(DESTDIR)$(DOCDIR)'
	$(INSTALL) -m 644 system/isst-tmpfiles.conf '$(DESTDIR)$(TMPFILESDIR)/isst.conf'
	$(INSTALL) -m 644 system/tuned/isst/tuned.conf '$(DESTDIR)$(TUNEDDIR)/isst/tuned.conf'
	$(INSTALL) -m 755 $(TUNED_SCRIPT) '$(DESTDIR)$(TUNEDDIR)/isst/isst.sh'
	ln -sfn ../isst '$(DESTDIR)$(TUNEDDIR)/profiles/isst'
	for file in $(ROLE); do $(INSTALL) -m 644 "system/ansible/roles/$$file" '$(DESTDIR)$(ANSIBLEDIR)/'"$$file" || exit; done

.PHONY: uninstall-system
uninstall-system:
	rm -f $(foreach unit,$(UNITS),'$(DESTDIR)$(UNITDIR)/$(notdir $(unit))') '$(DESTDIR)$(TMPFILESDIR)/isst.conf'
	rm -f $(foreach file,$(DROP_INS),'$(DESTDIR)$(DOCDIR)/$(notdir $(file))') '$(DESTDIR)$(TUNEDDIR)/profiles/isst'
	rm -rf '$(DESTDIR)$(TUNEDDIR)/isst' '$(DESTDIR)$(ANSIBLEDIR)/isst'

#: check-system    units, TuneD profile and Ansible role with this system's systemd, TuneD and Ansible; needs root
SYSTEM_TESTS := $(addprefix $(BUILD)/tests/system-,units tuned role ansible boot)
$(SYSTEM_TESTS): $(BUILD)/tests/system-%: tests/system/check-%.sh $(BUILD)/flags
	@mkdir -p $(@D)
	printf '#!/bin/sh\nexec bash tests/system/check-%s.sh %s\n' $* $(BUILD) > $@
	chmod +x $@

.PHONY: check-system
check-system: all $(SYSTEM_TESTS)
	sh tests/run-tests.sh $(SYSTEM_TESTS)

#: deps-system     installs what check-system needs; on a server TuneD then runs, and changes settings
.PHONY: deps-system
deps-system:
	@sh tests/deps.sh system
