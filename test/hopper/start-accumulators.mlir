// RUN: ashlar-opt %s --split-input-file --pass-pipeline='builtin.module(hopper.kernel(hopper-start-accumulators))' | FileCheck %s

// The first product of a loop overwrites what begins as zeros; they are written
// only where the loop does not run.

!tile = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
!acc = tensor<64x64xf32, #tile.fragment<"64x64 (4,8,4,1):(128,1,16,64) / (2,2,8,1):(64,8,512,64)">>
// CHECK-LABEL: hopper.kernel @overwritten
hopper.kernel @overwritten threads 128 shared 65536 cluster 1 {
  %K = hopper.size "K"
  %at = hopper.shared_address 0
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  hopper.role "math" from 0 warps 4 {
    // CHECK: %[[ZERO:.+]] = arith.constant dense
    %zero = arith.constant dense<0.0> : !acc
    %v = hopper.view %at : !tile
    // CHECK: %[[ANY:.+]] = hopper.undefined
    // CHECK: %[[LOOP:.+]] = scf.for %[[I:[^ ]+]] = %c0 to %[[K:[^ ]+]] step %c1 iter_args(%[[X:.+]] = %[[ANY]])
    // CHECK: %[[FIRST:.+]] = arith.cmpi eq, %[[I]], %c0
    // CHECK: hopper.mma %{{.+}} transposed, %[[X]] overwrite %[[FIRST]] :
    %r = scf.for %k = %c0 to %K step %c1 iter_args(%x = %zero) -> !acc {
      %y = hopper.mma %v, %v transposed, %x : !tile, !tile, !acc
      scf.yield %y : !acc
    }
    // CHECK: %[[RUNS:.+]] = arith.cmpi slt, %c0, %[[K]]
    // CHECK: %[[SUM:.+]] = scf.if %[[RUNS]]
    // CHECK-NEXT: scf.yield %[[LOOP]]
    // CHECK: scf.yield %[[ZERO]]
    // CHECK: arith.addf %[[SUM]], %[[SUM]]
    %twice = arith.addf %r, %r : !acc
  }
}

// -----

// Of a loop that is known to run they are not written at all.

!tile = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
!acc = tensor<64x64xf32, #tile.fragment<"64x64 (4,8,4,1):(128,1,16,64) / (2,2,8,1):(64,8,512,64)">>
// CHECK-LABEL: hopper.kernel @runs
hopper.kernel @runs threads 128 shared 65536 cluster 1 {
  %K = hopper.size "K"
  %at = hopper.shared_address 0
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  hopper.role "math" from 0 warps 4 {
    %c4 = arith.constant 4 : index
    %zero = arith.constant dense<0.0> : !acc
    %v = hopper.view %at : !tile
    // CHECK: scf.for
    // CHECK-NOT: scf.if
    %r = scf.for %k = %c0 to %c4 step %c1 iter_args(%x = %zero) -> !acc {
      %y = hopper.mma %v, %v transposed, %x : !tile, !tile, !acc
      scf.yield %y : !acc
    }
    %twice = arith.addf %r, %r : !acc
  }
}

// -----

// Where something else reads them too, or the product depends on a condition,
// they are written.

!tile = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
!acc = tensor<64x64xf32, #tile.fragment<"64x64 (4,8,4,1):(128,1,16,64) / (2,2,8,1):(64,8,512,64)">>
// CHECK-LABEL: hopper.kernel @read
hopper.kernel @read threads 128 shared 65536 cluster 1 {
  %K = hopper.size "K"
  %at = hopper.shared_address 0
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  hopper.role "math" from 0 warps 4 {
    %zero = arith.constant dense<0.0> : !acc
    %v = hopper.view %at : !tile
    // CHECK-NOT: hopper.undefined
    // CHECK-NOT: overwrite
    %r:2 = scf.for %k = %c0 to %K step %c1 iter_args(%x = %zero, %z = %zero) -> (!acc, !acc) {
      %half = arith.mulf %x, %x : !acc
      %y = hopper.mma %v, %v transposed, %half : !tile, !tile, !acc
      %odd = arith.cmpi eq, %k, %c1 : index
      %w = scf.if %odd -> !acc {
        %p = hopper.mma %v, %v transposed, %z : !tile, !tile, !acc
        scf.yield %p : !acc
      } else {
        scf.yield %z : !acc
      }
      scf.yield %y, %w : !acc, !acc
    }
    %twice = arith.addf %r#0, %r#1 : !acc
  }
}
