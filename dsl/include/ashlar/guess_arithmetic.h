// Operators and functions of numbers that one tries and that do not exist: each
// is refused by a sentence when C++ compiles the program, where else it would
// list what does exist.
#pragma once

#include "ashlar/arithmetic.h"
#include "ashlar/copy.h"
#include "ashlar/math.h"
#include "ashlar/pipeline.h"
#include "ashlar/value.h"

namespace ashlar {

namespace detail {

//===-- Operators ---------------------------------------------------------===//

template <class T>
concept IndexLike = AnyIndex<T> || Integer<T>;
template <class T>
concept ScalarLike = std::same_as<T, Scalar> || Number<T>;
/// What meets a fragment.
template <class T>
concept Spreads =
    AnyIndex<T> || ScalarLike<T> || OneOf<T, Fragment, ColumnVector>;

/// Whether the language has the operators of fragments for A and B.
template <class A, class B>
concept MeetAsFragments = (std::same_as<A, Fragment> && Spreads<B>) ||
                          (Spreads<A> && std::same_as<B, Fragment>);
template <class A, class B>
concept MeetAsNumbers =
    MeetAsFragments<A, B> || (IndexLike<A> && IndexLike<B>) ||
    (ScalarLike<A> && ScalarLike<B>);
/// Whether B is added to an A in its place.
template <class A, class B>
concept JoinsAsFragment = std::same_as<A, Fragment> && Spreads<B>;
template <class A, class B>
concept Joins = JoinsAsFragment<A, B> || (AnyIndex<A> && IndexLike<B>) ||
                (std::same_as<A, Scalar> && ScalarLike<B>);
template <class A, class B>
concept JoinsByRemainder =
    JoinsAsFragment<A, B> || (AnyIndex<A> && IndexLike<B>);
template <class A, class B>
concept MeetByRemainder =
    MeetAsFragments<A, B> || (IndexLike<A> && IndexLike<B>);
template <class A, class B>
concept MeetAsTruths = (std::same_as<A, Mask> && std::same_as<B, Mask>) ||
                       (OneOf<A, Condition, bool> && OneOf<B, Condition, bool>);

/// Whether an operator of these was meant for the language.
template <class A, class B>
concept Tried =
    (Kind<A> && (Kind<B> || Constant<B>)) || (Constant<A> && Kind<B>);

/// What the operator would give, for the program to be read on.
template <class A, class B>
using Result = std::conditional_t<
    OneOf<A, Fragment, ColumnVector, SharedTile, Tensor, TileRef, Stage> ||
        OneOf<B, Fragment, ColumnVector, SharedTile, Tensor, TileRef, Stage>,
    Fragment,
    std::conditional_t<
        OneOf<A, Mask> || OneOf<B, Mask>, Mask,
        std::conditional_t<
            OneOf<A, Condition> || OneOf<B, Condition>, Condition,
            std::conditional_t<OneOf<A, Scalar> || OneOf<B, Scalar>, Scalar,
                               Index>>>>;
template <class A, class B>
using Truth = std::conditional_t<std::same_as<Result<A, B>, Fragment> ||
                                     std::same_as<Result<A, B>, Mask>,
                                 Mask, Condition>;

/// One of the operands has no arithmetic at all.
template <class... T> constexpr void refuseOperands() {
  static_assert(!(OneOf<T, SharedTile> || ...),
                "a shared tile has no arithmetic: load(tile) brings it to "
                "registers, as a fragment");
  static_assert(!(OneOf<T, Tensor, TileRef> || ...),
                "a tensor has no arithmetic: load(tensor.tile({...}), shape) "
                "brings a tile of it to registers, as a fragment");
  static_assert(!(OneOf<T, Stage> || ...),
                "a stage has no arithmetic: load(stage[0]) brings its first "
                "tile to registers, as a fragment");
  static_assert(!(OneOf<T, Pipeline, StageTile, Attempt> || ...),
                "arithmetic is of indices, scalars and fragments");
}

template <class A, class B> constexpr void refuseArithmetic() {
  refuseOperands<A, B>();
  static_assert(
      !OneOf<A, Mask, Condition> && !OneOf<B, Mask, Condition>,
      "a truth value has no arithmetic and is not compared: select(truth, a, "
      "b) chooses between numbers by it; &&, || and ! combine truth values of "
      "one kind");
  static_assert(!std::same_as<A, bool> && !std::same_as<B, bool>,
                "true and false are no numbers of a kernel: write 1 or 0");
  static_assert(!(OneOf<A, ColumnVector> &&
                  !OneOf<B, SharedTile, Tensor, TileRef, Stage>) &&
                    !(OneOf<B, ColumnVector> &&
                      !OneOf<A, SharedTile, Tensor, TileRef, Stage>),
                "along_rows(vector) meets a fragment with rows; compute with "
                "the vector itself before: along_rows(2 * vector)");
  static_assert(!((AnyIndex<A> && std::floating_point<B>) ||
                  (std::floating_point<A> && AnyIndex<B>)),
                "an index has only integers: convert(index, f32) is a scalar, "
                "and meets numbers with fractions");
  static_assert(
      !((AnyIndex<A> && OneOf<B, Scalar>) || (OneOf<A, Scalar> && AnyIndex<B>)),
      "an index meets a scalar as convert(index, f32), in the type "
      "of the scalar");
}

template <class A, class B> constexpr void refuseJoining() {
  if constexpr (OneOf<B, Fragment> && AnyIndex<A>)
    refuseAsIndex<B>();
  else if constexpr (OneOf<B, Fragment> && OneOf<A, Scalar>)
    refuseAsScalar<B>();
  else
    refuseArithmetic<A, B>();
}

template <class A, class B> constexpr void refuseIntegers() {
  if constexpr (MeetAsNumbers<A, B>)
    static_assert(!MeetAsNumbers<A, B>,
                  "%, &, |, ^, << and >> are of integer fragments, and % of "
                  "indices: for i & 3 write i % 4, for i << 3 write i * 8, for "
                  "i >> 3 write i / 8");
  else if constexpr (MeetAsTruths<A, B>)
    static_assert(!MeetAsTruths<A, B>,
                  "truth values are combined by && and ||");
  else
    refuseArithmetic<A, B>();
}

template <class A, class B> constexpr void refuseLogic() {
  static_assert(
      !(std::same_as<A, Mask> && std::same_as<B, Condition>) &&
          !(std::same_as<A, Condition> && std::same_as<B, Mask>),
      "a mask has a truth value for each element, a condition is one for the "
      "whole role: any(mask) and all(mask) are conditions, and "
      "when(condition, [&] { ... }) asks the condition first");
  static_assert(!(std::same_as<A, Mask> && std::same_as<B, bool>) &&
                    !(std::same_as<A, bool> && std::same_as<B, Mask>),
                "C++ knows this truth value while the kernel is built: use an "
                "if of C++");
  static_assert(OneOf<A, Mask, Condition, bool> &&
                    OneOf<B, Mask, Condition, bool>,
                "&& and || combine masks, or conditions: compare what is a "
                "number, as in a != 0");
}

template <class T> constexpr void refuseUnary() {
  refuseOperands<T>();
  static_assert(!OneOf<T, Mask, Condition>,
                "a truth value has no arithmetic: select(truth, a, b) chooses "
                "between numbers by it, and ! is its opposite");
  static_assert(!OneOf<T, ColumnVector>,
                "along_rows(vector) meets a fragment with rows; compute with "
                "the vector itself before: along_rows(2 * vector)");
  static_assert(!OneOf<T, Scalar> && !AnyIndex<T>, "~ is of integer fragments");
}

template <class T> constexpr void refuseNot() {
  refuseOperands<T>();
  static_assert(!OneOf<T, Fragment, Scalar, ColumnVector> && !AnyIndex<T>,
                "! is of masks and conditions: compare what is a number, as in "
                "a == 0");
}

template <class T> constexpr void refuseStep() {
  refuseOperands<T>();
  static_assert(!OneOf<T, Fragment, Scalar, ColumnVector> && !AnyIndex<T>,
                "++ and -- are for loops of C++, which run while the kernel is "
                "built: for (Index i : range(count)) is a loop of the kernel, "
                "a += 1 an addition");
  static_assert(!OneOf<T, Mask, Condition>, "a truth value has no arithmetic");
}

} // namespace detail

#define ASHLAR_REFUSED_OPERATOR(op, exists, Type, refuse)                      \
  template <class A, class B>                                                  \
    requires(detail::Tried<A, B> && !detail::exists<A, B>)                     \
  detail::Type<A, B> operator op(const A &, const B &) {                       \
    detail::refuse<A, B>();                                                    \
    return detail::refused<detail::Type<A, B>>();                              \
  }
ASHLAR_REFUSED_OPERATOR(+, MeetAsNumbers, Result, refuseArithmetic)
ASHLAR_REFUSED_OPERATOR(-, MeetAsNumbers, Result, refuseArithmetic)
ASHLAR_REFUSED_OPERATOR(*, MeetAsNumbers, Result, refuseArithmetic)
ASHLAR_REFUSED_OPERATOR(/, MeetAsNumbers, Result, refuseArithmetic)
ASHLAR_REFUSED_OPERATOR(<, MeetAsNumbers, Truth, refuseArithmetic)
ASHLAR_REFUSED_OPERATOR(<=, MeetAsNumbers, Truth, refuseArithmetic)
ASHLAR_REFUSED_OPERATOR(>, MeetAsNumbers, Truth, refuseArithmetic)
ASHLAR_REFUSED_OPERATOR(>=, MeetAsNumbers, Truth, refuseArithmetic)
ASHLAR_REFUSED_OPERATOR(==, MeetAsNumbers, Truth, refuseArithmetic)
ASHLAR_REFUSED_OPERATOR(!=, MeetAsNumbers, Truth, refuseArithmetic)
ASHLAR_REFUSED_OPERATOR(%, MeetByRemainder, Result, refuseIntegers)
ASHLAR_REFUSED_OPERATOR(&, MeetAsFragments, Result, refuseIntegers)
ASHLAR_REFUSED_OPERATOR(|, MeetAsFragments, Result, refuseIntegers)
ASHLAR_REFUSED_OPERATOR(^, MeetAsFragments, Result, refuseIntegers)
ASHLAR_REFUSED_OPERATOR(<<, MeetAsFragments, Result, refuseIntegers)
ASHLAR_REFUSED_OPERATOR(>>, MeetAsFragments, Result, refuseIntegers)
ASHLAR_REFUSED_OPERATOR(&&, MeetAsTruths, Truth, refuseLogic)
ASHLAR_REFUSED_OPERATOR(||, MeetAsTruths, Truth, refuseLogic)
#undef ASHLAR_REFUSED_OPERATOR

#define ASHLAR_REFUSED_OPERATOR(op, exists, refuse)                            \
  template <detail::Kind A, class B>                                           \
    requires(detail::Tried<A, B> && !detail::exists<A, B>)                     \
  A &operator op(A &a, const B &) {                                            \
    detail::refuse<A, B>();                                                    \
    return a;                                                                  \
  }
ASHLAR_REFUSED_OPERATOR(+=, Joins, refuseJoining)
ASHLAR_REFUSED_OPERATOR(-=, Joins, refuseJoining)
ASHLAR_REFUSED_OPERATOR(*=, Joins, refuseJoining)
ASHLAR_REFUSED_OPERATOR(/=, Joins, refuseJoining)
ASHLAR_REFUSED_OPERATOR(%=, JoinsByRemainder, refuseIntegers)
ASHLAR_REFUSED_OPERATOR(&=, JoinsAsFragment, refuseIntegers)
ASHLAR_REFUSED_OPERATOR(|=, JoinsAsFragment, refuseIntegers)
ASHLAR_REFUSED_OPERATOR(^=, JoinsAsFragment, refuseIntegers)
ASHLAR_REFUSED_OPERATOR(<<=, JoinsAsFragment, refuseIntegers)
ASHLAR_REFUSED_OPERATOR(>>=, JoinsAsFragment, refuseIntegers)
#undef ASHLAR_REFUSED_OPERATOR

template <detail::Kind T>
  requires(!detail::Real<T> && !detail::AnyIndex<T>)
detail::Result<T, T> operator-(const T &) {
  detail::refuseUnary<T>();
  return detail::refused<detail::Result<T, T>>();
}
template <detail::Kind T>
  requires(!std::same_as<T, Fragment>)
detail::Result<T, T> operator~(const T &) {
  detail::refuseUnary<T>();
  return detail::refused<detail::Result<T, T>>();
}
template <detail::Kind T>
  requires(!detail::OneOf<T, Mask, Condition>)
detail::Truth<T, T> operator!(const T &) {
  detail::refuseNot<T>();
  return detail::refused<detail::Truth<T, T>>();
}
template <detail::Kind T> T &operator++(T &a) {
  detail::refuseStep<T>();
  return a;
}
template <detail::Kind T> T &operator++(T &a, int) {
  detail::refuseStep<T>();
  return a;
}
template <detail::Kind T> T &operator--(T &a) {
  detail::refuseStep<T>();
  return a;
}
template <detail::Kind T> T &operator--(T &a, int) {
  detail::refuseStep<T>();
  return a;
}

//===-- Functions of numbers ----------------------------------------------===//

#define ASHLAR_REFUSED_FUNCTION(function, exists)                              \
  template <class A, class B>                                                  \
    requires(detail::Tried<A, B> && !detail::exists<A, B>)                     \
  detail::Result<A, B> function(const A &, const B &) {                        \
    detail::refuseArithmetic<A, B>();                                          \
    return detail::refused<detail::Result<A, B>>();                            \
  }
ASHLAR_REFUSED_FUNCTION(min, MeetAsNumbers)
ASHLAR_REFUSED_FUNCTION(max, MeetAsNumbers)
#undef ASHLAR_REFUSED_FUNCTION

namespace detail {

template <class T> constexpr void refuseAsReal() {
  refuseOperands<T>();
  static_assert(!AnyIndex<T>, "this function is of scalars and fragments of "
                              "floats: convert(index, f32) is a scalar");
  static_assert(!OneOf<T, ColumnVector>,
                "this function is of scalars and fragments: compute with the "
                "vector itself before, as in along_rows(exp(vector))");
  static_assert(!OneOf<T, Mask, Condition>,
                "this function is of scalars and fragments of floats, not of "
                "truth values: select(truth, a, b) chooses numbers by one");
}

/// Neither a scalar nor a fragment.
template <class T>
concept Unreal = Kind<T> && !Real<T>;

} // namespace detail

#define ASHLAR_REFUSED_FUNCTION(function)                                      \
  template <detail::Unreal T> detail::Result<T, Scalar> function(const T &) {  \
    detail::refuseAsReal<T>();                                                 \
    return detail::refused<detail::Result<T, Scalar>>();                       \
  }
ASHLAR_REFUSED_FUNCTION(exp)
ASHLAR_REFUSED_FUNCTION(exp2)
ASHLAR_REFUSED_FUNCTION(log)
ASHLAR_REFUSED_FUNCTION(log2)
ASHLAR_REFUSED_FUNCTION(rsqrt)
ASHLAR_REFUSED_FUNCTION(sqrt)
ASHLAR_REFUSED_FUNCTION(tanh)
ASHLAR_REFUSED_FUNCTION(sin)
ASHLAR_REFUSED_FUNCTION(cos)
ASHLAR_REFUSED_FUNCTION(erf)
ASHLAR_REFUSED_FUNCTION(floor)
ASHLAR_REFUSED_FUNCTION(ceil)
ASHLAR_REFUSED_FUNCTION(trunc)
ASHLAR_REFUSED_FUNCTION(rint)
namespace fast {
ASHLAR_REFUSED_FUNCTION(exp)
ASHLAR_REFUSED_FUNCTION(exp2)
ASHLAR_REFUSED_FUNCTION(log)
ASHLAR_REFUSED_FUNCTION(log2)
ASHLAR_REFUSED_FUNCTION(rsqrt)
ASHLAR_REFUSED_FUNCTION(sqrt)
ASHLAR_REFUSED_FUNCTION(tanh)
ASHLAR_REFUSED_FUNCTION(sin)
ASHLAR_REFUSED_FUNCTION(cos)
} // namespace fast
#undef ASHLAR_REFUSED_FUNCTION

template <detail::AnyIndex T> Index abs(const T &a) {
  static_assert(!detail::AnyIndex<T>, "abs is of scalars and fragments: "
                                      "max(index, -index) is that of an index");
  return a;
}

} // namespace ashlar
