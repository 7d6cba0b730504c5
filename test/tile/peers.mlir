// RUN: ashlar-opt %s | FileCheck %s
// RUN: ashlar-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-drop-unused{expectations=true}))' | FileCheck %s --check-prefix=USED
// RUN: ashlar-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-assign-layouts,tile-plan-memory,tile-expand))' | FileCheck %s --check-prefix=MEET

!smem = !tile.shared<64x64xbf16>
!part = !tile.shared<8x64xbf16>
// CHECK-LABEL: tile.kernel @peers cluster [2]
// USED-LABEL: tile.kernel @peers
// Two barriers for each role that meets, of all its warps in both CTAs.
// MEET: 8208 bytes tiles[0]
// MEET: tile.mbarrier 8192 count 8
// MEET: tile.mbarrier 8200 count 8
tile.kernel @peers cluster [2] {
  %M = tile.size "M"
  %tile = tile.alloc : !smem
  // MEET: tile.role "math"
  tile.role "math" warps 4 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %f = arith.constant dense<0.0> : tensor<64x64xbf16>
    // CHECK: %[[RANK:.+]] = tile.cluster_rank
    %rank = tile.cluster_rank
    %other = arith.subi %c1, %rank : index
    // CHECK: %[[PEER:.+]] = tile.peer %{{.+}} of %{{.+}} : <64x64xbf16>
    // One that the cluster has, and one that it may not have.
    // USED: tile.peer %{{.+}} of %{{.+}} : <64x64xbf16>
    // USED: tile.peer %{{.+}} of %{{.+}} checked : <64x64xbf16>
    %peer = tile.peer %tile of %other : !smem
    %any = tile.peer %tile of %M checked : !smem
    // MEET: scf.for {{.*}} iter_args(%[[TURN:.+]] = %c0
    scf.for %i = %c0 to %M step %c1 {
      // CHECK: tile.part %[[PEER]] from [8, 0]
      %part = tile.part %peer from [8, 0] : !smem -> !part
      // CHECK: tile.write %{{.+}} to %[[PEER]]
      tile.write %f to %peer : tensor<64x64xbf16>, !smem
      // CHECK: tile.cluster_sync
      // MEET: tile.write
      // MEET: %[[WHICH:.+]] = arith.remui %[[TURN]], %c2
      // MEET: %[[AT:.+]] = arith.addi
      // MEET: %[[LANE:.+]] = hopper.special_register "laneid"
      // MEET: hopper.once_per_warp lanes 2 {
      // MEET: hopper.mbarrier.arrive cluster %[[AT]] of %[[LANE]]
      // MEET: }
      // MEET: %[[PARITY:.+]] = arith.divui %[[TURN]], %c2
      // MEET: hopper.mbarrier.wait cluster %[[AT]] parity %[[PARITY]]
      // MEET: arith.remui %{{.+}}, %c4
      tile.cluster_sync
      %g = tile.read %any : !smem -> tensor<64x64xbf16>
      tile.write %g to %tile : tensor<64x64xbf16>, !smem
      // CHECK: tile.cluster_sync
      // MEET: hopper.mbarrier.wait cluster
      tile.cluster_sync
      // MEET: scf.yield
    }
  }
}
