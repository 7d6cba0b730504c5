#include "FakeDriver.h"
#include "Throws.h"

#include <fstream>
#include <random>
#include <unistd.h>

namespace ashlar::test {
namespace {

Artifact artifactWithCubin() {
  Artifact artifact = gemmArtifact();
  for (int i = 0; i < 300; ++i)
    artifact.cubin.push_back(static_cast<std::byte>(i));
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
  EXPECT_EQ(deserialize(serialize(Artifact())), Artifact());
  artifact.programmaticLaunch = true;
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
