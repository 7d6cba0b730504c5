#include "FatBinaryText.h"
#include "runtime/sim/driver/Image.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

using namespace ashlar;
using test::EntryKind;
using test::fatBinary;
using test::FatBinaryEntry;

namespace {

std::string ptxFor(const std::string &target) {
  return ".version 8.8\n.target " + target + "\n.address_size 64\n";
}

FatBinaryEntry ptx(const std::string &target) {
  return {EntryKind::ptx, ptxFor(target)};
}

const FatBinaryEntry cubin = {EntryKind::cubin, "\x7f"
                                                "ELF, for instance"};

/// The text, or what is wrong.
std::string findIn(const std::string &image) {
  std::string problem;
  const std::string text = sim::findPtx(image.data(), problem);
  return problem.empty() ? text : problem;
}

template <class Function>
Function *find(const char *library, const char *function) {
  void *handle = dlopen(library, RTLD_NOW);
  return handle ? reinterpret_cast<Function *>(dlsym(handle, function))
                : nullptr;
}

FatBinaryEntry compressedWithZstd(const std::string &text) {
  auto *compress = find<size_t(void *, size_t, const void *, size_t, int)>(
      "libzstd.so.1", "ZSTD_compress");
  if (!compress)
    return {};
  std::string bytes(1000 + text.size(), '\0');
  bytes.resize(
      compress(bytes.data(), bytes.size(), text.data(), text.size(), 3));
  return {EntryKind::ptx, bytes, 0x108011, text.size()};
}

FatBinaryEntry compressedWithLz4(const std::string &text) {
  auto *compress = find<int(const char *, char *, int, int)>(
      "liblz4.so.1", "LZ4_compress_default");
  if (!compress)
    return {};
  std::string bytes(1000 + text.size(), '\0');
  bytes.resize(static_cast<size_t>(compress(text.data(), bytes.data(),
                                            static_cast<int>(text.size()),
                                            static_cast<int>(bytes.size()))));
  return {EntryKind::ptx, bytes, 0x102011, text.size()};
}

TEST(FatBinary, HoldsPtxBehindMachineCode) {
  EXPECT_EQ(findIn(fatBinary(cubin, ptx("sm_90a"))), ptxFor("sm_90a"));
}

TEST(FatBinary, IsFoundThroughItsWrapper) {
  const std::string binary = fatBinary(ptx("sm_90a"));
  const test::FatBinaryWrapper wrapper = {.binary = binary.data()};
  std::string problem;
  EXPECT_EQ(sim::findPtx(&wrapper, problem), ptxFor("sm_90a"));
  EXPECT_EQ(problem, "");
}

TEST(FatBinary, OfLinkedKernelsSaysSo) {
  const std::string binary = fatBinary(cubin);
  const test::FatBinaryWrapper wrapper = {.version = 2,
                                          .binary = binary.data()};
  std::string problem;
  EXPECT_EQ(sim::findPtx(&wrapper, problem), "");
  EXPECT_NE(problem.find("-rdc=true"), std::string::npos) << problem;
}

TEST(FatBinary, GivesThePtxThatFitsHopperBest) {
  const FatBinaryEntry older = ptx("sm_80"), portable = ptx("sm_90"),
                       hopper = ptx("sm_90a"), blackwell = ptx("sm_100a");
  EXPECT_EQ(findIn(fatBinary(older, hopper, portable, blackwell)),
            hopper.content);
  EXPECT_EQ(findIn(fatBinary(older, portable, blackwell)), portable.content);
  EXPECT_EQ(findIn(fatBinary(ptx("sm_100"), older)), older.content);
}

TEST(FatBinary, WithoutPtxForHopperSaysHowToCompile) {
  EXPECT_NE(findIn(fatBinary(cubin)).find("code=compute_90a"),
            std::string::npos);
  EXPECT_NE(findIn(fatBinary(ptx("sm_100a"), cubin)).find("is for sm_100a"),
            std::string::npos);
  EXPECT_NE(findIn(fatBinary()).find("machine code only"), std::string::npos);
}

TEST(FatBinary, MayBeCompressed) {
  const std::string text = ptxFor("sm_90a");
  for (const FatBinaryEntry &entry :
       {compressedWithZstd(text), compressedWithLz4(text)}) {
    if (entry.content.empty())
      continue; // the library is not there
    EXPECT_EQ(findIn(fatBinary(cubin, entry)), text);
    FatBinaryEntry damaged = entry;
    damaged.content[5] = '\xff';
    damaged.content.resize(damaged.content.size() / 2);
    EXPECT_NE(findIn(fatBinary(damaged)).find("damaged"), std::string::npos);
    damaged = entry;
    damaged.decompressedBytes = uint64_t(1) << 60;
    EXPECT_NE(findIn(fatBinary(damaged)).find("damaged"), std::string::npos);
  }
}

TEST(FatBinary, WhoseEntriesDoNotFitIsDamaged) {
  constexpr size_t firstEntry = 16;
  for (auto [offset, bytes] :
       {std::pair<size_t, size_t>{4, 4}, {8, 8}}) { // sizes of header, content
    std::string binary = fatBinary(ptx("sm_90a"));
    std::memset(binary.data() + firstEntry + offset, 0xff, bytes);
    EXPECT_NE(findIn(binary).find("damaged"), std::string::npos);
  }
}

} // namespace
