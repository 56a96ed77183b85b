# SPDX-License-Identifier: BSD-3-Clause
# The Python module. It loads libisst.so.0.

PYTHONDIR ?= $(PREFIX)/lib/python3/dist-packages
PYTHON_MODULE := python/isst.py

INSTALL_PARTS += install-python
UNINSTALL_PARTS += uninstall-python

.PHONY: install-python
install-python:
	$(INSTALL) -d '$(DESTDIR)$(PYTHONDIR)' '$(DESTDIR)$(DOCDIR)'
	$(INSTALL) -m 644 $(PYTHON_MODULE) '$(DESTDIR)$(PYTHONDIR)/isst.py'
	awk -v installed='$(notdir $(DOCUMENTS) $(PICTURES) $(SCHEMA)) LICENSE' -f docs/installed.awk docs/python.md > $(BUILD)/python.md
	$(INSTALL) -m 644 $(BUILD)/python.md '$(DESTDIR)$(DOCDIR)/python.md'

.PHONY: uninstall-python
uninstall-python:
	rm -f '$(DESTDIR)$(PYTHONDIR)/isst.py' '$(DESTDIR)$(DOCDIR)/python.md'

# The tests need the emulator, which the shared library for tests contains.
ifeq ($(EMULATOR),yes)
TESTS += $(BUILD)/tests/python
tests: $(BUILD)/tests/python
endif

$(BUILD)/tests/python: tests/python/module.sh tests/python/module.py $(PYTHON_MODULE) docs/python.md include/isst.h \
		$(BUILD)/tests/library/now/libisst.so $(PRELOAD) $(BUILD)/isst $(BUILD)/flags
	@mkdir -p $(@D)
	printf '#!/bin/sh\nexec sh tests/python/module.sh %s\n' $(BUILD) > $@
	chmod +x $@
