#include "runtime/sim/tool/Description.h"

#include "runtime/sim/tool/Json.h"
#include "runtime/sim/tool/ReadArguments.h"
#include "runtime/sim/tool/ReadBuffers.h"

#include <fstream>
#include <iterator>
#include <limits>
#include <unistd.h>

namespace ashlar::sim::tool {
namespace {

ptx::Dimensions dimensions(const Value &value) {
  constexpr uint64_t most = std::numeric_limits<uint32_t>::max();
  if (value.isNumber())
    return {static_cast<uint32_t>(value.unsignedInteger(1, most)), 1, 1};
  std::vector<uint64_t> extents = value.integers(1, 3, 1, most);
  extents.resize(3, 1);
  return {static_cast<uint32_t>(extents[0]), static_cast<uint32_t>(extents[1]),
          static_cast<uint32_t>(extents[2])};
}

} // namespace

size_t Argument::sizeBytes() const {
  if (const auto *bytes = std::get_if<std::vector<uint8_t>>(&value))
    return bytes->size();
  return std::holds_alternative<PointerArgument>(value) ? sizeof(uint64_t)
                                                        : tensorMapBytes;
}

std::vector<uint8_t> readFile(const std::string &path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    throw InputError("'" + path + "' is a folder");
  if (std::filesystem::is_character_file(path, error)) // perhaps without end
    throw InputError("'" + path + "' is a device");
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw InputError("'" + path + "' can't be read");
  return {std::istreambuf_iterator<char>(file),
          std::istreambuf_iterator<char>()};
}

Description readDescription(const std::string &path) {
  // More than the host has would end the process, not the allocation.
  const uint64_t hostBytes = static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                             static_cast<uint64_t>(sysconf(_SC_PAGE_SIZE));
  return parseDescription(readFile(path), path, hostBytes);
}

Description parseDescription(const std::vector<uint8_t> &text,
                             const std::string &path, uint64_t maxBytes) {
  const nlohmann::json json = parseJson(text, path);
  const std::filesystem::path folder =
      std::filesystem::path(path).parent_path();
  try {
    const Value document(json, "");
    document.expectMembers({"kernel", "grid", "block", "cluster",
                            "shared_bytes", "buffers", "arguments"});
    Description description;
    if (document.has("kernel"))
      description.kernel = document["kernel"].string();
    description.grid = dimensions(document["grid"]);
    description.block = dimensions(document["block"]);
    description.clusterGiven = document.has("cluster");
    if (description.clusterGiven)
      description.cluster = dimensions(document["cluster"]);
    if (document.has("shared_bytes"))
      description.sharedBytes = static_cast<uint32_t>(
          document["shared_bytes"].unsignedInteger(0, 1u << 30));
    if (document.has("buffers")) {
      const Value buffers = document["buffers"];
      size_t next = 0;
      if (!buffers.isObject())
        buffers.fail("is no object of buffers by their names");
      buffers.forEachMember([&](const std::string &name, const Value &value) {
        description.buffers.push_back(
            readBuffer(name, value, folder, maxBytes));
      });
      // They may lead to any buffer.
      buffers.forEachMember([&](const std::string &, const Value &value) {
        if (value.has("items"))
          readItems(value["items"], description.buffers, next);
        ++next;
      });
    }
    if (document.has("arguments")) {
      const Value arguments = document["arguments"];
      if (!arguments.isArray())
        arguments.fail("is no array");
      for (size_t i = 0; i < arguments.size(); ++i)
        description.arguments.push_back(
            readArgument(arguments.at(i), description.buffers));
    }
    return description;
  } catch (const InputError &error) {
    throw InputError(path + ": " + error.what());
  }
}

} // namespace ashlar::sim::tool
