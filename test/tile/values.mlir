// RUN: ashlar-opt %s | ashlar-opt | FileCheck %s

// What is combined of a fragment, its coordinates, and single values of memory.

// CHECK-LABEL: tile.kernel @values
tile.kernel @values {
  %M = tile.size "M"
  %A = tile.tensor "A" input [%M, %M] align 16 : !tile.tensor<f32, 2>
  %C = tile.tensor "C" inout [%M] align 4 : !tile.tensor<i32, 1>
  %staged = tile.alloc : !tile.shared<8x16xbf16>
  tile.role "all" warps 4 {
    %c0 = arith.constant 0 : index
    %n = arith.constant 5 : i32
    %x = tile.load %A[%c0, %c0] : !tile.tensor<f32, 2> -> tensor<64x32xf32>
    // CHECK: tile.coordinate 1 : tensor<64x32xi32>
    %columns = tile.coordinate 1 : tensor<64x32xi32>
    // CHECK: tile.reduce %{{.+}} max along [1] : tensor<64x32xf32> -> tensor<64xf32>
    %rows = tile.reduce %x max along [1] : tensor<64x32xf32> -> tensor<64xf32>
    // CHECK: %[[ALL:.+]] = tile.reduce %{{.+}} add along [0, 1] : tensor<64x32xf32> -> tensor<1xf32>
    %all = tile.reduce %x add along [0, 1] : tensor<64x32xf32> -> tensor<1xf32>
    // CHECK: tile.scan exclusive %{{.+}} add along 1 : tensor<64x32xf32>
    %before = tile.scan exclusive %x add along 1 : tensor<64x32xf32>
    // CHECK: %[[PTX:.+]] = tile.ptx "add.f32 $0, $1, $2;"(%{{.+}}, %{{.+}}) : (tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>
    %y = tile.ptx "add.f32 $0, $1, $2;"(%x, %before) : (tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>
    // CHECK: tile.ptx_once "prefetch.global.L2 [$0];"(%{{.+}}) : i32
    tile.ptx_once "prefetch.global.L2 [$0];"(%n) : i32
    // CHECK: tile.print "{} {}"(%[[PTX]], %{{.+}}) : tensor<64x32xf32>, i32
    tile.print "{} {}"(%y, %n) : tensor<64x32xf32>, i32
    // CHECK: tile.print "here"
    tile.print "here"
    %true = arith.constant true
    // CHECK: tile.expect %{{.+}}, "it is true" : i1
    tile.expect %true, "it is true" : i1
    // CHECK: tile.element %[[ALL]] : tensor<1xf32> -> f32
    %sum = tile.element %all : tensor<1xf32> -> f32
    // CHECK: tile.value %{{.+}}[%{{.+}}, %{{.+}}] : <f32, 2> -> f32
    %v = tile.value %A[%c0, %c0] : !tile.tensor<f32, 2> -> f32
    // CHECK: tile.value %{{.+}}[%{{.+}}] apart : <i32, 1> -> i32
    %w = tile.value %C[%c0] apart : !tile.tensor<i32, 1> -> i32
    // CHECK: tile.shared_value %{{.+}}[%{{.+}}, %{{.+}}] : <8x16xbf16> -> bf16
    %s = tile.shared_value %staged[%c0, %c0] : !tile.shared<8x16xbf16> -> bf16
    // CHECK: tile.atomic add %{{.+}} into %{{.+}}[%{{.+}}] : i32, <i32, 1> -> i32
    %old = tile.atomic add %n into %C[%c0] : i32, !tile.tensor<i32, 1> -> i32
    // CHECK: tile.atomic compare_swap %{{.+}} where %{{.+}} : i32 into %{{.+}}[%{{.+}}] apart : i32, <i32, 1> -> i32
    %swapped = tile.atomic compare_swap %n where %old : i32 into %C[%c0] apart : i32, !tile.tensor<i32, 1> -> i32
  }
}
