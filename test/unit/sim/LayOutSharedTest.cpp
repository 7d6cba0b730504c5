// Which static shared memory counts for which kernel, and where the dynamic
// part begins. The places are those of ptxas 13.0.
#include "test/unit/sim/RunPtx.h"

#include "runtime/sim/machine/Cluster.h"

#include <gtest/gtest.h>

namespace ashlar::sim {
namespace {

const std::string header = ".version 8.8\n.target sm_90a\n.address_size 64\n";

/// The addresses that a kernel stores, less the reserved part, 0 where it
/// stores none.
std::vector<uint32_t> addresses(const std::string &ptx,
                                const std::string &kernel = "kernel") {
  PtxRunner runner;
  runner.shape.block = {1, 1, 1};
  MemoryBlock &out = runner.buffer(std::vector<uint32_t>(4, 0));
  const auto reports = runner.run(header + ptx, kernel);
  EXPECT_TRUE(reports.empty()) << text(reports);
  std::vector<uint32_t> result = PtxRunner::values<uint32_t>(out);
  for (uint32_t &address : result)
    address -= address ? reservedSharedBytes : 0;
  return result;
}

/// A kernel that stores the addresses of variables.
std::string kernelThatStores(const std::vector<std::string> &variables,
                             const std::string &name = "kernel",
                             const std::string &before = "") {
  std::string body = before + ".reg .b64 %p; .reg .b32 %r;\n"
                              "ld.param.u64 %p, [out];\n";
  for (size_t i = 0; i < variables.size(); ++i)
    body += "mov.u32 %r, " + variables[i] + ";\nst.global.u32 [%p+" +
            std::to_string(4 * i) + "], %r;\n";
  return ".visible .entry " + name + "(.param .u64 out)\n{\n" + body +
         "ret;\n}\n";
}

using Addresses = std::vector<uint32_t>;

const std::string module = ".extern .shared .align 16 .b8 dynamic[];\n"
                           ".shared .align 4 .b8 a[100];\n"
                           ".shared .align 64 .b8 b[64];\n"
                           ".shared .align 8 .b64 c;\n";

TEST(SharedLayout, IsThatOfTheKernelThatUsesIt) {
  const std::string both = module +
                           kernelThatStores({"a", "dynamic"}, "first") +
                           kernelThatStores({"c", "b", "dynamic"}, "second") +
                           kernelThatStores({"dynamic", "dynamic"}, "third");
  EXPECT_EQ(addresses(both, "first"), (Addresses{0, 112, 0, 0}));
  EXPECT_EQ(addresses(both, "second"), (Addresses{64, 0, 80, 0}));
  EXPECT_EQ(addresses(module + kernelThatStores({"dynamic+4"})),
            (Addresses{4, 0, 0, 0}));
}

TEST(SharedLayout, HasWhatTheFunctionsUseThatItCalls) {
  const std::string functions =
      ".func g()\n{\n.shared .b32 unused[3];\n.shared .b32 mine[5];\n"
      "st.shared.u32 [mine], 0;\nret;\n}\n"
      ".func f()\n{\ncall g, ();\nst.shared.u32 [a], 0;\nret;\n}\n";
  EXPECT_EQ(addresses(module + functions +
                      kernelThatStores({"own", "dynamic"}, "kernel",
                                       ".shared .b32 own[3];\ncall f, ();\n")),
            // own 12, a 100, mine 20, unused 12
            (Addresses{0, 144, 0, 0}));
  EXPECT_EQ(addresses(module + functions + kernelThatStores({"c", "dynamic"})),
            (Addresses{0, 16, 0, 0}));
}

TEST(SharedLayout, HasWhatAFunctionUsesWhoseAddressIsTaken) {
  const std::string functions =
      ".shared .b32 mine[5];\n"
      ".func f()\n{\nst.shared.u32 [mine], 0;\nret;\n}\n"
      ".global .u64 table[1] = {f};\n";
  const std::string call = ".reg .b64 %f;\nld.global.u64 %f, [table];\n"
                           "prototype: .callprototype _ ();\n"
                           "call %f, (), prototype;\n";
  EXPECT_EQ(addresses(module + functions +
                      kernelThatStores({"c", "dynamic"}, "kernel", call)),
            (Addresses{0, 32, 0, 0}));
}

TEST(SharedLayout, DynamicPartIsAlignedAsTheModuleAsks) {
  EXPECT_EQ(addresses(".extern .shared .align 1024 .b8 large[];\n" + module +
                      kernelThatStores({"c", "dynamic"})),
            (Addresses{0, 1024, 0, 0}));
}

TEST(SharedLayout, OfOneKernelMustFit) {
  const std::string halves = ".shared .b8 a[131072];\n.shared .b8 b[131072];\n";
  EXPECT_EQ(addresses(halves + kernelThatStores({"a"}, "first") +
                          kernelThatStores({"b"}, "second"),
                      "second"),
            (Addresses{0, 0, 0, 0}));
  EXPECT_THROW(addresses(halves + kernelThatStores({"a", "b"})),
               std::runtime_error);
}

TEST(SharedLayout, AddressIsNoInitialValue) {
  EXPECT_THROW(addresses(module + ".global .u64 p = generic(a);\n" +
                         kernelThatStores({"a"})),
               std::runtime_error);
}

} // namespace
} // namespace ashlar::sim
