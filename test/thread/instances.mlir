// RUN: ashlar-opt %s --hopper-to-thread | FileCheck %s

// Two warpgroups run one role: they share its branch and its registers, and
// each has a number, a barrier, and threads and warps counted from 0.

// CHECK-LABEL: llvm.func @instances
hopper.kernel @instances threads 288 shared 1024 cluster 1 {
  // CHECK: %[[WARP:.+]] = llvm.call_intrinsic "llvm.nvvm.shfl.sync.idx.i32"
  // CHECK: %[[LAST:.+]] = arith.constant 7 : i32
  // CHECK: arith.cmpi slt, %[[LAST]], %[[WARP]]
  // CHECK: scf.if
  // CHECK-NEXT: {{.*}}"setmaxnreg.dec.sync.aligned.u32 40;"
  hopper.role "load" from 8 warps 1 registers 40 {
    // A role of one instance counts from its first warp.
    // CHECK: arith.subi %[[WARP]], %c8
    %w = hopper.special_register "warp"
    hopper.named_barrier 6 threads 32
  }
  // CHECK: } else {
  // CHECK: "setmaxnreg.inc.sync.aligned.u32 232;"
  hopper.role "math" from 0 warps 4 instances 2 registers 232 {
    %at = hopper.shared_address 0
    // CHECK: %[[INSTANCE:.+]] = arith.divui %[[WARP]], %c4
    %i = hopper.special_register "instance"
    // CHECK: %[[OWN:.+]] = arith.remui %[[WARP]], %c4
    %w = hopper.special_register "warp"
    // CHECK: %[[INSTANCE:.+]] = arith.divui %[[WARP]], %c4
    // CHECK: %[[BARRIER:.+]] = arith.addi %[[INSTANCE]], %c3
    // CHECK-NEXT: {{.*}}"bar.sync $0, 128;", "r,~{memory}" %[[BARRIER]]
    hopper.named_barrier 3 per_instance threads 128
    // CHECK: "bar.sync 5, 256;"
    hopper.named_barrier 5 threads 256
    // CHECK: "bar.warp.sync -1;"
    hopper.warp_sync
    // One thread of each instance.
    // CHECK: %[[OWN:.+]] = arith.remui %[[WARP]], %c4
    // CHECK: arith.cmpi eq, %[[OWN]], %c0
    // CHECK: llvm.nvvm.elect.sync
    // CHECK: "mbarrier.arrive.shared::cta.b64 _, [$0];"
    hopper.once {
      hopper.mbarrier.arrive %at
    }
  }
}
