// RUN: ashlar-opt %s --split-input-file --pass-pipeline='builtin.module(hopper.kernel(hopper-schedule-wgmma))' | FileCheck %s

// A loop keeps one group in flight, and releases the stage of the group before,
// of which the first iteration has none; the last one behind the loop. What the
// wait for the sum covers needs no other.

!tile = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
!acc = tensor<64x64xf32, #tile.fragment<"64x64 (4,8,4,1):(128,1,16,64) / (2,2,8,1):(64,8,512,64)">>
// CHECK-LABEL: hopper.kernel @overlap
hopper.kernel @overlap threads 128 shared 65536 cluster 1 {
  %K = hopper.size "K"
  %at = hopper.shared_address 0
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  hopper.role "math" from 0 warps 4 {
    %x = hopper.accumulator : <!acc>
    // CHECK: %[[LAST:.+]] = scf.for %[[I:[^ ]+]] = %c0 to %[[K:[^ ]+]] step %c1 iter_args(%[[BEFORE:.+]] = %{{.+}})
    scf.for %k = %c0 to %K step %c1 {
      // CHECK: %[[HAS:.+]] = arith.cmpi ne, %[[I]], %c0
      // CHECK: hopper.mbarrier.wait
      %full = hopper.shared_address 64
      hopper.mbarrier.wait %full parity %c0 holds [1] of [64]
      %v = hopper.view %at of %k : !tile
      // CHECK: hopper.wgmma
      // CHECK-NEXT: hopper.wgmma.commit
      // CHECK-NEXT: hopper.wgmma.wait 1{{$}}
      // CHECK-NEXT: hopper.release %[[BEFORE]] when %[[HAS]] of 64 newer 1 {
      // CHECK-NEXT: hopper.mbarrier.arrive %[[BEFORE]]
      // CHECK-NEXT: }
      // CHECK-NEXT: scf.yield %[[I]]
      hopper.wgmma %v, %v transposed into %x : !tile, !tile, <!acc>
      hopper.release %k of 64 newer 0 {
        hopper.mbarrier.arrive %k
      }
    }
    // CHECK: %[[RAN:.+]] = arith.cmpi slt, %c0, %[[K]]
    // CHECK-NEXT: hopper.once_per_warp
    // CHECK: hopper.wgmma.wait 0{{$}}
    // CHECK-NEXT: hopper.release %[[LAST]] when %[[RAN]]
    // CHECK: hopper.accumulator.read
    hopper.once_per_warp {
      hopper.mbarrier.arrive %c0
    }
    %r = hopper.accumulator.read %x : <!acc> -> !acc
  }
}

// -----

// Where the role may hold no stage of the ring while it waits, it releases the
// last one before, in the same iteration.

!tile = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
!acc = tensor<64x64xf32, #tile.fragment<"64x64 (4,8,4,1):(128,1,16,64) / (2,2,8,1):(64,8,512,64)">>
// CHECK-LABEL: hopper.kernel @nothing_to_spare
hopper.kernel @nothing_to_spare threads 128 shared 65536 cluster 1 {
  %K = hopper.size "K"
  %at = hopper.shared_address 0
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  hopper.role "math" from 0 warps 4 {
    %x = hopper.accumulator : <!acc>
    // CHECK: scf.for %[[I:[^ ]+]] =
    scf.for %k = %c0 to %K step %c1 {
      // CHECK: hopper.mbarrier.wait
      %full = hopper.shared_address 64
      hopper.mbarrier.wait %full parity %c0
      %v = hopper.view %at of %k : !tile
      // CHECK: hopper.wgmma.commit
      // CHECK-NEXT: arith.addi
      // CHECK-NEXT: hopper.wgmma.wait 0
      // CHECK-NEXT: hopper.release %[[I]] of 64 newer 0
      hopper.wgmma %v, %v transposed into %x : !tile, !tile, <!acc>
      hopper.release %k of 64 newer 0 {
        hopper.mbarrier.arrive %k
      }
      %l = arith.addi %k, %c1 : index
    }
  }
}

// -----

// Of two stages the first is released when its group is complete, with the
// second in flight, and only the second is kept.

