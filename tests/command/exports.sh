#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What isst writes for programs that watch many machines, and for comparing with management controllers: exports.sh BUILD. Speaks TAP.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
build=$(cd "$1" && pwd) || exit 1
scratch=$(mktemp -d "${TMPDIR:-/tmp}/isst-exports.XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT
export LC_ALL=C
unset ISST_EMULATE ISST_EMULATE_STATE
PATH=$build:$PATH
# shellcheck source=tests/support/tap.sh
. "$root/tests/support/tap.sh"

# The machine is new, but for what is edited.
make_machine() {	# $1: platform; $2: edit
	ISST_EMULATE=$1
	[ ! -f "$root/tests/platforms/$1.platform" ] || ISST_EMULATE=$root/tests/platforms/$1.platform
	if [ -n "${2:-}" ]; then
		isst platform show "$ISST_EMULATE" | sed "$2" > "$scratch/edited.platform" || return 1
		ISST_EMULATE=$scratch/edited.platform
	fi
	ISST_EMULATE_STATE=$scratch/state
	rm -rf "$ISST_EMULATE_STATE"
	mkdir -m 700 "$ISST_EMULATE_STATE"
	export ISST_EMULATE ISST_EMULATE_STATE
}

# On standard error only the name of the machine is expected.
without_machine() {
	"$@" 2> "$scratch/errors"
	status=$?
	grep -v '^Emulated machine: ' "$scratch/errors" >&2
	return $status
}

exported() {
	without_machine isst "$@"
}

# The example that makes Redfish resources of json-v2.
resources() {
	without_machine "$python" "$root/docs/examples/redfish.py" "$@"
}

# A distribution's program finds modules that another python3 may not.
python=
for candidate in python3 /usr/bin/python3; do
	# By its own path: a wrapper that selects a version takes longer than most checks.
	candidate=$("$candidate" -c 'import json, sys; print(sys.executable)' 2> /dev/null) || continue
	[ -n "$python" ] || python=$candidate
	! "$candidate" -c 'import prometheus_client.openmetrics.parser' 2> /dev/null || { prometheus=$candidate; break; }
done

# ---- Forms ----

check_metrics() {	# $1: file; $2: how many series there may be
	awk -v series="${2:-0}" -f "$root/tests/command/exports.awk" "$1"
}

check_features() {	# $1: file
	grep -vE '^isst\.[a-z0-9.-]+=[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$' "$1"
	cut -d = -f 1 "$1" | sort | uniq -d
}

# The status does not matter: some machines have something that cannot be read.
check_forms() {	# $1: platform
	make_machine "$1"
	for format in openmetrics nfd facts; do
		isst --format $format status > "$scratch/$format" 2> /dev/null
	done
	check_metrics "$scratch/openmetrics"
	check_features "$scratch/nfd"
	[ -n "$python" ] || return 0
	"$python" "$root/tests/command/exports.py" facts "$scratch/facts"
	case $1 in no-device | no-driver | no-transport | other-family | cascadelake-ordinary) return ;; esac
	resources > "$scratch/redfish" 2> /dev/null
	"$python" "$root/tests/command/exports.py" redfish "$scratch/redfish" "$root/docs/redfish.md"
}

# ---- Documents ----

# What the table has, with the units of metrics; the document has each name in backquotes.
check_documented() {
	table=$root/src/cli/render/exports.c
	{
		tr -d '\n' < "$table" | grep -oE '\.metric = "[^"]*"(,[[:space:]]*\.unit = "[^"]*")?' |
			sed 's/"[^"]*"$/&/; s/.metric = "\([^"]*\)"/\1/; s/,[[:space:]]*.unit = "\([^"]*\)"/_\1/'
		grep -oE '\.fact = "[^"]*"' "$table" | cut -d '"' -f 2
		grep -oE '\.feature = "[^"]*"' "$table" | cut -d '"' -f 2
		sed -n '/^static const struct export_branch/,/^}/s/.*KEY_[A-Z_]*, "\([a-z_]*\)".*/\1/p' "$table"
	} | sort -u > "$scratch/names"
	[ "$(wc -l < "$scratch/names")" -gt 60 ] || { echo "too few names are known"; cat "$scratch/names"; }
	while read -r name; do
		# Labels stand in the example.
		grep -q -e "\`$name\`" -e "^$name=" "$root/docs/fleets.md" || echo "not in docs/fleets.md: $name"
	done < "$scratch/names"
}

