// RUN: ashlar-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{'tile.kernel' op has a cluster extent of 0; each is at least 1}}
tile.kernel @cluster_extent cluster [0] {
}

// -----

tile.kernel @kept_turn {
  tile.role "math" warps 8 {
    // expected-error@+1 {{has no tile.pass_turn behind it}}
    tile.await_turn
  }
}

// -----

tile.kernel @no_turn {
  tile.role "math" warps 8 {
    // expected-error@+1 {{has no tile.await_turn before it}}
    tile.pass_turn
  }
}

// -----

// expected-error@+1 {{'tile.kernel' op has clusters of 16 CTAs; the portable limit is 8}}
tile.kernel @cluster_size cluster [4, 4] {
}

// -----

// expected-error@+1 {{'tile.kernel' op has a cluster of 2 dimensions and no tile loop: give the cluster one dimension, or declare a tile loop}}
tile.kernel @cluster_without_loop cluster [2, 1] {
}

// -----

// expected-error@+1 {{'tile.kernel' op has a cluster of 2 dimensions and a tile loop of 1: give the cluster's extent along each dimension of the loop}}
tile.kernel @cluster_rank cluster [2, 1] {
  %M = tile.size "M"
  %t = tile.schedule [%M] by [64] : !tile.schedule<1>
}

// -----

tile.kernel @work_outside_roles {
  %ring = tile.pipeline : !tile.pipeline<2, [!tile.shared<64x64xbf16>]>
  // expected-error@+1 {{this stands outside every role, and only roles run: move it into one}}
  %s = tile.wait %ring : !tile.pipeline<2, [!tile.shared<64x64xbf16>]>
  tile.role "math" warps 4 {
  }
}

// -----

tile.kernel @fragment_outside_roles {
  // expected-error@+1 {{this stands outside every role, and only roles run: move it into one}}
  %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
  tile.role "math" warps 4 {
  }
}

// -----

tile.kernel @name_twice {
  %M = tile.size "M"
  // expected-error@+1 {{the name 'M' is declared twice in this kernel}}
  %N = tile.size "M"
}

// -----

// expected-error@+1 {{has a cluster of 1 dimensions and a tile loop of 2: give the cluster's extent along each dimension of the loop}}
tile.kernel @second_schedule_of_two_dimensions cluster [2] {
  %M = tile.size "M"
  %t = tile.schedule [%M] by [64] : !tile.schedule<1>
  tile.role "math" warps 4 {
    %u = tile.schedule persistent [%M, %M] by [64, 64] in <n, m> : !tile.schedule<2>
  }
}

// -----

tile.kernel @grid_in_role {
  %M = tile.size "M"
  tile.role "math" warps 4 {
    // expected-error@+1 {{in a role has a CTA for each tile; how many there are the launch does not know: only a persistent one stands there}}
    %t = tile.schedule [%M] by [64] : !tile.schedule<1>
  }
}

// -----

%c1 = arith.constant 1 : index
// expected-error@+1 {{stands neither in a kernel nor in a role}}
%t = tile.schedule persistent [%c1] by [64] : !tile.schedule<1>

// -----

tile.kernel @grid_after_others {
  %M = tile.size "M"
  %t = tile.schedule [%M] by [64] : !tile.schedule<1>
  tile.role "math" warps 4 {
    // expected-error@+1 {{counts on from other loops with a CTA for each tile; a persistent loop does}}
    %first, %end, %step = tile.schedule_range %t after %M : !tile.schedule<1>
  }
}

// -----

tile.kernel @printed_where {
  tile.role "math" warps 4 {
    %f = arith.constant dense<0> : tensor<64xi32>
    %holds = arith.constant dense<true> : tensor<32xi1>
    // expected-error@+1 {{prints fragments of 64 and 32; their shapes must agree}}
    tile.print "{}" (%f) : tensor<64xi32> where %holds : tensor<32xi1>
  }
}

// -----

tile.kernel @tensor_rank {
  %M = tile.size "M"
  // expected-error@+1 {{'T' has 6 dimensions; a tensor has 1 to 5: merge dimensions that are contiguous}}
  %T = tile.tensor "T" input [%M, %M, %M, %M, %M, %M] align 16 : !tile.tensor<bf16, 6>
}

// -----

tile.kernel @tensor_extents {
  %M = tile.size "M"
  // expected-error@+1 {{'T' has 1 extents and rank 2}}
  %T = tile.tensor "T" input [%M] align 16 : !tile.tensor<bf16, 2>
}

// -----

tile.kernel @tensor_align_small {
  %M = tile.size "M"
  // expected-error@+1 {{'T' is aligned to 2 bytes; the alignment is a power of two from the size of an element (4) to 128}}
  %T = tile.tensor "T" input [%M] align 2 : !tile.tensor<f32, 1>
}

// -----

tile.kernel @tensor_align_odd {
  %M = tile.size "M"
  // expected-error@+1 {{'T' is aligned to 24 bytes; the alignment is a power of two from the size of an element (2) to 128}}
  %T = tile.tensor "T" input [%M] align 24 : !tile.tensor<bf16, 1>
}

// -----

tile.kernel @tensor_align_large {
  %M = tile.size "M"
  // expected-error@+1 {{'T' is aligned to 256 bytes; the alignment is a power of two from the size of an element (4) to 128}}
  %T = tile.tensor "T" input [%M] align 256 : !tile.tensor<tf32, 1>
}

// -----

tile.kernel @tensor_extent_computed {
  %M = tile.size "M"
  %twice = arith.addi %M, %M : index
  // expected-error@+1 {{tensor 'T' has an extent that is neither a size nor a constant; declare it with size()}}
  %T = tile.tensor "T" input [%twice] align 16 : !tile.tensor<bf16, 1>
}

// -----

