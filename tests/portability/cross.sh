#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A build for another architecture, selected only by its compiler: cross.sh BUILD NAME (arm64, s390x). The unit tests and
# a sample of the command cases are run by qemu's user emulation. Speaks TAP.
# Needs the architecture's compiler and C library of the distribution, and libcap and cmocka in BUILD/foreign-NAME
# (make deps-portability).
# shellcheck source=tests/portability/common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=tests/command/programs.sh
. "$top/tests/command/programs.sh"

name=$2
case $name in
arm64) triplet=aarch64-linux-gnu qemu=qemu-aarch64 ;;
s390x) triplet=s390x-linux-gnu qemu=qemu-s390x ;;
*) echo "cross.sh: unknown architecture $name" >&2; exit 1 ;;
esac
cd "$top" || exit 1
native=$(cd "$1" && pwd) || exit 1
build=$native-$name
foreign=$native/foreign-$name
libraries=$foreign/root/usr/lib/$triplet
includes=$foreign/root/usr/include
# The C library is that of the compiler; only programs run by qemu use the others.
export QEMU_LD_PREFIX="/usr/$triplet" QEMU_SET_ENV="LD_LIBRARY_PATH=$libraries"

for tool in "$triplet-gcc" "$qemu"; do
	if ! command -v "$tool" > /dev/null; then
		skip "builds and works on $name" "no $tool"
		finish
		exit
	fi
done
if [ ! -e "$foreign/complete" ]; then
	skip "builds and works on $name" "no libcap and cmocka for $name"
	finish
	exit
fi

make_foreign() {
	make -s -j "$(nproc)" CC="$triplet-gcc" BUILD="$build" CPPFLAGS="-isystem $includes" LDFLAGS="-L$libraries" \
		WERROR=yes "$@"
}

# run_unit_tests LAYER...: the slower loops of the unit tests show nothing else here. Left out is what user emulation does not
# have: signals with their numbers and dispositions (cli/signals, cli/programs, cli/watches), orphans that a program adopts
# (cli/daemons), programs that run themselves by /proc/self/exe.
run_unit_tests() {
	(cd "$build/tests" && find "$@" -type f -perm -u+x ! -path cli/signals ! -path cli/programs ! -path cli/watches \
		! -path cli/daemons) | sed "s|^|$build/tests/|" > "$scratch/programs"
	[ -s "$scratch/programs" ] || return 1
	# shellcheck disable=SC2046  # names of ours
	ISST_COARSE=1 ISST_PLATFORMS=$top/tests/platforms RUNNER=$qemu sh tests/run-tests.sh $(cat "$scratch/programs")
}

# The runner of cases is native; what it runs by name is not.
run_cases() {
	mkdir "$scratch/cases" "$scratch/programs.d" || return 1
	for name in isst intel-speed-select; do
		printf '#!/bin/sh\nexec %s -0 %s %s/intel-speed-select "$@"\n' "$qemu" "$name" "$build" > "$scratch/programs.d/$name"
		chmod +x "$scratch/programs.d/$name"
	done
	# It reads the state that they write, in their order of bytes.
	printf '#!/bin/sh\nexec %s %s/tests/command/kernel-files "$@"\n' "$qemu" "$build" > "$scratch/programs.d/kernel-files"
	chmod +x "$scratch/programs.d/kernel-files"
	find tests/command/cases -name '*.case' -exec grep -L -E -e "$runs_program" {} + | sample_cases |
		xargs cp -t "$scratch/cases"
	"$native/tests/command/run_cases" "$scratch/programs.d" "$scratch/cases" tests/platforms
}

check "builds for $name with its compiler alone" make_foreign all "$build/tests/command/kernel-files"
check "the programs are of that architecture" sh -c "$triplet-readelf -h '$build/intel-speed-select' | grep -qi -e aarch64 -e 's/390'"
if [ "$name" = arm64 ]; then
	check "the tests build for $name" make_foreign tests
	check "unit tests pass on $name" run_unit_tests base sysfs driver firmware topology features cli
else
	# What the emulator reads and writes by offset and size depends on the order of bytes.
	# shellcheck disable=SC2046  # names of ours
	check "the emulator's tests build for $name" make_foreign $(printf "$build/%s\n" tests/emulator/*.c | sed 's/\.c$//')
	check "the emulator's tests pass on $name" run_unit_tests emulator
fi
check "commands answer on $name as they do here" run_cases
finish
