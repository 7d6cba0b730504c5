#include "FakeDriver.h"
#include "Throws.h"
#include "test/Cubin.h"

#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <unistd.h>

namespace ashlar::test {
namespace {

Artifact artifactWithCubin() {
  Artifact artifact = gemmArtifact();
  artifact.cubin = cubinOf("gemm", 300, std::byte(0xa5));
  return artifact;
}

/// Repairs the checksum, so that damage is seen by what is behind it.
void seal(std::vector<std::byte> &bytes) {
  uint64_t hash = 0xcbf29ce484222325;
  for (size_t i = 32; i < bytes.size(); ++i)
    hash = (hash ^ std::to_integer<uint64_t>(bytes[i])) * 0x100000001b3;
  for (size_t i = 0; i < 8; ++i)
    bytes[24 + i] = static_cast<std::byte>(hash >> (8 * i));
}

std::filesystem::path temporaryFile(const char *name) {
  return std::filesystem::path(testing::TempDir()) /
         (std::to_string(getpid()) + name);
}

TEST(ArtifactFile, HoldsEverything) {
  Artifact artifact = artifactWithCubin();
  EXPECT_EQ(deserialize(serialize(artifact)), artifact);
  artifact.programmaticLaunch = true;
  artifact.grid.ctasPerSm = 4;
  artifact.tensors[0].type = s4;
  EXPECT_EQ(deserialize(serialize(artifact)), artifact);
  EXPECT_NE(artifact, artifactWithCubin());
}

TEST(ArtifactFile, HoldsTextThatIsNotUnicode) {
  Artifact artifact = gemmArtifact();
  artifact.where.file = "\xff\xfe/gemm.cpp";
  EXPECT_EQ(deserialize(serialize(artifact)), artifact);
}

TEST(ArtifactFile, IsTheSameForTheSameArtifact) {
  EXPECT_EQ(serialize(artifactWithCubin()), serialize(artifactWithCubin()));
}

TEST(ArtifactFile, SurvivesTheDisk) {
  std::filesystem::path path = temporaryFile("survives.ashlar");
  save(artifactWithCubin(), path);
  EXPECT_EQ(load(path), artifactWithCubin());
  std::filesystem::remove(path);
}

TEST(ArtifactFile, IsRefusedWhereverItIsCut) {
  const std::vector<std::byte> whole = serialize(artifactWithCubin());
  for (size_t length = 0; length < whole.size(); ++length) {
    // A copy of exactly this length, so that a read past its end is caught.
    std::vector<std::byte> cut(whole.begin(), whole.begin() + length);
    EXPECT_THROW(deserialize(cut), Error) << length;
  }
}

TEST(ArtifactFile, IsRefusedWhenLonger) {
  std::vector<std::byte> bytes = serialize(artifactWithCubin());
  bytes.push_back(std::byte(0));
  expectError([&] { deserialize(bytes); }, {"cut or added to"});
}

TEST(ArtifactFile, IsRefusedWhenAnyByteChanges) {
  const std::vector<std::byte> whole = serialize(artifactWithCubin());
  std::mt19937 random(1);
  for (size_t i = 0; i < whole.size(); ++i) {
    std::vector<std::byte> damaged = whole;
    damaged[i] ^= static_cast<std::byte>(1 + random() % 255);
    EXPECT_THROW(deserialize(damaged), Error) << i;
  }
}

TEST(ArtifactFile, IsNeverMoreThanRefusedWhenDamageHasAGoodChecksum) {
  const std::vector<std::byte> whole = serialize(artifactWithCubin());
  std::mt19937 random(2);
  int refused = 0;
  for (int i = 0; i < 5000; ++i) {
    std::vector<std::byte> damaged = whole;
    for (unsigned n = 1 + random() % 4; n > 0; --n)
      damaged[32 + random() % (damaged.size() - 32)] =
          static_cast<std::byte>(random());
    seal(damaged);
    try {
      deserialize(damaged);
    } catch (const Error &) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 1000);
}

/// The file of a document that was made by other means.
std::vector<std::byte> sealed(const std::vector<uint8_t> &payload) {
  std::vector<std::byte> bytes = serialize(gemmArtifact());
  bytes.resize(32);
  for (uint8_t byte : payload)
    bytes.push_back(std::byte(byte));
  for (size_t i = 0; i < 8; ++i)
    bytes[16 + i] = static_cast<std::byte>(payload.size() >> (8 * i));
  seal(bytes);
  return bytes;
}

TEST(ArtifactFile, ThatIsNestedDeeplyIsRefused) {
  expectError([] { deserialize(sealed(std::vector<uint8_t>(8 << 20, 0x81))); },
              {"not well formed", "compile the kernel again"});
}

TEST(ArtifactFile, ThatHoldsAnythingElseIsRefused) {
  using nlohmann::json;
  const std::vector<std::byte> whole = serialize(gemmArtifact());
  auto *first = reinterpret_cast<const uint8_t *>(whole.data()) + 32;
  const json document = json::from_cbor(first, first + whole.size() - 32);
  const std::pair<const char *, json> changes[] = {
      {"/threads", 384.0},
      {"/threads", (1ll << 32) + 384},
      {"/threads", true},
      {"/threads", "384"},
      {"/threads", nullptr},
      {"/unknown", 1},
      {"/where/line", -1},
      {"/parameters/0/kind", 5},
      {"/bounds/0/index/0/kind", 10},
      {"/tensors/0/type", 1000},
      {"/grid/persistent", 1},
      {"/tensors/0/extents/0", {0}},
      {"/name", json::array()},
      {"/cubin", "text"},
      {"/resources", json::object()},
  };
  for (const auto &[path, value] : changes) {
    json changed = document;
    changed[json::json_pointer(path)] = value;
    expectError([&] { deserialize(sealed(json::to_cbor(changed))); },
                {"the artifact ", "compile the kernel again"});
  }
  EXPECT_EQ(deserialize(sealed(json::to_cbor(document))), gemmArtifact());
}

TEST(ArtifactFile, ThatContradictsItselfIsRefused) {
  Artifact artifact = gemmArtifact();
  artifact.parameters[0].index = 3;
  expectError([&] { deserialize(serialize(artifact)); },
              {"contradicts itself", "size 3 of 3"});
}

TEST(ArtifactFile, ThatHasMoreBlocksToAnSmThanFitIsRefused) {
  Artifact artifact = gemmArtifact();
  for (int64_t most : {1, 32}) {
    artifact.grid.ctasPerSm = most;
    EXPECT_EQ(deserialize(serialize(artifact)), artifact);
  }
  for (int64_t wrong : {0, 33}) {
    artifact.grid.ctasPerSm = wrong;
    expectError([&] { deserialize(serialize(artifact)); },
                {"contradicts itself", wrong ? "it has 33 blocks to a "
                                               "multiprocessor"
                                             : "it has 0 blocks"});
  }
}

TEST(ArtifactFile, ThatIsTooLargeIsNotRead) {
  std::filesystem::path path = temporaryFile("large.ashlar");
  std::ofstream(path) << "text";
  std::filesystem::resize_file(path, 1ll << 40);
  expectError([&] { load(path); }, {"1099511627776 bytes; the limit is"});
  std::filesystem::remove(path);
}

TEST(ArtifactFile, OfAnotherVersionIsNamedSo) {
  std::vector<std::byte> bytes = serialize(gemmArtifact());
  bytes[8] = std::byte(99);
  expectError([&] { deserialize(bytes); },
              {"format version 99", "compile the kernel again"});
}

TEST(ArtifactFile, ThatIsSomethingElseIsNamedSo) {
  std::vector<std::byte> bytes(100, std::byte('x'));
  expectError([&] { deserialize(bytes); }, {"not an Ashlar artifact"});
}

TEST(ArtifactFile, ThatDoesNotLoadIsNamed) {
  expectError([] { load("/nowhere/gemm.ashlar"); },
              {"'/nowhere/gemm.ashlar' can't be read", "No such file"});
  expectError([] { load(testing::TempDir()); }, {"can't be read"});
  expectError([] { save(gemmArtifact(), "/nowhere/gemm.ashlar"); },
              {"'/nowhere/gemm.ashlar' can't be written", "No such file"});
  std::filesystem::path path = temporaryFile("text.ashlar");
  std::ofstream(path) << "text";
  expectError([&] { load(path); }, {"text.ashlar'", "not an Ashlar artifact"});
  std::filesystem::remove(path);
}

} // namespace
} // namespace ashlar::test
