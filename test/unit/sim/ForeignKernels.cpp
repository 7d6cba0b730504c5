#include "test/unit/sim/ForeignKernels.h"

#include "test/unit/sim/RunPtx.h"

namespace ashlar::sim {

namespace {

/// Each CTA of a cluster loads half of a stage for both; the first thread of
/// the warpgroup that multiplies frees the stage in both, and phases are
/// counted, not masked.
ForeignKernel releaseByOneThread() {
  ForeignKernel kernel;
  kernel.name = "a release by one thread of a warpgroup in a cluster";
  kernel.threads = 160;
  kernel.cluster = 2;
  kernel.declarations = ".shared .align 1024 .b8 tiles[4096];\n"
                        ".shared .align 128 .b8 operand[256];\n"
                        ".shared .align 8 .b64 full[2];\n"
                        ".shared .align 8 .b64 empty[2];\n";
  kernel.body = R"(
mov.u32 %rank, %cluster_ctarank;
setp.lt.u32 %p, %t, 64;
mov.u32 %x, operand;
mad.lo.u32 %x, %t, 4, %x;
@%p st.shared.b32 [%x], 0;
fence.proxy.async.shared::cta;
@%first mbarrier.init.shared.b64 [full], 1;
@%first mbarrier.init.shared.b64 [full+8], 1;
@%first mbarrier.init.shared.b64 [empty], 2;
@%first mbarrier.init.shared.b64 [empty+8], 2;
fence.mbarrier_init.release.cluster;
barrier.cluster.arrive.aligned;
barrier.cluster.wait.aligned;
mov.u32 %i, 0;
setp.lt.u32 %p, %t, 128;
@%p bra MULTIPLY;
setp.ne.u32 %p, %t, 128;
@%p bra END;
LOAD:
and.b32 %stage, %i, 1;
shr.u32 %phase, %i, 1;
mov.u32 %full, full;
mad.lo.u32 %full, %stage, 8, %full;
mov.u32 %empty, empty;
mad.lo.u32 %empty, %stage, 8, %empty;
add.u32 %x, %phase, 1;
FREE: mbarrier.try_wait.parity.shared::cta.b64 %q, [%empty], %x;
@!%q bra FREE;
mbarrier.arrive.expect_tx.shared.b64 _, [%full], 2048;
mov.u32 %tile, tiles;
mad.lo.u32 %tile, %stage, 2048, %tile;
mad.lo.u32 %tile, %rank, 1024, %tile;
shl.b32 %y, %rank, 3;
cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%tile], [%map, {0, %y}], [%full], 3;
add.u32 %i, %i, 1;
setp.lt.u32 %p, %i, 6;
@%p bra LOAD;
bra.uni END;
MULTIPLY:
and.b32 %stage, %i, 1;
shr.u32 %phase, %i, 1;
mov.u32 %full, full;
mad.lo.u32 %full, %stage, 8, %full;
FILLED: mbarrier.try_wait.parity.shared::cta.b64 %q, [%full], %phase;
@!%q bra FILLED;
mov.u32 %tile, tiles;
mad.lo.u32 %tile, %stage, 2048, %tile;
and.b32 %tile, %tile, 0x3ffff;
shr.u32 %tile, %tile, 4;
cvt.u64.u32 %a, %tile;
or.b64 %a, %a, 0x1000080000;
mov.u32 %tile, operand;
and.b32 %tile, %tile, 0x3ffff;
shr.u32 %tile, %tile, 4;
cvt.u64.u32 %b, %tile;
or.b64 %b, %b, 0x1000080000;
wgmma.fence.sync.aligned;
wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%f0, %f1, %f2, %f3}, %a, %b, 0, 1, 1, 0, 0;
wgmma.commit_group.sync.aligned;
wgmma.wait_group.sync.aligned 0;
mov.u32 %empty, empty;
mad.lo.u32 %empty, %stage, 8, %empty;
mapa.shared::cluster.u32 %x, %empty, 0;
@%first mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%x];
mapa.shared::cluster.u32 %x, %empty, 1;
@%first mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%x];
add.u32 %i, %i, 1;
setp.lt.u32 %p, %i, 6;
@%p bra MULTIPLY;
END:
barrier.cluster.arrive.aligned;
barrier.cluster.wait.aligned;
)";
  kernel.mutants = {
      {"no wait for the product", "wgmma.wait_group.sync.aligned 0;\n", "",
       Finding::race, "overwritten while it may still be read"},
      {"one CTA's stage is never freed", "%empty, 1;\n", "%empty, 0;\n",
       Finding::deadlock, "mbarrier"},
      {"one release is enough", "[empty+8], 2;", "[empty+8], 1;",
       Finding::mbarrierMisuse, "completes too early: its count is 1"},
      {"no wait until the stage is free", "@!%q bra FREE;\n", "", Finding::race,
       ""},
      {"the copy to one CTA only", "[%full], 3;", "[%full], 1;",
       Finding::deadlock, "bytes never come"},
      {"no wait for the copy", "@!%q bra FILLED;\n", "", Finding::missingWait,
       "is read without a wait for the copies into it"},
      {"no fence of the initialisation",
       "fence.mbarrier_init.release.cluster;\n", "", Finding::missingProxyFence,
       "the initialisation of"},
      {"no fence of what threads store", "fence.proxy.async.shared::cta;\n", "",
       Finding::missingProxyFence, "stores"},
  };
  return kernel;
}

