// RUN: ashlar-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-verify-protocol,tile-assign-layouts,tile-plan-memory,tile-expand),tile-to-hopper)' | FileCheck %s

// Loops and branches carry a stage as its number; a part whose place an index
// chooses is as much further, where it is checked.

!smem = !tile.shared<64x64xbf16>
!part = !tile.shared<8x64xbf16>
!ring = !tile.pipeline<3, [!smem]>
!T = !tile.tensor<bf16, 2>
// CHECK-LABEL: hopper.kernel @carried
tile.kernel @carried {
  %M = tile.size "M"
  %A = tile.tensor "A" input [%M, %M] align 16 : !T
  %ring = tile.pipeline : !ring
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  // CHECK: hopper.role "load"
  tile.role "load" warps 1 {
    scf.for %i = %c0 to %M step %c1 {
      %s = tile.acquire %ring : !ring
      %a = tile.buffer %s[0] : !smem
      scf.for %j = %c0 to %M step %c8 {
        // CHECK: scf.for
        // CHECK: scf.for %[[ROW:[a-z0-9]+]] =
        // CHECK: %[[INSIDE:.+]] = arith.cmpi ule, %[[ROW]], %
        // CHECK: hopper.expect %[[INSIDE]], "the part of a shared tile begins along dimension 0 from 0 to 56"
        // CHECK: hopper.expect %{{.+}}, "the part of a shared tile begins along dimension 0 at a multiple of 8"
        // CHECK: %[[BYTES:.+]] = arith.muli %[[ROW]], %{{c128.*}} : index
        // CHECK: %[[TO:.+]] = arith.addi %{{.+}}, %[[BYTES]] : index
        // CHECK: hopper.mbarrier.expect_bytes %{{.+}}, 1024
        // CHECK: hopper.tma.load {{.+}} to %[[TO]]
        %part = tile.part %a from [%j, 0] checked : !smem -> !part
        tile.copy %A[%j, %c0] to %part : !T, !part
      }
      tile.commit %ring, %s : !ring
    }
  }
  // CHECK: hopper.role "sum"
  tile.role "sum" warps 4 {
    %first = tile.wait %ring : !ring
    // CHECK: %[[LAST:.+]]:3 = scf.for {{.+}} iter_args(%[[BEFORE:.+]] = %{{.+}}, %[[NEXT:.+]] = %{{.+}}, %{{.+}} = %{{.+}}) -> (index, index, index)
    %last = scf.for %i = %c1 to %M step %c1 iter_args(%before = %first) -> !tile.stage {
      %s = tile.wait %ring : !ring
      // CHECK: hopper.view %{{.+}} of %[[BEFORE]]
      %a = tile.buffer %before[0] : !smem
      %f = tile.read %a : !smem -> tensor<64x64xbf16>
      %is_first = arith.cmpi eq, %i, %c1 : index
      // CHECK: %[[KEPT:.+]] = scf.if %{{.+}} -> (index)
      %next = scf.if %is_first -> !tile.stage {
        // CHECK: hopper.release %[[BEFORE]]
        // CHECK: scf.yield %[[NEXT]] : index
        tile.release %ring, %before : !ring
        scf.yield %s : !tile.stage
      } else {
        // CHECK: hopper.release %[[NEXT]]
        // CHECK: scf.yield %[[BEFORE]] : index
        tile.release %ring, %s : !ring
        scf.yield %before : !tile.stage
      }
      // CHECK: scf.yield %[[KEPT]],
      scf.yield %next : !tile.stage
    }
    // CHECK: hopper.release %[[LAST]]#0
    tile.release %ring, %last : !ring
  }
}
