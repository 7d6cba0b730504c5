// Lists of targets, and the names that are resolved at the end of a block.
#include "runtime/sim/ptx/Body.h"
#include "runtime/sim/ptx/Function.h"
#include "runtime/sim/ptx/OperandSyntax.h"

namespace ashlar::sim::ptx {

// After `name:`, with the directive next.
void BodyParser::parseTargets(const Token &name) {
  const Token directive = cursor.take();
  Entity entity;
  entity.kind = Entity::Kind::targets;
  entity.index = static_cast<uint32_t>(function.targets.size());
  entity.position = name.position;
  context.names.declare(name.text, entity);
  TargetList list;
  list.name = name.text;
  listNames.emplace_back();
  if (directive.text == "branchtargets")
    parseBranchTargets(list);
  else if (directive.text == "calltargets")
    parseCallTargets(list);
  else
    skipPrototype(context);
  cursor.expect(";", "after the list");
  function.targets.push_back(std::move(list));
}

void BodyParser::parseBranchTargets(TargetList &list) {
  do
    listNames.back().push_back(cursor.expectIdentifier("a label"));
  while (cursor.accept(","));
  list.labels.resize(listNames.back().size());
  waiting.back().push_back(
      {true, static_cast<uint32_t>(function.targets.size())});
}

void BodyParser::parseCallTargets(TargetList &list) {
  do
    list.functions.push_back(parseFunctionName(context));
  while (cursor.accept(","));
}

// Resolves what the block that ends here declares; the rest waits for the block
// around it, or fails if there is none.
void BodyParser::resolve() {
  const std::vector<Waiting> users = std::move(waiting.back());
  waiting.pop_back();
  for (const Waiting &user : users) {
    bool resolved = true;
    if (user.isList)
      resolved = resolveList(user.index);
    else
      for (Operand &operand : function.body[user.index].operands)
        resolved &= resolve(operand);
    if (resolved)
      continue;
    if (waiting.empty())
      failUnresolved(user);
    waiting.back().push_back(user);
  }
}

bool BodyParser::resolve(Operand &operand) {
  bool resolved = true;
  for (Operand &element : operand.elements)
    resolved &= resolve(element);
  if (operand.address)
    for (Operand &more : operand.address->more)
      resolved &= resolve(more);
  if (operand.kind != Operand::Kind::name || operand.integer >= 0)
    return resolved;
  const auto entity = context.names.findHere(operand.text);
  if (!entity)
    return false;
  operand.integer = entity->index;
  if (entity->kind == Entity::Kind::label)
    operand.kind = Operand::Kind::label;
  else if (entity->kind != Entity::Kind::targets)
    cursor.fail(operand.position,
                "'" + operand.text + "' is used before it is declared");
  return true;
}

bool BodyParser::resolveList(uint32_t index) {
  bool resolved = true;
  for (size_t i = 0; i < listNames[index].size(); ++i) {
    Token &name = listNames[index][i];
    if (name.text.empty())
      continue;
    const auto entity = context.names.findHere(name.text);
    if (!entity) {
      resolved = false;
      continue;
    }
    if (entity->kind != Entity::Kind::label)
      cursor.fail(name.position,
                  "'" + std::string(name.text) + "' is not a label");
    function.targets[index].labels[i] = entity->index;
    name.text = {};
  }
  return resolved;
}

namespace {

// The first name in the operand that is not resolved.
const Operand *findUnresolved(const Operand &operand) {
  if (operand.kind == Operand::Kind::name && operand.integer < 0)
    return &operand;
  for (const Operand &element : operand.elements)
    if (const Operand *found = findUnresolved(element))
      return found;
  if (operand.address)
    for (const Operand &more : operand.address->more)
      if (const Operand *found = findUnresolved(more))
        return found;
  return nullptr;
}

} // namespace

void BodyParser::failUnresolved(const Waiting &user) const {
  if (user.isList)
    for (const Token &name : listNames[user.index])
      if (!name.text.empty())
        cursor.fail(name.position,
                    "label '" + std::string(name.text) + "' is not declared");
  const Instruction &instruction = function.body[user.index];
  const bool isBranch = operandSyntax(instruction.opcode).namesLabel;
  for (const Operand &operand : instruction.operands)
    if (const Operand *name = findUnresolved(operand))
      cursor.fail(name->position, (isBranch ? "label '" : "'") + name->text +
                                      "' is not declared" +
                                      (isBranch ? " in this scope" : ""));
}

} // namespace ashlar::sim::ptx
