#include "test/corpus/Interpret.h"
#include "test/corpus/Text.h"

#include "tool/Elements.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <stdexcept>

namespace ashlar::corpus {

std::map<std::string, Matrix> inputsOf(const Program &program) {
  std::map<std::string, Matrix> tensors;
  std::mt19937_64 random(program.seed);
  for (const TensorOf &tensor : program.tensors) {
    auto extent = [&](size_t i) {
      return valueOf(program, tensor.extents[i], {}, {});
    };
    const bool isVector = tensor.extents.size() == 1;
    Matrix m(isVector ? 1 : extent(0), extent(isVector ? 0 : 1),
             std::numeric_limits<float>::quiet_NaN());
    if (!tensor.isOutput)
      for (float &element : m.elements)
        element = static_cast<float>(static_cast<int>(random() % 5) - 2);
    tensors[tensor.name] = std::move(m);
  }
  return tensors;
}

namespace {

/// A program has some seconds of the simulator.
constexpr int64_t mostProducts = 120;

/// What can't be executed: the program is not a correct one.
struct Stopped {
  std::string why;
};

/// The stages of one ring in one CTA.
struct RingState {
  std::set<int> producers, consumers; ///< roles
  struct Fill {
    int commits = 0, releases = 0;
    std::vector<Matrix> tiles;
  };
  std::map<int64_t, Fill> fills;
};

struct Held {
  int ring;
  int64_t fill;
  bool fills; ///< acquired
};

struct AgentState {
  size_t next = 0;
  std::map<int, Matrix> fragments;
  std::map<int, Held> stages;
  Matrix ownTile;
};

/// What is followed of a program.
enum class Follow : uint8_t { stages, values };

class Cta {
public:
  Cta(const Program &program, const std::vector<Tile> &tiles, Follow follow,
      Interpretation &result)
      : program(program), follow(follow), result(result),
        agents(unroll(program, tiles)), states(agents.size()),
        rings(program.rings.size()) {
    for (const Agent &agent : agents)
      for (const Step &step : agent.steps)
        if (step.kind == Step::Kind::run)
          note(*step.statement, agent.role);
  }

  void run() {
    bool moved = true;
    while (moved) {
      moved = false;
      for (size_t i = 0; i < agents.size(); ++i)
        while (states[i].next < agents[i].steps.size() &&
               execute(agents[i], states[i], agents[i].steps[states[i].next])) {
          ++states[i].next;
          moved = true;
        }
    }
    for (size_t i = 0; i < agents.size(); ++i)
      if (states[i].next < agents[i].steps.size())
        throw Stopped{format("role '{}' stops at step {} of {}",
                             program.roles[agents[i].role].name, states[i].next,
                             agents[i].steps.size())};
      else if (!states[i].stages.empty())
        result.leftover = "a stage is kept";
    for (const RingState &ring : rings)
      for (const auto &[number, fill] : ring.fills)
        if (fill.releases != static_cast<int>(ring.consumers.size()))
          result.leftover = "a stage is left";
  }

private:
  void note(const Statement &s, int role) {
    if (s.kind == Statement::Kind::commit)
      rings[s.ring].producers.insert(role);
    if (s.kind == Statement::Kind::release)
      rings[s.ring].consumers.insert(role);
  }

  /// False where the agent has to wait.
  bool execute(const Agent &agent, AgentState &state, const Step &step) {
    if (step.kind == Step::Kind::orderArrive)
      arrived[{agent.role, step.number}] = true;
    if (step.kind == Step::Kind::orderWait)
      return step.number == 0 || arrived[{agent.role, step.number - 1}];
    if (step.kind != Step::Kind::run)
      return true;
    const Statement &s = *step.statement;
    using enum Statement::Kind;
    const bool isAboutStage = s.kind == acquire || s.kind == wait ||
                              s.kind == commit || s.kind == release;
    if (follow == Follow::stages && !isAboutStage)
      return true;
    switch (s.kind) {
    case acquire:
    case wait:
      return take(state, step);
    case commit:
    case release: {
      auto held = state.stages.find(s.variable);
      if (held == state.stages.end() || held->second.ring != s.ring)
        throw Stopped{"a stage is given that is not held"};
      RingState::Fill &fill = rings[s.ring].fills[held->second.fill];
      ++(s.kind == commit ? fill.commits : fill.releases);
      state.stages.erase(held);
      return true;
    }
    case copy:
    case write: {
      const Ring::Tile &type = typeOf(state, s.target);
      const Matrix value =
          s.kind == write ? this->value(state, step, s.value)
                          : result.tensors.at(program.tensors[s.tensor].name)
                                .tile(number(step, s.coordinates[0]),
                                      number(step, s.coordinates[1]), type.rows,
                                      type.columns);
      fill(state, s.target, value, type);
      return true;
    }
    case writeOwn:
      state.ownTile = rounded(value(state, step, s.value), ElementType::bf16);
      return true;
    case set:
      if (!s.declares && !state.fragments.count(s.variable))
        throw Stopped{"a fragment is assigned before it is declared"};
      state.fragments[s.variable] = value(state, step, s.value);
      return true;
    case store:
    case storeByTma:
      storeTile(result.tensors.at(program.tensors[s.tensor].name),
                value(state, step, s.value), step.tile);
      return true;
    case loop:
    case when:
      break;
    }
    throw Stopped{"a body is left"};
  }

