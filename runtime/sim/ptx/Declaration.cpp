#include "runtime/sim/ptx/Declaration.h"

#include "runtime/sim/ptx/Declarator.h"

namespace ashlar::sim::ptx {

namespace {

void parseVariableFamily(Context &context, const Token &name, StateSpace space,
                         const Prefix &prefix, const Entity &entity,
                         std::vector<Variable> &variables) {
  const uint32_t count =
      parseFamilyCount(context, name, limit::functionRegisters);
  context.names.declareFamily(name.text, entity, count);
  Variable variable = makeVariable(context, name, space, prefix);
  for (uint32_t i = 0; i < count; ++i) {
    variable.name = memberName(name, i);
    variables.push_back(variable);
  }
}

void parseVariable(Context &context, const Token &name, bool isExternal,
                   Variable &variable) {
  Cursor &cursor = context.cursor;
  variable.isExternal = isExternal;
  std::vector<uint64_t> dimensions = parseDimensions(cursor);
  const bool counted = !dimensions.empty() && dimensions[0] == 0;
  if (cursor.atPunctuation("=")) {
    const Token equals = cursor.take();
    if (isExternal)
      cursor.fail(equals.position,
                  "'" + variable.name +
                      "' is external; its initialiser stands elsewhere");
    if (variable.space != StateSpace::global &&
        variable.space != StateSpace::constant)
      cursor.fail(equals.position, "only .global and .const variables can have "
                                   "an initialiser");
    if (!counted)
      countElements(context, variable, dimensions);
    const size_t rank = dimensions.size();
    if (variable.vector > 1)
      dimensions.push_back(variable.vector);
    parseInitialiser(context, variable, dimensions);
    dimensions.resize(rank);
  } else if (counted && !isExternal) {
    cursor.fail(name.position, "the size of '" + variable.name +
                                   "' is not known: give it, or an "
                                   "initialiser");
  }
  countElements(context, variable, dimensions);
}

// A definition takes the place of a declaration `.extern` of the same name, and
// a later `.extern` adds nothing.
bool mergeExternal(std::vector<Variable> &variables, const Entity &first,
                   Variable &variable) {
  if (first.kind != Entity::Kind::symbol ||
      first.symbol != SymbolUse::Kind::moduleVariable)
    return false;
  Variable &before = variables[first.index];
  if (before.space != variable.space ||
      (!before.isExternal && !variable.isExternal))
    return false;
  if (before.isExternal)
    before = std::move(variable);
  return true;
}

} // namespace

void parseVariables(Context &context, StateSpace space, bool isExternal,
                    SymbolUse::Kind kind, std::vector<Variable> &variables) {
  Cursor &cursor = context.cursor;
  const Prefix prefix = parsePrefix(context);
  do {
    const Token name = cursor.expectIdentifier("the name of a variable");
    const Entity entity = {Entity::Kind::symbol, kind,
                           static_cast<uint32_t>(variables.size()),
                           name.position};
    if (cursor.atPunctuation("<")) {
      parseVariableFamily(context, name, space, prefix, entity, variables);
      continue;
    }
    Variable variable = makeVariable(context, name, space, prefix);
    parseVariable(context, name, isExternal, variable);
    const auto first = context.names.findHere(name.text);
    if (first && mergeExternal(variables, *first, variable))
      continue;
    context.requireNew(name, "variable");
    context.names.declare(name.text, entity);
    variables.push_back(std::move(variable));
  } while (cursor.accept(","));
  cursor.expect(";", "after the declaration");
}

} // namespace ashlar::sim::ptx
