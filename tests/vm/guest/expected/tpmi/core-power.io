core-power
  support-status:supported
  enable-status:disabled
  clos-enable-status:disabled
  priority-type:proportional
