#include "test/kernels/FormReference.h"

#include <cmath>

namespace ashlar::test {

std::vector<NamedScalar> scalarsOf(const GemmForm &form) {
  std::vector<NamedScalar> scalars;
  if (form.alpha)
    scalars.push_back({"alpha", 0.25});
  if (form.c)
    scalars.push_back({"beta", 2.0});
  if (form.scale_d)
    scalars.push_back({"scale_d", 0.5});
  return scalars;
}

double scaleOf(const GemmForm &form, const Problem &p, Coordinate at) {
  double scale = form.row_scales ? p["RowScale"](at[at.size() - 2]) : 1;
  scale *= form.column_scales ? p["ColumnScale"](at.back()) : 1;
  return scale * (form.alpha ? p.scalar("alpha") : 1);
}

double linear(const GemmForm &form, const Problem &p, Coordinate at,
              double product) {
  double x = product * scaleOf(form, p, at);
  x += form.c ? p.scalar("beta") * p["C"](at) : 0;
  return x + (form.bias ? p["Bias"](at.back()) : 0);
}

double activated(const GemmForm &form, const Problem &p, Coordinate at,
                 double product) {
  const double x = linear(form, p, at, product);
  switch (form.activation) {
  case Activation::none:
    break;
  case Activation::relu:
    return std::max(x, 0.0);
  case Activation::gelu:
    return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0)));
  case Activation::silu:
    return x / (1 + std::exp(-x));
  }
  return x;
}

double stored(const GemmForm &form, const Problem &p, Coordinate at,
              double product) {
  return activated(form, p, at, product) *
         (form.scale_d ? p.scalar("scale_d") : 1);
}

} // namespace ashlar::test
