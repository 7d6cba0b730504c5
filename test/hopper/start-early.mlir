// RUN: ashlar-opt %s --split-input-file --pass-pipeline='builtin.module(hopper.kernel(hopper-start-early))' | FileCheck %s

// The first column is computed before the role waits, the next ones an
// iteration ahead. What might fail for a number that has no iteration stays.

// CHECK-LABEL: hopper.kernel @ahead
hopper.kernel @ahead threads 32 shared 8200 cluster 1 {
  %M = hopper.size "M"
  %map = hopper.tensor_map "A" box [64, 64] swizzle 128 : !hopper.tensor_map
  hopper.role "load" from 0 warps 1 {
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %to = hopper.shared_address 0
    %full = hopper.shared_address 8192
    // CHECK: %[[FIRST:.+]] = scf.if %{{.+}} -> (index) {
    // CHECK-NEXT: %[[EIGHT:.+]] = arith.muli %c1, %c8
    // CHECK-NEXT: scf.yield %[[EIGHT]]
    // CHECK: hopper.sync
    // CHECK-NEXT: scf.for %[[I:.+]] = %c1 to %{{.+}} iter_args(%[[COLUMN:[^ ]+]] = %[[FIRST]])
    hopper.sync
    scf.for %i = %c1 to %M step %c1 {
      // CHECK-NEXT: %[[ROW:.+]] = arith.divui %{{.+}}, %[[I]]
      // CHECK: hopper.tma.load %{{.+}}[%[[ROW]], %[[COLUMN]]]
      %row = arith.divui %M, %i : index
      %column = arith.muli %i, %c8 : index
      hopper.once {
        hopper.tma.load %map[%row, %column] to %to on %full : !hopper.tensor_map
      }
      // CHECK: %[[NEXT:.+]] = arith.addi %[[I]], %c1
      // CHECK-NEXT: %[[EIGHT:.+]] = arith.muli %[[NEXT]], %c8
      // CHECK-NEXT: scf.yield %[[EIGHT]]
    }
  }
}

// -----

// A role that loads nothing waits where it stands.

// CHECK-LABEL: hopper.kernel @no_load
hopper.kernel @no_load threads 32 shared 0 cluster 1 {
  %M = hopper.size "M"
  hopper.role "math" from 0 warps 1 {
    // CHECK: hopper.sync
    // CHECK-NEXT: arith.muli
    hopper.sync
    %twice = arith.muli %M, %M : index
  }
}

// -----

// Threads that load by themselves wait for the launch before in front of their
// first load, and behind the loop over tiles where there was none; the barriers
// are ready before.

!tile = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
// CHECK-LABEL: hopper.kernel @by_threads
hopper.kernel @by_threads threads 128 shared 8208 cluster 1 {
  %M = hopper.size "M"
  %K = hopper.size "K"
  %A = hopper.pointer "A" : !hopper.pointer
  %stride = hopper.stride "A"[0]
  %one = arith.constant 1 : i64
  hopper.role "load" from 0 warps 4 {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %to = hopper.shared_address 0
    %full = hopper.shared_address 8192
    %empty = hopper.shared_address 8200
    %v = hopper.view %to : !tile
    // CHECK: hopper.sync
    // CHECK-NOT: hopper.grid
    // CHECK: %[[TILES:.+]] = scf.for {{.+}} iter_args(%[[WAITS:.+]] = %true) -> (i1) {
    // CHECK: %[[STEPS:.+]] = scf.for {{.+}} iter_args(%[[FIRST:.+]] = %[[WAITS]]) -> (i1) {
    // CHECK-NEXT: hopper.mbarrier.wait
    // CHECK-NEXT: scf.if %[[FIRST]] {
    // CHECK-NEXT: hopper.grid.wait
    // CHECK-NEXT: hopper.grid.release
    // CHECK-NEXT: }
    // CHECK-NEXT: hopper.copy_tile
    // CHECK: scf.yield %false
    // CHECK: scf.yield %[[STEPS]] : i1
    // CHECK: scf.if %[[TILES]] {
    // CHECK-NEXT: hopper.grid.wait
    // CHECK-NEXT: hopper.grid.release
    hopper.sync
    hopper.grid.wait
    hopper.grid.release
    scf.for %i = %c0 to %M step %c64 {
      scf.for %k = %c0 to %K step %c64 {
        hopper.mbarrier.wait %empty parity %c0
        hopper.copy_tile %A[%i, %k] within [%M, %K] strides [%stride, %one] align 2 to %v {nonnegative} : !hopper.pointer, !tile
        hopper.mbarrier.arrive %full
      }
    }
  }
}

