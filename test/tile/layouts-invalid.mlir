// RUN: ashlar-opt %s --split-input-file --verify-diagnostics

// A layout is read once, where the text is, and fits what it lays out.

tile.kernel @no_layout {
  // expected-error@+1 {{'nonsense' is not a swizzled layout: expected S<...> o layout}}
  %a = tile.alloc : !tile.shared<64x64xbf16, "nonsense">
}

// -----

tile.kernel @no_swizzle {
  // expected-error@+1 {{the swizzle S<4,4,3> is not its own inverse}}
  %a = tile.alloc : !tile.shared<64x64xbf16, "S<4,4,3> o (64,64):(128,2)">
}

// -----

tile.kernel @tile_of_fewer_dimensions {
  // expected-error@+1 {{the layout S<3,4,3> o (64,64):(128,2) has 2 modes, the shared tile 64 has 1 dimensions}}
  %a = tile.alloc : !tile.shared<64xbf16, "S<3,4,3> o (64,64):(128,2)">
}

// -----

tile.kernel @tile_of_fewer_rows {
  // expected-error@+1 {{mode 0 of the layout S<3,4,3> o (64,64):(128,2) has 64 elements, that dimension of the shared tile 32x64 has 32}}
  %a = tile.alloc : !tile.shared<32x64xbf16, "S<3,4,3> o (64,64):(128,2)">
}

// -----

tile.kernel @beyond_memory {
  // expected-error@+1 {{the layout S<3,4,3> o (64,64):(128,4294967296) reaches beyond addresses of 32 bits}}
  %a = tile.alloc : !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,4294967296)">
}

// -----

// expected-error@+1 {{'nonsense' is not a fragment layout: expected 128x256 thread / value}}
%no_fragment = "builtin.unrealized_conversion_cast"() : () -> tensor<64x64xf32, #tile.fragment<"nonsense">>

// -----

// expected-error@+1 {{the threads hold 32 elements along dimension 1 of (64,64)}}
%half = "builtin.unrealized_conversion_cast"() : () -> tensor<64x64xf32, #tile.fragment<"64x64 (4,8,4):(128,1,16) / (2,2,4):(64,8,512)">>

// -----

// expected-error@+1 {{the fragment layout 64x32 (4,8,4):(128,1,16) / (2,2,4):(64,8,512) is not one of a tensor of 64x64}}
%other_shape = "builtin.unrealized_conversion_cast"() : () -> tensor<64x64xf32, #tile.fragment<"64x32 (4,8,4):(128,1,16) / (2,2,4):(64,8,512)">>

// -----

// expected-error@+1 {{vector types must have positive constant sizes}}
%no_element = "builtin.unrealized_conversion_cast"() : () -> tensor<64xvector<0xf32>, #tile.fragment<"64 64:1 / 1:0">>

// -----

hopper.kernel @fewer_threads threads 64 shared 0 cluster 1 {
  hopper.role "r" from 0 warps 2 {
    // expected-error@+1 {{has a fragment that 128 threads hold, 128 128:1 / 1:0; its role has 64}}
    %a = hopper.undefined : tensor<128xf32, #tile.fragment<"128 128:1 / 1:0">>
  }
}

// -----

hopper.kernel @more_warps threads 128 shared 0 cluster 1 {
  // expected-error@+1 {{'r' is 1 times 4 warps from 2 on; its kernel has 4}}
  hopper.role "r" from 2 warps 4 {
  }
}
