// RUN: ashlar-opt %s --split-input-file --pass-pipeline='builtin.module(tile.kernel(tile-widen-indices))' | FileCheck %s

// What 32 bits hold whatever the sizes are stays an index: tiles of a schedule,
// their coordinates, a part of the iterations.

// CHECK-LABEL: tile.kernel @narrow
// CHECK-NOT: i64
tile.kernel @narrow cluster [2, 1] {
  %M = tile.size "M"
  %N = tile.size "N"
  %tiles = tile.schedule persistent [%M, %N] by [64, 96] in <n, m> : !tile.schedule<2>
  tile.role "math" warps 4 {
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c64 = arith.constant 64 : index
    %c96 = arith.constant 96 : index
    %first, %end, %step = tile.schedule_range %tiles : !tile.schedule<2>
    scf.for %t = %first to %end step %step {
      %m, %n = tile.schedule_coordinates %tiles, %t : !tile.schedule<2> -> index, index
      %row = arith.muli %m, %c64 : index
      %column = arith.muli %n, %c96 : index
      %part = arith.remsi %m, %c4 : index
      %all = arith.ceildivsi %N, %c64 : index
      %each = arith.ceildivsi %all, %c4 : index
      %low = arith.muli %part, %each : index
      %next = arith.addi %part, %c1 : index
      %high = arith.muli %next, %each : index
      scf.for %k = %low to %high step %c1 {
        %at = arith.muli %k, %c64 : index
      }
    }
  }
}

// -----

// A product of sizes has 64 bits, its quotient by an index as well, and the loop
// that counts to it; what is made of it with a bound is an index again.

// CHECK-LABEL: tile.kernel @product
tile.kernel @product {
  %M = tile.size "M"
  %N = tile.size "N"
  %C = tile.size "C"
  %D = tile.tensor "D" inout [%M, %N] align 16 : !tile.tensor<f32, 2>
  tile.role "math" warps 4 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c7 = arith.constant 7 : index
    // CHECK: %[[M:.+]] = arith.index_cast %{{.+}} : index to i64
    // CHECK: %[[N:.+]] = arith.index_cast %{{.+}} : index to i64
    // CHECK: %[[PRODUCT:.+]] = arith.muli %[[M]], %[[N]] : i64
    // CHECK: %[[C:.+]] = arith.index_cast %{{.+}} : index to i64
    // CHECK: %[[END:.+]] = arith.divsi %[[PRODUCT]], %[[C]] : i64
    %product = arith.muli %M, %N : index
    %end = arith.divsi %product, %C : index
    // CHECK: scf.for %[[I:.+]] = %{{.+}} to %[[END]] step %{{.+}} iter_args(%[[SUM:.+]] = %{{.+}}) -> (i64) : i64
    %sum = scf.for %i = %c0 to %end step %c1 iter_args(%s = %c0) -> (index) {
      // CHECK: %[[LAST:.+]] = arith.remsi %[[I]], %{{.+}} : i64
      // CHECK: arith.index_cast %[[LAST]] : i64 to index
      %last = arith.remsi %i, %c7 : index
      %x = tile.load %D[%last, %c0] : !tile.tensor<f32, 2> -> tensor<64x64xf32>
      // CHECK: %[[NEXT:.+]] = arith.addi %[[SUM]], %[[I]] : i64
      // CHECK: scf.yield %[[NEXT]] : i64
      %next = arith.addi %s, %i : index
      scf.yield %next : index
    }
    // A coordinate beyond the limit is put there.
    // CHECK: %[[LOW:.+]] = arith.minsi %{{.+}}, %c2146959360_i64
    // CHECK: %[[BOTH:.+]] = arith.maxsi %[[LOW]], %c-2146959360_i64
    // CHECK: %[[ROW:.+]] = arith.index_cast %[[BOTH]] : i64 to index
    // CHECK: tile.load %{{.+}}[%[[ROW]],
    %x = tile.load %D[%sum, %c0] : !tile.tensor<f32, 2> -> tensor<64x64xf32>
  }
}

