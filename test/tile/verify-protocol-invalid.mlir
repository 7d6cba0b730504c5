// RUN: ashlar-opt %s --tile-verify-protocol --split-input-file --verify-diagnostics

!smem = !tile.shared<64x64xbf16>
!ring = !tile.pipeline<2, [!smem, !smem]>
!A = !tile.tensor<bf16, 2>

tile.kernel @used_after_release {
  %M = tile.size "M"
  %A = tile.tensor "A" input [%M, %M] align 16 : !A
  %ring = tile.pipeline : !ring
  tile.role "load" warps 1 {
    %c0 = arith.constant 0 : index
    %s = tile.acquire %ring : !ring
    %a = tile.buffer %s[0] : !smem
    tile.copy %A[%c0, %c0] to %a : !A, !smem
    tile.commit %ring, %s : !ring
  }
  tile.role "math" warps 4 {
    %s = tile.wait %ring : !ring
    %a = tile.buffer %s[0] : !smem
    // expected-note@+1 {{released here}}
    tile.release %ring, %s : !ring
    // expected-error@+1 {{this reads a stage that has been released: move the release behind its last use}}
    %f = tile.read %a : !smem -> tensor<64x64xbf16>
  }
}

// -----

!smem = !tile.shared<64x64xbf16>
!ring = !tile.pipeline<2, [!smem, !smem]>
!A = !tile.tensor<bf16, 2>

tile.kernel @multiplied_after_release {
  %M = tile.size "M"
  %A = tile.tensor "A" input [%M, %M] align 16 : !A
  %ring = tile.pipeline : !ring
  tile.role "load" warps 1 {
    %c0 = arith.constant 0 : index
    %s = tile.acquire %ring : !ring
    %a = tile.buffer %s[0] : !smem
    tile.copy %A[%c0, %c0] to %a : !A, !smem
    tile.commit %ring, %s : !ring
  }
  tile.role "math" warps 4 {
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %s = tile.wait %ring : !ring
    %a = tile.buffer %s[0] : !smem
    // expected-note@+1 {{released here}}
    tile.release %ring, %s : !ring
    // expected-error@+1 {{this reads a stage that has been released: move the release behind its last use}}
    %f = tile.mma %a, %a transposed, %zero : !smem, !smem, tensor<64x64xf32>
  }
}

// -----

!smem = !tile.shared<64x64xbf16>
!ring = !tile.pipeline<2, [!smem, !smem]>
!A = !tile.tensor<bf16, 2>

tile.kernel @copied_after_commit {
  %M = tile.size "M"
  %A = tile.tensor "A" input [%M, %M] align 16 : !A
  %ring = tile.pipeline : !ring
  tile.role "load" warps 1 {
    %c0 = arith.constant 0 : index
    %s = tile.acquire %ring : !ring
    %a = tile.buffer %s[0] : !smem
    // expected-note@+1 {{committed here}}
    tile.commit %ring, %s : !ring
    // expected-error@+1 {{this writes into a stage that has been committed: move the commit behind its last use}}
    tile.copy %A[%c0, %c0] to %a : !A, !smem
  }
  tile.role "drain" warps 4 {
    %s = tile.wait %ring : !ring
    tile.release %ring, %s : !ring
  }
}

// -----

!smem = !tile.shared<64x64xbf16>
!ring = !tile.pipeline<2, [!smem, !smem]>
!A = !tile.tensor<bf16, 2>

tile.kernel @released_twice {
  %M = tile.size "M"
  %A = tile.tensor "A" input [%M, %M] align 16 : !A
  %ring = tile.pipeline : !ring
  tile.role "load" warps 1 {
    %c0 = arith.constant 0 : index
    %s = tile.acquire %ring : !ring
    %a = tile.buffer %s[0] : !smem
    tile.copy %A[%c0, %c0] to %a : !A, !smem
    tile.commit %ring, %s : !ring
  }
  tile.role "math" warps 4 {
    %s = tile.wait %ring : !ring
    // expected-note@+1 {{released here}}
    tile.release %ring, %s : !ring
    // expected-error@+1 {{this releases a stage that has been released already: remove one of the two}}
    tile.release %ring, %s : !ring
  }
}

// -----

!smem = !tile.shared<64x64xbf16>
!ring = !tile.pipeline<2, [!smem, !smem]>
!A = !tile.tensor<bf16, 2>

tile.kernel @committed_twice {
  %M = tile.size "M"
  %A = tile.tensor "A" input [%M, %M] align 16 : !A
  %ring = tile.pipeline : !ring
  tile.role "load" warps 1 {
    %s = tile.acquire %ring : !ring
    // expected-note@+1 {{committed here}}
    tile.commit %ring, %s : !ring
    // expected-error@+1 {{this commits a stage that has been committed already: remove one of the two}}
    tile.commit %ring, %s : !ring
  }
  tile.role "drain" warps 4 {
    %s = tile.wait %ring : !ring
    tile.release %ring, %s : !ring
  }
}

// -----

!smem = !tile.shared<64x64xbf16>
!ring = !tile.pipeline<2, [!smem, !smem]>
!A = !tile.tensor<bf16, 2>

tile.kernel @committed_in_one_arm {
  %M = tile.size "M"
  %A = tile.tensor "A" input [%M, %M] align 16 : !A
  %ring = tile.pipeline : !ring
  tile.role "load" warps 1 {
    %c0 = arith.constant 0 : index
    %empty = arith.cmpi eq, %M, %c0 : index
    // expected-error@+1 {{the stage acquired here is committed on one path and not on the other: commit it on both, or behind the conditional}}
    %s = tile.acquire %ring : !ring
    scf.if %empty {
      // expected-note@+1 {{committed only where the condition is true}}
      tile.commit %ring, %s : !ring
    }
  }
  tile.role "drain" warps 4 {
    %s = tile.wait %ring : !ring
    tile.release %ring, %s : !ring
  }
}

// -----

!smem = !tile.shared<64x64xbf16>
!ring = !tile.pipeline<2, [!smem, !smem]>
!A = !tile.tensor<bf16, 2>

