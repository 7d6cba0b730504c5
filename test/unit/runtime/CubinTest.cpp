#include "runtime/Cubin.h"
#include "test/Cubin.h"

#include <gtest/gtest.h>

#include <random>

namespace ashlar::test {
namespace {

/// As `cubinOf` makes it, but with a changed header.
template <typename Change> std::string whyNot(Change change) {
  std::vector<std::byte> bytes = cubinOf("gemm");
  change(*reinterpret_cast<Elf64_Ehdr *>(bytes.data()),
         reinterpret_cast<Elf64_Shdr *>(bytes.data() + sizeof(Elf64_Ehdr)));
  return whyNoCubin(bytes, "gemm");
}

TEST(Cubin, HoldsTheKernel) {
  EXPECT_EQ(whyNoCubin(cubinOf("gemm"), "gemm"), "");
  EXPECT_EQ(whyNoCubin(cubinOf("gemm"), "gem"), "has no code of kernel 'gem'");
  EXPECT_EQ(whyNoCubin(cubinOf("gemm", 0), "gemm"),
            "has no code of kernel 'gemm'");
}

TEST(Cubin, IsForTheGpu) {
  EXPECT_EQ(whyNot([](auto &header, auto) { header.e_flags = 100 << 8; }),
            "is for compute capability 10.0; the kernel is for 9.0");
  EXPECT_EQ(whyNot([](auto &header, auto) {
              header.e_ident[EI_ABIVERSION] = 7; // CUDA 12
              header.e_flags = 0x0d5a;
            }),
            "");
  EXPECT_EQ(whyNot([](auto &header, auto) { header.e_machine = EM_X86_64; }),
            "is an ELF file for machine 62; a GPU is 190");
}

TEST(Cubin, LiesWithinItsFile) {
  const std::vector<std::byte> whole = cubinOf("gemm");
  for (size_t length = 0; length < whole.size(); ++length) {
    // A copy of exactly this length, so that a read past its end is caught.
    std::vector<std::byte> cut(whole.begin(), whole.begin() + length);
    EXPECT_NE(whyNoCubin(cut, "gemm"), "") << length;
  }
  for (uint64_t far : {uint64_t(1) << 20, ~uint64_t(0), ~uint64_t(0) - 15}) {
    EXPECT_NE(whyNot([=](auto &header, auto) { header.e_shoff = far; }), "");
    EXPECT_NE(whyNot([=](auto &, auto section) { section[1].sh_size = far; }),
              "");
    EXPECT_NE(whyNot([=](auto &, auto section) { section[2].sh_offset = far; }),
              "");
    EXPECT_NE(whyNot([=](auto &header, auto) {
                header.e_phnum = 1;
                header.e_phentsize = sizeof(Elf64_Phdr);
                header.e_phoff = far;
              }),
              "");
  }
}

TEST(Cubin, OfRandomBytesIsNeverMoreThanRefused) {
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {
    std::vector<std::byte> bytes = cubinOf("gemm");
    for (unsigned n = 1 + random() % 4; n > 0; --n)
      bytes[random() % bytes.size()] = static_cast<std::byte>(random());
    whyNoCubin(bytes, "gemm");
  }
}

} // namespace
} // namespace ashlar::test
