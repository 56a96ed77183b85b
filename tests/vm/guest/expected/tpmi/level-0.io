perf-profile-level-0
  thermal-design-power-ratio:22
  base-frequency(MHz):2200
  base-frequency-avx2(MHz):1900
  base-frequency-avx512(MHz):1600
  uncore-frequency-min(MHz):800
  uncore-frequency-max(MHz):2400
  base-frequency-amx(MHz):1400
  uncore-frequency-base(MHz):1500
  max-mem-frequency(MHz):5200
  cooling_type:0
  speed-select-turbo-freq:disabled
  speed-select-base-freq:disabled
  speed-select-core-power:disabled
  thermal-design-power(W):185
  tjunction-max(C):95
  turbo-ratio-limits-level-0
    {buckets core-count 1 2 3 4 5 6 7 9 / max-turbo-frequency(MHz) 3800 3700 3600 3500 3400 3300 3200 3100}
  turbo-ratio-limits-level-1
    {buckets core-count 1 2 3 4 5 6 7 9 / max-turbo-frequency(MHz) 3500 3400 3300 3200 3100 3000 2900 2800}
  turbo-ratio-limits-level-2
    {buckets core-count 1 2 3 4 5 6 7 9 / max-turbo-frequency(MHz) 3000 2900 2800 2700 2600 2500 2400 2300}
  speed-select-base-freq-properties
    high-priority-base-frequency(MHz):2500
    high-priority-cpu-mask:{mask}
    high-priority-cpu-list:{list}
    low-priority-base-frequency(MHz):2000
    tjunction-temperature(C):93
    thermal-design-power(W):180
  speed-select-turbo-freq-properties
    speed-select-turbo-freq-clip-frequencies
      low-priority-max-level-0-frequency(MHz):2100
      low-priority-max-level-1-frequency(MHz):1800
      low-priority-max-level-2-frequency(MHz):1300
