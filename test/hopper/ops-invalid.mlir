// RUN: ashlar-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{has 100 threads; a CTA has whole warps, 32 to 1024 threads}}
hopper.kernel @part_of_a_warp threads 100 shared 0 cluster 1 {
}

// -----

// expected-error@+1 {{has 0 threads; a CTA has whole warps, 32 to 1024 threads}}
hopper.kernel @no_thread threads 0 shared 0 cluster 1 {
}

// -----

// expected-error@+1 {{has 1056 threads; a CTA has whole warps, 32 to 1024 threads}}
hopper.kernel @many_threads threads 1056 shared 0 cluster 1 {
}

// -----

// expected-error@+1 {{has clusters of 16 CTAs; the portable limit is 8}}
hopper.kernel @cluster threads 128 shared 0 cluster 16 {
}

// -----

hopper.kernel @meeting threads 64 shared 0 cluster 1 {
  hopper.role "load" from 0 warps 1 {
    hopper.sync
  }
  // expected-error@+1 {{meets the others 0 times (hopper.sync) and role 'load' 1 times; a barrier of all threads is met by every role}}
  hopper.role "math" from 1 warps 1 {
  }
}

// -----

hopper.kernel @box_rank threads 128 shared 0 cluster 1 {
  // expected-error@+1 {{has a box of 6 dimensions; TMA has 1 to 5}}
  %m = hopper.tensor_map "A" box [1, 1, 1, 1, 1, 8] swizzle 0 : !hopper.tensor_map
}

// -----

hopper.kernel @box_extent threads 128 shared 0 cluster 1 {
  // expected-error@+1 {{has a box extent of 257; TMA moves 1 to 256 elements per dimension}}
  %m = hopper.tensor_map "A" box [257, 64] swizzle 0 : !hopper.tensor_map
}

// -----

hopper.kernel @steps_rank threads 128 shared 0 cluster 1 {
  // expected-error@+1 {{has 1 steps, and a box of 2 dimensions}}
  %m = hopper.tensor_map "A" box [64, 64] step [2] swizzle 0 : !hopper.tensor_map
}

// -----

hopper.kernel @step_last threads 128 shared 0 cluster 1 {
  // expected-error@+1 {{has a step of 2 in the last dimension; TMA has 1 there}}
  %m = hopper.tensor_map "A" box [64, 64] step [1, 2] swizzle 0 : !hopper.tensor_map
}

// -----

hopper.kernel @step_nine threads 128 shared 0 cluster 1 {
  // expected-error@+1 {{has steps of 9 in a box of 8; TMA has 1 to 8, over 256 elements}}
  %m = hopper.tensor_map "A" box [8, 64] step [9, 1] swizzle 0 : !hopper.tensor_map
}

// -----

hopper.kernel @step_far threads 128 shared 0 cluster 1 {
  // expected-error@+1 {{has steps of 2 in a box of 136; TMA has 1 to 8, over 256 elements}}
  %m = hopper.tensor_map "A" box [136, 64] step [2, 1] swizzle 0 : !hopper.tensor_map
}

// -----

hopper.kernel @box_empty threads 128 shared 0 cluster 1 {
  // expected-error@+1 {{has a box extent of 0; TMA moves 1 to 256 elements per dimension}}
  %m = hopper.tensor_map "A" box [0, 64] swizzle 0 : !hopper.tensor_map
}

// -----

hopper.kernel @swizzle threads 128 shared 0 cluster 1 {
  // expected-error@+1 {{swizzles 96 bytes; TMA has 0, 32, 64 and 128}}
  %m = hopper.tensor_map "A" box [64, 64] swizzle 96 : !hopper.tensor_map
}

// -----

hopper.kernel @register threads 128 shared 0 cluster 1 {
  // expected-error@+1 {{reads unknown register 'ctaid.z'}}
  %r = hopper.special_register "ctaid.z"
}

// -----

hopper.kernel @barrier_zero threads 128 shared 0 cluster 1 {
  // expected-error@+1 {{uses barrier 0; named barriers are 1 to 15, 0 is the CTA's own}}
  hopper.named_barrier 0 threads 128
}

// -----

hopper.kernel @barrier_sixteen threads 128 shared 0 cluster 1 {
  // expected-error@+1 {{uses barrier 16; named barriers are 1 to 15, 0 is the CTA's own}}
  hopper.named_barrier 16 threads 128
}

// -----

hopper.kernel @barrier_threads threads 128 shared 0 cluster 1 {
  // expected-error@+1 {{counts 100 threads; a barrier counts whole warps}}
  hopper.named_barrier 1 threads 100
}