tile.kernel @schedule_extents {
  %M = tile.size "M"
  // expected-error@+1 {{has 2 extents and 1 tile extents; both are 1 to 5 and agree}}
  %t = tile.schedule [%M, %M] by [64] : !tile.schedule<1>
}

// -----

tile.kernel @schedule_extent {
  %M = tile.size "M"
  %twice = arith.addi %M, %M : index
  // expected-error@+1 {{the tile loop has an extent that is neither a size nor a constant; declare it with size(), or the loop in each role}}
  %t = tile.schedule [%twice] by [64] : !tile.schedule<1>
}

// -----

tile.kernel @schedule_rank {
  %M = tile.size "M"
  // expected-error@+1 {{has 6 extents and 6 tile extents; both are 1 to 5 and agree}}
  %t = tile.schedule [%M, %M, %M, %M, %M, %M] by [1, 1, 1, 1, 1, 1] in <n, m> : !tile.schedule<6>
}

// -----

tile.kernel @schedule_tile {
  %M = tile.size "M"
  // expected-error@+1 {{has a tile extent of 0}}
  %t = tile.schedule [%M] by [0] : !tile.schedule<1>
}

// -----

tile.kernel @raster_zero {
  %M = tile.size "M"
  // expected-error@+1 {{mode 0 of the raster walks 0 tiles along m; it walks at least 1}}
  %t = tile.schedule [%M, %M] by [64, 64] in <m:0, n, m> : !tile.schedule<2>
}

// -----

tile.kernel @raster_of_too_many {
  %M = tile.size "M"
  // expected-error@+1 {{mode 1 of the raster walks more tiles, with those before it, than the 2147483647 that are counted}}
  %t = tile.schedule [%M, %M] by [64, 64] in <m:65536, n:32768, m, n> : !tile.schedule<2>
}

// -----

tile.kernel @raster_twice {
  %M = tile.size "M"
  // expected-error@+1 {{mode 2 of the raster walks along n, of which one before it leaves nothing: give that an extent}}
  %t = tile.schedule [%M, %M] by [64, 64] in <n, m, n> : !tile.schedule<2>
}

// -----

tile.kernel @raster_unfinished {
  %M = tile.size "M"
  // expected-error@+1 {{the raster does not reach the end of n: end it with a mode along n that has no extent}}
  %t = tile.schedule [%M, %M] by [64, 64] in <m, n:4> : !tile.schedule<2>
}

// -----

tile.kernel @raster_without_n {
  %M = tile.size "M"
  // expected-error@+1 {{the raster does not reach the end of n}}
  %t = tile.schedule [%M, %M] by [64, 64] in <m> : !tile.schedule<2>
}

// -----

tile.kernel @raster_alternating_steps {
  %M = tile.size "M"
  // expected-error@+1 {{mode 2 of the raster alternates and steps over more than one tile; only the first along m and the first along n may}}
  %t = tile.schedule [%M, %M] by [64, 64] in <m:2, n, alternating m:3, m> : !tile.schedule<2>
}

// -----

tile.kernel @raster_alternating_slowest {
  %M = tile.size "M"
  // expected-error@+1 {{mode 1 of the raster alternates and is the slowest, with none to alternate with: let a faster one alternate}}
  %t = tile.schedule [%M, %M] by [64, 64] in <m, alternating n> : !tile.schedule<2>
}

// -----

tile.kernel @raster_other_dimension {
  %M = tile.size "M"
  // expected-error@+1 {{expected a mode along m or n}}
  %t = tile.schedule [%M, %M] by [64, 64] in <m, k> : !tile.schedule<2>
}

// -----

tile.kernel @raster_of_one_dimension {
  %M = tile.size "M"
  // expected-error@+1 {{has a tile of 1 dimensions and a raster; one dimension has none}}
  %t = tile.schedule [%M] by [64] in <m, n> : !tile.schedule<1>
}

// -----

tile.kernel @schedule_without_raster {
  %M = tile.size "M"
  // expected-error@+1 {{has a tile of 2 dimensions and no raster; two or more have one}}
  %t = tile.schedule [%M, %M] by [64, 64] : !tile.schedule<2>
}

// -----

tile.kernel @schedule_result {
  %M = tile.size "M"
  // expected-error@+1 {{has a result of another rank}}
  %t = tile.schedule [%M] by [64] : !tile.schedule<2>
}

// -----

tile.kernel @pipeline_stages {
  // expected-error@+1 {{has 0 stages; at least 1}}
  %r = tile.pipeline : !tile.pipeline<0, [!tile.shared<64x64xbf16>]>
}

// -----

tile.kernel @pipeline_element {
  // expected-error@+1 {{has a stage of 'f32', not a shared tile}}
  %r = tile.pipeline : !tile.pipeline<2, [f32]>
}

// -----

tile.kernel @shared_of_index {
  // expected-error@+1 {{a shared tile holds numbers, not 'index'}}
  %s = tile.alloc : !tile.shared<64x64xindex>
}

// -----

tile.kernel @role_in_role {
  tile.role "outer" warps 4 {
    // expected-error@+1 {{'tile.role' op expects parent op 'tile.kernel'}}
    tile.role "inner" warps 4 {
    }
  }
}

// -----

tile.kernel @role_no_warps {
  // expected-error@+1 {{'math' has 0 warps; a CTA has 1 to 32}}
  tile.role "math" warps 0 {
  }
}

// -----

tile.kernel @role_many_warps {
  // expected-error@+1 {{'math' has 33 warps; a CTA has 1 to 32}}
  tile.role "math" warps 33 {
  }
}

// -----

tile.kernel @role_no_instance {
  // expected-error@+1 {{'math' has 0 instances; a role has at least 1}}
  tile.role "math" warps 4 instances 0 {
  }
}

// -----

tile.kernel @role_many_instances {
  // expected-error@+1 {{'math' has 36 warps; a CTA has 1 to 32}}
  tile.role "math" warps 4 instances 9 {
  }
}

// -----

