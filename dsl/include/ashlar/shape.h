#pragma once

#include "ashlar/refusal.h"

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace ashlar {

/// The extents of a tile in elements, outermost first; known when the kernel
/// is built.
class Shape {
public:
  Shape(std::initializer_list<int64_t> extents) : extents(extents) {}
  explicit Shape(std::vector<int64_t> extents) : extents(std::move(extents)) {}
  template <class... T>
    requires(sizeof...(T) > 0 &&
             ((detail::Kind<T> || detail::Constant<T>) && ...))
  Shape(const T &...) {
    detail::refuseAsShape<T...>();
  }

  int64_t rank() const { return static_cast<int64_t>(extents.size()); }
  int64_t operator[](int64_t dimension) const { return extents[dimension]; }
  auto begin() const { return extents.begin(); }
  auto end() const { return extents.end(); }
  bool operator==(const Shape &) const = default;

  /// "128x64"
  std::string str() const;

private:
  std::vector<int64_t> extents;
};

} // namespace ashlar
