// What the layout library gives: a value, or a sentence that states the
// violated condition with its numbers. Nothing here throws.

#pragma once

#include <cassert>
#include <sstream>
#include <string>
#include <utility>
#include <variant>

namespace ashlar::layout {

/// Why there is no value.
struct Refusal {
  std::string why;
};

/// The refusal whose sentence is the parts written one after another.
template <typename... Parts> Refusal refuse(const Parts &...parts) {
  std::ostringstream message;
  (message << ... << parts);
  return {message.str()};
}

/// A value, or why there is none. It is read only where it is true.
template <typename T> class [[nodiscard]] Result {
public:
  Result(T value) : state(std::move(value)) {}
  Result(Refusal refusal) : state(std::move(refusal)) {}

  explicit operator bool() const { return std::holds_alternative<T>(state); }

  const T &operator*() const & {
    assert(*this && "a refusal has no value");
    return *std::get_if<T>(&state);
  }
  /// By value, so that a loop over the parts of a temporary has what to walk.
  T operator*() && {
    assert(*this && "a refusal has no value");
    return std::move(*std::get_if<T>(&state));
  }
  const T *operator->() const { return &**this; }

  /// The refusal, to be passed on.
  const Refusal &refusal() const {
    assert(!*this && "a value is no refusal");
    return *std::get_if<Refusal>(&state);
  }
  const std::string &why() const { return refusal().why; }

private:
  std::variant<T, Refusal> state;
};

} // namespace ashlar::layout
