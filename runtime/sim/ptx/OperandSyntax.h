// What the grammar of an instruction's operands takes from its opcode. The
// parser knows nothing else of opcodes.
#pragma once

#include <string_view>

namespace ashlar::sim::ptx {

struct OperandSyntax {
  /// `( ... )` is a list of arguments or results, not a constant.
  bool hasLists = false;
  /// An array element `a[1]` is its address, not its value in memory.
  bool elementIsAddress = false;
  /// A name that is nothing else is a label.
  bool namesLabel = false;
};

OperandSyntax operandSyntax(std::string_view opcode);

} // namespace ashlar::sim::ptx
