# SPDX-License-Identifier: BSD-3-Clause
# What fish offers: fish candidates.fish DIRECTORY < LINES. For each line, with the cursor at its end, its candidates, each as
# `LINE<tab>CANDIDATE`. DIRECTORY holds the file of completion.
set -l directory $argv[1]
set -l other (status dirname)/../../packaging/completion/intel-speed-select.fish
source $directory/isst.fish
source $other

while read -l line
    for candidate in (complete -C "$line" 2>&1)
        printf '%s\t%s\n' $line (string split -f 1 \t -- $candidate)
    end
end
