#include "runtime/sim/ptx/OperandSyntax.h"

#include <utility>

namespace ashlar::sim::ptx {

namespace {

constexpr std::pair<std::string_view, OperandSyntax> rows[] = {
    {"bra", {.namesLabel = true}},
    {"call", {.hasLists = true}},
    {"cvta", {.elementIsAddress = true}},
    {"mov", {.elementIsAddress = true}},
};

} // namespace

OperandSyntax operandSyntax(std::string_view opcode) {
  for (const auto &[name, syntax] : rows)
    if (name == opcode)
      return syntax;
  return {};
}

} // namespace ashlar::sim::ptx
