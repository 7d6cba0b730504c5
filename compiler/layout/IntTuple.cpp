#include "compiler/layout/IntTuple.h"

#include <algorithm>
#include <charconv>
#include <ostream>

namespace ashlar::layout {

namespace {

/// A recursive-descent reader of "(4,(2,8))".
class Parser {
public:
  explicit Parser(std::string_view text) : text(text), rest(text) {}

  Result<IntTuple> parseAll() {
    Result<IntTuple> tuple = parseTuple(0);
    skipSpace();
    if (tuple && !rest.empty())
      return expected("the end");
    return tuple;
  }

private:
  /// Deeper than any layout, and not too deep for a recursion.
  static constexpr int maxDepth = 32;

  Result<IntTuple> parseTuple(int depth) {
    if (!accept('('))
      return parseInteger();
    if (depth == maxDepth)
      return refuse("'", text, "' is nested more than ", maxDepth,
                    " levels deep");
    std::vector<IntTuple> elements;
    if (accept(')'))
      return IntTuple(std::move(elements));
    do {
      Result<IntTuple> element = parseTuple(depth + 1);
      if (!element)
        return element;
      elements.push_back(*element);
    } while (accept(','));
    if (!accept(')'))
      return expected("',' or ')'");
    return IntTuple(std::move(elements));
  }

  Result<IntTuple> parseInteger() {
    skipSpace();
    int64_t value = 0;
    auto [end, error] =
        std::from_chars(rest.data(), rest.data() + rest.size(), value);
    if (error != std::errc())
      return expected("an integer or '('");
    rest.remove_prefix(end - rest.data());
    return IntTuple(value);
  }

  bool accept(char c) {
    skipSpace();
    if (!rest.starts_with(c))
      return false;
    rest.remove_prefix(1);
    return true;
  }

  void skipSpace() {
    while (rest.starts_with(' '))
      rest.remove_prefix(1);
  }

  Refusal expected(std::string_view what) const {
    return refuse("'", text, "' is not a tuple of integers: expected ", what,
                  " after ", text.size() - rest.size(), " characters");
  }

  std::string_view text, rest;
};

const std::vector<IntTuple> &
elementsOf(const std::variant<int64_t, std::vector<IntTuple>> &node) {
  return std::get<std::vector<IntTuple>>(node);
}

} // namespace

IntTuple IntTuple::of(std::span<const int64_t> values) {
  return IntTuple(std::vector<IntTuple>(values.begin(), values.end()));
}

Result<IntTuple> IntTuple::parse(std::string_view text) {
  return Parser(text).parseAll();
}

int64_t IntTuple::value() const {
  assert(isLeaf() && "a sequence is not a single integer");
  return std::get<int64_t>(node);
}

int64_t IntTuple::size() const {
  return isLeaf() ? 1 : static_cast<int64_t>(elementsOf(node).size());
}

const IntTuple &IntTuple::operator[](int64_t i) const {
  assert(i >= 0 && i < size() && "there is no such element");
  return isLeaf() ? *this : elementsOf(node)[i];
}

int64_t IntTuple::product() const {
  if (isLeaf())
    return std::get<int64_t>(node);
  int64_t result = 1;
  for (const IntTuple &element : elementsOf(node))
    result *= element.product();
  return result;
}

std::vector<int64_t> IntTuple::flatten() const {
  std::vector<int64_t> leaves;
  map([&](int64_t leaf) {
    leaves.push_back(leaf);
    return leaf;
  });
  return leaves;
}

int64_t IntTuple::depth() const {
  if (isLeaf())
    return 0;
  int64_t deepest = 0;
  for (const IntTuple &element : elementsOf(node))
    deepest = std::max(deepest, element.depth());
  return deepest + 1;
}

IntTuple IntTuple::map(const std::function<int64_t(int64_t)> &change) const {
  if (isLeaf())
    return change(std::get<int64_t>(node));
  std::vector<IntTuple> elements;
  for (const IntTuple &element : elementsOf(node))
    elements.push_back(element.map(change));
  return IntTuple(std::move(elements));
}

std::string IntTuple::str() const {
  if (isLeaf())
    return std::to_string(std::get<int64_t>(node));
  std::string text = "(";
  for (const IntTuple &element : elementsOf(node))
    text += (text.size() > 1 ? "," : "") + element.str();
  return text + ")";
}

std::ostream &operator<<(std::ostream &out, const IntTuple &tuple) {
  return out << tuple.str();
}

bool congruent(const IntTuple &a, const IntTuple &b) {
  if (a.isLeaf() || b.isLeaf())
    return a.isLeaf() && b.isLeaf();
  if (a.size() != b.size())
    return false;
  for (int64_t i = 0; i < a.size(); ++i)
    if (!congruent(a[i], b[i]))
      return false;
  return true;
}

bool compatible(const IntTuple &a, const IntTuple &b) {
  if (a.isLeaf())
    return a.value() == b.product();
  if (b.isLeaf() || a.size() != b.size())
    return false;
  for (int64_t i = 0; i < a.size(); ++i)
    if (!compatible(a[i], b[i]))
      return false;
  return true;
}

} // namespace ashlar::layout
