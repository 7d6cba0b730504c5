// RUN: ashlar-opt %s --split-input-file --pass-pipeline='builtin.module(tile.kernel(tile-assign-layouts,tile-plan-memory,tile-expand),tile-to-hopper,hopper.kernel(hopper-join-once,hopper-start-early))' | FileCheck %s

// The CTAs of a pair send each other half of the columns: when the other has
// read what came before, into its memory, completing on its full barrier. Each
// adds what it gets to its own half and tells both that it has read it.

!smem = !tile.shared<64x64xbf16>
!T = !tile.tensor<f32, 2>
// CHECK-LABEL: hopper.kernel @pair threads 128 shared 16400 cluster 4 {
tile.kernel @pair cluster [2, 2] {
  // CHECK: hopper.once {
  // CHECK-NEXT: %[[AT:.+]] = hopper.shared_address 16384
  // CHECK-NEXT: hopper.mbarrier.init %[[AT]] count 1
  // CHECK-NEXT: %[[AT:.+]] = hopper.shared_address 16392
  // CHECK-NEXT: hopper.mbarrier.init %[[AT]] count 8
  // CHECK-NEXT: hopper.mbarrier.fence_init
  // CHECK-NEXT: }
  // CHECK-NEXT: hopper.cluster.arrive
  // CHECK-NEXT: hopper.role "math"
  // CHECK: hopper.sync cluster arrived
  %M = tile.size "M"
  %D = tile.tensor "D" output [%M, %M] align 16 : !T
  %tiles = tile.schedule persistent [%M, %M] by [1, 64] in <n, m> : !tile.schedule<2>
  %a = tile.alloc : !smem
  %c0 = arith.constant 0 : index
  tile.role "math" warps 4 {
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %first, %end, %step = tile.schedule_range %tiles : !tile.schedule<2>
    // CHECK: scf.for {{.*}} iter_args(%[[PARITY:.+]] = %{{.+}}) -> (index)
    scf.for %t = %first to %end step %step {
      %m, %n = tile.schedule_coordinates %tiles, %t : !tile.schedule<2> -> index, index
      %acc = tile.mma %a, %a transposed, %zero : !smem, !smem, tensor<64x64xf32>
      // CHECK: %[[SLOT:.+]] = hopper.shared_address 8192
      // CHECK: %[[FULL:.+]] = hopper.shared_address 16384
      // CHECK: %[[EMPTY:.+]] = arith.addi %[[FULL]], %c8
      // CHECK: %[[RANK:.+]] = hopper.special_register "cluster_ctarank"
      // CHECK: %[[OWN:.+]] = arith.remui %[[RANK]], %c2
      // CHECK: %[[WAITED:.+]] = arith.addi %{{.+}}, %c8
      // CHECK: %[[BEFORE:.+]] = arith.xori %[[PARITY]], %c1
      // CHECK-NEXT: hopper.mbarrier.wait cluster %[[WAITED]] parity %[[BEFORE]]
      // CHECK-NEXT: hopper.once {
      // CHECK-NEXT: hopper.mbarrier.expect_bytes %[[FULL]], 8192
      // CHECK-NEXT: hopper.mbarrier.arrive %[[FULL]]{{$}}
      // CHECK-NEXT: }

      // The first half stays in the first CTA; the second sends it there.
      // CHECK: %[[FIRST:.+]] = arith.cmpi eq, %[[OWN]], %c0
      // CHECK-NEXT: %[[MINE:.+]] = scf.if %[[FIRST]]
      // CHECK-NEXT: hopper.slice %{{.+}} from [0, 0]
      // CHECK: } else {
      // CHECK: %[[PART:.+]] = hopper.slice %{{.+}} from [0, 0]
      // CHECK: %[[BASE:.+]] = arith.subi %{{.+}}, %[[OWN]]
      // CHECK-NEXT: hopper.exchange.send %[[PART]] to %{{.+}} of %[[BASE]] on %[[FULL]]
      // CHECK: %[[SECOND:.+]] = arith.cmpi eq, %[[OWN]], %c1
      // CHECK-NEXT: %[[MINE2:.+]] = scf.if %[[SECOND]]
      // CHECK-NEXT: hopper.slice %{{.+}} from [0, 32]
      // CHECK: } else {
      // CHECK: %[[PART:.+]] = hopper.slice %{{.+}} from [0, 32]
      // CHECK: hopper.exchange.send %[[PART]] to %{{.+}} of %{{.+}} on %[[FULL]]
      // CHECK-NEXT: scf.yield %[[MINE]]

      // CHECK: hopper.mbarrier.wait cluster %[[FULL]] parity %[[PARITY]]
      // CHECK-NEXT: %[[OTHER:.+]] = hopper.exchange.receive %[[SLOT]]
      // CHECK-NEXT: arith.addf %[[MINE2]], %[[OTHER]]
      // CHECK: %[[AFTER:.+]] = arith.xori %[[PARITY]], %c1
      // CHECK: hopper.once_per_warp lanes 2 {
      // CHECK: hopper.mbarrier.arrive %[[EMPTY]] of %
      // CHECK-NEXT: }
      // CHECK: scf.yield %[[AFTER]]
      %sum = tile.cluster_reduce %acc add along 0 : tensor<64x64xf32> -> tensor<64x32xf32>
      tile.store %sum to %D[%m, %n] : tensor<64x32xf32>, !T
    }
  }
  // No CTA leaves before its peers have read what it sent.
  // CHECK: hopper.mbarrier.wait cluster
  // CHECK-NOT: hopper.sync
}

