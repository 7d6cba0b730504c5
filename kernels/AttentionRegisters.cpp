// The registers of attention's roles, and what ptxas was seen to need of them.

#include "kernels/AttentionResources.h"

#include <algorithm>
#include <bit>

namespace ashlar {

int64_t copyRegisters(const AttentionForm &form,
                      const AttentionConfig &config) {
  // One warpgroup of math leaves more than is needed.
  if (config.warpgroups * config.ctas == 1)
    return 64;
  // To find pages and parts, and to fill several rings, takes some.
  constexpr int64_t manyPages = 8;
  const int64_t pages = pagesOfBlock(form, config);
  const bool findsMany =
      (config.dynamic && pages > 1) || (config.splits && pages >= manyPages);
  if (findsMany ||
      (!config.dynamic && isOf8Bits(form) && form.page && form.before))
    return 48;
  if (config.splits || form.page || config.apart)
    return 40;
  // As do boxes, if they are many; three warpgroups leave few.
  constexpr int64_t many = 5, veryMany = 9;
  const int64_t bytes = size_bytes(form.type),
                boxes = std::max(boxesOfRow(form.d * bytes),
                                 boxesOfRow(form.dv * bytes));
  if (boxes < many)
    return target::leastBudget;
  return config.warpgroups == 3 && boxes < veryMany ? 32 : 40;
}

int64_t entryRegisters(const AttentionConfig &config) {
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

int64_t scoreRegisters(const AttentionForm &form,
                       const AttentionConfig &config) {
  const int64_t each = mathRegisters(form, config);
  return config.apart
             ? std::min(each + target::registerStep, target::mostBudget)
             : each;
}

int64_t valueRegisters(const AttentionForm &form,
                       const AttentionConfig &config) {
  return 2 * mathRegisters(form, config) - scoreRegisters(form, config);
}

int64_t sumRegisters(const AttentionForm &form, const AttentionConfig &config) {
  return rowsOfWarpgroup(config) * keptColumns(form, config) /
         target::warpgroupThreads;
}

namespace {

/// What a thread holds in the loop: its sums, and of a block the scores and
/// either the weights of the one before, as they are multiplied, or what
/// becomes of the scores. Of 8 bits the scores, the weights, and what is added
/// to some columns of the sums.
int64_t fragmentRegisters(const AttentionForm &form,
                          const AttentionConfig &config) {
  const int64_t scores =
      rowsOfWarpgroup(config) * config.bn / target::warpgroupThreads;
  if (config.apart)
    return sumRegisters(form, config) + scores * 3 / 2;
  if (!isOf8Bits(form))
    return sumRegisters(form, config) + 2 * scores;
  const int64_t part =
      rowsOfWarpgroup(config) * sumColumns(form) / target::warpgroupThreads;
  const int64_t parts = form.dv / sumColumns(form);
  // Not eager there is a second part in flight, whose registers ptxas was seen
  // to make those of the scores where these are more, of as many columns as a
  // power of two, and behind a third one.
  const bool isShared = parts > 2 && scores > part &&
                        std::has_single_bit(uint64_t(sumColumns(form)));
  const bool hasTwo = !config.eager && parts > 1 && !isShared;
  return sumRegisters(form, config) + scores * 5 / 4 +
         (hasTwo ? 2 * part : part);
}

/// What else ptxas was seen to need: with the most keys to a block that do not
/// spill, for heads of 64 to 256 and all that a form may ask for.
int64_t registersBeside(const AttentionForm &form,
                        const AttentionConfig &config) {
  int64_t all = 4;
  all += form.logarithms ? 4 : 0;
  all += form.after || form.before ? 8 : 0;
  all += form.before ? 8 : 0;
  all += form.alibi ? 16 : form.soft_cap || form.sinks ? 8 : 0;
  all += form.alibi && config.apart ? 24 : 0;
  // The numbers of a thread's keys, and what an author makes of them.
  all += form.modify || form.mask ? 32 + config.bn / 4 : 0;
  all += (form.modify || form.mask) && form.page && config.ctas > 1 ? 8 : 0;
  all += form.group > 1 ? 6 : 0;
  all += config.splits ? (config.warpgroups == 1 ? 8
                          : config.bn > 128      ? 24
                                                 : 20)
                       : 0;
  all += form.page ? 8 : 0;
  all += form.packed ? 12 : 0;
  all += config.warpgroups == 1 ? 24 : 0;
  all += config.ctas > 1 ? 12 : 0;
  if (config.ctas > 1 && form.page && config.splits)
    all += form.d % 64 || form.dv % 64 ? 28 : 4;
  return all;
}

/// The same of a form that is eager: the sums are there when the next scores
/// are, not behind them.
int64_t registersBesideEager(const AttentionForm &form,
                             const AttentionConfig &config) {
  if (config.splits)
    return registersBeside(form, config) + 40;
  const int64_t scores =
      rowsOfWarpgroup(config) * config.bn / target::warpgroupThreads;
  // Heads that are no multiples of 64 took four more.
  int64_t all = (form.d % 64 || form.dv % 64 ? 16 : 12) + scores / 2;
  // With a mask some more, and more for blocks of more than 128 keys.
  if (form.after || form.before)
    all += (form.d % 64 ? form.logarithms ? 12 : 8 : 0) +
           (scores > 64 ? 20 : 0) + (rescales(form, config) ? 4 : 0);
  all += form.before || form.alibi ? 12 : 0;
  all += form.soft_cap ? 12 : 0;
  all += form.page ? 12 : 0;
  all += form.group > 1 ? (form.packed ? 8 : form.sinks ? 4 : 0) : 0;
  all += form.modify || form.mask ? 32 + config.bn / 4 : 0;
  all += config.warpgroups == 1 ? 32 : config.warpgroups == 3 ? 12 : 0;
  return all;
}

/// The same of 8 bits. What becomes of the scores takes less, as there are none
/// of another block beside them then.
int64_t registersBesideOf8Bits(const AttentionForm &form,
                               const AttentionConfig &config) {
  int64_t all = form.logarithms ? 8 : 0;
  all += form.after || form.before ? 4 : 0;
  all += form.before ? 4 : 0;
  all += form.alibi ? 24 : 0;
  all += form.soft_cap ? (config.warpgroups == 3 ? 12 : 8) : 0;
  all += form.sinks ? 4 : 0;
  all += form.modify ? 12 + config.bn / 4 : form.mask ? 12 : 0;
  all += form.group > 1 ? 4 : 0;
  all += config.splits ? (config.eager ? 20 : 28) : 0;
  all += form.page ? 16 : 0;
  all += form.packed ? (config.splits ? 20 : 8) : 0;
  all += form.dv % 64 ? 8 : 0;
  all += (form.after || form.before) && config.bn > 192 ? 24 : 0;
  return 16 + (config.warpgroups == 1 ? 28 + all / 2 : all);
}

int64_t registersOfLoop(const AttentionForm &form,
                        const AttentionConfig &config) {
  const int64_t fragments = fragmentRegisters(form, config);
  if (isOf8Bits(form))
    return fragments + registersBesideOf8Bits(form, config);
  const bool isEager = config.eager && !config.apart;
  const int64_t sums = sumRegisters(form, config);
  const int64_t scores =
      rowsOfWarpgroup(config) * config.bn / target::warpgroupThreads;
  int64_t all = fragments + (isEager ? registersBesideEager(form, config)
                                     : registersBeside(form, config));
  // Fragments that leave holes between them, and wide blocks of heads that do.
  // Without these ptxas lets no two products be in flight (C7512).
  constexpr int64_t step = 16, mostDense = 64;
  if (!isEager && sums % step)
    all += scores % step ? 8 : 4;
  if (!isEager && scores > mostDense && (form.d % 64 || form.dv % 64))
    all += 8;
  // While scores become weights, half as many registers.
  const int64_t least =
      sums + scores * 3 / 2 + 28 + (config.dynamic && form.logarithms ? 8 : 0);
  const bool hasNumbers = form.page || form.packed || form.modify ||
                          form.mask || form.alibi || form.group > 1 ||
                          config.splits || config.queries > 1;
  // Powers of two lie beside one another without holes, and need no more.
  const bool isDense = !config.eager && !hasNumbers && config.warpgroups > 1 &&
                       scores <= mostDense &&
                       std::has_single_bit(uint64_t(sums)) &&
                       std::has_single_bit(uint64_t(scores));
  return isDense ? least : std::max(all, least);
}

/// The sums, these as they are stored, and addresses.
int64_t registersOfStore(const AttentionForm &form,
                         const AttentionConfig &config) {
  return sumRegisters(form, config) * 3 / 2 + 24;
}

} // namespace

std::vector<LoadsOfParts> loadsOfParts(const AttentionForm &form,
                                       const AttentionConfig &config) {
  // Of each thread. Where roles are apart it is the most that ptxas was seen to
  // hold without a spill.
  constexpr int64_t ofAddition = 48, ofElement = 3;
  const int64_t registers =
      config.apart ? 96 : mathRegisters(form, config) - ofAddition;
  constexpr int64_t little = 2;
  const int64_t columns = keptColumns(form, config);
  std::vector<LoadsOfParts> ways;
  auto add = [&](int64_t wanted) {
    // As divide among a warpgroup's threads.
    const int64_t rows = columns % 16 ? 16
                         : wanted * target::warpgroupThreads % columns
                             ? 8
                             : wanted * target::warpgroupThreads / columns;
    const int64_t elements = rows * columns / target::warpgroupThreads;
    const int64_t most = elements <= little ? 16 : 8;
    const LoadsOfParts way = {
        rows * warpgroupsOfRole(config),
        int64_t(std::bit_floor(uint64_t(
            std::clamp<int64_t>(registers / (elements * ofElement), 1, most)))),
        elements <= little};
    if (ways.empty() || ways.back().rows < way.rows)
      ways.push_back(way);
  };
  // Each way is code: tiles of several warpgroups have many rows as a rule.
  if (warpgroupsOfRole(config) == 1 && !config.apart)
    add(little);
  add(4);
  add(16);
  return ways;
}

bool fitsRegisters(const AttentionForm &form, const AttentionConfig &config) {
  return std::max(registersOfLoop(form, config),
                  registersOfStore(form, config)) <=
         scoreRegisters(form, config);
}

bool rescales(const AttentionForm &form, const AttentionConfig &config) {
  constexpr int64_t fewest = 64;
  return form.rescale_threshold > 0 && config.queries == 1 &&
         sumRegisters(form, config) >= fewest;
}

} // namespace ashlar
