// RUN: ashlar-opt %s --split-input-file --hopper-to-thread --verify-diagnostics

// Texts that a small change made wrong: each is refused where it is, not where
// a pass would come to harm.

!whole = tensor<64x16xf32, #tile.fragment<"64x16 (4,8,4,1):(128,1,16,64) / (2,2,2,1):(64,8,512,64)">>
hopper.kernel @part_as_large_as_the_whole threads 128 shared 0 cluster 1 {
  hopper.role "math" from 0 warps 4 {
    %whole = hopper.undefined : !whole
    // expected-error@+1 {{takes 16 from 8 of a dimension of 16}}
    %part = hopper.slice %whole from [0, 8] : !whole -> !whole
  }
}

// -----

!whole = tensor<64x16xf32, #tile.fragment<"64x16 (4,8,4,1):(128,1,16,64) / (2,2,2,1):(64,8,512,64)">>
!part = tensor<64x8xf32, #tile.fragment<"64x8 (4,8,4,1):(128,1,16,64) / (2,2,1,1):(64,8,512,64)">>
hopper.kernel @offsets_of_fewer_dimensions threads 128 shared 0 cluster 1 {
  hopper.role "math" from 0 warps 4 {
    %whole = hopper.undefined : !whole
    // expected-error@+1 {{takes a part of 2 dimensions, from 1 offsets, of a fragment of 2}}
    %part = hopper.slice %whole from [8] : !whole -> !part
  }
}

// -----

!rows = tensor<64xf32, #tile.fragment<"64 128:0 / 64:1">>
!whole = tensor<64x16xf32, #tile.fragment<"64x16 (4,8,4,1):(128,1,16,64) / (2,2,2,1):(64,8,512,64)">>
hopper.kernel @rows_of_another_layout threads 128 shared 0 cluster 1 {
  hopper.role "math" from 0 warps 4 {
    %rows = hopper.undefined : !rows
    // expected-error@+1 {{spreads a fragment that lies as 64 128:0 / 64:1; without moving data it is to lie as 64 (4,8,4,1):(0,1,16,0) / 2:8}}
    %whole = hopper.broadcast %rows along [0] : !rows -> !whole
  }
}

// -----

hopper.kernel @role_behind_an_operation threads 64 shared 0 cluster 1 {
  hopper.role "a" from 0 warps 1 {
  }
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{stands behind something that is no role}}
  hopper.role "b" from 1 warps 1 {
  }
}

// -----

!tile = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
hopper.kernel @copy_of_fewer_strides threads 128 shared 8192 cluster 1 {
  %A = hopper.pointer "A" : !hopper.pointer
  %stride = hopper.stride "A"[0]
  %c0 = arith.constant 0 : index
  hopper.role "load" from 0 warps 4 {
    %at = hopper.shared_address 0
    %v = hopper.view %at : !tile
    // expected-error@+1 {{gives 2 coordinates and 1 extents or strides}}
    hopper.copy_tile %A[%c0, %c0] within [%c0, %c0] strides [%stride] align 8 to %v : !hopper.pointer, !tile
  }
}

// -----

!tile = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
hopper.kernel @copy_in_pieces_of_no_row threads 128 shared 8192 cluster 1 {
  %A = hopper.pointer "A" : !hopper.pointer
  %stride = hopper.stride "A"[0]
  %one = arith.constant 1 : i64
  %c0 = arith.constant 0 : index
  hopper.role "load" from 0 warps 4 {
    %at = hopper.shared_address 0
    %v = hopper.view %at : !tile
    // expected-error@+1 {{copies rows of 128 bytes in pieces of 1; a piece is an element to 16 bytes and divides the row}}
    hopper.copy_tile %A[%c0, %c0] within [%c0, %c0] strides [%stride, %one] align 1 to %v : !hopper.pointer, !tile
  }
}

// -----

!tile = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
hopper.kernel @accumulator_of_other_threads threads 128 shared 8192 cluster 1 {
  hopper.role "math" from 0 warps 4 {
    %at = hopper.shared_address 0
    %v = hopper.view %at : !tile
    %sum = hopper.undefined : tensor<64x64xf32, #tile.fragment<"64x64 (64,2):(1,2048) / 32:64">>
    // expected-error@+1 {{has an accumulator that lies as 64x64 (64,2):(1,2048) / 32:64; that of wgmma lies as}}
    %next = hopper.mma %v, %v transposed, %sum : !tile, !tile, tensor<64x64xf32, #tile.fragment<"64x64 (64,2):(1,2048) / 32:64">>
  }
}

// -----

hopper.kernel @fragment_of_doubles threads 128 shared 0 cluster 1 {
  hopper.role "math" from 0 warps 4 {
    // expected-error@+1 {{a fragment cannot hold f64}}
    %a = hopper.undefined : tensor<128xf64, #tile.fragment<"128 128:1 / 1:0">>
  }
}

// -----

hopper.kernel @address_beyond_memory threads 32 shared 0 cluster 1 {
  // expected-error@+1 {{is that of byte 4294967296; a CTA has 232448}}
  %at = hopper.shared_address 4294967296
}

