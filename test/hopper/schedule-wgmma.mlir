// RUN: ashlar-opt %s --split-input-file --pass-pipeline='builtin.module(hopper.kernel(hopper-schedule-wgmma))' | FileCheck %s

// A loop that only accumulates keeps one group in flight, and releases the
// stage of the group before; the last one is released behind the loop.

!tile = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
!acc = tensor<64x64xf32, #tile.fragment<"64x64 (4,8,4,1):(128,1,16,64) / (2,2,8,1):(64,8,512,64)">>
// CHECK-LABEL: hopper.kernel @overlap
hopper.kernel @overlap threads 128 shared 8256 cluster 1 {
  %K = hopper.size "K"
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  hopper.role "math" from 0 warps 4 {
    %zero = arith.constant dense<0.0> : !acc
    // CHECK: %[[LOOP:.+]]:2 = scf.for %[[I:[^ ]+]] = %[[LOW:.+]] to %[[HIGH:.+]] step {{.*}} iter_args(%[[ACC:.+]] = %{{.+}}, %[[BEFORE:.+]] = %{{.+}})
    %r = scf.for %k = %c0 to %K step %c1 iter_args(%x = %zero) -> !acc {
      %v = hopper.view %k : !tile
      // CHECK: %[[ONE:.+]] = hopper.wgmma fence %{{.+}}, %{{.+}} transposed, %[[ACC]]
      // CHECK-NEXT: hopper.wgmma.commit
      // CHECK-NEXT: %[[WAITED:.+]] = hopper.wgmma.wait 1, %[[ONE]]
      // CHECK-NEXT: %[[LATER:.+]] = arith.cmpi ne, %[[I]], %[[LOW]]
      // CHECK-NEXT: scf.if %[[LATER]] {
      // CHECK-NEXT: hopper.once_per_warp {
      // CHECK-NEXT: hopper.mbarrier.arrive %[[BEFORE]]
      // CHECK: scf.yield %[[WAITED]], %[[I]]
      %y = hopper.wgmma %v, %v transposed, %x : !tile, !tile, !acc
      hopper.release %k of 4 {
        hopper.mbarrier.arrive %k
      }
      scf.yield %y : !acc
    }
    // CHECK: %[[DONE:.+]] = hopper.wgmma.wait 0, %[[LOOP]]#0
    // CHECK: %[[RAN:.+]] = arith.cmpi ult, %[[LOW]], %[[HIGH]]
    // CHECK-NEXT: scf.if %[[RAN]] {
    // CHECK-NEXT: hopper.once_per_warp {
    // CHECK-NEXT: hopper.mbarrier.arrive %[[LOOP]]#1
    // CHECK: arith.addf %[[DONE]], %[[DONE]]
    %sum = arith.addf %r, %r : !acc
    // CHECK-NOT: hopper.release
  }
}

// -----

// With one stage the next fill waits for this very release: no overlap.

!tile = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
!acc = tensor<64x64xf32, #tile.fragment<"64x64 (4,8,4,1):(128,1,16,64) / (2,2,8,1):(64,8,512,64)">>
// CHECK-LABEL: hopper.kernel @one_stage
hopper.kernel @one_stage threads 128 shared 8256 cluster 1 {
  %K = hopper.size "K"
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  hopper.role "math" from 0 warps 4 {
    %zero = arith.constant dense<0.0> : !acc
    // CHECK: scf.for %[[I:[^ ]+]] =
    %r = scf.for %k = %c0 to %K step %c1 iter_args(%x = %zero) -> !acc {
      %v = hopper.view %k : !tile
      // CHECK: %[[ONE:.+]] = hopper.wgmma fence
      // CHECK-NEXT: hopper.wgmma.commit
      // CHECK-NEXT: %[[DONE:.+]] = hopper.wgmma.wait 0, %[[ONE]]
      // CHECK-NEXT: hopper.once_per_warp {
      // CHECK-NEXT: hopper.mbarrier.arrive %[[I]]
      // CHECK: scf.yield %[[DONE]]
      %y = hopper.wgmma %v, %v transposed, %x : !tile, !tile, !acc
      hopper.release %k of 1 {
        hopper.mbarrier.arrive %k
      }
      scf.yield %y : !acc
    }
  }
}

// -----

// An accumulator that is used in its iteration is waited for before the use,
// the release stays behind the wait; two mma on one accumulator are one group.

