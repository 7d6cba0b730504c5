// RUN: ashlar-opt %s --split-input-file --tile-assign-layouts | FileCheck %s

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

// -----

// A part of a vector that is broadcast to an accumulator, broadcast to a part
// of it.

!smem = !tile.shared<64x64xbf16>
// CHECK: tile.slice {{.*}} -> [[V:tensor<32xf32, #tile.fragment<"32 \(4,8,4,1\):\(2,0,0,0\) / \(2,4\):\(1,8\)">>]]
// CHECK: tile.broadcast {{.*}} : [[V]] -> tensor<64x32xf32, #tile.fragment<"64x32 (4,8,4,1):(128,1,16,64) / (2,2,4,1):(64,8,512,64)">>
tile.kernel @part_of_a_vector {
  %a = tile.alloc : !smem
  tile.role "math" warps 4 {
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %acc = tile.mma %a, %a transposed, %zero : !smem, !smem, tensor<64x64xf32>
    %v = arith.constant dense<1.0> : tensor<64xf32>
    %w = tile.broadcast %v along [1] : tensor<64xf32> -> tensor<64x64xf32>
    %sum = arith.addf %acc, %w : tensor<64x64xf32>
    %part = tile.slice %sum from [0, 32] : tensor<64x64xf32> -> tensor<64x32xf32>
    %half = tile.slice %v from [32] : tensor<64xf32> -> tensor<32xf32>
    %x = tile.broadcast %half along [1] : tensor<32xf32> -> tensor<64x32xf32>
    %twice = arith.addf %part, %x : tensor<64x32xf32>
  }
}
