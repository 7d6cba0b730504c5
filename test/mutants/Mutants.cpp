// The table of the mutants. A pattern names instructions as they are emitted;
// `run` and `.` in the marks are those of Kernels.cpp.
#include "test/mutants/Mutant.h"

namespace ashlar::test {

using sim::Finding;

namespace {

constexpr int everywhere = -1;

std::vector<Mutant> ringMutants() {
  const std::string gemm = "multicast";
  return {
      {"expect bytes of B 16 too many", gemm,
       R"((mbarrier\.expect_tx\S+ \[\S+\], )8192;)", "$018208;", 0,
       Finding::deadlock, {"wait"}},
      {"expect bytes of B 16 too few", gemm,
       R"((mbarrier\.expect_tx\S+ \[\S+\], )8192;)", "$018176;", 0,
       Finding::deadlock, {"wait"}},
      {"no expect bytes of A", gemm, R"(mbarrier\.expect_tx\S+ \[\S+\], 16384;)",
       "", 0, Finding::deadlock, {"wait"}},
      {"no arrive at the full barrier", gemm,
       R"(mbarrier\.arrive\.shared::cta\.b64 _, \[%r\d+\];)", "", 2,
       Finding::deadlock, {"wait"}},
      {"no arrive at the CTA's own empty barrier", gemm,
       R"(mbarrier\.arrive\.shared::cta\.b64 _, \[%r\d+\];)", "", 0,
       Finding::deadlock, {"acquire"}},
      {"no arrive at the peer's empty barrier", gemm,
       R"(mbarrier\.arrive\.shared::cluster\.b64 _, \[remote\];)", "", 0,
       Finding::deadlock, {"acquire"}},
      {"count of an empty barrier one too high", gemm,
       R"((mbarrier\.init\S+ \[\S+\], )16;)", "$0117;", everywhere,
       Finding::deadlock, {"acquire"}},
      {"count of an empty barrier one too low", gemm,
       R"((mbarrier\.init\S+ \[\S+\], )16;)", "$0115;", everywhere,
       Finding::race, {"copy A", "copy B", "mma"}},
      {"count of a full barrier one too high", gemm,
       R"((mbarrier\.init\S+ \[\S+\], )1;)", "$012;", everywhere,
       Finding::deadlock, {"wait"}},
      {"producer waits for the wrong phase at first", gemm,
       R"((mbarrier\.try_wait\S+ complete, \[%r\d+\], )(%r\d+);)",
       "xor.b32 $2, $2, 1;\n\t$1$2;\n\txor.b32 $2, $2, 1;", 1,
       Finding::deadlock, {"acquire"}},
      {"consumer waits for the wrong phase", gemm,
       R"((mbarrier\.try_wait\S+ complete, \[%r\d+\], )(%r\d+);)",
       "xor.b32 $2, $2, 1;\n\t$1$2;\n\txor.b32 $2, $2, 1;", 0, Finding::race,
       {"mma"}},
      {"consumer does not wait", gemm,
       R"(mbarrier\.try_wait\S+ complete, \[%r\d+\], %r\d+;)",
       "setp.eq.b32 complete, 0, 0;", 0, Finding::race, {"mma"}},
      {"producer does not wait", gemm,
       R"(mbarrier\.try_wait\S+ complete, \[%r\d+\], %r\d+;)",
       "setp.eq.b32 complete, 0, 0;", 1, Finding::mbarrierMisuse, {"commit"}},
      {"consumer waits at the empty barrier", gemm,
       R"((mbarrier\.try_wait\S+ complete, \[%r\d+)(\], %r\d+;))",
       "$1+24$2", 0, Finding::deadlock, {"wait"}},
      {"consumer multiplies the next stage", gemm,
       R"(add\.s32 (\t%r\d+, %r\d+, 16384;\s+add\.s32 \t%r\d+, )(%r\d+)(, %r\d+;))",
       "add.s32 $2, $2, 24576;\n\tadd.s32 $1$2$3", 0, Finding::race,
       {"mma"}},
      {"producer fills behind the ring", gemm,
       R"((cp\.async\.bulk\.tensor\.2d\.shared::cta\S+ \[%r\d+)(\]))",
       "$1+49152$2", 0, Finding::outOfBounds, {"copy A"}},
      {"commit at the barrier of another stage", gemm,
       R"((mbarrier\.arrive\.shared::cta\.b64 _, \[%r\d+)(\];))", "$1+8$2", 2,
       Finding::deadlock, {"wait"}},
      {"release before the wait for the group", gemm,
       R"(wgmma\.wait_group\.sync\.aligned 1;)",
       "wgmma.wait_group.sync.aligned 2;", 0, Finding::race,
       {"copy A", "copy B", "mma"}},
  };
}

std::vector<Mutant> clusterMutants() {
  const std::string gemm = "multicast";
  return {
      {"multicast without the peer's bit", gemm,
       R"(mov\.b16 \t%rs1, 3;)", "mov.b16 \t%rs1, 1;", 0, Finding::deadlock,
       {"wait"}},
      {"multicast to a CTA that does not exist", gemm,
       R"(mov\.b16 \t%rs1, 3;)", "mov.b16 \t%rs1, 7;", 0, Finding::outOfBounds,
       {"copy B"}},
      {"no fence after the initialisation of the barriers", gemm,
       R"(fence\.mbarrier_init\.release\.cluster;)", "", 0,
       Finding::missingProxyFence, {"copy A", "copy B"}},
      {"no cluster barrier after the initialisation", gemm,
       R"(barrier\.cluster\.arrive\S*;[\s\S]*?barrier\.cluster\.wait\S*;)", "",
       0, Finding::mbarrierMisuse, {"pipeline", "acquire", "copy A", "copy B"}},
      {"no cluster barrier at the end", gemm,
       R"(barrier\.cluster\.arrive\.release\.aligned;([\s\S]*)barrier\.cluster\.wait\.acquire\.aligned;([\s\S]*)barrier\.cluster\.arrive\.release\.aligned;([\s\S]*)barrier\.cluster\.wait\.acquire\.aligned;)",
       "barrier.cluster.arrive.release.aligned;$1barrier.cluster.wait.acquire."
       "aligned;$2$3",
       0, Finding::exitedPeer, {"release", "copy B"}},
      {"more registers than there are", gemm,
       R"(setmaxnreg\.inc\.sync\.aligned\.u32 232;)",
       "setmaxnreg.inc.sync.aligned.u32 248;", 0, Finding::deadlock,
       {"math"}},
  };
}

std::vector<Mutant> wgmmaMutants() {
  const std::string gemm = "multicast";
  return {
      {"no wgmma.fence", gemm, R"(wgmma\.fence\.sync\.aligned;)", "", 0,
       Finding::accumulatorTouched, {"mma"}},
      {"no commit_group", gemm, R"(wgmma\.commit_group\.sync\.aligned;)", "", 0,
       Finding::accumulatorTouched, {"mma", "store"}},
      {"no wait_group before the accumulators are read", gemm,
       R"(wgmma\.wait_group\.sync\.aligned 0;)", "", 0,
       Finding::accumulatorTouched, {"store"}},
      {"descriptor beyond shared memory", gemm,
       R"((or\.b64 \t%rd\d+, %rd\d+, )4611686293305360384;)", "$014611686293305376768;", 0,
       Finding::invalidDescriptor, {"mma"}},
      {"descriptor with the stride of another tile", gemm,
       R"((or\.b64 \t%rd\d+, %rd\d+, )4611686293305360384;)",
       "$014611686568183267328;", everywhere, Finding::race, {"mma"}},
      {"a lane leaves before the product", gemm,
       R"((wgmma\.commit_group\.sync\.aligned;))", "@%p1 $1", 0,
       Finding::divergent, {"mma"}},
      {"D with the stride of another type", gemm,
       R"(mul\.wide\.s32 (\t%rd\d+, %r\d+), 2;)", "mul.wide.s32 $1, 4;",
       everywhere, Finding::race, {"store"}},
      {"TMA to an address that is not aligned", gemm,
       R"((cp\.async\.bulk\.tensor\.2d\.shared::cta\S+ \[%r\d+)(\]))", "$1+16$2",
       0, Finding::misaligned, {"copy A"}},
  };
}

std::vector<Mutant> proxyMutants() {
  const std::string staged = "staged";
  return {
      {"no proxy fence before the TMA store", staged,
       R"(fence\.proxy\.async\.shared::cta;)", "", 0,
       Finding::missingProxyFence, {"copy out"}},
      {"no barrier before the TMA store", staged, R"(bar\.sync 1, 256;)", "", 1,
       Finding::race, {"copy out"}},
      {"staging is overwritten while TMA reads it", staged,
       R"(cp\.async\.bulk\.wait_group\.read 0;)", "", 0, Finding::race,
       {"stage"}},
      {"no commit of the TMA store", staged,
       R"(cp\.async\.bulk\.commit_group;)", "", 0, Finding::unfinished,
       {"copy out"}},
      {"a named barrier for one warp too many", staged, R"(bar\.sync 1, 256;)",
       "bar.sync 1, 288;", everywhere, Finding::deadlock, {"stage"}},
      {"a named barrier for one warp too few", staged, R"(bar\.sync 1, 256;)",
       "bar.sync 1, 224;", 1, Finding::race, {"copy out"}},
      {"no proxy fence before wgmma reads what cp.async wrote", "cp.async",
       R"(fence\.proxy\.async\.shared::cta;)", "", 0,
       Finding::missingProxyFence, {"thread mma"}},
      {"no arrive of cp.async", "cp.async",
       R"(cp\.async\.mbarrier\.arrive\.noinc\S+ \[\S+\];)", "", 0,
       Finding::deadlock, {"thread wait"}},
      {"an ordinary arrive does not wait for cp.async", "cp.async",
       R"(cp\.async\.mbarrier\.arrive\.noinc\.shared::cta\.b64 (\[\S+\];))",
       "mbarrier.arrive.shared::cta.b64 _, $1", 0, Finding::race,
       {"thread mma"}},
      {"no proxy fence after the producer's stores", "threads",
       R"(fence\.proxy\.async\.shared::cta;)", "", 0,
       Finding::missingProxyFence, {"thread mma"}},
      {"the full barrier does not count every lane", "threads",
       R"((mbarrier\.init\S+ \[\S+\], )32;)", "$0131;", everywhere,
       Finding::race, {"thread mma", "thread copy A", "thread copy B"}},
  };
}

} // namespace

const std::vector<Mutant> &mutants() {
  static const std::vector<Mutant> all = [] {
    std::vector<Mutant> list;
    for (const auto &part :
         {ringMutants(), clusterMutants(), wgmmaMutants(), proxyMutants()})
      list.insert(list.end(), part.begin(), part.end());
    return list;
  }();
  return all;
}

} // namespace ashlar::test