tile.kernel @released_in_the_other_arm {
  %M = tile.size "M"
  %A = tile.tensor "A" input [%M, %M] align 16 : !A
  %ring = tile.pipeline : !ring
  tile.role "load" warps 1 {
    %c0 = arith.constant 0 : index
    %s = tile.acquire %ring : !ring
    %a = tile.buffer %s[0] : !smem
    tile.copy %A[%c0, %c0] to %a : !A, !smem
    tile.commit %ring, %s : !ring
  }
  tile.role "math" warps 4 {
    %c0 = arith.constant 0 : index
    %empty = arith.cmpi eq, %M, %c0 : index
    // expected-error@+1 {{the stage waited for here is released on one path and not on the other: release it on both, or behind the conditional}}
    %s = tile.wait %ring : !ring
    scf.if %empty {
    } else {
      // expected-note@+1 {{released only where the condition is false}}
      tile.release %ring, %s : !ring
    }
  }
}

// -----

!smem = !tile.shared<64x64xbf16>
!ring = !tile.pipeline<2, [!smem, !smem]>
!A = !tile.tensor<bf16, 2>

tile.kernel @not_committed_in_a_loop {
  %M = tile.size "M"
  %A = tile.tensor "A" input [%M, %M] align 16 : !A
  %ring = tile.pipeline : !ring
  tile.role "load" warps 1 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %k = %c0 to %M step %c1 {
      // expected-error@+1 {{the stage acquired here is not committed by the end of the loop body: add a commit behind its last use}}
      %s = tile.acquire %ring : !ring
      %a = tile.buffer %s[0] : !smem
      tile.copy %A[%c0, %k] to %a : !A, !smem
    }
    %t = tile.acquire %ring : !ring
    tile.commit %ring, %t : !ring
  }
  tile.role "drain" warps 4 {
    %s = tile.wait %ring : !ring
    tile.release %ring, %s : !ring
  }
}

// -----

!smem = !tile.shared<64x64xbf16>
!ring = !tile.pipeline<2, [!smem, !smem]>
!A = !tile.tensor<bf16, 2>

tile.kernel @not_released_in_a_branch {
  %M = tile.size "M"
  %A = tile.tensor "A" input [%M, %M] align 16 : !A
  %ring = tile.pipeline : !ring
  tile.role "load" warps 1 {
    %c0 = arith.constant 0 : index
    %s = tile.acquire %ring : !ring
    %a = tile.buffer %s[0] : !smem
    tile.copy %A[%c0, %c0] to %a : !A, !smem
    tile.commit %ring, %s : !ring
  }
  tile.role "math" warps 4 {
    %c0 = arith.constant 0 : index
    %empty = arith.cmpi eq, %M, %c0 : index
    scf.if %empty {
      // expected-error@+1 {{the stage waited for here is not released by the end of this branch: add a release behind its last use}}
      %t = tile.wait %ring : !ring
    }
    %s = tile.wait %ring : !ring
    tile.release %ring, %s : !ring
  }
}

// -----

!smem = !tile.shared<64x64xbf16>
!ring = !tile.pipeline<2, [!smem, !smem]>
!A = !tile.tensor<bf16, 2>

tile.kernel @not_released_by_the_role {
  %M = tile.size "M"
  %A = tile.tensor "A" input [%M, %M] align 16 : !A
  %ring = tile.pipeline : !ring
  tile.role "load" warps 1 {
    %c0 = arith.constant 0 : index
    %s = tile.acquire %ring : !ring
    %a = tile.buffer %s[0] : !smem
    tile.copy %A[%c0, %c0] to %a : !A, !smem
    tile.commit %ring, %s : !ring
  }
  tile.role "math" warps 4 {
    %s = tile.wait %ring : !ring
    tile.release %ring, %s : !ring
    // expected-error@+1 {{the stage waited for here is not released by the end of the role: add a release behind its last use}}
    %t = tile.wait %ring : !ring
  }
}

// -----

!smem = !tile.shared<64x64xbf16>
!ring = !tile.pipeline<2, [!smem, !smem]>
!A = !tile.tensor<bf16, 2>

tile.kernel @released_in_a_loop {
  %M = tile.size "M"
  %A = tile.tensor "A" input [%M, %M] align 16 : !A
  %ring = tile.pipeline : !ring
  tile.role "load" warps 1 {
    %c0 = arith.constant 0 : index
    %s = tile.acquire %ring : !ring
    %a = tile.buffer %s[0] : !smem
    tile.copy %A[%c0, %c0] to %a : !A, !smem
    tile.commit %ring, %s : !ring
  }
  tile.role "math" warps 4 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // expected-note@+1 {{waited for here}}
    %s = tile.wait %ring : !ring
    scf.for %k = %c0 to %M step %c1 {
      // expected-error@+1 {{this release stands in a loop and would be repeated, but its stage was waited for outside: move both into the loop or both out of it}}
      tile.release %ring, %s : !ring
    }
  }
}

// -----

!smem = !tile.shared<64x64xbf16>
!ring = !tile.pipeline<2, [!smem, !smem]>
!A = !tile.tensor<bf16, 2>

tile.kernel @commit_of_a_wait {
  %M = tile.size "M"
  %A = tile.tensor "A" input [%M, %M] align 16 : !A
  %ring = tile.pipeline : !ring
  tile.role "load" warps 1 {
    %c0 = arith.constant 0 : index
    %s = tile.acquire %ring : !ring
    %a = tile.buffer %s[0] : !smem
    tile.copy %A[%c0, %c0] to %a : !A, !smem
    tile.commit %ring, %s : !ring
  }
  tile.role "math" warps 4 {
    // expected-note@+1 {{waited for here}}
    %s = tile.wait %ring : !ring
    // expected-error@+1 {{this commits a stage that was waited for: use release}}
    tile.commit %ring, %s : !ring
    %t = tile.wait %ring : !ring
    tile.release %ring, %t : !ring
  }
}

// -----

!smem = !tile.shared<64x64xbf16>
!ring = !tile.pipeline<2, [!smem, !smem]>
!A = !tile.tensor<bf16, 2>

