// RUN: ashlar-opt %s --split-input-file --pass-pipeline='builtin.module(tile.kernel(tile-assign-layouts,tile-plan-memory,tile-expand),tile-to-hopper,hopper.kernel(hopper-join-once,hopper-start-early))' --verify-diagnostics

!smem = !tile.shared<64x64xbf16>
!ring = !tile.pipeline<2, [!smem]>
!T = !tile.tensor<bf16, 2>
tile.kernel @multicast_without_cluster {
  %M = tile.size "M"
  %A = tile.tensor "A" input [%M, %M] align 16 : !T
  %ring = tile.pipeline : !ring
  tile.role "load" warps 1 {
    %c0 = arith.constant 0 : index
    %s = tile.acquire %ring : !ring
    %a = tile.buffer %s[0] : !smem
    // expected-error@+1 {{this copy is multicast, and kernel 'multicast_without_cluster' has no cluster: call cluster({...}) before the roles}}
    tile.copy %A[%c0, %c0] to %a multicast : !T, !smem
    tile.commit %ring, %s : !ring
  }
}

// -----

!smem = !tile.shared<64x64xbf16>
!ring = !tile.pipeline<2, [!smem]>
!T = !tile.tensor<bf16, 2>
tile.kernel @multicast_of_different_tiles cluster [2, 1] {
  %M = tile.size "M"
  %A = tile.tensor "A" input [%M, %M] align 16 : !T
  %tiles = tile.schedule [%M, %M] by [64, 64] in <n, m> : !tile.schedule<2>
  %ring = tile.pipeline : !ring
  tile.role "load" warps 1 {
    %first, %end, %step = tile.schedule_range %tiles : !tile.schedule<2>
    %m, %n = tile.schedule_coordinates %tiles, %first : !tile.schedule<2> -> index, index
    %s = tile.acquire %ring : !ring
    %a = tile.buffer %s[0] : !smem
    %column = tile.multiple_of %n, 8 : index
    // expected-error@+1 {{this copy is multicast, but each CTA of the cluster wants another tile, or elsewhere: its coordinates, or where it goes, depend on every dimension of the cluster}}
    tile.copy %A[%m, %column] to %a multicast : !T, !smem
    tile.commit %ring, %s : !ring
  }
}

// -----

!smem = !tile.shared<24x64xbf16>
!ring = !tile.pipeline<2, [!smem]>
!T = !tile.tensor<bf16, 2>
tile.kernel @multicast_of_few_rows cluster [2, 1] {
  %M = tile.size "M"
  %A = tile.tensor "A" input [%M, %M] align 16 : !T
  %tiles = tile.schedule [%M, %M] by [64, 64] in <n, m> : !tile.schedule<2>
  %ring = tile.pipeline : !ring
  tile.role "load" warps 1 {
    %c0 = arith.constant 0 : index
    %s = tile.acquire %ring : !ring
    %a = tile.buffer %s[0] : !smem
    // expected-error@+1 {{a multicast to 2 CTAs splits this tile of 24 rows into as many slices of whole swizzle atoms (8 rows): make the rows a multiple of 16}}
    tile.copy %A[%c0, %c0] to %a multicast : !T, !smem
    tile.commit %ring, %s : !ring
  }
}

// -----

!smem = !tile.shared<514x64xbf16>
!ring = !tile.pipeline<2, [!smem]>
!T = !tile.tensor<bf16, 2>
tile.kernel @no_even_boxes {
  %M = tile.size "M"
  %A = tile.tensor "A" input [%M, %M] align 16 : !T
  %ring = tile.pipeline : !ring
  tile.role "load" warps 1 {
    %c0 = arith.constant 0 : index
    %s = tile.acquire %ring : !ring
    %a = tile.buffer %s[0] : !smem
    // expected-error@+1 {{TMA cannot move this tile: dimension 0 of the shared tile (514,64) has extent 514, more than the 256 of a TMA box, and no even split of it starts at multiples of 1024 bytes: use a multiple of 256}}
    tile.copy %A[%c0, %c0] to %a : !T, !smem
    tile.commit %ring, %s : !ring
  }
}

// -----

!smem = !tile.shared<514x64xbf16>
!T = !tile.tensor<bf16, 2>
tile.kernel @no_even_boxes_out {
  %M = tile.size "M"
  %A = tile.tensor "A" output [%M, %M] align 16 : !T
  %a = tile.alloc : !smem
  tile.role "store" warps 1 {
    %c0 = arith.constant 0 : index
    // expected-error@+1 {{TMA cannot move this tile: dimension 0 of the shared tile (514,64) has extent 514, more than the 256 of a TMA box}}
    tile.copy_out %a to %A[%c0, %c0] : !smem, !T
  }
}

// -----

// expected-error@+1 {{kernel 'many_barriers' needs 16 named barriers with those of its roles; a CTA has 15: let roles share some}}
tile.kernel @many_barriers {
  %b1 = tile.barrier "1" : !tile.barrier
  %b2 = tile.barrier "2" : !tile.barrier
  %b3 = tile.barrier "3" : !tile.barrier
  %b4 = tile.barrier "4" : !tile.barrier
  %b5 = tile.barrier "5" : !tile.barrier
  %b6 = tile.barrier "6" : !tile.barrier
  %b7 = tile.barrier "7" : !tile.barrier
  %b8 = tile.barrier "8" : !tile.barrier
  %b9 = tile.barrier "9" : !tile.barrier
  %b10 = tile.barrier "10" : !tile.barrier
  %b11 = tile.barrier "11" : !tile.barrier
  %b12 = tile.barrier "12" : !tile.barrier
  %b13 = tile.barrier "13" : !tile.barrier
  %b14 = tile.barrier "14" : !tile.barrier
  %b15 = tile.barrier "15" : !tile.barrier
  %b16 = tile.barrier "16" : !tile.barrier
  tile.role "a" warps 1 {
    tile.sync %b1 : !tile.barrier
  }
}

// -----

tile.kernel @no_meaning {
  tile.role "a" warps 1 {
    // expected-error@+1 {{operation 'scf.execute_region' has no meaning in a role}}
    scf.execute_region {
      scf.yield
    }
  }
}
