// RUN: ashlar-opt %s --pass-pipeline='builtin.module(hopper.kernel(hopper-join-once))' | FileCheck %s

// CHECK-LABEL: hopper.kernel @join
hopper.kernel @join threads 128 shared 64 cluster 1 {
  hopper.role "load" from 0 warps 1 {
    // CHECK: hopper.shared_address 0
    // CHECK: hopper.shared_address 8
    // CHECK-NEXT: hopper.once {
    // CHECK-NEXT: hopper.mbarrier.expect_bytes %{{.+}}, 16
    // CHECK-NEXT: hopper.mbarrier.expect_bytes %{{.+}}, 32
    // CHECK-NEXT: hopper.mbarrier.arrive
    // CHECK-NEXT: }
    %a = hopper.shared_address 0
    hopper.once {
      hopper.mbarrier.expect_bytes %a, 16
    }
    %b = hopper.shared_address 8
    hopper.once {
      hopper.mbarrier.expect_bytes %b, 32
    }
    hopper.once {
      hopper.mbarrier.arrive %b
    }
    // Not over what all threads do.
    // CHECK-NEXT: hopper.warp_sync
    // CHECK-NEXT: hopper.once {
    hopper.warp_sync
    hopper.once {
      hopper.mbarrier.arrive %a
    }
  }
}

// A branch and a loop in which one thread loads are that thread's.
// CHECK-LABEL: hopper.kernel @edge
// CHECK: hopper.role "load"
// CHECK: hopper.once {
// CHECK-NEXT: scf.if
// CHECK-NEXT: hopper.mbarrier.expect_bytes %{{.+}}, 8192
// CHECK-NEXT: hopper.tma.load
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.for
// CHECK-NEXT: hopper.mbarrier.expect_bytes %{{.+}}, 4096
// CHECK-NEXT: hopper.tma.load
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: hopper.mbarrier.arrive
// CHECK-NEXT: }
// CHECK: hopper.warp_sync
// CHECK-NEXT: hopper.once {
// CHECK-NEXT: scf.for
// CHECK-NEXT: hopper.tma.load
// Not where all threads wait in it, nor where there is a result, nor what is no
// load.
// CHECK: scf.if
// CHECK-NEXT: hopper.mbarrier.wait
// CHECK-NEXT: hopper.once {
// CHECK: scf.if
// CHECK-NEXT: hopper.once {
// CHECK-NEXT: hopper.tma.load
// CHECK: scf.if
// CHECK-NEXT: hopper.once {
// CHECK-NEXT: hopper.mbarrier.arrive
hopper.kernel @edge threads 128 shared 64 cluster 1 {
  %map = hopper.tensor_map "A" box [32, 64] swizzle 128 : !hopper.tensor_map
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %rank = hopper.special_register "ctaid.x"
  %isWhole = arith.cmpi slt, %rank, %c32 : index
  hopper.role "load" from 0 warps 1 {
    %full = hopper.shared_address 0
    %stage = hopper.shared_address 1024
    hopper.mbarrier.wait %full parity %c0
    scf.if %isWhole {
      hopper.once {
        hopper.mbarrier.expect_bytes %full, 8192
        hopper.tma.load %map[%c0, %c0] to %stage on %full : !hopper.tensor_map
      }
    } else {
      scf.for %i = %c0 to %c64 step %c32 {
        hopper.once {
          hopper.mbarrier.expect_bytes %full, 4096
          hopper.tma.load %map[%i, %c0] to %stage on %full : !hopper.tensor_map
        }
      }
    }
    hopper.once {
      hopper.mbarrier.arrive %full
    }
    hopper.warp_sync
    scf.for %i = %c0 to %c64 step %c32 {
      hopper.once {
        hopper.tma.load %map[%i, %c0] to %stage on %full : !hopper.tensor_map
      }
    }
    scf.if %isWhole {
      hopper.mbarrier.wait %full parity %c0
      hopper.once {
        hopper.mbarrier.expect_bytes %full, 8192
        hopper.tma.load %map[%c0, %c0] to %stage on %full : !hopper.tensor_map
      }
    }
    %row = scf.if %isWhole -> index {
      hopper.once {
        hopper.tma.load %map[%c0, %c0] to %stage on %full : !hopper.tensor_map
      }
      scf.yield %c0 : index
    } else {
      scf.yield %c32 : index
    }
    hopper.mbarrier.wait %full parity %row
    scf.if %isWhole {
      hopper.once {
        hopper.mbarrier.arrive %full
      }
    }
  }
}
