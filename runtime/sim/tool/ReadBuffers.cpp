#include "runtime/sim/tool/ReadBuffers.h"

#include "runtime/sim/tool/Npy.h"
#include "runtime/sim/tool/ReadArguments.h"
#include "runtime/sim/tool/Strides.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace ashlar::sim::tool {
namespace {

/// Beyond any device's memory; keeps sizes from overflowing.
constexpr uint64_t maxBytes = uint64_t(1) << 40;

uint64_t elementsOf(const Value &value, const std::vector<uint64_t> &shape) {
  uint64_t elements = 1;
  for (uint64_t extent : shape) {
    if (extent && elements > maxBytes / extent)
      value.fail("the buffer is larger than a device's memory");
    elements *= extent;
  }
  return elements;
}

/// Bytes of a file that holds elements: .npy, or nothing but the elements.
std::vector<uint8_t> readElements(const Value &file,
                                  const std::filesystem::path &folder,
                                  std::optional<Element> &element,
                                  std::optional<std::vector<uint64_t>> &shape) {
  std::vector<uint8_t> bytes;
  const std::filesystem::path path = folder / file.string();
  std::error_code absent;
  if (std::filesystem::is_fifo(path, absent)) // to open one waits for a writer
    file.fail("'" + path.string() + "' is a FIFO: name a file");
  try {
    bytes = readFile(path.string());
  } catch (const InputError &error) {
    file.fail(error.what());
  }
  if (!isNpy(bytes))
    return bytes;
  std::string problem;
  std::optional<NpyArray> array = readNpy(bytes, problem);
  if (!array)
    file.fail("'" + file.string() + "' can't be read " + problem);
  // bf16 and fp8 come as integers of their size.
  if (element && sizeBytes(*element) != sizeBytes(array->element))
    file.fail("'" + file.string() + "' has elements of type " +
              name(array->element) + ", not " + name(*element));
  if (shape && *shape != array->shape &&
      elementsOf(file, *shape) != elementsOf(file, array->shape))
    file.fail("'" + file.string() + "' has another shape than the buffer");
  if (!element)
    element = array->element;
  if (!shape)
    shape = array->shape;
  return std::move(array->bytes);
}

void fillRandom(Buffer &buffer, bool normal, uint64_t seed) {
  const unsigned size = sizeBytes(buffer.element);
  std::mt19937_64 random(seed);
  // std::normal_distribution differs between libraries; Box and Muller's does
  // not.
  auto unit = [&] {
    return std::ldexp(static_cast<double>(random() >> 11), -53);
  };
  auto gauss = [&] {
    constexpr double pi = 3.14159265358979323846;
    const double radius = std::sqrt(-2 * std::log(1 - unit()));
    return radius * std::cos(2 * pi * unit());
  };
  for (size_t at = 0; at < buffer.bytes.size(); at += size)
    if (normal)
      encode(buffer.element, gauss(), &buffer.bytes[at]);
    else if (isFloat(buffer.element))
      encode(buffer.element, 2 * unit() - 1, &buffer.bytes[at]);
    else
      encodeInteger(buffer.element, random(), &buffer.bytes[at]);
}

void fill(Buffer &buffer, const Value &fill, uint64_t seed) {
  const unsigned size = sizeBytes(buffer.element);
  if (fill.isNumber()) {
    const uint64_t bits =
        isFloat(buffer.element) ? 0 : fill.integerBits(buffer.element);
    for (size_t at = 0; at < buffer.bytes.size(); at += size)
      if (isFloat(buffer.element))
        encode(buffer.element, fill.real(), &buffer.bytes[at]);
      else
        encodeInteger(buffer.element, bits, &buffer.bytes[at]);
    return;
  }
  const std::string pattern = fill.string();
  if (pattern == "uninitialised") {
    buffer.isInitialised = false;
  } else if (pattern == "iota") {
    for (size_t at = 0; at < buffer.bytes.size(); at += size)
      encode(buffer.element, static_cast<double>(at / size), &buffer.bytes[at]);
  } else if (pattern == "normal" || pattern == "uniform") {
    fillRandom(buffer, pattern == "normal", seed);
  } else if (pattern != "zeros") {
    fill.fail("is no pattern: zeros, iota, normal, uniform, uninitialised, or "
              "a number");
  }
}

std::vector<uint8_t> encodeValues(const Value &values, Element element,
                                  uint64_t elements) {
  if (!values.isArray() || values.size() != elements)
    values.fail("is no array of " + std::to_string(elements) +
                " numbers, one for each element");
  std::vector<uint8_t> bytes(elements * sizeBytes(element));
  for (size_t i = 0; i < elements; ++i) {
    uint8_t *to = &bytes[i * sizeBytes(element)];
    if (isFloat(element))
      encode(element, values.at(i).real(), to);
    else
      encodeInteger(element, values.at(i).integerBits(element), to);
  }
  return bytes;
}

/// Elements are compared with others of their type, or as numbers with floats.
void checkComparable(const Value &value, Element buffer, Element expected) {
  if (expected != buffer && !isFloat(expected))
    value.fail(std::string("is of ") + name(expected) + ", the buffer of " +
               name(buffer) +
               "; expect its own type, or floats such as f32 or f64");
}

Expectation readExpectation(const Buffer &buffer, const Value &value,
                            const std::filesystem::path &folder) {
  value.expectMembers({"type", "file", "values", "absolute", "relative"});
  if (value.has("file") == value.has("values"))
    value.fail("needs a 'file' or 'values', not both");
  Expectation expected;
  const uint64_t elements = buffer.bytes.size() / sizeBytes(buffer.element);
  std::optional<Element> element;
  if (value.has("type")) {
    element = elementNamed(value["type"].string());
    if (!element)
      value["type"].fail("is no element type: " + elementNames());
    checkComparable(value["type"], buffer.element, *element);
  }
  if (value.has("values")) {
    expected.element = element.value_or(buffer.element);
    expected.bytes = encodeValues(value["values"], expected.element, elements);
  } else {
    const Value file = value["file"];
    std::optional<std::vector<uint64_t>> shape = buffer.shape;
    expected.bytes = readElements(file, folder, element, shape);
    // bf16 and fp8 come as integers of their size.
    const bool isBits = element && !isFloat(*element) &&
                        sizeBytes(*element) == sizeBytes(buffer.element);
    expected.element = !element || isBits ? buffer.element : *element;
    checkComparable(file, buffer.element, expected.element);
    const uint64_t given = expected.bytes.size() / sizeBytes(expected.element);
    if (given != elements ||
        expected.bytes.size() % sizeBytes(expected.element))
      file.fail("has " + std::to_string(expected.bytes.size()) + " bytes; " +
                std::to_string(elements) + " elements of " +
                name(expected.element) + " have " +
                std::to_string(elements * sizeBytes(expected.element)));
  }
  for (auto [name, tolerance] : {std::pair("absolute", &expected.absolute),
                                 std::pair("relative", &expected.relative)})
    if (value.has(name)) {
      *tolerance = value[name].real();
      if (!(*tolerance >= 0))
        value[name].fail("is no tolerance: it is at least 0");
    }
  return expected;
}

/// Whoever runs a description of somebody else's gives it no more than the
/// description's own folder to write to.
std::string savePath(const Value &value, const std::filesystem::path &folder) {
  const std::filesystem::path path = value.string();
  if (path.empty())
    value.fail("is no name of a file");
  // A folder on the way may be a link.
  std::error_code error;
  const std::filesystem::path home = std::filesystem::canonical(
                                  folder.empty() ? "." : folder, error),
                              place = std::filesystem::weakly_canonical(
                                          home / path, error)
                                          .lexically_relative(home);
  if (error || path.is_absolute() ||
      std::ranges::find(path, "..") != path.end() || place.empty() ||
      *place.begin() == "..")
    value.fail("leads out of the description's folder: name a file in it");
  return (folder / path).string();
}

void setStrides(Buffer &buffer, const Value &strides) {
  const size_t rank = buffer.shape.size();
  buffer.strides = strides.integers(rank, rank, 0, maxBytes);
  const auto bytes =
      stridedBytes(buffer.shape, buffer.strides, sizeBytes(buffer.element));
  if (!bytes)
    strides.fail("let elements overlap, or lie further apart than a device's "
                 "memory is large");
  buffer.deviceBytes = *bytes;
}

} // namespace