// -----

hopper.kernel @turn_of_warps threads 128 shared 0 cluster 1 {
  hopper.role "math" from 0 warps 2 {
    // expected-error@+1 {{is of a role of warpgroups that has one instance}}
    hopper.turn 1
  }
}

// -----

hopper.kernel @turns threads 256 shared 0 cluster 1 {
  hopper.role "math" from 0 warps 8 {
    // expected-error@+1 {{uses barriers 15 to 16; named barriers are 1 to 15}}
    hopper.turn pass 15
  }
}

// -----

hopper.kernel @view threads 128 shared 0 cluster 1 {
  %a = hopper.shared_address 0
  // expected-error@+1 {{views a tile that has no layout}}
  %v = hopper.view %a : !tile.shared<64x64xbf16>
}

// -----

hopper.kernel @arrivals threads 128 shared 0 cluster 1 {
  %a = hopper.shared_address 0
  // expected-error@+1 {{counts 0 arrivals; a barrier takes 1 to 2^20 - 1}}
  hopper.mbarrier.init %a count 0
}

// -----

hopper.kernel @many_arrivals threads 128 shared 0 cluster 1 {
  %a = hopper.shared_address 0
  // expected-error@+1 {{counts 1048576 arrivals; a barrier takes 1 to 2^20 - 1}}
  hopper.mbarrier.init %a count 1048576
}

// -----

hopper.kernel @bytes threads 128 shared 0 cluster 1 {
  %a = hopper.shared_address 0
  // expected-error@+1 {{expects 0 bytes; a barrier takes 1 to 2^20 - 1}}
  hopper.mbarrier.expect_bytes %a, 0
}

// -----

hopper.kernel @bytes_to_a_peer threads 128 shared 0 cluster 2 {
  %c1 = arith.constant 1 : index
  %a = hopper.shared_address 0
  %far = hopper.peer_address %a of %c1
  // expected-error@+1 {{copies 24 bytes; the copy engine moves whole 16}}
  hopper.copy_to_peer %a, 24 to %far on %far
}

// -----

!tile = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
!acc = tensor<64x64xf32, #tile.fragment<"64x64 (4,8,4,1):(128,1,16,64) / (2,2,8,1):(64,8,512,64)">>
hopper.kernel @outside threads 128 shared 0 cluster 1 {
  %a = hopper.shared_address 0
  %v = hopper.view %a : !tile
  %zero = arith.constant dense<0.0> : !acc
  // expected-error@+1 {{stands outside a role}}
  %r = hopper.mma %v, %v transposed, %zero : !tile, !tile, !acc
}

// -----

!tile = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
hopper.kernel @no_fragment threads 128 shared 0 cluster 1 {
  %a = hopper.shared_address 0
  %v = hopper.view %a : !tile
  hopper.role "math" from 0 warps 4 {
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    // expected-error@+1 {{has an accumulator without a fragment layout}}
    %r = hopper.mma %v, %v transposed, %zero : !tile, !tile, tensor<64x64xf32>
  }
}

// -----

!acc = tensor<64x64xf32, #tile.fragment<"64x64 (4,8,4,1):(128,1,16,64) / (2,2,8,1):(64,8,512,64)">>
hopper.kernel @accumulator_of_a_loop threads 128 shared 0 cluster 1 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  hopper.role "math" from 0 warps 4 {
    scf.for %i = %c0 to %c1 step %c1 {
      // expected-error@+1 {{stands in no role's own block; an accumulator is there for the whole role}}
      %x = hopper.accumulator : <!acc>
    }
  }
}

// -----

hopper.kernel @halves threads 128 shared 0 cluster 1 {
  // expected-error@+1 {{is arrived at before; only a cluster's has two halves}}
  hopper.sync arrived
}

// -----

hopper.kernel @half threads 160 shared 0 cluster 2 {
  hopper.cluster.arrive
  hopper.role "math" from 0 warps 4 {
    hopper.sync cluster arrived
  }
  // expected-error@+1 {{waits 0 times for a cluster (hopper.sync cluster arrived) that each of its threads arrives at 1 times (hopper.cluster.arrive); let it wait for each arrival}}
  hopper.role "load" from 4 warps 1 {
    hopper.sync cluster
  }
}

// -----

// expected-error@+1 {{has 17 CTAs of 128 threads to a multiprocessor, which has room for 32 CTAs and 2048 threads}}
hopper.kernel @too_many_to_an_sm threads 128 shared 0 cluster 1 ctas_per_sm 17 {
}

