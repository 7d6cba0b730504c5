// RUN: ashlar-opt %s --split-input-file --hopper-to-thread | FileCheck %s

// Counters of CTAs: a release and an acquire at the scope of the GPU.

// CHECK-LABEL: llvm.func @counters
hopper.kernel @counters threads 128 shared 0 cluster 1 {
  %C = hopper.pointer "Counter" : !hopper.pointer
  %one = arith.constant 1 : i64
  %c1 = arith.constant 1 : index
  hopper.role "threads" from 0 warps 4 {
    hopper.once {
      // CHECK: "fence.acq_rel.gpu;"
      // CHECK: "red.relaxed.gpu.global.add.u32 [$0], $1;"
      hopper.signal %c1 to %C[%c1] strides [%one] : !hopper.pointer
      // CHECK: ld.acquire.gpu.global.b32 count, [$0];
      // CHECK-SAME: setp.ge.s32 reached, count, $1;
      // CHECK-SAME: @reached bra $$DONE;{{.*}}bra $$WAIT;
      // CHECK-NOT: fence.proxy.async
      hopper.await %C[%c1] strides [%one] at_least %c1 : !hopper.pointer
      // CHECK: "fence.acq_rel.sys;"
      // CHECK: "red.relaxed.sys.global.add.u32 [$0], $1;"
      hopper.signal %c1 to %C[%c1] strides [%one] system : !hopper.pointer
      // CHECK: ld.acquire.sys.global.b32 count, [$0];
      hopper.await %C[%c1] strides [%one] at_least %c1 system : !hopper.pointer
    }
  }
}

// -----

// A role that copies by TMA what others have stored.

// CHECK-LABEL: llvm.func @copied
hopper.kernel @copied threads 32 shared 1024 cluster 1 {
  %C = hopper.pointer "Counter" : !hopper.pointer
  %D = hopper.tensor_map "D" box [32] swizzle 0 : !hopper.tensor_map
  %one = arith.constant 1 : i64
  %c0 = arith.constant 0 : index
  hopper.role "load" from 0 warps 1 {
    hopper.once {
      // CHECK: ld.acquire.gpu
      // CHECK: "fence.proxy.async.global;"
      // CHECK: cp.async.bulk.tensor
      hopper.await %C[%c0] strides [%one] at_least %c0 : !hopper.pointer
      %at = hopper.shared_address 0
      %full = hopper.shared_address 512
      hopper.tma.load %D[%c0] to %at on %full : !hopper.tensor_map
    }
  }
}