// -----

// Four along the second dimension, whose ranks lie 2 apart: each receives from
// three, in slots of 2048 bytes.

!a = !tile.shared<64x64xi8>
!b = !tile.shared<32x64xi8>
// CHECK-LABEL: hopper.kernel @four
tile.kernel @four cluster [2, 4] {
  // CHECK: hopper.mbarrier.init %{{.+}} count 1
  // CHECK: hopper.mbarrier.init %{{.+}} count 16
  %M = tile.size "M"
  %tiles = tile.schedule persistent [%M, %M] by [1, 64] in <n, m> : !tile.schedule<2>
  %a = tile.alloc : !a
  %b = tile.alloc : !b
  tile.role "math" warps 4 {
    %zero = arith.constant dense<0> : tensor<64x32xi32>
    // CHECK: %[[SLOTS:.+]] = hopper.shared_address 6144
    // CHECK: hopper.mbarrier.expect_bytes %{{.+}}, 6144
    // CHECK: %[[RANK:.+]] = hopper.special_register "cluster_ctarank"
    // CHECK: %[[OWN:.+]] = arith.muli %{{.+}}, %c2
    // CHECK: %[[BASE:.+]] = arith.subi %[[RANK]], %[[OWN]]
    // CHECK: hopper.exchange.send %{{.+}} to %{{.+}} of %[[BASE]] on
    // CHECK: hopper.slice %{{.+}} from [0, 24]
    // CHECK: hopper.exchange.send
    // CHECK-NOT: hopper.exchange.send
    // CHECK: %[[A:.+]] = hopper.exchange.receive %[[SLOTS]]
    // CHECK-NEXT: %[[SUM:.+]] = arith.addi %{{.+}}, %[[A]]
    // CHECK: %[[AT:.+]] = arith.addi %[[SLOTS]], %c2048
    // CHECK-NEXT: %[[B:.+]] = hopper.exchange.receive %[[AT]]
    // CHECK-NEXT: %[[SUM2:.+]] = arith.addi %[[SUM]], %[[B]]
    // CHECK: %[[C:.+]] = hopper.exchange.receive
    // CHECK-NEXT: arith.addi %[[SUM2]], %[[C]]
    // CHECK: hopper.once_per_warp lanes 4 {
    // CHECK: hopper.mbarrier.arrive %{{.+}} of %
    // CHECK-NEXT: }
    %acc = tile.mma %a, %b transposed, %zero : !a, !b, tensor<64x32xi32>
    %sum = tile.cluster_reduce %acc add along 1 : tensor<64x32xi32> -> tensor<64x8xi32>
  }
}

// -----

// Each instance has its own memory and its own two barriers.

!smem = !tile.shared<64x64xbf16>
// CHECK-LABEL: hopper.kernel @instances
tile.kernel @instances cluster [2] {
  // CHECK: hopper.once {
  // CHECK: hopper.shared_address 32768
  // CHECK: hopper.shared_address 32776
  // CHECK: hopper.shared_address 32784
  // CHECK: hopper.shared_address 32792
  // CHECK: hopper.mbarrier.fence_init
  %a = tile.alloc : !smem
  tile.role "math" warps 4 instances 2 {
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %acc = tile.mma %a, %a transposed, %zero : !smem, !smem, tensor<64x64xf32>
    // CHECK: hopper.mma
    // CHECK: %[[BYTES:.+]] = arith.muli %{{.+}}, %c8192
    // CHECK: %[[SLOTS:.+]] = hopper.shared_address 16384
    // CHECK: arith.addi %[[SLOTS]], %[[BYTES]]
    // CHECK: %[[BYTES:.+]] = arith.muli %{{.+}}, %c16
    // CHECK: %[[BARRIERS:.+]] = hopper.shared_address 32768
    // CHECK: arith.addi %[[BARRIERS]], %[[BYTES]]
    // CHECK: hopper.exchange.send
    %sum = tile.cluster_reduce %acc add along 0 : tensor<64x64xf32> -> tensor<64x32xf32>
  }
}
