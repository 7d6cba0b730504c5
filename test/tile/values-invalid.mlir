// RUN: ashlar-opt %s --split-input-file --verify-diagnostics

tile.kernel @dimension_twice {
  tile.role "all" warps 4 {
    %x = arith.constant dense<0.0> : tensor<64x32xf32>
    // expected-error@+1 {{combines along dimension 1 of a fragment of 2: name each once, in ascending order}}
    %r = tile.reduce %x add along [1, 1] : tensor<64x32xf32> -> tensor<64xf32>
  }
}

// -----

tile.kernel @no_dimension {
  tile.role "all" warps 4 {
    %x = arith.constant dense<0.0> : tensor<64x32xf32>
    // expected-error@+1 {{combines along no dimension}}
    %r = tile.reduce %x add along [] : tensor<64x32xf32> -> tensor<64x32xf32>
  }
}

// -----

tile.kernel @combined_type {
  tile.role "all" warps 4 {
    %x = arith.constant dense<0.0> : tensor<64x32xbf16>
    // expected-error@+1 {{combines bf16; what is combined is f32 or s32: convert it first}}
    %r = tile.reduce %x add along [1] : tensor<64x32xbf16> -> tensor<64xbf16>
  }
}

// -----

tile.kernel @combined_shape {
  tile.role "all" warps 4 {
    %x = arith.constant dense<0.0> : tensor<64x32xf32>
    // expected-error@+1 {{gives 'tensor<64xf32>'; combined it is 32 f32}}
    %r = tile.reduce %x add along [0] : tensor<64x32xf32> -> tensor<64xf32>
  }
}

// -----

tile.kernel @scan_dimension {
  tile.role "all" warps 4 {
    %x = arith.constant dense<0.0> : tensor<64x32xf32>
    // expected-error@+1 {{combines along dimension 2 of a fragment of 2: name each once, in ascending order}}
    %r = tile.scan %x add along 2 : tensor<64x32xf32>
  }
}

// -----

tile.kernel @printed_places {
  tile.role "all" warps 4 {
    %x = arith.constant 1 : i32
    // expected-error@+1 {{prints 1 values at 2 places: each {} is one}}
    tile.print "{} {}"(%x) : i32
  }
}

// -----

tile.kernel @printed_shapes {
  tile.role "all" warps 4 {
    %x = arith.constant dense<0.0> : tensor<64xf32>
    %y = arith.constant dense<0.0> : tensor<32xf32>
    // expected-error@+1 {{prints fragments of 64 and 32; their shapes must agree}}
    tile.print "{} {}"(%x, %y) : tensor<64xf32>, tensor<32xf32>
  }
}

// -----

tile.kernel @coordinate_dimension {
  tile.role "all" warps 4 {
    // expected-error@+1 {{counts along dimension 2 of a fragment of 2}}
    %r = tile.coordinate 2 : tensor<64x32xi32>
  }
}

// -----

tile.kernel @coordinate_type {
  tile.role "all" warps 4 {
    // expected-error@+1 {{gives 'tensor<64x32xf32>'; coordinates are i32}}
    %r = tile.coordinate 0 : tensor<64x32xf32>
  }
}

// -----

tile.kernel @element_of_many {
  tile.role "all" warps 4 {
    %x = arith.constant dense<0.0> : tensor<64xf32>
    // expected-error@+1 {{takes the element of a fragment of 64; it has one}}
    %r = tile.element %x : tensor<64xf32> -> f32
  }
}

// -----

tile.kernel @value_type {
  %M = tile.size "M"
  %A = tile.tensor "A" input [%M] align 16 : !tile.tensor<bf16, 1>
  tile.role "all" warps 4 {
    %c0 = arith.constant 0 : index
    // expected-error@+1 {{reads bf16 as 'f32'}}
    %v = tile.value %A[%c0] : !tile.tensor<bf16, 1> -> f32
  }
}

// -----

tile.kernel @value_of_an_output {
  %M = tile.size "M"
  %A = tile.tensor "A" output [%M] align 16 : !tile.tensor<f32, 1>
  tile.role "all" warps 4 {
    %c0 = arith.constant 0 : index
    // expected-error@+1 {{reads tensor 'A', which is declared as output}}
    %v = tile.value %A[%c0] : !tile.tensor<f32, 1> -> f32
  }
}

// -----

tile.kernel @shared_value_rank {
  %staged = tile.alloc : !tile.shared<8x16xbf16>
  tile.role "all" warps 4 {
    %c0 = arith.constant 0 : index
    // expected-error@+1 {{gives 1 coordinates of a shared tile of 8x16}}
    %v = tile.shared_value %staged[%c0] : !tile.shared<8x16xbf16> -> bf16
  }
}

// -----

tile.kernel @compared_with_nothing {
  %M = tile.size "M"
  %C = tile.tensor "C" inout [%M] align 4 : !tile.tensor<i32, 1>
  tile.role "all" warps 4 {
    %c0 = arith.constant 0 : index
    %n = arith.constant 5 : i32
    // expected-error@+1 {{compares memory with nothing}}
    %v = tile.atomic compare_swap %n into %C[%c0] : i32, !tile.tensor<i32, 1> -> i32
  }
}

// -----

tile.kernel @largest_of_floats {
  %M = tile.size "M"
  %C = tile.tensor "C" inout [%M] align 4 : !tile.tensor<f32, 1>
  tile.role "all" warps 4 {
    %c0 = arith.constant 0 : index
    %n = arith.constant 5.0 : f32
    // expected-error@+1 {{combines f32 by max; of f32 there are add and exchange: use s32}}
    %v = tile.atomic max %n into %C[%c0] : f32, !tile.tensor<f32, 1> -> f32
  }
}
