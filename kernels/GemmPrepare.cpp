// Operands that a GEMM first copies, so that TMA and wgmma take them. Math
// copies them to the workspace, from register to register; what it transposes,
// and integers, go through shared memory, from where the role that loads stores
// them. Where there are registers for it math copies a first section of K, and
// a role of its own the others, under the products of those before.
// Nobody's products of a section begin before all CTAs are done with it.

#include "GemmProgram.h"
#include "compiler/target/Target.h"

#include <numeric>

namespace ashlar {

GemmProgram::Operand GemmProgram::operand(const char *name, ElementType type,
                                          const Index &extent,
                                          const Index &depth,
                                          const OperandForm &is) {
  Tensor source =
      matrix(name, type, extent, depth, is.isOtherMajor, is.alignment);
  const bool isKMajor =
      !is.isTransposed && isStagedKMajor(type, is.isOtherMajor);
  if (!is.isPrepared)
    return {source,   type,    is.tileExtent,  extent,
            isKMajor, is.kept, is.isTransposed};
  const Index &rows = isKMajor ? extent : depth;
  if (isKMajor && !paddedDepth)
    paddedDepth.emplace(size("KPadded"));
  Index columns = isKMajor ? *paddedDepth : Index(size(is.paddedExtent));
  expect(
      columns >= (isKMajor ? depth : extent),
      "rows of the workspace, which gemm_workspace describes, are as long as "
      "those of A and B",
      where);
  const std::string copyName = "Aligned" + std::string(name);
  Tensor copy =
      form.batched
          ? inout(copyName, type, {batch(), rows, columns}, align(16), where)
          : inout(copyName, type, {rows, columns}, align(16), where);
  const Shape tile = preparedTile(type, false);
  return {copy,
          type,
          is.tileExtent,
          extent,
          isKMajor,
          is.kept,
          /*isTransposed=*/false,
          source,
          isKMajor == is.isOtherMajor,
          isKMajor ? columns : rows,
          isKMajor ? rows : columns,
          persistent({c.split, batch(), rows, columns},
                     {1, 1, tile[0], tile[1] * c.split}, Raster::along_n(),
                     where)};
}

void GemmProgram::forPrepared(
    const Index &section, bool isApart,
    const std::function<void(const std::function<void(const CopyTile &)> &)>
        &body) const {
  Index before = 0;
  for (const Operand *operand : {&*above, &*beside}) {
    if (!operand->source)
      continue;
    const Shape tile = preparedTile(operand->type, isApart);
    const bool isKMajor = operand->isKMajor;
    const PreparedDepth along = preparedDepth(*operand, section);
    Index count = ceil_div(along.extent, tile[isKMajor ? 1 : 0] * c.split),
          others = ceil_div(*operand->acrossK, tile[isKMajor ? 0 : 1]);
    TileLoop tiles = persistent({c.split, batch(), isKMajor ? others : count,
                                 isKMajor ? count : others},
                                {1, 1, 1, 1}, Raster::along_n(), where);
    // Goes on with the CTA that comes after those of the other operand.
    for (auto [part, batch, m, n] : tiles.after(before)) {
      Index nth = isKMajor ? n : m;
      Index depth =
          along.begin + (nth * c.split + part) * tile[isKMajor ? 1 : 0];
      auto copyThis = [&](const CopyTile &copyTile) {
        if (isKMajor)
          copyTile(*operand, batch, m * tile[0], depth);
        else
          copyTile(*operand, batch, depth, n * tile[1]);
      };
      body([&](const CopyTile &copyTile) {
        // Of a cluster's CTAs one may have a tile that is another section's.
        if (sections > 1 && (isKMajor ? c.cluster_n : c.cluster_m) > 1)
          when(nth < count, [&] { copyThis(copyTile); });
        else
          copyThis(copyTile);
      });
    }
    before += tiles.turns();
  }
}

GemmProgram::PreparedDepth
GemmProgram::preparedDepth(const Operand &operand, const Index &section) const {
  // As far as stages read: beyond K there are zeros.
  Index all = min(*allSteps * c.bk, *operand.alongK);
  if (sections == 1)
    return {0, all};
  // Whole tiles, whoever prepares them: all begin on as many bytes as without
  // sections.
  const int64_t along = operand.isKMajor ? 1 : 0;
  const int64_t unit = std::lcm(preparedTile(operand.type, false)[along],
                                preparedTile(operand.type, true)[along]);
  Index ofSection = ceil_div(*sectionSteps * c.bk, unit);
  Index begin = min(section * ofSection, ceil_div(all, unit)) * unit;
  return {begin, max(min(ofSection * unit, all - begin), 0)};
}

Shape GemmProgram::preparedTile(ElementType type, bool isApart) const {
  if (isPreparedThroughShared(types, c))
    return {preparedRows, preparedBytes / size_bytes(type)};
  const int64_t threads =
      target::warpgroupThreads * (isApart ? 1 : c.warpgroups / mathGroups());
  return {threads * preparedBytesOfThread / preparedBytes,
          preparedBytes / size_bytes(type)};
}

SharedTile GemmProgram::preparedTile(const Stage &stage,
                                     const Operand &operand) const {
  return operand.type == types.a
             ? stage[0]
             : stage[0].as(operand.type, preparedTile(operand.type, false));
}

/// A tile of the source, transposed.
void GemmProgram::transposeSource(const Operand &operand, const TileRef &from,
                                  const SharedTile &to) const {
  const Shape shape = preparedTile(operand.type, false);
  Fragment x = ashlar::load(from, {shape[1], shape[0]});
  if (sumType(types) != s32)
    return store(to.T(), x);
  // Short integers are s32 in registers, from where they go as s8: it has the
  // bits of u8.
  if (operand.type == u8)
    x = select(x > 127, x - 256, x);
  store(to.as(s8, shape).T(), convert(x, s8));
}

void GemmProgram::copyPrepared(const Index &section, bool isApart) const {
  forPrepared(
      section, isApart, [&](const std::function<void(const CopyTile &)> &tile) {
        tile([&](const Operand &operand, const Index &batch, const Index &row,
                 const Index &column) {
          store(at(operand.tensor, batch, row, column, false),
                ashlar::load(at(*operand.source, batch, row, column, false),
                             preparedTile(operand.type, isApart)));
        });
      });
  signal(arrived->at({section}));
}

void GemmProgram::copySections() const {
  for (Index section : range(sections - 1))
    copyPrepared(section + 1, true);
}

void GemmProgram::fillPrepared() const {
  forPrepared(0, false, [&](const std::function<void(const CopyTile &)> &tile) {
    Stage s = prepared->acquire();
    tile([&](const Operand &operand, const Index &batch, const Index &row,
             const Index &column) {
      SharedTile to = preparedTile(s, operand);
      if (operand.isSourceTransposed)
        transposeSource(operand, at(*operand.source, batch, column, row, false),
                        to);
      else
        copy(at(*operand.source, batch, row, column, false), to);
    });
    prepared->commit(s);
  });
}

void GemmProgram::storePrepared() const {
  forPrepared(0, false, [&](const std::function<void(const CopyTile &)> &tile) {
    Stage s = prepared->wait();
    tile([&](const Operand &operand, const Index &batch, const Index &row,
             const Index &column) {
      copy(preparedTile(s, operand),
           at(operand.tensor, batch, row, column, false));
    });
    prepared->release(s);
  });
  signal(arrived->at({0}));
}

void GemmProgram::awaitPrepared(int64_t section) const {
  const Index stored = prepared
                           ? everyLoader()
                           : ctasInAll() * (section == 0 ? mathGroups() : 1);
  await(arrived->at({section}), stored);
}

/// The last section is empty where CTAs have few tiles each: between sections
/// they wait for each other.
void GemmProgram::shareSections() {
  if (sections == 1)
    return;
  Index tiles = 0;
  for (const Operand *operand : {&*above, &*beside})
    if (operand->source) {
      const Shape tile = preparedTile(operand->type, false);
      const bool isKMajor = operand->isKMajor;
      tiles += ceil_div(*operand->acrossK, tile[isKMajor ? 0 : 1]) *
               ceil_div(*operand->alongK, tile[isKMajor ? 1 : 0]);
    }
  Index steps = ceil_div(*allSteps, sections - 1);
  when(tiles * batch() >= ctasInAll() * tilesOfThreeSections,
       [&] { steps = ceil_div(*allSteps, sections); });
  sectionSteps.emplace(steps);
}

/// In a CTA's first tile the first step of a section waits for it.
void GemmProgram::awaitSections(const Index &step, const Index &turn) const {
  for (int64_t i = 1; i < sections; ++i)
    when(turn == 0 && step == *sectionSteps * i, [&] { awaitPrepared(i); });
}

/// Who is the last to have seen that all have stored leaves zeros for the next
/// launch.
void GemmProgram::forgetPrepared() const {
  if (sections > 1)
    awaitPrepared(sections - 1); // who had no step of it has not yet
  when(atomic_add(arrived->at({sections}), 1) == everyLoader() - 1, [&] {
    for (int64_t i = 0; i <= sections; ++i)
      atomic_exchange(arrived->at({i}), 0);
  });
}

Index GemmProgram::ctasInAll() const {
  const Operand &any = above->source ? *above : *beside;
  return any.copies->ctas() * (c.split * c.cluster_m * c.cluster_n);
}

Index GemmProgram::everyLoader() const { return ctasInAll() * c.load_groups; }

} // namespace ashlar