tile.kernel @role_registers {
  // expected-error@+1 {{'math' has a budget of 100 registers; a budget is a multiple of 8 from 24 to 240}}
  tile.role "math" warps 4 registers 100 {
  }
}

// -----

tile.kernel @role_registers_many {
  // expected-error@+1 {{'math' has a budget of 248 registers; a budget is a multiple of 8 from 24 to 240}}
  tile.role "math" warps 4 registers 248 {
  }
}

// -----

tile.kernel @role_registers_few {
  // expected-error@+1 {{'math' has a budget of 16 registers; a budget is a multiple of 8 from 24 to 240}}
  tile.role "math" warps 4 registers 16 {
  }
}

// -----

tile.kernel @coordinates {
  %M = tile.size "M"
  %t = tile.schedule [%M, %M] by [64, 64] in <n, m> : !tile.schedule<2>
  tile.role "math" warps 4 {
    // expected-error@+1 {{gives 1 coordinates for a schedule of rank 2}}
    %m = tile.schedule_coordinates %t, %M : !tile.schedule<2> -> index
  }
}

// -----

tile.kernel @buffer_of_nothing {
  %ring = tile.pipeline : !tile.pipeline<2, [!tile.shared<64x64xbf16>]>
  tile.role "math" warps 4 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %s = builtin.unrealized_conversion_cast %c0 : index to !tile.stage
    scf.for %i = %c0 to %c1 step %c1 iter_args(%t = %s) -> !tile.stage {
      // expected-error@+1 {{reads a stage that no acquire or wait gave}}
      %b = tile.buffer %t[0] : !tile.shared<64x64xbf16>
      scf.yield %t : !tile.stage
    }
  }
}

// -----

tile.kernel @buffer_index {
  %ring = tile.pipeline : !tile.pipeline<2, [!tile.shared<64x64xbf16>]>
  tile.role "math" warps 4 {
    %s = tile.acquire %ring : !tile.pipeline<2, [!tile.shared<64x64xbf16>]>
    // expected-error@+1 {{takes tile 1 of a stage that has 1}}
    %b = tile.buffer %s[1] : !tile.shared<64x64xbf16>
  }
}

// -----

tile.kernel @buffer_type {
  %ring = tile.pipeline : !tile.pipeline<2, [!tile.shared<64x64xbf16>]>
  tile.role "math" warps 4 {
    %s = tile.acquire %ring : !tile.pipeline<2, [!tile.shared<64x64xbf16>]>
    // expected-error@+1 {{has the type '!tile.shared<64x32xbf16>', the stage's tile is '!tile.shared<64x64xbf16>'}}
    %b = tile.buffer %s[0] : !tile.shared<64x32xbf16>
  }
}

// -----

tile.kernel @copy_coordinates {
  %M = tile.size "M"
  %A = tile.tensor "A" input [%M, %M] align 16 : !tile.tensor<bf16, 2>
  %ring = tile.pipeline : !tile.pipeline<2, [!tile.shared<64x64xbf16>]>
  tile.role "math" warps 4 {
    %s = tile.acquire %ring : !tile.pipeline<2, [!tile.shared<64x64xbf16>]>
    %b = tile.buffer %s[0] : !tile.shared<64x64xbf16>
    // expected-error@+1 {{gives 1 coordinates to a tensor of rank 2}}
    tile.copy %A[%M] to %b : !tile.tensor<bf16, 2>, !tile.shared<64x64xbf16>
  }
}

// -----

tile.kernel @copy_outside_a_pipeline {
  %M = tile.size "M"
  %A = tile.tensor "A" input [%M, %M] align 16 : !tile.tensor<bf16, 2>
  %b = tile.alloc : !tile.shared<64x64xbf16>
  tile.role "math" warps 4 {
    // expected-error@+1 {{writes a shared tile outside a pipeline; an asynchronous copy completes on a stage}}
    tile.copy %A[%M, %M] to %b : !tile.tensor<bf16, 2>, !tile.shared<64x64xbf16>
  }
}

// -----

tile.kernel @copy_rank {
  %M = tile.size "M"
  %A = tile.tensor "A" input [%M] align 16 : !tile.tensor<bf16, 1>
  %ring = tile.pipeline : !tile.pipeline<2, [!tile.shared<64x64xbf16>]>
  tile.role "math" warps 4 {
    %s = tile.acquire %ring : !tile.pipeline<2, [!tile.shared<64x64xbf16>]>
    %b = tile.buffer %s[0] : !tile.shared<64x64xbf16>
    // expected-error@+1 {{moves a tile of 2 dimensions in a tensor of rank 1}}
    tile.copy %A[%M] to %b : !tile.tensor<bf16, 1>, !tile.shared<64x64xbf16>
  }
}

// -----

tile.kernel @copy_element {
  %M = tile.size "M"
  %A = tile.tensor "A" input [%M, %M] align 16 : !tile.tensor<f32, 2>
  %ring = tile.pipeline : !tile.pipeline<2, [!tile.shared<64x64xbf16>]>
  tile.role "math" warps 4 {
    %s = tile.acquire %ring : !tile.pipeline<2, [!tile.shared<64x64xbf16>]>
    %b = tile.buffer %s[0] : !tile.shared<64x64xbf16>
    // expected-error@+1 {{moves 'bf16' in a tensor of 'f32': convert the fragment first, or declare both with one type}}
    tile.copy %A[%M, %M] to %b : !tile.tensor<f32, 2>, !tile.shared<64x64xbf16>
  }
}

// -----

tile.kernel @copy_out_coordinates {
  %M = tile.size "M"
  %A = tile.tensor "A" inout [%M, %M] align 16 : !tile.tensor<bf16, 2>
  %b = tile.alloc : !tile.shared<64x64xbf16>
  tile.role "math" warps 4 {
    // expected-error@+1 {{gives 3 coordinates to a tensor of rank 2}}
    tile.copy_out %b to %A[%M, %M, %M] : !tile.shared<64x64xbf16>, !tile.tensor<bf16, 2>
  }
}