check "docs/fleets.md has the names of all metrics, labels and facts" succeeds_silently check_documented

[ -n "$python" ] || skip "facts and Redfish are JSON as it should be" "there is no python3"
platforms='tiny tpmi-odd tpmi-partly-bound packages-differ no-device preset-not-set-up package-offline hwp-off'
[ "${ISST_LARGE:-}" != yes ] || platforms="$(isst platform list | awk '{ print $1 }') $platforms tpmi-tiny tpmi-dies tpmi-modules
	tpmi-limited tpmi-two-packages tpmi-unseen multi-die many-dies level-gaps locked offline sparse cascadelake-mailbox
	cascadelake-ordinary features-on isolcpus no-cpufreq no-mmio no-pp old-kernel other-family skylake-no-pp uncore-levels
	without-cpu0"
for platform in $platforms; do
	check "forms of all formats on $platform" succeeds_silently check_forms "$platform"
done

# ---- Values: what platform files state ----

expect() {	# $1: file; standard input: lines that it has
	while IFS= read -r line; do
		grep -qxF -e "$line" "$1" || { echo "not there: $line"; missing=1; }
	done
	[ -z "${missing:-}" ] || cat "$1"
	unset missing
}

check_tpmi_values() {
	make_machine graniterapids-2s128c
	exported --format openmetrics status > "$scratch/metrics" || return 1
	expect "$scratch/metrics" <<-'END'
		isst_info{version="0.1.0",processor="Intel(R) Xeon(R) 6980P",firmware_interface="TPMI"} 1
		isst_errors 0
		isst_packages 2
		isst_cores 256
		isst_online_cpus 512
		isst_perf_profile_locked{package="1"} 1
		isst_thermal_design_power_watts{package="0"} 500
		isst_junction_temperature_max_celsius{package="1"} 100
		isst_perf_profile_level{package="0",die="0",power_domain="2"} 0
		isst_base_frequency_hertz{package="1",die="1",power_domain="0"} 2000000000
		isst_feature_enabled{package="0",die="0",power_domain="0",feature="turbo-freq"} 0
		isst_clos_cores{package="0",die="0",power_domain="1",clos="0"} 43
		isst_clos_cores{package="0",die="0",power_domain="2",clos="0"} 42
		isst_clos_cores{package="0",die="0",power_domain="2",clos="3"} 0
		isst_clos_max_frequency_hertz{package="0",die="0",power_domain="0",clos="0"} +Inf
		isst_bucket_cores{package="0",bucket="0"} 30
		isst_bucket_cores{package="0",bucket="1"} 60
		isst_bucket_cores{package="1",bucket="2"} 96
		isst_bucket_max_frequency_hertz{package="1",bucket="1"} 3800000000
		isst_low_priority_max_frequency_hertz{package="0"} 2000000000
		isst_high_priority_cores{package="0"} 0
	END
	# I/O dies have no series.
	! grep 'power_domain="[34]"' "$scratch/metrics"
}

check_changed_values() {
	make_machine graniterapids-unlocked
	{
		isst --cpu 0-3 turbo-freq enable --auto && isst core-power config --clos 2 --min 1000 --max 1500 &&
			isst --cpu 40,41 core-power assoc --clos 2
	} > "$scratch/setup" 2>&1 || { cat "$scratch/setup"; return 1; }
	exported --format openmetrics status > "$scratch/metrics" || return 1
	exported --format nfd status > "$scratch/features" || return 1
	# Package 1 is as it was.
	expect "$scratch/metrics" <<-'END'
		isst_feature_enabled{package="0",die="0",power_domain="0",feature="turbo-freq"} 1
		isst_feature_enabled{package="0",die="0",power_domain="0",feature="core-power"} 1
		isst_feature_enabled{package="1",die="1",power_domain="0",feature="turbo-freq"} 0
		isst_clos_cores{package="0",die="0",power_domain="0",clos="0"} 4
		isst_clos_cores{package="0",die="0",power_domain="0",clos="3"} 28
		isst_clos_cores{package="0",die="0",power_domain="1",clos="2"} 2
		isst_clos_min_frequency_hertz{package="0",die="0",power_domain="1",clos="2"} 1000000000
		isst_clos_max_frequency_hertz{package="0",die="0",power_domain="1",clos="2"} 1500000000
		isst_high_priority_cores{package="0"} 4
		isst_used_bucket{package="0"} 0
		isst_high_priority_cores{package="1"} 0
	END
	expect "$scratch/features" <<-'END'
		isst.turbo-freq=mixed
		isst.base-freq=disabled
		isst.firmware-interface=TPMI
	END
	! grep 'isst_used_bucket{package="1"}' "$scratch/metrics" || return 1
	# What differs in the middle alone: three levels of the packages 0, 1 and 2.
	make_machine guide 's/^packages = .*/packages = 0-2/'
	isst --cpu 14 perf-profile set-config-level --level 1 > "$scratch/setup" 2>&1 || { cat "$scratch/setup"; return 1; }
	exported --format nfd status > "$scratch/features" || return 1
	expect "$scratch/features" <<-'END'
		isst.perf-profile.level=mixed
	END
}

