// RUN: ashlar-opt %s --hopper-to-thread | FileCheck %s

// Words are loaded until a warp lacks none, and zeros are left when the warps
// of the role have met. What lies outside has no address, and is -0.

!matrix = tensor<16x32xf32, #tile.fragment<"16x32 (8,16):(64,1) / (4,1,1):(16,512,16)">>
// CHECK-LABEL: llvm.func @taken
hopper.kernel @taken threads 128 shared 0 cluster 1 {
  %N = hopper.size "N"
  %box = hopper.pointer "Box" : !hopper.pointer
  %stride = hopper.stride "Box"[0]
  %one = arith.constant 1 : i64
  %c32 = arith.constant 32 : index
  hopper.role "threads" from 0 warps 4 {
    %c0 = arith.constant 0 : index
    // CHECK: scf.while
    // CHECK: setp.ne.b64 p, $4, 0;{{.*}}mov.b32 e0, 0x80000000;{{.*}}@p ld.relaxed.gpu.global.v4.b32 {e0, e1, e2, e3}, [$4+0];
    // CHECK: setp.eq.b32 lacks, $1, 0;{{.*}}vote.sync.any.pred any, lacks, -1;
    // CHECK: scf.condition
    // CHECK: "bar.sync 3, 128;"
    // CHECK: @p st.relaxed.gpu.global.v4.b32 [$0+0], {$1, $2, $3, $4};
    %a = hopper.take %box[%c0, %c0] within [%N, %c32] strides [%stride, %one] ranks [2] align [16] barrier 3 {nonnegative} : !hopper.pointer -> !matrix
    // Of threads that hold the same one stores it.
    // CHECK: @p st.relaxed.gpu.global.v4.b32
    hopper.store relaxed %a to %box[%c0, %c0] within [%N, %c32] strides [%stride, %one] align 16 {nonnegative} : !matrix, !hopper.pointer
  }
}