// -----

tile.kernel @copy_out_element {
  %M = tile.size "M"
  %A = tile.tensor "A" output [%M, %M] align 16 : !tile.tensor<f16, 2>
  %b = tile.alloc : !tile.shared<64x64xbf16>
  tile.role "math" warps 4 {
    // expected-error@+1 {{moves 'bf16' in a tensor of 'f16': convert the fragment first, or declare both with one type}}
    tile.copy_out %b to %A[%M, %M] : !tile.shared<64x64xbf16>, !tile.tensor<f16, 2>
  }
}

// -----

tile.kernel @read_shape {
  %b = tile.alloc : !tile.shared<64x64xbf16>
  tile.role "math" warps 4 {
    // expected-error@+1 {{moves a fragment of 64x32 and a shared tile of 64x64: the shapes must agree}}
    %f = tile.read %b : !tile.shared<64x64xbf16> -> tensor<64x32xbf16>
  }
}

// -----

tile.kernel @read_transposed_vector {
  %b = tile.alloc : !tile.shared<2x4x64xbf16>
  tile.role "math" warps 4 {
    // expected-error@+1 {{transposes a tile of 3 dimensions; only a matrix has two to exchange}}
    %f = tile.read %b transposed : !tile.shared<2x4x64xbf16> -> tensor<2x4x64xbf16>
  }
}

// -----

tile.kernel @read_element {
  %b = tile.alloc : !tile.shared<64x64xbf16>
  tile.role "math" warps 4 {
    // expected-error@+1 {{moves a fragment of 'f32' and a shared tile of 'bf16': convert the fragment first}}
    %f = tile.read %b : !tile.shared<64x64xbf16> -> tensor<64x64xf32>
  }
}

// -----

tile.kernel @write_shape {
  %b = tile.alloc : !tile.shared<64x64xbf16>
  tile.role "math" warps 4 {
    %z = arith.constant dense<0.0> : tensor<32x64xbf16>
    // expected-error@+1 {{moves a fragment of 32x64 and a shared tile of 64x64: the shapes must agree}}
    tile.write %z to %b : tensor<32x64xbf16>, !tile.shared<64x64xbf16>
  }
}

// -----

tile.kernel @write_transposed_shape {
  %a = tile.alloc : !tile.shared<64x32xbf16>
  tile.role "math" warps 4 {
    %f = arith.constant dense<0.0> : tensor<64x32xbf16>
    // expected-error@+1 {{moves a fragment of 64x32 and a shared tile of 32x64: the shapes must agree}}
    tile.write %f to %a transposed : tensor<64x32xbf16>, !tile.shared<64x32xbf16>
  }
}

// -----

tile.kernel @write_transposed_rank {
  %a = tile.alloc : !tile.shared<2x64x64xbf16>
  tile.role "math" warps 4 {
    %f = arith.constant dense<0.0> : tensor<2x64x64xbf16>
    // expected-error@+1 {{transposes a tile of 3 dimensions; only a matrix has two to exchange}}
    tile.write %f to %a transposed : tensor<2x64x64xbf16>, !tile.shared<2x64x64xbf16>
  }
}

// -----

tile.kernel @load_coordinates {
  %M = tile.size "M"
  %A = tile.tensor "A" input [%M, %M] align 16 : !tile.tensor<bf16, 2>
  tile.role "math" warps 4 {
    // expected-error@+1 {{gives 1 coordinates to a tensor of rank 2}}
    %f = tile.load %A[%M] : !tile.tensor<bf16, 2> -> tensor<64xbf16>
  }
}

// -----

tile.kernel @load_rank {
  %M = tile.size "M"
  %A = tile.tensor "A" input [%M, %M] align 16 : !tile.tensor<bf16, 2>
  tile.role "math" warps 4 {
    // expected-error@+1 {{moves a tile of 3 dimensions in a tensor of rank 2}}
    %f = tile.load %A[%M, %M] : !tile.tensor<bf16, 2> -> tensor<1x8x8xbf16>
  }
}

// -----

tile.kernel @load_transposed_rank {
  %M = tile.size "M"
  %A = tile.tensor "A" input [%M, %M] align 16 : !tile.tensor<bf16, 2>
  tile.role "math" warps 4 {
    // expected-error@+1 {{transposes a tile of 1 dimensions; only a matrix has two to exchange}}
    %f = tile.load %A[%M, %M] transposed : !tile.tensor<bf16, 2> -> tensor<64xbf16>
  }
}

// -----

tile.kernel @load_element {
  %M = tile.size "M"
  %A = tile.tensor "A" input [%M, %M] align 16 : !tile.tensor<bf16, 2>
  tile.role "math" warps 4 {
    // expected-error@+1 {{moves 'f32' in a tensor of 'bf16': convert the fragment first, or declare both with one type}}
    %f = tile.load %A[%M, %M] : !tile.tensor<bf16, 2> -> tensor<8x8xf32>
  }
}

// -----

tile.kernel @store_coordinates {
  %M = tile.size "M"
  %A = tile.tensor "A" inout [%M, %M] align 16 : !tile.tensor<bf16, 2>
  tile.role "math" warps 4 {
    %z = arith.constant dense<0.0> : tensor<64x64xbf16>
    // expected-error@+1 {{gives 0 coordinates to a tensor of rank 2}}
    tile.store %z to %A[] : tensor<64x64xbf16>, !tile.tensor<bf16, 2>
  }
}

// -----

tile.kernel @store_element {
  %M = tile.size "M"
  %A = tile.tensor "A" inout [%M, %M] align 16 : !tile.tensor<bf16, 2>
  tile.role "math" warps 4 {
    %z = arith.constant dense<0.0> : tensor<64x64xf32>
    // expected-error@+1 {{moves 'f32' in a tensor of 'bf16': convert the fragment first, or declare both with one type}}
    tile.store %z to %A[%M, %M] : tensor<64x64xf32>, !tile.tensor<bf16, 2>
  }
}

