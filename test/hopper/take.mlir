// RUN: ashlar-opt %s --split-input-file --pass-pipeline='builtin.module(tile.kernel(tile-assign-layouts,tile-plan-memory,tile-expand),tile-to-hopper)' | FileCheck %s

// Warps meet before they leave zeros; one warp has nobody to meet.

!Box = !tile.tensor<f32, 2>
!Sums = !tile.tensor<f32, 1>
// CHECK-LABEL: hopper.kernel @taken
tile.kernel @taken {
  %N = tile.size "N"
  %c32 = arith.constant 32 : index
  %box = tile.tensor "Box" inout [%N, %c32] align 16 : !Box
  %sums = tile.tensor "Sums" inout [%N] align 4 : !Sums
  tile.role "four" warps 4 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %x = arith.constant dense<1.0> : tensor<16x32xf32>
    // CHECK: hopper.store relaxed %{{.+}} to
    tile.store relaxed %x to %box[%c1, %c0] : tensor<16x32xf32>, !Box
    // CHECK: hopper.take %1, %3[%c0, %c0, %c1] within[%0, %c32, %0]
    // CHECK-SAME: ranks [2, 1] align [16, 4] barrier 1
    %a, %b = tile.take %box, %sums[%c0, %c0, %c1] : !Box, !Sums -> tensor<16x32xf32>, tensor<16xf32>
    tile.store %a to %box[%c0, %c0] : tensor<16x32xf32>, !Box
    tile.store %b to %sums[%c0] : tensor<16xf32>, !Sums
  }
  tile.role "one" warps 1 {
    %c0 = arith.constant 0 : index
    // CHECK: hopper.take
    // CHECK-NOT: barrier
    %a = tile.take %sums[%c0] : !Sums -> tensor<32xf32>
    tile.store %a to %sums[%c0] : tensor<32xf32>, !Sums
  }
}
