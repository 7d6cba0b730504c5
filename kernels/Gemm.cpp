#include "ashlar/gemm.h"

#include "GemmProgram.h"
#include "GemmTiling.h"

namespace ashlar {

Tensor GemmProgram::matrix(std::string_view name, ElementType type,
                           const Index &rows, const Index &columns,
                           bool isTransposed, int64_t alignment,
                           bool isOutput) const {
  const Index &first = isTransposed ? columns : rows,
              &last = isTransposed ? rows : columns;
  const Alignment rowsOn = align(alignment);
  if (form.batched)
    return isOutput ? output(name, type, {batch(), first, last}, rowsOn, where)
                    : input(name, type, {batch(), first, last}, rowsOn, where);
  return isOutput ? output(name, type, {first, last}, rowsOn, where)
                  : input(name, type, {first, last}, rowsOn, where);
}

TileRef GemmProgram::at(const Tensor &matrix, const Index &batch,
                        const Index &row, const Index &column,
                        bool isTransposed) const {
  const Index &first = isTransposed ? column : row,
              &last = isTransposed ? row : column;
  return form.batched ? matrix.at({batch, first, last})
                      : matrix.at({first, last});
}

void GemmProgram::write() {
  Index M = size("M"), N = size("N"), K = size("K");
  batchSize.emplace(form.batched ? Index(size("batch")) : Index(1));
  const GemmLayout &layout = types.layout;
  const bool isAnyPrepared = c.prepared_a || c.prepared_b;
  if (!c.stream_k)
    cluster({c.split, 1, c.cluster_m, c.cluster_n});
  const Operand a =
      operand("A", types.a, M, K,
              {c.swapped ? c.bn : c.bm, layout.a_m_major, layout.align_a,
               c.kept_a, c.prepared_a, c.transposed_a, "MPadded"});
  const Operand b =
      operand("B", types.b, N, K,
              {c.swapped ? c.bm : c.bn, layout.b_n_major, layout.align_b,
               c.kept_b, c.prepared_b, c.transposed_b, "NPadded"});
  above.emplace(c.swapped ? b : a);
  beside.emplace(c.swapped ? a : b);
  D.emplace(matrix("D", types.d, M, N, layout.d_m_major, layout.align_d,
                   /*isOutput=*/true));
  if (form.row_zeros) {
    rowZero.emplace(input("RowZero", s32, {M}, align(4), where));
    columnSum.emplace(input("ColumnSum", s32, {N}, align(4), where));
  }
  if (form.column_zeros) {
    columnZero.emplace(input("ColumnZero", s32, {N}, align(4), where));
    rowSum.emplace(input("RowSum", s32, {M}, align(4), where));
  }
  if (form.row_scales)
    rowScale.emplace(input("RowScale", f32, {M}, align(4), where));
  if (form.column_scales)
    columnScale.emplace(input("ColumnScale", f32, {N}, align(4), where));
  if (form.alpha)
    alpha.emplace(scalar("alpha", f32, where));
  if (form.c) {
    C.emplace(matrix("C", types.d, M, N, layout.d_m_major, layout.align_d));
    beta.emplace(scalar("beta", f32, where));
  }
  if (form.bias)
    bias.emplace(
        input("Bias", types.d, {N}, align(size_bytes(types.d)), where));
  if (form.auxiliary)
    auxiliary.emplace(matrix("Auxiliary", types.d, M, N, layout.d_m_major,
                             layout.align_d, /*isOutput=*/true));
  if (form.amax)
    amax.emplace(inout("Amax", f32, {1}, align(4), where));
  if (form.scale_d)
    scaleD.emplace(scalar("scale_d", f32, where));

  programmatic_launch();
  allSteps.emplace(ceil_div(K, c.bk));
  Index along_m = c.swapped ? N : M, along_n = c.swapped ? M : N;
  if (c.stream_k) {
    ctas.emplace(size("CTAs"));
    expect(*ctas > 0, "CTAs, of the workspaces, is at least 1", where);
    partials.emplace(inout("Partials", sumType(types), {*ctas, c.bm, c.bn},
                           align(16), where));
    arrivals.emplace(inout("Arrivals", s32, {*ctas}, align(4), where));
    everyCta.emplace(persistent({*ctas}, {1}));
    rows.emplace(at_most(ceil_div(along_m, c.bm), StreamK::most));
    columns.emplace(at_most(ceil_div(along_n, c.bn), StreamK::most));
    plane.emplace(at_most(*rows * *columns, StreamK::most));
    perGroup.emplace(at_most(*columns * c.group, StreamK::most));
    stream.emplace(batch() * *plane, *allSteps, *ctas);
  } else {
    tiles.emplace(persistent(
        {c.split, batch(), along_m, along_n}, {1, 1, c.bm, c.bn},
        c.alternating ? Raster::swizzled(c.group) : Raster::grouped(c.group)));
    // Each part of K is a whole number of stages; the last may be shorter.
    perPart.emplace(ceil_div(*allSteps, c.split));
  }
  ring.emplace(pipeline(c.stages, smem(above->type, above->stage(c.bk)),
                        smem(beside->type, beside->stage(c.bk))));
  if (isAnyPrepared) {
    arrived.emplace(inout("Prepared", s32, {sections + 1}, align(4), where));
    if (isPreparedThroughShared(types, c))
      prepared.emplace(pipeline(preparedStages,
                                smem(types.a, preparedTile(types.a, false))));
  }
  if (c.bf16_parts)
    made.emplace(pipeline(madeStages(types), smem(bf16, beside->stage(c.bk)),
                          smem(bf16, beside->stage(c.bk))));
  else if (isInParts(types))
    made.emplace(pipeline(madeStages(types), smem(tf32, beside->stage(c.bk))));
  else if (beside->isTransposed)
    made.emplace(pipeline(madeStages(types),
                          smem(beside->type, beside->transposed(c.bk))));
  for (int64_t i = 0; i < std::min(c.store_buffers, stripCount(c)); ++i)
    staging.push_back(shared(types.d, shapeInD(stripColumns(c))));

  const Warps mathWarps =
      c.ping_pong ? ping_pong(c.warpgroups) : warpgroups(c.warpgroups);
  const RoleRegisters budgets = roleRegisters(types, c, form);
  const Warps loadWarps =
      in_turns(c.load_groups, warps(c.load_warps / c.load_groups));
  const auto loadBody = [&] {
    if (c.early_launch)
      allow_next_launch();
    shareSections();
    if (prepared)
      storePrepared();
    if (arrived)
      awaitPrepared(0);
    loads();
    if (arrived)
      forgetPrepared();
  };
  const auto mathBody = [&] {
    shareSections();
    if (prepared)
      fillPrepared();
    else if (arrived)
      copyPrepared(0, false);
    math();
  };
  if (budgets.load) {
    role("load", loadWarps, registers(budgets.load), loadBody);
    if (isInParts(types))
      role("split", warpgroups(1), registers(budgets.made), [&] { split(); });
    else if (made)
      role("transpose", warpgroups(1), registers(budgets.made),
           [&] { transposeStages(); });
    else if (budgets.prepare)
      role("prepare", warpgroups(1), registers(budgets.prepare), [&] {
        shareSections();
        copySections();
      });
    role("math", mathWarps, registers(budgets.math), mathBody);
  } else {
    role("load", loadWarps, loadBody);
    role("math", mathWarps, mathBody);
  }
}

void GemmProgram::forAllWork(
    const std::function<void(const Work &)> &body) const {
  if (!c.stream_k) {
    for (auto [part, batch, m, n] : *tiles)
      body({batch, m, n,
            range(part * *perPart, min((part + 1) * *perPart, *allSteps)),
            part});
    return;
  }
  for (auto [cta] : *everyCta) {
    StreamK::Share share = stream->share(min(cta, StreamK::most));
    for (Index number : range(share.pieces))
      body(streamWork(share, number));
  }
}

GemmProgram::Work GemmProgram::streamWork(const StreamK::Share &share,
                                          const Index &number) const {
  StreamK::Piece piece = stream->piece(share, number);
  // `group` tiles along m for each step along n, as in a tile loop.
  Index inPlane = piece.tile % *plane, nth = inPlane / *perGroup;
  Index firstRow = min(nth * c.group, *rows - 1);
  // At least one row: it is divided by.
  Index height = max(min(*rows - firstRow, c.group), 1);
  Index inGroup = inPlane % *perGroup, column = inGroup / height;
  if (c.alternating)
    column = column + nth % 2 * (*columns - 1 - column * 2);
  return {piece.tile / *plane,
          firstRow + inGroup % height,
          column,
          range(piece.first, min(piece.end, *allSteps)),
          share.cta,
          piece.first == 0,
          piece.others};
}

void GemmProgram::loads() {
  Index turn = 0;
  forAllWork([&](const Work &work) {
    for (Index k : in_turns(work.steps)) {
      Stage s = ring->acquire();
      // What is not prepared need not wait for it.
      auto loadThose = [&](bool arePrepared) {
        if (above->source.has_value() == arePrepared)
          load(true, work, k, s[0]);
        if (beside->source.has_value() == arePrepared)
          load(false, work, k, s[1]);
      };
      loadThose(false);
      if (sectionSteps)
        awaitSections(k, turn);
      loadThose(true);
      ring->commit(s);
    }
    if (c.store_buffers == 0)
      for ([[maybe_unused]] Index once : in_turns(range(1)))
        ring->commit(ring->acquire()); // empty, for the epilogue
    if (sectionSteps)
      turn += 1;
  });
}

/// Where the last part of a tile lies outside of the matrix the tile is copied
/// in parts, those outside from other rows, as the stage is multiplied whole:
/// TMA is slow to fill rows with zeros, and their products are not stored.
void GemmProgram::load(bool isAbove, const Work &work, const Index &step,
                       const SharedTile &stage) const {
  const Operand &operand = isAbove ? *above : *beside;
  const bool isShared = (isAbove ? c.cluster_n : c.cluster_m) > 1;
  const CacheHint hint = keep(static_cast<double>(operand.kept) / 16);
  auto copyFrom = [&](const Index &row, const SharedTile &to) {
    TileRef from =
        at(operand.tensor, work.batch, row, step * c.bk, !operand.isKMajor);
    if (operand.kept == 16)
      isShared ? copy(from, to, multicast) : copy(from, to);
    else
      isShared ? copy(from, to, multicast, hint) : copy(from, to, hint);
  };
  const Index begin = (isAbove ? work.m : work.n) * operand.extent;
  const int64_t part = edgePart(types, c, isAbove),
                last = (operand.extent - 1) / part * part;
  if (last == 0)
    return copyFrom(begin, stage);
  auto copyPart = [&](const Index &offset, int64_t rows) {
    const Index row = begin + offset;
    copyFrom(select(row < operand.rowsOfMatrix, row,
                    max(operand.rowsOfMatrix - part, 0)),
             slice(stage, {offset, 0}, {rows, c.bk}));
  };
  // The rows of both operands' parts stay in registers; of a loop one does. A
  // loader with few was seen to have room for so many, but not in a batch,
  // whose tiles have one more coordinate, nor where threads load words.
  constexpr int64_t few = 8;
  const int64_t parts = ceilDiv(c.bm, edgePart(types, c, true)) +
                        ceilDiv(c.bn, edgePart(types, c, false));
  const bool haveRegisters =
      roleRegisters(types, c, form).load == 0 ||
      (parts <= few && !form.batched && c.load_warps == 1);
  auto copyParts = [&] {
    if (haveRegisters)
      for (int64_t i = 0; i < last; i += part)
        copyPart(i, part);
    else
      for (Index i : range(0, last, part))
        copyPart(i, part);
    copyPart(last, operand.extent - last);
  };
  when(
      begin + last < operand.rowsOfMatrix, [&] { copyFrom(begin, stage); },
      copyParts);
}

Fragment GemmProgram::addProducts(const Stage &loaded,
                                  std::optional<Stage> &other, int64_t begin,
                                  const Fragment &sum,
                                  std::optional<Fragment> &lost) const {
  if (!isPromoted(types))
    return product(loaded, other, begin, sum);
  std::vector<Fragment> products;
  for (int64_t first = begin; first < std::min(begin + together, c.bk);
       first += depth)
    products.push_back(product(loaded, other, first, zeros(f32, {c.bm, c.bn})));
  // Added to each other first, so that the large sum is rounded once.
  Fragment joint = products.front();
  for (size_t i = 1; i < products.size(); ++i)
    joint = joint + products[i];
  if (!lost)
    return sum + joint;
  joint = joint + *lost;
  Fragment result = sum + joint;
  lost = joint - (result - sum);
  return result;
}

Fragment GemmProgram::product(const Stage &loaded, std::optional<Stage> &other,
                              int64_t first, const Fragment &sum) const {
  if (isInParts(types))
    return productOfParts(loaded, other, first, sum);
  const SharedTile a = above->part(loaded[0], first, depth);
  if (beside->isTransposed && first == 0)
    other.emplace(made->wait());
  const SharedTile b =
      other ? slice((*other)[0], {0, first}, beside->transposed(depth))
            : beside->rows(beside->part(loaded[1], first, depth));
  Fragment result = above->isTransposed ? mma(loadRows(a), b.T(), sum)
                                        : mma(above->rows(a), b.T(), sum);
  if (other && first + depth == c.bk)
    made->release(*other);
  return result;
}

void GemmProgram::math() {
  forAllWork([&](const Work &work) {
    Fragment acc = zeros(sumType(types), {c.bm, c.bn});
    std::optional<Fragment> lost;
    if (isCompensated(types, c))
      lost.emplace(zeros(f32, {c.bm, c.bn}));
    for (Index k : work.steps) {
      Stage loaded = ring->wait();
      std::optional<Stage> other;
      for (int64_t first = 0; first < c.bk; first += together)
        acc = addProducts(loaded, other, first, acc, lost);
      ring->release(loaded);
    }
    if (c.stream_k) {
      when(
          *work.finishes, [&] { finish(acc, work); },
          [&] { share(acc, work); });
      return;
    }
    Fragment sum = c.split > 1 ? cluster_sum(acc, 0) : acc;
    if (c.store_buffers > 0) {
      epilogue(sum, work);
    } else {
      Stage reused = ring->wait();
      stageIn(reused);
      epilogue(sum, work);
      ring->release(reused);
    }
  });
}

void GemmProgram::share(const Fragment &acc, const Work &work) {
  store(partials->at({work.part, 0, 0}), acc);
  signal(arrivals->at({work.part}));
}

void GemmProgram::finish(const Fragment &acc, const Work &work) {
  for (Index other : *work.others) {
    await(arrivals->at({other}), 1);
    signal(arrivals->at({other}), -1); // as the next launch expects it
  }
  epilogue(acc, work);
}

/// The strip of the tile's sum that begins at a column.
Fragment GemmProgram::sumOf(const Fragment &acc, int64_t column,
                            const Work &work) const {
  Fragment sum = slice(acc, {0, column}, shapeOfStrip());
  if (c.stream_k)
    for (Index other : *work.others)
      sum =
          sum + ashlar::load(partials->at({other, 0, column}), shapeOfStrip());
  return sum;
}

Kernel gemm(const GemmTypes &types, const GemmConfig &config,
            const GemmForm &form, SourceLocation where) {
  const SourceLine author{where.file_name(), where.line(), where.column()};
  auto write = [&] {
    if (const std::string reason = notBuildable(types, config, form);
        !reason.empty())
      throw Error(author, "gemm: " + reason);
    GemmProgram(types, config, form, where).write();
  };
  return kernel("gemm", write, where);
}

} // namespace ashlar
