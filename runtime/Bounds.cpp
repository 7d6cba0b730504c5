#include "runtime/Bounds.h"

#include "runtime/Text.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace ashlar {
namespace {

/// Nothing where 64 bits do not hold the result, or it divides by 0.
std::optional<int64_t> apply(Term::Kind kind, int64_t a, int64_t b) {
  const bool hasQuotient =
      b != 0 && !(a == std::numeric_limits<int64_t>::min() && b == -1);
  int64_t result = 0;
  bool isThere = true;
  switch (kind) {
  case Term::Kind::add:
    isThere = !__builtin_add_overflow(a, b, &result);
    break;
  case Term::Kind::subtract:
    isThere = !__builtin_sub_overflow(a, b, &result);
    break;
  case Term::Kind::multiply:
    isThere = !__builtin_mul_overflow(a, b, &result);
    break;
  case Term::Kind::divide:
    if (hasQuotient)
      return a / b;
    return {};
  case Term::Kind::remainder:
    if (hasQuotient)
      return a % b;
    return {};
  case Term::Kind::ceilDivide:
    if (hasQuotient)
      return a / b + (a % b != 0 && (a < 0) == (b < 0));
    return {};
  case Term::Kind::minimum:
    return std::min(a, b);
  case Term::Kind::maximum:
    return std::max(a, b);
  case Term::Kind::constant:
  case Term::Kind::size:
    return {};
  }
  return isThere ? std::optional(result) : std::nullopt;
}

std::optional<int64_t> valueOf(std::span<const Term> expression,
                               std::span<const int64_t> sizes,
                               std::vector<int64_t> &numbers) {
  numbers.clear();
  for (const Term &term : expression) {
    if (term.kind == Term::Kind::constant) {
      numbers.push_back(term.value);
    } else if (term.kind == Term::Kind::size) {
      numbers.push_back(sizes[static_cast<size_t>(term.value)]);
    } else {
      const int64_t right = numbers.back();
      numbers.pop_back();
      const std::optional<int64_t> result =
          apply(term.kind, numbers.back(), right);
      if (!result)
        return {};
      numbers.back() = *result;
    }
  }
  return numbers.back();
}

std::string textOf(const Artifact &artifact, std::span<const int64_t> sizes) {
  std::string text;
  for (size_t i = 0; i < sizes.size(); ++i)
    text += concat(i ? ", " : "", artifact.sizes[i], "=", sizes[i]);
  return text;
}

} // namespace

void checkBounds(const Artifact &artifact, std::span<const int64_t> sizes,
                 std::vector<int64_t> &numbers) {
  for (const Bound &bound : artifact.bounds) {
    const std::optional<int64_t> value = valueOf(bound.index, sizes, numbers);
    if (value && *value <= bound.most)
      continue;
    if (!bound.sentence.empty())
      throw Error(bound.where,
                  concat("kernel '", artifact.name, "' expects: ",
                         bound.sentence, "; with ", textOf(artifact, sizes),
                         " this is not so: pass sizes of which it is"));
    throw Error(bound.where,
                concat("kernel '", artifact.name, "': with ",
                       textOf(artifact, sizes), " this index ",
                       value ? concat("is ", *value)
                             : std::string("is no number of 64 bits"),
                       ", and the kernel takes at most ", bound.most,
                       " (at_most): use smaller sizes"));
  }
}

} // namespace ashlar
