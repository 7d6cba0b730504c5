// RUN: ashlar-opt %s --pass-pipeline='builtin.module(hopper.kernel(hopper-pin-written))' | FileCheck %s

!f = tensor<64x8xf32, #tile.fragment<"64x8 (4,8,4,1):(128,1,16,64) / (2,2,1,1):(64,8,512,64)">>
!acc = !hopper.accumulator<!f>
// CHECK-LABEL: hopper.kernel @arms
hopper.kernel @arms threads 128 shared 0 cluster 1 {
  %M = hopper.size "M"
  %A = hopper.pointer "A" : !hopper.pointer
  hopper.role "math" from 0 warps 4 {
    %c0 = arith.constant 0 : index
    %one = arith.constant 1 : i64
    %acc = hopper.accumulator : !acc
    %other = hopper.accumulator : !acc
    %any = arith.cmpi sgt, %M, %c0 : index
    // CHECK: %[[LOADED:.+]] = hopper.load
    // CHECK-NEXT: arith.negf %[[LOADED]]
    // CHECK-NEXT: %[[PINNED:.+]] = hopper.pin %[[LOADED]]
    // CHECK-NEXT: scf.if
    %x = hopper.load %A[%c0, %c0] within [%M, %M] strides [%one, %one] align 4 : !hopper.pointer -> !f
    %before = arith.negf %x : !f
    scf.if %any {
      // CHECK-NEXT: hopper.accumulator.write %[[PINNED]]
      hopper.accumulator.write %x to %acc : !f, !acc
      // What the arm computes, and zeros, are where they are.
      // CHECK-NEXT: %[[OWN:.+]] = arith.negf %[[PINNED]]
      // CHECK-NEXT: hopper.accumulator.write %[[OWN]]
      %y = arith.negf %x : !f
      hopper.accumulator.write %y to %other : !f, !acc
    }
    // CHECK: hopper.accumulator.write %[[PINNED]]
    // CHECK-NOT: hopper.pin
    hopper.accumulator.write %x to %other : !f, !acc
  }
}

!sum = tensor<64x64xf32, #tile.fragment<"64x64 (4,8,4,1):(128,1,16,64) / (2,2,8,1):(64,8,512,64)">>
!sums = !hopper.accumulator<!sum>
!tile = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
// CHECK-LABEL: hopper.kernel @sums
hopper.kernel @sums threads 128 shared 65536 cluster 1 {
  %N = hopper.size "N"
  %at = hopper.shared_address 0
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  hopper.role "math" from 0 warps 4 {
    %acc = hopper.accumulator : !sums
    %first = hopper.accumulator.read %acc : !sums -> !sum
    %sum = scf.for %n = %c0 to %N step %c1 iter_args(%o = %first) -> !sum {
      // The next wgmma writes over what the sum is made of.
      // CHECK: %[[SUM:.+]] = arith.addf
      // CHECK-NEXT: %[[PINNED:.+]] = hopper.pin %[[SUM]]
      // CHECK: hopper.wgmma
      %part = hopper.accumulator.read %acc : !sums -> !sum
      %more = arith.addf %o, %part : !sum
      %v = hopper.view %at : !tile
      hopper.wgmma %v, %v transposed into %acc : !tile, !tile, !sums
      // CHECK: arith.negf
      // CHECK-NEXT: scf.yield %[[PINNED]]
      %last = hopper.accumulator.read %acc : !sums -> !sum
      %negative = arith.negf %last : !sum
      scf.yield %more : !sum
    }
    // CHECK-NOT: hopper.pin
    hopper.accumulator.write %sum to %acc : !sum, !sums
  }
}