tile.kernel @release_of_an_acquire {
  %M = tile.size "M"
  %A = tile.tensor "A" input [%M, %M] align 16 : !A
  %ring = tile.pipeline : !ring
  tile.role "load" warps 1 {
    %c0 = arith.constant 0 : index
    %s = tile.acquire %ring : !ring
    %a = tile.buffer %s[0] : !smem
    tile.copy %A[%c0, %c0] to %a : !A, !smem
    tile.commit %ring, %s : !ring
  }
  tile.role "drain" warps 4 {
    %s = tile.wait %ring : !ring
    tile.release %ring, %s : !ring
  }
  tile.role "more" warps 1 {
    // expected-note@+1 {{acquired here}}
    %s = tile.acquire %ring : !ring
    // expected-error@+1 {{this releases a stage that was acquired: use commit}}
    tile.release %ring, %s : !ring
  }
}

// -----

!smem = !tile.shared<64x64xbf16>
!ring = !tile.pipeline<2, [!smem, !smem]>
!A = !tile.tensor<bf16, 2>

tile.kernel @copy_into_a_waited_stage {
  %M = tile.size "M"
  %A = tile.tensor "A" input [%M, %M] align 16 : !A
  %ring = tile.pipeline : !ring
  tile.role "load" warps 1 {
    %c0 = arith.constant 0 : index
    %s = tile.acquire %ring : !ring
    %a = tile.buffer %s[0] : !smem
    tile.copy %A[%c0, %c0] to %a : !A, !smem
    tile.commit %ring, %s : !ring
  }
  tile.role "math" warps 4 {
    %c0 = arith.constant 0 : index
    // expected-note@+1 {{waited for here}}
    %s = tile.wait %ring : !ring
    %a = tile.buffer %s[0] : !smem
    // expected-error@+1 {{this copies into a stage that was waited for, and copies complete where a producer commits: copy into a stage from acquire, or store a fragment}}
    tile.copy %A[%c0, %c0] to %a : !A, !smem
    tile.release %ring, %s : !ring
  }
}

// -----

!smem = !tile.shared<64x64xbf16>
!ring = !tile.pipeline<2, [!smem, !smem]>

tile.kernel @reused_by_two_roles {
  %ring = tile.pipeline : !ring
  tile.role "load" warps 1 {
    %s = tile.acquire %ring : !ring
    tile.commit %ring, %s : !ring
  }
  tile.role "drain" warps 1 {
    %s = tile.wait %ring : !ring
    tile.release %ring, %s : !ring
  }
  tile.role "math" warps 4 {
    %zero = arith.constant dense<0.0> : tensor<64x64xbf16>
    // expected-note@+1 {{waited for here}}
    %s = tile.wait %ring : !ring
    %a = tile.buffer %s[0] : !smem
    // expected-error@+1 {{this writes into a stage that was waited for, and other roles wait for it too: a stage is rewritten only where one role drains the pipeline, or fills another one that the others drain}}
    tile.write %zero to %a : tensor<64x64xbf16>, !smem
    tile.release %ring, %s : !ring
  }
}

// -----

!smem = !tile.shared<64x64xbf16>
!ring = !tile.pipeline<2, [!smem, !smem]>
!D = !tile.tensor<bf16, 2>

tile.kernel @reused_stage_used_after_release {
  %M = tile.size "M"
  %D = tile.tensor "D" output [%M, %M] align 16 : !D
  %ring = tile.pipeline : !ring
  tile.role "load" warps 1 {
    %s = tile.acquire %ring : !ring
    tile.commit %ring, %s : !ring
  }
  tile.role "math" warps 4 {
    %c0 = arith.constant 0 : index
    %zero = arith.constant dense<0.0> : tensor<64x64xf16>
    %s = tile.wait %ring : !ring
    %a = tile.buffer %s[0] : !smem
    %view = tile.view %a number 0 : !smem -> !tile.shared<64x64xf16>
    // expected-note@+1 {{released here}}
    tile.release %ring, %s : !ring
    // expected-error@+1 {{this writes into a stage that has been released: move the release behind its last use}}
    tile.write %zero to %view : tensor<64x64xf16>, !tile.shared<64x64xf16>
  }
}

// -----

!smem = !tile.shared<64x64xbf16>
!ring = !tile.pipeline<2, [!smem, !smem]>
!A = !tile.tensor<bf16, 2>

tile.kernel @mma_of_an_acquired_stage {
  %M = tile.size "M"
  %A = tile.tensor "A" input [%M, %M] align 16 : !A
  %ring = tile.pipeline : !ring
  tile.role "drain" warps 4 {
    %s = tile.wait %ring : !ring
    tile.release %ring, %s : !ring
  }
  tile.role "math" warps 4 {
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    // expected-note@+1 {{acquired here}}
    %s = tile.acquire %ring : !ring
    %a = tile.buffer %s[0] : !smem
    // expected-error@+1 {{this reads a stage that was acquired, which is not full yet: read a stage from wait}}
    %f = tile.mma %a, %a transposed, %zero : !smem, !smem, tensor<64x64xf32>
    tile.commit %ring, %s : !ring
  }
}

// -----

!smem = !tile.shared<64x64xbf16>
!ring = !tile.pipeline<2, [!smem, !smem]>
!A = !tile.tensor<bf16, 2>

tile.kernel @copy_out_of_an_acquired_stage {
  %M = tile.size "M"
  %A = tile.tensor "A" inout [%M, %M] align 16 : !A
  %ring = tile.pipeline : !ring
  tile.role "drain" warps 4 {
    %s = tile.wait %ring : !ring
    tile.release %ring, %s : !ring
  }
  tile.role "store" warps 1 {
    %c0 = arith.constant 0 : index
    // expected-note@+1 {{acquired here}}
    %s = tile.acquire %ring : !ring
    %a = tile.buffer %s[0] : !smem
    // expected-error@+1 {{this reads a stage that was acquired, which is not full yet: read a stage from wait}}
    tile.copy_out %a to %A[%c0, %c0] : !smem, !A
    tile.commit %ring, %s : !ring
  }
}

// -----

!smem = !tile.shared<64x64xbf16>
!ring = !tile.pipeline<2, [!smem, !smem]>
!A = !tile.tensor<bf16, 2>

tile.kernel @nobody_fills {
  %M = tile.size "M"
  %A = tile.tensor "A" input [%M, %M] align 16 : !A
  // expected-error@+1 {{no role commits a stage of this pipeline, so nothing ever arrives: fill it with acquire, copy and commit, or remove it}}
  %ring = tile.pipeline : !ring
  tile.role "drain" warps 4 {
    %s = tile.wait %ring : !ring
    tile.release %ring, %s : !ring
  }
}

