#pragma once

#include "ashlar/fragment.h"

namespace ashlar {

namespace detail {

/// A fragment, and where it stands in an expression.
struct FragmentOperand {
  const Fragment *fragment;
  SourceLocation where;

  FragmentOperand(const Fragment &fragment,
                  SourceLocation where = SourceLocation::current())
      : fragment(&fragment), where(where) {}
};

/// A mask, and where it stands in an expression.
struct MaskOperand {
  const Mask *mask;
  SourceLocation where;

  MaskOperand(const Mask &mask,
              SourceLocation where = SourceLocation::current())
      : mask(&mask), where(where) {}
};

/// What meets a fragment and is none: a column, a scalar, an index or a number.
struct SpreadOperand : UniformOperand {
  const Fragment *column = nullptr;

  using UniformOperand::UniformOperand;
  SpreadOperand(const ColumnVector &column,
                SourceLocation where = SourceLocation::current())
      : UniformOperand(0, where), column(&column.values()) {}
};

/// Whatever can meet a fragment.
struct TileOperand : SpreadOperand {
  const Fragment *fragment = nullptr;

  using SpreadOperand::SpreadOperand;
  TileOperand(const SpreadOperand &other) : SpreadOperand(other) {}
  TileOperand(FragmentOperand operand)
      : SpreadOperand(0, operand.where), fragment(operand.fragment) {}
  TileOperand(const Fragment &fragment,
              SourceLocation where = SourceLocation::current())
      : SpreadOperand(0, where), fragment(&fragment) {}
  template <OneOf<bool, Mask, Condition, SharedTile, Stage, Tensor, TileRef> T>
  TileOperand(const T &) : SpreadOperand(0) {
    refuseAsFragment<T>();
  }
};

} // namespace detail

// Operands have one element type; a number and an index take the type of the
// fragment. Leading dimensions that one operand lacks and extents of 1 are
// repeated, as in NumPy. Every operation is rounded to nearest even, but
// a product that is added or subtracted contracts to a fused multiply-add, as
// it does with nvcc. Two elements of f16 or bf16 that a thread holds side by
// side take one instruction.

Fragment operator+(detail::FragmentOperand a, detail::TileOperand b);
Fragment operator+(detail::SpreadOperand a, detail::FragmentOperand b);
Fragment operator-(detail::FragmentOperand a, detail::TileOperand b);
Fragment operator-(detail::SpreadOperand a, detail::FragmentOperand b);
Fragment operator*(detail::FragmentOperand a, detail::TileOperand b);
Fragment operator*(detail::SpreadOperand a, detail::FragmentOperand b);
Fragment operator/(detail::FragmentOperand a, detail::TileOperand b);
Fragment operator/(detail::SpreadOperand a, detail::FragmentOperand b);
Fragment operator-(detail::FragmentOperand a);

Fragment &operator+=(Fragment &a, detail::TileOperand b);
Fragment &operator-=(Fragment &a, detail::TileOperand b);
Fragment &operator*=(Fragment &a, detail::TileOperand b);
Fragment &operator/=(Fragment &a, detail::TileOperand b);
Fragment &operator%=(Fragment &a, detail::TileOperand b);
Fragment &operator&=(Fragment &a, detail::TileOperand b);
Fragment &operator|=(Fragment &a, detail::TileOperand b);
Fragment &operator^=(Fragment &a, detail::TileOperand b);
Fragment &operator<<=(Fragment &a, detail::TileOperand b);
Fragment &operator>>=(Fragment &a, detail::TileOperand b);

// Of integers. % has the sign of a; the simulator reports a b of 0. A shift is
// by b modulo the bits of the type, and >> repeats the sign.

Fragment operator%(detail::FragmentOperand a, detail::TileOperand b);
Fragment operator%(detail::SpreadOperand a, detail::FragmentOperand b);
Fragment operator&(detail::FragmentOperand a, detail::TileOperand b);
Fragment operator&(detail::SpreadOperand a, detail::FragmentOperand b);
Fragment operator|(detail::FragmentOperand a, detail::TileOperand b);
Fragment operator|(detail::SpreadOperand a, detail::FragmentOperand b);
Fragment operator^(detail::FragmentOperand a, detail::TileOperand b);
Fragment operator^(detail::SpreadOperand a, detail::FragmentOperand b);
Fragment operator<<(detail::FragmentOperand a, detail::TileOperand b);
Fragment operator<<(detail::SpreadOperand a, detail::FragmentOperand b);
Fragment operator>>(detail::FragmentOperand a, detail::TileOperand b);
Fragment operator>>(detail::SpreadOperand a, detail::FragmentOperand b);
Fragment operator~(detail::FragmentOperand a);

/// a · b as it is rounded: it contracts with no sum.
Fragment mul_rn(detail::FragmentOperand a, detail::TileOperand b);
Fragment mul_rn(detail::SpreadOperand a, detail::FragmentOperand b);

/// a · b + c, rounded once.
Fragment fma(detail::FragmentOperand a, detail::TileOperand b,
             detail::TileOperand c);
Fragment fma(detail::SpreadOperand a, detail::FragmentOperand b,
             detail::TileOperand c);
Fragment fma(detail::SpreadOperand a, detail::SpreadOperand b,
             detail::FragmentOperand c);

/// a · b, for factors b that are mostly 1. Sums of `mma` in f32 that go back to
/// where they were, as in `o = rescale(o, along_rows(shrink))`, are left alone
/// by warps whose factors are all 1; anything else is multiplied.
Fragment rescale(detail::FragmentOperand a, detail::TileOperand b);

/// NaN if either is NaN.
Fragment max(detail::FragmentOperand a, detail::TileOperand b);
Fragment max(detail::SpreadOperand a, detail::FragmentOperand b);
/// NaN if either is NaN.
Fragment min(detail::FragmentOperand a, detail::TileOperand b);
Fragment min(detail::SpreadOperand a, detail::FragmentOperand b);

/// `a` no less than `least`, and then no more than `largest`; NaN if one is
/// NaN.
Fragment clamp(detail::FragmentOperand a, detail::TileOperand least,
               detail::TileOperand largest);

// False where either operand is NaN, but for != which is true there.

Mask operator<(detail::FragmentOperand a, detail::TileOperand b);
Mask operator<(detail::SpreadOperand a, detail::FragmentOperand b);
Mask operator<=(detail::FragmentOperand a, detail::TileOperand b);
Mask operator<=(detail::SpreadOperand a, detail::FragmentOperand b);
Mask operator>(detail::FragmentOperand a, detail::TileOperand b);
Mask operator>(detail::SpreadOperand a, detail::FragmentOperand b);
Mask operator>=(detail::FragmentOperand a, detail::TileOperand b);
Mask operator>=(detail::SpreadOperand a, detail::FragmentOperand b);
Mask operator==(detail::FragmentOperand a, detail::TileOperand b);
Mask operator!=(detail::FragmentOperand a, detail::TileOperand b);

Mask operator&&(const Mask &a, detail::MaskOperand b);
Mask operator||(const Mask &a, detail::MaskOperand b);
Mask operator!(const Mask &a);

/// Of floats.
Mask isnan(const Fragment &a, SourceLocation where = SourceLocation::current());

/// `a` where the mask is true, `b` elsewhere. At least one is a fragment.
Fragment select(const Mask &mask, detail::TileOperand a, detail::TileOperand b,
                SourceLocation where = SourceLocation::current());

Fragment abs(const Fragment &a,
             SourceLocation where = SourceLocation::current());
/// a to the power of b, as C has it: NaN of a below 0 unless b is an integer.
Fragment pow(detail::FragmentOperand a, detail::TileOperand b);
Fragment pow(detail::SpreadOperand a, detail::FragmentOperand b);
namespace fast {
/// a / b, with an error of up to 2 ulp; of 1 ulp where a is the number 1. It is
/// computed in f32.
Fragment divide(detail::FragmentOperand a, detail::TileOperand b);
Fragment divide(detail::SpreadOperand a, detail::FragmentOperand b);
/// `pow` by approximations of log2 and exp2; NaN of every a below 0.
Fragment pow(detail::FragmentOperand a, detail::TileOperand b);
Fragment pow(detail::SpreadOperand a, detail::FragmentOperand b);
} // namespace fast

// Activations, of the fast forms of what they need (docs/arithmetic.md).

/// 1 / (1 + exp(-a))
Fragment sigmoid(const Fragment &a,
                 SourceLocation where = SourceLocation::current());
/// max(a, 0)
Fragment relu(const Fragment &a,
              SourceLocation where = SourceLocation::current());
/// The tanh form: a/2 · (1 + tanh(sqrt(2/π) (a + 0.044715 a³))).
Fragment gelu(const Fragment &a,
              SourceLocation where = SourceLocation::current());
/// a · sigmoid(a)
Fragment silu(const Fragment &a,
              SourceLocation where = SourceLocation::current());

} // namespace ashlar
