# SPDX-License-Identifier: BSD-3-Clause
# The commit that --version names: that of the checkout, or the one that git archive writes into mk/commit.

COMMIT := $(or $(shell [ ! -e .git ] || git -c safe.directory='*' describe --always --dirty --abbrev=12 --exclude='*' 2> /dev/null),\
	$(shell sed -n 's/^\([0-9a-f]\{12\}\).*/\1/p' mk/commit),unknown)

$(BUILD)/commit: $(call changed,$(BUILD)/commit,$(COMMIT))
	@mkdir -p $(@D)
	@echo '$(COMMIT)' > $@

$(BUILD)/src/cli/main.o: $(BUILD)/commit
$(BUILD)/src/cli/main.o: ISST_CPPFLAGS += -DISST_COMMIT='"$(COMMIT)"'
