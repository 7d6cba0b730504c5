// RUN: ashlar-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(tile.kernel(tile-assign-layouts))'

!whole = !tile.shared<64x64xbf16>

tile.kernel @part_beyond {
  %a = tile.alloc : !whole
  tile.role "math" warps 4 {
    // expected-error@+1 {{takes 32 from 48 of a dimension of 64}}
    %b = tile.part %a from [0, 48] : !whole -> !tile.shared<64x32xbf16>
  }
}

// -----

!whole = !tile.shared<64x64xbf16>

tile.kernel @part_rank {
  %a = tile.alloc : !whole
  tile.role "math" warps 4 {
    // expected-error@+1 {{takes a part of 1 dimensions, from 1 offsets, of a shared tile of 2}}
    %b = tile.part %a from [0] : !whole -> !tile.shared<64xbf16>
  }
}

// -----

!whole = !tile.shared<64x64xbf16>

tile.kernel @part_type {
  %a = tile.alloc : !whole
  tile.role "math" warps 4 {
    // expected-error@+1 {{changes the element type}}
    %b = tile.part %a from [0, 0] : !whole -> !tile.shared<64x32xf16>
  }
}

// -----

!whole = !tile.shared<64x64xbf16>

tile.kernel @part_row_bytes {
  %a = tile.alloc : !whole
  tile.role "math" warps 4 {
    // expected-error@+1 {{the part (64,12) has rows of 24 bytes (12 elements of 2); TMA needs a multiple of 16: use a multiple of 8 elements}}
    %b = tile.part %a from [0, 0] : !whole -> !tile.shared<64x12xbf16>
  }
}

// -----

!whole = !tile.shared<64x64xbf16>

tile.kernel @part_within_atom {
  %a = tile.alloc : !whole
  tile.role "math" warps 4 {
    // expected-error@+1 {{the part (32,64) begins at (4,0), within a swizzle atom of 8 rows of 128 bytes: begin at multiples of (8,64)}}
    %b = tile.part %a from [4, 0] : !whole -> !tile.shared<32x64xbf16>
  }
}

// -----

!whole = !tile.shared<64x64xbf16>

tile.kernel @view_of_part {
  %a = tile.alloc : !whole
  tile.role "math" warps 4 {
    %b = tile.part %a from [0, 0] : !whole -> !tile.shared<32x64xbf16>
    // expected-error@+1 {{a part has no memory of its own: view the whole tile}}
    %c = tile.view %b number 0 : !tile.shared<32x64xbf16> -> !tile.shared<32x64xf16>
  }
}

// -----

!whole = !tile.shared<64x64xbf16>

tile.kernel @view_number {
  %a = tile.alloc : !whole
  tile.role "math" warps 4 {
    // expected-error@+1 {{is number -1; the first is 0}}
    %b = tile.view %a number -1 : !whole -> !tile.shared<32x64xf16>
  }
}

// -----

!whole = !tile.shared<64x64xbf16>

tile.kernel @view_beyond {
  %a = tile.alloc : !whole
  tile.role "math" warps 4 {
    // expected-error@+1 {{a tile of 64x64 f32 has 16384 bytes, and the shared tile that it is to lie in 8192: use a smaller shape}}
    %b = tile.view %a number 0 : !whole -> !tile.shared<64x64xf32>
  }
}

// -----

!whole = !tile.shared<64x64xbf16>

tile.kernel @view_row_bytes {
  %a = tile.alloc : !whole
  tile.role "math" warps 4 {
    // expected-error@+1 {{TMA needs a multiple of 16}}
    %b = tile.view %a number 0 : !whole -> !tile.shared<64x4xbf16>
  }
}

// -----

!whole = !tile.shared<64x64xbf16>

tile.kernel @part_at_any_row {
  %M = tile.size "M"
  %a = tile.alloc : !whole
  tile.role "math" warps 4 {
    // expected-error@+1 {{the part begins along dimension 0 at an index that is not known to be a multiple of 8, as the swizzle atoms of the tile do: promise it with multiple_of(index, 8)}}
    %b = tile.part %a from [%M, 0] : !whole -> !tile.shared<32x64xbf16>
  }
}

// -----

!whole = !tile.shared<64x128xbf16>

tile.kernel @part_at_any_column {
  %M = tile.size "M"
  %a = tile.alloc : !whole
  tile.role "math" warps 4 {
    %half = tile.multiple_of %M, 32 : index
    // expected-error@+1 {{the part begins along dimension 1 at an index that is not known to be a multiple of 64}}
    %b = tile.part %a from [0, %half] : !whole -> !tile.shared<64x32xbf16>
  }
}

// -----

!whole = !tile.shared<64x64xbf16>

tile.kernel @part_in_one_block {
  %M = tile.size "M"
  %a = tile.alloc : !whole
  tile.role "math" warps 4 {
    %half = tile.multiple_of %M, 32 : index
    // expected-error@+1 {{of the 64 elements there only the first begins a swizzle atom of the tile: write 0}}
    %b = tile.part %a from [0, %half] : !whole -> !tile.shared<64x32xbf16>
  }
}

// -----

!whole = !tile.shared<64x64xbf16>

tile.kernel @part_places {
  %M = tile.size "M"
  %a = tile.alloc : !whole
  tile.role "math" warps 4 {
    // expected-error@+1 {{has 1 places for 0 offsets that indices choose}}
    %b = "tile.part"(%a, %M) {offsets = array<i64: 0, 0>} : (!whole, index) -> !tile.shared<32x64xbf16>
  }
}