Buffer readBuffer(const std::string &name, const Value &value,
                  const std::filesystem::path &folder, uint64_t &bytesLeft) {
  value.expectMembers({"type", "shape", "strides", "file", "values", "items",
                       "fill", "seed", "expect", "save"});
  Buffer buffer;
  buffer.name = name;
  std::optional<Element> element;
  std::optional<std::vector<uint64_t>> shape;
  if (value.has("type")) {
    element = elementNamed(value["type"].string());
    if (!element)
      value["type"].fail("is no element type: " + elementNames());
  }
  constexpr size_t maxRank = 16;
  if (value.has("shape"))
    shape = value["shape"].integers(0, maxRank, 0, maxBytes);
  if (value.has("file") + value.has("values") + value.has("items") +
          value.has("fill") >
      1)
    value.fail("needs one of 'file', 'values', 'items' and 'fill'");
  if (value.has("items")) {
    if (element || shape || value.has("strides"))
      value.fail("is as large as its 'items': leave out 'type', 'shape' and "
                 "'strides'");
    shape = {{itemBytes(value["items"])}};
  }
  if (value.has("seed") && !value.has("fill"))
    value["seed"].fail("is for a random 'fill'");

  if (value.has("file"))
    buffer.bytes = readElements(value["file"], folder, element, shape);
  buffer.element = element.value_or(Element::u8);
  const unsigned size = sizeBytes(buffer.element);
  if (!shape && value.has("file"))
    shape = {{buffer.bytes.size() / size}};
  if (!shape)
    value.fail("needs a 'shape' (and a 'type', else it is of bytes)");
  buffer.shape = *shape;
  const uint64_t bytes = elementsOf(value, buffer.shape) * size;
  if (bytes > maxBytes)
    value.fail("the buffer is larger than a device's memory");
  if (value.has("file") && bytes != buffer.bytes.size())
    value["file"].fail("has " + std::to_string(buffer.bytes.size()) +
                       " bytes; the buffer has " + std::to_string(bytes));
  if (value.has("values"))
    buffer.bytes = encodeValues(value["values"], buffer.element, bytes / size);
  buffer.deviceBytes = bytes;
  if (value.has("strides"))
    setStrides(buffer, value["strides"]);
  if (buffer.deviceBytes > bytesLeft)
    value.fail("the host has no " + std::to_string(buffer.deviceBytes) +
               " bytes for it");
  bytesLeft -= buffer.deviceBytes;
  buffer.bytes.resize(bytes);
  if (value.has("fill"))
    fill(buffer, value["fill"],
         value.has("seed") ? value["seed"].unsignedInteger(
                                 0, std::numeric_limits<uint64_t>::max())
                           : 0);
  else if (!value.has("file") && !value.has("values") && !value.has("items"))
    buffer.isInitialised = false;
  if (value.has("expect"))
    buffer.expected = readExpectation(buffer, value["expect"], folder);
  if (value.has("save"))
    buffer.save = savePath(value["save"], folder);
  return buffer;
}

} // namespace ashlar::sim::tool
