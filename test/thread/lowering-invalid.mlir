// RUN: ashlar-opt %s --split-input-file --hopper-to-thread --verify-diagnostics

!f = tensor<64x8xf32, #tile.fragment<"64x8 (4,8,4,1):(128,1,16,64) / (2,2,1,1):(64,8,512,64)">>
hopper.kernel @no_instruction threads 128 shared 0 cluster 1 {
  hopper.role "math" from 0 warps 4 {
    %a = arith.constant dense<1.0> : !f
    // expected-error@+1 {{operation 'math.atan' has no instruction on sm_90a}}
    %b = math.atan %a : !f
  }
}

// -----

hopper.kernel @no_instruction_on_scalars threads 128 shared 0 cluster 1 {
  %alpha = hopper.scalar "alpha" : f32
  hopper.role "math" from 0 warps 4 {
    // expected-error@+1 {{operation 'math.atan' has no instruction on sm_90a}}
    %b = math.atan %alpha : f32
  }
}

// -----

hopper.kernel @no_layout threads 128 shared 0 cluster 1 {
  hopper.role "math" from 0 warps 4 {
    // expected-error@+1 {{has a fragment without a layout; which thread holds what of it is not known: give its type one}}
    %u = hopper.undefined : tensor<64x64xf32>
  }
}

// -----

!f = tensor<32xf32, #tile.fragment<"32 32:1 / 1:0">>
hopper.kernel @many_values threads 32 shared 0 cluster 1 {
  hopper.role "math" from 0 warps 1 {
    // expected-error@+1 {{a constant fragment has one value everywhere}}
    %f = arith.constant dense<[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0, 16.0, 17.0, 18.0, 19.0, 20.0, 21.0, 22.0, 23.0, 24.0, 25.0, 26.0, 27.0, 28.0, 29.0, 30.0, 31.0]> : !f
  }
}

// -----

// A tile whose rows are not those of a swizzle is no operand.
!tile = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(160,2)">
!acc = tensor<64x64xf32, #tile.fragment<"64x64 (4,8,4,1):(128,1,16,64) / (2,2,8,1):(64,8,512,64)">>
hopper.kernel @no_operand threads 128 shared 16384 cluster 1 {
  hopper.role "math" from 0 warps 4 {
    %at = hopper.shared_address 0
    %v = hopper.view %at : !tile
    %zero = arith.constant dense<0.0> : !acc
    %r = hopper.accumulator : <!acc>
    // expected-error@+1 {{wgmma cannot read this tile: }}
    hopper.wgmma %v, %v transposed into zeroed %r : !tile, !tile, <!acc>
  }
}

// -----

hopper.kernel @few_registers threads 128 shared 0 cluster 1 {
  %n = hopper.size "N"
  %c1 = arith.constant 1 : index
  hopper.role "load" from 0 warps 1 registers 24 {
    %one = arith.cmpi eq, %n, %c1 : index
    // expected-warning@+1 {{role 'load' has 24 registers for each thread; what tells of it on a GPU takes 32: use registers(32) or more, or another role}}
    hopper.expect %one, "N is 1" : i1
    // expected-error@+1 {{role 'load' has 24 registers for each thread; what tells of it on a GPU takes 32: use registers(32) or more, or another role}}
    hopper.print "N is {}"(%n) : index
  }
}

// -----

hopper.kernel @outside threads 32 shared 1024 cluster 1 {
  // expected-error@+1 {{asks for the warp of a role, outside of one}}
  %0 = hopper.special_register "warp"
}