// -----

!smem = !tile.shared<64x64xbf16>
!ring = !tile.pipeline<2, [!smem, !smem]>
!A = !tile.tensor<bf16, 2>

tile.kernel @nobody_drains {
  %M = tile.size "M"
  %A = tile.tensor "A" input [%M, %M] align 16 : !A
  // expected-error@+1 {{no role releases a stage of this pipeline, so its producer stops after 2 stages: drain it with wait and release, or remove it}}
  %ring = tile.pipeline : !ring
  tile.role "load" warps 1 {
    %c0 = arith.constant 0 : index
    %s = tile.acquire %ring : !ring
    %a = tile.buffer %s[0] : !smem
    tile.copy %A[%c0, %c0] to %a : !A, !smem
    tile.commit %ring, %s : !ring
  }
}

// -----

!smem = !tile.shared<64x64xbf16>
!ring = !tile.pipeline<2, [!smem, !smem]>
!A = !tile.tensor<bf16, 2>

tile.kernel @waits_for_itself {
  %M = tile.size "M"
  %A = tile.tensor "A" input [%M, %M] align 16 : !A
  // expected-note@+1 {{the pipeline is declared here}}
  %ring = tile.pipeline : !ring
  tile.role "all" warps 4 {
    %c0 = arith.constant 0 : index
    // expected-error@+1 {{role 'all' waits for a stage of the pipeline that only it fills, before it has filled one: commit a stage before this wait}}
    %t = tile.wait %ring : !ring
    tile.release %ring, %t : !ring
    %s = tile.acquire %ring : !ring
    %a = tile.buffer %s[0] : !smem
    tile.copy %A[%c0, %c0] to %a : !A, !smem
    tile.commit %ring, %s : !ring
  }
}

// -----

!smem = !tile.shared<64x64xbf16>
!ring = !tile.pipeline<2, [!smem, !smem]>
!A = !tile.tensor<bf16, 2>

tile.kernel @waits_for_more_than_it_filled {
  %M = tile.size "M"
  %A = tile.tensor "A" input [%M, %M] align 16 : !A
  // expected-note@+1 {{the pipeline is declared here}}
  %ring = tile.pipeline : !ring
  tile.role "all" warps 4 {
    %c0 = arith.constant 0 : index
    %s = tile.acquire %ring : !ring
    tile.commit %ring, %s : !ring
    %t = tile.wait %ring : !ring
    tile.release %ring, %t : !ring
    // expected-error@+1 {{role 'all' waits for a stage of the pipeline that only it fills, before it has filled one: commit a stage before this wait}}
    %u = tile.wait %ring : !ring
    tile.release %ring, %u : !ring
  }
}

// -----

!smem = !tile.shared<64x64xbf16>
!ring = !tile.pipeline<2, [!smem, !smem]>
!A = !tile.tensor<bf16, 2>

tile.kernel @holds_more_than_there_are {
  %M = tile.size "M"
  %A = tile.tensor "A" input [%M, %M] align 16 : !A
  // expected-note@+1 {{the pipeline is declared here}}
  %ring = tile.pipeline : !ring
  tile.role "drain" warps 4 {
    %s = tile.wait %ring : !ring
    tile.release %ring, %s : !ring
  }
  tile.role "load" warps 1 {
    %s0 = tile.acquire %ring : !ring
    %s1 = tile.acquire %ring : !ring
    // expected-error@+1 {{role 'load' holds all 2 stages of the pipeline and waits for another: commit one first, or give the pipeline more stages}}
    %s2 = tile.acquire %ring : !ring
    tile.commit %ring, %s0 : !ring
    tile.commit %ring, %s1 : !ring
    tile.commit %ring, %s2 : !ring
  }
}

// -----

!smem = !tile.shared<64x64xbf16>
!ring = !tile.pipeline<2, [!smem, !smem]>
!A = !tile.tensor<bf16, 2>

tile.kernel @waits_for_more_than_there_are {
  %M = tile.size "M"
  %A = tile.tensor "A" input [%M, %M] align 16 : !A
  // expected-note@+1 {{the pipeline is declared here}}
  %ring = tile.pipeline : !ring
  tile.role "load" warps 1 {
    %c0 = arith.constant 0 : index
    %s = tile.acquire %ring : !ring
    %a = tile.buffer %s[0] : !smem
    tile.copy %A[%c0, %c0] to %a : !A, !smem
    tile.commit %ring, %s : !ring
  }
  tile.role "math" warps 4 {
    %s0 = tile.wait %ring : !ring
    %s1 = tile.wait %ring : !ring
    // expected-error@+1 {{role 'math' holds all 2 stages of the pipeline and waits for another: release one first, or give the pipeline more stages}}
    %s2 = tile.wait %ring : !ring
    tile.release %ring, %s0 : !ring
    tile.release %ring, %s1 : !ring
    tile.release %ring, %s2 : !ring
  }
}

// -----

!smem = !tile.shared<64x64xbf16>
!ring = !tile.pipeline<2, [!smem, !smem]>
!A = !tile.tensor<bf16, 2>

tile.kernel @fills_what_only_it_drains {
  %M = tile.size "M"
  %A = tile.tensor "A" input [%M, %M] align 16 : !A
  // expected-note@+1 {{the pipeline is declared here}}
  %ring = tile.pipeline : !ring
  tile.role "all" warps 4 {
    %s0 = tile.acquire %ring : !ring
    tile.commit %ring, %s0 : !ring
    %s1 = tile.acquire %ring : !ring
    tile.commit %ring, %s1 : !ring
    // expected-error@+1 {{role 'all' acquires a stage of the pipeline that only it drains, when all 2 are taken: release one first, or give the pipeline more stages}}
    %s2 = tile.acquire %ring : !ring
    tile.commit %ring, %s2 : !ring
    %t = tile.wait %ring : !ring
    tile.release %ring, %t : !ring
  }
}

// -----

!smem = !tile.shared<64x64xbf16>
!ring = !tile.pipeline<2, [!smem, !smem]>
!A = !tile.tensor<bf16, 2>

