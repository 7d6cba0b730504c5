#include "tool/CommandLine.h"

#include <gtest/gtest.h>

using namespace ashlar;
using namespace ashlar::tooling;

namespace {

struct Parsed {
  Request request;
  std::optional<int> status;
  std::string errors;
};

Parsed parseLine(std::vector<std::string> words) {
  words.insert(words.begin(), "gemm");
  std::vector<char *> arguments;
  for (std::string &word : words)
    arguments.push_back(word.data());
  Parsed parsed;
  testing::internal::CaptureStderr();
  parsed.status = parse(static_cast<int>(arguments.size()), arguments.data(),
                        "gemm", parsed.request);
  parsed.errors = testing::internal::GetCapturedStderr();
  return parsed;
}

} // namespace

TEST(CommandLine, AsksForTheSummaryWhenEmpty) {
  EXPECT_TRUE(parseLine({}).request.isDefault());
  EXPECT_TRUE(parseLine({"--size", "M=1"}).request.isDefault());
  EXPECT_FALSE(parseLine({"--run"}).request.isDefault());
}

TEST(CommandLine, ReadsEachFlag) {
  const Parsed parsed =
      parseLine({"--emit=ptx", "-o", "x.ptx", "--print-after=tile-to-hopper",
                 "--print-after=hopper-to-thread", "--size", "M=128",
                 "--size=N=7", "--scalar=alpha=-0.5", "--time-limit=50",
                 "--verify-each", "--device=sim", "--seed=3", "--seeds=50",
                 "--sms=2", "--trace=x.json", "--ignore=race@a.cpp:3"});
  ASSERT_FALSE(parsed.status) << parsed.errors;
  const Request &request = parsed.request;
  EXPECT_EQ(request.emit, "ptx");
  EXPECT_EQ(request.output, "x.ptx");
  EXPECT_EQ(request.printAfter.size(), 2u);
  ASSERT_EQ(request.sizes.size(), 2u);
  EXPECT_EQ(request.sizes[1].name, "N");
  EXPECT_EQ(request.sizes[1].value, 7);
  EXPECT_EQ(request.scalars.at(0).value, -0.5);
  EXPECT_EQ(request.device.timeLimit->count(), 50);
  EXPECT_TRUE(request.verifyEach);
  EXPECT_EQ(request.device.name, "sim");
  EXPECT_EQ(request.device.seed, 3u);
  EXPECT_EQ(request.device.seeds, 50u);
  EXPECT_EQ(request.device.sms, 2u);
  EXPECT_EQ(request.device.trace, "x.json");
  EXPECT_EQ(request.device.ignore, "race@a.cpp:3");
}

TEST(CommandLine, SaysWhatIsWrong) {
  for (const std::string word :
       {"--emit=sas", "--size=M", "--size=M=1x", "--size==3", "--scalar=a=b",
        "--size=M=99999999999999999999", "--device=tpu", "--seeds=0", "--sms=0",
        "--seeds=4294967296", "--seed=-1", "--seed=18446744073709551616",
        "--seed=1.5", "--time-limit=0", "-o=x", "--nope", "stray"}) {
    const Parsed parsed = parseLine({word});
    EXPECT_EQ(parsed.status, 1) << word;
    EXPECT_EQ(parsed.errors.rfind("error: ", 0), 0u) << word << parsed.errors;
  }
}