!tile = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
!acc = tensor<64x64xf32, #tile.fragment<"64x64 (4,8,4,1):(128,1,16,64) / (2,2,8,1):(64,8,512,64)">>
// CHECK-LABEL: hopper.kernel @two_stages
hopper.kernel @two_stages threads 128 shared 65536 cluster 1 {
  %K = hopper.size "K"
  %at = hopper.shared_address 0
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  hopper.role "math" from 0 warps 4 {
    %x = hopper.accumulator : <!acc>
    // CHECK: scf.for {{.*}} iter_args(%[[BEFORE:.+]] = %{{.+}})
    scf.for %k = %c0 to %K step %c1 {
      %full = hopper.shared_address 64
      hopper.mbarrier.wait %full parity %c0 holds [2] of [64]
      hopper.mbarrier.wait %full parity %c1 holds [2] of [64]
      %l = arith.addi %k, %c1 : index
      %v = hopper.view %at of %k : !tile
      %w = hopper.view %at of %l : !tile
      // CHECK: hopper.wgmma.commit
      // CHECK-NEXT: hopper.wgmma.wait 1
      // CHECK-NEXT: hopper.release %[[BEFORE]]
      // CHECK: hopper.wgmma.commit
      // CHECK-NEXT: hopper.wgmma.wait 1
      // CHECK-NEXT: hopper.release %{{.+}} of
      // CHECK-NOT: hopper.release
      // CHECK: scf.yield
      hopper.wgmma %v, %v transposed into %x : !tile, !tile, <!acc>
      hopper.wgmma %w, %w transposed into %x : !tile, !tile, <!acc>
      hopper.release %k of 64 newer 1 {
        hopper.mbarrier.arrive %k
      }
      hopper.release %l of 64 newer 0 {
        hopper.mbarrier.arrive %l
      }
    }
  }
}

// -----

// Two products that do not depend on each other stay in flight together: the
// first is waited for where it is read, the second where it is.

!tile = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
!acc = tensor<64x64xf32, #tile.fragment<"64x64 (4,8,4,1):(128,1,16,64) / (2,2,8,1):(64,8,512,64)">>
// CHECK-LABEL: hopper.kernel @two_products
hopper.kernel @two_products threads 128 shared 65536 cluster 1 {
  %K = hopper.size "K"
  %at = hopper.shared_address 0
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  hopper.role "math" from 0 warps 4 {
    %x = hopper.accumulator : <!acc>
    %y = hopper.accumulator : <!acc>
    %v = hopper.view %at : !tile
    // CHECK: hopper.wgmma %{{.+}} into zeroed %[[X:[^ ]+]] :
    // CHECK-NEXT: hopper.wgmma.commit
    // CHECK-NEXT: hopper.wgmma %{{.+}} into zeroed %[[Y:[^ ]+]] :
    // CHECK-NEXT: hopper.wgmma.commit
    // CHECK-NEXT: hopper.wgmma.wait 1{{$}}
    // CHECK-NEXT: %[[ONE:.+]] = hopper.accumulator.read %[[X]]
    // CHECK-NEXT: arith.mulf %[[ONE]], %[[ONE]]
    // CHECK-NEXT: hopper.wgmma.wait 0{{$}}
    // CHECK-NEXT: hopper.accumulator.read %[[Y]]
    hopper.wgmma %v, %v transposed into zeroed %x : !tile, !tile, <!acc>
    hopper.wgmma %v, %v transposed into zeroed %y : !tile, !tile, <!acc>
    %s = hopper.accumulator.read %x : <!acc> -> !acc
    %p = arith.mulf %s, %s : !acc
    %o = hopper.accumulator.read %y : <!acc> -> !acc
  }
}

// -----

// A sum that goes on into the next iteration and is read there behind a younger
// group: the wait behind the loop is written twice, as ptxas wants it.

