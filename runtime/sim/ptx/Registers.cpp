#include "runtime/sim/ptx/Declaration.h"
#include "runtime/sim/ptx/Declarator.h"

namespace ashlar::sim::ptx {

void parseRegisters(Context &context, Function &function) {
  Cursor &cursor = context.cursor;
  const Prefix prefix = parsePrefix(context);
  do {
    const Token name = cursor.expectIdentifier("the name of a register");
    const size_t first = function.registers.size();
    const Entity entity = {Entity::Kind::registerName,
                           SymbolUse::Kind::moduleVariable,
                           static_cast<uint32_t>(first), name.position};
    if (cursor.atPunctuation("<")) {
      const uint32_t count =
          parseFamilyCount(context, name, limit::functionRegisters - first);
      context.names.declareFamily(name.text, entity, count);
      function.registers.reserve(first + count);
      for (uint32_t i = 0; i < count; ++i)
        function.registers.push_back(
            {memberName(name, i), prefix.type, prefix.vector});
    } else {
      context.requireNew(name, "register");
      context.names.declare(name.text, entity);
      function.registers.push_back(
          {std::string(name.text), prefix.type, prefix.vector});
    }
  } while (cursor.accept(","));
  cursor.expect(";", "after the declaration");
}

} // namespace ashlar::sim::ptx
