// RUN: ashlar-opt %s --split-input-file --pass-pipeline='builtin.module(tile.kernel(tile-assign-layouts,tile-exchange))' | FileCheck %s

// Each row lies in a warp: lanes combine it.

// CHECK-LABEL: tile.kernel @in_warps
// CHECK-NOT: tile.alloc
// CHECK: hopper.warp_reduce %{{.+}} max along [1] : tensor<64x32xf32, #tile.fragment<"64x32 (8,16):(256,1) / (4,1,4):(64,2048,16)">> -> tensor<64xf32, #tile.fragment<"64 (8,16):(0,1) / 4:16">>
// CHECK-NOT: tile.write
tile.kernel @in_warps {
  %M = tile.size "M"
  %A = tile.tensor "A" input [%M, %M] align 16 : !tile.tensor<f32, 2>
  %D = tile.tensor "D" output [%M] align 16 : !tile.tensor<f32, 1>
  tile.role "all" warps 4 {
    %c0 = arith.constant 0 : index
    %x = tile.load %A[%c0, %c0] : !tile.tensor<f32, 2> -> tensor<64x32xf32>
    %r = tile.reduce %x max along [1] : tensor<64x32xf32> -> tensor<64xf32>
    tile.store %r to %D[%c0] : tensor<64xf32>, !tile.tensor<f32, 1>
  }
}

// -----

// A row lies in four warps: each writes its part, and all combine the four, when
// they are needed: what is combined next is written before.

// CHECK-LABEL: tile.kernel @across_warps
// CHECK: %[[TILE:.+]] = tile.alloc : <1x4xf32, "S<0,4,3> o (1,4):(16,4)">
// CHECK-NEXT: %[[OTHER:.+]] = tile.alloc : <1x4xf32
// CHECK: %[[PART:.+]] = hopper.warp_reduce %{{.+}} add along [1] : tensor<1x512xf32, {{.+}}> -> tensor<1x4xf32, [[PARTIAL:.+]]>
// CHECK-NEXT: tile.write %[[PART]] to %[[TILE]]
// CHECK-NEXT: %[[PART2:.+]] = hopper.warp_reduce %{{.+}} max along [1]
// CHECK-NEXT: tile.write %[[PART2]] to %[[OTHER]]
// CHECK-NEXT: %[[PARTS:.+]] = tile.read %[[TILE]] : {{.*}} -> tensor<1x4xf32
// CHECK-NEXT: %[[PARTS2:.+]] = tile.read %[[OTHER]] : {{.*}} -> tensor<1x4xf32
// CHECK-DAG: hopper.warp_reduce %[[PARTS]] add along [1] : {{.*}} -> tensor<1xf32
// CHECK-DAG: hopper.warp_reduce %[[PARTS2]] max along [1]
// A third one uses the first tile, which has been read.
// CHECK: tile.write %{{.+}} to %[[TILE]]
// CHECK-NOT: tile.alloc
tile.kernel @across_warps {
  %M = tile.size "M"
  %A = tile.tensor "A" input [%M, %M] align 16 : !tile.tensor<f32, 2>
  %D = tile.tensor "D" output [%M] align 16 : !tile.tensor<f32, 1>
  tile.role "all" warps 4 {
    %c0 = arith.constant 0 : index
    %x = tile.load %A[%c0, %c0] : !tile.tensor<f32, 2> -> tensor<1x512xf32>
    %r = tile.reduce %x add along [1] : tensor<1x512xf32> -> tensor<1xf32>
    %s = tile.reduce %x max along [1] : tensor<1x512xf32> -> tensor<1xf32>
    tile.store %r to %D[%c0] : tensor<1xf32>, !tile.tensor<f32, 1>
    tile.store %s to %D[%c0] : tensor<1xf32>, !tile.tensor<f32, 1>
    %t = tile.reduce %x min along [1] : tensor<1x512xf32> -> tensor<1xf32>
    tile.store %t to %D[%c0] : tensor<1xf32>, !tile.tensor<f32, 1>
  }
}

// -----

// A warp scans its rows; of a row that lies in four warps each goes on behind
// what the parts before its own are together.

// CHECK-LABEL: tile.kernel @scans
// CHECK: hopper.warp_scan exclusive %{{.+}} max along 1 : tensor<64x32xf32
// CHECK: %[[TOTALS:.+]] = hopper.warp_totals %[[X:.+]] add along 1 : tensor<1x512xf32, {{.+}}> -> tensor<1x4xf32
// CHECK-NEXT: tile.write %[[TOTALS]] to %[[TILE:.+]] :
// CHECK-NEXT: %[[ALL:.+]] = tile.read %[[TILE]]
// CHECK-NEXT: hopper.warp_scan %[[X]] add along 1 behind %[[ALL]] : tensor<1x4xf32
tile.kernel @scans {
  %M = tile.size "M"
  %A = tile.tensor "A" input [%M, %M] align 16 : !tile.tensor<f32, 2>
  %D = tile.tensor "D" output [%M, %M] align 16 : !tile.tensor<f32, 2>
  tile.role "all" warps 4 {
    %c0 = arith.constant 0 : index
    %x = tile.load %A[%c0, %c0] : !tile.tensor<f32, 2> -> tensor<64x32xf32>
    %r = tile.scan exclusive %x max along 1 : tensor<64x32xf32>
    tile.store %r to %D[%c0, %c0] : tensor<64x32xf32>, !tile.tensor<f32, 2>
    %y = tile.load %A[%c0, %c0] : !tile.tensor<f32, 2> -> tensor<1x512xf32>
    %s = tile.scan %y add along 1 : tensor<1x512xf32>
    tile.store %s to %D[%c0, %c0] : tensor<1x512xf32>, !tile.tensor<f32, 2>
  }
}