!tile = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
!acc = tensor<64x64xf32, #tile.fragment<"64x64 (4,8,4,1):(128,1,16,64) / (2,2,8,1):(64,8,512,64)">>
// CHECK-LABEL: hopper.kernel @read_over_iterations
hopper.kernel @read_over_iterations threads 128 shared 65536 cluster 1 {
  %K = hopper.size "K"
  %at = hopper.shared_address 0
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  hopper.role "math" from 0 warps 4 {
    %x = hopper.accumulator : <!acc>
    %y = hopper.accumulator : <!acc>
    %v = hopper.view %at : !tile
    // CHECK: scf.for
    scf.for %k = %c0 to %K step %c1 {
      // CHECK: hopper.wgmma.commit
      // CHECK-NEXT: hopper.wgmma.wait 1{{$}}
      // CHECK-NEXT: hopper.accumulator.read
      // CHECK: hopper.wgmma.commit
      // CHECK-NEXT: }
      hopper.wgmma %v, %v transposed into zeroed %y : !tile, !tile, <!acc>
      %o = hopper.accumulator.read %x : <!acc> -> !acc
      hopper.wgmma %v, %v transposed into %x : !tile, !tile, <!acc>
    }
    // CHECK-NEXT: hopper.wgmma.wait 0 twice
    %r = hopper.accumulator.read %x : <!acc> -> !acc
  }
}

// -----

// What a branch writes waits for all groups in its arm alone; a sum that is
// written elsewhere than wgmma goes on is waited for there.

!tile = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
!acc = tensor<64x64xf32, #tile.fragment<"64x64 (4,8,4,1):(128,1,16,64) / (2,2,8,1):(64,8,512,64)">>
// CHECK-LABEL: hopper.kernel @reset
hopper.kernel @reset threads 128 shared 65536 cluster 1 {
  %K = hopper.size "K"
  %at = hopper.shared_address 0
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  hopper.role "math" from 0 warps 4 {
    %zero = arith.constant dense<0.0> : !acc
    %x = hopper.accumulator : <!acc>
    %v = hopper.view %at : !tile
    // CHECK: scf.for
    scf.for %k = %c0 to %K step %c1 {
      // CHECK: hopper.wgmma.commit
      // CHECK-NEXT: arith.cmpi
      // CHECK-NEXT: scf.if
      // CHECK-NEXT: hopper.wgmma.wait 0
      // CHECK-NEXT: hopper.accumulator.write
      // CHECK-NEXT: }
      // CHECK-NEXT: }
      hopper.wgmma %v, %v transposed into %x : !tile, !tile, <!acc>
      %two = arith.cmpi eq, %k, %c1 : index
      scf.if %two {
        hopper.accumulator.write %zero to %x : !acc, <!acc>
      }
    }
    // CHECK-NEXT: hopper.wgmma.wait 0{{$}}
  }
}

// -----

// A tile that wgmma reads is written, and others are told over a barrier that
// they may write it, behind a wait; a barrier says nothing of a ring's stages.

!tile = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
!acc = tensor<64x64xf32, #tile.fragment<"64x64 (4,8,4,1):(128,1,16,64) / (2,2,8,1):(64,8,512,64)">>
!half = tensor<64x64xbf16, #tile.fragment<"64x64 (8,16):(512,1) / (8,1,4):(64,4096,16)">>
// CHECK-LABEL: hopper.kernel @shared
hopper.kernel @shared threads 128 shared 65536 cluster 1 {
  %K = hopper.size "K"
  %at = hopper.shared_address 0
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  hopper.role "math" from 0 warps 4 {
    %f = arith.constant dense<1.0> : !half
    %x = hopper.accumulator : <!acc>
    %v = hopper.view %at : !tile
    // CHECK: hopper.wgmma.commit
    // CHECK-NEXT: hopper.wgmma.wait 0
    // CHECK-NEXT: hopper.shared_store
    hopper.wgmma %v, %v transposed into %x : !tile, !tile, <!acc>
    hopper.shared_store %f to %v : !half, !tile
    // CHECK: hopper.wgmma.commit
    // CHECK-NEXT: hopper.wgmma.wait 0
    // CHECK-NEXT: hopper.named_barrier
    hopper.wgmma %v, %v transposed into %x : !tile, !tile, <!acc>
    hopper.named_barrier arrive 1 threads 256
    %w = hopper.view %at of %c1 : !tile
    // CHECK: hopper.wgmma.commit
    // CHECK-NEXT: hopper.named_barrier
    // CHECK-NEXT: hopper.wgmma.wait 0
    hopper.wgmma %w, %w transposed into %x : !tile, !tile, <!acc>
    hopper.named_barrier arrive 1 threads 256
  }
}

// -----

// But of a stage that the role writes to: behind the barrier another of its
// threads may, and it waits there.

