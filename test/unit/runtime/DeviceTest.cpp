#include "FakeDriver.h"
#include "Throws.h"

namespace ashlar::test {
namespace {

TEST(Devices, KnowTheirProperties) {
  FakeDriver fake;
  Device device = Device::open(fake.table);
  EXPECT_EQ(device.name(), "Fake H200");
  EXPECT_EQ(device.compute_capability(), 90);
  EXPECT_EQ(device.sm_count(), 132);
  EXPECT_EQ(device.max_shared_bytes(), 232448);
  EXPECT_EQ(&device.driver(), &fake.table);
}

TEST(Devices, SayWhyTheyAreUnavailable) {
  FakeDriver fake;
  EXPECT_EQ(Device::unavailable(fake.table), std::nullopt);
  fake.capabilityMajor = 8;
  EXPECT_EQ(Device::unavailable(fake.table).value(),
            "'Fake H200' has compute capability 8.0; kernels need 9.0 "
            "(Hopper)");
  fake.devices = 0;
  EXPECT_EQ(Device::unavailable(fake.table).value(),
            "there is no GPU 0: the driver sees 0");
  fake.initResult = driver::Result::noDevice;
  EXPECT_EQ(Device::unavailable(fake.table).value(),
            "starting the driver failed: CUDA_ERROR_FAKE: as the test asked");
}

TEST(Devices, AndWhatIsMadeFromThemSayThatTheyWereMovedFrom) {
  FakeDriver fake;
  Device device = Device::open(fake.table);
  Stream stream(device);
  Event event(device), recorded(device);
  Buffer buffer(device, 64);
  const Stream ownStream = std::move(stream);
  const Event ownEvent = std::move(event);
  Buffer ownBuffer = std::move(buffer);
  expectError([&] { stream.synchronize(); }, {"this Stream was moved from"});
  expectError([&] { stream.wait_for(std::chrono::milliseconds(1)); },
              {"this Stream was moved from"});
  expectError([&] { recorded.record(stream); }, {"this Stream was moved from"});
  expectError([&] { recorded.milliseconds_since(event); },
              {"this Event was moved from"});
  expectError([&] { buffer.fill(std::byte(0)); }, {"this Buffer was moved"});
  expectError([&] { buffer.copy_from_host({}); }, {"this Buffer was moved"});
  std::byte byte{};
  expectError([&] { buffer.copy_to_host({&byte, 1}); }, {"this Buffer was"});
  expectError([&] { buffer.fill(byte, stream); }, {"this Buffer was moved"});
  expectError([&] { buffer.copy_from(ownBuffer, stream); },
              {"this Buffer was moved from"});
  expectError([&] { stream.handle(); }, {"this Stream was moved from"});
  expectError([&] { event.milliseconds_since(recorded); },
              {"this Event was moved from"});
  expectError([&] { ownBuffer.copy_from(buffer, stream); },
              {"this Buffer was moved from: use the one that it was moved to"});
  const Device own = std::move(device);
  expectError([&] { device.sm_count(); }, {"this Device was moved from"});
  expectError([&] { Stream made(device); }, {"this Device was moved from"});
  Device other = Device::open(fake.table);
  expectError([&] { other.enable_access_to(device); }, {"this Device was"});
}

TEST(Devices, OfTheCudaDriverAreThereOrSayWhyNot) {
  std::optional<std::string> whyNot = Device::unavailable();
  if (!whyNot)
    GTEST_SKIP() << "this machine has a GPU";
  EXPECT_FALSE(whyNot->empty());
  EXPECT_EQ(whyNot->find('\n'), std::string::npos);
  std::string again = Device::unavailable().value();
  EXPECT_EQ(again, *whyNot);
}

TEST(Devices, AreCountedFromZero) {
  FakeDriver fake;
  fake.devices = 2;
  EXPECT_EQ(Device::open(fake.table, 1).name(), "Fake H200");
  expectError([&] { Device::open(fake.table, 2); }, {"no GPU 2", "sees 2"});
  expectError([&] { Device::open(fake.table, -1); }, {"no GPU -1"});
}

TEST(Buffers, AreFreedOnce) {
  FakeDriver fake;
  {
    Device device = Device::open(fake.table);
    Buffer buffer(device, 64), other(device, 64);
    Buffer moved = std::move(buffer);
    EXPECT_EQ(buffer.data(), nullptr);
    EXPECT_EQ(moved.size_bytes(), 64);
    other = std::move(moved);
    EXPECT_EQ(fake.count("memoryFree"), 1);
  }
  EXPECT_EQ(fake.count("memoryFree"), 2);
}

TEST(Buffers, OfNoBytesAllocateNothing) {
  FakeDriver fake;
  Device device = Device::open(fake.table);
  Buffer buffer(device, 0);
  buffer.fill(std::byte(1));
  buffer.copy_from_host({});
  EXPECT_EQ(buffer.data(), nullptr);
  EXPECT_EQ(fake.count("memoryAllocate"), 0);
  EXPECT_EQ(fake.count("setBytes"), 0);
}

TEST(Buffers, RefuseCopiesThatDoNotFit) {
  FakeDriver fake;
  Device device = Device::open(fake.table);
  Buffer buffer(device, 64);
  std::byte bytes[65] = {};
  expectError([&] { buffer.copy_from_host(bytes); }, {"65 bytes", "has 64"});
  expectError([&] { buffer.copy_to_host(bytes); }, {"65 bytes", "has 64"});
  expectError([&] { Buffer negative(device, -1); }, {"-1 bytes"});
  EXPECT_EQ(fake.count("copyHostToDevice"), 0);
  EXPECT_EQ(fake.count("copyDeviceToHost"), 0);
}

TEST(Buffers, HaveTheirBytesWhenACopyReturns) {
  FakeDriver fake;
  Device device = Device::open(fake.table);
  Buffer buffer(device, 64);
  std::byte bytes[64] = {};
  fake.calls.clear();
  buffer.copy_from_host(bytes);
  buffer.fill(std::byte(0));
  EXPECT_EQ(fake.calls,
            (std::vector<std::string>{"copyHostToDevice", "streamSynchronize",
                                      "setBytes", "streamSynchronize"}));
}

TEST(Buffers, SayHowMuchCouldNotBeAllocated) {
  FakeDriver fake;
  Device device = Device::open(fake.table);
  fake.allocateResult = driver::Result::outOfMemory;
  expectError([&] { Buffer buffer(device, int64_t(1) << 40); },
              {"allocating 1099511627776 bytes", "CUDA_ERROR_FAKE"});
}

TEST(Streams, AreDestroyedUnlessTheyAreTheCallers) {
  FakeDriver fake;
  Device device = Device::open(fake.table);
  {
    Stream foreign = Stream::wrap(device, reinterpret_cast<void *>(0x99));
    EXPECT_EQ(foreign.handle(), reinterpret_cast<void *>(0x99));
  }
  EXPECT_EQ(fake.count("streamDestroy"), 0);
  {
    Stream own(device);
    Stream moved = std::move(own);
  }
  EXPECT_EQ(fake.count("streamDestroy"), 1);
}

TEST(Events, MeasureTime) {
  FakeDriver fake;
  Device device = Device::open(fake.table);
  Stream stream(device);
  Event start(device), end(device);
  start.record(stream);
  end.record(stream);
  EXPECT_EQ(end.milliseconds_since(start), 1.5f);
}

} // namespace
} // namespace ashlar::test
