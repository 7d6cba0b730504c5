// RUN: ashlar-opt %s --split-input-file --pass-pipeline='builtin.module(tile.kernel(tile-expand-schedules))' | FileCheck %s

// Persistent CTAs take every so many tiles, from their own number on.

// CHECK-LABEL: tile.kernel @line
tile.kernel @line {
  // CHECK: %[[M:.+]] = tile.size "M"
  %M = tile.size "M"
  %tiles = tile.schedule persistent [%M] by [64] : !tile.schedule<1>
  tile.role "math" warps 4 {
    // CHECK: %[[UP:.+]] = arith.addi %[[M]], %c63
    // CHECK: %[[END:.+]] = arith.divui %[[UP]], %c64
    // CHECK: %[[FIRST:.+]] = hopper.special_register "ctaid.x"
    // CHECK: %[[STEP:.+]] = hopper.special_register "nctaid.x"
    // CHECK: scf.for %[[NUMBER:.+]] = %[[FIRST]] to %[[END]] step %[[STEP]]
    %first, %end, %step = tile.schedule_range %tiles : !tile.schedule<1>
    scf.for %t = %first to %end step %step {
      // CHECK: %[[COORDINATE:.+]] = tile.tile_coordinate %[[NUMBER]] along 0
      // CHECK: arith.addi %[[COORDINATE]], %[[M]]
      %m = tile.schedule_coordinates %tiles, %t : !tile.schedule<1> -> index
      %next = arith.addi %m, %M : index
    }
  }
}

// -----

// A cluster takes two tiles beside each other. Numbers go down the columns:
// divided by their length, by its reciprocal, which the loop finds computed.

// CHECK-LABEL: tile.kernel @plane
tile.kernel @plane cluster [2, 1] {
  %M = tile.size "M"
  %N = tile.size "N"
  %tiles = tile.schedule [%M, %N] by [128, 256] in <m, n> : !tile.schedule<2>
  tile.role "math" warps 4 {
    // CHECK: %[[ROWS:.+]] = arith.divui %{{.+}}, %c2
    // CHECK: %[[COLUMNS:.+]] = arith.divui %{{.+}}, %c256
    // CHECK: %[[RECIPROCAL:.+]] = hopper.reciprocal %[[ROWS]]
    // CHECK: %[[TOTAL:.+]] = arith.muli %[[ROWS]], %[[COLUMNS]]
    // CHECK: %[[CTA:.+]] = hopper.special_register "ctaid.x"
    // CHECK: %[[FIRST:.+]] = arith.divui %[[CTA]], %c2
    // CHECK: scf.for %[[NUMBER:.+]] = %[[FIRST]] to %[[TOTAL]] step %[[TOTAL]]
    %first, %end, %step = tile.schedule_range %tiles : !tile.schedule<2>
    scf.for %t = %first to %end step %step {
      // CHECK: arith.index_castui %[[NUMBER]]
      // CHECK: arith.index_castui %[[RECIPROCAL]]
      // CHECK: %[[RANK:.+]] = hopper.special_register "cluster_ctarank"
      // CHECK: %[[OWN:.+]] = arith.remui %[[RANK]], %c2
      // CHECK: %[[PAIR:.+]] = arith.muli %{{.+}}, %c2
      // CHECK: %[[ROW:.+]] = arith.addi %[[PAIR]], %[[OWN]]
      // CHECK: tile.tile_coordinate %[[ROW]] along 0
      // CHECK: tile.tile_coordinate %{{.+}} along 1
      %m, %n = tile.schedule_coordinates %tiles, %t : !tile.schedule<2> -> index, index
      %next = arith.addi %m, %n : index
    }
  }
}

// -----

// A loop whose extents only the role knows, in a range: none below zero, counted
// where the loop is. CTAs are counted on from the tiles of others.

// CHECK-LABEL: tile.kernel @in_a_role
tile.kernel @in_a_role {
  %N = tile.size "N"
  %T = tile.tensor "T" input [%N] align 4 : !tile.tensor<i32, 1>
  tile.role "math" warps 4 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // CHECK: scf.for
    scf.for %g = %c0 to %N step %c1 {
      // CHECK: %[[COUNT:.+]] = arith.index_cast %{{.+}} : i32 to index
      %count = tile.value %T[%g] : !tile.tensor<i32, 1> -> i32
      %rows = arith.index_cast %count : i32 to index
      // CHECK: %[[ROWS:.+]] = arith.maxsi %[[COUNT]], %c0
      // CHECK: hopper.reciprocal
      %tiles = tile.schedule persistent [%rows, %N] by [1, 64] in <n, m> : !tile.schedule<2>
      // CHECK: %[[CTA:.+]] = hopper.special_register "ctaid.x"
      // CHECK: %[[CTAS:.+]] = hopper.special_register "nctaid.x"
      // CHECK: %[[TAKEN:.+]] = arith.remui %{{.+}}, %[[CTAS]]
      // CHECK: %[[BACK:.+]] = arith.subi %[[CTA]], %[[TAKEN]]
      // CHECK: %[[IS_BEFORE:.+]] = arith.cmpi slt, %[[BACK]], %c0
      // CHECK: %[[AROUND:.+]] = arith.addi %[[BACK]], %[[CTAS]]
      // CHECK: %[[FIRST:.+]] = arith.select %[[IS_BEFORE]], %[[AROUND]], %[[BACK]]
      %first, %end, %step = tile.schedule_range %tiles after %g : !tile.schedule<2>
      // CHECK: scf.for %{{.+}} = %[[FIRST]] to %{{.+}} step %[[CTAS]] {
      // CHECK-NOT: hopper.reciprocal
      scf.for %t = %first to %end step %step {
        %m, %n = tile.schedule_coordinates %tiles, %t : !tile.schedule<2> -> index, index
      }
    }
  }
}
