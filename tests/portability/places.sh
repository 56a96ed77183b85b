#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Building, testing and installing in directories with spaces, and the installed files; tests where /sys is not
# mounted. Speaks TAP.
# shellcheck source=tests/portability/common.sh
. "$(dirname "$0")/common.sh"

tree="$scratch/a check out"
build="$tree/what is built"
root="$scratch/the root"
copy_tree "$tree"
cd "$tree" || exit 1
version=$(sed -n 's/^#define ISST_VERSION "\(.*\)"/\1/p' include/isst.h)
# The sample is all that there is here.
mkdir "$scratch/cases"
find tests/command/cases -name '*.case' | sample_cases | xargs cp -t "$scratch/cases"
rm tests/command/cases/*.case
cp "$scratch/cases"/*.case tests/command/cases

make_here() {
	make -s -j "$(nproc)" CC="$CC" BUILD='what is built' "$@"
}

# Those that run the command, the preload library and scripts.
test_here() {
	# shellcheck disable=SC2016  # expanded by make
	make_here check TESTS='$(addprefix $(BUILD)/tests/,commands launched documents runner transaction/records)'
}

# As in a build environment that has no /sys; hide_sys COMMAND...
hide_sys() {
	# shellcheck disable=SC2046  # an option or none
	unshare -m $([ "$(id -u)" -eq 0 ] || echo -r) sh -c 'mount -t tmpfs tmpfs /sys && "$@"' hidden "$@"
}

test_without_sys() {
	# shellcheck disable=SC2016  # expanded by make
	hide_sys make -s CC="$CC" BUILD='what is built' check TESTS='$(addprefix $(BUILD)/tests/,launched sysfs/kernel_files)'
}

# A program that uses the library with the options of pkg-config.
use_library() {
	cat > "$scratch/program.c" <<- 'END'
		#include <isst-emulator.h>

		int main(void)
		{
			struct isst_emulator_target *target = isst_emulator_target_new("guide");
			struct isst_context *context;
			struct isst_machine *machine;
			char *error;
			int status = 1;

			isst_emulator_target_set_state(target, "program-state");
			if (isst_emulator_open(target, &machine, &error) || isst_open_machine(machine, NULL, &context))
				return 1;
			if (isst_discover(context) == 0 && isst_domain_count(context) == 2)
				status = 0;
			isst_close(context);
			isst_emulator_target_free(target);
			return status;
		}
	END
	link_program &&
		readelf -d "$scratch/program" | grep -q 'NEEDED.*\[libisst\.so\.0\]' &&
		readelf -d "$scratch/program" | grep -q 'NEEDED.*\[libisst-emulator\.so\.0\]' &&
		! readelf -d "$scratch/program" | grep 'NEEDED.*libcap' &&
		(cd "$scratch" && LD_LIBRARY_PATH="$scratch/installed/lib" ./program)
}

link_program() {	# options of pkg-config and of the compiler
	# shellcheck disable=SC2046,SC2086  # words on purpose
	$CC -Wall -Wextra -Wshadow -Werror -o "$scratch/program" "$scratch/program.c" ${2:-} \
		$(PKG_CONFIG_PATH="$scratch/${3:-installed}/lib/pkgconfig" pkg-config ${1:-} --cflags --libs isst-emulator)
}

# Without shared libraries it takes no more.
use_static_library() {
	link_program --static -static && (cd "$scratch" && ./program) &&
		make_here install SHARED=no PREFIX="$scratch/unshared" && ! find "$scratch/unshared" -name '*isst*.so*' ! -name '*preload*' | grep . &&
		link_program '' '' unshared && (cd "$scratch" && ./program)
}

# A program that is linked with the emulator is on the machine that it is started on, as any other.
emulate_user_of_library() {
	cat > "$scratch/online.c" <<- 'END'
		#include <isst-emulator.h>
		#include <stdio.h>

		int main(void)
		{
			FILE *file = fopen("/sys/devices/system/cpu/online", "r");
			char line[64];

			if (!file || !fgets(line, sizeof(line), file) || !isst_emulator_is_available())
				return 1;
			fputs(line, stdout);
			return 0;
		}
	END
	# shellcheck disable=SC2086  # a compiler with options
	$CC -o "$scratch/online-cpus" -I"$top/include" "$scratch/online.c" -L"$scratch/installed/lib" -lisst-emulator &&
		LD_LIBRARY_PATH="$scratch/installed/lib" "$scratch/installed/bin/isst" --emulate guide --emulate-state "$scratch/state" \
			emulate -- "$scratch/online-cpus" > "$scratch/online" && [ "$(cat "$scratch/online")" = 0-55 ]
}

# An installation that was moved, as a sysroot is, is found below its new prefix.
move_library() {
	for package in isst isst-emulator; do
		PKG_CONFIG_PATH="$scratch/installed/lib/pkgconfig" \
			pkg-config --define-variable=prefix=/moved --cflags --libs $package > "$scratch/options" || return 1
		grep -q -e '-I/moved/include' "$scratch/options" && grep -q -e '-L/moved/lib ' "$scratch/options" || return 1
	done
}

# The header, in each language and with the warnings that programs are compiled with; compile_header COMPILER LANGUAGE
compile_header() {
	echo '#include <isst-emulator.h>' | "$1" -Wall -Wextra -Wshadow -Wconversion -Wpedantic -Werror -I"$top/include" -x "$2" \
		-c -o "$scratch/header.o" -
}

# Installed in the given directories, the command finds its files.
use_command() {
	make_here install PREFIX="$scratch/installed" &&
		"$scratch/installed/bin/isst" --emulate guide --emulate-state "$scratch/state" emulate -- \
			cat /sys/devices/system/cpu/online > "$scratch/online" &&
		[ "$(cat "$scratch/online")" = 0-55 ]
}

# A Python of its own, whose modules are below its prefix.
import_module() {
	python3 -m venv --without-pip "$scratch/python" &&
		PATH="$scratch/python/bin:$PATH" make_here install PREFIX="$scratch/python" &&
		[ "$(LD_LIBRARY_PATH="$scratch/python/lib" "$scratch/python/bin/python3" -I -c 'import isst; print(isst.version())')" = "$version" ]
}

# What packages install: the command uses the library.
install_as_packages() {
	make_here install PREFIX="$scratch/packages" SHARED_COMMAND=yes &&
		readelf -d "$scratch/packages/bin/isst" | grep -q 'NEEDED.*\[libisst\.so\.0\]'
}

run_packaged() {
	LD_LIBRARY_PATH="$scratch/packages/lib" "$scratch/packages/bin/isst" "$@"
}

use_packaged_emulator() {
	run_packaged --emulate guide --emulate-state "$scratch/state" perf-profile info > "$scratch/packaged" 2>&1 &&
		"$scratch/installed/bin/isst" --emulate guide --emulate-state "$scratch/state" perf-profile info 2>&1 |
		diff - "$scratch/packaged" &&
		run_packaged --emulate guide --emulate-state "$scratch/state" emulate -- \
			"$scratch/packages/bin/isst" --info 2>&1 | grep 'Emulated machine: guide'
}

installed_files() {
	pages='' modules=$(sh packaging/python-directory.sh /usr/local)
	! command -v python3 > /dev/null || pages='/usr/local/share/man/man3/*'
	find "$root" ! -type d | sed "s|^$root||; s|/share/doc/isst/.*|/share/doc/isst/*|; s|/man3/.*|/man3/*|" | sort -u > "$scratch/found"
	grep . <<- END | diff - "$scratch/found"
		/usr/local/bin/intel-speed-select
		/usr/local/bin/isst
		/usr/local/include/isst-config.h
		/usr/local/include/isst-emulator.h
		/usr/local/include/isst-explain.h
		/usr/local/include/isst-journal.h
		/usr/local/include/isst.h
		/usr/local/lib/isst/libisst-emulator-preload.so
		/usr/local/lib/libisst-emulator.a
		/usr/local/lib/libisst-emulator.so
		/usr/local/lib/libisst-emulator.so.0
		/usr/local/lib/libisst-emulator.so.$version
		/usr/local/lib/libisst.a
		/usr/local/lib/libisst.so
		/usr/local/lib/libisst.so.0
		/usr/local/lib/libisst.so.$version
		/usr/local/lib/pkgconfig/isst-emulator.pc
		/usr/local/lib/pkgconfig/isst.pc
		${modules:+$modules/isst-$version.dist-info/METADATA}
		${modules:+$modules/isst/__init__.py}
		${modules:+$modules/isst/py.typed}
		/usr/local/lib/systemd/system/isst-config.service
		/usr/local/lib/systemd/system/isst-resume.service
		/usr/local/lib/systemd/system/isst-watch.service
		/usr/local/lib/tmpfiles.d/isst.conf
		/usr/local/lib/tuned/isst/isst.sh
		/usr/local/lib/tuned/isst/tuned.conf
		/usr/local/lib/tuned/profiles/isst
		/usr/local/share/ansible/roles/isst/defaults/main.yml
		/usr/local/share/ansible/roles/isst/handlers/main.yml
		/usr/local/share/ansible/roles/isst/meta/main.yml
		/usr/local/share/ansible/roles/isst/tasks/main.yml
		/usr/local/share/ansible/roles/isst/templates/isst.conf.j2
		/usr/local/share/ansible/roles/isst/templates/isst.fact.j2
		/usr/local/share/bash-completion/completions/intel-speed-select
		/usr/local/share/bash-completion/completions/isst
		/usr/local/share/doc/isst/*
		/usr/local/share/fish/vendor_completions.d/intel-speed-select.fish
		/usr/local/share/fish/vendor_completions.d/isst.fish
		$pages
		/usr/local/share/man/man5/isst-config.5
		/usr/local/share/man/man5/isst-platform.5
		/usr/local/share/man/man8/intel-speed-select.8
		/usr/local/share/man/man8/isst.8
		/usr/local/share/zsh/site-functions/_isst
	END
}

# Of what is installed in the directory of documents.
links_lead_to_files() {
	documents="$root/usr/local/share/doc/isst"
	! tr ' ' '\n' < "$documents/README.md" | sed -n 's/.*](\([^)#]*\)[)#].*/\1/p' | grep -v :// | while read -r link; do
		[ -e "$documents/$link" ] || echo "no $link"
	done | grep .
}

