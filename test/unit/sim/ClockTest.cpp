#include "runtime/sim/machine/races/Clock.h"

#include <gtest/gtest.h>

namespace ashlar::sim {
namespace {

TEST(Knowledge, CoversAllLanesUpToTheCommonEpoch) {
  Knowledge knowledge{4, 0, 0};
  EXPECT_TRUE(knowledge.covers(4, 0));
  EXPECT_TRUE(knowledge.covers(1, 31));
  EXPECT_FALSE(knowledge.covers(5, 0));
}

TEST(Knowledge, CoversLanesThatAreAheadFurther) {
  Knowledge knowledge{4, 7, 0b10};
  EXPECT_TRUE(knowledge.covers(7, 1));
  EXPECT_FALSE(knowledge.covers(5, 0));
  EXPECT_FALSE(knowledge.covers(8, 1));
}

TEST(Knowledge, JoinsLanesThatAreAhead) {
  Knowledge knowledge{2, 5, 0b01};
  knowledge.join({3, 9, 0b10});
  EXPECT_EQ(knowledge.all, 3u);
  EXPECT_TRUE(knowledge.covers(5, 0));
  EXPECT_TRUE(knowledge.covers(9, 1));
  EXPECT_FALSE(knowledge.covers(4, 2));
}

TEST(Knowledge, ForgetsLanesThatAreAheadOfNothingMore) {
  Knowledge knowledge{2, 5, 0b01};
  knowledge.join({6, 0, 0});
  EXPECT_EQ(knowledge.ahead, 0u);
  EXPECT_FALSE(knowledge.covers(7, 0));
}

TEST(Knowledge, AllLanesAheadAreTheCommonEpoch) {
  Knowledge knowledge{0, 5, 0x0000ffff};
  knowledge.join({0, 5, 0xffff0000});
  EXPECT_EQ(knowledge.all, 5u);
}

TEST(Clock, KnowsNothingAtFirst) {
  Clock clock(3);
  EXPECT_TRUE(clock.empty());
  EXPECT_FALSE(clock.covers({3, 0}, 1, 0));
  EXPECT_FALSE(clock.covers({4, 0}, 1, 0));
}

TEST(Clock, JoinsKnowledgeOfOtherClusters) {
  Clock here(0), there(1);
  there.learn({1, 2}, {5, 0, 0});
  there.learn({0, 7}, {3, 0, 0});
  here.join(there);
  EXPECT_TRUE(here.covers({1, 2}, 5, 9));
  EXPECT_TRUE(here.covers({0, 7}, 3, 0));
  EXPECT_FALSE(here.covers({1, 2}, 6, 0));
  there.join(here);
  EXPECT_TRUE(there.covers({1, 2}, 5, 0));
}

TEST(Clock, JoinWithItselfChangesNothing) {
  Clock clock(0);
  clock.learn({5, 1}, {2, 0, 0});
  clock.join(clock);
  EXPECT_TRUE(clock.covers({5, 1}, 2, 0));
}

TEST(Causality, ProxyFenceCarriesWhatIsKnownOver) {
  Causality causality(0);
  causality.base.learn({0, 1}, {4, 0, 0});
  EXPECT_FALSE(causality.asynchronous.covers({0, 1}, 4, 0));
  causality.fenceProxy();
  EXPECT_TRUE(causality.asynchronous.covers({0, 1}, 4, 0));
}

} // namespace
} // namespace ashlar::sim
