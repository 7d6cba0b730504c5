// RUN: ashlar-opt %s --split-input-file --hopper-to-thread | FileCheck %s

// Where the whole tile is inside, vectors without a test; at the edge each
// element by itself, if its row and its column are inside.

!bf16 = tensor<64x8xbf16, #tile.fragment<"64x8 (4,8,4,1):(128,1,16,64) / (2,2,1,1):(64,8,512,64)">>
// CHECK-LABEL: llvm.func @store(
// CHECK-SAME: %[[M:[^ ]+]]: i32, %[[N:[^ ]+]]: i32, %{{.+}}: !llvm.ptr<1>
hopper.kernel @store threads 128 shared 0 cluster 1 {
  %m = hopper.size "M"
  %n = hopper.size "N"
  %D = hopper.pointer "D" : !hopper.pointer
  %stride = hopper.stride "D"[0]
  %one = arith.constant 1 : i64
  %c0 = arith.constant 0 : index
  hopper.role "math" from 0 warps 4 {
    %f = arith.constant dense<1.0> : !bf16
    // CHECK: %[[ROWS:.+]] = arith.cmpi slt, %c63_i32{{.*}}, %[[M]]
    // CHECK: %[[COLUMNS:.+]] = arith.cmpi slt, %c7_i32{{.*}}, %[[N]]
    // CHECK: %[[INSIDE:.+]] = arith.andi %[[ROWS]], %[[COLUMNS]]
    // CHECK: scf.if %[[INSIDE]] {
    // CHECK-COUNT-2: "st.global.b32 [$0], $1;"
    // CHECK-NOT: st.global
    // CHECK: } else {
    // CHECK-COUNT-4: @p st.global.b16 [$0], $1;
    // CHECK-NOT: st.global
    hopper.store %f to %D[%c0, %c0] within [%m, %n] strides [%stride, %one] align 16 {nonnegative} : !bf16, !hopper.pointer
  }
}

// -----

// Rows that are not aligned to a vector are stored by element everywhere.

!bf16 = tensor<64x8xbf16, #tile.fragment<"64x8 (4,8,4,1):(128,1,16,64) / (2,2,1,1):(64,8,512,64)">>
// CHECK-LABEL: llvm.func @unaligned
hopper.kernel @unaligned threads 128 shared 0 cluster 1 {
  %m = hopper.size "M"
  %D = hopper.pointer "D" : !hopper.pointer
  %stride = hopper.stride "D"[0]
  %one = arith.constant 1 : i64
  %c0 = arith.constant 0 : index
  hopper.role "math" from 0 warps 4 {
    %f = arith.constant dense<1.0> : !bf16
    // CHECK-COUNT-4: "st.global.b16 [$0], $1;"
    // CHECK: } else {
    // CHECK-COUNT-4: @p st.global.b16 [$0], $1;
    hopper.store %f to %D[%c0, %c0] within [%m, %m] strides [%stride, %one] align 2 {nonnegative} : !bf16, !hopper.pointer
  }
}

// -----

// Rows on any element come in the words around them: without a test where the
// tensor has all of these, else as many as it has, and elements of those that
// reach beyond it. Of what the kernel writes, elements.

!word = tensor<4x64xbf16, #tile.fragment<"4x64 (8,4):(32,1) / 8:4">>
// CHECK-LABEL: llvm.func @shifted
hopper.kernel @shifted threads 32 shared 0 cluster 1 {
  %m = hopper.size "M"
  %A = hopper.pointer "A" : !hopper.pointer
  %stride = hopper.stride "A"[0]
  %one = arith.constant 1 : i64
  %c0 = arith.constant 0 : index
  hopper.role "math" from 0 warps 1 {
    // CHECK: scf.if {{.*}} -> (i32, i32, i32, i32)
    // CHECK-COUNT-2: //@ around\0A\09ld.global.v4.b32
    // CHECK-COUNT-2: "shf.r.wrap.b32
    // CHECK: } else {
    // CHECK-COUNT-2: //@ around\0A\09@p ld.global.v4.b32
    // CHECK-COUNT-8: @p ld.global.b16
    %f = hopper.load %A[%c0, %c0] within [%m, %m] strides [%stride, %one] align 2 {nonnegative} : !hopper.pointer -> !word
    // CHECK-NOT: //@ around
    // CHECK: @p ld.global.b16
    %g = hopper.load %A[%c0, %c0] within [%m, %m] strides [%stride, %one] align 2 written {nonnegative} : !hopper.pointer -> !word
  }
}

// -----

// A load past the edge gives zeros.

