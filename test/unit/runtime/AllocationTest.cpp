#include "FakeDriver.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

static bool counting = false;
static int allocations = 0;

// Not inlined, or the compiler sees free() on what operator new returned.
[[gnu::noinline]] static void *allocate(size_t size, size_t alignment) {
  allocations += counting;
  size_t rounded = (size + alignment - 1) / alignment * alignment;
  void *memory = std::aligned_alloc(alignment, rounded);
  if (!memory)
    throw std::bad_alloc();
  return memory;
}
[[gnu::noinline]] static void release(void *memory) { std::free(memory); }

using Alignment = std::align_val_t;
void *operator new(size_t size) { return allocate(size, 16); }
void *operator new(size_t size, Alignment alignment) {
  return allocate(size, static_cast<size_t>(alignment));
}
void operator delete(void *memory) noexcept { release(memory); }
void operator delete(void *memory, size_t) noexcept { release(memory); }
void operator delete(void *memory, Alignment) noexcept { release(memory); }
void operator delete(void *memory, size_t, Alignment) noexcept {
  release(memory);
}

namespace ashlar::test {
namespace {

TEST(Allocation, HappensInNoLaunchAfterTheFirst) {
  FakeDriver fake;
  fake.recording = false;
  fake.table.tensorMapEncodeTiled = [](auto...) {
    return driver::Result::success;
  };
  Device device = Device::open(fake.table);
  Module module(device, gemmArtifact());
  Stream stream = Stream::wrap(device, nullptr);
  auto allocationsOf = [&](const std::vector<NamedArgument> &arguments) {
    allocations = 0;
    counting = true;
    module.launch(arguments, stream);
    counting = false;
    return allocations;
  };
  auto arguments = gemmArguments();
  auto others = gemmArguments(1000, 2000, 512);
  EXPECT_GT(allocationsOf(arguments), 0) << "the counter does not count";
  EXPECT_EQ(allocationsOf(arguments), 0);
  EXPECT_EQ(allocationsOf(others), 0);
  EXPECT_EQ(fake.launches, 3);
}

} // namespace
} // namespace ashlar::test
