// Which bytes of a global allocation belong to elements of the tensors that a
// launch is given there: none of the others is its own.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ashlar::sim {

/// A tensor of a launch, as whoever launches tells of it.
struct Tensor {
  std::string name;
  uint64_t address = 0;
  uint32_t elementBytes = 1;
  std::vector<uint64_t> extents; // outermost first
  std::vector<uint64_t> strides; // in elements
};

class TensorBounds {
public:
  /// `offset`: that of its first element in the allocation.
  void add(const Tensor &tensor, uint64_t offset);

  /// [begin, end) in the allocation.
  struct Run {
    uint64_t begin = 0, end = 0;
    bool contains(uint64_t offset, uint64_t sizeBytes) const {
      return offset >= begin && offset <= end && sizeBytes <= end - offset;
    }
  };
  /// The longest stretch of elements without gaps that the bytes lie in; empty
  /// where they are not all of elements of one tensor.
  Run runAround(uint64_t offset, uint64_t sizeBytes) const;
  /// Whether the bytes lie between the first and the last of a tensor, and one
  /// of them is of an element of it.
  bool isAround(uint64_t offset, uint64_t sizeBytes) const;

  /// "4 bytes are accessed 8 bytes behind the end of [3, :] of tensor 'A' (5 x
  /// 7 elements of 4 bytes, strides 8, 1)", of bytes that are not all of
  /// elements, or of elements that an allocation of so many bytes has not.
  std::string describe(uint64_t offset, uint64_t sizeBytes,
                       uint64_t allocatedBytes) const;

private:
  /// Stretches of `runBytes`, repeated along the dimensions.
  struct Place {
    Tensor tensor;
    uint64_t begin = 0, spanBytes = 0, runBytes = 0;
    struct Dimension {
      uint64_t strideBytes, extent;
    };
    std::vector<Dimension> dimensions; // the longest stride first
    Run runAt(uint64_t offset) const;
  };
  static Place place(const Tensor &tensor, uint64_t offset);
  const Place &nearest(uint64_t offset, uint64_t sizeBytes) const;
  std::vector<Place> places;
};

} // namespace ashlar::sim
