// The modifiers of an instruction: `.try_wait.parity.b64`.
#pragma once

#include "runtime/sim/ptx/Type.h"

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ashlar::sim {

/// The modifiers of an instruction, taken one after the other in the order of
/// the ISA's syntax.
class Modifiers {
public:
  Modifiers(const std::vector<std::string> &all)
      : rest(all.begin(), all.end()) {}
  /// Takes the next modifier if it is `name`.
  bool take(std::string_view name);
  /// Takes the next modifier if it is one of the names; its index, or -1.
  int takeOneOf(std::initializer_list<std::string_view> names);
  /// Takes the next modifier if it names a type.
  std::optional<ptx::Type> takeType();
  bool empty() const { return at == rest.size(); }
  std::string_view next() const { return empty() ? "" : rest[at]; }
  void skip() { ++at; }

private:
  std::vector<std::string_view> rest;
  size_t at = 0;
};

} // namespace ashlar::sim
