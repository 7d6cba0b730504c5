// RUN: ashlar-opt %s --split-input-file --hopper-to-thread | FileCheck %s

// Each thread sends its values in vectors of 16 bytes, 16 bytes apart from its
// neighbour's, vector by vector; they complete on the receiver's barrier.

!acc = tensor<64x16xf32, #tile.fragment<"64x16 (4,8,4,1):(128,1,16,64) / (2,2,2,1):(64,8,512,64)">>
// CHECK-LABEL: llvm.func @floats
hopper.kernel @floats threads 128 shared 4112 cluster 2 {
  %rank = hopper.size "rank"
  hopper.role "math" from 0 warps 4 {
    %slot = hopper.shared_address 0
    %full = hopper.shared_address 4096
    %f = arith.constant dense<1.0> : !acc
    // CHECK: %[[BARRIER:.+]] = llvm.inline_asm {{.*}}"mapa.shared::cluster.u32 $0, $1, $2;"
    // CHECK: %[[BYTES:.+]] = arith.muli %{{.+}}, %c16
    // CHECK: %[[MINE:.+]] = arith.addi %{{.+}}, %[[BYTES]]
    // CHECK: %[[FIRST:.+]] = llvm.inline_asm {{.*}}"mapa.shared::cluster.u32 $0, $1, $2;"{{.*}} %[[MINE]],
    // CHECK: "st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [$0], {$2, $3, $4, $5}, [$1];", "r,r,r,r,r,r,~{memory}" %[[FIRST]], %[[BARRIER]],
    // CHECK: %[[SECOND:.+]] = arith.addi %[[FIRST]], %c2048
    // CHECK: "st.async{{.*}}" %[[SECOND]], %[[BARRIER]],
    // CHECK-NOT: st.async
    hopper.exchange.send %f to %slot of %rank on %full : !acc
    // CHECK: "ld.shared::cta.v4.b32 {$0, $1, $2, $3}, [$4];"
    // CHECK: llvm.bitcast %{{.+}} : i32 to f32
    // CHECK: arith.addi %{{.+}}, %c2048
    // CHECK: "ld.shared::cta.v4.b32
    // CHECK-NOT: ld.shared
    %g = hopper.exchange.receive %slot : !acc
  }
}

// -----

// Integers are sent as they are. A wait for other CTAs acquires at their scope.

!acc = tensor<64x8xi32, #tile.fragment<"64x8 (4,8,4,1):(128,1,16,64) / (2,2,1,1):(64,8,512,64)">>
// CHECK-LABEL: llvm.func @integers
// CHECK-NOT: llvm.bitcast
hopper.kernel @integers threads 128 shared 2064 cluster 2 {
  %c0 = arith.constant 0 : index
  %rank = hopper.size "rank"
  hopper.role "math" from 0 warps 4 {
    %slot = hopper.shared_address 0
    %full = hopper.shared_address 2048
    %f = arith.constant dense<1> : !acc
    // CHECK: st.async
    hopper.exchange.send %f to %slot of %rank on %full : !acc
    // CHECK: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 complete, [$0], $1;
    hopper.mbarrier.wait cluster %full parity %c0
    // CHECK: ld.shared::cta.v4.b32
    %g = hopper.exchange.receive %slot : !acc
  }
}

// -----

// Of threads that hold the same the first sends, what it holds, and all receive.

!v = tensor<8xf32, #tile.fragment<"8 (4,8,4):(0,1,0) / (1):(0)">>
// CHECK-LABEL: llvm.func @copies
hopper.kernel @copies threads 128 shared 1032 cluster 2 {
  %rank = hopper.size "rank"
  hopper.role "math" from 0 warps 4 {
    %slot = hopper.shared_address 0
    %full = hopper.shared_address 1024
    %f = arith.constant dense<1.0> : !v
    // CHECK: "{\0A\09.reg .pred p;\0A\09setp.ne.b32 p, $3, 0;\0A\09@p st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [$0], $2, [$1];\0A\09}"
    // CHECK-NOT: st.async
    hopper.exchange.send %f to %slot of %rank on %full : !v
    // CHECK: "ld.shared::cta.b32 $0, [$1];"
    %g = hopper.exchange.receive %slot : !v
  }
}

// -----

// What all threads hold each of the first sends, to the CTA whose rank it has;
// an arrival of some lanes of each warp is theirs.

!v = tensor<1xf32, #tile.fragment<"1 128:0 / 1:0">>
// CHECK-LABEL: llvm.func @by_lanes
hopper.kernel @by_lanes threads 128 shared 4112 cluster 8 {
  hopper.role "math" from 0 warps 4 {
    %slot = hopper.shared_address 0
    %full = hopper.shared_address 4096
    %lane = hopper.special_register "laneid"
    %f = arith.constant dense<1.0> : !v
    // CHECK: arith.cmpi slt, %{{.+}}, %c8
    // CHECK: @p st.async
    // CHECK-NOT: st.async
    hopper.exchange.send %f to %slot of %lane on %full threads 8 : !v
    // CHECK: bar.warp.sync
    // CHECK: arith.cmpi slt, %{{.+}}, %c8
    // CHECK-NOT: elect
    // CHECK: scf.if
    // CHECK: mbarrier.arrive
    hopper.once_per_warp lanes 8 {
      hopper.mbarrier.arrive %full of %lane
    }
  }
}
