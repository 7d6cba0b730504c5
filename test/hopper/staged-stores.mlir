// RUN: ashlar-opt %s --split-input-file --pass-pipeline='builtin.module(tile.kernel(tile-assign-layouts,tile-plan-memory,tile-expand),tile-to-hopper,hopper.kernel(hopper-join-once,hopper-start-early))' | FileCheck %s

// Each warp has 16 rows of an accumulator: it stages them and hands them to TMA
// by itself. Two tiles in turn: a warp waits until TMA has read the tile that
// it is about to write, and lets the other one go on.

!smem = !tile.shared<64x32xbf16>
!in = !tile.shared<64x64xbf16>
!T = !tile.tensor<bf16, 2>
// CHECK-LABEL: hopper.kernel @by_warps
tile.kernel @by_warps {
  // CHECK: %[[M:.+]] = hopper.size "M"
  // CHECK: %[[MAP:.+]] = hopper.tensor_map "D" box [16, 32] swizzle 64
  %M = tile.size "M"
  %D = tile.tensor "D" output [%M, %M] align 16 : !T
  %a = tile.alloc : !in
  %even = tile.alloc : !smem
  %odd = tile.alloc : !smem
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  tile.role "math" warps 4 {
    // CHECK: %[[EVENAT:.+]] = hopper.shared_address 8192
    // CHECK: %[[EVEN:.+]] = hopper.view %[[EVENAT]]
    // CHECK: %[[ODDAT:.+]] = hopper.shared_address 12288
    // CHECK: %[[ODD:.+]] = hopper.view %[[ODDAT]]
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    // CHECK: scf.for %[[ROW:[^ ]+]]
    scf.for %m = %c0 to %M step %c64 {
      %acc = tile.mma %a, %a transposed, %zero : !in, !in, tensor<64x64xf32>
      %first = tile.slice %acc from [0, 0] : tensor<64x64xf32> -> tensor<64x32xf32>
      %f = arith.truncf %first : tensor<64x32xf32> to tensor<64x32xbf16>
      // CHECK-NOT: hopper.named_barrier
      // CHECK: hopper.once_per_warp {
      // CHECK-NEXT: hopper.bulk.wait 1 read
      // CHECK-NEXT: }
      // CHECK-NEXT: hopper.warp_sync
      // CHECK-NEXT: hopper.shared_store %{{.+}} to %[[EVEN]] :
      tile.write %f to %even : tensor<64x32xbf16>, !smem
      // 16 rows of 64 bytes further for each warp.
      // CHECK: %[[WARP:.+]] = hopper.special_register "warp"
      // CHECK: %[[ROWS:.+]] = arith.muli %{{.+}}, %c16
      // CHECK: %[[AT:.+]] = arith.addi %[[ROW]], %[[ROWS]]
      // CHECK: %[[BYTES:.+]] = arith.muli %{{.+}}, %c1024
      // CHECK: %[[FROM:.+]] = arith.addi %[[EVENAT]], %[[BYTES]]
      // CHECK: scf.if %{{.+}} {
      // CHECK: hopper.once_per_warp {
      // CHECK-NEXT: hopper.tma.store %[[FROM]] to %[[MAP]][%[[AT]], %c0{{.*}}] :
      // CHECK-NEXT: }
      // CHECK-NEXT: } else {
      // CHECK-NEXT: hopper.warp_sync
      // CHECK: %[[PART:.+]] = hopper.view %[[FROM]] : <16x32xbf16,
      // CHECK: hopper.copy_tile_out per_warp %[[PART]] to %{{.+}}[%[[AT]], %c0{{.*}}] align 16 {nonnegative}
      // CHECK-NEXT: }
      // CHECK-NEXT: hopper.once_per_warp {
      // CHECK-NEXT: hopper.bulk.commit
      // CHECK-NEXT: }
      tile.copy_out %even to %D[%m, %c0] : !smem, !T
      %second = tile.slice %acc from [0, 32] : tensor<64x64xf32> -> tensor<64x32xf32>
      %g = arith.truncf %second : tensor<64x32xf32> to tensor<64x32xbf16>
      // CHECK-NOT: hopper.named_barrier
      // CHECK: hopper.bulk.wait 1 read
      // CHECK: hopper.shared_store %{{.+}} to %[[ODD]] :
      tile.write %g to %odd : tensor<64x32xbf16>, !smem
      // CHECK: hopper.tma.store
      tile.copy_out %odd to %D[%m, %c32] : !smem, !T
    }
    // CHECK: hopper.bulk.wait 0 read
  }
}

// -----

// One tile of two: TMA must have read it before it is written again. Two
// warpgroups of two blocks each: a warp has 16 rows of each block, and stores
// them one after the other where TMA cannot.

