// mbarrier: every form, through phases that threads of one CTA or of a cluster
// complete.
#include "test/conformance/ThreadKernel.h"

namespace ashlar::conformance {

namespace {

constexpr const char *family = "mbarrier";

/// How a barrier is named: by a variable, a shared address in a register, or a
/// generic address.
struct Naming {
  std::string space; // ".shared", ".shared::cta", or "" for generic
  std::string name;
  bool byRegister = true;
};

const Naming namings[] = {{".shared", "shared", false},
                          {".shared::cta", "cta", true},
                          {"", "generic", true}};

struct Barrier {
  ThreadKernel &kernel;
  std::string space, at;
  unsigned labels = 0;

  Barrier(ThreadKernel &kernel, const Naming &naming)
      : kernel(kernel), space(naming.space), at("barrier") {
    kernel.declare(".shared .align 8 .b64 barrier;");
    if (!naming.byRegister)
      return;
    if (!naming.space.empty()) {
      at = kernel.word();
      kernel.line("mov.u32 " + at + ", barrier;");
      return;
    }
    at = kernel.wide();
    kernel.line("mov.u64 " + at + ", barrier;");
    kernel.line("cvta.shared.u64 " + at + ", " + at + ";");
  }

  /// By the first thread, before all others go on.
  void initialise(const std::string &count) {
    const std::string first = kernel.predicate();
    kernel.line("setp.eq.u32 " + first + ", %t, 0;");
    kernel.line("@" + first + " mbarrier.init" + space + ".b64 [" + at + "], " +
                count + ";");
    kernel.line("bar.sync 0;");
  }

  std::string arrive(const std::string &modifiers = "",
                     const std::string &count = "",
                     const std::string &operation = "arrive") {
    const std::string state = kernel.wide();
    kernel.line("mbarrier." + operation + modifiers + space + ".b64 " + state +
                ", [" + at + "]" + (count.empty() ? "" : ", " + count) + ";");
    return state;
  }

  std::string test(const std::string &wait, const std::string &phase,
                   const std::string &hint = "") {
    const std::string done = kernel.predicate();
    kernel.line("mbarrier." + wait + space + ".b64 " + done + ", [" + at +
                "], " + phase + (hint.empty() ? "" : ", " + hint) + ";");
    return done;
  }

  /// Until the phase is complete.
  void wait(const std::string &wait, const std::string &phase,
            const std::string &hint = "") {
    const std::string label = "again" + std::to_string(labels++);
    kernel.line(label + ":");
    const std::string done = test(wait, phase, hint);
    kernel.line("@!" + done + " bra " + label + ";");
  }

