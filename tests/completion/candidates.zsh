# SPDX-License-Identifier: BSD-3-Clause
# What zsh offers: zsh -f candidates.zsh DIRECTORY < LINES. For each line, with the cursor at its end, its candidates, each as
# `LINE<tab>CANDIDATE`. DIRECTORY holds the file of completion. Completion works in an interactive shell only: one on a
# pseudo terminal, in which compadd reports what it adds.
zmodload zsh/zpty || exit 77

completion=$1
scratch=$(mktemp -d) || exit 1
trap 'rm -rf $scratch' EXIT
mkfifo $scratch/candidates || exit 1

# The line is not typed, where keys would be those of an editor, but read from a file by one key.
cat > $scratch/setup << END
fpath=($completion \$fpath)
autoload -Uz compinit; compinit -D -u
exec 9> $scratch/candidates
END
cat >> $scratch/setup << 'END'
compadd() {
	if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then
		builtin compadd "$@"
		return
	fi
	local -a hits
	builtin compadd -A hits "$@"
	(( $#hits )) && print -rlu 9 -- "${hits[@]}"
	builtin compadd "$@"
}
list_candidates() {
	_main_complete
	compstate[insert]= compstate[list]=
}
zle -C list-candidates list-choices list_candidates
complete_line() {
	IFS= read -r BUFFER < $scratch/line
	CURSOR=$#BUFFER
	zle list-candidates
	BUFFER=
	print -ru 9 -- 'END OF CANDIDATES'
}
zle -N complete_line
bindkey '^T' complete_line
print -ru 9 -- READY
END
export scratch
zpty -b shell zsh -f -i
zpty -w shell ". $scratch/setup"
exec 8< $scratch/candidates
IFS= read -r -t 20 -u 8 answer && [[ $answer == READY ]] || { print -u2 'zsh is not ready'; exit 1 }

while IFS= read -r line; do
	print -r -- "$line" > $scratch/line
	zpty -w -n shell $'\C-T'
	while IFS= read -r -t 20 -u 8 candidate; do
		[[ $candidate == 'END OF CANDIDATES' ]] && break
		print -r -- "$line"$'\t'"$candidate"
	done
done
zpty -d shell
