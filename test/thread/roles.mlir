// RUN: ashlar-opt %s --split-input-file --hopper-to-thread | FileCheck %s

// Roles are one chain of branches on the warp's number, the last warps first. A
// role that takes more registers than the kernel starts with raises its share,
// another lowers it.

// CHECK-LABEL: llvm.func @budgets
hopper.kernel @budgets threads 384 shared 0 cluster 1 {
  // CHECK: %[[WARP:.+]] = llvm.call_intrinsic "llvm.nvvm.shfl.sync.idx.i32"
  // CHECK: %[[BEFORE:.+]] = arith.constant 7 : i32
  // CHECK: %[[LOAD:.+]] = arith.cmpi slt, %[[BEFORE]], %[[WARP]]
  // CHECK: scf.if %[[LOAD]] {
  // The whole warpgroup lowers its share, then only the role's warp goes on.
  // CHECK-NEXT: {{.*}}"setmaxnreg.dec.sync.aligned.u32 40;"
  // CHECK: %[[INSIDE:.+]] = arith.andi
  // CHECK: scf.if %[[INSIDE]] {
  // CHECK-NEXT: {{.*}}"bar.sync 1, 288;"
  // CHECK: } else {
  // CHECK: } else {
  // CHECK-NEXT: {{.*}}"setmaxnreg.inc.sync.aligned.u32 232;"
  // CHECK-NEXT: {{.*}}"bar.sync 1, 288;"
  hopper.role "load" from 8 warps 1 registers 40 {
    hopper.named_barrier 1 threads 288
  }
  hopper.role "math" from 0 warps 8 registers 232 {
    hopper.named_barrier 1 threads 288
  }
}

// -----

// Roles without budgets: no setmaxnreg, and no test for the last.

// CHECK-LABEL: llvm.func @no_budget
// CHECK-NOT: setmaxnreg
hopper.kernel @no_budget threads 160 shared 0 cluster 1 {
  // CHECK: scf.if
  // CHECK-NEXT: {{.*}}"bar.sync 2, 32;"
  // CHECK: } else {
  // CHECK-NEXT: {{.*}}"bar.sync 1, 128;"
  hopper.role "math" from 0 warps 4 {
    hopper.named_barrier 1 threads 128
  }
  hopper.role "load" from 4 warps 1 {
    hopper.named_barrier 2 threads 32
  }
}

// -----

// Values that a loop and a conditional carry, a fragment as its registers.

!f = tensor<64x8xf32, #tile.fragment<"64x8 (4,8,4,1):(128,1,16,64) / (2,2,1,1):(64,8,512,64)">>
// CHECK-LABEL: llvm.func @carried
hopper.kernel @carried threads 128 shared 0 cluster 1 {
  %n = hopper.size "N"
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  hopper.role "math" from 0 warps 4 {
    %zero = arith.constant dense<0.0> : !f
    // CHECK: scf.for {{.*}} -> (f32, f32, f32, f32, i32)
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %zero, %k = %c0) -> (!f, index) {
      %first = arith.cmpi eq, %i, %c0 : index
      // CHECK: scf.if {{.*}} -> (f32, f32, f32, f32)
      %y = scf.if %first -> !f {
        scf.yield %x : !f
      } else {
        %sum = arith.addf %x, %x : !f
        scf.yield %sum : !f
      }
      scf.yield %y, %i : !f, index
    }
  }
}
