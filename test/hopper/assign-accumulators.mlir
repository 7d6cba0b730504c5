// RUN: ashlar-opt %s --split-input-file --pass-pipeline='builtin.module(hopper.kernel(hopper-assign-accumulators))' | FileCheck %s

// A loop's sum lies in one accumulator, which the loop does not carry.

!tile = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
!acc = tensor<64x64xf32, #tile.fragment<"64x64 (4,8,4,1):(128,1,16,64) / (2,2,8,1):(64,8,512,64)">>
// CHECK-LABEL: hopper.kernel @loop
hopper.kernel @loop threads 128 shared 65536 cluster 1 {
  %K = hopper.size "K"
  %at = hopper.shared_address 0
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  hopper.role "math" from 0 warps 4 {
    // CHECK: %[[ACC:.+]] = hopper.accumulator
    // CHECK-NOT: hopper.accumulator :
    %zero = arith.constant dense<0.0> : !acc
    %v = hopper.view %at : !tile
    // CHECK: hopper.accumulator.write %{{.+}} to %[[ACC]]
    // CHECK-NEXT: scf.for %{{[^ ]+}} = %c0 to %{{[^ ]+}} step %c1 {
    // CHECK-NEXT: hopper.wgmma %{{.+}} transposed into %[[ACC]] :
    // CHECK-NEXT: }
    %r = scf.for %k = %c0 to %K step %c1 iter_args(%x = %zero) -> !acc {
      %y = hopper.mma %v, %v transposed, %x : !tile, !tile, !acc
      scf.yield %y : !acc
    }
    // CHECK-NEXT: %[[SUM:.+]] = hopper.accumulator.read %[[ACC]]
    // CHECK-NEXT: arith.addf %[[SUM]], %[[SUM]]
    %twice = arith.addf %r, %r : !acc
  }
}

// -----

// A branch that gives the sum another value writes it in its arm.

!tile = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
!acc = tensor<64x64xf32, #tile.fragment<"64x64 (4,8,4,1):(128,1,16,64) / (2,2,8,1):(64,8,512,64)">>
// CHECK-LABEL: hopper.kernel @reset
hopper.kernel @reset threads 128 shared 65536 cluster 1 {
  %K = hopper.size "K"
  %at = hopper.shared_address 0
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  hopper.role "math" from 0 warps 4 {
    // CHECK: %[[ACC:.+]] = hopper.accumulator
    // CHECK-NOT: hopper.accumulator :
    %zero = arith.constant dense<0.0> : !acc
    %v = hopper.view %at : !tile
    // CHECK: scf.for
    %r = scf.for %k = %c0 to %K step %c1 iter_args(%x = %zero) -> !acc {
      // CHECK: hopper.wgmma %{{.+}} into %[[ACC]]
      %y = hopper.mma %v, %v transposed, %x : !tile, !tile, !acc
      %two = arith.cmpi eq, %k, %c1 : index
      // CHECK: scf.if %{{[^ ]+}} {
      // CHECK-NEXT: hopper.accumulator.write %{{.+}} to %[[ACC]]
      // CHECK-NEXT: } else {
      // CHECK-NEXT: }
      %n = scf.if %two -> !acc {
        scf.yield %zero : !acc
      } else {
        scf.yield %y : !acc
      }
      scf.yield %n : !acc
    }
    // CHECK: hopper.accumulator.read %[[ACC]]
    %twice = arith.addf %r, %r : !acc
  }
}

// -----

// A sum that is used after the next product on it is another accumulator.

!tile = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
!acc = tensor<64x64xf32, #tile.fragment<"64x64 (4,8,4,1):(128,1,16,64) / (2,2,8,1):(64,8,512,64)">>
// CHECK-LABEL: hopper.kernel @both
hopper.kernel @both threads 128 shared 65536 cluster 1 {
  %K = hopper.size "K"
  %at = hopper.shared_address 0
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  hopper.role "math" from 0 warps 4 {
    // CHECK: %[[ONE:.+]] = hopper.accumulator
    // CHECK: %[[TWO:.+]] = hopper.accumulator
    %zero = arith.constant dense<0.0> : !acc
    %v = hopper.view %at : !tile
    // CHECK: hopper.wgmma %{{.+}} into zeroed %[[A:[^ ]+]]
    %x = hopper.mma %v, %v transposed, %zero : !tile, !tile, !acc
    // CHECK: %[[VALUE:.+]] = hopper.accumulator.read %[[A]]
    // CHECK: hopper.accumulator.write %[[VALUE]] to %[[B:[^ ]+]]
    // CHECK: hopper.wgmma %{{.+}} into %[[B]]
    %y = hopper.mma %v, %v transposed, %x : !tile, !tile, !acc
    // CHECK: %[[SECOND:.+]] = hopper.accumulator.read %[[B]]
    // CHECK: arith.addf %[[VALUE]], %[[SECOND]]
    %sum = arith.addf %x, %y : !acc
  }
}

