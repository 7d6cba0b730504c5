#include "test/corpus/Build.h"

#include <algorithm>

namespace ashlar::corpus {
namespace {

bool mentions(const Value &value, int stage) {
  return value.a.stage == stage || value.b.stage == stage ||
         std::ranges::any_of(value.operands, [&](const Value &operand) {
           return mentions(operand, stage);
         });
}

} // namespace

bool mentions(const Statement &s, int stage) {
  auto inside = [&](const Statement &inner) { return mentions(inner, stage); };
  using enum Statement::Kind;
  const bool isAboutStage = s.kind == commit || s.kind == release ||
                            s.kind == acquire || s.kind == wait;
  return (isAboutStage && s.variable == stage) || s.target.stage == stage ||
         mentions(s.value, stage) || std::ranges::any_of(s.body, inside) ||
         std::ranges::any_of(s.otherwise, inside);
}

void insertReleases(std::vector<Statement> &body,
                    const std::vector<int> &stages, Dice &dice) {
  for (int stage : stages) {
    int64_t behind = 0;
    Statement release;
    for (size_t i = 0; i < body.size(); ++i) {
      if (mentions(body[i], stage))
        behind = static_cast<int64_t>(i) + 1;
      if (body[i].kind == Statement::Kind::wait && body[i].variable == stage)
        release = onStage(Statement::Kind::release, body[i].label, stage,
                          body[i].ring);
    }
    const auto end = static_cast<int64_t>(body.size());
    body.insert(body.begin() +
                    (dice.percent(60) ? behind : dice.between(behind, end)),
                std::move(release));
  }
}

std::vector<Statement> fillingOf(const std::vector<Statement> &body,
                                 const std::vector<int> &ringsFilled,
                                 const std::vector<std::vector<int>> &tensors) {
  std::vector<Statement> result;
  for (const Statement &s : body) {
    if (s.kind == Statement::Kind::wait &&
        std::ranges::count(ringsFilled, s.ring)) {
      result.push_back(
          onStage(Statement::Kind::acquire, s.label, s.variable, s.ring));
      const std::vector<int> &sources = tensors[s.ring];
      for (size_t i = 0; i < sources.size(); ++i)
        // Tensor 0 is A, whose rows are those of the tile; others are B's.
        result.push_back(copyOf(
            s.label, s.ring, sources[i], {s.variable, static_cast<int>(i)},
            {coordinateOf(sources[i] == 0 ? 0 : 1), s.coordinates[0]}));
      result.push_back(
          onStage(Statement::Kind::commit, s.label, s.variable, s.ring));
      continue;
    }
    Statement copy = s;
    copy.body = fillingOf(s.body, ringsFilled, tensors);
    copy.otherwise = fillingOf(s.otherwise, ringsFilled, tensors);
    if (!copy.body.empty() || !copy.otherwise.empty())
      result.push_back(std::move(copy));
  }
  return result;
}

} // namespace ashlar::corpus
