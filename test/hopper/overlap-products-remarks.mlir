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

// Rows of both products are loaded before the first are put together of bytes.

!columns = !tile.shared<128x64xf8E4M3FN, "S<2,4,3> o (128,64):(64,1)">
!rows = tensor<64x128xf8E4M3FN, #tile.fragment<"64x128 (4,8,4,1):(256,2,16,64) / (4,2,8,1):(64,1,1024,64)">>
!other = !tile.shared<64x128xf8E4M3FN, "S<3,4,3> o (64,128):(128,1)">
!sum = tensor<64x64xf32, #tile.fragment<"64x64 (4,8,4,1):(128,2,16,64) / (2,2,8,1):(64,1,512,64)">>
hopper.kernel @too_few_registers_for_columns threads 128 shared 65536 cluster 1 {
  %K = hopper.size "K"
  %at = hopper.shared_address 0
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  hopper.role "math" from 0 warps 4 registers 256 {
    %zero = arith.constant dense<0.0> : !sum
    %v = hopper.view %at : !columns
    %w = hopper.view %at : !other
    %r = scf.for %k = %c0 to %K step %c1 iter_args(%x = %zero) -> !sum {
      %a = hopper.shared_load %v transposed : !columns -> !rows
      %p = hopper.mma %a, %w transposed, %zero : !rows, !other, !sum
      // expected-remark@+1 {{that would take 264 registers in each thread, and the role has 256}}
      %y = arith.addf %x, %p : !sum
      %b = hopper.shared_load %v transposed : !columns -> !rows
      %q = hopper.mma %b, %w transposed, %zero : !rows, !other, !sum
      %z = arith.addf %y, %q : !sum
      scf.yield %z : !sum
    }
  }
}

// Rows that lie as they are multiplied are loaded when they are.

!stored = !tile.shared<64x128xf8E4M3FN, "S<3,4,3> o (64,128):(128,1)">
hopper.kernel @registers_for_rows threads 128 shared 65536 cluster 1 {
  %K = hopper.size "K"
  %at = hopper.shared_address 0
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  hopper.role "math" from 0 warps 4 registers 256 {
    %zero = arith.constant dense<0.0> : !sum
    %u = hopper.view %at : !stored
    %w = hopper.view %at : !other
    %r = scf.for %k = %c0 to %K step %c1 iter_args(%x = %zero) -> !sum {
      %a = hopper.shared_load %u : !stored -> !rows
      %p = hopper.mma %a, %w transposed, %zero : !rows, !other, !sum
      %y = arith.addf %x, %p : !sum
      %b = hopper.shared_load %u : !stored -> !rows
      %q = hopper.mma %b, %w transposed, %zero : !rows, !other, !sum
      %z = arith.addf %y, %q : !sum
      scf.yield %z : !sum
    }
  }
}
