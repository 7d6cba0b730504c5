// RUN: ashlar-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(tile.kernel(tile-pair-elements))'

tile.kernel @computed {
  %N = tile.size "N"
  %A = tile.tensor "A" input [%N, %N] align 1 : !tile.tensor<i4, 2>
  tile.role "math" warps 4 {
    %c0 = arith.constant 0 : index
    %a = tile.load %A[%c0, %c0] : !tile.tensor<i4, 2> -> tensor<64x64xi4>
    // expected-error @below {{there is nothing but moves and conversions of s4: convert the fragment first}}
    %b = arith.addi %a, %a : tensor<64x64xi4>
  }
}

// -----

tile.kernel @odd_rows {
  // expected-error @below {{has rows of 33 elements of u4, of which two share a byte: use an even number}}
  %t = tile.alloc : !tile.shared<64x33xui4>
}

// -----

tile.kernel @odd_coordinate {
  %N = tile.size "N"
  %A = tile.tensor "A" input [%N] align 1 : !tile.tensor<i4, 1>
  tile.role "math" warps 1 {
    // expected-error @below {{begins at a last coordinate that is not known to be even, and two elements of s4 share a byte: promise it with multiple_of(index, 2)}}
    %a = tile.load %A[%N] : !tile.tensor<i4, 1> -> tensor<64xi4>
  }
}

// -----

tile.kernel @odd_part {
  %N = tile.size "N"
  %A = tile.tensor "A" input [%N] align 1 : !tile.tensor<i4, 1>
  tile.role "math" warps 1 {
    %c0 = arith.constant 0 : index
    %a = tile.load %A[%c0] : !tile.tensor<i4, 1> -> tensor<64xi4>
    // expected-error @below {{takes a part with an odd number of columns, 1, or from one on, and two elements of s4 share a byte: use an even one}}
    %b = tile.slice %a from [1] : tensor<64xi4> -> tensor<2xi4>
  }
}

// -----

tile.kernel @transposed {
  %N = tile.size "N"
  %A = tile.tensor "A" input [%N, %N] align 1 : !tile.tensor<i4, 2>
  tile.role "math" warps 1 {
    %c0 = arith.constant 0 : index
    // expected-error @below {{moves s4 with rows as columns, and two of a row share a byte: convert the fragment, or leave out .T()}}
    %a = tile.load %A[%c0, %c0] transposed : !tile.tensor<i4, 2> -> tensor<64x64xi4>
  }
}

// -----

!tile64 = !tile.shared<64x64xi4>
tile.kernel @read_transposed {
  %tile = tile.alloc : !tile64
  tile.role "math" warps 4 {
    // expected-error @below {{moves s4 with rows as columns, and two of a row share a byte: convert the fragment, or leave out .T()}}
    %a = tile.read %tile transposed : !tile64 -> tensor<64x64xi4>
  }
}
