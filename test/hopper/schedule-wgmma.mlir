// RUN: ashlar-opt %s --split-input-file --pass-pipeline='builtin.module(hopper.kernel(hopper-schedule-wgmma))' | FileCheck %s

// A loop that only accumulates keeps one group in flight, and releases the
// stage of the group before. Its first iteration comes before it, with nothing
// to wait for or to release; the last stage is released behind it. A loop that
// does not run gives what it begins with.

!tile = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
!acc = tensor<64x64xf32, #tile.fragment<"64x64 (4,8,4,1):(128,1,16,64) / (2,2,8,1):(64,8,512,64)">>
// CHECK-LABEL: hopper.kernel @overlap
hopper.kernel @overlap threads 128 shared 8256 cluster 1 {
  // CHECK: %[[K:.+]] = hopper.size "K"
  %K = hopper.size "K"
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  hopper.role "math" from 0 warps 4 {
    // CHECK: %[[ZERO:.+]] = arith.constant dense
    %zero = arith.constant dense<0.0> : !acc
    // CHECK-NEXT: %[[RUNS:.+]] = arith.cmpi ult, %c0, %[[K]] :
    // CHECK-NEXT: %[[RESULT:.+]] = scf.if %[[RUNS]] ->
    // CHECK-NEXT: %[[V:.+]] = hopper.view %c0 :
    // CHECK-NEXT: %[[FIRST:.+]] = hopper.wgmma fence %[[V]], %[[V]] transposed, %[[ZERO]] :
    // CHECK-NEXT: hopper.wgmma.commit
    // CHECK-NEXT: %[[SECOND:.+]] = arith.addi %c0, %c1 :
    // CHECK-NEXT: %[[LOOP:.+]]:2 = scf.for %[[I:[^ ]+]] = %[[SECOND]] to %[[K]] step %c1 iter_args(%[[ACC:.+]] = %[[FIRST]], %[[BEFORE:.+]] = %c0) ->
    %r = scf.for %k = %c0 to %K step %c1 iter_args(%x = %zero) -> !acc {
      %v = hopper.view %k : !tile
      // CHECK-NEXT: %[[V:.+]] = hopper.view %[[I]] :
      // CHECK-NEXT: %[[ONE:.+]] = hopper.wgmma fence %[[V]], %[[V]] transposed, %[[ACC]] :
      // CHECK-NEXT: hopper.wgmma.commit
      // CHECK-NEXT: %[[WAITED:.+]] = hopper.wgmma.wait 1, %[[ONE]] :
      // CHECK-NEXT: hopper.once_per_warp {
      // CHECK-NEXT: hopper.mbarrier.arrive %[[BEFORE]]{{$}}
      // CHECK-NEXT: }
      // CHECK-NEXT: scf.yield %[[WAITED]], %[[I]] :
      %y = hopper.wgmma %v, %v transposed, %x : !tile, !tile, !acc
      hopper.release %k of 4 {
        hopper.mbarrier.arrive %k
      }
      scf.yield %y : !acc
    }
    // CHECK-NEXT: }
    // CHECK-NEXT: %[[DONE:.+]] = hopper.wgmma.wait 0, %[[LOOP]]#0 :
    // CHECK-NEXT: hopper.once_per_warp {
    // CHECK-NEXT: hopper.mbarrier.arrive %[[LOOP]]#1{{$}}
    // CHECK-NEXT: }
    // CHECK-NEXT: scf.yield %[[DONE]] :
    // CHECK-NEXT: } else {
    // CHECK-NEXT: scf.yield %[[ZERO]] :
    // CHECK-NEXT: }
    // CHECK-NEXT: arith.addf %[[RESULT]], %[[RESULT]] :
    %sum = arith.addf %r, %r : !acc
    // CHECK-NOT: hopper.release
  }
}

// -----

// A stage that the loop carries: the first iteration moves it on as well, and
// only the accumulator is waited for.

