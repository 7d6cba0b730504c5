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

namespace {

int64_t rowOf(Coordinate at, bool isTransposed) {
  return at[at.size() - (isTransposed ? 1 : 2)];
}
int64_t columnOf(Coordinate at, bool isTransposed) {
  return at[at.size() - (isTransposed ? 2 : 1)];
}

} // namespace

double scaleOf(const GemmForm &form, const Problem &p, Coordinate at,
               bool isTransposed) {
  double scale = form.row_scales ? p["RowScale"](rowOf(at, isTransposed)) : 1;
  scale *=
      form.column_scales ? p["ColumnScale"](columnOf(at, isTransposed)) : 1;
  return scale * (form.alpha ? p.scalar("alpha") : 1);
}

/// Without zero points.
static double exact(const GemmForm &form, const Problem &p, Coordinate at,
                    double product, bool isTransposed) {
  const int64_t m = rowOf(at, isTransposed), n = columnOf(at, isTransposed);
  if (form.row_zeros)
    product -= p["RowZero"](m) * p["ColumnSum"](n);
  if (form.column_zeros)
    product -= p["ColumnZero"](n) * p["RowSum"](m);
  return product;
}

double linear(const GemmForm &form, const Problem &p, Coordinate at,
              double product, bool isTransposed) {
  double x = exact(form, p, at, product, isTransposed) *
             scaleOf(form, p, at, isTransposed);
  x += form.c ? p.scalar("beta") * p["C"](at) : 0;
  return x + (form.bias ? p["Bias"](columnOf(at, isTransposed)) : 0);
}

double activated(const GemmForm &form, const Problem &p, Coordinate at,
                 double product, bool isTransposed) {
  const double x = linear(form, p, at, product, isTransposed);
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
              double product, bool isTransposed) {
  return activated(form, p, at, product, isTransposed) *
         (form.scale_d ? p.scalar("scale_d") : 1);
}

} // namespace ashlar::test
