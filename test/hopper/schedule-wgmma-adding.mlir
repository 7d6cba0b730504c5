// RUN: ashlar-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-verify-protocol,tile-assign-layouts,tile-plan-memory),tile-to-hopper,hopper.kernel(hopper-schedule-wgmma))' | FileCheck %s

// Products that are added to a sum: while one is added the next is in flight,
// if the role has registers for the sum and two products.

!smem = !tile.shared<64x64xbf16>
!ring = !tile.pipeline<3, [!smem]>
!T = !tile.tensor<bf16, 2>
// CHECK-LABEL: hopper.kernel @in_flight
tile.kernel @in_flight {
  %M = tile.size "M"
  %A = tile.tensor "A" input [%M, %M] align 16 : !T
  %ring = tile.pipeline : !ring
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.role "load" warps 1 registers 40 {
    scf.for %k = %c0 to %M step %c1 {
      %s = tile.acquire %ring : !ring
      %a = tile.buffer %s[0] : !smem
      tile.copy %A[%c0, %c0] to %a : !T, !smem
      tile.commit %ring, %s : !ring
    }
  }
  tile.role "math" warps 4 registers 136 {
    // CHECK: hopper.role "math"
    // CHECK: scf.if
    // CHECK: %[[FIRST:.*]] = hopper.wgmma fence
    // CHECK-NEXT: hopper.wgmma.commit
    // CHECK: scf.for {{.*}} iter_args(%[[SUM:.*]] = %{{.*}}, %[[BEFORE:.*]] = %[[FIRST]],
    // CHECK: %[[ODD:.*]] = hopper.wgmma fence
    // CHECK-NEXT: hopper.wgmma.commit
    // CHECK-NEXT: %[[DONE:.*]] = hopper.wgmma.wait 1, %[[BEFORE]]
    // CHECK-NEXT: hopper.once_per_warp
    // CHECK: %[[PARTIAL:.*]] = arith.addf %[[SUM]], %[[DONE]]
    // CHECK: %[[EVEN:.*]] = hopper.wgmma fence
    // CHECK-NEXT: hopper.wgmma.commit
    // CHECK-NEXT: %[[DONE:.*]] = hopper.wgmma.wait 1, %[[ODD]]
    // CHECK: %[[BOTH:.*]] = arith.addf %[[PARTIAL]], %[[DONE]]
    // CHECK: scf.yield %[[BOTH]], %[[EVEN]],
    // CHECK: scf.if
    // CHECK: hopper.wgmma fence
    // CHECK: hopper.wgmma.wait 1
    // CHECK: hopper.wgmma.wait 0
    // CHECK: else
    // CHECK: hopper.wgmma.wait 0
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %r = scf.for %k = %c0 to %M step %c1 iter_args(%x = %zero) -> tensor<64x64xf32> {
      %s = tile.wait %ring : !ring
      %a = tile.buffer %s[0] : !smem
      %y = tile.mma %a, %a transposed, %zero : !smem, !smem, tensor<64x64xf32>
      tile.release %ring, %s : !ring
      %z = arith.addf %x, %y : tensor<64x64xf32>
      scf.yield %z : tensor<64x64xf32>
    }
  }
}

// CHECK-LABEL: hopper.kernel @too_few_registers
tile.kernel @too_few_registers {
  %M = tile.size "M"
  %A = tile.tensor "A" input [%M, %M] align 16 : !T
  %ring = tile.pipeline : !ring
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.role "load" warps 1 registers 40 {
    scf.for %k = %c0 to %M step %c1 {
      %s = tile.acquire %ring : !ring
      %a = tile.buffer %s[0] : !smem
      tile.copy %A[%c0, %c0] to %a : !T, !smem
      tile.commit %ring, %s : !ring
    }
  }
  tile.role "math" warps 4 registers 128 {
    // CHECK: hopper.role "math"
    // CHECK: scf.for
    // CHECK: hopper.wgmma fence
    // CHECK-NEXT: hopper.wgmma.commit
    // CHECK-NEXT: hopper.wgmma.wait 0
    // CHECK: arith.addf
    // CHECK-NOT: hopper.wgmma
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %r = scf.for %k = %c0 to %M step %c1 iter_args(%x = %zero) -> tensor<64x64xf32> {
      %s = tile.wait %ring : !ring
      %a = tile.buffer %s[0] : !smem
      %y = tile.mma %a, %a transposed, %zero : !smem, !smem, tensor<64x64xf32>
      tile.release %ring, %s : !ring
      %z = arith.addf %x, %y : tensor<64x64xf32>
      scf.yield %z : tensor<64x64xf32>
    }
  }
}
