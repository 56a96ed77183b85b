cd /tmp
cat /sys/kernel/debug/isst_hardware/registers
for c in "--info" "perf-profile info" "perf-profile get-lock-status" "base-freq info" "turbo-freq info" "core-power info" "core-power get-config -c 0" "turbo-mode get-trl" ; do echo "=== $c"; isst $c 2>&1; echo "rc=$?"; done
echo "=== assoc"
isst -c 0-3 core-power get-assoc
isst -f json -c 0-3 core-power get-assoc
isst perf-profile set-config-level -l 1 2>&1
isst -c 0,9 turbo-freq enable -a 2>&1
isst base-freq enable -a 2>&1
cat /sys/kernel/debug/isst_hardware/registers
cat /sys/kernel/debug/isst_hardware/changes
echo "=== platform"
isst platform capture /tmp/x; echo $?
reference --info
cat /vm/reference-version
isst -g perf-profile set-config-level -l 0 -o;
isst -g perf-profile set-config-level -l 1 -o; find /sys/fs/cgroup -name 'cpuset.cpus*' -exec grep . {} +
isst perf-profile set-config-level -l 0 -o;
isst perf-profile set-config-level -l 1 -o; cat /sys/devices/system/cpu/online
isst perf-profile set-config-level -l 0 -o; cat /sys/devices/system/cpu/online
cat /sys/devices/system/cpu/cpu*/cpufreq/scaling_max_freq | tr '\n' ' '
cat /proc/uptime
