// The artifact's file: a header of magic, version, length and checksum, then
// the artifact as CBOR (RFC 8949).
#include "ashlar/artifact.h"

#include "runtime/CheckCbor.h"
#include "runtime/Files.h"
#include "runtime/Text.h"
#include "runtime/VerifyArtifact.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstring>

namespace ashlar {

using nlohmann::json;

static void to_json(json &out, ElementType type) {
  out = static_cast<int>(type);
}
static void from_json(const json &in, ElementType &type) {
  int value = in.get<int>();
  if (value < 0 || value >= elementTypeCount)
    throw Error(concat("the artifact has an element type ", value,
                       " that does not exist: compile the kernel again"));
  type = static_cast<ElementType>(value);
}

static void to_json(json &out, Parameter::Kind kind) {
  out = static_cast<int>(kind);
}
static void from_json(const json &in, Parameter::Kind &kind) {
  int value = in.get<int>();
  if (value < 0 || value > static_cast<int>(Parameter::Kind::tensorMap))
    throw Error(concat("the artifact has a parameter kind ", value,
                       " that does not exist: compile the kernel again"));
  kind = static_cast<Parameter::Kind>(value);
}

static void to_json(json &out, Term::Kind kind) {
  out = static_cast<int>(kind);
}
static void from_json(const json &in, Term::Kind &kind) {
  int value = in.get<int>();
  if (value < 0 || value > static_cast<int>(Term::Kind::maximum))
    throw Error(concat("the artifact has a term of kind ", value,
                       " that does not exist: compile the kernel again"));
  kind = static_cast<Term::Kind>(value);
}

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SourceLine, file, line, column)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Extent, size, constant)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TensorContract, name, type, extents, read,
                                   written, reread, alignmentBytes, where)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ScalarContract, name, type, where)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TensorMapRecipe, tensor, box, swizzleBytes,
                                   step)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Parameter, kind, index, dimension, tensorMap)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TileSpace, extents, tile, persistent)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(GridRule, spaces, cluster, ctasPerSm)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Term, kind, value)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Bound, index, most, where, sentence)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Resources, registers, spillStoreBytes,
                                   spillLoadBytes, stackBytes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RoleInfo, name, firstWarp, warps, registers)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PipelineInfo, stages, stageBytes, where)

// Everything but the cubin, which is binary.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Artifact, name, target, ptx, sizes, tensors,
                                   scalars, parameters, grid, bounds, threads,
                                   sharedBytes, programmaticLaunch, resources,
                                   roles, pipelines, where)

namespace {

constexpr std::array<char, 8> magic = {'A', 's', 'h',  'l',
                                       'a', 'r', '\n', '\0'};
constexpr uint64_t formatVersion = 8;
constexpr size_t headerBytes = 32;
/// Kernels have some 100 KB.
constexpr size_t mostBytes = size_t(64) << 20;
constexpr const char *notWellFormed =
    "the artifact is not well formed, though its checksum is right: it was "
    "made by another program; compile the kernel again";

uint64_t readNumber(std::span<const std::byte> bytes) {
  uint64_t value = 0;
  for (size_t i = 0; i < 8; ++i)
    value |= std::to_integer<uint64_t>(bytes[i]) << (8 * i);
  return value;
}

void writeNumber(std::vector<std::byte> &out, uint64_t value) {
  for (int i = 0; i < 8; ++i)
    out.push_back(static_cast<std::byte>(value >> (8 * i)));
}

// FNV-1a: each step is a bijection, so no single changed byte goes unnoticed.
uint64_t checksum(std::span<const std::byte> bytes) {
  uint64_t hash = 0xcbf29ce484222325;
  for (std::byte byte : bytes)
    hash = (hash ^ std::to_integer<uint64_t>(byte)) * 0x100000001b3;
  return hash;
}

std::span<const std::byte> checkedPayload(std::span<const std::byte> bytes) {
  if (bytes.size() < headerBytes ||
      std::memcmp(bytes.data(), magic.data(), magic.size()) != 0)
    throw Error(
        "these bytes are not an Ashlar artifact: compile the kernel again");
  if (uint64_t version = readNumber(bytes.subspan(8)); version != formatVersion)
    throw Error(concat("the artifact has format version ", version,
                       "; this runtime reads ", formatVersion,
                       ": compile the kernel again"));
  std::span<const std::byte> payload = bytes.subspan(headerBytes);
  if (uint64_t length = readNumber(bytes.subspan(16)); length != payload.size())
    throw Error(concat("the artifact should have ", length,
                       " bytes after its header and has ", payload.size(),
                       ": it was cut or added to; compile the kernel again"));
  if (readNumber(bytes.subspan(24)) != checksum(payload))
    throw Error("the artifact is damaged (its checksum does not match): "
                "compile the kernel again");
  return payload;
}

} // namespace

std::vector<std::byte> serialize(const Artifact &artifact) {
  json document = artifact;
  auto *cubin = reinterpret_cast<const uint8_t *>(artifact.cubin.data());
  document["cubin"] = json::binary({cubin, cubin + artifact.cubin.size()});
  std::vector<uint8_t> payload = json::to_cbor(document);
  std::span<const std::byte> payloadBytes = std::as_bytes(std::span(payload));

  std::vector<std::byte> out;
  out.reserve(headerBytes + payload.size());
  for (char c : magic)
    out.push_back(static_cast<std::byte>(c));
  writeNumber(out, formatVersion);
  writeNumber(out, payload.size());
  writeNumber(out, checksum(payloadBytes));
  out.insert(out.end(), payloadBytes.begin(), payloadBytes.end());
  return out;
}

namespace {

Artifact parse(std::span<const std::byte> payload) {
  try {
    auto *first = reinterpret_cast<const uint8_t *>(payload.data());
    json document = json::from_cbor(first, first + payload.size());
    Artifact artifact = document.get<Artifact>();
    const json::binary_t &cubin = document.at("cubin").get_binary();
    std::span<const std::byte> code = std::as_bytes(std::span(cubin));
    artifact.cubin.assign(code.begin(), code.end());
    return artifact;
  } catch (const json::exception &) {
    throw Error(notWellFormed);
  }
}

} // namespace

Artifact deserialize(std::span<const std::byte> bytes) {
  std::span<const std::byte> payload = checkedPayload(bytes);
  if (!isModestCbor(payload))
    throw Error(notWellFormed);
  Artifact artifact = parse(payload);
  // Numbers that do not fit their fields, fields that there are not: each
  // artifact has one form.
  if (!std::ranges::equal(serialize(artifact), bytes))
    throw Error(notWellFormed);
  verifyArtifact(artifact);
  return artifact;
}

void save(const Artifact &artifact, const std::filesystem::path &path) {
  if (std::string whyNot = writeFileAtomically(path, serialize(artifact));
      !whyNot.empty())
    throw Error(concat("'", path.string(), "' can't be written: ", whyNot));
}

Artifact load(const std::filesystem::path &path) {
  std::vector<std::byte> bytes;
  if (std::string whyNot = readFile(path, bytes, mostBytes); !whyNot.empty())
    throw Error(concat("'", path.string(), "' can't be read: ", whyNot));
  try {
    return deserialize(bytes);
  } catch (const Error &error) {
    throw Error(concat("'", path.string(), "': ", error.what()));
  }
}

} // namespace ashlar
