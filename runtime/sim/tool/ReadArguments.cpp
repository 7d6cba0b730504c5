#include "runtime/sim/tool/ReadArguments.h"

#include <algorithm>
#include <limits>

namespace ashlar::sim::tool {
namespace {

constexpr uint64_t anyInteger = std::numeric_limits<uint64_t>::max();

size_t bufferNamed(const Value &value, const std::vector<Buffer> &buffers) {
  const std::string name = value.string();
  for (size_t i = 0; i < buffers.size(); ++i)
    if (buffers[i].name == name)
      return i;
  value.fail("there is no buffer '" + name + "'");
}

uint64_t offsetIn(const Value &value, const Buffer &buffer) {
  return value.has("offset")
             ? value["offset"].unsignedInteger(0, buffer.deviceBytes)
             : 0;
}

/// "bf16" of an enumeration in the order of its values.
uint32_t oneOf(const Value &value, std::initializer_list<const char *> names) {
  const std::string given = value.string();
  std::string all;
  uint32_t index = 0;
  for (const char *name : names) {
    if (given == name)
      return index;
    all += (all.empty() ? "" : ", ") + std::string(name);
    ++index;
  }
  value.fail("is '" + given + "', which is none of " + all);
}

/// 0, 1, 2, 3 for `none`, and the given numbers of bytes.
uint32_t bytesOrNone(const Value &value, std::initializer_list<uint64_t> all) {
  const uint64_t given = value.unsignedInteger(0, anyInteger);
  uint32_t index = 0;
  if (given == 0)
    return 0;
  std::string known = "0";
  for (uint64_t bytes : all) {
    ++index;
    if (given == bytes)
      return index;
    known += ", " + std::to_string(bytes);
  }
  value.fail("is " + std::to_string(given) + "; it must be one of " + known);
}

const char *tensorElement(Element element) {
  switch (element) {
  case Element::u8:
  case Element::s8:
  case Element::e4m3:
  case Element::e5m2:
    return "u8";
  case Element::u16:
  case Element::s16:
    return "u16";
  default:
    return name(element);
  }
}

TensorMapArgument readTensorMap(const Value &value,
                                const std::vector<Buffer> &buffers) {
  value.expectMembers({"tensor_map", "offset", "type", "extents",
                       "stride_bytes", "box", "element_strides", "swizzle",
                       "interleave", "l2_promotion", "fill"});
  TensorMapArgument argument;
  argument.buffer = bufferNamed(value["tensor_map"], buffers);
  const Buffer &buffer = buffers[argument.buffer];
  argument.offsetBytes = offsetIn(value, buffer);
  TensorMap &map = argument.map;

  const std::string type = value.has("type") ? value["type"].string()
                                             : tensorElement(buffer.element);
  map.element = tensorElementCount;
  for (uint32_t i = 0; i < tensorElementCount; ++i)
    if (type == sim::name(static_cast<TensorElement>(i)))
      map.element = i;
  if (map.element == tensorElementCount)
    value["type"].fail("is '" + type +
                       "'; a tensor map can have u8, u16, "
                       "u32, s32, u64, s64, f16, f32, f64, bf16, f32.ftz, "
                       "tf32, tf32.ftz");

  std::vector<uint64_t> extents;
  if (value.has("extents"))
    extents = value["extents"].integers(1, maxTensorRank, 1, uint64_t(1) << 32);
  else // of the buffer, whose last is the innermost
    extents.assign(buffer.shape.rbegin(), buffer.shape.rend());
  if (extents.empty() || extents.size() > maxTensorRank)
    value.fail("the buffer has " + std::to_string(extents.size()) +
               " dimensions; a tensor map has 1 to 5: give 'extents'");
  map.rank = static_cast<uint32_t>(extents.size());
  std::copy(extents.begin(), extents.end(), map.extents.begin());

  if (value.has("stride_bytes")) {
    const std::vector<uint64_t> strides = value["stride_bytes"].integers(
        map.rank - 1, map.rank - 1, 0, anyInteger);
    std::copy(strides.begin(), strides.end(), map.strideBytes.begin());
  } else if (!buffer.strides.empty() && !value.has("extents")) {
    if (buffer.shape.back() > 1 && buffer.strides.back() != 1)
      value.fail("the buffer's innermost stride is " +
                 std::to_string(buffer.strides.back()) +
                 "; that of a tensor map is 1: give 'extents' and "
                 "'stride_bytes'");
    for (uint32_t i = 0; i + 1 < map.rank; ++i)
      map.strideBytes[i] =
          buffer.strides[map.rank - 2 - i] * map.elementBytes();
  } else { // dense
    uint64_t stride = map.elementBytes();
    for (uint32_t i = 0; i + 1 < map.rank; ++i)
      map.strideBytes[i] = stride *= map.extents[i];
  }
  auto small = [&](const char *name, std::array<uint32_t, maxTensorRank> &to) {
    const std::vector<uint64_t> given = value[name].integers(
        map.rank, map.rank, 0, std::numeric_limits<uint32_t>::max());
    for (size_t i = 0; i < given.size(); ++i)
      to[i] = static_cast<uint32_t>(given[i]);
  };
  small("box", map.box);
  if (value.has("element_strides"))
    small("element_strides", map.elementStrides);
  if (value.has("swizzle"))
    map.swizzle = bytesOrNone(value["swizzle"], {32, 64, 128});
  if (value.has("interleave"))
    map.interleave = bytesOrNone(value["interleave"], {16, 32});
  if (value.has("l2_promotion"))
    map.l2Promotion = bytesOrNone(value["l2_promotion"], {64, 128, 256});
  if (value.has("fill"))
    map.fill = oneOf(value["fill"], {"zeros", "nan"});
  // The address is not known yet; this one breaks no rule.
  TensorMap complete = map;
  complete.address = 4096 + argument.offsetBytes;
  if (std::optional<std::string> broken = brokenRule(complete))
    value.fail(*broken);
  return argument;
}

std::vector<uint8_t> bytesFromHexadecimal(const Value &value) {
  const std::string text = value.string();
  auto digit = [&](char c) -> uint8_t {
    if (c >= '0' && c <= '9')
      return static_cast<uint8_t>(c - '0');
    if (c >= 'a' && c <= 'f')
      return static_cast<uint8_t>(c - 'a' + 10);
    if (c >= 'A' && c <= 'F')
      return static_cast<uint8_t>(c - 'A' + 10);
    value.fail("has '" + std::string(1, c) +
               "', which is no hexadecimal "
               "digit");
  };
  if (text.size() % 2)
    value.fail("has an odd number of digits; a byte has two");
  std::vector<uint8_t> bytes;
  for (size_t i = 0; i < text.size(); i += 2)
    bytes.push_back(
        static_cast<uint8_t>(digit(text[i]) << 4 | digit(text[i + 1])));
  return bytes;
}

constexpr const char *kinds =
    "{\"buffer\": NAME}, {\"tensor_map\": NAME, ...}, {\"bytes\": "
    "HEXADECIMAL} or {TYPE: NUMBER}";

/// Of a {TYPE: NUMBER}. .b32 and the like take an unsigned integer.
Element scalarType(const Value &value) {
  if (!value.isObject() || value.size() != 1)
    value.fail(std::string("is none of ") + kinds);
  const std::string type = value.memberNames().front();
  std::optional<Element> element = elementNamed(
      type.starts_with('b') && type != "bf16" ? "u" + type.substr(1) : type);
  if (!element)
    value.fail("'" + type +
               "' is neither buffer, tensor_map, bytes nor a "
               "type: " +
               elementNames());
  return *element;
}

} // namespace

Argument readArgument(const Value &value, const std::vector<Buffer> &buffers) {
  Argument argument;
  argument.where = value.where();
  if (value.has("buffer")) {
    value.expectMembers({"buffer", "offset"});
    PointerArgument pointer;
    pointer.buffer = bufferNamed(value["buffer"], buffers);
    pointer.offsetBytes = offsetIn(value, buffers[pointer.buffer]);
    argument.value = pointer;
    argument.what = "a pointer";
    return argument;
  }
  if (value.has("tensor_map")) {
    argument.value = readTensorMap(value, buffers);
    argument.what = "a tensor map";
    return argument;
  }
  if (value.has("bytes")) {
    value.expectMembers({"bytes"});
    argument.value = bytesFromHexadecimal(value["bytes"]);
    argument.what = "bytes";
    return argument;
  }
  const Element element = scalarType(value);
  const std::string type = value.memberNames().front();
  std::vector<uint8_t> bytes(sizeBytes(element));
  const Value number = value[type.c_str()];
  if (isFloat(element))
    encode(element, number.real(), bytes.data());
  else
    encodeInteger(element, number.integerBits(element), bytes.data());
  argument.value = bytes;
  argument.what = "a " + type;
  return argument;
}

namespace {

/// TMA takes a tensor map at a multiple of this.
constexpr uint64_t tensorMapAlignment = 64;

/// Of what the item becomes, as far as the item alone tells.
struct Extent {
  uint64_t sizeBytes, alignmentBytes;
};

Extent extentOf(const Value &item) {
  if (item.has("buffer"))
    return {sizeof(uint64_t), sizeof(uint64_t)};
  if (item.has("tensor_map"))
    return {tensorMapBytes, tensorMapAlignment};
  if (item.has("bytes"))
    return {bytesFromHexadecimal(item["bytes"]).size(), 1};
  const uint64_t size = sizeBytes(scalarType(item));
  return {size, size};
}

/// Calls `visit` with each item and where it lies; the bytes of all.
template <class Visit> uint64_t forEachItem(const Value &items, Visit visit) {
  if (!items.isArray())
    items.fail(std::string("is no array of ") + kinds);
  uint64_t end = 0;
  for (size_t i = 0; i < items.size(); ++i) {
    const Value item = items.at(i);
    const auto [size, alignment] = extentOf(item);
    const uint64_t begin = (end + alignment - 1) / alignment * alignment;
    visit(item, begin);
    end = begin + size;
  }
  return end;
}

} // namespace

uint64_t itemBytes(const Value &items) {
  return forEachItem(items, [](const Value &, uint64_t) {});
}

void readItems(const Value &items, std::vector<Buffer> &buffers,
               size_t buffer) {
  std::vector<Item> read;
  forEachItem(items, [&](const Value &item, uint64_t offset) {
    read.push_back({offset, readArgument(item, buffers)});
  });
  buffers[buffer].items = std::move(read);
}

} // namespace ashlar::sim::tool
