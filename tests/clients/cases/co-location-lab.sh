#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# user: a laboratory that runs services together with batch jobs; ignores the output of the program
# platforms: icelake-2s40c graniterapids-6776p sapphirerapids-2s56c
intel-speed-select core-power enable --priority 1 > /dev/null 2>&1
intel-speed-select core-power config -c 1 -m 1000 > /dev/null 2>&1
intel-speed-select -c 0-39 core-power assoc -c 1 > /dev/null 2>&1
intel-speed-select -c 0-39 core-power get-assoc 2>&1 | grep -c clos:1
intel-speed-select -c 0-39 turbo-freq enable --priority 1 > /dev/null 2>&1
intel-speed-select -c 0 turbo-freq disable > /dev/null 2>&1
intel-speed-select core-power disable > /dev/null 2>&1
intel-speed-select core-power info 2>&1 | grep -c clos-enable-status:disabled
