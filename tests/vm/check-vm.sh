#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# check-vm.sh BUILD [CACHE [BOOT...]]
# Runs the command of BUILD on the real Speed Select drivers of stock kernels, in virtual machines, and the packaged
# reference tool beside it: see docs/internals/real-drivers.md. CACHE (BUILD/vm by default) keeps kernels and logs; BOOT names boots of
# boots.table (all by default), VM_PARTS parts of their checks. Prints a line for each check and `N passed, N failed`, with
# `, N skipped` where something that is needed cannot be had; fails only where a check fails.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
cache=${2:-$build/vm}
shift $(($# > 2 ? 2 : $#))
wanted=" $* "
mkdir -p "$cache"
cache=$(cd "$cache" && pwd)

parts=${VM_PARTS:-reading,changing,system,privileges,faults,others,kernel,watching,reference}
boot_timeout=${VM_TIMEOUT:-900}
# What only costs time where every instruction is emulated.
quick='mitigations=off nowatchdog init_on_alloc=0 noxsave audit=0 apparmor=0'
tries=3
parallel=2

tool_missing() {	# prints what is not installed
	for tool in qemu-system-x86_64 cpio gzip make gcc timeout; do
		command -v "$tool" > /dev/null || { echo "$tool"; return 0; }
	done
	[ -n "$(static_busybox)" ] || { echo 'a static busybox'; return 0; }
	return 1
}

static_busybox() {
	for program in /bin/busybox /usr/bin/busybox; do
		[ -x "$program" ] && ! ldd "$program" > /dev/null 2>&1 && { echo "$program"; return; }
	done
	return 0
}

# Kernel modules are built with the compiler that built the kernel, if it is there.
module_compiler() {
	command -v gcc-12 || command -v gcc
}

build_hardware() {	# $1: kernel directory
	local work=$1/hardware compiler
	[ "$work/isst_hardware.ko" -nt "$(newest "$here/hardware")" ] && return
	compiler=$(module_compiler)
	rm -rf "$work"
	cp -r "$here/hardware" "$work"
	if [ -d "$1/builder" ]; then
		build_in_builder "$1" > "$1/hardware.log" 2>&1 || { cat "$1/hardware.log" >&2; return 1; }
		return
	fi
	make -s -C "$1/headers" M="$work" CC="$compiler" HOSTCC="$compiler" CONFIG_DEBUG_INFO_BTF_MODULES= modules \
		> "$1/hardware.log" 2>&1 || { cat "$1/hardware.log" >&2; return 1; }
}

# Headers that need the compiler and libc of their own release. objtool asks for /proc.
build_in_builder() {	# $1: kernel directory
	local root=$1/builder status=0
	rm -rf "$root/hardware"
	cp -r "$1/hardware" "$root/hardware"
	mount -t proc proc "$root/proc"
	chroot "$root" make -s -C "$(cat "$1/headers")" M=/hardware CC=gcc-14 HOSTCC=gcc-14 CONFIG_DEBUG_INFO_BTF_MODULES= \
		modules || status=1
	umount "$root/proc"
	cp "$root/hardware/isst_hardware.ko" "$1/hardware/" || status=1
	return $status
}

newest() {	# $1: directory
	find "$1" -type f -printf '%T@ %p\n' | sort -n | tail -n 1 | cut -d ' ' -f 2-
}

copy_program() {	# $1: program $2: name in the guest $3: root of the guest
	cp "$1" "$3/usr/bin/$2"
	{ ldd "$1" 2> /dev/null || true; } | grep -oE '/[^ ]+' | while read -r library; do
		mkdir -p "$3$(dirname "$library")"
		cp -Ln "$library" "$3$library" || true
	done
}

# The reference tool, with loader and libraries, in a directory of its own: the guest mounts file systems over others, such as
# /tmp, and this may be a checkout there.
copy_reference() {	# $1: root of the guest
	local directory=$cache/reference place=/reference
	[ -e "$build/reference/version" ] && directory=$build/reference
	sh "$here/../reference/fetch.sh" "$directory" 2> "$cache/reference.log" || return 0
	grep -oE '"/[^"]+"' "$directory/run" | tr -d '"' | tr ':' '\n' | while read -r path; do
		if [ -d "$path" ]; then
			mkdir -p "$1$place$path"
			find "$path" -maxdepth 1 -name '*.so*' -exec cp -P {} "$1$place$path" \;
		else
			mkdir -p "$1$place$(dirname "$path")"
			cp -Ln "$path" "$1$place$path"
		fi
	done
	sed "/^exec/s|\([\":]\)/|\1$place/|g" "$directory/run" > "$1/usr/bin/reference-tool"
	chmod +x "$1/usr/bin/reference-tool"
	cp "$directory/version" "$1/vm/reference-version"
}

make_root() {	# $1: where
	mkdir -p "$1"/{bin,sbin,lib/modules,lib64,proc,sys,dev,tmp,etc,run,var,vm,usr/bin,usr/sbin}
	ln -s /run "$1/var/run"
	cp "$(static_busybox)" "$1/bin/busybox"
	ln -s busybox "$1/bin/sh"
	printf 'root:x:0:0::/:/bin/sh\nuser:x:1000:1000::/:/bin/sh\n' > "$1/etc/passwd"
	copy_program "$build/intel-speed-select" intel-speed-select "$1"
	ln -s intel-speed-select "$1/usr/bin/isst"
	for program in "$here"/guest/*.c; do
		gcc -O2 -Wall -Wextra -static -o "$1/usr/bin/$(basename "$program" .c)" "$program"
	done
	cp -r "$here"/guest/* "$1/vm"
	copy_reference "$1"
	ln -s /vm/init "$1/init"
}

make_image() {	# $1: name $2: kernel directory
	local root=$cache/$1.root
	rm -rf "$root"
	cp -a "$cache/root" "$root"
	cp "$2"/modules/*.ko "$2/hardware/isst_hardware.ko" "$root/lib/modules"
	(cd "$root" && find . | cpio -o -H newc --quiet -R 0:0 | gzip -1) > "$cache/$1.image"
	rm -rf "$root"
}

# A boot that dies before the guest's script starts is the emulator's fault and is tried again.
boot() {	# $1: name $2: series $3: transport $4: CPU model $5: topology $6: parameters of the kernel $7: parts
	local results=$cache/$1.results time=() try
	case $7 in speed) time=(-icount 'shift=0,sleep=off') ;; esac
	for ((try = 1; try <= tries; try++)); do
		: > "$results"
		timeout "$boot_timeout" qemu-system-x86_64 -M q35 -accel tcg,thread=single "${time[@]}" \
			-cpu "Icelake-Server,model=$4" -smp "$5" -m 1G -nodefaults -display none -no-reboot \
			-serial "file:$cache/$1.console" -serial "file:$results" \
			-kernel "$cache/linux-$2/vmlinuz" -initrd "$cache/$1.image" \
			-append "console=ttyS0 $quick quiet panic=-1 transport=$3 series=$2 parts=$7 ${6#-} memmap=16M\$0x38000000" \
			< /dev/null > "$cache/$1.qemu" 2>&1 || true
		grep -q '^# boot' "$results" && break
	done
	grep -q '^# end' "$results" || echo "not ok - ${1/-/ }: the guest died: $(tail -n 1 "$cache/$1.console")" >> "$results"
}

prepare() {	# $1: name $2: series
	local directory=$cache/linux-$2
	if ! sh "$here/fetch-kernel.sh" "$2" "$directory" 2> "$cache/$1.missing"; then
		echo "skip - ${1/-/ }: $(cat "$cache/$1.missing")" > "$cache/$1.results"
		return 1
	fi
	if ! build_hardware "$directory"; then
		echo "not ok - ${1/-/ }: the played hardware does not build: see $directory/hardware.log" > "$cache/$1.results"
		return 1
	fi
	make_image "$1" "$directory"
}

count() {	# $1: beginning of a line
	grep -c "^$1 - " "$cache/all" || true
}

if missing=$(tool_missing); then
	echo "skip - all: $missing is not installed"
	echo '0 passed, 0 failed, 1 skipped'
	exit 0
fi
rm -rf "$cache/root"
make_root "$cache/root"
names=()
while IFS=$'\t' read -r name series transport model topology parameters part; do
	case $name in '#'* | '') continue ;; esac
	[ "$wanted" = '  ' ] || [[ $wanted == *" $name "* ]] || continue
	names+=("$name")
	rm -f "$cache/$name.results"
	prepare "$name" "$series" || continue
	while [ "$(jobs -rp | wc -l)" -ge "$parallel" ]; do
		wait -n
	done
	boot "$name" "$series" "$transport" "$model" "$topology" "$parameters" "${part:-$parts}" &
done < "$here/boots.table"
wait
for name in "${names[@]}"; do
	cat "$cache/$name.results"
done | tee "$cache/all"

passed=$(count ok) failed=$(count 'not ok') skipped=$(count skip)
echo "$passed passed, $failed failed$([ "$skipped" = 0 ] || echo ", $skipped skipped")"
[ "$failed" = 0 ]