tile.kernel @fills_in_a_loop_what_only_it_drains {
  %M = tile.size "M"
  %A = tile.tensor "A" input [%M, %M] align 16 : !A
  // expected-note@+1 {{the pipeline is declared here}}
  %ring = tile.pipeline : !ring
  tile.role "all" warps 4 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    // expected-error@+1 {{this loop acquires more than the 2 stages of a pipeline that only role 'all' drains, and releases none: release in the loop, or give the pipeline more stages}}
    scf.for %k = %c0 to %c3 step %c1 {
      %s = tile.acquire %ring : !ring
      tile.commit %ring, %s : !ring
    }
    scf.for %k = %c0 to %c3 step %c1 {
      %t = tile.wait %ring : !ring
      tile.release %ring, %t : !ring
    }
  }
}

// -----

!smem = !tile.shared<64x64xbf16>
!ring = !tile.pipeline<2, [!smem, !smem]>
!A = !tile.tensor<bf16, 2>

tile.kernel @commit_to_another_pipeline {
  %M = tile.size "M"
  %A = tile.tensor "A" input [%M, %M] align 16 : !A
  %ring = tile.pipeline : !ring
  %other = tile.pipeline : !ring
  tile.role "load" warps 1 {
    %c0 = arith.constant 0 : index
    %s = tile.acquire %ring : !ring
    %a = tile.buffer %s[0] : !smem
    tile.copy %A[%c0, %c0] to %a : !A, !smem
    tile.commit %ring, %s : !ring
  }
  tile.role "drain" warps 4 {
    %s = tile.wait %ring : !ring
    tile.release %ring, %s : !ring
  }
  tile.role "load more" warps 1 {
    // expected-note@+1 {{acquired here}}
    %s = tile.acquire %ring : !ring
    // expected-error@+1 {{this commits a stage of another pipeline: commit it to the pipeline it came from}}
    tile.commit %other, %s : !ring
  }
  tile.role "drain more" warps 1 {
    %s = tile.wait %other : !ring
    tile.release %other, %s : !ring
  }
}

// -----

!smem = !tile.shared<64x64xbf16>
!ring = !tile.pipeline<2, [!smem, !smem]>
!A = !tile.tensor<bf16, 2>

tile.kernel @release_to_another_pipeline {
  %M = tile.size "M"
  %A = tile.tensor "A" input [%M, %M] align 16 : !A
  %ring = tile.pipeline : !ring
  %other = tile.pipeline : !ring
  tile.role "load" warps 1 {
    %c0 = arith.constant 0 : index
    %s = tile.acquire %ring : !ring
    %a = tile.buffer %s[0] : !smem
    tile.copy %A[%c0, %c0] to %a : !A, !smem
    tile.commit %ring, %s : !ring
  }
  tile.role "drain" warps 4 {
    %s = tile.wait %ring : !ring
    tile.release %ring, %s : !ring
  }
  tile.role "load more" warps 1 {
    %s = tile.acquire %other : !ring
    tile.commit %other, %s : !ring
  }
  tile.role "drain more" warps 1 {
    // expected-note@+1 {{waited for here}}
    %s = tile.wait %ring : !ring
    // expected-error@+1 {{this releases a stage of another pipeline: release it to the pipeline it came from}}
    tile.release %other, %s : !ring
  }
}

// -----

!smem = !tile.shared<64x64xbf16>
!ring = !tile.pipeline<2, [!smem, !smem]>
!A = !tile.tensor<bf16, 2>

tile.kernel @tried_and_used_unguarded {
  %M = tile.size "M"
  %A = tile.tensor "A" input [%M, %M] align 16 : !A
  %ring = tile.pipeline : !ring
  tile.role "load" warps 1 {
    %c0 = arith.constant 0 : index
    // expected-note@+1 {{readiness is tested here}}
    %ready, %s = tile.try_acquire %ring : !ring
    %a = tile.buffer %s[0] : !smem
    // expected-error@+1 {{this writes into a stage that may not be ready: do it under when(ready)}}
    tile.copy %A[%c0, %c0] to %a : !A, !smem
    scf.if %ready {
      tile.commit %ring, %s : !ring
    }
  }
  tile.role "drain" warps 4 {
    %s = tile.wait %ring : !ring
    tile.release %ring, %s : !ring
  }
}

// -----

!smem = !tile.shared<64x64xbf16>
!ring = !tile.pipeline<2, [!smem, !smem]>
!A = !tile.tensor<bf16, 2>

tile.kernel @tried_and_used_where_it_is_not_ready {
  %M = tile.size "M"
  %A = tile.tensor "A" input [%M, %M] align 16 : !A
  %ring = tile.pipeline : !ring
  tile.role "load" warps 1 {
    %c0 = arith.constant 0 : index
    %s = tile.acquire %ring : !ring
    %a = tile.buffer %s[0] : !smem
    tile.copy %A[%c0, %c0] to %a : !A, !smem
    tile.commit %ring, %s : !ring
  }
  tile.role "math" warps 4 {
    // expected-note@+1 {{readiness is tested here}}
    %ready, %s = tile.try_wait %ring : !ring
    scf.if %ready {
    } else {
      // expected-error@+1 {{this releases a stage that may not be ready: do it under when(ready)}}
      tile.release %ring, %s : !ring
    }
  }
}

// -----

!smem = !tile.shared<64x64xbf16>
!ring = !tile.pipeline<2, [!smem, !smem]>
!A = !tile.tensor<bf16, 2>

tile.kernel @tried_or_used {
  %M = tile.size "M"
  %A = tile.tensor "A" input [%M, %M] align 16 : !A
  %ring = tile.pipeline : !ring
  tile.role "load" warps 1 {
    %c0 = arith.constant 0 : index
    %s = tile.acquire %ring : !ring
    %a = tile.buffer %s[0] : !smem
    tile.copy %A[%c0, %c0] to %a : !A, !smem
    tile.commit %ring, %s : !ring
  }
  tile.role "math" warps 4 {
    %c0 = arith.constant 0 : index
    %empty = arith.cmpi eq, %M, %c0 : index
    // expected-note@+1 {{readiness is tested here}}
    %ready, %s = tile.try_wait %ring : !ring
    %either = arith.ori %ready, %empty : i1
    scf.if %either {
      // expected-error@+1 {{this releases a stage that may not be ready: do it under when(ready)}}
      tile.release %ring, %s : !ring
    }
  }
}