/// A warp stores tile after tile by TMA, all lanes alike.
ForeignKernel storeByAllLanes() {
  ForeignKernel kernel;
  kernel.name = "a store by all lanes";
  kernel.declarations = ".shared .align 1024 .b8 tile[1024];\n";
  kernel.body = R"(
shr.u32 %warp, %t, 5;
setp.eq.u32 %q, %warp, 0;
mov.u32 %i, 0;
mov.u32 %x, tile;
mad.lo.u32 %x, %t, 8, %x;
NEXT:
st.shared.v2.b32 [%x], {%i, %t};
fence.proxy.async.shared::cta;
bar.sync 0;
@!%q bra STORED;
cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%map, {0, %i}], [tile];
cp.async.bulk.commit_group;
cp.async.bulk.wait_group.read 0;
STORED:
bar.sync 0;
add.u32 %i, %i, 8;
setp.lt.u32 %p, %i, 32;
@%p bra NEXT;
@%q cp.async.bulk.wait_group 0;
)";
  kernel.mutants = {
      {"no fence", "fence.proxy.async.shared::cta;\n", "",
       Finding::missingProxyFence, "fence.proxy.async"},
      {"no wait for the reads", "cp.async.bulk.wait_group.read 0;\n", "",
       Finding::missingWait, "overwritten while a TMA copy may still read it"},
      {"no barrier behind the wait", "STORED:\nbar.sync 0;\n", "STORED:\n",
       Finding::race, "overwritten while it may still be read"},
      {"no commit", "cp.async.bulk.commit_group;\n", "", Finding::unfinished,
       "belong to no group"},
      {"overlapping tiles", "%i, %i, 8;", "%i, %i, 4;", Finding::race,
       "written twice"},
      {"each lane another tile", "{0, %i}", "{0, %t}", Finding::race,
       "written twice"},
  };
  return kernel;
}

/// Values that are the same in all warps are stored by all of them.
ForeignKernel uniformStores() {
  ForeignKernel kernel;
  kernel.name = "uniform stores by all warps";
  kernel.threads = 256;
  kernel.declarations = ".shared .align 16 .b8 scale[512];\n";
  kernel.body = R"(
and.b32 %x, %t, 31;
shr.u32 %warp, %t, 5;
mov.u32 %i, 0;
mov.u32 %tile, scale;
mad.lo.u32 %tile, %x, 4, %tile;
NEXT:
add.u32 %y, %x, %i;
st.shared.u32 [%tile], %y;
st.shared.v2.u32 [scale+256], {%i, 7};
bar.sync 0;
ld.shared.v2.u32 {%stage, %phase}, [scale+256];
xor.b32 %y, %x, 5;
mov.u32 %rank, scale;
mad.lo.u32 %rank, %y, 4, %rank;
ld.shared.u32 %y, [%rank];
bar.sync 0;
st.global.u32 [%out], %phase;
add.u32 %i, %i, 1;
setp.lt.u32 %p, %i, 4;
@%p bra NEXT;
)";
  kernel.mutants = {
      {"warps store different values", "{%i, 7}", "{%i, %warp}", Finding::race,
       "written twice"},
      {"no barrier before the loads", "{%i, 7};\nbar.sync 0;\n", "{%i, 7};\n",
       Finding::race, "read"},
      {"no barrier behind the loads", "[%rank];\nbar.sync 0;\n", "[%rank];\n",
       Finding::race, "overwritten while it may still be read"},
      {"half of the warps do not wait for the others",
       "{%i, 7};\nbar.sync 0;\n",
       "{%i, 7};\nshr.u32 %y, %warp, 2;\n"
       "add.u32 %y, %y, 1;\nbar.sync %y, 128;\n",
       Finding::race, "read"},
  };
  return kernel;
}

