// RUN: ashlar-opt %s --split-input-file --pass-pipeline='builtin.module(tile.kernel(tile-assign-layouts,tile-plan-memory,tile-expand),tile-to-hopper,hopper.kernel(hopper-join-once,hopper-start-early))' | FileCheck %s

// Coordinates that cannot be negative need no test for it: tiles of the
// schedule, counters from 0 up, what loops carry and keep so.

!T = !tile.tensor<f32, 2>
!F = tensor<32x64xf32>
// CHECK-LABEL: hopper.kernel @signs
tile.kernel @signs {
  %M = tile.size "M"
  %A = tile.tensor "A" input [%M, %M] align 16 : !T
  %tiles = tile.schedule [%M, %M] by [32, 64] in <n, m> : !tile.schedule<2>
  tile.role "math" warps 4 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %first, %end, %step = tile.schedule_range %tiles : !tile.schedule<2>
    %m, %n = tile.schedule_coordinates %tiles, %first : !tile.schedule<2> -> index, index
    %row = arith.muli %m, %c32 : index
    %column = arith.muli %n, %c64 : index
    // CHECK: hopper.load {{.*}} align 16 {nonnegative} :
    %a = tile.load %A[%row, %column] : !T -> !F
    %before = arith.subi %row, %c1 : index
    // CHECK: hopper.load {{.*}} align 16 : !hopper.pointer
    %b = tile.load %A[%before, %column] : !T -> !F
    %clamped = arith.maxsi %before, %c0 : index
    // CHECK: hopper.load {{.*}} align 16 {nonnegative} :
    %c = tile.load %A[%clamped, %column] : !T -> !F
    // CHECK: scf.for
    %up:2 = scf.for %i = %c0 to %M step %c1 iter_args(%more = %c0, %less = %M) -> (index, index) {
      // CHECK: hopper.load {{.*}} align 16 {nonnegative} :
      %d = tile.load %A[%i, %more] : !T -> !F
      // CHECK: hopper.load {{.*}} align 4 :
      %e = tile.load %A[%i, %less] : !T -> !F
      %next = arith.addi %more, %c64 : index
      %left = arith.subi %less, %c64 : index
      scf.yield %next, %left : index, index
    }
    // CHECK: hopper.load {{.*}} align 16 {nonnegative} :
    %f = tile.load %A[%c0, %up#0] : !T -> !F
    // A loop that halves what it carries does not keep its divisor.
    %c2 = arith.constant 2 : index
    %half = scf.for %i = %c0 to %M step %c1 iter_args(%at = %c64) -> (index) {
      %smaller = arith.divsi %at, %c2 : index
      scf.yield %smaller : index
    }
    // CHECK: hopper.load {{.*}} align 4 {nonnegative} :
    %g = tile.load %A[%c0, %half] : !T -> !F
    %four = arith.divsi %column, %c4 : index
    %rest = arith.remsi %four, %c64 : index
    // CHECK: hopper.load {{.*}} align 16 {nonnegative} :
    %h = tile.load %A[%c0, %rest] : !T -> !F
    %sum = arith.addf %a, %b : !F
    // CHECK: hopper.inside[{{.*}} {nonnegative} :
    %in = tile.inside %A[%row, %column] : !T -> tensor<32x64xi1>
    // CHECK: hopper.inside[{{.*}}] : tensor
    %out = tile.inside %A[%before, %column] : !T -> tensor<32x64xi1>
    // The number of a CTA, and of one that comes so many later.
    %ahead = arith.addi %first, %step : index
    // CHECK: hopper.load {{.*}} align 16 {nonnegative} :
    %i = tile.load %A[%ahead, %column] : !T -> !F
  }
}

// -----

// TMA moves rows that begin on 16 bytes: that is known, or promised.

