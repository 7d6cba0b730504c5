#pragma once

#include "ashlar/element_type.h"
#include "ashlar/error.h"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ashlar {

/// A tensor in host memory, its elements read as double.
class HostTensor {
public:
  /// All bytes are 0xff, which is NaN in every floating-point type. `strides`
  /// are in elements, outermost first, the last one is 1.
  HostTensor(std::string name, ElementType type, std::vector<int64_t> shape,
             std::vector<int64_t> strides);

  const std::string &name() const { return tensorName; }
  ElementType type() const { return elementType; }
  const std::vector<int64_t> &shape() const { return extents; }
  const std::vector<int64_t> &strides() const { return elementStrides; }
  /// How many elements it has, padding not counted.
  int64_t elements() const;

  /// The element at a coordinate, outermost first. Throws `Error` where it has
  /// not one number for each dimension, or lies outside of the tensor.
  template <std::integral... Coordinates>
  double operator()(Coordinates... coordinates) const {
    const int64_t at[] = {static_cast<int64_t>(coordinates)...};
    return (*this)(std::span<const int64_t>(at));
  }
  double operator()(std::span<const int64_t> coordinate) const {
    if (coordinate.size() != extents.size())
      refuseRank(coordinate.size());
    for (size_t d = 0; d < coordinate.size(); ++d)
      if (static_cast<uint64_t>(coordinate[d]) >=
          static_cast<uint64_t>(extents[d]))
        refuseOutside(coordinate);
    return read(offset(coordinate));
  }

  /// Where an element lies, in elements from the start.
  int64_t offset(std::span<const int64_t> coordinate) const {
    int64_t sum = 0;
    for (size_t d = 0; d < coordinate.size(); ++d)
      sum += coordinate[d] * elementStrides[d];
    return sum;
  }
  double read(int64_t offset) const;
  /// Rounds to nearest even; what the type can't hold becomes its largest
  /// finite value.
  void write(int64_t offset, double value);

  std::vector<std::byte> &bytes() { return storage; }
  const std::vector<std::byte> &bytes() const { return storage; }

private:
  [[noreturn]] void refuseRank(size_t given) const;
  [[noreturn]] void refuseOutside(std::span<const int64_t> coordinate) const;
  /// Throws `Error` for more than the machine has.
  int64_t sizeBytes() const;

  std::string tensorName;
  ElementType elementType;
  std::vector<int64_t> extents;
  std::vector<int64_t> elementStrides;
  std::vector<std::byte> storage;
};

struct NamedSize {
  std::string name;
  int64_t value;
};

struct NamedScalar {
  std::string name;
  double value;
};

/// What a kernel is launched on: its sizes, its scalars and the tensors as they
/// are before the launch. The accessors throw `Error` for an unknown name.
struct Problem {
  std::vector<NamedSize> sizes;
  std::vector<NamedScalar> scalars;
  std::vector<HostTensor> tensors;

  const HostTensor &operator[](std::string_view tensor) const;
  int64_t size(std::string_view name) const;
  double scalar(std::string_view name) const;
};

/// What a tensor holds before the launch, in place of random numbers: of each
/// coordinate, outermost first. It is rounded to the tensor's type. The problem
/// has its sizes and scalars by then.
struct Input {
  std::string tensor;
  std::function<double(const Problem &, std::span<const int64_t> coordinate)>
      element;
};

} // namespace ashlar
