// TMA loads, stores and reductions: ranks, element types, swizzles, boxes
// beyond the tensor's bounds, element strides.
#include "test/conformance/CopyKernel.h"

#include <algorithm>
#include <limits>

namespace ashlar::conformance {

namespace {

using Coordinates = std::vector<int32_t>;

struct Shape {
  std::string name;
  TensorMap map; // of buffer 0
  unsigned tileOffset = 0;
  std::vector<Coordinates> at;
};

uint64_t tensorBytes(const TensorMap &map) {
  if (map.extents.size() == 1)
    return (map.extents[0] * elementBytes(map.element) + 127) / 128 * 128;
  return map.extents.back() * map.strideBytes.back();
}

unsigned tileBytes(const TensorMap &map) {
  unsigned bytes = map.box[0] * elementBytes(map.element);
  for (size_t i = 1; i < map.box.size(); ++i) {
    const uint32_t stride =
        map.elementStrides.empty() ? 1 : map.elementStrides[i];
    bytes *= (map.box[i] + stride - 1) / stride;
  }
  return bytes;
}

/// A map whose rows are `padding` bytes longer than their elements, rounded up
/// to 16.
TensorMap mapOf(const std::string &element, std::vector<uint64_t> extents,
                std::vector<uint32_t> box, unsigned swizzle = 0,
                unsigned padding = 0) {
  TensorMap map;
  map.element = element;
  map.extents = extents;
  map.box = box;
  map.swizzleBytes = swizzle;
  uint64_t stride = extents[0] * elementBytes(element) + padding;
  for (size_t i = 1; i < extents.size(); ++i) {
    stride = (stride + 15) / 16 * 16;
    map.strideBytes.push_back(stride);
    stride *= extents[i];
  }
  return map;
}

/// The corner, the inside, across each bound, and far away. The first
/// coordinate must be a multiple of 16 bytes: others are an illegal
/// instruction.
std::vector<Coordinates> places(const TensorMap &map) {
  constexpr int32_t least = std::numeric_limits<int32_t>::min();
  constexpr int32_t most = std::numeric_limits<int32_t>::max();
  const size_t rank = map.extents.size();
  const auto unit = static_cast<int32_t>(16 / elementBytes(map.element));
  Coordinates end, odd;
  for (size_t i = 0; i < rank; ++i) {
    const auto extent = static_cast<int32_t>(map.extents[i]);
    end.push_back(extent - static_cast<int32_t>(map.box[i]) / 2);
    odd.push_back(i % 2 ? 2 : -3);
  }
  std::vector<Coordinates> result = {Coordinates(rank, 0), Coordinates(rank, 1),
                                     Coordinates(rank, -1), end, odd};
  for (Coordinates &at : result)
    at[0] = &at == &result[3] ? at[0] / unit * unit : at[0] * unit;
  for (int32_t far : {least, most}) {
    Coordinates away(rank, 0);
    away.back() = rank == 1 ? far & -unit : far;
    result.push_back(away);
    away.assign(rank, 0);
    away.front() = far & -unit;
    result.push_back(away);
  }
  return result;
}

std::string list(const Coordinates &at) {
  std::string text;
  for (int32_t each : at)
    text += (text.empty() ? "" : ", ") + std::to_string(each);
  return "{" + text + "}";
}

std::string tileAt(unsigned offset) {
  return "[tile+" + std::to_string(offset) + "]";
}

/// From one row to the next in shared memory.
unsigned pitchBytes(const TensorMap &map) {
  return std::max(map.box[0] * elementBytes(map.element), map.swizzleBytes);
}

unsigned spaceFor(const Shape &shape) {
  // Room behind the tile shows what is written there.
  const unsigned rows = tileBytes(shape.map) /
                        (shape.map.box[0] * elementBytes(shape.map.element));
  const unsigned bytes = rows * pitchBytes(shape.map);
  return (shape.tileOffset + bytes + 512 + 1023) / 1024 * 1024;
}

Case loadCase(const Shape &shape, const std::string &destination,
              bool hasHint) {
  const unsigned bytes = tileBytes(shape.map), space = spaceFor(shape);
  const size_t rank = shape.map.extents.size();
  CopyKernel kernel(2, 1, space);
  kernel.initialise("bar", 1);
  if (hasHint)
    kernel.add("createpolicy.fractional.L2::evict_last.b64 %d0, 1.0;");
  unsigned step = 0;
  for (const Coordinates &at : shape.at) {
    kernel.fillTile(step + 1);
    kernel.publishTile();
    kernel.expect("bar", bytes);
    kernel.byFirst("cp.async.bulk.tensor." + std::to_string(rank) + "d." +
                   destination + ".global.tile.mbarrier::complete_tx::bytes" +
                   (hasHint ? ".L2::cache_hint " : " ") +
                   tileAt(shape.tileOffset) + ", [%m0, " + list(at) +
                   "], [bar]" + (hasHint ? ", %d0;" : ";"));
    kernel.wait("bar", step & 1);
    kernel.tileToBuffer(1, space, uint64_t(step) * space);
    kernel.sync();
    ++step;
  }
  Case result;
  result.family = "copy";
  result.name = "tensor.load." + destination + "." + shape.name;
  result.ptx = kernel.ptx();
  Buffer input, output;
  input.bytes = elementValues(
      shape.map.element,
      tensorBytes(shape.map) / elementBytes(shape.map.element), 7);
  output.bytes.resize(uint64_t(step) * space);
  output.isOutput = true;
  result.buffers = {input, output};
  result.tensorMaps = {shape.map};
  return result;
}

/// A store, or a reduction with the operation.
Case storeCase(const Shape &shape, const std::string &operation, bool hasHint) {
  const unsigned space = spaceFor(shape);
  const size_t rank = shape.map.extents.size();
  CopyKernel kernel(2, 1, space);
  if (hasHint)
    kernel.add("createpolicy.fractional.L2::evict_first.b64 %d0, 0.5;");
  unsigned step = 0;
  for (const Coordinates &at : shape.at) {
    // A store that begins before the tensor is an illegal instruction.
    if (std::any_of(at.begin(), at.end(), [](int32_t c) { return c < 0; }))
      continue;
    kernel.bufferToTile(1, space, uint64_t(step) * space);
    kernel.publishTile();
    kernel.byFirst(
        std::string(operation.empty() ? "cp.async.bulk.tensor."
                                      : "cp.reduce.async.bulk.tensor.") +
        std::to_string(rank) + "d.global.shared::cta" +
        (operation.empty() ? "" : "." + operation) + ".tile.bulk_group" +
        (hasHint ? ".L2::cache_hint " : " ") + "[%m0, " + list(at) + "], " +
        tileAt(shape.tileOffset) + (hasHint ? ", %d0;" : ";"));
    kernel.waitForStores();
    ++step;
  }
  Case result;
  result.family = "copy";
  result.name =
      "tensor." + (operation.empty() ? "store" : operation) + "." + shape.name;
  result.ptx = kernel.ptx();
  const unsigned size = elementBytes(shape.map.element);
  Buffer output, input;
  output.bytes =
      elementValues(shape.map.element, tensorBytes(shape.map) / size, 11);
  output.isOutput = true;
  input.bytes = elementValues(shape.map.element, step * space / size, 12);
  result.buffers = {output, input};
  result.tensorMaps = {shape.map};
  return result;
}

const std::vector<std::string> elements = {
    "u8",  "u16",  "u32",     "s32",  "u64",      "s64", "f16",
    "f32", "bf16", "f32.ftz", "tf32", "tf32.ftz", "f64"};

bool isFloat(const std::string &element) {
  return element.find('f') != std::string::npos;
}

std::vector<Shape> shapesOfElements() {
  std::vector<Shape> shapes;
  for (const std::string &element : elements) {
    const uint32_t inner = 64 / elementBytes(element);
    TensorMap map = mapOf(element, {inner + inner / 2, 7}, {inner, 4});
    shapes.push_back({element, map, 0, places(map)});
    // Rows that end in the middle of 16 bytes.
    map = mapOf(element, {inner + 1, 7}, {inner, 4}, 0, 32);
    shapes.push_back({element + ".odd", map, 128, places(map)});
    if (!isFloat(element))
      continue;
    map.fillNan = true;
    shapes.push_back({element + ".nan", map, 0, places(map)});
  }
  return shapes;
}

std::vector<Shape> shapesOfRanks() {
  const std::vector<uint64_t> extents = {40, 5, 6, 3, 4};
  const std::vector<uint32_t> box = {16, 3, 2, 2, 3};
  std::vector<Shape> shapes;
  for (size_t rank = 1; rank <= 5; ++rank)
    for (const char *element : {"u8", "bf16", "f32"}) {
      const auto end = static_cast<std::ptrdiff_t>(rank);
      const TensorMap map =
          mapOf(element, {extents.begin(), extents.begin() + end},
                {box.begin(), box.begin() + end});
      shapes.push_back(
          {"rank" + std::to_string(rank) + "." + element, map, 0, places(map)});
    }
  return shapes;
}

std::vector<Shape> shapesOfSwizzles() {
  std::vector<Shape> shapes;
  for (unsigned swizzle : {32u, 64u, 128u})
    for (unsigned width = 16; width <= swizzle; width *= 2)
      for (unsigned offset : {0u, 128u, 512u}) {
        const TensorMap map = mapOf("bf16", {80, 40}, {width / 2, 20}, swizzle);
        shapes.push_back({"swizzle" + std::to_string(swizzle) + ".row" +
                              std::to_string(width) + ".at" +
                              std::to_string(offset),
                          map, offset, places(map)});
      }
  for (unsigned swizzle : {32u, 64u, 128u}) {
    const TensorMap map =
        mapOf("f32", {40, 5, 4}, {swizzle / 4, 3, 3}, swizzle, 64);
    shapes.push_back(
        {"swizzle" + std::to_string(swizzle) + ".rank3", map, 0, places(map)});
  }
  return shapes;
}

std::vector<Shape> shapesOfStrides() {
  std::vector<Shape> shapes;
  const std::vector<std::vector<uint32_t>> strides = {
      {1, 2}, {1, 3}, {1, 8}, {2, 2}, {1, 2, 3}, {1, 1, 4}, {4, 2, 1, 5}};
  for (const auto &each : strides) {
    std::vector<uint64_t> extents = {24, 23, 9, 7};
    std::vector<uint32_t> box = {16, 8, 5, 6};
    extents.resize(each.size());
    box.resize(each.size());
    TensorMap map = mapOf("f32", extents, box);
    map.elementStrides = each;
    std::string name = "stride";
    for (uint32_t stride : each)
      name += "." + std::to_string(stride);
    shapes.push_back({name, map, 0, places(map)});
  }
  return shapes;
}

void append(std::vector<Shape> &all, std::vector<Shape> more) {
  all.insert(all.end(), more.begin(), more.end());
}

std::vector<Shape> allShapes() {
  std::vector<Shape> shapes = shapesOfElements();
  append(shapes, shapesOfRanks());
  append(shapes, shapesOfSwizzles());
  append(shapes, shapesOfStrides());
  return shapes;
}

} // namespace

void addTensorLoadCases(std::vector<Case> &cases) {
  unsigned index = 0;
  for (const Shape &shape : allShapes()) {
    cases.push_back(loadCase(
        shape, index % 2 ? "shared::cta" : "shared::cluster", index % 3 == 0));
    ++index;
  }
}

void addTensorStoreCases(std::vector<Case> &cases) {
  unsigned index = 0;
  for (const Shape &shape : allShapes())
    cases.push_back(storeCase(shape, "", ++index % 3 == 0));

  struct Reduction {
    const char *operation;
    std::vector<const char *> elements;
  };
  const std::vector<Reduction> reductions = {
      {"add", {"u32", "s32", "u64", "f32", "f32.ftz", "f16", "bf16"}},
      {"min", {"u32", "s32", "u64", "s64", "f16", "bf16"}},
      {"max", {"u32", "s32", "u64", "s64", "f16", "bf16"}},
      {"inc", {"u32"}},
      {"dec", {"u32"}},
      {"and", {"u32", "s32", "u64"}},
      {"or", {"u32", "s32", "u64"}},
      {"xor", {"u32", "s32", "u64"}}};
  for (const Reduction &reduction : reductions)
    for (const char *element : reduction.elements) {
      const uint32_t inner = 64 / elementBytes(element);
      TensorMap map = mapOf(element, {inner + 1, 9}, {inner, 6}, 64, 32);
      cases.push_back(storeCase({element, map, 0, places(map)},
                                reduction.operation, ++index % 2 == 0));
    }
}

} // namespace ashlar::conformance
