// RUN: ashlar-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-verify-protocol,tile-assign-layouts,tile-plan-memory),tile-to-hopper,hopper.kernel(hopper-schedule-wgmma))' | FileCheck %s

// The producer takes both stages of the ring at once: a consumer that kept one
// back until its next iteration would wait for ever.

!smem = !tile.shared<64x64xbf16>
!ring = !tile.pipeline<2, [!smem]>
!T = !tile.tensor<bf16, 2>
tile.kernel @lookahead {
  %M = tile.size "M"
  %A = tile.tensor "A" input [%M, %M] align 16 : !T
  %ring = tile.pipeline : !ring
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  tile.role "load" warps 1 {
    scf.for %k = %c0 to %M step %c2 {
      %s0 = tile.acquire %ring : !ring
      %s1 = tile.acquire %ring : !ring
      %a0 = tile.buffer %s0[0] : !smem
      %a1 = tile.buffer %s1[0] : !smem
      tile.copy %A[%c0, %c0] to %a0 : !T, !smem
      tile.copy %A[%c0, %c0] to %a1 : !T, !smem
      tile.commit %ring, %s0 : !ring
      tile.commit %ring, %s1 : !ring
    }
  }
  tile.role "math" warps 4 {
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    // CHECK: hopper.role "math"
    // CHECK: hopper.wgmma fence
    // CHECK-NEXT: hopper.wgmma.commit
    // CHECK-NEXT: hopper.wgmma.wait 0
    // CHECK-NEXT: hopper.once_per_warp
    %r = scf.for %k = %c0 to %M step %c1 iter_args(%x = %zero) -> tensor<64x64xf32> {
      %s = tile.wait %ring : !ring
      %a = tile.buffer %s[0] : !smem
      %y = tile.mma %a, %a transposed, %x : !smem, !smem, tensor<64x64xf32>
      tile.release %ring, %s : !ring
      scf.yield %y : tensor<64x64xf32>
    }
  }
}