// -----

tile.kernel @splat {
  tile.role "math" warps 4 {
    %f = arith.constant 1.0 : f32
    // expected-error@+1 {{makes 'tensor<64x64xbf16>' of a 'f32'}}
    %t = tile.splat %f : f32 -> tensor<64x64xbf16>
  }
}

// -----

tile.kernel @broadcast_dimensions {
  tile.role "math" warps 4 {
    %v = arith.constant dense<0.0> : tensor<64xf32>
    // expected-error@+1 {{names 2 dimensions for a fragment of rank 1}}
    %t = tile.broadcast %v along [0, 1] : tensor<64xf32> -> tensor<64x64xf32>
  }
}

// -----

tile.kernel @broadcast_extent {
  tile.role "math" warps 4 {
    %v = arith.constant dense<0.0> : tensor<64xf32>
    // expected-error@+1 {{spreads 64 over 64x32: each source dimension runs along a result dimension of the same extent, or has an extent of 1, in order}}
    %t = tile.broadcast %v along [1] : tensor<64xf32> -> tensor<64x32xf32>
  }
}

// -----

tile.kernel @broadcast_outside {
  tile.role "math" warps 4 {
    %v = arith.constant dense<0.0> : tensor<64xf32>
    // expected-error@+1 {{spreads 64 over 64x64: each source dimension runs along a result dimension of the same extent, or has an extent of 1, in order}}
    %t = tile.broadcast %v along [2] : tensor<64xf32> -> tensor<64x64xf32>
  }
}

// -----

tile.kernel @broadcast_order {
  tile.role "math" warps 4 {
    %v = arith.constant dense<0.0> : tensor<64x64xf32>
    // expected-error@+1 {{spreads 64x64 over 64x64x64: each source dimension runs along a result dimension of the same extent, or has an extent of 1, in order}}
    %t = tile.broadcast %v along [1, 0] : tensor<64x64xf32> -> tensor<64x64x64xf32>
  }
}

// -----

tile.kernel @broadcast_element {
  tile.role "math" warps 4 {
    %v = arith.constant dense<0.0> : tensor<64xf32>
    // expected-error@+1 {{changes the element type}}
    %t = tile.broadcast %v along [1] : tensor<64xf32> -> tensor<64x64xbf16>
  }
}

// -----

tile.kernel @mma_rank {
  %a = tile.alloc : !tile.shared<1x64x64xbf16>
  %b = tile.alloc : !tile.shared<64x64xbf16>
  tile.role "math" warps 4 {
    %z = arith.constant dense<0.0> : tensor<64x64xf32>
    // expected-error@+1 {{multiplies tiles of two dimensions; A has 3, B has 2, the accumulator has 2}}
    %r = tile.mma %a, %b transposed, %z : !tile.shared<1x64x64xbf16>, !tile.shared<64x64xbf16>, tensor<64x64xf32>
  }
}

// -----

tile.kernel @mma_k {
  %a = tile.alloc : !tile.shared<64x64xbf16>
  %b = tile.alloc : !tile.shared<64x32xbf16>
  tile.role "math" warps 4 {
    %z = arith.constant dense<0.0> : tensor<64x64xf32>
    // expected-error@+1 {{multiplies A with K = 64 and B with K = 32: the inner extents must agree (is a .T() missing?)}}
    %r = tile.mma %a, %b transposed, %z : !tile.shared<64x64xbf16>, !tile.shared<64x32xbf16>, tensor<64x64xf32>
  }
}

// -----

tile.kernel @mma_shape {
  %a = tile.alloc : !tile.shared<64x64xbf16>
  %b = tile.alloc : !tile.shared<64x64xbf16>
  tile.role "math" warps 4 {
    %z = arith.constant dense<0.0> : tensor<64x32xf32>
    // expected-error@+1 {{adds a product of 64x64 to an accumulator of 64x32}}
    %r = tile.mma %a, %b transposed, %z : !tile.shared<64x64xbf16>, !tile.shared<64x64xbf16>, tensor<64x32xf32>
  }
}

// -----

tile.kernel @mma_accumulator {
  %a = tile.alloc : !tile.shared<64x64xbf16>
  %b = tile.alloc : !tile.shared<64x64xbf16>
  tile.role "math" warps 4 {
    %z = arith.constant dense<0.0> : tensor<64x64xf16>
    // expected-error@+1 {{multiplies bf16 by bf16 into f16; wgmma has bf16 and tf32 into f32, f16 and fp8 into f32 or f16, 8-bit integers into s32, with both inputs of one kind: use one of these}}
    %r = tile.mma %a, %b transposed, %z : !tile.shared<64x64xbf16>, !tile.shared<64x64xbf16>, tensor<64x64xf16>
  }
}

// -----

tile.kernel @mma_mixed {
  %a = tile.alloc : !tile.shared<64x64xbf16>
  %b = tile.alloc : !tile.shared<64x64xf16>
  tile.role "math" warps 4 {
    %z = arith.constant dense<0.0> : tensor<64x64xf32>
    // expected-error@+1 {{multiplies bf16 by f16 into f32; wgmma has bf16 and tf32 into f32, f16 and fp8 into f32 or f16, 8-bit integers into s32, with both inputs of one kind: use one of these}}
    %r = tile.mma %a, %b transposed, %z : !tile.shared<64x64xbf16>, !tile.shared<64x64xf16>, tensor<64x64xf32>
  }
}

// -----