/// An mbarrier's place is used for data, then for another mbarrier.
ForeignKernel invalidatedBarriers() {
  ForeignKernel kernel;
  kernel.name = "barriers that are invalidated and used again";
  kernel.declarations = ".shared .align 1024 .b8 tile[1024];\n"
                        ".shared .align 8 .b64 bar;\n";
  kernel.body = R"(
mov.u32 %i, 0;
NEXT:
@%first mbarrier.init.shared.b64 [bar], 1;
@%first fence.proxy.async.shared::cta;
bar.sync 0;
@%first mbarrier.arrive.expect_tx.shared.b64 _, [bar], 1024;
@%first cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [tile], [%map, {0, %i}], [bar];
FILLED: mbarrier.try_wait.parity.shared::cta.b64 %q, [bar], 0;
@!%q bra FILLED;
ld.shared.u32 %x, [tile+64];
bar.sync 0;
@%first mbarrier.inval.shared.b64 [bar];
@%first st.shared.u32 [bar], %x;
bar.sync 0;
ld.shared.u32 %y, [bar];
bar.sync 0;
@%first mbarrier.init.shared.b64 [bar], 128;
bar.sync 0;
mbarrier.arrive.shared.b64 _, [bar];
ARRIVED: mbarrier.try_wait.parity.shared::cta.b64 %q, [bar], 0;
@!%q bra ARRIVED;
bar.sync 0;
@%first mbarrier.inval.shared.b64 [bar];
st.global.u32 [%out], %y;
add.u32 %i, %i, 8;
setp.lt.u32 %p, %i, 32;
@%p bra NEXT;
)";
  kernel.mutants = {
      {"data in a barrier",
       "@%first mbarrier.inval.shared.b64 [bar];\n@%first st", "@%first st",
       Finding::mbarrierMisuse, "accessed as ordinary memory"},
      {"initialised without being invalidated",
       "@%first mbarrier.inval.shared.b64 [bar];\nst.global", "st.global",
       Finding::mbarrierMisuse, "initialised"},
      {"no barrier before it is invalidated",
       "@!%q bra ARRIVED;\nbar.sync 0;\n", "@!%q bra ARRIVED;\n",
       Finding::mbarrierMisuse, ""},
      {"no barrier behind the initialisation", "[bar], 128;\nbar.sync 0;\n",
       "[bar], 128;\n", Finding::mbarrierMisuse, ""},
      {"no barrier before the tile is filled again",
       "[tile+64];\nbar.sync 0;\n", "[tile+64];\n", Finding::mbarrierMisuse,
       ""},
      {"one arrival too many", "[bar], 128;", "[bar], 127;",
       Finding::mbarrierMisuse, ""},
      {"one arrival too few", "[bar], 128;", "[bar], 129;", Finding::deadlock,
       "1 arrival of 129 is missing"},
  };
  return kernel;
}

/// Two warpgroups take turns at a buffer, by two named barriers.
ForeignKernel namedBarriers() {
  ForeignKernel kernel;
  kernel.name = "named barriers between warpgroups";
  kernel.threads = 256;
  kernel.declarations = ".shared .align 16 .b8 buffer[512];\n";
  kernel.body = R"(
mov.u32 %i, 0;
and.b32 %x, %t, 127;
mov.u32 %tile, buffer;
mad.lo.u32 %tile, %x, 4, %tile;
xor.b32 %x, %x, 64;
mov.u32 %y, buffer;
mad.lo.u32 %y, %x, 4, %y;
setp.gt.u32 %p, %t, 127;
@%p bra TAKE;
PUT:
setp.eq.u32 %p, %i, 0;
@%p bra FREE;
bar.sync 2, 256;
FREE:
st.shared.u32 [%tile], %i;
bar.arrive 1, 256;
add.u32 %i, %i, 1;
setp.lt.u32 %p, %i, 4;
@%p bra PUT;
bra.uni END;
TAKE:
bar.sync 1, 256;
ld.shared.u32 %x, [%y];
add.u32 %i, %i, 1;
setp.ge.u32 %p, %i, 4;
@%p bra LAST;
bar.arrive 2, 256;
bra.uni TAKE;
LAST:
st.global.u32 [%out], %x;
END:
)";
  kernel.mutants = {
      {"no wait for the buffer", "bar.sync 1, 256;\n", "bar.arrive 1, 256;\n",
       Finding::race, ""},
      {"no wait until the buffer is free", "bar.sync 2, 256;\n", "",
       Finding::barrierMisuse, "arrive a second time at barrier"},
      {"it is never freed", "bar.arrive 2, 256;\n", "", Finding::deadlock,
       "barrier 2"},
      {"it is freed too early",
       "ld.shared.u32 %x, [%y];\nadd.u32 %i, %i, 1;\n"
       "setp.ge.u32 %p, %i, 4;\n@%p bra LAST;\nbar.arrive 2, 256;\n",
       "add.u32 %i, %i, 1;\nsetp.ge.u32 %p, %i, 4;\n@%p bra LAST;\n"
       "bar.arrive 2, 256;\nld.shared.u32 %x, [%y];\n",
       Finding::race, ""},
      {"another barrier", "bar.arrive 1, 256;\n", "bar.arrive 3, 256;\n",
       Finding::deadlock, "barrier 1"},
      {"a wrong count", "bar.arrive 1, 256;\n", "bar.arrive 1, 128;\n",
       Finding::barrierMisuse, ""},
  };
  return kernel;
}

