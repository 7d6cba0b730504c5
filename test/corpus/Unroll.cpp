#include "test/corpus/Unroll.h"

#include <algorithm>
#include <map>

namespace ashlar::corpus {

int64_t valueOf(const Program &program, const Number &number,
                const Counters &counters, Tile tile) {
  auto operand = [&](size_t i) {
    return valueOf(program, number.operands[i], counters, tile);
  };
  using enum Number::Kind;
  switch (number.kind) {
  case constant:
    return number.value;
  case size:
    return program.sizes[number.value].value;
  case counter:
    return counters.at(number.value);
  case coordinate:
    return number.value == 0 ? tile.m : tile.n;
  case add:
    return operand(0) + operand(1);
  case subtract:
    return operand(0) - operand(1);
  case multiply:
    return operand(0) * operand(1);
  case divide:
    return operand(0) / operand(1);
  case remainder:
    return operand(0) % operand(1);
  case ceilDivide: {
    const int64_t a = operand(0), b = operand(1);
    return a / b + (a % b > 0);
  }
  case minimum:
    return std::min(operand(0), operand(1));
  }
  return 0;
}

std::vector<std::vector<Tile>> tilesOfCtas(const Program &program) {
  auto count = [](int64_t extent, int64_t tile) {
    return (extent + tile - 1) / tile;
  };
  const int64_t c = program.cluster;
  const int64_t down = count(count(program.sizes[0].value, program.rows), c);
  const int64_t across = count(program.sizes[1].value, program.columns);
  const int64_t clusters =
      program.isPersistent ? std::min(program.residentClusters, down * across)
                           : down * across;
  std::vector<std::vector<Tile>> ctas(clusters * c);
  for (int64_t place = 0; place < down * across; ++place)
    for (int64_t rank = 0; rank < c; ++rank)
      ctas[place % clusters * c + rank].push_back(
          {place / across * c + rank, place % across});
  return ctas;
}

namespace {

bool takesStages(const Statement &s) {
  using enum Statement::Kind;
  return s.kind == acquire || s.kind == wait ||
         std::ranges::any_of(s.body, takesStages) ||
         std::ranges::any_of(s.otherwise, takesStages);
}

class Unroller {
public:
  Unroller(const Program &program, int roleNumber)
      : program(program), role(program.roles[roleNumber]),
        agents(role.instances, Agent{roleNumber, {}}) {}

  std::vector<Agent> run(const std::vector<Tile> &tiles) {
    for (size_t i = 0; i < tiles.size(); ++i) {
      agent = &agents[i % agents.size()];
      tile = tiles[i];
      const auto first = std::ranges::find_if(role.body, takesStages);
      auto last = role.body.end();
      for (auto at = role.body.begin(); at != role.body.end(); ++at)
        if (takesStages(*at))
          last = at;
      for (auto at = role.body.begin(); at != role.body.end(); ++at) {
        if (at == first && role.instances > 1)
          order(Step::Kind::orderWait, i);
        walk(*at);
        if (at == last && role.instances > 1)
          order(Step::Kind::orderArrive, i);
      }
    }
    return std::move(agents);
  }

private:
  static constexpr size_t mostSteps = 20000;

  void order(Step::Kind kind, size_t number) {
    agent->steps.push_back(
        {kind, nullptr, {}, tile, static_cast<int64_t>(number)});
  }

  void walk(const std::vector<Statement> &statements) {
    for (const Statement &statement : statements)
      walk(statement);
  }

  void walk(const Statement &s) {
    if (agent->steps.size() > mostSteps)
      return;
    using enum Statement::Kind;
    if (s.kind == when)
      return walk(holds(s.condition) ? s.body : s.otherwise);
    if (s.kind != loop) {
      int64_t number = 0;
      if (s.kind == acquire || s.kind == wait)
        number = taken[{s.ring, s.kind == acquire}]++;
      agent->steps.push_back({Step::Kind::run, &s, counters, tile, number});
      return;
    }
    const int64_t low = value(s.low), high = value(s.high),
                  step = std::max<int64_t>(1, value(s.step));
    counters.resize(std::max<size_t>(counters.size(), s.variable + 1));
    for (int64_t k = low; k < high; k += step) {
      counters[s.variable] = k;
      walk(s.body);
    }
  }

  int64_t value(const Number &number) {
    return valueOf(program, number, counters, tile);
  }

  bool holds(const Condition &c) {
    const int64_t left = value(c.left), right = value(c.right);
    using enum Condition::Kind;
    switch (c.kind) {
    case equal:
      return left == right;
    case notEqual:
      return left != right;
    case less:
      return left < right;
    case atLeast:
      break;
    }
    return left >= right;
  }

  const Program &program;
  const Role &role;
  std::vector<Agent> agents;
  Agent *agent = nullptr;
  Tile tile;
  Counters counters;
  std::map<std::pair<int, bool>, int64_t> taken; ///< fills, by ring and way
};

} // namespace

std::vector<Agent> unroll(const Program &program,
                          const std::vector<Tile> &tiles) {
  std::vector<Agent> all;
  for (size_t i = 0; i < program.roles.size(); ++i)
    for (Agent &agent : Unroller(program, static_cast<int>(i)).run(tiles))
      all.push_back(std::move(agent));
  return all;
}

} // namespace ashlar::corpus
