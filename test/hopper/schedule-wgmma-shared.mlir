// RUN: ashlar-opt %s --split-input-file --pass-pipeline='builtin.module(hopper.kernel(hopper-schedule-wgmma))' | FileCheck %s

// A loop that writes the tile which its wgmma reads must not keep a group in
// flight over the write.

!tile = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
!acc = tensor<64x64xf32, #tile.fragment<"64x64 (4,8,4,1):(128,1,16,64) / (2,2,8,1):(64,8,512,64)">>
!half = tensor<64x64xbf16, #tile.fragment<"64x64 (8,16):(512,1) / (8,1,4):(64,4096,16)">>
// CHECK-LABEL: hopper.kernel @rewritten
hopper.kernel @rewritten threads 128 shared 8192 cluster 1 {
  %K = hopper.size "K"
  %at = hopper.shared_address 0
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  hopper.role "math" from 0 warps 4 {
    %zero = arith.constant dense<0.0> : !acc
    %f = arith.constant dense<1.0> : !half
    %v = hopper.view %at : !tile
    // CHECK: scf.for
    %r = scf.for %k = %c0 to %K step %c1 iter_args(%x = %zero) -> !acc {
      hopper.named_barrier 1 threads 128
      hopper.shared_store %f to %v : !half, !tile
      hopper.named_barrier 1 threads 128
      // CHECK: hopper.wgmma fence
      // CHECK-NEXT: hopper.wgmma.commit
      // CHECK-NEXT: hopper.wgmma.wait 0
      // CHECK-NEXT: scf.yield
      %y = hopper.wgmma %v, %v transposed, %x : !tile, !tile, !acc
      scf.yield %y : !acc
    }
  }
}

// -----

// A barrier tells other roles that the tile has been read: the group is waited
// for before.

!tile = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
!acc = tensor<64x64xf32, #tile.fragment<"64x64 (4,8,4,1):(128,1,16,64) / (2,2,8,1):(64,8,512,64)">>
// CHECK-LABEL: hopper.kernel @announced
hopper.kernel @announced threads 256 shared 8192 cluster 1 {
  %at = hopper.shared_address 0
  hopper.role "math" from 0 warps 4 {
    %zero = arith.constant dense<0.0> : !acc
    %v = hopper.view %at : !tile
    // CHECK: hopper.wgmma fence
    // CHECK-NEXT: hopper.wgmma.commit
    // CHECK-NEXT: hopper.wgmma.wait 0
    // CHECK-NEXT: hopper.named_barrier arrive
    %y = hopper.wgmma %v, %v transposed, %zero : !tile, !tile, !acc
    hopper.named_barrier arrive 1 threads 256
  }
}
