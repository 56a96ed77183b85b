perf-profile-level-1
  thermal-design-power-ratio:26
  base-frequency(MHz):2600
  base-frequency-avx2(MHz):2300
  base-frequency-avx512(MHz):2000
  uncore-frequency-min(MHz):900
  uncore-frequency-max(MHz):2200
  base-frequency-amx(MHz):1700
  uncore-frequency-base(MHz):1300
  max-mem-frequency(MHz):5600
  cooling_type:0
  speed-select-turbo-freq:disabled
  speed-select-base-freq:disabled
  speed-select-core-power:disabled
  thermal-design-power(W):165
  tjunction-max(C):90
  turbo-ratio-limits-level-0
    {buckets core-count 1 2 3 4 5 6 7 9 / max-turbo-frequency(MHz) 3900 3800 3700 3600 3500 3400 3300 3200}
  turbo-ratio-limits-level-1
    {buckets core-count 1 2 3 4 5 6 7 9 / max-turbo-frequency(MHz) 3600 3500 3400 3300 3200 3100 3000 2900}
  turbo-ratio-limits-level-2
    {buckets core-count 1 2 3 4 5 6 7 9 / max-turbo-frequency(MHz) 3100 3000 2900 2800 2700 2600 2500 2400}
  speed-select-base-freq-properties
    high-priority-base-frequency(MHz):2900
    high-priority-cpu-mask:{mask}
    high-priority-cpu-list:{list}
    low-priority-base-frequency(MHz):2400
    tjunction-temperature(C):88
    thermal-design-power(W):160
  speed-select-turbo-freq-properties
    speed-select-turbo-freq-clip-frequencies
      low-priority-max-level-0-frequency(MHz):2500
      low-priority-max-level-1-frequency(MHz):2200
      low-priority-max-level-2-frequency(MHz):1800