// -----

// What TMA loads, CTAs of this launch signal. What threads load nobody writes:
// that need not wait for them.

!tile = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
// CHECK-LABEL: hopper.kernel @awaits
hopper.kernel @awaits threads 160 shared 16400 cluster 1 {
  %M = hopper.size "M"
  %K = hopper.size "K"
  %A = hopper.pointer "A" : !hopper.pointer
  %stride = hopper.stride "A"[0]
  %ready = hopper.pointer "Ready" : !hopper.pointer
  %map = hopper.tensor_map "B" box [64, 64] swizzle 128 : !hopper.tensor_map
  %one = arith.constant 1 : i64
  hopper.role "load" from 0 warps 4 {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %to = hopper.shared_address 0
    %behind = hopper.shared_address 8192
    %full = hopper.shared_address 16384
    %empty = hopper.shared_address 16392
    %v = hopper.view %to : !tile
    // CHECK: scf.for {{.+}} -> (i1) {
    // CHECK: scf.for {{.+}} iter_args(%[[FIRST:.+]] = %{{.+}}) -> (i1) {
    // CHECK: scf.if %[[FIRST]] {
    // CHECK-NEXT: hopper.grid.wait
    // CHECK-NEXT: }
    // CHECK-NEXT: hopper.copy_tile
    // CHECK-NEXT: scf.if %[[FIRST]] {
    // CHECK-NEXT: hopper.once {
    // CHECK-NEXT: hopper.await
    // CHECK-NEXT: }
    // CHECK-NEXT: hopper.named_barrier 1 threads 128
    // CHECK-NEXT: }
    // CHECK: hopper.tma.load
    // CHECK: scf.if %[[LEFT:.+]] {
    // CHECK-NEXT: hopper.grid.wait
    // CHECK: scf.if %[[LEFT]] {
    // CHECK-NEXT: hopper.once {
    // CHECK-NEXT: hopper.await
    hopper.sync
    hopper.grid.wait
    hopper.once {
      hopper.await %ready[%c0] strides [%one] at_least %M : !hopper.pointer
    }
    hopper.named_barrier 1 threads 128
    scf.for %i = %c0 to %M step %c64 {
      scf.for %k = %c0 to %K step %c64 {
        hopper.mbarrier.wait %empty parity %c0
        hopper.copy_tile %A[%i, %k] within [%M, %K] strides [%stride, %one] align 2 to %v {nonnegative} : !hopper.pointer, !tile
        hopper.once {
          hopper.mbarrier.expect_bytes %full, 8192
          hopper.tma.load %map[%i, %k] to %behind on %full : !hopper.tensor_map
          hopper.mbarrier.arrive %full
        }
        hopper.mbarrier.arrive %full
      }
    }
  }
  hopper.role "make" from 4 warps 1 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    hopper.sync
    hopper.signal %c1 to %ready[%c0] strides [%one] : !hopper.pointer
  }
}

// -----

// Who signals may be another kernel, which may write whatever it likes before.

!tile = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
// CHECK-LABEL: hopper.kernel @awaits_others
hopper.kernel @awaits_others threads 128 shared 8208 cluster 1 {
  %M = hopper.size "M"
  %K = hopper.size "K"
  %A = hopper.pointer "A" : !hopper.pointer
  %stride = hopper.stride "A"[0]
  %ready = hopper.pointer "Ready" : !hopper.pointer
  %one = arith.constant 1 : i64
  hopper.role "load" from 0 warps 4 {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %to = hopper.shared_address 0
    %full = hopper.shared_address 8192
    %v = hopper.view %to : !tile
    // CHECK: scf.for {{.+}} -> (i1) {
    // CHECK: hopper.await
    // CHECK: hopper.copy_tile
    hopper.sync
    hopper.once {
      hopper.await %ready[%c0] strides [%one] at_least %M : !hopper.pointer
    }
    hopper.named_barrier 1 threads 128
    scf.for %i = %c0 to %M step %c64 {
      scf.for %k = %c0 to %K step %c64 {
        hopper.copy_tile %A[%i, %k] within [%M, %K] strides [%stride, %one] align 2 to %v {nonnegative} : !hopper.pointer, !tile
        hopper.mbarrier.arrive %full
      }
    }
  }
}
