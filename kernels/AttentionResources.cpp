#include "kernels/AttentionResources.h"

#include "compiler/target/Target.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace ashlar {

int64_t rowsOfWarpgroup(const AttentionConfig &config) {
  return config.bm / config.warpgroups;
}

int64_t pagesOfBlock(const AttentionForm &form, const AttentionConfig &config) {
  return form.page ? std::max<int64_t>(config.bn / *form.page, 1) : 0;
}

int64_t numbersOfBlock(const AttentionForm &form,
                       const AttentionConfig &config) {
  return (pagesOfBlock(form, config) + 3) / 4 * 4;
}

bool isOf8Bits(const AttentionForm &form) { return form.type == e4m3; }

ElementType resultType(const AttentionForm &form) {
  return isOf8Bits(form) ? bf16 : form.type;
}

int64_t sumColumns(const AttentionForm &form) {
  return isOf8Bits(form) ? resultColumns(form) : form.dv;
}

int64_t resultColumns(const AttentionForm &form) {
  const bool isCut = form.dv % 64 == 0 && (isOf8Bits(form) || form.dv > 128);
  return isCut ? 64 : form.dv;
}

int64_t resultStages(const AttentionForm &form) {
  return resultColumns(form) < form.dv ? 2 : 1;
}

int64_t keyStageBytes(const AttentionForm &form,
                      const AttentionConfig &config) {
  return config.bn * std::max(form.d, form.dv) * size_bytes(form.type);
}

/// One that says it is full, and one that says it is empty.
static constexpr int64_t barrierBytesOfStage = 2 * target::mbarrierBytes;

int64_t sharedBytes(const AttentionForm &form, const AttentionConfig &config) {
  constexpr int64_t alignmentAndOthers = 2048;
  const int64_t row = config.bm * size_bytes(form.type);
  const int64_t rowOfResult = config.bm * size_bytes(resultType(form));
  return config.queries * row * form.d +
         config.stages * keyStageBytes(form, config) +
         (config.splits
              ? 0
              : resultStages(form) * rowOfResult * resultColumns(form)) +
         stagesOfNumbers * numbersOfBlock(form, config) * size_bytes(s32) +
         config.stages * barrierBytesOfStage + alignmentAndOthers;
}

int64_t copyRegisters(const AttentionForm &form,
                      const AttentionConfig &config) {
  // One warpgroup of math leaves more than is needed.
  if (config.warpgroups * config.ctas == 1)
    return 64;
  // To find pages and parts takes some.
  return config.splits || form.page ? 40 : target::leastBudget;
}

/// Each thread's before budgets are set.
static int64_t entryRegisters(const AttentionConfig &config) {
  return target::entryRegisters(
      target::warpgroupThreads * (config.warpgroups + 1), config.ctas);
}

int64_t mathRegisters(const AttentionForm &form,
                      const AttentionConfig &config) {
  const int64_t all = (config.warpgroups + 1) * entryRegisters(config);
  return std::min((all - copyRegisters(form, config)) / config.warpgroups /
                      target::registerStep * target::registerStep,
                  target::mostBudget);
}

/// A thread's part of the sums.
static int64_t sumRegisters(const AttentionForm &form,
                            const AttentionConfig &config) {
  return rowsOfWarpgroup(config) * form.dv / target::warpgroupThreads;
}

/// And those of the block before where they are added late.
static int64_t heldSums(const AttentionForm &form,
                        const AttentionConfig &config) {
  const bool isLate = isOf8Bits(form) && !config.eager;
  return sumRegisters(form, config) * (isLate ? 2 : 1);
}

std::string notBuildable(const AttentionForm &form,
                         const AttentionConfig &config) {
  auto text = [](int64_t number) { return std::to_string(number); };
  if (form.type != bf16 && form.type != f16 && form.type != e4m3)
    return "there is no product of " + std::string(name(form.type)) +
           " here: use bf16, f16 or e4m3";
  if (isOf8Bits(form) && (form.d % 32 || form.dv % 16))
    return "heads of " + text(form.d) + " and " + text(form.dv) +
           " of e4m3 do not divide into wgmma's: use a multiple of 32 for Q "
           "and "
           "K, of 16 for V";
  if (isOf8Bits(form) && config.bn % 32)
    return "a block of " + text(config.bn) +
           " keys is no depth of a product of e4m3: use a multiple of 32";
  if (isOf8Bits(form) && form.page && *form.page % config.bn)
    return "a page of " + text(*form.page) +
           " keys of e4m3, which lie beside one another in V, does not hold "
           "whole blocks of " +
           text(config.bn) + ": use a multiple";
  if (form.group < 1 || config.bm % form.group)
    return "a tile of " + text(config.bm) +
           " rows does not hold whole groups of " + text(form.group) +
           ": use a power of 2, at most " + text(config.bm & -config.bm) +
           ", and no less than the heads that share keys";
  // The assembler refuses them, whatever the budget.
  if (const int64_t start = entryRegisters(config),
      held = heldSums(form, config);
      held >= start)
    return "a thread has " + text(held) + " sums and starts with " +
           text(start) +
           " registers: use fewer warpgroups or CTAs, fewer rows to a "
           "warpgroup, or narrower heads" +
           (held > sumRegisters(form, config)
                ? ", or finish blocks at once (eager)"
                : "");
  const int64_t threads = target::warpgroupThreads * config.warpgroups;
  if ((form.packed || form.page) && config.bn * form.dv % threads)
    return "a block of " + text(config.bn) + " by " + text(form.dv) +
           " values, of which those behind a sequence are cleared, does not "
           "divide among " +
           text(threads) + " threads: use a multiple of " +
           text(threads / std::gcd(threads, form.dv)) + " keys";
  if (!form.page)
    return "";
  const int64_t page = *form.page, bn = config.bn;
  if (page < 8 || page % 8 || (page % bn && bn % page))
    return "pages of " + text(page) + " keys and blocks of " + text(bn) +
           " do not meet: use pages of a multiple of " + text(bn) +
           ", or of a part of it that is a multiple of 8";
  return "";
}

