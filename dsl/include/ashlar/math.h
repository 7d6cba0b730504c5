// Functions of floating-point values: of each element of a fragment, or of a
// scalar. Of f16 and bf16 they are computed in f32 and rounded.
//
// A function is as accurate as CUDA's own. Its namesake in `fast` takes what
// the chip has, flushes subnormal numbers to zero, and takes f16 and bf16 two
// at a time where there is an instruction for that. docs/arithmetic.md has the
// error of each.
#pragma once

#include "ashlar/fragment.h"
#include "ashlar/scalar.h"

#include <concepts>

namespace ashlar {

/// e to the power of a.
template <detail::Real T>
T exp(const T &a, SourceLocation where = SourceLocation::current());
/// 2 to the power of a.
template <detail::Real T>
T exp2(const T &a, SourceLocation where = SourceLocation::current());
/// The natural logarithm.
template <detail::Real T>
T log(const T &a, SourceLocation where = SourceLocation::current());
template <detail::Real T>
T log2(const T &a, SourceLocation where = SourceLocation::current());
/// 1 / sqrt(a)
template <detail::Real T>
T rsqrt(const T &a, SourceLocation where = SourceLocation::current());
template <detail::Real T>
T sqrt(const T &a, SourceLocation where = SourceLocation::current());
template <detail::Real T>
T tanh(const T &a, SourceLocation where = SourceLocation::current());

/// Of an angle in radians; NaN of one beyond 2⁵¹, where floats are further
/// apart than its turns.
template <detail::Real T>
T sin(const T &a, SourceLocation where = SourceLocation::current());
template <detail::Real T>
T cos(const T &a, SourceLocation where = SourceLocation::current());
/// The error function: 2/√π times the integral of exp(−t²) from 0 to a.
template <detail::Real T>
T erf(const T &a, SourceLocation where = SourceLocation::current());

/// The next integer below, or the value itself if it is one.
template <detail::Real T>
T floor(const T &a, SourceLocation where = SourceLocation::current());
/// The next integer above, or the value itself if it is one.
template <detail::Real T>
T ceil(const T &a, SourceLocation where = SourceLocation::current());
/// The integer between the value and zero.
template <detail::Real T>
T trunc(const T &a, SourceLocation where = SourceLocation::current());
/// The nearest integer, the even one of two.
template <detail::Real T>
T rint(const T &a, SourceLocation where = SourceLocation::current());

namespace fast {

template <detail::Real T>
T exp(const T &a, SourceLocation where = SourceLocation::current());
template <detail::Real T>
T exp2(const T &a, SourceLocation where = SourceLocation::current());
template <detail::Real T>
T log(const T &a, SourceLocation where = SourceLocation::current());
template <detail::Real T>
T log2(const T &a, SourceLocation where = SourceLocation::current());
template <detail::Real T>
T rsqrt(const T &a, SourceLocation where = SourceLocation::current());
template <detail::Real T>
T sqrt(const T &a, SourceLocation where = SourceLocation::current());
template <detail::Real T>
T tanh(const T &a, SourceLocation where = SourceLocation::current());

/// The error grows with the angle: use it from −π to π.
template <detail::Real T>
T sin(const T &a, SourceLocation where = SourceLocation::current());
template <detail::Real T>
T cos(const T &a, SourceLocation where = SourceLocation::current());

} // namespace fast

} // namespace ashlar
