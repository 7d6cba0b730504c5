// RUN: ashlar-opt %s --split-input-file --verify-diagnostics

!smem = !tile.shared<64x64xbf16>

tile.kernel @no_cluster {
  %c0 = arith.constant 0 : index
  %tile = tile.alloc : !smem
  tile.role "math" warps 4 {
    // expected-error@+1 {{is of a cluster, and the kernel has none}}
    %peer = tile.peer %tile of %c0 : !smem
  }
}

// -----

tile.kernel @no_rank {
  tile.role "math" warps 4 {
    // expected-error@+1 {{is of a cluster, and the kernel has none}}
    %rank = tile.cluster_rank
  }
}

// -----

tile.kernel @nobody_to_meet {
  tile.role "math" warps 4 {
    // expected-error@+1 {{is of a cluster, and the kernel has none}}
    tile.cluster_sync
  }
}

// -----

!smem = !tile.shared<64x64xbf16>

tile.kernel @peer_of_a_peer cluster [2] {
  %c0 = arith.constant 0 : index
  %tile = tile.alloc : !smem
  tile.role "math" warps 4 {
    // expected-error@+1 {{is used by tile.peer; only parts, reads, writes and copies to it reach the memory of another CTA}}
    %peer = tile.peer %tile of %c0 : !smem
    %again = tile.peer %peer of %c0 : !smem
  }
}

// -----

!smem = !tile.shared<64x64xbf16>
!part = !tile.shared<8x64xbf16>

tile.kernel @peer_of_a_part cluster [2] {
  %c0 = arith.constant 0 : index
  %tile = tile.alloc : !smem
  tile.role "math" warps 4 {
    %part = tile.part %tile from [0, 0] : !smem -> !part
    // expected-error@+1 {{is of a part of a tile: make the part of the peer's}}
    %peer = tile.peer %part of %c0 : !part
  }
}

// -----

!smem = !tile.shared<64x64xbf16>
!ring = !tile.pipeline<2, [!smem]>

tile.kernel @peer_of_a_stage cluster [2] {
  %c0 = arith.constant 0 : index
  %ring = tile.pipeline : !ring
  tile.role "math" warps 4 {
    %s = tile.wait %ring : !ring
    %a = tile.buffer %s[0] : !smem
    // expected-error@+1 {{is one of a stage, which only this CTA's roles fill and drain}}
    %peer = tile.peer %a of %c0 : !smem
  }
}

// -----

!smem = !tile.shared<64x64xbf16>
!half = !tile.shared<64x32xbf16>

tile.kernel @peer_multiplied cluster [2] {
  %c0 = arith.constant 0 : index
  %tile = tile.alloc : !smem
  tile.role "math" warps 4 {
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    // expected-error@+1 {{is used by tile.mma; only parts, reads, writes and copies to it reach the memory of another CTA}}
    %peer = tile.peer %tile of %c0 : !smem
    %part = tile.part %peer from [0, 0] : !smem -> !half
    %acc = tile.mma %part, %part transposed, %zero : !half, !half, tensor<64x64xf32>
  }
}

// -----

!smem = !tile.shared<64x64xbf16>

tile.kernel @copied_from_a_peer cluster [2] {
  %c0 = arith.constant 0 : index
  %tile = tile.alloc : !smem
  %other = tile.alloc : !smem
  tile.role "math" warps 4 {
    %peer = tile.peer %tile of %c0 : !smem
    // expected-error@+1 {{copies from a peer's tile to one of its own; it sends a tile of this CTA to a peer}}
    tile.copy_to_peer %peer to %other : !smem, !smem
  }
}

// -----

!smem = !tile.shared<64x64xbf16>
!half = !tile.shared<64x32xbf16>

tile.kernel @copied_to_another_shape cluster [2] {
  %c0 = arith.constant 0 : index
  %tile = tile.alloc : !smem
  %half = tile.alloc : !half
  tile.role "math" warps 4 {
    %peer = tile.peer %tile of %c0 : !smem
    // expected-error@+1 {{copies 64x32 bf16 to 64x64 bf16; the two tiles are alike}}
    tile.copy_to_peer %half to %peer : !half, !smem
  }
}
