#include "runtime/CheckOverlaps.h"

#include "runtime/Overlap.h"
#include "runtime/Text.h"

#include <algorithm>
#include <limits>

namespace ashlar {
namespace {

/// 2^31 elements with strides below 2^40 do not fit into 64 bits.
using Distance = __int128;

class OverlapCheck {
public:
  OverlapCheck(const Artifact &artifact, std::span<const BoundTensor> tensors)
      : artifact(artifact), tensors(tensors) {}

  void run() const {
    for (size_t i = 0; i < tensors.size(); ++i) {
      if (!artifact.tensors[i].written || tensors[i].empty)
        continue;
      for (size_t d = 0; d < tensors[i].shape.size(); ++d)
        checkStride(i, d);
      for (size_t other = 0; other < tensors.size(); ++other)
        if (other < i || !artifact.tensors[other].written)
          checkPair(i, other);
    }
  }

private:
  // Each dimension has to step over all that those of smaller strides span.
  void checkStride(size_t i, size_t d) const {
    const BoundTensor &tensor = tensors[i];
    const int64_t stride = tensor.strides[d];
    if (tensor.shape[d] < 2 || stride >= spanInside(tensor, d, stride))
      return;
    constexpr Distance most = std::numeric_limits<int64_t>::max();
    Distance enough = stride;
    while (enough < spanInside(tensor, d, enough))
      enough = alignedUp(i, spanInside(tensor, d, enough));
    const TensorContract &contract = artifact.tensors[i];
    throw Error(contract.where,
                concat(describe(i), " is written and has stride ",
                       stride * pack_length(contract.type), " in dimension ", d,
                       ", with which its elements overlap: pass one with a "
                       "stride of at least ",
                       static_cast<int64_t>(
                           std::min(enough * pack_length(contract.type), most)),
                       " there"));
  }

  /// From the first to behind the last element along the other dimensions whose
  /// strides are not greater.
  static Distance spanInside(const BoundTensor &tensor, size_t d,
                             Distance stride) {
    Distance elements = 1;
    for (size_t e = 0; e < tensor.shape.size(); ++e)
      if (e != d && tensor.strides[e] <= stride)
        elements += Distance(tensor.shape[e] - 1) * tensor.strides[e];
    return elements;
  }

  Distance alignedUp(size_t i, Distance stride) const {
    const int64_t unit =
        std::max<int64_t>(1, tensors[i].alignmentBytes / elementBytes(i));
    return (stride + unit - 1) / unit * unit;
  }

  void checkPair(size_t i, size_t other) const {
    const TensorContract &contract = artifact.tensors[other];
    const bool isInPlace = coincide(i, other) && !contract.written;
    if (tensors[other].empty || (isInPlace && !contract.reread) ||
        !overlap(tensors[i], elementBytes(i), tensors[other],
                 elementBytes(other)))
      return;
    const std::string line = contract.where.str();
    throw Error(artifact.tensors[i].where,
                concat(describe(i), " is written and ",
                       isInPlace ? "lies on" : "shares memory with",
                       contract.written ? " the output '" : " the input '",
                       contract.name, "'",
                       line.empty() ? "" : " (" + line + ")",
                       isInPlace ? ", of which elements are read for several "
                                   "tiles, one of which may be written before"
                                 : "",
                       ": pass tensors that lie apart",
                       contract.written || contract.reread
                           ? ""
                           : ", or exactly the same for both",
                       isInPlace ? ""
                                 : ". Is a buffer smaller than its tensor's "
                                   "shape says?"));
  }

  bool coincide(size_t i, size_t other) const {
    const BoundTensor &a = tensors[i], &b = tensors[other];
    return a.address == b.address && a.shape == b.shape &&
           a.strides == b.strides && elementBytes(i) == elementBytes(other);
  }

  int64_t elementBytes(size_t i) const {
    return size_bytes(artifact.tensors[i].type);
  }

  std::string describe(size_t i) const {
    return concat("kernel '", artifact.name, "': tensor '",
                  artifact.tensors[i].name, "'");
  }

  const Artifact &artifact;
  std::span<const BoundTensor> tensors;
};

} // namespace

void checkOverlaps(const Artifact &artifact,
                   std::span<const BoundTensor> tensors) {
  OverlapCheck(artifact, tensors).run();
}

} // namespace ashlar
