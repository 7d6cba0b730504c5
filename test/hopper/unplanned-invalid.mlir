// RUN: ashlar-opt %s --tile-to-hopper --verify-diagnostics

// expected-error@+1 {{kernel 'unplanned' has no memory plan; run tile-plan-memory first}}
tile.kernel @unplanned {
  tile.role "a" warps 1 {
  }
}
