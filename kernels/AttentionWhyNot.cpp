// Why a form or a configuration of attention can't be built, in sentences that
// say what would fit.

#include "compiler/target/Target.h"
#include "kernels/AttentionResources.h"

#include <algorithm>
#include <numeric>
#include <string>

namespace ashlar {

/// Why V in K, or warpgroups that are apart, can not be.
static std::string notLatent(const AttentionForm &form,
                             const AttentionConfig &config) {
  auto text = [](int64_t number) { return std::to_string(number); };
  if (form.latent && isOf8Bits(form))
    return "V can't be columns of K of e4m3: the tensor cores read V of 8 bits "
           "with its keys beside one another: use bf16 or f16";
  if (form.latent && form.dv > form.d)
    return "V has " + text(form.dv) + " columns, of K's " + text(form.d) +
           ": use at most as many";
  if (form.latent && form.dv % 64)
    return "V, the first " + text(form.dv) +
           " columns of K, ends inside a swizzle atom: use a multiple of 64";
  if (!config.apart)
    return "";
  if (isOf8Bits(form))
    return "warpgroups that are apart hand over no weights of e4m3: use bf16 "
           "or f16";
  if (config.warpgroups % 2)
    return "one half of " + text(config.warpgroups) +
           " warpgroups is to keep half of O's columns: use 2";
  if (form.dv % 128)
    return "O of " + text(form.dv) +
           " columns has no halves that begin with a swizzle atom: use a "
           "multiple of 128";
  return "";
}

/// Why shared memory does not hold the stages.
static std::string notHeld(const AttentionForm &form, AttentionConfig config) {
  auto text = [](int64_t number) { return std::to_string(number); };
  const int64_t least = leastStages(form, config),
                limit = target::sharedBytesOfEach(config.ctas);
  if (config.stages < least)
    return "with " + text(config.stages) +
           " stages nothing is on its way while a block is multiplied: use at "
           "least " +
           text(least);
  if (sharedBytes(form, config) <= limit)
    return "";
  const std::string wanted = text(config.stages);
  const std::string bytes = text(keyStageBytes(form, config));
  const int64_t most = mostStages(form, config);
  config.stages = least;
  while (config.bn > 0 && mostStages(form, config) < least)
    config.bn -= leastKeys(form);
  return wanted + " stages of " + bytes + " bytes and " + text(config.queries) +
         " tiles of Q are more than the " + text(limit) +
         " bytes of shared memory: use " +
         (most >= least   ? text(most) + " stages"
          : config.bn > 0 ? "blocks of " + text(config.bn) + " keys and " +
                                text(least) + " stages"
                          : "fewer rows or tiles of Q, or narrower heads");
}

std::string
notCountable(std::initializer_list<std::pair<int64_t, const char *>> numbers,
             int64_t most) {
  for (const auto &[number, what] : numbers)
    if (number < 1 || number > most)
      return std::string("the ") + what + " is " + std::to_string(number) +
             ": use at " +
             (number < 1 ? "least 1" : "most " + std::to_string(most));
  return "";
}

/// Why a row's maximum can't lag behind so far.
static std::string notLagging(const AttentionForm &form) {
  constexpr int64_t most = 8;
  const int64_t threshold = form.rescale_threshold;
  if (threshold && isOf8Bits(form))
    return "weights of e4m3 are as large as it has numbers, so no row's "
           "maximum can lag behind: use a rescale_threshold of 0";
  if (threshold < 0 || threshold > most)
    return "a maximum can't lag behind by 2^" + std::to_string(threshold) +
           ": use a rescale_threshold from 0 to " + std::to_string(most);
  return "";
}

/// Why places can't be counted with a form's window.
static std::string notWindow(const AttentionForm &form) {
  // Numbers of keys and ends of windows are added in 32 bits.
  constexpr int64_t most = int64_t(1) << 30;
  for (const auto &[keys, what] :
       {std::pair{form.before, "before"}, std::pair{form.after, "after"}})
    if (keys && (*keys > most || *keys < -most))
      return std::string("a window of ") + std::to_string(*keys) + " keys (" +
             what + ") is more than the " + std::to_string(most) +
             " that places are counted with: leave " + what +
             " out where all keys are seen";
  if (form.before && form.after && *form.before + *form.after < 0)
    return "with before = " + std::to_string(*form.before) +
           " and after = " + std::to_string(*form.after) +
           " no query sees a key: use a before of at least " +
           std::to_string(-*form.after) + ", or an after of at least " +
           std::to_string(-*form.before);
  return "";
}

std::string notDifferentiable(const AttentionForm &form) {
  constexpr int64_t unit = 8; // what TMA can copy of 16 bits
  if (const std::string why = notCountable(
          {{form.d, "head dimension of K"}, {form.dv, "head dimension of V"}});
      !why.empty())
    return why;
  if (form.type != bf16 && form.type != f16)
    return "there is no product of " + std::string(name(form.type)) +
           " here: use bf16 or f16";
  if (form.d % unit || form.dv % unit)
    return "heads of " + std::to_string(form.d) + " and " +
           std::to_string(form.dv) + " are no multiples of 16 bytes: use " +
           std::to_string(unit) + " columns or a multiple";
  if (form.group != 1)
    return "rows of Q, O and dO are read by heads, B×H×Sq×d, not by groups "
           "of " +
           std::to_string(form.group) +
           " that share keys: use a form with group = 1, and the tensors' "
           "strides";
  if (form.page)
    return "there are no gradients of keys in pages: use packed ones";
  if (form.latent)
    return "there are no gradients of V that is part of K: use a form with a V "
           "of its own";
  if (form.soft_cap || form.alibi || form.modify || form.mask)
    return "there are no gradients of scores that are capped, sloped, modified "
           "or masked by more than a window: use a form without";
  return notWindow(form);
}

std::string notBuildable(const AttentionForm &given,
                         const AttentionConfig &config) {
  auto text = [](int64_t number) { return std::to_string(number); };
  const AttentionForm form = formOfTiles(given);
  if (const std::string why =
          notCountable({{given.d, "head dimension of K"},
                        {given.dv, "head dimension of V"},
                        {form.page.value_or(1), "number of keys of a page"},
                        {config.bm, "number of rows (bm)"},
                        {config.bn, "number of keys of a block (bn)"},
                        {config.stages, "number of stages"},
                        {config.warpgroups, "number of warpgroups"},
                        {config.queries, "number of tiles of Q (queries)"},
                        {config.ctas, "number of CTAs to an SM"},
                        {config.cluster, "number of CTAs of a cluster"}});
      !why.empty())
    return why;
  if (const std::string why = notWindow(form); !why.empty())
    return why;
  if (form.type != bf16 && form.type != f16 && form.type != e4m3)
    return "there is no product of " + std::string(name(form.type)) +
           " here: use bf16, f16 or e4m3";
  const std::string of = " of " + std::string(name(form.type));
  const int64_t depth = leastKeys(form), width = depth / 2;
  if (given.d % (form.latent ? depth : width) || given.dv % width)
    return "heads of " + text(given.d) + " and " + text(given.dv) + of +
           (form.latent
                ? " do not divide into wgmma's: use a multiple of " +
                      text(width) + ", of " + text(depth) + " for Q and K"
                : " are no multiples of 16 bytes: use a multiple of " +
                      text(width));
  if (config.bn % depth)
    return "a block of " + text(config.bn) + " keys is no depth of a product" +
           of + ": use a multiple of " + text(depth);
  if (isOf8Bits(form) && form.page && *form.page % config.bn)
    return "a page of " + text(*form.page) +
           " keys of e4m3, which lie beside one another in V, does not hold "
           "whole blocks of " +
           text(config.bn) + ": use a multiple";
  if (form.group < 1 || (config.bm % form.group && form.group % config.bm))
    return "a tile of " + text(config.bm) +
           " rows does not hold whole groups of " + text(form.group) +
           ", nor such a group whole tiles: use a power of 2, no less than the "
           "heads that share keys";
  if (const std::string why = notLagging(form); !why.empty())
    return why;
  if (const std::string why = notLatent(given, config); !why.empty())
    return why;
  if (const int64_t together = warpgroupsOfRole(config) * target::wgmmaRows;
      config.bm % together)
    return "a tile of " + text(config.bm) + " rows does not divide into " +
           text(target::wgmmaRows) + " for each of " +
           text(warpgroupsOfRole(config)) + " warpgroups: use a multiple of " +
           text(together);
  if (config.cluster > 1 && tilesOfGroup(form, config) == 1)
    return "a cluster shares the keys of a query whose heads are more than a "
           "tile has rows, and a group of " +
           text(form.group) + " is one tile: use a cluster of 1";
  if (config.cluster > 1 && tilesOfGroup(form, config) % config.cluster)
    return "the rows of a query are of " + text(tilesOfGroup(form, config)) +
           " tiles, which do not divide into clusters of " +
           text(config.cluster) + ": use a part of them";
  if (config.cluster > 1 &&
      std::min(config.bn, form.page.value_or(config.bn)) % (8 * config.cluster))
    return "a block of " + text(config.bn) + " keys, or its pages, has no " +
           text(config.cluster) +
           " slices of whole swizzle atoms: use a multiple of " +
           text(8 * config.cluster);
  if (config.dynamic && (config.splits || tilesOfGroup(form, config) > 1))
    return "dynamic hands out whole tiles of a sequence and a head, not parts "
           "of them: leave out dynamic, or splits and groups of more heads "
           "than a tile has rows";
  if (!config.apart && !isOf8Bits(form) && form.dv > target::wgmmaMostColumns &&
      form.dv % 128)
    return "a V of " + text(given.dv) +
           " columns is multiplied by halves of whole swizzle atoms: use a "
           "multiple of 128";
  // The assembler refuses a product whose sums, weights and what it was seen to
  // take beside them (C7602) are more, whatever the budget.
  constexpr int64_t besideProduct = 26 + 4;
  const int64_t columns =
      config.apart ? keptColumns(form, config) : sumColumns(form);
  const int64_t start = entryRegisters(config);
  if (const int64_t taken =
          std::max(sumRegisters(form, config) + 1, columns / 2 + besideProduct);
      taken > start)
    return "a product of the weights and " + text(columns) +
           " columns of V takes " + text(taken) +
           " registers of a thread, which starts with " + text(start) +
           ": use fewer warpgroups or CTAs, fewer rows to a "
           "warpgroup" +
           (config.apart ? " or narrower heads"
                         : ", narrower heads, or for these apart");
  if (const int64_t taken = config.bn / 2 + besideProduct; taken > start)
    return "the scores of " + text(config.bn) + " keys take " + text(taken) +
           " registers of a thread, which starts with " + text(start) +
           ": use blocks of at most " +
           text((start - besideProduct) * 2 / 16 * 16) +
           " keys, or fewer warpgroups or CTAs";
  const int64_t threads = target::warpgroupThreads * config.warpgroups;
  if (!config.apart && (form.packed || form.page) &&
      config.bn * form.dv % threads)
    return "a block of " + text(config.bn) + " by " + text(form.dv) +
           " values, of which those behind a sequence are cleared, does not "
           "divide among " +
           text(threads) + " threads: use a multiple of " +
           text(threads / std::gcd(threads, form.dv)) + " keys";
  if (!form.page)
    return notHeld(form, config);
  const int64_t page = *form.page, bn = config.bn;
  if (page < 8 || page % 8 || (page % bn && bn % page))
    return "pages of " + text(page) + " keys and blocks of " + text(bn) +
           " do not meet: use pages of a multiple of " + text(bn) +
           ", or of a part of it that is a multiple of 8";
  return notHeld(form, config);
}

} // namespace ashlar
