// RUN: ashlar-opt %s --split-input-file --tile-assign-layouts --verify-diagnostics

tile.kernel @narrow_rows {
  // expected-error@+1 {{the shared tile (64,12) has rows of 24 bytes (12 elements of 2); TMA needs a multiple of 16: use a multiple of 8 elements}}
  %a = tile.alloc : !tile.shared<64x12xbf16>
}

// -----

tile.kernel @narrow_rows_of_a_stage {
  // expected-error@+1 {{the shared tile (64,4) has rows of 4 bytes (4 elements of 1); TMA needs a multiple of 16: use a multiple of 16 elements}}
  %ring = tile.pipeline : !tile.pipeline<2, [!tile.shared<64x64xi8>, !tile.shared<64x4xi8>]>
}

// -----

tile.kernel @six_dimensions {
  // expected-error@+1 {{the shared tile (1,1,1,1,64,64) has 6 dimensions; TMA copies tiles of 1 to 5}}
  %a = tile.alloc : !tile.shared<1x1x1x1x64x64xbf16>
}

// -----

tile.kernel @empty {
  // expected-error@+1 {{the shared tile (0,64) has an empty dimension}}
  %a = tile.alloc : !tile.shared<0x64xbf16>
}

// -----

tile.kernel @too_few_elements {
  tile.role "copy" warps 3 {
    // expected-error@+1 {{role 'copy' cannot hold this fragment: the 4096 elements of a fragment (64,64) do not divide among 96 threads: use a multiple of 96 elements or 32 threads}}
    %f = arith.constant dense<0.0> : tensor<64x64xf32>
  }
}

// -----

tile.kernel @not_a_splat {
  tile.role "math" warps 1 {
    // expected-error@+1 {{a constant fragment has one value everywhere}}
    %f = arith.constant dense<[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0, 16.0, 17.0, 18.0, 19.0, 20.0, 21.0, 22.0, 23.0, 24.0, 25.0, 26.0, 27.0, 28.0, 29.0, 30.0, 31.0]> : tensor<32xf32>
  }
}

// -----

// No layout has these three columns in as many elements of each thread.
!a = !tile.shared<64x64xbf16>
!b = !tile.shared<24x64xbf16>
tile.kernel @three_columns {
  %a = tile.alloc : !a
  %b = tile.alloc : !b
  tile.role "math" warps 4 {
    %zero = arith.constant dense<0.0> : tensor<64x24xf32>
    %acc = tile.mma %a, %b transposed, %zero : !a, !b, tensor<64x24xf32>
    // expected-error@+1 {{the 192 elements of a fragment (64,3) do not divide among 128 threads: use a multiple of 128 elements or 64 threads}}
    %part = tile.slice %acc from [0, 9] : tensor<64x24xf32> -> tensor<64x3xf32>
  }
}

// -----

// Each CTA would get three columns.
!a = !tile.shared<64x64xbf16>
!b = !tile.shared<24x64xbf16>
tile.kernel @sum_of_three_columns cluster [8] {
  %a = tile.alloc : !a
  %b = tile.alloc : !b
  tile.role "math" warps 4 {
    %zero = arith.constant dense<0.0> : tensor<64x24xf32>
    %acc = tile.mma %a, %b transposed, %zero : !a, !b, tensor<64x24xf32>
    // expected-error@+1 {{the 192 elements of a fragment (64,3) do not divide among 128 threads: use a multiple of 128 elements or 64 threads}}
    %sum = tile.cluster_reduce %acc add along 0 : tensor<64x24xf32> -> tensor<64x3xf32>
  }
}
