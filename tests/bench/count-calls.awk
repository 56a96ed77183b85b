# SPDX-License-Identifier: BSD-3-Clause
# Counts the system calls of a program in a trace (strace -f -o), from the mark of the watching library (watch.c) on, so that
# loading and linking do not count; a program that another one starts begins anew. Prints the number; with -v detail=1 the
# calls by name as well.

# brk() depends on where the heap happens to begin; handlers of signals answer CPUID, with arch_prctl() where the processor
# lets it fault.
function is_programs_own(name) {
	return name != "brk" && name != "arch_prctl" && name != "rt_sigreturn"
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
	ready = calls = 0
	delete by_name
	next
}
line ~ /^close\(-1000\)/ {
	ready = 1
	next
}
ready && is_programs_own(name) {
	calls++
	by_name[name]++
}
END {
	print calls + 0
	if (detail)
		for (name in by_name)
			printf "%8d %s\n", by_name[name], name
}