// -----

!smem = !tile.shared<64x64xbf16>
!ring = !tile.pipeline<2, [!smem, !smem]>
!A = !tile.tensor<bf16, 2>

tile.kernel @tried_and_kept {
  %M = tile.size "M"
  %A = tile.tensor "A" input [%M, %M] align 16 : !A
  %ring = tile.pipeline : !ring
  tile.role "load" warps 1 {
    %c0 = arith.constant 0 : index
    %s = tile.acquire %ring : !ring
    %a = tile.buffer %s[0] : !smem
    tile.copy %A[%c0, %c0] to %a : !A, !smem
    tile.commit %ring, %s : !ring
  }
  tile.role "math" warps 4 {
    // expected-error@+1 {{the stage waited for here is not released where it is ready by the end of the role: add a release behind its last use}}
    %ready, %s = tile.try_wait %ring : !ring
    scf.if %ready {
      %a = tile.buffer %s[0] : !smem
      %f = tile.read %a : !smem -> tensor<64x64xbf16>
    }
    %t = tile.wait %ring : !ring
    tile.release %ring, %t : !ring
  }
}

// -----

!smem = !tile.shared<64x64xbf16>
!ring = !tile.pipeline<2, [!smem, !smem]>
!A = !tile.tensor<bf16, 2>

tile.kernel @reads_what_nobody_writes {
  %M = tile.size "M"
  %A = tile.tensor "A" input [%M, %M] align 16 : !A
  // expected-note@+1 {{the pipeline is declared here}}
  %ring = tile.pipeline : !ring
  tile.role "load" warps 1 {
    %c0 = arith.constant 0 : index
    %s = tile.acquire %ring : !ring
    %a = tile.buffer %s[0] : !smem
    tile.copy %A[%c0, %c0] to %a : !A, !smem
    tile.commit %ring, %s : !ring
  }
  tile.role "math" warps 4 {
    %s = tile.wait %ring : !ring
    %b = tile.buffer %s[1] : !smem
    // expected-error@+1 {{this reads tile 1 of a stage, which no role writes: copy or write it between acquire and commit}}
    %f = tile.read %b : !smem -> tensor<64x64xbf16>
    tile.release %ring, %s : !ring
  }
}

// -----

!smem = !tile.shared<64x64xbf16>
!ring = !tile.pipeline<2, [!smem, !smem]>
!A = !tile.tensor<bf16, 2>

// A loop carries a stage from iteration to iteration as it is.
tile.kernel @stage_from_a_loop {
  %M = tile.size "M"
  %A = tile.tensor "A" input [%M, %M] align 16 : !A
  %ring = tile.pipeline : !ring
  tile.role "load" warps 1 {
    %c0 = arith.constant 0 : index
    %s = tile.acquire %ring : !ring
    %a = tile.buffer %s[0] : !smem
    tile.copy %A[%c0, %c0] to %a : !A, !smem
    tile.commit %ring, %s : !ring
  }
  tile.role "math" warps 4 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // expected-error@+1 {{before the loop the variable of the stage waited for here is not released, and at the end of its body it is: release it on both ways, or on neither}}
    %s = tile.wait %ring : !ring
    // expected-note@+1 {{the two ways meet here}}
    scf.for %k = %c0 to %M step %c1 iter_args(%t = %s) -> !tile.stage {
      tile.release %ring, %t : !ring
      scf.yield %t : !tile.stage
    }
  }
}

// -----

!smem = !tile.shared<128x64xbf16>
!ring = !tile.pipeline<3, [!smem]>

tile.kernel @carried_and_released {
  %ring = tile.pipeline : !ring
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  tile.role "load" warps 1 {
    scf.for %i = %c0 to %c8 step %c1 {
      %s = tile.acquire %ring : !ring
      tile.commit %ring, %s : !ring
    }
  }
  tile.role "math" warps 4 {
    %first = tile.wait %ring : !ring
    // expected-note@+1 {{the other variable carries it from here on}}
    %last = scf.for %i = %c1 to %c8 step %c1 iter_args(%before = %first) -> !tile.stage {
      %s = tile.wait %ring : !ring
      tile.release %ring, %before : !ring
      scf.yield %s : !tile.stage
    }
    // expected-error@+1 {{this releases a stage that has been assigned to another variable, and is that one's alone since then: use that one}}
    tile.release %ring, %first : !ring
    tile.release %ring, %last : !ring
  }
}

// -----

!smem = !tile.shared<128x64xbf16>
!ring = !tile.pipeline<3, [!smem]>

tile.kernel @carried_twice {
  %ring = tile.pipeline : !ring
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  tile.role "load" warps 1 {
    scf.for %i = %c0 to %c8 step %c1 {
      %s = tile.acquire %ring : !ring
      tile.commit %ring, %s : !ring
    }
  }
  tile.role "math" warps 4 {
    %first = tile.wait %ring : !ring
    // expected-error@+2 {{this carries a stage that has been assigned to another variable}}
    // expected-note@+1 {{the other variable carries it from here on}}
    %last:2 = scf.for %i = %c1 to %c8 step %c1 iter_args(%a = %first, %b = %first) -> (!tile.stage, !tile.stage) {
      scf.yield %a, %b : !tile.stage, !tile.stage
    }
    tile.release %ring, %last#0 : !ring
  }
}

// -----

!smem = !tile.shared<128x64xbf16>
!ring = !tile.pipeline<3, [!smem]>

tile.kernel @carried_and_lost {
  %ring = tile.pipeline : !ring
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  tile.role "load" warps 1 {
    scf.for %i = %c0 to %c8 step %c1 {
      %s = tile.acquire %ring : !ring
      tile.commit %ring, %s : !ring
    }
  }
  tile.role "math" warps 4 {
    // expected-error@+1 {{the stage waited for here is not released by the end of the loop body}}
    %first = tile.wait %ring : !ring
    %last = scf.for %i = %c1 to %c8 step %c1 iter_args(%before = %first) -> !tile.stage {
      %s = tile.wait %ring : !ring
      scf.yield %s : !tile.stage
    }
    tile.release %ring, %last : !ring
  }
}

