// RUN: ashlar-opt %s --split-input-file --verify-diagnostics

// Parts of fragments, and sums over a cluster, of which each CTA gets a part.

tile.kernel @slice_beyond {
  tile.role "math" warps 4 {
    %f = arith.constant dense<0.0> : tensor<64x64xf32>
    // expected-error@+1 {{takes 32 from 48 of a dimension of 64}}
    %part = tile.slice %f from [0, 48] : tensor<64x64xf32> -> tensor<64x32xf32>
  }
}

// -----

tile.kernel @slice_before {
  tile.role "math" warps 4 {
    %f = arith.constant dense<0.0> : tensor<64x64xf32>
    // expected-error@+1 {{takes 64 from -8 of a dimension of 64}}
    %part = tile.slice %f from [-8, 0] : tensor<64x64xf32> -> tensor<64x32xf32>
  }
}

// -----

tile.kernel @slice_rank {
  tile.role "math" warps 4 {
    %f = arith.constant dense<0.0> : tensor<64x64xf32>
    // expected-error@+1 {{takes a part of 1 dimensions, from 2 offsets, of a fragment of 2}}
    %part = tile.slice %f from [0, 0] : tensor<64x64xf32> -> tensor<64xf32>
  }
}

// -----

tile.kernel @slice_offsets {
  tile.role "math" warps 4 {
    %f = arith.constant dense<0.0> : tensor<64x64xf32>
    // expected-error@+1 {{takes a part of 2 dimensions, from 1 offsets, of a fragment of 2}}
    %part = tile.slice %f from [0] : tensor<64x64xf32> -> tensor<64x64xf32>
  }
}

// -----

tile.kernel @slice_element {
  tile.role "math" warps 4 {
    %f = arith.constant dense<0.0> : tensor<64x64xf32>
    // expected-error@+1 {{changes the element type}}
    %part = tile.slice %f from [0, 0] : tensor<64x64xf32> -> tensor<64x32xbf16>
  }
}

// -----

tile.kernel @sum_without_cluster {
  tile.role "math" warps 4 {
    %f = arith.constant dense<0.0> : tensor<64x64xf32>
    // expected-error@+1 {{combines over a cluster, and the kernel has none: call cluster({...}) before the roles}}
    %sum = tile.cluster_reduce %f add along 0 : tensor<64x64xf32> -> tensor<64x32xf32>
  }
}

// -----

tile.kernel @sum_dimension cluster [2] {
  tile.role "math" warps 4 {
    %f = arith.constant dense<0.0> : tensor<64x64xf32>
    // expected-error@+1 {{combines along dimension 1 of a cluster of 1}}
    %sum = tile.cluster_reduce %f add along 1 : tensor<64x64xf32> -> tensor<64x32xf32>
  }
}

// -----

tile.kernel @sum_uneven cluster [4] {
  tile.role "math" warps 4 {
    %f = arith.constant dense<0.0> : tensor<64x6xf32>
    // expected-error@+1 {{shares out 6 columns among 4 CTAs: make the columns a multiple of 4}}
    %sum = tile.cluster_reduce %f add along 0 : tensor<64x6xf32> -> tensor<64x2xf32>
  }
}

// -----

tile.kernel @sum_part cluster [2] {
  tile.role "math" warps 4 {
    %f = arith.constant dense<0.0> : tensor<64x64xf32>
    // expected-error@+1 {{gives 'tensor<64x16xf32>', neither 'tensor<64x64xf32>' nor a part of it}}
    %sum = tile.cluster_reduce %f add along 0 : tensor<64x64xf32> -> tensor<64x16xf32>
  }
}

// -----

tile.kernel @sum_element cluster [2] {
  tile.role "math" warps 4 {
    %f = arith.constant dense<0.0> : tensor<64x64xbf16>
    // expected-error@+1 {{combines bf16; clusters combine f32 or s32: convert it first}}
    %sum = tile.cluster_reduce %f add along 0 : tensor<64x64xbf16> -> tensor<64x32xbf16>
  }
}
