// Integers in a tree: the shapes, strides and coordinates of layouts.

#pragma once

#include "compiler/layout/Result.h"

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ashlar::layout {

/// Either one integer (a leaf) or a sequence of IntTuples. A leaf counts as a
/// sequence of itself: its size is 1 and its element 0 is the leaf.
///
/// `IntTuple{4, {2, 8}}` is the tree (4,(2,8)), and `IntTuple(4)` the leaf 4.
/// Copy with parentheses or `=`: `IntTuple{t}` is the sequence (t).
class IntTuple {
public:
  IntTuple(int64_t value = 1) : node(value) {}
  IntTuple(std::initializer_list<IntTuple> elements)
      : node(std::vector<IntTuple>(elements)) {}
  explicit IntTuple(std::vector<IntTuple> elements)
      : node(std::move(elements)) {}

  /// The flat sequence of these integers.
  static IntTuple of(std::span<const int64_t> values);

  /// Reads what str() writes, or says where it is something else.
  static Result<IntTuple> parse(std::string_view text);

  bool isLeaf() const { return std::holds_alternative<int64_t>(node); }

  /// The integer of a leaf; of nothing else.
  int64_t value() const;

  /// The number of elements at the top level, 1 for a leaf.
  int64_t size() const;
  const IntTuple &operator[](int64_t i) const;

  /// The product of all leaves; 1 for the empty sequence.
  int64_t product() const;

  /// The leaves from left to right.
  std::vector<int64_t> flatten() const;

  /// 0 for a leaf, 1 for a flat sequence, and so on.
  int64_t depth() const;

  /// The same tree with `change` applied to every leaf.
  IntTuple map(const std::function<int64_t(int64_t)> &change) const;

  std::string str() const;
  bool operator==(const IntTuple &other) const = default;

private:
  std::variant<int64_t, std::vector<IntTuple>> node;
};

std::ostream &operator<<(std::ostream &out, const IntTuple &tuple);

/// Whether the trees have the same form, whatever their integers.
bool congruent(const IntTuple &a, const IntTuple &b);

/// Whether every coordinate of the shape `a` is one of the shape `b`: `b`
/// refines leaves of `a` into trees of the same product.
bool compatible(const IntTuple &a, const IntTuple &b);

} // namespace ashlar::layout
