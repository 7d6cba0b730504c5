// shfl, vote, match, redux, elect, activemask: every mode, with whole and
// partial membermasks.
#include "test/conformance/ThreadKernel.h"

namespace ashlar::conformance {

namespace {

constexpr const char *family = "warp";

std::string hexadecimal(uint32_t value) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text = "0x";
  for (int shift = 28; shift >= 0; shift -= 4)
    text += digits[value >> shift & 15];
  return text;
}

/// Executes `body` by the lanes of the mask, all others going around it.
void byLanes(ThreadKernel &kernel, uint32_t mask,
             const std::function<void()> &body) {
  if (mask == ~0u)
    return body();
  const std::string bit = kernel.word(), others = kernel.predicate();
  kernel.line("shr.u32 " + bit + ", " + hexadecimal(mask) + ", %lane;");
  kernel.line("and.b32 " + bit + ", " + bit + ", 1;");
  kernel.line("setp.eq.u32 " + others + ", " + bit + ", 0;");
  kernel.line("@" + others + " bra around;");
  body();
  kernel.line("around:");
}

/// A register that holds 0 until the body has written it.
std::string zeroed(ThreadKernel &kernel) {
  const std::string target = kernel.word();
  kernel.line("mov.b32 " + target + ", 0;");
  return target;
}

std::string falseAtFirst(ThreadKernel &kernel) {
  const std::string target = kernel.predicate();
  kernel.line("setp.ne.u32 " + target + ", 0, 0;");
  return target;
}

struct Shuffle {
  std::string mode;
  std::function<uint32_t(unsigned)> b, c;
  uint32_t members;
  std::string name;
};

Case shuffleCase(const Shuffle &shuffle, bool hasPredicate) {
  ThreadKernel kernel(32);
  constexpr unsigned rounds = 4;
  std::vector<std::string> values, bs, cs, results, valid;
  for (unsigned round = 0; round < rounds; ++round) {
    values.push_back(kernel.input(anyWords(round)));
    bs.push_back(kernel.input(
        [&](unsigned thread) { return shuffle.b(thread + 32 * round); }));
    cs.push_back(kernel.input(
        [&](unsigned thread) { return shuffle.c(thread + 32 * round); }));
    results.push_back(zeroed(kernel));
    valid.push_back(falseAtFirst(kernel));
  }
  const std::string members = kernel.uniform(shuffle.members);
  byLanes(kernel, shuffle.members, [&] {
    for (unsigned round = 0; round < rounds; ++round)
      kernel.line("shfl.sync." + shuffle.mode + ".b32 " + results[round] +
                  (hasPredicate ? "|" + valid[round] : "") + ", " +
                  values[round] + ", " + bs[round] + ", " + cs[round] + ", " +
                  members + ";");
  });
  for (unsigned round = 0; round < rounds; ++round) {
    kernel.output(results[round]);
    kernel.outputPredicate(valid[round]);
  }
  return kernel.finish(family, "shfl." + shuffle.mode + "." + shuffle.name +
                                   (hasPredicate ? ".p" : ""));
}

void addShuffles(std::vector<Case> &cases) {
  auto constant = [](uint32_t value) {
    return [value](unsigned) { return value; };
  };
  for (const std::string mode : {"up", "down", "bfly", "idx"}) {
    const uint32_t clamp = mode == "up" ? 0 : 31;
    const Shuffle all[] = {
        {mode, smallWords(1, 32), constant(clamp), ~0u, "whole"},
        {mode, anyWords(2), constant(clamp), ~0u, "b.any"},
        {mode, smallWords(3, 32), smallWords(4, 1u << 13), ~0u, "c.any"},
        {mode, anyWords(5), anyWords(6), ~0u, "any"},
        {mode, smallWords(7, 16), constant(0x1000 | (clamp & 15)), 0xffff,
         "half"},
        {mode, smallWords(8, 8), constant(0x1800 | (clamp & 7)), 0xff00ff00,
         "bytes"},
        {mode, smallWords(9, 4), constant(0x1c00 | (clamp & 3)), 0xf0,
         "quarter"},
    };
    for (const Shuffle &shuffle : all)
      for (bool hasPredicate : {false, true})
        cases.push_back(shuffleCase(shuffle, hasPredicate));
    ThreadKernel kernel(32);
    const std::string value = kernel.input(anyWords(10));
    for (unsigned b : {0, 1, 5, 16, 31})
      for (unsigned c : {0u, 31u, 0x181fu, 0x1f1fu, 0x0c0bu}) {
        const std::string result = kernel.word(), valid = kernel.predicate();
        kernel.line("shfl.sync." + mode + ".b32 " + result + "|" + valid +
                    ", " + value + ", " + std::to_string(b) + ", " +
                    std::to_string(c) + ", -1;");
        kernel.output(result);
        kernel.outputPredicate(valid);
      }
    const std::string constantValue = kernel.word();
    kernel.line("shfl.sync." + mode + ".b32 " + constantValue + ", 17, 1, " +
                std::to_string(clamp) + ", 0xffffffff;");
    kernel.output(constantValue);
    cases.push_back(kernel.finish(family, "shfl." + mode + ".immediate"));
  }
}

constexpr uint32_t masks[] = {~0u, 0xffff, 0xaaaaaaaa, 0x80000001, 0x00100000};

void addVotes(std::vector<Case> &cases) {
  for (const std::string mode : {"all", "any", "uni", "ballot"})
    for (uint32_t mask : masks)
      for (bool negated : {false, true}) {
        ThreadKernel kernel(32);
        const bool ballot = mode == "ballot";
        const std::string members = kernel.uniform(mask);
        std::vector<std::string> given, results;
        const std::function<uint32_t(unsigned)> inputs[] = {
            smallWords(1, 2), smallWords(2, 8), [](unsigned) { return 0u; },
            [](unsigned) { return 1u; },
            [](unsigned thread) { return uint32_t(thread == 20); }};
        for (const auto &input : inputs) {
          given.push_back(kernel.predicateOf(kernel.input(input)));
          results.push_back(ballot ? zeroed(kernel) : falseAtFirst(kernel));
        }
        byLanes(kernel, mask, [&] {
          for (size_t i = 0; i < given.size(); ++i)
            kernel.line("vote.sync." + mode + (ballot ? ".b32 " : ".pred ") +
                        results[i] + ", " + (negated ? "!" : "") + given[i] +
                        ", " + members + ";");
        });
        for (const std::string &result : results)
          ballot ? kernel.output(result) : kernel.outputPredicate(result);
        cases.push_back(kernel.finish(family, "vote." + mode +
                                                  (negated ? ".not." : ".") +
                                                  hexadecimal(mask)));
      }
}

void addMatches(std::vector<Case> &cases) {
  for (const std::string mode : {"any", "all"})
    for (const std::string type : {"b32", "b64"})
      for (uint32_t mask : masks) {
        ThreadKernel kernel(32);
        const std::string members = kernel.uniform(mask);
        std::vector<std::string> values, results, equal;
        for (unsigned round = 0; round < 4; ++round) {
          const unsigned kinds[] = {1, 2, 5, 32};
          std::string value = kernel.input(smallWords(round, kinds[round]));
          if (type == "b64") {
            const std::string high = kernel.input(smallWords(round + 9, 2));
            const std::string wide = kernel.wide();
            kernel.line("mov.b64 " + wide + ", {" + value + ", " + high + "};");
            value = wide;
          }
          values.push_back(value);
          results.push_back(zeroed(kernel));
          equal.push_back(falseAtFirst(kernel));
        }
        byLanes(kernel, mask, [&] {
          for (size_t i = 0; i < values.size(); ++i)
            kernel.line("match." + mode + ".sync." + type + " " + results[i] +
                        (mode == "all" && i != 3 ? "|" + equal[i] : "") + ", " +
                        values[i] + ", " + members + ";");
        });
        for (size_t i = 0; i < values.size(); ++i) {
          kernel.output(results[i]);
          kernel.outputPredicate(equal[i]);
        }
        cases.push_back(kernel.finish(family, "match." + mode + "." + type +
                                                  "." + hexadecimal(mask)));
      }
}

void addReductions(std::vector<Case> &cases) {
  const char *operations[] = {"add.u32", "add.s32", "min.u32",
                              "min.s32", "max.u32", "max.s32",
                              "and.b32", "or.b32",  "xor.b32"};
  for (const std::string operation : operations)
    for (uint32_t mask : masks) {
      ThreadKernel kernel(32);
      const std::string members = kernel.uniform(mask);
      std::vector<std::string> values, results;
      for (unsigned round = 0; round < 4; ++round) {
        values.push_back(kernel.input(round == 3 ? smallWords(3, 10)
                                                 : anyWords(round + 20)));
        results.push_back(zeroed(kernel));
      }
      byLanes(kernel, mask, [&] {
        for (size_t i = 0; i < values.size(); ++i)
          kernel.line("redux.sync." + operation + " " + results[i] + ", " +
                      values[i] + ", " + members + ";");
      });
      for (const std::string &result : results)
        kernel.output(result);
      cases.push_back(kernel.finish(family, "redux." + operation + "." +
                                                hexadecimal(mask)));
    }
}

void addElections(std::vector<Case> &cases) {
  for (uint32_t mask : masks) {
    ThreadKernel kernel(32);
    const std::string members = kernel.uniform(mask);
    const std::string leader = zeroed(kernel), isLeader = falseAtFirst(kernel);
    const std::string second = falseAtFirst(kernel);
    byLanes(kernel, mask, [&] {
      kernel.line("elect.sync " + leader + "|" + isLeader + ", " + members +
                  ";");
      kernel.line("elect.sync _|" + second + ", " + hexadecimal(mask) + ";");
    });
    kernel.output(leader);
    kernel.outputPredicate(isLeader);
    kernel.outputPredicate(second);
    cases.push_back(kernel.finish(family, "elect." + hexadecimal(mask)));
  }
  for (unsigned block : {32, 20, 1, 64}) {
    ThreadKernel kernel(block);
    const std::string active = kernel.word();
    kernel.line("activemask.b32 " + active + ";");
    kernel.output(active);
    cases.push_back(
        kernel.finish(family, "activemask." + std::to_string(block)));
  }
}

/// Lanes of a warp in groups of 8, each with a membermask of its own, all at
/// one instruction.
void addTiles(std::vector<Case> &cases) {
  ThreadKernel kernel(32);
  const std::string value = kernel.input(anyWords(30));
  const std::string flag = kernel.predicateOf(kernel.input(smallWords(31, 2)));
  const std::string members =
      kernel.input([](unsigned thread) { return 0xffu << (thread / 8 * 8); });
  const std::string sum = kernel.word(), ballot = kernel.word(),
                    moved = kernel.word(), same = kernel.word();
  kernel.line("redux.sync.add.u32 " + sum + ", " + value + ", " + members +
              ";");
  kernel.line("vote.sync.ballot.b32 " + ballot + ", " + flag + ", " + members +
              ";");
  kernel.line("shfl.sync.down.b32 " + moved + ", " + value + ", 3, 0x1807, " +
              members + ";");
  kernel.line("match.any.sync.b32 " + same + ", " + ballot + ", " + members +
              ";");
  kernel.line("bar.warp.sync " + members + ";");
  for (const std::string &result : {sum, ballot, moved, same})
    kernel.output(result);
  cases.push_back(kernel.finish(family, "tiles"));
}

} // namespace

std::vector<Case> warpCases() {
  std::vector<Case> cases;
  addShuffles(cases);
  addVotes(cases);
  addMatches(cases);
  addReductions(cases);
  addElections(cases);
  addTiles(cases);
  return cases;
}

} // namespace ashlar::conformance