tile.kernel @mma_f32 {
  %a = tile.alloc : !tile.shared<64x64xf32>
  %b = tile.alloc : !tile.shared<64x64xf32>
  tile.role "math" warps 4 {
    %z = arith.constant dense<0.0> : tensor<64x64xf32>
    // expected-error@+1 {{multiplies f32 by f32 into f32; wgmma has bf16 and tf32 into f32, f16 and fp8 into f32 or f16, 8-bit integers into s32, with both inputs of one kind: use one of these}}
    %r = tile.mma %a, %b transposed, %z : !tile.shared<64x64xf32>, !tile.shared<64x64xf32>, tensor<64x64xf32>
  }
}

// -----

tile.kernel @mma_transposed_fp8 {
  %a = tile.alloc : !tile.shared<64x64xf8E4M3FN>
  %b = tile.alloc : !tile.shared<64x64xf8E5M2>
  tile.role "math" warps 4 {
    %z = arith.constant dense<0.0> : tensor<64x64xf32>
    // expected-error@+1 {{reads A with M contiguous; wgmma can transpose only 16-bit types: multiply load(tile.T()), or store it with K contiguous}}
    %r = tile.mma %a transposed, %b transposed, %z : !tile.shared<64x64xf8E4M3FN>, !tile.shared<64x64xf8E5M2>, tensor<64x64xf32>
  }
}

// -----

tile.kernel @mma_n_major_tf32 {
  %a = tile.alloc : !tile.shared<64x32xtf32>
  %b = tile.alloc : !tile.shared<32x64xtf32>
  tile.role "math" warps 4 {
    %z = arith.constant dense<0.0> : tensor<64x64xf32>
    // expected-error@+1 {{reads B with N contiguous; wgmma can transpose only 16-bit types: store it with K contiguous}}
    %r = tile.mma %a, %b, %z : !tile.shared<64x32xtf32>, !tile.shared<32x64xtf32>, tensor<64x64xf32>
  }
}

// -----

tile.kernel @mma_k_step {
  %a = tile.alloc : !tile.shared<64x24xbf16>
  %b = tile.alloc : !tile.shared<64x24xbf16>
  tile.role "math" warps 4 {
    %z = arith.constant dense<0.0> : tensor<64x64xf32>
    // expected-error@+1 {{has K = 24; for bf16 wgmma needs a multiple of 16: use 16 or 32}}
    %r = tile.mma %a, %b transposed, %z : !tile.shared<64x24xbf16>, !tile.shared<64x24xbf16>, tensor<64x64xf32>
  }
}

// -----

tile.kernel @mma_k_step_int {
  %a = tile.alloc : !tile.shared<64x48xi8>
  %b = tile.alloc : !tile.shared<64x48xi8>
  tile.role "math" warps 4 {
    %z = arith.constant dense<0> : tensor<64x64xi32>
    // expected-error@+1 {{has K = 48; for s8 wgmma needs a multiple of 32: use 32 or 64}}
    %r = tile.mma %a, %b transposed, %z : !tile.shared<64x48xi8>, !tile.shared<64x48xi8>, tensor<64x64xi32>
  }
}

// -----

tile.kernel @mma_n {
  %a = tile.alloc : !tile.shared<64x64xbf16>
  %b = tile.alloc : !tile.shared<20x64xbf16>
  tile.role "math" warps 4 {
    %z = arith.constant dense<0.0> : tensor<64x20xf32>
    // expected-error@+1 {{has N = 20; wgmma needs a multiple of 8: use 16 or 24}}
    %r = tile.mma %a, %b transposed, %z : !tile.shared<64x64xbf16>, !tile.shared<20x64xbf16>, tensor<64x20xf32>
  }
}

// -----

tile.kernel @mma_n_int {
  %a = tile.alloc : !tile.shared<64x64xi8>
  %b = tile.alloc : !tile.shared<40x64xi8>
  tile.role "math" warps 4 {
    %z = arith.constant dense<0> : tensor<64x40xi32>
    // expected-error@+1 {{has N = 40; wgmma on 8-bit integers needs 8, 24 or a multiple of 16: use 32 or 48}}
    %r = tile.mma %a, %b transposed, %z : !tile.shared<64x64xi8>, !tile.shared<40x64xi8>, tensor<64x40xi32>
  }
}

// -----

tile.kernel @mma_warps {
  %a = tile.alloc : !tile.shared<64x64xbf16>
  %b = tile.alloc : !tile.shared<64x64xbf16>
  tile.role "math" warps 2 {
    %z = arith.constant dense<0.0> : tensor<64x64xf32>
    // expected-error@+1 {{stands in role 'math' of 2 warps; wgmma needs whole warpgroups: use warpgroups(1)}}
    %r = tile.mma %a, %b transposed, %z : !tile.shared<64x64xbf16>, !tile.shared<64x64xbf16>, tensor<64x64xf32>
  }
}

// -----

tile.kernel @mma_m {
  %a = tile.alloc : !tile.shared<96x64xbf16>
  %b = tile.alloc : !tile.shared<64x64xbf16>
  tile.role "math" warps 4 {
    %z = arith.constant dense<0.0> : tensor<96x64xf32>
    // expected-error@+1 {{has M = 96 in role 'math' of 1 warpgroup; each needs a multiple of 64 rows: use 64 or 128}}
    %r = tile.mma %a, %b transposed, %z : !tile.shared<96x64xbf16>, !tile.shared<64x64xbf16>, tensor<96x64xf32>
  }
}

// -----

tile.kernel @mma_m_two {
  %a = tile.alloc : !tile.shared<64x64xbf16>
  %b = tile.alloc : !tile.shared<64x64xbf16>
  tile.role "math" warps 8 {
    %z = arith.constant dense<0.0> : tensor<64x64xf32>
    // expected-error@+1 {{has M = 64 in role 'math' of 2 warpgroups; each needs a multiple of 64 rows: use 128, or fewer warpgroups}}
    %r = tile.mma %a, %b transposed, %z : !tile.shared<64x64xbf16>, !tile.shared<64x64xbf16>, tensor<64x64xf32>
  }
}

// -----

// expected-error@+1 {{stands outside a kernel's roles}}
tile.cluster_sync