# Without python3 it is not known where one that comes later looks.
leaves_module_out() {
	make_here install DESTDIR="$scratch/without" PYTHONDIR= prefix=/opt > "$scratch/said" 2>&1 &&
		grep -q 'make install-python$' "$scratch/said" &&
		grep -q 'systemctl enable --now /opt/lib/systemd/system/isst-config.service$' "$scratch/said" &&
		! find "$scratch/without" -name __init__.py | grep . &&
		[ -x "$scratch/without/opt/bin/isst" ] && ! [ -e "$scratch/without/usr" ]
}

nothing_installed() {
	[ -z "$(find "$root" ! -type d)" ] && [ ! -e "$root/usr/local/lib/isst" ] && [ ! -e "$root/usr/local/share/doc/isst" ]
}

# The one object of the command that holds the path of the preload library.
compiled_again() {
	make_here PREFIX=/elsewhere --trace all 2>&1 | grep -e ' -c -o ' | grep -o 'src/[a-z_/]*\.c' > "$scratch/compiled"
	echo src/emulator/front/launch.c | diff - "$scratch/compiled"
}

cleans_its_own() {
	mkdir -p x x-ray x-sanitize && make -s clean BUILD=x && [ ! -e x ] && [ ! -e x-sanitize ] && [ -d x-ray ] &&
		make_here clean && [ ! -e 'what is built' ] && [ -z "$(find . -maxdepth 1 -name 'build-link-*')" ]
}

