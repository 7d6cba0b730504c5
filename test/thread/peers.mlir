// RUN: ashlar-opt %s --hopper-to-thread | FileCheck %s

// A peer's memory is another window of addresses: no ldmatrix, no stmatrix.

!tile = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
!acc = tensor<64x64xbf16, #tile.fragment<"64x64 (4,8,4,1):(128,1,16,64) / (2,2,8,1):(64,8,512,64)">>
// CHECK-LABEL: llvm.func @peers(
hopper.kernel @peers threads 128 shared 8200 cluster 2 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %met = hopper.shared_address 8192
  hopper.role "all" from 0 warps 4 {
    %tile = hopper.shared_address 0
    // CHECK: %[[FAR:.+]] = llvm.inline_asm {{.*}}"mapa.shared::cluster.u32 $0, $1, $2;"
    %far = hopper.peer_address %tile of %c1
    %v = hopper.view %far : !tile
    // CHECK-NOT: ldmatrix
    // CHECK-COUNT-16: "ld.shared::cluster.b32 $0, [$1];"
    %f = hopper.shared_load peer %v : !tile -> !acc
    // CHECK-NOT: stmatrix
    // CHECK-COUNT-16: "st.shared::cluster.b32 [$0], $1;"
    hopper.shared_store %f to peer %v : !acc, !tile
    // CHECK: "mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64 [$0], 4096;"
    hopper.mbarrier.expect_bytes peer %far, 4096
    // CHECK: "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [$0], [$1], 4096, [$2];", "r,r,r,~{memory}" %[[FAR]], %{{.+}}, %[[FAR]]
    hopper.copy_to_peer %tile, 4096 to %far on %far
    // CHECK: "fence.proxy.async.shared::cluster;"
    hopper.fence_proxy_async cluster
    // CHECK: mapa.shared::cluster.u32 remote, $0, $1;{{.*}}mbarrier.arrive.release.cluster.shared::cluster.b64 _, [remote];
    hopper.mbarrier.arrive cluster %met of %c1
    // CHECK: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64
    hopper.mbarrier.wait cluster %met parity %c0
  }
}
