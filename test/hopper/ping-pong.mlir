// RUN: ashlar-opt %s --split-input-file --pass-pipeline='builtin.module(tile.kernel(tile-assign-layouts,tile-plan-memory,tile-expand),tile-to-hopper,hopper.kernel(hopper-join-once,hopper-start-early))' | FileCheck %s

// Two instances take tiles in turn: each passes by the stages of the tile that
// the other has between two of its own, and the second by those of the first.
// Each has its own tile in shared memory and its own barrier.

!smem = !tile.shared<64x64xbf16>
!ring = !tile.pipeline<3, [!smem]>
!T = !tile.tensor<bf16, 2>
// CHECK-LABEL: hopper.kernel @two threads 288 shared 41024 cluster 1 {
tile.kernel @two {
  %M = tile.size "M"
  // CHECK: %[[K:.+]] = hopper.size "K"
  %K = tile.size "K"
  %A = tile.tensor "A" input [%M, %K] align 16 : !T
  %tiles = tile.schedule persistent [%M] by [64] : !tile.schedule<1>
  %ring = tile.pipeline : !ring
  %staged = tile.alloc : !smem
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // One instance takes a stage, and its warps release it.
  // CHECK: hopper.mbarrier.init %{{.+}} count 1
  // CHECK: hopper.mbarrier.init %{{.+}} count 4
  // CHECK: hopper.role "math" from 0 warps 4 instances 2 {
  tile.role "math" warps 4 instances 2 {
    // The tile of this instance.
    // CHECK: %[[INSTANCE:.+]] = hopper.special_register "instance"
    // CHECK: %[[BYTES:.+]] = arith.muli %[[INSTANCE]], %c8192
    // CHECK: %[[TILES:.+]] = hopper.shared_address 0
    // CHECK: %[[TILE:.+]] = arith.addi %[[TILES]], %[[BYTES]]
    // CHECK: %[[STAGED:.+]] = hopper.view %[[TILE]]

    // From its first tile on, twice as far as a lone role would go.
    // CHECK: %[[CTA:.+]] = hopper.special_register "ctaid.x"
    // CHECK: %[[CTAS:.+]] = hopper.special_register "nctaid.x"
    // CHECK: %[[INSTANCE:.+]] = hopper.special_register "instance"
    // CHECK: %[[BEFORE:.+]] = arith.muli %[[INSTANCE]], %[[CTAS]]
    // CHECK: %[[FIRST:.+]] = arith.addi %[[CTA]], %[[BEFORE]]
    // CHECK: %[[STEP:.+]] = arith.muli %[[CTAS]], %c2
    %first, %end, %step = tile.schedule_range %tiles : !tile.schedule<1>

    // The second instance begins behind the stages of one tile.
    // CHECK: %[[OTHER:.+]] = arith.subi %[[FIRST]], %[[CTAS]]
    // CHECK: %[[LENGTH:.+]] = arith.minsi %[[OTHER]], %[[K]]
    // CHECK: %[[RUNS:.+]] = arith.cmpi sgt, %[[LENGTH]], %c0
    // CHECK: %[[STAGES:.+]] = arith.select %[[RUNS]]
    // CHECK: %[[BEHIND:.+]] = arith.cmpi ugt, %{{.+}}, %c0
    // CHECK: %[[PASSED:.+]] = arith.select %[[BEHIND]], %[[STAGES]], %c0
    // CHECK: %[[ROUNDS:.+]] = arith.divui %[[PASSED]], %c3
    // CHECK: %[[STAGE:.+]] = arith.remui %[[PASSED]], %c3
    // CHECK: %[[PARITY:.+]] = arith.remui %[[ROUNDS]], %c2
    // CHECK: scf.for %[[NUMBER:[^ ]+]] = %[[FIRST]] to %{{.+}} step %[[STEP]] iter_args(%[[ROUND:[^ ]+]] = %c0{{[^ ]*}}, %{{[^ ]+}} = %[[STAGE]], %{{[^ ]+}} = %[[PARITY]])
    scf.for %t = %first to %end step %step {
      %m = tile.schedule_coordinates %tiles, %t : !tile.schedule<1> -> index
      %length = arith.minsi %m, %K : index
      // It waits until the instance before has taken its stages.
      // CHECK: %[[PHASE:.+]] = arith.xori %{{.+}}
      // CHECK: hopper.mbarrier.wait %{{.+}} parity %[[PHASE]]
      // CHECK: %[[INNER:.+]]:2 = scf.for
      // CHECK: hopper.mbarrier.wait
      scf.for %k = %c0 to %length step %c1 {
        %s = tile.wait %ring : !ring
        tile.release %ring, %s : !ring
      }
      // CHECK: hopper.once_per_warp
      // CHECK-NEXT: hopper.mbarrier.arrive
      // CHECK: hopper.shared_store %{{.+}} to %[[STAGED]]
      // CHECK: hopper.named_barrier 1 per_instance threads 128
      // CHECK: hopper.shared_load %[[STAGED]]
      %f = arith.constant dense<1.0> : tensor<64x64xbf16>
      tile.write %f to %staged : tensor<64x64xbf16>, !smem
      %g = tile.read %staged : !smem -> tensor<64x64xbf16>
      // CHECK: %[[OTHER:.+]] = arith.addi %[[NUMBER]], %{{.+}}
      // CHECK: arith.minsi %[[OTHER]], %[[K]]
      // CHECK: arith.addi %[[INNER]]#0
      // CHECK: arith.xori %[[INNER]]#1
      // CHECK: scf.yield
    }
  }
  // The role that fills the stages takes every tile.
  // CHECK: hopper.role "load"
  // CHECK-NOT: hopper.special_register "instance"
  tile.role "load" warps 1 {
    %first, %end, %step = tile.schedule_range %tiles : !tile.schedule<1>
    scf.for %t = %first to %end step %step {
      %m = tile.schedule_coordinates %tiles, %t : !tile.schedule<1> -> index
      %s = tile.acquire %ring : !ring
      %a = tile.buffer %s[0] : !smem
      tile.copy %A[%m, %c0] to %a : !T, !smem
      tile.commit %ring, %s : !ring
    }
  }
}