check "builds in a directory with spaces, of a checkout with spaces" make_here all
check "the directory holds what was built" test -x "$build/intel-speed-select"
check "tests pass there" test_here
if hide_sys true 2> /dev/null; then
	check "tests pass where /sys is not mounted" test_without_sys
else
	skip "tests pass where /sys is not mounted" "/sys cannot be hidden here"
fi
check "installs below a DESTDIR with spaces" make_here install DESTDIR="$root"
check "the preload library is in a directory of its own" installed_files
check "links in the installed README lead to what is installed" links_lead_to_files
check "prefix is PREFIX; without python3 there is no module, and how to get it is printed" leaves_module_out
check "takes everything out again" make_here uninstall DESTDIR="$root"
check "nothing is left" nothing_installed
check "another PREFIX compiles only what knows it" compiled_again
check "the installed command finds the preload library" use_command
if python3 -c 'import venv' 2> /dev/null; then
	check "python3 finds the installed module" import_module
else
	skip "python3 finds the installed module" "no python3 with venv"
fi
check "the options of pkg-config link a program" use_library
check "the options of pkg-config link a static program" use_static_library
check "a program that is linked with the emulator runs on another machine" emulate_user_of_library
check "installs as packages do" install_as_packages
check "with the library it contains the emulator" use_packaged_emulator
check "the options of pkg-config follow the prefix" move_library
for pair in gcc:c clang:c g++:c++ clang++:c++; do
	if command -v ${pair%:*} > /dev/null; then
		check "the header compiles without warnings by $pair" compile_header ${pair%:*} ${pair#*:}
	else
		skip "the header compiles without warnings by $pair" "no ${pair%:*}"
	fi
done
check "clean removes what is its own, and nothing else" cleans_its_own
finish