// -----

// What a launch bounds has 32 bits, and what is computed from it.

// CHECK-LABEL: tile.kernel @bounded
tile.kernel @bounded {
  %M = tile.size "M"
  %N = tile.size "N"
  %D = tile.tensor "D" inout [%M, %N] align 16 : !tile.tensor<f32, 2>
  // CHECK: %[[PRODUCT:.+]] = arith.muli %{{.+}}, %{{.+}} : i64
  // CHECK: %[[BOUNDED:.+]] = tile.at_most %[[PRODUCT]], 1000 : i64
  // CHECK: %[[END:.+]] = arith.index_cast %[[BOUNDED]] : i64 to index
  %product = arith.muli %M, %N : index
  %end = tile.at_most %product, 1000 : index
  tile.role "math" warps 4 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // CHECK: scf.for %[[I:.+]] = %{{.+}} to %[[END]] step %{{[a-z0-9_]+}} {
    scf.for %i = %c0 to %end step %c1 {
      // CHECK: arith.muli %[[I]], %{{.+}} : index
      %row = arith.muli %i, %end : index
      %x = tile.load %D[%row, %c0] : !tile.tensor<f32, 2> -> tensor<64x64xf32>
    }
  }
}

// -----

// A loop whose beginning alone may lie beyond 32 bits.

// CHECK-LABEL: tile.kernel @begins_far
tile.kernel @begins_far {
  %M = tile.size "M"
  %N = tile.size "N"
  %D = tile.tensor "D" inout [%M, %N] align 16 : !tile.tensor<f32, 2>
  tile.role "math" warps 4 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // CHECK: %[[LOW:.+]] = arith.addi %{{.+}}, %{{.+}} : i64
    %low = arith.addi %M, %N : index
    // CHECK: scf.for %{{.+}} = %[[LOW]] to %{{.+}} step %{{.+}} : i64 {
    scf.for %i = %low to %M step %c1 {
      %x = tile.load %D[%i, %c0] : !tile.tensor<f32, 2> -> tensor<64x64xf32>
    }
  }
}

// -----

// A loop whose step may take its counter beyond 32 bits counts in 64, though
// each value that its body sees has 32.

// CHECK-LABEL: tile.kernel @step
tile.kernel @step {
  %N = tile.size "N"
  %S = tile.size "S"
  tile.role "math" warps 4 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %by = arith.maxsi %S, %c1 : index
    // CHECK: scf.for %[[K:.+]] = %{{.+}} to %{{.+}} step %{{.+}} : i64
    // CHECK: arith.index_cast %[[K]] : i64 to index
    scf.for %k = %c0 to %N step %by {
      %next = arith.addi %k, %c1 : index
    }
  }
}

// -----

// A tile's number and as many more as CTAs run at once have 32 bits.

// CHECK-LABEL: tile.kernel @ahead
tile.kernel @ahead {
  %M = tile.size "M"
  %D = tile.tensor "D" inout [%M, %M] align 16 : !tile.tensor<f32, 2>
  %tiles = tile.schedule persistent [%M] by [1] : !tile.schedule<1>
  tile.role "math" warps 4 {
    %c0 = arith.constant 0 : index
    %first, %end, %step = tile.schedule_range %tiles : !tile.schedule<1>
    scf.for %t = %first to %end step %step {
      %m = tile.schedule_coordinates %tiles, %t : !tile.schedule<1> -> index
      // CHECK: %[[NEXT:.+]] = arith.addi %{{.+}}, %{{.+}} : index
      // CHECK-NEXT: tile.load %{{.+}}[%[[NEXT]],
      %next = arith.addi %m, %step : index
      %x = tile.load %D[%next, %c0] : !tile.tensor<f32, 2> -> tensor<64x64xf32>
    }
  }
}
