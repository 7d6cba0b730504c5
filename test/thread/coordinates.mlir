// RUN: ashlar-opt %s --split-input-file --hopper-to-thread | FileCheck %s

// Where coordinates may lie before the tensor, one comparison of unsigned
// numbers tests an element against both ends; columns of a fragment are compared
// with how many lie before the tensor, and with how many are left.

!f32 = tensor<16x8xf32, #tile.fragment<"16x8 (2,16):(64,1) / (4,1,1):(16,128,16)">>
!i1 = tensor<16x8xi1, #tile.fragment<"16x8 (2,16):(64,1) / (4,1,1):(16,128,16)">>
!tile = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
// CHECK-LABEL: llvm.func @anywhere(
// CHECK-SAME: %[[M:[^ ]+]]: i32, %[[ROW:[^ ]+]]: i32, %[[COLUMN:[^ ]+]]: i32
hopper.kernel @anywhere threads 32 shared 8192 cluster 1 {
  %m = hopper.size "M"
  %row = hopper.size "Row"
  %column = hopper.size "Column"
  %A = hopper.pointer "A" : !hopper.pointer
  %stride = hopper.stride "A"[0]
  %one = arith.constant 1 : i64
  hopper.role "math" from 0 warps 1 {
    // The whole tile: one test of the sign of both coordinates.
    // CHECK: %[[SIGNS:.+]] = arith.ori %[[ROW]], %[[COLUMN]] : i32
    // CHECK: arith.cmpi slt, %c-1_i32{{.*}}, %[[SIGNS]]
    // CHECK: scf.if
    // CHECK: ld.global.v4.b32
    // CHECK: } else {
    // CHECK: %[[LEFT:.+]] = llvm.intr.ssub.sat(%[[M]], %[[FIRST:.+]]) :
    // CHECK: %[[BEFORE:.+]] = llvm.intr.ssub.sat(%{{.+}}, %[[FIRST]]) :
    // CHECK: arith.cmpi ult, %{{.+}}, %[[M]]
    // CHECK: arith.cmpi slt, %c0_i32{{.*}}, %[[LEFT]]
    // CHECK: arith.cmpi slt, %[[BEFORE]], %c1_i32
    // CHECK: arith.cmpi slt, %c3_i32{{.*}}, %[[LEFT]]
    // CHECK: arith.cmpi slt, %[[BEFORE]], %c4_i32
    // CHECK: @p ld.global.b32
    // CHECK-NOT: llvm.intr.ssub.sat
    // CHECK: arith.cmpi slt, %c1_i32{{.*}}, %[[LEFT]]
    // CHECK: arith.cmpi slt, %[[BEFORE]], %c2_i32
    // CHECK: @p ld.global.b32
    %f = hopper.load %A[%row, %column] within [%m, %m] strides [%stride, %one] align 16 : !hopper.pointer -> !f32
    // CHECK: arith.ori %[[ROW]], %[[COLUMN]] : i32
    // CHECK: } else {
    // CHECK: llvm.intr.ssub.sat
    // CHECK: arith.cmpi ult
    // CHECK-COUNT-4: @p st.global.b32
    hopper.store %f to %A[%row, %column] within [%m, %m] strides [%stride, %one] align 16 : !f32, !hopper.pointer
    // CHECK-NOT: arith.cmpi slt
    // CHECK: arith.cmpi ult, %{{.+}}, %[[M]]
    // CHECK: %[[TEST:.+]] = arith.andi
    %in = hopper.inside [%row, %column] within [%m, %m] : !i1
    %at = hopper.shared_address 0
    %v = hopper.view %at : !tile
    // CHECK: scf.for
    // CHECK-NOT: arith.cmpi slt
    // CHECK: arith.cmpi ult, %{{.+}}, %[[M]]
    // CHECK: arith.cmpi ult, %{{.+}}, %[[M]]
    // CHECK: cp.async
    hopper.copy_tile %A[%row, %column] within [%m, %m] strides [%stride, %one] align 4 to %v : !hopper.pointer, !tile
    // CHECK: scf.for
    // CHECK: arith.cmpi ult, %{{.+}}, %[[M]]
    // CHECK: st.global.v4.b32
    // CHECK: arith.cmpi ult, %{{.+}}, %[[M]]
    // CHECK: llvm.store
    hopper.copy_tile_out %v to %A[%row, %column] within [%m, %m] strides [%stride, %one] align 4 : !tile, !hopper.pointer
    // A reduction reaches one element, if it exists.
    // CHECK: %[[FIRST:.+]] = llvm.extractvalue
    // CHECK: %[[ABOVE:.+]] = arith.cmpi ult, %[[ROW]], %[[M]]
    // CHECK: %[[BESIDE:.+]] = arith.cmpi ult, %[[COLUMN]], %[[M]]
    // CHECK: %[[INSIDE:.+]] = arith.andi %[[ABOVE]], %[[BESIDE]]
    // CHECK: %[[EXISTS:.+]] = arith.andi %[[FIRST]], %[[INSIDE]]
    // CHECK: scf.if %[[EXISTS]] {
    // CHECK: red.relaxed.gpu.global.add.f32
    hopper.reduce_into %f add into %A[%row, %column] within [%m, %m] strides [%stride, %one] : !f32, !hopper.pointer
  }
}

// -----

// A coordinate is compared as a number: what it has of its thread is taken from
// the other side.

!columns = tensor<16x8xi32, #tile.fragment<"16x8 (2,16):(64,1) / (4,1,1):(16,128,16)">>
!mask = tensor<16x8xi1, #tile.fragment<"16x8 (2,16):(64,1) / (4,1,1):(16,128,16)">>
// CHECK-LABEL: llvm.func @compared(
// CHECK-SAME: %[[N:[^ ]+]]: i32
hopper.kernel @compared threads 32 shared 8192 cluster 1 {
  %n = hopper.scalar "N" : i32
  hopper.role "math" from 0 warps 1 {
    // CHECK: %[[REST:.+]] = llvm.intr.ssub.sat(%[[N]], %{{.+}})
    // CHECK: arith.cmpi slt, %c0_i32{{.*}}, %[[REST]]
    // CHECK: arith.cmpi slt, %c1_i32{{.*}}, %{{.+}}
    // CHECK: arith.cmpi sge, %{{.+}}, %c1_i32
    %columns = hopper.coordinate 1 : !columns
    %all = hopper.splat %n : i32 -> !columns
    %below = arith.cmpi slt, %columns, %all : !columns
    %above = arith.cmpi sge, %all, %columns : !columns
    %both = arith.andi %below, %above : !mask
    hopper.expect %both, "both" : !mask
  }
}
