#include "bench/AttentionTuner.h"

#include "ashlar/error.h"
#include "runtime/sim/driver/SimulatorDriver.h"

#include <gmock/gmock.h>

#include <set>

namespace ashlar::bench {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

AttentionProblem problem(const std::string &text) {
  return parseAttention(text);
}

std::string refusal(const std::string &text) {
  try {
    parseAttention(text);
  } catch (const Error &error) {
    return error.what();
  }
  return "";
}

TEST(AttentionProblem, IsReadAsItIsWritten) {
  for (const char *text :
       {"d128 causal b4 h32 hk8 q4096 k4096",
        "e4m3 d64 dv128 b1 h1 q1 k300 page32", "d256 b1 h8 q512 k512 rescale8"})
    EXPECT_EQ(str(problem(text)), text);
  EXPECT_EQ(str(problem("k77 h4")), "d128 b1 h4 q77 k77");
}

TEST(AttentionProblem, IsRefusedInASentence) {
  EXPECT_THAT(refusal("d64 b4"), HasSubstr("neither queries (q) nor keys"));
  EXPECT_THAT(refusal("q64 blue"), HasSubstr("the word 'blue'; write such as"));
  EXPECT_THAT(refusal("q64 x3"), HasSubstr("the word 'x3'"));
  EXPECT_THAT(refusal("q0"), HasSubstr("'q0' does not end in a number from 1"));
  EXPECT_THAT(refusal("q8 h6 hk4"), HasSubstr("no multiple of those of the"));
}

TEST(AttentionProblem, CountsWhatIsSeen) {
  EXPECT_EQ(problem("d64 q2 k2").operations(), 2 * 2 * 2 * 128);
  EXPECT_EQ(problem("d64 causal q2 k2").operations(), 2 * 3 * 128);
  EXPECT_EQ(problem("d64 h2 hk1 q1 k8").bytes(), 2 * (8 * 128 + 2 * 128));
}

TEST(AttentionTuner, TriesTheModelsChoiceFirstAndOtherKinds) {
  const AttentionProblem decode = problem("b8 h64 hk8 q1 k8192 page16");
  const std::vector<AttentionChoice> choices =
      tunedChoices(decode, 12, {}, h200());
  ASSERT_EQ(choices.size(), 12);
  EXPECT_EQ(str(choices.front()),
            str(attention_auto(decode.form(), decode.sizes())));
  std::set<std::string> texts;
  std::set<bool> parts;
  for (const AttentionChoice &choice : choices) {
    EXPECT_TRUE(texts.insert(str(choice)).second) << str(choice);
    parts.insert(choice.config.splits);
  }
  EXPECT_EQ(parts.size(), 2);
}

TEST(AttentionTuner, AvoidsWords) {
  for (const AttentionChoice &choice :
       tunedChoices(problem("d64 q4096"), 12, {"w3", "q2"}, h200()))
    EXPECT_THAT(str(choice), Not(AnyOf(HasSubstr("w3"), HasSubstr("q2"))));
}

TEST(AttentionTuner, SaysWhyThereIsNothingToMeasure) {
  auto refusal = [](const std::string &text,
                    const std::vector<std::string> &avoided) -> std::string {
    try {
      tunedChoices(problem(text), 12, avoided, h200());
    } catch (const Error &error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(refusal("e4m3 q64 page16", {}), HasSubstr("pages of 16 keys"));
  EXPECT_THAT(refusal("q64", {"s"}), HasSubstr("avoid fewer words"));
}

TEST(AttentionTuner, SaysHowMuchLongerTheModelsChoiceTakes) {
  AttentionTuning tuning{problem("q64"), {}};
  tuning.trials = {
      {{}, 9, 16, ""}, {{}, 10, 10, ""}, {{}, 0, 0, "it is WRONG"}};
  EXPECT_EQ(tuning.best(), &tuning.trials[1]);
  EXPECT_EQ(tuning.regret(), 1.2);
  EXPECT_THAT(table(tuning), HasSubstr("choice takes 1.200 times as long"));
  EXPECT_THAT(table(tuning), HasSubstr("is dropped: it is WRONG"));
  EXPECT_THAT(summary({tuning}), HasSubstr("at worst 1.200 times (d128"));
  tuning.trials.front().dropped = "it is refused";
  EXPECT_EQ(tuning.regret(), std::nullopt);
  EXPECT_THAT(table(tuning), HasSubstr("the model's choice was dropped"));
  EXPECT_THAT(summary({tuning}), HasSubstr("no choice of the model"));
}

/// Of every kind of problem, in the simulator.
TEST(AttentionTuner, MeasuresWhatIsRight) {
  Device device = Device::open(sim::simulatorDriver());
  Timer timer(device);
  AttentionTuner tuner(device, timer, 2, {});
  for (const char *text :
       {"d64 h2 hk1 q1 k150 page16", "e4m3 d64 causal q3 k70"}) {
    const AttentionTuning tuning = tuner.tune(problem(text));
    ASSERT_EQ(tuning.trials.size(), 2) << text;
    for (const AttentionTrial &trial : tuning.trials) {
      EXPECT_THAT(trial.dropped, IsEmpty()) << text << ' ' << str(trial.choice);
      EXPECT_GT(trial.cold, 0);
      EXPECT_GT(trial.hot, 0);
    }
  }
}

} // namespace
} // namespace ashlar::bench