// -----

!smem = !tile.shared<128x64xbf16>
!ring = !tile.pipeline<3, [!smem]>

tile.kernel @carried_from_before {
  %ring = tile.pipeline : !ring
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  tile.role "load" warps 1 {
    scf.for %i = %c0 to %c8 step %c1 {
      %s = tile.acquire %ring : !ring
      tile.commit %ring, %s : !ring
    }
  }
  tile.role "math" warps 4 {
    %first = tile.wait %ring : !ring
    // expected-error@+1 {{the stage waited for here is assigned in a loop, again in each iteration}}
    %other = tile.wait %ring : !ring
    %last = scf.for %i = %c1 to %c8 step %c1 iter_args(%before = %first) -> !tile.stage {
      tile.release %ring, %before : !ring
      // expected-note@+1 {{the loop is here}}
      scf.yield %other : !tile.stage
    }
    tile.release %ring, %last : !ring
  }
}

// -----

!smem = !tile.shared<128x64xbf16>
!ring = !tile.pipeline<3, [!smem]>

tile.kernel @carried_released_at_end {
  %ring = tile.pipeline : !ring
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  tile.role "load" warps 1 {
    scf.for %i = %c0 to %c8 step %c1 {
      %s = tile.acquire %ring : !ring
      tile.commit %ring, %s : !ring
    }
  }
  tile.role "math" warps 4 {
    // expected-error@+1 {{before the loop the variable of the stage waited for here is not released, and at the end of its body it is: release it on both ways, or on neither}}
    %first = tile.wait %ring : !ring
    // expected-note@+1 {{the two ways meet here}}
    %last = scf.for %i = %c1 to %c8 step %c1 iter_args(%before = %first) -> !tile.stage {
      tile.release %ring, %before : !ring
      %s = tile.wait %ring : !ring
      tile.release %ring, %s : !ring
      scf.yield %s : !tile.stage
    }
  }
}

// -----

!smem = !tile.shared<128x64xbf16>
!ring = !tile.pipeline<3, [!smem]>

tile.kernel @carried_in_one_arm {
  %ring = tile.pipeline : !ring
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  tile.role "load" warps 1 {
    scf.for %i = %c0 to %c8 step %c1 {
      %s = tile.acquire %ring : !ring
      tile.commit %ring, %s : !ring
    }
  }
  tile.role "math" warps 4 {
    %first = tile.wait %ring : !ring
    // expected-error@+1 {{the stage waited for here is assigned to another variable on one path and not on the other: release it on the other}}
    %second = tile.wait %ring : !ring
    %first_one = arith.cmpi eq, %c0, %c1 : index
    %either = scf.if %first_one -> !tile.stage {
      tile.release %ring, %first : !ring
      // expected-note@+1 {{assigned only where the condition is true}}
      scf.yield %second : !tile.stage
    } else {
      scf.yield %first : !tile.stage
    }
    tile.release %ring, %either : !ring
  }
}

// -----

!smem = !tile.shared<128x64xbf16>
!ring = !tile.pipeline<3, [!smem]>

tile.kernel @carried_not_ready {
  %ring = tile.pipeline : !ring
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  tile.role "load" warps 1 {
    scf.for %i = %c0 to %c8 step %c1 {
      %s = tile.acquire %ring : !ring
      tile.commit %ring, %s : !ring
    }
  }
  tile.role "math" warps 4 {
    %first = tile.wait %ring : !ring
    // expected-note@+1 {{readiness is tested here}}
    %ready, %next = tile.try_wait %ring : !ring
    // expected-error@+1 {{this carries a stage that may not be ready: do it under when(ready)}}
    %last = scf.for %i = %c1 to %c8 step %c1 iter_args(%before = %next) -> !tile.stage {
      scf.yield %before : !tile.stage
    }
    tile.release %ring, %first : !ring
  }
}

// -----

!smem = !tile.shared<128x64xbf16>
!ring = !tile.pipeline<3, [!smem]>

tile.kernel @carried_of_two_sides {
  %ring = tile.pipeline : !ring
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  tile.role "load" warps 1 {
    scf.for %i = %c0 to %c8 step %c1 {
      %s = tile.acquire %ring : !ring
      tile.commit %ring, %s : !ring
    }
  }
  tile.role "math" warps 4 {
    // expected-note@+1 {{waited for here}}
    %first = tile.wait %ring : !ring
    %is_first = arith.cmpi eq, %c0, %c1 : index
    // expected-error@+1 {{the variable of the stage acquired here is assigned one waited for: use a variable for each}}
    %second = tile.acquire %ring : !ring
    %either = scf.if %is_first -> !tile.stage {
      tile.release %ring, %first : !ring
      scf.yield %second : !tile.stage
    } else {
      tile.commit %ring, %second : !ring
      scf.yield %first : !tile.stage
    }
  }
}

// -----

// A role takes stages in a tile loop that another role of the pipeline has not.

!ring = !tile.pipeline<2, [!tile.shared<64x64xbf16>]>
tile.kernel @other_tiles {
  %M = tile.size "M"
  %tiles = tile.schedule persistent [%M] by [64] : !tile.schedule<1>
  %halves = tile.schedule persistent [%M] by [32] : !tile.schedule<1>
  %ring = tile.pipeline : !ring
  tile.role "load" warps 1 {
    %first, %end, %step = tile.schedule_range %tiles : !tile.schedule<1>
    scf.for %t = %first to %end step %step {
      %s = tile.acquire %ring : !ring
      tile.commit %ring, %s : !ring
    }
  }
  tile.role "math" warps 4 {
    %first, %end, %step = tile.schedule_range %halves : !tile.schedule<1>
    scf.for %t = %first to %end step %step {
      // expected-error@+1 {{role 'math' takes this stage in a tile loop that role 'load', which shares the pipeline, does not have: both go over the same tiles, by one TileLoop}}
      %s = tile.wait %ring : !ring
      tile.release %ring, %s : !ring
    }
  }
}

// -----

// Of two loops that persist in one another a CTA has few pairs of tiles.