// -----

tile.kernel @buffer_negative {
  %ring = tile.pipeline : !tile.pipeline<2, [!tile.shared<64x64xbf16>]>
  tile.role "math" warps 4 {
    %s = tile.acquire %ring : !tile.pipeline<2, [!tile.shared<64x64xbf16>]>
    // expected-error@+1 {{takes tile -1 of a stage that has 1}}
    %b = tile.buffer %s[-1] : !tile.shared<64x64xbf16>
  }
}

// -----

tile.kernel @store_to_input {
  %M = tile.size "M"
  %A = tile.tensor "A" input [%M] align 16 : !tile.tensor<f32, 1>
  tile.role "math" warps 4 {
    %c0 = arith.constant 0 : index
    %f = arith.constant dense<1.0> : tensor<128xf32>
    // expected-error@+1 {{writes tensor 'A', which is declared as input: declare it as output or inout}}
    tile.store %f to %A[%c0] : tensor<128xf32>, !tile.tensor<f32, 1>
  }
}

// -----

tile.kernel @load_from_output {
  %M = tile.size "M"
  %D = tile.tensor "D" output [%M] align 16 : !tile.tensor<f32, 1>
  tile.role "math" warps 4 {
    %c0 = arith.constant 0 : index
    // expected-error@+1 {{reads tensor 'D', which is declared as output: declare it as input or inout}}
    %f = tile.load %D[%c0] : !tile.tensor<f32, 1> -> tensor<128xf32>
  }
}

// -----

tile.kernel @reduction_of_bytes {
  %M = tile.size "M"
  %D = tile.tensor "D" inout [%M, %M] align 16 : !tile.tensor<i8, 2>
  %a = tile.alloc : !tile.shared<64x64xi8>
  tile.role "math" warps 4 {
    %c0 = arith.constant 0 : index
    // expected-error@+1 {{reduces s8 with add; TMA reduces s32, f16 and bf16, and adds f32}}
    tile.copy_out %a to %D[%c0, %c0] reduce add : !tile.shared<64x64xi8>, !tile.tensor<i8, 2>
  }
}

// -----

tile.kernel @wait_of_an_ordinary_kernel {
  tile.role "math" warps 4 {
    // expected-error@+1 {{a role waits for the launch before in a kernel that starts when it is done: declare the kernel with programmatic_launch, or leave the wait out}}
    tile.wait_launch
  }
}

// -----

tile.kernel @wait_in_a_branch programmatic_launch {
  tile.role "math" warps 4 {
    %true = arith.constant true
    scf.if %true {
      // expected-error@+1 {{wait_for_previous_launch stands in a loop or branch; a role waits once: move it out of it}}
      tile.wait_launch
    }
  }
}

// -----

tile.kernel @take_before_the_wait programmatic_launch {
  %M = tile.size "M"
  %A = tile.tensor "A" inout [%M] align 16 : !tile.tensor<f32, 1>
  tile.role "math" warps 4 {
    %c0 = arith.constant 0 : index
    // expected-error@+1 {{this touches memory before the role waits for the launch before, which may still write there}}
    %f = tile.take %A[%c0] : !tile.tensor<f32, 1> -> tensor<128xf32>
    tile.wait_launch
  }
}

// -----

tile.kernel @load_before_the_wait programmatic_launch {
  %M = tile.size "M"
  %A = tile.tensor "A" input [%M] align 16 : !tile.tensor<f32, 1>
  tile.role "math" warps 4 {
    %c0 = arith.constant 0 : index
    %true = arith.constant true
    scf.if %true {
      // expected-error@+1 {{this touches memory before the role waits for the launch before, which may still write there; until then a role may only prefetch: move it behind wait_for_previous_launch()}}
      %f = tile.load %A[%c0] : !tile.tensor<f32, 1> -> tensor<128xf32>
    }
    tile.wait_launch
  }
}

// -----

tile.kernel @prefetch_of_an_output {
  %M = tile.size "M"
  %D = tile.tensor "D" output [%M] align 16 : !tile.tensor<f32, 1>
  tile.role "load" warps 1 {
    %c0 = arith.constant 0 : index
    // expected-error@+1 {{reads tensor 'D', which is declared as output: declare it as input or inout}}
    tile.prefetch %D[%c0] [64] : !tile.tensor<f32, 1>
  }
}

// -----

tile.kernel @prefetch_of_more_dimensions {
  %M = tile.size "M"
  %A = tile.tensor "A" input [%M] align 16 : !tile.tensor<f32, 1>
  tile.role "load" warps 1 {
    %c0 = arith.constant 0 : index
    // expected-error@+1 {{moves a tile of 2 dimensions in a tensor of rank 1}}
    tile.prefetch %A[%c0] [64, 64] : !tile.tensor<f32, 1>
  }
}

// -----

tile.kernel @promise_of_nothing {
  %M = tile.size "M"
  // expected-error@+1 {{promises a multiple of 0; give a positive number}}
  %m = tile.multiple_of %M, 0 : index
}

// -----

tile.kernel @turns_of_no_loop {
  tile.role "math" warps 4 {
    %c2 = arith.constant 2 : index
    // expected-error@+1 {{is the step of loops alone}}
    %step = tile.in_turns %c2 : index
    scf.for %i = %step to %c2 step %c2 {
    }
  }
}

// -----

tile.kernel @at_most_a_negative_number {
  %M = tile.size "M"
  // expected-error@+1 {{takes at most -1; give a number from 0 on}}
  %m = tile.at_most %M, -1 : index
}

// -----

tile.kernel @at_most_of_a_coordinate {
  %M = tile.size "M"
  %tiles = tile.schedule persistent [%M] by [64] : <1>
  tile.role "math" warps 4 {
    %first, %end, %step = tile.schedule_range %tiles : <1>
    // expected-error@+1 {{bounds an index that the launch can't compute}}
    %m = tile.at_most %first, 7 : index
  }
}