!tile = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
!acc = tensor<64x64xf32, #tile.fragment<"64x64 (4,8,4,1):(128,1,16,64) / (2,2,8,1):(64,8,512,64)">>
!half = tensor<64x64xbf16, #tile.fragment<"64x64 (8,16):(512,1) / (8,1,4):(64,4096,16)">>
// CHECK-LABEL: hopper.kernel @rewritten
hopper.kernel @rewritten threads 128 shared 65536 cluster 1 {
  %at = hopper.shared_address 0
  %c1 = arith.constant 1 : index
  hopper.role "math" from 0 warps 4 {
    %f = arith.constant dense<1.0> : !half
    %x = hopper.accumulator : <!acc>
    %v = hopper.view %at of %c1 : !tile
    // CHECK: hopper.wgmma.commit
    // CHECK-NEXT: hopper.wgmma.wait 0
    // CHECK-NEXT: hopper.named_barrier
    // CHECK-NEXT: hopper.shared_store
    hopper.wgmma %v, %v transposed into %x : !tile, !tile, <!acc>
    hopper.named_barrier 1 threads 128
    hopper.shared_store %f to %v : !half, !tile
  }
}

// -----

// A release with no wgmma before it stays as it is.

!tile = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
!acc = tensor<64x64xf32, #tile.fragment<"64x64 (4,8,4,1):(128,1,16,64) / (2,2,8,1):(64,8,512,64)">>
// CHECK-LABEL: hopper.kernel @no_wgmma
hopper.kernel @no_wgmma threads 128 shared 65536 cluster 1 {
  %K = hopper.size "K"
  %at = hopper.shared_address 0
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  hopper.role "math" from 0 warps 4 {
    // CHECK-NOT: wgmma
    // CHECK: hopper.release
    hopper.release %c0 of 64 newer 0 {
      hopper.mbarrier.arrive %c0
    }
  }
}

// -----

// The first product is before the loop: its stage is the one that the first
// iteration releases, and nobody waits for it before.

!tile = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
!acc = tensor<64x64xf32, #tile.fragment<"64x64 (4,8,4,1):(128,1,16,64) / (2,2,8,1):(64,8,512,64)">>
// CHECK-LABEL: hopper.kernel @peeled
hopper.kernel @peeled threads 128 shared 65536 cluster 1 {
  %K = hopper.size "K"
  %at = hopper.shared_address 0
  %full = hopper.shared_address 64
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  hopper.role "math" from 0 warps 4 {
    %x = hopper.accumulator : <!acc>
    // CHECK: hopper.wgmma
    // CHECK-NEXT: hopper.wgmma.commit
    // CHECK-NOT: hopper.wgmma.wait
    // CHECK-NOT: hopper.release
    // CHECK: %[[LAST:.+]] = scf.for %[[I:[^ ]+]] = %c1 to %{{.+}} iter_args(%[[BEFORE:.+]] = %c0)
    hopper.mbarrier.wait %full parity %c0 holds [1] of [64]
    %first = hopper.view %at of %c0 : !tile
    hopper.wgmma %first, %first transposed into %x : !tile, !tile, <!acc>
    hopper.release %c0 of 64 newer 0 {
      hopper.mbarrier.arrive %c0
    }
    scf.for %k = %c1 to %K step %c1 {
      hopper.mbarrier.wait %full parity %c0 holds [1] of [64]
      %v = hopper.view %at of %k : !tile
      // CHECK: hopper.wgmma.commit
      // CHECK-NEXT: hopper.wgmma.wait 1{{$}}
      // CHECK-NEXT: hopper.release %[[BEFORE]] of 64 newer 1 {
      // CHECK: scf.yield %[[I]]
      hopper.wgmma %v, %v transposed into %x : !tile, !tile, <!acc>
      hopper.release %k of 64 newer 0 {
        hopper.mbarrier.arrive %k
      }
    }
    // CHECK: hopper.wgmma.wait 0{{$}}
    // CHECK-NEXT: hopper.release %[[LAST]] of 64 newer 0 {
    %r = hopper.accumulator.read %x : <!acc> -> !acc
  }
}

// -----

!tile = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
!acc = tensor<64x64xf32, #tile.fragment<"64x64 (4,8,4,1):(128,1,16,64) / (2,2,8,1):(64,8,512,64)">>

