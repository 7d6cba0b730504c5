// RUN: ashlar-opt %s --split-input-file --pass-pipeline='builtin.module(tile.kernel(tile-plan-memory),tile-to-hopper)' --verify-diagnostics

// Texts that a small change made wrong, given to passes that count on what
// others have written down.

tile.kernel @plan_without_layouts {
  // expected-error@+1 {{has a shared tile without a layout}}
  %ring = tile.pipeline : !tile.pipeline<3, [!tile.shared<64x64xbf16>]>
  tile.role "load" warps 1 {
  }
}

// -----

tile.kernel @sum_without_layouts cluster [4] {
  tile.role "math" warps 4 {
    // expected-error@+1 {{has a fragment without a layout}}
    %f = arith.constant dense<0> : tensor<1024x4xi32>
    %sum = tile.cluster_reduce %f add along 0 : tensor<1024x4xi32> -> tensor<1024x1xi32>
  }
}

// -----

tile.kernel @more_stages_than_barriers {
  // expected-error@+1 {{has 9223372036854775807 stages; at most 14528}}
  %ring = tile.pipeline : !tile.pipeline<9223372036854775807, [!tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">]>
  tile.role "load" warps 1 {
  }
}

// -----

tile.kernel @chosen_tensor {
  %M = tile.size "M"
  %A = tile.tensor "A" input [%M] align 16 : !tile.tensor<bf16, 1>
  %B = tile.tensor "B" input [%M] align 16 : !tile.tensor<bf16, 1>
  tile.role "load" warps 1 {
    %c0 = arith.constant 0 : index
    %first = arith.cmpi eq, %M, %c0 : index
    // expected-error@+1 {{gives '!tile.tensor<bf16, 1>'; which it is must be known where it is used}}
    %any = arith.select %first, %A, %B : !tile.tensor<bf16, 1>
  }
}

// -----

tile.kernel @no_number {
  %M = tile.size "M"
  // expected-error@+1 {{a tensor holds numbers, not 'f64'}}
  %A = tile.tensor "A" input [%M] align 16 : !tile.tensor<f64, 1>
}

// -----

tile.kernel @scalar_of_no_register {
  // expected-error@+1 {{is f64; a scalar is of a type that a thread holds}}
  %a = tile.scalar "a" : f64
}
