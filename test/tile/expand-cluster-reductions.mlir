// RUN: ashlar-opt %s --split-input-file --pass-pipeline='builtin.module(tile.kernel(tile-expand-cluster-reductions))' | FileCheck %s

// Each of a pair sends the other half of its columns, when that has read what
// came before. The loop carries the parity of the rounds.

!part = tensor<64x64xf32, #tile.fragment<"64x64 (4,8,4,1):(128,1,16,64) / (2,2,8,1):(64,8,512,64)">>
!half = tensor<64x32xf32, #tile.fragment<"64x32 (4,8,4,1):(128,1,16,64) / (2,2,4,1):(64,8,512,64)">>
// CHECK: tile.kernel @pair cluster [2] attributes {plan = #tile.plan<128 threads 8208 bytes roles[<0>]>}
tile.kernel @pair cluster [2] attributes {plan = #tile.plan<128 threads 8208 bytes roles [<0>] cluster_reductions [<0 barriers 8192>]>} {
  %M = tile.size "M"
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: tile.mbarrier 8192 count 1
  // CHECK-NEXT: tile.mbarrier 8200 count 8
  // CHECK-NEXT: tile.role "math"
  tile.role "math" warps 4 {
    %f = arith.constant dense<1.0> : !part
    // CHECK: %[[BEHIND:.+]] = scf.for {{.*}} iter_args(%[[PARITY:.+]] = %c0
    scf.for %t = %c0 to %M step %c1 {
      // CHECK: %[[FULL:.+]] = hopper.shared_address 8192
      // CHECK: %[[OWN:.+]] = arith.remui %{{.+}}, %c2
      // CHECK: %[[BEFORE:.+]] = arith.xori %[[PARITY]], %c1
      // CHECK: hopper.mbarrier.wait cluster %{{.+}} parity %[[BEFORE]]
      // CHECK: hopper.mbarrier.expect_bytes %[[FULL]], 8192
      // CHECK: arith.cmpi eq, %[[OWN]], %c0
      // CHECK: hopper.exchange.send
      // CHECK: arith.cmpi eq, %[[OWN]], %c1
      // CHECK: hopper.exchange.send
      // CHECK: hopper.mbarrier.wait cluster %[[FULL]] parity %[[PARITY]]
      // CHECK-NEXT: hopper.exchange.receive
      // CHECK-NEXT: arith.addf
      // CHECK: %[[NEXT:.+]] = arith.xori %[[PARITY]], %c1
      // CHECK: hopper.once_per_warp lanes 2 {
      // CHECK: scf.yield %[[NEXT]]
      %sum = tile.cluster_reduce %f add along 0 : !part -> !half
    }
    // CHECK: %[[LAST:.+]] = arith.xori %[[BEHIND]], %c1
    // CHECK-NEXT: hopper.mbarrier.wait cluster %{{.+}} parity %[[LAST]]
  }
}

// -----

// What is all of a sum in each CTA is waited for when it is needed: two are sent
// before that.

!one = tensor<64xf32, #tile.fragment<"64 (4,8,4):(0,1,16) / 2:8">>
// CHECK-LABEL: tile.kernel @both
tile.kernel @both cluster [2] attributes {plan = #tile.plan<128 threads 8240 bytes roles [<0>] cluster_reductions [<0 barriers 8192>, <1024 barriers 8224>]>} {
  tile.role "math" warps 4 {
    %f = arith.constant dense<1.0> : !one
    // CHECK-COUNT-4: hopper.exchange.send
    // CHECK-NOT: hopper.exchange.send
    // CHECK-COUNT-4: hopper.exchange.receive
    // CHECK: arith.mulf
    %a = tile.cluster_reduce %f add along 0 : !one -> !one
    %b = tile.cluster_reduce %f max along 0 : !one -> !one
    %c = arith.mulf %a, %b : !one
  }
}

// -----

// What is stored meanwhile waits for nobody. Who is met at a barrier may wait for
// what this role does next.

!one = tensor<64xf32, #tile.fragment<"64 (4,8,4):(0,1,16) / 2:8">>
// CHECK-LABEL: tile.kernel @stored_meanwhile
tile.kernel @stored_meanwhile cluster [2] attributes {plan = #tile.plan<128 threads 8240 bytes roles [<0>] cluster_reductions [<0 barriers 8192>, <1024 barriers 8224>]>} {
  %M = tile.size "M"
  %D = tile.tensor "D" output [%M] align 16 : !tile.tensor<f32, 1>
  %met = tile.barrier "met" : !tile.barrier
  %c0 = arith.constant 0 : index
  tile.role "math" warps 4 {
    %f = arith.constant dense<1.0> : !one
    // CHECK-COUNT-2: hopper.exchange.send
    // CHECK: scf.if
    // CHECK: tile.store
    // CHECK-COUNT-2: hopper.exchange.receive
    %a = tile.cluster_reduce %f add along 0 : !one -> !one
    %inside = arith.cmpi slt, %c0, %M : index
    scf.if %inside {
      tile.store %f to %D[%c0] : !one, !tile.tensor<f32, 1>
    }
    %b = arith.addf %a, %f : !one
    // CHECK-COUNT-2: hopper.exchange.send
    // CHECK-COUNT-2: hopper.exchange.receive
    // CHECK: tile.sync
    %d = tile.cluster_reduce %b add along 0 : !one -> !one
    tile.sync %met : !tile.barrier
    tile.store %d to %D[%c0] : !one, !tile.tensor<f32, 1>
  }
}

// -----

// What all threads hold goes to each CTA by a thread of its own.

!one = tensor<1xf32, #tile.fragment<"1 128:0 / 1:0">>
// CHECK-LABEL: tile.kernel @each_by_its_own
tile.kernel @each_by_its_own cluster [8] attributes {plan = #tile.plan<128 threads 144 bytes roles [<0>] cluster_reductions [<0 barriers 128>]>} {
  tile.role "math" warps 4 {
    %f = arith.constant dense<1.0> : !one
    // CHECK: %[[LANE:.+]] = hopper.special_register "laneid"
    // CHECK: %[[TO:.+]] = arith.remui %[[LANE]], %c8
    // CHECK: %[[RANK:.+]] = arith.addi %{{.+}}, %
    // CHECK: hopper.exchange.send %{{.+}} to %{{.+}} of %{{.+}} on %{{.+}} threads 8
    // CHECK-NOT: hopper.exchange.send
    // CHECK: hopper.once_per_warp lanes 8 {
    %a = tile.cluster_reduce %f add along 0 : !one -> !one
    %b = arith.addf %a, %a : !one
  }
}
