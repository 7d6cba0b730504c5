// RUN: ashlar-opt %s --split-input-file --pass-pipeline='builtin.module(tile.kernel(tile-verify-protocol,tile-assign-layouts,tile-plan-memory))' | FileCheck %s

// A part lies as its tile does. A view lies as a tile of its own, and its
// memory is aligned for both.

// CHECK-LABEL: tile.kernel @parts_and_views
// CHECK-SAME: 17536 bytes tiles[2048, 0, 2176]
tile.kernel @parts_and_views {
  %small = tile.alloc : !tile.shared<8x8xbf16>
  // CHECK: tile.alloc : <64x16xbf16,
  %narrow = tile.alloc : !tile.shared<64x16xbf16>
  // CHECK: tile.alloc : <64x120xbf16,
  %wide = tile.alloc : !tile.shared<64x120xbf16>
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  tile.role "math" warps 4 {
    // CHECK: tile.view %{{.+}} number 1 : <64x16xbf16, {{.+}}> -> <8x64xbf16, "S<3,4,3> o (8,64):(128,2)">
    %view = tile.view %narrow number 1 : !tile.shared<64x16xbf16> -> !tile.shared<8x64xbf16>
    // CHECK: tile.part %{{.+}} from [0, 0] : {{.+}} -> <8x48xbf16, "S<3,4,3> o (8,48):(128,2)">
    %part = tile.part %view from [0, 0] : !tile.shared<8x64xbf16> -> !tile.shared<8x48xbf16>
    // CHECK: tile.part %{{.+}} from [32, 8] : {{.+}} -> <32x16xbf16, "S<0,4,3> o (32,(8,2)):(16,(2,1024))">
    %blocks = tile.part %wide from [32, 8] : !tile.shared<64x120xbf16> -> !tile.shared<32x16xbf16>
    scf.for %i = %c0 to %c64 step %c16 {
      // CHECK: tile.part %{{.+}} from [%{{.+}}, 8] : {{.+}} -> <16x16xbf16, "S<0,4,3> o (16,(8,2)):(16,(2,1024))">
      %chosen = tile.part %wide from [%i, 8] : !tile.shared<64x120xbf16> -> !tile.shared<16x16xbf16>
    }
    %f = arith.constant dense<0.0> : tensor<32x16xbf16>
    tile.write %f to %blocks : tensor<32x16xbf16>, !tile.shared<32x16xbf16>
  }
}

// -----

// A stage is aligned for what lies in it when it is reused.

!A = !tile.tensor<bf16, 2>
!tile = !tile.shared<64x32xbf16>
!ring = !tile.pipeline<2, [!tile]>
// CHECK-LABEL: tile.kernel @reused_stage
// CHECK-SAME: rings[<0 every 4096 tiles[0] barriers 8320>]
tile.kernel @reused_stage {
  %M = tile.size "M"
  %A = tile.tensor "A" input [%M, %M] align 16 : !A
  %small = tile.alloc : !tile.shared<8x8xbf16>
  %ring = tile.pipeline : !ring
  %c0 = arith.constant 0 : index
  tile.role "load" warps 1 {
    %s = tile.acquire %ring : !ring
    %a = tile.buffer %s[0] : !tile
    tile.copy %A[%c0, %c0] to %a : !A, !tile
    tile.commit %ring, %s : !ring
    %t = tile.acquire %ring : !ring
    tile.commit %ring, %t : !ring
  }
  tile.role "math" warps 4 {
    %f = arith.constant dense<0.0> : tensor<32x64xbf16>
    %s = tile.wait %ring : !ring
    tile.release %ring, %s : !ring
    %t = tile.wait %ring : !ring
    %a = tile.buffer %t[0] : !tile
    %view = tile.view %a number 0 : !tile -> !tile.shared<32x64xbf16>
    tile.write %f to %view : tensor<32x64xbf16>, !tile.shared<32x64xbf16>
    tile.release %ring, %t : !ring
  }
}
