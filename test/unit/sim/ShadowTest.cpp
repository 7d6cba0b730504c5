#include "runtime/sim/machine/memory/Memory.h"

#include <gtest/gtest.h>

#include <random>

namespace ashlar::sim {
namespace {

/// A thread or an engine that accesses a block of memory.
struct Actor {
  MemoryBlock &block;
  Accessor accessor;
  Causality causality{0};

  Actor(MemoryBlock &block, uint32_t agent, bool isThread = true)
      : block(block) {
    accessor.agent = {0, agent};
    accessor.epoch = 1;
    accessor.warp = agent;
    accessor.inProgramOrder = isThread;
    accessor.asynchronous = !isThread;
  }
  Actor(const Actor &) = delete;

  std::vector<MemoryBlock::Conflict> access(AccessKind kind, uint64_t offset,
                                            uint64_t size, unsigned lane = 0) {
    std::vector<MemoryBlock::Conflict> conflicts;
    accessor.lane = static_cast<uint8_t>(lane);
    accessor.causality = &causality;
    block.track(kind, offset, size, accessor,
                [&](const MemoryBlock::Conflict &conflict) {
                  conflicts.push_back(conflict);
                });
    return conflicts;
  }
  std::vector<MemoryBlock::Conflict> inLine(AccessKind kind, uint64_t offset,
                                            unsigned elementBytes,
                                            LaneMask lanes) {
    std::vector<MemoryBlock::Conflict> conflicts;
    accessor.causality = &causality;
    block.trackInLine(kind, offset, elementBytes, lanes, accessor,
                      [&](const MemoryBlock::Conflict &conflict) {
                        conflicts.push_back(conflict);
                      });
    return conflicts;
  }
  size_t reads(uint64_t offset, uint64_t size = 4, unsigned lane = 0) {
    return access(AccessKind::read, offset, size, lane).size();
  }
  size_t writes(uint64_t offset, uint64_t size = 4, unsigned lane = 0) {
    return access(AccessKind::write, offset, size, lane).size();
  }
  /// Learns all of the other's accesses so far, with its proxy fence or not.
  void learnFrom(Actor &other, bool fenced = true) {
    causality.join(other.causality);
    causality.base.learn(other.accessor.agent, {other.accessor.epoch, 0, 0});
    if (fenced)
      causality.asynchronous.learn(other.accessor.agent,
                                   {other.accessor.epoch, 0, 0});
    ++other.accessor.epoch;
  }
  /// Learns what one lane of the other has done and knows.
  void learnLane(Actor &other, unsigned lane) {
    causality.join(other.causality);
    causality.base.learn(other.accessor.agent,
                         {0, other.accessor.epoch, LaneMask(1) << lane});
    ++other.accessor.epoch;
  }
};

struct Shadow : testing::Test {
  MemoryBlock block{MemoryBlock::Kind::shared, "shared memory", 0, 65536,
                    /*tracked=*/true};
  Actor a{block, 0}, b{block, 1}, c{block, 2};
  Actor engine{block, 3, /*isThread=*/false};
};

TEST_F(Shadow, WriteThenUnorderedReadIsARace) {
  EXPECT_EQ(a.writes(16), 0u);
  auto conflicts = b.access(AccessKind::read, 16, 4);
  ASSERT_EQ(conflicts.size(), 1u);
  EXPECT_EQ(conflicts[0].offset, 16u);
  EXPECT_EQ(conflicts[0].earlier.agent, a.accessor.agent);
  EXPECT_TRUE(conflicts[0].earlier.isWrite);
  EXPECT_FALSE(conflicts[0].lacksProxyFence);
}

TEST_F(Shadow, OrderedReadIsNoRace) {
  a.writes(16);
  b.learnFrom(a);
  EXPECT_EQ(b.reads(16), 0u);
}

TEST_F(Shadow, WhatIsWrittenAfterTheReleaseIsNotCovered) {
  a.writes(16);
  b.learnFrom(a);
  a.writes(16);
  EXPECT_EQ(b.reads(16), 1u);
}

TEST_F(Shadow, AThreadIsOrderedWithItself) {
  EXPECT_EQ(a.writes(0) + a.reads(0) + a.writes(0), 0u);
}

TEST_F(Shadow, LanesOfAWarpAreToldApart) {
  a.writes(0, 4, 3);
  EXPECT_EQ(a.reads(0, 4, 3), 0u);
  EXPECT_EQ(a.reads(0, 4, 4), 1u);
}

TEST_F(Shadow, OverwriteWhileReadIsARace) {
  a.writes(0);
  b.learnFrom(a);
  c.learnFrom(a);
  EXPECT_EQ(b.reads(0) + c.reads(0), 0u);
  a.learnFrom(b);
  auto conflicts = a.access(AccessKind::write, 0, 4);
  ASSERT_EQ(conflicts.size(), 1u) << "c has not said that it is done";
  EXPECT_EQ(conflicts[0].earlier.agent, c.accessor.agent);
  EXPECT_FALSE(conflicts[0].earlier.isWrite);
}

TEST_F(Shadow, AllReadersDoneIsNoRace) {
  for (unsigned lane = 0; lane < 32; ++lane)
    EXPECT_EQ(b.reads(0, 4, lane) + c.reads(0, 4, lane), 0u);
  a.learnFrom(b);
  a.learnFrom(c);
  EXPECT_EQ(a.writes(0), 0u);
}

TEST_F(Shadow, OneLaneThatStillReadsIsFound) {
  b.reads(0, 4, 0);
  ++b.accessor.epoch;
  a.learnFrom(b);
  b.accessor.epoch = 9;
  b.reads(0, 4, 17);
  auto conflicts = a.access(AccessKind::write, 0, 4);
  ASSERT_EQ(conflicts.size(), 1u);
  EXPECT_EQ(conflicts[0].earlier.lane, 17);
}

TEST_F(Shadow, DifferentBytesOfAWordAreApart) {
  EXPECT_EQ(a.writes(0, 2), 0u);
  EXPECT_EQ(b.writes(2, 2), 0u);
  EXPECT_EQ(c.reads(0, 1), 1u);
  EXPECT_EQ(c.reads(3, 1), 1u);
  b.learnFrom(a);
  EXPECT_EQ(b.reads(0, 4), 0u);
}

TEST_F(Shadow, AWordOverTwoHalvesMeetsBoth) {
  a.writes(0, 2);
  b.writes(2, 2);
  EXPECT_EQ(c.access(AccessKind::read, 0, 4).size(), 2u);
}

TEST_F(Shadow, TheFirstByteConcernedIsTold) {
  a.writes(6, 1);
  auto conflicts = b.access(AccessKind::write, 4, 4);
  ASSERT_EQ(conflicts.size(), 1u);
  EXPECT_EQ(conflicts[0].offset, 6u);
}

TEST_F(Shadow, UnalignedStretchesEndWhereTheyEnd) {
  a.writes(3, 10); // bytes 3 to 12
  EXPECT_EQ(b.reads(0, 3), 0u);
  EXPECT_EQ(b.reads(13, 3), 0u);
  EXPECT_EQ(b.reads(12, 1), 1u);
}

TEST_F(Shadow, ReadersOfBytesAreKeptApart) {
  a.reads(0, 1);
  b.reads(0, 4);
  c.learnFrom(b);
  EXPECT_EQ(c.writes(1, 3), 0u);
  EXPECT_EQ(c.writes(0, 1), 1u);
}

TEST_F(Shadow, AWritePartlyOverAReadKeepsTheRest) {
  a.reads(0, 4);
  b.learnFrom(a);
  EXPECT_EQ(b.writes(0, 2), 0u);
  EXPECT_EQ(c.writes(2, 2), 1u) << "a's read of the upper half remains";
}

TEST_F(Shadow, AConflictIsToldOnceForATile) {
  a.writes(0, 16384);
  EXPECT_EQ(b.reads(0, 16384), 1u);
}

TEST_F(Shadow, ARaceIsNotToldAgainByTheSameWrite) {
  a.writes(0);
  EXPECT_EQ(b.writes(0), 1u);
  EXPECT_EQ(b.writes(0), 0u);
}

TEST_F(Shadow, AsynchronousReadNeedsTheProxyFence) {
  a.writes(0);
  engine.learnFrom(a, /*fenced=*/false);
  auto conflicts = engine.access(AccessKind::read, 0, 4);
  ASSERT_EQ(conflicts.size(), 1u);
  EXPECT_TRUE(conflicts[0].lacksProxyFence);
}

TEST_F(Shadow, AsynchronousReadAfterTheProxyFenceIsFine) {
  a.writes(0);
  engine.learnFrom(a, /*fenced=*/true);
  EXPECT_EQ(engine.reads(0), 0u);
}

TEST_F(Shadow, TheReadersFenceWillDo) {
  a.writes(0);
  b.learnFrom(a, /*fenced=*/false);
  b.causality.fenceProxy();
  engine.learnFrom(b);
  EXPECT_EQ(engine.reads(0), 0u);
}

TEST_F(Shadow, AsynchronousOverwriteOfAGenericReadNeedsTheProxyFence) {
  a.reads(0);
  engine.learnFrom(a, /*fenced=*/false);
  EXPECT_EQ(engine.reads(4), 0u);
  auto conflicts = engine.access(AccessKind::write, 0, 4);
  ASSERT_EQ(conflicts.size(), 1u);
  EXPECT_TRUE(conflicts[0].lacksProxyFence);
  EXPECT_FALSE(conflicts[0].earlier.isWrite);
}

TEST_F(Shadow, AsynchronousOverwriteOfAFencedGenericReadIsFine) {
  a.reads(0);
  engine.learnFrom(a, /*fenced=*/true);
  EXPECT_EQ(engine.writes(0), 0u);
}

TEST_F(Shadow, GenericReadOfAnAsynchronousWriteNeedsNoProxyFence) {
  engine.writes(0);
  a.learnFrom(engine, /*fenced=*/false);
  EXPECT_EQ(a.reads(0), 0u);
}

TEST_F(Shadow, AnEnginesOwnAccessesAreNotOrdered) {
  engine.writes(0);
  EXPECT_EQ(engine.writes(0), 1u);
}

TEST_F(Shadow, StrongAccessesDoNotRace) {
  a.accessor.scope = b.accessor.scope = Scope::gpu;
  EXPECT_EQ(a.writes(0) + b.writes(0) + a.reads(0), 0u);
  EXPECT_EQ(c.reads(0), 1u) << "a weak read among strong writes";
}

TEST_F(Shadow, AScopeThatLeavesTheOtherOutDoesNotHelp) {
  a.accessor.scope = Scope::cta;
  b.accessor.scope = Scope::gpu;
  b.accessor.cta = 1;
  a.writes(0);
  EXPECT_EQ(b.writes(0), 1u);
}

TEST_F(Shadow, WhatAStrongReadSawIsOrderedBeforeTheReader) {
  a.accessor.scope = b.accessor.scope = Scope::gpu;
  a.writes(0);
  EXPECT_EQ(b.reads(0), 0u);
  b.accessor.scope = Scope::weak;
  EXPECT_EQ(b.writes(0), 0u) << "as when a flag is reset after polling it";
}

TEST_F(Shadow, ReadModifyWriteIsBoth) {
  a.reads(0);
  EXPECT_EQ(b.access(AccessKind::readWrite, 0, 4).size(), 1u);
  EXPECT_EQ(c.reads(0), 1u);
}

TEST_F(Shadow, ForgetsAccessesWhenAsked) {
  a.writes(0);
  block.forgetAccesses();
  EXPECT_EQ(b.writes(0), 0u);
}

TEST_F(Shadow, SurvivesCollectionOfItsTables) {
  Actor last{block, 9};
  last.writes(60000, 2);
  last.reads(60004, 4, 5);
  std::mt19937 random(1);
  for (unsigned i = 0; i < 300000; ++i) {
    a.causality.base.learn(b.accessor.agent, {b.accessor.epoch, 0, 0});
    b.causality.base.learn(a.accessor.agent, {a.accessor.epoch, 0, 0});
    Actor &actor = i % 2 ? a : b;
    ++actor.accessor.epoch;
    ASSERT_EQ(actor.reads(random() % 4096, 1 + random() % 8, random() % 32),
              0u);
  }
  EXPECT_EQ(a.writes(60000, 1), 1u);
  auto conflicts = a.access(AccessKind::write, 60004, 4);
  ASSERT_EQ(conflicts.size(), 1u);
  EXPECT_EQ(conflicts[0].earlier.lane, 5);
  EXPECT_EQ(conflicts[0].earlier.agent, last.accessor.agent);
}

TEST_F(Shadow, LanesInLineAreToldApart) {
  a.inLine(AccessKind::write, 128, 4, allLanes);
  EXPECT_EQ(a.reads(128 + 4 * 7, 4, 7), 0u);
  EXPECT_EQ(a.reads(128 + 4 * 7, 4, 8), 1u);
  auto conflicts = b.access(AccessKind::read, 128 + 4 * 9, 4);
  ASSERT_EQ(conflicts.size(), 1u);
  EXPECT_EQ(conflicts[0].earlier.lane, 9);
}

TEST_F(Shadow, LanesInLineOfOneWordAreToldApart) {
  a.inLine(AccessKind::write, 64, 2, allLanes);
  EXPECT_EQ(a.reads(64 + 2 * 7, 2, 7), 0u);
  EXPECT_EQ(a.reads(64 + 2 * 6, 2, 7), 1u);
  auto conflicts = a.inLine(AccessKind::read, 66, 2, 0x7fffffff);
  EXPECT_EQ(conflicts.size(), 1u) << "each lane reads its neighbour's";
}

TEST_F(Shadow, LinesOfDifferentElementsMeet) {
  a.inLine(AccessKind::write, 0, 8, allLanes);
  EXPECT_EQ(a.inLine(AccessKind::read, 0, 8, allLanes).size(), 0u);
  EXPECT_EQ(a.inLine(AccessKind::read, 0, 4, 1).size(), 0u);
  EXPECT_EQ(a.inLine(AccessKind::read, 0, 4, 2).size(), 1u);
}

// Against a detector that keeps every access of every byte.
TEST_F(Shadow, AgreesWithAPlainDetector) {
  struct Past {
    unsigned actor, lane;
    Epoch epoch;
    bool isWrite;
  };
  constexpr unsigned bytes = 64, actors = 3, lanes = 4;
  for (unsigned seed = 0; seed < 2000; ++seed) {
    std::mt19937 random(seed);
    MemoryBlock memory(MemoryBlock::Kind::shared, "", 0, bytes, true);
    Actor x{memory, 0}, y{memory, 1}, z{memory, 2};
    Actor *all[actors] = {&x, &y, &z};
    std::vector<Past> past[bytes];
    for (unsigned step = 0; step < 60; ++step) {
      const unsigned i = random() % actors;
      Actor &actor = *all[i];
      if (random() % 3 == 0) {
        // All lanes of another actor, or one lane's own accesses.
        const unsigned other = random() % actors;
        if (other != i && random() % 2)
          actor.learnFrom(*all[other]);
        else if (other != i)
          actor.learnLane(*all[other], random() % lanes);
        continue;
      }
      const unsigned size = 1u << random() % 5;
      const bool isLine = random() % 2;
      const bool isWrite = random() % 2;
      const AccessKind kind = isWrite ? AccessKind::write : AccessKind::read;
      const unsigned mask = isLine ? 1 + random() % 15 : 1u << random() % lanes;
      unsigned offset = random() % (bytes / size) * size;
      if (isLine && offset + size * lanes > bytes)
        offset = 0;
      if (isLine && size * lanes > bytes)
        continue;
      bool races = false;
      std::vector<std::pair<unsigned, unsigned>> accessed; // byte, lane
      forEachLane(mask, [&](unsigned lane) {
        const unsigned begin = isLine ? offset + lane * size : offset;
        for (unsigned at = begin; at < begin + size; ++at)
          accessed.emplace_back(at, lane);
      });
      for (auto [at, lane] : accessed)
        for (const Past &each : past[at])
          races |= (isWrite || each.isWrite) &&
                   !(each.actor == i && each.lane == lane) &&
                   !actor.causality.base.covers({0, each.actor}, each.epoch,
                                                each.lane);
      const size_t found =
          isLine
              ? actor.inLine(kind, offset, size, mask).size()
              : actor.access(kind, offset, size, std::countr_zero(mask)).size();
      // Nothing that is no race is found; the first race of a run is.
      ASSERT_EQ(found != 0, races) << "seed " << seed << " step " << step;
      if (races)
        break;
      for (auto [at, lane] : accessed)
        past[at].push_back({i, lane, actor.accessor.epoch, isWrite});
    }
  }
}

} // namespace
} // namespace ashlar::sim
