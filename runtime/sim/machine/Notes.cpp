#include "runtime/sim/machine/Notes.h"

#include <sstream>

namespace ashlar::sim {

Notes::Notes(const ptx::Module &module, const ptx::Function &function) {
  const auto index = static_cast<int>(&function - module.functions.data());
  for (const ptx::Note &note : module.notes) {
    if (note.function != index && note.function != -1)
      continue;
    std::istringstream words(note.text);
    std::string kind;
    words >> kind;
    if (kind == "role") {
      Role role;
      std::string warps;
      if (words >> role.name >> warps >> role.first >> role.count)
        roles.push_back(std::move(role));
    } else if (kind == "shared") {
      Stretch stretch;
      if (words >> stretch.offset >> stretch.sizeBytes >> std::ws)
        std::getline(words, stretch.name);
      if (!stretch.name.empty())
        stretches.push_back(std::move(stretch));
    }
  }
}

std::string Notes::roleOf(uint32_t warp) const {
  for (const Role &role : roles)
    if (warp >= role.first && warp - role.first < role.count)
      return role.name;
  return "";
}

std::string Notes::describeShared(uint64_t offset) const {
  for (const Stretch &stretch : stretches)
    if (offset >= stretch.offset && offset - stretch.offset < stretch.sizeBytes)
      return stretch.name;
  return "";
}

} // namespace ashlar::sim
