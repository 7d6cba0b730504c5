#include "runtime/sim/machine/Notes.h"

#include <charconv>
#include <sstream>

namespace ashlar::sim {

namespace {

bool readRing(std::istream &words, Notes::Ring &ring) {
  std::string memory, full, empty;
  return (words >> ring.stages >> memory >> ring.offset >> ring.stageBytes >>
          full >> ring.full >> empty >> ring.empty) &&
         memory == "memory" && full == "full" && empty == "empty";
}

/// The number in a text of nothing but digits.
bool readNumber(const std::string &text, uint64_t &value) {
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

bool readTensor(std::istream &words, Notes::Tensor &tensor) {
  using Kind = Notes::Tensor::Stride::Kind;
  std::string parameter, strides, text;
  if (!(words >> tensor.name >> tensor.elementBytes >> parameter >>
        tensor.parameter) ||
      tensor.elementBytes == 0)
    return false;
  tensor.isMap = parameter == "map";
  if (tensor.isMap)
    return true;
  if (parameter != "pointer" || !(words >> strides) || strides != "strides")
    return false;
  while (words >> text) {
    Notes::Tensor::Stride stride;
    if (text != "?") {
      const bool isParameter = text[0] == 'p';
      stride.kind = isParameter ? Kind::parameter : Kind::constant;
      if (!readNumber(text.substr(isParameter), stride.value))
        return false;
    }
    tensor.strides.push_back(stride);
  }
  return true;
}

} // namespace

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
    } else if (kind == "ring") {
      if (Ring ring; readRing(words, ring))
        rings.push_back(ring);
    } else if (kind == "tensor") {
      if (Tensor tensor; readTensor(words, tensor))
        tensors.push_back(std::move(tensor));
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
