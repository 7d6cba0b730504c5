#pragma once

#include "ashlar/refusal.h"

#include <concepts>
#include <source_location>

namespace ashlar {

/// A place in the author's C++. Every call of the language captures it.
using SourceLocation = std::source_location;

namespace detail {

/// An operand and the place where it was written: an operator can't have a
/// default argument, the conversion of its operand can.
template <class T> struct Located {
  T value;
  SourceLocation where;

  template <std::convertible_to<T> U>
    requires(!std::floating_point<U>)
  Located(U given, SourceLocation where = SourceLocation::current())
      : value(static_cast<T>(given)), where(where) {}
  template <class U>
    requires(Kind<U> || std::floating_point<U>)
  Located(const U &) {
    refuseAsConstant<U>();
  }
};

} // namespace detail
} // namespace ashlar