// -----

// With three instances, the last passes by two tiles, the second by one.

!ring = !tile.pipeline<2, [!tile.shared<64x64xbf16>]>
// CHECK-LABEL: hopper.kernel @three
tile.kernel @three {
  %M = tile.size "M"
  %tiles = tile.schedule persistent [%M] by [64] : !tile.schedule<1>
  %ring = tile.pipeline : !ring
  // CHECK: hopper.role "math" from 0 warps 4 instances 3 {
  tile.role "math" warps 4 instances 3 {
    %first, %end, %step = tile.schedule_range %tiles : !tile.schedule<1>
    // CHECK: %[[SECOND:.+]] = arith.cmpi ugt, %{{.+}}, %c0
    // CHECK: %[[ONE:.+]] = arith.select %[[SECOND]], %c1{{.*}}, %c0
    // CHECK: %[[THIRD:.+]] = arith.cmpi ugt, %{{.+}}, %c1
    // CHECK: %[[OTHER:.+]] = arith.select %[[THIRD]], %c1{{.*}}, %c0
    // CHECK: arith.addi %[[ONE]], %[[OTHER]]
    // CHECK: scf.for
    scf.for %t = %first to %end step %step {
      %m = tile.schedule_coordinates %tiles, %t : !tile.schedule<1> -> index
      %s = tile.wait %ring : !ring
      tile.release %ring, %s : !ring
    }
  }
  tile.role "make" warps 4 {
    %s = tile.acquire %ring : !ring
    tile.commit %ring, %s : !ring
  }
}
