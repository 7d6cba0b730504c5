// RUN: ashlar-opt %s --hopper-to-nvvm | FileCheck %s

// setmaxnreg is for all warps of a warpgroup: the warps that pad a role's
// warpgroup set the same share as the role, not that of the next one.

// CHECK-LABEL: llvm.func @three_budgets
hopper.kernel @three_budgets threads 512 shared 0 cluster 1 {
  // CHECK: setmaxnreg.inc.sync.aligned.u32 200
  // CHECK: %[[END:.+]] = arith.constant 12 : i32
  // CHECK: %[[STORE:.+]] = arith.cmpi slt, %{{.+}}, %[[END]]
  // CHECK: scf.if %[[STORE]] {
  // CHECK-NEXT: {{.*}}"setmaxnreg.dec.sync.aligned.u32 24;"
  // CHECK: } else {
  // CHECK-NEXT: {{.*}}"setmaxnreg.dec.sync.aligned.u32 40;"
  hopper.role "math" from 0 warps 8 registers 200 {
  }
  hopper.role "store" from 8 warps 1 registers 24 {
  }
  hopper.role "load" from 12 warps 1 registers 40 {
  }
}