check_mailbox_values() {
	make_machine guide
	exported --format openmetrics status > "$scratch/metrics" || return 1
	expect "$scratch/metrics" <<-'END'
		isst_perf_profile_highest_level{package="0"} 4
		isst_perf_profile_locked{package="0"} 0
		isst_base_frequency_hertz{package="1",die="0"} 2600000000
		isst_bucket_cores{package="1",bucket="2"} 6
		isst_clos_weight{package="0",die="0",clos="0"} 0
	END
}

check_reasons() {
	make_machine graniterapids-unlocked 's/^\[domain\]/&\nlimit-reasons = THERMAL POWER POWER_PKG_PL1_MSR_TPMI\nlimited-cores = 3/'
	exported --format openmetrics status > "$scratch/metrics" || return 1
	expect "$scratch/metrics" <<-'END'
		isst_limit_reason{package="0",code="limited-thermal"} 1
		isst_limit_reason{package="1",code="limited-power"} 1
	END
	[ "$(grep -c '^isst_limit_reason' "$scratch/metrics")" -eq 4 ] || cat "$scratch/metrics"
	[ -n "$python" ] || return 0
	resources | "$python" -c 'import json, sys
for uri, resource in json.load(sys.stdin).items():
    if "Processor.Processor" in resource["@odata.type"][12:] and resource.get("ThrottleCauses") != ["PowerLimit", "ThermalLimit"]:
        print(uri, resource.get("ThrottleCauses"))'
}

# All that can have series at the same time.
check_series() {
	reasons='THERMAL PLATFORM POWER CURRENT RAS MCP DFC QOS MISC FREQUENCY'
	make_machine graniterapids-2s128c "s/^\[domain\]/&\nlimit-reasons = $reasons/"
	{
		isst core-power enable --priority 0
		for clos in 0 1 2 3; do
			isst core-power config --clos $clos --min 900 --max 3000 --weight $clos || return 1
			isst --cpu $((clos * 4)),$((clos * 4 + 50)),$((clos * 4 + 100)) core-power assoc --clos $clos
		done
		isst config apply --set 'uncore-max 1500' --set 'uncore-min 900' --set 'scaling-max 3000'
	} > "$scratch/setup" 2>&1 || { cat "$scratch/setup"; return 1; }
	exported --format openmetrics status --config "$scratch/configuration" > "$scratch/metrics" || return 1
	check_metrics "$scratch/metrics" 210
	for metric in isst_clos_weight isst_limit_reason isst_uncore_max_frequency_hertz isst_cpufreq_limited_cpus isst_config_differences \
		isst_config_last_apply_timestamp_seconds isst_config_last_apply_success isst_turbo_enabled isst_power_limit_watts; do
		grep -q "^$metric" "$scratch/metrics" || echo "no $metric"
	done
}

check_parsers() {
	for platform in graniterapids-unlocked guide tiny tpmi-tiny; do
		make_machine $platform
		isst config apply --set 'scaling-max none' > "$scratch/applied" 2>&1 || cat "$scratch/applied"
		exported --format openmetrics status > "$scratch/metrics" || return 1
		grep -q '^isst_config_last_apply_success 1$' "$scratch/metrics" || echo "no last apply"
		"$prometheus" "$root/tests/command/exports.py" openmetrics "$scratch/metrics"
	done
}