namespace {

/// What a thread holds in the loop: its sums, and of a block the scores and
/// either the weights of the one before, as they are multiplied, or what
/// becomes of the scores. Of 8 bits the scores and what is added to some
/// columns of the sums, or where that is late, to all.
int64_t fragmentRegisters(const AttentionForm &form,
                          const AttentionConfig &config) {
  const int64_t scores =
      rowsOfWarpgroup(config) * config.bn / target::warpgroupThreads;
  if (!isOf8Bits(form))
    return sumRegisters(form, config) + 2 * scores;
  const int64_t columns = config.eager ? sumColumns(form) : form.dv;
  return sumRegisters(form, config) + scores * 3 / 2 + 4 +
         rowsOfWarpgroup(config) * columns / target::warpgroupThreads;
}

/// What else ptxas was seen to need: with the most keys to a block that do not
/// spill, for heads of 64 to 256 and all that a form may ask for.
int64_t registersBeside(const AttentionForm &form,
                        const AttentionConfig &config) {
  int64_t all = isOf8Bits(form) ? 8 : 4;
  all += form.logarithms ? 4 : 0;
  all += form.after || form.before ? 8 : 0;
  all += form.before ? 8 : 0;
  all += form.alibi ? 16 : form.soft_cap || form.sinks ? 8 : 0;
  // The numbers of a thread's keys, and what an author makes of them.
  all += form.modify || form.mask ? 32 + config.bn / 4 : 0;
  all += form.group > 1 ? 6 : 0;
  all += config.splits ? 8 : 0;
  all += form.page ? (isOf8Bits(form) ? 16 : 8) : 0;
  all += form.packed ? (isOf8Bits(form) && !config.splits ? 36 : 12) : 0;
  all += config.warpgroups == 1 ? 24 : 0;
  // The sums are there when the next scores are, not behind them.
  if (config.eager && !isOf8Bits(form))
    all += 32 + (config.splits ? 8 : 0);
  return all;
}

int64_t registersOfLoop(const AttentionForm &form,
                        const AttentionConfig &config) {
  const int64_t all =
      fragmentRegisters(form, config) + registersBeside(form, config);
  if (isOf8Bits(form))
    return all;
  // While scores become weights, half as many registers.
  const int64_t sums = sumRegisters(form, config);
  const int64_t scores =
      rowsOfWarpgroup(config) * config.bn / target::warpgroupThreads;
  const int64_t least = sums + scores * 3 / 2 + 28;
  const bool hasNumbers = form.page || form.packed || form.modify ||
                          form.mask || form.alibi || form.group > 1 ||
                          config.splits || config.queries > 1;
  // Powers of two lie beside one another without holes, and need no more.
  const bool isDense = !config.eager && !hasNumbers && config.warpgroups > 1 &&
                       std::has_single_bit(uint64_t(sums)) &&
                       std::has_single_bit(uint64_t(scores));
  return isDense ? least : std::max(all, least);
}

/// The sums, these as they are stored, and addresses.
int64_t registersOfStore(const AttentionForm &form,
                         const AttentionConfig &config) {
  return sumRegisters(form, config) * 3 / 2 + 24;
}

/// Values behind the last key are cleared beside the sums and the weights.
int64_t registersOfClearing(const AttentionForm &form,
                            const AttentionConfig &config) {
  if (!form.packed && !form.page)
    return 0;
  const int64_t threads = target::warpgroupThreads * config.warpgroups;
  return sumRegisters(form, config) + config.bn / 4 +
         config.bn * form.dv / threads + 36;
}

} // namespace

/// Elements of each thread.
static int64_t elementsOfLoads(const AttentionForm &form,
                               const AttentionConfig &config) {
  return int64_t(std::bit_floor(uint64_t(mathRegisters(form, config) / 3)));
}

LoadsOfParts loadsOfFewRows(const AttentionForm &form,
                            const AttentionConfig &config) {
  constexpr int64_t rows = 8;
  return {rows * config.warpgroups, elementsOfLoads(form, config) *
                                        target::warpgroupThreads /
                                        (rows * form.dv)};
}

LoadsOfParts loadsOfManyRows(const AttentionForm &form,
                             const AttentionConfig &config) {
  constexpr int64_t parts = 4;
  const uint64_t rows = elementsOfLoads(form, config) *
                        target::warpgroupThreads / (parts * form.dv);
  return {std::min<int64_t>(std::bit_floor(rows), 64) * config.warpgroups,
          parts};
}

bool fitsRegisters(const AttentionForm &form, const AttentionConfig &config) {
  return std::max({registersOfLoop(form, config),
                   registersOfStore(form, config),
                   registersOfClearing(form, config)}) <=
         mathRegisters(form, config);
}

int64_t mostStages(const AttentionForm &form, AttentionConfig config) {
  config.stages = 0;
  return (target::sharedBytesOfEach(config.ctas) - sharedBytes(form, config)) /
         (keyStageBytes(form, config) + barrierBytesOfStage);
}

} // namespace ashlar
