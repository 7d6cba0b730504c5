#include "test/corpus/Shrink.h"
#include "test/corpus/Build.h"
#include "test/corpus/Interpret.h"

#include <algorithm>
#include <set>

namespace ashlar::corpus {
namespace {

using Statements = std::vector<Statement>;
/// What stands in the place of a statement.
using Edit = std::function<Statements(const Statement &)>;

Statements edited(const Statements &statements, int label, const Edit &edit) {
  Statements result;
  for (const Statement &s : statements) {
    Statement copy = s;
    copy.body = edited(s.body, label, edit);
    copy.otherwise = edited(s.otherwise, label, edit);
    if (s.label != label)
      result.push_back(std::move(copy));
    else
      for (Statement &each : edit(copy))
        result.push_back(std::move(each));
  }
  return result;
}

Program edited(const Program &program, int label, const Edit &edit) {
  Program result = program;
  for (Role &role : result.roles)
    role.body = edited(role.body, label, edit);
  return result;
}

void collectLabels(const Statements &statements, std::set<int> &labels) {
  for (const Statement &s : statements) {
    labels.insert(s.label);
    collectLabels(s.body, labels);
    collectLabels(s.otherwise, labels);
  }
}

void collectStages(const Statements &statements, int label,
                   std::set<int> &stages) {
  for (const Statement &s : statements) {
    if (s.label == label &&
        (s.kind == Statement::Kind::wait || s.kind == Statement::Kind::acquire))
      stages.insert(s.variable);
    collectStages(s.body, label, stages);
    collectStages(s.otherwise, label, stages);
  }
}

/// The value without what reads these stages.
Value without(Value v, const std::set<int> &stages) {
  for (Value &operand : v.operands)
    operand = without(std::move(operand), stages);
  if (!stages.count(v.a.stage) && !stages.count(v.b.stage))
    return v;
  return v.operands.empty() ? everywhere(0) : v.operands[0];
}

void dropReads(Statements &statements, const std::set<int> &stages) {
  for (Statement &s : statements) {
    s.value = without(std::move(s.value), stages);
    dropReads(s.body, stages);
    dropReads(s.otherwise, stages);
  }
}

Program withoutLabel(const Program &program, int label) {
  Program result =
      edited(program, label, [](const Statement &) { return Statements(); });
  for (size_t i = 0; i < program.roles.size(); ++i) {
    std::set<int> stages;
    collectStages(program.roles[i].body, label, stages);
    for (Role &role : result.roles)
      dropReads(role.body, stages);
  }
  return result;
}

bool mentions(const Value &v, int variable) {
  return (v.kind == Value::Kind::variable && v.variable == variable) ||
         std::ranges::any_of(v.operands, [&](const Value &operand) {
           return mentions(operand, variable);
         });
}

Value withoutFragment(Value v, int variable) {
  if (v.kind == Value::Kind::variable && v.variable == variable)
    return everywhere(0);
  for (Value &operand : v.operands)
    operand = withoutFragment(std::move(operand), variable);
  return v;
}

/// Its assignments and where it is stored go, other uses get zeros.
void dropFragment(Statements &statements, int variable) {
  using enum Statement::Kind;
  std::erase_if(statements, [&](const Statement &s) {
    const bool isSet = s.kind == set && s.variable == variable;
    const bool isStore = s.kind == store || s.kind == storeByTma;
    return isSet || (isStore && mentions(s.value, variable));
  });
  for (Statement &s : statements) {
    s.value = withoutFragment(std::move(s.value), variable);
    dropFragment(s.body, variable);
    dropFragment(s.otherwise, variable);
  }
}

void collectFragments(const Statements &statements, std::set<int> &fragments) {
  for (const Statement &s : statements) {
    if (s.kind == Statement::Kind::set)
      fragments.insert(s.variable);
    collectFragments(s.body, fragments);
    collectFragments(s.otherwise, fragments);
  }
}

Number substituted(Number n, int counter, const Number &by) {
  if (n.kind == Number::Kind::counter && n.value == counter)
    return by;
  for (Number &operand : n.operands)
    operand = substituted(std::move(operand), counter, by);
  return n;
}

void substitute(Value &v, int counter, const Number &by) {
  v.at = substituted(std::move(v.at), counter, by);
  for (Value &operand : v.operands)
    substitute(operand, counter, by);
}

void substitute(Statements &statements, int counter, const Number &by) {
  for (Statement &s : statements) {
    for (Number *n :
         {&s.low, &s.high, &s.step, &s.condition.left, &s.condition.right})
      *n = substituted(std::move(*n), counter, by);
    for (Number &n : s.coordinates)
      n = substituted(std::move(n), counter, by);
    substitute(s.value, counter, by);
    substitute(s.body, counter, by);
    substitute(s.otherwise, counter, by);
  }
}

/// All values with one of their parts in its own operand's place.
std::vector<Value> simplified(const Value &v) {
  std::vector<Value> result;
  for (const Value &operand : v.operands)
    if (operand.kind != Value::Kind::row && operand.kind != Value::Kind::column)
      result.push_back(operand);
  for (size_t i = 0; i < v.operands.size(); ++i)
    for (Value &simpler : simplified(v.operands[i])) {
      Value copy = v;
      copy.operands[i] = std::move(simpler);
      result.push_back(std::move(copy));
    }
  return result;
}

bool isConstant(const Number &n) { return n.kind == Number::Kind::constant; }

class Simplifications {
public:
  explicit Simplifications(const Program &program) : program(program) {}

