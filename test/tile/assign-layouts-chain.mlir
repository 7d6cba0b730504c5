// RUN: ashlar-opt %s --tile-assign-layouts | FileCheck %s

// A broadcast of a broadcast: each narrower fragment is a slice of the wider.

// CHECK: tile.load {{.*}} -> [[V:tensor<32xf32, .*>]]
// CHECK: tile.broadcast {{.*}} : [[V]] -> tensor<16x32xf32,
tile.kernel @chain {
  %M = tile.size "M"
  %v = tile.tensor "v" input [%M] align 16 : !tile.tensor<f32, 1>
  tile.role "math" warps 4 {
    %c0 = arith.constant 0 : index
    %f = tile.load %v[%c0] : !tile.tensor<f32, 1> -> tensor<32xf32>
    %g = tile.broadcast %f along [1] : tensor<32xf32> -> tensor<16x32xf32>
    %h = tile.broadcast %g along [1, 2] : tensor<16x32xf32> -> tensor<8x16x32xf32>
  }
}
