# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# What bash offers: bash candidates.bash COMPLETION < LINES. For each line, with the cursor at its end, its candidates, each
# as `LINE<tab>CANDIDATE`. Words are broken as readline does.
# shellcheck disable=SC1090  # the file that is tested
source "$1"

# Sets COMP_WORDS. Blanks end a word; characters of COMP_WORDBREAKS are words of their own; quotes join.
break_words()	# $1: line
{
	local line=$1 word='' quote='' i char

	COMP_WORDS=()
	for ((i = 0; i < ${#line}; i++)); do
		char=${line:i:1}
		if [[ -n $quote ]]; then
			word+=$char
			[[ $char == "$quote" ]] && quote=
		elif [[ $char == \\ ]]; then
			word+=${line:i:2}
			i=$((i + 1))
		elif [[ $char == [\'\"] ]]; then
			word+=$char
			quote=$char
		elif [[ $char == ' ' ]]; then
			[[ -n $word ]] && COMP_WORDS+=("$word")
			word=
		elif [[ $char == [=:] ]]; then
			[[ -n $word ]] && COMP_WORDS+=("$word")
			COMP_WORDS+=("$char")
			word=
		elif [[ $char == @ ]]; then
			[[ -n $word ]] && COMP_WORDS+=("$word")
			word=$char
		else
			word+=$char
		fi
	done
	# Behind such a character it is the current word until another one begins.
	[[ -z $word && $line == *[=:] ]] || COMP_WORDS+=("$word")
}

while IFS= read -r line; do
	break_words "$line"
	# shellcheck disable=SC2034  # for the function
	COMP_LINE=$line COMP_POINT=${#line} COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
	COMPREPLY=()
	_isst isst "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
	for candidate in "${COMPREPLY[@]}"; do
		printf '%s\t%s\n' "$line" "$candidate"
	done
done