// -----

// Sums that a loop exchanges are read before either is written.

!tile = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
!acc = tensor<64x64xf32, #tile.fragment<"64x64 (4,8,4,1):(128,1,16,64) / (2,2,8,1):(64,8,512,64)">>
// CHECK-LABEL: hopper.kernel @exchanged
hopper.kernel @exchanged threads 128 shared 65536 cluster 1 {
  %K = hopper.size "K"
  %at = hopper.shared_address 0
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  hopper.role "math" from 0 warps 4 {
    %zero = arith.constant dense<0.0> : !acc
    %v = hopper.view %at : !tile
    // CHECK: scf.for
    %r:2 = scf.for %k = %c0 to %K step %c1 iter_args(%x = %zero, %y = %zero) -> (!acc, !acc) {
      // CHECK: hopper.wgmma
      %p = hopper.mma %v, %v transposed, %x : !tile, !tile, !acc
      %q = hopper.mma %v, %v transposed, %y : !tile, !tile, !acc
      // CHECK: hopper.wgmma
      // CHECK-DAG: %[[ONE:.+]] = hopper.accumulator.read %[[A:.+]] :
      // CHECK-DAG: %[[TWO:.+]] = hopper.accumulator.read %[[B:.+]] :
      // CHECK: hopper.accumulator.write
      // CHECK: hopper.accumulator.write
      // CHECK-NEXT: }
      scf.yield %q, %p : !acc, !acc
    }
    %sum = arith.addf %r#0, %r#1 : !acc
  }
}

// -----

// A part is read where the program takes it, a value that stays the same in a
// loop before it.

!tile = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
!acc = tensor<64x64xf32, #tile.fragment<"64x64 (4,8,4,1):(128,1,16,64) / (2,2,8,1):(64,8,512,64)">>
!part = tensor<64x8xf32, #tile.fragment<"64x8 (4,8,4,1):(128,1,16,64) / (2,2,1,1):(64,8,512,64)">>
// CHECK-LABEL: hopper.kernel @parts
hopper.kernel @parts threads 128 shared 65536 cluster 1 {
  %K = hopper.size "K"
  %at = hopper.shared_address 0
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  hopper.role "math" from 0 warps 4 {
    %zero = arith.constant dense<0.0> : !acc
    %v = hopper.view %at : !tile
    // CHECK: hopper.wgmma %{{.+}} into zeroed %[[ACC:[^ ]+]]
    %x = hopper.mma %v, %v transposed, %zero : !tile, !tile, !acc
    // CHECK: %[[PART:.+]] = hopper.accumulator.read %[[ACC]] from [0, 8]
    // CHECK-NEXT: arith.addf %[[PART]], %[[PART]]
    %part = hopper.slice %x from [0, 8] : !acc -> !part
    %p = arith.addf %part, %part : !part
    // CHECK: %[[WHOLE:.+]] = hopper.accumulator.read %[[ACC]] :
    // CHECK: scf.for
    %r = scf.for %k = %c0 to %K step %c1 iter_args(%s = %zero) -> !acc {
      // CHECK: arith.addf %{{.+}}, %[[WHOLE]]
      %t = arith.addf %s, %x : !acc
      scf.yield %t : !acc
    }
  }
}

// -----

// A sum that begins with a product and that no mma adds to is a value: its
// registers are written while others are in flight. What leaves its loop for an
// mma is written behind it.

