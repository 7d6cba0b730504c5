// RUN: ashlar-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-find-reread))' | FileCheck %s

// A's rows are read for each column of tiles, C's elements for one tile each.

// CHECK-LABEL: tile.kernel @gemm
tile.kernel @gemm {
  %M = tile.size "M"
  %N = tile.size "N"
  // CHECK: tile.tensor "A" {{.*}} align 16 reread
  %A = tile.tensor "A" input [%M, %M] align 16 : !tile.tensor<bf16, 2>
  // CHECK: tile.tensor "C" {{.*}} align 16 :
  %C = tile.tensor "C" input [%M, %N] align 16 : !tile.tensor<bf16, 2>
  %tiles = tile.schedule persistent [%M, %N] by [64, 64] in <m, n> : !tile.schedule<2>
  tile.role "math" warps 4 {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %first, %end, %step = tile.schedule_range %tiles : !tile.schedule<2>
    scf.for %t = %first to %end step %step {
      %m, %n = tile.schedule_coordinates %tiles, %t : !tile.schedule<2> -> index, index
      %row = arith.muli %m, %c64 : index
      %column = arith.muli %n, %c64 : index
      scf.for %k = %c0 to %M step %c64 {
        %a = tile.load %A[%row, %k] : !tile.tensor<bf16, 2> -> tensor<64x64xbf16>
      }
      %c = tile.load %C[%row, %column] : !tile.tensor<bf16, 2> -> tensor<64x64xbf16>
    }
  }
}

// Of B a tile reads what a loop that begins at its column gives; of D there is
// one tile along its columns; where E is read the tile before says, of F and G
// a condition and a list.

// CHECK-LABEL: tile.kernel @apart
tile.kernel @apart {
  %M = tile.size "M"
  %N = tile.size "N"
  %c64 = arith.constant 64 : index
  // CHECK-NOT: reread
  %B = tile.tensor "B" input [%M, %N] align 16 : !tile.tensor<bf16, 2>
  %D = tile.tensor "D" input [%M, %c64] align 16 : !tile.tensor<bf16, 2>
  %E = tile.tensor "E" input [%M, %c64] align 16 : !tile.tensor<bf16, 2>
  %F = tile.tensor "F" input [%M, %N] align 16 : !tile.tensor<bf16, 2>
  %G = tile.tensor "G" input [%M, %N] align 16 : !tile.tensor<bf16, 2>
  %L = tile.tensor "L" input [%M] align 4 : !tile.tensor<i32, 1>
  %wide = tile.schedule persistent [%M, %N] by [64, 128] in <m, n> : !tile.schedule<2>
  %narrow = tile.schedule persistent [%M, %c64] by [64, 64] in <m, n> : !tile.schedule<2>
  tile.role "math" warps 4 {
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %first, %end, %step = tile.schedule_range %wide : !tile.schedule<2>
    %last = scf.for %t = %first to %end step %step iter_args(%at = %c0) -> (index) {
      %m, %n = tile.schedule_coordinates %wide, %t : !tile.schedule<2> -> index, index
      %row = arith.muli %m, %c64 : index
      %begin = arith.muli %n, %c128 : index
      %stop = arith.addi %begin, %c128 : index
      scf.for %k = %begin to %stop step %c64 {
        %b = tile.load %B[%row, %k] : !tile.tensor<bf16, 2> -> tensor<64x64xbf16>
      }
      %e = tile.load %E[%at, %c0] : !tile.tensor<bf16, 2> -> tensor<64x64xbf16>
      %isFirst = arith.cmpi eq, %n, %c0 : index
      scf.if %isFirst {
        %f = tile.load %F[%row, %c0] : !tile.tensor<bf16, 2> -> tensor<64x64xbf16>
      }
      %g = tile.load %G[%c0, %c0] rows %L[%row] : !tile.tensor<i32, 1> : !tile.tensor<bf16, 2> -> tensor<64x64xbf16>
      scf.yield %row : index
    }
    %first2, %end2, %step2 = tile.schedule_range %narrow : !tile.schedule<2>
    scf.for %t = %first2 to %end2 step %step2 {
      %m, %n = tile.schedule_coordinates %narrow, %t : !tile.schedule<2> -> index, index
      %row = arith.muli %m, %c64 : index
      %d = tile.load %D[%row, %c0] : !tile.tensor<bf16, 2> -> tensor<64x64xbf16>
    }
  }
}
