#include "test/fuzz/MutateArtifact.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace ashlar::fuzz {
namespace {

using nlohmann::json;
using Random = std::mt19937_64;

constexpr size_t headerBytes = 32;

size_t below(size_t end, Random &random) {
  return std::uniform_int_distribution<size_t>(0, end - 1)(random);
}

template <typename List> auto &oneOf(List &list, Random &random) {
  return *std::next(std::begin(list), below(std::size(list), random));
}

/// The document's values, those within others behind them.
void collect(json &value, std::vector<json *> &all) {
  all.push_back(&value);
  if (value.is_structured())
    for (json &part : value)
      collect(part, all);
}

json anyNumber(int64_t old, Random &random) {
  auto plain = [](uint64_t n) { return json(static_cast<int64_t>(n)); };
  const auto value = static_cast<uint64_t>(old);
  const json choices[] = {
      0,
      1,
      -1,
      2,
      5,
      255,
      256,
      1024,
      1 << 20,
      INT32_MAX,
      int64_t(INT32_MAX) + 1,
      INT32_MIN,
      int64_t(1) << 32,
      int64_t(1) << 40,
      INT64_MAX,
      INT64_MIN,
      UINT64_MAX,
      1e300,
      0.5,
      plain(value + 1),
      plain(value - 1),
      plain(value * 2),
      plain(value / 2),
      plain(random()),
  };
  return oneOf(choices, random);
}

void changeText(std::string &text, Random &random) {
  auto place = [&] { return below(text.size() + 1, random); };
  switch (below(7, random)) {
  case 0:
    text.clear();
    break;
  case 1:
    text.insert(place(), 1, static_cast<char>(random()));
    break;
  case 2:
    text.insert(place(), "\x1b[2J\n");
    break;
  case 3:
    text.append(below(100000, random), 'a');
    break;
  case 4:
    text.resize(place());
    break;
  case 5: // digits, of which PTX has many
    for (size_t i = place(); i < text.size(); ++i)
      if (std::isdigit(static_cast<unsigned char>(text[i]))) {
        text[i] = static_cast<char>('0' + below(10, random));
        break;
      }
    break;
  default:
    if (!text.empty())
      text[below(text.size(), random)] = static_cast<char>(random());
  }
}

void changeList(json &list, Random &random) {
  if (list.empty())
    return;
  const size_t at = below(list.size(), random);
  switch (below(5, random)) {
  case 0:
    list.erase(at);
    break;
  case 1:
    list.push_back(json(list[at]));
    break;
  case 2:
    list.clear();
    break;
  case 3:
    std::swap(list[at], oneOf(list, random));
    break;
  default:
    for (size_t count = below(30000, random); count > 0; --count)
      list.push_back(json(list[at]));
  }
}

void changeObject(json &object, Random &random) {
  if (object.empty() || below(4, random) == 0)
    object["another"] = 1;
  else
    object.erase(std::next(object.begin(), below(object.size(), random)).key());
}

json ofAnotherType(Random &random) {
  const json choices[] = {
      nullptr,       true,           1,   "text",
      json::array(), json::object(), 1.5, json::binary({1, 2, 3})};
  return oneOf(choices, random);
}

void changeBytes(std::vector<uint8_t> &bytes, size_t first, Random &random) {
  if (bytes.size() <= first)
    return;
  for (size_t count = 1 + below(4, random); count > 0; --count)
    bytes[first + below(bytes.size() - first, random)] =
        static_cast<uint8_t>(random());
  if (below(8, random) == 0)
    bytes.resize(first + below(bytes.size() - first, random));
}

void changeField(json &document, Random &random) {
  std::vector<json *> all;
  collect(document, all);
  json &value = *oneOf(all, random);
  if (below(12, random) == 0)
    value = ofAnotherType(random);
  else if (below(12, random) == 0)
    value = json(*oneOf(all, random));
  else if (value.is_number_integer())
    value = anyNumber(value.get<int64_t>(), random);
  else if (value.is_boolean())
    value = !value.get<bool>();
  else if (value.is_string())
    changeText(value.get_ref<std::string &>(), random);
  else if (value.is_binary())
    changeBytes(value.get_binary(), 0, random);
  else if (value.is_array())
    changeList(value, random);
  else if (value.is_object())
    changeObject(value, random);
}

void writeNumber(std::vector<uint8_t> &file, size_t at, uint64_t value) {
  for (size_t i = 0; i < 8; ++i)
    file[at + i] = static_cast<uint8_t>(value >> (8 * i));
}

/// Length and checksum, as `runtime/Artifact.cpp` makes them.
void seal(std::vector<uint8_t> &file) {
  uint64_t hash = 0xcbf29ce484222325;
  for (size_t i = headerBytes; i < file.size(); ++i)
    hash = (hash ^ file[i]) * 0x100000001b3;
  writeNumber(file, 16, file.size() - headerBytes);
  writeNumber(file, 24, hash);
}

} // namespace

Bytes mutateArtifact(std::span<const std::byte> file, Random &random) {
  auto *first = reinterpret_cast<const uint8_t *>(file.data());
  std::vector<uint8_t> changed(first, first + file.size());
  if (below(20, random) == 0) {
    changeBytes(changed, 0, random);
  } else if (below(5, random) == 0) {
    changeBytes(changed, headerBytes, random);
    seal(changed);
  } else {
    json document =
        json::from_cbor(changed.begin() + headerBytes, changed.end());
    for (size_t changes = 1 + below(3, random); changes > 0; --changes)
      changeField(document, random);
    changed.resize(headerBytes);
    const std::vector<uint8_t> payload = json::to_cbor(document);
    changed.insert(changed.end(), payload.begin(), payload.end());
    seal(changed);
  }
  const auto bytes = std::as_bytes(std::span(changed));
  return {bytes.begin(), bytes.end()};
}

} // namespace ashlar::fuzz
