#include "kernels/AttentionResources.h"
#include "kernels/DynamicTiles.h"

#include "compiler/target/Target.h"

#include <algorithm>
#include <numeric>

namespace ashlar {

int64_t warpgroupsOfRole(const AttentionConfig &config) {
  return config.apart ? config.warpgroups / 2 : config.warpgroups;
}

int64_t rowsOfWarpgroup(const AttentionConfig &config) {
  return config.bm / warpgroupsOfRole(config);
}

int64_t headsOfTile(const AttentionForm &form, const AttentionConfig &config) {
  return std::min(form.group, config.bm);
}

int64_t tilesOfGroup(const AttentionForm &form, const AttentionConfig &config) {
  return form.group / headsOfTile(form, config);
}

int64_t keptColumns(const AttentionForm &form, const AttentionConfig &config) {
  return config.apart ? form.dv / 2 : form.dv;
}

int64_t pagesOfBlock(const AttentionForm &form, const AttentionConfig &config) {
  return form.page ? std::max<int64_t>(config.bn / *form.page, 1) : 0;
}

int64_t numbersOfBlock(const AttentionForm &form,
                       const AttentionConfig &config) {
  return (pagesOfBlock(form, config) + 3) / 4 * 4;
}

bool isOf8Bits(const AttentionForm &form) { return form.type == e4m3; }

int64_t leastKeys(const AttentionForm &form) {
  return isOf8Bits(form) ? 32 : 16;
}

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
  const int64_t columns = form.latent    ? form.d
                          : config.apart ? form.d + form.dv
                                         : std::max(form.d, form.dv);
  return config.bn * columns * size_bytes(form.type);
}

/// O of a tile, in the stages from which it is copied out.
static int64_t resultBytes(const AttentionForm &form,
                           const AttentionConfig &config) {
  return resultStages(form) *
         (config.bm * resultColumns(form) * size_bytes(resultType(form)) +
          barrierBytesOfStage);
}

/// What a role hands to another one: O to who copies it out, or weights and
/// factors of rows.
static int64_t handedOverBytes(const AttentionForm &form,
                               const AttentionConfig &config) {
  if (config.apart)
    return config.bm * config.bn * size_bytes(form.type) + barrierBytesOfStage +
           stagesOfFactors *
               (config.bm * size_bytes(f32) + barrierBytesOfStage);
  return config.splits || replacesQuery(form, config)
             ? 0
             : resultBytes(form, config);
}

/// A stage of keys with its barriers, of which those that are apart have some
/// for each part. It begins where the swizzle does of whatever lies in it.
static int64_t bytesOfStage(const AttentionForm &form,
                            const AttentionConfig &config) {
  const int64_t rings = !config.apart ? 1 : form.latent ? 2 : 3;
  int64_t unit = target::tmaSharedAlignment;
  for (int64_t columns : {form.d, isOf8Bits(form) ? config.bn : form.dv}) {
    const int64_t row = columns * size_bytes(form.type);
    unit = std::max(unit, target::swizzleRows *
                              std::min(row & -row, target::mostSwizzleBytes));
  }
  return alignedTo(unit, keyStageBytes(form, config)) +
         rings * barrierBytesOfStage;
}

/// The numbers of pages; what the threads of a role tell one another of a
/// tile's parts, how many have begun before and how many are done; and room for
/// what an author's functions of scores may exchange.
static int64_t smallBytes(const AttentionForm &form,
                          const AttentionConfig &config) {
  constexpr int64_t least = target::tmaSharedAlignment;
  const int64_t numbers =
      alignedTo(least, numbersOfBlock(form, config) * size_bytes(s32));
  return (form.page ? stagesOfNumbers * (numbers + barrierBytesOfStage) : 0) +
         (config.dynamic ? DynamicTiles::stages * (least + barrierBytesOfStage)
                         : 0) +
         (config.splits ? (config.apart ? 2 : 1) * 2 * least : 0) +
         (form.modify || form.mask ? bytesOfAuthor : 0);
}

/// Bytes of all but what is handed over.
static int64_t bytesOfOperands(const AttentionForm &form,
                               const AttentionConfig &config) {
  return config.queries * (config.bm * form.d * size_bytes(form.type) +
                           barrierBytesOfStage) +
         config.stages * bytesOfStage(form, config) + smallBytes(form, config);
}

/// Whether O may leave from where Q of the tile lay.
static bool mayReplaceQuery(const AttentionForm &form,
                            const AttentionConfig &config) {
  return !config.splits && !config.apart && config.queries == 1 &&
         form.dv * size_bytes(resultType(form)) <=
             form.d * size_bytes(form.type);
}

bool replacesQuery(const AttentionForm &form, const AttentionConfig &config) {
  return mayReplaceQuery(form, config) &&
         bytesOfOperands(form, config) + resultBytes(form, config) >
             target::sharedBytesOfEach(config.ctas);
}

int64_t sharedBytes(const AttentionForm &form, const AttentionConfig &config) {
  return bytesOfOperands(form, config) + handedOverBytes(form, config);
}

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
  return "";
}

std::string notDifferentiable(const AttentionForm &form) {
  constexpr int64_t depth = 16; // of a product of 16 bits
  if (const std::string why = notCountable(
          {{form.d, "head dimension of K"}, {form.dv, "head dimension of V"}});
      !why.empty())
    return why;
  if (form.type != bf16 && form.type != f16)
    return "there is no product of " + std::string(name(form.type)) +
           " here: use bf16 or f16";
  if (form.d % depth || form.dv % depth)
    return "heads of " + std::to_string(form.d) + " and " +
           std::to_string(form.dv) +
           " do not divide into wgmma's: use multiples of " +
           std::to_string(depth);
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

std::string notBuildable(const AttentionForm &form,
                         const AttentionConfig &config) {
  auto text = [](int64_t number) { return std::to_string(number); };
  if (const std::string why =
          notCountable({{form.d, "head dimension of K"},
                        {form.dv, "head dimension of V"},
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
  const int64_t depth = leastKeys(form), columns = depth / 2;
  if (form.d % depth || form.dv % columns)
    return "heads of " + text(form.d) + " and " + text(form.dv) + of +
           " do not divide into wgmma's: use a multiple of " + text(depth) +
           " for Q and K, of " + text(columns) + " for V";
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
  if (const std::string why = notLatent(form, config); !why.empty())
    return why;
  if (const int64_t together = warpgroupsOfRole(config) * target::wgmmaRows;
      config.bm % together)
    return "a tile of " + text(config.bm) + " rows does not divide into " +
           text(target::wgmmaRows) + " for each of " +
           text(warpgroupsOfRole(config)) + " warpgroups: use a multiple of " +
           text(together);
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
  // The assembler refuses them, whatever the budget.
  if (const int64_t start = entryRegisters(config),
      held = sumRegisters(form, config);
      held >= start)
    return "a thread has " + text(held) + " sums and starts with " +
           text(start) +
           " registers: use fewer warpgroups or CTAs, fewer rows to a "
           "warpgroup, narrower heads, or for these apart";
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

int64_t leastStages(const AttentionForm &form, const AttentionConfig &config) {
  return form.latent || config.apart ? 2 : 3;
}

int64_t mostStages(const AttentionForm &form, AttentionConfig config) {
  config.stages = 0;
  const int64_t others = mayReplaceQuery(form, config)
                             ? bytesOfOperands(form, config)
                             : sharedBytes(form, config);
  return (target::sharedBytesOfEach(config.ctas) - others) /
         bytesOfStage(form, config);
}

} // namespace ashlar
