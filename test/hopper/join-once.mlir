// RUN: ashlar-opt %s --pass-pipeline='builtin.module(hopper.kernel(hopper-join-once))' | FileCheck %s

// CHECK-LABEL: hopper.kernel @join
hopper.kernel @join threads 128 shared 64 cluster 1 {
  hopper.role "load" from 0 warps 1 {
    // CHECK: hopper.shared_address 0
    // CHECK: hopper.shared_address 8
    // CHECK-NEXT: hopper.once {
    // CHECK-NEXT: hopper.mbarrier.expect_bytes %{{.+}}, 16
    // CHECK-NEXT: hopper.mbarrier.expect_bytes %{{.+}}, 32
    // CHECK-NEXT: hopper.mbarrier.arrive
    // CHECK-NEXT: }
    %a = hopper.shared_address 0
    hopper.once {
      hopper.mbarrier.expect_bytes %a, 16
    }
    %b = hopper.shared_address 8
    hopper.once {
      hopper.mbarrier.expect_bytes %b, 32
    }
    hopper.once {
      hopper.mbarrier.arrive %b
    }
    // Not over what all threads do.
    // CHECK-NEXT: hopper.warp_sync
    // CHECK-NEXT: hopper.once {
    hopper.warp_sync
    hopper.once {
      hopper.mbarrier.arrive %a
    }
  }
}

// A branch and a loop in which one thread loads are that thread's.
// CHECK-LABEL: hopper.kernel @edge
// CHECK: hopper.role "load"
// CHECK: hopper.mbarrier.wait
// CHECK-NOT: scf
// CHECK: hopper.once {
// CHECK-NEXT: scf.if
// CHECK-NEXT: hopper.mbarrier.expect_bytes
// CHECK-NEXT: hopper.tma_load
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.for
// CHECK-NEXT: hopper.mbarrier.expect_bytes
// CHECK-NEXT: hopper.tma_load
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: hopper.mbarrier.arrive
// CHECK-NEXT: }
// Not where all threads wait in it.
// CHECK-NEXT: scf.if
// CHECK-NEXT: hopper.mbarrier.wait
// CHECK-NEXT: hopper.once {
