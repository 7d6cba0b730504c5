#include "runtime/sim/machine/Launch.h"

#include <gtest/gtest.h>

namespace ashlar::sim {
namespace {

TEST(GlobalMemory, FindsTheBlockThatHoldsAnAddress) {
  GlobalMemory memory;
  auto first = memory.allocate(100), second = memory.allocate(4096);
  EXPECT_EQ(memory.find(first->address), first.get());
  EXPECT_EQ(memory.find(first->address + 99), first.get());
  EXPECT_EQ(memory.find(first->address + 100), nullptr);
  EXPECT_EQ(memory.nearest(first->address + 100), first.get());
  EXPECT_EQ(memory.find(second->address + 4095), second.get());
  EXPECT_EQ(memory.find(0), nullptr);
  EXPECT_EQ(memory.nearest(0), nullptr);
}

TEST(GlobalMemory, KeepsBlocksApartAndAligned) {
  GlobalMemory memory;
  auto first = memory.allocate(100), second = memory.allocate(8, 65536);
  EXPECT_EQ(first->address % 512, 0u);
  EXPECT_EQ(second->address % 65536, 0u);
  EXPECT_GE(second->address, first->address + 100 + 4096);
}

TEST(GlobalMemory, FreesOnlyWhatWasAllocated) {
  GlobalMemory memory;
  auto block = memory.allocate(64);
  EXPECT_FALSE(memory.free(block->address + 8));
  EXPECT_TRUE(memory.free(block->address));
  EXPECT_FALSE(memory.free(block->address));
  EXPECT_EQ(memory.find(block->address), nullptr);
}

TEST(MemoryBlock, TracksInitialisedBytes) {
  MemoryBlock block(MemoryBlock::Kind::global, "", 0, 1000, true);
  EXPECT_EQ(block.firstUninitialised(0, 1000), 0u);
  block.setInitialised(3, 200);
  EXPECT_EQ(block.firstUninitialised(3, 200), 203u);
  EXPECT_EQ(block.firstUninitialised(3, 201), 203u);
  EXPECT_EQ(block.firstUninitialised(2, 4), 2u);
  block.setUninitialised(64, 64);
  EXPECT_EQ(block.firstUninitialised(3, 200), 64u);
  block.setInitialised(0, 1000);
  EXPECT_EQ(block.firstUninitialised(0, 1000), 1000u);
}

TEST(MemoryBlock, AWriteInitialises) {
  MemoryBlock block(MemoryBlock::Kind::shared, "", 0, 64, true);
  Causality causality(0);
  Accessor accessor;
  accessor.causality = &causality;
  block.track(AccessKind::write, 5, 3, accessor, [](auto &) {});
  EXPECT_EQ(block.firstUninitialised(5, 3), 8u);
  EXPECT_EQ(block.firstUninitialised(4, 4), 4u);
}

TEST(MemoryBlock, UntrackedMemoryCountsAsInitialised) {
  MemoryBlock block(MemoryBlock::Kind::local, "", 0, 64, false);
  EXPECT_EQ(block.firstUninitialised(0, 64), 64u);
}

TEST(MemoryBlock, ImagesPutBytesAndInitialisationBack) {
  MemoryBlock block(MemoryBlock::Kind::global, "", 0, 100, true);
  block.data()[7] = 42;
  block.setInitialised(7, 1);
  auto image = block.image();
  block.data()[7] = 1;
  block.setInitialised(0, 100);
  block.restore(image);
  EXPECT_EQ(block.data()[7], 42);
  EXPECT_EQ(block.firstUninitialised(7, 2), 8u);
}

} // namespace
} // namespace ashlar::sim
