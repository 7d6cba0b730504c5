// Kernels on two GPUs that store to each other's memory and wait for what the
// other one stores. On a machine with one GPU there is nothing to run.

#include "runtime/Driver.h"
#include "test/kernels/Check.h"
#include "test/kernels/Register.h"

#include "ashlar/ashlar.h"
#include "ashlar/stream.h"

#include <array>
#include <cstring>
#include <optional>

namespace ashlar::test {
namespace {

constexpr int64_t rows = 200, columns = 256;

/// D = 2 · (what the peer has as X) + 1: each stores the double of its X at the
/// peer, tells it by a counter, and waits for its own.
Kernel exchangeByStores() {
  return kernel("exchange_by_stores", [] {
    Size N = size("N");
    Tensor X = input("X", f32, {N, columns});
    Tensor there = inout("There", f32, {N, columns}); // at the peer
    Tensor told = inout("Told", s32, {N}, align(4));
    Tensor here = inout("Here", f32, {N, columns}); // the peer's "There"
    Tensor known = inout("Known", s32, {N}, align(4));
    Tensor D = output("D", f32, {N, columns});
    TileLoop tiles = persistent({N}, {1});
    role("all", warps(4), [&] {
      for (auto [i] : tiles) {
        store(there.at({i, 0}), 2 * load(X.at({i, 0}), {1, columns}));
        signal(told.at({i}), 1, Scope::system);
        await(known.at({i}), 1, Scope::system);
        store(D.at({i, 0}), load(here.at({i, 0}), {1, columns}) + 1);
      }
    });
  });
}

/// The same by TMA: from the own X to the peer, and from here.
Kernel exchangeByCopies() {
  return kernel("exchange_by_copies", [] {
    Size N = size("N");
    Tensor X = input("X", f32, {N, columns});
    Tensor there = inout("There", f32, {N, columns});
    Tensor told = inout("Told", s32, {N}, align(4));
    Tensor here = inout("Here", f32, {N, columns});
    Tensor known = inout("Known", s32, {N}, align(4));
    Tensor D = output("D", f32, {N, columns});
    TileLoop tiles = persistent({N}, {8});
    Pipeline ring = pipeline(2, smem(f32, {8, columns}));
    SharedTile staging = shared(f32, {8, columns});
    role("send", warps(4), [&] {
      for (auto [i] : tiles) {
        store(staging, 2 * load(X.tile({i, 0}), {8, columns}));
        copy(staging, there.tile({i, 0}));
        signal(told.at({i}), 1, Scope::system);
      }
    });
    role("receive", warps(1), [&] {
      for (auto [i] : tiles) {
        await(known.at({i}), 1, Scope::system);
        Stage s = ring.acquire();
        copy(here.tile({i, 0}), s[0]);
        ring.commit(s);
      }
    });
    role("add", warps(4), [&] {
      for (auto [i] : tiles) {
        Stage s = ring.wait();
        store(D.tile({i, 0}), load(s[0]) + 1);
        ring.release(s);
      }
    });
  });
}

/// Adds to the counters of both devices, of which each holds one.
Kernel countEverywhere() {
  return kernel("count_everywhere", [] {
    Size N = size("N");
    Tensor own = inout("Own", s32, {1}, align(4));
    Tensor other = inout("Other", s32, {1}, align(4));
    TileLoop tiles = grid({N}, {1});
    role("all", warps(1), [&] {
      for (auto [i] : tiles) {
        Index before = atomic_add(own.at({0}), 1, Scope::system);
        when(before >= 0, [&] { atomic_add(other.at({0}), 1, Scope::system); });
      }
    });
  });
}

/// A device with the tensors that lie on it.
struct Side {
  Side(int ordinal, const Artifact &artifact)
      : device(Device::open(ordinal)), module(device, artifact),
        stream(device) {}

  Buffer zeros(int64_t elements) {
    Buffer buffer(device, elements * 4);
    buffer.fill(std::byte(0));
    return buffer;
  }

  Device device;
  Module module;
  Stream stream;
};

TensorArgument matrix(const Buffer &buffer) {
  return {buffer.data(), f32, {rows, columns}};
}
TensorArgument counters(const Buffer &buffer, int64_t count) {
  return {buffer.data(), s32, {count}};
}

std::array<Side, 2> sidesFor(const Kernel &kernel) {
  const Artifact artifact = compileCleanly(kernel);
  std::array<Side, 2> sides = {Side(0, artifact), Side(1, artifact)};
  sides[0].device.enable_access_to(sides[1].device);
  sides[1].device.enable_access_to(sides[0].device);
  sides[1].device.enable_access_to(sides[0].device); // once more does no harm
  return sides;
}

void exchanges(const Kernel &kernel) {
  std::array<Side, 2> sides = sidesFor(kernel);
  std::vector<Buffer> x, here, known, d;
  for (Side &side : sides) {
    std::vector<float> values(rows * columns);
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = float(x.size() * 1'000'000 + i);
    x.push_back(side.zeros(rows * columns));
    x.back().copy_from_host(std::as_bytes(std::span(values)));
    here.push_back(side.zeros(rows * columns));
    known.push_back(side.zeros(rows));
    d.push_back(side.zeros(rows * columns));
  }
  for (size_t i : {0, 1})
    sides[i].module.launch({{"X", matrix(x[i])},
                            {"There", matrix(here[1 - i])},
                            {"Told", counters(known[1 - i], rows)},
                            {"Here", matrix(here[i])},
                            {"Known", counters(known[i], rows)},
                            {"D", matrix(d[i])}},
                           sides[i].stream);
  for (Side &side : sides)
    ASSERT_TRUE(side.stream.wait_for(std::chrono::seconds(20)));
  for (size_t i : {0, 1}) {
    std::vector<float> result(rows * columns);
    d[i].copy_to_host(std::as_writable_bytes(std::span(result)));
    for (size_t at = 0; at < result.size(); ++at)
      ASSERT_EQ(result[at], 2 * float((1 - i) * 1'000'000 + at) + 1)
          << "device " << i << ", element " << at;
  }
}

void counts() {
  std::array<Side, 2> sides = sidesFor(countEverywhere());
  std::vector<Buffer> counter;
  for (Side &side : sides)
    counter.push_back(side.zeros(1));
  constexpr int64_t ctas = 1000;
  for (size_t i : {0, 1})
    sides[i].module.launch({{"Own", counters(counter[i], 1)},
                            {"Other", counters(counter[1 - i], 1)},
                            {"N", ctas}},
                           sides[i].stream);
  for (Side &side : sides)
    ASSERT_TRUE(side.stream.wait_for(std::chrono::seconds(20)));
  for (const Buffer &one : counter) {
    int32_t count = 0;
    one.copy_to_host(std::as_writable_bytes(std::span(&count, 1)));
    EXPECT_EQ(count, 2 * ctas);
  }
}

bool hasTwoGpus() {
  if (isSimulated())
    return false;
  int count = 0;
  device().driver().deviceGetCount(&count);
  return count > 1;
}

[[maybe_unused]] const bool registered = registerAtStart([] {
  if (!hasTwoGpus())
    return;
  registerTest("TwoDevices", "exchange by stores",
               [] { exchanges(exchangeByStores()); });
  registerTest("TwoDevices", "exchange by copies",
               [] { exchanges(exchangeByCopies()); });
  registerTest("TwoDevices", "count on both", counts);
});

} // namespace
} // namespace ashlar::test
