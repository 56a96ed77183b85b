#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Builds the packages in systems of their own, and checks, installs, uses and removes them: check-packages.sh DIRECTORY [STEP...]
# Steps: deb lintian reproducible install upgrade divert autopkgtest arm64 rpm recipes container readme readme-oldstable; all by
# default. The systems, of the distribution's stable release but for the last step, stay in DIRECTORY. DEB_BUILD_OPTIONS=nocheck leaves
# out the suite; CCACHE=yes builds with ccache, but what is built once more, and in the last two steps. Needs root, debootstrap and the
# distribution's archive.
# Speaks TAP, and ends with the sum.
set -u
export LC_ALL=C
unset MAKEFLAGS MAKEOVERRIDES MAKELEVEL SOURCE_DATE_EPOCH ISST_EMULATE ISST_EMULATE_STATE
umask 022
cd "$(dirname "$0")/.." || exit 1
# shellcheck source=packaging/chroot.sh
. packaging/chroot.sh
# shellcheck source=tests/support/tap.sh
. tests/support/tap.sh
mkdir -p "$1" || exit 1
directory=$(cd "$1" && pwd)
shift
steps=" ${*:-deb lintian reproducible install upgrade divert autopkgtest arm64 rpm recipes container readme readme-oldstable} "
version=$(sed -n 's/^#define ISST_VERSION "\(.*\)"/\1/p' include/isst.h)
SHARE=$directory/share
built=$SHARE/built
EMULATE='ISST_EMULATE=guide ISST_EMULATE_STATE=/tmp/state'

# The end of what a command printed is shown if it fails, and all of it kept in failure-NUMBER.
scratch=$directory
failures=$directory
report_lines=40

summary() {
	echo "1..$count"
	echo "$((count - failed - skipped)) passed, $failed failed, $skipped skipped"
}

without_suite() {
	case " ${DEB_BUILD_OPTIONS:-} " in
	*" nocheck "*) ;;
	*) return 1 ;;
	esac
}

# ---- Building ----

# build SYSTEM OUTPUT BEFORE SCRIPT [OPTION...]: a build of the release archive by a user without privileges, without a network;
# BEFORE is evaluated by the shell that builds. TOOLS of the caller: the system that has the tools
build() {
	system_make "$directory/$1" "${TOOLS:-$directory/tools}" || return 1
	rm -rf "${SHARE:?}/$2"
	mkdir -p "$SHARE/$2" "$SHARE/ccache"
	tar -C "$SHARE/$2" -xf "$SHARE/isst-$version.tar.xz" || return 1
	system=$directory/$1 output=$2 before=$3 script=$4
	shift 4
	# shellcheck disable=SC2016  # expanded by the inner shell
	system_run "$system" sh -euc 'output=/run/share/$1 before=$2 script=$3
		shift 3
		useradd --create-home builder
		chown -R builder "$output" /run/share/ccache
		cd "$output"/isst-*
		exec unshare --net setpriv --reuid=builder --regid=builder --clear-groups env HOME=/home/builder bash -euc "$before
			shift
			sh packaging/$script \"\$@\"" build "" "$output" "$@"' build "$output" "$before" "$script" "$@"
}

with_ccache() {
	if [ "${CCACHE:-no}" = yes ]; then
		# shellcheck disable=SC2016  # expanded where it builds
		echo 'export PATH=/usr/lib/ccache:$PATH CCACHE_DIR=/run/share/ccache'
	else
		echo :
	fi
}

packages_of() {	# $1: directory of a build
	find "$SHARE/$1" -maxdepth 1 -name '*.deb' | sort
}

build_deb() {
	build build built "$(with_ccache)" build-deb.sh -us -uc
}

builds_all() {
	sed -n 's/^Package: //p' packaging/debian/control | sort > "$scratch/expected"
	packages_of built | sed 's|.*/||; s/_.*//' | grep -v -e '-dbgsym$' | sort | diff "$scratch/expected" -
}

