// RUN: ashlar-opt %s --split-input-file --pass-pipeline='builtin.module(tile.kernel(tile-assign-layouts,tile-plan-memory,tile-expand),tile-to-hopper,hopper.kernel(hopper-join-once,hopper-start-early))' --verify-diagnostics

// The author is told of copies that TMA does not take.

!smem = !tile.shared<64x64xbf16>
!ring = !tile.pipeline<2, [!smem]>
!T = !tile.tensor<bf16, 2>
tile.kernel @copies {
  %M = tile.size "M"
  %A = tile.tensor "A" input [%M, %M] align 16 : !T
  %B = tile.tensor "B" input [%M, %M] align 4 : !T
  %ring = tile.pipeline : !ring
  tile.role "load" warps 1 {
    %c0 = arith.constant 0 : index
    %c6 = arith.constant 6 : index
    %s = tile.acquire %ring : !ring
    %a = tile.buffer %s[0] : !smem
    tile.copy %A[%c0, %c0] to %a : !T, !smem
    // expected-remark@+1 {{this copy goes by cp.async, 4 bytes at a time, not by TMA: its last coordinate is not known to be a multiple of 8 elements, the 16 bytes that TMA needs; if it counts tiles, take tile() in place of at(), else promise it with multiple_of(index, 8)}}
    tile.copy %A[%c0, %c6] to %a : !T, !smem
    // expected-remark@+1 {{this copy goes by cp.async, 4 bytes at a time, not by TMA: tensor 'B' is aligned to 4 bytes; TMA needs 16}}
    tile.copy %B[%c0, %c0] to %a : !T, !smem
    // expected-remark@+1 {{this copy goes by ordinary loads, 16 bytes at a time, shifted, not by TMA: its last coordinate is not known}}
    tile.copy %A[%c0, %M] to %a : !T, !smem
    tile.commit %ring, %s : !ring
  }
  tile.role "drain" warps 1 {
    %s = tile.wait %ring : !ring
    tile.release %ring, %s : !ring
  }
}

// -----

!smem = !tile.shared<64x64xbf16>
!T = !tile.tensor<bf16, 2>
tile.kernel @copies_out {
  %M = tile.size "M"
  %A = tile.tensor "A" output [%M, %M] align 8 : !T
  %a = tile.alloc : !smem
  tile.role "store" warps 1 {
    %c0 = arith.constant 0 : index
    // expected-remark@+1 {{this copy goes by ordinary stores, 16 bytes at a time, shifted, not by TMA: tensor 'A' is aligned to 8 bytes; TMA needs 16}}
    tile.copy_out %a to %A[%c0, %c0] : !smem, !T
    // expected-remark@+1 {{this copy goes by atomic operations, element by element, not by TMA: tensor 'A'}}
    tile.copy_out %a to %A[%c0, %c0] reduce add : !smem, !T
  }
}
