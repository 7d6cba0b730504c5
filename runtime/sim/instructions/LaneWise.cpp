#include "runtime/sim/instructions/LaneWise.h"

#include <algorithm>

using namespace ashlar::sim;

ptx::Type ashlar::sim::expectType(Decoder &decoder,
                                  std::initializer_list<ptx::Type> allowed) {
  std::string names;
  for (ptx::Type type : allowed)
    names += " ." + std::string(ptx::name(type));
  std::string_view written = decoder.modifiers.next();
  auto type = decoder.modifiers.takeType();
  if (!type)
    decoder.refuse(written.empty()
                       ? "its type is missing; it takes one of" + names
                       : "'." + std::string(written) +
                             "' is not known here; a type is expected, one of" +
                             names);
  if (std::find(allowed.begin(), allowed.end(), *type) == allowed.end())
    decoder.refuse("type ." + std::string(written) +
                   " is not one of those it has on sm_90a:" + names);
  return *type;
}

unsigned ashlar::sim::takeFlags(Decoder &decoder,
                                std::initializer_list<std::string_view> names) {
  unsigned taken = 0;
  for (int index; (index = decoder.modifiers.takeOneOf(names)) >= 0;) {
    if (taken >> index & 1)
      decoder.refuse("'." + std::string(names.begin()[index]) +
                     "' stands in it twice");
    taken |= 1u << index;
  }
  return taken;
}