  bool take(AgentState &state, const Step &step) {
    const Statement &s = *step.statement;
    RingState &ring = rings[s.ring];
    const bool fills = s.kind == Statement::Kind::acquire;
    if (fills) {
      const int64_t before = step.number - program.rings[s.ring].stages;
      if (before >= 0 &&
          ring.fills[before].releases < static_cast<int>(ring.consumers.size()))
        return false;
    } else if (ring.fills[step.number].commits <
               std::max(1, static_cast<int>(ring.producers.size()))) {
      return false;
    }
    if (state.stages.count(s.variable))
      throw Stopped{"a stage is taken twice"};
    ring.fills[step.number].tiles.resize(program.rings[s.ring].tiles.size());
    state.stages[s.variable] = {s.ring, step.number, fills};
    return true;
  }

  const Held &held(AgentState &state, const StageTile &tile) {
    auto found = state.stages.find(tile.stage);
    if (found == state.stages.end())
      throw Stopped{"a stage is used that is not held"};
    return found->second;
  }

  const Ring::Tile &typeOf(AgentState &state, const StageTile &tile) {
    return program.rings[held(state, tile).ring].tiles.at(tile.tile);
  }

  void fill(AgentState &state, const StageTile &target, Matrix value,
            const Ring::Tile &type) {
    const Held &to = held(state, target);
    if (!to.fills)
      throw Stopped{"a stage is written that is there to be read"};
    rings[to.ring].fills[to.fill].tiles.at(target.tile) =
        rounded(std::move(value), type.type);
  }

  static Matrix rounded(Matrix value, ElementType type) {
    for (float &element : value.elements)
      element = static_cast<float>(harness::rounded(type, element));
    return value;
  }

  const Matrix &read(AgentState &state, const StageTile &tile) {
    if (tile.stage == StageTile::ownTile) {
      if (state.ownTile.elements.empty())
        throw Stopped{"the role's own tile is read before it is written"};
      return state.ownTile;
    }
    const Held &from = held(state, tile);
    const Matrix &matrix =
        rings[from.ring].fills[from.fill].tiles.at(tile.tile);
    if (from.fills || matrix.elements.empty())
      throw Stopped{"a tile is read that nobody has filled"};
    return matrix;
  }

  int64_t number(const Step &step, const Number &number) {
    return valueOf(program, number, step.counters, step.tile);
  }

  void storeTile(Matrix &target, const Matrix &tile, Tile at) {
    for (int64_t i = 0; i < tile.rows; ++i)
      for (int64_t j = 0; j < tile.columns; ++j)
        if (target.isInside(at.m * tile.rows + i, at.n * tile.columns + j))
          target(at.m * tile.rows + i, at.n * tile.columns + j) = tile(i, j);
  }

  Matrix value(AgentState &state, const Step &step, const Value &v) {
    auto operand = [&](size_t i) { return value(state, step, v.operands[i]); };
    using enum Value::Kind;
    switch (v.kind) {
    case variable: {
      auto found = state.fragments.find(v.variable);
      if (found == state.fragments.end())
        throw Stopped{"a fragment is used before it is declared"};
      return found->second;
    }
    case full:
      return {program.rows, program.columns, static_cast<float>(v.number)};
    case product:
      return multiplied(read(state, v.a), read(state, v.b), operand(0));
    case add:
      return met(operand(0), operand(1), std::plus<float>());
    case subtract:
      return met(operand(0), operand(1), std::minus<float>());
    case multiply:
      return met(operand(0), operand(1), std::multiplies<float>());
    case scale:
      return met(operand(0), Matrix(1, 1, static_cast<float>(v.number)),
                 std::multiplies<float>());
    case floor:
      return met(operand(0), Matrix(1, 1, static_cast<float>(v.number)),
                 [](float a, float b) { return std::max(a, b); });
    case row:
    case column: {
      const int64_t length = v.kind == row ? program.columns : program.rows;
      Matrix vector = result.tensors.at(program.tensors[v.tensor].name)
                          .tile(0, number(step, v.at), 1, length);
      if (v.kind == column)
        std::swap(vector.rows, vector.columns);
      return vector;
    }
    case Value::Kind::tile:
      break;
    }
    return read(state, v.a);
  }

