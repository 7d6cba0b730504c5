#include "tool/Check.h"

#include "tool/Elements.h"
#include "tool/MakeProblem.h"
#include "tool/Sample.h"

#include <algorithm>
#include <chrono>
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

struct Comparison {
  int64_t element; ///< its row-major number
  double got;
  double want;
};

class Checker {
public:
  Checker(const Problem &problem, const HostTensor &result,
          const ElementReference &reference)
      : problem(problem), result(result), reference(reference),
        limit(largest(result.type())), at(result.shape().size()) {}

  /// One number may be right by chance, so it is only noted; several in a row
  /// that hold what they did before were not written, and so, where there is no
  /// reference, were fewer if they are all there are.
  void findUnwritten(CheckResult &outcome) {
    const ElementType type = result.type();
    const int64_t bits = 8 * size_bytes(type) / pack_length(type);
    int64_t told = 1;
    if (allOnesIsValue(type)) {
      told = (bitsThatTell + bits - 1) / bits;
      if (!reference)
        told = std::min(told, result.elements());
    }
    int64_t element = 0, first = 0;
    auto endRun = [&] {
      const int64_t length = element - first;
      if (length == 0)
        return;
      if (length >= told) {
        if (outcome.unwritten == 0) {
          coordinateOf(first, result.shape(), at);
          outcome.first = describe(result, at) + " was never written";
        }
        outcome.unwritten += length;
      } else {
        for (int64_t suspect = first; suspect < element; ++suspect)
          suspects.push_back(suspect);
      }
    };
    forEachCoordinate(result.shape(), [&](std::span<const int64_t> place) {
      if (loadBits(type, result.bytes().data(), result.offset(place)) !=
          poisonBits(type, element)) {
        endRun();
        first = element + 1;
      }
      ++element;
    });
    endRun();
  }

  /// Compares as many elements as fit in the time: that of a few says how many.
  void compareFor(double seconds) {
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    compareAll(sample(result.shape(), atLeast));
    const double each = std::chrono::duration<double>(Clock::now() - start) /
                        std::chrono::seconds(1) /
                        std::max<double>(1, comparisons.size());
    const int64_t count = std::max<int64_t>(
        atLeast, std::llround(std::min(1e12, seconds / each)));
    std::vector<int64_t> elements = sample(result.shape(), count);
    if (std::ssize(elements) < result.elements()) {
      // Suspects as well, of which there may be many.
      suspects.resize(std::min<size_t>(suspects.size(), count));
      std::vector<int64_t> all;
      std::ranges::set_union(elements, suspects, std::back_inserter(all));
      elements = std::move(all);
    }
    compareAll(elements);
  }

  void judge(std::optional<double> tolerance, CheckResult &outcome) {
    double difference = 0, square = 0;
    for (const Comparison &each : comparisons) {
      if (std::isnan(each.want))
        continue;
      difference += std::pow(clamped(each.got) - clamped(each.want), 2);
      square += std::pow(clamped(each.want), 2);
    }
    outcome.compared = std::ssize(comparisons);
    outcome.relativeError =
        difference == 0 ? 0 : std::sqrt(difference / square);
    const double rootMeanSquare =
        comparisons.empty()
            ? 0
            : std::sqrt(square / static_cast<double>(comparisons.size()));
    const double factor = tolerance.value_or(defaultTolerance(result.type()));
    for (const Comparison &each : comparisons)
      if (const double allowed = allowedOf(each, factor, rootMeanSquare);
          !isRight(each, allowed) && outcome.wrong++ == 0 &&
          outcome.first.empty())
        outcome.first = explain(each, allowed);
  }

private:
  static constexpr int64_t atLeast = 64, bitsThatTell = 64;

  void compareAll(const std::vector<int64_t> &elements) {
    comparisons.clear();
    for (int64_t element : elements) {
      coordinateOf(element, result.shape(), at);
      comparisons.push_back({element, result(at), reference(problem, at)});
    }
  }

  double clamped(double want) const { return std::clamp(want, -limit, limit); }

  /// How far from the reference an element may be.
  double allowedOf(const Comparison &each, double factor,
                   double rootMeanSquare) const {
    return factor * (std::fabs(each.want) + rootMeanSquare) +
           (isInteger(result.type()) ? 0.5 : 0);
  }

  bool isRight(const Comparison &each, double allowed) const {
    if (std::isnan(each.want))
      return std::isnan(each.got);
    // Beyond the type's range both its largest value and infinity are right.
    if (std::fabs(each.want) >= limit)
      return clamped(each.got) == clamped(each.want);
    return std::fabs(each.got - each.want) <= allowed;
  }

  std::string explain(const Comparison &each, double allowed) {
    coordinateOf(each.element, result.shape(), at);
    std::ostringstream text;
    text << describe(result, at) << " is " << each.got << ", the reference is "
         << each.want;
    if (std::fabs(each.want) >= limit)
      text << " (only " << clamped(each.want) << " and beyond are right)";
    else if (std::isfinite(allowed))
      text << " (at most " << allowed << " apart)";
    return text.str();
  }

  const Problem &problem;
  const HostTensor &result;
  const ElementReference &reference;
  double limit;
  std::vector<int64_t> at;
  std::vector<int64_t> suspects;
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
    checker.compareFor(seconds);
    checker.judge(tolerance, outcome);
  }
  return outcome;
}

} // namespace ashlar::harness
