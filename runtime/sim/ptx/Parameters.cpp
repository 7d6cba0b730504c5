#include "runtime/sim/ptx/Declaration.h"
#include "runtime/sim/ptx/Declarator.h"

namespace ashlar::sim::ptx {

namespace {

struct Lists {
  std::vector<Variable> &variables;
  std::vector<uint32_t> &registers;
};

Lists lists(Function &function, SymbolUse::Kind kind) {
  if (kind == SymbolUse::Kind::result)
    return {function.results, function.resultRegisters};
  return {function.parameters, function.parameterRegisters};
}

} // namespace

std::vector<Token> parseParameters(Context &context, SymbolUse::Kind kind,
                                   Function &function) {
  Cursor &cursor = context.cursor;
  const auto [variables, registers] = lists(function, kind);
  std::vector<Token> names;
  if (cursor.accept(")"))
    return names;
  do {
    const bool isRegister = cursor.acceptDotted("reg");
    if (!isRegister && !cursor.acceptDotted("param"))
      cursor.failExpected("'.param' or '.reg'");
    const Prefix prefix = parsePrefix(context);
    if (!cursor.atIdentifier())
      cursor.failExpected("the name of a parameter");
    names.push_back(cursor.take());
    Variable variable = makeVariable(
        context, names.back(),
        isRegister ? StateSpace::generic : StateSpace::parameter, prefix);
    countElements(context, variable, parseDimensions(cursor));
    if (isRegister) {
      registers.push_back(static_cast<uint32_t>(function.registers.size()));
      function.registers.push_back({variable.name, prefix.type, prefix.vector});
    }
    variables.push_back(std::move(variable));
  } while (cursor.accept(","));
  cursor.expect(")", "after the parameters");
  return names;
}

void declareParameters(Context &context, SymbolUse::Kind kind,
                       Function &function, const std::vector<Token> &names) {
  const auto [variables, registers] = lists(function, kind);
  size_t registersSeen = 0;
  for (size_t i = 0; i < names.size(); ++i) {
    Entity entity = {Entity::Kind::symbol, kind, static_cast<uint32_t>(i),
                     names[i].position};
    if (variables[i].space == StateSpace::generic) {
      entity.kind = Entity::Kind::registerName;
      entity.index = registers[registersSeen++];
    }
    if (names[i].text == "_") // a parameter that the body does not use
      continue;
    context.requireNew(names[i], "parameter");
    context.names.declare(names[i].text, entity);
  }
}

} // namespace ashlar::sim::ptx
