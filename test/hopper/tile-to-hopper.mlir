// RUN: ashlar-opt %s --tile-to-hopper | FileCheck %s

// One producer and one consumer, whose stages have their places.

!smem = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
!ring = !tile.pipeline<2, [!smem]>
!T = !tile.tensor<bf16, 2>
!F = tensor<64x64xf32, #tile.fragment<"64x64 (4,8,4,1):(128,1,16,64) / (2,2,8,1):(64,8,512,64)">>
// CHECK-LABEL: hopper.kernel @product threads 160 shared 16416 cluster 1
tile.kernel @product attributes {plan = #tile.plan<160 threads 16416 bytes rings [<0 every 8192 tiles [0] barriers 16384>] roles [<4>, <0>]>} {
  // CHECK-NEXT: %[[M:.+]] = hopper.size "M"
  // CHECK-NEXT: %[[D:.+]] = hopper.pointer "D"
  // CHECK-NEXT: hopper.stride "D"[0]
  // CHECK-NEXT: %[[MAP:.+]] = hopper.tensor_map "A" box [64, 64] swizzle 128
  // CHECK-NEXT: hopper.once {
  // CHECK-NEXT: hopper.tensor_map.prefetch %[[MAP]]
  // CHECK-NEXT: }
  // CHECK-NOT: tile.
  %M = tile.size "M"
  %A = tile.tensor "A" input [%M, %M] align 16 : !T
  %D = tile.tensor "D" output [%M, %M] align 16 : !tile.tensor<f32, 2>
  %ring = tile.pipeline : !ring
  %c0 = arith.constant 0 : index
  // Full barriers take the producer's arrival, empty ones the consumer's warps'.
  // CHECK: hopper.once {
  // CHECK-NEXT: hopper.shared_address 16384
  // CHECK-NEXT: hopper.mbarrier.init %{{.+}} count 1
  // CHECK-NEXT: hopper.shared_address 16400
  // CHECK-NEXT: hopper.mbarrier.init %{{.+}} count 4
  // CHECK: hopper.mbarrier.fence_init
  // CHECK-NEXT: }
  // CHECK-NEXT: hopper.role "load" from 4 warps 1 {
  // CHECK-NEXT: hopper.sync
  tile.role "load" warps 1 {
    %stage = arith.constant 1 : index
    %parity = arith.constant 0 : index
    // CHECK: hopper.shared_address 16400
    // CHECK: hopper.mbarrier.wait %{{.+}} parity %{{.+}}
    %s = tile.acquire %ring at %stage, %parity : !ring
    %a = tile.buffer %s[0] : !smem
    %row = tile.tile_coordinate %c0 along 0
    // CHECK: hopper.once {
    // CHECK-NEXT: hopper.mbarrier.expect_bytes %{{.+}}, 8192
    // CHECK-NEXT: hopper.tma.load %[[MAP]][
    // CHECK-NEXT: }
    tile.copy %A[%row, %c0] to %a : !T, !smem
    // CHECK: hopper.once {
    // CHECK-NEXT: hopper.mbarrier.arrive
    // CHECK-NEXT: }
    tile.commit %ring, %s : !ring
  }
  // CHECK: hopper.role "math" from 0 warps 4 {
  tile.role "math" warps 4 {
    %zero = arith.constant dense<0.0> : !F
    // CHECK: hopper.mbarrier.wait %{{.+}} parity %{{.+}} holds [1] of [16384]
    %s = tile.wait %ring at %c0, %c0 holds [1] : !ring
    // CHECK: %[[TILE:.+]] = hopper.view %{{.+}} of %{{.+}} :
    %a = tile.buffer %s[0] : !smem
    // CHECK: %[[SUM:.+]] = hopper.mma %[[TILE]], %[[TILE]] transposed
    %sum = tile.mma %a, %a transposed, %zero : !smem, !smem, !F
    // CHECK: hopper.release %{{.+}} of 16384 newer 1 {
    // CHECK: hopper.mbarrier.arrive
    tile.release %ring, %s newer 1 : !ring
    // CHECK: hopper.store %[[SUM]] to %[[D]][%{{.+}}] within[%[[M]], %[[M]]]{{.*}} align 16 {nonnegative}
    tile.store %sum to %D[%c0, %c0] : !F, !tile.tensor<f32, 2>
  }
}
