#pragma once

#include "ashlar/handle.h"

#include <concepts>

namespace ashlar {

/// A truth value that is known when the kernel runs. `when(condition, ...)`
/// branches on it; both sides of `&&` and `||` are evaluated.
class Condition : public detail::Variable {
public:
  explicit Condition(const detail::Handle &handle) : Variable(handle) {}
  Condition(const Condition &other,
            SourceLocation where = SourceLocation::current())
      : Variable(other, where) {}
  Condition(Condition &&) = default;
  Condition &operator=(const Condition &other) = default;

  template <detail::TakenFor<Condition> T>
  Condition(const T &) : Variable(detail::HandleKind::condition, {}) {
    detail::refuseAsCondition<T>();
  }
  template <class T = Condition>
  Condition() : Variable(detail::HandleKind::condition, {}) {
    detail::refuseToDeclareUnset<T>();
  }
  template <std::same_as<bool> T> explicit operator T() const {
    detail::refuseAsBool<detail::Later<Condition, T>>();
    return false;
  }
};

namespace detail {

/// A condition, or a bool that is known when the kernel is built.
struct ConditionOperand {
  const Condition *condition = nullptr;
  bool constant = false;
  SourceLocation where;

  ConditionOperand(const Condition &condition,
                   SourceLocation where = SourceLocation::current())
      : condition(&condition), where(where) {}
  template <std::same_as<bool> B>
  ConditionOperand(B constant, SourceLocation where = SourceLocation::current())
      : constant(constant), where(where) {}
  template <detail::TakenFor<Condition> T>
    requires(!std::same_as<T, bool>)
  ConditionOperand(const T &) {
    detail::refuseAsCondition<T>();
  }
};

} // namespace detail

Condition operator&&(const Condition &a, detail::ConditionOperand b);
Condition operator||(const Condition &a, detail::ConditionOperand b);
Condition operator!(const Condition &a);

// With a bool both operands must match exactly: C++ has && and || of its own.
template <std::same_as<bool> B> Condition operator&&(const Condition &a, B b) {
  return a && detail::ConditionOperand(b, a.declared_at());
}
template <std::same_as<bool> B> Condition operator||(const Condition &a, B b) {
  return a || detail::ConditionOperand(b, a.declared_at());
}
template <std::same_as<bool> B> Condition operator&&(B a, const Condition &b) {
  return b && detail::ConditionOperand(a, b.declared_at());
}
template <std::same_as<bool> B> Condition operator||(B a, const Condition &b) {
  return b || detail::ConditionOperand(a, b.declared_at());
}

} // namespace ashlar
