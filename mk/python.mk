# SPDX-License-Identifier: BSD-3-Clause
# The Python module. It loads libisst.so.0, and is left out without shared libraries.

# Below PREFIX, where python3 finds modules: distributions and versions differ in it.
PYTHONDIR ?= $(shell sh mk/python-directory.sh '$(PREFIX)')
PYTHON_MODULE := python/isst.py

ifneq ($(SHARED_LIBRARY),)
INSTALL_PARTS += install-python
UNINSTALL_PARTS += uninstall-python
endif

.PHONY: install-python
install-python:
	$(if $(PYTHONDIR),$(INSTALL) -d '$(DESTDIR)$(PYTHONDIR)' && $(INSTALL) -m 644 $(PYTHON_MODULE) '$(DESTDIR)$(PYTHONDIR)/isst.py', \
		@echo 'The Python module is not installed: there is no python3. When there is one: make install-python')

.PHONY: uninstall-python
uninstall-python:
	$(if $(PYTHONDIR),rm -f '$(DESTDIR)$(PYTHONDIR)/isst.py')

# The tests run on emulated machines.
ifeq ($(SHARED)$(EMULATOR),yesyes)
TESTS += $(BUILD)/tests/python
tests: $(BUILD)/tests/python
endif

$(BUILD)/tests/python: tests/python/module.sh tests/python/module.py $(PYTHON_MODULE) docs/python.md include/isst.h \
		$(SHARED_LIBRARIES) $(SHARED_LINKS) $(PRELOAD) $(BUILD)/isst $(BUILD)/flags
	@mkdir -p $(@D)
	printf '#!/bin/sh\nexec sh tests/python/module.sh %s\n' $(BUILD) > $@
	chmod +x $@
