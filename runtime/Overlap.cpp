#include "runtime/Overlap.h"

#include <algorithm>
#include <limits>

namespace ashlar {
namespace {

/// 2^31 elements with strides below 2^40 bytes do not fit into 64 bits.
using Distance = __int128;

constexpr Distance noLimit = std::numeric_limits<int64_t>::max();

/// A tensor as rows of adjacent bytes.
struct Rows {
  Rows(const BoundTensor &tensor, int64_t elementBytes)
      : tensor(tensor), elementBytes(elementBytes), rank(tensor.shape.size()),
        rowBytes(rank ? tensor.shape.back() * elementBytes : elementBytes) {}

  int64_t strideBytes(size_t d) const {
    return tensor.strides[d] * elementBytes;
  }
  int64_t steps(size_t d) const { return tensor.shape[d] - 1; }
  size_t outerDimensions() const { return rank ? rank - 1 : 0; }

  /// From the first row to the last, counting strides below `limit`.
  Distance span(Distance limit = noLimit) const {
    Distance bytes = 0;
    for (size_t d = 0; d < outerDimensions(); ++d)
      if (strideBytes(d) < limit)
        bytes += Distance(steps(d)) * strideBytes(d);
    return bytes;
  }

  /// Steps along all dimensions of that stride.
  int64_t stepsOf(Distance stride) const {
    int64_t all = 0;
    for (size_t d = 0; d < outerDimensions(); ++d)
      if (strideBytes(d) == stride)
        all += steps(d);
    return all;
  }

  Distance greatestStride(Distance limit) const {
    int64_t greatest = 0;
    for (size_t d = 0; d < outerDimensions(); ++d)
      if (steps(d) > 0 && strideBytes(d) < limit)
        greatest = std::max(greatest, strideBytes(d));
    return greatest;
  }

  const BoundTensor &tensor;
  int64_t elementBytes;
  size_t rank;
  int64_t rowBytes;
};

/// Whether a row of `a` shares a byte with a row of `b`. The distance between
/// two rows is a sum of steps along the dimensions of both, b's counted from
/// its last row; the steps along great strides are tried first, since those
/// along smaller ones leave them little choice.
class CommonByte {
public:
  CommonByte(const Rows &a, const Rows &b) : a(a), b(b) {}

  bool exists() {
    const Distance start =
        Distance(a.tensor.address) - Distance(b.tensor.address) - b.span();
    return reach(noLimit, 1 - a.rowBytes - start, b.rowBytes - 1 - start);
  }

private:
  /// Whether steps along strides below `limit` add up to between `low` and
  /// `high`.
  bool reach(Distance limit, Distance low, Distance high) {
    const Distance span = a.span(limit) + b.span(limit);
    if (low > span || high < 0)
      return false;
    if (low <= 0 || high >= span)
      return true;
    if (attempts == 0)
      return false;
    --attempts;
    const Distance stride =
        std::max(a.greatestStride(limit), b.greatestStride(limit));
    const Distance rest = a.span(stride) + b.span(stride);
    const Distance first =
        low > rest ? (low - rest + stride - 1) / stride : Distance(0);
    const Distance last = std::min(
        high / stride, Distance(a.stepsOf(stride) + b.stepsOf(stride)));
    for (Distance steps = first; steps <= last && attempts > 0; ++steps)
      if (reach(stride, low - steps * stride, high - steps * stride))
        return true;
    return false;
  }

  const Rows &a, &b;
  /// Two tensors woven into each other with strides that do not divide each
  /// other could take for ever; they pass.
  int attempts = 1000;
};

} // namespace

bool overlap(const BoundTensor &a, int64_t elementBytesA, const BoundTensor &b,
             int64_t elementBytesB) {
  return CommonByte(Rows(a, elementBytesA), Rows(b, elementBytesB)).exists();
}

} // namespace ashlar