!tile = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
!acc = tensor<64x64xf32, #tile.fragment<"64x64 (4,8,4,1):(128,1,16,64) / (2,2,8,1):(64,8,512,64)">>
// CHECK-LABEL: hopper.kernel @carried_stage
hopper.kernel @carried_stage threads 128 shared 8256 cluster 1 {
  %K = hopper.size "K"
  // CHECK: %[[START:.+]] = hopper.size "S"
  %S = hopper.size "S"
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: hopper.role "math"
  hopper.role "math" from 0 warps 4 {
    // CHECK: %[[ZERO:.+]] = arith.constant dense
    %zero = arith.constant dense<0.0> : !acc
    // CHECK: %[[RESULT:.+]]:2 = scf.if
    // CHECK-NEXT: hopper.view %[[START]] :
    // CHECK-NEXT: %[[FIRST:.+]] = hopper.wgmma fence
    // CHECK-NEXT: hopper.wgmma.commit
    // CHECK-NEXT: %[[MOVED:.+]] = arith.xori %[[START]], %c1 :
    // CHECK: %[[LOOP:.+]]:3 = scf.for {{.*}} iter_args(%[[STAGE:.+]] = %[[MOVED]], %[[ACC:.+]] = %[[FIRST]], %[[BEFORE:.+]] = %[[START]]) ->
    %r:2 = scf.for %k = %c0 to %K step %c1 iter_args(%s = %S, %x = %zero) -> (index, !acc) {
      %v = hopper.view %s : !tile
      // CHECK-NEXT: hopper.view %[[STAGE]] :
      // CHECK: %[[WAITED:.+]] = hopper.wgmma.wait 1
      // CHECK-NEXT: hopper.once_per_warp {
      // CHECK-NEXT: hopper.mbarrier.arrive %[[BEFORE]]{{$}}
      // CHECK-NEXT: }
      // CHECK-NEXT: %[[AFTER:.+]] = arith.xori %[[STAGE]], %c1 :
      // CHECK-NEXT: scf.yield %[[AFTER]], %[[WAITED]], %[[STAGE]] :
      %y = hopper.wgmma %v, %v transposed, %x : !tile, !tile, !acc
      hopper.release %s of 2 {
        hopper.mbarrier.arrive %s
      }
      %t = arith.xori %s, %c1 : index
      scf.yield %t, %y : index, !acc
    }
    // CHECK: %[[DONE:.+]] = hopper.wgmma.wait 0, %[[LOOP]]#1 :
    // CHECK-NEXT: hopper.once_per_warp {
    // CHECK-NEXT: hopper.mbarrier.arrive %[[LOOP]]#2{{$}}
    // CHECK-NEXT: }
    // CHECK-NEXT: scf.yield %[[LOOP]]#0, %[[DONE]] :
    // CHECK-NEXT: } else {
    // CHECK-NEXT: scf.yield %[[START]], %[[ZERO]] :
    // CHECK: hopper.view %[[RESULT]]#0 :
    %last = hopper.view %r#0 : !tile
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
    // CHECK-NOT: scf.if
    // CHECK: scf.for %[[I:[^ ]+]] = %c0 to
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
    // CHECK: %[[ZERO:.+]] = arith.constant dense
    %zero = arith.constant dense<0.0> : !acc
    // CHECK: scf.if
    // CHECK: %[[ONE:.+]] = hopper.wgmma fence
    // CHECK-NEXT: %[[TWO:.+]] = hopper.wgmma fence
    // CHECK-NEXT: hopper.wgmma.commit
    // CHECK-NOT: hopper.wgmma
    // CHECK: %[[LOOP:.+]]:3 = scf.for {{.*}} iter_args(%[[P:.+]] = %[[ONE]], %[[Q:.+]] = %[[TWO]], %{{.+}} = %{{.+}}) ->
    %r:2 = scf.for %k = %c0 to %K step %c1 iter_args(%p = %zero, %q = %zero) -> (!acc, !acc) {
      %v = hopper.view %k : !tile
      // CHECK: %[[ONE:.+]] = hopper.wgmma fence %{{.+}} transposed, %[[P]] :
      // CHECK-NEXT: %[[TWO:.+]] = hopper.wgmma fence %{{.+}} transposed, %[[Q]] :
      // CHECK-NEXT: hopper.wgmma.commit
      // CHECK-NEXT: %[[WAIT:.+]]:2 = hopper.wgmma.wait 1, %[[ONE]], %[[TWO]] :
      // CHECK: scf.yield %[[WAIT]]#0, %[[WAIT]]#1, %{{.+}}
      %y = hopper.wgmma %v, %v transposed, %p : !tile, !tile, !acc
      %z = hopper.wgmma %v, %v transposed, %q : !tile, !tile, !acc
      hopper.release %k of 4 {
        hopper.mbarrier.arrive %k
      }
      scf.yield %y, %z : !acc, !acc
    }
    // CHECK: %[[DONE:.+]]:2 = hopper.wgmma.wait 0, %[[LOOP]]#0, %[[LOOP]]#1 :
    // CHECK: scf.yield %[[DONE]]#0, %[[DONE]]#1 :
    // CHECK-NEXT: } else {
    // CHECK-NEXT: scf.yield %[[ZERO]], %[[ZERO]] :
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