  std::vector<Program> run() {
    std::set<int> labels;
    for (const Role &role : program.roles)
      collectLabels(role.body, labels);
    for (int label : labels)
      result.push_back(withoutLabel(program, label));
    std::set<int> fragments;
    for (const Role &role : program.roles)
      collectFragments(role.body, fragments);
    for (int fragment : fragments)
      change([&](Program &p) {
        for (Role &role : p.roles)
          dropFragment(role.body, fragment);
      });
    for (int label : labels)
      ofLabel(label);
    ofKernel();
    return std::move(result);
  }

private:
  const Statement *find(const Statements &statements, int label,
                        Statement::Kind kind) {
    for (const Statement &s : statements) {
      if (s.label == label && s.kind == kind)
        return &s;
      for (const Statements *inner : {&s.body, &s.otherwise})
        if (const Statement *found = find(*inner, label, kind))
          return found;
    }
    return nullptr;
  }
  const Statement *find(int label, Statement::Kind kind) {
    for (const Role &role : program.roles)
      if (const Statement *found = find(role.body, label, kind))
        return found;
    return nullptr;
  }

  void add(int label, Statement::Kind kind, const Edit &edit) {
    result.push_back(edited(program, label, [&](const Statement &s) {
      return s.kind == kind ? edit(s) : Statements{s};
    }));
  }

  void ofLabel(int label) {
    using enum Statement::Kind;
    if (const Statement *s = find(label, when)) {
      add(label, when, [](const Statement &s) { return s.body; });
      add(label, when, [](const Statement &s) { return s.otherwise; });
      if (!s->otherwise.empty())
        add(label, when, [](Statement s) {
          s.otherwise.clear();
          return Statements{s};
        });
    }
    if (const Statement *s = find(label, loop)) {
      add(label, loop, [](const Statement &s) {
        Statements body = s.body;
        substitute(body, s.variable, s.low);
        return body;
      });
      for (int64_t count : {1, 2, 3})
        if (!isConstant(s->high) || s->high.value > count)
          add(label, loop, [&](Statement s) {
            s.low = 0;
            s.high = count;
            s.step = 1;
            return Statements{s};
          });
    }
    for (Statement::Kind kind : {set, store, storeByTma, write, writeOwn})
      if (const Statement *s = find(label, kind))
        for (const Value &simpler : simplified(s->value))
          add(label, kind, [&](Statement s) {
            s.value = simpler;
            return Statements{s};
          });
    if (find(label, storeByTma))
      add(label, storeByTma, [](Statement s) {
        s.kind = store;
        return Statements{s};
      });
  }

  template <typename Change> void change(Change change) {
    Program copy = program;
    change(copy);
    result.push_back(std::move(copy));
  }

