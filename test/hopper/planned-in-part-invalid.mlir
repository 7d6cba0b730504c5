// RUN: ashlar-opt %s --split-input-file --tile-to-hopper --verify-diagnostics

// Every part of the plan is asked for.

tile.kernel @stages attributes {threads = 32 : i64, shared_bytes = 1024 : i64} {
  // expected-error@+1 {{kernel 'stages' has no memory plan; run tile-plan-memory first}}
  %ring = tile.pipeline : !tile.pipeline<2, [!tile.shared<8x16xbf16, "S<1,4,3> o (8,16):(32,2)">]>
  tile.role "a" warps 1 attributes {first_warp = 0 : i64} {
  }
}

// -----

tile.kernel @role attributes {threads = 32 : i64, shared_bytes = 1024 : i64} {
  // expected-error@+1 {{kernel 'role' has no memory plan}}
  tile.role "a" warps 1 attributes {first_warp = 1 : i64} {
  }
}

// -----

// expected-error@+1 {{kernel 'no_role' has no memory plan}}
tile.kernel @no_role attributes {threads = 32 : i64, shared_bytes = 1024 : i64} {
}
