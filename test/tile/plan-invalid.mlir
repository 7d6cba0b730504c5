// RUN: ashlar-opt %s --split-input-file --tile-to-hopper --verify-diagnostics

// A plan has a place for everything.

// expected-error@+1 {{kernel 'no_role' has no memory plan}}
tile.kernel @no_role attributes {plan = #tile.plan<32 threads 1024 bytes>} {
}

// -----

// expected-error@+1 {{has a plan that gives places to 0 rings; the kernel has 1}}
tile.kernel @ring attributes {plan = #tile.plan<32 threads 1024 bytes roles [<0>]>} {
  %ring = tile.pipeline : !tile.pipeline<2, [!tile.shared<8x16xbf16>]>
  tile.role "a" warps 1 {
  }
}

// -----

tile.kernel @tiles_of_a_stage attributes {plan = #tile.plan<32 threads 1024 bytes rings [<0 every 256 tiles [0, 128] barriers 512>] roles [<0>]>} {
  // expected-error@+1 {{has a plan that gives places to 2 tiles of a stage that has 1}}
  %ring = tile.pipeline : !tile.pipeline<2, [!tile.shared<8x16xbf16>]>
  tile.role "a" warps 1 {
  }
}

// -----

tile.kernel @stage_too_short attributes {plan = #tile.plan<32 threads 1024 bytes rings [<0 every 128 tiles [0] barriers 512>] roles [<0>]>} {
  // expected-error@+1 {{has a plan that gives a tile of 256 bytes from 0 on in a stage of 128}}
  %ring = tile.pipeline : !tile.pipeline<2, [!tile.shared<8x16xbf16>]>
  tile.role "a" warps 1 {
  }
}

// -----

// expected-error@+1 {{has a plan that gives byte 256 of shared memory twice}}
tile.kernel @barriers_in_a_stage attributes {plan = #tile.plan<32 threads 1024 bytes rings [<0 every 256 tiles [0] barriers 256>] roles [<0>]>} {
  %ring = tile.pipeline : !tile.pipeline<2, [!tile.shared<8x16xbf16>]>
  tile.role "a" warps 1 {
  }
}

// -----

tile.kernel @barriers_between_words attributes {plan = #tile.plan<32 threads 1024 bytes rings [<0 every 256 tiles [0] barriers 513>] roles [<0>]>} {
  // expected-error@+1 {{has a plan that gives it byte 513, no multiple of 8}}
  %ring = tile.pipeline : !tile.pipeline<2, [!tile.shared<8x16xbf16>]>
  tile.role "a" warps 1 {
  }
}

// -----

tile.kernel @tile_beyond_the_end attributes {plan = #tile.plan<32 threads 1024 bytes tiles [1000] roles [<0>]>} {
  // expected-error@+1 {{has a plan that gives it bytes from 1000 on, beyond the 1024 of the kernel}}
  %tile = tile.alloc : !tile.shared<8x16xbf16>
  tile.role "a" warps 1 {
  }
}

// -----

tile.kernel @warps_beyond_the_last attributes {plan = #tile.plan<32 threads 0 bytes roles [<1>]>} {
  // expected-error@+1 {{has a plan that gives it 1 warps from 1 on; the kernel has 1}}
  tile.role "a" warps 1 {
  }
}

// -----

tile.kernel @warps_of_two_roles attributes {plan = #tile.plan<64 threads 0 bytes roles [<0>, <0>]>} {
  tile.role "a" warps 1 {
  }
  // expected-error@+1 {{has a plan that gives it warp 0, another role's}}
  tile.role "b" warps 1 {
  }
}

// -----

tile.kernel @no_ping_pong_barriers attributes {plan = #tile.plan<256 threads 0 bytes roles [<0>]>} {
  // expected-error@+1 {{has a plan that gives it no mbarriers to pass on a turn; it has 2 instances}}
  tile.role "a" warps 4 instances 2 {
  }
}

// -----

// expected-error@+1 {{has a plan that gives 2080 threads; a CTA has whole warps, 32 to 1024 threads}}
tile.kernel @too_many_threads attributes {plan = #tile.plan<2080 threads 0 bytes roles [<0>]>} {
  tile.role "a" warps 1 {
  }
}

// -----

// expected-error@+1 {{has a plan that gives 232449 bytes of shared memory; a CTA has 232448}}
tile.kernel @too_much_memory attributes {plan = #tile.plan<32 threads 232449 bytes roles [<0>]>} {
  tile.role "a" warps 1 {
  }
}