# From the unpacked archive instead of the commit.
same_archive() {
	rm -rf "$directory/archive"
	mkdir "$directory/archive"
	tar -C "$directory/archive" -xf "$SHARE/isst-$version.tar.xz" || return 1
	(umask 077 && TZ=Asia/Tokyo sh "$directory/archive/isst-$version/packaging/dist.sh" "$directory/archive") || return 1
	cmp "$SHARE/isst-$version.tar.xz" "$directory/archive/isst-$version.tar.xz" || return 1
	grep -q -x "$(git rev-parse HEAD)" "$directory/archive/isst-$version/packaging/commit"
}

# The other build: a later time, another directory, umask, locale, time zone and home directory.
build_again() {	# $1: directory of the build; the other words: script and options
	again=$1
	shift
	DEB_BUILD_OPTIONS='nocheck parallel=3' build build-again "$again" \
		'umask 002; export LC_ALL=C TZ=Asia/Tokyo HOME=/tmp USER=somebody' "$@"
}

same_bytes() {	# $1, $2: directories of builds
	(cd "$SHARE/$1" && find . -name '*.deb' ! -path './*/*' -o -path './RPMS/*.rpm') > "$directory/names"
	[ -s "$directory/names" ] || return 1
	while read -r package; do
		cmp "$SHARE/$1/$package" "$SHARE/$2/$package" || return 1
	done < "$directory/names"
}

# ---- Debian ----

# install_local SYSTEM FILE...: packages of the build, with what they depend on
install_local() {
	target=$1
	shift
	system_run "$directory/$target" sh -euc 'cd /run/share/built
		apt-get -qq update
		apt-get -qq -y --no-install-recommends -o Dpkg::Options::=--force-unsafe-io install "$@"' install "$@"
}

# deb NAME...: their files, as apt wants them
deb() {
	for name in "$@"; do
		(cd "$built" && echo ./"${name}"_*.deb)
	done
}

# All but what dpkg and apt keep of any package, and what depends on the time.
list_files() {
	system_run "$directory/$1" find / -xdev ! -path '/proc*' ! -path '/run/*' ! -path '/tmp/*' ! -path '/var/lib/apt/*' \
		! -path '/var/cache/*' ! -path '/var/log/*' ! -path '/var/lib/dpkg/info/*' ! -path '/var/lib/dpkg/*-old' \
		-printf '%p %M %u:%g %l\n' | sort
}

lint_deb() {
	# shellcheck disable=SC2016  # expanded by the inner shell
	SHARE=$built system_run "$directory/build" sh -c 'cd /run/share && lintian --allow-root --fail-on error,warning --display-level ">=info" \
		--tag-display-limit 0 ./*.changes'
}

