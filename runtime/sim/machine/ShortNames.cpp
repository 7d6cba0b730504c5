#include "runtime/sim/machine/ShortNames.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cxxabi.h>
#include <memory>

namespace ashlar::sim {
namespace {

constexpr std::string_view dots = "...";

bool isIdentifier(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$';
}

std::string demangled(const std::string &name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && text ? text.get() : name;
}

/// Without what stands in template arguments within more than `depth` others.
std::string elided(std::string_view name, int depth) {
  std::string text;
  int inside = 0;
  for (char c : name) {
    inside -= c == '>';
    if (inside <= depth)
      text += c;
    inside += c == '<';
    if (c == '<' && inside == depth + 1)
      text += dots;
  }
  return text;
}

/// "gemm<A, 3>" of "void gemm<A, 3>(A, int)".
std::string_view withoutSignature(std::string_view name) {
  size_t begin = 0;
  int inside = 0;
  for (size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (inside == 0 && c == ' ')
      begin = i + 1;
    if (inside == 0 && c == '(' && !name.substr(i).starts_with("(anonymous"))
      return name.substr(begin, i - begin);
    inside += c == '<' || c == '(';
    inside -= c == '>' || c == ')';
  }
  return name;
}

std::string shortened(const std::string &name) {
  const std::string whole = demangled(name);
  std::string text(whole == name ? whole : withoutSignature(whole));
  for (size_t at; (at = text.find("> >")) != text.npos;)
    text.erase(at + 1, 1);
  for (int depth = 8; depth >= 0 && text.size() > longestName; --depth)
    text = elided(text, depth);
  if (text.size() <= longestName)
    return text;
  const size_t kept = longestName - dots.size(), tail = kept / 2;
  return text.substr(0, kept - tail) + std::string(dots) +
         text.substr(text.size() - tail);
}

} // namespace

std::string withShortNames(std::string_view text) {
  std::string result;
  for (size_t i = 0; i < text.size();) {
    const size_t end = static_cast<size_t>(
        std::find_if(text.begin() + static_cast<ptrdiff_t>(i), text.end(),
                     [](char c) { return !isIdentifier(c); }) -
        text.begin());
    const std::string name(text.substr(i, end - i));
    result += name.size() > longestName ? shortened(name) : name;
    if (end < text.size())
      result += text[end];
    i = end + 1;
  }
  return result;
}

} // namespace ashlar::sim
