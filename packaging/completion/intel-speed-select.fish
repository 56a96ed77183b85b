# SPDX-License-Identifier: BSD-3-Clause
# The other name of isst.
complete -c intel-speed-select -w isst