// -----

!from = tensor<8x32xi8, #tile.fragment<"8x32 (8,4):(1,64) / (8):(8)">>
!to = tensor<8x32xvector<2xi4>, #tile.fragment<"8x32 (8,4):(1,64) / (8):(8)">>
hopper.kernel @no_such_conversion threads 32 shared 0 cluster 1 {
  hopper.role "math" from 0 warps 1 {
    %x = arith.constant dense<0> : !from
    // expected-error@+1 {{makes s4 of s8, which no instructions do at once}}
    %y = hopper.convert %x : !from -> !to
  }
}

// -----

!from = tensor<8x32xf32, #tile.fragment<"8x32 (8,4):(1,64) / (8):(8)">>
!to = tensor<8x16xvector<2xi4>, #tile.fragment<"8x16 (8,4):(1,8) / (4):(32)">>
hopper.kernel @pairs_that_lie_otherwise threads 32 shared 0 cluster 1 {
  hopper.role "math" from 0 warps 1 {
    %x = arith.constant dense<0.0> : !from
    // expected-error@+1 {{each element is to be where it was}}
    %y = hopper.convert %x : !from -> !to
  }
}

// -----

!warp = tensor<64x32xf32, #tile.fragment<"64x32 (32,4):(64,16) / (16):(1)">>
!accumulator = tensor<64x32xf32, #tile.fragment<"64x32 (32,4):(64,1) / (16):(4)">>
hopper.kernel @relay_among_warps threads 128 shared 0 cluster 1 {
  hopper.role "math" from 0 warps 4 {
    %x = arith.constant dense<0.0> : !warp
    // expected-error@+1 {{the warps that hold 64x32 (32,4):(64,16) / (16):(1) do not hold 64x32 (32,4):(64,1) / (16):(4)}}
    %y = hopper.warp_relay %x : !warp -> !accumulator
  }
}

// -----

!one = tensor<64x32xf32, #tile.fragment<"64x32 (32,4):(64,16) / (16):(1)">>
hopper.kernel @relay_of_another_type threads 128 shared 0 cluster 1 {
  hopper.role "math" from 0 warps 4 {
    %x = arith.constant dense<0.0> : !one
    // expected-error@+1 {{gives 'tensor<64x32xi32>' of}}
    %y = hopper.warp_relay %x : !one -> tensor<64x32xi32>
  }
}

// -----

!row = tensor<128xf32, #tile.fragment<"128 128:1 / (1,1):(1,128)">>
hopper.kernel @take_without_ranks threads 128 shared 0 cluster 1 {
  %box = hopper.pointer "Box" : !hopper.pointer
  %one = arith.constant 1 : i64
  %c128 = arith.constant 128 : index
  hopper.role "math" from 0 warps 4 {
    %c0 = arith.constant 0 : index
    // expected-error@+1 {{has 1 tiles, 1 results, 0 ranks and 1 alignments; there is one of each for each tile}}
    %x = hopper.take %box[%c0] within [%c128] strides [%one] ranks [] align [4] : !hopper.pointer -> !row
  }
}

// -----

!row = tensor<128xf32, #tile.fragment<"128 128:1 / (1,1):(1,128)">>
hopper.kernel @take_of_more_dimensions threads 128 shared 0 cluster 1 {
  %box = hopper.pointer "Box" : !hopper.pointer
  %one = arith.constant 1 : i64
  %c128 = arith.constant 128 : index
  hopper.role "math" from 0 warps 4 {
    %c0 = arith.constant 0 : index
    // expected-error@+1 {{has 1 coordinates, extents or strides of tiles in tensors of 2 dimensions in all}}
    %x = hopper.take %box[%c0] within [%c128] strides [%one] ranks [2] align [4] : !hopper.pointer -> !row
  }
}

// -----

!row = tensor<128xi32, #tile.fragment<"128 128:1 / (1,1):(1,128)">>
hopper.kernel @take_of_integers threads 128 shared 0 cluster 1 {
  %box = hopper.pointer "Box" : !hopper.pointer
  %one = arith.constant 1 : i64
  %c128 = arith.constant 128 : index
  hopper.role "math" from 0 warps 4 {
    %c0 = arith.constant 0 : index
    // expected-error@+1 {{takes s32; it takes f32}}
    %x = hopper.take %box[%c0] within [%c128] strides [%one] ranks [1] align [4] : !hopper.pointer -> !row
  }
}
