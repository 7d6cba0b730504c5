// RUN: ashlar-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-drop-unused))' | FileCheck %s

!smem = !tile.shared<64x64xbf16>
!ring = !tile.pipeline<2, [!smem]>
// CHECK-LABEL: tile.kernel @unused
tile.kernel @unused {
  %M = tile.size "M"
  %A = tile.tensor "A" input [%M] align 16 : !tile.tensor<f32, 1>
  %D = tile.tensor "D" output [%M] align 16 : !tile.tensor<f32, 1>
  %C = tile.tensor "C" inout [%M] align 4 : !tile.tensor<i32, 1>
  %ring = tile.pipeline : !ring
  tile.role "math" warps 4 {
    // CHECK: tile.role "math"
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // CHECK: %[[USED:.+]] = tile.load
    // CHECK-NOT: tile.load
    // CHECK-NOT: arith.mulf
    %used = tile.load %A[%c0] : !tile.tensor<f32, 1> -> tensor<128xf32>
    %vector = tile.load %A[%c0] : !tile.tensor<f32, 1> -> tensor<16xf32>
    %square = arith.mulf %vector, %vector : tensor<16xf32>
    %before = tile.load %A[%c0] : !tile.tensor<f32, 1> -> tensor<128xf32>
    // CHECK: scf.for
    scf.for %i = %c0 to %M step %c1 {
      // The protocol stays, what was read of the stage goes.
      // CHECK-NEXT: %[[STAGE:.+]] = tile.wait
      // CHECK-NOT: tile.read
      // CHECK: tile.release %{{.+}}, %[[STAGE]]
      // CHECK-NEXT: }
      %s = tile.wait %ring : !ring
      %a = tile.buffer %s[0] : !smem
      %f = tile.read %a : !smem -> tensor<64x64xbf16>
      tile.release %ring, %s : !ring
      %sum = arith.addf %before, %used : tensor<128xf32>
    }
    // An atomic operation stays, what is made of its result goes: threads do
    // not agree on what nobody reads.
    // CHECK: tile.atomic exchange
    %n = arith.constant 0 : i32
    %old = tile.atomic exchange %n into %C[%c0] : i32, !tile.tensor<i32, 1> -> i32
    %least = arith.minsi %old, %n : i32
    %index = arith.index_cast %least : i32 to index
    // What is read by number is checked, and stays.
    // CHECK-NEXT: tile.value
    %read = tile.value %C[%c0] : !tile.tensor<i32, 1> -> i32
    // CHECK-NEXT: tile.store %[[USED]]
    tile.store %used to %D[%c0] : tensor<128xf32>, !tile.tensor<f32, 1>
  }
}
