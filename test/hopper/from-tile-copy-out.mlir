// RUN: ashlar-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-assign-layouts,tile-plan-memory,tile-expand),tile-to-hopper,hopper.kernel(hopper-join-once,hopper-start-early))' | FileCheck %s

// A role that copies a tile out tells the next writer of it when TMA has read
// it, not before.

!smem = !tile.shared<64x64xbf16>
!T = !tile.tensor<bf16, 2>
// CHECK-LABEL: hopper.kernel @announced
tile.kernel @announced {
  %M = tile.size "M"
  %D = tile.tensor "D" output [%M, %M] align 16 : !T
  %a = tile.alloc : !smem
  %c0 = arith.constant 0 : index
  %full = tile.barrier "full" : !tile.barrier
  %empty = tile.barrier "empty" : !tile.barrier
  // CHECK: hopper.role "store"
  tile.role "store" warps 1 {
    // CHECK: hopper.tma.store
    // CHECK: hopper.bulk.commit
    // CHECK: hopper.bulk.wait 0 read
    // CHECK: hopper.named_barrier arrive 2
    tile.sync %full : !tile.barrier
    tile.copy_out %a to %D[%c0, %c0] : !smem, !T
    tile.arrive %empty : !tile.barrier
  }
  tile.role "write" warps 4 {
    %f = arith.constant dense<1.0> : tensor<64x64xbf16>
    tile.write %f to %a : tensor<64x64xbf16>, !smem
    tile.arrive %full : !tile.barrier
    tile.sync %empty : !tile.barrier
    tile.write %f to %a : tensor<64x64xbf16>, !smem
  }
}