/// Problem after problem, a warp makes the map of the next one and another
/// loads by it.
ForeignKernel mapsOfTheDevice() {
  ForeignKernel kernel;
  kernel.name = "maps made on the device";
  kernel.threads = 64;
  kernel.declarations = ".shared .align 1024 .b8 tile[1024];\n"
                        ".shared .align 128 .b8 copy[128];\n"
                        ".shared .align 8 .b64 bar;\n";
  kernel.body = R"(
@%first mbarrier.init.shared.b64 [bar], 1;
fence.mbarrier_init.release.cluster;
mov.u32 %i, 0;
setp.lt.u32 %p, %t, 8;
mov.u32 %x, copy;
mad.lo.u32 %x, %t, 16, %x;
mov.b64 %a, m;
mad.wide.u32 %a, %t, 16, %a;
@%p ld.param.v2.u64 {%b, %c}, [%a];
@%p st.shared.v2.u64 [%x], {%b, %c};
bar.sync 0;
NEXT:
setp.gt.u32 %p, %t, 31;
@%p bra READY;
mad.wide.u32 %a, %i, 1024, %data;
@%first tensormap.replace.tile.global_address.shared::cta.b1024.b64 [copy], %a;
@%first tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [copy], 1, 8;
bar.warp.sync -1;
tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%out], [copy], 128;
READY:
bar.sync 0;
setp.ne.u32 %p, %t, 32;
@%p bra FILLED;
fence.proxy.tensormap::generic.acquire.gpu [%out], 128;
mbarrier.arrive.expect_tx.shared.b64 _, [bar], 1024;
cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [tile], [%out, {0, 0}], [bar];
FILLED: mbarrier.try_wait.parity.shared::cta.b64 %q, [bar], %i;
@!%q bra FILLED;
ld.shared.u32 %y, [tile];
fence.proxy.async.shared::cta;
bar.sync 0;
add.u32 %i, %i, 1;
setp.lt.u32 %p, %i, 4;
@%p bra NEXT;
)";
  kernel.mutants = {
      {"no acquire",
       "fence.proxy.tensormap::generic.acquire.gpu [%out], 128;\n", "",
       Finding::missingProxyFence,
       "Put fence.proxy.tensormap::generic.acquire"},
      {"a fence of another proxy",
       "fence.proxy.tensormap::generic.acquire.gpu [%out], 128;\n",
       "fence.proxy.async;\n", Finding::missingProxyFence,
       "Put fence.proxy.tensormap::generic.acquire"},
      {"no barrier before the use", "READY:\nbar.sync 0;\n", "READY:\n",
       Finding::uninitialised, ""},
      {"no barrier behind the use",
       "fence.proxy.async.shared::cta;\nbar.sync 0;\n",
       "fence.proxy.async.shared::cta;\n", Finding::race, ""},
      {"a box that is none", "global_dim.shared::cta.b1024.b32 [copy], 1, 8",
       "box_dim.shared::cta.b1024.b32 [copy], 0, 3", Finding::invalidTensorMap,
       "multiple of 16"},
  };
  return kernel;
}

} // namespace

std::string ForeignKernel::text() const {
  return kernelText(
      ".param .align 64 .b8 m[128], .param .u64 data, .param .u64 out",
      ".reg .pred %p, %q, %first; .reg .f32 %f<4>;\n"
      ".reg .b32 %t, %warp, %rank, %i, %stage, %phase, %full, %empty;\n"
      ".reg .b32 %tile, %x, %y; .reg .b64 %map, %data, %out, %a, %b, %c;\n"
      "mov.u32 %t, %tid.x; setp.eq.u32 %first, %t, 0;\n"
      "ld.param.u64 %data, [data]; ld.param.u64 %out, [out];\n"
      "mov.b64 %map, m; cvta.param.u64 %map, %map;\n" +
          body + "ret;",
      declarations);
}

std::vector<ForeignKernel> foreignKernels() {
  return {releaseByOneThread(),  storeByAllLanes(), uniformStores(),
          invalidatedBarriers(), namedBarriers(),   mapsOfTheDevice()};
}

} // namespace ashlar::sim
