// Operands that a GEMM first copies, so that TMA and wgmma take them. Math
// copies them to the workspace, from register to register; what it transposes,
// and integers, go through shared memory, from where the role that loads stores
// them.
// Nobody's products begin before all CTAs are done with it.

#include "GemmProgram.h"
#include "compiler/target/Target.h"

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
    return {source, type, is.tileExtent, isKMajor, is.kept, is.isTransposed};
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
  const Shape tile = preparedTile(type);
  return {copy,
          type,
          is.tileExtent,
          isKMajor,
          is.kept,
          /*isTransposed=*/false,
          source,
          isKMajor == is.isOtherMajor,
          persistent({c.split, batch(), rows, columns},
                     {1, 1, tile[0], tile[1] * c.split}, Raster::along_n(),
                     where)};
}

void GemmProgram::forPrepared(
    const std::function<void(const std::function<void(const CopyTile &)> &)>
        &body) const {
  auto copyOf = [&](const CopyTile &copyTile, const Operand &operand,
                    const Index &batch, const Index &row, const Index &column) {
    const Shape tile = preparedTile(operand.type);
    copyTile(operand, batch, row * tile[0], column * tile[1]);
  };
  if (rowsAbove) {
    TileLoop both = persistent(
        {c.split, this->batch(), *rowsAbove + *rowsBeside, *paddedDepth},
        {1, 1, 1, preparedTile(types.a)[1] * c.split}, Raster::along_n(),
        where);
    for (auto [part, batch, row, columns] : both) {
      const Index column = columns * c.split + part;
      body([&](const CopyTile &copyTile) {
        when(
            row < *rowsAbove,
            [&] { copyOf(copyTile, *above, batch, row, column); },
            [&] {
              copyOf(copyTile, *beside, batch, row - *rowsAbove, column);
            });
      });
    }
    return;
  }
  for (const Operand *operand : {&*above, &*beside})
    if (operand->source)
      for (auto [part, batch, row, columns] : *operand->copies)
        body([&](const CopyTile &copyTile) {
          copyOf(copyTile, *operand, batch, row, columns * c.split + part);
        });
}

Shape GemmProgram::preparedTile(ElementType type) const {
  if (isPreparedThroughShared(types, c))
    return {preparedRows, preparedBytes / size_bytes(type)};
  // A thread has so many words of 16 bytes on their way.
  constexpr int64_t words = 4, wordBytes = 16;
  const int64_t threads =
      target::warpgroupThreads * c.warpgroups / mathGroups();
  return {threads * words * wordBytes / preparedBytes,
          preparedBytes / size_bytes(type)};
}

SharedTile GemmProgram::preparedTile(const Stage &stage,
                                     const Operand &operand) const {
  return operand.type == types.a
             ? stage[0]
             : stage[0].as(operand.type, preparedTile(operand.type));
}

/// A tile of the source, transposed.
void GemmProgram::transposeSource(const Operand &operand, const TileRef &from,
                                  const SharedTile &to) const {
  const Shape shape = preparedTile(operand.type);
  Fragment x = ashlar::load(from, {shape[1], shape[0]});
  if (sumType(types) != s32)
    return store(to.T(), x);
  // Short integers are s32 in registers, from where they go as s8: it has the
  // bits of u8.
  if (operand.type == u8)
    x = select(x > 127, x - 256, x);
  store(to.as(s8, shape).T(), convert(x, s8));
}

void GemmProgram::copyPrepared() const {
  forPrepared([&](const std::function<void(const CopyTile &)> &tile) {
    tile([&](const Operand &operand, const Index &batch, const Index &row,
             const Index &column) {
      store(at(operand.tensor, batch, row, column, false),
            ashlar::load(at(*operand.source, batch, row, column, false),
                         preparedTile(operand.type)));
    });
  });
  signal(arrived->at({0}));
}

void GemmProgram::fillPrepared() const {
  forPrepared([&](const std::function<void(const CopyTile &)> &tile) {
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
  forPrepared([&](const std::function<void(const CopyTile &)> &tile) {
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

void GemmProgram::awaitPrepared() const {
  const Index stored = prepared ? everyLoader() : ctasInAll() * mathGroups();
  await(arrived->at({0}), stored);
}

/// Who is the last to have seen that all have stored leaves zeros for the next
/// launch.
void GemmProgram::forgetPrepared() const {
  when(atomic_add(arrived->at({1}), 1) == everyLoader() - 1, [&] {
    atomic_exchange(arrived->at({1}), 0);
    atomic_exchange(arrived->at({0}), 0);
  });
}

Index GemmProgram::ctasInAll() const {
  const Operand &any = above->source ? *above : *beside;
  return any.copies->ctas() * (c.split * c.cluster_m * c.cluster_n);
}

Index GemmProgram::everyLoader() const { return ctasInAll() * c.load_groups; }

} // namespace ashlar