!smem = !tile.shared<64x64xbf16>
!ring = !tile.pipeline<2, [!smem]>
!T = !tile.tensor<bf16, 2>
// CHECK-LABEL: hopper.kernel @copies
tile.kernel @copies {
  %M = tile.size "M"
  %A = tile.tensor "A" input [%M, %M] align 16 : !T
  %ring = tile.pipeline : !ring
  tile.role "load" warps 1 {
    %c0 = arith.constant 0 : index
    %c6 = arith.constant 6 : index
    %c24 = arith.constant 24 : index
    %s = tile.acquire %ring : !ring
    %a = tile.buffer %s[0] : !smem
    // CHECK: hopper.tma.load
    tile.copy %A[%c0, %c24] to %a : !T, !smem
    // CHECK: hopper.copy_tile {{.*}} align 4 to {{.*}} {nonnegative} :
    tile.copy %A[%c0, %c6] to %a : !T, !smem
    // CHECK: hopper.copy_tile {{.*}} align 2 to
    tile.copy %A[%c0, %M] to %a : !T, !smem
    %promised = tile.multiple_of %M, 8 : index
    // CHECK: hopper.tma.load
    tile.copy %A[%c0, %promised] to %a : !T, !smem
    tile.commit %ring, %s : !ring
  }
  tile.role "drain" warps 1 {
    %s = tile.wait %ring : !ring
    tile.release %ring, %s : !ring
  }
}

// -----

// What TMA could not write, threads do: it is tested whether a tile begins on
// 16 bytes and not before the tensor, where that is not known.

!smem = !tile.shared<64x64xbf16>
!T = !tile.tensor<bf16, 2>
// CHECK-LABEL: hopper.kernel @copies_out
tile.kernel @copies_out {
  %M = tile.size "M"
  %D = tile.tensor "D" output [%M, %M] align 16 : !T
  %a = tile.alloc : !smem
  tile.role "store" warps 1 {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    // CHECK: %[[FITS:.+]] = arith.ori
    // CHECK-NEXT: scf.if %[[FITS]]
    tile.copy_out %a to %D[%c0, %c64] : !smem, !T
    %before = arith.subi %c0, %M : index
    // CHECK: %[[ROW:.+]] = arith.subi
    // CHECK: %[[FITS:.+]] = arith.ori
    // CHECK: %[[LATE:.+]] = arith.cmpi sge, %[[ROW]], %c0
    // CHECK: %[[BOTH:.+]] = arith.andi %[[FITS]], %[[LATE]]
    // CHECK: scf.if
    // CHECK: hopper.copy_tile_out {{.*}} : <64x64xbf16
    tile.copy_out %a to %D[%before, %c64] : !smem, !T
    // CHECK: %[[FITS:.+]] = arith.ori
    // CHECK: %[[BYTES:.+]] = arith.muli %[[M:.+]], %c2
    // CHECK: %[[OVER:.+]] = arith.remui %[[BYTES]], %c16
    // CHECK: %[[ALIGNED:.+]] = arith.cmpi eq, %[[OVER]], %c0
    // CHECK: %[[BOTH:.+]] = arith.andi %[[FITS]], %[[ALIGNED]]
    // CHECK: scf.if %[[BOTH]]
    // CHECK: hopper.copy_tile_out {{.*}} {nonnegative} :
    tile.copy_out %a to %D[%c0, %M] : !smem, !T
  }
}

// -----

// A prefetch begins on the 16 bytes before its tile.

!T = !tile.tensor<bf16, 2>
// CHECK-LABEL: hopper.kernel @prefetches
tile.kernel @prefetches {
  // CHECK: %[[M:.+]] = hopper.size "M"
  %M = tile.size "M"
  %A = tile.tensor "A" input [%M, %M] align 16 : !T
  tile.role "load" warps 1 {
    %c0 = arith.constant 0 : index
    // CHECK: %[[OVER:.+]] = arith.remui %[[M]], %c8
    // CHECK: %[[AT:.+]] = arith.subi %[[M]], %[[OVER]]
    // CHECK: hopper.tma.prefetch %{{.+}}[%c0{{.*}}, %[[AT]]]
    tile.prefetch %A[%c0, %M] [64, 64] : !T
  }
}
