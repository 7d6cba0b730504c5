// RUN: ashlar-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-widen-indices))' --verify-diagnostics

tile.kernel @signalled_amount {
  %P = tile.size "P"
  %Q = tile.size "Q"
  %counter = tile.tensor "Counter" inout [%P] align 4 : !tile.tensor<i32, 1>
  tile.role "all" warps 4 {
    %c0 = arith.constant 0 : index
    %amount = arith.addi %P, %Q : index
    // expected-error@+1 {{signals an amount that 32 bits may not hold, as a counter does: bound it with min()}}
    tile.signal %amount to %counter[%c0] : !tile.tensor<i32, 1>
  }
}