// -----

// Of an input each thread reads; of what others may write meanwhile the first
// one, which tells the others.

// CHECK-LABEL: tile.kernel @values
tile.kernel @values {
  %M = tile.size "M"
  %A = tile.tensor "A" input [%M] align 16 : !tile.tensor<f32, 1>
  %C = tile.tensor "C" inout [%M] align 4 : !tile.tensor<i32, 1>
  // CHECK: tile.role "one" warps 1
  tile.role "one" warps 1 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // CHECK: tile.value %{{.+}}[%{{.+}}] : <f32, 1> -> f32
    // CHECK-NOT: first_lane
    // CHECK: %[[READ:.+]] = tile.value %{{.+}}[%{{.+}}] apart : <i32, 1> -> i32
    // CHECK-NEXT: %[[FIRST:.+]] = hopper.first_lane %[[READ]] : i32 -> i32
    // CHECK-NEXT: arith.index_cast %[[FIRST]]
    %f = tile.value %A[%c0] : !tile.tensor<f32, 1> -> f32
    %n = tile.value %C[%c0] : !tile.tensor<i32, 1> -> i32
    %i = arith.index_cast %n : i32 to index
    %m = tile.value %A[%i] : !tile.tensor<f32, 1> -> f32
  }
  // CHECK: %[[TILE:.+]] = tile.alloc : <1xi32
  // CHECK: tile.role "four" warps 4
  tile.role "four" warps 4 {
    %c0 = arith.constant 0 : index
    %one = arith.constant 1 : i32
    // CHECK: %[[OLD:.+]] = tile.atomic add %{{.+}} apart
    // CHECK-NEXT: %[[HELD:.+]] = tile.splat %[[OLD]]
    // CHECK-NEXT: tile.write %[[HELD]] to %[[TILE]]
    // CHECK-NEXT: %[[ALL:.+]] = tile.read %[[TILE]]
    // CHECK-NEXT: %[[AGREED:.+]] = tile.element %[[ALL]]
    // CHECK-NEXT: arith.index_cast %[[AGREED]]
    %old = tile.atomic add %one into %C[%c0] : i32, !tile.tensor<i32, 1> -> i32
    %i = arith.index_cast %old : i32 to index
    %m = tile.value %A[%i] : !tile.tensor<f32, 1> -> f32
    // What nobody uses nobody is told.
    // CHECK: tile.atomic max
    // CHECK-NOT: tile.splat
    %unused = tile.atomic max %one into %C[%c0] : i32, !tile.tensor<i32, 1> -> i32
  }
}

// -----

// A sum that becomes A of 8 bits is relayed in each warp, once for two products.

// CHECK-LABEL: tile.kernel @to_operand
// CHECK-NOT: tile.alloc : <64x32xf8E4M3FN, "S<0
// CHECK: %[[A:.+]] = hopper.warp_relay %{{.+}} : tensor<64x32xf8E4M3FN, {{.+}}> -> tensor<64x32xf8E4M3FN, #tile.fragment<"64x32 (4,8,4,1):(256,1,16,64) / (4,2,2,1):(64,8,1024,64)">>
// CHECK-NOT: hopper.warp_relay
// CHECK: tile.mma %[[A]],
// CHECK: tile.mma %[[A]],
tile.kernel @to_operand {
  %q = tile.alloc : !tile.shared<64x64xbf16>
  %k = tile.alloc : !tile.shared<32x64xbf16>
  %v = tile.alloc : !tile.shared<64x32xf8E4M3FN>
  tile.role "math" warps 4 {
    %zero = arith.constant dense<0.0> : tensor<64x32xf32>
    %none = arith.constant dense<0.0> : tensor<64x64xf32>
    %s = tile.mma %q, %k transposed, %zero : !tile.shared<64x64xbf16>, !tile.shared<32x64xbf16>, tensor<64x32xf32>
    %p = arith.truncf %s : tensor<64x32xf32> to tensor<64x32xf8E4M3FN>
    %x = tile.mma %p, %v transposed, %none : tensor<64x32xf8E4M3FN>, !tile.shared<64x32xf8E4M3FN>, tensor<64x64xf32>
    %y = tile.mma %p, %v transposed, %x : tensor<64x32xf8E4M3FN>, !tile.shared<64x32xf8E4M3FN>, tensor<64x64xf32>
  }
}