!f32 = tensor<16x8xf32, #tile.fragment<"16x8 (2,16):(64,1) / (4,1,1):(16,128,16)">>
// CHECK-LABEL: llvm.func @load
hopper.kernel @load threads 32 shared 0 cluster 1 {
  %m = hopper.size "M"
  %A = hopper.pointer "A" : !hopper.pointer
  %stride = hopper.stride "A"[0]
  %one = arith.constant 1 : i64
  %c0 = arith.constant 0 : index
  hopper.role "math" from 0 warps 1 {
    // CHECK: scf.if {{.*}} -> (f32, f32, f32, f32)
    // CHECK: "ld.global.v4.b32 {$0, $1, $2, $3}, [$4];"
    // CHECK: } else {
    // CHECK-COUNT-4: mov.b32 e0, 0;{{.*}}@p ld.global.b32 e0, [$1];
    %f = hopper.load %A[%c0, %c0] within [%m, %m] strides [%stride, %one] align 16 {nonnegative} : !hopper.pointer -> !f32
  }
}

// -----

// Where rows alone may lie outside, each vector has a test and there is no
// branch.

!f32 = tensor<16x8xf32, #tile.fragment<"16x8 (2,16):(64,1) / (4,1,1):(16,128,16)">>
// CHECK-LABEL: llvm.func @rows
hopper.kernel @rows threads 32 shared 0 cluster 1 {
  %m = hopper.size "M"
  %A = hopper.pointer "A" : !hopper.pointer
  %D = hopper.pointer "D" : !hopper.pointer
  %stride = hopper.stride "A"[0]
  %one = arith.constant 1 : i64
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  hopper.role "math" from 0 warps 1 {
    // CHECK-NOT: scf.if
    // CHECK: @p ld.global.v4.b32
    %f = hopper.load %A[%c0, %c0] within [%m, %c64] strides [%stride, %one] align 16 {nonnegative} : !hopper.pointer -> !f32
    // CHECK-NOT: scf.if
    // CHECK: @p st.global.v4.b32
    hopper.store %f to %D[%c0, %c0] within [%m, %c64] strides [%stride, %one] align 16 {nonnegative} : !f32, !hopper.pointer
    // CHECK-NOT: scf.if
    // CHECK: llvm.return
  }
}

// -----

// One value is loaded under a condition, without a branch.

!one = tensor<1xf32, #tile.fragment<"1 32:0 / 1:0">>
// CHECK-LABEL: llvm.func @load_one
hopper.kernel @load_one threads 32 shared 0 cluster 1 {
  %m = hopper.size "M"
  %A = hopper.pointer "A" : !hopper.pointer
  %one = arith.constant 1 : i64
  %c0 = arith.constant 0 : index
  hopper.role "math" from 0 warps 1 {
    // CHECK-NOT: scf.if {{.*}} -> (f32)
    // CHECK: @p ld.global.b32 e0, [$1];
    %f = hopper.load %A[%c0] within [%m] strides [%one] align 4 {nonnegative} : !hopper.pointer -> !one
  }
}

// -----

// Shared memory is reached through the tile's swizzle, 16 bytes at once where
// the fragment has them.

!tile = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
!bf16 = tensor<64x64xbf16, #tile.fragment<"64x64 (8,16):(512,1) / (8,1,4):(64,4096,16)">>
// CHECK-LABEL: llvm.func @shared
hopper.kernel @shared threads 128 shared 8192 cluster 1 {
  hopper.role "math" from 0 warps 4 {
    %at = hopper.shared_address 0
    %v = hopper.view %at : !tile
    // CHECK: %[[MOVED:.+]] = arith.shrui %[[OFFSET:.+]], %c3
    // CHECK: %[[BITS:.+]] = arith.andi %[[MOVED]], %c112
    // CHECK: arith.xori %[[OFFSET]], %[[BITS]]
    // CHECK: "ld.shared::cta.v4.b32 {$0, $1, $2, $3}, [$4];"
    // CHECK-COUNT-3: ld.shared::cta.v4.b32
    // CHECK-NOT: ld.shared
    %f = hopper.shared_load %v : !tile -> !bf16
    // CHECK-COUNT-4: "st.shared::cta.v4.b32 [$0], {$1, $2, $3, $4};"
    // CHECK-NOT: st.shared
    hopper.shared_store %f to %v : !bf16, !tile
  }
}

// -----

// A tile that is known to lie inside in its own dimensions has no edge: it is
// inside as a whole or outside, where nothing is stored and zeros are loaded.

