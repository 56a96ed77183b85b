speed-select-base-freq-properties
  high-priority-base-frequency(MHz):2500
  high-priority-cpu-mask:{mask}
  high-priority-cpu-list:{list}
  low-priority-base-frequency(MHz):2000
  tjunction-temperature(C):93
  thermal-design-power(W):180
