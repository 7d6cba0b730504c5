// RUN: ashlar-opt %s --split-input-file --pass-pipeline='builtin.module(hopper.kernel(hopper-overlap-products))' | FileCheck %s

// While what an iteration made of its product is added, the next one's product is
// in flight: the first, then two at a time, then one more where one is left.

!tile = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
!acc = tensor<64x64xf32, #tile.fragment<"64x64 (4,8,4,1):(128,1,16,64) / (2,2,8,1):(64,8,512,64)">>
// CHECK-LABEL: hopper.kernel @scaled
hopper.kernel @scaled threads 128 shared 65536 cluster 1 {
  %K = hopper.size "K"
  %at = hopper.shared_address 0
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  hopper.role "math" from 0 warps 4 {
    // CHECK: %[[ZERO:.+]] = arith.constant dense<0
    %zero = arith.constant dense<0.0> : !acc
    %half = arith.constant dense<0.5> : !acc
    %v = hopper.view %at : !tile
    // CHECK: scf.if
    // CHECK: %[[FIRST:.+]] = hopper.mma {{.*}}, %[[ZERO]] :
    // CHECK: %[[PAIRS:.+]]:2 = scf.for {{.*}} iter_args(%[[SUM:.+]] = %[[ZERO]], %[[BEFORE:.+]] = %[[FIRST]])
    // CHECK: %[[ODD:.+]] = hopper.mma {{.*}}, %[[ZERO]] :
    // CHECK-NEXT: %[[P:.+]] = arith.mulf %[[BEFORE]],
    // CHECK-NEXT: %[[S:.+]] = arith.addf %[[SUM]], %[[P]]
    // CHECK: %[[EVEN:.+]] = hopper.mma {{.*}}, %[[ZERO]] :
    // CHECK-NEXT: %[[Q:.+]] = arith.mulf %[[ODD]],
    // CHECK-NEXT: %[[T:.+]] = arith.addf %[[S]], %[[Q]]
    // CHECK-NEXT: scf.yield %[[T]], %[[EVEN]]
    // CHECK: scf.if
    // CHECK: hopper.mma
    // CHECK: else
    // CHECK-NOT: hopper.mma
    // CHECK: } else {
    // CHECK-NEXT: scf.yield %[[ZERO]]
    %r = scf.for %k = %c0 to %K step %c1 iter_args(%x = %zero) -> !acc {
      %y = hopper.mma %v, %v transposed, %zero : !tile, !tile, !acc
      %p = arith.mulf %y, %half : !acc
      %z = arith.addf %x, %p : !acc
      scf.yield %z : !acc
    }
  }
}

// -----

// Not where the next product depends on the sum, where something stores what was
// made of a product, or where the role has no registers for two of them.

!tile = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
!sums = !tile.shared<64x64xf32, "S<0,4,3> o (64,64):(256,4)">
!acc = tensor<64x64xf32, #tile.fragment<"64x64 (4,8,4,1):(128,1,16,64) / (2,2,8,1):(64,8,512,64)">>
// CHECK-LABEL: hopper.kernel @depends
hopper.kernel @depends threads 128 shared 65536 cluster 1 {
  %K = hopper.size "K"
  %at = hopper.shared_address 0
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  hopper.role "math" from 0 warps 4 {
    %zero = arith.constant dense<0.0> : !acc
    %v = hopper.view %at : !tile
    %sums = hopper.view %at : !sums
    // CHECK: scf.for
    // CHECK-NOT: hopper.mma {{.*}}hopper.mma
    // CHECK: hopper.mma
    // CHECK-NEXT: arith.addf
    // CHECK-NEXT: scf.yield
    %r = scf.for %k = %c0 to %K step %c1 iter_args(%x = %zero) -> !acc {
      %y = hopper.mma %v, %v transposed, %x : !tile, !tile, !acc
      %z = arith.addf %x, %y : !acc
      scf.yield %z : !acc
    }
    // CHECK: scf.for
    // CHECK: hopper.mma
    // CHECK-NEXT: hopper.shared_store
    // CHECK-NEXT: arith.addf
    // CHECK-NEXT: scf.yield
    %s = scf.for %k = %c0 to %K step %c1 iter_args(%x = %zero) -> !acc {
      %y = hopper.mma %v, %v transposed, %zero : !tile, !tile, !acc
      hopper.shared_store %y to %sums : !acc, !sums
      %z = arith.addf %x, %y : !acc
      scf.yield %z : !acc
    }
  }
}

// CHECK-LABEL: hopper.kernel @too_few_registers
hopper.kernel @too_few_registers threads 128 shared 65536 cluster 1 {
  %K = hopper.size "K"
  %at = hopper.shared_address 0
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  hopper.role "math" from 0 warps 4 registers 128 {
    %zero = arith.constant dense<0.0> : !acc
    %v = hopper.view %at : !tile
    // CHECK: scf.for
    // CHECK: hopper.mma
    // CHECK-NOT: hopper.mma
    %r = scf.for %k = %c0 to %K step %c1 iter_args(%x = %zero) -> !acc {
      %y = hopper.mma %v, %v transposed, %zero : !tile, !tile, !acc
      %z = arith.addf %x, %y : !acc
      scf.yield %z : !acc
    }
  }
}

// -----

// A loop that carries a product by itself, and stores it behind the next one's
// issue, goes two iterations at a time: each product has its own name, and none
// is copied.

