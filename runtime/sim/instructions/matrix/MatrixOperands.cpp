#include "runtime/sim/instructions/matrix/MatrixOperands.h"

#include <charconv>

namespace ashlar::sim {

namespace {

/// Reads the number behind the letter; false when it does not stand there.
bool takeExtent(std::string_view &text, char letter, unsigned &extent) {
  if (text.empty() || text.front() != letter)
    return false;
  text.remove_prefix(1);
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), extent);
  if (error != std::errc())
    return false;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return true;
}

} // namespace

MatrixShape takeShape(Decoder &decoder) {
  MatrixShape shape;
  auto isShape = [&](std::string_view text) {
    shape = {};
    return takeExtent(text, 'm', shape.m) && takeExtent(text, 'n', shape.n) &&
           (text.empty() || takeExtent(text, 'k', shape.k)) && text.empty();
  };
  if (decoder.modifiers.takeIf(isShape).empty())
    decoder.refuse("a shape like .m16n8k16 is needed instead of '." +
                   std::string(decoder.modifiers.next()) + "'");
  return shape;
}

MatrixType takeMatrixType(Decoder &decoder) {
  const std::string_view taken = decoder.modifiers.takeIf(
      [](std::string_view name) { return bool(matrixTypeNamed(name)); });
  if (taken.empty())
    decoder.refuse("'." + std::string(decoder.modifiers.next()) +
                   "' is no type of matrix elements that sm_90a has");
  return *matrixTypeNamed(taken);
}

void takeSyncAligned(Decoder &decoder) {
  if (!decoder.modifiers.take("sync") || !decoder.takeAligned())
    decoder.refuse("it needs .sync.aligned");
}

std::vector<Slot> fragment(Decoder &decoder, const ptx::Operand &operand,
                           unsigned count, bool isTarget, const char *what,
                           ptx::Type type) {
  const auto elements = decoder.elements(operand);
  if (operand.kind != ptx::Operand::Kind::vector && count != 1)
    decoder.refuse(std::string(what) + " must be a vector of " +
                   std::to_string(count) + " registers in braces");
  if (elements.size() != count)
    decoder.refuse(
        std::string(what) + " has " + std::to_string(elements.size()) +
        " registers; this shape and type need " + std::to_string(count));
  std::vector<Slot> slots;
  for (const ptx::Operand *element : elements) {
    if (element->kind != ptx::Operand::Kind::registerUse &&
        !(isTarget && element->kind == ptx::Operand::Kind::sink))
      decoder.refuse(std::string("an element of ") + what +
                     " is not a register");
    slots.push_back(isTarget ? decoder.target(*element, type)
                             : decoder.source(*element, type));
  }
  return slots;
}

} // namespace ashlar::sim