  void outputPending(const std::string &state) {
    const std::string count = kernel.word();
    kernel.line("mbarrier.pending_count.b64 " + count + ", " + state + ";");
    kernel.output(count);
  }
};

constexpr const char *orders[] = {"", ".release.cta", ".release.cluster"};
constexpr const char *waits[] = {"", ".acquire.cta", ".acquire.cluster"};

/// One thread takes a barrier through its phases and notes what it sees.
void addSingle(std::vector<Case> &cases) {
  for (const Naming &naming : namings)
    for (const std::string wait : {"test_wait", "try_wait"}) {
      ThreadKernel kernel(1);
      Barrier barrier(kernel, naming);
      barrier.initialise(kernel.uniform(5));
      auto look = [&](const std::string &state) {
        barrier.outputPending(state);
        // Only what has completed, so that try_wait does not sleep.
        kernel.outputPredicate(barrier.test("test_wait.parity", "0"));
        kernel.outputPredicate(barrier.test("test_wait.parity", "1"));
        kernel.outputPredicate(barrier.test("test_wait", state));
      };
      std::string state = barrier.arrive();
      look(state);
      look(barrier.arrive("", kernel.uniform(2)));
      look(barrier.arrive("", "1"));
      const std::string last = barrier.arrive();
      look(last);
      kernel.outputPredicate(barrier.test(wait, last));
      kernel.outputPredicate(barrier.test(wait + ".parity", "0"));
      // The second phase at once, then the third without waiting between.
      state = barrier.arrive("", "5");
      look(state);
      kernel.outputPredicate(barrier.test(wait + ".parity", "1"));
      kernel.outputPredicate(barrier.test(wait, state));
      look(barrier.arrive("", "3"));
      look(barrier.arrive(".noComplete", "1"));
      look(barrier.arrive());
      kernel.line("mbarrier.inval" + barrier.space + ".b64 [" + barrier.at +
                  "];");
      kernel.line("mbarrier.init" + barrier.space + ".b64 [" + barrier.at +
                  "], 1;");
      look(barrier.arrive());
      kernel.line("mbarrier.inval" + barrier.space + ".b64 [" + barrier.at +
                  "];");
      cases.push_back(
          kernel.finish(family, "single." + naming.name + "." + wait));
    }
}

/// Threads that drop out, alone and by several.
void addDrops(std::vector<Case> &cases) {
  for (const Naming &naming : namings) {
    ThreadKernel kernel(1);
    Barrier barrier(kernel, naming);
    barrier.initialise("6");
    barrier.outputPending(barrier.arrive("", "", "arrive_drop"));
    barrier.outputPending(barrier.arrive("", "2", "arrive_drop"));
    barrier.outputPending(barrier.arrive(".noComplete", "1", "arrive_drop"));
    kernel.outputPredicate(barrier.test("test_wait.parity", "0"));
    barrier.outputPending(barrier.arrive("", "2"));
    kernel.outputPredicate(barrier.test("test_wait.parity", "0"));
    // Two are left.
    barrier.outputPending(barrier.arrive());
    kernel.outputPredicate(barrier.test("test_wait.parity", "1"));
    barrier.outputPending(barrier.arrive());
    kernel.outputPredicate(barrier.test("test_wait.parity", "1"));
    cases.push_back(kernel.finish(family, "drop." + naming.name));
  }
}

/// Transactions: expected and completed, before and after the arrivals.
void addTransactions(std::vector<Case> &cases) {
  for (const Naming &naming : namings)
    for (const std::string order : {"", ".relaxed.cta", ".relaxed.cluster"}) {
      ThreadKernel kernel(1);
      Barrier barrier(kernel, naming);
      barrier.initialise("2");
      auto transact = [&](const std::string &operation,
                          const std::string &bytes) {
        kernel.line("mbarrier." + operation + order + barrier.space + ".b64 [" +
                    barrier.at + "], " + bytes + ";");
        kernel.outputPredicate(barrier.test("test_wait.parity", "0"));
        kernel.outputPredicate(barrier.test("test_wait.parity", "1"));
      };
      transact("expect_tx", "64");
      barrier.outputPending(barrier.arrive());
      barrier.outputPending(barrier.arrive());
      transact("complete_tx", kernel.uniform(48));
      transact("complete_tx", "16"); // ends phase 0
      transact("expect_tx", kernel.uniform(1048575));
      transact("complete_tx", "1048575");
      barrier.outputPending(barrier.arrive(".expect_tx", "32"));
      barrier.outputPending(
          barrier.arrive(".expect_tx", kernel.uniform(100), "arrive_drop"));
      transact("complete_tx", "132"); // ends phase 1; one is left
      barrier.outputPending(barrier.arrive());
      transact("expect_tx", "0");
      barrier.outputPending(barrier.arrive(".expect_tx", "0"));
      transact("expect_tx", "0");
      cases.push_back(
          kernel.finish(family, "transactions." + naming.name + order));
    }
}

/// All threads of a CTA exchange values through shared memory, phase by phase.
void addExchanges(std::vector<Case> &cases) {
  for (const Naming &naming : namings)
    for (unsigned order = 0; order < 3; ++order)
      for (const std::string wait : {"test_wait", "try_wait"})
        for (const std::string how : {"state", "parity", "hint", "relaxed"}) {
          if (how == "hint" && wait == "test_wait")
            continue;
          const unsigned block = 96;
          ThreadKernel kernel(block);
          Barrier barrier(kernel, naming);
          kernel.declare(".shared .align 4 .b32 slots[256];");
          barrier.initialise(std::to_string(block));
          const std::string value = kernel.input(anyWords(1)),
                            slot = kernel.word(), other = kernel.word(),
                            result = kernel.word(), base = kernel.word();
          kernel.line("mov.u32 " + base + ", slots;");
          kernel.line("shl.b32 " + slot + ", %t, 2;");
          kernel.line("add.u32 " + slot + ", " + slot + ", " + base + ";");
          kernel.line("add.u32 " + other + ", %t, 41;");
          kernel.line("rem.u32 " + other + ", " + other + ", %block;");
          kernel.line("shl.b32 " + other + ", " + other + ", 2;");
          kernel.line("add.u32 " + other + ", " + other + ", " + base + ";");
          for (unsigned phase = 0; phase < 4; ++phase) {
            // Odd phases let the readers of the even ones be done.
            if (phase % 2 == 0)
              kernel.line("st.shared.b32 [" + slot + "], " + value + ";");
            std::string state;
            if (how == "relaxed") {
              kernel.line("fence.acq_rel.cta;");
              state = barrier.arrive(".relaxed.cta");
              barrier.wait(wait + ".relaxed.cta", state);
              kernel.line("fence.acq_rel.cta;");
            } else {
              state = barrier.arrive(orders[order]);
              if (how == "state")
                barrier.wait(wait + waits[order], state);
              else
                barrier.wait(wait + ".parity" + waits[order],
                             std::to_string(phase % 2),
                             how == "hint" ? "1000" : "");
            }
            if (phase % 2)
              continue;
            kernel.line("ld.shared.b32 " + result + ", [" + other + "];");
            kernel.output(result);
            kernel.line("xor.b32 " + value + ", " + value + ", " + result +
                        ";");
          }
          cases.push_back(kernel.finish(family, "exchange." + naming.name +
                                                    "." + wait + "." + how +
                                                    orders[order]));
        }
}

/// Threads of every CTA arrive at the barrier of the first one, and threads of
/// the first one at all others', with and without bytes.
void addRemote(std::vector<Case> &cases) {
  const std::string forms[] = {"arrive",
                               "arrive.release.cluster",
                               "arrive.release.cta",
                               "arrive.relaxed.cluster",
                               "arrive.expect_tx",
                               "arrive.expect_tx.release.cluster",
                               "arrive.expect_tx.relaxed.cluster",
                               "arrive_drop",
                               "arrive_drop.release.cluster",
                               "arrive_drop.relaxed.cluster",
                               "arrive_drop.expect_tx",
                               "arrive_drop.expect_tx.release.cluster",
                               "count",
                               "generic"};
  for (const std::string &form : forms)
    for (unsigned cluster : {2, 4}) {
      ThreadKernel kernel(32, cluster, cluster);
      Barrier barrier(kernel, namings[1]);
      const bool counts = form == "count";
      const bool expects = form.find("expect_tx") != std::string::npos;
      const unsigned each = counts ? 3 : 1;
      const std::string first = kernel.predicate(), remote = kernel.word(),
                        rank = kernel.word(), size = kernel.word();
      // Somebody must be left for the next phase.
      const bool drops = form.starts_with("arrive_drop");
      barrier.initialise(std::to_string(cluster * 32 * each + drops));
      kernel.line("setp.eq.u32 " + first + ", %t, 0;");
      kernel.line("@" + first + " fence.mbarrier_init.release.cluster;");
      auto synchronise = [&] {
        kernel.line("barrier.cluster.arrive;");
        kernel.line("barrier.cluster.wait;");
      };
      synchronise();
      kernel.line("mov.u32 " + size + ", %cluster_nctarank;");
      // Lane l of CTA r arrives at CTA (l + r) mod n: each gets them all from
      // a share of the lanes, the rest comes from the same lanes again.
      for (unsigned turn = 0; turn < cluster; ++turn) {
        kernel.line("add.u32 " + rank + ", %lane, " + std::to_string(turn) +
                    ";");
        kernel.line("add.u32 " + rank + ", " + rank + ", %rank;");
        kernel.line("rem.u32 " + rank + ", " + rank + ", " + size + ";");
        kernel.line("mapa.shared::cluster.u32 " + remote + ", " + barrier.at +
                    ", " + rank + ";");
        if (form == "generic") {
          const std::string generic = kernel.wide(), local = kernel.wide();
          kernel.line("cvt.u64.u32 " + local + ", " + remote + ";");
          kernel.line("cvta.shared::cluster.u64 " + generic + ", " + local +
                      ";");
          kernel.line("mbarrier.arrive.release.cluster.b64 _, [" + generic +
                      "];");
          continue;
        }
        const std::string operation = counts ? "arrive.release.cluster" : form;
        kernel.line("mbarrier." + operation + ".shared::cluster.b64 _, [" +
                    remote + "]" +
                    (counts    ? ", 3"
                     : expects ? ", 8"
                               : "") +
                    ";");
        if (expects)
          kernel.line("mbarrier.complete_tx.relaxed.cluster.shared::cluster"
                      ".b64 [" +
                      remote + "], 8;");
      }
      if (drops)
        kernel.line("@" + first + " mbarrier.arrive.shared::cta.b64 _, [" +
                    barrier.at + "];");
      barrier.wait("try_wait.parity.acquire.cluster", "0");
      kernel.outputPredicate(barrier.test("test_wait.parity", "0"));
      synchronise();
      cases.push_back(kernel.finish(family, "remote." + form + "." +
                                                std::to_string(cluster)));
    }
}

} // namespace

std::vector<Case> mbarrierCases() {
  std::vector<Case> cases;
  addSingle(cases);
  addDrops(cases);
  addTransactions(cases);
  addExchanges(cases);
  addRemote(cases);
  return cases;
}

} // namespace ashlar::conformance
