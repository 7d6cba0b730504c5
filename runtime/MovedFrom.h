// Objects that move say so when one that was moved from is used.
#pragma once

#include "ashlar/error.h"
#include "runtime/Text.h"

#include <string_view>

namespace ashlar {

/// What an object of a class holds by a pointer; throws `Error` where it holds
/// nothing, as it was moved from.
template <typename Pointer>
auto &notMovedFrom(const Pointer &held, std::string_view name) {
  if (!held)
    throw Error(concat("this ", name,
                       " was moved from: use the one that it was moved to"));
  return *held;
}

} // namespace ashlar