tile.kernel @nested_tiles {
  %M = tile.size "M"
  %tiles = tile.schedule persistent [%M] by [64] : !tile.schedule<1>
  tile.role "math" warps 4 {
    %first, %end, %step = tile.schedule_range %tiles : !tile.schedule<1>
    scf.for %t = %first to %end step %step {
      // expected-error@+1 {{this tile loop stands in another one, and a CTA has only its own tiles of each}}
      scf.for %u = %first to %end step %step {
      }
    }
  }
}

// -----

tile.kernel @nobody_waits {
  %done = tile.barrier "done" : !tile.barrier
  tile.role "math" warps 4 {
    // expected-error@+1 {{no role waits on barrier 'done', at which this one arrives: call sync() in the role that is to wait, or leave the barrier out}}
    tile.arrive %done : !tile.barrier
  }
}

// -----

// Two roles go through the same tile loops in another order.

!ring = !tile.pipeline<2, [!tile.shared<64x64xbf16>]>
tile.kernel @other_order {
  %M = tile.size "M"
  %N = tile.size "N"
  %t = tile.schedule persistent [%M] by [64] : !tile.schedule<1>
  %v = tile.schedule persistent [%N] by [64] : !tile.schedule<1>
  %ring = tile.pipeline : !ring
  tile.role "load" warps 1 {
    %first, %end, %step = tile.schedule_range %t : !tile.schedule<1>
    scf.for %i = %first to %end step %step {
      %s = tile.acquire %ring : !ring
      tile.commit %ring, %s : !ring
    }
    %f, %e, %st = tile.schedule_range %v : !tile.schedule<1>
    scf.for %i = %f to %e step %st {
      %s = tile.acquire %ring : !ring
      tile.commit %ring, %s : !ring
    }
  }
  tile.role "math" warps 4 {
    %first, %end, %step = tile.schedule_range %v : !tile.schedule<1>
    scf.for %i = %first to %end step %step {
      %s = tile.wait %ring : !ring
      tile.release %ring, %s : !ring
    }
    %f, %e, %st = tile.schedule_range %t : !tile.schedule<1>
    scf.for %i = %f to %e step %st {
      // expected-error@+1 {{role 'math' takes this stage in a tile loop that role 'load', which shares the pipeline, does not have at this place: both go over the same tiles, by one TileLoop}}
      %s = tile.wait %ring : !ring
      tile.release %ring, %s : !ring
    }
  }
}

// -----

// One of them counts on from other tiles.

!ring = !tile.pipeline<2, [!tile.shared<64x64xbf16>]>
tile.kernel @other_turns {
  %M = tile.size "M"
  %t = tile.schedule persistent [%M] by [64] : !tile.schedule<1>
  %c1 = arith.constant 1 : index
  %ring = tile.pipeline : !ring
  tile.role "load" warps 1 {
    %first, %end, %step = tile.schedule_range %t after %c1 : !tile.schedule<1>
    scf.for %i = %first to %end step %step {
      %s = tile.acquire %ring : !ring
      tile.commit %ring, %s : !ring
    }
  }
  tile.role "math" warps 4 {
    %first, %end, %step = tile.schedule_range %t : !tile.schedule<1>
    scf.for %i = %first to %end step %step {
      // expected-error@+1 {{role 'math' takes this stage in a tile loop that role 'load', which shares the pipeline, does not have: both go over the same tiles, by one TileLoop}}
      %s = tile.wait %ring : !ring
      tile.release %ring, %s : !ring
    }
  }
}

// -----

// A copy and what else is written come in any order; not so in other arms, and
// parts that do not overlap.

!smem = !tile.shared<64x64xbf16>
!half = !tile.shared<32x64xbf16>
!ring = !tile.pipeline<2, [!smem, !smem]>
!A = !tile.tensor<bf16, 2>

tile.kernel @written_twice {
  %M = tile.size "M"
  %A = tile.tensor "A" input [%M, %M] align 16 : !A
  %ring = tile.pipeline : !ring
  tile.role "load" warps 1 {
    %c0 = arith.constant 0 : index
    %zeros = arith.constant dense<0.0> : tensor<64x64xbf16>
    %half_zeros = arith.constant dense<0.0> : tensor<32x64xbf16>
    %isFirst = arith.cmpi eq, %M, %c0 : index
    %s = tile.acquire %ring : !ring
    %a = tile.buffer %s[0] : !smem
    // expected-note@+1 {{written here}}
    tile.write %zeros to %a : tensor<64x64xbf16>, !smem
    scf.if %isFirst {
      // expected-error@+1 {{this writes elements of tile 0 of a stage that are written before it, and a copy comes in any order with what else is written until the stage is full: write each element once, or wait for the stage and store to it then}}
      tile.copy %A[%c0, %c0] to %a : !A, !smem
    }
    %b = tile.buffer %s[1] : !smem
    %upper = tile.part %b from [0, 0] : !smem -> !half
    %lower = tile.part %b from [32, 0] : !smem -> !half
    // expected-note@+1 {{written here}}
    tile.copy %A[%c0, %c0] to %upper : !A, !half
    tile.write %half_zeros to %lower : tensor<32x64xbf16>, !half
    %some = tile.part %b from [%M, 0] : !smem -> !half
    tile.write %half_zeros to %some : tensor<32x64xbf16>, !half
    // expected-error@+1 {{this writes elements of tile 1 of a stage that are written before it}}
    tile.copy %A[%c0, %c0] to %upper : !A, !half
    tile.commit %ring, %s : !ring
    %t = tile.acquire %ring : !ring
    %c = tile.buffer %t[0] : !smem
    scf.if %isFirst {
      tile.copy %A[%c0, %c0] to %c : !A, !smem
    } else {
      tile.write %zeros to %c : tensor<64x64xbf16>, !smem
    }
    tile.commit %ring, %t : !ring
  }
  tile.role "math" warps 4 {
    %s = tile.wait %ring : !ring
    %a = tile.buffer %s[0] : !smem
    %b = tile.buffer %s[1] : !smem
    %f = tile.read %a : !smem -> tensor<64x64xbf16>
    %g = tile.read %b : !smem -> tensor<64x64xbf16>
    tile.release %ring, %s : !ring
    %t = tile.wait %ring : !ring
    tile.release %ring, %t : !ring
  }
}
