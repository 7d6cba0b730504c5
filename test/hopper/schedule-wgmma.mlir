// RUN: ashlar-opt %s --split-input-file --pass-pipeline='builtin.module(hopper.kernel(hopper-schedule-wgmma))' | FileCheck %s

// A loop that only accumulates keeps one group in flight, and releases the
// stage of the group before, of which the first iteration has none. That
// iteration overwrites sums that begin as zeros. The last stage is released
// behind the loop. A loop that does not run gives what it begins with.

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
    // CHECK-NEXT: %[[RUNS:.+]] = arith.cmpi slt, %c0, %[[K]] :
    // CHECK-NEXT: %[[RESULT:.+]] = scf.if %[[RUNS]] ->
    // CHECK: %[[UNDEFINED:.+]] = hopper.undefined :
    // CHECK: %[[LOOP:.+]]:2 = scf.for %[[I:[^ ]+]] = %c0 to %[[K]] step %c1 iter_args(%[[ACC:.+]] = %[[UNDEFINED]], %[[BEFORE:.+]] = %c0{{.*}}) ->
    %r = scf.for %k = %c0 to %K step %c1 iter_args(%x = %zero) -> !acc {
      %v = hopper.view %k : !tile
      // CHECK-NEXT: %[[IS_FIRST:.+]] = arith.cmpi eq, %[[I]], %c0 :
      // CHECK-NEXT: %[[V:.+]] = hopper.view %[[I]] :
      // CHECK-NEXT: %[[ONE:.+]] = hopper.wgmma fence %[[V]], %[[V]] transposed, %[[ACC]] overwrite %[[IS_FIRST]] :
      // CHECK-NEXT: hopper.wgmma.commit
      // CHECK-NEXT: %[[WAITED:.+]] = hopper.wgmma.wait 1, %[[ONE]] :
      // CHECK-NEXT: %[[HAS_BEFORE:.+]] = arith.cmpi ne, %[[I]], %c0 :
      // CHECK-NEXT: scf.if %[[HAS_BEFORE]] {
      // CHECK-NEXT: hopper.once_per_warp {
      // CHECK-NEXT: hopper.mbarrier.arrive %[[BEFORE]]{{$}}
      // CHECK-NEXT: }
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

// A stage that the loop carries beside the one of the iteration before; only the
// accumulator is waited for.

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
    // CHECK: %[[LOOP:.+]]:3 = scf.for {{.*}} iter_args(%[[STAGE:.+]] = %[[START]], %[[ACC:.+]] = %{{.+}}, %[[BEFORE:.+]] = %c0{{.*}}) ->
    %r:2 = scf.for %k = %c0 to %K step %c1 iter_args(%s = %S, %x = %zero) -> (index, !acc) {
      %v = hopper.view %s : !tile
      // CHECK: hopper.view %[[STAGE]] :
      // CHECK: %[[WAITED:.+]] = hopper.wgmma.wait 1
      // CHECK: scf.if
      // CHECK-NEXT: hopper.once_per_warp {
      // CHECK-NEXT: hopper.mbarrier.arrive %[[BEFORE]]{{$}}
      // CHECK: %[[AFTER:.+]] = arith.xori %[[STAGE]], %c1 :
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
    // CHECK: %[[LOOP:.+]]:3 = scf.for {{.*}} iter_args(%[[P:.+]] = %{{.+}}, %[[Q:.+]] = %{{.+}}, %{{.+}} = %{{.+}}) ->
    // CHECK: %[[IS_FIRST:.+]] = arith.cmpi eq
    %r:2 = scf.for %k = %c0 to %K step %c1 iter_args(%p = %zero, %q = %zero) -> (!acc, !acc) {
      %v = hopper.view %k : !tile
      // CHECK: %[[ONE:.+]] = hopper.wgmma fence %{{.+}} transposed, %[[P]] overwrite %[[IS_FIRST]] :
      // CHECK-NEXT: %[[TWO:.+]] = hopper.wgmma fence %{{.+}} transposed, %[[Q]] overwrite %[[IS_FIRST]] :
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

// More than 128 sums in a thread that are taken as a whole are not overwritten in
// the loop, as they would be alive from one loop to the next. The first iteration
// comes before the loop.

!a = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
!b = !tile.shared<264x64xbf16, "S<3,4,3> o (264,64):(128,2)">
!acc = tensor<64x264xf32, #tile.fragment<"64x264 (4,8,4,1):(128,1,16,64) / (2,2,33,1):(64,8,512,64)">>
// CHECK-LABEL: hopper.kernel @many_sums
hopper.kernel @many_sums threads 128 shared 8256 cluster 1 {
  %K = hopper.size "K"
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  hopper.role "math" from 0 warps 4 {
    // CHECK: %[[ZERO:.+]] = arith.constant dense
    %zero = arith.constant dense<0.0> : !acc
    // CHECK: scf.if
    // CHECK-NOT: hopper.undefined
    // CHECK: %[[FIRST:.+]] = hopper.wgmma fence %{{.+}}, %{{.+}} transposed, %[[ZERO]] :
    // CHECK-NEXT: hopper.wgmma.commit
    // CHECK-NEXT: %[[SECOND:.+]] = arith.addi %c0, %c1 :
    // CHECK: scf.for %[[I:[^ ]+]] = %[[SECOND]] to %{{.+}} iter_args(%[[ACC:.+]] = %[[FIRST]], %[[BEFORE:.+]] = %c0) ->
    %r = scf.for %k = %c0 to %K step %c1 iter_args(%x = %zero) -> !acc {
      %a = hopper.view %k : !a
      %b = hopper.view %k : !b
      // CHECK: hopper.wgmma fence %{{.+}}, %{{.+}} transposed, %[[ACC]] :
      // CHECK-NEXT: hopper.wgmma.commit
      // CHECK-NEXT: hopper.wgmma.wait 1
      // CHECK-NEXT: hopper.once_per_warp {
      // CHECK-NEXT: hopper.mbarrier.arrive %[[BEFORE]]{{$}}
      %y = hopper.wgmma %a, %b transposed, %x : !a, !b, !acc
      hopper.release %k of 4 {
        hopper.mbarrier.arrive %k
      }
      scf.yield %y : !acc
    }
    %twice = arith.addf %r, %r : !acc
  }
}

// -----

// Those that are taken slice by slice are overwritten there, however many.

!a = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
!b = !tile.shared<264x64xbf16, "S<3,4,3> o (264,64):(128,2)">
!acc = tensor<64x264xf32, #tile.fragment<"64x264 (4,8,4,1):(128,1,16,64) / (2,2,33,1):(64,8,512,64)">>
!part = tensor<64x8xf32, #tile.fragment<"64x8 (4,8,4,1):(128,1,16,64) / (2,2,1,1):(64,8,512,64)">>
// CHECK-LABEL: hopper.kernel @slices_of_many_sums
hopper.kernel @slices_of_many_sums threads 128 shared 8256 cluster 1 {
  %K = hopper.size "K"
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  hopper.role "math" from 0 warps 4 {
    %zero = arith.constant dense<0.0> : !acc
    // CHECK: scf.if
    // CHECK: %[[ANY:.+]] = hopper.undefined
    // CHECK: scf.for %[[I:[^ ]+]] = %c0 to %{{.+}} iter_args(%[[ACC:.+]] = %[[ANY]]
    %r = scf.for %k = %c0 to %K step %c1 iter_args(%x = %zero) -> !acc {
      %a = hopper.view %k : !a
      %b = hopper.view %k : !b
      // CHECK: %[[FIRST:.+]] = arith.cmpi eq, %[[I]], %c0
      // CHECK: hopper.wgmma fence %{{.+}}, %{{.+}} transposed, %[[ACC]] overwrite %[[FIRST]] :
      %y = hopper.wgmma %a, %b transposed, %x : !a, !b, !acc
      scf.yield %y : !acc
    }
    %part = hopper.slice %r from [0, 8] : !acc -> !part
  }
}

// -----

// What is told ahead of the sums, as that it is another's turn, is told before
// the last group is waited for, and where the loop does not run as well. Sums
// that begin as something else are added to from the first iteration on.

!tile = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
!acc = tensor<64x64xf32, #tile.fragment<"64x64 (4,8,4,1):(128,1,16,64) / (2,2,8,1):(64,8,512,64)">>
// CHECK-LABEL: hopper.kernel @turn
hopper.kernel @turn threads 128 shared 8256 cluster 1 {
  %K = hopper.size "K"
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  hopper.role "math" from 0 warps 4 {
    // CHECK: %[[ONES:.+]] = arith.constant dense
    %ones = arith.constant dense<1.0> : !acc
    // CHECK: %[[BARRIER:.+]] = arith.addi
    // CHECK: scf.if
    // CHECK: %[[LOOP:.+]] = scf.for {{.*}} iter_args(%[[ACC:.+]] = %[[ONES]])
    %r = scf.for %k = %c0 to %K step %c1 iter_args(%x = %ones) -> !acc {
      %v = hopper.view %k : !tile
      // CHECK: hopper.wgmma fence %{{.+}} transposed, %[[ACC]] :
      // CHECK: hopper.wgmma.wait 1
      %y = hopper.wgmma %v, %v transposed, %x : !tile, !tile, !acc
      scf.yield %y : !acc
    }
    // CHECK: hopper.once_per_warp ahead {
    // CHECK-NEXT: hopper.mbarrier.arrive %[[BARRIER]]
    // CHECK-NEXT: }
    // CHECK-NEXT: hopper.wgmma.wait 0, %[[LOOP]] :
    // CHECK: } else {
    // CHECK-NEXT: hopper.once_per_warp ahead {
    // CHECK-NEXT: hopper.mbarrier.arrive %[[BARRIER]]
    // CHECK-NEXT: }
    // CHECK-NEXT: scf.yield %[[ONES]]
    // CHECK-NOT: hopper.once_per_warp ahead
    %barrier = arith.addi %K, %c1 : index
    hopper.once_per_warp ahead {
      hopper.mbarrier.arrive %barrier
    }
    %sum = arith.addf %r, %r : !acc
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
