#include "runtime/sim/instructions/Modifiers.h"

namespace ashlar::sim {

bool Modifiers::take(std::string_view name) {
  if (empty() || rest[at] != name)
    return false;
  ++at;
  return true;
}

int Modifiers::takeOneOf(std::initializer_list<std::string_view> names) {
  int index = 0;
  for (std::string_view name : names) {
    if (take(name))
      return index;
    ++index;
  }
  return -1;
}

std::optional<ptx::Type> Modifiers::takeType() {
  if (empty())
    return std::nullopt;
  auto type = ptx::typeNamed(rest[at]);
  if (type)
    ++at;
  return type;
}

} // namespace ashlar::sim
