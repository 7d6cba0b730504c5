#include "test/corpus/Waits.h"
#include "test/corpus/Text.h"
#include "test/corpus/Unroll.h"

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>

namespace ashlar::corpus {
namespace {

/// A fragment at some time: which product gives it, if one does.
struct Version {
  int64_t number = -1;
  int64_t product = -1;
};

/// What an agent does, as far as products and stages are concerned.
struct Action {
  enum class Kind : uint8_t {
    issue,   ///< a product; `version` is the sum it goes on with
    rewrite, ///< of the own tile, which `product` is the last to read, or -1
    use,     ///< of `version`
    release, ///< of a stage, and `product` is the last that read it, or -1
    step,    ///< everything else, in `step`
  };
  Kind kind = Kind::step;
  Version version;
  int64_t product = -1;
  const Step *step = nullptr;
};

/// Finds the actions of an agent, and the last use of each version.
class Actions {
public:
  explicit Actions(const Agent &agent) {
    for (const Step &step : agent.steps)
      add(step);
  }

  std::vector<Action> list;
  std::map<int64_t, size_t> lastUse; ///< of versions, as places in the list
  int64_t products = 0;

private:
  void add(const Step &step) {
    if (step.kind == Step::Kind::run) {
      const Statement &s = *step.statement;
      using enum Statement::Kind;
      if (s.kind == set) {
        variables[s.variable] = evaluate(s.value);
        return;
      }
      if (s.kind == store || s.kind == storeByTma || s.kind == write ||
          s.kind == writeOwn)
        use(evaluate(s.value));
      if (s.kind == writeOwn && readBy.count(StageTile::ownTile))
        list.push_back(
            {Action::Kind::rewrite, {}, readBy[StageTile::ownTile], nullptr});
      if (s.kind == release) {
        list.push_back({Action::Kind::release, {}, readBy[s.variable], &step});
        readBy.erase(s.variable);
        return;
      }
      if (s.kind == wait)
        readBy[s.variable] = -1;
    }
    list.push_back({Action::Kind::step, {}, -1, &step});
  }

  void use(const Version &version) {
    lastUse[version.number] = list.size();
    list.push_back({Action::Kind::use, version, -1, nullptr});
  }

  Version evaluate(const Value &v) {
    using enum Value::Kind;
    if (v.kind == variable)
      return variables[v.variable];
    if (v.kind == product) {
      const Version sum = evaluate(v.operands[0]);
      lastUse[sum.number] = list.size();
      list.push_back({Action::Kind::issue, sum, products, nullptr});
      readBy[v.a.stage] = readBy[v.b.stage] = products;
      return {nextVersion++, products++};
    }
    for (const Version &operand : operandsOf(v))
      use(operand);
    return {nextVersion++, -1};
  }

  std::vector<Version> operandsOf(const Value &v) {
    std::vector<Version> versions;
    for (const Value &operand : v.operands)
      versions.push_back(evaluate(operand));
    return versions;
  }

  std::map<int, Version> variables;
  std::map<int, int64_t> readBy; ///< the last product, by stage
  int64_t nextVersion = 0;
};

/// One CTA, of which one agent puts off its releases and the others do
/// everything as soon as they can.
class Execution {
public:
  Execution(const Program &program, const std::vector<Agent> &agents,
            size_t observed)
      : program(program), agents(agents), observed(observed),
        next(agents.size(), 0), held(agents.size()),
        rings(program.rings.size()) {
    for (const Agent &agent : agents)
      for (const Step &step : agent.steps)
        note(step, agent.role);
  }

  ProductOrder run() {
    const Actions actions(agents[observed]);
    order.role = agents[observed].role;
    order.products = actions.products;
    order.needed.assign(actions.products + 1, 0);
    for (size_t at = 0; at < actions.list.size(); ++at) {
      const Action &action = actions.list[at];
      const int64_t from = action.version.product;
      switch (action.kind) {
      case Action::Kind::issue:
        // A sum that is used again is copied first.
        if (from >= 0 && actions.lastUse.at(action.version.number) != at)
          need(from);
        ++issued;
        giveBack();
        break;
      case Action::Kind::rewrite:
        need(action.product);
        break;
      case Action::Kind::use:
        if (from >= 0)
          need(from);
        break;
      case Action::Kind::release:
        putOff.push_back(
            {action.product, &fillOf(observed, *action.step->statement)});
        if (action.product < complete) {
          ++putOff.back().fill->releases;
          putOff.pop_back();
        }
        break;
      case Action::Kind::step:
        execute(*action.step);
      }
    }
    giveBack();
    // What is complete stays so.
    for (size_t i = 1; i < order.needed.size(); ++i)
      order.needed[i] = std::max(order.needed[i], order.needed[i - 1]);
    return std::move(order);
  }

private:
  struct Fill {
    size_t commits = 0, releases = 0;
  };
  struct RingState {
    std::set<int> producers, consumers;
    std::map<int64_t, Fill> fills;
  };
  /// What was put off.
  struct Release {
    int64_t product; ///< the last that read the stage
    Fill *fill;
  };