// -----

!sum = tensor<64x64xf32, #tile.fragment<"64x64 (4,8,4,1):(128,1,16,64) / (2,2,8,1):(64,8,512,64)">>
!tile = !tile.shared<64x64xbf16, "S<3,4,3> o (64,64):(128,2)">
hopper.kernel @accumulator_that_may_be_either threads 128 shared 8192 cluster 1 {
  hopper.role "math" from 0 warps 4 {
    %at = hopper.shared_address 0
    %v = hopper.view %at : !tile
    %a = hopper.accumulator : !hopper.accumulator<!sum>
    %b = hopper.accumulator : !hopper.accumulator<!sum>
    %true = arith.constant true
    %c = arith.select %true, %a, %b : !hopper.accumulator<!sum>
    // expected-error@+1 {{uses an accumulator that no hopper.accumulator gave}}
    hopper.wgmma %v, %v transposed into %c : !tile, !tile, !hopper.accumulator<!sum>
  }
}

// -----

!sum = tensor<64x64xf32, #tile.fragment<"64x64 (4,8,4,1):(128,1,16,64) / (2,2,8,1):(64,8,512,64)">>
!half = tensor<64x32xf32, #tile.fragment<"64x32 (4,8,4,1):(128,1,16,64) / (2,2,4,1):(64,8,512,64)">>
hopper.kernel @part_of_an_accumulator threads 128 shared 0 cluster 1 {
  hopper.role "math" from 0 warps 4 {
    %a = hopper.accumulator : !hopper.accumulator<!sum>
    // expected-error@+1 {{takes 32 from 40 of a dimension of 64}}
    %part = hopper.accumulator.read %a from [0, 40] : !hopper.accumulator<!sum> -> !half
  }
}

// -----

!sum = tensor<64x64xf32, #tile.fragment<"64x64 (4,8,4,1):(128,1,16,64) / (2,2,8,1):(64,8,512,64)">>
!half = tensor<64x32xf32, #tile.fragment<"64x32 (4,8,4,1):(128,1,16,64) / (2,2,4,1):(64,8,512,64)">>
hopper.kernel @accumulator_written_in_part threads 128 shared 0 cluster 1 {
  hopper.role "math" from 0 warps 4 {
    %a = hopper.accumulator : !hopper.accumulator<!sum>
    %half = hopper.undefined : !half
    // expected-error@+1 {{to an accumulator of}}
    hopper.accumulator.write %half to %a : !half, !hopper.accumulator<!sum>
  }
}

// -----

!sum = tensor<64x64xf32, #tile.fragment<"64x64 (4,8,4,1):(128,1,16,64) / (2,2,8,1):(64,8,512,64)">>
!half = tensor<64x32xf32, #tile.fragment<"64x32 (4,8,4,1):(128,1,16,64) / (2,2,4,1):(64,8,512,64)">>
hopper.kernel @accumulator_rescaled_in_part threads 128 shared 0 cluster 1 {
  hopper.role "math" from 0 warps 4 {
    %a = hopper.accumulator : !hopper.accumulator<!sum>
    %half = hopper.undefined : !half
    // expected-error@+1 {{both are one fragment of f32 sums}}
    hopper.accumulator.rescale %a by %half : !hopper.accumulator<!sum>, !half
  }
}

// -----

// expected-error@+1 {{has no fragment layout}}
!none = !hopper.accumulator<tensor<64x64xf32>>
hopper.kernel @nobodys_registers threads 128 shared 0 cluster 1 {
  hopper.role "math" from 0 warps 4 {
    %a = hopper.accumulator : !none
  }
}

// -----

!sum = tensor<64x64xf32, #tile.fragment<"64x64 (4,8,4,1):(128,1,16,64) / (2,2,8,1):(64,8,512,64)">>
hopper.kernel @accumulator_of_more_threads threads 256 shared 0 cluster 1 {
  hopper.role "math" from 0 warps 8 {
    // expected-error@+1 {{is of 128 threads; its role has 256}}
    %a = hopper.accumulator : !hopper.accumulator<!sum>
  }
}

// -----

hopper.kernel @less_than_none_pending threads 128 shared 0 cluster 1 {
  hopper.role "math" from 0 warps 4 {
    // expected-error@+1 {{leaves -1 groups unfinished; at least 0}}
    hopper.wgmma.wait -1
  }
}

// -----

!rows = tensor<64xf32, #tile.fragment<"64 128:0 / 64:1">>
hopper.kernel @reduction_of_fewer_extents threads 128 shared 0 cluster 1 {
  %A = hopper.pointer "A" : !hopper.pointer
  %one = arith.constant 1 : i64
  %c0 = arith.constant 0 : index
  hopper.role "math" from 0 warps 4 {
    %rows = hopper.undefined : !rows
    // expected-error@+1 {{gives 1 coordinates and 0 extents or strides}}
    hopper.reduce_into %rows max into %A[%c0] within [] strides [%one] : !rows, !hopper.pointer
  }
}