check_promtool() {
	make_machine graniterapids-unlocked
	# It reads the older format, and has opinions on names.
	! exported --format openmetrics status | promtool check metrics 2>&1 | grep -i 'error\|parse'
}

printf '# isst configuration 1\nclos 2: max 2000\n' > "$scratch/configuration"
check "values on a TPMI server are those of its platform" succeeds_silently check_tpmi_values
check "values follow changes, and parts that differ are mixed" succeeds_silently check_changed_values
check "values on a mailbox server are those of its platform" succeeds_silently check_mailbox_values
check "performance limit reasons" succeeds_silently check_reasons
check "at most 210 series on 2 x 128 cores" succeeds_silently check_series
if [ -n "${prometheus:-}" ]; then
	check "python3-prometheus-client reads the metrics, as OpenMetrics and as the older format" succeeds_silently check_parsers
else
	skip "python3-prometheus-client reads the metrics" "it is not installed"
fi
if command -v promtool > /dev/null; then
	check "promtool reads the metrics" succeeds_silently check_promtool
else
	skip "promtool reads the metrics" "it is not installed"
fi

# ---- A configuration ----

check_drift() {
	make_machine graniterapids-unlocked
	exported --format openmetrics status --config "$scratch/configuration" > "$scratch/metrics" || return 1
	differences=$(isst config check "$scratch/configuration" | grep -c ' is wanted, ')
	[ "$differences" -gt 0 ] || echo "the machine does not differ"
	echo "isst_config_differences $differences" | expect "$scratch/metrics"
	isst config apply "$scratch/configuration" > /dev/null 2>&1 || return 1
	exported --format openmetrics status --config "$scratch/configuration" > "$scratch/metrics" || return 1
	echo "isst_config_differences 0" | expect "$scratch/metrics"
	exported --format nfd status --config - < "$scratch/configuration" > "$scratch/features" || return 1
	echo "isst.config.equal=true" | expect "$scratch/features"
	! exported --format openmetrics status | grep isst_config_differences
}

check "drift against a configuration" succeeds_silently check_drift

# ---- Files ----

check_replaced() {
	make_machine tiny
	umask 022
	cd "$scratch" && mkdir -p files && cd files || return 1
	exported --format openmetrics --out new.prom status || return 1
	[ "$(stat -c %a new.prom)" = 644 ] || echo "the mode of a new file is $(stat -c %a new.prom)"
	echo old > old.prom && chmod 640 old.prom && ln -s old.prom link.prom || return 1
	exec 3< old.prom
	exported --format openmetrics --out link.prom status || return 1
	[ "$(cat <&3)" = old ] || echo "a reader of the old file does not find it"
	exec 3<&-
	[ -L link.prom ] || echo "the link was replaced, and not what it names"
	[ "$(stat -c %a old.prom)" = 640 ] || echo "the mode became $(stat -c %a old.prom)"
	cmp old.prom new.prom
	exported --format facts --out isst.fact status && exported --format nfd --out isst status || return 1
	find . -mindepth 1 | sed "s,^\./,," | sort | diff - /dev/fd/4 4<<-'END'
		isst
		isst.fact
		link.prom
		new.prom
		old.prom
	END
	cd "$root" || return 1
}

check_unwritable() {
	make_machine tiny
	echo old > "$scratch/kept"
	# Nothing is written where the command line is wrong.
	! isst --format nfd --out "$scratch/kept" core-power info 2> /dev/null || echo "it has the format"
	[ "$(cat "$scratch/kept")" = old ] || echo "it was written to"
	exported --format nfd --out "$scratch/no/such/directory" status 2> "$scratch/said.now"
	status=$?
	[ $status -eq 2 ] || echo "status $status"
	echo "Error: invalid value '$scratch/no/such/directory' for option --out: cannot create it: No such file or directory" |
		diff - "$scratch/said.now"
	# What only writing shows.
	exported --format nfd --out /dev/full status 2> "$scratch/said.now"
	status=$?
	[ $status -eq 1 ] || echo "status $status"
	echo "Error: cannot write /dev/full: No space left on device" | diff - "$scratch/said.now"
}