  void note(const Step &step, int role) {
    if (step.kind != Step::Kind::run)
      return;
    const Statement &s = *step.statement;
    if (s.kind == Statement::Kind::commit)
      rings[s.ring].producers.insert(role);
    if (s.kind == Statement::Kind::release)
      rings[s.ring].consumers.insert(role);
  }

  void need(int64_t product) {
    complete = std::max(complete, product + 1);
    order.needed[issued] = std::max(order.needed[issued], complete);
  }

  /// The releases that were put off.
  void giveBack() {
    for (const Release &release : putOff) {
      need(release.product);
      ++release.fill->releases;
    }
    putOff.clear();
  }

  void execute(const Step &step) {
    if (perform(observed, step))
      return;
    advanceOthers();
    if (perform(observed, step))
      return;
    giveBack();
    advanceOthers();
    if (!perform(observed, step))
      throw std::logic_error("a program of the corpus stops");
  }

  void advanceOthers() {
    for (bool moved = true; moved;) {
      moved = false;
      for (size_t i = 0; i < agents.size(); ++i)
        while (i != observed && next[i] < agents[i].steps.size() &&
               perform(i, agents[i].steps[next[i]])) {
          ++next[i];
          moved = true;
        }
    }
  }

  /// False where the agent has to wait.
  bool perform(size_t agent, const Step &step) {
    const int role = agents[agent].role;
    if (step.kind == Step::Kind::orderArrive)
      passed.insert({role, step.number});
    if (step.kind == Step::Kind::orderWait)
      return step.number == 0 || passed.count({role, step.number - 1});
    if (step.kind != Step::Kind::run)
      return true;
    const Statement &s = *step.statement;
    using enum Statement::Kind;
    if (s.kind == acquire) {
      const int64_t before = step.number - program.rings[s.ring].stages;
      if (before >= 0 &&
          rings[s.ring].fills[before].releases < rings[s.ring].consumers.size())
        return false;
    }
    if (s.kind == wait && rings[s.ring].fills[step.number].commits <
                              rings[s.ring].producers.size())
      return false;
    if (s.kind == acquire || s.kind == wait)
      held[agent][s.variable] = step.number;
    if (s.kind == commit)
      ++fillOf(agent, s).commits;
    if (s.kind == release)
      ++fillOf(agent, s).releases;
    return true;
  }

  Fill &fillOf(size_t agent, const Statement &s) {
    return rings[s.ring].fills[held[agent].at(s.variable)];
  }

  const Program &program;
  const std::vector<Agent> &agents;
  const size_t observed;
  std::vector<size_t> next;
  std::vector<std::map<int, int64_t>> held; ///< fills, by stage
  std::vector<RingState> rings;
  std::set<std::pair<int, int64_t>> passed;
  std::vector<Release> putOff;
  int64_t issued = 0, complete = 0;
  ProductOrder order;
};

} // namespace

std::vector<ProductOrder> productOrders(const Program &program) {
  std::vector<ProductOrder> orders;
  const std::vector<std::vector<Tile>> ctas = tilesOfCtas(program);
  for (size_t cta = 0; cta < ctas.size(); ++cta) {
    const std::vector<Agent> agents = unroll(program, ctas[cta]);
    for (size_t i = 0; i < agents.size(); ++i) {
      ProductOrder order = Execution(program, agents, i).run();
      order.cta = static_cast<int64_t>(cta);
      for (size_t before = i; before-- > 0;)
        order.instance += agents[before].role == agents[i].role;
      if (order.products)
        orders.push_back(std::move(order));
    }
  }
  return orders;
}

namespace {

/// wgmma instructions of a product in each warp.
int64_t instructionsOfProduct(const Program &program, const Role &role) {
  for (const Ring &ring : program.rings)
    for (const Ring::Tile &tile : ring.tiles)
      if (tile.type != ElementType::f32)
        return tile.columns * size_bytes(tile.type) / 32 * program.rows /
               (16 * role.warps);
  return 1;
}

} // namespace

std::optional<Lost> lostInFlight(const Program &program,
                                 const std::vector<int> &firstWarps,
                                 const WgmmaRecords &records) {
  Lost lost;
  for (const ProductOrder &order : productOrders(program)) {
    const Role &role = program.roles[order.role];
    const int64_t warp =
        firstWarps.at(order.role) + order.instance * role.warps;
    auto found = records.find(
        {static_cast<uint32_t>(order.cta), static_cast<uint32_t>(warp)});
    const int64_t each = instructionsOfProduct(program, role);
    if (found == records.end() || found->second.issued != order.products * each)
      return {};
    for (const WgmmaRecord::Wait &wait : found->second.waits) {
      const int64_t issued = wait.issued / each;
      const int64_t mayStay = issued - order.needed[issued],
                    stay = issued - wait.completed / each;
      if (stay >= mayStay)
        continue;
      lost.products += mayStay - stay;
      if (lost.first.empty())
        lost.first = format("CTA {}, role '{}': behind {} products {} stay in "
                            "flight, {} may",
                            order.cta, role.name, issued, stay, mayStay);
    }
  }
  return lost;
}

} // namespace ashlar::corpus