!tile = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
!acc = tensor<64x64xf32, #tile.fragment<"64x64 (4,8,4,1):(128,1,16,64) / (2,2,8,1):(64,8,512,64)">>
// CHECK-LABEL: hopper.kernel @value
hopper.kernel @value threads 128 shared 65536 cluster 1 {
  %K = hopper.size "K"
  %at = hopper.shared_address 0
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  hopper.role "math" from 0 warps 4 {
    %zero = arith.constant dense<0.0> : !acc
    %v = hopper.view %at : !tile
    // CHECK: hopper.wgmma %{{.+}} into zeroed %[[FIRST:[^ ]+]]
    // CHECK-NEXT: %[[START:.+]] = hopper.accumulator.read %[[FIRST]]
    // CHECK-NEXT: %[[SUM:.+]] = scf.for {{.*}} iter_args(%[[BEFORE:.+]] = %[[START]])
    %first = hopper.mma %v, %v transposed, %zero : !tile, !tile, !acc
    %sum = scf.for %k = %c0 to %K step %c1 iter_args(%x = %first) -> !acc {
      // CHECK: %[[PRODUCT:.+]] = hopper.accumulator.read
      // CHECK-NEXT: %[[NEXT:.+]] = arith.addf %[[BEFORE]], %[[PRODUCT]]
      // CHECK-NEXT: scf.yield %[[NEXT]]
      %y = hopper.mma %v, %v transposed, %zero : !tile, !tile, !acc
      %z = arith.addf %x, %y : !acc
      scf.yield %z : !acc
    }
    // CHECK: hopper.accumulator.write %[[SUM]] to %[[LAST:[^ ]+]]
    // CHECK-NEXT: hopper.wgmma %{{.+}} into %[[LAST]]
    %r = hopper.mma %v, %v transposed, %sum : !tile, !tile, !acc
  }
}

// -----

// Products that are used up one after the other are the same registers.

!tile = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
!acc = tensor<64x64xf32, #tile.fragment<"64x64 (4,8,4,1):(128,1,16,64) / (2,2,8,1):(64,8,512,64)">>
// CHECK-LABEL: hopper.kernel @used_up
hopper.kernel @used_up threads 128 shared 65536 cluster 1 {
  %at = hopper.shared_address 0
  hopper.role "math" from 0 warps 4 {
    // CHECK: hopper.accumulator :
    // CHECK: hopper.accumulator :
    // CHECK-NOT: hopper.accumulator :
    %zero = arith.constant dense<0.0> : !acc
    %v = hopper.view %at : !tile
    // CHECK: hopper.wgmma %{{.+}} into zeroed %[[ONE:[^ ]+]]
    %x = hopper.mma %v, %v transposed, %zero : !tile, !tile, !acc
    %a = arith.addf %x, %x : !acc
    // CHECK: hopper.wgmma %{{.+}} into zeroed %[[ONE]]
    %y = hopper.mma %v, %v transposed, %zero : !tile, !tile, !acc
    // CHECK: hopper.wgmma %{{.+}} into zeroed %[[OTHER:[^ ]+]]
    %z = hopper.mma %v, %v transposed, %zero : !tile, !tile, !acc
    // CHECK: hopper.accumulator.read %[[ONE]]
    // CHECK: hopper.accumulator.read %[[OTHER]]
    %b = arith.addf %a, %y : !acc
    %c = arith.addf %b, %z : !acc
  }
}

// -----

// A is written where it is made, and f32 that are rounded to it are rounded by
// that, for whoever takes them.

!tile = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
!acc = tensor<64x64xf32, #tile.fragment<"64x64 (4,8,4,1):(128,1,16,64) / (2,2,8,1):(64,8,512,64)">>
!a = tensor<64x64xbf16, #tile.fragment<"64x64 (4,8,4,1):(128,1,16,64) / (2,2,8,1):(64,8,512,64)">>
// CHECK-LABEL: hopper.kernel @rounded
hopper.kernel @rounded threads 128 shared 65536 cluster 1 {
  %at = hopper.shared_address 0
  hopper.role "math" from 0 warps 4 {
    %zero = arith.constant dense<0.0> : !acc
    %one = arith.constant dense<1.0> : !acc
    %v = hopper.view %at : !tile
    // CHECK: %[[WEIGHTS:.+]] = arith.addf
    %weights = arith.addf %one, %one : !acc
    // CHECK-NEXT: arith.truncf
    // CHECK-NEXT: hopper.accumulator.write %[[WEIGHTS]] to %[[A:.+]] : tensor<64x64xf32{{.*}}bf16
    // CHECK-NEXT: %[[ROUNDED:.+]] = hopper.accumulator.read %[[A]]
    %a = arith.truncf %weights : !acc to !a
    // CHECK: hopper.shared_store %[[ROUNDED]]
    hopper.shared_store %a to %v : !a, !tile
    // CHECK: hopper.wgmma %{{.+}} transposed into
    %scores = hopper.mma %v, %v transposed, %zero : !tile, !tile, !acc
    // CHECK-NOT: hopper.accumulator.write %{{.+}} to %[[A]]
    // CHECK: hopper.wgmma %[[A]], %{{.+}} into
    %sums = hopper.mma %a, %v, %zero : !a, !tile, !acc
  }
}
