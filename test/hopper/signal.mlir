// RUN: ashlar-opt %s --split-input-file --pass-pipeline='builtin.module(tile.kernel(tile-assign-layouts,tile-plan-memory,tile-expand),tile-to-hopper,hopper.kernel(hopper-join-once,hopper-start-early))' | FileCheck %s

// One thread signals when every thread of the role has stored; one waits, and
// the others for it.

!C = !tile.tensor<i32, 1>
// CHECK-LABEL: hopper.kernel @counters
tile.kernel @counters {
  %N = tile.size "N"
  %counter = tile.tensor "Counter" inout [%N] align 4 : !C
  tile.role "threads" warps 4 {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    // CHECK: %[[ONE:.+]] = arith.constant 1 : index
    // CHECK: %[[TWO:.+]] = arith.constant 2 : index
    // CHECK-NOT: hopper.bulk.wait
    // CHECK: hopper.named_barrier [[BARRIER:.+]] threads 128
    // CHECK: hopper.once {
    // CHECK-NEXT: hopper.signal %[[TWO]] to %{{.+}}[%[[ONE]]]
    tile.signal %c2 to %counter[%c1] : !C
    // CHECK-NOT: hopper.named_barrier
    // CHECK: hopper.await %{{.+}}[%[[ONE]]] {{.*}} at_least %[[TWO]]
    // CHECK-NEXT: }
    // CHECK-NEXT: hopper.named_barrier [[BARRIER]] threads 128
    tile.await %counter[%c1] at_least %c2 : !C
  }
}

// -----

// What TMA has been handed is written before the signal.

!C = !tile.tensor<i32, 1>
!D = !tile.tensor<f32, 2>
!smem = !tile.shared<64x32xf32>
// CHECK-LABEL: hopper.kernel @behind_tma
tile.kernel @behind_tma {
  %N = tile.size "N"
  %counter = tile.tensor "Counter" inout [%N] align 4 : !C
  %D = tile.tensor "D" output [%N, %N] align 16 : !D
  %staging = tile.alloc : !smem
  tile.role "threads" warps 4 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %x = arith.constant dense<1.0> : tensor<64x32xf32>
    tile.write %x to %staging : tensor<64x32xf32>, !smem
    tile.copy_out %staging to %D[%c0, %c0] : !smem, !D
    // CHECK: hopper.bulk.commit
    // CHECK: hopper.bulk.wait 0{{$}}
    // CHECK: }
    // CHECK-NEXT: hopper.named_barrier
    // CHECK: hopper.signal
    tile.signal %c1 to %counter[%c0] : !C
  }
}
