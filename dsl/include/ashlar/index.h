#pragma once

#include "ashlar/condition.h"

#include <concepts>
#include <string_view>

namespace ashlar {

namespace detail {
struct IndexOperand;
template <class T>
concept Integer = std::integral<T> && !std::same_as<T, bool>;
} // namespace detail

/// A signed 32-bit integer that is known when the kernel runs, the same for
/// every thread of a role: a coordinate, a trip count, an extent. An integer of
/// C++ converts to it.
class [[maybe_unused]] Index : public detail::Variable {
public:
  template <detail::Integer T>
  Index(T constant, SourceLocation where = SourceLocation::current())
      : Index(constant, where, nullptr) {}
  explicit Index(const detail::Handle &handle) : Variable(handle) {}
  Index(const Index &other, SourceLocation where = SourceLocation::current());
  Index(Index &&other)
      : Index(static_cast<const Index &>(other), other.declared_at()) {}
  Index &operator=(const Index &other);

  template <class T>
    requires(detail::TakenFor<T, Index> && !detail::AnyIndex<T> &&
             !detail::Integer<T>) ||
            detail::TileCoordinates<T>
  Index(const T &) : Variable(detail::HandleKind::index, {}) {
    detail::refuseAsIndex<T>();
  }
  template <class T = Index> Index() : Variable(detail::HandleKind::index, {}) {
    detail::refuseToDeclareUnset<T>();
  }
  template <std::same_as<bool> T> explicit operator T() const {
    detail::refuseAsBool<detail::Later<Index, T>>();
    return false;
  }

  Index &operator+=(detail::IndexOperand other);
  Index &operator-=(detail::IndexOperand other);
  Index &operator*=(detail::IndexOperand other);
  Index &operator/=(detail::IndexOperand other);
  Index &operator%=(detail::IndexOperand other);

private:
  friend class detail::Trace;
  Index(int64_t constant, SourceLocation where, std::nullptr_t);

  int64_t constant = 0; // the value of one made outside any kernel
};

/// An extent that is known at launch; never negative.
class [[maybe_unused]] Size : public Index {
public:
  explicit Size(const detail::Handle &handle) : Index(handle) {}
  Size(const Size &other, SourceLocation where = SourceLocation::current())
      : Index(other, where) {}
  Size(Size &&) = default;
  Size &operator=(const Size &) = delete;

  template <class T>
    requires detail::Integer<T> || std::same_as<T, Index>
  Size(const T &) : Index(0) {
    static_assert(!std::same_as<T, T>,
                  "a size is declared by size(name), and known when the kernel "
                  "is launched: what is computed or known now is an Index");
  }
};

/// Declares an extent. The launch takes its value from the tensors that have
/// it, and checks that they agree. Throws when the name is taken.
Size size(std::string_view name,
          SourceLocation where = SourceLocation::current());

namespace detail {

/// An index or an integer, and where it was written.
struct IndexOperand {
  const Index *index = nullptr;
  int64_t constant = 0;
  SourceLocation where;

  IndexOperand(const Index &index,
               SourceLocation where = SourceLocation::current())
      : index(&index), where(where) {}
  template <Integer T>
  IndexOperand(T constant, SourceLocation where = SourceLocation::current())
      : constant(constant), where(where) {}
};

} // namespace detail

Index operator+(detail::IndexOperand a, detail::IndexOperand b);
Index operator-(detail::IndexOperand a, detail::IndexOperand b);
Index operator*(detail::IndexOperand a, detail::IndexOperand b);
/// Rounds towards zero, as in C++.
Index operator/(detail::IndexOperand a, detail::IndexOperand b);
/// Has the sign of `a`, as in C++.
Index operator%(detail::IndexOperand a, detail::IndexOperand b);
Index operator-(detail::IndexOperand a);

Condition operator<(detail::IndexOperand a, detail::IndexOperand b);
Condition operator<=(detail::IndexOperand a, detail::IndexOperand b);
Condition operator>(detail::IndexOperand a, detail::IndexOperand b);
Condition operator>=(detail::IndexOperand a, detail::IndexOperand b);
Condition operator==(detail::IndexOperand a, detail::IndexOperand b);
Condition operator!=(detail::IndexOperand a, detail::IndexOperand b);

Index min(detail::IndexOperand a, detail::IndexOperand b);
Index max(detail::IndexOperand a, detail::IndexOperand b);
/// The least integer that is not less than a / b.
Index ceil_div(detail::IndexOperand a, detail::IndexOperand b);
/// `a`, of which the author promises that it is a multiple of `n`. TMA copies
/// tiles whose last coordinate is known to be a multiple of 16 bytes, others go
/// by cp.async or ordinary loads. What is computed from numbers and tile counts
/// (`64 * k + 8`) is known without a promise; a size, say, is not. The
/// simulator reports a promise that is broken; on the GPU it ends the launch
/// with an error.
Index multiple_of(detail::IndexOperand a, int64_t n);
/// `a`, which the kernel takes up to `most`: a launch with sizes that make it
/// more is refused. It is computed from sizes and numbers, directly in the
/// kernel. What is computed from it needs 64 bits less often.
Index at_most(detail::IndexOperand a, int64_t most);
/// `a` no less than `least`, and then no more than `largest`.
Index clamp(detail::IndexOperand a, detail::IndexOperand least,
            detail::IndexOperand largest);
/// `a` where the condition holds, `b` elsewhere.
Index select(const Condition &condition, detail::IndexOperand a,
             detail::IndexOperand b);
/// The same of two integers of C++, which might be scalars as well.
template <std::same_as<Condition> C, detail::Integer A, detail::Integer B>
Index select(const C &condition, A a, B b,
             SourceLocation where = SourceLocation::current()) {
  return select(condition, detail::IndexOperand(a, where),
                detail::IndexOperand(b, where));
}

} // namespace ashlar
