// Fuzzes the PTX parser: any text is parsed or refused, and what is parsed
// refers only to what there is.
#include "runtime/sim/ptx/Module.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace {

namespace ptx = ashlar::sim::ptx;
using Kind = ptx::Operand::Kind;

void require(bool holds) {
  if (!holds)
    std::abort();
}

struct Checker {
  const ptx::Module &module;
  const ptx::Function *function = nullptr;

  void check(const ptx::RegisterUse &use) const {
    require(use.index < function->registers.size());
    require(use.component < function->registers[use.index].vector);
  }

  void check(const ptx::SymbolUse &use) const {
    using Symbol = ptx::SymbolUse::Kind;
    const size_t count =
        use.kind == Symbol::moduleVariable     ? module.variables.size()
        : use.kind == Symbol::function         ? module.functions.size()
        : use.kind == Symbol::functionVariable ? function->variables.size()
        : use.kind == Symbol::parameter        ? function->parameters.size()
                                               : function->results.size();
    require(use.index < count);
  }

  void check(const ptx::Variable &variable) const {
    require(variable.image.empty() ||
            variable.image.size() == variable.sizeBytes());
    for (const auto &address : variable.addresses) {
      check(address.symbol);
      require(address.offset + address.sizeBytes <= variable.image.size());
    }
  }

  void check(const ptx::Operand &operand) const {
    const auto index = static_cast<uint64_t>(operand.integer);
    if (operand.kind == Kind::registerUse)
      check(operand.registerUse);
    if (operand.kind == Kind::symbol)
      check(operand.symbol);
    if (operand.kind == Kind::label)
      require(index < function->labels.size());
    if (operand.kind == Kind::name)
      require(index < function->targets.size());
    require((operand.kind == Kind::address) == (operand.address != nullptr));
    for (const ptx::Operand &element : operand.elements)
      check(element);
    if (!operand.address)
      return;
    if (operand.address->base)
      check(*operand.address->base);
    if (operand.address->symbol)
      check(*operand.address->symbol);
    for (const ptx::Operand &more : operand.address->more)
      check(more);
  }

  void checkFunction() const {
    for (const ptx::Instruction &instruction : function->body) {
      if (instruction.guard)
        check(instruction.guard->predicate);
      for (const ptx::Operand &operand : instruction.operands)
        check(operand);
    }
    for (const ptx::Variable &variable : function->variables)
      check(variable);
    for (const ptx::Label &label : function->labels)
      require(label.instruction <= function->body.size());
    for (const ptx::TargetList &list : function->targets)
      for (uint32_t label : list.labels)
        require(label < function->labels.size());
  }
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const std::string_view text(reinterpret_cast<const char *>(data), size);
  try {
    const ptx::Module module = ptx::parse(text, "fuzz");
    Checker checker{module};
    for (const ptx::Variable &variable : module.variables)
      checker.check(variable);
    for (const ptx::Function &function : module.functions) {
      checker.function = &function;
      checker.checkFunction();
    }
  } catch (const ptx::ParseError &) {
  }
  return 0;
}
