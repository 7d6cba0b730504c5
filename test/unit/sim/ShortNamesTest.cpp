#include "runtime/sim/machine/ShortNames.h"
#include "test/unit/sim/RunPtx.h"

#include <gtest/gtest.h>

namespace ashlar::sim {
namespace {

/// void gemm::device_kernel<gemm::Universal<gemm::Collective<float, 128>,
/// gemm::Epilogue<float, 3>>>(gemm::Universal<...>::Params)
const std::string mangled =
    "_ZN4gemm13device_kernelINS_9UniversalINS_10CollectiveIfLi128EEENS_"
    "8EpilogueIfLi3EEEEEEEvNT_6ParamsE";

TEST(ShortNames, LeaveWhatCanBeRead) {
  const std::string text = "'_Z4gemmPf' takes 3 bytes, \"x\": 1.5.";
  EXPECT_EQ(withShortNames(text), text);
  EXPECT_EQ(withShortNames(""), "");
  const std::string longest(longestName, 'x');
  EXPECT_EQ(withShortNames(longest), longest);
}

TEST(ShortNames, OfTemplatesLoseTheInnermostArgumentsFirst) {
  ASSERT_GT(mangled.size(), longestName);
  EXPECT_EQ(withShortNames("of '" + mangled + "'."),
            "of 'gemm::device_kernel<gemm::Universal<gemm::Collective<...>, "
            "gemm::Epilogue<...>>>'.");
}

TEST(ShortNames, LoseTheirMiddle) {
  const std::string name = "matmul_kernel_" + std::string(100, '0') + "_18d19";
  const std::string shorter = withShortNames(name + ", " + name);
  EXPECT_EQ(shorter.size(), 2 * longestName + 2);
  EXPECT_TRUE(shorter.starts_with("matmul_kernel_0")) << shorter;
  EXPECT_NE(shorter.find("0...0"), std::string::npos) << shorter;
  EXPECT_TRUE(shorter.ends_with("0_18d19")) << shorter;
}

TEST(ShortNames, AreInTheTextOfReportsOnly) {
  const std::string name = "variable_" + std::string(100, 'v') + "_end";
  PtxRunner runner;
  const auto reports = runner.run(
      kernelText("", ".reg .b32 %r;\nld.global.u32 %r, [" + name + "+4];\nret;",
                 ".global .b32 " + name + ";\n"));
  ASSERT_EQ(reports.size(), 1u) << text(reports);
  EXPECT_NE(reports[0].sentence.find(name), std::string::npos);
  EXPECT_EQ(reports[0].text().find(name), std::string::npos);
  EXPECT_NE(reports[0].text().find("variable_v"), std::string::npos);
  EXPECT_NE(reports[0].text().find("v_end"), std::string::npos);
}

} // namespace
} // namespace ashlar::sim
