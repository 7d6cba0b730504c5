#include "kernels/AttentionResources.h"
#include "kernels/DynamicTiles.h"

#include "compiler/target/Target.h"

#include <algorithm>

namespace ashlar {

static int64_t boxBytes(int64_t rowBytes) {
  return std::min(rowBytes & -rowBytes, target::mostSwizzleBytes);
}

int64_t boxesOfRow(int64_t bytes) { return bytes / boxBytes(bytes); }

AttentionForm formOfTiles(const AttentionForm &form) {
  constexpr int64_t widestAsIs = 128, wideBox = 32, most = int64_t(1) << 20;
  AttentionForm tiles = form;
  const int64_t depth = leastKeys(form);
  auto widen = [&](int64_t &columns) {
    // What TMA can't copy is refused.
    if (columns > 0 && columns <= most && columns % (depth / 2) == 0)
      columns = alignedTo(
          !isOf8Bits(form) && columns > widestAsIs ? wideBox : depth, columns);
  };
  if (form.latent)
    return tiles;
  widen(tiles.d);
  // Of 8 bits its columns are rows of a tile.
  if (!isOf8Bits(form))
    widen(tiles.dv);
  return tiles;
}

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

bool hasEvenKeysFirst(const AttentionForm &form,
                      const AttentionConfig &config) {
  return isOf8Bits(form) && (config.eager || form.dv <= 2 * sumColumns(form)) &&
         config.bn % (2 * target::swizzleRows * config.cluster) == 0;
}

int64_t resultColumns(const AttentionForm &form) {
  constexpr int64_t usual = 64, least = 40, mostWhole = 128;
  if (form.dv % usual == 0)
    return isOf8Bits(form) || form.dv > mostWhole ? usual : form.dv;
  if (!isOf8Bits(form) || form.dv <= mostWhole)
    return form.dv;
  // The widest of those that are no narrower than wgmma is fast with; else the
  // narrowest of all others.
  constexpr int64_t step = target::wgmmaColumnStep;
  for (int64_t columns = usual; columns >= least; columns -= step)
    if (form.dv % columns == 0)
      return columns;
  for (int64_t columns = usual; columns < target::wgmmaMostColumns;
       columns += step)
    if (form.dv % columns == 0)
      return columns;
  return form.dv;
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
    unit = std::max(unit, target::swizzleRows * boxBytes(row));
  }
  return alignedTo(unit, keyStageBytes(form, config)) +
         rings * barrierBytesOfStage;
}

/// The numbers of pages; what the threads of a role tell one another of a
/// tile's parts, how many have begun before; and room for what an author's
/// functions of scores may exchange.
static int64_t smallBytes(const AttentionForm &form,
                          const AttentionConfig &config) {
  constexpr int64_t least = target::tmaSharedAlignment;
  const int64_t numbers =
      alignedTo(least, numbersOfBlock(form, config) * size_bytes(s32));
  return (form.page ? stagesOfNumbers * (numbers + barrierBytesOfStage) : 0) +
         (config.dynamic ? DynamicTiles::stages * (least + barrierBytesOfStage)
                         : 0) +
         (config.splits ? (config.apart ? 2 : 1) * least : 0) +
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

bool beginsInOrder(const AttentionForm &form, const AttentionConfig &config) {
  return config.warpgroups == 2 && config.queries == 1 && !isOf8Bits(form);
}

bool replacesQuery(const AttentionForm &form, const AttentionConfig &config) {
  return mayReplaceQuery(form, config) &&
         bytesOfOperands(form, config) + resultBytes(form, config) >
             target::sharedBytesOfEach(config.ctas);
}

int64_t sharedBytes(const AttentionForm &form, const AttentionConfig &config) {
  return bytesOfOperands(form, config) + handedOverBytes(form, config);
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