!smem = !tile.shared<256x64xbf16>
!in = !tile.shared<256x64xbf16>
!b = !tile.shared<64x64xbf16>
!T = !tile.tensor<bf16, 2>
// CHECK-LABEL: hopper.kernel @two_blocks
tile.kernel @two_blocks {
  // CHECK: %[[MAP:.+]] = hopper.tensor_map "D" box [16, 64] swizzle 128
  %M = tile.size "M"
  %D = tile.tensor "D" output [%M, %M] align 16 : !T
  %a = tile.alloc : !in
  %b = tile.alloc : !b
  %staged = tile.alloc : !smem
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  tile.role "math" warps 8 {
    %zero = arith.constant dense<0.0> : tensor<256x64xf32>
    // CHECK: scf.for %[[ROW:[^ ]+]]
    scf.for %m = %c0 to %M step %c256 {
      %acc = tile.mma %a, %b transposed, %zero : !in, !b, tensor<256x64xf32>
      %f = arith.truncf %acc : tensor<256x64xf32> to tensor<256x64xbf16>
      // CHECK: hopper.bulk.wait 0 read
      // CHECK: hopper.shared_store
      tile.write %f to %staged : tensor<256x64xbf16>, !smem
      // CHECK: scf.if
      // CHECK: %[[SECOND:.+]] = arith.addi %[[FIRST:.+]], %c64
      // CHECK: hopper.tma.store %{{.+}} to %[[MAP]][%[[FIRST]], %c0{{.*}}]
      // CHECK-NEXT: hopper.tma.store %{{.+}} to %[[MAP]][%[[SECOND]], %c0{{.*}}]
      // CHECK-NEXT: }
      // CHECK: scf.for %[[PART:[^ ]+]] = %c0{{.*}} to %c2{{.*}} step %c1{{[_0-9]*}} {
      // CHECK: %[[DOWN:.+]] = arith.muli %[[PART]], %c64
      // CHECK: %[[THERE:.+]] = arith.addi %[[FIRST]], %[[DOWN]]
      // CHECK: hopper.copy_tile_out per_warp %{{.+}} to %{{.+}}[%[[THERE]], %c0{{.*}}]
      tile.copy_out %staged to %D[%m, %c0] : !smem, !T
    }
  }
}

// -----

// Transposed, a warp's rows are columns of the tile: the role stores together.

!smem = !tile.shared<32x64xbf16>
!in = !tile.shared<64x64xbf16>
!b = !tile.shared<32x64xbf16>
!T = !tile.tensor<bf16, 2>
// CHECK-LABEL: hopper.kernel @transposed
tile.kernel @transposed {
  // CHECK: hopper.tensor_map "D" box [32, 64] swizzle 128
  %M = tile.size "M"
  %D = tile.tensor "D" output [%M, %M] align 16 : !T
  %a = tile.alloc : !in
  %b = tile.alloc : !b
  %even = tile.alloc : !smem
  %odd = tile.alloc : !smem
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  tile.role "math" warps 4 {
    %zero = arith.constant dense<0.0> : tensor<64x32xf32>
    scf.for %m = %c0 to %M step %c64 {
      %acc = tile.mma %a, %b transposed, %zero : !in, !b, tensor<64x32xf32>
      %f = arith.truncf %acc : tensor<64x32xf32> to tensor<64x32xbf16>
      // CHECK: hopper.bulk.wait 1 read
      // CHECK-NEXT: }
      // CHECK-NEXT: hopper.named_barrier [[ID:[0-9]+]] threads 128
      // CHECK-NEXT: hopper.shared_store %{{.+}} to %{{.+}} transposed :
      tile.write %f to %even transposed : tensor<64x32xbf16>, !smem
      // CHECK-NEXT: hopper.named_barrier [[ID]] threads 128
      // CHECK-NOT: once_per_warp
      // CHECK: hopper.tma.store
      // CHECK: hopper.copy_tile_out %
      tile.copy_out %even to %D[%c0, %m] : !smem, !T
      // CHECK: hopper.bulk.wait 1 read
      tile.write %f to %odd transposed : tensor<64x32xbf16>, !smem
      tile.copy_out %odd to %D[%c64, %m] : !smem, !T
    }
  }
}

// -----

// A tile that the role reads again is no warp's own.

!smem = !tile.shared<64x64xbf16>
!T = !tile.tensor<bf16, 2>
// CHECK-LABEL: hopper.kernel @read_again
// CHECK-NOT: once_per_warp
tile.kernel @read_again {
  %M = tile.size "M"
  %D = tile.tensor "D" output [%M, %M] align 16 : !T
  %a = tile.alloc : !smem
  %staged = tile.alloc : !smem
  %c0 = arith.constant 0 : index
  tile.role "math" warps 4 {
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %acc = tile.mma %a, %a transposed, %zero : !smem, !smem, tensor<64x64xf32>
    %f = arith.truncf %acc : tensor<64x64xf32> to tensor<64x64xbf16>
    tile.write %f to %staged : tensor<64x64xbf16>, !smem
    tile.copy_out %staged to %D[%c0, %c0] : !smem, !T
    %g = tile.read %staged : !smem -> tensor<64x64xbf16>
  }
}

// -----

// How many tiles a conditional has handed to TMA is not known: wait for all.

!smem = !tile.shared<64x64xbf16>
!T = !tile.tensor<bf16, 2>
// CHECK-LABEL: hopper.kernel @under_a_condition
tile.kernel @under_a_condition {
  %M = tile.size "M"
  %D = tile.tensor "D" output [%M, %M] align 16 : !T
  %a = tile.alloc : !smem
  %even = tile.alloc : !smem
  %odd = tile.alloc : !smem
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  tile.role "math" warps 4 {
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %acc = tile.mma %a, %a transposed, %zero : !smem, !smem, tensor<64x64xf32>
    %f = arith.truncf %acc : tensor<64x64xf32> to tensor<64x64xbf16>
    // CHECK: scf.for
    scf.for %m = %c0 to %M step %c64 {
      // CHECK: hopper.bulk.wait 0 read
      tile.write %f to %even : tensor<64x64xbf16>, !smem
      tile.copy_out %even to %D[%m, %c0] : !smem, !T
      %first = arith.cmpi eq, %m, %c0 : index
      // CHECK: scf.if
      // CHECK: hopper.bulk.wait 0 read
      scf.if %first {
        tile.write %f to %odd : tensor<64x64xbf16>, !smem
        tile.copy_out %odd to %D[%m, %c64] : !smem, !T
      }
    }
  }
}
