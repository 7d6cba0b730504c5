// RUN: ashlar-opt %s --hopper-to-thread | FileCheck %s

// The reciprocal of a float, made a little too small and scaled by 2^32, then a
// step of Newton's method: rough + high(rough * -(divisor * rough)).

// CHECK: llvm.func @reciprocal(%[[DIVISOR:.+]]: i32)
hopper.kernel @reciprocal threads 32 shared 0 cluster 1 {
  %divisor = hopper.size "divisor"
  // CHECK: %[[REAL:.+]] = arith.uitofp %[[DIVISOR]] : i32 to f32
  // CHECK: %[[INVERSE:.+]] = llvm.call_intrinsic "llvm.nvvm.rcp.approx.ftz.f"(%[[REAL]])
  // CHECK: %[[BITS:.+]] = arith.bitcast %[[INVERSE]] : f32 to i32
  // CHECK: %[[LESS:.+]] = arith.addi %[[BITS]], %c268435452
  // CHECK: %[[SCALED:.+]] = arith.bitcast %[[LESS]] : i32 to f32
  // CHECK: %[[ROUGH:.+]] = arith.fptoui %[[SCALED]] : f32 to i32
  // CHECK: %[[PRODUCT:.+]] = arith.muli %[[DIVISOR]], %[[ROUGH]]
  // CHECK: %[[LEFT:.+]] = arith.subi %c0{{.*}}, %[[PRODUCT]]
  // CHECK: %{{.+}}, %[[STEP:.+]] = arith.mului_extended %[[ROUGH]], %[[LEFT]]
  // CHECK: arith.addi %[[ROUGH]], %[[STEP]]
  %reciprocal = hopper.reciprocal %divisor
}
