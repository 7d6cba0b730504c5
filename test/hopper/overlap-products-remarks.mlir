// RUN: ashlar-opt %s --pass-pipeline='builtin.module(hopper.kernel(hopper-overlap-products))' --verify-diagnostics -o /dev/null

// Where registers alone are missing, the author is told how many.

!tile = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
!acc = tensor<64x64xf32, #tile.fragment<"64x64 (4,8,4,1):(128,1,16,64) / (2,2,8,1):(64,8,512,64)">>
hopper.kernel @too_few_registers threads 128 shared 65536 cluster 1 {
  %K = hopper.size "K"
  %at = hopper.shared_address 0
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  hopper.role "math" from 0 warps 4 registers 128 {
    %zero = arith.constant dense<0.0> : !acc
    %v = hopper.view %at : !tile
    %r = scf.for %k = %c0 to %K step %c1 iter_args(%x = %zero) -> !acc {
      %y = hopper.mma %v, %v transposed, %zero : !tile, !tile, !acc
      // expected-remark@+1 {{the next product is not in flight while this is computed: that would take 136 registers in each thread, and the role has 128}}
      %z = arith.addf %x, %y : !acc
      scf.yield %z : !acc
    }
  }
}
