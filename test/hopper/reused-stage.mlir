// RUN: ashlar-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-verify-protocol,tile-assign-layouts,tile-plan-memory,tile-expand),tile-to-hopper,hopper.kernel(hopper-join-once,hopper-start-early))' | FileCheck %s

// A stage that is committed empty is reused by the role that drains the pipeline:
// each warp stages its rows in it, and tells when TMA has read them.

!smem = !tile.shared<64x64xbf16>
!half = !tile.shared<64x32xbf16>
!ring = !tile.pipeline<2, [!smem, !smem]>
!T = !tile.tensor<bf16, 2>
// CHECK-LABEL: hopper.kernel @reused_stage
tile.kernel @reused_stage {
  // CHECK-DAG: hopper.tensor_map "D" box [16, 32] swizzle 64
  // CHECK-DAG: hopper.tensor_map "D" box [16, 16] swizzle 64
  %M = tile.size "M"
  %A = tile.tensor "A" input [%M, %M] align 16 : !T
  %D = tile.tensor "D" output [%M, %M] align 16 : !T
  %ring = tile.pipeline : !ring
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  // CHECK: hopper.role "load"
  tile.role "load" warps 1 {
    %s = tile.acquire %ring : !ring
    %a = tile.buffer %s[0] : !smem
    tile.copy %A[%c0, %c0] to %a : !T, !smem
    tile.commit %ring, %s : !ring
    // The arrival alone completes the phase.
    // CHECK: hopper.tma.load
    // CHECK: hopper.mbarrier.arrive
    // CHECK: hopper.mbarrier.wait
    // CHECK-NOT: hopper.mbarrier.expect
    // CHECK: hopper.mbarrier.arrive
    %t = tile.acquire %ring : !ring
    tile.commit %ring, %t : !ring
  }
  // CHECK: hopper.role "math"
  tile.role "math" warps 4 {
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %s = tile.wait %ring : !ring
    %a = tile.buffer %s[0] : !smem
    %acc = tile.mma %a, %a transposed, %zero : !smem, !smem, tensor<64x64xf32>
    tile.release %ring, %s : !ring
    %t = tile.wait %ring : !ring
    %b = tile.buffer %t[0] : !smem
    %staging = tile.view %b number 1 : !smem -> !half
    %first = tile.slice %acc from [0, 0] : tensor<64x64xf32> -> tensor<64x32xf32>
    %f = arith.truncf %first : tensor<64x32xf32> to tensor<64x32xbf16>
    // Nothing was stored from this stage before.
    // CHECK: hopper.mma
    // CHECK: hopper.mbarrier.wait
    // CHECK: %[[BYTES:.+]] = arith.constant 4096 : index
    // CHECK: %[[AT:.+]] = arith.addi %{{.+}}, %[[BYTES]]
    // CHECK: %[[STAGING:.+]] = hopper.view %[[AT]] of %{{.+}} : <64x32xbf16,
    // CHECK-NOT: hopper.bulk.wait
    // CHECK: hopper.shared_store %{{.+}} to %[[STAGING]] :
    tile.write %f to %staging : tensor<64x32xbf16>, !half
    tile.copy_out %staging to %D[%c0, %c0] : !half, !T
    %part = tile.part %staging from [0, 0] : !half -> !tile.shared<64x16xbf16>
    %second = tile.slice %acc from [0, 32] : tensor<64x64xf32> -> tensor<64x16xf32>
    %g = arith.truncf %second : tensor<64x16xf32> to tensor<64x16xbf16>
    // CHECK: hopper.slice %{{.+}} from [0, 32]
    // CHECK-NEXT: arith.truncf
    // CHECK-NEXT: hopper.once_per_warp {
    // CHECK-NEXT: hopper.bulk.wait 0 read
    // CHECK-NEXT: }
    // CHECK-NEXT: hopper.warp_sync
    // CHECK-NEXT: hopper.shared_store
    tile.write %g to %part : tensor<64x16xbf16>, !tile.shared<64x16xbf16>
    tile.copy_out %part to %D[%c0, %c32] : !tile.shared<64x16xbf16>, !T
    // CHECK: hopper.bulk.commit
    // CHECK: hopper.once_per_warp {
    // CHECK-NEXT: hopper.bulk.wait 0 read
    // CHECK-NEXT: }
    // CHECK-NOT: hopper.named_barrier
    // CHECK: hopper.release
    tile.release %ring, %t : !ring
  }
}
