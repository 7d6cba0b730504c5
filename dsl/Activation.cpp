// Activations, written in the language itself.

#include "ashlar/arithmetic.h"
#include "ashlar/math.h"

#include <cmath>
#include <numbers>

namespace ashlar {

namespace {

using At = detail::FragmentOperand;
using Number = detail::SpreadOperand;

} // namespace

Fragment sigmoid(const Fragment &a, SourceLocation where) {
  Fragment decay = fast::exp(-At(a, where), where);
  return fast::divide(Number(1, where),
                      At(Number(1, where) + At(decay, where), where));
}

Fragment relu(const Fragment &a, SourceLocation where) {
  return max(At(a, where), Number(0, where));
}

Fragment gelu(const Fragment &a, SourceLocation where) {
  double scale = std::sqrt(2 * std::numbers::inv_pi);
  At x(a, where);
  Fragment square = x * x;
  Fragment slope =
      Number(scale, where) +
      At(Number(scale * 0.044715, where) * At(square, where), where);
  Fragment bend = fast::tanh(x * At(slope, where), where);
  Fragment half = Number(0.5, where) * x;
  return At(half, where) + At(At(half, where) * At(bend, where), where);
}

Fragment silu(const Fragment &a, SourceLocation where) {
  return At(a, where) * At(sigmoid(a, where), where);
}

} // namespace ashlar