!tile = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
!sums = !tile.shared<64x64xf32, "S<0,4,3> o (64,64):(256,4)">
!acc = tensor<64x64xf32, #tile.fragment<"64x64 (4,8,4,1):(128,1,16,64) / (2,2,8,1):(64,8,512,64)">>
// CHECK-LABEL: hopper.kernel @carries
hopper.kernel @carries threads 128 shared 65536 cluster 1 {
  %K = hopper.size "K"
  %at = hopper.shared_address 0
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  hopper.role "math" from 0 warps 4 {
    %zero = arith.constant dense<0.0> : !acc
    %v = hopper.view %at : !tile
    %sums = hopper.view %at : !sums
    // CHECK: %[[FIRST:.+]] = hopper.mma
    %first = hopper.mma %v, %v transposed, %zero : !tile, !tile, !acc
    // CHECK: %[[PAIRS:.+]] = scf.for {{.*}} iter_args(%[[BEFORE:.+]] = %[[FIRST]])
    // CHECK: %[[ONE:.+]] = hopper.mma
    // CHECK-NEXT: hopper.shared_store %[[BEFORE]]
    // CHECK: %[[TWO:.+]] = hopper.mma
    // CHECK-NEXT: hopper.shared_store %[[ONE]]
    // CHECK-NEXT: scf.yield %[[TWO]]
    // CHECK: scf.if
    // CHECK-NEXT: %[[LAST:.+]] = hopper.mma
    // CHECK-NEXT: hopper.shared_store %[[PAIRS]]
    // CHECK-NEXT: scf.yield %[[LAST]]
    // CHECK-NEXT: } else {
    // CHECK-NEXT: scf.yield %[[PAIRS]]
    %r = scf.for %k = %c0 to %K step %c1 iter_args(%x = %first) -> !acc {
      %y = hopper.mma %v, %v transposed, %zero : !tile, !tile, !acc
      hopper.shared_store %x to %sums : !acc, !sums
      scf.yield %y : !acc
    }
    hopper.shared_store %r to %sums : !acc, !sums
  }
}

// -----

// A fragment that is needed behind the loop counts among its registers: four of
// 64 in each thread have no room in 240, though three would.

!tile = !tile.shared<64x128xbf16, "S<3,4,3> o (64,(64,2)):(128,(2,8192))">
!b = !tile.shared<128x128xbf16, "S<3,4,3> o (128,(64,2)):(128,(2,16384))">
!acc = tensor<64x128xf32, #tile.fragment<"64x128 (4,8,4,1):(128,1,16,64) / (2,2,16,1):(64,8,512,64)">>
// CHECK-LABEL: hopper.kernel @needed_behind
hopper.kernel @needed_behind threads 128 shared 65536 cluster 1 {
  %K = hopper.size "K"
  %at = hopper.shared_address 0
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  hopper.role "math" from 0 warps 4 registers 240 {
    %zero = arith.constant dense<0.0> : !acc
    %a = hopper.view %at : !tile
    %b = hopper.view %at : !b
    %other = hopper.mma %a, %b transposed, %zero : !tile, !b, !acc
    // CHECK: scf.for
    // CHECK-NEXT: hopper.mma
    // CHECK-NEXT: arith.addf
    // CHECK-NEXT: scf.yield
    // CHECK-NOT: hopper.mma
    %r = scf.for %k = %c0 to %K step %c1 iter_args(%x = %zero) -> !acc {
      %y = hopper.mma %a, %b transposed, %zero : !tile, !b, !acc
      %z = arith.addf %x, %y : !acc
      scf.yield %z : !acc
    }
    %s = arith.mulf %other, %r : !acc
  }
}

// -----

// A factor for each row is broadcast where it is used: two iterations hold rows,
// no whole fragments, and there are registers for that.

!tile = !tile.shared<64x128xbf16, "S<3,4,3> o (64,(64,2)):(128,(2,8192))">
!b = !tile.shared<128x128xbf16, "S<3,4,3> o (128,(64,2)):(128,(2,16384))">
!factors = !tile.shared<64xf32, "S<0,4,3> o (64):(4)">
!acc = tensor<64x128xf32, #tile.fragment<"64x128 (4,8,4,1):(128,1,16,64) / (2,2,16,1):(64,8,512,64)">>
!rows = tensor<64xf32, #tile.fragment<"64 (4,8,4,1):(0,1,16,0) / 2:8">>
// CHECK-LABEL: hopper.kernel @factor_of_each_row
hopper.kernel @factor_of_each_row threads 128 shared 65536 cluster 1 {
  %K = hopper.size "K"
  %at = hopper.shared_address 0
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  hopper.role "math" from 0 warps 4 registers 240 {
    %zero = arith.constant dense<0.0> : !acc
    %a = hopper.view %at : !tile
    %b = hopper.view %at : !b
    %f = hopper.view %at : !factors
    // CHECK: %[[FACTORS:.+]] = hopper.shared_load
    // CHECK: scf.for {{.*}}, %[[BEFORE:[^ ]+]] = %[[FACTORS]])
    // CHECK: hopper.mma
    // CHECK-NEXT: hopper.broadcast %[[BEFORE]] along [0]
    // CHECK-NEXT: arith.mulf
    %r = scf.for %k = %c0 to %K step %c1 iter_args(%x = %zero) -> !acc {
      %s = hopper.shared_load %f : !factors -> !rows
      %t = hopper.broadcast %s along [0] : !rows -> !acc
      %y = hopper.mma %a, %b transposed, %zero : !tile, !b, !acc
      %p = arith.mulf %t, %y : !acc
      %z = arith.addf %x, %p : !acc
      scf.yield %z : !acc
    }
  }
}
