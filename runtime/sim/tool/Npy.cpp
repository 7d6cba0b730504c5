#include "runtime/sim/tool/Npy.h"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace ashlar::sim::tool {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr size_t headerAlignment = 64;

/// The value of a key in the header's Python dictionary, up to `end`.
std::string_view valueOf(std::string_view header, std::string_view key,
                         char end) {
  size_t at = header.find(key);
  if (at == header.npos || (at = header.find(':', at)) == header.npos)
    return {};
  at = header.find_first_not_of(' ', at + 1);
  if (at == header.npos)
    return {};
  const size_t until = header.find(end, at);
  return until == header.npos ? std::string_view()
                              : header.substr(at, until - at);
}

std::optional<Element> elementOf(std::string_view code) {
  struct Code {
    std::string_view text;
    Element element;
  };
  static constexpr Code codes[] = {
      {"|u1", Element::u8},  {"|i1", Element::s8},  {"|b1", Element::u8},
      {"<u2", Element::u16}, {"<i2", Element::s16}, {"<u4", Element::u32},
      {"<i4", Element::s32}, {"<u8", Element::u64}, {"<i8", Element::s64},
      {"<f2", Element::f16}, {"<f4", Element::f32}, {"<f8", Element::f64}};
  for (const Code &each : codes)
    if (code == each.text)
      return each.element;
  return std::nullopt;
}

const char *codeOf(Element element) {
  switch (element) {
  case Element::u8:
  case Element::e4m3:
  case Element::e5m2:
    return "|u1";
  case Element::s8:
    return "|i1";
  case Element::u16:
  case Element::bf16:
    return "<u2";
  case Element::s16:
    return "<i2";
  case Element::u32:
    return "<u4";
  case Element::s32:
    return "<i4";
  case Element::u64:
    return "<u8";
  case Element::s64:
    return "<i8";
  case Element::f16:
    return "<f2";
  case Element::f32:
  case Element::tf32:
    return "<f4";
  case Element::f64:
    return "<f8";
  }
  return "|u1";
}

} // namespace

bool isNpy(const std::vector<uint8_t> &file) {
  return file.size() > magic.size() &&
         std::equal(
             magic.begin(), magic.end(), file.begin(),
             [](char a, uint8_t b) { return static_cast<uint8_t>(a) == b; });
}

std::optional<NpyArray> readNpy(const std::vector<uint8_t> &file,
                                std::string &problem) {
  auto fail = [&](const std::string &reason) {
    problem = "as a .npy file: " + reason;
    return std::nullopt;
  };
  constexpr size_t shortest = 12;
  if (file.size() < shortest)
    return fail("it is too short");
  const bool wide = file[6] >= 2; // the length of the header has 4 bytes
  const size_t begin = wide ? 12 : 10;
  size_t length = file[8] | size_t(file[9]) << 8;
  if (wide)
    length |= size_t(file[10]) << 16 | size_t(file[11]) << 24;
  if (length > file.size() - begin)
    return fail("its header goes beyond its end");
  const std::string_view header(
      reinterpret_cast<const char *>(file.data()) + begin, length);
  NpyArray array;
  std::string_view code = valueOf(header, "'descr'", ',');
  if (code.size() > 1)
    code = code.substr(1, code.size() - 2); // the quotes
  const std::optional<Element> element = elementOf(code);
  if (!element)
    return fail("its type '" + std::string(code) +
                "' is no little-endian integer or float");
  array.element = *element;
  if (valueOf(header, "'fortran_order'", ',') != "False")
    return fail("it is not in row-major (C) order");
  std::string_view shape = valueOf(header, "'shape'", ')');
  if (shape.empty() || shape.front() != '(')
    return fail("its header has no shape");
  shape.remove_prefix(1);
  size_t elements = 1;
  const size_t left = (file.size() - begin - length) / sizeBytes(*element);
  while (!shape.empty()) {
    uint64_t extent = 0;
    auto [end, error] =
        std::from_chars(shape.data(), shape.data() + shape.size(), extent);
    if (error != std::errc())
      return fail("its shape can't be read");
    shape.remove_prefix(static_cast<size_t>(end - shape.data()));
    while (!shape.empty() && (shape.front() == ',' || shape.front() == ' '))
      shape.remove_prefix(1);
    if (extent && elements > left / extent)
      return fail("it ends before its last element");
    array.shape.push_back(extent);
    elements *= extent;
  }
  const size_t bytes = elements * sizeBytes(*element);
  if (bytes != file.size() - begin - length)
    return fail("its shape gives " + std::to_string(bytes) + " bytes, but " +
                std::to_string(file.size() - begin - length) +
                " follow its header");
  array.bytes.assign(file.end() - static_cast<ptrdiff_t>(bytes), file.end());
  return array;
}

std::vector<uint8_t> writeNpy(Element element,
                              const std::vector<uint64_t> &shape,
                              const std::vector<uint8_t> &bytes) {
  std::string header = "{'descr': '" + std::string(codeOf(element)) +
                       "', 'fortran_order': False, 'shape': (";
  for (uint64_t extent : shape)
    header += std::to_string(extent) + ",";
  header += ")}";
  constexpr size_t before = 10;
  while ((before + header.size() + 1) % headerAlignment)
    header += ' ';
  header += '\n';
  std::string front(magic);
  front += {'\1', '\0', static_cast<char>(header.size()),
            static_cast<char>(header.size() >> 8)};
  front += header;
  std::vector<uint8_t> file(front.begin(), front.end());
  file.insert(file.end(), bytes.begin(), bytes.end());
  return file;
}

} // namespace ashlar::sim::tool