# Each override follows a comment with its reason.
overrides_have_reasons() {
	cat packaging/debian/*.lintian-overrides | awk '/^#/ { reason = 1; next } NF && !reason { print; bad = 1 } { reason = 0 } END { exit bad }'
}

# Links between the installed documents lead to files, compressed or not.
# shellcheck disable=SC2016  # expanded where it runs
links_of_documents='cd /usr/share/doc/isst
	for link in $(cat *.md | tr " " "\n" | sed -n "s/.*](\([^)#]*\)[)#].*/\1/p" | grep -v :// | sort -u); do
		[ -e "$link" ] || { echo "no $link"; exit 1; }
	done
	cd /'

# An installed package of each name, with nothing but what it depends on, and afterwards the system as before.
install_and_purge() {
	system_make "$directory/clean" "$directory/stable"
	system_run "$directory/clean" sh -c 'apt-get -qq update && apt-get -qq -y install libcap2'
	list_files clean > "$directory/before"
	# shellcheck disable=SC2046  # words on purpose
	install_local clean $(deb isst libisst0 isst-emulator libisst-emulator0 isst-intel-speed-select) || return 1
	list_files clean > "$directory/between"
	grep -q '^/usr/bin/isst ' "$directory/between" || return 1
	# shellcheck disable=SC2086  # words on purpose
	system_run "$directory/clean" env $EMULATE isst -c 0 base-freq enable || return 1
	system_run "$directory/clean" sh -euc "$links_of_documents" || return 1
	system_run "$directory/clean" sh -c 'apt-get -qq -y purge isst isst-emulator libisst0 libisst-emulator0 isst-intel-speed-select' ||
		return 1
	list_files clean > "$directory/after"
	diff "$directory/before" "$directory/after"
}

# The packages as those of an earlier version, which had a file more.
make_older() {
	rm -rf "$built/older"
	mkdir -p "$built/older"
	for package in $(packages_of built); do
		tree=$built/older/tree
		release=$(dpkg-deb -f "$package" Version)
		dpkg-deb -R "$package" "$tree" || return 1
		sed -i "/^Version: /s/\$/~older/; s/= $release)/= $release~older)/g" "$tree/DEBIAN/control"
		mkdir -p "$tree/usr/share/doc/${package##*/}"
		echo older > "$tree/usr/share/doc/${package##*/}/older"
		dpkg-deb --root-owner-group -b "$tree" "$built/older" || return 1
		rm -rf "$tree"
	done
}

our_packages() {
	sed -n 's/^Package: //p' packaging/debian/control
}

# linux-cpupower is one of those that come and go; what they depend on stays.
upgrade() {
	make_older || return 1
	system_make "$directory/upgrade" "$directory/stable"
	system_install "$directory/upgrade" libcap-dev linux-cpupower python3 || return 1
	system_run "$directory/upgrade" sh -euc 'cd /root
		apt-get -qq -o APT::Sandbox::User=root download linux-cpupower
		dpkg --purge linux-cpupower' || return 1
	list_files upgrade > "$directory/before"
	system_run "$directory/upgrade" sh -c 'dpkg -i /root/linux-cpupower*.deb' || return 1
	# shellcheck disable=SC2046  # words on purpose
	install_local upgrade $(cd "$built" && find ./older -name '*.deb' ! -name '*-dbgsym_*') || return 1
	is_ours upgrade && is_theirs upgrade /usr/sbin/intel-speed-select.linux-cpupower || return 1
	system_run "$directory/upgrade" grep '^Version: .*~older$' /var/lib/dpkg/status || return 1
	# shellcheck disable=SC2046
	install_local upgrade $(deb $(our_packages)) || return 1
	! system_run "$directory/upgrade" grep '^Version: .*~older$' /var/lib/dpkg/status &&
		! system_run "$directory/upgrade" find /usr/share/doc -name older | grep . &&
		is_ours upgrade && is_theirs upgrade /usr/sbin/intel-speed-select.linux-cpupower
}

# remove_in_order ACTION PACKAGE...: one at a time, whatever depends on it; then as if they had never been there
remove_in_order() {
	action=$1
	shift
	# shellcheck disable=SC2046  # words on purpose
	files=$(deb $(our_packages))
	# shellcheck disable=SC2016  # expanded by the inner shell
	system_run "$directory/upgrade" sh -euc 'cd /run/share/built
		action=$1
		dpkg --force-depends -i /root/linux-cpupower*.deb $2
		shift 2
		for package in "$@"; do dpkg --force-depends "$action" "$package"; done
		dpkg --purge "$@"
		[ -z "$(dpkg-divert --list "*intel-speed-select*")" ]' remove "$action" "$files" "$@" || return 1
	list_files upgrade > "$directory/after"
	diff "$directory/before" "$directory/after"
}

remove_in_any_order() {
	# shellcheck disable=SC2046  # words on purpose
	remove_in_order --purge linux-cpupower $(our_packages) &&
		remove_in_order --remove $(our_packages | tac) linux-cpupower &&
		remove_in_order --purge $(our_packages | sort) linux-cpupower &&
		remove_in_order --remove isst-intel-speed-select linux-cpupower $(our_packages | sort -r | grep -v -x isst-intel-speed-select)
}

# runs_from SYSTEM PROGRAM: ours or that of linux-cpupower
version_of() {
	system_run "$directory/$1" "$2" --version 2>&1
}

is_ours() {
	version_of "$1" /usr/sbin/intel-speed-select | grep "^isst $version"
}

is_theirs() {
	! version_of "$1" "$2" | grep "^isst $version" &&
		system_run "$directory/$1" "$2" --help 2>&1 | grep -i 'speed select\|speed-select'
}

divert_after() {
	system_make "$directory/divert" "$directory/stable"
	system_install "$directory/divert" linux-cpupower || return 1
	is_theirs divert /usr/sbin/intel-speed-select || return 1
	# shellcheck disable=SC2046
	install_local divert $(deb isst libisst0 isst-intel-speed-select) || return 1
	is_ours divert && is_theirs divert /usr/sbin/intel-speed-select.linux-cpupower
}

divert_again() {
	system_run "$directory/divert" apt-get -qq -y install --reinstall linux-cpupower || return 1
	is_ours divert && is_theirs divert /usr/sbin/intel-speed-select.linux-cpupower
}

divert_removed() {
	system_run "$directory/divert" apt-get -qq -y purge isst-intel-speed-select || return 1
	is_theirs divert /usr/sbin/intel-speed-select &&
		[ -z "$(system_run "$directory/divert" dpkg-divert --list 'isst*')" ] &&
		! system_run "$directory/divert" test -e /usr/sbin/intel-speed-select.linux-cpupower
}

divert_before() {
	system_make "$directory/divert" "$directory/stable"
	# shellcheck disable=SC2046
	install_local divert $(deb isst libisst0 isst-intel-speed-select) || return 1
	is_ours divert || return 1
	system_install "$directory/divert" linux-cpupower || return 1
	is_ours divert && is_theirs divert /usr/sbin/intel-speed-select.linux-cpupower
}

divert_other_removed() {
	system_run "$directory/divert" apt-get -qq -y purge linux-cpupower || return 1
	is_ours divert && ! system_run "$directory/divert" test -e /usr/sbin/intel-speed-select.linux-cpupower
}

# Each test of debian/tests with no packages but those that it names, as autopkgtest does it.
installed_test() {	# $1: test
	system_make "$directory/clean" "$directory/stable"
	needs=$(awk -v test="$1" '$1 == "Tests:" { ours = $2 == test } ours && $1 == "Depends:" { gsub(/,|Depends:/, ""); print }' \
		packaging/debian/tests/control)
	ours=
	sed -n 's/^Package: //p' packaging/debian/control > "$directory/names"
	while read -r package; do
		ours="$ours $(deb "$package")"
	done < "$directory/names"
	# What is not asked for is there to be depended on.
	# shellcheck disable=SC2016,SC2086
	system_run "$directory/clean" sh -euc 'cd /run/share/built
		mkdir /root/packages
		cp $1 /root/packages
		cd /root/packages
		for package in *.deb; do dpkg-deb -f "$package" | sed "/^Description/,\$d"; echo "Filename: ./$package"
			stat -c "Size: %s" "$package"; echo "SHA256: $(sha256sum < "$package" | cut -d " " -f 1)"; echo; done > Packages
		echo "deb [trusted=yes] file:/root/packages ./" > /etc/apt/sources.list.d/packages.list
		apt-get -qq update
		apt-get -qq -y --no-install-recommends -o Dpkg::Options::=--force-unsafe-io install $2' install "$ours" "$needs" || return 1
	SHARE=$PWD/packaging/debian/tests system_run "$directory/clean" "/run/share/$1"
}

# ---- arm64 ----

build_arm64() {
	system_make "$directory/tools-arm64" "$directory/tools"
	system_run "$directory/tools-arm64" dpkg --add-architecture arm64 || return 1
	system_install "$directory/tools-arm64" libcap-dev:arm64 || return 1
	TOOLS=$directory/tools-arm64 DEB_BUILD_OPTIONS=nocheck build build-arm64 arm64 "$(with_ccache)" build-deb.sh -B -us -uc -aarm64 -Pnocheck
}

# run_arm64 COMMAND...: by emulation of the processor. The programs that a command starts are not emulated.
run_arm64() {
	SHARE=$SHARE/arm64 system_run "$directory/clean" /run/share/qemu-aarch64 "$@"
}

# As packages of a foreign architecture, with what they depend on; their scripts are run by the shell that is there.
install_arm64() {
	system_make "$directory/clean" "$directory/stable"
	system_run "$directory/clean" sh -euc 'dpkg --add-architecture arm64
		apt-get -qq update
		apt-get -qq -y --no-install-recommends install libc6:arm64 libcap-dev:arm64' || return 1
	list_files clean > "$directory/before"
	cp "$directory/tools/upper/usr/bin/qemu-aarch64" "$SHARE/arm64" || return 1
	# shellcheck disable=SC2016  # expanded by the inner shell
	SHARE=$SHARE/arm64 system_run "$directory/clean" sh -euc 'cd /run/share
		apt-get -qq -y --no-install-recommends install $(find . -maxdepth 1 -name "*_arm64.deb" ! -name "*-dbgsym_*")
		dpkg-query -W isst:arm64 isst-emulator:arm64 libisst-dev:arm64'
}

# A sample of the commands, as a processor that is emulated is slow.
use_arm64() {
	machine='--emulate guide --emulate-state /root/state'
	# shellcheck disable=SC2086  # words on purpose
	run_arm64 /usr/bin/isst $machine -c 0 base-freq enable &&
		run_arm64 /usr/bin/isst $machine status | grep '^package 0 .* on ' &&
		run_arm64 /usr/bin/isst --version | grep "^isst $version"
}

purge_arm64() {
	# shellcheck disable=SC2016  # expanded by the inner shell
	SHARE=$SHARE/arm64 system_run "$directory/clean" sh -euc 'rm -r /root/state
		for package in /run/share/*_arm64.deb; do dpkg-deb -f "$package" Package; done | grep -v -e -dbgsym > /tmp/packages
		apt-get -qq -y purge $(sed "s/\$/:arm64/" /tmp/packages)' || return 1
	list_files clean > "$directory/after"
	diff "$directory/before" "$directory/after"
}

# ---- RPM ----

build_rpm() {
	build build-rpm rpm "$(with_ccache)" build-rpm.sh --nodeps "$@"
}

lint_rpm() {
	# shellcheck disable=SC2016  # expanded by the inner shell
	SHARE=$SHARE/rpm system_run "$directory/build-rpm" sh -euc 'cd /run/share/isst-*/packaging/rpm
		ls /run/share/RPMS/*/*.rpm
		rpmlint -c rpmlint.toml isst.spec /run/share/RPMS/*/*.rpm'
}

install_rpm() {
	system_make "$directory/rpm" "$directory/tools"
	# shellcheck disable=SC2016  # expanded by the inner shell
	SHARE=$SHARE/rpm system_run "$directory/rpm" sh -euc 'echo "exit 77" > /usr/bin/intel-speed-select
		rpm --nodeps -i $(find /run/share/RPMS -name "*.rpm" ! -name "*debug*")
		rpm --verify --nodeps $(rpm -qa "*isst*")
		echo $(rpm -E %{_libdir}) > /etc/ld.so.conf.d/rpm.conf
		ldconfig
		[ "$(realpath "$(command -v intel-speed-select)")" = /usr/bin/isst ]
		grep -q "exit 77" /usr/bin/intel-speed-select
		ISST_EMULATE=guide ISST_EMULATE_STATE=/tmp/state isst -c 0 base-freq enable
		[ "$(ISST_EMULATE=guide ISST_EMULATE_STATE=/tmp/state isst emulate -- cat /sys/devices/system/cpu/online)" = 0-55 ]
		rpm -ql $(rpm -qa "*isst*") | sort -u > /root/files
		'"$links_of_documents"'
		rpm --nodeps -e $(rpm -qa "*isst*")
		grep -E "isst|speed-select" /root/files | while read -r file; do
			[ ! -e "$file" ] || { echo "left: $file"; exit 1; }
		done
		[ "$(find /usr/local -name "*speed-select*")" = "" ] && grep -q "exit 77" /usr/bin/intel-speed-select'
}

# Debian's rpm has no macros of systemd and Python, and compiles no modules.
build_rpm_macros() {
	build build-rpm rpm-macros "$(with_ccache)" build-rpm.sh --nodeps --without check \
		--define 'python3_sitelib /usr/lib/python3.99/site-packages' \
		--define '__os_install_post python3 -m compileall -q -s %{buildroot} %{buildroot}%{python3_sitelib}' \
		--define '_unitdir /usr/lib/units' --define '_tmpfilesdir /usr/lib/tmpfiles' --define 'systemd_post() echo installed %*' \
		--define 'systemd_preun() echo leaving %*' --define 'systemd_postun() echo left %*'
}

macros_are_used() {
	# shellcheck disable=SC2016  # expanded by the inner shell
	SHARE=$SHARE/rpm-macros system_run "$directory/build-rpm" sh -euc 'cd /run/share/RPMS
		rpm -qp --scripts "$(uname -m)"/isst-[0-9]*.rpm > /tmp/scripts
		for word in installed leaving left; do grep -x "echo $word isst-config.service isst-resume.service isst-watch.service" /tmp/scripts; done
		rpm -qpl "$(uname -m)"/isst-[0-9]*.rpm noarch/python3-isst-*.rpm > /tmp/files
		for file in units/isst-config.service units/isst-resume.service tmpfiles/isst.conf python3.99/site-packages/isst/__init__.py \
			python3.99/site-packages/isst/py.typed "python3.99/site-packages/isst-'"$version"'.dist-info/METADATA"; do
			grep -x "/usr/lib/$file" /tmp/files
		done
		grep "^/usr/lib/python3.99/site-packages/isst/__pycache__/__init__\..*\.pyc$" /tmp/files'
}

# ---- Recipes for Alpine and Arch ----

recipes_of_archive() {
	rm -rf "${SHARE:?}/recipes"
	sh packaging/recipes.sh "$SHARE/isst-$version.tar.xz" "$SHARE/recipes" || return 1
	grep -x "pkgver=$version" "$SHARE/recipes/arch/PKGBUILD" && grep -x "pkgver=$version" "$SHARE/recipes/alpine/APKBUILD" || return 1
	# As abuild reads it: variables, functions, and the sums of the sources.
	# shellcheck disable=SC2016  # expanded by the inner shell
	(cd "$SHARE/recipes/alpine" && sh -euc '. ./APKBUILD
		for function in build check package libisst libemulator py3 name; do type "$function" > /dev/null; done
		for file in $source; do printf "%s" "$sha512sums" | grep "  $file\$"; done
		printf "%s" "$sha512sums" | sed "/^\$/d" | sha512sum -c')
}

lint_recipes() {
	bash -n packaging/arch/PKGBUILD && shellcheck packaging/arch/PKGBUILD packaging/alpine/APKBUILD
}

# Alpine's functions, with those of abuild that they call; the C library is the one here.
package_alpine() {
	system_make "$directory/alpine" "$directory/tools"
	# shellcheck disable=SC2016  # expanded by the inner shell
	SHARE=$SHARE system_run "$directory/alpine" sh -euc 'cd /run/share/recipes/alpine
		. ./APKBUILD
		rm -rf /tmp/src && mkdir -p /tmp/src && tar -C /tmp/src -xf "$source"
		export CCACHE_DIR=/run/share/ccache PATH=/usr/lib/ccache:$PATH MAKEFLAGS=-sj2
		cd "/tmp/src/$pkgname-$pkgver"
		build
		pkgdir=/tmp/pkg/isst
		package
		amove() {
			for file in "$@"; do
				(cd "$pkgdir" && tar -cf - $file && rm -r $file) | (mkdir -p "$subpkgdir" && tar -C "$subpkgdir" -xf -)
			done
		}
		for sub in libisst libemulator py3 name; do
			subpkgdir=/tmp/pkg/$sub
			$sub
		done
		[ -x /tmp/pkg/isst/usr/bin/isst ]
		[ -z "$(find /tmp/pkg/isst -name "*speed-select*" ! -path "*/man/*")" ]
		[ "$(readlink /tmp/pkg/name/usr/bin/intel-speed-select)" = isst ]
		[ -e /tmp/pkg/libisst/usr/lib/libisst.so.0 ]
		[ -e /tmp/pkg/libemulator/usr/lib/libisst-emulator.so.0 ]'
}

build_arch() {
	system_make "$directory/arch" "$directory/tools"
	# shellcheck disable=SC2016  # expanded by the inner shell
	system_run "$directory/arch" sh -euc 'useradd --create-home builder
		chown -R builder /run/share/recipes/arch /run/share/ccache
		cd /run/share/recipes/arch
		setpriv --reuid=builder --regid=builder --clear-groups env HOME=/home/builder CCACHE_DIR=/run/share/ccache \
			PATH=/usr/lib/ccache:$PATH PKGEXT=.pkg.tar MAKEFLAGS=-sj2 makepkg --nodeps --nocheck --force
		for package in isst isst-emulator isst-intel-speed-select; do
			bsdtar -xf "$package"-[0-9]*.pkg.tar -C / --exclude ".*"
		done
		[ "$(realpath /usr/bin/intel-speed-select)" = /usr/bin/isst ]
		ISST_EMULATE=guide ISST_EMULATE_STATE=/tmp/state isst emulate -- isst -c 0 base-freq enable'
}

# ---- Container ----

static_command() {
	nice make -s -j 2 BUILD="$directory/container" static && mkdir -p "$SHARE/container/build" &&
		cp packaging/Containerfile "$SHARE/container" && cp "$directory/container/isst-static" "$SHARE/container/build"
}

build_image() {
	system_make "$directory/image" "$directory/tools"
	# shellcheck disable=SC2016  # expanded by the inner shell
	SHARE=$SHARE/container system_run "$directory/image" sh -euc 'cd /run/share
		printf "[storage]\ndriver = \"vfs\"\nrunroot = \"/run/containers\"\ngraphroot = \"/root/images\"\n" > /root/storage.conf
		export CONTAINERS_STORAGE_CONF=/root/storage.conf BUILDAH_ISOLATION=chroot
		buildah build -f Containerfile -t isst .
		root=$(buildah mount "$(buildah from localhost/isst)")
		[ "$(cd "$root" && find . -type f)" = ./usr/bin/isst ]
		chroot "$root" /usr/bin/isst --version'
}

# ---- The README's commands ----

# in_readme COMMAND: where the release archive is unpacked, in a system with nothing but make
in_readme() {
	system_run "$directory/readme" sh -euc "cd /root/isst-$version
		$1"
}

readme_demo() {	# $1: suite
	base_make "$directory/$1" "$1" && system_make "$directory/readme" "$directory/$1" && system_install "$directory/readme" make || return 1
	mkdir -p "$directory/readme/upper/root"
	tar -C "$directory/readme/upper/root" --no-same-owner -xf "$SHARE/isst-$version.tar.xz" && in_readme 'make deps demo'
}

readme_check() {
	in_readme 'make deps check'
}

# As python3 comes later, so does the module.
readme_install() {
	in_readme 'make -s install' && system_install "$directory/readme" python3 || return 1
	# shellcheck disable=SC2016  # expanded by the inner shell
	in_readme 'make -s install-python
		ldconfig
		cd /
		[ "$(isst --emulate guide --emulate-state /tmp/state emulate -- cat /sys/devices/system/cpu/online)" = 0-55 ]
		[ "$(isst --version | sed -n "s/^isst //p")" = "$(python3 -c "import isst; print(isst.version())")" ]'
}

readme() {	# $1: suite
	check "README: make deps demo, on a bare Debian $1" readme_demo "$1"
	if without_suite; then
		skip "README: make deps check" "$DEB_BUILD_OPTIONS"
	else
		check "README: make deps check" readme_check
	fi
	check "README: make install, after which command, emulator and Python module work" readme_install
}

# ---- All ----

wanted() {
	case $steps in
	*" $1 "*) ;;
	*) return 1 ;;
	esac
}

[ "$(id -u)" -eq 0 ] || skip_all "needs root"
command -v debootstrap > /dev/null || skip_all "no debootstrap"
base_make "$directory/stable" stable || skip_all "no system can be made by debootstrap"
mkdir -p "$SHARE"
tools='build-essential fakeroot libcap-dev libcap2-bin libcmocka-dev architecture-is-64-bit debhelper dh-python python3 pkgconf
	lintian rpm rpmlint debugedit elfutils ccache crossbuild-essential-arm64 qemu-user makepkg pacman-package-manager libarchive-tools busybox buildah netavark'
if [ "$(cat "$directory/tools/packages" 2> /dev/null)" != "$tools" ]; then
	system_make "$directory/tools" "$directory/stable"
	# shellcheck disable=SC2086  # words on purpose
	check "the tools are installed" system_install "$directory/tools" $tools
	[ "$failed" -eq 0 ] || { summary; exit 1; }
	printf '%s\n' "$tools" > "$directory/tools/packages"
fi
sh packaging/dist.sh "$SHARE" > "$scratch/said" 2>&1 || skip_all "$(cat "$scratch/said")"

if wanted deb; then
	check "Debian packages are built${DEB_BUILD_OPTIONS:+ ($DEB_BUILD_OPTIONS)}" build_deb
	check "all packages that debian/control names" builds_all
fi
if wanted lintian; then
	check "lintian finds no error and no warning" lint_deb
	check "and each override has a reason" overrides_have_reasons
fi
if wanted reproducible; then
	check "the release archive, made again from itself, has the same bytes" same_archive
	check "Debian packages are built once more, in another place" build_again again build-deb.sh -us -uc
	check "the bytes of all packages are the same" same_bytes built again
fi
if wanted install; then
	check "installed, used and purged, they leave nothing" install_and_purge
fi
if wanted upgrade; then
	check "the packages of an earlier version are upgraded, beside linux-cpupower" upgrade
	check "removed and purged in several orders, they leave no file and no diversion" remove_in_any_order
fi
if wanted divert; then
	check "intel-speed-select of linux-cpupower is diverted" divert_after
	check "also when that is installed again" divert_again
	check "and back when the package is purged" divert_removed
	check "linux-cpupower installed later does not replace it" divert_before
	check "and removed leaves it" divert_other_removed
fi
if wanted autopkgtest; then
	# shellcheck disable=SC2013  # one word each
	for test in $(sed -n 's/^Tests: //p' packaging/debian/tests/control); do
		check "autopkgtest $test" installed_test "$test"
	done
fi
if wanted arm64; then
	check "Debian packages are built for arm64" build_arm64
	check "and installed with what they depend on" install_arm64
	check "the command works on arm64" use_arm64
	check "purged, they leave nothing but what they depend on" purge_arm64
fi
if wanted rpm; then
	# shellcheck disable=SC2046  # words on purpose
	check "RPM packages are built${DEB_BUILD_OPTIONS:+ ($DEB_BUILD_OPTIONS)}" build_rpm $(without_suite && echo --without check)
	check "rpmlint finds no error" lint_rpm
	check "RPM packages are built once more, in another place" build_again rpm-again build-rpm.sh --nodeps --without check
	check "the bytes of all packages are the same" same_bytes rpm rpm-again
	check "installed, used and removed, they leave nothing" install_rpm
	check "RPM packages are built with macros of systemd and Python" build_rpm_macros
	check "which name the directories, compiled modules and what is run for units" macros_are_used
fi
if wanted recipes; then
	check "recipes for Alpine and Arch have the version and the checksum of the archive" recipes_of_archive
	if command -v shellcheck > /dev/null; then
		check "shellcheck finds no mistake in them" lint_recipes
	else
		skip "shellcheck finds no mistake in them" "no shellcheck"
	fi
	check "what the recipe for Alpine builds and installs is divided among its packages" package_alpine
	check "makepkg builds the packages for Arch, which work" build_arch
fi
if wanted container; then
	check "the static command is built" static_command
	check "the image is built, holds nothing else, and runs" build_image
fi
! wanted readme || readme stable
! wanted readme-oldstable || readme oldstable
summary
[ "$failed" -eq 0 ]
