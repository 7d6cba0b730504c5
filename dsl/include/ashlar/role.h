#pragma once

#include "ashlar/body.h"
#include "ashlar/location.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace ashlar {

/// How many warps run a role, and how many such groups of warps do.
struct Warps {
  int64_t count;
  int64_t instances = 1;
};
constexpr Warps warps(int64_t count) { return {count}; }
/// A warpgroup is four warps; wgmma needs whole ones.
constexpr Warps warpgroups(int64_t count) { return {4 * count}; }
/// So many warpgroups in ping-pong: the tiles of the tile loop go to them
/// round-robin, and one stores its tile while another multiplies. A shared tile
/// that the role writes exists once for each.
constexpr Warps ping_pong(int64_t warpgroups) { return {4, warpgroups}; }
/// So many groups of warps, each of which runs the whole role, but for loops
/// over `in_turns(range)`, whose iterations they share out, and tile loops
/// without such a loop, whose tiles they do. What lies outside of these, and is
/// stored or counted, is so once for each group; a shared tile that the role
/// writes exists once for each.
constexpr Warps in_turns(int64_t groups, Warps each) {
  // Their product is a number whatever is given; `role` refuses it.
  constexpr int64_t none = 0, many = int64_t(1) << 31;
  return {each.count, std::clamp(groups, none, many) *
                          std::clamp(each.instances, none, many)};
}

/// The register budget of each thread of a role: a multiple of 8 from 24 to
/// 240.
struct Registers {
  int64_t count;
};
constexpr Registers registers(int64_t count) { return {count}; }

/// Defines the program of a group of warps. Roles stand directly in the
/// kernel; variables of the kernel can be read in a role, not assigned.
void role(std::string_view name, Warps warps, detail::Body<> body,
          SourceLocation where = SourceLocation::current());
/// The same with a register budget; without one the assembler chooses.
void role(std::string_view name, Warps warps, Registers registers,
          detail::Body<> body,
          SourceLocation where = SourceLocation::current());

} // namespace ashlar
