// The registers of GEMM's roles, and what ptxas was seen to need of them.

#include "GemmResources.h"
#include "GemmTiling.h"
#include "compiler/target/Target.h"

#include <algorithm>
#include <numeric>

namespace ashlar {

int64_t accumulatorRegisters(const GemmTypes &types, const GemmConfig &c) {
  const int64_t threads = target::warpgroupThreads * warpgroupsOfTile(c);
  return c.bm * c.bn / threads * (isPromoted(types) ? 2 : 1);
}

namespace {

/// Whether the product is stored as it is, or through relu.
bool isPlain(const GemmForm &form) {
  GemmForm other = form;
  other.batched = false;
  return other == GemmForm{.activation = form.activation} &&
         form.activation <= Activation::relu;
}

/// Whether each value of a strip is done with before the next.
bool isByValue(const GemmForm &form) {
  GemmForm other = form;
  other.bias = false;
  return isPlain(other);
}

/// Whether bytes are stored transposed: packed from all rows of a strip.
bool packsBytes(const GemmTypes &types, const GemmConfig &c) {
  return storesTransposed(types, c) && size_bytes(types.d) == 1;
}

/// What a thread holds for each value of a strip, in halves of a register.
int64_t halvesHeld(const GemmTypes &types, const GemmConfig &c,
                   const GemmForm &form) {
  int64_t halves = form.bias ? 1 : 0;
  if (!isByValue(form))
    halves =
        2 + 2 * form.c + form.auxiliary + (form.activation == Activation::silu);
  if (c.stream_k)
    halves += 3;
  // Unless each is packed at once.
  if (storesTransposed(types, c))
    halves += c.stream_k ? 2 : isByValue(form) ? 0 : 1;
  return halves;
}

/// A thread's sums, the products of two stages, so many each, their rows, and
/// all else: what hopper-overlap-products counts with.
int64_t registersInFlight(const GemmTypes &types, const GemmConfig &c,
                          int64_t products) {
  const int64_t sums = accumulatorRegisters(types, c) / 2;
  return sums + 2 * products * (sums + operandRegisters(types, c)) +
         target::registersBesideFragments;
}

} // namespace

/// What a thread of math was seen to need beside its sums and both parts of its
/// rows of f32; and the most that it can have beside who makes parts of bf16.
constexpr int64_t besideParts = 24, mostBesideMaking = 216;

/// Math has what its sums need, and threads that load, which hold what is on
/// its way, the rest.
static RoleRegisters registersBesideLoaders(const GemmTypes &types,
                                            const GemmConfig &c) {
  constexpr int64_t unit = 8, most = 232;
  const int64_t besideSums = packsBytes(types, c) ? 56 : 48;
  // What is prepared, and maybe transposed, is held as a whole, by those who
  // share the tile.
  const int64_t least =
      104 + (c.prepared_a || c.prepared_b ? 64 / warpgroupsOfTile(c) : 0);
  auto down = [&](int64_t registers) { return registers / unit * unit; };
  const int64_t loaders = c.load_warps / target::warpgroupWarps;
  const int64_t all = target::entryRegisters(target::warpgroupThreads *
                                             (c.warpgroups + loaders)) *
                      (c.warpgroups + loaders);
  const int64_t math =
      std::clamp(down(accumulatorRegisters(types, c) + besideSums + unit - 1),
                 least, most);
  return {std::min(down((all - c.warpgroups * math) / loaders), most), math};
}

/// Whether a row of a stage along M or N, as wgmma transposes it, is no whole
/// number of boxes of a swizzle atom: who loads it has tensor maps of two
/// kinds, and was seen to need more registers.
static bool hasUnevenBoxes(const GemmTypes &types, const GemmConfig &c) {
  const int64_t atom = target::mostSwizzleBytes / size_bytes(types.a);
  auto isUneven = [&](int64_t extent, bool isKMajor, bool isTransposed) {
    return !isKMajor && !isTransposed && extent > atom && extent % atom != 0;
  };
  return isUneven(c.bm, isAboveKMajor(types, c), isAboveTransposed(c)) ||
         isUneven(c.bn, isBesideKMajor(types, c), isBesideTransposed(c));
}

/// What it was seen to need at least, and math beside its sums.
constexpr int64_t leastOfUnevenBoxes = 56, besideUnevenBoxes = 56;

/// What the loader and a warpgroup beside math that has so many leave it.
static RoleRegisters registersBeside(const GemmTypes &types,
                                     const GemmConfig &c, int64_t other) {
  constexpr int64_t most = 232;
  const bool isUneven = hasUnevenBoxes(types, c);
  const int64_t least = isUneven ? 48 : 32,
                enough = isUneven ? leastOfUnevenBoxes : 40;
  const int64_t warpgroups = c.warpgroups + 2;
  const int64_t left =
      target::entryRegisters(target::warpgroupThreads * warpgroups) *
          warpgroups -
      other;
  const int64_t ofEach = (left - least) / c.warpgroups;
  const int64_t math =
      std::min(ofEach / target::registerStep * target::registerStep, most);
  return {std::min(left - c.warpgroups * math, enough), math};
}

/// The loader has what sums leave it, up to where more is of no use.
static RoleRegisters registersOfUnevenBoxes(const GemmTypes &types,
                                            const GemmConfig &c) {
  constexpr int64_t most = 72, step = target::registerStep;
  const int64_t warpgroups = c.warpgroups + 1;
  const int64_t all =
      target::entryRegisters(target::warpgroupThreads * warpgroups) *
      warpgroups;
  const int64_t math =
      (accumulatorRegisters({}, c) + besideUnevenBoxes + step - 1) / step *
      step;
  const int64_t load =
      std::clamp(all - c.warpgroups * math, leastOfUnevenBoxes, most);
  return {load, (all - load) / c.warpgroups / step * step};
}

static RoleRegisters registersBesideTransposing(const GemmTypes &types,
                                                const GemmConfig &c) {
  constexpr int64_t transpose = 80;
  RoleRegisters registers = registersBeside(types, c, transpose);
  registers.made = transpose;
  return registers;
}

/// None where math alone prepares: where a role beside it would leave it too
/// few, what is prepared goes through shared memory, or tiles are of small
/// problems, or hide their epilogue, which were faster without.
static RoleRegisters registersBesidePreparing(const GemmTypes &types,
                                              const GemmConfig &c,
                                              const GemmForm &form) {
  // Beside sums ptxas takes so many for a wgmma, when the kernel starts
  // (C7602).
  constexpr int64_t prepare = 88, besideSums = 26;
  const bool isPrepared = c.prepared_a || c.prepared_b;
  const int64_t entry =
      target::entryRegisters(target::warpgroupThreads * (c.warpgroups + 2));
  if (!isPrepared || isPreparedThroughShared(types, c) || c.warpgroups != 2 ||
      c.ping_pong || c.split > 1 || c.stream_k || !isByValue(form) ||
      accumulatorRegisters(types, c) + 2 * operandRegisters(types, c) +
              besideSums >
          entry)
    return {0, 0};
  RoleRegisters registers = registersBeside(types, c, prepare);
  registers.prepare = prepare;
  return registers;
}

/// What a thread of math holds of its rows, big and small.
static int64_t registersOfParts(const GemmTypes &types, const GemmConfig &c) {
  const int64_t rows = c.bm / warpgroupsOfTile(c);
  return 2 * rows * productDepth(types, c) / target::warpgroupThreads;
}

/// Who makes parts waits for what it has loaded each time: it has what math
/// leaves it, up to where more is of no use, and math the rest.
static RoleRegisters registersBesideParts(const GemmTypes &types,
                                          const GemmConfig &c) {
  constexpr int64_t step = target::registerStep, most = 104;
  const int64_t warpgroups = c.warpgroups + 2;
  const int64_t all =
      target::entryRegisters(target::warpgroupThreads * warpgroups) *
          warpgroups -
      target::leastBudget;
  const int64_t needed =
      accumulatorRegisters(types, c) + registersOfParts(types, c) + besideParts;
  const int64_t left = std::min((all - most) / c.warpgroups, mostBesideMaking);
  const int64_t math = std::min(std::max(left, needed + step - 1) / step * step,
                                target::mostBudget);
  return {target::leastBudget, math, std::min(all - c.warpgroups * math, most)};
}

RoleRegisters roleRegisters(const GemmTypes &types, const GemmConfig &c,
                            const GemmForm &form) {
  constexpr int64_t few = 96, many = 176;
  if (c.bf16_parts)
    return registersBesideParts(types, c);
  if (isInParts(types))
    return {target::leastBudget, c.warpgroups == 3 ? 144 : 232,
            target::leastBudget};
  if (c.load_warps > 1)
    return registersBesideLoaders(types, c);
  if (isBesideTransposed(c))
    return registersBesideTransposing(types, c);
  if (const RoleRegisters beside = registersBesidePreparing(types, c, form);
      beside.prepare > 0)
    return beside;
  const bool isUneven = hasUnevenBoxes(types, c);
  if (c.warpgroups == 3)
    return {isUneven ? leastOfUnevenBoxes : 32, 152};
  // The loader counts as a warpgroup.
  const int64_t without =
      target::entryRegisters(target::warpgroupThreads * (c.warpgroups + 1));
  const int64_t sums = accumulatorRegisters({}, c);
  // Several products of a stage each have rows in registers.
  const bool areMore = isAboveTransposed(c) && c.bk > productDepth(types, c);
  const bool hasMore = c.split > 1 || c.stream_k || areMore || !isByValue(form);
  if (c.warpgroups == 1 ||
      (!hasMore &&
       sums * (isPromoted(types) ? 3 : 1) + 2 * operandRegisters(types, c) <=
           few))
    return {0, without};
  if (isUneven)
    return registersOfUnevenBoxes(types, c);
  return sums > many ? RoleRegisters{target::leastBudget, target::mostBudget}
                     : RoleRegisters{40, 232};
}

int64_t productsTogether(const GemmTypes &types, const GemmConfig &c) {
  if (!isInParts(types))
    return 1;
  // With several ptxas needs a few registers more.
  constexpr int64_t besideSeveral = besideParts + 8;
  const int64_t sums = accumulatorRegisters({}, c);
  const int64_t left = roleRegisters(types, c).math -
                       (isCompensated(types, c) ? 2 : 1) * sums - besideSeveral;
  return std::clamp<int64_t>(left / (sums + registersOfParts(types, c)), 1,
                             productsOfStage(types, c));
}

bool isCompensated(const GemmTypes &types, const GemmConfig &c) {
  constexpr int64_t fewSums = 8;
  return isInParts(types) && accumulatorRegisters({}, c) <= fewSums;
}

bool isStageRounded(const GemmTypes &types, const GemmConfig &c) {
  constexpr int64_t fewColumns = 8; // of 16 it cost 4 % (2x4608x36864)
  return c.bf16_parts || (isInParts(types) && c.bn <= fewColumns);
}

int64_t partsTogether(const GemmTypes &types, const GemmConfig &c) {
  constexpr int64_t beside = 24, ofPart = 8;
  return c.bf16_parts ? (roleRegisters(types, c).made - beside) / ofPart : 2;
}

int64_t preparedSections(const GemmTypes &types, const GemmConfig &c,
                         const GemmForm &form) {
  return roleRegisters(types, c, form).prepare > 0 ? 3 : 1;
}

int64_t loadBatches(const GemmTypes &types, const GemmConfig &c) {
  // As copies by threads share out rows: pairs of words of 16 bytes, for which
  // a thread reads one more, beside what it was seen to need.
  constexpr int64_t pairBytes = 32, registersOfPair = 12, beside = 48;
  const int64_t threads = target::warpThreads * c.load_warps / c.load_groups;
  const int64_t most = std::max<int64_t>(
      (roleRegisters(types, c).load - beside) / registersOfPair, 1);
  bool isOnePass = true;
  int64_t together = 0, apart = 0;
  auto add = [&](const Obstacles &obstacles, bool isPrepared, bool isKMajor,
                 int64_t extent) {
    if (!obstacles.isShifted || isPrepared)
      return;
    const int64_t rows = isKMajor ? extent : c.bk;
    const int64_t pairs = std::max<int64_t>(
        (isKMajor ? c.bk : extent) * size_bytes(types.a) / pairBytes, 1);
    const int64_t lanes = std::gcd(threads, pairs); // threads of a row
    const int64_t rowsOfThread = ceilDiv(rows, threads / lanes);
    isOnePass &= lanes == pairs;
    together += rowsOfThread;
    apart += pairs / lanes * ceilDiv(rowsOfThread, most);
  };
  add(obstaclesOfA(types), c.prepared_a,
      c.swapped ? isBesideKMajor(types, c) : isAboveKMajor(types, c),
      c.swapped ? c.bn : c.bm);
  add(obstaclesOfB(types), c.prepared_b,
      c.swapped ? isAboveKMajor(types, c) : isBesideKMajor(types, c),
      c.swapped ? c.bm : c.bn);
  return isOnePass && together <= most ? 1 : apart;
}

bool isProductInFlight(const GemmTypes &types, const GemmConfig &c) {
  return isPromoted(types) && !isInParts(types) &&
         registersInFlight(types, c, productsOfStage(types, c)) <=
             roleRegisters(types, c).math;
}

bool fitsTwice(const GemmTypes &types, const GemmConfig &c,
               const GemmForm &form, const GpuModel &gpu) {
  const int64_t threads = target::warpgroupThreads * c.warpgroups +
                          target::warpThreads * c.load_warps;
  return isPlain(form) && roleRegisters(types, c, form).load == 0 &&
         2 * threads * registersInFlight(types, c, 1) <=
             target::fileRegisters &&
         2 * sharedBytes(types, c, gpu) + target::reservedSharedBytes <=
             gpu.shared_bytes;
}

bool areStripsInRegisters(const GemmTypes &types, const GemmConfig &c,
                          const GemmForm &form) {
  constexpr int64_t mostBytesTransposed = 64;
  if (packsBytes(types, c) && isPromoted(types) &&
      stripColumns(c) > mostBytesTransposed)
    return false;
  const int64_t halves = halvesHeld(types, c, form);
  if (halves == 0)
    return true;
  // What ptxas was seen to need beside them.
  const int64_t others = form.c || (c.stream_k && isByValue(form)) ? 24
                         : isByValue(form)                         ? 32
                                                                   : 40;
  const int64_t wide = size_bytes(types.d) == 4 ? 16 : 0;
  const int64_t sums = accumulatorRegisters({}, c) / c.split;
  const int64_t strip = sums * stripColumns(c) / storedColumns(c);
  return sums + strip * halves / 2 + others + wide <=
         roleRegisters(types, c, form).math;
}

int64_t splitLimit(const GemmTypes &types, const GemmConfig &c,
                   const GemmForm &form) {
  const int64_t limit = isPlain(form) && size_bytes(types.d) < 4 ? 176 : 144;
  return limit - registersGivenUp(types, c);
}

int64_t registersGivenUp(const GemmTypes &types, const GemmConfig &c) {
  constexpr int64_t usual = 232, usualOfThree = 152;
  if (!isBesideTransposed(c))
    return 0;
  return std::max<int64_t>((c.warpgroups == 3 ? usualOfThree : usual) -
                               roleRegisters(types, c).math,
                           0);
}

int64_t accumulatorLimit(const GemmTypes &types, const GemmConfig &c) {
  if (isInParts(types)) {
    return (c.bf16_parts ? mostBesideMaking : roleRegisters(types, c).math) -
           besideParts - registersOfParts(types, c);
  }
  // With three warpgroups and a producer a kernel starts with 128 registers, of
  // which ptxas takes 26 for a wgmma beside its sums (C7602).
  // The next stage's rows are loaded while this one's are multiplied.
  constexpr int64_t mostOfThree = 100;
  const int64_t ofTwo =
      c.warpgroups == 2 && hasUnevenBoxes(types, c)
          ? registersOfUnevenBoxes(types, c).math - besideUnevenBoxes
          : 200;
  const int64_t left = (c.warpgroups <= 2 ? ofTwo : 120) -
                       registersGivenUp(types, c) -
                       2 * operandRegisters(types, c);
  return c.warpgroups <= 2 ? left : std::min(left, mostOfThree);
}

int64_t operandRegisters(const GemmTypes &types, const GemmConfig &c) {
  if (!isAboveTransposed(c))
    return 0;
  const int64_t threads = target::warpgroupThreads * warpgroupsOfTile(c);
  return c.bm * productDepth(types, c) * size_bytes(types.a) / 4 / threads;
}

} // namespace ashlar
