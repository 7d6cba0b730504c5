// RUN: ashlar-opt %s --split-input-file --pass-pipeline='builtin.module(tile.kernel(tile-share-tiles))' | FileCheck %s

// Each of two instances takes every other tile. It passes by the stages of the
// tile between two of its own, and the second by those of the first tile.

!ring = !tile.pipeline<3, [!tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">]>
// CHECK-LABEL: tile.kernel @two
tile.kernel @two attributes {plan = #tile.plan<256 threads 24656 bytes rings [<0 every 8192 tiles [0] barriers 24576>] roles [<0 order_barriers 24640>]>} {
  // CHECK: %[[K:.+]] = tile.size "K"
  %K = tile.size "K"
  // CHECK: %[[TILES:.+]] = tile.schedule
  %tiles = tile.schedule persistent [%K] by [64] : !tile.schedule<1>
  // CHECK: %[[RING:.+]] = tile.pipeline
  %ring = tile.pipeline : !ring
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: tile.mbarrier 24640 count 4
  // CHECK-NEXT: tile.mbarrier 24648 count 4
  tile.role "math" warps 4 instances 2 {
    // CHECK: %[[ALLFIRST:.+]], %[[END:.+]], %[[ALLSTEP:.+]] = tile.schedule_range
    // CHECK: %[[INSTANCE:.+]] = hopper.special_register "instance"
    // CHECK: %[[BEFORE:.+]] = arith.muli %[[INSTANCE]], %[[ALLSTEP]]
    // CHECK: %[[FIRST:.+]] = arith.addi %[[ALLFIRST]], %[[BEFORE]]
    // CHECK: %[[STEP:.+]] = arith.muli %[[ALLSTEP]], %c2
    %first, %end, %step = tile.schedule_range %tiles : !tile.schedule<1>
    // CHECK: %[[OTHER:.+]] = arith.subi %[[FIRST]], %[[ALLSTEP]]
    // CHECK: %[[AT:.+]] = tile.schedule_coordinates %[[TILES]], %[[OTHER]]
    // CHECK: arith.muli %[[AT]], %[[K]]
    // CHECK: %[[BEHIND:.+]] = arith.cmpi ugt, %{{.+}}, %c0
    // CHECK: %[[COUNT:.+]] = arith.select %[[BEHIND]]
    // CHECK: tile.skip %[[RING]], %[[COUNT]]
    // CHECK: scf.for %[[TILE:[^ ]+]] = %[[FIRST]] to %[[END]] step %[[STEP]] iter_args(%[[PARITY:[^ ]+]] = %c0
    scf.for %t = %first to %end step %step {
      %m = tile.schedule_coordinates %tiles, %t : !tile.schedule<1> -> index
      %length = arith.muli %m, %K : index
      // Its stages come when the instance before has taken its own; nobody is
      // before the first one's first.
      // CHECK: %[[FREE:.+]] = arith.select
      // CHECK: %[[PHASE:.+]] = arith.xori %[[PARITY]], %[[FREE]]
      // CHECK: hopper.mbarrier.wait %{{.+}} parity %[[PHASE]]
      // CHECK: tile.wait
      scf.for %k = %c0 to %length step %c1 {
        %s = tile.wait %ring : !ring
        tile.release %ring, %s : !ring
      }
      // CHECK: hopper.once_per_warp {
      // CHECK-NEXT: hopper.mbarrier.arrive
      // CHECK: %[[NEXT:.+]] = arith.addi %[[TILE]], %[[ALLSTEP]]
      // CHECK: tile.schedule_coordinates %[[TILES]], %[[NEXT]]
      // CHECK: tile.skip %[[RING]],
      // CHECK: %[[THEN:.+]] = arith.xori %[[PARITY]], %c1
      // CHECK: scf.yield %[[THEN]]
    }
  }
}

// -----

// Nothing is shared by a role of one instance, nor in a loop over no tiles.

// CHECK-LABEL: tile.kernel @one
tile.kernel @one attributes {plan = #tile.plan<128 threads 0 bytes roles [<0>]>} {
  %M = tile.size "M"
  %tiles = tile.schedule persistent [%M] by [64] : !tile.schedule<1>
  // CHECK: tile.role "math" warps 4 {
  // CHECK-NEXT: %[[FIRST:.+]], %[[END:.+]], %[[STEP:.+]] = tile.schedule_range
  // CHECK-NEXT: scf.for %{{.+}} = %[[FIRST]] to %[[END]] step %[[STEP]] {
  tile.role "math" warps 4 {
    %first, %end, %step = tile.schedule_range %tiles : !tile.schedule<1>
    scf.for %t = %first to %end step %step {
      %m = tile.schedule_coordinates %tiles, %t : !tile.schedule<1> -> index
    }
  }
}

// -----

// A second loop begins with the instance behind the one that had the last tile
// of the first, which passes by the stages of tiles that there are, and in the
// phase that the first has left.

!ring = !tile.pipeline<3, [!tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">]>
// CHECK-LABEL: tile.kernel @loops
tile.kernel @loops attributes {plan = #tile.plan<256 threads 24656 bytes rings [<0 every 8192 tiles [0] barriers 24576>] roles [<0 order_barriers 24640>]>} {
  %K = tile.size "K"
  %tiles = tile.schedule persistent [%K] by [64] : !tile.schedule<1>
  %ring = tile.pipeline : !ring
  tile.role "math" warps 4 instances 2 {
    // CHECK: %[[ALLFIRST:.+]], %[[END:.+]], %[[ALLSTEP:.+]] = tile.schedule_range
    // CHECK: %[[INSTANCE:.+]] = hopper.special_register "instance"
    %first, %end, %step = tile.schedule_range %tiles : !tile.schedule<1>
    // CHECK: arith.cmpi ult, %{{.+}}, %[[END]]
    // CHECK: tile.skip
    // CHECK: %[[PHASE:.+]] = scf.for
    scf.for %t = %first to %end step %step {
      %m = tile.schedule_coordinates %tiles, %t : !tile.schedule<1> -> index
      %s = tile.wait %ring : !ring
      tile.release %ring, %s : !ring
      // CHECK: arith.cmpi ult, %{{.+}}, %[[END]]
      // CHECK: tile.skip
      // CHECK: scf.yield
    }
    // CHECK: %[[ATLEAST1:.+]] = arith.maxui %[[ALLSTEP]], %c1
    // CHECK: %[[ISEMPTY:.+]] = arith.cmpi uge, %[[ALLFIRST]], %[[END]]
    // CHECK: %[[TURNS:.+]] = arith.divui %{{.+}}, %[[ATLEAST1]]
    // CHECK: %[[COUNT:.+]] = arith.select %[[ISEMPTY]], %c0{{.*}}, %[[TURNS]]
    // CHECK: %[[UP:.+]] = arith.addi %[[INSTANCE]], %c2
    // CHECK: %[[ODD:.+]] = arith.remui %[[COUNT]], %c2
    // CHECK: %[[DISTANCE:.+]] = arith.subi %[[UP]], %[[ODD]]
    // CHECK: %[[PLACE:.+]] = arith.remui %[[DISTANCE]], %c2
    // CHECK: %[[BEFORE:.+]] = arith.muli %[[PLACE]], %[[ALLSTEP]]
    // CHECK: %[[FIRST:.+]] = arith.addi %[[ALLFIRST]], %[[BEFORE]]
    // CHECK: arith.cmpi ugt, %[[PLACE]], %c0
    // CHECK: scf.for %{{.+}} = %[[FIRST]] to %[[END]] step %{{.+}} iter_args(%{{.+}} = %[[PHASE]])
    scf.for %t = %first to %end step %step {
      %m = tile.schedule_coordinates %tiles, %t : !tile.schedule<1> -> index
      %s = tile.wait %ring : !ring
      tile.release %ring, %s : !ring
    }
  }
}

// -----

// Each of two instances takes every other iteration of a loop in turns, and
// passes by the stages of the others. The next tile goes on with the instance
// that would be next.

!ring = !tile.pipeline<4, [!tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">]>
// CHECK-LABEL: tile.kernel @turns
tile.kernel @turns attributes {plan = #tile.plan<64 threads 32864 bytes rings [<0 every 8192 tiles [0] barriers 32768>] roles [<0 order_barriers 32832>]>} {
  // CHECK: %[[K:.+]] = tile.size "K"
  %K = tile.size "K"
  %tiles = tile.schedule persistent [%K] by [64] : !tile.schedule<1>
  // CHECK: %[[RING:.+]] = tile.pipeline
  %ring = tile.pipeline : !ring
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.role "load" warps 1 instances 2 {
    %first, %end, %step = tile.schedule_range %tiles : !tile.schedule<1>
    // CHECK: scf.for %{{.+}} = %{{.+}} to %{{.+}} step %{{.+}} iter_args(%[[TURN:[^ ]+]] =
    scf.for %t = %first to %end step %step {
      %s = tile.in_turns %c1 : index
      // CHECK: %[[COUNT:.+]] = arith.select
      // CHECK: %[[INSTANCE:.+]] = hopper.special_register "instance"
      // CHECK: %[[ALL:.+]] = arith.addi %[[INSTANCE]], %c2
      // CHECK: %[[BEHIND:.+]] = arith.subi %[[ALL]], %[[TURN]]
      // CHECK: %[[PLACE:.+]] = arith.remui %[[BEHIND]], %c2
      // CHECK-NOT: in_turns
      // CHECK: %[[PASSED:.+]] = arith.minui %[[PLACE]], %[[COUNT]]
      // CHECK: tile.skip filling %[[RING]], %[[PASSED]]
      // CHECK: %[[FIRST:.+]] = arith.muli %[[PLACE]], %c1
      // CHECK: %[[STEP:.+]] = arith.muli %c1, %c2
      // CHECK: %[[TAKEN:.+]] = arith.remui %[[COUNT]], %c2
      // CHECK: %[[SUM:.+]] = arith.addi %[[TURN]], %[[TAKEN]]
      // CHECK: %[[NEXT:.+]] = arith.remui %[[SUM]], %c2
      // CHECK: scf.for %{{.+}} = %[[FIRST]] to %[[K]] step %[[STEP]]
      scf.for %k = %c0 to %K step %s {
        // CHECK: tile.acquire
        %stage = tile.acquire %ring : !ring
        // CHECK-NEXT: tile.commit
        tile.commit %ring, %stage : !ring
        // CHECK: %[[LEFT:.+]] = arith.minui %{{.+}}, %c1
        // CHECK: tile.skip filling %[[RING]], %[[LEFT]]
      }
      // CHECK: scf.yield %[[NEXT]]
    }
  }
}
