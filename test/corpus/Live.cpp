#include "test/corpus/Live.h"
#include "test/corpus/Unroll.h"

#include <map>
#include <set>

namespace ashlar::corpus {
namespace {

using Numbers = std::set<int64_t>;

/// Follows products through the fragments of one agent.
class Follower {
public:
  explicit Follower(const Agent &agent) {
    for (const Step &step : agent.steps)
      if (step.kind == Step::Kind::run)
        follow(*step.statement);
  }

  int64_t products = 0;
  Numbers live;

private:
  void follow(const Statement &s) {
    using enum Statement::Kind;
    if (s.kind == set)
      fragments[s.variable] = madeOf(s.value);
    else if (s.kind == writeOwn)
      ownTile = madeOf(s.value);
    else if (s.kind == store || s.kind == storeByTma || s.kind == write)
      live.merge(madeOf(s.value));
  }

  Numbers madeOf(const Value &v) {
    if (v.kind == Value::Kind::variable)
      return fragments[v.variable];
    Numbers result;
    for (const Value &operand : v.operands)
      result.merge(madeOf(operand));
    if (v.kind == Value::Kind::product) {
      if (v.a.stage == StageTile::ownTile)
        result.insert(ownTile.begin(), ownTile.end());
      result.insert(products++);
    }
    return result;
  }

  std::map<int, Numbers> fragments;
  Numbers ownTile;
};

} // namespace

Products countProducts(const Program &program) {
  Products result;
  for (const std::vector<Tile> &tiles : tilesOfCtas(program))
    for (const Agent &agent : unroll(program, tiles)) {
      const Follower follower(agent);
      result.all += follower.products;
      result.live += static_cast<int64_t>(follower.live.size());
    }
  return result;
}

} // namespace ashlar::corpus
