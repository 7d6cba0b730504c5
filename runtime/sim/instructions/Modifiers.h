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
/// the ISA's syntax. ptxas takes most of them in any order; only types, state
/// spaces and layouts mean something by theirs. With `anyOrder` so does this.
class Modifiers {
public:
  Modifiers(const std::vector<std::string> &all, bool anyOrder)
      : rest(all.begin(), all.end()), anyOrder(anyOrder) {}
  /// Takes the next modifier if it is `name`.
  bool take(std::string_view name);
  /// Takes the next modifier if it is one of the names; its index, or -1.
  int takeOneOf(std::initializer_list<std::string_view> names);
  /// Takes the next modifier if it names a type.
  std::optional<ptx::Type> takeType();
  /// Takes the next modifier if `isMeant` says so; the modifier, or "".
  template <class IsMeant> std::string_view takeIf(const IsMeant &isMeant) {
    for (size_t i = 0; i < rest.size() && (i == 0 || anyOrder); ++i)
      if (isMeant(rest[i]) && mayStandFirst(i)) {
        const std::string_view taken = rest[i];
        rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
        return taken;
      }
    return "";
  }
  bool empty() const { return rest.empty(); }
  std::string_view next() const { return empty() ? "" : rest.front(); }
  void skip() { rest.erase(rest.begin()); }

private:
  bool mayStandFirst(size_t index) const;

  std::vector<std::string_view> rest;
  bool anyOrder;
};

} // namespace ashlar::sim
