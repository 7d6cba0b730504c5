#include "tool/Check.h"

#include "tool/Elements.h"
#include "tool/MakeProblem.h"
#include "tool/Sample.h"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace ashlar::harness {

namespace {

std::string describe(const HostTensor &tensor,
                     std::span<const int64_t> coordinate) {
  std::ostringstream text;
  text << tensor.name() << "[";
  for (size_t d = 0; d < coordinate.size(); ++d)
    text << (d ? ", " : "") << coordinate[d];
  text << "]";
  return text.str();
}

bool isPoisoned(const HostTensor &tensor, int64_t offset) {
  const auto bytes = static_cast<size_t>(size_bytes(tensor.type()));
  return std::ranges::all_of(
      std::span(tensor.bytes()).subspan(offset * bytes, bytes),
      [](std::byte b) { return b == std::byte(0xff); });
}

struct Comparison {
  std::vector<int64_t> coordinate;
  double got;
  double want;
};

class Checker {
public:
  Checker(const Problem &problem, const HostTensor &result,
          const ElementReference &reference)
      : problem(problem), result(result), reference(reference),
        limit(largest(result.type())) {}

  void findUnwritten(CheckResult &outcome) {
    forEachCoordinate(result.shape(), [&](std::span<const int64_t> at) {
      if (!isPoisoned(result, result.offset(at)))
        return;
      // An integer of all ones may be the right one.
      if (isInteger(result.type())) {
        if (reference && suspects++ < maxSuspects)
          compare(at);
        return;
      }
      if (outcome.unwritten++ == 0)
        outcome.first = describe(result, at) + " was never written";
    });
  }

  void compare(std::span<const int64_t> at) {
    const double want = reference(problem, at);
    comparisons.push_back({{at.begin(), at.end()}, result(at), want});
  }

  void judge(std::optional<double> tolerance, CheckResult &outcome) const {
    double difference = 0, square = 0;
    for (const Comparison &each : comparisons) {
      difference += std::pow(each.got - clamped(each.want), 2);
      square += std::pow(each.want, 2);
    }
    outcome.compared = static_cast<int64_t>(comparisons.size());
    outcome.relativeError =
        difference == 0 ? 0 : std::sqrt(difference / square);
    const double rootMeanSquare =
        comparisons.empty() ? 0 : std::sqrt(square / comparisons.size());
    const double factor = tolerance.value_or(defaultTolerance(result.type()));
    for (const Comparison &each : comparisons)
      if (!isRight(each, factor, rootMeanSquare) && outcome.wrong++ == 0 &&
          outcome.first.empty())
        outcome.first = explain(each);
  }

private:
  static constexpr int64_t maxSuspects = 4096;

  double clamped(double want) const { return std::clamp(want, -limit, limit); }

  bool isRight(const Comparison &each, double factor,
               double rootMeanSquare) const {
    if (std::isnan(each.want))
      return std::isnan(each.got);
    // Beyond the type's range both its largest value and infinity are right.
    if (std::fabs(each.want) >= limit)
      return clamped(each.got) == clamped(each.want);
    const double allowed = factor * (std::fabs(each.want) + rootMeanSquare) +
                           (isInteger(result.type()) ? 0.5 : 0);
    return std::fabs(each.got - each.want) <= allowed;
  }

  std::string explain(const Comparison &each) const {
    std::ostringstream text;
    text << describe(result, each.coordinate) << " is " << each.got
         << ", the reference is " << each.want;
    return text.str();
  }

  const Problem &problem;
  const HostTensor &result;
  const ElementReference &reference;
  double limit;
  int64_t suspects = 0;
  std::vector<Comparison> comparisons;
};

} // namespace

double defaultTolerance(ElementType type) {
  // The tensor cores keep some 13 bits of the sum of 8-bit products.
  constexpr double accumulation = 0x1p-10;
  return isInteger(type) ? 0 : std::max(epsilon(type), accumulation);
}

CheckResult check(const Problem &problem, const HostTensor &result,
                  const ElementReference &reference,
                  std::optional<double> tolerance, double seconds) {
  CheckResult outcome;
  outcome.elements = result.elements();
  Checker checker(problem, result, reference);
  checker.findUnwritten(outcome);
  if (reference) {
    visitAsManyAsFit(result.shape(), seconds,
                     [&](std::span<const int64_t> at) { checker.compare(at); });
    checker.judge(tolerance, outcome);
  }
  return outcome;
}

} // namespace ashlar::harness
