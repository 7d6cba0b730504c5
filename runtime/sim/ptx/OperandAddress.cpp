// Operands that name a place in memory: symbols, elements of arrays, addresses.
#include "runtime/sim/ptx/Operand.h"

namespace ashlar::sim::ptx {

Operand OperandParser::parseSymbol(const Entity &entity) {
  const SymbolUse symbol = {entity.symbol, entity.index};
  if (cursor.atPunctuation("["))
    return parseArrayElement(symbol);
  Operand operand;
  operand.kind = Operand::Kind::symbol;
  operand.symbol = symbol;
  operand.integer = parseOffset(cursor);
  return operand;
}

// `a[3]`, counted in elements.
Operand OperandParser::parseArrayElement(const SymbolUse &symbol) {
  const Position position = cursor.take().position;
  const Variable *array = variable(symbol);
  if (!array)
    cursor.fail(position, "a function has no elements");
  if (cursor.atIdentifier() && cursor.peek().text != "WARP_SZ")
    cursor.fail(cursor.peek().position,
                "the index of an array element has to be constant here; "
                "compute the address in a register");
  const Constant index = parseConstant(cursor);
  if (!index.isInteger())
    cursor.fail(index.position, "the index of an element has to be an integer");
  cursor.expect("]", "after the index of an element");
  const uint64_t offset = index.bits * array->vector * sizeBytes(array->type);
  Operand operand;
  if (syntax.elementIsAddress) {
    operand.kind = Operand::Kind::symbol;
    operand.symbol = symbol;
    operand.integer = static_cast<int64_t>(offset);
  } else {
    operand.kind = Operand::Kind::address;
    operand.address = std::make_unique<Address>();
    operand.address->symbol = symbol;
    operand.address->offset = static_cast<int64_t>(offset);
  }
  return operand;
}

Operand OperandParser::parseAddress() {
  Operand operand = makeOperand(Operand::Kind::address, cursor.take().position);
  operand.address = std::make_unique<Address>();
  Address &address = *operand.address;
  if (cursor.atIdentifier() && cursor.peek().text != "WARP_SZ") {
    const Token name = cursor.take();
    const auto entity = context.names.find(name.text);
    if (!entity)
      failUndeclared(name);
    if (entity->kind == Entity::Kind::registerName)
      address.base = parseUse(name, entity->index);
    else if (entity->kind == Entity::Kind::symbol)
      address.symbol = SymbolUse{entity->symbol, entity->index};
    else
      cursor.fail(name.position,
                  "'" + std::string(name.text) + "' is no place in memory");
    address.offset = parseOffset(cursor);
  } else {
    const Constant place = parseConstant(cursor);
    if (!place.isInteger())
      cursor.fail(place.position, "an address has to be an integer");
    address.offset = static_cast<int64_t>(place.bits);
  }
  while (cursor.accept(","))
    address.more.push_back(parseElement());
  cursor.expect("]", "after the address");
  return operand;
}

const Variable *OperandParser::variable(const SymbolUse &symbol) const {
  switch (symbol.kind) {
  case SymbolUse::Kind::moduleVariable:
    return &context.module.variables[symbol.index];
  case SymbolUse::Kind::functionVariable:
    return &function.variables[symbol.index];
  case SymbolUse::Kind::parameter:
    return &function.parameters[symbol.index];
  case SymbolUse::Kind::result:
    return &function.results[symbol.index];
  case SymbolUse::Kind::function:
    break;
  }
  return nullptr;
}

} // namespace ashlar::sim::ptx
