# SPDX-License-Identifier: BSD-3-Clause
# Counts the system calls of a program in a trace (strace -f -o) that was taken on the emulated machine, as they would be
# on a real one: by the marks of the preload library (src/preload/machine.c). What the library does for itself does not
# count, what it answers in the program's place counts as one call. Counting begins when the library is ready, so that
# loading and linking do not count; a program that another one starts begins anew. Prints the number; with -v detail=1 the
# calls by name as well.

function count(name) {
	calls++
	by_name[name]++
}

# fopen() is answered by fdopen(), which asks for the mode; brk() depends on where the heap happens to begin; handlers of
# signals answer CPUID, with arch_prctl() where the processor lets it fault.
function is_programs_own(name, line) {
	return name != "brk" && name != "arch_prctl" && name != "rt_sigreturn" && !(answered && line ~ /^fcntl\([0-9]+, F_GETFL\)/)
}

{
	line = $0
	sub(/^[0-9]+ +/, "", line)
	name = line
	sub(/\(.*/, "", name)
}
# The second half of a call that was printed in two parts, signals, ends.
line ~ /^(<\.\.\.|---|\+\+\+)/ {
	next
}
name == "execve" && / = 0$/ {
	ready = calls = inside = 0
	delete by_name
	next
}
line ~ /^close\(-100[012]\)/ {
	inside = line ~ /^close\(-1000\)/
	answered = line ~ /^close\(-1002\)/
	ready = ready || !inside
	if (answered)
		count("(answered)")
	next
}
ready && !inside {
	if (is_programs_own(name, line))
		count(name)
	answered = 0
}
END {
	print calls + 0
	if (detail)
		for (name in by_name)
			printf "%8d %s\n", by_name[name], name
}
