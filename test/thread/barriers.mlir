// RUN: ashlar-opt %s --hopper-to-thread | FileCheck %s

// CHECK: llvm.mlir.global external @ashlar_shared() {addr_space = 3 : i32, alignment = 1024 : i64}
// CHECK: llvm.func @barriers(%[[COUNT:.+]]: i32) attributes {nvvm.cluster_dim = array<i32: 2, 1, 1>, nvvm.kernel, {{.*}}nvvm.reqntid = array<i32: 160, 1, 1>}
// CHECK-NOT: hopper.
hopper.kernel @barriers threads 160 shared 64 cluster 2 {
  %count = hopper.size "count"
  %c0 = arith.constant 0 : index
  // One thread of the CTA sets up.
  // CHECK: %[[TID:.+]] = llvm.call_intrinsic "llvm.nvvm.read.ptx.sreg.tid.x"
  // CHECK: %[[FIRST:.+]] = arith.cmpi eq, %[[TID]], %{{.+}}
  // CHECK: scf.if %[[FIRST]] {
  // CHECK: "mbarrier.init.shared::cta.b64 [$0], 3;", "r,~{memory}"
  // CHECK: "fence.mbarrier_init.release.cluster;"
  hopper.once {
    %b = hopper.shared_address 0
    hopper.mbarrier.init %b count 3
    hopper.mbarrier.fence_init
  }
  // CHECK: "bar.sync 0;"
  hopper.sync
  // CHECK: "barrier.cluster.arrive.release.aligned;"
  // CHECK-NEXT: {{.*}}"barrier.cluster.wait.acquire.aligned;"
  hopper.sync cluster
  // In two halves, for what a thread can do in between.
  // CHECK: "barrier.cluster.arrive.relaxed.aligned;"
  // CHECK-NEXT: {{.*}}"barrier.cluster.wait.acquire.aligned;"
  hopper.cluster.arrive
  hopper.sync cluster arrived
  // The launch after may start, then this one waits for the launch before.
  // CHECK: "griddepcontrol.launch_dependents;"
  // CHECK: "griddepcontrol.wait;"
  hopper.grid.release
  hopper.grid.wait
  %full = hopper.shared_address 0
  hopper.role "load" from 4 warps 1 {
    // A warp agrees by itself.
    // CHECK: mbarrier.test_wait
    // CHECK: vote.sync.all.pred q, p, 0xffffffff;
    %ready = hopper.mbarrier.test %full parity %c0
    // CHECK: "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [$0];"
    hopper.mbarrier.arrive_async %full
  }
  hopper.role "math" from 0 warps 4 {
    // A wait spins on the phase's parity.
    // CHECK: mbarrier.try_wait.parity.shared::cta.b64 complete, [$0], $1;{{.*}}@complete bra $$DONE;{{.*}}bra $$WAIT;
    hopper.mbarrier.wait %full parity %c0
    // A test asks once, and the role's warps agree over a named barrier.
    // CHECK: mbarrier.test_wait.parity.shared::cta.b64 complete, [$1], $2;
    // CHECK: barrier.cta.red.and.aligned.pred q, 5, 128, p;
    %ready = hopper.mbarrier.test %full parity %c0 agree 5
    // CHECK: "bar.sync 2, 160;"
    hopper.named_barrier 2 threads 160
    // CHECK: "bar.arrive 3, 64;"
    hopper.named_barrier arrive 3 threads 64
    // CHECK: "fence.proxy.async.shared::cta;"
    hopper.fence_proxy_async
    // One thread of each warp, after all of it has read.
    // CHECK: "bar.warp.sync 0xffffffff;"
    // CHECK: %[[BOTH:.+]] = llvm.call_intrinsic "llvm.nvvm.elect.sync"
    // CHECK-NEXT: %[[ELECTED:.+]] = llvm.extractvalue %[[BOTH]][1]
    // CHECK-NEXT: scf.if %[[ELECTED]] {
    // CHECK-NEXT: {{.*}}"mbarrier.arrive.shared::cta.b64 _, [$0];", "r,~{memory}"
    // CHECK: mapa.shared::cluster.u32 remote, $0, $1;{{.*}}mbarrier.arrive{{.*}}.shared::cluster.b64 _, [remote];
    hopper.once_per_warp {
      hopper.mbarrier.arrive %full
      hopper.mbarrier.arrive %full of %count
    }
    // One thread of a role of several warps: its first warp's.
    // CHECK: arith.cmpi eq
    // CHECK: scf.if
    // CHECK: llvm.nvvm.elect.sync
    // CHECK: "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [$0], 8192;", "r,~{memory}"
    hopper.once {
      hopper.mbarrier.expect_bytes %full, 8192
    }
  }
}

// Warpgroup i waits at barrier 3 + i, at which the one before it arrives; the
// last one lets the first begin.
// CHECK-LABEL: llvm.func @turns
hopper.kernel @turns threads 256 shared 0 cluster 1 {
  hopper.role "math" from 0 warps 8 {
    // CHECK-NOT: setp.eq.b32 p, $0, 0;
    // CHECK: setp.eq.b32 p, $0, 1;{{.*}}@p bar.arrive 3, 256;
    hopper.turn begin 3
    // CHECK: setp.eq.b32 p, $0, 0;{{.*}}@p bar.sync 3, 256;
    // CHECK: setp.eq.b32 p, $0, 1;{{.*}}@p bar.sync 4, 256;
    hopper.turn 3
    // CHECK: setp.eq.b32 p, $0, 0;{{.*}}@p bar.arrive 4, 256;
    // CHECK: setp.eq.b32 p, $0, 1;{{.*}}@p bar.arrive 3, 256;
    hopper.turn pass 3
  }
}
