// RUN: ashlar-opt %s --split-input-file --hopper-to-thread | FileCheck %s

// A sum of 8 bits becomes A: four values to a word, a shuffle for each of the
// two words of a thread, and a permutation for each of A.

!sum = tensor<64x16xf8E4M3FN, #tile.fragment<"64x16 (4,8,4,1):(128,1,16,64) / (2,2,2,1):(64,8,512,64)">>
!a = tensor<64x16xf8E4M3FN, #tile.fragment<"64x16 (4,8,4,1):(256,1,16,64) / (4,2,1,1):(64,8,1024,64)">>
// CHECK-LABEL: llvm.func @bytes
hopper.kernel @bytes threads 128 shared 1024 cluster 1 {
  hopper.role "math" from 0 warps 4 {
    %x = arith.constant dense<1.0> : !sum
    // CHECK-COUNT-2: "shfl.sync.idx.b32 $0, $1, $2, 31, -1;"
    // CHECK-NOT: shfl.sync
    // CHECK-COUNT-2: "prmt.b32 $0, $1, $2, $3;"
    %y = hopper.warp_relay %x : !sum -> !a
  }
}
