speed-select-turbo-freq-properties
  speed-select-turbo-freq-clip-frequencies
    low-priority-max-level-0-frequency(MHz):2100
    low-priority-max-level-1-frequency(MHz):1800
    low-priority-max-level-2-frequency(MHz):1300