!f32 = tensor<16x8xf32, #tile.fragment<"16x8 (2,16):(64,1) / (4,1,1):(16,128,16)">>
// CHECK-LABEL: llvm.func @no_edge
// CHECK-SAME: %[[COUNT:[^ ]+]]: i32
hopper.kernel @no_edge threads 32 shared 0 cluster 1 {
  %count = hopper.size "CTAs"
  %D = hopper.pointer "D" : !hopper.pointer
  %stride = arith.constant 8 : i64
  %plane = arith.constant 128 : i64
  %one = arith.constant 1 : i64
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  hopper.role "math" from 0 warps 1 {
    %cta = hopper.special_register "ctaid.x"
    // CHECK: scf.if %{{.+}} -> (f32, f32, f32, f32) {
    // CHECK: ld.global
    // CHECK: } else {
    // CHECK-NOT: ld.global
    // CHECK: scf.yield %[[ZERO:.+]], %[[ZERO]], %[[ZERO]], %[[ZERO]]
    %f = hopper.load %D[%cta, %c0, %c0] within [%count, %c16, %c8] strides [%plane, %stride, %one] align 16 {nonnegative} : !hopper.pointer -> !f32
    // CHECK: scf.if %{{.+}} {
    // CHECK: st.global
    // CHECK-NOT: else
    // CHECK-NOT: @p st.global
    // CHECK: llvm.return
    hopper.store %f to %D[%cta, %c0, %c0] within [%count, %c16, %c8] strides [%plane, %stride, %one] align 16 {nonnegative} : !f32, !hopper.pointer
  }
}

// -----

// Four threads hold a byte each of every word: each loads four words, and takes
// its bytes from them.

!pairs = tensor<64x16xvector<2xi4>, #tile.fragment<"64x16 (4,8,4,1):(64,1,16,64) / (1,2,4,1):(64,8,256,64)">>
!tile = !tile.shared<64x16xvector<2xi4>, "S<0,4,3> o (64,16):(16,1)">
// CHECK-LABEL: llvm.func @bytes_of_words
hopper.kernel @bytes_of_words threads 128 shared 1024 cluster 1 {
  hopper.role "math" from 0 warps 4 {
    %at = hopper.shared_address 0
    %view = hopper.view %at : !tile
    // CHECK: %[[BYTE:.+]] = arith.andi %{{.+}}, %c3_i32
    // CHECK: "ld.shared::cta.v4.b32 {$0, $1, $2, $3}, [$4];"
    // CHECK-COUNT-2: "prmt.b32 $0, $1, $2, $3;"
    // CHECK: "ld.shared::cta.v4.b32 {$0, $1, $2, $3}, [$4];"
    // CHECK-COUNT-2: "prmt.b32 $0, $1, $2, $3;"
    // CHECK-NOT: ld.shared
    %x = hopper.shared_load %view : !tile -> !pairs
    hopper.shared_store %x to %view : !pairs, !tile
  }
}

// -----

// A thread holds four rows of bytes: its columns are words of the tile they are
// transposed in, and so what it loads from there.

!bytes = tensor<64x32xf8E4M3FN, #tile.fragment<"64x32 (2,4,2,2):(1024,4,32,16) / (16,4):(64,1)">>
!tile = !tile.shared<32x64xf8E4M3FN, "S<2,4,3> o (32,64):(64,1)">
// CHECK-LABEL: llvm.func @words_of_columns
hopper.kernel @words_of_columns threads 32 shared 2048 cluster 1 {
  hopper.role "math" from 0 warps 1 {
    %at = hopper.shared_address 0
    %view = hopper.view %at : !tile
    // CHECK-COUNT-4: "ld.shared::cta.b32 $0, [$1];"
    // CHECK-COUNT-8: "prmt.b32 $0, $1, $2, $3;"
    // CHECK-COUNT-12: "ld.shared::cta.b32 $0, [$1];"
    // CHECK-NOT: ld.shared
    %x = hopper.shared_load %view transposed : !tile -> !bytes
    // CHECK-COUNT-16: "st.shared::cta.b32 [$0], $1;"
    // CHECK-NOT: st.shared
    hopper.shared_store %x to %view transposed : !bytes, !tile
  }
}

// -----

// Columns of a warp lie in two boxes of the tile: each value has its own place.

!across = tensor<8x96xbf16, #tile.fragment<"8x96 (4,8,4):(16,1,192) / (2,3):(8,64)">>
!boxes = !tile.shared<8x96xbf16, "S<0,4,3> o (8,(32,3)):(64,(2,512))">
// CHECK-LABEL: llvm.func @across_boxes
hopper.kernel @across_boxes threads 128 shared 4096 cluster 1 {
  hopper.role "math" from 0 warps 4 {
    %at = hopper.shared_address 0
    %view = hopper.view %at : !boxes
    %x = arith.constant dense<1.0> : !across
    // CHECK-COUNT-3: "st.shared::cta.b32 [$0], $1;"
    // CHECK-NOT: st.shared
    hopper.shared_store %x to %view : !across, !boxes
  }
}
