#include "bench/GemmFit.h"
#include "ashlar/error.h"
#include "ashlar/gemm_auto.h"

#include <cmath>
#include <fstream>
#include <gmock/gmock.h>

namespace ashlar::bench {
namespace {

using testing::AllOf, testing::HasSubstr;
using testing::ThrowsMessage;

/// What a card would measure of which the model is right.
std::vector<GemmSample> samplesBy(const GpuModel &card) {
  std::vector<GemmSample> samples;
  for (const GemmSizes &sizes :
       {GemmSizes{4096, 4096, 4096}, GemmSizes{16, 8192, 8192},
        GemmSizes{1, 4096, 4096}, GemmSizes{1024, 1024, 1024},
        GemmSizes{200, 3584, 18944}, GemmSizes{2048, 4608, 3584}}) {
    const std::vector<GemmConfig> configs = gemm_candidates(sizes);
    for (size_t i = 0; i < 12; ++i) {
      const GemmConfig &config = configs[i * i % configs.size()];
      const GemmCost cost = gemm_cost(sizes, {}, config, {}, card);
      samples.push_back({{}, sizes, config, {cost.hot, cost.cold}});
    }
  }
  return samples;
}

TEST(GemmFit, FindsWhatACardIs) {
  GpuModel card = h200();
  card.dram_terabytes_per_second *= 0.7;
  card.launch_microseconds *= 1.5;
  card.load_microseconds *= 0.8;
  const std::vector<GemmSample> samples = samplesBy(card);
  const GemmFit fit = fitModel(samples, h200());
  const GemmFitness before = fitness(samples, h200()),
                    after = fitness(samples, fit.model);
  EXPECT_GT(before.error, 0.05);
  EXPECT_LT(after.error, before.error / 3);
  EXPECT_LE(after.regret, before.regret);
  EXPECT_NEAR(fit.model.launch_microseconds / card.launch_microseconds, 1, 0.1);
  EXPECT_NEAR(fit.model.dram_terabytes_per_second /
                  card.dram_terabytes_per_second,
              1, 0.1);
}

TEST(GemmFit, LeavesWhatIsRight) {
  const std::vector<GemmSample> samples = samplesBy(h200());
  const GemmFitness exact = fitness(samples, h200());
  EXPECT_NEAR(exact.error, 0, 1e-6);
  EXPECT_NEAR(exact.regret, 1, 1e-12);
  EXPECT_NEAR(exact.choiceLoss, 0, 1e-12);
  EXPECT_EQ(exact.problems, 6);
  for (const FittedConstant &constant : fitModel(samples, h200()).constants)
    EXPECT_EQ(constant.before, constant.after) << constant.name;
}

TEST(GemmFit, RegretsOnlyCandidates) {
  std::vector<GemmSample> samples = samplesBy(h200());
  GemmSample neighbour = samples.front();
  neighbour.time = {neighbour.time.hot / 3, neighbour.time.cold / 3};
  neighbour.isCandidate = false;
  samples.push_back(neighbour);
  EXPECT_NEAR(fitness(samples, h200()).regret, 1, 1e-12);
  samples.back().isCandidate = true;
  EXPECT_GT(fitness(samples, h200()).worstRegret, 1);
}

TEST(GemmFit, HoldsOutWholeProblems) {
  const std::vector<GemmSample> samples = samplesBy(h200());
  const auto [known, unknown] = holdOut(samples);
  EXPECT_EQ(fitness(unknown, h200()).problems, 2);
  EXPECT_EQ(fitness(known, h200()).problems, 4);
  EXPECT_EQ(known.size() + unknown.size(), samples.size());
}

TEST(GemmMeasurements, AreReadAsTheyWereWritten) {
  const std::string path = testing::TempDir() + "/measurements.csv";
  std::remove(path.c_str());
  GemmTypes odd;
  odd.layout = GemmLayout::parse("TT:2,16,4");
  const GemmSizes sizes{96, 64, 63};
  const GemmConfig config = GemmConfig::parse("64x64x64 s4 w1 e64x1 l8");
  {
    GemmMeasurements file(path);
    file.add(odd, sizes, config, {9, 8}, {});
    file.add(odd, sizes, config, {2.5, 4.5}, {});
  }
  const std::vector<GemmSample> samples = readMeasurements({path, path});
  ASSERT_EQ(samples.size(), 1);
  EXPECT_EQ(samples[0].types.layout, odd.layout);
  EXPECT_EQ(samples[0].sizes.k, 63);
  EXPECT_EQ(samples[0].config, config);
  EXPECT_EQ(samples[0].time.hot, 2.5);
  EXPECT_EQ(samples[0].time.cold, 4.5);
  for (auto [line, message] :
       {std::pair{"bf16,1,2,3,64x64x64", "has not as many values"},
        std::pair{"bf16,1,2,3,64y,1,1,0,0,1", "'64y' in '64y' is no part of"},
        std::pair{"bf15,1,2,3,64x64x64,1,1,0,0,1", "'bf15' are no types"},
        std::pair{"bf16,1,two,3,64x64x64,1,1,0,0,1", "is no number"},
        std::pair{"bf16,64,64,64,64x64x64 s3 w1,0,1,0,0,1", "not above 0"}}) {
    const std::string wrong = path + ".wrong";
    std::ofstream(wrong) << std::ifstream(path).rdbuf() << line << "\n";
    EXPECT_THAT([&] { readMeasurements({wrong}); },
                ThrowsMessage<Error>(
                    AllOf(HasSubstr(".wrong:4: error: "), HasSubstr(message))));
  }
}

} // namespace
} // namespace ashlar::bench
