#pragma once

#include "ashlar/condition.h"
#include "ashlar/element_type.h"
#include "ashlar/index.h"

#include <string_view>
#include <type_traits>

namespace ashlar {

/// A number that is known when the kernel runs, the same for every thread.
class Scalar : public detail::Variable {
public:
  explicit Scalar(const detail::Handle &handle) : Variable(handle) {}
  Scalar(const Scalar &other, SourceLocation where = SourceLocation::current())
      : Variable(other, where) {}
  Scalar(Scalar &&) = default;
  Scalar &operator=(const Scalar &other) = default;

  template <detail::TakenFor<Scalar> T>
  Scalar(const T &) : Variable(detail::HandleKind::scalar, {}) {
    detail::refuseAsScalar<T>();
  }
  template <class T = Scalar>
  Scalar() : Variable(detail::HandleKind::scalar, {}) {
    detail::refuseToDeclareUnset<T>();
  }
  template <std::same_as<bool> T> explicit operator T() const {
    detail::refuseAsBool<detail::Later<Scalar, T>>();
    return false;
  }
};

/// Declares a scalar parameter: f32, s32, bf16 or f16.
Scalar scalar(std::string_view name, ElementType type,
              SourceLocation where = SourceLocation::current());

namespace detail {

template <class T>
concept Number = std::is_arithmetic_v<T> && !std::same_as<T, bool>;

/// A scalar or a number of C++, which takes the type of the other operand.
struct ScalarOperand {
  const Scalar *scalar = nullptr;
  double number = 0;
  SourceLocation where;

  ScalarOperand(const Scalar &scalar,
                SourceLocation where = SourceLocation::current())
      : scalar(&scalar), where(where) {}
  template <Number T>
  ScalarOperand(T number, SourceLocation where = SourceLocation::current())
      : number(static_cast<double>(number)), where(where) {}
};

/// What has one value for a whole fragment: an index too, which takes the type
/// of the fragment.
struct UniformOperand : ScalarOperand {
  const Index *index = nullptr;

  using ScalarOperand::ScalarOperand;
  UniformOperand(const Index &index,
                 SourceLocation where = SourceLocation::current())
      : ScalarOperand(0, where), index(&index) {}
};

} // namespace detail

Scalar operator+(detail::ScalarOperand a, detail::ScalarOperand b);
Scalar operator-(detail::ScalarOperand a, detail::ScalarOperand b);
Scalar operator*(detail::ScalarOperand a, detail::ScalarOperand b);
Scalar operator/(detail::ScalarOperand a, detail::ScalarOperand b);
Scalar operator-(detail::ScalarOperand a);

Scalar &operator+=(Scalar &a, detail::ScalarOperand b);
Scalar &operator-=(Scalar &a, detail::ScalarOperand b);
Scalar &operator*=(Scalar &a, detail::ScalarOperand b);
Scalar &operator/=(Scalar &a, detail::ScalarOperand b);

Condition operator<(detail::ScalarOperand a, detail::ScalarOperand b);
Condition operator<=(detail::ScalarOperand a, detail::ScalarOperand b);
Condition operator>(detail::ScalarOperand a, detail::ScalarOperand b);
Condition operator>=(detail::ScalarOperand a, detail::ScalarOperand b);
Condition operator==(detail::ScalarOperand a, detail::ScalarOperand b);
Condition operator!=(detail::ScalarOperand a, detail::ScalarOperand b);

/// a · b as it is rounded: it contracts with no sum, as `a * b` does.
Scalar mul_rn(detail::ScalarOperand a, detail::ScalarOperand b);
/// a · b + c, rounded once. One of them is a scalar.
Scalar fma(detail::ScalarOperand a, detail::ScalarOperand b,
           detail::ScalarOperand c);
Scalar min(detail::ScalarOperand a, detail::ScalarOperand b);
/// NaN if either is NaN.
Scalar max(detail::ScalarOperand a, detail::ScalarOperand b);
/// `a` no less than `least`, and then no more than `largest`; NaN if one is
/// NaN.
Scalar clamp(detail::ScalarOperand a, detail::ScalarOperand least,
             detail::ScalarOperand largest);
/// `a` where the condition holds, `b` elsewhere.
Scalar select(const Condition &condition, detail::ScalarOperand a,
              detail::ScalarOperand b);

Scalar abs(const Scalar &a, SourceLocation where = SourceLocation::current());
/// a to the power of b, as C has it: NaN of a below 0 unless b is an integer.
Scalar pow(detail::ScalarOperand a, detail::ScalarOperand b);
namespace fast {
/// a / b, with an error of up to 2 ulp; of 1 ulp where a is the number 1.
Scalar divide(detail::ScalarOperand a, detail::ScalarOperand b);
/// The same by approximations of log2 and exp2; NaN of every a below 0.
Scalar pow(detail::ScalarOperand a, detail::ScalarOperand b);
} // namespace fast

namespace detail {
Scalar scalarOf(double number, ElementType type, SourceLocation where);
} // namespace detail

/// A number of C++ as a scalar.
template <detail::Number T>
Scalar convert(T number, ElementType type,
               SourceLocation where = SourceLocation::current()) {
  return detail::scalarOf(static_cast<double>(number), type, where);
}

/// The index as a number; where the index has more than 32 bits, of the nearest
/// number that has 32.
Scalar convert(const Index &a, ElementType type,
               SourceLocation where = SourceLocation::current());
/// The scalar in another type.
Scalar convert(const Scalar &a, ElementType type,
               SourceLocation where = SourceLocation::current());
/// The same bits as another type of as many.
Scalar bitcast(const Scalar &a, ElementType type,
               SourceLocation where = SourceLocation::current());

} // namespace ashlar
