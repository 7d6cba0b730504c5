// The PTX leads back to the author's lines, at no cost in machine code.

#include "ashlar/ashlar.h"
#include "ashlar/compile.h"

#include "llvm/Object/ObjectFile.h"

#include <gtest/gtest.h>

#include <source_location>

namespace ashlar {
namespace {

constexpr uint32_t firstLine = std::source_location::current().line();
Kernel gemm() {
  return kernel("gemm", [] {
    Size M = size("M"), N = size("N"), K = size("K");
    Tensor A = input("A", bf16, {M, K}), B = input("B", bf16, {N, K});
    Tensor D = output("D", bf16, {M, N});
    TileLoop tiles = persistent({M, N}, {64, 64});
    Pipeline ring = pipeline(2, smem(bf16, {64, 64}), smem(bf16, {64, 64}));
    role("load", warps(1), [&] {
      for (auto [m, n] : tiles)
        for (Index k : range(ceil_div(K, 64))) {
          Stage s = ring.acquire(); // line 11 from firstLine
          copy(A.tile({m, k}), s[0]);
          copy(B.tile({n, k}), s[1]);
          ring.commit(s);
        }
    });
    role("math", warpgroups(1), [&] {
      for (auto [m, n] : tiles) {
        Fragment acc = zeros(f32, {64, 64});
        for (Index k : range(ceil_div(K, 64))) {
          Stage s = ring.wait(); // line 21
          acc = mma(s[0], s[1].T(), acc);
          ring.release(s);
        }
        store(D.tile({m, n}), convert(acc, bf16));
      }
    });
  });
}

/// Whether the instruction stands behind a `.loc` of that line, counted from
/// `firstLine`, and before the next one.
bool leadsFrom(const std::string &ptx, const char *instruction, uint32_t line) {
  std::string loc = ".loc\t1 " + std::to_string(firstLine + line) + " ";
  for (size_t at = ptx.find(loc); at != std::string::npos;
       at = ptx.find(loc, at + 1)) {
    size_t end = ptx.find(".loc", at + 1);
    if (ptx.substr(at, end - at).find(instruction) != std::string::npos)
      return true;
  }
  return false;
}

std::string machineCode(const Artifact &artifact) {
  llvm::StringRef bytes(reinterpret_cast<const char *>(artifact.cubin.data()),
                        artifact.cubin.size());
  auto object = llvm::cantFail(llvm::object::ObjectFile::createObjectFile(
      llvm::MemoryBufferRef(bytes, "cubin")));
  for (llvm::object::SectionRef section : object->sections())
    if (llvm::cantFail(section.getName()) == ".text." + artifact.name)
      return llvm::cantFail(section.getContents()).str();
  return "";
}

TEST(SourceLines, LeadFromEachPtxInstructionToTheAuthorsLine) {
  CompileOptions options;
  options.assemble = false;
  std::string ptx = compile(gemm(), options).artifact.ptx;
  EXPECT_TRUE(leadsFrom(ptx, "mbarrier.try_wait", 11));
  EXPECT_TRUE(leadsFrom(ptx, "mbarrier.expect_tx", 12));
  EXPECT_TRUE(leadsFrom(ptx, "cp.async.bulk.tensor", 12));
  EXPECT_TRUE(leadsFrom(ptx, "cp.async.bulk.tensor", 13));
  EXPECT_TRUE(leadsFrom(ptx, "mbarrier.arrive", 14));
  EXPECT_TRUE(leadsFrom(ptx, "mbarrier.try_wait", 21));
  EXPECT_TRUE(leadsFrom(ptx, "wgmma.mma_async", 22));
  EXPECT_TRUE(leadsFrom(ptx, "wgmma.wait_group", 23)); // for the release
  EXPECT_TRUE(leadsFrom(ptx, "mbarrier.arrive", 23));
  EXPECT_TRUE(leadsFrom(ptx, "st.global", 25));
  EXPECT_FALSE(leadsFrom(ptx, "wgmma.mma_async", 11));
}

TEST(SourceLines, AreNamedInComments) {
  CompileOptions options;
  options.assemble = false;
  std::string ptx = compile(gemm(), options).artifact.ptx;
  EXPECT_NE(ptx.find("// acquire, SourceLinesTest.cpp:" +
                     std::to_string(firstLine + 11)),
            std::string::npos);
}

TEST(SourceLines, DoNotChangeTheMachineCode) {
  CompileOptions with, without;
  without.source_lines = false;
  Artifact a = compile(gemm(), with).artifact;
  Artifact b = compile(gemm(), without).artifact;
  EXPECT_NE(a.ptx, b.ptx);
  EXPECT_FALSE(machineCode(a).empty());
  EXPECT_EQ(machineCode(a), machineCode(b));
}

} // namespace
} // namespace ashlar