!tile = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
!acc = tensor<64x64xf32, #tile.fragment<"64x64 (4,8,4,1):(128,1,16,64) / (2,2,8,1):(64,8,512,64)">>
// CHECK-LABEL: hopper.kernel @used_at_once
hopper.kernel @used_at_once threads 128 shared 8256 cluster 1 {
  %K = hopper.size "K"
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  hopper.role "math" from 0 warps 4 {
    %zero = arith.constant dense<0.0> : !acc
    %r = scf.for %k = %c0 to %K step %c1 iter_args(%x = %zero) -> !acc {
      %v = hopper.view %k : !tile
      // CHECK: %[[ONE:.+]] = hopper.wgmma fence
      // CHECK-NEXT: %[[TWO:.+]] = hopper.wgmma %{{.+}}, %{{.+}} transposed, %[[ONE]]
      // CHECK-NEXT: hopper.wgmma.commit
      // CHECK-NEXT: %[[DONE:.+]] = hopper.wgmma.wait 0, %[[TWO]]
      // CHECK-NEXT: hopper.once_per_warp
      // CHECK: %[[SUM:.+]] = arith.addf %{{.+}}, %[[DONE]]
      // CHECK: scf.yield %[[SUM]]
      %y = hopper.wgmma %v, %v transposed, %zero : !tile, !tile, !acc
      %z = hopper.wgmma %v, %v transposed, %y : !tile, !tile, !acc
      hopper.release %k of 4 {
        hopper.mbarrier.arrive %k
      }
      %sum = arith.addf %x, %z : !acc
      scf.yield %sum : !acc
    }
  }
}

// -----

// Two accumulators in flight are one group; each has its fence.

!tile = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
!acc = tensor<64x64xf32, #tile.fragment<"64x64 (4,8,4,1):(128,1,16,64) / (2,2,8,1):(64,8,512,64)">>
// CHECK-LABEL: hopper.kernel @two_accumulators
hopper.kernel @two_accumulators threads 128 shared 8256 cluster 1 {
  %K = hopper.size "K"
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  hopper.role "math" from 0 warps 4 {
    %zero = arith.constant dense<0.0> : !acc
    // CHECK: %[[LOOP:.+]]:3 = scf.for
    %r:2 = scf.for %k = %c0 to %K step %c1 iter_args(%p = %zero, %q = %zero) -> (!acc, !acc) {
      %v = hopper.view %k : !tile
      // CHECK: %[[ONE:.+]] = hopper.wgmma fence
      // CHECK-NEXT: %[[TWO:.+]] = hopper.wgmma fence
      // CHECK-NEXT: hopper.wgmma.commit
      // CHECK-NEXT: %[[WAIT:.+]]:2 = hopper.wgmma.wait 1, %[[ONE]], %[[TWO]]
      // CHECK: scf.yield %[[WAIT]]#0, %[[WAIT]]#1, %{{.+}}
      %y = hopper.wgmma %v, %v transposed, %p : !tile, !tile, !acc
      %z = hopper.wgmma %v, %v transposed, %q : !tile, !tile, !acc
      hopper.release %k of 4 {
        hopper.mbarrier.arrive %k
      }
      scf.yield %y, %z : !acc, !acc
    }
    // CHECK: hopper.wgmma.wait 0, %[[LOOP]]#0, %[[LOOP]]#1
  }
}

// -----

// A release with no wgmma before it becomes its arrivals.

// CHECK-LABEL: hopper.kernel @no_wgmma
hopper.kernel @no_wgmma threads 128 shared 8256 cluster 1 {
  %c0 = arith.constant 0 : index
  hopper.role "copy" from 0 warps 4 {
    // CHECK-NOT: wgmma
    // CHECK: hopper.once_per_warp {
    // CHECK-NEXT: hopper.mbarrier.arrive
    // CHECK-NOT: hopper.release
    hopper.release %c0 of 4 {
      hopper.mbarrier.arrive %c0
    }
  }
}

// -----

// What is in flight at the end of a role is waited for.

!tile = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
!acc = tensor<64x64xf32, #tile.fragment<"64x64 (4,8,4,1):(128,1,16,64) / (2,2,8,1):(64,8,512,64)">>
// CHECK-LABEL: hopper.kernel @left_over
hopper.kernel @left_over threads 128 shared 8256 cluster 1 {
  %c0 = arith.constant 0 : index
  hopper.role "math" from 0 warps 4 {
    %zero = arith.constant dense<0.0> : !acc
    %v = hopper.view %c0 : !tile
    // CHECK: hopper.wgmma fence
    // CHECK-NEXT: hopper.wgmma.commit
    // CHECK-NEXT: hopper.wgmma.wait 0
    %y = hopper.wgmma %v, %v transposed, %zero : !tile, !tile, !acc
  }
}
