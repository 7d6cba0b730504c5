// RUN: ashlar-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-verify-protocol,tile-assign-layouts,tile-plan-memory,tile-expand),tile-to-hopper)' | FileCheck %s

// What is computed between roles comes before all of them: any may use it.

// CHECK-LABEL: hopper.kernel @between
tile.kernel @between {
  %N = tile.size "N"
  %D = tile.tensor "D" output [%N] align 16 : !tile.tensor<f32, 1>
  // CHECK: arith.ceildivsi
  // CHECK: hopper.role "load"
  tile.role "load" warps 1 {
  }
  %c128 = arith.constant 128 : index
  %count = arith.ceildivsi %N, %c128 : index
  // CHECK: hopper.role "math"
  tile.role "math" warps 4 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %i = %c0 to %count step %c1 {
      %x = arith.constant dense<0.0> : tensor<128xf32>
      tile.store %x to %D[%i] : tensor<128xf32>, !tile.tensor<f32, 1>
    }
  }
}