// A release right before a branch that multiplies goes into both of its arms:
// behind the next group in the one, where it was in the other.

// CHECK-LABEL: hopper.kernel @into_arms
hopper.kernel @into_arms threads 128 shared 65536 cluster 1 {
  %K = hopper.size "K"
  %at = hopper.shared_address 0
  %full = hopper.shared_address 64
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  hopper.role "math" from 0 warps 4 {
    %x = hopper.accumulator : <!acc>
    %y = hopper.accumulator : <!acc>
    // CHECK: hopper.wgmma
    // CHECK-NEXT: hopper.wgmma.commit
    // CHECK-NOT: hopper.release
    // CHECK: scf.if
    hopper.mbarrier.wait %full parity %c0 holds [1] of [64]
    %first = hopper.view %at of %c0 : !tile
    hopper.wgmma %first, %first transposed into %x : !tile, !tile, <!acc>
    hopper.release %c0 of 64 newer 0 {
      hopper.mbarrier.arrive %c0
    }
    %more = arith.cmpi sgt, %K, %c1 : index
    scf.if %more {
      hopper.mbarrier.wait %full parity %c0 holds [1] of [64]
      %v = hopper.view %at of %c1 : !tile
      // CHECK: hopper.wgmma.commit
      // CHECK-NEXT: hopper.wgmma.wait 1{{$}}
      // CHECK-NEXT: hopper.release %c0 of 64 newer 1 {
      // CHECK: hopper.wgmma.wait 0{{$}}
      // CHECK-NEXT: hopper.release %c1 of 64 newer 0 {
      hopper.wgmma %v, %v transposed into %y : !tile, !tile, <!acc>
      hopper.release %c1 of 64 newer 0 {
        hopper.mbarrier.arrive %c1
      }
    }
    // CHECK: } else {
    // CHECK-NEXT: hopper.wgmma.wait 0{{$}}
    // CHECK-NEXT: hopper.release %c0 of 64 newer 0 {
    %r = hopper.accumulator.read %x : <!acc> -> !acc
    %s = hopper.accumulator.read %y : <!acc> -> !acc
  }
}

// -----

// What a loop begins with is written when nothing is in flight.

!tile = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
!acc = tensor<64x64xf32, #tile.fragment<"64x64 (4,8,4,1):(128,1,16,64) / (2,2,8,1):(64,8,512,64)">>

// CHECK-LABEL: hopper.kernel @before_loop
hopper.kernel @before_loop threads 128 shared 65536 cluster 1 {
  %K = hopper.size "K"
  %at = hopper.shared_address 0
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant dense<1.0> : !acc
  hopper.role "math" from 0 warps 4 {
    %x = hopper.accumulator : <!acc>
    %y = hopper.accumulator : <!acc>
    %v = hopper.view %at : !tile
    // CHECK: hopper.wgmma.commit
    // CHECK-NEXT: hopper.accumulator.write %cst to %[[Y:[^ ]+]]
    // CHECK-NEXT: hopper.wgmma %{{.+}} into %[[Y]]
    hopper.wgmma %v, %v transposed into %x : !tile, !tile, <!acc>
    hopper.accumulator.write %one to %y : !acc, <!acc>
    hopper.wgmma %v, %v transposed into %y : !tile, !tile, <!acc>
    // CHECK: hopper.wgmma.wait 0{{$}}
    // CHECK-NEXT: %[[S:.+]] = hopper.accumulator.read %[[Y]]
    %s = hopper.accumulator.read %y : <!acc> -> !acc
    // CHECK-NEXT: hopper.wgmma
    // CHECK-NEXT: hopper.wgmma.commit
    // CHECK-NEXT: hopper.wgmma.wait 0{{$}}
    // CHECK-NEXT: hopper.accumulator.write %cst to %[[Y]]
    // CHECK-NEXT: scf.for
    hopper.wgmma %v, %v transposed into %x : !tile, !tile, <!acc>
    hopper.accumulator.write %one to %y : !acc, <!acc>
    scf.for %k = %c0 to %K step %c1 {
      hopper.wgmma %v, %v transposed into %y : !tile, !tile, <!acc>
    }
    %r = hopper.accumulator.read %x : <!acc> -> !acc
    %t = hopper.accumulator.read %y : <!acc> -> !acc
  }
}
