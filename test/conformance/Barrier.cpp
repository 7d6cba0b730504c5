// bar, barrier, barrier.cluster, bar.warp.sync and the fences: each orders a
// write before another thread's read.
#include "test/conformance/ThreadKernel.h"

namespace ashlar::conformance {

namespace {

constexpr const char *family = "barrier";

/// Shared words, one for each thread; %slot is the address of the thread's own.
void declareSlots(ThreadKernel &kernel, const std::string &slot) {
  kernel.declare(".shared .align 16 .b32 slots[1024];");
  kernel.line("shl.b32 " + slot + ", %t, 2;");
  const std::string base = kernel.word();
  kernel.line("mov.u32 " + base + ", slots;");
  kernel.line("add.u32 " + slot + ", " + slot + ", " + base + ";");
}

/// The address of the slot of thread (t + distance) mod block.
std::string slotOfOther(ThreadKernel &kernel, unsigned distance) {
  const std::string other = kernel.word(), base = kernel.word();
  kernel.line("add.u32 " + other + ", %t, " + std::to_string(distance) + ";");
  kernel.line("rem.u32 " + other + ", " + other + ", %block;");
  kernel.line("shl.b32 " + other + ", " + other + ", 2;");
  kernel.line("mov.u32 " + base + ", slots;");
  kernel.line("add.u32 " + other + ", " + other + ", " + base + ";");
  return other;
}

/// Each thread writes its slot, passes the barrier, and reads that of another.
Case exchange(const std::string &name, unsigned block,
              const std::function<void(ThreadKernel &)> &synchronise) {
  ThreadKernel kernel(block);
  const std::string value = kernel.input(anyWords(1)), slot = kernel.word(),
                    result = kernel.word();
  declareSlots(kernel, slot);
  kernel.line("st.shared.b32 [" + slot + "], " + value + ";");
  synchronise(kernel);
  kernel.line("ld.shared.b32 " + result + ", [" +
              slotOfOther(kernel, block / 2 + 3) + "];");
  kernel.output(result);
  return kernel.finish(family, name);
}

void addSyncs(std::vector<Case> &cases) {
  for (const std::string form :
       {"bar.sync", "bar.cta.sync", "barrier.sync", "barrier.cta.sync",
        "barrier.sync.aligned", "barrier.cta.sync.aligned"})
    for (unsigned block : {32, 64, 160, 256}) {
      const std::string threads = std::to_string(block);
      auto add = [&](const std::string &what, const std::string &operands) {
        cases.push_back(exchange(form + "." + what + "." + threads, block,
                                 [&](ThreadKernel &kernel) {
                                   kernel.line(form + " " + operands + ";");
                                 }));
      };
      add("all", "0");
      add("id15", "15");
      add("count", "7, " + threads);
      cases.push_back(exchange(
          form + ".registers." + threads, block, [&](ThreadKernel &kernel) {
            const std::string id = kernel.uniform(9),
                              count = kernel.uniform(block);
            kernel.line(form + " " + id + ", " + count + ";");
            kernel.line(form + " " + id + ";");
          }));
    }
  // A CTA whose last warp is not full, and one of which threads have exited.
  cases.push_back(exchange("bar.sync.partial", 48, [](ThreadKernel &kernel) {
    kernel.line("bar.sync 0;");
  }));
  cases.push_back(
      exchange("bar.sync.partial.count", 48,
               [](ThreadKernel &kernel) { kernel.line("bar.sync 3, 64;"); }));
  for (unsigned stay : {64, 80}) {
    ThreadKernel kernel(128);
    const std::string slot = kernel.word(), leaves = kernel.predicate(),
                      result = kernel.word();
    declareSlots(kernel, slot);
    kernel.output(kernel.input(anyWords(2)));
    kernel.line("setp.ge.u32 " + leaves + ", %t, " + std::to_string(stay) +
                ";");
    kernel.line("@" + leaves + " exit;");
    kernel.line("st.shared.b32 [" + slot + "], %t;");
    kernel.line("barrier.sync 0;");
    kernel.line("xor.b32 " + slot + ", " + slot + ", 32;");
    kernel.line("ld.shared.b32 " + result + ", [" + slot + "];");
    kernel.output(result);
    cases.push_back(
        kernel.finish(family, "barrier.sync.exited." + std::to_string(stay)));
  }
}

/// Warps 0 and 1 produce and arrive; warps 2 and 3 wait and consume; then the
/// other way round, twice.
void addArrivals(std::vector<Case> &cases) {
  for (const std::string prefix :
       {"bar.", "bar.cta.", "barrier.", "barrier.cta.", "barrier.aligned",
        "barrier.cta.aligned"}) {
    const bool aligned = prefix.ends_with("aligned");
    const std::string stem =
        aligned ? prefix.substr(0, prefix.size() - 7) : prefix;
    const std::string arrive = stem + "arrive" + (aligned ? ".aligned" : "");
    const std::string sync = stem + "sync" + (aligned ? ".aligned" : "");
    ThreadKernel kernel(128);
    const std::string value = kernel.input(anyWords(3)), slot = kernel.word(),
                      consumer = kernel.predicate(), result = kernel.word(),
                      peer = kernel.word();
    declareSlots(kernel, slot);
    kernel.line("xor.b32 " + peer + ", %t, 64;");
    kernel.line("mov.b32 " + result + ", 0;");
    kernel.line("sub.u32 " + peer + ", " + peer + ", %t;");
    kernel.line("shl.b32 " + peer + ", " + peer + ", 2;");
    kernel.line("add.u32 " + peer + ", " + peer + ", " + slot + ";");
    kernel.line("setp.ge.u32 " + consumer + ", %t, 64;");
    kernel.line("@" + consumer + " bra consume;");
    for (unsigned round = 0; round < 3; ++round) {
      if (round)
        kernel.line(sync + " 2, 128;");
      kernel.line("st.shared.b32 [" + slot + "], " + value + ";");
      kernel.line("add.u32 " + value + ", " + value + ", 7;");
      kernel.line(arrive + " 1, 128;");
    }
    kernel.line("bra done;");
    kernel.line("consume:");
    const std::string loaded = kernel.word();
    for (unsigned round = 0; round < 3; ++round) {
      kernel.line(sync + " 1, 128;");
      kernel.line("ld.shared.b32 " + loaded + ", [" + peer + "];");
      kernel.line("mad.lo.u32 " + result + ", " + result + ", 3, " + loaded +
                  ";");
      if (round < 2)
        kernel.line(arrive + " 2, 128;");
    }
    kernel.line("done:");
    kernel.output(result);
    cases.push_back(kernel.finish(family, arrive));
  }
}

void addReductions(std::vector<Case> &cases) {
  const std::function<uint32_t(unsigned)> inputs[] = {
      smallWords(4, 2), smallWords(5, 8), [](unsigned) { return 0u; },
      [](unsigned) { return 1u; },
      [](unsigned thread) { return uint32_t(thread == 37); }};
  for (const std::string stem :
       {"bar.red.", "bar.cta.red.", "barrier.red.", "barrier.cta.red.",
        "barrier.red.aligned", "barrier.cta.red.aligned"})
    for (const std::string operation : {"popc", "and", "or"})
      for (unsigned block : {32, 48, 96}) {
        const bool aligned = stem.ends_with("aligned");
        const bool counts = operation == "popc";
        const std::string form =
            (aligned ? stem.substr(0, stem.size() - 7) : stem) + operation +
            (aligned ? ".aligned" : "") + (counts ? ".u32" : ".pred");
        ThreadKernel kernel(block);
        const std::string warps = std::to_string((block + 31) / 32 * 32);
        unsigned id = 0;
        for (const auto &input : inputs) {
          const std::string flag = kernel.predicateOf(kernel.input(input));
          for (const std::string not_ : {"", "!"})
            for (const std::string &count : {std::string(), warps + ", "}) {
              const std::string result =
                  counts ? kernel.word() : kernel.predicate();
              kernel.line(form + " " + result + ", " +
                          std::to_string(id++ % 16) + ", " + count + not_ +
                          flag + ";");
              counts ? kernel.output(result) : kernel.outputPredicate(result);
            }
        }
        cases.push_back(
            kernel.finish(family, form + "." + std::to_string(block)));
      }
}

/// Lanes of a warp exchange through shared memory, whole and in halves.
void addWarpBarriers(std::vector<Case> &cases) {
  for (const std::string mask : {"-1", "0xffffffff", "register", "halves"}) {
    ThreadKernel kernel(64);
    const std::string slot = kernel.word(), value = kernel.input(anyWords(6)),
                      other = kernel.word(), result = kernel.word();
    declareSlots(kernel, slot);
    std::string members = mask;
    if (mask == "register")
      members = kernel.uniform(~0u);
    if (mask == "halves")
      members = kernel.input(
          [](unsigned thread) { return thread & 16 ? 0xffff0000 : 0xffff; });
    kernel.line("st.shared.b32 [" + slot + "], " + value + ";");
    kernel.line("bar.warp.sync " + members + ";");
    kernel.line("xor.b32 " + other + ", " + slot + ", 36;");
    kernel.line("ld.shared.b32 " + result + ", [" + other + "];");
    kernel.output(result);
    cases.push_back(kernel.finish(family, "bar.warp.sync." + mask));
  }
}

/// Each CTA of a cluster reads what the next one has written.
void addClusterBarriers(std::vector<Case> &cases) {
  const std::pair<std::string, std::string> forms[] = {
      {"", ""},
      {".aligned", ".aligned"},
      {".release", ".acquire"},
      {".release.aligned", ".acquire.aligned"},
      {".relaxed", ".acquire"},
      {".relaxed.aligned", ".aligned"}};
  for (const auto &[arrive, wait] : forms)
    for (unsigned cluster : {1, 2, 4})
      for (unsigned block : {32, 96}) {
        ThreadKernel kernel(block, cluster * 2, cluster);
        const std::string slot = kernel.word(), peer = kernel.word(),
                          value = kernel.input(anyWords(7)),
                          result = kernel.word(), remote = kernel.word(),
                          size = kernel.word();
        declareSlots(kernel, slot);
        auto synchronise = [&] {
          if (arrive.starts_with(".relaxed"))
            kernel.line("fence.acq_rel.cluster;");
          kernel.line("barrier.cluster.arrive" + arrive + ";");
          kernel.line("barrier.cluster.wait" + wait + ";");
        };
        kernel.line("mov.u32 " + size + ", %cluster_nctarank;");
        kernel.line("st.shared.b32 [" + slot + "], " + value + ";");
        synchronise();
        kernel.line("add.u32 " + peer + ", %rank, 1;");
        kernel.line("rem.u32 " + peer + ", " + peer + ", " + size + ";");
        kernel.line("mapa.shared::cluster.u32 " + remote + ", " + slot + ", " +
                    peer + ";");
        kernel.line("ld.shared::cluster.u32 " + result + ", [" + remote + "];");
        synchronise();
        kernel.output(result);
        cases.push_back(kernel.finish(
            family, "barrier.cluster" + arrive + wait + "." +
                        std::to_string(cluster) + "." + std::to_string(block)));
      }
}

/// A thread writes data, fences, and raises a flag that another polls.
void addFences(std::vector<Case> &cases) {
  const char *fences[] = {"fence.acq_rel.cta", "fence.acq_rel.cluster",
                          "fence.acq_rel.gpu", "fence.acq_rel.sys",
                          "fence.sc.cta",      "fence.sc.cluster",
                          "fence.sc.gpu",      "fence.sc.sys",
                          "fence.cta",         "fence.cluster",
                          "fence.gpu",         "fence.sys",
                          "membar.cta",        "membar.gl",
                          "membar.sys"};
  auto messagePassing = [&](const std::string &before, const std::string &after,
                            const std::string &name) {
    ThreadKernel kernel(64);
    kernel.declare(".global .align 4 .b32 flag[2] = {0, 0};");
    const std::string slot = kernel.word(), value = kernel.input(anyWords(8)),
                      seen = kernel.word(), waiting = kernel.predicate(),
                      isSecond = kernel.predicate(), result = kernel.word(),
                      isFirst = kernel.predicate(), peer = kernel.word();
    declareSlots(kernel, slot);
    kernel.line("setp.ge.u32 " + isSecond + ", %t, 32;");
    kernel.line("mov.b32 " + result + ", 0;");
    kernel.line("@" + isSecond + " bra second;");
    kernel.line("st.shared.b32 [" + slot + "], " + value + ";");
    kernel.line("bar.warp.sync -1;");
    kernel.line("setp.eq.u32 " + isFirst + ", %lane, 0;");
    kernel.line(before + ";");
    kernel.line("@" + isFirst + " st.relaxed.sys.global.u32 [flag], 1;");
    kernel.line("bra done;");
    kernel.line("second:");
    kernel.line("poll: ld.relaxed.sys.global.u32 " + seen + ", [flag];");
    kernel.line("setp.eq.u32 " + waiting + ", " + seen + ", 0;");
    kernel.line("@" + waiting + " bra poll;");
    kernel.line(after + ";");
    kernel.line("sub.u32 " + peer + ", " + slot + ", 128;");
    kernel.line("ld.shared.b32 " + result + ", [" + peer + "];");
    kernel.line("done:");
    kernel.output(result);
    return kernel.finish(family, name);
  };
  for (const std::string fence : fences)
    cases.push_back(messagePassing(fence, fence, fence));
  for (const std::string scope : {"cta", "cluster", "gpu", "sys"})
    cases.push_back(messagePassing("fence.release." + scope,
                                   "fence.acquire." + scope,
                                   "fence.release." + scope));
  const char *others[] = {
      "fence.proxy.alias",
      "membar.proxy.alias",
      "fence.proxy.async",
      "fence.proxy.async.global",
      "fence.proxy.async.shared::cta",
      "fence.proxy.async.shared::cluster",
      "fence.mbarrier_init.release.cluster",
      "fence.proxy.tensormap::generic.release.cta",
      "fence.proxy.tensormap::generic.release.cluster",
      "fence.proxy.tensormap::generic.release.gpu",
      "fence.proxy.tensormap::generic.release.sys",
      "fence.acquire.sync_restrict::shared::cluster.cluster",
      "fence.release.sync_restrict::shared::cta.cluster",
      ("fence.proxy.async::generic.acquire.sync_restrict::shared::cluster."
       "cluster"),
      "fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster"};
  for (const std::string fence : others)
    cases.push_back(exchange(fence, 64, [&](ThreadKernel &kernel) {
      kernel.line(fence + ";");
      kernel.line("bar.sync 0;");
    }));
  for (const std::string scope : {"cta", "cluster", "gpu", "sys"}) {
    const std::string fence = "fence.proxy.tensormap::generic.acquire." + scope;
    cases.push_back(exchange(fence, 64, [&](ThreadKernel &kernel) {
      kernel.declare(".global .align 128 .b8 map[128];");
      const std::string address = kernel.wide();
      kernel.line("mov.u64 " + address + ", map;");
      kernel.line("cvta.global.u64 " + address + ", " + address + ";");
      kernel.line(fence + " [" + address + "], 128;");
      kernel.line("bar.sync 0;");
    }));
  }
}

} // namespace

std::vector<Case> barrierCases() {
  std::vector<Case> cases;
  addSyncs(cases);
  addArrivals(cases);
  addReductions(cases);
  addWarpBarriers(cases);
  addClusterBarriers(cases);
  addFences(cases);
  return cases;
}

} // namespace ashlar::conformance
