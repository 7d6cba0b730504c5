// RUN: ashlar-opt %s --split-input-file --pass-pipeline='builtin.module(tile.kernel(tile-check-bounds))' | FileCheck %s
// RUN: ashlar-opt %s --split-input-file --pass-pipeline='builtin.module(tile.kernel(tile-check-bounds{indices=false}))' | FileCheck %s --check-prefix=VALUES
// RUN: ashlar-opt %s --split-input-file --pass-pipeline='builtin.module(tile.kernel(tile-check-bounds{values=false}))' | FileCheck %s --check-prefix=INDICES

// A value outside is printed, and ends the launch. What is known to lie inside
// is not asked for.

// CHECK-LABEL: tile.kernel @value
// VALUES-LABEL: tile.kernel @value
// VALUES: tile.expect
// INDICES-LABEL: tile.kernel @value
// INDICES-NOT: tile.expect
tile.kernel @value {
  // CHECK: %[[N:.+]] = tile.size "N"
  %N = tile.size "N"
  %c2 = arith.constant 2 : index
  %X = tile.tensor "X" input [%c2, %N] align 4 : !tile.tensor<i32, 2>
  %shared = tile.alloc : !tile.shared<8xi32>
  tile.role "math" warps 4 {
    %c1 = arith.constant 1 : index
    %c7 = arith.constant 7 : index
    // CHECK: %[[INSIDE:.+]] = arith.cmpi ult, %[[AT:.+]], %[[N]]
    // CHECK: %[[OUTSIDE:.+]] = arith.xori %[[INSIDE]], %true
    // CHECK: tile.print "tensor 'X' has no element [{}, {}]: it has {} x {}"(%c1, %[[AT]], %c2, %[[N]]) {{.*}} where %[[OUTSIDE]]
    // CHECK: tile.expect %[[INSIDE]], "the element lies in tensor 'X'"
    // CHECK-NEXT: tile.value %{{.+}}[%c1, %[[AT]]]
    %x = tile.value %X[%c1, %N] : !tile.tensor<i32, 2> -> i32
    // CHECK-NOT: tile.expect
    %y = tile.shared_value %shared[%c7] : !tile.shared<8xi32> -> i32
  }
}

// -----

// Of rows each index that there is: what lies behind the tensor of indices is
// none.

// CHECK-LABEL: tile.kernel @rows
// VALUES-LABEL: tile.kernel @rows
// VALUES-NOT: tile.expect
// INDICES-LABEL: tile.kernel @rows
// INDICES: tile.expect
tile.kernel @rows {
  %M = tile.size "M"
  %N = tile.size "N"
  %X = tile.tensor "X" input [%M, %N] align 16 : !tile.tensor<f32, 2>
  // CHECK: %[[I:.+]] = tile.tensor "I"
  %I = tile.tensor "I" input [%N] align 4 : !tile.tensor<i32, 1>
  %D = tile.tensor "D" output [%M, %N] align 16 : !tile.tensor<f32, 2>
  tile.role "math" warps 4 {
    %c0 = arith.constant 0 : index
    %c3 = arith.constant 3 : index
    // CHECK: %[[READ:.+]] = tile.load %[[I]][%c3] : {{.*}} -> tensor<32xi32>
    // CHECK: %[[ROW:.+]] = arith.addi %[[READ]], %{{.+}} : tensor<32xi32>
    // CHECK: %[[IS_THERE:.+]] = tile.inside %[[I]][%c3]
    // CHECK: %[[IS_NONE:.+]] = arith.xori %[[IS_THERE]], %{{.+}}
    // CHECK: %[[IS_ROW:.+]] = arith.cmpi ult, %[[ROW]], %{{.+}} : tensor<32xi32>
    // CHECK: %[[HOLDS:.+]] = arith.ori %[[IS_NONE]], %[[IS_ROW]]
    // CHECK: tile.print "tensor 'X' has no row {}: it has {}"(%[[ROW]], %{{.+}})
    // CHECK: tile.expect %[[HOLDS]], "the index is that of a row of tensor 'X'"
    // CHECK-NEXT: tile.load %{{.+}}[%c0, %c0] rows
    %x = tile.load %X[%c0, %c0] rows %I[%c3] : !tile.tensor<i32, 1> : !tile.tensor<f32, 2> -> tensor<32x64xf32>
    // CHECK-NOT: tile.expect
    tile.store %x to %D[%c0, %c0] : tensor<32x64xf32>, !tile.tensor<f32, 2>
  }
}

// -----

// A page that memory names is one of the tensor's; a coordinate that the kernel
// counts may lie outside, as at an edge.

// CHECK-LABEL: tile.kernel @page
// VALUES-LABEL: tile.kernel @page
// VALUES: tile.expect
// VALUES-NOT: tile.expect
// VALUES: tile.load
// INDICES-LABEL: tile.kernel @page
// INDICES-NOT: tile.expect
// INDICES: tile.value
tile.kernel @page {
  // CHECK: %[[P:.+]] = tile.size "P"
  %P = tile.size "P"
  %X = tile.tensor "X" input [%P, %P] align 16 : !tile.tensor<f32, 2>
  %I = tile.tensor "I" input [%P] align 4 : !tile.tensor<i32, 1>
  %D = tile.tensor "D" output [%P] align 16 : !tile.tensor<f32, 1>
  tile.role "math" warps 4 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // CHECK: scf.for
    %last = scf.for %i = %c0 to %P step %c1 iter_args(%at = %c0) -> (index) {
      // CHECK: %[[READ:.+]] = tile.value
      // CHECK: %[[PAGE:.+]] = arith.index_cast %[[READ]]
      %read = tile.value %I[%i] : !tile.tensor<i32, 1> -> i32
      %page = arith.index_cast %read : i32 to index
      // CHECK: %[[ABOVE:.+]] = arith.cmpi sgt, %[[PAGE]], %c-1
      // CHECK: %[[BELOW:.+]] = arith.cmpi slt, %[[PAGE]], %[[P]]
      // CHECK: %[[INSIDE:.+]] = arith.andi %[[ABOVE]], %[[BELOW]]
      // CHECK: tile.print "tensor 'X' has nothing of a tile at [{}, {}]: it has {} x {}"
      // CHECK: tile.expect %[[INSIDE]], "the tile lies in tensor 'X'"
      // CHECK-NEXT: tile.load
      %x = tile.load %X[%page, %i] : !tile.tensor<f32, 2> -> tensor<128xf32>
      // The coordinate before is one of memory too.
      // CHECK: arith.cmpi sgt, %{{.+}}, %c-128
      // CHECK: tile.expect %{{.+}}, "the tile lies in tensor 'D'"
      // CHECK-NEXT: tile.store
      tile.store %x to %D[%at] : tensor<128xf32>, !tile.tensor<f32, 1>
      // CHECK-NOT: tile.expect
      tile.store %x to %D[%i] : tensor<128xf32>, !tile.tensor<f32, 1>
      scf.yield %page : index
    }
  }
}
