#include "compiler/layout/Wgmma.h"

#include "compiler/target/Target.h"

#include <algorithm>
#include <array>
#include <optional>

namespace ashlar::layout {

namespace {

/// The value of a descriptor field that the instruction does not read.
constexpr int64_t UnusedBytes = 16;

/// "(64,128)"
IntTuple shapeOf(const SwizzledLayout &tile) {
  std::vector<int64_t> shape;
  for (int64_t i = 0; i < tile.layout.rank(); ++i)
    shape.push_back(tile.layout.mode(i).size());
  return IntTuple::of(shape);
}

/// One wgmma operand in the making: the tile, the extents of the instruction
/// and the sizes from which the canonical layouts are built.
struct Instruction {
  const SwizzledLayout &tile;
  int64_t elementBytes, mn, k;
  int64_t atom = int64_t(16) << tile.swizzle.bits;

  /// The offset of (i, 0), or the unused value where the instruction ends
  /// before i.
  int64_t offsetMN(int64_t i) const {
    return i < mn ? tile.layout.at({i, 0}) : UnusedBytes;
  }
  int64_t offsetK(int64_t j) const {
    return j < k ? tile.layout.at({0, j}) : UnusedBytes;
  }
};

/// A descriptor and the layout, in bytes, that it stands for.
struct Canonical {
  WgmmaOperand operand;
  Layout mn, k;
};

/// Vectors of 16 bytes follow one another along K as far as the swizzle
/// reaches, then others, further by the leading bytes.
Canonical canonicalKMajor(const Instruction &in) {
  int64_t vector = 16 / in.elementBytes;
  int64_t vectors = in.k / vector;
  int64_t inAtom = std::min(vectors, in.atom / 16);
  int64_t strideBytes = in.offsetMN(8);
  int64_t leadingBytes = in.offsetK(inAtom * vector);
  return {{Major::K, leadingBytes, strideBytes, in.tile.swizzle.bits},
          Layout({8, in.mn / 8}, {in.atom, strideBytes}),
          Layout({vector, inAtom, vectors / inAtom},
                 {in.elementBytes, 16, leadingBytes})};
}

Result<Canonical> canonicalMNMajor(const Instruction &in) {
  int64_t width = in.atom / in.elementBytes;
  if (in.mn % width != 0)
    return refuse("a wgmma of ", in.mn,
                  " rows or columns cannot read the MN-major tile ",
                  shapeOf(in.tile), ", whose swizzle is ", width,
                  " elements wide: use a multiple of it");
  int64_t alongMN = in.offsetMN(width);
  int64_t alongK = in.offsetK(8);
  bool swizzled = in.tile.swizzle.bits > 0;
  return Canonical{{Major::MN, swizzled ? alongMN : alongK,
                    swizzled ? alongK : alongMN, in.tile.swizzle.bits},
                   Layout({width, in.mn / width}, {in.elementBytes, alongMN}),
                   Layout({8, in.k / 8}, {in.atom, alongK})};
}

/// Both layouts are sums over their two modes, so they agree at every
/// coordinate if they agree along each mode.
std::optional<Refusal> whyNotCanonical(const Instruction &in,
                                       const Canonical &canonical) {
  std::array<const Layout *, 2> expected = {&canonical.mn, &canonical.k};
  for (int mode : {0, 1}) {
    Layout found = in.tile.layout.mode(mode);
    for (int64_t i = 0; i < expected[mode]->size(); ++i)
      if (found(i) != (*expected[mode])(i))
        return refuse("the shared tile ", shapeOf(in.tile),
                      " does not lie as wgmma reads: its ",
                      mode == 0 ? "MN" : "K", " coordinate ", i,
                      " lies at byte ", found(i), ", not at ",
                      (*expected[mode])(i),
                      ": use a whole tile, or a part of whole swizzle atoms");
  }
  return std::nullopt;
}

std::optional<Refusal> whyNotInstruction(const Instruction &in,
                                         int contiguousMode) {
  const Layout &layout = in.tile.layout;
  if (layout.rank() != 2)
    return refuse("a wgmma operand has two dimensions; the tile ",
                  shapeOf(in.tile), " has ", layout.rank());
  const Swizzle &swizzle = in.tile.swizzle;
  if (swizzle.base != 4 || swizzle.shift != 3 || swizzle.bits > 3)
    return refuse("wgmma cannot read the swizzle ", swizzle,
                  "; it knows S<0,4,3> to S<3,4,3>");
  if (in.elementBytes != 1 && in.elementBytes != 2 && in.elementBytes != 4)
    return refuse("wgmma has no elements of ", in.elementBytes, " bytes");
  if (in.k * in.elementBytes != target::wgmmaDepthBytes &&
      in.k * in.elementBytes != target::sparseRatio * target::wgmmaDepthBytes)
    return refuse("a wgmma is ", target::wgmmaDepthBytes, " bytes deep, ",
                  target::wgmmaDepthBytes / in.elementBytes, " elements of ",
                  in.elementBytes, " bytes, or ", target::sparseRatio,
                  " times as deep where A is sparse, not ", in.k);
  if (!target::isWgmmaColumns(in.mn, /*integers=*/false))
    return refuse(
        "a wgmma operand has 8 to 256 rows or columns in multiples of 8, ",
        "not ", in.mn);
  if (layout.mode(0).size() < in.mn || layout.mode(1).size() < in.k)
    return refuse("the tile ", shapeOf(in.tile), " is smaller than the ", in.mn,
                  "x", in.k, " elements that the wgmma reads");
  if (contiguousMode != 0 && contiguousMode != 1)
    return refuse("the contiguous mode is 0 (MN) or 1 (K), not ",
                  contiguousMode);
  if (layout.mode(contiguousMode)(1) != in.elementBytes)
    return refuse("the ", contiguousMode == 0 ? "MN" : "K",
                  " mode of the tile ", shapeOf(in.tile),
                  " is not contiguous: its stride is ",
                  layout.mode(contiguousMode)(1), " bytes, its elements have ",
                  in.elementBytes);
  if (contiguousMode == 0 && in.elementBytes != 2)
    return refuse(
        "wgmma reads tiles that are contiguous along M or N only for ",
        "elements of 2 bytes, not ", in.elementBytes);
  return std::nullopt;
}

Result<uint64_t> field(int64_t bytes, const char *name) {
  constexpr int64_t unit = target::descriptorUnit,
                    end = unit << target::descriptorBits;
  if (bytes < 0 || bytes % unit != 0 || bytes >= end)
    return refuse("the ", name, " byte offset ", bytes,
                  " of a wgmma descriptor is not a multiple of ", unit,
                  " below ", end);
  return static_cast<uint64_t>(bytes / unit);
}

} // namespace

SwizzledLayout transposed(const SwizzledLayout &tile) {
  assert(tile.layout.rank() == 2 && "only two modes can be transposed");
  return {tile.swizzle, concat({tile.layout.mode(1), tile.layout.mode(0)})};
}

Result<WgmmaOperand> wgmmaOperand(const SwizzledLayout &tile,
                                  int contiguousMode, int64_t elementBytes,
                                  int64_t mn, int64_t k) {
  Instruction instruction{tile, elementBytes, mn, k};
  if (auto refusal = whyNotInstruction(instruction, contiguousMode))
    return *refusal;
  Result<Canonical> canonical = contiguousMode == 1
                                    ? canonicalKMajor(instruction)
                                    : canonicalMNMajor(instruction);
  if (!canonical)
    return canonical.refusal();
  if (auto refusal = whyNotCanonical(instruction, *canonical))
    return *refusal;
  return canonical->operand;
}

Result<int64_t> stepBytes(const SwizzledLayout &tile, int mode,
                          int64_t elements) {
  Layout along = tile.layout.mode(mode);
  if (elements < 1 || along.size() % elements != 0)
    return refuse("steps of ", elements, " elements do not divide the ",
                  along.size(), " of mode ", mode, " of the tile ",
                  shapeOf(tile));
  if (elements == along.size())
    return int64_t(0);
  int64_t step = along(elements);
  if (step % 16 != 0)
    return refuse("a step of ", elements, " elements along mode ", mode,
                  " of the tile ", shapeOf(tile), " is ", step,
                  " bytes, not a multiple of 16");
  for (int64_t at = 0; at < along.size(); at += elements)
    if (along(at) != at / elements * step)
      return refuse("steps of ", elements, " elements along mode ", mode,
                    " of the tile ", shapeOf(tile),
                    " are not equal: the first is ", step,
                    " bytes, but element ", at, " lies at ", along(at));
  return step;
}

Result<uint64_t> descriptorBits(const WgmmaOperand &operand) {
  constexpr std::array<uint64_t, 4> SwizzleModes = {0, 3, 2, 1};
  if (operand.swizzleBits < 0 || operand.swizzleBits > 3)
    return refuse("a wgmma descriptor has 0 to 3 swizzle bits, not ",
                  operand.swizzleBits);
  Result<uint64_t> leading = field(operand.leadingBytes, "leading");
  if (!leading)
    return leading;
  Result<uint64_t> stride = field(operand.strideBytes, "stride");
  if (!stride)
    return stride;
  return *leading << 16 | *stride << 32 |
         SwizzleModes[operand.swizzleBits] << 62;
}

} // namespace ashlar::layout
