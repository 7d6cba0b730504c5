// The predefined identifiers (PTX ISA, section 10: special registers).
#pragma once

#include "runtime/sim/ptx/Type.h"

#include <cstdint>
#include <string_view>

namespace ashlar::sim::ptx {

/// What a special register tells.
enum class SpecialRegister : uint8_t {
  // clang-format off
  // Fixed while a thread lives: Warp::specialValue.
  tid, ntid, ctaid, nctaid, clusterid, nclusterid, clusterCtaid, clusterNctaid,
  clusterCtarank, clusterNctarank, isExplicitCluster,
  laneid, warpid, nwarpid, smid, nsmid, gridid,
  lanemaskEq, lanemaskLe, lanemaskLt, lanemaskGe, lanemaskGt,
  totalSmemSize, dynamicSmemSize, aggrSmemSize, reservedSmemBegin,
  // The time, and its upper 32 bits: read by mov alone, when it executes.
  time, timeHigh,
  // Of no meaning in the simulator, which refuses to read it.
  notSimulated,
  // clang-format on
};

/// A special register, or some of them by number: a row of the one table that
/// the parser, the decoders and the machine ask.
struct Special {
  std::string_view name;
  SpecialRegister which;
  Type type = Type::u32;
  /// It has the components .x .y .z .w; the machine knows the first three.
  bool isVector = false;
  /// "%envreg0" to "%envreg31" where it is 32; with "_64" behind the number
  /// where there is a suffix.
  int count = 0;
  std::string_view suffix = "";

  bool isFixed() const { return which < SpecialRegister::time; }
  bool isTime() const {
    return which == SpecialRegister::time || which == SpecialRegister::timeHigh;
  }
};

/// "%laneid", "%tid", "%envreg3"; null when there is none of this name.
const Special *specialNamed(std::string_view name);

} // namespace ashlar::sim::ptx
