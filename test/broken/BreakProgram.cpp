#include "test/broken/BreakProgram.h"
#include "test/corpus/Build.h"

#include <algorithm>
#include <functional>

namespace ashlar::broken {

using namespace corpus;

namespace {

using Statements = std::vector<Statement>;
using Kind = Statement::Kind;

bool takes(const Statement &s) {
  return s.kind == Kind::acquire || s.kind == Kind::wait;
}

bool gives(const Statement &s) {
  return s.kind == Kind::commit || s.kind == Kind::release;
}

void walk(Statements &statements, const std::function<void(Statement &)> &on) {
  for (Statement &s : statements) {
    on(s);
    walk(s.body, on);
    walk(s.otherwise, on);
  }
}

void walk(const Statements &statements,
          const std::function<void(const Statement &)> &on) {
  for (const Statement &s : statements) {
    on(s);
    walk(s.body, on);
    walk(s.otherwise, on);
  }
}

void walkValues(const Value &value,
                const std::function<void(const Value &)> &on) {
  on(value);
  for (const Value &operand : value.operands)
    walkValues(operand, on);
}

/// The stages that a statement without a body names, and the role's own tile.
std::set<int> tilesOf(const Statement &s) {
  std::set<int> stages = {s.target.stage};
  if (takes(s) || gives(s))
    stages.insert(s.variable);
  if (s.kind == Kind::writeOwn)
    stages.insert(StageTile::ownTile);
  walkValues(s.value, [&](const Value &v) {
    stages.insert(v.a.stage);
    stages.insert(v.b.stage);
  });
  stages.erase(StageTile::none);
  return stages;
}

std::set<int> stagesOf(const Statement &s) {
  std::set<int> stages = tilesOf(s);
  stages.erase(StageTile::ownTile);
  return stages;
}

/// The ring of each stage.
std::map<int, int> ringsOf(const Program &program) {
  std::map<int, int> rings = {{StageTile::ownTile, StageTile::ownTile}};
  for (const Role &role : program.roles)
    walk(role.body, [&](const Statement &s) {
      if (takes(s))
        rings[s.variable] = s.ring;
    });
  return rings;
}

bool isStore(const Statement &s) {
  return s.kind == Kind::store || s.kind == Kind::storeByTma;
}

std::set<int> fragmentsOf(const Statement &s) {
  std::set<int> fragments;
  walkValues(s.value, [&](const Value &v) {
    if (v.kind == Value::Kind::variable)
      fragments.insert(v.variable);
  });
  if (s.kind == Kind::set && !s.declares)
    fragments.insert(s.variable);
  return fragments;
}

void rename(Value &v, int from, int to) {
  for (StageTile *tile : {&v.a, &v.b})
    if (tile->stage == from)
      tile->stage = to;
  for (Value &operand : v.operands)
    rename(operand, from, to);
}

void rename(Statements &statements, int from, int to) {
  walk(statements, [&](Statement &s) {
    if ((takes(s) || gives(s) || s.kind == Kind::copy ||
         s.kind == Kind::write) &&
        s.variable == from)
      s.variable = to;
    if (s.target.stage == from)
      s.target.stage = to;
    rename(s.value, from, to);
  });
}

/// What is declared where a statement stands.
struct Names {
  std::set<int> stages, fragments;
};

bool isDeclared(const std::set<int> &used, const std::set<int> &declared) {
  return std::ranges::includes(declared, used);
}

/// Whether every name is declared before it is used, in a body around it.
bool namesAreDeclared(const Statements &statements, Names names) {
  for (const Statement &s : statements) {
    if (takes(s))
      names.stages.insert(s.variable);
    if (!isDeclared(stagesOf(s), names.stages) ||
        !isDeclared(fragmentsOf(s), names.fragments) ||
        !namesAreDeclared(s.body, names) ||
        !namesAreDeclared(s.otherwise, names))
      return false;
    if (s.kind == Kind::set && s.declares)
      names.fragments.insert(s.variable);
  }
  return true;
}

class Breaker {
public:
  Breaker(const Program &program, Dice &dice)
      : dice(dice), ringOf(ringsOf(program)) {
    broken.program = program;
  }

  std::optional<BrokenProgram> run() {
    choosePlace();
    const Statement call = (*list)[at];
    broken.text = textOf(call);
    note(call);
    const bool hasIndex = call.kind == Kind::copy;
    switch (dice.weighted({30, 25, 35, hasIndex ? 30 : 0})) {
    case 0:
      if (!drop(call))
        return {};
      break;
    case 1:
      twice(call);
      break;
    case 2:
      if (!move(call))
        return {};
      break;
    default:
      changeIndex();
    }
    for (const Role &role : broken.program.roles)
      if (!namesAreDeclared(role.body, {}))
        return {};
    return std::move(broken);
  }

private:
  struct Place {
    int role;
    Statements *list, *around; ///< around: null in the role's body
    size_t at, placeAround;
  };

  void collect(int role, Statements &statements, Statements *around,
               size_t placeAround, std::vector<Place> &places) {
    for (size_t i = 0; i < statements.size(); ++i) {
      Statement &s = statements[i];
      if (s.kind != Kind::loop && s.kind != Kind::when && isOfInterest(s))
        places.push_back({role, &statements, around, i, placeAround});
      collect(role, s.body, &statements, i, places);
      collect(role, s.otherwise, &statements, i, places);
    }
  }