  Matrix multiplied(const Matrix &a, const Matrix &b, Matrix sum) {
    if (++result.products > mostProducts)
      throw Stopped{"it takes too long to simulate"};
    if (sum.rows != a.rows || sum.columns != b.rows || a.columns != b.columns)
      throw Stopped{"a product of shapes that do not fit"};
    Matrix across(b.columns, b.rows);
    for (int64_t i = 0; i < b.rows; ++i)
      for (int64_t k = 0; k < b.columns; ++k)
        across(k, i) = b(i, k);
    for (int64_t i = 0; i < a.rows; ++i)
      for (int64_t k = 0; k < a.columns; ++k) {
        const float left = a(i, k);
        const float *right = &across.elements[k * b.rows];
        float *into = &sum.elements[i * sum.columns];
        for (int64_t j = 0; j < b.rows; ++j)
          into[j] += left * right[j];
      }
    check(sum);
    return sum;
  }

  /// Element by element; of the second a row, a column or an element may stand
  /// for all.
  template <typename Meet> Matrix met(Matrix a, const Matrix &b, Meet meet) {
    for (int64_t i = 0; i < a.rows; ++i)
      for (int64_t j = 0; j < a.columns; ++j)
        a(i, j) = meet(a(i, j), b(b.rows == 1 ? 0 : i, b.columns == 1 ? 0 : j));
    check(a);
    return a;
  }

  /// Sums in any order are exact below: f32 holds such integers, and fp8's
  /// products are added with fewer bits.
  void check(const Matrix &matrix) {
    constexpr float most = 1 << 20;
    for (float element : matrix.elements)
      if (!(std::abs(element) < most))
        throw Stopped{"a number grows too large to be exact"};
  }

  const Program &program;
  const Follow follow;
  Interpretation &result;
  std::vector<Agent> agents;
  std::vector<AgentState> states;
  std::vector<RingState> rings;
  std::map<std::pair<int, int64_t>, bool> arrived;
};

Interpretation interpret(const Program &program, Follow follow) {
  Interpretation result;
  if (follow == Follow::values)
    result.tensors = inputsOf(program);
  try {
    for (const std::vector<Tile> &tiles : tilesOfCtas(program))
      Cta(program, tiles, follow, result).run();
  } catch (const Stopped &stopped) {
    result.problem = stopped.why;
  } catch (const std::out_of_range &) {
    result.problem = "a tile that the ring has not";
  }
  return result;
}

/// Whether the statements wait for a stage while they hold all that the ring
/// has. What is held changes with them.
bool waitsForMore(const Program &program,
                  const std::vector<Statement> &statements,
                  std::map<std::pair<int, bool>, int64_t> &held) {
  using enum Statement::Kind;
  for (const Statement &s : statements) {
    const bool fills = s.kind == acquire || s.kind == commit;
    if (s.kind == acquire || s.kind == wait)
      if (++held[{s.ring, fills}] > program.rings[s.ring].stages)
        return true;
    if (s.kind == commit || s.kind == release)
      --held[{s.ring, fills}];
    if (waitsForMore(program, s.body, held) ||
        waitsForMore(program, s.otherwise, held))
      return true;
  }
  return false;
}

} // namespace

Interpretation interpret(const Program &program) {
  return interpret(program, Follow::values);
}

bool isCorrect(const Program &program) {
  for (const Role &role : program.roles) {
    std::map<std::pair<int, bool>, int64_t> held;
    if (waitsForMore(program, role.body, held))
      return false;
  }
  auto isRight = [](const Interpretation &result) {
    return result.problem.empty() && result.leftover.empty();
  };
  Program larger = program;
  for (Program::Size &size : larger.sizes)
    if (size.name == "K" || size.name == "C")
      size.value += 256;
    else if (size.name == "Z")
      size.value = 3;
  return isRight(interpret(program, Follow::values)) &&
         isRight(interpret(larger, Follow::stages));
}

} // namespace ashlar::corpus
