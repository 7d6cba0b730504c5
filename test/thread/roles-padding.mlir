// RUN: ashlar-opt %s --hopper-to-thread | FileCheck %s

// setmaxnreg is for all warps of a warpgroup: the warps that pad a role's
// warpgroup set the same share as the role, not that of the next one. Those of
// no role meet the others where roles do; a role that waits for registers of
// others meets them before.

// CHECK-LABEL: llvm.func @three_budgets
hopper.kernel @three_budgets threads 512 shared 0 cluster 1 {
  // CHECK: %[[LAST:.+]] = arith.constant 11 : i32
  // CHECK: %[[LOAD:.+]] = arith.cmpi slt, %[[LAST]], %{{.+}}
  // CHECK: scf.if %[[LOAD]] {
  // CHECK-NEXT: {{.*}}"setmaxnreg.dec.sync.aligned.u32 40;"
  // CHECK: scf.if
  // CHECK-NEXT: {{.*}}"bar.sync 0;"{{.*}}
  // CHECK-NEXT: } else {
  // CHECK-NEXT: {{.*}}"bar.sync 0;"{{.*}}
  // CHECK-NEXT: }
  // CHECK-NEXT: } else {
  // CHECK: scf.if
  // CHECK-NEXT: {{.*}}"setmaxnreg.dec.sync.aligned.u32 24;"
  // CHECK: scf.if
  // CHECK-NEXT: {{.*}}"bar.sync 0;"{{.*}}
  // CHECK-NEXT: } else {
  // CHECK-NEXT: {{.*}}"bar.sync 0;"{{.*}}
  // CHECK-NEXT: }
  // CHECK-NEXT: } else {
  // CHECK-NEXT: {{.*}}"bar.sync 0;"{{.*}}
  // CHECK-NEXT: {{.*}}"setmaxnreg.inc.sync.aligned.u32 200;"
  // CHECK-NOT: bar.sync
  hopper.role "math" from 0 warps 8 registers 200 {
    hopper.sync
  }
  hopper.role "store" from 8 warps 1 registers 24 {
    hopper.sync
  }
  hopper.role "load" from 12 warps 1 registers 40 {
    hopper.sync
  }
}

// A role that gives registers up does so before it meets the others: they may
// wait for them.

// CHECK-LABEL: llvm.func @loaders_take
hopper.kernel @loaders_take threads 512 shared 0 cluster 1 {
  // CHECK: "setmaxnreg.dec.sync.aligned.u32 112;"
  // CHECK-NEXT: {{.*}}"bar.sync 0;"
  // CHECK: } else {
  // CHECK-NEXT: {{.*}}"bar.sync 0;"
  // CHECK-NEXT: {{.*}}"setmaxnreg.inc.sync.aligned.u32 144;"
  hopper.role "load" from 0 warps 8 registers 144 {
    hopper.sync
  }
  hopper.role "math" from 8 warps 8 registers 112 {
    hopper.sync
  }
}

// CHECK-LABEL: llvm.func @no_budgets
hopper.kernel @no_budgets threads 128 shared 0 cluster 2 {
  // CHECK: scf.if
  // CHECK-NEXT: {{.*}}"barrier.cluster.arrive.release.aligned;"
  // CHECK-NEXT: {{.*}}"barrier.cluster.wait.acquire.aligned;"{{.*}}
  // CHECK-NEXT: } else {
  // CHECK-NEXT: {{.*}}"barrier.cluster.arrive.release.aligned;"
  // CHECK-NEXT: {{.*}}"barrier.cluster.wait.acquire.aligned;"{{.*}}
  // CHECK-NEXT: }
  hopper.role "all" from 0 warps 3 {
    hopper.sync cluster
  }
}
