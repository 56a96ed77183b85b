# SPDX-License-Identifier: BSD-3-Clause
# The release archive, and packages made of it.

#: dist            isst-VERSION.tar.xz in the build directory, from the last commit
#: check-packages  packages for Debian and RPM: built, checked, installed, used and removed (as root); STEPS names some
#: update-symbols  the symbols files of the Debian packages, from the maps of the shared libraries

.PHONY: dist
dist:
	sh packaging/dist.sh $(BUILD)

#: deps-packages   installs what check-packages needs

.PHONY: deps-packages
deps-packages:
	@sh tests/deps.sh build packages

.PHONY: check-packages
check-packages:
	sh packaging/check-packages.sh $(BUILD)/packages $(STEPS)

.PHONY: update-symbols
update-symbols:
	sh packaging/update-symbols.sh
