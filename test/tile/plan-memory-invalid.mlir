// RUN: ashlar-opt %s --split-input-file --pass-pipeline='builtin.module(tile.kernel(tile-assign-layouts,tile-plan-memory))' --verify-diagnostics

tile.kernel @too_many_stages {
  // expected-error@+1 {{kernel 'too_many_stages' needs 262272 bytes of shared memory, 29824 over the limit of 232448: of this pipeline's stages of 32784 bytes, 7 would fit instead of 8}}
  %ring = tile.pipeline : !tile.pipeline<8, [!tile.shared<128x64xbf16>, !tile.shared<128x64xbf16>]>
  tile.role "a" warps 1 {
  }
}

// -----

// The pipeline that could give up most is named.
tile.kernel @the_largest {
  %small = tile.pipeline : !tile.pipeline<2, [!tile.shared<128x64xbf16>]>
  // expected-error@+1 {{kernel 'the_largest' needs 262224 bytes of shared memory, 29776 over the limit of 232448: of this pipeline's stages of 65552 bytes, 2 would fit instead of 3}}
  %large = tile.pipeline : !tile.pipeline<3, [!tile.shared<256x128xbf16>]>
  %staged = tile.alloc : !tile.shared<128x128xbf16>
  tile.role "a" warps 1 {
  }
}

// -----

tile.kernel @not_even_one {
  // expected-error@+1 {{kernel 'not_even_one' needs 262160 bytes of shared memory, 29712 over the limit of 232448: not even one of this pipeline's stages of 262160 bytes would fit; use smaller tiles}}
  %ring = tile.pipeline : !tile.pipeline<1, [!tile.shared<512x256xbf16>]>
  tile.role "a" warps 1 {
  }
}

// -----

tile.kernel @no_pipeline {
  // expected-error@+1 {{kernel 'no_pipeline' needs 262144 bytes of shared memory, 29696 over the limit of 232448: this tile takes 262144 of them; use smaller shared tiles}}
  %a = tile.alloc : !tile.shared<512x256xbf16>
  tile.role "a" warps 1 {
  }
}

// -----

// expected-error@+1 {{kernel 'no_role' has no role, so nothing would run: add one}}
tile.kernel @no_role {
}

// -----

tile.kernel @one_budget {
  tile.role "math" warps 4 registers 240 {
  }
  // expected-error@+1 {{role 'load' has no register budget while another role has one: give registers(n) to all of them or to none}}
  tile.role "load" warps 1 {
  }
}

// -----

// expected-error@+1 {{kernel 'too_many_warps' has 36 warps with all its roles; a CTA has at most 32: give a role fewer}}
tile.kernel @too_many_warps {
  tile.role "a" warps 16 {
  }
  tile.role "b" warps 20 {
  }
}

// -----

// expected-error@+1 {{kernel 'too_many_padded' has 36 warps with all its roles; a CTA has at most 32: give a role fewer}}
tile.kernel @too_many_padded {
  tile.role "a" warps 28 registers 40 {
  }
  tile.role "b" warps 1 registers 24 {
  }
  tile.role "c" warps 1 registers 32 {
  }
}

// -----

// expected-error@+1 {{the register budgets of kernel 'budgets' add up to 66560, 2048 over the 64512 that its 384 threads start with (168 each): 'load' asks for 40 in each of 128 threads; 'math' asks for 240 in each of 256 threads; lower one of them}}
tile.kernel @budgets {
  tile.role "load" warps 1 registers 40 {
  }
  tile.role "math" warps 8 registers 240 {
  }
}

// -----

tile.kernel @tile_of_two_roles {
  // expected-error@+1 {{role 'math' and role 'store' share this tile, and 'math' is run by several groups of warps, each with its own: pass data between them through a pipeline}}
  %a = tile.alloc : !tile.shared<8x64xbf16>
  tile.role "math" warps 4 instances 2 {
    %f = arith.constant dense<0.0> : tensor<8x64xbf16>
    tile.write %f to %a : tensor<8x64xbf16>, !tile.shared<8x64xbf16>
  }
  tile.role "store" warps 1 {
    %f = tile.read %a : !tile.shared<8x64xbf16> -> tensor<8x64xbf16>
  }
}

// -----

tile.kernel @tile_of_three_roles {
  // expected-error@+1 {{role 'math' and role 'read' share this tile, and 'math' is run by several groups of warps, each with its own: pass data between them through a pipeline}}
  %a = tile.alloc : !tile.shared<8x64xbf16>
  tile.role "math" warps 4 instances 2 {
    %f = arith.constant dense<0.0> : tensor<8x64xbf16>
    tile.write %f to %a : tensor<8x64xbf16>, !tile.shared<8x64xbf16>
  }
  tile.role "store" warps 1 {
    %f = tile.read %a : !tile.shared<8x64xbf16> -> tensor<8x64xbf16>
  }
  tile.role "read" warps 1 {
    %f = tile.read %a : !tile.shared<8x64xbf16> -> tensor<8x64xbf16>
  }
}

// -----

tile.kernel @copies_of_a_tile {
  // expected-error@+1 {{kernel 'copies_of_a_tile' needs 245776 bytes of shared memory, 13328 over the limit of 232448: this tile takes 245760 of them; use smaller shared tiles}}
  %a = tile.alloc : !tile.shared<256x240xbf16>
  tile.role "math" warps 4 instances 2 {
    %f = tile.read %a : !tile.shared<256x240xbf16> -> tensor<256x240xbf16>
  }
}

// -----

// expected-error@+1 {{the register budgets of kernel 'budgets_of_instances' add up to 66560, 2048 over the 64512 that its 384 threads start with (168 each): 'load' asks for 40 in each of 128 threads; 'math' asks for 240 in each of 256 threads; lower one of them}}
tile.kernel @budgets_of_instances {
  tile.role "load" warps 1 registers 40 {
  }
  tile.role "math" warps 4 instances 2 registers 240 {
  }
}