// -----

tile.kernel @broken_promise {
  %c12 = arith.constant 12 : index
  // expected-error@+1 {{promises that 12 is a multiple of 8, which it is not}}
  %m = tile.multiple_of %c12, 8 : index
}

// -----

!ring = !tile.pipeline<2, [!tile.shared<64x64xbf16>]>
tile.kernel @half_a_place {
  %ring = tile.pipeline : !ring
  tile.role "math" warps 4 {
    %c0 = arith.constant 0 : index
    // expected-error@+1 {{stands at 1 values; a place in a ring is a stage and a parity}}
    %s = tile.wait %ring at %c0 : !ring
  }
}

// -----

!ring = !tile.pipeline<2, [!tile.shared<64x64xbf16>]>
tile.kernel @holds_of_another {
  %ring = tile.pipeline : !ring
  tile.role "math" warps 4 {
    // expected-error@+1 {{may hold stages of 2 pipelines; the kernel has 1}}
    %s = tile.wait %ring holds [1, 1] : !ring
  }
}

// -----

// expected-error @below {{has 33 CTAs to a multiprocessor, which has room for 1 to 32}}
tile.kernel @too_many_to_an_sm ctas_per_sm 33 {
}

// -----

tile.kernel @no_such_conversion {
  tile.role "math" warps 4 {
    %x = arith.constant dense<0.0> : tensor<64x32xbf16>
    // expected-error @below {{makes s4 of bf16, which no instructions do at once}}
    %y = tile.convert %x : tensor<64x32xbf16> -> tensor<64x32xi4>
  }
}

// -----

tile.kernel @relay_of_another_type {
  tile.role "math" warps 4 {
    %x = arith.constant dense<0.0> : tensor<64x32xf32>
    // expected-error @below {{gives 'tensor<32x64xf32>' of 'tensor<64x32xf32>'}}
    %y = tile.relay %x : tensor<64x32xf32> -> tensor<32x64xf32>
  }
}

// -----

tile.kernel @pairs_of_another_shape {
  tile.role "math" warps 4 {
    %x = arith.constant dense<0.0> : tensor<64x32xf32>
    // expected-error @below {{makes a fragment of 64x64 of one of 64x32}}
    %y = tile.convert %x : tensor<64x32xf32> -> tensor<64x32xvector<2xi4>>
  }
}

// -----

!from = tensor<16x32xf32, #tile.fragment<"16x32 (4,8):(128,1) / (8,2):(16,8)">>
!to = tensor<16x16xvector<2xi4>, #tile.fragment<"16x16 (16,2):(1,128) / (8):(16)">>
tile.kernel @pairs_that_lie_otherwise {
  tile.role "math" warps 1 {
    %x = arith.constant dense<0.0> : !from
    // expected-error @below {{each element is to be where it was}}
    %y = tile.convert %x : !from -> !to
  }
}

// -----

!a = !tile.shared<64x32xbf16>
!b = !tile.shared<64x64xbf16>
tile.kernel @metadata_of_another_shape {
  %a = tile.alloc : !a
  %b = tile.alloc : !b
  tile.role "math" warps 4 {
    %e = arith.constant dense<0> : tensor<64x8xi16>
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    // expected-error @below {{multiplies a sparse A of 64x64 with metadata of 64x8 s16; an element has those of 16 columns: use 64x4 s16}}
    %r = tile.mma %a sparse %e : tensor<64x8xi16>, %b transposed, %zero : !a, !b, tensor<64x64xf32>
  }
}

// -----

!b = !tile.shared<64x64xbf16>
tile.kernel @sparse_as_if_whole {
  %b = tile.alloc : !b
  tile.role "math" warps 4 {
    %e = arith.constant dense<0> : tensor<64x4xi16>
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    // expected-error @below {{multiplies A with K = 128, zeros included, and B with K = 64: the inner extents must agree (is a .T() missing?)}}
    %r = tile.mma %b sparse %e : tensor<64x4xi16>, %b transposed, %zero : !b, !b, tensor<64x64xf32>
  }
}

// -----

!s32 = !tile.tensor<i32, 1>
tile.kernel @takes_counters {
  %N = tile.size "N"
  %done = tile.tensor "Done" inout [%N] align 4 : !s32
  tile.role "math" warps 4 {
    %c0 = arith.constant 0 : index
    // expected-error @below {{takes s32; it takes f32}}
    %x = tile.take %done[%c0] : !s32 -> tensor<16xi32>
  }
}

// -----

!box = !tile.tensor<f32, 1>
tile.kernel @takes_two_for_one {
  %N = tile.size "N"
  %box = tile.tensor "Box" inout [%N] align 4 : !box
  tile.role "math" warps 4 {
    %c0 = arith.constant 0 : index
    // expected-error @below {{gives 2 fragments of 1 tiles}}
    %x, %y = tile.take %box[%c0] : !box -> tensor<16xf32>, tensor<16xf32>
  }
}

// -----

!box = !tile.tensor<f32, 1>
tile.kernel @takes_at_more_places {
  %N = tile.size "N"
  %box = tile.tensor "Box" inout [%N] align 4 : !box
  tile.role "math" warps 4 {
    %c0 = arith.constant 0 : index
    // expected-error @below {{gives 1 coordinates too many}}
    %x = tile.take %box[%c0, %c0] : !box -> tensor<16xf32>
  }
}

// -----

!box = !tile.tensor<f32, 1>
tile.kernel @takes_what_it_only_reads {
  %N = tile.size "N"
  %box = tile.tensor "Box" input [%N] align 4 : !box
  tile.role "math" warps 4 {
    %c0 = arith.constant 0 : index
    // expected-error @below {{writes tensor 'Box', which is declared as input: declare it as output or inout}}
    %x = tile.take %box[%c0] : !box -> tensor<16xf32>
  }
}
