#include "test/fuzz/MutateIr.h"

#include <regex>
#include <vector>

namespace ashlar::fuzz {
namespace {

using Random = std::mt19937_64;

size_t below(size_t end, Random &random) {
  return std::uniform_int_distribution<size_t>(0, end - 1)(random);
}

/// A part of a text.
struct Part {
  size_t begin, length;
};

std::vector<Part> partsLike(const std::string &text, const std::regex &form) {
  std::vector<Part> parts;
  for (std::sregex_iterator at(text.begin(), text.end(), form), end; at != end;
       ++at)
    parts.push_back({size_t(at->position()), size_t(at->length())});
  return parts;
}

/// What a change may take for another of its kind.
const std::vector<std::regex> &kinds() {
  static const std::vector<std::regex> all = {
      std::regex("%[A-Za-z_0-9]+"),
      std::regex("![a-z]+\\.[a-z_]+(<[^<>]*(<[^<>]*>)?[^<>]*>)?"),
      std::regex("\"[^\"\\n]*\""),
      std::regex("#[a-z]+\\.[a-z]+<[^<>]*>"),
      std::regex("\\b(tile|hopper|llvm|arith|scf|math)\\.[a-z_.0-9]+"),
      std::regex("\\b(tensor<[^<>]*(<[^<>]*>)?>|index|[su]?i[0-9]+|b?f[0-9]+"
                 "[A-Z0-9]*|tf32)"),
      std::regex("[0-9]+x[0-9x]*[a-z]+[0-9]*"),
      std::regex("\\[[^\\[\\]\\n]*\\]"),
      std::regex("[a-z_]+ = [^,}\\n]*"),
      std::regex("\\b[a-z_]+\\b"),
  };
  return all;
}

void changeNumber(std::string &text, Random &random) {
  static const std::regex form("-?[0-9]+");
  auto parts = partsLike(text, form);
  if (parts.empty())
    return;
  Part part = parts[below(parts.size(), random)];
  Part other = parts[below(parts.size(), random)];
  const std::string number = text.substr(part.begin, part.length);
  const int64_t value = std::strtoll(number.c_str(), nullptr, 10);
  auto plain = [](uint64_t n) { return std::to_string(int64_t(n)); };
  const std::string choices[] = {
      "0",
      "1",
      "-1",
      "2",
      "3",
      "7",
      "16",
      "33",
      "1024",
      "4294967296",
      "9223372036854775807",
      "-9223372036854775808",
      plain(uint64_t(value) + 1),
      plain(uint64_t(value) - 1),
      plain(uint64_t(value) * 2),
      plain(value / 2),
      plain(uint64_t(value) + 8),
      text.substr(other.begin, other.length),
      text.substr(other.begin, other.length),
  };
  text.replace(part.begin, part.length,
               choices[below(std::size(choices), random)]);
}

void changeKind(std::string &text, Random &random) {
  auto parts = partsLike(text, kinds()[below(kinds().size(), random)]);
  if (parts.empty())
    return;
  Part part = parts[below(parts.size(), random)];
  Part other = parts[below(parts.size(), random)];
  const std::string replacement =
      below(8, random) ? text.substr(other.begin, other.length) : "";
  text.replace(part.begin, part.length, replacement);
}

void changeLines(std::string &text, Random &random) {
  std::vector<std::string> lines(1);
  for (char c : text)
    if (c == '\n')
      lines.emplace_back();
    else
      lines.back() += c;
  const size_t line = below(lines.size(), random),
               other = below(lines.size(), random);
  switch (below(4, random)) {
  case 0:
    lines.erase(lines.begin() + line);
    break;
  case 1:
    lines.insert(lines.begin() + line, std::string(lines[line]));
    break;
  case 2:
    std::swap(lines[line], lines[other]);
    break;
  default:
    lines.insert(lines.begin() + other, std::string(lines[line]));
  }
  text.clear();
  for (const std::string &each : lines)
    text += each + "\n";
}

} // namespace

std::string mutate(std::string text, Random &random) {
  for (size_t changes = 1 + below(3, random); changes > 0; --changes)
    switch (below(4, random)) {
    case 0:
      changeNumber(text, random);
      break;
    case 1:
      changeLines(text, random);
      break;
    default:
      changeKind(text, random);
    }
  return text;
}

} // namespace ashlar::fuzz