  void ofKernel() {
    for (auto [number, value] : {std::pair{int64_t(sizeM), program.rows},
                                 {sizeM, 2 * program.rows},
                                 {sizeK, 64},
                                 {sizeK, 128}})
      if (program.sizes[number].value > value)
        change([&](Program &p) { p.sizes[number].value = value; });
    if (program.residentClusters > 1)
      change([](Program &p) { p.residentClusters = 1; });
    if (program.isPersistent)
      change([](Program &p) { p.isPersistent = false; });
    if (program.cluster > 1)
      change([](Program &p) {
        p.cluster = 1;
        for (Role &role : p.roles)
          clearMulticast(role.body);
      });
    change([](Program &p) {
      for (Role &role : p.roles)
        fillFromFirstTiles(role.body);
    });
    for (size_t i = 0; i < program.rings.size(); ++i)
      for (int64_t stages : {1, 2, 3, 4})
        if (program.rings[i].stages > stages)
          change([&](Program &p) { p.rings[i].stages = stages; });
    for (size_t i = 0; i < program.roles.size(); ++i) {
      const Role &role = program.roles[i];
      if (role.registers)
        change([](Program &p) {
          for (Role &each : p.roles)
            each.registers = 0;
        });
      if (role.instances > 1)
        change([&](Program &p) { p.roles[i].instances = 1; });
      if (role.warps > 1 && role.warps < 4)
        change([&](Program &p) { p.roles[i].warps = 1; });
    }
    for (size_t i = 0; i < program.rings.size(); ++i)
      if (program.rings[i].tiles.size() > 1)
        change([&](Program &p) { dropLastTile(p, static_cast<int>(i)); });
    for (size_t i = 0; i < program.tensors.size(); ++i)
      if (program.tensors[i].alignment < 16)
        change([&](Program &p) { p.tensors[i].alignment = 16; });
  }

  /// Leaves a program that is refused if the tile is read.
  static void dropLastTile(Program &p, int ring) {
    const auto last = static_cast<int>(p.rings[ring].tiles.size()) - 1;
    p.rings[ring].tiles.pop_back();
    for (Role &role : p.roles)
      dropCopies(role.body, ring, last);
  }
  static void dropCopies(Statements &statements, int ring, int tile) {
    std::erase_if(statements, [&](const Statement &s) {
      return s.kind == Statement::Kind::copy && s.ring == ring &&
             s.target.tile == tile;
    });
    for (Statement &s : statements) {
      dropCopies(s.body, ring, tile);
      dropCopies(s.otherwise, ring, tile);
    }
  }

  static void fillFromFirstTiles(Statements &statements) {
    for (Statement &s : statements) {
      if (s.kind == Statement::Kind::copy)
        s.coordinates[1] = 0;
      fillFromFirstTiles(s.body);
      fillFromFirstTiles(s.otherwise);
    }
  }

  static void clearMulticast(Statements &statements) {
    for (Statement &s : statements) {
      s.multicast = false;
      clearMulticast(s.body);
      clearMulticast(s.otherwise);
    }
  }

  const Program &program;
  std::vector<Program> result;
};

/// Whether a fragment goes anywhere but into itself.
bool isUsed(const Statements &statements, int variable) {
  return std::ranges::any_of(statements, [&](const Statement &s) {
    const bool isOwn = s.kind == Statement::Kind::set && s.variable == variable;
    return (!isOwn && mentions(s.value, variable)) ||
           isUsed(s.body, variable) || isUsed(s.otherwise, variable);
  });
}

int64_t countUnused(const Statements &all, const Statements &statements) {
  int64_t count = 0;
  for (const Statement &s : statements) {
    count += s.kind == Statement::Kind::set && s.declares &&
             !isUsed(all, s.variable);
    count += countUnused(all, s.body) + countUnused(all, s.otherwise);
  }
  return count;
}

/// Fragments whose values nobody wants. A program that has more of them than
/// before fails for another reason, if it fails.
int64_t countUnused(const Program &program) {
  int64_t count = 0;
  for (const Role &role : program.roles)
    count += countUnused(role.body, role.body);
  return count;
}

} // namespace

Program shrink(Program program,
               const std::function<bool(const Program &)> &fails) {
  // A simplification that did not help before may help behind another: begin
  // again until none does.
  bool isSmaller = true;
  size_t from = 0;
  while (isSmaller) {
    isSmaller = false;
    const std::vector<Program> all = Simplifications(program).run();
    for (size_t i = 0; i < all.size() && !isSmaller; ++i) {
      // Where the last one helped, its neighbours may.
      const size_t at = (from + i) % all.size();
      Program candidate = withoutLeftovers(all[at]);
      if (print(candidate) == print(program) ||
          countUnused(candidate) > countUnused(program) ||
          !isCorrect(candidate) || !fails(candidate))
        continue;
      program = std::move(candidate);
      from = at;
      isSmaller = true;
    }
  }
  return program;
}

} // namespace ashlar::corpus