# While one process writes again and again, another never finds a part.
check_whole() {
	make_machine guide
	exported --format openmetrics --out "$scratch/whole.prom" status || return 1
	(
		i=0
		while [ $i -lt 15 ]; do
			exported --format openmetrics --out "$scratch/whole.prom" status || break
			i=$((i + 1))
		done
		touch "$scratch/written"
	) &
	reads=0
	while [ ! -e "$scratch/written" ]; do
		cat "$scratch/whole.prom" > "$scratch/read" || break
		[ "$(tail -n 1 "$scratch/read")" = '# EOF' ] || { echo "a part of a file:"; cat "$scratch/read"; }
		reads=$((reads + 1))
	done
	wait
	[ $reads -gt 1 ] || echo "it was not read meanwhile"
}

check "files are replaced, with their modes" succeeds_silently check_replaced
check "files that cannot be written" succeeds_silently check_unwritable
check "readers find whole files" succeeds_silently check_whole

# ---- Redfish ----

check_redfish_values() {
	make_machine graniterapids-2s128c
	resources > "$scratch/redfish" || return 1
	"$python" - "$scratch/redfish" <<-'END'
		import json, sys
		document = json.load(open(sys.argv[1]))
		cpu = '/redfish/v1/Systems/system/Processors/cpu1'
		config = document[cpu + '/OperatingConfigs/config0']
		turbo = zip((64, 78, 90, 96, 108, 114, 120, 128), (3900, 3800, 3600, 3500, 3400, 3300, 3200, 3200))
		wanted = {
		    'TotalAvailableCoreCount': 128, 'TDPWatts': 500, 'BaseSpeedMHz': 2000, 'MaxSpeedMHz': 3900,
		    'MaxJunctionTemperatureCelsius': 100, 'Id': 'config0',
		    'BaseSpeedPrioritySettings': [{'BaseSpeedMHz': 2200, 'CoreCount': 48}, {'BaseSpeedMHz': 1800, 'CoreCount': 80}],
		    'TurboProfile': [{'ActiveCoreCount': c, 'MaxSpeedMHz': m} for c, m in turbo],
		}
		for name, value in wanted.items():
		    if config.get(name) != value:
		        print(name, config.get(name), 'not', value)
		for name, value in {'TurboState': 'Enabled', 'BaseSpeedPriorityState': 'Disabled', 'Model': 'Intel(R) Xeon(R) 6980P',
		                    'AppliedOperatingConfig': {'@odata.id': cpu + '/OperatingConfigs/config0'}}.items():
		    if document[cpu].get(name) != value:
		        print(name, document[cpu].get(name), 'not', value)
	END
}

# A level without some CPUs, on a package of one domain, with SST-BF.
check_redfish_of_mailbox() {
	make_machine tiny
	isst base-freq enable --auto > /dev/null 2>&1 || return 1
	resources > "$scratch/redfish" || return 1
	"$python" - "$scratch/redfish" <<-'END'
		import json, sys
		document = json.load(open(sys.argv[1]))
		cpu = '/redfish/v1/Systems/system/Processors/cpu0'
		configs = [document[f'{cpu}/OperatingConfigs/config{level}'] for level in (0, 1)]
		if [c['TotalAvailableCoreCount'] for c in configs] != [2, 1] or [c['BaseSpeedMHz'] for c in configs] != [2000, 2500]:
		    print(configs)
		if configs[0]['BaseSpeedPrioritySettings'] != [{'BaseSpeedMHz': 2300, 'CoreCount': 1},
		                                               {'BaseSpeedMHz': 1800, 'CoreCount': 1}]:
		    print(configs[0])
		if 'BaseSpeedPrioritySettings' in configs[1]:
		    print(configs[1])
		if document[cpu]['BaseSpeedPriorityState'] != 'Enabled':
		    print(document[cpu])
	END
}

check_redfish_packages() {
	make_machine guide
	resources --cpu 14 > "$scratch/one" || return 1
	! grep 'Processors/cpu0' "$scratch/one"
	grep -q '"#Processor.v1_22_0.Processor"' "$scratch/one" || echo "no package"
	resources > "$scratch/all" && resources | cmp - "$scratch/all"
}

if [ -n "$python" ]; then
	check "Redfish of a TPMI server has the values of its platform" succeeds_silently check_redfish_values
	check "Redfish of a mailbox server has numbers of cores" succeeds_silently check_redfish_of_mailbox
	check "Redfish of one package, and twice the same" succeeds_silently check_redfish_packages
else
	skip "Redfish has the values of platforms" "there is no python3"
fi

finish