  static bool isOfInterest(const Statement &s) {
    return s.kind != Kind::set || !stagesOf(s).empty();
  }

  /// Each kind of call is as likely as another.
  void choosePlace() {
    std::vector<Place> places, ofKind;
    for (size_t i = 0; i < broken.program.roles.size(); ++i)
      collect(static_cast<int>(i), broken.program.roles[i].body, nullptr, 0,
              places);
    std::set<std::string> all;
    for (const Place &place : places)
      all.insert(nameOf((*place.list)[place.at]));
    broken.call = dice.of(std::vector(all.begin(), all.end()));
    for (const Place &place : places)
      if (nameOf((*place.list)[place.at]) == broken.call)
        ofKind.push_back(place);
    const Place place = dice.of(ofKind);
    role = place.role;
    list = place.list;
    around = place.around;
    at = place.at;
    placeAround = place.placeAround;
  }

  static std::string nameOf(const Statement &s) {
    switch (s.kind) {
    case Kind::acquire:
      return "acquire";
    case Kind::wait:
      return "wait";
    case Kind::commit:
      return "commit";
    case Kind::release:
      return "release";
    case Kind::copy:
      return "copy";
    case Kind::set:
      return "mma or load";
    case Kind::store:
    case Kind::storeByTma:
      return "store of a result";
    default:
      return "store to a stage";
    }
  }

  std::string textOf(const Statement &call) const {
    Program alone = broken.program;
    for (Role &each : alone.roles)
      each.body.clear();
    const size_t before = print(alone).size();
    alone.roles.back().body = {call};
    const std::string text = print(alone).substr(before - 4);
    const size_t begin = text.find_first_not_of(' ');
    return text.substr(begin, text.find('\n', begin) - begin);
  }

  void note(const Statement &s) {
    for (int tile : tilesOf(s))
      broken.touched.rings.insert(ringOf.at(tile));
    if (isStore(s))
      broken.touched.outputs.insert(s.tensor);
    for (const Statements *inner : {&s.body, &s.otherwise})
      for (const Statement &each : *inner)
        note(each);
  }

  /// A stage that is not taken is another one that is there, if there is one.
  bool drop(const Statement &call) {
    broken.change = "dropped";
    list->erase(list->begin() + static_cast<ptrdiff_t>(at));
    if (!takes(call))
      return true;
    std::vector<int> others;
    for (const auto &[stage, ring] : ringOf)
      if (ring == call.ring && stage != call.variable)
        others.push_back(stage);
    if (others.empty())
      return false;
    rename(broken.program.roles[role].body, call.variable, dice.of(others));
    return true;
  }

  void twice(const Statement &call) {
    broken.change = "doubled";
    Statement again = call;
    if (takes(again))
      again.variable = ringOf.rbegin()->first + 1;
    if (again.kind == Kind::set)
      again.declares = false;
    const bool isFirst = takes(again) && dice.percent(50);
    list->insert(list->begin() + static_cast<ptrdiff_t>(at + (isFirst ? 0 : 1)),
                 std::move(again));
  }

  void insert(Statements &into, size_t where, const Statement &call) {
    into.insert(into.begin() + static_cast<ptrdiff_t>(where), call);
  }

  bool move(const Statement &call) {
    broken.change = "moved";
    list->erase(list->begin() + static_cast<ptrdiff_t>(at));
    const int way = dice.weighted({70, around ? 15 : 0, 15});
    if (way == 1) {
      note((*around)[placeAround]);
      const size_t to = placeAround + (dice.percent(50) ? 1 : 0);
      insert(*around, to, call);
      return true;
    }
    if (list->empty())
      return false;
    const auto to = static_cast<size_t>(
        dice.between(0, static_cast<int64_t>(list->size())));
    if (way == 0) {
      if (to == at)
        return false;
      for (size_t i = std::min(at, to); i < std::max(at, to); ++i)
        note((*list)[i]);
      insert(*list, to, call);
      return true;
    }
    // Into a body beside it.
    Statement &beside = (*list)[std::min(to, list->size() - 1)];
    if (beside.body.empty())
      return false;
    note(beside);
    insert(beside.body, dice.percent(50) ? 0 : beside.body.size(), call);
    return true;
  }

  void changeIndex() {
    broken.change = "index";
    Number &index = (*list)[at].coordinates[dice.between(0, 1)];
    index = dice.percent(50) ? std::move(index) + 1 : std::move(index) - 1;
  }

  Dice &dice;
  BrokenProgram broken;
  const std::map<int, int> ringOf;
  int role = 0;
  Statements *list = nullptr, *around = nullptr;
  size_t at = 0, placeAround = 0;
};

} // namespace

std::optional<BrokenProgram> breakOneCall(const Program &program, Dice &dice) {
  return Breaker(program, dice).run();
}

std::set<int> linesAbout(const Program &program, const Touched &touched) {
  const std::map<int, int> ringOf = ringsOf(program);
  std::set<int> lines;
  for (const auto &[statement, line] : list(program).lines) {
    if (isStore(*statement) && touched.outputs.contains(statement->tensor))
      lines.insert(line);
    for (int tile : tilesOf(*statement))
      if (ringOf.contains(tile) && touched.rings.contains(ringOf.at(tile)))
        lines.insert(line);
  }
  return lines;
}

} // namespace ashlar::broken
