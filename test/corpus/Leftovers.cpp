// What a deleted statement leaves behind.

#include "test/corpus/Shrink.h"

#include <algorithm>

namespace ashlar::corpus {
namespace {

template <typename Visit>
void forEach(std::vector<Statement> &statements, Visit visit) {
  for (Statement &s : statements) {
    visit(s);
    forEach(s.body, visit);
    forEach(s.otherwise, visit);
  }
}

template <typename Visit> void forEach(Program &program, Visit visit) {
  for (Role &role : program.roles)
    forEach(role.body, visit);
}

template <typename Visit> void forEachValue(Value &value, Visit visit) {
  visit(value);
  for (Value &operand : value.operands)
    forEachValue(operand, visit);
}

void dropRing(Program &program, int ring) {
  program.rings.erase(program.rings.begin() + ring);
  forEach(program, [&](Statement &s) { s.ring -= s.ring > ring; });
}

void dropTensor(Program &program, int tensor) {
  program.tensors.erase(program.tensors.begin() + tensor);
  forEach(program, [&](Statement &s) {
    s.tensor -= s.tensor > tensor;
    forEachValue(s.value, [&](Value &v) { v.tensor -= v.tensor > tensor; });
  });
}

bool usesTensor(Program &program, int tensor) {
  bool used = false;
  forEach(program, [&](Statement &s) {
    used |= s.tensor == tensor;
    forEachValue(s.value, [&](Value &v) { used |= v.tensor == tensor; });
  });
  return used;
}

bool usesRing(Program &program, int ring) {
  bool used = false;
  forEach(program, [&](Statement &s) { used |= s.ring == ring; });
  return used;
}

void dropEmpty(std::vector<Statement> &statements) {
  for (Statement &s : statements) {
    dropEmpty(s.body);
    dropEmpty(s.otherwise);
  }
  std::erase_if(statements, [](const Statement &s) {
    const bool isAround =
        s.kind == Statement::Kind::loop || s.kind == Statement::Kind::when;
    return isAround && s.body.empty() && s.otherwise.empty();
  });
}

} // namespace

Program withoutLeftovers(Program program) {
  for (Role &role : program.roles)
    dropEmpty(role.body);
  std::erase_if(program.roles, [](const Role &r) { return r.body.empty(); });
  for (auto i = static_cast<int>(program.rings.size()); i-- > 0;)
    if (!usesRing(program, i))
      dropRing(program, i);
  for (auto i = static_cast<int>(program.tensors.size()); i-- > 0;)
    if (!usesTensor(program, i))
      dropTensor(program, i);
  program.hasStaging = program.hasOwnTile = false;
  forEach(program, [&](Statement &s) {
    program.hasOwnTile |= s.kind == Statement::Kind::writeOwn;
    program.hasStaging |= s.kind == Statement::Kind::storeByTma;
  });
  return program;
}

} // namespace ashlar::corpus
