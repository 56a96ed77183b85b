speed-select-base-freq-properties
  high-priority-base-frequency(MHz):2900
  high-priority-cpu-mask:{mask}
  high-priority-cpu-list:{list}
  low-priority-base-frequency(MHz):2400
  tjunction-temperature(C):88
  thermal-design-power(W):160
